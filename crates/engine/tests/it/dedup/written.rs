//! What is written of documents: which of them, how often, and with what added.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use lookalike_core::Sequence;
use lookalike_engine::{Decide, Dedup, KeepPolicy, PassageRule, Repeats, Written};
use serde_json::{Value, json};

use super::tables::{ClusterRow, clusters};
use super::{files, folder, job, run, words};

/// Lines of documents, of which some are versions of others, some are copies, and some cannot be read.
fn lines(seed: u64, count: usize) -> Vec<String> {
    let mut random = Sequence::new(seed, 0);
    let families: Vec<_> = (0..count / 4).map(|_| words(&mut random, 80)).collect();
    (0..count)
        .map(|number| {
            let mut text = families[random.next() as usize % families.len()].clone();
            match random.next() % 5 {
                0 => text = words(&mut random, 80),
                1 => text[3] = format!("edited{number}"),
                2 => return "{\"id\": \"none\"}".to_owned(),
                _ => {}
            }
            // As nobody would write it again.
            format!(
                "{{ \"id\":\"d{number}\",\"n\" : 1.50, \"text\":\"{}\" }} ",
                text.join("\\u0020")
            )
        })
        .collect()
}

/// What is added to the documents of a run, by their ids, from its table of clusters.
fn expected(out: &Path) -> BTreeMap<String, Value> {
    let value = |row: &ClusterRow| {
        json!({
            "cluster": row.cluster, "copies": row.size, "keeper": row.keeper, "kind": row.kind,
            "resemblance": row.resemblance, "kept": row.kept,
        })
    };
    clusters(out).iter().map(|row| (row.id.clone(), value(row))).collect()
}

fn alone() -> Value {
    json!({
        "cluster": null, "copies": 1, "keeper": null, "kind": null, "resemblance": null, "kept": true,
    })
}

/// A line without what was added, and that; `None` if nothing was.
fn without_added(line: &str) -> (String, Option<Value>) {
    let Some((before, after)) = line.rsplit_once(",\"lookalike\":") else {
        return (line.to_owned(), None);
    };
    let end = after.rfind('}').unwrap();
    (format!("{before}{}", &after[end..]), Some(serde_json::from_str(&after[..end]).unwrap()))
}

fn written(out: &Path, folder: &str) -> Vec<String> {
    let text = fs::read_to_string(out.join(folder).join("a.jsonl")).unwrap();
    text.lines().map(str::to_owned).collect()
}

#[test]
fn records_say_what_the_table_of_clusters_says_and_are_else_the_same_bytes() {
    for (seed, keep) in [(1, KeepPolicy::First), (2, KeepPolicy::Longest)] {
        let folder = folder(&format!("written-annotated-{seed}"));
        let input = folder.join("a.jsonl");
        let lines = lines(seed, 300);
        fs::write(&input, lines.join("\n") + "\n").unwrap();
        let job = |threads: usize| job(&input).keep(keep.clone()).annotate().threads(threads);
        let (all, kept, removed) = (folder.join("all"), folder.join("kept"), folder.join("gone"));
        run(&job(3).write(Written::All), &all);
        run(&job(1), &kept);
        run(&job(2).write(Written::Removed), &removed);
        let expected = expected(&all);
        assert!(expected.values().filter(|value| value["kept"] == false).count() > 30);

        let found = written(&all, "all");
        assert_eq!(found.len(), lines.len());
        for (line, found) in lines.iter().zip(&found) {
            let (bytes, added) = without_added(found);
            assert_eq!(&bytes, line);
            let document: Value = serde_json::from_str(line).unwrap();
            let of_id = expected.get(document["id"].as_str().unwrap());
            let should = document.get("text").map(|_| of_id.cloned().unwrap_or_else(alone));
            assert_eq!(added, should, "{line}");
        }
        // The others are parts of that.
        let kept_is = |line: &&String| without_added(line).1.map(|added| added["kept"] == true);
        let stay: Vec<_> = found.iter().filter(|line| kept_is(line) != Some(false)).collect();
        assert!(written(&kept, "kept").iter().eq(stay));
        let go: Vec<_> = found.iter().filter(|line| kept_is(line) == Some(false)).collect();
        assert!(written(&removed, "removed").iter().eq(go));

        // From the run, the same again.
        let decided = folder.join("decided");
        Decide::new(&kept).annotate().write(Written::All).run(&decided).unwrap();
        assert!(files(&decided.join("all")) == files(&all.join("all")));
    }
}

#[test]
fn documents_are_repeated_by_their_copies_or_have_weights() {
    let folder = folder("written-repeated");
    let input = folder.join("a.jsonl");
    let lines = lines(3, 200);
    fs::write(&input, lines.join("\n")).unwrap();
    let plain = folder.join("plain");
    run(&job(&input), &plain);
    let repeats: Repeats = "2:2,5:4".parse().unwrap();
    let (repeated, weighed) = (folder.join("repeated"), folder.join("weighed"));
    Decide::new(&plain).repeat(repeats.clone()).run(&repeated).unwrap();
    Decide::new(&plain).repeat(repeats).weigh().annotate_as("w").run(&weighed).unwrap();
    let copies = expected(&plain);
    let mut expected = Vec::new();
    let mut weights = Vec::new();
    for line in written(&plain, "kept") {
        let document: Value = serde_json::from_str(&line).unwrap();
        let copies = copies.get(document["id"].as_str().unwrap());
        let times = match copies.map_or(1, |value| value["copies"].as_u64().unwrap()) {
            _ if document.get("text").is_none() => 1,
            1 => 1,
            2..5 => 2,
            _ => 4,
        };
        expected.extend(std::iter::repeat_n(line, times));
        weights.push(document.get("text").map(|_| json!({ "weight": times })));
    }
    assert!(expected.len() > weights.len() + 20);
    assert_eq!(written(&repeated, "kept"), expected);
    let found = written(&weighed, "kept");
    let found = found.iter().map(|line| without_added(&line.replace("\"w\":", "\"lookalike\":")).1);
    assert!(found.eq(weights));
}

#[test]
fn passages_are_annotated_and_not_cut() {
    let folder = folder("written-passages");
    let input = folder.join("a.jsonl");
    let notice = (0..30).map(|n| format!("notice{n}")).collect::<Vec<_>>().join(" ") + " ";
    let texts =
        [format!("one {notice}"), "two".to_owned(), format!("{notice}three"), notice.clone()];
    let line = |text: &String| json!({ "text": text }).to_string() + "\n";
    let lines: String = texts.iter().map(line).collect();
    fs::write(&input, &lines).unwrap();
    let rule = PassageRule::default().min_words(20).cut(lookalike_engine::CutUnit::Words);
    let out = folder.join("out");
    let job = Dedup::new([super::name(&input)]).all_documents().passages(rule).annotate();
    let report = run(&job, &out);
    let passages = report.passages.unwrap();
    assert!(passages.annotated && passages.documents_gone == 0 && passages.documents == 2);
    let length = notice.trim_end().len();
    let span = |begin: usize, end: usize| {
        json!([{
            "begin": begin, "end": end, "words": 30, "copies": 3, "keeper": format!("{}#1", super::name(&input)),
            "keeper_begin": 4, "keeper_end": 4 + length,
        }])
    };
    let spans = [json!([]), json!([]), span(0, notice.len()), span(0, notice.len())];
    let found = written(&out, "kept");
    for ((found, line), spans) in found.iter().zip(lines.lines()).zip(spans) {
        let (bytes, added) = without_added(found);
        assert_eq!((&*bytes, added), (line, Some(json!({ "passages": spans }))));
    }
}
