//! `lookalike dedup`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use lookalike::engine::matching::Clustering;
use lookalike::engine::{KeepPolicy, PairsWanted, RemovalBudget, Unreadable};

use super::documents::{Documents, RawDocuments};
use super::judging::{Judging, RawJudging};
use super::resources::{RawProgress, RawResources, Resources};
use super::sketch::ProgressForm;
use super::value::{Mistake, mistake, share};

/// Find look-alikes in a corpus, keep one of each, and prove it
#[derive(Args)]
#[command(after_long_help = "\
DIR then holds kept/ (the survivors: the inputs' own files, fields, order and compression),
clusters.parquet and pairs.parquet (who went, for whom, and how similar they are), report.html and
report.json, recipe.toml and manifest.json. `first` is the order of paths, then of records.

Nothing is removed unless a look-alike of it is kept whose resemblance has been computed from the
documents. Documents without words resemble nothing and stay, and so does what cannot be read.

Examples:
  lookalike dedup crawl/ --out clean
  lookalike dedup 'data/*.jsonl.zst' --out clean --threshold 0.7 --keep longest
  lookalike dedup shop.parquet --out clean --keep newest:updated --max-removed-per-source vendor=0.5
  lookalike dedup crawl/ --out clean --dry-run
  lookalike dedup crawl/ --out clean --resume")]
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct RawDedup {
    /// Files, folders, globs, or - for standard input
    #[arg(value_name = "INPUT", required = true, value_hint = ValueHint::AnyPath)]
    inputs: Vec<String>,
    /// The folder of the results; must be empty or not exist
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    out: PathBuf,
    #[command(flatten)]
    judging: RawJudging,
    /// How pairs become clusters: anchored (all that go have a pair with one that stays) or
    /// components (whatever pairs connect)
    #[arg(
        long,
        value_enum,
        value_name = "HOW",
        default_value_t,
        hide_possible_values = true,
        help_heading = "Deciding"
    )]
    cluster: RawClustering,
    /// Which of several look-alikes stays: first, longest, shortest, newest:FIELD, oldest:FIELD,
    /// max:FIELD, min:FIELD, prefer:FIELD=a,b,c; ties by id
    #[arg(long, value_name = "POLICY", default_value = "first", help_heading = "Deciding")]
    keep: KeepPolicy,
    /// Look only for documents with the same words
    #[arg(long, help_heading = "Deciding")]
    exact_only: bool,
    /// The pairs to judge and list: needed (for the decision) or all (for evaluation)
    #[arg(
        long,
        value_enum,
        value_name = "WHICH",
        default_value_t,
        hide_possible_values = true,
        help_heading = "Deciding"
    )]
    pairs: RawPairs,
    /// Stop before more than this share of all documents would be removed
    #[arg(long, value_name = "SHARE", value_parser = share, help_heading = "Deciding")]
    max_removed: Option<f64>,
    /// Stop before more than this share of the documents with one value of FIELD would be removed
    #[arg(long, value_name = "FIELD=SHARE", value_parser = field_share, help_heading = "Deciding")]
    max_removed_per_source: Option<(String, f64)>,
    /// Decide and report, but write no survivors
    #[arg(long, help_heading = "Running")]
    no_write: bool,
    /// Say what the job would take, without running it
    #[arg(long, help_heading = "Running")]
    dry_run: bool,
    /// Go on with a job that stopped
    #[arg(long, help_heading = "Running")]
    resume: bool,
    /// Stop at the first file or record that cannot be read
    #[arg(long, help_heading = "Running")]
    strict: bool,
    /// Leave what cannot be read out of kept/; otherwise it stays there as it is
    #[arg(long, help_heading = "Running")]
    drop_unreadable: bool,
    #[command(flatten)]
    resources: RawResources,
    /// The folder for working files [default: DIR/work]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Running")]
    temp: Option<PathBuf>,
    #[command(flatten)]
    progress: RawProgress,
    /// Answer with a JSON object: the report, or the plan of a dry run
    #[arg(long, help_heading = "Running")]
    json: bool,
    #[command(flatten)]
    documents: RawDocuments,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
pub(super) enum RawClustering {
    #[default]
    Anchored,
    Components,
}

impl RawClustering {
    pub(super) fn check(self) -> Clustering {
        match self {
            Self::Anchored => Clustering::Anchored,
            Self::Components => Clustering::Components,
        }
    }
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum RawPairs {
    #[default]
    Needed,
    All,
}

/// Checked arguments.
#[expect(clippy::struct_excessive_bools, reason = "each is a flag of its own")]
pub(crate) struct Dedup {
    pub(crate) inputs: Vec<String>,
    pub(crate) out: PathBuf,
    pub(crate) judging: Judging,
    pub(crate) clustering: Clustering,
    pub(crate) keep: KeepPolicy,
    pub(crate) exact_only: bool,
    pub(crate) pairs: PairsWanted,
    pub(crate) budget: RemovalBudget,
    pub(crate) survivors: bool,
    pub(crate) dry_run: bool,
    pub(crate) resume: bool,
    pub(crate) strict: bool,
    pub(crate) unreadable: Unreadable,
    pub(crate) resources: Resources,
    pub(crate) temp: Option<PathBuf>,
    pub(crate) progress: ProgressForm,
    pub(crate) json: bool,
    pub(crate) documents: Documents,
}

impl RawDedup {
    pub(crate) fn check(self) -> Result<Dedup, Mistake> {
        let resources = self.resources.check("dedup")?;
        if self.dry_run && self.resume {
            let message = "a dry run does nothing that --resume could go on with";
            return Err(mistake("dedup", message));
        }
        Ok(Dedup {
            inputs: self.inputs,
            out: self.out,
            judging: self.judging.check("dedup")?,
            clustering: self.cluster.check(),
            keep: self.keep,
            exact_only: self.exact_only,
            pairs: match self.pairs {
                RawPairs::Needed => PairsWanted::Needed,
                RawPairs::All => PairsWanted::All,
            },
            budget: removal_budget(self.max_removed, self.max_removed_per_source.as_ref()),
            survivors: !self.no_write,
            dry_run: self.dry_run,
            resume: self.resume,
            strict: self.strict,
            unreadable: unreadable(self.drop_unreadable),
            resources,
            temp: self.temp,
            progress: self.progress.form,
            json: self.json,
            documents: self.documents.check(),
        })
    }
}

pub(super) fn unreadable(is_dropped: bool) -> Unreadable {
    if is_dropped { Unreadable::Dropped } else { Unreadable::Kept }
}

pub(super) fn removal_budget(all: Option<f64>, each: Option<&(String, f64)>) -> RemovalBudget {
    let budget = RemovalBudget::default();
    let budget = all.into_iter().fold(budget, RemovalBudget::of_all);
    each.into_iter().fold(budget, |budget, (field, share)| budget.of_each(field, *share))
}

pub(super) fn field_share(text: &str) -> Result<(String, f64), String> {
    match text.rsplit_once('=') {
        Some((field, number)) if !field.is_empty() => Ok((field.to_owned(), share(number)?)),
        _ => Err("must be a field and a share, as in source=0.5".to_owned()),
    }
}
