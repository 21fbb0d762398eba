//! Signatures: what is kept of a document.
//!
//! A signature has a fixed width that the recipe gives: 16 bytes for the exact
//! fingerprint, 4 for the number of tokens, 8 for each feature, b / 8 for the
//! projection if the recipe keeps it, and so for the sketch. `henzinger-combined`
//! takes 116 bytes. Broder's features alone are 48 of them, and all that is kept where the recipe says
//! that the fingerprint and the tokens are not (`exact.keep`).

use lookalike_kernels::Kernel;
use lookalike_kernels::rabin::TOKENS;

use crate::feature;
use crate::recipe::{Recipe, SketchParameters};
use crate::resemblance::share;
use crate::sketch::{Sampled, bottom_sampled, lists_in_common, modular_sampled};

/// What is kept of a document.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
pub struct Signature {
    /// The fingerprint of the whole token sequence: equal for documents of one
    /// identity set, and by chance for no others. Public: documents can be made that have the
    /// same, so it proposes and does not decide.
    #[cfg_attr(feature = "serde", serde(with = "crate::stored::hexadecimal"))]
    pub exact: u128,
    /// What decides: equal for documents of one identity set, and for no others, neither by chance
    /// nor by intent. Made by a [keyed signer](crate::Signer::keyed) only, for as long as the key
    /// is used; no file of signatures has it.
    #[cfg_attr(feature = "serde", serde(skip))]
    pub identity: Option<u128>,
    /// Tokens in the document; 0 for an empty one, which resembles nothing.
    pub tokens: u64,
    /// The k features, if the recipe has any.
    #[doc(alias = "LSH")]
    pub features: Vec<u64>,
    /// The projection in words of 64 bits, place i at bit i % 64 of word i / 64; none if the recipe
    /// does not keep it.
    #[doc(alias = "SimHash")]
    pub projection: Vec<u64>,
    /// The sketch: minvalues, smallest elements, list fingerprints, or n and the elements that are 0 mod n.
    #[doc(alias = "MinHash")]
    pub sketch: Vec<u64>,
}

impl Signature {
    /// Whether the document had no tokens.
    pub fn is_empty(&self) -> bool {
        self.tokens == 0
    }

    /// The projection as bytes, place i at bit i % 8 of byte i / 8.
    pub fn projection_bytes(&self, recipe: &Recipe) -> Vec<u8> {
        let bytes = recipe.projection.map_or(0, |projection| projection.bits / 8);
        self.projection.iter().flat_map(|word| word.to_le_bytes()).take(bytes).collect()
    }
}

/// Compares signatures made by one recipe.
#[derive(Clone, Debug)]
pub struct Similarity {
    kernel: Kernel,
    recipe: Recipe,
}

impl Similarity {
    /// For signatures of this recipe.
    pub fn new(kernel: Kernel, recipe: &Recipe) -> Self {
        Self { kernel, recipe: recipe.clone() }
    }

    /// Equal features out of k; `None` if the recipe has no features.
    pub fn b(&self, a: &Signature, b: &Signature) -> Option<usize> {
        self.recipe.features?;
        let empty = a.is_empty() || b.is_empty();
        Some(if empty { 0 } else { feature::b_similarity(&a.features, &b.features) })
    }

    /// Equal bits out of b; `None` if the recipe has no projection, or the signatures were kept without.
    pub fn c(&self, a: &Signature, b: &Signature) -> Option<usize> {
        let bits = self.recipe.projection?.bits;
        let has = |of: &Signature| of.projection.len() == bits.div_ceil(64);
        let are_known = self.recipe.keep_projection || (has(a) && has(b));
        if !are_known {
            return None;
        }
        let empty = a.is_empty() || b.is_empty();
        let differ = self.kernel.hamming(&a.projection, &b.projection) as usize;
        Some(if empty { 0 } else { bits - differ })
    }

    /// Repeats of Pugh's lists that share one; `None` if the recipe has no lists.
    pub fn lists(&self, a: &Signature, b: &Signature) -> Option<usize> {
        let SketchParameters::Lists { lists, .. } = self.recipe.sketch else { return None };
        Some(lists_in_common(lists, &a.sketch, &b.sketch))
    }

    /// What bottom and modular sketches sampled; `None` if the recipe's is another one.
    pub fn sampled(&self, a: &Signature, b: &Signature) -> Option<Sampled> {
        let (a_elements, b_elements) = (&a.sketch[..], &b.sketch[..]);
        let sampled = match self.recipe.sketch {
            SketchParameters::Bottom { size } => {
                bottom_sampled(self.kernel, size, a_elements, b_elements)
            }
            SketchParameters::Modular { .. } => {
                modular_sampled(self.kernel, a_elements, b_elements)
            }
            SketchParameters::None
            | SketchParameters::Minwise { .. }
            | SketchParameters::Lists { .. } => return None,
        };
        Some(if a.is_empty() || b.is_empty() { Sampled::default() } else { sampled })
    }

    /// The resemblance estimated from the sketches; `None` if the recipe's
    /// sketch gives no estimate, was not kept, or sampled nothing of either document.
    pub fn estimate(&self, a: &Signature, b: &Signature) -> Option<f64> {
        if a.is_empty() || b.is_empty() {
            return self.recipe.sketch.estimates_resemblance().then_some(0.0);
        }
        match self.recipe.sketch {
            SketchParameters::Minwise { permutations } => {
                if a.sketch.len() != permutations || b.sketch.len() != permutations {
                    return None;
                }
                let equal = self.kernel.equal_slots(&a.sketch, &b.sketch);
                Some(share(equal as u64, permutations as u64))
            }
            SketchParameters::Bottom { .. } | SketchParameters::Modular { .. } => {
                let Sampled { common, of } = self.sampled(a, b)?;
                (of > 0).then(|| share(common as u64, of as u64))
            }
            SketchParameters::None | SketchParameters::Lists { .. } => None,
        }
    }
}

/// The exact fingerprint and the number of tokens.
const EXACT_BYTES: usize = 16 + 4;

/// What fills the signature of an empty document where the number of tokens is not kept.
const EMPTY: u8 = 0xff;

/// How a recipe's signatures lie in a file: fixed width, little endian.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Whether the exact fingerprint and the number of tokens are kept.
    exact: bool,
    features: usize,
    projection_bytes: usize,
    /// Words of the sketch, if it is kept.
    sketch: usize,
    /// Whether fewer words may be in use, the rest filled up.
    variable: bool,
}

impl Layout {
    /// Of this recipe.
    pub fn of(recipe: &Recipe) -> Self {
        let sketch = match recipe.sketch {
            // Lists are what makes their candidates: they are always kept.
            SketchParameters::Lists { lists, repeats, .. } => lists * repeats,
            SketchParameters::Minwise { permutations } if recipe.keep_sketch => permutations,
            SketchParameters::Bottom { size } if recipe.keep_sketch => size,
            // And n before them.
            SketchParameters::Modular { size: Some(size), .. } if recipe.keep_sketch => size + 1,
            _ => 0,
        };
        Self {
            exact: recipe.keep_exact,
            features: recipe.features.map_or(0, |filter| filter.k() as usize),
            projection_bytes: recipe
                .projection
                .filter(|_| recipe.keep_projection)
                .map_or(0, |projection| projection.bits / 8),
            sketch,
            variable: matches!(
                recipe.sketch,
                SketchParameters::Bottom { .. } | SketchParameters::Modular { .. }
            ),
        }
    }

    /// Bytes of a signature.
    pub fn bytes(self) -> usize {
        self.exact_bytes() + 8 * self.features + self.projection_bytes + 8 * self.sketch
    }

    fn exact_bytes(self) -> usize {
        if self.exact { EXACT_BYTES } else { 0 }
    }

    /// Whether two signatures tell if their documents are the same.
    pub fn keeps_exact(self) -> bool {
        self.exact
    }

    /// Leaves of a signature what can be read back. Where the exact fingerprint is not kept, one of all else
    /// that is stands in its place, and the number of tokens says only whether there are any.
    pub fn reduce(self, signature: &mut Signature) {
        signature.exact = self.exact_of(signature);
        if !self.exact {
            signature.tokens = signature.tokens.min(1);
        }
    }

    /// What is read back of the exact fingerprint of a signature.
    pub fn exact_of(self, signature: &Signature) -> u128 {
        if self.exact {
            return signature.exact;
        }
        let mut bytes = Vec::with_capacity(self.bytes());
        self.encode(signature, &mut bytes);
        TOKENS.bytes(&bytes).into()
    }

    /// Appends a signature.
    ///
    /// A count of tokens past 2^32 is written as the largest that fits. A
    /// sketch of fewer elements is filled up with the largest number.
    pub fn encode(self, signature: &Signature, out: &mut Vec<u8>) {
        if self.exact {
            out.extend(signature.exact.to_le_bytes());
            out.extend(u32::try_from(signature.tokens).unwrap_or(u32::MAX).to_le_bytes());
        } else if signature.is_empty() {
            out.extend(std::iter::repeat_n(EMPTY, self.bytes()));
            return;
        }
        let bytes = |words: &[u64], count: usize, out: &mut Vec<u8>| {
            let filled = words.iter().copied().chain(std::iter::repeat(u64::MAX));
            out.extend(filled.take(count).flat_map(u64::to_le_bytes));
        };
        bytes(&signature.features, self.features, out);
        let projection = signature.projection.iter().flat_map(|word| word.to_le_bytes());
        out.extend(projection.take(self.projection_bytes));
        bytes(&signature.sketch, self.sketch, out);
    }

    /// Reads a signature; `None` unless `bytes` has exactly its width.
    pub fn decode(self, bytes: &[u8]) -> Option<Signature> {
        let mut signature = Signature::default();
        self.decode_into(bytes, &mut signature)?;
        Some(signature)
    }

    /// Reads a signature into one whose memory is used again; `None` unless `bytes` has exactly
    /// its width.
    pub fn decode_into(self, bytes: &[u8], signature: &mut Signature) -> Option<()> {
        if bytes.len() != self.bytes() {
            return None;
        }
        let (exact, rest) = bytes.split_at(self.exact_bytes());
        if let Some((exact, tokens)) = exact.split_first_chunk::<16>() {
            signature.exact = u128::from_le_bytes(*exact);
            signature.tokens = u64::from(u32::from_le_bytes(tokens.try_into().ok()?));
        } else {
            signature.exact = TOKENS.bytes(bytes).into();
            signature.tokens = u64::from(bytes.iter().any(|&byte| byte != EMPTY));
        }
        let (features, bytes) = rest.split_at(8 * self.features);
        let (projection, sketch) = bytes.split_at(self.projection_bytes);
        signature.identity = None;
        read_words(features, &mut signature.features);
        read_words(projection, &mut signature.projection);
        read_words(sketch, &mut signature.sketch);
        if self.variable {
            let used = signature.sketch.partition_point(|&element| element < u64::MAX);
            signature.sketch.truncate(used);
        }
        Some(())
    }
}

/// Words in place of others; the last one may have fewer bytes.
fn read_words(bytes: &[u8], words: &mut Vec<u64>) {
    let (whole, rest) = bytes.as_chunks();
    words.clear();
    words.extend(whole.iter().map(|word| u64::from_le_bytes(*word)));
    if !rest.is_empty() {
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        words.push(u64::from_le_bytes(last));
    }
}
