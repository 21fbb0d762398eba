//! Seals: what the files of a job were when their stage was complete.
//!
//! The manifest has the length and a checksum of each. A job that goes on
//! looks at them first, so that a file of another job, of an earlier attempt, or
//! one that the disk has not kept, is an error that names it and never a result.
//! Every format has checks of its own besides; they say where a file is damaged,
//! and cannot say whose it is.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{self, Read as _, Seek as _, SeekFrom};
use std::path::{Path, PathBuf};

use lookalike_files::JOB_LOCK;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::Xxh3Default;

use crate::error::{Error, ErrorKind, Operation, Result};
use crate::files::Files;

/// The seals of a job's files, by where they are: `out/...` or `work/...`.
pub(super) type Seals = BTreeMap<String, Seal>;

/// What a file was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Seal {
    bytes: u64,
    /// XXH3 of all of it, or of both ends.
    xxh3: String,
}

/// Files of up to this many bytes are sealed whole: it takes a few milliseconds. Of longer ones
/// both ends are: there the counts and checksums are that no other file has.
const WHOLE_BYTES: u64 = 64 << 20;

/// Bytes of each end.
const END_BYTES: u64 = 1 << 20;

impl Seal {
    fn of(path: &Path) -> io::Result<Self> {
        let mut file = File::open(path)?;
        let bytes = file.metadata()?.len();
        let mut checksum = Xxh3Default::new();
        if bytes <= WHOLE_BYTES {
            io::copy(&mut file, &mut checksum)?;
        } else {
            io::copy(&mut file.by_ref().take(END_BYTES), &mut checksum)?;
            file.seek(SeekFrom::Start(bytes - END_BYTES))?;
            io::copy(&mut file.take(END_BYTES), &mut checksum)?;
        }
        Ok(Self { bytes, xxh3: format!("{:016x}", checksum.digest()) })
    }
}

/// Seals the files that have none yet.
pub(super) fn add_new(seals: &mut Seals, files: &Files) -> Result<()> {
    for (folder, path) in [("out", &files.out), ("work", &files.work)] {
        let failed = |source| Error::io(path, Operation::Read, source);
        for entry in fs::read_dir(path).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            let Ok(name) = entry.file_name().into_string() else { continue };
            let changes =
                ["manifest.json", JOB_LOCK].contains(&&*name) || name.ends_with(".partial");
            let key = format!("{folder}/{name}");
            if changes || seals.contains_key(&key) || !entry.path().is_file() {
                continue;
            }
            let seal = Seal::of(&entry.path());
            let seal = seal.map_err(|e| Error::io(&entry.path(), Operation::Read, e))?;
            seals.insert(key, seal);
        }
    }
    Ok(())
}

/// Fails with the first file that is not what it was.
pub(super) fn check(seals: &Seals, files: &Files) -> Result<()> {
    for (name, seal) in seals {
        let path = path_of(name, files);
        let found = Seal::of(&path).map_err(|e| Error::io(&path, Operation::Read, e))?;
        if found != *seal {
            return Err(Error::from(ErrorKind::NotOfJob(path)));
        }
    }
    Ok(())
}

fn path_of(name: &str, files: &Files) -> PathBuf {
    match name.split_once('/') {
        Some(("work", name)) => files.work.join(name),
        Some((_, name)) => files.out.join(name),
        None => files.out.join(name),
    }
}

#[cfg(test)]
mod tests {
    use lookalike_files::WorkFolder;

    use super::*;

    #[test]
    fn long_files_are_known_by_their_ends() {
        let folder = WorkFolder::create(None).unwrap();
        let files = Files { out: folder.join("out"), work: folder.join("work") };
        for folder in [&files.out, &files.work] {
            fs::create_dir_all(folder).unwrap();
        }
        let (short, long) = (files.out.join("short"), files.work.join("long"));
        fs::write(&short, "short").unwrap();
        File::create(&long).unwrap().set_len(WHOLE_BYTES + 5).unwrap();
        fs::write(files.work.join("half.partial"), "").unwrap();
        let mut seals = Seals::new();
        add_new(&mut seals, &files).unwrap();
        assert_eq!(seals.keys().collect::<Vec<_>>(), ["out/short", "work/long"]);
        check(&seals, &files).unwrap();
        File::options().write(true).open(&long).unwrap().set_len(WHOLE_BYTES + 6).unwrap();
        let error = check(&seals, &files).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::NotOfJob(path) if *path == long), "{error}");
        fs::remove_file(&long).unwrap();
        assert!(check(&seals, &files).unwrap_err().is_io());
    }
}
