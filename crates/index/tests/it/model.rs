//! The index against a model of it in twenty lines: random operations, reopened at random
//! moments, with segments so small that every path is taken. Answers are the same bit for bit.

use std::collections::BTreeMap;
use std::path::Path;

use crate::common::{Model, both, document, said};
use lookalike_core::{Given as _, Recipe};
use lookalike_files::WorkFolder;
use lookalike_index::{AddIf, CreateOptions, Document, Index, OpenOptions};
use proptest::prelude::*;

/// What is done to an index. Texts are made of a seed and of how much of it is changed.
#[derive(Clone, Debug)]
enum Step {
    Add { id: u8, text: Text },
    AddBatch(Vec<(u8, Text)>),
    Check(Text),
    CheckAndAdd { id: u8, text: Text, add_if_any: bool },
    CheckAndAddBatch(Vec<(u8, Text)>),
    Remove(u8),
    RemoveBatch(Vec<u8>),
    Load(Vec<(u8, Text)>),
    Reopen,
    Compact,
    Rebuild,
    Verify,
    Snapshot,
}

#[derive(Clone, Copy, Debug)]
struct Text {
    seed: u8,
    changed: u8,
}

impl Text {
    /// Words of a seed, some of them replaced; now and then none at all.
    fn words(self) -> String {
        let Self { seed, changed } = self;
        if seed == 0 && changed % 4 == 0 {
            return " ... ".to_owned();
        }
        let word = |n: u8| match n {
            n if n < changed => format!("c{seed}x{changed}x{n}"),
            n => format!("w{seed}x{n}"),
        };
        (0..60).map(word).collect::<Vec<_>>().join(" ")
    }
}

fn text() -> impl Strategy<Value = Text> {
    (0_u8..6, 0_u8..8).prop_map(|(seed, changed)| Text { seed, changed })
}

fn step() -> impl Strategy<Value = Step> {
    let id = || 0_u8..40;
    let some = || prop::collection::vec((0_u8..40, text()), 0..6);
    prop_oneof![
        4 => (id(), text()).prop_map(|(id, text)| Step::Add { id, text }),
        2 => some().prop_map(Step::AddBatch),
        4 => text().prop_map(Step::Check),
        4 => (id(), text(), any::<bool>())
            .prop_map(|(id, text, add_if_any)| Step::CheckAndAdd { id, text, add_if_any }),
        2 => some().prop_map(Step::CheckAndAddBatch),
        3 => id().prop_map(Step::Remove),
        1 => prop::collection::vec(id(), 0..6).prop_map(Step::RemoveBatch),
        1 => some().prop_map(Step::Load),
        2 => Just(Step::Reopen),
        1 => Just(Step::Compact),
        1 => Just(Step::Rebuild),
        1 => Just(Step::Verify),
        1 => Just(Step::Snapshot),
    ]
}

fn named(some: &[(u8, Text)]) -> Vec<(String, String)> {
    some.iter().map(|(id, text)| (id.to_string(), text.words())).collect()
}

fn documents(named: &[(String, String)]) -> Vec<Document<'_>> {
    named.iter().map(|(id, text)| document(id, text)).collect()
}

/// Does all steps to the model and to an index in a folder and one in memory, and compares.
fn run(steps: &[Step], recipe: &Recipe, store_text: bool, segment_postings: usize) {
    let folder = WorkFolder::create(None).unwrap();
    let path = folder.join("index");
    let options = OpenOptions::new().segment_postings(segment_postings).cache_bytes(1 << 20);
    let create =
        CreateOptions::new().when(!store_text, CreateOptions::without_text).open(options.clone());
    for (kind, index) in both(&path, recipe, &create).into_iter().enumerate() {
        let copies = folder.join(format!("copies-{kind}"));
        std::fs::create_dir(&copies).unwrap();
        run_on(index, steps, Model::new(recipe, store_text), &options, &copies);
    }
}

fn run_on(
    mut index: Index,
    steps: &[Step],
    mut model: Model,
    options: &OpenOptions,
    copies: &Path,
) {
    let path = index.path().to_owned();
    for (number, step) in steps.iter().enumerate() {
        match step {
            Step::Add { id, text } => {
                let (id, text) = (id.to_string(), text.words());
                let added = index.add(&document(&id, &text)).unwrap();
                assert_eq!((added.number, added.replaced), model.add(&id, &text));
            }
            Step::AddBatch(some) => {
                let named = named(some);
                let added = index.add_batch(&documents(&named)).unwrap();
                let added: Vec<_> = added.iter().map(|a| (a.number, a.replaced)).collect();
                let expected: Vec<_> = named.iter().map(|(id, text)| model.add(id, text)).collect();
                assert_eq!(added, expected);
            }
            Step::Check(text) => {
                let text = text.words();
                let answer = index.check(&Document::text("", &text)).unwrap();
                assert_eq!(said(&answer), model.check(&text));
            }
            Step::CheckAndAdd { id, text, add_if_any } => {
                let (id, text) = (id.to_string(), text.words());
                let add_if = if *add_if_any { AddIf::Any } else { AddIf::New };
                let done = index.check_and_add(&document(&id, &text), add_if).unwrap();
                let added = done.added.map(|a| (a.number, a.replaced));
                assert_eq!(
                    (said(&done.answer), added, done.counted),
                    model.check_and_add(&id, &text, *add_if_any)
                );
            }
            Step::CheckAndAddBatch(some) => {
                let named = named(some);
                let done = index.check_and_add_batch(&documents(&named), AddIf::New).unwrap();
                for (done, (id, text)) in done.into_iter().zip(&named) {
                    let added = done.added.map(|a| (a.number, a.replaced));
                    let said = (said(&done.answer), added, done.counted);
                    assert_eq!(said, model.check_and_add(id, text, false));
                }
            }
            Step::Remove(id) => {
                let id = id.to_string();
                assert_eq!(index.remove(&id).unwrap(), model.remove(&id));
            }
            Step::RemoveBatch(ids) => {
                let ids: Vec<String> = ids.iter().map(u8::to_string).collect();
                let removed = index.remove_batch(&ids).unwrap();
                let expected: Vec<bool> = ids.iter().map(|id| model.remove(id)).collect();
                assert_eq!(removed, expected);
            }
            Step::Load(some) => {
                let named = named(some);
                assert_eq!(index.load(documents(&named)).unwrap(), named.len() as u64);
                for (id, text) in &named {
                    model.add(id, text);
                }
            }
            // What is in memory stays open.
            Step::Reopen | Step::Rebuild if !path.exists() => {}
            Step::Reopen | Step::Rebuild => {
                drop(index);
                let rebuild = matches!(step, Step::Rebuild);
                index = Index::open(&path, &options.clone().when(rebuild, OpenOptions::rebuild))
                    .unwrap();
            }
            Step::Compact => index.compact().unwrap(),
            Step::Verify => {
                assert_eq!(index.verify().unwrap().documents, model.len());
            }
            Step::Snapshot => {
                let copy = copies.join(number.to_string());
                index.snapshot(&copy).unwrap();
                let copy = Index::open(&copy, options).unwrap();
                copy.verify().unwrap();
                model.compare_documents(&copy);
            }
        }
        assert_eq!(index.len(), model.len(), "after {step:?}");
    }
    model.compare_documents(&index);
    index.verify().unwrap();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, ..ProptestConfig::default() })]

    #[test]
    fn an_index_is_its_model(
        steps in prop::collection::vec(step(), 1..60),
        store_text in any::<bool>(),
        segment_postings in prop_oneof![Just(1_usize), Just(20), Just(200), Just(1 << 20)],
    ) {
        run(&steps, &Recipe::preset("text").unwrap(), store_text, segment_postings);
    }

    #[test]
    fn so_it_is_under_every_recipe(
        steps in prop::collection::vec(step(), 1..30),
        preset in prop::sample::select(lookalike_core::recipe::PRESETS.to_vec()),
    ) {
        run(&steps, &Recipe::preset(preset).unwrap(), true, 100);
    }
}

/// Lists longer than the limit, with tombstones in them, in one segment, in several, and in memory.
#[test]
fn hot_lists_are_read_in_order_and_to_the_limit() {
    let folder = WorkFolder::create(None).unwrap();
    let recipe = Recipe::preset("text").unwrap();
    for segment_postings in [500, 10_000, 1 << 20] {
        let path = folder.join(segment_postings.to_string());
        let options = OpenOptions::new().segment_postings(segment_postings);
        let create = CreateOptions::new().without_text().open(options);
        for index in both(&path, &recipe, &create) {
            hot_lists(&index, Model::new(&recipe, false));
        }
    }
}

fn hot_lists(index: &Index, mut model: Model) {
    // All of them share most of their features, and some all.
    let words = |n: usize| format!("{} n{}", Text { seed: 1, changed: 0 }.words(), n % 90);
    for n in 0..600 {
        let (id, text) = (n.to_string(), words(n));
        index.load([document(&id, &text)]).unwrap();
        model.add(&id, &text);
    }
    let mut limits: BTreeMap<bool, usize> = BTreeMap::new();
    for removed in [0, 1, 30, 200, 560] {
        let ids: Vec<String> = (0..removed).map(|n| n.to_string()).collect();
        index.remove_batch(&ids).unwrap();
        for id in &ids {
            model.remove(id);
        }
        for n in [0, 1, 89, 90] {
            let answer = index.check(&Document::text("", &words(n))).unwrap();
            *limits.entry(answer.limited).or_default() += 1;
            assert_eq!(said(&answer), model.check(&words(n)));
        }
    }
    assert!(limits[&true] > 0 && limits[&false] > 0);
}
