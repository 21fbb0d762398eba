//! What was cut of a document, marked in its text, and where it stays.

use lookalike_engine::Run;
use lookalike_engine::run::{Cut, DocumentCuts, MarkLimits, MarkedPiece, RunDocument, marked_cuts};
use serde_json::{Value, json};

use super::place::{merged, place, places};
use crate::flags::DiffForm;
use crate::output::{Align, Style, Table, count, grouped, printable};

/// Pieces that are listed, unless everything is wanted.
const LISTED: usize = 20;

/// What was cut, in words; where it stays; and the text.
pub(super) fn text(
    run: &Run,
    document: &RunDocument,
    cuts: &DocumentCuts,
    diff: DiffForm,
    style: Style,
) -> String {
    let listed = if diff == DiffForm::All { usize::MAX } else { LISTED };
    let sentence = style.bold(&sentence(&printable(&document.id), cuts));
    let mut text = format!("{sentence}\n\n{}", places(&[("document", document)]));
    if cuts.pieces > 0 {
        let stays = if cuts.annotated { "stands first" } else { "stays" };
        text.extend(["\nwhat was ", done(cuts), ", and where it ", stays, "\n"]);
        text += &list(&cuts.first, cuts.pieces, listed, |cut| {
            (&cut.keeper, [cut.keeper_begin, cut.keeper_end])
        });
    }
    if cuts.kept > 0 {
        let stays = if cuts.annotated { "stands here first" } else { "stays here" };
        text.extend(["\n", done(cuts), " elsewhere, since it ", stays, "\n"]);
        text +=
            &list(&cuts.first_kept, cuts.kept, listed, |cut| (&cut.document, [cut.begin, cut.end]));
    }
    if cuts.pieces > 0 && diff != DiffForm::Never {
        text.push('\n');
        text += &marked(run, document, cuts, diff, style);
    }
    text
}

/// What was done to the pieces.
fn done(cuts: &DocumentCuts) -> &'static str {
    if cuts.annotated { "annotated" } else { "cut" }
}

fn sentence(name: &str, cuts: &DocumentCuts) -> String {
    let DocumentCuts { words, words_cut, pieces, gone, kept, .. } = *cuts;
    let done = done(cuts);
    let of = format!("{} of {} of `{name}`", grouped(words_cut), count(words, "word"));
    match (gone, words - words_cut.min(words)) {
        (true, 0) => format!("gone: all {} of `{name}` stand elsewhere", count(words, "word")),
        (true, left) => {
            let left = count(left, "word");
            format!("gone: {of} stand elsewhere, and {left} would be too little to stay")
        }
        _ if pieces > 0 => format!("{done}: {of} stand elsewhere, in {}", count(pieces, "piece")),
        _ => {
            let kept = count(kept, "piece");
            format!("kept whole: `{name}` has the words of {kept} that were {done} elsewhere")
        }
    }
}

/// Pieces, with the document that `other` gives and the bytes there.
fn list(
    cuts: &[Cut],
    all: u64,
    listed: usize,
    other: impl Fn(&Cut) -> (&RunDocument, [u64; 2]),
) -> String {
    let mut table = Table::new(&[
        Align::Right,
        Align::Right,
        Align::Right,
        Align::Left,
        Align::Left,
        Align::Left,
    ]);
    for (number, cut) in (1..).zip(cuts).take(listed) {
        let (document, [begin, end]) = other(cut);
        // Without marks between thousands: it is for programs that go there.
        table.row([
            &format!("[{number}]"),
            &count(cut.words, "word"),
            &format!("{} copies", grouped(cut.copies)),
            &printable(&document.id),
            &format!("bytes {begin}-{end}"),
            &place(document),
        ]);
    }
    let mut text = table.text();
    let shown = cuts.len().min(listed) as u64;
    if shown < all {
        let more = grouped(all - shown);
        text.extend(["... and ", &more, " more; passages.parquet has all of them\n"]);
    }
    text
}

/// The text of the document, read again.
fn marked(
    run: &Run,
    document: &RunDocument,
    cuts: &DocumentCuts,
    diff: DiffForm,
    style: Style,
) -> String {
    let text = match run.text(document.row) {
        Ok(text) => text,
        Err(error) => return format!("note: the text is left out: {error}\n"),
    };
    let limits = if diff == DiffForm::All { MarkLimits::NONE } else { MarkLimits::DEFAULT };
    let ranges: Vec<_> = cuts.first.iter().map(|cut| cut.begin..cut.end).collect();
    let mut out = String::new();
    for piece in marked_cuts(text.as_text().bytes(), &ranges, limits) {
        let begins = out.is_empty() || out.ends_with('\n');
        match piece {
            MarkedPiece::Kept(text) => out += &lines(&text),
            MarkedPiece::Gap(bytes) => {
                let gap = format!("... {} ...", count(bytes as u64, "more byte"));
                out.extend([if begins { "" } else { "\n" }, &style.dim(&gap), "\n"]);
            }
            MarkedPiece::Cut(number, text) => {
                // What ends the last line stays behind the mark.
                let text = lines(&text);
                let inner = text.trim_end_matches('\n');
                let end = &text[inner.len()..];
                let mark = style.deleted(&format!("[-{inner}-]"));
                out.extend([&mark, &*format!("[{}]", number + 1), end]);
            }
        }
    }
    if !out.ends_with('\n') {
        out.push('\n');
    }
    if limits.cuts < ranges.len() {
        let more = count((ranges.len() - limits.cuts) as u64, "more piece");
        out.extend(["\n... and ", &more, "; `--diff all` shows everything\n"]);
    }
    out
}

/// A text of several lines, without what would steer the terminal.
fn lines(text: &str) -> String {
    let line = |line: &str| printable(&line.trim_end_matches('\r').replace('\t', "    "));
    text.split('\n').map(line).collect::<Vec<_>>().join("\n")
}

pub(super) fn json(cuts: &DocumentCuts) -> Value {
    let piece = |cut: &Cut| {
        json!({
            "begin": cut.begin,
            "end": cut.end,
            "words": cut.words,
            "copies": cut.copies,
            "keeper_begin": cut.keeper_begin,
            "keeper_end": cut.keeper_end,
        })
    };
    let cut = |cut: &Cut| merged(piece(cut), json!({ "keeper": cut.keeper }));
    let kept = |cut: &Cut| merged(piece(cut), json!({ "document": cut.document }));
    json!({
        "words": cuts.words,
        "words_cut": cuts.words_cut,
        "annotated": cuts.annotated,
        "pieces": cuts.pieces,
        "cuts": cuts.first.iter().map(cut).collect::<Vec<_>>(),
        "pieces_kept": cuts.kept,
        "kept": cuts.first_kept.iter().map(kept).collect::<Vec<_>>(),
    })
}
