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

/// What is no text is told from texts in any charset, read whole or as a stream.
#[test]
fn binary_files_are_no_texts() {
    let folder = folder("binary");
    let words =
        "Le caf\u{e9} \u{e9}tait ferm\u{e9}, \u{e0} c\u{f4}t\u{e9} du phare.\r\n\tOui\u{b0}\x0c";
    let latin: Vec<u8> = words.chars().map(|letter| letter as u8).collect();
    let utf_16: Vec<u8> =
        [0xfeff].into_iter().chain(words.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let japanese = b"\x1b$B%F%9%H\x1b(B and \x83e\x83X\x83g".repeat(9);
    let mut tar = b"a.txt".to_vec();
    tar.resize(512, 0);
    tar.extend(words.repeat(5000).as_bytes());
    let mut late = words.repeat(5000).into_bytes();
    late.push(0);
    let packed = pack(Compression::Xz, words.repeat(50).as_bytes());
    // What is left of packed bytes once every NUL is taken out.
    let mut random = 1_u64;
    let noise: Vec<u8> = std::iter::repeat_with(|| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
        (random >> 56) as u8
    })
    .filter(|&byte| byte != 0)
    .take(5000)
    .collect();
    let files: [(&str, &[u8], bool); 10] = [
        ("empty.txt", b"", false),
        ("utf-8.txt", words.as_bytes(), false),
        ("latin.txt", &latin, false),
        ("utf-16.txt", &utf_16, false),
        ("japanese.md", &japanese, false),
        ("late.txt", &late, false),
        ("archive.txt", &tar, true),
        ("packed.md", &packed, true),
        ("noise.txt", &noise, true),
        ("noise", &noise, true),
    ];
    for (name, bytes, is_binary) in files {
        for compression in [Compression::None, Compression::Gzip] {
            let path = folder.join(format!("{name}{}", compression.extension()));
            fs::write(&path, pack(compression, bytes)).unwrap();
            let source = Source::file(&path, None).unwrap();
            let read = source.chunks(&ReadOptions::default()).next().unwrap();
            let streamed = source.text_reader(&ReadOptions::default());
            for fault in [read.err(), streamed.err()] {
                assert_eq!(fault.is_some(), is_binary, "{name}");
                let is_told = |fault: Error| matches!(fault.kind(), ErrorKind::Binary(..));
                assert!(fault.is_none_or(is_told), "{name}");
            }
        }
    }
}
