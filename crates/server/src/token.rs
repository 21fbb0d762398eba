//! The secret that clients show, and the tickets that a browser can follow.
//!
//! Only digests are kept and compared, all of their bytes whatever they are: how
//! long a comparison takes tells nothing of the token.

use std::fs;
use std::path::Path;

use sha2::{Digest as _, Sha256};

use crate::error::{Error, ErrorKind, Result};

/// The fewest characters of a token: 16 random hexadecimal digits cannot be guessed over a network.
const LEAST: usize = 16;

/// The most: more than any header can hold.
const MOST: usize = 4096;

/// Seconds for which a ticket is good, at least: an hour of looking at a page. At most twice that.
const TICKET_SECONDS: u64 = 3600;

/// The secret that clients show.
#[derive(Clone)]
pub struct Token {
    digest: [u8; 32],
    ticket_key: [u8; 32],
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(..)")
    }
}

impl Token {
    /// A token of at least 16 visible ASCII characters; otherwise what is wrong with it.
    ///
    /// # Errors
    /// If it is too short or too long, or has characters that no header can have.
    pub fn new(token: &str) -> Result<Self, String> {
        if !(LEAST..=MOST).contains(&token.len()) {
            let length = token.len();
            return Err(format!("{length} bytes, where {LEAST} to {MOST} are needed"));
        }
        if !token.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err("only visible ASCII characters can be sent".to_owned());
        }
        let ticket_key = digest(&[b"lookalike ticket\0", token.as_bytes()]);
        Ok(Self { digest: digest(&[token.as_bytes()]), ticket_key })
    }

    /// The first line of a file, without white space around it.
    ///
    /// # Errors
    /// If the file cannot be read, or its first line is no token.
    pub fn read(path: &Path) -> Result<Self> {
        let text = fs::read(path)
            .map_err(|error| Error::new(ErrorKind::Unreadable(path.to_owned(), error)))?;
        let text = String::from_utf8_lossy(&text);
        let line = text.lines().next().unwrap_or_default().trim();
        Self::new(line).map_err(|fault| Error::new(ErrorKind::Token(path.to_owned(), fault)))
    }

    /// Whether a client shows this token.
    pub(crate) fn is(&self, shown: &[u8]) -> bool {
        is_same(&self.digest, &digest(&[shown]))
    }

    /// What lets a browser, which sends no token when it follows a link, open one thing for an
    /// hour or two.
    pub(crate) fn ticket(&self, thing: &str, now: u64) -> String {
        self.ticket_of(thing, now / TICKET_SECONDS)
    }

    pub(crate) fn is_ticket(&self, shown: &str, thing: &str, now: u64) -> bool {
        let hour = now / TICKET_SECONDS;
        [hour, hour.saturating_sub(1)].into_iter().any(|hour| {
            let ticket = digest(&[self.ticket_of(thing, hour).as_bytes()]);
            is_same(&ticket, &digest(&[shown.as_bytes()]))
        })
    }

    fn ticket_of(&self, thing: &str, hour: u64) -> String {
        let bytes = digest(&[&self.ticket_key, &hour.to_le_bytes(), thing.as_bytes()]);
        let digit = |value: u8| char::from_digit(value.into(), 16);
        bytes.iter().flat_map(|byte| [digit(byte >> 4), digit(byte & 15)]).flatten().collect()
    }
}

/// Whether everybody on the machine can read a file.
pub fn is_world_readable(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        fs::metadata(path).is_ok_and(|metadata| metadata.permissions().mode() & 0o004 != 0)
    }
    #[cfg(not(unix))]
    {
        let _ = path;
        false
    }
}

fn digest(parts: &[&[u8]]) -> [u8; 32] {
    let mut hash = Sha256::new();
    for part in parts {
        hash.update(part);
    }
    hash.finalize().into()
}

/// Looks at every byte, so that the time tells nothing. Of digests, where even the first
/// different byte would tell nothing of use.
fn is_same(a: &[u8; 32], b: &[u8; 32]) -> bool {
    let different = a.iter().zip(b).fold(0, |different, (a, b)| different | (a ^ b));
    std::hint::black_box(different) == 0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_knows_itself_only() {
        let token = Token::new("correct-horse-battery").unwrap();
        assert!(token.is(b"correct-horse-battery"));
        for other in ["", "correct-horse-batter", "correct-horse-battery ", "Correct-horse-battery"]
        {
            assert!(!token.is(other.as_bytes()), "{other}");
        }
        assert!(!format!("{token:?}").contains("horse"));
    }

    #[test]
    fn weak_tokens_are_refused() {
        for wrong in [
            "",
            "short",
            "fifteen letters",
            "with a space in the middle",
            "\u{e9}".repeat(20).as_str(),
        ] {
            assert!(Token::new(wrong).is_err(), "{wrong}");
        }
        assert!(Token::new(&"x".repeat(5000)).is_err());
    }

    #[test]
    fn tickets_open_one_thing_for_a_while() {
        let token = Token::new("correct-horse-battery").unwrap();
        let ticket = token.ticket("run", 10_000);
        assert!(token.is_ticket(&ticket, "run", 10_000));
        assert!(token.is_ticket(&ticket, "run", 10_000 + TICKET_SECONDS));
        assert!(!token.is_ticket(&ticket, "run", 10_000 + 2 * TICKET_SECONDS));
        assert!(!token.is_ticket(&ticket, "other", 10_000));
        let other = Token::new("another-horse-battery").unwrap();
        assert!(!other.is_ticket(&ticket, "run", 10_000));
    }
}
