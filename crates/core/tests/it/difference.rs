//! The difference against a naive longest common subsequence.

use lookalike_core::difference::{
    Difference, Excerpt, Hunk, Limits, Piece, difference, hunks, marked, marked_distinctive,
    term_difference,
};
use lookalike_core::template::LeftOut;
use lookalike_core::text::Unit;
use proptest::prelude::*;

/// The length of a longest common subsequence, by the textbook table.
fn naive_lcs(a: &[u64], b: &[u64]) -> usize {
    let mut row = vec![0; b.len() + 1];
    for x in a {
        let mut diagonal = 0;
        for (j, y) in b.iter().enumerate() {
            let above = row[j + 1];
            row[j + 1] = if x == y { diagonal + 1 } else { above.max(row[j]) };
            diagonal = above;
        }
    }
    row[b.len()]
}

/// Applies the hunks to `a`, checking that what lies between them is equal.
fn apply(a: &[u64], b: &[u64], hunks: &[Hunk]) -> Vec<u64> {
    let mut result = Vec::new();
    let mut i = 0;
    for hunk in hunks {
        assert!(hunk.a.start > i || i == 0, "hunks touch");
        assert!(!hunk.a.is_empty() || !hunk.b.is_empty(), "empty hunk");
        result.extend_from_slice(&a[i..hunk.a.start]);
        assert_eq!(result.len(), hunk.b.start);
        result.extend_from_slice(&b[hunk.b.clone()]);
        i = hunk.a.end;
    }
    result.extend_from_slice(&a[i..]);
    result
}

fn check(a: &[u64], b: &[u64]) -> Difference {
    let found = difference(a, b);
    assert_eq!(apply(a, b, &found.hunks), b);
    assert_eq!(found.terms, term_difference(a, b));
    assert_eq!(found.hunks, hunks(a, b));
    found
}

fn splitmix(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut z = *state;
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

fn random(seed: u64, length: usize, symbols: u64) -> Vec<u64> {
    let mut state = seed;
    (0..length).map(|_| splitmix(&mut state) % symbols).collect()
}

fn sequence(symbols: u64) -> impl Strategy<Value = Vec<u64>> {
    proptest::collection::vec(0..symbols, 0..60)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn difference_is_minimal_on_small_alphabets(
        (a, b) in (1_u64..9).prop_flat_map(|n| (sequence(n), sequence(n + n / 2)))
    ) {
        let found = check(&a, &b);
        prop_assert!(found.minimal);
        prop_assert_eq!(found.terms as usize, a.len() + b.len() - 2 * naive_lcs(&a, &b));
    }

    #[test]
    fn difference_is_symmetric(a in sequence(4), b in sequence(4)) {
        prop_assert_eq!(term_difference(&a, &b), term_difference(&b, &a));
    }

    #[test]
    fn an_edited_text_differs_by_at_most_its_edits(
        a in proptest::collection::vec(0_u64..1000, 1..400),
        edits in proptest::collection::vec((any::<prop::sample::Index>(), 0_u64..1000), 0..20)
    ) {
        let mut b = a.clone();
        for (place, token) in &edits {
            let place = place.index(b.len());
            b[place] = *token;
        }
        let found = check(&a, &b);
        prop_assert!(found.terms <= 2 * edits.len() as u64);
        prop_assert_eq!(found.terms as usize, a.len() + b.len() - 2 * naive_lcs(&a, &b));
    }
}

#[test]
fn all_short_binary_sequences_are_minimal() {
    let words: Vec<Vec<u64>> = (0..7_u32)
        .flat_map(|n| (0..1_u64 << n).map(move |bits| (0..n).map(|i| bits >> i & 1).collect()))
        .collect();
    for a in &words {
        for b in &words {
            assert_eq!(check(a, b).terms as usize, a.len() + b.len() - 2 * naive_lcs(a, b));
        }
    }
}

#[test]
fn thousands_of_tokens_are_minimal() {
    for (symbols, seed) in [(2, 1), (4, 2), (20, 3), (500, 4)] {
        let a = random(seed, 3000, symbols);
        let b = random(seed + 100, 2500, symbols);
        let found = check(&a, &b);
        assert!(found.minimal);
        assert_eq!(found.terms as usize, a.len() + b.len() - 2 * naive_lcs(&a, &b));
    }
}

#[test]
fn the_empty_and_the_equal() {
    assert_eq!(check(&[], &[]).terms, 0);
    assert_eq!(check(&[7], &[7]), difference(&[], &[]));
    assert_eq!(check(&[], &[1, 2]).hunks, [Hunk { a: 0..0, b: 0..2 }]);
    assert_eq!(check(&[1, 2], &[]).hunks, [Hunk { a: 0..2, b: 0..0 }]);
    assert_eq!(check(&[1, 9, 3], &[1, 8, 3]).hunks, [Hunk { a: 1..2, b: 1..2 }]);
}

#[test]
fn long_documents_with_few_edits_are_exact() {
    let a = random(5, 1_000_000, 50_000);
    let mut b = a.clone();
    let mut state = 6;
    // Swapped neighbours: nothing is set aside, and each costs two.
    for step in 0..200 {
        let place = step * 5000 + (splitmix(&mut state) % 4000) as usize;
        b.swap(place, place + 1);
    }
    let found = check(&a, &b);
    assert!(found.minimal);
    let changed = a.iter().zip(&b).filter(|(x, y)| x != y).count();
    assert_eq!(found.terms as usize, changed);
}

/// Ends at all: in quadratic time these would not, within a test's patience.
fn ends_soon(a: &[u64], b: &[u64]) -> Difference {
    let found = difference(a, b);
    assert_eq!(apply(a, b, &found.hunks), b);
    found
}

#[test]
fn random_sequences_over_few_symbols_end_soon() {
    let a = random(7, 300_000, 4);
    let b = random(8, 300_000, 4);
    let found = ends_soon(&a, &b);
    // The LCS of random sequences over 4 symbols is 0.654 n.
    let least = (2.0 * 300_000.0 * (1.0 - 0.654)) as u64;
    assert!(found.terms >= least && found.terms < least * 115 / 100, "{}", found.terms);
}

#[test]
fn reversed_sequences_end_soon() {
    for symbols in [4, 1_000_000_000] {
        let a = random(9, 300_000, symbols);
        let b: Vec<u64> = a.iter().rev().copied().collect();
        ends_soon(&a, &b);
    }
    let up: Vec<u64> = (0..500_000).collect();
    let down: Vec<u64> = (0..500_000).rev().collect();
    assert_eq!(ends_soon(&up, &down).terms, 2 * 499_999);
}

#[test]
fn periodic_and_constant_sequences_end_soon() {
    assert_eq!(ends_soon(&vec![1; 400_000], &vec![1; 150_000]).terms, 250_000);
    let two: Vec<u64> = (0..300_000).map(|i| i % 2).collect();
    let three: Vec<u64> = (0..300_000).map(|i| i % 3).collect();
    let mixed: Vec<u64> = (0..300_000).map(|i| u64::from(i % 1000 > 500)).collect();
    ends_soon(&two, &three);
    ends_soon(&two, &mixed);
    ends_soon(&mixed, &three);
}

/// Both documents again, from the pieces; what a gap leaves out is taken from `a`.
fn unmarked(pieces: &[Piece], a: &[&str]) -> (Vec<String>, Vec<String>) {
    let words = |text: &str| text.split(' ').map(str::to_owned).collect::<Vec<_>>();
    let (mut left, mut right) = (Vec::new(), Vec::new());
    for piece in pieces {
        match piece {
            Piece::LeftOut(reason, text) => panic!("{text}: {reason:?}, and nothing is left out"),
            Piece::Equal(text) => {
                left.extend(words(text));
                right.extend(words(text));
            }
            Piece::Deleted(Excerpt { head, rest: None }) => left.extend(words(head)),
            Piece::Inserted(Excerpt { head, rest: None }) => right.extend(words(head)),
            Piece::Gap(n) => {
                let gap: Vec<String> =
                    a[left.len()..left.len() + n].iter().map(|&word| word.to_owned()).collect();
                left.extend_from_slice(&gap);
                right.extend_from_slice(&gap);
            }
            piece => panic!("cut without a limit: {piece:?}"),
        }
    }
    (left, right)
}

proptest! {
    #[test]
    fn marked_pieces_are_the_documents(
        a in prop::collection::vec(0..4_usize, 0..80),
        b in prop::collection::vec(0..4_usize, 0..80),
        tail in prop::collection::vec(0..4_usize, 0..60),
    ) {
        const WORDS: [&str; 4] = ["one", "two", "three", "four"];
        let document = |words: &[usize]| -> Vec<&str> {
            words.iter().chain(&tail).map(|&word| WORDS[word]).collect()
        };
        let (a, b) = (document(&a), document(&b));
        let (text_a, text_b) = (a.join(" "), b.join(" "));
        let marked = marked(Unit::Words, text_a.as_bytes(), text_b.as_bytes(), Limits::NONE);
        prop_assert_eq!(marked.more, 0);
        if a == b {
            prop_assert!(marked.pieces.is_empty() && marked.places == 0);
        } else {
            let (left, right) = unmarked(&marked.pieces, &a);
            prop_assert_eq!(left, a);
            prop_assert_eq!(right, b);
        }
    }
}

#[test]
fn long_changes_and_many_places_are_cut() {
    let words = |start: usize| (start..start + 30).map(|n| format!("w{n}")).collect::<Vec<_>>();
    let (a, b) = (words(0).join(" "), words(100).join(" "));
    let limits = Limits { places: 1, change: 4 };
    let one = marked(Unit::Words, a.as_bytes(), b.as_bytes(), limits);
    let cut = |head: &str, tail: &str| Excerpt {
        head: head.to_owned(),
        rest: Some((26, tail.to_owned())),
    };
    let expected =
        [Piece::Deleted(cut("w0 w1", "w28 w29")), Piece::Inserted(cut("w100 w101", "w128 w129"))];
    assert_eq!(one.pieces, expected);
    assert_eq!((one.deleted, one.inserted, one.places, one.more), (30, 30, 1, 0));

    let same = words(0).join(" ");
    let (a, b) = (format!("x {same} x"), format!("y {same} y"));
    let two = marked(Unit::Words, a.as_bytes(), b.as_bytes(), limits);
    assert_eq!((two.places, two.more), (2, 1));
    assert!(!two.pieces.iter().any(|piece| matches!(piece, Piece::Gap(_))), "{two:?}");
}

/// What is left out is told apart; a change of it is none.
#[test]
fn what_is_left_out_is_told_apart() {
    let (a, b) = ("home news now 12 one two three foot", "home news now 34 one four three foot");
    let reason = |word: &str| match word {
        "one" | "two" | "three" => None,
        "home" => Some(LeftOut::Menu),
        _ => Some(LeftOut::Template),
    };
    let left_out: Vec<Option<LeftOut>> = a.split(' ').map(reason).collect();
    let shown = |limits| {
        let sides = [a, b].map(|text| (text.as_bytes().into(), &left_out[..]));
        marked_distinctive(Unit::Words, sides[0], sides[1], limits)
    };
    let marked = shown(Limits::DEFAULT);
    let text = |text: &str| Excerpt { head: text.to_owned(), rest: None };
    let expected = [
        Piece::LeftOut(LeftOut::Menu, "home".to_owned()),
        Piece::LeftOut(LeftOut::Template, "news now 12".to_owned()),
        Piece::Equal("one".to_owned()),
        Piece::Deleted(text("two")),
        Piece::Inserted(text("four")),
        Piece::Equal("three".to_owned()),
        Piece::LeftOut(LeftOut::Template, "foot".to_owned()),
    ];
    assert_eq!(marked.pieces, expected);
    assert_eq!((marked.deleted, marked.inserted, marked.places), (1, 1, 1));
    // Pages that are all left out do not differ.
    let all = [Some(LeftOut::Landmark); 8];
    let [a, b] = [a, b].map(|text| (text.as_bytes().into(), &all[..]));
    assert_eq!(marked_distinctive(Unit::Words, a, b, Limits::NONE).places, 0);
}
