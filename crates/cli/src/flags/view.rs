//! `lookalike view`.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::access::{Access, address};
use super::value::size;

/// Look through the clusters and passages of a run in the browser, and judge clusters
#[derive(Args)]
#[command(after_long_help = "\
The page lists all clusters, by size or by the least resemblance; filters them by size, kind,
resemblance, source and site; finds them by an id, a URL or words; and shows two members side by side
with what differs. The address of the page says what it shows, so that a link can be shared.

Another page lists the passages that a run has cut, by copies, length or document, finds them by an id,
a URL or words, and shows a document with what was cut of it beside the one in which it stays.

A verdict on two documents (same, different, unsure) goes to `verdicts.jsonl` in the folder of the
run; the last one on a pair counts. `--labels FILE` writes them as labels for `lookalike eval`.

Texts are read from the inputs again. 28 bytes of memory are held for each cluster, and 48 for
each cut. Without a token only programs of this machine are served. Ctrl-C stops it.

Examples:
  lookalike view out
  lookalike view out --listen 127.0.0.1:8000
  lookalike view out --labels labels.jsonl
  lookalike eval --documents corpus/ --labels labels.jsonl --out judged")]
pub(crate) struct View {
    /// The folder of a finished run
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) run: PathBuf,
    /// Where to listen; port 0 takes any free one [default: 127.0.0.1:7710, or any free port if
    /// that is taken]
    #[arg(long, visible_alias = "bind", value_name = "ADDRESS", value_parser = address)]
    pub(crate) listen: Option<SocketAddr>,
    #[command(flatten)]
    pub(crate) access: Access,
    /// The most memory for the index of clusters and cuts
    #[arg(long, value_name = "SIZE", default_value = "2GiB", value_parser = size)]
    pub(crate) memory: u64,
    /// Write the verdicts as labels for `eval` (`-` for standard output), and serve nothing
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    #[arg(conflicts_with_all = ["listen", "token_file", "insecure_public"])]
    pub(crate) labels: Option<PathBuf>,
}
