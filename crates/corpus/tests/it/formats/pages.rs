//! Web pages: files, and fields of records.

use std::fs;
use std::sync::Arc;

use arrow_array::{ArrayRef, BinaryArray, RecordBatch, StringArray};
use lookalike_corpus::{
    Compression, ContentKind, ErrorKind, Format, Limits, ReadOptions, Source, Sources,
    read_document,
};
use parquet::arrow::ArrowWriter;

use super::{folder, pack, read_bytes, read_source, records_up_to};

/// The kind and the content of every record; without a kind what is wrong with it.
fn contents(source: &Source, options: &ReadOptions) -> Vec<(Option<ContentKind>, String)> {
    let mut all = Vec::new();
    for chunk in source.chunks(options) {
        chunk.unwrap().for_each(|record| {
            all.push(match record {
                Ok(record) => {
                    let content = String::from_utf8(record.content.into_owned()).unwrap();
                    (Some(record.kind), content)
                }
                Err(error) => (None, error.to_string()),
            });
        });
    }
    all
}

fn written(test: &str, name: &str, bytes: &[u8]) -> Source {
    let path = folder(test).join(name);
    fs::write(&path, bytes).unwrap();
    Source::file(&path, None).unwrap()
}

fn page(content: &str) -> (Option<ContentKind>, String) {
    (Some(ContentKind::Html), content.to_owned())
}

fn text(content: &str) -> (Option<ContentKind>, String) {
    (Some(ContentKind::Text), content.to_owned())
}

#[test]
fn files_are_decoded_as_browsers_do_and_mirrored_as_they_are() {
    let stored = b"<meta charset=koi8-r><p>\xcd\xc9\xd2";
    for compression in Compression::ALL {
        let name = format!("a.html{}", compression.extension());
        let source = written(&format!("pages{name}"), &name, &pack(compression, stored));
        assert_eq!(source.format(), Format::Html);
        let expected = page("<meta charset=koi8-r><p>\u{43c}\u{438}\u{440}");
        assert_eq!(contents(&source, &ReadOptions::default()), [expected]);

        let out = folder(&format!("pages-out{name}"));
        let report = source.write_selection(&out, &ReadOptions::default(), |_| true).unwrap();
        assert_eq!(report.kept, 1);
        assert_eq!(fs::read(out.join(&name)).unwrap(), pack(compression, stored));
        let none = source.write_selection(&out, &ReadOptions::default(), |_| false).unwrap();
        assert_eq!((none.dropped, none.path), (1, None));
    }
}

#[test]
fn a_folder_has_pages_and_content_tells_them() {
    let folder = folder("pages-folder");
    fs::write(folder.join("a.HTM"), "<p>a").unwrap();
    fs::write(folder.join("b.html.gz"), pack(Compression::Gzip, b"<p>b")).unwrap();
    fs::write(folder.join("c.txt"), "<p>c").unwrap();
    fs::write(folder.join("d"), "<!DOCTYPE html><p>d").unwrap();
    let name = folder.to_str().unwrap().to_owned();
    let sources: Vec<Source> =
        Sources::new(std::slice::from_ref(&name), None).unwrap().map(Result::unwrap).collect();
    let formats: Vec<Format> = sources.iter().map(Source::format).collect();
    assert_eq!(formats, [Format::Html, Format::Html, Format::TextFile]);

    let kind =
        |file: &str| read_document(&format!("{name}/{file}"), Limits::default()).unwrap().kind;
    assert_eq!(kind("a.HTM"), ContentKind::Html);
    assert_eq!(kind("c.txt"), ContentKind::Text);
    assert_eq!(kind("d"), ContentKind::Html);
    let source = Source::file(&folder.join("d"), None).unwrap();
    assert_eq!(source.format(), Format::Html);
}

#[test]
fn long_pages_are_refused() {
    let source = written("pages-long", "a.html", b"0123456789");
    assert_eq!(contents(&source, &records_up_to(10)).len(), 1);
    let all = read_source(&source, &records_up_to(9));
    assert_eq!(all.records, []);
    let error = all.fatal.unwrap();
    assert!(error.contains("is longer than the limit of 9 bytes for web pages"), "{error}");

    let mut limits = Limits::default();
    limits.max_record_bytes = 9;
    let error = read_document(source.path().to_str().unwrap(), limits).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::PageTooLong { limit: 9, .. }));
}

#[test]
fn records_without_a_text_are_their_page() {
    let lines = r#"{"text": "a", "html": "<p>no"}
{"html": "<p>b\u00e9", "url": "http://x"}
{"text": null, "html": "<p>c"}
{"text": "", "html": "<p>no"}
{"id": "none"}
{"html": 7}
{"text": 7, "html": "<p>no"}
{"text": null}
"#;
    let source = written("pages-json", "a.jsonl", lines.as_bytes());
    let found = contents(&source, &ReadOptions::default());
    assert_eq!(found[..4], [text("a"), page("<p>b\u{e9}"), page("<p>c"), text("")]);
    for (fault, message) in found[4..].iter().zip([
        "line 5: field `text` is missing, and so is `html`; it has `id`",
        "line 6: field `html` is a number, but a string is needed",
        "line 7: field `text` is a number, but a string is needed",
        "line 8: field `text` is null, but a string is needed",
    ]) {
        assert!(fault.0.is_none() && fault.1.ends_with(message), "{fault:?}");
    }

    let mut options = ReadOptions::default();
    options.fields.html = "body.raw".to_owned();
    let source = written("pages-nested", "a.jsonl", br#"{"body": {"raw": "<p>x"}, "html": "no"}"#);
    assert_eq!(contents(&source, &options), [page("<p>x")]);
}

#[test]
fn tables_have_pages() {
    let options = ReadOptions::default();
    let source =
        written("pages-csv", "a.csv", b"text,html\na,<p>no\n,<p>b\n,\n,\"<p>caf\xe9 au lait\"\n");
    let expected = [text("a"), page("<p>b"), text(""), page("<p>caf\u{e9} au lait")];
    assert_eq!(contents(&source, &options), expected);
    let source = written("pages-tsv", "a.tsv", b"id\thtml\n1\t<p>b\n");
    assert_eq!(contents(&source, &options), [page("<p>b")]);
    let fatal = read_bytes("pages-none", "a.csv", b"id,body\n1,2\n").fatal.unwrap();
    assert!(
        fatal.contains("has no column `text` and none `html`\nhint: it has `id`, `body`"),
        "{fatal}"
    );
}

#[test]
fn parquet_has_pages() {
    let file = |name: &str, columns: Vec<(&str, ArrayRef)>| {
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), None).unwrap();
        writer.write(&batch).unwrap();
        written("pages-parquet", name, &writer.into_inner().unwrap())
    };
    let bytes: ArrayRef =
        Arc::new(BinaryArray::from(vec![&b"<p>caf\xe9 au lait"[..], b"<p>\xc3\xa9"]));
    let source = file("a.parquet", vec![("html", Arc::clone(&bytes))]);
    let options = ReadOptions::default();
    assert_eq!(contents(&source, &options), [page("<p>caf\u{e9} au lait"), page("<p>\u{e9}")]);

    let texts: ArrayRef = Arc::new(StringArray::from(vec![Some("a"), None]));
    let source = file("b.parquet", vec![("html", bytes), ("text", texts)]);
    let found = contents(&source, &options);
    assert_eq!(found[0], text("a"));
    assert!(found[1].0.is_none() && found[1].1.contains("field `text` is null"));
}
