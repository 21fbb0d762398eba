//! Which job it is.

use std::fmt;

use lookalike_core::random_bytes;
use serde::{Deserialize, Serialize};

use crate::error::{Error, ErrorKind, Result};

/// The identity of a job: 128 random bits, drawn when it begins and kept in its manifest.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub(crate) struct JobId(pub(crate) [u8; 16]);

impl JobId {
    /// One that no other job has.
    pub(crate) fn draw() -> Result<Self> {
        random_bytes().map(Self).map_err(|source| Error::new(ErrorKind::NoRandomness(source)))
    }
}

impl fmt::Display for JobId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl From<JobId> for String {
    fn from(id: JobId) -> Self {
        id.to_string()
    }
}

impl TryFrom<String> for JobId {
    type Error = String;

    fn try_from(text: String) -> std::result::Result<Self, String> {
        let number = (text.len() == 32).then(|| u128::from_str_radix(&text, 16).ok()).flatten();
        let number = number.ok_or_else(|| format!("`{text}` is not the identity of a job"))?;
        Ok(Self(number.to_be_bytes()))
    }
}
