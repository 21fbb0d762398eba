//! 128 bits that no other job has: which job it is, and what it verifies documents under.

use std::fmt;

use lookalike_core::random_bytes;
use serde::{Deserialize, Serialize};

use crate::error::{ErrorKind, Result};

/// 128 random bits, drawn when a job begins and kept in its manifest as hexadecimal digits.
#[derive(Clone, Copy, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub(crate) struct RandomBits(pub(crate) [u8; 16]);

impl RandomBits {
    pub(crate) fn draw() -> Result<Self> {
        Ok(Self(random_bytes().map_err(ErrorKind::NoRandomness)?))
    }
}

/// They may be a secret.
impl fmt::Debug for RandomBits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RandomBits(..)")
    }
}

impl From<RandomBits> for String {
    fn from(bits: RandomBits) -> Self {
        format!("{:032x}", u128::from_be_bytes(bits.0))
    }
}

impl TryFrom<String> for RandomBits {
    type Error = &'static str;

    fn try_from(text: String) -> std::result::Result<Self, &'static str> {
        let number = (text.len() == 32).then(|| u128::from_str_radix(&text, 16).ok()).flatten();
        Ok(Self(number.ok_or("128 bits are 32 hexadecimal digits")?.to_be_bytes()))
    }
}
