//! Indexes that earlier versions of the format wrote are read for ever.
//!
//! `tests/fixtures/format_v1/example.index` was made by
//!
//! ```text
//! lookalike index create example.index
//! lookalike index add example.index a.jsonl
//! lookalike index remove example.index roof-2
//! lookalike index compact example.index
//! lookalike index add example.index b.jsonl
//! ```
//!
//! so that it has a segment, a number that is gone, and a document that is only in the journal, which
//! was cut to what is written of it. That of `format_v2` was made in the same way, and has documents with
//! URLs, which are no keys there yet. That of `format_v3` was made in the same way; it does not count what
//! it turns away, and the others do not either.

use std::fs;
use std::path::Path;

use lookalike_core::Given as _;
use lookalike_files::WorkFolder;
use lookalike_index::{AddIf, Document, Index, MatchKind, OpenOptions};

fn copy(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let to = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy(&entry.path(), &to);
        } else {
            fs::copy(entry.path(), to).unwrap();
        }
    }
}

const ROOF: &str = "Dear neighbours, the roof of our house will be repaired in March. Please keep the \
    yard free of cars and bicycles from Monday the third until Friday the fourteenth, since the \
    scaffolding will stand there.";

/// A copy of the index of a version.
fn example(version: u32, path: &Path) {
    let fixture = format!("../../tests/fixtures/format_v{version}/example.index");
    copy(&Path::new(env!("CARGO_MANIFEST_DIR")).join(fixture), path);
    // No repository keeps a folder that is empty.
    for entry in fs::read_dir(path.join("store/keyspaces")).unwrap() {
        fs::create_dir_all(entry.unwrap().path().join("tables")).unwrap();
    }
}

/// It is as it was until it is changed, and counts from then on: what was there says that there may have
/// been more.
#[test]
fn format_version_3_is_read_for_ever_and_begins_to_count() {
    let folder = WorkFolder::create(None).unwrap();
    let path = folder.join("index");
    example(3, &path);
    let version = || fs::read(path.join("index")).unwrap()[8];
    let reader = Index::open(&path, &OpenOptions::new()).unwrap();
    assert!(reader.finds_urls());
    assert_eq!(reader.verify().unwrap().documents, 4);
    let counts = |index: &Index, id: &str| {
        let counts = index.counts(&index.get(id).unwrap().unwrap()).unwrap();
        (counts.copies, counts.exact_copies, counts.sources, counts.at_least)
    };
    assert_eq!(counts(&reader, "roof-1"), (1, 1, 1, true));
    assert_eq!(counts(&reader, "garden"), (1, 1, 0, true));
    // Looking changes nothing.
    reader.compact().unwrap();
    drop(reader);
    assert_eq!(version(), 3);

    for rebuild in [false, true] {
        let options = OpenOptions::new().when(rebuild, OpenOptions::rebuild);
        let index = Index::open(&path, &options).unwrap();
        let known = Document::text("again", ROOF).with_source("elsewhere");
        let done = index.check_and_add(&known, AddIf::New).unwrap();
        assert_eq!((done.added, done.counted), (None, !rebuild));
        let new = Document::text("new", "Something new");
        assert_eq!(index.check_and_add(&new, AddIf::New).unwrap().added.is_some(), !rebuild);
        assert_eq!(version(), 4);
        assert_eq!(counts(&index, "roof-1"), (2, 2, 2, true));
        assert_eq!(counts(&index, "garden"), (1, 1, 0, true));
        assert_eq!(counts(&index, "new"), (1, 1, 0, false));
        index.verify().unwrap();
        let copy = folder.join(format!("copy-{rebuild}"));
        index.snapshot(&copy).unwrap();
        let copy = Index::open(&copy, &OpenOptions::new()).unwrap();
        assert_eq!(counts(&copy, "roof-1"), (2, 2, 2, true));
        assert_eq!(counts(&copy, "new"), (1, 1, 0, false));
    }
}

#[test]
fn format_version_2_is_read_for_ever() {
    let folder = WorkFolder::create(None).unwrap();
    let path = folder.join("index");
    example(2, &path);
    for options in [OpenOptions::new(), OpenOptions::new().rebuild()] {
        let index = Index::open(&path, &options).unwrap();
        assert!(!index.finds_urls());
        assert_eq!(index.verify().unwrap().documents, 4);
        let found = index.of_url("http://example.org/page", 0, 10).unwrap();
        let ids: Vec<&str> = found.records.iter().map(|record| record.id.as_str()).collect();
        assert_eq!((ids, found.next), (vec!["first", "second", "third"], None));
        assert_eq!(index.of_url("http://example.org/gone", 0, 10).unwrap().records, []);
    }
    let index = Index::open(&path, &OpenOptions::new()).unwrap();
    let added = Document::text("new", "Something new").with_url("http://example.org/page");
    index.add(&added).unwrap();
    assert_eq!(index.of_url("http://example.org/page", 3, 10).unwrap().records.len(), 2);
    index.compact().unwrap();
    assert_eq!(index.verify().unwrap().documents, 5);
}

#[test]
fn format_version_1_is_read_for_ever() {
    let folder = WorkFolder::create(None).unwrap();
    let path = folder.join("index");
    example(1, &path);
    for rebuild in [false, true] {
        let index =
            Index::open(&path, &OpenOptions::new().when(rebuild, OpenOptions::rebuild)).unwrap();
        let ids: Vec<(u64, String)> = index
            .documents()
            .unwrap()
            .map(Result::unwrap)
            .map(|record| (record.number, record.id))
            .collect();
        let expected = [(0, "roof-1"), (2, "garden"), (3, "page"), (4, "roof-3")];
        assert_eq!(ids, expected.map(|(number, id)| (number, id.to_owned())));
        assert_eq!(index.verify().unwrap().contents, 4);
        let answer = index.check(&Document::text("", ROOF)).unwrap();
        let found: Vec<(&str, MatchKind)> =
            answer.matches.iter().map(|found| (found.id.as_str(), found.kind)).collect();
        assert_eq!(found, [("roof-1", MatchKind::Exact), ("roof-3", MatchKind::Near)]);
        let page = index.get("page").unwrap().unwrap();
        assert_eq!(page.url.as_deref(), Some("http://example.org/page"));
        let content = index.content("page").unwrap().unwrap();
        assert_eq!(content, b"<title>A page</title><p>With an address of its own.");
        drop(index);
    }
    let index = Index::open(&path, &OpenOptions::new()).unwrap();
    assert!(index.check_and_add(&Document::text("new", ROOF), AddIf::New).unwrap().added.is_none());
    assert_eq!(index.add(&Document::text("new", "Something new")).unwrap().number, 5);
    // It has no verification key, and counts all the same.
    drop(index);
    let index = Index::open(&path, &OpenOptions::new()).unwrap();
    let again = index.check_and_add(&Document::text("again", ROOF), AddIf::New).unwrap();
    assert!(!index.check_and_add(&Document::text("again", ROOF), AddIf::New).unwrap().counted);
    let roof = index.counts(&index.get("roof-1").unwrap().unwrap()).unwrap();
    assert_eq!((roof.copies, roof.at_least, again.counted), (2 + 1, true, true));
    index.verify().unwrap();
}
