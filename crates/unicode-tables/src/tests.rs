use crate::characters::{
    Characters, Class, UNICODE_VERSION, class, is_assigned, nfkc_casefold, primary_composite,
};
use crate::trie::generate;

#[test]
fn the_committed_table_is_the_generated_one() {
    let committed = std::fs::read_to_string(crate::path()).expect("the table is in the tree");
    assert!(committed == generate(), "run `cargo run -p lookalike-unicode-tables`");
}

#[test]
fn the_unicode_version_is_that_of_the_data() {
    assert_eq!(unicode_normalization::UNICODE_VERSION, UNICODE_VERSION);
    let assigned = ('\0'..=char::MAX).filter(|&c| is_assigned(c)).count();
    assert_eq!(assigned, ASSIGNED);
}

/// How many code points but surrogates are assigned, private use included: each
/// version of Unicode adds some.
const ASSIGNED: usize = 310_341;

#[test]
fn known_foldings() {
    for (from, to) in [
        ('a', "a"),
        ('A', "a"),
        ('\u{df}', "ss"),
        ('\u{fb01}', "fi"),
        ('\u{212b}', "\u{e5}"),
        ('\u{212a}', "k"),
        ('\u{3c2}', "\u{3c3}"),
        ('\u{ff21}', "a"),
        ('\u{ad}', ""),
        ('\u{200d}', ""),
        ('\u{fe0f}', ""),
        ('\u{130}', "i\u{307}"),
        ('\u{1e9e}', "ss"),
        ('\u{345}', "\u{3b9}"),
        ('\u{13a0}', "\u{13a0}"),
        ('\u{ab70}', "\u{13a0}"),
        ('\u{958}', "\u{915}\u{93c}"),
        ('\u{ff76}', "\u{30ab}"),
        ('\u{ff9e}', "\u{3099}"),
        ('\u{ff9f}', "\u{309a}"),
        ('\u{33c2}', "a.m."),
        ('\u{a8}', " \u{308}"),
        ('\u{bd}', "1\u{2044}2"),
    ] {
        assert_eq!(nfkc_casefold(from), to, "U+{:04X}", u32::from(from));
    }
}

#[test]
fn classes_follow_script_extensions() {
    for (c, expected) in [
        ('a', Class::Word),
        ('7', Class::Word),
        ('_', Class::Separator),
        ('\u{301}', Class::Word),
        // Also used in Thai, which is no reason to cut Ukrainian words.
        ('\u{2bc}', Class::Word),
        ('\u{303}', Class::Word),
        ('\u{323}', Class::Word),
        ('\u{4e2d}', Class::Solo),
        ('\u{3007}', Class::Solo),
        ('\u{30fc}', Class::Solo),
        ('\u{3002}', Class::Separator),
        ('\u{e48}', Class::Solo),
        ('\u{e51}', Class::Word),
        ('\u{1019}', Class::Solo),
        ('\u{17d2}', Class::Solo),
        ('\u{ac00}', Class::Word),
        ('\u{94d}', Class::Word),
        ('\u{1f600}', Class::Separator),
        ('\u{e000}', Class::Separator),
    ] {
        assert_eq!(class(c), expected, "U+{:04X}", u32::from(c));
    }
}

/// The tokeniser looks up each character of a mapped string again.
#[test]
fn what_a_character_maps_to_maps_to_itself() {
    for c in ('\0'..=char::MAX).filter(|&c| is_assigned(c)) {
        for kept in nfkc_casefold(c).chars() {
            assert!(is_assigned(kept));
            assert_eq!(nfkc_casefold(kept), kept.to_string(), "U+{:04X}", u32::from(c));
        }
    }
}

/// The tokeniser composes only where a character joins what precedes.
#[test]
fn ascii_never_joins_what_precedes() {
    let characters = Characters::new();
    for c in '\0'..='\x7f' {
        assert!(!characters.joins_what_precedes(&c.to_string()));
    }
    for c in ['\u{301}', '\u{1161}', '\u{11a8}', '\u{9be}', '\u{3099}', '\u{16d68}', '\u{94d}'] {
        assert!(characters.joins_what_precedes(&c.to_string()), "U+{:04X}", u32::from(c));
    }
    assert!(characters.joins_what_precedes(""));
    assert_eq!(primary_composite('\u{e9}'), Some(('e', '\u{301}')));
    assert_eq!(primary_composite('\u{958}'), None, "a composition exclusion");
}
