//! The files of the web page.

use crate::client::Running;

#[test]
fn the_page_runs_only_its_own_files() {
    let server = Running::new();
    let page = server.get("/");
    assert_eq!(page.header("content-type"), Some("text/html; charset=utf-8"));
    let policy = page.header("content-security-policy").unwrap();
    for part in ["default-src 'none'", "script-src 'self'", "style-src 'self'", "base-uri 'none'"] {
        assert!(policy.contains(part), "{policy}");
    }
    assert!(!policy.contains("unsafe"));
    assert_eq!(page.header("x-content-type-options"), Some("nosniff"));
    let text = page.text();
    assert!(!text.contains("style=\"") && !text.contains("onclick"), "the policy forbids it");
    assert!(!text.contains("http://") && !text.contains("https://"), "it needs no other server");
}

#[test]
fn every_file_that_is_named_is_there() {
    every_file_is_there(&Running::new(), 9);
}

/// Follows the names in the files of a page.
pub(crate) fn every_file_is_there(server: &Running, least: usize) {
    let mut names = vec!["/".to_owned()];
    let mut at = 0;
    while let Some(name) = names.get(at) {
        let file = server.get(name);
        assert_eq!(file.status, 200, "{name}");
        for quoted in file.text().split(['"', '\'']) {
            let path = quoted.strip_prefix("./").map(|rest| format!("/page/{rest}"));
            let path = path.or_else(|| quoted.starts_with("/page/").then(|| quoted.to_owned()));
            names.extend(path.filter(|path| !names.contains(path)));
        }
        at += 1;
    }
    assert!(names.len() >= least, "{names:?}");
    for name in &names {
        let text = server.get(name).text();
        for way in ["innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval("] {
            assert!(!text.contains(way), "{name}: {way} makes markup of what a document says");
        }
    }
}
