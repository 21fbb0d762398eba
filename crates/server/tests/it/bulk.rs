//! Streams of operations.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::Shutdown;

use lookalike_server::{Limits, Options};
use serde_json::{Value, json};

use crate::client::{Running, words};

fn lines(operations: &[Value]) -> String {
    let lines: Vec<String> = operations.iter().map(Value::to_string).collect();
    lines.join("\n")
}

#[test]
fn operations_see_what_those_before_them_did() {
    let server = Running::new();
    let document = |id: &str, changed| json!({"id": id, "text": words(1, changed)});
    let answers = server.bulk(&lines(&[
        json!({"op": "check", "document": {"text": words(1, 0)}}),
        json!({"op": "add", "document": document("a", 0)}),
        json!({"op": "check", "document": {"text": words(1, 1)}}),
        json!({"op": "check-and-add", "document": document("b", 1)}),
        json!({"op": "check-and-add", "document": document("c", 1), "add_if": "any"}),
        json!({"op": "remove", "id": "a"}),
        json!({"op": "remove", "id": "a"}),
        json!({"op": "check", "document": {"text": words(1, 1)}}),
    ]));
    let found = |n: usize, path: &str| answers[n].pointer(path).cloned().unwrap_or(Value::Null);
    assert_eq!(found(0, "/new"), true);
    assert_eq!(found(1, "/added/replaced"), false);
    assert_eq!(found(2, "/keeper"), "a");
    assert_eq!((found(3, "/keeper"), found(3, "/added")), (json!("a"), Value::Null));
    assert!(found(4, "/added").is_object());
    assert_eq!((found(5, "/removed"), found(6, "/removed")), (json!(true), json!(false)));
    assert_eq!(found(7, "/keeper"), "c");
    let numbers: Vec<_> = answers.iter().map(|answer| answer["line"].as_u64().unwrap()).collect();
    assert_eq!(numbers, [1, 2, 3, 4, 5, 6, 7, 8]);
}

#[test]
fn a_wrong_line_is_answered_and_the_stream_goes_on() {
    let server = Running::new();
    let good = json!({"op": "add", "document": {"id": "a", "text": "x"}}).to_string();
    let bad = [
        "oops",
        "{\"op\": \"explode\"}",
        "{\"op\": \"add\", \"document\": {\"text\": \"no id\"}}",
        "{\"op\": \"add\", \"document\": {\"id\": \"a\", \"text\": \"x\"}, \"more\": 1}",
        "{\"op\": \"remove\"}",
        "[]",
    ];
    let stream = format!("{good}\n\n{}\r\n  \n{good}", bad.join("\n"));
    let answers = server.bulk(&stream);
    let numbers: Vec<_> = answers.iter().map(|answer| answer["line"].as_u64().unwrap()).collect();
    assert_eq!(numbers, [1, 3, 4, 5, 6, 7, 8, 10]);
    for answer in &answers[1..7] {
        let status = answer["error"]["status"].as_u64().unwrap();
        assert!(status == 400 || status == 422, "{answer}");
        assert!(answer["error"].get("line").is_none(), "the answer has it: {answer}");
    }
    assert_eq!(answers[7]["added"]["replaced"], true);
    assert_eq!(server.bulk(""), [] as [Value; 0]);
    assert_eq!(server.bulk("\n\n"), [] as [Value; 0]);
}

#[test]
fn lines_over_the_limit_are_skipped() {
    let limits = Limits { body_bytes: 50_000, ..Limits::default() };
    let server = Running::with(Options::new().limits(limits));
    let check = |text: &str| json!({"op": "check", "document": {"text": text}}).to_string();
    let (small, large) = (check("x"), check(&"x".repeat(3_000_000)));
    let answers = server.bulk(&[&small, &large, &small, &large].map(String::as_str).join("\n"));
    let statuses: Vec<_> =
        answers.iter().map(|answer| answer["error"]["status"].as_u64()).collect();
    assert_eq!(statuses, [None, Some(413), None, Some(413)]);
    let numbers: Vec<_> = answers.iter().map(|answer| answer["line"].as_u64().unwrap()).collect();
    assert_eq!(numbers, [1, 2, 3, 4]);
}

#[test]
fn many_lines_at_once_are_all_answered_however_small_the_limit() {
    let limits = Limits { body_bytes: 60, ..Limits::default() };
    let server = Running::with(Options::new().limits(limits));
    let stream = "{\"op\": \"remove\", \"id\": \"x\"}\n\n".repeat(5000);
    let answers = server.bulk(&stream);
    assert_eq!(answers.len(), 5000);
    assert!(answers.iter().all(|answer| answer["removed"] == false));
    assert_eq!(answers[4999]["line"], 9999);
}

#[test]
fn a_client_that_does_not_read_is_not_read_from() {
    let limits =
        Limits { request_time: std::time::Duration::from_millis(500), ..Limits::default() };
    let server = Running::with(Options::new().limits(limits));
    let mut stream = server.connect();
    let head = "POST /v1/bulk HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\n\
                Content-Length: 1000000000\r\n\r\n";
    stream.write_all(head.as_bytes()).unwrap();
    // Small lines with long answers: what lies between fills up, and then the server gives up.
    let wrong = "x\n".repeat(10_000);
    let mut sent = 0;
    while stream.write_all(wrong.as_bytes()).is_ok() {
        sent += wrong.len();
        assert!(sent < 900_000_000, "it reads without being read from");
    }
}

#[test]
fn a_stream_ends_when_the_server_stops() {
    let server = Running::new();
    let mut stream = server.connect();
    let line = json!({"op": "add", "document": {"id": "a", "text": "x"}}).to_string();
    let request = format!(
        "POST /v1/bulk HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/x-ndjson\r\n\
         Content-Length: 100000\r\n\r\n{line}\n"
    );
    stream.write_all(request.as_bytes()).unwrap();
    let mut reader = BufReader::new(stream.try_clone().unwrap());
    let mut answer = String::new();
    while !answer.contains("\"added\"") {
        answer.clear();
        assert!(reader.read_line(&mut answer).unwrap() > 0);
    }
    server.stop_handle().stop();
    let mut rest = String::new();
    let _ = reader.read_to_string(&mut rest);
    assert!(rest.contains("\"line\":2,\"error\"") && rest.contains("stopping"), "{rest}");
    let _ = stream.shutdown(Shutdown::Both);
    let (index, _folder) = server.into_index();
    assert_eq!(index.len(), 1);
}
