//! `lookalike tune`.

use std::fs;

use serde_json::Value;

use crate::{folder, path, run};

const ALTAVISTA: [&str; 7] = ["tune", "--k", "6", "--s", "14", "--r", "2"];

fn close(value: &Value, expected: f64, relative: f64) {
    let value = value.as_f64().unwrap();
    assert!((value / expected - 1.0).abs() < relative, "{value} is not about {expected}");
}

/// The curve at exactly x.
fn curve(json: &Value, x: f64) -> f64 {
    let points = json["curve"].as_array().unwrap();
    let at = |point: &&Value| point[0].as_f64() == Some(x);
    points.iter().find(at).unwrap()[1].as_f64().unwrap()
}

#[test]
fn broders_numbers() {
    let json = run(&[&ALTAVISTA[..], &["--json"]].concat()).json();
    let whole = |key: &str| json[key].as_u64().unwrap();
    assert_eq!((whole("k"), whole("s"), whole("r")), (6, 14, 2));
    assert_eq!((whole("permutations"), whole("bytes_per_document")), (84, 48));
    assert_eq!(whole("super_features"), 15);
    close(&json["half_point"], 0.9094, 1e-4);
    close(&json["steepest_at"], 0.931, 1e-3);
    close(&json["filter_steepest_at"], 0.9229, 1e-4);
    close(&(1.0 - curve(&json, 0.975)).into(), 0.01067, 1e-3);
    close(&(1.0 - curve(&json, 0.99)).into(), 0.000_208, 1e-2);
    close(&curve(&json, 0.77).into(), 0.00929, 1e-3);
    close(&curve(&json, 0.5).into(), 5.59e-8, 1e-3);
    assert_eq!(json["curve"].as_array().unwrap().len(), 201);
    assert!(json.get("threshold").is_none());
}

#[test]
fn a_filter_for_a_purpose() {
    let json = run(&["tune", "--threshold", "0.8", "--recall", "0.95", "--json"]).json();
    assert_eq!(json["threshold"], 0.8);
    let recall = json["recall"].as_f64().unwrap();
    assert!(recall >= 0.95 && (recall - curve(&json, 0.8)).abs() < 1e-12);
    assert_eq!((&json["to_verify"][0][0], &json["to_verify"][1][0]), (&0.7.into(), &0.6.into()));
    close(&json["to_verify"][0][1], curve(&json, 0.7), 1e-9);
    let default = run(&["tune", "--threshold", "0.8", "--json"]).json();
    assert_eq!(default, json, "0.95 is the default");
    let small = run(&["tune", "--threshold", "0.8", "--bytes", "48", "--json"]).json();
    assert!(small["bytes_per_document"].as_u64().unwrap() <= 48);
    let low = run(&["tune", "--threshold", "0.1", "--unwanted", "1", "--json"]).succeeds();
    assert_eq!(low.json()["to_verify"].as_array().unwrap().len(), 0, "no pairs at or below 0");
}

#[test]
fn the_text_form_reads_well() {
    let text = run(&ALTAVISTA).stdout;
    assert!(text.contains("at 0.975, 1.07 % of pairs are missed\n"), "{text}");
    for row in [
        "0.50           6.104e-5      5.587e-8",
        "0.77            0.02576      0.009286",
        "0.975            0.7016        0.9893    0.01067",
        "0.99             0.8687        0.9998   2.082e-4",
        "total error         0.0341  0.0204 pass below 0.9094",
        "features in common    1.59  of 6 at 0.9094",
    ] {
        assert!(text.contains(row), "{row}: {text}");
    }
    assert!(text.contains("half point          0.9094"), "{text}");
    let text = run(&["tune", "--threshold", "0.8"]).stdout;
    assert!(text.contains("<- threshold") && text.contains("of those at 0.7, "), "{text}");
}

/// 2 log2 m + 20 bits, and what 64 of them mean.
#[test]
fn collisions_are_counted() {
    let json = run(&[&ALTAVISTA[..], &["--documents", "1000000000", "--json"]].concat()).json();
    close(&json["collisions"]["bits_wanted"], 79.795, 1e-4);
    // 10^18 / 2 pairs, 15 keys with 15 others, in 2^64.
    close(&json["collisions"]["pairs_by_chance"], 0.5e18 * 225.0 / 2_f64.powi(64), 1e-6);
    let text = run(&[&ALTAVISTA[..], &["--documents", "1000000000"]].concat()).stdout;
    assert!(text.contains("bits here            64  which is that for 4,194,304\n"), "{text}");
}

#[test]
fn more_super_features_than_documents_are_grouped_by() {
    let wanted = ["tune", "--threshold", "0.8", "--permutations", "200", "--json"];
    let few = run(&wanted).json();
    let any = run(&[&wanted[..], &["--super-features", "any"]].concat()).json();
    let error = |json: &Value| {
        let sides = json["error"].as_array().unwrap();
        sides.iter().map(|side| side.as_f64().unwrap()).sum::<f64>()
    };
    assert!(any["recall"].as_f64().unwrap() >= 0.95 && error(&any) < 0.5 * error(&few));
    assert!(few["super_features"].as_u64().unwrap() <= 64);
    run(&["tune", "--threshold", "0.8", "--super-features", "0"]).fails_with("or `any`");
}

#[test]
fn lists_survive_edits() {
    let folder = folder("lists");
    let pugh = ["tune", "--lists", "4", "--repeats", "6", "--agree", "2"];
    let json = run(&[&pugh[..], &["--json"]].concat()).json();
    assert_eq!(json["curve"].as_array().unwrap().len(), 101);
    // Four edits leave a list untouched but for 4! of 4^4 ways.
    close(&json["curve"][4][1], 1.0 - 24.0 / 256.0, 1e-9);
    assert_eq!((&json["half_at"], &json["one_in_a_thousand_at"]), (&10.into(), &22.into()));
    let of_recipe = run(&["tune", "--recipe", "pugh", "--json"]).json();
    assert_eq!(of_recipe, json);
    let text = run(&[&pugh[..], &["--documents", "1000"]].concat()).stdout;
    assert!(text.contains("10                 0.2194        0.3922       392\n"), "{text}");
    for name in ["lists.svg", "lists.png"] {
        let path = path(&folder, name);
        run(&[&pugh[..], &["--plot", &path]].concat()).succeeds();
        assert!(fs::metadata(path).unwrap().len() > 1000);
    }
    run(&["tune", "--lists", "4", "--agree", "3"]).fails_with("--agree 3 is more than --repeats 1");
    run(&["tune", "--lists", "4", "--threshold", "0.8"]).fails_with("cannot be used with");
    run(&["tune", "--repeats", "4"]).fails_with("--lists <L>");
}

/// A recipe whose candidates no filter makes is measured by its own rule.
#[test]
fn every_rule_is_measured_on_a_sample() {
    let folder = documents("rules");
    let sample = path(&folder, "");
    for recipe in ["altavista", "henzinger-c", "henzinger-combined", "henzinger-sites", "pugh"] {
        let json = run(&["tune", "--recipe", recipe, "--sample", &sample, "--json"]).json();
        let measured = &json["sample"];
        assert!(measured["pairs"].as_u64().unwrap() > 0, "{recipe}: {json}");
        let is_filter = recipe == "altavista";
        assert_eq!(measured["predicted_recall"].is_null(), !is_filter, "{recipe}");
    }
    run(&["tune", "--recipe", "henzinger-c"]).fails_with("--sample INPUT measures what it finds");
    run(&["tune", "--recipe", "henzinger-c", "--sample", &sample, "--plot", "x.svg"])
        .fails_with("draws the curve of a filter");
}

#[test]
fn plots_are_pictures() {
    let folder = folder("plot");
    let (svg, png) = (path(&folder, "x.svg"), path(&folder, "x.PNG"));
    let drawn = run(&[&ALTAVISTA[..], &["--plot", &svg, "--scale", "log"]].concat());
    assert_eq!((drawn.code, drawn.stderr.contains("x.svg")), (0, true));
    assert!(fs::read_to_string(&svg).unwrap().starts_with("<svg"));
    assert_eq!(run(&["tune", "--threshold", "0.8", "--plot", &png]).code, 0);
    assert!(fs::read(&png).unwrap().starts_with(b"\x89PNG"));
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 2, "nothing half-written");
    run(&[&ALTAVISTA[..], &["--plot", "x.pdf"]].concat()).fails_with("must end in .svg or .png");
    run(&[&ALTAVISTA[..], &["--plot", "no/such/x.svg"]].concat()).fails_with("cannot be created");
}

#[test]
fn mistakes_are_explained() {
    for threshold in ["1.5", "0", "NaN", "-1", "x", "inf"] {
        let argument = format!("--threshold={threshold}");
        run(&["tune", &argument]).fails_with(&format!("invalid value '{threshold}'"));
    }
    run(&["tune", "--threshold", "0.8", "--recall", "1"]).fails_with("above 0 and below 1");
    run(&["tune", "--threshold", "0.8", "--permutations", "0"]).fails_with("must be at least 1");
    run(&["tune", "--threshold", "0.8", "--bytes", "7"]).fails_with("must be at least 8");
    run(&["tune", "--k", "3", "--s", "4", "--r", "5"]).fails_with("r = 5 is above k = 3");
    run(&["tune", "--k", "0", "--s", "4", "--r", "0"]).fails_with("k, s and r are at least 1");
    run(&["tune", "--k", "3", "--s", "4"]).fails_with("--r <R>");
    run(&[&ALTAVISTA[..], &["--threshold", "0.8"]].concat()).fails_with("cannot be used with");
    run(&[&ALTAVISTA[..], &["--recall", "0.8"]].concat()).fails_with("cannot be used with");
    run(&["tune", "--recall", "0.9"]).fails_with("--threshold <T>");
    run(&["tune"]).fails_with("say what is wanted");
    run(&["tune", "--threshold", "0.3", "--recall", "0.9999", "--permutations", "4"])
        .fails_with("is out of reach");
    run(&["tune", "--threshold", "0.8", "--sample", "none/"]).fails_with("`none/`: cannot be read");
}

/// A folder with documents of which the i-th has the first 4 i words of one text changed.
fn documents(name: &str) -> std::path::PathBuf {
    let folder = folder(name);
    for i in 0..12 {
        let words: Vec<String> = (0..200)
            .map(|n| if n < 4 * i { format!("w{n}x{i}") } else { format!("w{n}") })
            .collect();
        fs::write(folder.join(format!("{i:02}.txt")), words.join(" ")).unwrap();
    }
    folder
}

#[test]
fn a_sample_is_measured_exactly() {
    let folder = documents("sample");
    fs::write(folder.join("empty.txt"), "").unwrap();
    let at = folder.to_str().unwrap();
    let json = run(&["tune", "--threshold", "0.8", "--json", "--sample", at]).json();
    let sample = &json["sample"];
    assert_eq!((&sample["documents"], &sample["empty"]), (&13.into(), &1.into()));
    assert_eq!(sample["cut"], false);

    // Documents i < j share the 196 - 4 j shingles from word 4 j on.
    let resemblances = (0..12).flat_map(|j| (0..j).map(move |_| f64::from(196 - 4 * j)));
    let resemblances: Vec<f64> = resemblances.map(|common| common / (392.0 - common)).collect();
    let wanted = resemblances.iter().filter(|&&x| x >= 0.8).count();
    assert_eq!(sample["pairs"], wanted);
    for bin in sample["bins"].as_array().unwrap() {
        let (from, to) = (bin["from"].as_f64().unwrap(), bin["to"].as_f64().unwrap());
        let expected = resemblances.iter().filter(|&&x| x >= from && x < to).count();
        assert_eq!(bin["pairs"], expected, "{from} to {to}");
        assert_eq!(bin["candidates"].is_null(), expected == 0);
    }
    close(&sample["recall"], sample["predicted_recall"].as_f64().unwrap(), 0.1);

    let cut = run(&["tune", "--threshold", "0.8", "--sample-limit", "3", "--sample", at]);
    cut.shows("measured on 3 documents, the first of more");
}

/// A mean over seeds is that of the seeds one by one, and its interval is over them.
#[test]
fn a_sample_is_measured_under_several_seeds() {
    let folder = documents("sample-seeds");
    let at = folder.to_str().unwrap();
    // A filter that misses much, so that chance can be seen.
    let measure = |more: &[&str]| {
        let first = ["tune", "--k", "4", "--s", "10", "--r", "1", "--json", "--sample", at];
        run(&[&first[..], more].concat()).succeeds().json()["sample"].clone()
    };
    let single: Vec<f64> =
        ["5", "6", "7"].map(|seed| measure(&["--seed", seed])["recall"].as_f64().unwrap()).into();
    let several = measure(&["--seed", "5", "--seeds", "3"]);
    assert_eq!(several["seeds"], serde_json::json!([5, 6, 7]));
    assert_eq!(several["recall_by_seed"], serde_json::json!(single));
    let number = |name: &str| several[name].as_f64().unwrap();
    close(&several["recall"], single.iter().sum::<f64>() / 3.0, 1e-12);
    assert!(single.iter().any(|recall| (recall - single[0]).abs() > 1e-9), "{single:?}");
    assert!(number("recall_low") <= number("recall") && number("recall") <= number("recall_high"));
    assert_eq!(several["interval_over"], "seeds");
    let one = measure(&[]);
    assert_eq!((&one["interval_over"], &one["seeds"]), (&"pairs".into(), &serde_json::json!([0])));
    let text = run(&["tune", "--threshold", "0.8", "--sample", at]).stdout;
    assert!(text.contains("too narrow: all pairs under one seed share its random"), "{text}");
    let text = run(&["tune", "--threshold", "0.8", "--seeds", "4", "--sample", at]).stdout;
    assert!(text.contains("under 4 seeds") && text.contains("intervals are over seeds"), "{text}");
    run(&["tune", "--threshold", "0.8", "--seeds", "4"]).fails_with("--sample <INPUT>...");
}

/// The filter of a recipe, and its shingles: documents that share runs of five words, and none of
/// twenty.
#[test]
fn a_recipe_gives_filter_and_shingles() {
    let json = run(&["tune", "--recipe", "text", "--json"]).json();
    assert_eq!((&json["k"], &json["s"], &json["threshold"]), (&13.into(), &7.into(), &0.8.into()));
    let json = run(&["tune", "--recipe", "altavista", "--json"]).json();
    assert_eq!((&json["k"], &json["r"]), (&6.into(), &2.into()));
    assert!(json.get("threshold").is_none(), "it verifies nothing");
    run(&["tune", "--recipe", "henzinger-c"]).fails_with("no filter alone makes");
    run(&["tune", "--recipe", "none"]).fails_with("there is no recipe `none`");
    let folder = folder("sample-recipe");
    for i in 0..2 {
        let words: Vec<String> = (0..200)
            .map(|n| if n % 10 == 0 { format!("w{n}x{i}") } else { format!("w{n}") })
            .collect();
        fs::write(folder.join(format!("{i}.txt")), words.join(" ")).unwrap();
    }
    let wide = folder.join("wide.toml");
    fs::write(&wide, "[shingles]\nwidth = 20\n").unwrap();
    let at = [path(&folder, "0.txt"), path(&folder, "1.txt")];
    let pairs = |recipe: &str| {
        let filter = ["tune", "--threshold", "0.3", "--json", "--recipe", recipe, "--sample"];
        run(&[&filter[..], &[&at[0], &at[1]]].concat()).succeeds().json()["sample"]["pairs"].clone()
    };
    assert_eq!((pairs("text"), pairs(wide.to_str().unwrap())), (1.into(), 0.into()));
    run(&["tune", "--threshold", "0.3", "--recipe", "sites", "--sample", &at[0]])
        .fails_with("learn templates");
}
