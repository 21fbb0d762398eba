//! Where the files of a job are.

use std::ffi::OsString;
use std::path::{Path, PathBuf, absolute};
use std::{fs, io};

use xxhash_rust::xxh3::xxh3_64;

use crate::error::{Error, ErrorKind, Operation, Result};

/// The folder of results and the folder of what is needed only while the job runs.
#[derive(Clone, Debug)]
pub(crate) struct Files {
    pub(crate) out: PathBuf,
    pub(crate) work: PathBuf,
}

macro_rules! files {
    ($($folder:ident: $($method:ident => $name:literal),*;)*) => {
        $($(pub(crate) fn $method(&self) -> PathBuf {
            self.$folder.join($name)
        })*)*
    };
}

impl Files {
    /// Working files go below the results, or below `temp`, in a folder of the results' name and
    /// whole path: `x/out` and `y/out` are two jobs.
    pub(crate) fn new(out: &Path, temp: Option<&Path>) -> Self {
        let work = match temp {
            Some(temp) => temp.join(work_name(&resolved(out))),
            None => out.join("work"),
        };
        Self { out: out.to_owned(), work }
    }

    /// Removes the documents that were written.
    pub(crate) fn remove_written(&self) -> Result<()> {
        [self.kept(), self.all(), self.removed()].iter().try_for_each(|path| remove(path))
    }

    /// Fails if the inputs have a folder that these files would be in: a walk would meet them.
    pub(crate) fn check_apart(&self, inputs: &[String]) -> Result<()> {
        for input in inputs.iter().map(|input| input.strip_prefix("file://").unwrap_or(input)) {
            let input = Path::new(input);
            let Some(walked) = input.canonicalize().ok().filter(|path| path.is_dir()) else {
                continue;
            };
            for folder in [&self.out, &self.work] {
                if resolved(folder).starts_with(&walked) {
                    return Err(within(folder, input));
                }
            }
        }
        Ok(())
    }

    /// Fails if the file is one of these, as a glob may have it.
    pub(crate) fn check_foreign(&self, file: &Path) -> Result<()> {
        let is_in = |folder: &Path| match (absolute(file), absolute(folder)) {
            (Ok(file), Ok(folder)) => file.starts_with(folder),
            _ => false,
        };
        match [&self.out, &self.work].into_iter().find(|folder| is_in(folder)) {
            Some(folder) => Err(within(folder, file)),
            None => Ok(()),
        }
    }

    /// Removes what a run left among the results, and nothing else. The manifest goes last: until
    /// then it can be seen whose folder it is.
    pub(crate) fn remove_results(&self) -> Result<()> {
        let report = ["report.json", "report.html"].map(|name| self.out.join(name));
        let tables = [
            self.clusters(),
            self.pairs(),
            self.passages(),
            self.gone(),
            self.kept(),
            self.all(),
            self.removed(),
            self.recipe(),
            self.sources(),
        ];
        let documents = [
            self.signatures(),
            self.urls(),
            self.offsets(),
            self.templates(),
            self.counted(),
            self.dates(),
            self.known(),
        ];
        let indexes =
            (1..).map(|number| self.of_known_index(number)).take_while(|path| path.exists());
        let all = report.into_iter().chain(tables).chain(documents).chain(indexes);
        all.chain([self.manifest()]).try_for_each(|path| remove(&path))
    }

    /// What is taken over from a known index, the first of which is 1.
    pub(crate) fn of_known_index(&self, number: usize) -> PathBuf {
        self.out.join(format!("known-{number}.jsonl"))
    }

    /// The ranks of documents under a key of the keep policy.
    pub(crate) fn ranks(&self, key: usize) -> PathBuf {
        self.work.join(format!("ranks-{key}"))
    }

    files! {
        out:
            manifest => "manifest.json",
            recipe => "recipe.toml",
            sources => "sources.jsonl",
            signatures => "documents.signatures",
            urls => "documents.urls",
            offsets => "documents.offsets",
            known => "documents.known",
            templates => "documents.templates",
            counted => "documents.counted",
            dates => "documents.dates",
            gone => "documents.gone",
            kept => "kept",
            all => "all",
            removed => "removed",
            clusters => "clusters.parquet",
            pairs => "pairs.parquet",
            passages => "passages.parquet";
        work:
            signing_journal => "signing.journal",
            sites => "sites",
            report_sites => "report-sites",
            parts => "parts",
            identities => "identities",
            known_identities => "known-identities",
            listed => "listed.jsonl",
            samples => "samples",
            tokens => "tokens",
            token_owners => "token-owners",
            copies => "copies",
            groups => "groups",
            elements => "elements",
            element_starts => "element-starts",
            projections => "projections",
            judged_pairs => "pairs",
            keepers => "keepers",
            passage_anchors => "passage-anchors",
            annotations => "annotations",
            revisited => "revisited",
            passage_cuts => "passage-cuts",
            passage_parts => "passage-parts",
            passage_part_starts => "passage-part-starts",
            sorting => "sorting",
            unpacked => "unpacked";
    }
}

/// Removes a file, or a folder with all that is in it, if it is there.
pub(crate) fn remove(path: &Path) -> Result<()> {
    let removed = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    match removed {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(Error::io(path, Operation::Remove, error))
        }
        _ => Ok(()),
    }
}

/// A name that people know and that no other path of results has.
fn work_name(out: &Path) -> OsString {
    let mut name = out.file_name().unwrap_or_default().to_owned();
    name.push(format!("-{:016x}.work", xxh3_64(out.as_os_str().as_encoded_bytes())));
    name
}

fn within(folder: &Path, input: &Path) -> Error {
    let (folder, input) = (folder.to_owned(), input.to_owned());
    Error::from(ErrorKind::WithinInput { folder, input })
}

/// The path without links, as far as it exists.
fn resolved(path: &Path) -> PathBuf {
    let path = absolute(path).unwrap_or_else(|_| path.to_owned());
    let known = path.ancestors().find_map(|above| Some((above, above.canonicalize().ok()?)));
    match known.and_then(|(above, real)| Some(real.join(path.strip_prefix(above).ok()?))) {
        // Without the separator that joining nothing leaves at the end.
        Some(resolved) => resolved.components().collect(),
        None => path,
    }
}

#[cfg(test)]
mod tests {
    use lookalike_files::WorkFolder;

    use super::*;

    #[test]
    fn working_files_are_named_by_the_whole_path_of_results() {
        let folder = WorkFolder::create(None).unwrap();
        let work = |out: &str| Files::new(&folder.join(out), Some(Path::new("temp"))).work;
        let before = work("x/out");
        assert_ne!(before, work("y/out"));
        std::fs::create_dir_all(folder.join("x/out")).unwrap();
        assert_eq!(before, work("x/out"), "the same once it is there");
        assert_eq!(before, work("x/../x/out/"), "however it is written");
        let name = before.file_name().unwrap().to_str().unwrap();
        assert!(name.starts_with("out-") && name.strip_suffix(".work").is_some(), "{name}");
    }
}
