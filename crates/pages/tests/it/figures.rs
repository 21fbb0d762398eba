//! Pictures of an evaluation.

use std::io::Cursor;

use lookalike_core::Recipe;
use lookalike_pages::figures;

use crate::evaluation::{hostile, hostile_labels};
use crate::filter::assert_well_formed;

#[test]
fn figures_are_whole_whatever_recipes_are_called() {
    let (folder, job) = hostile("figures");
    let names = ["../a/b <&> \u{202e}", "text"];
    let recipes = names.map(|name| Recipe { name: name.to_owned(), ..Recipe::default() });
    let paper = Recipe::preset("pugh").unwrap();
    let job = job.recipes(recipes.into_iter().chain([paper]));
    let found = job.run(&hostile_labels(&folder)).unwrap();
    let figures = figures(&found).unwrap();
    let drawn: Vec<&str> = figures.iter().map(|figure| &*figure.name).collect();
    assert_eq!(drawn, ["recipes", "thresholds-1-___a_b______", "thresholds-2-text"]);
    for figure in &figures {
        assert_well_formed(&figure.svg);
        assert!(!figure.svg.contains('\u{202e}'), "{}", figure.name);
        for word in ["F1", "precision", "recall"] {
            assert!(figure.svg.contains(word), "{}: {word}", figure.name);
        }
        let reader = png::Decoder::new(Cursor::new(&figure.png)).read_info().unwrap();
        let height = if figure.name == "recipes" { 72 + 3 * 46 + 56 } else { 460 };
        assert_eq!((reader.info().width, reader.info().height), (2 * 640, 2 * height));
    }
    let curves = figures[1].svg.matches("<polyline").count();
    assert!(curves > 3, "{curves}: axes and three curves");
}
