//! What a job may use, and how it shows how far it is: the flags of all commands that run one.

use std::path::PathBuf;

use anyhow::ensure;
use clap::{Args, ValueEnum, ValueHint};
use lookalike_core::{Given as _, Kernel};
use lookalike_engine::Running;

use super::documents::Documents;
use super::value::{at_least, size};
use super::writing::Writing;

#[derive(Args)]
pub(crate) struct Resources {
    /// The most memory to use, such as 512MiB or 4GiB [default: 2GiB]
    #[arg(long, value_name = "SIZE", value_parser = size, help_heading = "Running")]
    memory: Option<u64>,
    /// How many threads to use [default: one for each core]
    #[arg(long, value_name = "N", value_parser = at_least::<1>, help_heading = "Running")]
    threads: Option<u32>,
}

// A job whose working files are not in the folder of its results.
#[derive(Args)]
pub(crate) struct ScratchJob {
    #[command(flatten)]
    pub(crate) resources: Resources,
    /// The folder below which working files go [default: the system's]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Running")]
    temp: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) progress: Progress,
}

#[derive(Args)]
pub(crate) struct Progress {
    /// Show progress: auto (on a terminal), json (lines on stderr), never
    #[arg(long = "progress", value_name = "FORM", default_value = "auto")]
    #[arg(hide_possible_values = true, help_heading = "Running")]
    pub(crate) form: ProgressForm,
}

/// How to show progress.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProgressForm {
    /// A line on a terminal.
    Auto,
    /// Lines of JSON.
    Json,
    /// Not at all.
    Never,
}

impl Resources {
    pub(super) fn check(&self) -> anyhow::Result<()> {
        let enough = self.memory.is_none_or(|bytes| bytes >= Running::LEAST_MEMORY);
        ensure!(enough, "--memory must be at least 128MiB");
        Ok(())
    }

    /// What a job may use; what is not given is its own to choose.
    pub(crate) fn running(&self, kernel: Kernel) -> Running {
        Running::default()
            .kernel(kernel)
            .given(self.memory, Running::memory)
            .given(self.threads.map(|threads| threads as usize), Running::threads)
    }
}

impl ScratchJob {
    /// The folder for the working files of this process.
    pub(crate) fn work_folder(&self, command: &str) -> PathBuf {
        let temp = self.temp.clone().unwrap_or_else(std::env::temp_dir);
        temp.join(format!("lookalike-{command}-{}", std::process::id()))
    }
}

/// What the jobs have in common that leave a folder with survivors.
#[derive(Args)]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct BatchJob {
    #[command(flatten)]
    pub(crate) writing: Writing,
    /// Go on with a job that stopped
    #[arg(long, help_heading = "Running")]
    pub(crate) resume: bool,
    /// Replace the results of an earlier run in DIR
    #[arg(long, help_heading = "Running", conflicts_with = "resume")]
    pub(crate) force: bool,
    /// Stop at the first file or record that cannot be read
    #[arg(long, help_heading = "Running")]
    pub(crate) strict: bool,
    /// Leave what cannot be read out of kept/; otherwise it stays there as it is
    #[arg(long, help_heading = "Running")]
    pub(crate) drop_unreadable: bool,
    #[command(flatten)]
    pub(crate) resources: Resources,
    /// The folder for working files [default: DIR/work]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Running")]
    pub(crate) temp: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) progress: Progress,
    /// Answer with a JSON object: the report, or the plan of a dry run
    #[arg(long, help_heading = "Running")]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) documents: Documents,
}
