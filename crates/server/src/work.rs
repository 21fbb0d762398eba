//! Work that takes a processor or waits for the disk: on threads of its own, so many at a time.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::{OwnedSemaphorePermit, Semaphore, TryAcquireError};
use tokio::time::timeout;

use crate::problem::{Problem, Result};

/// Who works, and who waits for it.
#[derive(Clone)]
pub(crate) struct Work {
    threads: Arc<Semaphore>,
    requests: Arc<Semaphore>,
    time: Duration,
}

/// The right to be worked on.
pub(crate) struct Turn(#[expect(dead_code, reason = "held")] Option<OwnedSemaphorePermit>);

impl Work {
    pub(crate) fn new(threads: usize, requests: usize, time: Duration) -> Self {
        let [threads, requests] = [threads, requests].map(|most| {
            let most = most.clamp(1, Semaphore::MAX_PERMITS);
            Arc::new(Semaphore::new(most))
        });
        Self { threads, requests, time }
    }

    /// The right to wait for work, unless too many have it.
    pub(crate) fn turn(&self) -> Result<Turn> {
        match Arc::clone(&self.requests).try_acquire_owned() {
            Ok(permit) => Ok(Turn(Some(permit))),
            Err(TryAcquireError::NoPermits | TryAcquireError::Closed) => {
                Err(Problem::busy("too many requests wait; try again in a moment"))
            }
        }
    }

    /// The right of a stream, which waits instead of being refused: its client waits with it.
    pub(crate) async fn turn_of_stream(&self) -> Turn {
        Turn(Arc::clone(&self.requests).acquire_owned().await.ok())
    }

    /// Works on a thread. If it takes too long, it still ends, and counts until then.
    pub(crate) async fn run<T: Send + 'static>(
        &self,
        _turn: &Turn,
        work: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let threads = Arc::clone(&self.threads);
        self.in_time(async move {
            let permit = threads.acquire_owned().await;
            let done = tokio::task::spawn_blocking(move || {
                let _permit = permit;
                work()
            });
            done.await.unwrap_or_else(|_| Err(Problem::failed("a bug in the server")))
        })
        .await
    }

    /// What comes in time.
    pub(crate) async fn in_time<T>(&self, work: impl Future<Output = Result<T>>) -> Result<T> {
        match timeout(self.time, work).await {
            Ok(done) => done,
            Err(_) => Err(Problem::slow(format!(
                "no answer after {} seconds; a change may still be made",
                self.time.as_secs_f64()
            ))),
        }
    }
}
