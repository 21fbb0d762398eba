//! `lookalike mirrors`.

use clap::{Args, ValueHint};
use lookalike_engine::mirrors::Mirrors as Job;

use super::documents::Documents;
use super::judging::Judging;
use super::resources::ScratchJob;
use super::value::{at_least, positive_share};

/// Find hosts and folders that replicate each other
// Templates are not learned here, and a recipe that wants them is refused.
#[derive(Args)]
#[command(mut_arg("templates", |arg| arg.hide(true)))]
#[command(after_long_help = "\
Two roots, hosts or hosts with folders, are mirrors if enough pages below them are at the same rest
of the path and look alike: at least --min-pages, and at least the share --min-share of the pages of
each. www.example.org/ and example.org/ may be such, and example.org/~a/ and example.org/users/a/.
Mirrors below others are left out. Scheme, default port and fragment of a URL do not matter, and
index.html is its folder; documents without a URL are counted and left out.

Each mirror is a line: the pages that match, how many pages each root has and the share of these,
both roots, and one of the pages.

Exit codes: 0 some were found; 1 none was found; 3 some input was skipped.

Examples:
  lookalike mirrors crawl/
  lookalike mirrors 'crawl/*.jsonl.zst' --url-field address --min-pages 10 --min-share 0.8
  lookalike mirrors pages.parquet --threshold 0.9 --json")]
pub(crate) struct Mirrors {
    /// Files, folders, globs, or - for standard input
    #[arg(value_name = "INPUT", required = true, value_hint = ValueHint::AnyPath)]
    pub(crate) inputs: Vec<String>,
    /// The least number of pages that two mirrors have in common
    #[arg(long, value_name = "N", value_parser = at_least::<1>)]
    #[arg(default_value_t = Job::DEFAULT_MIN_PAGES as u32)]
    pub(crate) min_pages: u32,
    /// The least share of each mirror's pages that these are
    #[arg(long, value_name = "SHARE", value_parser = positive_share)]
    #[arg(default_value_t = Job::DEFAULT_MIN_SHARE)]
    pub(crate) min_share: f64,
    /// The most mirrors to name, the largest first
    #[arg(long, value_name = "N", value_parser = at_least::<1>)]
    #[arg(default_value_t = Job::DEFAULT_LIMIT as u32)]
    pub(crate) limit: u32,
    #[command(flatten)]
    pub(crate) judging: Judging,
    /// Stop at the first file or record that cannot be read
    #[arg(long, help_heading = "Running")]
    pub(crate) strict: bool,
    #[command(flatten)]
    pub(crate) job: ScratchJob,
    /// Answer with a JSON object
    #[arg(long, help_heading = "Running")]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) documents: Documents,
}

impl Mirrors {
    pub(super) fn check(&self) -> anyhow::Result<()> {
        self.job.resources.check()
    }
}
