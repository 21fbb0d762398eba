//! CSV and TSV.

use std::fs;

use lookalike_corpus::{Compression, ErrorKind, FieldValue, ReadOptions, Source};
use proptest::prelude::*;

use super::{chunks_of, folder, pack, read, read_bytes, read_source, records_up_to};

/// Cells with all that is special in them.
fn any_cell() -> impl Strategy<Value = String> {
    prop_oneof![any::<String>(), "[a\",\t\r\n\u{e9}]{0,8}"]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn what_is_written_is_read(
        rows in prop::collection::vec((any_cell(), any_cell(), any_cell()), 0..30),
        compression in prop::sample::select(&Compression::ALL[..]),
        chunk_bytes in prop::sample::select(vec![1, 50, 1 << 20]),
        tabs: bool,
        crlf: bool,
    ) {
        let mut writer = csv::WriterBuilder::new()
            .delimiter(if tabs { b'\t' } else { b',' })
            .terminator(if crlf { csv::Terminator::CRLF } else { csv::Terminator::Any(b'\n') })
            .quote_style(csv::QuoteStyle::NonNumeric)
            .from_writer(Vec::new());
        writer.write_record(["id", "text", "rest"]).unwrap();
        for (id, text, rest) in &rows {
            writer.write_record([id, text, rest]).unwrap();
        }
        let bytes = writer.into_inner().unwrap();
        let extension = compression.extension();
        let name = format!("a.{}{extension}", if tabs { "tsv" } else { "csv" });
        let path = folder(&format!("csv{extension}")).join(name);
        fs::write(&path, pack(compression, &bytes)).unwrap();
        let all = read_source(&Source::file(&path, None).unwrap(), &chunks_of(chunk_bytes));
        prop_assert_eq!(all.fatal.as_deref(), None);
        prop_assert_eq!(all.records.len(), rows.len());
        for (i, (read, (id, text, _))) in all.records.iter().zip(&rows).enumerate() {
            let read = read.as_ref().unwrap();
            prop_assert_eq!(&read.text, text);
            let default = format!("{}#{}", path.display(), i + 1);
            prop_assert_eq!(&read.id, if id.is_empty() { &default } else { id });
        }
    }

    /// Whatever the bytes are, we see the records that the `csv` crate sees.
    #[test]
    fn any_bytes_are_cut_as_csv_cuts_them(
        body in "[a\",\r\n]{0,60}",
        chunk_bytes in 1_usize..20,
    ) {
        let bytes = format!("text,b\n{body}");
        let mut reader =
            csv::ReaderBuilder::new().flexible(true).has_headers(false).from_reader(bytes.as_bytes());
        let expected: Vec<Vec<String>> = reader
            .records()
            .skip(1)
            .map(|record| record.unwrap().iter().map(str::to_owned).collect())
            .collect();
        let path = folder("csv-bytes").join("a.csv");
        fs::write(&path, &bytes).unwrap();
        let all = read_source(&Source::file(&path, None).unwrap(), &chunks_of(chunk_bytes));
        prop_assert_eq!(all.records.len(), expected.len());
        for (read, expected) in all.records.iter().zip(&expected) {
            match read {
                Ok(read) => {
                    prop_assert_eq!(expected.len(), 2);
                    prop_assert_eq!(&read.text, &expected[0]);
                }
                Err(fault) if fault.ends_with("has a quote that is never closed") => {}
                Err(fault) => {
                    let columns = format!("has {} columns, but the header has 2", expected.len());
                    prop_assert!(expected.len() != 2 && fault.ends_with(&columns), "{}", fault);
                }
            }
        }
    }
}

#[test]
fn quoted_line_ends_blank_lines_and_wrong_columns() {
    let all = read_bytes(
        "csv-columns",
        "a.csv",
        concat!(
            "\u{feff}\n\"id\",text,url\r\n",
            "1,\"two\r\nlines, \"\"quoted\"\"\",http://a\r\n",
            "\n",
            "2,short\n",
            "3,5\" disk,\n",
            "4,too,many,columns\n",
            ",last,x\n",
            "5,\"never closed,\n6,7,8\n",
        ),
    );
    assert_eq!(all.texts(), ["two\r\nlines, \"quoted\"", "5\" disk", "last"]);
    assert_eq!(all.good()[0].url.as_deref(), Some("http://a"));
    assert_eq!(all.good()[1].url, None);
    assert!(all.good()[2].id.ends_with("a.csv#5"));
    for (fault, expected) in all.faults().iter().zip([
        "record 2: has 2 columns, but the header has 3",
        "record 4: has 4 columns, but the header has 3",
        "record 6: has a quote that is never closed",
    ]) {
        assert!(fault.ends_with(expected), "{fault}");
    }
    assert_eq!(all.faults().len(), 3);
}

#[test]
fn a_table_without_the_column_is_refused_at_once() {
    let path = folder("csv-no-column").join("a.tsv");
    fs::write(&path, "a\tText\n1\t2\n3\t4\n").unwrap();
    let source = Source::file(&path, None).unwrap();
    let mut chunks = source.chunks(&ReadOptions::default());
    let error = chunks.next().unwrap().unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::NoColumn { .. }));
    assert!(
        error
            .to_string()
            .ends_with("has no column `text` and none `html`\nhint: it has `a`, `Text`"),
        "{error}"
    );
    assert!(chunks.next().is_none());
    for empty in ["", "\n", "text\n", "text"] {
        let all = read_bytes("csv-empty", "a.csv", empty);
        assert_eq!((all.records.len(), all.fatal), (0, None), "{empty:?}");
    }
}

#[test]
fn cells_are_looked_up_by_name() {
    let path = folder("csv-fields").join("a.csv");
    fs::write(&path, "text,a.b,x,x\nt,1,2,3\n").unwrap();
    for chunk in Source::file(&path, None).unwrap().chunks(&ReadOptions::default()) {
        chunk.unwrap().for_each(|record| {
            let record = record.unwrap();
            assert_eq!(record.field("a.b"), Some(FieldValue::String("1".into())));
            assert_eq!(record.field("x"), Some(FieldValue::String("3".into())), "the last");
            assert_eq!(record.field("a"), None);
        });
    }
}

#[test]
fn long_records_are_passed_over_whatever_the_size_of_chunks() {
    let path = folder("csv-long").join("a.csv");
    let long = "y\n".repeat(100_000);
    for end in ["\n", "\r\n", "\r"] {
        let rows = ["text", "\"a\n\"", &format!("\"{long}\""), "12345678", "123456789", "b"];
        fs::write(&path, rows.join(end)).unwrap();
        let source = Source::file(&path, None).unwrap();
        let mut options = records_up_to(8);
        let expected = read_source(&source, &options);
        assert_eq!(expected.texts(), ["a\n", "12345678", "b"]);
        assert_eq!(expected.faults().len(), 2);
        for chunk_bytes in [1, 7, 65_536] {
            options.chunk_bytes = chunk_bytes;
            assert_eq!(read_source(&source, &options), expected, "{chunk_bytes}");
        }
    }
    assert_eq!(read(&path).records.len(), 5);
}
