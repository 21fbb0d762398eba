//! `lookalike eval`.

use std::fs;
use std::io::Write as _;

use serde_json::Value;

use crate::{Run, folder, json_values, lookalike, path, root, run, run_with_input};

const DOCUMENTS: &str = "examples/pages/documents.jsonl";
const LABELS: &str = "examples/pages/labels.jsonl";

fn eval(out: &str, more: &[&str]) -> Run {
    let first = ["eval", "--documents", DOCUMENTS, "--labels", LABELS, "--out", out];
    run(&[&first[..], more].concat())
}

fn recipe<'a>(evaluation: &'a Value, name: &str) -> &'a Value {
    let recipes = evaluation["recipes"].as_array().unwrap();
    recipes.iter().find(|recipe| recipe["name"] == name).unwrap()
}

/// An evaluation without what it took, which is measured.
fn without_cost(mut evaluation: Value) -> Value {
    for recipe in evaluation["recipes"].as_array_mut().unwrap() {
        let cost = recipe.as_object_mut().unwrap().remove("cost").unwrap();
        assert!(cost["signing_seconds"].as_f64() > Some(0.0), "{cost}");
        assert!(cost["matching_seconds"].as_f64() > Some(0.0), "{cost}");
    }
    evaluation
}

/// Labels of the row of that name: pairs, correct, incorrect, undecided.
fn numbers(recipe: &Value, row: &str) -> [u64; 4] {
    let rows = recipe["rows"].as_array().unwrap();
    let row = rows.iter().find(|found| found["name"] == row).unwrap();
    let number = |name: &str| row[name]["number"].as_u64().unwrap_or(0);
    let pairs = row["pairs"].as_u64().unwrap();
    [pairs, number("correct"), number("incorrect"), number("undecided")]
}

/// The pages are made so that `text` returns every pair that has a label: 45 of the shop's frame,
/// 6 reports on two sites, 6 chapters in two versions.
#[test]
fn the_example_has_the_tables_that_it_was_made_for() {
    let folder = folder("eval-example");
    let out = path(&folder, "out");
    let found = eval(&out, &["--json"]).succeeds();
    let found = found.json();
    assert_eq!((&found["documents"], &found["identical_removed"]), (&39.into(), &1.into()));
    assert_eq!((&found["empty"], &found["sites"]), (&1.into(), &4.into()));
    assert_eq!(found["labels"]["correct"], 9);
    let text = recipe(&found, "text");
    assert_eq!(numbers(text, "all"), [57, 9, 45, 3]);
    assert_eq!(numbers(text, "same site"), [51, 3, 45, 3]);
    assert_eq!(numbers(text, "different sites"), [6, 6, 0, 0]);
    let b = recipe(&found, "henzinger-b");
    assert_eq!(numbers(b, "B-similarity 1"), [0; 4], "two features at least");
    assert_eq!(numbers(b, "different sites")[2], 0);
    let precision = |name: &str| recipe(&found, name)["rows"][0]["correct"]["share"].as_f64();
    assert!(precision("henzinger-b") > precision("text"), "the frame is most of its pairs");
    let written = fs::read_to_string(folder.join("out/eval.json")).unwrap();
    assert_eq!(serde_json::from_str::<Value>(&written).unwrap(), found);
    let html = fs::read_to_string(folder.join("out/eval.html")).unwrap();
    for part in ["Table 1:", "Tables 2 and 5", "Tables 3, 4, 6 and 7", "Table 9", "Table 12"] {
        assert!(html.contains(part), "{part}");
    }
    for figure in ["Figures 1 and 3", "Figures 2 and 4", "Figure 5", "Figure 6", "Figure 7"] {
        assert!(html.contains(figure), "{figure}");
    }
    assert_eq!(fs::read_dir(folder.join("out")).unwrap().count(), 2, "nothing half-written");
}

/// The best is not who is right most often and finds a third of what there is, and nobody is wrong
/// for a pair that people could not decide about.
#[test]
fn the_headline_is_f1_and_what_it_was_measured_on() {
    let folder = folder("eval-headline");
    let found = eval(&path(&folder, "out"), &[]).succeeds();
    let mut lines = found.stdout.lines();
    assert_eq!(
        lines.next(),
        Some(
            "best F1 1.00 [0.82, 1.00] for pugh: precision 1.00 [0.70, 1.00], recall 1.00 [0.70, \
             1.00]"
        )
    );
    let measured = "measured on 57 labelled pairs: 9 same, 45 different, 3 undecided (in no share)";
    assert_eq!(lines.next(), Some(measured));
    let html = fs::read_to_string(folder.join("out/eval.html")).unwrap();
    assert!(html.contains("<b>pugh</b> has the best F1 1.00 (0.82&ndash;1.00)"));
    assert!(html.contains("9 same, 45 different, 3 undecided, which are in no share"));
    let json = fs::read_to_string(folder.join("out/eval.json")).unwrap();
    let json: Value = serde_json::from_str(&json).unwrap();
    let text = &recipe(&json, "text")["quality"];
    let number = |name: &str| text[name].as_u64().unwrap();
    assert_eq!(["right", "wrong", "undecided", "missed"].map(number), [9, 45, 3, 0]);
    assert_eq!(text["precision"]["share"].as_f64(), Some(9.0 / 54.0));
}

/// Numbers for statistics programs and pictures for papers, beside the folder of results.
#[test]
fn baselines_repeats_numbers_and_figures() {
    let folder = folder("eval-figures");
    let [out, csv, figures] = ["out", "numbers.csv", "figures"].map(|name| path(&folder, name));
    let more = ["--recipes", "text,simhash", "--baselines", "--repeats", "3"];
    let files = ["--csv", &*csv, "--figures", &figures];
    let found = eval(&out, &[&more[..], &files].concat()).succeeds();
    found.shows("means over seeds  seeds");
    found.shows("minhash-lsh");
    found.shows("numbers.csv");
    let json = fs::read_to_string(folder.join("out/eval.json")).unwrap();
    let json: Value = serde_json::from_str(&json).unwrap();
    let names = json["recipes"].as_array().unwrap().iter().map(|recipe| &recipe["name"]);
    assert_eq!(names.collect::<Vec<_>>(), ["text", "simhash", "minhash-lsh"]);
    let runs = recipe(&json, "minhash-lsh")["over_seeds"]["runs"].as_array().unwrap();
    assert_eq!(runs.iter().map(|run| &run["seed"]).collect::<Vec<_>>(), [0, 1, 2]);
    let rows = fs::read_to_string(&csv).unwrap();
    assert!(rows.starts_with("recipe,threshold,seed,metric,value,low,high\ntext,0.8,0,precision,"));
    assert!(rows.contains("\nsimhash,,mean,f1,"), "{rows}");
    let mut drawn: Vec<String> = fs::read_dir(&figures)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    drawn.sort();
    let expected = ["recipes.png", "recipes.svg", "thresholds-1-text.png", "thresholds-1-text.svg"];
    assert_eq!(drawn, expected);
    let html = fs::read_to_string(folder.join("out/eval.html")).unwrap();
    for part in
        ["Means over seeds", "Clusters of the labelled", "Bytes a signature", "0.8, its own"]
    {
        assert!(html.contains(part), "{part}");
    }

    let other = path(&folder, "other");
    eval(&other, &["--csv", &csv]).fails_with("numbers.csv`: exists already");
    eval(&other, &["--figures", &figures]).fails_with("recipes.svg`: exists already");
    eval(&other, &["--figures", &csv]).fails_with("is not a folder");
    eval(&other, &["--csv", &figures]).fails_with("is a folder");
    eval(&other, &["--repeats", "0"]).fails_with("0 is not in 1..=100");
    assert!(!folder.join("other").exists(), "nothing was made");
}

/// Found out at once, not when everything has been signed, and with what to do.
#[test]
fn labels_of_other_documents_or_fields_are_named() {
    let folder = folder("eval-other-labels");
    let (out, file) = (path(&folder, "out"), path(&folder, "labels.jsonl"));
    let arguments = ["eval", "--documents", DOCUMENTS, "--labels", &file, "--out", &out];
    fs::write(&file, "{\"a\": \"x-1\", \"b\": \"x-2\", \"label\": \"correct\"}\n").unwrap();
    let other = run(&arguments);
    other.fails_with("it has `x-1`, `x-2`, and the documents are `shop-0`, `shop-1`, `shop-2`");
    other.says("hint: --id-field");
    fs::write(&file, "{\"a\": \"shop-0\", \"b\": \"shop-1\", \"verdict\": \"same\"}\n").unwrap();
    let missing = run(&arguments);
    missing
        .fails_with("field `label` must be one of correct, incorrect, undecided, and is missing");
    missing.says("the line has `a`, `b`, `verdict`");
    missing.says("hint: --label-field");
    let values = ["--label-field", "verdict", "--correct", "same", "--recipes", "text"];
    assert_eq!(run(&[&arguments[..], &values].concat()).code, 0);
}

#[test]
fn results_are_not_replaced_unawares() {
    let folder = folder("eval-out");
    let out = path(&folder, "out");
    assert_eq!(eval(&out, &["--recipes", "text"]).code, 0);
    eval(&out, &[]).fails_with("hint: --force replaces it");
    assert_eq!(eval(&out, &["--recipes", "text", "--force"]).code, 0);
    fs::write(folder.join("file"), "").unwrap();
    eval(&path(&folder, "file"), &[]).fails_with("is not a folder");
    fs::copy(root().join(DOCUMENTS), folder.join("pages.jsonl")).unwrap();
    let within = path(&folder, "within");
    let whole = folder.to_str().unwrap();
    run(&["eval", "--documents", whole, "--labels", LABELS, "--out", &within]).fails_with("within");
}

#[test]
fn mistakes_are_named() {
    let folder = folder("eval-mistakes");
    let out = path(&folder, "out");
    run(&["eval", "--documents", DOCUMENTS, "--out", &out]).fails_with("--labels <FILE>");
    eval(&out, &["--recipes", "tekst"]).fails_with("there is no recipe `tekst`");
    eval(&out, &["--recipes", "text,text"]).fails_with("two are named `text`");
    eval(&out, &["--against", "pugs"]).fails_with("no recipe is named `pugs`");
    eval(&out, &["--correct-at", "0.9"]).fails_with("--similarity-field");
    eval(&out, &["--similarity-field", "x", "--correct", "y"]).fails_with("cannot be used with");
    let similarity = ["--similarity-field", "x", "--correct-at", "0.5", "--undecided-at", "0.6"];
    eval(&out, &similarity).fails_with("must not be above that of correct ones");
    eval(&out, &["--correct", "a", "--incorrect", "a"]).fails_with("cannot be two labels");
    eval(&out, &["--similarity-field", "x"]).fails_with("field `x` must be a number from 0 to 1");
    eval(&out, &["--max-candidates", "3"]).fails_with("or allow more by --max-candidates");
    eval(&out, &["--memory", "1MiB"]).fails_with("--memory must be at least 128MiB");
    run(&["eval", "--documents", DOCUMENTS, "--labels", "no.jsonl", "--out", &out])
        .fails_with("`no.jsonl`");
    run(&["eval", "--documents", "no.jsonl", "--labels", LABELS, "--out", &out])
        .fails_with("`no.jsonl`");
    run(&["eval", "sample", "--documents", DOCUMENTS, "--out", &out, "--pairs", "0"])
        .fails_with("0 is not in 1..=5000");
    assert!(!folder.join("out").exists(), "nothing was made");
}

#[test]
fn bad_labels_are_skipped_and_counted() {
    let folder = folder("eval-bad-labels");
    let (out, file) = (path(&folder, "out"), path(&folder, "labels.jsonl"));
    let good = fs::read_to_string(root().join(LABELS)).unwrap();
    fs::write(&file, format!("{{\"a\": \"news-0\"\n{good}")).unwrap();
    let arguments = ["eval", "--documents", DOCUMENTS, "--labels", &file, "--out", &out];
    let found = run(&[&arguments[..], &["--recipes", "text"]].concat());
    assert_eq!(found.code, 3, "{}", found.stderr);
    found.says("labels.jsonl` line 1: is not a JSON object");
    found.shows("skipped: 1 label");
    run(&[&arguments[..], &["--strict", "--force"]].concat()).fails_with("line 1: is not a JSON");
}

#[test]
fn labels_may_be_packed_and_documents_come_from_standard_input() {
    let folder = folder("eval-packed");
    let out = path(&folder, "out");
    let expected = eval(&out, &["--json", "--recipes", "text,henzinger-b"]).json();
    let expected = without_cost(expected);
    let text = fs::read(root().join(LABELS)).unwrap();
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(&text).unwrap();
    fs::write(folder.join("labels.jsonl.gz"), gzip.finish().unwrap()).unwrap();
    fs::write(folder.join("labels.jsonl.zst"), zstd::encode_all(&text[..], 3).unwrap()).unwrap();
    let documents = fs::read(root().join(DOCUMENTS)).unwrap();
    for name in ["labels.jsonl.gz", "labels.jsonl.zst"] {
        let labels = path(&folder, name);
        let arguments = ["eval", "--documents", "-", "--labels", &labels, "--out", &out, "--force"];
        let more = ["--json", "--recipes", "text,henzinger-b", "--format", "jsonl"];
        let found = run_with_input(&[&arguments[..], &more].concat(), &documents);
        assert_eq!(without_cost(found.json()), expected, "{}", found.stderr);
    }
}

#[test]
fn other_fields_and_similarities_are_labels_too() {
    let folder = folder("eval-fields");
    let out = path(&folder, "out");
    let by_reason = eval(
        &out,
        &[
            "--json",
            "--label-field",
            "reason",
            "--correct",
            "time stamp only,version only",
            "--incorrect",
            "another product",
            "--undecided",
            "another paragraph",
        ],
    );
    assert_eq!(numbers(recipe(&by_reason.json(), "text"), "all"), [57, 9, 45, 3]);
    let file = path(&folder, "similar.jsonl");
    fs::write(&file, "{\"a\": \"news-0\", \"b\": \"press-0\", \"x\": 0.95}\n").unwrap();
    let arguments = ["eval", "--documents", DOCUMENTS, "--labels", &file, "--out", &out];
    let similar = ["--similarity-field", "x", "--json", "--force"];
    let found = run(&[&arguments[..], &similar].concat()).json();
    assert_eq!(found["absent"], "incorrect");
    assert_eq!(numbers(recipe(&found, "text"), "all"), [57, 1, 56, 0]);
    let found = run(&[&arguments[..], &similar, &["--absent", "unlabelled"]].concat()).json();
    assert_eq!(numbers(recipe(&found, "text"), "all"), [57, 1, 0, 0]);
}

/// A sample, judged by the labels that we have, gives back what the labels of all pairs say.
#[test]
fn a_judged_sample_is_evaluated() {
    let folder = folder("eval-sample");
    let (sample, out) = (path(&folder, "sample"), path(&folder, "out"));
    let arguments = ["eval", "sample", "--documents", DOCUMENTS, "--out", &sample];
    let drawn = run(&[&arguments[..], &["--pairs", "30"]].concat()).succeeds();
    assert!(drawn.stdout.starts_with("30 pairs of 57 that the recipes return"), "{}", drawn.stdout);
    run(&arguments).fails_with("hint: --force replaces it");
    let known = json_values(&fs::read_to_string(root().join(LABELS)).unwrap());
    let pairs = fs::read_to_string(folder.join("sample/pairs.jsonl")).unwrap();
    let judged: Vec<String> = json_values(&pairs)
        .iter()
        .map(|pair| {
            let same = |label: &&Value| label["a"] == pair["a"] && label["b"] == pair["b"];
            let mut label = known.iter().find(same).unwrap().clone();
            label["weight"] = pair["weight"].clone();
            label.to_string()
        })
        .collect();
    let labels = path(&folder, "labels.jsonl");
    fs::write(&labels, judged.join("\n")).unwrap();
    let found =
        run(&["eval", "--documents", DOCUMENTS, "--labels", &labels, "--out", &out, "--json"]);
    let found = found.json();
    assert_eq!(found["labels"]["weighted"], true);
    let precision = &recipe(&found, "text")["rows"][0]["correct"];
    let (low, high) = (precision["low"].as_f64().unwrap(), precision["high"].as_f64().unwrap());
    assert!((low..=high).contains(&(9.0 / 57.0)), "{precision}");
    let nothing = path(&folder, "nothing");
    let letters = ["eval", "sample", "--documents", "examples/letters/f.txt", "--out", &nothing];
    let none = run(&[&letters[..], &["--json"]].concat());
    assert_eq!((none.code, &none.json()["pairs"]), (1, &0.into()));
}

#[test]
fn working_files_go_with_the_job() {
    let folder = folder("eval-temp");
    let (out, temp) = (path(&folder, "out"), path(&folder, "temp"));
    fs::create_dir(&temp).unwrap();
    assert_eq!(eval(&out, &["--temp", &temp, "--threads", "1"]).code, 0);
    assert_eq!(fs::read_dir(&temp).unwrap().count(), 0);
    let lost = lookalike(&["eval", "--documents", DOCUMENTS, "--labels", LABELS, "--out", &out])
        .args(["--temp", &path(&folder, "missing"), "--force"])
        .output()
        .unwrap();
    Run::of(&lost).fails_with("cannot be created");
}

#[test]
fn sample_has_help_of_its_own() {
    let help = run(&["eval", "sample", "--help"]);
    assert_eq!(help.code, 0);
    assert!(help.stdout.contains("\nExample") && help.stdout.contains("--pairs"));
}

/// Pages of two customers of one host are of one site by the paper's rule, and of two by the list.
#[test]
fn sites_may_be_registrable_domains() {
    let folder = folder("eval-sites");
    let [documents, labels] = ["pages.jsonl", "labels.jsonl"].map(|name| path(&folder, name));
    let page = |id: &str, text: &str| {
        format!("{{\"id\": \"{id}\", \"url\": \"http://{id}.github.io/\", \"text\": \"{text}\"}}\n")
    };
    fs::write(&documents, page("me", "one two three") + &page("you", "four five six")).unwrap();
    fs::write(&labels, "{\"a\": \"me\", \"b\": \"you\", \"label\": \"incorrect\"}\n").unwrap();
    for (rule, sites) in [("label", 1), ("public-suffix", 2)] {
        let out = path(&folder, rule);
        let arguments = ["eval", "--documents", &documents, "--labels", &labels, "--out", &out];
        let found = run(&[&arguments[..], &["--sites", rule, "--json"]].concat());
        assert_eq!((found.code, &found.json()["sites"]), (0, &sites.into()), "{}", found.stderr);
    }
}

#[test]
fn several_sets_have_a_row_each_and_are_not_pooled() {
    let folder = folder("eval-sets");
    // Of the second name an address has to hide two letters.
    let sets: Vec<String> = ["one", "two#50%"].map(|name| path(&folder, name)).to_vec();
    for (number, set) in sets.iter().enumerate() {
        fs::create_dir(set).unwrap();
        let documents = fs::read_to_string(root().join(DOCUMENTS)).unwrap();
        fs::write(path(set.as_ref(), "documents.jsonl"), documents).unwrap();
        // The second has the half of the labels that say incorrect.
        let labels = fs::read_to_string(root().join(LABELS)).unwrap();
        let labels = labels.lines().filter(|line| number == 0 || line.contains("incorrect"));
        fs::write(path(set.as_ref(), "labels.jsonl"), labels.collect::<Vec<_>>().join("\n"))
            .unwrap();
    }
    let out = path(&folder, "out");
    let of_sets =
        ["--documents", "documents.jsonl", "--labels", "labels.jsonl", "--recipes", "text,pages"];
    let first = ["eval", "--sets", &sets[0], &sets[1], "--out", &out];
    let shown = run(&[&first[..], &of_sets].concat()).succeeds();
    shown.shows("recall, incorrect  text            pages");
    shown.shows("one                1.000, 78.9 %");
    shown.shows("two#50%            -, 100.0 %");
    let json: Value =
        serde_json::from_slice(&fs::read(path(out.as_ref(), "sets.json")).unwrap()).unwrap();
    assert_eq!(json["over_sets"][0]["median_recall"], 1.0);
    assert_eq!(json["over_sets"][0]["worst_incorrect"][0], "two#50%");
    let page = fs::read_to_string(path(out.as_ref(), "sets.html")).unwrap();
    assert!(page.contains("<a href=\"one/eval.html\">one</a>"));
    assert!(page.contains("<a href=\"two%2350%25/eval.html\">two#50%</a>"));
    // Each has its evaluation, with where a recipe is wrong.
    let one = fs::read_to_string(path(out.as_ref(), "one/eval.html")).unwrap();
    assert!(
        one.contains("text: the sites with the most faults")
            && one.contains("text: wrong, 20 of 45 pairs")
    );
    // Every pair has the command that shows all of it.
    let command = one.split("<code>lookalike compare ").nth(1).unwrap().split("</code>").next();
    let typed: Vec<&str> = std::iter::once("compare").chain(command.unwrap().split(' ')).collect();
    run(&typed).succeeds().shows("resemblance");
    let alone: Value =
        serde_json::from_slice(&fs::read(path(out.as_ref(), "one/eval.json")).unwrap()).unwrap();
    let faults = &recipe(&alone, "text")["faults"];
    assert_eq!(faults["wrong"].as_array().unwrap().len(), 20);
    assert_eq!(
        (&faults["sites"][0]["wrong"], &faults["sites"][0]["missed"]),
        (&45.into(), &0.into())
    );

    let again = run(&[&first[..], &of_sets].concat());
    again.fails_with("exists already");
    let twice = ["eval", "--sets", &sets[0], &sets[0], "--out", &out];
    run(&[&twice[..], &of_sets].concat()).fails_with("two sets of this name");
    let none = ["eval", "--sets", "nowhere", "--out", &out];
    run(&[&none[..], &of_sets].concat()).fails_with("--sets `nowhere`: is not a folder");
    let within = path(sets[1].as_ref(), "out");
    let within = ["eval", "--sets", &sets[0], &sets[1], "--out", &within];
    let walked = ["--documents", ".", "--labels", "labels.jsonl"];
    run(&[&within[..], &walked].concat()).fails_with("two#50%/out/");
}

/// The paper chose t so; on the example C needs more bits than its own.
#[test]
fn bits_are_chosen_for_as_many_correct_pairs() {
    let folder = folder("eval-equal-recall");
    let recipes = ["--recipes", "henzinger-b,henzinger-c", "--equal-recall"];
    let out = path(&folder, "out");
    let found = eval(&out, &[&recipes[..], &["henzinger-c"]].concat()).succeeds();
    found.shows("from 375 equal bits on\n  9 of 14 pairs");
    found.shows("as a recipe: agree = 375, pieces = 10 in [projection]");
    let json = fs::read_to_string(folder.join("out/eval.json")).unwrap();
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (&json["equal_recall"]["chosen"], &json["equal_recall"]["own"]),
        (&375.into(), &372.into())
    );
    let html = fs::read_to_string(folder.join("out/eval.html")).unwrap();
    assert!(html.contains("Equal recall") && html.contains("if 375 of 384 bits must agree"));

    let other = path(&folder, "other");
    eval(&other, &[&recipes[..], &["henzinger-b"]].concat())
        .fails_with("has no equal bits to choose");
    let few = [&recipes[..], &["henzinger-c", "--least-bits", "384"]].concat();
    eval(&other, &few).succeeds().shows("hint: --least-bits below 384");
    eval(&path(&folder, "none"), &["--least-bits", "300"]).fails_with("--equal-recall <RECIPE>");
}

/// The site of the shop has all wrong pairs; forms have no share before they are named.
#[test]
fn sites_pages_and_forms_are_told() {
    let folder = folder("eval-sites-pages-forms");
    let recipes = ["--recipes", "henzinger-b,henzinger-c"];
    let plain = eval(&path(&folder, "plain"), &recipes).succeeds();
    plain.shows("henzinger-b  shop.example                   14       0     14        63.6 %");
    plain.shows("4 hosts, 9.2 pages each on average");
    assert!(!plain.stdout.contains("forms as correct"), "{}", plain.stdout);
    let forms = ["--form-reasons", "other paragraph,Another Paragraph"];
    let named = eval(&path(&folder, "named"), &[&recipes[..], &forms].concat()).succeeds();
    named.shows("pairs, forms as correct");
    let json = fs::read_to_string(folder.join("named/eval.json")).unwrap();
    let json: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json["labels"]["forms"], 3);
    let c = recipe(&json, "henzinger-c");
    assert_eq!(c["rows"][0]["forms"]["number"], 3);
    assert_eq!(c["rows"][0]["correct_with_forms"]["share"].as_f64(), Some(12.0 / 25.0));
    let pages = &c["page_quality"];
    assert_eq!([&pages["right"], &pages["wrong"], &pages["undecided"]], [18, 8, 6]);
    let html = fs::read_to_string(folder.join("named/eval.html")).unwrap();
    assert!(html.contains("Forms as correct") && html.contains("Footnote 3"));
}

#[test]
fn judges_agree_or_not() {
    let judges = ["examples/judges/ada.jsonl", "examples/judges/ben.jsonl"];
    let of = |more: &[&str]| run(&[&["eval", "agreement"], &judges[..], more].concat());
    of(&[]).succeeds().shows("Cohen's kappa 0.74, on 12 pairs that both have judged");
    let found = of(&["--json"]).succeeds().json();
    assert_eq!((&found["shared"], &found["disagreeing"]), (&12.into(), &2.into()));
    let folder = folder("eval-agreement");
    let labels = path(&folder, "labels.jsonl");
    of(&["--majority", &labels]).succeeds().shows("what more than half say of each pair");
    of(&["--majority", &labels]).fails_with("labels.jsonl`: exists already");
    of(&["--majority", &labels, "--force"]).succeeds();
    // They are labels for an evaluation.
    let out = path(&folder, "out");
    let first = ["eval", "--documents", DOCUMENTS, "--labels", &labels, "--out", &out, "--json"];
    let found = run(&[&first[..], &["--recipes", "text"]].concat()).succeeds().json();
    assert_eq!(
        (&found["labels"]["correct"], &found["labels"]["undecided"]),
        (&4.into(), &4.into())
    );
    run(&["eval", "agreement", judges[0]]).fails_with("2 values required");
    run(&["eval", "agreement", judges[0], "nothing.jsonl"])
        .fails_with("`nothing.jsonl`: cannot be read");
    run(&["eval", "agreement", judges[0], DOCUMENTS]).fails_with("hint: --label-field or");
}
