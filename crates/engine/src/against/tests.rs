//! The search against a naive one: every document with every reference.

use lookalike_core::recipe::Recipe;
use lookalike_core::shingle::{Counting, ShingleSet, Shingler};
use lookalike_core::text::Tokenizer;
use proptest::prelude::*;

use super::*;
use lookalike_core::Kernel;
use lookalike_core::resemblance::Overlap;

/// A match without what it borrows, and without its passage.
type Row = (String, String, u64, u64, [u64; 3]);

/// The path of a new file of these texts, as JSON lines.
fn file(folder: &Path, name: &str, texts: &[String]) -> String {
    let line = |(i, text): (usize, &String)| {
        format!(
            "{}
",
            serde_json::json!({"id": format!("{name}{i}"), "text": text})
        )
    };
    let path = folder.join(format!("{name}.jsonl"));
    fs::write(&path, texts.iter().enumerate().map(line).collect::<String>()).unwrap();
    path.to_str().unwrap().to_owned()
}

fn found(job: &Against) -> (Vec<Row>, Findings) {
    let mut rows = Vec::new();
    let findings = job.run(|found| {
        let Overlap { a, b, common } = found.overlap;
        let ids = (found.input.to_owned(), found.reference.to_owned());
        rows.push((
            ids.0,
            ids.1,
            found.input_row.into(),
            found.reference_row.into(),
            [a, b, common],
        ));
        ControlFlow::Continue(())
    });
    (rows, findings.unwrap())
}

/// What the search is defined as.
fn naive(job: &Against, references: &[String], inputs: &[String]) -> Vec<Row> {
    let job = job.with_ngram_shingles();
    let shingles = job.recipe.shingles;
    let tokens = |text: &String| {
        let mut tokens = Vec::new();
        Tokenizer::new(job.recipe.tokens).tokens(text.as_bytes(), &mut tokens);
        tokens
    };
    let set = |tokens: &[u64], width: usize| {
        let mut shingler = Shingler::new(Kernel::best(), width, shingles.counting);
        ShingleSet::of_tokens(&mut shingler, tokens)
    };
    let mut rows = Vec::new();
    for (i, input) in inputs.iter().enumerate() {
        for (r, reference) in references.iter().enumerate() {
            let (a, b) = (tokens(input), tokens(reference));
            if b.is_empty() || (b.len() as u64) < job.min_tokens {
                continue;
            }
            let width = shingles.width.min(b.len());
            let overlap = Overlap::of(Kernel::best(), &set(&a, width), &set(&b, width));
            let by_run = job.ngram.map(|_| overlap.common > 0);
            if by_run.unwrap_or(
                overlap.resemblance() >= job.recipe.threshold
                    || job.containment.is_some_and(|least| overlap.containment_b() >= least),
            ) {
                let Overlap { a, b, common } = overlap;
                let ids = (format!("input{i}"), format!("reference{r}"));
                rows.push((ids.0, ids.1, i as u64, r as u64, [a, b, common]));
            }
        }
    }
    rows
}

/// Texts of few different words, so that they have much in common.
fn texts(count: std::ops::Range<usize>) -> impl Strategy<Value = Vec<String>> {
    let words = ["rose", "is", "a", "the"].map(str::to_owned).to_vec();
    let word = prop::sample::select(words);
    let text = prop::collection::vec(word, 0..30).prop_map(|words| words.join(" "));
    // Half of them begin with another: boilerplate, and quotations.
    prop::collection::vec((text, any::<prop::sample::Index>(), any::<bool>()), count).prop_map(
        |drawn| {
            let all: Vec<String> = drawn.iter().map(|(text, ..)| text.clone()).collect();
            let text = |(text, other, joined): (String, prop::sample::Index, bool)| {
                if joined { format!("{} {text}", other.get(&all)) } else { text }
            };
            drawn.into_iter().map(text).collect()
        },
    )
}

fn job(references: &str, inputs: &str) -> Against {
    Against::new([references], [inputs]).threads(1)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn finds_what_a_naive_search_finds(
        (references, inputs) in (texts(1..25), texts(1..15)),
        (width, multiset) in (1..6_usize, any::<bool>()),
        (threshold, containment) in (0.05..1.0_f64, prop::option::of(0.05..=1.0_f64)),
        (min_tokens, ngram) in (0..6_u64, prop::option::of(1..9_usize)),
        (hot, memory) in (1..8_usize, prop::sample::select(vec![6_000_u64, 20_000, 1 << 30])),
    ) {
        let folder = WorkFolder::create(None).unwrap();
        let mut recipe = Recipe { threshold, ..Recipe::default() };
        recipe.shingles.width = width;
        recipe.shingles.counting = if multiset { Counting::Multiset } else { Counting::Set };
        let mut job = job(
            &file(&folder, "reference", &references),
            &file(&folder, "input", &inputs),
        )
        .recipe(recipe)
        .min_tokens(min_tokens)
        .memory(memory);
        job.containment = containment;
        job.ngram = ngram;
        job.hot = hot;
        let expected = naive(&job, &references, &inputs);
        let (rows, findings) = found(&job);
        prop_assert_eq!(&rows, &expected);
        prop_assert_eq!(findings.matches, expected.len() as u64);
        let distinct = |of: &dyn Fn(&Row) -> u64| {
            expected.iter().map(of).collect::<std::collections::BTreeSet<_>>().len() as u64
        };
        prop_assert_eq!(findings.documents_found, distinct(&|row| row.2));
        prop_assert_eq!(findings.references_found, distinct(&|row| row.3));
        prop_assert_eq!(findings.documents, inputs.len() as u64);
        prop_assert_eq!(findings.references, references.len() as u64);
        prop_assert_eq!(&found(&job.clone().threads(3)).0, &expected);
    }
}

fn numbered(words: std::ops::Range<usize>) -> String {
    words.map(|n| format!("word{n}")).collect::<Vec<_>>().join(" ")
}

#[test]
fn parts_and_hot_shingles_change_nothing() {
    let folder = WorkFolder::create(None).unwrap();
    // A frame that all have, and something of their own.
    let text = |n: usize| format!("{} {}", numbered(0..40), numbered(100 * n..100 * n + n % 30));
    let references: Vec<String> = (1..60).map(text).collect();
    let inputs: Vec<String> =
        (30..90).map(|n| format!("{} {}", numbered(7000..7040), text(n))).collect();
    let paths = [file(&folder, "reference", &references), file(&folder, "input", &inputs)];
    let mut job = job(&paths[0], &paths[1]);
    let expected = naive(&job, &references, &inputs);
    assert!(expected.len() > 1000, "{}", expected.len());
    let (rows, findings) = found(&job);
    assert_eq!((rows == expected, findings.passes, findings.slow_references), (true, 1, 0));
    job.hot = 5;
    let (rows, findings) = found(&job);
    assert!(rows == expected && findings.slow_references > 10, "{}", findings.slow_references);
    let (rows, findings) = found(&job.clone().memory(20_000));
    assert!(rows == expected && findings.passes > 5, "{}", findings.passes);
    assert!(job.memory(500).run(|_| ControlFlow::Continue(())).is_err());
}

#[test]
fn short_references_are_found_where_they_stand_or_counted() {
    let folder = WorkFolder::create(None).unwrap();
    let references = ["", "Yes.", "the answer is forty two", &numbered(0..8)].map(str::to_owned);
    let page = format!("{} So the answer is: forty-two! {}", numbered(9..50), numbered(0..8));
    let paths = [file(&folder, "reference", &references), file(&folder, "input", &[page])];
    let mut recipe = Recipe::default();
    recipe.shingles.width = 10;
    let job = job(&paths[0], &paths[1]).recipe(recipe).min_tokens(2);
    let (rows, findings) = found(&job);
    let ids: Vec<&str> = rows.iter().map(|row| &*row.1).collect();
    assert_eq!(ids, ["reference2", "reference3"]);
    assert_eq!((findings.empty_references, findings.short_references), (1, 1));
    assert_eq!(findings.short_examples, ["reference1"]);
}

#[test]
fn long_texts_and_repeats_are_counted_without_holding_them() {
    let folder = WorkFolder::create(None).unwrap();
    let reference = numbered(0..50);
    let path = folder.join("long.txt");
    // More than is held in memory, most of it repeats.
    let filler = format!("{}\n", numbered(100..1100));
    let mut text = filler.repeat((17 << 20) / filler.len() + 1);
    text += &reference;
    fs::write(&path, &text).unwrap();
    let references = file(&folder, "reference", std::slice::from_ref(&reference));
    let job = job(&references, path.to_str().unwrap());
    let (rows, _) = found(&job);
    let expected = naive(&job, &[reference], &[text]);
    assert_eq!(rows.len(), 1);
    assert_eq!(rows[0].4, expected[0].4);
}

#[test]
fn what_matches_is_left_out_of_the_clean_folder() {
    let folder = WorkFolder::create(None).unwrap();
    let inputs: Vec<String> = (0..6).map(|n| numbered(100 * n..100 * n + 60)).collect();
    let references = file(&folder, "reference", &[numbered(210..240)]);
    let path = file(&folder, "input", &inputs);
    let clean = folder.join("clean");
    let job = job(&references, &path).clean(&clean);
    let (rows, _) = found(&job);
    assert_eq!(rows.len(), 1);
    let before = fs::read_to_string(path).unwrap();
    let after = fs::read_to_string(clean.join("input.jsonl")).unwrap();
    let kept: Vec<&str> = before.lines().filter(|line| !line.contains("input2")).collect();
    assert_eq!(after.lines().collect::<Vec<_>>(), kept);
    assert!(job.run(|_| ControlFlow::Continue(())).is_err(), "it is not empty");
    assert!(!folder.join("clean.partial").exists());
}

#[test]
fn matches_come_back_from_a_file() {
    let folder = WorkFolder::create(None).unwrap();
    let texts: Vec<String> = (0..3).map(|n| numbered(n..n + 60)).collect();
    let paths = [file(&folder, "reference", &texts), file(&folder, "input", &texts)];
    for name in ["x.jsonl", "x.parquet"] {
        let path = folder.join(name);
        let job = job(&paths[0], &paths[1]);
        let mut file = job.create_file(&path, crate::Existing::Refuse).unwrap();
        assert!(file.partial_path().exists());
        let mut lines = Vec::new();
        let findings = job.run(|found| {
            lines.push(found.to_json());
            file.push(found).unwrap();
            ControlFlow::Continue(())
        });
        file.finish().unwrap();
        assert_eq!(findings.unwrap().matches, 9);
        assert!(job.create_file(&path, crate::Existing::Refuse).is_err());
        let mut options = ReadOptions::default();
        options.fields.text = "input".to_owned();
        options.fields.id = "reference_row".to_owned();
        let source = lookalike_corpus::Source::file(&path, None).unwrap();
        let mut rows = Vec::new();
        for chunk in source.chunks(&options) {
            chunk.unwrap().for_each(|record| {
                let record = record.unwrap();
                rows.push((
                    String::from_utf8(record.content.to_vec()).unwrap(),
                    record.id.to_string(),
                ));
            });
        }
        let expected = lines.iter().map(|line| {
            (line["input"].as_str().unwrap().to_owned(), line["reference_row"].to_string())
        });
        assert_eq!(rows, expected.collect::<Vec<_>>(), "{name}");
    }
}

/// Passages as they are found, with the ids of both sides.
fn passages(job: &Against) -> (Vec<(String, String, Passage)>, Findings) {
    let mut rows = Vec::new();
    let findings = job.run(|found| {
        let passage = found.passage.unwrap().clone();
        rows.push((found.input.to_owned(), found.reference.to_owned(), passage));
        ControlFlow::Continue(())
    });
    (rows, findings.unwrap())
}

#[test]
fn a_run_of_words_is_shown_as_it_stands_on_both_sides() {
    let folder = WorkFolder::create(None).unwrap();
    let run = |n: usize| numbered(1000 * n..1000 * n + 13);
    let references: Vec<String> =
        (0..40).map(|n| format!("{} {} tail{n}", numbered(0..n), run(n + 1))).collect();
    let shouted = run(3).to_uppercase().replace(' ', ",\n");
    let near = run(4).rsplit_once(' ').unwrap().0.to_owned();
    let inputs = [
        format!("Before it: {shouted}! And behind."),
        format!("twelve words only: {near} and behind"),
        format!("{} {}", run(7), run(6)),
    ];
    let paths = [file(&folder, "reference", &references), file(&folder, "input", &inputs)];
    let job = job(&paths[0], &paths[1]).ngram(13);
    let (rows, findings) = passages(&job);
    let ids: Vec<_> = rows.iter().map(|row| (&*row.0, &*row.1)).collect();
    assert_eq!(ids, [("input0", "reference2"), ("input2", "reference5"), ("input2", "reference6")]);
    assert_eq!((findings.matches, findings.passes), (3, 1));
    let first = &rows[0].2;
    assert_eq!((first.words, first.input_word, first.reference_word), (13, 2, 2));
    assert_eq!((&first.input_text, &first.reference_text), (&shouted, &run(3)));
    assert_eq!((rows[1].2.input_word, rows[1].2.reference_word), (13, 5));
    // In parts, on other threads, and from files.
    let (parts, findings) = passages(&job.clone().memory(20_000).threads(3));
    assert!(parts == rows && findings.passes > 2, "{}", findings.passes);
    assert!(job.clone().ngram(0).run(|_| ControlFlow::Continue(())).is_err());
    let path = folder.join("passages.parquet");
    let mut file = job.create_file(&path, crate::Existing::Refuse).unwrap();
    let pushed = job.run(|found| match file.push(found) {
        Ok(()) => ControlFlow::Continue(()),
        Err(_) => ControlFlow::Break(()),
    });
    assert_eq!(pushed.unwrap().matches, 3);
    file.finish().unwrap();
    let mut options = ReadOptions::default();
    options.fields.text = "input_passage".to_owned();
    options.fields.id = "words".to_owned();
    let mut texts = Vec::new();
    for chunk in lookalike_corpus::Source::file(&path, None).unwrap().chunks(&options) {
        chunk.unwrap().for_each(|record| {
            let record = record.unwrap();
            texts.push((
                record.id.to_string(),
                String::from_utf8_lossy(&record.content).into_owned(),
            ));
        });
    }
    let expected = [&shouted, &run(6), &run(7)].map(|text| ("13".to_owned(), text.clone()));
    assert_eq!(texts, expected);
}
