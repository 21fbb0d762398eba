//! People who judged the same pairs.

use std::fs;

use lookalike_eval::{Judgements, Label, LabelFile};
use serde_json::{Value, json};

use crate::folder;

fn line(a: &str, b: &str, label: &str, reason: &str) -> String {
    json!({"a": a, "b": b, "label": label, "reason": reason, "weight": 2.5}).to_string() + "\n"
}

#[test]
fn judges_agree_as_far_as_their_labels_do() {
    let folder = folder("agreement");
    let files = ["ada", "ben", "eve"].map(|name| folder.join(format!("{name}.jsonl")));
    let ada = [
        line("1", "2", "correct", "URL only"),
        line("3", "4", "incorrect", ""),
        line("5", "6", "undecided", "form"),
        line("7", "8", "correct", ""),
    ];
    let ben = [
        // The other way round is the same pair.
        line("2", "1", "correct", "time stamp only"),
        line("3", "4", "correct", ""),
        line("5", "6", "undecided", "form"),
        line("5", "6", "correct", "said too late"),
        "no label\n".to_owned(),
    ];
    let eve = [line("1", "2", "correct", ""), line("5", "6", "incorrect", "other form")];
    for (file, lines) in files.iter().zip([&ada[..], &ben, &eve]) {
        fs::write(file, lines.concat()).unwrap();
    }
    let files = files.map(LabelFile::new);
    let judgements = Judgements::read(&files, false).unwrap();
    let found = judgements.agreement();
    let skipped: Vec<(u64, u64)> = found.judges.iter().map(|j| (j.pairs, j.skipped)).collect();
    assert_eq!(skipped, [(4, 0), (3, 2), (2, 0)]);
    assert_eq!((found.shared, found.by_all, found.disagreeing), (3, 2, 2));
    assert_eq!(found.unanimous.map(|share| share.number), Some(1));
    let two = &found.two[0];
    assert_eq!((two.judges, two.pairs), ([0, 1], 3));
    // Rows are what the first says.
    assert_eq!(two.table, [[1, 0, 0], [1, 0, 0], [0, 0, 1]]);
    // 2 of 3 agree; by chance 1/3 * 2/3 + 1/3 * 0 + 1/3 * 1/3 = 1/3.
    assert!((two.cohen.unwrap() - 0.5).abs() < 1e-12);
    assert_eq!(
        found.two.iter().map(|two| two.judges).collect::<Vec<_>>(),
        [[0, 1], [0, 2], [1, 2]]
    );
    let [first, second] = &found.disagreements[..] else { panic!("{found:?}") };
    assert_eq!(
        (&*first.a, &*first.b, &*second.a),
        ("3", "4", "5"),
        "correct against incorrect first"
    );
    assert!(first.opinions[2].is_none());
    assert_eq!(second.opinions[2].as_ref().unwrap().label, Label::Incorrect);

    let majority: Vec<Value> =
        judgements.majority().lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let told: Vec<(&str, &str, &str, u64)> = majority
        .iter()
        .map(|line| {
            let text = |name: &str| line[name].as_str().unwrap();
            (text("a"), text("label"), text("reason"), line["judges"].as_u64().unwrap())
        })
        .collect();
    assert_eq!(
        told,
        [
            ("1", "correct", "URL only", 3),
            ("3", "undecided", "judges disagree", 2),
            ("5", "undecided", "form", 3),
            ("7", "correct", "", 1),
        ]
    );
    assert!(majority.iter().all(|line| line["weight"] == 2.5));
    let error = Judgements::read(&files, true).unwrap_err().to_string();
    assert!(error.contains("ben.jsonl` line 5: is not a JSON object"), "{error}");
}

#[test]
fn what_is_no_agreement_is_refused() {
    let folder = folder("agreement-refused");
    let file = folder.join("labels.jsonl");
    fs::write(&file, line("1", "2", "correct", "")).unwrap();
    let file = LabelFile::new(file);
    let error = Judgements::read(std::slice::from_ref(&file), false).unwrap_err().to_string();
    assert!(error.contains("two labels files or more"), "{error}");
    let empty = folder.join("empty.jsonl");
    fs::write(&empty, "").unwrap();
    let error = Judgements::read(&[file.clone(), LabelFile::new(empty)], false).unwrap_err();
    assert!(error.to_string().contains("empty.jsonl`: has no label"), "{error}");
    // Two who say the same of everything, which is one thing: there is nothing that chance leaves.
    let alike = Judgements::read(&[file.clone(), file], false).unwrap().agreement();
    assert_eq!((alike.fleiss, alike.two[0].cohen), (None, None));
    assert_eq!(alike.unanimous.map(|share| share.number), Some(1));
    assert!(alike.disagreements.is_empty());
}
