//! `lookalike completions`: what a shell needs to complete our flags.

use clap_complete::Shell;

use crate::exit::Outcome;
use crate::{flags, output};

pub(crate) fn run(shell: Shell) -> anyhow::Result<Outcome> {
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut flags::definition(), "lookalike", &mut script);
    output::write(script).map(|()| Outcome::Done)
}
