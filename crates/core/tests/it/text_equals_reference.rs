//! The tokeniser against its definition, over text that is hard on purpose.

use crate::text_reference::tokens as reference;
use lookalike_core::text::{BLOCK, Token, Tokenizer, Unit, last_cut, spans};
use proptest::prelude::*;

/// Everything that must hold for a text.
fn check(text: &[u8]) {
    for unit in Unit::ALL {
        let expected = reference(unit, text);
        let mut tokenizer = Tokenizer::new(unit);
        for _ in 0..2 {
            let mut tokens = vec![7];
            tokenizer.tokens(text, &mut tokens);
            assert_eq!(tokens.remove(0), 7, "appends");
            assert_eq!(tokens, expected, "{unit:?} of {:?}", String::from_utf8_lossy(text));
        }
        let mut blocks: Vec<Token> = Vec::new();
        tokenizer.for_each_block(text, &mut |block| {
            assert!(!block.is_empty() && block.len() <= BLOCK);
            blocks.extend(block);
        });
        assert_eq!(blocks, expected);

        // Short texts are enough to show it, and there are many.
        for head in (0..=text.len().min(2000)).step_by(text.len().min(2000) / 5 + 1) {
            if text.len() <= 2000
                && let Some(cut) = last_cut(unit, &text[..head])
            {
                let mut parts = Vec::new();
                tokenizer.tokens(&text[..cut], &mut parts);
                tokenizer.tokens(&text[cut..], &mut parts);
                assert_eq!(parts, expected, "{unit:?} cut at {cut}");
            }
        }

        let spans = spans(unit, text);
        assert_eq!(spans.iter().map(|span| span.token).collect::<Vec<_>>(), expected);
        for span in &spans {
            // An item may have no bytes.
            assert!(span.start < span.end || unit == Unit::Items, "{span:?}");
            assert!(span.start <= span.end && span.end <= text.len(), "{span:?}");
        }
        for pair in spans.windows(2) {
            assert!(pair[0].start <= pair[1].start && pair[0].end <= pair[1].end, "{pair:?}");
        }
    }
}

/// Pieces chosen for what they do to each other.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    let text = |text: &'static str| Just(text.as_bytes().to_vec());
    let from = |range: std::ops::RangeInclusive<char>| {
        proptest::char::range(*range.start(), *range.end()).prop_map(|c| c.to_string().into_bytes())
    };
    prop_oneof![
        4 => "[a-zA-Z0-9]{1,9}".prop_map(String::into_bytes),
        4 => "[ .,:/=<>'\n-]{1,2}".prop_map(String::into_bytes),
        2 => prop_oneof![text(". "), text("? \""), text("\n\n"), text("\n \n"), text("\u{3002}")],
        1 => "[.][)\" ]{60,70}".prop_map(String::into_bytes),
        1 => "[\\\\n\n]{1,4}".prop_map(String::into_bytes),
        2 => "[a-zA-Z0-9 .,]{30,80}".prop_map(String::into_bytes),
        2 => text("://"),
        1 => "[a-z]{1,5}://[a-z./?=_-]{0,9}".prop_map(String::into_bytes),
        3 => from('\u{300}'..='\u{345}'),
        1 => text("\u{338}"),
        1 => text("\u{301}"),
        2 => from('\u{c0}'..='\u{17f}'),
        1 => from('\u{1e00}'..='\u{1fff}'),
        2 => from('\u{1100}'..='\u{11ff}'),
        1 => from('\u{ac00}'..='\u{d7a3}'),
        1 => from('\u{4e00}'..='\u{9fff}'),
        1 => from('\u{3040}'..='\u{30ff}'),
        1 => from('\u{3099}'..='\u{309a}'),
        1 => from('\u{ff00}'..='\u{ffef}'),
        2 => from('\u{900}'..='\u{dff}'),
        1 => from('\u{e00}'..='\u{fff}'),
        1 => from('\u{1000}'..='\u{1021}'),
        1 => from('\u{400}'..='\u{6ff}'),
        1 => from('\u{64b}'..='\u{655}'),
        1 => from('\u{2000}'..='\u{214f}'),
        1 => from('\u{fb00}'..='\u{fdff}'),
        1 => from('\u{16d40}'..='\u{16d6a}'),
        1 => from('\u{1d100}'..='\u{1d4ff}'),
        1 => from('\u{2f800}'..='\u{2fa1d}'),
        1 => from('\u{1f600}'..='\u{1f64f}'),
        1 => text("\u{2764}\u{fe0f}"),
        3 => prop_oneof![text("\u{ad}"), text("\u{200b}"), text("\u{200d}"), text("\u{feff}")],
        1 => prop_oneof![text("\u{378}"), text("\u{ffff}"), text("\u{e000}"), text("\u{e0041}")],
        1 => any::<char>().prop_map(|c| c.to_string().into_bytes()),
        1 => proptest::collection::vec(0x80_u8..=0xff, 1..4),
        1 => Just(b"\xed\xa0\x80".to_vec()),
    ]
}

fn hard_text(pieces: usize) -> impl Strategy<Value = Vec<u8>> {
    proptest::collection::vec(piece(), 0..pieces).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 4000, failure_persistence: None, ..Default::default() })]

    #[test]
    fn short_hard_texts(text in hard_text(8)) {
        check(&text);
    }

    #[test]
    fn bytes(text in proptest::collection::vec(any::<u8>(), 0..40)) {
        check(&text);
    }

    #[test]
    fn strings(text in ".{0,12}") {
        check(text.as_bytes());
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..Default::default() })]

    #[test]
    fn long_hard_texts(text in hard_text(300)) {
        check(&text);
    }

    #[test]
    fn repeated_texts_cross_blocks(text in hard_text(6), times in 1..1500_usize) {
        check(&text.repeat(times.min(9000 / (text.len() + 1))));
    }
}

#[test]
fn every_character_alone_and_between_letters_and_marks() {
    let mut text = Vec::new();
    for c in '\0'..=char::MAX {
        text.extend(format!(" {c}").bytes());
        // Beyond these planes are ideographs, tags, private characters and none, in long ranges.
        if matches!(c, '\0'..'\u{20000}' | '\u{2f800}'..'\u{30000}' | '\u{e0000}'..'\u{e1000}')
            || u32::from(c) % 16 == 0
        {
            text.extend(format!(" a{c}b {c}\u{301}\u{327}\u{338} e{c}\u{301}").bytes());
        }
        if text.len() > 60_000 {
            check(&text);
            text.clear();
        }
    }
    check(&text);
}

#[test]
fn every_pair_that_may_compose() {
    use icu_normalizer::properties::{CanonicalDecompositionBorrowed, Decomposed};
    for c in '\0'..=char::MAX {
        let parts = CanonicalDecompositionBorrowed::new().decompose(c);
        if let Decomposed::Expansion(first, second) = parts
            && !('\u{ac00}'..='\u{d7a3}').contains(&c)
        {
            let pair =
                format!("{first}{second} {c}{second} a{second}{first} {first}\u{316}{second}");
            check(
                format!("{pair} {first}\u{301}{second} {first}\u{200d}{second} {c}\u{323}")
                    .as_bytes(),
            );
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 8, failure_persistence: None, ..Default::default() })]

    /// A letter with more marks than are held to be sorted.
    #[test]
    fn thousands_of_marks(marks in "[\u{300}-\u{345}\u{5b0}-\u{5c7}\u{ad}]{2100,2300}", letter in "[aᾳ ]") {
        check(format!("{letter}{marks}{marks} b").as_bytes());
    }
}
