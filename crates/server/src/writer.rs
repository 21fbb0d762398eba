//! The one writer: what waits while a change is brought to the disk is written together.
//!
//! A change is answered when it is on disk, and bringing it there costs the
//! same for one as for a thousand. So a thread takes whatever waits, makes at
//! most four changes of it (removals, additions, and the two ways of checking
//! and adding), and answers all. Jobs that wait together were asked for at the
//! same time, so that any order of them is right; within a job the order stays.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;

use lookalike_index::{self as index, AddIf, Addition, CheckedAddition, Index};
use tokio::sync::{mpsc, oneshot};

use crate::memory::SharedReservation;
use crate::metrics::Metrics;
use crate::model::IndexDocument;
use crate::problem::{Problem, Result};

/// Jobs that can wait. As many as are drained at once; more would only take memory.
const QUEUE: usize = 1024;

/// Documents that are written together, at most; one job may have more.
const MOST_DOCUMENTS: usize = 4096;

/// Bytes that are written together, at most; one job may have more.
const MOST_BYTES: usize = 32 << 20;

/// Changes of one kind.
#[derive(Debug)]
pub(crate) enum Changes {
    Remove(Vec<String>),
    Add(Vec<IndexDocument>),
    CheckAndAdd(Vec<IndexDocument>, AddIf),
}

/// What came of a change.
#[derive(Debug)]
pub(crate) enum ChangeResult {
    Removed(bool),
    Added(Addition),
    CheckedAndAdded(CheckedAddition),
}

type Answer = oneshot::Sender<Result<Vec<ChangeResult>>>;

struct Job {
    changes: Changes,
    /// What they take, until they are made.
    memory: SharedReservation,
    answer: Answer,
}

/// Hands changes to the writer.
pub(crate) struct Writer {
    jobs: mpsc::Sender<Job>,
    metrics: Arc<Metrics>,
}

impl Writer {
    /// Starts the writer's thread, which ends with the last of its handles.
    pub(crate) fn start(
        index: Arc<Index>,
        metrics: Arc<Metrics>,
    ) -> std::io::Result<(Self, JoinHandle<()>)> {
        let (jobs, queue) = mpsc::channel(QUEUE);
        let counted = Arc::clone(&metrics);
        let thread = std::thread::Builder::new()
            .name("writer".to_owned())
            .spawn(move || write(&index, &metrics, queue))?;
        Ok((Self { jobs, metrics: counted }, thread))
    }

    /// Makes changes; what came of each, once it is on disk.
    pub(crate) async fn make(
        &self,
        changes: Changes,
        memory: SharedReservation,
    ) -> Result<Vec<ChangeResult>> {
        let stopping = || Problem::stopping("it takes no more changes; nothing was changed");
        let (answer, answered) = oneshot::channel();
        let room = self.jobs.reserve().await.map_err(|_| stopping())?;
        self.metrics.queue.fetch_add(1, Ordering::Relaxed);
        room.send(Job { changes, memory, answer });
        answered.await.unwrap_or_else(|_| Err(Problem::failed("a bug in the writer")))
    }
}

fn write(index: &Index, metrics: &Metrics, mut queue: mpsc::Receiver<Job>) {
    while let Some(job) = queue.blocking_recv() {
        let (mut documents, mut bytes) = (job.changes.len(), job.changes.bytes());
        let mut jobs = vec![job];
        while documents < MOST_DOCUMENTS
            && bytes < MOST_BYTES
            && let Ok(job) = queue.try_recv()
        {
            documents += job.changes.len();
            bytes += job.changes.bytes();
            jobs.push(job);
        }
        metrics.queue.fetch_sub(jobs.len().cast_signed() as i64, Ordering::Relaxed);
        metrics.batch(documents);
        let together = Together::of(jobs);
        // The index is as before if this panics: it changes in memory after it has changed on disk.
        // Whoever waits is told of a fault, and others go on.
        let _ = catch_unwind(AssertUnwindSafe(|| together.write(index)));
    }
}

/// Jobs by what they do.
#[derive(Default)]
struct Together {
    removals: Batch<String>,
    additions: Batch<IndexDocument>,
    new: Batch<IndexDocument>,
    any: Batch<IndexDocument>,
    /// Of all of them.
    memory: Vec<SharedReservation>,
}

impl Together {
    fn of(jobs: Vec<Job>) -> Self {
        let mut together = Self::default();
        for Job { changes, memory, answer } in jobs {
            together.memory.push(memory);
            match changes {
                Changes::Remove(ids) => together.removals.push(ids, answer),
                Changes::Add(documents) => together.additions.push(documents, answer),
                Changes::CheckAndAdd(documents, AddIf::New) => together.new.push(documents, answer),
                Changes::CheckAndAdd(documents, AddIf::Any) => together.any.push(documents, answer),
            }
        }
        together
    }

    fn write(self, index: &Index) {
        self.removals.make(ChangeResult::Removed, |ids| index.remove_batch(ids));
        self.additions.make(ChangeResult::Added, |documents| index.add_batch(documents));
        for (group, add_if) in [(self.new, AddIf::New), (self.any, AddIf::Any)] {
            group.make(ChangeResult::CheckedAndAdded, |documents| {
                index.check_and_add_batch(documents, add_if)
            });
        }
    }
}

/// Changes of one kind, and who waits for how many of them.
struct Batch<T> {
    changes: Vec<T>,
    waiting: Vec<(usize, Answer)>,
}

impl<T> Default for Batch<T> {
    fn default() -> Self {
        Self { changes: Vec::new(), waiting: Vec::new() }
    }
}

impl<T> Batch<T> {
    fn push(&mut self, changes: Vec<T>, answer: Answer) {
        self.waiting.push((changes.len(), answer));
        self.changes.extend(changes);
    }

    /// Makes the changes, if there are any, and tells each who waits his part.
    fn make<D>(
        self,
        done: fn(D) -> ChangeResult,
        make: impl FnOnce(&[T]) -> index::Result<Vec<D>>,
    ) {
        if self.waiting.is_empty() {
            return;
        }
        let mut made = make(&self.changes).map(Vec::into_iter).map_err(Problem::from);
        for (count, answer) in self.waiting {
            let part = match &mut made {
                Ok(made) => Ok(made.by_ref().take(count).map(done).collect()),
                Err(problem) => Err(problem.clone()),
            };
            // Whoever no longer waits has gone away or ran out of time.
            let _ = answer.send(part);
        }
    }
}

impl Changes {
    fn len(&self) -> usize {
        match self {
            Self::Remove(ids) => ids.len(),
            Self::Add(documents) | Self::CheckAndAdd(documents, _) => documents.len(),
        }
    }

    fn bytes(&self) -> usize {
        match self {
            Self::Remove(ids) => ids.iter().map(String::len).sum(),
            Self::Add(documents) | Self::CheckAndAdd(documents, _) => {
                documents.iter().map(|document| document.content.len()).sum()
            }
        }
    }
}
