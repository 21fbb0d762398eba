//! `lookalike eval agreement`: how far people agree who judged the same pairs.

use std::fmt::Write as _;
use std::path::Path;

use lookalike_engine::numbers::{count, grouped};
use lookalike_eval::{Agreement, Disagreement, Judgements, Label, Opinion};
use lookalike_files::write_file;

use super::saying::{check_absent, told, whole};
use crate::exit::Outcome;
use crate::flags::EvalAgreement;
use crate::output::{self, Align, Table, printable};

/// Disagreements that are listed; `--json` has up to 100.
const LISTED: usize = 10;

pub(super) fn run(arguments: &EvalAgreement) -> anyhow::Result<Outcome> {
    let files = arguments.files()?;
    if let Some(path) = &arguments.majority {
        check_absent(path, arguments.force)?;
    }
    let judgements = Judgements::read(&files, arguments.strict).map_err(told)?;
    let agreement = judgements.agreement();
    if let Some(path) = &arguments.majority {
        write_file(path, judgements.majority().as_bytes())?;
    }
    if arguments.json {
        output::write_json(&serde_json::to_value(&agreement)?)?;
    } else {
        output::write(summary(&agreement, arguments.majority.as_deref()))?;
    }
    let skipped = agreement.judges.iter().map(|judge| judge.skipped).sum();
    Ok(Outcome::after_skipping(skipped))
}

fn summary(agreement: &Agreement, majority: Option<&Path>) -> String {
    let mut lines = vec![headline(agreement), String::new(), judges(agreement), twos(agreement)];
    if agreement.disagreeing > 0 {
        lines.push(disagreements(agreement));
    }
    if let Some(path) = majority {
        lines.push(format!("{}  what more than half say of each pair\n", path.display()));
    }
    lines.join("\n")
}

fn headline(agreement: &Agreement) -> String {
    let shared = count(agreement.shared, "pair");
    if agreement.judges.len() == 2 {
        let kappa = shown(agreement.two.first().and_then(|two| two.cohen));
        return format!("Cohen's kappa {kappa}, on {shared} that both have judged");
    }
    format!(
        "Fleiss' kappa {}, on {} that all have judged, {} alike; {shared} by two or more",
        shown(agreement.fleiss),
        count(agreement.by_all, "pair"),
        whole(agreement.unanimous)
    )
}

fn judges(agreement: &Agreement) -> String {
    use Align::{Left, Right};
    let mut table = Table::new(&[Right, Left, Right, Right, Right, Right, Right]);
    table.row(["", "labels", "pairs", "correct", "incorrect", "undecided", "skipped"]);
    for (number, judge) in agreement.judges.iter().enumerate() {
        table.row([
            &(number + 1).to_string(),
            &printable(&judge.path.to_string_lossy()),
            &grouped(judge.pairs),
            &grouped(judge.correct),
            &grouped(judge.incorrect),
            &grouped(judge.undecided),
            &grouped(judge.skipped),
        ]);
    }
    table.text()
}

fn twos(agreement: &Agreement) -> String {
    use Align::{Left, Right};
    let mut table = Table::new(&[Left, Right, Left, Right]);
    table.row(["two", "pairs", "same label", "Cohen's kappa"]);
    for two in &agreement.two {
        let [a, b] = two.judges.map(|judge| judge + 1);
        let names = format!("{a} and {b}");
        table.row([&*names, &grouped(two.pairs), &whole(two.same), &shown(two.cohen)]);
    }
    table.text()
}

/// The pairs of which opinions differ most.
fn disagreements(agreement: &Agreement) -> String {
    let mut table = Table::new(&vec![Align::Left; agreement.judges.len() + 2]);
    let numbers = (1..=agreement.judges.len()).map(|number| number.to_string());
    let head = ["not judged alike".to_owned(), String::new()].into_iter().chain(numbers);
    table.row_of(head.collect());
    for Disagreement { a, b, opinions, .. } in agreement.disagreements.iter().take(LISTED) {
        let names = [printable(a), printable(b)].into_iter();
        table.row_of(names.chain(opinions.iter().map(|o| opinion(o.as_ref()))).collect());
    }
    let mut text = table.text();
    let more = agreement.disagreeing.saturating_sub(LISTED as u64);
    if more > 0 {
        let _ = writeln!(text, "and {} more", grouped(more));
    }
    text
}

fn opinion(opinion: Option<&Opinion>) -> String {
    let Some(Opinion { label, reason, .. }) = opinion else { return "-".to_owned() };
    let label = match label {
        Label::Correct => "correct",
        Label::Incorrect => "incorrect",
        Label::Undecided | Label::Unlabelled => "undecided",
    };
    if reason.is_empty() { label.to_owned() } else { format!("{label}: {}", printable(reason)) }
}

fn shown(kappa: Option<f64>) -> String {
    kappa.map_or("-".to_owned(), |kappa| format!("{kappa:.2}"))
}
