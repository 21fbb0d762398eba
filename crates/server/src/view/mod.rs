//! The clusters and passages of a finished run over HTTP, with pages to look through them, and to judge
//! clusters.

mod limits;
mod passages;
mod routes;
mod state;

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use lookalike_engine::run::{Clusters, Passages, Verdicts};

use crate::error::{Error, ErrorKind, Result};
use crate::listener::{Listener, Stop, runtime};
use crate::metrics::Metrics;
use crate::options::Options;
use state::ViewState;

/// How long threads may take to end: nothing is lost of what they read.
const THREADS_TIME: Duration = Duration::from_secs(1);

/// A server of a run's clusters and passages, which listens, and serves once it is run.
pub struct View {
    listener: Listener,
    state: ViewState,
}

impl View {
    /// Listens at the first of these addresses where nobody else does; port 0 is any that is free.
    /// The page shows the name of the run's folder.
    ///
    /// # Errors
    /// If it cannot listen there, or would be open to everybody by mistake.
    pub fn bind(
        (clusters, passages): (Clusters, Passages),
        verdicts: Verdicts,
        folder: &Path,
        listen: &[SocketAddr],
        options: Options,
    ) -> Result<Self> {
        let mut listener = Err(Error::new(ErrorKind::NoAddress));
        for address in listen {
            listener = Listener::bind(*address, &options);
            let is_taken = |error: &Error| matches!(error.kind(), ErrorKind::AddressInUse(_));
            if !listener.as_ref().is_err_and(is_taken) {
                break;
            }
        }
        let listener = listener?;
        let state = ViewState::new((clusters, passages), verdicts, folder, options);
        Ok(Self { listener, state })
    }

    /// Where it listens.
    pub fn address(&self) -> SocketAddr {
        self.listener.address()
    }

    /// What stops it.
    pub fn stop_handle(&self) -> Stop {
        self.listener.stop_handle()
    }

    /// Serves until it is stopped. Every verdict that was answered is on disk.
    ///
    /// # Errors
    /// If the system gives us no threads.
    pub fn run(self) -> Result<()> {
        let Self { listener, state } = self;
        let limits = state.options.limits;
        let runtime = runtime(&limits)?;
        let metrics = Arc::new(Metrics::default());
        let router = routes::router(Arc::new(state), Arc::clone(&metrics));
        let served = runtime.block_on(listener.serve(router, limits, metrics));
        runtime.shutdown_timeout(THREADS_TIME);
        served.map_err(|error| Error::new(ErrorKind::Threads(error)))
    }
}
