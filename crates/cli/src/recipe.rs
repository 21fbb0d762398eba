//! `--recipe NAME|FILE`.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use anyhow::{Context as _, anyhow, bail};
use lookalike_core::Recipe;
use lookalike_core::recipe::{Judging, preset_names};
use lookalike_index::Secret;

use crate::flags;

/// The longest recipe file. A thousand times longer than any that makes sense.
const MAX_BYTES: u64 = 1 << 20;

/// The preset of this name, or the recipe in this file.
pub(crate) fn load(name: &str) -> anyhow::Result<Recipe> {
    load_judging(name, &Judging::default())
}

/// The same, with shingles of so many words.
pub(crate) fn load_with_ngram(name: &str, ngram: Option<usize>) -> anyhow::Result<Recipe> {
    load_judging(name, &Judging { ngram, ..Judging::default() })
}

/// The same, judged in another way.
fn load_judging(name: &str, judging: &Judging) -> anyhow::Result<Recipe> {
    if Recipe::preset(name).is_ok() {
        return Ok(Recipe::preset_judging(name, judging)?);
    }
    let path = Path::new(name);
    let looks_like_path = name.contains(['/', '\\', '.']);
    if !looks_like_path && !path.exists() {
        return Err(anyhow!(
            "there is no recipe `{name}`; the presets are: {}\n\
             hint: `lookalike recipe text > my.toml` makes a file to edit, for `--recipe my.toml`",
            preset_names()
        ));
    }
    let text = read(path)?;
    let mut recipe =
        Recipe::from_toml_judging(&text, judging).with_context(|| format!("`{name}`"))?;
    if recipe.name.is_empty() {
        let stem = path.file_stem().unwrap_or_default();
        recipe.name = stem.to_string_lossy().into_owned();
    }
    Ok(recipe)
}

/// The recipe that documents are judged by; `default` unless one is named.
pub(crate) fn judging(arguments: &flags::Judging, default: &str) -> anyhow::Result<Recipe> {
    let flags::Judging { recipe, threshold, recall, ngram, verify, sites, templates } = arguments;
    let judging = Judging {
        threshold: *threshold,
        recall: *recall,
        ngram: *ngram,
        verify: *verify,
        sites: sites.rule,
        templates: templates.clone(),
    };
    load_judging(recipe.as_deref().unwrap_or(default), &judging)
}

/// The recipe, whose random choices are drawn from the secret in this file, if there is one.
pub(crate) fn with_secret(recipe: Recipe, file: Option<&Path>) -> anyhow::Result<Recipe> {
    Ok(match file {
        Some(file) => recipe.with_secret(&Secret::from_file(file)?.0)?,
        None => recipe,
    })
}

/// The text of a recipe file.
fn read(path: &Path) -> anyhow::Result<String> {
    let name = path.display();
    let mut bytes = Vec::new();
    File::open(path)
        .and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes))
        .map_err(|error| anyhow!("`{name}`: cannot be read: {error}"))?;
    if bytes.len() as u64 > MAX_BYTES {
        bail!("`{name}`: is not a recipe: it is longer than {MAX_BYTES} bytes");
    }
    String::from_utf8(bytes).map_err(|_| anyhow!("`{name}`: is not a recipe: it is not UTF-8"))
}
