//! Which pictures a page shows: the address of each, as a token.
//!
//! The address is resolved as a browser would, as far as it matters here:
//! white space and control characters at its ends and tabs and line ends in it
//! are left out, a space in it is `%20` and so on for control characters, and a
//! relative one belongs to the host of the `base` element, or of the page. If that is the page's own host, the
//! picture is its file name: the last segment of the path that is not empty,
//! without query and fragment; a page and its pictures can move to another host
//! together. Else it is the whole address, scheme and host in lower case, dot
//! segments resolved, everything else as it stands. What is longer than
//! [`MAX_BYTES`], nearly always a picture that stands in the address itself
//! (`data:`), is its first bytes, `~`, and the fingerprint of the whole. A page or
//! a `base` of such an address counts as one without; and where a `base` has
//! made the text longer than the page, all addresses are shortened from there on,
//! so that a page of a million pictures cannot fill the memory.

use std::borrow::Cow;
use std::fmt::Write as _;

use lookalike_kernels::rabin::TOKENS;

use crate::site::host;

/// The longest address that stands in the text as it is. 1 KiB: longer than addresses of
/// files are, and short enough to be shown to people.
const MAX_BYTES: usize = 1 << 10;

/// What is kept of the beginning of a longer one.
const KEPT_BYTES: usize = 32;

/// How addresses are written.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Shortened from [`MAX_BYTES`] on.
    Whole,
    /// Shortened if that makes them shorter.
    Short,
}

/// Where the page is, and where its relative addresses begin.
#[derive(Default)]
pub(super) struct Location {
    /// The host of the page.
    own: Option<String>,
    base: Option<Address<'static>>,
    /// Whether what is relative leads to another host than the page's.
    leads_away: bool,
    /// Only the first `base` counts.
    has_base_element: bool,
}

/// An address with a host.
#[derive(Clone)]
struct Address<'a> {
    /// In lower case; empty if nothing is known of it.
    scheme: Cow<'a, str>,
    /// User, host and port.
    authority: Cow<'a, str>,
    /// Path, query and fragment.
    path: Cow<'a, str>,
}

/// What an `src` can be.
enum Reference<'a> {
    Absolute(Address<'a>),
    /// With a scheme, but without a host.
    Opaque,
    /// Relative to the base.
    Relative,
}

impl Location {
    /// Of a page at this URL, if that is known and has a host.
    pub(super) fn new(url: Option<&str>) -> Self {
        let url = url.map(trimmed).filter(|url| url.len() <= MAX_BYTES);
        let base = url.and_then(|url| match reference(&url, None) {
            Reference::Absolute(address) => Some(address.into_owned()),
            _ => None,
        });
        let own = base.as_ref().and_then(Address::host);
        Self { own, base, leads_away: false, has_base_element: false }
    }

    /// Takes the `href` of a `base` element.
    pub(super) fn set_base(&mut self, href: &str) {
        if std::mem::replace(&mut self.has_base_element, true) {
            return;
        }
        let href = trimmed(href);
        // Every picture would copy it.
        if href.len() > MAX_BYTES {
            return;
        }
        match reference(&href, self.base.as_ref()) {
            Reference::Absolute(address) => {
                let host = address.host();
                // Where nothing else is known, the page is where its addresses lead.
                self.own = self.own.take().or_else(|| host.clone());
                self.leads_away = host != self.own;
                self.base = Some(address.into_owned());
            }
            Reference::Relative => {
                if let Some(base) = &mut self.base {
                    base.path = Cow::Owned(joined(&base.path, &href));
                }
            }
            Reference::Opaque => {}
        }
    }

    /// The picture at this address; nothing if it has no name.
    pub(super) fn picture(&self, src: &str, form: Form) -> Option<String> {
        let src = trimmed(src);
        let picture = match reference(&src, self.base.as_ref()) {
            _ if src.is_empty() => None,
            Reference::Opaque => Some(src.clone().into_owned()),
            Reference::Absolute(address) => match address.host() {
                None => None,
                own if own == self.own => file_name(&address.path),
                _ => Some(address.whole(&address.path)),
            },
            Reference::Relative => match &self.base {
                Some(base) if self.leads_away => Some(base.whole(&joined(&base.path, &src))),
                _ => file_name(&src),
            },
        };
        picture.map(|picture| shortened(encoded(picture), form))
    }
}

impl Address<'_> {
    fn host(&self) -> Option<String> {
        host(&self.authority)
    }

    fn into_owned(self) -> Address<'static> {
        Address {
            scheme: self.scheme.into_owned().into(),
            authority: self.authority.into_owned().into(),
            path: self.path.into_owned().into(),
        }
    }

    /// The address of a path there.
    fn whole(&self, path: &str) -> String {
        let (user, host) = match self.authority.rfind('@') {
            Some(at) => self.authority.split_at(at + 1),
            None => ("", &*self.authority),
        };
        let colon = if self.scheme.is_empty() { "" } else { ":" };
        let (path, rest) = path.split_at(path_end(path));
        let path = without_dots(path);
        format!("{}{colon}//{user}{}{path}{rest}", self.scheme, host.to_lowercase())
    }
}

/// Without white space and control characters at the ends, and without tabs and line ends.
fn trimmed(url: &str) -> Cow<'_, str> {
    let url = url.trim_matches(|c: char| c <= ' ');
    if url.contains(['\t', '\n', '\r']) {
        Cow::Owned(url.replace(['\t', '\n', '\r'], ""))
    } else {
        Cow::Borrowed(url)
    }
}

fn reference<'a>(url: &'a str, base: Option<&Address<'_>>) -> Reference<'a> {
    let (scheme, rest) = match scheme(url) {
        Some((scheme, rest)) => {
            let scheme = scheme.to_ascii_lowercase();
            // Only these have a host in any case, however many slashes stand before it.
            if !matches!(&*scheme, "http" | "https" | "ftp" | "ws" | "wss") {
                return Reference::Opaque;
            }
            (scheme, rest)
        }
        None if is_slash(url, 0) && is_slash(url, 1) => {
            (base.map_or(String::new(), |base| base.scheme.clone().into_owned()), url)
        }
        None => return Reference::Relative,
    };
    let rest = rest.trim_start_matches(['/', '\\']);
    let (authority, path) = rest.split_at(rest.find(['/', '\\', '?', '#']).unwrap_or(rest.len()));
    let path = if path.is_empty() { "/" } else { path };
    Reference::Absolute(Address {
        scheme: scheme.into(),
        authority: authority.into(),
        path: path.into(),
    })
}

fn is_slash(url: &str, at: usize) -> bool {
    matches!(url.as_bytes().get(at), Some(b'/' | b'\\'))
}

/// The scheme, if there is one, and what follows its colon.
fn scheme(url: &str) -> Option<(&str, &str)> {
    let (scheme, rest) = url.split_once(':')?;
    let mut bytes = scheme.bytes();
    let first = bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic());
    let rest_of_it = bytes.all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte));
    (first && rest_of_it).then_some((scheme, rest))
}

/// Where the path ends and query and fragment begin.
fn path_end(path: &str) -> usize {
    path.find(['?', '#']).unwrap_or(path.len())
}

fn file_name(path: &str) -> Option<String> {
    let path = &path[..path_end(path)];
    let mut segments = path.rsplit(['/', '\\']);
    let name = segments.find(|segment| !matches!(*segment, "" | "." | ".."))?;
    Some(name.to_owned())
}

/// A relative path, as seen from the path of the base.
fn joined(base: &str, path: &str) -> String {
    if is_slash(path, 0) {
        return path.to_owned();
    }
    let base = &base[..path_end(base)];
    let folder = base.rfind(['/', '\\']).map_or("/", |slash| &base[..=slash]);
    format!("{folder}{path}")
}

/// The path with `.` and `..` resolved.
fn without_dots(path: &str) -> String {
    let mut segments: Vec<&str> = Vec::new();
    let mut parts = path.split(['/', '\\']).skip(1).peekable();
    while let Some(part) = parts.next() {
        let last = parts.peek().is_none();
        match part {
            "." | ".." => {
                if part == ".." {
                    segments.pop();
                }
                if last {
                    segments.push("");
                }
            }
            _ => segments.push(part),
        }
    }
    let mut out = String::with_capacity(path.len());
    for segment in segments {
        out.push('/');
        out.push_str(segment);
    }
    out
}

/// The address with spaces and control characters of ASCII as `%` and their number.
fn encoded(address: String) -> String {
    let is_encoded = |c: char| c.is_ascii() && (c == ' ' || c.is_control());
    if !address.contains(is_encoded) {
        return address;
    }
    let mut out = String::with_capacity(3 * address.len());
    for c in address.chars() {
        if is_encoded(c) {
            let _ = write!(out, "%{:02X}", u32::from(c));
        } else {
            out.push(c);
        }
    }
    out
}

fn shortened(mut address: String, form: Form) -> String {
    const SHORT_BYTES: usize = KEPT_BYTES + 1 + 16;
    let most = if form == Form::Whole { MAX_BYTES } else { SHORT_BYTES };
    if address.len() > most {
        let whole = TOKENS.bytes(address.as_bytes());
        address.truncate(address.floor_char_boundary(KEPT_BYTES));
        let _ = write!(address, "~{whole:016x}");
    }
    address
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(page: Option<&str>, base: Option<&str>, src: &str) -> String {
        let mut location = Location::new(page);
        if let Some(base) = base {
            location.set_base(base);
            location.set_base("http://second.example/");
        }
        location.picture(src, Form::Whole).unwrap_or_default()
    }

    #[test]
    fn own_pictures_are_file_names() {
        let page = Some("https://www.Example.org:8080/a/b.html?c");
        for (src, expected) in [
            ("logo.png", "logo.png"),
            ("/img/Logo.PNG?v=3#x", "Logo.PNG"),
            ("../img/a b.png", "a%20b.png"),
            // Found by the fuzzer: white space that the standard does not leave out.
            ("a\u{c}b\u{7f}\u{85}.png", "a%0Cb%7F\u{85}.png"),
            (" \n img/lo\ngo.png\t", "logo.png"),
            ("https://www.example.org/x/logo.png", "logo.png"),
            ("HTTP://WWW.EXAMPLE.ORG:99//logo.png", "logo.png"),
            ("//www.example.org/logo.png", "logo.png"),
            ("\\img\\logo.png", "logo.png"),
            ("/avatars/42/?s=80", "42"),
            ("https://www.example.org", ""),
            ("/?img=3", ""),
            ("", ""),
            (" ", ""),
            ("..", ""),
            ("a:b.png", "a:b.png"),
        ] {
            assert_eq!(picture(page, None, src), expected, "{src:?}");
        }
        assert_eq!(picture(None, None, "/img/logo.png"), "logo.png");
    }

    #[test]
    fn pictures_of_other_hosts_are_whole_addresses() {
        let page = Some("https://example.org/a/b.html");
        for (src, expected) in [
            ("http://cdn.example.org/x.png", "http://cdn.example.org/x.png"),
            ("HTTP://u:P@CDN.example:81/a/./X.png?Q#F", "http://u:P@cdn.example:81/a/X.png?Q#F"),
            ("//cdn.example/x.png", "https://cdn.example/x.png"),
            ("https:\\\\cdn.example\\x\\..\\y.png", "https://cdn.example/y.png"),
            ("https://cdn.example", "https://cdn.example/"),
            ("https://cdn.example?x y", "https://cdn.example?x%20y"),
            ("https://cdn.example/a/..", "https://cdn.example/"),
            ("data:image/gif;base64,AAAA", "data:image/gif;base64,AAAA"),
            ("http://", ""),
        ] {
            assert_eq!(picture(page, None, src), expected, "{src:?}");
        }
        assert_eq!(picture(None, None, "//cdn.example/x.png"), "//cdn.example/x.png");
        assert_eq!(picture(None, None, "http://a.example/x.png"), "http://a.example/x.png");
    }

    #[test]
    fn the_first_base_decides() {
        let page = Some("https://example.org/a/b.html");
        for (base, src, expected) in [
            ("https://cdn.example/x/", "y/z.png", "https://cdn.example/x/y/z.png"),
            ("https://cdn.example/x/q?p/r", "/z.png", "https://cdn.example/z.png"),
            ("https://cdn.example/x/", "https://example.org/z.png", "z.png"),
            ("https://example.org/x/", "z.png", "z.png"),
            ("/x/", "z.png", "z.png"),
        ] {
            assert_eq!(picture(page, Some(base), src), expected, "{base} {src}");
        }
        let base = Some("https://example.org/x/");
        assert_eq!(picture(None, base, "z.png"), "z.png");
        assert_eq!(picture(None, base, "https://example.org/z.png"), "z.png");
        assert_eq!(picture(None, base, "https://cdn.example/z.png"), "https://cdn.example/z.png");
    }

    #[test]
    fn long_addresses_are_shortened_and_stay_different() {
        let long = |last: char| format!("data:image/png;base64,{}{last}", "A".repeat(5000));
        let (a, b) = (picture(None, None, &long('a')), picture(None, None, &long('b')));
        assert_eq!(a.len(), KEPT_BYTES + 17);
        assert!(a.starts_with("data:image/png;base64,AAAAAAAAAA~") && a != b, "{a} {b}");
        assert_eq!(picture(None, None, &"\u{e9}".repeat(600)).chars().count(), 16 + 17);
        let short = |src: &str| Location::default().picture(src, Form::Short).unwrap();
        assert_eq!(short(&"a".repeat(49)), "a".repeat(49));
        assert_eq!(short(&"a".repeat(50)).len(), 49);
        assert_eq!(short(&long('a')), a);
    }
}
