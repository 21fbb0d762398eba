//! Distinctive shingles: what is a page's own, without the frame that its site puts around it.
//!
//! Pages of one site share a frame: heads, menus, feet. Plain resemblance takes
//! two products in one frame for the same page, and the same page in two frames
//! for two. There are two witnesses of what is frame. The markup of a page says
//! what is beside its content ([`PageLayout`]), for a single page already. And within a
//! *group*, the documents of one site or of one value of a field, a shingle that
//! stands in many documents that are no versions of each other is *template*
//! ([`learn()`]). Documents are compared by the rest.
//!
//! # Definition
//!
//! 1. A *number* is a token of at most seven bytes that begins with a digit. The *frame
//!    shingle* of w tokens is that of the tokens with all numbers taken for one,
//!    if fewer than half of them are numbers, and else their shingle: `visited
//!    1234 times in all` is the same on every page. Templates are of frame
//!    shingles, and a token is *covered* if a template shingle stands over it.
//! 2. What is not covered is left in *islands*. An island that is one token, or
//!    at most w tokens of which most are numbers, is *volatile*:
//!    a date, a counter, an id. If the other islands have at least 2w tokens
//!    together, volatile ones are covered as well.
//! 3. A page is looked at without what markup says is beside its content, as if the
//!    rest were all. If fewer than 2w tokens of that are not covered, it is looked
//!    at with its menus; if fewer than w are not covered then, as a whole; and if
//!    fewer than w are not covered even so, as a whole without a template.
//! 4. Distinctive are the shingles, of what is looked at, most of whose tokens are not
//!    covered, and the shingles of the sequence of all tokens that are not
//!    covered. The former know in which place of the frame the content stands,
//!    the latter do not change when the frame does.
//!
//! A text without markup is looked at as a whole, and without a template shingle it
//! has all of its shingles.

mod cache;
mod layout;
mod learn;

pub use cache::TemplateCache;
pub use layout::{LeftOut, Level, PageLayout};
pub use learn::{FEW, LearnedTemplate, SAMPLE, SampleDocument, in_sample, learn};

use lookalike_kernels::rabin::Windows;
use lookalike_kernels::{Kernel, mix};

use crate::recipe::{Recipe, Shingles};
use crate::shingle::{Shingle, ShingleSet, Shingler};
use crate::text::{DocumentTokens, Token};
use crate::verification::{Code, VerificationKey};

/// Documents of more tokens are compared as a whole: a frame is nothing beside a million words,
/// and what is held of a document stays bounded.
pub const MAX_TOKENS: usize = 1 << 20;

/// The template of one group: frame shingles.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Template {
    /// Ascending, without repeats.
    shingles: Vec<Shingle>,
    /// The same, each at or after the place that its hash gives; 0 is an empty place.
    places: Vec<Shingle>,
}

impl Template {
    /// Of these shingles, in any order.
    pub fn new(mut shingles: Vec<Shingle>) -> Self {
        shingles.sort_unstable();
        shingles.dedup();
        if shingles.is_empty() {
            return Self::default();
        }
        let mut places = vec![0; (2 * shingles.len()).next_power_of_two()];
        let last = places.len() - 1;
        for &shingle in &shingles {
            let mut at = mix(shingle) as usize & last;
            while places[at] != 0 {
                at = (at + 1) & last;
            }
            places[at] = shingle;
        }
        Self { shingles, places }
    }

    /// In ascending order.
    pub fn shingles(&self) -> &[Shingle] {
        &self.shingles
    }

    /// Whether nothing is template.
    pub fn is_empty(&self) -> bool {
        self.shingles.is_empty()
    }

    /// Whether this shingle is template.
    #[inline]
    pub fn contains(&self, shingle: Shingle) -> bool {
        // The place of 0 looks empty; if it is template at all, it is the first.
        if self.places.is_empty() || shingle == 0 {
            return shingle == 0 && self.shingles.first() == Some(&0);
        }
        let last = self.places.len() - 1;
        let mut at = mix(shingle) as usize & last;
        loop {
            match self.places[at] {
                0 => return false,
                found if found == shingle => return true,
                _ => at = (at + 1) & last,
            }
        }
    }
}

/// What stands for a number in frame shingles: the fingerprint of `#`, which no word has.
const NUMBER: Token = 1 << 8 | b'#' as Token;

/// Makes the frame shingles of documents, one after another. It keeps its buffers.
pub struct FrameShingles {
    kernel: Kernel,
    windows: Windows,
    numbered: Vec<Token>,
    shingles: Vec<Shingle>,
    /// Those of the tokens with all numbers the same.
    same: Vec<Shingle>,
}

impl FrameShingles {
    /// Of `width` tokens.
    ///
    /// # Panics
    /// If `width` is zero; a recipe never has such a width.
    pub fn new(kernel: Kernel, width: usize) -> Self {
        let windows = Windows::new(width);
        let (numbered, shingles, same) = (Vec::new(), Vec::new(), Vec::new());
        Self { kernel, windows, numbered, shingles, same }
    }

    pub(super) fn width(&self) -> usize {
        self.windows.width()
    }

    /// Those of a sequence of tokens, in order, with repeats.
    pub fn of(&mut self, tokens: &[Token]) -> &[Shingle] {
        let Self { kernel, windows, numbered, shingles, same } = self;
        windows_of(*kernel, windows, tokens, shingles);
        if !tokens.iter().any(|token| is_number(*token)) {
            return shingles;
        }
        numbered.clear();
        numbered.extend(tokens.iter().map(|&t| if is_number(t) { NUMBER } else { t }));
        let width = windows.width().min(tokens.len());
        windows_of(*kernel, windows, numbered, same);
        let mut numbers = numbered[..width].iter().filter(|token| **token == NUMBER).count();
        for (at, (shingle, same)) in shingles.iter_mut().zip(&*same).enumerate() {
            if 2 * numbers < width {
                *shingle = *same;
            }
            numbers -= usize::from(numbered[at] == NUMBER);
            numbers += usize::from(numbered.get(at + width) == Some(&NUMBER));
        }
        shingles
    }
}

/// Finds what is distinctive in documents, one after another. It keeps its buffers.
pub struct Distinctive {
    kernel: Kernel,
    /// Of what is found, which may be under a key.
    windows: Windows,
    key: Option<VerificationKey>,
    frame: FrameShingles,
    layout: PageLayout,
    shingles: Vec<Shingle>,
    /// What is looked at, and which of it is covered.
    tokens: Vec<Token>,
    covered: Vec<bool>,
    codes: Vec<Code>,
    found: Vec<Shingle>,
}

impl Distinctive {
    /// For shingles of `width` tokens.
    ///
    /// # Panics
    /// If `width` is zero; a recipe never has such a width.
    pub fn new(kernel: Kernel, width: usize) -> Self {
        Self::of(kernel, Windows::new(width), None)
    }

    /// For shingles of `width` tokens that go by what only who knows the key can tell, as those of
    /// [`Shingler::keyed`](crate::shingle::Shingler::keyed).
    ///
    /// # Panics
    /// As [`Distinctive::new`].
    pub fn keyed(kernel: Kernel, width: usize, key: &VerificationKey) -> Self {
        Self::of(kernel, Windows::modulo(key.rabin().clone(), width), Some(key.clone()))
    }

    fn of(kernel: Kernel, windows: Windows, key: Option<VerificationKey>) -> Self {
        Self {
            kernel,
            frame: FrameShingles::new(kernel, windows.width()),
            windows,
            key,
            layout: PageLayout::default(),
            shingles: Vec::new(),
            tokens: Vec::new(),
            covered: Vec::new(),
            codes: Vec::new(),
            found: Vec::new(),
        }
    }

    /// The distinctive shingles of a document of a group with this template, if there is one, with
    /// repeats, in no order that means anything. What is left out, its tokens tell; the shingles are
    /// made of the codes, which are the tokens themselves where there is no key.
    pub fn shingles(
        &mut self,
        template: Option<&Template>,
        document: &DocumentTokens,
        codes: &[Code],
    ) -> &mut [Shingle] {
        let level = self.look(template, document);
        self.codes.clear();
        self.layout.select(level, codes, &mut self.codes);
        if let Some(key) = &self.key {
            self.kernel.seal(key.tokens(), &mut self.codes);
        }
        windows_of(self.kernel, &self.windows, &self.codes, &mut self.shingles);
        self.found.clear();
        if !self.covered.contains(&true) {
            self.found.extend_from_slice(&self.shingles);
            return &mut self.found;
        }
        let width = self.windows.width();
        let mut own = self.covered.iter().take(width).filter(|covered| !**covered).count();
        for (at, &shingle) in self.shingles.iter().enumerate() {
            if 2 * own > width.min(self.codes.len()) {
                self.found.push(shingle);
            }
            // The window that begins at the next token.
            own -= usize::from(!self.covered[at]);
            own += usize::from(self.covered.get(at + width).is_some_and(|covered| !covered));
        }
        let Self { kernel, windows, covered, codes, found, .. } = self;
        let mut covered = covered.iter();
        codes.retain(|_| covered.next() == Some(&false));
        windows_of(*kernel, windows, codes, &mut self.shingles);
        found.extend_from_slice(&self.shingles);
        found
    }

    /// The codes of what is not left out of a document, in order.
    pub fn sequence(&mut self, template: Option<&Template>, document: &DocumentTokens) -> &[Code] {
        let level = self.look(template, document);
        self.codes.clear();
        self.layout.select(level, &document.codes, &mut self.codes);
        let mut covered = self.covered.iter();
        self.codes.retain(|_| covered.next() != Some(&true));
        &self.codes
    }

    /// Why each token of a document is left out, if it is.
    pub fn left_out(
        &mut self,
        template: Option<&Template>,
        document: &DocumentTokens,
    ) -> Vec<Option<LeftOut>> {
        let level = self.look(template, document);
        let mut covered = self.covered.iter();
        let by_markup = self.layout.left_out(level);
        let all =
            by_markup.map(|reason| reason.or_else(|| covered.next()?.then_some(LeftOut::Template)));
        all.collect()
    }

    /// Decides how much of a document is looked at, and leaves which of it is covered.
    fn look(&mut self, template: Option<&Template>, document: &DocumentTokens) -> Level {
        let width = self.windows.width();
        self.layout.read(document, width);
        let mut looked_at = None;
        for (level, least) in Level::ALL.into_iter().zip([2 * width, width, width]) {
            let count = self.layout.count(level);
            // A level with the same tokens has the same covered.
            if looked_at.replace(count) != Some(count) {
                self.tokens.clear();
                self.layout.select(level, &document.tokens, &mut self.tokens);
                self.cover(template);
            }
            if self.covered.iter().filter(|covered| !**covered).count() >= least {
                return level;
            }
        }
        self.covered.fill(false);
        Level::Whole
    }

    /// Leaves what is covered of the tokens that are looked at.
    fn cover(&mut self, template: Option<&Template>) {
        let Self { windows, frame, tokens, covered, .. } = self;
        covered.clear();
        covered.resize(tokens.len(), false);
        let Some(template) = template.filter(|_| tokens.len() <= MAX_TOKENS) else { return };
        let width = windows.width().min(tokens.len());
        // Up to where the last template shingle reaches.
        let mut end = 0;
        for (at, &shingle) in frame.of(tokens).iter().enumerate() {
            if template.contains(shingle) {
                covered[at.max(end)..at + width].fill(true);
                end = at + width;
            }
        }
        cover_volatile(windows.width(), tokens, covered);
    }
}

/// Makes the shingle sets of documents as a recipe looks at them. It keeps its buffers.
pub struct OwnShingles {
    shingler: Shingler,
    /// If the recipe leaves out anything.
    distinctive: Option<Distinctive>,
}

impl OwnShingles {
    /// By this recipe, under a key if there is one.
    pub fn new(recipe: &Recipe, kernel: Kernel, key: Option<&VerificationKey>) -> Self {
        let Shingles { width, counting } = recipe.shingles;
        let (shingler, distinctive) = match key {
            Some(key) => (
                Shingler::keyed(kernel, width, counting, key),
                Distinctive::keyed(kernel, width, key),
            ),
            None => (Shingler::new(kernel, width, counting), Distinctive::new(kernel, width)),
        };
        Self { shingler, distinctive: recipe.templates.leave_out().then_some(distinctive) }
    }

    /// The set of a document of a group with this template, if there is one.
    pub fn set(&mut self, template: Option<&Template>, document: &DocumentTokens) -> ShingleSet {
        match &mut self.distinctive {
            Some(distinctive) => {
                let shingles = distinctive.shingles(template, document, &document.codes);
                ShingleSet::new(shingles.to_vec())
            }
            None => ShingleSet::of_tokens(&mut self.shingler, &document.codes),
        }
    }

    /// The codes of what is not left out of a document, in order.
    pub fn sequence(
        &mut self,
        template: Option<&Template>,
        document: &DocumentTokens,
    ) -> Vec<Code> {
        match &mut self.distinctive {
            Some(distinctive) => distinctive.sequence(template, document).to_vec(),
            None => document.codes.clone(),
        }
    }

    /// Why each token is left out, if it is; empty if the recipe leaves out nothing.
    pub fn left_out(
        &mut self,
        template: Option<&Template>,
        document: &DocumentTokens,
    ) -> Vec<Option<LeftOut>> {
        let distinctive = self.distinctive.as_mut();
        distinctive.map_or_else(Vec::new, |distinctive| distinctive.left_out(template, document))
    }
}

/// The shingles of a sequence; of a short one, that of all its tokens.
fn windows_of(kernel: Kernel, windows: &Windows, tokens: &[Token], shingles: &mut Vec<Shingle>) {
    let count = windows.count(tokens.len());
    shingles.clear();
    shingles.resize(count, 0);
    kernel.windows(windows, tokens, shingles);
    if count == 0 && !tokens.is_empty() {
        shingles.push(windows.rabin().words(tokens));
    }
}

/// Covers the volatile islands, if enough is left without them.
fn cover_volatile(width: usize, tokens: &[Token], covered: &mut [bool]) {
    if !covered.contains(&true) {
        return;
    }
    let is_volatile = |island: &[Token]| {
        let numbers = island.iter().filter(|token| is_number(**token)).count();
        island.len() == 1 || island.len() <= width && 2 * numbers > island.len()
    };
    let firm: usize =
        islands(covered).map(|i| &tokens[i]).filter(|i| !is_volatile(i)).map(<[_]>::len).sum();
    if firm < 2 * width {
        return;
    }
    let volatile: Vec<_> = islands(covered).filter(|i| is_volatile(&tokens[i.clone()])).collect();
    for island in volatile {
        covered[island].fill(true);
    }
}

/// The stretches that are not covered.
fn islands(covered: &[bool]) -> impl Iterator<Item = std::ops::Range<usize>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        at += covered[at..].iter().position(|covered| !covered)?;
        let start = at;
        at += covered[at..].iter().position(|covered| *covered).unwrap_or(covered.len() - at);
        Some(start..at)
    })
}

/// Whether a token is a number: has at most seven bytes, and begins with a digit. A string of up to seven
/// bytes is its own fingerprint, behind a one bit, so this can be told.
fn is_number(token: Token) -> bool {
    let bytes = token.max(1).ilog2() / 8;
    // The one bit, and below it the first byte.
    bytes > 0 && token >> (8 * bytes) == 1 && ((token >> (8 * bytes - 8)) as u8).is_ascii_digit()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::{Tokenizer, Unit};

    fn tokens(text: &str) -> Vec<Token> {
        let mut tokens = Vec::new();
        Tokenizer::new(Unit::Words).tokens(text, &mut tokens);
        tokens
    }

    #[test]
    fn short_tokens_with_a_digit_are_numbers() {
        for (text, expected) in [
            ("2026", true),
            ("3rd", true),
            ("1234567", true),
            ("a1", false),
            ("12345678", false),
            ("may", false),
            ("0", true),
            ("\u{4e00}", false),
            ("deadbeef", false),
            ("\u{e4}1", false),
        ] {
            assert_eq!(is_number(tokens(text)[0]), expected, "{text}");
        }
        assert!(!is_number(0) && !is_number(1));
    }

    #[test]
    fn a_template_has_its_shingles_and_no_others() {
        let template = Template::new(vec![5, 0, 9, 5, 1 << 63]);
        assert_eq!(template.shingles(), [0, 5, 9, 1 << 63]);
        assert!([0, 5, 9, 1 << 63].into_iter().all(|shingle| template.contains(shingle)));
        assert!([1, 2, 8, u64::MAX].into_iter().all(|shingle| !template.contains(shingle)));
        assert!(!Template::new(Vec::new()).contains(0));
        assert!(!Template::new(vec![7]).contains(0));
    }
}
