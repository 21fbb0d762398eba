//! Pages made to exhaust the stack: every kind of markup in great numbers, read by a thread with a
//! small stack. A page that takes more ends the process, and the test with it.

use lookalike_core::text::html::Extractor;

/// As large as that of a thread with little to do: a quarter of a megabyte. The service's have two.
const STACK_BYTES: usize = 256 << 10;

/// What stands behind every attack.
const WORDS: &str = "hello world, this is a page of words";

/// A beginning, what is repeated, an end, and whether the words behind it are seen.
type Attack = (&'static str, &'static str, &'static str, bool);

const ATTACKS: &[Attack] = &[
    // The one that has overflowed.
    ("<p ", "a=\"\" ", ">", true),
    ("<p ", "a=\"\"\n", ">", true),
    ("<p ", "a=\"\"/", ">", true),
    ("<p ", "a=\"b\" ", ">", true),
    ("<p ", "a=\"&amp;\" ", ">", true),
    ("<p ", "a=\"\u{e9}\0\r\" ", ">", true),
    ("<p ", "a=\"\"", ">", true),
    ("<p ", "a = \"\" ", ">", true),
    ("<img ", "src=\"a.png\" ", ">", true),
    ("<p ", "style=\"display:block\" ", ">", true),
    ("</p ", "a=\"\" ", ">", true),
    ("<title ", "a=\"\" ", "></title>", true),
    ("<script ", "a=\"\" ", "></script>", true),
    ("<p>", "<p a=\"\" b=\"\">", "</p>", true),
    // Its neighbours.
    ("<p ", "a='' ", ">", true),
    ("<p ", "a=b ", ">", true),
    ("<p ", "a ", ">", true),
    ("<p ", "= ", ">", true),
    ("<p ", "/", ">", true),
    ("<p ", "a/", ">", true),
    ("<p ", "&amp; ", ">", true),
    ("<p a=\"", "&amp;", "\">", true),
    ("<p a=\"", "\r\n\0", "\">", true),
    ("<", "p", ">", true),
    ("<p ", "a", ">", true),
    // Character references.
    ("", "&amp;", " ", true),
    ("", "&", " ", true),
    ("", "&#", " ", true),
    ("", "&#x", " ", true),
    ("", "&#65;", " ", true),
    ("&#", "9", "; ", true),
    ("&#x", "f", "; ", true),
    ("", "&notit", " ", true),
    ("", "&CounterClockwiseContourIntegra", " ", true),
    ("&", "a", " ", true),
    // Openings, and what is nothing.
    ("", "<", " ", true),
    ("", "</", "> ", true),
    ("", "<?", "> ", true),
    ("", "<!", "> ", true),
    ("", "\0", " ", true),
    ("", "\r", " ", true),
    ("", "<p>", "", true),
    ("", "<div><b>", "", true),
    ("", "</p>", "", true),
    ("", "<br/>", "", true),
    ("", "<svg>", "</svg>", true),
    ("<svg>", "<svg><desc>", "", false),
    // Comments, declarations, CDATA.
    ("", "<!---->", "", true),
    ("<!--", "-", "-->", true),
    ("<!--", "<!--", "-->", true),
    ("<!--", "--!", "-->", true),
    ("<!--", "<!", "-->", true),
    ("<!--", "\0", "-->", true),
    ("", "<!doctype html>", "", true),
    ("<!doctype ", "a", ">", true),
    ("<!doctype ", " \"", ">", true),
    ("<!doctype a public ", "\"\" ", ">", true),
    ("<!doctype a system ", "'' ", ">", true),
    ("", "<![CDATA[]]>", "", true),
    ("<svg>", "<![CDATA[]]>", "</svg>", true),
    ("<svg><![CDATA[", "]", "]]></svg>", true),
    ("<svg><![CDATA[", "]]", "]]></svg>", true),
    // Raw text and scripts.
    ("<title>", "</", "</title>", true),
    ("<title>", "</titl", "</title>", true),
    ("<title>", "&amp;<", "</title>", true),
    ("<style>", "</styl ", "</style>", true),
    ("<script>", "<!--", "--></script>", true),
    ("<script>", "<!--<script>", "</script>--></script>", true),
    ("<script><!--", "<script></script>", "--></script>", true),
    ("<script><!--", "-<", "--></script>", true),
    ("<script>", "</scrip", "</script>", true),
    ("", "<script></script>", "", true),
    ("<plaintext>", "<", " ", true),
    // What never ends.
    ("", "<p a=\"", "", false),
    ("<p ", "a=\"\" ", "", false),
    ("<p a=\"", "x", "", false),
    ("<!--", "x", "", false),
    ("<script>", "<!--<script>", "", false),
    ("<textarea>", "</textare", "", true),
];

fn page((beginning, repeated, end, _): Attack, bytes: usize) -> String {
    [beginning, &repeated.repeat(bytes / repeated.len()), end, WORDS].concat()
}

/// The pages of all attacks at this size are read, on a small stack.
fn survives(bytes: usize) {
    let read = move || {
        let mut extractor = Extractor::new();
        for &attack in ATTACKS {
            let text = extractor.extract(page(attack, bytes).as_bytes(), None);
            assert_eq!(text.bytes().ends_with(WORDS.as_bytes()), attack.3, "{attack:?}");
        }
    };
    std::thread::Builder::new()
        .stack_size(STACK_BYTES)
        .spawn(read)
        .expect("a thread")
        .join()
        .expect("no page panics");
}

#[test]
fn no_page_of_30_kb_exhausts_the_stack() {
    survives(30_000);
}

#[test]
fn no_page_of_a_megabyte_exhausts_the_stack() {
    survives(1 << 20);
}

#[test]
fn no_page_of_ten_megabytes_exhausts_the_stack() {
    survives(10 << 20);
}

#[test]
fn a_tag_of_many_attributes_hides_nothing_and_loses_none() {
    for count in [1, 31, 32, 33, 64, 7_500, 27_000, 300_000] {
        let attributes = "a=\"\" ".repeat(count);
        let page =
            format!("<p {attributes}hidden=\"\">no</p><img {attributes}src=\"b.png\"><p>{WORDS}");
        let mut extractor = Extractor::new();
        let text = extractor.extract(page.as_bytes(), None);
        assert_eq!(text.bytes(), format!("b.png \n{WORDS}").as_bytes(), "{count}");
        assert_eq!(text.atoms().first(), Some(&(0..5)), "{count}");
    }
}
