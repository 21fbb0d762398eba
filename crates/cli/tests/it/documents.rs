//! What the documents show is what happens: every `console` block of the
//! README and of docs/ is run, and its output compared line by line.

use std::fs;
use std::path::{Path, PathBuf};

use crate::{lookalike, root};

/// How a reader of the README starts the program, and how a reader of the guide does.
const PROGRAMS: [&str; 2] = ["cargo run --release --quiet -- ", "lookalike "];

/// A command and what it is said to print.
struct Example {
    command: String,
    expected: String,
}

fn documents() -> Vec<PathBuf> {
    let mut found = vec![root().join("README.md")];
    let mut folders = vec![root().join("docs")];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "md") {
                found.push(path);
            }
        }
    }
    found
}

/// The commands of a document's `console` blocks; those of other programs are left out.
fn examples(document: &Path) -> Vec<Example> {
    let text = fs::read_to_string(document).unwrap();
    let blocks = text.split("```console\n").skip(1).map(|rest| rest.split("```").next().unwrap());
    let mut examples = Vec::new();
    for block in blocks {
        for part in block.split("$ ").skip(1) {
            let (command, expected) = part.split_once('\n').unwrap();
            if let Some(arguments) =
                PROGRAMS.iter().find_map(|program| command.strip_prefix(program))
            {
                let (command, expected) = (arguments.to_owned(), expected.trim_end().to_owned());
                examples.push(Example { command, expected });
            }
        }
    }
    examples
}

/// A folder to work in, as the root of the repository looks to a reader, but empty of what
/// commands have written before.
fn desk() -> PathBuf {
    let desk = crate::folder("documents");
    #[cfg(unix)]
    std::os::unix::fs::symlink(root().join("examples"), desk.join("examples")).unwrap();
    desk
}

#[test]
fn documents_show_what_happens() {
    let mut run = 0;
    for document in documents() {
        let desk = desk();
        for Example { command, expected } in examples(&document) {
            let arguments: Vec<&str> = command.split(' ').collect();
            let output = lookalike(&arguments).current_dir(&desk).output().unwrap();
            let printed = String::from_utf8(output.stdout).unwrap();
            let shown = |text: &str| text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
            assert_eq!(
                shown(printed.trim_end()),
                shown(&expected),
                "`{command}` in {}",
                document.display()
            );
            run += 1;
        }
    }
    assert!(run >= 3, "only {run} commands found: has the form of the documents changed?");
}
