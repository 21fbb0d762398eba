//! `lookalike against`: one corpus searched for another.

use std::io::{self, BufWriter, Write as _};
use std::ops::ControlFlow;

use anyhow::Context as _;
use lookalike_core::{Given as _, Kernel};
use lookalike_engine::numbers::{bytes, count, duration, grouped, percent};
use lookalike_engine::{
    Against as Job, Error, ErrorKind, Existing, Findings, Match, MatchFile, Passage,
};

use crate::exit::{Outcome, say};
use crate::flags::{Against, Containment, unreadable};
use crate::interrupt::{self, START_AGAIN};
use crate::output::{self, STANDARD_OUTPUT, printable};
use crate::progress::Watch;
use crate::recipe;

pub(crate) fn run(arguments: &Against, kernel: Kernel) -> anyhow::Result<Outcome> {
    let mut recipe = recipe::load(&arguments.recipe)?;
    recipe.threshold = arguments.threshold.unwrap_or(recipe.threshold);
    let work = arguments.job.work_folder("against");
    let mut job = Job::new(&arguments.references, &arguments.inputs)
        .running(arguments.documents.running(arguments.job.resources.running(kernel)))
        .recipe(recipe)
        .min_tokens(arguments.min_tokens.into())
        .temp(&work)
        .when(arguments.strict, Job::strict)
        .unreadable(unreadable(arguments.drop_unreadable))
        .given(arguments.ngram, Job::ngram)
        .given(arguments.passages.then_some(arguments.min_words as usize), Job::passages)
        .given(arguments.clean.as_ref(), Job::clean);
    job = match arguments.containment {
        Containment::AtLeast(share) => job.containment(share),
        Containment::Off => job.resemblance_alone(),
    };
    let existing = Existing::with_force(arguments.force);
    let file = arguments.out.as_ref().map(|path| job.create_file(path, existing));
    let mut printer = match file.transpose().map_err(with_hint)? {
        Some(file) => Printer::File(file),
        None => Printer::Lines(Lines::new(arguments)),
    };
    let mut leftovers = vec![work];
    if let Printer::File(file) = &printer {
        leftovers.push(file.partial_path());
    }
    leftovers.extend(arguments.clean.as_ref().map(Job::partial_clean_folder));
    interrupt::watch(START_AGAIN, leftovers)?;

    let mut failure = None;
    let findings = Watch::over(arguments.job.progress.form, |watch| {
        job.run_observed(watch, |found| match printer.push(found) {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                failure = Some(error);
                ControlFlow::Break(())
            }
        })
    });
    // What could not be printed is why the job ended.
    if let Some(error) = failure {
        return Err(error);
    }
    let findings = match findings {
        Ok(findings) => findings,
        Err(error) if matches!(error.kind(), ErrorKind::Interrupted) => {
            // Dropped first: it takes what is half-written with it.
            drop(printer);
            interrupt::exit_after(START_AGAIN);
        }
        Err(error) => return Err(with_hint(error)),
    };
    printer.finish()?;
    if arguments.json && arguments.out.is_some() {
        output::write_json(&serde_json::to_value(&findings)?)?;
    }
    summary(&findings, arguments);
    Ok(Outcome::of_search(findings.matches, findings.skipped))
}

/// Where matches go.
enum Printer {
    File(MatchFile),
    Lines(Lines),
}

impl Printer {
    fn push(&mut self, found: &Match<'_>) -> anyhow::Result<()> {
        match self {
            Self::File(file) => Ok(file.push(found)?),
            Self::Lines(lines) => lines.push(found).context(STANDARD_OUTPUT),
        }
    }

    fn finish(self) -> anyhow::Result<()> {
        match self {
            Self::File(file) => Ok(file.finish()?),
            Self::Lines(mut lines) => lines.out.flush().context(STANDARD_OUTPUT),
        }
    }
}

/// Matches on standard output, as they are found.
struct Lines {
    out: BufWriter<io::Stdout>,
    json: bool,
    /// Whether the bytes of a run are told.
    places: bool,
    any: bool,
}

impl Lines {
    fn new(arguments: &Against) -> Self {
        let Against { json, passages: places, .. } = *arguments;
        Self { out: BufWriter::new(io::stdout()), json, places, any: false }
    }

    /// Numbers come first: they have one width, and ids any.
    fn push(&mut self, found: &Match<'_>) -> io::Result<()> {
        if self.json {
            return writeln!(self.out, "{}", found.to_json());
        }
        if let Some(passage) = found.passage {
            return self.push_passage(found, passage);
        }
        if !self.any {
            self.any = true;
            writeln!(self.out, "resemblance  of reference  of input  input  reference")?;
        }
        writeln!(
            self.out,
            "{:11.4}  {:12.4}  {:8.4}  {}  {}",
            found.resemblance(),
            found.containment_reference(),
            found.containment_input(),
            printable(found.input),
            printable(found.reference),
        )
    }
}

impl Lines {
    /// What both have, as it stands on either side, in words between which white space is one space.
    fn push_passage(&mut self, found: &Match<'_>, passage: &Passage) -> io::Result<()> {
        if self.any {
            writeln!(self.out)?;
        }
        self.any = true;
        let line = |text: &str| {
            let words: Vec<String> = text.split_whitespace().map(printable).collect();
            let cut = if passage.words > Passage::SHOWN_WORDS { " ..." } else { "" };
            words.join(" ") + cut
        };
        writeln!(
            self.out,
            "{} in common: {} from word {}, {} from word {}",
            count(passage.words, "word"),
            printable(found.input),
            grouped(passage.input_word + 1),
            printable(found.reference),
            grouped(passage.reference_word + 1),
        )?;
        if self.places {
            let [input, reference] = [&passage.input_bytes, &passage.reference_bytes];
            // Without marks between thousands: they are for programs that go there.
            writeln!(
                self.out,
                "  bytes      {}-{} and {}-{}",
                input.start, input.end, reference.start, reference.end
            )?;
        }
        let [input, reference] = [&passage.input_text, &passage.reference_text].map(|t| line(t));
        if input == reference {
            return writeln!(self.out, "  both       {input}");
        }
        writeln!(self.out, "  input      {input}\n  reference  {reference}")
    }
}

fn summary(findings: &Findings, arguments: &Against) {
    let thing = if arguments.passages { "passage" } else { "match" };
    say(&format!(
        "{} of {} and {} of {} ({}) are in {}",
        grouped(findings.documents_found),
        count(findings.documents, "document"),
        grouped(findings.references_found),
        count(findings.references, "reference"),
        percent(findings.references_found, findings.references),
        match findings.matches {
            1 => format!("1 {thing}"),
            passages if arguments.passages => count(passages, thing),
            matches => format!("{} matches", grouped(matches)),
        },
    ));
    if findings.left_out > 0 {
        let left_out = count(findings.left_out, "passage");
        say(&format!("{left_out} not told: documents that have very many"));
    }
    if findings.short_references > 0 {
        let named = findings.short_examples.iter().take(SHOWN).map(|id| printable(id));
        let named = named.collect::<Vec<_>>().join(", ");
        let more = if findings.short_references > SHOWN as u64 { ", ..." } else { "" };
        say(&format!(
            "{} not looked for, with fewer than {} tokens (--min-tokens): {named}{more}",
            count(findings.short_references, "reference"),
            arguments.min_tokens,
        ));
    }
    if findings.empty_references > 0 {
        let empty = count(findings.empty_references, "reference");
        say(&format!("{empty} without a word: nothing matches them"));
    }
    if findings.slow_references > 0 {
        let share =
            if arguments.ngram.is_some() || arguments.passages { "partly" } else { "mostly" };
        say(&format!(
            "{} {share} of boilerplate that more than 1,000 references have: slower, nothing missed",
            count(findings.slow_references, "reference"),
        ));
    }
    if findings.skipped > 0 {
        say(&format!("{} could not be read", grouped(findings.skipped)));
    }
    if findings.other_files > 0 {
        say(&format!("{} of an unknown kind", count(findings.other_files, "file")));
    }
    let read = findings.bytes * findings.passes;
    let rate = read as f64 / 1e6 / findings.seconds.max(1e-9);
    say(&format!(
        "read {} in {} ({rate:.0} MB/s){}",
        bytes(read),
        duration(findings.seconds),
        output::memory_at_most(findings.peak_memory_bytes),
    ));
}

/// Ids that are named.
const SHOWN: usize = 5;

/// Says how to go on.
fn with_hint(error: Error) -> anyhow::Error {
    let hint = match error.kind() {
        ErrorKind::File(fault) if fault.is_existing() => "--force replaces it",
        ErrorKind::FolderInUse(_) => "name another folder; it is made if it is missing",
        _ => return error.into(),
    };
    anyhow::anyhow!("{error}\nhint: {hint}")
}
