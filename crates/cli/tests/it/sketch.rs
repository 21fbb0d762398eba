//! `lookalike sketch`.

use std::fs;

use serde_json::Value;

use crate::{Run, folder, lookalike, path, run, run_with_input};

#[test]
fn letters_become_a_file_that_info_reads() {
    let folder = folder("sketch");
    let file = path(&folder, "letters.signatures");
    let made = run(&["sketch", "examples/letters", "-o", &file]);
    assert_eq!((made.code, made.stdout.as_str()), (0, ""));
    made.says("8 documents (0 empty), 0 skipped");
    made.says("124 bytes a document");
    let json = run(&["info", &file, "--json"]).json();
    assert_eq!((&json["rows"], &json["valid"]), (&8.into(), &true.into()));
    assert_eq!(json["ids"][0], "examples/letters/a.txt");
    assert_eq!(json["recipe"], "text");
    assert_eq!(json["bytes"], fs::metadata(&file).unwrap().len());
    // 2 log2 8 + 20.
    assert_eq!(
        (&json["fingerprint_bits"], &json["fingerprint_bits_wanted"]),
        (&64.into(), &26.0.into())
    );
    run(&["info", &file]).shows("64 bits, where 2 log2 m + 20 wants 26.0 for so many documents");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 1, "nothing half-written");
}

#[test]
fn every_kernel_gives_the_same_bytes() {
    let folder = folder("kernels");
    let kernels = run(&["info", "--json"]).json()["kernels"].clone();
    let mut files = Vec::new();
    for kernel in kernels.as_array().unwrap() {
        let kernel = kernel.as_str().unwrap();
        let file = path(&folder, kernel);
        let arguments =
            ["sketch", "examples/letters", "-o", &file, "--recipe", "henzinger-combined"];
        let output = lookalike(&arguments).env("LOOKALIKE_KERNEL", kernel).output().unwrap();
        assert_eq!(Run::of(&output).code, 0, "{kernel}");
        files.push(fs::read(&file).unwrap());
    }
    let file = path(&folder, "default");
    run(&["sketch", "examples/letters", "-o", &file, "--recipe", "henzinger-combined"]);
    files.push(fs::read(&file).unwrap());
    assert!(files.windows(2).all(|two| two[0] == two[1]));
}

#[test]
fn an_existing_file_stays_unless_forced() {
    let folder = folder("force");
    let file = path(&folder, "file");
    fs::write(&file, "precious").unwrap();
    run(&["sketch", "examples/letters", "-o", &file]).fails_with("hint: --force replaces it");
    assert_eq!(fs::read(&file).unwrap(), b"precious");
    assert_eq!(run(&["sketch", "examples/letters", "-o", &file, "--force"]).code, 0);
    assert!(fs::read(&file).unwrap().starts_with(b"LOOKSIGS"));
}

#[cfg(unix)]
#[test]
fn many_bad_records_are_counted_and_only_the_first_are_named() {
    let folder = folder("sketch-many");
    let bad = "{\"no\": \"text\"}\n".repeat(1000);
    fs::write(folder.join("x.jsonl"), format!("{bad}{{\"text\": \"a rose\"}}\n")).unwrap();
    let made = run(&["sketch", &path(&folder, "x.jsonl"), "-o", &path(&folder, "x.signatures")]);
    assert_eq!(made.code, 3);
    assert_eq!(made.stderr.matches("field `text` is missing").count(), 10, "{}", made.stderr);
    made.says("1 document (0 empty), 1,000 skipped");
}

#[test]
fn what_cannot_be_read_is_skipped_and_named() {
    let folder = folder("skipped");
    fs::create_dir(folder.join("in")).unwrap();
    fs::write(folder.join("in/a.txt"), "some words to be read").unwrap();
    // A link to nothing cannot be read, not even by root.
    std::os::unix::fs::symlink("nothing", folder.join("in/b.txt")).unwrap();
    fs::write(folder.join("in/c.txt"), "").unwrap();
    fs::write(folder.join("in/d.bin"), "").unwrap();
    let (inputs, file) = (path(&folder, "in"), path(&folder, "file"));
    let lenient = run(&["sketch", &inputs, "-o", &file]);
    assert_eq!(lenient.code, 3);
    lenient.says("in/b.txt`: is a link to nothing");
    let summary = "2 documents (1 empty), 1 skipped, 1 file of an unknown kind";
    assert!(lenient.stderr.contains(summary), "{}", lenient.stderr);

    let strict = run(&["sketch", &inputs, "-o", &path(&folder, "strict"), "--strict"]);
    strict.fails_with("in/b.txt`: is a link to nothing");
    assert!(!folder.join("strict").exists() && !folder.join("strict.partial").exists());
}

#[test]
fn standard_input_and_globs_are_inputs() {
    let folder = folder("inputs");
    let file = path(&folder, "file");
    let run = run_with_input(&["sketch", "-", "examples/**/[gh].txt", "-o", &file], b"words");
    run.fails_with("`examples/**/[gh].txt`: matches no file");

    run_with_input(&["sketch", "-", "examples/**/?.txt", "-o", &file], b"words").succeeds();
    let json = crate::run(&["info", &file, "--json"]).json();
    assert_eq!((&json["rows"], &json["ids"][0]), (&9.into(), &"-".into()));
    assert_eq!(json["ids"][1], "examples/letters/a.txt");
}

#[test]
fn records_of_every_format_are_documents() {
    let folder = folder("records");
    fs::create_dir(folder.join("in")).unwrap();
    fs::write(folder.join("in/a.jsonl"), "{\"page\":{\"body\":\"one\"},\"key\":7}\n{}\n").unwrap();
    fs::write(folder.join("in/b.csv"), "key,page.body\n,\"two, and more\"\n").unwrap();
    fs::write(folder.join("in/c.txt"), "three").unwrap();
    let (inputs, file) = (path(&folder, "in"), path(&folder, "file"));
    let fields = ["--text-field", "page.body", "--id-field", "key"];
    let made = run(&[&["sketch", &inputs, "-o", &file][..], &fields].concat());
    assert_eq!(made.code, 3);
    let fault = "in/a.jsonl` line 2: field `page.body` is missing";
    assert!(made.stderr.contains(fault), "{}", made.stderr);
    let json = run(&["info", &file, "--json"]).json();
    assert_eq!((&json["rows"], &json["ids"][0]), (&3.into(), &"7".into()));
    assert!(json["ids"][1].as_str().unwrap().ends_with("in/b.csv#1"));

    let text = path(&folder, "text");
    assert_eq!(run(&["sketch", &inputs, "-o", &text, "--format", "text"]).code, 0);
    run(&["sketch", &inputs, "-o", &text, "--format", "pdf"])
        .fails_with("must be text, html, jsonl");
}

#[test]
fn progress_for_machines_is_json_on_stderr() {
    let folder = folder("progress");
    let run = run(&["sketch", "examples/letters", "-o", &path(&folder, "x"), "--progress", "json"]);
    let line = run.stderr.lines().find(|line| line.starts_with('{')).unwrap();
    let json: serde_json::Value = serde_json::from_str(line).unwrap();
    assert_eq!((&json["stage"], &json["documents"]), (&"sketch".into(), &8.into()));
}

/// Interrupted while it waits for standard input, as a person would.
#[cfg(unix)]
#[test]
fn an_interrupt_leaves_nothing_behind() {
    use std::process::{Command, Stdio};
    let folder = folder("interrupt");
    let mut command = lookalike(&["sketch", "-", "-o", &path(&folder, "x")]);
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    // Held open, so that the program has something to wait for.
    let stdin = child.stdin.take();
    while !folder.join("x.partial").exists() {
        std::thread::yield_now();
    }
    let interrupt = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(interrupt.unwrap().success());
    let run = Run::of(&child.wait_with_output().unwrap());
    drop(stdin);
    assert_eq!(run.code, 130);
    run.says("interrupted, and nothing was written");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
}

#[test]
fn mistakes_are_explained() {
    let folder = folder("sketch-mistakes");
    run(&["sketch", "none", "-o", &path(&folder, "x")]).fails_with("`none`: cannot be read");
    run(&["sketch", "examples", "-o", "no/such/file"])
        .fails_with("`no/such/file`: cannot be created");
    run(&["sketch", "examples", "-o", folder.to_str().unwrap()]).fails_with("is a directory");
    run(&["sketch", "examples"]).fails_with("--out <FILE>");
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 0);
}

/// Six features, and nothing else: Broder's "less than 50 bytes per document".
#[test]
fn forty_eight_bytes_are_enough_for_a_job_and_an_index() {
    let folder = folder("bare");
    let bare = path(&folder, "bare.toml");
    fs::write(&bare, "base = \"altavista\"\nname = \"bare\"\n[exact]\nkeep = false\n").unwrap();
    let of = |recipe: &str, name: &str| {
        let (file, out) = (path(&folder, &format!("{name}.signatures")), path(&folder, name));
        run(&["sketch", "examples/corpus", "-o", &file, "--recipe", recipe]).succeeds();
        run(&["dedup", &file, "--out", &out, "--recipe", recipe]).succeeds();
        let report: Value =
            serde_json::from_slice(&fs::read(folder.join(name).join("report.json")).unwrap())
                .unwrap();
        (run(&["info", &file, "--json"]).json(), report)
    };
    let (info, report) = of(&bare, "bare");
    let (_, whole) = of("altavista", "whole");
    assert_eq!((&info["bytes_per_document"], &info["empty"]), (&48.into(), &whole["empty"]));
    assert_eq!((&report["kept"], &report["empty"]), (&whole["kept"], &whole["empty"]));
    assert!(whole["exact_removed"].as_u64() > Some(0));
    assert_eq!(report["exact_removed"], 0, "features do not tell copies from near-duplicates");
    let file = path(&folder, "bare.signatures");
    run(&["dedup", &file, "--out", &path(&folder, "x"), "--recipe", &bare, "--keep", "longest"])
        .fails_with("the recipe `bare` keeps no lengths of documents");
    run(&[
        "dedup",
        "examples/corpus",
        "--out",
        &path(&folder, "y"),
        "--recipe",
        &bare,
        "--passages",
    ])
    .fails_with("but `--passages` needs them");

    // The documents themselves tell copies: their identities are made under the key of the job.
    let out = path(&folder, "documents");
    run(&["dedup", "examples/corpus", "--out", &out, "--recipe", &bare]).succeeds();
    let report = fs::read(folder.join("documents/report.json")).unwrap();
    let report: Value = serde_json::from_slice(&report).unwrap();
    assert_eq!(report["exact_removed"], whole["exact_removed"]);
    assert_eq!(report["kept"], whole["kept"]);
    let copy = run(&["why", &out, "note-047", "--diff", "always"]);
    copy.shows("an edit distance of 0: no word differs");
    run(&["decide", &out, "--keep", "longest", "--out", &path(&folder, "longest")])
        .fails_with("the recipe `bare` keeps no lengths of documents");

    let index = path(&folder, "index");
    run(&["index", "create", &index, "--no-text", "--recipe", &bare]).succeeds();
    run(&["index", "add", &index, &file]).succeeds();
    let checked = run(&["index", "check", &index, "examples/corpus/notes.jsonl", "--json"]);
    let known: Vec<Value> =
        checked.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let finds_itself = |line: &&Value| {
        line["matches"].as_array().unwrap().iter().any(|found| found["id"] == line["id"])
    };
    let empty = |line: &&Value| line["matches"].as_array().unwrap().is_empty();
    assert!(known.iter().filter(finds_itself).count() > 40, "{}", checked.stdout);
    assert!(known.iter().all(|line| finds_itself(&line) || empty(&line)));
    assert!(checked.stdout.contains("\"kind\":\"near\"") && !checked.stdout.contains("\"exact\""));
}

#[test]
fn random_choices_are_drawn_from_a_secret() {
    let folder = folder("secret");
    let [secret, other] = ["secret", "other"].map(|name| {
        fs::write(folder.join(name), format!("{name}, and at least sixteen bytes\n")).unwrap();
        path(&folder, name)
    });
    let out = |name: &str| path(&folder, name);
    let report = |out: &str| -> Value {
        serde_json::from_slice(&fs::read(format!("{out}/report.json")).unwrap()).unwrap()
    };
    let [plain, drawn] = [out("plain"), out("drawn")];
    run(&["dedup", "examples/corpus", "--out", &plain]).succeeds();
    run(&["dedup", "examples/corpus", "--out", &drawn, "--secret-seed", &secret]).succeeds();
    assert_eq!(report(&plain)["kept"], report(&drawn)["kept"]);
    assert_ne!(report(&plain)["recipe_digest"], report(&drawn)["recipe_digest"]);
    let recipe = fs::read_to_string(folder.join("drawn/recipe.toml")).unwrap();
    assert!(recipe.contains("\nsecret = \"") && !recipe.contains("sixteen"), "{recipe}");
    // What is not signed needs no secret.
    run(&["why", &drawn, "note-019", "--diff", "always"]).shows("{+the memoirs of a beekeeper+}");
    run(&["decide", &drawn, "--threshold", "0.9", "--out", &out("decided")]).succeeds();
    let resumed = run(&["dedup", "examples/corpus", "--out", &drawn, "--resume"]);
    resumed.fails_with("secret");

    let recipe = out("drawn/recipe.toml");
    let file = out("signatures");
    run(&["sketch", "examples/corpus", "-o", &file, "--recipe", &recipe])
        .fails_with("the recipe draws its random choices from a secret, and was given none");
    run(&["sketch", "examples/corpus", "-o", &file, "--recipe", &recipe, "--secret-seed", &other])
        .fails_with("the recipe was not made with this secret");
    run(&["sketch", "examples/corpus", "-o", &file, "--secret-seed", &secret]).succeeds();
    let judged = ["dedup", &file, "--out", &out("judged"), "--verify", "none"];
    run(&judged).fails_with("`secret` is ");
    run(&[&judged[..], &["--secret-seed", &secret]].concat()).succeeds();

    let index = out("index");
    run(&["index", "create", &index, "--no-text", "--secret-seed", &secret]).succeeds();
    run(&["index", "add", &index, &file, "--secret-seed", &secret]).succeeds();
    run(&["index", "check", &index, "examples/letters", "--secret-seed", &other])
        .fails_with("was not made with this secret");

    // The choices are others, and not the recipe's name for them only.
    let [plain, drawn] = [out("plain.signatures"), file];
    run(&["sketch", "examples/corpus", "-o", &plain]).succeeds();
    let [plain, drawn] = [plain, drawn].map(|file| blocks(&fs::read(file).unwrap()).to_vec());
    assert_eq!(plain.len(), drawn.len());
    assert_ne!(plain, drawn);
    let digest = |out: &str, secret: &[&str]| -> Value {
        let pages = ["examples/pages/documents.jsonl", "--labels", "examples/pages/labels.jsonl"];
        let eval = ["eval", "--recipes", "henzinger-b", "--out", out, "--documents"];
        run(&[&eval[..], &pages, secret].concat()).succeeds();
        let evaluation = fs::read(format!("{out}/eval.json")).unwrap();
        let evaluation: Value = serde_json::from_slice(&evaluation).unwrap();
        evaluation["recipes"][0]["digest"].clone()
    };
    let [with, without] = [out("eval-drawn"), out("eval-plain")];
    assert_ne!(digest(&with, &["--secret-seed", &secret]), digest(&without, &[]));
}

/// A signature file without its header.
fn blocks(file: &[u8]) -> &[u8] {
    let recipe = u32::from_le_bytes(file[12..16].try_into().unwrap());
    &file[88 + recipe as usize..]
}
