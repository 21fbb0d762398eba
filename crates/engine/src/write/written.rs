//! What is written of the documents: which of them, how often, and with what added.

use std::fmt;
use std::str::FromStr;

use lookalike_corpus::{Format, Source};

use crate::error::{Error, ErrorKind, Result};

/// Which documents are written again, in the inputs' own format.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Written {
    /// Those that stay, to `kept/`.
    #[default]
    Kept,
    /// All of them, to `all/`: for those who want to see what was decided beside each.
    All,
    /// Those that go, to `removed/`.
    Removed,
    /// None: only the decision is written.
    Nothing,
}

impl Written {
    /// All there are.
    pub const ALL: [Self; 4] = [Self::Kept, Self::All, Self::Removed, Self::Nothing];

    /// Its name on the command line; but for the last, that of the folder, too.
    pub fn name(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::All => "all",
            Self::Removed => "removed",
            Self::Nothing => "none",
        }
    }
}

/// How often a document is written, by how many documents it stands for: `1:1,2:2,10:3` is once, from
/// two copies on twice, and from ten on three times.
///
/// No document is written less than once: it would be lost with all its copies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Repeats {
    /// Least copies, and how often it is written then. Ascending.
    steps: Vec<[u32; 2]>,
}

impl Repeats {
    /// The most times that a document is written.
    pub const MOST: u32 = 1000;

    /// How often a document is written that stands for so many.
    pub fn times(&self, copies: u32) -> u32 {
        let before = self.steps.partition_point(|[least, _]| *least <= copies);
        before.checked_sub(1).map_or(1, |at| self.steps[at][1])
    }
}

impl FromStr for Repeats {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let refused = |reason: String| Err(Error::from(ErrorKind::Repeats(reason)));
        let mut steps: Vec<[u32; 2]> = Vec::new();
        for step in text.split(',') {
            let numbers = step.split_once(':').and_then(|(least, times)| {
                Some([least.trim().parse().ok()?, times.trim().parse().ok()?])
            });
            let Some([least, times]) = numbers else {
                return refused(format!("`{step}` is not COPIES:TIMES, as in 10:3"));
            };
            if least == 0 || steps.last().is_some_and(|[before, _]| *before >= least) {
                return refused(format!("`{step}`: copies must be at least 1, and ascend"));
            }
            if !(1..=Self::MOST).contains(&times) {
                let most = Self::MOST;
                return refused(format!("`{step}`: times must be from 1 to {most}"));
            }
            steps.push([least, times]);
        }
        Ok(Self { steps })
    }
}

impl fmt::Display for Repeats {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let steps = self.steps.iter().map(|[least, times]| format!("{least}:{times}"));
        f.write_str(&steps.collect::<Vec<_>>().join(","))
    }
}

/// What a job is asked to write.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Writing {
    pub(crate) documents: Written,
    /// Whether each record says what was found out of it.
    pub(crate) annotates: bool,
    /// What is added is called this, or in it.
    pub(crate) name: String,
    pub(crate) repeats: Option<Repeats>,
    /// Whether it is written down how often a record counts, instead of writing it so often.
    pub(crate) weighs: bool,
    /// Whether a record of a web archive that goes leaves another that says whom it resembles.
    pub(crate) revisits: bool,
}

impl Default for Writing {
    fn default() -> Self {
        Self {
            documents: Written::Kept,
            annotates: false,
            name: "lookalike".to_owned(),
            repeats: None,
            weighs: false,
            revisits: false,
        }
    }
}

impl Writing {
    /// Whether anything is added to records.
    pub(crate) fn adds(&self) -> bool {
        self.annotates || self.weighs
    }

    /// Whether records are written more than once.
    pub(crate) fn repeats(&self) -> bool {
        self.repeats.is_some() && !self.weighs
    }

    /// What results depend on, as far as it is not usual.
    pub(crate) fn request(&self) -> impl Iterator<Item = (String, String)> {
        let written = self.documents;
        let is_usual = matches!(written, Written::Kept | Written::Nothing);
        let name = || self.name.clone();
        let options = [
            ("write", (!is_usual).then(|| written.name().to_owned())),
            ("annotate", self.annotates.then(name)),
            ("repeat", self.repeats.as_ref().map(Repeats::to_string)),
            ("weight", self.weighs.then(name)),
            ("write-revisits", self.revisits.then(|| "true".to_owned())),
        ];
        options.into_iter().filter_map(|(option, value)| Some((option.to_owned(), value?)))
    }

    /// Fails if documents of a source cannot be written as often as they should be.
    pub(crate) fn check_source(&self, source: &Source) -> Result<()> {
        if self.repeats() && !has_fields(source.format()) {
            return Err(Error::from(ErrorKind::Once(source.path().to_owned())));
        }
        Ok(())
    }

    /// Fails if it says what cannot be.
    pub(crate) fn check(&self) -> Result<()> {
        let refused = |reason: &str| Err(Error::from(ErrorKind::Writing(reason.to_owned())));
        if self.documents == Written::All && !self.adds() {
            return refused(
                "all documents as they are would be the inputs again\n\
                 hint: `--annotate` adds what was decided of each",
            );
        }
        if self.documents == Written::Nothing && (self.adds() || self.repeats.is_some()) {
            return refused(
                "no documents are written, so none can be annotated or repeated\n\
                 hint: `--write all` writes them",
            );
        }
        if self.repeats() && self.documents != Written::Kept {
            return refused(
                "only documents that stay are written more than once\n\
                 hint: `--weight` writes down how often each counts",
            );
        }
        if self.revisits && self.documents != Written::Kept {
            return refused("--write-revisits is for the documents that stay, `--write kept`");
        }
        if self.weighs && self.repeats.is_none() {
            return refused("--weight needs the copies and weights of `--repeat`, as in 1:1,10:3");
        }
        if self.adds() && (self.name.is_empty() || self.name.contains('.')) {
            return refused("--annotate-as must be a name without dots");
        }
        Ok(())
    }
}

/// Whether records of this format have fields.
pub(crate) fn has_fields(format: Format) -> bool {
    use Format::{Arrow, Csv, JsonLines, Parquet, Tsv};
    matches!(format, JsonLines | Csv | Tsv | Parquet | Arrow)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn repeats_are_steps() {
        let repeats: Repeats = "2:2, 10:3".parse().unwrap();
        let times = [0, 1, 2, 9, 10, u32::MAX].map(|copies| repeats.times(copies));
        assert_eq!((times, repeats.to_string()), ([1, 1, 2, 2, 3, 3], "2:2,10:3".to_owned()));
        for wrong in
            ["", "2", "2:", ":2", "a:1", "0:1", "1:0", "1:1001", "2:1,2:2", "3:1,2:2", "1:1,"]
        {
            assert!(wrong.parse::<Repeats>().is_err(), "{wrong}");
        }
    }
}
