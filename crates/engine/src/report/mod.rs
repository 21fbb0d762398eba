//! The report of a job: what happened, for machines and for people.
//!
//! A [`Report`] is a plain value that the job fills. [`Report::write`] makes two
//! files of it: `report.json`, which is the value, and `report.html`, if it is
//! told how ([`Page`]). The page can be made again from the JSON
//! ([`Report::read`]). Nothing here looks at the clock or at documents. Lists are
//! bounded ([`Report::bound`]), so a page stays small after any job.

mod difference;
mod histogram;
mod passages;

use std::collections::BTreeMap;
use std::fs;
use std::io;
use std::path::Path;

use lookalike_core::filter::Filter;
use lookalike_core::text::Unit;
use lookalike_core::{Recipe, recipe};
use lookalike_corpus::PassedOverCounts;
use lookalike_files::write_file;
use serde::{Deserialize, Serialize};

use crate::error::{Error, Operation, Result};
pub use crate::known::summary::KnownKind;
use crate::mirrors::Mirror;

pub use difference::{Difference, Piece, distinctive_difference, marked_difference};
pub use histogram::Histogram;
pub(crate) use passages::Classes;
pub use passages::{CutShare, MAX_PASSAGES, Passage, PassageExample, class_end};

/// The most sources that are listed; the others are counted.
pub const MAX_SOURCES: usize = 50;
/// The most messages about skipped records.
pub const MAX_SKIPPED_EXAMPLES: usize = 100;
/// The most reasons for which records are no documents; the others are taken together.
pub const MAX_PASSED_OVER: usize = 100;
/// The most clusters that are shown.
pub const MAX_CLUSTERS: usize = 20;
/// The most members that are shown of a cluster, besides its keeper.
pub const MAX_MEMBERS: usize = 5;

/// The most documents that are listed as the most repeated.
pub const MAX_REPEATED: usize = 20;

/// The most sites that are listed.
pub const MAX_SITES: usize = 20;
/// The most mirrors that are listed.
pub const MAX_MIRRORS: usize = 20;
/// The most pages with very many addresses that are listed.
pub const MAX_TRAPS: usize = 20;
/// From so many addresses on one page of a site is listed.
pub const MANY_ADDRESSES: u64 = 50;

/// Makes a page for people of a report.
pub type Page = fn(&Report) -> String;

/// Documents that were known, and stay.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Known {
    /// How many there are.
    pub documents: u64,
    /// Documents that were removed for one of them.
    pub removed: u64,
    /// Where they come from, in the order of their places.
    pub sides: Vec<KnownSide>,
}

/// A side of known documents.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct KnownSide {
    /// As it was named.
    pub name: String,
    /// What it is.
    pub kind: KnownKind,
    /// How many documents it has.
    pub documents: u64,
}

/// What a job did.
///
/// The first fields, up to `recipe_digest`, are the contract with the readers of
/// `report.json`. The others may be missing there.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Report {
    /// Documents read, without the skipped records.
    pub documents: u64,
    /// Documents without a token. They resemble nothing and stay.
    pub empty: u64,
    /// Records that could not be read.
    pub skipped: u64,
    /// Documents removed because one with the same tokens in the same order stays.
    pub exact_removed: u64,
    /// Documents removed because a similar one stays.
    pub near_removed: u64,
    /// Documents that stay.
    pub kept: u64,
    /// Those of them that another stands for: they stay beside it, where several of a cluster are
    /// kept.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub kept_beside: u64,
    /// What went with documents, where they went by containment.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lost: Option<Lost>,
    /// Clusters of two documents or more.
    pub clusters: u64,
    /// Pairs of documents that were looked at.
    pub candidates: u64,
    /// Candidates that were accepted.
    pub pairs: u64,
    /// Bytes of input, as they are stored.
    pub bytes_read: u64,
    /// Bytes of text, unpacked and without what is around it in its file.
    #[serde(default)]
    pub text_bytes: u64,
    /// How long each stage took.
    pub seconds: Seconds,
    /// The most memory that the job held.
    pub peak_memory_bytes: u64,
    /// The digest of the whole recipe.
    pub recipe_digest: String,

    /// The known side, if there was one. None of the numbers above counts its documents, but for
    /// clusters, of which each that has a known keeper counts.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub known: Option<Known>,
    /// Rounds of the decision, each of which is a pass over all groups of documents that share a
    /// key; none where only identity sets were looked for.
    #[serde(default)]
    pub rounds: u64,
    /// The version of the program.
    #[serde(default)]
    pub version: String,
    /// Whether near-duplicates were compared with the documents that stand for them. If not, the
    /// result is open to forgery: a text can be made on purpose that has the signature of another.
    #[serde(default)]
    pub verified: bool,
    /// What the recipe says, for people.
    #[serde(default)]
    pub recipe: RecipeSummary,
    /// What the user asked for besides the recipe.
    #[serde(default)]
    pub options: Options,
    /// Points `[resemblance, chance to become a candidate]` of the filter, by resemblance; empty
    /// if the recipe has no filter.
    #[serde(default)]
    pub filter_curve: Vec<[f64; 2]>,
    /// The resemblance of the accepted pairs.
    #[serde(default)]
    pub resemblance_histogram: Histogram,
    /// The share of words that differ in the accepted pairs, where the recipe goes by it.
    #[serde(default)]
    pub difference_histogram: Option<Histogram>,
    /// The resemblance of the candidates that verification refused, if it was computed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refused_histogram: Option<Histogram>,
    /// The most similar of them, the nearest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub near_misses: Vec<NearMiss>,
    /// `[size, how many clusters have it]`, by size.
    #[serde(default)]
    pub cluster_sizes: Vec<[u64; 2]>,
    /// How often the documents that stay were found.
    #[serde(default)]
    pub counts: Counts,
    /// The sources of which most was removed, at most [`MAX_SOURCES`].
    #[serde(default)]
    pub sources: Vec<Source>,
    /// The sources that are not listed.
    #[serde(default)]
    pub other_sources: OtherSources,
    /// The sites of the documents, if any has a URL.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sites: Option<Sites>,
    /// What was learned of templates, if the recipe wants them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub templates: Option<Templates>,
    /// What was cut of documents that stay, if passages were looked for.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub passages: Option<Passages>,
    /// What was not looked at in full, if anything.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub limited: Option<LimitedGroups>,
    /// Messages about skipped records, at most [`MAX_SKIPPED_EXAMPLES`].
    #[serde(default)]
    pub skipped_examples: Vec<String>,
    /// How many records were skipped for which fault.
    #[serde(default)]
    pub skipped_by_fault: Vec<Fault>,
    /// Records that are not documents, such as the pictures of a web archive, by why they are none:
    /// at most [`MAX_PASSED_OVER`] reasons, and `other`. They count neither as documents nor as
    /// skipped.
    #[serde(default)]
    pub passed_over: BTreeMap<String, u64>,
    /// The largest clusters, at most [`MAX_CLUSTERS`].
    #[serde(default)]
    pub largest_clusters: Vec<Cluster>,
    /// Whatever else the user should know, a sentence or two each.
    #[serde(default)]
    pub notes: Vec<String>,
    /// The documents that were written, `all` or `removed`; nothing if those that stay.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written: Option<String>,
}

/// What went with documents that were contained in others, near enough.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Lost {
    /// The share of a document's shingles that need not be in its keeper.
    pub share: f64,
    /// Shingles of the documents that went for one that is not their copy; 0 if it was decided from
    /// stored pairs, which tell shares only.
    pub shingles: u64,
    /// Those of them that are not in the keeper of their document.
    pub shingles_lost: u64,
}

/// What was learned of templates.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Templates {
    /// Whose: `by-site` or `by-field:NAME`.
    pub by: String,
    /// Sites, or values of the field.
    pub groups: u64,
    /// Those of them that have a template.
    pub groups_with_template: u64,
    /// Template shingles of all of them.
    pub shingles: u64,
    /// Documents that were learned from.
    pub sampled: u64,
}

/// What was cut of documents that stay.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Passages {
    /// What counted as a passage, and how it was cut.
    pub rule: String,
    /// Whether no document was compared with another as a whole.
    pub alone: bool,
    /// Whether nothing was cut, and what would be stands in a field of each record.
    pub annotated: bool,
    /// Words of the documents that were looked at.
    pub words: u64,
    /// Those of them that were cut: they stand elsewhere in what is kept.
    pub words_cut: u64,
    /// Cuts: the rows of `passages.parquet`, without those of documents that stay as they are.
    pub cuts: u64,
    /// Documents that stay without what was cut of them.
    pub documents: u64,
    /// Documents that go, since fewer words were left of them than was asked for.
    pub documents_gone: u64,
    /// The words that went with them and may stand nowhere else.
    pub words_lost: u64,
    /// Passages: places of documents that stay, whose words were cut elsewhere.
    pub passages: u64,
    /// `[words, cuts of so many, or somewhat more]`, as [`class_end`] has it.
    pub lengths: Vec<[u64; 2]>,
    /// `[copies, cuts whose words stand so often, or somewhat more often]`, likewise.
    pub copies: Vec<[u64; 2]>,
    /// The sources of which most words were cut, at most [`MAX_SOURCES`].
    pub sources: Vec<CutShare>,
    /// The sites of which most words were cut, at most [`MAX_SITES`].
    pub sites: Vec<CutShare>,
    /// The passages with most copies, at most [`MAX_PASSAGES`]; of those that overlap one.
    pub most_copies: Vec<Passage>,
}

/// How often the documents that stay were found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Counts {
    /// What a source is: `site` (the input file, where a document has none), `file`, or
    /// `field:NAME`.
    pub by: String,
    /// The field with the date, if one was named.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub date_field: Option<String>,
    /// `[copies, how many documents that stay stand for so many]`, by copies: 1 is a document that
    /// stands for itself alone.
    pub copies: Vec<[u64; 2]>,
    /// `[sources, how many of those that stand for others have so many]`, by sources.
    pub sources: Vec<[u64; 2]>,
    /// Those of most copies, at most [`MAX_REPEATED`].
    pub most_repeated: Vec<Repeated>,
}

/// A document that stays, and how often it was found.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Repeated {
    /// Its id.
    pub id: String,
    /// Its URL, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// Documents that it stands for, itself included.
    pub copies: u64,
    /// Those of them that have the same tokens in the same order.
    pub exact_copies: u64,
    /// The different sources of them.
    pub sources: u64,
    /// Their first date, if any has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub first: Option<String>,
    /// Their last date.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub last: Option<String>,
}

/// How long each stage took, in seconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Seconds {
    /// Learning templates; 0 where there was nothing to learn.
    pub learn: f64,
    /// Reading documents and signing them.
    pub sign: f64,
    /// Finding identity sets.
    pub group: f64,
    /// Finding candidates.
    pub r#match: f64,
    /// Judging candidates.
    pub verify: f64,
    /// Deciding who stays.
    pub decide: f64,
    /// Finding passages; 0 where none were looked for.
    pub passages: f64,
    /// Writing the results.
    pub write: f64,
    /// All of it, with what lies between the stages.
    pub total: f64,
}

impl Seconds {
    /// The stages in their order, by name.
    pub fn stages(&self) -> [(&'static str, f64); 8] {
        [
            ("learn", self.learn),
            ("sign", self.sign),
            ("group", self.group),
            ("match", self.r#match),
            ("verify", self.verify),
            ("decide", self.decide),
            ("passages", self.passages),
            ("write", self.write),
        ]
    }
}

/// What the page says of a recipe.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct RecipeSummary {
    /// What people call it.
    pub name: String,
    /// The least resemblance of a pair.
    pub threshold: f64,
    /// What makes a candidate a pair.
    pub verify: Verify,
    /// What a token is.
    pub tokens: Tokens,
    /// The filter, if there is one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub filter: Option<FilterSummary>,
    /// The share of pairs at exactly the threshold that the filter finds, if it alone makes
    /// candidates.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub recall: Option<f64>,
}

/// Two documents that are nearly look-alikes.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct NearMiss {
    /// The id of the first.
    pub a: String,
    /// The id of the second.
    pub b: String,
    /// Their resemblance, below the threshold.
    pub resemblance: f64,
}

/// `k` features of `s` minvalues, `r` of which a candidate has in common.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilterSummary {
    /// Features.
    pub k: u32,
    /// Minvalues in a feature.
    pub s: u32,
    /// Features in common.
    pub r: u32,
}

impl From<&Recipe> for RecipeSummary {
    fn from(recipe: &Recipe) -> Self {
        let filter = |f: Filter| FilterSummary { k: f.k(), s: f.s(), r: f.r() };
        Self {
            name: recipe.name.clone(),
            threshold: recipe.threshold,
            verify: recipe.verify.into(),
            tokens: recipe.tokens.into(),
            filter: recipe.features.map(filter),
            recall: recipe.recall(),
        }
    }
}

/// What makes a candidate a pair.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Verify {
    /// The exact resemblance, from the documents.
    #[default]
    Exact,
    /// The resemblance estimated from the sketches.
    Estimate,
    /// The share of words that differ, from the documents.
    Difference,
    /// Being a candidate.
    None,
}

impl From<recipe::Verify> for Verify {
    fn from(verify: recipe::Verify) -> Self {
        match verify {
            recipe::Verify::Exact => Self::Exact,
            recipe::Verify::Estimate => Self::Estimate,
            recipe::Verify::Difference => Self::Difference,
            recipe::Verify::None => Self::None,
        }
    }
}

/// What a token is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Tokens {
    /// A word, or a character of a script without spaces.
    #[default]
    Words,
    /// A character.
    Characters,
    /// A line.
    Lines,
    /// A sentence.
    Sentences,
    /// A paragraph.
    Paragraphs,
    /// An item of a set.
    Items,
}

impl Tokens {
    /// One of them.
    pub fn singular(self) -> &'static str {
        match self {
            Self::Words => "word",
            Self::Characters => "character",
            Self::Lines => "line",
            Self::Sentences => "sentence",
            Self::Paragraphs => "paragraph",
            Self::Items => "item",
        }
    }
}

impl From<Unit> for Tokens {
    fn from(unit: Unit) -> Self {
        match unit {
            Unit::Words => Self::Words,
            Unit::Characters => Self::Characters,
            Unit::Lines => Self::Lines,
            Unit::Sentences => Self::Sentences,
            Unit::Paragraphs => Self::Paragraphs,
            Unit::Items => Self::Items,
        }
    }
}

/// What the user asked for besides the recipe.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
#[non_exhaustive]
pub struct Options {
    /// Which document of several stays, as it was asked for: `longest`.
    pub keep: String,
    /// How many documents of a cluster stay.
    pub keep_count: u64,
    /// How pairs become clusters.
    pub cluster: Clustering,
    /// Which pairs were looked for: `needed` or `all`.
    pub pairs: String,
    /// The memory that the job was allowed to use.
    pub memory_bytes: u64,
    /// The threads that worked.
    pub threads: u64,
}

/// How pairs become clusters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Clustering {
    /// A document goes only if it has a pair with one that stays.
    #[default]
    Anchored,
    /// Whatever pairs connect is one cluster.
    Components,
}

/// A file, or another place that documents came from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Source {
    /// What it is called.
    pub name: String,
    /// Its documents.
    pub documents: u64,
    /// Those of them that were removed.
    pub removed: u64,
    /// Its records that could not be read.
    pub skipped: u64,
}

/// The sources that are not listed, taken together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OtherSources {
    /// How many there are.
    pub sources: u64,
    /// Their documents.
    pub documents: u64,
    /// Those of them that were removed.
    pub removed: u64,
    /// Their records that could not be read.
    pub skipped: u64,
}

/// The sites of documents with URLs.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Sites {
    /// What a site is: `label` or `public-suffix`, as in recipes.
    pub rule: String,
    /// How many there are.
    pub sites: u64,
    /// Documents with a URL that has a host.
    pub documents: u64,
    /// The pairs that are listed whose documents are of one site.
    pub pairs_within: u64,
    /// Those whose documents are of two sites. In the others, one has no URL.
    pub pairs_across: u64,
    /// The sites of which most was removed, at most [`MAX_SITES`].
    pub most_removed: Vec<Site>,
    /// Identity sets of so many documents that not all of their pairs were looked at for mirrors.
    pub limited_sets: u64,
    /// How many pairs of hosts or folders replicate each other, as far as the run's pairs show.
    pub mirrors_found: u64,
    /// The largest of them, at most [`MAX_MIRRORS`].
    pub mirrors: Vec<Mirror>,
    /// Pages with [`MANY_ADDRESSES`] or more on one site, at most [`MAX_TRAPS`].
    #[serde(default)]
    pub traps: Vec<Trap>,
}

/// A page that stands under very many addresses of its site, as traps for robots do.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Trap {
    /// The site.
    pub site: String,
    /// Different addresses of look-alikes of one document.
    pub addresses: u64,
    /// What they have in common, a star where they differ; made from at most 1,000 of them.
    pub pattern: String,
    /// Some of them.
    pub examples: Vec<String>,
}

/// A site.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Site {
    /// Its name.
    pub name: String,
    /// Its documents.
    pub documents: u64,
    /// Those of them that were removed.
    pub removed: u64,
    /// The share that was removed.
    pub share: f64,
}

/// Groups of documents that were too large to be looked at in full.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct LimitedGroups {
    /// How many groups.
    pub groups: u64,
    /// Documents in them.
    pub documents: u64,
    /// Documents in the largest one.
    pub largest_group: u64,
    /// The size up to which a group is looked at in full.
    pub limit: u64,
    /// What was done instead, and what may have been missed: whole sentences.
    pub consequence: String,
}

/// How often a fault made a record unreadable.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fault {
    /// What was wrong.
    pub fault: String,
    /// Records.
    pub records: u64,
}

/// A cluster, and what its members look like.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Cluster {
    /// Documents in it, with the keeper.
    pub size: u64,
    /// The id of the document that stays.
    pub keeper: String,
    /// Its URL, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub keeper_url: Option<String>,
    /// Some of the others, at most [`MAX_MEMBERS`].
    pub members: Vec<Member>,
    /// What differs between the keeper and one of the members.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub difference: Option<Difference>,
}

/// A document that another stands for.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Member {
    /// Its id.
    pub id: String,
    /// Its URL, if it has one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub url: Option<String>,
    /// How it resembles the keeper.
    pub kind: Kind,
    /// How much, if that is known.
    pub resemblance: Option<f64>,
    /// Whether it stays beside the keeper.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub kept: bool,
}

/// How a document resembles its keeper.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Kind {
    /// The same tokens in the same order.
    Exact,
    /// Similar.
    Near,
}

impl Kind {
    /// Its name in tables.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Exact => "exact",
            Self::Near => "near",
        }
    }

    /// The kind of this number, in a file.
    pub(crate) const fn numbered(number: u8) -> Self {
        if number == Self::Exact as u8 { Self::Exact } else { Self::Near }
    }
}

impl Report {
    /// The documents that were removed.
    pub fn removed(&self) -> u64 {
        self.exact_removed.saturating_add(self.near_removed)
    }

    /// The records that are not documents.
    pub fn records_passed_over(&self) -> u64 {
        self.passed_over.values().fold(0, |sum, &count| sum.saturating_add(count))
    }

    /// Lists the sources of which most was removed and sums up the others.
    pub fn set_sources(&mut self, mut sources: Vec<Source>) {
        sources.sort_by(|a, b| b.removed.cmp(&a.removed).then_with(|| a.name.cmp(&b.name)));
        let mut others = OtherSources::default();
        for source in sources.drain(MAX_SOURCES.min(sources.len())..) {
            others.sources += 1;
            others.documents = others.documents.saturating_add(source.documents);
            others.removed = others.removed.saturating_add(source.removed);
            others.skipped = others.skipped.saturating_add(source.skipped);
        }
        (self.sources, self.other_sources) = (sources, others);
    }

    /// Cuts every list to its limit. [`write`](Self::write) does it by itself.
    pub fn bound(&mut self) {
        if self.sources.len() > MAX_SOURCES {
            let sources = std::mem::take(&mut self.sources);
            self.set_sources(sources);
        }
        if let Some(sites) = &mut self.sites {
            sites.most_removed.truncate(MAX_SITES);
            sites.mirrors.truncate(MAX_MIRRORS);
            sites.traps.truncate(MAX_TRAPS);
        }
        self.skipped_examples.truncate(MAX_SKIPPED_EXAMPLES);
        // One more is those that are taken together.
        if self.passed_over.len() > MAX_PASSED_OVER + 1 {
            let passed_over = PassedOverCounts::from(std::mem::take(&mut self.passed_over));
            self.passed_over = passed_over.most_frequent(MAX_PASSED_OVER);
        }
        self.counts.most_repeated.truncate(MAX_REPEATED);
        if let Some(passages) = &mut self.passages {
            passages.sources.truncate(MAX_SOURCES);
            passages.sites.truncate(MAX_SITES);
            passages.most_copies.truncate(MAX_PASSAGES);
        }
        self.largest_clusters.truncate(MAX_CLUSTERS);
        for cluster in &mut self.largest_clusters {
            cluster.members.truncate(MAX_MEMBERS);
        }
    }

    /// Writes `report.json` and, if there is a way to make it, `report.html` into `folder`, in
    /// place of older ones. Each appears when it is complete.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn write(&self, folder: impl AsRef<Path>, page: Option<Page>) -> Result<()> {
        let folder = folder.as_ref();
        let mut report = self.clone();
        report.bound();
        let path = folder.join("report.json");
        write_file(&path, &json(&path, &report)?)?;
        if let Some(page) = page {
            write_file(&folder.join("report.html"), page(&report).as_bytes())?;
        }
        Ok(())
    }

    /// Reads a `report.json`.
    ///
    /// # Errors
    /// If the file cannot be read, or is no report.
    pub fn read(path: impl AsRef<Path>) -> Result<Self> {
        let path = path.as_ref();
        let bytes = fs::read(path).map_err(|source| Error::io(path, Operation::Read, source))?;
        serde_json::from_slice(&bytes).map_err(|fault| {
            let lines_before = bytes.split_inclusive(|&b| b == b'\n').take(fault.line().max(1) - 1);
            let offset =
                lines_before.map(<[u8]>::len).sum::<usize>() + fault.column().saturating_sub(1);
            Error::corruption(path, offset as u64, "the JSON of a report", fault.to_string())
        })
    }
}

/// Whether a number is left out of JSON where it is usually none.
#[expect(clippy::trivially_copy_pass_by_ref, reason = "so serde asks")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// A value as the JSON that a file has.
///
/// # Errors
/// If it has none, as if the file could not be written.
pub fn json(path: &Path, value: &impl Serialize) -> Result<Vec<u8>> {
    let mut json = serde_json::to_vec_pretty(value)
        .map_err(|fault| Error::io(path, Operation::Write, io::Error::from(fault)))?;
    json.push(b'\n');
    Ok(json)
}
