//! What was answered is on disk, and nothing comes in between.

use std::io::{Read as _, Write as _};
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::json;

use crate::client::{Answer, Running, words};

#[test]
fn of_look_alikes_at_once_exactly_one_is_new() {
    let server = Running::new();
    for round in 0..20 {
        let new = AtomicUsize::new(0);
        std::thread::scope(|scope| {
            for client in 0..4 {
                let (server, new) = (&server, &new);
                scope.spawn(move || {
                    let id = format!("{round}-{client}");
                    let document = json!({"id": id, "text": words(round, client % 2)});
                    let answer = server.post("/v1/check-and-add", &document).ok();
                    assert_eq!(answer["new"], answer["added"].is_object());
                    new.fetch_add(usize::from(answer["new"] == true), Ordering::Relaxed);
                });
            }
        });
        assert_eq!(new.into_inner(), 1, "round {round}");
    }
    assert_eq!(server.get("/v1/stats").ok()["documents"], 20);
}

#[test]
fn changes_of_all_kinds_at_once_are_all_made() {
    let server = Running::new();
    for n in 0..40 {
        server.post("/v1/documents", &json!({"id": format!("old{n}"), "text": words(n, 0)})).ok();
    }
    std::thread::scope(|scope| {
        for client in 0..8 {
            let server = &server;
            scope.spawn(move || {
                for n in (client..40).step_by(8) {
                    let (id, text) = (format!("new{n}"), words(1000 + n, 0));
                    let document = json!({"id": id, "text": text});
                    match n % 3 {
                        0 => server.post("/v1/documents", &document).ok(),
                        1 => server.post("/v1/check-and-add", &document).ok(),
                        _ => server.post("/v1/check-and-add?add_if=any", &document).ok(),
                    };
                    assert_eq!(server.delete(&format!("/v1/documents/old{n}")).status, 204);
                    // Whoever was answered sees what he did.
                    assert_eq!(server.post("/v1/check", &json!({"text": text})).ok()["keeper"], id);
                }
            });
        }
    });
    let (index, _folder) = server.into_index();
    let mut ids: Vec<String> = index.documents().unwrap().map(|d| d.unwrap().id).collect();
    ids.sort();
    let mut expected: Vec<String> = (0..40).map(|n| format!("new{n}")).collect();
    expected.sort();
    assert_eq!(ids, expected);
    index.verify().unwrap();
}

#[test]
fn stopping_loses_nothing_that_was_answered() {
    let server = Running::new();
    let stop = server.stop_handle();
    let answered = std::sync::Mutex::new(Vec::new());
    std::thread::scope(|scope| {
        for client in 0..4 {
            let (server, answered) = (&server, &answered);
            scope.spawn(move || {
                for n in 0.. {
                    let id = format!("{client}-{n}");
                    let body = json!({"id": id, "text": words(client * 10_000 + n, 0)}).to_string();
                    let Ok(mut stream) = std::net::TcpStream::connect(server.address) else {
                        return;
                    };
                    let request = format!(
                        "POST /v1/documents HTTP/1.1\r\nHost: localhost\r\nContent-Type: \
                         application/json\r\nContent-Length: {}\r\nConnection: close\r\n\r\n{body}",
                        body.len()
                    );
                    let mut bytes = Vec::new();
                    let sent = stream.write_all(request.as_bytes());
                    if sent.and_then(|()| stream.read_to_end(&mut bytes)).is_err()
                        || bytes.is_empty()
                    {
                        return;
                    }
                    assert_eq!(Answer::parse(&bytes).status, 201);
                    answered.lock().unwrap().push(id);
                }
            });
        }
        while answered.lock().unwrap().len() < 50 {
            std::thread::yield_now();
        }
        stop.stop();
    });
    let answered = answered.into_inner().unwrap();
    let (index, _folder) = server.into_index();
    for id in &answered {
        assert!(index.get(id).unwrap().is_some(), "{id}");
    }
    index.verify().unwrap();
}

#[test]
fn requests_under_way_are_ended_when_the_server_stops() {
    let server = Running::new();
    let body = json!({"id": "late", "text": "late"}).to_string();
    let mut stream = server.connect();
    let head = format!(
        "POST /v1/documents HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
         Expect: 100-continue\r\nContent-Length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(head.as_bytes()).unwrap();
    // Says that the server waits for the body.
    let mut go = [0; 25];
    stream.read_exact(&mut go).unwrap();
    assert!(go.starts_with(b"HTTP/1.1 100"));
    server.stop_handle().stop();
    stream.write_all(body.as_bytes()).unwrap();
    assert_eq!(Answer::read(stream).status, 201);
    let (index, _folder) = server.into_index();
    assert!(index.get("late").unwrap().is_some());
}

/// The public fingerprints of these are those of the document that comes last.
#[test]
fn the_victim_of_a_forger_is_new() {
    let server = Running::new();
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/forged/documents.jsonl");
    for line in std::fs::read_to_string(file).unwrap().lines() {
        let document: serde_json::Value = serde_json::from_str(line).unwrap();
        let checked = server.post("/v1/check", &json!({"text": document["text"]})).ok();
        assert_eq!((&checked["new"], &checked["matches"]), (&json!(true), &json!([])), "{line}");
        assert_eq!(server.post("/v1/check-and-add", &document).ok()["new"], true, "{line}");
    }
    assert_eq!(server.get("/v1/stats").ok()["documents"], 3);
}
