//! One corpus against another: the documents of the input that resemble or contain a reference.
//!
//! ```text
//! index    references -> sets of shingles -> an inverted index in memory
//! search   documents -> the references whose shingles they have, exactly
//! write    if wanted: the inputs without the documents that match
//! ```
//!
//! References that do not fit into memory together are searched in parts, and
//! the inputs are read once for each part; the matches of the parts are then
//! merged. Matches come by input row and then by reference row, whatever the
//! threads and the memory.
//!
//! A reference of fewer tokens than the recipe's shingles have would be found
//! only in documents that are nothing else. For such a one, shingles of its own
//! length are compared, so that it is found wherever it stands.
//!
//! With an n-gram, one shingle of that many words in common makes a match: the words of references
//! are held too, and `passages` finds the longest run around it, or `runs` all of them.

mod corpus;
mod index;
mod match_file;
mod matches;
mod options;
mod passages;
mod references;
mod runs;
mod search;
#[cfg(test)]
mod tests;
mod windows;

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use lookalike_core::VerificationKey;
use lookalike_corpus::ReadOptions;
use serde::Serialize;

use lookalike_files::{AtomicFolder, WorkFolder, partial_path};

use crate::document_set::RowSet;
use crate::error::{Error, ErrorKind, Result};
use crate::inputs::Inputs;
use crate::memory;
use crate::observe::{NoObserver, Observer, Stage, Work};
use crate::places::Row;
use crate::sets::check_texts;
use crate::sources::SourceTable;
use crate::write::{Survivors, Written};
use corpus::{Corpus, ReferenceCounts};
use index::{BYTES_PER_ELEMENT, Builder, Index, bytes_per_reference};
use matches::{Emitter, Spool};
use references::{Extractor, Reference};
use search::{Finding, Searcher};

pub use match_file::MatchFile;
pub use matches::Match;
pub use options::Against;
pub use passages::Passage;

/// Times that the inputs are read, at most. More is a mistake, and no wish.
const MAX_PARTS: usize = 256;

/// Ids of references that are too short which are named.
const NAMED: usize = 20;

/// What was found.
#[derive(Clone, Debug, Default, Serialize)]
#[non_exhaustive]
pub struct Findings {
    /// Documents of the input that could be read.
    pub documents: u64,
    /// References that could be read.
    pub references: u64,
    /// Pairs of a document and a reference; where each run of words is told, these runs.
    pub matches: u64,
    /// Runs of words that are not told, since a document has very many.
    pub left_out: u64,
    /// Documents that are in a pair.
    pub documents_found: u64,
    /// References that are in a pair.
    pub references_found: u64,
    /// References without tokens: they match nothing.
    pub empty_references: u64,
    /// References that were not looked for: they have fewer tokens than asked for.
    pub short_references: u64,
    /// The ids of the first of them.
    pub short_examples: Vec<String>,
    /// Different references of which little but boilerplate would make a match, so that they were
    /// searched by shingles that very many references have. It takes longer; nothing is missed.
    pub slow_references: u64,
    /// How often the inputs were read.
    pub passes: u64,
    /// Records and files of both sides that were passed over.
    pub skipped: u64,
    /// Files in folders that are of an unknown kind.
    pub other_files: u64,
    /// Bytes of text of the input.
    pub bytes: u64,
    /// Bytes of text of the references.
    pub reference_bytes: u64,
    /// Time, by the observer's clock.
    pub seconds: f64,
    /// The most memory that was used, where the system tells.
    pub peak_memory_bytes: u64,
}

impl Against {
    /// Searches. Matches go to `sink`, by input row and then reference row, as they are found if
    /// all references fit into memory, else in the end.
    ///
    /// # Errors
    /// If an input is not there, or cannot be read and the job is strict, a reference does not
    /// fit into memory, the sink ends the job, or the system refuses.
    pub fn run(
        &self,
        mut sink: impl FnMut(&Match<'_>) -> ControlFlow<()> + Send,
    ) -> Result<Findings> {
        self.with_ngram_shingles().search(&NoObserver, &mut sink)
    }

    /// The same, watched.
    ///
    /// # Errors
    /// As [`Against::run`].
    pub fn run_observed(
        &self,
        observer: &dyn Observer,
        mut sink: impl FnMut(&Match<'_>) -> ControlFlow<()> + Send,
    ) -> Result<Findings> {
        self.with_ngram_shingles().search(observer, &mut sink)
    }

    fn search(&self, observer: &dyn Observer, sink: &mut matches::Sink<'_>) -> Result<Findings> {
        self.recipe.validate()?;
        self.recipe.check_whole()?;
        check_texts("looking for passages of references", &self.recipe, &self.running.read.fields)?;
        // Refused before anything is made, if there is no such input.
        for side in [&self.references, &self.inputs] {
            self.side(side).sources()?;
        }
        let clean = self.clean.as_deref().map(begin_clean).transpose()?;
        let work = WorkFolder::create(self.running.temp.as_deref())?;
        let (key, read) = (VerificationKey::random(), self.running.reading());
        let job = Job { options: self, key, read, work: &work, observer };
        job.run(sink, clean)
    }

    fn side<'a>(&self, names: &'a [String]) -> Inputs<'a> {
        Inputs { names, format: self.running.format, tables: None }
    }

    /// The name that the folder of [`clean`](Self::clean) has until it is complete.
    pub fn partial_clean_folder(folder: impl AsRef<Path>) -> PathBuf {
        partial_path(folder.as_ref())
    }

    /// Memory for the references of one part.
    fn part_bytes(&self) -> u64 {
        // Half: the rest is for chunks, and for results that wait.
        self.running.memory / 2
    }

    fn bytes_of(&self, reference: &Reference) -> u64 {
        reference.elements.len() as u64 * BYTES_PER_ELEMENT
            + bytes_per_reference(self.running.threads)
            + reference.id.len() as u64
            + reference.words.bytes() as u64
    }
}

struct Job<'a> {
    options: &'a Against,
    key: VerificationKey,
    read: ReadOptions,
    work: &'a WorkFolder,
    observer: &'a dyn Observer,
}

/// What is known of the references after they were read once.
struct ReferenceParts {
    counted: ReferenceCounts,
    /// The row after the last of each part.
    ends: Vec<Row>,
    /// The first part.
    first: Builder,
    findings: Findings,
}

impl Job<'_> {
    fn run(&self, sink: &mut matches::Sink<'_>, clean: Option<AtomicFolder>) -> Result<Findings> {
        let began = self.observer.seconds();
        let references = self.corpus(&self.options.references, "references");
        let inputs = self.corpus(&self.options.inputs, "inputs");
        let ReferenceParts { counted, ends, first, mut findings } = self.divide(&references)?;
        let parts = ends.len();
        if parts > 1 {
            self.observer.note(&format!(
                "the references are searched in {parts} parts, so the input is read {parts} times; \
                 with more memory it would be fewer"
            ));
        }
        let mut emitter = Emitter {
            sink,
            matches: 0,
            inputs: RowSet::none(0),
            references: RowSet::none(counted.documents),
        };
        let bytes = inputs.inputs.stored_bytes(self.observer)?;
        self.observer.begin(Stage::Search, bytes.map(|bytes| Work::Stored(parts as u64 * bytes)));

        let index = first.build(self.options.hot);
        findings.slow_references = index.slow_sets();
        let (mut spools, mut left_out) = (Vec::new(), 0);
        let found = if parts == 1 {
            inputs.read(
                || Searcher::new(self.options, &self.key, &index),
                |row, made| {
                    left_out += not_told(&made);
                    each_match(&index, row, &made, |found| emitter.emit(found))
                },
            )?
        } else {
            let mut spool = Spool::create(self.work.join("matches-0"))?;
            let found = inputs.read(
                || Searcher::new(self.options, &self.key, &index),
                |row, made| {
                    left_out += not_told(&made);
                    each_match(&index, row, &made, |found| spool.push(found))
                },
            )?;
            spools.push(spool.finish()?);
            found
        };
        drop(index);
        for (part, rows) in ends.windows(2).enumerate() {
            let index = self.part(&references, rows[0]..rows[1])?;
            findings.slow_references += index.slow_sets();
            let mut spool = Spool::create(self.work.join(format!("matches-{}", part + 1)))?;
            inputs.read_again(
                Row::nth(0)..Row::nth(found.documents),
                || Searcher::new(self.options, &self.key, &index),
                |row, made| {
                    left_out += not_told(&made);
                    each_match(&index, row, &made, |found| spool.push(found))
                },
            )?;
            spools.push(spool.finish()?);
        }
        matches::merge(&spools, &mut emitter)?;

        let Emitter { matches, inputs: mut matching, references: matched, .. } = emitter;
        matching.extend_to(found.documents);
        let matching = matching.count();
        if let Some(clean) = clean {
            self.observer.begin(Stage::Write, Some(Work::Documents(found.documents)));
            self.write_clean(&inputs, &matching, clean)?;
        }
        findings.documents = found.documents;
        findings.matches = matches;
        findings.left_out = left_out;
        findings.documents_found = matching.len();
        findings.references_found = matched.count().len();
        findings.passes = parts as u64;
        findings.skipped = counted.skips.count + found.skips.count;
        findings.other_files = counted.other_files + found.other_files;
        findings.bytes = found.bytes;
        findings.seconds = self.observer.seconds() - began;
        findings.peak_memory_bytes = memory::peak_bytes().unwrap_or(0);
        Ok(findings)
    }

    fn corpus<'c>(&'c self, inputs: &'c [String], name: &str) -> Corpus<'c> {
        let Against { recipe, running, .. } = self.options;
        Corpus {
            inputs: self.options.side(inputs),
            options: &self.read,
            unit: recipe.tokens,
            threads: running.threads,
            ahead: running.memory as usize / 8,
            strict: running.strict,
            observer: self.observer,
            spool: self.work,
            table: self.work.join(format!("{name}.jsonl")),
        }
    }

    fn extractor(&self) -> Extractor<'_> {
        let limit = self.options.part_bytes() / BYTES_PER_ELEMENT;
        // Keys and postings are numbers of 32 bits.
        Extractor::new(self.options, &self.key, limit.min(u64::from(u32::MAX) / 4) as usize)
    }

    /// Reads the references, and divides them into parts that fit into memory.
    fn divide(&self, references: &Corpus<'_>) -> Result<ReferenceParts> {
        self.observer.begin(Stage::Index, references.inputs.work(self.observer)?);
        let options = self.options;
        let mut first = Builder::new(options.least_share());
        let mut findings = Findings::default();
        let (mut ends, mut bytes, mut elements) = (Vec::new(), 0, 0);
        let counted = references.read(
            || self.extractor(),
            |row, made| {
                for (row, reference) in Row::between(row..Row::NONE).zip(made) {
                    if reference.elements.is_empty() {
                        findings.count_short(&reference);
                        continue;
                    }
                    bytes += options.bytes_of(&reference);
                    elements += reference.elements.len() as u64;
                    if bytes > options.part_bytes() || elements > u64::from(u32::MAX) / 2 {
                        // The first of a part is in it whatever its size.
                        if elements > reference.elements.len() as u64 {
                            ends.push(row);
                        }
                        bytes = options.bytes_of(&reference);
                        elements = reference.elements.len() as u64;
                    }
                    if ends.is_empty() {
                        first.add(row, reference);
                    }
                }
                Ok(())
            },
        )?;
        ends.push(Row::nth(counted.documents));
        if ends.len() > MAX_PARTS {
            let memory =
                options.running.memory.saturating_mul(ends.len() as u64 / MAX_PARTS as u64 + 1);
            return Err(Error::from(ErrorKind::TooManyPasses { passes: ends.len(), memory }));
        }
        findings.references = counted.documents;
        findings.reference_bytes = counted.bytes;
        Ok(ReferenceParts { counted, ends, first, findings })
    }

    /// The index of one part of the references, which are read again for it.
    fn part(&self, references: &Corpus<'_>, rows: std::ops::Range<Row>) -> Result<Index> {
        let mut builder = Builder::new(self.options.least_share());
        references.read_again(
            rows.clone(),
            || self.extractor(),
            |row, made| {
                for (row, reference) in Row::between(row..Row::NONE).zip(made) {
                    if rows.contains(&row) && !reference.elements.is_empty() {
                        builder.add(row, reference);
                    }
                }
                Ok(())
            },
        )?;
        Ok(builder.build(self.options.hot))
    }

    fn write_clean(
        &self,
        inputs: &Corpus<'_>,
        matching: &RowSet,
        clean: AtomicFolder,
    ) -> Result<()> {
        let sources = SourceTable::open(&inputs.table)?;
        let survivors = Survivors {
            sources: &sources,
            options: &self.read,
            removed: matching,
            written: Written::Kept,
            cuts: None,
            annotations: None,
            revisits: None,
            unreadable: self.options.unreadable,
            threads: self.options.running.threads,
            budget: self.options.running.memory as usize / 2,
            observer: self.observer,
        };
        survivors.write(clean.partial_path())?;
        Ok(clean.commit()?)
    }
}

impl Findings {
    fn count_short(&mut self, reference: &Reference) {
        if reference.tokens == 0 {
            self.empty_references += 1;
            return;
        }
        self.short_references += 1;
        if self.short_examples.len() < NAMED {
            self.short_examples.push(reference.id.clone());
        }
    }
}

fn not_told(made: &[Finding]) -> u64 {
    made.iter().map(|finding| finding.left_out).sum()
}

/// Calls `each` with the matches of a batch whose first document has this row.
fn each_match(
    index: &Index,
    row: Row,
    made: &[Finding],
    mut each: impl FnMut(&Match<'_>) -> Result<()>,
) -> Result<()> {
    for finding in made {
        for found in &finding.found {
            let reference = index.member(found.member);
            let whole = Match {
                input: &finding.id,
                reference: &reference.id,
                input_row: row.after(finding.number),
                reference_row: reference.row,
                overlap: found.overlap,
                passage: None,
            };
            if found.passages.is_empty() {
                each(&whole)?;
            }
            for passage in &found.passages {
                each(&Match { passage: Some(passage), ..whole })?;
            }
        }
    }
    Ok(())
}

/// Begins the folder of what does not match.
fn begin_clean(path: &Path) -> Result<AtomicFolder> {
    if fs::read_dir(path).is_ok_and(|mut entries| entries.next().is_some()) {
        return Err(Error::from(ErrorKind::FolderInUse(path.to_owned())));
    }
    let partial = partial_path(path);
    if partial.exists() {
        return Err(Error::from(ErrorKind::FolderInUse(partial)));
    }
    Ok(AtomicFolder::create(path)?)
}
