//! Clusters as connected components: union-find over documents.
//!
//! Four bytes a document. Near-duplication is not transitive, but is often used as
//! if it were (Radinsky); this is the papers' clustering.

use crate::places::Number;

/// Documents joined by pairs.
///
/// The first document of a component stands for it, so that the result does not
/// depend on the order of the pairs.
pub struct Components<Order> {
    /// One nearer to the first of its component, or itself.
    parents: Vec<Number<Order>>,
}

impl<O: Copy + Ord> Components<O> {
    /// So many documents, each on its own.
    pub fn new(documents: u64) -> Self {
        Self { parents: Number::all().take(documents as usize).collect() }
    }

    /// The first document of the component.
    ///
    /// # Panics
    /// If there is no such document.
    pub fn find(&mut self, mut document: Number<O>) -> Number<O> {
        loop {
            let parent = self.parents[document.index()];
            if parent == document {
                return document;
            }
            // Path halving: every other one on the way skips one.
            let grandparent = self.parents[parent.index()];
            self.parents[document.index()] = grandparent;
            document = grandparent;
        }
    }

    /// Joins the components of two documents; false if they were one already.
    ///
    /// # Panics
    /// If there is no such document.
    pub fn join(&mut self, a: Number<O>, b: Number<O>) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        // Towards the smaller number: with path halving still logarithmic on average, and
        // deterministic.
        let (smaller, larger) = (a.min(b), a.max(b));
        self.parents[larger.index()] = smaller;
        a != b
    }

    /// For each document one nearer to the first of its component, or itself.
    pub(crate) fn parents(&self) -> &[Number<O>] {
        &self.parents
    }

    /// For each document the first of its component.
    pub fn into_smallest(mut self) -> Vec<Number<O>> {
        // A parent is smaller, and so already has its own answer.
        for at in 0..self.parents.len() {
            self.parents[at] = self.parents[self.parents[at].index()];
        }
        self.parents
    }
}
