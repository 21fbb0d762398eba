//! Where a recipe's random choices come from: its seed, or a secret.

use super::{Recipe, SecretSeed};
use crate::error::{Error, ErrorKind, Result};

impl Recipe {
    /// The recipe, whose random choices are drawn from a secret.
    ///
    /// # Errors
    /// If its file says that it was another one.
    pub fn with_secret(mut self, secret: &[u8; 32]) -> Result<Self> {
        let seed = SecretSeed::new(secret);
        if self.secret.as_ref().is_some_and(|given| *given != seed) {
            return Err(Error::from(ErrorKind::SecretWrong));
        }
        self.secret = Some(seed);
        Ok(self)
    }

    /// The recipe without its secret: exact fingerprints and shingles are the same, and all that is drawn at random
    /// is not.
    #[must_use]
    pub fn without_secret(&self) -> Self {
        Self { secret: None, ..self.clone() }
    }

    /// From which random choices are drawn.
    pub(crate) fn random_seed(&self) -> Result<u64> {
        self.secret.as_ref().map_or(Ok(self.seed), |secret| secret.drawn_from(self.seed))
    }
}
