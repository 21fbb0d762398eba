//! Web pages, through every command that reads documents.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::{files, folder, path, run, run_with_input};

/// So many words, of which one is this.
fn words(number: usize, changed: &str) -> String {
    let words = (0..number).map(|n| match n {
        50 => changed.to_owned(),
        n => format!("w<b>o</b>rd{}", n * n % 997),
    });
    words.collect::<Vec<_>>().join(" ")
}

/// A page whose bytes differ much more from those of another than what is seen of it.
fn page(noise: usize, changed: &str) -> String {
    let noise = format!("n{noise} ").repeat(300);
    format!(
        "<!DOCTYPE html><meta charset=utf-8><title>News</title><script>{noise}</script>\
         <div hidden>{noise}</div><!-- {noise} --><img src='/{}/logo.png'>\
         <p data-noise='{noise}'>{}</p>",
        noise.len(),
        words(200, changed)
    )
}

fn report(folder: &Path, inputs: &[&str]) -> Value {
    let out = path(folder, "out");
    run(&[&["dedup"], inputs, &["--out", &out]].concat()).succeeds();
    crate::report(&folder.join("out"))
}

#[test]
fn files_are_compared_by_what_visitors_see() {
    let folder = folder("pages");
    fs::create_dir(folder.join("in")).unwrap();
    fs::write(folder.join("in/a.html"), page(1, "monday")).unwrap();
    fs::write(folder.join("in/b.htm"), page(22, "monday")).unwrap();
    fs::write(folder.join("in/c.html"), page(333, "tuesday")).unwrap();
    fs::write(folder.join("in/d.html"), "<p>Something else altogether.").unwrap();
    let report = report(&folder, &[&path(&folder, "in")]);
    assert_eq!(report["documents"], 4);
    assert_eq!((&report["exact_removed"], &report["near_removed"]), (&json!(1), &json!(1)));

    let kept = files(&folder.join("out/kept"));
    assert_eq!(kept.len(), 2, "{:?}", kept.keys());
    for (name, content) in kept {
        assert_eq!(fs::read(folder.join("in").join(name)).unwrap(), content);
    }
    let html = fs::read_to_string(folder.join("out/report.html")).unwrap();
    assert!(html.contains("monday") && html.contains("tuesday") && !html.contains("n22"));

    let (out, id) = (path(&folder, "out"), path(&folder, "in/c.html"));
    let why = run(&["why", &out, &id, "--diff", "always"]).succeeds();
    why.shows("[-tuesday-] {+monday+}");
}

#[test]
fn compare_shows_the_difference_of_what_is_seen() {
    let folder = folder("pages-compare");
    fs::write(folder.join("a.html"), page(1, "monday")).unwrap();
    fs::write(folder.join("b.html"), page(2, "<i>tues</i>day")).unwrap();
    let [a, b] = ["a.html", "b.html"].map(|name| path(&folder, name));
    let compared = run(&["compare", &a, &b, "--diff", "always"]);
    assert!(compared.stdout.starts_with("near-duplicates"), "{}", compared.stdout);
    compared.shows("[-monday-] {+tuesday+}");
    let json = run(&["compare", &a, &b, "--json"]).json();
    assert_eq!(json["term_difference"], 2);
    assert_eq!(run(&["compare", &a, &a, "--json"]).json()["same_tokens"], true);
}

#[test]
fn records_are_their_pages_and_urls_tell_own_pictures() {
    let folder = folder("pages-records");
    let line = |id: &str, host: &str, picture: &str| {
        let html = format!("<img src='http://{picture}/x.png'><p>{}", words(200, "w"));
        json!({ "id": id, "body": html, "address": format!("http://{host}/") }).to_string() + "\n"
    };
    let lines = [
        line("original", "a.example", "a.example"),
        line("mirror", "b.example", "b.example"),
        line("other", "c.example", "a.example"),
    ];
    fs::write(folder.join("a.jsonl"), lines.concat()).unwrap();
    let input = path(&folder, "a.jsonl");
    let fields = ["--html-field", "body", "--url-field", "address", "--exact-only"];
    let report = report(&folder, &[&[&*input], &fields[..]].concat());
    // The page on another host than its picture has another token for it.
    assert_eq!((&report["documents"], &report["exact_removed"]), (&json!(3), &json!(1)));
    assert_eq!(report["kept"], 2);

    run(&["sketch", &input, "-o", &path(&folder, "no")]).fails_with_skips(3);
}

impl crate::Run {
    /// So many documents were skipped, since the fields have other names.
    fn fails_with_skips(&self, count: usize) {
        assert_eq!(self.code, 3, "{}", self.stderr);
        self.says(&format!("{count} skipped"));
        self.says("field `text` is missing, and so is `html`");
    }
}

#[test]
fn references_and_inputs_may_be_pages() {
    let folder = folder("pages-against");
    fs::create_dir(folder.join("in")).unwrap();
    fs::write(folder.join("reference.txt"), words(200, "x").replace("<b>o</b>", "o")).unwrap();
    let copy = format!("<style>no</style><p>{}</p><p>{}</p>", words(200, "x"), "more ".repeat(9));
    fs::write(folder.join("in/a.html"), copy).unwrap();
    fs::write(folder.join("in/b.html"), "<p>nothing of it at all").unwrap();
    let [reference, input] = ["reference.txt", "in"].map(|name| path(&folder, name));
    let found = run(&["against", &reference, "--input", &input, "--containment", "0.9", "--json"])
        .succeeds();
    assert!(
        found.stdout.contains("a.html") && !found.stdout.contains("b.html"),
        "{}",
        found.stdout
    );
}

#[test]
fn standard_input_is_a_page_if_it_looks_like_one() {
    let folder = folder("pages-stdin");
    fs::write(folder.join("a.txt"), "a rose is a rose is a rose").unwrap();
    let text = path(&folder, "a.txt");
    let same = |html: &str| {
        let compared = run_with_input(&["compare", &text, "-", "--json"], html.as_bytes());
        compared.json()["same_tokens"].clone()
    };
    assert_eq!(same("<!doctype html><p>a <b>r</b>ose is a rose<br>is a rose"), true);
    assert_eq!(same("a <b>rose</b> is a rose is a rose"), false);
}
