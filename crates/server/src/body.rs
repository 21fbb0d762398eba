//! Bodies of requests: read within a limit, a time, and the memory of all of them together.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes};
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::request::Parts;
use axum::http::{HeaderMap, header};
use axum::response::{IntoResponse, Response};
use http_body_util::BodyExt as _;
use hyper::body::Body as _;
use serde::de::DeserializeOwned;
use tokio::time::timeout;

use crate::memory::{Memory, Reservation, SharedReservation};
use crate::options::Limits;
use crate::problem::{Problem, Result};

/// JSON of more bytes is parsed where it stops no other request.
pub(crate) const LARGE: usize = 64 << 10;

/// Of bodies that nobody wants, so much is read before the answer: a client that is still sending
/// when the connection closes would not see it.
const DISCARDED: u64 = 1 << 20;
const DISCARD_TIME: Duration = Duration::from_secs(5);

/// Whatever takes bodies.
pub(crate) trait Intake: Send + Sync + 'static {
    /// What one body may be.
    fn limits(&self) -> &Limits;
    /// The memory of all of them.
    fn memory(&self) -> &Memory;
}

/// A JSON body.
pub(crate) struct Json<T> {
    pub(crate) value: T,
    /// Goes where the value goes.
    pub(crate) memory: SharedReservation,
}

impl<T: DeserializeOwned, I: Intake> FromRequest<Arc<I>> for Json<T> {
    type Rejection = Problem;

    async fn from_request(request: Request, intake: &Arc<I>) -> Result<Self> {
        if !has_type(request.headers(), &["application/json"]) {
            discard(request, DISCARDED).await;
            return Err(Problem::media_type(
                "send JSON, and say so in the header `Content-Type: application/json`",
            ));
        }
        let (bytes, memory) = read(request, &**intake).await?;
        let parse = || serde_json::from_slice(&bytes).map_err(|error| Problem::of_json(&error));
        let value = match bytes.len() {
            LARGE.. => tokio::task::block_in_place(parse),
            _ => parse(),
        }?;
        Ok(Self { value, memory: Arc::new(memory) })
    }
}

/// The whole body.
async fn read(mut request: Request, intake: &impl Intake) -> Result<(Vec<u8>, Reservation)> {
    let limits = intake.limits();
    let mut reserved = Reservation::default();
    let mut bytes = Vec::new();
    let reading = async {
        let body = request.body_mut();
        if body.size_hint().lower() > limits.body_bytes {
            return Ok(false);
        }
        while let Some(data) = next(body).await? {
            let length = (bytes.len() + data.len()) as u64;
            if length > limits.body_bytes {
                return Ok(false);
            }
            intake.memory().reserve(&mut reserved, length)?;
            bytes.extend_from_slice(&data);
        }
        Ok(true)
    };
    match timeout(limits.request_time, reading).await {
        Err(_) => Err(Problem::timeout(format!(
            "the body was not complete after {} seconds",
            limits.request_time.as_secs_f64()
        ))),
        Ok(Err(problem)) => Err(problem),
        Ok(Ok(true)) => Ok((bytes, reserved)),
        Ok(Ok(false)) => {
            drop(bytes);
            discard(request, 4 * limits.body_bytes).await;
            Err(Problem::too_large(format!(
                "the body has more than the {} bytes that this server takes",
                limits.body_bytes
            )))
        }
    }
}

/// The next bytes of a body.
pub(crate) async fn next(body: &mut Body) -> Result<Option<Bytes>> {
    while let Some(frame) = body.frame().await {
        let frame =
            frame.map_err(|_| Problem::malformed("the body ended before it was complete"))?;
        if let Ok(data) = frame.into_data() {
            return Ok(Some(data));
        }
    }
    Ok(None)
}

/// Reads a body that nobody wants, up to so many bytes. Not if its client waits to be told that it
/// is wanted.
async fn discard(request: Request, most: u64) {
    if request.headers().contains_key(header::EXPECT) {
        return;
    }
    let mut body = request.into_body();
    let reading = async {
        let mut left = most;
        while let Ok(Some(data)) = next(&mut body).await {
            let Some(rest) = left.checked_sub(data.len() as u64) else { return };
            left = rest;
        }
    };
    let _ = timeout(DISCARD_TIME, reading).await;
}

/// Answers with a problem to a request whose body nobody wants.
pub(crate) async fn refuse(request: Request, problem: Problem) -> Response {
    discard(request, DISCARDED).await;
    problem.into_response()
}

/// Whether a body says that it is of one of these types, whatever their parameters.
pub(crate) fn has_type(headers: &HeaderMap, types: &[&str]) -> bool {
    let found = headers.get(header::CONTENT_TYPE).and_then(|value| value.to_str().ok());
    let found = found.and_then(|value| value.split(';').next()).unwrap_or_default().trim();
    types.iter().any(|known| found.eq_ignore_ascii_case(known))
}

/// The part of a path that names something, decoded.
pub(crate) struct Name(pub(crate) String);

impl<S: Send + Sync> FromRequestParts<S> for Name {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        match Path::<String>::from_request_parts(parts, state).await {
            Ok(Path(name)) => Ok(Self(name)),
            Err(_) => Err(Problem::malformed("the address is not UTF-8 when it is decoded")),
        }
    }
}

/// What follows the question mark.
pub(crate) struct QueryString<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for QueryString<T> {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self> {
        match Query::<T>::from_request_parts(parts, state).await {
            Ok(Query(asked)) => Ok(Self(asked)),
            Err(error) => Err(Problem::malformed(error.body_text())),
        }
    }
}
