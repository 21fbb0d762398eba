//! `lookalike why`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::compare::DiffForm;
use super::value::{Mistake, mistake, name_of};

/// Say why a document stayed or went, or what joins two documents
#[derive(Args)]
#[command(after_long_help = "\
Of a document that went: the one that stands for it, how similar they are, which features they
share, and what differs, read from the inputs again. Of one that stayed: those that it stands for.
With two ids: the shortest path of stored pairs from one to the other.

Exit code 1 says that the document has no look-alike in the run, or that nothing joins the two.

Examples:
  lookalike why clean note-019
  lookalike why clean crawl/part-3.jsonl#1207 --diff all | less
  lookalike why clean note-019 note-044
  lookalike why clean note-019 --json")]
pub(crate) struct RawWhy {
    /// The folder of a finished run
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    run: PathBuf,
    /// The id of a document; without an id field, it is `path#record`
    #[arg(value_name = "ID")]
    id: String,
    /// The id of another one
    #[arg(value_name = "ID2")]
    other: Option<String>,
    /// Show what differs: auto (on a terminal), always, never, all (however long)
    #[arg(long, value_enum, value_name = "WHEN", default_value_t, hide_possible_values = true)]
    diff: DiffForm,
    /// Answer with a JSON object
    #[arg(long)]
    json: bool,
}

/// Checked arguments.
pub(crate) struct Why {
    pub(crate) run: PathBuf,
    pub(crate) id: String,
    pub(crate) other: Option<String>,
    pub(crate) diff: DiffForm,
    pub(crate) json: bool,
}

impl RawWhy {
    pub(crate) fn check(self) -> Result<Why, Mistake> {
        let Self { run, id, other, diff, json } = self;
        if matches!(diff, DiffForm::Always | DiffForm::All) {
            let asked = name_of(&diff);
            if json {
                let message = format!("--json shows no difference; leave out --diff {asked}");
                return Err(mistake("why", message));
            }
            if other.is_some() {
                let message = format!("a path has no difference; leave out --diff {asked}");
                return Err(mistake("why", message));
            }
        }
        Ok(Why { run, id, other, diff, json })
    }
}
