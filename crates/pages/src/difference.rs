//! What differs between two documents, marked.

use std::fmt::Write as _;

use lookalike_engine::numbers::{bytes, count, grouped};
use lookalike_engine::report::{Difference, Piece};

use crate::markup::Text;

/// The passages around what differs, as markup; nothing if nothing does. A token is called `token`.
pub(crate) fn marked(difference: &Difference, token: &str) -> String {
    if difference.pieces.is_empty() {
        return String::new();
    }
    let mut out = "<div class=\"marked\">\n".to_owned();
    let pieces: Vec<_> = difference.pieces.iter().enumerate().collect();
    for passage in pieces.chunk_by(|(_, a), (_, b)| !is_gap(a) && !is_gap(b)) {
        if let [(_, Piece::Gap(n))] = passage {
            let equal = match &*difference.template {
                [] => count(*n, &format!("equal {token}")),
                _ => format!("{}, equal or left out", count(*n, token)),
            };
            let _ = writeln!(out, "<p class=\"gap\">&middot;&middot;&middot; {equal}</p>");
        } else {
            let shown = |(number, shown): &(usize, &Piece)| {
                let left_out = difference.template.iter().position(|left_out| left_out == number);
                let Some(left_out) = left_out else { return piece(shown) };
                let reason = difference.reasons.get(left_out).map_or("template", String::as_str);
                let reason = Text(reason);
                format!(
                    "<span class=\"template\" title=\"left out: {reason}\">{}</span>",
                    piece(shown)
                )
            };
            let pieces: Vec<String> = passage.iter().map(shown).collect();
            let _ = writeln!(out, "<p class=\"passage\" dir=\"auto\">{}</p>", pieces.join(" "));
        }
    }
    if difference.shortened {
        out += "<p class=\"gap\">&middot;&middot;&middot; and more that is not shown</p>\n";
    }
    out + "</div>\n"
}

/// How much differs; `but` says where it would not be seen.
pub(crate) fn in_words(difference: &Difference, token: &str, but: &str) -> String {
    if let Some(compared) = difference.compared_bytes {
        return format!(
            "The documents are large: the first {} of each were compared.",
            bytes(compared)
        );
    }
    if difference.places == 0 {
        return format!("No {token} differs{but}.");
    }
    format!(
        "{} deleted, {} inserted in {}.",
        count(difference.deleted, token),
        grouped(difference.inserted),
        count(difference.places, "place")
    )
}

fn is_gap(piece: &Piece) -> bool {
    matches!(piece, Piece::Gap(_))
}

fn piece(piece: &Piece) -> String {
    match piece {
        Piece::Equal(text) => Text(text).to_string(),
        Piece::Deleted(text) => format!("<del>{}</del>", Text(text)),
        Piece::Inserted(text) => format!("<ins>{}</ins>", Text(text)),
        Piece::Gap(_) => String::new(),
    }
}
