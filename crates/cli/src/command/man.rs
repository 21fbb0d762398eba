//! `lookalike man`: a man page for each command.

use std::fs;
use std::path::Path;

use anyhow::anyhow;

use crate::exit::{Outcome, say};
use crate::flags;

pub(crate) fn run(folder: &Path) -> anyhow::Result<Outcome> {
    let name = folder.display();
    fs::create_dir_all(folder).map_err(|error| anyhow!("`{name}`: cannot be created: {error}"))?;
    let mut definition = flags::definition().disable_help_subcommand(true);
    definition.build();
    clap_mangen::generate_to(definition, folder)
        .map_err(|error| anyhow!("`{name}`: cannot be written: {error}"))?;
    say(&format!("wrote the man pages into `{name}`; start with lookalike.1"));
    Ok(Outcome::Done)
}
