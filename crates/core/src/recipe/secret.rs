//! Random choices that nobody else can foresee.
//!
//! Recipes are public, and so are the choices that follow from their seeds: somebody who wants a page to be
//! taken for another one, or a copy not to be found, could use that. Drawn from a secret, they cannot be
//! foreseen. A recipe file has a check value in place of the secret, by which the right one is known again.

use sha2::{Digest as _, Sha256};

use crate::error::{Error, ErrorKind, Result};

/// That a recipe's random choices are drawn from a secret.
#[derive(Clone)]
pub struct SecretSeed {
    check_value: [u8; 32],
    /// Not where the recipe was read from a file.
    secret: Option<[u8; 32]>,
}

/// The secret is in no message.
impl std::fmt::Debug for SecretSeed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "SecretSeed({self})")
    }
}

/// Whether it is the same secret, known or not.
impl PartialEq for SecretSeed {
    fn eq(&self, other: &Self) -> bool {
        self.check_value == other.check_value
    }
}

impl Eq for SecretSeed {}

/// The check value in hexadecimal digits.
impl std::fmt::Display for SecretSeed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.check_value.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl SecretSeed {
    /// Of this secret.
    pub fn new(secret: &[u8; 32]) -> Self {
        let check_value = derived(secret, "lookalike index, check value\0", &[]);
        Self { check_value, secret: Some(*secret) }
    }

    /// By which the secret is known again.
    pub fn check_value(&self) -> [u8; 32] {
        self.check_value
    }

    /// What random choices are drawn from instead of a recipe's seed.
    ///
    /// # Errors
    /// If the secret is not known.
    pub(super) fn drawn_from(&self, seed: u64) -> Result<u64> {
        let secret = self.secret.as_ref().ok_or_else(|| Error::from(ErrorKind::SecretMissing))?;
        let bytes = derived(secret, "lookalike index, seed\0", &seed.to_le_bytes());
        let (first, _) = bytes.split_first_chunk().expect("32 bytes are more than eight");
        // Seeds have 63 bits.
        Ok(u64::from_le_bytes(*first) >> 1)
    }

    /// From the digits of a check value, without the secret.
    pub(super) fn from_digits(digits: &str) -> Result<Self> {
        let pairs = digits.as_bytes().as_chunks::<2>().0.iter();
        let bytes = pairs.map(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok());
        let bytes: Option<Vec<u8>> = bytes.collect();
        let bytes = bytes.filter(|_| digits.len() == 64 && !digits.contains('+'));
        let check_value = bytes.and_then(|bytes| bytes.try_into().ok());
        let wrong =
            || Error::parameter("secret", format_args!("`{digits}`"), "64 hexadecimal digits");
        Ok(Self { check_value: check_value.ok_or_else(wrong)?, secret: None })
    }
}

fn derived(secret: &[u8; 32], purpose: &str, more: &[u8]) -> [u8; 32] {
    let mut hash = Sha256::new();
    hash.update(purpose.as_bytes());
    hash.update(secret);
    hash.update(more);
    hash.finalize().into()
}
