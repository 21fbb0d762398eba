//! `lookalike index filter`.

use std::collections::VecDeque;
use std::fs;
use std::io::{self, BufWriter, Write as _};
use std::path::Path;

use anyhow::{Context as _, bail};
use lookalike::corpus::{ReadOptions, Source, Sources};
use lookalike::index::{AddIf, CheckedAndAdded, Content, Document, Index};
use serde_json::{Map, Value};

use super::check::STANDARD_OUTPUT;
use super::documents::{Item, Read, Sink, read};
use crate::exit::{Outcome, say};
use crate::flags::Reading;
use crate::output::{bytes, count, grouped};

pub(crate) fn run(
    index: &Index,
    inputs: &[String],
    reading: &Reading,
    out: Option<&Path>,
) -> anyhow::Result<Outcome> {
    let sources = Sources::by_name(inputs, reading.documents.format())?;
    let (read, new) = match out {
        None => {
            let out = BufWriter::new(io::stdout().lock());
            let mut lines = Lines { index, out, new: 0 };
            let read = read("filter", sources, reading, &mut lines)?;
            (read, lines.new)
        }
        Some(folder) => {
            if inputs.iter().any(|input| input == "-") {
                bail!("standard input can only be read once\nhint: leave --out away");
            }
            fs::create_dir_all(folder)
                .map_err(|error| anyhow::anyhow!("`{}`: {error}", folder.display()))?;
            let options = reading.documents.options();
            let open = VecDeque::new();
            let mut files = Files { index, folder, options, open, first: 0, new: 0 };
            let read = read("filter", sources, reading, &mut files)?;
            if !read.interrupted {
                files.write(u64::MAX)?;
            }
            (read, files.new)
        }
    };
    summary(&read, new);
    if read.interrupted {
        bail!("interrupted\nhint: the documents that are added stay; run the rest again");
    }
    Ok(read.outcome())
}

fn summary(read: &Read, new: u64) {
    say(&format!(
        "{} of {} new, and added{}; read {} in {:.1} s",
        grouped(new),
        count(read.documents, "document"),
        read.remarks(),
        bytes(read.bytes),
        read.seconds,
    ));
}

/// Adds the documents of a batch that are new; which they are.
fn add_new(index: &Index, batch: Vec<Item>) -> anyhow::Result<Vec<(Item, bool)>> {
    let documents: Vec<Document<'_>> = batch.iter().map(|item| item.document.clone()).collect();
    let added = index.check_and_add_batch(&documents, AddIf::New)?;
    let is_new = |added: CheckedAndAdded| added.added.is_some();
    Ok(batch.into_iter().zip(added.into_iter().map(is_new)).collect())
}

/// New documents as lines on standard output.
struct Lines<'a> {
    index: &'a Index,
    out: BufWriter<io::StdoutLock<'static>>,
    new: u64,
}

impl Sink for Lines<'_> {
    fn batch(&mut self, batch: Vec<Item>) -> anyhow::Result<()> {
        for (item, is_new) in add_new(self.index, batch)? {
            if is_new {
                self.new += 1;
                let line = item.json.unwrap_or_else(|| object(&item.document));
                self.out.write_all(line.trim_ascii_end()).context(STANDARD_OUTPUT)?;
                self.out.write_all(b"\n").context(STANDARD_OUTPUT)?;
            }
        }
        self.out.flush().context(STANDARD_OUTPUT)
    }
}

/// A document that is no JSON record, as one.
fn object(document: &Document<'_>) -> Vec<u8> {
    let mut object = Map::new();
    object.insert("id".to_owned(), Value::from(&*document.id));
    if let Some(url) = &document.url {
        object.insert("url".to_owned(), Value::from(&**url));
    }
    let (name, content) = match &document.content {
        Content::Text(text) => ("text", &text[..]),
        Content::Html(page) => ("html", &page[..]),
        Content::Signed { .. } => ("text", &[][..]),
    };
    object.insert(name.to_owned(), Value::from(String::from_utf8_lossy(content)));
    Value::Object(object).to_string().into_bytes()
}

/// New documents in files of their sources' own formats.
struct Files<'a> {
    index: &'a Index,
    folder: &'a Path,
    options: &'a ReadOptions,
    /// Sources that have documents in the current batch or after it, and which of their records
    /// are new.
    open: VecDeque<(Source, Vec<u64>)>,
    /// The number of the first of them.
    first: u64,
    new: u64,
}

impl Sink for Files<'_> {
    fn source(&mut self, source: Source) -> anyhow::Result<()> {
        self.open.push_back((source, Vec::new()));
        Ok(())
    }

    fn batch(&mut self, batch: Vec<Item>) -> anyhow::Result<()> {
        let last = batch.last().map_or(0, |item| item.source);
        for (item, is_new) in add_new(self.index, batch)? {
            let place = (item.source - self.first) as usize;
            if is_new && let Some((_, records)) = self.open.get_mut(place) {
                self.new += 1;
                records.push(item.record);
            }
        }
        self.write(last)
    }
}

impl Files<'_> {
    /// Writes the mirrors of all sources before this one.
    fn write(&mut self, end: u64) -> anyhow::Result<()> {
        while self.first < end
            && let Some((source, records)) = self.open.pop_front()
        {
            self.first += 1;
            if !records.is_empty() {
                let mut records = records.into_iter().peekable();
                let mirrored = source.mirror_records(self.folder, self.options, |record| {
                    records.next_if_eq(&record).is_some()
                })?;
                // That it broke off was said when its documents were read.
                drop(mirrored);
            }
        }
        Ok(())
    }
}
