//! Work that is given out to several threads, and its results, taken in the order in which it was given.
//!
//! The calling thread gives and takes, and works like the others where it would have to wait: so of
//! one thread it is the only one. No thread waits for a slow piece but when two for each thread are
//! under way, and no more are. What comes of the work does not depend on the number of threads, as
//! long as no piece depends on those that its worker had before.

use std::collections::{BTreeMap, VecDeque};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;

use crate::error::Result;

/// The most pieces that are under way at a time: two for each thread, which evens out what they cost.
pub(crate) const fn under_way(threads: usize) -> usize {
    if threads <= 1 { 1 } else { 2 * threads }
}

/// What works on one thread.
pub(crate) trait Worker<T>: Send {
    /// What becomes of a piece of work.
    type Done: Send;

    /// Works on a piece.
    ///
    /// # Errors
    /// What ends all of the work.
    fn work(&mut self, piece: T) -> Result<Self::Done>;

    /// What is left when there are no more pieces.
    ///
    /// # Errors
    /// As [`work`](Self::work).
    fn end(&mut self) -> Result<Option<Self::Done>> {
        Ok(None)
    }
}

impl<T, U: Send, F: FnMut(T) -> Result<U> + Send> Worker<T> for F {
    type Done = U;

    fn work(&mut self, piece: T) -> Result<U> {
        self(piece)
    }
}

/// Works on so many threads on what `give` gives to the function that it gets, and has `take` take the results: those
/// of pieces in the order in which these were given, then what workers had left. `give` and `take` are
/// called on this thread.
///
/// A panic of a worker is one of this thread.
///
/// # Errors
/// The first of `give`, of `take` or of a worker; what else is under way is given up.
pub(crate) fn in_order<T: Send, W: Worker<T>, R>(
    threads: usize,
    mut worker: impl FnMut() -> W,
    take: impl FnMut(W::Done) -> Result<()>,
    give: impl FnOnce(&mut dyn FnMut(T) -> Result<()>) -> Result<R>,
) -> Result<R> {
    let threads = threads.max(1);
    let others: Vec<W> = (1..threads).map(|_| worker()).collect();
    let shared = Shared {
        state: Mutex::new(State {
            waiting: VecDeque::new(),
            given: 0,
            done: BTreeMap::new(),
            at_work: others.len(),
            all_given: false,
            given_up: false,
        }),
        work_came: Condvar::new(),
        work_done: Condvar::new(),
    };
    thread::scope(|scope| {
        for other in others {
            scope.spawn(|| shared.work(other));
        }
        let _given_up = GivenUpAtTheEnd(&shared);
        let most = under_way(threads) as u64;
        let mut lead = Lead { shared: &shared, worker: worker(), take, taken: 0 };
        let given = give(&mut |piece| {
            lead.work_until(|state, taken| state.given - taken < most)?;
            shared.give(piece);
            Ok(())
        })?;
        lead.end()?;
        Ok(given)
    })
}

/// What the threads share.
struct Shared<T, U> {
    state: Mutex<State<T, U>>,
    work_came: Condvar,
    work_done: Condvar,
}

struct State<T, U> {
    /// What nobody works on yet, with its number, and how much was given in all.
    waiting: VecDeque<(u64, T)>,
    given: u64,
    /// Results by number, until they are taken.
    done: BTreeMap<u64, Outcome<U>>,
    /// Threads beside the calling one that have not ended.
    at_work: usize,
    all_given: bool,
    /// Nobody wants the results.
    given_up: bool,
}

/// What became of a piece: a worker may fail, or panic, or have nothing left in the end.
type Outcome<U> = thread::Result<Result<Option<U>>>;

impl<T, U> Shared<T, U> {
    fn lock(&self) -> MutexGuard<'_, State<T, U>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn give(&self, piece: T) {
        let mut state = self.lock();
        let number = state.given;
        state.given += 1;
        state.waiting.push_back((number, piece));
        self.work_came.notify_one();
    }

    /// The next piece; waits for one. `None` if there are no more.
    fn next(&self) -> Option<(u64, T)> {
        let nothing = |state: &mut State<T, U>| {
            state.waiting.is_empty() && !state.all_given && !state.given_up
        };
        let state = self.work_came.wait_while(self.lock(), nothing);
        let mut state = state.unwrap_or_else(PoisonError::into_inner);
        if state.given_up { None } else { state.waiting.pop_front() }
    }

    /// What another thread than the calling one does.
    fn work<W: Worker<T, Done = U>>(&self, mut worker: W) {
        let mut goes_on = true;
        while goes_on && let Some((number, piece)) = self.next() {
            let outcome = outcome(|| worker.work(piece).map(Some));
            goes_on = matches!(outcome, Ok(Ok(_)));
            self.lock().done.insert(number, outcome);
            self.work_done.notify_one();
        }
        let is_wanted = goes_on && !self.lock().given_up;
        let left = is_wanted.then(|| outcome(|| worker.end()));
        let mut state = self.lock();
        if let Some(left) = left {
            let number = state.given;
            state.given += 1;
            state.done.insert(number, left);
        }
        state.at_work -= 1;
        self.work_done.notify_one();
    }
}

fn outcome<U>(work: impl FnOnce() -> Result<Option<U>>) -> Outcome<U> {
    catch_unwind(AssertUnwindSafe(work))
}

/// A thread that waits must end too, even where another one panics.
struct GivenUpAtTheEnd<'a, T, U>(&'a Shared<T, U>);

impl<T, U> Drop for GivenUpAtTheEnd<'_, T, U> {
    fn drop(&mut self) {
        self.0.lock().given_up = true;
        self.0.work_came.notify_all();
    }
}

/// The calling thread.
struct Lead<'a, T, W: Worker<T>, F> {
    shared: &'a Shared<T, W::Done>,
    worker: W,
    take: F,
    taken: u64,
}

impl<T, W: Worker<T>, F: FnMut(W::Done) -> Result<()>> Lead<'_, T, W, F> {
    /// Takes what is done and works on what waits, until this holds of the state and of how much was taken.
    fn work_until(&mut self, holds: impl Fn(&State<T, W::Done>, u64) -> bool) -> Result<()> {
        loop {
            let mut state = self.shared.lock();
            if let Some(outcome) = state.done.remove(&self.taken) {
                drop(state);
                self.taken += 1;
                let done = outcome.unwrap_or_else(|panic| resume_unwind(panic))?;
                done.map_or(Ok(()), &mut self.take)?;
            } else if holds(&state, self.taken) {
                return Ok(());
            } else if let Some((number, piece)) = state.waiting.pop_front() {
                drop(state);
                let done = self.worker.work(piece);
                self.shared.lock().done.insert(number, Ok(done.map(Some)));
            } else {
                let state = self.shared.work_done.wait(state);
                drop(state.unwrap_or_else(PoisonError::into_inner));
            }
        }
    }

    fn end(&mut self) -> Result<()> {
        self.shared.lock().all_given = true;
        self.shared.work_came.notify_all();
        self.work_until(|state, taken| state.given == taken && state.at_work == 0)?;
        self.worker.end()?.map_or(Ok(()), &mut self.take)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;
    use crate::error::{Error, ErrorKind};

    /// Adds up numbers, and has the sum left.
    struct Adds(u64);

    impl Worker<u64> for Adds {
        type Done = u64;

        fn work(&mut self, piece: u64) -> Result<u64> {
            self.0 += piece;
            // Later ones are done sooner.
            if piece.is_multiple_of(5) {
                thread::yield_now();
            }
            Ok(2 * piece)
        }

        fn end(&mut self) -> Result<Option<u64>> {
            Ok(Some(self.0))
        }
    }

    #[test]
    fn results_come_in_order_and_then_what_is_left() {
        for threads in 0..=4 {
            for count in [0, 1, 3, 300] {
                let mut taken = Vec::new();
                let take = |done| {
                    taken.push(done);
                    Ok(())
                };
                in_order(threads, || Adds(0), take, |give| (0..count).try_for_each(give)).unwrap();
                let left = taken.split_off(count as usize);
                assert!(taken.into_iter().eq((0..count).map(|n| 2 * n)), "{threads}");
                assert_eq!(left.len(), threads.max(1));
                assert_eq!(left.into_iter().sum::<u64>(), (0..count).sum::<u64>());
            }
        }
    }

    #[test]
    fn little_is_under_way_at_a_time() {
        for threads in 1..=4 {
            let not_taken = AtomicUsize::new(0);
            let take = |()| {
                not_taken.fetch_sub(1, Ordering::SeqCst);
                Ok(())
            };
            let give = |give: &mut dyn FnMut(()) -> Result<()>| {
                (0..500).try_for_each(|_| {
                    let most = not_taken.fetch_add(1, Ordering::SeqCst);
                    assert!(most <= under_way(threads), "{most} and {threads} threads");
                    give(())
                })
            };
            in_order(threads, || Ok, take, give).unwrap();
        }
    }

    /// Whoever fails, the error is handed on, and nothing is taken after it.
    #[test]
    fn the_first_error_ends_it() {
        let fails = |here: &str, part: &str, number: u64| {
            if here == part && number == 70 {
                return Err(Error::from(ErrorKind::Interrupted));
            }
            Ok(())
        };
        for threads in 1..=4 {
            for part in ["give", "work", "take"] {
                let mut taken = 0;
                let take = |number| {
                    assert_eq!(number, taken, "in order");
                    fails("take", part, number)?;
                    taken += 1;
                    Ok(())
                };
                let worker = || |number| fails("work", part, number).map(|()| number);
                let outcome = in_order(threads, worker, take, |give| {
                    (0..).try_for_each(|number| {
                        fails("give", part, number).and_then(|()| give(number))
                    })
                });
                assert!(matches!(outcome.unwrap_err().kind(), ErrorKind::Interrupted));
                assert!(taken <= 70, "{taken}");
            }
        }
    }

    #[test]
    fn a_panic_is_handed_on_and_nobody_waits() {
        for threads in 1..=4 {
            for part in ["give", "work", "take"] {
                let fails = |here: &str, number: u64| {
                    assert!(here != part || number != 70, "{here} fails");
                };
                let take = |number| {
                    fails("take", number);
                    Ok(())
                };
                let worker = || {
                    |number| {
                        fails("work", number);
                        Ok(number)
                    }
                };
                let work = || {
                    in_order(threads, worker, take, |give| {
                        (0..200).try_for_each(|number| {
                            fails("give", number);
                            give(number)
                        })
                    })
                };
                let panic = catch_unwind(AssertUnwindSafe(work)).unwrap_err();
                let said = panic.downcast_ref::<String>().unwrap();
                assert_eq!(*said, format!("{part} fails"));
            }
        }
    }
}
