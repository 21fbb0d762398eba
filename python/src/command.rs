//! The command `lookalike`, for `lookalike/__main__.py`.

use std::ffi::OsString;

use pyo3::prelude::*;

/// Does what the arguments of the command say; the exit code. Only for a process that does nothing
/// else: the command writes to the process's own standard output and may end it.
#[pyfunction]
#[pyo3(signature = (arguments: "collections.abc.Sequence[str]"))]
pub(crate) fn run_command(py: Python<'_>, arguments: Vec<OsString>) -> u8 {
    py.detach(|| lookalike_cli::main_with(arguments))
}
