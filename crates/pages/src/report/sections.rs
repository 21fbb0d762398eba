//! The parts of the page below the first screen, each as the body of a section. A part about
//! which there is nothing to say is empty.

use std::fmt::Write as _;

use lookalike_engine::numbers::{bytes, count, grouped};
use lookalike_engine::report::{
    Clustering, Histogram, Lost, Options, Passages, RecipeSummary, Report, Source, Verify,
};

use super::charts;
use crate::chart;
use crate::markup::{
    Column, Message, Name, Table, Text, duration, items, key, number_columns, percent, swatch,
    unfolds,
};

/// Sources that are shown at once; the others unfold.
const FIRST_SOURCES: usize = 10;

/// Sizes of clusters up to which the table has a row for each; of more it has powers of two.
const MAX_SIZE_ROWS: usize = 20;

pub(super) fn plots(report: &Report) -> String {
    let figures = [pairs_figure(report), differences_figure(report), sizes_figure(report)];
    let figures: String = figures.into_iter().flatten().collect();
    if figures.is_empty() { figures } else { format!("<div class=\"plots\">\n{figures}</div>\n") }
}

fn pairs_figure(report: &Report) -> Option<String> {
    let svg = charts::curve_and_pairs(report)?;
    let mut caption = String::new();
    if report.filter_curve.len() > 1 {
        caption += "The curve is the filter: two documents of that resemblance become a candidate \
                    with that chance. ";
    }
    let accepted = report.resemblance_histogram.total();
    let refused = charts::refused_total(report);
    if accepted > 0 || refused > 0 {
        caption += &key("accepted", &format!("{} accepted", count(accepted, "pair")));
        if refused > 0 {
            caption += ", ";
            caption += &key("refused", &format!("{} refused", count(refused, "candidate")));
        }
        caption.push('.');
    }
    Some(format!(
        "<figure>\n{svg}\n<figcaption>{}</figcaption>\n{}</figure>\n",
        caption.trim_end(),
        unfolds("The numbers", &resemblance_table(report))
    ))
}

fn differences_figure(report: &Report) -> Option<String> {
    let svg = charts::differences(report)?;
    let pairs = count(report.difference_histogram.as_ref()?.total(), "pair");
    let caption = format!("{pairs} by the share of the words of both that differ.");
    Some(format!("<figure>\n{svg}\n<figcaption>{caption}</figcaption>\n</figure>\n"))
}

/// The numbers of the plot: a row for every hundredth that has pairs, and one for every tenth.
fn resemblance_table(report: &Report) -> String {
    let columns = number_columns("Resemblance", ["Chance", "Accepted", "Refused"]);
    let caption = "Pairs by resemblance; the chance is that of the lower end";
    let mut table = Table::new(caption, &columns);
    for bin in 0..Histogram::BINS {
        let (accepted, refused) = charts::counts(report, bin);
        if accepted == 0 && refused == 0 && !bin.is_multiple_of(10) {
            continue;
        }
        let (low, high) = (Histogram::edge(bin), Histogram::edge(bin + 1));
        let chance = charts::chance_at(&report.filter_curve, low);
        let chance = chance.map_or_else(String::new, |p| format!("{:.2} %", p * 100.0));
        let range = format!("{low:.2} to {high:.2}");
        table.row([range, chance, grouped(accepted), grouped(refused)]);
    }
    table.html()
}

fn sizes_figure(report: &Report) -> Option<String> {
    let svg = charts::cluster_sizes(&report.cluster_sizes)?;
    let columns = number_columns("Documents in a cluster", ["Clusters", "Documents in all"]);
    let mut table = Table::new("Clusters by size", &columns);
    for row in size_rows(&report.cluster_sizes) {
        table.row(row);
    }
    Some(format!(
        "<figure>\n{svg}\n<figcaption>How large the clusters are: each dot is a size and how many \
         clusters have it.</figcaption>\n{}</figure>\n",
        unfolds("The numbers", &table.html())
    ))
}

/// Numbers, how many have each, and the sum of these: sizes of clusters, for one.
pub(super) fn size_rows(sizes: &[[u64; 2]]) -> Vec<[String; 3]> {
    // Each size on its own if they are few; else 2, 3 to 4, 5 to 8 and so on.
    let each = sizes.len() <= MAX_SIZE_ROWS;
    let class = |size: u64| match size {
        size if each => size,
        size => u64::from(size.saturating_sub(1).checked_ilog2().map_or(0, |n| n + 1)),
    };
    let mut sizes = sizes.to_vec();
    sizes.sort_unstable();
    let row = |sizes: &[[u64; 2]]| {
        let (least, most) = match sizes {
            [] => (0, 0),
            [[first, _], .., [last, _]] => (*first, *last),
            [[only, _]] => (*only, *only),
        };
        let range = if least == most {
            grouped(least)
        } else {
            format!("{} to {}", grouped(least), grouped(most))
        };
        let sum = |n: fn(&[u64; 2]) -> u64| sizes.iter().map(n).fold(0, u64::saturating_add);
        let clusters = sum(|[_, clusters]| *clusters);
        let documents = sum(|[size, clusters]| size.saturating_mul(*clusters));
        [range, grouped(clusters), grouped(documents)]
    };
    sizes.chunk_by(|[a, _], [b, _]| class(*a) == class(*b)).map(row).collect()
}

pub(super) fn sources(report: &Report) -> String {
    if report.sources.is_empty() {
        return String::new();
    }
    let (first, more) = report.sources.split_at(report.sources.len().min(FIRST_SOURCES));
    let rest = &report.other_sources;
    let others = Source {
        name: format!("{} not listed", count(rest.sources, "source")),
        documents: rest.documents,
        removed: rest.removed,
        skipped: rest.skipped,
    };
    let others = (rest.sources > 0).then_some(&others);
    let caption = "Removed documents by source, and their share of its documents";
    if more.is_empty() {
        return sources_table(first.iter().chain(others), caption);
    }
    sources_table(first, caption)
        + &unfolds(
            &count(more.len() as u64, "more source"),
            &sources_table(more.iter().chain(others), "The sources after these"),
        )
}

fn sources_table<'a>(sources: impl IntoIterator<Item = &'a Source>, caption: &str) -> String {
    let columns = number_columns("Source", ["Share", "Removed", "Documents", "Skipped"]);
    let mut table = Table::new(caption, &columns);
    for source in sources {
        let share = source.removed as f64 / source.documents.max(1) as f64;
        table.row([
            format!("{}{}", Name(&source.name), chart::bar([("removed", share)])),
            percent(source.removed, source.documents),
            grouped(source.removed),
            grouped(source.documents),
            grouped(source.skipped),
        ]);
    }
    table.html()
}

/// What a lower threshold would have taken for look-alikes first.
pub(super) fn near_misses(report: &Report) -> String {
    if report.near_misses.is_empty() {
        return String::new();
    }
    let columns = [Column::Words("One"), Column::Words("The other"), Column::Number("Resemblance")];
    let caption = "The most similar of the candidates that were refused; both stay, unless another \
                   document stands for one of them";
    let mut table = Table::new(caption, &columns);
    for miss in &report.near_misses {
        let names = [&miss.a, &miss.b].map(|id| Name(id).to_string());
        let [a, b] = names;
        // Rounded down: none of them is at the threshold.
        table.row([a, b, format!("{:.4}", (miss.resemblance * 1e4).floor() / 1e4)]);
    }
    table.html()
}

pub(super) fn limited(report: &Report) -> String {
    let Some(limited) = report.limited.as_ref().filter(|limited| limited.groups > 0) else {
        return "<p>Nothing: every group of documents with something in common was looked at in \
                full.</p>\n"
            .to_owned();
    };
    let (were, them) = if limited.groups == 1 { ("was", "it") } else { ("were", "them") };
    format!(
        "<p>{} of documents with something in common {were} larger than the limit of {}. In {them} \
         are {}; the largest has {}.</p>\n<p>{}</p>\n",
        count(limited.groups, "group"),
        count(limited.limit, "document"),
        count(limited.documents, "document"),
        grouped(limited.largest_group),
        Text(&limited.consequence)
    )
}

pub(super) fn skipped(report: &Report) -> String {
    if report.skipped == 0 && report.skipped_examples.is_empty() {
        return "<p>Nothing: every record was read.</p>\n".to_owned();
    }
    let mut out = format!(
        "<p>{} could not be read and {} not part of anything above.</p>\n",
        count(report.skipped, "record"),
        if report.skipped == 1 { "is" } else { "are" }
    );
    if !report.skipped_by_fault.is_empty() {
        let columns = number_columns("Fault", ["Records"]);
        let mut table = Table::new("Skipped records by fault", &columns);
        for fault in &report.skipped_by_fault {
            table.row([Message(&fault.fault).to_string(), grouped(fault.records)]);
        }
        out += &table.html();
    }
    if !report.skipped_examples.is_empty() {
        let examples = count(report.skipped_examples.len() as u64, "example");
        out += &unfolds(&examples, &format!("<ol>\n{}</ol>\n", items(&report.skipped_examples)));
    }
    out
}

/// Records that are not documents, if there are any.
pub(super) fn passed_over(report: &Report) -> String {
    if report.passed_over.is_empty() {
        return String::new();
    }
    let columns = number_columns("Why", ["Records"]);
    let mut table = Table::new("Records that are not documents, by reason", &columns);
    let mut reasons: Vec<_> = report.passed_over.iter().collect();
    reasons.sort_by_key(|(_, count)| std::cmp::Reverse(**count));
    for (reason, &records) in reasons {
        table.row([Message(reason).to_string(), grouped(records)]);
    }
    format!(
        "<p>{} of web archives, such as requests, pictures and pages that were not found. They were \
         compared with nothing, and stay in the files they are in.</p>\n{}",
        count(report.records_passed_over(), "record"),
        table.html()
    )
}

pub(super) fn notes(report: &Report) -> String {
    if report.notes.is_empty() {
        return String::new();
    }
    format!("<ul class=\"notes\">\n{}</ul>\n", items(&report.notes))
}

pub(super) fn method(report: &Report) -> String {
    let mut rows = String::new();
    for (name, value) in facts(report) {
        let _ = writeln!(rows, "<tr><th scope=\"row\">{name}</th><td>{value}</td></tr>");
    }
    format!(
        "<table class=\"facts\">\n<caption>Recipe and options</caption>\n\
         <tbody>\n{rows}</tbody>\n</table>\n{}",
        stages(report)
    )
}

/// What the report says of how it was made; what it does not know is left out.
fn facts(report: &Report) -> Vec<(&'static str, String)> {
    let recipe = &report.recipe;
    let options = &report.options;
    let both = |n: u64| format!("{} ({})", bytes(n), count(n, "byte"));
    let named = |name: &str| (!name.is_empty()).then(|| Name(name).to_string());
    let filter = recipe.filter.map(|filter| {
        format!(
            "[{}, {}, {}]: {} of {} each, {} of which a candidate has in common",
            filter.k,
            filter.s,
            filter.r,
            count(filter.k.into(), "feature"),
            count(filter.s.into(), "minvalue"),
            filter.r
        )
    });
    let verify = match recipe.verify {
        _ if report.lost.is_some() => {
            "exact: the share of each document that is in a longer one, computed from the documents"
        }
        Verify::Exact => "exact: the resemblance of each candidate, computed from the documents",
        Verify::Difference => {
            "difference: the share of words that differ in each candidate, counted in the documents"
        }
        Verify::Estimate => "estimate: the resemblance of each candidate, from the sketches",
        Verify::None => "none: every candidate is a pair",
    };
    let by_threshold = recipe.verify != Verify::None && report.lost.is_none();
    let judged = by_threshold && recipe.threshold.is_finite();
    let cluster = match options.cluster {
        Clustering::Anchored => {
            "anchored: a document goes only if it has a pair with one that stays"
        }
        Clustering::Components => "components: whatever pairs connect is one cluster",
    };
    let facts = [
        ("Recipe", named(&recipe.name)),
        ("Recipe digest", Some(format!("<code>{}</code>", Text(&report.recipe_digest)))),
        ("Tokens", Some(format!("{}s", recipe.tokens.singular()))),
        ("Filter", filter),
        ("Verification", Some(verify.to_owned())),
        ("Lost of a document", report.lost.as_ref().map(lost)),
        ("Threshold", judged.then(|| least(recipe))),
        ("Clusters", Some(cluster.to_owned())),
        ("Kept of a cluster", kept_of_a_cluster(options)),
        ("Pairs looked for", named(&options.pairs)),
        ("Read", Some(both(report.bytes_read))),
        ("Memory allowed", Some(both(options.memory_bytes))),
        ("Memory used", Some(format!("at most {}", both(report.peak_memory_bytes)))),
        ("Threads", Some(grouped(options.threads))),
        ("Passages", report.passages.as_ref().map(passages)),
        ("Version", named(&report.version)),
    ];
    facts.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
}

/// What two look-alikes have in common at least.
fn least(recipe: &RecipeSummary) -> String {
    let threshold = recipe.threshold;
    match recipe.verify {
        Verify::Difference => {
            format!("a share of {threshold} or more of the words of both in the same order")
        }
        _ => format!("a resemblance of {threshold} or more"),
    }
}

/// What went with documents that are contained in others.
fn lost(lost: &Lost) -> String {
    let most = format!("at most a share of {} of its shingles", lost.share);
    if lost.shingles == 0 {
        return most;
    }
    let (gone, all) = (grouped(lost.shingles_lost), grouped(lost.shingles));
    let share = percent(lost.shingles_lost, lost.shingles);
    format!("{most}; of all that went {gone} of {all} ({share})")
}

/// The policy, and how many stay by it if that is more than one.
fn kept_of_a_cluster(options: &Options) -> Option<String> {
    let policy = (!options.keep.is_empty()).then(|| Name(&options.keep).to_string())?;
    Some(match options.keep_count {
        0 | 1 => policy,
        several => format!("the first {} by {policy}", grouped(several)),
    })
}

/// What was cut of documents that stay.
fn passages(passages: &Passages) -> String {
    format!(
        "{} of {} words {} ({}), in {}; <code>passages.parquet</code> has where each stays",
        grouped(passages.words_cut),
        grouped(passages.words),
        super::passages::done_and_not(passages),
        percent(passages.words_cut, passages.words),
        count(passages.cuts, "piece"),
    )
}

/// The time of each stage, as one bar and as a table.
fn stages(report: &Report) -> String {
    const STAGES: [(&str, &str); 8] = [
        ("s6", "learn the templates"),
        ("s0", "read the documents and sign them"),
        ("s1", "find exact copies"),
        ("s2", "find candidates"),
        ("s3", "judge candidates"),
        ("s4", "decide who stays"),
        ("s7", "find what repeats inside of documents"),
        ("s5", "write the results"),
    ];
    let stages = report.seconds.stages();
    let time = |seconds: f64| if seconds.is_finite() { seconds.max(0.0) } else { 0.0 };
    let sum: f64 = stages.iter().map(|&(_, seconds)| time(seconds)).sum();
    let total = time(report.seconds.total).max(sum);
    let share = |seconds: f64| if total > 0.0 { time(seconds) / total } else { 0.0 };
    let classes = STAGES.map(|(class, _)| class);
    let bar = chart::bar(classes.into_iter().zip(stages.map(|(_, seconds)| share(seconds))));

    let columns = [
        Column::Words("Stage"),
        Column::Words("What it does"),
        Column::Number("Time"),
        Column::Number("Share"),
    ];
    let mut table = Table::new("Time of each stage", &columns);
    let mut row = |class: &str, name: &str, what: &str, seconds: f64| {
        let thousandths = (share(seconds) * 1000.0).round() as u64;
        let share = percent(thousandths, 1000);
        table.row([swatch(class) + name, what.to_owned(), duration(seconds), share]);
    };
    let is_shown = |name: &str| match name {
        "learn" => report.templates.is_some(),
        "passages" => report.passages.is_some(),
        _ => true,
    };
    let rows = stages.into_iter().zip(STAGES).filter(|((name, _), _)| is_shown(name));
    for ((name, seconds), (class, what)) in rows {
        row(class, name, what, seconds);
    }
    row("track", "total", "with what lies between the stages", report.seconds.total);
    format!("<h3>Where the time went</h3>\n{bar}\n{}", table.html())
}
