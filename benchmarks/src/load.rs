//! The service under load: clients of this process against a server in another one, over loopback.
//!
//! Each client has one connection that stays open and sends one request after
//! another. Every answer is checked: a document that was added is found again
//! under its id, and one that nobody added is new.

mod slow;

use std::fmt::Write as _;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use serde_json::{Value, json};

use crate::measuring::now;
use slow::SlowClients;

/// What is measured.
pub(crate) struct Load {
    /// The program `lookalike`.
    pub(crate) program: PathBuf,
    /// How long each kind of request is sent.
    pub(crate) time: Duration,
    pub(crate) clients: u64,
    /// How long all kinds are sent at once, while memory is watched.
    pub(crate) sustained: Duration,
    /// Connections that meanwhile send a byte a second.
    pub(crate) slow: u64,
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
    Remove,
}

impl Kind {
    const ALONE: [Self; 4] = [Self::Health, Self::Add, Self::Check, Self::CheckAndAdd];

    fn name(self) -> &'static str {
        match self {
            Self::Health => "GET /healthz",
            Self::Add => "POST /v1/documents",
            Self::Check => "POST /v1/check",
            Self::CheckAndAdd => "POST /v1/check-and-add",
            Self::Remove => "DELETE /v1/documents",
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
    for kind in Kind::ALONE {
        let turn = |client, turn| Request::new(kind, client + turn, &added);
        let times = measure(load.clients, load.time, &server.address, &turn)?;
        row(&mut out, kind.name(), load.time, &times, &server)?;
    }
    let _ = writeln!(out, "\n{} documents in the end; {}", added.into_inner(), server.batches()?);
    if load.sustained > Duration::ZERO {
        sustain(load, &server, &mut out)?;
    }
    Ok(out)
}

/// A line of the report. Fails if an answer was wrong.
fn row(
    out: &mut String,
    name: &str,
    time: Duration,
    times: &[Option<Duration>],
    server: &Served,
) -> io::Result<()> {
    let errors = times.iter().filter(|time| time.is_none()).count();
    let mut times: Vec<Duration> = times.iter().copied().flatten().collect();
    times.sort_unstable();
    let at = |share: f64| {
        let place = (times.len() as f64 * share) as usize;
        times.get(place.min(times.len().saturating_sub(1))).map_or(0.0, |t| t.as_secs_f64() * 1e3)
    };
    let _ = writeln!(
        out,
        "{name:<24}{:>9}{:>10.0}{:>9.2}{:>9.2}{:>9.2}{:>11}{errors:>8}",
        times.len(),
        times.len() as f64 / time.as_secs_f64(),
        at(0.5),
        at(0.99),
        at(1.0),
        server.memory() / 1_000_000,
    );
    if errors > 0 {
        return Err(io::Error::other(format!("{out}{errors} answers were wrong")));
    }
    Ok(())
}

/// Parts of a sustained load, of which each has a line.
const PARTS: u32 = 10;
/// What memory may grow by between the second part and the last: what the allocator and the
/// system's own accounts may be off by.
const GROWTH: u64 = 16 << 20;
/// From how long a load on memory is judged: until then, caches and tables fill up.
const FULL: Duration = Duration::from_mins(5);

/// All kinds of requests at once. Each client adds, checks and removes documents of its own, so that
/// the index is as large in the end as in the beginning.
fn sustain(load: &Load, server: &Served, out: &mut String) -> io::Result<()> {
    let _ = writeln!(
        out,
        "\nall at once, {} s, {} more clients that send a byte a second",
        load.sustained.as_secs_f64(),
        load.slow
    );
    let slow = SlowClients::start(&server.address, load.slow);
    let time = load.sustained / PARTS;
    let mut memory = Vec::new();
    for part in 1..=PARTS {
        let cycle = |client, turn| Request::of_cycle(client, turn);
        let times = measure(load.clients, time, &server.address, &cycle)?;
        row(out, &format!("  part {part} of {PARTS}"), time, &times, server)?;
        memory.push(server.memory());
    }
    let refused = slow.end()?;
    let _ = writeln!(out, "  of the slow clients the server closed {refused}");
    match memory[..] {
        [_, second, .., last] if load.sustained >= FULL && last > second + second / 10 + GROWTH => {
            Err(io::Error::other(format!("{out}the memory of the server grew")))
        }
        _ => Ok(()),
    }
}

/// How long each request took; nothing if its answer was wrong. `request` makes them, of a client
/// and its turn.
fn measure(
    clients: u64,
    length: Duration,
    address: &str,
    request: &(dyn Fn(u64, u64) -> Request + Sync),
) -> io::Result<Vec<Option<Duration>>> {
    std::thread::scope(|scope| {
        let clients: Vec<_> = (0..clients)
            .map(|client| {
                scope.spawn(move || {
                    let mut connection = Connection::open(address)?;
                    let mut times = Vec::new();
                    let start = now();
                    // A cycle that was begun is ended.
                    while start.elapsed() < length || !times.len().is_multiple_of(CYCLE) {
                        let request = request(client, times.len() as u64);
                        let sent = now();
                        let (status, answer) = connection.ask(&request)?;
                        let time = sent.elapsed();
                        times.push(request.is_right(status, &answer).then_some(time));
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

/// Requests of a cycle.
const CYCLE: usize = 6;

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
            Kind::Remove => unreachable!("only in a cycle"),
        };
        let id = if known.is_some() { format!("copy-{seed}") } else { seed.to_string() };
        let changed = u64::from(known.is_some()) * (turn + 1);
        Self { kind, body: document(&id, seed, changed), known }
    }

    /// A document comes, is asked about twice, a look-alike of it is refused, and it goes; between
    /// them a document that nobody knows.
    fn of_cycle(client: u64, turn: u64) -> Self {
        let (cycle, step) = (turn / CYCLE as u64, turn % CYCLE as u64);
        let seed = u64::MAX / 4 + (client << 32) + cycle;
        let id = format!("of-{client}");
        let (kind, known) = match step {
            0 => (Kind::Add, None),
            1 | 2 => (Kind::Check, Some(id.clone())),
            3 => (Kind::CheckAndAdd, Some(id.clone())),
            4 => (Kind::Remove, None),
            _ => (Kind::Check, None),
        };
        let body = match kind {
            Kind::Remove => String::new(),
            _ if known.is_some() => document(&format!("copy-{client}"), seed, turn + 1),
            _ => document(&id, seed, 0),
        };
        Self { kind, body, known: if kind == Kind::Remove { Some(id) } else { known } }
    }

    fn bytes(&self) -> String {
        let length = self.body.len();
        let line = match (self.kind, &self.known) {
            (Kind::Remove, Some(id)) => format!("{}/{id}", self.kind.name()),
            _ => self.kind.name().to_owned(),
        };
        format!(
            "{line} HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
             Content-Length: {length}\r\n\r\n{}",
            self.body
        )
    }

    fn is_right(&self, status: u16, answer: &Value) -> bool {
        match self.kind {
            Kind::Health => answer["status"] == "ok",
            Kind::Add => answer["replaced"] == false,
            Kind::Check | Kind::CheckAndAdd => match &self.known {
                Some(id) => answer["keeper"] == id.as_str(),
                None => answer["new"] == true,
            },
            Kind::Remove => status == 204,
        }
    }
}

fn document(id: &str, seed: u64, changed: u64) -> String {
    json!({"id": id, "text": text(seed, changed)}).to_string()
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

    /// The status, and the answer in JSON, or null if it is none.
    fn ask(&mut self, request: &Request) -> io::Result<(u16, Value)> {
        self.0.get_mut().write_all(request.bytes().as_bytes())?;
        let (mut status, mut length) = (0, 0);
        loop {
            let mut line = String::new();
            if self.0.read_line(&mut line)? == 0 {
                return Err(io::Error::other("the server closed the connection"));
            }
            if let Some(rest) = line.strip_prefix("HTTP/1.1 ") {
                status = rest.get(..3).and_then(|digits| digits.parse().ok()).unwrap_or(0);
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
        Ok((status, serde_json::from_slice(&body).unwrap_or(Value::Null)))
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
