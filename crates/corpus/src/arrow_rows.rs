//! A selection of the rows of an Arrow file or stream, written again in its own format.

use std::io::{self, Write};
use std::path::Path;

use arrow_array::RecordBatch;
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use arrow_schema::{ArrowError, Schema};

use crate::arrow_file::{ArrowReader, Form};
use crate::edits::Edits;
use crate::error::{Error, Operation, Result};
use crate::kept_rows::write_kept_rows;
use crate::position::Position;
use crate::record::{Context, ReadOptions};
use crate::row_edit::RowEditor;
use crate::source::Source;

/// A file with all its columns, to write some of its rows again.
pub(crate) struct ArrowRows {
    context: Context,
    reader: ArrowReader,
    first: Option<RecordBatch>,
}

impl ArrowRows {
    /// Opens the file and reads its first rows.
    pub(crate) fn open(source: &Source, options: &ReadOptions) -> Result<Self> {
        let mut reader = ArrowReader::open(source, options, &Position::default())?;
        let first = reader.next_batch().transpose()?;
        Ok(Self { context: source.context(options), reader, first })
    }

    /// Writes the rows that stay, in order, in the same format, with the schema, its metadata,
    /// the batches and the packing of the file. Gives back the fault of a file that is broken on the way.
    pub(crate) fn write_kept<W: Write + Send>(
        self,
        out: W,
        target: &Path,
        edits: &mut Edits<'_>,
    ) -> Result<(W, Option<Error>)> {
        let Self { context, mut reader, first } = self;
        let failed = |error: ArrowError| {
            let source = match error {
                ArrowError::IoError(_, source) => source,
                other => io::Error::other(other.to_string()),
            };
            Error::io(target, Operation::Write, source)
        };
        let editor = RowEditor::new(&reader.schema, edits, &context)?;
        let options = IpcWriteOptions::default().try_with_compression(reader.compression);
        let options = options.map_err(failed)?;
        let mut writer =
            BatchWriter::new(reader.form, out, editor.schema(), options).map_err(failed)?;
        let rest = std::iter::from_fn(|| reader.next_batch());
        let batches = first.map(Ok).into_iter().chain(rest);
        let write = |rows: &RecordBatch| writer.write(rows).map_err(failed);
        let fault = write_kept_rows(batches, &context, edits, &editor, write)?;
        Ok((writer.finish().map_err(failed)?, fault))
    }
}

/// Writes either format.
enum BatchWriter<W: Write> {
    File(FileWriter<W>),
    Stream(StreamWriter<W>),
}

impl<W: Write> BatchWriter<W> {
    fn new(
        form: Form,
        out: W,
        schema: &Schema,
        options: IpcWriteOptions,
    ) -> Result<Self, ArrowError> {
        Ok(match form {
            Form::File => Self::File(FileWriter::try_new_with_options(out, schema, options)?),
            Form::Stream => Self::Stream(StreamWriter::try_new_with_options(out, schema, options)?),
        })
    }

    fn write(&mut self, batch: &RecordBatch) -> Result<(), ArrowError> {
        match self {
            Self::File(writer) => writer.write(batch),
            Self::Stream(writer) => writer.write(batch),
        }
    }

    fn finish(self) -> Result<W, ArrowError> {
        match self {
            Self::File(mut writer) => {
                writer.finish()?;
                writer.into_inner()
            }
            Self::Stream(mut writer) => {
                writer.finish()?;
                writer.into_inner()
            }
        }
    }
}
