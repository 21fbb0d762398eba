//! `lookalike sketch`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};

use super::documents::{Documents, RawDocuments};

/// Make a signature file of documents
#[derive(Args)]
#[command(after_long_help = "\
Files are read by their names: .jsonl, .ndjson and .json (an object on each line), .csv, .tsv,
.parquet, .warc and .wet (web archives), and .html, .htm, .txt and .md (a file a document); each
also .gz, .zst, .bz2 or .xz. Other files given by name are looked into, and are a document unless
they turn out to be one of these. A folder is walked in the order of names, and other files in it
are counted. A quoted glob (*, ?, **) stands for the files it matches.
The file appears under its name only when it is complete.

Examples:
  lookalike sketch letters/ -o letters.signatures
  lookalike sketch crawl/*.jsonl.zst -o crawl.signatures --text-field page.body
  lookalike sketch 'mail/**/*.eml' notes.txt -o mail.signatures --recipe henzinger-combined
  pandoc -t plain book.epub | lookalike sketch - -o book.signatures")]
pub(crate) struct RawSketch {
    /// Files, folders, globs, or - for standard input
    #[arg(value_name = "INPUT", required = true, value_hint = ValueHint::AnyPath)]
    inputs: Vec<String>,
    /// Where to write
    #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    output: PathBuf,
    /// A preset or a TOML file (see `lookalike recipe`)
    #[arg(long, value_name = "NAME|FILE", default_value = "text")]
    recipe: String,
    /// Stop at the first file or record that cannot be read
    #[arg(long)]
    strict: bool,
    /// Replace FILE if it exists
    #[arg(long)]
    force: bool,
    /// Show progress: auto (on a terminal), json (lines on stderr), never
    #[arg(long, value_enum, value_name = "FORM", default_value_t, hide_possible_values = true)]
    progress: ProgressForm,
    #[command(flatten)]
    documents: RawDocuments,
}

/// How to show progress.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub(crate) enum ProgressForm {
    /// A line on a terminal.
    #[default]
    Auto,
    /// Lines of JSON.
    Json,
    /// Not at all.
    Never,
}

/// Checked arguments.
pub(crate) struct Sketch {
    pub(crate) inputs: Vec<String>,
    pub(crate) documents: Documents,
    pub(crate) output: PathBuf,
    pub(crate) recipe: String,
    pub(crate) on_unreadable: OnUnreadable,
    pub(crate) existing: lookalike::engine::Existing,
    pub(crate) progress: ProgressForm,
}

/// What to do with a file or record that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum OnUnreadable {
    Skip,
    Stop,
}

impl RawSketch {
    pub(crate) fn check(self) -> Sketch {
        use lookalike::engine::Existing;
        let Self { inputs, output, recipe, strict, force, progress, documents } = self;
        let documents = documents.check();
        let on_unreadable = if strict { OnUnreadable::Stop } else { OnUnreadable::Skip };
        let existing = if force { Existing::Replace } else { Existing::Refuse };
        Sketch { inputs, documents, output, recipe, on_unreadable, existing, progress }
    }
}
