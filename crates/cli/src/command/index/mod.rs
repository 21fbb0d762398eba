//! `lookalike index`: documents that are known, and whether a new one is like one of them.

mod add;
mod check;
mod documents;
mod export;
mod filter;
mod upkeep;

use std::io;
use std::path::Path;

use lookalike_core::{Given as _, Kernel, Recipe};
use lookalike_index::{CreateOptions, Index, OpenOptions, Secret};

use crate::exit::{Outcome, say};
use crate::flags::{Index as Arguments, IndexCommand, Location, Upkeep};
use crate::{learned, recipe};

pub(crate) fn run(arguments: &Arguments, kernel: Kernel) -> anyhow::Result<Outcome> {
    let options = |at: &Location| open_options(at.secret_seed.as_deref(), kernel);
    let open = |at: &Location| anyhow::Ok(Index::open(&at.folder, &options(at)?)?);
    match &arguments.command {
        IndexCommand::Create { location, no_text, learned, judging } => {
            let recipe = recipe::judging(judging, "text")?;
            let options = CreateOptions::new()
                .when(*no_text, CreateOptions::without_text)
                .open(options(location)?);
            create(&location.folder, &recipe, &options, learned.as_deref())
        }
        IndexCommand::Add { location, inputs, counting, reading } => {
            add::run(&open(location)?, inputs, reading, counting)
        }
        IndexCommand::Check { location, inputs, threshold, json, reading } => {
            check::run(&open(location)?, inputs, reading, *threshold, *json)
        }
        IndexCommand::Filter { location, inputs, out, counting, reading } => {
            filter::run(&open(location)?, inputs, reading, counting, out.as_deref())
        }
        IndexCommand::Export { location, out } => export::run(&open(location)?, out),
        IndexCommand::Remove { location, id, url, ids } => {
            upkeep::remove(&open(location)?, id, url, ids.as_deref())
        }
        IndexCommand::Get { location, id, content: true, .. } => {
            upkeep::content(&open(location)?, id)
        }
        IndexCommand::Get { location, id, json, .. } => upkeep::get(&open(location)?, id, *json),
        IndexCommand::Stats(Upkeep { location, json }) => upkeep::stats(&open(location)?, *json),
        IndexCommand::Verify(Upkeep { location, json }) => upkeep::verify(&open(location)?, *json),
        IndexCommand::Compact(Upkeep { location, json }) => {
            upkeep::compact(|| open(location), *json)
        }
        IndexCommand::Rebuild(Upkeep { location, json }) => {
            let options = options(location)?.rebuild();
            upkeep::rebuilt(&Index::open(&location.folder, &options)?, *json)
        }
        IndexCommand::Snapshot { location, to } => {
            open(location)?.snapshot(to)?;
            say(&format!("`{}`: a copy of `{}`", to.display(), location.folder.display()));
            Ok(Outcome::Done)
        }
    }
}

/// Makes an index, perhaps with the templates that a run has learned.
fn create(
    folder: &Path,
    recipe: &Recipe,
    options: &CreateOptions,
    learned: Option<&Path>,
) -> anyhow::Result<Outcome> {
    match learned {
        None => Index::create(folder, recipe, options)?,
        Some(learned) => {
            let file = learned::templates(learned, recipe)?;
            let templates = file.groups().map(|group| group.map_err(io::Error::other));
            Index::create_with_templates(folder, recipe, options, templates)?
        }
    };
    say(&format!("`{}`: an index of recipe `{}`", folder.display(), recipe.name));
    Ok(Outcome::Done)
}

/// How an index is opened whose secret, if it has one, is in this file.
pub(super) fn open_options(secret: Option<&Path>, kernel: Kernel) -> anyhow::Result<OpenOptions> {
    let options = OpenOptions::new().kernel(kernel);
    Ok(match secret {
        Some(file) => options.secret(Secret::from_file(file)?),
        None => options,
    })
}
