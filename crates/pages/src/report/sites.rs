//! The part of the page about sites and mirrors, of a run whose documents have URLs.

use lookalike_engine::MEMBER_LIMIT;
use lookalike_engine::mirrors::{Mirror, Mirrors};
use lookalike_engine::numbers::{count, grouped};
use lookalike_engine::report::{MANY_ADDRESSES, Report, Sites};

use crate::chart;
use crate::markup::{Column, Name, Table, number_columns, percent, unfolds};

pub(super) fn section(report: &Report) -> String {
    let Some(sites) = &report.sites else { return String::new() };
    summary(report, sites) + &most_removed(sites) + &traps(sites) + &mirrors(report, sites)
}

fn summary(report: &Report, sites: &Sites) -> String {
    let rule = match sites.rule.as_str() {
        "public-suffix" => "A site is what can be registered, by the public suffix list.",
        _ => "A site is a host without its first label, or all of a host with one dot or none.",
    };
    let unknown = report.pairs.saturating_sub(sites.pairs_within + sites.pairs_across);
    let unknown = match unknown {
        0 => String::new(),
        unknown => format!("; of {} a document has no URL", grouped(unknown)),
    };
    format!(
        "<p>{} with a URL, of {}. {rule}</p>\n<p>Of {} listed, {} within one site and {} across \
         two{unknown}.</p>\n",
        count(sites.documents, "document"),
        count(sites.sites, "site"),
        count(report.pairs, "pair"),
        are(sites.pairs_within),
        are(sites.pairs_across),
    )
}

fn are(pairs: u64) -> String {
    format!("{} {}", grouped(pairs), if pairs == 1 { "is" } else { "are" })
}

fn most_removed(sites: &Sites) -> String {
    if sites.most_removed.is_empty() {
        return String::new();
    }
    let columns = number_columns("Site", ["Share", "Removed", "Documents"]);
    let mut table = Table::new("The sites of which most was removed", &columns);
    for site in &sites.most_removed {
        table.row([
            format!("{}{}", Name(&site.name), chart::bar([("removed", site.share)])),
            percent(site.removed, site.documents),
            grouped(site.removed),
            grouped(site.documents),
        ]);
    }
    table.html()
}

/// Pages with very many addresses.
fn traps(sites: &Sites) -> String {
    if sites.traps.is_empty() {
        return String::new();
    }
    let columns = [
        Column::Words("What its addresses have in common"),
        Column::Number("Addresses"),
        Column::Words("One of them"),
    ];
    let mut table = Table::new("One page under very many addresses of its site", &columns);
    for trap in &sites.traps {
        let example = trap.examples.first().map(String::as_str).unwrap_or_default();
        table.row([
            format!("<code>{}</code>", Name(&trap.pattern)),
            grouped(trap.addresses),
            Name(example).to_string(),
        ]);
    }
    format!(
        "<h3>Traps</h3>\n<p>Clusters with {} addresses of one site or more: session ids, calendars without end, filters in \
         every order. A crawler saves time by leaving such addresses out.</p>\n{}",
        grouped(MANY_ADDRESSES),
        table.html()
    )
}

fn mirrors(report: &Report, sites: &Sites) -> String {
    let source = source(report, sites);
    if sites.mirrors.is_empty() {
        return format!("<h3>Mirrors</h3>\n<p>None was found, looking {source}</p>\n");
    }
    let shown = sites.mirrors.len() as u64;
    let which = if shown < sites.mirrors_found {
        format!(", the largest {} of which are listed", grouped(shown))
    } else {
        String::new()
    };
    let columns = [
        Column::Words("One"),
        Column::Words("The other"),
        Column::Number("Pages alike"),
        Column::Number("Of the one"),
        Column::Number("Of the other"),
    ];
    let caption = format!(
        "Hosts and folders with the same pages at the same paths: {} or more, and {:.0} % or more \
         of the pages of each",
        Mirrors::DEFAULT_MIN_PAGES,
        100.0 * Mirrors::DEFAULT_MIN_SHARE,
    );
    let mut table = Table::new(&caption, &columns);
    for mirror in &sites.mirrors {
        table.row([
            Name(&mirror.a).to_string(),
            Name(&mirror.b).to_string(),
            grouped(mirror.matched),
            percent(mirror.matched, mirror.pages_a),
            percent(mirror.matched, mirror.pages_b),
        ]);
    }
    format!(
        "<h3>Mirrors</h3>\n<p>{} of hosts or folders that replicate each other{which}, looking \
         {source}</p>\n{}{}",
        count(sites.mirrors_found, "pair"),
        table.html(),
        unfolds("Examples", &examples(&sites.mirrors)),
    )
}

/// Where was looked, and where not.
fn source(report: &Report, sites: &Sites) -> String {
    let pairs = if report.options.pairs == "needed" {
        "only in the pairs that this decision needed; <code>lookalike mirrors</code> compares more."
    } else {
        "in the pairs of this run."
    };
    match sites.limited_sets {
        0 => pairs.to_owned(),
        sets => format!(
            "{pairs} In {} of more than {MEMBER_LIMIT} documents, only pairs with the first \
             {MEMBER_LIMIT} were looked at.",
            count(sets, "identity set"),
        ),
    }
}

fn examples(mirrors: &[Mirror]) -> String {
    let columns = [Column::Words("One"), Column::Words("The other"), Column::Number("Resemblance")];
    let mut table = Table::new("Pages of these mirrors", &columns);
    for (a, b, resemblance) in mirrors.iter().flat_map(|mirror| &mirror.examples) {
        let resemblance = resemblance.map_or_else(String::new, |r| format!("{r:.4}"));
        table.row([Name(a).to_string(), Name(b).to_string(), resemblance]);
    }
    table.html()
}
