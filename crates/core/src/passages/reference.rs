//! The definition, word by word, for tests.

/// Tokens, and the first tokens of units.
pub type Document<T> = (Vec<T>, Vec<u32>);

/// Which tokens of documents are cut.
pub fn cut<T: PartialEq>(documents: &[Document<T>], width: usize, copies: usize) -> Vec<Vec<bool>> {
    let mut all: Vec<Vec<bool>> = Vec::new();
    for (number, (tokens, units)) in documents.iter().enumerate() {
        let mut cut = vec![false; tokens.len()];
        let ends: Vec<usize> =
            units.iter().skip(1).map(|unit| *unit as usize).chain([tokens.len()]).collect();
        let mut unit = 0;
        while unit < units.len() {
            let begin = units[unit] as usize;
            let stands = |window: &[T]| {
                let before = documents[..number].iter().zip(&all);
                let before: usize = before.map(|((t, _), cut)| count(t, cut, window)).sum();
                before + count(&tokens[..begin], &cut[..begin], window) >= copies
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
        all.push(cut);
    }
    all
}

/// How often a window stands in tokens that are not cut.
fn count<T: PartialEq>(tokens: &[T], cut: &[bool], window: &[T]) -> usize {
    let at = tokens.windows(window.len()).zip(cut.windows(window.len()));
    at.filter(|(tokens, cut)| *tokens == window && !cut.contains(&true)).count()
}
