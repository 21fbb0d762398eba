//! Where the words of a window of text stand: what the vector kernels find first.

/// Bytes looked at before their words are fingerprinted. Positions fit 16 bits,
/// and bytes and positions together stay in the first-level cache.
#[cfg(target_arch = "x86_64")]
pub(crate) const WINDOW: usize = 4096;

/// Bytes before the window in the lower-cased copy: a short word is read as the
/// eight bytes that end with it.
#[cfg(target_arch = "x86_64")]
const BEFORE: usize = 8;

/// The most words in a window.
#[cfg(target_arch = "x86_64")]
const WORDS: usize = WINDOW / 2;

/// Memory for [`crate::Kernel::ascii_words`], 17 KB, kept from call to call:
/// to clear it anew would take longer than many a run of text does.
#[cfg(target_arch = "x86_64")]
pub struct Positions {
    /// The window in lower case after `BEFORE` bytes, followed by room for one vector.
    folded: [u8; BEFORE + WINDOW + 64],
    /// Where words start and end, in turns, and room for those of one block past them.
    pub(crate) bounds: [u16; 2 * WORDS + 64],
    /// Which words have more than seven bytes, and room for four past them.
    pub(crate) long: [u16; WORDS + 4],
}

/// Memory for [`crate::Kernel::ascii_words`]: none here.
#[cfg(not(target_arch = "x86_64"))]
#[derive(Default)]
pub struct Positions;

#[cfg(target_arch = "x86_64")]
impl Default for Positions {
    fn default() -> Self {
        Self { folded: [0; _], bounds: [0; _], long: [0; _] }
    }
}

#[cfg(target_arch = "x86_64")]
impl Positions {
    /// The place of 64 bytes at `at` in the lower-cased copy.
    #[inline(always)]
    pub(crate) fn folded(&mut self, at: usize) -> &mut [u8; 64] {
        let at = BEFORE + at;
        self.folded[at..at + 64].first_chunk_mut().expect("a slice of 64 bytes")
    }

    /// Where word number `i` starts and ends.
    #[inline(always)]
    pub(crate) fn word(&self, i: usize) -> (usize, usize) {
        let [start, end] = self.bounds.as_chunks::<2>().0[i];
        (start.into(), end.into())
    }

    /// The lower-cased copy, and the room behind it.
    #[inline(always)]
    pub(crate) fn window(&self) -> &[u8] {
        &self.folded[BEFORE..]
    }

    /// The eight lower-cased bytes before `end`, last byte highest.
    #[inline(always)]
    pub(crate) fn bytes_before(&self, end: usize) -> u64 {
        let bytes = &self.folded[BEFORE + end - 8..BEFORE + end];
        u64::from_le_bytes(*bytes.first_chunk().expect("a slice of 8 bytes"))
    }

    /// The eight lower-cased bytes before `end`, first byte highest.
    #[inline(always)]
    pub(crate) fn word_ending_at(&self, end: usize) -> u64 {
        self.bytes_before(end).swap_bytes()
    }
}
