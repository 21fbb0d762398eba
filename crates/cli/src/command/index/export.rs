//! `lookalike index export`.

use std::path::Path;

use anyhow::Context as _;
use lookalike_index::Index;

use crate::exit::{Outcome, say};
use crate::export::{ExportWriter, ExportedDocument};
use crate::output::{count, written_to};

pub(crate) fn run(index: &Index, out: &Path) -> anyhow::Result<Outcome> {
    let mut writer = ExportWriter::create(out)?;
    let mut documents = index.documents()?;
    while let Some(record) = documents.next() {
        let record = record?;
        let counts = documents.counts(&record)?;
        writer.push(ExportedDocument { record, counts }).with_context(|| written_to(out))?;
    }
    let written = writer.finish().with_context(|| written_to(out))?;
    if out != Path::new("-") {
        say(&format!("{} in `{}`", count(written, "document"), out.display()));
    }
    Ok(Outcome::Done)
}
