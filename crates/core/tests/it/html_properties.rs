//! What holds for every page: of any bytes, and of pages whose text is known from how they are made.

use crate::text_reference::fingerprint;
use lookalike_core::text::html::Extractor;
use lookalike_core::text::{DocumentTokens, Text, Tokenizer, Unit, spans};
use proptest::prelude::*;

fn tokens(text: Text<'_>) -> Vec<u64> {
    let mut out = Vec::new();
    Tokenizer::new(Unit::Words).tokens(text, &mut out);
    out
}

/// What every text must be.
fn check(text: Text<'_>) {
    let mut end = 0;
    for atom in text.atoms() {
        assert!(atom.start >= end && atom.start < atom.end, "{atom:?} behind {end}");
        assert!(!text.bytes()[atom.clone()].iter().any(u8::is_ascii_whitespace));
        end = atom.end;
        assert_eq!(text.bytes().get(end), Some(&b' '), "{atom:?} touches what follows");
    }
    let ends: Vec<usize> = text.sections().iter().map(|section| section.end).collect();
    assert!(ends.is_sorted_by(|a, b| a < b), "{ends:?}");
    assert!(ends.last().is_none_or(|end| *end == text.bytes().len()), "{ends:?}");
    for unit in Unit::ALL {
        let mut found = Vec::new();
        Tokenizer::new(unit).tokens(text, &mut found);
        let placed: Vec<u64> = spans(unit, text).iter().map(|span| span.token).collect();
        assert_eq!(found, placed);
        // Sections cut no token.
        let mut document = DocumentTokens::default();
        Tokenizer::new(unit).document(text, &mut document);
        assert_eq!(document.tokens, found);
        assert_eq!(document.runs.iter().map(|run| run.tokens).sum::<usize>(), found.len());
    }
}

/// A part of a page that is made for the test.
#[derive(Clone, Debug)]
enum Node {
    Word(String),
    Entity,
    Space,
    Comment,
    Picture(u8),
    Inline(&'static str, Vec<Node>),
    Block(&'static str, Vec<Node>),
    Void(&'static str),
    /// The tag, its attribute, and what is in it.
    Hidden(&'static str, &'static str, Vec<Node>),
    /// Not parsed.
    Raw(&'static str),
}

const INLINE: &[&str] = &["b", "span", "em", "u", "sup", "Abbr", "label"];
const BLOCK: &[&str] = &["div", "section", "Article", "x-card", "blockquote", "q"];
const HIDING: &[&str] = &["hidden", "HIDDEN=''", "style='x:y; display: none'"];
const UNSEEN: &[&str] = &["template", "video", "canvas", "datalist"];
const RAW: &[&str] = &["script", "style", "noscript", "iframe"];

fn node() -> impl Strategy<Value = Node> {
    use prop::sample::select;
    let leaf = prop_oneof![
        4 => "[a-z0-9]{1,3}".prop_map(Node::Word),
        1 => Just(Node::Entity),
        2 => Just(Node::Space),
        1 => Just(Node::Comment),
        1 => any::<u8>().prop_map(Node::Picture),
        1 => select(&["br", "hr", "wbr", "input"][..]).prop_map(Node::Void),
        1 => select(RAW).prop_map(Node::Raw),
    ];
    leaf.prop_recursive(6, 60, 5, |inner| {
        let children = || prop::collection::vec(inner.clone(), 0..5);
        let tags = prop_oneof![select(INLINE), select(BLOCK)];
        prop_oneof![
            (select(INLINE), children()).prop_map(|(tag, inside)| Node::Inline(tag, inside)),
            (select(BLOCK), children()).prop_map(|(tag, inside)| Node::Block(tag, inside)),
            (tags, select(HIDING), children())
                .prop_map(|(tag, how, inside)| Node::Hidden(tag, how, inside)),
            (select(UNSEEN), children()).prop_map(|(tag, inside)| Node::Hidden(tag, "x", inside)),
        ]
    })
}

/// The page as HTML, and its words by the definition: the naive way.
#[derive(Default)]
struct Made {
    html: Vec<String>,
    words: Vec<String>,
    /// The word that goes on.
    open: String,
    /// How many hidden elements are open.
    hidden: usize,
}

impl Made {
    fn end_word(&mut self) {
        if self.hidden == 0 && !self.open.is_empty() {
            self.words.push(std::mem::take(&mut self.open));
        }
    }

    fn letters(&mut self, letters: &str) {
        if self.hidden == 0 {
            self.open += letters;
        }
    }

    fn add(&mut self, node: &Node) {
        match node {
            Node::Word(word) => {
                self.html.push(word.clone());
                self.letters(word);
            }
            Node::Entity => {
                self.html.push("&eacute;&#x41;".to_owned());
                self.letters("\u{e9}a");
            }
            Node::Space => {
                self.html.push("\n".to_owned());
                self.end_word();
            }
            Node::Comment => self.html.push("<!-- no -->".to_owned()),
            Node::Picture(number) => {
                self.html.push(format!("<img alt=no src='/p/{number}.png?q'>"));
                self.end_word();
                if self.hidden == 0 {
                    self.words.push(format!("{number}.png"));
                }
            }
            Node::Void(tag) => {
                self.html.push(format!("<{tag}>"));
                if *tag != "wbr" {
                    self.end_word();
                }
            }
            Node::Raw(tag) => self.html.push(format!("<{tag}> no </p> no </{tag}>")),
            Node::Inline(tag, inside) => {
                self.html.push(format!("<{tag}>"));
                self.add_all(inside);
                self.html.push(format!("</{tag}>"));
            }
            Node::Block(tag, inside) => {
                self.html.push(format!("<{tag} class='a>b'>"));
                self.end_word();
                self.add_all(inside);
                self.html.push(format!("</{tag}>"));
                self.end_word();
            }
            Node::Hidden(tag, how, inside) => {
                self.html.push(format!("<{tag} {how}>"));
                self.hidden += 1;
                self.add_all(inside);
                self.hidden -= 1;
                self.html.push(format!("</{tag}>"));
            }
        }
    }

    fn add_all(&mut self, nodes: &[Node]) {
        for node in nodes {
            self.add(node);
        }
    }
}

/// Bytes that mean something to HTML more often than not.
fn soup() -> impl Strategy<Value = Vec<u8>> {
    let pieces = prop::sample::select(
        &[
            "<",
            ">",
            "/",
            "=",
            "'",
            "\"",
            "&",
            ";",
            "!",
            "--",
            "-->",
            "<!--",
            "]]>",
            "<![CDATA[",
            "\0",
            "\r",
            "\n",
            " ",
            "p",
            "svg",
            "math",
            "title",
            "script",
            "style",
            "hidden",
            "img",
            "src",
            "base",
            "href",
            "http://",
            "table",
            "td",
            "template",
            "plaintext",
            "&#",
            "&amp",
            "</",
            "<p hidden>",
            "<img src=a>",
            "</p>",
            "<svg>",
            "</svg>",
            "<title>",
            "</title>",
            "<li hidden>",
            "<script>",
            "</script>",
            "\u{e9}",
            "foreignobject",
        ][..],
    );
    let piece = prop_oneof![
        8 => pieces.prop_map(|piece| piece.as_bytes().to_vec()),
        1 => prop::collection::vec(any::<u8>(), 1..4),
    ];
    prop::collection::vec(piece, 0..60).prop_map(|pieces| pieces.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn any_bytes_are_a_page(page in soup(), url in proptest::option::of("[a-z:/.@#?\\[\\]]{0,20}")) {
        let mut extractor = Extractor::new();
        let first = extractor.extract(&page, url.as_deref()).to_buf();
        check(first.as_text());
        prop_assert!(first.as_text().bytes().len() <= 6 * page.len() + 2048);
        // Nothing of one page is left for the next.
        extractor.extract(b"<base href=//x.y><div hidden><svg><!-- <script>", Some("http://a.b"));
        prop_assert_eq!(first.as_text(), extractor.extract(&page, url.as_deref()));
    }

    #[test]
    fn text_without_markup_is_itself(text in "[^<&\0\r]{0,60}") {
        let mut extractor = Extractor::new();
        prop_assert_eq!(extractor.extract(text.as_bytes(), None), Text::from(&*text));
    }

    #[test]
    fn pages_have_the_words_they_are_made_of(nodes in prop::collection::vec(node(), 0..12)) {
        let mut made = Made::default();
        made.add_all(&nodes);
        made.end_word();
        let expected: Vec<u64> =
            made.words.iter().map(|word| fingerprint(word.as_bytes())).collect();
        let mut extractor = Extractor::new();
        let html = made.html.concat();
        let text = extractor.extract(html.as_bytes(), Some("http://example.org"));
        check(text);
        prop_assert_eq!(tokens(text), expected, "{}\n{:?}", html, made.words);
    }
}

/// The pictures of a page may be much longer than their tags.
const WIDE_BASE: &str = "<base href='http://cdn.example/and/so/on/and/so/on/and/so/on/and/so/on/'>";

/// None of these may take more than linear time, or memory that grows with the nesting.
#[test]
fn gigantic_pages() {
    const SIZE: usize = 4 << 20;
    const MANY: usize = usize::MAX;
    let mut extractor = Extractor::new();
    for (head, piece, tail, count) in [
        ("", "<div>", "end", 1),
        ("", "<b>", "end", 1),
        ("", "<div hidden>", "no", 0),
        ("", "<p hidden>", "no", 0),
        ("", "<li hidden>x<li>", "end", 1),
        ("<div hidden>", "<div></div>", "</div>end", 1),
        ("", "<svg>", "end", 1),
        ("", "<svg><foreignObject>", "end", 1),
        ("<svg><title>", "</svg>", "end", 1),
        ("", "</svg>", "end", 1),
        ("", "<table>", "end", 1),
        ("", "</p></table></li>", "end", 1),
        // Blocks, links and landmarks without end.
        ("", "<nav>", "end", 1),
        ("", "<p><a href=x>y</a>", " end", MANY),
        ("", "<li><a href=x>y<nav>", "end", MANY),
        ("<table>", "<td><a href=x>", "end", 1),
        ("<ul>", "<ul><li>", "end", 1),
        ("<div><div><div><div>", "</nav></main></x></td>", "end", 1),
        ("<div><p role='", "navigation ", "'>end", 1),
        ("<html lang='", "en", "'>end", 1),
        ("", "&", "end", 1),
        ("", "&#", "end", 1),
        ("", "<", " end", 1),
        ("", "<!--", "no", 0),
        ("<!--", "-", "no", 0),
        ("<p ", "a", ">end", 1),
        ("<p ", "a ", ">end", 1),
        ("<p a='", "&amp;", "'>end", 1),
        ("<p style='", "display:none;", "'>no", 0),
        ("<img src='", "a", "'>end", 2),
        ("<img src='", "../", "a.png'>end", 2),
        ("<", "a", ">end", 1),
        ("<script>", "<!--<script>", "no", 0),
        ("<title>", "</", "</title>end", 1),
        ("<textarea>", "</", "end", 1),
        ("", "\0", "end", 1),
        ("<base href='http://a/", "x/", "'><img src=a.png>end", 2),
        (WIDE_BASE, "<img src=a>", "end", MANY),
    ] {
        let page = [head, &piece.repeat(SIZE / piece.len()), tail].concat();
        let text = extractor.extract(page.as_bytes(), Some("http://example.org/"));
        let shown = format!("{head}{piece}{tail}");
        assert!(text.bytes().len() <= 6 * page.len() + 2048, "{shown}");
        let words = tokens(text);
        let mut document = DocumentTokens::default();
        Tokenizer::new(Unit::Words).document(text, &mut document);
        assert_eq!(document.tokens, words, "{shown}");
        assert!(count == MANY || words.len() == count, "{shown}: {}", words.len());
        if tail.ends_with("end") {
            assert_eq!(words.last(), Some(&fingerprint(b"end")), "{shown}");
        }
    }
}
