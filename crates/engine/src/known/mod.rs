//! The known side of a job: documents that are there already, and stay.
//!
//! What is decided is this. Known documents are never written and never removed, and nothing is
//! decided among them: two of them that look alike both stay. A new document goes if it is verified to
//! look like a known one, or like a new one that stays. In the order of places all known documents
//! come first, in the order of the sides as they were named and within one in the order of its
//! documents; the new ones follow in the order of the keep policy. So the answer is that of
//! `anchored` for known and new documents together, the known ones first, but that no known one goes.
//! `components` has no such answer: a cluster may have several known documents, none of which may go,
//! and no one of them stands for the others.
//!
//! ```text
//! a run    the documents that its own decision left: signatures as they are stored, never made again
//! inputs   any that a job takes: signed as new ones are
//! ```
//!
//! The known side of a known run is not known by that: to know `b`, which was made with `--known a`,
//! and `a`, both are named.
//!
//! **Rows** of known documents come after those of the new, so that the rows of the new are what they
//! would be without; **places** come before. Signatures, sources and addresses of both sides are in the same
//! files of the run, so that whatever asks for a row finds it. That takes the disk of a signature,
//! about a hundred bytes, for each known document.
//!
//! **Texts** of a known run are read again where verification needs them, from its own inputs, which must not
//! have changed: for documents that share a key with a new one, and for those that have the
//! public fingerprint of one. A fingerprint that anyone can compute proves nothing, and the identity under
//! the key of that run is gone with the key. Templates are learned of the new side only, so that recipes which leave them
//! out are refused.

mod carry;
mod identities;
pub(crate) mod summary;

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use lookalike_core::Recipe;
use lookalike_corpus::{Format, Tables};

use self::summary::{KnownKind, SideSummary};
use crate::error::{Error, ErrorKind, Result};
use crate::inputs::Inputs;
use crate::places::{Row, Sides};
use crate::run::Run;
use crate::sign::{Signing, Sink, TakesKnown};
use crate::signature_file::is_signature_file;
use crate::sources::SourceTable;

/// A side of known documents, as it is given.
pub(crate) enum KnownSide {
    /// What stayed in a run.
    Run(PathBuf, Box<Run>),
    /// A file, folder or glob of documents.
    Input(String),
    /// Tables in memory.
    Tables(Tables),
}

/// The name of tables in memory.
const TABLES: &str = "table";

impl KnownSide {
    /// The sides of these names and tables.
    ///
    /// # Errors
    /// If a run is not finished, or is none whose documents can be known.
    pub(crate) fn open(names: &[String], tables: &Tables, recipe: &Recipe) -> Result<Vec<Self>> {
        let named = names.iter().map(|name| Self::named(name, recipe));
        let tables = (!tables.is_empty()).then(|| Ok(Self::Tables(tables.clone())));
        let sides: Vec<Self> = named.chain(tables).collect::<Result<_>>()?;
        if !sides.is_empty() && recipe.templates.are_learned() {
            return Err(Error::from(ErrorKind::KnownTemplates(recipe.name.clone())));
        }
        Ok(sides)
    }

    fn named(name: &str, recipe: &Recipe) -> Result<Self> {
        let path = Path::new(name);
        if path.is_file() && is_signature_file(path).unwrap_or(false) {
            let (path, option) = (path.to_owned(), "to be known".to_owned());
            return Err(Error::from(ErrorKind::NeedsDocuments { path, option }));
        }
        if is_index(path) {
            return Err(Error::from(ErrorKind::KnownIndex(path.to_owned())));
        }
        if !Run::is_at(path) {
            return Ok(Self::Input(name.to_owned()));
        }
        let run = Run::open(path)?;
        let refused =
            |fault: String| Err(Error::from(ErrorKind::KnownRun { path: path.to_owned(), fault }));
        if let Err(fault) = recipe.check_same_bits(run.recipe()) {
            return refused(format!("its signatures are not of the recipe of this job: {fault}"));
        }
        if !run.manifest.option("passages").is_empty() {
            return refused("it cut passages, so that what it kept is not what it signed".into());
        }
        if !run.has_inputs() {
            return refused("it was made from signatures, which nothing can be verified by".into());
        }
        if let Err(fault) = run.sources().check_new_unchanged() {
            return match fault.kind() {
                ErrorKind::InputChanged(input) => {
                    refused(format!("its input `{}` has changed since", input.display()))
                }
                _ => Err(fault),
            };
        }
        Ok(Self::Run(path.to_owned(), Box::new(run)))
    }

    /// Which documents they are, for a job that goes on: a run is known by its identity, inputs by
    /// their names.
    pub(crate) fn identity(&self) -> String {
        match self {
            Self::Run(path, run) => match &run.manifest.job {
                Some(job) => format!("{} ({})", path.display(), String::from(*job)),
                None => path.display().to_string(),
            },
            Self::Input(name) => name.clone(),
            Self::Tables(_) => TABLES.to_owned(),
        }
    }

    /// What is read of it; of a run nothing.
    pub(crate) fn inputs(&self, format: Option<Format>) -> Inputs<'_> {
        let (names, tables) = match self {
            Self::Run(..) => (&[][..], None),
            Self::Input(name) => (std::slice::from_ref(name), None),
            Self::Tables(tables) => (&[][..], Some(tables)),
        };
        Inputs { names, format, tables }
    }

    /// How many documents it has, if that can be told without reading them.
    pub(crate) fn documents(&self) -> Result<Option<u64>> {
        let Self::Run(_, run) = self else { return Ok(None) };
        Ok(Some(run.survivors()?.count().len()))
    }
}

impl TakesKnown for KnownSide {
    fn summary(&self) -> SideSummary {
        let (name, kind) = match self {
            Self::Run(path, _) => (path.display().to_string(), KnownKind::Run),
            Self::Input(name) => (name.clone(), KnownKind::Documents),
            Self::Tables(_) => (TABLES.to_owned(), KnownKind::Documents),
        };
        SideSummary { name, kind, documents: 0 }
    }

    fn sign(&self, signing: &Signing<'_>, sink: &mut Sink<'_>) -> Result<()> {
        match self {
            Self::Run(_, run) => carry::carry(run, sink),
            _ => signing.sign_known(self.inputs(signing.inputs.format), sink),
        }
    }
}

/// Whether a folder is that of an index, by the first bytes of its header.
fn is_index(folder: &Path) -> bool {
    let mut magic = [0; 8];
    let header = File::open(folder.join("index"));
    header.and_then(|mut file| file.read_exact(&mut magic)).is_ok() && magic == *b"LOOKINDX"
}

/// Known documents whose signatures were carried over from runs.
pub(crate) struct Carried<'a> {
    pub(crate) sources: &'a SourceTable,
    sides: Sides,
    known: &'a [SideSummary],
}

impl<'a> Carried<'a> {
    /// Those of these sides; `None` if there are none.
    pub(crate) fn of(
        sources: &'a SourceTable,
        sides: Sides,
        known: &'a [SideSummary],
    ) -> Option<Self> {
        let any = known.iter().any(|side| side.kind == KnownKind::Run && side.documents > 0);
        any.then_some(Self { sources, sides, known })
    }

    /// Whether the document of a row is one of them.
    pub(crate) fn has(&self, row: Row) -> bool {
        let mut end = self.sides.new;
        if u64::from(row) < end {
            return false;
        }
        let side = self.known.iter().find(|side| {
            end += side.documents;
            u64::from(row) < end
        });
        side.is_some_and(|side| side.kind == KnownKind::Run)
    }
}
