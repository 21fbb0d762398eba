//! How the program ends, and the last words.

use std::io::{self, Write as _};
use std::sync::atomic::{AtomicBool, Ordering};

/// What a command that did not fail has to say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Outcome {
    /// Done, and if there was a question, the answer is yes.
    Done,
    /// Done, and the answer is no.
    No,
    /// Done, but some input was skipped.
    Skipped,
}

impl Outcome {
    /// Of a command that skipped this much of its input.
    pub(crate) fn after_skipping(skipped: u64) -> Self {
        if skipped == 0 { Self::Done } else { Self::Skipped }
    }

    /// Of a search that found so much.
    pub(crate) fn of_search(found: u64, skipped: u64) -> Self {
        if found == 0 && skipped == 0 { Self::No } else { Self::after_skipping(skipped) }
    }
}

/// Nothing went wrong.
pub(crate) const DONE: u8 = 0;

/// An error.
pub(crate) const ERROR: u8 = 2;

/// The code of a command's end. An error is told here; a closed pipe is none.
pub(crate) fn code(result: anyhow::Result<Outcome>) -> u8 {
    match result {
        Ok(Outcome::Done) => DONE,
        Ok(Outcome::No) => 1,
        Ok(Outcome::Skipped) => 3,
        Err(error) if is_closed_pipe(&error) => DONE,
        Err(error) => {
            tell(&format!("{error:#}"));
            ERROR
        }
    }
}

/// Whether nothing is said but errors.
static IS_QUIET: AtomicBool = AtomicBool::new(false);

/// From here on nothing is said but errors.
pub(crate) fn be_quiet() {
    IS_QUIET.store(true, Ordering::Relaxed);
}

pub(crate) fn is_quiet() -> bool {
    IS_QUIET.load(Ordering::Relaxed)
}

/// Says something about the run on standard error, unless it is to be quiet.
pub(crate) fn say(message: &str) {
    if !is_quiet() {
        tell(message);
    }
}

/// Says it in any case, whether anybody listens or not.
pub(crate) fn tell(message: &str) {
    let _ = writeln!(io::stderr().lock(), "lookalike: {message}");
}

/// Whether the reader of standard output went away, as `head` does. Other files come with their
/// path, in an error of another type.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let error = error.chain().find_map(|error| error.downcast_ref::<io::Error>());
    error.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
