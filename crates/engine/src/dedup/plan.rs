//! What a job would take: counted where that is cheap, estimated from samples elsewhere.

use std::path::Path;

use lookalike_core::text::Unit;
use lookalike_core::{CandidateRule, Layout};
use lookalike_corpus::{Chunks, ReadOptions, Record, Sources};
use serde::Serialize;

use super::job::BYTES_PER_KNOWN;
use super::options::{Dedup, Removes};
use crate::containment::POOL;
use crate::error::Result;
use crate::memory::LEAST_WORKING_BYTES;
use crate::passages::PassageRule;
use crate::skips::Skips;
use crate::stages::COMMON_HOLDERS;

/// Sources that are looked into.
const SAMPLED_SOURCES: usize = 64;

/// Chunks of all of them that are read, as many of each.
const SAMPLED_CHUNKS: usize = 256;

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
    /// Documents of the known side: counted where they are of runs, estimated else.
    pub known_documents: u64,
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
        self.check()?;
        let read = self.reading();
        let mut plan = Plan {
            sources: 0,
            stored_bytes: 0,
            documents: 0,
            known_documents: 0,
            text_bytes: 0,
            sampled_bytes: 0,
            result_bytes: 0,
            working_bytes: 0,
            passage_bytes: 0,
            memory_bytes_per_document: self.bytes_per_document(),
            least_memory_bytes: 0,
        };
        let new = Sample::of(self.inputs().sources()?, &read)?;
        (plan.sources, plan.stored_bytes, plan.sampled_bytes) =
            (new.sources, new.stored_bytes, new.sampled_bytes);
        (plan.documents, plan.text_bytes) = (new.scaled(new.documents), new.scaled(new.text_bytes));
        for side in self.known_sides()? {
            plan.known_documents += if let Some(documents) = side.documents()? {
                documents
            } else {
                let sample = Sample::of(side.inputs(self.running.format).sources()?, &read)?;
                sample.scaled(sample.documents)
            };
        }
        self.add_needs(&mut plan, new.scaled(new.url_bytes));
        Ok(plan)
    }

    fn add_needs(&self, plan: &mut Plan, url_bytes: u64) {
        const ID_BYTES: u64 = 32;
        let documents = plan.documents;
        let signature = Layout::of(&self.recipe).bytes() as u64 + 4 + ID_BYTES;
        let all = documents + plan.known_documents;
        plan.result_bytes = all * signature + url_bytes;
        let rule = CandidateRule::new(self.running.kernel, &self.recipe);
        let keys = if self.removes == Removes::Near { rule.keys_per_document() as u64 } else { 0 };
        let matching = match self.lost {
            // A record of 12 bytes for each key, sorted in runs and merged; then groups of four.
            None => {
                let counting = if rule.counts_in_common() { self.counting(all, keys) } else { 0 };
                documents * (20 + keys * 16) + plan.known_documents * 44 + counting
            }
            // If each document were in another, all elements of pools have two holders: a record of 16
            // bytes each, sorted, and once more as it is counted, and one to choose probes by.
            Some(_) => {
                documents * (20 + POOL as u64 * (2 * 2 + 1) * 16) + plan.known_documents * 44
            }
        };
        // A shingle is eight bytes, and so is a token.
        let shingle_bytes = 8 * (plan.text_bytes / bytes_of_a_token(self.recipe.tokens));
        let compares = self.recipe.reads_documents() && self.removes == Removes::Near;
        let shingles = if compares { shingle_bytes } else { 0 };
        let projected = self.recipe.projects_when_needed() && self.lost.is_none();
        let bits = self.recipe.projection.filter(|_| projected).map_or(0, |of| of.bits as u64);
        let projections = if self.removes == Removes::Near { all * bits / 8 } else { 0 };
        // Compressed files leave what they unpack to.
        let packed = plan.stored_bytes < plan.text_bytes;
        let folder = self.running.temp.as_deref().unwrap_or(Path::new("."));
        let room = if packed { crate::memory::room_for_copies(folder) } else { 0 };
        let unpacked = plan.text_bytes.min(room);
        // The tokens and the shingles of all documents, if all groups are small.
        let learning = if self.recipe.templates.are_learned() { 2 * shingle_bytes } else { 0 };
        plan.passage_bytes = self.passages.map_or(0, |rule| passages(plan.text_bytes / 6, &rule));
        // The journal is there while documents are signed, and goes before they are matched.
        let after_signing = matching + shingles + projections + plan.passage_bytes;
        plan.working_bytes = after_signing.max(plan.result_bytes) + learning + unpacked;
        let held = documents * plan.memory_bytes_per_document;
        let known = plan.known_documents * BYTES_PER_KNOWN;
        plan.least_memory_bytes = held + known + LEAST_WORKING_BYTES;
    }

    /// Disk for counting what so many documents have in common, if each key had as many holders as are
    /// counted.
    fn counting(&self, documents: u64, keys: u64) -> u64 {
        const PAIR_BYTES: u64 = 12;
        let holders = documents.min(COMMON_HOLDERS as u64);
        let expanded = documents.saturating_mul(keys * holders / 2);
        let pairs = expanded.min(documents.saturating_mul(documents) / 2);
        // Each is there twice before it is added up, or there is less than half of the memory; then once more,
        // and as a group.
        let in_runs = (2 * pairs).max(self.running.memory / 2 / PAIR_BYTES).min(expanded);
        in_runs.saturating_add(2 * pairs).saturating_mul(PAIR_BYTES)
    }
}

/// What is found in some chunks of some sources.
#[derive(Default)]
struct Sample {
    sources: u64,
    stored_bytes: u64,
    sampled_bytes: u64,
    documents: u64,
    text_bytes: u64,
    url_bytes: u64,
}

impl Sample {
    fn of(sources: Sources, read: &ReadOptions) -> Result<Self> {
        let mut sample = Self::default();
        let mut skips = Skips::default();
        let mut sampled = Vec::new();
        for source in sources.flatten() {
            sample.sources += 1;
            sample.stored_bytes += source.stored_bytes().unwrap_or(0);
            if sampled.len() < SAMPLED_SOURCES {
                sampled.push(source);
            }
        }
        for source in &sampled {
            let mut chunks = source.chunks(read);
            for chunk in chunks.by_ref().take(SAMPLED_CHUNKS / sampled.len()) {
                let take = |record: lookalike_corpus::Result<Record<'_>>| match record {
                    Ok(record) => {
                        sample.documents += 1;
                        sample.text_bytes += record.content.len() as u64;
                        sample.url_bytes += record.url.map_or(0, |url| url.len() as u64 + 2);
                    }
                    Err(fault) => skips.add(&fault.into()),
                };
                match chunk {
                    Ok(chunk) => chunk.for_each(take),
                    Err(fault) => skips.add(&fault.into()),
                }
            }
            sample.sampled_bytes += Chunks::position(&chunks);
        }
        skips.check_texts(sample.documents, true)?;
        Ok(sample)
    }

    /// What a number would be in all there is.
    fn scaled(&self, sampled: u64) -> u64 {
        match self.sampled_bytes {
            0 => sampled,
            read => (sampled as f64 * self.stored_bytes.max(read) as f64 / read as f64) as u64,
        }
    }
}

/// Of text, about, and rather fewer.
fn bytes_of_a_token(unit: Unit) -> u64 {
    match unit {
        Unit::Words => 6,
        Unit::Characters => 1,
        Unit::Lines => 30,
        Unit::Sentences => 60,
        Unit::Paragraphs => 200,
        Unit::Items => 10,
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
