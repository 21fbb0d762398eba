//! The definition, word by word, for tests.

/// Tokens, and the first tokens of units.
pub type Document<T> = (Vec<T>, Vec<u32>);

/// What is asked for besides the definition.
#[derive(Clone, Copy, Debug)]
pub struct Rule {
    /// The tokens of a window.
    pub width: usize,
    /// How many copies stay.
    pub copies: usize,
    /// In how many documents a window must stand to count.
    pub documents: usize,
    /// A document of which fewer tokens are left goes, if anything was cut of it.
    pub left: usize,
}

/// Which tokens of documents are cut.
pub fn cut<T: PartialEq>(documents: &[Document<T>], width: usize, copies: usize) -> Vec<Vec<bool>> {
    cut_by(documents, Rule { width, copies, documents: 1, left: 0 }, |_| false).0
}

/// Which tokens of documents are cut, and which documents go: none of their tokens is kept, and those that
/// are cut are what stands in documents before. Some `stay` whatever is left of them.
pub fn cut_by<T: PartialEq>(
    documents: &[Document<T>],
    rule: Rule,
    stay: impl Fn(usize) -> bool,
) -> (Vec<Vec<bool>>, Vec<bool>) {
    let (mut all, mut gone): (Vec<Vec<bool>>, Vec<bool>) = (Vec::new(), Vec::new());
    for number in 0..documents.len() {
        let own = cut_one(documents, &all, &gone, number, rule, true);
        let left = own.iter().filter(|is_cut| !**is_cut).count();
        let goes = left < rule.left && left < own.len() && !stay(number);
        all.push(if goes { cut_one(documents, &all, &gone, number, rule, false) } else { own });
        gone.push(goes);
    }
    (all, gone)
}

/// Which tokens of a document are cut, given those of the documents before it. What is kept of itself
/// counts if it stays.
fn cut_one<T: PartialEq>(
    documents: &[Document<T>],
    before: &[Vec<bool>],
    gone: &[bool],
    number: usize,
    Rule { width, copies, documents: least, .. }: Rule,
    stays: bool,
) -> Vec<bool> {
    let (tokens, units) = &documents[number];
    let mut cut = vec![false; tokens.len()];
    let ends: Vec<usize> =
        units.iter().skip(1).map(|unit| *unit as usize).chain([tokens.len()]).collect();
    let mut unit = 0;
    while unit < units.len() {
        let begin = units[unit] as usize;
        let stands = |window: &[T]| {
            let has = |(tokens, _): &&Document<T>| tokens.windows(width).any(|own| own == window);
            let kept = documents.iter().zip(before).zip(gone).filter(|(_, gone)| !**gone);
            let kept: usize = kept.map(|(((t, _), cut), _)| count(t, cut, window)).sum();
            let own = if stays { count(&tokens[..begin], &cut[..begin], window) } else { 0 };
            kept + own >= copies && documents.iter().filter(has).count() >= least
        };
        let is_run = |end: usize| {
            let known: Vec<usize> = (begin..(end + 1).saturating_sub(width))
                .filter(|&at| stands(&tokens[at..at + width]))
                .collect();
            (begin..end).all(|t| known.iter().any(|&at| at <= t && t < at + width))
        };
        match (unit..units.len()).rev().find(|&last| is_run(ends[last])) {
            Some(last) => {
                cut[begin..ends[last]].fill(true);
                unit = last + 1;
            }
            None => unit += 1,
        }
    }
    cut
}

/// How often a window stands in tokens that are not cut.
fn count<T: PartialEq>(tokens: &[T], cut: &[bool], window: &[T]) -> usize {
    let at = tokens.windows(window.len()).zip(cut.windows(window.len()));
    at.filter(|(tokens, cut)| *tokens == window && !cut.contains(&true)).count()
}
