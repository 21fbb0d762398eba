//! Jobs with a known side: runs, inputs, chains of them, against the naive twin.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use lookalike_core::recipe::Verify;
use lookalike_core::{Given as _, Recipe};
use lookalike_engine::matching::Clustering;
use lookalike_engine::{Decide, Dedup, ErrorKind, KeepPolicy, PairScope, Run};
use proptest::prelude::*;

use crate::dedup::equals_reference::{Corpus, Making, POLICIES, making, recipe};
use crate::dedup::reference::{Answer, Document, Wish, answer, have_a_feature_of};
use crate::dedup::tables::ClusterRow;
use crate::dedup::{files, folder, job, name, results, run, tables};

/// What a known side is.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Side {
    /// A file of documents.
    Input,
    /// A run over such a file.
    Run,
    /// A run that knows all sides before it.
    Next,
}

/// The sides before the new documents.
const SIDES: usize = 3;

#[derive(Clone, Debug)]
struct Choice {
    recipe: Recipe,
    keep: KeepPolicy,
    /// The policy of the known runs.
    known_keep: KeepPolicy,
    sides: Vec<Side>,
    keep_count: usize,
    lost: Option<f64>,
    pairs: PairScope,
    exact_only: bool,
    threads: usize,
}

fn choice() -> impl Strategy<Value = Choice> {
    let recipes = vec![
        recipe("text", Verify::Exact),
        recipe("text", Verify::Estimate),
        recipe("text", Verify::None),
        recipe("henzinger-b", Verify::Exact),
        recipe("henzinger-sites", Verify::None),
        recipe("pugh", Verify::Exact),
    ];
    let policies = prop::sample::select(POLICIES.to_vec());
    (
        prop::sample::select(recipes),
        (policies.clone(), policies),
        prop::collection::vec(
            prop::sample::select(vec![Side::Input, Side::Run, Side::Next]),
            SIDES,
        ),
        prop_oneof![2 => Just(1_usize), 1 => 2..4_usize],
        prop::bool::weighted(0.3),
        prop::bool::weighted(0.1),
        1..4_usize,
    )
        .prop_map(
            |(recipe, (keep, known_keep), sides, keep_count, all, exact_only, threads)| Choice {
                recipe,
                keep: keep.parse().unwrap(),
                known_keep: known_keep.parse().unwrap(),
                sides,
                keep_count,
                lost: None,
                pairs: if all { PairScope::All } else { PairScope::Needed },
                exact_only,
                threads,
            },
        )
}

impl Choice {
    fn job(&self, input: &Path, keep: &KeepPolicy, known: &[PathBuf]) -> Dedup {
        let job = job(input)
            .recipe(self.recipe.clone())
            .keep(keep.clone())
            .keep_count(self.keep_count as u32)
            .given(self.lost, Dedup::lost)
            .pairs(self.pairs)
            .when(self.exact_only, Dedup::exact_only)
            .threads(self.threads);
        known.iter().fold(job, |job, side| job.known(name(side)))
    }

    /// What must come out for new documents, with known ones after them.
    fn answer(&self, keep: &KeepPolicy, new: &[Document], known: &[Document]) -> Answer {
        let wish = Wish {
            recipe: &self.recipe,
            keep_count: self.keep_count,
            lost: self.lost,
            by_rank: *keep != KeepPolicy::First,
            in_input_order: keep.ends_in_input_order(),
            clustering: Clustering::Anchored,
            pairs: self.pairs,
            exact_only: self.exact_only,
            known: known.len(),
        };
        let mut documents = [new, known].concat();
        for document in &mut documents[new.len()..] {
            (document.counted, document.date) = (None, None);
        }
        answer(&wish, &documents)
    }
}

/// A document in the making: how, the seed of all else about it, and its side, the new one last.
type Plan = Vec<(Making, u64, usize)>;

/// The files of a corpus, one of each side, and the rows of their documents.
fn write(plan: &Plan, folder: &Path) -> (Corpus, Vec<(PathBuf, Vec<usize>)>) {
    let mut corpus = Corpus::default();
    let mut sides: Vec<_> =
        (0..=SIDES).map(|side| (folder.join(format!("{side}.jsonl")), Vec::new())).collect();
    for (row, (making, seed, side)) in plan.iter().enumerate() {
        let (path, rows): &mut (PathBuf, Vec<usize>) = &mut sides[*side];
        rows.push(row);
        corpus.add(making, *seed, &name(path), rows.len() as u64);
    }
    for (path, rows) in &sides {
        let lines: String = rows.iter().map(|&row| corpus.lines[row].clone() + "\n").collect();
        fs::write(path, lines).unwrap();
    }
    (corpus, sides)
}

/// Runs all jobs of a choice, each compared with its definition; the folder of the last.
fn check(plan: &Plan, folder: &Path, choice: &Choice) -> (PathBuf, Answer) {
    let (corpus, files) = write(plan, folder);
    let documents = |keep: &KeepPolicy, rows: &[usize]| {
        let ranked = corpus.ranked_by(keep, false, choice.recipe.tokens);
        rows.iter().map(|&row| ranked[row].clone()).collect::<Vec<Document>>()
    };
    let (mut known, mut known_rows, mut of_inputs) =
        (Vec::new(), Vec::new(), BTreeSet::<usize>::new());
    let (new, sides) = files.split_last().unwrap();
    for (n, ((input, rows), side)) in sides.iter().zip(&choice.sides).enumerate() {
        let keep = &choice.known_keep;
        let before = if *side == Side::Next { &known[..] } else { &[] };
        let rows_before: &[usize] = if *side == Side::Next { &known_rows } else { &[] };
        if *side == Side::Input {
            known.push(input.clone());
            known_rows.extend(rows);
            of_inputs.extend(rows);
            continue;
        }
        let out = folder.join(format!("run-{n}"));
        let answer = choice.answer(keep, &documents(keep, rows), &documents(keep, rows_before));
        let report = run(&choice.job(input, keep, before), &out);
        assert_eq!(report.kept, (rows.len() - answer.removed.len()) as u64);
        known_rows.extend(
            rows.iter()
                .enumerate()
                .filter(|(n, _)| !answer.removed.contains(n))
                .map(|(_, row)| row),
        );
        known.push(out);
    }
    let keep = &choice.keep;
    let (input, rows) = new;
    let (new, known_documents) = (documents(keep, rows), documents(keep, &known_rows));
    let mut answer = choice.answer(keep, &new, &known_documents);
    // Of runs only those have a row that can have a part in it.
    let mut takes_part = have_a_feature_of(&choice.recipe, &new, &known_documents);
    for (takes_part, row) in takes_part.iter_mut().zip(&known_rows) {
        *takes_part |= of_inputs.contains(row);
    }
    answer.renumber(|row| {
        let Some(number) = row.checked_sub(new.len() as u64) else { return row };
        assert!(takes_part[number as usize], "without a feature in common");
        let before = takes_part[..number as usize].iter().filter(|is| **is).count();
        (new.len() + before) as u64
    });
    let out = folder.join("out");
    let report = run(&choice.job(input, keep, &known), &out);
    assert_eq!(tables::clusters(&out), answer.clusters);
    assert_eq!(tables::pairs(&out), answer.pairs);
    let is_known = |row: u64| row >= rows.len() as u64;
    let sides: Vec<[bool; 2]> =
        answer.clusters.iter().map(|row| [row.row, row.cluster].map(is_known)).collect();
    assert_eq!(tables::known(&out), sides);
    let went = sides.iter().zip(&answer.clusters).filter(|(_, row)| !row.kept);
    let for_known = went.filter(|(sides, _)| **sides == [false, true]).count() as u64;
    let told = report.known.as_ref().unwrap();
    assert_eq!((told.documents, told.removed), (known_rows.len() as u64, for_known));
    assert_eq!(told.sides.iter().map(|side| side.documents).sum::<u64>(), told.documents);
    assert_eq!(report.documents, rows.len() as u64);
    let taken = takes_part.iter().filter(|is| **is).count();
    assert_eq!(Run::open(&out).unwrap().rows(), (rows.len() + taken) as u64);
    assert_eq!(report.exact_removed, answer.exact_removed);
    assert_eq!(report.near_removed, answer.near_removed);
    assert_eq!(report.kept, (rows.len() - answer.removed.len()) as u64);
    let kept = fs::read_to_string(out.join("kept").join(input.file_name().unwrap())).unwrap();
    let stay = (0..rows.len()).filter(|row| !answer.removed.contains(row));
    let lines: String = stay.map(|row| corpus.lines[rows[row]].clone() + "\n").collect();
    assert_eq!(kept, lines);
    assert_eq!(files_of_kept(&out), 1, "nothing of the known side is written");
    (out, answer)
}

fn files_of_kept(out: &Path) -> usize {
    files(&out.join("kept")).len()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]
    #[test]
    fn a_job_with_known_documents_says_what_its_definition_says(
        plan in prop::collection::vec((making(), any::<u64>(), 0..=SIDES), 0..48),
        choice in choice(),
        threads in 1..4_usize,
    ) {
        let folder = folder("dedup/known");
        let (out, _) = check(&plan, &folder, &choice);
        // The same from any number of threads, and decided again from the run.
        let known: Vec<PathBuf> = (0..SIDES)
            .map(|n| match choice.sides[n] {
                Side::Input => folder.join(format!("{n}.jsonl")),
                _ => folder.join(format!("run-{n}")),
            })
            .collect();
        let input = folder.join(format!("{SIDES}.jsonl"));
        let again = folder.join("again");
        run(&choice.job(&input, &choice.keep, &known).threads(threads), &again);
        prop_assert_eq!(results(&again), results(&out));
        let other: KeepPolicy = "longest".parse().unwrap();
        run(&choice.job(&input, &other, &known), &again);
        let decided = folder.join("decided");
        let _ = fs::remove_dir_all(&decided);
        Decide::new(&out).keep(other).run(&decided).unwrap();
        prop_assert_eq!(tables::clusters(&decided), tables::clusters(&again));
    }

    /// Crawl after crawl, each of which knows what those before it kept: together they keep what one
    /// job over all of them keeps.
    #[test]
    fn a_chain_of_runs_keeps_what_one_job_over_all_keeps(
        plan in prop::collection::vec((making(), any::<u64>(), 0..=SIDES), 0..64),
    ) {
        let folder = folder("dedup/known-chain");
        let recipe = recipe("text", Verify::Exact);
        let (_, files) = write(&plan, &folder);
        let mut runs: Vec<PathBuf> = Vec::new();
        for (n, (input, _)) in files.iter().enumerate() {
            let out = folder.join(format!("run-{n}"));
            let job = runs.iter().fold(job(input), |job, run| job.known(name(run)));
            run(&job.recipe(recipe.clone()), &out);
            runs.push(out);
        }
        // The names of the files are in the order of the crawls.
        let inputs = files.iter().map(|(input, _)| name(input));
        run(&Dedup::new(inputs).recipe(recipe).memory(65 << 20), &folder.join("all"));
        for (n, alone) in runs.iter().enumerate() {
            let file = format!("kept/{n}.jsonl");
            let [alone, all] = [alone, &folder.join("all")].map(|out| fs::read(out.join(&file)));
            prop_assert_eq!(alone.unwrap(), all.unwrap());
        }
        let all = tables::clusters(&folder.join("all"));
        let kept = all.iter().filter(|row| row.kept);
        let all: BTreeMap<Place, [u64; 2]> = kept.map(|row| (place_of(row), copies_of(row))).collect();
        prop_assert_eq!(totals(&runs), all);
    }
}

/// Where a document is: its file and its record.
type Place = (String, u64);

fn place_of(row: &ClusterRow) -> Place {
    (row.source.clone(), row.record)
}

/// Its copies, and the exact ones.
fn copies_of(row: &ClusterRow) -> [u64; 2] {
    [row.counts[0], row.counts[1]]
}

/// The copies of each keeper over a chain of runs: each adds one less than it says, the keeper.
fn totals(runs: &[PathBuf]) -> BTreeMap<Place, [u64; 2]> {
    let mut totals = BTreeMap::new();
    for row in runs.iter().flat_map(|run| tables::clusters(run)).filter(|row| row.kept) {
        let total = totals.entry(place_of(&row)).or_insert([1, 1]);
        let more = copies_of(&row).map(|copies| copies - 1);
        *total = [total[0] + more[0], total[1] + more[1]];
    }
    totals
}

/// Three lines: two that look alike, and another.
fn lines(ids: [&str; 3]) -> String {
    let words = |from: usize, word: &str| {
        let words: Vec<String> = (from..from + 60).map(|n| format!("w{n}")).collect();
        words.join(" ") + " " + word
    };
    let texts = [words(0, "one"), words(0, "two"), words(900, "three")];
    let line = |(id, text): (&&str, &String)| format!("{{\"id\":\"{id}\",\"text\":\"{text}\"}}\n");
    ids.iter().zip(&texts).map(line).collect()
}

#[test]
fn known_documents_that_look_alike_both_stay_and_no_text_is_read_without_need() {
    let folder = folder("dedup/known-both");
    let [old, new] = ["old.jsonl", "new.jsonl"].map(|file| folder.join(file));
    fs::write(&old, lines(["a", "b", "c"])).unwrap();
    fs::write(&new, lines(["a", "b", "c"]).lines().next().unwrap()).unwrap();
    let report = run(&job(&new).known(name(&old)), &folder.join("out"));
    assert_eq!((report.documents, report.kept, report.exact_removed), (1, 0, 1));
    let out = folder.join("out");
    let found = Run::open(&out).unwrap();
    // Both sides have the id; the new one is told of.
    let rows = found.find("a").unwrap();
    assert_eq!((rows.count, found.is_known(rows.rows[0])), (1, false));
    let rows = found.find("b").unwrap();
    assert_eq!((rows.count, found.is_known(rows.rows[0])), (1, true));
    assert!(found.text(rows.rows[0]).is_ok());
    assert_eq!((found.documents(), found.rows()), (1, 4));
    // All of the new documents are gone; of the known side nothing is a survivor.
    found
        .for_each_surviving_signature(|id, _| -> lookalike_engine::Result<()> {
            panic!("{id} is no survivor of this run")
        })
        .unwrap();
    let kept: BTreeSet<_> = tables::clusters(&out).into_iter().map(|row| row.id).collect();
    assert_eq!(kept, ["a".to_owned()].into());
}

#[test]
fn what_cannot_be_known_is_refused() {
    let folder = folder("dedup/known-refused");
    let [old, new] = ["old.jsonl", "new.jsonl"].map(|file| folder.join(file));
    fs::write(&old, lines(["a", "b", "c"])).unwrap();
    fs::write(&new, lines(["d", "e", "f"])).unwrap();
    let (first, out) = (folder.join("first"), folder.join("out"));
    run(&job(&old), &first);
    let known = || job(&new).known(name(&first));
    let refused = |job: Dedup| job.run(&out).unwrap_err();

    let error = refused(known().clustering(Clustering::Components));
    assert!(matches!(error.kind(), ErrorKind::KnownComponents), "{error}");
    let error = refused(known().recipe(Recipe::preset("sites").unwrap()));
    assert!(error.to_string().contains("recipe"), "{error}");
    let sites = job(&new).known(name(&old)).recipe(Recipe::preset("sites").unwrap());
    let error = refused(sites);
    assert!(matches!(error.kind(), ErrorKind::KnownTemplates(_)), "{error}");
    let mut wider = Recipe::default();
    wider.shingles.width += 1;
    let error = refused(known().recipe(wider));
    assert!(matches!(error.kind(), ErrorKind::KnownRun { .. }), "{error}");
    assert!(error.to_string().contains("shingles.width"), "{error}");
    let error = refused(job(&new).known(name(&first.join("documents.signatures"))));
    assert!(matches!(error.kind(), ErrorKind::NeedsDocuments { .. }), "{error}");
    let index = folder.join("index");
    fs::create_dir_all(&index).unwrap();
    fs::write(index.join("index"), "LOOKINDX and more").unwrap();
    let error = refused(job(&new).known(name(&index)));
    assert!(matches!(error.kind(), ErrorKind::KnownIndex { .. }), "{error}");
    let error = refused(job(&new).known(name(&folder.join("none"))));
    assert!(error.to_string().contains("none"), "{error}");
    // A known side is no place for results.
    let error = known().run(&first).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::WithinInput { .. }), "{error}");
    assert!(!out.exists(), "nothing was made");

    fs::write(&old, lines(["a", "b", "changed"])).unwrap();
    let error = refused(known());
    assert!(matches!(error.kind(), ErrorKind::KnownRun { .. }), "{error}");
    assert!(error.to_string().contains("old.jsonl"), "{error}");
}

#[test]
fn a_job_goes_on_only_with_the_same_known_side() {
    let folder = folder("dedup/known-resume");
    let [old, new] = ["old.jsonl", "new.jsonl"].map(|file| folder.join(file));
    fs::write(&old, lines(["a", "b", "c"])).unwrap();
    fs::write(&new, lines(["d", "e", "f"])).unwrap();
    let (first, out) = (folder.join("first"), folder.join("out"));
    run(&job(&old), &first);
    let budget = || lookalike_engine::RemovalBudget::default().of_all(0.5);
    // Of three all go, which is more than half of the new ones.
    let job = job(&new).known(name(&first));
    let error = job.clone().removal_budget(budget()).run(&out).unwrap_err();
    assert!(
        matches!(error.kind(), ErrorKind::RemovesTooMuch { removed: 3, documents: 3, .. }),
        "{error}"
    );
    run(&crate::dedup::job(&old).keep(KeepPolicy::Longest), &first);
    let error = job.clone().resume().run(&out).unwrap_err();
    let is_known = |option: &str| option == "known";
    assert!(
        matches!(error.kind(), ErrorKind::OtherRequest { option, .. } if is_known(option)),
        "{error}"
    );
    assert_eq!(run(&job, &out).known.unwrap().removed, 3);
}
