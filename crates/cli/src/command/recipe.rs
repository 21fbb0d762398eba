//! `lookalike recipe`: a recipe as TOML.

use crate::exit::Outcome;
use crate::{output, recipe};

pub(crate) fn run(name: &str) -> anyhow::Result<Outcome> {
    output::write(&recipe::load(name)?.to_toml())?;
    Ok(Outcome::Done)
}
