//! `lookalike mirrors`: hosts and folders that replicate each other.

use lookalike_core::{GROUP_LIMIT, Given as _, Kernel};
use lookalike_engine::mirrors::{MirrorFindings, Mirrors as Job};
use lookalike_engine::numbers::{count, duration, grouped, percent};
use lookalike_engine::{Error, ErrorKind};

use crate::exit::{Outcome, say};
use crate::flags::Mirrors;
use crate::interrupt::{self, START_AGAIN};
use crate::output::{self, Align, Table, printable};
use crate::progress::Watch;
use crate::recipe;

pub(crate) fn run(arguments: &Mirrors, kernel: Kernel) -> anyhow::Result<Outcome> {
    let work = arguments.job.work_folder("mirrors");
    let job = Job::new(&arguments.inputs)
        .running(arguments.documents.running(arguments.job.resources.running(kernel)))
        .recipe(recipe::judging(&arguments.judging, arguments.documents.recipe())?)
        .min_pages(arguments.min_pages.into())
        .min_share(arguments.min_share)
        .limit(arguments.limit as usize)
        .temp(&work)
        .when(arguments.strict, Job::strict);
    interrupt::watch(START_AGAIN, vec![work])?;
    let findings = Watch::over(arguments.job.progress.form, |watch| job.run_observed(watch));
    let findings = findings.map_err(told)?;
    if arguments.json {
        output::write_json(&serde_json::to_value(&findings)?)?;
    } else if !findings.mirrors.is_empty() {
        output::write(table(&findings))?;
    }
    summary(&findings);
    Ok(Outcome::of_search(findings.found, findings.skipped))
}

/// An interrupt ends the program here.
fn told(error: Error) -> anyhow::Error {
    match error.kind() {
        ErrorKind::Interrupted => interrupt::exit_after(START_AGAIN),
        _ => error.into(),
    }
}

/// Numbers come first: they have one width, and names any. Each name has a line of its own, or no terminal
/// would be wide enough.
fn table(findings: &MirrorFindings) -> String {
    use Align::{Left, Right};
    let mut table = Table::new(&[Right, Right, Right, Right, Right, Left]);
    table.row(["alike", "of A", "", "of B", "", "A, B, and a page of A"]);
    for mirror in &findings.mirrors {
        table.row([
            &grouped(mirror.matched),
            &grouped(mirror.pages_a),
            &percent(mirror.matched, mirror.pages_a),
            &grouped(mirror.pages_b),
            &percent(mirror.matched, mirror.pages_b),
            &printable(&mirror.a),
        ]);
        let page = mirror.examples.first().map(|(url, ..)| url.as_str());
        for name in [Some(mirror.b.as_str()), page].into_iter().flatten() {
            table.row(["", "", "", "", "", &printable(name)]);
        }
    }
    table.text()
}

fn summary(findings: &MirrorFindings) {
    let named = findings.mirrors.len() as u64;
    let more = findings.found - named;
    say(&format!(
        "{} found in {} and {} of look-alikes, in {}",
        count(findings.found, "mirror"),
        count(findings.documents, "document"),
        count(findings.pairs, "pair"),
        duration(findings.seconds),
    ));
    if more > 0 {
        say(&format!("{} not named (--limit)", grouped(more)));
    }
    if findings.without_url > 0 {
        say(&format!(
            "{} without a URL that has a host, and so left out (--url-field names the field)",
            count(findings.without_url, "document"),
        ));
    }
    if findings.limited_groups > 0 {
        say(&format!(
            "{} of more than {GROUP_LIMIT} documents with one file name: not all were compared",
            count(findings.limited_groups, "group"),
        ));
    }
    if findings.skipped > 0 {
        say(&format!("{} could not be read", grouped(findings.skipped)));
    }
    if findings.other_files > 0 {
        say(&format!("{} of an unknown kind", count(findings.other_files, "file")));
    }
}
