//! Nothing is lost in silence: what cannot be read stays as it is, and every survivor has a file.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::{Read as _, Write as _};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;

use arrow_array::{Array as _, ArrayRef, Int64Array, RecordBatch, StringArray};
use parquet::arrow::ArrowWriter;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;

use super::{dedup, files, gzip, json_lines, report, texts};
use crate::{Run, folder, run};

fn document(id: &str) -> String {
    let words: Vec<String> = (0..40).map(|n| format!("word{}", n * n % 37)).collect();
    format!("{{\"id\":\"{id}\",\"text\":\"{}\"}}\n", words.join(" "))
}

fn unzipped(bytes: &[u8]) -> Vec<u8> {
    let mut unpacked = Vec::new();
    flate2::read::MultiGzDecoder::new(bytes).read_to_end(&mut unpacked).unwrap();
    unpacked
}

#[test]
fn unreadable_records_stay_where_they_were_byte_for_byte() {
    let folder = folder("unreadable-records");
    let long = format!("{{\"text\":\"{}\"}}\n", "a ".repeat(33 << 20));
    let bad = [
        "{\"id\":7,\"text\":null}\n",
        "{\"text\":[\"a\",\"b\"]}\r\n",
        "no JSON \u{fffd}\n",
        "{\"id\":[1.5],\"text\":\"x\"}\n",
        &long,
        "{\"text\":\"cut o",
    ];
    let other = "{\"id\":2.50,\"text\":\"quite another text of its own\"}\n";
    let lines =
        [&document("1"), bad[0], &document("1.5"), bad[1], bad[2], bad[3], bad[4], other, bad[5]];
    let kept: String = [&lines[..2], &lines[3..]].concat().concat();
    let table = "id,text\n1,\"one two three four five six seven eight\"\n2\n\
                 3,\"one two three four five six seven eight\"\n4,5,6\n7,\"open\n";
    let kept_table = "id,text\n1,\"one two three four five six seven eight\"\n2\n4,5,6\n7,\"open\n";
    let input = folder.join("in");
    fs::create_dir_all(&input).unwrap();
    fs::write(input.join("a.jsonl"), lines.concat()).unwrap();
    fs::write(input.join("b.csv"), table).unwrap();
    let out = folder.join("out");
    let run = dedup(&[&input], &out, &[]);
    assert_eq!(run.code, 3, "{}", run.stderr);
    let counts = report(&out);
    assert_eq!(counts["skipped"], 9);
    assert_eq!((&counts["documents"], &counts["kept"]), (&5.into(), &3.into()));
    run.shows("is in kept/ as it was");
    assert!(fs::read(out.join("kept/a.jsonl")).unwrap() == kept.as_bytes());
    assert_eq!(fs::read_to_string(out.join("kept/b.csv")).unwrap(), kept_table);

    let dropped = folder.join("dropped");
    let run = dedup(&[&input], &dropped, &["--drop-unreadable"]);
    assert_eq!(run.code, 3, "{}", run.stderr);
    run.shows("was left out of kept/");
    assert_eq!(report(&dropped)["skipped"], 9);
    let lines = fs::read_to_string(dropped.join("kept/a.jsonl")).unwrap();
    assert_eq!(lines, format!("{}{other}", document("1")));
    let table = fs::read_to_string(dropped.join("kept/b.csv")).unwrap();
    assert_eq!(table, "id,text\n1,\"one two three four five six seven eight\"\n");

    // Another decision of the same run keeps the same.
    for (from, to) in [(&out, "decided"), (&dropped, "decided-dropped")] {
        let decided = folder.join(to);
        let arguments = ["decide", from.to_str().unwrap(), "--out", decided.to_str().unwrap()];
        assert_eq!(crate::run(&arguments).code, 3);
        assert!(files(&decided.join("kept")) == files(&from.join("kept")), "{to}");
    }
}

#[test]
fn rows_without_a_text_stay() {
    let folder = folder("unreadable-rows");
    let input = folder.join("in.parquet");
    let text = "one two three four five six seven eight nine ten";
    let texts: StringArray =
        [Some(text), None, Some(text), None, Some("other")].into_iter().collect();
    let columns: [(&str, ArrayRef); 2] =
        [("id", Arc::new(Int64Array::from_iter_values(0..5))), ("text", Arc::new(texts))];
    let batch = RecordBatch::try_from_iter(columns).unwrap();
    let mut writer =
        ArrowWriter::try_new(File::create(&input).unwrap(), batch.schema(), None).unwrap();
    writer.write(&batch).unwrap();
    writer.close().unwrap();
    for (more, rows) in [(&[][..], vec![0, 1, 3, 4]), (&["--drop-unreadable"], vec![0, 4])] {
        let out = folder.join("out");
        let _ = fs::remove_dir_all(&out);
        let run = dedup(&[&input], &out, more);
        assert_eq!((run.code, &report(&out)["skipped"]), (3, &2.into()), "{}", run.stderr);
        let kept = File::open(out.join("kept/in.parquet")).unwrap();
        let reader = ParquetRecordBatchReaderBuilder::try_new(kept).unwrap().build().unwrap();
        let ids: Vec<i64> = reader
            .flat_map(|batch| {
                let ids = batch.unwrap().column(0).to_data();
                Int64Array::from(ids).values().to_vec()
            })
            .collect();
        assert_eq!(ids, rows);
    }
}

/// Where records cannot be told from each other any more, there is all of the file.
#[test]
fn a_file_that_breaks_off_is_there_as_a_whole() {
    let folder = folder("unreadable-rest");
    let input = folder.join("in");
    fs::create_dir_all(&input).unwrap();
    let lines = json_lines("x", &texts(3, 600));
    let packed = gzip(&lines);
    let cut = &packed[..packed.len() / 2];
    fs::write(input.join("cut.jsonl.gz"), cut).unwrap();
    // Nothing goes from this one, which cannot be read beyond its first record.
    let whole = gzip(b"{\"text\":\"a text of its own\"}\n");
    fs::write(input.join("whole.jsonl.gz"), &whole[..whole.len() - 4]).unwrap();
    let out = folder.join("out");
    let run = dedup(&[&input], &out, &[]);
    assert_eq!((run.code, &report(&out)["skipped"]), (3, &2.into()), "{}", run.stderr);
    let mut kept = files(&out.join("kept"));
    assert!(kept.remove("cut.jsonl.gz.unreadable").unwrap() == cut);
    assert_eq!(kept.remove("whole.jsonl.gz").unwrap(), &whole[..whole.len() - 4]);
    let survivors = unzipped(&kept.remove("cut.jsonl.gz").unwrap());
    assert!(kept.is_empty(), "{:?}", kept.keys());
    let count = survivors.split(|&byte| byte == b'\n').count() as u64 - 1;
    let report = report(&out);
    assert_eq!(count + 1, report["kept"].as_u64().unwrap());
    assert!(
        survivors
            .split_inclusive(|&byte| byte == b'\n')
            .all(|line| { lines.windows(line.len()).any(|window| window == line) })
    );

    let dropped = folder.join("dropped");
    assert_eq!(dedup(&[&input], &dropped, &["--drop-unreadable"]).code, 3);
    let names: Vec<String> = files(&dropped.join("kept")).into_keys().collect();
    assert!(!names.contains(&"cut.jsonl.gz.unreadable".to_owned()), "{names:?}");
}

#[test]
fn the_clean_folder_of_against_has_what_cannot_be_read() {
    let folder = folder("unreadable-clean");
    let [references, input, clean] = ["r.jsonl", "in.jsonl", "clean"].map(|name| folder.join(name));
    fs::write(&references, document("r")).unwrap();
    let bad = "{\"text\":null}\noops\n";
    let other = "{\"text\":\"something else that nobody asked for at all\"}\n";
    fs::write(&input, format!("{}{bad}{other}", document("1"))).unwrap();
    for (more, expected) in
        [(&[][..], format!("{bad}{other}")), (&["--drop-unreadable"], other.to_owned())]
    {
        let _ = fs::remove_dir_all(&clean);
        let [references, input, clean] = [&references, &input, &clean].map(|p| p.to_str().unwrap());
        let mut arguments = vec!["against", references, "--input", input, "--clean", clean];
        arguments.extend(more);
        let run = run(&arguments);
        assert_eq!(run.code, 3, "{}", run.stderr);
        assert_eq!(fs::read_to_string(Path::new(clean).join("in.jsonl")).unwrap(), expected);
    }
}

/// An archive of archives is no text, whatever its name.
#[test]
fn binary_files_are_passed_over_and_stay() {
    let folder = folder("unreadable-binary");
    let input = folder.join("in");
    fs::create_dir_all(&input).unwrap();
    let mut tar = b"letters/one.txt".to_vec();
    tar.resize(257, 0);
    tar.extend(b"ustar");
    tar.resize(10_240, 0);
    let mut zip = b"PK\x03\x04\x14\0\0\0\x08\0".to_vec();
    zip.extend(b"letters/one.txt");
    zip.extend(gzip(&json_lines("z", &texts(4, 40))));
    fs::write(input.join("a.txt"), &tar).unwrap();
    fs::write(input.join("b.txt"), &zip).unwrap();
    fs::write(input.join("c.md"), [b"a", &gzip(&vec![b'x'; 100_000])[..]].concat()).unwrap();
    fs::write(input.join("d.txt"), "a text with words").unwrap();
    fs::write(input.join("e.txt"), "a text with words").unwrap();
    fs::write(input.join("f.txt"), b"\xff\xff\xff\xff\x80\x01\0\0\x10\0\0\0").unwrap();
    let out = folder.join("out");
    let run = dedup(&[&input], &out, &[]);
    assert_eq!(run.code, 3, "{}", run.stderr);
    run.says("a.txt`: is a tar archive, not text; unpack it first");
    run.says("b.txt`: is a ZIP archive, not text; unpack it first");
    run.says("c.md`: is a binary file, not text");
    run.says("f.txt`: is an Arrow file, not text; call it .arrow");
    let report = report(&out);
    assert_eq!((&report["documents"], &report["skipped"]), (&2.into(), &4.into()));
    assert_eq!(report["skipped_by_fault"][0]["fault"], "binary file");
    let mut all = files(&input);
    all.remove("e.txt");
    assert_eq!(files(&out.join("kept")), all);
    dedup(&[&input], &folder.join("strict"), &["--strict"]).fails_with("not text");
}

/// A file and a folder of one name, and names that many file systems do not tell apart.
#[test]
fn no_survivor_takes_the_place_of_another() {
    let folder = folder("unreadable-names");
    let inputs: BTreeMap<&str, &str> = [
        ("1/a.txt", "a.txt"),
        ("2/a.txt/b.md", "a.txt~2/b.md"),
        ("2/a.txt/c.md", "a.txt~2/c.md"),
        ("3/A.TXT", "A~2.TXT"),
        ("4/d.txt/e.txt", "d.txt/e.txt"),
        ("5/d.txt", "d~2.txt"),
        ("6/D.txt/E.txt", "D.txt/E~2.txt"),
    ]
    .into();
    for (n, name) in inputs.keys().enumerate() {
        let path = folder.join("in").join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, format!("text {n} has words {n}{n} of its own {n}{n}{n}")).unwrap();
    }
    let folders: Vec<_> = (1..=6).map(|n| folder.join("in").join(n.to_string())).collect();
    let folders: Vec<&Path> = folders.iter().map(|folder| &**folder).collect();
    let out = folder.join("out");
    let run = dedup(&folders, &out, &[]);
    assert_eq!((run.code, &report(&out)["kept"]), (0, &7.into()), "{}", run.stderr);
    let kept = files(&out.join("kept"));
    for (name, mirror) in &inputs {
        let bytes = fs::read(folder.join("in").join(name)).unwrap();
        assert_eq!(kept.get(*mirror), Some(&bytes), "{name}");
    }
    assert_eq!(kept.len(), inputs.len());
}

/// As many open files as macOS allows.
#[cfg(unix)]
#[test]
fn few_open_files_are_enough() {
    let folder = folder("open-files");
    let input = folder.join("in");
    fs::create_dir_all(&input).unwrap();
    for (n, text) in texts(5, 1_500).iter().enumerate() {
        let mut file = File::create(input.join(format!("{n}.jsonl"))).unwrap();
        writeln!(file, "{{\"text\":\"{text} {n} {}\"}}", n * n).unwrap();
    }
    let out = folder.join("out");
    let command = format!(
        "ulimit -n 256; exec {} dedup {} --out {} --threads 8",
        env!("CARGO_BIN_EXE_lookalike"),
        input.display(),
        out.display()
    );
    Run::of(&Command::new("sh").args(["-c", &command]).output().unwrap()).succeeds();
    let kept = report(&out)["kept"].as_u64().unwrap() as usize;
    assert!(kept > 300, "{kept}");
    let whole = files(&out.join("kept")).into_values().filter(|bytes| !bytes.is_empty());
    assert_eq!(whole.count(), kept);
}
