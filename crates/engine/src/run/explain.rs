//! Why a document stayed or went.

use lookalike_core::recipe::{Candidates, SketchParameters};
use lookalike_core::{Kernel, Signature, Similarity};

use super::cuts::DocumentCuts;
use super::path::Step;
use super::tables::StoredMember;
use super::{Run, RunDocument};
use crate::error::Result;
use crate::places::Row;
use crate::report::Kind;
use crate::scores::Scores;

/// Members of a cluster that an explanation of its keeper names.
pub const SHOWN_MEMBERS: usize = 20;

/// What became of a document.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Explanation {
    /// The document.
    pub document: RunDocument,
    /// What became of it.
    pub fate: Fate,
    /// What was cut of it, if it stayed and the run looked for passages.
    pub cuts: Option<DocumentCuts>,
}

/// What became of a document.
#[derive(Clone, Debug, PartialEq)]
pub enum Fate {
    /// It has no look-alike in this run, and stays.
    Alone {
        /// Whether it has no tokens: then it can have none.
        empty: bool,
    },
    /// It stays, and stands for others.
    Kept {
        /// For how many.
        others: u64,
        /// Those of them that stay, too, and then the first in the input; at most
        /// [`SHOWN_MEMBERS`] together.
        first: Vec<Member>,
    },
    /// It stays beside the one that stands for it, since more than one of a cluster is kept.
    Beside(Box<Removal>),
    /// It went.
    Removed(Box<Removal>),
}

/// A document that another stands for.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Member {
    /// The document.
    pub document: RunDocument,
    /// Whether it stays beside its keeper.
    pub kept: bool,
    /// How it resembles its keeper.
    pub kind: Kind,
    /// How much, if that is known.
    pub resemblance: Option<f64>,
}

/// Why a document went, or would have if one of its cluster were kept.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Removal {
    /// The document that stands for it.
    pub keeper: RunDocument,
    /// How it resembles its keeper.
    pub kind: Kind,
    /// Documents of the cluster, the keeper among them.
    pub cluster_size: u64,
    /// How similar the document and its keeper are; the first is the document. `None` if the two
    /// are no pair, and only others join them.
    pub scores: Option<Scores>,
    /// If they are no pair: the pairs that join the document to its keeper.
    pub path: Vec<Step>,
    /// Where the two signatures agree.
    pub agreement: Agreement,
}

/// Where two signatures agree; `None` for what the recipe does not have.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Agreement {
    /// The numbers of the equal features, from 1, and how many features there are.
    pub features: Option<(Vec<usize>, usize)>,
    /// Equal bits of the projection, and how many bits there are.
    pub bits: Option<(usize, usize)>,
    /// Repeats of Pugh's lists that have one in common, and how many repeats there are.
    pub repeats: Option<(usize, usize)>,
    /// Elements of bottom or modular sketches in common, and how many were sampled of both.
    pub elements: Option<(usize, usize)>,
}

impl Run {
    /// What became of the documents of these rows.
    ///
    /// # Errors
    /// If there is no such row, or a file cannot be read or is damaged.
    pub fn explain(&self, rows: &[Row]) -> Result<Vec<Explanation>> {
        let mut asked = rows.to_vec();
        asked.sort_unstable();
        let mut members = Vec::new();
        let wanted = move |row, _| asked.binary_search(&row).is_ok();
        self.for_each_member(wanted, |member| {
            members.push(member);
            Ok(())
        })?;
        let mut cuts = self.cuts_of(rows)?;
        let explanation = |&row: &Row| {
            let document = self.document(row)?;
            let fate = match members.iter().find(|member| member.row == row) {
                None => {
                    let signature = self.signatures.signature(row)?;
                    Fate::Alone { empty: signature.is_empty() }
                }
                Some(member) if member.row == member.cluster => self.kept(member)?,
                Some(member) if member.kept => Fate::Beside(Box::new(self.removal(member)?)),
                Some(member) => Fate::Removed(Box::new(self.removal(member)?)),
            };
            let cuts = match fate {
                Fate::Removed(_) => None,
                Fate::Alone { .. } | Fate::Kept { .. } | Fate::Beside(_) => cuts.remove(&row),
            };
            Ok(Explanation { document, fate, cuts })
        };
        rows.iter().map(explanation).collect()
    }

    fn kept(&self, keeper: &StoredMember) -> Result<Fate> {
        let mut members: Vec<StoredMember> = Vec::new();
        let (keeper_row, mut seen) = (keeper.row, 0);
        // Those of a cluster that stay come first, and both in the order of rows.
        let wanted = move |row, cluster| {
            let is_member = cluster == keeper_row && row != keeper_row;
            seen += usize::from(is_member);
            is_member && seen <= SHOWN_MEMBERS
        };
        self.for_each_member(wanted, |member| {
            members.push(member);
            Ok(())
        })?;
        let first =
            members.into_iter().map(|StoredMember { row, kept, kind, resemblance, .. }| {
                Ok(Member { document: self.document(row)?, kept, kind, resemblance })
            });
        let first = first.collect::<Result<_>>()?;
        Ok(Fate::Kept { others: keeper.size.saturating_sub(1), first })
    }

    fn removal(&self, member: &StoredMember) -> Result<Removal> {
        let (row, keeper) = (member.row, member.cluster);
        let (a, b) = (row.min(keeper), row.max(keeper));
        let mut scores = None;
        self.for_each_pair(Some(Box::new(move |x, y| (x, y) == (a, b))), |pair| {
            scores = Some(if pair.a == row { pair.scores } else { pair.scores.turned() });
            Ok(())
        })?;
        let path = match scores {
            Some(_) => Vec::new(),
            None => self.path(&[row], &[keeper])?.unwrap_or_default(),
        };
        let [x, y] = [self.signatures.signature(row)?, self.signatures.signature(keeper)?];
        Ok(Removal {
            keeper: self.document(keeper)?,
            kind: member.kind,
            cluster_size: member.size,
            scores,
            path,
            agreement: self.agreement(&x, &y),
        })
    }

    fn agreement(&self, a: &Signature, b: &Signature) -> Agreement {
        let recipe = self.recipe();
        let similarity = Similarity::new(Kernel::best(), recipe);
        let equal = a.features.iter().zip(&b.features).enumerate().filter(|(_, (a, b))| a == b);
        let equal: Vec<usize> = equal.map(|(number, _)| number + 1).collect();
        let repeats = match recipe.sketch {
            SketchParameters::Lists { repeats, .. } => Some(repeats),
            _ => None,
        };
        Agreement {
            features: recipe.features.map(|filter| (equal, filter.k() as usize)),
            bits: similarity.c(a, b).zip(recipe.projection.map(|projection| projection.bits)),
            repeats: similarity.lists(a, b).zip(repeats),
            elements: (recipe.candidates == Candidates::Sketch)
                .then(|| similarity.sampled(a, b))
                .flatten()
                .map(|sampled| (sampled.common, sampled.of)),
        }
    }
}
