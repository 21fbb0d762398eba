//! What a chunk of documents was made into, and its form in the journal.

use std::borrow::Cow;

use lookalike_files::double_word;
use serde::{Deserialize, Serialize};

use crate::attributes::Attributes;
use crate::passages::{Anchor, AnchorSink};
use crate::pipeline::Payload;
use crate::skips::{Faults, ToldFaults};
use crate::urls::UrlList;

/// The documents of a chunk, signed.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) signatures: Vec<u8>,
    pub(super) identities: Vec<u8>,
    pub(super) ids: String,
    pub(super) id_lengths: Vec<u32>,
    pub(super) sites: Vec<u64>,
    pub(super) urls: UrlList,
    /// Where records are stored.
    pub(super) offsets: Vec<Option<u64>>,
    pub(super) attributes: Attributes,
    pub(super) anchors: Anchors,
    pub(super) counts: Counts,
    pub(super) bad: Faults,
    pub(super) passed_over: Vec<Cow<'static, str>>,
}

/// What is counted of a batch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Counts {
    pub(super) empty: u64,
    pub(super) without_site: u64,
    /// Bytes of texts and pages.
    pub(super) bytes: u64,
    /// Records, bad ones included.
    pub(super) records: u64,
}

/// Anchors of the documents of a batch, which are called by their numbers in it.
#[derive(Default)]
pub(super) struct Anchors {
    pub(super) found: Vec<Anchor>,
    /// Those of a long text, which is alone in its batch.
    pub(super) of_long_text: Option<AnchorSink>,
    /// Words of the texts that were looked at.
    pub(super) words: u64,
}

impl Payload for Batch {
    fn bytes(&self) -> usize {
        let texts = self.ids.len() + self.urls.bytes() + 16 * self.offsets.len();
        // With ranks, and what is counted.
        let records = self.identities.len() + 80 * self.id_lengths.len() + self.bad.bytes();
        let anchors = 16 * self.anchors.found.len();
        self.signatures.len() + texts + records + 48 * self.passed_over.len() + anchors
    }
}

/// In place of an offset that is not known. No file is as long.
const NO_OFFSET: u64 = u64::MAX;

/// What is of any form.
#[derive(Serialize, Deserialize)]
struct Rest<'a> {
    counts: Counts,
    words: u64,
    bad: ToldFaults,
    passed_over: Cow<'a, [Cow<'static, str>]>,
    parts: Cow<'a, [String]>,
}

impl Batch {
    /// Its bytes for a journal; none of a text whose anchors are on the disk already.
    pub(super) fn encode(&self) -> Option<Vec<u8>> {
        if self.anchors.of_long_text.is_some() {
            return None;
        }
        let Self { signatures, identities, ids, urls, attributes, .. } = self;
        let rest = Rest {
            counts: self.counts,
            words: self.anchors.words,
            bad: self.bad.told(),
            passed_over: Cow::Borrowed(&self.passed_over),
            parts: Cow::Borrowed(&attributes.parts),
        };
        let rest = serde_json::to_vec(&rest).ok()?;
        let mut out = Vec::with_capacity(self.bytes() + rest.len());
        for bytes in [&rest, signatures, identities, ids.as_bytes(), urls.text.as_bytes()] {
            put(&mut out, bytes.len(), bytes.iter().map(|byte| [*byte]));
        }
        let words = |word: &u64| word.to_le_bytes();
        put(&mut out, self.id_lengths.len(), self.id_lengths.iter().map(|n| n.to_le_bytes()));
        put(&mut out, urls.lengths.len(), urls.lengths.iter().map(|n| n.to_le_bytes()));
        for list in [&self.sites, &attributes.ranks, &attributes.counted] {
            put(&mut out, list.len(), list.iter().map(words));
        }
        put(&mut out, attributes.dates.len(), attributes.dates.iter().map(|n| n.to_le_bytes()));
        let offsets = self.offsets.iter().map(|at| at.unwrap_or(NO_OFFSET).to_le_bytes());
        put(&mut out, self.offsets.len(), offsets);
        let anchors = self.anchors.found.as_flattened();
        put(&mut out, anchors.len(), anchors.iter().map(words));
        Some(out)
    }

    /// What was encoded; `None` if it was something else.
    pub(super) fn decode(mut bytes: &[u8]) -> Option<Self> {
        let from = &mut bytes;
        let rest: Rest<'_> = serde_json::from_slice(take::<1>(from)?.as_flattened()).ok()?;
        let signatures = take::<1>(from)?.as_flattened().to_vec();
        let identities = take::<1>(from)?.as_flattened().to_vec();
        let ids = text(from)?;
        let url_text = text(from)?;
        let id_lengths = take(from)?.iter().map(|n| u32::from_le_bytes(*n)).collect();
        let url_lengths = take(from)?.iter().map(|n| u16::from_le_bytes(*n)).collect();
        let [sites, ranks, counted] = [numbers(from)?, numbers(from)?, numbers(from)?];
        let dates = take(from)?.iter().map(|n| i64::from_le_bytes(*n)).collect();
        let offsets = numbers(from)?.into_iter().map(|at| Some(at).filter(|&at| at != NO_OFFSET));
        let offsets = offsets.collect();
        let anchors = numbers(from)?;
        from.is_empty().then(|| Self {
            signatures,
            identities,
            ids,
            id_lengths,
            sites,
            urls: UrlList { text: url_text, lengths: url_lengths },
            offsets,
            attributes: Attributes { ranks, parts: rest.parts.into_owned(), counted, dates },
            anchors: Anchors {
                found: anchors.as_chunks().0.to_vec(),
                of_long_text: None,
                words: rest.words,
            },
            counts: rest.counts,
            bad: rest.bad.into(),
            passed_over: rest.passed_over.into_owned(),
        })
    }
}

/// Appends so many numbers, and before them how many they are.
fn put<const N: usize>(out: &mut Vec<u8>, count: usize, numbers: impl Iterator<Item = [u8; N]>) {
    out.extend((count as u64).to_le_bytes());
    numbers.for_each(|number| out.extend(number));
}

/// The numbers that come next.
fn take<'a, const N: usize>(from: &mut &'a [u8]) -> Option<&'a [[u8; N]]> {
    let (count, rest) = from.split_at_checked(8)?;
    let bytes = double_word(count, 0).checked_mul(N as u64)?;
    let (numbers, rest) = rest.split_at_checked(usize::try_from(bytes).ok()?)?;
    *from = rest;
    Some(numbers.as_chunks().0)
}

fn text(from: &mut &[u8]) -> Option<String> {
    String::from_utf8(take::<1>(from)?.as_flattened().to_vec()).ok()
}

fn numbers(from: &mut &[u8]) -> Option<Vec<u64>> {
    Some(take(from)?.iter().map(|n| u64::from_le_bytes(*n)).collect())
}
