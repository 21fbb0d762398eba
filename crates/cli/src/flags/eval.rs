//! `lookalike eval`.

use std::path::{Path, PathBuf};

use clap::{Args, Subcommand, ValueHint};
use lookalike_eval::{AbsentRule, BASELINES, CopyRule, Eval as Job, LabelFile, LabelRule};

use super::documents::Documents;
use super::judging::Sites;
use super::resources::ScratchJob;
use super::value::{at_least, one_of, share};

/// Judge recipes by labelled pairs, as Henzinger did: precision, recall, F1, tables and figures
#[derive(Args)]
#[command(args_conflicts_with_subcommands = true, subcommand_negates_reqs = true)]
#[command(override_usage = "\
lookalike eval [OPTIONS] --documents <INPUT>... --labels <FILE> --out <DIR>
       lookalike eval sample [OPTIONS] --documents <INPUT>... --out <DIR>
       lookalike eval agreement [OPTIONS] <LABELS> <LABELS>...")]
#[command(after_long_help = "\
Each recipe returns its pairs, all of them: candidates for the papers' recipes, verified pairs for
others. Documents with the same words as an earlier one are left out first, as in the paper. DIR
gets eval.json with all numbers, and eval.html with the paper's tables and figures.

Labels are JSON lines, also compressed: {\"a\": ID, \"b\": ID, \"label\": \"correct\"}, or incorrect,
or undecided. Another field and other values can be named (--label-field, --correct), or a field
with a similarity (--similarity-field). A `reason` makes the tables of reasons, a `weight` says how
many pairs one stands for. Lines that cannot be used are counted; --strict stops at the first.
Undecided pairs are counted apart, and in no precision, recall or F1.

--recipes also takes the baselines minhash-lsh (11 bands of 11 rows over word 5-grams, nothing
verified) and simhash (64 bits, at most 3 of which differ); --baselines adds both. --repeats runs
every recipe under several seeds, and gives means with intervals over seeds beside the intervals over
pairs, which do not know that all pairs under one seed go together.

--sets evaluates on several sets, never pooled: --documents and --labels are then names of files in
each folder. DIR gets a folder for each, and sets.html and sets.json with a row for each, the median
and the worst.

Exit codes: 0 done; 3 some document or label was skipped.

Examples:
  lookalike eval --documents pages.jsonl --labels labels.jsonl --out out
  lookalike eval --documents pages.jsonl --labels truth.jsonl.zst --similarity-field jaccard \\
      --recipes henzinger-b,henzinger-c,my.toml --out out
  lookalike eval --documents pages.jsonl --labels pairs.jsonl --label-field relation \\
      --correct same --incorrect other --undecided revised --out out
  lookalike eval --documents pages.jsonl --labels labels.jsonl --recipes text --baselines \\
      --repeats 5 --csv numbers.csv --figures figures --out out
  lookalike eval --documents pages.jsonl --labels labels.jsonl \\
      --recipes henzinger-b,henzinger-c --equal-recall henzinger-c --out out
  lookalike eval --sets sites/* --documents pages.jsonl --labels truth.jsonl \\
      --similarity-field jaccard --recipes text,pages,sites --out out
  lookalike eval sample --documents pages.jsonl --pairs 200 --out sample")]
pub(crate) struct Eval {
    #[command(subcommand)]
    pub(crate) command: Option<EvalCommand>,
    /// What people say about pairs, as JSON lines
    #[arg(long, value_name = "FILE", required = true, value_hint = ValueHint::FilePath)]
    labels: Option<PathBuf>,
    /// Several sets, each a folder with the files that --documents and --labels name in it
    #[arg(long, value_name = "DIR", num_args = 1.., value_hint = ValueHint::DirPath)]
    #[arg(conflicts_with_all = ["csv", "figures"])]
    pub(crate) sets: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) common: EvalInputs,
    /// The recipe whose correct pairs are the 1 of R [default: the first]
    #[arg(long, value_name = "RECIPE")]
    pub(crate) against: Option<String>,
    /// Choose the equal bits by which this recipe, such as henzinger-c, returns as many correct pairs
    /// as the one that R is against
    #[arg(long, value_name = "RECIPE")]
    pub(crate) equal_recall: Option<String>,
    /// The fewest equal bits that are looked at for that [default: 20 less than the recipe's own]
    #[arg(long, value_name = "BITS", value_parser = at_least::<1>, requires = "equal_recall")]
    pub(crate) least_bits: Option<u32>,
    /// Compute the term difference of this many pairs of each recipe, drawn at random
    #[arg(long, value_name = "N", default_value = "2000", value_parser = at_least::<1>)]
    pub(crate) differences: u32,
    /// Run every recipe under N seeds, its own and those that follow it, up to 100
    #[arg(long, value_name = "N", default_value = "1")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) repeats: u32,
    /// Write the numbers as tidy CSV too, one a row, with intervals
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) csv: Option<PathBuf>,
    /// Draw the curves into this folder, as SVG and PNG
    #[arg(long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) figures: Option<PathBuf>,
    #[command(flatten)]
    words: LabelWords,
    /// Labels are a similarity from 0 to 1, in this field
    #[arg(long, value_name = "FIELD", help_heading = "Labels")]
    #[arg(conflicts_with_all = ["label_field", "correct", "incorrect", "undecided"])]
    similarity_field: Option<String>,
    /// The least similarity of a correct pair [default: 0.9]
    #[arg(long, value_name = "T", value_parser = share, help_heading = "Labels")]
    #[arg(requires = "similarity_field", default_value = "0.9", hide_default_value = true)]
    correct_at: f64,
    /// The least similarity of an undecided pair [default: 0.6]
    #[arg(long, value_name = "T", value_parser = share, help_heading = "Labels")]
    #[arg(requires = "similarity_field", default_value = "0.6", hide_default_value = true)]
    undecided_at: f64,
    /// What pairs without a label are: unlabelled, or incorrect [default: unlabelled for labels,
    /// incorrect for similarities]
    #[arg(long, value_name = "WHAT", value_parser = one_of(ABSENT), hide_possible_values = true)]
    #[arg(help_heading = "Labels")]
    absent: Option<AbsentRule>,
    /// The field with the reason for a label
    #[arg(long, value_name = "FIELD", default_value = "reason", help_heading = "Labels")]
    reason_field: String,
    /// The reasons of undecided pairs that are forms with other values in them
    #[arg(long, value_name = "REASON,...", value_delimiter = ',', help_heading = "Labels")]
    #[arg(default_value = "form")]
    form_reasons: Vec<String>,
    /// The field with the number of pairs that a pair stands for
    #[arg(long, value_name = "FIELD", default_value = "weight", help_heading = "Labels")]
    weight_field: String,
}

/// What labels are called.
#[derive(Args)]
pub(crate) struct LabelWords {
    /// The field with the label [default: label]
    #[arg(long, value_name = "FIELD", help_heading = "Labels")]
    #[arg(default_value = "label", hide_default_value = true)]
    label_field: String,
    /// Its values for correct pairs [default: correct]
    #[arg(long, value_name = "VALUE,...", value_delimiter = ',', help_heading = "Labels")]
    #[arg(default_value = "correct", hide_default_value = true)]
    correct: Vec<String>,
    /// Its values for incorrect pairs [default: incorrect]
    #[arg(long, value_name = "VALUE,...", value_delimiter = ',', help_heading = "Labels")]
    #[arg(default_value = "incorrect", hide_default_value = true)]
    incorrect: Vec<String>,
    /// Its values for undecided pairs [default: undecided]
    #[arg(long, value_name = "VALUE,...", value_delimiter = ',', help_heading = "Labels")]
    #[arg(default_value = "undecided", hide_default_value = true)]
    undecided: Vec<String>,
}

impl LabelWords {
    fn rule(&self) -> LabelRule {
        LabelRule::Values {
            field: self.label_field.clone(),
            correct: self.correct.clone(),
            incorrect: self.incorrect.clone(),
            undecided: self.undecided.clone(),
        }
    }
}

/// Labels of several people.
#[derive(Args)]
pub(crate) struct EvalAgreement {
    /// Labels files, one for each person
    #[arg(value_name = "LABELS", required = true, num_args = 2..)]
    #[arg(value_hint = ValueHint::FilePath)]
    labels: Vec<PathBuf>,
    /// Write labels that more than half of the judges of a pair agree on; others are undecided
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) majority: Option<PathBuf>,
    /// Replace an existing file
    #[arg(long)]
    pub(crate) force: bool,
    /// Stop at the first line that cannot be used
    #[arg(long)]
    pub(crate) strict: bool,
    /// Answer with a JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    words: LabelWords,
}

impl EvalAgreement {
    pub(crate) fn files(&self) -> anyhow::Result<Vec<LabelFile>> {
        let rule = self.words.rule();
        rule.check().map_err(anyhow::Error::msg)?;
        let file = |path| {
            let mut file = LabelFile::new(path);
            file.rule = rule.clone();
            file
        };
        Ok(self.labels.iter().map(file).collect())
    }
}

#[derive(Subcommand)]
pub(crate) enum EvalCommand {
    /// Draw pairs for people to judge, and make the page to judge them on
    #[command(after_long_help = "\
Pairs that the recipes return are divided by which recipes return them, by whether both documents
are of one site, and by B-similarity, and about as many are drawn from each part. DIR gets
pairs.jsonl, with how many pairs each stands for, and judge.html, which shows them side by side and
saves labels.jsonl for `lookalike eval --labels`.

Example:
  lookalike eval sample --documents pages.jsonl --pairs 200 --out sample")]
    Sample {
        #[command(flatten)]
        common: EvalInputs,
        /// How many pairs to draw, up to 5000
        #[arg(long, value_name = "N", default_value = "300")]
        #[arg(value_parser = clap::value_parser!(u32).range(1..=5000))]
        pairs: u32,
    },
    /// Say how far several people who judged the same pairs agree: Cohen's and Fleiss' kappa
    #[command(after_long_help = "\
Each LABELS file is of one person, as the page to judge on saves it. Every two are compared by the share
of pairs with the same label and by Cohen's kappa, all together by Fleiss' over the pairs that all have
judged: 1 if they always agree, 0 if no more often than by chance. Pairs that are not judged alike are
listed, correct against incorrect first. --majority writes labels for `lookalike eval --labels`.

Example:
  lookalike eval agreement ada.jsonl ben.jsonl --majority labels.jsonl")]
    Agreement(EvalAgreement),
}

#[derive(Args)]
pub(crate) struct EvalRecipes {
    /// Presets or TOML files (see `lookalike recipe`), minhash-lsh, simhash
    #[arg(long, value_name = "NAME|FILE,...", value_delimiter = ',')]
    #[arg(default_values_t = Job::DEFAULT_RECIPES.map(str::to_owned))]
    recipes: Vec<String>,
    /// Add minhash-lsh and simhash to the recipes
    #[arg(long)]
    baselines: bool,
}

impl EvalRecipes {
    /// What was named, each once where it is a baseline.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        let more = if self.baselines { &BASELINES[..] } else { &[] };
        let more = more.iter().filter(|name| !self.recipes.iter().any(|named| named == *name));
        self.recipes.iter().map(String::as_str).chain(more.copied())
    }
}

#[derive(Args)]
pub(crate) struct EvalInputs {
    /// The documents: files, folders, globs, or - for standard input
    #[arg(long, value_name = "INPUT", required = true, num_args = 1..)]
    #[arg(value_hint = ValueHint::AnyPath)]
    pub(crate) documents: Vec<String>,
    /// The folder for the results; made if it is missing
    #[arg(short, long, value_name = "DIR", required = true, value_hint = ValueHint::DirPath)]
    out: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) recipes: EvalRecipes,
    #[command(flatten)]
    pub(crate) sites: Sites,
    /// Documents with the same words as an earlier one: removed first, or counted as others
    #[arg(long, value_name = "WHAT", default_value = "removed", hide_possible_values = true)]
    #[arg(value_parser = one_of(IDENTICAL))]
    pub(crate) identical: CopyRule,
    /// The seed of random choices: samples, and the halves of pairs
    #[arg(long, value_name = "N", default_value = "0")]
    pub(crate) seed: u64,
    /// Draw the random choices of recipes from the secret in this file, where texts of others are judged: any
    /// file of at least 16 bytes
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) secret_seed: Option<PathBuf>,
    /// The most candidates that a recipe may make
    #[arg(long, value_name = "N", default_value = "1000000000", help_heading = "Running")]
    pub(crate) max_candidates: u64,
    /// Stop at the first document or label that cannot be used
    #[arg(long, help_heading = "Running")]
    pub(crate) strict: bool,
    /// Replace existing results
    #[arg(long, help_heading = "Running")]
    pub(crate) force: bool,
    #[command(flatten)]
    pub(crate) job: ScratchJob,
    /// Answer with a JSON object
    #[arg(long, help_heading = "Running")]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) reading: Documents,
}

const ABSENT: [(&str, AbsentRule); 2] =
    [("unlabelled", AbsentRule::Unlabelled), ("incorrect", AbsentRule::Incorrect)];

const IDENTICAL: [(&str, CopyRule); 2] =
    [("removed", CopyRule::Removed), ("counted", CopyRule::Counted)];

impl Eval {
    pub(super) fn check(&self) -> anyhow::Result<()> {
        if let Some(EvalCommand::Agreement(agreement)) = &self.command {
            return agreement.files().map(drop);
        }
        self.inputs().job.resources.check()?;
        if self.command.is_none() {
            self.rule()?;
        }
        Ok(())
    }

    /// What an evaluation and a sample both need.
    pub(crate) fn inputs(&self) -> &EvalInputs {
        match &self.command {
            Some(EvalCommand::Sample { common, .. }) => common,
            _ => &self.common,
        }
    }

    /// The labels of a set, or of all if there is one set only.
    pub(crate) fn label_file(&self, set: Option<&Path>) -> anyhow::Result<LabelFile> {
        // Clap has asked for it.
        let path = self.labels.clone().unwrap_or_default();
        let mut labels = LabelFile::new(set.map_or(path.clone(), |set| set.join(&path)));
        labels.rule = self.rule()?;
        labels.absent = self.absent;
        labels.reason_field.clone_from(&self.reason_field);
        labels.form_reasons.clone_from(&self.form_reasons);
        labels.weight_field.clone_from(&self.weight_field);
        Ok(labels)
    }

    fn rule(&self) -> anyhow::Result<LabelRule> {
        let rule = match self.similarity_field.clone() {
            Some(field) => {
                let Self { correct_at, undecided_at, .. } = *self;
                LabelRule::Similarity { field, correct_at, undecided_at }
            }
            None => self.words.rule(),
        };
        rule.check().map_err(anyhow::Error::msg)?;
        Ok(rule)
    }
}

impl EvalInputs {
    pub(crate) fn out(&self) -> &Path {
        // Clap has asked for it.
        self.out.as_deref().unwrap_or(Path::new(""))
    }
}
