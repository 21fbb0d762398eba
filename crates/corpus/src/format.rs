//! What a file holds, as its name or its first bytes have it.

use serde::{Deserialize, Serialize};

use crate::compression::Compression;

/// How the documents lie in a file. Written down by its usual name, as [`Format::named`] has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Format {
    /// The file is one document.
    #[serde(rename = "text")]
    TextFile,
    /// The file is one web page.
    Html,
    /// One JSON object on each line.
    #[serde(rename = "jsonl")]
    JsonLines,
    /// Fields between commas, with a header.
    Csv,
    /// Fields between tabs, with a header.
    Tsv,
    /// Apache Parquet.
    Parquet,
    /// Apache Arrow's IPC format: a file (Feather) or a stream.
    Arrow,
    /// A web archive.
    Warc,
}

/// What files of each format are called.
const EXTENSIONS: [(&str, Format); 14] = [
    ("txt", Format::TextFile),
    ("md", Format::TextFile),
    ("html", Format::Html),
    ("htm", Format::Html),
    ("jsonl", Format::JsonLines),
    ("ndjson", Format::JsonLines),
    ("json", Format::JsonLines),
    ("csv", Format::Csv),
    ("tsv", Format::Tsv),
    ("parquet", Format::Parquet),
    ("arrow", Format::Arrow),
    ("feather", Format::Arrow),
    ("warc", Format::Warc),
    ("wet", Format::Warc),
];

impl Format {
    /// The format of its usual name: `text`, `html`, `jsonl`, `csv`, `tsv`, `parquet`, `arrow` or `warc`;
    /// also every extension that is known.
    pub fn named(name: &str) -> Option<Self> {
        if name == "text" {
            return Some(Self::TextFile);
        }
        EXTENSIONS.iter().find(|known| known.0.eq_ignore_ascii_case(name)).map(|known| known.1)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::TextFile => "text",
            Self::Html => "html",
            Self::JsonLines => "jsonl",
            Self::Csv => "csv",
            Self::Tsv => "tsv",
            Self::Parquet => "parquet",
            Self::Arrow => "arrow",
            Self::Warc => "warc",
        }
    }

    /// The first of its extensions, with the dot.
    pub fn extension(self) -> &'static str {
        match self {
            Self::TextFile => ".txt",
            Self::Html => ".html",
            Self::JsonLines => ".jsonl",
            Self::Csv => ".csv",
            Self::Tsv => ".tsv",
            Self::Parquet => ".parquet",
            Self::Arrow => ".arrow",
            Self::Warc => ".warc",
        }
    }

    /// What a file's name says, whether it is compressed or not.
    pub fn from_name(name: &str) -> Option<Self> {
        let (_, extension) = without_compression(name).rsplit_once('.')?;
        EXTENSIONS.iter().find(|known| known.0.eq_ignore_ascii_case(extension)).map(|known| known.1)
    }

    /// What the first bytes of a file, unpacked, say: Parquet, Arrow and WARC by their magic, JSON lines by a first
    /// line that is an object, or by the beginning of one that is too long to tell, a web page by
    /// the tag it begins with. Everything else is text.
    pub fn from_content(head: &[u8]) -> Self {
        if head.starts_with(b"PAR1") {
            return Self::Parquet;
        }
        if is_arrow(head) {
            return Self::Arrow;
        }
        if head.starts_with(b"WARC/1.") || head.starts_with(b"WARC/0.") {
            return Self::Warc;
        }
        let head = head.strip_prefix(BYTE_ORDER_MARK).unwrap_or(head).trim_ascii_start();
        let is_object = match memchr::memchr(b'\n', head) {
            Some(end) => {
                head.starts_with(b"{")
                    && serde_json::from_slice::<serde::de::IgnoredAny>(&head[..end]).is_ok()
            }
            None => head
                .strip_prefix(b"{")
                .is_some_and(|rest| rest.trim_ascii_start().starts_with(b"\"")),
        };
        let begins_with = |tag: &&str| {
            head.get(..tag.len()).is_some_and(|start| start.eq_ignore_ascii_case(tag.as_bytes()))
        };
        if is_object {
            Self::JsonLines
        } else if ["<!doctype html", "<html", "<head", "<body"].iter().any(begins_with) {
            Self::Html
        } else {
            Self::TextFile
        }
    }
}

/// Whether bytes that begin so are Arrow's. A stream begins with the mark of a message, whose length has
/// its highest byte 0.
pub(crate) fn is_arrow(head: &[u8]) -> bool {
    head.starts_with(b"ARROW1\0\0") || matches!(head, [0xff, 0xff, 0xff, 0xff, _, _, _, 0, ..])
}

/// UTF-8 has no byte order, but some editors begin every file with the mark of it.
pub(crate) const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The name without the extension of a compression.
pub(crate) fn without_compression(name: &str) -> &str {
    &name[..name.len() - Compression::from_name(name).extension().len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_tell_format_and_compression() {
        for (name, format, compression) in [
            ("a.jsonl", Some(Format::JsonLines), Compression::None),
            ("a.JSON.GZ", Some(Format::JsonLines), Compression::Gzip),
            ("a.b.csv.zst", Some(Format::Csv), Compression::Zstd),
            ("a.tsv.bz2", Some(Format::Tsv), Compression::Bzip2),
            ("a.md.xz", Some(Format::TextFile), Compression::Xz),
            ("a.parquet", Some(Format::Parquet), Compression::None),
            ("a.arrow", Some(Format::Arrow), Compression::None),
            ("a.feather.gz", Some(Format::Arrow), Compression::Gzip),
            ("a.HTM.gz", Some(Format::Html), Compression::Gzip),
            ("index.html", Some(Format::Html), Compression::None),
            ("a.warc.gz", Some(Format::Warc), Compression::Gzip),
            ("a.warc.wet.gz", Some(Format::Warc), Compression::Gzip),
            ("a.WET.zst", Some(Format::Warc), Compression::Zstd),
            ("a.warc.wat.gz", None, Compression::Gzip),
            ("a.gz", None, Compression::Gzip),
            ("jsonl", None, Compression::None),
            ("", None, Compression::None),
        ] {
            assert_eq!(Format::from_name(name), format, "{name}");
            assert_eq!(Compression::from_name(name), compression, "{name}");
        }
    }

    #[test]
    fn content_tells_the_format() {
        assert_eq!(Format::from_content(b"PAR1\x15\x04"), Format::Parquet);
        assert_eq!(Format::from_content(b"ARROW1\0\0\xff\xff"), Format::Arrow);
        assert_eq!(Format::from_content(b"\xff\xff\xff\xff\x70\0\0\0"), Format::Arrow);
        assert_eq!(Format::from_content(b"ARROW1 is a word"), Format::TextFile);
        assert_eq!(Format::from_content(b"WARC/1.0\r\nWARC-Type"), Format::Warc);
        assert_eq!(Format::from_content(b"WARC/0.18\r\n"), Format::Warc);
        assert_eq!(Format::from_content(b"WARC/ is a word"), Format::TextFile);
        assert_eq!(Format::from_content(b"\xef\xbb\xbf{\"a\": 1}\nx"), Format::JsonLines);
        assert_eq!(Format::from_content(b"{ \"text\": \"and so on"), Format::JsonLines);
        assert_eq!(Format::from_content(b"\n <!DOCTYPE HTML PUBLIC"), Format::Html);
        assert_eq!(Format::from_content(b"\xef\xbb\xbf<html lang=en>"), Format::Html);
        for text in
            [&b"{\n}"[..], b"{curly} text\n", b"", b"{", b"[1]\n", b"plain\n{}\n", b"<p>", b"<htm"]
        {
            assert_eq!(Format::from_content(text), Format::TextFile);
        }
    }
}
