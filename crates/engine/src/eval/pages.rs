//! What is known of each document, in memory: what pairs are measured by.
//!
//! B-similarity and C-similarity are always Henzinger's (6 features of 14
//! minima over 8-word shingles, 384 bits over words), whatever a recipe looks
//! at, so that recipes can be compared. Identity sets are those of words.

use std::collections::HashMap;

use lookalike_core::feature::b_similarity;
use lookalike_core::{Kernel, Recipe, SiteRule};
use lookalike_files::Rows;
use xxhash_rust::xxh3::xxh3_128;

use super::labels::LabelFault;
use super::tally::{BITS, Common, FEATURES, Sites};
use crate::error::{Error, Result};
use crate::group::Copies;
use crate::row_set::RowSet;
use crate::sign::SITES;
use crate::stages::Stages;

/// Words of a projection.
const WORDS: usize = BITS / 64;

/// Bytes that are held of a document: features, projection, site, degree, id, representative.
pub(super) const BYTES_PER_PAGE: u64 = (8 * (FEATURES + WORDS + 1) + 4 + 48 + 4) as u64;

/// The recipe that measures: it has features, a projection and sites.
pub(super) fn measure(sites: SiteRule) -> Result<Recipe> {
    let recipe = Recipe::preset("henzinger-sites").map_err(Error::recipe)?;
    Ok(Recipe { sites, ..recipe })
}

/// The documents of an evaluation.
pub(super) struct Pages {
    kernel: Kernel,
    features: Vec<[u64; FEATURES]>,
    projections: Vec<[u64; WORDS]>,
    /// Hashes of sites; 0 is none.
    sites: Vec<u64>,
    /// Rows by the hashes of ids; `None` for ids of several documents.
    ids: HashMap<u128, Option<u32>>,
    /// The first document with the same tokens, for all that are left out.
    first: HashMap<u32, u32>,
    /// Documents without tokens.
    empty: RowSet,
}

impl Pages {
    /// From what the recipe that measures has signed.
    pub(super) fn load(stages: &Stages<'_>, documents: u64, copies: &Copies) -> Result<Self> {
        let mut pages = Self {
            kernel: stages.kernel,
            features: Vec::with_capacity(documents as usize),
            projections: Vec::with_capacity(documents as usize),
            sites: Vec::with_capacity(documents as usize),
            ids: HashMap::with_capacity(documents as usize),
            first: HashMap::new(),
            empty: RowSet::none(documents),
        };
        stages.for_each_signature(|row, id, signature| {
            pages.features.push(array(&signature.features));
            pages.projections.push(array(&signature.projection));
            if signature.is_empty() {
                pages.empty.insert(row);
            }
            let known = pages.ids.entry(xxh3_128(id.as_bytes()));
            known.and_modify(|row| *row = None).or_insert(Some(row as u32));
            Ok(())
        })?;
        Rows::open(&stages.files.sites(), SITES, 8)?.for_each(|_, site| -> Result<()> {
            pages.sites.push(u64::from_le_bytes(site.try_into().unwrap_or_default()));
            Ok(())
        })?;
        let mut list = copies.list()?;
        while let Some(copy) = list.next()? {
            pages.first.insert(copy.copy, copy.representative);
        }
        pages.empty = pages.empty.count();
        Ok(pages)
    }

    pub(super) fn len(&self) -> u64 {
        self.features.len() as u64
    }

    /// Documents without tokens: they resemble nothing.
    pub(super) fn empty(&self) -> u64 {
        self.empty.len()
    }

    /// Documents that are left out for a copy before them.
    pub(super) fn removed(&self) -> u64 {
        self.first.len() as u64
    }

    pub(super) fn is_removed(&self, row: u32) -> bool {
        self.first.contains_key(&row)
    }

    /// Whether two documents are of one identity set, where these are removed.
    pub(super) fn are_identical(&self, a: u32, b: u32) -> bool {
        let first = |row: u32| self.first.get(&row).copied().unwrap_or(row);
        first(a) == first(b)
    }

    /// The row of a document.
    pub(super) fn row_of(&self, id: String) -> Result<u32, LabelFault> {
        match self.ids.get(&xxh3_128(id.as_bytes())) {
            Some(Some(row)) => Ok(*row),
            Some(None) => Err(LabelFault::AmbiguousId(id)),
            None => Err(LabelFault::UnknownId(id)),
        }
    }

    /// How many different sites there are, of documents that are not left out.
    pub(super) fn sites(&self) -> u64 {
        let rows = (0_u32..).zip(&self.sites).filter(|(row, _)| !self.is_removed(*row));
        let mut sites: Vec<u64> = rows.map(|(_, site)| *site).filter(|site| *site != 0).collect();
        sites.sort_unstable();
        sites.dedup();
        sites.len() as u64
    }

    /// What two documents have in common.
    pub(super) fn common(&self, a: u32, b: u32) -> Common {
        let empty = [a, b].iter().any(|row| self.empty.contains(u64::from(*row)));
        let (a, b) = (a as usize, b as usize);
        let sites = match (self.sites[a], self.sites[b]) {
            (0, _) | (_, 0) => Sites::Unknown,
            (a, b) if a == b => Sites::Same,
            _ => Sites::Different,
        };
        if empty {
            return Common { sites, features: 0, bits: 0 };
        }
        let differ = self.kernel.hamming(&self.projections[a], &self.projections[b]);
        Common {
            sites,
            features: b_similarity(&self.features[a], &self.features[b]),
            bits: BITS - differ as usize,
        }
    }
}

/// The words of a signature, of which an empty document has none.
fn array<const N: usize>(words: &[u64]) -> [u64; N] {
    std::array::from_fn(|n| words.get(n).copied().unwrap_or(0))
}
