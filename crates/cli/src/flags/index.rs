//! `lookalike index` and its commands.

use std::path::PathBuf;

use clap::{Args, Subcommand, ValueHint};

use super::documents::Documents;
use super::judging::Judging;
use super::resources::Progress;
use super::value::positive_share;

/// Keep an index of documents, and ask it whether a new one is known already
#[derive(Args)]
#[command(after_long_help = "\
An index is a folder. It remembers of each document a signature of about 120 bytes and, unless told
otherwise, the document itself, compressed, so that every answer is verified. What a command has
said is done is on disk. One process at a time has an index open; `lookalike serve` lets others ask.

Examples:
  lookalike index create pages
  lookalike index add pages crawl/*.jsonl.zst
  lookalike index check pages new.html
  lookalike index filter pages today.jsonl.zst --out new
  lookalike index stats pages")]
pub(crate) struct Index {
    #[command(subcommand)]
    pub(crate) command: IndexCommand,
}

#[derive(Subcommand)]
pub(crate) enum IndexCommand {
    /// Make an index in a new folder
    #[command(after_long_help = "\
The recipe says when two documents are look-alikes, and stays with the index.

Anyone who knows the seed of a recipe can make a page that looks like another one to the index, or a
copy that does not. --secret-seed draws all random choices from a file of yours instead, at least 16
bytes: the same file must be given whenever the index is opened, and is not stored.

A recipe that compares pages without the templates of their sites needs templates that were learned:
--learned takes them from a run of `lookalike dedup` by the same recipe.

Examples:
  lookalike index create pages
  lookalike index create pages --recipe sites --learned out
  lookalike index create pages --threshold 0.9 --no-text
  head -c 32 /dev/urandom > secret && lookalike index create pages --secret-seed secret")]
    Create {
        #[command(flatten)]
        location: Location,
        /// Do not store documents, only signatures: small, but nothing is verified exactly
        #[arg(long)]
        no_text: bool,
        /// The run whose templates of sites are left out, or its file `documents.templates`
        #[arg(long, value_name = "RUN", value_hint = ValueHint::AnyPath)]
        learned: Option<PathBuf>,
        #[command(flatten)]
        judging: Judging,
    },
    /// Add documents, whether they are known or not
    #[command(after_long_help = "\
An INPUT may also be a signature file (`lookalike sketch`), or the folder of a finished run of
`lookalike dedup`, of which the documents that stayed are added. A document with the id of another
one takes its place.

Examples:
  lookalike index add pages crawl/
  lookalike index add pages out             after `lookalike dedup crawl/ --out out`
  lookalike index add signatures crawl.signatures")]
    Add {
        #[command(flatten)]
        location: Location,
        /// Files, folders, globs, - for standard input, signature files, or finished runs
        #[arg(value_name = "INPUT", required = true, value_hint = ValueHint::AnyPath)]
        inputs: Vec<String>,
        #[command(flatten)]
        counting: Counting,
        #[command(flatten)]
        reading: Reading,
    },
    /// Ask which documents are look-alikes of known ones
    #[command(after_long_help = "\
Each look-alike is a line: its kind (exact: the same words; near), the resemblance (~ before an
estimate), the id of the document, and the id of the known one. The best come first. With --json there
is an object for each document, also for those that are new.

Exit codes: 0 something was found; 1 nothing was found; 3 some input was skipped.

Examples:
  lookalike index check pages new.html
  lookalike index check pages today.jsonl --json
  lookalike index check pages new.html --threshold 0.95
  pandoc -t plain book.epub | lookalike index check books -")]
    Check {
        #[command(flatten)]
        location: Location,
        /// Files, folders, globs, or - for standard input
        #[arg(value_name = "INPUT", required = true, value_hint = ValueHint::AnyPath)]
        inputs: Vec<String>,
        /// The least resemblance of a look-alike [default: that of the index]
        ///
        /// The index was made to find look-alikes at its own threshold. Below it, it finds fewer of
        /// them, and says which share.
        #[arg(long, value_name = "T", value_parser = positive_share)]
        threshold: Option<f64>,
        /// Answer with JSON lines
        #[arg(long)]
        json: bool,
        #[command(flatten)]
        reading: Reading,
    },
    /// Pass on the documents that are new, and add them
    #[command(after_long_help = "\
Documents come in the order of the paths of their files, as in `lookalike dedup`: with an empty index
of the same recipe, the same documents pass that `dedup --keep first` keeps. The others are counted
for those that stand for them, each id once: `index get` and `index export` say how often a document was
found.

Without --out the new documents go to standard output as JSON lines: a JSON record as it stands,
another document as an object with its id, url, and text or html.

A document is added before it is passed on. If the program is killed in between, some of the last
thousand may be known but not passed on; Ctrl-C waits for the end of the batch.

Examples:
  lookalike index filter pages today.jsonl.zst --out new
  lookalike index filter pages today.jsonl > new.jsonl")]
    Filter {
        #[command(flatten)]
        location: Location,
        /// Files, folders, globs, or - for standard input
        #[arg(value_name = "INPUT", required = true, value_hint = ValueHint::AnyPath)]
        inputs: Vec<String>,
        /// Write the new documents into this folder, each file in its own format
        #[arg(short, long, value_name = "DIR", value_hint = ValueHint::DirPath)]
        out: Option<PathBuf>,
        #[command(flatten)]
        counting: Counting,
        #[command(flatten)]
        reading: Reading,
    },
    /// Write all documents with how often they were found
    #[command(after_long_help = "\
A table of the id, the URL, the length, the time of adding, and the counts: copies (documents that it
stands for, itself included), exact_copies, sources, first and last (dates), and at_least, which says
that there may have been more before the index counted. FILE is Parquet if its name ends in .parquet, and
JSON lines otherwise; - is standard output.

Examples:
  lookalike index export pages --out pages.parquet
  lookalike index export pages --out - | jq 'select(.copies > 100)'")]
    Export {
        #[command(flatten)]
        location: Location,
        /// The file to write, or - for standard output
        #[arg(short, long, value_name = "FILE", value_hint = ValueHint::FilePath)]
        out: PathBuf,
    },
    /// Remove documents
    #[command(after_long_help = "\
Exit codes: 0 all were removed; 1 some were not there.

Examples:
  lookalike index remove pages old.html
  lookalike index remove pages --url https://example.org/old.html
  lookalike index remove pages --ids gone.txt")]
    Remove {
        #[command(flatten)]
        location: Location,
        /// The ids
        #[arg(value_name = "ID", required_unless_present_any = ["ids", "url"])]
        id: Vec<String>,
        /// All documents of this URL; may be given more than once
        #[arg(long, value_name = "URL", value_hint = ValueHint::Url)]
        url: Vec<String>,
        /// A file with an id on each line, or - for standard input
        #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
        ids: Option<String>,
    },
    /// Show what is known of a document
    #[command(after_long_help = "\
If no document has this id, the first that was added with this URL is shown, and others are named.

Exit codes: 0 it is there; 1 it is not.

Examples:
  lookalike index get pages https://example.org/
  lookalike index get pages https://example.org/ --content > page.html")]
    Get {
        #[command(flatten)]
        location: Location,
        /// The id of the document, or its URL
        #[arg(value_name = "ID")]
        id: String,
        /// Print the stored document as it was added
        #[arg(long, conflicts_with = "json")]
        content: bool,
        /// Answer with a JSON object
        #[arg(long)]
        json: bool,
    },
    /// Say what is in an index
    Stats(Upkeep),
    /// Read everything and look for damage
    Verify(Upkeep),
    /// Free the space of removed documents
    Compact(Upkeep),
    /// Rebuild a damaged index from the documents that can still be read
    #[command(after_long_help = "\
Builds a new index beside the old one, from every document whose record and content have their
checksums, and puts it in its place when it is complete: it takes as much room again. Documents that
are damaged are left out and named, and then the old files are kept in the folder `replaced-1`. Ends
with code 3 if something that was acknowledged is gone.")]
    Rebuild(Upkeep),
    /// Copy the index as it is to a new folder
    Snapshot {
        #[command(flatten)]
        location: Location,
        /// The folder of the copy; must not be there
        #[arg(value_name = "TO", value_hint = ValueHint::DirPath)]
        to: PathBuf,
    },
}

#[derive(Args)]
pub(crate) struct Location {
    /// The folder of the index
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) folder: PathBuf,
    /// A file with the secret that the index was made with
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) secret_seed: Option<PathBuf>,
}

#[derive(Args)]
pub(crate) struct Reading {
    /// Stop at the first file or record that cannot be read
    #[arg(long, help_heading = "Running")]
    pub(crate) strict: bool,
    #[command(flatten)]
    pub(crate) progress: Progress,
    #[command(flatten)]
    pub(crate) documents: Documents,
}

#[derive(Args, Default)]
pub(crate) struct Counting {
    /// The field whose distinct values are the sources that a document came from [default: its site, or
    /// its file where it has none]
    #[arg(long, value_name = "FIELD", help_heading = "Counting")]
    pub(crate) count: Option<String>,
    /// The field with the date of a document, of which the first and the last are told [default: when
    /// it was seen]
    #[arg(long, value_name = "FIELD", help_heading = "Counting")]
    pub(crate) date_field: Option<String>,
}

#[derive(Args)]
pub(crate) struct Upkeep {
    #[command(flatten)]
    pub(crate) location: Location,
    /// Answer with a JSON object
    #[arg(long)]
    pub(crate) json: bool,
}
