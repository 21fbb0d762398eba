//! The door: which kernel, and every operation through it.

use std::fmt;

use crate::keyed::{BEHIND, LongWord};
use crate::rabin::{Rabin, Windows};
use crate::{Aes, Counters, Permutations, Positions, Projection, scalar};
#[cfg(target_arch = "x86_64")]
use crate::{avx2, avx512};

/// An instruction set this machine has, and the operations on it.
///
/// Copies are free. All kernels give the same bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernel(Isa);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Isa {
    #[cfg(target_arch = "x86_64")]
    Avx512,
    #[cfg(target_arch = "x86_64")]
    Avx2,
    Scalar,
}

impl Isa {
    /// In order of preference.
    const ALL: &[Self] = &[
        #[cfg(target_arch = "x86_64")]
        Self::Avx512,
        #[cfg(target_arch = "x86_64")]
        Self::Avx2,
        Self::Scalar,
    ];

    const fn name(self) -> &'static str {
        match self {
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => "avx512",
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => "avx2",
            Self::Scalar => "scalar",
        }
    }

    /// Whether this machine has every feature that the functions of the module enable.
    fn is_available(self) -> bool {
        match self {
            // Ice Lake and Zen 4 on. Older AVX-512 machines have no vector carry-less
            // multiplication and use avx2.
            #[cfg(target_arch = "x86_64")]
            Self::Avx512 => {
                Self::Avx2.is_available()
                    && is_x86_feature_detected!("avx512f")
                    && is_x86_feature_detected!("avx512bw")
                    && is_x86_feature_detected!("avx512dq")
                    && is_x86_feature_detected!("avx512vl")
                    && is_x86_feature_detected!("avx512vbmi2")
                    && is_x86_feature_detected!("avx512vpopcntdq")
                    && is_x86_feature_detected!("vpclmulqdq")
            }
            #[cfg(target_arch = "x86_64")]
            Self::Avx2 => {
                is_x86_feature_detected!("avx2")
                    && is_x86_feature_detected!("bmi1")
                    && is_x86_feature_detected!("bmi2")
                    && is_x86_feature_detected!("lzcnt")
                    && is_x86_feature_detected!("popcnt")
                    && is_x86_feature_detected!("pclmulqdq")
                    && is_x86_feature_detected!("aes")
            }
            Self::Scalar => true,
        }
    }
}

/// Why there is no such kernel.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum KernelError {
    /// No kernel has this name.
    Unknown(String),
    /// There is such a kernel, but this machine cannot run it.
    Unavailable(&'static str),
}

impl fmt::Display for KernelError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = Kernel::available().map(Kernel::name).collect::<Vec<_>>().join(", ");
        match self {
            Self::Unknown(name) => write!(f, "kernel `{name}` is unknown; here are: {names}"),
            Self::Unavailable(name) => {
                write!(
                    f,
                    "kernel `{name}` needs instructions that this machine lacks; here are: {names}"
                )
            }
        }
    }
}

impl std::error::Error for KernelError {}

/// Calls the named function of the kernel's module.
macro_rules! dispatch {
    ($kernel:expr, $function:ident($($argument:expr),*)) => {
        match $kernel.0 {
            // SAFETY: a Kernel of this kind is made only by `new`, after `is_available` found
            // every target feature that the module's functions enable.
            #[cfg(target_arch = "x86_64")]
            Isa::Avx512 => unsafe { avx512::$function($($argument),*) },
            // SAFETY: as above.
            #[cfg(target_arch = "x86_64")]
            Isa::Avx2 => unsafe { avx2::$function($($argument),*) },
            Isa::Scalar => scalar::$function($($argument),*),
        }
    };
}

impl Kernel {
    /// The portable kernel, on every machine.
    pub const SCALAR: Self = Self(Isa::Scalar);

    fn new(isa: Isa) -> Option<Self> {
        isa.is_available().then_some(Self(isa))
    }

    /// The kernels this machine can run, fastest first.
    pub fn available() -> impl Iterator<Item = Self> {
        Isa::ALL.iter().filter_map(|&isa| Self::new(isa))
    }

    /// The fastest kernel here.
    pub fn best() -> Self {
        Self::available().next().unwrap_or(Self::SCALAR)
    }

    /// The kernel of this name.
    ///
    /// # Errors
    /// If there is none, or this machine cannot run it; never another kernel instead.
    pub fn named(name: &str) -> Result<Self, KernelError> {
        let isa = Isa::ALL.iter().find(|isa| isa.name() == name);
        let isa = isa.ok_or_else(|| KernelError::Unknown(name.to_owned()))?;
        Self::new(*isa).ok_or(KernelError::Unavailable(isa.name()))
    }

    /// `avx512`, `avx2` or `scalar`.
    pub fn name(self) -> &'static str {
        self.0.name()
    }
}

/// The operations: for the crates of this workspace, which say what they are given, and no part of what
/// users of [`Kernel`] can rely on.
#[doc(hidden)]
impl Kernel {
    /// The words of an ASCII run, folded and fingerprinted.
    ///
    /// Reads from the start of `text` and writes a token for each maximal run of
    /// ASCII letters and digits, lower-cased. Returns how many bytes were
    /// consumed and how many tokens written. It stops before the run that
    /// touches the first byte that is not ASCII, before a run followed by `://`,
    /// and where `tokens` is full. Unless it consumed nothing or everything, the
    /// last consumed byte is neither letter nor digit and the next one is ASCII:
    /// a place where no word and no combining sequence is cut.
    ///
    /// It may consume nothing at all, if one run is longer than its window.
    pub fn ascii_words(
        self,
        positions: &mut Positions,
        text: &[u8],
        tokens: &mut [u64],
    ) -> (usize, usize) {
        dispatch!(self, ascii_words(positions, text, tokens))
    }

    /// As [`ascii_words`](Self::ascii_words), and writes the [code](crate::keyed) of each word too.
    ///
    /// # Panics
    /// Unless there is room for as many codes as tokens.
    pub fn keyed_ascii_words(
        self,
        aes: &Aes,
        positions: &mut Positions,
        text: &[u8],
        tokens: &mut [u64],
        codes: &mut [u64],
    ) -> (usize, usize) {
        assert_eq!(tokens.len(), codes.len(), "a code for each token");
        dispatch!(self, keyed_ascii_words(aes, positions, text, tokens, codes))
    }

    /// Writes the codes of long words, each at its number.
    ///
    /// # Panics
    /// If a number is too high, or no [`BEHIND`] bytes follow a word in the buffer.
    pub fn long_codes(self, aes: &Aes, buffer: &[u8], words: &[LongWord], codes: &mut [u64]) {
        let end = words.iter().map(|word| word.end as usize).max().unwrap_or(0);
        assert!(words.is_empty() || end + BEHIND <= buffer.len(), "bytes behind the last word");
        dispatch!(self, long_codes(aes, buffer, words, codes));
    }

    /// Encrypts each number as a block of 128 bits and leaves the low half: a random function, for
    /// who does not know the key.
    pub fn seal(self, aes: &Aes, numbers: &mut [u64]) {
        dispatch!(self, seal(aes, numbers));
    }

    /// The Rabin fingerprint `f` of some words, with more words appended.
    pub fn append_words(self, rabin: &Rabin, f: u64, words: &[u64]) -> u64 {
        dispatch!(self, append_words(rabin, f, words))
    }

    /// The fingerprint of every window of tokens, in order.
    ///
    /// # Panics
    /// Unless `out` has room for exactly [`Windows::count`] of them.
    pub fn windows(self, windows: &Windows, tokens: &[u64], out: &mut [u64]) {
        assert_eq!(out.len(), windows.count(tokens.len()), "a place for each window");
        if !out.is_empty() {
            dispatch!(self, windows(windows, tokens, out));
        }
    }

    /// [`crate::mix`] of each value xor `seed`, in place.
    pub fn mix(self, seed: u64, values: &mut [u64]) {
        dispatch!(self, mix(seed, values));
    }

    /// Lowers `minima` to the smallest image of any element under each permutation.
    ///
    /// The elements must be mixed.
    ///
    /// # Panics
    /// Unless there is one minimum for each permutation.
    pub fn minima(self, permutations: &Permutations, elements: &[u64], minima: &mut [u64]) {
        assert_eq!(minima.len(), permutations.len(), "a minimum for each permutation");
        dispatch!(self, minima(permutations, elements, minima));
    }

    /// Adds the signs of each mixed token to the counters.
    pub fn project(self, projection: &Projection, tokens: &[u64], counters: &mut Counters) {
        dispatch!(self, project(projection, tokens, counters));
    }

    /// The number of bits in which two projections differ.
    ///
    /// # Panics
    /// Unless both have the same length.
    pub fn hamming(self, a: &[u64], b: &[u64]) -> u32 {
        assert_eq!(a.len(), b.len(), "projections of one length");
        dispatch!(self, hamming(a, b))
    }

    /// The number of places where two sketches agree.
    ///
    /// # Panics
    /// Unless both have the same length.
    pub fn equal_slots(self, a: &[u64], b: &[u64]) -> usize {
        assert_eq!(a.len(), b.len(), "sketches of one length");
        dispatch!(self, equal_slots(a, b))
    }

    /// The size of the intersection of two sets, each sorted and without repeats.
    pub fn intersection(self, a: &[u64], b: &[u64]) -> usize {
        dispatch!(self, intersection(a, b))
    }
}
