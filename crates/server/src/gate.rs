//! What every request passes: its id, who may ask, headers that protect browsers, the log.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use axum::extract::{MatchedPath, Request, State};
use axum::http::header::{self, HeaderName};
use axum::http::{HeaderMap, HeaderValue, Method, Uri};
use axum::middleware::Next;
use axum::response::Response;
use serde_json::{Value, json};
use tokio::time::Instant;

use crate::body::refuse;
use crate::clock;
use crate::metrics::{CountGuard, Metrics};
use crate::options::{Exposure, Options};
use crate::problem::{Fault, Problem, Result};
use crate::token::Token;

const REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");

/// The route of what has none.
const NOWHERE: &str = "none";

/// What decides about requests, and counts them.
pub(crate) struct Gate {
    pub(crate) options: Options,
    pub(crate) metrics: Arc<Metrics>,
    /// What can be had without the token itself.
    pub(crate) is_open: fn(&Uri, &Token) -> bool,
}

/// Answers a request, and says so in the log.
pub(crate) async fn pass(State(gate): State<Arc<Gate>>, request: Request, next: Next) -> Response {
    let start = Instant::now();
    let _counted = CountGuard::one(&gate.metrics.in_flight);
    let id = request_id(request.headers());
    let method = request.method().clone();
    let route = request.extensions().get::<MatchedPath>().cloned();
    let route = route.as_ref().map_or(NOWHERE, MatchedPath::as_str);

    let mut response = match may_pass(&gate, &request) {
        Ok(()) => next.run(request).await,
        Err(problem) => refuse(request, problem).await,
    };
    protect(response.headers_mut());
    if let Ok(id) = HeaderValue::from_str(&id) {
        response.headers_mut().insert(REQUEST_ID, id);
    }
    let status = response.status().as_u16();
    let elapsed = start.elapsed();
    gate.metrics.request(&method, route, status, elapsed);
    let mut line = line(&id, &method, route, status, elapsed);
    if let Some(Fault(fault)) = response.extensions_mut().remove() {
        line["fault"] = fault.into();
    }
    (gate.options.log.0)(&line.to_string());
    response
}

/// The id that a client gives its request, if it is short and harmless; otherwise one of ours.
fn request_id(headers: &HeaderMap) -> String {
    let given = headers.get(REQUEST_ID).and_then(|id| id.to_str().ok());
    let harmless = |byte: u8| byte.is_ascii_alphanumeric() || b"-_.:/+=".contains(&byte);
    let sane = |id: &&str| (1..=128).contains(&id.len()) && id.bytes().all(harmless);
    given.filter(sane).map_or_else(made_id, str::to_owned)
}

fn made_id() -> String {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let number = COUNT.fetch_add(1, Ordering::Relaxed);
    format!("{:x}-{number:x}", clock::now().as_micros())
}

/// A line of the log. It has nothing of what clients wrote but the id of their request.
fn line(id: &str, method: &Method, route: &str, status: u16, elapsed: Duration) -> Value {
    let method = if method.as_str().len() <= 16 { method.as_str() } else { "other" };
    json!({
        "time": clock::now().as_millis() as u64,
        "request": id,
        "method": method,
        "route": route,
        "status": status,
        "microseconds": elapsed.as_micros() as u64,
    })
}

fn may_pass(gate: &Gate, request: &Request) -> Result<()> {
    let Some(token) = &gate.options.token else {
        return match gate.options.exposure {
            Exposure::Everybody => Ok(()),
            Exposure::Loopback => is_for_us(request.headers(), request.uri()),
        };
    };
    if (gate.is_open)(request.uri(), token) {
        return Ok(());
    }
    let shown = request.headers().get(header::AUTHORIZATION).map(HeaderValue::as_bytes);
    let Some(shown) = shown else {
        return Err(Problem::unauthorized(
            "send the server's token in the header `Authorization: Bearer TOKEN`",
        ));
    };
    match bearer(shown) {
        Some(shown) if token.is(shown) => Ok(()),
        _ => Err(Problem::unauthorized("the token in `Authorization` is not the server's")),
    }
}

/// What stands after `Bearer`.
fn bearer(header: &[u8]) -> Option<&[u8]> {
    let (scheme, rest) = header.split_at_checked(7)?;
    scheme.eq_ignore_ascii_case(b"bearer ").then(|| rest.trim_ascii())
}

/// Without a token, a page of any site could have its name lead to this machine and so read what
/// is here. Such a request names that site as its host.
fn is_for_us(headers: &HeaderMap, uri: &Uri) -> Result<()> {
    let host = headers.get(header::HOST).map(|host| host.to_str().unwrap_or("unreadable"));
    let Some(host) = uri.host().or(host) else { return Ok(()) };
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    let bare = name.trim_start_matches('[').trim_end_matches(']');
    let local = name.eq_ignore_ascii_case("localhost") || name.ends_with(".localhost");
    if local || bare.parse::<IpAddr>().is_ok() {
        return Ok(());
    }
    Err(Problem::misdirected(
        "without a token this server answers to `localhost` and to addresses in numbers only",
    ))
}

/// Answers are data: no browser is to run, frame, guess or keep them. Pages say what they need.
fn protect(headers: &mut HeaderMap) {
    for (name, value) in [
        (header::CONTENT_SECURITY_POLICY, "default-src 'none'; frame-ancestors 'none'"),
        (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
        (header::REFERRER_POLICY, "no-referrer"),
        (header::CACHE_CONTROL, "no-store"),
        (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
        (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    ] {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(name: HeaderName, value: &str) -> HeaderMap {
        HeaderMap::from_iter([(name, HeaderValue::from_bytes(value.as_bytes()).unwrap())])
    }

    #[test]
    fn only_sane_ids_are_taken_over() {
        assert_eq!(request_id(&headers(REQUEST_ID, "abc-123")), "abc-123");
        for strange in ["", "a b", "\"", &"x".repeat(129), "{}", "\u{e9}"] {
            let id = request_id(&headers(REQUEST_ID, strange));
            assert_ne!(id, strange);
            assert!(!id.is_empty() && id.len() < 40);
        }
        assert_ne!(request_id(&HeaderMap::new()), request_id(&HeaderMap::new()));
    }

    #[test]
    fn other_hosts_are_turned_away() {
        let uri = Uri::from_static("/v1/stats");
        for ours in ["localhost", "LOCALHOST:7700", "127.0.0.1:7700", "[::1]:7700", "10.0.0.7"] {
            assert!(is_for_us(&headers(header::HOST, ours), &uri).is_ok(), "{ours}");
        }
        for other in [
            "example.org",
            "example.org:7700",
            "localhost.example.org",
            "127.0.0.1.x.org",
            "\u{e9}",
        ] {
            assert!(is_for_us(&headers(header::HOST, other), &uri).is_err(), "{other}");
        }
    }

    #[test]
    fn the_scheme_is_read_in_any_case() {
        assert_eq!(bearer(b"Bearer abc"), Some(&b"abc"[..]));
        assert_eq!(bearer(b"bearer  abc "), Some(&b"abc"[..]));
        for wrong in ["", "abc", "Basic abc", "Bearer"] {
            assert_eq!(bearer(wrong.as_bytes()), None, "{wrong}");
        }
    }
}
