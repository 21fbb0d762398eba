//! Links between the documents of a run, collapsed onto keepers: a graph in which look-alikes are one page.
//!
//! **Definition.** An edge names two documents, both by their ids or both by their URLs; a name that several
//! documents have is that of the first. Each end becomes the keeper of its document, which is the document
//! itself if it stays. Left out, and counted, are edges with an end that the run does not know, and those
//! whose ends have become one. Of equal edges one is left, with how many it stands for; they come in
//! the order of their first ends, and then of their second.
//!
//! **Out of core**, by four sorts:
//!
//! ```text
//! names   (code of the name, row, keeper), of all documents
//! edges   (code of the first end, code of the second), met by names
//!      -> (code of the second end, keeper of the first), met by names
//!      -> (keeper of the first, keeper of the second), counted
//! ```
//!
//! A code is 128 bits under keys that are drawn for the job, so nobody can make two names that have the same one.

use std::borrow::Cow;
use std::path::Path;

use lookalike_core::{VerificationKey, setters};
use lookalike_corpus::{ContentKind, ReadOptions, Record};
use lookalike_files::WorkFolder;
use serde::Serialize;

use super::Run;
use crate::error::{Error, ErrorKind, Result};
use crate::inputs::Inputs;
use crate::keep;
use crate::observe::{NoObserver, Observer, Stage};
use crate::places::Row;
use crate::running::{Running, running_methods};
use crate::skips::Skips;
use crate::sort::{SortedRecords, Sorter};
use crate::urls::{MAX_BYTES, Urls, UrlsWriter};

/// Collapses edge lists onto the keepers of a run.
///
/// ```no_run
/// use lookalike_engine::run::{CollapseLinks, Run};
///
/// let links = CollapseLinks::new(["links.csv"]).by_url();
/// let found = links.run(&Run::open("out")?, |from, to, count| {
///     println!("{from} {to} {count}");
///     Ok::<_, lookalike_engine::Error>(())
/// })?;
/// println!("{} of {} edges are left", found.written, found.edges);
/// # Ok::<(), lookalike_engine::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct CollapseLinks {
    inputs: Vec<String>,
    from: String,
    to: String,
    by_url: bool,
    running: Running,
}

/// What became of edges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct LinkCounts {
    /// Edges that were read.
    pub edges: u64,
    /// Those of them with an end that the run does not know.
    pub unknown: u64,
    /// Those of them whose ends have become one document.
    pub within: u64,
    /// Different edges that are left of the others.
    pub written: u64,
    /// Records and files that were passed over.
    pub skipped: u64,
}

/// A name, as it is met.
type Code = [u64; 2];

impl CollapseLinks {
    running_methods!();

    /// Of edge lists in these files, folders, globs, or `-` for standard input: tables or JSON lines with the
    /// fields `source` and `target`, which have ids.
    pub fn new(inputs: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self {
            inputs: inputs.into_iter().map(Into::into).collect(),
            from: "source".to_owned(),
            to: "target".to_owned(),
            by_url: false,
            running: Running::default(),
        }
    }

    setters! {
        /// The field with the document that links.
        from: impl Into<String> => from = from.into();
        /// The field with the document that is linked to.
        to: impl Into<String> => to = to.into();
        /// Documents are named by their URLs, and keepers are named so, too.
        by_url => by_url = true;
    }

    /// Calls `each` with the names of both keepers of every edge that is left, and how many edges it stands for.
    ///
    /// # Errors
    /// If a file cannot be read, or the job is strict and a record cannot; and what `each` gives, which
    /// ends it.
    pub fn run<E: From<Error>>(
        &self,
        run: &Run,
        each: impl FnMut(&str, &str, u64) -> Result<(), E>,
    ) -> Result<LinkCounts, E> {
        self.run_observed(run, &NoObserver, each)
    }

    /// As [`run`](Self::run), watched by an observer.
    ///
    /// # Errors
    /// As [`run`](Self::run), and if the observer stops it.
    pub fn run_observed<E: From<Error>>(
        &self,
        run: &Run,
        observer: &dyn Observer,
        mut each: impl FnMut(&str, &str, u64) -> Result<(), E>,
    ) -> Result<LinkCounts, E> {
        let work = WorkFolder::create(self.running.temp.as_deref()).map_err(Error::from)?;
        let job = Job {
            options: self,
            run,
            observer,
            work: &work,
            keys: [VerificationKey::random(), VerificationKey::random()],
        };
        let mut counts = LinkCounts::default();
        let edges = job.edges(&mut counts)?;
        let from = |[_, _, to_0, to_1]: [u64; 4], keeper| [to_0, to_1, keeper];
        let edges = job.meet(edges, &mut counts, from)?;
        let links = job.meet(edges, &mut counts, |[_, _, from], to| [from, to])?;
        job.tell(links, &mut counts, &mut each)?;
        Ok(counts)
    }
}

struct Job<'a> {
    options: &'a CollapseLinks,
    run: &'a Run,
    observer: &'a dyn Observer,
    work: &'a WorkFolder,
    keys: [VerificationKey; 2],
}

impl Job<'_> {
    /// Three sorts are at work at once.
    fn sorter<const N: usize>(&self) -> Sorter<[u64; N]> {
        Sorter::new(self.work, self.options.running.memory as usize / 4)
    }

    fn code(&self, name: &str) -> Code {
        [0, 1].map(|half: usize| self.keys[half].code(name.as_bytes()))
    }

    /// The edges, by what their first ends are called.
    fn edges(&self, counts: &mut LinkCounts) -> Result<SortedRecords<[u64; 4]>> {
        let CollapseLinks { inputs, from, to, running, .. } = self.options;
        let inputs = Inputs { names: inputs, format: running.format, tables: None };
        self.observer.begin(Stage::Links, inputs.work(self.observer)?);
        let read = self.reading();
        let (mut edges, mut skips) = (self.sorter(), Skips::default());
        let mut listing = inputs.list(running.strict, self.observer)?;
        for source in &mut listing {
            let (_, source) = source?;
            for chunk in source.chunks(&read) {
                self.observer.check_cancelled()?;
                let chunk = match chunk {
                    Ok(chunk) => chunk,
                    Err(fault) => {
                        skips.skip(fault.into(), running.strict, self.observer)?;
                        break;
                    }
                };
                let mut outcome = Ok(());
                chunk.for_each(|record| {
                    if outcome.is_err() {
                        return;
                    }
                    let record = record.map_err(Error::from);
                    let ends = record.and_then(|record| {
                        let [from, to] = ends(&record, chunk.path(), [from, to])?;
                        Ok([self.code(&from), self.code(&to)])
                    });
                    outcome = match ends {
                        Ok([[a, b], [c, d]]) => {
                            counts.edges += 1;
                            edges.push([a, b, c, d])
                        }
                        Err(fault) => skips.skip(fault, running.strict, self.observer),
                    };
                });
                outcome?;
                self.observer.read(chunk.bytes());
            }
        }
        skips.merge(listing.finish().skips);
        if counts.edges == 0 && skips.count > 0 {
            let first = skips.examples.swap_remove(0);
            return Err(ErrorKind::NoEdges { count: skips.count, first }.into());
        }
        counts.skipped = skips.count;
        edges.finish()
    }

    /// How edges are read: the first end is read as texts are, the second as another field.
    fn reading(&self) -> ReadOptions {
        let mut read = self.options.running.reading();
        read.fields.text.clone_from(&self.options.from);
        // There are no pages: both names stand in errors of records that have neither.
        read.fields.html.clone_from(&self.options.to);
        read.fields.others = vec![self.options.to.clone()];
        read
    }

    /// The names of all documents in the order of their codes, each with its row and its keeper.
    fn names(&self) -> Result<SortedRecords<[u64; 4]>> {
        let mut moved: Sorter<[u64; 2]> = self.sorter();
        self.run.for_each_member(
            |_, _| true,
            |member| {
                if member.kept {
                    return Ok(());
                }
                moved.push([member.row, member.cluster].map(u64::from))
            },
        )?;
        let mut moved = moved.finish()?;
        let mut next = moved.next()?;
        let mut names = self.sorter();
        self.for_each_name(|row, name| {
            let number = u64::from(row);
            while next.is_some_and(|[moved, _]| moved < number) {
                next = moved.next()?;
            }
            let keeper = match next {
                Some([moved, keeper]) if moved == number => keeper,
                _ => number,
            };
            let [a, b] = self.code(name);
            names.push([a, b, number, keeper])
        })?;
        names.finish()
    }

    /// Calls `each` with every row that has a name, in order.
    fn for_each_name(&self, mut each: impl FnMut(Row, &str) -> Result<()>) -> Result<()> {
        if self.options.by_url {
            let Some(urls) = Urls::open(&self.run.files.urls())? else { return Ok(()) };
            return urls.for_each(|row, url| {
                self.observer.tick(u64::from(row))?;
                url.map_or(Ok(()), |url| each(row, url))
            });
        }
        self.run.for_each_id(|row, id| {
            self.observer.tick(u64::from(row))?;
            each(row, id)
        })
    }

    /// Puts the keeper that each record's first two words name in their place; `left` says what is left of both.
    fn meet<const N: usize, const M: usize>(
        &self,
        mut edges: SortedRecords<[u64; N]>,
        counts: &mut LinkCounts,
        left: impl Fn([u64; N], u64) -> [u64; M],
    ) -> Result<SortedRecords<[u64; M]>> {
        let mut names = self.names()?;
        let mut name = names.next()?;
        let mut met = self.sorter();
        while let Some(edge) = edges.next()? {
            let code = [edge[0], edge[1]];
            // Of several documents with one name the first comes first.
            while name.is_some_and(|[a, b, ..]| [a, b] < code) {
                name = names.next()?;
            }
            match name {
                Some([a, b, _, keeper]) if [a, b] == code => met.push(left(edge, keeper))?,
                _ => counts.unknown += 1,
            }
        }
        met.finish()
    }

    /// Tells the links, which come sorted and as often as they were found.
    fn tell<E: From<Error>>(
        &self,
        mut links: SortedRecords<[u64; 2]>,
        counts: &mut LinkCounts,
        each: &mut impl FnMut(&str, &str, u64) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut names = self.names_by_row()?;
        let mut name = |row: u64| -> Result<String> {
            let row = Row::nth(row);
            let name = names.as_mut().map(|names| names.get(row)).transpose()?.flatten();
            // Of a keeper without a URL, or with an id that is too long to be at hand.
            name.map_or_else(|| self.run.id(row), Ok)
        };
        let mut next = links.next()?;
        while let Some(link) = next {
            let mut found = 0;
            while next == Some(link) {
                found += 1;
                next = links.next()?;
            }
            let [from, to] = link;
            if from == to {
                counts.within += found;
                continue;
            }
            counts.written += 1;
            each(&name(from)?, &name(to)?, found)?;
        }
        Ok(())
    }

    /// The names of rows, of which any can be had quickly.
    fn names_by_row(&self) -> Result<Option<Urls>> {
        if self.options.by_url {
            return Urls::open(&self.run.files.urls());
        }
        let path = self.work.join("names");
        let mut names = UrlsWriter::create(&path)?;
        self.for_each_name(|_, id| names.push_one(if id.len() > MAX_BYTES { "" } else { id }))?;
        names.finish()?;
        Urls::open(&path)
    }
}

/// The names of both ends of an edge.
fn ends<'a>(
    record: &'a Record<'_>,
    path: &Path,
    [from, to]: [&str; 2],
) -> Result<[Cow<'a, str>; 2]> {
    let missing = |field: &str| {
        let (path, record) = (path.to_owned(), record.number);
        Error::from(ErrorKind::NoEnd { path, record, field: field.to_owned() })
    };
    if record.kind != ContentKind::Text {
        return Err(missing(from));
    }
    let target = record.field(to).ok_or_else(|| missing(to))?;
    Ok([String::from_utf8_lossy(&record.content), keep::text(&target).into()])
}
