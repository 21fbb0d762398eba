//! What is measured on: documents in memory, read or generated.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::path::Path;

use lookalike_kernels::Sequence;

/// Documents as UTF-8 in memory.
pub(crate) struct Corpus {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) documents: Vec<Vec<u8>>,
}

/// What the documents are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Texts,
    Pages,
}

impl Corpus {
    pub(crate) fn bytes(&self) -> usize {
        self.documents.iter().map(Vec::len).sum()
    }

    /// The documents in order, in pieces of 64 KiB and more: with their tokens they stay in the
    /// second-level cache.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = Self> {
        let mut rest = &self.documents[..];
        std::iter::from_fn(move || {
            let mut bytes = 0;
            let full = |document: &Vec<u8>| {
                bytes += document.len();
                bytes >= 64 << 10
            };
            let count = rest.iter().position(full).map_or(rest.len(), |last| last + 1);
            let (piece, behind) = rest.split_at(count);
            rest = behind;
            let documents = piece.to_vec();
            (count > 0).then(|| Self { name: self.name.clone(), kind: self.kind, documents })
        })
    }

    /// The documents for which `keep` holds, under another name.
    fn part(&self, name: &str, keep: impl Fn(&[u8]) -> bool) -> Self {
        let documents = self.documents.iter().filter(|text| keep(text)).cloned().collect();
        Self { name: format!("{}, {name}", self.name), kind: self.kind, documents }
    }

    /// The field `text` of a JSONL file, plain or compressed with zstd: all of it, the documents
    /// in English letters, and the others; or its web pages, if the first record has the field
    /// `html` only.
    pub(crate) fn read(path: &Path) -> io::Result<Vec<Self>> {
        let file = File::open(path)?;
        let reader: Box<dyn Read> = if path.extension().is_some_and(|e| e == "zst") {
            Box::new(zstd::Decoder::new(file)?)
        } else {
            Box::new(file)
        };
        let mut documents = Vec::new();
        let mut kind = Kind::Texts;
        for (number, line) in BufReader::new(reader).lines().enumerate() {
            let record: serde_json::Value = serde_json::from_str(&line?)?;
            if number == 0 && record["text"].is_null() && record["html"].is_string() {
                kind = Kind::Pages;
            }
            let field = if kind == Kind::Pages { "html" } else { "text" };
            let Some(text) = record[field].as_str() else {
                let message = format!("line {}: field `{field}` is missing", number + 1);
                return Err(io::Error::new(io::ErrorKind::InvalidData, message));
            };
            documents.push(text.as_bytes().to_vec());
        }
        let name = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let all = Self { name, kind, documents };
        if kind == Kind::Pages {
            return Ok(vec![all]);
        }
        let english = all.part("at least 99 % ASCII", mostly_ascii);
        let other = all.part("less than 99 % ASCII", |text| !mostly_ascii(text));
        Ok(vec![all, english, other])
    }

    /// English-like text: words of English lengths, the frequent ones often, with capitals, commas
    /// and full stops, in documents of about 4 KB. The same for the same size, everywhere.
    pub(crate) fn generated(bytes: usize) -> Self {
        let mut random = Sequence::new(1, 1);
        let mut below = |n: u64| ((u128::from(random.next()) * u128::from(n)) >> 64) as u64;
        let vocabulary: Vec<Vec<u8>> = (0..20_000)
            .map(|_| {
                let mut percent = below(101);
                let mut length = 0;
                while length + 1 < LENGTHS.len() && percent >= LENGTHS[length] {
                    percent -= LENGTHS[length];
                    length += 1;
                }
                (0..=length).map(|_| b'a' + below(26) as u8).collect()
            })
            .collect();
        let mut documents = Vec::new();
        let mut written = 0;
        while written < bytes {
            let mut text = Vec::with_capacity(4200);
            let mut sentence = 0;
            while text.len() < 4096 {
                // The product of two draws prefers small ranks, as Zipf's law does.
                let most = below(vocabulary.len() as u64);
                let rank = below(1 + most) as usize;
                let at = text.len();
                text.extend_from_slice(&vocabulary[rank]);
                if sentence == 0 {
                    text[at].make_ascii_uppercase();
                    sentence = 5 + below(20);
                }
                sentence -= 1;
                if sentence == 0 {
                    text.extend_from_slice(b".\n");
                } else if below(12) == 0 {
                    text.extend_from_slice(b", ");
                } else {
                    text.push(b' ');
                }
            }
            written += text.len();
            documents.push(text);
        }
        Self { name: "generated English-like text".to_owned(), kind: Kind::Texts, documents }
    }

    /// Pages that show these texts and nothing else, most of their bytes markup and scripts.
    pub(crate) fn pages_of(texts: &Self) -> Self {
        const HEAD: &[u8] = b"<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n";
        let script = b"window.load('a', { b: 1 < 2 && 3 > 2 }); /* nothing to see */\n".repeat(60);
        let page = |text: &Vec<u8>| {
            let mut page = [HEAD, b"<script>", &script, b"</script></head>\n<body>"].concat();
            for (line, sentence) in text.split(|&byte| byte == b'\n').enumerate() {
                page.extend_from_slice(format!("<p class=\"text\" id=\"line-{line}\">").as_bytes());
                for (place, word) in sentence.split(|&byte| byte == b' ').enumerate() {
                    if place % 4 == 3 {
                        let link = format!("<a href=\"https://example.org/{line}?a&amp;b\">");
                        page.extend_from_slice(link.as_bytes());
                        page.extend_from_slice(word);
                        page.extend_from_slice(b"</a>\n");
                    } else {
                        page.extend_from_slice(word);
                        page.push(b' ');
                    }
                }
                page.extend_from_slice(b"<!-- end --></p>\n");
            }
            page
        };
        let documents = texts.documents.iter().map(page).collect();
        Self { name: "generated web pages".to_owned(), kind: Kind::Pages, documents }
    }
}

/// Lengths of running English words, in percent: 1 to 13 letters.
const LENGTHS: [u64; 13] = [3, 17, 21, 16, 11, 8, 8, 6, 4, 3, 2, 1, 1];

fn mostly_ascii(text: &[u8]) -> bool {
    100 * text.iter().filter(|byte| !byte.is_ascii()).count() <= text.len()
}
