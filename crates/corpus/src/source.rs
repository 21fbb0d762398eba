//! One input file: what it is and how it is opened.

use std::fs::File;
use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use crate::chunk::{Chunks, Reading};
use crate::compression::Compression;
use crate::error::{Error, ErrorKind, Operation, Result};
use crate::format::Format;
use crate::object_store;
use crate::parquet::Batches;
use crate::record::{Context, ReadOptions};
use crate::split::{Boundary, Splitter, TableScanner};
use crate::table::Table;
use crate::text_files::STANDARD_INPUT;

/// A file of documents.
#[derive(Clone, Debug)]
pub struct Source {
    pub(crate) origin: Origin,
    id: String,
    name: String,
    format: Format,
    compression: Compression,
}

#[derive(Clone, Debug)]
pub(crate) enum Origin {
    File(PathBuf),
    /// An object of a store, by its URL.
    Object(String),
    /// With what has been read of it already; `None` once it is being read.
    StandardInput(Arc<Mutex<Option<Vec<u8>>>>),
}

/// How much of a file is looked at where its name does not tell what it is.
const HEAD_BYTES: u64 = 64 << 10;

impl Source {
    /// The file at this path, of the given format, or of what its name or its content says.
    ///
    /// # Errors
    /// If it has to be looked at and cannot be read.
    pub fn file(path: &Path, format: Option<Format>) -> Result<Self> {
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        Self::named(path, name, format)
    }

    /// As [`Source::file`], with a name for its mirror.
    pub(crate) fn named(path: &Path, name: String, format: Option<Format>) -> Result<Self> {
        let by_name = Compression::from_name(&name);
        let origin = Origin::File(path.to_owned());
        let id = path_id(path);
        if let Some(known) =
            Format::from_name(&name).filter(|known| format.is_none_or(|f| f == *known))
        {
            return Ok(Self { origin, id, name, format: known, compression: by_name });
        }
        let failed = |source| Error::io(path, Operation::Read, source);
        let file = File::open(path).map_err(failed)?;
        if file.metadata().map_err(failed)?.is_dir() {
            return Err(Error::new(ErrorKind::Folder(path.to_owned())));
        }
        let mut head = Vec::new();
        file.take(HEAD_BYTES).read_to_end(&mut head).map_err(failed)?;
        let compression = match by_name {
            Compression::None => Compression::from_magic(&head),
            known => known,
        };
        let format = format.unwrap_or_else(|| format_of(&head, compression));
        Ok(Self { origin, id, name, format, compression })
    }

    /// The object at this URL, with a name for its mirror.
    pub(crate) fn object(url: &str, name: String, format: Option<Format>) -> Result<Self> {
        let by_name = Compression::from_name(&name);
        let (origin, id) = (Origin::Object(url.to_owned()), url.to_owned());
        if let Some(known) =
            Format::from_name(&name).filter(|known| format.is_none_or(|f| f == *known))
        {
            return Ok(Self { origin, id, name, format: known, compression: by_name });
        }
        let head = object_store::head(url, HEAD_BYTES)?;
        let compression = match by_name {
            Compression::None => Compression::from_magic(&head),
            known => known,
        };
        let format = format.unwrap_or_else(|| format_of(&head, compression));
        Ok(Self { origin, id, name, format, compression })
    }

    /// Standard input, of the given format or of what its first bytes say, which are read here.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn standard_input(format: Option<Format>) -> Result<Self> {
        let mut head = Vec::new();
        let read = io::stdin().lock().take(HEAD_BYTES).read_to_end(&mut head);
        read.map_err(|source| Error::io(Path::new("standard input"), Operation::Read, source))?;
        let compression = Compression::from_magic(&head);
        let format = format.unwrap_or_else(|| format_of(&head, compression));
        let id = STANDARD_INPUT.to_owned();
        let origin = Origin::StandardInput(Arc::new(Mutex::new(Some(head))));
        Ok(Self { origin, name: id.clone(), id, format, compression })
    }

    /// Where it is: a URL of an object in a store; for people in the case of standard input.
    pub fn path(&self) -> &Path {
        match &self.origin {
            Origin::File(path) => path,
            Origin::Object(url) => Path::new(url),
            Origin::StandardInput(_) => Path::new("standard input"),
        }
    }

    /// The path with `/` between folders, which the ids of its records begin with.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The name of its mirror, relative to the folder of them: the path below the folder that
    /// was walked, or the file's own name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// How its documents lie in it.
    pub fn format(&self) -> Format {
        self.format
    }

    /// How it is compressed as a whole.
    pub fn compression(&self) -> Compression {
        self.compression
    }

    /// Its records in chunks of whole ones, in order. Getting a chunk is what has to happen one
    /// after another: reading, unpacking, finding the ends of records. Parsing a chunk, by
    /// [`Chunk::for_each`](crate::Chunk::for_each), can happen on any thread.
    ///
    /// An error ends the source; the chunks before it have every record that could be read.
    pub fn chunks(&self, options: &ReadOptions) -> Chunks {
        let reading = self.open(options).unwrap_or_else(Reading::Failed);
        let path = self.path().to_owned();
        let context = Context { path, id: self.id.clone(), options: options.clone() };
        Chunks { context: Arc::new(context), reading }
    }

    fn open(&self, options: &ReadOptions) -> Result<Reading> {
        let path = self.path();
        let limits = options.limits;
        let delimiter = match self.format {
            Format::TextFile => return Ok(Reading::Text(self.reader()?)),
            Format::Parquet => return Batches::open(self, options).map(Reading::Parquet),
            Format::JsonLines => {
                let mut splitter = Splitter::new(
                    self.reader()?,
                    Boundary::Line,
                    limits.max_record_bytes,
                    options.chunk_bytes,
                );
                let preamble = splitter.take_byte_order_mark();
                if splitter.first_visible() == Some(b'[') {
                    return Err(Error::new(ErrorKind::JsonArray(path.to_owned())));
                }
                return Ok(Reading::Json { splitter, preamble });
            }
            Format::Csv => b',',
            Format::Tsv => b'\t',
        };
        let boundary = Boundary::Table(TableScanner::new(delimiter));
        let mut splitter =
            Splitter::new(self.reader()?, boundary, limits.max_record_bytes, options.chunk_bytes);
        let mut preamble = splitter.take_byte_order_mark();
        let header = splitter.take_header().map_err(|error| Error::decoding(path, error))?;
        let Some(header) = header else {
            let limit = limits.max_record_bytes;
            return Err(Error::new(ErrorKind::TooLong { path: path.to_owned(), limit }));
        };
        preamble.extend_from_slice(&header);
        if header.iter().all(|byte| b"\r\n".contains(byte)) {
            return Ok(Reading::Ended);
        }
        let table = Table::new(&header, delimiter, &options.fields, path)?;
        Ok(Reading::Table { splitter, preamble, table: Arc::new(table) })
    }

    /// What the file unpacks to.
    pub(crate) fn reader(&self) -> Result<Box<dyn Read + Send>> {
        let reader = match &self.origin {
            Origin::File(path) => self.compression.reader(open_file(path)?),
            Origin::Object(url) => self.compression.reader(object_store::reader(url)?),
            Origin::StandardInput(head) => {
                let mut head = head.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                let Some(head) = head.take() else {
                    return Err(Error::new(ErrorKind::ReadOnce));
                };
                self.compression.reader(Cursor::new(head).chain(io::stdin()))
            }
        };
        reader.map_err(|error| Error::decoding(self.path(), error))
    }
}

pub(crate) fn open_file(path: &Path) -> Result<File> {
    let failed = |source| Error::io(path, Operation::Read, source);
    let file = File::open(path).map_err(failed)?;
    if file.metadata().map_err(failed)?.is_dir() {
        return Err(Error::new(ErrorKind::Folder(path.to_owned())));
    }
    Ok(file)
}

/// The format of a file of which this is the beginning.
fn format_of(head: &[u8], compression: Compression) -> Format {
    let mut unpacked = Vec::new();
    if let Ok(reader) = compression.reader(Cursor::new(head.to_vec())) {
        // The end is cut off, so there may be an error after what is wanted.
        let _ = reader.take(HEAD_BYTES).read_to_end(&mut unpacked);
    }
    Format::from_content(&unpacked)
}

/// The path with `/` between folders on every system.
pub(crate) fn path_id(path: &Path) -> String {
    let id = path.to_string_lossy();
    if cfg!(windows) { id.replace('\\', "/") } else { id.into_owned() }
}
