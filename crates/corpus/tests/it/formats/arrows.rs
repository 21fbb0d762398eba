//! Arrow files and streams.

use std::fs;
use std::io::Cursor;
use std::path::Path;

use arrow_array::{BooleanArray, RecordBatch};
use arrow_ipc::CompressionType;
use arrow_ipc::reader::{FileReader, StreamReader};
use arrow_ipc::writer::{FileWriter, IpcWriteOptions, StreamWriter};
use arrow_schema::Schema;
use lookalike_corpus::{Compression, FieldValue, Format, ReadOptions, Source};
use proptest::prelude::*;

use super::parquets::{batch, options};
use super::{chunks_of, folder, pack, read, read_source, unpack};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    File,
    Stream,
}

pub(crate) const PACKINGS: [Option<CompressionType>; 3] =
    [None, Some(CompressionType::LZ4_FRAME), Some(CompressionType::ZSTD)];

/// The bytes of a table in batches of so many rows, with metadata as `datasets` has it.
pub(crate) fn bytes_of(
    batch: &RecordBatch,
    form: Form,
    packing: Option<CompressionType>,
    batch_rows: usize,
) -> Vec<u8> {
    let pairs = [("huggingface".to_owned(), "{}".to_owned())];
    let schema = Schema::clone(&batch.schema()).with_metadata(pairs.into());
    let options = IpcWriteOptions::default().try_with_compression(packing).unwrap();
    let slices = (0..batch.num_rows()).step_by(batch_rows).map(|from| {
        let slice = batch.slice(from, batch_rows.min(batch.num_rows() - from));
        slice.with_schema(schema.clone().into()).unwrap()
    });
    match form {
        Form::File => {
            let mut writer =
                FileWriter::try_new_with_options(Vec::new(), &schema, options).unwrap();
            slices.for_each(|slice| writer.write(&slice).unwrap());
            writer.into_inner().unwrap()
        }
        Form::Stream => {
            let mut writer =
                StreamWriter::try_new_with_options(Vec::new(), &schema, options).unwrap();
            slices.for_each(|slice| writer.write(&slice).unwrap());
            writer.into_inner().unwrap()
        }
    }
}

/// All rows as one batch, by Arrow's own reader of that format.
pub(crate) fn rows(bytes: &[u8], form: Form) -> RecordBatch {
    let batches: Vec<RecordBatch>;
    let schema = match form {
        Form::File => {
            let reader = FileReader::try_new(Cursor::new(bytes), None).unwrap();
            let schema = reader.schema();
            batches = reader.map(Result::unwrap).collect();
            schema
        }
        Form::Stream => {
            let reader = StreamReader::try_new(bytes, None).unwrap();
            let schema = reader.schema();
            batches = reader.map(Result::unwrap).collect();
            schema
        }
    };
    arrow_select::concat::concat_batches(&schema, &batches).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn what_is_written_is_read_and_selected(
        texts in prop::collection::vec((any::<Option<String>>(), any::<bool>()), 1..60),
        kind in 0_usize..4,
        form in prop::sample::select(vec![Form::File, Form::Stream]),
        packing in prop::sample::select(PACKINGS.to_vec()),
        compression in prop::sample::select(vec![Compression::None, Compression::Gzip]),
        batch_rows in 1_usize..40,
        chunk_bytes in prop::sample::select(vec![1, 500, 1 << 20]),
    ) {
        let folder = folder("arrow-any");
        let path = folder.join(format!("a.arrow{}", compression.extension()));
        let (texts, keep): (Vec<_>, Vec<bool>) = texts.into_iter().unzip();
        let batch = batch(kind, &texts);
        let stored = bytes_of(&batch, form, packing, batch_rows);
        fs::write(&path, pack(compression, &stored)).unwrap();
        let source = Source::file(&path, None).unwrap();
        prop_assert_eq!(source.format(), Format::Arrow);
        let all = read_source(&source, &options(chunk_bytes));
        prop_assert_eq!((all.records.len(), all.fatal.as_deref()), (texts.len(), None));
        for (i, (read, text)) in all.records.iter().zip(&texts).enumerate() {
            prop_assert_eq!(read.as_ref().ok().map(|read| &read.text), text.as_ref());
            if let Ok(read) = read {
                let default = format!("{}#{}", path.display(), i + 1);
                prop_assert_eq!(&read.id, &if i % 3 > 0 { i.to_string() } else { default });
            }
        }

        let keeps = |number: u64| keep[number as usize - 1];
        let out = folder.join("out");
        let report = source.write_selection(&out, &options(chunk_bytes), keeps).unwrap();
        let written = unpack(compression, &fs::read(report.path.unwrap()).unwrap());
        let all_rows = rows(&stored, form);
        let expected = BooleanArray::from(keep);
        let expected = arrow_select::filter::filter_record_batch(&all_rows, &expected).unwrap();
        prop_assert_eq!(rows(&written, form), expected);
    }
}

fn texts(count: usize) -> Vec<Option<String>> {
    (0..count).map(|i| Some(format!("document {i} of many, and some more words"))).collect()
}

#[test]
fn only_named_columns_are_decoded_and_all_are_found() {
    let path = folder("arrow-fields").join("a.feather");
    fs::write(&path, bytes_of(&batch(3, &texts(50)), Form::File, PACKINGS[1], 20)).unwrap();
    let mut options = options(1 << 20);
    options.fields.others = vec!["meta.score".to_owned(), "flag".to_owned()];
    let mut seen = 0;
    for chunk in Source::file(&path, None).unwrap().chunks(&options) {
        chunk.unwrap().for_each(|record| {
            let record = record.unwrap();
            let i = record.number - 1;
            assert_eq!(record.field("meta.score"), Some(FieldValue::Float(i as f64 / 2.0)));
            assert_eq!(record.field("flag"), Some(FieldValue::Bool(i % 2 == 0)));
            seen += 1;
        });
    }
    assert_eq!(seen, 50);
    let mut wrong = ReadOptions::default();
    wrong.fields.text = "body".to_owned();
    let all = read_source(&Source::file(&path, None).unwrap(), &wrong);
    let fatal = all.fatal.unwrap();
    assert!(
        fatal.contains("has no column `body`") && fatal.contains("`flag`, `text`, `meta`"),
        "{fatal}"
    );
}

#[test]
fn a_selection_is_packed_as_its_source_is() {
    let folder = folder("arrow-packing");
    for (form, packing) in [(Form::File, PACKINGS[2]), (Form::Stream, PACKINGS[1])] {
        let path = folder.join("a.arrow");
        let stored = bytes_of(&batch(0, &texts(2000)), form, packing, 500);
        fs::write(&path, &stored).unwrap();
        let source = Source::file(&path, None).unwrap();
        let report = source.write_selection(&folder.join("out"), &chunks_of(1000), |_| true);
        let written = fs::read(report.unwrap().path.unwrap()).unwrap();
        assert_eq!(rows(&written, form), rows(&stored, form));
        let difference = written.len().abs_diff(stored.len());
        assert!(difference < stored.len() / 10, "{} of {}", written.len(), stored.len());
    }
}

/// What is left of a file is read, or it is refused by its name; nothing panics.
#[test]
fn damaged_files_are_refused() {
    let folder = folder("arrow-damaged");
    let path = folder.join("a.arrow");
    let all_texts = texts(60);
    for (form, packing) in [(Form::File, PACKINGS[0]), (Form::Stream, PACKINGS[1])] {
        let stored = bytes_of(&batch(3, &all_texts), form, packing, 20);
        let check = |bytes: &[u8], what: &str| {
            fs::write(&path, bytes).unwrap();
            let source = Source::file(&path, Some(Format::Arrow)).unwrap();
            let all = read_source(&source, &chunks_of(1 << 20));
            if let Some(fatal) = &all.fatal {
                assert!(fatal.starts_with(&format!("`{}`", path.display())), "{what}: {fatal}");
            }
            all
        };
        for cut in (0..stored.len()).step_by(37) {
            let all = check(&stored[..cut], &format!("cut at {cut}"));
            let expected = all_texts.iter().flatten().take(all.records.len());
            assert!(all.texts().into_iter().eq(expected.map(|text| &**text)), "cut at {cut}");
            if form == Form::File {
                let fatal = all.fatal.unwrap_or_else(|| panic!("cut at {cut} seems whole"));
                assert!(fatal.contains("is broken, and was read only up to"), "{fatal}");
            }
        }
        for at in (0..stored.len()).step_by(3) {
            let mut bytes = stored.clone();
            bytes[at] ^= 0x55;
            check(&bytes, &format!("another byte at {at}"));
            // Survivors of what can be read, or an error; each is synced, which takes its time.
            if at % 60 == 0 {
                let source = Source::file(&path, Some(Format::Arrow)).unwrap();
                let _ =
                    source.write_selection(&folder.join("out"), &chunks_of(1000), |n| n % 2 == 0);
            }
        }
    }
    fs::write(&path, "no Arrow at all, but long enough to look like one").unwrap();
    assert!(read(&path).fatal.is_some());
}

/// Lengths that a message only claims take no memory.
#[test]
fn claimed_lengths_are_not_believed() {
    let path = folder("arrow-claims").join("a.arrow");
    let stored = bytes_of(&batch(0, &texts(40)), Form::Stream, PACKINGS[1], 40);
    // The unpacked length before each packed buffer.
    let mut found = 0;
    for at in (0..stored.len() - 8).step_by(8) {
        let length = u64::from_le_bytes(stored[at..at + 8].try_into().unwrap());
        if (100..10_000).contains(&length) && stored[at + 8..].starts_with(&[4, 0x22, 0x4d, 0x18]) {
            let mut bytes = stored.clone();
            bytes[at..at + 8].copy_from_slice(&(1_u64 << 50).to_le_bytes());
            fs::write(&path, &bytes).unwrap();
            let fatal = read(&path).fatal.unwrap();
            assert!(fatal.contains("more than the limit of"), "{fatal}");
            found += 1;
        }
    }
    assert!(found >= 2, "{found}");
    // A batch that is longer than what may be in memory.
    fs::write(&path, &stored).unwrap();
    let mut options = ReadOptions::default();
    options.limits.max_document_bytes = 500;
    let fatal = read_source(&Source::file(&path, None).unwrap(), &options).fatal.unwrap();
    assert!(fatal.contains("write it again in batches of fewer rows"), "{fatal}");
}

#[test]
fn the_first_bytes_tell() {
    let folder = folder("arrow-content");
    for form in [Form::File, Form::Stream] {
        let path = folder.join("without-extension");
        fs::write(&path, bytes_of(&batch(0, &texts(3)), form, None, 2)).unwrap();
        assert_eq!(read(&path).texts().len(), 3);
        assert_is_text_by_name(&folder, &path);
    }
}

/// A text file that is none is refused with the name of what it is.
fn assert_is_text_by_name(folder: &Path, arrow: &Path) {
    let path = folder.join("a.txt");
    fs::copy(arrow, &path).unwrap();
    let fatal = read(&path).fatal.unwrap();
    assert!(fatal.contains("is an Arrow file, not text; call it .arrow"), "{fatal}");
}
