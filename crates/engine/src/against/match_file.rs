//! Matches in a file: JSON lines or Parquet, by its name.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::builder::{Float64Builder, StringBuilder, UInt64Builder};
use arrow_schema::{DataType, Field, Schema};
use lookalike_files::{AtomicFile, Existing};
use serde_json::json;

use super::Match;
use crate::error::Result;
use crate::write::{BATCH_ROWS, Table};

/// A file of matches in the making. Dropped without [`finish`](Self::finish), it leaves nothing
/// behind.
pub struct MatchFile(Form);

enum Form {
    JsonLines(AtomicFile),
    Parquet(Box<(Table, Columns)>),
}

impl MatchFile {
    /// Starts the file: Parquet if its name ends in `.parquet`, else JSON lines.
    ///
    /// # Errors
    /// If it exists and must not be replaced, somebody else is writing it, or the system refuses.
    pub fn create(path: &Path, existing: Existing) -> Result<Self> {
        if path.extension().is_none_or(|extension| extension != "parquet") {
            return Ok(Self(Form::JsonLines(AtomicFile::create(path, existing)?)));
        }
        let numbers = ["input_row", "reference_row", "common", "shingles_input"];
        let shares = ["resemblance", "containment_reference", "containment_input"];
        let field = |name: &&str, kind: DataType| Field::new(*name, kind, false);
        let schema: Vec<Field> = (["input", "reference"].iter().map(|n| field(n, DataType::Utf8)))
            .chain(shares.iter().map(|n| field(n, DataType::Float64)))
            .chain(numbers.iter().map(|n| field(n, DataType::UInt64)))
            .chain([field(&"shingles_reference", DataType::UInt64)])
            .collect();
        let table = Table::create(path, existing, Schema::new(schema))?;
        Ok(Self(Form::Parquet(Box::new((table, Columns::default())))))
    }

    /// The name that it has until it is complete.
    pub fn partial_path(&self) -> PathBuf {
        match &self.0 {
            Form::JsonLines(file) => file.partial_path().to_owned(),
            Form::Parquet(parts) => parts.0.partial_path().to_owned(),
        }
    }

    /// Appends a match.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn push(&mut self, found: &Match<'_>) -> Result<()> {
        match &mut self.0 {
            Form::JsonLines(file) => Ok(file.write(format!("{}\n", found.to_json()).as_bytes())?),
            Form::Parquet(parts) => {
                let (table, columns) = &mut **parts;
                columns.push(found);
                if columns.rows == BATCH_ROWS {
                    table.write(std::mem::take(columns).finish())?;
                }
                Ok(())
            }
        }
    }

    /// Gives the complete file its name.
    ///
    /// # Errors
    /// If the system refuses; then nothing is left behind.
    pub fn finish(self) -> Result<()> {
        match self.0 {
            Form::JsonLines(file) => Ok(file.commit()?),
            Form::Parquet(parts) => {
                let (mut table, columns) = *parts;
                if columns.rows > 0 {
                    table.write(columns.finish())?;
                }
                table.finish()
            }
        }
    }
}

impl Match<'_> {
    /// As an object, with the names of the columns of a [`MatchFile`].
    pub fn to_json(&self) -> serde_json::Value {
        json!({
            "input": self.input,
            "reference": self.reference,
            "resemblance": self.resemblance(),
            "containment_reference": self.containment_reference(),
            "containment_input": self.containment_input(),
            "input_row": self.input_row,
            "reference_row": self.reference_row,
            "common": self.overlap.common,
            "shingles_input": self.overlap.a,
            "shingles_reference": self.overlap.b,
        })
    }
}

#[derive(Default)]
struct Columns {
    rows: usize,
    ids: [StringBuilder; 2],
    shares: [Float64Builder; 3],
    numbers: [UInt64Builder; 5],
}

impl Columns {
    fn push(&mut self, found: &Match<'_>) {
        self.rows += 1;
        for (column, id) in self.ids.iter_mut().zip([found.input, found.reference]) {
            column.append_value(id);
        }
        let shares =
            [found.resemblance(), found.containment_reference(), found.containment_input()];
        for (column, share) in self.shares.iter_mut().zip(shares) {
            column.append_value(share);
        }
        let overlap = found.overlap;
        let rows = [found.input_row, found.reference_row].map(u64::from);
        let numbers = rows.into_iter().chain([overlap.common, overlap.a, overlap.b]);
        for (column, number) in self.numbers.iter_mut().zip(numbers) {
            column.append_value(number);
        }
    }

    fn finish(mut self) -> Vec<ArrayRef> {
        let ids = self.ids.iter_mut().map(|column| Arc::new(column.finish()) as ArrayRef);
        let shares = self.shares.iter_mut().map(|column| Arc::new(column.finish()) as ArrayRef);
        let numbers = self.numbers.iter_mut().map(|column| Arc::new(column.finish()) as ArrayRef);
        ids.chain(shares).chain(numbers).collect()
    }
}
