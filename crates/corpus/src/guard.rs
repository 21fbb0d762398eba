//! Decoders that may panic, where a panic is a fault of the bytes and not of the program.
//!
//! A decoder of another library has checks of its own that panic where bytes
//! contradict each other. Whoever calls one through [`guarded`] gets a value; the
//! program's panic hook asks [`panics_are_expected`], and neither tells of a fault
//! of ours nor ends the process.

use std::cell::Cell;
use std::panic::{AssertUnwindSafe, catch_unwind};

thread_local! {
    /// How many calls of [`guarded`] the thread is in.
    static DEPTH: Cell<u32> = const { Cell::new(0) };
}

/// What a panic said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Panic(pub String);

/// Runs what may panic. What it panicked in must not be used again.
///
/// # Errors
/// What the panic said.
pub fn guarded<T>(call: impl FnOnce() -> T) -> Result<T, Panic> {
    DEPTH.set(DEPTH.get() + 1);
    let done = catch_unwind(AssertUnwindSafe(call));
    DEPTH.set(DEPTH.get() - 1);
    done.map_err(|payload| Panic::of(&*payload))
}

/// Whether a panic of this thread is one that [`guarded`] makes a value of.
pub fn panics_are_expected() -> bool {
    DEPTH.get() > 0
}

impl Panic {
    /// From what `catch_unwind` or `join` gave.
    pub fn of(payload: &(dyn std::any::Any + Send)) -> Self {
        let text = payload.downcast_ref::<&str>().map(|text| (*text).to_owned());
        let text = text.or_else(|| payload.downcast_ref::<String>().cloned());
        Self(text.unwrap_or_else(|| "no message".to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_panic_is_a_value_and_expected_only_within() {
        assert!(!panics_are_expected());
        assert_eq!(guarded(panics_are_expected), Ok(true));
        let panicked = guarded(|| -> u8 { panic!("page {}", 7) });
        assert_eq!(panicked, Err(Panic("page 7".to_owned())));
        assert!(!panics_are_expected());
    }
}
