//! Damaged artefacts are refused.

use std::fs;
use std::path::Path;

use lookalike_core::Sequence;
use lookalike_engine::Error;

use super::{
    Clustering, Clusters, GroupReader, PairReader, Pairs, Relation, Result, clusters, folder,
    group, random_keys,
};
use crate::tampering::tamper;

fn read_all(kind: &str, path: &Path) -> Result<()> {
    match kind {
        "groups" => {
            let mut reader = GroupReader::open(path)?;
            while reader.next()?.is_some() {}
        }
        "pairs" => {
            let mut reader: PairReader = PairReader::open(path)?;
            while reader.next()?.is_some() {}
        }
        _ => drop(Clusters::open(path)?),
    }
    Ok(())
}

#[test]
fn a_changed_byte_anywhere_and_every_cut_are_noticed() {
    let folder = folder("matching/damage");
    group(&folder, 0, 20_000, &random_keys(1, 20_000, 2, 5_000));
    let judged = (Clustering::Anchored, Pairs::default());
    clusters(&folder, 0, judged, &mut Relation::new(1, 30));
    let mut random = Sequence::new(2, 2);
    for kind in ["groups", "pairs", "keepers"] {
        let path = folder.join(kind);
        let good = fs::read(&path).unwrap();
        assert!(good.len() > 70_000, "more than a block of {kind}");
        read_all(kind, &path).unwrap();
        for _ in 0..150 {
            let mut bytes = good.clone();
            let at = random.next() as usize % bytes.len();
            if random.next().is_multiple_of(2) {
                bytes[at] ^= 1 << (random.next() % 8);
            } else {
                bytes.truncate(at);
            }
            fs::write(&path, &bytes).unwrap();
            let error = read_all(kind, &path).unwrap_err();
            let message = error.to_string();
            let version = message.contains("has format version");
            assert!(version || error.is_corruption(), "{message}");
            assert!(version || message.contains("is damaged at byte"), "{message}");
        }
    }
}

/// A small file with other rows in it, under right checksums.
fn with_rows(kind: &str, change: impl Fn(&mut [u8])) -> Error {
    let folder = folder(&format!("matching/tampered-{kind}"));
    group(&folder, 0, 3, &(0..3).map(|place| (place, vec![1])).collect());
    let judged = (Clustering::Anchored, Pairs::default());
    clusters(&folder, 0, judged, &mut Relation::new(1, 100));
    let path = folder.join(kind);
    tamper(&path, change);
    read_all(kind, &path).unwrap_err()
}

#[test]
fn a_right_checksum_is_not_enough() {
    let says = |error: &Error, what: &str| {
        assert!(error.is_corruption() && error.to_string().contains(what), "{error}");
    };
    // Groups: 0, 1, 2, end.
    let expected = "at byte 28: expected places under 3 in ascending order, found";
    says(&with_rows("groups", |rows| rows[4] = 0), &format!("{expected} 0"));
    says(&with_rows("groups", |rows| rows[4] = 3), &format!("{expected} 3"));
    let end = |rows: &mut [u8]| rows[4..8].fill(0xff);
    says(&with_rows("groups", end), "at byte 28: expected a group of two members or more");
    let no_end =
        |rows: &mut [u8]| rows[8..16].copy_from_slice(&[0xff, 0xff, 0xff, 0xff, 2, 0, 0, 0]);
    says(&with_rows("groups", no_end), "expected the end of a group");
    // Pairs: (1, 0), (2, 0).
    says(&with_rows("pairs", |rows| rows[4] = 1), "at byte 24: expected the next pair");
    says(&with_rows("pairs", |rows| rows[33] = 3), "at byte 57: expected the next pair");
    says(&with_rows("pairs", |rows| rows[33] = 1), "found 1 and 0");
    says(&with_rows("pairs", |rows| rows[8] = 7), "at byte 32: expected evidence of kind");
    // Keepers: 0, 0, 0.
    says(&with_rows("keepers", |rows| rows[0] = 1), "found 1 for document 0");
    says(&with_rows("keepers", |rows| rows[8] = 1), "found 1 for document 2");
}
