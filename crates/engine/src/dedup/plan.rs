//! What a job would take: counted where that is cheap, estimated from samples elsewhere.

use std::path::Path;

use lookalike_core::text::Unit;
use lookalike_core::{CandidateRule, Layout};
use lookalike_corpus::{Chunks, Record};
use serde::Serialize;

use super::options::{Dedup, Removes};
use crate::error::Result;
use crate::memory::LEAST_WORKING_BYTES;
use crate::passages::PassageRule;
use crate::skips::Skips;

/// Sources that are looked into.
const SAMPLED_SOURCES: u64 = 64;

/// Chunks of each that are read.
const SAMPLED_CHUNKS: usize = 4;

/// What a job would take.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Plan {
    /// Files.
    pub sources: u64,
    /// Their bytes, as they are stored.
    pub stored_bytes: u64,
    /// Documents; estimated unless `sampled` is all there is.
    pub documents: u64,
    /// Bytes of text, estimated like the documents.
    pub text_bytes: u64,
    /// Bytes of files that were read for the estimate.
    pub sampled_bytes: u64,
    /// Disk for results without the survivors, which take at most what the inputs take.
    pub result_bytes: u64,
    /// Disk for working files, at most: if every document were a candidate.
    pub working_bytes: u64,
    /// Disk for passages, at most: if all words were in some. It is a part of the working files.
    pub passage_bytes: u64,
    /// Memory that must be held for each document.
    pub memory_bytes_per_document: u64,
    /// The least `--memory` for so many documents.
    pub least_memory_bytes: u64,
}

impl Dedup {
    /// Looks at the inputs and says what the job would take. Nothing is written.
    ///
    /// # Errors
    /// If an input is not there, or no record has a text.
    pub fn plan(&self) -> Result<Plan> {
        let read = self.reading();
        let mut plan = Plan {
            sources: 0,
            stored_bytes: 0,
            documents: 0,
            text_bytes: 0,
            sampled_bytes: 0,
            result_bytes: 0,
            working_bytes: 0,
            passage_bytes: 0,
            memory_bytes_per_document: self.bytes_per_document(),
            least_memory_bytes: 0,
        };
        let (mut documents, mut text_bytes, mut url_bytes) = (0, 0, 0);
        let mut skips = Skips::default();
        for source in self.inputs().sources()?.flatten() {
            plan.sources += 1;
            plan.stored_bytes += source.stored_bytes().unwrap_or(0);
            if plan.sources > SAMPLED_SOURCES {
                continue;
            }
            let mut chunks = source.chunks(&read);
            for chunk in chunks.by_ref().take(SAMPLED_CHUNKS) {
                let take = |record: lookalike_corpus::Result<Record<'_>>| match record {
                    Ok(record) => {
                        documents += 1;
                        text_bytes += record.content.len() as u64;
                        url_bytes += record.url.map_or(0, |url| url.len() as u64 + 2);
                    }
                    Err(fault) => skips.add(&fault.into()),
                };
                match chunk {
                    Ok(chunk) => chunk.for_each(take),
                    Err(fault) => skips.add(&fault.into()),
                }
            }
            plan.sampled_bytes += Chunks::position(&chunks);
        }
        skips.check_texts(documents, true)?;
        let scale = |sampled: u64| match plan.sampled_bytes {
            0 => sampled,
            read => (sampled as f64 * plan.stored_bytes.max(read) as f64 / read as f64) as u64,
        };
        (plan.documents, plan.text_bytes) = (scale(documents), scale(text_bytes));
        let url_bytes = scale(url_bytes);
        self.add_needs(&mut plan, url_bytes);
        Ok(plan)
    }

    fn add_needs(&self, plan: &mut Plan, url_bytes: u64) {
        const ID_BYTES: u64 = 32;
        let documents = plan.documents;
        let signature = Layout::of(&self.recipe).bytes() as u64 + 4 + ID_BYTES;
        plan.result_bytes = documents * signature + url_bytes;
        let rule = CandidateRule::new(self.running.kernel, &self.recipe);
        let keys = if self.removes == Removes::Near { rule.keys_per_document() as u64 } else { 0 };
        // A record of 12 bytes for each key, sorted in runs and merged; then groups of four.
        let matching = documents * (20 + keys * 16);
        // A shingle is eight bytes.
        let shingle_bytes = 8 * (plan.text_bytes / bytes_of_a_token(self.recipe.tokens));
        let shingles = match self.recipe.verify {
            lookalike_core::recipe::Verify::Exact if self.removes == Removes::Near => shingle_bytes,
            _ => 0,
        };
        // Compressed files leave what they unpack to.
        let packed = plan.stored_bytes < plan.text_bytes;
        let folder = self.running.temp.as_deref().unwrap_or(Path::new("."));
        let room = if packed { crate::memory::room_for_copies(folder) } else { 0 };
        let unpacked = plan.text_bytes.min(room);
        // The tokens and the shingles of all documents, if all groups are small.
        let learning = if self.recipe.templates.are_learned() { 2 * shingle_bytes } else { 0 };
        plan.passage_bytes = self.passages.map_or(0, |rule| passages(plan.text_bytes / 6, &rule));
        plan.working_bytes = matching + shingles + learning + unpacked + plan.passage_bytes;
        plan.least_memory_bytes = documents * plan.memory_bytes_per_document + LEAST_WORKING_BYTES;
    }
}

/// Of text, about, and rather fewer.
fn bytes_of_a_token(unit: Unit) -> u64 {
    match unit {
        Unit::Words => 6,
        Unit::Characters => 1,
        Unit::Lines => 30,
    }
}

/// Disk for so many words, if all are in passages.
fn passages(words: u64, rule: &PassageRule) -> u64 {
    // Two anchors for each half of a window, as they are sorted; those that are repeated, and once more.
    let anchors = words * 4 / u64::from(rule.min_words).max(4) * (16 + 8 + 8);
    // Of each window: where it is, and which part has it next, each as it is sorted, and what is known of
    // it on its way. Of each word: where it stands, and what is cut of its part.
    let windows = words * (24 + 24 + 24);
    anchors + windows + words * 4
}
