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
use crate::flags::{Index as Arguments, IndexWanted};
use crate::{learned, recipe};

pub(crate) fn run(arguments: &Arguments, kernel: Kernel) -> anyhow::Result<Outcome> {
    match &arguments.wanted {
        IndexWanted::Create { judging, store_text, learned } => {
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
        IndexWanted::Add { inputs, reading } => {
            add::run(&open(arguments, kernel)?, inputs, reading)
        }
        IndexWanted::Check { inputs, reading, json } => {
            check::run(&open(arguments, kernel)?, inputs, reading, *json)
        }
        IndexWanted::Filter { inputs, reading, out } => {
            filter::run(&open(arguments, kernel)?, inputs, reading, out.as_deref())
        }
        IndexWanted::Remove { ids, file } => {
            upkeep::remove(&open(arguments, kernel)?, ids, file.as_deref())
        }
        IndexWanted::Get { id, content: true, .. } => {
            upkeep::content(&open(arguments, kernel)?, id)
        }
        IndexWanted::Get { id, json, .. } => upkeep::get(&open(arguments, kernel)?, id, *json),
        IndexWanted::Stats { json } => upkeep::stats(&open(arguments, kernel)?, *json),
        IndexWanted::Verify { json } => upkeep::verify(&open(arguments, kernel)?, *json),
        IndexWanted::Compact { json } => upkeep::compact(|| open(arguments, kernel), *json),
        IndexWanted::Rebuild { json } => {
            let options = options(arguments, kernel)?.rebuild(true);
            upkeep::rebuilt(&Index::open(&arguments.folder, &options)?, *json)
        }
        IndexWanted::Snapshot { to } => {
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
