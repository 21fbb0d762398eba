//! What the markup of pages says of their words: known answers, and pages of which it is known from how
//! they are made.

use lookalike_core::template::{LeftOut, Level, PageLayout};
use lookalike_core::text::html::Extractor;
use lookalike_core::text::{DocumentTokens, Place, SectionKind, SectionRun, Tokenizer, Unit};
use proptest::prelude::*;

fn document(page: &str) -> DocumentTokens {
    let (mut extractor, mut document) = (Extractor::new(), DocumentTokens::default());
    Tokenizer::new(Unit::Words).document(extractor.extract(page.as_bytes(), None), &mut document);
    document
}

/// What is said of each word.
fn kinds(page: &str) -> Vec<SectionKind> {
    let runs = document(page).runs;
    runs.iter().flat_map(|run| std::iter::repeat_n(run.kind, run.tokens)).collect()
}

/// The same in short: `.` for nothing in particular, T, L and C for the places, `m` behind what is in
/// `main`, `a` behind links.
fn said(page: &str) -> String {
    let short = |kind: &SectionKind| {
        let place = match kind.place {
            Place::Body => ".",
            Place::Title => "T",
            Place::Landmark => "L",
            Place::Control => "C",
        };
        let (main, links) =
            (if kind.in_main { "m" } else { "" }, if kind.is_links { "a" } else { "" });
        format!("{place}{main}{links}")
    };
    kinds(page).iter().map(short).collect::<Vec<_>>().join(" ")
}

#[test]
fn known_answers() {
    for (page, expected) in [
        ("plain words", ". ."),
        ("<title>t</title><p>x", "T ."),
        ("<nav>x<p>y</p></nav>z", "L L ."),
        ("<div role=navigation>x</div>z", "L ."),
        ("<div role='  Search box'>x</div>z", "L ."),
        // An inline element is none.
        ("<span role=navigation>x</span> z", ". ."),
        ("<aside>x</aside><header>y</header><footer>z</footer>", "L L L"),
        ("<article><aside>x</aside><header>y</header></article><footer>z</footer>", ". . L"),
        ("<main><header>x</header><nav>y</nav>z</main>", ".m Lm .m"),
        ("<div role=main>x</div>", ".m"),
        ("<div role=article><aside>x</aside></div>", "."),
        ("<aside role=note>x</aside>", "."),
        ("<div role=complementary>x</div><main><div role=complementary>y</div></main>", "L .m"),
        (
            "<button>x</button><select><option>y<option>z</select><textarea>v</textarea>w",
            "C C C C .",
        ),
        // What is in a landmark stays in it.
        ("<nav><main>x</main><button>y</button></nav>", "Lm L"),
        // More than four of five letters.
        ("<p><a href=x>four</a> z</p>", ". ."),
        ("<p><a href=x>fours</a> z</p>", ".a .a"),
        ("<p><a href=x>fours</a> \u{203a} &raquo; &nbsp;</p>", ".a"),
        ("<p><a>fours</a></p>", "."),
        ("<p><a href>fours</a></p>", ".a"),
        // The words of a block go by all that is in it.
        ("<div>x <p><a href=x>long long long</a></p> y</div>", ".a .a .a .a .a"),
        ("<div>text <p><a href=x>long long</a></p> text</div>", ". .a .a ."),
        ("<ul><li><a href=x>a b</a><li><a href=y>c</a><li>d</ul>", ".a .a .a ."),
        ("<table><tr><td><a href=x>a</a><td>b<tr><td>c</table>", ".a . ."),
        // A link goes on to its end tag, or the next.
        ("<div><a href=x>long<p>words here</p></a></div><p>z", ".a .a .a ."),
        ("<p><a href=x>x <a>text text</p>", ". . ."),
        ("<table><td><a href=x>x<td>y</table>", ".a ."),
        // Pictures count.
        ("<p><a href=x><img src=/picture.png></a> x</p>", ".a .a"),
        // Paragraphs end where another begins.
        ("<p><a href=x>x</a><p>y<div>z</div>", ".a . ."),
        // An end tag ends what stands in its element, and nothing outside of a cell.
        ("<nav><div>x</nav>y", "L ."),
        ("<nav><table><td>x</nav>y</table>z</nav>w", "L L L ."),
        ("x</nav></div>y", ". ."),
        // What is hidden is not there.
        ("<nav hidden>x</nav><p><a href=x>y</a><span hidden>not seen</span></p>", ".a"),
    ] {
        assert_eq!(said(page), expected, "{page}");
    }
}

#[test]
fn the_language_is_that_of_the_page() {
    let mut extractor = Extractor::new();
    for (page, expected) in [
        ("<html lang=EN-us><p>x", "en-us"),
        ("<html xml:lang=fr lang=de>", "fr"),
        ("<p lang=de>x", ""),
        ("x", ""),
    ] {
        extractor.extract(page.as_bytes(), None);
        assert_eq!(extractor.language(), expected.as_bytes(), "{page}");
    }
}

#[test]
fn nothing_is_known_of_text() {
    let mut extractor = Extractor::new();
    assert!(extractor.extract(b"just <b>words</b><p>and more", None).sections().is_empty());
    let found = extractor.extract(b"<nav>x</nav>", None).sections().to_vec();
    assert_eq!(found.len(), 1);
}

/// A part of a page that is made for the test.
#[derive(Clone, Debug)]
enum Node {
    Word(String),
    /// With or without an address.
    Link(bool, Vec<String>),
    Block(&'static str, &'static str, Vec<Node>),
}

const BLOCKS: &[&str] = &[
    "div", "section", "nav", "search", "main", "article", "aside", "header", "footer", "button",
    "x-card",
];
const ROLES: &[&str] =
    &["", "", "", "navigation", "banner", "complementary", "main", "article", "note", "tab"];

fn node() -> impl Strategy<Value = Node> {
    use prop::sample::select;
    let word = || "[a-z0-9\u{e9}\u{436}]{1,6}";
    let leaf = prop_oneof![
        2 => word().prop_map(Node::Word),
        2 => (any::<bool>(), prop::collection::vec(word(), 0..4))
            .prop_map(|(href, words)| Node::Link(href, words)),
    ];
    leaf.prop_recursive(5, 50, 5, |inner| {
        (select(BLOCKS), select(ROLES), prop::collection::vec(inner, 0..5))
            .prop_map(|(tag, role, inside)| Node::Block(tag, role, inside))
    })
}

fn html(nodes: &[Node]) -> String {
    let one = |node: &Node| match node {
        Node::Word(word) => word.clone(),
        Node::Link(true, words) => format!("<a class=x href='/y'>{}</a>", words.join(" ")),
        Node::Link(false, words) => format!("<a name=x>{}</a>", words.join(" ")),
        Node::Block(tag, "", inside) => format!("<{tag}>{}</{tag}>", html(inside)),
        Node::Block(tag, role, inside) => format!("<{tag} role={role}>{}</{tag}>", html(inside)),
    };
    nodes.iter().map(one).collect::<Vec<_>>().join(" \n")
}

/// The letters of a part, and those in links.
fn letters(nodes: &[Node]) -> (usize, usize) {
    let of = |words: &[String]| words.iter().map(|word| word.chars().count()).sum::<usize>();
    nodes.iter().fold((0, 0), |(all, linked), node| {
        let (more, links) = match node {
            Node::Word(word) => (word.chars().count(), 0),
            Node::Link(true, words) => (of(words), of(words)),
            Node::Link(false, words) => (of(words), 0),
            Node::Block(.., inside) => letters(inside),
        };
        (all + more, linked + links)
    })
}

#[derive(Clone, Copy, Default)]
struct Naive {
    place: Place,
    in_main: bool,
    in_article: bool,
}

fn naive(nodes: &[Node], at: Naive, kinds: &mut Vec<SectionKind>) {
    let (all, linked) = letters(nodes);
    let kind = SectionKind { place: at.place, in_main: at.in_main, is_links: 5 * linked > 4 * all };
    for node in nodes {
        match node {
            Node::Word(_) => kinds.push(kind),
            Node::Link(_, words) => kinds.extend(words.iter().map(|_| kind)),
            Node::Block(tag, role, inside) => {
                let in_main = at.in_main || *tag == "main" || *role == "main";
                let in_article = at.in_article || *tag == "article" || *role == "article";
                let soft = ["aside", "header", "footer"].contains(tag) || *role == "complementary";
                let hard =
                    ["nav", "search"].contains(tag) || ["navigation", "banner"].contains(role);
                let is_landmark = (hard || soft && !in_main && !in_article) && *role != "note";
                let place = match at.place {
                    Place::Body if *tag == "button" => Place::Control,
                    Place::Body if is_landmark => Place::Landmark,
                    place => place,
                };
                naive(inside, Naive { place, in_main, in_article }, kinds);
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn structure_is_its_definition(nodes in prop::collection::vec(node(), 0..10)) {
        let mut expected = Vec::new();
        naive(&nodes, Naive::default(), &mut expected);
        let page = html(&nodes);
        prop_assert_eq!(kinds(&page), expected, "{}", page);
    }

    #[test]
    fn a_layout_is_its_definition(
        runs in prop::collection::vec((0_usize..9, 0_u8..16), 0..12),
        width in 1_usize..6,
    ) {
        let runs: Vec<SectionRun> = runs
            .into_iter()
            .map(|(tokens, bits)| SectionRun { tokens, kind: SectionKind::from_bits(bits) })
            .collect();
        let tokens: Vec<u64> = (0..runs.iter().map(|run| run.tokens as u64).sum()).collect();
        let document = DocumentTokens { tokens, codes: Vec::new(), runs };
        let mut layout = PageLayout::default();
        layout.read(&document, width);
        let expected = naive_layout(&document.runs, width);
        for (level, left) in [
            (Level::Content, &[None][..]),
            (Level::WithMenus, &[None, Some(LeftOut::Menu)]),
        ] {
            let expected: Vec<u64> =
                (0..).zip(&expected).filter(|(_, why)| left.contains(why)).map(|(t, _)| t).collect();
            let mut found = Vec::new();
            layout.select(level, &document.tokens, &mut found);
            prop_assert_eq!(&found, &expected);
            prop_assert_eq!(layout.count(level), expected.len());
        }
        let mut found = Vec::new();
        layout.select(Level::Whole, &document.tokens, &mut found);
        prop_assert_eq!(found, document.tokens);
    }
}

/// Why each token is left out, word by word.
fn naive_layout(runs: &[SectionRun], width: usize) -> Vec<Option<LeftOut>> {
    let kinds: Vec<SectionKind> =
        runs.iter().flat_map(|run| std::iter::repeat_n(run.kind, run.tokens)).collect();
    let main = kinds.iter().filter(|kind| kind.in_main && kind.place == Place::Body).count();
    let has_main = main >= 2 * width;
    let is_menu = |at: usize| {
        let links = |at: &usize| kinds[*at].is_links;
        let before = (0..at).rev().take_while(links).count();
        let behind = (at..kinds.len()).take_while(links).count();
        links(&at) && before + behind >= width
    };
    let reason = |at: usize| match kinds[at].place {
        Place::Title => Some(LeftOut::Title),
        Place::Landmark => Some(LeftOut::Landmark),
        Place::Control => Some(LeftOut::Control),
        Place::Body if has_main && !kinds[at].in_main => Some(LeftOut::OutsideMain),
        Place::Body => is_menu(at).then_some(LeftOut::Menu),
    };
    let reasons: Vec<_> = (0..kinds.len()).map(reason).collect();
    let count = |wanted| reasons.iter().filter(|reason| **reason == wanted).count();
    let is_index = has_main && count(Some(LeftOut::Menu)) > count(None);
    let keep = |reason: Option<LeftOut>| reason.filter(|why| !(is_index && *why == LeftOut::Menu));
    reasons.into_iter().map(keep).collect()
}
