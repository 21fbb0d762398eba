//! The part of the page about how often documents were found.

use lookalike_engine::numbers::{count, grouped};
use lookalike_engine::report::{Counts, Repeated, Report};

use super::sections::size_rows;
use crate::markup::{Column, Name, Table, Text, number_columns, unfolds};

/// Most repeated documents that are shown at once; the others unfold.
const FIRST: usize = 10;

pub(super) fn section(report: &Report) -> String {
    let counts = &report.counts;
    if counts.most_repeated.is_empty() {
        return String::new();
    }
    let (first, more) = counts.most_repeated.split_at(counts.most_repeated.len().min(FIRST));
    let more = match more.len() as u64 {
        0 => String::new(),
        rest => {
            let table = repeated(counts, more, "The documents after these");
            unfolds(&count(rest, "more document"), &table)
        }
    };
    format!(
        "<p>A document that stays stands for its copies: itself, and those that went for it. {}</p>\n\
         {}{}{}{more}",
        what_sources_are(counts),
        spread("Documents that stay, by copies", "Copies", "Copies in all", &counts.copies),
        unfolds(
            "By sources",
            &spread(
                "Documents that stand for others, by the sources of their copies",
                "Sources",
                "Sources in all",
                &counts.sources
            )
        ),
        repeated(counts, first, "The most repeated documents"),
    )
}

fn what_sources_are(counts: &Counts) -> String {
    match (counts.by.as_str(), counts.by.strip_prefix("field:")) {
        (_, Some(field)) => format!("Sources are the values of <code>{}</code>.", Text(field)),
        ("site", _) => "Sources are sites, and input files where a document has none.".to_owned(),
        _ => "Sources are input files.".to_owned(),
    }
}

fn spread(caption: &str, number: &str, all: &str, counts: &[[u64; 2]]) -> String {
    let columns = number_columns(number, ["Documents", all]);
    let mut table = Table::new(caption, &columns);
    for row in size_rows(counts) {
        table.row(row);
    }
    table.html()
}

fn repeated(counts: &Counts, documents: &[Repeated], caption: &str) -> String {
    let mut columns = number_columns("Document", ["Copies", "Exact", "Sources"]);
    let has_dates = counts.date_field.is_some();
    if has_dates {
        columns.extend([Column::Words("First"), Column::Words("Last")]);
    }
    let mut table = Table::new(caption, &columns);
    for document in documents {
        let name = document.url.as_ref().unwrap_or(&document.id);
        let numbers = [document.copies, document.exact_copies, document.sources].map(grouped);
        let dates = [&document.first, &document.last].map(|date| day(date.as_deref()));
        let dates = dates.into_iter().filter(|_| has_dates);
        table.row([Name(name).to_string()].into_iter().chain(numbers).chain(dates));
    }
    table.html()
}

/// The day of a time.
fn day(time: Option<&str>) -> String {
    let day = time.and_then(|time| time.split('T').next());
    day.map_or_else(String::new, |day| Text(day).to_string())
}
