//! Sketches by themselves: small samples of sets, from which resemblance is estimated.
//!
//! A [`Signer`](crate::Signer) makes them as a recipe says. These are for programs with sets of their
//! own: elements are 64-bit fingerprints that [`mix_elements`] has mixed.
//!
//! ```
//! use lookalike::Kernel;
//! use lookalike::sketch::{Minwise, mix_elements};
//!
//! let kernel = Kernel::best();
//! let [a, b] = [0..1000_u64, 100..1100].map(|range| {
//!     let mut elements: Vec<u64> = range.collect();
//!     mix_elements(kernel, 7, &mut elements);
//!     let mut minwise = Minwise::new(kernel, 512, 7);
//!     minwise.push(&elements);
//!     minwise.sketch()
//! });
//! // In truth 900 of 1100.
//! assert!((a.resemblance(&b, kernel)? - 900.0 / 1100.0).abs() < 0.05);
//! # Ok::<(), lookalike::Error>(())
//! ```

pub use lookalike_core::sketch::{
    BitSketch, Bottom, BottomSketch, Lists, ListsSketch, Minwise, MinwiseSketch, Modular,
    ModularSketch, Sampled, bit_resemblance, mix_elements,
};
