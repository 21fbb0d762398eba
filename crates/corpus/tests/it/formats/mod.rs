//! Every format read and report, whole and broken, on a real file system.

mod arrows;
mod broken;
mod edits;
mod json_lines;
mod memory;
mod pages;
mod parquets;
mod selections;
mod sets;
mod sources;
mod streams;
mod tables;
mod wanted;
mod warcs;

use std::fs;
use std::io::Write as _;
use std::path::Path;

use lookalike_corpus::{Compression, ReadOptions, Record, Source};

use crate::folder;

/// Packed by each format's own library.
fn pack(compression: Compression, bytes: &[u8]) -> Vec<u8> {
    match compression {
        Compression::None => bytes.to_vec(),
        Compression::Gzip => {
            let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
            out.write_all(bytes).unwrap();
            out.finish().unwrap()
        }
        Compression::Zstd => {
            let mut out = zstd::stream::write::Encoder::new(Vec::new(), 1).unwrap();
            out.include_checksum(true).unwrap();
            out.write_all(bytes).unwrap();
            out.finish().unwrap()
        }
        Compression::Bzip2 => {
            let mut out = bzip2::write::BzEncoder::new(Vec::new(), bzip2::Compression::fast());
            out.write_all(bytes).unwrap();
            out.finish().unwrap()
        }
        Compression::Xz => {
            let mut out = liblzma::write::XzEncoder::new(Vec::new(), 0);
            out.write_all(bytes).unwrap();
            out.finish().unwrap()
        }
    }
}

fn unpack(compression: Compression, bytes: &[u8]) -> Vec<u8> {
    use std::io::Read;
    let mut out = Vec::new();
    let read = match compression {
        Compression::None => return bytes.to_vec(),
        Compression::Gzip => flate2::read::MultiGzDecoder::new(bytes).read_to_end(&mut out),
        Compression::Zstd => zstd::stream::read::Decoder::new(bytes).unwrap().read_to_end(&mut out),
        Compression::Bzip2 => bzip2::read::MultiBzDecoder::new(bytes).read_to_end(&mut out),
        Compression::Xz => liblzma::read::XzDecoder::new(bytes).read_to_end(&mut out),
    };
    read.unwrap();
    out
}

/// A record without its borrows.
#[derive(Clone, Debug, PartialEq)]
struct Read {
    number: u64,
    id: String,
    text: String,
    url: Option<String>,
}

/// Everything a source gives: records, or what is wrong with them, and what ended it.
#[derive(Debug, PartialEq)]
struct All {
    records: Vec<Result<Read, String>>,
    fatal: Option<String>,
}

impl All {
    fn good(&self) -> Vec<&Read> {
        self.records.iter().filter_map(|record| record.as_ref().ok()).collect()
    }

    fn texts(&self) -> Vec<&str> {
        self.good().iter().map(|record| &*record.text).collect()
    }

    fn faults(&self) -> Vec<&str> {
        self.records.iter().filter_map(|record| record.as_ref().err()).map(|f| &**f).collect()
    }
}

fn owned(record: lookalike_corpus::Result<Record<'_>>) -> Result<Read, String> {
    record.map_err(|error| error.to_string()).map(|record| Read {
        number: record.number,
        id: record.id.into_owned(),
        text: String::from_utf8_lossy(&record.content).into_owned(),
        url: record.url.map(std::borrow::Cow::into_owned),
    })
}

fn read_source(source: &Source, options: &ReadOptions) -> All {
    let mut all = All { records: Vec::new(), fatal: None };
    for chunk in source.chunks(options) {
        assert_eq!(all.fatal, None, "an error ends a source");
        let chunk = match chunk {
            Ok(chunk) => chunk,
            Err(error) => {
                all.fatal = Some(error.to_string());
                continue;
            }
        };
        let before = all.records.len() as u64;
        assert_eq!(chunk.first_record(), before + 1);
        chunk.for_each(|record| {
            all.records.push(owned(record));
        });
        assert_eq!(chunk.records(), all.records.len() as u64 - before);
    }
    for (i, record) in all.records.iter().enumerate() {
        assert!(record.as_ref().map_or(true, |record| record.number == i as u64 + 1));
    }
    all
}

fn read(path: &Path) -> All {
    read_source(&Source::file(path, None).unwrap(), &ReadOptions::default())
}

/// Writes the bytes and reads the file.
fn read_bytes(test: &str, name: &str, bytes: impl AsRef<[u8]>) -> All {
    let path = folder(test).join(name);
    fs::write(&path, bytes).unwrap();
    read(&path)
}

fn chunks_of(chunk_bytes: usize) -> ReadOptions {
    let mut options = ReadOptions::default();
    options.chunk_bytes = chunk_bytes;
    options
}

fn records_up_to(max_record_bytes: u64) -> ReadOptions {
    let mut options = ReadOptions::default();
    options.limits.max_record_bytes = max_record_bytes;
    options
}
