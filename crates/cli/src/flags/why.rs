//! `lookalike why`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::compare::DiffForm;

/// Say why a document stayed or went, or what joins two documents
#[derive(Args)]
#[command(after_long_help = "\
Of a document that went: the one that stands for it, how similar they are, which features they
share, and what differs, read from the inputs again. Of one that stayed: those that it stands for.
Where passages were cut: the text with what was cut of it marked, where each piece stays, and what
was cut elsewhere because it stays here; a document all of whose words stand elsewhere went whole.
With two ids: the shortest path of stored pairs from one to the other.

Exit code 1 says that the document has no look-alike in the run, or that nothing joins the two.

Examples:
  lookalike why clean note-019
  lookalike why clean crawl/part-3.jsonl#1207 --diff all | less
  lookalike why clean note-019 note-044
  lookalike why clean note-019 --json --diff always")]
pub(crate) struct Why {
    /// The folder of a finished run
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) run: PathBuf,
    /// The id of a document, or its URL; without an id field, the id is `path#record`
    #[arg(value_name = "ID")]
    pub(crate) id: String,
    /// The id of another one
    #[arg(value_name = "ID2")]
    pub(crate) other: Option<String>,
    /// Show what differs: auto (on a terminal), always, never, all (however long); with --json, count it
    #[arg(long, value_name = "WHEN", default_value = "auto", hide_possible_values = true)]
    pub(crate) diff: DiffForm,
    /// Answer with a JSON object
    #[arg(long)]
    pub(crate) json: bool,
}

impl Why {
    pub(super) fn check(&self) -> anyhow::Result<()> {
        match &self.other {
            Some(_) => self.diff.refuse("a path has no difference"),
            None => Ok(()),
        }
    }
}
