//! Files of an index, damaged in one place after another or lost: opening, asking or verifying says
//! so, and an opening that is refused has changed nothing. Never a wrong answer, never a panic.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::common::{Said, said};
use lookalike_core::{Given as _, Recipe, mix};
use lookalike_files::WorkFolder;
use lookalike_index::{CreateOptions, Document, Index, OpenOptions, Record};

fn options() -> OpenOptions {
    OpenOptions::new().segment_postings(600).cache_bytes(1 << 20)
}

fn text(n: u64) -> String {
    // Every third is like the one before it.
    let seed = n - u64::from(n % 3 == 2);
    let word = |w: u64| format!("w{}", mix(seed << 32 | w) % 5000);
    let mut words: Vec<String> = (0..60).map(word).collect();
    words.push(format!("n{n}"));
    words.join(" ")
}

/// What an index says about everything.
#[derive(Debug, PartialEq)]
struct Everything {
    records: Vec<Record>,
    contents: Vec<Option<Vec<u8>>>,
    by_id: Vec<Option<Record>>,
    answers: Vec<Said>,
}

fn everything(index: &Index) -> lookalike_index::Result<Everything> {
    let records: Vec<Record> = index.documents()?.collect::<Result<_, _>>()?;
    let ids = || (0..250).map(|n: u64| n.to_string());
    Ok(Everything {
        records,
        contents: ids().map(|id| index.content(&id)).collect::<Result<_, _>>()?,
        by_id: ids().map(|id| index.get(&id)).collect::<Result<_, _>>()?,
        answers: (0..250)
            .map(|n| Ok(said(&index.check(&Document::text("", &text(n)))?)))
            .collect::<lookalike_index::Result<_>>()?,
    })
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() { found.extend(files(&path)) } else { found.push(path) }
    }
    found.sort();
    found
}

fn copy(from: &Path, to: &Path) {
    let _ = fs::remove_dir_all(to);
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            fs::copy(&path, target).unwrap();
        }
    }
}

/// An index with tables, journals, several segments, tombstones, and postings that are in no segment.
fn make(path: &Path) -> Everything {
    let recipe = Recipe::preset("text").unwrap();
    let index = Index::create(path, &recipe, &CreateOptions::new().open(options())).unwrap();
    let add = |range: std::ops::Range<u64>| {
        for n in range {
            let (id, text) = (n.to_string(), text(n));
            index.load([Document::text(&id, &text).with_time(n)]).unwrap();
        }
    };
    add(0..100);
    index.remove_batch(&["3", "50", "99"]).unwrap();
    index.compact().unwrap();
    add(100..230);
    index.remove_batch(&["7", "120", "229"]).unwrap();
    drop(index);
    settle(path);
    let index = Index::open(path, &options()).unwrap();
    let everything = everything(&index).unwrap();
    assert!(index.stats().unwrap().segments > 1 && index.stats().unwrap().recent_postings > 0);
    drop(index);
    settle(path);
    everything
}

/// Opens an index until nothing changes by it: its journals are then as long as what is in them, and
/// the store has removed what its last merge left behind.
fn settle(path: &Path) {
    for _ in 0..50 {
        let before = contents(path);
        drop(Index::open(path, &options()).unwrap());
        if contents(path) == before {
            return;
        }
    }
    panic!("opening changes the index every time");
}

/// The bytes of all files.
fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    files(folder).into_iter().map(|file| (file.clone(), fs::read(file).unwrap())).collect()
}

/// Whether the damage was told. A wrong answer is the end, and so is a refused opening that changes
/// a byte.
fn is_told(path: &Path, right: &Everything, what: &str) -> bool {
    let before = contents(path);
    let index = match Index::open(path, &options()) {
        Ok(index) => index,
        Err(error) => {
            assert!(error.to_string().contains(&*path.to_string_lossy()), "{what}: {error}");
            let mut after = contents(path);
            // A lock is empty, whether it is there or not.
            after.retain(|file, _| before.contains_key(file) || !file.ends_with("lock"));
            assert!(after.keys().eq(before.keys()), "{what}: {:?}", after.keys());
            assert!(after == before, "{what}: a refused opening changed a file ({error})");
            return true;
        }
    };
    // Everything is read and compared with its checksum, so that a wrong answer is told as well.
    if index.verify().is_err() {
        return true;
    }
    let found = everything(&index);
    assert!(found.is_ok_and(|found| found == *right), "{what}: wrong answers, unnoticed");
    false
}

/// Whether a byte of a journal is of the sequence number of a batch. Nothing covers that; but batches
/// that are not in its order are told, and only the order counts.
fn is_sequence_number(journal: &[u8], place: usize) -> bool {
    let mut at = 0;
    // A start with how many items and the number; items; an end.
    while journal.get(at) == Some(&1) {
        if (at + 5..at + 13).contains(&place) {
            return true;
        }
        at += 13;
        while journal.get(at) == Some(&2) {
            let key = u16::from_le_bytes(journal[at + 11..at + 13].try_into().unwrap());
            let value = u32::from_le_bytes(journal[at + 17..at + 21].try_into().unwrap());
            at += 21 + usize::from(key) + value as usize;
        }
        assert_eq!(journal[at], 3);
        at += 13;
    }
    assert_eq!(at, journal.len());
    false
}

#[test]
fn every_flip_is_told_or_does_no_harm() {
    let folder = WorkFolder::create(None).unwrap();
    let (sound, copied) = (folder.join("sound"), folder.join("copy"));
    let right = make(&sound);
    copy(&sound, &copied);
    assert!(!is_told(&copied, &right, "nothing"));

    let (mut trials, mut harmless) = (0, 0);
    for file in files(&sound) {
        let name = file.strip_prefix(&sound).unwrap().to_owned();
        let bytes = fs::read(&file).unwrap();
        // Every byte of a small file; of others both ends, and regions in between.
        let length = bytes.len();
        let step = if length <= 32 { 1 } else { length / 20 };
        let ends = (0..14).chain(length.saturating_sub(10)..length);
        let mut places: Vec<usize> = (0..length).step_by(step.max(1)).chain(ends).collect();
        places.retain(|&place| place < length);
        places.sort_unstable();
        places.dedup();
        for place in places {
            copy(&sound, &copied);
            let mut bytes = bytes.clone();
            bytes[place] ^= 1 << (place % 8);
            fs::write(copied.join(&name), &bytes).unwrap();
            let what = format!("{} at byte {place} of {length}", name.display());
            trials += 1;
            if !is_told(&copied, &right, &what) {
                // The one kind that does no harm; that the answers are right was just seen.
                let journal = name.extension().is_some_and(|extension| extension == "jnl");
                let original = fs::read(&file).unwrap();
                assert!(journal && is_sequence_number(&original, place), "{what}: not told");
                harmless += 1;
            }
        }
    }
    assert!(trials > 400 && harmless < 20, "{trials}, {harmless}");
}

#[test]
fn every_lost_file_is_told_and_nothing_else_is_lost() {
    let folder = WorkFolder::create(None).unwrap();
    let (sound, copied) = (folder.join("sound"), folder.join("copy"));
    let right = make(&sound);
    for file in files(&sound) {
        let name = file.strip_prefix(&sound).unwrap().to_owned();
        let bytes = fs::read(&file).unwrap();
        copy(&sound, &copied);
        fs::remove_file(copied.join(&name)).unwrap();
        let what = format!("{} removed", name.display());
        // A lock is empty, and made when there is none.
        let harmless = name.ends_with("lock");
        assert_eq!(is_told(&copied, &right, &what), !harmless, "{what}");
        for length in [0, bytes.len() / 2, bytes.len().saturating_sub(1)] {
            if length < bytes.len() {
                copy(&sound, &copied);
                fs::write(copied.join(&name), &bytes[..length]).unwrap();
                let what = format!("{} cut to {length} bytes", name.display());
                assert!(is_told(&copied, &right, &what), "{what}");
                // Put back, it is the index that it was.
                fs::write(copied.join(&name), &bytes).unwrap();
                assert!(!is_told(&copied, &right, &what), "{what}, then whole again");
            }
        }
    }
}

#[test]
fn a_lost_current_is_named() {
    let folder = WorkFolder::create(None).unwrap();
    let path = folder.join("index");
    let recipe = Recipe::preset("sites").unwrap();
    let options = options();
    let create = CreateOptions::new().open(options.clone());
    let templates = [Ok((7, vec![1, 2, 3]))];
    let index = Index::create_with_templates(&path, &recipe, &create, templates).unwrap();
    index.add(&Document::text("0", &text(0))).unwrap();
    drop(index);
    for keyspace in 0..8 {
        let current = path.join(format!("store/keyspaces/{keyspace}/current"));
        let bytes = fs::read(&current).unwrap();
        fs::remove_file(&current).unwrap();
        let error = Index::open(&path, &options).unwrap_err();
        let message = format!("`{}`: is damaged: it is missing", current.display());
        assert!(error.is_corruption() && error.to_string().starts_with(&message), "{error}");
        fs::write(&current, bytes).unwrap();
    }
    assert_eq!(Index::open(&path, &options).unwrap().verify().unwrap().documents, 1);
}

#[test]
fn what_was_never_acknowledged_may_be_cut_off() {
    let folder = WorkFolder::create(None).unwrap();
    let (sound, path) = (folder.join("sound"), folder.join("index"));
    let right = make(&sound);
    copy(&sound, &path);
    Index::open(&path, &options()).unwrap().add(&Document::text("last", "a last text")).unwrap();
    let before = fs::read(sound.join("store/0.jnl")).unwrap();
    let after = fs::read(path.join("store/0.jnl")).unwrap();
    assert!(after.starts_with(&before));
    let torn = |journal: &[u8]| {
        copy(&sound, &path);
        fs::write(path.join("store/0.jnl"), journal).unwrap();
        assert!(!is_told(&path, &right, "a torn batch"));
    };
    for cut in [before.len() + 1, usize::midpoint(before.len(), after.len()), after.len() - 1] {
        torn(&after[..cut]);
        // As a disk may leave it that had room for it already.
        let mut filled = after[..cut].to_vec();
        filled.resize(after.len() + 100, 0);
        torn(&filled);
    }
    // A page of it that never came to the disk, though those after it did.
    let mut lacking = after.clone();
    lacking[usize::midpoint(before.len(), after.len())..after.len() - 20].fill(0);
    torn(&lacking);
}

#[test]
fn postings_are_made_again_from_the_documents() {
    let folder = WorkFolder::create(None).unwrap();
    let path = folder.join("index");
    let right = make(&path);
    for file in files(&path.join("runs")) {
        fs::write(file, "nothing of use").unwrap();
    }
    fs::remove_file(path.join("acknowledged")).unwrap();
    let error = Index::open(&path, &options()).unwrap_err();
    assert!(error.is_corruption() && error.to_string().contains("acknowledged"), "{error}");
    let index = Index::open(&path, &options().rebuild()).unwrap();
    assert_eq!(everything(&index).unwrap(), right);
    index.verify().unwrap();
    let rebuilt = index.rebuilt().unwrap();
    assert_eq!(rebuilt.documents, right.records.len() as u64);
    assert!(rebuilt.is_complete(), "{rebuilt:?}");
    drop(index);
    let names = |folder: &Path| {
        let names = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().file_name());
        let mut names: Vec<String> = names.map(|name| name.into_string().unwrap()).collect();
        names.sort();
        names
    };
    assert_eq!(names(&path), ["acknowledged", "index", "lock", "runs", "store"]);
    assert_eq!(everything(&Index::open(&path, &options()).unwrap()).unwrap(), right);
}

/// Whether the index says right answers about all documents but those of these ids.
fn says_all_but(path: &Path, right: &Everything, ids: &[&str]) {
    let index = Index::open(path, &options()).unwrap();
    index.verify().unwrap();
    let found = everything(&index).unwrap();
    let left: Vec<&Record> =
        right.records.iter().filter(|record| !ids.contains(&&*record.id)).collect();
    assert!(found.records.iter().eq(left));
    for (id, (found, right)) in found.contents.iter().zip(&right.contents).enumerate() {
        let lost = ids.contains(&&*id.to_string());
        assert_eq!(found, if lost { &None } else { right }, "{id}");
    }
}

/// The table of a keyspace, of which there is one.
fn table(path: &Path, keyspace: u64) -> PathBuf {
    let tables = files(&path.join(format!("store/keyspaces/{keyspace}/tables")));
    assert_eq!(tables.len(), 1);
    tables.into_iter().next().unwrap()
}

#[test]
fn a_rebuild_skips_what_is_damaged_and_names_it() {
    let folder = WorkFolder::create(None).unwrap();
    let (sound, path) = (folder.join("sound"), folder.join("index"));
    let right = make(&sound);
    // Contents are packed one by one and not again, records are packed in blocks.
    for (keyspace, at_least, at_most) in [(2, 1, 80), (1, 1, 100)] {
        copy(&sound, &path);
        let table = table(&path, keyspace);
        let mut bytes = fs::read(&table).unwrap();
        bytes[1000] ^= 4;
        fs::write(&table, &bytes).unwrap();
        assert!(Index::open(&path, &options()).map_or(true, |index| index.verify().is_err()));

        let index = Index::open(&path, &options().rebuild()).unwrap();
        let rebuilt = index.rebuilt().unwrap().clone();
        drop(index);
        assert!((at_least..=at_most).contains(&rebuilt.damaged), "{rebuilt:?}");
        assert_eq!(rebuilt.faults.len() as u64, rebuilt.damaged);
        assert_eq!(rebuilt.documents + rebuilt.damaged + rebuilt.missing, 224, "{rebuilt:?}");
        assert!(rebuilt.faults.iter().all(|fault| fault.contains("document ")), "{rebuilt:?}");
        // Those that are named are those that are gone.
        let index = Index::open(&path, &options()).unwrap();
        let ids: Vec<String> = index.documents().unwrap().map(|r| r.unwrap().id).collect();
        drop(index);
        let lost: Vec<&str> = right
            .records
            .iter()
            .map(|r| &*r.id)
            .filter(|id| !ids.iter().any(|i| i == id))
            .collect();
        assert_eq!(lost.len() as u64, rebuilt.damaged + rebuilt.missing);
        if keyspace == 2 {
            let named = |id: &&str| rebuilt.faults.iter().any(|f| f.contains(&format!("(`{id}`)")));
            assert!(lost.iter().all(named), "{rebuilt:?}");
        }
        says_all_but(&path, &right, &lost);
        // What it replaced is kept.
        assert_eq!(
            fs::read(path.join("replaced-1").join(table.strip_prefix(&path).unwrap())).unwrap(),
            bytes
        );
    }
}

#[test]
fn a_rebuild_that_fails_leaves_everything_as_it_was() {
    let folder = WorkFolder::create(None).unwrap();
    let path = folder.join("index");
    make(&path);
    // Documents that cannot be told from others: what was removed would be back.
    let list = fs::read_dir(path.join("store/keyspaces/4")).unwrap();
    let list = list
        .map(|entry| entry.unwrap().path())
        .find(|path| path.file_name().unwrap().to_str().unwrap().starts_with('v'));
    let mut bytes = fs::read(list.as_ref().unwrap()).unwrap();
    bytes[20] ^= 1;
    fs::write(list.unwrap(), bytes).unwrap();
    fs::remove_file(files(&path.join("runs")).first().unwrap()).unwrap();
    let before = contents(&path);
    for rebuild in [true, false] {
        let error = Index::open(&path, &options().when(rebuild, OpenOptions::rebuild)).unwrap_err();
        assert!(error.is_corruption(), "{error}");
        assert!(contents(&path) == before);
    }
}
