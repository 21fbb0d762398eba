//! What is written of documents: `--write`, `--annotate`, `--repeat`.

use std::fs;
use std::path::Path;

use crate::{files, folder, path, report, run};

/// Three copies of one text and another text, as JSON lines and as a table; and as files.
fn input(folder: &Path) -> String {
    let copy = (0..60).map(|n| format!("word{n}")).collect::<Vec<_>>().join(" ");
    let other = "nothing like it";
    fs::create_dir_all(folder.join("in")).unwrap();
    let line = |text: &str| format!("{{\"text\":\"{text}\"}}\n");
    fs::write(folder.join("in/a.jsonl"), line(&copy) + &line(other) + &line(&copy)).unwrap();
    fs::write(folder.join("in/b.csv"), format!("text,n\n{copy},1\n\"{other} again\",2\n")).unwrap();
    fs::write(folder.join("in/c.txt"), &copy).unwrap();
    fs::write(folder.join("in/d.txt"), "a file of its own").unwrap();
    path(folder, "in")
}

#[test]
fn each_choice_has_a_folder_of_its_own() {
    let folder = folder("written-choices");
    let input = input(&folder);
    for (choice, names) in [
        ("kept", &["a.jsonl", "b.csv", "d.txt"][..]),
        ("all", &["a.jsonl", "b.csv", "c.txt", "d.txt"]),
        ("removed", &["a.jsonl", "b.csv", "c.txt"]),
        ("none", &[]),
    ] {
        let out = path(&folder, choice);
        let mut arguments = vec!["dedup", &input, "--out", &out, "--write", choice];
        arguments.extend((choice != "none").then_some("--annotate"));
        let ran = run(&arguments).succeeds();
        for other in ["kept", "all", "removed"] {
            let written = files(&Path::new(&out).join(other));
            let names = if other == choice { names } else { &[] };
            assert!(written.keys().eq(names), "{choice} {other}: {:?}", written.keys());
            assert_eq!(ran.stdout.contains(&format!("/{other} ")), other == choice, "{choice}");
        }
        if choice != "none" {
            ran.shows("note: Nothing was added to 2 documents in text files");
        }
    }
    let table = |choice: &str| fs::read_to_string(folder.join(choice).join(choice).join("b.csv"));
    let header = "text,n,lookalike_cluster,lookalike_copies,lookalike_keeper,lookalike_kind,\
                  lookalike_resemblance,lookalike_kept\n";
    assert!(table("all").unwrap().starts_with(header));
    let gone = table("removed").unwrap();
    let keeper = path(&folder, "in/a.jsonl#1");
    assert!(gone.ends_with(&format!(",1,0,4,{keeper},exact,1.0,false\n")), "{gone}");
    assert_eq!(gone.lines().count(), 2);
    assert!(table("kept").unwrap().ends_with("\n\"nothing like it again\",2,,1,,,,true\n"));
    let out = path(&folder, "old-name");
    run(&["dedup", &input, "--out", &out, "--no-write"]).succeeds();
    assert!(!Path::new(&out).join("kept").exists());
}

#[test]
fn a_name_that_is_taken_can_be_another_when_the_job_goes_on() {
    let folder = folder("written-taken");
    let input = path(&folder, "in");
    fs::create_dir_all(&input).unwrap();
    let line = |field: &str| format!("{{\"text\":\"a b c\"{field}}}\n");
    fs::write(folder.join("in/a.jsonl"), line("")).unwrap();
    fs::write(folder.join("in/b.jsonl"), line(",\"lookalike\":1")).unwrap();
    let out = path(&folder, "out");
    let base = ["dedup", &input, "--out", &out, "--annotate", "--write", "all", "--threads", "1"];
    let failed = run(&base);
    failed.fails_with("has a field `lookalike` already, so `lookalike.cluster` cannot be added");
    failed.says("hint: `--annotate-as NAME`");
    run(&[&base[..], &["--resume", "--annotate-as", "seen"]].concat()).succeeds();
    let all = files(&folder.join("out/all"));
    assert_eq!(all.len(), 2);
    assert!(all.values().all(|bytes| String::from_utf8_lossy(bytes).contains(",\"seen\":{")));
    // It is finished, and would have to be another.
    run(&[&base[..], &["--resume"]].concat()).fails_with("annotate");
    fs::write(folder.join("t.csv"), "text,lookalike_kept\na,b\n").unwrap();
    let table = path(&folder, "t.csv");
    let out = path(&folder, "table");
    let failed = run(&["dedup", &table, "--out", &out, "--annotate"]);
    failed.fails_with("has a column `lookalike_kept` already");
    failed.says("hint: `--annotate-as NAME`");
}

#[test]
fn what_cannot_be_read_stays_as_it_is() {
    let folder = folder("written-unreadable");
    fs::create_dir_all(folder.join("in")).unwrap();
    let input = path(&folder, "in");
    let lines = "{\"text\":\"a b c\"}\n{}\n[1]\n\"text\"\n{\"text\":\"d\",\"text\":\"e\"}";
    fs::write(folder.join("in/a.jsonl"), lines).unwrap();
    fs::write(folder.join("in/b.jsonl.gz"), "no gzip").unwrap();
    fs::write(folder.join("in/c.parquet"), "no table").unwrap();
    fs::write(folder.join("in/d.csv"), "id,text\n1,a,b\n").unwrap();
    fs::write(folder.join("in/e.csv"), "id,text\n").unwrap();
    let out = path(&folder, "out");
    let ran = run(&["dedup", &input, "--out", &out, "--write", "all", "--annotate"]);
    assert_eq!(ran.code, 3, "{}", ran.stderr);
    let written = files(&Path::new(&out).join("all"));
    let text = |name: &str| String::from_utf8_lossy(&written[name]).into_owned();
    assert_eq!((text("b.jsonl.gz"), text("c.parquet")), ("no gzip".into(), "no table".into()));
    let columns = "lookalike_cluster,lookalike_copies,lookalike_keeper,lookalike_kind,\
                   lookalike_resemblance,lookalike_kept";
    assert_eq!(text("d.csv"), format!("id,text,{columns}\n1,a,b,,,,,,\n"));
    assert_eq!(text("e.csv"), format!("id,text,{columns}\n"));
    let added = ",\"lookalike\":{\"cluster\":null,\"copies\":1,\"keeper\":null,\"kind\":null,\
                 \"resemblance\":null,\"kept\":true}}";
    let expected =
        lines.replace("c\"}", &format!("c\"{added}")).replace("e\"}", &format!("e\"{added}"));
    assert_eq!(text("a.jsonl"), expected);
}

#[test]
fn what_makes_no_sense_is_refused() {
    let folder = folder("written-refused");
    let input = input(&folder);
    let out = path(&folder, "out");
    for (options, message) in [
        (&["--write", "all"][..], "would be the inputs again"),
        (&["--write", "none", "--annotate"], "no documents are written"),
        (&["--annotate", "--annotate-as", "a.b"], "must be a name without dots"),
        (&["--repeat", "2:2"], "can be written once only"),
        (&["--repeat", "2:2", "--write", "all", "--annotate"], "only documents that stay"),
        (&["--weight"], "--repeat"),
        (&["--repeat", "2:0"], "times must be from 1 to 1000"),
        (&["--no-write", "--write", "kept"], "cannot be used with"),
    ] {
        let ran = run(&[&["dedup", &input, "--out", &out][..], options].concat());
        assert_eq!(ran.code, 2, "{options:?}");
        ran.says(message);
        assert!(!Path::new(&out).exists(), "{options:?}");
    }
    run(&["dedup", &input, "--out", &out, "--no-write"]).succeeds();
    let again = path(&folder, "again");
    run(&["decide", &out, "--out", &again, "--repeat", "2:2"]).fails_with("written once only");
    run(&["decide", &out, "--out", &again, "--repeat", "2:2", "--weight", "--write", "all"])
        .succeeds();
    let lines = fs::read_to_string(folder.join("again/all/a.jsonl")).unwrap();
    let weights: Vec<&str> = lines.lines().map(|line| line.rsplit_once(':').unwrap().1).collect();
    assert_eq!(weights, ["2}}", "1}}", "0}}"]);
    assert_eq!(report(Path::new(&again))["written"], "all");
}
