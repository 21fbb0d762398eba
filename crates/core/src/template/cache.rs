//! Templates in memory: as many as fit into a fixed room.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::Template;
use crate::shingle::Shingle;

/// Shingles of templates that are held at a time.
const HELD: usize = 4 << 20;

/// Templates of groups that were asked for lately, wherever they are stored.
#[derive(Debug, Default)]
pub struct TemplateCache(Mutex<CacheEntry>);

#[derive(Debug, Default)]
struct CacheEntry {
    /// `None` for groups without a template.
    templates: HashMap<u64, Option<Arc<Template>>>,
    /// What they take: their shingles, and one for each group.
    room: usize,
}

impl TemplateCache {
    /// The template of a group, which is read if it is not held.
    ///
    /// # Errors
    /// Those of `read`.
    pub fn get<E>(
        &self,
        group: u64,
        read: impl FnOnce() -> Result<Option<Vec<Shingle>>, E>,
    ) -> Result<Option<Arc<Template>>, E> {
        let held = || self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(template) = held().templates.get(&group) {
            return Ok(template.clone());
        }
        let template = read()?.map(|shingles| Arc::new(Template::new(shingles)));
        let mut held = held();
        // Documents of a site come together as a rule: which one goes matters little.
        if held.room > HELD {
            *held = CacheEntry::default();
        }
        held.room += 1 + template.as_ref().map_or(0, |template| template.shingles().len());
        held.templates.insert(group, template.clone());
        Ok(template)
    }
}
