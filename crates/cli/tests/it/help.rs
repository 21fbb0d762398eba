//! Help, completions and man pages, which come from one definition.
//!
//! The short help of each command is compared with a committed file;
//! `BLESS=1 cargo test -p lookalike-cli` writes these anew.

use std::fs;
use std::path::Path;

use crate::{folder, run};

const COMMANDS: [&str; 18] = [
    "passages",
    "dedup",
    "why",
    "view",
    "decide",
    "against",
    "mirrors",
    "collapse-links",
    "index",
    "compare",
    "tune",
    "eval",
    "sketch",
    "serve",
    "info",
    "recipe",
    "completions",
    "man",
];

fn snapshot(name: &str, text: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/help").join(name);
    if std::env::var_os("BLESS").is_some() {
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, text).unwrap();
    }
    let expected = fs::read_to_string(&path).unwrap_or_default();
    assert_eq!(text, expected, "{name} changed; BLESS=1 writes it anew");
}

#[test]
fn short_help_is_as_committed() {
    let all = run(&["-h"]);
    assert_eq!(all.code, 0);
    snapshot("lookalike.txt", &all.stdout);
    for command in COMMANDS {
        let help = run(&[command, "-h"]);
        assert_eq!((help.code, help.stderr.as_str()), (0, ""));
        snapshot(&format!("{command}.txt"), &help.stdout);
    }
}

#[test]
fn long_help_has_examples() {
    for command in COMMANDS {
        let long = run(&[command, "--help"]).stdout;
        assert!(long.contains("\nExample"), "{command}");
        assert_eq!(run(&["help", command]).stdout, long, "{command}");
    }
    assert!(run(&["--help"]).stdout.contains("Exit codes:"));
}

#[test]
fn completions_for_every_shell() {
    for shell in ["bash", "zsh", "fish", "powershell", "elvish"] {
        let script = run(&["completions", shell]).stdout;
        assert!(COMMANDS.iter().all(|command| script.contains(command)), "{shell}");
    }
    run(&["completions", "tcsh"]).fails_with("invalid value 'tcsh'");
}

#[test]
fn a_man_page_for_every_command() {
    let folder = folder("man").join("new");
    let written = run(&["man", folder.to_str().unwrap()]);
    assert_eq!((written.code, written.stdout.as_str()), (0, ""));
    for command in COMMANDS {
        let page = fs::read_to_string(folder.join(format!("lookalike-{command}.1"))).unwrap();
        assert!(page.contains(".SH"), "{command}");
    }
    assert!(folder.join("lookalike.1").exists());
    let file = folder.join("lookalike.1");
    run(&["man", file.to_str().unwrap()]).fails_with("cannot be created");
}
