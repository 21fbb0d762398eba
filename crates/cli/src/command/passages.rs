//! `lookalike passages`: what repeats inside of documents.

use lookalike_core::Kernel;
use lookalike_engine as engine;
use lookalike_engine::numbers::{count, grouped, percent};
use lookalike_engine::report::Report;

use super::dedup;
use crate::exit::Outcome;
use crate::flags::{BatchJob, Passages};
use crate::output::{Align, Table};

pub(crate) fn run(arguments: &Passages, kernel: Kernel) -> anyhow::Result<Outcome> {
    let job = dedup::job(&arguments.inputs, &arguments.job, kernel)
        .all_documents()
        .keep(arguments.keep.clone())
        .passages(arguments.rule.rule());
    let BatchJob { progress, no_write, json, .. } = &arguments.job;
    let out = &arguments.out;
    dedup::run_watched(progress.form, out, !no_write, *json, |watch| job.run_observed(out, watch))
}

/// What was cut, in a few lines.
pub(super) fn summary(report: &Report, passages: &engine::report::Passages) -> String {
    let text = format!(
        "{} of {} are cut ({}); they stand elsewhere in what is kept\n\n",
        grouped(passages.words_cut),
        count(passages.words, "word"),
        percent(passages.words_cut, passages.words),
    );
    let mut table = Table::new(&[Align::Left, Align::Right, Align::Left]);
    table.row(["cuts", &grouped(passages.cuts), "passages.parquet has each, and where it stays"]);
    table.row([
        "documents",
        &grouped(report.documents),
        &format!("of which {} were cut", grouped(passages.documents)),
    ]);
    if passages.documents_gone > 0 {
        let lost = match passages.words_lost {
            0 => "all of their words stand elsewhere".to_owned(),
            lost => format!("with {} that were left of them", count(lost, "word")),
        };
        table.row(["gone", &grouped(passages.documents_gone), &lost]);
    }
    text + &table.text()
}
