//! JSON lines.

use std::fmt::Write as _;
use std::fs;

use lookalike_corpus::{Compression, ErrorKind, FieldValue, ReadOptions, Source};
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{chunks_of, folder, pack, read, read_bytes, read_source, records_up_to};

fn any_value() -> impl Strategy<Value = Value> {
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        any::<i64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        any::<String>().prop_map(Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::from),
            prop::collection::btree_map(any::<String>(), inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// A record with text, perhaps an id and a URL, and unknown fields.
pub(crate) fn any_record() -> impl Strategy<Value = Value> {
    let id = prop_oneof![Just(None), any::<String>().prop_map(|id| Some(json!(id)))];
    (any::<String>(), id, any::<Option<String>>(), any_value()).prop_map(|(text, id, url, more)| {
        let mut record =
            json!({"more": more, "text": text, "meta": {"text": "not this", "url": url}});
        if let Some(id) = id {
            record["id"] = id;
        }
        record
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn what_is_written_is_read(
        records in prop::collection::vec(any_record(), 0..40),
        compression in prop::sample::select(&Compression::ALL[..]),
        chunk_bytes in prop::sample::select(vec![1, 100, 1 << 20]),
        crlf: bool,
        last_end: bool,
    ) {
        let end = if crlf { "\r\n" } else { "\n" };
        let mut lines = String::new();
        for record in &records {
            write!(lines, "{record}{end}").unwrap();
        }
        if !last_end {
            lines.truncate(lines.trim_end().len());
        }
        let path = folder(&format!("json-{compression:?}")).join("a.jsonl");
        fs::write(&path, pack(compression, lines.as_bytes())).unwrap();
        let path = if compression == Compression::None {
            path
        } else {
            let packed = path.with_extension(format!("jsonl{}", compression.extension()));
            fs::rename(&path, &packed).unwrap();
            packed
        };
        let mut options = chunks_of(chunk_bytes);
        options.fields.url = "meta.url".to_owned();
        let all = read_source(&Source::file(&path, None).unwrap(), &options);
        prop_assert_eq!(all.fatal.as_deref(), None);
        prop_assert_eq!(all.records.len(), records.len());
        for (i, (read, written)) in all.records.iter().zip(&records).enumerate() {
            let read = read.as_ref().unwrap();
            prop_assert_eq!(&json!(read.text), &written["text"]);
            prop_assert_eq!(&json!(read.url), &written["meta"]["url"]);
            let id = format!("{}#{}", path.display(), i + 1);
            prop_assert_eq!(&read.id, written["id"].as_str().unwrap_or(&id));
        }
    }
}

#[test]
fn bad_records_are_named_and_passed_over() {
    let lines = concat!(
        "{\"text\": \"one\"}\n",
        "\n",
        "{\"text\": \n",
        "{\"txt\": \"no\"}\n",
        "{\"text\": 3}\n",
        "{\"text\": null}\n",
        " \t\r\n",
        "[\"text\"]\n",
        "{\"text\": \"x\", \"id\": [1]}\n",
        "{\"text\": \"y\"} {}\n",
        "{\"text\": \"two\", \"id\": 7}\n",
        "{\"text\": \"half",
    );
    let all = read_bytes("json-bad", "a.jsonl", lines);
    assert_eq!(all.texts(), ["one", "two"]);
    assert!(all.good()[0].id.ends_with("a.jsonl#1"), "{}", all.good()[0].id);
    assert_eq!((all.good()[1].number, &*all.good()[1].id), (9, "7"));
    for (fault, expected) in all.faults().iter().zip([
        "line 3: is not a JSON object: EOF while parsing a value at byte ",
        "line 4: field `text` is missing, and so is `html`; it has `txt`",
        "line 5: field `text` is a number, but a string is needed",
        "line 6: field `text` is null, but a string is needed",
        "line 8: is not a JSON object: invalid type: sequence, expected an object",
        "line 9: field `id` is an array, but a string or a number is needed",
        "line 10: is not a JSON object: trailing characters at byte ",
        "line 12: is not a JSON object: EOF while parsing a string at byte ",
    ]) {
        assert!(fault.contains(&format!("a.jsonl` {expected}")), "{fault}\n{expected}");
    }
    assert_eq!(all.faults().len(), 8);
}

#[test]
fn half_surrogates_and_foreign_bytes_do_not_lose_the_record() {
    let mut lines = Vec::new();
    for text in [
        r"a\ud800b",
        r"a\udc00b",
        r"\ud800\ud800\udc00",
        r"\\ud800",
        r"\\\ud800",
        r"\ud83d\ude00",
        r"\ud800",
        r"\ud800\n",
    ] {
        lines.extend_from_slice(
            format!("{{\"\\ud800\":\"\\udfff\",\"text\":\"{text}\"}}\n").as_bytes(),
        );
    }
    lines.extend_from_slice(b"{\"text\":\"caf\xe9 \\ud800\"}\n");
    let all = read_bytes("json-surrogates", "a.jsonl", lines);
    assert_eq!(
        all.texts(),
        [
            "a\u{fffd}b",
            "a\u{fffd}b",
            "\u{fffd}\u{10000}",
            r"\ud800",
            "\\\u{fffd}",
            "\u{1f600}",
            "\u{fffd}",
            "\u{fffd}\n",
            "caf\u{fffd} \u{fffd}",
        ]
    );
    assert_eq!(all.faults(), [""; 0]);
}

#[test]
fn the_last_of_two_equal_keys_counts() {
    let all = read_bytes(
        "json-twice",
        "a.jsonl",
        concat!("{\"text\":1,\"text\":\"last\"}\n", "{\"text\":\"x\",\"text\":{\"y\":[]}}\n",),
    );
    assert_eq!(all.texts(), ["last"]);
    assert_eq!(all.faults().len(), 1);
}

#[test]
fn dots_reach_nested_fields_and_whole_names_come_first() {
    let path = folder("json-dots").join("a.json");
    fs::write(
        &path,
        concat!(
            "{\"a\":{\"b\":{\"c\":\"deep\"},\"i\":5}}\n",
            "{\"a.b.c\":\"whole\",\"a\":{\"b\":{\"c\":\"deep\"}}}\n",
            "{\"a\":{\"b\":{\"c\":\"deep\"}},\"a.b.c\":\"whole\"}\n",
            "{\"a\":{\"b\":{\"c\":\"gone\"}},\"a\":{}}\n",
            "{\"a\":{\"b\":{\"c\":\"gone\"}},\"a\":3}\n",
            "{\"b\":{\"c\":\"other\"},\"c\":\"other\"}\n",
        ),
    )
    .unwrap();
    let mut options = ReadOptions::default();
    options.fields.text = "a.b.c".to_owned();
    options.fields.id = "a.i".to_owned();
    let all = read_source(&Source::file(&path, None).unwrap(), &options);
    assert_eq!(all.texts(), ["deep", "whole", "whole"]);
    assert_eq!(all.good()[0].id, "5");
    assert_eq!(all.faults().len(), 3);
}

#[test]
fn brackets_reach_the_elements_of_lists() {
    let path = folder("json-lists").join("a.jsonl");
    let lines = [
        r#"{"chat":[{"by":"a","says":"one"},{"says":"two \u00e9"},{"by":"b","says":null},{"by":"c"}]}"#,
        r#"{"chat":[]}"#,
        r#"{"chat":[{"says":"gone"}],"chat":[{"says":"last"}]}"#,
        r#"{"chat[].says":"whole","chat":[{"says":"deep"}]}"#,
        // One that is no list stands for a list of one.
        r#"{"chat":{"says":"alone"}}"#,
        r#"{"chat":[{"by":"a"},{"by":"b"}]}"#,
        r#"{"chat":[{"says":"one"},{"says":2}]}"#,
        r#"{"chat":[[{"says":"too deep"}]]}"#,
        r#"{"chat":null}"#,
    ];
    fs::write(&path, lines.join("\n")).unwrap();
    let mut options = ReadOptions::default();
    options.fields.text = "chat[].says".to_owned();
    let source = Source::file(&path, None).unwrap();
    let all = read_source(&source, &options);
    assert_eq!(all.texts(), ["one\ntwo \u{e9}", "", "last", "whole", "alone"]);
    let faults = all.faults();
    assert_eq!(faults.len(), 4, "{faults:?}");
    assert!(faults[0].contains("line 6: field `chat[].says` is missing"), "{}", faults[0]);
    assert!(faults[1].contains("line 7: field `chat[].says` is a number"), "{}", faults[1]);

    // Lists in lists, and lists of texts.
    let lines = [
        r#"{"id":1,"a":{"b":[{"c":["x","y"]},{"c":["z"]}]}}"#,
        r#"{"id":2,"a":{"b":[{"c":"x"},{"c":["y",null]}]}}"#,
    ];
    fs::write(&path, lines.join("\n")).unwrap();
    options.fields.text = "a.b[].c[]".to_owned();
    assert_eq!(read_source(&source, &options).texts(), ["x\ny\nz", "x\ny"]);
}

#[test]
fn fields_are_looked_up_by_path() {
    let path = folder("json-fields").join("a.jsonl");
    let line = r#"{"text":"t","s":"\u00e9","m":{"i":-3,"u":18446744073709551615,"f":0.5,"b":true,"n":null,"l":[]}}"#;
    fs::write(&path, line).unwrap();
    for chunk in Source::file(&path, None).unwrap().chunks(&ReadOptions::default()) {
        chunk.unwrap().for_each(|record| {
            let record = record.unwrap();
            assert_eq!(record.field("s"), Some(FieldValue::String("\u{e9}".into())));
            assert_eq!(record.field("m.i"), Some(FieldValue::Integer(-3)));
            assert_eq!(record.field("m.u"), Some(FieldValue::Integer(u64::MAX.into())));
            assert_eq!(record.field("m.f"), Some(FieldValue::Float(0.5)));
            assert_eq!(record.field("m.b"), Some(FieldValue::Bool(true)));
            for none in ["m.n", "m.l", "m", "x", "m.x", "s.x", ""] {
                assert_eq!(record.field(none), None, "{none}");
            }
        });
    }
}

#[test]
fn no_nesting_overflows_the_stack() {
    let deep = 100_000;
    let (open, close) = ("[".repeat(deep), "]".repeat(deep));
    let objects = format!("{}1{}", "{\"text\":".repeat(deep), "}".repeat(deep));
    let all = read_bytes(
        "json-deep",
        "a.jsonl",
        format!(
            "{{\"x\":{open}{close},\"text\":\"good\"}}\n\
         {{\"text\":{open}{close}}}\n\
         {{\"text\":{open}\n\
         {objects}\n\
         {open}\n\
         {{\"text\":\"next\"}}\n"
        ),
    );
    assert_eq!(all.texts(), ["good", "next"]);
    assert_eq!(all.faults().len(), 4);
}

#[test]
fn byte_order_marks_are_skipped() {
    let bytes = b"\xef\xbb\xbf{\"text\":\"a\"}\n{\"text\":\"b\"}\n";
    assert_eq!(read_bytes("json-mark", "a.jsonl", bytes).texts(), ["a", "b"]);
    assert_eq!(read_bytes("json-mark", "a.jsonl", b"\xef\xbb\xbf").records, []);
    assert_eq!(read_bytes("json-mark", "a.jsonl", b"").records, []);
}

#[test]
fn an_array_is_refused() {
    let path = folder("json-array").join("a.json");
    fs::write(&path, "\n [{\"text\":\"a\"}]").unwrap();
    let chunk = Source::file(&path, None).unwrap().chunks(&ReadOptions::default()).next();
    let error = chunk.unwrap().unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::JsonArray(_)), "{error}");
}

#[test]
fn long_records_are_passed_over_whatever_the_size_of_chunks() {
    let path = folder("json-long").join("a.jsonl");
    let record = |n: usize| format!("{{\"text\":\"{}\"}}", "x".repeat(n));
    let exact = record(300);
    let lines = [record(5), exact.clone(), record(301), record(200_000), record(6), record(70_000)];
    for end in ["\n", "\r\n"] {
        fs::write(&path, lines.join(end)).unwrap();
        let source = Source::file(&path, None).unwrap();
        let mut options = records_up_to(exact.len() as u64);
        let expected = read_source(&source, &options);
        assert_eq!(expected.good().iter().map(|r| r.number).collect::<Vec<_>>(), [1, 2, 5]);
        assert!(expected.faults()[1].ends_with("line 4: is longer than the limit of 311 bytes"));
        for chunk_bytes in [1, 10, 1000, 65_536, 100_000] {
            options.chunk_bytes = chunk_bytes;
            assert_eq!(read_source(&source, &options), expected, "{chunk_bytes}");
        }
    }
}

#[test]
fn a_line_without_end_takes_no_memory() {
    // 50 MB of one line in a few kilobytes: were it held, the chunk would show it.
    let path = folder("json-endless").join("a.jsonl.zst");
    let mut lines = b"{\"text\":\"before\"}\n{\"text\":\"".to_vec();
    lines.resize(50_000_000, b'x');
    lines.extend_from_slice(b"\n{\"text\":\"after\"}\n");
    fs::write(&path, pack(Compression::Zstd, &lines)).unwrap();
    let source = Source::file(&path, None).unwrap();
    let options = records_up_to(100_000);
    let mut most = 0;
    for chunk in source.chunks(&options) {
        most = most.max(chunk.unwrap().bytes());
    }
    assert!(most < 300_000, "{most}");
    let all = read_source(&source, &options);
    assert_eq!(all.texts(), ["before", "after"]);
    assert_eq!(all.faults().len(), 1);
}

#[test]
fn members_frames_and_streams_follow_each_other() {
    for compression in Compression::ALL {
        let name = format!("a.jsonl{}", compression.extension());
        let path = folder(&format!("json-members-{compression:?}")).join(name);
        let mut bytes = Vec::new();
        for part in ["{\"text\":\"a\"}\n{\"te", "xt\":\"b\"}", "", "\n{\"text\":\"c\"}\n"] {
            bytes.extend(pack(compression, part.as_bytes()));
        }
        fs::write(&path, bytes).unwrap();
        let all = read(&path);
        assert_eq!(
            (all.texts(), all.fatal.as_deref()),
            (vec!["a", "b", "c"], None),
            "{compression:?}"
        );
    }
}

/// As numbers they would be rounded, and two ids could become one.
#[test]
fn ids_that_are_numbers_keep_their_spelling() {
    let numbers = [
        "1.5",
        "1.50",
        "-0.0",
        "1e3",
        "123456789012345678901234567890",
        "0.1000000000000000055511151231257827",
    ];
    let lines: Vec<String> =
        numbers.iter().map(|id| format!("{{\"text\":\"a\",\"id\" : {id} }}\n")).collect();
    let all = read_bytes("json-float-ids", "a.jsonl", lines.concat());
    assert_eq!(all.good().iter().map(|read| &*read.id).collect::<Vec<_>>(), numbers);

    let path = folder("json-float-ids").join("b.jsonl");
    let line = |line: &str| format!("{line}\n");
    let lines = [
        line(r#"{"x":{"id":[1.5,"}"]},"text":"a","meta":{"\"":"{\\","\u0069d":2.50},"meta.id":1}"#),
        line(r#"{"meta":{"id":1.5},"text":"a","meta":{"a":{"id":9.9},"id":7.0,"b":[{}]}}"#),
        line(r#"{"meta":{"id":1.5},"text":"a","meta.id":8.00,"meta":{"id":2.5}}"#),
    ];
    fs::write(&path, lines.concat()).unwrap();
    let mut options = ReadOptions::default();
    options.fields.id = "meta.id".to_owned();
    let all = read_source(&Source::file(&path, None).unwrap(), &options);
    assert_eq!(all.good().iter().map(|read| &*read.id).collect::<Vec<_>>(), ["1", "7.0", "8.00"]);
}
