//! Arrow's IPC formats: record batches of a file or a stream.
//!
//! A file (Feather) is a stream between two marks, with a table of contents behind it that nobody needs
//! who reads from the front. So both are read in one way, packed or not, from wherever bytes come, and
//! one message is in memory at a time.
//!
//! Messages say how long they are, and how long what is packed in them unpacks to. Arrow's own reader
//! takes their word for it and asks for that much memory; here nothing is taken that is more than the
//! limit, or than the bytes that are there.

use std::collections::HashMap;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::{ArrayRef, RecordBatch};
use arrow_buffer::Buffer;
use arrow_ipc::convert::fb_to_schema;
use arrow_ipc::reader::{read_dictionary, read_record_batch};
use arrow_ipc::{CompressionType, Endianness, MessageHeader, root_as_message};
use arrow_schema::{ArrowError, Schema, SchemaRef};

use crate::error::{Error, ErrorKind, Result};
use crate::guard;
use crate::position::Position;
use crate::record::ReadOptions;
use crate::source::Source;

/// What a file begins and ends with; at its beginning two more bytes follow.
const MAGIC: &[u8; 6] = b"ARROW1";

/// What a message begins with, since 2019.
const CONTINUATION: [u8; 4] = [0xff; 4];

/// The most bytes that describe a message: thousands of columns have less.
const MAX_METADATA: usize = 64 << 20;

/// The most bytes that a file's writer aligns its buffers to.
const MAX_ALIGNMENT: usize = 64;

/// Which of the two formats.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    File,
    Stream,
}

/// A file or a stream being read.
pub(crate) struct ArrowReader {
    path: PathBuf,
    input: Box<dyn Read + Send>,
    /// The most bytes of a message.
    limit: u64,
    pub(crate) form: Form,
    pub(crate) schema: SchemaRef,
    /// The columns that are wanted, if not all are.
    columns: Option<Vec<usize>>,
    dictionaries: HashMap<i64, ArrayRef>,
    /// How the first batch is packed.
    pub(crate) compression: Option<CompressionType>,
    has_ended: bool,
}

impl ArrowReader {
    /// Opens the file and reads its schema.
    pub(crate) fn open(
        source: &Source,
        options: &ReadOptions,
        position: &Position,
    ) -> Result<Self> {
        let mut reader = Self {
            path: source.path().to_owned(),
            input: source.reader(position)?,
            limit: options.limits.max_document_bytes,
            form: Form::Stream,
            schema: Arc::new(Schema::empty()),
            columns: None,
            dictionaries: HashMap::new(),
            compression: None,
            has_ended: false,
        };
        let mut head = reader.read_up_to(4)?;
        if head == MAGIC[..4] {
            reader.form = Form::File;
            let rest = reader.read_up_to(4)?;
            if rest != b"W1\0\0" {
                return Err(reader.broken("it does not begin as an Arrow file does"));
            }
            // Zeros follow, up to where the writer's buffers are aligned.
            for _ in 0..=MAX_ALIGNMENT / 4 {
                head = reader.read_up_to(4)?;
                if head != [0; 4] {
                    break;
                }
            }
        }
        let Some((metadata, _)) = reader.message(head)? else {
            return Err(reader.broken("it has no schema"));
        };
        let schema = guarded(&reader.path, || {
            let message = root_as_message(&metadata).map_err(|error| error.to_string())?;
            let schema = message.header_as_schema().ok_or("it does not begin with a schema")?;
            if schema.endianness() != Endianness::Little {
                return Err("its numbers have the byte order of other machines".to_owned());
            }
            Ok(fb_to_schema(schema))
        })?;
        reader.schema = Arc::new(schema);
        Ok(reader)
    }

    pub(crate) fn schema(&self) -> &SchemaRef {
        &self.schema
    }

    /// Reads only the columns of these numbers.
    pub(crate) fn select_columns(&mut self, columns: Vec<usize>) {
        self.columns = Some(columns);
    }

    /// The next batch. After an error there are no more.
    pub(crate) fn next_batch(&mut self) -> Option<Result<RecordBatch>> {
        if self.has_ended {
            return None;
        }
        let batch = self.read_batch();
        self.has_ended = !matches!(batch, Ok(Some(_)));
        batch.transpose()
    }

    fn read_batch(&mut self) -> Result<Option<RecordBatch>> {
        loop {
            let head = self.read_up_to(4)?;
            let Some((metadata, body)) = self.message(head)? else { return Ok(None) };
            let Self { path, limit, schema, columns, dictionaries, compression, .. } = self;
            let body = Buffer::from_vec(body);
            let batch = guarded(path, || {
                let message = root_as_message(&metadata).map_err(|error| error.to_string())?;
                let failed = |error: ArrowError| error.to_string();
                let version = message.version();
                match message.header_type() {
                    MessageHeader::DictionaryBatch => {
                        let batch = message.header_as_dictionary_batch();
                        let batch = batch.ok_or("a dictionary without its values")?;
                        check(
                            batch.data().ok_or("a dictionary without its values")?,
                            &body,
                            *limit,
                        )?;
                        read_dictionary(&body, batch, schema, dictionaries, &version)
                            .map_err(failed)?;
                        Ok(None)
                    }
                    MessageHeader::RecordBatch => {
                        let batch = message.header_as_record_batch();
                        let batch = batch.ok_or("a batch without its rows")?;
                        check(batch, &body, *limit)?;
                        if let (None, Some(packed)) = (&*compression, batch.compression()) {
                            *compression = Some(packed.codec());
                        }
                        let (schema, columns) = (Arc::clone(schema), columns.as_deref());
                        read_record_batch(&body, batch, schema, dictionaries, columns, &version)
                            .map(Some)
                            .map_err(failed)
                    }
                    MessageHeader::Schema => Err("a second schema".to_owned()),
                    // Whatever is no table.
                    _ => Ok(None),
                }
            })?;
            if batch.is_some() {
                return Ok(batch);
            }
        }
    }

    /// The message that begins with these bytes: what describes it, and its body. `None` at the end.
    fn message(&mut self, mut head: Vec<u8>) -> Result<Option<(Vec<u8>, Vec<u8>)>> {
        if head.is_empty() && self.form == Form::Stream {
            // Whoever closes a stream need not say that it ends.
            return Ok(None);
        }
        if head == CONTINUATION {
            head = self.read_up_to(4)?;
        }
        let Ok(length) = <[u8; 4]>::try_from(&head[..]).map(u32::from_le_bytes) else {
            return Err(self.cut_short());
        };
        if length == 0 {
            return self.check_end().map(|()| None);
        }
        if length as usize > MAX_METADATA {
            return Err(self.broken("a message is described by more bytes than any has"));
        }
        let metadata = self.read_all(u64::from(length))?;
        let body = guarded(&self.path, || {
            let message = root_as_message(&metadata).map_err(|error| error.to_string())?;
            u64::try_from(message.bodyLength())
                .map_err(|_| "a message of negative length".to_owned())
        })?;
        if body > self.limit {
            let (path, limit) = (self.path.clone(), self.limit);
            return Err(Error::from(ErrorKind::BatchTooLong { path, bytes: body, limit }));
        }
        let body = self.read_all(body)?;
        Ok(Some((metadata, body)))
    }

    /// A file ends with its mark, or it was cut off.
    fn check_end(&mut self) -> Result<()> {
        if self.form == Form::Stream {
            return Ok(());
        }
        let mut last = Vec::new();
        loop {
            let mut next = self.read_up_to(64 << 10)?;
            if next.is_empty() {
                break;
            }
            last.append(&mut next);
            last.drain(..last.len().saturating_sub(MAGIC.len()));
        }
        if last == MAGIC { Ok(()) } else { Err(self.cut_short()) }
    }

    fn read_all(&mut self, bytes: u64) -> Result<Vec<u8>> {
        let read = self.read_up_to(bytes)?;
        if (read.len() as u64) < bytes { Err(self.cut_short()) } else { Ok(read) }
    }

    /// So many bytes, or what there is.
    fn read_up_to(&mut self, bytes: u64) -> Result<Vec<u8>> {
        let mut read = Vec::new();
        let done = self.input.by_ref().take(bytes).read_to_end(&mut read);
        done.map_err(|error| Error::decoding(&self.path, error))?;
        Ok(read)
    }

    fn cut_short(&self) -> Error {
        self.broken("it ends too early")
    }

    fn broken(&self, fault: &str) -> Error {
        Error::broken(&self.path, fault.to_owned())
    }
}

/// Fails if a batch would take more memory than the limit, or has more rows than its bytes can hold:
/// columns of nothing need none.
fn check(batch: arrow_ipc::RecordBatch<'_>, body: &[u8], limit: u64) -> Result<(), String> {
    let mut bytes = 0_u64;
    for buffer in batch.buffers().iter().flatten() {
        let part = usize::try_from(buffer.offset())
            .ok()
            .and_then(|start| {
                Some(start..start.checked_add(usize::try_from(buffer.length()).ok()?)?)
            })
            .and_then(|range| body.get(range))
            .ok_or("a column lies outside of its message")?;
        let length = match (batch.compression(), part.first_chunk()) {
            (Some(_), Some(prefix)) => match i64::from_le_bytes(*prefix) {
                // As it is, where packing would not have made it shorter.
                -1 => part.len() as u64,
                length => u64::try_from(length).map_err(|_| "a column of negative length")?,
            },
            _ => part.len() as u64,
        };
        bytes = bytes.saturating_add(length);
    }
    if bytes > limit {
        return Err(format!("a batch unpacks to {bytes} bytes, more than the limit of {limit}"));
    }
    // A row has a bit at least.
    let most = i64::try_from(8 * bytes).unwrap_or(i64::MAX);
    let nodes = batch.nodes().into_iter().flatten().map(arrow_ipc::FieldNode::length);
    if nodes.chain([batch.length()]).any(|rows| !(0..=most).contains(&rows)) {
        return Err("a batch says that it has more rows than its bytes can hold".to_owned());
    }
    Ok(())
}

/// Runs Arrow's code on bytes that may contradict each other; some of its checks panic.
fn guarded<T>(path: &Path, call: impl FnOnce() -> Result<T, String>) -> Result<T> {
    let done = guard::guarded(call);
    let done = done.unwrap_or_else(|_| Err("a message that contradicts itself".to_owned()));
    done.map_err(|fault| Error::broken(path, fault))
}
