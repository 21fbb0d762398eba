//! Inputs whose texts are in a field that nobody named.

use std::fs;

use lookalike_engine::ErrorKind;

use crate::dedup::{files, folder, job, run};

#[test]
fn a_job_without_any_text_stops_and_says_which_fields_there_are() {
    let folder = folder("wrong-field");
    let body = "{\"id\": 1, \"body\": \"some words\"}\n";
    for (name, content) in
        [("few.jsonl", body.repeat(3)), ("table.csv", "id,body\n1,some words\n".to_owned())]
    {
        let input = folder.join(name);
        fs::write(&input, content).unwrap();
        let out = folder.join("out");
        for error in [job(&input).run(&out).unwrap_err(), job(&input).plan().unwrap_err()] {
            assert!(matches!(error.kind(), ErrorKind::NoTexts { .. }), "{error}");
            let message = error.to_string();
            assert!(message.contains("it has `id`, `body`\nhint: name the field"), "{message}");
        }
        assert!(!files(&out).keys().any(|name| name.starts_with("kept/")));
        fs::remove_dir_all(&out).unwrap();
    }
}

/// The first thousand decide: nobody waits for the end of a large file.
#[test]
fn a_large_input_is_not_read_to_its_end() {
    let folder = folder("wrong-field-large");
    let input = folder.join("in.jsonl");
    fs::write(&input, "{\"id\": 1, \"body\": \"some words\"}\n".repeat(2_000_000)).unwrap();
    let error = job(&input).run(folder.join("out")).unwrap_err();
    let ErrorKind::NoTexts { count, .. } = error.kind() else { panic!("{error}") };
    assert!((1000..1_000_000).contains(count), "{count}");
}

#[test]
fn one_text_is_enough_to_go_on() {
    let folder = folder("one-text");
    let input = folder.join("in.jsonl");
    let others = "{\"body\": \"some words\"}\n".repeat(900);
    fs::write(&input, format!("{others}{{\"text\": \"some words\"}}\n{others}")).unwrap();
    let report = run(&job(&input), &folder.join("out"));
    assert_eq!((report.documents, report.skipped), (1, 1800));
    // Records without any field are no sign of a wrong one.
    fs::write(&input, "{}\n".repeat(5000)).unwrap();
    let report = run(&job(&input), &folder.join("out"));
    assert_eq!((report.documents, report.skipped), (0, 5000));
}
