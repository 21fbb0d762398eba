//! The first stage: documents to signatures.
//!
//! Reads every source once and leaves the signature file, the table of sources
//! with their bad records, and what later stages ask of each document beyond
//! its signature: its rank under the keep policy, its site, its address, its part
//! of the corpus for the removal budget. All of it is in the order of the rows.
//!
//! A job that is stopped on the way leaves a [`journal`] of what it had signed, and goes on from there.

mod batch;
mod journal;
mod resume;

use lookalike_core::recipe::{Candidates, Templates};
use lookalike_core::{Layout, Signature, Signer, site_hash};
use lookalike_corpus::{Chunk, Fields, Offsets, PassedOverCounts, Record, Source, UnpackedCopies};
use lookalike_files::{Existing, RowsKind, RowsWriter};
use serde::{Deserialize, Serialize};

use crate::attributes::{AttributesWriter, FieldQuestions, Summary};
use crate::bad_records::BadRecords;
use crate::document_set::RowSet;
use crate::error::{Error, ErrorKind, Result};
use crate::files::{self, Files};
use crate::inputs::{Inputs, ListedSources};
use crate::known::summary::SideSummary;
use crate::learn::{LearnedFiles, LearnedReader};
use crate::long_text;
use crate::means::Means;
use crate::numbers::count;
use crate::observe::{Stage, Work};
use crate::offsets::OffsetsWriter;
use crate::passages::{ANCHORS_KEPT, AnchorMaker, AnchorSink, PassageRule, longest_cut};
use crate::pipeline::{Event, Piece};
use crate::places::{Row, Sides};
use crate::signature_file::{SignatureWriter, check_id};
use crate::skips::{Skips, ToldFault};
use crate::sources::{
    FieldNames, InputVersions, SourceRow, SourceTable, SourcesWriter, write_taken,
};
use crate::texts::Texts;
use crate::urls::UrlsWriter;
use batch::{Anchors, Batch};
use resume::{Done, Replayed, Resumable, Resumed};

/// What the identity set of each row goes by; 0 for an empty document.
pub(crate) const IDENTITIES: RowsKind = *b"identity";
/// Bytes of an identity.
pub(crate) const IDENTITY: usize = 16;
/// In place of that of a known document that may be a copy: its text has to be read first. No document that
/// was read has it, or one of 2^128.
pub(crate) const TO_BE_READ: u128 = u128::MAX;

/// The hash of a site for each row; 0 for none.
pub(crate) const SITES: RowsKind = *b"sitehash";

/// Memory for the anchors of a text that comes in pieces.
const LONG_TEXT_ANCHORS: usize = 4 << 20;

/// How to sign.
pub(crate) struct Signing<'a> {
    pub(crate) means: Means<'a>,
    pub(crate) inputs: Inputs<'a>,
    pub(crate) asked: FieldQuestions<'a>,
    /// Whether the first bad record ends the job.
    pub(crate) strict: bool,
    /// Whether the addresses of documents are kept.
    pub(crate) keep_urls: bool,
    /// Where compressed files leave what they unpack to.
    pub(crate) copies: &'a UnpackedCopies,
    /// Documents that are known; they come after the others.
    pub(crate) known: Option<&'a dyn TakesKnown>,
    /// What is cut of all documents, if anything is: their anchors are found on the way.
    pub(crate) anchors: Option<&'a PassageRule>,
    /// The job that goes on where it was stopped, if it can.
    pub(crate) resumable: Option<[u8; 16]>,
}

/// The sides of documents that are known.
pub(crate) trait TakesKnown: Sync {
    /// Signs the documents, or takes over their signatures. All others are in the sink.
    fn sign(&self, signing: &Signing<'_>, sink: &mut Sink<'_>) -> Result<()>;
}

/// What was signed.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct SigningSummary {
    pub(crate) documents: u64,
    pub(crate) empty: u64,
    /// Documents whose address names no site, where sites matter: one without a scheme, mostly.
    #[serde(default)]
    pub(crate) without_site: u64,
    pub(crate) sources: u64,
    /// Bytes of texts and pages.
    pub(crate) bytes: u64,
    /// Words of the texts that can be cut, if their anchors were found on the way.
    #[serde(default)]
    pub(crate) cut_words: Option<u64>,
    /// Documents whose field told a key of the keep policy nothing, by the numbers of keys.
    #[serde(default)]
    pub(crate) without_rank: Vec<u64>,
    /// Files in folders that are of an unknown kind.
    pub(crate) other_files: u64,
    /// Documents whose field has nothing to count, and those whose field has no date.
    #[serde(default)]
    pub(crate) uncounted: u64,
    #[serde(default)]
    pub(crate) undated: u64,
    /// The values of the part field, by their numbers.
    pub(crate) parts: Vec<String>,
    pub(crate) skips: Skips,
    /// Records that are not documents.
    #[serde(default)]
    pub(crate) passed_over: PassedOverCounts,
    /// The sides of known documents, which are not counted above but among what was passed over.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) known: Vec<SideSummary>,
}

impl SigningSummary {
    /// Takes what documents said.
    pub(crate) fn answered(&mut self, said: Summary) {
        let Summary { unranked, uncounted, undated, parts } = said;
        (self.without_rank, self.parts) = (unranked, parts);
        (self.uncounted, self.undated) = (uncounted, undated);
    }

    /// Documents of both sides, of the known one those that take part.
    pub(crate) fn sides(&self) -> Sides {
        let known = self.known.iter().map(|side| side.rows).sum();
        Sides { new: self.documents, known }
    }

    /// Adds what was left out of the listing.
    pub(crate) fn add(&mut self, listed: ListedSources) {
        self.other_files += listed.other_files;
        self.skips.merge(listed.skips);
    }
}

impl Signing<'_> {
    /// Signs all documents of the inputs.
    pub(crate) fn run(&self) -> Result<SigningSummary> {
        let signed = if self.means.recipe.templates.are_learned() {
            self.sign_listed()?
        } else {
            let observer = self.means.observer;
            observer.begin(Stage::Sign, self.inputs.work(observer)?);
            let mut listing = self.inputs.list(self.strict, observer)?;
            let mut signed = self.sign(listing.by_ref().map(|listed| self.readable(listed?)))?;
            signed.add(listing.finish());
            signed
        };
        files::remove(&self.means.files.signing_journal())?;
        Ok(signed)
    }

    /// A source that can be read, and more than once.
    fn readable(&self, (number, source): (u64, Source)) -> Result<(u64, Source)> {
        let files = self.means.files;
        source.local_path().map_or(Ok(()), |path| files.check_foreign(path))?;
        let source = source.spool(&files.work)?;
        Ok((number, source.with_copies(self.copies)))
    }

    /// Lists the sources, for learning and signing to read the same.
    pub(crate) fn list(&self) -> Result<ListedSources> {
        let mut listing = self.inputs.list(self.strict, self.means.observer)?;
        let mut writer = SourcesWriter::create(&self.means.files.listed())?;
        for listed in listing.by_ref() {
            let (_, source) = self.readable(listed?)?;
            let version = source.version()?;
            let (bytes, modified) = SourceRow::state(&version);
            writer.push(&SourceRow {
                source,
                bytes,
                modified,
                first_row: Row::nth(0),
                documents: 0,
                bad: BadRecords::default(),
                broken: false,
                fields: None,
                of_run: None,
            })?;
        }
        writer.finish()?;
        Ok(listing.finish())
    }

    /// The sources that were listed.
    pub(crate) fn listed(&self) -> Result<SourceTable> {
        let sources = SourceTable::open(&self.means.files.listed())?.with_copies(self.copies);
        Ok(match self.inputs.tables {
            Some(tables) => sources.with_tables(tables),
            None => sources,
        })
    }

    /// Signs all documents of the sources that were listed.
    fn sign_listed(&self) -> Result<SigningSummary> {
        let sources = self.listed()?;
        self.means.observer.begin(Stage::Sign, Some(Work::Stored(sources.stored_bytes()?)));
        self.sign(sources.to_read_again(|_| true))
    }

    /// Signs the same documents once more, by another recipe.
    ///
    /// # Errors
    /// If they are not the same any more.
    pub(crate) fn again(&self, sources: &SourceTable) -> Result<SigningSummary> {
        let signed = self.sign(sources.to_read_again(|_| true))?;
        let (found, wanted) = (signed.documents, sources.documents()?);
        if found == wanted {
            return Ok(signed);
        }
        Err(Error::from(ErrorKind::DocumentsMissing { found, wanted }))
    }

    fn sign(
        &self,
        listed: impl Iterator<Item = Result<(u64, Source)>> + Send,
    ) -> Result<SigningSummary> {
        let Means { files, recipe, .. } = self.means;
        let learned = LearnedFiles::open(files, recipe)?;
        let mut sink = Sink::create(self, files)?;
        self.sign_into(&mut sink, listed, learned.as_ref())?;
        self.known.map_or(Ok(()), |known| known.sign(self, &mut sink))?;
        sink.finish()
    }

    /// Signs the documents of known inputs.
    pub(crate) fn sign_known(&self, inputs: Inputs<'_>, sink: &mut Sink<'_>) -> Result<()> {
        let observer = self.means.observer;
        observer.begin(Stage::Sign, inputs.work(observer)?);
        let mut listing = inputs.list(self.strict, observer)?;
        self.sign_into(sink, listing.by_ref().map(|listed| self.readable(listed?)), None)?;
        sink.signed.add(listing.finish());
        Ok(())
    }

    /// Signs the documents of a source of our own.
    pub(crate) fn sign_own(&self, source: Source, sink: &mut Sink<'_>) -> Result<()> {
        self.sign_into(sink, std::iter::once(Ok((0, source))), None)
    }

    fn sign_into(
        &self,
        sink: &mut Sink<'_>,
        listed: impl Iterator<Item = Result<(u64, Source)>> + Send,
        learned: Option<&LearnedFiles>,
    ) -> Result<()> {
        let watched = InputVersions::default();
        let mut read = self.means.read.clone();
        if self.keep_urls {
            read.offsets = Offsets::Told;
        }
        let mut budget = self.means.budget;
        if self.anchors.is_some() {
            // A quarter is for them.
            budget -= budget / 4;
        }
        let means = Means { read: &read, ..self.means };
        let (mut listed, mut journal) = (listed, sink.journal.take());
        let observer = self.means.observer;
        let Resumed { next, done } = match &mut journal {
            Some(journal) => self.resume(journal, sink, &mut listed)?,
            None => Resumed::default(),
        };
        let signed = means.pipeline(budget).run(
            watched.watch(next.map(Ok).into_iter().chain(listed)),
            || Worker::start(self, learned, done),
            |event| match event {
                Event::Result(batch) => {
                    let Some(journal) = &mut journal else { return sink.take(batch) };
                    let (records, stored) = (batch.counts.records, batch.encode());
                    sink.take(batch)?;
                    journal.begin(watched.begun())?;
                    journal.push_batch(records, stored.as_deref());
                    Ok(())
                }
                Event::End { source, fault, .. } => {
                    let begun = watched.begun();
                    let state = watched.ended(&source)?;
                    let fault = fault
                        .map(|fault| Skips::tell(fault.into(), self.strict, observer))
                        .transpose()?;
                    if let Some(journal) = &mut journal {
                        journal.begin(begun)?;
                        journal.end(fault.as_ref());
                    }
                    sink.end(source, state, fault)
                }
            },
        );
        // What it has is written when it goes.
        sink.journal = journal;
        signed
    }

    /// Takes what was made of the sources before the job was stopped.
    fn resume(
        &self,
        journal: &mut Resumable,
        sink: &mut Sink<'_>,
        listed: &mut impl Iterator<Item = Result<(u64, Source)>>,
    ) -> Result<Resumed> {
        let (observer, before) = (self.means.observer, sink.documents);
        let resumed = journal.resume(listed, observer, |replayed| match replayed {
            Replayed::Batch(batch) => sink.take(*batch),
            Replayed::End { source, state, fault } => sink.end(*source, state, fault),
        })?;
        let documents = sink.documents - before;
        if documents > 0 {
            observer.note(&format!("{} had been signed before", count(documents, "document")));
        }
        Ok(resumed)
    }

    fn needs_sites(&self) -> bool {
        self.means.recipe.candidates == Candidates::BySite
    }
}

/// What signs on one thread.
struct Worker<'a> {
    signing: &'a Signing<'a>,
    signer: Signer,
    texts: Texts,
    layout: Layout,
    learned: LearnedReader<'a>,
    anchors: Option<AnchorMaker>,
}

impl<'a> Worker<'a> {
    fn start(
        signing: &'a Signing<'a>,
        learned: Option<&'a LearnedFiles>,
        done: Done,
    ) -> Result<impl FnMut(u64, Piece) -> Result<Batch>> {
        let Means { recipe, kernel, key, .. } = signing.means;
        let signer = Signer::keyed(recipe, kernel, key)?;
        let layout = Layout::of(recipe);
        let mut worker = Self {
            signing,
            signer,
            texts: Texts::new(),
            layout,
            learned: LearnedReader::new(recipe, learned),
            anchors: signing.anchors.map(|rule| AnchorMaker::new(key, rule)),
        };
        Ok(move |source, piece| {
            Ok(match piece {
                Piece::Chunk(chunk) => {
                    let first = chunk.first_record();
                    worker.chunk(source, &chunk, done.of(source, first, chunk.records()))
                }
                Piece::LongText(_) if done.of(source, 1, 1) == 1 => Batch::default(),
                Piece::LongText(source) => worker.long_text(&source)?,
            })
        })
    }

    /// Signs the documents of a chunk, the first records of which may be done.
    fn chunk(&mut self, source: u64, chunk: &Chunk, done: u64) -> Batch {
        let passed_over = chunk.passed_over().to_vec();
        let mut batch = Batch { passed_over, ..Batch::default() };
        let first = chunk.first_record() + done;
        if done > 0 && done == chunk.records() {
            return batch;
        }
        let is_new = |record| record >= first;
        chunk.for_each_wanted(is_new, |record| {
            let number = first + batch.counts.records;
            batch.counts.records += 1;
            match record {
                Ok(record) => {
                    if let Err(fault) = self.document(source, &record, &mut batch) {
                        let (path, fault) = (chunk.path().to_owned(), Box::new(fault));
                        let kind = ErrorKind::Record { path, record: number, fault };
                        batch.bad.push(number, Error::from(kind));
                    }
                }
                Err(fault) => batch.bad.push(number, Error::from(fault)),
            }
        });
        batch
    }

    fn document(&mut self, source: u64, record: &Record<'_>, batch: &mut Batch) -> Result<()> {
        check_id(&record.id)?;
        let template = self.learned.template(record)?;
        let template = template.as_deref();
        let signature = match (&mut self.anchors, self.learned.tokens(source, record)?) {
            (Some(anchors), _) => {
                let row = Row::nth(batch.id_lengths.len() as u64);
                let Anchors { found, words, .. } = &mut batch.anchors;
                self.signer.push_watched(self.texts.of_record(record), &mut |codes| {
                    *words += codes.len() as u64;
                    anchors.push(codes, row, found);
                });
                anchors.end(row, found);
                self.signer.finish()
            }
            (None, Some(document)) => self.signer.sign_distinctive_tokens(document, template),
            (None, None) => self.signer.sign_distinctive(self.texts.of_record(record), template),
        };
        self.layout.encode(signature, &mut batch.signatures);
        batch.identities.extend(identity(signature));
        batch.counts.empty += u64::from(signature.is_empty());
        batch.counts.bytes += record.content.len() as u64;
        batch.id_lengths.push(record.id.len() as u32);
        batch.ids.push_str(&record.id);
        self.signing.asked.record(signature.tokens, record, &mut batch.attributes);
        let (needs_sites, recipe) = (self.signing.needs_sites(), self.signing.means.recipe);
        if needs_sites || recipe.templates == Templates::BySite {
            let site = record.url.as_deref().and_then(|url| recipe.sites.site(url));
            batch.counts.without_site += u64::from(site.is_none() && record.url.is_some());
            if needs_sites {
                // 0 is no site: two documents without one are not of the same.
                batch.sites.push(site.as_deref().map_or(0, site_hash));
            }
        }
        if self.signing.keep_urls {
            batch.urls.push(record.url.as_deref());
            batch.offsets.push(record.offset);
        }
        Ok(())
    }

    /// A text that comes in pieces: only what is known of a text file is known of it.
    fn long_text(&mut self, source: &Source) -> Result<Batch> {
        let mut batch = Batch::default();
        batch.counts.records = 1;
        let Means { recipe, read: options, files, .. } = self.signing.means;
        let mut options = options.clone();
        if self.anchors.is_some() {
            options.limits.max_document_bytes = longest_cut(&options.limits);
        }
        let Anchors { found, of_long_text, words } = &mut batch.anchors;
        let mut taken = Ok(());
        let read = long_text::for_each_piece(source, &options, recipe.tokens, |piece| {
            batch.counts.bytes += piece.len() as u64;
            let Some(anchors) = &mut self.anchors else { return self.signer.push(piece) };
            self.signer.push_watched(piece, &mut |codes| {
                *words += codes.len() as u64;
                anchors.push(codes, Row::nth(0), found);
            });
            if found.len() > ANCHORS_KEPT && taken.is_ok() {
                let sink = of_long_text
                    .get_or_insert_with(|| AnchorSink::new(&files.sorting(), LONG_TEXT_ANCHORS));
                taken = sink.take(Row::nth(0), found);
            }
        });
        let signature = self.signer.finish();
        if let Some(anchors) = &mut self.anchors {
            anchors.end(Row::nth(0), found);
        }
        taken?;
        if let Err(fault) = read {
            batch.counts.bytes = 0;
            batch.anchors = Anchors::default();
            batch.bad.push(1, Error::from(fault));
            return Ok(batch);
        }
        self.layout.encode(signature, &mut batch.signatures);
        batch.identities.extend(identity(signature));
        batch.counts.empty += u64::from(signature.is_empty());
        batch.id_lengths.push(source.id().len() as u32);
        batch.ids.push_str(source.id());
        self.signing.asked.text(signature.tokens, &mut batch.attributes);
        if self.signing.needs_sites() {
            batch.sites.push(0);
        }
        if self.signing.keep_urls {
            batch.urls.push(None);
            batch.offsets.push(None);
        }
        Ok(batch)
    }
}

/// What the identity set of a document goes by: who signed without a key has the public
/// fingerprint only.
pub(crate) fn identity(signature: &Signature) -> [u8; IDENTITY] {
    let identity = signature.identity.unwrap_or(signature.exact);
    if signature.is_empty() { [0; IDENTITY] } else { identity.to_le_bytes() }
}

/// What writes the results, in order.
pub(crate) struct Sink<'a> {
    signing: &'a Signing<'a>,
    /// What it is handed, if the job can go on from there.
    journal: Option<Resumable>,
    signatures: SignatureWriter,
    identities: RowsWriter,
    sources: SourcesWriter,
    sites: Option<RowsWriter>,
    urls: UrlsWriter,
    offsets: OffsetsWriter,
    attributes: AttributesWriter<'a>,
    anchors: Option<AnchorSink>,
    layout: Layout,
    /// Documents of all sides.
    rows: u64,
    /// Documents and bad records of the source so far.
    source: (u64, BadRecords),
    /// What was passed over of the side so far, and its documents.
    skips: Skips,
    documents: u64,
    /// By what known documents are read; nothing while there are none.
    fields: Option<FieldNames>,
    signed: SigningSummary,
}

impl<'a> Sink<'a> {
    fn create(signing: &'a Signing<'a>, files: &Files) -> Result<Self> {
        // What an earlier job left.
        write_taken(&files.sources(), &RowSet::none(0))?;
        let sites = signing.needs_sites().then(|| RowsWriter::create(&files.sites(), SITES, 8));
        let journal = signing.resumable.map(|job| Resumable::open(&files.signing_journal(), job));
        Ok(Self {
            signing,
            journal: journal.transpose()?,
            signatures: SignatureWriter::create(
                files.signatures(),
                signing.means.recipe,
                Existing::Replace,
            )?,
            identities: RowsWriter::create(&files.identities(), IDENTITIES, IDENTITY)?,
            sources: SourcesWriter::create(&files.sources())?,
            sites: sites.transpose()?,
            urls: UrlsWriter::create(&files.urls())?,
            offsets: OffsetsWriter::create(&files.offsets())?,
            attributes: AttributesWriter::create(signing.asked, files)?,
            anchors: signing
                .anchors
                .map(|_| AnchorSink::new(&files.sorting(), signing.means.budget / 4)),
            layout: Layout::of(signing.means.recipe),
            rows: 0,
            source: Default::default(),
            skips: Skips::default(),
            documents: 0,
            fields: None,
            signed: SigningSummary::default(),
        })
    }

    fn take(&mut self, mut batch: Batch) -> Result<()> {
        if let Some(anchors) = &mut self.anchors {
            let Anchors { found, of_long_text, words } = &mut batch.anchors;
            let first = Row::nth(self.rows);
            anchors.take(first, found)?;
            of_long_text.take().map_or(Ok(()), |sink| anchors.take_all(first, sink))?;
            *self.signed.cut_words.get_or_insert_default() += *words;
        }
        let mut id_start = 0;
        let signatures = batch.signatures.chunks_exact(self.layout.bytes());
        for (signature, &length) in signatures.zip(&batch.id_lengths) {
            let id = &batch.ids[id_start..id_start + length as usize];
            self.signatures.push_encoded(id, signature)?;
            id_start += length as usize;
        }
        self.identities.push(&batch.identities)?;
        if let Some(sites) = &mut self.sites {
            batch.sites.iter().try_for_each(|site| sites.push(&site.to_le_bytes()))?;
        }
        self.urls.push(&batch.urls)?;
        self.offsets.push(&batch.offsets)?;
        self.source.1.append(&batch.bad.records);
        let (strict, observer) = (self.signing.strict, self.signing.means.observer);
        self.skips.skip_records(batch.bad, strict, observer)?;
        batch.passed_over.iter().for_each(|why| self.signed.passed_over.add(why));
        let documents = batch.id_lengths.len() as u64;
        self.source.0 += documents;
        self.count(documents)?;
        if self.signed.known.is_empty() {
            self.attributes.take(&batch.attributes)?;
            self.signed.empty += batch.counts.empty;
            self.signed.without_site += batch.counts.without_site;
            self.signed.bytes += batch.counts.bytes;
        }
        self.skips.check_texts(self.documents, false)?;
        observer.advance(batch.counts.bytes, documents);
        Ok(())
    }

    fn count(&mut self, documents: u64) -> Result<()> {
        self.rows += documents;
        self.documents += documents;
        Row::check_count(self.rows)
    }

    fn end(
        &mut self,
        source: Source,
        (bytes, modified): (Option<u64>, Option<u128>),
        fault: Option<ToldFault>,
    ) -> Result<()> {
        let (documents, bad) = std::mem::take(&mut self.source);
        let broken = fault.is_some();
        if let Some(fault) = fault {
            self.skips.add_told(fault);
        }
        self.signed.sources += u64::from(self.fields.is_none());
        self.sources.push(&SourceRow {
            source,
            bytes,
            modified,
            first_row: Row::nth(self.rows - documents),
            documents,
            bad,
            broken,
            fields: self.fields.clone(),
            of_run: None,
        })
    }

    /// Ends a side, and begins one of known documents, which are read by these fields.
    pub(crate) fn begin_known(&mut self, side: SideSummary, fields: &Fields) -> Result<()> {
        self.end_side()?;
        self.fields = Some(FieldNames::of(fields));
        self.signed.known.push(side);
        Ok(())
    }

    fn end_side(&mut self) -> Result<()> {
        let skips = std::mem::take(&mut self.skips);
        let documents = std::mem::take(&mut self.documents);
        skips.check_texts(documents, true)?;
        self.signed.skips.merge(skips);
        match self.signed.known.last_mut() {
            Some(side) => {
                side.rows = documents;
                // Of a run there may be more, which have no part in this.
                side.documents = side.documents.max(documents);
            }
            None => self.signed.documents = documents,
        }
        Ok(())
    }

    fn finish(mut self) -> Result<SigningSummary> {
        self.end_side()?;
        self.identities.finish()?;
        self.sites.map_or(Ok(()), RowsWriter::finish)?;
        self.urls.finish()?;
        self.offsets.finish()?;
        let attributes = self.attributes.finish()?;
        self.signed.answered(attributes);
        self.sources.finish()?;
        self.signatures.finish()?;
        if let Some(anchors) = self.anchors {
            anchors.finish(self.signing.means)?;
            self.signed.cut_words.get_or_insert_default();
        }
        Ok(self.signed)
    }
}

/// A document of a run, as it is taken over.
pub(crate) struct Carried<'a> {
    pub(crate) signature: &'a Signature,
    pub(crate) url: Option<&'a str>,
    pub(crate) offset: Option<u64>,
    /// Whether it has the public fingerprint of a new document.
    pub(crate) may_be_copy: bool,
}

/// What is taken over from runs.
impl Sink<'_> {
    /// The row that comes next.
    pub(crate) fn next_row(&self) -> Row {
        Row::nth(self.rows)
    }

    /// Calls `each` with the signature of every document so far.
    pub(crate) fn for_each_signature(
        &mut self,
        each: impl FnMut(Row, &Signature) -> Result<()>,
    ) -> Result<()> {
        self.signatures.for_each_so_far(each)
    }

    /// Takes a document.
    pub(crate) fn carried(&mut self, id: &str, carried: &Carried<'_>) -> Result<()> {
        let Carried { signature, url, offset, may_be_copy } = *carried;
        self.signatures.push(id, signature)?;
        let identity = if may_be_copy { TO_BE_READ } else { 0 };
        self.identities.push(&identity.to_le_bytes())?;
        if let Some(sites) = &mut self.sites {
            let site = url.and_then(|url| self.signing.means.recipe.sites.site(url));
            sites.push(&site.as_deref().map_or(0, site_hash).to_le_bytes())?;
        }
        self.urls.push_one(url.unwrap_or_default())?;
        self.offsets.push(&[offset])?;
        self.signing.means.observer.tick(self.rows)?;
        self.count(1)
    }

    /// Takes which documents of all known runs are taken over.
    pub(crate) fn taken(&mut self, rows: &RowSet) -> Result<()> {
        write_taken(&self.signing.means.files.sources(), rows)
    }

    /// Takes a source of them.
    pub(crate) fn source(&mut self, source: &SourceRow) -> Result<()> {
        self.sources.push(source)
    }
}
