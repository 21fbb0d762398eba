//! How the program ends, and the last words.

use std::io::{self, Write as _};
use std::process::ExitCode;

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

/// An error.
pub(crate) const ERROR: u8 = 2;

/// The code of a command's end. An error is told here; a closed pipe is none.
pub(crate) fn code(result: anyhow::Result<Outcome>) -> ExitCode {
    match result {
        Ok(Outcome::Done) => ExitCode::SUCCESS,
        Ok(Outcome::No) => ExitCode::from(1),
        Ok(Outcome::Skipped) => ExitCode::from(3),
        Err(error) if is_closed_pipe(&error) => ExitCode::SUCCESS,
        Err(error) => {
            say(&format!("{error:#}"));
            ExitCode::from(ERROR)
        }
    }
}

/// Says something about the run on standard error, whether anybody listens or not.
pub(crate) fn say(message: &str) {
    let _ = writeln!(io::stderr().lock(), "lookalike: {message}");
}

/// Whether the reader of standard output went away, as `head` does. Other files come with their
/// path, in an error of another type.
fn is_closed_pipe(error: &anyhow::Error) -> bool {
    let error = error.chain().find_map(|error| error.downcast_ref::<io::Error>());
    error.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
