//! What the documents show is what happens: every `console` block of the
//! README and of docs/ is run, and its output compared line by line; a line of three dots stands
//! for any lines. Each document has a folder of its own with the examples in it, so that a command
//! can use what one before it wrote.

use std::fs;
use std::path::{Path, PathBuf};

use crate::{files, folder, lookalike, root};

/// How a reader of the README starts the program, and how a reader of the guide does.
const PROGRAMS: [&str; 2] = ["cargo run --release --quiet -- ", "lookalike "];

/// A command and what it is said to print.
struct Example {
    command: String,
    expected: String,
}

fn documents() -> Vec<PathBuf> {
    let docs = root().join("docs");
    let found = files(&docs).into_keys().map(|name| docs.join(name));
    let found = found.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    found.chain([root().join("README.md")]).collect()
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

/// A folder with the examples in it.
fn workplace(document: &Path) -> PathBuf {
    let name = document.file_stem().unwrap().to_str().unwrap();
    let place = folder(&format!("documents-{name}"));
    for (name, content) in files(&root().join("examples")) {
        let file = place.join("examples").join(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(file, content).unwrap();
    }
    place
}

/// Whether lines are as shown.
fn is_shown(printed: &[&str], shown: &[&str]) -> bool {
    match shown.split_first() {
        None => printed.is_empty(),
        Some((&"...", rest)) => (0..=printed.len()).any(|at| is_shown(&printed[at..], rest)),
        Some((line, rest)) => printed.first() == Some(line) && is_shown(&printed[1..], rest),
    }
}

#[test]
fn documents_show_what_happens() {
    let mut run = 0;
    for document in documents() {
        let place = workplace(&document);
        for Example { command, expected } in examples(&document) {
            let arguments: Vec<&str> = command.split(' ').collect();
            let output = lookalike(&arguments).current_dir(&place).output().unwrap();
            let printed = String::from_utf8(output.stdout).unwrap();
            let [printed, shown] = [&printed, &expected]
                .map(|text| text.trim_end().lines().map(str::trim_end).collect::<Vec<&str>>());
            if !is_shown(&printed, &shown) {
                let document = document.display();
                assert_eq!(printed.join("\n"), shown.join("\n"), "`{command}` in {document}");
            }
            run += 1;
        }
    }
    assert!(run >= 3, "only {run} commands found: has the form of the documents changed?");
}

/// The rows of all tables of docs/papers.md but their heads.
fn rows_of_papers() -> Vec<[String; 3]> {
    let text = fs::read_to_string(root().join("docs/papers.md")).unwrap();
    let rows = text.lines().filter(|line| line.starts_with("| ") && !line.starts_with("| ---"));
    let cells = rows.map(|row| {
        let cells: Vec<String> = row.split('|').map(|cell| cell.trim().to_owned()).collect();
        let [_, section, here, shown, _] = &cells[..] else { panic!("not three cells: {row}") };
        [section, here, shown].map(String::clone)
    });
    cells.filter(|[_, here, _]| here != "here").collect()
}

/// Every command of the table is run, what else it names is there, and so is every test.
#[test]
fn papers_are_all_here() {
    let place = workplace(Path::new("table of papers"));
    let rows = rows_of_papers();
    assert!(rows.len() > 50, "only {} rows found: has the form changed?", rows.len());
    for [section, here, shown] in rows {
        for named in here.split('`').skip(1).step_by(2) {
            if let Some(command) = named.strip_prefix("lookalike ") {
                let arguments: Vec<&str> = command.split(' ').collect();
                let output = lookalike(&arguments).current_dir(&place).output().unwrap();
                let said = String::from_utf8_lossy(&output.stderr);
                assert!(matches!(output.status.code(), Some(0 | 1)), "`{named}`: {said}");
            } else if named.contains('/') {
                assert!(root().join(named).exists(), "{section}: `{named}` is not there");
            }
        }
        if let Some((file, test)) = shown.split_once(": ") {
            let text = fs::read_to_string(root().join(file)).unwrap();
            let there = ["fn ", "def "].iter().any(|word| text.contains(&format!("{word}{test}(")));
            assert!(there, "{section}: {file} has no test `{test}`");
        } else {
            assert!(shown.starts_with("[docs/"), "{section}: shown by nothing");
        }
    }
}
