//! What is added to the records that are written: what was decided of each, how often it counts, and
//! which of its passages stand elsewhere.
//!
//! Documents of clusters are a table on disk, sorted by their rows, and so are passages; both
//! are read along with the records. What has no line there stays, and stands for itself.
//! In JSON the fields are an object, `{"lookalike": {"cluster": ..}}`. In tables they are columns,
//! `lookalike_cluster`: a dot in the name of a column is quoted in SQL and taken for a path by some readers.

use std::ops::Range;

use lookalike_corpus::{AddedField, AddedKind, AddedSpan, AddedValue, Format};
use lookalike_files::{Rows, RowsKind, RowsWriter, double_word};

use super::outcome::Follower;
use super::written::{Writing, has_fields};
use crate::by_row::ByRow;
use crate::document_set::RowSet;
use crate::error::Result;
use crate::files::Files;
use crate::ids::Ids;
use crate::order::Order;
use crate::passages::{CutPiece, Cuts};
use crate::places::{Place, Row};
use crate::report::Kind;
use crate::signature_file::SignatureLookup;
use crate::sort::{Record as _, Sorter};

const ANNOTATIONS: RowsKind = *b"annotate";

/// A document of a cluster: its row and its keeper's, its role and the copies of the cluster, the bits
/// of the resemblance.
type Packed = [u64; 3];

/// What a document is in its cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Keeper,
    Exact,
    Near,
}

impl Role {
    const ALL: [Self; 3] = [Self::Keeper, Self::Exact, Self::Near];

    fn name(self) -> &'static str {
        match self {
            Self::Keeper => "keeper",
            Self::Exact => Kind::Exact.name(),
            Self::Near => Kind::Near.name(),
        }
    }
}

/// No resemblance; not the bits of one.
const NONE: u64 = u64::MAX;

fn pair(high: u64, low: u32) -> u64 {
    high << 32 | u64::from(low)
}

/// Collects the documents of clusters, as they are decided.
pub(crate) struct AnnotationSorter<'a> {
    order: &'a Order,
    sorter: Sorter<Packed>,
}

impl<'a> AnnotationSorter<'a> {
    pub(crate) fn new(order: &'a Order, files: &Files, budget: usize) -> Self {
        Self { order, sorter: Sorter::new(&files.sorting(), budget) }
    }

    /// A document that another stands for.
    pub(crate) fn push(&mut self, follower: &Follower) -> Result<()> {
        let role = if follower.kind == Kind::Exact { Role::Exact } else { Role::Near };
        let rows = [follower.place, follower.keeper].map(|place| self.order.row(place));
        self.push_as(rows, role, follower.resemblance().map_or(NONE, f64::to_bits))
    }

    fn push_as(&mut self, [row, keeper]: [Row; 2], role: Role, resemblance: u64) -> Result<()> {
        let rows = pair(row.into(), u64::from(keeper) as u32);
        self.sorter.push([rows, pair(role as u64, 0), resemblance])
    }

    /// Adds the keepers, and writes all down. `sizes` has the documents of each cluster, by its keeper's
    /// place.
    pub(crate) fn write(mut self, sizes: &[u32], files: &Files) -> Result<()> {
        for (place, &size) in Place::all().zip(sizes) {
            if size > 1 {
                let row = self.order.row(place);
                self.push_as([row, row], Role::Keeper, NONE)?;
            }
        }
        let mut table = RowsWriter::create(&files.annotations(), ANNOTATIONS, Packed::BYTES)?;
        let (mut sorted, mut bytes) = (self.sorter.finish()?, [0; Packed::BYTES]);
        while let Some([rows, role, resemblance]) = sorted.next()? {
            let keeper = keeper_of(rows);
            let copies = sizes[self.order.place(keeper).index()];
            [rows, role | u64::from(copies), resemblance].encode(&mut bytes);
            table.push(&bytes)?;
        }
        Ok(table.finish()?)
    }
}

/// The table of documents of clusters.
pub(crate) struct ClusterTable(Rows);

impl ClusterTable {
    pub(crate) fn open(files: &Files) -> Result<Self> {
        Ok(Self(Rows::open(&files.annotations(), ANNOTATIONS, Packed::BYTES)?))
    }

    /// Its entries from a row on, row by row.
    pub(crate) fn from(&self, row: Row) -> Result<ByRow<'_, 3>> {
        ByRow::from(&self.0, row)
    }

    /// The keepers of all clusters, among so many documents.
    pub(crate) fn keepers(&self, documents: u64) -> Result<RowSet> {
        let mut keepers = RowSet::none(documents);
        self.0.for_each(|_, entry| -> Result<()> {
            keepers.insert(keeper_of(double_word(entry, 0)));
            Ok(())
        })?;
        Ok(keepers.count())
    }
}

/// The second of two rows that are packed.
pub(super) fn keeper_of(rows: u64) -> Row {
    Row::nth(rows & u64::from(u32::MAX))
}

/// What can be added to records.
pub(crate) struct Annotations<'a> {
    writing: &'a Writing,
    /// Whether records say what was decided of them.
    says_clusters: bool,
    clusters: &'a ClusterTable,
    signatures: &'a SignatureLookup,
    /// Passages that are not cut, if any were looked for.
    passages: Option<&'a Cuts>,
}

impl<'a> Annotations<'a> {
    pub(crate) fn new(
        writing: &'a Writing,
        clusters: &'a ClusterTable,
        signatures: &'a SignatureLookup,
        passages: Option<&'a Cuts>,
    ) -> Self {
        Self { writing, says_clusters: writing.annotates, clusters, signatures, passages }
    }

    /// Where no document was compared with another: only passages are told.
    pub(crate) fn without_clusters(mut self) -> Self {
        self.says_clusters = false;
        self
    }

    /// The fields that records of this format get.
    pub(crate) fn fields(&self, format: Format) -> Vec<AddedField> {
        if !has_fields(format) || !self.writing.adds() {
            return Vec::new();
        }
        let own = [
            ("cluster", AddedKind::Integer),
            ("copies", AddedKind::Integer),
            ("keeper", AddedKind::String),
            ("kind", AddedKind::String),
            ("resemblance", AddedKind::Float),
            ("kept", AddedKind::Bool),
        ];
        let own = own.into_iter().filter(|_| self.says_clusters);
        let weight = self.writing.weighs.then_some(("weight", AddedKind::Integer));
        let passages = self.passages.map(|_| ("passages", AddedKind::Spans));
        let separator = if format == Format::JsonLines { '.' } else { '_' };
        own.chain(weight)
            .chain(passages)
            .map(|(field, kind)| AddedField {
                name: format!("{}{separator}{field}", self.writing.name),
                kind,
            })
            .collect()
    }

    /// For the documents of some rows, in order.
    pub(crate) fn of(&self, rows: &Range<Row>) -> Result<RowAnnotations<'_>> {
        Ok(RowAnnotations {
            writing: self.writing,
            says_clusters: self.says_clusters,
            clusters: self.clusters.from(rows.start)?,
            passages: self.passages.map(|cuts| cuts.from(rows.start)).transpose()?,
            ids: Ids::new(self.signatures),
        })
    }
}

/// What is added to records, one after another.
pub(crate) struct RowAnnotations<'a> {
    writing: &'a Writing,
    says_clusters: bool,
    clusters: ByRow<'a, 3>,
    passages: Option<ByRow<'a, 4>>,
    ids: Ids<'a>,
}

/// What is known of a row.
pub(crate) struct RowAnnotation {
    /// The values of the fields.
    pub(crate) values: Vec<AddedValue>,
    /// How often it is written besides.
    pub(crate) repeats: u32,
}

impl RowAnnotations<'_> {
    /// What is added to the next record, of a document that stays or goes.
    pub(crate) fn next(&mut self, row: Row, kept: bool) -> Result<RowAnnotation> {
        let found = self.clusters.of(row)?.first().copied();
        let copies = found.map_or(1, |[_, role, _]| role as u32);
        let times = match &self.writing.repeats {
            Some(repeats) if kept => repeats.times(copies),
            _ => u32::from(kept),
        };
        let mut values = Vec::new();
        if self.says_clusters {
            values = self.of_cluster(found, kept, copies)?;
        }
        if self.writing.weighs {
            values.push(AddedValue::Integer(times.into()));
        }
        if let Some(passages) = &mut self.passages {
            let pieces = passages.of(row)?.iter().copied().map(CutPiece::unpack);
            let spans = pieces.map(|piece| span(piece, &mut self.ids));
            values.push(AddedValue::Spans(spans.collect::<Result<_>>()?));
        }
        let repeats = if self.writing.repeats() { times.saturating_sub(1) } else { 0 };
        Ok(RowAnnotation { values, repeats })
    }

    fn of_cluster(
        &mut self,
        found: Option<Packed>,
        kept: bool,
        copies: u32,
    ) -> Result<Vec<AddedValue>> {
        let (mut cluster, mut keeper, mut kind, mut resemblance) = Default::default();
        if let Some([rows, role, bits]) = found {
            let row = keeper_of(rows);
            cluster = AddedValue::Integer(u64::from(row).cast_signed());
            keeper = AddedValue::String(self.ids.get(row)?);
            let role = Role::ALL.get((role >> 32) as usize);
            kind = role.map_or(AddedValue::Null, |role| AddedValue::String(role.name().to_owned()));
            if bits != NONE {
                resemblance = AddedValue::Float(f64::from_bits(bits));
            }
        }
        let copies = AddedValue::Integer(copies.into());
        Ok(vec![cluster, copies, keeper, kind, resemblance, AddedValue::Bool(kept)])
    }
}

fn span(piece: CutPiece, ids: &mut Ids<'_>) -> Result<AddedSpan> {
    Ok(AddedSpan {
        begin: piece.begin.into(),
        end: piece.end.into(),
        words: piece.words.into(),
        copies: piece.copies.into(),
        keeper: ids.get(piece.keeper)?,
        keeper_begin: piece.keeper_begin.into(),
        keeper_end: piece.keeper_end.into(),
    })
}
