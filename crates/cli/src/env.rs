//! The environment variables that are looked at, in one place.

use std::env;

use lookalike_core::{Kernel, KernelError};

/// The kernel to use: `scalar`, `avx2` or `avx512`.
pub(crate) const KERNEL: &str = "LOOKALIKE_KERNEL";

/// Set to anything but nothing, it switches colour off (no-color.org).
pub(crate) const NO_COLOR: &str = "NO_COLOR";

/// The kernel that [`KERNEL`] names, or the fastest one if it is not set.
pub(crate) fn kernel() -> Result<Kernel, KernelError> {
    match env::var_os(KERNEL) {
        None => Ok(Kernel::best()),
        Some(name) => Kernel::named(&name.to_string_lossy()),
    }
}

/// Whether somebody asked for no colour, or the terminal has none.
pub(crate) fn refuses_color() -> bool {
    let set = env::var_os(NO_COLOR).is_some_and(|value| !value.is_empty());
    set || env::var_os("TERM").is_some_and(|term| term == "dumb")
}

/// What `--help` says of them.
pub(crate) const HELP: &str = "\
Environment:
  LOOKALIKE_KERNEL  the instruction set to use: scalar, avx2 or avx512 (`lookalike info` lists
                    those of this machine); all give the same bits
  NO_COLOR          switches colour off if set

Exit codes:
  0 done; 1 done, but the answer is no; 2 an error; 3 done, but some input was skipped";
