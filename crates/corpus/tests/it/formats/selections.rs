//! Selections of lines and text files against the naive filter.

use std::fs;
use std::path::Path;

use lookalike_corpus::{
    Compression, ErrorKind, PendingCopies, ReadOptions, SelectionReport, Source, Sources,
};
use proptest::prelude::*;

use super::json_lines::any_record;
use super::{chunks_of, folder, pack, records_up_to, unpack};

fn selection(
    path: &Path,
    out: &Path,
    options: &ReadOptions,
    keep: &[bool],
) -> (SelectionReport, Vec<u8>) {
    let source = Source::file(path, None).unwrap();
    let keep = |number: u64| keep[number as usize - 1];
    let report = source.write_selection(out, options, keep).unwrap();
    let written = fs::read(report.path.as_ref().unwrap()).unwrap();
    let files = fs::read_dir(out).unwrap().count();
    assert_eq!(files, 1, "nothing but the selection is left");
    (report, unpack(source.compression(), &written))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn mirrors_are_the_lines_that_are_kept(
        records in prop::collection::vec((any_record(), any::<bool>()), 1..30),
        compression in prop::sample::select(&Compression::ALL[..]),
        chunk_bytes in prop::sample::select(vec![1, 100, 1 << 20]),
    ) {
        let folder = folder("selection-json");
        let path = folder.join(format!("a.jsonl{}", compression.extension()));
        let lines: Vec<String> = records.iter().map(|(record, _)| format!("{record} \r\n")).collect();
        fs::write(&path, pack(compression, ("\u{feff}".to_owned() + &lines.concat()).as_bytes())).unwrap();
        let keep: Vec<bool> = records.iter().map(|(_, keep)| *keep).collect();
        let (report, written) = selection(&path, &folder.join("out"), &chunks_of(chunk_bytes), &keep);
        let naive: String =
            lines.iter().zip(&keep).filter(|(_, keep)| **keep).map(|(line, _)| &**line).collect();
        prop_assert_eq!(String::from_utf8(written).unwrap(), format!("\u{feff}{naive}"));
        let kept = keep.iter().filter(|keep| **keep).count() as u64;
        prop_assert_eq!((report.kept, report.dropped), (kept, keep.len() as u64 - kept));
        prop_assert!(report.broken.is_none());
    }

    #[test]
    fn mirrors_of_tables_keep_the_header_and_the_bytes(
        rows in prop::collection::vec(("[a\", \n\u{e9}]{0,9}", any::<bool>(), any::<bool>()), 0..30),
        compression in prop::sample::select(&Compression::ALL[..]),
        chunk_bytes in prop::sample::select(vec![1, 30, 1 << 20]),
    ) {
        let folder = folder("selection-csv");
        let path = folder.join(format!("a.csv{}", compression.extension()));
        let header = "id,\"text\"\r\n";
        let lines: Vec<String> = rows
            .iter()
            .map(|(cell, crlf, _)| {
                format!("x,\"{}\"{}", cell.replace('"', "\"\""), if *crlf { "\r\n" } else { "\n" })
            })
            .collect();
        fs::write(&path, pack(compression, format!("{header}{}", lines.concat()).as_bytes())).unwrap();
        let keep: Vec<bool> = rows.iter().map(|(_, _, keep)| *keep).collect();
        let (_, written) = selection(&path, &folder.join("out"), &chunks_of(chunk_bytes), &keep);
        let naive: String =
            lines.iter().zip(&keep).filter(|(_, keep)| **keep).map(|(line, _)| &**line).collect();
        prop_assert_eq!(String::from_utf8(written).unwrap(), format!("{header}{naive}"));
    }
}

#[test]
fn every_record_is_asked_for_and_bad_and_long_ones_stay_as_they_are() {
    let folder = folder("selection-bad");
    let path = folder.join("a.jsonl");
    let text = |bytes| format!("{{\"text\":\"{}\"}}\n", "x".repeat(bytes));
    let (held, never_held) = (text(1000), text(200_000));
    let first = "{\"text\":\"a\"}\n\noops\n{}\n";
    fs::write(&path, format!("{first}{held}{never_held}{{\"text\":\"b\"}}")).unwrap();
    let source = Source::file(&path, None).unwrap();
    for (chunk_bytes, left_out) in [(1, 0), (100, 4), (100, 0), (1 << 20, 5), (1 << 20, 0)] {
        let mut options = records_up_to(1000);
        options.chunk_bytes = chunk_bytes;
        let mut asked = Vec::new();
        let keep = |number| {
            asked.push(number);
            ![3, left_out].contains(&number)
        };
        let report = source.write_selection(&folder.join("out"), &options, keep).unwrap();
        let written = fs::read_to_string(report.path.unwrap()).unwrap();
        let long = match left_out {
            4 => never_held.clone(),
            5 => held.clone(),
            _ => format!("{held}{never_held}"),
        };
        assert!(written == format!("{{\"text\":\"a\"}}\noops\n{long}{{\"text\":\"b\"}}"));
        let dropped = 1 + u64::from(left_out > 0);
        assert_eq!((report.kept, report.dropped), (6 - dropped, dropped));
        assert_eq!(asked, [1, 2, 3, 4, 5, 6]);
    }
}

#[test]
fn text_files_are_copied_as_they_are() {
    let folder = folder("selection-text");
    let path = folder.join("a.txt.gz");
    let bytes = pack(Compression::Gzip, b"\xef\xbb\xbfwords \xff\r\n");
    fs::write(&path, &bytes).unwrap();
    let source = Source::file(&path, None).unwrap();
    let (out, options) = (folder.join("out"), ReadOptions::default());
    let dropped = source.write_selection(&out, &options, |_| false).unwrap();
    assert_eq!((dropped.path, dropped.dropped, out.exists()), (None, 1, false));
    let kept = source.write_selection(&out, &options, |number| number == 1).unwrap();
    assert_eq!(fs::read(kept.path.unwrap()).unwrap(), bytes);
}

#[test]
fn a_copy_is_the_file_whatever_is_in_it() {
    let folder = folder("selection-copy");
    let path = folder.join("a.jsonl.zst");
    // No selection of ours has these bytes: the level is another, and there is half a frame.
    let mut bytes = pack(Compression::Zstd, &b"{\"text\":\"a\"}\n\n".repeat(100_000));
    bytes.truncate(bytes.len() - 3);
    fs::write(&path, &bytes).unwrap();
    let source = Source::file(&path, None).unwrap();
    let copy = source.copy_to(&folder.join("out")).unwrap();
    assert_eq!(copy, folder.join("out/a.jsonl.zst"));
    assert!(fs::read(copy).unwrap() == bytes);
    assert!(matches!(source.copy_to(&folder).unwrap_err().kind(), ErrorKind::OwnInput(_)));
    fs::remove_file(&path).unwrap();
    assert!(source.copy_to(&folder.join("none")).unwrap_err().is_io());
    assert!(!folder.join("none").exists());
}

#[test]
fn a_mirror_never_replaces_its_source() {
    let folder = folder("selection-self");
    let path = folder.join("a.jsonl");
    fs::write(&path, "{\"text\":\"a\"}\n").unwrap();
    let source = Source::file(&path, None).unwrap();
    let error = source.write_selection(&folder, &ReadOptions::default(), |_| false);
    assert!(matches!(error.unwrap_err().kind(), ErrorKind::OwnInput(_)));
    assert_eq!(fs::read_to_string(&path).unwrap(), "{\"text\":\"a\"}\n");
}

#[test]
fn a_broken_source_is_mirrored_up_to_there_or_not_at_all() {
    let folder = folder("selection-broken");
    let path = folder.join("a.jsonl.gz");
    let line = |i| format!("{{\"text\":\"{}\"}}\n", i * 7919 % 4999);
    let lines = (0..5000).map(line).collect::<Vec<_>>().concat();
    let packed = pack(Compression::Gzip, lines.as_bytes());
    fs::write(&path, &packed[..packed.len() / 2]).unwrap();
    let source = Source::file(&path, None).unwrap();
    let (out, options) = (folder.join("out"), ReadOptions::default());
    let report = source.write_selection(&out, &options, |_| true).unwrap();
    assert!(report.broken.is_some_and(|error| error.is_corruption()));
    let written = unpack(Compression::Gzip, &fs::read(report.path.unwrap()).unwrap());
    assert!(report.kept > 100 && lines.as_bytes().starts_with(&written));
    assert_eq!(written.split_inclusive(|&byte| byte == b'\n').count() as u64, report.kept);

    fs::remove_dir_all(&out).unwrap();
    fs::write(&path, &packed[..5]).unwrap();
    assert!(source.write_selection(&out, &options, |_| true).is_err());
    assert!(!out.exists());
}

#[test]
fn pending_copies_have_no_names_until_they_are_published() {
    let folder = folder("pending-copies");
    let input = folder.join("in");
    for name in ["a/1.txt", "a/2.txt", "b/3.txt"] {
        fs::create_dir_all(input.join(name).parent().unwrap()).unwrap();
        fs::write(input.join(name), name).unwrap();
    }
    let out = folder.join("out");
    let copy = |copies: &mut PendingCopies| {
        for source in Sources::new(&[input.to_str().unwrap().to_owned()], None).unwrap() {
            let source = source.unwrap();
            let copied = copies.add(&source, &out, source.name()).unwrap();
            assert_eq!(copied.bytes, source.stored_bytes().unwrap());
            assert!(!copied.path.exists() && copied.path.starts_with(&out));
        }
    };
    let files = || -> Vec<_> {
        let folders = fs::read_dir(&out).unwrap();
        let entries = folders.flat_map(|folder| fs::read_dir(folder.unwrap().path()).unwrap());
        entries.map(|entry| entry.unwrap().path()).collect()
    };
    let mut copies = PendingCopies::default();
    copy(&mut copies);
    assert_eq!((copies.len(), files().len()), (3, 3));
    drop(copies);
    assert!(files().is_empty(), "left behind: {:?}", files());
    let mut copies = PendingCopies::default();
    copy(&mut copies);
    copies.publish().unwrap();
    assert!(copies.is_empty());
    for path in files() {
        assert!(path.to_str().unwrap().ends_with(&fs::read_to_string(&path).unwrap()), "{path:?}");
    }
    assert_eq!(files().len(), 3);
}
