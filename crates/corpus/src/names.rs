//! The names of selections: no two of them can be in each other's way, on any system.
//!
//! A name is taken if another source has it, also in other cases of its letters: many file systems
//! do not tell `A.txt` from `a.txt`. So is one that is a folder of another source's name, or has
//! such a name for a folder, and one that a selection has while it is written or that stands beside
//! it. The second of two gets a number: `a~2.jsonl`, `a.txt~2/b.md`. The outcome is the same on
//! every system.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use crate::format::{self, Format};

/// What stands after the name of a selection that is not complete.
const PARTIAL: &str = ".partial";

/// What stands after the name of the copy of a file that could be read in part only.
pub(crate) const UNREADABLE: &str = ".unreadable";

/// The names that selections have already, by their hashes: a folder may have millions. Two names of
/// one hash only cost a number that was not needed.
#[derive(Debug, Default)]
pub(crate) struct Names {
    files: HashSet<u64>,
    folders: HashSet<u64>,
}

impl Names {
    /// The name, or one made from it if it is taken, which is taken then.
    pub(crate) fn free(&mut self, name: &str) -> String {
        let name = self.in_free_folder(name);
        if self.take(&name) {
            return name;
        }
        let plain = format::without_compression(&name);
        let stem = match plain.rsplit_once('.') {
            Some((stem, _)) if Format::from_name(&name).is_some() => stem.len(),
            _ => plain.len(),
        };
        let (stem, extension) = name.split_at(stem);
        let mut free = (2_u64..).map(|n| format!("{stem}~{n}{extension}"));
        free.find(|name| self.take(name)).unwrap_or_else(|| name.clone())
    }

    /// The name with a number at each folder that is another source's file.
    fn in_free_folder(&self, name: &str) -> String {
        let mut free = String::new();
        let mut parts = name.split('/').peekable();
        while let Some(part) = parts.next() {
            free.push_str(part);
            if parts.peek().is_none() {
                break;
            }
            if self.files.contains(&hash(&free)) {
                let mut folders = (2_u64..).map(|n| format!("{free}~{n}"));
                let folder = folders.find(|folder| !self.files.contains(&hash(folder)));
                free = folder.unwrap_or(free);
            }
            free.push('/');
        }
        free
    }

    /// Takes the name of a file, if it is free.
    fn take(&mut self, name: &str) -> bool {
        let all = ["", PARTIAL, UNREADABLE].map(|end| hash(&format!("{name}{end}")));
        if all.iter().any(|name| self.files.contains(name) || self.folders.contains(name)) {
            return false;
        }
        self.files.extend(all);
        let folders = name.match_indices('/').map(|(at, _)| hash(&name[..at]));
        self.folders.extend(folders);
        true
    }
}

/// Of the name in any case of its letters.
fn hash(name: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    // Upper case first: some letters have one lower case of two.
    name.to_uppercase().to_lowercase().hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_name_is_in_the_way_of_another() {
        let mut names = Names::default();
        for (name, free) in [
            ("a.txt", "a.txt"),
            ("a.txt", "a~2.txt"),
            ("A.TXT", "A~3.TXT"),
            // A file before the folder of its name, and after it.
            ("a.txt/x.md", "a.txt~2/x.md"),
            ("a.txt/y.md", "a.txt~2/y.md"),
            ("A.txt/Y.md", "A.txt~2/Y~2.md"),
            ("b.txt/c.txt/x.md", "b.txt/c.txt/x.md"),
            ("b.txt", "b~2.txt"),
            ("b.txt/C.txt", "b.txt/C~2.txt"),
            // As it is called while it is written, and what may stand beside it.
            ("d.txt", "d.txt"),
            ("d.txt.partial", "d.txt.partial~2"),
            ("e.gz.unreadable", "e.gz.unreadable"),
            ("e.gz", "e~2.gz"),
            ("stra\u{df}e.txt", "stra\u{df}e.txt"),
            ("STRASSE.txt", "STRASSE~2.txt"),
        ] {
            assert_eq!(names.free(name), free, "{name}");
        }
    }
}
