//! Why a server does not start, or stops.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::{fmt, io};

/// Why a server does not start, or stops.
#[derive(Debug)]
pub struct Error(Box<ErrorKind>);

/// The kinds of [`Error`].
#[derive(Debug)]
#[non_exhaustive]
pub enum ErrorKind {
    /// Another program listens at the address.
    AddressInUse(SocketAddr),
    /// The system does not let us listen at the address.
    Listen(SocketAddr, io::Error),
    /// The address can be reached from outside, and there is no token.
    Unprotected(SocketAddr),
    /// A file cannot be read.
    Unreadable(PathBuf, io::Error),
    /// The first line of a token file is no token.
    Token(PathBuf, String),
    /// A folder is no finished run, or has the name of another.
    Run(PathBuf, &'static str),
    /// The system gives us no threads.
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

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &*self.0 {
            ErrorKind::AddressInUse(address) => write!(
                f,
                "{address}: another program listens there\n\
                 hint: name another port, as in `--listen {}:{}`; port 0 takes any that is free",
                bracketed(address),
                address.port().checked_add(1).unwrap_or(7700)
            ),
            ErrorKind::Listen(address, error) => {
                write!(f, "{address}: cannot be listened at: {error}")
            }
            ErrorKind::Unprotected(address) => write!(
                f,
                "{address}: can be reached from other machines, and there is no token\n\
                 hint: `--token-file FILE` asks every client for one; or listen at 127.0.0.1; \
                 `--insecure-public` lets everybody read, add and remove documents"
            ),
            ErrorKind::Unreadable(path, error) => {
                write!(f, "`{}`: cannot be read: {error}", path.display())
            }
            ErrorKind::Token(path, fault) => write!(
                f,
                "`{}`: has no token in its first line: {fault}\n\
                 hint: `openssl rand -hex 32 > {}` makes one",
                path.display(),
                path.display()
            ),
            ErrorKind::Run(path, fault) => write!(f, "`{}`: {fault}", path.display()),
            ErrorKind::Threads(error) => write!(f, "threads: cannot be started: {error}"),
        }
    }
}

impl std::error::Error for Error {}

/// The host of an address, as it stands before a port.
fn bracketed(address: &SocketAddr) -> String {
    match address {
        SocketAddr::V4(address) => address.ip().to_string(),
        SocketAddr::V6(address) => format!("[{}]", address.ip()),
    }
}
