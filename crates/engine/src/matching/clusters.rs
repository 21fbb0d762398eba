//! The decision: who stands for whom, and the file of it.

use std::path::Path;

use crate::artefact::{ArtefactReader, ArtefactWriter, Kind};
use crate::error::Result;

/// Files of keepers. The counts are those of [`Clusters`].
const KEEPERS: Kind = Kind { magic: *b"LOOKKEEP", counts: 6 };

/// Bytes of a place.
const PLACE: usize = 4;

/// What was decided, and what it took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clusters {
    /// For each place the place that stands for it: its own if it stays.
    pub keepers: Vec<u32>,
    /// Candidates that were judged.
    pub candidates: u64,
    /// Those that were accepted.
    pub pairs: u64,
    /// Rounds that it took.
    pub rounds: u32,
    /// What was not looked at.
    pub limited: Limited,
}

/// Where the limit kept documents from being candidates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Limited {
    /// Groups with more documents that stay (components: more members) than the limit.
    pub groups: u64,
    /// Documents after more than that many of one group: with some of them they were no
    /// candidates by this group.
    pub documents: u64,
    /// Members of the largest such group.
    pub largest: u64,
}

impl Clusters {
    /// Writes the decision to `path`.
    pub(super) fn write(&self, path: &Path) -> Result<()> {
        let mut file = ArtefactWriter::create(path, &KEEPERS, self.keepers.len() as u64)?;
        for keeper in &self.keepers {
            file.push(&keeper.to_le_bytes())?;
        }
        let Self { candidates, pairs, rounds, limited, .. } = *self;
        let Limited { groups, documents, largest } = limited;
        file.finish(&[candidates, pairs, rounds.into(), groups, documents, largest])
    }

    /// Reads a decision.
    ///
    /// # Errors
    /// If the file cannot be read, is damaged, of another kind, or of a later version.
    pub fn open(path: &Path) -> Result<Self> {
        let mut file = ArtefactReader::open(path, &KEEPERS)?;
        let documents = file.documents();
        let mut keepers: Vec<u32> = Vec::new();
        while let Some(bytes) = file.next::<PLACE>()? {
            let (place, keeper) = (keepers.len(), u32::from_le_bytes(bytes));
            let own = keeper as usize == place;
            let kept = |keeper: u32| keepers.get(keeper as usize) == Some(&keeper);
            if place as u64 == documents || !own && !kept(keeper) {
                let expected = format!("{documents} keepers, each kept itself");
                let found = format!("{keeper} for document {place}");
                return Err(file.corrupt(PLACE, &expected, found));
            }
            keepers.push(keeper);
        }
        if keepers.len() as u64 != documents {
            let found = format!("{} of them", keepers.len());
            return Err(file.corrupt(0, &format!("{documents} keepers"), found));
        }
        let count = |n: usize| file.counts().get(n).copied().unwrap_or_default();
        Ok(Self {
            keepers,
            candidates: count(0),
            pairs: count(1),
            rounds: u32::try_from(count(2)).unwrap_or(u32::MAX),
            limited: Limited { groups: count(3), documents: count(4), largest: count(5) },
        })
    }
}
