//! `lookalike compare`.

use std::path::PathBuf;

use anyhow::{bail, ensure};
use clap::{Args, ValueEnum, ValueHint};

/// Compare two documents: how much they have in common, and what differs
#[derive(Args)]
#[command(after_long_help = "\
A dash stands for a value that the recipe does not have; `henzinger-combined` has the most.

With --learned the documents are compared without the template of their site, as `dedup --recipe
sites` compares them: by the templates of such a run, which are in `documents.templates` of its
folder. Where it learned more than one, --group says which: a site, a page of it, or a value of the
field that groups went by. A difference then shows template in grey, and leaves out what differs in it.

Examples:
  lookalike compare a.txt b.txt
  lookalike compare a.txt b.txt --diff all | less
  lookalike compare a.txt b.txt --recipe henzinger-combined --json
  lookalike compare a.html b.html --learned out --group example.org
  curl -s https://example.org/terms.txt | lookalike compare terms.txt -")]
pub(crate) struct Compare {
    /// A text file or a web page, or - for standard input
    #[arg(value_name = "A", value_hint = ValueHint::FilePath)]
    pub(crate) a: String,
    /// Another one
    #[arg(value_name = "B", value_hint = ValueHint::FilePath)]
    pub(crate) b: String,
    /// A preset or a TOML file (see `lookalike recipe`) [default: text, or that of --learned]
    #[arg(long, value_name = "NAME|FILE")]
    pub(crate) recipe: Option<String>,
    /// Words in a shingle, the n of n-grams [default: the recipe's; 5 in `text`]
    #[arg(long, value_name = "N", conflicts_with = "learned")]
    pub(crate) ngram: Option<usize>,
    /// Leave out the templates that a run has learned: its folder, or its file of templates
    #[arg(long, value_name = "RUN", value_hint = ValueHint::AnyPath)]
    pub(crate) learned: Option<PathBuf>,
    /// Whose template: a site, a URL of it, or a value of the field that groups go by
    #[arg(long, value_name = "NAME", requires = "learned")]
    pub(crate) group: Option<String>,
    /// Show what differs: auto (on a terminal), always, never, all (however long)
    #[arg(long, value_name = "WHEN", default_value = "auto", hide_possible_values = true)]
    pub(crate) diff: DiffForm,
    /// End with exit code 1 if the two are not a pair under the recipe
    #[arg(long)]
    pub(crate) exit_code: bool,
    /// Answer with a JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

/// When to show what differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DiffForm {
    /// On a terminal.
    Auto,
    /// Also elsewhere.
    Always,
    /// Not at all.
    Never,
    /// All of it, however long.
    All,
}

impl DiffForm {
    /// Refuses a difference that was asked for, where there is none to show.
    pub(super) fn refuse(self, reason: &str) -> anyhow::Result<()> {
        let asked = match self {
            Self::Always => "always",
            Self::All => "all",
            Self::Auto | Self::Never => return Ok(()),
        };
        bail!("{reason}; leave out --diff {asked}")
    }
}

impl Compare {
    pub(super) fn check(&self) -> anyhow::Result<()> {
        let readable = self.a != "-" || self.b != "-";
        ensure!(readable, "standard input can be only one of the two documents");
        if self.json { self.diff.refuse("--json shows no difference") } else { Ok(()) }
    }
}
