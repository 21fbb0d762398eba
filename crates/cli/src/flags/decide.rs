//! `lookalike decide`.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use lookalike::engine::matching::Clustering;
use lookalike::engine::{KeepPolicy, RemovalBudget};

use super::dedup::{RawClustering, field_share, removal_budget};
use super::resources::{RawProgress, RawResources, Resources};
use super::sketch::ProgressForm;
use super::value::{Mistake, positive_share, share};

/// Decide again from the pairs of a finished run: another threshold, another policy
#[derive(Args)]
#[command(after_long_help = "\
No document is signed or compared again. What is not given is as in the run. The threshold can
only rise: pairs below the run's own were never stored. DIR2 then holds what DIR holds.

A run of `dedup --pairs all` gives exactly the decision that a new run with its filter would make.
Another run stored only the pairs that its own decision needed: then more may stay than would
after a new run, but nothing goes without a stored pair.

The inputs are read for the survivors, and for the fields of --keep and --max-removed-per-source;
they must not have changed since.

Examples:
  lookalike decide clean --out stricter --threshold 0.9
  lookalike decide clean --out newest --keep newest:date
  lookalike decide clean --out joined --cluster components --no-write")]
pub(crate) struct RawDecide {
    /// The folder of a finished run
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    run: PathBuf,
    /// The folder of the results; must be empty or not exist
    #[arg(short, long, value_name = "DIR2", value_hint = ValueHint::DirPath)]
    out: PathBuf,
    /// The least resemblance of two look-alikes; not below the run's
    #[arg(long, value_name = "T", value_parser = positive_share, help_heading = "Deciding")]
    threshold: Option<f64>,
    /// Which of several look-alikes stays: first, longest, shortest, newest:FIELD, oldest:FIELD,
    /// max:FIELD, min:FIELD, prefer:FIELD=a,b,c; ties by id
    #[arg(long, value_name = "POLICY", help_heading = "Deciding")]
    keep: Option<KeepPolicy>,
    /// How pairs become clusters: anchored (all that go have a pair with one that stays) or
    /// components (whatever pairs connect)
    #[arg(
        long,
        value_enum,
        value_name = "HOW",
        hide_possible_values = true,
        help_heading = "Deciding"
    )]
    cluster: Option<RawClustering>,
    /// Stop before more than this share of all documents would be removed
    #[arg(long, value_name = "SHARE", value_parser = share, help_heading = "Deciding")]
    max_removed: Option<f64>,
    /// Stop before more than this share of the documents with one value of FIELD would be removed
    #[arg(long, value_name = "FIELD=SHARE", value_parser = field_share, help_heading = "Deciding")]
    max_removed_per_source: Option<(String, f64)>,
    /// Decide and report, but write no survivors
    #[arg(long, help_heading = "Running")]
    no_write: bool,
    /// Go on with a decision that stopped
    #[arg(long, help_heading = "Running")]
    resume: bool,
    #[command(flatten)]
    resources: RawResources,
    /// The folder for working files [default: DIR2/work]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Running")]
    temp: Option<PathBuf>,
    #[command(flatten)]
    progress: RawProgress,
    /// Answer with a JSON object: the report
    #[arg(long, help_heading = "Running")]
    json: bool,
}

/// Checked arguments.
pub(crate) struct Decide {
    pub(crate) run: PathBuf,
    pub(crate) out: PathBuf,
    pub(crate) threshold: Option<f64>,
    pub(crate) keep: Option<KeepPolicy>,
    pub(crate) clustering: Option<Clustering>,
    pub(crate) budget: RemovalBudget,
    pub(crate) survivors: bool,
    pub(crate) resume: bool,
    pub(crate) resources: Resources,
    pub(crate) temp: Option<PathBuf>,
    pub(crate) progress: ProgressForm,
    pub(crate) json: bool,
}

impl RawDecide {
    pub(crate) fn check(self) -> Result<Decide, Mistake> {
        let resources = self.resources.check("decide")?;
        Ok(Decide {
            run: self.run,
            out: self.out,
            threshold: self.threshold,
            keep: self.keep,
            clustering: self.cluster.map(RawClustering::check),
            budget: removal_budget(self.max_removed, self.max_removed_per_source.as_ref()),
            survivors: !self.no_write,
            resume: self.resume,
            resources,
            temp: self.temp,
            progress: self.progress.form,
            json: self.json,
        })
    }
}
