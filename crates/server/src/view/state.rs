//! What all requests for a run share.

use std::path::Path;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lookalike_engine::run::{Clusters, Passages, Verdicts};

use crate::body::Intake;
use crate::memory::Memory;
use crate::options::{Limits, Options};
use crate::problem::Result;
use crate::work::Work;

/// What all requests for a run share.
pub(super) struct ViewState {
    pub(super) clusters: Clusters,
    pub(super) passages: Passages,
    verdicts: Mutex<Verdicts>,
    /// The folder of the run, as it was named.
    pub(super) folder: String,
    pub(super) options: Options,
    work: Work,
    memory: Memory,
}

impl Intake for ViewState {
    fn limits(&self) -> &Limits {
        &self.options.limits
    }

    fn memory(&self) -> &Memory {
        &self.memory
    }
}

impl ViewState {
    pub(super) fn new(
        (clusters, passages): (Clusters, Passages),
        verdicts: Verdicts,
        folder: &Path,
        options: Options,
    ) -> Self {
        let limits = &options.limits;
        Self {
            clusters,
            passages,
            verdicts: Mutex::new(verdicts),
            folder: folder.display().to_string(),
            work: Work::new(limits.threads, limits.requests, limits.request_time),
            memory: Memory::new(limits.bodies_bytes()),
            options,
        }
    }

    pub(super) fn verdicts(&self) -> MutexGuard<'_, Verdicts> {
        self.verdicts.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Works on the run, if there are not too many who do.
    pub(super) async fn ask<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Self) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let turn = self.work.turn()?;
        let state = Arc::clone(self);
        self.work.run(&turn, move || work(&state)).await
    }
}
