//! Random corpora: the job says what its naive twin says.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use lookalike_core::filter::Filter;
use lookalike_core::recipe::{BySite, Candidates, SketchParameters, Verify};
use lookalike_core::text::{Unit, spans};
use lookalike_core::{Given as _, Recipe, Sequence};
use lookalike_engine::matching::Clustering;
use lookalike_engine::report::Report;
use lookalike_engine::{Dedup, KeepPolicy, PairScope};
use proptest::prelude::*;
use serde_json::{Map, Value, json};

use crate::dedup::reference::{Answer, Document, Wish, answer};
use crate::dedup::tables::PairRow;
use crate::dedup::{folder, job, name, run, tables, words};

/// How a document is made; `of` is an earlier one.
#[derive(Clone, Debug)]
pub(super) enum Making {
    Fresh {
        length: usize,
    },
    Edited {
        of: usize,
        edits: usize,
    },
    Copied {
        of: usize,
    },
    /// A stretch of it, with some words changed.
    Part {
        of: usize,
        from: usize,
        length: usize,
        edits: usize,
    },
    Empty,
    OneWord,
}

pub(super) fn making() -> impl Strategy<Value = Making> {
    prop_oneof![
        3 => (1..90_usize).prop_map(|length| Making::Fresh { length }),
        6 => (any::<u16>(), 0..8_usize)
            .prop_map(|(of, edits)| Making::Edited { of: of.into(), edits }),
        2 => any::<u16>().prop_map(|of| Making::Copied { of: of.into() }),
        1 => (any::<u16>(), 0..60_usize, 1..60_usize, 0..3_usize)
            .prop_map(|(of, from, length, edits)| Making::Part { of: of.into(), from, length, edits }),
        1 => Just(Making::Empty),
        1 => Just(Making::OneWord),
    ]
}

/// A document in the making: how, and the seed of everything else about it.
pub(super) type Plan = Vec<(Making, u64)>;

/// Dates, what they are worth, and what is none.
fn dates() -> Vec<(Value, Option<i64>)> {
    vec![
        (json!("2024-01-02"), Some(3)),
        (json!("2024-01-02T00:00:00Z"), Some(3)),
        (json!(1_704_153_600), Some(3)),
        (json!("2023"), Some(2)),
        (json!("20230101"), Some(2)),
        (json!("1969-07-20T20:17:40+00:00"), Some(1)),
        (json!("2025-12-31 23:59:59.5"), Some(4)),
        (json!("yesterday"), None),
        (json!(""), None),
        (json!(true), None),
        (Value::Null, None),
    ]
}

/// What these dates are in microseconds, the smallest first.
const MOMENTS: [i64; 4] =
    [-14_182_940_000_000, 1_672_531_200_000_000, 1_704_153_600_000_000, 1_767_225_599_500_000];

fn numbers() -> Vec<(Value, Option<i64>)> {
    vec![
        (json!(-1000), Some(-1000)),
        (json!(0), Some(0)),
        (json!("-0"), Some(0)),
        (json!(7.0), Some(7)),
        (json!(" 7 "), Some(7)),
        (json!(true), Some(1)),
        (json!(1e300), Some(i64::MAX)),
        (json!("many"), None),
        (json!({"nested": 1}), None),
        (Value::Null, None),
    ]
}

/// Preferred are `wiki`, `3`, `true`, in this order.
fn origins() -> Vec<(Value, Option<i64>)> {
    vec![
        (json!("wiki"), Some(0)),
        (json!(3), Some(1)),
        (json!("3"), Some(1)),
        (json!(true), Some(2)),
        (json!("web"), None),
        (Value::Null, None),
    ]
}

/// The files of a corpus, what stands in them, and what is worth what.
#[derive(Default)]
pub(super) struct Corpus {
    pub(super) documents: Vec<Document>,
    /// The line of each document.
    pub(super) lines: Vec<String>,
    dates: Vec<Option<i64>>,
    numbers: Vec<Option<i64>>,
    origins: Vec<Option<i64>>,
    counted: Vec<Option<String>>,
}

const FILES: [&str; 3] = ["a.jsonl", "b.ndjson", "c/d.json"];

impl Corpus {
    pub(super) fn write(plan: &Plan, folder: &Path) -> Self {
        let mut corpus = Self::default();
        fs::create_dir_all(folder.join("c")).unwrap();
        for (number, file) in FILES.iter().enumerate() {
            // A third of the documents in each file.
            let share = |n: usize| n * plan.len() / FILES.len();
            let mut text = String::new();
            for (record, (making, seed)) in (1..).zip(&plan[share(number)..share(number + 1)]) {
                let source = name(&folder.join(file));
                let line = corpus.add(making, *seed, &source, record);
                text.push_str(&line);
                // The last line may have no end.
                if record % 5 != 0 {
                    text.push('\n');
                } else {
                    text.push_str("\r\n\n");
                }
            }
            fs::write(folder.join(file), text).unwrap();
        }
        corpus
    }

    pub(super) fn add(&mut self, making: &Making, seed: u64, source: &str, record: u64) -> String {
        let mut random = Sequence::new(seed, 5);
        let text = self.text(making, &mut random);
        let mut line = Map::new();
        let mut rank = |field: &str, values: Vec<(Value, Option<i64>)>| {
            let (value, rank) = values[random.next() as usize % values.len()].clone();
            // Now and then missing instead of null.
            if !value.is_null() || random.next().is_multiple_of(2) {
                line.insert(field.to_owned(), value);
            }
            rank
        };
        self.dates.push(rank("date", dates()));
        self.numbers.push(rank("score", numbers()));
        self.origins.push(rank("origin", origins()));
        self.counted.push(line.get("origin").and_then(|origin| match origin {
            Value::Null => None,
            Value::String(origin) => Some(origin.clone()),
            other => Some(other.to_string()),
        }));
        let id = match random.next() % 4 {
            0 => None,
            1 => Some(json!("same")),
            2 => Some(json!(random.next() % 50)),
            _ => Some(json!(format!("id-{}", random.next() % 1000))),
        };
        let url = [None, Some("http://a.example/x"), Some("https://b.example/y")]
            [random.next() as usize % 3];
        line.insert("unknown \u{e9}".to_owned(), json!([1, {"deep": null}]));
        if let Some(id) = &id {
            line.insert("id".to_owned(), id.clone());
        }
        if let Some(url) = url {
            line.insert("url".to_owned(), json!(url));
        }
        line.insert("text".to_owned(), json!(text));
        self.documents.push(Document {
            id: match id {
                None => format!("{source}#{record}"),
                Some(Value::String(id)) => id,
                Some(number) => number.to_string(),
            },
            text,
            url: url.map(str::to_owned),
            ranks: Vec::new(),
            counted: None,
            date: None,
            source: source.to_owned(),
            record,
        });
        let line = Value::Object(line).to_string();
        self.lines.push(line.clone());
        line
    }

    fn text(&self, making: &Making, random: &mut Sequence) -> String {
        let earlier = |of: usize| {
            let number = of.checked_rem(self.documents.len());
            number.map_or("", |number| &self.documents[number].text)
        };
        match making {
            Making::Fresh { length } => words(random, *length).join(" "),
            Making::Edited { of, edits } => edited(earlier(*of).split_whitespace(), *edits, random),
            Making::Part { of, from, length, edits } => {
                edited(earlier(*of).split_whitespace().skip(*from).take(*length), *edits, random)
            }
            // The same tokens.
            Making::Copied { of } => earlier(*of).to_uppercase().replace(' ', ",\n "),
            Making::Empty => ["", " \n", "?!", "..."][random.next() as usize % 4].to_owned(),
            Making::OneWord => ["one", "two"][random.next() as usize % 2].to_owned(),
        }
    }

    /// The documents with their ranks under a policy, and what is counted of them.
    fn ranked(&self, choice: &Choice) -> Vec<Document> {
        self.ranked_by(&choice.keep, choice.count, choice.recipe.tokens)
    }

    pub(super) fn ranked_by(&self, keep: &KeepPolicy, count: bool, unit: Unit) -> Vec<Document> {
        let mut documents = self.documents.clone();
        for (n, document) in documents.iter_mut().enumerate() {
            document.counted = if count {
                self.counted[n].clone()
            } else {
                // Of all documents without a site, the file.
                document.url.clone().or_else(|| Some(document.source.clone()))
            };
            document.date = self.dates[n].filter(|_| count).map(|date| MOMENTS[date as usize - 1]);
            let tokens = match unit {
                Unit::Words => {
                    let words = document.text.split(|c: char| !c.is_alphanumeric());
                    words.filter(|word| !word.is_empty()).count()
                }
                // What these are is not asked here.
                unit => spans(unit, &*document.text).len(),
            };
            let tokens = i64::try_from(tokens).unwrap();
            let rank = |key: &KeepPolicy| match key {
                KeepPolicy::Longest => Some(-tokens),
                KeepPolicy::Shortest => Some(tokens),
                KeepPolicy::Newest(_) => self.dates[n].map(|date| -date),
                KeepPolicy::Oldest(_) => self.dates[n],
                // i64::MIN has no opposite, but no number is that small.
                KeepPolicy::Max(_) => self.numbers[n].map(|number| -number),
                KeepPolicy::Min(_) => self.numbers[n],
                KeepPolicy::Prefer { .. } => self.origins[n],
                _ => None,
            };
            document.ranks = keep.keys().iter().map(rank).collect();
        }
        documents
    }
}

fn edited<'w>(words: impl Iterator<Item = &'w str>, edits: usize, random: &mut Sequence) -> String {
    let mut words: Vec<String> = words.map(str::to_owned).collect();
    for _ in 0..edits {
        let at = random.next() as usize % (words.len() + 1);
        let new = format!("new{}", random.next() % 100);
        match words.get_mut(at) {
            Some(word) if !random.next().is_multiple_of(4) => *word = new,
            _ => words.insert(at, new),
        }
    }
    words.join(" ")
}

pub(super) fn recipe(name: &str, verify: Verify) -> Recipe {
    let mut recipe = Recipe::preset(name).unwrap();
    recipe.verify = verify;
    recipe.keep_sketch |= verify == Verify::Estimate;
    // So that the few words of these texts are enough for the papers' recipes.
    recipe.shingles.width = recipe.shingles.width.min(4);
    recipe.threshold = 0.5;
    recipe
}

/// The recipe whose signatures have no projections.
pub(super) fn made_when_needed(recipe: Recipe) -> Recipe {
    Recipe { keep_projection: false, ..recipe }
}

fn recipes() -> Vec<Recipe> {
    let mut recipes = vec![
        recipe("text", Verify::Exact),
        recipe("text", Verify::Estimate),
        recipe("text", Verify::None),
        recipe("text", Verify::Difference),
        recipe("pages", Verify::Difference),
        Recipe { tokens: Unit::Characters, ..recipe("henzinger-sites", Verify::Difference) },
        recipe("henzinger-b", Verify::Estimate),
        Recipe::of_copies(),
    ];
    // So many choices that features in common are counted.
    let many = Filter::new(24, 1, 8).unwrap();
    for verify in [Verify::Exact, Verify::Estimate, Verify::None] {
        let sketch = SketchParameters::Minwise { permutations: 24 };
        recipes.push(Recipe { features: Some(many), sketch, ..recipe("text", verify) });
    }
    // Bottom and modular sketches, which make candidates of their own. Some of the documents have more elements
    // than there is room for.
    for sketch in [
        SketchParameters::Bottom { size: 40 },
        SketchParameters::Modular { modulus: 2, size: Some(30) },
    ] {
        for verify in [Verify::Exact, Verify::Estimate] {
            let (features, candidates) = (None, Candidates::Sketch);
            let text = recipe("text", verify);
            recipes.push(Recipe { features, sketch, candidates, keep_sketch: true, ..text });
        }
    }
    // Other rules within and across sites than Henzinger's own.
    for (within, across) in
        [(Candidates::Features, Candidates::None), (Candidates::Projection, Candidates::Features)]
    {
        let by_site = BySite { within, across };
        recipes.push(Recipe { by_site, ..recipe("henzinger-sites", Verify::None) });
    }
    // Projections that are made when they are needed.
    for verify in [Verify::Exact, Verify::None] {
        recipes.push(made_when_needed(recipe("henzinger-combined", verify)));
        let by_site = BySite { within: Candidates::Combined, across: Candidates::Features };
        recipes.push(made_when_needed(Recipe { by_site, ..recipe("henzinger-sites", verify) }));
    }
    for preset in lookalike_core::recipe::PRESETS.iter().skip(1) {
        recipes.push(recipe(preset, Verify::Exact));
        recipes.push(recipe(preset, Verify::None));
    }
    recipes
}

pub(super) const POLICIES: [&str; 11] = [
    "first",
    "longest",
    "shortest",
    "newest:date",
    "oldest:date",
    "max:score",
    "min:score",
    "prefer:origin=wiki,3,true",
    "prefer:origin=wiki,3,true then max:score then longest",
    "oldest:date then shortest then first",
    "shortest then newest:date",
];

#[derive(Clone, Debug)]
pub(super) struct Choice {
    pub(super) recipe: Recipe,
    pub(super) keep: KeepPolicy,
    pub(super) keep_count: usize,
    pub(super) lost: Option<f64>,
    pub(super) clustering: Clustering,
    pub(super) pairs: PairScope,
    pub(super) exact_only: bool,
    /// Whether values of a field and dates are counted.
    pub(super) count: bool,
    pub(super) threads: usize,
}

fn choice() -> impl Strategy<Value = Choice> {
    let recipe = prop_oneof![
        1 => Just(recipe("text", Verify::Exact)),
        1 => Just(recipe("text", Verify::Difference)),
        2 => prop::sample::select(recipes()),
    ];
    (
        recipe,
        prop::sample::select(POLICIES.to_vec()),
        prop_oneof![2 => Just(1_usize), 1 => 2..4_usize],
        prop::bool::weighted(0.3),
        any::<bool>(),
        prop::bool::weighted(0.1),
        any::<bool>(),
        1..4_usize,
    )
        .prop_map(|(recipe, keep, keep_count, components, all, exact_only, count, threads)| {
            Choice {
                recipe,
                keep: keep.parse().unwrap(),
                keep_count,
                lost: None,
                clustering: if components { Clustering::Components } else { Clustering::Anchored },
                pairs: if all { PairScope::All } else { PairScope::Needed },
                exact_only,
                count,
                threads,
            }
        })
}

/// Runs the job on a corpus and compares everything.
pub(super) fn check(corpus: &Corpus, folder: &Path, choice: &Choice) -> (Report, Answer) {
    let wish = Wish {
        recipe: &choice.recipe,
        keep_count: choice.keep_count,
        lost: choice.lost,
        by_rank: choice.keep != KeepPolicy::First,
        in_input_order: choice.keep.ends_in_input_order(),
        clustering: choice.clustering,
        pairs: choice.pairs,
        exact_only: choice.exact_only,
        known: 0,
    };
    let answer = answer(&wish, &corpus.ranked(choice));
    let (input, out) = (folder.join("in"), folder.join("out"));
    let job = job(&input)
        .recipe(choice.recipe.clone())
        .keep(choice.keep.clone())
        .keep_count(choice.keep_count as u32)
        .given(choice.lost, Dedup::lost)
        .clustering(choice.clustering)
        .pairs(choice.pairs)
        .when(choice.exact_only, Dedup::exact_only)
        .when(choice.count, |job| job.count("origin").date_field("date"))
        .threads(choice.threads);
    let report = run(&job, &out);

    assert_eq!(tables::clusters(&out), answer.clusters);
    check_pairs(&tables::pairs(&out), &answer, choice);
    check_kept(corpus, &answer.removed, &input, &out);
    let documents = corpus.documents.len() as u64;
    let clusters: BTreeSet<u64> = answer.clusters.iter().map(|row| row.cluster).collect();
    assert_eq!(report.documents, documents);
    assert_eq!(report.skipped, 0);
    assert_eq!(report.empty, answer.empty);
    assert_eq!(report.exact_removed, answer.exact_removed);
    assert_eq!(report.near_removed, answer.near_removed);
    assert_eq!(report.kept, documents - answer.removed.len() as u64);
    assert_eq!(report.clusters, clusters.len() as u64);
    check_counts(&report, &answer);
    assert_eq!(report.pairs, tables::pairs(&out).len() as u64);
    assert_eq!(report.sources.iter().map(|source| source.documents).sum::<u64>(), documents);
    let removed = report.sources.iter().map(|source| source.removed).sum::<u64>();
    assert_eq!(removed, answer.removed.len() as u64);
    (report, answer)
}

/// What the report says of counts follows from the rows of keepers.
fn check_counts(report: &Report, answer: &Answer) {
    let mut keepers: Vec<_> = answer.clusters.iter().filter(|row| row.kind == "keeper").collect();
    let beside = answer.clusters.iter().filter(|row| row.kept).count() - keepers.len();
    assert_eq!(report.kept_beside, beside as u64);
    let spread = |of: fn(&[u64; 3]) -> u64| {
        let mut spread = BTreeMap::new();
        for row in &keepers {
            *spread.entry(of(&row.counts)).or_insert(0) += 1;
        }
        spread
    };
    let alone = report.kept - (keepers.len() + beside) as u64;
    let mut copies = spread(|counts| counts[0]);
    copies.extend((alone > 0).then_some((1, alone)));
    let pairs = |spread: BTreeMap<u64, u64>| spread.into_iter().map(|(n, of)| [n, of]).collect();
    let (copies, sources): (Vec<_>, Vec<_>) = (pairs(copies), pairs(spread(|counts| counts[2])));
    assert_eq!((&report.counts.copies, &report.counts.sources), (&copies, &sources));
    keepers.sort_by_key(|row| (std::cmp::Reverse(row.counts[0]), row.row));
    let most = keepers.iter().take(20).map(|row| (row.id.clone(), row.counts));
    let listed = report.counts.most_repeated.iter();
    let listed = listed.map(|of| (of.id.clone(), [of.copies, of.exact_copies, of.sources]));
    assert_eq!(listed.collect::<Vec<_>>(), most.collect::<Vec<_>>());
}

fn check_pairs(pairs: &[PairRow], answer: &Answer, choice: &Choice) {
    let all = choice.pairs == PairScope::All;
    if all || choice.clustering == Clustering::Anchored {
        assert_eq!(pairs, answer.pairs);
        return;
    }
    // Which of the pairs connect a component is free, but they are pairs, and they do.
    assert!(pairs.iter().all(|pair| answer.possible_pairs.contains(pair)));
    let mut reached: BTreeSet<u64> =
        answer.clusters.iter().filter(|row| row.kind == "keeper").map(|row| row.row).collect();
    for _ in 0..answer.clusters.len() {
        for pair in pairs {
            if reached.contains(&pair.row_a) || reached.contains(&pair.row_b) {
                reached.extend([pair.row_a, pair.row_b]);
            }
        }
    }
    assert_eq!(reached, answer.clusters.iter().map(|row| row.row).collect());
}

/// Every file is there, with the lines of those that stay, and nothing else.
fn check_kept(corpus: &Corpus, removed: &BTreeSet<usize>, input: &Path, out: &Path) {
    for file in FILES {
        let source = name(&input.join(file));
        let rows = (0..corpus.documents.len()).filter(|&n| corpus.documents[n].source == source);
        let (stay, go): (Vec<_>, Vec<_>) = rows.partition(|row| !removed.contains(row));
        let kept = fs::read_to_string(out.join("kept").join(file)).unwrap();
        let lines: Vec<&str> = kept.lines().filter(|line| !line.is_empty()).collect();
        let expected: Vec<&str> = stay.iter().map(|&row| &*corpus.lines[row]).collect();
        assert_eq!(lines, expected, "{file}");
        if go.is_empty() {
            assert_eq!(kept, fs::read_to_string(input.join(file)).unwrap(), "{file}");
        }
    }
    assert_eq!(crate::dedup::files(&out.join("kept")).len(), FILES.len());
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]
    #[test]
    fn the_job_says_what_its_definition_says(
        plan in prop::collection::vec((making(), any::<u64>()), 0..48),
        choice in choice(),
    ) {
        let folder = folder("dedup/definition");
        let corpus = Corpus::write(&plan, &folder.join("in"));
        check(&corpus, &folder, &choice);
    }
}

/// Each recipe finds something in one corpus, so that the comparison above is not about nothing.
#[test]
fn every_recipe_and_policy_removes_something() {
    let folder = folder("dedup/every");
    let mut random = Sequence::new(3, 3);
    let plan: Plan = (0..60_usize)
        .map(|n| {
            let making = match n % 6 {
                0 => Making::Fresh { length: 80 },
                1 => Making::Copied { of: n / 2 },
                2 => Making::Empty,
                _ => Making::Edited { of: n - n % 6, edits: n % 3 },
            };
            (making, random.next())
        })
        .collect();
    let corpus = Corpus::write(&plan, &folder.join("in"));
    let keepers: BTreeSet<Vec<String>> = POLICIES
        .iter()
        .map(|policy| {
            let choice = Choice {
                recipe: recipe("text", Verify::Exact),
                keep: policy.parse().unwrap(),
                keep_count: 1,
                lost: None,
                clustering: Clustering::Anchored,
                pairs: PairScope::Needed,
                exact_only: false,
                count: true,
                threads: 2,
            };
            let (report, answer) = check(&corpus, &folder, &choice);
            assert!(report.exact_removed > 0 && report.near_removed > 0, "{policy}");
            answer.clusters.into_iter().map(|row| row.keeper).collect()
        })
        .collect();
    assert_eq!(keepers.len(), POLICIES.len(), "each policy keeps others");
    for recipe in recipes() {
        let choice = Choice {
            recipe,
            keep: KeepPolicy::First,
            keep_count: 2,
            lost: None,
            clustering: Clustering::Components,
            pairs: PairScope::All,
            exact_only: false,
            count: false,
            threads: 2,
        };
        let finds_near = choice.recipe.candidates != Candidates::None;
        let (report, _) = check(&corpus, &folder, &choice);
        assert_eq!(report.near_removed > 0, finds_near, "{}: {report:?}", choice.recipe.name);
    }
}
