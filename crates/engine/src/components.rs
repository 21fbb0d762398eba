//! Clusters as connected components: union-find over places.
//!
//! Four bytes a document. Near-duplication is not transitive, but is often used as
//! if it were (Radinsky); this is the papers' clustering.

/// Places joined by pairs.
///
/// The smallest place of a component stands for it, so that the result does not
/// depend on the order of the pairs.
pub struct Components {
    /// A place nearer to the smallest of its component, or the place itself.
    parents: Vec<u32>,
}

impl Components {
    /// `documents` places, each on its own.
    pub fn new(documents: u32) -> Self {
        Self { parents: (0..documents).collect() }
    }

    /// The smallest place of the component.
    ///
    /// # Panics
    /// If there is no such place.
    pub fn find(&mut self, mut place: u32) -> u32 {
        loop {
            let parent = self.parents[place as usize];
            if parent == place {
                return place;
            }
            // Path halving: every other place on the way skips one.
            let grandparent = self.parents[parent as usize];
            self.parents[place as usize] = grandparent;
            place = grandparent;
        }
    }

    /// Joins the components of two places; false if they were one already.
    ///
    /// # Panics
    /// If there is no such place.
    pub fn join(&mut self, a: u32, b: u32) -> bool {
        let (a, b) = (self.find(a), self.find(b));
        // Towards the smaller place: with path halving still logarithmic on average, and
        // deterministic.
        let (smaller, larger) = (a.min(b), a.max(b));
        self.parents[larger as usize] = smaller;
        a != b
    }

    /// For each place one nearer to the smallest of its component, or the place itself.
    pub(crate) fn parents(&self) -> &[u32] {
        &self.parents
    }

    /// For each place the smallest of its component.
    pub fn into_smallest(mut self) -> Vec<u32> {
        // A parent is smaller, and so already has its own answer.
        for place in 0..self.parents.len() {
            self.parents[place] = self.parents[self.parents[place] as usize];
        }
        self.parents
    }
}
