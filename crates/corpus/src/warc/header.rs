//! The header of a WARC record: its version line and its named fields.

use std::borrow::Cow;

use memchr::memchr;

use crate::error::Fault;
use crate::record::{FieldValue, StoredFields};

/// What every record begins with.
pub(super) const MAGIC: &[u8] = b"WARC/";

/// The longest header. Those of crawlers have less than 2 KiB, most of it the address.
pub(super) const MAX_HEADER_BYTES: usize = 64 << 10;

/// The lines of a header, with the empty one at its end.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Header<'a>(pub(super) &'a [u8]);

impl<'a> Header<'a> {
    /// The value of the first field of this name, in any case. What is no UTF-8 becomes U+FFFD.
    pub(crate) fn get(self, name: &str) -> Option<Cow<'a, str>> {
        self.all(name).next()
    }

    /// The values of all fields of this name, in any case.
    pub(super) fn all(self, name: &str) -> impl Iterator<Item = Cow<'a, str>> {
        let mut lines = lines(self.0).skip(1).peekable();
        std::iter::from_fn(move || {
            let value = lines.by_ref().find_map(|line| {
                let colon = memchr(b':', line)?;
                let found = line[..colon].trim_ascii_end();
                found.eq_ignore_ascii_case(name.as_bytes()).then_some(&line[colon + 1..])
            })?;
            let mut value = String::from_utf8_lossy(value.trim_ascii());
            // A line that begins with white space goes on with the value before it.
            let goes_on = |line: &&[u8]| line.first().is_some_and(|b| b" \t".contains(b));
            while let Some(more) = lines.next_if(goes_on) {
                let value = value.to_mut();
                value.push(' ');
                value.push_str(&String::from_utf8_lossy(more.trim_ascii()));
            }
            Some(value)
        })
    }

    /// How many bytes follow the header.
    pub(super) fn content_length(self) -> Result<u64, Fault> {
        let Some(stated) = self.get("Content-Length") else {
            return Err(Fault::Length("has no Content-Length".to_owned()));
        };
        // `parse` alone would take a plus sign.
        let length =
            stated.parse().ok().filter(|_| stated.starts_with(|c: char| c.is_ascii_digit()));
        length.ok_or_else(|| {
            let stated: String = stated.chars().take(40).collect();
            Fault::Length(format!(
                "has a Content-Length of `{stated}`, which is not a number of bytes"
            ))
        })
    }
}

impl StoredFields for Header<'_> {
    fn field(&self, name: &str) -> Option<FieldValue<'_>> {
        self.get(name).map(FieldValue::String)
    }
}

/// The lines of a header without their ends.
fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line))
}

/// How the header ends that some bytes begin with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// As it should, after so many bytes.
    Whole(usize),
    /// After so many bytes the next record begins. Without this a file of nothing but such
    /// beginnings would be gone over again for each.
    Interrupted(usize),
    /// Not among these bytes.
    Missing,
}

/// Looks for the end of the header that these bytes begin with.
pub(super) fn end(bytes: &[u8]) -> End {
    let mut at = 0;
    while let Some(length) = memchr(b'\n', &bytes[at..]) {
        let is_empty = matches!(&bytes[at..at + length], b"" | b"\r");
        at += length + 1;
        if is_empty {
            return End::Whole(at);
        }
        if is_version_line(&bytes[at..]) {
            return End::Interrupted(at);
        }
    }
    End::Missing
}

/// Whether these bytes begin with a whole line such as `WARC/1.0`.
pub(super) fn is_version_line(bytes: &[u8]) -> bool {
    let is_number =
        |text: &[u8]| (1..=4).contains(&text.len()) && text.iter().all(u8::is_ascii_digit);
    let Some(rest) = bytes.strip_prefix(MAGIC) else { return false };
    // Two numbers of up to four digits and a point.
    let Some(end) = memchr(b'\n', &rest[..rest.len().min(11)]) else { return false };
    let version = rest[..end].strip_suffix(b"\r").unwrap_or(&rest[..end]);
    let mut numbers = version.split(|&byte| byte == b'.');
    numbers.by_ref().take(2).filter(|number| is_number(number)).count() == 2
        && numbers.next().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_found_by_name_in_any_case() {
        let header = Header(
            b"WARC/1.0\r\nWARC-Type : response\nwarc-date:  2024 \r\nX: a\r\n b\n\t c\r\nNone\r\nX: d\r\nE:\r\n\r\n",
        );
        let get = |name| header.get(name).map(Cow::into_owned);
        assert_eq!(get("warc-type").as_deref(), Some("response"));
        assert_eq!(get("WARC-Date").as_deref(), Some("2024"));
        assert_eq!(get("x").as_deref(), Some("a b c"));
        assert_eq!(get("e").as_deref(), Some(""));
        assert_eq!(get("none"), None);
        assert_eq!(get("WARC/1.0"), None);
    }

    #[test]
    fn lengths_are_numbers_of_bytes() {
        let length = |value: &str| {
            let header = format!("WARC/1.1\r\nContent-Length: {value}\r\n\r\n");
            Header(header.as_bytes()).content_length()
        };
        assert_eq!(length("0"), Ok(0));
        assert_eq!(length("18446744073709551615"), Ok(u64::MAX));
        for wrong in ["", "-1", "+1", "1.5", "0x10", "18446744073709551616", "1 2", "many"] {
            assert!(length(wrong).is_err(), "{wrong}");
        }
        assert!(Header(b"WARC/1.0\r\n\r\n").content_length().is_err());
    }

    #[test]
    fn headers_end_with_an_empty_line() {
        assert_eq!(end(b"WARC/1.0\r\nA: b\r\n\r\nmore"), End::Whole(18));
        assert_eq!(end(b"WARC/1.0\nA: b\n\nmore"), End::Whole(15));
        assert_eq!(end(b"WARC/1.0\r\nA: b\r\nWARC/1.0\r\n\r\n"), End::Interrupted(16));
        assert_eq!(end(b"WARC/1.0\r\nA: b\r\n\r"), End::Missing);
        assert_eq!(end(b""), End::Missing);
    }

    #[test]
    fn version_lines_are_told_from_text() {
        for line in ["WARC/1.0\r\n", "WARC/1.1\nWARC-Type", "WARC/0.18\r\n", "WARC/1234.5678\r\n"] {
            assert!(is_version_line(line.as_bytes()), "{line:?}");
        }
        for line in [
            "WARC/1.0 is a format\n",
            "WARC/one\n",
            "WARC/1\n",
            "WARC/1.\n",
            "WARC/1.0.0\n",
            "WARC/12345.0\n",
            "WARC/1.0",
            "WARC/1.0\r",
            "WARCS/1.0\n",
            "x",
            "",
        ] {
            assert!(!is_version_line(line.as_bytes()), "{line:?}");
        }
    }
}
