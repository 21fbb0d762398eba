//! The one writer: what waits while a change is brought to the disk is written together.
//!
//! A change is answered when it is on disk, and bringing it there costs the
//! same for one as for a thousand. So a thread takes whatever waits, makes at
//! most four changes of it (removals, additions, and the two ways of checking
//! and adding), and answers all. Jobs that wait together were asked for at the
//! same time, so that any order of them is right; within a job the order stays.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::thread::JoinHandle;

use lookalike::Index;
use lookalike::index::{AddIf, Added, CheckedAndAdded, Content};
use tokio::sync::{mpsc, oneshot};

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
pub(crate) enum Done {
    Removed(bool),
    Added(Added),
    CheckedAndAdded(CheckedAndAdded),
}

struct Job {
    changes: Changes,
    answer: oneshot::Sender<Result<Vec<Done>>>,
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
    pub(crate) async fn make(&self, changes: Changes) -> Result<Vec<Done>> {
        let stopping = || Problem::stopping("it takes no more changes; nothing was changed");
        let (answer, answered) = oneshot::channel();
        let room = self.jobs.reserve().await.map_err(|_| stopping())?;
        self.metrics.queue.fetch_add(1, Ordering::Relaxed);
        room.send(Job { changes, answer });
        answered.await.unwrap_or_else(|_| Err(Problem::failed("a fault in the writer itself")))
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
        Together::of(jobs).write(index);
    }
}

/// Jobs by what they do, and who waits for how many answers.
#[derive(Default)]
struct Together {
    removals: Vec<String>,
    additions: Vec<IndexDocument>,
    new: Vec<IndexDocument>,
    any: Vec<IndexDocument>,
    waiting: [Vec<Waiting>; 4],
}

struct Waiting {
    answers: usize,
    answer: oneshot::Sender<Result<Vec<Done>>>,
}

impl Together {
    fn of(jobs: Vec<Job>) -> Self {
        let mut together = Self::default();
        for Job { changes, answer } in jobs {
            let answers = changes.len();
            let kind = match changes {
                Changes::Remove(ids) => {
                    together.removals.extend(ids);
                    0
                }
                Changes::Add(documents) => {
                    together.additions.extend(documents);
                    1
                }
                Changes::CheckAndAdd(documents, AddIf::New) => {
                    together.new.extend(documents);
                    2
                }
                Changes::CheckAndAdd(documents, AddIf::Any) => {
                    together.any.extend(documents);
                    3
                }
            };
            together.waiting[kind].push(Waiting { answers, answer });
        }
        together
    }

    fn write(self, index: &Index) {
        let [removals, additions, new, any] = self.waiting;
        answer(removals, || {
            let removed = index.remove_batch(&self.removals)?;
            Ok(removed.into_iter().map(Done::Removed).collect())
        });
        answer(additions, || {
            let added = index.add_batch(&self.additions)?;
            Ok(added.into_iter().map(Done::Added).collect())
        });
        for (waiting, documents, add_if) in
            [(new, self.new, AddIf::New), (any, self.any, AddIf::Any)]
        {
            answer(waiting, || {
                let done = index.check_and_add_batch(&documents, add_if)?;
                Ok(done.into_iter().map(Done::CheckedAndAdded).collect())
            });
        }
    }
}

/// Does something for all who wait, if anybody does, and tells each his part.
fn answer(waiting: Vec<Waiting>, work: impl FnOnce() -> lookalike::index::Result<Vec<Done>>) {
    if waiting.is_empty() {
        return;
    }
    let mut done = work().map(Vec::into_iter).map_err(Problem::from);
    for Waiting { answers, answer } in waiting {
        let part = match &mut done {
            Ok(done) => Ok(done.by_ref().take(answers).collect()),
            Err(problem) => Err(problem.clone()),
        };
        // Whoever no longer waits has gone away or ran out of time.
        let _ = answer.send(part);
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
                documents.iter().map(|document| bytes(&document.content)).sum()
            }
        }
    }
}

/// The length of a content.
pub(crate) fn bytes(content: &Content<'_>) -> usize {
    match content {
        Content::Text(bytes) | Content::Html(bytes) => bytes.len(),
        Content::Signed { .. } => 0,
    }
}
