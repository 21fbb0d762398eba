//! `lookalike collapse-links`.

use std::path::{Path, PathBuf};

use anyhow::ensure;
use clap::{Args, ValueEnum, ValueHint};

use super::resources::ScratchJob;

/// Collapse links between documents onto the ones that stay
#[derive(Args)]
#[command(after_long_help = "\
A link graph of a crawl has look-alikes as pages of their own, and what links to one of them is lost to
the others. This replaces both ends of each edge by the document that stays for it in a run of
`dedup`, leaves out links within a cluster, and joins equal links to one with how many it
stands for: a line of JSON or a row of Parquet each, with `source`, `target` and `links`.

EDGES are tables or JSON lines with a field for each end, which has a document's id, or its URL with
--by url. Links with an end that the run does not know are left out and counted. Of several documents
of one name the first is meant.

Exit codes: 0 done; 1 no link is left; 3 some input was skipped.

Examples:
  lookalike collapse-links links.csv --run out > collapsed.jsonl
  lookalike collapse-links 'links/*.parquet' --run out --by url --out collapsed.parquet
  lookalike collapse-links edges.jsonl --run out --from-field src --to-field dst")]
pub(crate) struct CollapseLinks {
    /// Files, folders, globs, or - for standard input
    #[arg(value_name = "EDGES", required = true, value_hint = ValueHint::AnyPath)]
    pub(crate) edges: Vec<String>,
    /// The folder of a finished run of `dedup`
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) run: PathBuf,
    /// The file to write: Parquet if it ends in .parquet, else JSON lines (`-` for standard output)
    #[arg(long, value_name = "FILE", default_value = "-", value_hint = ValueHint::FilePath)]
    pub(crate) out: PathBuf,
    /// What edges name documents by: id or url
    #[arg(long, value_name = "NAME", default_value = "id", hide_possible_values = true)]
    pub(crate) by: NameKind,
    /// The field with the document that links
    #[arg(long, value_name = "NAME", default_value = "source")]
    pub(crate) from_field: String,
    /// The field with the document that is linked to
    #[arg(long, value_name = "NAME", default_value = "target")]
    pub(crate) to_field: String,
    /// Stop at the first file or record that cannot be read
    #[arg(long, help_heading = "Running")]
    pub(crate) strict: bool,
    #[command(flatten)]
    pub(crate) job: ScratchJob,
    /// Answer with a JSON object that says what became of the links, which go to a file
    #[arg(long, help_heading = "Running")]
    pub(crate) json: bool,
}

impl CollapseLinks {
    pub(super) fn check(&self) -> anyhow::Result<()> {
        let both = self.json && self.out == Path::new("-");
        ensure!(!both, "--json needs --out FILE: standard output has the links");
        self.job.resources.check()
    }
}

/// What documents are named by.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum NameKind {
    /// Their ids.
    Id,
    /// Their URLs.
    Url,
}
