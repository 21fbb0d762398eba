//! What must be there before fjall may touch the files of a store.
//!
//! fjall takes a keyspace without its file `current` for one whose making was
//! interrupted, and deletes its folder; a store without `version` for none, and
//! begins another in its place; a journal that cannot be read from some byte on
//! for one that a crash cut off there, and cuts it. All three may as well be a
//! file that was lost or a bit that flipped, and then documents are gone for good.
//!
//! So everything that it acts upon is read here first, and compared with what an
//! index always has:
//!
//! ```text
//! version                 its four bytes
//! keyspaces/N/current     which list of tables is in force, and its checksum
//! keyspaces/N/vM          that list; every table that it names is there
//! N.jnl                   batch after batch, each with its checksum
//! ```
//!
//! A batch that a crash cut off was never acknowledged. If the operations before
//! it are all that were, it may go; if not, nothing is touched.
//!
//! The formats are those of fjall 3 and lsm-tree 3, whose files are ours to keep.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufReader, Read, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use lookalike_files::sync_folder;
use xxhash_rust::xxh3::{Xxh3Default, xxh3_128};

use crate::error::{Error, Operation, Result};
use crate::postings::REBUILD;
use crate::state::Head;

/// The bytes of fjall's file `version`, which also end a batch of a journal.
const FJALL: [u8; 4] = *b"FJL\x03";
/// Keyspaces have numbers in the order of their making: fjall's own, documents, texts, holes, state.
const ALWAYS: u64 = 5;
/// Those that came in later versions: templates, counts, counted.
const LATER: usize = 3;
const STATE: u64 = 4;
/// Bytes of `current`: the number of a list, its checksum, and the kind of that, which is 0.
const CURRENT: usize = 8 + 16 + 1;

const PUT_BACK: &str =
    "hint: nothing was changed; put the file back from a copy, or use a snapshot of the index";

/// What the index says that its store must have.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Expectation {
    /// Operations that were acknowledged; `None` if what is there is taken for all.
    pub(crate) acknowledged: Option<u64>,
    /// Whether there are templates of sites. An index without them may be older than their keyspace.
    pub(crate) templates: bool,
    /// Whether it counts, and so has all keyspaces.
    pub(crate) counts: bool,
}

/// The end of a journal that fjall would cut off, so that it can be put back if the index is not
/// opened after all.
pub(crate) struct Tail {
    path: PathBuf,
    length: u64,
    /// Where the last whole batch ends.
    end: u64,
    /// What follows, up to the zeros that fill the file.
    bytes: Vec<u8>,
}

impl Tail {
    /// Puts it back, as far as it can be.
    pub(crate) fn put_back(&self) {
        let file = OpenOptions::new().write(true).open(&self.path);
        let _ = file.and_then(|mut file| {
            if file.metadata()?.len() > self.end {
                return Ok(());
            }
            file.seek(SeekFrom::Start(self.end))?;
            file.write_all(&self.bytes)?;
            file.set_len(self.length)?;
            file.sync_all()
        });
    }
}

/// Looks at all of it. What is wrong is an error, and then nothing was changed; a half-written batch
/// at the end of the journals, which nobody was told of, is cut off.
pub(crate) fn check(store: &Path, expected: Expectation) -> Result<Vec<Tail>> {
    let version = store.join("version");
    if present(&version)? != FJALL {
        return Err(Error::corruption(&version, format!("has been changed\n{PUT_BACK}")));
    }
    check_keyspaces(&store.join("keyspaces"), expected)?;
    let journals = read_journals(store)?;
    if journals.is_empty() {
        // It has the last operations, or none; only `rebuild` takes what is there for all.
        if expected.acknowledged.is_some() {
            let fault = format!("it has no journal (N.jnl)\n{REBUILD}");
            return Err(Error::corruption(store, fault));
        }
        return Ok(Vec::new());
    }
    if let Some(acknowledged) = expected.acknowledged {
        refuse_losses(&journals, acknowledged)?;
    }
    let mut tails = Vec::new();
    for journal in &journals {
        if let Some(tail) = journal.tail()? {
            if !tail.bytes.is_empty() {
                if expected.acknowledged.is_none() {
                    keep_copy(&journal.path)?;
                }
                cut(&journal.path, journal.end)?;
            }
            tails.push(tail);
        }
    }
    // fjall wants it, and there is nothing in it.
    let lock = store.join("lock");
    let made = OpenOptions::new().create(true).truncate(false).write(true).open(&lock);
    made.map_err(|error| Error::io(&lock, Operation::Create, error))?;
    Ok(tails)
}

/// The bytes of a file that must be there.
fn present(path: &Path) -> Result<Vec<u8>> {
    fs::read(path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => Error::corruption(path, format!("it is missing\n{PUT_BACK}")),
        _ => Error::io(path, Operation::Read, error),
    })
}

fn check_keyspaces(keyspaces: &Path, expected: Expectation) -> Result<()> {
    for number in 0..ALWAYS {
        check_keyspace(&keyspaces.join(number.to_string()))?;
    }
    let failed = |error| Error::io(keyspaces, Operation::Read, error);
    let mut whole = Vec::new();
    for entry in fs::read_dir(keyspaces).map_err(failed)? {
        let folder = entry.map_err(failed)?.path();
        let name = folder.file_name().and_then(|name| name.to_str());
        let Some(number) = name.and_then(|name| name.parse::<u64>().ok()) else {
            let fault = format!("does not belong to an index\n{MOVE_AWAY}");
            return Err(Error::corruption(&folder, fault));
        };
        if number < ALWAYS {
            continue;
        }
        // A keyspace that is being made in an older index has no tables yet, and fjall begins again.
        let is_needed = expected.counts || expected.templates && number == ALWAYS;
        let is_begun = !is_needed
            && !folder.join("current").try_exists().map_err(failed)?
            && is_empty(&folder.join("tables"))?;
        if !is_begun {
            check_keyspace(&folder)?;
            whole.push(number);
        }
    }
    // The templates of an index that has some were made with it.
    if expected.templates && !whole.contains(&ALWAYS) {
        let folder = keyspaces.join(ALWAYS.to_string());
        return Err(Error::corruption(&folder, format!("it is missing\n{PUT_BACK}")));
    }
    if expected.counts && whole.len() < LATER {
        let fault = format!("of {LATER} keyspaces from {ALWAYS} on, there are {}", whole.len());
        return Err(Error::corruption(keyspaces, format!("{fault}\n{PUT_BACK}")));
    }
    Ok(())
}

const MOVE_AWAY: &str = "hint: nothing was changed; move it somewhere else";

fn is_empty(folder: &Path) -> Result<bool> {
    match fs::read_dir(folder) {
        Ok(mut within) => Ok(within.next().is_none()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(true),
        Err(error) => Err(Error::io(folder, Operation::Read, error)),
    }
}

/// Checks the list of tables of a keyspace and that they are there. fjall writes the checksum of the
/// list, but does not look at it, and a damaged list may have it ask for more memory than there is.
fn check_keyspace(folder: &Path) -> Result<()> {
    let current = folder.join("current");
    let bytes = present(&current)?;
    let damaged =
        |path: &Path, fault: &str| Error::corruption(path, format!("{fault}\n{PUT_BACK}"));
    let (Some(number), Some(checksum), Some(0), CURRENT) =
        (word(&bytes, 0), bytes.get(8..24), bytes.last(), bytes.len())
    else {
        return Err(damaged(&current, "names no list of tables"));
    };
    let list = folder.join(format!("v{number}"));
    let bytes = present(&list)?;
    if xxh3_128(&bytes).to_le_bytes() != checksum {
        return Err(damaged(&list, "the list of tables has a wrong checksum"));
    }
    let tables = tables(&bytes).ok_or_else(|| damaged(&list, "is not a list of tables"))?;
    for (number, checksum) in tables {
        let table = folder.join("tables").join(number.to_string());
        if !table.try_exists().map_err(|error| Error::io(&table, Operation::Read, error))? {
            return Err(damaged(&table, "it is missing"));
        }
        // fjall's own, which says what keyspaces there are: a few kilobytes, and what is not in it is
        // deleted. The others may be large, and `verify` reads them.
        if folder.ends_with("0") && xxh3_128(&present(&table)?) != checksum {
            return Err(damaged(&table, "the table has a wrong checksum"));
        }
    }
    Ok(())
}

fn word(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().map(|bytes| u64::from_le_bytes(*bytes))
}

fn half_word(bytes: &[u8], at: usize) -> Option<usize> {
    bytes.get(at..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes) as usize)
}

/// The numbers and checksums of the tables in a list, which is an archive of named sections.
fn tables(archive: &[u8]) -> Option<Vec<(u64, u128)>> {
    // Magic (4), version (1), kind of checksum (1), checksum (16), where the contents begin (8).
    const TRAILER: usize = 4 + 1 + 1 + 16 + 8 + 8;
    /// Number (8), kind of checksum (1), checksum (16), sequence number (8).
    const TABLE: usize = 8 + 1 + 16 + 8;
    let trailer = archive.len().checked_sub(TRAILER)?;
    let mut at = usize::try_from(word(archive, trailer + 22)?).ok()?;
    let sections = half_word(archive, at.checked_add(4)?)?;
    at += 8;
    for _ in 0..sections {
        let (from, length) = (word(archive, at)?, word(archive, at + 8)?);
        let name: [u8; 2] = *archive.get(at + 16..)?.first_chunk()?;
        let name = archive.get(at + 18..)?.get(..u16::from_le_bytes(name).into())?;
        at += 18 + name.len();
        if name != b"tables" {
            continue;
        }
        let section = archive.get(usize::try_from(from).ok()?..)?;
        let section = section.get(..usize::try_from(length).ok()?)?;
        let (&levels, mut rest) = section.split_first()?;
        let mut tables = Vec::new();
        for _ in 0..levels {
            let (&runs, mut level) = rest.split_first()?;
            for _ in 0..runs {
                let count = half_word(level, 0)?;
                let (run, after) = level.get(4..)?.split_at_checked(count.checked_mul(TABLE)?)?;
                for table in run.chunks_exact(TABLE) {
                    let checksum = table.get(9..)?.first_chunk()?;
                    tables.push((word(table, 0)?, u128::from_le_bytes(*checksum)));
                }
                level = after;
            }
            rest = level;
        }
        return Some(tables);
    }
    None
}

/// What a journal has, as far as it makes sense.
struct Journal {
    number: u64,
    path: PathBuf,
    length: u64,
    /// Where its last whole batch ends.
    end: u64,
    /// Whether something else than zeros follows.
    goes_on: bool,
    /// Operations of the index up to there, if a batch of it says so.
    operations: Option<u64>,
}

impl Journal {
    fn tail(&self) -> Result<Option<Tail>> {
        if self.end == self.length {
            return Ok(None);
        }
        let mut bytes = Vec::new();
        if self.goes_on {
            let read = File::open(&self.path).and_then(|mut file| {
                file.seek(SeekFrom::Start(self.end))?;
                file.read_to_end(&mut bytes)
            });
            read.map_err(|error| Error::io(&self.path, Operation::Read, error))?;
            bytes.truncate(bytes.iter().rposition(|&byte| byte != 0).map_or(0, |last| last + 1));
        }
        Ok(Some(Tail { path: self.path.clone(), length: self.length, end: self.end, bytes }))
    }
}

/// Empties the journals of a store that is closed and has everything in tables. Else they would be
/// kept until they have 64 MB.
pub(crate) fn empty_journals(store: &Path) -> Result<()> {
    let mut journals = read_journals(store)?;
    let Some(last) = journals.pop() else { return Ok(()) };
    // Oldest first, so that there is never a gap.
    for journal in journals {
        let removed = fs::remove_file(&journal.path);
        removed.map_err(|error| Error::io(&journal.path, Operation::Remove, error))?;
    }
    cut(&last.path, 0)?;
    Ok(sync_folder(store)?)
}

/// The journals, oldest first.
fn read_journals(store: &Path) -> Result<Vec<Journal>> {
    let failed = |error| Error::io(store, Operation::Read, error);
    let mut numbered = Vec::new();
    for entry in fs::read_dir(store).map_err(failed)? {
        let path = entry.map_err(failed)?.path();
        if path.extension().is_none_or(|extension| !extension.eq_ignore_ascii_case("jnl")) {
            continue;
        }
        let name = path.file_name().and_then(|name| name.to_str());
        let name = name.and_then(|name| name.strip_suffix(".jnl"));
        match name.and_then(|name| name.parse::<u64>().ok()) {
            Some(number) if path.is_file() => numbered.push((number, path)),
            _ => {
                let fault = format!("is not a journal of an index\n{MOVE_AWAY}");
                return Err(Error::corruption(&path, fault));
            }
        }
    }
    numbered.sort_unstable();
    let mut sequence = None;
    let read = |(number, path): (u64, PathBuf)| {
        let read = read_journal(&path, &mut sequence);
        let (length, end, goes_on, operations) =
            read.map_err(|error| Error::io(&path, Operation::Read, error))?;
        Ok(Journal { number, path, length, end, goes_on, operations })
    };
    numbered.into_iter().map(read).collect()
}

/// If acknowledged operations are not among the whole batches.
fn refuse_losses(journals: &[Journal], acknowledged: u64) -> Result<()> {
    let mut operations = None;
    for (at, journal) in journals.iter().enumerate() {
        if let Some(next) = journals.get(at + 1)
            && next.number != journal.number + 1
        {
            let missing = journal.path.with_file_name(format!("{}.jnl", journal.number + 1));
            return Err(Error::corruption(&missing, format!("it is missing\n{PUT_BACK}")));
        }
        operations = journal.operations.or(operations);
        let is_last = at + 1 == journals.len();
        let lost = operations.map(|operations| acknowledged.saturating_sub(operations));
        let fault = match lost {
            // All journals but the last were complete when the next was begun.
            _ if journal.goes_on && !is_last => "others follow it".to_owned(),
            Some(lost @ 1..) if is_last => {
                format!("the last {lost} acknowledged operations are not before that")
            }
            _ => continue,
        };
        let ends = if journal.goes_on { "cannot be read from" } else { "ends at" };
        let fault = format!("{ends} byte {}, and {fault}\n{REBUILD}", journal.end);
        return Err(Error::corruption(&journal.path, fault));
    }
    Ok(())
}

/// Length, end of the last whole batch, whether more than zeros follow, and operations.
fn read_journal(
    path: &Path,
    sequence: &mut Option<u64>,
) -> io::Result<(u64, u64, bool, Option<u64>)> {
    let file = File::open(path)?;
    let length = file.metadata()?.len();
    let mut reader =
        Batches { reader: BufReader::with_capacity(1 << 16, file), buffer: Vec::new() };
    let (mut end, mut operations) = (0, None);
    while let Some(batch) = reader.next()? {
        // The checksum of a batch does not cover its sequence number.
        if *sequence >= Some(batch.sequence) {
            break;
        }
        *sequence = Some(batch.sequence);
        end += batch.bytes;
        operations = batch.operations.or(operations);
    }
    let mut file = reader.reader.into_inner();
    file.seek(SeekFrom::Start(end))?;
    // Many megabytes, where the store has made room for batches to come.
    let (mut some, zeros) = (vec![0; 1 << 16], vec![0; 1 << 16]);
    loop {
        match file.read(&mut some) {
            Ok(0) => return Ok((length, end, false, operations)),
            Ok(read) if some[..read] != zeros[..read] => {
                return Ok((length, end, true, operations));
            }
            Ok(_) => {}
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// The batches of a journal: a start, items, an end with their checksum.
struct Batches<R> {
    reader: R,
    buffer: Vec<u8>,
}

struct Batch {
    sequence: u64,
    bytes: u64,
    operations: Option<u64>,
}

impl<R: Read> Batches<R> {
    /// The next batch; `None` if what follows is none.
    fn next(&mut self) -> io::Result<Option<Batch>> {
        match self.read() {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Ok(None),
            batch => batch,
        }
    }

    fn read(&mut self) -> io::Result<Option<Batch>> {
        let start: [u8; 13] = self.take()?;
        let (Some(items), Some(sequence), 1) = (half_word(&start, 1), word(&start, 5), start[0])
        else {
            return Ok(None);
        };
        let mut batch = Batch { sequence, bytes: 13, operations: None };
        let mut hash = Xxh3Default::new();
        for _ in 0..items {
            // An item (2), its kind, how its value is compressed, keyspace, lengths of the key, of the
            // value, and of that as it stands; we compress none.
            let item: [u8; 21] = self.take()?;
            let key = usize::from(u16::from_le_bytes([item[11], item[12]]));
            let (Some(keyspace), Some(value), Some(stored)) =
                (word(&item, 3), half_word(&item, 13), half_word(&item, 17))
            else {
                return Ok(None);
            };
            if item[0] != 2 || !matches!(item[1], 0..=2) || item[2] != 0 || value != stored {
                return Ok(None);
            }
            // Not all at once: the length is not checked yet.
            self.buffer.clear();
            let length = (key + value) as u64;
            if self.reader.by_ref().take(length).read_to_end(&mut self.buffer)? as u64 != length {
                return Ok(None);
            }
            hash.update(&item);
            hash.update(&self.buffer);
            batch.bytes += item.len() as u64 + length;
            let (key, value) = self.buffer.split_at(key);
            if keyspace == STATE && key == Head::KEY {
                batch.operations =
                    Head::decode(Some(value), Path::new("")).ok().map(|h| h.operations);
            }
        }
        let end: [u8; 13] = self.take()?;
        batch.bytes += end.len() as u64;
        let whole = end[0] == 3 && word(&end, 1) == Some(hash.digest()) && end[9..] == FJALL;
        Ok(whole.then_some(batch))
    }

    fn take<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.reader.read_exact(&mut bytes)?;
        Ok(bytes)
    }
}

/// Keeps a damaged journal under another name, which nobody reads but who looks for what is lost.
fn keep_copy(journal: &Path) -> Result<()> {
    let copy = journal.with_extension("jnl.damaged");
    let copied = fs::copy(journal, &copy).and_then(|_| File::open(&copy)?.sync_all());
    copied.map_err(|error| Error::io(&copy, Operation::Write, error))?;
    Ok(journal.parent().map_or(Ok(()), sync_folder)?)
}

fn cut(journal: &Path, end: u64) -> Result<()> {
    let cut = OpenOptions::new().write(true).open(journal).and_then(|file| {
        file.set_len(end)?;
        file.sync_all()
    });
    cut.map_err(|error| Error::io(journal, Operation::Write, error))
}
