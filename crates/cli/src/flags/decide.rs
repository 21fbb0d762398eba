//! `lookalike decide`.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use lookalike_engine::KeepPolicy;
use lookalike_engine::matching::Clustering;

use super::dedup::{Budget, CLUSTERINGS, Counts};
use super::resources::{Progress, Resources};
use super::value::{at_least, lost_share, one_of, positive_share};
use super::writing::{Repeating, Writing};

/// Decide again from the pairs of a finished run: another threshold, another policy
#[derive(Args)]
#[command(after_long_help = "\
No document is signed again. What is not given is as in the run. The threshold can only rise: the
run's filter finds few pairs below its own. DIR2 then holds what DIR holds.

The decision is the one that a new run with the same filter would make. After `dedup --pairs all` it
comes from the stored pairs, in seconds. Another run stored only the pairs that its own decision
needed: then look-alikes are read from the inputs and compared again, as in a run. With --approximate
the stored pairs are enough, whatever they are: quick, but more may stay than after a new run. A note
then says how many might; nothing goes without a stored pair.

The inputs are also read for the survivors, and for the fields of --keep, --count, --date-field and
--max-removed-per-source; they must not have changed since.

Examples:
  lookalike decide clean --out stricter --threshold 0.9
  lookalike decide clean --out newest --keep newest:date
  lookalike decide clean --out careful --lost 0.02
  lookalike decide clean --out three --keep-count 3
  lookalike decide clean --out joined --cluster components --no-write
  lookalike decide clean --out gone --write removed --annotate
  lookalike decide clean --out train --repeat 1:1,2:2,10:3")]
pub(crate) struct Decide {
    /// The folder of a finished run
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) run: PathBuf,
    /// The folder of the results; must be empty or not exist
    #[arg(short, long, value_name = "DIR2", value_hint = ValueHint::DirPath)]
    pub(crate) out: PathBuf,
    /// The least resemblance of two look-alikes; not below the run's
    #[arg(long, value_name = "T", value_parser = positive_share, help_heading = "Deciding")]
    pub(crate) threshold: Option<f64>,
    /// Remove a document only if at most this share of its shingles is not in the one that stays, also
    /// if the run went by resemblance. The longer of two stays
    #[arg(long, value_name = "SHARE", value_parser = lost_share, help_heading = "Deciding")]
    #[arg(conflicts_with = "threshold")]
    pub(crate) lost: Option<f64>,
    /// Which of several look-alikes stays: first, longest, shortest, newest:FIELD, oldest:FIELD,
    /// max:FIELD, min:FIELD, prefer:FIELD=a,b,c; several, in quotes with `then` between or
    /// one flag each, decide one after another; ties by id
    #[arg(long, value_name = "POLICY", help_heading = "Deciding")]
    pub(crate) keep: Vec<KeepPolicy>,
    /// How many documents of a cluster stay, the first by the policy; the others go for the first
    #[arg(long, value_name = "K", value_parser = at_least::<1>)]
    #[arg(help_heading = "Deciding")]
    pub(crate) keep_count: Option<u32>,
    /// How pairs become clusters: anchored (all that go have a pair with one that stays) or
    /// components (whatever pairs connect)
    #[arg(long, value_name = "HOW", value_parser = one_of(CLUSTERINGS))]
    #[arg(hide_possible_values = true, help_heading = "Deciding")]
    pub(crate) cluster: Option<Clustering>,
    /// Decide from the stored pairs, also if they are only those that the run itself needed
    #[arg(long, help_heading = "Deciding")]
    pub(crate) approximate: bool,
    #[command(flatten)]
    pub(crate) budget: Budget,
    #[command(flatten)]
    pub(crate) counts: Counts,
    #[command(flatten)]
    pub(crate) writing: Writing,
    #[command(flatten)]
    pub(crate) repeating: Repeating,
    /// Go on with a decision that stopped
    #[arg(long, help_heading = "Running")]
    pub(crate) resume: bool,
    #[command(flatten)]
    pub(crate) resources: Resources,
    /// The folder for working files [default: DIR2/work]
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath, help_heading = "Running")]
    pub(crate) temp: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) progress: Progress,
    /// Answer with a JSON object: the report
    #[arg(long, help_heading = "Running")]
    pub(crate) json: bool,
}
