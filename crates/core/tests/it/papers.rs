//! What the papers work out by hand.

#![expect(clippy::float_cmp, reason = "small fractions compare exactly")]

use lookalike_core::resemblance::Overlap;
use lookalike_core::shingle::{Counting, ShingleSet, Shingler};
use lookalike_core::sketch::{MinwiseSketch, minima_under};
use lookalike_core::text::{Tokenizer, Unit};
use lookalike_core::{Kernel, Recipe, Signer};
use lookalike_kernels::rabin::TOKENS;

use crate::forced;

fn shingles(text: &str, width: usize, counting: Counting) -> ShingleSet {
    let mut tokens = Vec::new();
    Tokenizer::new(Unit::Words).tokens(text.as_bytes(), &mut tokens);
    ShingleSet::of_tokens(&mut Shingler::new(Kernel::best(), width, counting), &tokens)
}

/// The fingerprint of a shingle given as its words.
fn shingle(words: &str) -> u64 {
    let tokens: Vec<u64> = words.split(' ').map(|word| TOKENS.bytes(word.as_bytes())).collect();
    TOKENS.words(&tokens)
}

fn set_of(listed: &[&str]) -> ShingleSet {
    ShingleSet::new(listed.iter().map(|words| shingle(words)).collect())
}

#[test]
fn broder_the_four_shingling_of_a_rose() {
    let rose = "a rose is a rose is a rose";
    let expected = set_of(&["a rose is a", "rose is a rose", "is a rose is"]);
    assert_eq!(shingles(rose, 4, Counting::Set), expected);
    assert_eq!(expected.len(), 3);
    // As a multiset the first two count twice.
    assert_eq!(shingles(rose, 4, Counting::Multiset).len(), 5);
}

#[test]
fn radinsky_the_four_shingling_of_inigo_montoya() {
    let text = "My name is Inigo Montoya. You killed my father. Prepare to die";
    let expected = set_of(&[
        "my name is inigo",
        "name is inigo montoya",
        "is inigo montoya you",
        "inigo montoya you killed",
        "montoya you killed my",
        "you killed my father",
        "killed my father prepare",
        "my father prepare to",
        "father prepare to die",
    ]);
    assert_eq!(shingles(text, 4, Counting::Set), expected);
}

fn resemblance(a: &[u64], b: &[u64]) -> f64 {
    let set = |elements: &[u64]| ShingleSet::new(elements.to_vec());
    Overlap::of(Kernel::best(), &set(a), &set(b)).resemblance()
}

#[test]
fn radinsky_the_columns_of_a_matrix() {
    // Rows 2, 3 and 5 of the first column; rows 1, 3, 5 and 6 of the second.
    assert_eq!(resemblance(&[2, 3, 5], &[1, 3, 5, 6]), 2.0 / 5.0);
}

#[test]
fn radinsky_signatures_of_three_permutations() {
    let columns: [&[u64]; 3] = [&[1, 3, 4], &[2, 5], &[1, 2, 4]];
    // A permutation lists the rows in their new order; the signature is the first row met.
    let orders: [[u64; 5]; 3] = [[1, 2, 3, 4, 5], [5, 4, 3, 2, 1], [3, 4, 5, 1, 2]];
    let ranks =
        orders.map(|order| move |row: u64| order.iter().position(|&r| r == row).unwrap() as u64);
    let sketches: Vec<MinwiseSketch> =
        columns.iter().map(|column| minima_under(&ranks, column.iter().copied())).collect();
    let rows = |sketch: &MinwiseSketch| -> Vec<u64> {
        sketch.minima().iter().zip(orders).map(|(&rank, order)| order[rank as usize]).collect()
    };
    assert_eq!(sketches.iter().map(rows).collect::<Vec<_>>(), [[1, 4, 3], [2, 5, 5], [1, 4, 4]]);

    for ((a, b), (of_columns, of_signatures)) in
        [(0, 1), (0, 2), (1, 2)].into_iter().zip([(0.0, 0.0), (0.5, 2.0 / 3.0), (0.25, 0.0)])
    {
        assert_eq!(resemblance(columns[a], columns[b]), of_columns);
        let estimate = sketches[a].resemblance(&sketches[b], Kernel::best()).unwrap();
        assert!((estimate - of_signatures).abs() < 1e-12, "{a} {b}");
    }
}

#[test]
fn radinsky_one_pass_over_the_rows() {
    let hashes: [fn(u64) -> u64; 2] = [|x| x % 5, |x| (2 * x + 1) % 5];
    let slots = |rows: &[u64]| minima_under(&hashes, rows.iter().copied()).minima().to_vec();
    assert_eq!(slots(&[1, 3, 4]), [1, 2]);
    assert_eq!(slots(&[2, 3, 5]), [0, 0]);
    // The slots after each row, as the slides show them.
    assert_eq!(slots(&[1]), [1, 3]);
    assert_eq!(slots(&[2]), [2, 0]);
    assert_eq!(slots(&[2, 3]), [2, 0]);
}

#[test]
fn broder_a_signature_of_features_takes_under_fifty_bytes() {
    let recipe = Recipe::preset("altavista").unwrap();
    assert_eq!(
        8 * Signer::with_kernel(&recipe, forced()).unwrap().sign(b"a rose").features.len(),
        48
    );
}

#[test]
fn henzinger_signatures_take_48_bytes_for_each_algorithm() {
    let recipe = Recipe::preset("henzinger-combined").unwrap();
    let mut signer = Signer::with_kernel(&recipe, forced()).unwrap();
    let signature = signer.sign(b"one two three four five six seven eight nine");
    assert_eq!(signature.features.len(), 6);
    assert_eq!(signature.sketch.len(), 84);
    assert_eq!(signature.projection_bytes(&recipe).len(), 48);
    assert_eq!(lookalike_core::Layout::of(&recipe).bytes(), 116);
}

#[test]
fn henzinger_algorithm_c_ignores_order_and_algorithm_b_does_not() {
    let recipe = Recipe::preset("henzinger-combined").unwrap();
    let mut signer = Signer::with_kernel(&recipe, forced()).unwrap();
    let a = signer.sign(b"one two three four five six seven eight nine ten").clone();
    let b = signer.sign(b"ten nine eight seven six five four three two one").clone();
    assert_eq!(a.projection, b.projection);
    assert_ne!(a.features, b.features);
    assert_ne!(a.exact, b.exact);
}

#[test]
fn pugh_an_edit_changes_one_list() {
    let recipe = Recipe::preset("pugh").unwrap();
    let mut signer = Signer::with_kernel(&recipe, forced()).unwrap();
    let text: Vec<String> = (0..200).map(|i| format!("word{}", i % 50)).collect();
    let a = signer.sign(text.join(" ").as_bytes()).clone();
    // All occurrences of one word removed: one edit.
    let edited: Vec<&str> = text.iter().map(String::as_str).filter(|w| *w != "word7").collect();
    let b = signer.sign(edited.join(" ").as_bytes()).clone();
    for (a, b) in a.sketch.chunks(4).zip(b.sketch.chunks(4)) {
        assert_eq!(a.iter().zip(b).filter(|(a, b)| a != b).count(), 1);
    }
    // Replacing one word by another: two edits, two lists at most.
    let replaced = text.join(" ").replace("word7 ", "other ");
    let c = signer.sign(replaced.as_bytes());
    for (a, c) in a.sketch.chunks(4).zip(c.sketch.chunks(4)) {
        assert!((1..=2).contains(&a.iter().zip(c).filter(|(a, c)| a != c).count()));
    }
}
