//! Globs: `*` and `?` within a name, `**` for any number of folders.
//!
//! Quoted globs reach us as they were written; this expands them as a shell
//! would have, and sorts by name as a walk does. Brackets and braces mean
//! themselves: files are named with them more often than patterns are.

use std::path::{Path, PathBuf};

/// A pattern, divided into the folder it starts from and what must match below.
#[derive(Clone, Debug)]
pub(crate) struct Glob {
    /// The leading names without wildcards; empty for the current folder.
    pub(crate) base: PathBuf,
    names: Vec<String>,
}

/// Whether an argument has wildcards at all.
pub(crate) fn is_glob(argument: &str) -> bool {
    argument.contains(['*', '?'])
}

impl Glob {
    pub(crate) fn new(pattern: &str) -> Self {
        let mut base = PathBuf::new();
        if pattern.starts_with('/') {
            base.push("/");
        }
        let mut names = Vec::new();
        for name in pattern.split('/').filter(|name| !name.is_empty()) {
            if names.is_empty() && !is_glob(name) {
                base.push(name);
            } else if name != "**" || names.last().is_none_or(|last| last != "**") {
                names.push(name.to_owned());
            }
        }
        Self { base, names }
    }

    /// What the first name below the base begins with, for sure.
    #[cfg_attr(
        not(feature = "object-stores"),
        expect(dead_code, reason = "folders are read whole; stores can list less")
    )]
    pub(crate) fn literal_start(&self) -> &str {
        let first = self.names.first().map_or("", String::as_str);
        first.split(['*', '?']).next().unwrap_or_default()
    }

    /// Whether the file at this path below the base matches.
    pub(crate) fn matches(&self, path: &[String]) -> bool {
        matches_path(&self.names, path)
    }

    /// Whether a file somewhere below this folder could match.
    pub(crate) fn may_match_below(&self, folder: &[String]) -> bool {
        let mut names = self.names.iter();
        for given in folder {
            match names.next() {
                Some(name) if name == "**" => return !given.starts_with('.'),
                Some(name) if matches_name(name, given) => {}
                _ => return false,
            }
        }
        names.next().is_some()
    }
}

/// The folder that a path below it is seen from.
pub(crate) fn folder_of(base: &Path) -> &Path {
    if base.as_os_str().is_empty() { Path::new(".") } else { base }
}

/// Row by row over the pattern, which names of the path could have been reached: linear in the
/// product of both, where backtracking over several `**` would be exponential.
fn matches_path(pattern: &[String], path: &[String]) -> bool {
    let mut reached = vec![false; path.len() + 1];
    reached[0] = true;
    for name in pattern {
        let mut next = vec![false; path.len() + 1];
        if name == "**" {
            next[0] = reached[0];
            for (i, given) in path.iter().enumerate() {
                next[i + 1] = reached[i + 1] || (next[i] && !given.starts_with('.'));
            }
        } else {
            for (i, given) in path.iter().enumerate() {
                next[i + 1] = reached[i] && matches_name(name, given);
            }
        }
        reached = next;
    }
    reached[path.len()]
}

/// Matches one name. On a mismatch only the last `*` has to take one character more.
fn matches_name(pattern: &str, name: &str) -> bool {
    if name.starts_with('.') && !pattern.starts_with('.') {
        return false;
    }
    let (pattern, name): (Vec<char>, Vec<char>) =
        (pattern.chars().collect(), name.chars().collect());
    let (mut p, mut n) = (0, 0);
    let mut star = None;
    while n < name.len() {
        match pattern.get(p) {
            Some('*') => {
                star = Some((p, n));
                p += 1;
            }
            Some(&c) if c == '?' || c == name[n] => (p, n) = (p + 1, n + 1),
            _ => {
                let Some((at, taken)) = star else { return false };
                star = Some((at, taken + 1));
                (p, n) = (at + 1, taken + 1);
            }
        }
    }
    pattern[p..].iter().all(|&c| c == '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, path: &str) -> bool {
        let glob = Glob::new(pattern);
        let names: Vec<String> = path.split('/').map(str::to_owned).collect();
        let base = glob.base.components().count();
        let below = names.get(base..).unwrap_or_default();
        let reachable = (1..below.len()).all(|n| glob.may_match_below(&below[..n]));
        Path::new(path).starts_with(&glob.base) && reachable && glob.matches(below)
    }

    #[test]
    fn stars_stay_within_a_name() {
        assert!(matches("*.txt", "a.txt"));
        assert!(matches("a/*.txt", "a/b.txt"));
        assert!(!matches("*.txt", "a/b.txt"));
        assert!(!matches("a/*", "a/b/c"));
        assert!(matches("a*b*c", "aXbbYc"));
        assert!(!matches("a*b*c", "aXbbY"));
        assert!(matches("?.txt", "\u{e9}.txt"));
        assert!(!matches("?.txt", ".txt"));
    }

    #[test]
    fn two_stars_reach_any_depth() {
        for path in ["a/x.txt", "a/b/x.txt", "a/b/c/x.txt"] {
            assert!(matches("a/**/x.txt", path), "{path}");
            assert!(matches("a/**", path), "{path}");
            assert!(matches("**/*.txt", path), "{path}");
        }
        assert!(!matches("a/**/b/x.txt", "a/c/x.txt"));
        assert!(matches("a/**/b/**/x.txt", "a/q/b/r/s/x.txt"));
    }

    #[test]
    fn hidden_names_must_be_named() {
        assert!(!matches("*", ".a"));
        assert!(matches(".*", ".a"));
        assert!(!matches("**/a", ".b/a"));
    }

    #[test]
    fn many_stars_stay_fast() {
        let pattern = "*a".repeat(40);
        assert!(!matches(&pattern, &"a".repeat(39)));
        let pattern = "**/a/".repeat(30);
        assert!(!matches(&pattern, &"a/".repeat(60)));
    }
}
