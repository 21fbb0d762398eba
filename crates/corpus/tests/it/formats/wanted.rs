//! Records that are wanted, against reading all and leaving the others out.

use std::fs;

use lookalike_corpus::Source;
use proptest::prelude::*;

use super::{Read, chunks_of, folder, owned, parquets, read_source, warcs};

/// Good and bad records, blank lines, and one that is longer than the limit of 40 bytes.
fn lines() -> impl Strategy<Value = String> {
    let json = prop::sample::select(vec![
        "{\"text\":\"a\"}",
        "{\"text\":\"b\",\"id\":7}",
        "{\"text\":1}",
        "oops",
        "",
        "{\"text\":\"longer than the limit of forty bytes is\"}",
    ]);
    prop::collection::vec(json, 0..20).prop_map(|lines| lines.join("\n"))
}

fn table() -> impl Strategy<Value = String> {
    let row = prop::sample::select(vec![
        "1,a",
        "\"2\",\"b\nb\"",
        "one",
        "",
        "3,longer than the limit of forty bytes, in all",
        "4,\"never closed",
    ]);
    prop::collection::vec(row, 0..20).prop_map(|rows| format!("id,text\n{}", rows.join("\r\n")))
}

/// A file's name and its bytes.
fn any_file() -> impl Strategy<Value = (&'static str, Vec<u8>)> {
    let nulls = prop::collection::vec(any::<Option<String>>(), 1..20);
    prop_oneof![
        lines().prop_map(|lines| ("a.jsonl", lines.into_bytes())),
        table().prop_map(|rows| ("a.csv", rows.into_bytes())),
        table().prop_map(|rows| ("a.tsv", rows.replace(',', "\t").into_bytes())),
        lines().prop_map(|lines| ("a.txt", lines.into_bytes())),
        prop::collection::vec(prop::sample::select(warcs::short_records()), 0..20)
            .prop_map(|records| ("a.warc", records.concat())),
        nulls.prop_map(|texts| ("a.parquet", parquets::file_of(&texts))),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(128))]
    #[test]
    fn wanted_records_are_those_of_all(
        (name, bytes) in any_file(),
        chunk_bytes in prop::sample::select(vec![1, 50, 1 << 20]),
        wanted in prop::collection::vec(any::<bool>(), 20),
    ) {
        let path = folder("wanted").join(name);
        fs::write(&path, &bytes).unwrap();
        let mut options = chunks_of(chunk_bytes);
        options.limits.max_record_bytes = if name == "a.warc" { 400 } else { 40 };
        let source = Source::file(&path, None).unwrap();
        let all = read_source(&source, &options).records;
        let expected: Vec<_> =
            all.iter().zip(&wanted).filter(|(_, wanted)| **wanted).map(|(read, _)| read).collect();

        let (mut asked, mut found): (Vec<u64>, Vec<Result<Read, String>>) = Default::default();
        for chunk in source.chunks(&options) {
            let want = |number: u64| {
                asked.push(number);
                wanted[number as usize - 1]
            };
            chunk.unwrap().for_each_wanted(want, |record| found.push(owned(record)));
        }
        prop_assert_eq!(asked, (1..=all.len() as u64).collect::<Vec<_>>());
        prop_assert_eq!(found.iter().collect::<Vec<_>>(), expected);
    }
}
