//! Signature files: what is written is read, and nothing else is.

use std::fs;
use std::io::Cursor;
use std::path::Path;

use lookalike_core::{Recipe, Signature, Signer};
use lookalike_engine::signature_file::{
    MAX_ID_BYTES, SignatureReader, SignatureWriter, is_signature_file,
};
use lookalike_engine::{Error, ErrorKind, Existing};
use lookalike_files::ErrorKind as FileErrorKind;
use proptest::prelude::*;
use xxhash_rust::xxh3::xxh3_64;

use crate::folder;

type Rows = Vec<(String, Signature)>;

/// What documents of these texts give under the recipe, as a file gives them back.
fn rows(recipe: &Recipe, texts: &[&str]) -> Rows {
    let mut signer = Signer::new(recipe).unwrap();
    let kept = recipe.keep_sketch || recipe.name == "pugh";
    let row = |(i, text): (usize, &&str)| {
        let mut signature = signer.sign(text.as_bytes()).clone();
        if !kept {
            signature.sketch.clear();
        }
        (format!("document-{i}"), signature)
    };
    texts.iter().enumerate().map(row).collect()
}

fn write(path: &Path, recipe: &Recipe, rows: &Rows) {
    let mut writer = SignatureWriter::create(path, recipe, Existing::Replace).unwrap();
    for (id, signature) in rows {
        writer.push(id, signature).unwrap();
    }
    let written = writer.finish().unwrap();
    assert_eq!(written.rows, rows.len() as u64);
    assert_eq!(written.bytes, fs::metadata(path).unwrap().len());
}

fn read(path: &Path) -> Result<(Recipe, Rows), Error> {
    let mut reader = SignatureReader::open(path)?;
    let rows: Rows = reader.by_ref().collect::<Result<_, _>>()?;
    assert_eq!(reader.rows(), rows.len() as u64);
    Ok((reader.recipe().clone(), rows))
}

fn read_bytes(bytes: &[u8]) -> Result<(Recipe, Rows), Error> {
    let mut reader = SignatureReader::new(Cursor::new(bytes), bytes.len() as u64, Path::new("x"))?;
    let rows = reader.by_ref().collect::<Result<_, _>>()?;
    Ok((reader.recipe().clone(), rows))
}

const TEXTS: [&str; 4] = [
    "it was a bright cold day in the harbour and the clocks had stopped",
    "",
    "one",
    "\u{5c71}\u{306e}\u{5c0f}\u{5c4b} and some words in another script to go with it",
];

#[test]
fn every_preset_comes_back_as_it_went() {
    let folder = folder("signature_file/presets");
    for preset in lookalike_core::recipe::PRESETS {
        let recipe = Recipe::preset(preset).unwrap();
        let rows = rows(&recipe, &TEXTS);
        let path = folder.join(preset);
        write(&path, &recipe, &rows);
        assert!(is_signature_file(&path).unwrap());
        assert_eq!(read(&path).unwrap(), (recipe, rows), "{preset}");
    }
}

#[test]
fn blocks_end_where_rows_or_ids_fill_them() {
    let folder = folder("signature_file/blocks");
    let recipe = Recipe::default();
    let signature = rows(&recipe, &TEXTS)[0].1.clone();
    let many: Rows = (0..9000).map(|i| (format!("{i}"), signature.clone())).collect();
    let long: Rows = (10..60)
        .map(|i| (format!("{i}{}", "x".repeat(MAX_ID_BYTES - 2)), signature.clone()))
        .collect();
    for (name, rows) in [("many", many), ("long", long), ("none", Rows::new())] {
        write(&folder.join(name), &recipe, &rows);
        assert_eq!(read(&folder.join(name)).unwrap().1, rows, "{name}");
    }
    // A sketch so long that a few rows fill a block.
    let mut wide = Recipe { keep_sketch: true, ..recipe };
    wide.sketch = lookalike_core::recipe::SketchParameters::Minwise { permutations: 65_536 };
    let rows = rows(&wide, &[TEXTS[0]; 20]);
    write(&folder.join("wide"), &wide, &rows);
    assert_eq!(read(&folder.join("wide")).unwrap().1, rows);
}

#[test]
fn an_id_that_is_too_long_is_refused() {
    let path = folder("signature_file/id").join("file");
    let mut writer = SignatureWriter::create(&path, &Recipe::default(), Existing::Refuse).unwrap();
    let error = writer.push(&"x".repeat(MAX_ID_BYTES + 1), &Signature::default()).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::IdTooLong { .. }));
}

#[test]
fn nothing_is_left_of_an_unfinished_file() {
    let folder = folder("signature_file/unfinished");
    let path = folder.join("file");
    let writer = SignatureWriter::create(&path, &Recipe::default(), Existing::Refuse).unwrap();
    assert!(writer.partial_path().ends_with("file.partial") && writer.partial_path().exists());
    let second = SignatureWriter::create(&path, &Recipe::default(), Existing::Refuse);
    let second = second.err().unwrap().to_string();
    assert!(second.contains("is being written by another process"), "{second}");
    drop(writer);
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
}

/// The bytes of a small file.
fn example() -> (Recipe, Rows, Vec<u8>) {
    use std::sync::atomic::{AtomicU32, Ordering};
    static CALLS: AtomicU32 = AtomicU32::new(0);
    let recipe = Recipe::preset("henzinger-combined").unwrap();
    let rows = rows(&recipe, &TEXTS);
    let path = folder(&format!("signature_file/example-{}", CALLS.fetch_add(1, Ordering::Relaxed)))
        .join("file");
    write(&path, &recipe, &rows);
    let bytes = fs::read(&path).unwrap();
    (recipe, rows, bytes)
}

#[test]
fn each_damage_is_named() {
    let (_, _, good) = example();
    let damaged = |change: &dyn Fn(&mut Vec<u8>)| {
        let mut bytes = good.clone();
        change(&mut bytes);
        read_bytes(&bytes).unwrap_err()
    };
    let says = |error: &Error, what: &str| {
        let message = error.to_string();
        assert!(error.is_corruption() && message.contains(what), "{message}");
    };
    says(&damaged(&|bytes| bytes[0] = b'X'), "at byte 0: expected the magic `LOOKSIGS`");
    says(&damaged(&|bytes| bytes[12..16].fill(0xff)), "at byte 12: expected a recipe of at most");
    says(&damaged(&|bytes| bytes[20] ^= 1), "expected the checksum");
    says(&damaged(&|bytes| *bytes.last_mut().unwrap() ^= 1), "expected the checksum");
    says(&damaged(&|bytes| bytes.push(0)), "expected the end of the file, found more bytes");
    says(&damaged(&|bytes| bytes.truncate(bytes.len() - 24)), "expected a block or the end block");
    says(&damaged(&|bytes| bytes.truncate(50)), "expected a header");
    says(&damaged(&Vec::clear), "expected a header");
    let later = damaged(&|bytes| bytes[8] = 2);
    let ErrorKind::File(later) = later.kind() else { panic!("{later}") };
    assert!(matches!(later.kind(), FileErrorKind::Version { found: 2, known: 1, .. }));
}

/// Replaces bytes and makes the checksum of the header right again.
fn with_header(good: &[u8], change: impl Fn(&mut [u8])) -> Vec<u8> {
    let mut bytes = good.to_vec();
    let length = u32::from_le_bytes(*bytes[12..].first_chunk().unwrap()) as usize;
    change(&mut bytes[..80 + length]);
    let checksum = xxh3_64(&bytes[..80 + length]).to_le_bytes();
    bytes[80 + length..88 + length].copy_from_slice(&checksum);
    bytes
}

#[test]
fn a_right_checksum_is_not_enough() {
    let (_, _, good) = example();
    let error = read_bytes(&with_header(&good, |header| header[16] ^= 1)).unwrap_err();
    assert!(error.is_corruption() && error.to_string().contains("the recipe's digest"), "{error}");
    let error = read_bytes(&with_header(&good, |header| header[50] ^= 1)).unwrap_err();
    assert!(error.to_string().contains("the recipe's signing digest"), "{error}");
    let error = read_bytes(&with_header(&good, |header| header[80..90].fill(b'?'))).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Recipe { .. }), "{error}");
    let error = read_bytes(&with_header(&good, |header| header[90] = 0xff)).unwrap_err();
    assert!(error.to_string().contains("a recipe in UTF-8"), "{error}");

    // The end block with another number of rows.
    let mut bytes = good.clone();
    let end = bytes.len() - 24;
    bytes[end + 8] = 9;
    let checksum = xxh3_64(&bytes[end..end + 16]).to_le_bytes();
    bytes[end + 16..].copy_from_slice(&checksum);
    let error = read_bytes(&bytes).unwrap_err();
    assert!(error.to_string().contains("expected 4 rows in all, found 9"), "{error}");
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::with_cases(512) })]

    /// Whatever is done to a file, it gives an error or what was in it.
    #[test]
    fn damaged_files_never_lie(
        flips in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..4),
        keep in any::<prop::sample::Index>(),
        cut in any::<bool>(),
        tail in prop::collection::vec(any::<u8>(), 0..4),
    ) {
        static EXAMPLE: std::sync::LazyLock<(Recipe, Rows, Vec<u8>)> =
            std::sync::LazyLock::new(example);
        let (recipe, rows, good) = &*EXAMPLE;
        let mut bytes = good.clone();
        for (at, value) in flips {
            let at = at.index(bytes.len());
            bytes[at] ^= value;
        }
        if cut {
            bytes.truncate(keep.index(bytes.len()));
        }
        bytes.extend(tail);
        match read_bytes(&bytes) {
            Ok(read) => prop_assert_eq!((&read.0, &read.1), (recipe, rows)),
            Err(_) => prop_assert!(bytes != *good),
        }
    }

    /// Lengths that lie, under checksums that do not: an error, and no memory for what is not there.
    #[test]
    fn hostile_lengths_are_refused(rows in any::<u32>(), ids in any::<u32>(), end in any::<bool>()) {
        let (_, _, good) = example();
        let length = u32::from_le_bytes(*good[12..].first_chunk().unwrap()) as usize;
        let mut bytes = good[..88 + length].to_vec();
        bytes.extend(rows.to_le_bytes());
        bytes.extend(ids.to_le_bytes());
        bytes.extend([0; 64]);
        if end {
            bytes.extend(xxh3_64(&bytes[88 + length..]).to_le_bytes());
        }
        prop_assert!(read_bytes(&bytes).is_err());
    }
}

/// A file that the first version wrote, and what stands in it: tokens, fingerprint, last feature
/// and last word of the projection of each row.
#[test]
fn format_version_1_is_read_for_ever() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../tests/fixtures/format_v1/example.signatures");
    let (recipe, found) = read(&path).unwrap();
    assert_eq!(recipe.name, "henzinger-combined");
    assert_eq!(recipe.features.unwrap().to_string(), "[6, 14, 2]");
    let expected: [(u64, u128, u64, u64); 4] = [
        (
            14,
            0x7b26_94b4_76fc_6671_d634_ec74_1521_2380,
            0x68ee_98f8_fd13_e33f,
            0x1c26_5e07_09c0_f261,
        ),
        (
            0,
            0x0000_0000_0000_0001_0000_0000_0000_0001,
            0x0000_0000_0000_0000,
            0x0000_0000_0000_0000,
        ),
        (
            1,
            0x243f_6a88_84cc_6762_b7e1_5162_8b82_44fa,
            0xa159_eae4_a07c_9a07,
            0x0888_c59a_3fdf_df6a,
        ),
        (
            14,
            0x223b_4560_4bf5_ac6d_8fe0_349b_2a8d_8bef,
            0xe074_656a_3ba1_ea68,
            0x0ef0_e826_10a4_886d,
        ),
    ];
    assert_eq!(found.len(), expected.len());
    for (i, ((id, signature), expected)) in found.iter().zip(expected).enumerate() {
        let ends = [&signature.features, &signature.projection].map(|words| words[5]);
        assert_eq!(id, &format!("document-{i}"));
        assert_eq!((signature.tokens, signature.exact, ends[0], ends[1]), expected);
        assert!(signature.sketch.is_empty());
    }
}
