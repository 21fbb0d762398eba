//! `lookalike passages`, and what `dedup --passages` is asked for.

use std::path::PathBuf;

use clap::{Args, ValueHint};
use lookalike_core::Given as _;
use lookalike_engine::{CutUnit, KeepPolicy, PassageRule, PassageScope};

use super::resources::BatchJob;
use super::value::{one_of, share};

/// Cut what repeats inside of documents, and keep one copy of it
#[derive(Args)]
#[command(after_long_help = "\
A passage is a run of at least N words that stands at two places or more, in two documents or twice in
one. The first copy stays, in the order of the keep policy; what is cut of the others is whole
lines (or sentences, paragraphs, words), all of whose words are in passages. Each word that is cut
lies in a run of N words, all of them cut, that stands word for word in what is kept.

DIR then holds kept/ (the inputs' own files, with the texts cut and all else as it was), passages.parquet (what
was cut of which document, and where it stays), report.html and report.json. A document of which no
word is left goes. Web pages and web archives stay as they are: what repeats in them is in passages.parquet
only. With --annotate nothing is cut: each record gets a field with its passages and where they stay.

No document is compared with another as a whole: `lookalike dedup --passages` does both.

Exit codes: 0 done; 3 some input was skipped.

Examples:
  lookalike passages corpus.jsonl.zst --out clean
  lookalike passages crawl/ --out clean --min-words 30 --cut sentences
  lookalike passages corpus.parquet --out spans --annotate
  lookalike passages crawl/ --out clean --max-copies 6 --max-cut 0.2")]
pub(crate) struct Passages {
    /// Files, folders, globs, or - for standard input
    #[arg(value_name = "INPUT", required = true, value_hint = ValueHint::AnyPath)]
    pub(crate) inputs: Vec<String>,
    /// The folder of the results; must be empty or not exist
    #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) out: PathBuf,
    #[command(flatten)]
    pub(crate) rule: PassageFlags,
    /// Whose copy of a passage stays: first, longest, shortest, newest:FIELD, oldest:FIELD,
    /// max:FIELD, min:FIELD, prefer:FIELD=a,b,c; several, in quotes with `then` between or one flag each,
    /// decide one after another; ties by id
    #[arg(long, value_name = "POLICY", default_value = "first", help_heading = "Deciding")]
    pub(crate) keep: Vec<KeepPolicy>,
    #[command(flatten)]
    pub(crate) job: BatchJob,
    /// Say what the job would take, without running it
    #[arg(long, conflicts_with = "resume", help_heading = "Running")]
    pub(crate) dry_run: bool,
}

/// What a passage is, and what of it is cut.
#[derive(Args)]
pub(crate) struct PassageFlags {
    /// The fewest words of a passage [default: 50]
    #[arg(long, value_name = "N", help_heading = "Passages")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=i64::from(PassageRule::MOST_WORDS)))]
    min_words: Option<u32>,
    /// What is cut whole: words, lines, sentences or paragraphs [default: lines]
    #[arg(long, value_name = "UNIT", hide_possible_values = true, help_heading = "Passages")]
    #[arg(value_parser = one_of(CutUnit::ALL.map(|unit| (unit.name(), unit))))]
    cut: Option<CutUnit>,
    /// Cut only what stands more than K times; the first K stay [default: 1]
    #[arg(long, value_name = "K", value_parser = clap::value_parser!(u32).range(1..))]
    #[arg(help_heading = "Passages")]
    max_copies: Option<u32>,
    /// Cut only what stands in so many documents [default: 1]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    #[arg(help_heading = "Passages")]
    min_documents: Option<u32>,
    /// Where copies are looked for: corpus or document [default: corpus]
    #[arg(long, value_name = "WHAT", hide_possible_values = true, help_heading = "Passages")]
    #[arg(value_parser = one_of([("corpus", PassageScope::Corpus), ("document", PassageScope::Document)]))]
    within: Option<PassageScope>,
    /// A document of which fewer words are left goes whole [default: 1]
    #[arg(long, value_name = "WORDS", value_parser = clap::value_parser!(u64).range(1..))]
    #[arg(help_heading = "Passages")]
    min_left: Option<u64>,
    /// Stop before more than this share of all words would be cut
    #[arg(long, value_name = "SHARE", value_parser = share, help_heading = "Passages")]
    max_cut: Option<f64>,
}

impl PassageFlags {
    pub(crate) fn rule(&self) -> PassageRule {
        PassageRule::default()
            .given(self.min_words, PassageRule::min_words)
            .given(self.cut, PassageRule::cut)
            .given(self.max_copies, PassageRule::max_copies)
            .given(self.min_documents, PassageRule::min_documents)
            .given(self.within, PassageRule::scope)
            .given(self.min_left, PassageRule::min_left)
            .given(self.max_cut, PassageRule::max_cut)
    }

    /// Whether any of them is given.
    pub(super) fn is_given(&self) -> bool {
        let Self { min_words, cut, max_copies, min_documents, within, min_left, max_cut } = self;
        let numbers = [min_words, max_copies, min_documents].iter().any(|n| n.is_some());
        numbers || cut.is_some() || within.is_some() || min_left.is_some() || max_cut.is_some()
    }
}
