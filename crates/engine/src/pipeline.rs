//! Sources read, parsed and worked on by several threads, with the results in order.
//!
//! Reading a source happens one chunk after another, on whichever thread is
//! free; the work on chunks happens side by side, also on those of one source.
//! A few sources are open at once. Results reach the sink in the order of
//! sources and chunks, so that nothing that is written depends on the number of
//! threads. Those that have to wait for an earlier one are held in memory, up
//! to a bound; then only the source that all wait for is worked on. What is
//! being worked on has a bound too: where records are very long, fewer threads
//! work.

use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use lookalike_corpus::{Chunk, Chunks, Compression, Format, Panic, ReadOptions, Source, guarded};

use crate::error::{Error, ErrorKind, Result};
use crate::observe::Observer;

/// How to work.
pub(crate) struct Pipeline<'a> {
    pub(crate) options: &'a ReadOptions,
    pub(crate) threads: usize,
    /// Bytes of results that may wait for earlier ones.
    pub(crate) ahead: usize,
    /// Bytes that may be worked on at once, unless a single piece has more.
    pub(crate) at_once: usize,
    /// Told how far files are read, and asked before each chunk whether to stop.
    pub(crate) observer: &'a dyn Observer,
}

/// What a worker gets.
pub(crate) enum Piece {
    /// Some records.
    Chunk(Chunk),
    /// A text file that is too long to be held in memory.
    LongText(Source),
}

/// What the sink gets, in order.
pub(crate) enum Event<T> {
    /// The result of the next piece of a source.
    Result(T),
    /// The source has no more pieces.
    End {
        /// Its number, as it was given.
        number: u64,
        source: Source,
        /// Why it ended before its end.
        fault: Option<lookalike_corpus::Error>,
    },
}

/// A result that may have to wait.
pub(crate) trait Payload: Send {
    /// About how much memory it takes.
    fn bytes(&self) -> usize;
}

/// Text files of more than this are not held in memory whole.
const LONG_TEXT_BYTES: u64 = 16 << 20;

/// What work on such a file takes: a few pieces of it, and the buffers of a sort.
const LONG_TEXT_LOAD: usize = 48 << 20;

impl Piece {
    /// About how much memory it takes to work on.
    fn load(&self) -> usize {
        match self {
            // As it is, and what is made of it.
            Self::Chunk(chunk) => 2 * chunk.bytes() as usize,
            Self::LongText(_) => LONG_TEXT_LOAD,
        }
    }
}

impl<'a> Pipeline<'a> {
    /// One that takes its part of so many bytes of memory.
    pub(crate) fn within(
        budget: usize,
        options: &'a ReadOptions,
        threads: usize,
        observer: &'a dyn Observer,
    ) -> Self {
        Self { options, threads, ahead: budget / 4, at_once: budget / 2, observer }
    }

    /// Works on all sources; each comes with its number.
    ///
    /// `worker` is called once on each thread and gives what does the work there, from the number
    /// of a source and a piece of it.
    ///
    /// A decoder that panics is a fault of its source; any other panic is the job's.
    ///
    /// # Errors
    /// The first of the work or of the sink; what else is under way is given up.
    pub(crate) fn run<T: Payload, W: FnMut(u64, Piece) -> Result<T>>(
        &self,
        sources: impl Iterator<Item = Result<(u64, Source)>> + Send,
        worker: impl Fn() -> Result<W> + Sync,
        sink: impl FnMut(Event<T>) -> Result<()> + Send,
    ) -> Result<()> {
        let state = State {
            sources,
            listed: 0,
            all_listed: false,
            open: VecDeque::new(),
            waiting: BTreeMap::new(),
            held: 0,
            working: 0,
            largest: 2 * self.options.chunk_bytes,
            next: (0, 0),
            failure: None,
        };
        let shared = SharedState { state: Mutex::new(state), changed: Condvar::new() };
        let sink = Mutex::new(Some(sink));
        std::thread::scope(|scope| {
            for _ in 0..self.threads.max(1) {
                scope.spawn(|| {
                    let work =
                        || worker().and_then(|mut worker| self.work(&shared, &mut worker, &sink));
                    // A thread that ends without a word would leave the others waiting for the
                    // result that comes next, for ever.
                    let worked = catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|payload| {
                        let Panic(message) = Panic::of(&*payload);
                        Err(Error::from(ErrorKind::ProgramFault(message)))
                    });
                    if let Err(error) = worked {
                        let mut state = shared.lock();
                        state.failure.get_or_insert(error);
                        shared.changed.notify_all();
                    }
                });
            }
        });
        let failure = shared.lock().failure.take();
        failure.map_or(Ok(()), Err)
    }

    fn work<T: Payload, I>(
        &self,
        shared: &SharedState<T, I>,
        worker: &mut impl FnMut(u64, Piece) -> Result<T>,
        sink: &Mutex<Option<impl FnMut(Event<T>) -> Result<()>>>,
    ) -> Result<()>
    where
        I: Iterator<Item = Result<(u64, Source)>>,
    {
        while let Some((mut slot, reserved)) = self.take(shared)? {
            let read = match guarded(|| slot.read(self.options, self.observer)) {
                Ok(read) => read,
                Err(Panic(message)) => {
                    slot.reading = Reading::Ended;
                    let fault = format!("its decoder failed: {message}");
                    Read::End(Some(lookalike_corpus::Error::broken(slot.source.path(), fault)))
                }
            };
            let place = (slot.ordinal, slot.next);
            let load = shared.load(reserved, &read);
            let ready = match read {
                Read::Piece(piece) => {
                    slot.next += 1;
                    let number = slot.number;
                    shared.give_back(slot);
                    Ready::Result(worker(number, piece)?)
                }
                Read::End(fault) => {
                    let Slot { number, source, .. } = slot;
                    shared.close(place.0);
                    Ready::End(Box::new((number, source, fault)))
                }
            };
            shared.insert(place, ready);
            shared.unload(load);
            drain(shared, sink)?;
        }
        Ok(())
    }

    /// A source to read a piece of, and the bytes that the piece may take; waits for both.
    /// `None` when there are no more.
    fn take<T: Payload, I>(&self, shared: &SharedState<T, I>) -> Result<Option<(Slot, usize)>>
    where
        I: Iterator<Item = Result<(u64, Source)>>,
    {
        let mut state = shared.lock();
        loop {
            if state.failure.is_some() {
                return Ok(None);
            }
            self.observer.check_cancelled()?;
            if state.working > 0 && state.working + state.largest > self.at_once {
                state = shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            }
            // Far enough ahead: only what all wait for is worth working on.
            let (first, far) = (state.next.0, state.held > self.ahead);
            let free = |open: &OpenSlot| open.slot.is_some() && !(far && open.ordinal > first);
            let free_slot = state.open.iter_mut().find(|open| free(open));
            if let Some(slot) = free_slot.and_then(|open| open.slot.take()) {
                return Ok(Some(state.reserve(slot)));
            }
            let room = state.open.len() < self.threads.max(1) && (!far || state.open.is_empty());
            if room && !state.all_listed {
                match state.sources.next().transpose()? {
                    Some((number, source)) => {
                        let ordinal = state.listed;
                        state.listed += 1;
                        state.open.push_back(OpenSlot { ordinal, slot: None });
                        let slot =
                            Slot { ordinal, number, source, reading: Reading::NotYet, next: 0 };
                        return Ok(Some(state.reserve(slot)));
                    }
                    None => state.all_listed = true,
                }
            }
            if state.all_listed && state.open.is_empty() {
                return Ok(None);
            }
            state = shared.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

/// Hands on what is next in order, unless the sink has failed: it stopped in the midst of something.
fn drain<T: Payload, I>(
    shared: &SharedState<T, I>,
    sink: &Mutex<Option<impl FnMut(Event<T>) -> Result<()>>>,
) -> Result<()> {
    // One thread at a time, or the order would be lost.
    let mut held = sink.lock().unwrap_or_else(PoisonError::into_inner);
    let Some(mut sink) = held.take() else { return Ok(()) };
    while let Some(ready) = shared.next_in_order() {
        sink(match ready {
            Ready::Result(result) => Event::Result(result),
            Ready::End(end) => {
                let (number, source, fault) = *end;
                Event::End { number, source, fault }
            }
        })?;
    }
    *held = Some(sink);
    Ok(())
}

/// What the threads share.
struct SharedState<T, I> {
    state: Mutex<State<T, I>>,
    changed: Condvar,
}

struct State<T, I> {
    sources: I,
    listed: u64,
    all_listed: bool,
    /// Sources that are not read to the end, in order.
    open: VecDeque<OpenSlot>,
    /// Results by source and piece.
    waiting: BTreeMap<(u64, u64), Ready<T>>,
    held: usize,
    /// Bytes that are being read and worked on, and what the largest of late has taken.
    working: usize,
    largest: usize,
    /// The source and the piece that come next.
    next: (u64, u64),
    failure: Option<Error>,
}

impl<T, I> State<T, I> {
    /// Counts what the next piece of a source may take: as much as the largest of late.
    fn reserve(&mut self, slot: Slot) -> (Slot, usize) {
        let long = matches!(slot.reading, Reading::NotYet) && is_long_text(&slot.source);
        let bytes = if long { LONG_TEXT_LOAD } else { self.largest };
        self.working += bytes;
        (slot, bytes)
    }
}

/// An open source; its slot is away while a thread reads from it.
struct OpenSlot {
    ordinal: u64,
    slot: Option<Slot>,
}

struct Slot {
    ordinal: u64,
    number: u64,
    source: Source,
    reading: Reading,
    /// The number of its next piece.
    next: u64,
}

enum Reading {
    NotYet,
    Chunks(Box<Chunks>),
    Ended,
}

enum Ready<T> {
    Result(T),
    End(Box<(u64, Source, Option<lookalike_corpus::Error>)>),
}

enum Read {
    Piece(Piece),
    End(Option<lookalike_corpus::Error>),
}

impl Slot {
    fn read(&mut self, options: &ReadOptions, observer: &dyn Observer) -> Read {
        // To open a file is to read the beginning of it.
        let mut before = 0;
        match &self.reading {
            Reading::NotYet if is_long_text(&self.source) => {
                self.reading = Reading::Ended;
                observer.read(self.source.stored_bytes().unwrap_or(0));
                return Read::Piece(Piece::LongText(self.source.clone()));
            }
            // It may unpack to any length, which takes reading it to know.
            Reading::NotYet if is_packed_text(&self.source) => {
                let mut short = options.clone();
                let limits = &mut short.limits;
                limits.max_document_bytes = limits.max_document_bytes.min(LONG_TEXT_BYTES);
                self.reading = Reading::Chunks(Box::new(self.source.chunks(&short)));
            }
            Reading::NotYet => {
                self.reading = Reading::Chunks(Box::new(self.source.chunks(options)));
            }
            Reading::Chunks(chunks) => before = Chunks::position(chunks),
            Reading::Ended => {}
        }
        let Reading::Chunks(chunks) = &mut self.reading else { return Read::End(None) };
        let chunk = chunks.next();
        observer.read(Chunks::position(chunks) - before);
        match chunk {
            Some(Ok(chunk)) => Read::Piece(Piece::Chunk(chunk)),
            Some(Err(fault)) if is_packed_text(&self.source) && is_too_long(&fault) => {
                self.reading = Reading::Ended;
                Read::Piece(Piece::LongText(self.source.clone()))
            }
            Some(Err(fault)) => Read::End(Some(fault)),
            None => Read::End(None),
        }
    }
}

/// Whether the file is one document that is packed.
fn is_packed_text(source: &Source) -> bool {
    source.format() == Format::TextFile && source.compression() != Compression::None
}

fn is_too_long(fault: &lookalike_corpus::Error) -> bool {
    matches!(fault.kind(), lookalike_corpus::ErrorKind::TooLong { .. })
}

/// Whether the file is one document that is too long for memory, as far as its size tells.
fn is_long_text(source: &Source) -> bool {
    source.format() == Format::TextFile
        && source.stored_bytes().is_ok_and(|bytes| bytes > LONG_TEXT_BYTES)
}

impl<T: Payload, I> SharedState<T, I> {
    fn lock(&self) -> MutexGuard<'_, State<T, I>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn give_back(&self, slot: Slot) {
        let mut state = self.lock();
        if let Some(open) = state.open.iter_mut().find(|open| open.ordinal == slot.ordinal) {
            open.slot = Some(slot);
        }
        self.changed.notify_all();
    }

    fn close(&self, ordinal: u64) {
        let mut state = self.lock();
        state.open.retain(|open| open.ordinal != ordinal);
        self.changed.notify_all();
    }

    fn insert(&self, place: (u64, u64), ready: Ready<T>) {
        let mut state = self.lock();
        if let Ready::Result(result) = &ready {
            state.held += result.bytes();
        }
        state.waiting.insert(place, ready);
    }

    /// What was read takes other than what was reserved for it.
    fn load(&self, reserved: usize, read: &Read) -> usize {
        let load = match read {
            Read::Piece(piece) => piece.load(),
            Read::End(_) => 0,
        };
        let mut state = self.lock();
        state.working = state.working - reserved + load;
        // Neighbours are alike, but one long record says nothing about the thousandth after it.
        state.largest = load.max(state.largest / 2);
        self.changed.notify_all();
        load
    }

    fn unload(&self, load: usize) {
        self.lock().working -= load;
        self.changed.notify_all();
    }

    fn next_in_order(&self) -> Option<Ready<T>> {
        let mut state = self.lock();
        let next = state.next;
        let ready = state.waiting.remove(&next)?;
        match &ready {
            Ready::Result(result) => {
                state.held -= result.bytes();
                state.next.1 += 1;
            }
            Ready::End(_) => state.next = (next.0 + 1, 0),
        }
        self.changed.notify_all();
        Some(ready)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;
    use std::time::Duration;

    use lookalike_files::WorkFolder;

    use super::*;
    use crate::observe::NoObserver;

    struct Nothing;

    impl Payload for Nothing {
        fn bytes(&self) -> usize {
            1
        }
    }

    /// Texts in files of a folder.
    fn texts(folder: &Path) -> Vec<Source> {
        let text = |n| {
            let path = folder.join(format!("{n:02}.txt"));
            std::fs::write(&path, format!("text {n}")).unwrap();
            Source::file(&path, None).unwrap()
        };
        (0..40).map(text).collect()
    }

    /// Other threads wait for the sink while it fails; what it was writing is half written.
    #[test]
    fn a_sink_that_failed_gets_nothing_more() {
        let folder = WorkFolder::create(None).unwrap();
        let sources = texts(&folder);
        let options = ReadOptions::default();
        let faults: [fn() -> Result<()>; 2] =
            [|| Err(Error::from(ErrorKind::Interrupted)), || panic!("the sink fails")];
        for fault in faults {
            let pipeline = Pipeline::within(1 << 20, &options, 4, &NoObserver);
            let listed = sources.iter().cloned().zip(0..).map(|(source, n)| Ok((n, source)));
            let mut taken = 0;
            let sink = |_| {
                taken += 1;
                std::thread::sleep(Duration::from_millis(5));
                if taken < 7 { Ok(()) } else { fault() }
            };
            pipeline.run(listed, || Ok(|_, _| Ok(Nothing)), sink).unwrap_err();
            assert_eq!(taken, 7);
        }
    }

    /// Every part that somebody gives may panic: the job ends with an error, and nobody waits.
    #[test]
    fn a_panic_ends_the_job_at_once() {
        let folder = WorkFolder::create(None).unwrap();
        let sources = texts(&folder);
        let options = ReadOptions::default();
        for threads in [1, 4] {
            for part in ["listing", "worker", "work", "sink"] {
                let pipeline = Pipeline::within(1 << 20, &options, threads, &NoObserver);
                let fails = |here: &str, number: u64| {
                    assert!(here != part || number != 7, "{here} fails at {number}");
                };
                let listed = sources.iter().cloned().enumerate().map(|(number, source)| {
                    fails("listing", number as u64);
                    Ok((number as u64, source))
                });
                let mut taken = 0;
                let error = pipeline
                    .run(
                        listed,
                        || {
                            fails("worker", 7);
                            Ok(|number, _| {
                                fails("work", number);
                                Ok(Nothing)
                            })
                        },
                        |_| {
                            taken += 1;
                            fails("sink", taken);
                            Ok(())
                        },
                    )
                    .unwrap_err();
                let said = format!("{part} fails at 7");
                assert!(
                    matches!(error.kind(), ErrorKind::ProgramFault(fault) if fault.contains(&said)),
                    "{error}"
                );
            }
        }
    }
}
