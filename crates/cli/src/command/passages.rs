//! `lookalike passages`: what repeats inside of documents.

use lookalike_core::{Given as _, Kernel};
use lookalike_engine as engine;

use super::dedup;
use crate::exit::Outcome;
use crate::flags::{BatchJob, Passages, keep};

pub(crate) fn run(arguments: &Passages, kernel: Kernel) -> anyhow::Result<Outcome> {
    let job = dedup::job(&arguments.inputs, &arguments.job, kernel)
        .all_documents()
        .given(keep(&arguments.keep), engine::Dedup::keep)
        .passages(arguments.rule.rule());
    let BatchJob { progress, writing, json, .. } = &arguments.job;
    if arguments.dry_run {
        return dedup::show_plan(&job.plan()?, *json).map(|()| Outcome::Done);
    }
    let (out, written) = (&arguments.out, writing.written());
    dedup::run_watched(progress.form, out, written, *json, |watch| job.run_observed(out, watch))
}
