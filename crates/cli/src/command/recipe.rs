//! `lookalike recipe`: a recipe as TOML.

use lookalike::core::recipe::Verify;

use crate::exit::Outcome;
use crate::{output, recipe};

pub(crate) fn run(name: &str) -> anyhow::Result<Outcome> {
    let recipe = recipe::load(name)?;
    output::write(&format!("{}{}", warning(recipe.verify), recipe.to_toml()))?;
    Ok(Outcome::Done)
}

/// What whoever takes the recipe should know of it, as comments.
fn warning(verify: Verify) -> &'static str {
    match verify {
        Verify::Exact => "",
        Verify::Estimate => {
            "# Open to forgery: a text can be made on purpose whose sketch is that of another.\n\
             # verify.by = \"exact\" compares the documents themselves.\n"
        }
        Verify::None => {
            "# Open to forgery: a text can be made on purpose that shares all features and bits\n\
             # with another. verify.by = \"exact\" compares the documents themselves.\n"
        }
    }
}
