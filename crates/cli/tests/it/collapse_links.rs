//! `lookalike collapse-links`.

use std::fs;
use std::path::Path;

use crate::{folder, path, run};

const PAGES: &str = "examples/pages/documents.jsonl";
const LINKS: &str = "examples/pages/links.csv";

#[test]
fn links_of_look_alikes_become_one() {
    let folder = folder("collapse-links");
    let out = path(&folder, "out");
    assert_eq!(run(&["dedup", PAGES, "--out", &out, "--quiet"]).code, 0);
    let all = run(&["collapse-links", LINKS, "--run", &out, "--by", "url"]);
    assert_eq!(all.code, 0, "{}", all.stderr);
    let links: Vec<serde_json::Value> =
        all.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    // Each is told once, and together they are all that were not left out.
    let names = |link: &serde_json::Value| (link["source"].to_string(), link["target"].to_string());
    let mut different: Vec<_> = links.iter().map(names).collect();
    different.sort_unstable();
    different.dedup();
    assert_eq!(different.len(), links.len());
    assert!(!all.stdout.contains("elsewhere"), "{}", all.stdout);
    // Reports of two sites, and what links to them.
    let link = |from: &str, to: &str| {
        let found = links.iter().find(|link| link["source"] == from && link["target"] == to);
        found.map_or(0, |link| link["links"].as_u64().unwrap())
    };
    assert_eq!(link("http://www.news.example/1.html", "http://www.news.example/0.html"), 2);
    assert_eq!(link("http://www.news.example/7.html", "http://www.news.example/6.html"), 1);
    assert_eq!(link("http://docs.manual.example/1/0", "http://www.news.example/0.html"), 2);

    let file = path(&folder, "links.parquet");
    let told =
        run(&["collapse-links", LINKS, "--run", &out, "--by", "url", "--out", &file, "--json"]);
    let counts = told.json();
    assert_eq!(counts["written"], links.len());
    assert_eq!(counts["unknown"], 1);

    // Between two that became one, and from one to itself: neither is a link any more.
    let more = path(&folder, "more.csv");
    fs::write(
        &more,
        "source,target\n\
         http://www.news.example/0.html,http://www.press.example/0.html\n\
         http://www.news.example/1.html,http://www.news.example/1.html\n\
         http://www.press.example/1.html,http://www.news.example/0.html\n",
    )
    .unwrap();
    let within = run(&["collapse-links", &more, "--run", &out, "--by", "url"]);
    assert_eq!(
        within.stdout,
        "{\"source\":\"http://www.news.example/1.html\",\"target\":\"http://www.news.example/0.html\",\"links\":1}\n"
    );
    within.says("1 link of 3 left; 2 within a cluster or from a document to itself");
    let all_links: u64 = links.iter().map(|link| link["links"].as_u64().unwrap()).sum();
    let sum = ["unknown", "within"].iter().map(|name| counts[name].as_u64().unwrap()).sum::<u64>();
    assert_eq!(counts["edges"], all_links + sum);
    assert!(
        told.stderr.contains("1 link with an end that the run does not know"),
        "{}",
        told.stderr
    );
    assert!(fs::read(&file).unwrap().starts_with(b"PAR1"));
}

#[test]
fn what_cannot_be_done_is_said() {
    let folder = folder("collapse-links-faults");
    let out = path(&folder, "out");
    assert_eq!(run(&["dedup", PAGES, "--out", &out, "--quiet"]).code, 0);
    let json = run(&["collapse-links", LINKS, "--run", &out, "--json"]);
    assert_eq!(json.code, 2);
    assert!(json.stderr.contains("--json needs --out FILE"), "{}", json.stderr);
    // By ids none of them is known.
    let none = run(&["collapse-links", LINKS, "--run", &out]);
    assert_eq!((none.code, none.stdout.as_str()), (1, ""));
    let fields = run(&["collapse-links", LINKS, "--run", &out, "--from-field", "von"]);
    assert_eq!(fields.code, 2);
    assert!(fields.stderr.contains("--from-field"), "{}", fields.stderr);
    let nothing = run(&["collapse-links", LINKS, "--run", path(&folder, "other").as_str()]);
    assert_eq!(nothing.code, 2);
    assert!(!Path::new(&path(&folder, "other")).exists());
}
