//! CSV and TSV, with a header.
//!
//! Fields may be quoted, and quoted ones may have line ends in them. A record
//! with more or fewer columns than the header is bad. Nothing is nested here, so
//! a field's name is a column's, dots and all; of two columns of one name the
//! last counts.

use std::borrow::Cow;
use std::path::Path;

use csv_core::{ReadRecordResult, Reader, ReaderBuilder};

use crate::charset;
use crate::edits::AddedField;
use crate::error::{Error, ErrorKind, Fault, Place, Result};
use crate::record::{ContentKind, Context, FieldValue, Fields, Record, StoredFields};
use crate::split::{self, Boundary, Piece, TableScanner};

/// A record as its file has it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct StoredRow<'a> {
    pub(crate) bytes: &'a [u8],
    pub(crate) number: u64,
    /// Whether a quote is never closed.
    pub(crate) is_open: bool,
}

/// What the header says.
#[derive(Debug)]
pub(crate) struct Table {
    delimiter: u8,
    columns: Vec<String>,
    text: Option<usize>,
    html: Option<usize>,
    id: Option<usize>,
    url: Option<usize>,
}

impl Table {
    pub(crate) fn new(header: &[u8], delimiter: u8, names: &Fields, path: &Path) -> Result<Self> {
        let mut row = Row::new(delimiter);
        row.parse(header);
        let columns: Vec<String> =
            (0..row.len()).map(|i| String::from_utf8_lossy(row.get(i)).into_owned()).collect();
        let (text, html) = (column(&columns, &names.text), column(&columns, &names.html));
        if text.or(html).is_none() {
            return Err(names.no_column(path, columns));
        }
        let (id, url) = (column(&columns, &names.id), column(&columns, &names.url));
        Ok(Self { delimiter, columns, text, html, id, url })
    }

    /// What stands between its cells.
    pub(crate) fn delimiter(&self) -> u8 {
        self.delimiter
    }

    /// The number of the column that texts are in.
    pub(crate) fn text_column(&self) -> Option<usize> {
        self.text
    }

    /// Fails if it has a column of one of these names.
    pub(crate) fn check_free(&self, added: &[AddedField], path: &Path) -> Result<()> {
        match added.iter().find(|field| self.columns.contains(&field.name)) {
            Some(AddedField { name: field, .. }) => {
                let (path, field) = (path.to_owned(), field.clone());
                Err(Error::from(ErrorKind::ColumnTaken { path, field }))
            }
            None => Ok(()),
        }
    }

    /// Calls `each` with a record, or with its fault.
    pub(crate) fn with_row<T>(
        &self,
        row: StoredRow<'_>,
        context: &Context,
        each: impl FnOnce(Result<Record<'_>, Fault>) -> T,
    ) -> T {
        let mut buffers = Row::new(self.delimiter);
        let cells = cells(row.bytes, row.is_open, &mut buffers, self, context);
        each(match &cells {
            Ok(cells) => Ok(record(cells, row.number, context)),
            Err(fault) => Err(fault.clone()),
        })
    }

    /// Where its records end.
    pub(crate) fn boundary(&self) -> Boundary {
        Boundary::Table(TableScanner::new(self.delimiter))
    }
}

fn column(columns: &[String], name: &str) -> Option<usize> {
    columns.iter().rposition(|column| column == name)
}

/// Calls `each` with every record that is wanted.
pub(crate) fn for_each(
    piece: &Piece,
    table: &Table,
    context: &Context,
    mut wanted: impl FnMut(u64) -> bool,
    mut each: impl FnMut(Result<Record<'_>>),
) {
    let limit = context.options.limits.max_record_bytes;
    let mut next = piece.record;
    let mut row = Row::new(table.delimiter);
    split::for_each_record(&piece.bytes, table.boundary(), limit, |raw, _, after| {
        let number = next;
        next += 1;
        if !wanted(number) {
            return;
        }
        let cells = cells(raw, after.is_open(), &mut row, table, context);
        let record = cells.as_ref().map(|cells| record(cells, number, context));
        each(record.or_else(|fault| context.bad(Place::Record(number), fault.clone())));
    });
}

/// Takes a record apart.
fn cells<'r>(
    raw: &[u8],
    open: bool,
    row: &'r mut Row,
    table: &'r Table,
    context: &Context,
) -> Result<Cells<'r>, Fault> {
    context.check_length(split::content(raw).len())?;
    if open {
        return Err(Fault::OpenQuote);
    }
    row.parse(raw);
    let (expected, found) = (table.columns.len(), row.len());
    if expected != found {
        return Err(Fault::Columns { expected, found });
    }
    Ok(Cells { table, row })
}

fn record<'r>(cells: &'r Cells<'r>, number: u64, context: &Context) -> Record<'r> {
    let Cells { table, row } = cells;
    // An empty cell is how CSV writes nothing.
    let cell = |column: Option<usize>| column.map(|i| row.get(i)).filter(|cell| !cell.is_empty());
    let page = cell(table.html).filter(|_| cell(table.text).is_none());
    let (content, kind) = match page {
        Some(page) => (charset::decode_field(Cow::Borrowed(page)), ContentKind::Html),
        None => (Cow::Borrowed(cell(table.text).unwrap_or_default()), ContentKind::Text),
    };
    Record {
        number,
        id: cell(table.id).map_or_else(|| context.default_id(number), String::from_utf8_lossy),
        content,
        kind,
        url: cell(table.url).map(String::from_utf8_lossy),
        offset: None,
        fields: Some(cells),
    }
}

/// The columns of one record.
#[derive(Debug)]
struct Cells<'a> {
    table: &'a Table,
    row: &'a Row,
}

impl StoredFields for Cells<'_> {
    fn field(&self, name: &str) -> Option<FieldValue<'_>> {
        let cell = self.row.get(column(&self.table.columns, name)?);
        Some(FieldValue::String(String::from_utf8_lossy(cell)))
    }
}

/// A record taken apart, in buffers that serve the next one too.
#[derive(Debug)]
struct Row {
    reader: Reader,
    cells: Vec<u8>,
    ends: Vec<usize>,
    len: usize,
}

impl Row {
    fn new(delimiter: u8) -> Self {
        let reader = ReaderBuilder::new().delimiter(delimiter).build();
        Self { reader, cells: Vec::new(), ends: vec![0; 16], len: 0 }
    }

    fn len(&self) -> usize {
        self.len
    }

    /// A cell; nothing beyond the last.
    fn get(&self, i: usize) -> &[u8] {
        if i >= self.len {
            return &[];
        }
        let start = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.cells[start..self.ends[i]]
    }

    /// Takes the first record of these bytes apart.
    fn parse(&mut self, mut bytes: &[u8]) {
        self.reader.reset();
        // Unquoting only shortens.
        if self.cells.len() < bytes.len() {
            self.cells.resize(bytes.len(), 0);
        }
        self.len = 0;
        let mut written = 0;
        loop {
            let (result, read, wrote, ended) = self.reader.read_record(
                bytes,
                &mut self.cells[written..],
                &mut self.ends[self.len..],
            );
            bytes = &bytes[read..];
            written += wrote;
            self.len += ended;
            match result {
                // The next turn, of no bytes, says that it is the end.
                ReadRecordResult::InputEmpty => {}
                ReadRecordResult::OutputFull => self.cells.resize(self.cells.len() * 2 + 16, 0),
                ReadRecordResult::OutputEndsFull => self.ends.resize(self.ends.len() * 2, 0),
                ReadRecordResult::Record | ReadRecordResult::End => break,
            }
        }
    }
}
