//! Tokens of texts whose tokens are plain to see.

use crate::text_reference::fingerprint;
use lookalike_core::text::{Token, Tokenizer, Unit, spans};

fn tokens(unit: Unit, text: impl AsRef<[u8]>) -> Vec<Token> {
    let mut out = Vec::new();
    Tokenizer::new(unit).tokens(text.as_ref(), &mut out);
    out
}

/// Are the words of `text` the `expected` ones?
fn words(text: impl AsRef<[u8]>, expected: &[&str]) {
    let text = text.as_ref();
    let expected: Vec<Token> = expected.iter().map(|word| fingerprint(word.as_bytes())).collect();
    assert_eq!(tokens(Unit::Words, text), expected, "{:?}", String::from_utf8_lossy(text));
    let naive = crate::text_reference::tokens(Unit::Words, text);
    assert_eq!(naive, expected, "the reference, {:?}", String::from_utf8_lossy(text));
}

#[test]
fn fingerprints_of_short_words_are_the_words() {
    assert_eq!(tokens(Unit::Words, "a rose"), [0x161, 0x1_726f_7365]);
    assert_eq!(tokens(Unit::Words, "ABCDEFGH"), [0x6162_6364_6566_6768 ^ 0x243f_6a88_85a3_0907]);
}

#[test]
fn words_of_latin_text() {
    words("a rose is a rose", &["a", "rose", "is", "a", "rose"]);
    words("A ROSE\tis, a--Rose!\n", &["a", "rose", "is", "a", "rose"]);
    words("\u{201c}don\u{2019}t\u{201d} \"don't\"", &["don", "t", "don", "t"]);
    words("snake_case x=1 3.14", &["snake", "case", "x", "1", "3", "14"]);
    words("Stra\u{df}e STRASSE \u{1e9e}", &["strasse", "strasse", "ss"]);
    words("\u{130}stanbul I\u{307}", &["i\u{307}stanbul", "i\u{307}"]);
    words("\u{ff21}\u{ff42}\u{ff43}\u{ff11} \u{fb01}ne", &["abc1", "fine"]);
    words("co\u{ad}operate", &["cooperate"]);
    words("\u{feff}a\u{200b}b", &["ab"]);
    words("\u{bd} x\u{b2}", &["1", "2", "x2"]);
    words("", &[]);
    words(" .,;:!? \u{2014}\u{a0}\n", &[]);
}

#[test]
fn composed_equals_decomposed() {
    words("Vi\u{1ec7}t Vie\u{302}\u{323}t Vie\u{323}\u{302}t", &["vi\u{1ec7}t"; 3]);
    words("\u{ea}\u{323} \u{1eb9}\u{302}", &["\u{1ec7}"; 2]);
    words("\u{16d63}\u{16d68} \u{16d63}\u{16d67}\u{16d67}", &["\u{16d6a}"; 2]);
    words("\u{ac01} \u{1100}\u{1161}\u{11a8} \u{ac00}\u{11a8}", &["\u{ac01}"; 3]);
    words("\u{ff76}\u{ff9e} \u{30ab}\u{3099} \u{30ac}", &["\u{30ac}"; 3]);
    words("a=\u{338}b", &["a", "b"]);
    words("e\u{ad}\u{301}", &["\u{e9}"]);
}

#[test]
fn words_of_other_scripts() {
    let arabic = "\u{643}\u{64e}\u{62a}\u{64e}\u{628}\u{64e}";
    words(format!("{arabic} \u{60c} \u{643}\u{62a}\u{628}"), &[arabic, "\u{643}\u{62a}\u{628}"]);
    let hindi = "\u{939}\u{93f}\u{928}\u{94d}\u{926}\u{940}";
    words(format!("{hindi}\u{964}{hindi}"), &[hindi, hindi]);
    words("\u{e44}\u{e17}\u{e22}\u{e48}", &["\u{e44}", "\u{e17}", "\u{e22}", "\u{e48}"]);
    words(
        "\u{65e5}\u{672c}\u{306e}\u{30ab}ABC\u{3002}\u{ff11}",
        &["\u{65e5}", "\u{672c}", "\u{306e}", "\u{30ab}", "abc", "1"],
    );
    words("\u{d55c}\u{ad6d}\u{c5b4} \u{b9d0}", &["\u{d55c}\u{ad6d}\u{c5b4}", "\u{b9d0}"]);
    words("\u{41c}\u{418}\u{420}", &["\u{43c}\u{438}\u{440}"]);
    words(
        "\u{39f}\u{394}\u{39f}\u{3a3} \u{3bf}\u{3b4}\u{3bf}\u{3c2}",
        &["\u{3bf}\u{3b4}\u{3bf}\u{3c3}"; 2],
    );
    words(
        "\u{43f}\u{2bc}\u{44f}\u{442}\u{44c} g\u{303}",
        &["\u{43f}\u{2bc}\u{44f}\u{442}\u{44c}", "g\u{303}"],
    );
    words("one\u{1f600}two\u{2764}\u{fe0f}three", &["one", "two", "three"]);
}

#[test]
fn urls_are_broken_at_slashes_and_dots() {
    let pieces = ["http", "www", "example", "com", "a_b?x=1"];
    words("http://www.Example.com/a_b?x=1", &pieces);
    words("(http://www.Example.com/a_b?x=1)", &pieces);
    words("see <HTTP://www.example.com/a_b?x=1>.", &[&["see"], &pieces[..]].concat());
    words("http://x.org/. And", &["http", "x", "org", "and"]);
    words("a://b c", &["a", "b", "c"]);
    words("://b_c", &["b", "c"]);
    words("-://b_c", &["b", "c"]);
    words("x://", &["x"]);
    words("http:/x_y", &["http", "x", "y"]);
    words("http://a://b_c", &["http", "a", "b_c"]);
    words("http://x\u{301}y", &["http", "x", "\u{301}y"]);
    words("\u{e9}http://b_c", &["\u{e9}http", "b", "c"]);
    words("e\u{301}http://b_c", &["\u{e9}http", "b", "c"]);
    words("a\u{ad}http://b_c", &["ahttp", "b", "c"]);
    words("\u{4e2d}http://b_c", &["\u{4e2d}", "http", "b_c"]);
    words("\u{feff}http://b_c", &["http", "b_c"]);
    words(b"\xffhttp://b_c\xff", &["http", "b_c"]);
}

#[test]
fn invalid_sequences_separate() {
    words(b"a\xffb", &["a", "b"]);
    words(b"a\xed\xa0\x80b", &["a", "b"]);
    words(b"a\xc1\xa1b", &["a", "b"]);
    words(b"caf\xc3", &["caf"]);
    words(b"\xe4\xb8\xad\xe4\xb8", &["\u{4e2d}"]);
    words("a\u{378}b a\u{e000}b", &["a", "b", "a", "b"]);
    words("a\u{378}\u{301}", &["a", "\u{301}"]);
}

#[test]
fn characters_have_one_space_between_them() {
    let expected = |text: &str| -> Vec<Token> {
        text.chars().map(|c| fingerprint(c.to_string().as_bytes())).collect()
    };
    for (text, canonical) in [
        ("", ""),
        (" .\n", ""),
        ("  A b--C. ", "a b c"),
        ("\u{4e2d}\u{3002}\u{ff21}", "\u{4e2d} a"),
        ("http://a.b", "http a b"),
        ("\u{df}e\u{301}", "ss\u{e9}"),
    ] {
        assert_eq!(tokens(Unit::Characters, text), expected(canonical), "{text:?}");
    }
}

fn of_words(words: &[&str]) -> Token {
    let words = words.iter().flat_map(|word| fingerprint(word.as_bytes()).to_be_bytes());
    fingerprint(&words.collect::<Vec<u8>>())
}

#[test]
fn sentences_and_paragraphs_are_tokens_of_their_words() {
    let tokens_of =
        |units: &[&[&str]]| units.iter().map(|words| of_words(words)).collect::<Vec<_>>();
    let rose: &[&[&str]] = &[&["a", "rose"], &["is", "it", "a", "rose"], &["it", "is"]];
    for text in
        ["A rose. Is it a rose? It is.", "\u{201c}a ROSE!\u{201d} Is it -- a rose?\n--\nIt is"]
    {
        assert_eq!(tokens(Unit::Sentences, text), tokens_of(rose), "{text:?}");
    }
    // Within an address none begins, and a mark belongs to its letter.
    let address: &[&[&str]] = &[&["see", "http", "a", "b", "c", "d"]];
    assert_eq!(tokens(Unit::Sentences, "See http://a.b/c.D!"), tokens_of(address));
    assert_eq!(tokens(Unit::Sentences, "\u{4e2d}\u{3002}\u{6587}").len(), 2);
    // A line feed ends one before bytes that are no text, too.
    assert_eq!(tokens(Unit::Sentences, b"n\n\xed\xa0\x80a").len(), 2);
    let two: &[&[&str]] = &[&["a", "rose", "is"], &["a", "rose"]];
    assert_eq!(tokens(Unit::Paragraphs, "\nA rose.\nIs\n \t\n\na rose"), tokens_of(two));
    for unit in [Unit::Sentences, Unit::Paragraphs] {
        assert!(tokens(unit, "\n\n... ?").is_empty());
    }
}

#[test]
fn lines_are_tokens_of_their_words() {
    assert_eq!(
        tokens(Unit::Lines, "A rose\r\n\n --\nis a\nRose"),
        [&["a", "rose"][..], &["is", "a"], &["rose"]].map(of_words)
    );
    assert!(tokens(Unit::Lines, "\n\n").is_empty());
}

#[test]
fn spans_are_what_a_reader_would_mark() {
    let places = |unit, text: &str| -> Vec<(usize, usize)> {
        spans(unit, text.as_bytes()).iter().map(|span| (span.start, span.end)).collect()
    };
    assert_eq!(places(Unit::Words, "A ro\u{ad}se,"), [(0, 1), (2, 8)]);
    assert_eq!(places(Unit::Words, "e\u{301}a b"), [(0, 4), (5, 6)]);
    assert_eq!(places(Unit::Words, "(http://a.b/c!)"), [(1, 5), (8, 9), (10, 11), (12, 13)]);
    assert_eq!(places(Unit::Words, "\u{bd}"), [(0, 2), (0, 2)]);
    assert_eq!(places(Unit::Characters, "a, b"), [(0, 1), (1, 3), (3, 4)]);
    assert_eq!(places(Unit::Lines, "a b\n\n c"), [(0, 3), (5, 7)]);
    assert_eq!(places(Unit::Sentences, " A. B c? \n"), [(1, 3), (4, 8)]);
    assert_eq!(places(Unit::Paragraphs, "a\nb\n\n c\n"), [(0, 3), (6, 7)]);
}

/// None of these may take more than linear time, or a copy of the text.
#[test]
fn gigantic_pieces() {
    const SIZE: usize = 1 << 20;
    for (piece, count) in [
        ("a", 1),
        ("Z", 1),
        ("\u{436}", 1),
        ("\u{ac00}", 1),
        ("e\u{301}", 1),
        ("\u{301}", 1),
        ("\u{323}\u{301}", 1),
        ("\u{1100}\u{1161}", 1),
        ("\u{ad}", 0),
        (".", 0),
        ("://", 0),
        ("a://", 2),
        ("\u{378}", 0),
        ("\u{9c7}\u{9be}", 1),
    ] {
        let text = piece.repeat(SIZE / piece.len());
        let found = tokens(Unit::Words, &text);
        let expected = if piece == "a://" { SIZE / 4 } else { count };
        assert_eq!(found.len(), expected, "{piece:?}");
        assert_eq!(tokens(Unit::Words, format!("x {text}")).len(), expected + 1, "{piece:?}");
        assert_eq!(tokens(Unit::Lines, &text).len(), count.min(1));
    }
    assert_eq!(tokens(Unit::Words, "\u{4e2d}".repeat(SIZE)).len(), SIZE);
    assert_eq!(tokens(Unit::Words, "a ".repeat(SIZE)).len(), SIZE);
    let word = "a".repeat(SIZE);
    assert_eq!(tokens(Unit::Words, &word), [fingerprint(word.as_bytes())]);
}
