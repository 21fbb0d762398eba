//! From the names a user gives to sources, and on to documents.

use std::borrow::Cow;
use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::{fs, vec};

use crate::chunk::Chunks;
use crate::error::{Error, ErrorKind, Operation, Result};
use crate::file_url;
use crate::format::Format;
use crate::glob::{self, Glob};
use crate::memory::Tables;
use crate::names::Names;
use crate::object::{self, Object};
use crate::object_store::{self, UrlTarget};
use crate::passed_over::PassedOverCounts;
use crate::record::{Document, Limits, ReadOptions};
use crate::source::{Origin, STANDARD_INPUT, Source};
use crate::text_files;
use crate::walk::{Choice, FoundFile, Walk};

/// The sources that a list of inputs stands for, in the order of the list, and by name within a
/// folder.
///
/// An error belongs to one file or folder; the iteration goes on after it.
#[derive(Debug)]
pub struct Sources {
    format: Option<Format>,
    arguments: vec::IntoIter<Argument>,
    current: Option<CurrentWalk>,
    other_files: u64,
    names: Names,
    /// What comes after the arguments.
    tables: vec::IntoIter<Source>,
}

/// What an argument turned out to be.
#[derive(Debug)]
enum Argument {
    StandardInput,
    File(PathBuf),
    Folder(PathBuf),
    Glob(Glob),
    Object(Object),
    // By their URLs.
    ObjectFolder(String),
    ObjectGlob(String),
}

/// The argument being walked.
#[derive(Debug)]
enum CurrentWalk {
    Folder(Walk<FolderChoice>),
    Glob(Walk<Glob>),
    ObjectFolder(object_store::Walk<FolderChoice>),
    ObjectGlob(object_store::Walk<Glob>),
}

/// What a walk of a folder takes.
#[derive(Debug)]
enum FolderChoice {
    /// Files whose names say what they are.
    Named,
    /// All that are not hidden: we were told what they are.
    All,
}

impl Choice for FolderChoice {
    fn enters(&self, below: &[String]) -> bool {
        below.last().is_none_or(|name| !name.starts_with('.'))
    }

    fn takes(&self, below: &[String]) -> bool {
        below.last().filter(|name| !name.starts_with('.')).is_some_and(|name| match self {
            Self::Named => Format::from_name(name).is_some(),
            Self::All => true,
        })
    }
}

impl Choice for Glob {
    fn enters(&self, below: &[String]) -> bool {
        self.may_match_below(below)
    }

    fn takes(&self, below: &[String]) -> bool {
        self.matches(below)
    }
}

impl Sources {
    /// The sources of these inputs, each of this format, or of what its name or content says.
    ///
    /// # Errors
    /// If what is named does not exist, a glob matches nothing, a store does not answer, or an
    /// input is a URL of another kind.
    pub fn new(arguments: &[impl AsRef<str>], format: Option<Format>) -> Result<Self> {
        let arguments: Result<Vec<Argument>> =
            arguments.iter().map(|name| argument(name.as_ref())).collect();
        let arguments = arguments?.into_iter();
        let (names, tables) = (Names::default(), Vec::new().into_iter());
        Ok(Self { format, arguments, current: None, other_files: 0, names, tables })
    }

    /// The sources of tables in memory, in the order of their names.
    pub fn of_tables(tables: &Tables) -> Self {
        let (arguments, names) = (Vec::new().into_iter(), Names::default());
        let none = Vec::new().into_iter();
        let empty =
            Self { format: None, arguments, current: None, other_files: 0, names, tables: none };
        empty.and_tables(tables)
    }

    /// The same sources, and tables in memory after them, in the order of their names.
    #[must_use]
    pub fn and_tables(mut self, tables: &Tables) -> Self {
        let tables = tables.iter().map(|(name, batches)| Source::table(name, Arc::clone(batches)));
        self.tables = tables.collect::<Vec<_>>().into_iter();
        self
    }

    /// As [`Sources::new`], but in the order of the paths, whatever the order of the list:
    /// component by component, as a walk meets names. URLs and globs have the place of their text,
    /// and standard input comes first.
    ///
    /// # Errors
    /// As [`Sources::new`].
    pub fn by_name(arguments: &[impl AsRef<str>], format: Option<Format>) -> Result<Self> {
        let mut arguments: Vec<&str> = arguments.iter().map(AsRef::as_ref).collect();
        arguments.sort_by_cached_key(|&argument| {
            let path = local_path(argument).unwrap_or_else(|_| argument.into());
            // `a/b` and `a//b` are one path, but not one id.
            (argument != STANDARD_INPUT, path, argument)
        });
        Self::new(&arguments, format)
    }

    /// Files met so far in folders that are of an unknown kind.
    pub fn other_files(&self) -> u64 {
        let current = match &self.current {
            Some(CurrentWalk::Folder(walk)) => walk.passed_over,
            Some(CurrentWalk::ObjectFolder(walk)) => walk.passed_over,
            _ => 0,
        };
        self.other_files + current
    }

    fn found(&mut self, found: FoundFile) -> Result<Source> {
        self.source(Origin::File(found.path), &found.below.join("/"))
    }

    fn found_object(&mut self, found: object_store::FoundObject) -> Result<Source> {
        self.source(Origin::Object(found.object), &found.below.join("/"))
    }

    fn source(&mut self, origin: Origin, name: &str) -> Result<Source> {
        let name = self.names.free(name);
        Source::named(origin, name, self.format)
    }

    fn choice(&self) -> FolderChoice {
        if self.format.is_some() { FolderChoice::All } else { FolderChoice::Named }
    }
}

impl Iterator for Sources {
    type Item = Result<Source>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match &mut self.current {
                Some(CurrentWalk::Folder(walk)) => match walk.next() {
                    Some(found) => return Some(found.and_then(|found| self.found(found))),
                    None => self.other_files += walk.passed_over,
                },
                Some(CurrentWalk::Glob(walk)) => {
                    if let Some(found) = walk.next() {
                        return Some(found.and_then(|found| self.found(found)));
                    }
                }
                Some(CurrentWalk::ObjectFolder(walk)) => match walk.next() {
                    Some(found) => return Some(found.and_then(|found| self.found_object(found))),
                    None => self.other_files += walk.passed_over,
                },
                Some(CurrentWalk::ObjectGlob(walk)) => {
                    if let Some(found) = walk.next() {
                        return Some(found.and_then(|found| self.found_object(found)));
                    }
                }
                None => {}
            }
            self.current = None;
            let Some(argument) = self.arguments.next() else {
                return self.tables.next().map(|mut source| {
                    source.name = self.names.free(&source.name);
                    Ok(source)
                });
            };
            match argument {
                Argument::StandardInput => {
                    return Some(Source::standard_input(self.format).map(|mut source| {
                        source.name = self.names.free(&source.name);
                        source
                    }));
                }
                Argument::File(path) => {
                    let name = path.file_name().unwrap_or(path.as_os_str());
                    let name = name.to_string_lossy().into_owned();
                    return Some(self.source(Origin::File(path), &name));
                }
                Argument::Folder(path) => {
                    self.current = Some(CurrentWalk::Folder(Walk::new(&path, self.choice())));
                }
                Argument::Glob(glob) => {
                    let folder = glob::folder_of(&glob.base).to_owned();
                    self.current = Some(CurrentWalk::Glob(Walk::new(&folder, glob)));
                }
                Argument::Object(object) => {
                    let name = object.file_name().to_owned();
                    return Some(self.source(Origin::Object(object), &name));
                }
                Argument::ObjectFolder(url) => {
                    match object_store::Walk::folder(&url, self.choice()) {
                        Ok(walk) => self.current = Some(CurrentWalk::ObjectFolder(walk)),
                        Err(error) => return Some(Err(error)),
                    }
                }
                Argument::ObjectGlob(url) => match object_store::Walk::glob(&url) {
                    Ok(walk) => self.current = Some(CurrentWalk::ObjectGlob(walk)),
                    Err(error) => return Some(Err(error)),
                },
            }
        }
    }
}

/// The documents that a list of inputs stands for, read as they are asked for.
///
/// An error belongs to one record, file or folder; the iteration goes on after it.
#[derive(Debug)]
pub struct Inputs {
    sources: Sources,
    options: ReadOptions,
    chunks: Option<Chunks>,
    /// The documents of a chunk.
    ready: VecDeque<Result<Document>>,
    passed_over: PassedOverCounts,
}

impl Inputs {
    /// The documents of these inputs, within the default limits.
    ///
    /// # Errors
    /// If what is named does not exist, a glob matches nothing, a store does not answer, or an
    /// input is a URL of another kind.
    pub fn new(arguments: &[impl AsRef<str>]) -> Result<Self> {
        Self::with_limits(arguments, Limits::default())
    }

    /// The documents of these inputs, within these limits.
    ///
    /// # Errors
    /// As [`Inputs::new`].
    pub fn with_limits(arguments: &[impl AsRef<str>], limits: Limits) -> Result<Self> {
        let options = ReadOptions { limits, ..ReadOptions::default() };
        Ok(Self::of(Sources::new(arguments, None)?, options))
    }

    /// The documents of these sources.
    pub fn of(sources: Sources, options: ReadOptions) -> Self {
        let (ready, passed_over) = (VecDeque::new(), PassedOverCounts::default());
        Self { sources, options, chunks: None, ready, passed_over }
    }

    /// Records met so far that are not documents.
    pub fn passed_over(&self) -> &PassedOverCounts {
        &self.passed_over
    }

    /// Files met so far in folders that are of an unknown kind.
    pub fn other_files(&self) -> u64 {
        self.sources.other_files()
    }
}

impl Iterator for Inputs {
    type Item = Result<Document>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            if let Some(document) = self.ready.pop_front() {
                return Some(document);
            }
            if let Some(chunk) = self.chunks.as_mut().and_then(Iterator::next) {
                match chunk {
                    Ok(chunk) => {
                        chunk.passed_over().iter().for_each(|why| self.passed_over.add(why));
                        chunk.for_each(|record| {
                            self.ready.push_back(record.map(|record| Document {
                                id: record.id.into_owned(),
                                bytes: record.content.into_owned(),
                                kind: record.kind,
                                url: record.url.map(Cow::into_owned),
                            }));
                        });
                    }
                    Err(error) => return Some(Err(error)),
                }
                continue;
            }
            match self.sources.next()? {
                Ok(source) => {
                    let mut options = self.options.clone();
                    if source.format() == Format::Warc {
                        // One record at a time: each may unpack to a thousand times its size.
                        options.chunk_bytes = 1;
                    }
                    self.chunks = Some(source.chunks(&options));
                }
                Err(error) => return Some(Err(error)),
            }
        }
    }
}

/// Reads the one document that a name stands for: a file, or `-` for standard input.
///
/// The file is the document, whatever its name says of records in it: a web page if its name says
/// that, or if it says nothing and the content does; else text.
///
/// # Errors
/// If it is not there, is a folder, is too long or cannot be read.
pub fn read_document(name: &str, limits: Limits) -> Result<Document> {
    if name == STANDARD_INPUT {
        return text_files::read_standard_input(limits);
    }
    if object::is_object(name) {
        let bytes = object_store::reader(&Object::new(name.to_owned()))?;
        let bytes = text_files::read(Path::new(name), bytes, 0, limits.max_document_bytes)?;
        return text_files::document(name.to_owned(), Path::new(name), bytes, limits);
    }
    text_files::read_file(name.to_owned(), &local_path(name)?, limits)
}

fn argument(argument: &str) -> Result<Argument> {
    if argument == STANDARD_INPUT {
        return Ok(Argument::StandardInput);
    }
    if object::is_object(argument) {
        return object_argument(argument);
    }
    let path = local_path(argument)?;
    match fs::metadata(&path) {
        Ok(metadata) if metadata.is_dir() => Ok(Argument::Folder(path)),
        Ok(_) => Ok(Argument::File(path)),
        // Only what is no file's name is a glob: `what?.txt` may be both.
        Err(error) => match path.to_str().filter(|path| glob::is_glob(path)) {
            Some(pattern) => {
                let glob = Glob::new(pattern);
                // Looked for twice, so that a mistyped glob is refused before any work is done.
                let mut walk = Walk::new(glob::folder_of(&glob.base), glob.clone());
                match walk.next() {
                    Some(found) => found.map(|_| Argument::Glob(glob)),
                    None => Err(Error::from(ErrorKind::NoMatch(argument.to_owned()))),
                }
            }
            None => Err(Error::io(&path, Operation::Read, error)),
        },
    }
}

/// As for local names: what is there by this name comes before what a glob matches, and what is
/// not there is refused before any work is done.
fn object_argument(url: &str) -> Result<Argument> {
    match object_store::look_up(url)? {
        UrlTarget::Object(object) => Ok(Argument::Object(object)),
        UrlTarget::Folder => Ok(Argument::ObjectFolder(url.to_owned())),
        UrlTarget::Nothing if glob::is_glob(url) => match object_store::Walk::glob(url)?.next() {
            Some(found) => found.map(|_| Argument::ObjectGlob(url.to_owned())),
            None => Err(Error::from(ErrorKind::NoMatch(url.to_owned()))),
        },
        UrlTarget::Nothing => Err(object_store::nothing_at(url)),
    }
}

/// The path that an argument names, by itself or as a `file://` URL.
fn local_path(argument: &str) -> Result<PathBuf> {
    let path = match argument.strip_prefix("file://") {
        Some(rest) => file_url::path(rest),
        None if is_url(argument) => None,
        None => Some(argument.into()),
    };
    path.ok_or_else(|| Error::from(ErrorKind::Unsupported(argument.to_owned())))
}

/// URLs that people may try; any other name with `://` may be a file's.
fn is_url(argument: &str) -> bool {
    ["http://", "https://"].iter().any(|scheme| argument.starts_with(scheme))
}
