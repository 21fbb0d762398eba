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
//! a run     the documents that its own decision left: signatures as they are stored, never made again
//! an index  its documents, of which it stores the texts
//! inputs    any that a job takes: signed as new ones are
//! ```
//!
//! The known side of a known run is not known by that: to know `b`, which was made with `--known a`,
//! and `a`, both are named.
//!
//! **What takes part**: a document of a run or index that has no key and no fingerprint of a new one can be
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
mod shelves;
pub(crate) mod summary;

use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};

use lookalike_core::{OpenShelf, Recipe};
use lookalike_corpus::{Format, Tables};

use self::partners::{Partners, Signed};
use self::shelves::KnownIndex;
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
    /// What is in an index.
    Index(KnownIndex),
    /// A file, folder or glob of documents.
    Input(String),
    /// Tables in memory.
    Tables(Tables),
}

/// The known sides of a job, as they are given.
#[derive(Clone, Copy)]
pub(crate) struct Named<'a> {
    pub(crate) names: &'a [String],
    pub(crate) tables: &'a Tables,
    /// What opens indexes, if the program has any.
    pub(crate) indexes: Option<OpenShelf>,
}

/// The name of tables in memory.
const TABLES: &str = "table";

impl KnownSide {
    /// The sides of these names and tables.
    ///
    /// # Errors
    /// If a run is not finished, or is none whose documents can be known.
    pub(crate) fn open(given: Named<'_>, recipe: &Recipe) -> Result<Vec<Self>> {
        let Named { names, tables, indexes } = given;
        let named = names.iter().map(|name| Self::named(name, recipe, indexes));
        let tables = (!tables.is_empty()).then(|| Ok(Self::Tables(tables.clone())));
        let sides: Vec<Self> = named.chain(tables).collect::<Result<_>>()?;
        if !sides.is_empty() && recipe.templates.are_learned() {
            return Err(Error::from(ErrorKind::KnownTemplates(recipe.name.clone())));
        }
        Ok(sides)
    }

    fn named(name: &str, recipe: &Recipe, indexes: Option<OpenShelf>) -> Result<Self> {
        let path = Path::new(name);
        if path.is_file() && is_signature_file(path).unwrap_or(false) {
            let (path, option) = (path.to_owned(), "to be known".to_owned());
            return Err(Error::from(ErrorKind::NeedsDocuments { path, option }));
        }
        if is_index(path) {
            let Some(open) = indexes else {
                let fault = "is an index, which this program does not open".to_owned();
                return Err(Error::from(ErrorKind::KnownIndex { path: path.to_owned(), fault }));
            };
            return Ok(Self::Index(KnownIndex::find(path, open, recipe)?));
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

    /// The run or index that it is, if it is one.
    fn signed(&self) -> Option<Signed<'_>> {
        match self {
            Self::Run(_, run) => Some(Signed::Run(run)),
            Self::Index(index) => Some(Signed::Index(index)),
            Self::Input(_) | Self::Tables(_) => None,
        }
    }

    /// As it was named.
    fn name(&self) -> String {
        match self {
            Self::Run(path, _) => path.display().to_string(),
            Self::Index(index) => index.folder.display().to_string(),
            Self::Input(name) => name.clone(),
            Self::Tables(_) => TABLES.to_owned(),
        }
    }

    /// Which documents they are, for a job that goes on: a run is known by its identity, an index by its
    /// state, inputs by their names.
    pub(crate) fn identity(&self) -> String {
        let which = match self.signed() {
            Some(Signed::Run(run)) => run.manifest.job.map(String::from),
            Some(Signed::Index(index)) => Some(index.state.clone()),
            None => None,
        };
        which.map_or_else(|| self.name(), |which| format!("{} ({which})", self.name()))
    }

    /// What is read of it; of a run or an index nothing.
    pub(crate) fn inputs(&self, format: Option<Format>) -> Inputs<'_> {
        let (names, tables) = match self {
            Self::Run(..) | Self::Index(_) => (&[][..], None),
            Self::Input(name) => (std::slice::from_ref(name), None),
            Self::Tables(tables) => (&[][..], Some(tables)),
        };
        Inputs { names, format, tables }
    }

    /// How many documents it has, if that can be told without reading them.
    pub(crate) fn documents(&self) -> Result<Option<u64>> {
        Ok(match self.signed() {
            Some(Signed::Run(run)) => Some(run.survivors()?.count().len()),
            Some(Signed::Index(index)) => Some(index.documents),
            None => None,
        })
    }
}

/// All sides of a job.
pub(crate) struct KnownSides<'a>(pub(crate) &'a [KnownSide]);

impl TakesKnown for KnownSides<'_> {
    fn sign(&self, signing: &Signing<'_>, sink: &mut Sink<'_>) -> Result<()> {
        let signed: Vec<_> = self.0.iter().filter_map(KnownSide::signed).collect();
        let partners = Partners::find(&signed, signing, sink)?;
        sink.taken(&partners.rows)?;
        let (mut at, mut indexes) = (partners.sides.iter(), 0);
        for side in self.0 {
            let signed = side.signed().and_then(|signed| Some((signed, at.next()?)));
            let (kind, documents) = match signed {
                Some((Signed::Run(_), at)) => (KnownKind::Run, at.documents),
                Some((Signed::Index(_), at)) => (KnownKind::Index, at.documents),
                None => (KnownKind::Documents, 0),
            };
            let summary = SideSummary { name: side.name(), kind, documents, rows: 0 };
            let own = shelves::fields_of(signing.means.recipe);
            let fields = if kind == KnownKind::Index { &own } else { &signing.means.read.fields };
            sink.begin_known(summary, fields)?;
            match signed {
                Some((Signed::Run(run), at)) => carry::carry(run, at, &partners, sink)?,
                Some((Signed::Index(index), at)) => {
                    indexes += 1;
                    let path = signing.means.files.of_known_index(indexes);
                    let first = at.rows.start;
                    let is_taken = |number| partners.rows.contains(first.after(number));
                    index.take(is_taken, &path, signing, sink)?;
                }
                None => signing.sign_known(side.inputs(signing.inputs.format), sink)?,
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
