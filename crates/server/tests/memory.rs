//! Long streams and long reports take little memory. In a process of its own, because it looks at the
//! memory of the process.

#![expect(clippy::unwrap_used, reason = "a failed unwrap is a failed test")]

#[path = "it/client.rs"]
#[expect(dead_code, reason = "only a part of it is needed here")]
mod client;

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::sync::{Arc, Barrier, Mutex, MutexGuard, PoisonError};

use client::{Running, words};
use lookalike_files::WorkFolder;
use lookalike_server::{Limits, Options};
use serde_json::json;

/// One test at a time, each with a peak of its own.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    let alone = ALONE.lock().unwrap_or_else(PoisonError::into_inner);
    std::fs::write("/proc/self/clear_refs", "5").unwrap();
    alone
}

/// The most memory that this process had in this test, in bytes.
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
    let _alone = alone();
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

/// 500 streams, each with one long line that waits for the one thread there is: 1,000 MB of parsed
/// documents where 64 MiB are allowed. Those for which there is no room are told so.
#[test]
fn many_streams_with_long_lines_stay_within_the_budget() {
    const STREAMS: usize = 500;
    let _alone = alone();
    let limits = Limits { body_bytes: 2 << 20, threads: 1, ..Limits::default() };
    let server = Running::with(Options::new().limits(limits));
    let text = (0..300_000).map(|n: u32| n.to_string()).collect::<Vec<_>>().join(" ");
    let line = json!({"op": "check", "document": {"text": &text[..1_900_000]}}).to_string();
    let body: Arc<str> = format!(
        "POST /v1/bulk HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\
         Content-Type: application/x-ndjson\r\nContent-Length: {}\r\n\r\n{line}\n",
        line.len() + 1
    )
    .into();
    drop((text, line));
    let before = peak_memory();
    let together = Arc::new(Barrier::new(STREAMS));
    let clients: Vec<_> = (0..STREAMS)
        .map(|_| {
            let (body, together) = (Arc::clone(&body), Arc::clone(&together));
            let mut stream = server.connect();
            let client = move || {
                together.wait();
                // The server may have refused it before its end.
                let _ = stream.write_all(body.as_bytes());
                let mut answer = String::new();
                let _ = stream.read_to_string(&mut answer);
                let (answered, busy) =
                    (answer.contains("\"new\""), answer.contains("problem:busy"));
                (answered, busy)
            };
            std::thread::Builder::new().stack_size(128 << 10).spawn(client).unwrap()
        })
        .collect();
    let said: Vec<(bool, bool)> =
        clients.into_iter().map(|client| client.join().unwrap()).collect();
    let grown = peak_memory().saturating_sub(before);
    let answered = said.iter().filter(|(answered, _)| *answered).count();
    let busy = said.iter().filter(|(_, busy)| *busy).count();
    assert!(answered > 0 && busy > 0, "{answered} answered, {busy} refused");
    // What is parsed is there twice for a moment, each stream has some buffers, and on a busy machine more of
    // them at a time.
    assert!(grown < 320 << 20, "{} MiB more; {answered} answered, {busy} refused", grown >> 20);
}

/// 300 MB, of which a piece is in memory at a time.
#[test]
fn a_long_report_takes_the_memory_of_a_piece() {
    const BYTES: u64 = 300 << 20;
    let _alone = alone();
    let folder = WorkFolder::create(None).unwrap();
    let report = folder.join("report.html");
    std::fs::File::create(&report).unwrap().set_len(BYTES).unwrap();
    let server = Running::with(Options::new().run(&folder).unwrap());
    let name = folder.file_name().unwrap().to_str().unwrap();
    let mut stream = server.connect();
    let before = peak_memory();
    write!(stream, "GET /runs/{name}/ HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
        .unwrap();
    let sent = std::io::copy(&mut stream, &mut std::io::sink()).unwrap();
    assert!(sent > BYTES, "{sent}");
    let grown = peak_memory().saturating_sub(before);
    assert!(grown < 16 << 20, "{} MiB more", grown >> 20);
}
