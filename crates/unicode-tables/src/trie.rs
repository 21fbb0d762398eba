//! The two-stage table: an index of blocks, equal blocks stored once.

use std::collections::HashMap;
use std::fmt::Write as _;

use crate::characters::{
    Characters, Class, UNICODE_VERSION, class, combining_class, is_assigned, nfd, nfkc_casefold,
};

/// Code points per block, as a power of two. Index and blocks are 145 KB with
/// 32, 146 KB with 64 and 155 KB with 128; the larger the block, the fewer
/// lines of the index a text touches.
const BLOCK_BITS: u32 = 6;
const BLOCK: usize = 1 << BLOCK_BITS;

// The entry's layout, also written into the table.
const WORD: u32 = 1;
const SOLO: u32 = 2;
const STRING: u32 = 3;
const CLASS: u32 = 3;
const JOINS: u32 = 1 << 2;
const MAPPED: u32 = 1 << 3;
const MAY_COMPOSE: u32 = 1 << 4;
const DECOMPOSES: u32 = 1 << 5;
const PAYLOAD: u32 = 8;

/// All entries and the strings they refer to.
struct Entries {
    characters: Characters,
    strings: String,
    /// Where each string begins in `strings`, and one more for the end.
    starts: Vec<usize>,
    known: HashMap<String, u32>,
}

impl Entries {
    fn string(&mut self, text: &str) -> u32 {
        if let Some(&number) = self.known.get(text) {
            return number;
        }
        let number = self.starts.len() as u32 - 1;
        self.strings.push_str(text);
        self.starts.push(self.strings.len());
        self.known.insert(text.to_owned(), number);
        number
    }

    fn entry(&mut self, c: char) -> u32 {
        if !is_assigned(c) {
            return MAPPED | (u32::from(char::REPLACEMENT_CHARACTER) << PAYLOAD);
        }
        let text = nfkc_casefold(c);
        let joins = if self.characters.joins_what_precedes(&text) { JOINS } else { 0 };
        let mut kept = text.chars();
        match (kept.next(), kept.next()) {
            (Some(only), None) if only == c => {
                let class = match class(c) {
                    Class::Separator => 0,
                    Class::Word => WORD,
                    Class::Solo => SOLO,
                };
                let may_compose = if self.characters.may_compose(c) { MAY_COMPOSE } else { 0 };
                let decomposes = if nfd(&text) == text { 0 } else { DECOMPOSES };
                let combining = u32::from(combining_class(c)) << PAYLOAD;
                class | joins | may_compose | decomposes | combining
            }
            (Some(only), None) if joins == 0 => {
                let class = match class(only) {
                    Class::Separator => 0,
                    Class::Word => WORD,
                    Class::Solo => SOLO,
                };
                class | MAPPED | (u32::from(only) << PAYLOAD)
            }
            // Nothing, several characters, or one that joins what precedes:
            // these few go the slower way, character by character.
            _ => STRING | joins | (self.string(&text) << PAYLOAD),
        }
    }
}

/// The text of `tables.rs`.
pub(crate) fn generate() -> String {
    let mut entries = Entries {
        characters: Characters::new(),
        strings: String::new(),
        starts: vec![0],
        known: HashMap::new(),
    };
    let unassigned = entries.entry('\u{ffff}');
    let all: Vec<u32> = (0..=u32::from(char::MAX))
        .map(|code| char::from_u32(code).map_or(unassigned, |c| entries.entry(c)))
        .collect();

    // The high planes hold nothing but private use, which separates as the
    // unassigned do: the index ends with the last block that says more.
    let separates = |&entry: &u32| entry == 0 || entry == unassigned;
    let used = all.len() - all.iter().rev().take_while(|&entry| separates(entry)).count();
    let mut blocks: Vec<&[u32]> = Vec::new();
    let mut numbers: HashMap<&[u32], usize> = HashMap::new();
    let mut index = Vec::new();
    for block in all[..used.next_multiple_of(BLOCK)].chunks(BLOCK) {
        let number = *numbers.entry(block).or_insert_with(|| {
            blocks.push(block);
            blocks.len() - 1
        });
        index.push(number as u32);
    }
    print(&entries, &index, &blocks.concat())
}

fn print(entries: &Entries, index: &[u32], blocks: &[u32]) -> String {
    let mut out = String::from(
        "//! Made by `cargo run -p lookalike-unicode-tables`; do not edit.\n\
         //!\n\
         //! Each code point has an entry. `CLASS` of it is 0 (separator), `WORD` or\n\
         //! `SOLO`, and then the bits from `PAYLOAD` on are the character it maps to if\n\
         //! it is `MAPPED`, else its canonical combining class; or it is `STRING`, and\n\
         //! they are the number of the string, perhaps empty, that it maps to. `JOINS`:\n\
         //! normalisation may move or compose its beginning into what precedes, or it\n\
         //! vanishes. `MAY_COMPOSE` and `DECOMPOSES`: it is the second part of a primary\n\
         //! composite; it has a canonical decomposition.\n\
         //!\n\
         //! Runs of equal values are written once, as value and count, and laid out by\n\
         //! the compiler.\n\n\
         #![expect(clippy::unreadable_literal, reason = \"nobody reads the numbers\")]\n\n",
    );
    let mut constant = |name: &str, kind: &str, value: String| {
        writeln!(out, "pub(super) const {name}: {kind} = {value};").expect("strings take all");
    };
    for (name, value) in [
        ("WORD", WORD),
        ("SOLO", SOLO),
        ("STRING", STRING),
        ("CLASS", CLASS),
        ("JOINS", JOINS),
        ("MAPPED", MAPPED),
        ("MAY_COMPOSE", MAY_COMPOSE),
        ("DECOMPOSES", DECOMPOSES),
        ("PAYLOAD", PAYLOAD),
        ("BLOCK_BITS", BLOCK_BITS),
    ] {
        constant(name, "u32", value.to_string());
    }
    out.push_str(
        "/// The Unicode version that decides which characters exist and what they are.\n",
    );
    writeln!(out, "pub const UNICODE_VERSION: (u8, u8, u8) = {UNICODE_VERSION:?};\n")
        .expect("strings take all");

    let starts: Vec<u32> = entries.starts.iter().map(|&start| start as u32).collect();
    runs(&mut out, "INDEX", "u16", index);
    runs(&mut out, "BLOCKS", "u32", blocks);
    plain(&mut out, "STRING_STARTS", &starts);
    literal(&mut out, &entries.strings);
    out
}

/// A table as runs, and the constant expression that lays it out. Runs of one
/// are the value alone; longer ones are the value with its sign turned (as
/// -1 - value), and then the count.
fn runs(out: &mut String, name: &str, kind: &str, values: &[u32]) {
    let mut coded: Vec<i64> = Vec::new();
    for run in values.chunk_by(|a, b| a == b) {
        let value = i64::from(run[0]);
        if run.len() == 1 {
            coded.push(value);
        } else {
            coded.push(-1 - value);
            coded.push(i64::from(run.len() as u32));
        }
    }
    let length = values.len();
    write!(
        out,
        "pub(super) static {name}: [{kind}; {length}] = {{\n\
         \x20   let mut laid_out = [0; {length}];\n\
         \x20   let (mut from, mut to) = (0, 0);\n\
         \x20   while from < {name}_RUNS.len() {{\n\
         \x20       let coded = {name}_RUNS[from];\n\
         \x20       let single = coded >= 0;\n\
         \x20       let value = if single {{ coded }} else {{ -1 - coded }};\n\
         \x20       let end = to + if single {{ 1 }} else {{ {name}_RUNS[from + 1] as usize }};\n\
         \x20       while to < end {{\n\
         \x20           laid_out[to] = value as {kind};\n\
         \x20           to += 1;\n\
         \x20       }}\n\
         \x20       from += if single {{ 1 }} else {{ 2 }};\n\
         \x20   }}\n\
         \x20   laid_out\n\
         }};\n"
    )
    .expect("strings take all");
    list(out, &format!("static {name}_RUNS: [i64; {}]", coded.len()), &coded);
}

fn plain(out: &mut String, name: &str, values: &[u32]) {
    let values: Vec<i64> = values.iter().copied().map(i64::from).collect();
    list(out, &format!("pub(super) static {name}: [u16; {}]", values.len()), &values);
}

/// `head = [values];`, in lines of at most 100 columns.
fn list(out: &mut String, head: &str, values: &[i64]) {
    write!(out, "#[rustfmt::skip]\n{head} = [").expect("strings take all");
    let mut column = 100;
    for value in values {
        let text = format!("{value},");
        if column + text.len() > 100 {
            out.push('\n');
            column = 0;
        }
        column += text.len();
        out.push_str(&text);
    }
    out.push_str("\n];\n\n");
}

fn literal(out: &mut String, text: &str) {
    out.push_str("#[rustfmt::skip]\npub(super) static STRINGS: &str = \"");
    let mut column = 100;
    for c in text.chars() {
        let escaped: String = if matches!(c, 'a'..='z' | '0'..='9') {
            c.into()
        } else {
            c.escape_unicode().collect()
        };
        if column + escaped.len() > 98 {
            out.push_str("\\\n");
            column = 0;
        }
        column += escaped.len();
        out.push_str(&escaped);
    }
    out.push_str("\";\n");
}
