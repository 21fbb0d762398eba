//! `clusters.parquet` and `pairs.parquet`.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{
    ArrayRef, BooleanArray, Float64Array, RecordBatch, StringArray, TimestampMicrosecondArray,
    UInt32Array, UInt64Array,
};
use arrow_schema::{DataType, Field, Schema, TimeUnit};
use lookalike_core::recipe::{Recipe, Verify};
use lookalike_core::{Evidence, Kernel, Similarity};
use lookalike_files::{AtomicFile, Existing, Rows, double_word};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::errors::ParquetError;
use parquet::file::properties::WriterProperties;

use super::copied_pairs;
use super::most_repeated::Repeats;
use super::outcome::{Follower, Outcome};
use crate::counts::{ClusterCounts, CountReader, Counting, Where};
use crate::error::{Error, Operation, Result};
use crate::files::Files;
use crate::ids::Ids;
use crate::matching::{Pair, PairReader};
use crate::offsets::StoredOffsets;
use crate::order::Order;
use crate::passages::{CutPiece, Cuts};
use crate::places::{InputOrder, Place, Row, Sides};
use crate::report::{Histogram, Kind, Lost};
use crate::scores::{ScoredPair, Scores};
use crate::signature_file::SignatureLookup;
use crate::sort::{Record, SortedRecords, Sorter};
use crate::sources::{SourceRow, SourceTable};
use crate::urls::Urls;

/// Rows that are made at a time, and rows of a row group: little memory for either table.
pub(crate) const BATCH_ROWS: usize = 4096;
const GROUP_ROWS: usize = 1 << 16;

/// The zone of all times.
const UTC: &str = "UTC";

/// What writing the tables needs.
pub(crate) struct Tables<'a> {
    pub(crate) recipe: &'a Recipe,
    pub(crate) kernel: Kernel,
    pub(crate) order: &'a Order,
    pub(crate) signatures: &'a SignatureLookup,
    pub(crate) sources: &'a SourceTable,
    pub(crate) files: &'a Files,
    pub(crate) budget: usize,
    pub(crate) listed: PairListing,
    /// The hashes of the sites of rows, where documents have URLs.
    pub(crate) sites: Option<&'a Rows>,
}

/// Which accepted pairs are listed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PairListing {
    /// Those of removed documents with their keepers.
    WithKeepers,
    /// All that were judged: of an identity set, those of its first document.
    Judged,
    /// Those and what follows from them for copies.
    All,
}

/// What the tables have, for the report.
#[derive(Clone, Debug, Default)]
pub(crate) struct TableSummary {
    pub(crate) clusters: u64,
    /// Those of them whose keeper is known, and the documents that went for one.
    pub(crate) known_clusters: u64,
    pub(crate) known_removed: u64,
    /// Documents that stay though another stands for them.
    pub(crate) kept_beside: u64,
    /// What went, and what of it is not in a keeper.
    pub(crate) lost: Lost,
    pub(crate) pairs: u64,
    /// Identity sets of which not every member's pairs are listed.
    pub(crate) limited_sets: u64,
    /// Documents of each cluster, by the keeper's place; 0 for one that is in none.
    pub(crate) sizes: Vec<u32>,
    /// The resemblance of the pairs.
    pub(crate) histogram: Histogram,
    /// The share of words that differ in them, where that is what decides.
    pub(crate) differences: Histogram,
    /// How often the documents of clusters were found.
    pub(crate) repeats: Repeats,
    /// Pairs of one site, and of two.
    pub(crate) within_sites: u64,
    pub(crate) across_sites: u64,
}

impl TableSummary {
    fn count_sites(&mut self, sites: &Rows, pair: &ScoredPair) -> Result<()> {
        let mut hashes = [[0; 8]; 2];
        sites.rows(pair.a.into(), &mut hashes[0])?;
        sites.rows(pair.b.into(), &mut hashes[1])?;
        // Of a document without one, nothing is known.
        if !hashes.contains(&[0; 8]) {
            let same = hashes[0] == hashes[1];
            *if same { &mut self.within_sites } else { &mut self.across_sites } += 1;
        }
        Ok(())
    }
}

/// A document of a cluster, in the order of the table: by cluster, the keeper first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Member {
    keeper_row: Row,
    fate: Fate,
    row: Row,
    /// How it resembles its keeper; the keeper is the same as itself.
    kind: Kind,
    /// The resemblance, as an integer in the same order; none is all ones.
    resemblance: u64,
}

const NO_RESEMBLANCE: u64 = u64::MAX;

/// What becomes of a member, in the order in which members are listed.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Fate {
    Keeper,
    StaysBeside,
    Goes,
}

impl Fate {
    fn numbered(number: u8) -> Self {
        match number {
            0 => Self::Keeper,
            1 => Self::StaysBeside,
            _ => Self::Goes,
        }
    }
}

impl Record for Member {
    const BYTES: usize = 4 + 1 + 4 + 1 + 8;

    fn encode(self, out: &mut [u8]) {
        out[..4].copy_from_slice(&self.keeper_row.to_le_bytes());
        out[4] = self.fate as u8;
        out[5..9].copy_from_slice(&self.row.to_le_bytes());
        out[9] = self.kind as u8;
        out[10..].copy_from_slice(&self.resemblance.to_le_bytes());
    }

    fn decode(bytes: &[u8]) -> Self {
        Self {
            keeper_row: Row::read(bytes, 0),
            fate: Fate::numbered(bytes[4]),
            row: Row::read(bytes, 5),
            kind: Kind::numbered(bytes[9]),
            resemblance: double_word(bytes, 10),
        }
    }
}

/// A pair in the order of the table: by the rows of both, the first in the input first.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Line {
    pair: Pair<InputOrder>,
    kind: Kind,
}

impl Record for Line {
    const BYTES: usize = Pair::<InputOrder>::BYTES + 1;

    fn encode(self, out: &mut [u8]) {
        out[0] = self.kind as u8;
        self.pair.encode(&mut out[1..]);
    }

    fn decode(bytes: &[u8]) -> Self {
        Self { pair: Pair::decode(&bytes[1..]), kind: Kind::numbered(bytes[0]) }
    }
}

impl Tables<'_> {
    /// Writes both tables; `each_follower` sees every document that another stands for, on the same
    /// pass.
    pub(crate) fn write(
        &self,
        outcome: &Outcome<'_>,
        mut each_follower: impl FnMut(&Follower) -> Result<()>,
    ) -> Result<TableSummary> {
        let sorting = self.files.sorting();
        let mut members = Sorter::new(&sorting, self.budget / 4);
        let mut lines = Sorter::new(&sorting, self.budget / 4);
        let mut counting = Counting::new(self.places_of_counts(), self.budget / 2);
        let mut written =
            TableSummary { sizes: vec![0; outcome.keepers.len()], ..TableSummary::default() };
        outcome.for_each_follower(|follower| {
            each_follower(&follower)?;
            let Follower { place, keeper, stays, kind, copy_of, evidence } = follower;
            let is_known = u64::from(self.order.sides().knows(keeper));
            written.kept_beside += u64::from(stays);
            if let (Some(Evidence::Exact(overlap)), false) = (evidence, stays) {
                written.lost.shingles += overlap.b;
                written.lost.shingles_lost += overlap.b - overlap.common;
            }
            written.known_removed += if stays { 0 } else { is_known };
            let size = &mut written.sizes[keeper.index()];
            // The keeper itself counts, and is a member once.
            if *size == 0 {
                *size = 1;
                written.clusters += 1;
                written.known_clusters += is_known;
                members.push(self.member(keeper, keeper, Fate::Keeper, Kind::Exact, None))?;
                counting.push(self.order.row(keeper), self.order.row(keeper), Kind::Exact)?;
            }
            *size = size.saturating_add(1);
            let fate = if stays { Fate::StaysBeside } else { Fate::Goes };
            members.push(self.member(place, keeper, fate, kind, follower.resemblance()))?;
            counting.push(self.order.row(place), self.order.row(keeper), kind)?;
            let mut push = |earlier, evidence, kind| {
                lines.push(self.line(Pair { earlier, later: place, evidence }, kind))
            };
            if let Some(first) = copy_of {
                push(first, Evidence::Rule, Kind::Exact)?;
            }
            match evidence {
                // All pairs of those that are no copies come below.
                Some(evidence) if copy_of.is_some() || self.listed == PairListing::WithKeepers => {
                    push(keeper, evidence, kind)
                }
                _ => Ok(()),
            }
        })?;
        let mut push_near = |pair| lines.push(self.line(pair, Kind::Near));
        match (self.listed, outcome.pairs) {
            (PairListing::Judged, Some(path)) => {
                let mut pairs = PairReader::open(path)?;
                while let Some(pair) = pairs.next()? {
                    push_near(pair)?;
                }
            }
            (PairListing::All, _) => {
                written.limited_sets = copied_pairs::for_each(outcome, push_near)?;
            }
            _ => {}
        }
        let mut counts = counting.finish()?;
        written.repeats = self.write_clusters(members.finish()?, &written.sizes, &mut counts)?;
        self.write_pairs(lines.finish()?, &mut written)?;
        Ok(written)
    }

    /// Where the sources and dates of documents are.
    pub(crate) fn places_of_counts(&self) -> Where<'_> {
        let have_sites = self.sites.is_some();
        Where { files: self.files, sources: self.sources, have_sites, sides: self.order.sides() }
    }

    fn line(&self, Pair { earlier, later, evidence }: Pair, kind: Kind) -> Line {
        let rows = [earlier, later].map(|place| self.order.row(place));
        Line { pair: Pair::new(rows, evidence), kind }
    }

    fn member(
        &self,
        place: Place,
        keeper: Place,
        fate: Fate,
        kind: Kind,
        resemblance: Option<f64>,
    ) -> Member {
        Member {
            keeper_row: self.order.row(keeper),
            fate,
            row: self.order.row(place),
            kind,
            resemblance: resemblance.map_or(NO_RESEMBLANCE, f64::to_bits),
        }
    }

    fn write_clusters(
        &self,
        mut members: SortedRecords<Member>,
        sizes: &[u32],
        counts: &mut CountReader,
    ) -> Result<Repeats> {
        let time = DataType::Timestamp(TimeUnit::Microsecond, Some(UTC.into()));
        let schema = Schema::new(vec![
            Field::new("id", DataType::Utf8, false),
            Field::new("cluster", DataType::UInt64, false),
            Field::new("size", DataType::UInt64, false),
            Field::new("keeper", DataType::Utf8, false),
            Field::new("kept", DataType::Boolean, false),
            Field::new("kind", DataType::Utf8, false),
            Field::new("resemblance", DataType::Float64, true),
            Field::new("row", DataType::UInt64, false),
            Field::new("source", DataType::Utf8, false),
            Field::new("record", DataType::UInt64, false),
            Field::new("url", DataType::Utf8, true),
            Field::new("offset", DataType::UInt64, true),
            Field::new("copies", DataType::UInt64, false),
            Field::new("exact_copies", DataType::UInt64, false),
            Field::new("sources", DataType::UInt64, false),
            Field::new("first", time.clone(), true),
            Field::new("last", time, true),
            Field::new("known", DataType::Boolean, false),
            Field::new("keeper_known", DataType::Boolean, false),
        ]);
        let path = self.files.clusters();
        let mut table = Table::create(&path, Existing::Replace, schema)?;
        let mut ids = Ids::new(self.signatures);
        let mut urls = Urls::open(&self.files.urls())?;
        let offsets = StoredOffsets::open(&self.files.offsets())?;
        // The source of the last row, and the id of the last keeper.
        let mut at_hand: Option<SourceRow> = None;
        let mut keeper = (Row::NONE, String::new());
        let (mut counted, mut repeats) = (None, Repeats::default());
        loop {
            let mut lines = Vec::new();
            while lines.len() < BATCH_ROWS
                && let Some(member) = members.next()?
            {
                if keeper.0 != member.keeper_row {
                    keeper = (member.keeper_row, ids.get(member.keeper_row)?);
                    // Both are in the order of keepers, and have the same of them.
                    counted = counts.next()?;
                    if let Some(counts) = &counted {
                        repeats.add(counts);
                    }
                }
                let place = self.order.place(member.keeper_row);
                let row = member.row;
                if at_hand.as_ref().is_none_or(|source| !source.rows().contains(&row)) {
                    at_hand = self.sources.of_row(row)?;
                }
                let (source, record) = match &at_hand {
                    Some(source) => (source.source.id(), source.record_of(row)),
                    None => ("", u64::from(row) + 1),
                };
                let texts = [ids.get(row)?, keeper.1.clone(), source.to_owned()];
                let url = urls.as_mut().map(|urls| urls.get(row)).transpose()?.flatten();
                let offset =
                    offsets.as_ref().map(|offsets| offsets.get(row)).transpose()?.flatten();
                let numbers = [sizes[place.index()].into(), record];
                let Some(counts) = counted else { unreachable!("every keeper was counted") };
                let sides = self.order.sides();
                let known = [row, member.keeper_row].map(|row| sides.knows_row(row));
                lines.push(ClusterLine { member, texts, numbers, url, offset, counts, known });
            }
            if lines.is_empty() {
                return table.finish().map(|()| repeats);
            }
            table.write(cluster_columns(&lines))?;
        }
    }

    /// Writes `passages.parquet`: what was cut, in the order of the input; or what was annotated, all of it or of
    /// documents that cannot be cut.
    pub(crate) fn write_passages(&self, cuts: &Cuts, annotates: bool) -> Result<()> {
        let schema = Schema::new(vec![
            Field::new("id", DataType::Utf8, false),
            Field::new("begin", DataType::UInt64, false),
            Field::new("end", DataType::UInt64, false),
            Field::new("words", DataType::UInt64, false),
            Field::new("copies", DataType::UInt64, false),
            Field::new("keeper", DataType::Utf8, false),
            Field::new("keeper_begin", DataType::UInt64, false),
            Field::new("keeper_end", DataType::UInt64, false),
            Field::new("row", DataType::UInt64, false),
            Field::new("keeper_row", DataType::UInt64, false),
            Field::new("cut", DataType::Boolean, false),
        ]);
        let mut table = Table::create(&self.files.passages(), Existing::Replace, schema)?;
        let mut ids = Ids::new(self.signatures);
        let mut batch: Vec<(CutPiece, [String; 2])> = Vec::new();
        cuts.for_each(|mut piece| {
            piece.annotated |= annotates;
            batch.push((piece, [ids.get(piece.row)?, ids.get(piece.keeper)?]));
            if batch.len() == BATCH_ROWS {
                table.write(passage_columns(&batch))?;
                batch.clear();
            }
            Ok(())
        })?;
        if !batch.is_empty() {
            table.write(passage_columns(&batch))?;
        }
        table.finish()
    }

    fn write_pairs(
        &self,
        mut lines: SortedRecords<Line>,
        written: &mut TableSummary,
    ) -> Result<()> {
        let schema = Schema::new(vec![
            Field::new("a", DataType::Utf8, false),
            Field::new("b", DataType::Utf8, false),
            Field::new("kind", DataType::Utf8, false),
            Field::new("b_similarity", DataType::UInt32, true),
            Field::new("c_similarity", DataType::UInt32, true),
            Field::new("repeats_in_common", DataType::UInt32, true),
            Field::new("estimate", DataType::Float64, true),
            Field::new("resemblance", DataType::Float64, true),
            Field::new("containment_a", DataType::Float64, true),
            Field::new("containment_b", DataType::Float64, true),
            Field::new("difference", DataType::Float64, true),
            Field::new("row_a", DataType::UInt64, false),
            Field::new("row_b", DataType::UInt64, false),
            Field::new("known", DataType::Boolean, false),
        ]);
        let path = self.files.pairs();
        let mut table = Table::create(&path, Existing::Replace, schema)?;
        let mut ids = Ids::new(self.signatures);
        let similarity = Similarity::new(self.kernel, self.recipe);
        let mut last = None;
        loop {
            let mut batch = Vec::new();
            while batch.len() < BATCH_ROWS
                && let Some(line) = lines.next()?
            {
                // A copy with its keeper may also be a pair of two sets.
                if last.replace(line) == Some(line) {
                    continue;
                }
                let pair = self.scored(&similarity, &line)?;
                let Scores { resemblance, difference, .. } = pair.scores;
                if let Some(resemblance) = resemblance {
                    written.histogram.add(resemblance);
                }
                if let Some(difference) = difference {
                    written.differences.add(difference);
                }
                written.pairs += 1;
                let known = self.order.sides().knows_row(pair.b);
                if let Some(sites) = self.sites.filter(|_| !known) {
                    written.count_sites(sites, &pair)?;
                }
                batch.push((pair, [ids.get(pair.a)?, ids.get(pair.b)?]));
            }
            if batch.is_empty() {
                return table.finish();
            }
            table.write(pair_columns(&batch, self.order.sides()))?;
        }
    }

    fn scored(&self, similarity: &Similarity, line: &Line) -> Result<ScoredPair> {
        let Line { pair: Pair { earlier: a, later: b, evidence }, kind } = *line;
        let x = self.signatures.signature(a)?;
        // Copies have the same signature; two readings would say the same.
        let y = if kind == Kind::Exact { x.clone() } else { self.signatures.signature(b)? };
        let estimate = match evidence {
            Evidence::Estimate(estimate) => Some(estimate),
            _ => similarity.estimate(&x, &y),
        };
        let shares = if kind == Kind::Exact { Some([1.0; 3]) } else { evidence.shares() };
        let difference = match (evidence, self.recipe.verify) {
            (Evidence::Difference(share), _) => Some(share),
            (_, Verify::Difference) if kind == Kind::Exact => Some(0.0),
            _ => None,
        };
        let scores = Scores {
            resemblance: shares.map(|shares| shares[0]),
            containment_a: shares.map(|shares| shares[1]),
            containment_b: shares.map(|shares| shares[2]),
            estimate,
            difference,
            b_similarity: similarity.b(&x, &y).map(|n| n as u32),
            c_similarity: similarity.c(&x, &y).map(|n| n as u32),
            repeats_in_common: similarity.lists(&x, &y).map(|n| n as u32),
        };
        Ok(ScoredPair { a, b, kind, scores })
    }
}

/// A row of `clusters.parquet`.
struct ClusterLine {
    member: Member,
    /// Its id, its keeper's, and the name of its source.
    texts: [String; 3],
    /// The size of its cluster, and its record.
    numbers: [u64; 2],
    url: Option<String>,
    offset: Option<u64>,
    /// Its keeper's.
    counts: ClusterCounts,
    /// Whether it is known, and its keeper.
    known: [bool; 2],
}

fn cluster_columns(lines: &[ClusterLine]) -> Vec<ArrayRef> {
    let text = |n: usize| strings(lines.iter().map(move |line| &*line.texts[n]));
    let number = |of: fn(&ClusterLine) -> u64| numbers(lines.iter().map(of));
    let kind = |member: &Member| match member.fate {
        Fate::Keeper => "keeper",
        Fate::StaysBeside | Fate::Goes => member.kind.name(),
    };
    let resemblance = |member: &Member| {
        (member.resemblance != NO_RESEMBLANCE).then(|| f64::from_bits(member.resemblance))
    };
    let resemblances = lines.iter().map(|line| resemblance(&line.member));
    vec![
        text(0),
        number(|line| line.member.keeper_row.into()),
        number(|line| line.numbers[0]),
        text(1),
        truths(lines.iter().map(|line| line.member.fate != Fate::Goes)),
        strings(lines.iter().map(|line| kind(&line.member))),
        Arc::new(resemblances.collect::<Float64Array>()),
        number(|line| line.member.row.into()),
        text(2),
        number(|line| line.numbers[1]),
        Arc::new(lines.iter().map(|line| line.url.as_deref()).collect::<StringArray>()),
        Arc::new(lines.iter().map(|line| line.offset).collect::<UInt64Array>()),
        number(|line| line.counts.copies),
        number(|line| line.counts.exact_copies),
        number(|line| line.counts.sources),
        times(lines.iter().map(|line| line.counts.first)),
        times(lines.iter().map(|line| line.counts.last)),
        truths(lines.iter().map(|line| line.known[0])),
        truths(lines.iter().map(|line| line.known[1])),
    ]
}

fn passage_columns(lines: &[(CutPiece, [String; 2])]) -> Vec<ArrayRef> {
    let id = |n: usize| strings(lines.iter().map(move |(_, ids)| &*ids[n]));
    let number = |of: fn(&CutPiece) -> u64| numbers(lines.iter().map(|(piece, _)| of(piece)));
    vec![
        id(0),
        number(|piece| piece.begin.into()),
        number(|piece| piece.end.into()),
        number(|piece| piece.words.into()),
        number(|piece| piece.copies.into()),
        id(1),
        number(|piece| piece.keeper_begin.into()),
        number(|piece| piece.keeper_end.into()),
        number(|piece| piece.row.into()),
        number(|piece| piece.keeper.into()),
        truths(lines.iter().map(|(piece, _)| !piece.annotated)),
    ]
}

fn pair_columns(lines: &[(ScoredPair, [String; 2])], sides: Sides) -> Vec<ArrayRef> {
    let id = |n: usize| strings(lines.iter().map(move |(_, ids)| &*ids[n]));
    let similarity = |of: fn(&Scores) -> Option<u32>| -> ArrayRef {
        Arc::new(lines.iter().map(|(pair, _)| of(&pair.scores)).collect::<UInt32Array>())
    };
    let share = |of: fn(&Scores) -> Option<f64>| -> ArrayRef {
        Arc::new(lines.iter().map(|(pair, _)| of(&pair.scores)).collect::<Float64Array>())
    };
    vec![
        id(0),
        id(1),
        strings(lines.iter().map(|(pair, _)| pair.kind.name())),
        similarity(|scores| scores.b_similarity),
        similarity(|scores| scores.c_similarity),
        similarity(|scores| scores.repeats_in_common),
        share(|scores| scores.estimate),
        share(|scores| scores.resemblance),
        share(|scores| scores.containment_a),
        share(|scores| scores.containment_b),
        share(|scores| scores.difference),
        numbers(lines.iter().map(|(pair, _)| pair.a.into())),
        numbers(lines.iter().map(|(pair, _)| pair.b.into())),
        // Of two rows a known one is the second, and both are never known.
        truths(lines.iter().map(|(pair, _)| sides.knows_row(pair.b))),
    ]
}

fn strings<'a>(values: impl Iterator<Item = &'a str>) -> ArrayRef {
    Arc::new(StringArray::from_iter_values(values))
}

fn truths(values: impl Iterator<Item = bool>) -> ArrayRef {
    Arc::new(values.map(Some).collect::<BooleanArray>())
}

fn numbers(values: impl Iterator<Item = u64>) -> ArrayRef {
    Arc::new(UInt64Array::from_iter_values(values))
}

fn times(values: impl Iterator<Item = Option<i64>>) -> ArrayRef {
    Arc::new(values.collect::<TimestampMicrosecondArray>().with_timezone(UTC))
}

/// A Parquet file in the making.
pub(crate) struct Table {
    path: PathBuf,
    schema: Arc<Schema>,
    writer: ArrowWriter<AtomicFile>,
}

impl Table {
    pub(crate) fn create(path: &Path, existing: Existing, schema: Schema) -> Result<Self> {
        let schema = Arc::new(schema);
        let properties = WriterProperties::builder()
            .set_compression(Compression::ZSTD(ZstdLevel::default()))
            .set_max_row_group_row_count(Some(GROUP_ROWS))
            .build();
        let file = AtomicFile::create(path, existing)?;
        let writer = ArrowWriter::try_new(file, Arc::clone(&schema), Some(properties));
        let writer = writer.map_err(|error| failed(path, error))?;
        Ok(Self { path: path.to_owned(), schema, writer })
    }

    /// The name that it has until it is complete.
    pub(crate) fn partial_path(&self) -> &Path {
        self.writer.inner().partial_path()
    }

    pub(crate) fn write(&mut self, columns: Vec<ArrayRef>) -> Result<()> {
        let batch = RecordBatch::try_new(Arc::clone(&self.schema), columns);
        let batch = batch.map_err(|error| failed(&self.path, error.into()))?;
        self.writer.write(&batch).map_err(|error| failed(&self.path, error))
    }

    pub(crate) fn finish(self) -> Result<()> {
        let Self { path, writer, .. } = self;
        let file = writer.into_inner().map_err(|error| failed(&path, error))?;
        Ok(file.commit()?)
    }
}

fn failed(path: &Path, error: ParquetError) -> Error {
    Error::io(path, Operation::Write, std::io::Error::other(error))
}
