//! How a job runs: how it reads its inputs, and what it may use. One definition for all jobs.

use std::path::PathBuf;

use lookalike_core::Kernel;
use lookalike_corpus::{Format, ReadOptions};

/// How a job reads its inputs, and what it may use.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Running {
    /// The format of all inputs, if neither names nor contents tell.
    pub format: Option<Format>,
    /// The names of fields, and the limits of reading.
    pub read: ReadOptions,
    /// The kernel; no result depends on it.
    pub kernel: Kernel,
    /// The memory that the job may use, in bytes; no result depends on it.
    pub memory: u64,
    /// The threads that work, one at least; no result depends on their number.
    pub threads: usize,
    /// The folder for working files.
    pub temp: Option<PathBuf>,
    /// Whether the first record that cannot be read ends the job.
    pub strict: bool,
}

/// Unless told otherwise: enough for a hundred million documents, and what any machine has.
const DEFAULT_MEMORY: u64 = 2 << 30;

impl Running {
    /// The memory that people may ask for: under this there is not even room for the buffers of
    /// reading. The library takes less, for tests.
    pub const LEAST_MEMORY: u64 = 128 << 20;
}

impl Default for Running {
    /// The best kernel, 2 GiB, and a thread for each core.
    fn default() -> Self {
        Self {
            format: None,
            read: ReadOptions::default(),
            kernel: Kernel::best(),
            memory: DEFAULT_MEMORY,
            threads: std::thread::available_parallelism().map_or(1, std::num::NonZero::get),
            temp: None,
            strict: false,
        }
    }
}

impl Running {
    running_setters!();

    /// How records are read: a chunk for each thread, and one more for what was made of it, in a
    /// quarter of the memory.
    pub(crate) fn reading(&self) -> ReadOptions {
        let mut read = self.read.clone();
        let share = self.memory / (8 * self.threads as u64 + 8);
        read.chunk_bytes = read.chunk_bytes.min((share as usize).max(64 << 10));
        read
    }
}

/// The setters of [`Running`], of itself or of a builder that has a field of it.
#[doc(hidden)]
#[macro_export]
macro_rules! running_setters {
    ($($running:ident.)*) => {
        lookalike_core::setters! {
            /// The format of all inputs, if neither names nor contents tell.
            format: lookalike_corpus::Format => $($running.)*format = Some(format);
            /// The names of fields, and the limits of reading.
            read_options: lookalike_corpus::ReadOptions => $($running.)*read = read_options;
            /// The kernel; no result depends on it.
            kernel: lookalike_core::Kernel => $($running.)*kernel = kernel;
            /// The memory that the job may use, in bytes; no result depends on it.
            memory: u64 => $($running.)*memory = memory;
            /// The threads that work; no result depends on their number.
            threads: usize => $($running.)*threads = threads.max(1);
            /// The folder for working files: below the results unless told otherwise, or below the
            /// system's own if there is no folder of results.
            temp: impl Into<std::path::PathBuf> => $($running.)*temp = Some(temp.into());
            /// The first record that cannot be read ends the job.
            strict => $($running.)*strict = true;
        }
    };
}

/// The methods of a builder that has a field `running`.
#[doc(hidden)]
#[macro_export]
macro_rules! running_methods {
    () => {
        /// How it runs, all at once.
        #[must_use]
        pub fn running(mut self, running: $crate::Running) -> Self {
            self.running = running;
            self.running.threads = self.running.threads.max(1);
            self
        }

        $crate::running_setters!(running.);
    };
}

pub(crate) use {running_methods, running_setters};
