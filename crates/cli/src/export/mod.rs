//! Tables that leave the program as JSON lines or Parquet: the documents of an index, links.
//!
//! One way to write each, for the command and for Python. Rows are written as they come: however many
//! there are, some thousand of them are in memory.

mod documents;
mod links;

use std::io::{self, Write as _};
use std::path::Path;
use std::sync::Arc;

use arrow_array::RecordBatch;
use arrow_schema::Schema;
use lookalike_files::{AtomicFile, Existing};
use parquet::arrow::ArrowWriter;
use parquet::basic::{Compression, ZstdLevel};
use parquet::file::properties::WriterProperties;
use serde_json::Value;

pub use documents::ExportedDocument;
pub(crate) use links::Link;

/// Rows that are made at a time, and rows of a row group.
const BATCH_ROWS: usize = 4096;
const GROUP_ROWS: usize = 1 << 16;

/// A row of a table that leaves the program.
pub trait ExportRow: Sized {
    /// The row as a line of JSON.
    fn line(&self) -> Value;

    /// The columns of the table.
    fn schema() -> Arc<Schema>;

    /// Rows as columns.
    ///
    /// # Errors
    /// If columns and schema do not agree.
    fn table(rows: &[Self]) -> io::Result<RecordBatch>;
}

/// Writes rows to a file that appears when it is complete, or to standard output.
pub struct ExportWriter<R> {
    target: Target,
    rows: Vec<R>,
    written: u64,
}

enum Target {
    Standard(io::BufWriter<io::Stdout>),
    Lines(AtomicFile),
    Parquet(Box<ArrowWriter<AtomicFile>>),
}

impl<R: ExportRow> ExportWriter<R> {
    /// Parquet if the name ends in `.parquet`, standard output if it is `-`, and JSON lines otherwise; in
    /// place of a file that is there.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn create(path: &Path) -> io::Result<Self> {
        let file = || AtomicFile::create(path, Existing::Replace).map_err(io::Error::other);
        let is_parquet = path.extension().is_some_and(|name| name.eq_ignore_ascii_case("parquet"));
        let target = if path == Path::new("-") {
            Target::Standard(io::BufWriter::new(io::stdout()))
        } else if is_parquet {
            let properties = WriterProperties::builder()
                .set_compression(Compression::ZSTD(ZstdLevel::default()))
                .set_max_row_group_row_count(Some(GROUP_ROWS))
                .build();
            Target::Parquet(Box::new(ArrowWriter::try_new(file()?, R::schema(), Some(properties))?))
        } else {
            Target::Lines(file()?)
        };
        Ok(Self { target, rows: Vec::new(), written: 0 })
    }

    /// Takes the next row.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn push(&mut self, row: R) -> io::Result<()> {
        self.rows.push(row);
        if self.rows.len() == BATCH_ROWS { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> io::Result<()> {
        let rows = std::mem::take(&mut self.rows);
        self.written += rows.len() as u64;
        let lines = || rows.iter().map(|row| row.line().to_string() + "\n").collect::<String>();
        match &mut self.target {
            Target::Standard(out) => out.write_all(lines().as_bytes()),
            Target::Lines(file) => file.write(lines().as_bytes()).map_err(io::Error::other),
            Target::Parquet(writer) => Ok(writer.write(&R::table(&rows)?)?),
        }
    }

    /// Writes what is left, and gives the file its name; how many rows it has.
    ///
    /// # Errors
    /// As [`push`](Self::push).
    pub fn finish(mut self) -> io::Result<u64> {
        self.flush()?;
        match self.target {
            Target::Standard(mut out) => out.flush()?,
            Target::Lines(file) => file.commit().map_err(io::Error::other)?,
            Target::Parquet(writer) => {
                writer.into_inner()?.commit().map_err(io::Error::other)?;
            }
        }
        Ok(self.written)
    }
}
