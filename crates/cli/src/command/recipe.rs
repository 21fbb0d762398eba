//! `lookalike recipe`: a recipe as TOML.

use lookalike_core::Recipe;
use lookalike_core::recipe::{Candidates, MAX_SUPER_FEATURES, PRESET_SUMMARIES, Verify};

use crate::exit::Outcome;
use crate::output::{self, Align, Table};
use crate::recipe;

pub(crate) fn run(name: Option<&str>) -> anyhow::Result<Outcome> {
    let Some(name) = name else {
        output::write(presets())?;
        return Ok(Outcome::Done);
    };
    let recipe = recipe::load(name)?;
    output::write(format!("{}{}{}", warning(recipe.verify), counting(&recipe), recipe.to_toml()))?;
    Ok(Outcome::Done)
}

/// How candidates are found, where documents are not grouped by what is enough to be one.
fn counting(recipe: &Recipe) -> String {
    if recipe.candidates == Candidates::Sketch {
        return "# Elements of sketches in common are counted for each two documents that share one (phase 3).\n"
            .to_owned();
    }
    let Some((filter, r)) = recipe.features.zip(recipe.features_in_common()) else {
        return String::new();
    };
    let (k, most) = (filter.k(), MAX_SUPER_FEATURES);
    format!(
        "# C({k}, {r}) is more than {most}: features in common are counted for each two documents that share\n\
         # one (phase 3), and a document is not written once for each choice of {r}.\n"
    )
}

/// The presets, each with what it is.
fn presets() -> String {
    let mut table = Table::new(&[Align::Left, Align::Left]);
    for (name, what) in PRESET_SUMMARIES {
        table.row([name, what]);
    }
    table.text()
}

/// What whoever takes the recipe should know of it, as comments.
fn warning(verify: Verify) -> &'static str {
    match verify {
        Verify::Exact | Verify::Difference => "",
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
