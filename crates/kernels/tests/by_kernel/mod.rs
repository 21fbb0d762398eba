//! A harness for tests that need a kernel: where the machine lacks it they are ignored, and said to be.
//!
//! Whether a machine has an instruction set shows when the tests run, and Rust's own harness wants to know
//! what is ignored when it compiles. This one prints what that prints and knows the options that people and
//! tools give it: names to run, `--exact`, `--skip`, `--list`, `--quiet`.

#![expect(clippy::print_stdout, reason = "where a harness says what it has to say")]

use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, io, panic, thread};

use lookalike_kernels::Kernel;

/// A test, for a kernel of this name or for none.
pub(crate) struct Trial {
    name: String,
    run: Run,
}

enum Run {
    Alone(fn()),
    On(Kernel, fn(Kernel)),
    /// Why the kernel is not there.
    Ignored(String),
}

/// A test of a kernel, and its name.
pub(crate) type Test = (&'static str, fn(Kernel));

/// Each test of a suite for each of these kernels.
pub(crate) fn on_each(kernels: &[&str], suite: &[Test]) -> Vec<Trial> {
    let each = |kernel: &&str| {
        let found = Kernel::named(kernel).map_err(|error| error.to_string());
        let kernel = (*kernel).to_owned();
        suite.iter().map(move |(name, test)| Trial {
            name: format!("{kernel}::{name}"),
            run: match &found {
                Ok(found) => Run::On(*found, *test),
                Err(reason) => Run::Ignored(reason.clone()),
            },
        })
    };
    kernels.iter().flat_map(each).collect()
}

/// A test that needs no kernel.
pub(crate) fn alone(name: &str, test: fn()) -> Trial {
    Trial { name: name.to_owned(), run: Run::Alone(test) }
}

/// What was asked for.
#[derive(Default)]
struct Options {
    names: Vec<String>,
    skip: Vec<String>,
    exact: bool,
    list: bool,
    quiet: bool,
    threads: Option<usize>,
}

impl Options {
    fn read(mut arguments: impl Iterator<Item = String>) -> Self {
        let mut options = Self::default();
        while let Some(argument) = arguments.next() {
            match argument.as_str() {
                "--exact" => options.exact = true,
                "--list" => options.list = true,
                "-q" | "--quiet" => options.quiet = true,
                "--skip" => options.skip.extend(arguments.next()),
                "--test-threads" => {
                    options.threads = arguments.next().and_then(|count| count.parse().ok());
                }
                "--color" | "--format" | "--logfile" | "-Z" => drop(arguments.next()),
                name if !name.starts_with('-') => options.names.push(argument),
                _ => {}
            }
        }
        options
    }

    fn wants(&self, name: &str) -> bool {
        let fits =
            |wanted: &String| if self.exact { name == wanted } else { name.contains(wanted) };
        (self.names.is_empty() || self.names.iter().any(fits)) && !self.skip.iter().any(fits)
    }
}

/// Runs what is wanted, and says what was not run and why.
pub(crate) fn main(trials: &[Trial]) -> ExitCode {
    let options = Options::read(env::args().skip(1));
    let wanted: Vec<&Trial> = trials.iter().filter(|trial| options.wants(&trial.name)).collect();
    if options.list {
        for trial in wanted {
            println!("{}: test", trial.name);
        }
        return ExitCode::SUCCESS;
    }
    println!("\nrunning {} tests", wanted.len());
    let (next, failed) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let threads = options.threads.or_else(|| thread::available_parallelism().ok().map(Into::into));
    thread::scope(|scope| {
        for _ in 0..threads.unwrap_or(1).max(1) {
            scope.spawn(|| {
                while let Some(trial) = wanted.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let (said, right) = trial.outcome();
                    if !(right && options.quiet) {
                        let _lines = io::stdout().lock();
                        println!("test {} ... {said}", trial.name);
                    }
                    if !right {
                        failed.lock().expect("no thread panics here").push(&trial.name);
                    }
                }
            });
        }
    });
    let failed = failed.into_inner().expect("no thread panics here");
    let absent = |trial: &&&Trial| matches!(trial.run, Run::Ignored(_));
    let ignored = wanted.iter().filter(absent).count();
    if ignored > 0 {
        let kernels: std::collections::BTreeSet<&str> = wanted
            .iter()
            .filter(absent)
            .filter_map(|trial| trial.name.split("::").next())
            .collect();
        let kernels: Vec<&str> = kernels.into_iter().collect();
        println!("\nNOT TESTED, since this machine lacks them: {}", kernels.join(", "));
    }
    println!(
        "\ntest result: {}. {} passed; {} failed; {ignored} ignored; 0 measured; {} filtered out\n",
        if failed.is_empty() { "ok" } else { "FAILED" },
        wanted.len() - failed.len() - ignored,
        failed.len(),
        trials.len() - wanted.len(),
    );
    if failed.is_empty() { ExitCode::SUCCESS } else { ExitCode::from(101) }
}

impl Trial {
    /// What to say of it, and whether it is no failure.
    fn outcome(&self) -> (String, bool) {
        let run = || match &self.run {
            Run::Alone(test) => test(),
            Run::On(kernel, test) => test(*kernel),
            Run::Ignored(_) => {}
        };
        match &self.run {
            Run::Ignored(reason) => (format!("ignored, {reason}"), true),
            // What went wrong is on stderr already.
            _ => match panic::catch_unwind(run) {
                Ok(()) => ("ok".to_owned(), true),
                Err(_) => ("FAILED".to_owned(), false),
            },
        }
    }
}
