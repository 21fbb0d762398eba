//! Inputs made to kill the program, to make it swell or to slow it down, each at three sizes: it
//! ends well, within the memory that was asked for, in time that grows as the input does, and what
//! is not in `kept/` was removed for a reason or named.
//!
//! `LOOKALIKE_HOSTILE_TIMES=8` makes all of them eight times as large.

use std::fs::{self, File};
use std::io::{BufWriter, Write as _};
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use arrow_array::{ArrayRef, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use parquet::basic::Encoding;
use parquet::file::properties::WriterProperties;
use serde_json::Value;

use super::{dedup, report};
use crate::{Run, folder};

/// What `README.md` promises for records of any length, and what may come on top of it.
const MEMORY_MIB: u64 = 256;
const MORE_MIB: u64 = 64;

/// Steps of the size. Nine times the input takes nine times as long, or 81 where it is quadratic.
const STEP: usize = 3;
const LONGER: u32 = 40;

/// Runs a job on what `make` writes into a folder, at three sizes from `bytes` on.
fn survives(
    name: &str,
    bytes: usize,
    make: impl Fn(&Path, usize),
    check: impl Fn(&Run, &Value, &Path),
) {
    let times = std::env::var("LOOKALIKE_HOSTILE_TIMES").map_or(1, |times| times.parse().unwrap());
    let mut taken: Vec<Duration> = Vec::new();
    for bytes in [bytes, bytes * STEP, bytes * STEP * STEP].map(|bytes| bytes * times) {
        let folder = folder(&format!("hostile-{name}"));
        let (input, out) = (folder.join("in"), folder.join("out"));
        fs::create_dir_all(&input).unwrap();
        make(&input, bytes);
        #[expect(clippy::disallowed_methods, reason = "how time grows with size is what is tested")]
        let started = Instant::now();
        let run = dedup(&[&input], &out, &["--memory", &format!("{MEMORY_MIB}MiB")]);
        taken.push(started.elapsed());
        assert!(run.code == 0 || run.code == 3, "{bytes} bytes: {} {}", run.code, run.stderr);
        let report = report(&out);
        let peak = report["peak_memory_bytes"].as_u64().unwrap() >> 20;
        assert!(peak <= MEMORY_MIB + MORE_MIB, "{bytes} bytes: a peak of {peak} MiB");
        check(&run, &report, &out.join("kept"));
        let _ = fs::remove_dir_all(&folder);
    }
    assert!(taken[2] <= LONGER * taken[0], "nine times the size: {taken:?}");
}

/// All documents were read, and those that are not removed are there.
fn reads(documents: u64, kept: &'static [&'static str]) -> impl Fn(&Run, &Value, &Path) {
    move |run, report, folder| {
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert_eq!(report["documents"], documents);
        for name in kept {
            assert!(folder.join(name).exists(), "{name} is missing");
        }
    }
}

/// The file was refused, and the limit is named.
fn refuses(said: &'static str) -> impl Fn(&Run, &Value, &Path) {
    move |run, _, _| {
        assert_eq!(run.code, 3, "{}", run.stderr);
        assert!(run.stderr.contains(said), "{}", run.stderr);
    }
}

fn repeat(path: &Path, beginning: &[u8], repeated: &[u8], bytes: usize, end: &[u8]) {
    let mut file = BufWriter::new(File::create(path).unwrap());
    file.write_all(beginning).unwrap();
    for _ in 0..bytes / repeated.len() {
        file.write_all(repeated).unwrap();
    }
    file.write_all(end).unwrap();
    file.into_inner().unwrap();
}

#[test]
fn attributes() {
    let make = |input: &Path, bytes| {
        repeat(&input.join("a.html"), b"<p ", b"a=\"\" ", bytes, b">a page of words</p>");
    };
    survives("attributes", 30_000, make, reads(1, &["a.html"]));
}

#[test]
fn plain_text_in_a_page() {
    let make = |input: &Path, bytes| {
        repeat(&input.join("a.html"), b"<plaintext>", b"<b>words of a page ", bytes, b"");
    };
    survives("plaintext", 3 << 20, make, reads(1, &["a.html"]));
}

/// Rows of one text, in a file that has it once.
fn parquet_of_one_text(name: &str, properties: &WriterProperties) {
    const TEXT_BYTES: usize = 300_000;
    let make = |input: &Path, bytes| {
        let text = "words of a row ".repeat(TEXT_BYTES / 15);
        let rows = |count| -> ArrayRef {
            Arc::new(StringArray::from_iter_values(std::iter::repeat_n(&text, count)))
        };
        let batch = RecordBatch::try_from_iter([("text", rows(100))]).unwrap();
        let file = File::create(input.join("a.parquet")).unwrap();
        let properties = Some(properties.clone());
        let mut writer = ArrowWriter::try_new(file, batch.schema(), properties).unwrap();
        for _ in 0..bytes / (100 * TEXT_BYTES) {
            writer.write(&batch).unwrap();
        }
        writer.close().unwrap();
        let stored = fs::metadata(input.join("a.parquet")).unwrap().len();
        assert!(stored < 2 * TEXT_BYTES as u64, "{stored} bytes");
    };
    survives(name, 100 * TEXT_BYTES, make, |run, report, kept| {
        assert_eq!(run.code, 0, "{}", run.stderr);
        let documents = report["documents"].as_u64().unwrap();
        assert!(documents >= 100 && documents % 100 == 0, "{documents}");
        assert_eq!(report["exact_removed"], documents - 1);
        assert!(kept.join("a.parquet").exists());
    });
}

#[test]
fn parquet_rows_that_share_a_text() {
    parquet_of_one_text("parquet", &WriterProperties::default());
}

#[test]
fn parquet_rows_that_are_what_the_last_one_was() {
    let properties = WriterProperties::builder()
        .set_dictionary_enabled(false)
        .set_encoding(Encoding::DELTA_BYTE_ARRAY)
        .build();
    parquet_of_one_text("parquet-delta", &properties);
}

#[test]
fn small_packed_texts_that_unpack_to_long_ones() {
    let make = |input: &Path, bytes: usize| {
        for name in ["a.txt.zst", "b.txt.zst"] {
            let file = File::create(input.join(name)).unwrap();
            let mut packed = zstd::Encoder::new(file, 3).unwrap();
            for _ in 0..bytes / 1_000_000 {
                packed.write_all("words of a text ".repeat(62_500).as_bytes()).unwrap();
            }
            packed.finish().unwrap();
        }
    };
    survives("packed", 20_000_000, make, reads(2, &["a.txt.zst"]));
}

#[test]
fn a_header_of_commas() {
    let make = |input: &Path, bytes| {
        repeat(&input.join("a.csv"), b"text", b",", bytes, b"\nwords\n");
    };
    survives("header", 2 << 20, make, refuses("has a header of more than 1048576 bytes"));
}

#[test]
fn empty_rows() {
    let make = |input: &Path, bytes| repeat(&input.join("a.csv"), b"id,text\n", b",\n", bytes, b"");
    survives("rows", 200_000, make, |run, report, kept| {
        assert_eq!(run.code, 0, "{}", run.stderr);
        assert_eq!(report["documents"], report["empty"]);
        assert!(kept.join("a.csv").exists());
    });
}

#[test]
fn empty_objects() {
    let make = |input: &Path, bytes| {
        repeat(&input.join("a.jsonl"), b"{\"text\":\"words\"}\n", b"{}\n", bytes, b"");
    };
    survives("objects", 300_000, make, |run, report, kept| {
        assert_eq!(run.code, 3, "{}", run.stderr);
        assert_eq!(report["documents"], 1);
        run.says("a.jsonl");
        assert!(kept.join("a.jsonl").exists());
    });
}

#[test]
fn a_line_that_is_no_utf_8() {
    let make = |input: &Path, bytes| {
        repeat(&input.join("a.jsonl"), b"{\"text\":\"words ", b"\xff", bytes, b"\"}\n");
    };
    survives("utf-8", 1 << 20, make, reads(1, &["a.jsonl"]));
}

#[test]
fn a_letter_with_marks_out_of_order() {
    let make = |input: &Path, bytes| {
        repeat(&input.join("a.txt"), b"a", "\u{345}\u{301}\u{327}".as_bytes(), bytes, b" b");
    };
    survives("marks", 6 << 20, make, reads(1, &["a.txt"]));
}

#[test]
fn text_without_white_space() {
    let make = |input: &Path, bytes| {
        repeat(&input.join("a.txt"), b"", "\u{4e2d}\u{6587}\u{5b57}".as_bytes(), bytes, b"");
    };
    survives("chinese", 6 << 20, make, reads(1, &["a.txt"]));
}

#[test]
fn one_long_word() {
    let make = |input: &Path, bytes| repeat(&input.join("a.txt"), b"", b"word", bytes, b"");
    survives("word", 6 << 20, make, reads(1, &["a.txt"]));
}

#[test]
fn one_long_address() {
    let make = |input: &Path, bytes| {
        repeat(&input.join("a.txt"), b"http://a.example/", b"b/c.d,e", bytes, b"");
    };
    survives("address", 6 << 20, make, reads(1, &["a.txt"]));
}

/// It would have to be in memory whole.
#[test]
fn a_word_beyond_the_limit_is_refused() {
    let folder = folder("hostile-long-word");
    let (input, out) = (folder.join("a.txt"), folder.join("out"));
    repeat(&input, b"", b"word", 65 << 20, b"");
    let run = dedup(&[&input], &out, &["--memory", "256MiB"]);
    refuses("has a word, an address, a line or a paragraph of more than")(&run, &Value::Null, &out);
    let _ = fs::remove_dir_all(&folder);
}
