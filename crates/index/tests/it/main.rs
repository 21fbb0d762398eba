//! The index: what it answers, what it survives, and what its files are.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod browse;
mod common;
mod crash;
mod damage;
mod format;
mod known;
mod model;
mod operations;
mod same_as_dedup;
