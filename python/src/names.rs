//! Names of which there are few: strings in Python, whose types say which.

use std::convert::Infallible;

use lookalike_core::SiteRule;
use lookalike_core::recipe::Verify;
use lookalike_core::text::Unit;
use lookalike_engine::mirrors::MirrorKind;
use lookalike_engine::report::Kind;
use lookalike_index::{ContentKind, MatchKind};
use pyo3::prelude::*;
use pyo3::types::PyString;

/// What became of a document.
#[derive(Clone, Copy)]
pub(crate) enum FateKind {
    Alone,
    Kept,
    Beside,
    Removed,
    Gone,
}

impl FateKind {
    const fn name(self) -> &'static str {
        match self {
            Self::Alone => "alone",
            Self::Kept => "kept",
            Self::Beside => "beside",
            Self::Removed => "removed",
            Self::Gone => "gone",
        }
    }
}

/// The name that a value has in Python.
macro_rules! named {
    ($name:ident, $of:ty, [$($value:ident),*]) => {
        #[derive(Clone, Copy, PartialEq, Eq)]
        pub(crate) struct $name(pub(crate) &'static str);

        impl From<$of> for $name {
            fn from(value: $of) -> Self {
                // A match, so that a value which the list lacks is an error of the compiler.
                Self(match value { $(<$of>::$value => <$of>::$value.name()),* })
            }
        }

        impl<'py> IntoPyObject<'py> for $name {
            type Target = PyString;
            type Output = Bound<'py, PyString>;
            type Error = Infallible;

            #[cfg(feature = "stubs")]
            const OUTPUT_TYPE: pyo3::inspect::PyStaticExpr = pyo3::type_hint_subscript!(
                pyo3::type_hint_identifier!("typing", "Literal"),
                $(pyo3::inspect::PyStaticExpr::Constant {
                    value: pyo3::inspect::PyStaticConstant::Str(<$of>::$value.name()),
                }),*
            );

            fn into_pyobject(self, py: Python<'py>) -> Result<Self::Output, Self::Error> {
                self.0.into_pyobject(py)
            }
        }
    };
}

named!(VerifyName, Verify, [Exact, Estimate, Difference, None]);
named!(SiteRuleName, SiteRule, [Label, PublicSuffix]);
named!(UnitName, Unit, [Words, Characters, Lines, Sentences, Paragraphs, Items]);
named!(MatchKindName, MatchKind, [Exact, Near]);
named!(KindName, Kind, [Exact, Near]);
named!(MirrorKindName, MirrorKind, [Host, Prefix]);
named!(FateName, FateKind, [Alone, Kept, Beside, Removed, Gone]);
named!(ContentKindName, ContentKind, [Text, Html, Items]);
