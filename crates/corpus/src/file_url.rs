//! `file://` URLs as paths.

use std::path::PathBuf;

use crate::paths::path_from_bytes;

/// The path in what follows `file://`; `None` if it is on another host.
pub(crate) fn path(rest: &str) -> Option<PathBuf> {
    let path = rest.strip_prefix("localhost").unwrap_or(rest);
    if !path.starts_with('/') {
        return None;
    }
    // `/C:/folder`
    let drive = cfg!(windows) && path.as_bytes().get(2) == Some(&b':');
    Some(path_from_bytes(percent_decoded(if drive { &path[1..] } else { path })))
}

/// `%41` as `A`. A `%` without two digits after it means itself, as in browsers.
fn percent_decoded(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&byte, after)) = rest.split_first() {
        let decoded = match rest {
            [b'%', high, low, ..] => hex(*high, *low),
            _ => None,
        };
        bytes.push(decoded.unwrap_or(byte));
        rest = if decoded.is_some() { &rest[3..] } else { after };
    }
    bytes
}

fn hex(high: u8, low: u8) -> Option<u8> {
    let digit = |byte: u8| char::from(byte).to_digit(16);
    u8::try_from(digit(high)? * 16 + digit(low)?).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_of_this_host_are_paths() {
        for (rest, expected) in [
            ("/a/b.txt", Some("/a/b.txt")),
            ("localhost/a", Some("/a")),
            ("/a%20b/%C3%a9%25.txt", Some("/a b/\u{e9}%.txt")),
            ("/100%/%4/%zz/%+1", Some("/100%/%4/%zz/%+1")),
            ("host/a", None),
            ("localhosts/a", None),
            ("relative", None),
            ("", None),
        ] {
            assert_eq!(path(rest), expected.map(PathBuf::from), "{rest}");
        }
    }
}
