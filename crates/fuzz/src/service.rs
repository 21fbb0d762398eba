//! A service to talk to.

use std::io::{Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::sync::Mutex;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use lookalike_core::Recipe;
use lookalike_index::{CreateOptions, Document, Index, OpenOptions};
use lookalike_server::{Limits, Options, Server, Stop};

use crate::folders::folder;

/// A service over a small index, made anew now and then, so that it stays small.
pub(crate) struct Service {
    target: &'static str,
    running: Mutex<Option<Running>>,
}

struct Running {
    address: SocketAddr,
    stop: Stop,
    thread: JoinHandle<()>,
    asked: u32,
}

/// Longer than the service lets anything take; the fuzzer's own patience is ten seconds.
const LATE: Duration = Duration::from_secs(9);
/// An answer to what is whole comes sooner.
const SOON: Duration = Duration::from_millis(20);

fn is_late(error: &std::io::Error) -> bool {
    matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut)
}

/// After so many requests.
const ANEW: u32 = 3000;

impl Service {
    /// One that begins with the first request.
    pub(crate) const fn new(target: &'static str) -> Self {
        Self { target, running: Mutex::new(None) }
    }

    /// Sends a whole request that asks to close, and gives the answer.
    pub(crate) fn ask(&self, request: &[u8]) -> Vec<u8> {
        let mut stream = self.connect(request);
        let mut answer = Vec::new();
        if let Err(error) = stream.read_to_end(&mut answer) {
            assert!(!is_late(&error), "no end of the answer");
        }
        answer
    }

    /// Sends bytes as they are, and gives what comes back: at once, or once nothing more can come to the
    /// service, which is then free to drop what it was asked.
    pub(crate) fn send(&self, bytes: &[u8]) -> Vec<u8> {
        let mut stream = self.connect(bytes);
        let mut answer = Vec::new();
        stream.set_read_timeout(Some(SOON)).unwrap();
        let Err(error) = stream.read_to_end(&mut answer) else { return answer };
        if is_late(&error) {
            let _ = stream.shutdown(Shutdown::Write);
            stream.set_read_timeout(Some(LATE)).unwrap();
            if let Err(error) = stream.read_to_end(&mut answer) {
                assert!(!is_late(&error), "no end of the answer");
            }
        }
        answer
    }

    fn connect(&self, bytes: &[u8]) -> TcpStream {
        let mut stream = TcpStream::connect(self.address()).unwrap();
        stream.set_nodelay(true).unwrap();
        stream.set_read_timeout(Some(LATE)).unwrap();
        // The service may have closed before it read everything.
        let _ = stream.write_all(bytes);
        stream
    }

    fn address(&self) -> SocketAddr {
        let mut running = self.running.lock().unwrap();
        if running.as_ref().is_some_and(|running| running.asked >= ANEW) {
            let Running { stop, thread, .. } = running.take().unwrap();
            stop.stop();
            thread.join().unwrap();
        }
        let running = running.get_or_insert_with(|| start(self.target));
        running.asked += 1;
        running.address
    }
}

fn start(target: &str) -> Running {
    let folder = folder(target, "service");
    let create = CreateOptions::new().open(OpenOptions::new().threads(1));
    let index = Index::create(folder.join("index"), &Recipe::default(), &create).unwrap();
    for number in 0..20 {
        let words = (0..20).map(|word| format!("word{}", number * 19 + word));
        let text = words.collect::<Vec<_>>().join(" ");
        index.add(&Document::text(number.to_string(), &text)).unwrap();
    }
    let limits = Limits { body_bytes: 1 << 16, threads: 1, ..Limits::default() };
    let limits = Limits { header_time: Duration::from_secs(2), ..limits };
    let limits = Limits { request_time: Duration::from_secs(5), ..limits };
    let address = SocketAddr::from(([127, 0, 0, 1], 0));
    let options = Options::new().limits(limits).log(|_| {});
    let server = Server::bind(index, address, options).unwrap();
    let (address, stop) = (server.address(), server.stop_handle());
    let thread = thread::spawn(move || server.run().unwrap());
    Running { address, stop, thread, asked: 0 }
}

/// The status of an answer, if it is one of HTTP.
pub(crate) fn status(answer: &[u8]) -> Option<u16> {
    let line = answer.strip_prefix(b"HTTP/1.")?.get(2..5)?;
    str::from_utf8(line).ok()?.parse().ok()
}

/// The body of an answer that has its length in its head.
pub(crate) fn body(answer: &[u8]) -> &[u8] {
    let head = answer.windows(4).position(|window| window == b"\r\n\r\n");
    head.map_or(&[], |head| &answer[head + 4..])
}
