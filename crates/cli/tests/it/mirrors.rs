//! `lookalike mirrors`, and what reports say of sites and mirrors.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::{folder, path, report, run};

/// Words that are those of no other text.
fn words(text: &str, count: usize) -> String {
    (0..count).map(|n| format!("{text}{n}")).collect::<Vec<_>>().join(" ") + " "
}

/// A small web: three hosts with the same pages, one with four of these ten, a home page with two
/// addresses, and two shops of one template at the same paths.
fn pages() -> Vec<(String, String)> {
    let mut pages = Vec::new();
    for page in 0..10 {
        let text = words(&format!("page{page}w"), 200);
        let rest = if page == 0 { String::new() } else { format!("docs/{page}.html") };
        pages.push((format!("http://a.example/{rest}"), text.clone()));
        // A word differs, as the name of the mirror would.
        pages.push((format!("https://www.a.example:443/{rest}"), format!("{text} mirrored")));
        pages.push((format!("http://b.example/{rest}#top"), text.clone()));
        let half = if page < 4 { text.clone() } else { words(&format!("half{page}w"), 200) };
        pages.push((format!("http://half.example/{rest}"), half));
        let home = words(&format!("home{page}w"), 150);
        let index = if page == 0 { "index.html".to_owned() } else { format!("{page}/") };
        pages.push((format!("http://c.example/~pugh/{index}"), home.clone()));
        pages.push((format!("http://c.example/users/pugh/{}", rest_of(page)), home));
        for shop in ["one", "two"] {
            let text = words("template", 100) + &words(&format!("{shop}{page}w"), 100);
            pages.push((format!("http://{shop}.example/product/{page}"), text));
        }
    }
    pages
}

fn rest_of(page: usize) -> String {
    if page == 0 { String::new() } else { format!("{page}/") }
}

fn write(path: &Path, pages: &[(String, String)], more: &str) {
    let lines = pages.iter().map(|(url, text)| json!({"url": url, "text": text}).to_string());
    let lines: String = lines.map(|line| line + "\n").collect();
    fs::write(path, lines + more).unwrap();
}

fn web(name: &str, more: &str) -> (std::path::PathBuf, String) {
    let folder = folder(name);
    let file = path(&folder, "web.jsonl");
    write(Path::new(&file), &pages(), more);
    (folder, file)
}

fn roots(found: &Value) -> BTreeSet<(String, String, String)> {
    let text = |value: &Value| value.as_str().unwrap().to_owned();
    let mirrors = found["mirrors"].as_array().unwrap();
    mirrors.iter().map(|m| (text(&m["a"]), text(&m["b"]), text(&m["kind"]))).collect()
}

fn expected(pairs: &[[&str; 2]], kind: &str) -> BTreeSet<(String, String, String)> {
    pairs.iter().map(|[a, b]| ((*a).to_owned(), (*b).to_owned(), kind.to_owned())).collect()
}

const HOSTS: [[&str; 2]; 3] = [
    ["a.example/", "b.example/"],
    ["a.example/", "www.a.example/"],
    ["b.example/", "www.a.example/"],
];
const HOME: [&str; 2] = ["c.example/users/pugh/", "c.example/~pugh/"];

#[test]
fn mirrors_of_a_small_web() {
    let (_, file) = web("mirrors", "");
    let found = run(&["mirrors", &file, "--json"]).succeeds();
    let found = found.json();
    let mut all = expected(&HOSTS, "host");
    all.append(&mut expected(&[HOME], "prefix"));
    assert_eq!(roots(&found), all);
    assert_eq!((&found["found"], &found["without_url"]), (&json!(4), &json!(0)));
    for mirror in found["mirrors"].as_array().unwrap() {
        for key in ["pages_a", "pages_b", "matched"] {
            assert_eq!(mirror[key], 10, "{mirror}");
        }
        assert_eq!((&mirror["share_a"], &mirror["share_b"]), (&json!(1.0), &json!(1.0)));
        assert_eq!(mirror["examples"].as_array().unwrap().len(), 3);
    }
    let first = &found["mirrors"][0]["examples"][0];
    assert_eq!(first, &json!(["http://a.example/", "https://www.a.example:443/", first[2]]));
    assert!(first[2].as_f64().is_some_and(|r| r > 0.9 && r < 1.0), "{first}");

    let low = run(&["mirrors", &file, "--min-share", "0.4", "--json"]).json();
    let half = ["a.example/", "b.example/"].map(|host| [host, "half.example/"]);
    all.append(&mut expected(&half, "host"));
    all.append(&mut expected(&[["half.example/", "www.a.example/"]], "host"));
    assert_eq!(roots(&low), all);
    let partial = low["mirrors"].as_array().unwrap().last().unwrap();
    assert_eq!((&partial["matched"], &partial["share_a"]), (&json!(4), &json!(0.4)));
}

#[test]
fn the_table_names_roots_and_a_page() {
    let (_, file) = web("mirrors-table", "");
    let found = run(&["mirrors", &file, "--limit", "1"]);
    let lines: Vec<&str> = found.stdout.lines().collect();
    let expected = [
        "alike  of A         of B         A, B, and a page of A",
        "   10    10  100 %    10  100 %  a.example/",
        "                                 www.a.example/",
        "                                 http://a.example/",
    ];
    assert_eq!(lines, expected);
    found.says("4 mirrors found in 80 documents");
    found.says("3 not named (--limit)");
}

#[test]
fn exit_codes_say_what_came_out() {
    let (folder, file) = web("mirrors-exit", "");
    assert_eq!(run(&["mirrors", &file, "--min-pages", "11"]).code, 1);
    let none = run(&["mirrors", &file, "--min-pages", "11", "--json"]).json();
    assert_eq!((&none["found"], &none["mirrors"]), (&json!(0), &json!([])));
    let (_, broken) = web("mirrors-broken", "{\"url\": 7}\nno JSON\n");
    let skipped = run(&["mirrors", &broken, "--json"]);
    assert_eq!((skipped.code, &skipped.json()["skipped"]), (3, &json!(2)));
    assert_eq!(run(&["mirrors", &broken, "--strict"]).code, 2);
    run(&["mirrors", &path(&folder, "nowhere")]).fails_with("nowhere");
    run(&["mirrors", &file, "--min-share", "0"]).fails_with("must be above 0 and at most 1");
    // Documents that nobody knows the address of.
    let texts = run(&["mirrors", "examples/letters"]);
    assert_eq!((texts.code, texts.stdout.as_str()), (1, ""));
    texts.says("8 documents without a URL");
    let other = run(&["mirrors", &file, "--url-field", "address", "--json"]).json();
    assert_eq!(other["without_url"], 80);
}

#[test]
fn no_result_depends_on_threads_memory_or_the_order_of_files() {
    let (folder, file) = web("mirrors-same", "");
    let all = pages();
    for (name, part) in [("z.jsonl", &all[..30]), ("a.jsonl", &all[30..])] {
        write(&folder.join(name), part, "");
    }
    fs::remove_file(&file).unwrap();
    let files = [path(&folder, "a.jsonl"), path(&folder, "z.jsonl")];
    let found = |arguments: &[&str]| {
        let mut found = run(&[&["mirrors", "--json"], arguments].concat()).json();
        for key in ["seconds", "peak_memory_bytes"] {
            found[key] = json!(0);
        }
        found
    };
    let one = found(&[&files[0], &files[1], "--threads", "1"]);
    assert_eq!(one["found"], 4);
    assert_eq!(found(&[&files[1], &files[0], "--threads", "4", "--memory", "128MiB"]), one);
    let temp = path(&folder, "temp");
    fs::create_dir(&temp).unwrap();
    assert_eq!(found(&[&files[0], &files[1], "--temp", &temp]), one);
    assert_eq!(fs::read_dir(&temp).unwrap().count(), 0, "nothing is left");
}

/// Copies beyond the limit, and pages of one name beyond it: counted, and mirrors are found.
#[test]
fn large_groups_are_limited_and_said() {
    let folder = folder("mirrors-large");
    let file = path(&folder, "web.jsonl");
    let mut pages: Vec<(String, String)> = (0..100)
        .map(|host| (format!("http://h{host}.example/robots.html"), words("moved", 50)))
        .collect();
    for host in ["x", "y"] {
        let page = |n| (format!("http://{host}.example/p{n}"), words(&format!("own{n}w"), 80));
        pages.extend((0..5).map(page));
    }
    write(Path::new(&file), &pages, "");
    let found = run(&["mirrors", &file, "--json"]).json();
    assert_eq!(roots(&found), expected(&[["x.example/", "y.example/"]], "host"));
    assert!(found["limited_groups"].as_u64().unwrap() > 0, "{found}");
}

#[test]
fn the_report_of_a_web_has_sites_and_mirrors() {
    let (folder, file) = web("mirrors-report", "{\"text\": \"page0w1 page0w2\"}\n");
    let out = path(&folder, "out");
    assert_eq!(run(&["dedup", &file, "--out", &out, "--pairs", "all"]).code, 0);
    let whole = report(&folder.join("out"));
    let sites = &whole["sites"];
    // By Henzinger's rule www.a.example and a.example are one.
    assert_eq!((&sites["rule"], &sites["sites"]), (&json!("label"), &json!(6)));
    assert_eq!(sites["documents"], 80);
    let pairs = |key: &str| sites[key].as_u64().unwrap();
    assert_eq!(pairs("pairs_within") + pairs("pairs_across"), whole["pairs"].as_u64().unwrap());
    let removed = |site: &Value| site["removed"].as_u64().unwrap();
    let most = sites["most_removed"].as_array().unwrap();
    assert_eq!(
        most.iter().map(removed).sum::<u64>(),
        whole["near_removed"].as_u64().unwrap() + whole["exact_removed"].as_u64().unwrap()
    );
    assert!(most.is_sorted_by(|a, b| removed(a) >= removed(b)));
    let b = most.iter().find(|site| site["name"] == "b.example").unwrap();
    assert_eq!(b, &json!({"name": "b.example", "documents": 10, "removed": 10, "share": 1.0}));
    let mut all = expected(&HOSTS, "host");
    all.append(&mut expected(&[HOME], "prefix"));
    assert_eq!(roots(sites), all);
    assert_eq!(sites["mirrors_found"], 4);
    let page = fs::read_to_string(folder.join("out/report.html")).unwrap();
    for part in ["Sites and mirrors", "www.a.example/", "c.example/~pugh/", "in the pairs of this"]
    {
        assert!(page.contains(part), "{part}");
    }

    // Another decision from the same pairs has the same sites.
    let decided = path(&folder, "decided");
    assert_eq!(run(&["decide", &out, "--out", &decided, "--keep", "longest"]).code, 0);
    let again = report(&folder.join("decided"));
    assert_eq!(again["sites"]["mirrors_found"], 4);
    assert_eq!(again["sites"]["documents"], 80);

    // With fewer pairs there may be fewer mirrors, and the page says so.
    let needed = path(&folder, "needed");
    let arguments = ["dedup", &file, "--out", &needed, "--sites", "public-suffix"];
    assert_eq!(run(&arguments).code, 0);
    let sites = &report(&folder.join("needed"))["sites"];
    assert_eq!((&sites["rule"], &sites["sites"]), (&json!("public-suffix"), &json!(6)));
    let page = fs::read_to_string(folder.join("needed/report.html")).unwrap();
    assert!(page.contains("only in the pairs that this decision needed"));
    // And a job that is done is done.
    assert_eq!(run(&[&arguments[..], &["--resume"]].concat()).code, 0);
    run(&["dedup", &file, "--out", &needed, "--resume"]).fails_with("`candidates.sites`");
}

#[test]
fn a_run_without_urls_has_no_sites() {
    let folder = folder("mirrors-no-urls");
    let out = path(&folder, "out");
    assert_eq!(run(&["dedup", "examples/letters", "--out", &out]).code, 0);
    assert_eq!(report(&folder.join("out")).get("sites"), None);
    assert!(!folder.join("out/documents.urls").exists());
    assert!(!fs::read_to_string(folder.join("out/report.html")).unwrap().contains("Mirrors"));

    // A field that has the name but no address in it makes no site.
    let file = path(&folder, "odd.jsonl");
    write(Path::new(&file), &[("about us".to_owned(), words("text", 20))], "");
    let odd = path(&folder, "odd");
    assert_eq!(run(&["dedup", &file, "--out", &odd]).code, 0);
    assert_eq!(report(&folder.join("odd")).get("sites"), None);
}

/// The rule of sites decides pairs by site: pages of two customers of one host are of one site by
/// the paper's rule, and of two by the list.
#[test]
fn sites_decide_pairs_by_site() {
    let folder = folder("mirrors-sites");
    let file = path(&folder, "pages.jsonl");
    let text = words("word", 400);
    // A few words differ: enough for Algorithm C across sites to refuse, not for the combined one.
    let other = text.replace("word7 ", "x1 ").replace("word207 ", "x2 ").replace("word300 ", "x3 ");
    let pages = [("http://me.github.io/a", &text), ("http://you.github.io/b", &other)]
        .map(|(url, text)| (url.to_owned(), text.clone()));
    write(Path::new(&file), &pages, "");
    let pairs = |name: &str, more: &[&str]| {
        let out = path(&folder, name);
        let first = ["dedup", &file, "--out", &out, "--recipe", "henzinger-sites"];
        assert_eq!(run(&[&first[..], more].concat()).code, 0);
        let report = report(&folder.join(name));
        (report["pairs"].as_u64().unwrap(), report["sites"]["sites"].as_u64().unwrap())
    };
    let (label, suffix) = (pairs("label", &[]), pairs("suffix", &["--sites", "public-suffix"]));
    assert_eq!((label.1, suffix.1), (1, 2));
    assert_ne!(label.0, suffix.0, "{label:?} {suffix:?}");
    run(&["dedup", &file, "--out", "x", "--sites", "domain"]).fails_with("invalid value 'domain'");
}
