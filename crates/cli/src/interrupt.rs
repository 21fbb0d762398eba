//! Ctrl-C: what is half-written goes away.
//!
//! The handler runs on a thread of its own, so that it also ends a run that
//! waits for standard input. A file that is complete has its final name by then
//! and is not touched.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use anyhow::Context as _;

use crate::exit::say;

/// The file in the making.
static PARTIAL: Mutex<Option<PathBuf>> = Mutex::new(None);

/// What shells report of a process that was interrupted.
const INTERRUPTED: i32 = 130;

/// Makes a file that is removed if the run is interrupted before it has its final name.
///
/// The lock is held meanwhile, so that an interrupt finds either no file or its name.
pub(crate) fn create<T>(
    create: impl FnOnce() -> anyhow::Result<T>,
    partial: impl FnOnce(&T) -> &Path,
) -> anyhow::Result<T> {
    ctrlc::set_handler(|| {
        remove(PARTIAL.lock().unwrap_or_else(PoisonError::into_inner));
        say("interrupted, and nothing was written\nhint: run the same command to start again");
        std::process::exit(INTERRUPTED);
    })
    .context("cannot prepare for Ctrl-C")?;
    let mut slot = PARTIAL.lock().unwrap_or_else(PoisonError::into_inner);
    let file = create()?;
    *slot = Some(partial(&file).to_owned());
    Ok(file)
}

/// Removes what is half-written, if anything, after a fault; never waits.
pub(crate) fn remove_partial_file() {
    if let Ok(slot) = PARTIAL.try_lock() {
        remove(slot);
    }
}

fn remove(mut slot: MutexGuard<'_, Option<PathBuf>>) {
    if let Some(partial) = slot.take() {
        let _ = fs::remove_file(partial);
    }
}
