//! The server of an index: serves requests, and stops without losing anything.

use std::io;
use std::net::SocketAddr;
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

use lookalike_index::Index;
use tokio::time::{MissedTickBehavior, interval};

use crate::app::App;
use crate::error::{Error, ErrorKind, Result};
use crate::listener::{Listener, Stop, runtime};
use crate::metrics::Metrics;
use crate::options::Options;
use crate::routes::router;
use crate::writer::Writer;

/// How often the documents are counted for the history.
const SAMPLE: Duration = Duration::from_secs(5);

/// How long threads may take to end after everything was answered.
const THREADS_TIME: Duration = Duration::from_secs(10);

/// A server that listens, and serves once it is run.
pub struct Server {
    listener: Listener,
    index: Arc<Index>,
    options: Options,
}

impl Server {
    /// Listens at an address; port 0 is any that is free.
    ///
    /// # Errors
    /// If the address cannot listen there, or would be open to everybody by mistake.
    pub fn bind(index: Index, listen: SocketAddr, options: Options) -> Result<Self> {
        let listener = Listener::bind(listen, &options)?;
        Ok(Self { listener, index: Arc::new(index), options })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.listener.address()
    }

    /// What stops it.
    pub fn stop_handle(&self) -> Stop {
        self.listener.stop_handle()
    }

    /// Serves until it is stopped. Everything that was answered is on disk.
    ///
    /// # Errors
    /// If the system gives us no threads.
    pub fn run(self) -> Result<()> {
        let runtime = runtime(&self.options.limits)?;
        let failed = |error| Error::new(ErrorKind::Threads(error));
        let writer = runtime.block_on(self.serve()).map_err(failed)?;
        // What is left of connections goes with its threads, and then nobody has the writer.
        runtime.shutdown_timeout(THREADS_TIME);
        let _ = writer.join();
        Ok(())
    }

    async fn serve(self) -> io::Result<JoinHandle<()>> {
        let Self { listener, index, options } = self;
        let limits = options.limits;
        let metrics = Arc::new(Metrics::default());
        let (writer, thread) = Writer::start(Arc::clone(&index), Arc::clone(&metrics))?;
        let stopping = listener.stop_handle().subscribe();
        let app = Arc::new(App::new(index, writer, Arc::clone(&metrics), options, stopping));
        tokio::spawn(sample(Arc::clone(&app)));
        listener.serve(router(app), limits, metrics).await?;
        Ok(thread)
    }
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
