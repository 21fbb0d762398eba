//! Progress on standard error: a line on a terminal, or lines of JSON for machines.

#![expect(clippy::disallowed_methods, reason = "rates need a clock; results do not see it")]

use std::io::{self, IsTerminal as _, Write as _};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use lookalike_engine::numbers::duration;
use lookalike_engine::{Observer, Stage, Work};
use serde_json::json;

use crate::exit::is_quiet;
use crate::flags::ProgressForm;
use crate::skipped::SkipCount;
use crate::{interrupt, output};

/// How often machines are told: often enough to watch, seldom enough to log.
const JSON_EVERY: Duration = Duration::from_secs(1);

/// How often the line on a terminal is drawn.
const DRAW_EVERY: Duration = Duration::from_millis(100);

/// The progress of one stage.
pub(crate) struct Progress {
    stage: &'static str,
    /// What is counted.
    thing: &'static str,
    /// Whether it is a stage of a job, which may know how much there is to do.
    of_job: bool,
    total: Option<Work>,
    form: Form,
    start: Instant,
    told: Instant,
    documents: u64,
    bytes: u64,
    stored: u64,
}

enum Form {
    None,
    Line(ProgressBar),
    Json,
}

impl Form {
    fn new(stage: &'static str, form: ProgressForm) -> Self {
        match form {
            ProgressForm::Json => Self::Json,
            ProgressForm::Auto if io::stderr().is_terminal() && !is_quiet() => {
                Self::Line(line(stage))
            }
            ProgressForm::Auto | ProgressForm::Never => Self::None,
        }
    }

    /// Says something without breaking the line.
    fn say(&self, message: &str) {
        match self {
            Self::Line(bar) => bar.suspend(|| crate::exit::say(message)),
            Self::None | Self::Json => crate::exit::say(message),
        }
    }
}

impl Progress {
    pub(crate) fn start(stage: &'static str, form: ProgressForm) -> Self {
        let now = Instant::now();
        Self {
            stage,
            thing: "document",
            of_job: false,
            total: None,
            form: Form::new(stage, form),
            start: now,
            told: now,
            documents: 0,
            bytes: 0,
            stored: 0,
        }
    }

    /// One document more.
    pub(crate) fn document(&mut self, bytes: u64) {
        self.documents += 1;
        self.bytes += bytes;
        self.tell_now_and_then();
    }

    fn tell_now_and_then(&mut self) {
        let every = match self.form {
            Form::None => return,
            Form::Line(_) => DRAW_EVERY,
            Form::Json => JSON_EVERY,
        };
        if self.told.elapsed() >= every {
            self.told = Instant::now();
            self.tell();
        }
    }

    /// How much of the stage is done, as far as that is known.
    fn share(&self) -> Option<f64> {
        let (done, total) = match self.total? {
            Work::Stored(total) => (self.stored, total),
            Work::Documents(total) => (self.documents, total),
        };
        (total > 0).then(|| (done as f64 / total as f64).min(1.0))
    }

    fn seconds_left(&self) -> Option<f64> {
        let share = self.share().filter(|share| *share > 0.01)?;
        Some(self.start.elapsed().as_secs_f64() * (1.0 - share) / share)
    }

    fn tell(&self) {
        let time = self.start.elapsed();
        match &self.form {
            Form::None => {}
            Form::Line(bar) => {
                let mut parts = vec![output::count(self.documents, self.thing)];
                if self.bytes > 0 {
                    parts.extend([output::bytes(self.bytes), rate(self.bytes, time)]);
                } else {
                    let each = self.documents as f64 / time.as_secs_f64().max(1e-9);
                    parts.push(format!("{}/s", output::grouped(each as u64)));
                }
                if let (Some(share), Some(left)) = (self.share(), self.seconds_left()) {
                    parts.push(format!("{:.0} %", share * 100.0));
                    parts.push(format!("{} left", duration(left.round())));
                }
                bar.set_message(parts.join(", "));
            }
            Form::Json => {
                let mut line = json!({
                    "stage": self.stage,
                    "documents": self.documents,
                    "bytes": self.bytes,
                });
                if self.of_job {
                    line["share"] = self.share().into();
                }
                line["seconds"] = time.as_secs_f64().into();
                if self.of_job {
                    line["seconds_left"] = self.seconds_left().into();
                }
                let _ = writeln!(io::stderr().lock(), "{line}");
            }
        }
    }

    /// Says something without breaking the line.
    pub(crate) fn say(&self, message: &str) {
        self.form.say(message);
    }

    /// Ends the stage; the time it took.
    pub(crate) fn finish(self) -> Duration {
        match &self.form {
            Form::None => {}
            Form::Line(bar) => bar.finish_and_clear(),
            Form::Json => self.tell(),
        }
        self.start.elapsed()
    }
}

/// How much was read how fast, in decimal megabytes as disks and networks are sold.
pub(crate) fn rate(bytes: u64, time: Duration) -> String {
    format!("{:.1} MB/s", bytes as f64 / 1e6 / time.as_secs_f64().max(1e-9))
}

fn line(stage: &'static str) -> ProgressBar {
    let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
    if let Ok(style) = ProgressStyle::with_template("{spinner} {prefix}: {msg} [{elapsed}]") {
        bar.set_style(style.tick_chars("|/-\\ "));
    }
    bar.set_prefix(stage);
    bar.enable_steady_tick(DRAW_EVERY);
    bar
}

/// Watches a job of several stages, which calls from several threads.
pub(crate) struct Watch {
    form: ProgressForm,
    start: Instant,
    stage: Mutex<Option<Progress>>,
    skipped: Mutex<SkipCount>,
}

impl Watch {
    fn new(form: ProgressForm) -> Self {
        let (stage, skipped) = (Mutex::new(None), Mutex::new(SkipCount::default()));
        Self { form, start: Instant::now(), stage, skipped }
    }

    /// Shows how a job goes.
    pub(crate) fn over<T>(form: ProgressForm, job: impl FnOnce(&Self) -> T) -> T {
        let watch = Self::new(form);
        let result = job(&watch);
        watch.finish();
        result
    }

    /// Ends the last stage.
    fn finish(&self) {
        if let Some(stage) = self.stage().take() {
            stage.finish();
        }
    }

    fn stage(&self) -> MutexGuard<'_, Option<Progress>> {
        self.stage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says something without breaking the line.
    fn say(&self, message: &str) {
        self.stage().as_ref().map_or(&Form::None, |stage| &stage.form).say(message);
    }

    fn count(&self, count: impl FnOnce(&mut Progress)) {
        if let Some(stage) = &mut *self.stage() {
            count(stage);
            stage.tell_now_and_then();
        }
    }
}

impl Observer for Watch {
    fn begin(&self, stage: Stage, total: Option<Work>) {
        self.finish();
        let thing = match stage {
            Stage::Decide => "candidate",
            Stage::Index => "reference",
            _ => "document",
        };
        let progress = Progress::start(stage.name(), self.form);
        *self.stage() = Some(Progress { thing, of_job: true, total, ..progress });
    }

    fn advance(&self, bytes: u64, documents: u64) {
        self.count(|stage| {
            stage.bytes += bytes;
            stage.documents += documents;
        });
    }

    fn read(&self, stored_bytes: u64) {
        self.count(|stage| stage.stored += stored_bytes);
    }

    fn wants_totals(&self) -> bool {
        !matches!(Form::new("", self.form), Form::None)
    }

    fn skipped(&self, fault: &dyn std::error::Error) {
        let mut skipped = self.skipped.lock().unwrap_or_else(PoisonError::into_inner);
        skipped.add(&fault, |message| self.say(message));
    }

    fn note(&self, message: &str) {
        self.say(message);
    }

    fn cancelled(&self) -> bool {
        interrupt::is_wanted()
    }

    fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }
}
