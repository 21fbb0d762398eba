//! `lookalike index`: documents that are known, and whether a new one is like one of them.

mod add;
mod check;
mod documents;
mod filter;
mod upkeep;

use std::io;
use std::path::Path;

use lookalike::index::{CreateOptions, Index, OpenOptions, Secret};
use lookalike::{Kernel, Recipe};

use crate::exit::{Outcome, say};
use crate::flags::{Index as Arguments, IndexCommand};
use crate::{learned, recipe};

pub(crate) fn run(arguments: &Arguments, kernel: Kernel) -> anyhow::Result<Outcome> {
    match &arguments.wanted {
        IndexCommand::Create { judging, store_text, learned } => {
            let recipe = recipe::judging(judging)?;
            let mut options = CreateOptions::new().store_text(*store_text);
            options = options.open(OpenOptions::new().kernel(kernel));
            if let Some(secret) = secret(arguments)? {
                options = options.secret(secret);
            }
            match learned {
                None => Index::create(&arguments.folder, &recipe, &options)?,
                Some(learned) => create_with_templates(arguments, &recipe, &options, learned)?,
            };
            say(&format!("`{}`: an index of recipe `{}`", arguments.folder.display(), recipe.name));
            Ok(Outcome::Done)
        }
        IndexCommand::Add { inputs, reading } => {
            add::run(&open(arguments, kernel)?, inputs, reading)
        }
        IndexCommand::Check { inputs, reading, json } => {
            check::run(&open(arguments, kernel)?, inputs, reading, *json)
        }
        IndexCommand::Filter { inputs, reading, out } => {
            filter::run(&open(arguments, kernel)?, inputs, reading, out.as_deref())
        }
        IndexCommand::Remove { ids, file } => {
            upkeep::remove(&open(arguments, kernel)?, ids, file.as_deref())
        }
        IndexCommand::Get { id, content: true, .. } => {
            upkeep::content(&open(arguments, kernel)?, id)
        }
        IndexCommand::Get { id, json, .. } => upkeep::get(&open(arguments, kernel)?, id, *json),
        IndexCommand::Stats { json } => upkeep::stats(&open(arguments, kernel)?, *json),
        IndexCommand::Verify { json } => upkeep::verify(&open(arguments, kernel)?, *json),
        IndexCommand::Compact { json } => upkeep::compact(|| open(arguments, kernel), *json),
        IndexCommand::Rebuild { json } => {
            let options = options(arguments, kernel)?.rebuild(true);
            upkeep::rebuilt(&Index::open(&arguments.folder, &options)?, *json)
        }
        IndexCommand::Snapshot { to } => {
            open(arguments, kernel)?.snapshot(to)?;
            say(&format!("`{}`: a copy of `{}`", to.display(), arguments.folder.display()));
            Ok(Outcome::Done)
        }
    }
}

/// Makes an index with the templates that a run has learned.
fn create_with_templates(
    arguments: &Arguments,
    recipe: &Recipe,
    options: &CreateOptions,
    learned: &Path,
) -> anyhow::Result<Index> {
    let file = learned::templates(learned, recipe)?;
    let templates = file.groups().map(|group| group.map_err(io::Error::other));
    Ok(Index::create_with_templates(&arguments.folder, recipe, options, templates)?)
}

fn open(arguments: &Arguments, kernel: Kernel) -> anyhow::Result<Index> {
    Ok(Index::open(&arguments.folder, &options(arguments, kernel)?)?)
}

fn options(arguments: &Arguments, kernel: Kernel) -> anyhow::Result<OpenOptions> {
    let options = OpenOptions::new().kernel(kernel);
    Ok(match secret(arguments)? {
        Some(secret) => options.secret(secret),
        None => options,
    })
}

fn secret(arguments: &Arguments) -> anyhow::Result<Option<Secret>> {
    Ok(arguments.secret.as_deref().map(Secret::from_file).transpose()?)
}
