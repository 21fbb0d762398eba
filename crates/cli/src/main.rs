//! The binary `lookalike`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(lookalike_cli::main_with(std::env::args_os().skip(1)))
}
