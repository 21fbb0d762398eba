//! The addresses of documents, in a file: what the report says of sites and mirrors.
//!
//! A checked file: a header, then for each row the length of its URL and the
//! URL, then where every 64th row begins, and the counts. Rows are read in
//! order, or any of them through the block that it is in. A job whose documents
//! have no URLs has no such file. An eighth of a byte a document is held in
//! memory.

use std::collections::VecDeque;
use std::fs;
use std::io::ErrorKind as IoErrorKind;
use std::path::{Path, PathBuf};

use lookalike_files::{CheckedFile, CheckedWriter, Format, double_word};

use crate::error::{Error, Result};
use crate::files;
use crate::places::Row;

const FORMAT: Format = Format { magic: *b"LOOKURLS", version: 2 };
const HEADER: u64 = Format::BYTES as u64;
/// Number of rows, where the rows end.
const END: u64 = 8 + 8;

/// The longest URL that is kept: what servers and crawlers take. A document with a longer one is
/// as one without.
pub(crate) const MAX_BYTES: usize = 8 << 10;

/// Rows of a block.
const BLOCK: u64 = 64;

/// Blocks that are held: the two documents of a pair are often near those of the pair before.
const HELD: usize = 32;

/// URLs of some rows, in order.
#[derive(Default)]
pub(crate) struct UrlList {
    pub(crate) text: String,
    /// 0 for a row without one.
    pub(crate) lengths: Vec<u16>,
}

impl UrlList {
    /// The next row.
    pub(crate) fn push(&mut self, url: Option<&str>) {
        let url = url.filter(|url| url.len() <= MAX_BYTES).unwrap_or_default();
        self.text.push_str(url);
        self.lengths.push(url.len() as u16);
    }

    /// Bytes in memory.
    pub(crate) fn bytes(&self) -> usize {
        self.text.len() + 2 * self.lengths.len()
    }
}

/// Writes the file, if there is anything to be in it.
pub(crate) struct UrlsWriter {
    path: PathBuf,
    file: Option<Body>,
    rows: u64,
}

/// A file that has been begun.
struct Body {
    file: CheckedWriter,
    blocks: Vec<u64>,
}

impl UrlsWriter {
    /// Removes what an earlier job left under this name; nothing is made before the first URL.
    pub(crate) fn create(path: &Path) -> Result<Self> {
        files::remove(path)?;
        Ok(Self { path: path.to_owned(), file: None, rows: 0 })
    }

    /// The next rows.
    pub(crate) fn push(&mut self, list: &UrlList) -> Result<()> {
        let mut rest = list.text.as_str();
        for &length in &list.lengths {
            let (url, after) = rest.split_at(length.into());
            rest = after;
            self.push_one(url)?;
        }
        Ok(())
    }

    /// The next row; it has none if that is empty.
    pub(crate) fn push_one(&mut self, url: &str) -> Result<()> {
        if self.file.is_none() && !url.is_empty() {
            let file = CheckedWriter::create(&self.path, &FORMAT)?;
            let mut body = Body { file, blocks: Vec::new() };
            for row in 0..self.rows {
                body.row(row, "")?;
            }
            self.file = Some(body);
        }
        if let Some(body) = &mut self.file {
            body.row(self.rows, url)?;
        }
        self.rows += 1;
        Ok(())
    }

    pub(crate) fn finish(self) -> Result<()> {
        let Some(Body { mut file, blocks }) = self.file else { return Ok(()) };
        let end_of_rows = file.bytes();
        for number in blocks.into_iter().chain([self.rows, end_of_rows]) {
            file.write(&number.to_le_bytes())?;
        }
        Ok(file.finish()?)
    }
}

impl Body {
    fn row(&mut self, row: u64, url: &str) -> Result<()> {
        if row.is_multiple_of(BLOCK) {
            self.blocks.push(self.file.bytes());
        }
        self.file.write(&(url.len() as u16).to_le_bytes())?;
        Ok(self.file.write(url.as_bytes())?)
    }
}

/// The file, complete.
pub(crate) struct Urls {
    file: CheckedFile,
    rows: u64,
    /// Where each block begins, and the end of the last.
    blocks: Vec<u64>,
    /// The blocks at hand; the last one used is the last.
    held: VecDeque<(u64, Vec<u8>)>,
}

impl Urls {
    /// Opens the file; `None` if no document had a URL.
    pub(crate) fn open(path: &Path) -> Result<Option<Self>> {
        if fs::metadata(path).is_err_and(|error| error.kind() == IoErrorKind::NotFound) {
            return Ok(None);
        }
        let file = CheckedFile::open(path, &FORMAT)?;
        let length = file.bytes();
        if length < HEADER + END {
            return Err(file.corrupt(length, "addresses of documents", "too few bytes").into());
        }
        let mut end = [0; END as usize];
        file.read_at(length - END, &mut end)?;
        let (rows, end_of_rows) = (double_word(&end, 0), double_word(&end, 8));
        let index_bytes = rows.div_ceil(BLOCK).saturating_mul(8);
        if end_of_rows.saturating_add(index_bytes) != length - END {
            let found = format!("{rows} rows that end at {end_of_rows}");
            return Err(file.corrupt(length - END, "counts that fit its length", found).into());
        }
        let mut index = vec![0; index_bytes as usize];
        file.read_at(end_of_rows, &mut index)?;
        let mut blocks: Vec<u64> = index.chunks(8).map(|bytes| double_word(bytes, 0)).collect();
        blocks.push(end_of_rows);
        let largest = BLOCK * (MAX_BYTES as u64 + 2);
        let fits = |at: &[u64]| at[0] < at[1] && at[1] - at[0] <= largest;
        if blocks[0] != HEADER || !blocks.windows(2).all(fits) {
            let expected = "the places of blocks, ascending";
            return Err(file.corrupt(end_of_rows, expected, "others").into());
        }
        Ok(Some(Self { file, rows, blocks, held: VecDeque::new() }))
    }

    /// Those of the first rows only.
    pub(crate) fn first(self, rows: u64) -> Self {
        Self { rows: rows.min(self.rows), ..self }
    }

    /// The URL of a row, if it has one.
    pub(crate) fn get(&mut self, row: Row) -> Result<Option<String>> {
        let row = u64::from(row);
        let number = row / BLOCK;
        let held = self.held.iter().position(|(block, _)| *block == number);
        let bytes = match held.and_then(|at| self.held.remove(at)) {
            Some((_, bytes)) => bytes,
            None => self.block(number)?,
        };
        let mut rest = &bytes[..];
        let mut url = None;
        for _ in 0..=row % BLOCK {
            url = take(&mut rest);
        }
        let url = url.ok_or_else(|| self.not_utf_8(number))?;
        let url = (!url.is_empty()).then(|| url.to_owned());
        if self.held.len() == HELD {
            self.held.pop_front();
        }
        self.held.push_back((number, bytes));
        Ok(url)
    }

    fn block(&self, number: u64) -> Result<Vec<u8>> {
        let number = number as usize;
        let (Some(&from), Some(&to)) = (self.blocks.get(number), self.blocks.get(number + 1))
        else {
            let found = format!("row {}", number as u64 * BLOCK);
            return Err(self.file.corrupt(0, "a row of the run", found).into());
        };
        let mut bytes = vec![0; (to - from) as usize];
        self.file.read_at(from, &mut bytes)?;
        Ok(bytes)
    }

    /// Calls `each` with every row in order and its URL, if it has one.
    pub(crate) fn for_each(
        &self,
        mut each: impl FnMut(Row, Option<&str>) -> Result<()>,
    ) -> Result<()> {
        for number in 0..self.rows.div_ceil(BLOCK) {
            let bytes = self.block(number)?;
            let mut rest = &bytes[..];
            for row in number * BLOCK..((number + 1) * BLOCK).min(self.rows) {
                let url = take(&mut rest).ok_or_else(|| self.not_utf_8(number))?;
                each(Row::nth(row), (!url.is_empty()).then_some(url))?;
            }
        }
        Ok(())
    }

    fn not_utf_8(&self, block: u64) -> Error {
        let at = self.blocks.get(block as usize).copied().unwrap_or_default();
        self.file.corrupt(at, "a URL in UTF-8", "other bytes").into()
    }
}

/// The next URL of a block.
fn take<'a>(rest: &mut &'a [u8]) -> Option<&'a str> {
    let (length, after) = rest.split_first_chunk::<2>()?;
    let (url, after) = after.split_at_checked(u16::from_le_bytes(*length).into())?;
    *rest = after;
    std::str::from_utf8(url).ok()
}

#[cfg(test)]
mod tests {
    use lookalike_files::WorkFolder;

    use super::*;

    fn write(path: &Path, urls: &[Option<String>]) {
        let mut writer = UrlsWriter::create(path).unwrap();
        for some in urls.chunks(50) {
            let mut list = UrlList::default();
            for url in some {
                list.push(url.as_deref());
            }
            writer.push(&list).unwrap();
        }
        writer.finish().unwrap();
    }

    #[test]
    fn urls_come_back_and_damage_is_found() {
        let folder = WorkFolder::create(None).unwrap();
        let path = folder.join("urls");
        let mut urls: Vec<Option<String>> = vec![None; 130];
        urls.extend((0..500).map(|n| (n % 7 > 0).then(|| format!("http://a.example/\u{e9}{n}"))));
        urls[200] = Some("x".repeat(MAX_BYTES));
        write(&path, &urls);
        let mut read = Urls::open(&path).unwrap().unwrap();
        let mut all = Vec::new();
        read.for_each(|row, url| {
            assert_eq!(row.index(), all.len());
            all.push(url.map(str::to_owned));
            Ok(())
        })
        .unwrap();
        assert_eq!(all, urls);
        for row in (0..630).rev().chain(0..630) {
            assert_eq!(read.get(Row::nth(row)).unwrap(), urls[row as usize], "{row}");
        }
        assert!(read.get(Row::nth(640)).is_err_and(|error| error.is_corruption()));

        let whole = fs::read(&path).unwrap();
        for cut in [0, 8, 20, whole.len() / 2, whole.len() - 1] {
            fs::write(&path, &whole[..cut]).unwrap();
            assert!(Urls::open(&path).is_err_and(|error| error.is_corruption()), "cut at {cut}");
        }
        for at in (0..whole.len()).step_by(97).chain(whole.len() - 40..whole.len()) {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            fs::write(&path, &damaged).unwrap();
            let read = Urls::open(&path).and_then(|urls| urls.unwrap().for_each(|_, _| Ok(())));
            assert!(read.is_err_and(|error| error.is_corruption()), "damaged at {at}");
        }
        // One that is too long is none; without any there is no file, also not that of before.
        write(&path, &[None, Some("x".repeat(MAX_BYTES + 1)), Some(String::new())]);
        assert!(Urls::open(&path).unwrap().is_none() && !path.exists());
    }
}
