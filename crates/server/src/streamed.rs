//! Bodies of responses that are sent as they are made.
//!
//! The channel of http-body-util 0.1.5 keeps faults apart from data, and looks for data first. If the last
//! data is sent, and the sender dropped, between the two looks, it takes the body to be at its end, and
//! that data is lost: one answer in 12,000. Here both come the same way.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use axum::body::{Body, Bytes};
use hyper::body::Frame;
use tokio::sync::mpsc::{Receiver, Sender, channel};

/// A part of a body, or why there are no more.
pub(crate) type Part = io::Result<Bytes>;

/// A body of the parts that are sent, of which so many may wait. It ends as the sender is dropped.
pub(crate) fn streamed(waiting: usize) -> (Sender<Part>, Body) {
    let (sender, parts) = channel(waiting);
    (sender, Body::new(Streamed(parts)))
}

struct Streamed(Receiver<Part>);

impl hyper::body::Body for Streamed {
    type Data = Bytes;
    type Error = io::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<io::Result<Frame<Bytes>>>> {
        self.0.poll_recv(context).map(|part| part.map(|part| part.map(Frame::data)))
    }
}

#[cfg(test)]
mod tests {
    use http_body_util::BodyExt as _;

    use super::*;

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn what_is_sent_last_arrives() {
        for number in 0..100_000_u32 {
            let (sender, body) = streamed(1);
            let part = Bytes::from(number.to_string());
            let sent = part.clone();
            tokio::spawn(async move { sender.send(Ok(sent)).await });
            assert_eq!(body.collect().await.unwrap().to_bytes(), part);
        }
    }

    #[tokio::test]
    async fn a_fault_is_no_end() {
        let (sender, body) = streamed(2);
        sender.send(Ok(Bytes::from_static(b"half"))).await.unwrap();
        sender.send(Err(io::Error::other("a broken disk"))).await.unwrap();
        drop(sender);
        assert!(body.collect().await.is_err());
    }
}
