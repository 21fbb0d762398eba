//! What clients are told when something goes wrong: RFC 9457 problems, for every error.

use axum::body::Body;
use axum::http::{HeaderValue, Response, StatusCode, header};
use axum::response::IntoResponse;
use lookalike_engine as engine;
use lookalike_index as index;
use serde::Serialize;
use utoipa::ToSchema;

/// What went wrong, as RFC 9457 has it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct Problem {
    /// The kind of problem, which never changes its meaning.
    #[serde(rename = "type")]
    #[schema(example = "urn:lookalike:problem:not-found")]
    kind: &'static str,
    /// The kind in words.
    title: &'static str,
    /// The HTTP status.
    #[schema(minimum = 400, maximum = 599)]
    status: u16,
    /// What is wrong this time, and what to do.
    detail: String,
    /// Where in the body, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    line: Option<u64>,
    /// Where in the line, in bytes counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schema(nullable = false)]
    column: Option<u64>,
    #[serde(skip)]
    retry_after: bool,
}

/// What is wrong with the server itself, for its log.
#[derive(Clone)]
pub(crate) struct Fault(pub(crate) String);

/// A result of a request.
pub(crate) type Result<T, E = Problem> = std::result::Result<T, E>;

macro_rules! kinds {
    ($($(#[$doc:meta])* $name:ident, $status:ident, $kind:literal, $title:literal;)*) => {
        impl Problem {
            $($(#[$doc])*
            pub(crate) fn $name(detail: impl Into<String>) -> Self {
                let kind = concat!("urn:lookalike:problem:", $kind);
                Self::new(kind, $title, StatusCode::$status, detail.into())
            })*
        }
    };
}

kinds! {
    malformed, BAD_REQUEST, "malformed", "the request cannot be read";
    unauthorized, UNAUTHORIZED, "unauthorized", "the token is missing or wrong";
    unknown_document, NOT_FOUND, "unknown-document", "there is no such document";
    not_found, NOT_FOUND, "not-found", "nothing is here";
    method, METHOD_NOT_ALLOWED, "method-not-allowed", "this cannot be done here";
    timeout, REQUEST_TIMEOUT, "timeout", "the request took too long to arrive";
    not_stored, CONFLICT, "not-stored", "the text of the document is not stored";
    unreadable, CONFLICT, "unreadable", "the text of the document cannot be read";
    other_kind, CONFLICT, "other-kind", "the index is of documents of another kind";
    too_large, PAYLOAD_TOO_LARGE, "too-large", "the request is too large";
    media_type, UNSUPPORTED_MEDIA_TYPE, "media-type", "the content type is not supported";
    /// Of a host that is not this server's.
    misdirected, MISDIRECTED_REQUEST, "misdirected", "the request is for another host";
    invalid, UNPROCESSABLE_ENTITY, "invalid", "the request contradicts itself";
    failed, INTERNAL_SERVER_ERROR, "failed", "the server failed";
    busy, SERVICE_UNAVAILABLE, "busy", "the server has too much to do";
    stopping, SERVICE_UNAVAILABLE, "stopping", "the server is stopping";
    slow, SERVICE_UNAVAILABLE, "slow", "the work took too long";
}

impl Problem {
    fn new(kind: &'static str, title: &'static str, status: StatusCode, detail: String) -> Self {
        let retry_after = status == StatusCode::SERVICE_UNAVAILABLE;
        let status = status.as_u16();
        Self { kind, title, status, detail, line: None, column: None, retry_after }
    }

    /// Of JSON that is none, or that says something else than it should.
    pub(crate) fn of_json(error: &serde_json::Error) -> Self {
        let text = error.to_string();
        // The place has fields of its own.
        let detail = text.split(" at line ").next().unwrap_or(&text);
        let problem = match error.classify() {
            serde_json::error::Category::Data => Self::invalid(detail),
            _ => Self::malformed(format!("the body is not JSON: {detail}")),
        };
        problem.at(error.line() as u64, error.column() as u64)
    }

    /// With the place in the body.
    pub(crate) fn at(mut self, line: u64, column: u64) -> Self {
        if line > 0 {
            (self.line, self.column) = (Some(line), Some(column));
        }
        self
    }

    /// Without a place: of a line that a bulk answer names itself.
    pub(crate) fn without_line(mut self) -> Self {
        self.line = None;
        self
    }

    pub(crate) fn status(&self) -> StatusCode {
        StatusCode::from_u16(self.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR)
    }
}

/// Faults of the index are the server's, and are for its log; those of documents are the client's.
impl From<index::Error> for Problem {
    fn from(error: index::Error) -> Self {
        use index::ErrorKind;
        match error.kind() {
            // A threshold that the recipe cannot be judged by.
            ErrorKind::TooLong { .. } | ErrorKind::OtherSignature { .. } | ErrorKind::Recipe(_) => {
                Self::invalid(error.to_string())
            }
            ErrorKind::OfSets(_) | ErrorKind::NotOfSets(_) => Self::other_kind(error.to_string()),
            _ => Self::failed(error.to_string()),
        }
    }
}

/// Inputs may change after a run; the files of the run itself are the server's fault.
impl From<engine::Error> for Problem {
    fn from(error: engine::Error) -> Self {
        use engine::ErrorKind;
        match error.kind() {
            ErrorKind::Input(_)
            | ErrorKind::NeedsDocuments { .. }
            | ErrorKind::InputChanged(_)
            | ErrorKind::DocumentChanged { .. } => Self::unreadable(error.to_string()),
            _ => Self::failed(error.to_string()),
        }
    }
}

impl From<lookalike_core::Error> for Problem {
    fn from(error: lookalike_core::Error) -> Self {
        Self::failed(error.to_string())
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response<Body> {
        let body = serde_json::to_string(&self).unwrap_or_default();
        let mut response = Response::new(Body::from(body));
        *response.status_mut() = self.status();
        if self.status == StatusCode::INTERNAL_SERVER_ERROR.as_u16() {
            response.extensions_mut().insert(Fault(self.detail));
        }
        let headers = response.headers_mut();
        let problem = HeaderValue::from_static("application/problem+json");
        headers.insert(header::CONTENT_TYPE, problem);
        if self.status == StatusCode::UNAUTHORIZED.as_u16() {
            let bearer = HeaderValue::from_static("Bearer realm=\"lookalike\"");
            headers.insert(header::WWW_AUTHENTICATE, bearer);
        }
        if self.retry_after {
            headers.insert(header::RETRY_AFTER, HeaderValue::from_static("1"));
        }
        response
    }
}
