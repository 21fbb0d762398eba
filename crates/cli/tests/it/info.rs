//! `lookalike info` and `lookalike recipe`.

use std::fs;

use crate::{Run, folder, lookalike, path, run};

#[test]
fn the_program_says_what_it_can() {
    let json = run(&["info", "--json"]).json();
    assert_eq!(json["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(json["kernel"], json["kernels"][0]);
    assert_eq!(json["formats"]["signatures"][0], 1);
    assert!(json["threads"].as_u64().unwrap() > 0);
    let output = lookalike(&["info"]).env("LOOKALIKE_KERNEL", "scalar").output().unwrap();
    assert!(Run::of(&output).stdout.contains("scalar, of "));
}

#[test]
fn a_damaged_file_is_an_error() {
    let folder = folder("info-damaged");
    let fixture = crate::root().join("tests/fixtures/format_v1/example.signatures");
    let good = fs::read(&fixture).unwrap();
    assert_eq!(run(&["info", fixture.to_str().unwrap()]).code, 0);
    let mut bytes = good.clone();
    *bytes.get_mut(600).unwrap() ^= 1;
    fs::write(folder.join("flipped"), &bytes).unwrap();
    run(&["info", &path(&folder, "flipped")]).fails_with("is damaged at byte");
    fs::write(folder.join("cut"), &good[..good.len() - 24]).unwrap();
    run(&["info", &path(&folder, "cut")]).fails_with("expected a block or the end block");
}

#[test]
fn recipes_are_completed() {
    let folder = folder("recipes");
    let file = path(&folder, "short.toml");
    fs::write(&file, "version = 1\n[features]\nk = 6\ns = 14\nr = 2\n").unwrap();
    let about = run(&["info", &file]).succeeds();
    assert!(about.stdout.starts_with("# recipe digest   "), "{}", about.stdout);
    assert!(
        about.stdout.contains("permutations = 84\n") && about.stdout.contains("name = \"short\"")
    );
    let json = run(&["info", &file, "--json"]).json();
    assert_eq!((&json["kind"], &json["recipe"]), (&"recipe".into(), &"short".into()));
    assert_eq!(json["recipe_digest"].as_str().unwrap().len(), 64);

    let printed = run(&["recipe", &file]).stdout;
    fs::write(&file, &printed).unwrap();
    assert_eq!(run(&["recipe", &file]).stdout, printed);
    for preset in lookalike_core::recipe::PRESETS {
        let toml = run(&["recipe", preset]).stdout;
        assert!(toml.contains(&format!("name = \"{preset}\"")));
        assert_eq!(toml.starts_with("# Open to forgery: "), toml.contains("by = \"none\""));
    }
}

#[test]
fn other_files_are_refused() {
    let folder = folder("other");
    let file = path(&folder, "wrong.toml");
    fs::write(&file, "version = 1\n[shingles]\nwidht = 3\n").unwrap();
    run(&["info", &file]).fails_with("unknown field `widht`");
    run(&["recipe", &file]).fails_with("unknown field `widht`");
    run(&["info", "examples/letters/a.txt"]).fails_with("is neither a signature file nor a recipe");
    run(&["info", "examples"])
        .fails_with("`examples`: is not a finished run: it has no report.json");
    run(&["info", "none"]).fails_with("`none`: cannot be read");
    run(&["recipe", "nope"]).fails_with("the presets are: ");
}

#[test]
fn a_run_says_what_it_said_when_it_was_done() {
    let folder = folder("run");
    let out = path(&folder, "out");
    let done = run(&["dedup", "examples/corpus", "--out", &out]);
    assert_eq!(run(&["info", &out]).stdout, done.stdout);
    assert_eq!(run(&["info", &out, "--json"]).json()["kept"], 247);
}
