//! From the names a user gives to documents.

use std::path::{Path, PathBuf};
use std::{fs, vec};

use crate::error::{Error, ErrorKind, Operation, Result};
use crate::glob::{self, Glob};
use crate::text_files::{self, STANDARD_INPUT};
use crate::walk::{Choice, Found, Walk};
use crate::{Document, Limits};

/// The documents that a list of inputs stands for, read as they are asked for.
///
/// An error belongs to one file or folder; the iteration goes on after it.
#[derive(Debug)]
pub struct Inputs {
    limits: Limits,
    sources: vec::IntoIter<Source>,
    current: Option<Current>,
    other_files: u64,
}

/// What an argument turned out to be.
#[derive(Debug)]
enum Source {
    StandardInput,
    File(PathBuf),
    Folder(PathBuf),
    Glob(Glob),
}

/// The source being walked.
#[derive(Debug)]
enum Current {
    Folder(Walk<TextFiles>),
    Glob(Walk<Glob>),
}

/// What a walk takes: the formats that this crate reads.
#[derive(Debug)]
struct TextFiles;

impl Choice for TextFiles {
    fn enters(&self, below: &[String]) -> bool {
        below.last().is_none_or(|name| !name.starts_with('.'))
    }

    fn takes(&self, below: &[String]) -> bool {
        let visible = |name: &&String| !name.starts_with('.');
        below.last().filter(visible).is_some_and(|name| text_files::is_text_file(Path::new(name)))
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

impl Inputs {
    /// The documents of these inputs, within the default limits.
    ///
    /// # Errors
    /// If a file or folder that is named does not exist, a glob matches nothing, or an input is
    /// a URL.
    pub fn new(arguments: &[String]) -> Result<Self> {
        Self::with_limits(arguments, Limits::default())
    }

    /// The documents of these inputs, within these limits.
    ///
    /// # Errors
    /// As [`Inputs::new`].
    pub fn with_limits(arguments: &[String], limits: Limits) -> Result<Self> {
        let sources: Result<Vec<Source>> = arguments.iter().map(|name| source(name)).collect();
        Ok(Self { limits, sources: sources?.into_iter(), current: None, other_files: 0 })
    }

    /// Files met so far in folders that are of no kind that is read.
    pub fn other_files(&self) -> u64 {
        let current = match &self.current {
            Some(Current::Folder(walk)) => walk.passed_over,
            _ => 0,
        };
        self.other_files + current
    }

    fn read(&self, found: &Found) -> Result<Document> {
        text_files::read_file(id(&found.path), &found.path, self.limits)
    }
}

/// Reads the one document that a name stands for: a file, or `-` for standard input.
///
/// # Errors
/// If it is not there, is a folder, is too long or cannot be read.
pub fn read_document(name: &str, limits: Limits) -> Result<Document> {
    if name == STANDARD_INPUT {
        return text_files::read_standard_input(limits);
    }
    if is_url(name) {
        return Err(Error::new(ErrorKind::Unsupported(name.to_owned())));
    }
    text_files::read_file(name.to_owned(), Path::new(name), limits)
}

fn source(argument: &str) -> Result<Source> {
    if argument == STANDARD_INPUT {
        return Ok(Source::StandardInput);
    }
    if is_url(argument) {
        return Err(Error::new(ErrorKind::Unsupported(argument.to_owned())));
    }
    match fs::metadata(argument) {
        Ok(metadata) if metadata.is_dir() => Ok(Source::Folder(argument.into())),
        Ok(_) => Ok(Source::File(argument.into())),
        // Only what is no file's name is a glob: `what?.txt` may be both.
        Err(_) if glob::is_glob(argument) => {
            let glob = Glob::new(argument);
            // Looked for twice, so that a mistyped glob is refused before any work is done.
            let mut walk = Walk::new(glob::folder_of(&glob.base), glob.clone());
            match walk.next() {
                Some(found) => found.map(|_| Source::Glob(glob)),
                None => Err(Error::new(ErrorKind::NoMatch(argument.to_owned()))),
            }
        }
        Err(source) => Err(Error::io(Path::new(argument), Operation::Read, source)),
    }
}

/// The object stores of the contract; any other name with `://` may be a file's.
fn is_url(argument: &str) -> bool {
    ["s3://", "gs://", "az://", "file://", "http://", "https://"]
        .iter()
        .any(|scheme| argument.starts_with(scheme))
}

/// The path with `/` between folders on every system.
fn id(path: &Path) -> String {
    let id = path.to_string_lossy();
    if cfg!(windows) { id.replace('\\', "/") } else { id.into_owned() }
}

impl Iterator for Inputs {
    type Item = Result<Document>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match &mut self.current {
                Some(Current::Folder(walk)) => match walk.next() {
                    Some(found) => return Some(found.and_then(|found| self.read(&found))),
                    None => self.other_files += walk.passed_over,
                },
                Some(Current::Glob(walk)) => {
                    if let Some(found) = walk.next() {
                        return Some(found.and_then(|found| self.read(&found)));
                    }
                }
                None => {}
            }
            self.current = None;
            match self.sources.next()? {
                Source::StandardInput => {
                    return Some(text_files::read_standard_input(self.limits));
                }
                Source::File(path) => {
                    return Some(text_files::read_file(id(&path), &path, self.limits));
                }
                Source::Folder(path) => {
                    self.current = Some(Current::Folder(Walk::new(&path, TextFiles)));
                }
                Source::Glob(glob) => {
                    let folder = glob::folder_of(&glob.base).to_owned();
                    self.current = Some(Current::Glob(Walk::new(&folder, glob)));
                }
            }
        }
    }
}
