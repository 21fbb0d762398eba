//! Candidates for containment: who may have nearly all of a document, however long it is.
//!
//! Features say nothing of that. A page within a book has a resemblance with it near zero, and no feature in
//! common. What both have is the page's own shingles, so a few of these are looked for in all documents:
//!
//! ```text
//! element      a public shingle, mixed: the order of elements is random, and the same for all
//! pool of d    its 32 least elements, or all if it has fewer
//! common       what more than 64 documents have
//! probes of d  the 4 least of its pool; and of the others the first 4 that are not common, or, if
//!              there are fewer, the first that are
//! candidates   (e, d) where e has a probe of d and comes before it: for each probe the first 64
//!              documents that have it, come before d and stay
//! ```
//!
//! What becomes of candidates is decided as always, by the rounds (`matching/rounds.rs`), and each is verified on
//! the whole shingle sets under the job's key (`PairRule::containing`): a chain a in b in c ends with c,
//! and a goes for c or, if too much of it is not there, stays; it never goes for b, which is gone.
//!
//! **Recall.** Let e have all of the n shingles of d but m. The four least are a random draw of
//! them, so none of these is in e with a probability of C(m, 4) / C(n, 4), which is at most (m / n)^4:
//! at a share lost of 0.02 one in six million. What is left to miss is a document of whose probes e has
//! only such as are in more than 64 others that stay and come before it, as when the two share a template and
//! little else. It is for these that probes are not only the least: licences have most of their shingles in common
//! with hundreds of others, and a few with their kin. Groups that were too large are counted and reported;
//! `benchmarks/lost.py` measures what is missed.
//!
//! **Out of core.** Nobody holds the elements of all documents, not even on disk. One reading of the documents
//! puts the pools into a filter, two bytes for each element and no more than the budget allows; a second hands on
//! what passes it, nearly only elements of pools, to be sorted on disk. A filter that is too
//! small lets more pass, which takes disk and changes nothing. Who has an element is then counted, and the probes
//! are chosen, by sorting.

mod elements;
mod probes;

use std::sync::{Mutex, PoisonError};

pub(crate) use self::elements::POOL;
use self::elements::{Asking, Holding, PoolFilter};
use crate::document_set::RowSet;
use crate::error::Result;
use crate::identity_sets::Copies;
use crate::matching::{self, GroupCounts};
use crate::means::Means;
use crate::observe::{Stage, Work};
use crate::order::Order;
use crate::places::Row;
use crate::sort::Sorter;
use crate::sources::SourceTable;

/// Bytes of the filter for each element of a pool: of others about one in a hundred passes.
const FILTER_BYTES: u64 = 2;

impl Means<'_> {
    /// Groups all documents but the copies by the probes that they have.
    pub(crate) fn groups_of_probes(
        &self,
        order: &Order,
        copies: &Copies,
        sources: &SourceTable,
    ) -> Result<GroupCounts> {
        let sides = order.sides();
        self.observer.begin(Stage::Match, Some(Work::Documents(2 * sides.all())));
        let mut taking_part = RowSet::none(sides.all());
        for row in Row::between(Row::nth(0)..Row::nth(sides.all())) {
            if !copies.is_copy(order.place(row)) {
                taking_part.insert(row);
            }
        }
        let taking_part = taking_part.count();
        let wanted = sides.new.saturating_mul(POOL as u64 * FILTER_BYTES);
        let filter = PoolFilter::with_bytes(wanted.min(self.budget as u64 / 4) as usize);
        self.read_elements(sources, &taking_part, || Asking::new(&filter, order))?;
        let (folder, budget) = (self.files.sorting(), self.budget / 4);
        let holders = Mutex::new(Sorter::new(&folder, budget));
        self.read_elements(sources, &taking_part, || Holding::new(&filter, order, &holders))?;
        drop(filter);
        let holders = holders.into_inner().unwrap_or_else(PoisonError::into_inner).finish()?;
        let mut holders = probes::choose(holders, &folder, budget)?;
        matching::write_holders(&self.files.groups(), sides.all(), || holders.next())
    }
}
