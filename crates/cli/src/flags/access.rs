//! Who may reach a server: the flags of all commands that start one.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, ValueHint};

#[derive(Args)]
pub(crate) struct Access {
    /// Require the token in the first line of this file
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) token_file: Option<PathBuf>,
    /// Serve other machines without a token: everyone can do whatever you can
    #[arg(long, conflicts_with = "token_file")]
    pub(crate) insecure_public: bool,
}

/// An address with a port. `localhost` is the only name: others would have to be looked up.
pub(super) fn address(text: &str) -> Result<SocketAddr, String> {
    let numbers = match text.strip_prefix("localhost:") {
        Some(port) => format!("127.0.0.1:{port}"),
        None => text.to_owned(),
    };
    numbers.parse().map_err(|_| {
        "must be an address in numbers and a port, such as 127.0.0.1:7700 or [::1]:7700".to_owned()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_have_a_port() {
        for (text, expected) in [
            ("127.0.0.1:0", "127.0.0.1:0"),
            ("localhost:80", "127.0.0.1:80"),
            ("[::1]:7700", "[::1]:7700"),
        ] {
            assert_eq!(address(text).unwrap().to_string(), expected);
        }
        for wrong in ["", "7700", "localhost", "example.org:80", "127.0.0.1:65536", "::1:7700:x"] {
            assert!(address(wrong).is_err(), "{wrong}");
        }
    }
}
