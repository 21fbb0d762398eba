//! What was cut of documents that stay, or annotated in them: where, how long, and what it is.

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

/// What was done to passages.
pub(super) fn done(passages: &Passages) -> &'static str {
    if passages.annotated { "annotated" } else { "cut" }
}

/// The same in the first sentence of several.
pub(super) fn done_and_not(passages: &Passages) -> &'static str {
    if passages.annotated { "annotated, not cut" } else { "cut" }
}

/// What it was done to.
fn piece_name(passages: &Passages) -> &'static str {
    if passages.annotated { "piece" } else { "cut" }
}

fn summary(passages: &Passages) -> String {
    if passages.cuts == 0 {
        let done = done(passages);
        return format!(
            "<p>Nothing was {done}: no run of so many words stands at two places.</p>\n"
        );
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
        "<p>{} of {} were {} ({}), in {} of {}. They are the words of {}, each of which stays \
         where it stands first in the order of the keep policy.{gone}</p>\n\
         <p class=\"soft\"><code>passages.parquet</code> has where each stays; <code>lookalike why \
         DIR ID</code> shows a document with what was {} of it, and <code>lookalike view DIR</code> \
         all passages in a browser.</p>\n",
        grouped(passages.words_cut),
        count(passages.words, "word"),
        done_and_not(passages),
        percent(passages.words_cut, passages.words),
        count(passages.cuts, "piece"),
        count(passages.documents + passages.documents_gone, "document"),
        count(passages.passages, "passage"),
        done(passages),
    )
}

fn plots(passages: &Passages) -> String {
    let one = piece_name(passages);
    let often =
        format!("How often the words of a {one} stand in the corpus, with the copy that stays.");
    let figures = [
        figure(
            (&passages.lengths, one),
            "words",
            &format!("words of a {one}"),
            &format!("How long the {one}s are."),
        ),
        figure((&passages.copies, one), "copies", "copies of its words", &often),
    ];
    let figures: String = figures.into_iter().flatten().collect();
    if figures.is_empty() { figures } else { format!("<div class=\"plots\">\n{figures}</div>\n") }
}

/// How many pieces there are of each class of a number.
fn figure(
    (classes, one): (&[[u64; 2]], &str),
    thing: &str,
    axis: &str,
    caption: &str,
) -> Option<String> {
    let svg = charts::cuts((classes, one), thing, axis)?;
    let [title, pieces] = [thing, &format!("{one}s")].map(capitalized);
    let columns = number_columns(&title, [&*pieces]);
    let table_caption = format!("{pieces} by {thing}");
    let mut table = Table::new(&table_caption, &columns);
    for &[least, cuts] in classes {
        table.row([charts::range(least), grouped(cuts)]);
    }
    Some(format!(
        "<figure>\n{svg}\n<figcaption>{caption}</figcaption>\n{}</figure>\n",
        unfolds("The numbers", &table.html())
    ))
}

fn capitalized(word: &str) -> String {
    format!("{}{}", word[..1].to_uppercase(), &word[1..])
}

fn shares(passages: &Passages) -> String {
    let done = done(passages);
    let (first, more) = passages.sources.split_at(passages.sources.len().min(FIRST_SOURCES));
    let most = |of: &str| format!("The {of} of which most words were {done}");
    let mut out = shares_table("Source", (&most("sources"), done), first);
    if !more.is_empty() {
        let rest = shares_table("Source", ("The sources after these", done), more);
        out += &unfolds(&count(more.len() as u64, "more source"), &rest);
    }
    out + &shares_table("Site", (&most("sites"), done), &passages.sites)
}

fn shares_table(what: &str, (caption, done): (&str, &str), shares: &[CutShare]) -> String {
    if shares.is_empty() {
        return String::new();
    }
    let words_done = format!("Words {done}");
    let columns = number_columns(what, ["Share", &words_done, "Words"]);
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
    let done = done(passages);
    let mut out = format!(
        "<h3>The passages with most copies</h3>\n<p class=\"soft\">{of}, of those that overlap \
         one. <del>Struck out</del> is what was {done}.</p>\n"
    );
    for (place, passage) in passages.most_copies.iter().enumerate() {
        out += &shown_passage((passage, passages), if place == 0 { " open" } else { "" });
    }
    out
}

/// Characters of a passage that name it.
const NAME: usize = 70;

fn shown_passage((passage, of): (&Passage, &Passages), open: &str) -> String {
    let Passage { words, copies, cuts, begin, end, left_out, example, .. } = passage;
    let beginning = beginning(&passage.text);
    let name = if beginning.is_empty() { &passage.keeper } else { &beginning };
    let pieces = capitalized(&format!("{}s", piece_name(of)));
    let columns = [Column::Words("Document"), Column::Number("Bytes"), Column::Number(&pieces)];
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
    let context = if example.text.is_empty() { String::new() } else { context(passage, done(of)) };
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

/// The first place at which it was cut, or annotated.
fn context(passage: &Passage, done: &str) -> String {
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
        "<h3>Where it was {done} first: {}</h3>\n<div class=\"marked\">\n\
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
