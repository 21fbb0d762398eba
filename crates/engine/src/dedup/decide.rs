//! Another decision from a finished run.
//!
//! No document is signed again: signatures and sources are those of the run, and its
//! identity sets are grouped again in the order of the new policy. If the run
//! stored all pairs that the new decision can need, these are judged by their
//! scores, and a stored pair holds for all documents of the two identity sets
//! that it is between. Else the stages from matching on follow as in the job
//! itself: what two documents have in common is read from the inputs again.
//! Either way the decision is that of a new run with the same filter; only one
//! that was asked to be approximate takes what pairs there are.

use std::fs;
use std::path::{Path, PathBuf};

use lookalike_core::recipe::{Candidates, Verify};
use lookalike_core::{Evidence, Kernel, Recipe, setters};
use lookalike_corpus::Format;
use lookalike_files::{AtomicFile, Existing, RowsWriter};

use super::budget::RemovalBudget;
use super::job::{Job, learned_by};
use super::options::{Dedup, PairScope, Removes};
use super::sites::write_sites;
use crate::attributes::FieldQuestions;
use crate::components::Components;
use crate::document_set::RowSet;
use crate::error::{Error, ErrorKind, Operation, Result};
use crate::identity_sets::{Copies, CopyOf};
use crate::keep::KeepPolicy;
use crate::manifest::Request;
use crate::matching::{Clustering, Clusters, Pair, PairClusterTask, cluster_pairs};
use crate::numbers::{count, grouped};
use crate::observe::{NoObserver, Observer, Stage, Work};
use crate::order::Order;
use crate::places::{Place, Row};
use crate::rank::Ranking;
use crate::report::{Kind, Page, Report};
use crate::run::Run;
use crate::scores::ScoredPair;
use crate::sign::{IDENTITIES, IDENTITY, SigningSummary};
use crate::sources::SourceTable;
use crate::stages::Judgement;
use crate::verify::Refusals;
use crate::write::{Repeats, Unreadable, Written};

/// What a decision is made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Basis {
    /// Stored pairs, which are all that it can need.
    AllPairs,
    /// Stored pairs, whatever they are.
    NeededPairs,
    /// The documents.
    Documents,
}

/// Another decision from a finished run: a higher threshold, another policy, another way to
/// cluster. What is not said is as in the run.
///
/// ```no_run
/// use lookalike_engine::{Decide, KeepPolicy};
///
/// let report = Decide::new("clean")
///     .threshold(0.9)
///     .keep(KeepPolicy::Longest)
///     .run("stricter")?;
/// println!("{} of {} documents stay", report.kept, report.documents);
/// # Ok::<(), lookalike_engine::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Decide {
    run: PathBuf,
    threshold: Option<f64>,
    lost: Option<f64>,
    keep: Option<KeepPolicy>,
    keep_count: Option<u32>,
    clustering: Option<Clustering>,
    /// Whether the stored pairs are enough, whatever they are.
    approximate: bool,
    /// All else that a job can be told.
    job: Dedup,
}

impl Decide {
    /// From the folder of a finished run.
    pub fn new(run: impl Into<PathBuf>) -> Self {
        let (threshold, lost, keep, keep_count, clustering) = (None, None, None, None, None);
        let (run, approximate, job) = (run.into(), false, Dedup::new(Vec::<String>::new()));
        Self { run, threshold, lost, keep, keep_count, clustering, approximate, job }
    }

    /// The stored pairs are enough, also if they are only those that the run's own decision needed:
    /// quick, and no input is read for it, but more documents may stay than after a new run. A
    /// note of the report says how many might.
    #[must_use]
    pub fn approximate(mut self) -> Self {
        self.approximate = true;
        self
    }

    setters! {
        /// The least resemblance of two look-alikes; not below the run's.
        threshold: f64 => threshold = Some(threshold);
        /// The share of a document that may be lost, as [`Dedup::lost`]; also for a run that went by
        /// resemblance.
        lost: f64 => lost = Some(lost);
        /// Which of several look-alikes stays.
        keep: KeepPolicy => keep = Some(keep);
        /// How many documents of a cluster stay, as [`Dedup::keep_count`].
        keep_count: u32 => keep_count = Some(keep_count);
        /// How pairs become clusters.
        clustering: Clustering => clustering = Some(clustering);
        /// The field whose distinct values are the sources of a cluster.
        count: impl Into<String> => job.counted = Some(count.into());
        /// The field with the date of a document.
        date_field: impl Into<String> => job.dated = Some(date_field.into());
        /// How much may be removed.
        removal_budget: RemovalBudget => job.budget = removal_budget;
        /// The kernel; no result depends on it.
        kernel: Kernel => job.running.kernel = kernel;
        /// The memory that may be used, in bytes; no result depends on it.
        memory: u64 => job.running.memory = memory;
        /// The threads that work; no result depends on their number.
        threads: usize => job.running.threads = threads.max(1);
        /// The folder for working files; else they are below the results.
        temp: impl Into<PathBuf> => job.running.temp = Some(temp.into());
        /// Goes on with a decision that stopped, if there is one.
        resume => job.resume = true;
        /// Only the decision is written, and not the survivors.
        without_survivors => job.writing.documents = Written::Nothing;
        /// Which documents are written again; those that stay unless told otherwise.
        write: Written => job.writing.documents = write;
        /// As [`Dedup::annotate`].
        annotate => job.writing.annotates = true;
        /// As [`Dedup::annotate_as`].
        annotate_as: impl Into<String> => job.writing.name = annotate_as.into();
        /// As [`Dedup::repeat`].
        repeat: Repeats => job.writing.repeats = Some(repeat);
        /// As [`Dedup::weigh`].
        weigh => job.writing.weighs = true;
        /// As [`Dedup::write_revisits`].
        write_revisits => job.writing.revisits = true;
        /// What makes `report.html` of the report; there is none unless told otherwise.
        page: Page => job.page = Some(page);
    }

    /// Decides, and leaves the results in `out`.
    ///
    /// # Errors
    /// If there is no finished run, the threshold is below the run's, an input that is needed is
    /// not what was signed any more, or as [`Dedup::run`].
    pub fn run(&self, out: impl AsRef<Path>) -> Result<Report> {
        self.run_in(out.as_ref(), &NoObserver)
    }

    /// As [`run`](Self::run), watched by an observer.
    ///
    /// # Errors
    /// As [`run`](Self::run), and if the observer stops it.
    pub fn run_observed(&self, out: impl AsRef<Path>, observer: &dyn Observer) -> Result<Report> {
        self.run_in(out.as_ref(), observer)
    }

    fn run_in(&self, out: &Path, observer: &dyn Observer) -> Result<Report> {
        let run = Run::open(&self.run)?;
        let options = self.options(&run)?;
        options.check()?;
        if options.writing.repeats() {
            for number in 0..run.sources().len() {
                options.writing.check_source(&run.sources().get(number)?.source)?;
            }
        }
        let basis = self.basis(&run, &options)?;
        let reads_documents = basis == Basis::Documents
            && (options.recipe.reads_documents() || options.recipe.projects_when_needed());
        if options.writing.documents != Written::Nothing
            || reads_documents
            || still_asked(&run, &options).fields().next().is_some()
        {
            run.sources().check_unchanged()?;
        }
        let mut request = options.request();
        request.insert("decided-from".to_owned(), self.run.display().to_string());
        let known = run.manifest.option("known");
        if !known.is_empty() {
            if options.clustering == Clustering::Components {
                return Err(Error::from(ErrorKind::KnownComponents));
            }
            request.insert("known".to_owned(), known.to_owned());
        }
        if basis == Basis::NeededPairs {
            request.insert("approximate".to_owned(), "true".to_owned());
        }
        self.decide(&run, &options, basis, request, out, observer)
    }

    /// What the decision can be made from.
    fn basis(&self, run: &Run, options: &Dedup) -> Result<Basis> {
        let manifest = &run.manifest;
        let is_as_before = options.recipe.threshold.to_bits() == run.recipe().threshold.to_bits()
            && manifest.option("keep") == options.policy().to_string()
            && manifest.option("lost")
                == options.lost.map_or(String::new(), |lost| lost.to_string())
            && manifest.option("cluster") == options.clustering.name();
        // Pairs of containment are stored in one direction, and those of resemblance are not all there are.
        let all_pairs = options.pairs == PairScope::All && options.lost.is_none();
        if options.removes != Removes::Near || all_pairs || is_as_before {
            return Ok(Basis::AllPairs);
        }
        if self.approximate {
            return Ok(Basis::NeededPairs);
        }
        // What was learned is there, but not the words that it was learned from.
        if options.recipe.templates.are_learned() {
            let mut pairs = 0;
            run.for_each_pair(None, |pair| {
                pairs += u64::from(pair.kind == Kind::Near);
                Ok(())
            })?;
            let judged: Option<(Judgement, f64)> = run.manifest.stage(Stage::Decide);
            let candidates = judged.map_or(0, |(judged, _)| judged.candidates);
            let path = self.run.clone();
            return Err(Error::from(ErrorKind::PairsNotStored { path, pairs, candidates }));
        }
        Ok(Basis::Documents)
    }

    fn decide(
        &self,
        run: &Run,
        options: &Dedup,
        basis: Basis,
        request: Request,
        out: &Path,
        observer: &dyn Observer,
    ) -> Result<Report> {
        let mut job = Job::begin(options, request, out, observer)?;
        if job.manifest.finished {
            job.remove_work();
            return Report::read(out.join("report.json"));
        }
        let signed: SigningSummary = job.stage(Stage::Sign, |job| job.carry_over(run))?;
        job.budget = job.working_bytes(signed.sides())?;
        let order = job.order(&signed)?;
        let _: u64 = job.stage(Stage::Group, |job| job.group(&order))?;
        let copies = Copies::open(&job.files.copies())?;
        let judged = match basis {
            Basis::Documents => job.judge(&signed, &order, &copies)?,
            Basis::AllPairs | Basis::NeededPairs => {
                job.stage(Stage::Decide, |job| job.decide_from(run, &order, &copies))?
            }
        };
        if basis == Basis::NeededPairs {
            let returned = job.count_returned(run, &order)?;
            job.notes.push(format!(
                "Approximate: decided from the {} that the decision of `{}` needed. {} here that \
                 went there, and others that have no stored pair, might have look-alikes that were \
                 not compared: more documents may stay than after a new run, or after `decide` \
                 without --approximate. All that go have a stored pair.",
                count(judged.candidates, "near pair"),
                self.run.display(),
                match returned {
                    1 => "1 document stays".to_owned(),
                    returned => format!("{} documents stay", grouped(returned)),
                },
            ));
        }
        job.learned = learned_by(&run.manifest);
        job.finish(&signed, &judged, &order, &copies)
    }

    /// What a job would be asked for that decides this way.
    fn options(&self, run: &Run) -> Result<Dedup> {
        let manifest = &run.manifest;
        let mut options = self.job.clone();
        options.inputs.clone_from(&manifest.inputs);
        options.running.format = Format::named(manifest.option("format"));
        options.running.read = manifest.read_options();
        if !manifest.option("passages").is_empty() {
            return Err(Error::from(ErrorKind::PassagesWereCut(run.files.out.clone())));
        }
        if manifest.option("exact-only") == "true" {
            options.removes = Removes::Exact;
        }
        options.running.strict = manifest.option("strict") == "true";
        if manifest.option("drop-unreadable") == "true" {
            options.unreadable = Unreadable::Dropped;
        }
        options.pairs = match manifest.option("pairs") {
            "all" => PairScope::All,
            _ => PairScope::Needed,
        };
        let unknown = |option: &str| {
            let found = format!("`{}`", manifest.option(option));
            Error::corruption(&run.files.manifest(), 0, format!("a known `{option}`"), found)
        };
        let lost = manifest.option("lost");
        let lost =
            (!lost.is_empty()).then(|| lost.parse().map_err(|_| unknown("lost"))).transpose()?;
        options.keep = match &self.keep {
            Some(keep) => Some(keep.clone()),
            // Who goes by containment has a policy of its own.
            None if self.lost.is_some() && lost.is_none() => None,
            None => Some(manifest.option("keep").parse().map_err(|_| unknown("keep"))?),
        };
        options.lost = self.lost.or(lost);
        if self.lost.is_some() && !manifest.option("known").is_empty() {
            let reason = "a run with a known side has only such known documents as share a feature \
                          with a new one, which `--lost` does not go by\n\
                          hint: `dedup --lost` with the known documents themselves";
            return Err(Error::from(ErrorKind::Lost(reason.to_owned())));
        }
        if options.lost.is_some() && self.threshold.is_some() {
            let reason = "`--lost` goes by containment, for which `--threshold` means nothing\n\
                          hint: leave out `--threshold`, or decide from a run without `--lost`";
            return Err(Error::from(ErrorKind::Lost(reason.to_owned())));
        }
        let before = || manifest.option("keep-count").parse().unwrap_or(1);
        options = options.keep_count(self.keep_count.unwrap_or_else(before));
        options.clustering = match (self.clustering, manifest.option("cluster")) {
            (Some(clustering), _) => clustering,
            (None, "anchored") => Clustering::Anchored,
            (None, "components") => Clustering::Components,
            _ => return Err(unknown("cluster")),
        };
        for (field, name) in [(&mut options.counted, "count"), (&mut options.dated, "date-field")] {
            let before = Some(manifest.option(name)).filter(|before| !before.is_empty());
            *field = field.take().or(before.map(str::to_owned));
        }
        options.recipe = self.recipe(run, options.removes == Removes::Exact)?;
        Ok(options)
    }

    /// The run's recipe with another threshold.
    fn recipe(&self, run: &Run, exact_only: bool) -> Result<Recipe> {
        let mut recipe = run.recipe().clone();
        let Some(asked) = self.threshold else { return Ok(recipe) };
        let (path, stored) = (self.run.clone(), recipe.threshold);
        if exact_only || recipe.verify == Verify::None {
            return Err(Error::from(ErrorKind::NoScores(path)));
        }
        if asked < stored {
            return Err(Error::from(ErrorKind::ThresholdTooLow { path, stored, asked }));
        }
        recipe.threshold = asked;
        recipe.validate()?;
        Ok(recipe)
    }
}

impl Job<'_> {
    /// The first stage: signatures and sources as the run has them, and what the new policy and
    /// the removal budget ask of documents.
    fn carry_over(&self, run: &Run) -> Result<SigningSummary> {
        let Some((mut signed, _)) = run.manifest.stage::<SigningSummary>(Stage::Sign) else {
            return Err(Error::corruption(&run.files.manifest(), 0, "a stage `sign`", "none"));
        };
        link(&run.files.signatures(), &self.files.signatures())?;
        link(&run.files.sources(), &self.files.sources())?;
        let more = [
            (run.files.urls(), self.files.urls()),
            (run.files.offsets(), self.files.offsets()),
            (run.files.templates(), self.files.templates()),
            (run.files.known(), self.files.known()),
        ];
        let (asked, wanted) = (still_asked(run, self.options), self.options.asked());
        let stored = [
            (wanted.counted != asked.counted, run.files.counted(), self.files.counted()),
            (wanted.dated != asked.dated, run.files.dates(), self.files.dates()),
        ];
        let stored = stored.into_iter().filter_map(|(is, from, to)| is.then_some((from, to)));
        for (from, to) in more.into_iter().filter(|(from, _)| from.exists()).chain(stored) {
            link(&from, &to)?;
        }
        if self.options.recipe.candidates == Candidates::BySite {
            write_sites(&self.files, self.options.recipe.sites, signed.sides().all())?;
        }
        self.carry_identities(run, signed.sides().all())?;
        self.observer.begin(Stage::Sign, Some(Work::Documents(signed.documents)));
        let ranking = Ranking { asked, means: self.means(), documents: signed.documents };
        let mut found = ranking.run(&SourceTable::open(&self.files.sources())?)?;
        if wanted.counted != asked.counted {
            found.uncounted = signed.uncounted;
        }
        if wanted.dated != asked.dated {
            found.undated = signed.undated;
        }
        signed.answered(found);
        Ok(signed)
    }

    /// Writes what identity sets go by. The run has proved who is a copy of whom, which the public
    /// fingerprints of its signatures do not; its exact pairs say so.
    fn carry_identities(&self, run: &Run, documents: u64) -> Result<()> {
        let mut sets = Components::new(documents);
        run.for_each_pair(None, |pair| {
            if pair.kind == Kind::Exact {
                sets.join(pair.a, pair.b);
            }
            Ok(())
        })?;
        let mut identities = RowsWriter::create(&self.files.identities(), IDENTITIES, IDENTITY)?;
        self.means().for_each_signature(|row, _, signature| {
            let set =
                if signature.is_empty() { 0 } else { u128::from(u64::from(sets.find(row))) + 1 };
            Ok(identities.push(&set.to_le_bytes())?)
        })?;
        Ok(identities.finish()?)
    }

    /// Documents that stay though the run removed them as near look-alikes.
    fn count_returned(&self, run: &Run, order: &Order) -> Result<u64> {
        let keepers = Clusters::open(&self.files.keepers())?.keepers;
        let mut returned = RowSet::none(run.rows());
        run.for_each_near_removed(|row: Row| {
            let place = order.place(row);
            if keepers[place.index()] == place {
                returned.insert(row);
            }
            Ok(())
        })?;
        Ok(returned.count().len())
    }

    /// Decides from the stored pairs.
    fn decide_from(&self, run: &Run, order: &Order, copies: &Copies) -> Result<Judgement> {
        if self.options.removes != Removes::Near {
            return Ok(Judgement::default());
        }
        self.observer.begin(Stage::Decide, None);
        let representatives = representatives(copies)?;
        let documents = copies.documents();
        let task = PairClusterTask {
            documents,
            clustering: self.options.clustering,
            pairs: &self.files.judged_pairs(),
            keepers: &self.files.keepers(),
            folder: &self.files.sorting(),
            budget: self.budget / 4 * 3,
        };
        let rule = self.means().pair_rule();
        let (mut read, mut near) = (0, 0);
        let clusters = cluster_pairs(&task, |each| {
            run.for_each_pair(None, |pair| {
                self.observer.tick(read)?;
                read += 1;
                near += u64::from(pair.kind == Kind::Near);
                let Some(evidence) = self.evidence(run, &pair)? else { return Ok(()) };
                let [a, b] = [pair.a, pair.b].map(|row| representatives[order.place(row).index()]);
                if a == b {
                    let expected = "a near pair of different documents".to_owned();
                    let found = format!("copies: {} and {}", pair.a, pair.b);
                    return Err(damaged(run, expected, found));
                }
                let pair = Pair::new([a, b], evidence);
                if rule.verdict(pair.evidence).is_accepted() { each(pair) } else { Ok(()) }
            })
        })?;
        // What the run did not look at was not stored.
        let before = run.manifest.stage(Stage::Decide).map(|(judged, _)| judged);
        let before: Judgement = before.unwrap_or_default();
        let refusals = Refusals::default();
        Ok(Judgement { candidates: near, rounds: clusters.rounds, refusals, ..before })
    }

    /// What is stored of a pair; `None` of copies.
    fn evidence(&self, run: &Run, pair: &ScoredPair) -> Result<Option<Evidence>> {
        if pair.kind == Kind::Exact {
            return Ok(None);
        }
        let scores = &pair.scores;
        let missing = |what: &str| damaged(run, what.to_owned(), "none".to_owned());
        let evidence = match self.options.recipe.verify {
            Verify::None => Evidence::Rule,
            Verify::Estimate => {
                Evidence::Estimate(scores.estimate.ok_or_else(|| missing("an estimate"))?)
            }
            Verify::Difference => {
                Evidence::Difference(scores.difference.ok_or_else(|| missing("a difference"))?)
            }
            Verify::Exact => {
                let shares = (scores.resemblance, scores.containment_a, scores.containment_b);
                let (Some(resemblance), Some(containment_a), Some(containment_b)) = shares else {
                    return Err(missing("a resemblance and containments"));
                };
                Evidence::Stored { resemblance, containment_a, containment_b }
            }
        };
        Ok(Some(evidence))
    }
}

/// What is asked of the documents of a run again: what it stored of them need not be.
fn still_asked<'a>(run: &Run, options: &'a Dedup) -> FieldQuestions<'a> {
    let asked = options.asked();
    let new = |name: &str, field: Option<&'a str>| {
        field.filter(|field| run.manifest.option(name) != *field)
    };
    let (counted, dated) = (new("count", asked.counted), new("date-field", asked.dated));
    FieldQuestions { counted, dated, ..asked }
}

fn damaged(run: &Run, expected: String, found: String) -> Error {
    Error::corruption(&run.files.pairs(), 0, expected, found)
}

/// For each place the one that stands for its identity set: four bytes a document, which the
/// keepers take after it.
fn representatives(copies: &Copies) -> Result<Vec<Place>> {
    let mut representatives: Vec<_> = Place::all().take(copies.documents() as usize).collect();
    let mut list = copies.list()?;
    while let Some(CopyOf { copy, representative }) = list.next()? {
        representatives[copy.index()] = representative;
    }
    Ok(representatives)
}

/// The same file under another name, or a copy of it where that cannot be. Our files are never
/// changed in place, so neither can change through the other.
fn link(from: &Path, to: &Path) -> Result<()> {
    let _ = fs::remove_file(to);
    if fs::hard_link(from, to).is_ok() {
        return Ok(());
    }
    let input = fs::File::open(from).map_err(|e| Error::io(from, Operation::Read, e))?;
    let mut output = AtomicFile::create(to, Existing::Replace)?;
    output.copy_from(input, from)?;
    Ok(output.commit()?)
}
