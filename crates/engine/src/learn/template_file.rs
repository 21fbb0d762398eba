//! Files of templates: the template shingles of many groups, by group.
//!
//! A header with the recipe, the shingles of one group after another, each
//! ascending, the groups, ascending, and an end with the counts and a checksum;
//! `docs/design/format.md` has the bytes. The groups are held in memory, and as
//! many templates as fit into a fixed room.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use lookalike_core::recipe::Digest;
use lookalike_core::shingle::Shingle;
use lookalike_core::template::{LearnedTemplate, Template, TemplateCache};
use lookalike_core::{Recipe, site_hash};
use lookalike_files::{AtomicFile, Existing, Format, double_word, read_at, word};
use xxhash_rust::xxh3::Xxh3Default;

use crate::error::{Error, Operation, Result};
use crate::files::Files;

const FORMAT: Format = Format { magic: *b"LOOKTMPL", version: 1 };

/// Format, digest of the recipe's bits.
const HEADER: usize = Format::BYTES + 32;
/// Hash of a group, number of its shingles, its families.
const GROUP: usize = 8 + 4 + 4;
/// Groups, shingles, checksum.
const END: usize = 8 + 8 + 8;

/// Writes a file of templates.
pub(super) struct TemplateWriter {
    file: AtomicFile,
    checksum: Xxh3Default,
    groups: Vec<u8>,
    shingles: u64,
}

impl TemplateWriter {
    pub(super) fn create(path: &Path, recipe: &Recipe) -> Result<Self> {
        let file = AtomicFile::create(path, Existing::Replace)?;
        let checksum = Xxh3Default::new();
        let mut writer = Self { file, checksum, groups: Vec::new(), shingles: 0 };
        writer.write(&header(&recipe.signing_digest()))?;
        Ok(writer)
    }

    /// Appends the template of a group. Groups come in ascending order.
    pub(super) fn push(&mut self, group: u64, learned: &LearnedTemplate) -> Result<()> {
        let bytes: Vec<u8> = learned.template.iter().flat_map(|s| s.to_le_bytes()).collect();
        self.write(&bytes)?;
        self.shingles += learned.template.len() as u64;
        self.groups.extend(group.to_le_bytes());
        self.groups.extend((learned.template.len() as u32).to_le_bytes());
        self.groups.extend((learned.families as u32).to_le_bytes());
        Ok(())
    }

    pub(super) fn finish(mut self) -> Result<()> {
        let groups = std::mem::take(&mut self.groups);
        self.write(&groups)?;
        self.write(&((groups.len() / GROUP) as u64).to_le_bytes())?;
        self.write(&self.shingles.to_le_bytes())?;
        let checksum = self.checksum.digest().to_le_bytes();
        self.file.write(&checksum)?;
        Ok(self.file.commit()?)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.checksum.update(bytes);
        Ok(self.file.write(bytes)?)
    }
}

fn header(digest: &Digest) -> Vec<u8> {
    [&FORMAT.start()[..], &digest.0].concat()
}

/// What a file of templates holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TemplateFileInfo {
    /// Groups with a template.
    pub groups: u64,
    /// Template shingles of all of them.
    pub shingles: u64,
    /// Of the recipe's bits.
    pub signing_digest: Digest,
}

/// The templates of many groups, in a file.
pub struct TemplateFile {
    path: PathBuf,
    file: File,
    info: TemplateFileInfo,
    /// Hash, where the shingles begin, and how many, ascending.
    groups: Vec<(u64, u64, u32)>,
    cache: TemplateCache,
}

impl TemplateFile {
    /// Whether a file begins like one.
    ///
    /// # Errors
    /// If it cannot be read.
    pub fn is_at(path: impl AsRef<Path>) -> Result<bool> {
        let path = path.as_ref();
        Ok(FORMAT.is_at(path)?)
    }

    /// Opens a file, and checks all of it.
    ///
    /// # Errors
    /// If it cannot be read, is none, is of another version, or is damaged.
    pub fn open(path: impl AsRef<Path>) -> Result<Self> {
        Self::open_file(path.as_ref())
    }

    fn open_file(path: &Path) -> Result<Self> {
        let failed = |source| Error::io(path, Operation::Read, source);
        let file = File::open(path).map_err(failed)?;
        let length = file.metadata().map_err(failed)?.len();
        let corrupt = |offset: u64, expected: &str, found: &str| {
            Error::corruption(path, offset, expected, found)
        };
        let mut start = [0; HEADER];
        if length < (HEADER + END) as u64 || read_at(&file, &mut start, 0).is_err() {
            return Err(corrupt(0, "a file of templates", "other bytes"));
        }
        FORMAT.check(path, &start)?;
        let digest = Digest(*start[Format::BYTES..].first_chunk().unwrap_or(&[0; 32]));
        let mut end = [0; END];
        read_at(&file, &mut end, length - END as u64).map_err(failed)?;
        let [count, shingles, checksum] = [0, 8, 16].map(|at| double_word(&end, at));
        let body = length - (HEADER + END) as u64;
        let sizes = count.checked_mul(GROUP as u64).zip(shingles.checked_mul(8));
        if sizes.and_then(|(groups, shingles)| groups.checked_add(shingles)) != Some(body) {
            let found = format!("{count} groups and {shingles} shingles");
            return Err(corrupt(length - END as u64, "as much as there is", &found));
        }
        if checksum_of(path, length - 8)? != checksum {
            return Err(corrupt(length - 8, "the checksum of the file", "another"));
        }
        let mut bytes = vec![0; GROUP * count as usize];
        read_at(&file, &mut bytes, HEADER as u64 + 8 * shingles).map_err(failed)?;
        let mut next = 0;
        let groups = bytes.as_chunks::<GROUP>().0.iter().map(|group| {
            let (hash, count) = (double_word(group, 0), word(group, 8));
            let start = next;
            next += u64::from(count);
            (hash, start, count)
        });
        let groups: Vec<_> = groups.collect();
        if next != shingles || !groups.is_sorted_by(|a, b| a.0 < b.0) {
            let found = "other counts, or groups out of order";
            return Err(corrupt(HEADER as u64 + 8 * shingles, "the groups of the file", found));
        }
        let info = TemplateFileInfo { groups: count, shingles, signing_digest: digest };
        Ok(Self { path: path.to_owned(), file, info, groups, cache: TemplateCache::default() })
    }

    /// Opens the file of a job, whose recipe it must be of.
    ///
    /// # Errors
    /// As [`open`](Self::open), and if it was learned by another recipe.
    pub fn of_recipe(path: impl AsRef<Path>, recipe: &Recipe) -> Result<Self> {
        let file = Self::open(path)?;
        file.check_recipe(recipe)?;
        Ok(file)
    }

    /// Opens what a finished run has learned; `run` is its folder or the file.
    ///
    /// # Errors
    /// As [`open`](Self::open).
    pub fn of_run(run: impl AsRef<Path>) -> Result<Self> {
        let run = run.as_ref();
        if run.is_dir() { Self::open(Files::new(run, None).templates()) } else { Self::open(run) }
    }

    /// Checks that it was learned by this recipe.
    ///
    /// # Errors
    /// If not.
    pub fn check_recipe(&self, recipe: &Recipe) -> Result<()> {
        if self.info.signing_digest == recipe.signing_digest() {
            return Ok(());
        }
        Err(Error::corruption(
            &self.path,
            12,
            format!("the recipe {}", recipe.signing_digest()),
            self.info.signing_digest.to_string(),
        ))
    }

    /// What it holds.
    pub fn info(&self) -> TemplateFileInfo {
        self.info
    }

    /// The template of a site or of a value of the field, whichever groups go by; `None` if it has
    /// none.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn template_of(&self, name: &str) -> Result<Option<Arc<Template>>> {
        self.template(site_hash(name))
    }

    /// The template of the only group that has one; `None` if more have, or none has.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn only_template(&self) -> Result<Option<Arc<Template>>> {
        match &*self.groups {
            [(group, ..)] => self.template(*group),
            _ => Ok(None),
        }
    }

    /// The template of a group; `None` if it has none.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn template(&self, group: u64) -> Result<Option<Arc<Template>>> {
        let Ok(at) = self.groups.binary_search_by_key(&group, |group| group.0) else {
            return Ok(None);
        };
        self.cache.get(group, || self.read(at).map(Some))
    }

    /// All groups that have a template, ascending, with its shingles.
    pub fn groups(&self) -> impl Iterator<Item = Result<(u64, Vec<Shingle>)>> {
        let groups = self.groups.iter().enumerate();
        groups.map(|(at, &(group, ..))| Ok((group, self.read(at)?)))
    }

    fn read(&self, at: usize) -> Result<Vec<Shingle>> {
        let (_, start, count) = self.groups[at];
        let mut bytes = vec![0; 8 * count as usize];
        read_at(&self.file, &mut bytes, HEADER as u64 + 8 * start)
            .map_err(|source| Error::io(&self.path, Operation::Read, source))?;
        Ok(bytes.as_chunks().0.iter().map(|word| u64::from_le_bytes(*word)).collect())
    }
}

/// Of so many bytes of a file.
fn checksum_of(path: &Path, length: u64) -> Result<u64> {
    let mut checksum = Xxh3Default::new();
    File::open(path)
        .and_then(|file| io::copy(&mut file.take(length), &mut checksum))
        .map_err(|source| Error::io(path, Operation::Read, source))?;
    Ok(checksum.digest())
}

#[cfg(test)]
mod tests {
    use lookalike_files::WorkFolder;

    use super::*;

    #[test]
    fn templates_come_back_and_damage_is_found() {
        let folder = WorkFolder::create(None).unwrap();
        let path = folder.join("templates");
        let recipe = Recipe::preset("sites").unwrap();
        let mut writer = TemplateWriter::create(&path, &recipe).unwrap();
        for group in 1..50_u64 {
            let template = (0..group).map(|n| n * group + 1).collect();
            writer.push(group * 1000, &LearnedTemplate { template, families: 7 }).unwrap();
        }
        writer.finish().unwrap();
        let file = TemplateFile::of_recipe(&path, &recipe).unwrap();
        assert_eq!((file.info().groups, file.info().shingles), (49, 49 * 50 / 2));
        for _ in 0..2 {
            let template = file.template(3000).unwrap().unwrap();
            assert_eq!(template.shingles(), [1, 4, 7]);
        }
        assert!(file.template(3001).unwrap().is_none());
        assert!(TemplateFile::of_recipe(&path, &Recipe::default()).is_err());
        let whole = std::fs::read(&path).unwrap();
        for cut in [0, 10, HEADER, HEADER + END, whole.len() - 1] {
            std::fs::write(&path, &whole[..cut]).unwrap();
            assert!(TemplateFile::open(&path).is_err(), "cut at {cut}");
        }
        for at in (0..whole.len()).step_by(97).chain([whole.len() - 1, whole.len() - END]) {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            std::fs::write(&path, &damaged).unwrap();
            assert!(TemplateFile::open(&path).is_err(), "damaged at {at}");
        }
    }
}
