//! `lookalike info`: what the program can do here, and what is in our files.

use std::path::Path;
use std::thread;

use anyhow::{anyhow, bail};
use lookalike_core::filter::{FINGERPRINT_BITS, fingerprint_bits};
use lookalike_core::text::UNICODE_VERSION;
use lookalike_core::{Kernel, Layout, Recipe};
use lookalike_engine::report::Report;
use lookalike_engine::signature_file::{FORMAT_VERSION, SignatureReader, is_signature_file};
use lookalike_engine::{TemplateFile, Written};
use serde_json::json;

use super::dedup;
use crate::exit::Outcome;
use crate::output::{self, Align, Table, bytes, count, grouped};
use crate::recipe;

/// How many ids are shown of a file.
const SAMPLE: usize = 5;

/// About the program.
pub(crate) fn program(kernel: Kernel, as_json: bool) -> anyhow::Result<Outcome> {
    let available: Vec<_> = Kernel::available().map(Kernel::name).collect();
    let (major, minor, patch) = UNICODE_VERSION;
    let unicode = format!("{major}.{minor}.{patch}");
    let threads = thread::available_parallelism().map_or(1, usize::from);
    let version = env!("CARGO_PKG_VERSION");
    let recipe_version = lookalike_core::recipe::VERSION;
    if as_json {
        output::write_json(&json!({
            "version": version,
            "kernel": kernel.name(),
            "kernels": available,
            "recipe_version": recipe_version,
            "unicode_version": unicode,
            "formats": { "signatures": [FORMAT_VERSION] },
            "threads": threads,
        }))?;
    } else {
        let mut table = Table::new(&[Align::Left, Align::Left]);
        table.row(["version", version]);
        let kernel = format!("{}, of {}", kernel.name(), available.join(", "));
        table.row(["kernel", &kernel]);
        table.row(["recipe version", &recipe_version.to_string()]);
        table.row(["unicode version", &unicode]);
        table.row(["reads", &format!("signature files of format version {FORMAT_VERSION}")]);
        table.row(["threads", &threads.to_string()]);
        output::write(table.text())?;
    }
    Ok(Outcome::Done)
}

/// About a run of `dedup` or `decide`: what it said when it was done.
fn run(folder: &Path, as_json: bool) -> anyhow::Result<Outcome> {
    let path = folder.join("report.json");
    if !path.is_file() {
        bail!(
            "`{}`: is not a finished run: it has no report.json\n\
             hint: `lookalike index stats` is for the folder of an index",
            folder.display()
        );
    }
    let report = Report::read(&path)?;
    if as_json {
        output::write_json(&serde_json::to_value(&report)?)?;
    } else {
        let is_there = |written: &Written| folder.join(written.name()).is_dir();
        let written = Written::ALL.into_iter().find(is_there).unwrap_or(Written::Nothing);
        output::write(dedup::summary(&report, folder, written))?;
    }
    Ok(Outcome::Done)
}

/// About one of our files, or about a run.
pub(crate) fn file(path: &Path, as_json: bool) -> anyhow::Result<Outcome> {
    let name = path.display();
    if path.is_dir() {
        return run(path, as_json);
    }
    if is_signature_file(path)? {
        return signatures(path, as_json);
    }
    if TemplateFile::is_at(path)? {
        return templates(path, as_json);
    }
    let name = path.to_str().ok_or_else(|| anyhow!("`{name}`: its name is not UTF-8"))?;
    let is_toml = path.extension().is_some_and(|extension| extension == "toml");
    // `./` so that a file that is called like a preset is looked at.
    let as_path =
        if path.components().count() == 1 { format!("./{name}") } else { name.to_owned() };
    match recipe::load(&as_path) {
        Ok(recipe) => about_recipe(&recipe, as_json),
        Err(error) if is_toml => Err(error),
        Err(_) => bail!(
            "`{name}`: is neither a signature file nor a recipe\n\
             hint: `lookalike sketch {name} -o FILE` makes a signature file of a text"
        ),
    }
}

/// About a file of templates.
fn templates(path: &Path, as_json: bool) -> anyhow::Result<Outcome> {
    let info = TemplateFile::open(path)?.info();
    let length = path.metadata().map_or(0, |metadata| metadata.len());
    if as_json {
        output::write_json(&json!({
            "kind": "templates",
            "groups": info.groups,
            "shingles": info.shingles,
            "bytes": length,
            "signing_digest": info.signing_digest.to_string(),
        }))?;
        return Ok(Outcome::Done);
    }
    let mut table = Table::new(&[Align::Left, Align::Left]);
    table.row(["kind", "file of templates"]);
    table.row(["groups with a template", &grouped(info.groups)]);
    table.row(["template shingles", &grouped(info.shingles)]);
    table.row(["size", &bytes(length)]);
    table.row(["signing digest", &info.signing_digest.to_string()]);
    output::write(table.text())?;
    Ok(Outcome::Done)
}

fn signatures(path: &Path, as_json: bool) -> anyhow::Result<Outcome> {
    let length = path.metadata().map_or(0, |metadata| metadata.len());
    let mut reader = SignatureReader::open(path)?;
    let (mut empty, mut sample) = (0_u64, Vec::new());
    for row in &mut reader {
        let (id, signature) = row?;
        empty += u64::from(signature.is_empty());
        if sample.len() < SAMPLE {
            sample.push(id);
        }
    }
    let recipe = reader.recipe();
    let width = Layout::of(recipe).bytes();
    if as_json {
        output::write_json(&json!({
            "kind": "signatures",
            "valid": true,
            "format_version": FORMAT_VERSION,
            "rows": reader.rows(),
            "empty": empty,
            "bytes": length,
            "bytes_per_document": width,
            "fingerprint_bits": FINGERPRINT_BITS,
            "fingerprint_bits_wanted": fingerprint_bits(reader.rows()),
            "recipe": recipe.name,
            "recipe_digest": recipe.digest().to_string(),
            "signing_digest": recipe.signing_digest().to_string(),
            "ids": sample,
        }))?;
        return Ok(Outcome::Done);
    }
    let mut table = Table::new(&[Align::Left, Align::Left]);
    let kind = format!("signature file, format version {FORMAT_VERSION}, {}", bytes(length));
    table.row(["kind", &kind]);
    table.row(["valid", "yes: every checksum and the number of rows are right"]);
    let rows = format!("{} ({} empty)", count(reader.rows(), "document"), grouped(empty));
    table.row(["rows", &rows]);
    table.row(["bytes per document", &width.to_string()]);
    let wanted = fingerprint_bits(reader.rows());
    let bits = format!(
        "{FINGERPRINT_BITS} bits, where 2 log2 m + 20 wants {wanted:.1} for so many documents"
    );
    table.row(["fingerprints", &bits]);
    table.row(["recipe", &recipe.name]);
    table.row(["recipe digest", &recipe.digest().to_string()]);
    table.row(["signing digest", &recipe.signing_digest().to_string()]);
    for (i, id) in sample.iter().enumerate() {
        // An id comes from a file: it must not steer the terminal.
        let id = output::printable(id);
        table.row([if i == 0 { "ids" } else { "" }, &id]);
    }
    let mut text = table.text();
    let more = reader.rows().saturating_sub(sample.len() as u64);
    if more > 0 {
        text.extend(["and ", &grouped(more), " more\n"]);
    }
    output::write(text)?;
    Ok(Outcome::Done)
}

fn about_recipe(recipe: &Recipe, as_json: bool) -> anyhow::Result<Outcome> {
    let (digest, signing) = (recipe.digest(), recipe.signing_digest());
    if as_json {
        output::write_json(&json!({
            "kind": "recipe",
            "valid": true,
            "recipe": recipe.name,
            "recipe_digest": digest.to_string(),
            "signing_digest": signing.to_string(),
            "bytes_per_document": Layout::of(recipe).bytes(),
            "toml": recipe.to_toml(),
        }))?;
    } else {
        let comment = format!(
            "# recipe digest   {digest}\n# signing digest  {signing}\n# signatures of {} bytes\n\n",
            Layout::of(recipe).bytes()
        );
        output::write(format!("{comment}{}", recipe.to_toml()))?;
    }
    Ok(Outcome::Done)
}
