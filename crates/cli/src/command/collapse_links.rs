//! `lookalike collapse-links`: links between the documents that stay.

use anyhow::Context as _;
use lookalike_core::{Given as _, Kernel};
use lookalike_engine::ErrorKind;
use lookalike_engine::numbers::{count, grouped};
use lookalike_engine::run::{CollapseLinks as Job, LinkCounts, Run};

use crate::exit::{Outcome, say};
use crate::export::{ExportWriter, Link};
use crate::flags::{CollapseLinks, NameKind};
use crate::interrupt::{self, START_AGAIN};
use crate::output::{self, written_to};
use crate::progress::Watch;

pub(crate) fn run(arguments: &CollapseLinks, kernel: Kernel) -> anyhow::Result<Outcome> {
    let CollapseLinks { out, job, .. } = arguments;
    let run = Run::open(&arguments.run)?;
    let work = job.work_folder("links");
    let links = Job::new(&arguments.edges)
        .running(job.resources.running(kernel))
        .from(&arguments.from_field)
        .to(&arguments.to_field)
        .temp(&work)
        .when(arguments.by == NameKind::Url, Job::by_url)
        .when(arguments.strict, Job::strict);
    interrupt::watch(START_AGAIN, vec![work])?;
    let mut writer = ExportWriter::create(out).with_context(|| written_to(out))?;
    let told = |error: anyhow::Error| match error.downcast_ref().map(lookalike_engine::Error::kind)
    {
        // An interrupt ends the program here.
        Some(ErrorKind::Interrupted) => interrupt::exit_after(START_AGAIN),
        _ => error,
    };
    let found = Watch::over(job.progress.form, |watch| {
        links.run_observed(&run, watch, |source, target, links| {
            let link = Link { source: source.to_owned(), target: target.to_owned(), links };
            writer.push(link).with_context(|| written_to(out))
        })
    });
    let found = found.map_err(told)?;
    writer.finish().with_context(|| written_to(out))?;
    if arguments.json {
        output::write_json(&serde_json::to_value(found)?)?;
    }
    summary(&found);
    Ok(Outcome::of_search(found.written, found.skipped))
}

fn summary(found: &LinkCounts) {
    say(&format!(
        "{} of {} left; {} within a cluster or from a document to itself",
        count(found.written, "link"),
        grouped(found.edges),
        grouped(found.within),
    ));
    if found.unknown > 0 {
        say(&format!(
            "{} with an end that the run does not know (--by url, where edges name URLs)",
            count(found.unknown, "link"),
        ));
    }
    if found.skipped > 0 {
        say(&format!("{} could not be read", grouped(found.skipped)));
    }
}
