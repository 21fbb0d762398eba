//! Input that was passed over: all of it counted, the first of it named.

use std::fmt::Display;

/// How many are named: enough to see what is wrong, too few to bury what else is said.
const NAMED: u64 = 10;

/// What has been skipped so far.
#[derive(Default)]
pub(crate) struct SkipCount(u64);

impl SkipCount {
    /// Counts a fault, and names it through `say` if it is one of the first.
    pub(crate) fn add(&mut self, error: &impl Display, say: impl Fn(&str)) {
        self.0 += 1;
        if self.0 <= NAMED {
            say(&format!("skipped: {error}"));
        } else if self.0 == NAMED + 1 {
            say(
                "skipped: more like these, from here on only counted (--strict stops at the first)",
            );
        }
    }

    /// How many.
    pub(crate) fn count(&self) -> u64 {
        self.0
    }
}
