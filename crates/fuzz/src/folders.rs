//! Folders of this process, and what is in them.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// What a target of this process keeps; in memory where the system has such.
fn base(target: &str) -> PathBuf {
    let memory = PathBuf::from("/dev/shm");
    let base = if memory.is_dir() { memory } else { std::env::temp_dir() };
    base.join(format!("lookalike-fuzz-{target}-{}", std::process::id()))
}

/// A folder of a target that is there and empty.
pub(crate) fn folder(target: &str, name: &str) -> PathBuf {
    let folder = base(target).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// Removes all folders of a target that is not asked again.
pub fn remove_folders(target: &str) {
    let _ = fs::remove_dir_all(base(target));
}

/// The files of a folder, as paths within it.
pub(crate) fn files(folder: &Path) -> Vec<PathBuf> {
    contents(folder).into_keys().collect()
}

/// The files of a folder and what is in them.
pub(crate) fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let within = path.strip_prefix(folder).unwrap().to_owned();
                found.insert(within, fs::read(&path).unwrap());
            }
        }
    }
    found
}
