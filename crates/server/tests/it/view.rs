//! The clusters of a run over HTTP.

use std::fs;

use lookalike_files::WorkFolder;
use lookalike_server::{Options, Token};
use serde_json::{Value, json};

use crate::client::{Running, words};
use crate::page::every_file_is_there;

/// A run of a cluster of near-duplicates, one of copies, one of both, and a document alone.
fn finished() -> WorkFolder {
    let folder = WorkFolder::create(None).unwrap();
    let letters = folder.join("letters.jsonl");
    let near = |seed| words(seed, 0).replace(&format!("w{seed}x40 "), "another ");
    let documents = [
        ("near-1", "http://www.one.example/a", words(1, 0)),
        ("near-2", "http://two.example/a", near(1)),
        ("copy-1", "", words(2, 0)),
        ("copy-2", "", words(2, 0).to_uppercase()),
        ("both-1", "http://one.example/b", words(3, 0)),
        ("both-2", "", words(3, 0)),
        ("both-3", "", near(3)),
        ("alone", "", words(4, 0)),
    ];
    let line = |(id, url, text): (&str, &str, String)| {
        let mut document = json!({ "id": id, "text": text });
        if !url.is_empty() {
            document["url"] = url.into();
        }
        format!("{document}\n")
    };
    fs::write(&letters, documents.into_iter().map(line).collect::<String>()).unwrap();
    let job = lookalike_engine::Dedup::new([letters.display().to_string()]);
    job.run(folder.join("out")).unwrap();
    folder
}

fn view() -> Running {
    Running::view(finished(), Options::new())
}

/// The numbers of the clusters in an answer.
fn numbers(answer: &Value) -> Vec<u64> {
    let clusters = answer["clusters"].as_array().unwrap().iter();
    clusters.map(|cluster| cluster["cluster"].as_u64().unwrap()).collect()
}

#[test]
fn clusters_are_listed_filtered_and_searched() {
    let server = view();
    let run = server.get("/v1/run").ok();
    assert_eq!((&run["documents"], &run["clusters"]), (&json!(8), &json!(3)));
    assert_eq!((&run["recipe"], &run["has_texts"]), (&json!("text"), &json!(true)));

    let all = server.get("/v1/clusters").ok();
    assert_eq!(numbers(&all), [4, 0, 2], "the largest first");
    assert_eq!((&all["wanted"], &all["next"]), (&json!(3), &Value::Null));
    let largest = &all["clusters"][0];
    assert_eq!((&largest["kind"], &largest["size"]), (&json!("mixed"), &json!(3)));
    assert_eq!(largest["keeper"]["id"], "both-1");
    assert!(largest["lowest"].as_f64().unwrap() > 0.8 && largest["highest"] == 1.0, "{largest}");

    for (query, expected) in [
        ("order=input", &[0, 2, 4][..]),
        ("kind=exact", &[2]),
        ("kind=near", &[0]),
        ("min_size=3", &[4]),
        ("max_size=2", &[0, 2]),
        ("max_resemblance=0.95", &[4, 0]),
        ("min_resemblance=1", &[2]),
        ("site=one.example", &[0, 4]),
        ("site=two.example", &[0]),
        ("source=letters", &[0, 2, 4]),
        ("source=elsewhere", &[]),
        ("words=w3x10%20W3X11", &[4]),
        ("words=copy-2", &[2]),
        ("words=w4x1", &[]),
        ("kind=mixed&words=w1x10", &[]),
    ] {
        let found = server.get(&format!("/v1/clusters?{query}")).ok();
        assert_eq!(numbers(&found), expected, "{query}");
        assert_eq!(found["looked_at"], 3, "{query}");
    }
    let mut after = 0;
    let mut paged = Vec::new();
    for _ in 0..3 {
        let page = server.get(&format!("/v1/clusters?limit=1&after={after}")).ok();
        paged.extend(numbers(&page));
        after = page["next"].as_u64().unwrap_or(99);
    }
    assert_eq!((paged, after), (vec![4, 0, 2], 99));

    let found = |id: &str| server.get(&format!("/v1/find?id={id}")).ok();
    assert_eq!(found("both-3"), json!({ "documents": 1, "clusters": [4] }));
    assert_eq!(found("http://two.example/a"), json!({ "documents": 1, "clusters": [0] }));
    assert_eq!(found("alone"), json!({ "documents": 1, "clusters": [] }));
    assert_eq!(found("nobody"), json!({ "documents": 0, "clusters": [] }));

    let beginnings = server.get("/v1/beginnings?rows=4,0,4000").ok();
    let beginnings = beginnings["beginnings"].as_array().unwrap().clone();
    assert!(beginnings[0].as_str().unwrap().starts_with("w3x0 w3x1 "), "{beginnings:?}");
    assert_eq!(beginnings[2], Value::Null);
}

#[test]
fn members_are_compared_and_judged() {
    let server = view();
    let cluster = server.get("/v1/clusters/4").ok();
    let ids: Vec<&str> =
        cluster["members"].as_array().unwrap().iter().map(|m| m["id"].as_str().unwrap()).collect();
    assert_eq!(ids, ["both-1", "both-2", "both-3"]);
    let member = &cluster["members"][2];
    assert_eq!((&member["kept"], &member["kind"]), (&json!(false), &json!("near")));
    assert_eq!((&member["record"], &member["verdict"]), (&json!(7), &Value::Null));
    let later = server.get("/v1/clusters/4?from=1&limit=1").ok();
    assert_eq!((&later["members"][0]["id"], &later["next"]), (&json!("both-2"), &json!(2)));
    assert_eq!(later["keeper"]["id"], "both-1");

    let compared = server.get("/v1/compare?a=4&b=6").ok();
    assert_eq!(compared["resemblance"], member["resemblance"], "as the run computed it");
    assert_eq!((&compared["look_alikes"], &compared["verdict"]), (&json!(true), &Value::Null));
    assert_eq!(compared["ids"], json!(["both-1", "both-3"]));
    let pieces = compared["difference"]["pieces"].as_array().unwrap();
    assert!(pieces.contains(&json!({ "inserted": "another" })), "{pieces:?}");

    let give = |a: u64, b: u64, verdict: &str, note: &str| {
        server.post("/v1/verdicts", &json!({ "a": a, "b": b, "verdict": verdict, "note": note }))
    };
    assert_eq!(give(4, 6, "same", "").ok()["verdicts"]["same"], 1);
    give(0, 1, "unsure", "a \"date\"\nonly").ok();
    let given = give(6, 4, "different", "").ok();
    assert_eq!(given["verdicts"], json!({ "same": 0, "different": 1, "unsure": 1 }));
    let compared = server.get("/v1/compare?a=4&b=6").ok();
    assert_eq!(compared["verdict"]["verdict"], "different");
    assert!(compared["verdict"]["time"].as_u64().unwrap() > 1_700_000_000);
    assert_eq!(server.get("/v1/clusters/4").ok()["members"][2]["verdict"], "different");

    let labels = server.get("/v1/labels");
    assert_eq!(labels.header("content-type"), Some("application/x-ndjson"));
    let labels: Vec<Value> =
        labels.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(
        labels,
        [
            json!({ "a": "both-3", "b": "both-1", "label": "incorrect" }),
            json!({ "a": "near-1", "b": "near-2", "label": "undecided", "reason": "a \"date\"\nonly" }),
        ]
    );
    let lines = fs::read_to_string(server.folder().join("out/verdicts.jsonl")).unwrap();
    assert_eq!(lines.lines().count(), 3, "{lines}");
}

#[test]
fn mistakes_are_told() {
    let server = view();
    server.get("/v1/clusters/1").problem(404, "not-found");
    server.get("/v1/clusters/x").problem(404, "not-found");
    server.get("/v1/clusters/99999999999").problem(404, "not-found");
    server.get("/nowhere").problem(404, "not-found");
    server.get("/v1/clusters?limit=0").problem(422, "invalid");
    server.get("/v1/clusters?limit=101").problem(422, "invalid");
    server.get("/v1/clusters?min_resemblance=2").problem(422, "invalid");
    server.get("/v1/clusters?kind=strange").problem(400, "malformed");
    server.get("/v1/clusters?sise=3").problem(400, "malformed");
    server.get("/v1/beginnings?rows=1,x").problem(422, "invalid");
    server.get("/v1/compare?a=0&b=8").problem(404, "unknown-document");
    server.delete("/v1/labels").problem(405, "method-not-allowed");
    let verdict = |a: u64, b: u64, verdict: &str| json!({ "a": a, "b": b, "verdict": verdict });
    server.post("/v1/verdicts", &verdict(0, 0, "same")).problem(422, "invalid");
    server.post("/v1/verdicts", &verdict(0, 80, "same")).problem(404, "unknown-document");
    server.post("/v1/verdicts", &verdict(0, 1, "maybe")).problem(422, "invalid");
    let mut long = verdict(0, 1, "same");
    long["note"] = "x".repeat(5000).into();
    server.post("/v1/verdicts", &long).problem(422, "invalid");
    let form = [("Content-Type", "application/x-www-form-urlencoded")];
    let answer = server.send("POST", "/v1/verdicts", &form, b"a=0&b=1&verdict=same");
    answer.problem(415, "media-type");
    assert!(!server.folder().join("out/verdicts.jsonl").exists(), "nothing was written");

    let letters = server.folder().join("letters.jsonl");
    fs::write(&letters, fs::read_to_string(&letters).unwrap().replace("another", "other")).unwrap();
    let problem = server.get("/v1/compare?a=4&b=6").problem(409, "unreadable");
    assert!(problem["detail"].as_str().unwrap().contains("letters.jsonl"), "{problem}");
    fs::remove_file(letters).unwrap();
    server.get("/v1/compare?a=4&b=6").problem(409, "unreadable");
    assert_eq!(server.get("/v1/beginnings?rows=0").ok()["beginnings"], json!([null]));
    let damaged = server.folder().join("out/clusters.parquet");
    fs::write(damaged, "no table").unwrap();
    server.get("/v1/clusters/4").problem(500, "failed");
    assert!(server.log().iter().any(|line| line.contains("clusters.parquet")), "faults are logged");
}

#[test]
fn the_page_is_all_there_and_other_hosts_are_not_served() {
    let server = view();
    every_file_is_there(&server, 8);
    let page = server.get("/");
    let policy = page.header("content-security-policy").unwrap();
    assert!(policy.contains("default-src 'none'") && !policy.contains("unsafe"), "{policy}");
    let text = page.text();
    assert!(!text.contains("style=\"") && !text.contains("onclick"), "the policy forbids it");
    let rebound = b"GET /v1/clusters HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n";
    server.raw(rebound).problem(421, "misdirected");
}

#[test]
fn a_token_is_asked_for() {
    let token = Token::new("0123456789abcdef").unwrap();
    let server = Running::view(finished(), Options::new().token(token));
    assert_eq!(server.get("/").status, 200);
    assert_eq!(server.get("/page/view.js").status, 200);
    for path in ["/v1/run", "/v1/clusters", "/v1/clusters/4", "/v1/labels", "/v1/compare?a=4&b=6"] {
        server.get(path).problem(401, "unauthorized");
        let shown = [("Authorization", "Bearer 0123456789abcdef")];
        assert_eq!(server.send("GET", path, &shown, b"").status, 200, "{path}");
    }
}

/// A run that cut a notice of two documents, and all of a third.
fn cut() -> WorkFolder {
    let folder = WorkFolder::create(None).unwrap();
    let letters = folder.join("letters.jsonl");
    let documents = [
        ("a", format!("{}\n{}", words(1, 0), words(2, 0))),
        ("b", format!("{}\n{}", words(3, 0), words(1, 0))),
        ("c", words(1, 0)),
        ("d", words(4, 0)),
    ];
    let line = |(id, text): (&str, String)| format!("{}\n", json!({ "id": id, "text": text }));
    fs::write(&letters, documents.into_iter().map(line).collect::<String>()).unwrap();
    let job = lookalike_engine::Dedup::new([letters.display().to_string()]).all_documents();
    job.passages(lookalike_engine::PassageRule::default()).run(folder.join("out")).unwrap();
    folder
}

#[test]
fn passages_are_listed_and_shown_with_their_documents() {
    let server = Running::view(cut(), Options::new());
    let run = server.get("/v1/run").ok();
    assert_eq!((&run["passages"], &run["compares_documents"]), (&json!(1), &json!(false)));
    assert_eq!(run["passages_were"], "cut");
    let all = server.get("/v1/passages").ok();
    let passage = &all["passages"][0];
    assert_eq!((&passage["copies"], &passage["cuts"]), (&json!(3), &json!(2)));
    assert_eq!(passage["document"]["id"], "a");
    for (query, count) in [
        ("min_copies=4", 0),
        ("max_copies=3&order=words", 1),
        ("min_words=10000", 0),
        ("words=w1x3%20w1x4", 1),
        ("words=w2x3", 0),
    ] {
        let found = server.get(&format!("/v1/passages?{query}")).ok();
        assert_eq!(found["passages"].as_array().unwrap().len(), count, "{query}");
    }
    let start = server.get("/v1/passages/beginnings?passages=0,7").ok();
    assert!(start["beginnings"][0].as_str().unwrap().starts_with("w1x0 w1x1"), "{start}");
    assert_eq!(start["beginnings"][1], Value::Null);

    let open = server.get("/v1/passages/0").ok();
    let ids: Vec<_> = open["places"].as_array().unwrap().iter().map(|one| &one["id"]).collect();
    assert_eq!(ids, ["b", "c"]);
    assert!(open["kept"]["text"][0]["cut"][1].as_str().unwrap().starts_with("w1x0 "), "{open}");
    let rest = server.get("/v1/passages/0?from=1&limit=1").ok();
    assert_eq!((rest["places"][0]["id"].as_str(), &rest["next"]), (Some("c"), &Value::Null));

    let shown = server.get("/v1/cut/1?passage=0").ok();
    assert_eq!((&shown["cuts"], &shown["gone"]), (&json!(1), &json!(false)));
    assert!(shown["text"][1]["cut"][1].as_str().unwrap().starts_with("w1x0 "), "{shown}");
    assert_eq!(server.get("/v1/cut/2").ok()["gone"], true);
    let found = server.get("/v1/passages/find?id=c").ok();
    assert_eq!((&found["documents"], &found["rows"]), (&json!(1), &json!([2])));
    assert_eq!(found["passages"][0]["passage"], 0);

    for path in ["/v1/passages/1", "/v1/passages/x", "/v1/cut/4", "/v1/cut/-1"] {
        assert_eq!(server.get(path).status, 404, "{path}");
    }
    server.get("/v1/passages?limit=0").problem(422, "invalid");
    server.get("/v1/passages/beginnings?passages=x").problem(422, "invalid");
    server.get("/v1/passages?order=strange").problem(400, "malformed");
    assert_eq!(server.get("/passages").status, 200);
    let none = view();
    assert_eq!(none.get("/v1/run").ok()["passages_were"], Value::Null);
    assert_eq!(none.get("/v1/passages").ok()["of"], 0);
}
