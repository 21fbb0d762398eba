//! Documents beside each other: two of them, or a ranked list.

use std::borrow::Cow;
use std::sync::Arc;

use axum::body::Body;
use axum::extract::State;
use axum::http::Response;
use lookalike_core::text::Text;
use lookalike_core::text::html::Extractor;
use lookalike_core::{Kernel, PairRule, Recipe};
use lookalike_engine::report::{self, distinctive_difference};
use lookalike_index::{self as index, Content, Index, RankedEntry, Standing};

use super::documents::unknown;
use super::state::json;
use crate::app::App;
use crate::body::Json;
use crate::model::{
    Collapsed, Comparison, Difference, DocumentOrId, EditDistance, IndexDocument, Judged, LeftOut,
    MAX_RESULTS, Pair, Piece, Ranked, Ranking,
};
use crate::problem::{Problem, Result};

/// Compares two documents, given or known: scores, and what differs.
#[utoipa::path(
    post,
    path = "/v1/compare",
    request_body = Pair,
    responses(
        (status = 200, description = "what can be said about the two", body = Comparison),
    )
)]
pub(super) async fn compare(
    State(app): State<Arc<App>>,
    body: Json<Pair>,
) -> Result<Response<Body>> {
    let Json { value: Pair { a, b }, memory } = body;
    app.ask(move |app| {
        let _memory = memory;
        let a = document(&app.index, a.into())?;
        let b = document(&app.index, b.into())?;
        let [mut extractor_a, mut extractor_b] = [Extractor::new(), Extractor::new()];
        let template = |document: &IndexDocument| app.index.template(document.url.as_deref());
        let templates = [template(&a)?, template(&b)?];
        let a = text(&a, &mut extractor_a);
        let b = text(&b, &mut extractor_b);
        let (comparison, left_out) = app.with_comparer(|comparer| {
            comparer.set_templates(templates);
            (comparer.compare(a, b), comparer.left_out([a, b]))
        })?;
        let recipe = app.index.recipe();
        let [left_out_a, left_out_b] = &left_out;
        let (a, b) = ((a, &**left_out_a), (b, &**left_out_b));
        let difference = distinctive_difference(recipe.tokens, a, "", b);
        Ok(json(&answer(recipe, &comparison, difference)))
    })
    .await
}

/// The document, with its content.
fn document(index: &Index, given: DocumentOrId) -> Result<IndexDocument> {
    let id = match given {
        DocumentOrId::Document(document) => return Ok(*document),
        DocumentOrId::Known(id) => id,
    };
    let (record, content) = index.read(&id)?.ok_or_else(unknown)?;
    let content = match (record.stored, content) {
        (Some(index::ContentKind::Text), Some(text)) => Content::Text(text.into()),
        (Some(index::ContentKind::Html), Some(page)) => Content::Html(page.into()),
        (Some(index::ContentKind::Items), Some(set)) => Content::Items(set.into()),
        _ => {
            return Err(Problem::not_stored(
                "the index has only the signature of this document, so that nothing can be \
                 compared word by word; send the text itself",
            ));
        }
    };
    let document = index::Document::new(id, content);
    Ok(index::Document { url: record.url.map(Into::into), ..document })
}

/// What is compared of a document.
fn text<'a>(document: &'a IndexDocument, extractor: &'a mut Extractor) -> Text<'a> {
    match &document.content {
        Content::Text(text) | Content::Items(text) => (&**text).into(),
        Content::Html(page) => extractor.extract(page, document.url.as_deref()),
        Content::Signed { .. } => (&[][..]).into(),
    }
}

/// What is said of a comparison.
pub(crate) fn answer(
    recipe: &Recipe,
    comparison: &lookalike_core::Comparison,
    difference: report::Difference,
) -> Comparison {
    let overlap = comparison.overlap;
    Comparison {
        look_alikes: PairRule::new(Kernel::best(), recipe).accepts(comparison),
        threshold: recipe.threshold,
        resemblance: overlap.resemblance(),
        containment_a: overlap.containment_a(),
        containment_b: overlap.containment_b(),
        estimate: comparison.estimate,
        b_similarity: comparison.b_similarity.map(|n| n as u64),
        c_similarity: comparison.c_similarity.map(|n| n as u64),
        same_tokens: comparison.same_tokens,
        term_difference: comparison.term_difference,
        edit_distance: EditDistance {
            at_least: comparison.edit_distance.at_least,
            at_most: comparison.edit_distance.at_most,
        },
        template_tokens_a: comparison.template_tokens[0],
        template_tokens_b: comparison.template_tokens[1],
        shingles_a: overlap.a,
        shingles_b: overlap.b,
        difference: Difference {
            pieces: difference.pieces.into_iter().map(piece).collect(),
            template: difference.template,
            reasons: difference.reasons,
            deleted: difference.deleted,
            inserted: difference.inserted,
            places: difference.places,
            shortened: difference.shortened,
            compared_bytes: difference.compared_bytes,
        },
    }
}

fn piece(piece: report::Piece) -> Piece {
    match piece {
        report::Piece::Equal(text) => Piece::Equal(text),
        report::Piece::Deleted(text) => Piece::Deleted(text),
        report::Piece::Inserted(text) => Piece::Inserted(text),
        report::Piece::Gap(tokens) => Piece::Gap(tokens),
    }
}

/// Leaves out of a ranked list the look-alikes of higher results.
#[utoipa::path(
    post,
    path = "/v1/collapse",
    request_body = Ranking,
    responses(
        (status = 200, description = "the list without look-alikes", body = Collapsed),
    )
)]
pub(super) async fn collapse(
    State(app): State<Arc<App>>,
    body: Json<Ranking>,
) -> Result<Response<Body>> {
    let Json { value: Ranking { results, threshold }, memory } = body;
    if results.len() > MAX_RESULTS {
        let found = results.len();
        return Err(Problem::invalid(format!("{found} results, more than {MAX_RESULTS}")));
    }
    app.ask(move |app| {
        let _memory = memory;
        let given: Vec<DocumentOrId> = results.into_iter().map(DocumentOrId::from).collect();
        let listed = given.iter().map(|given| match given {
            DocumentOrId::Known(id) => RankedEntry::Known(id),
            DocumentOrId::Document(document) => RankedEntry::Given(borrowed(document)),
        });
        let listed = listed.collect::<Vec<_>>();
        let (collapsed, judged) = match threshold {
            None => (app.index.collapse(&listed)?, Judged::by(&app.index)),
            Some(threshold) => {
                let index = app.index.at(threshold)?;
                (index.collapse(&listed)?, Judged::at(&index))
            }
        };
        let ids: Vec<Option<String>> = given.into_iter().map(id).collect();
        Ok(json(&sorted(&ids, collapsed, judged)))
    })
    .await
}

/// The document without a copy of what it says.
fn borrowed(document: &IndexDocument) -> index::Document<'_> {
    let content = match &document.content {
        Content::Text(text) => Content::Text(Cow::Borrowed(text)),
        Content::Html(page) => Content::Html(Cow::Borrowed(page)),
        Content::Items(set) => Content::Items(Cow::Borrowed(set)),
        Content::Signed { signature, bytes } => {
            Content::Signed { signature: Cow::Borrowed(signature), bytes: *bytes }
        }
    };
    let url = document.url.as_deref().map(Cow::Borrowed);
    index::Document { url, ..index::Document::new(&*document.id, content) }
}

fn id(given: DocumentOrId) -> Option<String> {
    match given {
        DocumentOrId::Known(id) => Some(id),
        DocumentOrId::Document(document) => {
            Some(document.id.into_owned()).filter(|id| !id.is_empty())
        }
    }
}

/// What stays and what does not.
fn sorted(ids: &[Option<String>], collapsed: index::CollapsedList, judged: Judged) -> Collapsed {
    let Judged { threshold, recall } = judged;
    let limited = collapsed.limited;
    let mut sorted = Collapsed { limited, threshold, recall, ..Collapsed::default() };
    for (place, standing) in collapsed.standings.into_iter().enumerate() {
        let (rank, id) = (place as u64, ids[place].clone());
        match standing {
            Standing::Stays => sorted.results.push(Ranked { rank, id, known: true }),
            Standing::Unknown => sorted.results.push(Ranked { rank, id, known: false }),
            Standing::LeftOut { keeper, found } => sorted.left_out.push(LeftOut {
                rank,
                id,
                keeper_rank: keeper as u64,
                keeper: ids[keeper].clone(),
                kind: found.kind,
                resemblance: found.resemblance,
                estimate: found.estimate,
            }),
        }
    }
    sorted
}
