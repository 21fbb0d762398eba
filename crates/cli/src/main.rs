//! The binary `lookalike`.
//!
//! [`flags`] is the one definition of what can be said on the command line,
//! and turns it into checked arguments without touching a file; [`command`]
//! does the work. Data goes to standard output, everything else to standard
//! error. Exit codes: 0 done; 1 done, but the answer is no; 2 an error; 3 done,
//! but some input was skipped.

mod command;
mod env;
mod exit;
mod fault;
mod flags;
mod interrupt;
mod learned;
mod output;
mod progress;
mod recipe;
mod skipped;

use std::process::ExitCode;

fn main() -> ExitCode {
    lookalike::kernels::allocator::give_back_freed_memory();
    fault::with_faults_told(|| match flags::parse() {
        Ok(cli) => {
            if cli.quiet {
                exit::be_quiet();
            }
            exit::code(command::run(&cli.command))
        }
        Err(code) => code,
    })
}
