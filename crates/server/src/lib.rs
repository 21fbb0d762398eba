//! The HTTP service over the persistent index, and its web page; and the page of a run's clusters
//! ([`View`]).
//!
//! ```no_run
//! use lookalike_index::OpenOptions;
//! use lookalike_index::Index;
//! use lookalike_server::{Options, Server, Token};
//!
//! let index = Index::open("known", &OpenOptions::new())?;
//! let options = Options::new().token(Token::read("token".as_ref())?);
//! let server = Server::bind(index, "127.0.0.1:7700".parse()?, options)?;
//! println!("http://{}/", server.address());
//! server.run()?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! The way of a request:
//!
//! ```text
//! connection  bytes that come too slowly, or are not taken, end it
//! gate        an id, the token, headers that protect browsers, the log
//! body        within a limit, a time, and the memory of all bodies together (memory)
//! routes      JSON to documents, answers to JSON; problems for whatever is wrong
//! work        checks and comparisons, on so many threads
//! writer      changes: whatever waits goes to the disk together
//! ```

mod app;
mod body;
mod clock;
mod connection;
mod error;
mod gate;
mod listener;
mod memory;
mod metrics;
mod model;
mod options;
mod problem;
mod routes;
mod server;
mod sets;
mod streamed;
mod token;
mod view;
mod whole_number;
mod work;
mod writer;

pub use error::{Error, ErrorKind, Result};
pub use listener::Stop;
pub use options::{Exposure, Limits, Options};
pub use routes::openapi;
pub use server::Server;
pub use token::{Token, is_world_readable};
pub use view::View;
