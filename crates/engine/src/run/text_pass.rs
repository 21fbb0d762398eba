//! Many texts of a run, read again from the inputs with a bound on the work.
//!
//! A record can only be reached through all that stands before it in its file,
//! so that what counts is how deep in its file a document is: estimated by its
//! record's number, in bytes as stored.

use lookalike_core::Layout;
use lookalike_core::text::Text;

use super::Run;
use crate::error::Result;
use crate::places::Row;
use crate::sources::SourceRow;
use crate::texts::Texts;

/// Bytes of inputs that one pass reads: a fraction of a second's work.
pub(super) const PASS_BYTES: u64 = 64 << 20;

/// What it costs to open a file, however small it is.
const OPENING_BYTES: u64 = 16 << 10;

/// Bytes that passes may still read.
#[derive(Clone, Copy, Debug)]
pub(super) struct ByteBudget {
    left: u64,
    /// What another pass begins with.
    whole: u64,
}

impl ByteBudget {
    pub(super) fn new(whole: u64) -> Self {
        Self { left: whole, whole }
    }
}

/// How a pass went.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct TextPass {
    /// Rows whose texts no pass can have: they have changed, are gone, or lie too deep in a file.
    pub(super) unread: Vec<Row>,
    /// The first row that is left for another pass.
    pub(super) stopped_at: Option<Row>,
}

impl Run {
    /// Calls `each` with the texts of rows, which are ascending, until `budget` is used up.
    pub(super) fn read_texts(
        &self,
        rows: &[Row],
        budget: &mut ByteBudget,
        mut each: impl FnMut(Row, Text<'_>),
    ) -> Result<TextPass> {
        let mut pass = TextPass::default();
        let mut rest = rows;
        while let Some(&first) = rest.first() {
            let Some(source) = self.sources.of_row(first)? else {
                // The run was made from a signature file.
                pass.unread.extend(rest);
                break;
            };
            let end = source.rows().end;
            let (here, after) = rest.split_at(rest.partition_point(|row| *row < end).max(1));
            rest = after;
            let (within, beyond) =
                here.split_at(here.partition_point(|row| depth(&source, *row) <= budget.left));
            if let Some(last) = within.last() {
                budget.left -= depth(&source, *last);
                self.read_source(&source, within, &mut pass.unread, &mut each)?;
            }
            match beyond.first() {
                Some(row) if depth(&source, *row) <= budget.whole => {
                    pass.stopped_at = Some(*row);
                    break;
                }
                _ => pass.unread.extend(beyond),
            }
        }
        Ok(pass)
    }

    fn read_source(
        &self,
        source: &SourceRow,
        rows: &[Row],
        unread: &mut Vec<Row>,
        each: &mut impl FnMut(Row, Text<'_>),
    ) -> Result<()> {
        let (mut signer, layout) = (self.exact_signer()?, Layout::of(&self.recipe));
        let mut texts = Texts::new();
        let (mut read, mut outcome) = (Vec::new(), Ok(()));
        // A file that cannot be read any more has texts that cannot be read.
        let _ = source.for_each_record(&self.read, rows, |row, record| {
            let text = texts.of_record(record);
            match self.signatures.signature(row) {
                Ok(signed) if signed.exact == layout.exact_of(signer.sign(text)) => {
                    read.push(row);
                    each(row, text);
                }
                Ok(_) => {}
                Err(error) => outcome = Err(error),
            }
        });
        unread.extend(rows.iter().filter(|row| read.binary_search(row).is_err()));
        outcome
    }

    /// How the documents of rows begin: at most so many characters, with single spaces; `None` for
    /// those that could not be read, or not with little work.
    ///
    /// # Errors
    /// If a file of the run itself cannot be read.
    pub fn beginnings(&self, rows: &[Row], characters: usize) -> Result<Vec<Option<String>>> {
        let mut ascending: Vec<Row> = rows.to_vec();
        ascending.retain(|row| u64::from(*row) < self.rows());
        ascending.sort_unstable();
        ascending.dedup();
        let mut found = Vec::new();
        let mut budget = ByteBudget::new(PASS_BYTES);
        // More bytes than the longest characters, with some white space between them.
        let most = 8 * characters;
        self.read_texts(&ascending, &mut budget, |row, text| {
            let bytes = text.bytes();
            let start = String::from_utf8_lossy(&bytes[..bytes.len().min(most)]);
            let words: Vec<&str> = start.split_whitespace().collect();
            found.push((row, words.join(" ").chars().take(characters).collect::<String>()));
        })?;
        let of = |row: &Row| {
            let at = found.binary_search_by_key(row, |(row, _)| *row).ok()?;
            Some(found[at].1.clone())
        };
        Ok(rows.iter().map(of).collect())
    }
}

/// Bytes of a file that are read to have the text of a row.
fn depth(source: &SourceRow, row: Row) -> u64 {
    let bytes = u128::from(source.bytes.unwrap_or(u64::MAX - OPENING_BYTES));
    let records = source.record_of(source.first_row.after(source.documents.saturating_sub(1)));
    let share = bytes * u128::from(source.record_of(row)) / u128::from(records.max(1));
    OPENING_BYTES + u64::try_from(share.min(bytes)).unwrap_or(u64::MAX - OPENING_BYTES)
}
