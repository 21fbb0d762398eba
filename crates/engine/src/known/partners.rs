//! Which documents of known runs and indexes have something in common with a new one: a key, or the public
//! fingerprint.
//!
//! Of the others nothing can come, so they are not taken over: what they cost is one look at their
//! signatures. Most have nothing in common with any new one, and are told apart by a filter of two
//! bits a slot before anything of them is sorted:
//!
//! ```text
//! new      each feature is marked in the filter
//! known    a feature that is marked may be a new one's: it is sorted, and marked as met
//! new      features that were met are sorted, too
//! ```
//!
//! Equal features are then neighbours. So the answer is exact and does not depend on the size of the
//! filter, which is within the budget; only how much is sorted does. Memory: the budget, and two bits
//! for each of these documents.

use std::ops::Range;

use lookalike_core::{CandidateRule, Signature};

use super::shelves::KnownIndex;
use crate::document_set::RowSet;
use crate::error::Result;
use crate::occurrences::Occurrences;
use crate::places::Row;
use crate::run::Run;
use crate::sign::{Signing, Sink};
use crate::signature_file::SignatureReader;
use crate::sort::Sorter;

/// Bytes of the filter for each feature: 64 slots, so that one in 64 features that no new document
/// has is sorted.
const FILTER_BYTES: u64 = 16;

/// Every run begins with a word of bits of its own.
const WORD: u64 = 64;

/// A side that has signatures.
#[derive(Clone, Copy)]
pub(super) enum Signed<'a> {
    Run(&'a Run),
    Index(&'a KnownIndex),
}

/// Documents of such sides, by their rows there, those of each side after those of the one before it.
pub(super) struct Partners {
    /// Those that have anything in common with a new one.
    pub(super) rows: RowSet,
    /// Those of them that have its fingerprint.
    pub(super) of_fingerprints: RowSet,
    pub(super) sides: Vec<SideRows>,
}

/// The rows of a side among those of all.
pub(super) struct SideRows {
    pub(super) rows: Range<Row>,
    /// Those of them that are known: what stayed.
    pub(super) documents: u64,
}

/// What a feature is of.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Of {
    /// A new document.
    New,
    /// A known one, as a key or as a fingerprint.
    Known(Row, What),
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum What {
    Key,
    Fingerprint,
}

impl Of {
    /// A number in the same order.
    fn number(self) -> u64 {
        match self {
            Self::New => 0,
            Self::Known(row, what) => 1 + 2 * u64::from(row) + u64::from(what == What::Fingerprint),
        }
    }

    fn numbered(number: u64) -> Self {
        let Some(number) = number.checked_sub(1) else { return Self::New };
        let what = if number % 2 == 1 { What::Fingerprint } else { What::Key };
        Self::Known(Row::nth(number / 2), what)
    }
}

/// What documents may have in common: their keys, and half of their fingerprints.
struct Features {
    rule: CandidateRule,
    keys: Vec<u64>,
}

impl Features {
    fn for_each(
        &mut self,
        signature: &Signature,
        mut each: impl FnMut(u64, What) -> Result<()>,
    ) -> Result<()> {
        if signature.is_empty() {
            return Ok(());
        }
        self.keys.clear();
        self.rule.keys(signature, &mut self.keys);
        self.keys.iter().try_for_each(|&key| each(key, What::Key))?;
        each(signature.exact as u64, What::Fingerprint)
    }
}

impl Partners {
    /// Those of these sides. The new documents are in the sink, and nothing else.
    pub(super) fn find(
        sides: &[Signed<'_>],
        signing: &Signing<'_>,
        sink: &mut Sink<'_>,
    ) -> Result<Self> {
        if sides.is_empty() {
            let [rows, of_fingerprints] = [RowSet::none(0).count(), RowSet::none(0)];
            return Ok(Self { rows, of_fingerprints, sides: Vec::new() });
        }
        let means = &signing.means;
        let rule = CandidateRule::new(means.kernel, means.recipe);
        let new = u64::from(sink.next_row()) * (rule.keys_per_document() as u64 + 1);
        let bytes = (new * FILTER_BYTES).min(means.budget as u64 / 4) as usize;
        let mut filter = Occurrences::with_bytes(bytes);
        let mut features = Features { rule, keys: Vec::new() };
        sink.for_each_signature(|row, signature| {
            means.listen(row.into())?;
            features.for_each(signature, |feature, _| {
                filter.count_once(feature);
                Ok(())
            })
        })?;

        let mut sorter: Sorter<[u64; 2]> = Sorter::new(&means.files.sorting(), means.budget / 4);
        let (mut found, mut next) = (Vec::new(), Row::nth(0));
        for side in sides {
            let mut look = |row: Row, signature: &Signature, own: bool| {
                means.listen(row.into())?;
                features.for_each(signature, |feature, what| {
                    // An index has another fingerprint in the place of the public one.
                    if what == What::Fingerprint && !own || !filter.meet(feature) {
                        return Ok(());
                    }
                    sorter.push([feature, Of::Known(next.after(row.into()), what).number()])
                })
            };
            let (rows, documents) = match side {
                Signed::Run(run) => {
                    let stays = run.survivors()?.count();
                    let reader = SignatureReader::open(run.files.signatures())?;
                    reader.for_each_of(stays.members(), |row, _, signature| {
                        look(row, signature, true)
                    })?;
                    (run.documents(), stays.len())
                }
                Signed::Index(index) => {
                    index.for_each_signature(|row, signature| look(row, signature, false))?;
                    (index.documents, index.documents)
                }
            };
            let end = next.after(rows);
            found.push(SideRows { rows: next..end, documents });
            next = end.after(u64::from(end).next_multiple_of(WORD) - u64::from(end));
            Row::check_count(next.into())?;
        }
        sink.for_each_signature(|row, signature| {
            means.listen(row.into())?;
            features.for_each(signature, |feature, _| {
                if filter.may_be_many(feature) {
                    sorter.push([feature, Of::New.number()])?;
                }
                Ok(())
            })
        })?;
        drop(filter);
        Self::of_sorted(sorter, found, next.into())
    }

    fn of_sorted(sorter: Sorter<[u64; 2]>, sides: Vec<SideRows>, rows: u64) -> Result<Self> {
        let [mut all, mut of_fingerprints] = [RowSet::none(rows), RowSet::none(rows)];
        let (mut sorted, mut of_new) = (sorter.finish()?, None);
        while let Some([feature, number]) = sorted.next()? {
            match Of::numbered(number) {
                // New ones come first.
                Of::New => of_new = Some(feature),
                Of::Known(row, what) if of_new == Some(feature) => {
                    all.insert(row);
                    if what == What::Fingerprint {
                        of_fingerprints.insert(row);
                    }
                }
                Of::Known(..) => {}
            }
        }
        Ok(Self { rows: all.count(), of_fingerprints, sides })
    }
}
