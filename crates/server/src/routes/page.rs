//! The web page: files that are a part of the program.

use std::sync::Arc;

use axum::Router;
use axum::body::Body;
use axum::http::{HeaderValue, Response, header};
use axum::routing::get;

use crate::app::App;

struct File {
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

const FILES: [File; 12] = files! {
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
    "/page/stats.js", SCRIPT, "stats.js";
};

/// Only our own files run, and they speak to this server only: whatever a document says, nothing
/// of it becomes a script, a style, a picture or a form.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
    connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; \
    require-trusted-types-for 'script'; trusted-types 'none'";

pub(super) fn add_to(mut router: Router<Arc<App>>) -> Router<Arc<App>> {
    for File { path, kind, content } in &FILES {
        router = router.route(path, get(async || file(kind, content)));
    }
    router
}

/// Whether a path is a file of the page.
pub(crate) fn is_part(path: &str) -> bool {
    FILES.iter().any(|file| file.path == path)
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
