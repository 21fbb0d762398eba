//! Files cut short or changed: what came before is read, and nothing panics or hangs.

use std::fs;

use lookalike_corpus::{Compression, Source};

use super::{chunks_of, folder, pack, read, read_source};

fn lines() -> String {
    let words = ["alpha", "beta", "gamma", "delta", "epsilon"];
    let text = |i: usize| (0..20).map(|j| words[(i * i + j * 3) % 5]).collect::<Vec<_>>().join(" ");
    let lines: Vec<_> = (0..400).map(|i| format!("{{\"text\":\"{i} {}\"}}\n", text(i))).collect();
    lines.concat()
}

#[test]
fn records_before_the_break_are_read() {
    let lines = lines();
    for compression in Compression::ALL {
        let folder = folder(&format!("broken-cut-{compression:?}"));
        let path = folder.join(format!("a.jsonl{}", compression.extension()));
        // Two members, so that some cuts fall between them or into the second's header.
        let (head, tail) = lines.split_at(lines.len() / 2);
        let first = pack(compression, head.as_bytes());
        let packed = [first.clone(), pack(compression, tail.as_bytes())].concat();
        fs::write(&path, &packed).unwrap();
        let whole = read(&path);
        assert_eq!((whole.records.len(), whole.fatal.as_deref()), (400, None));
        let step = packed.len() / 60 + 1;
        for cut in (0..packed.len()).step_by(step).chain([1, 2, 3, first.len()]) {
            fs::write(&path, &packed[..cut]).unwrap();
            let all = read(&path);
            let good = all.good().len();
            assert!(all.records[..good].iter().eq(&whole.records[..good]), "{compression:?} {cut}");
            if compression == Compression::None {
                assert!(all.faults().len() <= 1 && all.fatal.is_none());
            } else if cut != first.len() && cut != 0 {
                let fatal = all.fatal.as_deref().unwrap_or_else(|| {
                    panic!("{compression:?} cut at {cut} of {} seems whole", packed.len())
                });
                assert!(fatal.contains("is broken, and was read only up to that point"), "{fatal}");
                assert_eq!(all.faults(), [""; 0], "half a record is none");
            }
        }
    }
}

#[test]
fn changed_bytes_never_panic_and_chunks_do_not_matter() {
    let lines = lines();
    for compression in Compression::ALL {
        let folder = folder(&format!("broken-flip-{compression:?}"));
        let path = folder.join(format!("a.jsonl{}", compression.extension()));
        let packed = pack(compression, lines.as_bytes());
        for at in (0..packed.len()).step_by(packed.len() / 40 + 1) {
            let mut bytes = packed.clone();
            bytes[at] ^= 0x55;
            fs::write(&path, &bytes).unwrap();
            let source = Source::file(&path, None).unwrap();
            let all = read_source(&source, &chunks_of(1 << 20));
            assert_eq!(read_source(&source, &chunks_of(1)), all, "{compression:?} {at}");
        }
    }
}

#[test]
fn the_wrong_compression_is_an_error() {
    let folder = folder("broken-wrong");
    for compression in &Compression::ALL[1..] {
        let path = folder.join(format!("a.txt{}", compression.extension()));
        fs::write(&path, "no such thing").unwrap();
        let all = read(&path);
        assert!(all.records.is_empty() && all.fatal.is_some(), "{compression:?}");
    }
}
