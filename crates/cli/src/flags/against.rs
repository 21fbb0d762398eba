//! `lookalike against`.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use lookalike::engine::{Existing, Unreadable};

use super::dedup::unreadable;
use super::documents::{Documents, RawDocuments};
use super::resources::{RawProgress, RawResources, Resources};
use super::sketch::ProgressForm;
use super::value::{Mistake, at_least, mistake, positive_share};

/// Find the documents that resemble or contain one of a list of references
#[derive(Args)]
#[command(after_long_help = "\
A document matches a reference if the resemblance of the two is at least --threshold, or if it has
at least the share --containment of the reference's shingles, whatever else is in it: that finds a
test question within a long page. The search is exact: no sketch, no misses. Of a reference that is
shorter than a shingle, windows of its own length are looked for.

Each match is a line: the resemblance, the share of the reference that is in the document, the share
of the document that is in the reference, and both ids. They come in the order of the inputs.

References are held in memory, about 40 bytes a word. If they do not fit, they are searched in parts,
and the input is read once for each part.

Exit codes: 0 something was found; 1 nothing was found; 3 some input was skipped.

Examples:
  lookalike against questions.jsonl --input crawl/
  lookalike against questions.jsonl --input 'crawl/*.jsonl.zst' --out matches.parquet
  lookalike against test/ --input train.parquet --containment 0.5 --clean train-clean
  lookalike against ours/ --input theirs/ --threshold 0.7 --containment off --json")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct RawAgainst {
    /// What to look for: files, folders, globs, or - for standard input
    #[arg(value_name = "REFERENCE", required = true, value_hint = ValueHint::AnyPath)]
    references: Vec<String>,
    /// Where to look: files, folders, globs, or - for standard input
    #[arg(
        short,
        long = "input",
        value_name = "INPUT",
        required = true,
        num_args = 1..,
        value_hint = ValueHint::AnyPath
    )]
    inputs: Vec<String>,
    /// Write the matches to a file, .jsonl or .parquet, and not to standard output
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    out: Option<PathBuf>,
    /// Write the inputs without the documents that match into this folder; must be empty or not
    /// there
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    clean: Option<PathBuf>,
    /// A preset or a TOML file (see `lookalike recipe`)
    #[arg(long, value_name = "NAME|FILE", default_value = "text", help_heading = "Judging")]
    recipe: String,
    /// The least resemblance of a match [default: the recipe's]
    #[arg(long, value_name = "T", value_parser = positive_share, help_heading = "Judging")]
    threshold: Option<f64>,
    /// The least share of a reference that a matching document contains, or off
    #[arg(
        long,
        value_name = "C",
        default_value = "0.8",
        value_parser = containment,
        help_heading = "Judging"
    )]
    containment: Containment,
    /// Do not look for references of fewer tokens (words, unless the recipe says otherwise)
    #[arg(
        long,
        value_name = "N",
        default_value = "8",
        value_parser = at_least::<1>,
        help_heading = "Judging"
    )]
    min_tokens: u32,
    /// Stop at the first file or record that cannot be read
    #[arg(long, help_heading = "Running")]
    strict: bool,
    /// Leave what cannot be read out of the folder of --clean; otherwise it stays there as it is
    #[arg(long, requires = "clean", help_heading = "Running")]
    drop_unreadable: bool,
    /// Replace the file of --out if it exists
    #[arg(long, help_heading = "Running")]
    force: bool,
    #[command(flatten)]
    resources: RawResources,
    /// The folder below which working files go [default: the system's]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Running")]
    temp: Option<PathBuf>,
    #[command(flatten)]
    progress: RawProgress,
    /// Print matches as JSON lines; with --out, what was found as one object
    #[arg(long, help_heading = "Running")]
    json: bool,
    #[command(flatten)]
    documents: RawDocuments,
}

/// A share, or none.
#[derive(Clone, Copy, Debug)]
struct Containment(Option<f64>);

/// Checked arguments.
pub(crate) struct Against {
    pub(crate) references: Vec<String>,
    pub(crate) inputs: Vec<String>,
    pub(crate) out: Option<PathBuf>,
    pub(crate) clean: Option<PathBuf>,
    pub(crate) recipe: String,
    pub(crate) threshold: Option<f64>,
    pub(crate) containment: Option<f64>,
    pub(crate) min_tokens: u32,
    pub(crate) strict: bool,
    pub(crate) unreadable: Unreadable,
    pub(crate) existing: Existing,
    pub(crate) resources: Resources,
    pub(crate) temp: Option<PathBuf>,
    pub(crate) progress: ProgressForm,
    pub(crate) json: bool,
    pub(crate) documents: Documents,
}

impl RawAgainst {
    pub(crate) fn check(self) -> Result<Against, Mistake> {
        let resources = self.resources.check("against")?;
        let standard = |side: &[String]| side.iter().filter(|name| *name == "-").count();
        if standard(&self.references) + standard(&self.inputs) > 1 {
            return Err(mistake("against", "standard input can be read only once"));
        }
        let known = |path: &PathBuf| {
            path.extension().is_some_and(|extension| extension == "jsonl" || extension == "parquet")
        };
        if self.out.as_ref().is_some_and(|path| !known(path)) {
            return Err(mistake("against", "the file of --out must end in .jsonl or .parquet"));
        }
        Ok(Against {
            references: self.references,
            inputs: self.inputs,
            out: self.out,
            clean: self.clean,
            recipe: self.recipe,
            threshold: self.threshold,
            containment: self.containment.0,
            min_tokens: self.min_tokens,
            strict: self.strict,
            unreadable: unreadable(self.drop_unreadable),
            existing: if self.force { Existing::Replace } else { Existing::Refuse },
            resources,
            temp: self.temp,
            progress: self.progress.form,
            json: self.json,
            documents: self.documents.check(),
        })
    }
}

fn containment(text: &str) -> Result<Containment, String> {
    match text {
        "off" => Ok(Containment(None)),
        _ => positive_share(text)
            .map(|share| Containment(Some(share)))
            .map_err(|error| format!("{error}, or off")),
    }
}
