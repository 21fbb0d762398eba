//! A server of the test's own, and a client that sends exactly what it is told.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use lookalike_core::template::FrameShingles;
use lookalike_core::text::Tokenizer;
use lookalike_core::{Kernel, Recipe, site_hash};
use lookalike_engine::Run;
use lookalike_engine::run::{Clusters, Passages, Verdicts};
use lookalike_files::WorkFolder;
use lookalike_index::{CreateOptions, Index, OpenOptions};
use lookalike_server::{Options, Server, Stop, View};
use serde_json::Value;

/// A running server.
pub(crate) struct Running {
    pub(crate) address: SocketAddr,
    stop: Stop,
    thread: Option<JoinHandle<()>>,
    folder: WorkFolder,
    log: Arc<Mutex<Vec<String>>>,
}

impl Running {
    /// With an empty index by the recipe `text`, and default options.
    pub(crate) fn new() -> Self {
        Self::with(Options::new())
    }

    pub(crate) fn with(options: Options) -> Self {
        Self::with_index(options, "text", &CreateOptions::new())
    }

    pub(crate) fn with_index(options: Options, recipe: &str, create: &CreateOptions) -> Self {
        let folder = WorkFolder::create(None).unwrap();
        let recipe = Recipe::preset(recipe).unwrap();
        let index = Index::create(folder.join("index"), &recipe, create).unwrap();
        Self::start(index, options, folder)
    }

    /// With an empty index by the recipe `sites`, for a site that puts these words into each page.
    pub(crate) fn with_template(site: &str, frame: &str) -> Self {
        let folder = WorkFolder::create(None).unwrap();
        let recipe = Recipe::preset("sites").unwrap();
        let mut tokens = Vec::new();
        Tokenizer::new(recipe.tokens).tokens(frame, &mut tokens);
        let mut shingles = FrameShingles::new(Kernel::best(), recipe.shingles.width);
        let template = (site_hash(site), shingles.of(&tokens).to_vec());
        let path = folder.join("index");
        let index =
            Index::create_with_templates(&path, &recipe, &CreateOptions::new(), [Ok(template)]);
        Self::start(index.unwrap(), Options::new(), folder)
    }

    fn start(index: Index, options: Options, folder: WorkFolder) -> Self {
        let (options, log) = Self::logged(options);
        let server = Server::bind(index, "127.0.0.1:0".parse().unwrap(), options).unwrap();
        let (address, stop) = (server.address(), server.stop_handle());
        let thread = Some(std::thread::spawn(move || server.run().unwrap()));
        Self { address, stop, thread, folder, log }
    }

    /// The clusters of the run in `out`, which was made of documents in the folder.
    pub(crate) fn view(folder: WorkFolder, options: Options) -> Self {
        let (options, log) = Self::logged(options);
        let out = folder.join("out");
        let clusters = Clusters::open(Run::open(&out).unwrap(), 1 << 20).unwrap();
        let verdicts = Verdicts::open(&out).unwrap();
        let listen = ["127.0.0.1:0".parse().unwrap()];
        let passages = Passages::open(Run::open(&out).unwrap(), 1 << 20).unwrap();
        let view = View::bind((clusters, passages), verdicts, &out, &listen, options).unwrap();
        let (address, stop) = (view.address(), view.stop_handle());
        let thread = Some(std::thread::spawn(move || view.run().unwrap()));
        Self { address, stop, thread, folder, log }
    }

    fn logged(options: Options) -> (Options, Arc<Mutex<Vec<String>>>) {
        let log = Arc::new(Mutex::new(Vec::new()));
        let lines = Arc::clone(&log);
        (options.log(move |line| lines.lock().unwrap().push(line.to_owned())), log)
    }

    pub(crate) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(crate) fn stop_handle(&self) -> Stop {
        self.stop.clone()
    }

    /// Stops the server and opens its index.
    pub(crate) fn into_index(mut self) -> (Index, WorkFolder) {
        self.end();
        let folder = std::mem::replace(&mut self.folder, WorkFolder::create(None).unwrap());
        (Index::open(folder.join("index"), &OpenOptions::new()).unwrap(), folder)
    }

    fn end(&mut self) {
        self.stop.stop();
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap();
        }
    }

    pub(crate) fn log(&self) -> Vec<String> {
        self.log.lock().unwrap().clone()
    }

    pub(crate) fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).unwrap();
        stream.set_read_timeout(Some(Duration::from_mins(1))).unwrap();
        stream
    }

    /// Sends bytes as they are, and reads until the server closes.
    pub(crate) fn raw(&self, bytes: &[u8]) -> Answer {
        let mut stream = self.connect();
        // The server may answer and close before it has read everything.
        let _ = stream.write_all(bytes);
        Answer::read(stream)
    }

    pub(crate) fn send(
        &self,
        method: &str,
        path: &str,
        headers: &[(&str, &str)],
        body: &[u8],
    ) -> Answer {
        let mut bytes = Vec::new();
        write!(bytes, "{method} {path} HTTP/1.1\r\nHost: localhost\r\n").unwrap();
        for (name, value) in headers {
            write!(bytes, "{name}: {value}\r\n").unwrap();
        }
        if !body.is_empty() || method == "POST" {
            write!(bytes, "Content-Length: {}\r\n", body.len()).unwrap();
        }
        bytes.extend_from_slice(b"Connection: close\r\n\r\n");
        bytes.extend_from_slice(body);
        self.raw(&bytes)
    }

    pub(crate) fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &[], b"")
    }

    pub(crate) fn delete(&self, path: &str) -> Answer {
        self.send("DELETE", path, &[], b"")
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Answer {
        let json = [("Content-Type", "application/json")];
        self.send("POST", path, &json, body.to_string().as_bytes())
    }

    pub(crate) fn bulk(&self, lines: &str) -> Vec<Value> {
        let ndjson = [("Content-Type", "application/x-ndjson")];
        let answer = self.send("POST", "/v1/bulk", &ndjson, lines.as_bytes());
        assert_eq!(answer.status, 200);
        answer.lines()
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.end();
    }
}

/// What the server answered.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    headers: Vec<(String, String)>,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn read(mut stream: TcpStream) -> Self {
        let mut bytes = Vec::new();
        // What came before a reset counts.
        let _ = stream.read_to_end(&mut bytes);
        Self::parse(&bytes)
    }

    pub(crate) fn parse(bytes: &[u8]) -> Self {
        let end = bytes.windows(4).position(|four| four == b"\r\n\r\n");
        let end = end.unwrap_or_else(|| panic!("{:?}", String::from_utf8_lossy(bytes)));
        let head = std::str::from_utf8(&bytes[..end]).unwrap();
        let mut lines = head.split("\r\n");
        let status = lines.next().unwrap().split(' ').nth(1).unwrap().parse().unwrap();
        let headers = lines.map(|line| line.split_once(": ").unwrap());
        let headers: Vec<_> =
            headers.map(|(name, value)| (name.to_lowercase(), value.to_owned())).collect();
        let mut answer = Self { status, headers, body: bytes[end + 4..].to_vec() };
        if answer.header("transfer-encoding") == Some("chunked") {
            answer.body = unchunked(&answer.body);
        }
        answer
    }

    pub(crate) fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(found, _)| found == name).map(|(_, value)| value.as_str())
    }

    pub(crate) fn text(&self) -> String {
        String::from_utf8(self.body.clone()).unwrap()
    }

    pub(crate) fn json(&self) -> Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("{self:?}"))
    }

    /// The lines of a stream.
    pub(crate) fn lines(&self) -> Vec<Value> {
        self.text().lines().map(|line| serde_json::from_str(line).unwrap()).collect()
    }

    /// An answer that is fine.
    #[track_caller]
    pub(crate) fn ok(&self) -> Value {
        assert!((200..300).contains(&self.status), "{} {}", self.status, self.text());
        assert_eq!(self.header("content-type"), Some("application/json"));
        self.json()
    }

    /// A problem of this status and type, as RFC 9457 has it.
    #[track_caller]
    pub(crate) fn problem(&self, status: u16, kind: &str) -> Value {
        assert_eq!(self.status, status, "{}", self.text());
        assert_eq!(self.header("content-type"), Some("application/problem+json"));
        let problem = self.json();
        assert_eq!(problem["status"], status);
        assert_eq!(problem["type"], format!("urn:lookalike:problem:{kind}"));
        for field in ["title", "detail"] {
            assert!(problem[field].as_str().is_some_and(|text| text.len() > 8), "{problem}");
        }
        problem
    }
}

fn unchunked(mut bytes: &[u8]) -> Vec<u8> {
    let mut body = Vec::new();
    while let Some(end) = bytes.windows(2).position(|two| two == b"\r\n") {
        let length = std::str::from_utf8(&bytes[..end]).unwrap();
        let length = usize::from_str_radix(length, 16).unwrap();
        let chunk = end + 2..end + 2 + length;
        if length == 0 || chunk.end + 2 > bytes.len() {
            break;
        }
        body.extend_from_slice(&bytes[chunk.clone()]);
        bytes = &bytes[chunk.end + 2..];
    }
    body
}

/// So many words of a seed, the first few of them others.
pub(crate) fn words(seed: usize, changed: usize) -> String {
    let word = |n: usize| match n {
        n if n < changed => format!("c{seed}x{changed}x{n}"),
        n => format!("w{seed}x{n}"),
    };
    (0..80).map(word).collect::<Vec<_>>().join(" ")
}
