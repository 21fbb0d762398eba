//! Files of an index, damaged in one place after another: opening, asking or verifying says so, or
//! every answer is still right. Never a wrong answer, never a panic.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

mod common;

use std::fs;
use std::path::{Path, PathBuf};

use common::{Folder, Said, said};
use lookalike_core::{Recipe, mix};
use lookalike_index::{CreateOptions, Document, Index, OpenOptions, Record};

fn options() -> OpenOptions {
    OpenOptions::new().run_postings(600).cache_bytes(1 << 20)
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

/// An index with tables, journals, several runs, holes, and postings that are in no run.
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
    // Opened once more, so that its journal is as long as what is in it.
    let index = Index::open(path, &options()).unwrap();
    let everything = everything(&index).unwrap();
    assert!(index.stats().unwrap().runs > 1 && index.stats().unwrap().recent_postings > 0);
    everything
}

/// Whether the damage was told. A wrong answer is the end.
fn is_told(path: &Path, right: &Everything, what: &str) -> bool {
    let index = match Index::open(path, &options()) {
        Ok(index) => index,
        Err(error) => {
            assert!(!error.to_string().is_empty());
            return true;
        }
    };
    let asked = everything(&index);
    let verified = index.verify();
    match (asked, verified) {
        (Ok(found), verified) => {
            assert!(found == *right, "{what}: wrong answers, unnoticed");
            verified.is_err()
        }
        (Err(_), verified) => {
            assert!(verified.is_err(), "{what}: verification found nothing");
            true
        }
    }
}

#[test]
fn damage_is_told_or_does_no_harm() {
    let folder = Folder::new("damage");
    let (sound, copied) = (folder.path().join("sound"), folder.path().join("copy"));
    let right = make(&sound);
    copy(&sound, &copied);
    assert!(!is_told(&copied, &right, "nothing"));

    let (mut told, mut trials) = (0, 0);
    for file in files(&sound) {
        let name = file.strip_prefix(&sound).unwrap().to_owned();
        let length = fs::metadata(&file).unwrap().len();
        // Both ends byte by byte, and regions in between.
        let regions = (1..12).map(|n| n * length / 12);
        let mut places: Vec<u64> =
            [0, 1, 4, 9].into_iter().chain(regions).chain([length.saturating_sub(1)]).collect();
        places.retain(|&place| place < length);
        places.dedup();
        for place in places {
            copy(&sound, &copied);
            let mut bytes = fs::read(&file).unwrap();
            bytes[place as usize] ^= 0x55;
            fs::write(copied.join(&name), bytes).unwrap();
            let what = format!("{} at byte {place} of {length}", name.display());
            trials += 1;
            told += u64::from(is_told(&copied, &right, &what));
        }
        // Cut off in the middle, and gone.
        copy(&sound, &copied);
        fs::write(copied.join(&name), &fs::read(&file).unwrap()[..length as usize / 2]).unwrap();
        is_told(&copied, &right, &format!("{} cut off", name.display()));
        copy(&sound, &copied);
        fs::remove_file(copied.join(&name)).unwrap();
        is_told(&copied, &right, &format!("{} removed", name.display()));
    }
    assert!(told * 2 > trials, "{told} of {trials} were told");
}

#[test]
fn postings_are_made_again_from_the_documents() {
    let folder = Folder::new("rebuild");
    let path = folder.path().join("index");
    let right = make(&path);
    for file in files(&path.join("runs")) {
        fs::write(file, "nothing of use").unwrap();
    }
    fs::remove_file(path.join("acknowledged")).unwrap();
    let error = Index::open(&path, &options()).unwrap_err();
    assert!(error.is_corruption() && error.to_string().contains("acknowledged"), "{error}");
    let index = Index::open(&path, &options().rebuild(true)).unwrap();
    assert_eq!(everything(&index).unwrap(), right);
    index.verify().unwrap();
    drop(index);
    assert_eq!(everything(&Index::open(&path, &options()).unwrap()).unwrap(), right);
}
