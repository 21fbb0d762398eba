//! Recipes as TOML files.
//!
//! Written by hand from the list of parameters, so that the file is the same
//! for ever; read with serde, where unknown keys are errors and missing ones
//! have the values of a preset, `base`, which is `text` if it is missing. The
//! filter of `text` and of `sites` is chosen for the threshold, unless the file
//! says what it is.

use serde::Deserialize;

use super::presets::own_target;
use super::{
    BySite, Candidates, Judging, Over, ProjectionParameters, Recipe, SecretSeed, Shingles,
    SketchParameters, TEMPLATES_VERSION, VERSION, Verify, version_of_tables,
};
use crate::error::{Error, ErrorKind, Result};
use crate::filter::Filter;
use crate::shingle::Counting;
use crate::site::SiteRule;
use crate::sketch::ListOrder;
use crate::text::{SENTENCES_VERSION, UNICODE_VERSION, Unit};

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
    /// If it is not TOML, has an unknown key, is of another version, or a
    /// parameter is out of range.
    pub fn from_toml(text: &str) -> Result<Self> {
        Self::from_toml_judging(text, &Judging::default())
    }

    /// Reads a recipe from TOML, judged in another way. Its filter is chosen for the threshold and
    /// the recall, unless the file says what it is.
    ///
    /// # Errors
    /// As [`from_toml`](Self::from_toml) and [`judging`](Self::judging).
    pub fn from_toml_judging(text: &str, judging: &Judging) -> Result<Self> {
        let syntax = |reason: &str| Error::from(ErrorKind::Syntax(reason.trim_end().to_owned()));
        let file: File = toml::from_str(text).map_err(|error| syntax(&error.to_string()))?;
        if text.lines().all(|line| line.trim_start().starts_with('#') || line.trim().is_empty()) {
            return Err(syntax("it says nothing; `base = \"text\"` would be the preset `text`"));
        }
        file.recipe(judging)
    }
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    version: Option<u32>,
    base: Option<String>,
    #[serde(default)]
    name: String,
    unicode: Option<String>,
    seed: Option<u64>,
    secret: Option<String>,
    tokens: Option<String>,
    sentences: Option<String>,
    templates: Option<String>,
    #[serde(default)]
    shingles: ShinglesTable,
    exact: Option<ExactTable>,
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
struct ExactTable {
    keep: bool,
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
    bits: Option<usize>,
    over: Option<String>,
    agree: Option<usize>,
    #[serde(rename = "agree-combined")]
    agree_combined: Option<usize>,
    pieces: Option<usize>,
    keep: Option<bool>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct CandidatesTable {
    rule: Option<String>,
    within: Option<String>,
    across: Option<String>,
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

/// The tables are those that the file was written under.
fn check_tables(name: &'static str, given: Option<&str>, own: &str) -> Result<()> {
    let Some(given) = given.filter(|&given| given != own) else { return Ok(()) };
    let expected = format!("`{own}`, the version this program has tables of");
    Err(Error::parameter(name, format_args!("`{given}`"), expected))
}

/// A number that cannot be done without.
fn needed<T>(name: &'static str, value: Option<T>) -> Result<T> {
    value.ok_or_else(|| Error::parameter(name, "missing", "given here"))
}

impl File {
    fn recipe(&self, judging: &Judging) -> Result<Recipe> {
        let known = [VERSION, TEMPLATES_VERSION];
        if let Some(version) = self.version.filter(|version| !known.contains(version)) {
            return Err(Error::from(ErrorKind::Version(version)));
        }
        check_tables("unicode", self.unicode.as_deref(), &version_of_tables(UNICODE_VERSION))?;
        let sentences = version_of_tables(SENTENCES_VERSION);
        check_tables("sentences", self.sentences.as_deref(), &sentences)?;
        let base_name = self.base.as_deref().unwrap_or("text");
        let base = Recipe::preset(base_name)?;
        // What samples one set of elements makes candidates by itself.
        let own_rule = match self.sketch_kind() {
            Some("bottom" | "modular") if base.candidates == Candidates::Features => {
                Candidates::Sketch
            }
            _ => base.candidates,
        };
        let rule = named(self.candidates.rule.as_ref(), Candidates::from_name, own_rule)?;
        let by_site = self.by_site(rule, base.by_site)?;
        let features = self.features(rule, by_site, &base)?;
        let verify = named(self.verify.by.as_ref(), Verify::from_name, base.verify)?;
        let keep = self.sketch.as_ref().and_then(|sketch| sketch.keep);
        let counting = self.shingles.count.as_ref();
        let tokens = named(self.tokens.as_ref(), Unit::from_name, base.tokens)?;
        // Items have no order, so that there is nothing to say of it.
        let width = if tokens == Unit::Items { 1 } else { base.shingles.width };
        let recipe = Recipe {
            name: self.name.clone(),
            seed: self.seed.unwrap_or(base.seed),
            secret: self.secret.as_deref().map(SecretSeed::from_digits).transpose()?,
            tokens,
            templates: named(self.templates.as_ref(), str::parse, base.templates.clone())?,
            shingles: Shingles {
                width: self.shingles.width.unwrap_or(width),
                counting: named(counting, Counting::from_name, base.shingles.counting)?,
            },
            keep_exact: self.exact.as_ref().map_or(base.keep_exact, |exact| exact.keep),
            sketch: self.sketch(features, base.sketch)?,
            // Where something is made from sketches they are kept, unless the file says otherwise.
            keep_sketch: keep.unwrap_or(
                base.keep_sketch || verify == Verify::Estimate || rule == Candidates::Sketch,
            ),
            features,
            projection: self.projection(base.projection)?,
            keep_projection: self
                .projection
                .as_ref()
                .and_then(|table| table.keep)
                .unwrap_or(base.keep_projection),
            candidates: rule,
            by_site,
            sites: named(self.candidates.sites.as_ref(), SiteRule::from_name, base.sites)?,
            verify,
            threshold: self.verify.threshold.unwrap_or(base.threshold),
        };
        if let Some(version) = self.version.filter(|&version| version != recipe.version()) {
            return Err(Error::from(ErrorKind::Version(version)));
        }
        recipe.validate()?;
        let own = own_target(base_name).filter(|_| self.leaves_filter_open() && features.is_some());
        let Some(own) = own else { return recipe.judging(judging) };
        let threshold = judging.threshold.or(self.verify.threshold);
        let aimed = recipe.aimed_at(own, &Judging { threshold, ..judging.clone() })?;
        Recipe { name: self.name.clone(), ..aimed }.judging(&judging.without_target())
    }

    /// Whether the file says nothing of the filter.
    fn leaves_filter_open(&self) -> bool {
        let permutations = self.sketch.as_ref().and_then(|sketch| sketch.permutations);
        self.features.is_none() && permutations.is_none()
    }

    /// The kind of sketch, if the file names one.
    fn sketch_kind(&self) -> Option<&str> {
        self.sketch.as_ref().and_then(|sketch| sketch.kind.as_deref())
    }

    /// The filter: what is not said of it is that of the base, or of `text` if the base has none.
    /// There is one where the rule needs it, if the sketch is not said to be another.
    fn features(&self, rule: Candidates, by_site: BySite, base: &Recipe) -> Result<Option<Filter>> {
        let goes_by_features = |rule| matches!(rule, Candidates::Features | Candidates::Combined);
        let needed = rule.by_site(by_site).into_iter().any(goes_by_features)
            && matches!(self.sketch_kind(), None | Some("minwise"));
        let none = FeaturesTable::default();
        let table = match &self.features {
            Some(table) => table,
            None if needed => &none,
            None => return Ok(None),
        };
        let Some(own) = base.features.or(Recipe::default().features) else { return Ok(None) };
        let filter = Filter::new(
            table.k.unwrap_or(own.k()),
            table.s.unwrap_or(own.s()),
            table.r.unwrap_or(own.r()),
        );
        filter.map(Some).map_err(Error::from)
    }

    /// Which rules there are within and across sites.
    fn by_site(&self, rule: Candidates, base: BySite) -> Result<BySite> {
        let CandidatesTable { within, across, .. } = &self.candidates;
        for (name, given) in [("candidates.within", within), ("candidates.across", across)] {
            if let Some(given) = given
                && rule != Candidates::BySite
            {
                let expected = "left out where `candidates.rule` is not `by-site`";
                return Err(Error::parameter(name, format_args!("`{given}`"), expected));
            }
        }
        Ok(BySite {
            within: named(within.as_ref(), Candidates::from_name, base.within)?,
            across: named(across.as_ref(), Candidates::from_name, base.across)?,
        })
    }

    fn projection(
        &self,
        base: Option<ProjectionParameters>,
    ) -> Result<Option<ProjectionParameters>> {
        self.projection.as_ref().map_or(Ok(base), |table| table.parameters(base).map(Some))
    }

    fn sketch(&self, features: Option<Filter>, base: SketchParameters) -> Result<SketchParameters> {
        let permutations = features.map(|filter| filter.permutations() as usize);
        let Some(table) = &self.sketch else {
            return Ok(match (permutations, base) {
                (Some(permutations), _) => SketchParameters::Minwise { permutations },
                (None, SketchParameters::Minwise { .. }) => SketchParameters::None,
                (None, base) => base,
            });
        };
        let base_kind = Some(base.kind()).filter(|&kind| kind != "none").unwrap_or("minwise");
        let own_lists = match base {
            SketchParameters::Lists { lists, repeats, agree, order, over } => {
                (Some(lists), repeats, agree, order, over)
            }
            _ => (None, 1, 1, ListOrder::Sequence, Over::Tokens),
        };
        Ok(match table.kind.as_deref().unwrap_or(base_kind) {
            "none" => SketchParameters::None,
            "minwise" => SketchParameters::Minwise {
                permutations: needed("sketch.permutations", table.permutations.or(permutations))?,
            },
            "bottom" => SketchParameters::Bottom { size: needed("sketch.size", table.size)? },
            "modular" => SketchParameters::Modular {
                modulus: needed("sketch.modulus", table.modulus)?,
                size: table.size,
            },
            "lists" => SketchParameters::Lists {
                lists: needed("sketch.lists", table.lists.or(own_lists.0))?,
                repeats: table.repeats.unwrap_or(own_lists.1),
                agree: table.agree.unwrap_or(own_lists.2),
                order: named(table.order.as_ref(), ListOrder::from_name, own_lists.3)?,
                over: named(table.over.as_ref(), Over::from_name, own_lists.4)?,
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
    /// What is not said is that of the base if it has as many bits, else the papers' shares: 372 and
    /// 355 of 384 bits.
    fn parameters(&self, base: Option<ProjectionParameters>) -> Result<ProjectionParameters> {
        let bits = needed("projection.bits", self.bits.or(base.map(|base| base.bits)))?;
        let base = base.filter(|base| base.bits == bits);
        let agree =
            self.agree.or(base.map(|base| base.agree)).unwrap_or(bits.saturating_sub(bits / 32));
        let over = base.map_or(Over::Tokens, |base| base.over);
        Ok(ProjectionParameters {
            bits,
            over: named(self.over.as_ref(), Over::from_name, over)?,
            agree,
            agree_combined: self
                .agree_combined
                .or(base.map(|base| base.agree_combined))
                .unwrap_or(bits.saturating_mul(355).div_ceil(384)),
            // One piece more than bits may differ: then one piece has no difference.
            pieces: self.pieces.unwrap_or(bits.saturating_sub(agree) + 1),
        })
    }
}
