//! The preset `noisy`: two readings of one text are a pair, though hardly a run of words is the same
//! in both.
//!
//! Seeds are fixed, so a test passes always or never.

use lookalike_core::{Comparer, Kernel, PairRule, Recipe, Sequence, Signature, Signer};

/// Texts, each read twice.
const TEXTS: u64 = 150;

/// Words of a text: as many as a short report in a newspaper has.
const WORDS: usize = 250;

/// A text of made-up words of 2 to 9 letters out of a vocabulary of 3,000, so that texts have words
/// in common by chance.
fn text(number: u64) -> String {
    let mut drawn = Sequence::new(number, 1);
    let word = |word: u64| {
        let mut letters = Sequence::new(word % 3000, 2);
        let length = 2 + letters.next() % 8;
        (0..length).map(|_| letter(letters.next())).collect::<String>()
    };
    (0..WORDS).map(|_| word(drawn.next())).collect::<Vec<String>>().join(" ")
}

fn letter(random: u64) -> char {
    char::from(b'a' + (random % 26) as u8)
}

/// The text as a machine reads it that gets 4 % of the characters wrong.
fn read(text: &str, seed: u64) -> String {
    let mut errors = Sequence::new(seed, 3);
    let is_wrong = |random: u64| random % 100 < 4;
    text.chars().map(|c| if is_wrong(errors.next()) { letter(errors.next()) } else { c }).collect()
}

/// Both readings of all texts, the two of a text one after the other.
fn readings() -> Vec<String> {
    let readings = (0..TEXTS).map(|number| (text(number), number));
    readings.flat_map(|(text, n)| [read(&text, 2 * n), read(&text, 2 * n + 1)]).collect()
}

fn signed(recipe: &Recipe, texts: &[String]) -> Vec<Signature> {
    let mut signer = Signer::new(recipe).unwrap();
    texts.iter().map(|text| signer.sign(text.as_bytes()).clone()).collect()
}

/// The two readings have errors at other places, so that a shingle of 7 is the same in both with a
/// probability of 0.96^14, and their resemblance is about 0.39: near the threshold.
#[test]
fn as_many_readings_are_found_as_the_filter_promises() {
    let recipe = Recipe::preset("noisy").unwrap();
    let rule = PairRule::new(Kernel::best(), &recipe);
    let mut comparer = Comparer::new(&recipe).unwrap();
    let (readings, filter) = (readings(), recipe.features.unwrap());
    let signatures = signed(&recipe, &readings);
    let (mut found, mut expected, mut variance) = (0.0, 0.0, 0.0);
    for (texts, signatures) in readings.as_chunks::<2>().0.iter().zip(signatures.as_chunks().0) {
        let [a, b] = texts.each_ref().map(String::as_bytes);
        let resemblance = comparer.compare(a, b).overlap.resemblance();
        assert!((0.3..0.5).contains(&resemblance), "{resemblance}");
        let [a, b] = signatures;
        let promised = filter.probability(resemblance);
        found += f64::from(u8::from(rule.candidates().holds(a, b, false)));
        expected += promised;
        variance += promised * (1.0 - promised);
    }
    assert!((found - expected).abs() < 4.5 * variance.sqrt(), "{found} of {expected}");
    assert!(found >= 0.95 * TEXTS as f64, "{found}");
}

/// What is found besides is refused, and is little.
#[test]
fn other_texts_are_no_pairs_and_few_candidates() {
    let recipe = Recipe::preset("noisy").unwrap();
    let rule = PairRule::new(Kernel::best(), &recipe);
    let mut comparer = Comparer::new(&recipe).unwrap();
    let readings = readings();
    let signatures = signed(&recipe, &readings);
    let (mut candidates, mut others) = (0, 0);
    for (i, a) in signatures.iter().enumerate() {
        for (j, b) in signatures.iter().enumerate().take(i / 2 * 2) {
            others += 1;
            if rule.candidates().holds(a, b, false) {
                candidates += 1;
                let compared = comparer.compare(readings[i].as_bytes(), readings[j].as_bytes());
                assert!(!rule.accepts(&compared), "{i} {j}");
            }
        }
    }
    assert!(others > 40_000 && candidates < others / 500, "{candidates} of {others}");
}

/// Words are what such texts do not have in common: `text` finds none of them.
#[test]
fn by_words_no_reading_is_a_pair() {
    let recipe = Recipe::default();
    let rule = PairRule::new(Kernel::best(), &recipe);
    let mut comparer = Comparer::new(&recipe).unwrap();
    for [a, b] in readings().as_chunks::<2>().0 {
        assert!(!rule.accepts(&comparer.compare(a.as_bytes(), b.as_bytes())));
    }
}
