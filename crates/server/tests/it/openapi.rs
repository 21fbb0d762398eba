//! The description of the service.

use std::path::Path;

use serde_json::Value;

use crate::client::Running;

/// `BLESS=1 cargo test -p lookalike-server` writes it anew.
#[test]
fn the_description_is_as_committed() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/openapi.json");
    let description = lookalike_server::openapi();
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, &description).unwrap();
    }
    let committed = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(description == committed, "docs/openapi.json is not as the code has it; BLESS=1");
}

#[test]
fn it_is_served_and_has_every_route() {
    let server = Running::new();
    let served = server.get("/openapi.json").ok();
    let text: Value = serde_json::from_str(&lookalike_server::openapi()).unwrap();
    assert_eq!(served, text);
    assert!(served["openapi"].as_str().unwrap().starts_with("3.1"));
    for (path, methods) in [
        ("/v1/check", &["post"][..]),
        ("/v1/documents", &["get", "post"]),
        ("/v1/documents/{id}", &["delete", "get"]),
        ("/v1/check-and-add", &["post"]),
        ("/v1/bulk", &["post"]),
        ("/v1/compare", &["post"]),
        ("/v1/collapse", &["post"]),
        ("/v1/stats", &["get"]),
        ("/v1/runs", &["get"]),
        ("/healthz", &["get"]),
        ("/metrics", &["get"]),
    ] {
        let item = served["paths"][path].as_object().unwrap_or_else(|| panic!("{path}"));
        for method in methods {
            assert!(item[*method]["responses"]["4XX"].is_object(), "{path} {method}");
        }
    }
}
