//! How the server is: whether it lives, what it counted, what the index holds.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::{HeaderValue, Response, header};
use serde::Serialize;
use utoipa::ToSchema;

use crate::app::App;
use crate::metrics::Gauges;
use crate::problem::Result;

/// A JSON answer.
pub(crate) fn json(value: &impl Serialize) -> Response<Body> {
    // Only maps with keys that are no strings could fail.
    let mut response = Response::new(Body::from(serde_json::to_vec(value).unwrap_or_default()));
    let kind = HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}

/// Whether the server lives.
#[derive(Serialize, ToSchema)]
pub(super) struct Health {
    /// Always `ok`.
    status: &'static str,
    version: &'static str,
}

/// Whether the server lives. Needs no token.
#[utoipa::path(
    get,
    path = "/healthz",
    security(()),
    responses(
        (status = 200, description = "it does", body = Health),
    )
)]
pub(super) async fn health() -> Response<Body> {
    json(&Health { status: "ok", version: env!("CARGO_PKG_VERSION") })
}

/// Counts since the start, for Prometheus.
#[utoipa::path(
    get,
    path = "/metrics",
    responses(
        (status = 200, description = "Prometheus' text format", body = String,
         content_type = "text/plain; version=0.0.4"),
    )
)]
pub(super) async fn metrics(State(app): State<Arc<App>>) -> Result<Response<Body>> {
    let gauges = app
        .ask(|app| {
            let stats = app.index.stats()?;
            Ok(Gauges { documents: stats.documents, disk_bytes: stats.disk_bytes })
        })
        .await?;
    let mut response = Response::new(Body::from(app.metrics.text(&gauges)));
    let kind = HeaderValue::from_static("text/plain; version=0.0.4");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    Ok(response)
}

/// Numbers about the index and the server.
#[derive(Serialize, ToSchema)]
pub(super) struct Stats {
    /// Documents in the index.
    documents: u64,
    /// Documents that were removed or replaced and that lists may still have.
    removed: u64,
    /// Bytes of the index on disk.
    disk_bytes: u64,
    /// Whether texts are stored.
    stores_text: bool,
    recipe: RecipeFacts,
    limits: LimitFacts,
    since_start: SinceStart,
}

/// What is taken for a look-alike.
#[derive(Serialize, ToSchema)]
struct RecipeFacts {
    name: String,
    /// The least resemblance of two look-alikes.
    threshold: f64,
    /// What makes a candidate a look-alike: `exact`, `estimate` or `none`.
    verify: &'static str,
    /// Features of a document, if the recipe has features.
    features: Option<u64>,
    /// Bits of a projection, if the recipe has one.
    bits: Option<u64>,
}

/// What the server takes.
#[derive(Serialize, ToSchema)]
struct LimitFacts {
    /// Bytes of a body.
    body_bytes: u64,
    /// Seconds of a request.
    request_seconds: f64,
}

/// What happened since the server was started.
#[derive(Serialize, ToSchema)]
struct SinceStart {
    seconds: u64,
    requests: u64,
    /// Pairs: seconds after the start, and the documents there were.
    // Generators of clients do not know tuples.
    #[schema(value_type = Vec<Vec<u64>>)]
    documents: Vec<(u64, u64)>,
    /// Look-alikes that checks found, by resemblance: twenty classes of 0.05 each.
    resemblances: Vec<u64>,
    /// Documents that were added, by length: up to 128 bytes, up to 256, and so on; the last class
    /// has all that are longer.
    lengths: Vec<u64>,
}

/// Numbers about the index and the server.
#[utoipa::path(
    get,
    path = "/v1/stats",
    responses(
        (status = 200, description = "the numbers", body = Stats),
    )
)]
pub(super) async fn stats(State(app): State<Arc<App>>) -> Result<Response<Body>> {
    app.ask(|app| {
        let stats = app.index.stats()?;
        let recipe = app.index.recipe();
        let limits = &app.options.limits;
        let mut documents = app.metrics.history();
        documents.push((app.seconds(), stats.documents));
        Ok(json(&Stats {
            documents: stats.documents,
            removed: stats.removed,
            disk_bytes: stats.disk_bytes,
            stores_text: app.index.stores_text(),
            recipe: RecipeFacts {
                name: recipe.name.clone(),
                threshold: recipe.threshold,
                verify: recipe.verify.name(),
                features: recipe.features.map(|filter| u64::from(filter.k())),
                bits: recipe.projection.map(|projection| projection.bits as u64),
            },
            limits: LimitFacts {
                body_bytes: limits.body_bytes,
                request_seconds: limits.request_time.as_secs_f64(),
            },
            since_start: SinceStart {
                seconds: app.seconds(),
                requests: app.metrics.requests(),
                documents,
                resemblances: app.metrics.resemblances(),
                lengths: app.metrics.lengths(),
            },
        }))
    })
    .await
}
