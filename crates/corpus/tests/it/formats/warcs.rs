//! Web archives: which records are documents, every way to be packed or broken, and selections.

use std::fs;
use std::path::Path;

use lookalike_corpus::{
    Compression, ContentKind, FieldValue, Format, Inputs, Offsets, ReadOptions, Source, Sources,
};
use proptest::prelude::*;

use super::{All, Read, chunks_of, folder, pack, read_source, records_up_to, unpack};

/// A record with a length, which may be wrong.
fn record_of_length(fields: &str, block: &[u8], length: &str) -> Vec<u8> {
    let header = format!("WARC/1.0\r\n{fields}Content-Length: {length}\r\n\r\n");
    [header.as_bytes(), block, b"\r\n\r\n"].concat()
}

fn record(fields: &str, block: &[u8]) -> Vec<u8> {
    record_of_length(fields, block, &block.len().to_string())
}

fn fields(kind: &str, id: &str, content_type: &str) -> String {
    format!(
        "WARC-Type: {kind}\r\nWARC-Record-ID: <urn:uuid:{id}>\r\nWARC-Date: 2024-05-0{}\r\n\
         WARC-Target-URI: <http://a.example/{id}>\r\nContent-Type: {content_type}\r\n",
        id.len() % 9 + 1,
    )
}

fn response(id: &str, head: &str, body: &[u8]) -> Vec<u8> {
    let block = [format!("HTTP/1.1 {head}\r\n\r\n").as_bytes(), body].concat();
    record(&fields("response", id, "application/http; msgtype=response"), &block)
}

fn page(id: &str, body: &str) -> Vec<u8> {
    response(id, "200 OK\r\nContent-Type: text/html; charset=utf-8", body.as_bytes())
}

fn request(id: &str) -> Vec<u8> {
    record(&fields("request", id, "application/http; msgtype=request"), b"GET / HTTP/1.1\r\n\r\n")
}

fn conversion(id: &str, text: &str) -> Vec<u8> {
    record(&fields("conversion", id, "text/plain"), text.as_bytes())
}

fn warcinfo() -> Vec<u8> {
    record("WARC-Type: warcinfo\r\nContent-Type: application/warc-fields\r\n", b"software: a\r\n")
}

/// What a small archive of every kind has.
fn archive() -> Vec<Vec<u8>> {
    vec![
        warcinfo(),
        request("r1"),
        page("a", "<p>first page"),
        response("b", "404 Not Found\r\nContent-Type: text/html", b"gone"),
        response("c", "200 OK\r\nContent-Type: image/png", b"\x89PNG\r\n\x1a\nWARC/1.0\r\n"),
        conversion("d", "a text"),
        response("e", "200 OK\r\nContent-Type: text/plain; charset=windows-1251", b"\xec\xe8\xf0"),
        page("f", "WARC/1.0\r\nis what a record begins with"),
    ]
}

const ARCHIVE_TEXTS: [&str; 4] = [
    "<p>first page",
    "a text",
    "\u{43c}\u{438}\u{440}",
    "WARC/1.0\r\nis what a record begins with",
];

/// Documents, bad records, others, and one that is longer than 400 bytes.
pub(crate) fn short_records() -> Vec<Vec<u8>> {
    let bad = record_of_length(&fields("resource", "x", "text/html"), b"<p>", "1");
    vec![page("a", "a"), conversion("b", "b"), bad, request("c"), page("d", &"d".repeat(400))]
}

fn passed_over(source: &Source, options: &ReadOptions) -> Vec<String> {
    let chunks = source.chunks(options).flatten();
    chunks.flat_map(|chunk| chunk.passed_over().to_vec()).map(String::from).collect()
}

fn read_options(path: &Path, options: &ReadOptions) -> (All, Vec<String>) {
    let source = Source::file(path, Some(Format::Warc)).unwrap();
    (read_source(&source, options), passed_over(&source, options))
}

fn read_archive(test: &str, bytes: &[u8]) -> (All, Vec<String>) {
    let path = folder(test).join("a.warc");
    fs::write(&path, bytes).unwrap();
    read_options(&path, &ReadOptions::default())
}

#[test]
fn documents_are_told_from_other_records() {
    let (all, passed_over) = read_archive("warc-documents", &archive().concat());
    assert_eq!((all.texts(), all.faults().len()), (ARCHIVE_TEXTS.to_vec(), 0));
    assert_eq!(passed_over, ["type warcinfo", "type request", "status 404", "image/png"]);
    let first = all.good()[0];
    assert_eq!((&*first.id, first.url.as_deref()), ("<urn:uuid:a>", Some("http://a.example/a")));
    assert_eq!(first.number, 1, "records that are not documents have no numbers");
}

#[test]
fn fields_are_those_of_the_header_in_any_case() {
    let path = folder("warc-fields").join("a.warc");
    let nameless = record("WARC-Type: resource\r\nContent-Type: text/html\r\n", b"<p>");
    fs::write(&path, [page("a", "<p>"), conversion("b", "text"), nameless].concat()).unwrap();
    let mut found = Vec::new();
    for chunk in Source::file(&path, None).unwrap().chunks(&ReadOptions::default()) {
        chunk.unwrap().for_each(|record| {
            let record = record.unwrap();
            let date = match record.field("warc-date") {
                Some(FieldValue::String(date)) => Some(date.into_owned()),
                _ => None,
            };
            assert_eq!(record.field("text"), None);
            found.push((record.id.into_owned(), record.kind, date));
        });
    }
    let date = Some("2024-05-02".to_owned());
    let default_id = format!("{}#3", path.display());
    assert_eq!(
        found,
        [
            ("<urn:uuid:a>".to_owned(), ContentKind::Html, date.clone()),
            ("<urn:uuid:b>".to_owned(), ContentKind::Text, date),
            (default_id, ContentKind::Html, None),
        ]
    );
}

/// Frames packed with a dictionary that stands before them. It was trained by `zstd` on such records;
/// to train one takes a part of the library that nothing else needs.
fn with_dictionary(records: &[Vec<u8>], is_packed: bool) -> Vec<u8> {
    let dictionary = include_bytes!("warc.dictionary");
    let stored =
        if is_packed { zstd::encode_all(&dictionary[..], 3).unwrap() } else { dictionary.to_vec() };
    let mut bytes =
        [&[0x5d, 0x2a, 0x4d, 0x18][..], &(stored.len() as u32).to_le_bytes(), &stored].concat();
    for record in records {
        let mut packer = zstd::bulk::Compressor::with_dictionary(3, dictionary).unwrap();
        bytes.extend(packer.compress(record).unwrap());
    }
    bytes
}

#[test]
fn packing_does_not_matter() {
    let folder = folder("warc-packing");
    let records = archive();
    let mut files = Vec::new();
    for compression in Compression::ALL {
        let extension = compression.extension();
        files.push((format!("whole.warc{extension}"), pack(compression, &records.concat())));
        let each: Vec<_> = records.iter().flat_map(|record| pack(compression, record)).collect();
        files.push((format!("each.warc.wet{extension}"), each));
    }
    files.push(("plain-dictionary.warc.zst".to_owned(), with_dictionary(&records, false)));
    files.push(("packed-dictionary.warc.zst".to_owned(), with_dictionary(&records, true)));
    let empty = [0x5d, 0x2a, 0x4d, 0x18, 0, 0, 0, 0];
    let empty = [&empty[..], &pack(Compression::Zstd, &records.concat())].concat();
    files.push(("empty-dictionary.warc.zst".to_owned(), empty));
    for (name, bytes) in files {
        // By its name, and by its content.
        for name in [&*name, "none"] {
            let path = folder.join(name);
            fs::write(&path, &bytes).unwrap();
            let source = Source::file(&path, None).unwrap();
            assert_eq!(source.format(), Format::Warc, "{name}");
            let all = read_source(&source, &ReadOptions::default());
            assert_eq!((all.texts(), &all.fatal), (ARCHIVE_TEXTS.to_vec(), &None), "{name}");
        }
    }
}

#[test]
fn broken_dictionaries_are_errors() {
    let path = folder("warc-dictionary").join("a.warc.zst");
    let bytes = with_dictionary(&archive(), true);
    let mut too_long = bytes.clone();
    too_long[4..8].copy_from_slice(&u32::MAX.to_le_bytes());
    for broken in [&bytes[..6], &bytes[..100], &too_long] {
        fs::write(&path, broken).unwrap();
        let (all, _) = read_options(&path, &ReadOptions::default());
        assert!(all.fatal.is_some() && all.records.is_empty(), "{all:?}");
    }
}

#[test]
fn payloads_are_unpacked_and_decoded() {
    let html = "200 OK\r\nContent-Type: text/html";
    let packed = pack(Compression::Gzip, b"<p>packed");
    let chunked =
        [format!("{:x}\r\n", packed.len()).as_bytes(), &packed, b"\r\n0\r\n\r\n"].concat();
    let gzip = format!("{html}\r\nContent-Encoding: gzip");
    let both = format!("{gzip}\r\nTransfer-Encoding: chunked");
    let records = [
        response("a", &gzip, &packed),
        response("b", &both, &chunked),
        response("c", &both, b"<p>neither"),
        response("d", &format!("{html}; charset=windows-1251"), b"<p>\xec\xe8\xf0"),
        response("e", html, b"<meta charset=koi8-r><p>\xcd\xc9\xd2"),
        response("f", &gzip, &packed[..packed.len() / 2]),
        response("g", &format!("{html}\r\nContent-Encoding: rot13"), b"x"),
        response("h", html, b""),
    ];
    let (all, passed_over) = read_archive("warc-payloads", &records.concat());
    assert_eq!(
        all.texts(),
        [
            "<p>packed",
            "<p>packed",
            "<p>neither",
            "<p>\u{43c}\u{438}\u{440}",
            "<meta charset=koi8-r><p>\u{43c}\u{438}\u{440}",
            "",
        ]
    );
    let [cut, unknown] = all.faults()[..] else { panic!("{:?}", all.faults()) };
    let offset: usize = records[..5].iter().map(Vec::len).sum();
    let place =
        format!("a.warc` record 6 at byte {offset}: has a body that cannot be unpacked by `gzip`");
    assert!(cut.contains(&place), "{cut}");
    assert!(unknown.contains("record 7") && unknown.contains("rot13"), "{unknown}");
    assert!(passed_over.is_empty());
}

#[test]
fn bombs_are_bad_records() {
    let folder = folder("warc-bombs");
    let bomb = pack(Compression::Gzip, &vec![b' '; 200_000]);
    let head = "200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip";
    let path = folder.join("a.warc");
    fs::write(&path, [response("a", head, &bomb), page("b", "after")].concat()).unwrap();
    let (all, _) = read_options(&path, &records_up_to(100_000));
    assert_eq!((all.texts(), all.faults().len()), (vec!["after"], 1));
    assert!(all.faults()[0].contains("longer than the limit of 100000 bytes"));
}

#[test]
fn lengths_that_lie_are_named_and_the_next_record_is_found() {
    let html = fields("resource", "bad", "text/html");
    let body = b"<p>of some length, so that there is something to cut";
    let wrong = |length: &str| record_of_length(&html, body, length);
    let long_header = format!("WARC/1.0\r\nX: {}\r\n\r\n", "x".repeat(70_000)).into_bytes();
    for (bad, said) in [
        (wrong("10"), "has a Content-Length of 10, but does not end there"),
        (wrong("0"), "has a Content-Length of 0, but does not end there"),
        (wrong("60"), "has a Content-Length of 60, but does not end there"),
        (wrong("9999"), "has a Content-Length of 9999, but only"),
        (wrong("-5"), "has a Content-Length of `-5`, which is not a number of bytes"),
        (wrong(""), "has a Content-Length of ``, which is not a number of bytes"),
        (wrong("99999999999999999999"), "`99999999999999999999`, which is not a number of bytes"),
        (b"WARC/1.0\r\nWARC-Type: resource\r\n\r\nwords\r\n".to_vec(), "has no Content-Length"),
        (long_header, "has a header of more than 65536 bytes"),
        (b"nonsense\r\nand more\r\n".to_vec(), "does not begin like a WARC record"),
        (b"\0".repeat(300_000), "does not begin like a WARC record"),
    ] {
        let bytes =
            [page("a", "before"), bad, b"\r\n".to_vec(), request("b"), page("c", "after")].concat();
        let (all, passed_over) = read_archive("warc-lies", &bytes);
        assert_eq!((all.texts(), all.fatal.as_ref()), (vec!["before", "after"], None), "{said}");
        let place = format!("a.warc` record 2 at byte {}: ", page("a", "before").len());
        let [fault] = all.faults()[..] else { panic!("{:?}", all.faults()) };
        assert!(fault.contains(&place) && fault.contains(said), "{fault}");
        assert_eq!(passed_over, ["type request"], "{said}");
    }
}

#[test]
fn what_is_no_archive_is_one_bad_record() {
    for bytes in
        [&b"nonsense"[..], &[b'\n', 0, b'W'], b"WARC/1.0", b"\nWARC/x\n\n", &b"x".repeat(300_000)]
    {
        let (all, _) = read_archive("warc-nonsense", bytes);
        assert_eq!((all.good().len(), all.faults().len(), all.fatal), (0, 1, None));
    }
    for bytes in [&b""[..], b"\r\n\r\n\n", &b"\n".repeat(300_000)] {
        let (all, _) = read_archive("warc-nothing", bytes);
        assert_eq!((all.records.len(), all.fatal), (0, None));
    }
}

#[test]
fn cut_at_any_byte_all_whole_records_are_read() {
    let folder = folder("warc-cut");
    let path = folder.join("a.warc");
    let records = archive();
    let whole = records.concat();
    let (all, _) = {
        fs::write(&path, &whole).unwrap();
        read_options(&path, &ReadOptions::default())
    };
    for cut in 0..whole.len() {
        fs::write(&path, &whole[..cut]).unwrap();
        let (found, _) = read_options(&path, &chunks_of(1 << (cut % 12)));
        // Without the line ends after it a record is still whole.
        let mut end = 0;
        let mut expected = 0;
        for (record, is_document) in
            records.iter().zip([false, false, true, false, false, true, true, true])
        {
            end += record.len();
            expected += usize::from(is_document && end - 4 <= cut);
        }
        assert_eq!(found.good(), all.good()[..expected].to_vec(), "{cut}");
        // Two pages have in them what looks like one.
        assert!(found.faults().len() <= 2 && found.fatal.is_none(), "{cut} {found:?}");
    }
    for compression in &Compression::ALL[1..3] {
        let each: Vec<_> = records.iter().flat_map(|record| pack(*compression, record)).collect();
        let path = folder.join(format!("a.warc{}", compression.extension()));
        let mut most = 0;
        for cut in 0..each.len() {
            fs::write(&path, &each[..cut]).unwrap();
            let (found, _) = read_options(&path, &ReadOptions::default());
            let good = found.good().len();
            assert_eq!(found.good(), all.good()[..good].to_vec(), "{compression:?} {cut}");
            assert!(found.faults().is_empty(), "half a record is none");
            assert!(good >= most, "{compression:?} {cut}");
            most = good;
        }
        assert_eq!(most, 4, "{compression:?}");
    }
}

#[test]
fn long_records_are_read_over() {
    let folder = folder("warc-long");
    let path = folder.join("a.warc");
    let long = "x".repeat(300_000);
    let picture = response("p", "200 OK\r\nContent-Type: image/png", long.as_bytes());
    let records =
        [page("a", "one"), page("b", &long), picture.clone(), page("c", "two"), page("d", &long)];
    fs::write(&path, records.concat()).unwrap();
    for chunk_bytes in [1, 1000, 1 << 20] {
        let mut options = records_up_to(2000);
        options.chunk_bytes = chunk_bytes;
        let (all, passed_over) = read_options(&path, &options);
        assert_eq!((all.texts(), passed_over), (vec!["one", "two"], vec!["image/png".to_owned()]));
        let faults = all.faults();
        assert!(faults.len() == 2 && faults[1].contains("record 5 at byte"), "{faults:?}");
        assert!(
            faults.iter().all(|fault| fault.ends_with("is longer than the limit of 2000 bytes"))
        );

        let source = Source::file(&path, None).unwrap();
        let report = source.write_selection(&folder.join("out"), &options, |_| true).unwrap();
        let written = fs::read(report.path.unwrap()).unwrap();
        assert!(written == records.concat());
        assert_eq!((report.kept, report.dropped, report.passed_over), (4, 0, 1));
        let short = |number| number % 2 == 1;
        let report = source.write_selection(&folder.join("out"), &options, short).unwrap();
        let written = fs::read(report.path.unwrap()).unwrap();
        assert!(written == [page("a", "one"), picture.clone(), page("c", "two")].concat());
        assert_eq!((report.kept, report.dropped, report.passed_over), (2, 2, 1));
    }
    // A length that leads beyond the end ends the file: it had to be believed.
    let html = fields("resource", "bad", "text/html");
    for length in ["300000", "18446744073709551615"] {
        let bad = record_of_length(&html, b"short", length);
        fs::write(&path, [page("a", "one"), bad, page("b", "lost")].concat()).unwrap();
        let (all, _) = read_options(&path, &records_up_to(2000));
        assert_eq!((all.texts(), all.faults().len()), (vec!["one"], 1));
        let fatal = all.fatal.unwrap();
        assert!(fatal.contains("record 2 at byte") && fatal.contains("are missing"), "{fatal}");
    }
}

#[test]
fn records_without_ends_and_lies_within_lies_take_no_longer() {
    let count = 200_000;
    let (all, _) = read_archive("warc-beginnings", &b"WARC/1.0\r\n".repeat(count));
    assert_eq!((all.good().len(), all.faults().len()), (0, count));

    // Each claims to end among the zeros, and has the next in it.
    let lie =
        record_of_length("WARC-Type: resource\r\nContent-Type: text/html\r\n", b"x", "4000000");
    let count = 30_000;
    let bytes =
        [lie.repeat(count), b"\0".repeat(5_000_000), b"\n".to_vec(), page("a", "after")].concat();
    let (all, _) = read_archive("warc-lies-within", &bytes);
    assert_eq!((all.texts(), all.faults().len()), (vec!["after"], count));
}

/// Records as anybody would read them: all at once, and by the letter of the rules.
fn naive(bytes: &[u8]) -> Vec<Result<String, ()>> {
    let mut found = Vec::new();
    let mut at = 0;
    let starts = |at: usize| bytes[at..].starts_with(b"WARC/");
    let line_ends = |mut at: usize| {
        while at < bytes.len() && b"\r\n".contains(&bytes[at]) {
            at += 1;
        }
        at
    };
    loop {
        at = line_ends(at);
        if at == bytes.len() {
            return found;
        }
        let rest = &bytes[at..];
        let ends =
            |end: &usize| rest[..*end].ends_with(b"\n\n") || rest[..*end].ends_with(b"\n\r\n");
        let is_next = |at: &usize| {
            *at > 0 && rest[*at - 1] == b'\n' && rest[*at..].starts_with(b"WARC/1.0\r\n")
        };
        let next = (0..rest.len()).find(is_next).unwrap_or(rest.len());
        let header_end = (0..=rest.len()).find(ends).filter(|end| *end <= next);
        let header = header_end.map(|end| String::from_utf8_lossy(&rest[..end]).into_owned());
        let value = |name: &str| {
            let header = header.as_ref()?;
            let line = header.lines().find(|line| line.starts_with(name))?;
            Some(line[name.len() + 2..].to_owned())
        };
        let length = value("Content-Length").and_then(|length| length.parse::<usize>().ok());
        let end = header_end.zip(length).map(|(header_end, length)| at + header_end + length);
        let is_end = |end: usize| {
            let next = &bytes[line_ends(end)..];
            bytes[end..].starts_with(b"\r\n\r\n")
                || next.starts_with(b"WARC/")
                || b"WARC/".starts_with(next)
        };
        let is_whole = starts(at) && end.is_some_and(|end| end <= bytes.len() && is_end(end));
        if let (true, Some(end), Some(header_end)) = (is_whole, end, header_end) {
            if value("WARC-Type").as_deref() == Some("conversion") {
                found.push(Ok(String::from_utf8_lossy(&bytes[at + header_end..end]).into_owned()));
            }
            at = end;
            continue;
        }
        found.push(Err(()));
        let from = if starts(at) { at + header_end.unwrap_or(1) } else { at + 1 };
        let next = (from..bytes.len())
            .find(|&at| bytes[at - 1] == b'\n' && bytes[at..].starts_with(b"WARC/1.0\r\n"));
        at = next.unwrap_or(bytes.len());
    }
}

fn any_record() -> impl Strategy<Value = Vec<u8>> {
    let text = "[a\r\n]{0,40}";
    prop_oneof![
        4 => (text, "[a-z]{1,3}").prop_map(|(text, id)| conversion(&id, &text)),
        2 => "[a-z]{1,3}".prop_map(|id| request(&id)),
        2 => (text, "[a-z]{1,3}", 0_usize..460).prop_map(|(text, id, more)| {
            // Too short, too long, negative, and now and then right.
            let length = (text.len() + more).checked_sub(60);
            let length = length.map_or("-1".to_owned(), |length| length.to_string());
            record_of_length(&fields("conversion", &id, "text/plain"), text.as_bytes(), &length)
        }),
        1 => prop::collection::vec(0_u8..128, 0..50),
        1 => Just(b"\r\nWARC/1.0\r\nWARC-Type: conversion\r\n\r\n".to_vec()),
        1 => Just(b"WARC/1.0 is a format\r\n".to_vec()),
        1 => Just(b"\r\n\r\n\n\r\n\n\n".to_vec()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]
    #[test]
    fn any_size_of_chunks_gives_what_a_naive_reader_finds(
        records in prop::collection::vec(any_record(), 0..12),
        chunk_bytes in prop::sample::select(vec![0, 1, 300, 1 << 20]),
        cut in 0_usize..300,
    ) {
        let folder = folder("warc-naive");
        let path = folder.join("a.warc");
        let mut bytes = records.concat();
        bytes.truncate(bytes.len().saturating_sub(cut));
        fs::write(&path, &bytes).unwrap();
        let (all, _) = read_options(&path, &chunks_of(chunk_bytes));
        let found: Vec<_> =
            all.records.iter().map(|read| read.as_ref().map(|read| read.text.clone()).map_err(|_| ())).collect();
        prop_assert_eq!(found, naive(&bytes));
        prop_assert_eq!(all.fatal, None);
    }

    #[test]
    fn mirrors_are_the_records_that_stay_each_by_itself(
        kept in prop::collection::vec(prop::option::of(any::<bool>()), 1..20),
        compression in prop::sample::select(&Compression::ALL[..]),
        chunk_bytes in prop::sample::select(vec![1, 500, 1 << 20]),
        is_one_member: bool,
    ) {
        let folder = folder("warc-selection");
        let path = folder.join(format!("a.warc{}", compression.extension()));
        let records: Vec<Vec<u8>> = kept
            .iter()
            .enumerate()
            .map(|(i, keep)| match keep {
                Some(_) => page(&i.to_string(), &format!("<p>page {i}")),
                None => request(&i.to_string()),
            })
            .collect();
        let packed = if is_one_member {
            pack(compression, &records.concat())
        } else {
            records.iter().flat_map(|record| pack(compression, record)).collect()
        };
        fs::write(&path, packed).unwrap();
        let documents: Vec<bool> = kept.iter().copied().flatten().collect();
        let source = Source::file(&path, None).unwrap();
        let out = folder.join("out");
        let keep = |number: u64| documents[number as usize - 1];
        let report = source.write_selection(&out, &chunks_of(chunk_bytes), keep).unwrap();
        let written = fs::read(report.path.unwrap()).unwrap();
        let stay: Vec<&Vec<u8>> = records
            .iter()
            .zip(&kept)
            .filter(|(_, keep)| keep.unwrap_or(true))
            .map(|(record, _)| record)
            .collect();
        let expected: Vec<u8> = stay.iter().flat_map(|record| record.iter().copied()).collect();
        prop_assert_eq!(unpack(compression, &written), expected);
        prop_assert_eq!(members(compression, &written), match compression {
            Compression::Gzip | Compression::Zstd => stay.len().max(1),
            _ => 1,
        });
        let dropped = documents.iter().filter(|keep| !**keep).count() as u64;
        prop_assert_eq!((report.dropped, report.kept), (dropped, documents.len() as u64 - dropped));
        prop_assert_eq!(report.passed_over, (kept.len() - documents.len()) as u64);
    }
}

#[test]
fn records_say_where_they_are_stored() {
    let folder = folder("offsets");
    let mut records = vec![warcinfo()];
    for n in 0..30 {
        records.push(request(&format!("q{n}")));
        records.push(page(&format!("p{n}"), &"<p>words ".repeat(n)));
    }
    let pages = || records.iter().skip(2).step_by(2);
    for compression in [Compression::None, Compression::Gzip, Compression::Zstd] {
        for is_one_member in [false, true] {
            let path = folder.join(format!("a.warc{}", compression.extension()));
            let packed = if is_one_member {
                pack(compression, &records.concat())
            } else {
                records.iter().flat_map(|record| pack(compression, record)).collect()
            };
            fs::write(&path, &packed).unwrap();
            let source = Source::file(&path, None).unwrap();
            let is_told = match compression {
                Compression::None => true,
                Compression::Gzip => !is_one_member,
                _ => false,
            };
            for chunk_bytes in [1, 999, 1 << 20] {
                for offsets in [Offsets::Told, Offsets::Unknown] {
                    let mut options = chunks_of(chunk_bytes);
                    options.offsets = offsets;
                    let mut found = Vec::new();
                    for chunk in source.chunks(&options) {
                        chunk.unwrap().for_each(|record| found.push(record.unwrap().offset));
                    }
                    assert_eq!(found.len(), 30);
                    for (offset, page) in found.into_iter().zip(pages()) {
                        assert_eq!(offset.is_some(), is_told && offsets == Offsets::Told);
                        let Some(offset) = offset else { continue };
                        let stored = unpack(compression, &packed[offset as usize..]);
                        assert!(stored.starts_with(page), "{compression:?} at {offset}");
                    }
                }
            }
        }
    }
    // One that is cut off within a member is read up to there, as without.
    let packed: Vec<u8> = records.iter().flat_map(|it| pack(Compression::Gzip, it)).collect();
    let path = folder.join("cut.warc.gz");
    fs::write(&path, &packed[..packed.len() - 20]).unwrap();
    let source = Source::file(&path, None).unwrap();
    let count = |offsets| {
        let mut options = ReadOptions::default();
        options.offsets = offsets;
        let (mut records, mut faults) = (0, Vec::new());
        for chunk in source.chunks(&options) {
            match chunk {
                Ok(chunk) => chunk.for_each(|_| records += 1),
                Err(error) => faults.push(error.to_string()),
            }
        }
        (records, faults)
    };
    assert_eq!(count(Offsets::Told), count(Offsets::Unknown));
    assert_eq!((count(Offsets::Told).0, count(Offsets::Told).1.len()), (29, 1));
}

/// A record of a capture that names others.
fn linked(kind: &str, id: &str, links: &[(&str, &str)]) -> Vec<u8> {
    let mut fields = fields(kind, id, "application/http; msgtype=any");
    for (name, to) in links {
        fields.extend([name, ": <urn:uuid:", to, ">\r\n"]);
    }
    let page = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<p>a page";
    record(&fields, page.as_bytes())
}

#[test]
fn requests_and_metadata_go_with_their_documents() {
    const TO: &str = "WARC-Concurrent-To";
    let refers = "warc-refers-to";
    // Captures as crawlers write them: which record names which, and in what order, differs.
    let captures = |n: u32| {
        let id = |what: &str| format!("{what}{n}");
        let (r, q, m) = (id("r"), id("q"), id("m"));
        let request_first = vec![
            linked("request", &q, &[]),
            linked("response", &r, &[(TO, &q)]),
            linked("metadata", &m, &[(TO, &r)]),
        ];
        let response_first = vec![
            linked("response", &r, &[]),
            linked("request", &q, &[(TO, &r)]),
            linked("metadata", &m, &[(refers, &r)]),
        ];
        let both_ahead = vec![
            linked("request", &q, &[(TO, &r)]),
            linked("metadata", &m, &[]),
            linked("response", &r, &[(TO, "other"), (TO, &m)]),
        ];
        vec![request_first, response_first, both_ahead]
    };
    let folder = folder("companions");
    let picture = response("png", "200 OK\r\nContent-Type: image/png", b"png");
    for kind in 0..3 {
        // Before, between and after captures stand records that belong to none.
        let mut records = vec![(None, warcinfo()), (None, request("alone"))];
        for n in 0..4 {
            records.extend(captures(n).swap_remove(kind).into_iter().map(|it| (Some(n), it)));
            records.push((None, request(&format!("of-no-capture-{n}"))));
            records.push((None, picture.clone()));
        }
        records.push((None, linked("revisit", "again", &[("WARC-Refers-To", "r1")])));
        let all: Vec<Vec<u8>> = records.iter().map(|(_, record)| record.clone()).collect();
        let stays = |n: u32| n.is_multiple_of(2);
        let kept = records.iter().filter(|(capture, _)| capture.is_none_or(stays));
        let expected: Vec<u8> = kept.flat_map(|(_, record)| record.clone()).collect();
        for compression in [Compression::None, Compression::Gzip, Compression::Zstd] {
            let path = folder.join(format!("a.warc{}", compression.extension()));
            let packed = all.iter().flat_map(|record| pack(compression, record));
            fs::write(&path, packed.collect::<Vec<u8>>()).unwrap();
            let source = Source::file(&path, None).unwrap();
            for chunk_bytes in [1, 700, 1 << 20] {
                let keep = |number: u64| stays((number - 1) as u32);
                let out = folder.join("out");
                let report = source.write_selection(&out, &chunks_of(chunk_bytes), keep).unwrap();
                let written = unpack(compression, &fs::read(report.path.unwrap()).unwrap());
                assert!(written == expected, "{kind} {compression:?} {chunk_bytes}");
                assert_eq!((report.kept, report.dropped, report.companions), (2, 2, 4));
                assert_eq!(report.passed_over as usize, records.len() - 4 - 4);
            }
        }
    }
}

/// How many members or frames there are, where that is told.
fn members(compression: Compression, mut bytes: &[u8]) -> usize {
    use std::io::Read as _;
    let mut count = 0;
    while !bytes.is_empty() {
        match compression {
            Compression::Gzip => {
                let mut member = flate2::bufread::GzDecoder::new(bytes);
                member.read_to_end(&mut Vec::new()).unwrap();
                bytes = member.into_inner();
            }
            Compression::Zstd => {
                let mut frame =
                    zstd::stream::read::Decoder::with_buffer(bytes).unwrap().single_frame();
                frame.read_to_end(&mut Vec::new()).unwrap();
                bytes = frame.finish();
            }
            _ => return 1,
        }
        count += 1;
    }
    count.max(1)
}

#[test]
fn bad_records_stay_in_mirrors() {
    let folder = folder("warc-selection-bad");
    let path = folder.join("a.warc.gz");
    let bad = record_of_length(&fields("resource", "x", "text/html"), b"<p>short", "3");
    let garbage = b"no record at all\nWARC/ is a word\n".to_vec();
    // The length is right, but what it is a response to is no HTTP.
    let header = record(&fields("response", "y", "application/http"), b"no HTTP\r\n\r\n");
    let records =
        [warcinfo(), page("a", "one"), bad, garbage, request("b"), header, page("c", "two")];
    fs::write(&path, pack(Compression::Gzip, &records.concat())).unwrap();
    let source = Source::file(&path, None).unwrap();
    let documents = read_options(&path, &ReadOptions::default()).0.records.len() as u64;
    for chunk_bytes in [1, 500, 1 << 20] {
        for left_out in 0..=documents {
            let mut asked = Vec::new();
            let keep = |number| {
                asked.push(number);
                number != left_out
            };
            let out = folder.join("out");
            let report = source.write_selection(&out, &chunks_of(chunk_bytes), keep).unwrap();
            let written = unpack(Compression::Gzip, &fs::read(report.path.unwrap()).unwrap());
            // Each record that is as long as it says stays in its place; the others come last.
            let stays = |number| number != left_out;
            let places = [None, Some(1), None, Some(3), Some(4)];
            let sound = [0, 1, 4, 5, 6].into_iter().zip(places);
            let sound = sound.filter(|(_, number)| number.is_none_or(stays));
            let mut expected: Vec<u8> = sound.flat_map(|(at, _)| records[at].clone()).collect();
            if stays(2) {
                expected.extend([b'\n'; 64]);
                // What cannot be told from the record before it belongs to that.
                expected.extend([&records[2][..], &records[3]].concat());
            }
            assert_eq!(
                String::from_utf8_lossy(&written),
                String::from_utf8_lossy(&expected),
                "{left_out}"
            );
            assert_eq!(asked, (1..=documents).collect::<Vec<_>>());
            let dropped = u64::from(left_out > 0);
            assert_eq!((report.kept, report.dropped), (documents - dropped, dropped));
        }
    }
    assert_eq!(documents, 4);
}

/// Whatever is left out, what stays can be read again: with many line ends or too few behind it, and
/// something that is no record after those.
#[test]
fn what_stays_can_be_read_again() {
    let folder = folder("warc-selection-again");
    let path = folder.join("a.warc");
    let ended_by = |id: &str, end: &str| {
        let mut record = page(id, "<p>a page");
        record.truncate(record.len() - 4);
        record.extend(end.bytes());
        record
    };
    let resource_that_ends_in_a_return = {
        let mut record = record(&fields("resource", "f", "text/html"), b"<p>a page\r");
        record.truncate(record.len() - 4);
        record.extend(b"\n\r\n");
        record
    };
    // Without the record behind it, its length is that up to the end of the next but one.
    let last = page("d", "<p>the last");
    let block = b"<p>a lie\r\n\r\n";
    let length = (block.len() + last.len() - 4).to_string();
    let mut liar = record_of_length(&fields("resource", "l", "text/html"), block, &length);
    liar.truncate(liar.len() - 4);
    let garbage = b"no record at all\n".to_vec();
    let many = "\r".repeat(150);
    let records = [
        ended_by("a", &many),
        garbage.clone(),
        ended_by("b", "\n"),
        page("c", "<p>another"),
        garbage.clone(),
        // The last byte of the page looks as if it were of the line ends.
        resource_that_ends_in_a_return,
        page("e", "<p>one more"),
        garbage,
        liar,
        page("g", "<p>which goes"),
        last,
    ];
    fs::write(&path, records.concat()).unwrap();
    let source = Source::file(&path, None).unwrap();
    let documents = |path: &Path| read_options(path, &ReadOptions::default()).0.records;
    let all = documents(&path);
    assert_eq!(all.iter().filter(|record| record.is_ok()).count(), 7);
    for left_out in 0..=all.len() as u64 {
        let options = chunks_of(500);
        let report = source.write_selection(&folder.join("out"), &options, |n| n != left_out);
        let stay = all.iter().zip(1..).filter(|&(_, number)| number != left_out);
        let stay: Vec<_> = stay.filter_map(|(record, _)| record.as_ref().ok()).map(id).collect();
        let again = documents(report.unwrap().path.as_ref().unwrap());
        assert_eq!(again.iter().flatten().map(id).collect::<Vec<_>>(), stay, "{left_out}");
    }
}

fn id(found: &Read) -> &str {
    &found.id
}

#[test]
fn archives_are_read_one_document_after_another_too() {
    let folder = folder("warc-inputs");
    let bytes = pack(Compression::Gzip, &archive().concat());
    fs::write(folder.join("a.warc.gz"), bytes).unwrap();
    fs::write(folder.join("a.warc.wat.gz"), "").unwrap();
    let sources = Sources::new(&[folder.display().to_string()], None).unwrap();
    let mut inputs = Inputs::of(sources, ReadOptions::default());
    let texts: Vec<_> = inputs
        .by_ref()
        .map(|document| String::from_utf8(document.unwrap().bytes).unwrap())
        .collect();
    assert_eq!(texts, ARCHIVE_TEXTS);
    assert_eq!((inputs.passed_over().total(), inputs.other_files()), (4, 1));
}
