//! SIMD kernels and their scalar twins.
//!
//! Everything that touches each byte or each token of a document lives here,
//! once naively in [`mod@reference`], once portably in `scalar`, and once for each
//! instruction set that pays: `avx2` and `avx512`. All give the same bits; the
//! suite in `tests/kernels_agree.rs` runs each against the reference. This is
//! the only crate with `unsafe`, so [`allocator`] is here too, and it depends on
//! nothing.
//!
//! A [`Kernel`] is the door. It is a value, not a global: whoever holds one
//! holds the proof that this machine can run it.
//!
//! ```
//! use lookalike_kernels::{Kernel, Permutations};
//!
//! let kernel = Kernel::best();
//! let permutations = Permutations::new(84, 0);
//! let mut minima = permutations.start();
//! kernel.minima(&permutations, &[17, 4, 99], &mut minima);
//! assert_eq!(minima.len(), 84);
//! ```

mod aes;
pub mod allocator;
mod kernel;
pub mod keyed;
mod mix;
mod permutations;
mod positions;
mod projection;
pub mod rabin;
pub mod reference;
mod search;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod scalar;

pub use aes::Aes;
pub use kernel::{Kernel, KernelError};
pub use mix::{Sequence, mix};
pub use permutations::Permutations;
pub use positions::Positions;
pub use projection::{Counters, MAX_BITS, Projection};
pub use scalar::letters;
pub use search::first_of;
