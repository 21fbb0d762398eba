//! `lookalike decide`: another decision from a finished run.

use lookalike_core::{Given as _, Kernel};
use lookalike_engine as engine;

use super::dedup::run_watched;
use crate::exit::Outcome;
use crate::flags::{Decide, keep};

pub(crate) fn run(arguments: &Decide, kernel: Kernel) -> anyhow::Result<Outcome> {
    let running = arguments.resources.running(kernel);
    let job = engine::Decide::new(&arguments.run)
        .page(lookalike_pages::report)
        .given(arguments.threshold, engine::Decide::threshold)
        .given(arguments.lost, engine::Decide::lost)
        .given(keep(&arguments.keep), engine::Decide::keep)
        .given(arguments.keep_count, engine::Decide::keep_count)
        .given(arguments.cluster, engine::Decide::clustering)
        .removal_budget(arguments.budget.of_removals())
        .given(arguments.counts.count.clone(), engine::Decide::count)
        .given(arguments.counts.date_field.clone(), engine::Decide::date_field)
        .kernel(running.kernel)
        .memory(running.memory)
        .threads(running.threads)
        .given(arguments.temp.clone(), engine::Decide::temp)
        .when(arguments.resume, engine::Decide::resume)
        .when(arguments.approximate, engine::Decide::approximate);
    let job = arguments.repeating.of_decide(arguments.writing.of_decide(job));
    let Decide { progress, out, writing, json, .. } = arguments;
    let written = writing.written();
    run_watched(progress.form, out, written, *json, |watch| job.run_observed(out, watch))
}
