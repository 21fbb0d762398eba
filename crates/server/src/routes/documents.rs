//! Documents: looked for, added, removed, read.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::{Response, StatusCode};
use axum::response::IntoResponse as _;

use lookalike_index::{self as index, Addition, Index};

use super::state::json;
use crate::app::App;
use crate::body::{Json, Name, QueryString};
use crate::memory::SharedReservation;
use crate::model::{
    AddOptions, Answer, BrowseOptions, Check, CheckedAndAdded, Clusters, Judged, NamedDocument,
    Page, PageOptions, Record, WholeRecord,
};
use crate::problem::{Problem, Result};
use crate::writer::{ChangeResult, Changes};

/// Looks for documents that this one is a look-alike of. Nothing is changed.
///
/// The filter of the index was chosen for its own threshold. Under a lower one it finds fewer of the
/// look-alikes: `recall` says which share.
#[utoipa::path(
    post,
    path = "/v1/check",
    request_body = Check,
    responses(
        (status = 200, description = "the look-alikes", body = Answer),
    )
)]
pub(super) async fn check(
    State(app): State<Arc<App>>,
    body: Json<Check>,
) -> Result<Response<Body>> {
    let Json { value, memory } = body;
    let (document, threshold) = value.into();
    let check = move |app: &App| {
        let _memory = memory;
        app.check(&document, threshold)
    };
    Ok(json(&app.ask(check).await?))
}

/// Adds a document, in the place of one with the same id if there is one.
#[utoipa::path(
    post,
    path = "/v1/documents",
    request_body = NamedDocument,
    responses(
        (status = 201, description = "it was added", body = Addition),
        (status = 200, description = "it stands in the place of another", body = Addition),
    )
)]
pub(super) async fn add(
    State(app): State<Arc<App>>,
    body: Json<NamedDocument>,
) -> Result<Response<Body>> {
    let changes = Changes::Add(vec![body.value.into()]);
    match app.change(changes, body.memory).await?.pop() {
        Some(ChangeResult::Added(added)) => {
            let mut response = json(&added);
            if !added.replaced {
                *response.status_mut() = StatusCode::CREATED;
            }
            Ok(response)
        }
        _ => Err(no_answer()),
    }
}

/// Checks and, if there is no look-alike, adds, with nothing in between; else counts it for the one
/// that stands for it, unless its id counts already.
#[utoipa::path(
    post,
    path = "/v1/check-and-add",
    params(AddOptions),
    request_body = NamedDocument,
    responses(
        (status = 200, description = "the look-alikes, and what was added", body = CheckedAndAdded),
    )
)]
pub(super) async fn check_and_add(
    State(app): State<Arc<App>>,
    QueryString(options): QueryString<AddOptions>,
    body: Json<NamedDocument>,
) -> Result<Response<Body>> {
    let changes = Changes::CheckAndAdd(vec![body.value.into()], options.add_if);
    match app.change(changes, body.memory).await?.pop() {
        Some(ChangeResult::CheckedAndAdded(done)) => {
            Ok(json(&CheckedAndAdded::new(done, Judged::by(&app.index))))
        }
        _ => Err(no_answer()),
    }
}

/// Removes a document.
#[utoipa::path(
    delete,
    path = "/v1/documents/{id}",
    params(("id" = String, Path, description = "its id, percent-encoded", min_length = 1)),
    responses(
        (status = 204, description = "it is gone"),
    )
)]
pub(super) async fn remove(State(app): State<Arc<App>>, Name(id): Name) -> Result<Response<Body>> {
    match app.change(Changes::Remove(vec![id]), SharedReservation::default()).await?.pop() {
        Some(ChangeResult::Removed(true)) => Ok(StatusCode::NO_CONTENT.into_response()),
        Some(ChangeResult::Removed(false)) => Err(unknown()),
        _ => Err(no_answer()),
    }
}

/// A document, with its text if that is stored. If none has this id, the first that was added with
/// this URL.
#[utoipa::path(
    get,
    path = "/v1/documents/{id}",
    params(("id" = String, Path, description = "its id or its URL, percent-encoded", min_length = 1)),
    responses(
        (status = 200, description = "the document", body = WholeRecord),
    )
)]
pub(super) async fn get(State(app): State<Arc<App>>, Name(name): Name) -> Result<Response<Body>> {
    app.ask(move |app| {
        let found = match app.index.read(&name)? {
            None => of_url(&app.index, &name)?,
            found => found,
        };
        let (record, content) = found.ok_or_else(|| {
            Problem::unknown_document(if app.index.finds_urls() {
                "the index has no document of this id or URL"
            } else {
                "the index has no document of this id; by URLs it finds none, since an earlier \
                 version made it: `GET /v1/documents?search=` does"
            })
        })?;
        Ok(json(&WholeRecord::new(&app.index, record, content)?))
    })
    .await
}

/// The document of a URL that was added first, where it costs no look at all others.
fn of_url(index: &Index, url: &str) -> Result<Option<(index::Record, Option<Vec<u8>>)>> {
    if !index.finds_urls() {
        return Ok(None);
    }
    match index.of_url(url, 0, 1)?.records.pop() {
        // It may be gone since.
        Some(record) => Ok(index.read(&record.id)?),
        None => Ok(None),
    }
}

/// Documents in the order of adding, page by page, or those that are searched for.
///
/// A search reads so much of the documents and no more, so that a page of few documents, or none, may
/// have a next one.
#[utoipa::path(
    get,
    path = "/v1/documents",
    params(BrowseOptions),
    responses(
        (status = 200, description = "a page", body = Page),
    )
)]
pub(super) async fn browse(
    State(app): State<Arc<App>>,
    QueryString(options): QueryString<BrowseOptions>,
) -> Result<Response<Body>> {
    let (from, limit, search) = options.range()?;
    app.ask(move |app| {
        if let Some(search) = search {
            let found = app.index.search(&search, from, limit)?;
            return Ok(json(&Page::new(&app.index, found)?));
        }
        // One more than asked for tells whether there is another page.
        let mut records = app.index.page(from, limit + 1)?;
        let more = records.len() > limit;
        records.truncate(limit);
        let documents = Record::all(&app.index, records)?;
        let next = documents.last().filter(|_| more).map(|last| last.number);
        Ok(json(&Page { documents, next, end: app.index.end() }))
    })
    .await
}

/// Known documents that are look-alikes of each other, page by page.
///
/// Documents are looked at in the order of adding, and a cluster is answered with where its first
/// document stands. A request looks at so many documents and no more, and compares so many bytes of
/// them and no more, so that there may be no cluster on a page that has a next one, and a large one
/// may be shortened, which `limited` says.
#[utoipa::path(
    get,
    path = "/v1/clusters",
    params(PageOptions),
    responses(
        (status = 200, description = "a page", body = Clusters),
    )
)]
pub(super) async fn clusters(
    State(app): State<Arc<App>>,
    QueryString(options): QueryString<PageOptions>,
) -> Result<Response<Body>> {
    let (from, limit) = options.range()?;
    app.ask(move |app| {
        let found = app.index.clusters(from, limit, LOOKED_AT)?;
        Ok(json(&Clusters::new(&app.index, found)?))
    })
    .await
}

/// Documents that a request for clusters looks at: about a second's work.
const LOOKED_AT: usize = 2000;

pub(super) fn unknown() -> Problem {
    Problem::unknown_document("the index has no document of this id")
}

/// The writer answers every change, so that this is never seen.
fn no_answer() -> Problem {
    Problem::failed("the writer gave no answer")
}
