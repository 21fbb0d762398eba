//! Which records are documents, and where in them the text is.

use std::borrow::Cow;

use super::header::Header;
use super::http::{self, Head, Packing};
use crate::charset::{charset_of, decode_page, decode_text};
use crate::error::Fault;
use crate::format::Format;
use crate::record::ContentKind;

/// How much of a body is looked at to see whether it is a web page.
const SNIFFED_BYTES: usize = 1024;

/// How much of a block it takes to tell what the record is.
pub(super) const TELLING_BYTES: usize = http::MAX_HEAD_BYTES + (4 << 10);

/// What a record is.
#[derive(Debug)]
pub(super) enum Class {
    Document(Payload),
    /// No document, for this reason.
    PassedOver(Cow<'static, str>),
    Bad(Fault),
}

/// The text of a document as its record has it.
#[derive(Debug)]
pub(super) struct Payload {
    /// Where in the block it begins. It goes on to the end.
    pub(super) start: usize,
    pub(super) kind: ContentKind,
    charset: Option<String>,
    packing: Packing,
}

impl Payload {
    /// The text in UTF-8, of at most so many bytes before its characters are decoded.
    pub(super) fn text<'a>(&self, body: &'a [u8], limit: u64) -> Result<Cow<'a, [u8]>, Fault> {
        Ok(match self.packing.unpack(body, limit)? {
            Cow::Borrowed(body) => match self.decode(body) {
                Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
                Cow::Owned(text) => Cow::Owned(text.into_bytes()),
            },
            Cow::Owned(body) => Cow::Owned(match self.decode(&body) {
                Cow::Borrowed(text) if text.len() == body.len() => body,
                text => text.into_owned().into_bytes(),
            }),
        })
    }

    fn decode<'a>(&self, body: &'a [u8]) -> Cow<'a, str> {
        match self.kind {
            ContentKind::Html => decode_page(body, self.charset.as_deref()),
            ContentKind::Text | ContentKind::Items => decode_text(body, self.charset.as_deref()),
        }
    }
}

/// Tells what a record is from its header and its block, or the beginning of it.
pub(super) fn classify(header: Header<'_>, block: &[u8]) -> Class {
    let kind = header.get("WARC-Type").unwrap_or_default().to_ascii_lowercase();
    let tell: fn(Option<&str>, &[u8]) -> Class = match &*kind {
        "response" => response,
        "resource" => resource,
        "conversion" => conversion,
        _ => return Class::PassedOver(record_type(&kind)),
    };
    if header.get("WARC-Truncated").is_some() {
        return Class::PassedOver("truncated".into());
    }
    if header.get("WARC-Segment-Number").is_some() {
        return Class::PassedOver("segmented".into());
    }
    tell(header.get("Content-Type").as_deref(), block)
}

/// What there is to say of a body whose server did not say what it is.
const NO_TYPE: Cow<'static, str> = Cow::Borrowed("no content type");

/// A file of the crawler's own.
fn resource(content_type: Option<&str>, block: &[u8]) -> Class {
    let Some(stated) = content_type else { return sniffed(block, 0, Packing::default()) };
    match content_kind(stated) {
        Some(kind) => document(kind, stated, 0, Packing::default()),
        None => Class::PassedOver(media_type(stated)),
    }
}

/// What was made of another record: the text of a page.
fn conversion(content_type: Option<&str>, _block: &[u8]) -> Class {
    let Some(stated) = content_type else { return Class::PassedOver(NO_TYPE) };
    match content_kind(stated) {
        Some(ContentKind::Text) => document(ContentKind::Text, stated, 0, Packing::default()),
        _ => Class::PassedOver(media_type(stated)),
    }
}

/// The answer of a server.
fn response(record_content_type: Option<&str>, block: &[u8]) -> Class {
    let is_http = match record_content_type {
        Some(content_type) => essence(content_type).eq_ignore_ascii_case("application/http"),
        None => block.starts_with(b"HTTP/"),
    };
    if !is_http {
        return Class::PassedOver(record_content_type.map_or(NO_TYPE, media_type));
    }
    let (status, head) = http::head(block);
    // Of 204 there is no page, and of 206 a part of one.
    if let Some(status) = status.filter(|status| !matches!(status, 200..=203 | 205 | 207..=299)) {
        return Class::PassedOver(format!("status {status}").into());
    }
    let Head { content_type, packing, body } = match head {
        Ok(head) => head,
        Err(fault) => return Class::Bad(fault),
    };
    let stated = content_type.as_deref().filter(|stated| !essence(stated).is_empty());
    let Some(stated) = stated else {
        // Packed in some unknown way, it does not begin as a page.
        return packing.map_or(Class::PassedOver(NO_TYPE), |packing| sniffed(block, body, packing));
    };
    match (content_kind(stated), packing) {
        (Some(kind), Ok(packing)) => document(kind, stated, body, packing),
        (Some(_), Err(fault)) => Class::Bad(fault),
        (None, _) => Class::PassedOver(media_type(stated)),
    }
}

fn document(kind: ContentKind, content_type: &str, start: usize, packing: Packing) -> Class {
    let charset = charset_of(content_type.as_bytes());
    let charset = charset.map(|charset| String::from_utf8_lossy(charset).into_owned());
    Class::Document(Payload { start, kind, charset, packing })
}

/// A body of which nobody says what it is: a page if it begins as one.
fn sniffed(block: &[u8], start: usize, packing: Packing) -> Class {
    let body = &block[start..];
    // The same bytes whether the block is here whole or not.
    let body = &body[..body.len().min(4 * SNIFFED_BYTES)];
    if Format::from_content(&packing.beginning(body, SNIFFED_BYTES)) != Format::Html {
        return Class::PassedOver(NO_TYPE);
    }
    Class::Document(Payload { start, kind: ContentKind::Html, charset: None, packing })
}

/// What documents of this media type are; `None` if there are none.
fn content_kind(content_type: &str) -> Option<ContentKind> {
    match essence(content_type).to_ascii_lowercase().as_str() {
        "text/html" | "application/xhtml+xml" => Some(ContentKind::Html),
        "text/plain" => Some(ContentKind::Text),
        _ => None,
    }
}

/// The media type without its parameters.
fn essence(content_type: &str) -> &str {
    content_type.split([';', ',']).next().unwrap_or_default().trim()
}

/// A media type as a reason, if it is one: servers send anything.
fn media_type(content_type: &str) -> Cow<'static, str> {
    let essence = essence(content_type);
    let is_part = |part: &str| !part.is_empty() && is_token(part);
    let is_type = essence.split_once('/').is_some_and(|(a, b)| is_part(a) && is_part(b));
    if is_type { essence.to_ascii_lowercase().into() } else { "unreadable content type".into() }
}

/// The type of a record as a reason.
fn record_type(kind: &str) -> Cow<'static, str> {
    match kind {
        "request" => "type request".into(),
        "metadata" => "type metadata".into(),
        "" => "no type".into(),
        _ if is_token(kind) => format!("type {kind}").into(),
        _ => "unreadable type".into(),
    }
}

/// Whether it is a word that can stand in a report.
fn is_token(text: &str) -> bool {
    text.len() <= 60
        && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-+._".contains(&byte))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(header: &str, block: &str) -> String {
        let header = format!("WARC/1.0\r\n{header}\r\n\r\n");
        match classify(Header(header.as_bytes()), block.as_bytes()) {
            Class::Document(payload) => {
                let text = payload.text(&block.as_bytes()[payload.start..], 1000).unwrap();
                format!("{:?} {}", payload.kind, String::from_utf8_lossy(&text))
            }
            Class::PassedOver(reason) => reason.into_owned(),
            Class::Bad(fault) => format!("bad: {fault}"),
        }
    }

    #[test]
    fn pages_and_texts_are_documents() {
        const RESPONSE: &str =
            "WARC-Type: response\r\nContent-Type: application/http; msgtype=response";
        let response =
            |head: &str, body: &str| class(RESPONSE, &format!("HTTP/1.1 {head}\r\n\r\n{body}"));
        for (head, body, expected) in [
            ("200 OK\r\nContent-Type: text/html", "page", "Html page"),
            ("200 OK\r\nContent-Type: Application/XHTML+xml;x=y", "page", "Html page"),
            ("203 OK\r\nContent-Type: text/plain; charset=utf-8", "<html>", "Text <html>"),
            ("200 OK\r\nContent-Type: image/PNG", "png", "image/png"),
            ("200 OK\r\nContent-Type: image/png\r\nContent-Encoding: rot13", "png", "image/png"),
            ("200 OK\r\nContent-Type: nonsense", "x", "unreadable content type"),
            ("200 OK\r\nContent-Type: <b>/x", "x", "unreadable content type"),
            ("200 OK", " <!doctype HTML>x", "Html  <!doctype HTML>x"),
            ("200 OK\r\nContent-Type: ", "<html>x", "Html <html>x"),
            ("200 OK", "words", "no content type"),
            ("204 No Content\r\nContent-Type: text/html", "", "status 204"),
            ("206 Partial\r\nContent-Type: text/html", "x", "status 206"),
            ("404 Not Found\r\nContent-Type: text/html", "x", "status 404"),
            ("301 Moved\r\nLocation: x", "", "status 301"),
            (
                "200 OK\r\nContent-Type: text/html\r\nContent-Encoding: rot13",
                "x",
                "bad: has the content coding `rot13`, which is not known",
            ),
        ] {
            assert_eq!(response(head, body), expected, "{head}");
        }
        assert_eq!(class("WARC-Type: response", "HTTP/1.0 200 OK\n\n<html>"), "Html <html>");
        assert_eq!(class("WARC-Type: response", "20240101"), "no content type");
        assert_eq!(class("WARC-Type: response\r\nContent-Type: text/dns", "1"), "text/dns");
        assert!(class(RESPONSE, "nonsense").starts_with("bad: has an HTTP header"));
        assert!(class(RESPONSE, "HTTP/1.1 200 OK\r\nA: b").starts_with("bad: has an HTTP header"));
    }

    #[test]
    fn other_types_of_records() {
        for (header, block, expected) in [
            ("WARC-Type: resource\r\nContent-Type: text/html", "page", "Html page"),
            ("WARC-Type: resource\r\nContent-Type: text/plain", "text", "Text text"),
            ("WARC-Type: resource\r\nContent-Type: image/gif", "gif", "image/gif"),
            ("WARC-Type: resource", "<html>", "Html <html>"),
            ("WARC-Type: Conversion\r\nContent-Type: text/plain", "text", "Text text"),
            ("WARC-Type: conversion\r\nContent-Type: text/html", "text", "text/html"),
            ("WARC-Type: conversion", "<html>", "no content type"),
            ("WARC-Type: request\r\nContent-Type: text/html", "x", "type request"),
            ("WARC-Type: revisit\r\nContent-Type: application/http", "x", "type revisit"),
            ("WARC-Type: warcinfo", "x", "type warcinfo"),
            ("WARC-Type: continuation", "x", "type continuation"),
            ("WARC-Type: <script>", "x", "unreadable type"),
            ("Content-Type: text/html", "x", "no type"),
            (
                "WARC-Type: resource\r\nContent-Type: text/html\r\nWARC-Truncated: length",
                "x",
                "truncated",
            ),
            (
                "WARC-Type: resource\r\nContent-Type: text/html\r\nWARC-Segment-Number: 1",
                "x",
                "segmented",
            ),
        ] {
            assert_eq!(class(header, block), expected, "{header}");
        }
    }
}
