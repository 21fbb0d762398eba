//! Inputs as batches of documents for an index.

use std::borrow::Cow;

use lookalike_core::Recipe;
use lookalike_corpus::{ContentKind, Record, Sources};
use lookalike_engine::report::Kind;
use lookalike_engine::run::{ClusterMember, RunDocument};
use lookalike_engine::{check_sets, date_microseconds, field_text};
use lookalike_index::{Content, Document, Index, MatchKind, Seen};

use crate::clock;
use crate::exit::Outcome;
use crate::flags::{Counting, Reading};
use crate::interrupt;
use crate::output::{count, grouped};
use crate::progress::Progress;
use crate::skipped::SkipCount;

/// The most documents of a batch, which are made durable together.
const BATCH: usize = 1000;
/// The bytes from which on a batch is full.
const BATCH_BYTES: usize = 8 << 20;

/// What was read.
pub(super) struct ReadSummary {
    pub(super) documents: u64,
    pub(super) bytes: u64,
    pub(super) skipped: u64,
    pub(super) other_files: u64,
    pub(super) seconds: f64,
    /// Whether somebody wanted it to end before its end.
    pub(super) interrupted: bool,
}

impl ReadSummary {
    /// How the command ends, if its answer is not no.
    pub(super) fn outcome(&self) -> Outcome {
        Outcome::after_skipping(self.skipped)
    }

    /// What there is to say of it beside the documents.
    pub(super) fn remarks(&self) -> String {
        let skipped = match self.skipped {
            0 => String::new(),
            skipped => format!(", {} skipped", grouped(skipped)),
        };
        match self.other_files {
            0 => skipped,
            others => format!("{skipped}, {} of an unknown kind", count(others, "file")),
        }
    }
}

/// Where a document came from.
pub(super) struct Origin {
    /// The number of its source among all that were read, from 0.
    pub(super) source: u64,
    /// Its place there, from 1.
    pub(super) record: u64,
    /// The record as it stands, if it is JSON and wanted.
    pub(super) json: Option<Vec<u8>>,
}

/// Something that becomes of documents.
pub(super) trait Sink {
    /// Whether JSON records are wanted as they stand.
    const WANTS_JSON: bool = false;

    /// Another source follows.
    fn source(&mut self, _source: lookalike_corpus::Source) -> anyhow::Result<()> {
        Ok(())
    }

    /// A record of the last source cannot be read.
    fn unreadable(&mut self) {}

    /// These documents are next, each with where it came from.
    fn batch(&mut self, documents: &[Document<'_>], origins: Vec<Origin>) -> anyhow::Result<()>;
}

/// Reads all documents of the inputs in batches; Ctrl-C ends it after one.
pub(super) fn read(
    stage: &'static str,
    sources: Sources,
    reading: &Reading,
    counting: &SeenFrom<'_>,
    sink: &mut impl Sink,
) -> anyhow::Result<ReadSummary> {
    interrupt::watch("interrupted", Vec::new())?;
    let mut reader = Reader {
        reading,
        counting,
        progress: Progress::start(stage, reading.progress.form),
        skipped: SkipCount::default(),
        batch: Batch::default(),
        documents: 0,
        bytes: 0,
    };
    let (other_files, interrupted) = reader.read(sources, sink)?;
    Ok(ReadSummary {
        documents: reader.documents,
        bytes: reader.bytes,
        skipped: reader.skipped.count(),
        other_files,
        seconds: reader.progress.finish().as_secs_f64(),
        interrupted,
    })
}

struct Reader<'a> {
    reading: &'a Reading,
    counting: &'a SeenFrom<'a>,
    progress: Progress,
    skipped: SkipCount,
    batch: Batch,
    documents: u64,
    bytes: u64,
}

#[derive(Default)]
struct Batch {
    documents: Vec<Document<'static>>,
    origins: Vec<Origin>,
    bytes: usize,
}

impl Reader<'_> {
    /// How many files were of an unknown kind, and whether it ended early.
    fn read<S: Sink>(&mut self, mut sources: Sources, sink: &mut S) -> anyhow::Result<(u64, bool)> {
        let mut options = self.reading.documents.options();
        check_sets(self.counting.recipe, &options.fields)?;
        options.fields.others.extend(self.counting.fields());
        let mut number = 0;
        while let Some(source) = sources.next() {
            let source = match source {
                Ok(source) => source,
                Err(error) => {
                    self.skip(error)?;
                    continue;
                }
            };
            sink.source(source.clone())?;
            for chunk in source.chunks(&options) {
                match chunk {
                    Ok(chunk) => {
                        let mut records = Vec::new();
                        let taken = |record: Record<'_>| {
                            let json = record.json().filter(|_| S::WANTS_JSON).map(<[u8]>::to_vec);
                            let origin = Origin { source: number, record: record.number, json };
                            (self.counting.document(&record, Some(source.id())), origin)
                        };
                        chunk.for_each(|record| records.push(record.map(taken)));
                        for record in records {
                            self.take(record, sink)?;
                        }
                    }
                    Err(error) => self.skip(error)?,
                }
                if interrupt::is_wanted() {
                    self.flush(sink)?;
                    return Ok((sources.other_files(), true));
                }
            }
            number += 1;
        }
        self.flush(sink)?;
        Ok((sources.other_files(), false))
    }

    fn take(
        &mut self,
        record: lookalike_corpus::Result<(Document<'static>, Origin)>,
        sink: &mut impl Sink,
    ) -> anyhow::Result<()> {
        let (document, origin) = match record {
            Ok(taken) => taken,
            Err(error) => {
                sink.unreadable();
                return self.skip(error);
            }
        };
        let bytes = content_bytes(&document);
        self.batch.documents.push(document);
        self.batch.origins.push(origin);
        self.batch.bytes += bytes;
        self.documents += 1;
        self.bytes += bytes as u64;
        self.progress.document(bytes as u64);
        if self.batch.documents.len() >= BATCH || self.batch.bytes >= BATCH_BYTES {
            self.flush(sink)?;
        }
        Ok(())
    }

    fn flush(&mut self, sink: &mut impl Sink) -> anyhow::Result<()> {
        let Batch { documents, origins, .. } = std::mem::take(&mut self.batch);
        if documents.is_empty() { Ok(()) } else { sink.batch(&documents, origins) }
    }

    fn skip(&mut self, error: lookalike_corpus::Error) -> anyhow::Result<()> {
        // What the system refuses says nothing of the document.
        if self.reading.strict || error.is_io() {
            return Err(error.into());
        }
        self.skipped.add(&error, |message| self.progress.say(message));
        Ok(())
    }
}

/// The bytes of a document's content.
pub(super) fn content_bytes(document: &Document<'_>) -> usize {
    document.content.len()
}

/// Where documents are seen, as `dedup` has it: the value of a field, or else the site, or else the file.
pub(super) struct SeenFrom<'a> {
    field: Option<&'a str>,
    date_field: Option<&'a str>,
    recipe: &'a Recipe,
}

impl<'a> SeenFrom<'a> {
    pub(super) fn new(index: &'a Index, counting: &'a Counting) -> Self {
        let Counting { count, date_field } = counting;
        let recipe = index.recipe();
        Self { field: count.as_deref(), date_field: date_field.as_deref(), recipe }
    }

    /// The fields that are looked at.
    fn fields(&self) -> impl Iterator<Item = String> {
        self.field.into_iter().chain(self.date_field).map(str::to_owned)
    }

    /// The document that a record of a file is, seen now.
    pub(super) fn document(&self, record: &Record<'_>, file: Option<&str>) -> Document<'static> {
        let content = Cow::Owned(record.content.to_vec());
        let content = match record.kind {
            ContentKind::Text => Content::Text(content),
            ContentKind::Html => Content::Html(content),
            ContentKind::Items => Content::Items(content),
        };
        let mut document =
            Document::new(record.id.clone().into_owned(), content).with_time(clock::now());
        document.url = record.url.clone().map(|url| Cow::Owned(url.into_owned()));
        let site = || document.url.as_deref().and_then(|url| self.recipe.sites.site(url));
        document.source = match (self.field, site()) {
            // Nothing is a source of its own, so that the site is not taken in its place.
            (Some(field), _) => {
                Some(record.field(field).map_or_else(String::new, |value| field_text(&value)))
            }
            (None, Some(_)) => None,
            (None, None) => file.map(str::to_owned),
        }
        .map(Cow::Owned);
        let date = self.date_field.and_then(|field| date_microseconds(record.field(field)?));
        document.date = date.map(|date| date.div_euclid(1_000_000));
        document
    }
}

impl SeenFrom<'_> {
    /// A member of a cluster of a run that went for this keeper; of its fields the run knows nothing.
    pub(super) fn member<'m>(
        &self,
        member: &'m ClusterMember,
        keeper: &'m str,
    ) -> Option<Seen<'m>> {
        let kind = match member.kind? {
            Kind::Exact => MatchKind::Exact,
            Kind::Near => MatchKind::Near,
        };
        let RunDocument { id, url, source, .. } = &member.document;
        let seen = Seen::new(id, keeper, kind);
        let site = url.as_deref().and_then(|url| self.recipe.sites.site(url));
        Some(match (self.field, url, site) {
            (Some(_), ..) => seen.with_source(""),
            (None, Some(url), Some(_)) => seen.with_url(url),
            (None, ..) => seen.with_source(source),
        })
    }
}
