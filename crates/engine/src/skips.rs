//! What was passed over: all of it counted, the first of it kept for the report.

use std::borrow::Cow;
use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use crate::bad_records::BadRecords;
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
    /// How many have other fields than those that were named.
    #[serde(default)]
    pub(crate) other_fields: u64,
}

/// Records after which it is clear that the wrong field was named, if none has a text.
const ENOUGH: u64 = 1000;

impl Skips {
    /// Refuses to go on if so many records, or all, were passed over for having no text, and no
    /// document was found.
    pub(crate) fn check_texts(&self, documents: u64, is_all: bool) -> Result<()> {
        let all_other = documents == 0 && self.other_fields > 0 && self.other_fields == self.count;
        if !all_other || (self.count < ENOUGH && !is_all) {
            return Ok(());
        }
        let first = self.examples.first().cloned().unwrap_or_default();
        Err(ErrorKind::NoTexts { count: self.count, first }.into())
    }

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
        self.add_told(Self::tell(fault, strict, observer)?);
        Ok(())
    }

    /// The same without counting it.
    ///
    /// # Errors
    /// As [`skip`](Self::skip).
    pub(crate) fn tell(fault: Error, strict: bool, observer: &dyn Observer) -> Result<ToldFault> {
        if strict || fault.is_io() {
            return Err(fault);
        }
        observer.skipped(&fault);
        Ok(ToldFault::of(&fault))
    }

    /// Passes over the bad records of a piece.
    ///
    /// # Errors
    /// As for one.
    pub(crate) fn skip_records(
        &mut self,
        faults: Faults,
        strict: bool,
        observer: &dyn Observer,
    ) -> Result<()> {
        let Faults { first, rest, .. } = faults;
        first.into_iter().try_for_each(|fault| self.skip(fault, strict, observer))?;
        for fault in rest.told {
            self.add_told(fault);
        }
        for (kind, count) in rest.others {
            self.count(&kind, count);
        }
        self.other_fields += rest.other_fields;
        Ok(())
    }

    fn count(&mut self, kind: &str, count: u64) {
        self.count += count;
        match self.kinds.get_mut(kind) {
            Some(records) => *records += count,
            None => drop(self.kinds.insert(kind.to_owned(), count)),
        }
    }

    pub(crate) fn add(&mut self, fault: &Error) {
        self.add_told(ToldFault::of(fault));
    }

    /// Counts a fault that was told before.
    pub(crate) fn add_told(&mut self, fault: ToldFault) {
        let ToldFault { name, is_other_fields, message } = fault;
        self.count(&name, 1);
        self.other_fields += u64::from(is_other_fields);
        if self.examples.len() < EXAMPLES {
            self.examples.push(message);
        }
    }

    pub(crate) fn merge(&mut self, other: Self) {
        self.count += other.count;
        self.other_fields += other.other_fields;
        for (kind, count) in other.kinds {
            *self.kinds.entry(kind).or_default() += count;
        }
        self.examples.extend(other.examples);
        self.examples.truncate(EXAMPLES);
    }
}

/// What is known of a fault once it was told.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ToldFault {
    name: Cow<'static, str>,
    is_other_fields: bool,
    message: String,
}

impl ToldFault {
    pub(crate) fn of(fault: &Error) -> Self {
        let (name, message) = (Cow::Borrowed(fault_name(fault)), fault.to_string());
        Self { name, is_other_fields: is_other_fields(fault), message }
    }
}

/// The bad records of a piece of a source: the first faults, and how many others of each kind. A
/// piece of a few MiB may have millions.
#[derive(Default)]
pub(crate) struct Faults {
    pub(crate) records: BadRecords,
    /// Those that are still to be told.
    first: Vec<Error>,
    rest: CountedFaults,
}

/// Faults that are only counted.
#[derive(Default, Serialize, Deserialize)]
struct CountedFaults {
    /// The first, if they were told before.
    told: Vec<ToldFault>,
    others: BTreeMap<Cow<'static, str>, u64>,
    /// How many of the others have other fields than those that were named.
    other_fields: u64,
}

/// Faults when all of them have been told.
#[derive(Serialize, Deserialize)]
pub(crate) struct ToldFaults {
    records: BadRecords,
    rest: CountedFaults,
}

impl Faults {
    /// Adds that of a record, whose number is higher than those before.
    pub(crate) fn push(&mut self, record: u64, fault: Error) {
        self.records.push(record);
        if self.first.len() < EXAMPLES || fault.is_io() {
            self.first.push(fault);
        } else {
            *self.rest.others.entry(Cow::Borrowed(fault_name(&fault))).or_default() += 1;
            self.rest.other_fields += u64::from(is_other_fields(&fault));
        }
    }

    /// Bytes that it holds, about.
    pub(crate) fn bytes(&self) -> usize {
        self.records.bytes() + 256 * (self.first.len() + self.rest.told.len())
    }

    /// What will be known of them once they were told.
    pub(crate) fn told(&self) -> ToldFaults {
        let CountedFaults { told, others, other_fields } = &self.rest;
        let told = self.first.iter().map(ToldFault::of).chain(told.iter().cloned()).collect();
        let rest = CountedFaults { told, others: others.clone(), other_fields: *other_fields };
        ToldFaults { records: self.records.clone(), rest }
    }
}

impl From<ToldFaults> for Faults {
    fn from(faults: ToldFaults) -> Self {
        let ToldFaults { records, rest } = faults;
        Self { records, first: Vec::new(), rest }
    }
}

fn is_other_fields(fault: &Error) -> bool {
    matches!(fault.kind(), ErrorKind::Input(fault) if fault.is_other_fields())
}

/// What is wrong, in a few words.
fn fault_name(fault: &Error) -> &'static str {
    match fault.kind() {
        ErrorKind::Input(fault) => fault.name(),
        ErrorKind::Record { fault, .. } => fault_name(fault),
        ErrorKind::IdTooLong { .. } => "id longer than the limit",
        _ => "other",
    }
}
