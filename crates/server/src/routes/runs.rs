//! Reports of finished runs.
//!
//! A report quotes documents, so that it needs the token as well. A browser
//! that follows a link sends none; the list, which needs the token, gives links
//! with tickets that open one report for an hour or two.

use std::fs::File;
use std::io::{self, Read as _};
use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderValue, Response, StatusCode, Uri, header};
use axum::response::IntoResponse as _;
use serde::Serialize;
use tokio::sync::mpsc::Sender;
use utoipa::ToSchema;

use super::state::json;
use crate::app::App;
use crate::body::Name;
use crate::clock;
use crate::problem::{Problem, Result};
use crate::streamed::{Part, streamed};
use crate::token::Token;

/// Bytes of a report that are read and sent together.
const CHUNK: u64 = 64 << 10;

/// Finished runs.
#[derive(Serialize, ToSchema)]
pub(super) struct Runs {
    runs: Vec<Run>,
}

/// A finished run.
#[derive(Serialize, ToSchema)]
struct Run {
    name: String,
    /// Where its report can be opened; for an hour at least, if the server has a token.
    href: String,
}

/// The finished runs whose reports can be opened.
#[utoipa::path(
    get,
    path = "/v1/runs",
    responses((status = 200, description = "the runs", body = Runs))
)]
pub(super) async fn list(State(app): State<Arc<App>>) -> Response<Body> {
    let runs = app.options.runs.iter().map(|run| {
        let path = format!("/runs/{}/", encoded(&run.name));
        let href = match &app.options.token {
            None => path,
            Some(token) => {
                let ticket = token.ticket(&run.name, clock::now().as_secs());
                format!("{path}?ticket={ticket}")
            }
        };
        Run { name: run.name.clone(), href }
    });
    json(&Runs { runs: runs.collect() })
}

/// Whether a request for a report has a ticket for it.
pub(crate) fn has_ticket(uri: &Uri, token: &Token) -> bool {
    let name = uri.path().strip_prefix("/runs/").map(|rest| rest.trim_end_matches('/'));
    let ticket = uri.query().and_then(|query| query.strip_prefix("ticket="));
    let (Some(name), Some(ticket)) = (name, ticket) else { return false };
    let now = clock::now().as_secs();
    decoded(name).is_some_and(|name| token.is_ticket(ticket, &name, now))
}

/// A report.
pub(super) async fn report(
    State(app): State<Arc<App>>,
    Name(name): Name,
) -> Result<Response<Body>> {
    let run = app.options.runs.iter().find(|run| run.name == name);
    let run = run.ok_or_else(|| Problem::not_found("there is no run of this name"))?;
    let path = run.report.clone();
    let (file, length) = app
        .ask(move |_| {
            let failed = |error| Problem::failed(format!("the report cannot be read: {error}"));
            let file = File::open(&path).map_err(failed)?;
            let length = file.metadata().map_err(failed)?.len();
            Ok((file, length))
        })
        .await?;
    let (chunks, body) = streamed(1);
    tokio::spawn(send(file, length, chunks));
    let mut response = Response::new(body);
    response.headers_mut().insert(header::CONTENT_LENGTH, length.into());
    for (name, value) in [
        (header::CONTENT_TYPE, "text/html; charset=utf-8"),
        (
            header::CONTENT_SECURITY_POLICY,
            "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; \
             frame-ancestors 'none'; sandbox allow-same-origin",
        ),
    ] {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    Ok(response)
}

/// Sends a file piece by piece, as it is read: a report may be long, and many may want it at once.
async fn send(mut file: File, mut left: u64, chunks: Sender<Part>) {
    while left > 0 {
        let read = tokio::task::spawn_blocking(move || {
            let mut chunk = vec![0; left.min(CHUNK) as usize];
            file.read_exact(&mut chunk).map(|()| (file, chunk))
        });
        match read.await.unwrap_or_else(|fault| Err(io::Error::other(fault))) {
            Ok((same, chunk)) => {
                file = same;
                left -= chunk.len() as u64;
                if chunks.send(Ok(chunk.into())).await.is_err() {
                    return;
                }
            }
            // The length was promised, so that the client sees that it is not whole.
            Err(error) => {
                let _ = chunks.send(Err(error)).await;
                return;
            }
        }
    }
}

/// Leads to the address with a slash, as links within a report need it.
pub(super) async fn without_slash(uri: Uri) -> Response<Body> {
    let query = uri.query().map_or(String::new(), |query| format!("?{query}"));
    match HeaderValue::from_str(&format!("{}/{query}", uri.path())) {
        Ok(location) => {
            (StatusCode::PERMANENT_REDIRECT, [(header::LOCATION, location)]).into_response()
        }
        Err(_) => Problem::malformed("the address cannot be read").into_response(),
    }
}

/// A name as a part of an address.
fn encoded(name: &str) -> String {
    let encode = |byte: u8| match byte {
        b'-' | b'.' | b'_' | b'~' | b'0'..=b'9' | b'A'..=b'Z' | b'a'..=b'z' => {
            char::from(byte).to_string()
        }
        _ => format!("%{byte:02X}"),
    };
    name.bytes().map(encode).collect()
}

/// The name that a part of an address stands for.
fn decoded(part: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = part.bytes();
    while let Some(byte) = rest.next() {
        bytes.push(match byte {
            b'%' => {
                let mut digit = || char::from(rest.next()?).to_digit(16);
                let (high, low) = (digit()?, digit()?);
                (high * 16 + low) as u8
            }
            byte => byte,
        });
    }
    String::from_utf8(bytes).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_survive_an_address() {
        for name in ["run", "a b", "50%", "\u{e4}/\u{6f22}", "?x=y#z"] {
            assert_eq!(decoded(&encoded(name)).as_deref(), Some(name));
        }
        for wrong in ["%", "%4", "%zz", "%ff"] {
            assert_eq!(decoded(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn a_ticket_is_for_one_report() {
        let token = Token::new("0123456789abcdef").unwrap();
        let ticket = token.ticket("my run", clock::now().as_secs());
        let asks = |path: &str| has_ticket(&path.parse().unwrap(), &token);
        assert!(asks(&format!("/runs/my%20run/?ticket={ticket}")));
        assert!(!asks(&format!("/runs/other/?ticket={ticket}")));
        assert!(!asks(&format!("/v1/stats?ticket={ticket}")));
        assert!(!asks("/runs/my%20run/?ticket="));
        assert!(!asks("/runs/my%20run/"));
    }
}
