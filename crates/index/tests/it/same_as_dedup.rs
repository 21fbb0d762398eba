//! Documents that come one by one and are added if they are new: those that stay are those that
//! the batch job keeps of the same corpus, the first of each kind, and they stand for as many.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use lookalike_core::filter::Filter;
use lookalike_core::recipe::{Candidates, LEARNING_PRESETS, PRESETS, SketchParameters, Verify};
use lookalike_core::{Recipe, mix};
use lookalike_engine::report::Kind;
use lookalike_engine::run::{ClusterFilter, ClusterOrder, Clusters, Run};
use lookalike_engine::{Dedup, KeepPolicy, TemplateFile};
use lookalike_files::WorkFolder;
use lookalike_index::{AddIf, CreateOptions, Document, Index, OpenOptions};
use proptest::prelude::*;

pub(crate) struct Page {
    pub(crate) id: String,
    pub(crate) url: String,
    pub(crate) text: String,
}

/// Copies, near-duplicates of near-duplicates, and a template that far more pages share than are
/// looked at in a list.
pub(crate) fn corpus(seed: u64, pages: u64) -> Vec<Page> {
    let random = |n: u64, purpose: u64| mix(mix(seed ^ n) ^ purpose);
    let word = |of: u64, w: u64| format!("w{}", random(of, 1000 + w) % 3000);
    let mut texts: Vec<Vec<String>> = Vec::new();
    for n in 0..pages {
        let earlier = || texts[(random(n, 1) % n) as usize].clone();
        let words = match random(n, 0) % 10 {
            0 if n > 0 => earlier(),
            1..5 if n > 0 => {
                let mut words = earlier();
                for change in 0..=random(n, 2) % 6 {
                    let at = (random(n, 20 + change) % words.len() as u64) as usize;
                    words[at] = word(n, 500 + change);
                }
                words
            }
            // The template: most words are the same in all of them.
            5..8 => {
                let own = 6 + random(n, 3) % 8;
                let frame = (0..80).map(|w| format!("frame{w}"));
                frame.chain((0..own).map(|w| word(n, w))).collect()
            }
            8 => Vec::new(),
            _ => (0..20 + random(n, 4) % 100).map(|w| word(n, w)).collect(),
        };
        texts.push(if words.is_empty() && n % 2 == 0 { vec![word(n, 0)] } else { words });
        if texts.last().is_some_and(Vec::is_empty) {
            // An empty document resembles nothing, and cannot be changed.
            texts.pop();
            texts.push(vec!["...".to_owned()]);
        }
    }
    let page = |(n, words): (usize, Vec<String>)| Page {
        id: format!("d{n}"),
        // Copies are on the site of the original: the job takes a copy for its original wherever it
        // is, while the index knows nothing of an original that was not added.
        url: format!("http://www.site{}.example/{n}", words.len() % 4),
        text: words.join(" "),
    };
    texts.into_iter().enumerate().map(page).collect()
}

/// The lines of the documents that the job keeps.
fn kept_by_job(folder: &Path, corpus: &[Page], recipe: &Recipe) -> BTreeSet<String> {
    let input = folder.join("corpus.jsonl");
    let lines: String = corpus.iter().map(|page| line(page) + "\n").collect();
    fs::write(&input, lines).unwrap();
    let out = folder.join("out");
    let job = Dedup::new([input.display().to_string()])
        .recipe(recipe.clone())
        .keep(KeepPolicy::First)
        .memory(256 << 20)
        .threads(1);
    let report = job.run(&out).unwrap();
    let mut kept = mirrors(&out);
    // Other tables of the job are lines of JSON as well.
    kept.retain(|line| line.starts_with(r#"{"id": "#));
    assert_eq!(report.kept, kept.len() as u64);
    kept
}

pub(crate) fn line(page: &Page) -> String {
    format!(r#"{{"id": "{}", "url": "{}", "text": "{}"}}"#, page.id, page.url, page.text)
}

fn mirrors(folder: &Path) -> BTreeSet<String> {
    let mut lines = BTreeSet::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            lines.extend(mirrors(&path));
        } else if path.extension().is_some_and(|extension| extension == "jsonl") {
            lines.extend(fs::read_to_string(path).unwrap().lines().map(str::to_owned));
        }
    }
    lines
}

fn kept_by_index(folder: &Path, corpus: &[Page], recipe: &Recipe) -> BTreeSet<String> {
    let options = OpenOptions::new().segment_postings(1000);
    let create = CreateOptions::new().open(options);
    let path = folder.join("index");
    let index = if recipe.templates.are_learned() {
        // What the job has learned.
        let learned = folder.join("out/documents.templates");
        let learned = TemplateFile::of_recipe(&learned, recipe).unwrap();
        let templates = learned.groups().map(|group| group.map_err(std::io::Error::other));
        Index::create_with_templates(&path, recipe, &create, templates).unwrap()
    } else {
        Index::create(&path, recipe, &create).unwrap()
    };
    let mut kept = BTreeSet::new();
    // Batches, for the sake of speed; each document sees those before it.
    for batch in corpus.chunks(50) {
        let documents: Vec<_> = batch
            .iter()
            .map(|page| Document::text(&page.id, &page.text).with_url(&page.url))
            .collect();
        let done = index.check_and_add_batch(&documents, AddIf::New).unwrap();
        let new = done.iter().zip(batch).filter(|(done, _)| done.added.is_some());
        kept.extend(new.map(|(_, page)| line(page)));
    }
    kept
}

#[test]
fn what_stays_online_is_what_the_batch_job_keeps() {
    for (number, preset) in PRESETS.iter().chain(&LEARNING_PRESETS).enumerate() {
        let folder = WorkFolder::create(None).unwrap();
        let recipe = Recipe::preset(preset).unwrap();
        let corpus = corpus(number as u64, 900);
        let expected = kept_by_job(&folder, &corpus, &recipe);
        let found = kept_by_index(&folder, &corpus, &recipe);
        assert!(expected.len() > 90 && expected.len() < 850, "{preset}: {}", expected.len());
        let differences: Vec<_> = expected.symmetric_difference(&found).take(3).collect();
        assert!(differences.is_empty(), "{preset}: {differences:?}");
    }
}

/// Where features in common are counted, an index looks each of them up.
#[test]
fn so_it_is_where_features_are_counted() {
    let folder = WorkFolder::create(None).unwrap();
    let recipe = Recipe {
        features: Some(Filter::new(40, 1, 30).unwrap()),
        sketch: SketchParameters::Minwise { permutations: 40 },
        ..Recipe::default()
    };
    assert_eq!(recipe.features_in_common(), Some(30));
    let corpus = corpus(99, 900);
    let expected = kept_by_job(&folder, &corpus, &recipe);
    assert!(expected.len() > 90 && expected.len() < 850, "{}", expected.len());
    assert_eq!(kept_by_index(&folder, &corpus, &recipe), expected);
}

/// Bottom and modular sketches make candidates of their own there, too.
#[test]
fn so_it_is_where_elements_of_sketches_are_counted() {
    for sketch in [
        SketchParameters::Bottom { size: 64 },
        SketchParameters::Modular { modulus: 3, size: Some(40) },
    ] {
        for verify in [Verify::Exact, Verify::Estimate] {
            let folder = WorkFolder::create(None).unwrap();
            let recipe = Recipe {
                features: None,
                candidates: Candidates::Sketch,
                keep_sketch: true,
                threshold: 0.6,
                sketch,
                verify,
                ..Recipe::default()
            };
            let corpus = corpus(98, 900);
            let expected = kept_by_job(&folder, &corpus, &recipe);
            assert!(expected.len() > 90 && expected.len() < 850, "{}", expected.len());
            assert_eq!(kept_by_index(&folder, &corpus, &recipe), expected, "{recipe:?}");
        }
    }
}

/// And where the words in their order decide.
#[test]
fn so_it_is_where_documents_are_compared_by_their_difference() {
    for preset in ["text", "pages", "henzinger-b"] {
        let folder = WorkFolder::create(None).unwrap();
        let threshold = 0.93;
        let verify = Verify::Difference;
        let recipe = Recipe { verify, threshold, ..Recipe::preset(preset).unwrap() };
        let corpus = corpus(96, 900);
        let expected = kept_by_job(&folder, &corpus, &recipe);
        assert!(expected.len() > 90 && expected.len() < 850, "{}", expected.len());
        assert_eq!(kept_by_index(&folder, &corpus, &recipe), expected, "{preset}");
    }
}

/// And where features are all that is kept.
#[test]
fn so_it_is_where_no_exact_fingerprint_is_kept() {
    for verify in [Verify::Exact, Verify::None] {
        let folder = WorkFolder::create(None).unwrap();
        let altavista = Recipe::preset("altavista").unwrap();
        let recipe = Recipe { keep_exact: false, verify, ..altavista };
        let corpus = corpus(97, 900);
        let expected = kept_by_job(&folder, &corpus, &recipe);
        assert!(expected.len() > 90 && expected.len() < 850, "{}", expected.len());
        assert_eq!(kept_by_index(&folder, &corpus, &recipe), expected, "{verify:?}");
    }
}

#[test]
fn templates_stay_with_the_index() {
    let folder = WorkFolder::create(None).unwrap();
    let recipe = Recipe::preset("sites").unwrap();
    let corpus = corpus(77, 900);
    kept_by_job(&folder, &corpus, &recipe);
    kept_by_index(&folder, &corpus, &recipe);
    let path = folder.join("index");
    // Pages of one frame with other contents: without templates they look alike.
    let frame = || (0..80).map(|w| format!("frame{w}"));
    let page = |own: &str| {
        let own = (0..12).map(|w| format!("{own}{w}"));
        frame().chain(own).collect::<Vec<_>>().join(" ")
    };
    let url = &corpus.iter().find(|page| page.text.starts_with("frame0")).unwrap().url;
    let check = |index: &Index, url: &str| {
        index.add(&Document::text("first", &page("first")).with_url(url)).unwrap();
        let second = page("second");
        let answer = index.check(&Document::text("", &second).with_url(url)).unwrap();
        index.remove("first").unwrap();
        answer.is_new()
    };
    let index = Index::open(&path, &OpenOptions::new()).unwrap();
    assert!(index.stats().unwrap().templates > 0);
    assert!(check(&index, url), "what they share is template");
    assert!(!check(&index, "http://elsewhere.example/1"), "a site without a template");
    index.verify().unwrap();
    let copy = folder.join("copy");
    index.snapshot(&copy).unwrap();
    let copy = Index::open(&copy, &OpenOptions::new()).unwrap();
    assert_eq!(copy.stats().unwrap().templates, index.stats().unwrap().templates);
    assert!(check(&copy, url));
    copy.verify().unwrap();
    // A recipe that needs templates is none for an index without.
    let error = Index::create(folder.join("none"), &recipe, &CreateOptions::new());
    assert!(error.unwrap_err().to_string().contains("templates"));
}

/// How often the keepers of a job were found, by their ids: what `counts.rs` defines, of its clusters.
fn counts_of_job(
    folder: &Path,
    corpus: &[Page],
    kept: &BTreeSet<String>,
) -> BTreeMap<String, Found> {
    let place = |id: &str| id[1..].parse::<usize>().unwrap();
    let alone = |page: &Page| Found::of([(place(&page.id), true)], corpus);
    let stays = |page: &&Page| kept.contains(&line(page));
    let mut found: BTreeMap<String, Found> =
        corpus.iter().filter(stays).map(|page| (page.id.clone(), alone(page))).collect();
    let clusters = Clusters::open(Run::open(folder.join("out")).unwrap(), 64 << 20).unwrap();
    let all = clusters.page(&ClusterFilter::default(), ClusterOrder::Input, 0, 1 << 20).unwrap();
    for cluster in all.clusters {
        let members = clusters.members(cluster.cluster, 0, u64::MAX).unwrap();
        let of = members.iter().map(|member| {
            (place(&member.document.id), member.kept || member.kind == Some(Kind::Exact))
        });
        found.insert(members[0].document.id.clone(), Found::of(of, corpus));
    }
    found
}

/// Copies, exact copies, sources, first and last.
#[derive(Debug, PartialEq)]
struct Found(u64, u64, u64, i64, i64);

impl Found {
    fn of(members: impl IntoIterator<Item = (usize, bool)>, corpus: &[Page]) -> Self {
        let members: Vec<_> = members.into_iter().collect();
        let sources: BTreeSet<_> =
            members.iter().map(|&(n, _)| lookalike_core::site(&corpus[n].url)).collect();
        let dates: BTreeSet<i64> = members.iter().map(|&(n, _)| date(n)).collect();
        let exact = members.iter().filter(|(_, exact)| *exact).count();
        let (first, last) = (dates.first().unwrap(), dates.last().unwrap());
        Self(members.len() as u64, exact as u64, sources.len() as u64, *first, *last)
    }
}

/// The date of a document, in no order.
fn date(n: usize) -> i64 {
    (mix(n as u64) % 1000).cast_signed() - 500
}

/// Filters snapshots one after another, each by an index that is opened anew and each twice, as
/// after an interruption.
fn filtered(index: &Path, corpus: &[Page], snapshots: &[usize]) -> BTreeMap<String, Found> {
    let mut rest = corpus;
    let options = OpenOptions::new().segment_postings(1000);
    let mut next = 0;
    for &length in snapshots {
        let snapshot;
        (snapshot, rest) = rest.split_at(length.min(rest.len()));
        let index = Index::open(index, &options).unwrap();
        for _ in 0..2 {
            let mut at = next;
            for batch in snapshot.chunks(40) {
                let documents: Vec<_> = (at..)
                    .zip(batch)
                    .map(|(n, page)| {
                        let document = Document::text(&page.id, &page.text).with_url(&page.url);
                        document.with_date(date(n))
                    })
                    .collect();
                index.check_and_add_batch(&documents, AddIf::New).unwrap();
                at += batch.len();
            }
        }
        index.compact().unwrap();
        next += snapshot.len();
    }
    let index = Index::open(index, &options).unwrap();
    index.verify().unwrap();
    let documents = index.documents().unwrap().map(Result::unwrap);
    let found = documents.map(|record| {
        let counts = index.counts(&record).unwrap();
        assert!(!counts.at_least);
        let (first, last) = (counts.first.unwrap(), counts.last.unwrap());
        (record.id, Found(counts.copies, counts.exact_copies, counts.sources, first, last))
    });
    found.collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 12, ..ProptestConfig::default() })]

    /// Crawls one after another keep what one job over all of them keeps, found as often.
    #[test]
    fn snapshots_one_after_another_are_one_job(
        seed in any::<u64>(),
        pages in 1_u64..300,
        mut snapshots in prop::collection::vec(0_usize..150, 1..5),
        preset in prop::sample::select(vec!["text", "altavista", "henzinger-c"]),
    ) {
        snapshots.push(usize::MAX);
        let folder = WorkFolder::create(None).unwrap();
        let recipe = Recipe::preset(preset).unwrap();
        let corpus = corpus(seed, pages);
        let kept = kept_by_job(&folder, &corpus, &recipe);
        let expected = counts_of_job(&folder, &corpus, &kept);
        let index = folder.join("index");
        drop(Index::create(&index, &recipe, &CreateOptions::new()).unwrap());
        prop_assert_eq!(filtered(&index, &corpus, &snapshots), expected);
    }
}
