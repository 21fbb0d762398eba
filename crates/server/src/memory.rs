//! The memory that bodies of requests may take together.

use std::sync::Arc;

use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::problem::{Problem, Result};

/// Memory is reserved in so many bytes.
const UNIT: u64 = 1 << 10;

/// Memory of bodies.
#[derive(Clone)]
pub(crate) struct Memory(Arc<Semaphore>);

/// A part of it.
#[derive(Default)]
pub(crate) struct Reservation {
    permit: Option<OwnedSemaphorePermit>,
    bytes: u64,
}

impl Memory {
    pub(crate) fn new(bytes: u64) -> Self {
        let units = usize::try_from(bytes / UNIT).unwrap_or(usize::MAX);
        Self(Arc::new(Semaphore::new(units.clamp(1, Semaphore::MAX_PERMITS))))
    }

    /// Reserves as much as is needed for `bytes` in all, unless others have it.
    pub(crate) fn reserve(&self, reserved: &mut Reservation, bytes: u64) -> Result<()> {
        let held = reserved.bytes.div_ceil(UNIT);
        let more = bytes.div_ceil(UNIT).saturating_sub(held);
        if more > 0 {
            let busy = || Problem::busy("too many large requests at once; try again in a moment");
            let more = u32::try_from(more).map_err(|_| busy())?;
            let permit = Arc::clone(&self.0).try_acquire_many_owned(more).map_err(|_| busy())?;
            match &mut reserved.permit {
                Some(held) => held.merge(permit),
                None => reserved.permit = Some(permit),
            }
            reserved.bytes = bytes;
        }
        Ok(())
    }
}

impl Reservation {
    /// Gives away all but what `bytes` need.
    pub(crate) fn split(&mut self, bytes: u64) -> Self {
        let (held, kept) = (self.bytes.div_ceil(UNIT), bytes.div_ceil(UNIT));
        let given = held.saturating_sub(kept);
        self.bytes = self.bytes.min(bytes);
        let split = |permit: &mut OwnedSemaphorePermit| permit.split(usize::try_from(given).ok()?);
        Self { permit: self.permit.as_mut().and_then(split), bytes: given * UNIT }
    }
}

/// Memory that is given back when the last who needs it is done: also if nobody waits any more for
/// what a thread or the writer still does.
pub(crate) type SharedReservation = Arc<Reservation>;
