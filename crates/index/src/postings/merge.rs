//! Several segments become one.

use std::collections::HashSet;
use std::hash::BuildHasher;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{Posting, Segment, SegmentEntry, SegmentStream, SegmentWriter};
use crate::error::Result;

/// Segments of a level that are merged into one of the next: each posting is written once a level,
/// and a look-up asks at most three segments of each.
pub(crate) const FAN: usize = 4;

/// Postings between two looks at whether to stop.
const PATIENCE: u64 = 1 << 16;

/// Which segments to merge: the first four neighbours of a level.
pub(crate) fn due(segments: &[Arc<Segment>]) -> Option<&[Arc<Segment>]> {
    segments
        .windows(FAN)
        .find(|four| four.windows(2).all(|two| two[0].entry().level == two[1].entry().level))
}

/// Merges neighbours, oldest first, leaving out documents that were removed. `None` if it was
/// told to stop.
pub(crate) fn merge<S: BuildHasher>(
    segments: &[Arc<Segment>],
    tombstones: &HashSet<u64, S>,
    folder: &Path,
    id: u64,
    stop: &AtomicBool,
) -> Result<Option<Segment>> {
    let entries = || segments.iter().map(|segment| segment.entry());
    let entry = SegmentEntry {
        id,
        level: entries().map(|entry| entry.level).max().map_or(0, |level| level + 1),
        first: entries().map(|entry| entry.first).min().unwrap_or(0),
        end: entries().map(|entry| entry.end).max().unwrap_or(0),
        postings: entries().map(|entry| entry.postings).sum(),
    };
    let mut writer = SegmentWriter::create(folder, entry)?;
    let mut streams: Vec<SegmentStream<'_>> =
        segments.iter().map(|segment| segment.stream()).collect();
    let mut heads: Vec<Option<Posting>> =
        streams.iter_mut().map(SegmentStream::next).collect::<Result<_>>()?;
    let mut since = 0;
    // Of two with the same key the one of the earlier segment has the smaller number.
    while let Some((at, posting)) = smallest(&heads) {
        if !tombstones.contains(&posting.number) {
            writer.push(posting)?;
        }
        heads[at] = streams[at].next()?;
        since += 1;
        if since % PATIENCE == 0 && stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
    }
    writer.finish().map(Some)
}

fn smallest(heads: &[Option<Posting>]) -> Option<(usize, Posting)> {
    let heads = heads.iter().enumerate().filter_map(|(at, head)| Some((at, (*head)?)));
    heads.min_by_key(|&(_, posting)| posting)
}
