//! Who stands for whom, and why: the decision with the copies in it.

use lookalike_core::Evidence;

use crate::document_set::PlaceSet;
use crate::error::Result;
use crate::identity_sets::{Copies, CopyOf};
use crate::matching::PairReader;
use crate::places::Place;
use crate::report::Kind;
use crate::sort::{SortedRecords, Sorter};

/// A document that another stands for: it goes, or stays beside that one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Follower {
    pub(crate) place: Place,
    pub(crate) keeper: Place,
    pub(crate) stays: bool,
    pub(crate) kind: Kind,
    /// Of a copy, the first of its identity set.
    pub(crate) copy_of: Option<Place>,
    /// Of a near-duplicate with its keeper; `None` if only other documents connect the two.
    pub(crate) evidence: Option<Evidence>,
}

impl Follower {
    /// The exact resemblance with the keeper, where it is known.
    pub(crate) fn resemblance(&self) -> Option<f64> {
        if self.kind == Kind::Exact {
            return Some(1.0);
        }
        self.evidence.and_then(Evidence::shares).map(|[resemblance, ..]| resemblance)
    }
}

/// The decision, complete.
pub(crate) struct Outcome<'a> {
    /// For each place the place that stands for it.
    pub(crate) keepers: &'a [Place],
    /// The places that stay though another stands for them.
    pub(crate) beside: &'a PlaceSet,
    pub(crate) copies: &'a Copies,
    /// The accepted pairs; `None` if nothing was matched.
    pub(crate) pairs: Option<&'a std::path::Path>,
    pub(crate) folder: &'a std::path::Path,
    pub(crate) budget: usize,
}

/// The one that stands for an identity set, and a copy of it.
pub(crate) type ByRepresentative = [Place; 2];

impl Outcome<'_> {
    pub(crate) fn copies_by_representative(&self) -> Result<SortedRecords<ByRepresentative>> {
        let mut sorter = Sorter::new(self.folder, self.budget);
        let mut list = self.copies.list()?;
        while let Some(CopyOf { copy, representative }) = list.next()? {
            sorter.push([representative, copy])?;
        }
        sorter.finish()
    }

    /// Calls `each` with every document that another stands for: in the order of places, the copies of a
    /// document right after it.
    pub(crate) fn for_each_follower(
        &self,
        mut each: impl FnMut(Follower) -> Result<()>,
    ) -> Result<()> {
        let mut copies = self.copies_by_representative()?;
        let mut next_copy = copies.next()?;
        let mut pairs = self.pairs.map(PairReader::open).transpose()?;
        let mut next_pair = pairs.as_mut().map_or(Ok(None), PairReader::next)?;
        for (place, &keeper) in Place::all().zip(self.keepers) {
            if self.copies.is_copy(place) {
                continue;
            }
            let mut evidence = None;
            while let Some(pair) = next_pair.filter(|pair| pair.later <= place) {
                if (pair.later, pair.earlier) == (place, keeper) {
                    evidence = Some(pair.evidence);
                }
                next_pair = pairs.as_mut().map_or(Ok(None), PairReader::next)?;
            }
            let goes = keeper != place;
            if goes {
                let (kind, copy_of, stays) = (Kind::Near, None, self.beside.contains(place));
                each(Follower { place, keeper, stays, kind, copy_of, evidence })?;
            }
            while let Some([_, copy]) = next_copy.filter(|[first, _]| *first == place) {
                // With its keeper a copy has in common what its representative has.
                let kind = if goes { Kind::Near } else { Kind::Exact };
                let (copy_of, stays) = (Some(place), self.beside.contains(copy));
                each(Follower { place: copy, keeper, stays, kind, copy_of, evidence })?;
                next_copy = copies.next()?;
            }
        }
        Ok(())
    }
}
