//! Signing speed: each stage, each kernel, and the whole signature, on one core.
//!
//! Every kernel must give the same signatures, and those of the naive
//! reference on a sample; otherwise the benchmark fails. `scale` measures the
//! way from signatures to clusters, `projections` the search of Algorithm C,
//! `index` the persistent index, `load` the service.

mod corpus;
mod index;
mod load;
mod measuring;
mod pages;
mod planted;
mod projections;
mod scale;
mod stages;

use std::io::{self, Write as _};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

use corpus::{Corpus, Kind};
use index::IndexScale;
use load::Load;
use measuring::{Failure, Scale, measure};

const USAGE: &str = "\
Measures signing on one core: MB/s and ns per token for each stage and kernel.

usage: lookalike-benchmarks [--test] [--rounds N] [--csv FILE] [CORPUS.jsonl[.zst]]...
       lookalike-benchmarks scale|projections [--documents N] [--memory SIZE] [--threads N]
                                              [--folder DIR]
       lookalike-benchmarks index [--documents N] [--folder DIR]
       lookalike-benchmarks load PROGRAM [--seconds N] [--clients N] [--sustained N] [--slow N]

  CORPUS      measure on the field `text` of these too, or on their web pages if they have only
              the field `html`, not only on generated text
  --rounds N  take the best of N rounds over each piece of a corpus (default 7)
  --csv FILE  write the figures to FILE too
  --test      small generated inputs of all, one round: checks the answers, not the speed

`scale` measures the way from a signature file of synthetic documents to clusters;
`projections` finds all pairs within 12 bits among random strings of 384, planted ones among them:

  --documents N   how many (default 10000000)
  --memory SIZE   the budget of the job, in MiB or GiB (default 512MiB)
  --threads N     how many work (default 1)
  --folder DIR    where its files are made and removed (default: the system's)

`index` measures additions and checks of synthetic signatures, and the index they make:

  --documents N   how many (default 5000000)
  --folder DIR    as above

`load` starts PROGRAM, which is `lookalike`, as a server, and sends it requests over loopback:

  --seconds N     for each kind of request (default 10)
  --clients N     connections, each with one request at a time (default 32)
  --sustained N   then for N seconds all kinds of changes and checks at once, on an index that does
                  not grow, and the memory of the server over that time, which must not grow either
                  (judged from 300 on: until then its caches fill up)
  --slow N        meanwhile, N more connections that send a byte a second
";

enum Command {
    Signing(Arguments),
    Scale(Scale),
    Projections(Scale),
    Index(IndexScale),
    Load(Load),
}

struct Arguments {
    corpora: Vec<PathBuf>,
    rounds: usize,
    csv: Option<PathBuf>,
    test: bool,
}

fn command() -> Result<Command, String> {
    let mut given = std::env::args().skip(1).peekable();
    if given.next_if_eq("scale").is_some() {
        scale_arguments(given).map(Command::Scale)
    } else if given.next_if_eq("projections").is_some() {
        scale_arguments(given).map(Command::Projections)
    } else if given.next_if_eq("index").is_some() {
        index_arguments(given).map(Command::Index)
    } else if given.next_if_eq("load").is_some() {
        load_arguments(given).map(Command::Load)
    } else {
        arguments(given).map(Command::Signing)
    }
}

fn scale_arguments(mut given: impl Iterator<Item = String>) -> Result<Scale, String> {
    let folder = std::env::temp_dir();
    let mut parsed = Scale { documents: 10_000_000, memory: 512 << 20, folder, threads: 1 };
    while let Some(argument) = given.next() {
        let value = given.next().ok_or(format!("{argument} needs a value"))?;
        let number = |digits: &str| -> Result<u32, String> {
            digits.trim().parse().map_err(|_| format!("`{value}` is no number that fits"))
        };
        match argument.as_str() {
            "--documents" => parsed.documents = number(&value)?,
            "--threads" => parsed.threads = number(&value)? as usize,
            "--memory" => {
                let units = [("MiB", 20), ("GiB", 30)];
                let unit = |(unit, shift)| Some((value.strip_suffix(unit)?, shift));
                let (digits, shift) = units
                    .into_iter()
                    .find_map(unit)
                    .ok_or(format!("`{value}` has no MiB or GiB"))?;
                parsed.memory = (number(digits)? as usize) << shift;
            }
            "--folder" => parsed.folder = value.into(),
            _ => return Err(format!("no option `{argument}`")),
        }
    }
    Ok(parsed)
}

fn index_arguments(mut given: impl Iterator<Item = String>) -> Result<IndexScale, String> {
    let mut parsed = IndexScale { documents: 5_000_000, folder: std::env::temp_dir() };
    while let Some(argument) = given.next() {
        let value = given.next().ok_or(format!("{argument} needs a value"))?;
        match argument.as_str() {
            "--documents" => {
                let number = value.parse();
                parsed.documents = number.map_err(|_| format!("`{value}` is no number"))?;
            }
            "--folder" => parsed.folder = value.into(),
            _ => return Err(format!("no option `{argument}`")),
        }
    }
    Ok(parsed)
}

fn load_arguments(mut given: impl Iterator<Item = String>) -> Result<Load, String> {
    let program = given.next().ok_or("load needs the program")?.into();
    let time = Duration::from_secs(10);
    let mut parsed = Load { program, time, clients: 32, sustained: Duration::ZERO, slow: 0 };
    while let Some(argument) = given.next() {
        let value = given.next().ok_or(format!("{argument} needs a value"))?;
        let number = value.parse().map_err(|_| format!("`{value}` is no number"))?;
        match argument.as_str() {
            "--seconds" => parsed.time = Duration::from_secs(number),
            "--clients" => parsed.clients = number,
            "--sustained" => parsed.sustained = Duration::from_secs(number),
            "--slow" => parsed.slow = number,
            _ => return Err(format!("no option `{argument}`")),
        }
    }
    Ok(parsed)
}

fn arguments(mut given: impl Iterator<Item = String>) -> Result<Arguments, String> {
    let mut parsed = Arguments { corpora: Vec::new(), rounds: 7, csv: None, test: false };
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

fn run(command: &Command) -> Result<(), Failure> {
    match command {
        Command::Scale(scale) => print(&measure(scale, scale::run)?),
        Command::Projections(scale) => {
            print(&projections::check_against_brute_force(scale)?)?;
            print(&measure(scale, projections::run)?)
        }
        Command::Load(load) => {
            print(&load::run(load).map_err(|error| Failure::Wrong(error.to_string()))?)
        }
        Command::Index(scale) => print(&index::measure(scale)?),
        Command::Signing(arguments) if arguments.test => test(arguments),
        Command::Signing(arguments) => Ok(run_signing(arguments)?),
    }
}

/// All of it, with so little memory that clusters go through the disk; whole jobs need more.
fn test(arguments: &Arguments) -> Result<(), Failure> {
    run_signing(arguments)?;
    let of = |documents, memory, threads| Scale {
        documents,
        memory,
        folder: std::env::temp_dir(),
        threads,
    };
    run(&Command::Scale(of(200_000, 4 << 20, 1)))?;
    run(&Command::Scale(of(200_000, 4 << 20, 3)))?;
    run(&Command::Projections(of(100_000, 128 << 20, 1)))?;
    run(&Command::Index(IndexScale { documents: 50_000, folder: std::env::temp_dir() }))
}

fn print(report: &str) -> Result<(), Failure> {
    io::stdout().write_all(report.as_bytes()).map_err(|error| error.to_string().into())
}

fn run_signing(arguments: &Arguments) -> Result<(), String> {
    let generated = Corpus::generated(if arguments.test { 200_000 } else { 20_000_000 });
    let pages = Corpus::pages_of(&generated);
    pages::check(&pages, &generated)?;
    let mut corpora = vec![generated, pages];
    for path in &arguments.corpora {
        let read = Corpus::read(path).map_err(|error| format!("`{}`: {error}", path.display()))?;
        corpora.extend(read);
    }
    let mut csv = String::from("corpus,kernel,stage,mb_per_s,ns_per_token\n");
    let mut out = io::stdout().lock();
    for corpus in corpora.iter().filter(|corpus| !corpus.documents.is_empty()) {
        let figures = match corpus.kind {
            Kind::Texts => stages::measure(corpus, arguments.rounds)?,
            Kind::Pages => pages::measure(corpus, arguments.rounds)?,
        };
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
    let command = command().map_err(|error| Failure::Broken(format!("{error}\n\n{USAGE}")));
    let (error, code) = match command.and_then(|command| run(&command)) {
        Ok(()) => return ExitCode::SUCCESS,
        Err(Failure::Wrong(error)) => (error, 1),
        Err(Failure::Broken(error)) => (error, 2),
    };
    eprintln!("lookalike-benchmarks: {error}");
    ExitCode::from(code)
}
