//! The characters of a web page, as a browser reads them.
//!
//! In this order: a byte order mark; what the server said; a `meta` element or
//! an XML declaration in the first 1,024 bytes; UTF-8, if all of the page is;
//! and else what its bytes look like, from the first that is not ASCII on.
//! Browsers do the last step for pages of servers that say nothing, and the one
//! before it for files.

use std::borrow::Cow;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE, WINDOWS_1252, X_USER_DEFINED};

/// How far browsers look for a `meta` element.
const META_BYTES: usize = 1024;

/// How much of a page is looked at to guess. 64 KiB from the first byte that is not ASCII:
/// thousands of characters, in a millisecond.
const GUESS_BYTES: usize = 64 << 10;

/// The text of a page. `header` is the charset that the server gave, if any: the parameter of
/// `Content-Type`.
///
/// What cannot be decoded becomes U+FFFD. Nothing is copied if the page is UTF-8.
///
/// ```
/// use lookalike_corpus::decode_page;
/// assert_eq!(decode_page(b"<meta charset=latin1>caf\xe9", None), "<meta charset=latin1>caf\u{e9}");
/// assert_eq!(decode_page(b"\xd0\xbc", Some("windows-1251")), "\u{420}\u{458}");
/// ```
pub fn decode_page<'a>(page: &'a [u8], header: Option<&str>) -> Cow<'a, str> {
    if let Some((encoding, length)) = Encoding::for_bom(page) {
        return encoding.decode_without_bom_handling(&page[length..]).0;
    }
    let named = header.and_then(|label| Encoding::for_label(label.as_bytes()));
    decode_as(page, named.or_else(|| declared(&page[..page.len().min(META_BYTES)])))
}

/// The text of plain text that came from a server, in the same order but for what only pages say
/// of themselves.
pub(crate) fn decode_text<'a>(text: &'a [u8], header: Option<&str>) -> Cow<'a, str> {
    if let Some((encoding, length)) = Encoding::for_bom(text) {
        return encoding.decode_without_bom_handling(&text[length..]).0;
    }
    decode_as(text, header.and_then(|label| Encoding::for_label(label.as_bytes())))
}

/// Of an encoding that is not known, UTF-8 if it is that, or what its bytes look like.
fn decode_as<'a>(bytes: &'a [u8], encoding: Option<&'static Encoding>) -> Cow<'a, str> {
    match encoding {
        Some(encoding) => encoding.decode_without_bom_handling(bytes).0,
        None => match str::from_utf8(bytes) {
            Ok(text) => Cow::Borrowed(text),
            Err(_) => guess(bytes).decode_without_bom_handling(bytes).0,
        },
    }
}

/// The text of a page in a field of a record. What is UTF-8 is so whatever the page says of
/// itself: whoever wrote the record has decoded it.
pub(crate) fn decode_field(page: Cow<'_, [u8]>) -> Cow<'_, [u8]> {
    if str::from_utf8(&page).is_ok() {
        return page;
    }
    Cow::Owned(decode_page(&page, None).into_owned().into_bytes())
}

fn guess(page: &[u8]) -> &'static Encoding {
    let first = page.iter().position(|byte| !byte.is_ascii()).unwrap_or(page.len());
    // The letters before it tell something as well.
    let sample = &page[first.saturating_sub(16)..];
    let (sample, is_all) = match sample.get(..GUESS_BYTES) {
        Some(beginning) => (beginning, beginning.len() == sample.len()),
        None => (sample, true),
    };
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    detector.feed(sample, is_all);
    detector.guess(None, Utf8Detection::Allow)
}

/// What the page says of itself: the standard's prescan.
fn declared(head: &[u8]) -> Option<&'static Encoding> {
    meta(head).or_else(|| xml_declaration(head))
}

/// The encoding of the first `meta` that has one.
fn meta(head: &[u8]) -> Option<&'static Encoding> {
    let mut scan = Scan { head, at: 0 };
    while let Some(rest) = scan.head.get(scan.at..).filter(|rest| !rest.is_empty()) {
        if rest.starts_with(b"<!--") {
            // `<!-->` is a comment too.
            let end = find(&rest[2..], b"-->")?;
            scan.at += 2 + end + 3;
        } else if is_tag(rest, b"<meta") {
            scan.at += b"<meta".len();
            if let Some(encoding) = scan.meta() {
                return Some(encoding);
            }
        } else if is_other_tag(rest) {
            let name = rest.iter().position(|byte| byte.is_ascii_whitespace() || *byte == b'>')?;
            scan.at += name;
            while scan.attribute().is_some() {}
            scan.at += 1;
        } else if rest.starts_with(b"<!") || rest.starts_with(b"</") || rest.starts_with(b"<?") {
            scan.at += rest.iter().position(|&byte| byte == b'>')? + 1;
        } else {
            scan.at += 1;
        }
    }
    None
}

fn is_tag(rest: &[u8], tag: &[u8]) -> bool {
    rest.get(..tag.len()).is_some_and(|name| name.eq_ignore_ascii_case(tag))
        && rest.get(tag.len()).is_some_and(|byte| byte.is_ascii_whitespace() || *byte == b'/')
}

/// A start or end tag.
fn is_other_tag(rest: &[u8]) -> bool {
    let name = rest.strip_prefix(b"</").or_else(|| rest.strip_prefix(b"<"));
    name.and_then(<[u8]>::first).is_some_and(u8::is_ascii_alphabetic)
}

fn find(bytes: &[u8], what: &[u8]) -> Option<usize> {
    bytes.windows(what.len()).position(|window| window == what)
}

/// A place in the beginning of a page.
struct Scan<'a> {
    head: &'a [u8],
    at: usize,
}

impl<'a> Scan<'a> {
    fn peek(&self) -> Option<u8> {
        self.head.get(self.at).copied()
    }

    fn skip(&mut self, is_skipped: impl Fn(u8) -> bool) {
        while self.peek().is_some_and(&is_skipped) {
            self.at += 1;
        }
    }

    fn take(&mut self, is_taken: impl Fn(u8) -> bool) -> &'a [u8] {
        let start = self.at;
        self.skip(is_taken);
        &self.head[start..self.at]
    }

    /// The next attribute of a tag; `None` at its end.
    fn attribute(&mut self) -> Option<(Vec<u8>, &'a [u8])> {
        self.skip(|byte| byte.is_ascii_whitespace() || byte == b'/');
        if matches!(self.peek()?, b'>') {
            return None;
        }
        let start = self.at;
        // An `=` at the beginning is a part of the name.
        self.at += 1;
        self.skip(|byte| !byte.is_ascii_whitespace() && !b"/>=".contains(&byte));
        let name = self.head[start..self.at].to_ascii_lowercase();
        self.skip(|byte| byte.is_ascii_whitespace());
        if self.peek() != Some(b'=') {
            return Some((name, b""));
        }
        self.at += 1;
        self.skip(|byte| byte.is_ascii_whitespace());
        let value = match self.peek()? {
            quote @ (b'"' | b'\'') => {
                self.at += 1;
                let value = self.take(|byte| byte != quote);
                self.peek()?;
                self.at += 1;
                value
            }
            _ => self.take(|byte| !byte.is_ascii_whitespace() && byte != b'>'),
        };
        Some((name, value))
    }

    /// What the attributes of a `meta` say.
    fn meta(&mut self) -> Option<&'static Encoding> {
        let (mut is_content_type, mut charset, mut content) = (false, None, None);
        while let Some((name, value)) = self.attribute() {
            match &*name {
                b"http-equiv" => is_content_type = value.eq_ignore_ascii_case(b"content-type"),
                b"charset" => charset = charset.or(Some(value)),
                b"content" => content = content.or_else(|| charset_of(value)),
                _ => {}
            }
        }
        let label = charset.or(content.filter(|_| is_content_type))?;
        Encoding::for_label(label).map(as_declared)
    }
}

/// A page that can be read as ASCII so far is not UTF-16, whatever it says.
fn as_declared(encoding: &'static Encoding) -> &'static Encoding {
    if encoding == UTF_16LE || encoding == UTF_16BE {
        UTF_8
    } else if encoding == X_USER_DEFINED {
        WINDOWS_1252
    } else {
        encoding
    }
}

/// The charset in `text/html; charset=...`.
pub(crate) fn charset_of(content: &[u8]) -> Option<&[u8]> {
    let mut rest = content;
    loop {
        let at = rest.windows(7).position(|name| name.eq_ignore_ascii_case(b"charset"))?;
        rest = rest[at + 7..].trim_ascii_start();
        if let Some(value) = rest.strip_prefix(b"=") {
            let value = value.trim_ascii_start();
            let (first, quoted) = value.split_first()?;
            if b"\"'".contains(first) {
                let end = quoted.iter().position(|byte| byte == first)?;
                return Some(&quoted[..end]);
            }
            let ends = |byte: &u8| byte.is_ascii_whitespace() || *byte == b';';
            return Some(&value[..value.iter().position(ends).unwrap_or(value.len())]);
        }
    }
}

/// The encoding in `<?xml version="1.0" encoding="..."?>`.
fn xml_declaration(head: &[u8]) -> Option<&'static Encoding> {
    let declaration = head.strip_prefix(b"<?xml")?;
    let declaration = &declaration[..declaration.iter().position(|&byte| byte == b'>')?];
    let value = declaration[find(declaration, b"encoding")? + 8..].trim_ascii_start();
    let value = value.strip_prefix(b"=")?.trim_ascii_start();
    let (quote, value) = value.split_first().filter(|(quote, _)| b"\"'".contains(quote))?;
    let label = &value[..value.iter().position(|byte| byte == quote)?];
    Encoding::for_label(label).map(as_declared)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn pages_say_what_they_are() {
        for (head, name) in [
            ("<meta charset=koi8-r>", Some("KOI8-R")),
            ("<META CharSet = ' Shift_JIS '>", Some("Shift_JIS")),
            ("<p><meta http-equiv=Content-Type content='text/html; charset=gb2312'>", Some("GBK")),
            (
                "<meta content=\"text/html;charset = 'big5' \" http-equiv=content-type />",
                Some("Big5"),
            ),
            ("<meta content='charset=big5'>", None),
            ("<meta http-equiv=refresh content='charset=big5'>", None),
            ("<meta charset=utf-16le>", Some("UTF-8")),
            ("<meta charset=x-user-defined>", Some("windows-1252")),
            ("<meta charset=iso-8859-1>", Some("windows-1252")),
            ("<meta charset=no-such><meta charset=euc-kr>", Some("EUC-KR")),
            ("<!-- <meta charset=big5> --><meta charset=euc-jp>", Some("EUC-JP")),
            ("<!--><meta charset=euc-jp>", Some("EUC-JP")),
            ("<a title='<meta charset=big5>'><meta charset=euc-jp>", Some("EUC-JP")),
            ("<a title=\"<meta charset=big5>", None),
            ("</a <meta charset=big5>><meta/charset=euc-jp>", Some("EUC-JP")),
            ("<!doctype <meta charset=big5><meta charset=euc-jp>", Some("EUC-JP")),
            ("<metadata charset=big5>", None),
            ("<meta charset", None),
            ("<meta charset=", None),
            ("<?xml version=\"1.0\" encoding=\"windows-1251\"?><html>", Some("windows-1251")),
            ("<?xml encoding='big5'?><meta charset=euc-jp>", Some("EUC-JP")),
            ("", None),
        ] {
            assert_eq!(declared(head.as_bytes()).map(Encoding::name), name, "{head}");
        }
    }

    #[test]
    fn the_order_is_that_of_browsers() {
        let decoded = |page: &[u8], header| decode_page(page, header).into_owned();
        assert_eq!(
            decoded(b"\xef\xbb\xbf<meta charset=big5>\xc3\xa9", Some("koi8-r")),
            "<meta charset=big5>\u{e9}"
        );
        assert_eq!(decoded(b"\xff\xfea\0\xe9\0", None), "a\u{e9}");
        assert_eq!(
            decoded(b"<meta charset=utf-8>\xe9", Some("latin1")),
            "<meta charset=utf-8>\u{e9}"
        );
        assert_eq!(
            decoded(b"<meta charset=utf-8>\xe9", Some("no such")),
            "<meta charset=utf-8>\u{fffd}"
        );
        assert_eq!(decoded(b"caf\xc3\xa9", None), "caf\u{e9}");
        assert_eq!(decoded(b"caf\xe9 au lait", None), "caf\u{e9} au lait");
        // Beyond the first 1,024 bytes nobody looks.
        let late = [&[b' '; 1024][..], b"<meta charset=koi8-r>caf\xe9 au lait"].concat();
        assert!(decoded(&late, None).ends_with("caf\u{e9} au lait"));
        // Cut off within a character, a page is still UTF-8 as far as it was looked at.
        let cut = [&b"\xd0\xbc\xd0\xb8\xd1\x80 ".repeat(20_000)[..], b"\xd0"].concat();
        assert!(decoded(&cut, None).starts_with("\u{43c}\u{438}\u{440} "));
    }

    #[test]
    fn bytes_tell_what_they_look_like() {
        let russian = "\u{41c}\u{43e}\u{440}\u{435} \u{431}\u{44b}\u{43b}\u{43e} \u{442}\u{438}\u{445}\u{438}\u{43c}, \u{438} \u{43c}\u{430}\u{44f}\u{43a} \u{433}\u{43e}\u{440}\u{435}\u{43b} \u{432}\u{441}\u{44e} \u{43d}\u{43e}\u{447}\u{44c}.";
        let japanese = "\u{706f}\u{53f0}\u{306e}\u{5149}\u{306f}\u{30b3}\u{30fc}\u{30d2}\u{30fc}\u{306e}\u{3088}\u{3046}\u{306b}\u{3001}\u{591c}\u{3092}\u{8d77}\u{3053}\u{3059}\u{3002}";
        for (text, label) in [
            (russian, "windows-1251"),
            (russian, "koi8-r"),
            (japanese, "shift_jis"),
            (japanese, "euc-jp"),
        ] {
            let page = format!("<html><body>{text}</body></html>");
            let encoding = Encoding::for_label(label.as_bytes()).unwrap();
            let bytes = encoding.encode(&page).0;
            assert_eq!(decode_page(&bytes, None), page, "{label}");
            let field = decode_field(Cow::Borrowed(&bytes));
            assert_eq!(&*field, page.as_bytes(), "{label}");
            assert_eq!(decode_text(&bytes, None), page, "{label}");
            let text = format!("<meta charset=big5>{text}");
            assert_eq!(decode_text(&encoding.encode(&text).0, Some(label)), text, "{label}");
            assert_eq!(decode_text(text.as_bytes(), None), text, "{label}");
        }
        let labelled = "<meta charset=big5>caf\u{e9}";
        assert_eq!(&*decode_field(labelled.as_bytes().into()), labelled.as_bytes());
    }

    proptest! {
        #[test]
        fn any_bytes_are_decoded(
            pieces in prop::collection::vec(
                prop_oneof![
                    prop::sample::select(&["<meta ", "charset", "=", "'", "\"", ">", "<", "<!--", "-->", "content", "http-equiv", "/", " ", "<?xml", "encoding", "?>", "utf-8", "big5"][..]).prop_map(|s| s.as_bytes().to_vec()),
                    prop::collection::vec(any::<u8>(), 0..3),
                ],
                0..40,
            ),
            header in proptest::option::of("[a-z0-9-]{0,8}"),
        ) {
            let page = pieces.concat();
            let _ = decode_page(&page, header.as_deref());
            let field = decode_field(Cow::Borrowed(&page));
            prop_assert!(str::from_utf8(&field).is_ok());
        }
    }
}
