//! Any bytes on the wire: the service answers or closes, and is there for the next.

use crate::service::{Service, status};

static SERVICE: Service = Service::new("http");

/// Sends bytes.
pub fn check(bytes: &[u8]) {
    let answer = SERVICE.send(bytes);
    if let Some(status) = status(&answer) {
        assert!(matches!(status, 100..=499 | 503 | 505), "{status}");
    } else {
        assert!(answer.is_empty(), "what is no answer: {}", String::from_utf8_lossy(&answer));
    }
    let health =
        SERVICE.ask(b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
    assert_eq!(status(&health), Some(200));
}
