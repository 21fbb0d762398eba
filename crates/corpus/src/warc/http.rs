//! The response of a web server: its head, and its body as the page that was sent.
//!
//! Crawlers keep responses as they came, or with the body unpacked although the
//! head still says that it is packed. Both are read: a body that does not begin
//! as its coding does is taken for unpacked. One that does, and then breaks
//! off, is not.

use std::borrow::Cow;
use std::io::{self, Read};

use brotli_decompressor::Decompressor;
use flate2::bufread::{DeflateDecoder, GzDecoder, ZlibDecoder};
use httparse::{EMPTY_HEADER, ParserConfig, Response, Status};
use memchr::memchr;

use crate::error::Fault;

/// The longest head of a response. Servers send less than 8 KiB, or their clients refuse them.
pub(super) const MAX_HEAD_BYTES: usize = 64 << 10;

/// The most fields of a head: twice what browsers accept is more than crawls have.
const MAX_FIELDS: usize = 512;

/// The most content codings of one body. Servers use one, and each may be a bomb.
const MAX_CODINGS: usize = 4;

/// 8 MiB, the largest window that a server may use (RFC 9659); others are not for pages.
const ZSTD_WINDOW_LOG: u32 = 23;

/// The head of a response.
#[derive(Debug)]
pub(super) struct Head {
    pub(super) content_type: Option<String>,
    pub(super) packing: Result<Packing, Fault>,
    /// Where the body begins.
    pub(super) body: usize,
}

/// How a body was packed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Packing {
    /// Whether it is in chunks.
    chunked: bool,
    /// The content codings, in the order in which they were applied.
    codings: Vec<Coding>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Coding {
    Gzip,
    Deflate,
    Brotli,
    Zstd,
}

impl Coding {
    /// The coding of this name; `None` for none at all.
    fn named(name: &str) -> Result<Option<Self>, Fault> {
        Ok(Some(match name.to_ascii_lowercase().as_str() {
            "gzip" | "x-gzip" => Self::Gzip,
            "deflate" => Self::Deflate,
            "br" => Self::Brotli,
            "zstd" => Self::Zstd,
            "" | "identity" | "none" => return Ok(None),
            _ => {
                let name: String = name.chars().take(40).collect();
                return Err(Fault::Payload(format!(
                    "has the content coding `{name}`, which is not known"
                )));
            }
        }))
    }

    fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Deflate => "deflate",
            Self::Brotli => "br",
            Self::Zstd => "zstd",
        }
    }
}

/// Takes the head of a response apart. What is known of the status is told even if the rest is
/// not as it should be.
pub(super) fn head(block: &[u8]) -> (Option<u16>, Result<Head, Fault>) {
    let bytes = &block[..block.len().min(MAX_HEAD_BYTES)];
    let bytes = with_known_version(bytes);
    let mut fields = [EMPTY_HEADER; MAX_FIELDS];
    let mut response = Response::new(&mut fields);
    let parsed = ParserConfig::default()
        .allow_spaces_after_header_name_in_responses(true)
        .allow_multiple_spaces_in_response_status_delimiters(true)
        .allow_obsolete_multiline_headers_in_responses(true)
        .ignore_invalid_headers_in_responses(true)
        .parse_response(&mut response, &bytes);
    let status = response.code;
    let body = match parsed {
        Ok(Status::Complete(body)) => body,
        Ok(Status::Partial) => {
            let fault = Fault::Header("has an HTTP header without an end".to_owned());
            return (status, Err(fault));
        }
        Err(said) => {
            let fault = Fault::Header(format!("has an HTTP header that cannot be read: {said}"));
            return (status, Err(fault));
        }
    };
    let values = |name: &'static str| {
        let named =
            response.headers.iter().filter(move |field| field.name.eq_ignore_ascii_case(name));
        named.map(|field| String::from_utf8_lossy(field.value))
    };
    let packing = values("Content-Encoding")
        .flat_map(|list| list.split(',').map(|name| name.trim().to_owned()).collect::<Vec<_>>())
        .filter_map(|name| Coding::named(&name).transpose())
        .collect::<Result<Vec<_>, _>>()
        .and_then(|codings| {
            if codings.len() > MAX_CODINGS {
                let fault = format!("has more than {MAX_CODINGS} content codings");
                return Err(Fault::Payload(fault));
            }
            let chunked = values("Transfer-Encoding").any(|list| {
                list.split(',').any(|name| name.trim().eq_ignore_ascii_case("chunked"))
            });
            Ok(Packing { chunked, codings })
        });
    // Of several types browsers take the last.
    let content_type = values("Content-Type").next_back().map(Cow::into_owned);
    let body = body + block.len().min(MAX_HEAD_BYTES) - bytes.len();
    (status, Ok(Head { content_type, packing, body }))
}

/// The head with a version that the parser knows: crawlers write `HTTP/2` too.
fn with_known_version(bytes: &[u8]) -> Cow<'_, [u8]> {
    let other = bytes.strip_prefix(b"HTTP/").filter(|rest| !rest.starts_with(b"1."));
    let space = other.and_then(|rest| memchr(b' ', &rest[..rest.len().min(8)]));
    match (other, space) {
        (Some(rest), Some(space)) => Cow::Owned([b"HTTP/1.1", &rest[space..]].concat()),
        _ => Cow::Borrowed(bytes),
    }
}

impl Packing {
    /// What a whole body unpacks to, up to a limit.
    pub(crate) fn unpack<'a>(&self, body: &'a [u8], limit: u64) -> Result<Cow<'a, [u8]>, Fault> {
        let mut unpacked = if self.chunked { without_chunks(body)? } else { Cow::Borrowed(body) };
        for &coding in self.codings.iter().rev() {
            if let Some(decoded) = coding.decode(&unpacked, limit)? {
                unpacked = Cow::Owned(decoded);
            }
        }
        Ok(unpacked)
    }

    /// The first bytes of what a body, of which this is the beginning, unpacks to: as far as they
    /// can be told.
    pub(super) fn beginning(&self, body: &[u8], bytes: usize) -> Vec<u8> {
        let chunks = if self.chunked { first_chunks(body) } else { None };
        let mut beginning = chunks.map_or(Cow::Borrowed(body), Cow::Owned);
        for &coding in self.codings.iter().rev() {
            if coding.begins(&beginning) {
                let mut decoded = Vec::new();
                // It is cut off, so there may be an error after what is wanted.
                let _ = coding
                    .reader(&beginning)
                    .and_then(|reader| reader.take(bytes as u64).read_to_end(&mut decoded));
                beginning = Cow::Owned(decoded);
            }
        }
        beginning[..beginning.len().min(bytes)].to_vec()
    }
}

impl Coding {
    /// Whether bytes may be of this coding, by how they begin.
    fn begins(self, bytes: &[u8]) -> bool {
        match self {
            Self::Gzip => bytes.starts_with(&[0x1f, 0x8b]),
            Self::Zstd => bytes.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]),
            Self::Deflate | Self::Brotli => !bytes.is_empty(),
        }
    }

    /// Unpacks the bytes; `None` if they are unpacked already.
    fn decode(self, bytes: &[u8], limit: u64) -> Result<Option<Vec<u8>>, Fault> {
        if !self.begins(bytes) {
            return Ok(None);
        }
        let mut decoded = Vec::new();
        // One byte more than allowed, to see whether there is more.
        let read = self
            .reader(bytes)
            .and_then(|reader| reader.take(limit.saturating_add(1)).read_to_end(&mut decoded));
        if decoded.len() as u64 > limit {
            return Err(Fault::TooLong(limit));
        }
        match read {
            Ok(_) => Ok(Some(decoded)),
            // These codings have no magic, but what they make is hardly ever UTF-8.
            Err(_)
                if matches!(self, Self::Deflate | Self::Brotli)
                    && str::from_utf8(bytes).is_ok() =>
            {
                Ok(None)
            }
            Err(said) => Err(Fault::Payload(format!(
                "has a body that cannot be unpacked by `{}`: {said}",
                self.name()
            ))),
        }
    }

    fn reader(self, bytes: &[u8]) -> io::Result<Box<dyn Read + '_>> {
        Ok(match self {
            Self::Gzip => Box::new(GzipMembers::new(bytes)),
            Self::Deflate if is_zlib(bytes) => Box::new(ZlibDecoder::new(bytes)),
            Self::Deflate => Box::new(DeflateDecoder::new(bytes)),
            // A window of up to 1 GiB, which no browser accepts.
            Self::Brotli if bytes.first().is_some_and(|byte| byte & 0x7f == 0x11) => {
                return Err(io::Error::new(io::ErrorKind::InvalidData, "its window is too large"));
            }
            Self::Brotli => Box::new(Decompressor::new(bytes, 4096)),
            Self::Zstd => {
                let mut decoder = zstd::stream::read::Decoder::with_buffer(bytes)?;
                decoder.window_log_max(ZSTD_WINDOW_LOG)?;
                Box::new(decoder)
            }
        })
    }
}

/// Whether bytes begin with the header of zlib. Servers send `deflate` with and without it.
fn is_zlib(bytes: &[u8]) -> bool {
    match bytes {
        [method, flags, ..] => {
            method & 0x0f == 8 && (u16::from(*method) << 8 | u16::from(*flags)) % 31 == 0
        }
        _ => false,
    }
}

/// One gzip member after another, and whatever else follows left out, as browsers do.
struct GzipMembers<'a>(Option<GzDecoder<&'a [u8]>>);

impl<'a> GzipMembers<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self(Some(GzDecoder::new(bytes)))
    }
}

impl Read for GzipMembers<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        while let Some(member) = &mut self.0 {
            let read = member.read(buffer)?;
            if read > 0 || buffer.is_empty() {
                return Ok(read);
            }
            let rest = *member.get_ref();
            self.0 = Coding::Gzip.begins(rest).then(|| GzDecoder::new(rest));
        }
        Ok(0)
    }
}

/// A chunk of a body in chunks.
struct Chunk<'a> {
    data: &'a [u8],
    /// What follows the chunk, `None` if it is cut off or does not end as a chunk does.
    rest: Option<&'a [u8]>,
    is_cut: bool,
}

/// The chunk that these bytes begin with; `None` if they do not.
fn first_chunk(bytes: &[u8]) -> Option<Chunk<'_>> {
    let end = memchr(b'\n', &bytes[..bytes.len().min(1024)])?;
    let line = &bytes[..end];
    let size = &line[..memchr(b';', line).unwrap_or(line.len())];
    let size = str::from_utf8(size.trim_ascii()).ok()?;
    if !size.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        return None;
    }
    let size = u64::from_str_radix(size, 16).ok()?;
    let after = &bytes[end + 1..];
    let data = &after[..after.len().min(usize::try_from(size).unwrap_or(usize::MAX))];
    if (data.len() as u64) < size {
        return Some(Chunk { data, rest: None, is_cut: true });
    }
    let after = &after[data.len()..];
    let rest = after.strip_prefix(b"\r\n").or_else(|| after.strip_prefix(b"\n"));
    // The last one may stand at the very end, and before other fields.
    let rest = rest.or_else(|| (size == 0 || after.is_empty()).then_some(after));
    Some(Chunk { data, rest, is_cut: false })
}

/// The data of the chunks that these bytes begin with, as far as they go; `None` if there is none.
fn first_chunks(bytes: &[u8]) -> Option<Vec<u8>> {
    let mut next = Some(first_chunk(bytes)?);
    let mut joined = Vec::new();
    while let Some(Chunk { data, rest, .. }) = next {
        joined.extend_from_slice(data);
        next = rest.filter(|_| !data.is_empty()).and_then(first_chunk);
    }
    Some(joined)
}

/// The body without the sizes of its chunks. If the first chunk is none, they are gone already.
fn without_chunks(body: &[u8]) -> Result<Cow<'_, [u8]>, Fault> {
    let broken = |said: &str| Err(Fault::Payload(format!("has a body in chunks, {said}")));
    let mut joined = Vec::new();
    let mut rest = body;
    while !rest.is_empty() {
        match first_chunk(rest) {
            Some(Chunk { is_cut: true, .. }) => return broken("the last of which is cut off"),
            Some(Chunk { data, rest: Some(after), .. }) => {
                if data.is_empty() {
                    break;
                }
                joined.extend_from_slice(data);
                rest = after;
            }
            _ if rest.len() == body.len() => return Ok(Cow::Borrowed(body)),
            _ => return broken("one of which has no size"),
        }
    }
    Ok(Cow::Owned(joined))
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use proptest::prelude::*;

    use super::*;

    const LIMIT: u64 = 1 << 20;

    fn chunked(body: &[u8], size: usize) -> Vec<u8> {
        let chunks = body.chunks(size).flat_map(|chunk| {
            [format!("{:X};a=b\r\n", chunk.len()).as_bytes(), chunk, b"\r\n"].concat()
        });
        chunks.chain(*b"0\r\nX: y\r\n\r\n").collect()
    }

    fn encode(coding: Coding, zlib: bool, bytes: &[u8]) -> Vec<u8> {
        let level = flate2::Compression::fast();
        match coding {
            Coding::Gzip => {
                let mut out = flate2::write::GzEncoder::new(Vec::new(), level);
                out.write_all(bytes).unwrap();
                out.finish().unwrap()
            }
            Coding::Deflate if zlib => {
                let mut out = flate2::write::ZlibEncoder::new(Vec::new(), level);
                out.write_all(bytes).unwrap();
                out.finish().unwrap()
            }
            Coding::Deflate => {
                let mut out = flate2::write::DeflateEncoder::new(Vec::new(), level);
                out.write_all(bytes).unwrap();
                out.finish().unwrap()
            }
            Coding::Brotli => stored_brotli(bytes),
            Coding::Zstd => zstd::encode_all(bytes, 1).unwrap(),
        }
    }

    /// Brotli without packing anything: for each block its length, and the bytes.
    fn stored_brotli(bytes: &[u8]) -> Vec<u8> {
        // A window of 16 bits is one zero bit; then for each block: not the last, four nibbles of
        // length, its length less one, stored; and zeros up to the next byte.
        let mut out = Vec::new();
        for (i, block) in bytes.chunks(1 << 15).enumerate() {
            let bits = (block.len() as u32 - 1) << 3 | 1 << 19;
            out.extend_from_slice(&(if i == 0 { bits << 1 } else { bits }).to_le_bytes()[..3]);
            out.extend_from_slice(block);
        }
        // The last block, with nothing in it; of nothing at all, after the window.
        out.push(if bytes.is_empty() { 0b110 } else { 0b11 });
        out
    }

    fn packing(chunked: bool, codings: &[Coding]) -> Packing {
        Packing { chunked, codings: codings.to_vec() }
    }

    const CODINGS: [Coding; 4] = [Coding::Gzip, Coding::Deflate, Coding::Brotli, Coding::Zstd];

    proptest! {
        #[test]
        fn bodies_unpack_to_what_was_packed(
            page in "(<p>[a-z ]{0,30}){0,40}",
            codings in prop::collection::vec(prop::sample::select(&CODINGS[..]), 0..3),
            zlib: bool,
            size in prop::option::of(1_usize..200),
        ) {
            let encoded = codings
                .iter()
                .fold(page.clone().into_bytes(), |bytes, coding| encode(*coding, zlib, &bytes));
            let body = size.map_or(encoded.clone(), |size| chunked(&encoded, size));
            let packing = packing(size.is_some(), &codings);
            prop_assert_eq!(packing.unpack(&body, LIMIT).unwrap().into_owned(), page.as_bytes());
            let beginning = packing.beginning(&body, 16);
            prop_assert!(page.as_bytes().starts_with(&beginning));
        }

        #[test]
        fn any_bytes_unpack_to_something_or_a_fault(
            body in prop::collection::vec(any::<u8>(), 0..200),
            codings in prop::collection::vec(prop::sample::select(&CODINGS[..]), 0..3),
            chunked: bool,
        ) {
            let packing = packing(chunked, &codings);
            let unpacked = packing.unpack(&body, 1000);
            prop_assert!(unpacked.map_or(true, |unpacked| unpacked.len() <= 1000));
            prop_assert!(packing.beginning(&body, 10).len() <= 10);
            let _ = head(&body);
            let _ = head(&[b"HTTP/1.1 200 OK\r\n", &body[..]].concat());
        }
    }

    #[test]
    fn bodies_that_were_unpacked_before_are_taken_as_they_are() {
        let page = b"<html>plain</html>";
        for coding in CODINGS {
            let unpacked = packing(true, &[coding]).unpack(page, LIMIT);
            assert_eq!(unpacked.unwrap(), &page[..], "{coding:?}");
        }
        // Begins as a chunk would, but does not end as one.
        let text = b"12\r\nmonths, and then some more of them";
        assert_eq!(packing(true, &[]).unpack(text, LIMIT).unwrap(), &text[..]);
    }

    #[test]
    fn broken_bodies_are_faults() {
        let page =
            b"<html>a page of some length, so that there is something to cut</html>".repeat(9);
        for coding in CODINGS {
            let body = encode(coding, true, &page);
            let cut = &body[..body.len() / 2];
            let unpacked = packing(false, &[coding]).unpack(cut, LIMIT);
            assert!(matches!(unpacked, Err(Fault::Payload(_))), "{coding:?} {unpacked:?}");
        }
        for body in [
            &b"5\r\nwords\r\n10\r\ncut"[..],
            b"5\r\nwords\r\nno size\r\n",
            b"ffffffffffffffff\r\nx",
        ] {
            let unpacked = packing(true, &[]).unpack(body, LIMIT);
            assert!(matches!(unpacked, Err(Fault::Payload(_))), "{unpacked:?}");
        }
        let end_missing = packing(true, &[]).unpack(b"5\r\nwords\r\n", LIMIT);
        assert_eq!(end_missing.unwrap(), &b"words"[..]);
    }

    #[test]
    fn bombs_stop_at_the_limit() {
        let page = vec![b' '; 3 << 20];
        for coding in CODINGS {
            let body = encode(coding, false, &page);
            let unpacked = packing(false, &[coding]).unpack(&body, LIMIT);
            assert_eq!(unpacked, Err(Fault::TooLong(LIMIT)), "{coding:?}");
            assert!(packing(false, &[coding]).unpack(&body, 3 << 20).is_ok(), "{coding:?}");
        }
        // A window of 1 GiB is refused before there is one.
        let large_window = packing(false, &[Coding::Brotli]).unpack(&[0x11, 0xfe, 0xff], LIMIT);
        assert!(matches!(large_window, Err(Fault::Payload(_))), "{large_window:?}");
    }

    #[test]
    fn several_members_are_one_body_and_padding_is_left_out() {
        let member = |text: &[u8]| encode(Coding::Gzip, false, text);
        let body = [member(b"one "), member(b"two"), vec![0; 7]].concat();
        assert_eq!(packing(false, &[Coding::Gzip]).unpack(&body, LIMIT).unwrap(), &b"one two"[..]);
    }

    #[test]
    fn heads_of_all_kinds_are_read() {
        let read = |text: &str| head(text.as_bytes());
        let (status, found) = read(
            "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\ncontent-type: text/html; charset=x\r\n\
             Bad Header: 1\r\nno colon\r\nContent-Encoding: GZIP, identity\r\nContent-Encoding: br\r\n\
             Transfer-Encoding: Chunked\r\n\r\nbody",
        );
        let found = found.unwrap();
        assert_eq!(status, Some(200));
        assert_eq!(found.content_type.as_deref(), Some("text/html; charset=x"));
        assert_eq!(found.packing, Ok(packing(true, &[Coding::Gzip, Coding::Brotli])));

        for text in [
            "HTTP/2 200\r\nA: b\r\n\r\nbody",
            "HTTP/1.0 200 OK\n\nbody",
            "HTTP/0.9 200 \r\n\r\nbody",
        ] {
            let (status, found) = read(text);
            let found = found.unwrap();
            assert_eq!((status, &text[found.body..]), (Some(200), "body"), "{text}");
            assert_eq!(found.content_type, None);
        }
        assert_eq!(read("HTTP/1.1 404 Not").0, Some(404));
        assert_eq!(read("HTTP/1.1 40").0, None);
        let (status, found) = read("HTTP/1.1 404 Not Found\r\nA: b\r\n");
        assert!(status == Some(404) && found.is_err());
        let (_, unknown) = read("HTTP/1.1 200 OK\r\nContent-Encoding: rot13\r\n\r\n");
        assert!(unknown.unwrap().packing.unwrap_err().to_string().contains("rot13"));
        let many = read("HTTP/1.1 200 OK\r\nContent-Encoding: br,br,br,br,br\r\n\r\n").1;
        assert!(many.unwrap().packing.is_err());
        let (_, long) =
            read(&format!("HTTP/1.1 200 OK\r\nA: {}\r\n\r\n", "b".repeat(MAX_HEAD_BYTES)));
        assert!(long.is_err());
        let many = format!("HTTP/1.1 200 OK\r\n{}\r\n", "A: b\r\n".repeat(MAX_FIELDS + 1));
        assert!(read(&many).1.is_err());
    }
}
