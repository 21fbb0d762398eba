//! A long stream takes the memory of a few lines. In a process of its own, because it looks at the
//! memory of the process.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

#[path = "it/client.rs"]
#[expect(dead_code, reason = "only a part of it is needed here")]
mod client;

use std::io::{BufRead as _, BufReader, Write as _};

use client::{Running, words};
use serde_json::json;

/// The most memory that this process ever had, in bytes.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find(|line| line.starts_with("VmHWM:"));
    let kib = line.and_then(|line| line.split_whitespace().nth(1)?.parse::<u64>().ok());
    kib.unwrap_or(0) << 10
}

/// 100,000 lines of 4 kB each, which are 400 MB, with answers that are read meanwhile.
#[test]
fn a_long_stream_takes_the_memory_of_a_few_lines() {
    const LINES: usize = 100_000;
    let server = Running::new();
    let add = json!({"op": "add", "document": {"id": "a", "text": words(1, 0)}});
    assert_eq!(server.bulk(&add.to_string()).len(), 1);
    let text = format!("{} {}", words(1, 0), "and so on ".repeat(350));
    let check = format!("{}\n", json!({"op": "check", "document": {"text": text}}));

    let stream = server.connect();
    let mut writer = stream.try_clone().unwrap();
    let before = peak_memory();
    let sending = std::thread::spawn(move || {
        let head = "POST /v1/bulk HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
                    Content-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n";
        writer.write_all(head.as_bytes()).unwrap();
        let together = check.repeat(10);
        for _ in 0..LINES / 10 {
            write!(writer, "{:x}\r\n{together}\r\n", together.len()).unwrap();
        }
        writer.write_all(b"0\r\n\r\n").unwrap();
    });
    let mut answered = 0;
    for line in BufReader::new(stream).lines() {
        let line = line.unwrap();
        if line.starts_with('{') {
            answered += 1;
            assert!(line.starts_with(&format!("{{\"line\":{answered},")), "{line}");
        }
    }
    sending.join().unwrap();
    assert_eq!(answered, LINES);
    let grown = peak_memory().saturating_sub(before);
    assert!(grown < 100 << 20, "{} MiB more", grown >> 20);
}
