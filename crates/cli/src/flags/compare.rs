//! `lookalike compare`.

use std::path::PathBuf;

use super::value::{Mistake, mistake, name_of};
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
pub(crate) struct RawCompare {
    /// A text file or a web page, or - for standard input
    #[arg(value_name = "A", value_hint = ValueHint::FilePath)]
    a: String,
    /// Another one
    #[arg(value_name = "B", value_hint = ValueHint::FilePath)]
    b: String,
    /// A preset or a TOML file (see `lookalike recipe`) [default: text, or that of --learned]
    #[arg(long, value_name = "NAME|FILE")]
    recipe: Option<String>,
    /// Leave out the templates that a run has learned: its folder, or its file of templates
    #[arg(long, value_name = "RUN", value_hint = ValueHint::AnyPath)]
    learned: Option<PathBuf>,
    /// Whose template: a site, a URL of it, or a value of the field that groups go by
    #[arg(long, value_name = "NAME", requires = "learned")]
    group: Option<String>,
    /// Show what differs: auto (on a terminal), always, never, all (however long)
    #[arg(long, value_enum, value_name = "WHEN", default_value_t, hide_possible_values = true)]
    diff: DiffForm,
    /// End with exit code 1 if the two are not a pair under the recipe
    #[arg(long)]
    exit_code: bool,
    /// Answer with a JSON object
    #[arg(long)]
    json: bool,
}

/// When to show what differs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum DiffForm {
    /// On a terminal.
    #[default]
    Auto,
    /// Also elsewhere.
    Always,
    /// Not at all.
    Never,
    /// All of it, however long.
    All,
}

/// Checked arguments.
pub(crate) struct Compare {
    pub(crate) a: String,
    pub(crate) b: String,
    pub(crate) recipe: Option<String>,
    pub(crate) learned: Option<PathBuf>,
    pub(crate) group: Option<String>,
    pub(crate) diff: DiffForm,
    pub(crate) exit_code: bool,
    pub(crate) json: bool,
}

impl RawCompare {
    pub(crate) fn check(self) -> Result<Compare, Mistake> {
        let Self { a, b, recipe, learned, group, diff, exit_code, json } = self;
        if a == "-" && b == "-" {
            return Err(mistake("compare", "standard input can be only one of the two documents"));
        }
        if json && matches!(diff, DiffForm::Always | DiffForm::All) {
            let message =
                format!("--json shows no difference; leave out --diff {}", name_of(&diff));
            return Err(mistake("compare", message));
        }
        Ok(Compare { a, b, recipe, learned, group, diff, exit_code, json })
    }
}
