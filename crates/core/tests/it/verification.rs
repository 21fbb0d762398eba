//! What decides cannot be forged: codes tell words apart whose fingerprints are the same, and say
//! the same of all others.

use lookalike_core::shingle::{Counting, ShingleSet, Shingler};
use lookalike_core::text::{KeyedTokenizer, Token, Tokenizer, Unit, keyed_spans};
use lookalike_core::{Code, Comparer, Kernel, Recipe, Signer, VerificationKey};
use lookalike_kernels::rabin::TOKENS;
use proptest::prelude::*;

fn key(number: u8) -> VerificationKey {
    VerificationKey::from_bytes([number; 16])
}

fn tokens(unit: Unit, text: &[u8]) -> Vec<Token> {
    let mut tokens = Vec::new();
    Tokenizer::new(unit).tokens(text, &mut tokens);
    tokens
}

fn keyed(unit: Unit, kernel: Kernel, text: &[u8]) -> (Vec<Token>, Vec<Code>) {
    let (mut tokens, mut codes) = (Vec::new(), Vec::new());
    KeyedTokenizer::new(unit, kernel, &key(7)).tokens(text, &mut tokens, &mut codes);
    (tokens, codes)
}

/// What letters `choices` have to be changed for a string to get this value, if `value` is affine in
/// the changes: Gauss's elimination over GF(2).
fn solve(target: u64, mut value: impl FnMut(&[bool]) -> u64, choices: usize) -> Option<Vec<bool>> {
    let origin = value(&vec![false; choices]);
    let mut basis: Vec<(u64, Vec<bool>)> = Vec::new();
    let reduce = |mut value: u64, mut made_of: Vec<bool>, basis: &[(u64, Vec<bool>)]| {
        for (of, with) in basis {
            if value >> of.ilog2() & 1 == 1 {
                value ^= of;
                made_of.iter_mut().zip(with).for_each(|(a, b)| *a ^= b);
            }
        }
        (value, made_of)
    };
    for choice in 0..choices {
        let mut made_of = vec![false; choices];
        made_of[choice] = true;
        let column = value(&made_of) ^ origin;
        let (column, made_of) = reduce(column, made_of, &basis);
        if column != 0 {
            basis.push((column, made_of));
            basis.sort_by_key(|(value, _)| std::cmp::Reverse(*value));
        }
    }
    let (rest, made_of) = reduce(target ^ origin, vec![false; choices], &basis);
    (rest == 0).then_some(made_of)
}

/// Letters of `h` to `o`, which have three free bits each.
fn letters(changes: &[bool]) -> Vec<u8> {
    let letter = |bits: &[bool]| {
        bits.iter().enumerate().fold(b'h', |letter, (bit, set)| letter ^ u8::from(*set) << bit)
    };
    changes.chunks(3).map(letter).collect()
}

/// Another word with the fingerprint of this one.
fn forged_word(word: &str) -> String {
    let changes = solve(TOKENS.bytes(word.as_bytes()), |c| TOKENS.bytes(&letters(c)), 3 * 23);
    String::from_utf8(letters(&changes.expect("69 free bits for 64 equations"))).expect("letters")
}

const VICTIM: &str = "the committee will meet on tuesday to discuss the budget for the coming year";

fn forged_text() -> String {
    VICTIM.split(' ').map(forged_word).collect::<Vec<_>>().join(" ")
}

/// Five words of five letters whose public shingle is that of five others.
fn forged_shingle() -> String {
    let shingle = |words: &[u8]| {
        let tokens: Vec<Token> = words.chunks(5).map(|word| TOKENS.bytes(word)).collect();
        TOKENS.words(&tokens)
    };
    let target = TOKENS.words(&tokens(Unit::Words, b"one two three four five"));
    let changes =
        solve(target, |changes| shingle(&letters(changes)), 3 * 25).expect("75 free bits");
    let words = letters(&changes);
    let words: Vec<&str> =
        words.chunks(5).map(|word| std::str::from_utf8(word).expect("letters")).collect();
    words.join(" ")
}

#[test]
fn forged_words_have_their_victims_tokens_and_other_codes() {
    let (forged, victim) = (forged_text(), VICTIM);
    assert_ne!(forged, victim);
    assert_eq!(tokens(Unit::Words, forged.as_bytes()), tokens(Unit::Words, victim.as_bytes()));
    for unit in [Unit::Words, Unit::Lines] {
        for kernel in Kernel::available() {
            let [(_, a), (_, b)] =
                [&forged, victim].map(|text| keyed(unit, kernel, text.as_bytes()));
            assert_eq!(a.len(), b.len());
            assert!(a.iter().zip(&b).all(|(a, b)| a != b), "{unit:?}");
        }
    }
}

#[test]
fn forged_documents_are_of_no_identity_set() {
    let recipe = Recipe::preset("text").unwrap();
    let forged = forged_text();
    let mut public = Signer::new(&recipe).unwrap();
    let exact = public.sign(forged.as_str()).clone();
    assert_eq!(&exact, public.sign(VICTIM), "the attack works on public fingerprints");
    for number in 0..10 {
        let mut signer = Signer::keyed(&recipe, Kernel::best(), &key(number)).unwrap();
        let forged = signer.sign(forged.as_str()).clone();
        let victim = signer.sign(VICTIM).clone();
        assert_eq!(forged.features, victim.features, "still a candidate");
        assert_ne!(forged.identity, victim.identity);
        assert_eq!(signer.sign("The committee, will MEET").identity, {
            let mut again = Signer::keyed(&recipe, Kernel::SCALAR, &key(number)).unwrap();
            again.sign("the committee will meet").identity
        });
    }
}

#[test]
fn a_sequence_that_vanishes_modulo_the_public_polynomials_is_another_document() {
    // The difference of two sequences of the words `a` and `b` is divisible by both public
    // polynomials if their places are the coefficients of the product.
    let product = [TOKENS.tail(), lookalike_kernels::rabin::FEATURES.tail()]
        .map(|tail| (0..=64).map(|bit| bit == 64 || tail >> bit & 1 == 1).collect::<Vec<_>>());
    let mut places = [false; 129];
    for (i, _) in product[0].iter().enumerate().filter(|(_, set)| **set) {
        for (j, _) in product[1].iter().enumerate().filter(|(_, set)| **set) {
            places[i + j] ^= true;
        }
    }
    places.reverse();
    let text = |words: [&str; 2]| {
        let word = |set: &bool| words[usize::from(*set)].to_owned();
        places.iter().map(word).collect::<Vec<_>>().join(" ")
    };
    // By Frobenius, x^64 takes the place of x.
    let (one, other) = (text(["a", "a"]), text(["a", "b"]));
    let recipe = Recipe::preset("text").unwrap();
    let mut public = Signer::new(&recipe).unwrap();
    let [a, b] = [&one, &other].map(|text| public.sign(text.as_str()).exact);
    assert_eq!(a, b, "the attack works on public fingerprints");
    let mut signer = Signer::keyed(&recipe, Kernel::best(), &key(1)).unwrap();
    let [a, b] = [&one, &other].map(|text| signer.sign(text.as_str()).identity);
    assert_ne!(a, b);
}

#[test]
fn forged_shingles_are_of_no_set() {
    let forged = forged_shingle();
    let set = |shingler: &mut Shingler, tokens: &[u64]| ShingleSet::of_tokens(shingler, tokens);
    let mut public = Shingler::new(Kernel::best(), 5, Counting::Set);
    let [a, b] = [forged.as_str(), "one two three four five"];
    assert_eq!(
        set(&mut public, &tokens(Unit::Words, a.as_bytes())),
        set(&mut public, &tokens(Unit::Words, b.as_bytes())),
        "the attack works on public shingles"
    );
    let mut comparer = Comparer::new(&Recipe::preset("text").unwrap()).unwrap();
    let comparison = comparer.compare(a, b);
    assert_eq!((comparison.overlap.common, comparison.same_tokens), (0, false));
    assert_eq!(comparison.term_difference, 10);
}

#[test]
fn comparisons_see_through_forgeries() {
    let forged = forged_text();
    let near = format!("{VICTIM} and the repairs of the roof");
    for recipe in ["text", "henzinger-combined"] {
        let mut comparer = Comparer::new(&Recipe::preset(recipe).unwrap()).unwrap();
        let comparison = comparer.compare(forged.as_str(), VICTIM);
        assert_eq!(comparison.overlap.common, 0);
        assert!(!comparison.same_tokens && comparison.term_difference > 0);
        assert_eq!(comparer.compare(forged.as_str(), near.as_str()).overlap.common, 0);
    }
}

#[test]
fn resemblance_does_not_depend_on_the_key() {
    let texts = [VICTIM.to_owned(), format!("{VICTIM} and all the other years that follow it")];
    for counting in [Counting::Set, Counting::Multiset] {
        let overlaps: Vec<_> = (0..10)
            .map(|number| {
                let mut shingler = Shingler::keyed(Kernel::best(), 3, counting, &key(number));
                let [a, b] = [0, 1].map(|side: usize| {
                    let mut codes = Vec::new();
                    KeyedTokenizer::new(Unit::Words, Kernel::best(), &key(number))
                        .codes(texts[side].as_str(), &mut codes);
                    ShingleSet::of_tokens(&mut shingler, &codes)
                });
                lookalike_core::resemblance::Overlap::of(Kernel::best(), &a, &b)
            })
            .collect();
        let mut public = Shingler::new(Kernel::best(), 3, counting);
        let [a, b] = [0, 1].map(|side: usize| {
            ShingleSet::of_tokens(&mut public, &tokens(Unit::Words, texts[side].as_bytes()))
        });
        let expected = lookalike_core::resemblance::Overlap::of(Kernel::best(), &a, &b);
        assert!(overlaps.iter().all(|overlap| *overlap == expected), "{overlaps:?}");
    }
}

fn any_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => "[a-zA-Z0-9]{1,20}",
        4 => "[ .,\n\t]{1,3}",
        2 => "https://[a-z./]{1,60}",
        4 => "[\u{400}-\u{4ff}]{1,20}",
        2 => "[\u{e0}-\u{ff}a-z]{1,20}",
        1 => "[\u{4e00}-\u{4eff}\u{e01}-\u{e30}]{1,8}",
        1 => "[\u{900}-\u{97f}\u{300}-\u{310}\u{ad}]{1,12}",
        1 => "\\PC{1,8}",
    ];
    proptest::collection::vec(piece, 0..120).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn keyed_tokens_are_tokens_and_codes_follow_them(text in any_text()) {
        for unit in Unit::ALL {
            let expected = tokens(unit, text.as_bytes());
            let spans = keyed_spans(unit, text.as_str(), &key(7));
            for kernel in Kernel::available() {
                let (found, codes) = keyed(unit, kernel, text.as_bytes());
                prop_assert_eq!(&found, &expected);
                prop_assert!(spans.iter().map(|span| span.token).eq(codes.iter().copied()));
                for (i, a) in found.iter().enumerate() {
                    for (j, b) in found.iter().enumerate() {
                        prop_assert_eq!(a == b, codes[i] == codes[j]);
                    }
                }
            }
        }
    }
}

#[test]
fn codes_are_those_of_the_words() {
    let key = key(7);
    let words = [
        "a",
        "sevenxx",
        "eightxxx",
        "exactlysixteenxx",
        "\u{43f}\u{440}\u{438}\u{432}\u{435}\u{442}",
    ];
    let text = format!("{} \u{4e2d}", words.join(" "));
    let (_, codes) = keyed(Unit::Words, Kernel::best(), text.as_bytes());
    let expected = words.iter().chain(&["\u{4e2d}"]).map(|word| key.code(word.as_bytes()));
    assert!(codes.into_iter().eq(expected));
}

/// Words longer than any buffer, at every place of a block, alone and in blocks of others.
#[test]
fn very_long_words_have_codes_too() {
    let key = key(7);
    for letter in ["x", "\u{44f}"] {
        for length in [40, 4000, 16_380, 16_384, 32_700, 32_768, 40_000, 100_000] {
            for before in [0, 1, 2047, 2048, 5000] {
                let (long, short) =
                    (letter.repeat(length), format!("{}{letter} ", letter.repeat(9)));
                let text = format!("{}{long} {short}", short.repeat(before));
                let (_, codes) = keyed(Unit::Words, Kernel::best(), text.as_bytes());
                assert_eq!(codes.len(), before + 2);
                assert_eq!(codes[before], key.code(long.as_bytes()), "{letter} {length} {before}");
                let short = key.code(short.trim().as_bytes());
                assert!(codes[..before].iter().all(|code| *code == short));
                assert_eq!(codes[before + 1], short);
            }
        }
    }
}
