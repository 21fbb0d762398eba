//! Any bytes in any file of an index: it is opened and answers, or an error says why not; and of what is
//! not opened no file of ours is gone.
//!
//! The first byte chooses a file, the second what is done to it, two more where, and the rest is what is
//! written there. Answers that are given are those of the index as it was, or of fewer documents.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use lookalike_core::Recipe;
use lookalike_index::{CreateOptions, Document, Index, OpenOptions};

/// An index that is there already, and its files.
static WHOLE: LazyLock<(PathBuf, Vec<PathBuf>)> = LazyLock::new(|| {
    let folder = crate::folders::folder("index", "whole");
    // Runs of few postings, so that there are several files of them.
    let create = CreateOptions::new().open(options());
    let index = Index::create(&folder, &Recipe::default(), &create).unwrap();
    for number in 0..40 {
        let id = format!("document {number}");
        index.add(&Document::text(id, &text(number))).unwrap();
    }
    index.remove("document 7").unwrap();
    drop(index);
    let mut files = crate::folders::files(&folder);
    files.sort();
    (folder, files)
});

fn options() -> OpenOptions {
    OpenOptions::new().segment_postings(100).threads(1).cache_bytes(1 << 20)
}

/// Twenty words that only this document has, nearly.
fn text(number: u32) -> String {
    let words = (0..20).map(|word| format!("word{}", number * 19 + word));
    words.collect::<Vec<_>>().join(" ")
}

/// Damages a file, and asks the index.
pub fn check(bytes: &[u8]) {
    let [file, action, high, low, rest @ ..] = bytes else { return };
    let (whole, files) = &*WHOLE;
    let folder = crate::folders::folder("index", "broken");
    copy(whole, files, &folder);
    let path = folder.join(&files[usize::from(*file) % files.len()]);
    break_file(&path, *action, u16::from_be_bytes([*high, *low]), rest);

    let before = crate::folders::contents(&folder);
    match Index::open(&folder, &options()) {
        Ok(index) => ask(&index),
        Err(error) => {
            assert!(!error.to_string().is_empty());
            // Nothing that was there is gone. What the store did to its own files is the store's.
            let after = crate::folders::contents(&folder);
            for (path, content) in before.iter().filter(|(path, _)| !path.starts_with("store")) {
                assert!(after.contains_key(path), "{} is gone after: {error}", path.display());
                assert!(
                    content.is_empty() || !after[path].is_empty(),
                    "{}: {error}",
                    path.display()
                );
            }
        }
    }
    if let Ok(index) = Index::open(&folder, &options().rebuild()) {
        ask(&index);
    }
    fs::remove_dir_all(&folder).unwrap();
}

fn copy(whole: &Path, files: &[PathBuf], folder: &Path) {
    for file in files {
        let to = folder.join(file);
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(whole.join(file), to).unwrap();
    }
}

fn break_file(path: &Path, action: u8, place: u16, bytes: &[u8]) {
    let mut content = fs::read(path).unwrap();
    let place = usize::from(place) % (content.len() + 1);
    match action % 6 {
        0 => {
            let end = content.len().min(place + bytes.len());
            content[place..end].copy_from_slice(&bytes[..end - place]);
        }
        1 => content.truncate(place),
        2 => content = bytes.to_vec(),
        3 => content.extend_from_slice(bytes),
        4 => drop(content.splice(place..place, bytes.iter().copied())),
        _ => return fs::remove_file(path).unwrap(),
    }
    fs::write(path, content).unwrap();
}

/// Whatever it says, it says without panicking, and never of documents that there were not.
fn ask(index: &Index) {
    for number in [0, 7, 39, 1000] {
        let Ok(answer) = index.check(&Document::text("new", &text(number))) else { continue };
        for found in &answer.matches {
            assert!(found.id.starts_with("document "), "{}", found.id);
        }
    }
    let _ = (index.verify(), index.stats(), index.get("document 3"), index.content("document 3"));
    let _ = (index.page(0, 100), index.clusters(0, 10, 100), index.remove("document 5"));
    let _ = (index.add(&Document::text("one more", &text(50))), index.compact());
}
