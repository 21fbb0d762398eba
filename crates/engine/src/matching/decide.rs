//! Who stands for whom as far as is known.

use std::hint::black_box;
use std::path::Path;

use super::clusters::{Clustering, Clusters, LimitedGroups};
use super::groups::Step;
use super::pairs::{ByLater, Pair, PairWriter};
use crate::components::Components;
use crate::document_set::PlaceSet;
use crate::error::Result;
use crate::places::{KeepOrder, Place};
use crate::sort::{SortedRun, SortedRunWriter, Union};

/// The decision in the making.
pub(super) enum State {
    /// For each place its keeper: its own place if it is kept.
    Anchored(Vec<Place>),
    /// What pairs connect.
    Components(Components<KeepOrder>),
}

impl State {
    /// Nobody stands for another.
    pub(super) fn new(clustering: Clustering, documents: u64) -> Self {
        match clustering {
            Clustering::Anchored => Self::Anchored(Place::all().take(documents as usize).collect()),
            Clustering::Components => Self::Components(Components::new(documents)),
        }
    }

    /// Whether later members of a group may become candidates with this one.
    #[inline]
    pub(super) fn comes_first(&self, place: Place) -> bool {
        match self {
            Self::Anchored(keepers) => keepers[place.index()] == place,
            Self::Components(_) => true,
        }
    }

    /// Brings what is known of these documents into the cache: here the processor waits for many
    /// of them at once, and later would for each.
    pub(super) fn touch(&self, steps: &[Step]) {
        let known = match self {
            Self::Anchored(keepers) => keepers,
            Self::Components(components) => components.parents(),
        };
        let place = |step: &Step| match *step {
            Step::Member(place) | Step::Held(place) => place.index(),
            Step::End => 0,
        };
        black_box(steps.iter().fold(0, |all, step| all ^ known[place(step)].index()));
    }

    /// Decides from pairs that come sorted by (later, earlier), and hands all of them on to `all`.
    /// Those that are not `usable` decide nothing. True if a keeper changed, which `changed` has
    /// then where clusters are anchored.
    pub(super) fn decide(
        &mut self,
        mut pairs: Union<ByLater>,
        changed: &mut PlaceSet,
        all: &mut SortedRunWriter<ByLater>,
        mut usable: impl FnMut(Place, Place) -> Result<bool>,
    ) -> Result<bool> {
        match self {
            Self::Anchored(keepers) => {
                let mut anchoring = Anchoring::new(keepers, changed);
                while let Some((pair, _)) = pairs.next()? {
                    all.push(pair)?;
                    let ByLater(Pair { later, earlier, .. }) = pair;
                    anchoring.pair(later, earlier, usable(later, earlier)?);
                }
                Ok(anchoring.finish())
            }
            Self::Components(components) => {
                let mut any = false;
                while let Some((pair, _)) = pairs.next()? {
                    all.push(pair)?;
                    any |= components.join(pair.0.earlier, pair.0.later);
                }
                Ok(any)
            }
        }
    }

    /// Who stands for each place.
    pub(super) fn into_keepers(self) -> Vec<Place> {
        match self {
            Self::Anchored(keepers) => keepers,
            Self::Components(components) => components.into_smallest(),
        }
    }
}

/// What the decision took.
#[derive(Clone, Copy)]
pub(super) struct Effort {
    pub(super) candidates: u64,
    pub(super) rounds: u32,
    pub(super) limited: LimitedGroups,
}

/// Writes the pairs and the keepers of a decision.
pub(super) fn write(
    state: State,
    accepted: Option<SortedRun<ByLater>>,
    effort: Effort,
    [pairs, keepers]: [&Path; 2],
    documents: u64,
) -> Result<Clusters> {
    let mut pairs = PairWriter::create(pairs, documents)?;
    if let Some(run) = accepted {
        let mut run = run.read()?;
        while let Some(pair) = run.next()? {
            pairs.push(pair)?;
        }
    }
    let pairs = pairs.finish()?;
    let Effort { candidates, rounds, limited } = effort;
    let clusters = Clusters { keepers: state.into_keepers(), candidates, pairs, rounds, limited };
    clusters.write(keepers)?;
    Ok(clusters)
}

/// Decides who is kept from pairs that come sorted by (later, earlier): a document that has a pair
/// with one that is kept goes, and the first such stands for it.
pub(super) struct Anchoring<'a> {
    keepers: &'a mut [Place],
    /// The documents whose keeper is another one than before.
    changed: &'a mut PlaceSet,
    any_changed: bool,
    /// The document whose pairs are coming, and its keeper so far.
    document: Place,
    keeper: Place,
}

impl<'a> Anchoring<'a> {
    /// Goes on from earlier keepers, by all their pairs and more. Nothing is in `changed` yet.
    pub(super) fn new(keepers: &'a mut [Place], changed: &'a mut PlaceSet) -> Self {
        // The first place is never the later one of a pair, and so its own keeper.
        Self {
            keepers,
            changed,
            any_changed: false,
            document: Place::nth(0),
            keeper: Place::nth(0),
        }
    }

    /// Takes the next pair; if it is not `usable`, only as a sign that `later` had pairs before.
    pub(super) fn pair(&mut self, later: Place, earlier: Place, usable: bool) {
        if later != self.document {
            self.settle();
            (self.document, self.keeper) = (later, later);
        }
        // Whether the earlier one is kept has been decided: all its pairs came before.
        let open = self.keeper == later;
        if open && usable && self.keepers[earlier.index()] == earlier {
            self.keeper = earlier;
        }
    }

    /// All pairs of a document have come.
    fn settle(&mut self) {
        let Some(keeper) = self.keepers.get_mut(self.document.index()) else { return };
        if *keeper != self.keeper {
            *keeper = self.keeper;
            self.changed.insert(self.document);
            self.any_changed = true;
        }
    }

    /// Ends the decision: whether any keeper changed.
    pub(super) fn finish(mut self) -> bool {
        self.settle();
        self.any_changed
    }
}
