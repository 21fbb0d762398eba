//! `lookalike decide`: another decision from a finished run.

use lookalike_core::Kernel;
use lookalike_engine as engine;

use super::dedup::run_watched;
use crate::exit::Outcome;
use crate::flags::Decide;

pub(crate) fn run(arguments: &Decide, kernel: Kernel) -> anyhow::Result<Outcome> {
    let running = arguments.resources.running(kernel);
    let job = engine::Decide::new(&arguments.run)
        .page(lookalike_pages::report)
        .threshold(arguments.threshold)
        .keep(arguments.keep.clone())
        .clustering(arguments.cluster)
        .removal_budget(arguments.budget.of_removals())
        .kernel(running.kernel)
        .memory(running.memory)
        .threads(running.threads)
        .temp(arguments.temp.clone())
        .resume(arguments.resume)
        .survivors(!arguments.no_write);
    let Decide { progress, out, no_write, json, .. } = arguments;
    run_watched(progress.form, out, !no_write, *json, |watch| job.run(out, watch))
}
