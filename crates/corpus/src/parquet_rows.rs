//! Parquet files written again: some of their rows, as they are or with changes.

use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::{Fields as ArrowFields, Schema};
use parquet::arrow::arrow_writer::{ArrowWriter, ArrowWriterOptions};
use parquet::arrow::{
    ARROW_SCHEMA_META_KEY, ArrowSchemaConverter, ProjectionMask, encode_arrow_schema,
    parquet_to_arrow_schema,
};
use parquet::errors::ParquetError;
use parquet::file::metadata::{KeyValue, ParquetMetaData, RowGroupMetaData, SortingColumn};
use parquet::file::properties::WriterProperties;
use parquet::schema::types::{SchemaDescriptor, Type};

use crate::edits::{AddedField, Edits};
use crate::error::{Error, Operation, Result};
use crate::kept_rows::write_kept_rows;
use crate::parquet::{OpenFile, Purpose, with_file};
use crate::record::{Context, ReadOptions};
use crate::row_edit::{RowEditor, added_fields};
use crate::source::Source;

/// Bytes of a row group that are always in memory before it is written, if it has so many.
const GROUP_BYTES: usize = 64 << 20;

/// Where Spark says what columns there are. Without it, it takes them from the schema.
const SPARK_SCHEMA_KEY: &str = "org.apache.spark.sql.parquet.row.metadata";

/// A file with all its columns, to write some of its rows again.
pub(crate) struct Rows {
    context: Context,
    file: OpenFile,
    first: Option<RecordBatch>,
}

impl Rows {
    /// Opens the file and reads its first rows.
    pub(crate) fn open(source: &Source, options: &ReadOptions) -> Result<Self> {
        let all = |_: &SchemaDescriptor| Ok(ProjectionMask::all());
        let mut file = with_file(source, options, Purpose::Selection, all)?;
        let context = source.context(options);
        let first = file.next_batch(&context.path).transpose()?;
        Ok(Self { context, file, first })
    }

    /// Writes the rows that stay, in order, with the schema, the key-value metadata, the
    /// codecs and the largest row group of the file. Gives back the fault of a file that is
    /// broken on the way.
    pub(crate) fn write_kept<W: Write + Send>(
        self,
        out: W,
        target: &Path,
        edits: &mut Edits<'_>,
    ) -> Result<(W, Option<Error>)> {
        let Self { context, mut file, first } = self;
        let failed = |error: ParquetError| {
            Error::io(target, Operation::Write, std::io::Error::other(error.to_string()))
        };
        let schema = arrow_array::RecordBatchReader::schema(&file.reader);
        let editor = RowEditor::new(&schema, edits, &context)?;
        let options = writer_options(&file.metadata, edits, &context).map_err(failed)?;
        let schema = Arc::clone(editor.schema());
        let mut writer = ArrowWriter::try_new_with_options(out, schema, options).map_err(failed)?;
        let most = if edits.may_change() { most_in_progress(&file.metadata) } else { usize::MAX };
        let rest = std::iter::from_fn(|| file.next_batch(&context.path));
        let batches = first.map(Ok).into_iter().chain(rest);
        let write = |rows: &RecordBatch| {
            writer.write(rows).map_err(failed)?;
            // Texts that stand in a dictionary once are many when they are cut.
            if writer.in_progress_size() > most { writer.flush().map_err(failed) } else { Ok(()) }
        };
        let fault = write_kept_rows(batches, &context, edits, &editor, write)?;
        Ok((writer.into_inner().map_err(failed)?, fault))
    }
}

/// The most bytes of a row group before it is written: no more than the file's own take.
fn most_in_progress(metadata: &ParquetMetaData) -> usize {
    let groups = metadata.row_groups().iter().map(RowGroupMetaData::total_byte_size);
    usize::try_from(groups.max().unwrap_or(0)).unwrap_or(0).max(GROUP_BYTES)
}

fn writer_options(
    metadata: &ParquetMetaData,
    edits: &Edits<'_>,
    context: &Context,
) -> Result<ArrowWriterOptions, ParquetError> {
    let file = metadata.file_metadata();
    // What Arrow said of types is one of the pairs; the writer would say that strings are views.
    let mut pairs = file.key_value_metadata().cloned();
    let mut schema = file.schema_descr().clone();
    if !edits.added.is_empty() {
        pairs = pairs.map(|pairs| pairs_with(edits.added, pairs, &schema));
        schema = schema_with(edits.added, &schema)?;
    }
    let mut properties = WriterProperties::builder().set_key_value_metadata(pairs);
    let groups = metadata.row_groups();
    let rows = groups.iter().map(RowGroupMetaData::num_rows).max().unwrap_or(0);
    if rows > 0 {
        properties = properties.set_max_row_group_row_count(Some(rows as usize));
    }
    if let Some(group) = groups.first() {
        if let Some(first) = group.columns().first() {
            properties = properties.set_compression(first.compression());
        }
        for column in group.columns() {
            properties = properties
                .set_column_compression(column.column_path().clone(), column.compression());
        }
        let text = &context.options.fields.text;
        let stays_sorted = |by: &&SortingColumn| {
            let column = usize::try_from(by.column_idx).ok().and_then(|at| group.columns().get(at));
            // Texts that are cut have another order.
            !edits.may_change() || column.is_some_and(|c| c.column_path().string() != *text)
        };
        let sorting = group.sorting_columns().map(|columns| -> Vec<_> {
            columns.iter().take_while(stays_sorted).cloned().collect()
        });
        properties = properties.set_sorting_columns(sorting.filter(|columns| !columns.is_empty()));
    }
    Ok(ArrowWriterOptions::new()
        .with_properties(properties.build())
        .with_parquet_schema(schema)
        .with_skip_arrow_metadata(true))
}

/// The schema with the added columns.
fn schema_with(
    added: &[AddedField],
    schema: &SchemaDescriptor,
) -> Result<SchemaDescriptor, ParquetError> {
    let columns: ArrowFields = added_fields(added).collect();
    let columns = ArrowSchemaConverter::new().convert(&Schema::new(columns))?;
    let root = schema.root_schema();
    let fields = [root.get_fields(), columns.root_schema().get_fields()].concat();
    let root = Type::group_type_builder(root.name()).with_fields(fields).build()?;
    Ok(SchemaDescriptor::new(Arc::new(root)))
}

/// The key-value metadata of a file with the added columns: readers believe what it says of columns
/// rather than look at them.
fn pairs_with(
    added: &[AddedField],
    pairs: Vec<KeyValue>,
    schema: &SchemaDescriptor,
) -> Vec<KeyValue> {
    let with_added = || {
        // What cannot be read is no help to others either.
        let arrow = parquet_to_arrow_schema(schema, Some(&pairs)).ok()?;
        let fields: ArrowFields =
            arrow.fields().iter().cloned().chain(added_fields(added)).collect();
        Some(encode_arrow_schema(&Schema::new_with_metadata(fields, arrow.metadata().clone())))
    };
    let arrow = with_added();
    pairs
        .into_iter()
        .filter_map(|pair| match &*pair.key {
            ARROW_SCHEMA_META_KEY => Some(KeyValue::new(pair.key, arrow.clone()?)),
            SPARK_SCHEMA_KEY => None,
            _ => Some(pair),
        })
        .collect()
}
