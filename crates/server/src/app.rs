//! What all requests share.

use std::sync::{Arc, Mutex, PoisonError};

use lookalike_core::Comparer;
use lookalike_index::Index;
use tokio::sync::watch;
use tokio::time::Instant;

use crate::body::Intake;
use crate::clock;
use crate::memory::{Memory, SharedReservation};
use crate::metrics::Metrics;
use crate::model::{Answer, IndexDocument, Judged};
use crate::options::{Limits, Options};
use crate::problem::Result;
use crate::work::{Turn, Work};
use crate::writer::{ChangeResult, Changes, Writer};

/// What all requests share.
pub(crate) struct App {
    pub(crate) index: Arc<Index>,
    pub(crate) writer: Writer,
    pub(crate) work: Work,
    pub(crate) memory: Memory,
    pub(crate) metrics: Arc<Metrics>,
    pub(crate) options: Options,
    pub(crate) started: Instant,
    /// Whether the server is to stop.
    pub(crate) stopping: watch::Receiver<bool>,
    comparers: Mutex<Vec<Comparer>>,
}

impl Intake for App {
    fn limits(&self) -> &Limits {
        &self.options.limits
    }

    fn memory(&self) -> &Memory {
        &self.memory
    }
}

impl App {
    pub(crate) fn new(
        index: Arc<Index>,
        writer: Writer,
        metrics: Arc<Metrics>,
        options: Options,
        stopping: watch::Receiver<bool>,
    ) -> Self {
        let limits = &options.limits;
        Self {
            index,
            writer,
            work: Work::new(limits.threads, limits.requests, limits.request_time),
            memory: Memory::new(limits.bodies_bytes()),
            metrics,
            options,
            started: Instant::now(),
            stopping,
            comparers: Mutex::default(),
        }
    }

    /// Works on the index, if there are not too many who do.
    pub(crate) async fn ask<T: Send + 'static>(
        self: &Arc<Self>,
        work: impl FnOnce(&Self) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let turn = self.work.turn()?;
        let app = Arc::clone(self);
        self.work.run(&turn, move || work(&app)).await
    }

    /// Changes the index, if there are not too many who do.
    pub(crate) async fn change(
        &self,
        changes: Changes,
        memory: SharedReservation,
    ) -> Result<Vec<ChangeResult>> {
        let turn = self.work.turn()?;
        self.change_in_turn(changes, memory, &turn).await
    }

    pub(crate) async fn change_in_turn(
        &self,
        mut changes: Changes,
        memory: SharedReservation,
        _turn: &Turn,
    ) -> Result<Vec<ChangeResult>> {
        let mut lengths = Vec::new();
        if let Changes::Add(documents) | Changes::CheckAndAdd(documents, _) = &mut changes {
            let now = clock::now().as_secs();
            for document in documents {
                document.time = now;
                lengths.push(document.content.len() as u64);
            }
        }
        let done = self.work.in_time(self.writer.make(changes, memory)).await?;
        for (done, length) in done.iter().zip(lengths) {
            self.count(done, length);
        }
        Ok(done)
    }

    fn count(&self, done: &ChangeResult, length: u64) {
        let added = match done {
            ChangeResult::Removed(_) => false,
            ChangeResult::Added(_) => true,
            ChangeResult::CheckedAndAdded(done) => {
                self.count_matches(&done.answer);
                done.added.is_some()
            }
        };
        if added {
            self.metrics.length(length);
        }
    }

    /// Looks for look-alikes, perhaps under another threshold than that of the index.
    pub(crate) fn check(&self, document: &IndexDocument, threshold: Option<f64>) -> Result<Answer> {
        let (answer, judged) = match threshold {
            None => (self.index.check(document)?, Judged::by(&self.index)),
            Some(threshold) => {
                let index = self.index.at(threshold)?;
                (index.check(document)?, Judged::at(&index))
            }
        };
        self.count_matches(&answer);
        Ok(Answer::new(answer, judged))
    }

    fn count_matches(&self, answer: &lookalike_index::Answer) {
        for found in &answer.matches {
            if let Some(resemblance) = found.resemblance.or(found.estimate) {
                self.metrics.resemblance(resemblance);
            }
        }
    }

    /// Compares with tools that nobody else uses.
    pub(crate) fn with_comparer<T>(&self, work: impl FnOnce(&mut Comparer) -> T) -> Result<T> {
        let spare = self.comparers.lock().unwrap_or_else(PoisonError::into_inner).pop();
        let mut comparer = match spare {
            Some(comparer) => comparer,
            None => {
                Comparer::with_templates(self.index.recipe(), self.index.kernel(), [None, None])?
            }
        };
        let done = work(&mut comparer);
        self.comparers.lock().unwrap_or_else(PoisonError::into_inner).push(comparer);
        Ok(done)
    }

    /// Seconds since the start.
    pub(crate) fn seconds(&self) -> u64 {
        self.started.elapsed().as_secs()
    }
}
