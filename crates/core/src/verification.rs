//! The verification key: what decides cannot be forged by who does not know it.
//!
//! Tokens, shingles and exact fingerprints are public functions, and linear
//! ones: anyone can write words of given tokens. They propose candidates. What
//! makes a pair or an identity set of these is made of *codes* instead, under a
//! key that is drawn for a job or an index and that nobody else knows:
//!
//! 1. The code of a word is injective for up to seven bytes, and else its
//!    CBC-MAC under AES-128 ([`lookalike_kernels::keyed`]).
//! 2. An identity is the fingerprint of the sequence of codes modulo a polynomial
//!    that is drawn with the key, and half of the public fingerprint, encrypted
//!    together. Two sequences of n codes agree with a probability of at most
//!    n / 2^58, even if the public ones were made to agree.
//! 3. The elements of a shingle set are windows of encrypted codes, fingerprinted
//!    modulo the polynomial that was drawn: w / 2^58 for two of them.
//!
//! Resemblance is a count of equal elements, so no result depends on the key;
//! tests compare results under several. Who can read the key, or the working
//! files of a job while it runs, can forge.

use std::sync::Arc;

use lookalike_kernels::keyed::{BEHIND, LongWord, SHORT, long_code};
use lookalike_kernels::rabin::{Rabin, TOKENS, is_irreducible};
use lookalike_kernels::{Aes, Kernel};

use crate::random::random_bytes;

/// What a word is verified by.
pub type Code = u64;

/// The secret of one job or index. Copies are cheap.
#[derive(Clone)]
pub struct VerificationKey {
    bytes: [u8; 16],
    parts: Arc<Parts>,
}

/// What is made of the bytes.
struct Parts {
    words: Aes,
    tokens: Aes,
    identities: Aes,
    lines: Aes,
    rabin: Arc<Rabin>,
}

impl std::fmt::Debug for VerificationKey {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("VerificationKey(..)")
    }
}

impl PartialEq for VerificationKey {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl Eq for VerificationKey {}

impl VerificationKey {
    /// A new key, from the system's random numbers.
    ///
    /// # Panics
    /// If the system has none, without which no program can keep a secret.
    pub fn random() -> Self {
        Self::from_bytes(random_bytes().expect("the system has random numbers"))
    }

    /// The key of these bytes.
    pub fn from_bytes(bytes: [u8; 16]) -> Self {
        let root = Aes::new(bytes);
        let aes = |number: u128| Aes::new(root.encrypt(number).to_le_bytes());
        // One odd number in 32 is the tail of an irreducible polynomial. The first numbers are
        // those of the ciphers.
        let mut tails = (4..).map(|number| root.encrypt(number) as u64 | 1);
        let tail = tails.find(|tail| is_irreducible(*tail));
        let Some(tail) = tail else { unreachable!("the numbers have no end") };
        let rabin = Arc::new(Rabin::new(tail));
        let [words, tokens, identities, lines] = [0, 1, 2, 3].map(aes);
        let parts = Parts { words, tokens, identities, lines, rabin };
        Self { bytes, parts: Arc::new(parts) }
    }

    /// Its bytes, for who keeps it.
    pub fn to_bytes(&self) -> [u8; 16] {
        self.bytes
    }

    /// The code of one word, or of any other string that is a token as it stands.
    pub fn code(&self, word: &[u8]) -> Code {
        /// The kernel's way is ten times as fast; it needs room behind the word.
        const ROOM: usize = 64;
        match word.len() {
            ..=SHORT => TOKENS.bytes(word),
            length @ ..=ROOM => {
                let (mut buffer, mut code) = ([0; ROOM + BEHIND], [0]);
                buffer[..length].copy_from_slice(word);
                let word = LongWord { number: 0, start: 0, end: length as u32 };
                Kernel::best().long_codes(self.words(), &buffer, &[word], &mut code);
                code[0]
            }
            _ => long_code(self.words(), word),
        }
    }

    /// What makes codes of long words.
    pub(crate) fn words(&self) -> &Aes {
        &self.parts.words
    }

    /// What codes are encrypted with before they are put into shingles.
    pub(crate) fn tokens(&self) -> &Aes {
        &self.parts.tokens
    }

    /// The polynomial that was drawn.
    pub(crate) fn rabin(&self) -> &Arc<Rabin> {
        &self.parts.rabin
    }

    /// What a line goes by, given the fingerprint of its words' codes.
    pub(crate) fn line(&self, fingerprint: u64) -> Code {
        self.parts.lines.encrypt(u128::from(fingerprint)) as u64
    }

    /// What an identity set goes by, given the fingerprint of its sequence of codes, and half of
    /// the public one, which makes it wide enough for any number of documents.
    pub(crate) fn identity(&self, [codes, public]: [u64; 2]) -> u128 {
        self.parts.identities.encrypt(u128::from(codes) << 64 | u128::from(public))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_is_that_of_the_stream() {
        let key = VerificationKey::from_bytes([3; 16]);
        let word: Vec<u8> = (0..200_u8).map(|n| n.wrapping_mul(37)).collect();
        for length in SHORT + 1..word.len() {
            assert_eq!(key.code(&word[..length]), long_code(key.words(), &word[..length]));
        }
    }

    #[test]
    fn keys_differ_in_all_their_parts() {
        let [a, b] = [[1; 16], [2; 16]].map(VerificationKey::from_bytes);
        assert_ne!(a.code(b"long enough"), b.code(b"long enough"));
        assert_eq!(a.code(b"short"), b.code(b"short"));
        assert_ne!(a.identity([7, 8]), b.identity([7, 8]));
        assert_ne!(a.rabin().tail(), b.rabin().tail());
        assert!(lookalike_kernels::reference::irreducible(a.rabin().tail()));
        assert_ne!(VerificationKey::random(), VerificationKey::random());
        assert_eq!(VerificationKey::from_bytes(a.to_bytes()), a);
    }
}
