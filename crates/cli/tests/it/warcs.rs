//! Web archives, through every command that reads documents.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::{folder, path, report, run, run_with_input};

fn record(kind: &str, id: &str, day: u32, content_type: &str, block: &str) -> String {
    format!(
        "WARC/1.1\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:{id}>\r\n\
         WARC-Date: 2026-01-{day:02}T00:00:00Z\r\nWARC-Target-URI: http://a.example/{id}\r\n\
         Content-Type: {content_type}\r\nContent-Length: {}\r\n\r\n{block}\r\n\r\n",
        block.len()
    )
}

fn response(id: &str, day: u32, head: &str, body: &str) -> String {
    record("response", id, day, "application/http", &format!("HTTP/1.1 {head}\r\n\r\n{body}"))
}

fn words(changed: &str) -> String {
    let mut words = String::new();
    for n in 0..200 {
        let _ = write!(words, "word{} ", n * n % 997);
    }
    words.replacen("word49 ", &format!("{changed} "), 1)
}

/// Three pages that are nearly the same, a text that is another, and what else crawls have.
fn archive() -> Vec<String> {
    let html = "200 OK\r\nContent-Type: text/html";
    vec![
        record("warcinfo", "info", 1, "application/warc-fields", "software: none\r\n"),
        record("request", "r", 1, "application/http", "GET / HTTP/1.1\r\n\r\n"),
        response("a", 2, html, &format!("<p>{}", words("monday"))),
        response("b", 3, html, &format!("<p>{}", words("tuesday"))),
        response("c", 1, html, &format!("<p><i>{}", words("tuesday"))),
        response("d", 1, "404 Not Found\r\nContent-Type: text/html", "gone"),
        response("e", 1, "200 OK\r\nContent-Type: image/png", "png"),
        record("conversion", "f", 1, "text/plain", "Something else altogether."),
    ]
}

fn dedup(folder: &Path, more: &[&str]) -> Value {
    let (input, out) = (path(folder, "a.warc"), path(folder, "out"));
    let _ = fs::remove_dir_all(&out);
    let run = run(&[&["dedup", &input, "--out", &out], more].concat()).succeeds();
    run.shows("passed over");
    run.shows("1 image/png, 1 status 404");
    report(&folder.join("out"))
}

#[test]
fn archives_lose_their_near_duplicates_and_nothing_else() {
    let folder = folder("warc");
    let records = archive();
    fs::write(folder.join("a.warc"), records.concat()).unwrap();
    for (more, stays) in [(&[][..], 2), (&["--keep", "newest:warc-DATE"], 3)] {
        let report = dedup(&folder, more);
        assert_eq!((&report["documents"], &report["skipped"]), (&json!(4), &json!(0)));
        assert_eq!(report["kept"], 2);
        let passed_over = json!({
            "type warcinfo": 1, "type request": 1, "status 404": 1, "image/png": 1,
        });
        assert_eq!(report["passed_over"], passed_over);
        let html = fs::read_to_string(folder.join("out/report.html")).unwrap();
        assert!(html.contains("status 404"));
        // The URL, beside an id that nobody knows.
        let cluster = &report["largest_clusters"][0];
        let keeper = if stays == 2 { "a" } else { "b" };
        assert_eq!(cluster["keeper_url"], format!("http://a.example/{keeper}"));
        let members = cluster["members"].as_array().unwrap();
        assert!(members.iter().any(|member| member["url"] == "http://a.example/c"), "{cluster}");
        for page in ["a", "b", "c"] {
            assert!(html.contains(&format!("http://a.example/{page}<")), "{page}");
        }
        let expected: Vec<&str> = records
            .iter()
            .enumerate()
            .filter(|(i, _)| !(2..=4).contains(i) || *i == stays)
            .map(|(_, record)| &**record)
            .collect();
        let kept = fs::read_to_string(folder.join("out/kept/a.warc")).unwrap();
        assert_eq!(kept, expected.concat());
    }

    let out = path(&folder, "out");
    let why = run(&["why", &out, "<urn:a>", "--diff", "always"]).succeeds();
    why.shows("[-monday-] {+tuesday+}");
    // People know a page by its URL.
    why.shows("http://a.example/a (");
    let by_url = run(&["why", &out, "http://a.example/a", "--diff", "always"]).succeeds();
    assert_eq!(by_url.stdout, why.stdout);
    let json = run(&["why", &out, "http://a.example/a", "--json"]).json();
    assert_eq!(json["documents"][0]["url"], "http://a.example/a");
    // And an archivist by where it is.
    let archive = records.concat();
    let places = [&json["documents"][0], &json["documents"][0]["keeper"]];
    for (place, record) in places.into_iter().zip([&records[2], &records[3]]) {
        let offset = place["offset"].as_u64().unwrap();
        assert!(archive[offset as usize..].starts_with(record.as_str()), "{place}");
        why.shows(&format!(", byte {offset})"));
    }
    run(&["why", &out, "http://a.example/none"]).fails_with("had no document");
    let again = path(&folder, "again");
    let decided = run(&["decide", &out, "--threshold", "0.99", "--out", &again, "--json"]);
    assert_eq!((decided.code, &decided.json()["kept"]), (0, &json!(3)), "{}", decided.stderr);
}

#[test]
fn other_commands_read_archives_too() {
    let folder = folder("warc-commands");
    let bytes = archive().concat();
    fs::write(folder.join("a.warc"), &bytes).unwrap();
    let input = path(&folder, "a.warc");

    let signatures = path(&folder, "a.signatures");
    let sketch = run(&["sketch", &input, "-o", &signatures]);
    let said = "4 documents (0 empty), 0 skipped, 4 records that are not documents (1 image/png, ";
    assert!(sketch.code == 0 && sketch.stderr.contains(said), "{}", sketch.stderr);

    fs::write(folder.join("reference.txt"), words("monday")).unwrap();
    let reference = path(&folder, "reference.txt");
    let against = run(&["against", &reference, "--input", &input]).succeeds();
    against.shows("<urn:a>");

    fs::write(
        folder.join("labels.jsonl"),
        "{\"a\":\"<urn:a>\",\"b\":\"<urn:b>\",\"label\":\"correct\"}\n",
    )
    .unwrap();
    let (labels, out) = (path(&folder, "labels.jsonl"), path(&folder, "eval"));
    run(&["eval", "--documents", &input, "--labels", &labels, "--out", &out]).succeeds();

    let out = path(&folder, "stdin");
    let piped = run_with_input(&["dedup", "-", "--out", &out, "--json"], bytes.as_bytes());
    assert_eq!((piped.code, &piped.json()["documents"]), (0, &json!(4)), "{}", piped.stderr);
    assert!(folder.join("stdin/kept/stdin.warc").exists());
}

#[test]
fn bad_records_are_skipped_and_named() {
    let folder = folder("warc-bad");
    let mut records = archive();
    let gzip = "200 OK\r\nContent-Type: text/html\r\nContent-Encoding: gzip";
    records.insert(3, response("bad", 1, gzip, "\u{1f}\u{8b}"));
    records[2] = records[2].replacen("Content-Length: ", "Content-Length: 1", 1);
    fs::write(folder.join("a.warc"), records.concat()).unwrap();
    let (input, out) = (path(&folder, "a.warc"), path(&folder, "out"));
    let run = run(&["dedup", &input, "--out", &out, "--json"]);
    assert_eq!(run.code, 3, "{}", run.stderr);
    let place = records[0].len() + records[1].len();
    let said = format!("a.warc` record 3 at byte {place}: has a Content-Length of 1");
    assert!(run.stderr.contains(&said), "{}", run.stderr);
    assert_eq!(
        (&run.json()["documents"], &run.json()["passed_over"]["type request"]),
        (&json!(4), &json!(1))
    );
}
