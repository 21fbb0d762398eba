//! What each route answers when all is well.

use lookalike_files::WorkFolder;
use lookalike_index::CreateOptions;
use lookalike_server::Options;
use serde_json::{Value, json};

use crate::client::{Running, words};

#[test]
fn a_document_is_added_found_read_and_removed() {
    let server = Running::new();
    let text = words(1, 0);
    let added = server.post("/v1/documents", &json!({"id": "a", "text": text, "url": "http://x/"}));
    assert_eq!((added.status, &added.ok()["replaced"]), (201, &json!(false)));

    let near = server.post("/v1/check", &json!({"text": words(1, 2)})).ok();
    assert_eq!((&near["new"], &near["keeper"]), (&json!(false), &json!("a")));
    let found = &near["matches"][0];
    assert_eq!((&found["kind"], &found["url"]), (&json!("near"), &json!("http://x/")));
    assert!(found["resemblance"].as_f64().is_some_and(|r| r > 0.9 && r < 1.0));
    assert!(found["time"].as_u64().is_some_and(|time| time > 1_700_000_000));

    let exact = server.post("/v1/check", &json!({"text": text.to_uppercase()})).ok();
    assert_eq!(exact["matches"][0]["kind"], "exact");
    let other = server.post("/v1/check", &json!({"text": words(2, 0)})).ok();
    assert_eq!((&other["new"], &other["keeper"]), (&json!(true), &Value::Null));
    assert_eq!((&other["matches"], &other["limited"]), (&json!([]), &json!(false)));
    assert_eq!(other["threshold"], 0.8);
    assert!(other["recall"].as_f64().is_some_and(|recall| (0.95..1.0).contains(&recall)));

    let read = server.get("/v1/documents/a").ok();
    assert_eq!((&read["text"], &read["stored"]), (&json!(text), &json!("text")));
    assert_eq!(read["bytes"], text.len());
    assert!(read.get("html").is_none());

    let again = server.post("/v1/documents", &json!({"id": "a", "text": "another"}));
    assert_eq!((again.status, &again.ok()["replaced"]), (200, &json!(true)));
    assert_eq!(server.delete("/v1/documents/a").status, 204);
    server.delete("/v1/documents/a").problem(404, "unknown-document");
    server.get("/v1/documents/a").problem(404, "unknown-document");
}

#[test]
fn what_is_turned_away_is_counted_once_for_an_id() {
    let server = Running::new();
    let post = |id: &str, source: &str, date: i64| {
        let document = json!({"id": id, "text": words(1, 0), "source": source, "date": date});
        server.post("/v1/check-and-add", &document).ok()
    };
    let first = post("a", "spring", 100);
    assert_eq!((&first["counted"], &first["added"]["number"]), (&json!(false), &json!(0)));
    for (id, source, date, counted, copies, sources) in [
        ("b", "summer", -5, true, 2, 2),
        ("b", "autumn", 900, false, 2, 2),
        ("a", "winter", 900, false, 2, 2),
        ("c", "spring", 300, true, 3, 2),
    ] {
        let done = post(id, source, date);
        let found = &done["matches"][0];
        assert_eq!((&done["counted"], &done["added"]), (&json!(counted), &Value::Null), "{done}");
        assert_eq!((&found["copies"], &found["exact_copies"]), (&json!(copies), &json!(copies)));
        assert_eq!(found["sources"], sources);
    }
    let line = json!({"op": "check-and-add", "document": {"id": "d", "text": words(1, 1)}});
    let answer = server.send(
        "POST",
        "/v1/bulk",
        &[("Content-Type", "application/x-ndjson")],
        line.to_string().as_bytes(),
    );
    assert_eq!(answer.lines()[0]["matches"][0]["copies"], 4);
    let checked = server.post("/v1/check", &json!({"text": words(1, 0)})).ok();
    for found in [
        server.get("/v1/documents/a").ok(),
        server.get("/v1/documents").ok()["documents"][0].clone(),
        checked["matches"][0].clone(),
    ] {
        assert_eq!((&found["copies"], &found["exact_copies"]), (&json!(4), &json!(3)), "{found}");
        assert_eq!(found["first"], -5);
        assert_eq!((&found["sources"], &found["at_least"]), (&json!(2), &json!(false)));
    }
    let wrong = json!({"id": "e", "text": "x", "source": "s".repeat(16_385)});
    server.post("/v1/documents", &wrong).problem(422, "invalid");
    server.post("/v1/check", &json!({"text": "x", "source": "s"})).problem(422, "invalid");
}

#[test]
fn a_question_may_have_a_threshold_of_its_own() {
    let server = Running::new();
    server.post("/v1/documents", &json!({"id": "a", "text": words(1, 0)})).ok();
    let near = words(1, 2);
    let check = |threshold: f64| {
        server.post("/v1/check", &json!({"text": near, "threshold": threshold})).ok()
    };
    let resemblance = check(0.8)["matches"][0]["resemblance"].as_f64().unwrap();
    assert_eq!(check(resemblance - 1e-6)["new"], false);
    let above = check(resemblance + 1e-6);
    assert_eq!((&above["new"], &above["matches"]), (&json!(true), &json!([])));
    // Below its own threshold the filter finds fewer, and the answer says how many.
    let below = check(0.5);
    assert_eq!((&below["new"], &below["threshold"]), (&json!(false), &json!(0.5)));
    assert!(below["recall"].as_f64().unwrap() < 0.5, "{below}");

    let results = json!([{"id": "a"}, {"text": near}]);
    let collapse = |threshold: f64| {
        server.post("/v1/collapse", &json!({"results": results, "threshold": threshold})).ok()
    };
    assert_eq!(collapse(0.8)["left_out"][0]["rank"], 1);
    let strict = collapse(0.999);
    assert_eq!((&strict["left_out"], &strict["threshold"]), (&json!([]), &json!(0.999)));

    let line = |threshold: f64| {
        json!({"op": "check", "document": {"text": near}, "threshold": threshold}).to_string()
    };
    let lines = [line(0.8), line(0.999), line(7.0), line(0.8)].join("\n");
    for kind in ["application/x-ndjson", "application/octet-stream"] {
        let answer = server.send("POST", "/v1/bulk", &[("Content-Type", kind)], lines.as_bytes());
        assert_eq!(answer.header("content-type"), Some(kind));
        let new: Vec<Value> = answer.lines().iter().map(|line| line["new"].clone()).collect();
        assert_eq!(new, [json!(false), json!(true), Value::Null, json!(false)]);
        assert_eq!(answer.lines()[2]["error"]["status"], 422);
    }
    for wrong in [json!(0), json!(1.01), json!(-0.5)] {
        let asked = json!({"text": near, "threshold": wrong});
        server.post("/v1/check", &asked).problem(422, "invalid");
        let asked = json!({"results": [], "threshold": wrong});
        server.post("/v1/collapse", &asked).problem(422, "invalid");
    }
    server.post("/v1/check", &json!({"text": near, "threshold": "0.9"})).problem(422, "invalid");
}

#[test]
fn a_recipe_without_verification_has_no_threshold() {
    let server = Running::with_index(Options::new(), "altavista", &CreateOptions::new());
    assert_eq!(server.post("/v1/check", &json!({"text": "x"})).ok()["threshold"], Value::Null);
    server.post("/v1/check", &json!({"text": "x", "threshold": 0.9})).problem(422, "invalid");
}

#[test]
fn documents_are_found_by_their_urls_and_by_words() {
    let server = Running::new();
    for (id, url, text) in [
        ("first", "http://a.org/?p=1", "The roof of our house"),
        ("second", "http://a.org/?p=1", "The gate of our garden"),
        ("third", "http://b.org/", "A house of cards"),
    ] {
        server.post("/v1/documents", &json!({"id": id, "url": url, "text": text})).ok();
    }
    let found = server.get("/v1/documents/http%3A%2F%2Fa.org%2F%3Fp%3D1").ok();
    assert_eq!((&found["id"], &found["text"]), (&json!("first"), &json!("The roof of our house")));
    assert!(found["time"].as_u64().is_some_and(|time| time > 1_700_000_000));
    server.get("/v1/documents/http%3A%2F%2Fa.org%2F").problem(404, "unknown-document");
    server.delete("/v1/documents/http%3A%2F%2Fb.org%2F").problem(404, "unknown-document");
    let search = |query: &str| {
        let page = server.get(&format!("/v1/documents?search={query}")).ok();
        assert_eq!(page["end"], 3);
        let documents = page["documents"].as_array().unwrap().iter();
        documents.map(|document| document["id"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(search("our+HOUSE"), ["first"]);
    assert_eq!(search("a.org"), ["first", "second"]);
    assert_eq!(search("ir"), ["first", "third"]);
    assert_eq!(search(""), ["first", "second", "third"]);
    assert_eq!(search("nowhere"), [""; 0]);
    let page = server.get("/v1/documents?search=our&limit=1").ok();
    assert_eq!(page["next"], 0);
    let page = server.get("/v1/documents?search=our&limit=1&after=0").ok();
    assert_eq!((&page["documents"][0]["id"], &page["next"]), (&json!("second"), &json!(1)));
    let long = "x".repeat(1001);
    server.get(&format!("/v1/documents?search={long}")).problem(400, "malformed");
}

#[test]
fn checking_and_adding_adds_what_is_new() {
    let server = Running::new();
    let ask = |id: &str, changed, query: &str| {
        let document = json!({"id": id, "text": words(1, changed)});
        server.post(&format!("/v1/check-and-add{query}"), &document).ok()
    };
    let first = ask("a", 0, "");
    assert_eq!((&first["new"], &first["added"]["replaced"]), (&json!(true), &json!(false)));
    let second = ask("b", 1, "?add_if=new");
    assert_eq!((&second["keeper"], &second["added"]), (&json!("a"), &Value::Null));
    let third = ask("c", 1, "?add_if=any");
    assert_eq!(third["new"], false);
    assert!(third["added"].is_object());
    assert_eq!(server.get("/v1/stats").ok()["documents"], 2);
}

#[test]
fn pages_are_compared_by_what_a_visitor_sees() {
    let server = Running::new();
    let text = words(3, 0);
    let page = format!("<title>x</title><script>var a</script><p>{text}</p>");
    server.post("/v1/documents", &json!({"id": "page", "html": page})).ok();
    let found = server.post("/v1/check", &json!({"html": format!("<div>{text}")})).ok();
    assert_eq!(found["keeper"], "page");
    assert_eq!(server.get("/v1/documents/page").ok()["html"], page);
}

#[test]
fn ids_may_be_anything() {
    let server = Running::new();
    for (id, path) in [
        ("dir/file.txt#3", "dir%2Ffile.txt%233"),
        ("http://a.org/?q=1&r=\u{e4}", "http%3A%2F%2Fa.org%2F%3Fq%3D1%26r%3D%C3%A4"),
        (" ", "%20"),
        ("%", "%25"),
        ("\u{0}\n", "%00%0A"),
        ("+", "+"),
    ] {
        server.post("/v1/documents", &json!({"id": id, "text": "x"})).ok();
        assert_eq!(server.get(&format!("/v1/documents/{path}")).ok()["id"], id);
        assert_eq!(server.delete(&format!("/v1/documents/{path}")).status, 204, "{id}");
    }
}

#[test]
fn documents_are_browsed_page_by_page() {
    let server = Running::new();
    for n in 0..7 {
        server.post("/v1/documents", &json!({"id": n.to_string(), "text": words(n, 0)})).ok();
    }
    server.delete("/v1/documents/3");
    let mut ids = Vec::new();
    let mut after = String::new();
    loop {
        let page = server.get(&format!("/v1/documents?limit=2{after}")).ok();
        let documents = page["documents"].as_array().unwrap();
        assert!(documents.len() <= 2);
        ids.extend(documents.iter().map(|document| document["id"].as_str().unwrap().to_owned()));
        let Some(next) = page["next"].as_u64() else { break };
        after = format!("&after={next}");
    }
    assert_eq!(ids, ["0", "1", "2", "4", "5", "6"]);
    assert_eq!(server.get("/v1/documents").ok()["next"], Value::Null);
}

#[test]
fn clusters_are_browsed_page_by_page() {
    let server = Running::new();
    for (n, (seed, changed)) in
        [(1, 0), (2, 0), (1, 1), (3, 0), (2, 0), (1, 2), (4, 0)].into_iter().enumerate()
    {
        let document = json!({"id": n.to_string(), "text": words(seed, changed)});
        server.post("/v1/documents", &document).ok();
    }
    let first = server.get("/v1/clusters?limit=1").ok();
    let clusters = first["clusters"].as_array().unwrap();
    let ids = |cluster: &Value| -> Vec<String> {
        let documents = cluster["documents"].as_array().unwrap();
        documents.iter().map(|document| document["id"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(clusters.len(), 1);
    assert_eq!(ids(&clusters[0]), ["0", "2", "5"]);
    assert_eq!(clusters[0]["documents"][0]["joined"], Value::Null);
    assert_eq!(clusters[0]["documents"][1]["joined"]["to"], "0");
    assert_eq!(clusters[0]["documents"][1]["joined"]["kind"], "near");
    let next = first["next"].as_u64().unwrap();
    let second = server.get(&format!("/v1/clusters?after={next}")).ok();
    let clusters = second["clusters"].as_array().unwrap();
    assert_eq!(clusters.iter().map(ids).collect::<Vec<_>>(), [["1", "4"]]);
    assert_eq!(clusters[0]["documents"][1]["joined"]["kind"], "exact");
    assert_eq!((&second["next"], &second["end"]), (&Value::Null, &json!(7)));
    server.get("/v1/clusters?limit=0").problem(400, "malformed");
}

#[test]
fn the_template_of_a_site_is_left_out() {
    let frame = words(1, 0);
    let server = Running::with_template("example.org", &frame);
    let page = |own: usize, url: &str| {
        let text = format!("{frame} {}", words(own, 0));
        json!({"text": text, "url": url})
    };
    let (here, elsewhere) = ("http://www.example.org/a", "http://www.example.com/a");
    let mut known = page(2, here);
    known["id"] = json!("known");
    server.post("/v1/documents", &known).ok();
    let check = |own, url| server.post("/v1/check", &page(own, url)).ok()["new"].clone();
    assert_eq!((check(2, here), check(3, here)), (json!(false), json!(true)));
    let compare = |url| {
        let pair = json!({"a": page(2, url), "b": page(3, url)});
        server.post("/v1/compare", &pair).ok()
    };
    let found = compare(here);
    assert_eq!(found["resemblance"], 0.0);
    let count = frame.split(' ').count();
    assert_eq!(found["template_tokens_a"], count);
    let pieces = found["difference"]["pieces"].as_array().unwrap();
    let template = found["difference"]["template"].as_array().unwrap();
    let number = template[0].as_u64().unwrap() as usize;
    assert!(frame.contains(pieces[number]["equal"].as_str().unwrap()), "{found}");
    // Another site has no template: there the same words are the pages' own.
    let found = compare(elsewhere);
    assert!(found["resemblance"].as_f64().unwrap() > 0.1);
    assert_eq!(found["difference"]["template"], json!([]));
}

#[test]
fn two_documents_are_compared() {
    let server = Running::new();
    server.post("/v1/documents", &json!({"id": "a", "text": "the price is 40 euros today"})).ok();
    let pair = json!({"a": {"id": "a"}, "b": {"text": "the price is 55 euros today"}});
    let compared = server.post("/v1/compare", &pair).ok();
    assert_eq!(
        (&compared["look_alikes"], &compared["term_difference"]),
        (&json!(false), &json!(2))
    );
    assert_eq!(
        compared["difference"]["pieces"],
        json!([
            {"equal": "the price is"},
            {"deleted": "40"},
            {"inserted": "55"},
            {"equal": "euros today"}
        ])
    );
    let same = json!({"a": {"text": "One, two"}, "b": {"html": "<p>one</p>two", "id": "x"}});
    let same = server.post("/v1/compare", &same).ok();
    assert_eq!((&same["same_tokens"], &same["look_alikes"]), (&json!(true), &json!(true)));
    assert_eq!(same["resemblance"], 1.0);
    let empty = server.post("/v1/compare", &json!({"a": {"text": ""}, "b": {"text": ""}})).ok();
    assert_eq!(empty["look_alikes"], false);
}

#[test]
fn a_ranked_list_is_collapsed() {
    let server = Running::new();
    for (id, text) in [("a", words(1, 0)), ("b", words(2, 0)), ("c", words(1, 1))] {
        server.post("/v1/documents", &json!({"id": id, "text": text})).ok();
    }
    let list = json!({"results": [
        {"id": "b"}, {"id": "c"}, {"id": "nowhere"}, {"id": "a"}, {"text": words(2, 1)},
    ]});
    let collapsed = server.post("/v1/collapse", &list).ok();
    assert_eq!(
        collapsed["results"],
        json!([
            {"rank": 0, "id": "b", "known": true},
            {"rank": 1, "id": "c", "known": true},
            {"rank": 2, "id": "nowhere", "known": false},
        ])
    );
    let out: Vec<_> = collapsed["left_out"]
        .as_array()
        .unwrap()
        .iter()
        .map(|out| (out["rank"].clone(), out["keeper"].clone(), out["keeper_rank"].clone()))
        .collect();
    assert_eq!(out, [(json!(3), json!("c"), json!(1)), (json!(4), json!("b"), json!(0))]);
    assert_eq!(server.post("/v1/collapse", &json!({"results": []})).ok()["results"], json!([]));
}

#[test]
fn without_stored_texts_there_is_no_word_by_word() {
    let create = CreateOptions::new().without_text();
    let server = Running::with_index(Options::new(), "text", &create);
    server.post("/v1/documents", &json!({"id": "a", "text": words(1, 0)})).ok();
    let read = server.get("/v1/documents/a").ok();
    assert_eq!((&read["stored"], read.get("text")), (&Value::Null, None));
    let pair = json!({"a": {"id": "a"}, "b": {"text": "x"}});
    server.post("/v1/compare", &pair).problem(409, "not-stored");
    let found = server.post("/v1/check", &json!({"text": words(1, 0)})).ok();
    assert_eq!(found["matches"][0]["kind"], "exact");
    let list = json!({"results": [{"id": "a"}, {"text": words(1, 0)}]});
    assert_eq!(server.post("/v1/collapse", &list).ok()["left_out"][0]["kind"], "exact");
}

#[test]
fn papers_recipes_are_served_as_well() {
    for recipe in ["henzinger-combined", "pugh"] {
        let server = Running::with_index(Options::new(), recipe, &CreateOptions::new());
        let text = words(1, 0);
        server.post("/v1/documents", &json!({"id": "a", "text": text})).ok();
        assert_eq!(server.post("/v1/check", &json!({"text": text})).ok()["keeper"], "a");
        let pair = json!({"a": {"id": "a"}, "b": {"id": "a"}});
        assert_eq!(server.post("/v1/compare", &pair).ok()["look_alikes"], true);
    }
}

#[test]
fn numbers_are_told() {
    let server = Running::new();
    server.post("/v1/check-and-add", &json!({"id": "a", "text": words(1, 0)})).ok();
    server.post("/v1/check", &json!({"text": words(1, 1)})).ok();
    let stats = server.get("/v1/stats").ok();
    assert_eq!((&stats["documents"], &stats["recipe"]["name"]), (&json!(1), &json!("text")));
    let since = &stats["since_start"];
    let sum = |field: &str| -> u64 {
        since[field].as_array().unwrap().iter().map(|n| n.as_u64().unwrap()).sum()
    };
    assert_eq!((sum("resemblances"), sum("lengths")), (1, 1));
    assert_eq!(since["documents"].as_array().unwrap().last().unwrap()[1], 1);

    assert_eq!(server.get("/healthz").ok()["status"], "ok");
    let metrics = server.get("/metrics");
    assert_eq!(metrics.header("content-type"), Some("text/plain; version=0.0.4"));
    for line in [
        "lookalike_documents 1",
        "lookalike_requests_total{method=\"POST\",route=\"/v1/check\",status=\"200\"} 1",
        "lookalike_batch_documents_count 1",
    ] {
        assert!(metrics.text().lines().any(|found| found == line), "{line}\n{}", metrics.text());
    }
}

#[test]
fn each_request_is_a_line_of_the_log_without_what_it_said() {
    let server = Running::new();
    let json = [("Content-Type", "application/json"), ("X-Request-Id", "mine-1")];
    let body = br#"{"id": "secretid", "text": "secretword"}"#;
    let answer = server.send("POST", "/v1/documents", &json, body);
    assert_eq!(answer.header("x-request-id"), Some("mine-1"));
    server.get("/v1/documents/secretid?secretquery=1");
    server.get("/secretpath");
    let log = server.log();
    assert_eq!(log.len(), 3);
    let first: Value = serde_json::from_str(&log[0]).unwrap();
    assert_eq!(
        (&first["request"], &first["route"], &first["status"]),
        (&json!("mine-1"), &json!("/v1/documents"), &json!(201))
    );
    assert!(first["microseconds"].as_u64().is_some());
    assert!(!log.concat().contains("secret"), "{log:?}");
}

#[test]
fn reports_of_runs_are_shown() {
    let folder = WorkFolder::create(None).unwrap();
    let run = folder.join("my run");
    std::fs::create_dir(&run).unwrap();
    assert!(Options::new().run(&run).is_err_and(|e| e.to_string().contains("no report.html")));
    std::fs::write(run.join("report.html"), "<p>the report").unwrap();
    let options = Options::new().run(&run).unwrap();
    assert!(
        options.clone().run(&run).is_err_and(|e| e.to_string().contains("the name of another"))
    );
    let server = Running::with(options);
    let runs = server.get("/v1/runs").ok();
    assert_eq!(runs, json!({"runs": [{"name": "my run", "href": "/runs/my%20run/"}]}));
    let report = server.get("/runs/my%20run/");
    assert_eq!((report.status, report.text().as_str()), (200, "<p>the report"));
    assert!(report.header("content-security-policy").unwrap().contains("sandbox"));
    let short = server.get("/runs/my%20run");
    assert_eq!((short.status, short.header("location")), (308, Some("/runs/my%20run/")));
    server.get("/runs/..%2Findex/").problem(404, "not-found");
}

#[test]
fn sets_are_documents_where_the_recipe_is_of_sets() {
    let server = Running::with_index(Options::new(), "sets", &CreateOptions::new());
    let items: Vec<Value> = (0..100).map(|item| json!(item)).collect();
    let added = server.post("/v1/documents", &json!({"id": "a", "items": items}));
    assert_eq!((added.status, &added.ok()["replaced"]), (201, &json!(false)));
    // Strings and numbers that are written the same are the same.
    let same: Vec<Value> = (0..100).rev().map(|item| json!(item.to_string())).collect();
    let found = server.post("/v1/check", &json!({"items": same})).ok();
    assert_eq!(found["matches"][0]["kind"], "exact");
    let near: Vec<Value> = (5..105).map(|item| json!(f64::from(item))).collect();
    let found = server.post("/v1/check-and-add", &json!({"id": "b", "items": near})).ok();
    assert_eq!(found["matches"][0]["resemblance"], 95.0 / 105.0);
    let pair = json!({"a": {"id": "a"}, "b": {"items": near}});
    let compared = server.post("/v1/compare", &pair).ok();
    assert_eq!((&compared["shingles_a"], &compared["term_difference"]), (&json!(100), &json!(10)));
    let list = json!({"results": [{"id": "a"}, {"items": near}, {"items": ["x", true, null]}]});
    assert_eq!(server.post("/v1/collapse", &list).ok()["results"].as_array().unwrap().len(), 2);

    let read = server.get("/v1/documents/a").ok();
    assert_eq!((&read["stored"], &read["items"][1]), (&json!("items"), &json!("1")));
    assert!(read.get("text").is_none());
    let refused = server.post("/v1/check", &json!({"text": "0 1 2"})).problem(409, "other-kind");
    assert!(refused["detail"].as_str().unwrap().contains("this index is of sets"), "{refused}");
}
