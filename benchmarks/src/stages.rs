//! The stages of signing, timed one by one and together.

use std::fmt::Write as _;
use std::hint::black_box;
use std::time::Instant;

use lookalike_core::sketch::mix_elements;
use lookalike_core::text::{Tokenizer, Unit};
use lookalike_core::{Kernel, Recipe, Signature, Signer, feature};
use lookalike_kernels::rabin::{FEATURES, Rabin, TOKENS, Windows};
use lookalike_kernels::{Counters, Permutations, Projection, reference};

use crate::corpus::Corpus;

/// The recipe whose signature has everything, and whose stages are timed one by one.
pub(crate) const STAGED: &str = "henzinger-combined";
const WIDTH: usize = 8;
const PERMUTATIONS: usize = 84;
const GROUPS: usize = 6;
const BITS: usize = 384;

/// The best time of one stage on one kernel.
pub(crate) struct Figure {
    kernel: &'static str,
    stage: String,
    seconds: f64,
    bytes: usize,
    tokens: usize,
}

impl Figure {
    fn mb_per_s(&self) -> f64 {
        self.bytes as f64 / self.seconds / 1e6
    }

    fn ns_per_token(&self) -> f64 {
        self.seconds * 1e9 / self.tokens as f64
    }

    pub(crate) fn csv(&self, corpus: &str) -> String {
        let (rate, time) = (self.mb_per_s(), self.ns_per_token());
        format!("\"{corpus}\",{},{},{rate:.0},{time:.2}\n", self.kernel, self.stage)
    }
}

/// Times every stage on every kernel, taking the best of `rounds` for each piece of the corpus; kernels
/// take turns within a round, so that what disturbs the machine disturbs them alike. A piece takes tenths
/// of a millisecond: whatever else runs seldom disturbs it in all rounds.
pub(crate) fn measure(corpus: &Corpus, rounds: usize) -> Result<Vec<Figure>, String> {
    check(corpus, &Kernel::available().collect::<Vec<_>>())?;
    of_pieces(corpus, |piece| {
        let tokens: Vec<Vec<u64>> = piece.documents.iter().map(|text| tokens_of(text)).collect();
        let count = tokens.iter().map(Vec::len).sum();
        best(piece.bytes(), count, rounds, |kernel| time_stages(piece, &tokens, kernel))
    })
}

/// The figures of a corpus from those of its pieces.
pub(crate) fn of_pieces(
    corpus: &Corpus,
    measure: impl Fn(&Corpus) -> Result<Vec<Figure>, String>,
) -> Result<Vec<Figure>, String> {
    let mut sums: Vec<Figure> = Vec::new();
    for piece in corpus.pieces() {
        let figures = measure(&piece)?;
        if sums.is_empty() {
            sums = figures;
            continue;
        }
        for (sum, figure) in sums.iter_mut().zip(figures) {
            sum.seconds += figure.seconds;
            sum.bytes += figure.bytes;
            sum.tokens += figure.tokens;
        }
    }
    Ok(sums)
}

/// The best time of each stage on each kernel, in the order of kernels.
pub(crate) fn best(
    bytes: usize,
    tokens: usize,
    rounds: usize,
    mut time_stages: impl FnMut(Kernel) -> Result<Vec<(String, f64)>, String>,
) -> Result<Vec<Figure>, String> {
    let mut figures: Vec<Figure> = Vec::new();
    for round in 0..rounds.max(1) {
        let mut place = 0;
        for kernel in Kernel::available() {
            for (stage, seconds) in time_stages(kernel)? {
                if round == 0 {
                    figures.push(Figure { kernel: kernel.name(), stage, seconds, bytes, tokens });
                } else {
                    figures[place].seconds = figures[place].seconds.min(seconds);
                }
                place += 1;
            }
        }
    }
    Ok(figures)
}

fn tokens_of(text: &[u8]) -> Vec<u64> {
    let mut tokens = Vec::new();
    Tokenizer::new(Unit::Words).tokens(text, &mut tokens);
    tokens
}

#[expect(clippy::disallowed_methods, reason = "to measure is what this program is for")]
pub(crate) fn seconds(work: impl FnOnce()) -> f64 {
    let start = Instant::now();
    work();
    start.elapsed().as_secs_f64()
}

fn time_stages(
    corpus: &Corpus,
    documents: &[Vec<u64>],
    kernel: Kernel,
) -> Result<Vec<(String, f64)>, String> {
    let mut times = Vec::new();
    let mut time = |stage: &str, seconds: f64| times.push((stage.to_owned(), seconds));

    let mut tokenizer = Tokenizer::with_kernel(Unit::Words, kernel);
    time(
        "tokens",
        seconds(|| {
            for text in &corpus.documents {
                tokenizer.for_each_block(text, &mut |block| {
                    black_box(block);
                });
            }
        }),
    );

    // What the stages work on, made before the clock starts; documents shorter than a window
    // count as they are.
    let windows = Windows::new(WIDTH);
    let mut shingles: Vec<Vec<u64>> =
        documents.iter().map(|tokens| vec![0; windows.count(tokens.len())]).collect();
    time(
        "shingles",
        seconds(|| {
            for (tokens, out) in documents.iter().zip(&mut shingles) {
                kernel.windows(&windows, tokens, out);
            }
        }),
    );
    time(
        "mixing",
        seconds(|| {
            for elements in &mut shingles {
                mix_elements(kernel, 0, elements);
            }
        }),
    );
    let permutations = Permutations::new(PERMUTATIONS, 0);
    let mut minima = permutations.start();
    time(
        "84 minima",
        seconds(|| {
            for elements in &shingles {
                minima.fill(u64::MAX);
                kernel.minima(&permutations, elements, &mut minima);
                black_box(&minima);
            }
        }),
    );
    let mut features = [0; GROUPS];
    time(
        "6 features",
        seconds(|| {
            for _ in &shingles {
                feature::features(black_box(&minima), &mut features);
                black_box(&features);
            }
        }),
    );
    let projection = Projection::new(BITS, 0);
    let mut counters = Counters::default();
    time(
        "384-bit projection",
        seconds(|| {
            for elements in &shingles {
                counters.clear();
                kernel.project(&projection, elements, &mut counters);
                black_box(counters.signs(&projection));
            }
        }),
    );
    time(
        "exact fingerprint",
        seconds(|| {
            for tokens in documents {
                black_box(kernel.append_words(&TOKENS, Rabin::EMPTY, tokens));
                black_box(kernel.append_words(&FEATURES, Rabin::EMPTY, tokens));
            }
        }),
    );
    for recipe in [STAGED, "text"] {
        let mut signer = signer(recipe, kernel)?;
        time(
            &format!("whole: {recipe}"),
            seconds(|| {
                for text in &corpus.documents {
                    black_box(signer.sign(text));
                }
            }),
        );
    }
    Ok(times)
}

pub(crate) fn signer(recipe: &str, kernel: Kernel) -> Result<Signer, String> {
    let recipe = Recipe::preset(recipe).map_err(|error| error.to_string())?;
    Signer::with_kernel(&recipe, kernel).map_err(|error| error.to_string())
}

/// All kernels sign alike, and a sample of documents as the naive reference does.
fn check(corpus: &Corpus, kernels: &[Kernel]) -> Result<(), String> {
    let mut signers =
        kernels.iter().map(|&kernel| signer(STAGED, kernel)).collect::<Result<Vec<_>, _>>()?;
    let sampled = corpus.documents.len().div_ceil(20).max(1);
    for (number, text) in corpus.documents.iter().enumerate() {
        let mut signatures = signers.iter_mut().map(|signer| signer.sign(text).clone());
        let first = signatures.next().unwrap_or_default();
        if signatures.any(|other| other != first) {
            return Err(format!("document {number}: two kernels give different signatures"));
        }
        if number % sampled == 0 && first != naive(text) {
            return Err(format!("document {number}: not the signature of the reference"));
        }
    }
    Ok(())
}

/// The signature by its definition, from tokens on.
fn naive(text: &[u8]) -> Signature {
    let tokens = tokens_of(text);
    if tokens.is_empty() {
        let sketch = vec![u64::MAX; PERMUTATIONS];
        let features = vec![0; GROUPS];
        let exact = u128::from(Rabin::EMPTY) << 64 | u128::from(Rabin::EMPTY);
        let (projection, identity) = (vec![0; BITS / 64], None);
        return Signature { exact, identity, features, projection, sketch, tokens: 0 };
    }
    let mixed = |mut values: Vec<u64>| {
        mix_elements(Kernel::SCALAR, 0, &mut values);
        values
    };
    let shingles = reference::windows(TOKENS.tail(), WIDTH.min(tokens.len()), &tokens);
    let sketch = reference::minima(&Permutations::new(PERMUTATIONS, 0), &mixed(shingles));
    let groups = sketch.chunks(PERMUTATIONS / GROUPS).enumerate();
    let feature = |(group, minima): (usize, &[u64])| {
        reference::rabin_words(FEATURES.tail(), &[&[group as u64], minima].concat())
    };
    let features = groups.map(feature).collect();
    let bits = reference::project(&Projection::new(BITS, 0), &mixed(tokens.clone()));
    let word = |bits: &[bool]| bits.iter().rev().fold(0, |word, &bit| word << 1 | u64::from(bit));
    let projection = bits.chunks(64).map(word).collect();
    let [high, low] =
        [&TOKENS, &FEATURES].map(|rabin| reference::rabin_words(rabin.tail(), &tokens));
    let exact = u128::from(high) << 64 | u128::from(low);
    let (tokens, identity) = (tokens.len() as u64, None);
    Signature { exact, identity, features, projection, sketch, tokens }
}

/// A table for people.
pub(crate) fn report(corpus: &Corpus, figures: &[Figure]) -> String {
    let (documents, bytes) = (corpus.documents.len(), corpus.bytes());
    let tokens = figures.first().map_or(0, |figure| figure.tokens);
    let mut out = format!(
        "{}: {documents} documents, {:.1} MB, {:.2} bytes a token; answers checked\n\n",
        corpus.name,
        bytes as f64 / 1e6,
        bytes as f64 / tokens.max(1) as f64,
    );
    let mut kernels: Vec<&str> = figures.iter().map(|figure| figure.kernel).collect();
    kernels.dedup();
    let stages = figures.len() / kernels.len().max(1);
    let _ = write!(out, "{:28}", "MB/s (ns per token)");
    for kernel in &kernels {
        let _ = write!(out, "{kernel:>20}");
    }
    out.push('\n');
    for stage in 0..stages {
        let _ = write!(out, "{:28}", figures[stage].stage);
        for kernel in 0..kernels.len() {
            let figure = &figures[kernel * stages + stage];
            let cell = format!("{:.0} ({:.2})", figure.mb_per_s(), figure.ns_per_token());
            let _ = write!(out, "{cell:>20}");
        }
        out.push('\n');
    }
    out.push('\n');
    out
}
