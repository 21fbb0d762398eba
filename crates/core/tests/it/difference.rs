//! The difference against a naive longest common subsequence.

use lookalike_core::difference::{
    Bounded, BoundedDifference, Difference, Excerpt, Hunk, Limits, Piece, Sequence, difference,
    hunks, marked, marked_distinctive, term_difference,
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

/// A sequence that is read in blocks of this many tokens.
struct InBlocks<'a>(&'a [u64], usize);

impl Sequence for InBlocks<'_> {
    type Error = String;

    fn tokens(&self) -> u64 {
        self.0.len() as u64
    }

    fn from(&mut self, at: u64) -> Result<&[u64], String> {
        let at = usize::try_from(at).map_err(|error| error.to_string())?;
        let end = (at / self.1 + 1) * self.1;
        self.0.get(at..end.min(self.0.len())).ok_or_else(|| format!("{at} is behind the end"))
    }
}

/// Some words, and the same with stretches replaced, taken out or put in.
fn two_versions() -> impl Strategy<Value = [Vec<u64>; 2]> {
    let symbols = prop::sample::select(vec![1_u64, 2, 3, 10, 1000]);
    let text = move |symbols: u64, length: usize| prop::collection::vec(0..symbols, 0..length);
    let edit = symbols
        .clone()
        .prop_flat_map(move |symbols| (any::<prop::sample::Index>(), 0_usize..5, text(symbols, 5)));
    let edits = prop::collection::vec(edit, 0..6);
    (symbols.prop_flat_map(move |symbols| text(symbols, 80)), edits).prop_map(|(a, edits)| {
        let mut b = a.clone();
        for (at, length, put) in edits {
            let at = at.index(b.len() + 1);
            let end = (at + length).min(b.len());
            b.splice(at..end, put);
        }
        [a, b]
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_bound_is_kept_to_the_token(
        [a, b] in two_versions(),
        most in 0_u64..60,
        blocks in [1_usize..20, 1_usize..20],
    ) {
        let terms = (a.len() + b.len() - 2 * naive_lcs(&a, &b)) as u64;
        let expected = if terms <= most { Bounded::Terms(terms) } else { Bounded::More };
        let mut finder = BoundedDifference::default();
        prop_assert_eq!(finder.of_slices(&a, &b, most), expected);
        prop_assert_eq!(finder.of_slices(&b, &a, most), expected);
        let [mut x, mut y] = [InBlocks(&a, blocks[0]), InBlocks(&b, blocks[1])];
        prop_assert_eq!(finder.of(&mut x, &mut y, most), Ok(expected));
        prop_assert_eq!(finder.of_slices(&a, &b, terms), Bounded::Terms(terms));
        prop_assert_eq!(finder.of_slices(&a, &b, u64::MAX), Bounded::Terms(terms));
    }
}

/// What cannot be read ends it, and nothing is made up.
#[test]
fn a_fault_is_handed_on() {
    struct Broken;
    impl Sequence for Broken {
        type Error = &'static str;
        fn tokens(&self) -> u64 {
            10
        }
        fn from(&mut self, at: u64) -> Result<&[u64], Self::Error> {
            if at == 0 { Ok(&[1, 2, 3]) } else { Err("a broken disk") }
        }
    }
    let found = BoundedDifference::default().of(&mut Broken, &mut Broken, 5);
    assert_eq!(found, Err("a broken disk"));
}

#[test]
fn long_documents_end_in_bounded_time() {
    let mut finder = BoundedDifference::default();
    // Alike, and long: one pass.
    let mut long: Vec<u64> = random(1, 2_000_000, 50_000);
    let text = long.clone();
    for at in [3, 500_000, 1_999_999] {
        long[at] = u64::MAX;
    }
    assert_eq!(finder.of_slices(&text, &long, 400_000), Bounded::Terms(6));
    // Nothing alike: the buckets say so.
    let other: Vec<u64> = text.iter().map(|token| token + 1_000_000).collect();
    assert_eq!(finder.of_slices(&text, &other, 400_000), Bounded::More);
    // The same words in another order: that takes the walk, which has an end.
    let mut turned = text;
    turned.reverse();
    assert_eq!(finder.of_slices(&long, &turned, 400_000), Bounded::Undecided);
    assert_eq!(finder.of_slices(&long[..20_000], &turned[1_980_000..], 4_000), Bounded::More);
    // One word over and over, but for the ends.
    let mut same = vec![7; 2_000_000];
    let mut others = same.clone();
    same.push(1);
    others.insert(0, 1);
    assert_eq!(finder.of_slices(&same, &others, 400_000), Bounded::Terms(2));
    let many = |first: u64, second: u64, counts: [usize; 2]| {
        [vec![first; counts[0]], vec![second; counts[1]]].concat()
    };
    let (a, b) = (many(7, 8, [2_000_000, 1000]), many(8, 7, [1000, 2_000_000]));
    assert_eq!(finder.of_slices(&a, &b, 400_000), Bounded::Terms(2000));
    assert_eq!(finder.of_slices(&a, &b, 1999), Bounded::More);
}
