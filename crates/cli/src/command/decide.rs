//! `lookalike decide`: another decision from a finished run.

use lookalike::core::Kernel;

use super::dedup::run_watched;
use crate::exit::Outcome;
use crate::flags::Decide;

pub(crate) fn run(arguments: &Decide, kernel: Kernel) -> anyhow::Result<Outcome> {
    let running = arguments.resources.running(kernel);
    let job = lookalike::decide(&arguments.run)
        .threshold(arguments.threshold)
        .keep(arguments.keep.clone())
        .clustering(arguments.clustering)
        .removal_budget(arguments.budget.clone())
        .kernel(running.kernel)
        .memory(running.memory)
        .threads(running.threads)
        .temp(arguments.temp.clone())
        .resume(arguments.resume)
        .survivors(arguments.survivors);
    run_watched(arguments.progress, &arguments.out, arguments.survivors, arguments.json, |watch| {
        job.run(&arguments.out, watch)
    })
}
