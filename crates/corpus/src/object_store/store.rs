//! Buckets: where a URL leads, and requests to the store that has it.

use std::collections::HashMap;
use std::path::Path;
use std::sync::mpsc::{self, Receiver};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use std::{error, fmt, future, io, thread};

use ::object_store as library;
use library::aws::AmazonS3Builder;
use library::azure::MicrosoftAzureBuilder;
use library::gcp::GoogleCloudStorageBuilder;
use library::list::{PaginatedListOptions, PaginatedListStore};
use library::path::Path as Key;
use library::{BackoffConfig, ObjectStore, RetryConfig};
use tokio::runtime::{Builder, Handle};
use tokio::task::JoinHandle;

use super::order::{Entry, Page};
use crate::error::{Error, Operation, Result};
use crate::object::StoreFault;

/// The error of a store that failed.
pub(super) fn fault(kind: io::ErrorKind, said: impl Into<String>) -> io::Error {
    io::Error::new(kind, StoreFault(said.into()))
}

impl From<library::Error> for StoreFault {
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
    io::Error::new(kind, StoreFault::from(error))
}

/// A URL taken apart.
#[derive(Clone)]
pub(super) struct Place {
    pub(super) store: Arc<Store>,
    /// Up to the bucket, without a slash at the end.
    root: String,
    /// Empty for the whole bucket.
    pub(super) key: String,
}

impl fmt::Debug for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.root, self.key)
    }
}

impl Place {
    pub(super) fn new(url: &str) -> Result<Self> {
        let failed = |fault| Error::io(Path::new(url), Operation::Read, fault);
        let (scheme, rest) = url.split_once("://").unwrap_or((url, ""));
        let (bucket, key) = rest.split_once('/').unwrap_or((rest, ""));
        if bucket.is_empty() {
            return Err(failed(fault(io::ErrorKind::InvalidInput, "names no bucket")));
        }
        let store = Store::of(scheme, bucket).map_err(failed)?;
        Ok(Self { store, root: format!("{scheme}://{bucket}"), key: key.to_owned() })
    }

    pub(super) fn key(&self) -> Result<Key> {
        Key::parse(&self.key).map_err(|error| {
            let fault = fault(io::ErrorKind::InvalidFilename, error.to_string());
            Error::io(Path::new(&self.url(&self.key)), Operation::Read, fault)
        })
    }

    /// What all keys below it begin with.
    pub(super) fn folder(&self) -> String {
        let key = self.key.trim_end_matches('/');
        if key.is_empty() { String::new() } else { format!("{key}/") }
    }

    pub(super) fn url(&self, key: &str) -> String {
        format!("{}/{key}", self.root)
    }

    /// A page of the objects whose keys begin so.
    pub(super) fn list(
        &self,
        prefix: &str,
        page_token: Option<String>,
        max_keys: Option<usize>,
    ) -> io::Result<Page> {
        let lists = Arc::clone(&self.store.lists);
        let prefix = prefix.to_owned();
        let options = PaginatedListOptions { page_token, max_keys, ..Default::default() };
        let page = wait(async move {
            lists.list_paginated(Some(&*prefix).filter(|p| !p.is_empty()), options).await
        })?;
        let entries = page.result.objects.into_iter();
        let entries = entries
            .map(|object| Entry { key: object.location.into(), bytes: object.size })
            .collect();
        Ok(Page { entries, next: page.page_token })
    }
}

/// A bucket, and the connections to it that all of its objects share.
pub(super) struct Store {
    pub(super) objects: Arc<dyn ObjectStore>,
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
pub(super) struct Pending<T> {
    answer: Receiver<library::Result<T>>,
    task: JoinHandle<()>,
}

impl<T: Send + 'static> Pending<T> {
    pub(super) fn start(
        request: impl Future<Output = library::Result<T>> + Send + 'static,
    ) -> io::Result<Self> {
        let (sender, answer) = mpsc::sync_channel(1);
        let task = runtime()?.spawn(async move {
            // Nobody waits for it any more if it cannot be sent.
            let _ = sender.send(request.await);
        });
        Ok(Self { answer, task })
    }

    pub(super) fn wait(&self) -> io::Result<T> {
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

pub(super) fn wait<T: Send + 'static>(
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
        StoreFault::from(library::Error::Generic { store: "S3", source }).to_string()
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
