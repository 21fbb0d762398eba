//! Unpacked copies: a second reading gives what the first one gave, without unpacking.

use std::fs;
use std::path::Path;

use lookalike_corpus::{ReadOptions, Source, UnpackedCopies};

use crate::folder;

/// Lines that compress badly, so that the file is large enough for a copy.
fn lines() -> String {
    let mut state = 1_u64;
    let mut number = || {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state
    };
    let lines =
        (0..140_000).map(|_| format!("{{\"text\": \"{:016x} {:016x}\"}}", number(), number()));
    lines.collect::<Vec<_>>().join("\n")
}

fn packed(folder: &Path, bytes: &[u8]) -> Source {
    let path = folder.join("a.jsonl.zst");
    fs::write(&path, bytes).unwrap();
    assert!(bytes.len() > 1 << 20, "large enough for a copy");
    Source::file(&path, None).unwrap()
}

/// The texts up to the first fault, and whether there was one.
fn texts(source: &Source) -> (Vec<Vec<u8>>, bool) {
    let (mut texts, mut broken) = (Vec::new(), false);
    for chunk in source.chunks(&ReadOptions::default()) {
        match chunk {
            Ok(chunk) => chunk.for_each(|record| texts.push(record.unwrap().content.into_owned())),
            Err(_) => broken = true,
        }
    }
    (texts, broken)
}

#[test]
fn the_second_reading_needs_no_unpacking() {
    let folder = folder("second");
    let bytes = zstd::encode_all(lines().as_bytes(), 1).unwrap();
    let source = packed(&folder, &bytes);
    let plain = texts(&source);
    let keep = |number: u64| number.is_multiple_of(3);
    let options = ReadOptions::default();
    source.write_selection(&folder.join("plain"), &options, keep).unwrap();

    let copied = source.with_copies(&UnpackedCopies::new(&folder.join("copies"), 1 << 30));
    assert_eq!(texts(&copied), plain);
    // What is stored is not looked at any more.
    fs::write(copied.path(), vec![0; bytes.len()]).unwrap();
    assert_eq!(texts(&copied), plain);
    copied.write_selection(&folder.join("copied"), &options, keep).unwrap();
    let selection = |name: &str| fs::read(folder.join(name).join("a.jsonl.zst")).unwrap();
    assert_eq!(selection("plain"), selection("copied"));
}

#[test]
fn a_broken_file_is_broken_each_time() {
    let folder = folder("broken");
    let mut bytes = zstd::encode_all(lines().as_bytes(), 1).unwrap();
    bytes.truncate(bytes.len() / 3 * 2);
    let source = packed(&folder, &bytes);
    let plain = texts(&source);
    assert!(plain.1);
    let copied = source.with_copies(&UnpackedCopies::new(&folder.join("copies"), 1 << 30));
    assert_eq!(texts(&copied), plain);
    assert_eq!(texts(&copied), plain);
    assert_eq!(fs::read_dir(folder.join("copies")).unwrap().count(), 0);
}
