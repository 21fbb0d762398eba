//! What the report says of cuts: how much of which source and site, and the passages with most copies.
//!
//! Two passes, over the cuts and over the signatures, both in the order of the input. What is counted by
//! site or by the place that stays is sorted out of core.

use std::cmp::Reverse;

use lookalike_files::{Rows, double_word};

use super::sites::Addresses;
use crate::document_set::RowSet;
use crate::error::Result;
use crate::means::Means;
use crate::passages::{CutPiece, Cuts};
use crate::places::Row;
use crate::report::{Classes, CutShare, MAX_PASSAGES, MAX_SITES, MAX_SOURCES};
use crate::signature_file::SignatureReader;
use crate::sort::Sorter;
use crate::sources::{SourceRow, SourceTable};

/// What was cut, counted.
#[derive(Default)]
pub(super) struct CutCounts {
    pub(super) sources: Vec<CutShare>,
    pub(super) sites: Vec<CutShare>,
    /// Places of keepers that cuts have words of.
    pub(super) passages: u64,
    /// Cuts by their words, and by how often these stand in the corpus.
    pub(super) lengths: Classes,
    pub(super) copies: Classes,
    /// Those with most copies, the most first.
    pub(super) most: Vec<CommonPassage>,
}

/// A place of a keeper that cuts have the words of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct CommonPassage {
    /// The first of its cuts, with the most copies of any.
    pub(super) piece: CutPiece,
    pub(super) cuts: u64,
}

impl CommonPassage {
    /// Those with most copies first, then the longest, then the first that stay.
    fn rank(&self) -> (Reverse<u32>, Reverse<u32>, Row, u32, u32) {
        let CutPiece { copies, words, keeper, keeper_begin, keeper_end, .. } = self.piece;
        (Reverse(copies), Reverse(words), keeper, keeper_begin, keeper_end)
    }

    fn overlaps(&self, other: &Self) -> bool {
        self.piece.keeper == other.piece.keeper
            && self.piece.keeper_begin < other.piece.keeper_end
            && other.piece.keeper_begin < self.piece.keeper_end
    }
}

/// What the counts are made of.
pub(super) struct Counting<'a> {
    pub(super) means: Means<'a>,
    pub(super) cuts: &'a Cuts,
    pub(super) sources: &'a SourceTable,
    /// Documents that were removed as wholes: they were not looked at.
    pub(super) removed: &'a RowSet,
    /// Whether nothing is cut, and what would be counts.
    pub(super) annotates: bool,
    pub(super) addresses: Option<&'a mut Addresses>,
}

impl Counting<'_> {
    pub(super) fn run(self) -> Result<CutCounts> {
        let Self { means, cuts, sources, removed, annotates, mut addresses } = self;
        let folder = means.files.sorting();
        let mut counts = CutCounts::default();
        let mut places: Sorter<[u64; 4]> = Sorter::new(&folder, means.budget / 4);
        // By site: its hash, a row of it and whether these words were cut, and how many.
        let mut by_site: Sorter<[u64; 3]> = Sorter::new(&folder, means.budget / 4);
        let mut of_sources = vec![[0_u64; 2]; sources.len()];
        let mut at = SourceAt::new(sources);
        let mut sites = addresses.as_ref().map(|addresses| SiteBlock::new(&addresses.sites));
        cuts.for_each(|piece| {
            let words = u64::from(piece.words);
            if piece.annotated && !annotates {
                return Ok(());
            }
            if let Some((number, _)) = at.of(piece.row)? {
                of_sources[number][1] += words;
            }
            if let Some(site) = sites.as_mut().map(|sites| sites.of(piece.row)).transpose()?
                && site != 0
            {
                by_site.push([site, u64::from(piece.row) << 1 | 1, words])?;
            }
            counts.lengths.add(words);
            counts.copies.add(piece.copies.into());
            places.push(by_keeper(piece))
        })?;
        let mut at = SourceAt::new(sources);
        let mut sites = addresses.as_ref().map(|addresses| SiteBlock::new(&addresses.sites));
        let signatures = SignatureReader::open(means.files.signatures())?;
        signatures.for_each_row(|row, _, signature| -> Result<()> {
            means.observer.tick(row.into())?;
            let Some((number, _)) = at.of(row)?.filter(|_| !removed.contains(row)) else {
                return Ok(());
            };
            of_sources[number][0] += signature.tokens;
            match sites.as_mut().map(|sites| sites.of(row)).transpose()? {
                None | Some(0) => Ok(()),
                Some(site) => by_site.push([site, u64::from(row) << 1, signature.tokens]),
            }
        })?;
        let mut shares = Largest::new(MAX_SOURCES);
        for (number, [words, words_cut]) in of_sources.into_iter().enumerate() {
            shares.add(words_cut, number as u64, words);
        }
        for (words_cut, number, words) in shares.all() {
            let name = sources.get(number as usize)?.source.id().to_owned();
            counts.sources.push(CutShare { name, words, words_cut });
        }
        if let Some(addresses) = addresses.as_mut() {
            let mut shares = Largest::new(MAX_SITES);
            let mut sorted = by_site.finish()?;
            let mut next = sorted.next()?;
            while let Some([site, first, _]) = next {
                let (mut words, mut words_cut) = (0, 0);
                while let Some([_, row, count]) = next.filter(|[of, ..]| *of == site) {
                    *if row & 1 == 1 { &mut words_cut } else { &mut words } += count;
                    next = sorted.next()?;
                }
                shares.add(words_cut, first >> 1, words);
            }
            for (words_cut, row, words) in shares.all() {
                let name = addresses.site(Row::nth(row))?;
                counts.sites.push(CutShare { name, words, words_cut });
            }
        }
        (counts.passages, counts.most) = most_common(places)?;
        Ok(counts)
    }
}

/// A cut in the order of what stays.
fn by_keeper(piece: CutPiece) -> [u64; 4] {
    let pair = |high: u64, low: u32| high << 32 | u64::from(low);
    [
        pair(piece.keeper.into(), piece.keeper_begin),
        pair(piece.keeper_end.into(), !piece.copies),
        pair(piece.row.into(), piece.begin),
        pair(piece.end.into(), piece.words),
    ]
}

fn of_keeper([first, second, third, fourth]: [u64; 4]) -> CutPiece {
    CutPiece {
        annotated: false,
        row: Row::nth(third >> 32),
        begin: third as u32,
        end: (fourth >> 32) as u32,
        words: fourth as u32,
        copies: !(second as u32),
        keeper: Row::nth(first >> 32),
        keeper_begin: first as u32,
        keeper_end: (second >> 32) as u32,
    }
}

/// How many places there are, and those with most copies. Of places that overlap one is taken, the better
/// of each two that follow each other: a notice that was cut with and without its last line is shown once.
fn most_common(places: Sorter<[u64; 4]>) -> Result<(u64, Vec<CommonPassage>)> {
    let mut most = Most(Vec::new());
    let mut sorted = places.finish()?;
    let mut next = sorted.next()?.map(of_keeper);
    let (mut passages, mut best): (u64, Option<CommonPassage>) = (0, None);
    while let Some(piece) = next {
        // The first has the most copies.
        let mut passage = CommonPassage { piece, cuts: 0 };
        let place = |piece: &CutPiece| (piece.keeper, piece.keeper_begin, piece.keeper_end);
        while let Some(like) = next.filter(|like| place(like) == place(&piece)) {
            passage.cuts += 1;
            if like.row < passage.piece.row {
                let CutPiece { row, begin, end, .. } = like;
                passage.piece = CutPiece { row, begin, end, ..passage.piece };
            }
            next = sorted.next()?.map(of_keeper);
        }
        passages += 1;
        best = match best {
            Some(before) if before.overlaps(&passage) => {
                Some(if before.rank() <= passage.rank() { before } else { passage })
            }
            before => {
                most.add(before);
                Some(passage)
            }
        };
    }
    most.add(best);
    Ok((passages, most.0))
}

/// The passages with most copies, by their rank.
struct Most(Vec<CommonPassage>);

impl Most {
    fn add(&mut self, passage: Option<CommonPassage>) {
        let Some(passage) = passage else { return };
        let at = self.0.partition_point(|other| other.rank() < passage.rank());
        self.0.insert(at, passage);
        self.0.truncate(MAX_PASSAGES);
    }
}

/// Those with the most words cut, of which any were; the first of equals first.
struct Largest {
    most: usize,
    found: Vec<(Reverse<u64>, u64, u64)>,
}

impl Largest {
    fn new(most: usize) -> Self {
        Self { most, found: Vec::new() }
    }

    fn add(&mut self, words_cut: u64, number: u64, words: u64) {
        if words_cut > 0 {
            let one = (Reverse(words_cut), number, words);
            let at = self.found.partition_point(|other| *other < one);
            self.found.insert(at, one);
            self.found.truncate(self.most);
        }
    }

    fn all(self) -> impl Iterator<Item = (u64, u64, u64)> {
        self.found.into_iter().map(|(Reverse(words_cut), number, words)| (words_cut, number, words))
    }
}

/// The source of a row, where rows are asked for in order.
struct SourceAt<'a> {
    sources: &'a SourceTable,
    number: usize,
    source: Option<SourceRow>,
}

impl<'a> SourceAt<'a> {
    fn new(sources: &'a SourceTable) -> Self {
        Self { sources, number: 0, source: None }
    }

    /// Its number with it; nothing if the row came without a document.
    fn of(&mut self, row: Row) -> Result<Option<(usize, &SourceRow)>> {
        loop {
            let source = match self.source.take() {
                Some(source) => source,
                None if self.number < self.sources.len() => self.sources.get(self.number)?,
                None => return Ok(None),
            };
            if row < source.rows().end {
                return Ok(Some((self.number, self.source.insert(source))));
            }
            self.number += 1;
        }
    }
}

/// Rows whose sites are read together.
const BLOCK_ROWS: u64 = 4096;

/// The hashes of the sites of rows, where rows are asked for in order.
struct SiteBlock<'a> {
    sites: &'a Rows,
    from: u64,
    hashes: Vec<u8>,
}

impl<'a> SiteBlock<'a> {
    fn new(sites: &'a Rows) -> Self {
        Self { sites, from: 0, hashes: Vec::new() }
    }

    /// 0 for a document without one.
    fn of(&mut self, row: Row) -> Result<u64> {
        let row = u64::from(row);
        let upto = self.from + self.hashes.len() as u64 / 8;
        if !(self.from..upto).contains(&row) {
            let count = BLOCK_ROWS.min(self.sites.len().saturating_sub(row));
            self.hashes.resize(8 * count as usize, 0);
            self.from = row;
            self.sites.rows(row, &mut self.hashes)?;
        }
        Ok(double_word(&self.hashes, 8 * (row - self.from) as usize))
    }
}

#[cfg(test)]
mod tests {
    use lookalike_files::WorkFolder;
    use proptest::prelude::*;

    use super::*;

    fn piece(keeper: u64, begin: u32, end: u32, copies: u32, row: u64) -> CutPiece {
        CutPiece {
            annotated: false,
            row: Row::nth(row),
            begin: 7,
            end: 7 + end - begin,
            words: end - begin,
            copies,
            keeper: Row::nth(keeper),
            keeper_begin: begin,
            keeper_end: end,
        }
    }

    fn most(pieces: &[CutPiece]) -> (u64, Vec<CommonPassage>) {
        let folder = WorkFolder::create(None).unwrap();
        let mut places = Sorter::new(&folder, 1 << 20);
        pieces.iter().try_for_each(|piece| places.push(by_keeper(*piece))).unwrap();
        most_common(places).unwrap()
    }

    #[test]
    fn what_overlaps_is_shown_once() {
        let pieces = [
            piece(1, 0, 100, 9, 5),
            piece(1, 0, 100, 8, 3),
            piece(1, 0, 120, 9, 6),
            piece(1, 110, 160, 2, 7),
            piece(1, 120, 160, 4, 7),
            piece(2, 0, 50, 5, 1),
        ];
        let (passages, most) = most(&pieces);
        let found: Vec<_> = most
            .iter()
            .map(|one| {
                (one.piece.keeper_begin, one.piece.copies, one.cuts, u64::from(one.piece.row))
            })
            .collect();
        assert_eq!((passages, found), (5, vec![(0, 9, 1, 6), (0, 5, 1, 1), (120, 4, 1, 7)]));
    }

    proptest! {
        #[test]
        fn cuts_survive_their_sorting(
            numbers in prop::collection::vec((0..9_u64, 0..50_u32, 1..50_u32, 2..9_u32, 0..9_u64), 0..40),
        ) {
            let pieces: Vec<_> = numbers
                .into_iter()
                .map(|(keeper, begin, words, copies, row)| {
                    piece(keeper, begin, begin + words, copies, row)
                })
                .collect();
            prop_assert!(pieces.iter().all(|piece| of_keeper(by_keeper(*piece)) == *piece));
            let place = |piece: &CutPiece| (piece.keeper, piece.keeper_begin, piece.keeper_end);
            let mut places: Vec<_> = pieces.iter().map(place).collect();
            places.sort_unstable();
            places.dedup();
            let (passages, most) = most(&pieces);
            prop_assert_eq!(passages, places.len() as u64);
            // The passage of all that comes first is never lost.
            let best = pieces.iter().map(|piece| CommonPassage { piece: *piece, cuts: 0 }.rank()).min();
            prop_assert_eq!(most.first().map(CommonPassage::rank), best);
            for (at, one) in most.iter().enumerate() {
                prop_assert!(most[..at].iter().all(|other| !other.overlaps(one)));
            }
        }
    }
}
