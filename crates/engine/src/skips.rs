//! What was passed over: all of it counted, the first of it kept for the report.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorKind, Result};
use crate::observe::Observer;

/// How many messages are kept.
const EXAMPLES: usize = 100;

/// Records and files that were passed over.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Skips {
    /// How many.
    pub(crate) count: u64,
    /// How many by what was wrong with them.
    pub(crate) kinds: BTreeMap<String, u64>,
    /// The first messages.
    pub(crate) examples: Vec<String>,
}

impl Skips {
    /// Passes over what the bytes of an input make unreadable, and counts it.
    ///
    /// # Errors
    /// The fault, if the job is strict; and whatever the system refused, for that says nothing of
    /// the input, and may be mended.
    pub(crate) fn skip(
        &mut self,
        fault: Error,
        strict: bool,
        observer: &dyn Observer,
    ) -> Result<()> {
        if strict || fault.is_io() {
            return Err(fault);
        }
        observer.skipped(&fault);
        self.add(&fault);
        Ok(())
    }

    pub(crate) fn add(&mut self, fault: &Error) {
        self.count += 1;
        *self.kinds.entry(fault_name(fault).to_owned()).or_default() += 1;
        if self.examples.len() < EXAMPLES {
            self.examples.push(fault.to_string());
        }
    }

    pub(crate) fn merge(&mut self, other: Self) {
        self.count += other.count;
        for (kind, count) in other.kinds {
            *self.kinds.entry(kind).or_default() += count;
        }
        self.examples.extend(other.examples);
        self.examples.truncate(EXAMPLES);
    }
}

/// What is wrong, in a few words.
fn fault_name(fault: &Error) -> &'static str {
    match fault.kind() {
        ErrorKind::Input(fault) => fault.name(),
        ErrorKind::Record { fault, .. } => fault_name(fault),
        ErrorKind::Label { fault, .. } => fault.name(),
        ErrorKind::IdTooLong { .. } => "id longer than the limit",
        _ => "other",
    }
}
