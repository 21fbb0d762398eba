//! The named recipes: the papers', and ours.

use super::{
    Candidates, Judging, Over, ProjectionParameters, Recipe, Shingles, SketchParameters, Templates,
    Verify,
};
use crate::error::{Error, ErrorKind, Result};
use crate::filter::{Filter, Search};
use crate::shingle::Counting;
use crate::site::SiteRule;
use crate::sketch::ListOrder;
use crate::text::Unit;

/// The threshold and the recall of the `text` preset.
const TEXT_TARGET: (f64, f64) = (0.8, 0.95);

impl Default for Recipe {
    /// The `text` preset.
    fn default() -> Self {
        text(filter(13, 7, 1))
    }
}

impl Recipe {
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
            // At a distinctive resemblance of 0.7 this filter finds 0.97 of the pairs.
            "sites" => Self {
                name: name.to_owned(),
                templates: Templates::BySite,
                threshold: 0.7,
                ..text(filter(20, 5, 1))
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
            _ => return Err(Error::new(ErrorKind::UnknownPreset(name.to_owned()))),
        })
    }

    /// The preset of this name, judged in another way. The filter of `text` is chosen again for
    /// another threshold or recall.
    ///
    /// # Errors
    /// If there is no preset of this name, it is not `text` and a recall is given, or what is
    /// wanted cannot be had.
    pub fn preset_judging(name: &str, judging: &Judging) -> Result<Self> {
        let Judging { threshold, recall, .. } = *judging;
        let preset = Self::preset(name)?;
        if name != "text" || (threshold, recall) == (None, None) {
            return preset.judging(judging);
        }
        let (threshold, recall) =
            (threshold.unwrap_or(preset.threshold), recall.unwrap_or(TEXT_TARGET.1));
        let rest = Judging { threshold: None, recall: None, ..judging.clone() };
        Self::tune(threshold, recall)?.judging(&rest)
    }

    /// The `text` recipe for another target: of the pairs at exactly the
    /// threshold, the share `recall` becomes candidates.
    ///
    /// # Errors
    /// If no filter gives that.
    pub fn tune(threshold: f64, recall: f64) -> Result<Self> {
        if (threshold, recall) == TEXT_TARGET {
            return Ok(Self::default());
        }
        let found = Search::new(threshold, recall).run().map_err(Error::filter)?;
        let name = format!("text-{threshold}-{recall}");
        Ok(Self { name, threshold, ..text(found.filter) })
    }
}

/// A filter that is known to be one.
fn filter(k: u32, s: u32, r: u32) -> Filter {
    Filter::new(k, s, r).expect("a filter within all bounds")
}

/// Word shingles under a filter, verified exactly.
fn text(filter: Filter) -> Recipe {
    Recipe {
        name: "text".to_owned(),
        seed: 0,
        tokens: Unit::Words,
        templates: Templates::Off,
        shingles: set_of(5),
        sketch: SketchParameters::Minwise { permutations: filter.permutations() as usize },
        keep_sketch: false,
        features: Some(filter),
        projection: None,
        candidates: Candidates::Features,
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
