//! Reading on one thread while another works on what was read before.

use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::{sync::mpsc, thread};

/// Takes the items on a thread of their own, and gives them to `work` on this one. Where `work`
/// ends before they do, no more are taken.
///
/// The next item is taken while those that wait and the one that is worked on have less than
/// `most` bytes in all: enough to even out their costs, and of very large ones there is one.
pub(crate) fn read_ahead<T: Send, R>(
    items: impl Iterator<Item = T> + Send,
    bytes: impl Fn(&T) -> usize + Send,
    most: usize,
    work: impl FnOnce(&mut dyn Iterator<Item = T>) -> R,
) -> R {
    let gate = Gate { held: Mutex::new(Some(0)), changed: Condvar::new(), most };
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        let gate = &gate;
        scope.spawn(move || {
            let mut items = items;
            while gate.wait()
                && let Some(item) = items.next()
            {
                let size = bytes(&item);
                gate.enter(size);
                if sender.send((size, item)).is_err() {
                    break;
                }
            }
        });
        let _open = OpenAtTheEnd(gate);
        let mut worked_on = 0;
        work(&mut std::iter::from_fn(|| {
            gate.leave(worked_on);
            let (size, item) = receiver.recv().ok()?;
            worked_on = size;
            Some(item)
        }))
    })
}

/// Lets the reading thread go on as long as there is room.
struct Gate {
    /// Bytes that wait or are worked on; `None` when nobody wants more.
    held: Mutex<Option<usize>>,
    changed: Condvar,
    most: usize,
}

impl Gate {
    fn lock(&self) -> MutexGuard<'_, Option<usize>> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits for room. `false` if nobody wants more.
    fn wait(&self) -> bool {
        let full = |held: &mut Option<usize>| held.is_some_and(|held| held >= self.most);
        let held = self.changed.wait_while(self.lock(), full);
        held.unwrap_or_else(PoisonError::into_inner).is_some()
    }

    fn enter(&self, bytes: usize) {
        if let Some(held) = &mut *self.lock() {
            *held += bytes;
        }
    }

    fn leave(&self, bytes: usize) {
        if let Some(held) = &mut *self.lock() {
            *held -= bytes;
        }
        self.changed.notify_one();
    }
}

/// A thread that waits must end too, even where the work panics.
struct OpenAtTheEnd<'a>(&'a Gate);

impl Drop for OpenAtTheEnd<'_> {
    fn drop(&mut self) {
        *self.0.lock() = None;
        self.0.changed.notify_one();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn items_come_in_order_and_stop_when_nobody_wants_more() {
        let all: Vec<u32> = read_ahead(0..1000, |_| 1, 4, |items| items.collect());
        assert!(all.into_iter().eq(0..1000));
        let some: Vec<u32> = read_ahead(0.., |_| 1, 4, |items| items.take(10).collect());
        assert!(some.into_iter().eq(0..10));
    }

    #[test]
    fn few_large_items_are_held_at_a_time() {
        /// Counts how many of them there are.
        struct Item<'a>(&'a AtomicUsize, usize);
        impl Drop for Item<'_> {
            fn drop(&mut self) {
                self.0.fetch_sub(self.1, Ordering::SeqCst);
            }
        }
        let held = AtomicUsize::new(0);
        for (size, most_held) in [(1, 4), (3, 6), (4, 4), (100, 100)] {
            let items = (0..200).map(|_| {
                held.fetch_add(size, Ordering::SeqCst);
                Item(&held, size)
            });
            read_ahead(
                items,
                |item| item.1,
                4,
                |items| {
                    items.for_each(|_| {
                        thread::yield_now();
                        assert!(held.load(Ordering::SeqCst) <= most_held);
                    });
                },
            );
            assert_eq!(held.load(Ordering::SeqCst), 0);
        }
    }
}
