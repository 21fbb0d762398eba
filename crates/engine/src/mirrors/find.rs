//! Mirrors from pairs of pages, out of core.
//!
//! ```text
//! supports   each pair -> a record for every pair of roots that it supports; sorted
//! pairs      those of one pair of roots counted -> pairs of roots with enough pages
//! pages      each page -> a record for every root that it is under; sorted and counted
//! shares     pairs of roots meet the numbers of pages of both roots
//! highest    pairs of roots below one that is a mirror are left out
//! ```
//!
//! Roots, rests and pages go by hashes of 64 bits, which are drawn so widely that
//! two of a billion meet by a chance of one in forty; then a page is counted
//! with another's. Names are read from the addresses of example pages. A
//! record is 16 to 90 bytes; all of them are sorted on disk within the budget.

use std::path::Path;

use lookalike_files::double_word;
use serde::{Deserialize, Serialize};
use xxhash_rust::xxh3::xxh3_64;

use super::address::Address;
use crate::error::Result;
use crate::observe::Observer;
use crate::places::Row;
use crate::sort::{Record, SortedRecords, SortedRunReader, SortedRunWriter, Sorter};
use crate::urls::Urls;

/// Pairs of pages that are named for a mirror.
const EXAMPLES: usize = 3;

/// Two roots that replicate each other.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Mirror {
    /// A host, or a host and folders, with a slash in the end; the first of the two by name.
    pub a: String,
    /// The other.
    pub b: String,
    /// What is replicated.
    pub kind: MirrorKind,
    /// Pages under the first.
    pub pages_a: u64,
    /// Pages under the second.
    pub pages_b: u64,
    /// Pages under either that have a look-alike under the other at the same rest of the path.
    pub matched: u64,
    /// Their share of the pages under the first.
    pub share_a: f64,
    /// Their share of the pages under the second.
    pub share_b: f64,
    /// Some of them: both URLs, and the resemblance where it was computed.
    pub examples: Vec<(String, String, Option<f64>)>,
}

/// What is replicated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum MirrorKind {
    /// A whole host.
    Host,
    /// A folder, of the same host or of another.
    Prefix,
}

impl MirrorKind {
    /// Its name in answers.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Host => "host",
            Self::Prefix => "prefix",
        }
    }
}

/// The mirrors that pairs show.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct MirrorList {
    /// Those of most pages, the largest first.
    pub(crate) mirrors: Vec<Mirror>,
    /// How many there are.
    pub(crate) count: u64,
}

/// What is looked for, and with what.
pub(crate) struct Search<'a> {
    /// The least number of pages that two roots have in common.
    pub(crate) min_pages: u64,
    /// The least share of the pages of each.
    pub(crate) min_share: f64,
    /// Mirrors that are named; the others are counted.
    pub(crate) limit: usize,
    pub(crate) folder: &'a Path,
    pub(crate) budget: usize,
    pub(crate) observer: &'a dyn Observer,
}

/// Takes look-alikes: the rows of two documents, and their resemblance if it is known.
pub(crate) type Sink<'a> = dyn FnMut(Row, Row, Option<f64>) -> Result<()> + 'a;

impl Search<'_> {
    /// Finds the mirrors among documents with these addresses, by the pairs that `each` hands on
    /// in any order, any of them any number of times.
    pub(crate) fn run(
        &self,
        urls: &mut Urls,
        each: impl FnOnce(&mut Sink<'_>) -> Result<()>,
    ) -> Result<MirrorList> {
        let supports = self.supports(urls, each)?;
        let Some((pairs, questions)) = self.pairs(supports)? else {
            return Ok(MirrorList::default());
        };
        let answers = self.count_pages(urls, questions)?;
        let passing = self.shares(pairs, answers, urls)?;
        self.highest(passing, urls)
    }

    /// Makes the records of all pairs.
    fn supports(
        &self,
        urls: &mut Urls,
        each: impl FnOnce(&mut Sink<'_>) -> Result<()>,
    ) -> Result<SortedRecords<Support>> {
        let mut supports = Sorter::new(self.folder, self.budget / 2);
        let mut addresses = AtHand::default();
        let mut number = 0;
        each(&mut |row, other, resemblance| {
            self.heed(number)?;
            number += 1;
            let [Some(x), Some(y)] = addresses.of(urls, [row, other])? else { return Ok(()) };
            for [i, j] in x.common_rests(y) {
                let mut sides = [(x, i, row), (y, j, other)];
                // A pair of roots has one order, whichever way its pages come.
                sides.sort_by(|(x, i, _), (y, j, _)| x.root(*i).cmp(&y.root(*j)));
                let [(x, i, row_a), (y, j, row_b)] = sides;
                let (Some(a), Some(b)) = (x.root(i), y.root(j)) else { continue };
                let nested = b.starts_with(a);
                if nested && x.text().starts_with(b) {
                    continue;
                }
                supports.push(Support {
                    a: hash(a),
                    b: hash(b),
                    rest: hash(x.rest(i)),
                    example: Example::new([row_a, row_b], resemblance),
                    shape: Shape { folders: [i as u8, j as u8], nested },
                })?;
            }
            Ok(())
        })?;
        supports.finish()
    }

    /// Counts the pages of each pair of roots, and asks how many there are under the roots of
    /// those that have enough. `None` if none has.
    fn pairs(
        &self,
        mut supports: SortedRecords<Support>,
    ) -> Result<Option<(SortedRunReader<RootPair>, SortedRecords<Question>)>> {
        let mut questions = Sorter::new(self.folder, self.budget / 4);
        let mut pairs = SortedRunWriter::create(self.folder)?;
        let (mut number, mut read) = (0, 0);
        let mut end = |pair: RootPair| -> Result<()> {
            if pair.matched < self.min_pages {
                return Ok(());
            }
            pairs.push(pair)?;
            for root in [pair.a, pair.b] {
                questions.push([root, number])?;
            }
            number += 1;
            Ok(())
        };
        let mut last: Option<(RootPair, u64)> = None;
        while let Some(support) = supports.next()? {
            self.heed(read)?;
            read += 1;
            let Support { a, b, rest, example, shape } = support;
            match &mut last {
                // The first of a page has the highest resemblance.
                Some((pair, at)) if (pair.a, pair.b) == (a, b) => {
                    if *at != rest {
                        *at = rest;
                        pair.add(example);
                    }
                }
                _ => {
                    let pair = RootPair::new(a, b, shape, example);
                    if let Some((pair, _)) = last.replace((pair, rest)) {
                        end(pair)?;
                    }
                }
            }
        }
        if let Some((pair, _)) = last {
            end(pair)?;
        }
        if number == 0 {
            return Ok(None);
        }
        Ok(Some((pairs.finish()?.read()?, questions.finish()?)))
    }

    /// Counts the pages under the roots that are asked for.
    fn count_pages(
        &self,
        urls: &Urls,
        mut questions: SortedRecords<Question>,
    ) -> Result<SortedRecords<Answer>> {
        let mut pages = Sorter::<PageOf>::new(self.folder, self.budget / 2);
        urls.for_each(|row, url| {
            self.heed(row.into())?;
            let Some(address) = url.and_then(Address::parse) else { return Ok(()) };
            let page = hash(address.text());
            address.roots().try_for_each(|root| pages.push([hash(root), page]))
        })?;
        let mut pages = pages.finish()?;
        let mut answers = Sorter::new(self.folder, self.budget / 4);
        let mut next = pages.next()?;
        let (mut counted, mut count) = (None, 0);
        while let Some([root, pair]) = questions.next()? {
            if counted.replace(root) != Some(root) {
                count = 0;
                while let Some(page) = next.filter(|page| page[0] <= root) {
                    let after = pages.next()?;
                    // A page may have been fetched several times.
                    count += u64::from(page[0] == root && after != Some(page));
                    next = after;
                }
            }
            answers.push([pair, root, count])?;
        }
        answers.finish()
    }

    /// Keeps the pairs of roots of which both have a large enough share in common.
    fn shares(
        &self,
        mut pairs: SortedRunReader<RootPair>,
        mut answers: SortedRecords<Answer>,
        urls: &mut Urls,
    ) -> Result<Passing> {
        let mut keys = SortedRunWriter::create(self.folder)?;
        let mut ranked = Sorter::new(self.folder, self.budget / 4);
        let mut claims = Sorter::new(self.folder, self.budget / 4);
        let mut number = 0;
        while let Some(pair) = pairs.next()? {
            let [mut pages_a, mut pages_b] = [0; 2];
            for [_, root, pages] in [answers.next()?, answers.next()?].into_iter().flatten() {
                *if root == pair.a { &mut pages_a } else { &mut pages_b } = pages;
            }
            if pair.shape.nested {
                pages_a = pages_a.saturating_sub(pages_b);
            }
            let pages = [pages_a, pages_b];
            if pages.iter().any(|&pages| share(pair.matched, pages) < self.min_share) {
                continue;
            }
            self.heed(number)?;
            keys.push([pair.a, pair.b])?;
            for [a, b] in above(&pair, urls)? {
                claims.push([a, b, number])?;
            }
            ranked.push(MirrorRank::new(pair, pages, number))?;
            number += 1;
        }
        Ok(Passing {
            count: number,
            keys: keys.finish()?.read()?,
            claims: claims.finish()?,
            ranked: ranked.finish()?,
        })
    }

    /// Leaves out what is below another mirror, and names the largest of the others.
    fn highest(&self, passing: Passing, urls: &mut Urls) -> Result<MirrorList> {
        let Passing { count, mut keys, mut claims, mut ranked } = passing;
        let mut below = vec![false; count as usize];
        let mut key = keys.next()?;
        while let Some([a, b, mirror]) = claims.next()? {
            while key.is_some_and(|key| key < [a, b]) {
                key = keys.next()?;
            }
            if key == Some([a, b]) {
                below[mirror as usize] = true;
            }
        }
        let mut found = MirrorList::default();
        while let Some(MirrorRank { number, pair, pages, .. }) = ranked.next()? {
            if below[number as usize] {
                continue;
            }
            found.count += 1;
            if found.mirrors.len() < self.limit {
                found.mirrors.push(pair.named(pages, urls)?);
            }
        }
        Ok(found)
    }

    /// Listens for a stop, now and then.
    fn heed(&self, number: u64) -> Result<()> {
        if number.is_multiple_of(1 << 12) {
            self.observer.check_cancelled()?;
        }
        Ok(())
    }
}

/// Pairs of roots that are mirrors.
struct Passing {
    count: u64,
    /// All of them, in order; the number of one is its place here.
    keys: SortedRunReader<RootPairKey>,
    /// What each is below, whether that is a mirror or not.
    claims: SortedRecords<Claim>,
    /// The largest first.
    ranked: SortedRecords<MirrorRank>,
}

/// The addresses of the last two rows: pairs of one document come together.
#[derive(Default)]
struct AtHand([Option<(Row, Option<Address>)>; 2]);

impl AtHand {
    fn of(&mut self, urls: &mut Urls, rows: [Row; 2]) -> Result<[Option<&Address>; 2]> {
        for (held, row) in self.0.iter_mut().zip(rows) {
            if held.as_ref().is_none_or(|(at, _)| *at != row) {
                *held = Some((row, urls.get(row)?.as_deref().and_then(Address::parse)));
            }
        }
        Ok(self.0.each_ref().map(|held| held.as_ref().and_then(|(_, address)| address.as_ref())))
    }
}

fn hash(text: &str) -> u64 {
    xxh3_64(text.as_bytes())
}

fn share(part: u64, whole: u64) -> f64 {
    part as f64 / whole.max(1) as f64
}

/// The pairs of roots that a pair is below: those without the folders that both end with.
fn above(pair: &RootPair, urls: &mut Urls) -> Result<Vec<RootPairKey>> {
    let [a, b] = pair.roots(urls)?;
    let [mut a, mut b] = [a.as_str(), b.as_str()];
    let mut above = Vec::new();
    while let (Some(x), Some(y)) = (without_last(a), without_last(b)) {
        if a[x.len()..] != b[y.len()..] {
            break;
        }
        [a, b] = [x, y];
        above.push([hash(a.min(b)), hash(a.max(b))]);
    }
    Ok(above)
}

/// A root without its last folder; `None` for a host.
fn without_last(root: &str) -> Option<&str> {
    let (above, _) = root.strip_suffix('/')?.rsplit_once('/')?;
    root.get(..=above.len())
}

/// Two look-alikes.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Example {
    /// The bits of the resemblance, turned so that the highest comes first; all ones if it is
    /// not known.
    unlike: u64,
    rows: [Row; 2],
}

impl Example {
    const BYTES: usize = 16;

    fn new(rows: [Row; 2], resemblance: Option<f64>) -> Self {
        Self { unlike: !resemblance.map_or(0, f64::to_bits), rows }
    }

    fn resemblance(self) -> Option<f64> {
        (!self.unlike != 0).then(|| f64::from_bits(!self.unlike))
    }

    fn encode(self, out: &mut [u8]) {
        out[..8].copy_from_slice(&self.unlike.to_le_bytes());
        self.rows.encode(&mut out[8..16]);
    }

    fn decode(bytes: &[u8]) -> Self {
        Self { unlike: double_word(bytes, 0), rows: Record::decode(&bytes[8..]) }
    }
}

/// What is known of a pair of roots from any of its pages.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Shape {
    folders: [u8; 2],
    /// Whether b is below a.
    nested: bool,
}

impl Shape {
    const BYTES: usize = 3;

    fn encode(self, out: &mut [u8]) {
        out.copy_from_slice(&[self.folders[0], self.folders[1], u8::from(self.nested)]);
    }

    fn decode(bytes: &[u8]) -> Self {
        Self { folders: [bytes[0], bytes[1]], nested: bytes[2] == 1 }
    }
}

/// A pair of pages that supports a pair of roots.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Support {
    a: u64,
    b: u64,
    rest: u64,
    example: Example,
    shape: Shape,
}

impl Record for Support {
    const BYTES: usize = 24 + Example::BYTES + Shape::BYTES;

    fn encode(self, out: &mut [u8]) {
        out[..8].copy_from_slice(&self.a.to_le_bytes());
        out[8..16].copy_from_slice(&self.b.to_le_bytes());
        out[16..24].copy_from_slice(&self.rest.to_le_bytes());
        self.example.encode(&mut out[24..40]);
        self.shape.encode(&mut out[40..]);
    }

    fn decode(bytes: &[u8]) -> Self {
        Self {
            a: double_word(bytes, 0),
            b: double_word(bytes, 8),
            rest: double_word(bytes, 16),
            example: Example::decode(&bytes[24..40]),
            shape: Shape::decode(&bytes[40..]),
        }
    }
}

/// Two roots and what they have in common.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct RootPair {
    a: u64,
    b: u64,
    matched: u64,
    shape: Shape,
    /// The first by rows; where there are fewer, the last of them is there several times.
    examples: [Example; EXAMPLES],
}

impl RootPair {
    fn new(a: u64, b: u64, shape: Shape, example: Example) -> Self {
        Self { a, b, shape, matched: 1, examples: [example; EXAMPLES] }
    }

    /// Counts a page.
    fn add(&mut self, example: Example) {
        let known = self.matched.min(EXAMPLES as u64) as usize;
        self.matched += 1;
        let rows = |example: &Example| example.rows;
        let at = self.examples[..known].partition_point(|known| rows(known) < rows(&example));
        if at < EXAMPLES {
            self.examples[at..].rotate_right(1);
            self.examples[at] = example;
        }
    }

    /// The names of the two roots.
    fn roots(&self, urls: &mut Urls) -> Result<[String; 2]> {
        let [a, b] = self.examples[0].rows;
        let [i, j] = self.shape.folders;
        let mut root = |row: Row, folders: u8| -> Result<String> {
            let address = urls.get(row)?.as_deref().and_then(Address::parse);
            let root = address.as_ref().and_then(|address| address.root(folders.into()));
            Ok(root.unwrap_or_default().to_owned())
        };
        Ok([root(a, i)?, root(b, j)?])
    }

    fn named(&self, [pages_a, pages_b]: [u64; 2], urls: &mut Urls) -> Result<Mirror> {
        let [a, b] = self.roots(urls)?;
        let mut examples = Vec::new();
        for example in self.examples.iter().take(self.matched.min(EXAMPLES as u64) as usize) {
            let [x, y] = example.rows.map(|row| urls.get(row));
            let (x, y) = (x?.unwrap_or_default(), y?.unwrap_or_default());
            examples.push((x, y, example.resemblance()));
        }
        let hosts = self.shape.folders == [0, 0];
        Ok(Mirror {
            a,
            b,
            kind: if hosts { MirrorKind::Host } else { MirrorKind::Prefix },
            pages_a,
            pages_b,
            matched: self.matched,
            share_a: share(self.matched, pages_a),
            share_b: share(self.matched, pages_b),
            examples,
        })
    }
}

impl Record for RootPair {
    const BYTES: usize = 24 + Shape::BYTES + EXAMPLES * Example::BYTES;

    fn encode(self, out: &mut [u8]) {
        out[..8].copy_from_slice(&self.a.to_le_bytes());
        out[8..16].copy_from_slice(&self.b.to_le_bytes());
        out[16..24].copy_from_slice(&self.matched.to_le_bytes());
        self.shape.encode(&mut out[24..27]);
        for (bytes, example) in out[27..].chunks_mut(Example::BYTES).zip(self.examples) {
            example.encode(bytes);
        }
    }

    fn decode(bytes: &[u8]) -> Self {
        let example = |n: usize| Example::decode(&bytes[27 + n * Example::BYTES..]);
        Self {
            a: double_word(bytes, 0),
            b: double_word(bytes, 8),
            matched: double_word(bytes, 16),
            shape: Shape::decode(&bytes[24..27]),
            examples: std::array::from_fn(example),
        }
    }
}

/// Two roots, by their hashes.
type RootPairKey = [u64; 2];

/// A root, and the number of a pair that wants to know how many pages are under it.
type Question = [u64; 2];

/// A root, and a page under it.
type PageOf = [u64; 2];

/// The number of a pair, one of its roots, and how many pages are under that.
type Answer = [u64; 3];

/// A pair of roots, and the number of a mirror that is below it.
type Claim = [u64; 3];

/// A mirror: the largest first, then the first in the input.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct MirrorRank {
    /// The pages that match, turned.
    unmatched: u64,
    first: [Row; 2],
    pair: RootPair,
    pages: [u64; 2],
    number: u64,
}

impl MirrorRank {
    fn new(pair: RootPair, pages: [u64; 2], number: u64) -> Self {
        let first = pair.examples[0].rows;
        Self { unmatched: !pair.matched, first, pair, pages, number }
    }
}

impl Record for MirrorRank {
    const BYTES: usize = 24 + RootPair::BYTES;

    fn encode(self, out: &mut [u8]) {
        out[..8].copy_from_slice(&self.pages[0].to_le_bytes());
        out[8..16].copy_from_slice(&self.pages[1].to_le_bytes());
        out[16..24].copy_from_slice(&self.number.to_le_bytes());
        self.pair.encode(&mut out[24..]);
    }

    fn decode(bytes: &[u8]) -> Self {
        let pages = [double_word(bytes, 0), double_word(bytes, 8)];
        Self::new(RootPair::decode(&bytes[24..]), pages, double_word(bytes, 16))
    }
}
