//! `manifest.json`: what a job was asked for, and which of its stages are complete.
//!
//! A job that goes on where another stopped must have been asked for the same.
//! What no result depends on (threads, memory, folders for working files) may
//! differ. No absolute path is stored unless the user gave one.

mod seals;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use lookalike_corpus::ReadOptions;
use lookalike_files::{ErrorKind as FileErrorKind, write_file, write_private_file};
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use crate::error::{Error, ErrorKind, Operation, Result};
use crate::files::Files;
use crate::identity::RandomBits;
use crate::observe::Stage;
use seals::Seals;

/// The version of the manifest and of all working files.
const FORMAT: u32 = 3;

/// The first version, whose jobs had no identity. Finished runs of all versions can be read.
const WITHOUT_IDENTITY: u32 = 1;

/// The options of what is written of the documents. That comes last, and a job that has not
/// finished can go on with others.
const OF_WRITING: [&str; 6] =
    ["no-write", "write", "annotate", "repeat", "weight", "write-revisits"];

/// What a job was asked for, as text: the name of an option and its value.
pub(crate) type Request = BTreeMap<String, String>;

/// What is known of a job.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Manifest {
    format: u32,
    program: String,
    /// Which job it is, and every working file says so.
    pub(crate) job: Option<RandomBits>,
    /// What results depend on.
    pub(crate) request: Request,
    pub(crate) inputs: Vec<String>,
    /// The complete stages, with what they found and how long they took.
    stages: BTreeMap<String, StageRecord>,
    /// What the files of the complete stages are.
    #[serde(default)]
    seals: Seals,
    /// Whether everything is written.
    pub(crate) finished: bool,
    /// Of the whole text, with zeros in its own place.
    #[serde(default)]
    checksum: Checksum,
    /// What documents are verified under, until everything is written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) key: Option<RandomBits>,
}

/// A checksum, as hexadecimal digits in a text that it is the checksum of.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent)]
struct Checksum(String);

impl Default for Checksum {
    fn default() -> Self {
        Self::number(0)
    }
}

impl Checksum {
    /// What stands before the digits.
    const BEFORE: &str = "\n  \"checksum\": \"";

    fn number(number: u64) -> Self {
        Self(format!("{number:016x}"))
    }

    /// Of a text that has zeros in its place.
    fn of(text: &[u8]) -> Self {
        Self::number(xxh3_64(text))
    }

    fn put_into(&self, text: &str) -> String {
        let [empty, full] = [&Self::default(), self].map(|sum| Self::BEFORE.to_owned() + &sum.0);
        text.replacen(&empty, &full, 1)
    }

    /// Fails unless it is that of the text it stands in.
    fn check(&self, path: &Path, text: &[u8]) -> Result<()> {
        let text = String::from_utf8_lossy(text);
        let [own, empty] = [self, &Self::default()].map(|sum| Self::BEFORE.to_owned() + &sum.0);
        let expected = Self::of(text.replacen(&own, &empty, 1).as_bytes()).0;
        if self.0 == expected {
            return Ok(());
        }
        Err(Error::corruption(path, 0, expected, &self.0))
    }
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct StageRecord {
    seconds: f64,
    result: serde_json::Value,
}

impl Manifest {
    /// The manifest of a job that begins.
    pub(crate) fn new(request: Request, inputs: Vec<String>) -> Result<Self> {
        let program = env!("CARGO_PKG_VERSION").to_owned();
        let stages = BTreeMap::new();
        let job = Some(RandomBits::draw()?);
        let seals = Seals::new();
        let key = Some(RandomBits::draw()?);
        let (finished, checksum) = (false, Checksum::default());
        let format = FORMAT;
        Ok(Self { format, program, job, request, inputs, stages, seals, finished, checksum, key })
    }

    /// Reads the manifest of a folder; `None` if it has none.
    pub(crate) fn read(path: &Path) -> Result<Option<Self>> {
        let bytes = match fs::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(Error::io(path, Operation::Read, error)),
        };
        let mut manifest: Self = serde_json::from_slice(&bytes)
            .map_err(|error| Error::corruption(path, 0, "a manifest", error.to_string()))?;
        let found = manifest.format;
        if !(WITHOUT_IDENTITY..=FORMAT).contains(&found) {
            let (path, known) = (path.to_owned(), FORMAT);
            return Err(lookalike_files::Error::from(FileErrorKind::Version {
                path,
                found,
                known,
            })
            .into());
        }
        if found > WITHOUT_IDENTITY {
            // Taken out: what is written next has another.
            std::mem::take(&mut manifest.checksum).check(path, &bytes)?;
        }
        if found < FORMAT && !manifest.finished {
            return Err(Error::from(ErrorKind::EarlierRun(path.to_owned())));
        }
        Ok(Some(manifest))
    }

    /// Fails with the first option that is another one than before.
    pub(crate) fn check_same(
        &self,
        path: &Path,
        request: &Request,
        inputs: &[String],
    ) -> Result<()> {
        let changed = |option: &str, before: String, now: String| {
            let (path, option) = (path.to_owned(), option.to_owned());
            Err(Error::from(ErrorKind::OtherRequest { path, option, before, now }))
        };
        if self.inputs != inputs {
            return changed("inputs", self.inputs.join(" "), inputs.join(" "));
        }
        for key in self.request.keys().chain(request.keys()) {
            if !self.finished && OF_WRITING.contains(&&**key) {
                continue;
            }
            let value = |request: &Request| request.get(key).cloned().unwrap_or_default();
            let (before, now) = (value(&self.request), value(request));
            if before != now {
                return changed(key, before, now);
            }
        }
        Ok(())
    }

    /// Whether a stage is complete.
    pub(crate) fn has_results(&self) -> bool {
        self.finished || !self.stages.is_empty()
    }

    /// An option of the request; nothing if it was not one.
    pub(crate) fn option(&self, name: &str) -> &str {
        self.request.get(name).map_or("", |value| value)
    }

    /// How the job read records.
    pub(crate) fn read_options(&self) -> ReadOptions {
        let mut read = ReadOptions::default();
        let fields = &mut read.fields;
        let names = ["text-field", "html-field", "id-field", "url-field"];
        let values = [&mut fields.text, &mut fields.html, &mut fields.id, &mut fields.url];
        for (name, field) in names.iter().zip(values) {
            self.option(name).clone_into(field);
        }
        fields.set =
            Some(self.option("set-field")).filter(|set| !set.is_empty()).map(str::to_owned);
        read
    }

    pub(crate) fn write(&self, path: &Path) -> Result<()> {
        let mut text = serde_json::to_string_pretty(self)
            .map_err(|e| Error::io(path, Operation::Write, e.into()))?;
        text.push('\n');
        let text = Checksum::of(text.as_bytes()).put_into(&text);
        let write = if self.key.is_some() { write_private_file } else { write_file };
        Ok(write(path, text.as_bytes())?)
    }

    /// What a complete stage found, and its seconds.
    pub(crate) fn stage<T: for<'a> Deserialize<'a>>(&self, stage: Stage) -> Option<(T, f64)> {
        let record = self.stages.get(stage.name())?;
        let result = serde_json::from_value(record.result.clone()).ok()?;
        Some((result, record.seconds))
    }

    /// Fails if a file of a complete stage is not what it was.
    pub(crate) fn check_files(&self, files: &Files) -> Result<()> {
        seals::check(&self.seals, files)
    }

    /// Notes that a stage is complete, and its files with it.
    pub(crate) fn complete(
        &mut self,
        stage: Stage,
        result: &impl Serialize,
        seconds: f64,
        files: &Files,
    ) -> Result<()> {
        seals::add_new(&mut self.seals, files)?;
        let result = serde_json::to_value(result).unwrap_or_default();
        self.stages.insert(stage.name().to_owned(), StageRecord { seconds, result });
        Ok(())
    }
}
