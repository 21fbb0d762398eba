//! Changes of text files, and none of pages and web archives.

use super::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn what_is_cut_is_read(
        text in "[a-z \u{e9}\u{4e00}\n]{1,40}",
        repeats in prop::sample::select(vec![1_usize, 20_000]),
        picks in prop::collection::vec(any::<prop::sample::Index>(), 0..7),
        packing in any_packing(),
        mark: bool,
    ) {
        let folder = folder("edit-text");
        // Longer than what is in memory at once.
        let text = text.repeat(repeats);
        let mark = if mark { "\u{feff}" } else { "" };
        let name = format!("a.md{}", packing.extension());
        let source = source_of(&folder, &name, format!("{mark}{text}").as_bytes());
        let cuts = cuts_of(&text, &picks);
        let mut expected = text;
        for cut in cuts.iter().rev() {
            expected.replace_range(cut.start as usize..cut.end as usize, "");
        }
        let change = Edit::Change(Change { cuts, values: all_values(), ..Change::default() });
        // There are no fields, so that none are added.
        let report = edited(&source, &folder.join("out"), &ReadOptions::default(), &all_kinds(), &[change]);
        let written = unpack(packing, &fs::read(report.unwrap().path.unwrap()).unwrap());
        let expected = mark.to_owned() + &expected;
        prop_assert!(written == expected.as_bytes());
    }
}

#[test]
fn a_text_that_is_shorter_than_its_cuts_has_changed() {
    let text = |cuts| changed("a.txt", "abc", &ReadOptions::default(), &[], vec![cuts]);
    assert_eq!(text(cuts(&[(0, 1), (2, 3)])).unwrap(), "b");
    assert_eq!(text(cuts(&[(0, 1), (2, 4)])), Err(EditFault::Range { begin: 2, end: 4 }));
    assert_eq!(text(cuts(&[(4, 5)])), Err(EditFault::Range { begin: 4, end: 5 }));
}

#[test]
fn unchanged_texts_are_the_same_file() {
    let folder = folder("edit-text-same");
    let source = source_of(&folder, "a.txt.gz", b"\xef\xbb\xbfwords \xff\r\n");
    let bytes = fs::read(folder.join("a.txt.gz")).unwrap();
    let out = folder.join("out");
    for edit in [Edit::Keep, Edit::Change(cuts(&[(1, 1)]))] {
        let report = edited(&source, &out, &ReadOptions::default(), &[], &[edit]).unwrap();
        assert_eq!(fs::read(report.path.unwrap()).unwrap(), bytes);
    }
    fs::remove_dir_all(&out).unwrap();
    let dropped = source.pending_edits(&out, &ReadOptions::default(), &[], |_| Ok(Edit::Drop));
    assert_eq!(dropped.unwrap().publish().unwrap().path, None);
    assert!(!out.exists());
}

#[test]
fn pages_and_web_archives_are_not_cut() {
    let record = "WARC/1.0\r\nWARC-Type: conversion\r\nWARC-Target-URI: http://a\r\n\
                  Content-Type: text/plain\r\nContent-Length: 3\r\n\r\nabc\r\n\r\n";
    for (name, bytes) in [("a.html", "<p>abc</p>"), ("a.wet", record), ("a.wet.gz", record)] {
        let one = |change| {
            let options = ReadOptions::default();
            changed(name, bytes, &options, &all_kinds(), vec![change])
        };
        let fault = one(cuts(&[(0, 1)])).unwrap_err();
        assert_eq!(fault, EditFault::Page, "{name}");
        assert!(fault.to_string().ends_with("annotated, not cut"));
        let change = Change { values: all_values(), ..Change::default() };
        assert_eq!(one(change).unwrap(), bytes, "{name}");
    }
}
