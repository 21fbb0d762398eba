//! The pages of an evaluation and of a sample.

use std::fs;

use lookalike_core::Recipe;
use lookalike_eval::{Eval, LabelFile};
use lookalike_pages::{evaluation, judge};

use crate::folder;

const HOSTILE: &str =
    "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'&\u{202e}\0";

/// A document as a line.
fn document(id: &str, text: &str) -> String {
    serde_json::json!({ "id": id, "text": text }).to_string() + "\n"
}

fn words(numbers: std::ops::Range<u32>) -> String {
    numbers.map(|n| format!("word{n}")).collect::<Vec<String>>().join(" ")
}

/// Three documents that hardly differ, with ids, words and reasons that would be markup.
pub(crate) fn hostile(test: &str) -> (std::path::PathBuf, Eval) {
    let folder = folder(test);
    let path = folder.join("pages.jsonl");
    let page = |n: u32| {
        let text = format!("{HOSTILE} {} {HOSTILE}{n} {HOSTILE}", words(0..300));
        document(&format!("{n}{HOSTILE}"), &text)
    };
    fs::write(&path, page(0) + &page(1) + &page(2)).unwrap();
    let recipe = Recipe { name: format!("b{HOSTILE}"), ..Recipe::preset("henzinger-b").unwrap() };
    let job = Eval::new([path.to_str().unwrap().to_owned()]).recipes([recipe]).memory(80 << 20);
    (folder, job)
}

/// Labels of these documents.
pub(crate) fn hostile_labels(folder: &std::path::Path) -> LabelFile {
    let labels = folder.join("labels.jsonl");
    let line = |a: u32, b: u32, label: &str| {
        let (a, b) = (format!("{a}{HOSTILE}"), format!("{b}{HOSTILE}"));
        serde_json::json!({"a": a, "b": b, "label": label, "reason": HOSTILE}).to_string() + "\n"
    };
    fs::write(&labels, line(0, 1, "correct") + &line(1, 2, "incorrect")).unwrap();
    LabelFile::new(&labels)
}

/// The elements of a page that begin like this.
fn elements(html: &str, start: &str) -> usize {
    html.matches(start).count()
}

#[test]
fn nothing_from_outside_is_markup_in_the_evaluation() {
    let (folder, job) = hostile("hostile-evaluation");
    let found = job.run(&hostile_labels(&folder)).unwrap();
    assert_eq!(found.recipes[0].pairs, 3);
    let html = evaluation(&found);
    assert_eq!(elements(&html, "<script"), 0);
    assert_eq!(elements(&html, "<img"), 0);
    assert!(!html.contains('\u{202e}') && !html.contains('\0'));
    assert!(html.contains("&lt;/script&gt;"), "it is shown");
    let out = folder.join("out");
    found.write(&out, evaluation).unwrap();
    assert_eq!(fs::read_to_string(out.join("eval.html")).unwrap(), html);
    let json: serde_json::Value =
        serde_json::from_slice(&fs::read(out.join("eval.json")).unwrap()).unwrap();
    assert_eq!(json["recipes"][0]["rows"][0]["correct"]["number"], 1);
    assert_eq!(json["recipes"][0]["reasons"][0]["reason"], HOSTILE);
}

#[test]
fn nothing_from_outside_is_markup_on_the_page_to_judge() {
    let (folder, job) = hostile("hostile-judge");
    let sample = job.sample(10).unwrap();
    assert_eq!(sample.pairs.len(), 3);
    let html = judge(&sample);
    assert_eq!(elements(&html, "<script"), 2, "the data and ours");
    assert_eq!(elements(&html, "</script"), 2);
    assert_eq!(elements(&html, "<img"), 0);
    // The data are what was sampled, exactly.
    let data = html.split("id=\"data\">").nth(1).unwrap().split("</script>").next().unwrap();
    let data: serde_json::Value = serde_json::from_str(data).unwrap();
    let pages = data["pages"].as_array().unwrap();
    assert_eq!(pages.len(), 3, "each document once");
    for (shown, pair) in data["pairs"].as_array().unwrap().iter().zip(&sample.pairs) {
        for (number, id) in shown["pages"].as_array().unwrap().iter().zip([&pair.a, &pair.b]) {
            let content = pages[number.as_u64().unwrap() as usize]["content"].as_str().unwrap();
            assert!(content.contains(&format!("{HOSTILE}{} ", id.split('<').next().unwrap())));
        }
        assert_eq!((&shown["a"], &shown["b"]), (&pair.a.as_str().into(), &pair.b.as_str().into()));
        assert!(shown["a"].as_str().unwrap().ends_with(HOSTILE));
        assert!(!shown["pieces"].as_array().unwrap().is_empty());
        assert!(shown.get("recipes").is_none(), "judges do not know who says so");
    }
    let out = folder.join("sample");
    sample.write(&out, judge).unwrap();
    let lines = fs::read_to_string(out.join("pairs.jsonl")).unwrap();
    assert_eq!(lines.lines().count(), 3);
    let first: serde_json::Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    assert_eq!(first["sites"], "unknown");
    assert!(first["b_similarity"].as_u64().unwrap() >= 2);
}

#[test]
fn pages_of_nothing_are_pages() {
    let folder = folder("nothing");
    let (path, labels) = (folder.join("pages.jsonl"), folder.join("labels.jsonl"));
    let pages = [("a", words(0..100)), ("b", words(500..600)), ("c", words(0..0))];
    fs::write(&path, pages.map(|(id, text)| document(id, &text)).concat()).unwrap();
    fs::write(&labels, "{\"a\": \"a\", \"b\": \"b\", \"label\": \"incorrect\"}\n").unwrap();
    let job = Eval::new([path.to_str().unwrap().to_owned()]).memory(80 << 20);
    let found = job.run(&LabelFile::new(&labels)).unwrap();
    assert!(found.recipes.iter().all(|r| r.pairs == 0 && r.rows[0].correct.is_none()));
    let html = evaluation(&found);
    assert!(html.contains("no pair that a recipe returns was judged"));
    assert!(!html.contains("NaN") && !html.contains("inf"));
    let sample = job.sample(5).unwrap();
    assert!(
        sample.pairs.is_empty()
            && judge(&sample).contains("id=\"data\">{\"pairs\":[],\"pages\":[]}</script>")
    );
}

/// Web pages come with their addresses and their markup, which is data; the frames that show it may do
/// nothing.
#[test]
fn pages_to_judge_are_shown_in_frames_that_may_do_nothing() {
    let folder = folder("judge-pages");
    let path = folder.join("pages.jsonl");
    let page = |n: u32| {
        let html = format!(
            "<html><head><meta http-equiv=refresh content='0;url=http://evil.example/'>\
             <link rel=dns-prefetch href=//evil.example><script>window.hacked = {n}</script></head>\
             <body onload='hacked()'><p>{} number{n}</p><img src='http://evil.example/{n}.png'>",
            words(0..300)
        );
        let url = format!("http://www.shop.example/{n}?{HOSTILE}");
        serde_json::json!({ "id": n, "url": url, "html": html }).to_string() + "\n"
    };
    fs::write(&path, page(0) + &page(1)).unwrap();
    let recipe = Recipe::preset("henzinger-b").unwrap();
    let job = Eval::new([path.to_str().unwrap().to_owned()]).recipes([recipe]).memory(80 << 20);
    let sample = job.sample(10).unwrap();
    assert_eq!((sample.pairs.len(), sample.pages.len()), (1, 2));
    let [a, b] = sample.pairs[0].pages.map(|number| &sample.pages[number]);
    for (n, page) in [a, b].into_iter().enumerate() {
        assert!(page.html && !page.is_cut && page.content.contains(&format!("number{n}")));
        assert_eq!(page.url, sample.pairs[0].urls[n]);
        assert!(page.url.as_ref().unwrap().starts_with(&format!("http://www.shop.example/{n}?")));
    }
    let html = judge(&sample);
    assert_eq!(elements(&html, "<script"), 2, "the data and ours");
    for element in ["<iframe", "<img", "<link", "<base"] {
        assert_eq!(elements(&html, element), 0, "{element}");
    }
    assert_eq!(elements(&html, "http-equiv=refresh"), 2, "in the data");
    let policy = html.split("Content-Security-Policy\" content=\"").nth(1).unwrap();
    let policy = policy.split('"').next().unwrap();
    let parts: Vec<&str> = policy.split("; ").collect();
    assert_eq!(parts[..2], ["default-src 'none'", "style-src 'unsafe-inline'"]);
    assert!(parts[2].starts_with("script-src 'nonce-"), "{policy}");
    assert_eq!(parts[3..], ["base-uri 'none'", "form-action 'none'"]);
    // A sandbox that allows nothing, set before there is anything in the frame.
    let [sandbox, filled] =
        ["setAttribute(\"sandbox\", \"\")", "frame.srcdoc = rendition("].map(|s| html.find(s));
    assert!(sandbox.unwrap() < filled.unwrap());
    assert!(!html.contains("allow-"), "nothing is allowed");
    let lines = {
        let out = folder.join("sample");
        sample.write(&out, judge).unwrap();
        fs::read_to_string(out.join("pairs.jsonl")).unwrap()
    };
    let first: serde_json::Value = serde_json::from_str(&lines).unwrap();
    assert_eq!(first["urls"][1].as_str(), sample.pairs[0].urls[1].as_deref());
}
