//! A job under way: its stages, one after another.

use std::ffi::OsStr;
use std::path::Path;
use std::{fs, io};

use lookalike_core::{GROUP_LIMIT, Recipe, VerificationKey};
use lookalike_corpus::{ReadOptions, UnpackedCopies};
use lookalike_files::{Existing, JOB_LOCK, JobLock, Rows, write_file};
use serde::{Deserialize, Serialize};

use super::largest::Documents;
use super::notes;
use super::options::{Dedup, PairScope, Removes};
use super::sites::{Addresses, Decision};
use crate::attributes::RANKS;
use crate::document_set::{PlaceSet, RowSet};
use crate::error::{Error, ErrorKind, Operation, Result};
use crate::files::{Files, remove};
use crate::identity_sets::Copies;
use crate::inputs::{Inputs, ListedSources};
use crate::keep_count;
use crate::known::summary::SideSummary;
use crate::known::{KnownSide, KnownSides, Named};
use crate::learn::Counts;
use crate::manifest::{Manifest, Request};
use crate::matching::{ALL_MEMBERS, Clustering, Clusters, GroupCounts, Grouped, Pairs};
use crate::means::Means;
use crate::memory;
use crate::observe::{NoObserver, Observer, Stage, Work};
use crate::order::{Order, Ranked};
use crate::passages::CutSummary;
use crate::places::{Place, Sides};
use crate::report::{self, Kind, Report};
use crate::sign::{Signing, SigningSummary};
use crate::signature_file::SignatureLookup;
use crate::sources::SourceTable;
use crate::stages::Judgement;
use crate::write::{MEMBER_LIMIT, Outcome, TableSummary, Tables, has_fields};

impl Dedup {
    /// Runs the job, and leaves its results in `out`.
    ///
    /// # Errors
    /// If `out` is there already and the job is not to go on with it, an input cannot be read and
    /// the job is strict, more would be removed than allowed, or the system refuses. What is
    /// complete by then stays in `out`, and the job can go on from there.
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

    /// Not for any kind of path: the job is to be compiled here, and not where it is called.
    fn run_in(&self, out: &Path, observer: &dyn Observer) -> Result<Report> {
        self.check()?;
        // Refused before anything is made, if there is no such input.
        let sources = self.inputs().sources()?;
        if self.writing.repeats() {
            sources.flatten().try_for_each(|source| self.writing.check_source(&source))?;
        }
        let known = self.known_sides()?;
        let mut request = self.request();
        if !known.is_empty() {
            let identities: Vec<String> = known.iter().map(KnownSide::identity).collect();
            request.insert("known".to_owned(), identities.join("\n"));
        }
        let mut job = Job::begin(self, request, out, observer)?;
        if job.manifest.finished {
            // It may have been killed before it could.
            job.remove_work();
            return Report::read(out.join("report.json"));
        }
        let learned: LearnStage = if self.recipe.templates.are_learned() {
            job.stage(Stage::Learn, Job::learn)?
        } else {
            LearnStage::default()
        };
        let mut signed: SigningSummary = job.stage(Stage::Sign, |job| job.sign(&known))?;
        signed.add(learned.listed);
        job.budget = job.working_bytes(signed.sides())?;
        let order = job.order(&signed)?;
        let _: u64 = job.stage(Stage::Group, |job| job.group(&order))?;
        let copies = Copies::open(&job.files.copies())?;
        let judged = job.judge(&signed, &order, &copies)?;
        job.learned = learned.counts;
        job.cut(&signed, &order, &copies)?;
        job.finish(&signed, &judged, &order, &copies)
    }

    pub(super) fn inputs(&self) -> Inputs<'_> {
        let Self { inputs: names, running, tables, .. } = self;
        Inputs { names, format: running.format, tables: Some(tables) }
    }

    /// The known sides, each of which can be known.
    pub(super) fn known_sides(&self) -> Result<Vec<KnownSide>> {
        let (names, tables, indexes) = (&*self.known, &self.known_tables, self.known_indexes);
        let known = KnownSide::open(Named { names, tables, indexes }, &self.recipe)?;
        if known.is_empty() {
            return Ok(known);
        }
        if let Some(path) = self.signature_file() {
            let option = "what is compared with known documents".to_owned();
            return Err(Error::from(ErrorKind::NeedsDocuments { path, option }));
        }
        if self.clustering == Clustering::Components {
            return Err(Error::from(ErrorKind::KnownComponents));
        }
        // Of these only what shares a feature with a new document is taken over.
        let is_carried =
            |side: &KnownSide| matches!(side, KnownSide::Run(..) | KnownSide::Index(_));
        if self.lost.is_some() && known.iter().any(is_carried) {
            let reason = "`--lost` looks into known documents themselves, and not into a run or an \
                          index\nhint: name the documents: of a run, the folder `kept`";
            return Err(Error::from(ErrorKind::Lost(reason.to_owned())));
        }
        if self.passages.is_some() {
            return Err(Error::from(ErrorKind::KnownPassages));
        }
        for side in &known {
            // Refused before anything is made.
            side.inputs(self.running.format).sources()?;
        }
        Ok(known)
    }

    /// Bytes that are held for each document, whatever the budget.
    pub(super) fn bytes_per_document(&self) -> u64 {
        // Keepers and sizes of clusters; places and rows in another order than the input's.
        8 + if self.policy().is_input_order() { 0 } else { 8 }
    }
}

/// Bytes that are held for each known document: keepers, and sizes of clusters.
pub(super) const BYTES_PER_KNOWN: u64 = 8;

/// A job under way.
pub(super) struct Job<'a> {
    /// Held for the life of the job. That of the working files is another one: machines may share
    /// the folder for them, and have results under the same path.
    pub(super) _out_lock: JobLock,
    pub(super) work_lock: Option<JobLock>,
    pub(super) options: &'a Dedup,
    pub(super) read: ReadOptions,
    pub(super) files: Files,
    pub(super) manifest: Manifest,
    pub(super) key: VerificationKey,
    pub(super) observer: &'a dyn Observer,
    /// When it began, by the observer's clock.
    pub(super) began: f64,
    pub(super) seconds: Vec<(Stage, f64)>,
    /// Memory for sorting and the like.
    pub(super) budget: usize,
    /// What compressed files unpack to.
    pub(super) copies: UnpackedCopies,
    /// What the report says besides.
    pub(super) notes: Vec<String>,
    pub(super) learned: Counts,
    /// What was cut of documents, if that was asked for.
    pub(super) cut: Option<CutSummary>,
}

/// What is known of the sources, and of their templates.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
struct LearnStage {
    listed: ListedSources,
    counts: Counts,
}

/// What a finished run learned of templates.
pub(super) fn learned_by(manifest: &Manifest) -> Counts {
    manifest
        .stage(Stage::Learn)
        .map(|(learned, _): (LearnStage, f64)| learned.counts)
        .unwrap_or_default()
}

#[derive(Clone, Copy, Debug, Default, Serialize, Deserialize)]
struct MatchStage {
    groups: u64,
    members: u64,
    largest: u64,
    /// Keys that too many documents have.
    #[serde(default)]
    left_out: u64,
}

impl<'a> Job<'a> {
    /// Prepares the folders; finds what is there of an earlier run.
    pub(super) fn begin(
        options: &'a Dedup,
        request: Request,
        out: &Path,
        observer: &'a dyn Observer,
    ) -> Result<Self> {
        let files = Files::new(out, options.running.temp.as_deref());
        // What is there already is not touched unless it is a job's.
        let is_job = |folder: &Path| folder.join(JOB_LOCK).exists() || files.manifest().exists();
        if is_in_use(out) && !is_job(out) {
            return Err(Error::from(ErrorKind::FolderInUse(out.to_owned())));
        }
        files.check_apart(&options.inputs)?;
        files.check_apart(&options.known)?;
        create_folder(&files.out)?;
        // Before the manifest is read, or another job may begin meanwhile.
        let out_lock = JobLock::take(&files.out)?;
        let (manifest, is_new) = match Manifest::read(&files.manifest())? {
            Some(mut before) if options.resume => {
                let same = before.check_same(&files.manifest(), &request, &options.inputs);
                same.map_err(|error| in_words(error, &files, &options.recipe))?;
                if before.request != request {
                    files.remove_written()?;
                    before.request = request;
                }
                (before, false)
            }
            // What did not get as far as its first results has nothing to lose.
            Some(before) if before.has_results() && options.existing == Existing::Refuse => {
                return Err(Error::from(ErrorKind::RunExists(out.to_owned())));
            }
            None if is_in_use(out) => {
                return Err(Error::from(ErrorKind::FolderInUse(out.to_owned())));
            }
            before => {
                if before.is_some() {
                    for source in options.inputs().sources()?.flatten() {
                        files.check_foreign(source.path())?;
                    }
                    files.remove_results()?;
                }
                (Manifest::new(request, options.inputs.clone())?, true)
            }
        };
        let stored = manifest.key.map(|key| VerificationKey::from_bytes(key.0));
        let key = stored.unwrap_or_else(VerificationKey::random);
        let copies = UnpackedCopies::new(&files.unpacked(), memory::room_for_copies(&files.work));
        let mut job = Self {
            _out_lock: out_lock,
            work_lock: None,
            options,
            read: options.reading(),
            files,
            manifest,
            key,
            observer,
            began: observer.seconds(),
            seconds: Vec::new(),
            budget: options.running.memory as usize,
            copies,
            notes: Vec::new(),
            learned: Counts::default(),
            cut: None,
        };
        if !job.manifest.finished {
            job.prepare(is_new)?;
        }
        Ok(job)
    }

    /// The manifest comes first: it says whose folder this is, also if the job ends right here.
    fn prepare(&mut self, is_new: bool) -> Result<()> {
        self.manifest.write(&self.files.manifest())?;
        create_folder(&self.files.work)?;
        self.work_lock = Some(JobLock::take(&self.files.work)?);
        self.manifest.check_files(&self.files)?;
        if is_new {
            // Of a job whose results were removed before it had ended.
            remove_others(&self.files.work)?;
        }
        create_folder(&self.files.sorting())?;
        // Of another process, which may not have got them to the disk.
        let _ = fs::remove_dir_all(self.files.unpacked());
        self.write_recipe()
    }

    pub(super) fn sources(&self) -> Result<SourceTable> {
        let table = SourceTable::open(&self.files.sources())?;
        let table = table.with_copies(&self.copies).with_tables(&self.options.tables);
        Ok(table.with_known_tables(&self.options.known_tables))
    }

    fn write_recipe(&self) -> Result<()> {
        Ok(write_file(&self.files.recipe(), self.options.recipe.to_toml().as_bytes())?)
    }

    /// Runs a stage, unless it is complete.
    pub(super) fn stage<T: Serialize + for<'d> Deserialize<'d>>(
        &mut self,
        stage: Stage,
        run: impl Fn(&Self) -> Result<T>,
    ) -> Result<T> {
        if let Some((result, seconds)) = self.manifest.stage(stage) {
            self.seconds.push((stage, seconds));
            return Ok(result);
        }
        let began = self.observer.seconds();
        let result = self.with_room(run)?;
        let seconds = self.observer.seconds() - began;
        self.seconds.push((stage, seconds));
        self.manifest.complete(stage, &result, seconds, &self.files)?;
        self.manifest.write(&self.files.manifest())?;
        Ok(result)
    }

    /// Runs what may fill the disk. The copies are the first to go: they only save time, and what
    /// a stage needs must have their room. It begins again then, since it leaves nothing behind.
    fn with_room<T>(&self, run: impl Fn(&Self) -> Result<T>) -> Result<T> {
        match run(self) {
            Err(error) if error.is_full_disk() && self.copies.give_up() => run(self),
            done => done,
        }
    }

    /// What is left of the memory when every document has what must be held of it.
    pub(super) fn working_bytes(&self, sides: Sides) -> Result<usize> {
        let held = sides.known * BYTES_PER_KNOWN + sides.new * self.options.bytes_per_document();
        memory::working_bytes(self.options.running.memory, sides.all(), held)
    }

    pub(super) fn sign(&self, known: &[KnownSide]) -> Result<SigningSummary> {
        if let Some(path) = self.options.signature_file() {
            self.observer.begin(Stage::Sign, None);
            return self.options.take_signatures(&path, &self.files);
        }
        Signing { known: Some(&KnownSides(known)), ..self.signing() }.run()
    }

    /// Lists the sources, and learns the templates of their documents.
    fn learn(&self) -> Result<LearnStage> {
        if let Some(path) = self.options.signature_file() {
            let option = "templates".to_owned();
            return Err(Error::from(ErrorKind::NeedsDocuments { path, option }));
        }
        let signing = self.signing();
        let listed = signing.list()?;
        Ok(LearnStage { listed, counts: self.means().learn(&signing.listed()?)? })
    }

    fn signing(&self) -> Signing<'_> {
        Signing {
            means: self.means(),
            inputs: self.options.inputs(),
            asked: self.options.asked(),
            strict: self.options.running.strict,
            keep_urls: true,
            copies: &self.copies,
            known: None,
            anchors: self.options.passages_of_all(),
            // What was in memory is not there any more.
            resumable: self
                .manifest
                .job
                .map(|job| job.0)
                .filter(|_| self.options.tables.is_empty()),
        }
    }

    pub(super) fn order(&self, signed: &SigningSummary) -> Result<Order> {
        let (keep, sides) = (self.options.policy(), signed.sides());
        if keep.is_input_order() {
            return Ok(Order::of_input(sides));
        }
        let keys = 0..keep.ranked().len();
        let ranks = keys.map(|key| Ok(Rows::open(&self.files.ranks(key), RANKS, 8)?));
        let ranked = Ranked {
            ranks: &ranks.collect::<Result<Vec<_>>>()?,
            signatures: &self.files.signatures(),
            in_input_order: keep.ends_in_input_order(),
        };
        Order::by_rank(sides, &ranked, &self.files.sorting(), self.budget / 2)
    }

    /// What the stages have in common.
    pub(super) fn means(&self) -> Means<'_> {
        Means {
            recipe: &self.options.recipe,
            lost: self.options.lost,
            kernel: self.options.running.kernel,
            read: &self.read,
            key: &self.key,
            files: &self.files,
            threads: self.options.running.threads,
            budget: self.budget,
            observer: self.observer,
        }
    }

    pub(super) fn group(&self, order: &Order) -> Result<u64> {
        if self.options.removes == Removes::Nothing {
            return Ok(self.means().no_identity_sets(order.sides())?.count());
        }
        Ok(self.means().identity_sets(order, Some(&self.sources()?))?.count())
    }

    /// Who stands for each place.
    pub(super) fn keepers(&self, signed: &SigningSummary) -> Result<Vec<Place>> {
        if self.removes_near() {
            return Ok(Clusters::open(&self.files.keepers())?.keepers);
        }
        Ok(Place::all().take(signed.sides().all() as usize).collect())
    }

    /// The places that stay though another stands for them.
    pub(super) fn kept_beside(&self, keepers: &[Place], copies: &Copies) -> Result<PlaceSet> {
        let count = self.options.keep_count;
        keep_count::beside(count, keepers, copies, &self.files.sorting(), self.budget / 2)
    }

    /// Whether documents are compared at all.
    fn removes_near(&self) -> bool {
        self.options.removes == Removes::Near
    }

    /// The stages from signatures to the decision.
    pub(super) fn judge(
        &mut self,
        signed: &SigningSummary,
        order: &Order,
        copies: &Copies,
    ) -> Result<Judgement> {
        let matched: MatchStage = self.stage(Stage::Match, |job| job.match_(order, copies))?;
        let wanted = self.wanted(signed, order)?;
        let _: u64 = self.stage(Stage::Verify, |job| job.verify(&wanted))?;
        let judged = self.stage(Stage::Decide, |job| job.decide(order, &wanted))?;
        Ok(Judgement { common_keys: matched.left_out, ..judged })
    }

    fn match_(&self, order: &Order, copies: &Copies) -> Result<MatchStage> {
        if !self.removes_near() {
            return Ok(MatchStage::default());
        }
        let known_members = match self.options.pairs {
            // One more says that there are more.
            PairScope::Needed => GROUP_LIMIT + 1,
            PairScope::All => ALL_MEMBERS,
        };
        let counts = match self.options.lost {
            Some(_) => {
                let groups = self.means().groups_of_probes(order, copies, &self.sources()?)?;
                Grouped { groups, left_out: 0 }
            }
            None => self.means().groups(order, known_members, copies)?,
        };
        let Grouped { groups: GroupCounts { groups, members, largest, .. }, left_out } = counts;
        Ok(MatchStage { groups, members, largest, left_out })
    }

    /// The rows whose documents verification needs.
    fn wanted(&self, signed: &SigningSummary, order: &Order) -> Result<RowSet> {
        if !self.removes_near() {
            return Ok(RowSet::none(signed.sides().all()).count());
        }
        self.means().wanted(order)
    }

    fn verify(&self, wanted: &RowSet) -> Result<u64> {
        if !self.removes_near() {
            return Ok(0);
        }
        self.means().contents(&self.sources()?, wanted)
    }

    fn decide(&self, order: &Order, wanted: &RowSet) -> Result<Judgement> {
        if !self.removes_near() {
            return Ok(Judgement::default());
        }
        let pairs = match self.options.pairs {
            PairScope::Needed => Pairs::Needed { limit: GROUP_LIMIT },
            PairScope::All => Pairs::All,
        };
        self.means().decide(order, wanted, self.options.clustering, pairs)
    }

    /// The last stage.
    pub(super) fn finish(
        mut self,
        signed: &SigningSummary,
        judged: &Judgement,
        order: &Order,
        copies: &Copies,
    ) -> Result<Report> {
        match self.write(signed, judged, order, copies) {
            Err(error) if error.is_full_disk() && self.copies.give_up() => {
                self.write(signed, judged, order, copies)
            }
            done => done,
        }
    }

    fn write(
        &mut self,
        signed: &SigningSummary,
        judged: &Judgement,
        order: &Order,
        copies: &Copies,
    ) -> Result<Report> {
        let began = self.observer.seconds();
        self.observer.begin(Stage::Write, Some(Work::Documents(signed.documents)));
        let keepers = self.keepers(signed)?;
        let pairs = self.files.judged_pairs();
        let sorting = self.files.sorting();
        let outcome = Outcome {
            keepers: &keepers,
            beside: &self.kept_beside(&keepers, copies)?,
            copies,
            pairs: self.removes_near().then_some(&*pairs),
            folder: &sorting,
            budget: self.budget / 4,
        };
        let mut removed = RowSet::none(signed.sides().all());
        let mut counts = [0_u64; 2];
        let sources = self.sources()?;
        let signatures = SignatureLookup::open(self.files.signatures())?;
        let mut addresses =
            Addresses::open(&self.files, self.options.recipe.sites, signed.documents)?;
        let tables = Tables {
            recipe: &self.options.recipe,
            kernel: self.options.running.kernel,
            order,
            signatures: &signatures,
            sources: &sources,
            files: &self.files,
            budget: self.budget / 2,
            listed: self.options.listed_pairs(),
            sites: addresses.as_ref().map(|addresses| &addresses.sites),
        };
        let mut annotations = self.annotation_sorter(order);
        let written = tables.write(&outcome, |document| {
            if !document.stays {
                removed.insert(order.row(document.place));
                counts[usize::from(document.kind == Kind::Near)] += 1;
            }
            annotations.as_mut().map_or(Ok(()), |annotations| annotations.push(document))
        })?;
        if let Some(annotations) = annotations {
            annotations.write(&written.sizes, &self.files)?;
        }
        let removed = removed.count();
        let repeats = self.counts(&tables, signed, removed.len(), &written)?;
        let cuts = self.cuts(&tables)?;
        // The tables are there already: they say what would go.
        let budget = &self.options.budget;
        budget.check(&removed, signed.documents, &self.files.parts(), &signed.parts)?;
        let decided = Decision {
            order,
            outcome: &outcome,
            removed: &removed,
            written: &written,
            budget: self.budget / 2,
            observer: self.observer,
        };
        let sites = addresses.as_mut().map(|addresses| addresses.report(&decided)).transpose()?;
        let cut = self.count_cuts(cuts.as_ref(), &sources, &removed, addresses.as_mut())?;
        let documents = Documents {
            recipe: &self.options.recipe,
            order,
            signatures: &signatures,
            sources: &sources,
            options: &self.read,
            files: &self.files,
        };
        // The report reads a few documents again, at the side of writing the survivors.
        let (quoted, kept) = std::thread::scope(|scope| {
            let quoted = scope.spawn(|| documents.quoted(&outcome, &written.sizes, &cut.most));
            let kept = self.write_documents(
                signed.sides().all(),
                &sources,
                &signatures,
                &removed,
                cuts.as_ref(),
            );
            let quoted = quoted.join().unwrap_or_else(|p| std::panic::resume_unwind(p));
            (quoted, kept)
        });
        kept?;
        let mut report = self.report(signed, judged, counts, &written);
        let (largest, most_copies) = quoted?;
        report.largest_clusters = largest;
        report.counts = repeats;
        self.note_uncounted(signed, &mut report);
        self.report_passages(&mut report, cut, most_copies);
        report.near_misses = near_misses(judged, &signatures)?;
        report.sites = sites.filter(|sites| sites.documents > 0);
        let without_fields = add_sources(&mut report, &sources, &removed)?;
        self.report_written(&mut report, without_fields);
        let total = self.observer.seconds() - self.began;
        self.seconds.push((Stage::Write, self.observer.seconds() - began));
        report.seconds = seconds(&self.seconds, total);
        report.peak_memory_bytes = memory::peak_bytes().unwrap_or(0);
        report.write(&self.files.out, self.options.page)?;
        self.manifest.finished = true;
        // Nothing is verified any more.
        self.manifest.key = None;
        self.manifest.write(&self.files.manifest())?;
        self.remove_work();
        Ok(report)
    }

    /// Removes the working files, which are of no use to anyone. What cannot be removed takes
    /// room and does no harm.
    pub(super) fn remove_work(&self) {
        let work = &self.files.work;
        match fs::remove_dir_all(work) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => {
                self.observer.note(&format!("cannot remove `{}`: {error}", work.display()));
            }
            _ => {}
        }
    }

    fn report(
        &self,
        signed: &SigningSummary,
        judged: &Judgement,
        [exact_removed, near_removed]: [u64; 2],
        written: &TableSummary,
    ) -> Report {
        let Dedup { recipe, clustering, pairs, running, .. } = self.options;
        let keep = self.options.policy();
        // Features find no candidates where these go by containment.
        let filter = recipe.features.filter(|_| self.options.lost.is_none());
        let curve = filter.map(|filter| filter.curve(100)).unwrap_or_default();
        let mut report = Report {
            documents: signed.documents,
            empty: signed.empty,
            templates: recipe.templates.are_learned().then(|| report::Templates {
                by: recipe.templates.to_string(),
                groups: self.learned.groups,
                groups_with_template: self.learned.with_template,
                shingles: self.learned.shingles,
                sampled: self.learned.sampled,
            }),
            text_bytes: signed.bytes,
            skipped: signed.skips.count,
            exact_removed,
            near_removed,
            kept: signed.documents - exact_removed - near_removed,
            kept_beside: written.kept_beside,
            lost: self.options.lost.map(|share| report::Lost { share, ..written.lost }),
            known: known_report(signed, written.known_removed),
            clusters: written.clusters,
            candidates: judged.candidates,
            rounds: judged.rounds.into(),
            pairs: written.pairs,
            recipe_digest: recipe.digest().to_string(),
            version: env!("CARGO_PKG_VERSION").to_owned(),
            verified: recipe.reads_documents(),
            recipe: recipe.into(),
            options: report::Options {
                keep: keep.to_string(),
                keep_count: self.options.keep_count.into(),
                cluster: match clustering {
                    Clustering::Anchored => report::Clustering::Anchored,
                    Clustering::Components => report::Clustering::Components,
                },
                pairs: pairs.name().to_owned(),
                memory_bytes: running.memory,
                threads: running.threads as u64,
            },
            filter_curve: curve.into_iter().map(|(x, p)| [x, p]).collect(),
            resemblance_histogram: written.histogram.clone(),
            difference_histogram: Some(written.differences.clone())
                .filter(|differences| differences.total() > 0),
            refused_histogram: Some(judged.refusals.histogram.clone())
                .filter(|refused| refused.total() > 0),
            cluster_sizes: size_counts(&written.sizes),
            skipped_examples: signed.skips.examples.clone(),
            skipped_by_fault: signed
                .skips
                .kinds
                .iter()
                .map(|(fault, &records)| report::Fault { fault: fault.clone(), records })
                .collect(),
            passed_over: signed.passed_over.most_frequent(report::MAX_PASSED_OVER),
            ..Report::default()
        };
        report.limited = limited(judged);
        report.notes = notes::of_documents(signed, keep);
        let nothing_known = signed.known.iter().filter(|side| side.documents == 0);
        report.notes.extend(
            nothing_known.map(|side| format!("The known side `{}` has no documents.", side.name)),
        );
        report.notes.extend(self.unreadable_note(signed.skips.count));
        report.notes.extend(notes::many_rounds(judged.rounds));
        report.notes.extend(notes::common_keys(&self.options.recipe, judged.common_keys));
        report.notes.extend(notes::undecided(judged.refusals.undecided));
        report.notes.extend(notes::chance_pairs(&self.options.recipe, signed.documents));
        report.notes.extend(self.notes.iter().cloned());
        if written.limited_sets > 0 {
            report.notes.push(format!(
                "{} identity sets have more than {MEMBER_LIMIT} documents: near pairs of the first \
                 {MEMBER_LIMIT} of each are listed, those of the others follow from the exact pairs.",
                written.limited_sets
            ));
        }
        report
    }
}

/// What the report says of the known side.
fn known_report(signed: &SigningSummary, removed: u64) -> Option<report::Known> {
    let side = |side: &SideSummary| report::KnownSide {
        name: side.name.clone(),
        kind: side.kind,
        documents: side.documents,
    };
    (!signed.known.is_empty()).then(|| report::Known {
        documents: signed.known.iter().map(|side| side.documents).sum(),
        removed,
        sides: signed.known.iter().map(side).collect(),
    })
}

fn create_folder(folder: &Path) -> Result<()> {
    fs::create_dir_all(folder).map_err(|e| Error::io(folder, Operation::Create, e))
}

/// Removes all that is in a folder of working files but its lock.
fn remove_others(folder: &Path) -> Result<()> {
    let entries = fs::read_dir(folder).map_err(|e| Error::io(folder, Operation::Read, e))?;
    for entry in entries.flatten().filter(|entry| entry.file_name() != JOB_LOCK) {
        remove(&entry.path())?;
    }
    Ok(())
}

/// The same, with the parameter that differs in place of the recipes' digests.
fn in_words(error: Error, files: &Files, recipe: &Recipe) -> Error {
    let ErrorKind::OtherRequest { path, option, .. } = error.kind() else { return error };
    if option != "recipe" {
        return error;
    }
    let text = fs::read_to_string(files.recipe()).unwrap_or_default();
    let before = Recipe::from_toml(&text).ok();
    match before.and_then(|before| before.first_difference(recipe)) {
        Some((option, before, now)) => {
            let (path, option) = (path.clone(), option.to_owned());
            ErrorKind::OtherRequest { path, option, before, now }.into()
        }
        None => error,
    }
}

/// What a job leaves that was killed before it had a manifest.
const NO_RESULTS: [&str; 2] = ["manifest.json.partial", JOB_LOCK];

/// Whether a folder without a manifest has anything but what a killed run leaves of one.
fn is_in_use(folder: &Path) -> bool {
    let Ok(mut entries) = fs::read_dir(folder) else { return false };
    let is_result = |name: &OsStr| !NO_RESULTS.iter().any(|other| name == *other);
    entries.any(|entry| entry.is_ok_and(|entry| is_result(&entry.file_name())))
}

/// Lists the sources, and tells how many documents have no fields.
fn add_sources(report: &mut Report, sources: &SourceTable, removed: &RowSet) -> Result<u64> {
    let (mut listed, mut without_fields) = (Vec::new(), 0);
    for number in 0..sources.new_sources() {
        let source = sources.get(number)?;
        report.bytes_read += source.bytes.unwrap_or(0);
        if !has_fields(source.source.format()) {
            without_fields += source.documents;
        }
        listed.push(report::Source {
            name: source.source.id().to_owned(),
            documents: source.documents,
            removed: removed.count_in(&source.rows()),
            skipped: source.bad.len() + u64::from(source.broken),
        });
        // Only the first of them are shown: millions need not be held.
        if listed.len() > 100_000 {
            report.set_sources(listed);
            listed = std::mem::take(&mut report.sources);
        }
    }
    report.set_sources(listed);
    Ok(without_fields)
}

fn seconds(stages: &[(Stage, f64)], total: f64) -> report::Seconds {
    let of = |wanted| stages.iter().find(|(stage, _)| *stage == wanted).map_or(0.0, |s| s.1);
    report::Seconds {
        learn: of(Stage::Learn),
        sign: of(Stage::Sign),
        group: of(Stage::Group),
        r#match: of(Stage::Match),
        verify: of(Stage::Verify),
        decide: of(Stage::Decide),
        passages: of(Stage::Passages),
        write: of(Stage::Write),
        total,
    }
}

/// The most similar of the candidates that were refused.
fn near_misses(judged: &Judgement, signatures: &SignatureLookup) -> Result<Vec<report::NearMiss>> {
    let nearest = judged.refusals.nearest.iter().map(|miss| {
        let [a, b] = miss.rows.map(|row| signatures.id(row));
        Ok(report::NearMiss { a: a?, b: b?, resemblance: miss.resemblance })
    });
    nearest.collect()
}

/// `[size, how many clusters have it]`.
fn size_counts(sizes: &[u32]) -> Vec<[u64; 2]> {
    let mut counts = std::collections::BTreeMap::new();
    for &size in sizes.iter().filter(|size| **size > 1) {
        *counts.entry(u64::from(size)).or_insert(0) += 1;
    }
    counts.into_iter().map(|(size, count)| [size, count]).collect()
}

fn limited(judged: &Judgement) -> Option<report::LimitedGroups> {
    (judged.limited_groups > 0).then(|| report::LimitedGroups {
        groups: judged.limited_groups,
        documents: judged.limited_documents,
        largest_group: judged.largest_limited,
        limit: GROUP_LIMIT as u64,
        consequence: format!(
            "In such a group a document was compared with the first {GROUP_LIMIT} that stay, and \
             not with those after them. A look-alike that it shares only such groups with may \
             have been missed; nothing was removed for it."
        ),
    })
}
