//! What happened since the server started: counted for Prometheus, and drawn on the page.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::atomic::{AtomicI64, AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use axum::http::Method;

/// Upper bounds of latencies, in seconds.
const LATENCIES: [f64; 12] =
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 30.0];

/// Upper bounds of documents that were written together.
const BATCHES: [f64; 9] = [1.0, 2.0, 4.0, 8.0, 16.0, 64.0, 256.0, 1024.0, 4096.0];

/// Classes of resemblances: twenty of a twentieth each.
pub(crate) const RESEMBLANCES: usize = 20;

/// Classes of lengths: up to 2^7 bytes, up to 2^8, and so on; the last has all that are longer.
pub(crate) const LENGTHS: usize = 18;

/// The most points of the history. When there are more, every other one goes.
const POINTS: usize = 240;

/// Counts since the start.
#[derive(Default)]
pub(crate) struct Metrics {
    requests: Mutex<Requests>,
    batches: Mutex<Histogram<{ BATCHES.len() }>>,
    /// Jobs that wait for the writer.
    pub(crate) queue: AtomicI64,
    /// Requests that are being worked on.
    pub(crate) in_flight: AtomicI64,
    pub(crate) connections: AtomicI64,
    resemblances: [AtomicU64; RESEMBLANCES],
    lengths: [AtomicU64; LENGTHS],
    history: Mutex<History>,
}

#[derive(Default)]
struct Requests {
    counts: BTreeMap<(&'static str, String, u16), u64>,
    latencies: BTreeMap<String, Histogram<{ LATENCIES.len() }>>,
}

#[derive(Clone, Copy)]
struct Histogram<const N: usize> {
    counts: [u64; N],
    beyond: u64,
    sum: f64,
}

impl<const N: usize> Default for Histogram<N> {
    fn default() -> Self {
        Self { counts: [0; N], beyond: 0, sum: 0.0 }
    }
}

impl<const N: usize> Histogram<N> {
    fn add(&mut self, bounds: &[f64; N], value: f64) {
        match bounds.iter().position(|&bound| value <= bound) {
            Some(class) => self.counts[class] += 1,
            None => self.beyond += 1,
        }
        self.sum += value;
    }

    fn write(&self, out: &mut String, name: &str, label: &str, bounds: &[f64; N]) {
        let comma = if label.is_empty() { "" } else { "," };
        let mut so_far = 0;
        for (bound, count) in bounds.iter().zip(self.counts) {
            so_far += count;
            let _ = writeln!(out, "{name}_bucket{{{label}{comma}le=\"{bound}\"}} {so_far}");
        }
        let all = so_far + self.beyond;
        let labels = if label.is_empty() { String::new() } else { format!("{{{label}}}") };
        let _ = writeln!(out, "{name}_bucket{{{label}{comma}le=\"+Inf\"}} {all}");
        let _ = writeln!(out, "{name}_sum{labels} {}", self.sum);
        let _ = writeln!(out, "{name}_count{labels} {all}");
    }
}

/// How many documents there were, at moments that grow sparser with time.
#[derive(Default)]
struct History {
    /// Seconds since the start, and documents.
    points: Vec<(u64, u64)>,
    /// One of so many samples becomes a point.
    every: u64,
    samples: u64,
}

/// Numbers of the index, which are asked for when metrics are.
pub(crate) struct Gauges {
    pub(crate) documents: u64,
    pub(crate) disk_bytes: u64,
}

impl Metrics {
    /// A request was answered. The route is one of ours, never what a client wrote.
    pub(crate) fn request(&self, method: &Method, route: &str, status: u16, elapsed: Duration) {
        let mut requests = locked(&self.requests);
        let counts = &mut requests.counts;
        *counts.entry((name(method), route.to_owned(), status)).or_default() += 1;
        requests
            .latencies
            .entry(route.to_owned())
            .or_default()
            .add(&LATENCIES, elapsed.as_secs_f64());
    }

    /// Documents were written together.
    pub(crate) fn batch(&self, documents: usize) {
        locked(&self.batches).add(&BATCHES, documents as f64);
    }

    /// A check found a look-alike.
    pub(crate) fn resemblance(&self, resemblance: f64) {
        let class = (resemblance * RESEMBLANCES as f64) as usize;
        self.resemblances[class.min(RESEMBLANCES - 1)].fetch_add(1, Ordering::Relaxed);
    }

    /// A document was added.
    pub(crate) fn length(&self, bytes: u64) {
        // 2^7 is the upper bound of class 0.
        let class = bytes.saturating_sub(1).checked_ilog2().map_or(0, |log| (log + 1).max(7) - 7);
        self.lengths[(class as usize).min(LENGTHS - 1)].fetch_add(1, Ordering::Relaxed);
    }

    /// There are so many documents, so many seconds after the start.
    pub(crate) fn sample(&self, seconds: u64, documents: u64) {
        let mut history = locked(&self.history);
        let every = history.every.max(1);
        if history.samples.is_multiple_of(every) {
            history.points.push((seconds, documents));
        }
        history.samples += 1;
        if history.points.len() >= POINTS {
            let mut keep = false;
            history.points.retain(|_| {
                keep = !keep;
                keep
            });
            history.every = 2 * every;
        }
    }

    pub(crate) fn history(&self) -> Vec<(u64, u64)> {
        locked(&self.history).points.clone()
    }

    pub(crate) fn resemblances(&self) -> Vec<u64> {
        self.resemblances.iter().map(|count| count.load(Ordering::Relaxed)).collect()
    }

    pub(crate) fn lengths(&self) -> Vec<u64> {
        self.lengths.iter().map(|count| count.load(Ordering::Relaxed)).collect()
    }

    pub(crate) fn requests(&self) -> u64 {
        locked(&self.requests).counts.values().sum()
    }

    /// Everything in Prometheus' text format.
    pub(crate) fn text(&self, gauges: &Gauges) -> String {
        let mut out = String::new();
        let head = |out: &mut String, name: &str, kind: &str, help: &str| {
            let _ = writeln!(out, "# HELP {name} {help}\n# TYPE {name} {kind}");
        };
        let name = "lookalike_requests_total";
        head(&mut out, name, "counter", "Requests that were answered.");
        let requests = locked(&self.requests);
        for ((method, route, status), count) in &requests.counts {
            let labels = format!("method=\"{method}\",route=\"{route}\",status=\"{status}\"");
            let _ = writeln!(out, "{name}{{{labels}}} {count}");
        }
        let name = "lookalike_request_seconds";
        head(&mut out, name, "histogram", "Time from the head of a request to that of its answer.");
        for (route, histogram) in &requests.latencies {
            histogram.write(&mut out, name, &format!("route=\"{route}\""), &LATENCIES);
        }
        drop(requests);
        let name = "lookalike_batch_documents";
        head(&mut out, name, "histogram", "Documents that were written together.");
        locked(&self.batches).write(&mut out, name, "", &BATCHES);
        let count = |of: &AtomicI64| of.load(Ordering::Relaxed).max(0).cast_unsigned();
        for (name, help, value) in [
            ("lookalike_documents", "Documents in the index.", gauges.documents),
            ("lookalike_disk_bytes", "Bytes of the index on disk.", gauges.disk_bytes),
            ("lookalike_queue_jobs", "Jobs that wait for the writer.", count(&self.queue)),
            ("lookalike_requests", "Requests that are being worked on.", count(&self.in_flight)),
            ("lookalike_connections", "Open connections.", count(&self.connections)),
        ] {
            head(&mut out, name, "gauge", help);
            let _ = writeln!(out, "{name} {value}");
        }
        out
    }
}

/// The name of a method; one for all that a client made up.
fn name(method: &Method) -> &'static str {
    match *method {
        Method::GET => "GET",
        Method::HEAD => "HEAD",
        Method::POST => "POST",
        Method::DELETE => "DELETE",
        _ => "other",
    }
}

fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Counts something as long as it lives.
pub(crate) struct CountGuard<'a>(&'a AtomicI64);

impl<'a> CountGuard<'a> {
    pub(crate) fn one(count: &'a AtomicI64) -> Self {
        count.fetch_add(1, Ordering::Relaxed);
        Self(count)
    }
}

impl Drop for CountGuard<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_fall_into_classes() {
        let metrics = Metrics::default();
        for bytes in [0, 1, 128] {
            metrics.length(bytes);
        }
        metrics.length(129);
        metrics.length(u64::MAX);
        let lengths = metrics.lengths();
        assert_eq!((lengths[0], lengths[1], lengths[LENGTHS - 1]), (3, 1, 1));
    }

    #[test]
    fn resemblances_fall_into_classes() {
        let metrics = Metrics::default();
        for resemblance in [0.0, 0.049, 0.951, 1.0] {
            metrics.resemblance(resemblance);
        }
        let counts = metrics.resemblances();
        assert_eq!((counts[0], counts[19]), (2, 2));
    }

    #[test]
    fn a_long_history_stays_short_and_keeps_its_beginning() {
        let metrics = Metrics::default();
        for second in 0..100_000 {
            metrics.sample(second, second * 2);
        }
        let history = metrics.history();
        assert!(history.len() < POINTS && history.len() > POINTS / 4, "{}", history.len());
        assert_eq!(history[0], (0, 0));
        assert!(history.is_sorted() && history.iter().all(|(s, d)| d == &(2 * s)));
    }

    #[test]
    fn the_text_is_cumulative() {
        let metrics = Metrics::default();
        metrics.request(&Method::GET, "/healthz", 200, Duration::from_micros(700));
        metrics.request(&Method::GET, "/healthz", 200, Duration::from_mins(1));
        let text = metrics.text(&Gauges { documents: 3, disk_bytes: 4 });
        for line in [
            "lookalike_requests_total{method=\"GET\",route=\"/healthz\",status=\"200\"} 2",
            "lookalike_request_seconds_bucket{route=\"/healthz\",le=\"0.0005\"} 0",
            "lookalike_request_seconds_bucket{route=\"/healthz\",le=\"0.001\"} 1",
            "lookalike_request_seconds_bucket{route=\"/healthz\",le=\"+Inf\"} 2",
            "lookalike_request_seconds_count{route=\"/healthz\"} 2",
            "lookalike_documents 3",
        ] {
            assert!(text.lines().any(|found| found == line), "{line}\n{text}");
        }
    }
}
