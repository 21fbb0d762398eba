//! The service from outside, over real sockets.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod bulk;
mod client;
mod errors;
mod limits;
mod openapi;
mod page;
mod routes;
mod token;
mod view;
mod writes;
