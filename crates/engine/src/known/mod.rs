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
//! **What takes part**: a document of a run that has no key and no fingerprint of a new one can be
//! nobody's keeper, and is not taken over (`partners`). Of a million known documents this leaves a
//! few, and of the others costs one look at their signatures.
//!
//! **Rows** of known documents come after those of the new, so that the rows of the new are what they
//! would be without; **places** come before. Signatures, sources and addresses of both sides are in the same
//! files of the run, so that whatever asks for a row finds it.
//!
//! **Texts** of a known run are read again where verification needs them, from its own inputs, which
//! must not have changed: of those that share a key with a new document, or its public fingerprint. A
//! fingerprint that anyone can compute proves nothing, and the identity under the key of that run is
//! gone with the key. Templates are learned of the new side only, so that recipes which leave them
//! out are refused.

mod carry;
mod identities;
mod partners;
pub(crate) mod summary;

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use lookalike_core::Recipe;
use lookalike_corpus::{Format, Tables};

use self::partners::Partners;
use self::summary::{KnownKind, SideSummary};
use crate::error::{Error, ErrorKind, Result};
use crate::inputs::Inputs;
use crate::run::Run;
use crate::sign::{Signing, Sink, TakesKnown};
use crate::signature_file::is_signature_file;

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

    /// The run that it is, if it is one.
    fn run(&self) -> Option<&Run> {
        let Self::Run(_, run) = self else { return None };
        Some(run)
    }

    /// As it was named.
    fn name(&self) -> String {
        match self {
            Self::Run(path, _) => path.display().to_string(),
            Self::Input(name) => name.clone(),
            Self::Tables(_) => TABLES.to_owned(),
        }
    }

    /// Which documents they are, for a job that goes on: a run is known by its identity, inputs by
    /// their names.
    pub(crate) fn identity(&self) -> String {
        let job = self.run().and_then(|run| run.manifest.job);
        match job {
            Some(job) => format!("{} ({})", self.name(), String::from(job)),
            None => self.name(),
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
        self.run().map(|run| Ok(run.survivors()?.count().len())).transpose()
    }
}

/// All sides of a job.
pub(crate) struct KnownSides<'a>(pub(crate) &'a [KnownSide]);

impl TakesKnown for KnownSides<'_> {
    fn sign(&self, signing: &Signing<'_>, sink: &mut Sink<'_>) -> Result<()> {
        let runs: Vec<_> = self.0.iter().filter_map(KnownSide::run).collect();
        let partners = Partners::find(&runs, signing, sink)?;
        sink.taken(&partners.rows)?;
        let mut of_runs = partners.runs.iter();
        for side in self.0 {
            let mut summary = SideSummary {
                name: side.name(),
                kind: KnownKind::Documents,
                documents: 0,
                rows: 0,
            };
            if let Some((run, at)) = side.run().and_then(|run| Some((run, of_runs.next()?))) {
                (summary.kind, summary.documents) = (KnownKind::Run, at.stayed);
                sink.begin_known(summary)?;
                carry::carry(run, at, &partners, sink)?;
            } else {
                sink.begin_known(summary)?;
                signing.sign_known(side.inputs(signing.inputs.format), sink)?;
            }
        }
        Ok(())
    }
}

/// Whether a folder is that of an index, by the first bytes of its header.
fn is_index(folder: &Path) -> bool {
    let mut magic = [0; 8];
    let header = File::open(folder.join("index"));
    header.and_then(|mut file| file.read_exact(&mut magic)).is_ok() && magic == *b"LOOKINDX"
}
