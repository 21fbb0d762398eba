//! Documents that are stored with their signatures and what they say, as an index stores them: what
//! a job that knows them asks for.

use std::error::Error;
use std::path::Path;

use crate::{Recipe, Signature};

/// What went wrong where they are stored, or with who asks for them.
pub type ShelfError = Box<dyn Error + Send + Sync>;

/// Opens what is stored in a folder.
pub type OpenShelf = fn(&Path) -> Result<Box<dyn Shelf>, ShelfError>;

/// Stored documents, in an order that stays.
pub trait Shelf {
    /// What made their signatures.
    fn recipe(&self) -> &Recipe;

    /// Whether what they say is stored at all.
    fn stores_contents(&self) -> bool;

    /// How many there are.
    fn documents(&self) -> u64;

    /// Another text than before if there are others than before.
    fn state(&self) -> String;

    /// Calls `each` with every document and its number, from 0 on. What it says is read if `reads` has the
    /// number.
    ///
    /// # Errors
    /// If something stored cannot be read; and what `each` gives, which ends it.
    fn for_each(
        &self,
        reads: &dyn Fn(u64) -> bool,
        each: &mut dyn FnMut(u64, &ShelvedDocument<'_>) -> Result<(), ShelfError>,
    ) -> Result<(), ShelfError>;
}

/// A stored document.
#[derive(Clone, Copy, Debug)]
pub struct ShelvedDocument<'a> {
    /// Its id.
    pub id: &'a str,
    /// Its URL, if it has one.
    pub url: Option<&'a str>,
    /// Its signature; the fingerprint in it is not the public one.
    pub signature: &'a Signature,
    /// What it says, if that was to be read and is stored.
    pub content: Option<ShelvedContent<'a>>,
}

/// What a stored document says.
#[derive(Clone, Copy, Debug)]
pub enum ShelvedContent<'a> {
    /// A text.
    Text(&'a [u8]),
    /// A web page in UTF-8.
    Html(&'a [u8]),
    /// A set, as [`text::items`](crate::text::items) writes them.
    Items(&'a [u8]),
}
