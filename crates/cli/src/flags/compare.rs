//! `lookalike compare`.

use std::path::PathBuf;

use anyhow::{bail, ensure};
use clap::{Args, ValueEnum, ValueHint};

use super::documents::Documents;

/// Compare two documents: how much they have in common, and what differs
#[derive(Args)]
#[command(after_long_help = "\
A dash stands for a value that the recipe does not have; `henzinger-combined` has the most.

With --learned the documents are compared without the template of their site, as `dedup --recipe
sites` compares them: by the templates of such a run, which are in `documents.templates` of its
folder. Where it learned more than one, --group says which: a site, a page of it, or a value of the
field that groups went by. A difference then shows template in grey, and leaves out what differs in it.

With --of, A and B are ids of records, and each has the template of the site of its own URL.

Examples:
  lookalike compare a.txt b.txt
  lookalike compare a.txt b.txt --diff all | less
  lookalike compare a.txt b.txt --recipe henzinger-combined --json
  lookalike compare a.html b.html --learned out --group example.org
  lookalike compare 1017 2044 --of pages.jsonl.zst --recipe pages
  curl -s https://example.org/terms.txt | lookalike compare terms.txt -")]
pub(crate) struct Compare {
    /// A text file or a web page, or - for standard input; with --of an id
    #[arg(value_name = "A", value_hint = ValueHint::FilePath)]
    pub(crate) a: String,
    /// Another one
    #[arg(value_name = "B", value_hint = ValueHint::FilePath)]
    pub(crate) b: String,
    /// Where the documents are, if A and B are ids: files, folders or globs, or - for standard input
    #[arg(long, value_name = "INPUT", value_hint = ValueHint::AnyPath)]
    pub(crate) of: Vec<String>,
    /// A preset or a TOML file (see `lookalike recipe`) [default: text, sets with --set-field, or that of
    /// --learned]
    #[arg(long, value_name = "NAME|FILE")]
    pub(crate) recipe: Option<String>,
    /// Words in a shingle, the n of n-grams [default: the recipe's; 5 in `text`]
    #[arg(long, value_name = "N", conflicts_with = "learned")]
    pub(crate) ngram: Option<usize>,
    /// Leave out the templates that a run has learned: its folder, or its file of templates
    #[arg(long, value_name = "RUN", value_hint = ValueHint::AnyPath)]
    pub(crate) learned: Option<PathBuf>,
    /// Whose template: a site, a URL of it, or a value of the field that groups go by
    #[arg(long, value_name = "NAME", requires = "learned")]
    pub(crate) group: Option<String>,
    /// Show what differs: auto (on a terminal), always, never, all (however long)
    #[arg(long, value_name = "WHEN", default_value = "auto", hide_possible_values = true)]
    pub(crate) diff: DiffForm,
    /// End with exit code 1 if the two are not a pair under the recipe
    #[arg(long)]
    pub(crate) exit_code: bool,
    /// Answer with a JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) documents: Documents,
}

/// When to show what differs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum DiffForm {
    /// On a terminal.
    Auto,
    /// Also elsewhere.
    Always,
    /// Not at all.
    Never,
    /// All of it, however long.
    All,
}

impl DiffForm {
    /// Whether it was asked for, whatever stdout is.
    pub(crate) fn is_asked_for(self) -> bool {
        matches!(self, Self::Always | Self::All)
    }

    /// Refuses a difference that was asked for, where there is none to show.
    pub(super) fn refuse(self, reason: &str) -> anyhow::Result<()> {
        let asked = match self {
            Self::Always => "always",
            Self::All => "all",
            Self::Auto | Self::Never => return Ok(()),
        };
        bail!("{reason}; leave out --diff {asked}")
    }
}

impl Compare {
    pub(super) fn check(&self) -> anyhow::Result<()> {
        let readable = self.a != "-" || self.b != "-" || !self.of.is_empty();
        ensure!(readable, "standard input can be only one of the two documents");
        ensure!(
            self.documents.set_field.is_none() || !self.of.is_empty(),
            "--set-field names a field of records, and A and B are files; --of INPUT has records, with A and B as \
             their ids"
        );
        if self.json { self.diff.refuse("--json shows no difference") } else { Ok(()) }
    }
}

/// What to type to compare two documents of these inputs, by a recipe or by what one has learned.
pub(crate) fn compare_command(
    inputs: &[String],
    reading: &Documents,
    by: (&'static str, String),
    ids: [&str; 2],
) -> String {
    let inputs = inputs.iter().map(|input| ("--of", input.clone()));
    let options = std::iter::once(by).chain(inputs);
    let options = options.chain(reading.typed());
    let options = options.flat_map(|(name, value)| [name.to_owned(), in_shell(&value)]);
    // After it, what begins with a dash is an id.
    let separator = ids.iter().any(|id| id.starts_with('-')).then(|| "--".to_owned());
    let words = ["lookalike", "compare"].map(str::to_owned).into_iter().chain(options);
    let words = words.chain(separator).chain(ids.map(in_shell));
    words.collect::<Vec<_>>().join(" ")
}

/// A word of a command line, in quotes where a shell would take it for something else.
fn in_shell(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "-_./:@%+=,".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        return word.to_owned();
    }
    format!("'{}'", word.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_shell_would_read_otherwise_is_in_quotes() {
        assert_eq!(in_shell("pages/a-1.html"), "pages/a-1.html");
        assert_eq!(in_shell(""), "''");
        assert_eq!(in_shell("it's $(here)"), r"'it'\''s $(here)'");
    }
}
