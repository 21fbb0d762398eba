//! `lookalike against`.

use std::path::PathBuf;

use anyhow::ensure;
use clap::{Args, ValueHint};

use super::documents::Documents;
use super::resources::ScratchJob;
use super::value::{at_least, positive_share};

/// Find the documents that resemble or contain one of a list of references
#[derive(Args)]
#[command(override_usage = "lookalike against <REFERENCE>... --input <INPUT>... [OPTIONS]")]
#[command(after_long_help = "\
A document matches a reference if the resemblance of the two is at least --threshold, or if it has
at least the share --containment of the reference's shingles, whatever else is in it: that finds a
test question within a long page. The search is exact: no sketch, no misses. Of a reference that is
shorter than a shingle, windows of its own length are looked for.

With --ngram N, any run of N words in common makes a match, as checks for contaminated training data
have it (N = 13 is usual). The longest such run is shown as it stands on either side. With --passages,
each run of --min-words words or more is a match of its own, with its bytes on both sides.

Each match is a line: the resemblance, the share of the reference that is in the document, the share
of the document that is in the reference, and both ids. They come in the order of the inputs.

References are held in memory, about 40 bytes a word. If they do not fit, they are searched in parts,
and the input is read once for each part.

Exit codes: 0 something was found; 1 nothing was found; 3 some input was skipped.

Examples:
  lookalike against questions.jsonl --input crawl/
  lookalike against questions.jsonl --input 'crawl/*.jsonl.zst' --out matches.parquet
  lookalike against test/ --input train.parquet --containment 0.5 --clean train-clean
  lookalike against questions.jsonl --input crawl/ --ngram 13 --out passages.jsonl
  lookalike against questions.jsonl --input crawl/ --passages --min-words 30 --json
  lookalike against ours/ --input theirs/ --threshold 0.7 --containment off --json")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct Against {
    /// What to look for: files, folders, globs, or - for standard input
    #[arg(value_name = "REFERENCE", required = true, value_hint = ValueHint::AnyPath)]
    pub(crate) references: Vec<String>,
    /// Where to look: files, folders, globs, or - for standard input
    #[arg(short, long = "input", value_name = "INPUT", required = true, num_args = 1..)]
    #[arg(value_hint = ValueHint::AnyPath)]
    pub(crate) inputs: Vec<String>,
    /// Write the matches to a file, .jsonl or .parquet, and not to standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) out: Option<PathBuf>,
    /// Write the inputs without the documents that match into this folder; must be empty or not
    /// there
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) clean: Option<PathBuf>,
    /// A preset or a TOML file (see `lookalike recipe`)
    #[arg(long, value_name = "NAME|FILE", default_value = "text", help_heading = "Judging")]
    pub(crate) recipe: String,
    /// The least resemblance of a match [default: the recipe's]
    #[arg(long, value_name = "T", value_parser = positive_share, help_heading = "Judging")]
    pub(crate) threshold: Option<f64>,
    /// The least share of a reference that a matching document contains, or off
    #[arg(long, value_name = "C", default_value = "0.8", value_parser = containment)]
    #[arg(help_heading = "Judging")]
    pub(crate) containment: Containment,
    /// Match by any run of N words in common instead, and show the longest
    #[arg(long, value_name = "N", conflicts_with_all = ["threshold", "containment"])]
    #[arg(help_heading = "Judging")]
    pub(crate) ngram: Option<usize>,
    /// Match by runs of words, and tell each run of --min-words or more with its bytes on both sides
    #[arg(long, conflicts_with_all = ["threshold", "containment", "ngram"])]
    #[arg(help_heading = "Judging")]
    pub(crate) passages: bool,
    /// The fewest words of a passage
    #[arg(long, value_name = "N", default_value = "50", requires = "passages")]
    #[arg(value_parser = at_least::<1>, help_heading = "Judging")]
    pub(crate) min_words: u32,
    /// Do not look for references of fewer tokens (words, unless the recipe says otherwise)
    #[arg(long, value_name = "N", default_value = "8", value_parser = at_least::<1>)]
    #[arg(help_heading = "Judging")]
    pub(crate) min_tokens: u32,
    /// Stop at the first file or record that cannot be read
    #[arg(long, help_heading = "Running")]
    pub(crate) strict: bool,
    /// Leave what cannot be read out of the folder of --clean; otherwise it stays there as it is
    #[arg(long, requires = "clean", help_heading = "Running")]
    pub(crate) drop_unreadable: bool,
    /// Replace the file of --out if it exists
    #[arg(long, help_heading = "Running")]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) job: ScratchJob,
    /// Print matches as JSON lines; with --out, what was found as one object
    #[arg(long, help_heading = "Running")]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) documents: Documents,
}

/// The share of a reference that makes a match.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Containment {
    AtLeast(f64),
    Off,
}

impl Against {
    pub(super) fn check(&self) -> anyhow::Result<()> {
        self.job.resources.check()?;
        let names = self.references.iter().chain(&self.inputs);
        let from_standard_input = names.filter(|name| *name == "-").count();
        ensure!(from_standard_input <= 1, "standard input can be read only once");
        let extension = self.out.as_ref().map(|path| path.extension().unwrap_or_default());
        let known = extension.is_none_or(|name| name == "jsonl" || name == "parquet");
        ensure!(known, "the file of --out must end in .jsonl or .parquet");
        Ok(())
    }
}

fn containment(text: &str) -> Result<Containment, String> {
    match text {
        "off" => Ok(Containment::Off),
        _ => positive_share(text)
            .map(Containment::AtLeast)
            .map_err(|error| format!("{error}, or off")),
    }
}
