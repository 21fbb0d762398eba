//! Recipes: every parameter that the bits depend on, and how pairs are judged.
//!
//! A recipe is a small TOML file; the presets are in [`Recipe::preset`]. Its
//! *digest* covers all of it and is stored with every artefact. Its *signing
//! digest* covers only what signatures depend on: signatures made under one
//! threshold may be judged under another, but two recipes that give different
//! bits never mix ([`Recipe::check_same_bits`]).

mod names;
mod presets;
mod random_seed;
mod secret;
mod toml_form;

pub use crate::filter::MAX_SUPER_FEATURES;
pub use names::{
    LEARNING_PRESETS, PRESET_SUMMARIES, PRESETS, SET_PRESETS, TEMPLATES_VERSION, VERSION,
    preset_names,
};

pub use secret::SecretSeed;

use std::fmt;

use sha2::{Digest as _, Sha256};

use crate::error::{Error, ErrorKind, Result};
use crate::filter::Filter;
use crate::shingle::Counting;
use crate::site::SiteRule;
use crate::sketch::ListOrder;
use crate::text::{SENTENCES_VERSION, UNICODE_VERSION, Unit};

/// Every parameter of signing and judging.
#[derive(Clone, Debug, PartialEq)]
pub struct Recipe {
    /// What people call it. Part of the file, not of the digests.
    pub name: String,
    /// From which all random choices are drawn.
    pub seed: u64,
    /// And from this secret, if there is one.
    pub secret: Option<SecretSeed>,
    /// What a token is.
    pub tokens: Unit,
    /// What documents are compared without.
    pub templates: Templates,
    /// What a shingle is.
    pub shingles: Shingles,
    /// Whether signature files keep the exact fingerprint and the number of tokens, 20 bytes. Without them
    /// two signatures do not tell whether their documents are the same.
    pub keep_exact: bool,
    /// What is sampled from the shingles.
    pub sketch: SketchParameters,
    /// Whether signature files keep the sketch, for estimates without the documents.
    pub keep_sketch: bool,
    /// The filter [k, s, r] over a minwise sketch, if there is one.
    pub features: Option<Filter>,
    /// The projection of Algorithm C, if there is one.
    pub projection: Option<ProjectionParameters>,
    /// Whether signatures keep the projection. If not, it is made of documents that are read again,
    /// where the combined rule asks for it: what a document takes is that of Algorithm B then.
    pub keep_projection: bool,
    /// What makes two documents a candidate.
    pub candidates: Candidates,
    /// By which of the others, where they go by site.
    pub by_site: BySite,
    /// What a site is: it decides candidates by site, and the report counts by it.
    pub sites: SiteRule,
    /// What makes a candidate a pair.
    pub verify: Verify,
    /// The resemblance from which on a verified candidate is a pair; or, where they are verified by difference, the
    /// share of the words of both that must stand in both in the same order.
    pub threshold: f64,
}

/// What documents are compared without ([`crate::template`]).
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Templates {
    /// Nothing: they are compared as they stand.
    #[default]
    Off,
    /// What the markup of a page says is beside its content. Nothing is learned.
    ByPage,
    /// That, and the template that is learned of the documents of a site, by their addresses.
    BySite,
    /// That, and the template that is learned of the documents with the same value in this field.
    ByField(String),
}

impl Templates {
    /// Whether they are learned from all documents together first.
    pub fn are_learned(&self) -> bool {
        matches!(self, Self::BySite | Self::ByField(_))
    }

    /// Whether anything is left out.
    pub fn leave_out(&self) -> bool {
        *self != Self::Off
    }
}

impl fmt::Display for Templates {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Off => f.write_str("off"),
            Self::ByPage => f.write_str("by-page"),
            Self::BySite => f.write_str("by-site"),
            Self::ByField(name) => write!(f, "by-field:{name}"),
        }
    }
}

impl std::str::FromStr for Templates {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        match (text, text.strip_prefix("by-field:")) {
            ("off", _) => Ok(Self::Off),
            ("by-page", _) => Ok(Self::ByPage),
            ("by-site", _) => Ok(Self::BySite),
            (_, Some(name)) if !name.is_empty() => Ok(Self::ByField(name.to_owned())),
            _ => {
                let expected = "one of `off` `by-page` `by-site` `by-field:NAME`";
                Err(Error::parameter("templates", format_args!("`{text}`"), expected))
            }
        }
    }
}

/// What a shingle is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(alias = "n-gram")]
pub struct Shingles {
    /// Tokens in a shingle: w.
    pub width: usize,
    /// Whether repeats count.
    pub counting: Counting,
}

/// What is sampled from the shingles.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SketchParameters {
    /// Nothing.
    None,
    /// The minima of this many permutations.
    #[doc(alias = "MinHash")]
    Minwise {
        /// t.
        permutations: usize,
    },
    /// The smallest elements under one permutation.
    Bottom {
        /// m.
        size: usize,
    },
    /// The elements that are 0 mod n.
    Modular {
        /// n.
        modulus: u64,
        /// The most elements that are kept: n is doubled until there are no more. All, if there is no limit.
        size: Option<usize>,
    },
    /// Pugh's lists.
    Lists {
        /// L.
        lists: usize,
        /// R.
        repeats: usize,
        /// In how many of the repeats a list must be shared.
        agree: usize,
        /// Whether order matters within a list.
        order: ListOrder,
        /// What is dealt to the lists.
        over: Over,
    },
}

/// The projection of Algorithm C and its thresholds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[doc(alias = "SimHash")]
pub struct ProjectionParameters {
    /// b.
    pub bits: usize,
    /// What is projected.
    pub over: Over,
    /// Bits that must agree where the projection decides alone.
    pub agree: usize,
    /// Bits that must agree where features have made the candidate.
    pub agree_combined: usize,
    /// Pieces of the bit string of which a candidate must share one.
    pub pieces: usize,
}

/// The units that a projection or Pugh's lists work on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Over {
    /// Tokens, as in the papers.
    #[default]
    Tokens,
    /// Shingles, which know about order.
    Shingles,
}

/// What makes two documents a candidate.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum Candidates {
    /// At least r equal features: Algorithm B.
    #[default]
    Features,
    /// Enough equal bits: Algorithm C.
    Projection,
    /// Features first, then enough equal bits: the combined algorithm.
    Combined,
    /// One of the others within a site, and another one across sites ([`BySite`]).
    BySite,
    /// A list in common in enough repeats: Pugh.
    Lists,
    /// Enough elements of a bottom or modular sketch in common: Radinsky.
    Sketch,
    /// Nothing: only copies are found. For those who look for no more, since nothing has to be sampled.
    None,
}

/// What makes candidates of two documents of one site, and of two sites: Henzinger's proposal, for any two.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BySite {
    /// Of one site.
    pub within: Candidates,
    /// Of two, or of none.
    pub across: Candidates,
}

impl Candidates {
    /// The rule within a site and that across sites, if these are those of rules by site.
    pub(crate) fn by_site(self, BySite { within, across }: BySite) -> [Self; 2] {
        if self == Self::BySite { [within, across] } else { [self; 2] }
    }
}

impl Default for BySite {
    /// The algorithms that she found to be best there.
    fn default() -> Self {
        Self { within: Candidates::Combined, across: Candidates::Projection }
    }
}

/// What makes a candidate a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Verify {
    /// The exact resemblance, from the documents.
    #[default]
    Exact,
    /// The resemblance estimated from the sketches.
    Estimate,
    /// The exact share of words that differ, from the documents: near by edit distance, as Radinsky has it.
    Difference,
    /// Being a candidate.
    None,
}

/// Other ways to judge than a recipe's own; what is not said stays.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Judging {
    /// The least resemblance of a verified pair, or the least share of words that are in order.
    pub threshold: Option<f64>,
    /// The share of pairs at exactly the threshold that must become candidates.
    pub recall: Option<f64>,
    /// Tokens in a shingle: the n of n-grams.
    pub ngram: Option<usize>,
    /// What makes a candidate a pair.
    pub verify: Option<Verify>,
    /// What a site is.
    pub sites: Option<SiteRule>,
    /// Whose templates are learned.
    pub templates: Option<Templates>,
}

impl Judging {
    /// The same, without what a filter is chosen for.
    fn without_target(&self) -> Self {
        Self { threshold: None, recall: None, ..self.clone() }
    }
}

/// Widest shingle. Enough for whole pages of text; a bound keeps memory bounded.
pub const MAX_WIDTH: usize = 4096;
/// Most permutations, elements or lists in a sketch.
pub const MAX_SKETCH: usize = 65_536;
impl Recipe {
    /// Checks that every parameter is in its range and that they fit together.
    ///
    /// # Errors
    /// The first parameter that does not, and what it may be.
    pub fn validate(&self) -> Result<()> {
        // Numbers in TOML have 63 bits.
        if self.seed > i64::MAX.cast_unsigned() {
            return Err(Error::parameter("seed", self.seed, "below 2^63"));
        }
        in_range("shingles.width", self.shingles.width, 1, MAX_WIDTH)?;
        self.validate_estimates()?;
        match self.sketch {
            SketchParameters::None => {}
            SketchParameters::Minwise { permutations } => {
                in_range("sketch.permutations", permutations, 1, MAX_SKETCH)?;
            }
            SketchParameters::Bottom { size } => in_range("sketch.size", size, 1, MAX_SKETCH)?,
            SketchParameters::Modular { modulus, size } => {
                if modulus == 0 || modulus > i64::MAX.cast_unsigned() {
                    let expected = "at least 1 and below 2^63";
                    return Err(Error::parameter("sketch.modulus", modulus, expected));
                }
                if let Some(size) = size {
                    in_range("sketch.size", size, 1, MAX_SKETCH)?;
                } else if self.keep_sketch {
                    let expected = "given where a modular sketch is kept: the most elements of a document\n\
                                    hint: `size = 256` in [sketch]; documents with more are sampled by twice the \
                                    modulus, and so on";
                    return Err(Error::parameter("sketch.size", "missing", expected));
                }
            }
            SketchParameters::Lists { lists, repeats, agree, .. } => {
                in_range("sketch.lists", lists, 1, MAX_SKETCH)?;
                in_range("sketch.repeats", repeats, 1, MAX_SKETCH / lists)?;
                in_range("sketch.agree", agree, 1, repeats)?;
            }
        }
        if let Some(filter) = self.features {
            let needed = filter.permutations() as usize;
            let SketchParameters::Minwise { permutations } = self.sketch else {
                return Err(Error::parameter(
                    "sketch.kind",
                    self.sketch.kind(),
                    "minwise where there are features",
                ));
            };
            in_range("sketch.permutations", permutations, needed, MAX_SKETCH)?;
        }
        if let Some(projection) = self.projection {
            let bits = projection.bits;
            if !bits.is_multiple_of(32) || bits == 0 || bits > lookalike_kernels::MAX_BITS {
                return Err(Error::parameter(
                    "projection.bits",
                    bits,
                    "a multiple of 32 from 32 to 512",
                ));
            }
            in_range("projection.agree", projection.agree, 1, bits)?;
            in_range("projection.agree-combined", projection.agree_combined, 1, bits)?;
            in_range("projection.pieces", projection.pieces, 1, bits)?;
        }
        if !self.keep_exact && !self.keeps_samples() {
            let expected = "true where signatures keep neither features, a projection nor a sketch";
            return Err(Error::parameter("exact.keep", false, expected));
        }
        self.validate_judging()
    }

    /// Whether signature files keep anything besides the exact fingerprint.
    fn keeps_samples(&self) -> bool {
        let lists = matches!(self.sketch, SketchParameters::Lists { .. });
        let sketch = self.keep_sketch && self.sketch != SketchParameters::None;
        let projection = self.projection.is_some() && self.keep_projection;
        self.features.is_some() || projection || sketch || lists
    }

    /// What is judged by estimates has sketches to make them from.
    fn validate_estimates(&self) -> Result<()> {
        if self.verify != Verify::Estimate {
            return Ok(());
        }
        let expected = match self.sketch {
            SketchParameters::Minwise { .. }
            | SketchParameters::Bottom { .. }
            | SketchParameters::Modular { .. } => {
                if self.keep_sketch {
                    return Ok(());
                }
                let expected = "true where `verify.by` is `estimate`, which is made from sketches";
                return Err(Error::parameter("sketch.keep", false, expected));
            }
            SketchParameters::None | SketchParameters::Lists { .. } => {
                "exact, difference or none where the sketch gives no estimate"
            }
        };
        Err(Error::parameter("verify.by", "estimate", expected))
    }

    fn validate_judging(&self) -> Result<()> {
        if self.candidates == Candidates::BySite {
            let [within, across] = self.rules();
            for (name, rule) in [("candidates.within", within), ("candidates.across", across)] {
                if matches!(rule, Candidates::BySite | Candidates::Sketch) {
                    let expected = "one of `features` `projection` `combined` `lists` `none`";
                    return Err(Error::parameter(name, rule.name(), expected));
                }
                self.validate_rule(name, rule)?;
            }
        }
        self.validate_rule("candidates.rule", self.candidates)?;
        self.validate_projection()?;
        if self.candidates == Candidates::Sketch {
            if !self.keep_sketch {
                let expected = "true where candidates are made by the sketch";
                return Err(Error::parameter("sketch.keep", false, expected));
            }
            if self.verify == Verify::None {
                let expected = "`exact` or `estimate` where candidates are made by the sketch: what they share of it \
                                is an estimate, and `verify.threshold` says how much is enough";
                return Err(Error::parameter("verify.by", "none", expected));
            }
        }
        self.validate_rest()
    }

    /// The rule for two documents of one site, and that for two of two: the same but where they go by site.
    pub(crate) fn rules(&self) -> [Candidates; 2] {
        self.candidates.by_site(self.by_site)
    }

    /// A projection that is not kept is asked for by the combined rule, and is no key.
    fn validate_projection(&self) -> Result<()> {
        if self.keep_projection {
            return Ok(());
        }
        let rules = self.rules();
        let expected = if rules.contains(&Candidates::Projection) {
            "true where candidates are made by `projection`: they are found by pieces of it"
        } else if !rules.contains(&Candidates::Combined) {
            "true, or left out, where the rule is not `combined`: nothing else makes a projection when \
             it is needed"
        } else {
            return Ok(());
        };
        Err(Error::parameter("projection.keep", false, expected))
    }

    /// Whether projections are made of documents that are read again.
    pub fn projects_when_needed(&self) -> bool {
        self.projection.is_some() && !self.keep_projection
    }

    /// Checks that signatures are all that documents are judged by.
    ///
    /// # Errors
    /// If projections are made of the documents when they are needed.
    pub fn check_judged_by_signatures(&self) -> Result<()> {
        if !self.projects_when_needed() {
            return Ok(());
        }
        let expected = "true where documents are judged by what is kept of them: only jobs that read them again, \
                        `dedup` and `eval`, make projections when they are needed\n\
                        hint: leave `keep` out of [projection]";
        Err(Error::parameter("projection.keep", false, expected))
    }

    /// Checks that documents can be judged, though not as well, where their contents are not kept.
    ///
    /// # Errors
    /// If they are judged by their words in order, of which nothing else knows.
    pub fn check_judged_without_documents(&self) -> Result<()> {
        if self.verify != Verify::Difference {
            return Ok(());
        }
        let expected = "`exact`, `estimate` or `none` where no contents are kept: only these say in which order \
                        words stand";
        Err(Error::parameter("verify.by", "`difference`", expected))
    }

    /// The recipe whose signatures have the projection of this one, and nothing else.
    #[must_use]
    pub fn of_projection(&self) -> Self {
        Self {
            keep_projection: true,
            sketch: SketchParameters::None,
            keep_sketch: false,
            features: None,
            candidates: Candidates::Projection,
            verify: Verify::None,
            ..self.clone()
        }
    }

    /// A rule has what it goes by.
    fn validate_rule(&self, name: &'static str, rule: Candidates) -> Result<()> {
        let lists = matches!(self.sketch, SketchParameters::Lists { .. });
        let samples = matches!(
            self.sketch,
            SketchParameters::Bottom { .. } | SketchParameters::Modular { .. }
        );
        let (features, projection) = (self.features.is_some(), self.projection.is_some());
        let (fits, needs) = match rule {
            Candidates::Features => (features, "another rule where there are no features"),
            Candidates::Projection => (projection, "another rule where there is no projection"),
            Candidates::Combined => {
                (features && projection, "another rule where features or projection are missing")
            }
            Candidates::Lists => (lists, "another rule where the sketch is not of lists"),
            Candidates::Sketch => {
                (samples, "another rule where the sketch is not bottom or modular")
            }
            Candidates::None | Candidates::BySite => (true, ""),
        };
        if fits { Ok(()) } else { Err(Error::parameter(name, rule.name(), needs)) }
    }

    fn validate_rest(&self) -> Result<()> {
        if let Some(filter) = self.features
            && self.candidates == Candidates::BySite
            && filter.super_features() > MAX_SUPER_FEATURES
        {
            let (k, r) = (filter.k(), filter.r());
            let count = match filter.super_features() {
                u64::MAX => "2^64 or more".to_owned(),
                count => count.to_string(),
            };
            let expected = format!(
                "a filter of at most {MAX_SUPER_FEATURES} super-features a document where the rule is \
                 `by-site`: C({k}, {r}) is {count}\n\
                 hint: fewer features k, or fewer in common r; `verify.threshold` is what says how \
                 much two documents must share"
            );
            return Err(Error::parameter("features", filter, expected));
        }
        if self.is_of_sets() {
            self.validate_sets()?;
        }
        if self.templates.leave_out() {
            if self.candidates != Candidates::Features || self.projection.is_some() {
                let expected = "features, without a projection, where templates are not `off`";
                return Err(Error::parameter("candidates.rule", self.candidates.name(), expected));
            }
            if self.shingles.counting != Counting::Set {
                let expected = "set where templates are not `off`";
                let counting = self.shingles.counting.name();
                return Err(Error::parameter("shingles.count", counting, expected));
            }
        }
        if !(self.threshold > 0.0 && self.threshold <= 1.0) {
            let expected = "above 0 and at most 1";
            return Err(Error::parameter("verify.threshold", self.threshold, expected));
        }
        Ok(())
    }

    /// Items have no order, and stand in a set once.
    fn validate_sets(&self) -> Result<()> {
        let Shingles { width, counting } = self.shingles;
        if width != 1 {
            let expected = "1 where tokens are items, which have no order";
            return Err(Error::parameter("shingles.width", width, expected));
        }
        if counting != Counting::Set {
            let expected = "set where tokens are items: each is in a set once";
            return Err(Error::parameter("shingles.count", counting.name(), expected));
        }
        if self.verify == Verify::Difference {
            let expected = "exact, estimate or none where tokens are items: a set has no order";
            return Err(Error::parameter("verify.by", "difference", expected));
        }
        if self.templates.leave_out() {
            let expected = "`off` where tokens are items: a set is no page";
            return Err(Error::parameter(
                "templates",
                format_args!("`{}`", self.templates),
                expected,
            ));
        }
        Ok(())
    }

    /// Whether it has to be counted what candidates have in common: there is no key that they share for certain.
    pub fn counts_in_common(&self) -> bool {
        self.candidates == Candidates::Sketch || self.features_in_common().is_some()
    }

    /// How many elements candidates have in common out of so many that bottom or modular sketches sampled of both.
    ///
    /// If estimates decide, it is the share that the threshold says. If documents are compared afterwards, it is
    /// three standard deviations less, so that of pairs at exactly the threshold, which are the hardest, about one in 700 is
    /// missed, and of few elements one in 40.
    pub fn elements_in_common(&self, sampled: usize) -> usize {
        let (threshold, sampled) = (self.least_resemblance(), sampled as f64);
        let spread = match self.verify {
            Verify::Exact | Verify::Difference => {
                3.0 * (threshold * (1.0 - threshold) * sampled).sqrt()
            }
            Verify::Estimate | Verify::None => 0.0,
        };
        let wanted = threshold * sampled - spread;
        // The least whole number whose share, as it is computed, is not below: one less where that was rounded up.
        let least = wanted.ceil().max(1.0);
        let is_enough = |count: f64| spread == 0.0 && count / sampled >= threshold;
        if least > 1.0 && is_enough(least - 1.0) { least as usize - 1 } else { least as usize }
    }

    /// How many features candidates have in common, if that has to be counted: where a document has more
    /// super-features, C(k, r), than [`MAX_SUPER_FEATURES`].
    pub fn features_in_common(&self) -> Option<usize> {
        let goes_by_features =
            matches!(self.candidates, Candidates::Features | Candidates::Combined);
        let filter = self.features.filter(|_| goes_by_features)?;
        (filter.super_features() > MAX_SUPER_FEATURES).then(|| filter.r() as usize)
    }

    /// Checks that documents can be signed one by one, without what is learned from others.
    ///
    /// # Errors
    /// If templates are learned.
    pub fn check_signs_alone(&self) -> Result<()> {
        if !self.templates.are_learned() {
            return Ok(());
        }
        let expected = "`off` or `by-page` here: only `dedup` and `eval` learn templates\n\
                        hint: the recipe `pages` leaves out what the markup of a page says is beside its \
                        content, and learns nothing";
        Err(Error::parameter("templates", format_args!("`{}`", self.templates), expected))
    }

    /// Whether documents are sets of items, and not texts.
    pub fn is_of_sets(&self) -> bool {
        self.tokens == Unit::Items
    }

    /// Checks that documents are texts.
    ///
    /// # Errors
    /// If they are sets of items.
    pub fn check_of_texts(&self) -> Result<()> {
        if !self.is_of_sets() {
            return Ok(());
        }
        let expected = "those of texts here: a set of items has no words and no order\n\
                        hint: name another recipe, such as `text`";
        Err(Error::parameter("tokens", "`items`", expected))
    }

    /// Checks that documents are looked at as they stand.
    ///
    /// # Errors
    /// If anything is left out.
    pub fn check_whole(&self) -> Result<()> {
        if !self.templates.leave_out() {
            return Ok(());
        }
        let expected = "`off` here: what a document holds counts wherever it stands";
        Err(Error::parameter("templates", format_args!("`{}`", self.templates), expected))
    }

    /// The recipe, judged in another way. Its filter stays.
    ///
    /// # Errors
    /// If a recall is given, which only a filter that is chosen can give, or a threshold where
    /// candidates are not verified, or a parameter is out of range.
    pub fn judging(mut self, judging: &Judging) -> Result<Self> {
        if let Some(recall) = judging.recall {
            let expected = "given for recipes whose filter is chosen by it: `text`, `noisy`, `pages`, \
                            `sites`, and files without [features]";
            return Err(Error::parameter("recall", recall, expected));
        }
        self.verify = judging.verify.unwrap_or(self.verify);
        if let (Some(threshold), Verify::None) = (judging.threshold, self.verify) {
            let expected = "left out where candidates are pairs without verification, as in the \
                            papers' recipes\nhint: to verify by `exact` makes it count";
            return Err(Error::parameter("threshold", threshold, expected));
        }
        self.threshold = judging.threshold.unwrap_or(self.threshold);
        self.shingles.width = judging.ngram.unwrap_or(self.shingles.width);
        // An estimate is made from sketches, so signatures must have them.
        self.keep_sketch |= judging.verify == Some(Verify::Estimate);
        self.sites = judging.sites.unwrap_or(self.sites);
        if let Some(templates) = &judging.templates {
            self.templates = templates.clone();
        }
        self.validate()?;
        Ok(self)
    }

    /// The share of pairs at exactly the threshold that become candidates, where features alone make
    /// them and they are verified.
    pub fn recall(&self) -> Option<f64> {
        let is_alone = self.candidates == Candidates::Features && self.verify != Verify::None;
        self.features
            .filter(|_| is_alone)
            .map(|filter| filter.probability(self.least_resemblance()))
    }

    /// The resemblance that pairs at exactly the threshold have.
    pub fn least_resemblance(&self) -> f64 {
        match self.verify {
            Verify::Difference => resemblance_in_order(self.threshold, self.shingles.width),
            Verify::Exact | Verify::Estimate | Verify::None => self.threshold,
        }
    }

    /// Whether what two documents are judged by is in the documents alone.
    pub fn reads_documents(&self) -> bool {
        matches!(self.verify, Verify::Exact | Verify::Difference)
    }

    /// The version of its bits.
    fn version(&self) -> u32 {
        if self.templates.leave_out() { TEMPLATES_VERSION } else { VERSION }
    }

    /// Identifies the recipe: all parameters but its name.
    pub fn digest(&self) -> Digest {
        Digest::of(self.parameters().iter().filter(|p| p.key != "name"))
    }

    /// Identifies the bits: only the parameters that signatures depend on.
    pub fn signing_digest(&self) -> Digest {
        Digest::of(self.parameters().iter().filter(|p| p.signing))
    }

    /// Checks that another recipe gives the same bits.
    ///
    /// # Errors
    /// The first parameter in which they differ, with both values.
    pub fn check_same_bits(&self, other: &Self) -> Result<()> {
        if self.signing_digest() == other.signing_digest() {
            return Ok(());
        }
        let (key, left, right) = self.difference(other, |parameter| parameter.signing);
        Err(Error::from(ErrorKind::Mismatch { parameter: key.to_owned(), left, right }))
    }

    /// The first parameter in which another recipe differs, with both values; none if only their
    /// names do. The threshold comes first: the filter follows it.
    pub fn first_difference(&self, other: &Self) -> Option<(&'static str, String, String)> {
        let threshold = self.difference(other, |parameter| parameter.key == "verify.threshold");
        let all = self.difference(other, |parameter| parameter.key != "name");
        [threshold, all].into_iter().find(|(key, ..)| !key.is_empty())
    }

    fn difference(
        &self,
        other: &Self,
        counts: impl Fn(&Parameter) -> bool,
    ) -> (&'static str, String, String) {
        let [left, right] = [self, other].map(|recipe| {
            recipe.parameters().into_iter().filter(&counts).collect::<Vec<Parameter>>()
        });
        let value = |side: &[Parameter], key: &str| {
            let found = side.iter().find(|p| p.key == key);
            found.map_or("absent".to_owned(), |p| p.value.clone())
        };
        let keys = left.iter().chain(&right).map(|p| p.key);
        let mut different = keys.map(|key| (key, value(&left, key), value(&right, key)));
        different.find(|(_, left, right)| left != right).unwrap_or_default()
    }

    /// Every parameter, in the order of the file; the one list that TOML, digests and
    /// messages are made from.
    fn parameters(&self) -> Vec<Parameter> {
        let mut list = List::default();
        list.signing("version", self.version());
        list.judging("name", quoted(&self.name));
        list.signing("unicode", quoted(&version_of_tables(UNICODE_VERSION)));
        list.signing("seed", self.seed);
        if let Some(secret) = &self.secret {
            list.signing("secret", quoted(&secret.to_string()));
        }
        list.signing("tokens", quoted(self.tokens.name()));
        if self.tokens == Unit::Sentences {
            list.signing("sentences", quoted(&version_of_tables(SENTENCES_VERSION)));
        }
        // To leave out nothing goes without saying, as it did before there was anything.
        if self.templates.leave_out() {
            list.signing("templates", quoted(&self.templates.to_string()));
        }
        list.signing("shingles.width", self.shingles.width);
        list.signing("shingles.count", quoted(self.shingles.counting.name()));
        // To keep them goes without saying, as it did when there was no other way.
        if !self.keep_exact {
            list.signing("exact.keep", self.keep_exact);
        }
        list.signing("sketch.kind", quoted(self.sketch.kind()));
        match self.sketch {
            SketchParameters::None => {}
            SketchParameters::Minwise { permutations } => {
                list.signing("sketch.permutations", permutations);
            }
            SketchParameters::Bottom { size } => list.signing("sketch.size", size),
            SketchParameters::Modular { modulus, size } => {
                list.signing("sketch.modulus", modulus);
                if let Some(size) = size {
                    list.signing("sketch.size", size);
                }
            }
            SketchParameters::Lists { lists, repeats, agree, order, over } => {
                list.signing("sketch.lists", lists);
                list.signing("sketch.repeats", repeats);
                list.judging("sketch.agree", agree);
                list.signing("sketch.order", quoted(order.name()));
                list.signing("sketch.over", quoted(over.name()));
            }
        }
        list.signing("sketch.keep", self.keep_sketch);
        if let Some(filter) = self.features {
            list.signing("features.k", filter.k());
            list.signing("features.s", filter.s());
            list.judging("features.r", filter.r());
        }
        if let Some(projection) = self.projection {
            list.signing("projection.bits", projection.bits);
            list.signing("projection.over", quoted(projection.over.name()));
            list.judging("projection.agree", projection.agree);
            list.judging("projection.agree-combined", projection.agree_combined);
            list.judging("projection.pieces", projection.pieces);
            // To keep it goes without saying, as it did before it could be left out.
            if !self.keep_projection {
                list.signing("projection.keep", false);
            }
        }
        list.judging("candidates.rule", quoted(self.candidates.name()));
        // Her own two go without saying, as they did before there were others.
        if self.candidates == Candidates::BySite && self.by_site != BySite::default() {
            list.judging("candidates.within", quoted(self.by_site.within.name()));
            list.judging("candidates.across", quoted(self.by_site.across.name()));
        }
        // Henzinger's rule goes without saying, as it did before there was another.
        if self.sites != SiteRule::default() {
            let name = quoted(self.sites.name());
            match self.templates {
                Templates::BySite => list.signing("candidates.sites", name),
                _ => list.judging("candidates.sites", name),
            }
        }
        list.judging("verify.by", quoted(self.verify.name()));
        // Debug prints the shortest digits that give the number back, with a point.
        list.judging("verify.threshold", format!("{:?}", self.threshold));
        list.0
    }
}

/// The version of tables that tokens depend on.
fn version_of_tables<T: fmt::Display>((major, minor, update): (T, T, T)) -> String {
    format!("{major}.{minor}.{update}")
}

/// A line of a recipe.
struct Parameter {
    key: &'static str,
    value: String,
    /// Whether signatures depend on it.
    signing: bool,
}

/// A value as it stands in the file.
struct Value(String);

macro_rules! values {
    ($($type:ty),*) => {
        $(impl From<$type> for Value {
            fn from(value: $type) -> Self {
                Self(value.to_string())
            }
        })*
    };
}

values!(u32, u64, usize, bool, String);

#[derive(Default)]
struct List(Vec<Parameter>);

impl List {
    fn signing(&mut self, key: &'static str, value: impl Into<Value>) {
        self.0.push(Parameter { key, value: value.into().0, signing: true });
    }

    fn judging(&mut self, key: &'static str, value: impl Into<Value>) {
        self.0.push(Parameter { key, value: value.into().0, signing: false });
    }
}

/// As a basic TOML string.
fn quoted(text: &str) -> String {
    let escaped: String = text
        .chars()
        .map(|c| match c {
            '"' | '\\' => format!("\\{c}"),
            c if c.is_control() => format!("\\u{:04X}", c as u32),
            c => c.to_string(),
        })
        .collect();
    format!("\"{escaped}\"")
}

/// The resemblance of two long texts of which this share of words stands in the same order in both, if those that
/// differ are scattered at random: a shingle of `width` words is in both if all of its words are. Texts that
/// differ in a few long stretches resemble each other more.
pub(crate) fn resemblance_in_order(share: f64, width: usize) -> f64 {
    let common = share.powi(i32::try_from(width).unwrap_or(i32::MAX));
    common / (2.0 - common)
}

fn in_range(name: &'static str, value: usize, least: usize, most: usize) -> Result<()> {
    if (least..=most).contains(&value) {
        return Ok(());
    }
    Err(Error::parameter(name, value, format!("from {least} to {most}")))
}

/// The identity of a recipe: SHA-256 over its parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Digest(pub [u8; 32]);

impl Digest {
    fn of<'a>(parameters: impl Iterator<Item = &'a Parameter>) -> Self {
        let mut hash = Sha256::new();
        for Parameter { key, value, .. } in parameters {
            hash.update(format!("{key} = {value}\n"));
        }
        Self(hash.finalize().into())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Names of enum values in recipes, in both directions, from one table.
macro_rules! names {
    ($type:ty, $parameter:literal, { $($value:ident => $name:literal),* $(,)? }) => {
        impl $type {
            /// Its name in a recipe.
            pub const fn name(self) -> &'static str {
                match self { $(Self::$value => $name),* }
            }

            /// The value of this name.
            ///
            /// # Errors
            /// If no value has it.
            pub fn from_name(name: &str) -> Result<Self> {
                match name {
                    $($name => Ok(Self::$value),)*
                    _ => Err(Error::parameter(
                        $parameter,
                        format_args!("`{name}`"),
                        ["one of", $(concat!(" `", $name, "`")),*].concat(),
                    )),
                }
            }
        }
    };
}

names!(Unit, "tokens", {
    Words => "words",
    Characters => "characters",
    Lines => "lines",
    Sentences => "sentences",
    Paragraphs => "paragraphs",
    Items => "items",
});
names!(Counting, "shingles.count", { Set => "set", Multiset => "multiset" });
names!(ListOrder, "sketch.order", { Sequence => "sequence", Bag => "bag" });
names!(Over, "over", { Tokens => "tokens", Shingles => "shingles" });
names!(Candidates, "candidates.rule", {
    Features => "features",
    Projection => "projection",
    Combined => "combined",
    BySite => "by-site",
    Lists => "lists",
    Sketch => "sketch",
    None => "none",
});
names!(SiteRule, "candidates.sites", { Label => "label", PublicSuffix => "public-suffix" });
names!(Verify, "verify.by", {
    Exact => "exact",
    Estimate => "estimate",
    Difference => "difference",
    None => "none",
});

impl SketchParameters {
    /// Its name in a recipe.
    pub fn kind(self) -> &'static str {
        match self {
            Self::None => "none",
            Self::Minwise { .. } => "minwise",
            Self::Bottom { .. } => "bottom",
            Self::Modular { .. } => "modular",
            Self::Lists { .. } => "lists",
        }
    }

    pub(crate) fn estimates_resemblance(self) -> bool {
        matches!(self, Self::Minwise { .. } | Self::Bottom { .. } | Self::Modular { .. })
    }
}
