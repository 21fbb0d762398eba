//! All tokens of a document, and what the markup says of them.

use super::document::{SectionKind, Text};
use super::fingerprint::Token;
use crate::verification::Code;

/// A document as tokens, for what has to see all of them before it can begin.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DocumentTokens {
    /// In order.
    pub tokens: Vec<Token>,
    /// Their codes; the tokens themselves where there is no key.
    pub codes: Vec<Code>,
    /// What the markup says of them, in order. Together the runs have all tokens.
    pub runs: Vec<SectionRun>,
}

/// Consecutive tokens of which the markup says one thing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SectionRun {
    /// How many there are.
    pub tokens: usize,
    /// What it says of them.
    pub kind: SectionKind,
}

impl DocumentTokens {
    /// Takes the place of what is here. `push` appends the tokens of a text and their codes.
    ///
    /// Sections are of `words`: a line may go through several, and so do the tokens between
    /// characters, so that documents of these are one run.
    pub(super) fn fill(
        &mut self,
        words: bool,
        text: Text<'_>,
        mut push: impl FnMut(Text<'_>, &mut Vec<Token>, &mut Vec<Code>),
    ) {
        self.clear();
        let Self { tokens, codes, runs } = self;
        if !words {
            push(text, tokens, codes);
            runs.push(SectionRun { tokens: tokens.len(), kind: SectionKind::default() });
            return;
        }
        for (kind, text) in text.section_texts() {
            let before = tokens.len();
            push(text, tokens, codes);
            let count = tokens.len() - before;
            match runs.last_mut() {
                Some(last) if last.kind == kind => last.tokens += count,
                _ => runs.push(SectionRun { tokens: count, kind }),
            }
        }
    }

    /// Forgets the document.
    pub fn clear(&mut self) {
        self.tokens.clear();
        self.codes.clear();
        self.runs.clear();
    }

    /// Forgets the document, and gives back the room for more than so many tokens.
    pub fn forget(&mut self, tokens: usize) {
        self.clear();
        self.tokens.shrink_to(tokens);
        self.codes.shrink_to(tokens);
        self.runs.shrink_to(tokens);
    }
}
