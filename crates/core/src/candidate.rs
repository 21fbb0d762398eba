//! Candidates: which documents are worth a closer look.
//!
//! Every document has *keys*; two documents that are a candidate share at
//! least one, so that sorting by keys finds them all without comparing all.
//! Where sharing a key is not the whole rule, [`CandidateRule::holds`] is.
//! Whether a candidate is a pair says [`PairRule`](crate::PairRule).

use lookalike_kernels::Kernel;
use lookalike_kernels::rabin::{FEATURES, Rabin};

use crate::feature::super_features;
use crate::recipe::{Candidates, ProjectionParameters, Recipe, SketchParameters};
use crate::signature::{Signature, Similarity};
use crate::sketch::{ListsSketch, Sampled};

/// What makes two documents a candidate under one recipe.
#[derive(Clone, Debug)]
#[doc(alias = "LSH")]
pub struct CandidateRule {
    recipe: Recipe,
    similarity: Similarity,
}

/// One condition of a rule, as it stands between two documents.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Condition {
    /// What is counted.
    pub counted: Quantity,
    /// How many there are.
    pub found: usize,
    /// How many the recipe wants.
    pub needed: usize,
    /// How many there could be.
    pub possible: usize,
}

/// What a condition counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// Equal features.
    Features,
    /// Equal bits of the projection.
    Bits,
    /// Repeats of Pugh's lists that have one in common.
    Repeats,
    /// Elements of bottom or modular sketches in common.
    Elements,
}

/// The counts that rules are made of; `None` for what the recipe does not have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Agreement {
    /// Equal features.
    pub features: Option<usize>,
    /// Equal bits.
    pub bits: Option<usize>,
    /// Repeats of Pugh's lists that have one in common.
    pub repeats: Option<usize>,
    /// What bottom or modular sketches sampled.
    pub sampled: Option<Sampled>,
}

impl CandidateRule {
    /// Of this recipe.
    pub fn new(kernel: Kernel, recipe: &Recipe) -> Self {
        Self { recipe: recipe.clone(), similarity: Similarity::new(kernel, recipe) }
    }

    /// Appends the document's keys. An empty document has none.
    pub fn keys(&self, signature: &Signature, keys: &mut Vec<u64>) {
        if signature.is_empty() {
            return;
        }
        if self.is_any(|rule| matches!(rule, Candidates::Features | Candidates::Combined))
            && let Some(filter) = self.recipe.features
        {
            let together = if self.counts_in_common() { 1 } else { filter.r() as usize };
            super_features(&signature.features, together, |key| keys.push(key));
        }
        if self.is_any(|rule| rule == Candidates::Projection)
            && let Some(projection) = self.recipe.projection
        {
            keys.extend(pieces(&projection, &signature.projection));
        }
        if self.is_any(|rule| rule == Candidates::Lists) {
            let lists = signature.sketch.iter().enumerate();
            let lists = lists.filter(|(_, list)| **list != ListsSketch::NONE);
            keys.extend(lists.map(|(number, &list)| key(LISTS, number as u64, [list].into_iter())));
        }
        if self.is_any(|rule| rule == Candidates::Sketch) {
            keys.extend_from_slice(self.elements(signature));
        }
    }

    /// The rule for two documents of one site, or of two.
    fn rule(&self, same_site: bool) -> Candidates {
        let [within, across] = self.recipe.rules();
        if same_site { within } else { across }
    }

    /// Whether a rule that some two documents go by is such.
    fn is_any(&self, is_such: impl Fn(Candidates) -> bool) -> bool {
        self.recipe.rules().into_iter().any(is_such)
    }

    /// The elements of a bottom or modular sketch, which are mixed and need no more to be keys.
    fn elements<'a>(&self, signature: &'a Signature) -> &'a [u64] {
        let sketch = &signature.sketch[..];
        match self.recipe.sketch {
            SketchParameters::Modular { .. } => sketch.get(1..).unwrap_or_default(),
            _ => sketch,
        }
    }

    /// The most keys that a document can have.
    pub fn keys_per_document(&self) -> usize {
        let mut keys = 0;
        if self.is_any(|rule| matches!(rule, Candidates::Features | Candidates::Combined))
            && let Some(filter) = self.recipe.features
        {
            keys += match filter.super_features() {
                _ if self.counts_in_common() => filter.k() as usize,
                count => count as usize,
            };
        }
        if self.is_any(|rule| rule == Candidates::Projection) {
            keys += self.recipe.projection.map_or(0, |projection| projection.pieces);
        }
        keys + match self.recipe.sketch {
            SketchParameters::Lists { lists, repeats, .. }
                if self.is_any(|rule| rule == Candidates::Lists) =>
            {
                lists * repeats
            }
            SketchParameters::Bottom { size }
            | SketchParameters::Modular { size: Some(size), .. }
                if self.is_any(|rule| rule == Candidates::Sketch) =>
            {
                size
            }
            _ => 0,
        }
    }

    /// Whether to share a key is the whole rule.
    pub fn is_sharing_a_key(&self) -> bool {
        self.recipe.candidates == Candidates::Features && !self.counts_in_common()
    }

    /// Whether keys in common are counted: one is not enough.
    pub fn counts_in_common(&self) -> bool {
        self.recipe.counts_in_common()
    }

    /// How many keys a document with so many has in common with any candidate, at least.
    pub fn least_in_common(&self, keys: usize) -> usize {
        match self.recipe.sketch {
            // The smallest of two sets are no fewer than those of one.
            SketchParameters::Bottom { .. } => self.recipe.elements_in_common(keys),
            // How many there would be by the n of another document is not known.
            SketchParameters::Modular { .. } => 1,
            _ => self.recipe.features_in_common().unwrap_or(1),
        }
    }

    /// Whether two documents are a candidate. Where sites matter, `same_site` says if the two
    /// come from one.
    pub fn holds(&self, a: &Signature, b: &Signature, same_site: bool) -> bool {
        let both = !a.is_empty() && !b.is_empty();
        both && self.admits(self.agreement(a, b), same_site)
    }

    /// Whether two documents that agree so far are a candidate.
    pub fn admits(&self, agreement: Agreement, same_site: bool) -> bool {
        let mut conditions = self.conditions(agreement, same_site);
        self.rule(same_site) != Candidates::None
            && conditions.all(|condition| condition.found >= condition.needed)
    }

    /// What the signatures of this recipe have in common.
    pub fn similarity(&self) -> &Similarity {
        &self.similarity
    }

    /// How far two signatures agree.
    pub fn agreement(&self, a: &Signature, b: &Signature) -> Agreement {
        Agreement {
            features: self.similarity.b(a, b),
            bits: self.similarity.c(a, b),
            repeats: self.similarity.lists(a, b),
            sampled: self.similarity.sampled(a, b),
        }
    }

    /// The conditions, all of which must hold.
    pub fn conditions(
        &self,
        agreement: Agreement,
        same_site: bool,
    ) -> impl Iterator<Item = Condition> {
        let features = self.recipe.features.map(|filter| Condition {
            counted: Quantity::Features,
            found: agreement.features.unwrap_or(0),
            needed: filter.r() as usize,
            possible: filter.k() as usize,
        });
        let bits = |needed: fn(&ProjectionParameters) -> usize| {
            self.recipe.projection.map(|projection| Condition {
                counted: Quantity::Bits,
                found: agreement.bits.unwrap_or(0),
                needed: needed(&projection),
                possible: projection.bits,
            })
        };
        let repeats = match self.recipe.sketch {
            SketchParameters::Lists { repeats, agree, .. } => Some(Condition {
                counted: Quantity::Repeats,
                found: agreement.repeats.unwrap_or(0),
                needed: agree,
                possible: repeats,
            }),
            _ => None,
        };
        let elements = agreement.sampled.map(|Sampled { common, of }| Condition {
            counted: Quantity::Elements,
            found: common,
            needed: self.recipe.elements_in_common(of),
            possible: of,
        });
        let conditions = match self.rule(same_site) {
            Candidates::Features => [features, None],
            Candidates::Projection => [bits(|p| p.agree), None],
            Candidates::Lists => [repeats, None],
            Candidates::Sketch => [elements, None],
            Candidates::Combined => [features, bits(|p| p.agree_combined)],
            // There is no rule by site within another, which a recipe does not allow.
            Candidates::None | Candidates::BySite => [None, None],
        };
        conditions.into_iter().flatten()
    }
}

/// The kinds of keys that are not features, so that none meets a key of another kind.
const PIECES: u64 = u64::MAX;
const LISTS: u64 = u64::MAX - 1;

fn key(kind: u64, number: u64, words: impl Iterator<Item = u64>) -> u64 {
    let words = [kind, number].into_iter().chain(words);
    words.fold(Rabin::EMPTY, |f, word| FEATURES.push_word(f, word))
}

/// The pieces of a projection: of `b - agree + 1` pieces two documents that agree in `agree` bits
/// share one.
fn pieces(parameters: &ProjectionParameters, words: &[u64]) -> impl Iterator<Item = u64> {
    let (bits, pieces) = (parameters.bits, parameters.pieces);
    (0..pieces).map(move |piece| {
        let end = (piece + 1) * bits / pieces;
        let mut at = piece * bits / pieces;
        let values = std::iter::from_fn(|| {
            // Up to the end of the word or of the piece.
            let width = (64 - at % 64).min(end - at);
            let mask = u64::MAX.checked_shr(64 - width as u32)?;
            let value = words.get(at / 64).copied().unwrap_or(0) >> (at % 64) & mask;
            at += width;
            Some(value)
        });
        key(PIECES, piece as u64, values)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Signer;
    use crate::recipe::{BySite, Verify};

    fn rule(name: &str) -> (Recipe, CandidateRule) {
        let recipe = Recipe::preset(name).unwrap();
        let rule = CandidateRule::new(Kernel::best(), &recipe);
        (recipe, rule)
    }

    fn share_a_key(rule: &CandidateRule, a: &Signature, b: &Signature) -> bool {
        let (mut x, mut y) = (Vec::new(), Vec::new());
        rule.keys(a, &mut x);
        rule.keys(b, &mut y);
        assert!(x.len() <= rule.keys_per_document());
        x.iter().any(|key| y.contains(key))
    }

    /// Texts of 60 words, of which more and more are replaced.
    fn variants(seed: u64) -> Vec<String> {
        let word = |n: u64| format!("w{}", lookalike_kernels::mix(seed ^ n) % 5000);
        let text = |changed: u64| {
            let words = (0..120).map(|n| if n < changed { word(n + 1000) } else { word(n) });
            words.collect::<Vec<_>>().join(" ")
        };
        [0, 1, 2, 4, 8, 16, 60, 120].map(text).to_vec()
    }

    #[test]
    fn candidates_share_a_key_under_every_recipe() {
        for name in crate::recipe::PRESETS {
            let (recipe, rule) = rule(name);
            let mut signer = Signer::new(&recipe).unwrap();
            let mut candidates = 0;
            for seed in 0..20 {
                let signatures: Vec<Signature> =
                    variants(seed).iter().map(|t| signer.sign(t.as_bytes()).clone()).collect();
                for a in &signatures {
                    for b in &signatures {
                        for same_site in [true, false] {
                            let holds = rule.holds(a, b, same_site);
                            candidates += u32::from(holds);
                            assert!(!holds || share_a_key(&rule, a, b), "{name}");
                        }
                        if rule.is_sharing_a_key() {
                            assert_eq!(rule.holds(a, b, true), share_a_key(&rule, a, b), "{name}");
                        }
                    }
                }
            }
            // More than each with itself, fewer than all.
            assert!((400..2500).contains(&candidates), "{name}: {candidates}");
        }
    }

    /// Bottom and modular sketches of sets of any sizes, which have more or less in common.
    #[test]
    fn candidates_have_as_many_elements_in_common_as_is_said() {
        let mut random = lookalike_kernels::Sequence::new(8, 8);
        let sketches = [
            SketchParameters::Bottom { size: 60 },
            SketchParameters::Modular { modulus: 4, size: Some(60) },
        ];
        let verified = [(Verify::Exact, 0.5), (Verify::Estimate, 0.5), (Verify::Estimate, 0.9)];
        for (sketch, (verify, threshold)) in
            sketches.into_iter().flat_map(|sketch| verified.map(|verify| (sketch, verify)))
        {
            let recipe = Recipe {
                features: None,
                candidates: Candidates::Sketch,
                shingles: crate::recipe::Shingles { width: 1, ..Recipe::default().shingles },
                keep_sketch: true,
                sketch,
                verify,
                threshold,
                ..Recipe::default()
            };
            let rule = CandidateRule::new(Kernel::best(), &recipe);
            let mut signer = Signer::new(&recipe).unwrap();
            let mut candidates = 0;
            for _ in 0..300 {
                let words = 1 + random.next() % (1 << (random.next() % 11));
                let own = random.next() % (1 + words);
                let mut text = |name: &str| {
                    let text = |n| if n < own { format!("{name}{n} ") } else { format!("w{n} ") };
                    signer.sign((0..words).map(text).collect::<String>().as_bytes()).clone()
                };
                let (a, b) = (text("a"), text("b"));
                let [mut x, mut y] = [Vec::new(), Vec::new()];
                rule.keys(&a, &mut x);
                rule.keys(&b, &mut y);
                assert!(x.len().max(y.len()) <= rule.keys_per_document());
                let common = x.iter().filter(|key| y.contains(key)).count();
                let least = rule.least_in_common(x.len()).max(rule.least_in_common(y.len()));
                if rule.holds(&a, &b, false) {
                    candidates += 1;
                    assert!(common >= least, "{sketch:?} {verify:?}: {common} of {least}");
                }
                // What estimates accept are candidates, and the other way round.
                let estimate = rule.similarity().estimate(&a, &b).unwrap_or(0.0);
                if verify == Verify::Estimate {
                    assert_eq!(rule.holds(&a, &b, false), estimate >= threshold, "{estimate}");
                }
            }
            assert!((10..290).contains(&candidates), "{sketch:?} {verify:?}: {candidates}");
        }
    }

    /// Henzinger's proposal for any two: each side is what its rule is by itself.
    #[test]
    fn by_site_goes_by_one_rule_within_sites_and_by_another_across() {
        let combined = Recipe::preset("henzinger-combined").unwrap();
        let pugh = Recipe::preset("pugh").unwrap();
        let with_lists = Recipe { projection: combined.projection, ..pugh };
        let rules = [
            (&combined, Candidates::Features),
            (&combined, Candidates::Projection),
            (&combined, Candidates::Combined),
            (&combined, Candidates::None),
            (&with_lists, Candidates::Lists),
            (&with_lists, Candidates::Projection),
        ];
        for ((base, within), (other, across)) in
            rules.into_iter().flat_map(|within| rules.map(|across| (within, across)))
        {
            let by_site = BySite { within, across };
            let recipe = Recipe { candidates: Candidates::BySite, by_site, ..base.clone() };
            if base.sketch != other.sketch {
                // One has no lists, the other no features.
                let fits = matches!(across, Candidates::None | Candidates::Projection);
                assert_eq!(recipe.validate().is_ok(), fits, "{by_site:?}");
                continue;
            }
            recipe.validate().unwrap();
            assert_eq!(Recipe::from_toml(&recipe.to_toml()).unwrap(), recipe);
            let alone = [within, across].map(|candidates| {
                CandidateRule::new(Kernel::best(), &Recipe { candidates, ..base.clone() })
            });
            let rule = CandidateRule::new(Kernel::best(), &recipe);
            let mut signer = Signer::new(&recipe).unwrap();
            for seed in 0..10 {
                let signatures: Vec<Signature> =
                    variants(seed).iter().map(|t| signer.sign(t.as_bytes()).clone()).collect();
                for (a, b) in signatures.iter().flat_map(|a| signatures.iter().map(move |b| (a, b)))
                {
                    for (same_site, alone) in [true, false].into_iter().zip(&alone) {
                        let holds = rule.holds(a, b, same_site);
                        assert_eq!(holds, alone.holds(a, b, same_site), "{by_site:?}");
                        assert!(!holds || share_a_key(&rule, a, b), "{by_site:?}");
                    }
                }
            }
        }
        let refused = |candidates, by_site| {
            let recipe = Recipe { candidates, by_site, ..combined.clone() };
            recipe.validate().unwrap_err().to_string()
        };
        let nested = BySite { within: Candidates::BySite, ..BySite::default() };
        assert!(refused(Candidates::BySite, nested).starts_with("`candidates.within` is by-site"));
        let lists = BySite { across: Candidates::Lists, ..BySite::default() };
        assert!(refused(Candidates::BySite, lists).starts_with("`candidates.across` is lists"));
        let toml = "base = \"henzinger-b\"\n[candidates]\nwithin = \"features\"\n";
        let error = Recipe::from_toml(toml).unwrap_err().to_string();
        assert!(error.contains("left out where `candidates.rule` is not `by-site`"), "{error}");
    }

    #[test]
    fn thirteen_pieces_miss_no_pair_within_twelve_bits() {
        let (recipe, rule) = rule("henzinger-c");
        let bits = recipe.projection.unwrap().bits;
        let mut sequence = lookalike_kernels::Sequence::new(7, 7);
        for _ in 0..500 {
            let words: Vec<u64> = (0..bits / 64).map(|_| sequence.next()).collect();
            let a = Signature { tokens: 9, projection: words, ..Signature::default() };
            let mut b = a.clone();
            for _ in 0..12 {
                let bit = sequence.next() as usize % bits;
                b.projection[bit / 64] ^= 1 << (bit % 64);
            }
            assert!(rule.holds(&a, &b, false) && share_a_key(&rule, &a, &b));
        }
    }

    #[test]
    fn empty_documents_are_no_candidates() {
        for name in crate::recipe::PRESETS {
            let (recipe, rule) = rule(name);
            let mut signer = Signer::new(&recipe).unwrap();
            let empty = signer.sign(b" ... ").clone();
            let mut keys = Vec::new();
            rule.keys(&empty, &mut keys);
            assert!(keys.is_empty() && !rule.holds(&empty, &empty, true), "{name}");
        }
    }
}
