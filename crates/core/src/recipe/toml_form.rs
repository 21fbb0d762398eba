//! Recipes as TOML files.
//!
//! Written by hand from the list of parameters, so that the file is the same
//! for ever; read with serde, where unknown keys are errors and missing ones
//! have the defaults of the `text` preset.

use serde::Deserialize;

use super::{
    Candidates, Over, ProjectionParameters, Recipe, Shingles, SketchParameters, Templates, VERSION,
    Verify, unicode_version,
};
use crate::error::{Error, ErrorKind, Result};
use crate::filter::Filter;
use crate::shingle::Counting;
use crate::site::SiteRule;
use crate::sketch::ListOrder;
use crate::text::Unit;

impl Recipe {
    /// The recipe as a TOML file, every parameter on a line.
    pub fn to_toml(&self) -> String {
        let mut section = "";
        let lines = self.parameters().into_iter().map(|parameter| {
            let (of, key) = parameter.key.split_once('.').unwrap_or(("", parameter.key));
            let line = format!("{key} = {}\n", parameter.value);
            if of == section {
                return line;
            }
            section = of;
            format!("\n[{section}]\n{line}")
        });
        lines.collect()
    }

    /// Reads a recipe from TOML and checks it.
    ///
    /// # Errors
    /// If it is no TOML, has an unknown key, is of another version, or a
    /// parameter is out of range.
    pub fn from_toml(text: &str) -> Result<Self> {
        let file: File = toml::from_str(text).map_err(|error| {
            Error::new(ErrorKind::Syntax(error.to_string().trim_end().to_owned()))
        })?;
        let recipe = file.recipe()?;
        recipe.validate()?;
        Ok(recipe)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    version: u32,
    #[serde(default)]
    name: String,
    unicode: Option<String>,
    #[serde(default)]
    seed: u64,
    tokens: Option<String>,
    templates: Option<String>,
    #[serde(default)]
    shingles: ShinglesTable,
    sketch: Option<SketchTable>,
    features: Option<FeaturesTable>,
    projection: Option<ProjectionTable>,
    #[serde(default)]
    candidates: CandidatesTable,
    #[serde(default)]
    verify: VerifyTable,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct ShinglesTable {
    width: Option<usize>,
    count: Option<String>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct SketchTable {
    kind: String,
    permutations: Option<usize>,
    size: Option<usize>,
    modulus: Option<u64>,
    lists: Option<usize>,
    repeats: Option<usize>,
    agree: Option<usize>,
    order: Option<String>,
    over: Option<String>,
    #[serde(default)]
    keep: bool,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FeaturesTable {
    k: u32,
    s: u32,
    r: u32,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ProjectionTable {
    bits: usize,
    over: Option<String>,
    agree: Option<usize>,
    #[serde(rename = "agree-combined")]
    agree_combined: Option<usize>,
    pieces: Option<usize>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct CandidatesTable {
    rule: Option<String>,
    sites: Option<String>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct VerifyTable {
    by: Option<String>,
    threshold: Option<f64>,
}

/// The value that a name in the file stands for, or the default if it is missing.
fn named<T>(name: Option<&String>, parse: fn(&str) -> Result<T>, default: T) -> Result<T> {
    name.map_or(Ok(default), |name| parse(name))
}

/// A number that this kind of sketch cannot do without.
fn needed<T>(name: &'static str, value: Option<T>) -> Result<T> {
    value.ok_or_else(|| Error::parameter(name, "missing", "given for this kind of sketch"))
}

impl File {
    fn recipe(&self) -> Result<Recipe> {
        if self.version != VERSION {
            return Err(Error::new(ErrorKind::Version(self.version)));
        }
        let tables = unicode_version();
        if let Some(unicode) = self.unicode.as_deref().filter(|&unicode| unicode != tables) {
            let expected = format!("`{tables}`, the version this program has tables of");
            return Err(Error::parameter("unicode", format_args!("`{unicode}`"), expected));
        }
        let features = self.features.as_ref().map(|t| Filter::new(t.k, t.s, t.r)).transpose();
        let features = features.map_err(Error::filter)?;
        Ok(Recipe {
            name: self.name.clone(),
            seed: self.seed,
            tokens: named(self.tokens.as_ref(), Unit::from_name, Unit::Words)?,
            templates: named(self.templates.as_ref(), str::parse, Templates::Off)?,
            shingles: Shingles {
                width: self.shingles.width.unwrap_or(5),
                counting: named(self.shingles.count.as_ref(), Counting::from_name, Counting::Set)?,
            },
            sketch: self.sketch(features)?,
            keep_sketch: self.sketch.as_ref().is_some_and(|sketch| sketch.keep),
            features,
            projection: self.projection.as_ref().map(ProjectionTable::parameters).transpose()?,
            candidates: named(
                self.candidates.rule.as_ref(),
                Candidates::from_name,
                Candidates::Features,
            )?,
            sites: named(self.candidates.sites.as_ref(), SiteRule::from_name, SiteRule::default())?,
            verify: named(self.verify.by.as_ref(), Verify::from_name, Verify::Exact)?,
            threshold: self.verify.threshold.unwrap_or(0.8),
        })
    }

    fn sketch(&self, features: Option<Filter>) -> Result<SketchParameters> {
        let permutations = features.map(|filter| filter.permutations() as usize);
        let Some(table) = &self.sketch else {
            return Ok(permutations.map_or(SketchParameters::None, |permutations| {
                SketchParameters::Minwise { permutations }
            }));
        };
        Ok(match table.kind.as_str() {
            "none" => SketchParameters::None,
            "minwise" => SketchParameters::Minwise {
                permutations: needed("sketch.permutations", table.permutations.or(permutations))?,
            },
            "bottom" => SketchParameters::Bottom { size: needed("sketch.size", table.size)? },
            "modular" => {
                SketchParameters::Modular { modulus: needed("sketch.modulus", table.modulus)? }
            }
            "lists" => SketchParameters::Lists {
                lists: needed("sketch.lists", table.lists)?,
                repeats: table.repeats.unwrap_or(1),
                agree: table.agree.unwrap_or(1),
                order: named(table.order.as_ref(), ListOrder::from_name, ListOrder::Sequence)?,
                over: named(table.over.as_ref(), Over::from_name, Over::Tokens)?,
            },
            kind => {
                return Err(Error::parameter(
                    "sketch.kind",
                    format_args!("`{kind}`"),
                    "one of `none` `minwise` `bottom` `modular` `lists`",
                ));
            }
        })
    }
}

impl ProjectionTable {
    /// Missing thresholds keep the papers' shares: 372 and 355 of 384 bits.
    fn parameters(&self) -> Result<ProjectionParameters> {
        let agree = self.agree.unwrap_or(self.bits - self.bits / 32);
        Ok(ProjectionParameters {
            bits: self.bits,
            over: named(self.over.as_ref(), Over::from_name, Over::Tokens)?,
            agree,
            agree_combined: self
                .agree_combined
                .unwrap_or(self.bits.saturating_mul(355).div_ceil(384)),
            // One piece more than bits may differ: then one piece has no difference.
            pieces: self.pieces.unwrap_or(self.bits.saturating_sub(agree) + 1),
        })
    }
}
