//! Clients that send a byte a second: half of them in the middle of a head, half in that of a body.

use std::io::{self, Write as _};
use std::net::TcpStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

/// Slow clients on a thread of their own, until they are ended.
pub(super) struct SlowClients {
    end: Arc<AtomicBool>,
    thread: JoinHandle<io::Result<u64>>,
}

impl SlowClients {
    pub(super) fn start(address: &str, clients: u64) -> Self {
        let end = Arc::new(AtomicBool::new(false));
        let (ended, address) = (Arc::clone(&end), address.to_owned());
        let thread = std::thread::spawn(move || send(&address, clients, &ended));
        Self { end, thread }
    }

    /// How many of them the server closed; for each another one came.
    pub(super) fn end(self) -> io::Result<u64> {
        self.end.store(true, Ordering::Relaxed);
        self.thread.join().unwrap_or_else(|_| Err(io::Error::other("the slow clients panicked")))
    }
}

fn send(address: &str, clients: u64, end: &AtomicBool) -> io::Result<u64> {
    let open = |client: u64| -> io::Result<TcpStream> {
        let mut stream = TcpStream::connect(address)?;
        let begun = if client.is_multiple_of(2) {
            "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nX-Slow: "
        } else {
            "POST /v1/check HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n\
             Content-Length: 100000\r\n\r\n{\"text\": \""
        };
        stream.write_all(begun.as_bytes())?;
        Ok(stream)
    };
    let mut streams = (0..clients).map(open).collect::<io::Result<Vec<_>>>()?;
    let mut closed = 0;
    while !end.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_secs(1));
        for (client, stream) in (0..).zip(&mut streams) {
            if stream.write_all(b"a").is_err() {
                closed += 1;
                *stream = open(client)?;
            }
        }
    }
    Ok(closed)
}
