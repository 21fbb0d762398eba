//! The largest clusters, with what differs in them.

use lookalike_engine::numbers::{count, grouped};
use lookalike_engine::report::{Cluster, Difference, Kind, Member, Report};

use crate::difference::{in_words, marked};
use crate::markup::{Column, Name, Table, named};

pub(super) fn section(report: &Report) -> String {
    if report.largest_clusters.is_empty() {
        return String::new();
    }
    let shown = report.largest_clusters.len() as u64;
    let of = match report.clusters {
        all if all <= shown => "All clusters.".to_owned(),
        all if shown == 1 => format!("The largest of {}.", count(all, "cluster")),
        all => format!("The {} largest of {}.", grouped(shown), count(all, "cluster")),
    };
    let mut out = format!(
        "<p class=\"soft\">{of} In a difference, <del>struck out</del> is what only the kept \
         document has, and <ins>underlined</ins> what only the other one has.{}</p>\n",
        if report.templates.is_some() {
            " <span class=\"template\">Grey</span> is left out: template, or beside the \
             content."
        } else {
            ""
        }
    );
    out += "<p class=\"soft\"><code>lookalike view DIR</code>, with the folder that this page is in, \
        shows all clusters in a browser: to be searched by id, URL or words, compared and judged.</p>\n";
    for (place, shown) in report.largest_clusters.iter().enumerate() {
        out += &cluster(shown, report, if place == 0 { " open" } else { "" });
    }
    out
}

fn cluster(cluster: &Cluster, report: &Report, open: &str) -> String {
    let others = cluster.size.saturating_sub(1);
    let shown = cluster.members.len() as u64;
    let other = if report.kept_beside > 0 { "other" } else { "removed" };
    let caption = if shown < others {
        format!("{} of the {}", grouped(shown), count(others, &format!("{other} document")))
    } else {
        format!("The {other} documents")
    };
    let columns = [Column::Words("Document"), Column::Words("Kind"), Column::Number("Resemblance")];
    let mut table = Table::new(&caption, &columns);
    for member in &cluster.members {
        table.row(member_cells(member));
    }
    let members = if cluster.members.is_empty() { String::new() } else { table.html() };
    let difference = cluster.difference.as_ref().map(|shown| difference(shown, report));
    format!(
        "<details{open}><summary><b>{}</b> like {}</summary>\n<div class=\"cluster\">\n\
         {members}{}</div>\n</details>\n",
        count(cluster.size, "document"),
        named(&cluster.keeper, cluster.keeper_url.as_deref()),
        difference.unwrap_or_default()
    )
}

fn member_cells(member: &Member) -> [String; 3] {
    let kind = match member.kind {
        Kind::Exact => "exact copy",
        Kind::Near => "near-duplicate",
    };
    let name = named(&member.id, member.url.as_deref());
    let kind = if member.kept { format!("{kind}, stays") } else { kind.to_owned() };
    [name, kind, resemblance(member.resemblance)]
}

/// Four digits; only what is all the same is shown as 1.
fn resemblance(value: Option<f64>) -> String {
    match value.filter(|value| value.is_finite()) {
        None => "not known".to_owned(),
        Some(value) if value < 1.0 && value > 0.999_9 => "&gt; 0.9999".to_owned(),
        Some(value) => format!("{value:.4}"),
    }
}

fn difference(difference: &Difference, report: &Report) -> String {
    let token = report.recipe.tokens.singular();
    let but = if report.templates.is_some() { " but in the template" } else { "" };
    let mut out = format!(
        "<h3>What differs in {}</h3>\n<p class=\"soft\">{}</p>\n",
        Name(&difference.with),
        in_words(difference, token, but)
    );
    out += &marked(difference, token);
    out
}
