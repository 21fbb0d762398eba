//! What a job tells Python while it runs.

#![expect(clippy::disallowed_methods, reason = "the report has times; results do not see them")]

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use lookalike_engine::{Observer, Stage, Work};
use pyo3::prelude::*;

use crate::interrupt::{self, Stop};

/// How far a job is.
#[pyclass(frozen, get_all, skip_from_py_object, module = "lookalike")]
#[derive(Clone, Copy)]
pub(crate) struct Progress {
    /// The stage at hand.
    stage: &'static str,
    /// Documents of this stage so far, or candidates when deciding.
    documents: u64,
    /// Bytes of text of this stage so far.
    bytes: u64,
    /// How much of this stage is done, from 0 to 1, as far as that is known.
    share: Option<f64>,
    /// Seconds since the job began.
    seconds: f64,
}

#[pymethods]
impl Progress {
    fn __repr__(&self) -> String {
        let Self { stage, documents, seconds, .. } = self;
        format!("<lookalike.Progress {stage}: {documents} documents after {seconds:.1} s>")
    }
}

/// Watches a job, tells a callback, and stops it.
pub(crate) struct Watch {
    callback: Option<Py<PyAny>>,
    start: Instant,
    stop: Stop,
    stage: Mutex<Counts>,
}

#[derive(Clone, Copy, Default)]
struct Counts {
    stage: Option<Stage>,
    total: Option<Work>,
    documents: u64,
    bytes: u64,
    stored: u64,
}

impl Counts {
    fn share(self) -> Option<f64> {
        let (done, total) = match self.total? {
            Work::Stored(total) => (self.stored, total),
            Work::Documents(total) => (self.documents, total),
        };
        (total > 0).then(|| (done as f64 / total as f64).min(1.0))
    }
}

impl Watch {
    pub(crate) fn new(callback: Option<Py<PyAny>>) -> Self {
        let (start, stop, stage) = (Instant::now(), Stop::default(), Mutex::default());
        Self { callback, start, stop, stage }
    }

    /// Runs a job on another thread. The callback is called on this one.
    pub(crate) fn run<T: Send>(
        &self,
        py: Python<'_>,
        job: impl FnOnce(&dyn Observer) -> T + Send,
    ) -> PyResult<T> {
        let result = interrupt::run(py, &self.stop, || job(self), |py| self.tell(py))?;
        self.tell(py)?;
        Ok(result)
    }

    fn tell(&self, py: Python<'_>) -> PyResult<()> {
        let Some(callback) = &self.callback else { return Ok(()) };
        let counts = *self.counts();
        let Some(stage) = counts.stage else { return Ok(()) };
        let Counts { documents, bytes, .. } = counts;
        let (share, seconds) = (counts.share(), self.seconds());
        let progress = Progress { stage: stage.name(), documents, bytes, share, seconds };
        callback.call1(py, (progress,)).map(drop)
    }

    fn counts(&self) -> MutexGuard<'_, Counts> {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Observer for Watch {
    fn begin(&self, stage: Stage, total: Option<Work>) {
        *self.counts() = Counts { stage: Some(stage), total, ..Counts::default() };
    }

    fn advance(&self, bytes: u64, documents: u64) {
        let mut counts = self.counts();
        counts.bytes += bytes;
        counts.documents += documents;
    }

    fn read(&self, stored_bytes: u64) {
        self.counts().stored += stored_bytes;
    }

    fn wants_totals(&self) -> bool {
        self.callback.is_some()
    }

    fn cancelled(&self) -> bool {
        self.stop.is_wanted()
    }

    fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }
}
