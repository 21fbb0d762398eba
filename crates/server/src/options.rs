//! How a server behaves.

use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use lookalike_core::setters;

use crate::error::{Error, ErrorKind, Result};
use crate::token::Token;

/// How a server behaves.
#[derive(Clone, Default)]
pub struct Options {
    pub(crate) token: Option<Token>,
    pub(crate) exposure: Exposure,
    pub(crate) limits: Limits,
    pub(crate) runs: Vec<RunFolder>,
    pub(crate) log: Log,
}

/// Who may reach a server that asks for no token.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Exposure {
    /// Only programs of this machine; any other address is refused.
    #[default]
    Loopback,
    /// Everybody who can reach the address.
    Everybody,
}

/// What one client, and all of them together, can ask of a server.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes of a body, or of a line of a bulk request. At most [`Limits::MAX_BODY_BYTES`].
    pub body_bytes: u64,
    /// How long a body may take to arrive, and then the work. Also how long a client may leave
    /// an answer unread.
    pub request_time: Duration,
    /// How long the head of a request may take, and how long a connection may be idle.
    pub header_time: Duration,
    /// Requests that are worked on or wait for it; others are told to try again.
    pub requests: usize,
    /// Open connections; others wait to be accepted. By default half of the files that may be
    /// open, and at most 4096.
    pub connections: usize,
    /// Threads that sign and compare.
    pub threads: usize,
    /// How long requests may take to end when the server stops.
    pub stop_time: Duration,
}

impl Limits {
    /// The longest content that an index can hold.
    pub const MAX_BODY_BYTES: u64 = lookalike_index::MAX_CONTENT_BYTES as u64;

    /// Bytes of all bodies together: those of a few large ones, or thousands of pages.
    pub(crate) fn bodies_bytes(&self) -> u64 {
        (8 * self.body_bytes).max(64 << 20)
    }
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            body_bytes: 16 << 20,
            request_time: Duration::from_secs(30),
            header_time: Duration::from_secs(15),
            requests: 256,
            connections: open_files().map_or(1024, |most| most / 2).clamp(16, 4096),
            threads: std::thread::available_parallelism().map_or(2, usize::from),
            stop_time: Duration::from_secs(20),
        }
    }
}

/// The files that this process may have open, connections included.
fn open_files() -> Option<usize> {
    let limits = std::fs::read_to_string("/proc/self/limits").ok()?;
    let line = limits.lines().find_map(|line| line.strip_prefix("Max open files"))?;
    line.split_whitespace().next()?.parse().ok()
}

/// A finished run, whose report the server shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct RunFolder {
    pub(crate) name: String,
    pub(crate) report: PathBuf,
}

impl RunFolder {
    fn new(folder: &Path) -> Result<Self> {
        let failed = |fault| Error::new(ErrorKind::Run(folder.to_owned(), fault));
        let report = folder.join("report.html");
        if !report.is_file() {
            return Err(failed("is not a finished run: it has no report.html"));
        }
        let whole = folder.canonicalize();
        let whole =
            whole.map_err(|error| Error::new(ErrorKind::Unreadable(folder.to_owned(), error)))?;
        let name = whole.file_name().and_then(|name| name.to_str());
        let name = name.ok_or_else(|| failed("has no name that can stand in an address"))?;
        Ok(Self { name: name.to_owned(), report })
    }
}

/// Where log lines go.
#[derive(Clone)]
pub(crate) struct Log(pub(crate) Arc<dyn Fn(&str) + Send + Sync>);

impl Default for Log {
    fn default() -> Self {
        Self(Arc::new(|line| {
            // Whether anybody listens or not.
            let _ = writeln!(std::io::stderr().lock(), "{line}");
        }))
    }
}

impl Options {
    /// No token, the default limits, log lines on standard error.
    pub fn new() -> Self {
        Self::default()
    }

    setters! {
        /// Asks every client for this token.
        token: Token => token = Some(token);
        /// Who may reach the server if it asks for no token.
        exposure: Exposure;
        /// With these limits.
        limits: Limits;
    }

    /// Shows the report of a finished run, under the name of its folder.
    ///
    /// # Errors
    /// If the folder has no report, or another one has its name.
    pub fn run(mut self, folder: &Path) -> Result<Self> {
        let run = RunFolder::new(folder)?;
        if self.runs.iter().any(|other| other.name == run.name) {
            let fault = "has the name of another run, under which it would be shown";
            return Err(Error::new(ErrorKind::Run(folder.to_owned(), fault)));
        }
        self.runs.push(run);
        Ok(self)
    }

    setters! {
        /// Has log lines written by this function instead of to standard error.
        log: impl Fn(&str) + Send + Sync + 'static => log = Log(Arc::new(log));
    }
}
