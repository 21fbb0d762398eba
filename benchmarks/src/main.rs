//! Signing speed: each stage, each kernel, and the whole signature, on one core.
//!
//! Every kernel must give the same signatures, and those of the naive
//! reference on a sample; otherwise the benchmark fails.

mod corpus;
mod stages;

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;

use corpus::Corpus;

const USAGE: &str = "\
Measures signing on one core: MB/s and ns per token for each stage and kernel.

usage: lookalike-benchmarks [--test] [--rounds N] [--csv FILE] [CORPUS.jsonl[.zst]]...

  CORPUS      measure on the field `text` of these too, not only on generated text
  --rounds N  take the best of N rounds over each corpus (default 7)
  --csv FILE  write the figures to FILE too
  --test      a small generated corpus, one round: checks the answers, not the speed
";

struct Arguments {
    corpora: Vec<PathBuf>,
    rounds: usize,
    csv: Option<PathBuf>,
    test: bool,
}

fn arguments() -> Result<Arguments, String> {
    let mut parsed = Arguments { corpora: Vec::new(), rounds: 7, csv: None, test: false };
    let mut given = std::env::args().skip(1);
    while let Some(argument) = given.next() {
        let mut value = || given.next().ok_or(format!("{argument} needs a value"));
        match argument.as_str() {
            "--test" => parsed.test = true,
            "--rounds" => {
                let rounds = value()?;
                parsed.rounds = rounds.parse().map_err(|_| format!("`{rounds}` is no number"))?;
            }
            "--csv" => parsed.csv = Some(value()?.into()),
            _ if argument.starts_with('-') => return Err(format!("no option `{argument}`")),
            _ => parsed.corpora.push(argument.into()),
        }
    }
    if parsed.test {
        parsed.rounds = 1;
    }
    Ok(parsed)
}

fn run(arguments: &Arguments) -> Result<(), String> {
    let mut corpora = vec![Corpus::generated(if arguments.test { 200_000 } else { 20_000_000 })];
    for path in &arguments.corpora {
        let read = Corpus::read(path).map_err(|error| format!("`{}`: {error}", path.display()))?;
        corpora.extend(read);
    }
    let mut csv = String::from("corpus,kernel,stage,mb_per_s,ns_per_token\n");
    let mut out = io::stdout().lock();
    for corpus in corpora.iter().filter(|corpus| !corpus.documents.is_empty()) {
        let figures = stages::measure(corpus, arguments.rounds)?;
        let report = stages::report(corpus, &figures);
        out.write_all(report.as_bytes()).map_err(|error| error.to_string())?;
        for figure in figures {
            csv += &figure.csv(&corpus.name);
        }
    }
    if let Some(path) = &arguments.csv {
        std::fs::write(path, csv).map_err(|error| format!("`{}`: {error}", path.display()))?;
    }
    Ok(())
}

fn main() -> ExitCode {
    let result = arguments().map_err(|error| format!("{error}\n\n{USAGE}")).and_then(|a| run(&a));
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("lookalike-benchmarks: {error}");
            ExitCode::from(2)
        }
    }
}
