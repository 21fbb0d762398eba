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

/// The same in short: `.` for nothing in particular, T, L, C, D and H for the places, `m` behind what is
/// in `main`, `a` behind links.
fn said(page: &str) -> String {
    let short = |kind: &SectionKind| {
        let place = match kind.place {
            Place::Body => ".",
            Place::Title => "T",
            Place::Landmark => "L",
            Place::Control => "C",
            Place::Dialog => "D",
            Place::Hidden => "H",
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
        ("<dialog open>x</dialog><dialog>not open</dialog>z", "D ."),
        ("<div role=dialog>x<nav>y</nav></div><main><p role=AlertDialog>v</main>", "D D Dm"),
        ("<div aria-modal=true>x</div><div aria-modal=false>y</div>z", "D . ."),
        (
            "<div aria-hidden=TRUE>x<p>y</div><div aria-hidden=false>v</div><div aria-hidden>w",
            "H H . .",
        ),
        ("<div aria-hidden=true aria-hidden=false>x</div>", "H"),
        // Icons and the like are inline.
        ("<span aria-hidden=true>x</span> <i role=dialog>y</i>", ". ."),
        // What it holds may say more of itself.
        (
            "<div aria-hidden=true>x<nav>y</nav><button>z</button><div role=dialog>v</div></div>",
            "H L C D",
        ),
        ("<div aria-hidden=true>x<main>y<div aria-hidden=true>z</div></main>v</div>", "H .m .m H"),
        ("<article><div aria-hidden=true>x</div></article>", "."),
        ("<nav aria-hidden=true>x</nav><div role=dialog aria-hidden=true>y</div>", "L D"),
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

#[test]
fn hidden_blocks_are_content_where_they_are_most_of_a_page() {
    let left = |page: &str| {
        let document = document(page);
        let mut layout = PageLayout::default();
        layout.read(&document, 5);
        layout.count(Level::Content)
    };
    let words = |count: usize| "word ".repeat(count);
    let page = |hidden: usize, rest: usize| {
        format!("<p>{}</p><div aria-hidden=true><p>{}</div>", words(rest), words(hidden))
    };
    // A dialog for cookies that says only that it is hidden, and texts that unfold.
    for (hidden, rest, expected) in [(760, 2290, 2290), (40, 40, 40), (41, 40, 81), (700, 68, 768)]
    {
        assert_eq!(left(&page(hidden, rest)), expected, "{hidden} {rest}");
    }
    // Behind an open dialog.
    let dialog = format!("<div role=dialog aria-modal=true>{}</div>", words(500));
    let behind = format!("<div aria-hidden=true><nav>{}</nav>{}</div>", words(30), words(200));
    assert_eq!(left(&format!("{dialog}{behind}")), 200);
    let main = format!("<div aria-hidden=true><main>{}</main>{}</div>", words(200), words(50));
    assert_eq!(left(&format!("{dialog}{main}<p>{}", words(300))), 200);
    // Menus do not make it a page of other things.
    let menu = format!("<ul><li><a href=/>{}</a></ul>", words(300));
    assert_eq!(left(&format!("{menu}{}", page(50, 40))), 90);
}

/// A part of a page that is made for the test.
#[derive(Clone, Debug)]
enum Node {
    Word(String),
    /// With or without an address.
    Link(bool, Vec<String>),
    /// Its name, an attribute, and what is in it.
    Block(&'static str, &'static str, Vec<Node>),
}

const BLOCKS: &[&str] = &[
    "div",
    "section",
    "nav",
    "search",
    "main",
    "article",
    "aside",
    "header",
    "footer",
    "button",
    "dialog open",
    "x-card",
];
const ATTRIBUTES: &[&str] = &[
    "",
    "",
    "",
    "role=navigation",
    "role=banner",
    "role=complementary",
    "role=main",
    "role=article",
    "role=note",
    "role=tab",
    "role=alertdialog",
    "aria-modal=true",
    "aria-hidden=true",
    "aria-hidden=true",
    "aria-hidden=false",
];

fn node() -> impl Strategy<Value = Node> {
    use prop::sample::select;
    let word = || "[a-z0-9\u{e9}\u{436}]{1,6}";
    let leaf = prop_oneof![
        2 => word().prop_map(Node::Word),
        2 => (any::<bool>(), prop::collection::vec(word(), 0..4))
            .prop_map(|(href, words)| Node::Link(href, words)),
    ];
    leaf.prop_recursive(5, 50, 5, |inner| {
        (select(BLOCKS), select(ATTRIBUTES), prop::collection::vec(inner, 0..5))
            .prop_map(|(tag, attribute, inside)| Node::Block(tag, attribute, inside))
    })
}

fn html(nodes: &[Node]) -> String {
    let one = |node: &Node| match node {
        Node::Word(word) => word.clone(),
        Node::Link(true, words) => format!("<a class=x href='/y'>{}</a>", words.join(" ")),
        Node::Link(false, words) => format!("<a name=x>{}</a>", words.join(" ")),
        Node::Block(tag, attribute, inside) => {
            let name = tag.split(' ').next().unwrap_or_default();
            format!("<{tag} {attribute}>{}</{name}>", html(inside))
        }
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
            Node::Block(tag, attribute, inside) => {
                let is = |wanted: &[&str]| wanted.contains(tag) || wanted.contains(attribute);
                let in_main = at.in_main || is(&["main", "role=main"]);
                let in_article = at.in_article || is(&["article", "role=article"]);
                let soft = is(&["aside", "header", "footer", "role=complementary"]);
                let hard = is(&["nav", "search", "role=navigation", "role=banner"]);
                let is_landmark = (hard || soft && !in_main && !in_article) && !is(&["role=note"]);
                let is_hidden = at.place == Place::Hidden || is(&["aria-hidden=true"]);
                let place = match at.place {
                    Place::Body | Place::Hidden if is(&["button"]) => Place::Control,
                    Place::Body | Place::Hidden if is_landmark => Place::Landmark,
                    Place::Body | Place::Hidden
                        if is(&["dialog open", "role=alertdialog", "aria-modal=true"]) =>
                    {
                        Place::Dialog
                    }
                    Place::Body | Place::Hidden if is_hidden && !in_main && !in_article => {
                        Place::Hidden
                    }
                    Place::Hidden => Place::Body,
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
        runs in prop::collection::vec((0_usize..9, 0_u8..32), 0..12),
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
        Place::Dialog => Some(LeftOut::Dialog),
        Place::Body | Place::Hidden if has_main && !kinds[at].in_main => Some(LeftOut::OutsideMain),
        Place::Body | Place::Hidden => is_menu(at).then_some(LeftOut::Menu),
    };
    let reasons: Vec<_> = (0..kinds.len()).map(reason).collect();
    let count = |wanted| reasons.iter().filter(|reason| **reason == wanted).count();
    let is_index = has_main && count(Some(LeftOut::Menu)) > count(None);
    let keep = |reason: Option<LeftOut>| reason.filter(|why| !(is_index && *why == LeftOut::Menu));
    let reasons: Vec<_> = reasons.into_iter().map(keep).collect();
    let (hidden, shown): (Vec<usize>, Vec<usize>) = (0..kinds.len())
        .filter(|at| reasons[*at].is_none())
        .partition(|at| kinds[*at].place == Place::Hidden);
    let hide = |at: &usize| hidden.len() <= shown.len() && hidden.contains(at);
    (0..kinds.len()).map(|at| if hide(&at) { Some(LeftOut::Hidden) } else { reasons[at] }).collect()
}
