//! The command line of Lookalike, for the binary `lookalike` and for the Python package, which
//! brings the same command.
//!
//! `flags` is the one definition of what can be said on the command line,
//! and turns it into checked arguments without touching a file; `command`
//! does the work. Data goes to standard output, everything else to standard
//! error. Exit codes: 0 done; 1 done, but the answer is no; 2 an error; 3 done,
//! but some input was skipped.

mod clock;
mod command;
mod env;
mod exit;
mod export;
mod fault;
mod flags;
mod interrupt;
mod learned;
mod output;
mod progress;
mod recipe;
mod skipped;

use std::ffi::OsString;
use std::io::{self, Write as _};

pub use export::{ExportRow, ExportWriter, ExportedDocument};

/// Does what these arguments say, which come after the program's name; the exit code.
///
/// Only for a process that does nothing else: Ctrl-C may end it, and what handles panics and signals
/// is there for good.
pub fn main_with(arguments: impl IntoIterator<Item = OsString>) -> u8 {
    lookalike_kernels::allocator::give_back_freed_memory();
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let code = fault::with_faults_told(|| match flags::parse(arguments) {
        Ok(cli) => {
            if cli.quiet {
                exit::be_quiet();
            }
            exit::code(command::run(&cli.command))
        }
        Err(code) => code,
    });
    // Python ends without what Rust does after `main`.
    let _ = io::stdout().flush();
    code
}
