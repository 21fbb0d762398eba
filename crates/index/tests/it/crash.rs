//! A process that is killed at any moment loses nothing that it was told is done, and leaves
//! nothing half done; nor does it count anything twice.
//!
//! The test starts itself again as the process that is killed. What that does follows from the
//! number of each operation, so that the test knows what must be there.

use std::collections::BTreeMap;
use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use lookalike_core::{Recipe, mix};
use lookalike_files::WorkFolder;
use lookalike_index::{AddIf, CreateOptions, Document, ErrorKind, Index, OpenOptions};

/// Names the index, for the process that is killed.
const CHILD: &str = "LOOKALIKE_INDEX_CRASH_CHILD";
/// The first operation that it does.
const FROM: &str = "LOOKALIKE_INDEX_CRASH_FROM";

/// What is known.
#[derive(Clone, Debug, Default, PartialEq)]
struct Known {
    /// Texts by id.
    texts: BTreeMap<String, String>,
    /// Of the documents that stay, which ids each has counted.
    counted: BTreeMap<String, u64>,
}

impl Known {
    /// As one that was made.
    fn begun() -> Self {
        Self { texts: (0..STAYING).map(staying).collect(), ..Self::default() }
    }

    /// Texts, and how often each document that stays was found.
    fn seen(&self) -> Seen {
        let mut copies = vec![1; STAYING as usize];
        self.counted.values().for_each(|&n| copies[n as usize] += 1);
        (self.texts.clone(), copies)
    }
}

/// Texts by id, and copies of the documents that stay.
type Seen = (BTreeMap<String, String>, Vec<u64>);

/// Documents that are there from the beginning and stay.
const STAYING: u64 = 10;

fn staying(n: u64) -> (String, String) {
    let words = (0..30).map(|w| format!("stays{n}x{w}"));
    (format!("stays {n}"), words.collect::<Vec<_>>().join(" "))
}

fn random(operation: u64, purpose: u64) -> u64 {
    mix(mix(operation) ^ purpose)
}

fn id(operation: u64, n: u64) -> String {
    (random(operation, 100 + n) % 300).to_string()
}

fn text(operation: u64, n: u64) -> String {
    let word = |w: u64| format!("w{}", random(operation, 1000 * n + w) % 5000);
    (0..30).map(word).collect::<Vec<_>>().join(" ")
}

fn documents(operation: u64, count: u64) -> Vec<(String, String)> {
    (0..count).map(|n| (id(operation, n), text(operation, n))).collect()
}

/// The operation of a number, on the index and on what should be known after it.
fn operate(operation: u64, index: Option<&Index>, known: &mut Known) {
    let add = |index: &Index, some: &[(String, String)]| {
        let some: Vec<_> = some.iter().map(|(id, text)| Document::text(id, text)).collect();
        index.add_batch(&some).unwrap();
    };
    match random(operation, 0) % 26 {
        0..6 => {
            let some = documents(operation, 1);
            index.inspect(|index| add(index, &some));
            known.texts.extend(some);
        }
        6..10 => {
            let some = documents(operation, 12);
            index.inspect(|index| add(index, &some));
            known.texts.extend(some);
        }
        10..13 => {
            let some = documents(operation, 25);
            index.inspect(|index| {
                let some = some.iter().map(|(id, text)| Document::text(id, text));
                assert_eq!(index.load(some).unwrap(), 25);
            });
            known.texts.extend(some);
        }
        13..17 => {
            let ids: Vec<String> = (0..4).map(|n| id(operation, n)).collect();
            index.inspect(|index| {
                index.remove_batch(&ids).unwrap();
            });
            known.texts.retain(|id, _| !ids.contains(id));
        }
        17..19 => {
            let some = documents(operation, 1);
            index.inspect(|index| {
                let document = Document::text(&some[0].0, &some[0].1);
                index.check_and_add(&document, AddIf::Any).unwrap();
            });
            known.texts.extend(some);
        }
        19..25 => {
            // Copies of documents that stay, under ids that come again.
            let which = |n: u64| random(operation, 200 + n) % STAYING;
            let copies: Vec<_> = (0..8)
                .map(|n| (format!("copy {}", random(operation, 300 + n) % 2000), which(n)))
                .collect();
            index.inspect(|index| {
                let texts: Vec<_> = copies.iter().map(|&(_, n)| staying(n).1).collect();
                let documents = copies.iter().zip(&texts);
                let documents: Vec<_> =
                    documents.map(|((id, _), text)| Document::text(id, text)).collect();
                index.check_and_add_batch(&documents, AddIf::New).unwrap();
            });
            for (id, n) in copies {
                known.counted.entry(id).or_insert(n);
            }
        }
        _ => {
            index.inspect(|index| index.compact().unwrap());
        }
    }
}

/// So small that segments are written and merged all the time.
fn options() -> OpenOptions {
    OpenOptions::new().segment_postings(400).cache_bytes(1 << 20)
}

fn create(path: &Path) {
    let recipe = Recipe::preset("text").unwrap();
    Index::create(path, &recipe, &CreateOptions::new().open(options())).unwrap();
}

/// An index with the documents that stay.
fn begin(path: &Path) {
    create(path);
    let index = Index::open(path, &options()).unwrap();
    let all: Vec<_> = (0..STAYING).map(staying).collect();
    let all: Vec<_> = all.iter().map(|(id, text)| Document::text(id, text)).collect();
    index.add_batch(&all).unwrap();
}

/// What the process does that is killed: says the number of each operation when it is done.
#[test]
fn child() {
    let Some(path) = std::env::var_os(CHILD) else { return };
    let from: u64 = std::env::var(FROM).unwrap().parse().unwrap();
    let index = match Index::open(PathBuf::from(path), &options()) {
        Ok(index) => index,
        Err(error) => {
            let said = error.to_string().replace('\n', " ");
            writeln!(std::io::stdout(), "refused {said}").unwrap();
            return;
        }
    };
    let mut known = Known::default();
    let mut out = std::io::stdout().lock();
    for operation in from.. {
        let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            operate(operation, Some(&index), &mut known);
        }));
        let said = if done.is_ok() { format!("done {operation}") } else { "failed".to_owned() };
        writeln!(out, "{said}").unwrap();
        out.flush().unwrap();
        if done.is_err() {
            return;
        }
    }
}

fn spawn(mut command: Command, path: &Path, from: u64) -> Child {
    command
        .args(["crash::child", "--exact", "--nocapture", "--test-threads", "1"])
        .env(CHILD, path)
        .env(FROM, from.to_string())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

fn this_program() -> Command {
    Command::new(std::env::current_exe().unwrap())
}

/// The operations that were acknowledged: the number after the last.
fn acknowledged(output: &str, from: u64) -> u64 {
    let done = output.split_inclusive('\n').filter(|line| line.ends_with('\n'));
    let done = done.filter_map(|line| line.split("done ").nth(1)?.trim().parse::<u64>().ok());
    done.max().map_or(from, |last| last + 1)
}

/// What an index knows.
fn seen(index: &Index) -> Seen {
    let records = index.documents().unwrap().map(Result::unwrap);
    let (mut texts, mut copies) = (BTreeMap::new(), Vec::new());
    for record in records {
        if record.id.starts_with("stays") {
            copies.push(index.counts(&record).unwrap().copies);
        }
        let content = index.content(&record.id).unwrap().unwrap();
        let before = texts.insert(record.id, String::from_utf8(content).unwrap());
        assert_eq!(before, None, "an id stands for two documents");
    }
    (texts, copies)
}

/// Everything acknowledged is there, and the operation after it entirely or not at all. The number
/// of the next operation.
fn check(path: &Path, known: &mut Known, done: std::ops::Range<u64>) -> u64 {
    for operation in done.clone() {
        operate(operation, None, known);
    }
    let index = Index::open(path, &options()).unwrap();
    index.verify().unwrap();
    let found = seen(&index);
    if found == known.seen() {
        return done.end;
    }
    operate(done.end, None, known);
    assert!(found == known.seen(), "after operation {}", done.end);
    done.end + 1
}

#[test]
fn nothing_acknowledged_is_lost_when_the_process_is_killed() {
    let folder = WorkFolder::create(None).unwrap();
    let path = folder.join("index");
    begin(&path);
    let (mut known, mut next) = (Known::begun(), 0);
    let mut lives_with_work = 0;
    for life in 0..200 {
        let mut child = spawn(this_program(), &path, next);
        // Killed after so many operations and a little later, or while it still opens the index.
        let (operations, delay) = (random(life, 7) % 6, random(life, 8) % 4000);
        let mut output = String::new();
        let mut pipe = BufReader::new(child.stdout.take().unwrap());
        for _ in 0..operations {
            while pipe.read_line(&mut output).unwrap() > 0 && !output.ends_with("ok\n") {
                if output.lines().last().is_some_and(|line| line.contains("done ")) {
                    break;
                }
            }
        }
        std::thread::sleep(Duration::from_micros(delay));
        child.kill().unwrap();
        child.wait().unwrap();
        pipe.read_to_string(&mut output).unwrap();
        assert!(!output.contains("failed") && !output.contains("refused"), "{output}");
        let end = acknowledged(&output, next);
        lives_with_work += u64::from(end > next);
        next = check(&path, &mut known, next..end);
    }
    assert!(lives_with_work > 100 && known.counted.len() > 100, "{lives_with_work}");
}

/// Names the index, for a process that makes or rebuilds one and is killed.
const MAKER: &str = "LOOKALIKE_INDEX_CRASH_MAKER";

/// What that process does: it rebuilds an index that is there, and makes one that is not.
#[test]
fn maker() {
    let Some(path) = std::env::var_os(MAKER) else { return };
    let path = PathBuf::from(path);
    writeln!(std::io::stdout(), "begun").unwrap();
    if path.join("index").exists() {
        Index::open(&path, &options().rebuild()).unwrap();
    } else {
        create(&path);
    }
}

/// Starts it, and kills it after about so much of the time that it takes. Whether it ended before.
fn kill_maker(path: &Path, microseconds: u64) -> bool {
    let mut child = this_program()
        .args(["crash::maker", "--exact", "--nocapture", "--test-threads", "1"])
        .env(MAKER, path)
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut output = String::new();
    let mut pipe = BufReader::new(child.stdout.take().unwrap());
    while !output.contains("begun") && pipe.read_line(&mut output).unwrap() > 0 {}
    std::thread::sleep(Duration::from_micros(microseconds));
    let ended = child.try_wait().unwrap().is_some();
    child.kill().unwrap();
    child.wait().unwrap();
    ended
}

#[test]
fn an_index_whose_making_was_killed_is_made_again() {
    let folder = WorkFolder::create(None).unwrap();
    let (mut unfinished, mut finished) = (0, 0);
    for life in 0..40 {
        let path = folder.join(format!("a/{life}"));
        kill_maker(&path, life * 1000);
        match Index::open(&path, &options()) {
            Ok(_) => finished += 1,
            Err(error) => {
                match error.kind() {
                    ErrorKind::Unfinished(_) => unfinished += 1,
                    ErrorKind::NoIndex(_) => {}
                    _ => panic!("{error}"),
                }
                create(&path);
                let index = Index::open(&path, &options()).unwrap();
                index.add(&Document::text("a", "a text")).unwrap();
                assert_eq!(index.verify().unwrap().documents, 1);
            }
        }
        let names: Vec<_> =
            std::fs::read_dir(&path).unwrap().map(|e| e.unwrap().file_name()).collect();
        assert!(names.len() == 5 && !names.iter().any(|name| name == "creating"), "{names:?}");
    }
    assert!(unfinished > 0, "{unfinished}, {finished}");
}

#[test]
fn a_rebuild_that_is_killed_loses_nothing() {
    let folder = WorkFolder::create(None).unwrap();
    let path = folder.join("index");
    begin(&path);
    let index = Index::open(&path, &options()).unwrap();
    let mut known = Known::begun();
    for operation in 0..60 {
        operate(operation, Some(&index), &mut known);
    }
    drop(index);
    let mut interrupted = 0;
    for life in 0..40 {
        // Whatever it needs on this machine, some are killed in the middle.
        interrupted += u64::from(!kill_maker(&path, life * 2500));
        let index = Index::open(&path, &options()).unwrap();
        index.verify().unwrap();
        assert!(seen(&index) == known.seen(), "{life}");
    }
    assert!(interrupted > 3, "{interrupted}");
    let names = std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().file_name());
    assert!(!names.into_iter().any(|name| name == "rebuilt" || name == "replaced-1"));
}

/// A disk that is full, in the form of a limit on the size of files: an error, and nothing lost.
#[cfg(unix)]
#[test]
fn nothing_acknowledged_is_lost_when_the_disk_is_full() {
    let folder = WorkFolder::create(None).unwrap();
    let path = folder.join("index");
    begin(&path);
    // Opened once more, so that its journal is as long as what is in it.
    drop(Index::open(&path, &options()).unwrap());
    let mut shell = Command::new("sh");
    // In blocks of 512 bytes. The signal would kill where the error is wanted.
    let script = "trap '' XFSZ; ulimit -f 400; exec \"$0\" \"$@\"";
    shell.arg("-c").arg(script).arg(std::env::current_exe().unwrap());
    let mut child = spawn(shell, &path, 0);
    let mut output = String::new();
    child.stdout.take().unwrap().read_to_string(&mut output).unwrap();
    child.wait().unwrap();
    assert!(output.contains("failed"), "{output}");
    let end = acknowledged(&output, 0);
    assert!(end > 3, "{output}");
    check(&path, &mut Known::begun(), 0..end);
}

#[test]
fn a_second_process_is_told_that_the_index_is_in_use() {
    let folder = WorkFolder::create(None).unwrap();
    let path = folder.join("index");
    create(&path);
    let index = Index::open(&path, &options()).unwrap();
    let mut child = spawn(this_program(), &path, 0);
    let mut output = String::new();
    child.stdout.take().unwrap().read_to_string(&mut output).unwrap();
    child.wait().unwrap();
    let message = format!("refused index `{}` is in use by another process", path.display());
    assert!(output.contains(&message), "{output}");
    // So is this one.
    let error = Index::open(&path, &options()).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::InUse(_)), "{error}");
    drop(index);
    Index::open(&path, &options()).unwrap();
}
