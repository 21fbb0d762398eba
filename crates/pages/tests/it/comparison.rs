//! Two documents side by side, in a notebook.

use lookalike_core::text::Unit;
use lookalike_engine::report::marked_difference;
use lookalike_pages::{ComparisonView, comparison};

fn shown(a: &str, b: &str) -> String {
    let difference = marked_difference(Unit::Words, a.as_bytes(), "b", b.as_bytes());
    comparison(&ComparisonView {
        resemblance: 0.5,
        containment_a: 0.75,
        containment_b: 0.625,
        tokens: Unit::Words.into(),
        difference: &difference,
    })
}

#[test]
fn what_differs_is_marked_and_nothing_is_markup() {
    let html = shown("one two a<b>three</b> four", "one two & four\u{202e}");
    assert!(html.contains("<b>Resemblance 0.5000</b>; 0.7500 of the first is in the second"));
    assert!(html.contains("one two <del>a&lt;b&gt;three&lt;/b&gt;</del>"), "{html}");
    assert_eq!(html.matches("<b>").count(), 1, "{html}");
    assert!(!html.contains('\u{202e}'));
    assert!(shown("one two", "ONE, two").contains("No word differs"));
}

#[test]
fn no_style_leaves_it() {
    let html = shown("a", "b");
    let style = html.split("<style>").nth(1).unwrap().split("</style>").next().unwrap();
    let rules = style.lines().filter(|line| !line.is_empty());
    assert!(rules.clone().all(|rule| rule.starts_with(".lookalike-comparison ")), "{style}");
    assert!(rules.count() > 3);
}
