//! Positions, and text files as streams.

use std::fmt::Write as _;
use std::fs;
use std::io::Read as _;

use lookalike_corpus::{Compression, Error, ErrorKind, ReadOptions, Source};

use super::{chunks_of, folder, pack, parquets};

#[test]
fn positions_grow_to_the_size_of_the_file() {
    let folder = folder("streams-position");
    let mut lines = String::new();
    for i in 0..40_000_u64 {
        writeln!(lines, "{{\"text\":\"{}\"}}", i.wrapping_mul(0x9e37_79b9_7f4a_7c15)).unwrap();
    }
    let texts: Vec<_> = (0..1000).map(|i| Some(i.to_string())).collect();
    let mut files = vec![("a.parquet".to_owned(), parquets::file_of(&texts))];
    for compression in Compression::ALL {
        let name = format!("a.jsonl{}", compression.extension());
        files.push((name, pack(compression, lines.as_bytes())));
    }
    for (name, bytes) in files {
        let path = folder.join(&name);
        fs::write(&path, &bytes).unwrap();
        let source = Source::file(&path, None).unwrap();
        let mut chunks = source.chunks(&chunks_of(1000));
        let mut positions = Vec::new();
        while let Some(chunk) = chunks.next() {
            chunk.unwrap();
            positions.push(chunks.position());
        }
        assert!(positions.is_sorted(), "{name}");
        assert!(positions[0] < bytes.len() as u64, "{name}: {}", positions[0]);
        assert_eq!(chunks.position(), bytes.len() as u64, "{name}");
    }
}

#[test]
fn text_is_streamed_up_to_the_limit() {
    let folder = folder("streams-text");
    let text = "words and more of them\n".repeat(10_000);
    for compression in Compression::ALL {
        for mark in ["", "\u{feff}"] {
            let path = folder.join(format!("a.txt{}", compression.extension()));
            fs::write(&path, pack(compression, format!("{mark}{text}").as_bytes())).unwrap();
            let source = Source::file(&path, None).unwrap();
            let whole = (mark.len() + text.len()) as u64;
            let read = |limit| {
                let mut options = ReadOptions::default();
                options.limits.max_document_bytes = limit;
                let mut read = String::new();
                let ended = source.text_reader(&options).unwrap().read_to_string(&mut read);
                ended.map(|_| read).map_err(|error| error.downcast::<Error>().unwrap())
            };
            assert!(read(u64::MAX).unwrap() == text && read(whole).unwrap() == text);
            for limit in [whole - 1, whole / 2] {
                let error = read(limit).unwrap_err();
                assert!(matches!(error.kind(), ErrorKind::TooLong { .. }), "{error}");
            }
        }
    }
}

#[test]
fn short_texts_and_broken_ones_are_streamed_too() {
    let folder = folder("streams-broken");
    let path = folder.join("a.txt");
    for text in ["", "a", "\u{e9}", "\u{feff}", "\u{feff}\u{feff}"] {
        fs::write(&path, text).unwrap();
        let mut read = String::new();
        let source = Source::file(&path, None).unwrap();
        source.text_reader(&ReadOptions::default()).unwrap().read_to_string(&mut read).unwrap();
        assert_eq!(read, text.strip_prefix('\u{feff}').unwrap_or(text));
    }
    let path = folder.join("a.txt.gz");
    let packed = pack(Compression::Gzip, &b"words ".repeat(50_000));
    fs::write(&path, &packed[..packed.len() - 9]).unwrap();
    let source = Source::file(&path, None).unwrap();
    let mut text = source.text_reader(&ReadOptions::default()).unwrap();
    let error = text.read_to_end(&mut Vec::new()).unwrap_err();
    let error = error.downcast::<Error>().unwrap();
    assert!(error.is_corruption() && error.to_string().contains("a.txt.gz`"), "{error}");
    fs::write(&path, "no such thing").unwrap();
    assert!(source.text_reader(&ReadOptions::default()).is_err_and(|error| error.is_corruption()));
}
