//! Any bytes are a web page: its text is well formed, and has the tokens it should have. Pages are
//! read by a thread with a small stack, so that markup which nests calls is found while it is short.

use lookalike_core::Kernel;
use lookalike_core::template::Distinctive;
use lookalike_core::text::html::Extractor;
use lookalike_core::text::{DocumentTokens, Text, Tokenizer, Unit, spans};

const URLS: [Option<&str>; 4] =
    [None, Some("http://a.example/b/c.html"), Some("//"), Some("HTTPS://[::1]:8/x?y#z")];

/// 128 KiB: a call for each attribute of `fuzz/seeds/html/attributes.html` takes eight times that.
const STACK_BYTES: usize = 128 << 10;

/// Reads a page.
pub fn check(page: &[u8]) {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(STACK_BYTES);
        let read = thread.spawn_scoped(scope, || read(page)).expect("a thread");
        read.join().expect("no page panics");
    });
}

fn read(page: &[u8]) {
    let url = URLS[page.first().map_or(0, |byte| usize::from(byte % 4))];
    let mut extractor = Extractor::new();
    let text = extractor.extract(page, url).to_buf();
    check_text(text.as_text());
    assert!(text.as_text().bytes().len() <= 6 * page.len() + 2048);
    // Nothing of one page is left for the next.
    assert_eq!(text.as_text(), extractor.extract(page, url));
    // Text without markup is itself.
    if !page.iter().any(|byte| b"<&\0\r".contains(byte)) {
        assert_eq!(text.as_text(), Text::from(page));
    }
}

fn check_text(text: Text<'_>) {
    let mut end = 0;
    for atom in text.atoms() {
        assert!(end <= atom.start && atom.start < atom.end);
        assert!(!text.bytes()[atom.clone()].iter().any(u8::is_ascii_whitespace));
        end = atom.end;
        assert_eq!(text.bytes().get(end), Some(&b' '));
    }
    for unit in Unit::ALL {
        let mut tokens = Vec::new();
        Tokenizer::new(unit).tokens(text, &mut tokens);
        assert!(spans(unit, text).iter().map(|span| span.token).eq(tokens.iter().copied()));
        // Sections cut no token.
        let mut document = DocumentTokens::default();
        Tokenizer::new(unit).document(text, &mut document);
        assert_eq!(document.tokens, tokens);
        assert_eq!(document.runs.iter().map(|run| run.tokens).sum::<usize>(), tokens.len());
        let left_out = Distinctive::new(Kernel::SCALAR, 5).left_out(None, &document);
        assert_eq!(left_out.len(), tokens.len());
    }
}
