//! Why a server does not start, or stops.

use std::io;
use std::net::SocketAddr;
use std::path::PathBuf;

/// Why a server does not start, or stops.
// The message has that of its source in it, so there is none to print after it; `kind` has it.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub struct Error(Box<ErrorKind>);

/// The kinds of [`Error`].
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Another program listens at the address.
    #[error(
        "{0}: another program is listening there\n\
         hint: name another port, as in `--listen {host}:{port}`; port 0 takes any free one",
        host = bracketed(.0), port = .0.port().checked_add(1).unwrap_or(7700)
    )]
    AddressInUse(SocketAddr),
    /// There is none.
    #[error("no address to listen at is named")]
    NoAddress,
    /// The system does not let us listen at the address.
    #[error("{0}: cannot listen there: {1}")]
    Listen(SocketAddr, io::Error),
    /// The address can be reached from outside, and there is no token.
    #[error(
        "{0}: can be reached from other machines, and there is no token\n\
         hint: `--token-file FILE` asks every client for one; or listen at 127.0.0.1; \
         `--insecure-public` lets everybody do whatever you can"
    )]
    Unprotected(SocketAddr),
    /// A file cannot be read.
    #[error("`{0}`: cannot be read: {1}")]
    Unreadable(PathBuf, io::Error),
    /// The first line of a token file is no token.
    #[error(
        "`{0}`: has no token in its first line: {1}\n\
         hint: `openssl rand -hex 32 > {0}` makes one"
    )]
    Token(PathBuf, String),
    /// A folder is no finished run, or has the name of another.
    #[error("`{0}`: {1}")]
    Run(PathBuf, &'static str),
    /// The system gives us no threads.
    #[error("threads: cannot be started: {0}")]
    Threads(io::Error),
}

/// A result of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    pub(crate) fn new(kind: ErrorKind) -> Self {
        Self(Box::new(kind))
    }

    /// What went wrong.
    pub fn kind(&self) -> &ErrorKind {
        &self.0
    }
}

/// The host of an address, as it stands before a port.
fn bracketed(address: &SocketAddr) -> String {
    match address {
        SocketAddr::V4(address) => address.ip().to_string(),
        SocketAddr::V6(address) => format!("[{}]", address.ip()),
    }
}
