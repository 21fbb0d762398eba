//! Parquet.

use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use arrow_array::builder::{ListBuilder, StringBuilder, StringDictionaryBuilder, StructBuilder};
use arrow_array::types::Int32Type;
use arrow_array::{
    Array, ArrayRef, BinaryArray, BooleanArray, Decimal128Array, FixedSizeBinaryArray,
    Float32Array, Float64Array, Int64Array, LargeStringArray, RecordBatch, StringArray,
    StringViewArray, StructArray,
};
use arrow_schema::{DataType, Field, Schema};
use lookalike_corpus::{Compression, ErrorKind, FieldValue, ReadOptions, Source, Sources, Tables};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use parquet::basic::{Compression as Codec, ZstdLevel};
use parquet::file::metadata::KeyValue;
use parquet::file::properties::WriterProperties;
use proptest::prelude::*;

use super::{All, chunks_of, folder, pack, read, read_source, records_up_to, unpack};

/// Text in one of the ways that Arrow has for strings.
pub(crate) fn strings(kind: usize, values: &[Option<String>]) -> ArrayRef {
    let values = values.iter().map(Option::as_deref);
    match kind {
        0 => Arc::new(values.collect::<StringArray>()),
        1 => Arc::new(values.collect::<LargeStringArray>()),
        2 => Arc::new(values.collect::<StringViewArray>()),
        _ => {
            let mut builder = StringDictionaryBuilder::<Int32Type>::new();
            values.for_each(|value| builder.append_option(value));
            Arc::new(builder.finish())
        }
    }
}

/// Text, numbers and a struct with an id and more.
pub(crate) fn batch(kind: usize, texts: &[Option<String>]) -> RecordBatch {
    let text = strings(kind, texts);
    let numbers: Int64Array = (0..).take(texts.len()).map(|i| (i % 3 > 0).then_some(i)).collect();
    let scores: Float64Array = (0..texts.len()).map(|i| Some(i as f64 / 2.0)).collect();
    let flags: BooleanArray = (0..texts.len()).map(|i| Some(i % 2 == 0)).collect();
    let inner = StructArray::from(vec![
        (Arc::new(Field::new("id", DataType::Int64, true)), Arc::new(numbers) as ArrayRef),
        (Arc::new(Field::new("score", DataType::Float64, true)), Arc::new(scores) as ArrayRef),
    ]);
    let schema = Schema::new(vec![
        Field::new("flag", DataType::Boolean, false),
        Field::new("text", text.data_type().clone(), true),
        Field::new("meta", inner.data_type().clone(), true),
    ]);
    RecordBatch::try_new(Arc::new(schema), vec![Arc::new(flags), text, Arc::new(inner)]).unwrap()
}

/// The bytes of a file with these texts.
pub(crate) fn file_of(texts: &[Option<String>]) -> Vec<u8> {
    let batch = batch(0, texts);
    let mut writer = ArrowWriter::try_new(Vec::new(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.into_inner().unwrap()
}

pub(crate) fn write(path: &Path, batch: &RecordBatch, codec: Codec, group_rows: usize) {
    let properties = WriterProperties::builder()
        .set_compression(codec)
        .set_max_row_group_row_count(Some(group_rows))
        .set_key_value_metadata(Some(vec![KeyValue::new("made".to_owned(), "here".to_owned())]))
        .build();
    let file = File::create(path).unwrap();
    let mut writer = ArrowWriter::try_new(file, batch.schema(), Some(properties)).unwrap();
    writer.write(batch).unwrap();
    writer.close().unwrap();
}

pub(crate) fn options(chunk_bytes: usize) -> ReadOptions {
    let mut options = chunks_of(chunk_bytes);
    "meta.id".clone_into(&mut options.fields.id);
    options
}

pub(crate) fn codec(i: usize) -> Codec {
    [
        Codec::UNCOMPRESSED,
        Codec::SNAPPY,
        Codec::ZSTD(ZstdLevel::default()),
        Codec::GZIP(parquet::basic::GzipLevel::default()),
        Codec::LZ4_RAW,
        Codec::BROTLI(parquet::basic::BrotliLevel::default()),
    ][i]
}

/// All rows, as one batch.
pub(crate) fn rows(path: &Path) -> Option<RecordBatch> {
    let builder = ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap();
    let batches: Vec<_> = builder.build().unwrap().map(Result::unwrap).collect();
    let schema = batches.first()?.schema();
    Some(arrow_select::concat::concat_batches(&schema, &batches).unwrap())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn what_is_written_is_read_and_mirrored(
        texts in prop::collection::vec((any::<Option<String>>(), any::<bool>()), 1..60),
        kind in 0_usize..4,
        codec_number in 0_usize..6,
        group_rows in 1_usize..40,
        chunk_bytes in prop::sample::select(vec![1, 500, 1 << 20]),
    ) {
        let folder = folder("parquet-any");
        let path = folder.join("a.parquet");
        let (texts, keep): (Vec<_>, Vec<bool>) = texts.into_iter().unzip();
        let batch = batch(kind, &texts);
        write(&path, &batch, codec(codec_number), group_rows);
        let source = Source::file(&path, None).unwrap();
        let all = read_source(&source, &options(chunk_bytes));
        prop_assert_eq!((all.records.len(), all.fatal.as_deref()), (texts.len(), None));
        for (i, (read, text)) in all.records.iter().zip(&texts).enumerate() {
            match (read, text) {
                (Ok(read), Some(text)) => {
                    prop_assert_eq!(&read.text, text);
                    let default = format!("{}#{}", path.display(), i + 1);
                    let id = if i % 3 > 0 { i.to_string() } else { default };
                    prop_assert_eq!(&read.id, &id);
                }
                (Err(fault), None) => {
                    let expected = format!("record {}: field `text` is null, but a string is needed", i + 1);
                    prop_assert!(fault.ends_with(&expected), "{}", fault);
                }
                (read, text) => prop_assert!(false, "{:?} {:?}", read, text),
            }
        }

        let keeps = |number: u64| keep[number as usize - 1];
        let out = folder.join("out");
        let report = source.write_selection(&out, &options(chunk_bytes), keeps).unwrap();
        let expected = BooleanArray::from(keep.clone());
        let expected = arrow_select::filter::filter_record_batch(&batch, &expected).unwrap();
        prop_assert_eq!(report.kept, expected.num_rows() as u64);
        prop_assert_eq!(report.dropped, (texts.len() - expected.num_rows()) as u64);
        let written = report.path.unwrap();
        if let Some(written) = rows(&written) {
            prop_assert_eq!(written, expected);
        } else {
            prop_assert_eq!(expected.num_rows(), 0);
        }
        same_making(&path, &written, group_rows);
    }
}

/// The schema, the metadata, the codec and the row groups of a selection are its source's.
fn same_making(source: &Path, selection: &Path, group_rows: usize) {
    let open = |path| ParquetRecordBatchReaderBuilder::try_new(File::open(path).unwrap()).unwrap();
    let (source, selection) = (open(source), open(selection));
    assert_eq!(source.schema(), selection.schema());
    assert_eq!(source.parquet_schema().root_schema(), selection.parquet_schema().root_schema());
    let pairs = |builder: &ParquetRecordBatchReaderBuilder<File>| {
        let pairs = builder.metadata().file_metadata().key_value_metadata().cloned();
        let mut pairs = pairs.unwrap_or_default();
        pairs.sort_by(|a, b| a.key.cmp(&b.key));
        pairs
    };
    assert_eq!(pairs(&source), pairs(&selection));
    let codec = source.metadata().row_group(0).column(0).compression();
    for group in selection.metadata().row_groups() {
        assert!(group.num_rows() as usize <= group_rows);
        assert!(group.columns().iter().all(|column| column.compression() == codec));
    }
}

fn sample(test: &str) -> PathBuf {
    let path = folder(test).join("a.parquet");
    let texts: Vec<_> = (0..500).map(|i| Some(format!("document {i} of many"))).collect();
    write(&path, &batch(0, &texts), Codec::SNAPPY, 100);
    path
}

#[test]
fn fields_are_looked_up_by_path() {
    let path = sample("parquet-fields");
    let mut options = options(1 << 20);
    options.fields.others = vec!["meta.score".to_owned(), "flag".to_owned()];
    let mut seen = 0;
    for chunk in Source::file(&path, None).unwrap().chunks(&options) {
        chunk.unwrap().for_each(|record| {
            let record = record.unwrap();
            let i = record.number - 1;
            assert_eq!(record.field("meta.score"), Some(FieldValue::Float(i as f64 / 2.0)));
            assert_eq!(record.field("flag"), Some(FieldValue::Bool(i % 2 == 0)));
            let id = (i % 3 > 0).then_some(FieldValue::Integer(i.into()));
            assert_eq!(record.field("meta.id"), id);
            assert_eq!(record.field("meta"), None);
            assert_eq!(record.field("text.x"), None);
            seen += 1;
        });
    }
    assert_eq!(seen, 500);
}

#[test]
fn nested_text_missing_columns_and_other_types() {
    let path = sample("parquet-columns");
    let source = Source::file(&path, None).unwrap();
    let mut options = ReadOptions::default();
    options.fields.text = "body".to_owned();
    let error = source.chunks(&options).next().unwrap().unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::NoColumn { .. }), "{error}");
    options.fields.text = "meta.body".to_owned();
    let all = read_source(&source, &options);
    assert_eq!((all.good().len(), all.fatal.is_some()), (0, true), "{:?}", all.fatal);
    options.fields.text = "meta.score".to_owned();
    let all = read_source(&source, &options);
    assert_eq!(all.faults().len(), 500);
    assert!(
        all.faults()[0]
            .ends_with("record 1: field `meta.score` is of another type, but a string is needed")
    );
    let all = read_source(&source, &records_up_to(18));
    assert_eq!(all.good().len(), 10, "those of one digit");
}

#[test]
fn a_column_whose_name_has_dots_comes_before_the_field_they_lead_to() {
    let path = folder("parquet-dots").join("a.parquet");
    let texts = |text: &str| strings(0, &[Some(text.to_owned())]);
    let field = |name: &str| Field::new(name, DataType::Utf8, true);
    let meta = StructArray::from(vec![(Arc::new(field("text")), texts("within"))]);
    let nested = Field::new("meta", meta.data_type().clone(), true);
    let fields = vec![nested, field("meta.text"), field("a.b")];
    let columns: Vec<ArrayRef> = vec![Arc::new(meta), texts("outside"), texts("other")];
    let batch = RecordBatch::try_new(Arc::new(Schema::new(fields)), columns).unwrap();
    write(&path, &batch, Codec::UNCOMPRESSED, 10);
    let mut options = ReadOptions::default();
    options.fields.text = "meta.text".to_owned();
    options.fields.url = "a.b".to_owned();
    let all = read_source(&Source::file(&path, None).unwrap(), &options);
    assert_eq!(all.texts(), ["outside"]);
    assert_eq!(all.good()[0].url.as_deref(), Some("other"));
}

#[test]
fn brackets_reach_the_elements_of_lists() {
    let member = |name: &str| Field::new(name, DataType::Utf8, true);
    let mut chats =
        ListBuilder::new(StructBuilder::from_fields(vec![member("by"), member("says")], 4));
    let says = [Some(vec![Some("one"), None, Some("two")]), Some(Vec::new()), None];
    for chat in says.iter().cycle().take(300) {
        for said in chat.iter().flatten() {
            let message = chats.values();
            message.field_builder::<StringBuilder>(0).unwrap().append_value("somebody");
            message.field_builder::<StringBuilder>(1).unwrap().append_option(*said);
            message.append(true);
        }
        chats.append(chat.is_some());
    }
    let column: ArrayRef = Arc::new(chats.finish());
    let batch = RecordBatch::try_from_iter([("chat", column)]).unwrap();
    let path = folder("parquet-lists").join("a.parquet");
    write(&path, &batch, Codec::UNCOMPRESSED, 7);
    let tables = Tables::one("table", vec![batch.slice(0, 4), batch.slice(4, 296)]);
    let in_memory = Sources::of_tables(&tables).next().unwrap().unwrap();
    let mut options = ReadOptions::default();
    for source in [Source::file(&path, None).unwrap(), in_memory] {
        options.fields.text = "chat[].says".to_owned();
        let all = read_source(&source, &options);
        assert_eq!(all.texts().len(), 200);
        assert_eq!(all.texts()[..4], ["one\ntwo", "", "one\ntwo", ""]);
        assert_eq!(all.faults().len(), 100);
        assert!(all.faults()[0].contains("record 3: field `chat[].says` is null"));
        options.fields.text = "chat[].asks".to_owned();
        let all = read_source(&source, &options);
        assert!(all.texts().is_empty() && (all.fatal.is_some() || all.faults().len() == 300));
        options.fields.text = "chat.says".to_owned();
        let all = read_source(&source, &options);
        assert!(all.texts().is_empty() && (all.fatal.is_some() || all.faults().len() == 300));
    }
}

#[test]
fn ids_are_read_from_columns_of_many_types() {
    let folder = folder("parquet-ids");
    let uuid = [
        0x12, 0x3e, 0x45, 0x67, 0xe8, 0x9b, 0x12, 0xd3, 0xa4, 0x56, 0x42, 0x66, 0x14, 0x17, 0x40, 0,
    ];
    let fixed = |bytes: &[u8]| FixedSizeBinaryArray::try_from_iter([bytes].into_iter()).unwrap();
    let decimal = Decimal128Array::from(vec![-12_345]).with_precision_and_scale(9, 2).unwrap();
    let columns: Vec<(ArrayRef, &str)> = vec![
        (Arc::new(Float64Array::from(vec![0.1 + 0.2])), "0.30000000000000004"),
        (Arc::new(Float64Array::from(vec![1e300])), "1e300"),
        (Arc::new(Float32Array::from(vec![0.1])), "0.1"),
        (Arc::new(fixed(&uuid)), "123e4567-e89b-12d3-a456-426614174000"),
        (Arc::new(fixed(&[0, 255])), "00ff"),
        (Arc::new(decimal), "-123.45"),
        (Arc::new(BinaryArray::from(vec![&b"a-1"[..]])), "a-1"),
        (Arc::new(BinaryArray::from(vec![&b"\xff\x01"[..]])), "ff01"),
        (Arc::new(Int64Array::from(vec![-7])), "-7"),
    ];
    for (number, (id, expected)) in columns.into_iter().enumerate() {
        let text: ArrayRef = Arc::new(StringArray::from(vec!["a text"]));
        let batch = RecordBatch::try_from_iter([("id", id), ("text", text)]).unwrap();
        let path = folder.join(format!("{number}.parquet"));
        write(&path, &batch, Codec::UNCOMPRESSED, 10);
        assert_eq!(read(&path).good()[0].id, expected);
        let tables = Tables::one("table", vec![batch]);
        let source = Sources::of_tables(&tables).next().unwrap().unwrap();
        assert_eq!(read_source(&source, &ReadOptions::default()).good()[0].id, expected);
    }
}

#[test]
fn compressed_as_a_whole_and_without_a_name() {
    let path = sample("parquet-packed");
    let plain = read(&path);
    let texts = |all: &All| all.texts().iter().map(|&text| text.to_owned()).collect::<Vec<_>>();
    let packed = path.with_extension("parquet.zst");
    fs::write(&packed, pack(Compression::Zstd, &fs::read(&path).unwrap())).unwrap();
    assert_eq!(texts(&read(&packed)), texts(&plain));
    let other = path.with_extension("data");
    fs::copy(&path, &other).unwrap();
    assert_eq!(texts(&read(&other)), texts(&plain));
    let source = Source::file(&packed, None).unwrap();
    let out = path.with_file_name("out");
    let report =
        source.write_selection(&out, &ReadOptions::default(), |number| number <= 250).unwrap();
    let unpacked = path.with_file_name("unpacked.parquet");
    let bytes = unpack(Compression::Zstd, &fs::read(report.path.unwrap()).unwrap());
    fs::write(&unpacked, bytes).unwrap();
    assert_eq!(texts(&read(&unpacked)), texts(&plain)[..250]);
}

#[test]
fn broken_files_never_panic() {
    let path = sample("parquet-broken");
    let whole = fs::read(&path).unwrap();
    for cut in (0..whole.len()).step_by(whole.len() / 50 + 1).chain([whole.len() - 1]) {
        fs::write(&path, &whole[..cut]).unwrap();
        let all = read(&path);
        assert!(all.records.is_empty(), "the footer is gone");
        assert!(all.fatal.unwrap().contains("a.parquet`: is broken"), "{cut}");
        let source = Source::file(&path, None).unwrap();
        let out = path.with_file_name("out");
        assert!(source.write_selection(&out, &ReadOptions::default(), |_| true).is_err());
        assert!(!out.exists());
    }
    for at in (0..whole.len()).step_by(7) {
        let mut bytes = whole.clone();
        bytes[at] ^= 0x55;
        fs::write(&path, bytes).unwrap();
        let _ = read(&path);
    }
}

/// Rows that share one value, of which a dictionary has one: no chunk has many copies of it.
/// What Arrow notes of the types is in the footer once more, in letters. Parquet does without it.
#[test]
fn a_damaged_hint_of_types_does_no_harm() {
    let path = folder("parquet-hint").join("a.parquet");
    let texts: Vec<_> = (0..3).map(|n| Some(format!("text {n}"))).collect();
    let sound = file_of(&texts);
    let name = b"ARROW:schema";
    let hint = sound.windows(name.len()).position(|window| window == name).unwrap() + name.len();
    let letters = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/=".contains(byte);
    // Behind the name stand a byte of Thrift and the length.
    let length = sound[hint + 4..].iter().take_while(|byte| letters(byte)).count();
    assert!(length > 300, "{length}");
    for at in hint + 4..hint + 4 + length {
        let mut bytes = sound.clone();
        bytes[at] = if bytes[at] == b'A' { b'w' } else { b'A' };
        fs::write(&path, &bytes).unwrap();
        let read = read_source(&Source::file(&path, None).unwrap(), &options(1 << 20));
        assert_eq!((read.texts().len(), &read.fatal), (3, &None), "byte {at}");
        let source = Source::file(&path, None).unwrap();
        let out = folder("parquet-hint-out");
        let report = source.write_selection(&out, &options(1 << 20), |number| number != 2);
        let report = report.unwrap_or_else(|error| panic!("byte {at}: {error}"));
        assert_eq!((report.kept, report.dropped), (2, 1), "byte {at}");
        assert!(report.broken.is_none(), "byte {at}");
        let written = read_source(&Source::file(&report.path.unwrap(), None).unwrap(), &options(9));
        assert_eq!(written.texts(), ["text 0", "text 2"], "byte {at}");
    }
}

#[test]
fn rows_that_share_a_long_text_are_read_and_mirrored() {
    let path = folder("parquet-shared").join("a.parquet");
    let text = "the same words in every row ".repeat(10_000);
    let rows = 300;
    let schema = Schema::new(vec![Field::new("text", DataType::Utf8, false)]);
    let schema = Arc::new(schema);
    let mut writer =
        ArrowWriter::try_new(File::create(&path).unwrap(), schema.clone(), None).unwrap();
    for _ in 0..rows / 100 {
        let texts = StringArray::from_iter_values(std::iter::repeat_n(&text, 100));
        writer
            .write(&RecordBatch::try_new(schema.clone(), vec![Arc::new(texts)]).unwrap())
            .unwrap();
    }
    writer.close().unwrap();
    assert!(fs::metadata(&path).unwrap().len() < 1 << 20);

    let source = Source::file(&path, None).unwrap();
    let (mut read, mut largest) = (0, 0);
    for chunk in source.chunks(&chunks_of(1 << 20)) {
        let chunk = chunk.unwrap();
        largest = largest.max(chunk.bytes());
        chunk.for_each(|record| {
            assert_eq!(record.unwrap().content.len(), text.len());
            read += 1;
        });
    }
    assert_eq!(read, rows);
    assert!(largest < 2 << 20, "a chunk of {largest} bytes");

    let report = source.write_selection(&path.with_file_name("out"), &chunks_of(1 << 20), |_| true);
    let report = report.unwrap();
    assert!(report.broken.is_none());
    assert_eq!((report.kept, report.dropped), (rows as u64, 0));
    same_making(&path, &report.path.unwrap(), rows);
}
