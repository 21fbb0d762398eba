//! Files that a decoder cannot follow: they are skipped and named, and the others are read.

use std::fs;

use super::{dedup, json_lines, report, texts, write_parquet};
use crate::folder;

/// Some flips may make the decoder of Parquet panic, depending on its version: all over the pages.
/// That a panic does not end the process is shown beside the hook.
#[test]
fn a_damaged_parquet_file_is_skipped_and_the_others_are_read() {
    let folder = folder("panics");
    let (input, whole) = (folder.join("in"), folder.join("whole.parquet"));
    fs::create_dir_all(&input).unwrap();
    write_parquet(&whole, "p", &texts(3, 40));
    fs::write(input.join("a.jsonl"), json_lines("a", &texts(1, 30))).unwrap();
    let whole = fs::read(whole).unwrap();
    let footer = whole.last_chunk::<8>().unwrap().first_chunk().unwrap();
    let pages = whole.len() - 8 - u32::from_le_bytes(*footer) as usize;
    let mut skipped = 0;
    for (number, at) in (4..40).step_by(2).chain((40..pages).step_by(pages / 20)).enumerate() {
        let mut damaged = whole.clone();
        damaged[at] ^= 0x55;
        fs::write(input.join("b.parquet"), damaged).unwrap();
        let out = folder.join(format!("out-{number}"));
        let run = dedup(&[&input], &out, &["--threads", "2"]);
        assert!([0, 3].contains(&run.code), "byte {at}: {} {}", run.code, run.stderr);
        assert!(!run.stderr.contains("a bug in the program"), "byte {at}: {}", run.stderr);
        let report = report(&out);
        assert!(report["documents"].as_u64().unwrap() >= 30, "byte {at}");
        if run.code == 3 {
            skipped += 1;
            assert!(run.stderr.contains("b.parquet"), "byte {at}: {}", run.stderr);
        }
        fs::remove_dir_all(out).unwrap();
    }
    assert!(skipped > 5, "{skipped}");
}
