//! Clusters as connected components: union-find over rows.
//!
//! Eight bytes a document. Near-duplication is not transitive, but is often used as
//! if it were (Radinsky); this is the papers' clustering.

/// Rows joined by pairs.
///
/// The smallest row of a component stands for it, so that the result does not
/// depend on the order of the pairs.
pub struct Components {
    /// A row nearer to the smallest of its component, or the row itself.
    parents: Vec<u64>,
}

impl Components {
    /// `rows` rows, each on its own.
    pub fn new(rows: u64) -> Self {
        Self { parents: (0..rows).collect() }
    }

    /// The smallest row of the component.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn find(&mut self, mut row: u64) -> u64 {
        loop {
            let parent = self.parents[row as usize];
            if parent == row {
                return row;
            }
            // Path halving: every other row on the way skips one.
            let grandparent = self.parents[parent as usize];
            self.parents[row as usize] = grandparent;
            row = grandparent;
        }
    }

    /// Joins the components of two rows; false if they were one already.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn join(&mut self, a: u64, b: u64) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        // Towards the smaller row: with path halving still logarithmic on average, and
        // deterministic.
        let (smaller, larger) = (a.min(b), a.max(b));
        self.parents[larger as usize] = smaller;
        a != b
    }
}
