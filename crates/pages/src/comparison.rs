//! Two documents side by side, as a part of somebody else's page: a notebook.
//!
//! It has its own few lines of style, which touch nothing outside of it, in colours that can be read
//! on light and on dark pages: nobody can ask a notebook which it is.

use lookalike_engine::report::{Difference, Tokens};

use crate::difference::{in_words, marked};

/// What is shown of two documents.
pub struct ComparisonView<'a> {
    /// Shingles of both, out of those of either.
    pub resemblance: f64,
    /// The share of the first that is in the second.
    pub containment_a: f64,
    /// The share of the second that is in the first.
    pub containment_b: f64,
    /// What a token is.
    pub tokens: Tokens,
    /// What differs, from the first to the second.
    pub difference: &'a Difference,
}

const STYLE: &str = "\
.lookalike-comparison { max-width: 50em; overflow-wrap: anywhere }\n\
.lookalike-comparison p { margin: .4em 0 }\n\
.lookalike-comparison .marked { border-left: 3px solid rgba(128, 128, 128, .4); padding-left: .8em }\n\
.lookalike-comparison .gap { opacity: .7 }\n\
.lookalike-comparison del { background: rgba(220, 50, 50, .22) }\n\
.lookalike-comparison ins { background: rgba(30, 160, 70, .25); text-decoration: none }\n";

/// The numbers, and what differs, marked.
pub fn comparison(view: &ComparisonView<'_>) -> String {
    let token = view.tokens.singular();
    format!(
        "<div class=\"lookalike-comparison\">\n<style>\n{STYLE}</style>\n\
         <p><b>Resemblance {:.4}</b>; {:.4} of the first is in the second, {:.4} of the second in \
         the first. {}</p>\n{}</div>\n",
        view.resemblance,
        view.containment_a,
        view.containment_b,
        in_words(view.difference, token, ""),
        marked(view.difference, token),
    )
}
