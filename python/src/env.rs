//! The environment variable that is looked at: the same as the command's.

use lookalike_core::Kernel;
use pyo3::PyResult;

use crate::error::Raise as _;

/// The kernel that `LOOKALIKE_KERNEL` names, or the fastest one if it is not set.
pub(crate) fn kernel() -> PyResult<Kernel> {
    match std::env::var_os("LOOKALIKE_KERNEL") {
        None => Ok(Kernel::best()),
        Some(name) => {
            Kernel::named(&name.to_string_lossy()).map_err(lookalike_core::Error::from).raise()
        }
    }
}
