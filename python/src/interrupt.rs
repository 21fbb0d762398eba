//! Ctrl-C: work runs on another thread, and the calling one asks Python now and then whether
//! somebody wants it to stop.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use pyo3::prelude::*;

/// How often Python is asked: at once for a person, seldom for a processor.
const EVERY: Duration = Duration::from_millis(50);

/// Whether work should stop.
#[derive(Default)]
pub(crate) struct Stop(AtomicBool);

impl Stop {
    pub(crate) fn is_wanted(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Runs `work`, which ends soon once `stop` is wanted, and calls `meanwhile` with the lock held
/// every now and then. What that or a signal raises stops the work and is raised in the end.
pub(crate) fn run<T: Send>(
    py: Python<'_>,
    stop: &Stop,
    work: impl FnOnce() -> T + Send,
    mut meanwhile: impl FnMut(Python<'_>) -> PyResult<()> + Send,
) -> PyResult<T> {
    let mut raised = None;
    let result = py.detach(|| {
        thread::scope(|scope| {
            let (sender, receiver) = mpsc::channel::<()>();
            let worker = scope.spawn(move || {
                let result = work();
                drop(sender);
                result
            });
            while receiver.recv_timeout(EVERY) == Err(RecvTimeoutError::Timeout) {
                let said = Python::attach(|py| py.check_signals().and_then(|()| meanwhile(py)));
                if let Err(error) = said {
                    stop.0.store(true, Ordering::Relaxed);
                    raised.get_or_insert(error);
                }
            }
            worker.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
        })
    });
    raised.map_or(Ok(result), Err)
}

/// The same, with nothing to do meanwhile.
pub(crate) fn listen<T: Send>(py: Python<'_>, work: impl FnOnce(&Stop) -> T + Send) -> PyResult<T> {
    let stop = Stop::default();
    run(py, &stop, || work(&stop), |_| Ok(()))
}
