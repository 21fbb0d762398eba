//! What requests and answers look like in JSON.

use std::borrow::Cow;

use lookalike_core::recipe::Verify;
use lookalike_index::{
    self as index, AddIf, Addition, Content, ContentKind, Counts, Index, Match, MatchKind,
};
use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

use crate::problem::{Problem, Result};
use crate::sets::{Items, NamedSet, SetCheck, SetDocument, strings};
use crate::whole_number::whole_number;

/// The longest id in characters: as a part of an address, each may take twelve bytes of the 64 KiB
/// that an address can have.
pub(crate) const MAX_ID: usize = 4096;
/// The longest URL in characters: four bytes each fit what an index can hold.
pub(crate) const MAX_URL: usize = index::MAX_URL_BYTES / 4;
/// The most results of a list that is collapsed.
pub(crate) const MAX_RESULTS: usize = 1000;
/// The most documents of a page.
pub(crate) const MAX_PAGE: usize = 1000;
/// The largest number that every reader of JSON gets right.
pub(crate) const MAX_NUMBER: u64 = (1 << 53) - 1;

/// A document: its text, its page as HTML, of which the text counts that a visitor sees, or a set of items.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(untagged, try_from = "Fields")]
pub(crate) enum Document {
    Text(TextDocument),
    Html(HtmlDocument),
    Set(SetDocument),
}

/// A document that is asked about, perhaps under another threshold than that of the index.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(untagged, try_from = "CheckFields")]
pub(crate) enum Check {
    Text(TextCheck),
    Html(HtmlCheck),
    Set(SetCheck),
}

/// A document that is added: it has an id.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(untagged, try_from = "NamedFields")]
pub(crate) enum NamedDocument {
    Text(NamedText),
    Html(NamedHtml),
    Set(NamedSet),
}

/// A document to compare: one that is given, or one of the index.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(untagged, try_from = "Fields")]
pub(crate) enum AnyDocument {
    Text(TextDocument),
    Html(HtmlDocument),
    Set(SetDocument),
    Known(KnownDocument),
}

/// A text.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TextDocument {
    /// Its name. Not looked at when it is only asked about.
    #[schema(min_length = 1, max_length = 4096)]
    id: Option<String>,
    text: String,
    /// Where it comes from.
    #[schema(max_length = 16384)]
    url: Option<String>,
}

/// A web page.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct HtmlDocument {
    /// Its name. Not looked at when it is only asked about.
    #[schema(min_length = 1, max_length = 4096)]
    id: Option<String>,
    html: String,
    /// Where it comes from.
    #[schema(max_length = 16384)]
    url: Option<String>,
}

/// A text that is asked about.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct TextCheck {
    /// Its name. Not looked at.
    #[schema(min_length = 1, max_length = 4096)]
    id: Option<String>,
    text: String,
    /// Where it comes from.
    #[schema(max_length = 16384)]
    url: Option<String>,
    /// The least resemblance of a look-alike, in the place of that of the index.
    #[schema(exclusive_minimum = 0.0, maximum = 1.0)]
    threshold: Option<f64>,
}

/// A web page that is asked about.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct HtmlCheck {
    /// Its name. Not looked at.
    #[schema(min_length = 1, max_length = 4096)]
    id: Option<String>,
    html: String,
    /// Where it comes from.
    #[schema(max_length = 16384)]
    url: Option<String>,
    /// The least resemblance of a look-alike, in the place of that of the index.
    #[schema(exclusive_minimum = 0.0, maximum = 1.0)]
    threshold: Option<f64>,
}

/// A text with its name.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NamedText {
    #[schema(min_length = 1, max_length = 4096)]
    id: String,
    text: String,
    /// Where it comes from.
    #[schema(max_length = 16384)]
    url: Option<String>,
    /// What it came with, for `sources`; the site of its URL if it has none.
    #[schema(max_length = 16384)]
    source: Option<String>,
    /// Its date in seconds since 1970, for `first` and `last`; now if it has none.
    #[serde(default, deserialize_with = "whole_number")]
    date: Option<i64>,
}

/// A web page with its name.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NamedHtml {
    #[schema(min_length = 1, max_length = 4096)]
    id: String,
    html: String,
    /// Where it comes from.
    #[schema(max_length = 16384)]
    url: Option<String>,
    /// What it came with, for `sources`; the site of its URL if it has none.
    #[schema(max_length = 16384)]
    source: Option<String>,
    /// Its date in seconds since 1970, for `first` and `last`; now if it has none.
    #[serde(default, deserialize_with = "whole_number")]
    date: Option<i64>,
}

/// A document of the index.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct KnownDocument {
    #[schema(min_length = 1, max_length = 4096)]
    pub(crate) id: String,
}

/// All fields that a document can have, from which the right form is made: an untagged enum would
/// only say that none of its forms fits.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Fields {
    id: Option<String>,
    text: Option<String>,
    html: Option<String>,
    items: Option<Items>,
    url: Option<String>,
}

/// All fields that a document to add can have.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct NamedFields {
    id: Option<String>,
    text: Option<String>,
    html: Option<String>,
    items: Option<Items>,
    url: Option<String>,
    source: Option<String>,
    #[serde(default, deserialize_with = "whole_number")]
    date: Option<i64>,
}

/// All fields that a document to check can have.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct CheckFields {
    id: Option<String>,
    text: Option<String>,
    html: Option<String>,
    items: Option<Items>,
    url: Option<String>,
    threshold: Option<f64>,
}

enum Body {
    Text(String),
    Html(String),
    Items(Items),
}

impl Fields {
    fn check(&self) -> Result<(), String> {
        let characters = |text: &Option<String>| text.as_ref().map_or(0, |t| t.chars().count());
        if self.id.as_ref().is_some_and(String::is_empty) {
            return Err("the id is empty".to_owned());
        }
        for (field, found, limit) in
            [("id", characters(&self.id), MAX_ID), ("url", characters(&self.url), MAX_URL)]
        {
            if found > limit {
                return Err(format!("the {field} has {found} characters, more than {limit}"));
            }
        }
        Ok(())
    }

    fn body(
        text: Option<String>,
        html: Option<String>,
        items: Option<Items>,
    ) -> Result<Option<Body>, String> {
        match (text, html, items) {
            (Some(text), None, None) => Ok(Some(Body::Text(text))),
            (None, Some(html), None) => Ok(Some(Body::Html(html))),
            (None, None, Some(items)) => Ok(Some(Body::Items(items))),
            (None, None, None) => Ok(None),
            (Some(_), Some(_), None) => Err("the document has both `text` and `html`".to_owned()),
            _ => Err("the document has `items` beside `text` or `html`".to_owned()),
        }
    }
}

const NO_BODY: &str = "the document has neither `text` nor `html` nor `items`";

impl TryFrom<Fields> for Document {
    type Error = String;

    fn try_from(fields: Fields) -> Result<Self, String> {
        fields.check()?;
        let Fields { id, text, html, items, url } = fields;
        Ok(match Fields::body(text, html, items)?.ok_or(NO_BODY)? {
            Body::Text(text) => Self::Text(TextDocument { id, text, url }),
            Body::Html(html) => Self::Html(HtmlDocument { id, html, url }),
            Body::Items(items) => Self::Set(SetDocument { id, items, url }),
        })
    }
}

impl TryFrom<CheckFields> for Check {
    type Error = String;

    fn try_from(fields: CheckFields) -> Result<Self, String> {
        let CheckFields { id, text, html, items, url, threshold } = fields;
        Ok(match Document::try_from(Fields { id, text, html, items, url })? {
            Document::Text(TextDocument { id, text, url }) => {
                Self::Text(TextCheck { id, text, url, threshold })
            }
            Document::Html(HtmlDocument { id, html, url }) => {
                Self::Html(HtmlCheck { id, html, url, threshold })
            }
            Document::Set(SetDocument { id, items, url }) => {
                Self::Set(SetCheck { id, items, url, threshold })
            }
        })
    }
}

impl TryFrom<NamedFields> for NamedDocument {
    type Error = String;

    fn try_from(fields: NamedFields) -> Result<Self, String> {
        let NamedFields { id, text, html, items, url, source, date } = fields;
        let found = source.as_ref().map_or(0, |source| source.chars().count());
        if found > MAX_URL {
            return Err(format!("the source has {found} characters, more than {MAX_URL}"));
        }
        let fields = Fields { id, text, html, items, url };
        fields.check()?;
        let Fields { id, text, html, items, url } = fields;
        let body = Fields::body(text, html, items)?.ok_or(NO_BODY)?;
        let id = id.ok_or("the document has no `id`")?;
        Ok(match body {
            Body::Text(text) => Self::Text(NamedText { id, text, url, source, date }),
            Body::Html(html) => Self::Html(NamedHtml { id, html, url, source, date }),
            Body::Items(items) => Self::Set(NamedSet { id, items, url, source, date }),
        })
    }
}

impl TryFrom<Fields> for AnyDocument {
    type Error = String;

    fn try_from(fields: Fields) -> Result<Self, String> {
        fields.check()?;
        let Fields { id, text, html, items, url } = fields;
        Ok(match Fields::body(text, html, items)? {
            Some(Body::Text(text)) => Self::Text(TextDocument { id, text, url }),
            Some(Body::Html(html)) => Self::Html(HtmlDocument { id, html, url }),
            Some(Body::Items(items)) => Self::Set(SetDocument { id, items, url }),
            None if url.is_some() => return Err(NO_BODY.to_owned()),
            None => {
                let id = id.ok_or("the document has neither `text`, `html` or `items` nor `id`")?;
                Self::Known(KnownDocument { id })
            }
        })
    }
}

fn made(id: Option<String>, url: Option<String>, content: Content<'static>) -> IndexDocument {
    let url = url.map(Cow::Owned);
    index::Document { url, ..index::Document::new(id.unwrap_or_default(), content) }
}

fn text(text: String) -> Content<'static> {
    Content::Text(Cow::Owned(text.into_bytes()))
}

fn html(page: String) -> Content<'static> {
    Content::Html(Cow::Owned(page.into_bytes()))
}

/// A document that owns what it says.
pub(crate) type IndexDocument = index::Document<'static>;

impl From<Document> for IndexDocument {
    fn from(document: Document) -> Self {
        match document {
            Document::Text(document) => made(document.id, document.url, text(document.text)),
            Document::Html(document) => made(document.id, document.url, html(document.html)),
            Document::Set(set) => made(set.id, set.url, set.items.into_content()),
        }
    }
}

/// What is asked about, and the threshold, if it has one of its own.
impl From<Check> for (IndexDocument, Option<f64>) {
    fn from(check: Check) -> Self {
        match check {
            Check::Text(TextCheck { id, text: body, url, threshold }) => {
                (made(id, url, text(body)), threshold)
            }
            Check::Html(HtmlCheck { id, html: body, url, threshold }) => {
                (made(id, url, html(body)), threshold)
            }
            Check::Set(SetCheck { id, items, url, threshold }) => {
                (made(id, url, items.into_content()), threshold)
            }
        }
    }
}

impl From<NamedDocument> for IndexDocument {
    fn from(document: NamedDocument) -> Self {
        let (document, source, date) = match document {
            NamedDocument::Text(NamedText { id, text: body, url, source, date }) => {
                (made(Some(id), url, text(body)), source, date)
            }
            NamedDocument::Html(NamedHtml { id, html: body, url, source, date }) => {
                (made(Some(id), url, html(body)), source, date)
            }
            NamedDocument::Set(NamedSet { id, items, url, source, date }) => {
                (made(Some(id), url, items.into_content()), source, date)
            }
        };
        Self { source: source.map(Cow::Owned), date, ..document }
    }
}

/// A document that is given, or the id of one that is known.
pub(crate) enum DocumentOrId {
    Document(Box<IndexDocument>),
    Known(String),
}

impl From<AnyDocument> for DocumentOrId {
    fn from(document: AnyDocument) -> Self {
        let document = match document {
            AnyDocument::Known(known) => return Self::Known(known.id),
            AnyDocument::Text(document) => Document::Text(document),
            AnyDocument::Html(document) => Document::Html(document),
            AnyDocument::Set(document) => Document::Set(document),
        };
        Self::Document(Box::new(document.into()))
    }
}

/// What a check found.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Answer {
    /// Whether nothing like it is known.
    new: bool,
    /// The id of the look-alike that was added first and stands for the document.
    keeper: Option<String>,
    /// The look-alikes, the best first.
    matches: Vec<Match>,
    /// Whether more documents share a feature than are looked at, so that there may be more
    /// look-alikes.
    limited: bool,
    /// The least resemblance of a look-alike; null if the recipe does not verify candidates.
    threshold: Option<f64>,
    /// The share of look-alikes at exactly the threshold that the filter of the index finds; null
    /// where that is not known.
    recall: Option<f64>,
}

impl Answer {
    pub(crate) fn new(answer: index::Answer, judged: Judged) -> Self {
        Self {
            new: answer.is_new(),
            keeper: answer.keeper().map(|keeper| keeper.id.clone()),
            limited: answer.limited,
            matches: answer.matches,
            threshold: judged.threshold,
            recall: judged.recall,
        }
    }
}

/// What look-alikes were found by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Judged {
    pub(crate) threshold: Option<f64>,
    pub(crate) recall: Option<f64>,
}

impl Judged {
    /// By an index as it is.
    pub(crate) fn by(index: &index::Index) -> Self {
        let recipe = index.recipe();
        let threshold = Some(recipe.threshold).filter(|_| recipe.verify != Verify::None);
        Self { threshold, recall: recipe.recall() }
    }

    /// By an index under another threshold.
    pub(crate) fn at(index: &index::IndexAt<'_>) -> Self {
        Self { threshold: Some(index.threshold()), recall: index.recall() }
    }
}

/// What checking and adding found and did.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct CheckedAndAdded {
    #[serde(flatten)]
    answer: Answer,
    /// Null if it was not added.
    added: Option<Addition>,
    /// Whether it is one more for the look-alike that stands for it: not if it was added, nor if its id
    /// counts already.
    counted: bool,
}

impl CheckedAndAdded {
    pub(crate) fn new(done: index::CheckedAddition, judged: Judged) -> Self {
        let (added, counted) = (done.added, done.counted);
        Self { answer: Answer::new(done.answer, judged), added, counted }
    }
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct AddOptions {
    /// When to add: `new` (if there is no look-alike) or `any`.
    #[serde(default)]
    #[param(inline, required = false)]
    pub(crate) add_if: AddIf,
}

/// What is known of a document.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Record {
    id: String,
    url: Option<String>,
    /// Its place in the order of adding.
    pub(crate) number: u64,
    /// Its length.
    bytes: u64,
    /// When it was added, in seconds since 1970; 0 if that is not known.
    time: u64,
    /// What is stored of it.
    stored: Option<ContentKind>,
    #[serde(flatten)]
    counts: Counts,
}

impl Record {
    pub(crate) fn new(index: &Index, record: index::Record) -> Result<Self> {
        let counts = index.counts(&record)?;
        let index::Record { id, url, number, bytes, time, stored, .. } = record;
        Ok(Self { id, url, number, bytes, time, stored, counts })
    }

    pub(crate) fn all(index: &Index, records: Vec<index::Record>) -> Result<Vec<Self>> {
        records.into_iter().map(|record| Self::new(index, record)).collect()
    }
}

/// A document of the index.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct WholeRecord {
    #[serde(flatten)]
    record: Record,
    /// Its text, if that is stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    text: Option<String>,
    /// Its page, if that is stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    html: Option<String>,
    /// Its items, sorted, if they are stored.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    items: Option<Vec<String>>,
}

impl WholeRecord {
    pub(crate) fn new(
        index: &Index,
        record: index::Record,
        content: Option<Vec<u8>>,
    ) -> Result<Self> {
        if record.stored == Some(ContentKind::Items) {
            let items = content.as_deref().map(strings);
            return Ok(Self { record: Record::new(index, record)?, text: None, html: None, items });
        }
        let content = content.map(|bytes| match String::from_utf8(bytes) {
            Ok(text) => text,
            // Documents that came by another door need not be UTF-8.
            Err(error) => String::from_utf8_lossy(error.as_bytes()).into_owned(),
        });
        let (text, html) = match record.stored {
            Some(ContentKind::Html) => (None, content),
            _ => (content, None),
        };
        Ok(Self { record: Record::new(index, record)?, text, html, items: None })
    }
}

/// Documents in the order of adding.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Page {
    pub(crate) documents: Vec<Record>,
    /// What `after` must be for the next page; null if this is the last.
    pub(crate) next: Option<u64>,
    /// One more than the largest number of a document, so that `next` tells how far this is.
    pub(crate) end: u64,
}

impl Page {
    pub(crate) fn new(index: &Index, found: index::Found) -> Result<Self> {
        let documents = Record::all(index, found.records)?;
        Ok(Self { documents, next: found.next.map(before), end: found.end })
    }
}

/// `after` of a page that begins here, which is never at the first of all.
fn before(next: u64) -> u64 {
    next.saturating_sub(1)
}

/// The longest text that is searched for, in characters.
pub(crate) const MAX_SEARCH: usize = 1000;

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct BrowseOptions {
    /// Only documents whose number is larger; `next` of the page before.
    #[param(minimum = 0, maximum = 9_007_199_254_740_991_u64, nullable = false)]
    after: Option<u64>,
    /// The most documents to answer with; 50 unless told.
    #[param(minimum = 1, maximum = 1000, nullable = false)]
    limit: Option<u64>,
    /// Only documents with this in their id or their URL, or with these words in their text one
    /// after another.
    #[param(max_length = 1000, nullable = false)]
    search: Option<String>,
}

impl BrowseOptions {
    /// The first number, the most documents, and what is searched for.
    pub(crate) fn range(self) -> Result<(u64, usize, Option<String>)> {
        let Self { after, limit, search } = self;
        let (from, limit) = PageOptions { after, limit }.range()?;
        let search = search.filter(|search| !search.is_empty());
        let found = search.as_ref().map_or(0, |search| search.chars().count());
        if found > MAX_SEARCH {
            let fault = format!("`search` has {found} characters, more than {MAX_SEARCH}");
            return Err(Problem::malformed(fault));
        }
        Ok((from, limit, search))
    }
}

#[derive(Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct PageOptions {
    /// Only documents whose number is larger; `next` of the page before.
    #[param(minimum = 0, maximum = 9_007_199_254_740_991_u64, nullable = false)]
    after: Option<u64>,
    /// The most documents or clusters to answer with; 50 unless told.
    #[param(minimum = 1, maximum = 1000, nullable = false)]
    limit: Option<u64>,
}

impl PageOptions {
    /// The first number and the most documents.
    pub(crate) fn range(&self) -> Result<(u64, usize)> {
        let from = match self.after {
            None => 0,
            Some(after) if after <= MAX_NUMBER => after + 1,
            Some(_) => return Err(Problem::malformed(format!("`after` is above {MAX_NUMBER}"))),
        };
        match self.limit.unwrap_or(50) {
            limit @ 1..=1000 => Ok((from, limit as usize)),
            _ => Err(Problem::malformed(format!("`limit` must be from 1 to {MAX_PAGE}"))),
        }
    }
}

/// Clusters in the order of their first documents.
#[derive(Debug, Serialize, ToSchema)]
#[expect(clippy::struct_field_names, reason = "the name that it has in the answer")]
pub(crate) struct Clusters {
    clusters: Vec<Cluster>,
    /// `after` of the next page; null if this is the last.
    next: Option<u64>,
    /// One more than the largest number of a document, so that `next` tells how far this is.
    end: u64,
}

/// Documents that are joined by pairs.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Cluster {
    /// The first is the one that was added first.
    documents: Vec<Member>,
    /// Whether there may be more.
    limited: bool,
}

/// A document of a cluster.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Member {
    #[serde(flatten)]
    record: Record,
    /// How it is joined to one before it; null for the first.
    joined: Option<Joined>,
}

/// How a document is joined to another.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Joined {
    /// The id of the other one.
    to: String,
    kind: MatchKind,
    /// The exact resemblance, where it was computed.
    resemblance: Option<f64>,
    /// The resemblance as the sketches see it, where they are kept.
    estimate: Option<f64>,
}

impl Clusters {
    pub(crate) fn new(index: &Index, found: index::Clusters) -> Result<Self> {
        let joined = |(to, by): (String, index::Match)| Joined {
            to,
            kind: by.kind,
            resemblance: by.resemblance,
            estimate: by.estimate,
        };
        let member = |member: index::Member| {
            let record = Record::new(index, member.record)?;
            Ok(Member { record, joined: member.joined.map(joined) })
        };
        let cluster = |cluster: index::Cluster| {
            let documents = cluster.members.into_iter().map(member).collect::<Result<_>>()?;
            Ok(Cluster { documents, limited: cluster.limited })
        };
        let clusters = found.clusters.into_iter().map(cluster).collect::<Result<_>>()?;
        Ok(Self { clusters, next: found.next.map(before), end: found.end })
    }
}

/// Two documents to compare.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Pair {
    pub(crate) a: AnyDocument,
    pub(crate) b: AnyDocument,
}

/// A ranked list, the best first.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Ranking {
    #[schema(max_items = 1000)]
    pub(crate) results: Vec<AnyDocument>,
    /// The least resemblance of a look-alike, in the place of that of the index.
    #[schema(exclusive_minimum = 0.0, maximum = 1.0)]
    pub(crate) threshold: Option<f64>,
}

/// A ranked list without look-alikes.
#[derive(Debug, Default, Serialize, ToSchema)]
pub(crate) struct Collapsed {
    /// The results that stay, in their order.
    pub(crate) results: Vec<Ranked>,
    /// Those for which a higher one stands.
    pub(crate) left_out: Vec<LeftOut>,
    /// Whether more results share a feature than are looked at, so that there may be more
    /// look-alikes.
    pub(crate) limited: bool,
    /// The least resemblance of a look-alike; null if the recipe does not verify candidates.
    pub(crate) threshold: Option<f64>,
    /// The share of look-alikes at exactly the threshold that the filter of the index finds; null
    /// where that is not known.
    pub(crate) recall: Option<f64>,
}

/// A result that stays.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Ranked {
    /// Its place in the list, counted from 0.
    pub(crate) rank: u64,
    pub(crate) id: Option<String>,
    /// False if it was named by an id that the index does not have: it stays without being judged.
    pub(crate) known: bool,
}

/// A result that is a look-alike of a higher one.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LeftOut {
    /// Its place in the list, counted from 0.
    pub(crate) rank: u64,
    pub(crate) id: Option<String>,
    /// The place of the result that stands for it.
    pub(crate) keeper_rank: u64,
    pub(crate) keeper: Option<String>,
    pub(crate) kind: MatchKind,
    /// The exact resemblance, where it was computed.
    pub(crate) resemblance: Option<f64>,
    /// The resemblance as the sketches see it, where they are kept.
    pub(crate) estimate: Option<f64>,
}

/// What can be said of two documents.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Comparison {
    /// Whether they are look-alikes under the recipe of the index.
    pub(crate) look_alikes: bool,
    /// The resemblance from which on the recipe takes two documents for look-alikes.
    pub(crate) threshold: f64,
    /// Shingles of both, out of those of either.
    pub(crate) resemblance: f64,
    /// The share of the first that is in the second.
    pub(crate) containment_a: f64,
    /// The share of the second that is in the first.
    pub(crate) containment_b: f64,
    /// The resemblance as the sketches see it, if those of the recipe can.
    pub(crate) estimate: Option<f64>,
    /// Equal features, if the recipe has features.
    pub(crate) b_similarity: Option<u64>,
    /// Equal bits, if the recipe has a projection.
    pub(crate) c_similarity: Option<u64>,
    /// Whether they have the same words in the same order.
    pub(crate) same_tokens: bool,
    /// Tokens deleted or inserted.
    pub(crate) term_difference: u64,
    pub(crate) edit_distance: EditDistance,
    /// Tokens of the first that are left out: the template of its site, or beside its content.
    pub(crate) template_tokens_a: u64,
    /// Tokens of the second that are left out: the template of its site, or beside its content.
    pub(crate) template_tokens_b: u64,
    /// Distinct shingles of the first.
    pub(crate) shingles_a: u64,
    /// Distinct shingles of the second.
    pub(crate) shingles_b: u64,
    pub(crate) difference: Difference,
}

/// The fewest edits that turn one document into the other, where an edit removes or adds any number of
/// occurrences of one word. It is known exactly where both bounds are the same.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct EditDistance {
    /// No fewer edits do it.
    pub(crate) at_least: u64,
    /// As many do it.
    pub(crate) at_most: u64,
}

/// What differs, in pieces.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct Difference {
    /// Between two pieces of text stands a space.
    pub(crate) pieces: Vec<Piece>,
    /// The numbers of the pieces, from 0, that are left out, since they are the template of their site
    /// or beside the content of their page: what differs in them is not told. Empty if the recipe of the
    /// index leaves out nothing.
    pub(crate) template: Vec<usize>,
    /// Why each of them is left out: `title`, `landmark`, `control`, `dialog`, `hidden`, `outside-main`,
    /// `menu` or `template`.
    pub(crate) reasons: Vec<String>,
    /// Tokens that only the first has.
    pub(crate) deleted: u64,
    /// Tokens that only the second has.
    pub(crate) inserted: u64,
    /// Places where they differ.
    pub(crate) places: u64,
    /// Whether the pieces show less than that.
    pub(crate) shortened: bool,
    /// If the documents are large: the bytes at their beginnings that were compared.
    pub(crate) compared_bytes: Option<u64>,
}

/// A part of a difference.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Piece {
    /// Text of both.
    Equal(String),
    /// Text that only the first has.
    Deleted(String),
    /// Text that only the second has.
    Inserted(String),
    /// So many equal tokens left out.
    Gap(u64),
}

/// A line of a bulk request.
#[derive(Deserialize, ToSchema)]
#[serde(tag = "op", rename_all = "kebab-case", deny_unknown_fields)]
pub(crate) enum Operation {
    Check {
        document: Document,
        /// The least resemblance of a look-alike, in the place of that of the index.
        #[schema(exclusive_minimum = 0.0, maximum = 1.0)]
        threshold: Option<f64>,
    },
    Add {
        document: NamedDocument,
    },
    CheckAndAdd {
        document: NamedDocument,
        #[serde(default)]
        add_if: AddIf,
    },
    Remove {
        #[schema(min_length = 1)]
        id: String,
    },
}

/// A line of a bulk answer.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct LineAnswer {
    /// The line that it answers, counted from 1.
    pub(crate) line: u64,
    #[serde(flatten)]
    pub(crate) outcome: Outcome,
}

/// What came of a line.
#[derive(Debug, Serialize, ToSchema)]
#[serde(untagged)]
pub(crate) enum Outcome {
    Checked(Answer),
    Added { added: Addition },
    CheckedAndAdded(CheckedAndAdded),
    Removed { removed: bool },
    Failed { error: Problem },
}
