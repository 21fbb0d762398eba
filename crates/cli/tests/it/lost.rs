//! Several of a cluster that stay, and documents that go by containment.

use std::fs;
use std::path::Path;

use crate::{folder, path, report, run};

/// A text of sixty words in three copies, of which one is in capitals and one in another text, as JSON lines.
fn input(folder: &Path) -> String {
    let words = |from: usize| (from..from + 60).map(|n| format!("word{n}")).collect::<Vec<_>>();
    let (part, whole) = (words(0).join(" "), (words(0).join(" "), words(60).join(" ")));
    let line = |id: &str, text: &str| format!("{{\"id\":\"{id}\",\"text\":\"{text}\"}}\n");
    let lines = [
        line("part", &part),
        line("capitals", &part.to_uppercase()),
        line("more", &format!("{part} more")),
        line("whole", &format!("{} {}", whole.0, whole.1)),
    ];
    fs::write(folder.join("in.jsonl"), lines.concat()).unwrap();
    path(folder, "in.jsonl")
}

#[test]
fn several_of_a_cluster_stay() {
    let folder = folder("keep-count");
    let (input, out) = (input(&folder), path(&folder, "out"));
    let ran =
        run(&["dedup", &input, "--out", &out, "--keep-count", "2", "--write", "all", "--annotate"]);
    let told = ran.succeeds();
    told.shows("3 of 4 documents stay, 1 goes");
    told.shows("stay beside the document that stands for them, up to 2 of a cluster");
    let told = report(&folder.join("out"));
    assert_eq!((&told["kept_beside"], &told["options"]["keep_count"]), (&1.into(), &2.into()));
    let written = fs::read_to_string(folder.join("out/all/in.jsonl")).unwrap();
    let decided: Vec<(bool, String)> = written
        .lines()
        .map(|line| {
            let said =
                serde_json::from_str::<serde_json::Value>(line).unwrap()["lookalike"].clone();
            (said["kept"].as_bool().unwrap(), said["kind"].as_str().unwrap_or("none").to_owned())
        })
        .collect();
    let expected = [(true, "keeper"), (true, "exact"), (false, "near"), (true, "none")];
    assert_eq!(decided, expected.map(|(kept, kind)| (kept, kind.to_owned())));
    let why = run(&["why", &out, "capitals"]).succeeds();
    why.shows(
        "kept: `capitals` has the same words in the same order as `part`, and stays beside it",
    );
    why.shows("documents, of which several stay");
    run(&["why", &out, "part"]).succeeds().shows("stays\n");
    let json = run(&["why", &out, "capitals", "--json"]).succeeds();
    assert!(json.stdout.contains("\"fate\":\"beside\""), "{}", json.stdout);

    let again = path(&folder, "again");
    run(&["decide", &out, "--out", &again, "--keep-count", "1", "--no-write"])
        .succeeds()
        .shows("2 of 4 documents stay, 2 go");
    let out = path(&folder, "refused");
    run(&["dedup", &input, "--out", &out, "--keep-count", "2", "--repeat", "1:1,2:2"])
        .fails_with("--repeat and --keep-count both say how often");
}

#[test]
fn a_part_goes_for_the_whole() {
    let folder = folder("lost");
    let (input, out) = (input(&folder), path(&folder, "out"));
    let told = run(&["dedup", &input, "--out", &out, "--lost", "0.02"]).succeeds();
    told.shows("1 of 4 documents stays, 3 go");
    told.shows("nearly all of each is in a longer one that stays, computed from the documents");
    // One shingle of five words in 57 has the word that is only there.
    told.shows("of their shingles, 1 of 169, and at most 2 % of one document");
    let why = run(&["why", &out, "more"]).succeeds();
    why.shows("removed: `more` is a near-duplicate of `whole`");
    why.shows(
        "0.9825  share of the document that is in its keeper; at most 0.02 of it may be lost",
    );
    let page = fs::read_to_string(folder.join("out/report.html")).unwrap();
    assert!(page.contains("at most a share of 0.02 of its shingles; of all that went 1 of 169"));
    assert!(!page.contains("a resemblance of 0.8 or more"), "no threshold decided");

    // By resemblance the whole stays beside its parts; decided again it takes them.
    let (plain, decided) = (path(&folder, "plain"), path(&folder, "decided"));
    run(&["dedup", &input, "--out", &plain]).succeeds().shows("2 of 4 documents stay");
    run(&["decide", &plain, "--out", &decided, "--lost", "0.02"]).succeeds().shows("3 go");
    let clusters = |out: &str| fs::read(Path::new(out).join("clusters.parquet")).unwrap();
    assert_eq!(clusters(&decided), clusters(&out));
    run(&["dedup", &input, "--out", &path(&folder, "x"), "--lost", "0.02", "--dry-run"]).succeeds();

    for (more, hint) in [
        (&["--keep", "first"][..], "--keep 'longest then first'"),
        (&["--exact-only"], "leave out `--exact-only`"),
        (&["--cluster", "components"], "leave out one of them"),
        (&["--recipe", "altavista"], "`--verify exact` does"),
        (&["--recipe", "sites"], "`--templates off` counts them"),
        (&["--threshold", "0.9"], "cannot be used with"),
    ] {
        let out = path(&folder, "refused");
        run(&[&["dedup", &input, "--out", &out, "--lost", "0.02"][..], more].concat())
            .fails_with(hint);
        assert!(!Path::new(&out).exists());
    }
}
