//! The web pages, of the service and of a run's clusters and passages: files that are a part of the program.

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderValue, Response, header};
use axum::routing::get;

/// A file of a page.
pub(crate) struct File {
    path: &'static str,
    kind: &'static str,
    content: &'static str,
}

const HTML: &str = "text/html; charset=utf-8";
const CSS: &str = "text/css; charset=utf-8";
const SCRIPT: &str = "text/javascript; charset=utf-8";
const SVG: &str = "image/svg+xml";

macro_rules! files {
    ($($path:literal, $kind:ident, $name:literal;)*) => {
        [$(File { path: $path, kind: $kind, content: include_str!(concat!("../../page/", $name)) }),*]
    };
}

/// The page of the service.
pub(crate) static SERVICE: [File; 14] = files! {
    "/", HTML, "index.html";
    "/page/style.css", CSS, "style.css";
    "/page/icon.svg", SVG, "icon.svg";
    "/page/main.js", SCRIPT, "main.js";
    "/page/api.js", SCRIPT, "api.js";
    "/page/dom.js", SCRIPT, "dom.js";
    "/page/session.js", SCRIPT, "session.js";
    "/page/check.js", SCRIPT, "check.js";
    "/page/compare.js", SCRIPT, "compare.js";
    "/page/browse.js", SCRIPT, "browse.js";
    "/page/clusters.js", SCRIPT, "clusters.js";
    "/page/difference.js", SCRIPT, "difference.js";
    "/page/notice.js", SCRIPT, "notice.js";
    "/page/stats.js", SCRIPT, "stats.js";
};

/// The pages of a run's clusters and passages.
pub(crate) static VIEW: [File; 13] = files! {
    "/", HTML, "view.html";
    "/page/style.css", CSS, "style.css";
    "/page/view.css", CSS, "view.css";
    "/page/icon.svg", SVG, "icon.svg";
    "/page/view.js", SCRIPT, "view.js";
    "/page/list.js", SCRIPT, "list.js";
    "/passages", HTML, "passages.html";
    "/page/passages.js", SCRIPT, "passages.js";
    "/page/passages.css", CSS, "passages.css";
    "/page/api.js", SCRIPT, "api.js";
    "/page/dom.js", SCRIPT, "dom.js";
    "/page/notice.js", SCRIPT, "notice.js";
    "/page/difference.js", SCRIPT, "difference.js";
};

/// Only our own files run, and they speak to this server only: whatever a document says, nothing
/// of it becomes a script, a style, a picture or a form.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
    connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
    require-trusted-types-for 'script'; trusted-types 'none'";

/// With the files of a page.
pub(crate) fn add_to<S: Clone + Send + Sync + 'static>(
    mut router: Router<S>,
    files: &'static [File],
) -> Router<S> {
    for File { path, kind, content } in files {
        router = router.route(path, get(async || file(kind, content)));
    }
    router
}

/// Whether a path is a file of a page.
pub(crate) fn is_part(files: &[File], path: &str) -> bool {
    files.iter().any(|file| file.path == path)
}

fn file(kind: &'static str, content: &'static str) -> Response<Body> {
    let mut response = Response::new(Body::from(content));
    for (name, value) in [
        (header::CONTENT_TYPE, kind),
        (header::CONTENT_SECURITY_POLICY, POLICY),
        // Asked for again each time: after an update, old and new files do not fit each other.
        (header::CACHE_CONTROL, "no-cache"),
    ] {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    response
}
