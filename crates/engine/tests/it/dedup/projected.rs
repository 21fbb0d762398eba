//! Projections that are made of documents when they are needed say what those in signatures say.

use std::fs;
use std::path::Path;

use lookalike_core::recipe::{BySite, Candidates, Verify};
use lookalike_core::{Layout, Recipe, Sequence};
use lookalike_engine::{Decide, Dedup, ErrorKind, KeepPolicy, PairScope};

use crate::dedup::equals_reference::{made_when_needed, recipe};
use crate::dedup::tables::PairRow;
use crate::dedup::{folder, job, name, run, tables, words};

/// Many versions of some texts on three sites, of which features make far more candidates than bits
/// leave.
fn corpus(path: &Path, seed: u64) {
    let mut random = Sequence::new(seed, 17);
    let texts: Vec<Vec<String>> = (0..12).map(|_| words(&mut random, 90)).collect();
    let lines = (0..300).map(|n| {
        let mut text = texts[random.next() as usize % texts.len()].clone();
        for _ in 0..random.next() % 14 {
            let at = random.next() as usize % text.len();
            text[at] = format!("new{}", random.next() % 1000);
        }
        let url = format!("http://www.site{}.example/{n}", random.next() % 3);
        let line =
            serde_json::json!({"id": format!("{seed}-{n}"), "url": url, "text": text.join(" ")});
        line.to_string() + "\n"
    });
    fs::write(path, lines.collect::<String>()).unwrap();
}

fn recipes() -> Vec<Recipe> {
    let by_site = BySite { within: Candidates::Features, across: Candidates::Combined };
    let mut recipes = Vec::new();
    for verify in [Verify::None, Verify::Exact, Verify::Estimate] {
        recipes.push(recipe("henzinger-combined", verify));
        recipes.push(Recipe { by_site, ..recipe("henzinger-sites", verify) });
    }
    recipes
}

/// Pairs without what is not kept.
fn pairs(out: &Path, kept: bool) -> Vec<PairRow> {
    let pairs = tables::pairs(out);
    let near = |pair: &&PairRow| pair.kind == "near";
    assert!(pairs.iter().filter(near).all(|pair| pair.c_similarity.is_some() == kept));
    pairs.into_iter().map(|pair| PairRow { c_similarity: None, ..pair }).collect()
}

/// Runs a job by both recipes, which must not matter.
fn check(folder: &Path, kept: &Recipe, what: &str, job: impl Fn(Recipe) -> Dedup) -> usize {
    let [a, b] = ["kept", "made"].map(|name| folder.join(name));
    let left = run(&job(kept.clone()), &a);
    let right = run(&job(made_when_needed(kept.clone())), &b);
    let what = format!("{what}, {} by {:?}", kept.name, kept.verify);
    assert_eq!(pairs(&a, true), pairs(&b, false), "{what}");
    assert_eq!(tables::clusters(&a), tables::clusters(&b), "{what}");
    assert_eq!((left.candidates, left.pairs), (right.candidates, right.pairs), "{what}");
    let bytes = |out: &Path| fs::metadata(out.join("documents.signatures")).unwrap().len();
    assert!(bytes(&b) < bytes(&a), "{what}");
    tables::pairs(&a).iter().filter(|pair| pair.kind == "near").count()
}

#[test]
fn pairs_are_those_of_projections_that_are_kept() {
    let folder = folder("dedup/projected");
    let [old, new] = ["old.jsonl", "new.jsonl"].map(|file| folder.join(file));
    corpus(&old, 1);
    corpus(&new, 2);
    let mut found = 0;
    for recipe in recipes() {
        let on = |recipe: Recipe| job(&new).recipe(recipe);
        found += check(&folder, &recipe, "plain", on);
        check(&folder, &recipe, "all pairs", |r| on(r).pairs(PairScope::All).threads(1));
        check(&folder, &recipe, "longest", |r| on(r).keep(KeepPolicy::Longest));
        check(&folder, &recipe, "known files", |r| on(r).known(name(&old)));
    }
    assert!(found > 40, "{found}");
}

#[test]
fn known_runs_and_later_decisions_make_them_too() {
    let folder = folder("dedup/projected-known");
    let [old, new] = ["old.jsonl", "new.jsonl"].map(|file| folder.join(file));
    corpus(&old, 1);
    // Some of the known ones once more.
    let again = fs::read_to_string(&old).unwrap().replace("\"1-", "\"again-").replace("w1", "x1");
    corpus(&new, 2);
    fs::write(&new, again + &fs::read_to_string(&new).unwrap()).unwrap();
    let kept = recipe("henzinger-combined", Verify::None);
    let [first, second] = [kept.clone(), made_when_needed(kept.clone())].map(|recipe| {
        let out = folder.join(format!("known-{}", recipe.keep_projection));
        run(&job(&old).recipe(recipe.clone()), &out);
        let found = folder.join(format!("found-{}", recipe.keep_projection));
        run(&job(&new).recipe(recipe.clone()).known(name(&out)), &found);
        let decided = folder.join(format!("decided-{}", recipe.keep_projection));
        let _ = fs::remove_dir_all(&decided);
        Decide::new(&out).keep(KeepPolicy::Longest).run(&decided).unwrap();
        [out, found, decided]
    });
    for (a, b) in first.iter().zip(&second) {
        assert_eq!(pairs(a, true), pairs(b, false));
        assert_eq!(tables::clusters(a), tables::clusters(b));
    }
    // By containment nothing asks for projections.
    let lost = |recipe: Recipe| job(&new).recipe(recipe).lost(0.2);
    check(&folder, &recipe("henzinger-combined", Verify::Exact), "lost", lost);
}

#[test]
fn signatures_without_projections_are_no_input() {
    let folder = folder("dedup/projected-refused");
    let input = folder.join("in.jsonl");
    corpus(&input, 3);
    let recipe = made_when_needed(recipe("henzinger-combined", Verify::None));
    let out = folder.join("out");
    run(&job(&input).recipe(recipe.clone()), &out);
    let signatures = out.join("documents.signatures");
    let again = Dedup::new([name(&signatures)]).recipe(recipe.clone());
    let error = again.run(folder.join("again")).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::NeedsDocuments { .. }), "{error}");
    assert!(error.to_string().contains("projections, which the recipe does not keep"), "{error}");
    // The space of Algorithm B.
    let b = Recipe::preset("henzinger-b").unwrap();
    assert_eq!(Layout::of(&recipe).bytes(), Layout::of(&b).bytes());
}
