//! Progress on standard error: a line on a terminal, or lines of JSON for machines.

#![expect(clippy::disallowed_methods, reason = "rates need a clock; results do not see it")]

use std::io::{self, IsTerminal as _, Write as _};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use serde_json::json;

use crate::flags::ProgressForm;
use crate::output;

/// How often machines are told: often enough to watch, seldom enough to log.
const JSON_EVERY: Duration = Duration::from_secs(1);

/// How often the line on a terminal is drawn.
const DRAW_EVERY: Duration = Duration::from_millis(100);

/// The progress of one stage.
pub(crate) struct Progress {
    stage: &'static str,
    form: Form,
    start: Instant,
    told: Instant,
    documents: u64,
    bytes: u64,
}

enum Form {
    None,
    Line(ProgressBar),
    Json,
}

impl Progress {
    pub(crate) fn start(stage: &'static str, form: ProgressForm) -> Self {
        let form = match form {
            ProgressForm::Json => Form::Json,
            ProgressForm::Auto if io::stderr().is_terminal() => Form::Line(line(stage)),
            ProgressForm::Auto | ProgressForm::Never => Form::None,
        };
        let now = Instant::now();
        Self { stage, form, start: now, told: now, documents: 0, bytes: 0 }
    }

    /// One document more.
    pub(crate) fn document(&mut self, bytes: u64) {
        self.documents += 1;
        self.bytes += bytes;
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

    fn tell(&self) {
        match &self.form {
            Form::None => {}
            Form::Line(bar) => bar.set_message(format!(
                "{}, {}, {}",
                output::count(self.documents, "document"),
                output::bytes(self.bytes),
                rate(self.bytes, self.start.elapsed()),
            )),
            Form::Json => {
                let line = json!({
                    "stage": self.stage,
                    "documents": self.documents,
                    "bytes": self.bytes,
                    "seconds": self.start.elapsed().as_secs_f64(),
                });
                let _ = writeln!(io::stderr().lock(), "{line}");
            }
        }
    }

    /// Says something without breaking the line.
    pub(crate) fn say(&self, message: &str) {
        match &self.form {
            Form::Line(bar) => bar.suspend(|| crate::exit::say(message)),
            Form::None | Form::Json => crate::exit::say(message),
        }
    }

    /// Ends the stage; the time it took.
    pub(crate) fn finish(self) -> Duration {
        if matches!(self.form, Form::Json) {
            self.tell();
        }
        if let Form::Line(bar) = &self.form {
            bar.finish_and_clear();
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
