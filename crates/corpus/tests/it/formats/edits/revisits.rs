//! Records that go and leave others that say whom they resemble.

use lookalike_corpus::Revisit;

use super::*;

fn record(kind: &str, id: u32, more: &str, block: &str) -> String {
    let length = block.len();
    format!(
        "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:{id}>\r\n{more}\
         Content-Length: {length}\r\n\r\n{block}\r\n\r\n"
    )
}

#[test]
fn a_page_that_goes_leaves_a_record_and_its_requests() {
    let folder = folder("edit-revisits");
    let http = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n";
    let kind = "Content-Type: application/http; msgtype=response\r\n";
    let page = |id, text: &str| record("response", id, kind, &format!("{http}<p>{text}"));
    let request = record("request", 3, "WARC-Concurrent-To: <urn:2>\r\n", "GET / HTTP/1.1\r\n\r\n");
    let text = record("conversion", 4, "Content-Type: text/plain\r\n", "a text");
    let all = [&page(1, "one"), &page(2, "two"), &request, &text];
    let all: String = all.into_iter().map(String::as_str).collect();
    let keeper = Revisit { id: "<urn:1>".to_owned(), ..Revisit::default() };
    let revisit = Edit::Revisit(keeper);
    let edits = [Edit::Keep, revisit.clone(), revisit];
    for name in ["a.warc", "a.warc.gz"] {
        let source = source_of(&folder, name, all.as_bytes());
        let out = folder.join(format!("out-{name}"));
        let report = edited(&source, &out, &ReadOptions::default(), &[], &edits).unwrap();
        assert_eq!((report.kept, report.revisits, report.companions), (1, 1, 0));
        let written = unpack(source.compression(), &fs::read(report.path.unwrap()).unwrap());
        let more = format!(
            "{kind}WARC-Profile: urn:x-lookalike:revisit:look-alike\r\nWARC-Refers-To: <urn:1>\r\n"
        );
        // The text of a page is no capture.
        let expected = page(1, "one") + &record("revisit", 2, &more, http) + &request;
        assert_eq!(String::from_utf8(written).unwrap(), expected);
    }
}

#[test]
fn other_formats_have_none() {
    for (name, bytes) in [("a.jsonl", "{\"text\":\"a\"}\n"), ("a.csv", "text\na\n")] {
        let folder = folder("edit-revisits-none");
        let source = source_of(&folder, name, bytes.as_bytes());
        let edits = [Edit::Revisit(Revisit::default())];
        let out = folder.join("out");
        let report = edited(&source, &out, &ReadOptions::default(), &[], &edits).unwrap();
        assert_eq!((report.kept, report.dropped, report.revisits), (0, 1, 0), "{name}");
        let left = fs::read_to_string(report.path.unwrap()).unwrap();
        assert!(left.is_empty() || left == "text\n", "{name}");
    }
}
