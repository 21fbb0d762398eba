//! What every page has: one file that needs nothing else.
//!
//! It has no script, and its content policy allows none, so that even a fault in
//! the escaping could not run what a document says. The page to judge pairs on
//! has one of ours, and says in its own file why that is safe.

use std::fmt::Write as _;

/// The style, in one element of the page.
pub(crate) const STYLE: &str = include_str!("style.css");

/// The frame of a page: what stands around its sections. All of it is markup already.
pub(crate) struct Page<'a> {
    pub(crate) title: &'a str,
    pub(crate) heading: &'a str,
    pub(crate) lede: &'a str,
    pub(crate) summary: &'a str,
    /// What the page adds to the style.
    pub(crate) style: &'a str,
    pub(crate) footer: &'a str,
}

impl Page<'_> {
    /// The page with those of the sections that have something in them.
    pub(crate) fn html(&self, sections: impl IntoIterator<Item = Section>) -> String {
        let Self { title, heading, lede, summary, style, footer } = self;
        let sections: Vec<Section> = sections.into_iter().filter(|s| !s.body.is_empty()).collect();
        let mut links = String::new();
        for Section { id, title, .. } in &sections {
            let _ = writeln!(links, "<li><a href=\"#{id}\">{title}</a></li>");
        }
        let bodies: String = sections.iter().map(Section::html).collect();
        format!(
            "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta http-equiv=\"Content-Security-Policy\" \
             content=\"default-src 'none'; style-src 'unsafe-inline'\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"referrer\" content=\"no-referrer\">\n\
             <title>{title}</title>\n<style>\n{STYLE}{style}</style>\n</head>\n<body>\n\
             <header>\n<h1>{heading}</h1>\n<p class=\"lede\">{lede}</p>\n{summary}\
             <nav aria-label=\"Parts of this page\">\n<ul>\n{links}</ul>\n</nav>\n</header>\n\
             <main>\n{bodies}</main>\n<footer>{footer}</footer>\n</body>\n</html>\n"
        )
    }
}

/// A part of a page.
pub(crate) struct Section {
    id: &'static str,
    title: &'static str,
    body: String,
}

impl Section {
    pub(crate) fn new(id: &'static str, title: &'static str, body: String) -> Self {
        Self { id, title, body }
    }

    fn html(&self) -> String {
        let Self { id, title, body } = self;
        format!(
            "<section id=\"{id}\" aria-labelledby=\"{id}-title\">\n\
             <h2 id=\"{id}-title\">{title}</h2>\n{body}</section>\n"
        )
    }
}
