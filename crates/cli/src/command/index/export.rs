//! `lookalike index export`.

use std::path::Path;

use anyhow::Context as _;
use lookalike_index::Index;

use crate::exit::{Outcome, say};
use crate::export::ExportWriter;
use crate::output::{STANDARD_OUTPUT, count};

pub(crate) fn run(index: &Index, out: &Path) -> anyhow::Result<Outcome> {
    let mut writer = ExportWriter::create(out)?;
    let mut documents = index.documents()?;
    while let Some(record) = documents.next() {
        let record = record?;
        let counts = documents.counts(&record)?;
        writer.push(record, counts).with_context(|| of(out))?;
    }
    let written = writer.finish().with_context(|| of(out))?;
    if out != Path::new("-") {
        say(&format!("{} in `{}`", count(written, "document"), out.display()));
    }
    Ok(Outcome::Done)
}

/// What failed, where the system does not say.
fn of(out: &Path) -> String {
    if out == Path::new("-") { STANDARD_OUTPUT.to_owned() } else { format!("`{}`", out.display()) }
}
