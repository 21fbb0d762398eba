//! Who may ask.

use lookalike_core::Recipe;
use lookalike_files::WorkFolder;
use lookalike_index::{CreateOptions, Index};
use lookalike_server::{Exposure, Options, Server, Token, is_world_readable};
use serde_json::json;

use crate::client::Running;

const TOKEN: &str = "0123456789abcdef0123456789abcdef";

fn guarded() -> Running {
    Running::with(Options::new().token(Token::new(TOKEN).unwrap()))
}

#[test]
fn everything_but_the_page_needs_the_token() {
    let server = guarded();
    for path in ["/v1/stats", "/v1/documents", "/v1/documents/a", "/v1/runs", "/metrics", "/v1/x"] {
        let refused = server.get(path);
        refused.problem(401, "unauthorized");
        assert!(refused.header("www-authenticate").unwrap().starts_with("Bearer"));
    }
    for path in ["/v1/check", "/v1/documents", "/v1/check-and-add", "/v1/compare", "/v1/collapse"] {
        server.post(path, &json!({"id": "a", "text": "a"})).problem(401, "unauthorized");
    }
    let bulk = [("Content-Type", "application/x-ndjson")];
    server.send("POST", "/v1/bulk", &bulk, b"{}").problem(401, "unauthorized");
    server.delete("/v1/documents/a").problem(401, "unauthorized");
    for path in ["/", "/healthz", "/openapi.json", "/page/style.css", "/page/main.js"] {
        assert_eq!(server.get(path).status, 200, "{path}");
    }
}

#[test]
fn only_the_right_token_opens() {
    let server = guarded();
    let ask = |header: &str| server.send("GET", "/v1/stats", &[("Authorization", header)], b"");
    ask(&format!("Bearer {TOKEN}")).ok();
    ask(&format!("bearer {TOKEN}")).ok();
    for wrong in ["Bearer", "Bearer ", "Bearer 0123456789abcdef", "Basic abc", TOKEN, "x"] {
        ask(wrong).problem(401, "unauthorized");
    }
    ask(&format!("Bearer {TOKEN}0")).problem(401, "unauthorized");
    let metrics =
        server.send("GET", "/metrics", &[("Authorization", &format!("Bearer {TOKEN}"))], b"");
    assert_eq!(metrics.status, 200);
    assert!(!server.log().concat().contains(TOKEN));
}

#[test]
fn a_large_body_without_the_token_still_gets_its_answer() {
    let body = vec![b' '; 600_000];
    let json = [("Content-Type", "application/json")];
    guarded().send("POST", "/v1/check", &json, &body).problem(401, "unauthorized");
}

#[test]
fn reports_need_a_ticket() {
    let folder = WorkFolder::create(None).unwrap();
    std::fs::write(folder.join("report.html"), "quotes documents").unwrap();
    let options = Options::new().token(Token::new(TOKEN).unwrap());
    let server = Running::with(options.run(&folder).unwrap());
    let runs =
        server.send("GET", "/v1/runs", &[("Authorization", &format!("Bearer {TOKEN}"))], b"");
    let href = runs.ok()["runs"][0]["href"].as_str().unwrap().to_owned();
    assert_eq!(server.get(&href).text(), "quotes documents");
    let bare = href.split('?').next().unwrap();
    server.get(bare).problem(401, "unauthorized");
    server.get(&format!("{bare}?ticket=0000")).problem(401, "unauthorized");
    server.get(&href.replace("/runs/", "/v1/documents/")).problem(401, "unauthorized");
}

#[test]
fn no_address_is_open_to_everybody_by_mistake() {
    let bind = |address: &str, options: Options| {
        let folder = WorkFolder::create(None).unwrap();
        let recipe = Recipe::preset("text").unwrap();
        let index = Index::create(folder.join("i"), &recipe, &CreateOptions::new()).unwrap();
        Server::bind(index, address.parse().unwrap(), options).map(|server| server.address())
    };
    let refused = bind("0.0.0.0:0", Options::new()).unwrap_err().to_string();
    assert!(refused.contains("--token-file") && refused.contains("--insecure-public"), "{refused}");
    assert!(bind("0.0.0.0:0", Options::new().exposure(Exposure::Everybody)).is_ok());
    assert!(bind("0.0.0.0:0", Options::new().token(Token::new(TOKEN).unwrap())).is_ok());
    let taken = Running::new();
    let refused = bind(&taken.address.to_string(), Options::new()).unwrap_err().to_string();
    assert!(
        refused.contains("another program is listening") && refused.contains("hint:"),
        "{refused}"
    );
}

#[test]
fn token_files() {
    let folder = WorkFolder::create(None).unwrap();
    let path = folder.join("token");
    assert!(Token::read(&path).unwrap_err().to_string().contains("cannot be read"));
    std::fs::write(&path, format!("  {TOKEN}\r\nsecond line\n")).unwrap();
    assert!(Token::read(&path).is_ok());
    for wrong in ["", "\nlater", "short\n", "with space in the middle"] {
        std::fs::write(&path, wrong).unwrap();
        let error = Token::read(&path).unwrap_err().to_string();
        assert!(error.contains("first line") && error.contains("hint:"), "{error}");
    }
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        for (mode, expected) in [(0o644, true), (0o640, false), (0o600, false)] {
            let permissions = std::fs::Permissions::from_mode(mode);
            std::fs::set_permissions(&path, permissions).unwrap();
            assert_eq!(is_world_readable(&path), expected);
        }
    }
}
