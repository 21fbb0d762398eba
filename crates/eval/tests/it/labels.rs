//! Labels of all kinds, good and bad.

use std::fs;
use std::path::Path;

use lookalike_core::Recipe;
use lookalike_eval::{
    AbsentRule, Error, ErrorKind, Eval, Evaluation, LabelFault, LabelFile, LabelRule,
};

use crate::{folder, name, page, write_pages};

/// Six documents: a, b and c hardly differ, d is the same as a, e and f are others.
fn documents(folder: &Path) -> std::path::PathBuf {
    let path = folder.join("pages.jsonl");
    let mut pages = ["a", "b", "c", "d", "e", "f"].map(|id| page(id, 0..300)).to_vec();
    pages[1].text += " one";
    pages[2].text += " two";
    pages[4] = page("e", 1000..1300);
    pages[5] = page("f", 2000..2300);
    write_pages(&path, &pages);
    path
}

fn job(folder: &Path) -> Eval {
    let recipe = Recipe::preset("henzinger-b").unwrap();
    Eval::new([name(&documents(folder))]).recipes([recipe]).memory(80 << 20).threads(1)
}

fn run(folder: &Path, lines: &str) -> Result<Evaluation, Error> {
    let path = folder.join("labels.jsonl");
    fs::write(&path, lines).unwrap();
    job(folder).run(&LabelFile::new(path))
}

#[test]
fn what_cannot_be_used_is_counted_and_named() {
    let folder = folder("bad-labels");
    let good = r#"{"a": "a", "b": "b", "label": "correct"}"#;
    let bad = [
        (r#"{"a": "a", "b": "#, "is not a JSON object"),
        (r#"["a", "b", "correct"]"#, "is not a JSON object"),
        (r#"{"a": "a", "label": "correct"}"#, "field `b` must be an id"),
        (r#"{"a": "a", "b": null, "label": "correct"}"#, "field `b` must be an id"),
        (r#"{"a": "a", "b": "nobody", "label": "correct"}"#, "there is no document `nobody`"),
        (r#"{"a": "c", "b": "c", "label": "correct"}"#, "pairs `c` with itself"),
        (r#"{"a": "a", "b": "c", "label": "perhaps"}"#, "undecided, and is `perhaps`"),
        (
            r#"{"a": "a", "b": "c", "verdict": "same"}"#,
            "field `label` must be one of correct, incorrect, undecided, and is missing: the line \
             has `a`, `b`, `verdict`",
        ),
        (r#"{"a": "a", "b": "c", "label": "correct", "weight": 0}"#, "a number above 0"),
        (r#"{"a": "a", "b": "c", "label": "correct", "weight": "2"}"#, "a number above 0"),
        (r#"{"a": "b", "b": "a", "label": "correct"}"#, "repeats line 1"),
        (r#"{"a": "b", "b": "a", "label": "incorrect"}"#, "contradicts line 1"),
    ];
    for (line, fault) in bad {
        let lines = format!("{good}\n\n{line}\n");
        let found = run(&folder, &lines).unwrap();
        assert_eq!((found.labels.skipped, found.labels.correct), (1, 1), "{line}");
        assert!(found.any_skipped());
        let path = folder.join("labels.jsonl");
        let strict = job(&folder).strict().run(&LabelFile::new(&path));
        let message = strict.unwrap_err().to_string();
        let place = format!("`{}` line 3: ", path.display());
        assert!(message.starts_with(&place) && message.contains(fault), "{message}");
        let alone = run(&folder, line);
        if !fault.contains("line 1") {
            let message = alone.unwrap_err().to_string();
            assert!(message.contains("no label that could be used") && message.contains(fault));
        }
    }
    assert!(run(&folder, "").unwrap_err().to_string().ends_with("in 0 lines"));
    let all: Vec<&str> = [good].into_iter().chain(bad.iter().map(|(line, _)| *line)).collect();
    let found = run(&folder, &all.join("\n")).unwrap();
    assert_eq!(found.labels.skipped, bad.len() as u64);
    assert_eq!(found.labels.skipped_by_fault.values().sum::<u64>(), bad.len() as u64);
    assert_eq!(found.labels.skipped_by_fault.len(), 6, "{:?}", found.labels.skipped_by_fault);
}

#[test]
fn ids_of_several_documents_are_refused_and_numbers_are_ids() {
    let folder = folder("ambiguous");
    let (documents, labels) = (folder.join("pages.jsonl"), folder.join("labels.jsonl"));
    let pages = [page("7", 0..300), page("8", 0..301), page("9", 400..500), page("9", 600..700)];
    write_pages(&documents, &pages);
    fs::write(
        &labels,
        "{\"a\": 7, \"b\": 8, \"label\": \"correct\"}\n{\"a\": 7, \"b\": 9, \"label\": \"correct\"}\n",
    )
    .unwrap();
    let job = Eval::new([name(&documents)]).memory(80 << 20);
    let found = job.run(&LabelFile::new(&labels)).unwrap();
    assert_eq!((found.labels.correct, found.labels.skipped), (1, 1));
    let error = job.strict().run(&LabelFile::new(&labels)).unwrap_err();
    let is = |fault: &LabelFault| matches!(fault, LabelFault::AmbiguousId(id) if id == "9");
    assert!(matches!(error.kind(), ErrorKind::Label { line: 2, fault, .. } if is(fault)));
}

#[test]
fn labels_of_identical_documents_are_left_out() {
    let folder = folder("identical");
    let lines = "{\"a\": \"a\", \"b\": \"d\", \"label\": \"correct\"}\n\
                 {\"a\": \"d\", \"b\": \"b\", \"label\": \"correct\"}\n\
                 {\"a\": \"a\", \"b\": \"b\", \"label\": \"correct\"}\n";
    let found = run(&folder, lines).unwrap();
    let labels = &found.labels;
    assert_eq!((labels.identical, labels.of_removed, labels.correct), (1, 1, 1));
    assert_eq!((found.identical_removed, found.recipes[0].pairs), (1, 3), "a, b and c");
    let counted = job(&folder).identical(lookalike_eval::CopyRule::Counted);
    let found = counted.run(&LabelFile::new(folder.join("labels.jsonl"))).unwrap();
    assert_eq!((found.labels.identical, found.labels.correct), (0, 3));
    assert_eq!(found.recipes[0].pairs, 6, "a, b, c and d");
}

#[test]
fn similarities_and_other_words_become_labels() {
    let folder = folder("rules");
    let path = folder.join("labels.jsonl");
    fs::write(
        &path,
        "{\"a\": \"a\", \"b\": \"b\", \"sim\": 0.9, \"rel\": \"same\"}\n\
         {\"a\": \"a\", \"b\": \"c\", \"sim\": 0.89999, \"rel\": \"revised\"}\n\
         {\"a\": \"b\", \"b\": \"c\", \"sim\": 0.6, \"rel\": \"new\"}\n\
         {\"a\": \"e\", \"b\": \"f\", \"sim\": 0.5, \"rel\": \"other\"}\n\
         {\"a\": \"e\", \"b\": \"a\", \"sim\": 1.5, \"rel\": \"odd\"}\n",
    )
    .unwrap();
    let mut file = LabelFile::new(&path);
    file.rule = LabelRule::Similarity { field: "sim".into(), correct_at: 0.9, undecided_at: 0.6 };
    assert_eq!(file.absent(), AbsentRule::Incorrect);
    let found = job(&folder).run(&file).unwrap();
    let counts = |found: &Evaluation| {
        let labels = &found.labels;
        [labels.correct, labels.incorrect, labels.undecided, labels.skipped]
    };
    assert_eq!(counts(&found), [1, 1, 2, 1]);
    let words = |values: &[&str]| values.iter().map(|&value| value.to_owned()).collect();
    file.rule = LabelRule::Values {
        field: "rel".into(),
        correct: words(&["same"]),
        incorrect: words(&["other", "new"]),
        undecided: words(&["revised"]),
    };
    assert_eq!(file.absent(), AbsentRule::Unlabelled);
    file.reason_field = "rel".into();
    let found = job(&folder).run(&file).unwrap();
    assert_eq!(counts(&found), [1, 2, 1, 1]);
    let reasons: Vec<&str> = found.recipes[0].reasons.iter().map(|row| &*row.reason).collect();
    assert_eq!(reasons, ["same", "new", "revised"]);
}

#[test]
fn what_cannot_be_evaluated_is_refused() {
    let folder = folder("refused");
    let lines = r#"{"a": "a", "b": "b", "label": "correct"}"#;
    let path = folder.join("labels.jsonl");
    fs::write(&path, lines).unwrap();
    let file = LabelFile::new(&path);
    let fails = |job: Eval, message: &str| {
        let error = job.run(&file).unwrap_err().to_string();
        assert!(error.contains(message), "{error}");
    };
    fails(job(&folder).against("no"), "no recipe is named `no`; there are: henzinger-b");
    fails(job(&folder).recipes([]), "the recipes: there is none");
    let b = Recipe::preset("henzinger-b").unwrap();
    fails(job(&folder).recipes([b.clone(), b.clone()]), "two are named `henzinger-b`");
    let many = (0..33).map(|n| Recipe { name: n.to_string(), ..b.clone() });
    fails(job(&folder).recipes(many), "more than 32");
    fails(job(&folder).max_candidates(2), "makes up to 4 candidates, where 2 are allowed");
    fails(job(&folder).memory(32 << 20), "of memory");
    let missing = LabelFile::new(folder.join("missing.jsonl"));
    assert!(job(&folder).run(&missing).is_err());
}

#[test]
fn results_depend_on_nothing_but_documents_and_seed() {
    let folder = folder("same");
    let lines = r#"{"a": "a", "b": "b", "label": "correct"}"#;
    let path = folder.join("labels.jsonl");
    fs::write(&path, lines).unwrap();
    let json = |job: Eval| {
        let found = job.run(&LabelFile::new(&path)).unwrap();
        let mut found = serde_json::to_value(&found).unwrap();
        // What it took is measured.
        for recipe in found["recipes"].as_array_mut().unwrap() {
            recipe["cost"] = serde_json::Value::Null;
        }
        found.to_string()
    };
    let expected = json(job(&folder));
    assert_eq!(json(job(&folder).threads(4).memory(1 << 30)), expected);
}

/// Counts documents that are signed.
#[derive(Default)]
struct Signed(std::sync::atomic::AtomicU64);

impl lookalike_engine::Observer for Signed {
    fn begin(&self, stage: lookalike_engine::Stage, _: Option<lookalike_engine::Work>) {
        if stage == lookalike_engine::Stage::Sign {
            self.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        }
    }
}

#[test]
fn labels_that_cannot_be_used_stop_before_documents_are_signed() {
    let folder = folder("before-signing");
    let path = folder.join("labels.jsonl");
    let cases = [
        (
            r#"{"a": "x", "b": "y", "label": "correct"}"#,
            "names no document that is there: it has `x`, `y`, and the documents are `a`, `b`, `c`",
        ),
        (r#"{"a": "a", "b": "b", "same": true}"#, "the line has `a`, `b`, `same`"),
        (r#"{"first": "a", "second": "b"}"#, "the line has `first`, `second`"),
        ("", "has no label that could be used, in 0 lines"),
    ];
    for (line, fault) in cases {
        fs::write(&path, line).unwrap();
        let signed = Signed::default();
        let error =
            job(&folder).run_observed(&LabelFile::new(&path), &signed).unwrap_err().to_string();
        assert!(error.contains(fault), "{error}");
        assert_eq!(signed.0.into_inner(), 0, "{line}");
    }
    // A long file is given up early.
    fs::write(&path, "{\"a\": \"a\", \"b\": \"b\"}\n".repeat(5000)).unwrap();
    let error = job(&folder).run(&LabelFile::new(&path)).unwrap_err().to_string();
    assert!(error.contains("no label that could be used, in the first 1,000 lines"), "{error}");
    // One that is known is enough; the others are counted.
    fs::write(
        &path,
        "{\"a\": \"x\", \"b\": \"y\", \"label\": \"correct\"}\n\
                      {\"a\": \"e\", \"b\": \"f\", \"label\": \"correct\"}\n",
    )
    .unwrap();
    let signed = Signed::default();
    let found = job(&folder).run_observed(&LabelFile::new(&path), &signed).unwrap();
    assert_eq!((found.labels.correct, found.labels.skipped), (1, 1));
    assert!(signed.0.into_inner() > 0);
}
