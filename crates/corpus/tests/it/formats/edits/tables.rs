//! Changes of CSV and TSV.

use lookalike_corpus::Fault;

use super::*;

/// The cells of every record, by a parser of its own.
fn cells(bytes: &[u8], delimiter: u8) -> Vec<Vec<String>> {
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter)
        .from_reader(bytes);
    let records = reader.records().map(Result::unwrap);
    records.map(|record| record.iter().map(str::to_owned).collect()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn what_is_cut_is_read_and_other_cells_are_the_same(
        rows in prop::collection::vec(
            (prop::collection::vec(("[a\",\t\n\r\u{e9}\u{feff}]{0,9}", any::<bool>()), 3), any_wish(), any::<bool>()),
            0..12,
        ),
        text_column in 0_usize..3,
        columns in 1_usize..=3,
        is_tab: bool,
        packing in any_packing(),
        chunk_bytes in prop::sample::select(vec![1, 30, 1 << 20]),
        adds: bool,
    ) {
        let folder = folder("edit-csv");
        let (delimiter, extension) = if is_tab { ("\t", "tsv") } else { (",", "csv") };
        let text_column = text_column % columns;
        let spelt = |cell: &str, quoted: bool| {
            let special = ["\"", delimiter, "\n", "\r"].iter().any(|c| cell.contains(c));
            if quoted || special || columns == 1 || cell.starts_with('\u{feff}') {
                format!("\"{}\"", cell.replace('"', "\"\""))
            } else {
                cell.to_owned()
            }
        };
        let lines: Vec<String> = rows
            .iter()
            .map(|(row, _, crlf)| {
                let row: Vec<_> = row[..columns].iter().map(|(cell, quoted)| spelt(cell, *quoted)).collect();
                row.join(delimiter) + if *crlf { "\r\n" } else { "\n" }
            })
            .collect();
        let header: Vec<&str> =
            (0..columns).map(|i| if i == text_column { "text" } else { "other" }).collect();
        let header = header.join(delimiter) + "\r\n";
        let name = format!("a.{extension}{}", packing.extension());
        let source = source_of(&folder, &name, format!("{header}{}", lines.concat()).as_bytes());
        let options = chunks_of(chunk_bytes);
        let all = read_source(&source, &options);
        prop_assert_eq!(all.good().len(), lines.len(), "{:?}", all);
        let wishes: Vec<Wish> = rows.iter().map(|(_, wish, _)| wish.clone()).collect();
        let added = if adds { all_kinds() } else { Vec::new() };
        let edits = edits_of(&all, &wishes, |_| if adds { all_values() } else { Vec::new() });
        let report = edited(&source, &folder.join("out"), &options, &added, &edits).unwrap();
        let written = report.path.unwrap();
        let again = read_source(&Source::file(&written, None).unwrap(), &options);
        prop_assert_eq!(texts(&again), expected(&all, &edits));

        let bytes = unpack(packing, &fs::read(&written).unwrap());
        let mut found = cells(&bytes, delimiter.as_bytes()[0]).into_iter();
        let mut header: Vec<String> = header.trim_end().split(delimiter).map(str::to_owned).collect();
        header.extend(added.iter().map(|field| field.name.clone()));
        prop_assert_eq!(found.next().unwrap(), header);
        for ((row, _, _), edit) in rows.iter().zip(&edits) {
            let mut row: Vec<String> = row[..columns].iter().map(|(cell, _)| cell.clone()).collect();
            match edit {
                Edit::Drop | Edit::Revisit(_) => continue,
                Edit::Keep => row.extend(added.iter().map(|_| String::new())),
                Edit::Change(change) => {
                    row[text_column] = cut(&row[text_column], &change.cuts);
                    let values = [SPANS, "a \"b\",\n\u{e9}", "true", "-3", "0.5"];
                    row.extend(values[..added.len()].iter().map(|value| (*value).to_owned()));
                }
            }
            prop_assert_eq!(found.next().unwrap(), row);
        }
        prop_assert!(found.next().is_none());
        if !adds && edits.iter().all(|edit| !matches!(edit, Edit::Change(_))) {
            let kept = lines.iter().zip(&edits).filter(|(_, edit)| **edit == Edit::Keep);
            let kept: String = kept.map(|(line, _)| &**line).collect();
            prop_assert!(String::from_utf8(bytes).unwrap().ends_with(&kept));
        }
    }
}

fn cut_row(rows: &str, changes: Vec<Change>) -> Result<String, EditFault> {
    changed("a.csv", rows, &ReadOptions::default(), &[], changes)
}

#[test]
fn quotes_stay_and_come_where_they_are_needed() {
    for (cell, range, expected) in [
        ("abc", 0..1, "bc"),
        ("\"abc\"", 0..1, "\"bc\""),
        ("\"a\"\"c\"", 0..1, "\"\"\"c\""),
        ("\"a\"\"c\"", 1..2, "\"ac\""),
        ("5\" disk", 0..1, "\"\"\" disk\""),
        ("\"a\"b\"c", 1..2, "\"a\"\"c\""),
        ("\"a\r\nb,c\"", 1..3, "\"ab,c\""),
        ("ab", 0..2, ""),
    ] {
        let rows = |cell| format!("id,text,x\r\n \"1,{cell},\"y\"\r\n");
        assert_eq!(
            cut_row(&rows(cell), vec![cuts(&[(range.start, range.end)])]).unwrap(),
            rows(expected),
            "{cell}"
        );
    }
    assert_eq!(
        cut_row("text\nab\n", vec![cuts(&[(0, 2)])]).unwrap(),
        "text\n\"\"\n",
        "not a blank line"
    );
    let mark = cut_row("text,x\na\u{feff}b,1", vec![cuts(&[(0, 1)])]).unwrap();
    assert_eq!(mark, "text,x\n\"\u{feff}b\",1");
}

#[test]
fn bad_records_stay_bad_when_columns_are_added() {
    let folder = folder("edit-csv-bad");
    let rows = "\u{feff}\n\"id\",text\r\n1,a\n\n2\n3,b,c\r4,d\n5,\"e,\n";
    let source = source_of(&folder, "a.csv", rows.as_bytes());
    let options = ReadOptions::default();
    let added = [field("a,b", AddedKind::String)];
    let value = AddedValue::String("\n".to_owned());
    let change = Edit::Change(Change { values: vec![value], ..Change::default() });
    let edits = [change.clone(), Edit::Keep, Edit::Keep, Edit::Keep, Edit::Keep];
    let report = edited(&source, &folder.join("out"), &options, &added, &edits).unwrap();
    let written = report.path.unwrap();
    let expected = "\u{feff}\n\"id\",text,\"a,b\"\r\n1,a,\"\n\"\n2,\n3,b,c,\r4,d,\n5,\"e,\n";
    assert_eq!(fs::read_to_string(&written).unwrap(), expected);
    let again = read_source(&Source::file(&written, None).unwrap(), &options);
    assert_eq!((again.texts(), again.faults().len()), (vec!["a", "d"], 3));

    let edits: Vec<Edit> = vec![Edit::Keep, change, Edit::Keep, Edit::Keep, Edit::Keep];
    let edit = |number: u64| Ok(edits[number as usize - 1].clone());
    let error = source.pending_edits(&folder.join("none"), &options, &added, edit).unwrap_err();
    let ErrorKind::Edit { record: 2, fault, .. } = error.kind() else { panic!("{error}") };
    assert_eq!(*fault, EditFault::Unreadable(Fault::Columns { expected: 2, found: 1 }));
}

#[test]
fn columns_that_are_there_and_pages_are_refused() {
    let folder = folder("edit-csv-clash");
    let source = source_of(&folder, "a.tsv", b"text\tlookalike.x\nab\tc\n");
    let added = [field("lookalike.x", AddedKind::String)];
    let out = folder.join("out");
    let error = edited(&source, &out, &ReadOptions::default(), &added, &[Edit::Keep]).unwrap_err();
    let expected = "has a column `lookalike.x` already, so none can be added\nhint: ";
    assert!(error.to_string().contains(expected), "{error}");
    assert!(!out.exists());
    let page = cut_row("text,html\n,<p>\n", vec![cuts(&[(0, 1)])]);
    assert_eq!(page, Err(EditFault::Page));
    let empty = changed("a.csv", "", &ReadOptions::default(), &added, Vec::new());
    assert_eq!(empty.unwrap(), "");
}
