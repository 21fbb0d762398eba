//! Where the files of a job are.

use std::path::{Path, PathBuf};

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
    /// Working files go below the results, or below `temp`, in a folder of the results' name.
    pub(crate) fn new(out: &Path, temp: Option<&Path>) -> Self {
        let work = match (temp, out.file_name()) {
            (Some(temp), Some(name)) => {
                let mut name = name.to_owned();
                name.push(".work");
                temp.join(name)
            }
            _ => out.join("work"),
        };
        Self { out: out.to_owned(), work }
    }

    files! {
        out:
            manifest => "manifest.json",
            recipe => "recipe.toml",
            sources => "sources.jsonl",
            signatures => "documents.signatures",
            kept => "kept",
            clusters => "clusters.parquet",
            pairs => "pairs.parquet";
        work:
            ranks => "ranks",
            sites => "sites",
            parts => "parts",
            copies => "copies",
            groups => "groups",
            shingles => "shingles",
            set_starts => "set-starts",
            judged_pairs => "pairs",
            keepers => "keepers",
            sorting => "sorting";
    }
}
