//! Pairs of documents judged in columns, by the rule of the job.

use std::sync::Arc;

use arrow_array::builder::{BooleanBuilder, Float64Builder, UInt32Builder};
use arrow_array::cast::AsArray as _;
use arrow_array::types::{Int64Type, UInt64Type};
use arrow_array::{Array, ArrayRef, RecordBatch};
use arrow_pyarrow::ToPyArrow as _;
use arrow_schema::DataType;
use lookalike_core::difference::{Bounded, BoundedDifference};
use lookalike_core::recipe::Candidates;
use lookalike_core::resemblance::Overlap;
use lookalike_core::shingle::ShingleSet;
use lookalike_core::{Evidence, Layout, PairRule, Signature, Standing, Verdict};
use pyo3::prelude::*;

use crate::columns::{Column, side_by_side};
use crate::error::{Raise as _, parameter};
use crate::interrupt;
use crate::recipe::Recipe;

/// Pairs in columns.
pub(crate) struct Pairs<'py> {
    pub(crate) shingles: [Option<Bound<'py, PyAny>>; 2],
    pub(crate) signatures: [Option<Bound<'py, PyAny>>; 2],
    pub(crate) same_site: Option<Bound<'py, PyAny>>,
}

const SHINGLES: [&str; 2] = ["shingles_a", "shingles_b"];
const SIGNATURES: [&str; 2] = ["signatures_a", "signatures_b"];
const SAME_SITE: &str = "same_site";

impl Pairs<'_> {
    /// The columns that are given.
    fn columns(&self) -> PyResult<Vec<(&'static str, Column)>> {
        let mut columns = Vec::new();
        let shingles = SHINGLES.into_iter().zip(&self.shingles);
        let signatures = SIGNATURES.into_iter().zip(&self.signatures);
        for (name, values) in shingles.chain(signatures).chain([(SAME_SITE, &self.same_site)]) {
            let Some(values) = values else { continue };
            let column = Column::new(name, values)?;
            let kind = column.kind();
            let (is_right, wanted) = match name {
                SAME_SITE => (*kind == DataType::Boolean, "booleans"),
                _ if SHINGLES.contains(&name) => {
                    (is_list_of_words(kind), "lists of 64-bit integers")
                }
                _ => (kind.is_binary(), "binary, as sign_batch gives it"),
            };
            if !is_right {
                return Err(column.wrong(wanted));
            }
            columns.push((name, column));
        }
        for names in [SHINGLES, SIGNATURES] {
            let given = columns.iter().filter(|(name, _)| names.contains(name)).count();
            if given == 1 {
                return Err(parameter(format!("{} and {} go together", names[0], names[1])));
            }
        }
        Ok(columns)
    }

    /// Whether all is there that the recipe asks for.
    fn check(&self, rule: &PairRule, recipe: &Recipe) -> PyResult<()> {
        let recipe = recipe.core();
        let missing = |what: &str| {
            Err(parameter(format!("the recipe `{}` cannot judge without {what}", recipe.name)))
        };
        if recipe.reads_documents() && self.shingles[0].is_none() {
            return missing("shingles_a and shingles_b");
        }
        recipe.check_judged_by_signatures().raise()?;
        if rule.reads_signatures() && self.signatures[0].is_none() {
            return missing("signatures_a and signatures_b");
        }
        if recipe.candidates == Candidates::BySite && self.same_site.is_none() {
            return missing(SAME_SITE);
        }
        Ok(())
    }
}

fn is_list_of_words(kind: &DataType) -> bool {
    let (DataType::List(items) | DataType::LargeList(items)) = kind else { return false };
    matches!(items.data_type(), DataType::UInt64 | DataType::Int64)
}

/// What a document is compared by; Spark and others have no unsigned integers, so that the bits count.
fn words(column: &dyn Array, row: usize) -> Vec<u64> {
    let list: ArrayRef = match column.data_type() {
        DataType::LargeList(_) => column.as_list::<i64>().value(row),
        _ => column.as_list::<i32>().value(row),
    };
    match list.data_type() {
        DataType::Int64 => list
            .as_primitive::<Int64Type>()
            .values()
            .iter()
            .map(|word| word.cast_unsigned())
            .collect(),
        _ => list.as_primitive::<UInt64Type>().values().to_vec(),
    }
}

fn binary(column: &dyn Array, row: usize) -> &[u8] {
    match column.data_type() {
        DataType::LargeBinary => column.as_binary::<i64>().value(row),
        DataType::BinaryView => column.as_binary_view().value(row),
        DataType::FixedSizeBinary(_) => column.as_fixed_size_binary().value(row),
        _ => column.as_binary::<i32>().value(row),
    }
}

pub(crate) fn judge<'py>(
    py: Python<'py>,
    recipe: &Recipe,
    pairs: &Pairs<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let mut judging = Judging::new(recipe);
    pairs.check(&judging.rule, recipe)?;
    let columns = pairs.columns()?;
    let columns: Vec<(&str, &Column)> = columns.iter().map(|(name, c)| (*name, c)).collect();
    let batches = side_by_side(&columns)?;
    let judged = interrupt::listen(py, |stop| {
        for batch in &batches {
            for row in 0..batch.num_rows() {
                if stop.is_wanted() {
                    break;
                }
                judging.row(batch, row)?;
            }
        }
        Ok::<(), PyErr>(())
    })?;
    judged?;
    judging.finish()?.to_pyarrow(py)
}

/// Columns of judgements in the making.
struct Judging<'a> {
    recipe: &'a Recipe,
    rule: PairRule,
    layout: Layout,
    rows: usize,
    candidate: BooleanBuilder,
    accepted: BooleanBuilder,
    /// Resemblance, containment of a and of b, estimate, difference.
    shares: [Float64Builder; 5],
    /// Equal features, equal bits, repeats with a list in common.
    counts: [UInt32Builder; 3],
}

impl<'a> Judging<'a> {
    fn new(recipe: &'a Recipe) -> Self {
        let (kernel, core) = (recipe.kernel(), recipe.core());
        Self {
            recipe,
            rule: PairRule::new(kernel, core),
            layout: Layout::of(core),
            rows: 0,
            candidate: BooleanBuilder::new(),
            accepted: BooleanBuilder::new(),
            shares: std::array::from_fn(|_| Float64Builder::new()),
            counts: std::array::from_fn(|_| UInt32Builder::new()),
        }
    }

    fn row(&mut self, batch: &RecordBatch, row: usize) -> PyResult<()> {
        self.rows += 1;
        if batch.columns().iter().any(|column| column.is_null(row)) {
            self.candidate.append_null();
            self.accepted.append_null();
            self.shares.iter_mut().for_each(Float64Builder::append_null);
            self.counts.iter_mut().for_each(UInt32Builder::append_null);
            return Ok(());
        }
        let both = |names: [&str; 2]| {
            let [a, b] = names.map(|name| batch.column_by_name(name));
            Some([a?, b?])
        };
        let signatures = match both(SIGNATURES) {
            Some([a, b]) => Some([self.signature(a, row)?, self.signature(b, row)?]),
            None => None,
        };
        let same_site =
            batch.column_by_name(SAME_SITE).is_some_and(|column| column.as_boolean().value(row));
        let similarity = self.rule.candidates().similarity();
        let standing = match &signatures {
            // Whoever asks may have found them in another way than by a key.
            Some([a, b]) if !self.rule.candidates().holds(a, b, same_site) => Standing::NoCandidate,
            Some([a, b]) => self.rule.of_candidate(|| similarity.estimate(a, b)),
            None => self.rule.of_candidate(|| None),
        };
        let contents = both(SHINGLES).map(|both| both.map(|column| words(column, row)));
        let (mut overlap, mut in_order) = (None, None);
        match contents {
            Some([a, b]) if self.rule.reads_sequences() => {
                in_order = Some(self.by_sequences(&a, &b));
            }
            Some(both) => {
                let [a, b] = both.map(ShingleSet::new);
                overlap = Some(Overlap::of(self.recipe.kernel(), &a, &b));
            }
            None => {}
        }
        let verdict = match (standing, overlap, in_order) {
            (Standing::Judged(verdict), ..) | (Standing::Open, _, Some(verdict)) => verdict,
            (Standing::Open, Some(overlap), _) => self.rule.by_overlap(overlap),
            (Standing::NoCandidate | Standing::Open, ..) => Verdict::Refused,
        };
        let difference = match verdict.evidence() {
            Some(Evidence::Difference(share)) => Some(share),
            _ => None,
        };
        self.candidate.append_value(standing != Standing::NoCandidate);
        self.accepted.append_value(verdict.is_accepted());
        let pair = signatures.as_ref();
        // A sketch that is not kept looks like an empty one.
        let sketched = pair.filter(|_| self.recipe.core().keep_sketch);
        let shares = [
            overlap.map(Overlap::resemblance),
            overlap.map(Overlap::containment_a),
            overlap.map(Overlap::containment_b),
            sketched.and_then(|[a, b]| similarity.estimate(a, b)),
            difference,
        ];
        for (builder, share) in self.shares.iter_mut().zip(shares) {
            builder.append_option(share);
        }
        let counts = match pair {
            Some([x, y]) => [similarity.b(x, y), similarity.c(x, y), similarity.lists(x, y)],
            None => [None; 3],
        };
        for (builder, count) in self.counts.iter_mut().zip(counts) {
            builder.append_option(count.map(|count| count as u32));
        }
        Ok(())
    }

    /// What the words in their order say. What would take too long to find out is refused.
    fn by_sequences(&self, a: &[u64], b: &[u64]) -> Verdict {
        let words = [a, b].map(|words| words.len() as u64);
        match BoundedDifference::default().of_slices(a, b, self.rule.most_terms(words)) {
            Bounded::Terms(terms) => self.rule.by_difference(terms, words[0] + words[1]),
            Bounded::More | Bounded::Undecided => Verdict::Refused,
        }
    }

    fn signature(&self, column: &dyn Array, row: usize) -> PyResult<Signature> {
        let bytes = binary(column, row);
        let whole = bytes.len() == self.layout.bytes();
        whole.then(|| self.layout.decode(bytes)).flatten().ok_or_else(|| {
            let (found, expected) = (bytes.len(), self.layout.bytes());
            parameter(format!(
                "row {}: not a signature of this recipe: {found} bytes, where it takes {expected} valid ones",
                self.rows - 1
            ))
        })
    }

    fn finish(mut self) -> PyResult<RecordBatch> {
        let [resemblance, containment_a, containment_b, estimate, difference] =
            self.shares.map(|mut share| Arc::new(share.finish()) as ArrayRef);
        let [b_similarity, c_similarity, repeats_in_common] =
            self.counts.map(|mut count| Arc::new(count.finish()) as ArrayRef);
        let batch = RecordBatch::try_from_iter_with_nullable([
            ("candidate", Arc::new(self.candidate.finish()) as ArrayRef, true),
            ("accepted", Arc::new(self.accepted.finish()), true),
            ("resemblance", resemblance, true),
            ("containment_a", containment_a, true),
            ("containment_b", containment_b, true),
            ("estimate", estimate, true),
            ("b_similarity", b_similarity, true),
            ("c_similarity", c_similarity, true),
            ("repeats_in_common", repeats_in_common, true),
            ("difference", difference, true),
        ]);
        batch.map_err(|error| parameter(error.to_string()))
    }
}
