//! Errors as exceptions: the classes of `lookalike/errors.py`, each with the name of its kind.

use std::fmt::{Debug, Display};
use std::path::Path;

use lookalike_core as core;
use lookalike_corpus as corpus;
use lookalike_engine as engine;
use lookalike_eval as eval;
use lookalike_files as files;
use lookalike_index as index;
use pyo3::prelude::*;

mod classes {
    pyo3::import_exception!(lookalike.errors, CorruptionError);
    pyo3::import_exception!(lookalike.errors, Error);
    pyo3::import_exception!(lookalike.errors, ExistsError);
    pyo3::import_exception!(lookalike.errors, InputError);
    pyo3::import_exception!(lookalike.errors, IoError);
    pyo3::import_exception!(lookalike.errors, MismatchError);
    pyo3::import_exception!(lookalike.errors, ParameterError);
    pyo3::import_exception!(lookalike.errors, RemovalError);
}

/// A library's error as an exception.
pub(crate) trait Raise<T> {
    fn raise(self) -> PyResult<T>;
}

impl<T, E: ErrorClass> Raise<T> for Result<T, E> {
    fn raise(self) -> PyResult<T> {
        self.map_err(|error| error.exception())
    }
}

/// An error that has a class.
pub(crate) trait ErrorClass {
    fn exception(&self) -> PyErr;
}

/// A parameter that makes no sense.
pub(crate) fn parameter(message: impl Into<String>) -> PyErr {
    classes::ParameterError::new_err((message.into(), "Parameter"))
}

/// A file that cannot be read.
pub(crate) fn io(path: &Path, source: &std::io::Error) -> PyErr {
    system(&format_args!("`{}`: cannot be read: {source}", path.display()), source)
}

/// The name of a kind: what it is called in Rust.
fn name(kind: &impl Debug) -> String {
    let text = format!("{kind:?}");
    text.split(|c: char| !c.is_alphanumeric()).next().unwrap_or_default().to_owned()
}

macro_rules! raised {
    ($class:ident, $error:expr) => {
        classes::$class::new_err(($error.to_string(), name($error.kind())))
    };
}

fn system(error: &impl Display, source: &std::io::Error) -> PyErr {
    classes::IoError::new_err((error.to_string(), "Io", source.raw_os_error()))
}

impl ErrorClass for core::Error {
    fn exception(&self) -> PyErr {
        match self.kind() {
            core::ErrorKind::Mismatch { .. } => raised!(MismatchError, self),
            _ => raised!(ParameterError, self),
        }
    }
}

impl ErrorClass for files::Error {
    fn exception(&self) -> PyErr {
        use files::ErrorKind as Kind;
        match self.kind() {
            Kind::Io { source, .. } => system(self, source),
            Kind::Corruption { .. } | Kind::Version { .. } => raised!(CorruptionError, self),
            Kind::Exists(_) | Kind::Busy(_) => raised!(ExistsError, self),
            _ => raised!(ParameterError, self),
        }
    }
}

impl ErrorClass for corpus::Error {
    fn exception(&self) -> PyErr {
        use corpus::ErrorKind as Kind;
        match self.kind() {
            Kind::File(source) => source.exception(),
            _ => raised!(InputError, self),
        }
    }
}

impl ErrorClass for engine::Error {
    fn exception(&self) -> PyErr {
        use engine::ErrorKind as Kind;
        match self.kind() {
            Kind::File(source) => source.exception(),
            Kind::Input(source) => source.exception(),
            Kind::BadRecipe(source) => source.exception(),
            Kind::KeepPolicy(fault) => parameter(fault),
            Kind::Record { .. } => raised!(InputError, self),
            Kind::RunExists(_) | Kind::FolderInUse(_) => raised!(ExistsError, self),
            Kind::InputChanged(_)
            | Kind::DocumentsMissing { .. }
            | Kind::DocumentChanged { .. }
            | Kind::OtherRequest { .. } => raised!(MismatchError, self),
            Kind::RemovesTooMuch { .. }
            | Kind::RemovesTooMuchOf { .. }
            | Kind::CutsTooMuch { .. } => {
                raised!(RemovalError, self)
            }
            Kind::Interrupted => pyo3::exceptions::PyKeyboardInterrupt::new_err(self.to_string()),
            _ => raised!(ParameterError, self),
        }
    }
}

impl ErrorClass for eval::Error {
    fn exception(&self) -> PyErr {
        match self.kind() {
            eval::ErrorKind::Engine(source) => source.exception(),
            eval::ErrorKind::Recipes(_) | eval::ErrorKind::OneJudge => {
                raised!(ParameterError, self)
            }
            _ => raised!(InputError, self),
        }
    }
}

impl ErrorClass for index::Error {
    fn exception(&self) -> PyErr {
        use index::ErrorKind as Kind;
        match self.kind() {
            Kind::File(source) => source.exception(),
            Kind::Stopped(_) => raised!(IoError, self),
            Kind::Corruption { .. } | Kind::Version { .. } => raised!(CorruptionError, self),
            Kind::Recipe(source) => source.exception(),
            Kind::Exists(_) | Kind::InUse(_) => raised!(ExistsError, self),
            Kind::SecretMissing(_) | Kind::SecretWrong(_) | Kind::OtherSignature { .. } => {
                raised!(MismatchError, self)
            }
            _ => raised!(ParameterError, self),
        }
    }
}
