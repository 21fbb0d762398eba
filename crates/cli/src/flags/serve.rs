//! `lookalike serve`.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::ensure;
use clap::{Args, ValueHint};
use lookalike_server::Limits;

use super::access::{Access, address};
use super::value::{at_least, size};

/// Serve an index over HTTP, with a web page
#[derive(Args)]
#[command(after_long_help = "\
The service takes and gives JSON; /openapi.json describes it. The page at / checks, compares, adds
and removes documents, looks through them, and shows statistics.

Without a token only programs of this machine are served. To serve others, put a token into a file
that only you can read; clients send it as `Authorization: Bearer TOKEN`. The service speaks plain
HTTP: put a TLS proxy in front of it when traffic leaves the machine.

Ctrl-C and SIGTERM stop it: it finishes what it has begun, and what it has answered is on disk.

Examples:
  lookalike serve known --create
  lookalike serve known --runs out/
  openssl rand -hex 32 > token && chmod 600 token
  lookalike serve known --listen 0.0.0.0:7700 --token-file token
  curl localhost:7700/v1/check -H 'Content-Type: application/json' -d '{\"text\": \"Dear Ann, ...\"}'")]
pub(crate) struct Serve {
    /// The folder of the index
    #[arg(value_name = "DIR", value_hint = ValueHint::DirPath)]
    pub(crate) folder: PathBuf,
    /// Where to listen; port 0 takes any free one
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7700", value_parser = address)]
    pub(crate) listen: SocketAddr,
    #[command(flatten)]
    pub(crate) access: Access,
    /// Make the index if there is none
    #[arg(long)]
    pub(crate) create: bool,
    /// The recipe of an index that is made: a preset or a TOML file [default: text]
    #[arg(long, value_name = "NAME|FILE", requires = "create")]
    pub(crate) recipe: Option<String>,
    /// A file with the secret that the index was made with
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) secret_seed: Option<PathBuf>,
    /// Folders of finished runs whose reports the page links to
    #[arg(long, value_name = "DIR", num_args = 1.., value_hint = ValueHint::DirPath)]
    pub(crate) runs: Vec<PathBuf>,
    /// The largest body of a request, and the longest line of a bulk request
    #[arg(long, value_name = "SIZE", default_value = "16MiB", value_parser = size, help_heading = "Limits")]
    max_body: u64,
    /// How long a request may take to arrive, and then to be answered
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds, help_heading = "Limits")]
    max_request_time: Duration,
    /// How long the head of a request may take, and a connection be idle
    #[arg(long, value_name = "SECONDS", default_value = "15", value_parser = seconds, help_heading = "Limits")]
    max_header_time: Duration,
    /// Requests that may be worked on or wait; others are told to try again
    #[arg(long, value_name = "N", default_value = "256", value_parser = at_least::<1>, help_heading = "Limits")]
    max_requests: u32,
    /// Open connections; others wait [default: 4096, or half the files that may be open]
    #[arg(long, value_name = "N", value_parser = at_least::<1>, help_heading = "Limits")]
    max_connections: Option<u32>,
    /// How many threads sign and compare [default: one for each core]
    #[arg(long, value_name = "N", value_parser = at_least::<1>, help_heading = "Limits")]
    threads: Option<u32>,
}

impl Serve {
    pub(super) fn check(&self) -> anyhow::Result<()> {
        const LARGEST: u64 = Limits::MAX_BODY_BYTES;
        let fits = (1..=LARGEST).contains(&self.max_body);
        ensure!(fits, "--max-body must be from 1 byte to {}MiB", LARGEST >> 20);
        Ok(())
    }

    pub(crate) fn limits(&self) -> Limits {
        let default = Limits::default();
        let count = |given: Option<u32>, default: usize| given.map_or(default, |n| n as usize);
        Limits {
            body_bytes: self.max_body,
            request_time: self.max_request_time,
            header_time: self.max_header_time,
            requests: self.max_requests as usize,
            connections: count(self.max_connections, default.connections),
            threads: count(self.threads, default.threads),
            ..default
        }
    }
}

/// Seconds, perhaps with a fraction, up to a day.
fn seconds(text: &str) -> Result<Duration, String> {
    let wrong = || "must be seconds, from 0.001 to 86400".to_owned();
    let seconds: f64 = text.parse().map_err(|_| wrong())?;
    if (0.001..=86400.0).contains(&seconds) {
        Ok(Duration::from_secs_f64(seconds))
    } else {
        Err(wrong())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_have_bounds() {
        assert_eq!(seconds("0.5"), Ok(Duration::from_millis(500)));
        for wrong in ["", "0", "-1", "NaN", "inf", "1e9", "x"] {
            assert!(seconds(wrong).is_err(), "{wrong}");
        }
    }
}
