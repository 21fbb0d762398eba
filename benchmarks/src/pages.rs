//! Web pages: taking them apart alone, and with what follows up to the whole signature.

use std::hint::black_box;

use lookalike_core::Kernel;
use lookalike_core::text::html::Extractor;
use lookalike_core::text::{Tokenizer, Unit};

use crate::corpus::Corpus;
use crate::stages::{Figure, STAGED, best, of_pieces, seconds, signer};

/// Where all pages are: their own pictures are told from others.
const URL: Option<&str> = Some("https://www.example.org/a/page.html");

/// Times each stage from the page on, on every kernel, as [`crate::stages::measure`] does.
pub(crate) fn measure(pages: &Corpus, rounds: usize) -> Result<Vec<Figure>, String> {
    check_kernels(pages)?;
    of_pieces(pages, |pages| {
        let mut extractor = Extractor::new();
        let mut tokenizer = Tokenizer::new(Unit::Words);
        let mut tokens = 0;
        for page in &pages.documents {
            let text = extractor.extract(page, URL);
            tokenizer.for_each_block(text, &mut |block| tokens += block.len());
        }
        best(pages.bytes(), tokens, rounds, |kernel| time_stages(pages, kernel))
    })
}

fn time_stages(pages: &Corpus, kernel: Kernel) -> Result<Vec<(String, f64)>, String> {
    let mut extractor = Extractor::new();
    let mut times = Vec::new();
    let extraction = seconds(|| {
        for page in &pages.documents {
            black_box(extractor.extract(page, URL));
        }
    });
    times.push(("text of pages".to_owned(), extraction));
    let mut tokenizer = Tokenizer::with_kernel(Unit::Words, kernel);
    let tokens = seconds(|| {
        for page in &pages.documents {
            tokenizer.for_each_block(extractor.extract(page, URL), &mut |block| {
                black_box(block);
            });
        }
    });
    times.push(("tokens of pages".to_owned(), tokens));
    for recipe in [STAGED, "text"] {
        let mut signer = signer(recipe, kernel)?;
        let whole = seconds(|| {
            for page in &pages.documents {
                black_box(signer.sign(extractor.extract(page, URL)));
            }
        });
        times.push((format!("whole: {recipe}"), whole));
    }
    Ok(times)
}

/// All kernels sign pages alike.
fn check_kernels(pages: &Corpus) -> Result<(), String> {
    let mut extractor = Extractor::new();
    let mut signers =
        Kernel::available().map(|kernel| signer(STAGED, kernel)).collect::<Result<Vec<_>, _>>()?;
    for (number, page) in pages.documents.iter().enumerate() {
        let text = extractor.extract(page, URL);
        let mut signatures = signers.iter_mut().map(|signer| signer.sign(text).clone());
        let first = signatures.next().unwrap_or_default();
        if signatures.any(|other| other != first) {
            return Err(format!("page {number}: two kernels give different signatures"));
        }
    }
    Ok(())
}

/// Pages that were made of texts have their signatures.
pub(crate) fn check(pages: &Corpus, texts: &Corpus) -> Result<(), String> {
    let mut extractor = Extractor::new();
    let mut signer = signer(STAGED, Kernel::best())?;
    for (number, (page, text)) in pages.documents.iter().zip(&texts.documents).enumerate() {
        let of_page = signer.sign(extractor.extract(page, URL)).clone();
        if of_page != *signer.sign(text) {
            return Err(format!("page {number}: not the signature of its text"));
        }
    }
    Ok(())
}
