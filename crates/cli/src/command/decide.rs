//! `lookalike decide`: another decision from a finished run.

use lookalike_core::Kernel;
use lookalike_engine::Decide as Job;

use super::dedup::{summary, with_hint};
use crate::exit::Outcome;
use crate::flags::Decide;
use crate::progress::Watch;
use crate::{interrupt, output};

pub(crate) fn run(arguments: &Decide, kernel: Kernel) -> anyhow::Result<Outcome> {
    let mut job = Job::new(&arguments.run)
        .threshold(arguments.threshold)
        .keep(arguments.keep.clone())
        .clustering(arguments.clustering)
        .removal_budget(arguments.budget.clone())
        .kernel(kernel)
        .temp(arguments.temp.clone())
        .resume(arguments.resume)
        .survivors(arguments.survivors);
    if let Some(memory) = arguments.memory {
        job = job.memory(memory);
    }
    if let Some(threads) = arguments.threads {
        job = job.threads(threads as usize);
    }
    interrupt::watch("interrupted\nhint: the same command with --resume goes on", Vec::new())?;
    let watch = Watch::new(arguments.progress);
    let report = job.run(&arguments.out, &watch);
    watch.finish();
    let report = report.map_err(|error| with_hint(error, &arguments.out))?;
    if arguments.json {
        output::write_json(&serde_json::to_value(&report)?)?;
    } else {
        output::write(&summary(&report, &arguments.out, arguments.survivors))?;
    }
    Ok(if report.skipped == 0 { Outcome::Done } else { Outcome::Skipped })
}
