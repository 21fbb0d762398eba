//! Object stores: `s3://bucket/key`, `gs://bucket/key` and `az://container/key`, read only.
//!
//! A key is taken as it is written, without percent signs for anything; its
//! slashes make folders of it. Credentials, region and endpoint come from the
//! environment (`AWS_ACCESS_KEY_ID`, `AWS_ENDPOINT_URL` and so on), which is read
//! when a bucket is first asked for something.
//!
//! The rest of the crate knows nothing of futures: one thread drives all
//! requests, and whoever needs an answer waits for it. Folders are walked in
//! `walk`, objects read in `blocks`, and Parquet files in `ranges`.

mod blocks;
mod order;
mod ranges;
mod walk;

use std::collections::HashMap;
use std::io::{self, Read};
use std::path::Path;
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use std::{error, fmt, future, thread};

use ::object_store as library;
use library::aws::AmazonS3Builder;
use library::azure::MicrosoftAzureBuilder;
use library::gcp::GoogleCloudStorageBuilder;
use library::list::{PaginatedListOptions, PaginatedListStore};
use library::path::Path as Key;
use library::{BackoffConfig, ObjectStore, RetryConfig};
use tokio::runtime::{Builder, Handle};
use tokio::task::JoinHandle;

use crate::error::{Error, Operation, Result};
use crate::object::{About, Object};
use blocks::Access;

pub(crate) use ranges::RangedFile;
pub(crate) use walk::{Found, Walk};

/// What a URL turned out to name.
#[derive(Debug)]
pub(crate) enum Named {
    Object(Object),
    /// No object of that name, but some below it; or a whole bucket.
    Folder,
    Nothing,
}

/// Asks the store what the URL names.
pub(crate) fn look_up(url: &str) -> Result<Named> {
    let place = Place::new(url)?;
    if !place.key()?.as_ref().is_empty() && !url.ends_with('/') {
        let object = Object::new(url.to_owned());
        match Access::to(&object)?.about() {
            Ok(_) => return Ok(Named::Object(object)),
            Err(fault) if fault.kind() == io::ErrorKind::NotFound => {}
            Err(fault) => return Err(Error::io(Path::new(url), Operation::Read, fault)),
        }
    }
    let below = place.list(&place.folder(), None, Some(1));
    let below = below.map_err(|fault| Error::io(Path::new(url), Operation::List, fault))?;
    // A bucket may be empty, as a folder may.
    let folder = place.key.is_empty() || !below.entries.is_empty();
    Ok(if folder { Named::Folder } else { Named::Nothing })
}

/// The error for a URL that names nothing.
pub(crate) fn nothing_at(url: &str) -> Error {
    let fault = Fault("there is no such object, and none below it".to_owned());
    Error::io(Path::new(url), Operation::Read, io::Error::new(io::ErrorKind::NotFound, fault))
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

/// Whether a store failed, rather than a decoder of what it gave.
pub(crate) fn is_fault(error: &io::Error) -> bool {
    error.get_ref().is_some_and(<dyn error::Error + Send + Sync>::is::<Fault>)
}

/// What a store said.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Fault(String);

fn fault(kind: io::ErrorKind, said: impl Into<String>) -> io::Error {
    io::Error::new(kind, Fault(said.into()))
}

impl From<library::Error> for Fault {
    /// On one line: the library's message, or the store's own within it, and the innermost cause,
    /// which the library leaves out where there was no answer.
    fn from(error: library::Error) -> Self {
        let message = error.to_string();
        let between = |open: &str, close: &str| {
            let (_, rest) = message.split_once(open)?;
            Some(rest.split_once(close)?.0.to_owned())
        };
        if let (Some(code), Some(said)) =
            (between("<Code>", "</Code>"), between("<Message>", "</Message>"))
        {
            return Self(format!("{code}: {said}"));
        }
        let one_line = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let mut said = one_line(&message);
        let mut cause: &dyn error::Error = &error;
        while let Some(source) = cause.source() {
            cause = source;
        }
        let cause = one_line(&cause.to_string());
        if !said.contains(&cause) {
            said = format!("{said}: {cause}");
        }
        if ASKED_FOR_CREDENTIALS.iter().any(|address| said.contains(address)) {
            return Self(format!(
                "no credentials are set, and this machine is given none: {said}\n\
                 hint: the environment has to have them, such as AWS_ACCESS_KEY_ID and \
                 AWS_SECRET_ACCESS_KEY; AWS_SKIP_SIGNATURE=true reads public buckets"
            ));
        }
        Self(said)
    }
}

/// Where machines of the providers ask who they are.
const ASKED_FOR_CREDENTIALS: [&str; 3] =
    ["/latest/api/token", "169.254.169.254", "metadata.google.internal"];

fn said(error: library::Error) -> io::Error {
    use library::Error as E;
    let kind = match &error {
        E::NotFound { .. } => io::ErrorKind::NotFound,
        E::PermissionDenied { .. } | E::Unauthenticated { .. } => io::ErrorKind::PermissionDenied,
        E::InvalidPath { .. } => io::ErrorKind::InvalidFilename,
        E::Precondition { .. } => {
            return fault(io::ErrorKind::Other, "was replaced while it was being read");
        }
        _ => io::ErrorKind::Other,
    };
    io::Error::new(kind, Fault::from(error))
}

/// A URL taken apart.
#[derive(Clone)]
struct Place {
    store: Arc<Store>,
    /// Up to the bucket, without a slash at the end.
    root: String,
    /// Empty for the whole bucket.
    key: String,
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.root, self.key)
    }
}

impl Place {
    fn new(url: &str) -> Result<Self> {
        let failed = |fault| Error::io(Path::new(url), Operation::Read, fault);
        let (scheme, rest) = url.split_once("://").unwrap_or((url, ""));
        let (bucket, key) = rest.split_once('/').unwrap_or((rest, ""));
        if bucket.is_empty() {
            return Err(failed(fault(io::ErrorKind::InvalidInput, "names no bucket")));
        }
        let store = Store::of(scheme, bucket).map_err(failed)?;
        Ok(Self { store, root: format!("{scheme}://{bucket}"), key: key.to_owned() })
    }

    fn key(&self) -> Result<Key> {
        Key::parse(&self.key).map_err(|error| {
            let fault = fault(io::ErrorKind::InvalidFilename, error.to_string());
            Error::io(Path::new(&self.url(&self.key)), Operation::Read, fault)
        })
    }

    /// What all keys below it begin with.
    fn folder(&self) -> String {
        let key = self.key.trim_end_matches('/');
        if key.is_empty() { String::new() } else { format!("{key}/") }
    }

    fn url(&self, key: &str) -> String {
        format!("{}/{key}", self.root)
    }

    /// A page of the objects whose keys begin so.
    fn list(
        &self,
        prefix: &str,
        page_token: Option<String>,
        max_keys: Option<usize>,
    ) -> io::Result<order::Page> {
        let lists = Arc::clone(&self.store.lists);
        let prefix = prefix.to_owned();
        let options = PaginatedListOptions { page_token, max_keys, ..Default::default() };
        let page = wait(async move {
            lists.list_paginated(Some(&*prefix).filter(|p| !p.is_empty()), options).await
        })?;
        let entries = page.result.objects.into_iter();
        let entries = entries
            .map(|object| order::Entry { key: object.location.into(), bytes: object.size })
            .collect();
        Ok(order::Page { entries, next: page.page_token })
    }
}

/// A bucket, and the connections to it that all of its objects share.
struct Store {
    objects: Arc<dyn ObjectStore>,
    lists: Arc<dyn PaginatedListStore>,
}

impl Store {
    fn of(scheme: &str, bucket: &str) -> io::Result<Arc<Self>> {
        static STORES: OnceLock<Mutex<HashMap<String, Arc<Store>>>> = OnceLock::new();
        let mut stores =
            STORES.get_or_init(Mutex::default).lock().unwrap_or_else(PoisonError::into_inner);
        let name = format!("{scheme}://{bucket}");
        if let Some(store) = stores.get(&name) {
            return Ok(Arc::clone(store));
        }
        let store = Arc::new(Self::from_environment(scheme, bucket).map_err(said)?);
        stores.insert(name, Arc::clone(&store));
        Ok(store)
    }

    fn from_environment(scheme: &str, bucket: &str) -> library::Result<Self> {
        // What encrypts connections. Another part of the program may have chosen already.
        let _ = rustls::crypto::ring::default_provider().install_default();
        let retries = retries();
        match scheme {
            "gs" => GoogleCloudStorageBuilder::from_env()
                .with_bucket_name(bucket)
                .with_retry(retries)
                .build()
                .map(Self::from),
            "az" => MicrosoftAzureBuilder::from_env()
                .with_container_name(bucket)
                .with_retry(retries)
                .build()
                .map(Self::from),
            _ => AmazonS3Builder::from_env()
                .with_bucket_name(bucket)
                .with_retry(retries)
                .build()
                .map(Self::from),
        }
    }
}

impl<S: ObjectStore + PaginatedListStore> From<S> for Store {
    fn from(store: S) -> Self {
        let store = Arc::new(store);
        Self { objects: Arc::clone(&store) as _, lists: store }
    }
}

/// Long enough for a store that asks to slow down, short enough for somebody who mistyped an
/// endpoint: about 10 s in all where every try fails at once, and never more than a minute and
/// the last try.
fn retries() -> RetryConfig {
    let backoff = BackoffConfig {
        init_backoff: Duration::from_millis(200),
        max_backoff: Duration::from_secs(10),
        base: 3.0,
    };
    RetryConfig { backoff, max_retries: 6, retry_timeout: Duration::from_mins(1) }
}

/// A request under way. Dropped, it is given up.
struct Pending<T> {
    answer: Receiver<library::Result<T>>,
    task: JoinHandle<()>,
}

impl<T: Send + 'static> Pending<T> {
    fn start(
        request: impl Future<Output = library::Result<T>> + Send + 'static,
    ) -> io::Result<Self> {
        let (sender, answer) = mpsc::sync_channel(1);
        let task = runtime()?.spawn(async move {
            // Nobody waits for it any more if it cannot be sent.
            let _ = sender.send(request.await);
        });
        Ok(Self { answer, task })
    }

    fn wait(&self) -> io::Result<T> {
        match self.answer.recv() {
            Ok(answer) => answer.map_err(said),
            Err(_) => Err(fault(io::ErrorKind::Other, "the request was lost")),
        }
    }
}

impl<T> Drop for Pending<T> {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn wait<T: Send + 'static>(
    request: impl Future<Output = library::Result<T>> + Send + 'static,
) -> io::Result<T> {
    Pending::start(request)?.wait()
}

/// The one thread that drives all requests, started by the first.
fn runtime() -> io::Result<&'static Handle> {
    static RUNTIME: OnceLock<Result<Handle, String>> = OnceLock::new();
    let started = RUNTIME.get_or_init(|| {
        let runtime = Builder::new_current_thread().enable_all().build();
        let runtime = runtime.map_err(|error| error.to_string())?;
        let handle = runtime.handle().clone();
        thread::Builder::new()
            .name("object-stores".to_owned())
            .spawn(move || runtime.block_on(future::pending::<()>()))
            .map_err(|error| error.to_string())?;
        Ok(handle)
    });
    started.as_ref().map_err(|error| fault(io::ErrorKind::Other, error))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(said: &str) -> String {
        let source = said.to_owned().into();
        Fault::from(library::Error::Generic { store: "S3", source }).to_string()
    }

    #[test]
    fn faults_are_what_the_store_said() {
        let xml = "Server returned non-2xx status code: 403 Forbidden: <?xml?>\n<Error>\
                   <Code>AccessDenied</Code>\n<Message>Access Denied</Message></Error>";
        assert_eq!(message(xml), "AccessDenied: Access Denied");
        assert_eq!(message("two\n  lines"), "Generic S3 error: two lines");
        let nobody = message("Error performing PUT http://169.254.169.254/latest/api/token");
        assert!(nobody.starts_with("no credentials are set"), "{nobody}");
        assert!(nobody.contains("\nhint: "), "{nobody}");
    }
}
