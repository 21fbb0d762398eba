//! `lookalike dedup`.

use std::path::PathBuf;

use anyhow::ensure;
use clap::{Args, ValueHint};
use lookalike_engine::matching::Clustering;
use lookalike_engine::{KeepPolicy, PairScope, RemovalBudget, Unreadable};

use super::judging::Judging;
use super::passages::PassageFlags;
use super::resources::BatchJob;
use super::value::{at_least, lost_share, one_of, share};
use super::writing::Repeating;

/// Find look-alikes in a corpus, keep one of each, and prove it
#[derive(Args)]
#[command(after_long_help = "\
DIR then holds kept/ (the survivors: the inputs' own files, fields, order and compression),
clusters.parquet and pairs.parquet (who went, for whom, and how similar they are), report.html and
report.json, recipe.toml and manifest.json. `first` is the order of paths, then of records.

With --write removed it holds removed/ instead, what went; with --write all --annotate all/, every
document with what was decided of it. Each is in its own format: in JSON `lookalike` is an object, in
CSV, TSV, Parquet and Arrow `lookalike_kept` and so on are columns.

Nothing is removed unless a look-alike of it is kept whose resemblance has been computed from the
documents. Documents without words resemble nothing and stay, and so does what cannot be read.

Examples:
  lookalike dedup crawl/ --out clean
  lookalike dedup 'data/*.jsonl.zst' --out clean --threshold 0.7 --keep longest
  lookalike dedup shop.parquet --out clean --keep newest:updated --max-removed-per-source vendor=0.5
  lookalike dedup crawl/ --out clean --passages --min-words 30
  lookalike dedup crawl-2026/ --out new --known clean-2024 --known clean-2025
  lookalike dedup crawl/ --out clean --keep-count 3
  lookalike dedup crawl/ --out clean --lost 0.02
  lookalike dedup crawl/ --out marked --write all --annotate
  lookalike dedup crawl/ --out clean --dry-run
  lookalike dedup crawl/ --out clean --resume")]
pub(crate) struct Dedup {
    /// Files, folders, globs, or - for standard input
    #[arg(value_name = "INPUT", required = true, value_hint = ValueHint::AnyPath)]
    pub(crate) inputs: Vec<String>,
    /// The folder of the results; must be empty or not exist
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) out: PathBuf,
    /// Documents that are there already, and stay: the folder of a finished run (what it kept, without
    /// signing it again) or of an index with texts, or files, folders and globs of documents. Documents
    /// of INPUT that look like one of them go. Give it as often as there are sides, the preferred first
    #[arg(long, value_name = "RUN|INDEX|INPUT", help_heading = "Deciding", value_hint = ValueHint::AnyPath)]
    pub(crate) known: Vec<String>,
    #[command(flatten)]
    pub(crate) judging: Judging,
    /// Draw the random choices from the secret in this file, where texts of others are judged: any file of
    /// at least 16 bytes, needed again by whoever signs for the same signatures, and stored nowhere
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, help_heading = "Judging")]
    pub(crate) secret_seed: Option<PathBuf>,
    /// How pairs become clusters: anchored (all that go have a pair with one that stays) or
    /// components (whatever pairs connect)
    #[arg(long, value_name = "HOW", default_value = "anchored", hide_possible_values = true)]
    #[arg(value_parser = one_of(CLUSTERINGS), help_heading = "Deciding")]
    pub(crate) cluster: Clustering,
    /// Which of several look-alikes stays: first, longest, shortest, newest:FIELD, oldest:FIELD,
    /// max:FIELD, min:FIELD, prefer:FIELD=a,b,c; several, in quotes with `then` between or
    /// one flag each, decide one after another; ties by id
    /// [default: first; with --lost, longest]
    #[arg(long, value_name = "POLICY", help_heading = "Deciding")]
    pub(crate) keep: Vec<KeepPolicy>,
    /// How many documents of a cluster stay, the first by the policy; the others go for the first
    #[arg(long, value_name = "K", default_value = "1", help_heading = "Deciding")]
    #[arg(value_parser = at_least::<1>)]
    pub(crate) keep_count: u32,
    /// Remove a document only if at most this share of its shingles is not in the one that stays, whatever
    /// their resemblance: 0.02 loses at most 2 % of a document. The longer of two stays
    #[arg(long, value_name = "SHARE", value_parser = lost_share, help_heading = "Deciding")]
    #[arg(conflicts_with_all = ["threshold", "recall"])]
    pub(crate) lost: Option<f64>,
    /// Look only for documents with the same words
    #[arg(long, help_heading = "Deciding")]
    pub(crate) exact_only: bool,
    /// The pairs to judge and list: needed (for the decision) or all (for evaluation)
    #[arg(long, value_name = "WHICH", default_value = "needed", hide_possible_values = true)]
    #[arg(value_parser = one_of([("needed", PairScope::Needed), ("all", PairScope::All)]))]
    #[arg(help_heading = "Deciding")]
    pub(crate) pairs: PairScope,
    #[command(flatten)]
    pub(crate) budget: Budget,
    #[command(flatten)]
    pub(crate) counts: Counts,
    /// Cut what repeats inside of the documents that stay, too, as `lookalike passages` does
    #[arg(long, help_heading = "Passages")]
    pub(crate) passages: bool,
    #[command(flatten)]
    pub(crate) passage_rule: PassageFlags,
    #[command(flatten)]
    pub(crate) repeating: Repeating,
    /// Say what the job would take, without running it
    #[arg(long, help_heading = "Running")]
    pub(crate) dry_run: bool,
    #[command(flatten)]
    pub(crate) job: BatchJob,
}

pub(super) const CLUSTERINGS: [(&str, Clustering); 2] =
    [("anchored", Clustering::Anchored), ("components", Clustering::Components)];

#[derive(Args)]
pub(crate) struct Budget {
    /// Stop before more than this share of all documents would be removed
    #[arg(long, value_name = "SHARE", value_parser = share, help_heading = "Deciding")]
    max_removed: Option<f64>,
    /// Stop before more than this share of the documents with one value of FIELD would be removed
    #[arg(long, value_name = "FIELD=SHARE", value_parser = field_share, help_heading = "Deciding")]
    max_removed_per_source: Option<(String, f64)>,
}

/// What is told of the documents that a keeper stands for.
#[derive(Args)]
pub(crate) struct Counts {
    /// Count the distinct values of FIELD as the sources of a cluster [default: the sites of its
    /// documents, or their input files where they have none]
    #[arg(long, value_name = "FIELD", help_heading = "Counting")]
    pub(crate) count: Option<String>,
    /// Tell the first and the last date of a cluster, by FIELD
    #[arg(long, value_name = "FIELD", help_heading = "Counting")]
    pub(crate) date_field: Option<String>,
}

impl Dedup {
    pub(super) fn check(&self) -> anyhow::Result<()> {
        self.job.resources.check()?;
        let asked = self.passages || !self.passage_rule.is_given();
        ensure!(asked, "what a passage is has a meaning with --passages only");
        let starts = !(self.dry_run && self.job.resume);
        ensure!(starts, "a dry run does nothing that --resume could go on with");
        Ok(())
    }
}

impl Budget {
    /// How much may go.
    pub(crate) fn of_removals(&self) -> RemovalBudget {
        let budget =
            self.max_removed.into_iter().fold(RemovalBudget::default(), RemovalBudget::of_all);
        let each = self.max_removed_per_source.iter();
        each.fold(budget, |budget, (field, share)| budget.of_each(field, *share))
    }
}

/// What flags that may be given several times say together.
pub(crate) fn keep(policies: &[KeepPolicy]) -> Option<KeepPolicy> {
    policies.iter().cloned().reduce(KeepPolicy::then)
}

/// What becomes of what cannot be read.
pub(crate) fn unreadable(is_dropped: bool) -> Unreadable {
    if is_dropped { Unreadable::Dropped } else { Unreadable::Kept }
}

fn field_share(text: &str) -> Result<(String, f64), String> {
    match text.rsplit_once('=') {
        Some((field, number)) if !field.is_empty() => Ok((field.to_owned(), share(number)?)),
        _ => Err("must be a field and a share, as in source=0.5".to_owned()),
    }
}
