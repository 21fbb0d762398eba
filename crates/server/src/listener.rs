//! Listens at an address, serves connections, and stops when it is told to.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use tokio::net::TcpStream;
use tokio::runtime::Runtime;
use tokio::sync::{Semaphore, watch};
use tokio::time::{sleep, timeout};

use crate::connection::TimedStream;
use crate::error::{Error, ErrorKind, Result};
use crate::metrics::{CountGuard, Metrics};
use crate::options::{Exposure, Limits, Options};

/// How long the loop rests when the system has no more connections to give.
const REST: Duration = Duration::from_millis(50);

/// Listens, and serves once it is given what to serve.
pub(crate) struct Listener {
    socket: TcpListener,
    address: SocketAddr,
    stop: Stop,
}

/// Stops a server.
#[derive(Clone)]
pub struct Stop(Arc<watch::Sender<bool>>);

impl Stop {
    /// Has the server stop: it takes no more connections, ends what it has begun, and returns.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }

    /// Tells whether the server is to stop.
    pub(crate) fn subscribe(&self) -> watch::Receiver<bool> {
        self.0.subscribe()
    }
}

impl Listener {
    /// Listens at an address; port 0 is any that is free.
    pub(crate) fn bind(listen: SocketAddr, options: &Options) -> Result<Self> {
        let open = options.token.is_none() && options.exposure == Exposure::Loopback;
        if open && !listen.ip().is_loopback() {
            return Err(Error::new(ErrorKind::Unprotected(listen)));
        }
        let failed = |error: io::Error| {
            Error::new(match error.kind() {
                io::ErrorKind::AddrInUse => ErrorKind::AddressInUse(listen),
                _ => ErrorKind::Listen(listen, error),
            })
        };
        let socket = TcpListener::bind(listen).map_err(failed)?;
        socket.set_nonblocking(true).map_err(failed)?;
        let address = socket.local_addr().map_err(failed)?;
        let stop = Stop(Arc::new(watch::Sender::new(false)));
        Ok(Self { socket, address, stop })
    }

    pub(crate) fn address(&self) -> SocketAddr {
        self.address
    }

    pub(crate) fn stop_handle(&self) -> Stop {
        self.stop.clone()
    }

    /// Takes connections until it is stopped, and then waits for them for a while.
    pub(crate) async fn serve(
        self,
        router: Router,
        limits: Limits,
        metrics: Arc<Metrics>,
    ) -> io::Result<()> {
        let listener = tokio::net::TcpListener::from_std(self.socket)?;
        let connections = limits.connections.clamp(1, Semaphore::MAX_PERMITS);
        let connections = Arc::new(Semaphore::new(connections));
        let open = GracefulShutdown::new();
        let mut stopping = self.stop.subscribe();
        loop {
            let accepting = async {
                let permit = Arc::clone(&connections).acquire_owned().await;
                (listener.accept().await, permit)
            };
            let (accepted, permit) = tokio::select! {
                accepted = accepting => accepted,
                _ = stopping.wait_for(|stop| *stop) => break,
            };
            let Ok((stream, _)) = accepted else {
                // The client is gone already, or there are too many open files.
                sleep(REST).await;
                continue;
            };
            let service = TowerToHyperService::new(router.clone());
            let connection = http(limits).serve_connection(io_of(stream, limits), service);
            let connection = open.watch(connection);
            let metrics = Arc::clone(&metrics);
            tokio::spawn(async move {
                let _permit = permit;
                let _counted = CountGuard::one(&metrics.connections);
                // How a connection ends is the client's affair.
                let _ = connection.await;
            });
        }
        drop(listener);
        let _ = timeout(limits.stop_time, open.shutdown()).await;
        Ok(())
    }
}

/// The threads of a server.
pub(crate) fn runtime(limits: &Limits) -> Result<Runtime> {
    tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .thread_name("server")
        // Each thread of work may have one that ended late behind it.
        .max_blocking_threads(2 * limits.threads + 8)
        .build()
        .map_err(|error| Error::new(ErrorKind::Threads(error)))
}

/// What a connection may hold that nobody has asked for yet; a head is shorter.
const CONNECTION_BYTES: usize = 64 << 10;

fn http(limits: Limits) -> http1::Builder {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(limits.header_time);
    // The default of 400 kB is 200 MB for 500 clients whose bodies wait for their turn.
    http.max_buf_size(CONNECTION_BYTES);
    http
}

fn io_of(stream: TcpStream, limits: Limits) -> TokioIo<TimedStream<TcpStream>> {
    // Answers are small, and whole when they are written.
    let _ = stream.set_nodelay(true);
    TokioIo::new(TimedStream::new(stream, limits.request_time))
}
