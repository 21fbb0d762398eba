//! Every error is a problem that says what is wrong and where.

use serde_json::json;

use crate::client::Running;

const JSON: (&str, &str) = ("Content-Type", "application/json");

#[test]
fn bodies_that_are_not_json_say_where() {
    let server = Running::new();
    let post = |body: &[u8]| server.send("POST", "/v1/check", &[JSON], body);
    let problem = post(b"{\"text\":\n  oops}").problem(400, "malformed");
    assert_eq!((&problem["line"], &problem["column"]), (&json!(2), &json!(3)));
    for body in [&b""[..], b"{", b"\xff\xfe", b"{\"text\": \"\xff\"}", b"{\"text\": \"\\ud800\"}"] {
        post(body).problem(400, "malformed");
    }
    let deep = format!("{{\"text\": \"a\", \"url\": {}", "[".repeat(100_000));
    post(deep.as_bytes()).problem(422, "invalid");
}

#[test]
fn bodies_that_make_no_sense_say_why() {
    let server = Running::new();
    let long = "x".repeat(4097);
    for (path, body, detail) in [
        ("/v1/check", json!({}), "neither `text` nor `html`"),
        ("/v1/check", json!({"text": "a", "html": "b"}), "both `text` and `html`"),
        ("/v1/check", json!({"text": "a", "title": "b"}), "unknown field `title`"),
        ("/v1/check", json!({"text": "a", "items": ["b"]}), "`items` beside `text`"),
        ("/v1/check", json!({"items": [["b"]]}), "did not match"),
        ("/v1/check", json!({"text": 5}), "invalid type: integer `5`, expected a string"),
        ("/v1/check", json!([]), "invalid"),
        ("/v1/check", json!({"text": "a", "id": ""}), "the id is empty"),
        ("/v1/documents", json!({"text": "a"}), "no `id`"),
        ("/v1/documents", json!({"id": long, "text": "a"}), "4097 characters, more than 4096"),
        ("/v1/documents", json!({"id": "a", "text": "a", "url": "x".repeat(16385)}), "the url has"),
        ("/v1/compare", json!({"a": {"text": "a"}}), "missing field `b`"),
        (
            "/v1/compare",
            json!({"a": {"text": "a"}, "b": {"url": "x"}}),
            "neither `text` nor `html`",
        ),
        ("/v1/compare", json!({"a": {"text": "a"}, "b": {}}), "nor `id`"),
        ("/v1/collapse", json!({"results": vec![json!({"id": "x"}); 1001]}), "more than 1000"),
    ] {
        let problem = server.post(path, &body).problem(422, "invalid");
        assert!(problem["detail"].as_str().unwrap().contains(detail), "{detail}: {problem}");
    }
    let pair = json!({"a": {"id": "nowhere"}, "b": {"text": "x"}});
    server.post("/v1/compare", &pair).problem(404, "unknown-document");
    let other = server.post("/v1/check", &json!({"items": ["b"]})).problem(409, "other-kind");
    assert!(other["detail"].as_str().unwrap().contains("this index is of texts"), "{other}");
    let twice = br#"{"text": "a", "text": "b"}"#;
    server.send("POST", "/v1/check", &[JSON], twice).problem(422, "invalid");
}

#[test]
fn other_content_types_are_refused() {
    let server = Running::new();
    let form = [("Content-Type", "application/x-www-form-urlencoded")];
    for path in ["/v1/check", "/v1/documents", "/v1/bulk", "/v1/compare", "/v1/collapse"] {
        server.send("POST", path, &form, b"a=b").problem(415, "media-type");
        server.send("POST", path, &[], b"{}").problem(415, "media-type");
    }
    let charset = [("Content-Type", "Application/JSON; charset=utf-8")];
    server.send("POST", "/v1/check", &charset, br#"{"text": "a"}"#).ok();
}

#[test]
fn unknown_addresses_and_methods() {
    let server = Running::new();
    for path in ["/v2", "/v1", "/v1/documents/", "/v1/documents/a/b", "/page/../x", "/index.html"] {
        server.get(path).problem(404, "not-found");
    }
    let refused = server.send("PUT", "/v1/documents/a", &[], b"{}");
    refused.problem(405, "method-not-allowed");
    let allowed: Vec<_> = refused.header("allow").unwrap().split(',').collect();
    assert!(allowed.contains(&"GET") && allowed.contains(&"DELETE"), "{allowed:?}");
    server.send("BREW", "/v1/check", &[], b"").problem(405, "method-not-allowed");
    server.send("POST", "/", &[JSON], b"{}").problem(405, "method-not-allowed");
    assert_eq!(server.send("HEAD", "/healthz", &[], b"").status, 200);
}

#[test]
fn addresses_that_cannot_be_read() {
    let server = Running::new();
    server.get("/v1/documents/%ff").problem(400, "malformed");
    for query in ["limit=0", "limit=1001", "limit=x", "after=-1", "after=9007199254740992", "x=1"] {
        server.get(&format!("/v1/documents?{query}")).problem(400, "malformed");
    }
    let document = json!({"id": "a", "text": "a"});
    server.post("/v1/check-and-add?add_if=never", &document).problem(400, "malformed");
    assert_eq!(server.get("/v1/documents").ok()["documents"], json!([]));
}

#[test]
fn what_is_not_http_ends_the_connection() {
    let server = Running::new();
    for bytes in [&b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n"[..], b"GET\r\n\r\n"] {
        assert_eq!(server.raw(bytes).status, 400);
    }
    let long = format!("GET /{} HTTP/1.1\r\n\r\n", "x".repeat(600_000));
    assert!((400..500).contains(&server.raw(long.as_bytes()).status));
    assert_eq!(server.get("/healthz").status, 200);
}

#[test]
fn bodies_that_end_early_change_nothing() {
    let server = Running::new();
    let head = "POST /v1/documents HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
                Content-Length: 100\r\nConnection: close\r\n\r\n{\"id\": \"a\",";
    let mut stream = server.connect();
    std::io::Write::write_all(&mut stream, head.as_bytes()).unwrap();
    stream.shutdown(std::net::Shutdown::Both).unwrap();
    assert_eq!(server.get("/v1/documents").ok()["documents"], json!([]));
}

#[test]
fn other_hosts_are_turned_away_without_a_token() {
    let server = Running::new();
    let rebound = "GET /v1/stats HTTP/1.1\r\nHost: evil.example:7700\r\nConnection: close\r\n\r\n";
    server.raw(rebound.as_bytes()).problem(421, "misdirected");
    let ours = "GET /v1/stats HTTP/1.1\r\nHost: 127.0.0.1:7700\r\nConnection: close\r\n\r\n";
    server.raw(ours.as_bytes()).ok();
}
