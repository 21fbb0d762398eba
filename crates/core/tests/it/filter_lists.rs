//! Pugh's lists against inclusion and exclusion, and against simulation.

use lookalike_core::filter::{Error, MAX_LISTS, lists_accept, lists_share};

fn close(found: f64, wanted: f64, relative: f64) {
    assert!((found - wanted).abs() <= relative * wanted.abs(), "{found:e} is not {wanted:e}");
}

/// Inclusion and exclusion in exact integers, for L^e below 2^120.
fn reference(lists: u32, edits: u32) -> f64 {
    let mut choices = 1_i128;
    let mut sum = 0_i128;
    for j in 1..=lists {
        choices = choices * i128::from(lists - j + 1) / i128::from(j);
        let term = choices * i128::from(lists - j).pow(edits);
        sum += if j % 2 == 1 { term } else { -term };
    }
    sum as f64 / i128::from(lists).pow(edits) as f64
}

#[test]
fn four_lists_have_the_known_numbers() {
    for edits in 0..4 {
        assert_eq!(lists_share(4, edits), Ok(1.0));
    }
    close(lists_share(4, 4).unwrap(), 1.0 - 24.0 / 256.0, 1e-15);
    assert_eq!(lists_share(1, 0), Ok(1.0));
    assert_eq!(lists_share(1, 1), Ok(0.0));
    assert_eq!(lists_share(1, u64::MAX), Ok(0.0));
    close(lists_share(2, 1000).unwrap(), 2.0 * 0.5_f64.powi(1000), 1e-13);
}

#[test]
fn share_equals_exact_inclusion_and_exclusion() {
    for lists in 1..=32_u32 {
        // Terms reach C(L, j) (L - j)^e, below 2^L L^e.
        let most = (94.0 / f64::from(lists.max(2)).log2()) as u32;
        for edits in 1..=most {
            let wanted = reference(lists, edits);
            close(lists_share(lists, u64::from(edits)).unwrap(), wanted, 1e-12);
        }
    }
}

#[test]
fn share_falls_with_edits_and_rises_with_lists() {
    for lists in [2, 4, 16, 64, 200] {
        let mut last = 1.0;
        for edits in 0..3000 {
            let share = lists_share(lists, edits).unwrap();
            // Also across the seam between the two ways to compute it.
            assert!(share <= last * (1.0 + 1e-12), "{lists} lists, {edits} edits");
            assert!(share <= lists_share(lists + 1, edits).unwrap() * (1.0 + 1e-12));
            last = share;
        }
    }
}

/// Sums of 64 lists that need 600 bits, made with exact fractions elsewhere.
#[test]
fn sixty_four_lists_keep_their_digits() {
    for (edits, wanted) in SIXTY_FOUR {
        close(lists_share(64, edits).unwrap(), wanted, 1e-12);
    }
}

const SIXTY_FOUR: [(u64, f64); 8] = [
    (64, 1.0),
    (70, 1.0),
    (100, 0.999_999_998_470_917_4),
    (200, 0.951_639_517_018_232_6),
    (400, 0.111_633_064_742_692_98),
    (460, 0.044_808_158_375_853_314),
    (1000, 9.263_047_790_392_884e-6),
    (5000, 4.064_969_790_932_891_5e-33),
];

#[test]
fn accept_is_the_tail_over_repeats() {
    let share = lists_share(4, 8).unwrap();
    close(lists_accept(4, 1, 1, 8).unwrap(), share, 1e-14);
    close(lists_accept(4, 3, 3, 8).unwrap(), share.powi(3), 1e-13);
    close(lists_accept(4, 3, 1, 8).unwrap(), 1.0 - (1.0 - share).powi(3), 1e-13);
    let two = share * share * (3.0 - 2.0 * share);
    close(lists_accept(4, 3, 2, 8).unwrap(), two, 1e-13);
    assert_eq!(lists_accept(4, 3, 0, 8), Ok(1.0));
    assert_eq!(lists_accept(4, 3, 4, 8), Ok(0.0));
    assert_eq!(lists_accept(4, 3, 3, 2), Ok(1.0));
    assert_eq!(lists_accept(1, 3, 1, 1), Ok(0.0));
}

#[test]
fn a_number_of_lists_out_of_range_is_refused() {
    assert_eq!(lists_share(0, 1), Err(Error::Lists(0)));
    assert_eq!(lists_accept(1025, 1, 1, 1), Err(Error::Lists(1025)));
    assert_eq!(
        lists_share(0, 1).unwrap_err().to_string(),
        "0 lists: the number of lists is from 1 to 1024"
    );
    assert!(lists_share(MAX_LISTS, 5000).is_ok());
}

#[test]
fn simulated_edits_follow_the_formula() {
    let mut state = 0x1157_u64;
    let mut draw = move |below: u32| {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = (state ^ (state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (z ^ (z >> 31)) % u64::from(below)
    };
    let trials = 50_000;
    for (lists, repeats, agree, edits) in
        [(4, 1, 1, 8), (4, 3, 2, 6), (8, 2, 1, 20), (64, 1, 1, 300), (6, 5, 4, 12)]
    {
        let mut accepted = 0;
        for _ in 0..trials {
            let mut sharing = 0;
            for _ in 0..repeats {
                let touched = (0..edits).fold(0_u64, |seen, _| seen | 1 << draw(lists));
                sharing += u32::from(touched.count_ones() < lists);
            }
            accepted += u32::from(sharing >= agree);
        }
        let p = lists_accept(lists, repeats, agree, edits).unwrap();
        let sigma = (p * (1.0 - p) / f64::from(trials)).sqrt();
        let share = f64::from(accepted) / f64::from(trials);
        assert!((share - p).abs() < 4.5 * sigma, "{lists} {repeats} {agree} {edits}: {share}, {p}");
    }
}
