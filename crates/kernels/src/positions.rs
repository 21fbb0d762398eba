//! Where the words of a window of text stand: what the vector kernels find first.

/// Bytes looked at before their words are fingerprinted. Positions fit 16 bits,
/// and bytes and positions together stay in the first-level cache.
#[cfg(target_arch = "x86_64")]
pub(crate) const WINDOW: usize = 4096;

/// Bytes before the window in the lower-cased copy: a short word is read as the
/// eight bytes that end with it.
#[cfg(target_arch = "x86_64")]
const BEFORE: usize = 8;

/// The most words in a window, and room for one vector of positions past them.
#[cfg(target_arch = "x86_64")]
const ROOM: usize = WINDOW / 2 + 64;

/// Memory for [`crate::Kernel::ascii_words`], 17 KB, kept from call to call:
/// to clear it anew would take longer than many a run of text does.
#[cfg(target_arch = "x86_64")]
pub struct Positions {
    /// The window in lower case after `BEFORE` bytes, followed by room for one vector.
    folded: [u8; BEFORE + WINDOW + 64],
    /// Where words start.
    pub(crate) starts: [u16; ROOM],
    /// Where they end.
    pub(crate) ends: [u16; ROOM],
    /// Which words have more than seven bytes.
    pub(crate) long: [u16; ROOM],
}

/// Memory for [`crate::Kernel::ascii_words`]: none here.
#[cfg(not(target_arch = "x86_64"))]
#[derive(Default)]
pub struct Positions;

#[cfg(target_arch = "x86_64")]
impl Default for Positions {
    fn default() -> Self {
        Self { folded: [0; _], starts: [0; ROOM], ends: [0; ROOM], long: [0; ROOM] }
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

    /// The lower-cased copy, and the room behind it.
    #[inline(always)]
    pub(crate) fn window(&self) -> &[u8] {
        &self.folded[BEFORE..]
    }

    /// The eight lower-cased bytes before `end`, first byte highest.
    #[inline(always)]
    pub(crate) fn word_ending_at(&self, end: usize) -> u64 {
        let bytes = &self.folded[BEFORE + end - 8..BEFORE + end];
        u64::from_be_bytes(*bytes.first_chunk().expect("a slice of 8 bytes"))
    }
}
