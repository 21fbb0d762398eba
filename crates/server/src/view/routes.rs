//! What the page of a run asks for.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::extract::{Request, State};
use axum::http::{HeaderValue, Response, Uri, header};
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};
use lookalike_engine::Row;
use lookalike_engine::run::{
    ClusterFilter, ClusterKind, ClusterMember, ClusterOrder, ClusterSummary, PairVerdict,
    RunDocument, Verdict, VerdictCounts,
};
use serde::{Deserialize, Serialize};

use super::limits::{BEGINNING, numbers, page_size};
use super::passages;
use super::state::ViewState;
use crate::body::{Json, Name, QueryString, refuse};
use crate::clock;
use crate::gate::{self, Gate};
use crate::metrics::Metrics;
use crate::model::Comparison;
use crate::problem::{Problem, Result};
use crate::routes::compare::answer;
use crate::routes::state::json;
use crate::routes::{not_allowed, page};
use crate::token::Token;

/// The longest note of a verdict, in bytes.
const MAX_NOTE: usize = 4000;

pub(super) fn router(state: Arc<ViewState>, metrics: Arc<Metrics>) -> Router {
    let gate = Arc::new(Gate { options: state.options.clone(), metrics, is_open });
    page::add_to(Router::new(), &page::VIEW)
        .route("/v1/run", get(run))
        .route("/v1/clusters", get(clusters))
        .route("/v1/clusters/{cluster}", get(cluster))
        .route("/v1/find", get(find))
        .route("/v1/beginnings", get(beginnings))
        .route("/v1/compare", get(compare))
        .route("/v1/verdicts", post(give))
        .route("/v1/labels", get(labels))
        .route("/v1/passages", get(passages::list))
        .route("/v1/passages/find", get(passages::find))
        .route("/v1/passages/beginnings", get(passages::beginnings))
        .route("/v1/passages/{passage}", get(passages::one))
        .route("/v1/cut/{row}", get(passages::document))
        .fallback(nothing)
        .method_not_allowed_fallback(not_allowed)
        .layer(from_fn_with_state(gate, gate::pass))
        .with_state(state)
}

/// The page needs no token; it asks for it.
fn is_open(uri: &Uri, _: &Token) -> bool {
    page::is_part(&page::VIEW, uri.path())
}

async fn nothing(request: Request) -> Response<Body> {
    refuse(request, Problem::not_found("no such address; the page is at /")).await
}

/// What is looked at.
#[derive(Serialize)]
struct RunSummary {
    folder: String,
    documents: u64,
    clusters: u64,
    /// Whether documents were compared with each other as wholes.
    compares_documents: bool,
    /// What was done to passages, `cut` or `annotated`, if any were looked for; and how many were found.
    passages_were: Option<&'static str>,
    passages: u64,
    recipe: String,
    threshold: f64,
    /// Whether texts can be read: not if the run was made from a signature file.
    has_texts: bool,
    verdicts: VerdictCounts,
}

async fn run(State(state): State<Arc<ViewState>>) -> Result<Response<Body>> {
    let run = state.clusters.run();
    let done = if run.annotates_passages() { "annotated" } else { "cut" };
    Ok(json(&RunSummary {
        folder: state.folder.clone(),
        documents: run.documents(),
        clusters: state.clusters.len(),
        compares_documents: run.compares_documents(),
        passages_were: run.has_passages().then_some(done),
        passages: state.passages.len(),
        recipe: run.recipe().name.clone(),
        threshold: run.recipe().threshold,
        has_texts: run.has_inputs(),
        verdicts: state.verdicts().counts(),
    }))
}

/// Which clusters are wanted.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct ListOptions {
    min_size: Option<u64>,
    max_size: Option<u64>,
    kind: Option<ClusterKind>,
    min_resemblance: Option<f64>,
    max_resemblance: Option<f64>,
    source: Option<String>,
    site: Option<String>,
    words: Option<String>,
    #[serde(default)]
    order: ClusterOrder,
    #[serde(default)]
    after: u64,
    limit: Option<u64>,
}

/// Some clusters, each with the document that stays.
#[derive(Serialize)]
struct ClusterList {
    clusters: Vec<ListedCluster>,
    next: Option<u64>,
    looked_at: u64,
    of: u64,
    wanted: Option<u64>,
    unread: u64,
}

#[derive(Serialize)]
struct ListedCluster {
    #[serde(flatten)]
    summary: ClusterSummary,
    keeper: RunDocument,
}

async fn clusters(
    State(state): State<Arc<ViewState>>,
    QueryString(options): QueryString<ListOptions>,
) -> Result<Response<Body>> {
    let limit = page_size(options.limit)?;
    for share in [options.min_resemblance, options.max_resemblance].into_iter().flatten() {
        if !(0.0..=1.0).contains(&share) {
            return Err(Problem::invalid("a resemblance is from 0 to 1"));
        }
    }
    state
        .ask(move |state| {
            let mut filter = ClusterFilter::default();
            filter.min_size = options.min_size;
            filter.max_size = options.max_size;
            filter.kind = options.kind;
            filter.min_resemblance = options.min_resemblance;
            filter.max_resemblance = options.max_resemblance;
            filter.source = options.source;
            filter.site = options.site;
            filter.words = options.words;
            let all = &state.clusters;
            let page = all.page(&filter, options.order, options.after, limit as usize)?;
            let mut clusters = Vec::new();
            for summary in page.clusters {
                clusters.push(ListedCluster { summary, keeper: all.keeper(summary.cluster)? });
            }
            Ok(json(&ClusterList {
                clusters,
                next: page.next,
                looked_at: page.looked_at,
                of: page.of,
                wanted: page.wanted,
                unread: page.unread,
            }))
        })
        .await
}

fn no_cluster() -> Problem {
    Problem::not_found("the run has no cluster of this number")
}

/// Which members are wanted.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct MemberOptions {
    #[serde(default)]
    from: u64,
    limit: Option<u64>,
}

/// A cluster with some of its members.
#[derive(Serialize)]
struct OpenCluster {
    #[serde(flatten)]
    summary: ClusterSummary,
    /// Whichever members follow.
    keeper: RunDocument,
    members: Vec<JudgedMember>,
    /// Where to go on; `None` at the end.
    next: Option<u64>,
}

/// A member, and what was said of it and the keeper.
#[derive(Serialize)]
struct JudgedMember {
    #[serde(flatten)]
    member: ClusterMember,
    verdict: Option<Verdict>,
}

async fn cluster(
    State(state): State<Arc<ViewState>>,
    Name(number): Name,
    QueryString(options): QueryString<MemberOptions>,
) -> Result<Response<Body>> {
    let limit = page_size(options.limit)?;
    let cluster = number.parse().map(Row::nth).map_err(|_| no_cluster())?;
    state
        .ask(move |state| {
            let summary = state.clusters.get(cluster).ok_or_else(no_cluster)?;
            let keeper = state.clusters.keeper(cluster)?;
            let found = state.clusters.members(cluster, options.from, limit)?;
            let verdicts = state.verdicts();
            let judged = |member: ClusterMember| {
                let said = verdicts.get(&keeper.id, &member.document.id);
                JudgedMember { verdict: said.map(|said| said.verdict), member }
            };
            let members: Vec<JudgedMember> = found.into_iter().map(judged).collect();
            drop(verdicts);
            let next = options.from.saturating_add(limit);
            let next = (next < summary.size).then_some(next);
            Ok(json(&OpenCluster { summary, keeper, members, next }))
        })
        .await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct FindOptions {
    id: String,
}

async fn find(
    State(state): State<Arc<ViewState>>,
    QueryString(FindOptions { id }): QueryString<FindOptions>,
) -> Result<Response<Body>> {
    state.ask(move |state| Ok(json(&state.clusters.find(&id)?))).await
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BeginningOptions {
    /// Numbers with commas between them.
    rows: String,
}

/// How documents begin, in the order in which they are named.
#[derive(Serialize)]
struct Beginnings {
    beginnings: Vec<Option<String>>,
}

async fn beginnings(
    State(state): State<Arc<ViewState>>,
    QueryString(BeginningOptions { rows }): QueryString<BeginningOptions>,
) -> Result<Response<Body>> {
    let rows: Vec<Row> = numbers("rows", &rows)?.into_iter().map(Row::nth).collect();
    state
        .ask(move |state| {
            let beginnings = state.clusters.run().beginnings(&rows, BEGINNING)?;
            Ok(json(&Beginnings { beginnings }))
        })
        .await
}

/// Two documents.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct PairOptions {
    a: u64,
    b: u64,
}

/// Two documents side by side, and what was said of them.
#[derive(Serialize)]
struct JudgedPair {
    #[serde(flatten)]
    comparison: Comparison,
    /// The ids of both.
    ids: [String; 2],
    verdict: Option<PairVerdict>,
}

async fn compare(
    State(state): State<Arc<ViewState>>,
    QueryString(PairOptions { a, b }): QueryString<PairOptions>,
) -> Result<Response<Body>> {
    state
        .ask(move |state| {
            let run = state.clusters.run();
            let [(a, id_a), (b, id_b)] = documents(state, [a, b])?;
            let compared = run.compare(a, b)?;
            let comparison = answer(run.recipe(), &compared.comparison, compared.difference);
            let verdict = state.verdicts().get(&id_a, &id_b).cloned();
            Ok(json(&JudgedPair { comparison, ids: [id_a, id_b], verdict }))
        })
        .await
}

/// The rows and the ids of two documents.
fn documents(state: &ViewState, rows: [u64; 2]) -> Result<[(Row, String); 2]> {
    let run = state.clusters.run();
    let [a, b] = rows.map(|row| {
        if row >= run.rows() {
            return Err(Problem::unknown_document("the run had no document of this row"));
        }
        let row = Row::nth(row);
        Ok((row, run.id(row)?))
    });
    Ok([a?, b?])
}

/// What a person says of two documents, by their rows.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct GivenVerdict {
    a: u64,
    b: u64,
    verdict: Verdict,
    #[serde(default)]
    note: String,
}

/// That it is on the disk, and how many there are.
#[derive(Serialize)]
struct GivenAnswer {
    verdict: PairVerdict,
    verdicts: VerdictCounts,
}

async fn give(
    State(state): State<Arc<ViewState>>,
    Json { value: given, memory }: Json<GivenVerdict>,
) -> Result<Response<Body>> {
    if given.note.len() > MAX_NOTE {
        return Err(Problem::invalid(format!("a note has at most {MAX_NOTE} bytes")));
    }
    state
        .ask(move |state| {
            let _memory = memory;
            let GivenVerdict { a, b, verdict, note } = given;
            let [(_, a), (_, b)] = documents(state, [a, b])?;
            if a == b {
                return Err(Problem::invalid(
                    "both documents have the same id, so that no label could tell them apart",
                ));
            }
            let verdict = PairVerdict { a, b, verdict, time: clock::now().as_secs(), note };
            let mut verdicts = state.verdicts();
            verdicts.give(verdict.clone())?;
            Ok(json(&GivenAnswer { verdict, verdicts: verdicts.counts() }))
        })
        .await
}

/// The verdicts as labels that `lookalike eval` reads.
async fn labels(State(state): State<Arc<ViewState>>) -> Response<Body> {
    let mut response = Response::new(Body::from(state.verdicts().labels()));
    for (name, value) in [
        (header::CONTENT_TYPE, "application/x-ndjson"),
        (header::CONTENT_DISPOSITION, "attachment; filename=\"labels.jsonl\""),
    ] {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}
