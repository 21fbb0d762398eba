//! Selections with changes: what is written is read again as the naive change of what was read.

mod columns;
mod json_lines;
mod repeats;
mod revisits;
mod tables;
mod texts;

use std::fs;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use lookalike_corpus::{
    AddedField, AddedKind, AddedSpan, AddedValue, Change, Compression, Edit, EditFault, ErrorKind,
    ReadOptions, SelectionReport, Source,
};
use proptest::prelude::*;

use super::{All, chunks_of, folder, pack, read_source, unpack};

/// What is asked for in a test, of a text that is not known yet.
#[derive(Clone, Debug)]
enum Wish {
    Keep,
    Drop,
    Cut(Vec<prop::sample::Index>),
}

fn any_wish() -> impl Strategy<Value = Wish> {
    prop_oneof![
        Just(Wish::Keep),
        Just(Wish::Drop),
        prop::collection::vec(any::<prop::sample::Index>(), 0..7).prop_map(Wish::Cut),
    ]
}

fn any_packing() -> impl Strategy<Value = Compression> {
    prop::sample::select(vec![Compression::None, Compression::Gzip, Compression::Zstd])
}

/// Ranges from character to character, some of them empty, some next to each other.
fn cuts_of(text: &str, picks: &[prop::sample::Index]) -> Vec<Range<u64>> {
    let boundaries: Vec<u64> =
        (0..=text.len()).filter(|at| text.is_char_boundary(*at)).map(|at| at as u64).collect();
    let mut picked: Vec<u64> = picks.iter().map(|pick| *pick.get(&boundaries)).collect();
    picked.sort_unstable();
    picked.chunks_exact(2).map(|pair| pair[0]..pair[1]).collect()
}

/// The text without the ranges.
fn cut(text: &str, cuts: &[Range<u64>]) -> String {
    let goes = |at: &usize| cuts.iter().any(|cut| cut.contains(&(*at as u64)));
    text.char_indices().filter(|(at, _)| !goes(at)).map(|(_, c)| c).collect()
}

/// The change that is wished for of each record, by what was read of it. Bad records are kept.
fn edits_of(all: &All, wishes: &[Wish], values: impl Fn(usize) -> Vec<AddedValue>) -> Vec<Edit> {
    let records = all.records.iter().zip(wishes).enumerate();
    let edit = |(i, (record, wish)): (usize, (&Result<super::Read, String>, &Wish))| match (
        record, wish,
    ) {
        (_, Wish::Drop) => Edit::Drop,
        (Ok(record), Wish::Cut(picks)) => {
            let cuts = cuts_of(&record.text, picks);
            Edit::Change(Change { cuts, values: values(i), ..Change::default() })
        }
        _ => Edit::Keep,
    };
    records.map(edit).collect()
}

/// What is read of the records that stay, with their changes.
fn expected(all: &All, edits: &[Edit]) -> Vec<Option<String>> {
    let records = all.records.iter().zip(edits);
    records
        .filter_map(|(record, edit)| {
            let text = record.as_ref().ok().map(|record| record.text.clone());
            match edit {
                Edit::Drop | Edit::Revisit(_) => None,
                Edit::Keep => Some(text),
                Edit::Change(change) => Some(text.map(|text| cut(&text, &change.cuts))),
            }
        })
        .collect()
}

fn texts(all: &All) -> Vec<Option<String>> {
    all.records.iter().map(|read| read.as_ref().ok().map(|read| read.text.clone())).collect()
}

/// Writes the selection; nothing else is left in its folder.
fn edited(
    source: &Source,
    out: &Path,
    options: &ReadOptions,
    added: &[AddedField],
    edits: &[Edit],
) -> lookalike_corpus::Result<SelectionReport> {
    let mut asked = 0;
    let edit = |number| {
        asked += 1;
        assert_eq!(asked, number);
        Ok(edits[number as usize - 1].clone())
    };
    let report = source.pending_edits(out, options, added, edit)?.publish()?;
    assert_eq!(asked, edits.len() as u64);
    let goes = |edit: &&Edit| matches!(edit, Edit::Drop | Edit::Revisit(_));
    let kept = edits.iter().filter(|edit| !goes(edit)).count() as u64;
    assert_eq!((report.kept, report.dropped), (kept, edits.len() as u64 - kept));
    assert!(fs::read_dir(out).unwrap().count() <= 1);
    Ok(report)
}

/// A file of these bytes, packed as its name says.
fn source_of(folder: &Path, name: &str, bytes: &[u8]) -> Source {
    let path = folder.join(name);
    fs::write(&path, pack(Compression::from_name(name), bytes)).unwrap();
    Source::file(&path, None).unwrap()
}

/// What a selection with one change for each record has, unpacked, or why there is none.
fn changed(
    name: &str,
    bytes: impl AsRef<[u8]>,
    options: &ReadOptions,
    added: &[AddedField],
    changes: Vec<Change>,
) -> Result<String, EditFault> {
    // Many tests come here at once.
    static FOLDERS: AtomicU64 = AtomicU64::new(0);
    let folder = folder(&format!("edit-{}", FOLDERS.fetch_add(1, Ordering::Relaxed)));
    let source = source_of(&folder, name, bytes.as_ref());
    let edits: Vec<Edit> = changes.into_iter().map(Edit::Change).collect();
    match edited(&source, &folder.join("out"), options, added, &edits) {
        Ok(report) => {
            let written = unpack(source.compression(), &fs::read(report.path.unwrap()).unwrap());
            Ok(String::from_utf8(written).unwrap())
        }
        Err(error) => {
            assert!(files(&folder.join("out")).is_empty(), "no file if there is an error");
            let text = error.to_string();
            match error.kind() {
                ErrorKind::Edit { fault, path, record } => {
                    assert!(text.starts_with(&format!("`{}` record {record}: ", path.display())));
                    Err(fault.clone())
                }
                _ => panic!("{error}"),
            }
        }
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.map(|entry| entry.unwrap().path()).collect()
}

fn cuts(cuts: &[(u64, u64)]) -> Change {
    let cuts = cuts.iter().map(|&(begin, end)| begin..end).collect();
    Change { cuts, ..Change::default() }
}

fn field(name: &str, kind: AddedKind) -> AddedField {
    AddedField { name: name.to_owned(), kind }
}

/// What the ranges of [`all_values`] are in JSON.
const SPANS: &str = concat!(
    r#"[{"begin":0,"end":5,"words":1,"copies":2,"keeper":"k","keeper_begin":3,"keeper_end":4},"#,
    r#"{"begin":7,"end":9,"words":1,"copies":2,"keeper":"k","keeper_begin":3,"keeper_end":4}]"#,
);

/// One field of each kind, within each other.
fn all_kinds() -> Vec<AddedField> {
    vec![
        field("lookalike.passages", AddedKind::Spans),
        field("lookalike.by.id", AddedKind::String),
        field("flag", AddedKind::Bool),
        field("lookalike.count", AddedKind::Integer),
        field("lookalike.by.share", AddedKind::Float),
    ]
}

fn span(bytes: Range<u64>) -> AddedSpan {
    let (begin, end) = (bytes.start, bytes.end);
    let keeper = "k".to_owned();
    AddedSpan { begin, end, words: 1, copies: 2, keeper, keeper_begin: 3, keeper_end: 4 }
}

fn all_values() -> Vec<AddedValue> {
    vec![
        AddedValue::Spans(vec![span(0..5), span(7..9)]),
        AddedValue::String("a \"b\",\n\u{e9}".to_owned()),
        AddedValue::Bool(true),
        AddedValue::Integer(-3),
        AddedValue::Float(0.5),
    ]
}
