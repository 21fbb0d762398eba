//! The routes, each with its line of the description that clients can read.

mod bulk;
pub(crate) mod compare;
mod documents;
pub(crate) mod page;
pub(crate) mod runs;
pub(crate) mod state;

use std::collections::BTreeMap;
use std::sync::Arc;

use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderValue, Uri, header};
use axum::middleware::from_fn_with_state;
use axum::response::{IntoResponse as _, Response};
use utoipa::openapi::path::Operation;
use utoipa::openapi::schema::{AllOf, AnyOf};
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityScheme};
use utoipa::openapi::{ContentBuilder, Ref, RefOr, ResponseBuilder, Schema};
use utoipa::{Modify, OpenApi};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::app::App;
use crate::body::refuse;
use crate::gate::{self, Gate};
use crate::model::{LineAnswer, Operation as LineOperation};
use crate::problem::Problem;
use crate::token::Token;

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Lookalike",
        description = "Finds documents that are roughly the same: an index of known documents, \
            asked and changed over HTTP. Errors are problems as RFC 9457 has them. A change is \
            answered when it is on disk.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0")
    ),
    security(("token" = [])),
    modifiers(&Security),
    components(schemas(Problem, LineAnswer, LineOperation))
)]
struct Description;

struct Security;

impl Modify for Security {
    fn modify(&self, openapi: &mut utoipa::openapi::OpenApi) {
        let token = SecurityScheme::Http(
            Http::builder()
                .scheme(HttpAuthScheme::Bearer)
                .description(Some("The token of the server, if it was started with one."))
                .build(),
        );
        openapi.components.get_or_insert_default().add_security_scheme("token", token);
    }
}

fn described() -> (Router<Arc<App>>, utoipa::openapi::OpenApi) {
    let (router, mut description) = OpenApiRouter::with_openapi(Description::openapi())
        .routes(routes!(documents::check))
        .routes(routes!(documents::add, documents::browse))
        .routes(routes!(documents::check_and_add))
        .routes(routes!(documents::clusters))
        .routes(routes!(documents::get, documents::remove))
        .routes(routes!(bulk::bulk))
        .routes(routes!(compare::compare))
        .routes(routes!(compare::collapse))
        .routes(routes!(state::stats))
        .routes(routes!(runs::list))
        .routes(routes!(state::health))
        .routes(routes!(state::metrics))
        .split_for_parts();
    for item in description.paths.paths.values_mut() {
        for operation in [&mut item.get, &mut item.post, &mut item.delete].into_iter().flatten() {
            add_problems(operation);
        }
    }
    if let Some(components) = &mut description.components {
        spread_outcomes(&mut components.schemas);
    }
    (router, description)
}

/// What a line of a bulk answer can be, in the order of [`Outcome`](crate::model::Outcome).
const LINES: [&str; 5] =
    ["CheckedLine", "AddedLine", "CheckedAndAddedLine", "RemovedLine", "FailedLine"];

/// Makes of a line of a bulk answer, a number and one of several things, one of several things with
/// a number each: generators of clients cannot add a field to a choice. What checks and adds also
/// answers as a check and as an addition do, so that more than one may fit.
fn spread_outcomes(schemas: &mut BTreeMap<String, RefOr<Schema>>) {
    let (Some(RefOr::T(Schema::OneOf(outcome))), Some(RefOr::T(Schema::AllOf(line)))) =
        (schemas.remove("Outcome"), schemas.remove("LineAnswer"))
    else {
        return;
    };
    let Some(number) = line.items.last() else { return };
    let mut any = AnyOf::builder().description(line.description);
    for (name, kind) in LINES.into_iter().zip(outcome.items) {
        let line = AllOf::builder().item(kind).item(number.clone()).build();
        schemas.insert(name.to_owned(), RefOr::T(Schema::AllOf(line)));
        any = any.item(Ref::from_schema_name(name));
    }
    schemas.insert("LineAnswer".to_owned(), RefOr::T(Schema::AnyOf(any.build())));
}

/// Everything can go wrong in the same two ways.
fn add_problems(operation: &mut Operation) {
    for (status, whose) in
        [("4XX", "the request is wrong"), ("5XX", "the server failed or is busy")]
    {
        let content = ContentBuilder::new().schema(Some(Ref::from_schema_name("Problem"))).build();
        let response = ResponseBuilder::new()
            .description(whose)
            .content("application/problem+json", content)
            .build();
        operation.responses.responses.insert(status.to_owned(), response.into());
    }
}

/// The description of the service in OpenAPI 3.1: what `/openapi.json` answers.
pub fn openapi() -> String {
    let mut json = described().1.to_pretty_json().unwrap_or_default();
    json.push('\n');
    json
}

pub(crate) fn router(app: Arc<App>) -> Router {
    let description = openapi();
    let describe = move || {
        let description = description.clone();
        async move {
            let json = HeaderValue::from_static("application/json");
            ([(header::CONTENT_TYPE, json)], description)
        }
    };
    let (options, metrics) = (app.options.clone(), Arc::clone(&app.metrics));
    let gate = Arc::new(Gate { options, metrics, is_open });
    page::add_to(described().0, &page::SERVICE)
        .route("/openapi.json", axum::routing::get(describe))
        .route("/runs/{name}", axum::routing::get(runs::without_slash))
        .route("/runs/{name}/", axum::routing::get(runs::report))
        .fallback(nothing)
        .method_not_allowed_fallback(not_allowed)
        .layer(from_fn_with_state(gate, gate::pass))
        .with_state(app)
}

/// What can be had without the token itself.
fn is_open(uri: &Uri, token: &Token) -> bool {
    matches!(uri.path(), "/healthz" | "/openapi.json")
        || page::is_part(&page::SERVICE, uri.path())
        || runs::has_ticket(uri, token)
}

async fn nothing(request: Request) -> Response {
    refuse(request, Problem::not_found("no such address; /openapi.json lists all of them")).await
}

pub(crate) async fn not_allowed(request: Request) -> Response {
    let problem = Problem::method("the header `Allow` lists the methods of this address");
    refuse(request, problem).await.into_response()
}
