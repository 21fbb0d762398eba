//! What the page of a run's passages asks for.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::Response;
use lookalike_engine::Row;
use lookalike_engine::run::{
    Cut, MarkLimits, MarkedDocument, PassageFilter, PassageOrder, PassageSummary, RunDocument,
};
use serde::{Deserialize, Serialize};

use super::limits::{BEGINNING, MAX_PAGE, numbers, page_size};
use super::state::ViewState;
use crate::body::{Name, QueryString};
use crate::problem::{Problem, Result};
use crate::routes::state::json;

/// Bytes that are shown around cuts, and at both ends of them.
const AROUND: usize = 2000;
const WITHIN: usize = 4000;

/// Cuts that are marked.
const CUTS: usize = 200;

/// How much of a document is shown.
fn shown() -> MarkLimits {
    MarkLimits::DEFAULT.bytes(AROUND, WITHIN).cuts(CUTS)
}

/// Which passages are wanted.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct ListOptions {
    min_copies: Option<u64>,
    max_copies: Option<u64>,
    min_words: Option<u64>,
    max_words: Option<u64>,
    words: Option<String>,
    #[serde(default)]
    order: PassageOrder,
    #[serde(default)]
    after: u64,
    limit: Option<u64>,
}

/// Some passages, each with the document in which it stays.
#[derive(Serialize)]
struct PassageList {
    passages: Vec<ListedPassage>,
    next: Option<u64>,
    looked_at: u64,
    of: u64,
    wanted: Option<u64>,
    unread: u64,
}

#[derive(Serialize)]
struct ListedPassage {
    #[serde(flatten)]
    summary: PassageSummary,
    document: RunDocument,
}

fn listed(state: &ViewState, passages: Vec<PassageSummary>) -> Result<Vec<ListedPassage>> {
    let one = |summary: PassageSummary| {
        let document = state.passages.run().document(summary.keeper)?;
        Ok(ListedPassage { summary, document })
    };
    passages.into_iter().map(one).collect()
}

pub(super) async fn list(
    State(state): State<Arc<ViewState>>,
    QueryString(options): QueryString<ListOptions>,
) -> Result<Response<Body>> {
    let limit = page_size(options.limit)?;
    state
        .ask(move |state| {
            let mut filter = PassageFilter::default();
            filter.min_copies = options.min_copies;
            filter.max_copies = options.max_copies;
            filter.min_words = options.min_words;
            filter.max_words = options.max_words;
            filter.words = options.words;
            let page =
                state.passages.page(&filter, options.order, options.after, limit as usize)?;
            Ok(json(&PassageList {
                passages: listed(state, page.passages)?,
                next: page.next,
                looked_at: page.looked_at,
                of: page.of,
                wanted: page.wanted,
                unread: page.unread,
            }))
        })
        .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct FindOptions {
    id: String,
}

/// The documents of an id or a URL.
#[derive(Serialize)]
struct Found {
    /// How many there are.
    documents: u64,
    /// The rows of the first of them.
    rows: Vec<Row>,
    /// Passages that they keep or were cut of.
    passages: Vec<ListedPassage>,
}

pub(super) async fn find(
    State(state): State<Arc<ViewState>>,
    QueryString(FindOptions { id }): QueryString<FindOptions>,
) -> Result<Response<Body>> {
    state
        .ask(move |state| {
            let found = state.passages.find(&id, MAX_PAGE as usize)?;
            let passages = listed(state, found.passages)?;
            Ok(json(&Found { documents: found.documents, rows: found.rows, passages }))
        })
        .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct BeginningOptions {
    /// Numbers with commas between them.
    passages: String,
}

/// How passages begin, in the order in which they are named.
#[derive(Serialize)]
struct Beginnings {
    beginnings: Vec<Option<String>>,
}

pub(super) async fn beginnings(
    State(state): State<Arc<ViewState>>,
    QueryString(BeginningOptions { passages }): QueryString<BeginningOptions>,
) -> Result<Response<Body>> {
    let passages = numbers("passages", &passages)?;
    state
        .ask(move |state| {
            let beginnings = state.passages.beginnings(&passages, BEGINNING)?;
            Ok(json(&Beginnings { beginnings }))
        })
        .await
}

/// Which cuts of a passage are wanted.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct CutOptions {
    #[serde(default)]
    from: u64,
    limit: Option<u64>,
}

/// A passage where it stays, with some of the places at which it was cut.
#[derive(Serialize)]
struct OpenPassage {
    #[serde(flatten)]
    summary: PassageSummary,
    kept: MarkedDocument,
    places: Vec<CutPlace>,
    /// Where to go on; `None` at the end.
    next: Option<u64>,
}

/// A place at which a passage was cut.
#[derive(Serialize)]
struct CutPlace {
    #[serde(flatten)]
    document: RunDocument,
    begin: u64,
    end: u64,
}

pub(super) async fn one(
    State(state): State<Arc<ViewState>>,
    Name(number): Name,
    QueryString(options): QueryString<CutOptions>,
) -> Result<Response<Body>> {
    let limit = page_size(options.limit)?;
    let none = || Problem::not_found("the run has no passage of this number");
    let passage: u64 = number.parse().map_err(|_| none())?;
    state
        .ask(move |state| {
            let summary = state.passages.get(passage).ok_or_else(none)?;
            let kept = state.passages.keeper(passage, shown())?.ok_or_else(none)?;
            let cuts = state.passages.cuts(passage, options.from, limit)?;
            let place = |Cut { document, begin, end, .. }| CutPlace { document, begin, end };
            let next = options.from.saturating_add(limit);
            Ok(json(&OpenPassage {
                summary,
                kept,
                places: cuts.into_iter().map(place).collect(),
                next: (next < summary.cuts).then_some(next),
            }))
        })
        .await
}

/// Which cut of a document is looked at.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
pub(super) struct DocumentOptions {
    /// A passage: the first of its cuts.
    passage: Option<u64>,
}

/// A document with what was cut of it.
pub(super) async fn document(
    State(state): State<Arc<ViewState>>,
    Name(number): Name,
    QueryString(DocumentOptions { passage }): QueryString<DocumentOptions>,
) -> Result<Response<Body>> {
    let none = || Problem::unknown_document("the run had no document of this row");
    let row: u64 = number.parse().map_err(|_| none())?;
    state
        .ask(move |state| {
            if row >= state.passages.run().documents() {
                return Err(none());
            }
            Ok(json(&state.passages.document(Row::nth(row), passage, shown())?))
        })
        .await
}
