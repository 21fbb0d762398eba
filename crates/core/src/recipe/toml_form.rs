//! Recipes as TOML files.
//!
//! Written by hand from the list of parameters, so that the file is the same
//! for ever; read with serde, where unknown keys are errors and missing ones
//! have the values of the `text` preset: its filter too, wherever the rule of
//! candidates is about features. Only the version must be there.

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
    kind: Option<String>,
    permutations: Option<usize>,
    size: Option<usize>,
    modulus: Option<u64>,
    lists: Option<usize>,
    repeats: Option<usize>,
    agree: Option<usize>,
    order: Option<String>,
    over: Option<String>,
    keep: Option<bool>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct FeaturesTable {
    k: Option<u32>,
    s: Option<u32>,
    r: Option<u32>,
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
        let text = Recipe::default();
        let rule =
            named(self.candidates.rule.as_ref(), Candidates::from_name, Candidates::Features)?;
        let features = self.features(rule, text.features)?;
        let verify = named(self.verify.by.as_ref(), Verify::from_name, text.verify)?;
        // Estimates are made from sketches, so they are kept unless the file says otherwise.
        let keep = self.sketch.as_ref().and_then(|sketch| sketch.keep);
        Ok(Recipe {
            name: self.name.clone(),
            seed: self.seed,
            tokens: named(self.tokens.as_ref(), Unit::from_name, text.tokens)?,
            templates: named(self.templates.as_ref(), str::parse, Templates::Off)?,
            shingles: Shingles {
                width: self.shingles.width.unwrap_or(text.shingles.width),
                counting: named(self.shingles.count.as_ref(), Counting::from_name, Counting::Set)?,
            },
            sketch: self.sketch(features)?,
            keep_sketch: keep.unwrap_or(verify == Verify::Estimate),
            features,
            projection: self.projection.as_ref().map(ProjectionTable::parameters).transpose()?,
            candidates: rule,
            sites: named(self.candidates.sites.as_ref(), SiteRule::from_name, SiteRule::default())?,
            verify,
            threshold: self.verify.threshold.unwrap_or(text.threshold),
        })
    }

    /// The kind of sketch, if the file names one.
    fn sketch_kind(&self) -> Option<&str> {
        self.sketch.as_ref().and_then(|sketch| sketch.kind.as_deref())
    }

    /// The filter: what is not said of it is that of `text`, as is all of it where the rule needs
    /// one and the sketch is not said to be another.
    fn features(&self, rule: Candidates, text: Option<Filter>) -> Result<Option<Filter>> {
        let needed = match rule {
            Candidates::Features | Candidates::Combined | Candidates::BySite => {
                matches!(self.sketch_kind(), None | Some("minwise"))
            }
            Candidates::Projection | Candidates::Lists => false,
        };
        let none = FeaturesTable::default();
        let table = match &self.features {
            Some(table) => table,
            None if needed => &none,
            None => return Ok(None),
        };
        let Some(text) = text else { return Ok(None) };
        let filter = Filter::new(
            table.k.unwrap_or(text.k()),
            table.s.unwrap_or(text.s()),
            table.r.unwrap_or(text.r()),
        );
        filter.map(Some).map_err(Error::filter)
    }

    fn sketch(&self, features: Option<Filter>) -> Result<SketchParameters> {
        let permutations = features.map(|filter| filter.permutations() as usize);
        let Some(table) = &self.sketch else {
            return Ok(permutations.map_or(SketchParameters::None, |permutations| {
                SketchParameters::Minwise { permutations }
            }));
        };
        Ok(match table.kind.as_deref().unwrap_or("minwise") {
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
