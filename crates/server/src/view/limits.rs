//! How much the page may ask for at once.

use crate::problem::{Problem, Result};

/// The most clusters, or members of one, in an answer.
pub(super) const MAX_PAGE: u64 = 100;

/// Those in an answer where nobody says how many.
const PAGE: u64 = 30;

/// Characters of a document in a list.
pub(super) const BEGINNING: usize = 160;

pub(super) fn page_size(limit: Option<u64>) -> Result<u64> {
    match limit.unwrap_or(PAGE) {
        limit @ 1..=MAX_PAGE => Ok(limit),
        _ => Err(Problem::invalid(format!("`limit` is from 1 to {MAX_PAGE}"))),
    }
}

/// Numbers with commas between them.
pub(super) fn numbers(name: &str, list: &str) -> Result<Vec<u64>> {
    let wrong =
        || Problem::invalid(format!("`{name}` is a list of numbers with commas between them"));
    let numbers: Vec<u64> =
        list.split(',').map(|number| number.parse().map_err(|_| wrong())).collect::<Result<_>>()?;
    if numbers.len() as u64 > MAX_PAGE {
        return Err(Problem::invalid(format!("more than {MAX_PAGE} {name}")));
    }
    Ok(numbers)
}
