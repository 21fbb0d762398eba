//! `lookalike index`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use serde_json::Value;

use super::{Run, folder, json_values, path, run, run_with_input};

/// A text of words that no other number has, with some of them changed.
fn text(number: u64, changed: u64) -> String {
    let word =
        |n: u64| if n < changed { format!("x{number}y{n}") } else { format!("w{number}v{n}") };
    (0..80).map(word).collect::<Vec<_>>().join(" ")
}

/// 300 documents: of each three of which two are copies or near copies of an earlier one.
fn corpus(folder: &Path) -> String {
    let line = |n: u64| {
        let (of, changed) = if n.is_multiple_of(3) { (n, 0) } else { (n / 7 * 3 % 300, n % 6) };
        format!("{{\"id\": \"d{n}\", \"n\": {n}, \"text\": \"{}\"}}\n", text(of, changed))
    };
    let lines: String = (0..300).map(line).collect();
    let file = path(folder, "corpus.jsonl");
    fs::write(&file, lines).unwrap();
    file
}

fn ids(lines: &str) -> BTreeSet<String> {
    let records = json_values(lines).into_iter();
    records.map(|record| record["id"].as_str().unwrap().to_owned()).collect()
}

fn done(arguments: &[&str]) -> Run {
    run(arguments).succeeds()
}

#[test]
fn what_is_known_is_found() {
    let folder = folder("index_check");
    let (index, known) = (path(&folder, "index"), path(&folder, "known.jsonl"));
    done(&["index", "create", &index]);
    fs::write(
        &known,
        format!("{{\"id\": \"a\", \"text\": \"{}\", \"url\": \"http://x.org/\"}}\n", text(1, 0)),
    )
    .unwrap();
    assert!(done(&["index", "add", &index, &known]).stderr.contains("1 document added"));

    let near = format!("{{\"id\": \"b\", \"text\": \"{}\"}}\n", text(1, 1));
    let found =
        run_with_input(&["index", "check", &index, "-", "--json"], near.as_bytes()).succeeds();
    let answer = found.json();
    assert_eq!(answer["id"], "b");
    let found = &answer["matches"][0];
    assert_eq!((&found["id"], &found["kind"]), (&Value::from("a"), &Value::from("near")));
    // 76 windows of five words each, one of which has the word that changed.
    assert_eq!(found["resemblance"], 75.0 / 77.0);
    assert_eq!((&found["url"], &found["verified"]), (&"http://x.org/".into(), &true.into()));

    let lines =
        run_with_input(&["index", "check", &index, "-", "--format", "jsonl"], near.as_bytes());
    assert_eq!((lines.code, lines.stdout.as_str()), (0, "near    0.9740  b  a\n"));
    let new = run_with_input(&["index", "check", &index, "-"], text(2, 0).as_bytes());
    assert_eq!((new.code, new.stdout.as_str()), (1, ""), "{}", new.stderr);

    let again = done(&["index", "add", &index, &known]);
    again.says("(1 in the place of one of the same id)");
}

#[test]
fn a_filter_passes_what_dedup_keeps() {
    let folder = folder("index_filter");
    let corpus = corpus(&folder);
    let (index, out) = (path(&folder, "index"), path(&folder, "out"));
    done(&["dedup", &corpus, "--keep", "first", "--out", &out]);
    let kept = fs::read_to_string(folder.join("out/kept/corpus.jsonl")).unwrap();
    assert!((90..200).contains(&kept.lines().count()), "{}", kept.lines().count());

    done(&["index", "create", &index]);
    let passed = done(&["index", "filter", &index, &corpus]);
    assert_eq!(passed.stdout, kept, "line by line");
    let again = done(&["index", "filter", &index, &corpus]);
    assert_eq!(again.stdout, "", "all are known");

    // The same into a folder, in the format of the file.
    let (other, new) = (path(&folder, "other"), path(&folder, "new"));
    done(&["index", "create", &other]);
    done(&["index", "filter", &other, &corpus, "--out", &new]);
    assert_eq!(fs::read_to_string(folder.join("new/corpus.jsonl")).unwrap(), kept);
    done(&["index", "verify", &index]);
}

/// What a filter stops is counted, and what went in a run that is added: the same.
#[test]
fn a_filter_counts_what_dedup_removes() {
    let folder = folder("index_counts");
    let corpus = corpus(&folder);
    let at = |name: &str| path(&folder, name);
    done(&["dedup", &corpus, "--keep", "first", "--out", &at("out")]);
    let counts = |index: &str| -> Vec<Value> {
        let mut rows = json_values(&done(&["index", "export", index, "--out", "-"]).stdout);
        for row in rows.iter_mut().map(|row| row.as_object_mut().unwrap()) {
            for of_then in ["time", "first", "last", "number"] {
                row.remove(of_then);
            }
        }
        rows
    };
    done(&["index", "create", &at("filtered")]);
    done(&["index", "filter", &at("filtered"), &corpus]).says(" counted for known ones");
    let filtered = counts(&at("filtered"));
    let copies: u64 = filtered.iter().map(|row| row["copies"].as_u64().unwrap()).sum();
    assert_eq!(copies, 300);
    assert!(filtered.iter().any(|row| row["copies"] != row["exact_copies"]));
    assert!(filtered.iter().all(|row| row["sources"] == 1 && row["at_least"] == false));

    done(&["index", "create", &at("loaded")]);
    done(&["index", "add", &at("loaded"), &at("out")]).says(" counted that went");
    assert_eq!(counts(&at("loaded")), filtered);
    // Nothing counts twice, whichever way it comes again.
    let again = done(&["index", "filter", &at("loaded"), &corpus]);
    assert!(!again.stderr.contains("counted"), "{}", again.stderr);
    done(&["index", "add", &at("loaded"), &at("out")]);
    assert_eq!(counts(&at("loaded")), filtered);

    done(&["index", "create", &at("fields")]);
    done(&["index", "filter", &at("fields"), &corpus, "--count", "n"]);
    for (row, of_file) in counts(&at("fields")).iter().zip(&filtered) {
        assert_eq!((&row["sources"], &row["copies"]), (&row["copies"], &of_file["copies"]));
    }
    let shown = done(&["index", "get", &at("fields"), "d0"]).stdout;
    assert!(shown.contains("copies") && shown.contains("sources"), "{shown}");
    done(&["index", "export", &at("fields"), "--out", &at("all.parquet")]);
    let table = fs::File::open(folder.join("all.parquet")).unwrap();
    let table = ParquetRecordBatchReaderBuilder::try_new(table).unwrap().build().unwrap();
    let rows: usize = table.map(|batch| batch.unwrap().num_rows()).sum();
    assert_eq!(rows, filtered.len());
    run(&["index", "export", &at("fields"), "--out", &at("none/all.jsonl")])
        .fails_with("none/all.jsonl");
}

/// Nobody knows that what cannot be read is known.
#[test]
fn a_filter_passes_what_cannot_be_read() {
    let folder = folder("index_filter_unreadable");
    let (index, file, bad) =
        (path(&folder, "index"), folder.join("a.jsonl"), folder.join("b.jsonl"));
    let line = |n: u64| serde_json::json!({"text": text(n, 0)}).to_string();
    let lines = [line(1), "oops".to_owned(), line(1), line(2), "{\"text\": null}".to_owned()];
    fs::write(&file, lines.join("\n") + "\n").unwrap();
    fs::write(&bad, "oops\n").unwrap();
    done(&["index", "create", &index]);
    for (new, pass) in [("new", vec![0, 1, 3, 4]), ("again", vec![1, 4])] {
        let [from, more] = [&file, &bad].map(|path| path.to_str().unwrap());
        let filtered = run(&["index", "filter", &index, from, more, "--out", &path(&folder, new)]);
        assert_eq!(filtered.code, 3, "{}", filtered.stderr);
        let passed = fs::read_to_string(folder.join(new).join("a.jsonl")).unwrap();
        assert_eq!(
            passed,
            pass.iter().map(|&n: &usize| lines[n].clone() + "\n").collect::<String>()
        );
        assert_eq!(fs::read_to_string(folder.join(new).join("b.jsonl")).unwrap(), "oops\n");
    }
}

#[test]
fn runs_and_signature_files_are_loaded() {
    let folder = folder("index_load");
    let corpus = corpus(&folder);
    let at = |name: &str| path(&folder, name);
    done(&["dedup", &corpus, "--out", &at("out")]);
    let kept = ids(&fs::read_to_string(folder.join("out/kept/corpus.jsonl")).unwrap());

    done(&["index", "create", &at("of-run")]);
    done(&["index", "add", &at("of-run"), &at("out")]);
    done(&["index", "create", &at("of-kept")]);
    done(&["index", "add", &at("of-kept"), &at("out/kept")]);
    // Only when they were added may differ, and how often they were found.
    let answers = |index: &str| -> Vec<Value> {
        let mut answers = json_values(&done(&["index", "check", index, &corpus, "--json"]).stdout);
        for found in answers.iter_mut().flat_map(|it| it["matches"].as_array_mut().unwrap()) {
            assert!(found["time"].take().as_u64().unwrap() > 1_700_000_000);
            for count in ["copies", "exact_copies", "sources", "first", "last"] {
                found[count].take();
            }
        }
        answers
    };
    let of_run = answers(&at("of-run"));
    assert!(of_run == answers(&at("of-kept")));
    for answer in of_run {
        assert!(kept.contains(answer["matches"][0]["id"].as_str().unwrap()), "{answer}");
    }

    // Without texts: from the signatures of the run, or from a signature file.
    done(&["sketch", &corpus, "-o", &at("corpus.signatures")]);
    for (index, input, documents, kind) in
        [("signed", "corpus.signatures", 300, "near"), ("signed-run", "out", kept.len(), "exact")]
    {
        done(&["index", "create", &at(index), "--no-text"]);
        done(&["index", "add", &at(index), &at(input)]);
        let stats = done(&["index", "stats", &at(index), "--json"]).json();
        assert_eq!(stats["documents"], documents);
        let answer = done(&["index", "check", &at(index), &corpus, "--json"]);
        let first: Value = serde_json::from_str(answer.stdout.lines().next().unwrap()).unwrap();
        // That the words are the same, a public fingerprint does not prove.
        assert_eq!(first["matches"][0]["kind"], kind);
        assert_eq!(first["matches"][0]["id"], "d0");
    }
    done(&["index", "create", &at("c"), "--recipe", "henzinger-c"]);
    run(&["index", "add", &at("c"), &at("corpus.signatures")])
        .fails_with("is not of the recipe of this index");
}

#[test]
fn documents_are_removed_and_shown() {
    let folder = folder("index_remove");
    let corpus = corpus(&folder);
    let at = |name: &str| path(&folder, name);
    let index = at("index");
    done(&["index", "create", &index]);
    done(&["index", "add", &index, &corpus]);
    let shown = done(&["index", "get", &index, "d3", "--json"]).json();
    assert_eq!((&shown["id"], &shown["tokens"]), (&"d3".into(), &80.into()));
    assert_eq!(done(&["index", "get", &index, "d3", "--content"]).stdout, text(3, 0));

    done(&["index", "remove", &index, "d3"]);
    assert_eq!(run(&["index", "get", &index, "d3"]).code, 1);
    let none = run(&["index", "remove", &index, "d3"]);
    assert_eq!(none.code, 1);
    none.says("1 not there: d3");
    fs::write(at("ids"), "d0\nd6\n").unwrap();
    done(&["index", "remove", &index, "--ids", &at("ids")]);
    done(&["index", "compact", &index]);
    let verified = done(&["index", "verify", &index, "--json"]).json();
    assert_eq!((&verified["documents"], &verified["contents"]), (&297.into(), &297.into()));

    done(&["index", "snapshot", &index, &at("copy")]);
    let answers = |index: &str| done(&["index", "check", index, &corpus, "--json"]).stdout;
    assert_eq!(answers(&index), answers(&at("copy")));
}

#[test]
fn a_secret_is_needed_and_not_stored() {
    let folder = folder("index_secret");
    let at = |name: &str| path(&folder, name);
    let index = at("index");
    fs::write(at("secret"), "correct horse battery staple").unwrap();
    fs::write(at("wrong"), "another secret of enough bytes").unwrap();
    fs::write(at("short"), "short").unwrap();
    run(&["index", "create", &index, "--secret-seed", &at("short")]).fails_with("is not a secret");
    done(&["index", "create", &index, "--secret-seed", &at("secret")]);
    done(&["index", "stats", &index, "--secret-seed", &at("secret")]);
    run(&["index", "stats", &index]).fails_with("--secret-seed names its file");
    run(&["index", "stats", &index, "--secret-seed", &at("wrong")])
        .fails_with("was not made with this secret");
}

#[test]
fn mistakes_are_told() {
    let folder = folder("index_mistakes");
    let index = path(&folder, "index");
    run(&["index", "stats", &index]).fails_with("is not an index");
    done(&["index", "create", &index]);
    run(&["index", "create", &index]).fails_with("exists already");
    run(&["index", "add", &index, "nothing.jsonl"]).fails_with("nothing.jsonl");
    run(&["index", "create", &path(&folder, "x"), "--recipe", "nonsense"])
        .fails_with("there is no recipe `nonsense`");
    fs::write(folder.join("bad.jsonl"), "{\"id\": 1, \"text\": \"one two\"}\n{oops\n").unwrap();
    let skipped = run(&["index", "add", &index, &path(&folder, "bad.jsonl")]);
    assert_eq!(skipped.code, 3, "{}", skipped.stderr);
    skipped.says("1 skipped");
    run(&["index", "add", &index, &path(&folder, "bad.jsonl"), "--strict"]).fails_with("bad.jsonl");
}

#[test]
fn an_index_is_rebuilt_from_the_documents_that_can_be_read() {
    let folder = folder("index_rebuild");
    let (index, known) = (path(&folder, "index"), path(&folder, "known.jsonl"));
    done(&["index", "create", &index]);
    let line = |n: u64| format!("{{\"id\": \"{n}\", \"text\": \"{}\"}}\n", text(n, 0));
    fs::write(&known, (0..9).map(line).collect::<String>()).unwrap();
    done(&["index", "add", &index, &known]);
    done(&["index", "remove", &index, "3"]);
    done(&["index", "compact", &index]);

    // What follows from the documents: an error says what to do, and that is all there is to it.
    let runs = folder.join("index/runs");
    for run in fs::read_dir(&runs).unwrap() {
        fs::remove_file(run.unwrap().path()).unwrap();
    }
    run(&["index", "stats", &index]).fails_with("hint: `lookalike index rebuild` goes on");
    let rebuilt = done(&["index", "rebuild", &index, "--json"]);
    assert_eq!(rebuilt.json()["documents"], 8);
    assert_eq!(rebuilt.json()["damaged"], 0);
    rebuilt.says("8 documents in the index");
    done(&["index", "verify", &index]);

    // Documents themselves: the others are there again, and these are named.
    done(&["index", "compact", &index]);
    let contents = folder.join("index/store/keyspaces/2/tables");
    let table = fs::read_dir(contents).unwrap().next().unwrap().unwrap().path();
    let mut bytes = fs::read(&table).unwrap();
    bytes[100] ^= 1;
    fs::write(&table, bytes).unwrap();
    run(&["index", "verify", &index]).fails_with("checksum");
    let rebuilt = run(&["index", "rebuild", &index]);
    assert_eq!(rebuilt.code, 3, "{}", rebuilt.stderr);
    rebuilt.says("left out as damaged");
    rebuilt.says("(`0`)");
    assert!(folder.join("index/replaced-1/store").is_dir());
    done(&["index", "verify", &index]);
}

#[test]
fn documents_are_found_and_removed_by_their_urls() {
    let folder = folder("index_url");
    let (index, known) = (path(&folder, "index"), path(&folder, "known.jsonl"));
    done(&["index", "create", &index]);
    let line = |id: &str, url: &str| {
        format!("{{\"id\": \"{id}\", \"text\": \"text {id}\", \"url\": \"http://{url}/\"}}\n")
    };
    fs::write(&known, line("a", "x.org") + &line("b", "x.org") + &line("c", "y.org")).unwrap();
    done(&["index", "add", &index, &known]);
    let shown = done(&["index", "get", &index, "http://x.org/", "--json"]);
    assert!(shown.stderr.contains("others are b"), "{}", shown.stderr);
    assert_eq!(shown.json()["id"], "a");
    assert!(shown.json()["time"].as_u64().unwrap() > 1_700_000_000);
    let shown = done(&["index", "get", &index, "http://y.org/"]);
    assert!(shown.stdout.contains("added         20"), "{}", shown.stdout);
    let content = done(&["index", "get", &index, "http://y.org/", "--content"]);
    assert_eq!((content.stdout.as_str(), content.stderr.as_str()), ("text c", ""));
    let removed = run(&["index", "remove", &index, "--url", "http://x.org/", "--url", "http://z/"]);
    assert_eq!(removed.code, 1);
    assert!(removed.stderr.contains("2 documents removed"), "{}", removed.stderr);
    assert!(removed.stderr.contains("1 not there: http://z/"), "{}", removed.stderr);
    assert_eq!(run(&["index", "get", &index, "http://x.org/"]).code, 1);
    assert_eq!(done(&["index", "stats", &index, "--json"]).json()["documents"], 1);
}

#[test]
fn a_check_may_have_a_threshold_of_its_own() {
    let folder = folder("index_threshold");
    let (index, asked) = (path(&folder, "index"), path(&folder, "asked.txt"));
    done(&["index", "create", &index]);
    let known = path(&folder, "known.txt");
    fs::write(&known, text(1, 0)).unwrap();
    done(&["index", "add", &index, &known]);
    fs::write(&asked, text(1, 2)).unwrap();
    let check = |flags: &[&str]| run(&[&["index", "check", &index, &asked][..], flags].concat());
    let own = check(&["--json"]).succeeds();
    assert_eq!(own.json()["threshold"], 0.8);
    assert!(own.json()["recall"].as_f64().unwrap() >= 0.95);
    let strict = check(&["--threshold", "0.99", "--json"]);
    assert_eq!((strict.code, &strict.json()["threshold"]), (1, &Value::from(0.99)));
    let loose = check(&["--threshold", "0.4"]).succeeds();
    assert!(loose.stderr.contains("at a resemblance of 0.4 this index finds"), "{}", loose.stderr);
    assert!(!own.stderr.contains("this index finds"), "{}", own.stderr);
    assert_eq!(check(&["--threshold", "0"]).code, 2);
}
