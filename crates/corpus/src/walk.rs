//! Folders walked in the order of their names, lazily: memory for the listings of the folders
//! on the way down, never for the whole tree.

use std::path::{Path, PathBuf};
use std::{fs, io};

use crate::error::{Error, ErrorKind, Operation, Result};

/// A file found in a folder.
#[derive(Debug)]
pub(crate) struct FoundFile {
    pub(crate) path: PathBuf,
    /// Its names below the folder the walk began with.
    pub(crate) below: Vec<String>,
}

/// What a walk does with what it meets.
pub(crate) trait Choice {
    /// Whether to look into this folder.
    fn enters(&self, below: &[String]) -> bool;
    /// Whether to take this file.
    fn takes(&self, below: &[String]) -> bool;
}

/// A walk in progress.
#[derive(Debug)]
pub(crate) struct Walk<C> {
    choice: C,
    /// What is still to be visited, next one last.
    stack: Vec<FoundFile>,
    /// Files that were not taken.
    pub(crate) passed_over: u64,
}

impl<C: Choice> Walk<C> {
    pub(crate) fn new(folder: &Path, choice: C) -> Self {
        let root = FoundFile { path: folder.to_owned(), below: Vec::new() };
        Self { choice, stack: vec![root], passed_over: 0 }
    }

    fn push_entries(&mut self, folder: &FoundFile) -> Result<()> {
        let failed = |error| Error::io(&folder.path, Operation::List, error);
        let mut names = Vec::new();
        for entry in fs::read_dir(&folder.path).map_err(failed)? {
            names.push(entry.map_err(failed)?.file_name());
        }
        names.sort();
        self.stack.extend(names.into_iter().rev().map(|name| {
            let mut below = folder.below.clone();
            below.push(name.to_string_lossy().into_owned());
            // Not `./a.txt` for a file of the current folder.
            let current = folder.path == Path::new(".");
            let path = if current { name.into() } else { folder.path.join(name) };
            FoundFile { path, below }
        }));
        Ok(())
    }
}

impl<C: Choice> Iterator for Walk<C> {
    type Item = Result<FoundFile>;

    fn next(&mut self) -> Option<Self::Item> {
        while let Some(found) = self.stack.pop() {
            // The folder that was named may be a link; those below are not followed.
            let root = found.below.is_empty();
            let metadata =
                if root { fs::metadata(&found.path) } else { fs::symlink_metadata(&found.path) };
            let kind = match metadata {
                Ok(metadata) => metadata.file_type(),
                Err(error) => return Some(Err(Error::io(&found.path, Operation::Read, error))),
            };
            if kind.is_dir() {
                if (root || self.choice.enters(&found.below))
                    && let Err(error) = self.push_entries(&found)
                {
                    return Some(Err(error));
                }
                continue;
            }
            let hidden = found.below.last().is_some_and(|name| name.starts_with('.'));
            if self.choice.takes(&found.below) {
                if kind.is_file() {
                    return Some(Ok(found));
                }
                if kind.is_symlink() {
                    match fs::metadata(&found.path) {
                        Ok(target) if target.is_file() => return Some(Ok(found)),
                        Ok(_) => {}
                        Err(error) if error.kind() == io::ErrorKind::NotFound => {
                            return Some(Err(Error::from(ErrorKind::DeadLink(found.path))));
                        }
                        Err(error) => {
                            return Some(Err(Error::io(&found.path, Operation::Read, error)));
                        }
                    }
                }
            }
            self.passed_over += u64::from(!hidden);
        }
        None
    }
}
