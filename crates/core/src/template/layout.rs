//! What the markup of a page says is beside its content, before anything is learned.
//!
//! # Definition
//!
//! Of shingles of w tokens, and of what `text/html/structure.rs` says of tokens:
//!
//! 1. The page has a *main part* if `main` holds at least 2w tokens that are
//!    in no landmark, control or dialog.
//! 2. Beside the content are the title, landmarks, controls, dialogs and, if there is a
//!    main part, all that is outside of it.
//! 3. A *menu* is a run of at least w tokens in blocks that are links. A page with a
//!    main part in which, of what is not beside the content, menus are more than the
//!    rest is an index of others: its links are its content, and it has no menu.
//! 4. Hidden blocks are beside the content if, without menus, they have no more tokens
//!    than the rest of it: behind an open dialog all of a page is hidden, and so are
//!    texts that unfold.
//!
//! This gives three levels of a page: without all of it, with its menus, and whole.

use crate::text::{DocumentTokens, Place, SectionRun};

/// Why a token does not count as content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum LeftOut {
    /// It is in the title.
    Title,
    /// It is in a landmark: navigation, banner, search, footer and so on.
    Landmark,
    /// It is in a button, a list to choose from, or a field to write in.
    Control,
    /// It is in a dialog.
    Dialog,
    /// It is in a block that is hidden from who has the page read out.
    Hidden,
    /// The page has a main part, and it is outside of it.
    OutsideMain,
    /// It is in a menu: a run of blocks that are nearly all links.
    Menu,
    /// It stands on many pages of the site, or is a number among what does.
    Template,
}

impl LeftOut {
    /// Its name, for people and in JSON.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Title => "title",
            Self::Landmark => "landmark",
            Self::Control => "control",
            Self::Dialog => "dialog",
            Self::Hidden => "hidden",
            Self::OutsideMain => "outside-main",
            Self::Menu => "menu",
            Self::Template => "template",
        }
    }
}

/// How much of a page is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Level {
    /// What markup does not say is beside the content.
    Content,
    /// That, and menus.
    WithMenus,
    /// All.
    Whole,
}

impl Level {
    pub(super) const ALL: [Self; 3] = [Self::Content, Self::WithMenus, Self::Whole];

    fn has(self, reason: Option<LeftOut>) -> bool {
        match self {
            Self::Content => reason.is_none(),
            Self::WithMenus => matches!(reason, None | Some(LeftOut::Menu)),
            Self::Whole => true,
        }
    }
}

/// What is beside the content of a page. It keeps its buffer.
#[derive(Debug, Default)]
pub struct PageLayout {
    /// Tokens, and why they are left out, if they are.
    runs: Vec<(usize, Option<LeftOut>)>,
}

impl PageLayout {
    /// Takes the next page, for shingles of `width` tokens.
    pub fn read(&mut self, document: &DocumentTokens, width: usize) {
        let runs = &document.runs;
        let in_main = runs.iter().filter(|run| run.kind.in_main && run.kind.place == Place::Body);
        let has_main = in_main.map(|run| run.tokens).sum::<usize>() >= 2 * width;
        self.runs.clear();
        self.runs.extend(runs.iter().map(|run| (run.tokens, reason(run, has_main))));
        self.mark_menus(runs, width);
        let tokens = |wanted: Option<LeftOut>| -> usize {
            let runs = self.runs.iter().filter(|(_, reason)| *reason == wanted);
            runs.map(|(tokens, _)| tokens).sum()
        };
        if has_main && tokens(Some(LeftOut::Menu)) > tokens(None) {
            for (_, reason) in &mut self.runs {
                *reason = reason.filter(|reason| *reason != LeftOut::Menu);
            }
        }
        self.mark_hidden(runs);
    }

    fn mark_hidden(&mut self, runs: &[SectionRun]) {
        let content = || self.runs.iter().zip(runs).filter(|((_, reason), _)| reason.is_none());
        let is_hidden = |run: &SectionRun| run.kind.place == Place::Hidden;
        let all: usize = content().map(|(_, run)| run.tokens).sum();
        let hidden = content().filter(|(_, run)| is_hidden(run));
        if 2 * hidden.map(|(_, run)| run.tokens).sum::<usize>() > all {
            return;
        }
        for ((_, reason), run) in self.runs.iter_mut().zip(runs) {
            if is_hidden(run) {
                *reason = reason.or(Some(LeftOut::Hidden));
            }
        }
    }

    fn mark_menus(&mut self, runs: &[SectionRun], width: usize) {
        let mut from = 0;
        // Runs without tokens are between no two others.
        while from < runs.len() {
            let length = runs[from..]
                .iter()
                .position(|run| run.tokens > 0 && !run.kind.is_links)
                .unwrap_or(runs.len() - from);
            let menu = &mut self.runs[from..from + length];
            if menu.iter().map(|(tokens, _)| tokens).sum::<usize>() >= width {
                for (_, reason) in menu {
                    *reason = reason.or(Some(LeftOut::Menu));
                }
            }
            from += length.max(1);
        }
    }

    /// Appends what is looked at on a level, of the tokens of the page or of what comes with them.
    pub fn select<T: Copy>(&self, level: Level, of_tokens: &[T], selected: &mut Vec<T>) {
        let mut rest = of_tokens;
        for &(tokens, reason) in &self.runs {
            let run;
            (run, rest) = rest.split_at(tokens.min(rest.len()));
            if level.has(reason) {
                selected.extend_from_slice(run);
            }
        }
    }

    /// How many tokens are looked at on a level.
    pub fn count(&self, level: Level) -> usize {
        let runs = self.runs.iter().filter(|(_, reason)| level.has(*reason));
        runs.map(|(tokens, _)| tokens).sum()
    }

    /// Why each token is left out on a level, if it is.
    pub(super) fn left_out(&self, level: Level) -> impl Iterator<Item = Option<LeftOut>> {
        self.runs.iter().flat_map(move |&(tokens, reason)| {
            std::iter::repeat_n(if level.has(reason) { None } else { reason }, tokens)
        })
    }
}

fn reason(run: &SectionRun, has_main: bool) -> Option<LeftOut> {
    match run.kind.place {
        Place::Title => Some(LeftOut::Title),
        Place::Landmark => Some(LeftOut::Landmark),
        Place::Control => Some(LeftOut::Control),
        Place::Dialog => Some(LeftOut::Dialog),
        // Of what is hidden more has to be known.
        Place::Body | Place::Hidden => {
            (has_main && !run.kind.in_main).then_some(LeftOut::OutsideMain)
        }
    }
}
