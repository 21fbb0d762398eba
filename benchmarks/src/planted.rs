//! Synthetic documents with planted copies and near-duplicates.
//!
//! Everything about a document follows from its number by arithmetic, so that
//! a hundred million of them are checked without a table.

use lookalike_core::{Signature, mix};

/// Features of a document: those of the recipe `text`.
pub(crate) const FEATURES: usize = 13;

/// The feature that documents of the template share. Near-duplicates share others only: a
/// template's group is larger than the limit, and need not give all its pairs.
const TEMPLATE_FEATURE: usize = FEATURES - 1;

/// What a document is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Document {
    /// Like nothing before it.
    Original,
    /// An original that shares a feature with others like it.
    Template,
    /// The same as an earlier original.
    Copy { of: u32 },
    /// Shares those features with an earlier original whose bits are set.
    Near { of: u32, shared: u16 },
}

/// The corpus of a seed.
#[derive(Clone, Copy)]
pub(crate) struct Planted {
    pub(crate) seed: u64,
}

impl Planted {
    /// A random number for a purpose and a document.
    fn random(self, purpose: u64, number: u64) -> u64 {
        mix(mix(self.seed ^ purpose) ^ number)
    }

    /// In thousandths: 20 copies, 100 near-duplicates, one of the template.
    fn share(self, place: u32) -> u64 {
        // The first document is an original: there is nothing before it.
        if place == 0 { 999 } else { self.random(1, place.into()) % 1000 }
    }

    fn is_original(self, place: u32) -> bool {
        self.share(place) >= 120
    }

    pub(crate) fn document(self, place: u32) -> Document {
        match self.share(place) {
            0..20 => Document::Copy { of: self.original_before(place) },
            20..120 => {
                Document::Near { of: self.original_before(place), shared: self.shared(place) }
            }
            120 => Document::Template,
            _ => Document::Original,
        }
    }

    /// A random original before this place.
    fn original_before(self, place: u32) -> u32 {
        let mut random = self.random(2, place.into());
        loop {
            let before = (random % u64::from(place)) as u32;
            if self.is_original(before) {
                return before;
            }
            random = mix(random);
        }
    }

    /// One to twelve features.
    fn shared(self, place: u32) -> u16 {
        let mut random = self.random(3, place.into());
        let count = 1 + random % TEMPLATE_FEATURE as u64;
        let mut shared = 0u16;
        while u64::from(shared.count_ones()) < count {
            random = mix(random);
            shared |= 1 << (random % TEMPLATE_FEATURE as u64);
        }
        shared
    }

    fn feature(self, place: u32, feature: usize) -> u64 {
        self.random(4, u64::from(place) * FEATURES as u64 + feature as u64)
    }

    /// Fills in the signature of a document.
    pub(crate) fn sign(self, place: u32, signature: &mut Signature) {
        let (source, shared) = match self.document(place) {
            Document::Copy { of } => (of, u16::MAX),
            Document::Near { of, shared } => (of, shared),
            Document::Original | Document::Template => (place, 0),
        };
        signature.tokens = 100;
        let text = if shared == u16::MAX { source } else { place };
        signature.exact =
            u128::from(self.random(5, text.into())) << 64 | u128::from(self.random(6, text.into()));
        signature.features.clear();
        for feature in 0..FEATURES {
            let of = if shared >> feature & 1 == 1 { source } else { place };
            let template = feature == TEMPLATE_FEATURE && self.document(of) == Document::Template;
            let value = if template { mix(self.seed) } else { self.feature(of, feature) };
            signature.features.push(value);
        }
    }
}
