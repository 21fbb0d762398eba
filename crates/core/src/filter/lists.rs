//! Pugh's lists: how many edits do two documents survive?
//!
//! Words are dealt to L lists by a hash and each list is fingerprinted. An edit
//! (all occurrences of one word removed, or any number added) changes one list
//! at random. Two documents are similar while at least one list is untouched;
//! to be stricter, the deal is repeated and several repeats must agree.
//!
//! The textbook sum, by inclusion and exclusion, alternates: at L = 64 its
//! terms reach 10^18 where the result is 1. So it is used only for so many
//! edits that its first term is below 1/16 and no digit can cancel. Below that
//! the number of touched lists is followed edit by edit, with positive terms
//! only. Cost: at most about L^2 (ln L + 3) multiplications.

use super::binomial::{self, Chance};
use super::{Error, MAX_LISTS};

/// The probability that after `edits` random edits at least one of `lists`
/// lists is untouched.
///
/// Accurate relative to its size, however small.
///
/// # Errors
///
/// If `lists` is 0 or above [`MAX_LISTS`].
pub fn lists_share(lists: u32, edits: u64) -> Result<f64, Error> {
    share(lists, edits).map(|chance| chance.q)
}

/// The probability that at least `agree` of `repeats` independent deals into
/// `lists` lists still share a list after `edits` random edits.
///
/// 1 for `agree = 0`; 0 for `agree > repeats`.
///
/// # Errors
///
/// If `lists` is 0 or above [`MAX_LISTS`].
pub fn lists_accept(lists: u32, repeats: u32, agree: u32, edits: u64) -> Result<f64, Error> {
    Ok(binomial::at_least(repeats, agree, share(lists, edits)?))
}

/// The probability that a list is shared, and that none is.
fn share(lists: u32, edits: u64) -> Result<Chance, Error> {
    if !(1..=MAX_LISTS).contains(&lists) {
        return Err(Error::Lists(lists));
    }
    let count = f64::from(lists);
    if edits < u64::from(lists) {
        return Ok(Chance::of_sides(1.0, 0.0));
    }
    // From here on L (1 - 1/L)^e <= e^-3.
    let many = (count * (count.ln() + 3.0)).ceil() as u64;
    Ok(if edits >= many { by_exclusion(lists, edits) } else { by_counting(lists, edits) })
}

/// Inclusion and exclusion: sum over j of (-1)^(j+1) C(L, j) (1 - j/L)^e.
fn by_exclusion(lists: u32, edits: u64) -> Chance {
    let count = f64::from(lists);
    let mut choices = 1.0;
    let mut sum = 0.0;
    for j in 1..lists {
        choices *= f64::from(lists - j + 1) / f64::from(j);
        let term = choices * (edits as f64 * (-f64::from(j) / count).ln_1p()).exp();
        sum += if j % 2 == 1 { term } else { -term };
        if term <= sum * f64::EPSILON / 16.0 {
            break;
        }
    }
    Chance::of_sides(sum, 1.0 - sum)
}

/// The distribution of the number of touched lists, edit by edit.
fn by_counting(lists: u32, edits: u64) -> Chance {
    let count = f64::from(lists);
    // touched[j]: the probability that exactly j lists are touched.
    let mut touched = vec![0.0; lists as usize + 1];
    touched[0] = 1.0;
    for _ in 0..edits {
        for j in (1..=lists as usize).rev() {
            let again = touched[j] * (j as f64 / count);
            let fresh = touched[j - 1] * ((lists as usize - j + 1) as f64 / count);
            touched[j] = again + fresh;
        }
        touched[0] = 0.0;
    }
    let none = touched[lists as usize];
    let some: f64 = touched[..lists as usize].iter().sum();
    Chance::of_sides(some, none)
}
