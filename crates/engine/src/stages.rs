//! The stages from signatures to pairs, which deduplication and evaluation have in common.
//!
//! Each reads and writes the files of a job and knows nothing of
//! what the pairs are for.

use lookalike_core::recipe::Candidates;
use lookalike_core::{CandidateRule, Signature};
use lookalike_files::Rows;
use serde::{Deserialize, Serialize};

use crate::document_set::RowSet;
use crate::error::Result;
use crate::identity_sets::{self, Copies, SetTask};
use crate::matching::{
    self, Clustering, GroupReader, GroupTask, Grouped, InCommon, Least, LimitedGroups, Pairs, Step,
};
use crate::means::Means;
use crate::observe::{Stage, Work};
use crate::order::Order;
use crate::places::{Place, Row, Sides};
use crate::sign::{IDENTITIES, IDENTITY, SITES, TO_BE_READ};
use crate::signature_file::{SignatureLookup, SignatureReader};
use crate::sources::SourceTable;
use crate::verify::{Contents, Projections, Refusals, Verifier, Verifying};

/// Where keys in common are counted, those of more documents are left out, as by AltaVista.
pub(crate) const COMMON_HOLDERS: usize = 1000;

/// What was judged.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct Judgement {
    pub(crate) candidates: u64,
    pub(crate) rounds: u32,
    pub(crate) limited_groups: u64,
    pub(crate) limited_documents: u64,
    pub(crate) largest_limited: u64,
    /// Keys that were left out where those in common are counted.
    #[serde(default)]
    pub(crate) common_keys: u64,
    #[serde(default)]
    pub(crate) refusals: Refusals,
}

impl Means<'_> {
    /// Finds the identity sets. Known documents that may be copies are read from their sources.
    pub(crate) fn identity_sets(
        &self,
        order: &Order,
        known: Option<&SourceTable>,
    ) -> Result<Copies> {
        let sides = order.sides();
        self.observer.begin(Stage::Group, Some(Work::Documents(sides.all())));
        self.find_identity_sets(sides, |each| {
            let identities = Rows::open(&self.files.identities(), IDENTITIES, IDENTITY)?;
            let mut to_be_read = RowSet::none(sides.all());
            identities.for_each(|row, identity| {
                self.observer.tick(row)?;
                let row = Row::nth(row);
                let identity = identity.first_chunk().map_or(0, |id| u128::from_le_bytes(*id));
                match identity {
                    0 => Ok(()),
                    TO_BE_READ => {
                        to_be_read.insert(row);
                        Ok(())
                    }
                    identity => each(order.place(row), identity),
                }
            })?;
            let to_be_read = to_be_read.count();
            let Some(sources) = known.filter(|_| to_be_read.len() > 0) else { return Ok(()) };
            self.identities_of(sources, &to_be_read, |row, identity| {
                each(order.place(row), identity)
            })
        })
    }

    /// The same where every document is one of its own.
    pub(crate) fn no_identity_sets(&self, sides: Sides) -> Result<Copies> {
        self.find_identity_sets(sides, |_| Ok(()))
    }

    fn find_identity_sets(
        &self,
        documents: Sides,
        each: impl FnOnce(&mut dyn FnMut(Place, u128) -> Result<()>) -> Result<()>,
    ) -> Result<Copies> {
        let (path, folder) = (&self.files.copies(), &self.files.sorting());
        let (budget, threads) = (self.budget / 2, self.threads);
        identity_sets::find(&SetTask { path, folder, budget, threads, documents }, each)
    }

    /// Groups all documents but the copies by their keys, with so many known members in each; or, where
    /// keys in common are counted, in twos that have enough.
    pub(crate) fn groups(
        &self,
        order: &Order,
        known_members: usize,
        copies: &Copies,
    ) -> Result<Grouped> {
        let rule = CandidateRule::new(self.kernel, self.recipe);
        let least = |keys| rule.least_in_common(keys);
        let least = rule.counts_in_common().then_some(&least as Least<'_>);
        self.groups_by(order, known_members, least, |row, keys, each| {
            let place = order.place(row);
            if copies.is_copy(place) { Ok(()) } else { each(place, keys) }
        })
    }

    /// Groups documents by what is made of their keys: `group` gets the row and the keys of each,
    /// twice, and hands on its place and what it is grouped by. If two must have several of these in
    /// common, groups are of two.
    pub(crate) fn groups_by(
        &self,
        order: &Order,
        known_members: usize,
        least: Option<Least<'_>>,
        mut group: impl FnMut(Row, &[u64], &mut dyn FnMut(Place, &[u64]) -> Result<()>) -> Result<()>,
    ) -> Result<Grouped> {
        let documents = order.sides();
        self.observer.begin(Stage::Match, Some(Work::Documents(2 * documents.all())));
        let rule = CandidateRule::new(self.kernel, self.recipe);
        let task = GroupTask {
            path: &self.files.groups(),
            folder: &self.files.sorting(),
            budget: self.budget / 4 * 3,
            threads: self.threads,
            documents,
            known_members,
        };
        let mut keys = Vec::new();
        let each = |each: &mut dyn FnMut(Place, &[u64]) -> Result<()>| {
            self.for_each_signature(|row, _, signature| {
                keys.clear();
                rule.keys(signature, &mut keys);
                group(row, &keys, each)
            })
        };
        match least {
            Some(least) => {
                let wanted = InCommon { least, common: COMMON_HOLDERS };
                matching::write_pairs_in_common(&task, wanted, each)
            }
            None => Ok(Grouped { groups: matching::write_groups(&task, each)?, left_out: 0 }),
        }
    }

    /// Calls `each` with the row, the id and the signature of every document, in order.
    pub(crate) fn for_each_signature(
        &self,
        mut each: impl FnMut(Row, &str, &Signature) -> Result<()>,
    ) -> Result<()> {
        SignatureReader::open(self.files.signatures())?.for_each_row(|row, id, signature| {
            each(row, id, signature)?;
            self.observer.tick(row.into())
        })
    }

    /// Whether documents of groups are read again.
    fn reads_again(&self) -> bool {
        self.recipe.reads_documents() || self.projects()
    }

    /// The rows whose documents verification needs: all that are in a group.
    pub(crate) fn wanted(&self, order: &Order) -> Result<RowSet> {
        let mut wanted = RowSet::none(order.sides().all());
        if self.reads_again() {
            let mut groups = GroupReader::open(&self.files.groups())?;
            while let Some(step) = groups.next()? {
                if let Step::Member(place) | Step::Held(place) = step {
                    wanted.insert(order.row(place));
                }
            }
        }
        Ok(wanted.count())
    }

    /// Writes the contents and the projections that verification needs; of how many documents.
    pub(crate) fn contents(&self, sources: &SourceTable, wanted: &RowSet) -> Result<u64> {
        if !self.reads_again() {
            return Ok(0);
        }
        let (projects, compares) = (self.projects(), self.recipe.reads_documents());
        let readings = u64::from(projects) + u64::from(compares);
        self.observer.begin(Stage::Verify, Some(Work::Documents(readings * wanted.len())));
        if projects {
            self.write_projections(sources, wanted)?;
        }
        if compares {
            self.write_contents(sources, wanted)?;
        }
        Ok(wanted.len())
    }

    /// Judges candidates and decides who stays.
    pub(crate) fn decide(
        &self,
        order: &Order,
        wanted: &RowSet,
        clustering: Clustering,
        pairs: Pairs,
    ) -> Result<Judgement> {
        self.observer.begin(Stage::Decide, None);
        let by_site = self.recipe.candidates == Candidates::BySite && self.lost.is_none();
        let signatures = SignatureLookup::open(self.files.signatures())?;
        let mut verifier = Verifier::new(Verifying {
            rule: self.pair_rule(),
            kernel: self.kernel,
            threads: self.threads,
            order,
            signatures: &signatures,
            sites: by_site.then(|| Rows::open(&self.files.sites(), SITES, 8)).transpose()?,
            projections: self
                .projects()
                .then(|| Projections::open(self.files, self.recipe, wanted))
                .transpose()?,
            contents: self
                .recipe
                .reads_documents()
                .then(|| Contents::open(self.files, wanted))
                .transpose()?,
            observer: self.observer,
        });
        let task = matching::ClusterTask {
            groups: &self.files.groups(),
            known: order.sides().known,
            clustering,
            judged: pairs,
            pairs: &self.files.judged_pairs(),
            keepers: &self.files.keepers(),
            folder: &self.files.sorting(),
            budget: self.budget / 4 * 3,
            threads: self.threads,
        };
        let clusters = matching::cluster(&task, &mut verifier, &|_| {})?;
        let LimitedGroups { groups, documents, largest } = clusters.limited;
        Ok(Judgement {
            candidates: clusters.candidates - verifier.beyond_the_rule,
            rounds: clusters.rounds,
            limited_groups: groups,
            limited_documents: documents,
            largest_limited: largest,
            common_keys: 0,
            refusals: verifier.refusals,
        })
    }
}
