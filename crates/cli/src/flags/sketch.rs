//! `lookalike sketch`.

use std::path::PathBuf;

use clap::{Args, ValueHint};

use super::documents::Documents;
use super::resources::ProgressForm;

/// Make a signature file of documents
#[derive(Args)]
#[command(after_long_help = "\
Files are read by their names: .jsonl, .ndjson and .json (an object on each line), .csv, .tsv,
.parquet, .arrow and .feather, .warc and .wet (web archives), and .html, .htm, .txt and .md (a file a
document); each also .gz, .zst, .bz2 or .xz. Other files given by name are looked into, and are a
document unless they turn out to be one of these. A folder is walked in the order of names, and other files in it
are counted. A quoted glob (*, ?, **) stands for the files it matches.
The file appears under its name only when it is complete.

Examples:
  lookalike sketch letters/ -o letters.signatures
  lookalike sketch crawl/*.jsonl.zst -o crawl.signatures --text-field page.body
  lookalike sketch 'mail/**/*.eml' notes.txt -o mail.signatures --recipe henzinger-combined
  pandoc -t plain book.epub | lookalike sketch - -o book.signatures")]
pub(crate) struct Sketch {
    /// Files, folders, globs, or - for standard input
    #[arg(value_name = "INPUT", required = true, value_hint = ValueHint::AnyPath)]
    pub(crate) inputs: Vec<String>,
    /// Where to write
    #[arg(short, long, alias = "output", value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) out: PathBuf,
    /// A preset or a TOML file (see `lookalike recipe`) [default: text, or sets with --set-field]
    #[arg(long, value_name = "NAME|FILE")]
    pub(crate) recipe: Option<String>,
    /// Words in a shingle, the n of n-grams [default: the recipe's; 5 in `text`]
    #[arg(long, value_name = "N")]
    pub(crate) ngram: Option<usize>,
    /// Draw the random choices from the secret in this file, where texts of others are judged: any file of
    /// at least 16 bytes, needed again by whoever signs for the same signatures, and stored nowhere
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) secret_seed: Option<PathBuf>,
    /// Stop at the first file or record that cannot be read
    #[arg(long)]
    pub(crate) strict: bool,
    /// Replace FILE if it exists
    #[arg(long)]
    pub(crate) force: bool,
    /// Show progress: auto (on a terminal), json (lines on stderr), never
    #[arg(long, value_name = "FORM", default_value = "auto", hide_possible_values = true)]
    pub(crate) progress: ProgressForm,
    #[command(flatten)]
    pub(crate) documents: Documents,
}
