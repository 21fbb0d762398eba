//! The service under load: clients of this process against a server in another one, over loopback.
//!
//! Each client has one connection that stays open and sends one request after
//! another. Every answer is checked: a document that was added is found again
//! under its id, and one that nobody added is new.

use std::fmt::Write as _;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

/// What is measured.
pub(crate) struct Load {
    /// The program `lookalike`.
    pub(crate) program: PathBuf,
    /// How long each kind of request is sent.
    pub(crate) time: Duration,
    pub(crate) clients: u64,
}

/// Words of a document: about 3 kB, a page of text.
const WORDS: u64 = 500;

/// What clients send.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Health,
    Add,
    Check,
    CheckAndAdd,
}

impl Kind {
    const ALL: [Self; 4] = [Self::Health, Self::Add, Self::Check, Self::CheckAndAdd];

    fn name(self) -> &'static str {
        match self {
            Self::Health => "GET /healthz",
            Self::Add => "POST /v1/documents",
            Self::Check => "POST /v1/check",
            Self::CheckAndAdd => "POST /v1/check-and-add",
        }
    }
}

pub(crate) fn run(load: &Load) -> io::Result<String> {
    let server = Served::start(load)?;
    let mut out = format!(
        "{} clients, {} s each, documents of {} bytes, verified by exact resemblance\n\n\
         {:<24}{:>9}{:>10}{:>9}{:>9}{:>9}{:>11}{:>8}\n",
        load.clients,
        load.time.as_secs_f64(),
        text(0, 0).len(),
        "request",
        "count",
        "a second",
        "p50 ms",
        "p99 ms",
        "max ms",
        "memory MB",
        "errors"
    );
    let added = AtomicU64::new(0);
    for kind in Kind::ALL {
        let mut times = measure(load, &server.address, kind, &added)?;
        let errors = times.iter().filter(|time| time.is_none()).count();
        let mut times: Vec<Duration> = times.drain(..).flatten().collect();
        times.sort_unstable();
        let at = |share: f64| {
            let place = (times.len() as f64 * share) as usize;
            times
                .get(place.min(times.len().saturating_sub(1)))
                .map_or(0.0, |t| t.as_secs_f64() * 1e3)
        };
        let _ = writeln!(
            out,
            "{:<24}{:>9}{:>10.0}{:>9.2}{:>9.2}{:>9.2}{:>11}{:>8}",
            kind.name(),
            times.len(),
            times.len() as f64 / load.time.as_secs_f64(),
            at(0.5),
            at(0.99),
            at(1.0),
            server.memory() / 1_000_000,
            errors
        );
        if errors > 0 {
            return Err(io::Error::other(format!("{out}{errors} answers were wrong")));
        }
    }
    let _ = writeln!(out, "\n{} documents in the end; {}", added.into_inner(), server.batches()?);
    Ok(out)
}

/// How long each request took; nothing if its answer was wrong.
fn measure(
    load: &Load,
    address: &str,
    kind: Kind,
    added: &AtomicU64,
) -> io::Result<Vec<Option<Duration>>> {
    std::thread::scope(|scope| {
        let clients: Vec<_> = (0..load.clients)
            .map(|client| {
                scope.spawn(move || {
                    let mut connection = Connection::open(address)?;
                    let mut times = Vec::new();
                    let start = now();
                    while start.elapsed() < load.time {
                        let request = Request::new(kind, client + times.len() as u64, added);
                        let sent = now();
                        let answer = connection.ask(&request)?;
                        let time = sent.elapsed();
                        times.push(request.is_right(&answer).then_some(time));
                    }
                    Ok(times)
                })
            })
            .collect();
        let times = clients.into_iter().map(|client| {
            client.join().unwrap_or_else(|_| Err(io::Error::other("a client panicked")))
        });
        Ok(times.collect::<io::Result<Vec<_>>>()?.concat())
    })
}

struct Request {
    kind: Kind,
    body: String,
    /// The id under which a look-alike is known.
    known: Option<String>,
}

impl Request {
    fn new(kind: Kind, turn: u64, added: &AtomicU64) -> Self {
        // Every other document is one that is known, with a word changed.
        let (seed, known) = match kind {
            Kind::Health => return Self { kind, body: String::new(), known: None },
            Kind::Add => (added.fetch_add(1, Ordering::Relaxed), None),
            _ if turn.is_multiple_of(2) => {
                // Of those that were added before this kind of request began.
                let known = turn % (added.load(Ordering::Relaxed) / 2).max(1);
                (known, Some(known.to_string()))
            }
            Kind::Check => (u64::MAX / 2 + turn, None),
            Kind::CheckAndAdd => (added.fetch_add(1, Ordering::Relaxed), None),
        };
        let id = if known.is_some() { format!("copy-{seed}") } else { seed.to_string() };
        let changed = u64::from(known.is_some()) * (turn + 1);
        let body = json!({"id": id, "text": text(seed, changed)}).to_string();
        Self { kind, body, known }
    }

    fn bytes(&self) -> String {
        let (line, length) = (self.kind.name(), self.body.len());
        format!(
            "{line} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
             Content-Length: {length}\r\n\r\n{}",
            self.body
        )
    }

    fn is_right(&self, answer: &Value) -> bool {
        match self.kind {
            Kind::Health => answer["status"] == "ok",
            Kind::Add => answer["replaced"] == false,
            Kind::Check | Kind::CheckAndAdd => match &self.known {
                Some(id) => answer["keeper"] == id.as_str(),
                None => answer["new"] == true,
            },
        }
    }
}

/// Words of a seed; one of them is another if `changed` is not 0.
fn text(seed: u64, changed: u64) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x1234_5678;
    let mut text = String::new();
    for n in 0..WORDS {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let word = if n == 250 && changed > 0 { changed } else { state >> 44 };
        let _ = write!(text, "w{word:x} ");
    }
    text
}

struct Connection(BufReader<TcpStream>);

impl Connection {
    fn open(address: &str) -> io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        Ok(Self(BufReader::new(stream)))
    }

    /// The answer in JSON, or null if it is none.
    fn ask(&mut self, request: &Request) -> io::Result<Value> {
        self.0.get_mut().write_all(request.bytes().as_bytes())?;
        let mut length = 0;
        loop {
            let mut line = String::new();
            if self.0.read_line(&mut line)? == 0 {
                return Err(io::Error::other("the server closed the connection"));
            }
            if let Some(value) = line.to_lowercase().strip_prefix("content-length: ") {
                length = value.trim().parse().map_err(io::Error::other)?;
            }
            if line == "\r\n" {
                break;
            }
        }
        let mut body = vec![0; length];
        self.0.read_exact(&mut body)?;
        Ok(serde_json::from_slice(&body).unwrap_or(Value::Null))
    }
}

/// A server in a process and a folder of its own.
struct Served {
    child: Child,
    folder: PathBuf,
    address: String,
}

impl Served {
    fn start(load: &Load) -> io::Result<Self> {
        let folder = std::env::temp_dir().join(format!("lookalike-load-{}", std::process::id()));
        let mut child = Command::new(&load.program)
            .args(["serve", "--create", "--listen", "127.0.0.1:0", "--max-requests", "4096"])
            .arg(&folder)
            .stderr(Stdio::piped())
            .spawn()?;
        let Some(stderr) = child.stderr.take() else { unreachable!("it is piped") };
        let mut stderr = BufReader::new(stderr);
        let mut said = String::new();
        while !said.contains("listening at http://") {
            said.clear();
            if stderr.read_line(&mut said)? == 0 {
                return Err(io::Error::other("the server did not start"));
            }
        }
        let address = said.trim().trim_end_matches('/').rsplit('/').next().unwrap_or_default();
        // Somebody must read the log, or the server waits for it.
        std::thread::spawn(move || io::copy(&mut stderr, &mut io::sink()));
        Ok(Self { child, folder, address: address.to_owned() })
    }

    /// Bytes of memory that the server has now.
    fn memory(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()));
        let status = status.unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        let kib = line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok());
        kib.unwrap_or(0) << 10
    }

    /// How many documents were written together.
    fn batches(&self) -> io::Result<String> {
        let mut stream = TcpStream::connect(&self.address)?;
        stream
            .write_all(b"GET /metrics HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")?;
        let mut text = String::new();
        stream.read_to_string(&mut text)?;
        let number = |name: &str| {
            let line = text.lines().find_map(|line| line.strip_prefix(name));
            line.and_then(|value| value.trim().parse::<f64>().ok()).unwrap_or(0.0)
        };
        let (sum, count) =
            (number("lookalike_batch_documents_sum"), number("lookalike_batch_documents_count"));
        Ok(format!("{:.1} changes were written together on average", sum / count.max(1.0)))
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}

#[expect(clippy::disallowed_methods, reason = "to measure is what this program is for")]
fn now() -> Instant {
    Instant::now()
}
