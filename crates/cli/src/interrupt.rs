//! Ctrl-C: what is half-written goes away.
//!
//! The handler runs on a thread of its own, so that it also ends a run that
//! waits for standard input. A file that is complete has its final name by then
//! and is not touched.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use anyhow::Context as _;

use crate::exit::tell;

/// What is said of a job that leaves nothing to go on with.
pub(crate) const START_AGAIN: &str = "interrupted\nhint: run the same command to start again";

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
        tell("interrupted, and nothing was written\nhint: run the same command to start again");
        std::process::exit(INTERRUPTED);
    })
    .context("cannot prepare for Ctrl-C")?;
    let mut slot = PARTIAL.lock().unwrap_or_else(PoisonError::into_inner);
    let file = create()?;
    *slot = Some(partial(&file).to_owned());
    Ok(file)
}

/// Whether somebody wants the job to stop.
static STOP: AtomicBool = AtomicBool::new(false);

/// How long a job may take to stop by itself; then it is ended. It can be killed at any time.
const PATIENCE: Duration = Duration::from_secs(5);

/// Makes Ctrl-C a wish that [`is_wanted`] tells of, for jobs that stop by themselves. One that
/// does not is ended with these words, and the leftovers, which it would have removed, go.
pub(crate) fn watch(words: &'static str, leftovers: Vec<PathBuf>) -> anyhow::Result<()> {
    ctrlc::set_handler(move || {
        // The second time, or when the job hangs in a read: at once.
        if !STOP.swap(true, Ordering::Relaxed) {
            std::thread::sleep(PATIENCE);
        }
        for path in &leftovers {
            let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
        }
        exit_after(words);
    })
    .context("cannot prepare for Ctrl-C")
}

/// Whether the job should stop.
pub(crate) fn is_wanted() -> bool {
    STOP.load(Ordering::Relaxed)
}

/// Ends the program as one that was interrupted.
pub(crate) fn exit_after(words: &str) -> ! {
    tell(words);
    std::process::exit(INTERRUPTED)
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
