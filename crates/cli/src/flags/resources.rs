//! What a job may use: the flags of all commands that run one.

use clap::Args;
use lookalike::core::Kernel;
use lookalike::engine::Running;

use super::ProgressForm;
use super::value::{Mistake, at_least, mistake, size};

#[derive(Args)]
pub(crate) struct RawResources {
    /// The most memory to use, such as 512MiB or 4GiB [default: 2GiB]
    #[arg(long, value_name = "SIZE", value_parser = size, help_heading = "Running")]
    memory: Option<u64>,
    /// How many threads to use [default: one for each core]
    #[arg(long, value_name = "N", value_parser = at_least::<1>, help_heading = "Running")]
    threads: Option<u32>,
}

#[derive(Args)]
pub(crate) struct RawProgress {
    /// Show progress: auto (on a terminal), json (lines on stderr), never
    #[arg(
        long = "progress",
        value_enum,
        value_name = "FORM",
        default_value_t,
        hide_possible_values = true,
        help_heading = "Running"
    )]
    pub(super) form: ProgressForm,
}

/// Checked arguments; what is not given is the job's to choose.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Resources {
    memory: Option<u64>,
    threads: Option<u32>,
}

impl Resources {
    /// What a job may use.
    pub(crate) fn running(&self, kernel: Kernel) -> Running {
        let usual = Running::default();
        Running {
            kernel,
            memory: self.memory.unwrap_or(usual.memory),
            threads: self.threads.map_or(usual.threads, |threads| threads as usize),
            ..usual
        }
    }
}

impl RawResources {
    pub(crate) fn check(self, command: &'static str) -> Result<Resources, Mistake> {
        let Self { memory, threads } = self;
        if memory.is_some_and(|bytes| bytes < Running::LEAST_MEMORY) {
            return Err(mistake(command, "--memory must be at least 128MiB"));
        }
        Ok(Resources { memory, threads })
    }
}
