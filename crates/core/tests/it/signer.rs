//! The signer against the definitions, on every kernel, and its edges.

#![expect(
    clippy::unwrap_used,
    clippy::float_cmp,
    reason = "exact values compare exactly; a failed unwrap is a failed test"
)]

use lookalike_core::filter::Filter;
use lookalike_core::recipe::{
    Candidates, Over, PRESETS, ProjectionParameters, SketchParameters, Verify,
};
use lookalike_core::shingle::{Counting, ShingleSet, Shingler};
use lookalike_core::sketch::{Bottom, ListOrder, Modular, mix_elements};
use lookalike_core::text::{Tokenizer, Unit, last_cut};
use lookalike_core::{Comparer, Kernel, Layout, Recipe, Signature, Signer, Similarity};
use lookalike_kernels::rabin::{FEATURES, TOKENS};
use lookalike_kernels::{Permutations, Projection, reference};
use proptest::prelude::*;

use crate::forced;

fn tokens_of(unit: Unit, text: &[u8]) -> Vec<u64> {
    let mut tokens = Vec::new();
    Tokenizer::new(unit).tokens(text, &mut tokens);
    tokens
}

fn mixed(seed: u64, mut values: Vec<u64>) -> Vec<u64> {
    mix_elements(Kernel::SCALAR, seed, &mut values);
    values
}

/// The elements of a document by the definition: windows, or one shingle of all tokens if there
/// are fewer; the i-th occurrence apart if they are counted.
fn naive_shingles(recipe: &Recipe, tokens: &[u64]) -> Vec<u64> {
    if tokens.is_empty() {
        return Vec::new();
    }
    let width = recipe.shingles.width.min(tokens.len());
    let mut shingles = reference::windows(TOKENS.tail(), width, tokens);
    if recipe.shingles.counting == Counting::Multiset {
        let plain = shingles.clone();
        for (i, shingle) in shingles.iter_mut().enumerate() {
            let before = plain[..i].iter().filter(|other| **other == plain[i]).count();
            if before > 0 {
                *shingle = reference::rabin_words(TOKENS.tail(), &[plain[i], before as u64]);
            }
        }
    }
    shingles
}

/// The whole signature by the definitions, for minwise sketches and projections.
fn naive_signature(recipe: &Recipe, text: &[u8]) -> Signature {
    let tokens = tokens_of(recipe.tokens, text);
    let shingles = naive_shingles(recipe, &tokens);
    let mut signature = Signature { tokens: tokens.len() as u64, ..Signature::default() };
    let [high, low] =
        [&TOKENS, &FEATURES].map(|rabin| reference::rabin_words(rabin.tail(), &tokens));
    signature.exact = u128::from(high) << 64 | u128::from(low);
    if let SketchParameters::Minwise { permutations } = recipe.sketch {
        let permutations = Permutations::new(permutations, recipe.seed);
        signature.sketch = reference::minima(&permutations, &mixed(recipe.seed, shingles.clone()));
    }
    if let Some(filter) = recipe.features {
        let groups = signature.sketch.chunks(filter.s() as usize).take(filter.k() as usize);
        let feature = |(group, minima): (usize, &[u64])| {
            reference::rabin_words(FEATURES.tail(), &[&[group as u64], minima].concat())
        };
        signature.features = groups.enumerate().map(feature).collect();
        if tokens.is_empty() {
            signature.features.fill(0);
        }
    }
    if let Some(projection) = recipe.projection {
        let units = if projection.over == Over::Tokens { tokens } else { shingles };
        let projector = Projection::new(projection.bits, recipe.seed);
        let bits = reference::project(&projector, &mixed(recipe.seed, units));
        let word = |bits: &[bool]| bits.iter().rev().fold(0, |w, &bit| w << 1 | u64::from(bit));
        signature.projection = bits.chunks(64).map(word).collect();
    }
    signature
}

fn recipes() -> impl Strategy<Value = Recipe> {
    let preset = proptest::sample::select(vec!["text", "henzinger-b", "henzinger-combined"]);
    let unit = proptest::sample::select(
        Unit::ALL.into_iter().filter(|unit| *unit != Unit::Items).collect::<Vec<_>>(),
    );
    (preset, unit, 1usize..12, any::<bool>(), any::<bool>(), 1usize..=16, 0..=u64::MAX / 2)
        .prop_map(|(preset, tokens, width, multiset, over_shingles, words, seed)| {
            let mut recipe = Recipe::preset(preset).unwrap();
            recipe.tokens = tokens;
            recipe.shingles.width = width;
            recipe.shingles.counting = if multiset { Counting::Multiset } else { Counting::Set };
            recipe.seed = seed;
            if let Some(projection) = &mut recipe.projection {
                projection.over = if over_shingles { Over::Shingles } else { Over::Tokens };
                projection.bits = 32 * words;
                (projection.agree, projection.agree_combined) = (1, 1);
            }
            recipe
        })
}

fn texts() -> impl Strategy<Value = Vec<u8>> {
    let words = proptest::collection::vec(
        "[a-c]{1,2}[.]?|[A-Z][a-z]{0,12}|[0-9]+|\n|\n\n|\u{4e00}",
        0..300,
    );
    prop_oneof![
        4 => words.prop_map(|words| words.join(" ").into_bytes()),
        1 => proptest::collection::vec(any::<u8>(), 0..500),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn every_kernel_signs_by_the_definitions(recipe in recipes(), a in texts(), b in texts()) {
        for kernel in Kernel::available() {
            let mut signer = Signer::with_kernel(&recipe, kernel).unwrap();
            // One after the other: nothing of the first document may show in the second.
            for text in [&a, &b, &a] {
                prop_assert_eq!(signer.sign(text), &naive_signature(&recipe, text));
            }
        }
    }

    #[test]
    fn other_sketches_are_by_the_definitions(text in texts(), seed in 0..=u64::MAX / 2) {
        let base = Recipe {
            seed,
            features: None,
            projection: Some(ProjectionParameters {
                bits: 64, over: Over::Tokens, agree: 60, agree_combined: 60, pieces: 5,
            }),
            candidates: Candidates::Projection,
            ..Recipe::default()
        };
        let elements = mixed(seed, naive_shingles(&base, &tokens_of(Unit::Words, &text)));
        let mut sorted = elements.clone();
        sorted.sort_unstable();
        sorted.dedup();

        let recipe = Recipe { sketch: SketchParameters::Bottom { size: 20 }, ..base.clone() };
        let mut smallest = sorted.clone();
        smallest.truncate(20);
        let mut signer = Signer::with_kernel(&recipe, forced()).unwrap();
        prop_assert_eq!(&signer.sign(&text).sketch, &smallest);
        let mut bottom = Bottom::new(20);
        elements.chunks(3).for_each(|part| bottom.push(part));
        prop_assert_eq!(bottom.elements(), &smallest);

        for size in [None, Some(10), Some(1)] {
            let sketch = SketchParameters::Modular { modulus: 6, size };
            let mut signer =
                Signer::with_kernel(&Recipe { sketch, ..base.clone() }, forced()).unwrap();
            let mut modulus = 6;
            let mut multiples = sorted.clone();
            multiples.retain(|x| x % modulus == 0);
            while multiples.len() > size.unwrap_or(usize::MAX) {
                modulus *= 2;
                multiples.retain(|x| x % modulus == 0);
            }
            // Twice: nothing of the first document may show in the second.
            for _ in 0..2 {
                let signature = signer.sign(&text);
                prop_assert_eq!(signature.sketch[0], modulus);
                prop_assert_eq!(&signature.sketch[1..], &multiples);
            }
            let mut modular = Modular::new(6).at_most(size.unwrap_or(usize::MAX));
            elements.chunks(3).for_each(|part| modular.push(part));
            prop_assert_eq!(modular.elements(), &multiples);
        }
    }

    #[test]
    fn recipes_survive_their_files(recipe in recipes()) {
        prop_assert_eq!(Recipe::from_toml(&recipe.to_toml()).unwrap(), recipe);
    }

    #[test]
    fn signatures_survive_their_encoding(
        recipe in recipes(),
        text in texts(),
        (keep, keep_exact) in any::<(bool, bool)>(),
    ) {
        let recipe = Recipe { keep_sketch: keep, keep_exact, ..recipe };
        let mut signature = Signer::with_kernel(&recipe, forced()).unwrap().sign(&text).clone();
        let layout = Layout::of(&recipe);
        let mut bytes = Vec::new();
        layout.encode(&signature, &mut bytes);
        prop_assert_eq!(bytes.len(), layout.bytes());
        if !keep {
            signature.sketch.clear();
        }
        let whole = signature.clone();
        layout.reduce(&mut signature);
        prop_assert_eq!(layout.exact_of(&whole), signature.exact);
        prop_assert_eq!(signature.is_empty(), whole.is_empty());
        prop_assert_eq!(signature == whole, keep_exact);
        if whole.is_empty() {
            prop_assert!(layout.decode(&bytes).is_some_and(|found| found.is_empty()));
        } else {
            prop_assert_eq!(layout.decode(&bytes), Some(signature));
        }
        prop_assert_eq!(layout.decode(&bytes[1..]), None);
    }

    #[test]
    fn comparisons_are_symmetric_and_exact(a in texts(), b in texts()) {
        let recipe = Recipe::preset("henzinger-combined").unwrap();
        let mut comparer = Comparer::with_kernel(&recipe, forced()).unwrap();
        let (there, back) = (comparer.compare(&a, &b), comparer.compare(&b, &a));
        prop_assert_eq!(there.overlap.common, back.overlap.common);
        prop_assert_eq!(there.overlap.containment_a(), back.overlap.containment_b());
        prop_assert_eq!(there.term_difference, back.term_difference);
        prop_assert_eq!(there.estimate, back.estimate);
        prop_assert_eq!(there.c_similarity, back.c_similarity);
        let set = |text: &[u8]| -> std::collections::BTreeSet<u64> {
            naive_shingles(&recipe, &tokens_of(Unit::Words, text)).into_iter().collect()
        };
        let (set_a, set_b) = (set(&a), set(&b));
        let union = set_a.union(&set_b).count();
        let naive = if union == 0 { 0.0 } else { set_a.intersection(&set_b).count() as f64 / union as f64 };
        prop_assert_eq!(there.overlap.resemblance(), naive);
        prop_assert_eq!(there.same_tokens, there.term_difference == 0);
    }
}

/// As many features as a low threshold takes, and as there may be.
#[test]
fn filters_of_many_features_sign_by_the_definitions() {
    let text = "The keeper read the glass at four, and again at eight; it had not moved.".repeat(2);
    for (k, s) in [(198, 4), (369, 4), (255, 5), (4096, 1)] {
        let recipe = Recipe {
            features: Some(Filter::new(k, s, 1).unwrap()),
            sketch: SketchParameters::Minwise { permutations: (k * s) as usize },
            ..Recipe::preset("noisy").unwrap()
        };
        let layout = Layout::of(&recipe);
        for text in [text.as_bytes(), b"glass", b""] {
            let naive = naive_signature(&recipe, text);
            assert_eq!(naive.features.len(), k as usize);
            let mut bytes = Vec::new();
            layout.encode(&naive, &mut bytes);
            assert_eq!(layout.decode(&bytes).unwrap().features, naive.features);
            for kernel in Kernel::available() {
                let mut signer = Signer::with_kernel(&recipe, kernel).unwrap();
                assert!(
                    *signer.sign(text) == naive,
                    "[{k}, {s}, 1] of {text:?}, {}",
                    kernel.name()
                );
            }
        }
    }
}

#[test]
fn every_preset_signs_and_compares_itself_as_equal() {
    let text = b"It was the best of times, it was the worst of times, it was the age of wisdom";
    for name in PRESETS {
        let recipe = Recipe::preset(name).unwrap();
        let pair = Comparer::with_kernel(&recipe, forced()).unwrap().compare(text, text);
        assert_eq!(pair.overlap.resemblance(), 1.0);
        assert!(pair.same_tokens && pair.term_difference == 0);
        assert!(pair.estimate.is_none_or(|estimate| estimate == 1.0), "{name}");
        let k = recipe.features.map(|filter| filter.k() as usize);
        assert_eq!(pair.b_similarity, k, "{name}");
        assert_eq!(pair.c_similarity, recipe.projection.map(|p| p.bits), "{name}");
    }
}

#[test]
fn an_empty_document_resembles_nothing() {
    for name in PRESETS {
        let recipe = Recipe::preset(name).unwrap();
        let mut comparer = Comparer::with_kernel(&recipe, forced()).unwrap();
        for (a, b) in [("", ""), ("", "words"), ("...", " \n"), ("\u{201c}\u{201d}", "")] {
            let pair = comparer.compare(a.as_bytes(), b.as_bytes());
            assert_eq!(pair.overlap.resemblance(), 0.0);
            assert!(pair.estimate.is_none_or(|estimate| estimate == 0.0), "{name}");
            assert!(pair.b_similarity.is_none_or(|b| b == 0), "{name}");
            assert!(pair.c_similarity.is_none_or(|c| c == 0), "{name}");
            assert!(pair.repeats_in_common.is_none_or(|n| n == 0), "{name}");
        }
    }
}

#[test]
fn documents_shorter_than_a_shingle_are_one_shingle() {
    let mut comparer =
        Comparer::with_kernel(&Recipe::preset("henzinger-b").unwrap(), forced()).unwrap();
    let pair = comparer.compare(b"only four words here", b"Only four words, here!");
    assert_eq!((pair.overlap.a, pair.overlap.b, pair.overlap.common), (1, 1, 1));
    let pair = comparer.compare(b"only four words here", b"only four words there");
    assert_eq!(pair.overlap.common, 0, "short documents do not collapse into one");
    assert_eq!(pair.b_similarity, Some(0));
    let recipe = Recipe {
        shingles: lookalike_core::recipe::Shingles { width: 4096, counting: Counting::Set },
        ..Recipe::default()
    };
    let pair = Comparer::with_kernel(&recipe, forced()).unwrap().compare(b"a b c", b"a b c");
    assert_eq!(pair.overlap.common, 1);
}

#[test]
fn a_hundred_megabytes_of_one_word_take_a_moment() {
    let text = b"word ".repeat(20_000_000);
    let recipe = Recipe::preset("henzinger-combined").unwrap();
    let mut signer = Signer::with_kernel(&recipe, forced()).unwrap();
    let signature = signer.sign(&text).clone();
    assert_eq!(signature.tokens, 20_000_000);
    // One distinct shingle: the sketch is that of eight words.
    assert_eq!(signer.sign(&text[..40]).sketch, signature.sketch);
    assert_eq!(signer.sign(&text[..40]).projection, signature.projection);
    // And one word of a hundred megabytes.
    assert_eq!(signer.sign(&vec![b'x'; 100_000_000]).tokens, 1);
}

#[test]
fn broken_text_has_a_defined_signature() {
    let recipe = Recipe::default();
    let mut signer = Signer::with_kernel(&recipe, forced()).unwrap();
    let plain = signer.sign(b"one two three four five six").clone();
    // Bytes that are no UTF-8 and a lone surrogate separate words, as spaces do.
    assert_eq!(signer.sign(b"one\xfftwo\xc3 three\xed\xa0\x80four five\x80six"), &plain);
    for text in [&b"\xff\xfe\xfd"[..], b"\0\0\0", "\u{fffd}\u{1f600}".as_bytes()] {
        assert!(signer.sign(text).is_empty());
    }
}

#[test]
fn items_are_sets_of_anything() {
    let mut recipe = Recipe::default();
    recipe.shingles.width = 1;
    let mut signer = Signer::with_kernel(&recipe, forced()).unwrap();
    let a = signer.sign_items((0..5000u32).map(u32::to_be_bytes)).clone();
    let b = signer.sign_items((0..5000u32).rev().map(u32::to_be_bytes)).clone();
    assert_eq!(a.sketch, b.sketch, "the order of items does not matter");
    assert_ne!(a.exact, b.exact, "but it makes another sequence");
    let similarity = Similarity::new(Kernel::best(), &recipe);
    let c = signer.sign_items((1000..5000u32).map(u32::to_be_bytes));
    let estimate = similarity.estimate(&a, c).unwrap();
    assert!((estimate - 0.8).abs() < 4.5 * (0.8 * 0.2 / 91.0f64).sqrt(), "{estimate}");
}

#[test]
fn tokens_in_blocks_are_tokens_at_once() {
    let tokens: Vec<u64> = (0..10_000).map(|i| TOKENS.bytes(&[i as u8, (i >> 8) as u8])).collect();
    for width in [1, 5, 8, 9, 100] {
        let mut shingler = Shingler::new(Kernel::best(), width, Counting::Multiset);
        let whole = ShingleSet::of_tokens(&mut shingler, &tokens);
        let mut parts = Vec::new();
        for part in tokens.chunks(37) {
            shingler.push(part, |block| parts.extend_from_slice(block));
        }
        shingler.finish(|block| parts.extend_from_slice(block));
        assert_eq!(parts.len(), tokens.len() - width + 1);
        assert_eq!(ShingleSet::new(parts), whole);
    }
}

#[test]
fn a_secret_seed_changes_everything_but_the_exact_fingerprint() {
    let text = b"one two three four five six seven eight nine ten eleven twelve";
    let recipe = Recipe::preset("henzinger-combined").unwrap();
    let seeded = Recipe { seed: 1, ..recipe.clone() };
    let a = Signer::with_kernel(&recipe, forced()).unwrap().sign(text).clone();
    let b = Signer::with_kernel(&seeded, forced()).unwrap().sign(text).clone();
    assert_eq!(a.exact, b.exact);
    assert!(a.features.iter().zip(&b.features).all(|(a, b)| a != b));
    assert!(Kernel::best().hamming(&a.projection, &b.projection) > 100);
    let pugh = Recipe::preset("pugh").unwrap();
    let a = Signer::with_kernel(&pugh, forced()).unwrap().sign(text).clone();
    let b = Signer::with_kernel(&Recipe { seed: 1, ..pugh }, forced()).unwrap().sign(text).clone();
    assert_ne!(a.sketch, b.sketch);
}

#[test]
fn bags_ignore_order_within_a_list() {
    let with = |order| {
        let sketch =
            SketchParameters::Lists { lists: 4, repeats: 3, agree: 1, order, over: Over::Tokens };
        Recipe { sketch, ..Recipe::preset("pugh").unwrap() }
    };
    let (there, back) = (b"a b c d e f g h i j k l", b"l k j i h g f e d c b a");
    let mut signer = Signer::with_kernel(&with(ListOrder::Bag), forced()).unwrap();
    let bag = signer.sign(there).clone();
    assert_eq!(bag.sketch, signer.sign(back).sketch);
    assert_ne!(bag.sketch, signer.sign(b"a b c d e f g h i j k l l").sketch, "but not counts");
    let mut signer = Signer::with_kernel(&with(ListOrder::Sequence), forced()).unwrap();
    assert_ne!(signer.sign(there).clone().sketch, signer.sign(back).sketch);
}

#[test]
fn verification_is_off_in_the_papers_presets() {
    for name in PRESETS {
        let verify = Recipe::preset(name).unwrap().verify;
        assert_eq!(verify == Verify::None, !["text", "pages", "noisy"].contains(&name), "{name}");
    }
}

#[test]
fn texts_in_pieces_have_the_signature_of_the_whole() {
    let text = "One line.\nTwo  lines, and a https://example.org/a.b c\u{301} end\n中文。也 行\n"
        .repeat(300);
    for name in PRESETS {
        let recipe = Recipe::preset(name).unwrap();
        let mut signer = Signer::with_kernel(&recipe, forced()).unwrap();
        let whole = signer.sign(text.as_bytes()).clone();
        let mut rest = text.as_bytes();
        while let Some(cut) = last_cut(recipe.tokens, &rest[..rest.len().min(700)]) {
            signer.push(&rest[..cut]);
            rest = &rest[cut..];
        }
        signer.push(rest);
        assert_eq!(*signer.finish(), whole, "{name}");
    }
}
