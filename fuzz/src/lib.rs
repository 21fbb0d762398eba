//! What fuzz targets share: folders of their own, and a service to talk to.

use std::collections::BTreeMap;
use std::fs;
use std::io::{Read as _, Write as _};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use lookalike_core::Recipe;
use lookalike_index::{CreateOptions, Document, Index, OpenOptions};
use lookalike_server::{Limits, Options, Server, Stop};

/// A folder of this process that is there and empty; in memory where the system has such.
pub fn folder(name: &str) -> PathBuf {
    let memory = PathBuf::from("/dev/shm");
    let base = if memory.is_dir() { memory } else { std::env::temp_dir() };
    let folder = base.join(format!("lookalike-fuzz-{}", std::process::id())).join(name);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).unwrap();
    folder
}

/// The files of a folder, as paths within it.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    contents(folder).into_keys().collect()
}

/// The files of a folder and what is in them.
pub fn contents(folder: &Path) -> BTreeMap<PathBuf, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in fs::read_dir(&next).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else {
                let within = path.strip_prefix(folder).unwrap().to_owned();
                found.insert(within, fs::read(&path).unwrap());
            }
        }
    }
    found
}

/// A service over a small index, made anew now and then, so that it stays small.
pub struct Service(Mutex<Option<Running>>);

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
    #[expect(clippy::new_without_default, reason = "a service is no plain value")]
    pub const fn new() -> Self {
        Self(Mutex::new(None))
    }

    /// Sends a whole request that asks to close, and gives the answer.
    pub fn ask(&self, request: &[u8]) -> Vec<u8> {
        let mut stream = self.connect(request);
        let mut answer = Vec::new();
        if let Err(error) = stream.read_to_end(&mut answer) {
            assert!(!is_late(&error), "no end of the answer");
        }
        answer
    }

    /// Sends bytes as they are, and gives what comes back: at once, or once nothing more can come to the
    /// service, which is then free to drop what it was asked.
    pub fn send(&self, bytes: &[u8]) -> Vec<u8> {
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
        let mut running = self.0.lock().unwrap();
        if running.as_ref().is_some_and(|running| running.asked >= ANEW) {
            let Running { stop, thread, .. } = running.take().unwrap();
            stop.stop();
            thread.join().unwrap();
        }
        let running = running.get_or_insert_with(start);
        running.asked += 1;
        running.address
    }
}

fn start() -> Running {
    let folder = folder("service");
    let create = CreateOptions::new().open(OpenOptions::new().threads(1));
    let index = Index::create(&folder.join("index"), &Recipe::default(), &create).unwrap();
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
pub fn status(answer: &[u8]) -> Option<u16> {
    let line = answer.strip_prefix(b"HTTP/1.")?.get(2..5)?;
    str::from_utf8(line).ok()?.parse().ok()
}

/// The body of an answer that has its length in its head.
pub fn body(answer: &[u8]) -> &[u8] {
    let head = answer.windows(4).position(|window| window == b"\r\n\r\n");
    head.map_or(&[], |head| &answer[head + 4..])
}
