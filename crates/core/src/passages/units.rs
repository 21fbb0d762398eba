//! The units that are cut whole: words, lines, sentences, paragraphs.
//!
//! A unit begins at a place where a text can be parted without changing a token of either side
//! ([`parts`]), so that what is left has the tokens that it had. Where a line or a sentence begins
//! within an address, or with a mark that belongs to what is before it, no unit does. What has no tokens, as
//! a blank line, belongs to the unit before it.

use crate::text::{
    Span, for_each_line_start, for_each_paragraph_start, for_each_sentence_start, parts,
};

/// What is cut whole.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum CutUnit {
    /// Words, or what stands together without a space: `a-b`, an address. Characters of scripts
    /// without spaces.
    Words,
    /// Up to a line feed.
    #[default]
    Lines,
    /// Sentences by Unicode's rules (UAX 29).
    Sentences,
    /// Up to a line without a visible character.
    Paragraphs,
}

impl CutUnit {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Words, Self::Lines, Self::Sentences, Self::Paragraphs];

    /// Its name on the command line.
    pub fn name(self) -> &'static str {
        match self {
            Self::Words => "words",
            Self::Lines => "lines",
            Self::Sentences => "sentences",
            Self::Paragraphs => "paragraphs",
        }
    }
}

/// Where a unit begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnitStart {
    /// The number of its first token.
    pub token: u32,
    /// Its first byte, which may come before that of the token.
    pub byte: u32,
}

/// The units of a text with these tokens, in order. The first begins with the text.
pub fn unit_starts(unit: CutUnit, text: &[u8], spans: &[Span]) -> Vec<UnitStart> {
    let mut starts = Starts { text, spans, token: 0, found: Vec::new() };
    match unit {
        CutUnit::Words => {
            for (number, span) in spans.iter().enumerate() {
                starts.token = number;
                starts.push_before(span.start);
            }
        }
        CutUnit::Lines => for_each_line_start(text, |place| starts.push(place)),
        CutUnit::Sentences => for_each_sentence_start(text, |place| starts.push(place)),
        CutUnit::Paragraphs => for_each_paragraph_start(text, |place| starts.push(place)),
    }
    starts.finish()
}

struct Starts<'a> {
    text: &'a [u8],
    spans: &'a [Span],
    /// The first token that may begin at the next place or behind it.
    token: usize,
    found: Vec<UnitStart>,
}

impl Starts<'_> {
    /// A unit may begin at a place, if tokens come before it and behind it.
    fn push(&mut self, place: usize) {
        while self.spans.get(self.token).is_some_and(|span| span.start < place) {
            self.token += 1;
        }
        self.push_before(place);
    }

    /// The same, where the token is known.
    fn push_before(&mut self, place: usize) {
        let Some(before) = self.token.checked_sub(1) else { return };
        let within = self.spans[before].end > place;
        if within || self.token == self.spans.len() || !parts(self.text, place) {
            return;
        }
        let start = UnitStart { token: self.token as u32, byte: place as u32 };
        match self.found.last_mut() {
            // Between the two is nothing with a token: it belongs to what is before.
            Some(last) if last.token == start.token => *last = start,
            _ => self.found.push(start),
        }
    }

    fn finish(mut self) -> Vec<UnitStart> {
        if !self.spans.is_empty() {
            self.found.insert(0, UnitStart { token: 0, byte: 0 });
        }
        self.found
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::text::{Unit, spans};

    fn units(unit: CutUnit, text: &str) -> Vec<&str> {
        let starts = unit_starts(unit, text.as_bytes(), &spans(Unit::Words, text));
        let ends = starts.iter().skip(1).map(|start| start.byte as usize).chain([text.len()]);
        starts.iter().zip(ends).map(|(start, end)| &text[start.byte as usize..end]).collect()
    }

    #[test]
    fn units_are_what_people_call_so() {
        use CutUnit::{Lines, Paragraphs, Sentences, Words};
        assert_eq!(units(Words, "one two-three, \"four\" "), ["one ", "two-three, \"", "four\" "]);
        assert_eq!(units(Words, "\u{4e2d}\u{6587} a"), ["\u{4e2d}", "\u{6587} ", "a"]);
        assert_eq!(units(Lines, "\na b\n\n  c\r\nd"), ["\na b\n\n", "  c\r\n", "d"]);
        assert_eq!(units(Lines, "..."), [""; 0]);
        let text =
            "It is. Mr. Fox went! \u{300c}\u{4eca}\u{65e5}\u{3002}\u{300d}\u{660e}\u{65e5}\u{3002}";
        assert_eq!(units(Sentences, text).len(), 5, "{:?}", units(Sentences, text));
        assert_eq!(
            units(Sentences, "See http://a.b/c!/d?e now. Then"),
            ["See http://a.b/c!/d?e now. ", "Then"]
        );
        assert_eq!(units(Paragraphs, "a\nb\n \n\nc\n\n"), ["a\nb\n \n\n", "c\n\n"]);
        assert_eq!(units(Paragraphs, "a\n\nb"), ["a\n\n", "b"]);
    }

    fn texts() -> impl Strategy<Value = String> {
        let pieces = [
            "a",
            "Bc",
            " ",
            "\n",
            "\n\n",
            ". ",
            "!",
            "-",
            "http://x.y/z?q=1",
            "/",
            "\u{301}",
            "\u{4e2d}",
            "\u{304b}",
            "\u{3099}",
            "\u{3002}",
            "\u{ad}",
            "\u{bd}",
            "\u{200b}",
            ">",
            "\u{338}",
            "(",
            "\"",
            "3.5",
            "\u{e9}",
            "\u{1100}",
            "\u{1161}",
            "://",
            "\u{fb01}",
            "\u{0e01}",
            "\u{0e33}",
        ];
        prop::collection::vec(prop::sample::select(pieces.to_vec()), 0..24)
            .prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(4096))]

        /// Whatever units are taken out, the others keep their tokens.
        #[test]
        fn what_is_left_has_the_tokens_that_it_had(
            text in texts(),
            kept in any::<u64>(),
            unit in prop::sample::select(CutUnit::ALL.to_vec()),
        ) {
            let all = spans(Unit::Words, &*text);
            let starts = unit_starts(unit, text.as_bytes(), &all);
            let (mut left, mut tokens) = (String::new(), Vec::new());
            for (number, start) in starts.iter().enumerate() {
                let next = starts.get(number + 1);
                prop_assert!(next.is_none_or(|next| next.token > start.token && next.byte > start.byte));
                if kept >> (number % 64) & 1 == 1 {
                    let end = next.map_or(text.len(), |next| next.byte as usize);
                    left += &text[start.byte as usize..end];
                    let end = next.map_or(all.len(), |next| next.token as usize);
                    tokens.extend(all[start.token as usize..end].iter().map(|span| span.token));
                }
            }
            let found: Vec<_> = spans(Unit::Words, &*left).iter().map(|span| span.token).collect();
            prop_assert_eq!(found, tokens, "{:?} of {:?}", left, text);
        }
    }
}
