//! `lookalike index export`.

use std::path::Path;

use anyhow::Context as _;
use lookalike_index::Index;

use crate::exit::{Outcome, say};
use crate::export::ExportWriter;
use crate::output::{STANDARD_OUTPUT, count};

pub(crate) fn run(index: &Index, out: &Path) -> anyhow::Result<Outcome> {
    let is_standard = out == Path::new("-");
    let failed = || {
        let file = || format!("`{}`: cannot be written", out.display());
        if is_standard { STANDARD_OUTPUT.to_owned() } else { file() }
    };
    let mut writer = ExportWriter::create(out).with_context(failed)?;
    let mut documents = index.documents()?;
    while let Some(record) = documents.next() {
        let record = record?;
        let counts = documents.counts(&record)?;
        writer.push(record, counts).with_context(failed)?;
    }
    let written = writer.finish().with_context(failed)?;
    if !is_standard {
        say(&format!("{} in `{}`", count(written, "document"), out.display()));
    }
    Ok(Outcome::Done)
}
