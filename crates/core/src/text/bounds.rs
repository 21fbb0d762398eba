//! Where lines, sentences and paragraphs begin: what is a token as a whole, and what is cut whole.

use unicode_segmentation::UnicodeSegmentation as _;

/// The version of the tables that say where sentences begin.
pub const SENTENCES_VERSION: (u64, u64, u64) = unicode_segmentation::UNICODE_VERSION;

/// The most characters behind a full stop that may still belong to its sentence, or not: quotes,
/// brackets, spaces, marks. To tell, the rules look from each of them at what comes behind them all,
/// which takes time that is quadratic in their number. No writer puts as many.
const CLOSING: usize = 64;

/// Calls `each` with every place behind a line feed.
pub(crate) fn for_each_line_start(text: &[u8], mut each: impl FnMut(usize)) {
    for end in memchr::memchr_iter(b'\n', text) {
        each(end + 1);
    }
}

/// Calls `each` with every place where a sentence begins by Unicode's rules (UAX 29), by which a line
/// feed ends one. They begin anew behind bytes that are not UTF-8, and behind [`CLOSING`] characters
/// that close a sentence, if there are more.
pub(crate) fn for_each_sentence_start(text: &[u8], mut each: impl FnMut(usize)) {
    let mut from = 0;
    for chunk in text.utf8_chunks() {
        let mut rest = chunk.valid();
        let mut sentences = |part: &str| {
            for (place, _) in part.split_sentence_bound_indices() {
                each(from + place);
            }
            from += part.len();
        };
        while let Some(end) = end_of_long_closing(rest) {
            let (part, behind) = rest.split_at(end);
            sentences(part);
            rest = behind;
        }
        sentences(rest);
        // Where the text goes on with such bytes, none begins in it that would end this one.
        if chunk.valid().ends_with('\n') {
            each(from);
        }
        from += chunk.invalid().len();
    }
}

/// Calls `each` with the beginning of every line with a visible character behind one without.
pub(crate) fn for_each_paragraph_start(text: &[u8], mut each: impl FnMut(usize)) {
    let (mut line, mut blank) = (0, false);
    for end in memchr::memchr_iter(b'\n', text) {
        let is_blank = text[line..end].iter().all(|byte| *byte <= b' ');
        if blank && !is_blank {
            each(line);
        }
        (line, blank) = (end + 1, is_blank);
    }
    if blank {
        each(line);
    }
}

/// Where the first full stop is closed by more characters than [`CLOSING`], the place behind so many.
fn end_of_long_closing(text: &str) -> Option<usize> {
    // How many follow the last full stop, if nothing else does.
    let mut closing = None;
    for (place, c) in text.char_indices() {
        closing = match closing {
            _ if matches!(c, '.' | '\u{2024}' | '\u{fe52}' | '\u{ff0e}') => Some(0),
            Some(CLOSING) if may_close(c) => return Some(place),
            Some(count) if may_close(c) => Some(count + 1),
            _ => None,
        };
    }
    None
}

/// Whether a character behind a full stop leaves open whether it is the end of a sentence.
fn may_close(c: char) -> bool {
    match c {
        // A sentence ends at a line feed, whatever precedes it.
        'a'..='z' | 'A'..='Z' | '0'..='9' | '\n' | '\r' => false,
        ' ' | '\t' | '"' | '\'' | '(' | ')' | '[' | ']' | '{' | '}' => true,
        _ => {
            // Then a sentence begins behind it, and neither before it nor nowhere.
            let text: String = ['.', c, 'A'].iter().collect();
            let mut starts = text.split_sentence_bound_indices().map(|(place, _)| place);
            starts.nth(1) == Some(text.len() - 1)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn starts(text: &str) -> Vec<usize> {
        let mut starts = Vec::new();
        for_each_sentence_start(text.as_bytes(), |place| starts.push(place));
        starts
    }

    #[test]
    fn sentences_are_unicodes_where_they_close_as_people_close_them() {
        for text in [
            "It is. Mr. fox (\"he\".) went.)\u{300d} ) a. ) A ... b.",
            "a.\n\n b.\u{ff09}\u{3000}\u{301} c. 1.5 .",
        ] {
            let expected = text.split_sentence_bound_indices().map(|(place, _)| place);
            assert_eq!(starts(text), expected.collect::<Vec<_>>(), "{text:?}");
        }
        let closing = ")".repeat(CLOSING);
        assert_eq!(starts(&format!("a.{closing} A")), [0, CLOSING + 2]);
        assert_eq!(starts(&format!("a.{closing}A")), [0, CLOSING + 2]);
        assert_eq!(starts(&format!("a.{closing}b")), [0]);
    }

    /// It ends: in quadratic time it would take hours.
    #[test]
    fn no_text_takes_quadratic_time() {
        for closing in [")", ") ", "\u{300d}\u{301}", ")\u{903}", "\u{ff0e}\u{200b}\"", ".)1"] {
            let text = format!("a.{}", closing.repeat(300_000));
            assert!(!starts(&text).is_empty());
        }
    }
}
