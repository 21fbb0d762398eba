//! The passages with most copies, with their texts, for the report.

use std::ops::Range;

use super::cut_counts::CommonPassage;
use super::largest::Documents;
use crate::error::Result;
use crate::ids::Ids;
use crate::places::Row;
use crate::report;
use crate::run::MarkedPiece;
use crate::run::parting;
use crate::urls::Urls;
use crate::write::Outcome;

/// Bytes of a passage that are shown.
const TEXT: u64 = 600;
/// Bytes that are shown before a cut and behind it, and at either end of it.
const AROUND: u64 = 160;

/// A stretch of a document.
type Wanted = (Row, Range<u64>);

impl Documents<'_> {
    /// What the report quotes: the largest clusters, whose sizes are by the keeper's place, and passages.
    pub(super) fn quoted(
        &self,
        outcome: &Outcome<'_>,
        sizes: &[u32],
        most: &[CommonPassage],
    ) -> Result<(Vec<report::Cluster>, Vec<report::Passage>)> {
        Ok((self.largest(outcome, sizes)?, self.passages(most)?))
    }

    /// Passages, with how they begin, and the first place at which each was cut.
    fn passages(&self, most: &[CommonPassage]) -> Result<Vec<report::Passage>> {
        let wanted: Vec<Wanted> = most.iter().flat_map(wanted).collect();
        let texts = self.sources.stretches(self.options, &wanted)?;
        let mut ids = Ids::new(self.signatures);
        let mut urls = Urls::open(&self.files.urls())?;
        let mut name = |row| {
            let url = urls.as_mut().map(|urls| urls.get(row)).transpose()?.flatten();
            Ok::<_, crate::error::Error>((ids.get(row)?, url))
        };
        let passage = |(CommonPassage { piece, cuts }, texts): (&CommonPassage, &[Vec<u8>])| {
            let [text, first, last] = [&texts[0], &texts[1], &texts[2]];
            let length = u64::from(piece.keeper_end - piece.keeper_begin);
            let shown =
                if length > text.len() as u64 { parting(text, text.len()) } else { text.len() };
            let (keeper, keeper_url) = name(piece.keeper)?;
            let (id, url) = name(piece.row)?;
            let (begin, end) = (u64::from(piece.begin), u64::from(piece.end));
            Ok(report::Passage {
                words: piece.words.into(),
                copies: piece.copies.into(),
                cuts: *cuts,
                keeper,
                keeper_url,
                begin: piece.keeper_begin.into(),
                end: piece.keeper_end.into(),
                text: String::from_utf8_lossy(&text[..shown]).into_owned(),
                left_out: length - shown as u64,
                example: report::PassageExample {
                    id,
                    url,
                    begin,
                    end,
                    text: example(begin..end, [first, last]),
                },
            })
        };
        most.iter().zip(texts.chunks_exact(3)).map(passage).collect()
    }
}

/// How the passage begins where it stays, and both ends of the first cut with what is around them.
fn wanted(passage: &CommonPassage) -> [Wanted; 3] {
    let piece = passage.piece;
    let [begin, end] = [piece.begin, piece.end].map(u64::from);
    let [from, upto] = [piece.keeper_begin, piece.keeper_end].map(u64::from);
    let middle = end.min(begin + AROUND);
    let last = middle.max(end.saturating_sub(AROUND));
    [
        (piece.keeper, from..upto.min(from + TEXT)),
        (piece.row, begin.saturating_sub(AROUND)..middle),
        (piece.row, last..end + AROUND),
    ]
}

/// A cut in its context, of the two stretches that were wanted.
fn example(cut: Range<u64>, [first, last]: [&[u8]; 2]) -> Vec<MarkedPiece> {
    let before = (cut.start - cut.start.saturating_sub(AROUND)) as usize;
    let middle = cut.end.min(cut.start + AROUND);
    let gap = (cut.end.saturating_sub(AROUND)).max(middle) - middle;
    let within = (cut.end - middle - gap) as usize;
    if first.len() < before || last.len() < within {
        return Vec::new();
    }
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    // What is shown begins and ends with whole words, where it does not with the document.
    let whole = |at: usize| first[at..before].iter().position(u8::is_ascii_whitespace);
    let from = if cut.start > AROUND { whole(0).map_or(before, |at| at + 1) } else { 0 };
    let behind = &last[within..];
    let upto =
        if behind.len() as u64 == AROUND { parting(behind, behind.len()) } else { behind.len() };
    let mut pieces = Vec::new();
    let mut add = |piece: fn(String) -> MarkedPiece, bytes: &[u8]| {
        if !bytes.is_empty() {
            pieces.push(piece(text(bytes)));
        }
    };
    let cut = |text| MarkedPiece::Cut(0, text);
    add(MarkedPiece::Kept, &first[from..before]);
    if gap == 0 {
        add(cut, &[&first[before..], &last[..within]].concat());
    } else {
        let head = parting(&first[before..], first.len() - before);
        add(cut, &first[before..before + head]);
        let skipped = first.len() - before - head;
        let tail = last[..within].iter().position(u8::is_ascii_whitespace).map_or(0, |at| at + 1);
        pieces.push(MarkedPiece::Gap(gap as usize + skipped + tail));
        pieces.push(cut(text(&last[tail..within])));
    }
    if upto > 0 {
        pieces.push(MarkedPiece::Kept(text(&behind[..upto])));
    }
    pieces
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cut_is_shown_with_what_is_around_it() {
        use MarkedPiece::{Cut, Gap, Kept};
        let shown = |text: &str, cut: Range<u64>| {
            let (begin, end) = (cut.start as usize, cut.end as usize);
            let around = AROUND as usize;
            let middle = end.min(begin + around);
            let last = middle.max(end.saturating_sub(around));
            let first = &text.as_bytes()[begin.saturating_sub(around)..middle];
            example(cut, [first, &text.as_bytes()[last..text.len().min(end + around)]])
        };
        let cut = |text: &str| Cut(0, text.to_owned());
        let kept = |text: &str| Kept(text.to_owned());
        assert_eq!(
            shown("one two three four", 4..14),
            [kept("one "), cut("two three "), kept("four")]
        );
        let text = "word ".repeat(300);
        let found = shown(&text, 500..1000);
        let words = |count: usize| "word ".repeat(count);
        assert_eq!(found[0], kept(&words(31)));
        assert_eq!((&found[1], &found[3]), (&cut(&words(32)), &cut(&words(31))));
        assert_eq!(found[4], kept(&words(32)));
        let bytes = |piece: &MarkedPiece| match piece {
            Kept(text) | Cut(_, text) => text.len(),
            Gap(bytes) => *bytes,
        };
        assert_eq!(found[1..4].iter().map(bytes).sum::<usize>(), 500);
        assert_eq!(example(500..600, [b"", b""]), []);
    }
}
