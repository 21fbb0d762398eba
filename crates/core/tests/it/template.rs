//! Learning and cutting out templates, against the definition written out as it reads.

use std::collections::BTreeSet;

use lookalike_core::shingle::{Counting, ShingleSet, Shingler};
use lookalike_core::template::{
    Distinctive, FrameShingles, LearnedTemplate, Level, PageLayout, SAMPLE, SampleDocument,
    Template, in_sample, learn,
};
use lookalike_core::text::{DocumentTokens, SectionKind, SectionRun, Token, Tokenizer, Unit};
use lookalike_core::{CandidateRule, Kernel, Recipe, Signer};
use proptest::prelude::*;

type Set = BTreeSet<u64>;

fn shingles(width: usize, tokens: &[Token]) -> Vec<u64> {
    let mut shingler = Shingler::new(Kernel::SCALAR, width, Counting::Set);
    let mut shingles = Vec::new();
    shingler.push(tokens, |block| shingles.extend_from_slice(block));
    shingler.finish(|block| shingles.extend_from_slice(block));
    shingles
}

/// A document as sets.
#[derive(Clone, Debug)]
struct NaiveSample {
    content: Set,
    beside: Set,
    parts: Set,
}

impl NaiveSample {
    fn sample(&self) -> SampleDocument {
        let beside = self.beside.difference(&self.content).copied().collect();
        let of = |set: &Set| set.iter().copied().collect();
        SampleDocument { content: of(&self.content), beside, parts: of(&self.parts) }
    }
}

/// The definition at the top of `learn.rs`.
fn naive_learn(documents: &[NaiveSample]) -> LearnedTemplate {
    let n = documents.len();
    let contents: Vec<&Set> = documents.iter().map(|document| &document.content).collect();
    let have = |shingle: u64| contents.iter().filter(|set| set.contains(&shingle)).count();
    let weight = |shingle: u64| {
        let d = have(shingle);
        if d > (n / 4).clamp(8, 128) { 0 } else { (n / d).max(1).ilog2() }
    };
    let weigh =
        |set: &mut dyn Iterator<Item = &u64>| set.map(|s| u64::from(weight(*s))).sum::<u64>();
    let mut family: Vec<usize> = (0..n).collect();
    for a in 0..n {
        for b in 0..a {
            let common = weigh(&mut contents[a].intersection(contents[b]));
            let either = weigh(&mut contents[a].union(contents[b]));
            if common > 0 && 5 * common >= 3 * either {
                let (from, to) = (family[a].max(family[b]), family[a].min(family[b]));
                family.iter_mut().filter(|f| **f == from).for_each(|f| *f = to);
            }
        }
    }
    let families = |documents: &dyn Fn(usize) -> bool| {
        let some = (0..n).filter(|document| documents(*document)).map(|document| family[document]);
        some.collect::<BTreeSet<usize>>().len()
    };
    let has = |document: usize, shingle: u64| {
        contents[document].contains(&shingle) || documents[document].beside.contains(&shingle)
    };
    let all: Set = documents.iter().flat_map(|d| d.content.union(&d.beside)).copied().collect();
    let parts: Set = documents.iter().flat_map(|document| document.parts.clone()).collect();
    let is_template = |shingle: &u64| {
        let parts = parts.iter().map(|part| Some(*part)).chain([None]);
        parts.into_iter().any(|part| {
            let is_in =
                |document: usize| part.is_none_or(|p| documents[document].parts.contains(&p));
            let standing = families(&|document| is_in(document) && has(document, *shingle));
            standing > 16 && standing > families(&is_in) / 3
        })
    };
    let template = all.into_iter().filter(is_template).collect();
    LearnedTemplate { template, families: families(&|_| true) }
}

fn is_number(word: &str) -> bool {
    word.len() <= 7 && word.starts_with(|first: char| first.is_ascii_digit())
}

fn naive_frame(width: usize, words: &[String]) -> Vec<u64> {
    let width = width.min(words.len()).max(1);
    let windows = words.windows(width).map(|window| {
        let numbers = window.iter().filter(|word| is_number(word)).count();
        let number = lookalike_kernels::rabin::TOKENS.bytes(b"#");
        let token = |word: &String| {
            if is_number(word) && 2 * numbers < width { number } else { tokens(word)[0] }
        };
        lookalike_kernels::rabin::TOKENS.words(&window.iter().map(token).collect::<Vec<_>>())
    });
    windows.collect()
}

/// The definition at the top of `template/mod.rs`, of a text without markup.
fn naive_distinctive(width: usize, template: &Set, words: &[String]) -> Set {
    let (found, own) = naive_uncovered(width, template, words);
    if own >= width { found } else { naive_uncovered(width, &Set::new(), words).0 }
}

/// What is distinctive beside this template, and how many tokens are not covered.
fn naive_uncovered(width: usize, template: &Set, words: &[String]) -> (Set, usize) {
    let tokens = tokens(&words.join(" "));
    let (plain, frame) = (shingles(width, &tokens), naive_frame(width, words));
    let window = |at: usize| at..(at + width).min(tokens.len());
    let mut covered = vec![false; tokens.len()];
    for (at, shingle) in frame.iter().enumerate() {
        if template.contains(shingle) {
            covered[window(at)].fill(true);
        }
    }
    let mut islands: Vec<Vec<usize>> = vec![Vec::new()];
    for (at, covered) in covered.iter().enumerate() {
        if *covered {
            islands.push(Vec::new());
        } else {
            islands.last_mut().unwrap().push(at);
        }
    }
    islands.retain(|island| !island.is_empty());
    let is_number = |at: &&usize| is_number(&words[**at]);
    let (volatile, firm): (Vec<_>, Vec<_>) = islands.into_iter().partition(|island| {
        let numbers = island.iter().filter(is_number).count();
        island.len() == 1 || island.len() <= width && 2 * numbers > island.len()
    });
    if covered.contains(&true) && firm.iter().map(Vec::len).sum::<usize>() >= 2 * width {
        volatile.into_iter().flatten().for_each(|at| covered[at] = true);
    }
    let most_is_own = |at: usize| {
        let own = covered[window(at)].iter().filter(|covered| !**covered).count();
        2 * own > window(at).len()
    };
    let own: Vec<Token> =
        tokens.iter().zip(&covered).filter(|(_, covered)| !**covered).map(|(t, _)| *t).collect();
    let inside = plain.iter().enumerate().filter(|(at, _)| most_is_own(*at)).map(|(_, s)| *s);
    (inside.chain(shingles(width, &own)).collect(), own.len())
}

fn tokens(text: &str) -> Vec<Token> {
    let mut tokens = Vec::new();
    Tokenizer::new(Unit::Words).tokens(text, &mut tokens);
    tokens
}

fn set_of(width: usize, tokens: &[Token]) -> ShingleSet {
    ShingleSet::new(shingles(width, tokens))
}

/// A document of which markup says nothing.
fn plain(tokens: Vec<Token>) -> DocumentTokens {
    let runs = vec![SectionRun { tokens: tokens.len(), kind: SectionKind::default() }];
    DocumentTokens { codes: tokens.clone(), tokens, runs }
}

/// Few words, some of them numbers, so that shingles meet.
fn word() -> impl Strategy<Value = String> {
    prop::sample::select(vec!["a", "b", "c", "d", "7", "2026", "x1", "deadbeef77"])
        .prop_map(str::to_owned)
}

fn naive_sample() -> impl Strategy<Value = NaiveSample> {
    // Some are frequent.
    let shingle = || prop_oneof![0_u64..12, 0_u64..80];
    let set = |most| prop::collection::btree_set(shingle(), 0..most);
    (set(20), set(10), prop::collection::btree_set(0_u64..4, 0..3))
        .prop_map(|(content, beside, parts)| NaiveSample { content, beside, parts })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn learning_is_its_definition(
        documents in prop::collection::vec(naive_sample(), 0..90),
    ) {
        let samples: Vec<SampleDocument> = documents.iter().map(NaiveSample::sample).collect();
        prop_assert_eq!(learn(&samples), naive_learn(&documents));
    }

    #[test]
    fn distinctive_shingles_are_their_definition(
        words in prop::collection::vec(word(), 0..60),
        template in prop::collection::vec(any::<prop::sample::Index>(), 0..20),
        width in 1_usize..6,
    ) {
        let tokens = tokens(&words.join(" "));
        let plain = naive_frame(width, &words);
        let template: Set =
            template.iter().filter(|_| !plain.is_empty()).map(|at| plain[at.index(plain.len())]).collect();
        let mut distinctive = Distinctive::new(Kernel::best(), width);
        let learned = Template::new(template.iter().copied().collect());
        let document = self::plain(tokens.clone());
        let found = distinctive.shingles(Some(&learned), &document, &tokens);
        let found: Set = found.iter().copied().collect();
        prop_assert_eq!(&found, &naive_distinctive(width, &template, &words));
        // What a document without a template has is what it always had.
        let plain = set_of(width, &tokens);
        for template in [None, Some(&Template::default())] {
            let found = distinctive.shingles(template, &document, &tokens).to_vec();
            prop_assert_eq!(&ShingleSet::new(found), &plain);
        }
    }

    #[test]
    fn a_signature_is_that_of_the_distinctive_shingles(
        words in prop::collection::vec(word(), 0..60),
        template in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let recipe = Recipe::preset("sites").unwrap();
        let text = words.join(" ");
        let tokens = tokens(&text);
        let plain = naive_frame(5, &words);
        let template: Vec<u64> =
            template.iter().filter(|_| !plain.is_empty()).map(|at| plain[at.index(plain.len())]).collect();
        let template = Template::new(template);
        let mut signer = Signer::new(&recipe).unwrap();
        let whole = signer.sign(&text[..]).clone();
        let signature = signer.sign_distinctive(&text[..], Some(&template)).clone();
        prop_assert_eq!((signature.exact, signature.tokens), (whole.exact, whole.tokens));
        // Whatever is left of it, it can be found.
        let mut keys = Vec::new();
        CandidateRule::new(Kernel::best(), &recipe).keys(&signature, &mut keys);
        prop_assert_eq!(keys.is_empty(), tokens.is_empty());
        if template.is_empty() {
            prop_assert_eq!(signature, whole);
        }
    }
}

/// The frame shingles of a level, naively.
fn level_set(width: usize, document: &DocumentTokens, level: Level) -> Set {
    let (mut layout, mut tokens) = (PageLayout::default(), Vec::new());
    layout.read(document, width);
    layout.select(level, &document.tokens, &mut tokens);
    FrameShingles::new(Kernel::SCALAR, width).of(&tokens).iter().copied().collect()
}

proptest! {
    #[test]
    fn a_sample_has_the_shingles_of_all_levels(
        runs in prop::collection::vec((prop::collection::vec(word(), 0..9), 0_u8..32), 0..8),
        width in 1_usize..6,
    ) {
        let mut document = DocumentTokens::default();
        for (words, bits) in &runs {
            document.tokens.extend(words.iter().map(|word| tokens(word)[0]));
            let kind = SectionKind::from_bits(*bits);
            document.runs.push(SectionRun { tokens: words.len(), kind });
        }
        let mut frame = FrameShingles::new(Kernel::best(), width);
        let sample = SampleDocument::new(&mut frame, &document, Vec::new());
        let content = level_set(width, &document, Level::Content);
        let others = [Level::WithMenus, Level::Whole].map(|level| level_set(width, &document, level));
        let beside: Set = (&others[0] | &others[1]).difference(&content).copied().collect();
        prop_assert_eq!(sample.content, Vec::from_iter(content));
        prop_assert_eq!(sample.beside, Vec::from_iter(beside));
    }
}

/// Pages of a site: a frame of forty words around contents.
fn page(content: &str) -> Vec<Token> {
    let named = |name: &str| (0..20).map(|n| format!("{name}{n}")).collect::<Vec<_>>().join(" ");
    tokens(&format!("{} {content} {}", named("head"), named("foot")))
}

fn content(number: u64, words: u64) -> String {
    let word = |n| format!("w{}", lookalike_core::mix(number << 32 | n) % 5000);
    (0..words).map(word).collect::<Vec<_>>().join(" ")
}

fn learned(contents: &[String]) -> LearnedTemplate {
    let mut frame = FrameShingles::new(Kernel::best(), 5);
    let sample =
        |content: &String| SampleDocument::new(&mut frame, &plain(page(content)), Vec::new());
    learn(&contents.iter().map(sample).collect::<Vec<_>>())
}

#[test]
fn small_groups_are_left_alone() {
    for pages in 0..=16_u64 {
        let contents: Vec<String> = (0..pages).map(|page| content(page, 30)).collect();
        let learned = learned(&contents);
        assert_eq!((learned.families, learned.template.len()), (pages as usize, 0));
    }
}

#[test]
fn a_frame_is_template_and_twenty_versions_of_a_page_are_not() {
    let mut contents: Vec<String> = (0..90).map(|page| content(page, 100)).collect();
    contents.extend((0..20).map(|version| format!("{} version {version}", content(7, 100))));
    let learned = learned(&contents);
    assert_eq!(learned.families, 90);
    // Two times sixteen windows of the frame, and nothing of what is in it.
    let frame: Vec<u64> =
        page("").windows(20).step_by(20).flat_map(|half| shingles(5, half)).collect();
    assert_eq!(learned.template, ShingleSet::new(frame).as_slice());
}

#[test]
fn samples_shrink_as_groups_grow() {
    let hashes: Vec<u64> = (0..40_000).map(lookalike_core::mix).collect();
    assert!(hashes.iter().all(|hash| in_sample(*hash, SAMPLE)));
    let mut before: Vec<u64> = hashes.clone();
    for count in [SAMPLE + 1, 3 * SAMPLE, 40_000, 1 << 40] {
        let sample: Vec<u64> = hashes.iter().copied().filter(|h| in_sample(*h, count)).collect();
        assert!(sample.iter().all(|hash| before.contains(hash)));
        before = sample;
    }
    let sample = hashes.iter().filter(|hash| in_sample(**hash, 40_000)).count();
    assert!((1800..4200).contains(&sample), "{sample}");
}
