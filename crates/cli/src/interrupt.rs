//! Ctrl-C: what is half-written goes away.
//!
//! The handler runs on a thread of its own, so that it also ends a run that
//! waits for standard input. A file that is complete has its final name by then
//! and is not touched.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use anyhow::Context as _;

use crate::exit::say;

/// The file in the making.
static PARTIAL: Mutex<Option<PathBuf>> = Mutex::new(None);

/// What shells report of a process that was interrupted.
const INTERRUPTED: i32 = 130;

/// Removes this file if the run is interrupted, and says how to go on.
pub(crate) fn remove_on_interrupt(partial: &Path) -> anyhow::Result<()> {
    *PARTIAL.lock().unwrap_or_else(PoisonError::into_inner) = Some(partial.to_owned());
    ctrlc::set_handler(|| {
        remove_partial_file();
        say("interrupted, and nothing was written\nhint: run the same command to start again");
        std::process::exit(INTERRUPTED);
    })
    .context("cannot prepare for Ctrl-C")
}

/// Removes what is half-written, if anything.
pub(crate) fn remove_partial_file() {
    if let Some(partial) = PARTIAL.lock().unwrap_or_else(PoisonError::into_inner).take() {
        let _ = fs::remove_file(partial);
    }
}
