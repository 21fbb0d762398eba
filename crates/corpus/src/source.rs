//! One input file: what it is and how it is opened.

use std::io::{self, Cursor, Read};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::SystemTime;

use lookalike_files::AtomicFile;

use crate::compression::{self, Compression};
use crate::error::{Error, ErrorKind, Operation, Result};
use crate::format::Format;
use crate::memory::{self, Batches as MemoryBatches, MemoryTable, Tables};
use crate::object::Object;
use crate::object_store;
use crate::paths::{metadata, open_file, path_id};
use crate::position::Position;
use crate::split;
use crate::unpacked::UnpackedCopies;

/// The name of standard input.
pub(crate) const STANDARD_INPUT: &str = "-";

/// A file of documents. It can be written down by serde, and read back without a look at the
/// file.
#[derive(Clone, Debug)]
pub struct Source {
    pub(crate) origin: Origin,
    pub(crate) id: String,
    pub(crate) name: String,
    pub(crate) format: Format,
    pub(crate) compression: Compression,
    /// Where unpacked copies are, if any are made.
    pub(crate) copies: Option<UnpackedCopies>,
}

#[derive(Clone, Debug)]
pub(crate) enum Origin {
    File(PathBuf),
    Object(Object),
    /// With what has been read of it already; `None` once it is being read.
    StandardInput(Arc<Mutex<Option<Vec<u8>>>>),
    Memory(MemoryTable),
}

impl Origin {
    fn path(&self) -> &Path {
        match self {
            Self::File(path) => path,
            Self::Object(object) => Path::new(&object.url),
            Self::StandardInput(_) => Path::new("standard input"),
            Self::Memory(table) => Path::new(&table.name),
        }
    }

    fn id(&self) -> String {
        match self {
            Self::File(path) => path_id(path),
            Self::Object(object) => object.url.clone(),
            Self::StandardInput(_) => STANDARD_INPUT.to_owned(),
            Self::Memory(table) => table.name.clone(),
        }
    }
}

/// The least size of a compressed file of which an unpacked copy is made.
const COPIED_BYTES: u64 = 1 << 20;

/// How much of a file is looked at where its name does not tell what it is.
const HEAD_BYTES: u64 = 64 << 10;

impl Source {
    /// The file at this path, of the given format, or of what its name or its content says.
    ///
    /// # Errors
    /// If it has to be looked at and cannot be read.
    pub fn file(path: &Path, format: Option<Format>) -> Result<Self> {
        let name = path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned();
        Self::named(Origin::File(path.to_owned()), name, format)
    }

    /// As [`Source::file`], of anything that can be opened again, with a name for its selection.
    pub(crate) fn named(origin: Origin, name: String, format: Option<Format>) -> Result<Self> {
        let compression = Compression::from_name(&name);
        let id = origin.id();
        let known = Format::from_name(&name).filter(|known| format.is_none_or(|f| f == *known));
        let mut source = Self {
            origin,
            id,
            name,
            format: known.unwrap_or(Format::TextFile),
            compression,
            copies: None,
        };
        if known.is_none() {
            let head = source.head()?;
            if source.compression == Compression::None {
                source.compression = Compression::from_magic(&head);
            }
            source.format = format.unwrap_or_else(|| format_of(&head, source.compression));
        }
        Ok(source)
    }

    /// The first bytes, as they are stored.
    fn head(&self) -> Result<Vec<u8>> {
        if let Origin::Object(object) = &self.origin {
            return object_store::head(object, HEAD_BYTES);
        }
        let mut head = Vec::new();
        let read = self.stored()?.take(HEAD_BYTES).read_to_end(&mut head);
        read.map_err(|error| Error::io(self.path(), Operation::Read, error))?;
        Ok(head)
    }

    /// Standard input, of the given format or of what its first bytes say, which are read here.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn standard_input(format: Option<Format>) -> Result<Self> {
        let mut head = Vec::new();
        let read = io::stdin().lock().take(HEAD_BYTES).read_to_end(&mut head);
        read.map_err(|error| Error::io(Path::new("standard input"), Operation::Read, error))?;
        let compression = Compression::from_magic(&head);
        let format = format.unwrap_or_else(|| format_of(&head, compression));
        let name = format!("stdin{}{}", format.extension(), compression.extension());
        let origin = Origin::StandardInput(Arc::new(Mutex::new(Some(head))));
        let id = origin.id();
        Ok(Self { origin, id, name, format, compression, copies: None })
    }

    /// Where it is: a URL of an object in a store; for people in the case of standard input.
    pub fn path(&self) -> &Path {
        self.origin.path()
    }

    /// Where it is, if that is a file of this machine.
    pub fn local_path(&self) -> Option<&Path> {
        match &self.origin {
            Origin::File(path) => Some(path),
            Origin::Object(_) | Origin::StandardInput(_) | Origin::Memory(_) => None,
        }
    }

    /// The path with `/` between folders, which the ids of its records begin with.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The name of its selection, relative to the folder of them: the path below the folder that
    /// was walked, or the file's own name; `stdin.jsonl.gz` and so on for standard input.
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

    /// A source that can be read more than once: standard input is written to a file of its
    /// selection's name in the folder, as it is, and keeps its id `-`. Others stay where they are.
    ///
    /// # Errors
    /// If standard input cannot be read or the file cannot be written. Then there is no file.
    pub fn spool(self, folder: &Path) -> Result<Self> {
        let Origin::StandardInput(_) = self.origin else { return Ok(self) };
        let path = folder.join(&self.name);
        let mut out = AtomicFile::create_with_folders(&path)?;
        out.copy_from(self.stored()?, self.path())?;
        out.commit()?;
        Ok(Self { origin: Origin::File(path), ..self })
    }

    /// The same source, whose unpacked bytes are kept there while it is read to its end for the
    /// first time, and read from there after that. Only large compressed files of lines and web
    /// archives are.
    #[must_use]
    pub fn with_copies(self, copies: &UnpackedCopies) -> Self {
        Self { copies: Some(copies.clone()), ..self }
    }

    /// The same source, with its rows if it is a table in memory that was written down and is one
    /// of these.
    #[must_use]
    pub fn with_tables(mut self, tables: &Tables) -> Self {
        if let Origin::Memory(MemoryTable { name, batches: batches @ None }) = &mut self.origin {
            *batches = tables.get(name).cloned();
        }
        self
    }

    /// A table in memory.
    pub(crate) fn table(name: &str, batches: MemoryBatches) -> Self {
        let table = MemoryTable { name: name.to_owned(), batches: Some(batches) };
        let origin = Origin::Memory(table);
        let (id, name) = (origin.id(), name.to_owned());
        // The format whose records are rows of columns.
        let (format, compression) = (Format::Parquet, Compression::None);
        Self { origin, id, name, format, compression, copies: None }
    }

    /// The size of the file as it is stored, compressed or not; of an object that is not read yet,
    /// what a listing said; of a table in memory what it takes there.
    ///
    /// # Errors
    /// If the system or the store does not tell, or it is standard input.
    pub fn stored_bytes(&self) -> Result<u64> {
        match &self.origin {
            Origin::File(path) => metadata(path).map(|metadata| metadata.len()),
            Origin::Object(object) => match (object.about.get(), object.listed_bytes) {
                (None, Some(bytes)) => Ok(bytes),
                _ => object_store::about(object).map(|about| about.bytes),
            },
            Origin::StandardInput(_) => Err(Error::from(ErrorKind::ReadOnce)),
            Origin::Memory(table) => table.batches().map(|batches| memory::bytes(batches)),
        }
    }

    /// When the file was changed last; `None` for standard input, tables in memory, and on systems that do not know.
    /// An object is asked for once, then this source and its clones stay with the answer; one that
    /// is read back from its description asks again.
    ///
    /// # Errors
    /// If the system or the store does not tell.
    pub fn modified(&self) -> Result<Option<SystemTime>> {
        match &self.origin {
            Origin::File(path) => metadata(path).map(|metadata| metadata.modified().ok()),
            Origin::Object(object) => object_store::about(object).map(|about| Some(about.modified)),
            Origin::StandardInput(_) | Origin::Memory(_) => Ok(None),
        }
    }

    /// Its bytes as they are stored.
    pub(crate) fn stored(&self) -> Result<Box<dyn Read + Send>> {
        match &self.origin {
            Origin::File(path) => Ok(Box::new(open_file(path)?)),
            Origin::Object(object) => Ok(Box::new(object_store::reader(object)?)),
            Origin::StandardInput(head) => {
                let mut head = head.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
                let head = head.take().ok_or_else(|| Error::from(ErrorKind::ReadOnce))?;
                Ok(Box::new(Cursor::new(head).chain(io::stdin())))
            }
            Origin::Memory(table) => Err(Error::from(ErrorKind::InMemory(table.name.clone()))),
        }
    }

    /// What the file unpacks to.
    pub(crate) fn reader(&self, position: &Position) -> Result<Box<dyn Read + Send>> {
        let copies = self.copies.as_ref().filter(|_| self.is_worth_a_copy());
        // A copy does not tell where members begin.
        if let Some(copy) = copies.and_then(|copies| copies.find(&self.name))
            && !position.wants_members()
        {
            return Ok(Box::new(open_file(&copy)?));
        }
        let stored = position.counting(self.stored()?);
        let reader = match self.format {
            Format::Warc => self.compression.warc_reader(stored, position),
            _ => self.compression.reader(stored),
        };
        let reader = reader.map_err(|error| Error::decoding(self.path(), error))?;
        Ok(match copies {
            Some(copies) => copies.copying(&self.name, reader),
            None => reader,
        })
    }

    /// The same, for what cuts records out of it.
    pub(crate) fn input(&self, position: &Position) -> Result<split::Input> {
        Ok(match &self.origin {
            Origin::File(path) if self.compression == Compression::None => {
                split::Input::File(open_file(path)?, position.clone())
            }
            _ => split::Input::Stream(self.reader(position)?),
        })
    }

    /// Whether unpacking takes longer than making a file.
    fn is_worth_a_copy(&self) -> bool {
        let is_stream = matches!(
            self.format,
            Format::JsonLines | Format::Csv | Format::Tsv | Format::Warc | Format::Arrow
        );
        is_stream
            && self.compression != Compression::None
            && self.stored_bytes().is_ok_and(|bytes| bytes >= COPIED_BYTES)
    }
}

/// The format of a file of which this is the beginning.
fn format_of(head: &[u8], compression: Compression) -> Format {
    // Which may go on beyond the head, and without it nothing can be unpacked.
    if compression::begins_with_dictionary(head) {
        return Format::Warc;
    }
    let mut unpacked = Vec::new();
    if let Ok(reader) = compression.reader(Cursor::new(head.to_vec())) {
        // The end is cut off, so there may be an error after what is wanted.
        let _ = reader.take(HEAD_BYTES).read_to_end(&mut unpacked);
    }
    Format::from_content(&unpacked)
}
