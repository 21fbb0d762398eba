//! The file that makes a folder an index: its recipe, and what else never changes.

use std::fs::File;
use std::io::Read as _;
use std::path::Path;

use lookalike_core::recipe::SecretSeed;
use lookalike_core::{Recipe, VerificationKey};
use lookalike_files::{checksum, double_word, word, write_private_file};
use sha2::{Digest as _, Sha256};

use crate::error::{Error, ErrorKind, Operation, Result};
use crate::tools::Verification;

const MAGIC: [u8; 8] = *b"LOOKINDX";
const FORMAT_VERSION: u32 = 4;
/// The third version, which does not count what it turns away.
const WITHOUT_COUNTS: u32 = 3;
/// The first version, without a verification key.
const WITHOUT_KEY: u32 = 1;
/// The second, whose documents cannot be found by their URLs.
const WITHOUT_URLS: u32 = 2;
/// Bytes of the key, between the check value and the length of the recipe.
const KEY: usize = 16;
/// Bytes of the number since which the index counts, after the key.
const SINCE: usize = 8;
/// The longest recipe; those that we write have less than a kilobyte and a name.
const MAX_RECIPE: usize = 64 << 10;
/// Bytes before the recipe, but for the key and what follows it: magic, version, flags, the secret's
/// check value, length.
const START: usize = 8 + 4 + 4 + 32 + 4;

const STORES_TEXT: u32 = 1;
const HAS_SECRET: u32 = 2;
/// From the fourth version on, which one of an earlier version becomes.
const HAS_KEY: u32 = 4;
const HAS_URL_KEYS: u32 = 8;

/// A secret from which an index draws its random choices, so that nobody without it can make
/// documents that look alike to the index only, or that it takes for others.
///
/// It is not stored.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(pub [u8; 32]);

impl std::fmt::Debug for Secret {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Secret(..)")
    }
}

impl Secret {
    /// The least bytes of a file that is taken for one.
    const MIN_BYTES: usize = 16;
    /// And the most: whoever names another file by mistake is told.
    const MAX_BYTES: u64 = 1 << 20;

    /// The secret that a file makes, whatever is in it; an end of line at its end is left out.
    ///
    /// # Errors
    /// If the file cannot be read, or is too short to be a secret.
    pub fn from_file(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let mut bytes = Vec::new();
        File::open(path)
            .and_then(|file| file.take(Self::MAX_BYTES + 1).read_to_end(&mut bytes))
            .map_err(|error| Error::io(path, Operation::Read, error))?;
        let bytes = bytes.strip_suffix(b"\n").unwrap_or(&bytes);
        let bytes = bytes.strip_suffix(b"\r").unwrap_or(bytes);
        if bytes.len() < Self::MIN_BYTES || bytes.len() as u64 > Self::MAX_BYTES {
            return Err(Error::from(ErrorKind::NoSecret(path.to_owned())));
        }
        Ok(Self(Sha256::digest(bytes).into()))
    }
}

/// What never changes, but that an index of an earlier version begins to count.
#[derive(Clone, Debug)]
pub(crate) struct Header {
    /// As it was given; its seed is not the one that is used if there is a secret.
    pub(crate) recipe: Recipe,
    pub(crate) store_text: bool,
    check_value: Option<[u8; 32]>,
    /// None in the first version.
    key: Option<VerificationKey>,
    /// Whether URLs are keys of postings; not in the first two versions.
    pub(crate) has_url_keys: bool,
    /// Since which document the index counts; not in the first three versions.
    pub(crate) counts_since: Option<u64>,
}

impl Header {
    pub(crate) fn new(recipe: &Recipe, store_text: bool, secret: Option<&Secret>) -> Self {
        Self {
            recipe: recipe.clone(),
            store_text,
            check_value: secret.map(|secret| SecretSeed::new(&secret.0).check_value()),
            key: Some(VerificationKey::random()),
            has_url_keys: true,
            counts_since: Some(0),
        }
    }

    /// The same of an index that counts since this document.
    pub(crate) fn counting_since(&self, since: Option<u64>) -> Self {
        Self { counts_since: since, ..self.clone() }
    }

    /// What ids are hashed with; nothing where there is no key, and then 128 bits of SHA-256 do.
    pub(crate) fn secret(&self) -> [u8; KEY] {
        self.key.as_ref().map(VerificationKey::to_bytes).unwrap_or_default()
    }

    /// What documents are verified under.
    pub(crate) fn verification(&self) -> Verification {
        let key = self.key.clone().unwrap_or_else(VerificationKey::random);
        Verification { key, is_kept: self.key.is_some() }
    }

    /// The recipe that signs.
    pub(crate) fn signing_recipe(&self, index: &Path, secret: Option<&Secret>) -> Result<Recipe> {
        match (self.check_value, secret) {
            (None, None) => Ok(self.recipe.clone()),
            (Some(_), None) => Err(Error::from(ErrorKind::SecretMissing(index.to_owned()))),
            (Some(check), Some(secret)) if check == SecretSeed::new(&secret.0).check_value() => {
                Ok(self.recipe.clone().with_secret(&secret.0)?)
            }
            _ => Err(Error::from(ErrorKind::SecretWrong(index.to_owned()))),
        }
    }

    pub(crate) fn write(&self, path: &Path) -> Result<()> {
        let toml = self.recipe.to_toml();
        let mut bytes = Vec::with_capacity(START + KEY + SINCE + toml.len() + 8);
        bytes.extend(MAGIC);
        let version = match (self.counts_since, &self.key, self.has_url_keys) {
            (Some(_), ..) => FORMAT_VERSION,
            (None, None, _) => WITHOUT_KEY,
            (None, Some(_), false) => WITHOUT_URLS,
            (None, Some(_), true) => WITHOUT_COUNTS,
        };
        bytes.extend(version.to_le_bytes());
        let flag = |is_set: bool, flag: u32| if is_set { flag } else { 0 };
        let mut flags = flag(self.store_text, STORES_TEXT);
        flags |= flag(self.check_value.is_some(), HAS_SECRET);
        if version == FORMAT_VERSION {
            flags |= flag(self.key.is_some(), HAS_KEY) | flag(self.has_url_keys, HAS_URL_KEYS);
        }
        bytes.extend(flags.to_le_bytes());
        bytes.extend(self.check_value.unwrap_or_default());
        match self.counts_since {
            Some(since) => {
                bytes.extend(self.secret());
                bytes.extend(since.to_le_bytes());
            }
            None => bytes.extend(self.key.iter().flat_map(VerificationKey::to_bytes)),
        }
        bytes.extend((toml.len() as u32).to_le_bytes());
        bytes.extend(toml.as_bytes());
        bytes.extend(checksum(&bytes));
        Ok(write_private_file(path, &bytes)?)
    }

    /// Reads it; `index` is the folder that users know.
    pub(crate) fn read(path: &Path, index: &Path) -> Result<Self> {
        let bytes = match std::fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Err(Error::from(ErrorKind::NoIndex(index.to_owned())));
            }
            Err(error) => return Err(Error::io(path, Operation::Read, error)),
        };
        let damaged = |fault: &str| Error::corruption(path, fault);
        if bytes.get(..8) != Some(&MAGIC[..]) {
            return Err(damaged("its first bytes are not those of an index"));
        }
        let version = word(&bytes, 8);
        let start = match version {
            WITHOUT_KEY => START,
            WITHOUT_URLS | WITHOUT_COUNTS => START + KEY,
            FORMAT_VERSION => START + KEY + SINCE,
            found => {
                let (path, known) = (path.to_owned(), FORMAT_VERSION);
                return Err(Error::from(ErrorKind::Version { path, found, known }));
            }
        };
        let length = word(&bytes, start - 4) as usize;
        if length > MAX_RECIPE || bytes.len() != start + length + 8 {
            return Err(damaged("is shorter or longer than it says"));
        }
        let (body, found) = bytes.split_at(start + length);
        if checksum(body) != found {
            return Err(damaged("has a wrong checksum"));
        }
        let toml = std::str::from_utf8(&body[start..]);
        let toml = toml.map_err(|_| damaged("its recipe is not in UTF-8"))?;
        let recipe = Recipe::from_toml(toml)?;
        let flags = word(&bytes, 12);
        let check_value = body.get(16..).and_then(<[u8]>::first_chunk::<32>).copied();
        let check_value = check_value.filter(|_| flags & HAS_SECRET != 0);
        let key = body.get(START - 4..start - 4).and_then(<[u8]>::first_chunk);
        let key = key.map(|bytes| VerificationKey::from_bytes(*bytes));
        let store_text = flags & STORES_TEXT != 0;
        if version != FORMAT_VERSION {
            let has_url_keys = version == WITHOUT_COUNTS;
            let counts_since = None;
            return Ok(Self { recipe, store_text, check_value, key, has_url_keys, counts_since });
        }
        let key = key.filter(|_| flags & HAS_KEY != 0);
        let (has_url_keys, counts_since) =
            (flags & HAS_URL_KEYS != 0, Some(double_word(body, START - 4 + KEY)));
        Ok(Self { recipe, store_text, check_value, key, has_url_keys, counts_since })
    }
}
