//! Matches in a file: JSON lines or Parquet, by its name.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::ArrayRef;
use arrow_array::builder::{Float64Builder, StringBuilder, UInt64Builder};
use arrow_schema::{DataType, Field, Schema};
use lookalike_files::{AtomicFile, Existing};
use serde_json::json;

use super::{Against, Match, Passage};
use crate::error::Result;
use crate::write::{BATCH_ROWS, Table};

/// A file of matches in the making. Dropped without [`finish`](Self::finish), it leaves nothing
/// behind.
pub struct MatchFile(Form);

enum Form {
    JsonLines(AtomicFile),
    Parquet(Box<(Table, Columns)>),
}

impl Against {
    /// Starts a file for the matches of this search: Parquet if its name ends in `.parquet`, else JSON
    /// lines.
    ///
    /// # Errors
    /// If it exists and must not be replaced, somebody else is writing it, or the system refuses.
    pub fn create_file(&self, path: impl AsRef<Path>, existing: Existing) -> Result<MatchFile> {
        MatchFile::create(path.as_ref(), existing, self.ngram.is_some())
    }
}

impl MatchFile {
    fn create(path: &Path, existing: Existing, has_passages: bool) -> Result<Self> {
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
            .chain(has_passages.then(PassageColumns::fields).into_iter().flatten())
            .collect();
        let table = Table::create(path, existing, Schema::new(schema))?;
        Ok(Self(Form::Parquet(Box::new((table, Columns::new(has_passages))))))
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
                    let next = Columns::new(columns.passages.is_some());
                    table.write(std::mem::replace(columns, next).finish())?;
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
        let mut object = json!({
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
        });
        if let (Some(passage), Some(object)) = (self.passage, object.as_object_mut()) {
            let Passage { words, input_word, reference_word, .. } = passage;
            object.insert("words".to_owned(), json!(words));
            object.insert("input_word".to_owned(), json!(input_word));
            object.insert("reference_word".to_owned(), json!(reference_word));
            let bytes = [&passage.input_bytes, &passage.reference_bytes];
            for (side, bytes) in ["input", "reference"].iter().zip(bytes) {
                object.insert(format!("{side}_begin"), json!(bytes.start));
                object.insert(format!("{side}_end"), json!(bytes.end));
            }
            object.insert("input_passage".to_owned(), json!(passage.input_text));
            object.insert("reference_passage".to_owned(), json!(passage.reference_text));
        }
        object
    }
}

#[derive(Default)]
struct Columns {
    rows: usize,
    ids: [StringBuilder; 2],
    shares: [Float64Builder; 3],
    numbers: [UInt64Builder; 5],
    passages: Option<PassageColumns>,
}

#[derive(Default)]
struct PassageColumns {
    numbers: [UInt64Builder; 7],
    texts: [StringBuilder; 2],
}

impl PassageColumns {
    fn fields() -> [Field; 9] {
        let field = |name: &str, kind| Field::new(name, kind, false);
        [
            field("words", DataType::UInt64),
            field("input_word", DataType::UInt64),
            field("reference_word", DataType::UInt64),
            field("input_begin", DataType::UInt64),
            field("input_end", DataType::UInt64),
            field("reference_begin", DataType::UInt64),
            field("reference_end", DataType::UInt64),
            field("input_passage", DataType::Utf8),
            field("reference_passage", DataType::Utf8),
        ]
    }

    fn push(&mut self, passage: &Passage) {
        let Passage { input_bytes, reference_bytes, .. } = passage;
        let numbers = [
            passage.words,
            passage.input_word,
            passage.reference_word,
            input_bytes.start,
            input_bytes.end,
            reference_bytes.start,
            reference_bytes.end,
        ];
        for (column, number) in self.numbers.iter_mut().zip(numbers) {
            column.append_value(number);
        }
        for (column, text) in
            self.texts.iter_mut().zip([&passage.input_text, &passage.reference_text])
        {
            column.append_value(text);
        }
    }

    fn finish(mut self) -> Vec<ArrayRef> {
        let numbers = self.numbers.iter_mut().map(|column| Arc::new(column.finish()) as ArrayRef);
        let texts = self.texts.iter_mut().map(|column| Arc::new(column.finish()) as ArrayRef);
        numbers.chain(texts).collect()
    }
}

impl Columns {
    fn new(has_passages: bool) -> Self {
        let passages = has_passages.then(PassageColumns::default);
        Self { passages, ..Self::default() }
    }

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
        if let (Some(columns), Some(passage)) = (&mut self.passages, found.passage) {
            columns.push(passage);
        }
    }

    fn finish(mut self) -> Vec<ArrayRef> {
        let passages = self.passages.take().map(PassageColumns::finish).unwrap_or_default();
        let ids = self.ids.iter_mut().map(|column| Arc::new(column.finish()) as ArrayRef);
        let shares = self.shares.iter_mut().map(|column| Arc::new(column.finish()) as ArrayRef);
        let numbers = self.numbers.iter_mut().map(|column| Arc::new(column.finish()) as ArrayRef);
        ids.chain(shares).chain(numbers).chain(passages).collect()
    }
}
