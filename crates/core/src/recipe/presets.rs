//! The named recipes: the papers', and ours.

use super::{
    BySite, Candidates, Judging, Over, ProjectionParameters, Recipe, Shingles, SketchParameters,
    Templates, Verify,
};
use crate::error::{Error, ErrorKind, Result};
use crate::filter::{Filter, Search};
use crate::shingle::Counting;
use crate::site::SiteRule;
use crate::sketch::ListOrder;
use crate::text::Unit;

/// The threshold and the recall of the `text` preset.
const TEXT_TARGET: (f64, f64) = (0.8, 0.95);
/// Those of `pages` and `sites`, by distinctive resemblance.
const SITES_TARGET: (f64, f64) = (0.72, 0.97);

/// Those of `noisy`. At 0.3, because of 600 newspaper articles as they were recognised and as a person
/// transcribed them 96 % resemble each other by that, 94 % by 0.4; and no other two but a report
/// that was printed twice. A recall of 0.8 there is one of 0.95 at 0.35 and of 0.994 at 0.4: few pairs
/// are so near to the threshold that twice the features, for 0.95 there, would find more than one
/// in a thousand besides.
const NOISY_TARGET: (f64, f64) = (0.3, 0.8);

impl Default for Recipe {
    /// The `text` preset.
    fn default() -> Self {
        text(filter(13, 7, 1))
    }
}

impl Recipe {
    /// One by which nothing is sampled, and only copies are found: signatures of 24 bytes.
    pub fn of_copies() -> Self {
        Self {
            name: "copies".to_owned(),
            sketch: SketchParameters::None,
            features: None,
            candidates: Candidates::None,
            ..Self::default()
        }
    }

    /// A named recipe.
    ///
    /// The papers' presets reproduce the papers: their candidates are pairs
    /// without verification.
    ///
    /// # Errors
    /// If there is no preset of this name.
    pub fn preset(name: &str) -> Result<Self> {
        Ok(match name {
            "text" => Self::default(),
            "pages" => distinctive(name, Templates::ByPage),
            "sites" => distinctive(name, Templates::BySite),
            "noisy" => Self {
                name: name.to_owned(),
                tokens: Unit::Characters,
                shingles: set_of(7),
                threshold: NOISY_TARGET.0,
                ..text(filter(198, 4, 1))
            },
            "sets" => Self {
                name: name.to_owned(),
                tokens: Unit::Items,
                shingles: set_of(1),
                ..Self::default()
            },
            // The paper leaves w open; its authors' web-wide clustering used ten.
            "altavista" => Self { shingles: set_of(10), ..paper(name, Candidates::Features) },
            "henzinger-b" => paper(name, Candidates::Features),
            "henzinger-c" => Self {
                sketch: SketchParameters::None,
                features: None,
                projection: Some(ALGORITHM_C),
                ..paper(name, Candidates::Projection)
            },
            "henzinger-combined" => {
                Self { projection: Some(ALGORITHM_C), ..paper(name, Candidates::Combined) }
            }
            "henzinger-sites" => {
                Self { projection: Some(ALGORITHM_C), ..paper(name, Candidates::BySite) }
            }
            "pugh" => Self {
                sketch: SketchParameters::Lists {
                    lists: 4,
                    repeats: 6,
                    agree: 2,
                    order: ListOrder::Sequence,
                    over: Over::Tokens,
                },
                features: None,
                ..paper(name, Candidates::Lists)
            },
            _ => return Err(Error::from(ErrorKind::UnknownPreset(name.to_owned()))),
        })
    }

    /// The preset of this name, judged in another way. The filters of `text`, `noisy`, `pages` and
    /// `sites` are chosen again for another threshold or recall; those of the papers stay as they are.
    ///
    /// # Errors
    /// If there is no preset of this name, it is a paper's and a recall is given, or what is wanted
    /// cannot be had.
    pub fn preset_judging(name: &str, judging: &Judging) -> Result<Self> {
        let preset = Self::preset(name)?;
        let Some(own) = own_target(name) else { return preset.judging(judging) };
        preset.aimed_at(own, judging)?.judging(&judging.without_target())
    }

    /// The `text` recipe for another target: of the pairs at exactly the
    /// threshold, the share `recall` becomes candidates.
    ///
    /// # Errors
    /// If no filter gives that.
    pub fn tune(threshold: f64, recall: f64) -> Result<Self> {
        let target =
            Judging { threshold: Some(threshold), recall: Some(recall), ..Judging::default() };
        Self::default().aimed_at(TEXT_TARGET, &target)
    }

    /// The recipe, whose filter is for the target `own`, with the filter for the threshold and the
    /// recall that are wanted.
    pub(super) fn aimed_at(self, own: (f64, f64), wanted: &Judging) -> Result<Self> {
        let (threshold, recall) =
            (wanted.threshold.unwrap_or(own.0), wanted.recall.unwrap_or(own.1));
        let aimed = Self {
            threshold,
            verify: wanted.verify.unwrap_or(self.verify),
            shingles: Shingles {
                width: wanted.ngram.unwrap_or(self.shingles.width),
                ..self.shingles
            },
            ..self.clone()
        };
        // What the filter is for: the filter knows of resemblance only.
        let least = aimed.least_resemblance();
        if (least, recall) == own {
            return Ok(Self { threshold, ..self });
        }
        let filter = Search::new(least, recall).run()?.filter;
        let by = if aimed.verify == Verify::Difference { "difference-" } else { "" };
        Ok(Self {
            name: format!("{}-{by}{threshold}-{recall}", self.name),
            threshold,
            sketch: SketchParameters::Minwise { permutations: filter.permutations() as usize },
            features: Some(filter),
            ..self
        })
    }
}

/// The threshold and the recall that a preset's filter is chosen for; none if it is a paper's.
pub(super) fn own_target(preset: &str) -> Option<(f64, f64)> {
    match preset {
        "text" | "sets" => Some(TEXT_TARGET),
        "pages" | "sites" => Some(SITES_TARGET),
        "noisy" => Some(NOISY_TARGET),
        _ => None,
    }
}

/// A filter that is known to be one.
fn filter(k: u32, s: u32, r: u32) -> Filter {
    Filter::new(k, s, r).expect("a filter within all bounds")
}

/// Word shingles without what is not a page's own.
fn distinctive(name: &str, templates: Templates) -> Recipe {
    let name = name.to_owned();
    Recipe { name, templates, threshold: SITES_TARGET.0, ..text(filter(20, 5, 1)) }
}

/// Word shingles under a filter, verified exactly.
fn text(filter: Filter) -> Recipe {
    Recipe {
        name: "text".to_owned(),
        seed: 0,
        secret: None,
        tokens: Unit::Words,
        templates: Templates::Off,
        shingles: set_of(5),
        keep_exact: true,
        sketch: SketchParameters::Minwise { permutations: filter.permutations() as usize },
        keep_sketch: false,
        features: Some(filter),
        projection: None,
        keep_projection: true,
        candidates: Candidates::Features,
        by_site: BySite::default(),
        sites: SiteRule::Label,
        verify: Verify::Exact,
        threshold: TEXT_TARGET.0,
    }
}

/// What Henzinger's variants of B have in common: w = 8, [6, 14, 2].
fn paper(name: &str, candidates: Candidates) -> Recipe {
    Recipe {
        name: name.to_owned(),
        shingles: set_of(8),
        candidates,
        verify: Verify::None,
        ..text(filter(6, 14, 2))
    }
}

const fn set_of(width: usize) -> Shingles {
    Shingles { width, counting: Counting::Set }
}

/// Henzinger's Algorithm C; thirteen pieces, because with the paper's twelve
/// pairs that differ in twelve bits can be missed.
const ALGORITHM_C: ProjectionParameters = ProjectionParameters {
    bits: 384,
    over: Over::Tokens,
    agree: 372,
    agree_combined: 355,
    pieces: 13,
};
