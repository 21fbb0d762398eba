//! `lookalike eval`.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueEnum, ValueHint};
use lookalike::core::SiteRule;
use lookalike::eval::{Absent, Eval as Job, Identical, LabelFile, LabelRule};

use super::documents::{Documents, RawDocuments};
use super::judging::RawSites;
use super::resources::{RawProgress, RawResources, Resources};
use super::sketch::ProgressForm;
use super::value::{Mistake, at_least, mistake, share};

/// Judge recipes by labelled pairs, as Henzinger did: precision, recall, tables and figures
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(override_usage = "\
lookalike eval [OPTIONS] --documents <INPUT>... --labels <FILE> --out <DIR>
       lookalike eval sample [OPTIONS] --documents <INPUT>... --out <DIR>")]
#[command(after_long_help = "\
Each recipe returns its pairs, all of them: candidates for the papers' recipes, verified pairs for
others. Documents with the same words as an earlier one are left out first, as in the paper. DIR
gets eval.json with all numbers, and eval.html with the paper's tables and figures.

Labels are JSON lines, also compressed: {\"a\": ID, \"b\": ID, \"label\": \"correct\"}, or incorrect,
or undecided. Another field and other values can be named (--label-field, --correct), or a field
with a similarity (--similarity-field). A `reason` makes the tables of reasons, a `weight` says how
many pairs one stands for. Lines that cannot be used are counted; --strict stops at the first.

Exit codes: 0 done; 3 some document or label was skipped.

Examples:
  lookalike eval --documents pages.jsonl --labels labels.jsonl --out out
  lookalike eval --documents pages.jsonl --labels truth.jsonl.zst --similarity-field jaccard \\
      --recipes henzinger-b,henzinger-c,my.toml --out out
  lookalike eval --documents pages.jsonl --labels pairs.jsonl --label-field relation \\
      --correct same --incorrect other --undecided revised --out out
  lookalike eval sample --documents pages.jsonl --pairs 200 --out sample")]
pub(crate) struct RawEval {
    #[command(subcommand)]
    command: Option<RawEvalCommand>,
    /// What people say about pairs, as JSON lines
    #[arg(long, value_name = "FILE", required = true, value_hint = ValueHint::FilePath)]
    labels: Option<PathBuf>,
    #[command(flatten)]
    common: RawCommon,
    /// The recipe whose correct pairs are the 1 of R [default: the first]
    #[arg(long, value_name = "RECIPE")]
    against: Option<String>,
    /// Compute the term difference of this many pairs of each recipe, drawn at random
    #[arg(long, value_name = "N", default_value = "2000", value_parser = at_least::<1>)]
    differences: u32,
    /// The field with the label [default: label]
    #[arg(long, value_name = "FIELD", help_heading = "Labels")]
    label_field: Option<String>,
    /// Its values for correct pairs [default: correct]
    #[arg(long, value_name = "VALUE,...", value_delimiter = ',', help_heading = "Labels")]
    correct: Option<Vec<String>>,
    /// Its values for incorrect pairs [default: incorrect]
    #[arg(long, value_name = "VALUE,...", value_delimiter = ',', help_heading = "Labels")]
    incorrect: Option<Vec<String>>,
    /// Its values for undecided pairs [default: undecided]
    #[arg(long, value_name = "VALUE,...", value_delimiter = ',', help_heading = "Labels")]
    undecided: Option<Vec<String>>,
    /// Labels are a similarity from 0 to 1, in this field
    #[arg(long, value_name = "FIELD", help_heading = "Labels")]
    #[arg(conflicts_with_all = ["label_field", "correct", "incorrect", "undecided"])]
    similarity_field: Option<String>,
    /// The least similarity of a correct pair [default: 0.9]
    #[arg(long, value_name = "T", value_parser = share, help_heading = "Labels")]
    #[arg(requires = "similarity_field")]
    correct_at: Option<f64>,
    /// The least similarity of an undecided pair [default: 0.6]
    #[arg(long, value_name = "T", value_parser = share, help_heading = "Labels")]
    #[arg(requires = "similarity_field")]
    undecided_at: Option<f64>,
    /// What pairs without a label are: unlabelled, or incorrect [default: unlabelled for labels,
    /// incorrect for similarities]
    #[arg(long, value_enum, value_name = "WHAT", hide_possible_values = true)]
    #[arg(help_heading = "Labels")]
    absent: Option<RawAbsent>,
    /// The field with the reason for a label
    #[arg(long, value_name = "FIELD", default_value = "reason", help_heading = "Labels")]
    reason_field: String,
    /// The field with the number of pairs that a pair stands for
    #[arg(long, value_name = "FIELD", default_value = "weight", help_heading = "Labels")]
    weight_field: String,
}

#[derive(Subcommand)]
enum RawEvalCommand {
    Sample(RawEvalSample),
}

/// Draw pairs for people to judge, and make the page to judge them on
#[derive(Args)]
#[command(after_long_help = "\
Pairs that the recipes return are divided by which recipes return them, by whether both documents
are of one site, and by B-similarity, and about as many are drawn from each part. DIR gets
pairs.jsonl, with how many pairs each stands for, and judge.html, which shows them side by side and
saves labels.jsonl for `lookalike eval --labels`.

Example:
  lookalike eval sample --documents pages.jsonl --pairs 200 --out sample")]
struct RawEvalSample {
    #[command(flatten)]
    common: RawCommon,
    /// How many pairs to draw, up to 5000
    #[arg(long, value_name = "N", default_value = "300")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=5000))]
    pairs: u32,
}

#[derive(Args)]
struct RawCommon {
    /// The documents: files, folders, globs, or - for standard input
    #[arg(long, value_name = "INPUT", required = true, num_args = 1..)]
    #[arg(value_hint = ValueHint::AnyPath)]
    documents: Vec<String>,
    /// The folder for the results; made if it is missing
    #[arg(short, long, value_name = "DIR", required = true, value_hint = ValueHint::DirPath)]
    out: Option<PathBuf>,
    /// Presets or TOML files (see `lookalike recipe`)
    #[arg(long, value_name = "NAME|FILE,...", value_delimiter = ',')]
    #[arg(default_values_t = Job::DEFAULT_RECIPES.map(str::to_owned))]
    recipes: Vec<String>,
    #[command(flatten)]
    sites: RawSites,
    /// Documents with the same words as an earlier one: removed first, or counted as others
    #[arg(long, value_enum, value_name = "WHAT", default_value_t, hide_possible_values = true)]
    identical: RawIdentical,
    /// The seed of random choices: samples, and the halves of pairs
    #[arg(long, value_name = "N", default_value = "0")]
    seed: u64,
    /// The most candidates that a recipe may make
    #[arg(long, value_name = "N", default_value = "1000000000", help_heading = "Running")]
    max_candidates: u64,
    /// Stop at the first document or label that cannot be used
    #[arg(long, help_heading = "Running")]
    strict: bool,
    /// Replace existing results
    #[arg(long, help_heading = "Running")]
    force: bool,
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
    reading: RawDocuments,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum RawAbsent {
    Unlabelled,
    Incorrect,
}

#[derive(Clone, Copy, Debug, Default, ValueEnum)]
enum RawIdentical {
    #[default]
    Removed,
    Counted,
}

/// Checked arguments.
pub(crate) struct Eval {
    pub(crate) common: EvalInputs,
    pub(crate) wanted: EvalCommand,
}

/// What is to be made.
pub(crate) enum EvalCommand {
    /// The evaluation.
    Evaluation { labels: LabelFile, against: Option<String>, differences: usize },
    /// A sample of so many pairs.
    Sample(usize),
}

/// What both need.
pub(crate) struct EvalInputs {
    pub(crate) documents: Vec<String>,
    pub(crate) out: PathBuf,
    pub(crate) recipes: Vec<String>,
    pub(crate) sites: Option<SiteRule>,
    pub(crate) identical: Identical,
    pub(crate) seed: u64,
    pub(crate) max_candidates: u64,
    pub(crate) strict: bool,
    pub(crate) force: bool,
    pub(crate) resources: Resources,
    pub(crate) temp: Option<PathBuf>,
    pub(crate) progress: ProgressForm,
    pub(crate) json: bool,
    pub(crate) reading: Documents,
}

impl RawEval {
    pub(crate) fn check(mut self) -> Result<Eval, Mistake> {
        if let Some(RawEvalCommand::Sample(sample)) = self.command {
            let wanted = EvalCommand::Sample(sample.pairs as usize);
            return Ok(Eval { common: sample.common.check()?, wanted });
        }
        // Clap has asked for it.
        let mut labels = LabelFile::new(self.labels.take().unwrap_or_default());
        labels.rule = self.rule()?;
        labels.absent = self.absent.map(|absent| match absent {
            RawAbsent::Unlabelled => Absent::Unlabelled,
            RawAbsent::Incorrect => Absent::Incorrect,
        });
        labels.reason_field = self.reason_field;
        labels.weight_field = self.weight_field;
        let (against, differences) = (self.against, self.differences as usize);
        let wanted = EvalCommand::Evaluation { labels, against, differences };
        Ok(Eval { common: self.common.check()?, wanted })
    }

    fn rule(&mut self) -> Result<LabelRule, Mistake> {
        if let Some(field) = self.similarity_field.take() {
            let (correct_at, undecided_at) =
                (self.correct_at.unwrap_or(0.9), self.undecided_at.unwrap_or(0.6));
            if undecided_at > correct_at {
                return Err(mistake("eval", "--undecided-at must not be above --correct-at"));
            }
            return Ok(LabelRule::Similarity { field, correct_at, undecided_at });
        }
        let values = |given: &mut Option<Vec<String>>, default: &str| {
            given.take().unwrap_or_else(|| vec![default.to_owned()])
        };
        let correct = values(&mut self.correct, "correct");
        let incorrect = values(&mut self.incorrect, "incorrect");
        let undecided = values(&mut self.undecided, "undecided");
        let all = [&correct[..], &incorrect[..], &undecided[..]].concat();
        if let Some(twice) = all.iter().find(|value| all.iter().filter(|v| v == value).count() > 1)
        {
            let message = format!("the value `{twice}` cannot be two labels");
            return Err(mistake("eval", message));
        }
        let field = self.label_field.take().unwrap_or_else(|| "label".to_owned());
        Ok(LabelRule::Values { field, correct, incorrect, undecided })
    }
}

impl RawCommon {
    fn check(self) -> Result<EvalInputs, Mistake> {
        Ok(EvalInputs {
            documents: self.documents,
            // Clap has asked for it.
            out: self.out.unwrap_or_default(),
            recipes: self.recipes,
            sites: self.sites.check(),
            identical: match self.identical {
                RawIdentical::Removed => Identical::Removed,
                RawIdentical::Counted => Identical::Counted,
            },
            seed: self.seed,
            max_candidates: self.max_candidates,
            strict: self.strict,
            force: self.force,
            resources: self.resources.check("eval")?,
            temp: self.temp,
            progress: self.progress.form,
            json: self.json,
            reading: self.reading.check(),
        })
    }
}
