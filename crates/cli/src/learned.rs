//! The templates that a run has learned, as `--learned` names them.

use std::path::Path;

use anyhow::bail;
use lookalike_core::Recipe;
use lookalike_engine::TemplateFile;

/// Those of a run, its folder or its file, if they were learned by this recipe.
pub(crate) fn templates(run: &Path, recipe: &Recipe) -> anyhow::Result<TemplateFile> {
    if !recipe.templates.are_learned() {
        bail!("the recipe `{}` has no templates: --learned is for `--recipe sites`", recipe.name);
    }
    let file = TemplateFile::of_run(run)?;
    if file.info().signing_digest != recipe.signing_digest() {
        bail!(
            "`{}`: was learned by another recipe than `{}`\n\
             hint: --recipe takes the `recipe.toml` of the run that learned it",
            run.display(),
            recipe.name
        );
    }
    Ok(file)
}
