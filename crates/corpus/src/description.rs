//! Sources written down, to be opened again later.

use std::path::Path;

use serde::ser::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::compression::Compression;
use crate::format::Format;
use crate::memory::MemoryTable;
use crate::object::{self, Object};
use crate::paths::path_from_bytes;
use crate::source::{Origin, Source};

/// What is written down of a source.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Description {
    path: StoredPath,
    id: String,
    name: String,
    format: Format,
    compression: Compression,
    /// Whether it is a table in memory; then its id is its name.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    in_memory: bool,
}

/// A path as a string where it is one, and as its bytes where it is none; or a URL of an object.
#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum StoredPath {
    Text(String),
    Bytes(Vec<u8>),
}

impl From<&Path> for StoredPath {
    fn from(path: &Path) -> Self {
        match path.to_str() {
            Some(text) => Self::Text(text.to_owned()),
            None => Self::Bytes(path.as_os_str().as_encoded_bytes().to_vec()),
        }
    }
}

impl From<StoredPath> for Origin {
    fn from(stored: StoredPath) -> Self {
        match stored {
            StoredPath::Text(url) if object::is_object(&url) => Self::Object(Object::new(url)),
            StoredPath::Text(text) => Self::File(text.into()),
            StoredPath::Bytes(bytes) => Self::File(path_from_bytes(bytes)),
        }
    }
}

/// Standard input is refused: nobody can open it again.
impl Serialize for Source {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        if let Origin::StandardInput(_) = self.origin {
            return Err(S::Error::custom("standard input cannot be opened again"));
        }
        let description = Description {
            path: self.path().into(),
            id: self.id().to_owned(),
            name: self.name().to_owned(),
            format: self.format(),
            compression: self.compression(),
            in_memory: matches!(self.origin, Origin::Memory(_)),
        };
        description.serialize(serializer)
    }
}

/// Nothing is opened here, and tables in memory have no rows yet.
impl<'de> Deserialize<'de> for Source {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let Description { path, id, name, format, compression, in_memory } =
            Description::deserialize(deserializer)?;
        let origin = if in_memory {
            Origin::Memory(MemoryTable { name: id.clone(), batches: None })
        } else {
            path.into()
        };
        Ok(Self { origin, id, name, format, compression, copies: None })
    }
}
