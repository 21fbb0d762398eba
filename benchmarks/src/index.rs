//! The persistent index at scale: additions, checks, memory and disk, with answers checked.
//!
//! Synthetic signatures, in durable batches of 1,000; then single checks of new documents and of
//! look-alikes, the disk as warm as the additions left it; then one by one against in one pass.

use std::fmt::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use lookalike_core::{Recipe, Signature, mix};
use lookalike_index::{CreateOptions, Document as Added, Index, OpenOptions};

use crate::measuring::{Failure, WorkFolder, now, peak_memory, processor_seconds};
use crate::planted::{Document, FEATURES, Planted};

/// What is measured.
pub(crate) struct IndexScale {
    pub(crate) documents: u32,
    /// Where a work folder is made.
    pub(crate) folder: PathBuf,
}

/// Documents that are made durable together.
const BATCH: u32 = 1000;
/// Checks whose times are taken, of a large index.
const CHECKS: u32 = 20_000;
/// Documents that are added one by one, and in one pass.
const ONE_BY_ONE: u32 = 1000;
const IN_ONE_PASS: u32 = 100_000;

impl From<lookalike_index::Error> for Failure {
    fn from(error: lookalike_index::Error) -> Self {
        Self::Broken(error.to_string())
    }
}

const PLANTED: Planted = Planted { seed: 11 };

/// Minvalues of the recipe `text`.
const MINVALUES: u64 = 91;

/// With minvalues by which look-alikes resemble each other wholly, and others not at all.
fn signature(place: u32) -> Signature {
    let mut signature = Signature::default();
    PLANTED.sign(place, &mut signature);
    let alike = match PLANTED.document(place) {
        Document::Copy { of } | Document::Near { of, .. } => of,
        Document::Original | Document::Template => place,
    };
    signature.sketch = (0..MINVALUES).map(|slot| mix(mix(alike.into()) ^ slot)).collect();
    signature
}

/// Documents as they would come: an id of twelve characters, a length, a time.
fn with_documents<T>(places: std::ops::Range<u32>, work: impl FnOnce(&[Added<'_>]) -> T) -> T {
    let made: Vec<(String, Signature)> =
        places.clone().map(|place| (format!("doc-{place:08}"), signature(place))).collect();
    let documents: Vec<Added<'_>> = made
        .iter()
        .zip(places)
        .map(|((id, signature), place)| {
            Added::signed(id, signature, 4000).with_time(1_790_000_000 + u64::from(place))
        })
        .collect();
    work(&documents)
}

/// Measures and checks; the report.
pub(crate) fn measure(scale: &IndexScale) -> Result<String, Failure> {
    let recipe = Recipe::preset("text").map_err(|error| error.to_string())?;
    if recipe.features.map(|filter| filter.k() as usize) != Some(FEATURES) {
        return Err(Failure::Broken("the recipe `text` has other features now".to_owned()));
    }
    let folder = WorkFolder::create(&scale.folder)?;
    let options = CreateOptions::new().without_text();
    let path = folder.path().join("index");
    let index = Index::create(&path, &recipe, &options)?;
    let documents = scale.documents;
    let mut out = format!("index of {documents} documents, without texts; answers checked\n");

    add(&index, documents, &mut out)?;
    check(&index, documents, &mut out)?;
    let per_document = |bytes: u64| bytes as f64 / f64::from(documents);
    let at_the_end = per_document(index.stats()?.disk_bytes);
    drop(index);
    let start = now();
    let index = Index::open(&path, &OpenOptions::new())?;
    let _ = writeln!(out, "{:28}{:10.2} s", "open", start.elapsed().as_secs_f64());
    // A merge that was under way is begun again by the next addition.
    let stats = index.stats()?;
    let disk = per_document(stats.disk_bytes);
    let _ = writeln!(
        out,
        "{:28}{disk:10.1} bytes/document, {:.1} of them postings in {} runs, {:.1} journals; \
         {at_the_end:.1} when the last was added",
        "disk",
        per_document(stats.postings_bytes),
        stats.segments,
        per_document(stats.journal_bytes)
    );
    let start = now();
    let verified = index.verify()?;
    if verified.documents != u64::from(documents) {
        return Err(Failure::Wrong(format!("{} documents were verified", verified.documents)));
    }
    let _ = writeln!(out, "{:28}{:10.2} s", "verify", start.elapsed().as_secs_f64());
    drop(index);
    one_by_one(&folder, &recipe, &options, &mut out)?;
    if let Some(peak) = peak_memory() {
        let _ = writeln!(out, "{:28}{:10} MiB", "peak memory", peak >> 20);
    }
    Ok(out)
}

/// Adds all documents in durable batches.
fn add(index: &Index, documents: u32, out: &mut String) -> Result<(), Failure> {
    let mut times = Vec::new();
    let processor = processor_seconds();
    for first in (0..documents).step_by(BATCH as usize) {
        with_documents(first..(first + BATCH).min(documents), |batch| {
            // Making the signatures is not the index's work.
            let start = now();
            index.add_batch(batch)?;
            times.push(start.elapsed());
            Ok::<(), Failure>(())
        })?;
    }
    let processor = processor_seconds() - processor;
    let all: Duration = times.iter().sum();
    let rate = |documents: f64, time: Duration| documents / time.as_secs_f64();
    let tenth = times.len().div_ceil(10);
    let tenths = |part: &[Duration]| rate(part.len() as f64 * f64::from(BATCH), part.iter().sum());
    let _ = writeln!(
        out,
        "{:28}{:10.2} s{processor:10.2} s of processor{:12.0} documents/s",
        "add, batches of 1000",
        all.as_secs_f64(),
        rate(f64::from(documents), all)
    );
    let (first, last) = (tenths(&times[..tenth]), tenths(&times[times.len() - tenth..]));
    let _ = writeln!(out, "{:28}{first:10.0}, last {last:.0} documents/s", "  first tenth");
    let slowest = times.iter().max().copied().unwrap_or_default();
    let _ = writeln!(out, "{:28}{:10.2} s", "  slowest batch", slowest.as_secs_f64());
    Ok(())
}

/// Checks new documents and look-alikes of known ones, half of each.
fn check(index: &Index, documents: u32, out: &mut String) -> Result<(), Failure> {
    let mut times = [Vec::new(), Vec::new()];
    let mut place = documents;
    // Look-alikes of so few documents grow rare.
    let each = CHECKS.min(documents / 5) as usize / 2;
    while times.iter().any(|times| times.len() < each) {
        let planted = PLANTED.document(place);
        let (kind, of) = match planted {
            Document::Near { of, .. } | Document::Copy { of } if of < documents => (1, Some(of)),
            Document::Original => (0, None),
            _ => {
                place += 1;
                continue;
            }
        };
        let signature = signature(place);
        place += 1;
        if times[kind].len() == each {
            continue;
        }
        let document = Added::signed("", &signature, 4000);
        let start = now();
        let answer = index.check(&document)?;
        times[kind].push(start.elapsed());
        let found = answer.matches.iter().any(|found| Some(found.number) == of.map(u64::from));
        if found != of.is_some() || of.is_none() && !answer.is_new() {
            return Err(Failure::Wrong(format!("document {place} has other matches")));
        }
    }
    let [new, alike] = &times;
    let both = [&new[..], alike].concat();
    for (name, times) in [("check", &both), ("  new documents", new), ("  look-alikes", alike)] {
        let mut times = times.clone();
        times.sort_unstable();
        let at = |share: f64| {
            let at = ((times.len() - 1) as f64 * share) as usize;
            times[at].as_secs_f64() * 1e6
        };
        let _ = writeln!(
            out,
            "{name:28}{:10.1} us median, {:.1} us at 99 %, {:.0} us at most",
            at(0.5),
            at(0.99),
            at(1.0)
        );
    }
    Ok(())
}

/// How much faster one pass is than one document after another.
fn one_by_one(
    folder: &WorkFolder,
    recipe: &Recipe,
    options: &CreateOptions,
    out: &mut String,
) -> Result<(), Failure> {
    let one = Index::create(folder.path().join("one"), recipe, options)?;
    let start = now();
    with_documents(0..ONE_BY_ONE, |documents| {
        documents.iter().try_for_each(|document| one.add(document).map(drop))
    })?;
    let alone = f64::from(ONE_BY_ONE) / start.elapsed().as_secs_f64();
    let pass = Index::create(folder.path().join("pass"), recipe, options)?;
    let start = now();
    with_documents(0..IN_ONE_PASS, |documents| pass.load(documents.iter().cloned()))?;
    let together = f64::from(IN_ONE_PASS) / start.elapsed().as_secs_f64();
    for place in 0..ONE_BY_ONE {
        let signature = signature(place);
        let document = Added::signed("", &signature, 0);
        let keepers = [one.check(&document)?, pass.check(&document)?]
            .map(|answer| answer.keeper().map(|keeper| keeper.id.clone()));
        if keepers[0] != keepers[1] {
            return Err(Failure::Wrong(format!("document {place}: one pass has other matches")));
        }
    }
    let _ = writeln!(out, "{:28}{alone:10.0} documents/s", "add, one by one");
    let _ = writeln!(
        out,
        "{:28}{together:10.0} documents/s, {:.0} times as fast",
        "load, in one pass",
        together / alone
    );
    Ok(())
}
