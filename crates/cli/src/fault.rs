//! Faults of the program itself.

use std::panic::{self, UnwindSafe};

use lookalike_corpus::panics_are_expected;

use crate::exit::{self, ERROR};
use crate::interrupt;

/// Runs the program. A fault of ours is told like any error, and leaves no half-written file.
///
/// The hook only tells: a panic goes up to whoever can make an error of it, which names the file
/// and lets a job go on. What nobody catches ends here.
pub(crate) fn with_faults_told(run: impl FnOnce() -> u8 + UnwindSafe) -> u8 {
    panic::set_hook(Box::new(tell));
    panic::catch_unwind(run).unwrap_or_else(|_| {
        interrupt::remove_partial_file();
        ERROR
    })
}

fn tell(fault: &panic::PanicHookInfo<'_>) {
    if panics_are_expected() {
        return;
    }
    let message = fault.payload_as_str().unwrap_or("no message");
    let place = fault.location().map_or(String::new(), |place| format!(" ({place})"));
    exit::tell(&format!(
        "a bug in the program: {message}{place}\n\
         hint: please report it, with the command and if possible the input"
    ));
}

#[cfg(test)]
mod tests {
    use lookalike_corpus::guarded;

    use super::*;

    /// A damaged file among thousands may make a decoder panic: whoever called it goes on.
    #[test]
    fn a_panic_that_is_caught_does_not_end_the_process() {
        let code = with_faults_told(|| {
            assert!(guarded(|| panic!("a page that contradicts itself")).is_err());
            3
        });
        assert_eq!(code, 3);
        let code = with_faults_told(|| panic!("a fault of ours"));
        assert_eq!(code, ERROR);
    }
}
