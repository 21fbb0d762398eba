//! The group that a document's template is learned in.

use lookalike_core::recipe::Templates;
use lookalike_core::{Recipe, site_hash};
use lookalike_corpus::Record;
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

use crate::keep;

/// Languages and folders are different parts, be they called the same.
const LANGUAGES: u64 = 1;
const FOLDERS: u64 = 2;

/// The first folder of an address with all before it, and the first two.
fn folders(url: &str) -> impl Iterator<Item = &str> {
    let path = url.find("://").map_or(0, |at| at + 3);
    let address = url.split(['?', '#']).next().unwrap_or_default();
    // The first slash ends the host.
    address
        .match_indices('/')
        .filter(move |(at, _)| *at >= path)
        .skip(1)
        .take(2)
        .map(|(at, _)| &url[..at])
}

/// Tells the groups of documents.
#[derive(Clone, Copy)]
pub(crate) struct TemplateGroups<'a> {
    recipe: &'a Recipe,
}

impl<'a> TemplateGroups<'a> {
    /// By this recipe.
    pub(crate) fn new(recipe: &'a Recipe) -> Self {
        Self { recipe }
    }

    /// The field that groups go by, if they do.
    pub(crate) fn field(self) -> Option<String> {
        match &self.recipe.templates {
            Templates::ByField(field) => Some(field.clone()),
            _ => None,
        }
    }

    /// What stands for the group of a document; 0 for none.
    pub(crate) fn record(self, record: &Record<'_>) -> u64 {
        match &self.recipe.templates {
            Templates::BySite => self.url(record.url.as_deref()),
            Templates::ByField(field) => {
                record.field(field).map_or(0, |value| xxh3_64(keep::text(&value).as_bytes()).max(1))
            }
            _ => 0,
        }
    }

    /// What stands for the parts of its group that a document is in: those of its language and, on a
    /// site, of the two folders at the top of its address.
    pub(crate) fn parts(self, record: &Record<'_>, language: &[u8]) -> Vec<u64> {
        let mut parts = Vec::new();
        if !language.is_empty() {
            parts.push(xxh3_64_with_seed(language, LANGUAGES));
        }
        if self.recipe.templates == Templates::BySite {
            let folders = record.url.as_deref().map(folders).into_iter().flatten();
            parts.extend(folders.map(|folder| xxh3_64_with_seed(folder.as_bytes(), FOLDERS)));
        }
        parts
    }

    fn url(self, url: Option<&str>) -> u64 {
        let site = url.and_then(|url| self.recipe.sites.site(url));
        site.map_or(0, |site| site_hash(&site))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_are_those_of_the_path() {
        let of = |url| folders(url).collect::<Vec<_>>();
        assert_eq!(
            of("https://a.org/en/8.x/guide/index.html"),
            ["https://a.org/en", "https://a.org/en/8.x"]
        );
        assert_eq!(of("https://a.org/en/index.html?from=/x/y"), ["https://a.org/en"]);
        for url in
            ["https://a.org/index.html", "https://a.org", "", "a.org/x", "https://a.org/#/b/c"]
        {
            assert!(of(url).is_empty(), "{url}");
        }
    }
}
