//! What is sorted: records of a fixed width.

use lookalike_files::double_word;

/// A record of fixed width.
pub trait Record: Copy + Ord + Send + Sync {
    /// Its bytes in a run.
    const BYTES: usize;

    /// Writes it into `BYTES` bytes.
    fn encode(self, out: &mut [u8]);

    /// Reads it from `BYTES` bytes.
    fn decode(bytes: &[u8]) -> Self;
}

impl Record for u64 {
    const BYTES: usize = 8;

    fn encode(self, out: &mut [u8]) {
        out.copy_from_slice(&self.to_le_bytes());
    }

    fn decode(bytes: &[u8]) -> Self {
        double_word(bytes, 0)
    }
}

/// Words, the first of which come first.
impl<const N: usize> Record for [u64; N] {
    const BYTES: usize = 8 * N;

    fn encode(self, out: &mut [u8]) {
        for (bytes, word) in out.as_chunks_mut().0.iter_mut().zip(self) {
            *bytes = word.to_le_bytes();
        }
    }

    fn decode(bytes: &[u8]) -> Self {
        std::array::from_fn(|n| double_word(bytes, 8 * n))
    }
}
