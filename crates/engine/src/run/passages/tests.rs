use std::fs;

use lookalike_files::WorkFolder;

use super::*;
use crate::dedup::Dedup;
use crate::passages::PassageRule;

const MEMORY: u64 = 1 << 20;

fn words(seed: usize, count: usize) -> String {
    (0..count).map(|n| format!("w{seed}x{n}")).collect::<Vec<_>>().join(" ")
}

/// A notice in every document, a motto in two, and one that has nothing else.
fn finished(folder: &WorkFolder) -> std::path::PathBuf {
    let documents = [
        ("a", format!("{}\n{}\n", words(1, 60), words(10, 40))),
        ("b", format!("{}\n{}\n{}\n", words(11, 30), words(1, 60), words(2, 25))),
        ("c", format!("{}\n{}\n{}\n", words(12, 30), words(2, 25), words(1, 60))),
        ("d", words(1, 60)),
        ("e", words(13, 30)),
    ];
    let line = |(id, text): (&str, String)| {
        let document = serde_json::json!({ "id": id, "text": text });
        format!("{document}\n")
    };
    let path = folder.join("documents.jsonl");
    fs::write(&path, documents.into_iter().map(line).collect::<String>()).unwrap();
    let out = folder.join("out");
    let job = Dedup::new([path.to_str().unwrap()]).all_documents();
    let report = job.passages(PassageRule::default().min_words(20)).run(&out).unwrap();
    let told = report.passages.unwrap();
    assert_eq!((told.passages, told.cuts, told.documents_gone), (2, 4, 1));
    assert_eq!(told.lengths, [[24, 1], [60, 3]]);
    assert_eq!(told.copies, [[2, 1], [4, 3]]);
    assert_eq!((told.sources[0].words, told.sources[0].words_cut), (420, 205));
    let [notice, motto] = &told.most_copies[..] else { panic!("{told:?}") };
    assert_eq!((notice.copies, notice.cuts, &*notice.keeper), (4, 3, "a"));
    assert!(notice.text.starts_with("w1x0 w1x1 "), "{notice:?}");
    assert_eq!((motto.copies, &*motto.keeper, &*motto.example.id), (2, "b", "c"));
    assert!(
        matches!(&motto.example.text[1], MarkedPiece::Cut(0, text) if text.starts_with("w2x0 ")),
        "{motto:?}"
    );
    out
}

#[test]
fn passages_are_listed_filtered_and_searched() {
    let folder = WorkFolder::create(None).unwrap();
    let all = Passages::open(Run::open(finished(&folder)).unwrap(), MEMORY).unwrap();
    let page = |filter: &PassageFilter, order, after, limit| {
        let page = all.page(filter, order, after, limit).unwrap();
        (page.passages.iter().map(|one| one.words).collect::<Vec<_>>(), page.next)
    };
    let none = PassageFilter::default();
    assert_eq!(page(&none, PassageOrder::Copies, 0, 9), (vec![60, 25], None));
    assert_eq!(page(&none, PassageOrder::Copies, 0, 1), (vec![60], Some(1)));
    assert_eq!(page(&none, PassageOrder::Words, 1, 1), (vec![25], None));
    let few = PassageFilter { max_copies: Some(3), ..none.clone() };
    assert_eq!(page(&few, PassageOrder::Input, 0, 9), (vec![25], None));
    let has = |words: &str| PassageFilter { words: Some(words.to_owned()), ..none.clone() };
    assert_eq!(page(&has("W2X3, w2x4"), PassageOrder::Copies, 0, 9), (vec![25], None));
    assert_eq!(page(&has("w2x4 w2x3"), PassageOrder::Copies, 0, 9), (vec![], None));
    assert_eq!(page(&has("w10x1"), PassageOrder::Copies, 0, 9), (vec![], None), "it is not in one");

    let notice = all.get(0).unwrap();
    assert_eq!((notice.words, notice.copies, notice.cuts), (60, 4, 3));
    let cut_of: Vec<String> =
        all.cuts(0, 0, 9).unwrap().into_iter().map(|cut| cut.document.id).collect();
    assert_eq!(cut_of, ["b", "c", "d"]);
    assert_eq!(all.cuts(0, 2, 9).unwrap().len(), 1);
    assert!(all.cuts(7, 0, 9).unwrap().is_empty() && all.get(2).is_none());
    let start = all.beginnings(&[1, 0, 9], 9).unwrap();
    assert_eq!(start, [Some("w2x0 w2x1".to_owned()), Some("w1x0 w1x1".to_owned()), None]);

    let found = all.find("c", 9).unwrap();
    assert_eq!((found.documents, found.rows, found.passages.len()), (1, vec![Row::nth(2)], 2));
    assert_eq!(all.find("a", 9).unwrap().passages, [notice]);
    assert_eq!(all.find("e", 9).unwrap().passages, []);
}

#[test]
fn a_document_is_shown_with_its_cuts() {
    let folder = WorkFolder::create(None).unwrap();
    let out = finished(&folder);
    let all = Passages::open(Run::open(&out).unwrap(), MEMORY).unwrap();
    let shown = all.document(Row::nth(2), None, MarkLimits::NONE).unwrap();
    assert_eq!((shown.words, shown.words_cut, shown.cuts, shown.gone), (115, 85, 2, false));
    assert_eq!(shown.passages, [1, 0]);
    assert_eq!(shown.text[0], MarkedPiece::Kept(format!("{}\n", words(12, 30))));
    assert_eq!(shown.text[2], MarkedPiece::Cut(1, format!("{}\n", words(1, 60))));
    let near =
        all.document(Row::nth(2), Some(0), MarkLimits { cuts: 1, ..MarkLimits::NONE }).unwrap();
    assert!(near.text.iter().any(|piece| matches!(piece, MarkedPiece::Cut(1, _))), "{near:?}");
    assert!(all.document(Row::nth(3), None, MarkLimits::DEFAULT).unwrap().gone);
    let keeper = all.keeper(1, MarkLimits::NONE).unwrap().unwrap();
    assert_eq!(keeper.document.id, "b");
    assert_eq!(keeper.text[1], MarkedPiece::Cut(0, words(2, 25)));

    let explained = all.run().explain(&[2, 3, 0].map(Row::nth)).unwrap();
    let cuts: Vec<_> = explained
        .into_iter()
        .map(|explained| explained.cuts.unwrap())
        .map(|cuts| (cuts.words_cut, cuts.pieces, cuts.gone, cuts.kept))
        .collect();
    assert_eq!(cuts, [(85, 2, false, 0), (60, 1, true, 0), (0, 0, false, 3)]);

    fs::remove_file(folder.join("documents.jsonl")).unwrap();
    let unread = all.document(Row::nth(2), None, MarkLimits::DEFAULT).unwrap();
    assert!(unread.text.is_empty() && unread.fault.is_some());
    let filter = PassageFilter { words: Some("w2x3".to_owned()), ..PassageFilter::default() };
    assert_eq!(all.page(&filter, PassageOrder::Copies, 0, 9).unwrap().unread, 2);
}

#[test]
fn memory_has_a_bound_that_is_told() {
    let folder = WorkFolder::create(None).unwrap();
    let out = finished(&folder);
    let open = |memory| Passages::open(Run::open(&out).unwrap(), memory);
    assert_eq!(Passages::BYTES, 52);
    assert!(open(4 * 52).is_ok());
    let error = open(4 * 52 - 1).err().unwrap();
    assert!(matches!(error.kind(), ErrorKind::TooManyCuts { cuts: 4, needed: 208 }), "{error}");
}
