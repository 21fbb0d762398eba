//! What is template is shown as such: `compare --learned`, `why`, and the report.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use crate::{folder, path, run};

/// A part of the frame.
fn part(name: &str) -> String {
    (0..20).map(|n| format!("{name}{n} ")).collect::<Vec<_>>().concat()
}

/// A page of a site, visited on some day.
fn page(site: &str, day: u32, content: &str) -> String {
    let (menu, foot) = (part(&format!("{site}menu")), part(&format!("{site}foot")));
    format!("{menu}updated on {day} may {content} {foot}")
}

/// The content of a page.
fn content(number: u32) -> String {
    let words: Vec<String> = (0..40).map(|n| format!("word{}", 1000 * number + n)).collect();
    words.join(" ")
}

/// The first page after some time, with one word replaced.
fn again(site: &str) -> String {
    page(site, 23, &content(0).replace("word20 ", "replaced "))
}

/// A finished run over some sites of forty pages each, the first of them twice, and a stub that is
/// nothing but the frame.
fn finished(folder: &Path, sites: &[&str]) -> String {
    let mut lines = String::new();
    for site in sites {
        let mut line = |id: &str, text: &str| {
            let url = format!("https://www.{site}.example/{id}");
            let line =
                serde_json::json!({ "id": format!("{site} {id}"), "url": url, "text": text });
            writeln!(lines, "{line}").unwrap();
        };
        for number in 0..40 {
            line(&number.to_string(), &page(site, 1 + number % 20, &content(number)));
        }
        line("again", &again(site));
        line("stub", &part(&format!("{site}menu")));
    }
    let (input, out) = (path(folder, "pages.jsonl"), path(folder, "run"));
    fs::write(&input, lines).unwrap();
    run(&["dedup", &input, "--recipe", "sites", "--out", &out]).succeeds();
    out
}

#[test]
fn why_and_the_report_mark_what_differs_beside_the_template() {
    let folder = folder("templates-why");
    let out = finished(&folder, &["shop"]);
    let why = run(&["why", &out, "shop again", "--diff", "always"]).succeeds();
    why.shows("distinctive shingles of both");
    why.shows("[-replaced-] {+word20+}");
    // The day changed as well, but that is template.
    why.shows("[-1 word deleted-], {+1 word inserted+} in 1 place");

    let stub = run(&["why", &out, "shop stub"]);
    assert_eq!(stub.code, 1);
    stub.shows("`shop stub` has no look-alike in this run");

    let report = fs::read_to_string(Path::new(&out).join("report.html")).unwrap();
    assert!(report.contains("<del>word20</del> <ins>replaced</ins>"), "the difference is marked");
    assert!(report.contains("<span class=\"template\">Grey</span> is left out"));
    assert!(!report.contains("<ins>23</ins>"), "the day is template");
}

#[test]
fn documents_are_compared_without_their_template() {
    let folder = folder("templates-compare");
    let out = finished(&folder, &["shop"]);
    let write = |name: &str, text: &str| {
        let file = path(&folder, name);
        fs::write(&file, text).unwrap();
        file
    };
    let first = write("first.txt", &page("shop", 1, &content(0)));
    let again = write("again.txt", &again("shop"));
    let other = write("other.txt", &page("shop", 1, &content(1)));
    let stub = write("stub.txt", &part("shopmenu"));
    let templates = ["--learned", &out, "--diff", "always"];
    let compare = |a: &str, b: &str| run(&[&["compare", a, b][..], &templates].concat());

    let same = compare(&first, &again);
    assert!(same.stdout.starts_with("near-duplicates: "), "{}{}", same.stdout, same.stderr);
    same.shows("[-word20-] {+replaced+}");
    same.shows("of which 44 are left out");
    assert!(compare(&first, &other).stdout.starts_with("not near-duplicates: resemblance 0.0000"));
    // What is nothing but the frame is compared as it stands.
    let none = compare(&first, &stub);
    assert!(none.stdout.starts_with("not near-duplicates: resemblance 0.0000"), "{}", none.stdout);

    // The page that a run removed resembles its keeper as the run says.
    let json = run(&["compare", &first, &again, "--learned", &out, "--json"]).json();
    let why = run(&["why", &out, "shop again", "--json"]).json();
    let told = [&json["resemblance"], &why["documents"][0]["resemblance"]];
    let [here, there] = told.map(|value| value.as_f64().unwrap());
    assert!((here - there).abs() < 1e-6 && here > 0.7, "{here} {there}");
    assert_eq!(json["template_tokens_a"], 44);
}

/// Records are compared by their ids, each without the template of its own site.
#[test]
fn records_are_compared_by_their_ids() {
    let folder = folder("templates-of");
    let out = finished(&folder, &["shop", "news"]);
    let input = path(&folder, "pages.jsonl");
    let compare = |a: &str, b: &str, more: &[&str]| {
        run(&[&["compare", a, b, "--of", &input][..], more].concat())
    };
    let learned = compare("shop 0", "shop again", &["--learned", &out, "--json"]).json();
    let why = run(&["why", &out, "shop again", "--json"]).json();
    let told = [&learned["resemblance"], &why["documents"][0]["resemblance"]];
    let [here, there] = told.map(|value| value.as_f64().unwrap());
    assert!((here - there).abs() < 1e-6 && here > 0.7, "{here} {there}");
    let across = compare("shop 0", "news 0", &["--learned", &out]);
    assert!(across.stdout.starts_with("near-duplicates: "), "one content in two frames");
    let whole = compare("shop 0", "news 0", &[]);
    assert!(whole.stdout.starts_with("not near-duplicates: "), "{}", whole.stdout);
    compare("shop 0", "shop 1000", &[]).fails_with("no document has the id `shop 1000`");
}

/// What an evaluation has learned is left for `compare`, which then says the same of a pair.
#[test]
fn pairs_of_an_evaluation_are_compared_by_what_it_has_learned() {
    let folder = folder("templates-eval");
    let out = finished(&folder, &["shop", "news"]);
    let (input, labels) = (path(&folder, "pages.jsonl"), path(&folder, "labels.jsonl"));
    let label = r#"{"a": "shop 0", "b": "shop again", "label": "incorrect"}"#;
    fs::write(&labels, label).unwrap();
    let evaluated = path(&folder, "evaluation");
    let eval = ["eval", "--documents", &input, "--labels", &labels, "--out", &evaluated];
    run(&[&eval[..], &["--recipes", "text,sites"]].concat()).succeeds();

    let page = fs::read_to_string(Path::new(&evaluated).join("eval.html")).unwrap();
    let learned = path(Path::new(&evaluated), "learned/2");
    assert!(page.contains(&format!("lookalike compare --learned {learned} --of {input} ")));
    assert!(!Path::new(&evaluated).join("learned/1").exists(), "`text` learns nothing");
    let compare = ["compare", "--learned", &learned, "--of", &input, "shop 0", "shop again"];
    let compared = run(&[&compare[..], &["--json"]].concat()).json();
    let why = run(&["why", &out, "shop again", "--json"]).json();
    let told = [&compared["resemblance"], &why["documents"][0]["resemblance"]];
    let [here, there] = told.map(|value| value.as_f64().unwrap());
    assert!((here - there).abs() < 1e-6 && here > 0.7, "{here} {there}");
}

/// Of a site that was not in the run, or had too few pages, nothing was learned.
#[test]
fn records_of_a_site_without_a_template_have_none() {
    let folder = folder("templates-none");
    let out = finished(&folder, &["shop"]);
    let line = |id: &str, day| {
        let (url, text) =
            (format!("https://www.other.example/{id}"), page("shop", day, "few words"));
        serde_json::json!({ "id": id, "url": url, "text": text }).to_string()
    };
    let input = path(&folder, "other.jsonl");
    fs::write(&input, line("a", 1) + "\n" + &line("b", 2)).unwrap();
    let compare = ["compare", "a", "b", "--of", &input, "--learned", &out, "--json"];
    assert_eq!(run(&compare).json()["template_tokens_a"], 0);
}

#[test]
fn the_template_of_which_group_must_be_clear() {
    let folder = folder("templates-group");
    let out = finished(&folder, &["shop", "news"]);
    let (first, again_) = (path(&folder, "first.txt"), path(&folder, "again.txt"));
    fs::write(&first, page("news", 1, &content(0))).unwrap();
    fs::write(&again_, again("news")).unwrap();
    let file = path(Path::new(&out), "documents.templates");
    let compare = |more: &[&str]| {
        run(&[&["compare", &first, &again_, "--learned", &file][..], more].concat())
    };
    let unclear = compare(&[]);
    assert_eq!(unclear.code, 2);
    unclear.says("has the templates of 2 groups");
    for group in ["news.example", "https://www.news.example/1"] {
        let found = compare(&["--group", group]);
        assert!(found.stdout.starts_with("near-duplicates: "), "{}{}", found.stdout, found.stderr);
    }
    let unknown = compare(&["--group", "other.example"]);
    unknown.says("has no template of `other.example`");
    let recipe = compare(&["--group", "news.example", "--recipe", "text"]);
    recipe.says("the recipe `text` has no templates");
    let needs = run(&["compare", &first, &again_, "--group", "news.example"]);
    assert_eq!(needs.code, 2);
}
