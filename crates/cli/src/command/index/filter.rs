//! `lookalike index filter`.

use std::collections::VecDeque;
use std::fs;
use std::io::{self, BufWriter, Write as _};
use std::path::Path;

use anyhow::{Context as _, bail};
use lookalike_core::text::items;
use lookalike_corpus::{ReadOptions, Source, Sources};
use lookalike_index::{AddIf, Content, Document, Index};
use serde_json::{Map, Value};

use super::documents::{Origin, ReadSummary, SeenFrom, Sink, read};
use crate::exit::{Outcome, say};
use crate::flags::{Counting, Reading};
use crate::output::{STANDARD_OUTPUT, bytes, count, grouped};

pub(crate) fn run(
    index: &Index,
    inputs: &[String],
    reading: &Reading,
    counting: &Counting,
    out: Option<&Path>,
) -> anyhow::Result<Outcome> {
    let counting = &SeenFrom::new(index, counting);
    let sources = Sources::by_name(inputs, reading.documents.format)?;
    let (read, passed) = match out {
        None => {
            let out = BufWriter::new(io::stdout().lock());
            let mut lines = Lines { index, out, passed: Passed::default() };
            let read = read("filter", sources, reading, counting, &mut lines)?;
            (read, lines.passed)
        }
        Some(folder) => {
            if inputs.iter().any(|input| input == "-") {
                bail!("standard input can only be read once\nhint: leave out --out");
            }
            fs::create_dir_all(folder)
                .map_err(|error| anyhow::anyhow!("`{}`: {error}", folder.display()))?;
            let options = &reading.documents.options();
            let open = VecDeque::new();
            let passed = Passed::default();
            let mut files = Files { index, folder, options, open, first: 0, passed };
            let read = read("filter", sources, reading, counting, &mut files)?;
            if !read.interrupted {
                files.write(u64::MAX)?;
            }
            (read, files.passed)
        }
    };
    summary(&read, passed);
    if read.interrupted {
        bail!("interrupted\nhint: the documents that are added stay; run the rest again");
    }
    Ok(read.outcome())
}

fn summary(read: &ReadSummary, passed: Passed) {
    say(&format!(
        "{} of {} new, and added{}{}; read {} in {:.1} s",
        grouped(passed.new),
        count(read.documents, "document"),
        match passed.counted {
            0 => String::new(),
            counted => format!(", {} counted for known ones", grouped(counted)),
        },
        read.remarks(),
        bytes(read.bytes),
        read.seconds,
    ));
}

/// What became of documents.
#[derive(Clone, Copy, Default)]
struct Passed {
    new: u64,
    /// Those that are one more for a known one.
    counted: u64,
}

impl Passed {
    /// Adds the documents of a batch that are new, and counts the others; for each whether it is new.
    fn add(&mut self, index: &Index, documents: &[Document<'_>]) -> anyhow::Result<Vec<bool>> {
        let done = index.check_and_add_batch(documents, AddIf::New)?;
        let each = done.into_iter().map(|done| {
            self.new += u64::from(done.added.is_some());
            self.counted += u64::from(done.counted);
            done.added.is_some()
        });
        Ok(each.collect())
    }
}

/// New documents as lines on standard output.
struct Lines<'a> {
    index: &'a Index,
    out: BufWriter<io::StdoutLock<'static>>,
    passed: Passed,
}

impl Sink for Lines<'_> {
    const WANTS_JSON: bool = true;

    fn batch(&mut self, documents: &[Document<'_>], origins: Vec<Origin>) -> anyhow::Result<()> {
        let is_new = self.passed.add(self.index, documents)?;
        for ((document, origin), is_new) in documents.iter().zip(origins).zip(is_new) {
            if is_new {
                let line = origin.json.unwrap_or_else(|| object(document));
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
        Content::Text(text) => ("text", Value::from(String::from_utf8_lossy(text))),
        Content::Html(page) => ("html", Value::from(String::from_utf8_lossy(page))),
        Content::Items(set) => ("items", items::texts(set).collect()),
        Content::Signed { .. } => ("text", Value::from("")),
    };
    object.insert(name.to_owned(), content);
    Value::Object(object).to_string().into_bytes()
}

/// New documents in files of their sources' own formats, with whatever cannot be read: nobody knows
/// that it is known.
struct Files<'a> {
    index: &'a Index,
    folder: &'a Path,
    options: &'a ReadOptions,
    /// Sources that have documents in the current batch or after it.
    open: VecDeque<OpenSource>,
    /// The number of the first of them.
    first: u64,
    passed: Passed,
}

/// A source whose file is still to be written.
struct OpenSource {
    source: Source,
    /// Records that stop here.
    known: Vec<u64>,
    /// Whether any other passes.
    any_passes: bool,
}

impl Sink for Files<'_> {
    fn source(&mut self, source: Source) -> anyhow::Result<()> {
        self.open.push_back(OpenSource { source, known: Vec::new(), any_passes: false });
        Ok(())
    }

    fn unreadable(&mut self) {
        if let Some(open) = self.open.back_mut() {
            open.any_passes = true;
        }
    }

    fn batch(&mut self, documents: &[Document<'_>], origins: Vec<Origin>) -> anyhow::Result<()> {
        let last = origins.last().map_or(0, |origin| origin.source);
        for (origin, is_new) in origins.iter().zip(self.passed.add(self.index, documents)?) {
            let place = (origin.source - self.first) as usize;
            let Some(open) = self.open.get_mut(place) else { continue };
            if is_new {
                open.any_passes = true;
            } else {
                open.known.push(origin.record);
            }
        }
        self.write(last)
    }
}

impl Files<'_> {
    /// Writes the mirrors of all sources before this one.
    fn write(&mut self, end: u64) -> anyhow::Result<()> {
        while self.first < end
            && let Some(OpenSource { source, known, any_passes }) = self.open.pop_front()
        {
            self.first += 1;
            if any_passes {
                let mut known = known.into_iter().peekable();
                let written = source.write_selection(self.folder, self.options, |record| {
                    known.next_if_eq(&record).is_none()
                })?;
                // That it broke off was said when its documents were read.
                drop(written);
            }
        }
        Ok(())
    }
}
