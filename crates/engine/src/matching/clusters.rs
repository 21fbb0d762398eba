//! The decision: who stands for whom, and the file of it.

use std::path::Path;

use lookalike_files::{RowsKind, RowsReader, RowsWriter};

use crate::error::Result;
use crate::places::Place;

/// Files of keepers. The counts are those of all documents and of [`Clusters`].
const KEEPERS: RowsKind = *b"keeperof";

/// Bytes of a place.
pub(super) const PLACE: usize = 4;

/// How pairs become clusters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Clustering {
    /// A document goes if it has a pair with one that is kept.
    Anchored,
    /// Whatever pairs connect is one cluster.
    #[doc(alias = "union-find")]
    Components,
}

impl Clustering {
    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Anchored => "anchored",
            Self::Components => "components",
        }
    }
}

/// What was decided, and what it took.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clusters {
    /// For each place the place that stands for it: its own if it stays.
    pub keepers: Vec<Place>,
    /// Candidates that were judged.
    pub candidates: u64,
    /// Those that were accepted.
    pub pairs: u64,
    /// Rounds that it took.
    pub rounds: u32,
    /// What was not looked at.
    pub limited: LimitedGroups,
}

/// Where the limit kept documents from being candidates.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LimitedGroups {
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
        let mut file = RowsWriter::create(path, KEEPERS, PLACE)?;
        for keeper in &self.keepers {
            file.push(&keeper.to_le_bytes())?;
        }
        let Self { candidates, pairs, rounds, limited, .. } = *self;
        let LimitedGroups { groups, documents, largest } = limited;
        let all = self.keepers.len() as u64;
        let counts = [all, candidates, pairs, rounds.into(), groups, documents, largest];
        Ok(file.finish_with(counts)?)
    }

    /// Reads a decision.
    ///
    /// # Errors
    /// If the file cannot be read, is damaged, of another kind, or of a later version.
    pub fn open(path: &Path) -> Result<Self> {
        let mut file: RowsReader<PLACE, 7> = RowsReader::open(path, KEEPERS)?;
        let [all, candidates, pairs, rounds, groups, documents, largest] = file.counts();
        let mut keepers: Vec<Place> = Vec::new();
        while let Some(bytes) = file.next()? {
            let (place, keeper) = (keepers.len(), Place::read(&bytes, 0));
            let own = keeper.index() == place;
            let kept = |keeper: Place| keepers.get(keeper.index()) == Some(&keeper);
            if place as u64 == all || !own && !kept(keeper) {
                let expected = format!("{all} keepers, each kept itself");
                let found = format!("{keeper} for document {place}");
                return Err(file.corrupt(0, expected, found).into());
            }
            keepers.push(keeper);
        }
        file.check_count(0, "keepers", keepers.len() as u64)?;
        let rounds = u32::try_from(rounds).unwrap_or(u32::MAX);
        let limited = LimitedGroups { groups, documents, largest };
        Ok(Self { keepers, candidates, pairs, rounds, limited })
    }
}
