//! The rounds from groups to clusters, out of core.
//!
//! What is decided is defined by two short programs. With a limit L:
//!
//! ```text
//! anchored:    for d in ascending place:
//!                candidates = union over the groups g of d of
//!                             the first L kept members of g before d
//!                the first candidate, ascending, that the judge accepts stands for d;
//!                if there is none, d is kept
//! components:  (e, d) is an edge if e is among the first L members of a group,
//!                d is a later member, and the judge accepts;
//!                the smallest place of a connected component stands for it
//! ```
//!
//! So nothing is removed by `anchored` without a pair with a document that is
//! kept, and no chain of pairs removes what is only like something that is like
//! a keeper; `components` is the papers' way. L makes a million pages of one
//! template linear: no group is ever expanded to all pairs. Where it was
//! reached is counted ([`LimitedGroups`]), never silent.
//!
//! A group may have members that look for nothing ([`Step::Held`]): they are among the first of those
//! after them, and the group is none of theirs.
//!
//! Of known documents, which have the first places, nothing is decided: they stay, and the loop is
//! over the others. It can be, since whoever comes before them is known, too.
//!
//! **Rounds.** Judging one document at a time would read the disk at random.
//! Instead, each round streams the groups, makes candidates of each member and
//! the first members of the group that are kept as far as is known, drops those
//! that were judged before, has the rest judged in order, and decides again from
//! all pairs. Limits of 1 and 8 come first: most documents that go do so by the
//! first members of a group, and then need no candidate after their keeper.
//! The rounds of `anchored` end when one of limit L finds nothing to judge.
//!
//! **That this is the definition.** Let a round of limit L find nothing new, and
//! let every keeper be among the first L kept members of a group before its
//! document. By induction over places: let all places before d be right. Then
//! the kept members before d are right, and so are the candidates of d. All of
//! them that are smaller than its keeper (all, if it has none) were judged, and
//! the smallest accepted one that is kept was taken. So d is right.
//!
//! The second condition may fail: a document may have been a candidate while one
//! before it seemed to go that was found to stay after all. [`Rounds::survey`]
//! checks it. If it fails, rounds follow that make all candidates again and
//! decide only from those made in the same round, until nothing changes; in
//! every two of them at least the first wrong place becomes right, and remains.
//!
//! **Cost.** A round is one pass over the groups and a sort of its candidates.
//! Only what can have changed is made again: if a member's keeper changed, from
//! that member on; else only what the higher limit adds. Memory: the budget,
//! four bytes a document for keepers, and three bits.

use std::path::Path;

use lookalike_core::{Verdict, mix};

use super::clusters::{Clustering, Clusters, LimitedGroups};
use super::decide::{self, Effort, State};
use super::groups::{GroupReader, Step};
use super::pairs::{ByLater, Candidate, Judge, Pair};
use crate::document_set::PlaceSet;
use crate::error::Result;
use crate::places::Place;
use crate::sort::{SortedRecords, SortedRun, SortedRunWriter, Sorter, Union};

/// Which candidates are judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pairs {
    /// Those that the decision needs.
    Needed {
        /// The first members of a group that others are compared with; 0 is taken for 1.
        limit: usize,
    },
    /// The first members of each group with all its later ones, also those that pairs connect
    /// already: all pairs of small groups, and a multiple of the members of large ones. For
    /// components.
    WithFirst {
        /// How many members are the first.
        limit: usize,
    },
    /// All that share a key: for evaluation. A group of n documents has n (n - 1) / 2, and its
    /// places are held in memory.
    All,
}

impl Default for Pairs {
    fn default() -> Self {
        Self::Needed { limit: 64 }
    }
}

/// What is to be clustered, how, and where to.
#[derive(Clone, Copy, Debug)]
pub struct ClusterTask<'a> {
    /// The file of groups.
    pub groups: &'a Path,
    /// Documents that stay whatever they resemble: those of so many first places.
    pub known: u64,
    /// How pairs become clusters.
    pub clustering: Clustering,
    /// Which candidates are judged.
    pub judged: Pairs,
    /// Where the pairs go: sorted by (later, earlier).
    pub pairs: &'a Path,
    /// Where the decision goes.
    pub keepers: &'a Path,
    /// Where what does not fit into memory goes.
    pub folder: &'a Path,
    /// Bytes of memory, without keepers and bits.
    pub budget: usize,
    /// Threads that work.
    pub threads: usize,
}

/// Clusters the documents of a file of groups.
///
/// `progress` is told how many candidates were judged so far.
///
/// # Errors
/// What the judge gives; or if a file cannot be written or read, or the groups are damaged.
///
/// # Panics
/// If the judge does not judge every candidate once.
pub fn cluster(
    task: &ClusterTask<'_>,
    judge: &mut dyn Judge,
    progress: &dyn Fn(u64),
) -> Result<Clusters> {
    let documents = GroupReader::open(task.groups)?.documents();
    let mut rounds = Rounds {
        task,
        documents,
        judge,
        progress,
        state: State::new(task.clustering, documents),
        changed: PlaceSet::none(documents),
        judged: None,
        accepted: None,
        candidates: 0,
        number: 0,
    };
    let limited = match task.judged {
        Pairs::Needed { limit } => rounds.run(limit.max(1))?,
        Pairs::WithFirst { limit } => {
            rounds.round(0, limit, Decide::FromAll)?;
            rounds.survey(limit)?.0
        }
        Pairs::All => {
            rounds.round(0, usize::MAX, Decide::FromAll)?;
            LimitedGroups::default()
        }
    };
    rounds.finish(limited)
}

/// The first members of the group at hand that come first, ascending.
struct First {
    members: Vec<Place>,
    limit: usize,
}

impl First {
    fn new(limit: usize) -> Self {
        Self { members: Vec::new(), limit }
    }

    #[inline]
    fn push(&mut self, place: Place) {
        if self.members.len() < self.limit {
            self.members.push(place);
        }
    }
}

/// Groups, read some way ahead.
struct GroupReadahead {
    groups: GroupReader,
    steps: Vec<Step>,
    next: usize,
}

/// Steps that are read ahead: what is known of their documents stays in the second-level cache.
const AHEAD: usize = 2048;

impl GroupReadahead {
    fn open(path: &Path) -> Result<Self> {
        Ok(Self { groups: GroupReader::open(path)?, steps: Vec::with_capacity(AHEAD), next: 0 })
    }

    #[inline]
    fn next(&mut self, state: &State) -> Result<Option<Step>> {
        if self.next == self.steps.len() {
            self.refill(state)?;
        }
        let step = self.steps.get(self.next).copied();
        self.next += 1;
        Ok(step)
    }

    fn refill(&mut self, state: &State) -> Result<()> {
        self.next = 0;
        self.steps.clear();
        while self.steps.len() < AHEAD
            && let Some(step) = self.groups.next()?
        {
            self.steps.push(step);
        }
        state.touch(&self.steps);
        Ok(())
    }
}

/// What a decision goes by.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Decide {
    /// All pairs that were ever found.
    FromAll,
    /// Those that are candidates of this round.
    FromThisRound,
}

/// What a round did.
struct Outcome {
    /// Candidates that were judged.
    judged: u64,
    /// Whether a keeper changed.
    changed: bool,
}

struct Rounds<'a> {
    task: &'a ClusterTask<'a>,
    documents: u64,
    judge: &'a mut dyn Judge,
    progress: &'a dyn Fn(u64),
    state: State,
    /// Documents whose keeper changed in the last decision of `anchored`.
    changed: PlaceSet,
    /// All that was judged, sorted by (earlier, later), and all that was accepted, sorted by
    /// (later, earlier).
    judged: Option<SortedRun<u64>>,
    accepted: Option<SortedRun<ByLater>>,
    candidates: u64,
    number: u32,
}

impl Rounds<'_> {
    /// All rounds up to the limit.
    fn run(&mut self, limit: usize) -> Result<LimitedGroups> {
        let steps: &[usize] = match self.task.clustering {
            Clustering::Anchored => &[1, 8],
            Clustering::Components => &[1],
        };
        let mut last = 0;
        for &step in steps.iter().filter(|&&step| step < limit) {
            self.round(last, step, Decide::FromAll)?;
            last = step;
        }
        // Components do not depend on who is kept: one round is all.
        while self.round(last, limit, Decide::FromAll)?.judged > 0
            && self.task.clustering == Clustering::Anchored
        {
            last = limit;
        }
        let (limited, right) = self.survey(limit)?;
        if right {
            return Ok(limited);
        }
        loop {
            let outcome = self.round(0, limit, Decide::FromThisRound)?;
            if outcome.judged == 0 && !outcome.changed {
                return Ok(self.survey(limit)?.0);
            }
        }
    }

    /// Makes candidates of the first `limit` members of each group, judges, and decides. The
    /// last round had the limit `last`; with 0 everything is made again.
    fn round(&mut self, last: usize, limit: usize, decide: Decide) -> Result<Outcome> {
        self.number += 1;
        let ClusterTask { folder, budget, threads, .. } = *self.task;
        let mut made = RoundCandidates {
            // No larger than it can be of use: every slot that is used for the first time is a
            // page that the system must find.
            recent: vec![
                0;
                (budget / 4 / size_of::<u64>()).clamp(1, 8 * self.documents as usize + 1)
            ],
            candidates: Sorter::on_threads(threads, folder, budget / 2),
            by_later: (decide == Decide::FromThisRound)
                .then(|| Sorter::on_threads(threads, folder, budget / 4)),
        };
        self.make(last, limit, &mut made)?;
        let RoundCandidates { recent, candidates, by_later } = made;
        drop(recent);
        if candidates.is_empty() && decide == Decide::FromAll {
            self.changed.clear();
            return Ok(Outcome { judged: 0, changed: false });
        }
        let in_limit = by_later.map(Sorter::finish).transpose()?;
        let (judged, accepted) = self.judge_new(candidates.finish()?)?;
        // Without a new pair, only another choice of pairs makes another decision.
        let same = judged == 0 && decide == Decide::FromAll;
        self.changed.clear();
        let changed = !same && self.decide(accepted, in_limit)?;
        Ok(Outcome { judged, changed })
    }

    /// Streams the groups and makes candidates.
    fn make(&mut self, last: usize, limit: usize, made: &mut RoundCandidates) -> Result<()> {
        let mut groups = GroupReadahead::open(self.task.groups)?;
        let mut first = First::new(limit);
        let mut changed = false;
        let again = made.by_later.is_some();
        while let Some(step) = groups.next(&self.state)? {
            let (later, is_compared) = match step {
                Step::Member(place) => (place, u64::from(place) >= self.task.known),
                Step::Held(place) => (place, false),
                Step::End => {
                    first.members.clear();
                    changed = false;
                    continue;
                }
            };
            // What comes before the first changed member was made in the last round.
            changed |= self.changed.contains(later);
            if !is_compared {
                if self.state.comes_first(later) {
                    first.push(later);
                }
                continue;
            }
            let known = if changed { 0 } else { last.min(first.members.len()) };
            match &mut self.state {
                State::Anchored(keepers) => {
                    let keeper = keepers[later.index()];
                    // Only one before its keeper can still take its place. Where the decision is
                    // from this round alone, the keeper has to be among the candidates too.
                    let end = first
                        .members
                        .partition_point(|&earlier| earlier < keeper || again && earlier == keeper);
                    for &earlier in first.members.get(known..end).unwrap_or_default() {
                        made.push(earlier, later)?;
                    }
                }
                State::Components(components) => {
                    let cluster = components.find(later);
                    for &earlier in &first.members[known..] {
                        if components.find(earlier) != cluster {
                            made.push(earlier, later)?;
                        }
                    }
                }
            }
            if self.state.comes_first(later) {
                first.push(later);
            }
        }
        Ok(())
    }

    /// Has those candidates judged that were not judged before. Gives their number and the
    /// accepted ones.
    fn judge_new(
        &mut self,
        candidates: SortedRecords<u64>,
    ) -> Result<(u64, SortedRecords<ByLater>)> {
        let known = self.judged.take().map(SortedRun::read).transpose()?;
        let mut all = Union::new(known, Some(candidates))?;
        let mut judged = SortedRunWriter::create(self.task.folder)?;
        let (mut handed_out, mut ended) = (0, false);
        let mut next = || {
            while let Some((pair, is_new)) = all.next()? {
                judged.push(pair)?;
                if is_new {
                    handed_out += 1;
                    let (earlier, later) = halves(pair);
                    return Ok(Some(Candidate { earlier, later }));
                }
            }
            ended = true;
            Ok(None)
        };
        let ClusterTask { folder, budget, threads, .. } = *self.task;
        let mut accepted = Sorter::on_threads(threads, folder, budget / 4);
        let (before, mut verdicts) = (self.candidates, 0);
        let progress = self.progress;
        self.judge.judge(&mut next, &mut |Candidate { earlier, later }, verdict| {
            verdicts += 1;
            progress(before + verdicts);
            match verdict {
                Verdict::Refused => Ok(()),
                Verdict::Accepted(evidence) => {
                    accepted.push(ByLater(Pair { earlier, later, evidence }))
                }
            }
        })?;
        assert!(ended && verdicts == handed_out, "a judge judges every candidate once");
        self.judged = Some(judged.finish()?);
        self.candidates += handed_out;
        Ok((handed_out, accepted.finish()?))
    }

    /// Decides from all pairs, old and new; if `in_limit` is given, only from those in it (the
    /// later one in the high half). True if a keeper changed.
    fn decide(
        &mut self,
        new: SortedRecords<ByLater>,
        in_limit: Option<SortedRecords<u64>>,
    ) -> Result<bool> {
        let old = self.accepted.take().map(SortedRun::read).transpose()?;
        let pairs = Union::new(old, Some(new))?;
        let mut all = SortedRunWriter::create(self.task.folder)?;
        let mut in_limit = in_limit.map(InLimit::new).transpose()?;
        let usable = |later, earlier| match &mut in_limit {
            Some(in_limit) => in_limit.has(later, earlier),
            None => Ok(true),
        };
        let changed = self.state.decide(pairs, &mut self.changed, &mut all, usable)?;
        self.accepted = Some(all.finish()?);
        Ok(changed)
    }

    /// Counts what the limit hid, and whether every keeper is among the first members that are
    /// kept of a group with its document.
    fn survey(&self, limit: usize) -> Result<(LimitedGroups, bool)> {
        let mut limited = LimitedGroups::default();
        let mut late = PlaceSet::none(self.documents);
        let mut confirmed = PlaceSet::none(self.documents);
        let mut right = 0u64;
        let mut groups = GroupReadahead::open(self.task.groups)?;
        let mut first = First::new(limit);
        let (mut size, mut come_first, mut any_compared) = (0, 0, false);
        while let Some(step) = groups.next(&self.state)? {
            let (place, is_compared) = match step {
                Step::Member(place) => (place, u64::from(place) >= self.task.known),
                Step::Held(place) => (place, false),
                Step::End => {
                    if come_first > limit && any_compared {
                        limited.groups += 1;
                        limited.largest = limited.largest.max(size);
                    }
                    first.members.clear();
                    (size, come_first, any_compared) = (0, 0, false);
                    continue;
                }
            };
            size += 1;
            any_compared |= is_compared;
            if come_first > limit && is_compared && late.insert(place) {
                limited.documents += 1;
            }
            if self.state.comes_first(place) {
                first.push(place);
                come_first += 1;
            } else if let State::Anchored(keepers) = &self.state
                && is_compared
                && first.members.binary_search(&keepers[place.index()]).is_ok()
                && confirmed.insert(place)
            {
                right += 1;
            }
        }
        let removed = match &self.state {
            State::Anchored(keepers) => {
                let goes = |&(place, &keeper): &(Place, &Place)| place != keeper;
                Place::all().zip(keepers).filter(goes).count() as u64
            }
            State::Components(_) => 0,
        };
        Ok((limited, right == removed))
    }

    /// Writes pairs and keepers.
    fn finish(self, limited: LimitedGroups) -> Result<Clusters> {
        let effort = Effort { candidates: self.candidates, rounds: self.number, limited };
        let paths = [self.task.pairs, self.task.keepers];
        decide::write(self.state, self.accepted, effort, paths, self.documents)
    }
}

/// Candidates that were made in a round.
struct RoundCandidates {
    /// Some of the candidates that were made last: documents that share one key often share
    /// others, and then come several times.
    recent: Vec<u64>,
    /// The earlier one in the high half.
    candidates: Sorter<u64>,
    /// The later one in the high half, if the decision is to be from them.
    by_later: Option<Sorter<u64>>,
}

impl RoundCandidates {
    #[inline]
    fn push(&mut self, earlier: Place, later: Place) -> Result<()> {
        // Never 0, which is what no candidate looks like: the later one is not the first.
        let pair = joined(earlier, later);
        let slot = (u128::from(mix(pair)) * self.recent.len() as u128) >> 64;
        let slot = &mut self.recent[slot as usize];
        if *slot == pair {
            return Ok(());
        }
        *slot = pair;
        if let Some(by_later) = &mut self.by_later {
            by_later.push(joined(later, earlier))?;
        }
        self.candidates.push(pair)
    }
}

/// Candidates by the later one, for a merge with pairs.
struct InLimit {
    candidates: SortedRecords<u64>,
    next: Option<u64>,
}

impl InLimit {
    fn new(mut candidates: SortedRecords<u64>) -> Result<Self> {
        Ok(Self { next: candidates.next()?, candidates })
    }

    /// Whether the pair is among them. Pairs come in order.
    fn has(&mut self, later: Place, earlier: Place) -> Result<bool> {
        let pair = joined(later, earlier);
        while self.next.is_some_and(|next| next < pair) {
            self.next = self.candidates.next()?;
        }
        Ok(self.next == Some(pair))
    }
}

fn joined(high: Place, low: Place) -> u64 {
    u64::from(high) << 32 | u64::from(low)
}

fn halves(pair: u64) -> (Place, Place) {
    (Place::nth(pair >> 32), Place::nth(pair & u64::from(u32::MAX)))
}
