//! The objects below a prefix, chosen as files in folders are.

use std::io;
use std::path::Path;
use std::sync::Arc;

use ::object_store::ObjectStoreExt as _;

use super::order::{InOrder, Page, Pages};
use super::store::{Place, wait};
use crate::error::{Error, Operation, Result};
use crate::glob::Glob;
use crate::object::Object;
use crate::paths::path_id;
use crate::walk::Choice;

/// An object found below a prefix.
#[derive(Debug)]
pub(crate) struct FoundObject {
    pub(crate) object: Object,
    /// Its names below the folder the walk began with.
    pub(crate) below: Vec<String>,
}

/// A walk in progress.
#[derive(Debug)]
pub(crate) struct Walk<C> {
    choice: C,
    place: Place,
    /// What is cut off for names.
    folder: String,
    keys: InOrder<Place>,
    /// Objects that were not taken.
    pub(crate) passed_over: u64,
}

impl Pages for Place {
    fn page(&mut self, prefix: &str, next: Option<String>) -> io::Result<Page> {
        self.list(prefix, next, None)
    }
}

impl<C: Choice> Walk<C> {
    /// All objects below this URL.
    pub(crate) fn folder(url: &str, choice: C) -> Result<Self> {
        let place = Place::new(url)?;
        let folder = place.folder();
        Ok(Self::new(place, folder.clone(), folder, choice))
    }

    fn new(place: Place, folder: String, prefix: String, choice: C) -> Self {
        let keys = InOrder::new(place.clone(), prefix);
        Self { choice, place, folder, keys, passed_over: 0 }
    }

    /// Whether the folders of this object are entered.
    fn enters(&self, below: &[String]) -> bool {
        (1..below.len()).all(|end| self.choice.enters(&below[..end]))
    }

    /// Whether an empty object is one, and not the marker of a folder, `a/`, which listings call
    /// `a`.
    fn exists(&self, key: &str) -> io::Result<bool> {
        let Ok(key) = ::object_store::path::Path::parse(key) else { return Ok(false) };
        let store = Arc::clone(&self.place.store.objects);
        match wait(async move { store.head(&key).await }) {
            Ok(_) => Ok(true),
            Err(fault) if fault.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(fault) => Err(fault),
        }
    }
}

impl Walk<Glob> {
    /// The objects that a URL with wildcards in its key matches.
    pub(crate) fn glob(url: &str) -> Result<Self> {
        let place = Place::new(url)?;
        let glob = Glob::new(&place.key);
        let mut folder = path_id(&glob.base);
        if !folder.is_empty() {
            folder.push('/');
        }
        // Not what a listing could leave out: `s3://b/2024-*` need not read all other years.
        let prefix = format!("{folder}{}", glob.literal_start());
        Ok(Self::new(place, folder, prefix, glob))
    }
}

impl<C: Choice> Iterator for Walk<C> {
    type Item = Result<FoundObject>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let entry = match self.keys.next()? {
                Ok(entry) => entry,
                Err(fault) => {
                    let url = self.place.url(&self.folder);
                    return Some(Err(Error::io(Path::new(&url), Operation::List, fault)));
                }
            };
            let Some(below) = entry.key.strip_prefix(&self.folder) else { continue };
            let below: Vec<String> = below.split('/').map(str::to_owned).collect();
            if !self.enters(&below) {
                continue;
            }
            let url = self.place.url(&entry.key);
            if entry.bytes == 0 {
                match self.exists(&entry.key) {
                    Ok(true) => {}
                    Ok(false) => continue,
                    Err(fault) => {
                        return Some(Err(Error::io(Path::new(&url), Operation::Read, fault)));
                    }
                }
            }
            if self.choice.takes(&below) {
                let listed_bytes = Some(entry.bytes);
                let object = Object { listed_bytes, ..Object::new(url) };
                return Some(Ok(FoundObject { object, below }));
            }
            let hidden = below.last().is_some_and(|name| name.starts_with('.'));
            self.passed_over += u64::from(!hidden);
        }
    }
}
