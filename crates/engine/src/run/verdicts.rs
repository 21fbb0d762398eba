//! What a person says of pairs of a run: `verdicts.jsonl` in its folder.
//!
//! A line a verdict, only ever added to; the last one on a pair counts. A line
//! is on the disk before it is answered for, and one that a crash cut off was
//! not, so that it is left out and then overwritten. Several programs may add to
//! one file: each locks it meanwhile, and reads what others have added.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{self, BufRead as _, BufReader, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};

use lookalike_files::sync_parent;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::error::{Error, Operation, Result};

/// Whether two documents are the same to a person.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// One of them is enough.
    Same,
    /// Both are needed.
    Different,
    /// Nobody could say.
    Unsure,
}

impl Verdict {
    /// The label that an evaluation knows it by.
    pub fn label(self) -> &'static str {
        match self {
            Self::Same => "correct",
            Self::Different => "incorrect",
            Self::Unsure => "undecided",
        }
    }
}

/// What a person says of a pair.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PairVerdict {
    /// The id of one document.
    pub a: String,
    /// The id of the other.
    pub b: String,
    /// What is said of them.
    pub verdict: Verdict,
    /// When, in seconds of Unix time.
    pub time: u64,
    /// Why; may be empty.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub note: String,
}

/// How many pairs there are of each verdict.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct VerdictCounts {
    /// Pairs that are the same.
    pub same: u64,
    /// Pairs that are not.
    pub different: u64,
    /// Pairs that nobody could judge.
    pub unsure: u64,
}

/// The verdicts on pairs of a run.
#[derive(Debug)]
pub struct Verdicts {
    path: PathBuf,
    /// By both ids, the smaller first.
    pairs: BTreeMap<[String; 2], PairVerdict>,
    /// Bytes of whole lines.
    bytes: u64,
    /// Bytes of the file when it was read or written last.
    file_bytes: u64,
}

impl Verdicts {
    /// Reads those of a run's folder; none if there is no file.
    ///
    /// # Errors
    /// If the file cannot be read, or a line of it is no verdict.
    pub fn open(folder: impl AsRef<Path>) -> Result<Self> {
        Self::open_in(folder.as_ref())
    }

    fn open_in(folder: &Path) -> Result<Self> {
        Self::read(folder.join("verdicts.jsonl"))
    }

    fn read(path: PathBuf) -> Result<Self> {
        let mut verdicts = Self { path, pairs: BTreeMap::new(), bytes: 0, file_bytes: 0 };
        let failed = |error| Error::io(&verdicts.path, Operation::Read, error);
        let file = match File::open(&verdicts.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(verdicts),
            file => file.map_err(failed)?,
        };
        let (mut lines, mut line) = (BufReader::new(file), Vec::new());
        loop {
            line.clear();
            let read = lines.read_until(b'\n', &mut line);
            let read = read.map_err(|e| Error::io(&verdicts.path, Operation::Read, e))?;
            verdicts.file_bytes += read as u64;
            if line.last() != Some(&b'\n') {
                return Ok(verdicts);
            }
            if !line.trim_ascii().is_empty() {
                let verdict: PairVerdict = serde_json::from_slice(&line).map_err(|error| {
                    let expected = "a verdict, as a line of JSON";
                    Error::corruption(&verdicts.path, verdicts.bytes, expected, error.to_string())
                })?;
                verdicts.take(verdict);
            }
            verdicts.bytes += read as u64;
        }
    }

    fn take(&mut self, verdict: PairVerdict) {
        self.pairs.insert(key(&verdict.a, &verdict.b), verdict);
    }

    /// What counts of a pair, whichever of the two is named first.
    pub fn get(&self, a: &str, b: &str) -> Option<&PairVerdict> {
        self.pairs.get(&key(a, b))
    }

    /// Adds a verdict, which is on the disk when this returns.
    ///
    /// # Errors
    /// If it cannot be written; then nothing of it is.
    pub fn give(&mut self, verdict: PairVerdict) -> Result<()> {
        let failed = |error| Error::io(&self.path, Operation::Write, error);
        let mut line = serde_json::to_vec(&verdict).map_err(|error| failed(error.into()))?;
        line.push(b'\n');
        let mut options = OpenOptions::new();
        let file = options.write(true).create(true).truncate(false).open(&self.path);
        let mut file = file.map_err(failed)?;
        file.lock().map_err(failed)?;
        if file.metadata().map_err(failed)?.len() != self.file_bytes {
            *self = Self::read(self.path.clone())?;
        }
        let written = self.append(&mut file, &line);
        if let Err(error) = written {
            let _ = file.set_len(self.bytes);
            self.file_bytes = self.bytes;
            return Err(Error::io(&self.path, Operation::Write, error));
        }
        if self.bytes == 0 {
            sync_parent(&self.path)?;
        }
        self.bytes += line.len() as u64;
        self.file_bytes = self.bytes;
        self.take(verdict);
        Ok(())
    }

    /// Writes a line behind the whole ones.
    fn append(&self, file: &mut File, line: &[u8]) -> io::Result<()> {
        file.set_len(self.bytes)?;
        file.seek(SeekFrom::Start(self.bytes))?;
        file.write_all(line)?;
        file.sync_data()
    }

    /// How many pairs there are of each verdict.
    pub fn counts(&self) -> VerdictCounts {
        let mut counts = VerdictCounts::default();
        for verdict in self.pairs.values() {
            *match verdict.verdict {
                Verdict::Same => &mut counts.same,
                Verdict::Different => &mut counts.different,
                Verdict::Unsure => &mut counts.unsure,
            } += 1;
        }
        counts
    }

    /// The verdicts that count as labels for an evaluation, a line of JSON each, by their ids.
    pub fn labels(&self) -> String {
        let line = |PairVerdict { a, b, verdict, note, .. }: &PairVerdict| {
            let mut label = json!({ "a": a, "b": b, "label": verdict.label() });
            if !note.is_empty() {
                label["reason"] = note.as_str().into();
            }
            format!("{label}\n")
        };
        self.pairs.values().map(line).collect()
    }
}

fn key(a: &str, b: &str) -> [String; 2] {
    [a.min(b), a.max(b)].map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use lookalike_files::WorkFolder;

    use super::*;

    fn verdict(a: &str, b: &str, verdict: Verdict, note: &str) -> PairVerdict {
        PairVerdict { a: a.to_owned(), b: b.to_owned(), verdict, time: 7, note: note.to_owned() }
    }

    #[test]
    fn the_last_verdict_on_a_pair_counts() {
        let folder = WorkFolder::create(None).unwrap();
        let mut verdicts = Verdicts::open(&folder).unwrap();
        assert_eq!(verdicts.labels(), "");
        verdicts.give(verdict("b", "a", Verdict::Same, "")).unwrap();
        verdicts.give(verdict("c", "d", Verdict::Unsure, "which\none?")).unwrap();
        verdicts.give(verdict("a", "b", Verdict::Different, "")).unwrap();
        let again = Verdicts::open(&folder).unwrap();
        for verdicts in [&verdicts, &again] {
            assert_eq!(verdicts.get("b", "a").unwrap().verdict, Verdict::Different);
            assert_eq!(verdicts.get("d", "c").unwrap().note, "which\none?");
            assert!(verdicts.get("a", "c").is_none());
            assert_eq!(verdicts.counts(), VerdictCounts { same: 0, different: 1, unsure: 1 });
        }
        assert_eq!(again.labels().lines().count(), 2);
        let text = fs::read_to_string(folder.join("verdicts.jsonl")).unwrap();
        assert_eq!(text.lines().count(), 3, "nothing that was said is lost");
    }

    #[test]
    fn two_programs_lose_nothing_of_each_other() {
        let folder = WorkFolder::create(None).unwrap();
        let mut programs = [(); 2].map(|()| Verdicts::open(&folder).unwrap());
        for n in 0..6 {
            let id = format!("x{n}");
            programs[n % 2].give(verdict("a", &id, Verdict::Same, "")).unwrap();
        }
        assert_eq!(programs[1].counts().same, 6);
        assert_eq!(Verdicts::open(&folder).unwrap().counts().same, 6);
    }

    #[test]
    fn a_line_that_was_cut_off_is_none_and_other_damage_is_told() {
        let folder = WorkFolder::create(None).unwrap();
        let path = folder.join("verdicts.jsonl");
        let mut verdicts = Verdicts::open(&folder).unwrap();
        verdicts.give(verdict("a", "b", Verdict::Same, "")).unwrap();
        let whole = fs::read(&path).unwrap();
        verdicts.give(verdict("a", "c", Verdict::Same, "")).unwrap();
        let both = fs::read(&path).unwrap();
        for cut in whole.len()..both.len() {
            fs::write(&path, &both[..cut]).unwrap();
            let mut cut_off = Verdicts::open(&folder).unwrap();
            assert_eq!(cut_off.counts().same, 1);
            cut_off.give(verdict("a", "c", Verdict::Same, "")).unwrap();
            assert_eq!(fs::read(&path).unwrap(), both);
        }
        fs::write(&path, [b"{}\n", &*both].concat()).unwrap();
        let error = Verdicts::open(&folder).unwrap_err();
        assert!(error.is_corruption() && error.to_string().contains("verdicts.jsonl"), "{error}");
    }
}
