//! The stage before signing: which shingles are the template of each group.
//!
//! One pass over the documents writes the shingle sets of a sample of each
//! group, the groups are put together by a sort, and each is learned by itself
//! ([`lookalike_core::template`]). Which documents are in a sample depends on
//! their ids and on the size of their group only, so the result is the same
//! whatever the threads and whatever the order of the documents. Held in memory
//! are a few bytes a group, and the samples of a few groups at a time. The
//! tokens of sampled documents are left for the stages that follow, so that
//! these need not make them again ([`tokens`]).

mod template_file;
mod template_groups;
mod tokens;

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use lookalike_core::template::{
    Distinctive, FEW, FrameShingles, LearnedTemplate, LeftOut, SampleDocument, Template, in_sample,
    learn,
};
use lookalike_core::text::{DocumentTokens, KeyedTokenizer, Text, Tokenizer};
use lookalike_core::{Kernel, Recipe, mix};
use lookalike_corpus::{Chunk, Record};
use lookalike_files::{Rows, RowsKind, RowsWriter};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::error::{Error, Result};
use crate::files::Files;
use crate::means::Means;
use crate::observe::{Stage, Work};
use crate::pipeline::{Event, Payload, Piece};
use crate::sort::Sorter;
use crate::sources::SourceTable;
use crate::texts::Texts;
use template_file::TemplateWriter;
pub use template_file::{TemplateFile, TemplateFileInfo};
pub(crate) use template_groups::TemplateGroups;
use tokens::{StoredTokens, TokensOf, TokensReader, TokensWriter, words};

const SAMPLES: RowsKind = *b"learnset";

/// Documents of more tokens are not learned from: there is little template in them for what
/// they take.
const MAX_TOKENS: usize = 1 << 14;

/// Shingles of a group that are learned from.
const MAX_SHINGLES: u64 = 2 << 20;

/// Shingles that are in memory at a time, and groups.
const BATCH_SHINGLES: u64 = 2 * MAX_SHINGLES;
const BATCH_GROUPS: usize = 1 << 12;

/// What was learned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Counts {
    /// Groups of documents.
    pub(crate) groups: u64,
    /// Those that have a template.
    pub(crate) with_template: u64,
    /// Template shingles of all of them.
    pub(crate) shingles: u64,
    /// Documents that were learned from.
    pub(crate) sampled: u64,
}

impl Means<'_> {
    /// Learns from the documents of these sources, and leaves the file of templates.
    pub(crate) fn learn(&self, sources: &SourceTable) -> Result<Counts> {
        let total = sources.stored_bytes()?;
        self.observer.begin(Stage::Learn, Some(Work::Stored(total)));
        let counts = Mutex::new(HashMap::new());
        let sampled = self.sample(sources, &counts)?;
        let counts = counts.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner);
        self.learn_groups(&counts, sampled)
    }

    /// Writes the shingle sets of the samples; where they are, by group.
    fn sample(
        &self,
        sources: &SourceTable,
        counts: &Mutex<HashMap<u64, u64>>,
    ) -> Result<Sorter<SampleRow>> {
        let files = self.files;
        let mut sets = RowsWriter::create(&files.samples(), SAMPLES, 8)?;
        let mut tokens = TokensWriter::create(files)?;
        let mut sorter = Sorter::new(&files.sorting(), self.budget / 4);
        let mut written = 0;
        self.pipeline(self.budget / 2).run(
            sources.to_read_again(|_| true),
            || {
                let mut worker = Worker::new(self, counts);
                Ok(move |source, piece: Piece| {
                    Ok(match piece {
                        Piece::Chunk(chunk) => worker.chunk(source, &chunk),
                        // It has no address and no fields, so it is of no group.
                        Piece::LongText(_) => Batch::default(),
                    })
                })
            },
            |event| {
                let batch = match event {
                    Event::Result(batch) => batch,
                    Event::End { fault: Some(fault), .. } if fault.is_io() => {
                        return Err(Error::from(fault));
                    }
                    // What cannot be read is told of when it is signed.
                    Event::End { .. } => return Ok(()),
                };
                self.observer.advance(batch.bytes, batch.documents);
                sets.push(&batch.shingles)?;
                tokens.push(&batch.tokens)?;
                for [group, hash, count] in batch.sampled {
                    sorter.push([group, hash, written, count])?;
                    written += count;
                }
                Ok(())
            },
        )?;
        sets.finish()?;
        tokens.finish()?;
        Ok(sorter)
    }

    /// Learns each group, some at a time.
    fn learn_groups(
        &self,
        counts: &HashMap<u64, u64>,
        sampled: Sorter<SampleRow>,
    ) -> Result<Counts> {
        let files = self.files;
        let sets = Rows::open(&files.samples(), SAMPLES, 8)?;
        let mut writer = TemplateWriter::create(&files.templates(), self.recipe)?;
        let mut found = Counts { groups: counts.len() as u64, ..Counts::default() };
        let mut samples = sampled.finish()?;
        let mut batch: Vec<Sample> = Vec::new();
        let (mut in_batch, mut in_group) = (0, 0);
        loop {
            let next = samples.next()?;
            let group = next.map(|[group, ..]| group);
            if group != batch.last().map(|sample| sample.group) {
                in_group = 0;
                let full = in_batch >= BATCH_SHINGLES || batch.len() >= BATCH_GROUPS;
                if full || group.is_none() {
                    self.learn_batch(&batch, &mut writer, &mut found)?;
                    batch.clear();
                    in_batch = 0;
                }
                batch.extend(group.map(|group| Sample { group, documents: Vec::new() }));
            }
            let Some([group, hash, start, count]) = next else { break };
            let documents = counts.get(&group).copied().unwrap_or(0);
            let of_sample = in_sample(hash, documents) && documents > FEW as u64;
            if let Some(sample) = batch.last_mut()
                && of_sample
                && in_group + count <= MAX_SHINGLES
            {
                sample.documents.push(read_document(&sets, start, count)?);
                in_group += count;
                in_batch += count;
            }
        }
        writer.finish()?;
        // Nothing needs them any more.
        let _ = std::fs::remove_file(files.samples());
        Ok(found)
    }

    fn learn_batch(
        &self,
        batch: &[Sample],
        writer: &mut TemplateWriter,
        found: &mut Counts,
    ) -> Result<()> {
        self.observer.check_cancelled()?;
        let next = AtomicUsize::new(0);
        let some = || {
            let numbers = std::iter::from_fn(|| Some(next.fetch_add(1, Ordering::Relaxed)));
            let samples = numbers.map_while(|number| Some((number, batch.get(number)?)));
            samples.map(|(number, sample)| (number, learn(&sample.documents))).collect::<Vec<_>>()
        };
        let mut learned: Vec<(usize, LearnedTemplate)> = std::thread::scope(|scope| {
            let threads: Vec<_> = (0..self.threads.max(1)).map(|_| scope.spawn(some)).collect();
            let results = threads.into_iter().map(std::thread::ScopedJoinHandle::join);
            results.flat_map(|some| some.unwrap_or_else(|p| std::panic::resume_unwind(p))).collect()
        });
        learned.sort_unstable_by_key(|(number, _)| *number);
        for (sample, (_, learned)) in batch.iter().zip(learned) {
            found.sampled += sample.documents.len() as u64;
            if !learned.template.is_empty() {
                found.with_template += 1;
                found.shingles += learned.template.len() as u64;
                writer.push(sample.group, &learned)?;
            }
        }
        Ok(())
    }
}

/// What was learned, for the stages that follow.
pub(crate) struct LearnedFiles {
    templates: TemplateFile,
    tokens: StoredTokens,
}

impl LearnedFiles {
    /// Opens the files of a job, if its recipe learns templates.
    pub(crate) fn open(files: &Files, recipe: &Recipe) -> Result<Option<Self>> {
        if !recipe.templates.are_learned() {
            return Ok(None);
        }
        let templates = TemplateFile::of_recipe(files.templates(), recipe)?;
        Ok(Some(Self { templates, tokens: StoredTokens::open(files)? }))
    }
}

/// Looks up what was learned, on one thread.
pub(crate) struct LearnedReader<'a> {
    template_groups: TemplateGroups<'a>,
    learned: Option<&'a LearnedFiles>,
    tokens: TokensReader,
}

impl<'a> LearnedReader<'a> {
    /// Without files, nothing was learned.
    pub(crate) fn new(recipe: &'a Recipe, learned: Option<&'a LearnedFiles>) -> Self {
        Self {
            template_groups: TemplateGroups::new(recipe),
            learned,
            tokens: TokensReader::default(),
        }
    }

    /// The template of a document's group; `None` if it has none.
    pub(crate) fn template(&self, record: &Record<'_>) -> Result<Option<Arc<Template>>> {
        match self.learned {
            Some(learned) => learned.templates.template(self.template_groups.record(record)),
            None => Ok(None),
        }
    }

    /// The tokens of a document of this source, if learning has left them.
    pub(crate) fn tokens(
        &mut self,
        source: u64,
        record: &Record<'_>,
    ) -> Result<Option<&DocumentTokens>> {
        match self.learned {
            Some(learned) => self.tokens.tokens(&learned.tokens, [source, record.number]),
            None => Ok(None),
        }
    }
}

/// The templates that the job of these files has learned, if its recipe has any learned.
pub(crate) fn learned(files: &Files, recipe: &Recipe) -> Result<Option<TemplateFile>> {
    let is_learned = recipe.templates.are_learned();
    is_learned.then(|| TemplateFile::of_recipe(files.templates(), recipe)).transpose()
}

/// Tells what is left out of single documents.
pub(crate) struct LeavingOut {
    templates: Option<TemplateFile>,
    tokenizer: Tokenizer,
    /// If the recipe leaves out anything.
    distinctive: Option<Distinctive>,
}

impl LeavingOut {
    /// By what the job of these files has learned, if anything.
    pub(crate) fn open(files: &Files, recipe: &Recipe) -> Result<Self> {
        let templates = learned(files, recipe)?;
        let kernel = Kernel::best();
        let distinctive = || Distinctive::new(kernel, recipe.shingles.width);
        Ok(Self {
            templates,
            tokenizer: Tokenizer::with_kernel(recipe.tokens, kernel),
            distinctive: recipe.templates.leave_out().then(distinctive),
        })
    }

    /// Why each token of a text of this group is left out, if it is; empty if the recipe leaves out
    /// nothing.
    pub(crate) fn left_out(&mut self, text: Text<'_>, group: u64) -> Result<Vec<Option<LeftOut>>> {
        let Some(distinctive) = &mut self.distinctive else { return Ok(Vec::new()) };
        let template = match &self.templates {
            Some(templates) => templates.template(group)?,
            None => None,
        };
        let mut document = DocumentTokens::default();
        self.tokenizer.document(text, &mut document);
        Ok(distinctive.left_out(template.as_deref(), &document))
    }
}

/// A document of a sample: its group, its hash, where its set begins, and its size.
type SampleRow = [u64; 4];

/// The documents of a sample.
struct Sample {
    group: u64,
    documents: Vec<SampleDocument>,
}

/// Appends a document: how many parts it is in, how many shingles its content has, and all of them.
fn push_document(document: &SampleDocument, bytes: &mut Vec<u8>) -> u64 {
    let SampleDocument { content, beside, parts } = document;
    let before = bytes.len();
    push_words(&[parts.len() as u64, content.len() as u64], bytes);
    for words in [parts, content, beside] {
        push_words(words, bytes);
    }
    (bytes.len() - before) as u64 / 8
}

fn read_document(sets: &Rows, start: u64, count: u64) -> Result<SampleDocument> {
    let mut bytes = vec![0; 8 * count as usize];
    sets.rows(start, &mut bytes)?;
    let words: Vec<u64> = words(&bytes).collect();
    let document = || {
        let (&[parts, content], rest) = words.split_first_chunk()?;
        let (parts, rest) = rest.split_at_checked(usize::try_from(parts).ok()?)?;
        let (content, beside) = rest.split_at_checked(usize::try_from(content).ok()?)?;
        let [parts, content, beside] = [parts, content, beside].map(<[u64]>::to_vec);
        Some(SampleDocument { content, beside, parts })
    };
    document().ok_or_else(|| {
        let expected = format!("a document of {count} numbers");
        Error::corruption(sets.path(), 8 * start, expected, "fewer".to_owned())
    })
}

fn push_words(words: &[u64], bytes: &mut Vec<u8>) {
    bytes.reserve(8 * words.len());
    for word in words {
        bytes.extend_from_slice(&word.to_le_bytes());
    }
}

/// What some documents leave.
#[derive(Default)]
struct Batch {
    /// Group, hash and size of each.
    sampled: Vec<[u64; 3]>,
    shingles: Vec<u8>,
    tokens: TokensOf,
    bytes: u64,
    documents: u64,
}

impl Payload for Batch {
    fn bytes(&self) -> usize {
        self.shingles.len() + self.tokens.bytes() + 40 * self.sampled.len()
    }
}

/// What makes sets of documents, on one thread.
struct Worker<'a> {
    template_groups: TemplateGroups<'a>,
    /// Documents of each group so far.
    counts: &'a Mutex<HashMap<u64, u64>>,
    texts: Texts,
    tokenizer: KeyedTokenizer,
    frame: FrameShingles,
    document: DocumentTokens,
}

impl<'a> Worker<'a> {
    fn new(means: &Means<'a>, counts: &'a Mutex<HashMap<u64, u64>>) -> Self {
        let Means { recipe, kernel, key, .. } = means;
        Self {
            template_groups: TemplateGroups::new(recipe),
            counts,
            texts: Texts::new(),
            tokenizer: KeyedTokenizer::new(recipe.tokens, *kernel, key),
            frame: FrameShingles::new(*kernel, recipe.shingles.width),
            document: DocumentTokens::default(),
        }
    }

    fn chunk(&mut self, source: u64, chunk: &Chunk) -> Batch {
        let tokens = TokensOf::of(source);
        let mut batch = Batch { tokens, ..Batch::default() };
        chunk.for_each(|record| {
            if let Ok(record) = record {
                batch.documents += 1;
                batch.bytes += record.content.len() as u64;
                self.document(&record, &mut batch);
            }
        });
        batch
    }

    fn document(&mut self, record: &Record<'_>, batch: &mut Batch) {
        let group = self.template_groups.record(record);
        if group == 0 {
            return;
        }
        let count = {
            let mut counts = self.counts.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            let count = counts.entry(group).or_insert(0);
            *count += 1;
            *count
        };
        // As the group grows its sample shrinks; who is in the sample of all is in that of some.
        let hash = mix(xxh3_64(record.id.as_bytes()));
        if !in_sample(hash, count) {
            return;
        }
        let Self { texts, tokenizer, frame, document, .. } = self;
        tokenizer.document(texts.of_record(record), document);
        if document.tokens.len() <= MAX_TOKENS {
            let parts = self.template_groups.parts(record, texts.language());
            let sample = SampleDocument::new(frame, document, parts);
            let count = push_document(&sample, &mut batch.shingles);
            batch.sampled.push([group, hash, count]);
            batch.tokens.push(record.number, document);
        }
        document.forget(MAX_TOKENS);
    }
}
