//! The server: listens, serves connections, and stops without losing anything.

use std::io;
use std::net::{SocketAddr, TcpListener};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use lookalike::Index;
use tokio::net::TcpStream;
use tokio::sync::{Semaphore, watch};
use tokio::time::{MissedTickBehavior, interval, sleep, timeout};

use crate::app::App;
use crate::connection::TimedStream;
use crate::error::{Error, ErrorKind, Result};
use crate::metrics::{CountGuard, Metrics};
use crate::options::{Exposure, Limits, Options};
use crate::routes::router;
use crate::writer::Writer;

/// How often the documents are counted for the history.
const SAMPLE: Duration = Duration::from_secs(5);

/// How long the loop rests when the system has no more connections to give.
const REST: Duration = Duration::from_millis(50);

/// How long threads may take to end after everything was answered.
const THREADS_TIME: Duration = Duration::from_secs(10);

/// A server that listens, and serves once it is run.
pub struct Server {
    listener: TcpListener,
    address: SocketAddr,
    index: Arc<Index>,
    options: Options,
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
}

impl Server {
    /// Listens at an address; port 0 is any that is free.
    ///
    /// # Errors
    /// If the address cannot listen there, or would be open to everybody by mistake.
    pub fn bind(index: Index, listen: SocketAddr, options: Options) -> Result<Self> {
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
        let listener = TcpListener::bind(listen).map_err(failed)?;
        listener.set_nonblocking(true).map_err(failed)?;
        let address = listener.local_addr().map_err(failed)?;
        let stop = Stop(Arc::new(watch::Sender::new(false)));
        Ok(Self { listener, address, index: Arc::new(index), options, stop })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.address
    }

    /// What stops it.
    pub fn stop_handle(&self) -> Stop {
        self.stop.clone()
    }

    /// Serves until it is stopped. Everything that was answered is on disk.
    ///
    /// # Errors
    /// If the system gives us no threads.
    pub fn run(self) -> Result<()> {
        let failed = |error| Error::new(ErrorKind::Threads(error));
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .enable_all()
            .thread_name("server")
            // Each thread of work may have one that ended late behind it.
            .max_blocking_threads(2 * self.options.limits.threads + 8)
            .build()
            .map_err(failed)?;
        let writer = runtime.block_on(self.serve()).map_err(failed)?;
        // What is left of connections goes with its threads, and then nobody has the writer.
        runtime.shutdown_timeout(THREADS_TIME);
        let _ = writer.join();
        Ok(())
    }

    async fn serve(self) -> io::Result<JoinHandle<()>> {
        let Self { listener, index, options, stop, .. } = self;
        let limits = options.limits;
        let metrics = Arc::new(Metrics::default());
        let (writer, thread) = Writer::start(Arc::clone(&index), Arc::clone(&metrics))?;
        let app = App::new(index, writer, metrics, options, stop.0.subscribe());
        let app = Arc::new(app);
        tokio::spawn(sample(Arc::clone(&app)));
        let listener = tokio::net::TcpListener::from_std(listener)?;
        accept(listener, app, limits, stop).await;
        Ok(thread)
    }
}

/// Takes connections until the server is stopped, and then waits for them for a while.
async fn accept(listener: tokio::net::TcpListener, app: Arc<App>, limits: Limits, stop: Stop) {
    let router = router(Arc::clone(&app));
    let connections = limits.connections.clamp(1, Semaphore::MAX_PERMITS);
    let connections = Arc::new(Semaphore::new(connections));
    let open = GracefulShutdown::new();
    let mut stopping = stop.0.subscribe();
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
        let app = Arc::clone(&app);
        tokio::spawn(async move {
            let _permit = permit;
            let _counted = CountGuard::one(&app.metrics.connections);
            // How a connection ends is the client's affair.
            let _ = connection.await;
        });
    }
    drop(listener);
    let _ = timeout(limits.stop_time, open.shutdown()).await;
}

fn http(limits: Limits) -> http1::Builder {
    let mut http = http1::Builder::new();
    http.timer(TokioTimer::new()).header_read_timeout(limits.header_time);
    http
}

fn io_of(stream: TcpStream, limits: Limits) -> TokioIo<TimedStream<TcpStream>> {
    // Answers are small, and whole when they are written.
    let _ = stream.set_nodelay(true);
    TokioIo::new(TimedStream::new(stream, limits.request_time))
}

/// Counts the documents now and then.
async fn sample(app: Arc<App>) {
    let mut stopping = app.stopping.clone();
    let mut ticks = interval(SAMPLE);
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    loop {
        tokio::select! {
            _ = ticks.tick() => {}
            _ = stopping.wait_for(|stop| *stop) => return,
        }
        // Waits for its turn, so that it is never the reason to refuse somebody else.
        let turn = app.work.turn_of_stream().await;
        let index = Arc::clone(&app.index);
        if let Ok(documents) = app.work.run(&turn, move || Ok(index.len())).await {
            app.metrics.sample(app.seconds(), documents);
        }
    }
}
