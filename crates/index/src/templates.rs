//! The templates of sites, which a job has learned: documents are signed and compared without them.
//!
//! They are written when an index is made and never change, since signatures depend on them.

use std::io;
use std::sync::Arc;

use lookalike_core::template::{Template, TemplateCache};
use lookalike_core::{Recipe, SiteRule, site_hash};

use crate::document::{checked, checksum};
use crate::error::{Error, Operation, Result};
use crate::state::TemplateCounts;
use crate::store::{Changes, Durability, Store, Table};

/// Bytes that are written together.
const BATCH_BYTES: usize = 4 << 20;

/// The templates of an index.
pub(crate) struct SiteTemplates {
    sites: SiteRule,
    counts: TemplateCounts,
    cache: TemplateCache,
}

impl SiteTemplates {
    /// Writes the templates of sites, which come with their hashes.
    pub(crate) fn write(
        store: &Store,
        templates: impl IntoIterator<Item = io::Result<(u64, Vec<u64>)>>,
    ) -> Result<()> {
        let mut counts = TemplateCounts::default();
        let (mut changes, mut bytes) = (Changes::default(), 0);
        for template in templates {
            let (group, shingles) =
                template.map_err(|error| Error::io(store.path(), Operation::Read, error))?;
            let mut value: Vec<u8> = shingles.iter().flat_map(|s| s.to_le_bytes()).collect();
            value.extend(checksum(group, &value));
            changes.insert(Table::Templates, &group.to_be_bytes(), &value);
            counts.sites += 1;
            counts.shingles += shingles.len() as u64;
            bytes += value.len();
            if bytes > BATCH_BYTES {
                let full = std::mem::take(&mut changes);
                store.commit(full, Durability::Later)?;
                bytes = 0;
            }
        }
        changes.insert(Table::State, TemplateCounts::KEY, &counts.encode());
        store.commit(changes, Durability::Now)
    }

    /// Those that a recipe asks for.
    pub(crate) fn open(store: &Store, recipe: &Recipe) -> Result<Option<Self>> {
        if !recipe.templates.are_learned() {
            return Ok(None);
        }
        let counts = store.get(Table::State, TemplateCounts::KEY)?;
        let counts = TemplateCounts::decode(counts.as_deref(), store.path())?;
        Ok(Some(Self { sites: recipe.sites, counts, cache: TemplateCache::default() }))
    }

    pub(crate) fn counts(&self) -> TemplateCounts {
        self.counts
    }

    /// The template of a page's site; `None` if there is none.
    pub(crate) fn of_page(
        &self,
        store: &Store,
        url: Option<&str>,
    ) -> Result<Option<Arc<Template>>> {
        let Some(site) = url.and_then(|url| self.sites.site(url)) else { return Ok(None) };
        let group = site_hash(&site);
        self.cache.get(group, || match store.get(Table::Templates, &group.to_be_bytes())? {
            Some(bytes) => decode(store, group, &bytes).map(Some),
            None => Ok(None),
        })
    }

    /// Writes all templates of a store to another.
    pub(crate) fn copy(from: &Store, to: &Store) -> Result<()> {
        let templates = from.from(Table::Templates, &[])?.map(|entry| {
            let (key, value) = entry.map_err(io::Error::other)?;
            let group = key.as_ref().try_into().map_or(0, u64::from_be_bytes);
            Ok((group, decode(from, group, &value).map_err(io::Error::other)?))
        });
        Self::write(to, templates)
    }

    /// Reads all of them.
    pub(crate) fn verify(&self, store: &Store) -> Result<()> {
        let mut found = TemplateCounts::default();
        for entry in store.from(Table::Templates, &[])? {
            let (key, value) = entry?;
            let group = key.as_ref().try_into().map_or(0, u64::from_be_bytes);
            found.sites += 1;
            found.shingles += decode(store, group, &value)?.len() as u64;
        }
        if found == self.counts {
            return Ok(());
        }
        let fault = format!("templates: there are {}, not {}", found.sites, self.counts.sites);
        Err(Error::corruption(store.path(), fault))
    }
}

fn decode(store: &Store, group: u64, bytes: &[u8]) -> Result<Vec<u64>> {
    let shingles = checked(group, bytes).map(<[u8]>::as_chunks).filter(|(_, rest)| rest.is_empty());
    let Some((shingles, _)) = shingles else {
        let fault = format!("templates: that of group {group:016x} has a wrong checksum");
        return Err(Error::corruption(store.path(), fault));
    };
    Ok(shingles.iter().map(|word| u64::from_le_bytes(*word)).collect())
}
