//! What can be said on the command line: the one definition from which parsing, help,
//! completions and man pages come.
//!
//! Clap fills the structs and knows what each value may be; `check` refuses what makes no
//! sense together. Nothing here touches a file.

mod access;
mod against;
mod collapse_links;
mod compare;
mod decide;
mod dedup;
mod documents;
mod eval;
mod index;
mod judging;
mod mirrors;
mod passages;
mod resources;
mod serve;
mod sketch;
mod tune;
mod value;
mod view;
mod why;
mod writing;

use std::ffi::OsString;
use std::io::{self, Write as _};
use std::path::PathBuf;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand, ValueHint};

use crate::env;
use crate::exit::{DONE, ERROR};

pub(crate) use access::Access;
pub(crate) use against::{Against, Containment};
pub(crate) use collapse_links::{CollapseLinks, NameKind};
pub(crate) use compare::{Compare, DiffForm, compare_command};
pub(crate) use decide::Decide;
pub(crate) use dedup::{Dedup, keep, unreadable};
pub(crate) use eval::{Eval, EvalAgreement, EvalCommand, EvalInputs};
pub(crate) use index::{Counting, Index, IndexCommand, Location, Reading, Upkeep};
pub(crate) use judging::Judging;
pub(crate) use mirrors::Mirrors;
pub(crate) use passages::Passages;
pub(crate) use resources::{BatchJob, ProgressForm};
pub(crate) use serve::Serve;
pub(crate) use sketch::Sketch;
pub(crate) use tune::{ListsRule, PlotFormat, Tune, TuneGoal, plot_format};
pub(crate) use view::View;
pub(crate) use why::Why;

/// The name of the command.
const PROGRAM: &str = "lookalike";

/// Finds documents that are roughly the same, and proves it.
#[derive(Parser)]
#[command(
    name = PROGRAM,
    version,
    about = "Finds documents that are roughly the same, and proves it",
    long_about = "Finds documents that are roughly the same, and proves it.\n\n\
        A document is the set of its shingles: runs of a few words (n-grams). The resemblance of \
        two documents is the share of their shingles that both have (their Jaccard similarity). \
        Candidates are found by MinHash with LSH, or by SimHash, and then compared word by word. A \
        recipe says what a word is, how long a shingle is, and how similar near-duplicates are.",
    after_help = "`lookalike COMMAND --help` explains a command, with examples.",
    after_long_help = env::HELP,
    max_term_width = 100
)]
pub(crate) struct Cli {
    #[command(subcommand)]
    pub(crate) command: Command,
    /// Say nothing but answers and errors
    #[arg(short, long, global = true)]
    pub(crate) quiet: bool,
}

#[derive(Subcommand)]
pub(crate) enum Command {
    Dedup(Box<Dedup>),
    Passages(Box<Passages>),
    Why(Why),
    View(View),
    Decide(Box<Decide>),
    Against(Box<Against>),
    Mirrors(Box<Mirrors>),
    CollapseLinks(Box<CollapseLinks>),
    Index(Box<Index>),
    Compare(Compare),
    Tune(Box<Tune>),
    Eval(Box<Eval>),
    Sketch(Sketch),
    Serve(Box<Serve>),
    /// Show what this program can do here, or what is in a run, a signature file or a recipe
    #[command(after_long_help = "\
Examples:
  lookalike info                     version, kernels, formats
  lookalike info out                 what a run of `dedup` said when it was done
  lookalike info letters.signatures  read the whole file, check it, say what is in it
  lookalike info my.toml             the recipe, completed, with its digests")]
    Info {
        /// The folder of a run, a signature file or a recipe
        #[arg(value_hint = ValueHint::FilePath)]
        file: Option<PathBuf>,
        /// Answer with a JSON object
        #[arg(long)]
        json: bool,
    },
    /// Print a recipe as TOML, to read or to edit, or list the presets
    #[command(after_long_help = "\
A digest identifies all parameters of a recipe but its name; signatures of two recipes can be
compared if their signing digests are equal (`lookalike info FILE` shows both).

Examples:
  lookalike recipe                   the presets
  lookalike recipe text > my.toml
  lookalike compare a.txt b.txt --recipe my.toml")]
    Recipe {
        /// A preset or a TOML file
        #[arg(value_name = "NAME|FILE", value_hint = ValueHint::FilePath)]
        name: Option<String>,
    },
    /// Print shell completions
    #[command(after_long_help = "\
Examples:
  lookalike completions bash > ~/.local/share/bash-completion/completions/lookalike
  lookalike completions zsh > ~/.zfunc/_lookalike
  lookalike completions fish > ~/.config/fish/completions/lookalike.fish")]
    Completions {
        /// The shell they are for
        shell: clap_complete::Shell,
    },
    /// Write the man pages into a folder
    #[command(after_long_help = "\
Example:
  lookalike man ~/.local/share/man/man1 && man lookalike-compare")]
    Man {
        /// The folder; made if it is missing
        #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
        folder: PathBuf,
    },
}

/// The definition, for completions and man pages.
pub(crate) fn definition() -> clap::Command {
    Cli::command()
}

/// What these arguments say. Help, versions and mistakes are answered here; what is left
/// is the code to exit with.
pub(crate) fn parse(arguments: Vec<OsString>) -> Result<Cli, u8> {
    // The name that usage lines have, whatever started the program.
    let line = std::iter::once(PROGRAM.into()).chain(arguments);
    let parsed = definition().try_get_matches_from(line).and_then(|matches| {
        let cli = Cli::from_arg_matches(&matches)?;
        cli.command.check().map_err(|mistake| told(&mistake, matches.subcommand_name()))?;
        Ok(cli)
    });
    parsed.map_err(|error| answer(&error))
}

impl Command {
    fn check(&self) -> anyhow::Result<()> {
        match self {
            Self::Dedup(dedup) => dedup.check(),
            Self::Passages(passages) => passages.job.resources.check(),
            Self::Why(why) => why.check(),
            Self::Decide(decide) => decide.resources.check(),
            Self::Against(against) => against.check(),
            Self::Mirrors(mirrors) => mirrors.check(),
            Self::CollapseLinks(links) => links.check(),
            Self::Compare(compare) => compare.check(),
            Self::Tune(tune) => tune.check(),
            Self::Eval(eval) => eval.check(),
            Self::Serve(serve) => serve.check(),
            _ => Ok(()),
        }
    }
}

/// A mistake that clap cannot know of, told as one that it found.
fn told(mistake: &anyhow::Error, command: Option<&str>) -> clap::Error {
    let mut cli = definition();
    // Builds the names in the usage line.
    cli.build();
    let command = command.and_then(|name| cli.find_subcommand_mut(name));
    let message = format!("{mistake:#}");
    match command {
        Some(command) => command.error(ErrorKind::ArgumentConflict, message),
        None => cli.error(ErrorKind::ArgumentConflict, message),
    }
}

/// Prints help where it was asked for, and mistakes the way all our errors look.
fn answer(error: &clap::Error) -> u8 {
    let asked = matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion);
    if asked || error.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand {
        let _ = error.print();
    } else {
        let text = error.render().to_string();
        let text = text.strip_prefix("error: ").unwrap_or(&text);
        let text = match field_word(error) {
            // In place of what the letters of the flag remind clap of.
            Some(tip) => format!("{}\nhint: {tip}\n", text.lines().next().unwrap_or_default()),
            None => text.to_owned(),
        };
        let _ = write!(io::stderr().lock(), "lookalike: {text}");
    }
    if asked { DONE } else { ERROR }
}

/// What a flag of another tool is called here, if it was one that nobody knows.
fn field_word(error: &clap::Error) -> Option<&'static str> {
    let Some(ContextValue::String(given)) = error.get(ContextKind::InvalidArg) else { return None };
    if error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    let name = given.trim_start_matches('-').replace('_', "-");
    Some(match &*name {
        "num-perm" | "num-perms" | "permutations" | "num-hashes" => {
            "--threshold and --recall choose how many permutations there are; a recipe file may say \
             it, with [features] k and s: k * s permutations"
        }
        "bands" | "rows" | "num-bands" | "num-buckets" | "hashes-per-bucket" | "b" | "r" => {
            "k bands of s rows are [features] k and s, with r = 1, in a recipe file; --threshold and \
             --recall choose them"
        }
        "shingle-size" | "ngram-size" | "ngrams" | "n-gram" | "n-grams" | "char-ngrams"
        | "width" => {
            "the words in a shingle are --ngram N; for characters, tokens = \"characters\" in a \
             recipe file"
        }
        "jaccard" | "similarity" | "similarity-threshold" | "jaccard-threshold" => {
            "the least Jaccard similarity of two look-alikes is --threshold"
        }
        "column" | "text-column" | "field" => "the field of the texts is --text-field",
        "output" | "output-dir" | "o" => "the folder of the results is --out",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn definition_is_consistent() {
        definition().debug_assert();
    }
}
