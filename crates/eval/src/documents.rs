//! What is known of each document, in memory: what pairs are measured by.
//!
//! B-similarity and C-similarity are always Henzinger's (6 features of 14
//! minima over 8-word shingles, 384 bits over words), whatever a recipe looks
//! at, so that recipes can be compared. Identity sets are those of words.

use std::collections::HashMap;

use lookalike_core::feature::b_similarity;
use lookalike_core::{Kernel, Recipe, SiteRule};
use lookalike_engine::{Observer, RecipePairs, Row};
use xxhash_rust::xxh3::xxh3_128;

use crate::error::{LabelFault, Result};
use crate::page_quality::BYTES_PER_PAGE;
use crate::tally::{BITS, Common, FEATURES, Sites};

/// Words of a projection.
const WORDS: usize = BITS / 64;

/// Bytes of the counts of a site (`faults.rs`), in a table that is half empty at worst.
const BYTES_PER_SITE: u64 = 2 * (8 + 24 + 8);

/// Bytes that are held of a document: features, projection, site, degree, id, representative,
/// cluster, whether it is empty; what labels say of it; and the pairs of its site, if each is of a
/// site of its own.
pub(crate) const BYTES_PER_DOCUMENT: u64 =
    (8 * (FEATURES + WORDS + 1) + 4 + 48 + 4 + 4 + 1) as u64 + BYTES_PER_SITE + BYTES_PER_PAGE;

/// The recipe that measures: it has features, a projection and sites.
pub(crate) fn measure(sites: SiteRule) -> Result<Recipe> {
    let recipe = Recipe::preset("henzinger-sites")?;
    Ok(Recipe { sites, ..recipe })
}

/// The documents of an evaluation.
pub(crate) struct Documents {
    kernel: Kernel,
    features: Vec<[u64; FEATURES]>,
    projections: Vec<[u64; WORDS]>,
    /// Hashes of sites; 0 is none.
    sites: Vec<u64>,
    /// Rows by the hashes of ids; `None` for ids of several documents.
    ids: HashMap<u128, Option<Row>>,
    /// The first document with the same tokens, for all that are left out.
    first: HashMap<Row, Row>,
    /// Documents without tokens.
    empty: Vec<bool>,
}

impl Documents {
    /// From what the recipe that measures has signed.
    pub(crate) fn load(
        found: &RecipePairs,
        kernel: Kernel,
        observer: &dyn Observer,
    ) -> Result<Self> {
        let number = found.documents() as usize;
        let mut documents = Self {
            kernel,
            features: Vec::with_capacity(number),
            projections: Vec::with_capacity(number),
            sites: Vec::with_capacity(number),
            ids: HashMap::with_capacity(number),
            first: HashMap::new(),
            empty: Vec::with_capacity(number),
        };
        found.for_each_document(observer, |id, signature, site| {
            let row = Row::nth(documents.len());
            documents.features.push(array(&signature.features));
            documents.projections.push(array(&signature.projection));
            documents.sites.push(site);
            documents.empty.push(signature.is_empty());
            let known = documents.ids.entry(xxh3_128(id.as_bytes()));
            known.and_modify(|row| *row = None).or_insert(Some(row));
            Ok(())
        })?;
        found.for_each_identical(|copy, first| {
            documents.first.insert(copy, first);
        })?;
        Ok(documents)
    }

    pub(crate) fn len(&self) -> u64 {
        self.features.len() as u64
    }

    /// Documents without tokens: they resemble nothing.
    pub(crate) fn empty(&self) -> u64 {
        self.empty.iter().filter(|empty| **empty).count() as u64
    }

    /// Documents that are left out for a copy before them.
    pub(crate) fn removed(&self) -> u64 {
        self.first.len() as u64
    }

    pub(crate) fn is_removed(&self, row: Row) -> bool {
        self.first.contains_key(&row)
    }

    /// Whether two documents are of one identity set, where these are removed.
    pub(crate) fn are_identical(&self, a: Row, b: Row) -> bool {
        let first = |row: Row| self.first.get(&row).copied().unwrap_or(row);
        first(a) == first(b)
    }

    /// The row of a document.
    pub(crate) fn row_of(&self, id: String) -> Result<Row, LabelFault> {
        match self.ids.get(&xxh3_128(id.as_bytes())) {
            Some(Some(row)) => Ok(*row),
            Some(None) => Err(LabelFault::AmbiguousId(id)),
            None => Err(LabelFault::UnknownId(id)),
        }
    }

    /// How many different sites there are, of documents that are not left out.
    pub(crate) fn sites(&self) -> u64 {
        let rows = Row::all().zip(&self.sites).filter(|(row, _)| !self.is_removed(*row));
        let mut sites: Vec<u64> = rows.map(|(_, site)| *site).filter(|site| *site != 0).collect();
        sites.sort_unstable();
        sites.dedup();
        sites.len() as u64
    }

    /// The hash of a document's site; 0 is none.
    pub(crate) fn site(&self, row: Row) -> u64 {
        self.sites[row.index()]
    }

    /// What two documents have in common.
    pub(crate) fn common(&self, a: Row, b: Row) -> Common {
        let (a, b) = (a.index(), b.index());
        let sites = match (self.sites[a], self.sites[b]) {
            (0, _) | (_, 0) => Sites::Unknown,
            (a, b) if a == b => Sites::Same,
            _ => Sites::Different,
        };
        if self.empty[a] || self.empty[b] {
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
