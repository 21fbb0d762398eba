//! Changes of Parquet and Arrow files.

use std::sync::Arc;

use arrow_array::builder::{ListBuilder, StringBuilder};
use arrow_array::cast::AsArray as _;
use arrow_array::types::Int64Type;
use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, Int64Array, RecordBatch, StructArray,
};
use arrow_schema::{DataType, Field, Schema};
use lookalike_corpus::{Fault, Format};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::file::metadata::{KeyValue, SortingColumn};
use parquet::file::properties::WriterProperties;

use super::super::arrows::{self, Form, PACKINGS, bytes_of};
use super::super::parquets::{self, codec, strings};
use super::super::records_up_to;
use super::*;

/// How a file is written.
#[derive(Clone, Copy, Debug)]
enum Writer {
    Parquet(usize),
    Arrow(Form, usize),
}

fn any_writer() -> impl Strategy<Value = Writer> {
    let form = prop::sample::select(vec![Form::File, Form::Stream]);
    let arrow = (form, 0..PACKINGS.len()).prop_map(|(form, packing)| Writer::Arrow(form, packing));
    prop_oneof![(0_usize..6).prop_map(Writer::Parquet), arrow]
}

impl Writer {
    fn write(self, folder: &Path, batch: &RecordBatch, rows: usize) -> Source {
        let path = match self {
            Self::Parquet(number) => {
                let path = folder.join("a.parquet");
                parquets::write(&path, batch, codec(number), rows);
                path
            }
            Self::Arrow(form, packing) => {
                let path = folder.join("a.feather");
                fs::write(&path, bytes_of(batch, form, PACKINGS[packing], rows)).unwrap();
                path
            }
        };
        Source::file(&path, None).unwrap()
    }

    /// All rows, by a reader of its own.
    fn read(self, path: &Path) -> Option<RecordBatch> {
        match self {
            Self::Parquet(_) => parquets::rows(path),
            Self::Arrow(form, _) => Some(arrows::rows(&fs::read(path).unwrap(), form)),
        }
    }
}

/// Texts on the outside and within a struct, and a column whose name looks like the path to that.
fn table(kind: usize, texts: &[Option<String>], has_dotted: bool) -> RecordBatch {
    let text = strings(kind, texts);
    let numbers: Int64Array = (0..).take(texts.len()).map(|i| (i % 3 > 0).then_some(i)).collect();
    let meta = StructArray::from(vec![
        (Arc::new(Field::new("id", DataType::Int64, true)), Arc::new(numbers) as ArrayRef),
        (Arc::new(Field::new("text", text.data_type().clone(), true)), Arc::clone(&text)),
    ]);
    let flags: BooleanArray = (0..texts.len()).map(|i| Some(i % 2 == 0)).collect();
    let mut columns: Vec<(&str, ArrayRef)> =
        vec![("n", Arc::new(flags)), ("text", Arc::clone(&text)), ("meta", Arc::new(meta))];
    if has_dotted {
        columns.push(("meta.text", text));
    }
    let field =
        |(name, column): &(&str, ArrayRef)| Field::new(*name, column.data_type().clone(), true);
    let fields: Vec<Field> = columns.iter().map(field).collect();
    let columns = columns.into_iter().map(|(_, column)| column).collect();
    RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).unwrap()
}

/// A column of strings of any kind.
fn values(column: &dyn Array) -> Vec<Option<String>> {
    let value = |row| -> Option<String> {
        column.is_valid(row).then(|| match column.data_type() {
            DataType::Utf8 => column.as_string::<i32>().value(row).to_owned(),
            DataType::LargeUtf8 => column.as_string::<i64>().value(row).to_owned(),
            DataType::Utf8View => column.as_string_view().value(row).to_owned(),
            _ => {
                let dictionary = column.as_any_dictionary();
                let key = dictionary.normalized_keys()[row];
                dictionary.values().as_string::<i32>().value(key).to_owned()
            }
        })
    };
    (0..column.len()).map(value).collect()
}

fn type_of<'a>(batch: &'a RecordBatch, path: &str, has_dotted: bool) -> &'a dyn Array {
    match path {
        "meta.text" if !has_dotted => {
            batch.column_by_name("meta").unwrap().as_struct().column_by_name("text").unwrap()
        }
        _ => batch.column_by_name(path).unwrap(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]
    #[test]
    fn what_is_cut_is_read_and_other_columns_are_the_same(
        rows in prop::collection::vec((any::<Option<String>>(), any_wish()), 1..40),
        kind in 0_usize..4,
        writer in any_writer(),
        batch_rows in 1_usize..40,
        chunk_bytes in prop::sample::select(vec![1, 500, 1 << 20]),
        path in prop::sample::select(vec!["text", "meta.text"]),
        has_dotted: bool,
        adds: bool,
    ) {
        let folder = folder("edit-columns");
        let (given, wishes): (Vec<_>, Vec<_>) = rows.into_iter().unzip();
        let table = table(kind, &given, has_dotted);
        let source = writer.write(&folder, &table, batch_rows);
        let mut options = chunks_of(chunk_bytes);
        path.clone_into(&mut options.fields.text);
        let all = read_source(&source, &options);
        let added = if adds { all_kinds() } else { Vec::new() };
        let edits = edits_of(&all, &wishes, |_| if adds { all_values() } else { Vec::new() });
        let report = edited(&source, &folder.join("out"), &options, &added, &edits).unwrap();
        let written = report.path.unwrap();
        let again = read_source(&Source::file(&written, None).unwrap(), &options);
        prop_assert_eq!(again.fatal.as_deref(), None);
        prop_assert_eq!(texts(&again), expected(&all, &edits));

        let Some(found) = writer.read(&written) else {
            prop_assert_eq!(report.kept, 0);
            return Ok(());
        };
        let keeps: BooleanArray = edits.iter().map(|edit| Some(*edit != Edit::Drop)).collect();
        let kept = arrow_select::filter::filter_record_batch(&table, &keeps).unwrap();
        let names = |batch: &RecordBatch| -> Vec<String> {
            batch.schema().fields().iter().map(|field| field.name().clone()).collect()
        };
        let mut expected_names = names(&table);
        expected_names.extend(added.iter().map(|field| field.name.clone()));
        prop_assert_eq!(names(&found), expected_names);
        let cut_type = type_of(&found, path, has_dotted).data_type().clone();
        let was = type_of(&table, path, has_dotted).data_type().clone();
        let is_unpacked = source.format() == Format::Arrow && kind == 3;
        prop_assert_eq!(cut_type, if is_unpacked { DataType::Utf8 } else { was });
        for other in ["text", "meta.text"].into_iter().filter(|other| *other != path) {
            let column = |batch| values(type_of(batch, other, has_dotted));
            prop_assert_eq!(column(&found), column(&kept));
        }
        prop_assert_eq!(found.column(0), kept.column(0));
        let id = |batch: &RecordBatch| {
            Arc::clone(batch.column(2).as_struct().column_by_name("id").unwrap())
        };
        prop_assert_eq!(&id(&found), &id(&kept));
        prop_assert_eq!(&values(type_of(&found, path, has_dotted)), &expected(&all, &edits));
        if !adds {
            return Ok(());
        }
        let from = table.num_columns();
        let changed = edits.iter().filter(|edit| **edit != Edit::Drop);
        for (row, edit) in changed.enumerate() {
            let has_values = matches!(edit, Edit::Change(_));
            for column in &found.columns()[from..] {
                prop_assert_eq!(column.is_valid(row), has_values);
            }
            if has_values {
                let spans = found.column(from).as_list::<i32>().value(row);
                let spans = spans.as_struct();
                let names = ["begin", "end", "words", "copies", "keeper_begin", "keeper_end"];
                for (name, expected) in names.iter().zip([[0, 7], [5, 9], [1, 1], [2, 2], [3, 3], [4, 4]]) {
                    let column = spans.column_by_name(name).unwrap().as_primitive::<Int64Type>();
                    prop_assert_eq!(&column.values()[..], &expected[..], "{}", name);
                }
                prop_assert_eq!(spans.column(4).as_string::<i32>().value(1), "k");
                let id = found.column(from + 1).as_string::<i32>().value(row);
                prop_assert_eq!(id, "a \"b\",\n\u{e9}");
                prop_assert!(found.column(from + 2).as_boolean().value(row));
                let count = found.column(from + 3).as_primitive::<Int64Type>().value(row);
                prop_assert_eq!(count, -3);
            }
        }
    }
}

/// A table of one row and one column.
fn one(name: &str, column: ArrayRef) -> RecordBatch {
    let field = Field::new(name, column.data_type().clone(), true);
    RecordBatch::try_new(Arc::new(Schema::new(vec![field])), vec![column]).unwrap()
}

#[test]
fn what_cannot_be_changed_says_why() {
    let mut lists = ListBuilder::new(StringBuilder::new());
    lists.values().append_value("ab");
    lists.append(true);
    let list = one("text", Arc::new(lists.finish()));
    let null = one("text", strings(0, &[None]));
    let page = one("html", strings(0, &[Some("ab".to_owned())]));
    let text = one("text", strings(0, &[Some("a\u{e9}".to_owned())]));
    let is_null = Fault::Type { field: "text".to_owned(), expected: "a string", found: "null" };
    for writer in [Writer::Parquet(0), Writer::Arrow(Form::File, 0)] {
        let fault = |table: &RecordBatch, field: &str, change: Change| {
            let folder = folder("edit-columns-refused");
            let source = writer.write(&folder, table, 10);
            let mut options = records_up_to(3);
            field.clone_into(&mut options.fields.text);
            let edits = [Edit::Change(change)];
            let error = edited(&source, &folder.join("out"), &options, &[], &edits).unwrap_err();
            assert!(files(&folder.join("out")).is_empty());
            match error.kind() {
                ErrorKind::Edit { record: 1, fault, .. } => fault.clone(),
                _ => panic!("{error}"),
            }
        };
        let one = cuts(&[(0, 1)]);
        assert_eq!(fault(&list, "text[]", one.clone()), EditFault::Joined("text[]".to_owned()));
        assert_eq!(fault(&null, "text", one.clone()), EditFault::Unreadable(is_null.clone()));
        assert_eq!(fault(&page, "text", one), EditFault::Page);
        let range = |begin, end| EditFault::Range { begin, end };
        assert_eq!(fault(&text, "text", cuts(&[(1, 2)])), range(1, 2));
        assert_eq!(fault(&text, "text", cuts(&[(1, 4)])), range(1, 4));
        let long = self::one("text", strings(2, &[Some("abcd".to_owned())]));
        let too_long = EditFault::Unreadable(Fault::TooLong(3));
        assert_eq!(fault(&long, "text", cuts(&[(0, 1)])), too_long);

        let folder = folder("edit-columns-clash");
        let source = writer.write(&folder, &text, 10);
        let added = [field("text", AddedKind::Bool)];
        let out = folder.join("out");
        let error = edited(&source, &out, &ReadOptions::default(), &added, &[Edit::Keep]);
        assert!(matches!(error.unwrap_err().kind(), ErrorKind::ColumnTaken { .. }));
        assert!(files(&out).is_empty());
    }
}

#[test]
fn bytes_are_cut_as_texts_are() {
    let table = one("text", Arc::new(BinaryArray::from(vec![&b"ab\xffc"[..]])));
    for writer in [Writer::Parquet(0), Writer::Arrow(Form::Stream, 0)] {
        let folder = folder("edit-columns-bytes");
        let source = writer.write(&folder, &table, 10);
        let edits = [Edit::Change(cuts(&[(1, 2)]))];
        let report = edited(&source, &folder.join("out"), &ReadOptions::default(), &[], &edits);
        let found = writer.read(&report.unwrap().path.unwrap()).unwrap();
        assert_eq!(found.column(0).as_binary::<i32>().value(0), b"a\xffc");
    }
}

#[test]
fn texts_of_a_dictionary_are_cut_some_at_a_time() {
    let text = "0123456789".repeat(30_000);
    let rows = 300_usize;
    let texts = vec![Some(text.clone()); rows];
    for (writer, kind) in [(Writer::Parquet(0), 0), (Writer::Arrow(Form::File, 0), 3)] {
        let folder = folder("edit-columns-dictionary");
        let source = writer.write(&folder, &one("text", strings(kind, &texts)), rows);
        let edits: Vec<Edit> =
            (0..rows as u64).map(|row| Edit::Change(cuts(&[(row, row + 1)]))).collect();
        let options = ReadOptions::default();
        let report = edited(&source, &folder.join("out"), &options, &[], &edits).unwrap();
        let written = report.path.unwrap();
        let found = values(writer.read(&written).unwrap().column(0));
        for (row, found) in found.into_iter().enumerate() {
            assert!(found.unwrap() == format!("{}{}", &text[..row], &text[row + 1..]));
        }
        if matches!(writer, Writer::Parquet(_)) {
            let file = fs::File::open(&written).unwrap();
            let reader = parquet::file::serialized_reader::SerializedFileReader::new(file).unwrap();
            let groups = parquet::file::reader::FileReader::metadata(&reader).row_groups();
            assert!(
                groups.len() > 1,
                "a group is not in memory that is larger than those of the file"
            );
        }
    }
}

#[test]
fn what_a_file_says_of_its_columns_is_true_of_the_written_one() {
    let folder = folder("edit-columns-metadata");
    let texts: Vec<_> = ["b", "a"].map(|text| Some(text.to_owned())).into();
    let table = table(3, &texts, false);
    let spark = "org.apache.spark.sql.parquet.row.metadata";
    let pairs = [("made", "here"), (spark, "{}")];
    let pairs = pairs.map(|(key, value)| KeyValue::new(key.to_owned(), value.to_owned()));
    // By the flag, and among those of one by the text.
    let by = |column_idx| SortingColumn { column_idx, descending: true, nulls_first: false };
    let properties = WriterProperties::builder()
        .set_key_value_metadata(Some(pairs.to_vec()))
        .set_sorting_columns(Some(vec![by(0), by(1)]))
        .set_compression(parquet::basic::Compression::SNAPPY)
        .build();
    let path = folder.join("a.parquet");
    let file = fs::File::create(&path).unwrap();
    let mut writer = ArrowWriter::try_new(file, table.schema(), Some(properties)).unwrap();
    writer.write(&table).unwrap();
    writer.close().unwrap();
    let source = Source::file(&path, None).unwrap();
    let change = Edit::Change(Change { values: all_values(), ..cuts(&[(0, 1)]) });
    let edits = [change, Edit::Keep];
    let options = ReadOptions::default();
    let report = edited(&source, &folder.join("out"), &options, &all_kinds(), &edits).unwrap();
    let written = fs::File::open(report.path.unwrap()).unwrap();
    let reader = ParquetRecordBatchReaderBuilder::try_new(written).unwrap();
    let added = &reader.schema().fields()[table.num_columns()..];
    assert_eq!(reader.schema().field(1), table.schema().field(1), "a dictionary");
    assert!(matches!(added[0].data_type(), DataType::List(_)), "{added:?}");
    let metadata = reader.metadata();
    let pairs = metadata.file_metadata().key_value_metadata().unwrap();
    let keys: Vec<&str> = pairs.iter().map(|pair| &*pair.key).collect();
    assert_eq!(keys, ["made", "ARROW:schema"]);
    let group = metadata.row_group(0);
    assert_eq!(group.sorting_columns().unwrap(), &vec![by(0)]);
    let packing = parquet::basic::Compression::SNAPPY;
    assert!(group.columns().iter().all(|column| column.compression() == packing));
}
