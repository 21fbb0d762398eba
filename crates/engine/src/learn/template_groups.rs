//! The group that a document's template is learned in.

use lookalike_core::recipe::Templates;
use lookalike_core::{Recipe, site_hash};
use lookalike_corpus::Record;
use xxhash_rust::xxh3::xxh3_64;

use crate::keep;

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

    fn url(self, url: Option<&str>) -> u64 {
        let site = url.and_then(|url| self.recipe.sites.site(url));
        site.map_or(0, |site| site_hash(&site))
    }
}
