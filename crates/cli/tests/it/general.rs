//! What holds for every command.

use std::fs;
use std::io::Read as _;
use std::process::Stdio;

use crate::{Run, folder, lookalike, path, run};

#[test]
fn a_wrong_kernel_is_an_error_everywhere() {
    let folder = folder("kernel");
    let out = folder.join("x");
    for arguments in [
        &["info"][..],
        &["compare", "examples/letters/a.txt", "examples/letters/b.txt"],
        &["sketch", "examples/letters", "-o", out.to_str().unwrap()],
        &["tune", "--threshold", "0.8"],
    ] {
        let output = lookalike(arguments).env("LOOKALIKE_KERNEL", "bogus").output().unwrap();
        Run::of(&output).fails_with("LOOKALIKE_KERNEL: kernel `bogus` is unknown; here are: ");
    }
    assert!(!out.exists());
}

/// The reader takes one byte and goes; the rest does not fit into a pipe.
#[test]
fn a_closed_pipe_is_no_error() {
    let folder = folder("pipe");
    for (name, word) in [("a", "x"), ("b", "y")] {
        let words: Vec<String> = (0..20_000).map(|i| format!("{word}{i} same ")).collect();
        fs::write(folder.join(name), words.concat()).unwrap();
    }
    let mut command = lookalike(&["compare", "--diff", "all"]);
    command.args([folder.join("a"), folder.join("b")]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut [0]).unwrap();
    drop(stdout);
    let output = child.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stderr).unwrap(), "");
    assert_eq!(output.status.code(), Some(0));
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_is_an_error() {
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let output = lookalike(&["recipe", "text"]).stdout(full).output().unwrap();
    Run::of(&output).fails_with("standard output: cannot be written: No space left on device");
}

#[test]
fn a_command_is_needed_and_must_exist() {
    let none = run(&[]);
    assert_eq!((none.code, none.stdout.as_str()), (2, ""));
    none.says("Usage: lookalike [OPTIONS] <COMMAND>");
    run(&["compar"]).fails_with("a similar subcommand exists: 'compare'");
}

#[test]
fn version_goes_to_stdout() {
    let run = run(&["--version"]);
    assert_eq!((run.code, run.stdout), (0, format!("lookalike {}\n", env!("CARGO_PKG_VERSION"))));
}

/// A terminal of its own, where there is the tool to have one.
#[cfg(target_os = "linux")]
#[test]
fn colour_on_a_terminal_unless_refused() {
    let on_terminal = |no_color: &str| {
        let program = env!("CARGO_BIN_EXE_lookalike");
        let command = format!("{program} compare examples/letters/a.txt examples/letters/b.txt");
        std::process::Command::new("script")
            .args(["-qec", &command, "/dev/null"])
            .current_dir(crate::root())
            .env("NO_COLOR", no_color)
            .env("TERM", "xterm")
            .stdin(Stdio::null())
            .output()
            .map(|output| String::from_utf8_lossy(&output.stdout).into_owned())
    };
    let Ok(coloured) = on_terminal("") else { return };
    assert!(coloured.contains("\x1b[31m[-October,-]\x1b[0m \x1b[32m{+November,+}"), "{coloured}");
    let plain = on_terminal("1").unwrap();
    assert!(plain.contains("[-October,-] {+November,+}") && !plain.contains('\x1b'), "{plain}");
}

/// Flags that other tools have lead to those that do the same here.
#[test]
fn words_of_other_tools_are_understood() {
    for (flag, hint) in [
        ("--num-perm", "--threshold and --recall choose how many permutations"),
        ("--num_perm", "--threshold and --recall choose how many permutations"),
        ("--bands", "k bands of s rows"),
        ("--shingle-size", "--ngram N"),
        ("--jaccard", "--threshold"),
        ("--output", "--out"),
    ] {
        let run = run(&["dedup", "examples/corpus", "--out", "x", flag, "3"]);
        run.fails_with("unexpected argument");
        assert!(run.stderr.contains("hint: ") && run.stderr.contains(hint), "{}", run.stderr);
    }
}

#[test]
fn presets_are_listed() {
    let listed = run(&["recipe"]);
    assert_eq!(listed.code, 0);
    let names = lookalike_core::recipe::preset_names();
    let mut names: Vec<&str> = names.split(", ").collect();
    let mut found: Vec<&str> =
        listed.stdout.lines().filter_map(|line| line.split_whitespace().next()).collect();
    names.sort_unstable();
    found.sort_unstable();
    assert_eq!(found, names);
}

/// Only what was asked for, and what went wrong.
#[test]
fn quiet_commands_say_nothing_of_themselves() {
    let folder = folder("quiet");
    let [out, signatures, index] = ["out", "signatures", "index"].map(|name| path(&folder, name));
    fs::write(folder.join("in.jsonl"), "{\"text\": \"one\"}\nnot JSON\n").unwrap();
    let input = path(&folder, "in.jsonl");
    for arguments in [
        &["dedup", &input, "--out", &out][..],
        &["sketch", &input, "-o", &signatures],
        &["index", "create", &index],
        &["index", "add", &index, &input],
    ] {
        let run = run(&[arguments, &["--quiet"]].concat());
        assert_eq!((&*run.stderr, &*run.stdout), ("", ""), "{arguments:?}");
    }
    let answer = run(&["-q", "dedup", "examples/corpus", "--out", &path(&folder, "two"), "--json"]);
    assert_eq!((answer.json()["kept"].as_u64(), &*answer.stderr), (Some(247), ""));
    run(&["-q", "dedup", "none", "--out", &path(&folder, "three")])
        .fails_with("`none`: cannot be read");
    assert_ne!(run(&["recipe", "text", "-q"]).stdout, "");
}
