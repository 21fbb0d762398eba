//! Exact resemblance and containment of two documents.

use lookalike_kernels::Kernel;

use crate::shingle::ShingleSet;

/// How much two sets have in common: everything else follows from three sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[doc(alias = "Jaccard")]
pub struct Overlap {
    /// Elements of a.
    pub a: u64,
    /// Elements of b.
    pub b: u64,
    /// Elements of both.
    pub common: u64,
}

impl Overlap {
    /// Counts what two documents share.
    pub fn of(kernel: Kernel, a: &ShingleSet, b: &ShingleSet) -> Self {
        let common = kernel.intersection(a.as_slice(), b.as_slice());
        Self { a: a.len() as u64, b: b.len() as u64, common: common as u64 }
    }

    /// |a and b| / |a or b|. An empty document resembles nothing, not even another.
    #[doc(alias = "Jaccard")]
    pub fn resemblance(self) -> f64 {
        share(self.common, self.a + self.b - self.common)
    }

    /// The share of a that is in b.
    pub fn containment_a(self) -> f64 {
        share(self.common, self.a)
    }

    /// The share of b that is in a.
    pub fn containment_b(self) -> f64 {
        share(self.common, self.b)
    }
}

/// part / whole, and 0 of nothing.
pub(crate) fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}
