//! Documents that are sets of items, and the recipes that go with them.

use lookalike_core::Recipe;
use lookalike_corpus::Fields;

use crate::error::{Error, ErrorKind, Result};

/// Fails if documents are read as sets and the recipe is of texts, or the other way round.
///
/// # Errors
/// If they do not go together, with what to say instead.
pub fn check_sets(recipe: &Recipe, fields: &Fields) -> Result<()> {
    let name = &recipe.name;
    match (recipe.is_of_sets(), &fields.set) {
        (true, None) => refused(format!(
            "the recipe `{name}` is of sets of items, and no field is named that has them\n\
             hint: `--set-field FIELD` names it: the field with a list of strings or numbers"
        )),
        (false, Some(set)) => refused(format!(
            "`{set}` is read as a set of items, and the recipe `{name}` is of texts\n\
             hint: `--recipe sets` compares sets"
        )),
        _ => Ok(()),
    }
}

/// Fails if documents are sets, or the recipe is of sets, where `what` is done that takes texts.
///
/// # Errors
/// If it cannot be done with sets.
pub fn check_texts(what: &str, recipe: &Recipe, fields: &Fields) -> Result<()> {
    if recipe.is_of_sets() || fields.set.is_some() {
        return refused(format!(
            "{what} goes by words and their order, which a set of items has not\n\
             hint: sets are for `dedup`, `compare`, `why`, `sketch`, `mirrors` and `index`"
        ));
    }
    Ok(())
}

fn refused<T>(reason: String) -> Result<T> {
    Err(Error::from(ErrorKind::Sets(reason)))
}
