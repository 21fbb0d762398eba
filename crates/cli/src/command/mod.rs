//! The commands, one module each.

mod against;
mod collapse_links;
mod compare;
mod completions;
mod cuts;
mod decide;
mod dedup;
mod difference;
mod eval;
mod index;
mod info;
mod lists;
mod man;
mod mirrors;
mod passages;
mod place;
mod recipe;
mod sample;
mod serve;
mod sketch;
mod tune;
mod verdict;
mod view;
mod why;

use anyhow::Context as _;

use crate::env;
use crate::exit::Outcome;
use crate::flags::Command;

/// Does what was asked for.
pub(crate) fn run(command: &Command) -> anyhow::Result<Outcome> {
    // Before anything else, so that a wrong name is never silently without effect.
    let kernel = || env::kernel().with_context(|| env::KERNEL);
    match command {
        Command::Dedup(arguments) => dedup::run(arguments, kernel()?),
        Command::Passages(arguments) => passages::run(arguments, kernel()?),
        Command::Decide(arguments) => decide::run(arguments, kernel()?),
        Command::Why(arguments) => kernel().and_then(|_| why::run(arguments)),
        Command::View(arguments) => kernel().and_then(|_| view::run(arguments)),
        Command::Against(arguments) => against::run(arguments, kernel()?),
        Command::Mirrors(arguments) => mirrors::run(arguments, kernel()?),
        Command::CollapseLinks(arguments) => collapse_links::run(arguments, kernel()?),
        Command::Index(arguments) => index::run(arguments, kernel()?),
        Command::Compare(arguments) => compare::run(arguments, kernel()?),
        Command::Tune(arguments) => tune::run(arguments, kernel()?),
        Command::Eval(arguments) => eval::run(arguments, kernel()?),
        Command::Sketch(arguments) => sketch::run(arguments, kernel()?),
        Command::Serve(arguments) => serve::run(arguments, kernel()?),
        Command::Info { file: Some(file), json } => info::file(file, *json),
        Command::Info { file: None, json } => info::program(kernel()?, *json),
        Command::Recipe { name } => recipe::run(name.as_deref()),
        Command::Completions { shell } => completions::run(*shell),
        Command::Man { folder } => man::run(folder),
    }
}
