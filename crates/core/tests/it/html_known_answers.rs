//! Web pages written by hand, with their exact tokens.
//!
//! `html_pages` has the pages, and beside each a list: the page's URL, and a
//! token on each line, in its canonical form. Atoms are marked by an `@`.

use std::fs;
use std::path::Path;

use crate::text_reference::fingerprint;
use lookalike_core::difference::{Limits, Piece, marked};
use lookalike_core::text::html::Extractor;
use lookalike_core::text::{Tokenizer, Unit, spans};

#[test]
fn twenty_pages_have_their_tokens() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/html_pages");
    let mut extractor = Extractor::new();
    let mut pages = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_none_or(|extension| extension != "html") {
            continue;
        }
        let listed = fs::read_to_string(path.with_extension("tokens")).unwrap();
        let mut lines = listed.lines();
        let url = lines.next().unwrap().strip_prefix("url: ").unwrap();
        let expected: Vec<&str> = lines.collect();
        let text = extractor.extract(&fs::read(&path).unwrap(), Some(url).filter(|u| *u != "none"));

        let name = path.display();
        let spans = spans(Unit::Words, text);
        let found: Vec<String> = spans
            .iter()
            .map(|span| {
                let is_atom = text.atoms().contains(&(span.start..span.end));
                let shown = String::from_utf8_lossy(&text.bytes()[span.start..span.end]);
                format!("{}{shown}", if is_atom { "@" } else { "" })
            })
            .collect();
        let plain = |token: &&str| token.strip_prefix('@').unwrap_or(token).to_owned();
        let fingerprints: Vec<u64> =
            expected.iter().map(|token| fingerprint(plain(token).as_bytes())).collect();
        let tokens: Vec<u64> = spans.iter().map(|span| span.token).collect();
        assert_eq!(tokens, fingerprints, "{name}:\n{found:?}\n{expected:?}");

        let atoms = |tokens: &[String]| -> Vec<String> {
            tokens.iter().filter(|token| token.starts_with('@')).cloned().collect()
        };
        let listed: Vec<String> = expected.iter().map(ToString::to_string).collect();
        assert_eq!(atoms(&found), atoms(&listed), "{name}");
        pages += 1;
    }
    assert_eq!(pages, 20);
}

#[test]
fn lines_and_characters_of_pages() {
    let mut extractor = Extractor::new();
    let page = b"<p>a rose<br>is <img src=/x/a.png> a<td>rose<p><img src=b.png><p> . ";
    let text = extractor.extract(page, None);
    assert_eq!(text.bytes(), b"a rose\nis a.png  a rose\nb.png \n . ");
    let line = |words: &[&str]| {
        let words = words.iter().flat_map(|word| fingerprint(word.as_bytes()).to_be_bytes());
        fingerprint(&words.collect::<Vec<u8>>())
    };
    let mut tokens = Vec::new();
    Tokenizer::new(Unit::Lines).tokens(text, &mut tokens);
    let lines = [&["a", "rose"][..], &["is", "a.png", "a", "rose"], &["b.png"]];
    assert_eq!(tokens, lines.map(line));
    let places: Vec<_> = spans(Unit::Lines, text).iter().map(|s| (s.start, s.end)).collect();
    assert_eq!(places, [(0, 6), (7, 23), (24, 30)]);

    let mut tokens = Vec::new();
    Tokenizer::new(Unit::Characters)
        .tokens(extractor.extract(b"a<img src=b.c>d", None), &mut tokens);
    assert_eq!(tokens, ["a", "b.c", "d"].map(|token| fingerprint(token.as_bytes())));
}

#[test]
fn differences_of_pages_show_what_a_visitor_sees() {
    let [mut one, mut two] = [Extractor::new(), Extractor::new()];
    let a = one.extract(b"<h1>Dear <b>A</b>nn</h1><script>1</script><img src=/x/a.png>come!", None);
    let b = two.extract(b"<h1>Dear Ann</h1><script>2</script><img src=/y/b.png> come!", None);
    let marked = marked(Unit::Words, a, b, Limits::DEFAULT);
    assert_eq!(marked.pieces[0], Piece::Equal("Dear Ann".to_owned()));
    assert_eq!((marked.deleted, marked.inserted, marked.places), (1, 1, 1));
    assert!(matches!(&marked.pieces[1], Piece::Deleted(picture) if picture.head == "a.png"));
}
