//! What stays of a capture when its content goes: a `revisit` record, which names the one that has it.
//!
//! It has the header of the record, its own id with it, since other records name it by that, and its
//! HTTP header, but not its body. Where both records state one digest of their payloads, the profile is
//! that of the standard; such records can be replayed anywhere. Else the pages are alike and
//! not the same bytes, which the standard has no profile for. Ours has a name that nobody
//! takes for that of the standard, and readers that do not know it must not make anything of the block.

use super::document::{Class, classify};
use super::header::{End, Header, end};
use crate::edits::Revisit;

/// What stands in front of the names of profiles of the standard, before and behind its version.
const STANDARD: [&str; 2] = ["http://netpreserve.org/warc/", "/revisit/identical-payload-digest"];

/// The profile of pages that are alike, and not said to be the same bytes.
pub(super) const LOOK_ALIKE: &str = "urn:x-lookalike:revisit:look-alike";

/// Fields that are not those of the record.
const REPLACED: [&str; 7] = [
    "WARC-Type",
    "WARC-Profile",
    "WARC-Refers-To",
    "WARC-Refers-To-Target-URI",
    "WARC-Refers-To-Date",
    "WARC-Block-Digest",
    "Content-Length",
];

/// Makes the record; `None` of one that is no capture, such as the text of a page.
pub(super) fn revisit(stored: &[u8], keeper: &Revisit) -> Option<Vec<u8>> {
    let End::Whole(length) = end(stored) else { return None };
    let (header_bytes, block) = stored.split_at(length);
    let header = Header(header_bytes);
    let kind = header.get("WARC-Type")?.to_ascii_lowercase();
    if !matches!(&*kind, "response" | "resource") {
        return None;
    }
    let Class::Document(payload) = classify(header, block) else { return None };
    let http = &block[..payload.start];
    let version = header_bytes.split(|byte| *byte == b'\n').next()?.trim_ascii();
    let digest = header.get("WARC-Payload-Digest");
    let is_same = digest.is_some() && digest.as_deref() == keeper.payload_digest.as_deref();
    let profile = match is_same {
        true if version == b"WARC/1.1" => STANDARD.join("1.1"),
        true => STANDARD.join("1.0"),
        false => LOOK_ALIKE.to_owned(),
    };
    let mut out = [version, b"\r\nWARC-Type: revisit\r\n"].concat();
    let mut goes_on = false;
    for line in header_bytes.split_inclusive(|byte| *byte == b'\n').skip(1) {
        if line.trim_ascii().is_empty() {
            break;
        }
        if !line.starts_with(b" ") && !line.starts_with(b"\t") {
            let name = line.split(|byte| *byte == b':').next().unwrap_or(line).trim_ascii_end();
            goes_on = !REPLACED.iter().any(|field| name.eq_ignore_ascii_case(field.as_bytes()));
        }
        if goes_on {
            out.extend_from_slice(line);
        }
    }
    let mut field = |name: &str, value: &str| {
        // An id or an address with a line end would begin another field.
        let value: String = value.chars().filter(|c| !c.is_control()).collect();
        out.extend_from_slice(format!("{name}: {value}\r\n").as_bytes());
    };
    field("WARC-Profile", &profile);
    field("WARC-Refers-To", &keeper.id);
    if let Some(url) = &keeper.url {
        field("WARC-Refers-To-Target-URI", url);
    }
    if let Some(date) = &keeper.date {
        field("WARC-Refers-To-Date", date);
    }
    field("Content-Length", &http.len().to_string());
    out.extend_from_slice(b"\r\n");
    out.extend_from_slice(http);
    out.extend_from_slice(b"\r\n\r\n");
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RECORD: &str = "WARC/1.1\r\nwarc-type: response\r\nWARC-Record-ID: <urn:uuid:1>\r\n\
        WARC-Payload-Digest: sha1:A\r\nWARC-Block-Digest: sha1:B\r\n  and more\r\nX: y\r\n  z\r\n\
        Content-Type: application/http; msgtype=response\r\nContent-Length: 50\r\n\r\n\
        HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>\r\n\r\n";

    fn keeper(digest: Option<&str>) -> Revisit {
        Revisit {
            id: "<urn:uuid:2>".to_owned(),
            url: Some("http://a.example/\r\nX: forged".to_owned()),
            date: None,
            payload_digest: digest.map(str::to_owned),
        }
    }

    #[test]
    fn the_header_stays_and_the_body_goes() {
        for (digest, profile) in [
            (Some("sha1:A"), "http://netpreserve.org/warc/1.1/revisit/identical-payload-digest"),
            (Some("sha1:C"), LOOK_ALIKE),
            (None, LOOK_ALIKE),
        ] {
            let made = revisit(RECORD.as_bytes(), &keeper(digest)).unwrap();
            let expected = format!(
                "WARC/1.1\r\nWARC-Type: revisit\r\nWARC-Record-ID: <urn:uuid:1>\r\n\
                 WARC-Payload-Digest: sha1:A\r\nX: y\r\n  z\r\n\
                 Content-Type: application/http; msgtype=response\r\nWARC-Profile: {profile}\r\n\
                 WARC-Refers-To: <urn:uuid:2>\r\n\
                 WARC-Refers-To-Target-URI: http://a.example/X: forged\r\nContent-Length: 44\r\n\r\n\
                 HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n\r\n\r\n"
            );
            assert_eq!(String::from_utf8(made).unwrap(), expected);
        }
        let older = RECORD.replace("WARC/1.1", "WARC/1.0");
        let made = revisit(older.as_bytes(), &keeper(Some("sha1:A"))).unwrap();
        assert!(String::from_utf8(made).unwrap().contains("/warc/1.0/revisit/identical"));
    }

    #[test]
    fn what_is_no_capture_has_none() {
        for record in [
            RECORD.replace("response\r\nWARC-R", "conversion\r\nWARC-R"),
            RECORD.replace("200 OK", "404 Not Found"),
            "WARC/1.0\r\nWARC-Type: response\r\n".to_owned(),
        ] {
            assert_eq!(revisit(record.as_bytes(), &keeper(None)), None, "{record}");
        }
    }
}
