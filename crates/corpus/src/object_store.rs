//! Object stores: `s3://bucket/key`, `gs://bucket/key` and `az://container/key`, read only.
//!
//! A key is taken as it is written, without percent signs for anything; its
//! slashes make folders of it. Credentials, region and endpoint come from the
//! environment (`AWS_ACCESS_KEY_ID`, `AWS_ENDPOINT_URL` and so on), which is read
//! when a bucket is first asked for something.
//!
//! The rest of the crate knows nothing of futures: one thread drives all
//! requests (`store`), and whoever needs an answer waits for it. Folders are walked
//! in `walk`, objects read in `blocks`, and Parquet files in `ranges`.

mod blocks;
mod order;
mod ranges;
mod store;
mod walk;

use std::io::{self, Read};
use std::path::Path;

use crate::error::{Error, Operation, Result};
use crate::object::{About, Object};
use blocks::Access;
use store::{Place, fault};

pub(crate) use ranges::RangedFile;
pub(crate) use walk::{FoundObject, Walk};

/// What a URL turned out to name.
#[derive(Debug)]
pub(crate) enum UrlTarget {
    Object(Object),
    /// No object of that name, but some below it; or a whole bucket.
    Folder,
    Nothing,
}

/// Asks the store what the URL names.
pub(crate) fn look_up(url: &str) -> Result<UrlTarget> {
    let place = Place::new(url)?;
    if !place.key()?.as_ref().is_empty() && !url.ends_with('/') {
        let object = Object::new(url.to_owned());
        match Access::to(&object)?.about() {
            Ok(_) => return Ok(UrlTarget::Object(object)),
            Err(fault) if fault.kind() == io::ErrorKind::NotFound => {}
            Err(fault) => return Err(Error::io(Path::new(url), Operation::Read, fault)),
        }
    }
    let below = place.list(&place.folder(), None, Some(1));
    let below = below.map_err(|fault| Error::io(Path::new(url), Operation::List, fault))?;
    // A bucket may be empty, as a folder may.
    let folder = place.key.is_empty() || !below.entries.is_empty();
    Ok(if folder { UrlTarget::Folder } else { UrlTarget::Nothing })
}

/// The error for a URL that names nothing.
pub(crate) fn nothing_at(url: &str) -> Error {
    let fault = fault(io::ErrorKind::NotFound, "there is no such object, and none below it");
    Error::io(Path::new(url), Operation::Read, fault)
}

/// The bytes of an object, in order.
pub(crate) fn reader(object: &Object) -> Result<impl Read + Send + 'static> {
    Access::to(object).map(blocks::Reader::new)
}

/// What the store says of an object, asked only if it has not said it before.
pub(crate) fn about(object: &Object) -> Result<About> {
    let about = Access::to(object)?.about();
    about.map_err(|fault| Error::io(Path::new(&object.url), Operation::Read, fault))
}

/// The first bytes of an object, up to so many.
pub(crate) fn head(object: &Object, bytes: u64) -> Result<Vec<u8>> {
    let block = Access::to(object)?.first(bytes);
    let block = block.map_err(|fault| Error::io(Path::new(&object.url), Operation::Read, fault))?;
    Ok(block.bytes.to_vec())
}
