//! Any bytes as the body of any request: JSON or not, a stream of operations or not, in one piece or in
//! chunks. The answer is one that the service means to give, and its errors are problems in JSON.

use crate::service::{Service, body, status};

static SERVICE: Service = Service::new("requests");

const ROUTES: [(&str, &str); 10] = [
    ("POST", "/v1/check"),
    ("POST", "/v1/documents"),
    ("POST", "/v1/check-and-add"),
    ("POST", "/v1/compare"),
    ("POST", "/v1/collapse"),
    ("POST", "/v1/bulk"),
    ("POST", "/v1/bulk"),
    ("GET", "/v1/documents"),
    ("GET", "/v1/clusters"),
    ("DELETE", "/v1/documents"),
];

/// Sends a request.
pub fn check(bytes: &[u8]) {
    let [route, form, content @ ..] = bytes else { return };
    let (method, path) = ROUTES[usize::from(*route) % ROUTES.len()];
    let mut target = path.to_owned();
    let mut content = content;
    if method != "POST" {
        // What follows is a query, or an id.
        let (line, rest) = content.split_at(content.len().min(200));
        target.push(if method == "GET" { '?' } else { '/' });
        target.extend(line.iter().map(|byte| match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'=' | b'&' | b'-' => {
                char::from(*byte).to_string()
            }
            other => format!("%{other:02x}"),
        }));
        content = rest;
    }
    let kind = if path == "/v1/bulk" { "application/x-ndjson" } else { "application/json" };
    let head = format!(
        "{method} {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: {kind}\r\n"
    );
    let mut request = head.into_bytes();
    if form % 2 == 0 {
        request.extend(format!("Content-Length: {}\r\n\r\n", content.len()).bytes());
        request.extend(content);
    } else {
        request.extend(b"Transfer-Encoding: chunked\r\n\r\n");
        for chunk in content.chunks(usize::from(form / 2) + 1) {
            request.extend(format!("{:x}\r\n", chunk.len()).bytes());
            request.extend(chunk);
            request.extend(b"\r\n");
        }
        request.extend(b"0\r\n\r\n");
    }
    let answer = SERVICE.ask(&request);
    let status = status(&answer).unwrap_or_else(|| panic!("no answer to {method} {target}"));
    assert!(matches!(status, 200..=299 | 400..=499 | 503), "{status} to {method} {target}");
    if status >= 400 {
        let problem: serde_json::Value = serde_json::from_slice(body(&answer)).unwrap();
        assert_eq!(problem["status"], status, "{problem}");
    }
}
