//! `lookalike mirrors`.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use lookalike::engine::mirrors::Mirrors as Job;

use super::documents::{Documents, RawDocuments};
use super::judging::{Judging, RawJudging};
use super::resources::{RawProgress, RawResources, Resources};
use super::sketch::ProgressForm;
use super::value::{Mistake, at_least, positive_share};

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
pub(crate) struct RawMirrors {
    /// Files, folders, globs, or - for standard input
    #[arg(value_name = "INPUT", required = true, value_hint = ValueHint::AnyPath)]
    inputs: Vec<String>,
    /// The least number of pages that two mirrors have in common
    #[arg(long, value_name = "N", value_parser = at_least::<1>)]
    #[arg(default_value_t = Job::DEFAULT_MIN_PAGES as u32)]
    min_pages: u32,
    /// The least share of each mirror's pages that these are
    #[arg(long, value_name = "SHARE", value_parser = positive_share)]
    #[arg(default_value_t = Job::DEFAULT_MIN_SHARE)]
    min_share: f64,
    /// The most mirrors to name, the largest first
    #[arg(long, value_name = "N", value_parser = at_least::<1>)]
    #[arg(default_value_t = Job::DEFAULT_LIMIT as u32)]
    limit: u32,
    #[command(flatten)]
    judging: RawJudging,
    /// Stop at the first file or record that cannot be read
    #[arg(long, help_heading = "Running")]
    strict: bool,
    #[command(flatten)]
    resources: RawResources,
    /// The folder below which working files go [default: the system's]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Running")]
    temp: Option<PathBuf>,
    #[command(flatten)]
    progress: RawProgress,
    /// Answer with a JSON object
    #[arg(long, help_heading = "Running")]
    json: bool,
    #[command(flatten)]
    documents: RawDocuments,
}

/// Checked arguments.
pub(crate) struct Mirrors {
    pub(crate) inputs: Vec<String>,
    pub(crate) min_pages: u32,
    pub(crate) min_share: f64,
    pub(crate) limit: u32,
    pub(crate) judging: Judging,
    pub(crate) strict: bool,
    pub(crate) resources: Resources,
    pub(crate) temp: Option<PathBuf>,
    pub(crate) progress: ProgressForm,
    pub(crate) json: bool,
    pub(crate) documents: Documents,
}

impl RawMirrors {
    pub(crate) fn check(self) -> Result<Mirrors, Mistake> {
        Ok(Mirrors {
            inputs: self.inputs,
            min_pages: self.min_pages,
            min_share: self.min_share,
            limit: self.limit,
            judging: self.judging.check("mirrors")?,
            strict: self.strict,
            resources: self.resources.check("mirrors")?,
            temp: self.temp,
            progress: self.progress.form,
            json: self.json,
            documents: self.documents.check(),
        })
    }
}
