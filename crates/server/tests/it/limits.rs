//! Clients that ask for too much, or too slowly.

use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use lookalike_server::{Limits, Options};
use serde_json::json;

use crate::client::{Answer, Running, words};

fn limited(change: impl FnOnce(&mut Limits)) -> Running {
    let mut limits = Limits::default();
    change(&mut limits);
    Running::with(Options::new().limits(limits))
}

const HEAD: &str = "POST /v1/check HTTP/1.1\r\nHost: localhost\r\n\
                    Content-Type: application/json\r\nConnection: close\r\n";

#[test]
fn bodies_over_the_limit_are_refused() {
    let server = limited(|limits| limits.body_bytes = 100_000);
    let of = |bytes: usize| {
        let around = json!({"text": ""}).to_string().len();
        server.post("/v1/check", &json!({"text": "x".repeat(bytes - around)}))
    };
    of(100_000).ok();
    let problem = of(100_001).problem(413, "too-large");
    assert!(problem["detail"].as_str().unwrap().contains("100000 bytes"));
    of(300_000).problem(413, "too-large");
    // Without a length, too.
    let chunk = format!("{:x}\r\n{}\r\n", 200_000, " ".repeat(200_000));
    let request = format!("{HEAD}Transfer-Encoding: chunked\r\n\r\n{chunk}0\r\n\r\n");
    server.raw(request.as_bytes()).problem(413, "too-large");
    of(1000).ok();
}

#[test]
fn a_client_that_asks_first_sends_nothing_in_vain() {
    let server = limited(|limits| limits.body_bytes = 1000);
    let ask = |length: usize| {
        let mut stream = server.connect();
        let head = format!("{HEAD}Expect: 100-continue\r\nContent-Length: {length}\r\n\r\n");
        stream.write_all(head.as_bytes()).unwrap();
        stream
    };
    Answer::read(ask(100_000)).problem(413, "too-large");
    let mut stream = ask(13);
    let mut go = [0; 25];
    stream.read_exact(&mut go).unwrap();
    assert_eq!(&go, b"HTTP/1.1 100 Continue\r\n\r\n");
    stream.write_all(br#"{"text": "a"}"#).unwrap();
    Answer::read(stream).ok();
}

#[test]
fn bodies_that_do_not_come_are_not_waited_for() {
    let server = limited(|limits| limits.request_time = Duration::from_millis(300));
    let request = format!("{HEAD}Content-Length: 1000\r\n\r\n{{");
    server.raw(request.as_bytes()).problem(408, "timeout");
}

#[test]
fn heads_that_do_not_come_are_not_waited_for() {
    let server = limited(|limits| limits.header_time = Duration::from_millis(300));
    for start in ["", "GET /healthz HTTP/1.1\r\nHos"] {
        let mut stream = server.connect();
        stream.write_all(start.as_bytes()).unwrap();
        let mut rest = Vec::new();
        // Ends because the server closes, with or without a word.
        let _ = stream.read_to_end(&mut rest);
        assert!(!String::from_utf8_lossy(&rest).contains("200 OK"));
    }
}

#[test]
fn large_bodies_together_are_bounded() {
    let server = limited(|limits| limits.body_bytes = 16 << 20);
    // Eight of them fill the memory that all bodies have.
    let half = vec![b' '; 15 << 20];
    let mut open: Vec<TcpStream> = Vec::new();
    for _ in 0..8 {
        let mut stream = server.connect();
        let head = format!("{HEAD}Content-Length: {}\r\n\r\n", 16 << 20);
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(&half).unwrap();
        open.push(stream);
    }
    let body = json!({"text": "x".repeat(12 << 20)});
    let refused = server.post("/v1/check", &body);
    refused.problem(503, "busy");
    assert_eq!(refused.header("retry-after"), Some("1"));
    server.post("/v1/check", &json!({"text": "small"})).ok();
    drop(open);
}

#[test]
fn too_many_requests_are_told_to_come_again() {
    let server = limited(|limits| (limits.requests, limits.threads) = (1, 1));
    // Comparing these two takes a while.
    let random = |seed: u64| {
        let mut state = seed;
        let word = |_| {
            state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            ["a", "b", "c", "d"][(state >> 62) as usize]
        };
        (0..150_000).map(word).collect::<Vec<_>>().join(" ")
    };
    let pair = json!({"a": {"text": random(1)}, "b": {"text": random(2)}});
    // May come while another one is looked at, or its place is not free yet though it has its answer.
    let patient = |path: &str, body: &serde_json::Value| {
        let tries = std::iter::repeat_with(|| server.post(path, body));
        tries.take(100).find(|answer| answer.status != 503).unwrap().ok()
    };
    std::thread::scope(|scope| {
        let slow = scope.spawn(|| patient("/v1/compare", &pair));
        let mut refused = None;
        while refused.is_none() && !slow.is_finished() {
            let answer = server.post("/v1/check", &json!({"text": "x"}));
            refused = (answer.status != 200).then_some(answer);
        }
        refused.unwrap().problem(503, "busy");
        assert_eq!(server.get("/healthz").status, 200);
        slow.join().unwrap();
    });
    patient("/v1/check", &json!({"text": "x"}));
}

#[test]
fn slow_clients_stop_nobody() {
    let server = Running::new();
    let mut slow = Vec::new();
    for n in 0..200 {
        let mut stream = server.connect();
        let start = match n % 3 {
            0 => "G",
            1 => "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Len",
            _ => {
                "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
                 Content-Length: 1000\r\n\r\n{\"text\": \""
            }
        };
        stream.write_all(start.as_bytes()).unwrap();
        slow.push(stream);
    }
    for n in 0..20 {
        for stream in &mut slow {
            // One byte more, as slow clients do.
            let _ = stream.write_all(b"x");
        }
        server.post("/v1/check-and-add", &json!({"id": n.to_string(), "text": words(n, 0)})).ok();
    }
    assert_eq!(server.get("/v1/stats").ok()["documents"], 20);
}

#[test]
fn clients_that_do_not_read_are_cut_off() {
    // Long enough that a busy machine takes the document in time.
    let server = limited(|limits| limits.request_time = Duration::from_secs(5));
    let text = "x ".repeat(7 << 20);
    server.post("/v1/documents", &json!({"id": "large", "text": text})).ok();
    let mut stream = server.connect();
    let request = b"GET /v1/documents/large HTTP/1.1\r\nHost: localhost\r\n\r\n";
    stream.write_all(request).unwrap();
    // Its beginning shows that the server has the connection, and counts it.
    let mut bytes = vec![0];
    stream.read_exact(&mut bytes).unwrap();
    // The answer does not fit what lies between, so that the server waits, and then gives up.
    let alone = "\nlookalike_connections 1\n";
    while !server.get("/metrics").text().contains(alone) {
        std::thread::sleep(Duration::from_millis(20));
    }
    let _ = stream.read_to_end(&mut bytes);
    assert!(bytes.len() < text.len(), "all {} bytes came", bytes.len());
    let whole = server.get("/v1/documents/large");
    assert_eq!(whole.json()["text"].as_str().unwrap().len(), text.len());
}

#[test]
fn connections_are_kept_alive() {
    let server = Running::new();
    let mut stream = server.connect();
    for _ in 0..3 {
        stream.write_all(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n").unwrap();
        let mut bytes = Vec::new();
        while !bytes.ends_with(b"}") {
            let mut some = [0; 4096];
            let read = stream.read(&mut some).unwrap();
            assert!(read > 0);
            bytes.extend_from_slice(&some[..read]);
        }
        assert_eq!(Answer::parse(&bytes).status, 200);
    }
}
