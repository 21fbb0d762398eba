//! Columns of documents to columns of signatures: what a job on other machines needs of each
//! document, by the same code as the job here.
//!
//! A row that the job would skip, such as one without a text, is null in every column.

use std::sync::Arc;

use arrow_array::builder::{
    ArrayBuilder, BinaryBuilder, BooleanBuilder, FixedSizeBinaryBuilder, ListBuilder,
    TimestampMicrosecondBuilder, UInt64Builder,
};
use arrow_array::{Array as _, ArrayRef, RecordBatch};
use arrow_pyarrow::ToPyArrow as _;
use arrow_schema::{DataType, Field, Schema};
use lookalike_core::recipe::Verify;
use lookalike_core::{CandidateRule, Layout, Signature, VerificationKey, site_hash};
use lookalike_corpus::{ContentKind, ReadOptions, Record, Sources, Tables};
use lookalike_engine::{KeepPolicy, Texts, date_microseconds};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::columns::{Column, side_by_side};
use crate::error::{Raise, parameter};
use crate::interrupt::{self, Stop};
use crate::recipe::{Recipe, Tools};

/// Documents in columns.
pub(crate) struct Documents<'py, 'a> {
    pub(crate) texts: Option<Bound<'py, PyAny>>,
    pub(crate) html: Option<Bound<'py, PyAny>>,
    pub(crate) urls: Option<Bound<'py, PyAny>>,
    pub(crate) keep: Option<&'a str>,
    /// The values of the field that the policy looks at.
    pub(crate) keep_values: Option<Bound<'py, PyAny>>,
    /// What says when documents were.
    pub(crate) dates: Option<Bound<'py, PyAny>>,
    /// What identities and shingle sets are under; they are public without one.
    pub(crate) key: Option<VerificationKey>,
}

/// Documents as the library reads them.
struct Rows {
    tables: Tables,
    options: ReadOptions,
    keep: Option<KeepPolicy>,
    has_urls: bool,
    has_dates: bool,
}

/// Names that no field has, so that the one of the policy can have any.
const CONTENT: &str = "\0content";
const URL: &str = "\0url";
const DATE: &str = "\0date";
const NONE: &str = "\0none";

impl Documents<'_, '_> {
    fn rows(&self) -> PyResult<Rows> {
        let (kind, content) = match (&self.texts, &self.html) {
            (Some(texts), None) => (ContentKind::Text, Column::text("texts", texts)?),
            (None, Some(html)) => (ContentKind::Html, Column::text("html", html)?),
            _ => return Err(parameter("either texts or html must be given")),
        };
        let keep = self.keep.map(str::parse::<KeepPolicy>).transpose().raise()?;
        let values = self.values(keep.as_ref())?;
        let urls = self.urls.as_ref().map(|urls| Column::text("urls", urls)).transpose()?;
        let dates = self.dates.as_ref().map(|dates| Column::new("dates", dates)).transpose()?;
        let mut columns = vec![(CONTENT, &content)];
        columns.extend(dates.as_ref().map(|dates| (DATE, dates)));
        columns.extend(urls.as_ref().map(|urls| (URL, urls)));
        columns.extend(values.iter().map(|(field, values)| (field.as_str(), values)));
        let tables = Tables::one("row", side_by_side(&columns)?);
        let mut options = ReadOptions::default();
        let [text, html] = match kind {
            ContentKind::Text => [CONTENT, NONE],
            ContentKind::Html => [NONE, CONTENT],
            ContentKind::Items => [NONE, NONE],
        };
        text.clone_into(&mut options.fields.text);
        html.clone_into(&mut options.fields.html);
        NONE.clone_into(&mut options.fields.id);
        URL.clone_into(&mut options.fields.url);
        let has_urls = urls.is_some();
        let has_dates = dates.is_some();
        Ok(Rows { tables, options, keep, has_urls, has_dates })
    }

    /// What the fields of the policy have: a column, or several by the names of fields.
    fn values(&self, keep: Option<&KeepPolicy>) -> PyResult<Vec<(String, Column)>> {
        let mut fields: Vec<&str> = keep.into_iter().flat_map(KeepPolicy::fields).collect();
        fields.sort_unstable();
        fields.dedup();
        let Some(values) = &self.keep_values else {
            return match fields.first() {
                None => Ok(Vec::new()),
                Some(field) => {
                    Err(parameter(format!("keep looks at `{field}`, but no keep_values are given")))
                }
            };
        };
        if fields.is_empty() {
            return Err(parameter("keep_values are given, but keep looks at no field"));
        }
        let named = values.cast::<PyDict>().ok();
        if fields.len() > 1 && named.is_none() {
            let fields = fields.join("`, `");
            return Err(parameter(format!(
                "keep looks at `{fields}`, so that keep_values must be a dict of a column for each"
            )));
        }
        let column = |field: &str| {
            let missing = || parameter(format!("keep_values have no column `{field}`"));
            let values = match named {
                Some(named) => &named.get_item(field)?.ok_or_else(missing)?,
                None => values,
            };
            Ok((field.to_owned(), Column::new("keep_values", values)?))
        };
        fields.into_iter().map(column).collect()
    }
}

impl Rows {
    /// Calls `each` with every row in order; `None` for one that the job would skip.
    fn for_each(
        &self,
        stop: &Stop,
        mut each: impl FnMut(Option<&Record<'_>>) -> PyResult<()>,
    ) -> PyResult<()> {
        for source in Sources::of_tables(&self.tables) {
            for chunk in source.raise()?.chunks(&self.options) {
                if stop.is_wanted() {
                    return Ok(());
                }
                let mut result = Ok(());
                chunk.raise()?.for_each(|record| {
                    if result.is_ok() && !stop.is_wanted() {
                        result = each(record.ok().as_ref());
                    }
                });
                result?;
            }
        }
        Ok(())
    }
}

/// The columns that `sign_batch` can give, in their order.
const COLUMNS: [&str; 12] = [
    "exact",
    "identity",
    "tokens",
    "shingles",
    "empty",
    "features",
    "keys",
    "projection",
    "signature",
    "site",
    "rank",
    "date",
];

pub(crate) fn sign<'py>(
    py: Python<'py>,
    recipe: &Recipe,
    documents: &Documents<'py, '_>,
    wanted: Option<Vec<String>>,
) -> PyResult<Bound<'py, PyAny>> {
    let rows = documents.rows()?;
    let wanted = wanted.unwrap_or_else(|| {
        let there = |name: &&&str| match **name {
            "identity" => documents.key.is_some(),
            "site" => rows.has_urls,
            "rank" => rows.keep.is_some(),
            "date" => rows.has_dates,
            _ => true,
        };
        COLUMNS.iter().filter(there).map(|&name| name.to_owned()).collect()
    });
    if documents.key.is_none() && wanted.iter().any(|name| name == "identity") {
        return Err(parameter("the column `identity` needs a key"));
    }
    let mut signing = Signing::new(recipe, &rows, &wanted)?;
    let key = documents.key.as_ref();
    let signed = interrupt::listen(py, |stop| {
        let mut texts = Texts::new();
        recipe.with_tools_under(key, |tools| {
            rows.for_each(stop, |record| {
                signing.row(tools, &mut texts, record);
                Ok(())
            })
        })?
    })?;
    signed?;
    signing.finish()?.to_pyarrow(py)
}

/// Columns of signatures in the making.
struct Signing<'a> {
    recipe: &'a Recipe,
    rule: CandidateRule,
    layout: Layout,
    keep: Option<&'a KeepPolicy>,
    counts_shingles: bool,
    columns: Vec<(String, Building)>,
    buffer: Vec<u8>,
    keys: Vec<u64>,
}

enum Building {
    Exact(FixedSizeBinaryBuilder),
    Identity(FixedSizeBinaryBuilder),
    Tokens(UInt64Builder),
    Shingles(UInt64Builder),
    Empty(BooleanBuilder),
    Features(ListBuilder<UInt64Builder>),
    Keys(ListBuilder<UInt64Builder>),
    Projection(BinaryBuilder),
    Signature(BinaryBuilder),
    Site(UInt64Builder),
    Rank(ListBuilder<UInt64Builder>),
    Date(TimestampMicrosecondBuilder),
}

impl<'a> Signing<'a> {
    fn new(recipe: &'a Recipe, rows: &'a Rows, wanted: &[String]) -> PyResult<Self> {
        let column = |name: &String| {
            let building = match name.as_str() {
                "exact" => Building::Exact(FixedSizeBinaryBuilder::new(16)),
                "identity" => Building::Identity(FixedSizeBinaryBuilder::new(16)),
                "tokens" => Building::Tokens(UInt64Builder::new()),
                "shingles" => Building::Shingles(UInt64Builder::new()),
                "empty" => Building::Empty(BooleanBuilder::new()),
                "features" => Building::Features(list_builder()),
                "keys" => Building::Keys(list_builder()),
                "projection" => Building::Projection(BinaryBuilder::new()),
                "signature" => Building::Signature(BinaryBuilder::new()),
                "site" => Building::Site(UInt64Builder::new()),
                "rank" => Building::Rank(list_builder()),
                "date" => {
                    let builder = TimestampMicrosecondBuilder::new().with_timezone("UTC");
                    Building::Date(builder)
                }
                _ => {
                    let names = COLUMNS.join(", ");
                    return Err(parameter(format!(
                        "there is no column `{name}`; there are: {names}"
                    )));
                }
            };
            Ok((name.clone(), building))
        };
        Ok(Self {
            recipe,
            rule: CandidateRule::new(recipe.kernel(), recipe.core()),
            layout: Layout::of(recipe.core()),
            keep: rows.keep.as_ref(),
            counts_shingles: wanted.iter().any(|name| name == "shingles"),
            columns: wanted.iter().map(column).collect::<PyResult<_>>()?,
            buffer: Vec::new(),
            keys: Vec::new(),
        })
    }

    fn row(&mut self, tools: &mut Tools, texts: &mut Texts, record: Option<&Record<'_>>) {
        let Some(record) = record else {
            return self.columns.iter_mut().for_each(|(_, building)| building.null());
        };
        let text = texts.of_record(record);
        let mut shingles = 0;
        let signature: &Signature = if self.counts_shingles {
            tools.tokenize(text);
            shingles = tools.shingles().len() as u64;
            tools.sign_tokens()
        } else {
            tools.signer.sign(text)
        };
        self.keys.clear();
        self.rule.keys(signature, &mut self.keys);
        for (_, building) in &mut self.columns {
            match building {
                Building::Exact(builder) => {
                    // Sixteen bytes are sixteen bytes.
                    let _ = builder.append_value(signature.exact.to_be_bytes());
                }
                Building::Identity(builder) => {
                    let identity = signature.identity.unwrap_or(signature.exact);
                    let _ = builder.append_value(identity.to_be_bytes());
                }
                Building::Tokens(builder) => builder.append_value(signature.tokens),
                Building::Shingles(builder) => builder.append_value(shingles),
                Building::Empty(builder) => builder.append_value(signature.is_empty()),
                Building::Features(builder) => {
                    builder.values().append_slice(&signature.features);
                    builder.append(true);
                }
                Building::Keys(builder) => {
                    builder.values().append_slice(&self.keys);
                    builder.append(true);
                }
                Building::Projection(builder) => {
                    builder.append_value(signature.projection_bytes(self.recipe.core()));
                }
                Building::Signature(builder) => {
                    self.buffer.clear();
                    self.layout.encode(signature, &mut self.buffer);
                    builder.append_value(&self.buffer);
                }
                Building::Site(builder) => {
                    let url = record.url.as_deref();
                    let site = url.and_then(|url| self.recipe.core().sites.site(url));
                    builder.append_option(site.as_deref().map(site_hash));
                }
                Building::Rank(builder) => {
                    let keep = self.keep.iter();
                    builder.append_value(
                        keep.flat_map(|keep| keep.ranks(signature.tokens, record)).map(Some),
                    );
                }
                Building::Date(builder) => {
                    builder.append_option(record.field(DATE).and_then(date_microseconds));
                }
            }
        }
    }

    fn finish(self) -> PyResult<RecordBatch> {
        let columns = self.columns.into_iter().map(|(name, building)| {
            let array = building.finish();
            (Arc::new(Field::new(name, array.data_type().clone(), true)), array)
        });
        let (fields, arrays): (Vec<_>, Vec<_>) = columns.unzip();
        let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), arrays);
        batch.map_err(|error| parameter(error.to_string()))
    }
}

fn list_builder() -> ListBuilder<UInt64Builder> {
    ListBuilder::new(UInt64Builder::new()).with_field(Field::new("item", DataType::UInt64, false))
}

impl Building {
    fn null(&mut self) {
        match self {
            Self::Exact(builder) | Self::Identity(builder) => builder.append_null(),
            Self::Tokens(builder) | Self::Shingles(builder) | Self::Site(builder) => {
                builder.append_null();
            }
            Self::Empty(builder) => builder.append_null(),
            Self::Date(builder) => builder.append_null(),
            Self::Features(builder) | Self::Keys(builder) | Self::Rank(builder) => {
                builder.append(false);
            }
            Self::Projection(builder) | Self::Signature(builder) => builder.append_null(),
        }
    }

    fn finish(self) -> ArrayRef {
        let mut builder: Box<dyn ArrayBuilder> = match self {
            Self::Exact(it) | Self::Identity(it) => Box::new(it),
            Self::Tokens(it) | Self::Shingles(it) | Self::Site(it) => Box::new(it),
            Self::Empty(it) => Box::new(it),
            Self::Date(it) => Box::new(it),
            Self::Features(it) | Self::Keys(it) | Self::Rank(it) => Box::new(it),
            Self::Projection(it) | Self::Signature(it) => Box::new(it),
        };
        builder.finish()
    }
}

pub(crate) fn shingles<'py>(
    py: Python<'py>,
    recipe: &Recipe,
    documents: &Documents<'py, '_>,
) -> PyResult<Bound<'py, PyAny>> {
    let rows = documents.rows()?;
    let mut builder = list_builder();
    let key = documents.key.as_ref();
    let made = interrupt::listen(py, |stop| {
        let (mut texts, mut count) = (Texts::new(), 0);
        recipe.with_tools_under(key, |tools| {
            rows.for_each(stop, |record| {
                let Some(record) = record else {
                    builder.append(false);
                    return Ok(());
                };
                tools.tokenize(texts.of_record(record));
                let words = if recipe.core().verify == Verify::Difference {
                    tools.sequence()
                } else {
                    tools.shingles().as_slice().to_vec()
                };
                count += words.len();
                // A list of Arrow counts with 31 bits.
                if i32::try_from(count).is_err() {
                    return Err(parameter(
                        "the texts have more than 2^31 shingles; give fewer at a time",
                    ));
                }
                builder.values().append_slice(&words);
                builder.append(true);
                Ok(())
            })
        })?
    })?;
    made?;
    builder.finish().to_data().to_pyarrow(py)
}
