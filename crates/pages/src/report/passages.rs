//! What was cut of documents that stay: where, how long, and what it is.

use lookalike_engine::numbers::{count, grouped};
use lookalike_engine::report::{CutShare, Passage, Passages, Report};
use lookalike_engine::run::MarkedPiece;

use super::charts;
use crate::chart;
use crate::markup::{Column, Name, Table, Text, named, number_columns, percent, unfolds};

/// Sources that are shown at once; the others unfold.
const FIRST_SOURCES: usize = 10;

pub(super) fn section(report: &Report) -> String {
    let Some(passages) = &report.passages else { return String::new() };
    summary(passages) + &plots(passages) + &shares(passages) + &most_copies(passages)
}

fn summary(passages: &Passages) -> String {
    if passages.cuts == 0 {
        return "<p>Nothing was cut: no run of so many words stands at two places.</p>\n"
            .to_owned();
    }
    let gone = match passages.documents_gone {
        0 => String::new(),
        gone => {
            let lost = match passages.words_lost {
                0 => "all of their words stand elsewhere".to_owned(),
                lost => format!("{} went with them that stand nowhere else", count(lost, "word")),
            };
            format!(" {} went whole: {lost}.", count(gone, "document"))
        }
    };
    format!(
        "<p>{} of {} were cut ({}), in {} of {}. They are the words of {}, each of which stays \
         where it stands first in the order of the keep policy.{gone}</p>\n\
         <p class=\"soft\"><code>passages.parquet</code> has where each stays; <code>lookalike why \
         DIR ID</code> shows a document with what was cut of it, and <code>lookalike view DIR</code> \
         all passages in a browser.</p>\n",
        grouped(passages.words_cut),
        count(passages.words, "word"),
        percent(passages.words_cut, passages.words),
        count(passages.cuts, "piece"),
        count(passages.documents + passages.documents_gone, "document"),
        count(passages.passages, "passage"),
    )
}

fn plots(passages: &Passages) -> String {
    let figures = [
        figure(&passages.lengths, "words", "words of a cut", "How long the cuts are."),
        figure(
            &passages.copies,
            "copies",
            "copies of its words",
            "How often the words of a cut stand in the corpus, with the copy that stays.",
        ),
    ];
    let figures: String = figures.into_iter().flatten().collect();
    if figures.is_empty() { figures } else { format!("<div class=\"plots\">\n{figures}</div>\n") }
}

fn figure(classes: &[[u64; 2]], thing: &str, axis: &str, caption: &str) -> Option<String> {
    let svg = charts::cuts(classes, thing, axis)?;
    let title = format!("{}{}", thing[..1].to_uppercase(), &thing[1..]);
    let columns = number_columns(&title, ["Cuts"]);
    let table_caption = format!("Cuts by {thing}");
    let mut table = Table::new(&table_caption, &columns);
    for &[least, cuts] in classes {
        table.row([charts::range(least), grouped(cuts)]);
    }
    Some(format!(
        "<figure>\n{svg}\n<figcaption>{caption}</figcaption>\n{}</figure>\n",
        unfolds("The numbers", &table.html())
    ))
}

fn shares(passages: &Passages) -> String {
    let (first, more) = passages.sources.split_at(passages.sources.len().min(FIRST_SOURCES));
    let mut out = shares_table("Source", "The sources of which most words were cut", first);
    if !more.is_empty() {
        let rest = shares_table("Source", "The sources after these", more);
        out += &unfolds(&count(more.len() as u64, "more source"), &rest);
    }
    out + &shares_table("Site", "The sites of which most words were cut", &passages.sites)
}

fn shares_table(what: &str, caption: &str, shares: &[CutShare]) -> String {
    if shares.is_empty() {
        return String::new();
    }
    let columns = number_columns(what, ["Share", "Words cut", "Words"]);
    let mut table = Table::new(caption, &columns);
    for CutShare { name, words, words_cut } in shares {
        let share = *words_cut as f64 / (*words).max(1) as f64;
        table.row([
            format!("{}{}", Name(name), chart::bar([("removed", share)])),
            percent(*words_cut, *words),
            grouped(*words_cut),
            grouped(*words),
        ]);
    }
    table.html()
}

fn most_copies(passages: &Passages) -> String {
    if passages.most_copies.is_empty() {
        return String::new();
    }
    let shown = passages.most_copies.len() as u64;
    let of = match passages.passages {
        all if all <= shown => "All passages".to_owned(),
        all => format!("{} of {}", grouped(shown), count(all, "passage")),
    };
    let mut out = format!(
        "<h3>The passages with most copies</h3>\n<p class=\"soft\">{of}, of those that overlap \
         one. <del>Struck out</del> is what was cut.</p>\n"
    );
    for (place, passage) in passages.most_copies.iter().enumerate() {
        out += &shown_passage(passage, if place == 0 { " open" } else { "" });
    }
    out
}

/// Characters of a passage that name it.
const NAME: usize = 70;

fn shown_passage(passage: &Passage, open: &str) -> String {
    let Passage { words, copies, cuts, begin, end, left_out, example, .. } = passage;
    let beginning = beginning(&passage.text);
    let name = if beginning.is_empty() { &passage.keeper } else { &beginning };
    let columns = [Column::Words("Document"), Column::Number("Bytes"), Column::Number("Cuts")];
    let mut table = Table::new("Where it stays", &columns);
    table.row([
        named(&passage.keeper, passage.keeper_url.as_deref()),
        format!("{} to {}", grouped(*begin), grouped(*end)),
        grouped(*cuts),
    ]);
    let more = match left_out {
        0 => String::new(),
        left_out => gap(*left_out),
    };
    let text = if passage.text.is_empty() {
        "<p class=\"soft\">The document could not be read again.</p>\n".to_owned()
    } else {
        format!(
            "<div class=\"marked\">\n<p class=\"passage\" dir=\"auto\">{}</p>\n{more}</div>\n",
            Text(&passage.text)
        )
    };
    let context = if example.text.is_empty() { String::new() } else { context(passage) };
    format!(
        "<details{open}><summary><b>{} copies</b> of {}: {}</summary>\n<div class=\"cluster\">\n\
         {text}{}{context}</div>\n</details>\n",
        grouped(*copies),
        count(*words, "word"),
        Name(name),
        table.html(),
    )
}

/// The first words of a passage.
fn beginning(text: &str) -> String {
    let Some((end, _)) = text.char_indices().nth(NAME) else { return text.trim().to_owned() };
    let words = text[..end].rfind(char::is_whitespace).map_or(&text[..end], |at| &text[..at]);
    format!("{}\u{2026}", words.trim())
}

/// The first place at which it was cut.
fn context(passage: &Passage) -> String {
    let example = &passage.example;
    let piece = |piece: &MarkedPiece| match piece {
        MarkedPiece::Kept(text) => Text(text).to_string(),
        MarkedPiece::Cut(_, text) => format!("<del>{}</del>", Text(text)),
        MarkedPiece::Gap(bytes) => {
            format!(
                " <span class=\"soft\">&middot;&middot;&middot; {} &middot;&middot;&middot;</span> ",
                more(*bytes as u64)
            )
        }
    };
    let pieces: String = example.text.iter().map(piece).collect();
    format!(
        "<h3>Where it was cut first: {}</h3>\n<div class=\"marked\">\n\
         <p class=\"passage\" dir=\"auto\">{pieces}</p>\n</div>\n",
        named(&example.id, example.url.as_deref()),
    )
}

fn more(bytes: u64) -> String {
    count(bytes, "more byte")
}

fn gap(bytes: u64) -> String {
    format!("<p class=\"gap\">&middot;&middot;&middot; {}</p>\n", more(bytes))
}
