//! What the page is written with: text from outside made harmless, and tables.

use std::fmt::{self, Write as _};

use lookalike_core::difference::turns_direction;
use lookalike_engine::numbers;

/// Text that a page shows as it is: escaped for elements and for attributes in quotes, without
/// control characters and without those that turn the direction of writing.
pub(crate) struct Text<'a>(pub(crate) &'a str);

impl fmt::Display for Text<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for c in self.0.chars() {
            match c {
                '&' => f.write_str("&amp;")?,
                '<' => f.write_str("&lt;")?,
                '>' => f.write_str("&gt;")?,
                '"' => f.write_str("&quot;")?,
                '\'' => f.write_str("&#39;")?,
                c if c.is_whitespace() => f.write_char(' ')?,
                c if c.is_control() || turns_direction(c) => f.write_char('\u{fffd}')?,
                c => f.write_char(c)?,
            }
        }
        Ok(())
    }
}

/// An id or a name: apart from the direction of the text around it, and shortened in its middle
/// if it is long. What was left out shows when the mouse rests on it, unless it is longer still.
pub(crate) struct Name<'a>(pub(crate) &'a str);

/// Characters of a name that are shown: two lines on a phone.
const MAX_NAME: usize = 88;
/// Those of them that are shown from its end, where file names and numbers are.
const NAME_END: usize = 24;
/// Characters of a name that the mouse shows.
const MAX_TITLE: usize = 400;

impl fmt::Display for Name<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some((start, end)) = shortened(self.0, MAX_NAME - NAME_END, NAME_END) else {
            return write!(f, "<bdi class=\"name\">{}</bdi>", Text(self.0));
        };
        f.write_str("<bdi class=\"name\" title=\"")?;
        match shortened(self.0, MAX_TITLE, 0) {
            None => write!(f, "{}", Text(self.0))?,
            Some((start, _)) => write!(f, "{}&hellip;", Text(start))?,
        }
        write!(f, "\">{}&hellip;{}</bdi>", Text(start), Text(end))
    }
}

/// A message, cut if it is long.
pub(crate) struct Message<'a>(pub(crate) &'a str);

/// Characters of a message that are shown.
const MAX_MESSAGE: usize = 600;

impl fmt::Display for Message<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match shortened(self.0, MAX_MESSAGE, 0) {
            None => write!(f, "<bdi>{}</bdi>", Text(self.0)),
            Some((start, _)) => write!(f, "<bdi>{}&hellip;</bdi>", Text(start)),
        }
    }
}

/// The first `start` and the last `end` characters of a text that has more than these.
fn shortened(text: &str, start: usize, end: usize) -> Option<(&str, &str)> {
    text.char_indices().nth(start + end)?;
    let (start, _) = text.char_indices().nth(start)?;
    let tail = match end {
        0 => text.len(),
        end => text.char_indices().rev().nth(end - 1)?.0,
    };
    Some((&text[..start], &text[tail..]))
}

/// A column of a table.
#[derive(Clone, Copy)]
pub(crate) enum Column<'a> {
    Words(&'a str),
    Number(&'a str),
}

/// Columns of which the first has words, and the others numbers.
pub(crate) fn number_columns<'a>(
    first: &'a str,
    others: impl IntoIterator<Item = &'a str>,
) -> Vec<Column<'a>> {
    let others = others.into_iter().map(Column::Number);
    std::iter::once(Column::Words(first)).chain(others).collect()
}

/// A table whose first column names its rows.
pub(crate) struct Table<'a> {
    caption: &'a str,
    columns: &'a [Column<'a>],
    rows: String,
    /// Whether each cell has the title of its column, for screens on which a row is a list.
    titled: bool,
}

impl<'a> Table<'a> {
    pub(crate) fn new(caption: &'a str, columns: &'a [Column<'a>]) -> Self {
        Self { caption, columns, rows: String::new(), titled: false }
    }

    /// One whose cells have the titles of their columns; these must be free of elements.
    pub(crate) fn titled(caption: &'a str, columns: &'a [Column<'a>]) -> Self {
        Self { titled: true, ..Self::new(caption, columns) }
    }

    /// Adds a row of cells that are markup already.
    pub(crate) fn row(&mut self, cells: impl IntoIterator<Item = String>) {
        self.rows += "<tr>";
        for (place, (cell, column)) in cells.into_iter().zip(self.columns).enumerate() {
            let (start, title, end) = match (place, column) {
                (0, _) => ("<th scope=\"row\"", "", "</th>"),
                (_, Column::Words(title)) => ("<td", *title, "</td>"),
                (_, Column::Number(title)) => ("<td class=\"n\"", *title, "</td>"),
            };
            self.rows += start;
            if self.titled && place > 0 {
                self.rows.extend([" data-title=\"", title, "\""]);
            }
            self.rows.extend([">", &cell, end]);
        }
        self.rows += "</tr>\n";
    }

    pub(crate) fn html(&self) -> String {
        let mut head = String::new();
        for column in self.columns {
            let (class, title) = match column {
                Column::Words(title) => ("", title),
                Column::Number(title) => (" class=\"n\"", title),
            };
            head.extend(["<th scope=\"col\"", class, ">", title, "</th>"]);
        }
        format!(
            "<table>\n<caption>{}</caption>\n<thead><tr>{head}</tr></thead>\n\
             <tbody>\n{}</tbody>\n</table>\n",
            self.caption, self.rows
        )
    }
}

/// Something that unfolds, beside what is always shown.
pub(crate) fn unfolds(summary: &str, body: &str) -> String {
    format!("<details class=\"plain\"><summary>{summary}</summary>\n{body}</details>\n")
}

/// Items of a list, each with its mark.
pub(crate) fn items(messages: &[String]) -> String {
    let mut out = String::new();
    for message in messages {
        out.extend(["<li>", &Message(message).to_string(), "</li>\n"]);
    }
    out
}

/// A share of a whole; it may begin with a sign that must be escaped.
pub(crate) fn percent(part: u64, whole: u64) -> String {
    Text(&numbers::percent(part, whole)).to_string()
}

/// A time; it may begin with a sign that must be escaped.
pub(crate) fn duration(seconds: f64) -> String {
    Text(&numbers::duration(seconds)).to_string()
}

/// A little square in the colour of something in a plot.
pub(crate) fn swatch(class: &str) -> String {
    format!("<span class=\"swatch {class}\" aria-hidden=\"true\"></span>")
}

/// What a colour of a plot means.
pub(crate) fn key(class: &str, words: &str) -> String {
    format!("<span class=\"key\">{}{words}</span>", swatch(class))
}

/// The id, and beside it the URL, by which people know a page of a web archive. Not as a link: what it
/// leads to is not what was read, and may be anything.
pub(crate) fn named(id: &str, url: Option<&str>) -> String {
    match url.filter(|url| *url != id) {
        Some(url) => format!("{} <span class=\"soft\">{}</span>", Name(id), Name(url)),
        None => Name(id).to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_from_outside_is_markup() {
        let shown = Text("<script>alert('1')</script> \"a\" & b").to_string();
        assert_eq!(shown, "&lt;script&gt;alert(&#39;1&#39;)&lt;/script&gt; &quot;a&quot; &amp; b");
        assert_eq!(
            Text("a\0b\x1b[31m\nc\u{202e}d").to_string(),
            "a\u{fffd}b\u{fffd}[31m c\u{fffd}d"
        );
    }

    #[test]
    fn long_names_keep_both_ends() {
        let long = format!("start{}end", "\u{6f22}".repeat(10_000));
        let shown = Name(&long).to_string();
        assert!(shown.contains(">start") && shown.ends_with("end</bdi>"), "{shown}");
        assert!(shown.chars().count() < MAX_NAME + MAX_TITLE + 60);
        let just = "x".repeat(MAX_NAME);
        assert_eq!(Name(&just).to_string(), format!("<bdi class=\"name\">{just}</bdi>"));
        let message = Message(&long).to_string();
        assert!(message.chars().count() < MAX_MESSAGE + 30);
    }
}
