//! Windows of a document and of references, and where both have the same.

use lookalike_core::text::Span;

use crate::polynomial::Polynomial;

/// The beginning of a document or a reference in a block, as windows.
pub(super) struct Windows<'a> {
    pub(super) spans: &'a [Span],
    /// The polynomials of the first 0, 1, 2, ... words.
    pub(super) prefixes: Vec<u64>,
    pub(super) width: usize,
    /// Windows of `width` words and where they begin, in order.
    sorted: Vec<(u64, u32)>,
}

impl<'a> Windows<'a> {
    pub(super) fn new(polynomial: &mut Polynomial, spans: &'a [Span], width: usize) -> Self {
        let prefixes = polynomial.prefixes(spans.iter().map(|span| span.token));
        let count = (spans.len() + 1).saturating_sub(width);
        let at = |start: usize| polynomial.window(&prefixes, start, width);
        let mut sorted: Vec<_> = (0..count).map(|start| (at(start), start as u32)).collect();
        sorted.sort_unstable();
        Self { spans, prefixes, width, sorted }
    }

    /// The runs of windows that begin at these places, which are ascending: for each of them, the words
    /// from there to the end of its run.
    pub(super) fn runs(&self, places: &[u32]) -> Vec<u32> {
        let mut lengths = vec![self.width as u32; places.len()];
        for at in (1..places.len()).rev() {
            if places[at - 1] + 1 == places[at] {
                lengths[at - 1] = lengths[at] + 1;
            }
        }
        lengths
    }
}

/// Where windows of both sides begin that the other side has too, each ascending.
pub(super) fn common_places(a: &Windows<'_>, b: &Windows<'_>) -> (Vec<u32>, Vec<u32>) {
    let (mut places_a, mut places_b) = (Vec::new(), Vec::new());
    let mut rest = &a.sorted[..];
    for windows in b.sorted.chunk_by(|one, other| one.0 == other.0) {
        let hash = windows[0].0;
        rest = &rest[rest.partition_point(|window| window.0 < hash)..];
        let count = rest.partition_point(|window| window.0 == hash);
        if count > 0 {
            places_a.extend(rest[..count].iter().map(|window| window.1));
            places_b.extend(windows.iter().map(|window| window.1));
        }
    }
    places_a.sort_unstable();
    places_b.sort_unstable();
    (places_a, places_b)
}
