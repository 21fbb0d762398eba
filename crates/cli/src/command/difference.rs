//! What differs between two documents, word by word, on a terminal.
//!
//! One passage a paragraph; what is equal for long is only counted.

use lookalike_core::difference::{EditDistance, Excerpt, Limits, Piece, marked_distinctive};
use lookalike_core::template::LeftOut;
use lookalike_core::text::{Text, Unit};
use serde_json::{Value, json};

use crate::flags::DiffForm;
use crate::output::{Style, count, grouped, is_terminal};

/// How much of a difference is shown; nothing if it is not.
pub(crate) fn limits(form: DiffForm) -> Option<Limits> {
    match form {
        DiffForm::Auto => is_terminal().then_some(Limits::DEFAULT),
        DiffForm::Always => Some(Limits::DEFAULT),
        DiffForm::Never => None,
        DiffForm::All => Some(Limits::NONE),
    }
}

/// The distance, or its bounds.
pub(crate) fn edits(distance: EditDistance) -> String {
    match distance.exact() {
        Some(edits) => grouped(edits),
        None => format!("{} to {}", grouped(distance.at_least), grouped(distance.at_most)),
    }
}

pub(crate) fn edits_json(EditDistance { at_least, at_most, .. }: EditDistance) -> Value {
    json!({ "at_least": at_least, "at_most": at_most })
}

/// The difference as a text that ends with a line feed. Each document comes with why its tokens are left
/// out, if they are.
pub(crate) fn text(
    unit: Unit,
    a: (Text<'_>, &[Option<LeftOut>]),
    b: (Text<'_>, &[Option<LeftOut>]),
    style: Style,
    limits: Limits,
) -> String {
    let leaves_out = [a.1, b.1].concat().iter().any(Option::is_some);
    let marked = marked_distinctive(unit, a, b, limits);
    let thing = unit.singular();
    if marked.places == 0 {
        return if leaves_out {
            format!("no {thing} differs but in what is left out\n")
        } else {
            format!("no {thing} differs\n")
        };
    }
    let mut out = format!(
        "{}, {} in {}\n",
        style.deleted(&format!("[-{} deleted-]", count(marked.deleted, thing))),
        style.inserted(&format!("{{+{} inserted+}}", count(marked.inserted, thing))),
        count(marked.places, "place"),
    );
    // A gap opens the paragraph of the passage behind it.
    for paragraph in marked.pieces.chunk_by(|_, next| !matches!(next, Piece::Gap(_))) {
        out.push('\n');
        let passage = match paragraph {
            [Piece::Gap(n), passage @ ..] => {
                let equal = if leaves_out {
                    format!("{}, equal or left out", count(*n as u64, thing))
                } else {
                    count(*n as u64, &format!("equal {thing}"))
                };
                out.extend([style.dim(&format!("... {equal} ...")).as_str(), "\n"]);
                passage
            }
            passage => passage,
        };
        if !passage.is_empty() {
            let parts: Vec<String> = passage.iter().map(|piece| shown(piece, style)).collect();
            out.extend([parts.join(" ").as_str(), "\n"]);
        }
    }
    if marked.more > 0 {
        let more = count(marked.more, "more change");
        out.extend(["\n... and ", &more, "; `--diff all` shows everything\n"]);
    }
    out
}

fn shown(piece: &Piece, style: Style) -> String {
    match piece {
        Piece::Equal(text) => text.clone(),
        Piece::LeftOut(reason, text) => style.dim(&format!("({}: {text})", reason.name())),
        Piece::Deleted(excerpt) => style.deleted(&format!("[-{}-]", cut(excerpt))),
        Piece::Inserted(excerpt) => style.inserted(&format!("{{+{}+}}", cut(excerpt))),
        Piece::Gap(_) => String::new(),
    }
}

fn cut(excerpt: &Excerpt) -> String {
    match &excerpt.rest {
        None => excerpt.head.clone(),
        Some((left_out, tail)) => {
            format!("{} ... {} more ... {tail}", excerpt.head, grouped(*left_out as u64))
        }
    }
}
