//! The report of a job. Every plot has its numbers in a table beside it.

mod charts;
mod clusters;
mod counts;
mod passages;
mod sections;
mod sites;

use lookalike_engine::numbers::{bytes, count, grouped};
use lookalike_engine::report::{Clustering, Passages, Report, Verify};

use crate::chart;
use crate::frame::{Page, Section};
use crate::markup::{Text, duration, percent, swatch};

/// The page of a report, which is one file that needs nothing else.
pub fn report(report: &Report) -> String {
    // Of no use where no document was compared with another as a whole.
    let of_documents = |section: fn(&Report) -> String| match alone(report) {
        Some(_) => String::new(),
        None => section(report),
    };
    let done = match &report.passages {
        Some(passages) if passages.annotated => "What was annotated",
        _ => "What was cut",
    };
    let sections = [
        Section::new("passages", done, passages::section(report)),
        Section::new("pairs", "Pairs and clusters", of_documents(sections::plots)),
        Section::new("counts", "How often documents were found", of_documents(counts::section)),
        Section::new("sources", "Where documents were removed", of_documents(sections::sources)),
        Section::new("sites", "Sites and mirrors", of_documents(sites::section)),
        Section::new("clusters", "The largest clusters", clusters::section(report)),
        Section::new("near-misses", "What was nearly a pair", sections::near_misses(report)),
        Section::new("limited", "What was limited", sections::limited(report)),
        Section::new("skipped", "What was skipped", sections::skipped(report)),
        Section::new("passed-over", "What was not a document", sections::passed_over(report)),
        Section::new("notes", "Notes", sections::notes(report)),
        Section::new("method", "How it was made", sections::method(report)),
    ];
    Page {
        title: &title(report),
        heading: match alone(report) {
            Some(passages) if passages.annotated => "Passages: report of what was annotated",
            Some(_) => "Passages: report of what was cut",
            None => "Look-alikes: report of a deduplication",
        },
        lede: &lede(report),
        summary: &summary(report),
        style: "",
        footer: &format!(
            "Made by Lookalike{} from <code>report.json</code>, which has the same numbers for \
             machines.",
            version(report)
        ),
    }
    .html(sections)
}

/// What was cut, if no document was compared with another as a whole.
fn alone(report: &Report) -> Option<&Passages> {
    report.passages.as_ref().filter(|passages| passages.alone)
}

fn title(report: &Report) -> String {
    if let Some(passages) = alone(report) {
        let words = count(passages.words, "word");
        let done = passages::done(passages);
        return format!("{} {done} of {words} - Lookalike", grouped(passages.words_cut));
    }
    format!(
        "{} removed of {} - Lookalike",
        grouped(report.removed()),
        count(report.documents, "document")
    )
}

fn version(report: &Report) -> String {
    if report.version.is_empty() { String::new() } else { format!(" {}", Text(&report.version)) }
}

/// What happened, and how sure it is, in a few sentences.
fn lede(report: &Report) -> String {
    let what = what_happened(report);
    match how_sure(report) {
        None => what,
        Some(sure) => format!("{what} <span>{sure}</span>"),
    }
}

fn what_happened(report: &Report) -> String {
    if report.documents == 0 {
        return "No document was read.".to_owned();
    }
    if let Some(passages) = alone(report) {
        let of = format!("Of {}", count(passages.words, "word"));
        return match passages.words_cut {
            0 => {
                let done = passages::done(passages);
                format!("{of} none was {done}: no passage stands at two places.")
            }
            cut => format!(
                "{of} {} were {} ({}), in {} of {}.",
                grouped(cut),
                passages::done_and_not(passages),
                percent(cut, passages.words),
                grouped(passages.documents + passages.documents_gone),
                count(report.documents, "document"),
            ),
        };
    }
    let of = format!("Of {}", count(report.documents, "document"));
    let (exact, near) = (report.exact_removed, report.near_removed);
    let were = if report.removed() == 1 { "was" } else { "were" };
    let removed = format!("{of} {} {were} removed", grouped(report.removed()));
    match (exact, near) {
        (0, 0) if report.pairs == 0 => {
            format!("{of} none was removed: no pair of look-alikes was found.")
        }
        (0, 0) => format!("{of} none was removed."),
        (1, 0) => format!("{removed}, an exact copy."),
        (0, 1) => format!("{removed}, a near-duplicate."),
        (_, 0) => format!("{removed}, all of them exact copies."),
        (0, _) => format!("{removed}, all of them near-duplicates."),
        (exact, near) => {
            let copies = if exact == 1 { "copy" } else { "copies" };
            let near = count(near, "near-duplicate");
            format!("{removed}: {} exact {copies} and {near}.", grouped(exact))
        }
    }
}

/// What stands behind the removals. Only what was computed from the documents is called verified.
fn how_sure(report: &Report) -> Option<String> {
    if let Some(passages) = alone(report).filter(|passages| passages.words_cut > 0) {
        let done = passages::done(passages);
        return Some(format!(
            "Every word that was {done} stands in a run of the same words that was kept."
        ));
    }
    if report.removed() == 0 {
        return None;
    }
    if report.near_removed == 0 {
        let tokens = format!("{}s", report.recipe.tokens.singular());
        return Some(format!(
            "Every removed document has the same {tokens} in the same order as one that was kept."
        ));
    }
    let sure = match (report.recipe.verify, report.options.cluster) {
        (Verify::Exact | Verify::Difference, Clustering::Anchored) => {
            "Every removed document has a verified look-alike that was kept."
        }
        (Verify::Exact | Verify::Difference, Clustering::Components) => {
            "Every removed document is connected to one that was kept by verified pairs, directly \
             or through other documents."
        }
        (Verify::Estimate, Clustering::Anchored) => {
            "Every removed document has a look-alike that was kept. How similar near-duplicates \
             are was estimated from their sketches, not computed from the documents."
        }
        (Verify::Estimate, Clustering::Components) => {
            "Every removed document is connected to one that was kept, directly or through other \
             documents. How similar near-duplicates are was estimated from their sketches, not \
             computed from the documents."
        }
        (Verify::None, Clustering::Anchored) => {
            "Near-duplicates were taken as they were found: each shares enough of its signature \
             with a document that was kept, and the documents themselves were not compared."
        }
        (Verify::None, Clustering::Components) => {
            "Near-duplicates were taken as they were found: each shares enough of its signature \
             with a document that was kept, directly or through other documents, and the \
             documents themselves were not compared."
        }
    };
    let forgery = match report.recipe.verify {
        Verify::Exact | Verify::Difference => "",
        Verify::Estimate => {
            " Such a result is open to forgery: a text can be made on purpose that has the sketch \
             of another."
        }
        Verify::None => {
            " Such a result is open to forgery: a text can be made on purpose that has the \
             signature of another."
        }
    };
    Some(format!("{sure}{forgery}"))
}

/// The shares as one bar, the counts as tiles, and what it cost.
fn summary(report: &Report) -> String {
    let all = report.documents;
    if let Some(passages) = alone(report) {
        return cut_summary(report, passages);
    }
    let share = |n: u64| if all == 0 { 0.0 } else { n as f64 / all as f64 };
    let bar = chart::bar([
        ("kept", share(report.kept)),
        ("near", share(report.near_removed)),
        ("exact", share(report.exact_removed)),
    ]);
    let of_all = |n: u64| if all == 0 { String::new() } else { percent(n, all) };
    let of_candidates = match report.candidates {
        0 => "no candidates".to_owned(),
        candidates => {
            let judged = format!("{} judged", count(candidates, "candidate"));
            match report.rounds {
                0 => judged,
                rounds => format!("{judged} in {}", count(rounds, "round")),
            }
        }
    };
    let known = report.known.as_ref().map(|known| {
        let removed = format!("{} went for them", count(known.removed, "document"));
        Tile::new("Known documents", known.documents, removed).minor()
    });
    let tiles: String = [
        Tile::new("Documents", report.documents, String::new()),
        Tile::new("Kept", report.kept, of_all(report.kept)).swatch("kept"),
        Tile::new("Near-duplicates removed", report.near_removed, of_all(report.near_removed))
            .swatch("near"),
        Tile::new("Exact copies removed", report.exact_removed, of_all(report.exact_removed))
            .swatch("exact"),
        Tile::new("Clusters", report.clusters, "of two or more".to_owned()).minor(),
        Tile::new("Pairs", report.pairs, of_candidates).minor(),
        Tile::new("Empty documents", report.empty, "they resemble nothing".to_owned()).minor(),
        Tile::new("Skipped records", report.skipped, "could not be read".to_owned()).minor(),
    ]
    .into_iter()
    .chain(known)
    .map(|tile| tile.html())
    .collect();
    format!(
        "<div class=\"shares\">{bar}</div>\n<dl class=\"tiles\">\n{tiles}</dl>\n\
         <p class=\"soft\">{}</p>\n",
        cost(report)
    )
}

/// The same of a job that only cuts.
fn cut_summary(report: &Report, passages: &Passages) -> String {
    let share = passages.words_cut as f64 / passages.words.max(1) as f64;
    let bar = chart::bar([("kept", 1.0 - share), ("near", share)]);
    let kept = passages.words - passages.words_cut.min(passages.words);
    let of_words = |words| percent(words, passages.words.max(1));
    let [others, done, documents] = if passages.annotated {
        ["Others", "Annotated", "Documents annotated"]
    } else {
        ["Kept", "Cut", "Documents cut"]
    };
    let pieces = format!("{} {}", count(passages.cuts, "piece"), passages::done(passages));
    let gone =
        Tile::new("Documents gone", passages.documents_gone, "too few words left".to_owned());
    let tiles: String = [
        Tile::new("Words", passages.words, String::new()),
        Tile::new(others, kept, of_words(kept)).swatch("kept"),
        Tile::new(done, passages.words_cut, of_words(passages.words_cut)).swatch("near"),
        Tile::new("Passages", passages.passages, pieces),
        Tile::new("Documents", report.documents, String::new()).minor(),
        Tile::new(documents, passages.documents, "that stay".to_owned()).minor(),
        gone.minor(),
        Tile::new("Skipped records", report.skipped, "could not be read".to_owned()).minor(),
    ]
    .into_iter()
    .map(|tile| tile.html())
    .collect();
    format!(
        "<div class=\"shares\">{bar}</div>\n<dl class=\"tiles\">\n{tiles}</dl>\n\
         <p class=\"soft\">{}</p>\n",
        cost(report)
    )
}

fn cost(report: &Report) -> String {
    let seconds = report.seconds.total;
    let rate = report.documents as f64 / seconds;
    let rate = if seconds > 0.0 && rate >= 1.0 && rate.is_finite() {
        format!(", {} a second", count(rate.round() as u64, "document"))
    } else {
        String::new()
    };
    format!(
        "{} read in {}{rate}; at most {} of memory.",
        bytes(report.bytes_read),
        duration(seconds),
        bytes(report.peak_memory_bytes)
    )
}

/// A count of the first screen.
struct Tile {
    name: &'static str,
    number: String,
    beneath: String,
    swatch: &'static str,
    class: &'static str,
}

impl Tile {
    fn new(name: &'static str, number: u64, beneath: String) -> Self {
        Self { name, number: grouped(number), beneath, swatch: "", class: "" }
    }

    fn swatch(self, swatch: &'static str) -> Self {
        Self { swatch, ..self }
    }

    fn minor(self) -> Self {
        Self { class: " class=\"minor\"", ..self }
    }

    fn html(&self) -> String {
        let swatch = match self.swatch {
            "" => String::new(),
            class => swatch(class),
        };
        // Up to 999,999,999 fits a quarter of the page in large digits.
        let long = if self.number.len() > 11 { " class=\"long\"" } else { "" };
        let beneath = match self.beneath.as_str() {
            "" => String::new(),
            text => format!("<dd class=\"beneath\">{text}</dd>"),
        };
        let Self { name, number, class, .. } = self;
        format!("<div{class}><dt>{swatch}{name}</dt><dd{long}>{number}</dd>{beneath}</div>\n")
    }
}
