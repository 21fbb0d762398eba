//! Copies and look-alikes, which are told apart and counted apart.

use serde::Serialize;

/// How a match resembles the document that was asked about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[cfg_attr(feature = "openapi", derive(utoipa::ToSchema), schema(as = Kind))]
#[serde(rename_all = "lowercase")]
pub enum MatchKind {
    /// The same words in the same order.
    Exact,
    /// Roughly the same.
    Near,
}

impl MatchKind {
    /// Its name in answers.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Near => "near",
        }
    }
}
