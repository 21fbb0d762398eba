//! Changes of JSON lines.

use lookalike_corpus::Fault;

use super::*;

/// A piece of a string as JSON may spell it. Halves of pairs may meet, and are characters then.
const SPELT: [&[u8]; 15] = [
    b"a",
    b" ",
    "\u{e9}".as_bytes(),
    "\u{1f600}".as_bytes(),
    br"\n",
    br#"\""#,
    br"\\",
    br"\/",
    br"\u00e9",
    br"\u0041",
    br"\uD83d\ude00",
    br"\ud83d",
    br"\ude00",
    b"\xff",
    br"\uffff",
];

fn any_spelt() -> impl Strategy<Value = Vec<u8>> {
    prop::collection::vec(prop::sample::select(&SPELT[..]), 0..12).prop_map(|parts| parts.concat())
}

/// The field that has the text, and the line around its strings, `@` for each.
const FORMS: [(&str, &str); 9] = [
    ("text", r#"{"id":"x","text":"@","n":1.50}"#),
    ("text", r#" { "text" : "no" , "more":[{"text":"\ud800"}],"text":"@" } "#),
    ("text", r#"{"\ud800":"\"}","t\u0065xt":"@"}"#),
    ("meta.text", r#"{"text":"no","meta":{"text":"no"},"meta":{"text":"no","text":"@"}}"#),
    ("meta.text", r#"{"meta":{"text":"no"},"meta.text":"@","meta":{"text":"no"}}"#),
    ("a[].b", r#"{"a":[{"b":"@"},{"c":1},{"b":null},{"b":"no","b":"@"}, {"b":""},{"b":"@"}]}"#),
    ("a[]", r#"{"a":["no"],"a":["@",null,"@"]}"#),
    (
        "a[].b[].c",
        r#"{"a":[{"b":[]},{"b":[{"c":"@"},{"c":"@"}]},{"b":[{"d":1}]},{"b":{"c":"@"}}]}"#,
    ),
    ("a[].b", r#"{"a":{"b":"@"}}"#),
];

/// What [`all_values`] are at the end of a line.
fn added_values() -> String {
    let rest =
        "\"by\":{\"id\":\"a \\\"b\\\",\\n\u{e9}\",\"share\":0.5},\"count\":-3},\"flag\":true";
    format!(",\"lookalike\":{{\"passages\":{SPANS},{rest}")
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn what_is_cut_is_read_and_all_else_is_the_same_bytes(
        form in 0..FORMS.len(),
        records in prop::collection::vec((prop::collection::vec(any_spelt(), 3), any_wish()), 1..12),
        packing in any_packing(),
        chunk_bytes in prop::sample::select(vec![1, 100, 1 << 20]),
        crlf: bool,
        adds: bool,
    ) {
        let folder = folder("edit-json");
        let (path, frame) = FORMS[form];
        let end: &[u8] = if crlf { b"\r\n" } else { b"\n" };
        let line = |strings: &[Vec<u8>]| {
            let mut strings = strings.iter();
            let parts = frame.split('@').enumerate().map(|(i, part)| {
                let string = if i > 0 { strings.next().unwrap().clone() } else { Vec::new() };
                [&string, part.as_bytes()].concat()
            });
            [parts.collect::<Vec<_>>().concat(), end.to_vec()].concat()
        };
        let lines: Vec<Vec<u8>> = records.iter().map(|(strings, _)| line(strings)).collect();
        let name = format!("a.jsonl{}", packing.extension());
        let source = source_of(&folder, &name, &lines.concat());
        let mut options = chunks_of(chunk_bytes);
        path.clone_into(&mut options.fields.text);
        let all = read_source(&source, &options);
        prop_assert_eq!(all.good().len(), lines.len(), "{:?}", all);
        let wishes: Vec<Wish> = records.into_iter().map(|(_, wish)| wish).collect();
        let added = if adds { all_kinds() } else { Vec::new() };
        let values = if adds { all_values() } else { Vec::new() };
        let edits = edits_of(&all, &wishes, |_| values.clone());
        let report = edited(&source, &folder.join("out"), &options, &added, &edits).unwrap();
        let written = report.path.unwrap();

        let again = read_source(&Source::file(&written, None).unwrap(), &options);
        // The line end between two texts stays.
        let joins = frame.matches('@').count() > 1;
        let without_ends = |texts: Vec<Option<String>>| -> Vec<Option<String>> {
            let text = |text: String| if joins { text.replace('\n', "") } else { text };
            texts.into_iter().map(|found| found.map(text)).collect()
        };
        prop_assert_eq!(without_ends(texts(&again)), without_ends(expected(&all, &edits)));

        let bytes = unpack(packing, &fs::read(&written).unwrap());
        let mut found = bytes.split_inclusive(|byte| *byte == b'\n');
        let (first, last) = (frame.split('@').next().unwrap(), frame.rsplit('@').next().unwrap());
        let closing = last.rfind('}').unwrap();
        let fields = if adds { added_values() } else { String::new() };
        let (before, after) = last.as_bytes().split_at(closing);
        let last = [before, fields.as_bytes(), after, end].concat();
        for (line, edit) in lines.iter().zip(&edits).filter(|(_, edit)| **edit != Edit::Drop) {
            let found = found.next().unwrap();
            let is_changed = matches!(edit, Edit::Change(change)
                if adds || !change.cuts.iter().all(Range::is_empty));
            if is_changed {
                prop_assert!(found.starts_with(first.as_bytes()) && found.ends_with(&last));
            } else {
                prop_assert_eq!(found, &line[..]);
            }
        }
        prop_assert!(found.next().is_none());
    }
}

/// The line with these cuts.
fn cut_line(line: &str, path: &str, change: Change) -> Result<String, EditFault> {
    let mut options = ReadOptions::default();
    path.clone_into(&mut options.fields.text);
    changed("a.jsonl", line, &options, &[], vec![change])
}

#[test]
fn escapes_stay_as_they_are_spelt() {
    let line = "{\"n\": 1e1, \"text\" : \"a\\u00e9\\/\\ud83d\\uDE00\u{e9}\\n\",\"x\":\"\\/\"} \r\n";
    for (change, expected) in [
        (cuts(&[(0, 1)]), "\\u00e9\\/\\ud83d\\uDE00\u{e9}\\n"),
        (cuts(&[(1, 3)]), "a\\/\\ud83d\\uDE00\u{e9}\\n"),
        (cuts(&[(3, 4)]), "a\\u00e9\\ud83d\\uDE00\u{e9}\\n"),
        (cuts(&[(4, 8)]), "a\\u00e9\\/\u{e9}\\n"),
        (cuts(&[(8, 10), (10, 11)]), r"a\u00e9\/\ud83d\uDE00"),
        (cuts(&[(0, 11)]), ""),
    ] {
        let expected = format!("{{\"n\": 1e1, \"text\" : \"{expected}\",\"x\":\"\\/\"}} \r\n");
        assert_eq!(cut_line(line, "text", change).unwrap(), expected);
    }
    assert_eq!(cut_line(line, "text", cuts(&[(5, 5)])).unwrap(), line);
}

#[test]
fn halves_that_come_together_are_no_character() {
    let halves = r#"{"text":"\ud83dx\ude00","y":"\ud83d"}"#;
    let expected = r#"{"text":"\ufffd\ufffd","y":"\ud83d"}"#;
    assert_eq!(cut_line(halves, "text", cuts(&[(3, 4)])).unwrap(), expected);
    let folder = folder("edit-json-bytes");
    let source = source_of(&folder, "a.jsonl", b"{\"text\":\"\xc3x\xa9\",\"y\":\"\xff\"}");
    let edits = [Edit::Change(cuts(&[(3, 4)]))];
    let report = edited(&source, &folder.join("out"), &ReadOptions::default(), &[], &edits);
    let written = fs::read(report.unwrap().path.unwrap()).unwrap();
    assert_eq!(written, b"{\"text\":\"\xef\xbf\xbd\xef\xbf\xbd\",\"y\":\"\xff\"}");
}

#[test]
fn line_ends_between_texts_of_a_list_stay() {
    let line = r#"{"m":[{"c":"ab"},{"c":"cd"},{"c":"ef"}]}"#;
    for (range, expected) in [
        (1..4, r#"{"m":[{"c":"a"},{"c":"d"},{"c":"ef"}]}"#),
        (2..6, r#"{"m":[{"c":"ab"},{"c":""},{"c":"ef"}]}"#),
        (2..3, line),
        (0..8, r#"{"m":[{"c":""},{"c":""},{"c":""}]}"#),
    ] {
        assert_eq!(cut_line(line, "m[].c", cuts(&[(range.start, range.end)])).unwrap(), expected);
    }
}

#[test]
fn fields_are_added_at_the_end_in_objects() {
    let mut values = all_values();
    values[4] = AddedValue::Float(f64::NAN);
    let change = Change { values, ..cuts(&[(0, 1)]) };
    let none = Change::default();
    let options = ReadOptions::default();
    let line = "{\"text\":\"ab\"}";
    let lines = format!("{line} \n{line}");
    let written = changed("a.jsonl", lines, &options, &all_kinds(), vec![change, none]);
    let first = added_values().replace("0.5", "null");
    let second = concat!(
        r#"{"text":"ab","lookalike":{"passages":null,"by":{"id":null,"share":null},"#,
        r#""count":null},"flag":null}"#,
    );
    assert_eq!(written.unwrap(), format!("{{\"text\":\"b\"{first}}} \n{second}"));
}

#[test]
fn fields_that_are_there_are_not_added_again() {
    let added = [field("lookalike.passages", AddedKind::Spans)];
    let options = ReadOptions::default();
    for key in ["lookalike", r"look\u0061like", "lookalike.passages"] {
        let line = format!("{{\"text\":\"a\",\"{key}\":1}}");
        let fault = changed("a.jsonl", line, &options, &added, vec![Change::default()]);
        let fault = fault.unwrap_err();
        assert!(matches!(&fault, EditFault::Taken { field, .. } if field == "lookalike.passages"));
        assert!(fault.to_string().contains("hint: `--annotate-as NAME`"));
    }
    let line = "{\"text\":\"a\",\"x\":{\"lookalike\":1},\"lookalikes\":1}";
    let fine = changed("a.jsonl", line, &options, &added, vec![Change::default()]);
    assert!(fine.is_ok());
    for names in [["a", "a"], ["a", "a.b"], ["a.b", "a"]] {
        let folder = folder("edit-json-names");
        let source = source_of(&folder, "a.jsonl", b"{\"text\":\"a\"}");
        let added = names.map(|name| field(name, AddedKind::Bool));
        let error = edited(&source, &folder.join("out"), &options, &added, &[Edit::Keep]);
        assert!(matches!(error.unwrap_err().kind(), ErrorKind::ColumnTaken { .. }), "{names:?}");
    }
}

#[test]
fn what_cannot_be_changed_says_why() {
    let line = "{\"text\":\"a\u{e9}\"}";
    let range = |begin, end| Err(EditFault::Range { begin, end });
    let order = |begin, end| Err(EditFault::Order { begin, end });
    assert_eq!(cut_line(line, "text", cuts(&[(0, 4)])), range(0, 4));
    assert_eq!(cut_line(line, "text", cuts(&[(0, 1), (2, 3)])), range(2, 3));
    assert_eq!(cut_line(line, "text", cuts(&[(0, 1), (9, 9), (9, 12)])), range(9, 9));
    assert_eq!(cut_line(line, "text", cuts(&[(1, 3), (0, 1)])), order(0, 1));
    assert_eq!(cut_line(line, "text", cuts(&[(1, 0)])), order(1, 0));
    assert_eq!(cut_line("{\"html\":\"ab\"}", "text", cuts(&[(0, 1)])), Err(EditFault::Page));
    let unreadable = cut_line("{\"text\":\"a\"", "text", cuts(&[(0, 1)])).unwrap_err();
    assert!(matches!(unreadable, EditFault::Unreadable(Fault::Json(_))));
    assert!(unreadable.to_string().contains("hint: the input has changed"), "{unreadable}");
    let options = super::super::records_up_to(20);
    for length in [20, 200_000] {
        let long = format!("{{\"text\":\"{}\"}}", "x".repeat(length));
        let fault = changed("a.jsonl", long, &options, &[], vec![cuts(&[(0, 1)])]);
        assert_eq!(fault, Err(EditFault::Unreadable(Fault::TooLong(20))));
    }
    let added = [field("n", AddedKind::Integer)];
    let with = |values| {
        let change = Change { values, ..Change::default() };
        let options = ReadOptions::default();
        changed("a.jsonl", line, &options, &added, vec![change])
    };
    assert_eq!(with(vec![AddedValue::Bool(true)]), Err(EditFault::Kind("n".to_owned())));
    let two = with(vec![AddedValue::Null, AddedValue::Null]);
    assert_eq!(two, Err(EditFault::Values { fields: 1, values: 2 }));
}

#[test]
fn an_error_of_the_choice_is_handed_on_and_leaves_nothing() {
    let folder = folder("edit-json-error");
    let source = source_of(&folder, "a.jsonl", "{\"text\":\"a\"}\n".repeat(9).as_bytes());
    let edit = |number| match number {
        3 => Err(lookalike_corpus::Error::broken(Path::new("passages"), "cut off".to_owned())),
        _ => Ok(Edit::Keep),
    };
    let out = folder.join("out");
    let error = source.pending_edits(&out, &ReadOptions::default(), &[], edit).unwrap_err();
    assert!(error.to_string().starts_with("`passages`: is broken"));
    assert!(files(&out).is_empty());
}
