//! The two pages: whole, and harmless whatever documents say.

use std::fs;

use lookalike_core::Recipe;
use lookalike_engine::Unobserved;
use lookalike_engine::eval::{Eval, LabelFile};

use crate::eval::{folder, name, page, write_pages};

const HOSTILE: &str =
    "</script><script>alert(1)</script><img src=x onerror=alert(2)>\"'&\u{202e}\0";

/// Three documents that hardly differ, with ids, words and reasons that would be markup.
fn hostile(test: &str) -> (std::path::PathBuf, Eval) {
    let folder = folder(test);
    let path = folder.join("pages.jsonl");
    let mut pages = ["a", "b", "c"].map(|id| page(id, 0..300));
    for (n, page) in pages.iter_mut().enumerate() {
        page.id = format!("{n}{HOSTILE}");
        page.text = format!("{HOSTILE} {} {HOSTILE}{n} {HOSTILE}", page.text);
    }
    write_pages(&path, &pages);
    let recipe = Recipe { name: format!("b{HOSTILE}"), ..Recipe::preset("henzinger-b").unwrap() };
    let job = Eval::new([name(&path)]).recipes([recipe]).memory(80 << 20);
    (folder, job)
}

/// The elements of a page that begin like this.
fn elements(html: &str, start: &str) -> usize {
    html.matches(start).count()
}

#[test]
fn nothing_from_outside_is_markup_in_the_evaluation() {
    let (folder, job) = hostile("hostile-evaluation");
    let labels = folder.join("labels.jsonl");
    let line = |a: u32, b: u32, label: &str| {
        let (a, b) = (format!("{a}{HOSTILE}"), format!("{b}{HOSTILE}"));
        serde_json::json!({"a": a, "b": b, "label": label, "reason": HOSTILE}).to_string() + "\n"
    };
    fs::write(&labels, line(0, 1, "correct") + &line(1, 2, "incorrect")).unwrap();
    let found = job.run(&LabelFile::new(&labels), &Unobserved).unwrap();
    assert_eq!(found.recipes[0].pairs, 3);
    let html = found.html();
    assert_eq!(elements(&html, "<script"), 0);
    assert_eq!(elements(&html, "<img"), 0);
    assert!(!html.contains('\u{202e}') && !html.contains('\0'));
    assert!(html.contains("&lt;/script&gt;"), "it is shown");
    let out = folder.join("out");
    found.write(&out).unwrap();
    assert_eq!(fs::read_to_string(out.join("eval.html")).unwrap(), html);
    let json: serde_json::Value =
        serde_json::from_slice(&fs::read(out.join("eval.json")).unwrap()).unwrap();
    assert_eq!(json["recipes"][0]["rows"][0]["correct"]["number"], 1);
    assert_eq!(json["recipes"][0]["reasons"][0]["reason"], HOSTILE);
}

#[test]
fn nothing_from_outside_is_markup_on_the_page_to_judge() {
    let (folder, job) = hostile("hostile-judge");
    let sample = job.sample(10, &Unobserved).unwrap();
    assert_eq!(sample.pairs.len(), 3);
    let html = sample.html();
    assert_eq!(elements(&html, "<script"), 2, "the data and ours");
    assert_eq!(elements(&html, "</script"), 2);
    assert_eq!(elements(&html, "<img"), 0);
    // The data are what was sampled, exactly.
    let data = html.split("id=\"data\">").nth(1).unwrap().split("</script>").next().unwrap();
    let data: serde_json::Value = serde_json::from_str(data).unwrap();
    for (shown, pair) in data.as_array().unwrap().iter().zip(&sample.pairs) {
        assert_eq!((&shown["a"], &shown["b"]), (&pair.a.as_str().into(), &pair.b.as_str().into()));
        assert!(shown["a"].as_str().unwrap().ends_with(HOSTILE));
        assert!(!shown["pieces"].as_array().unwrap().is_empty());
        assert!(shown.get("recipes").is_none(), "judges do not know who says so");
    }
    let out = folder.join("sample");
    sample.write(&out).unwrap();
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
    write_pages(&path, &[page("a", 0..100), page("b", 500..600), page("c", 0..0)]);
    fs::write(&labels, "{\"a\": \"a\", \"b\": \"b\", \"label\": \"incorrect\"}\n").unwrap();
    let job = Eval::new([name(&path)]).memory(80 << 20);
    let found = job.run(&LabelFile::new(&labels), &Unobserved).unwrap();
    assert!(found.recipes.iter().all(|r| r.pairs == 0 && r.rows[0].correct.is_none()));
    let html = found.html();
    assert!(html.contains("no pair that a recipe returns was judged"));
    assert!(!html.contains("NaN") && !html.contains("inf"));
    let sample = job.sample(5, &Unobserved).unwrap();
    assert!(sample.pairs.is_empty() && sample.html().contains("id=\"data\">[]</script>"));
}
