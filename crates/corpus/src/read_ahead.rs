//! Reading on one thread while another works on what was read before.

use std::{sync::mpsc, thread};

/// How many items may wait: enough to even out their costs, few enough for memory.
const AHEAD: usize = 4;

/// Takes the items on a thread of their own, and gives them to `work` on this one. Where `work`
/// ends before they do, no more are taken.
pub(crate) fn read_ahead<T: Send, R>(
    items: impl Iterator<Item = T> + Send,
    work: impl FnOnce(&mut dyn Iterator<Item = T>) -> R,
) -> R {
    thread::scope(|scope| {
        let (sender, receiver) = mpsc::sync_channel(AHEAD);
        scope.spawn(move || {
            for item in items {
                if sender.send(item).is_err() {
                    break;
                }
            }
        });
        // The receiver is gone after this, so that a thread that waits to send ends too.
        work(&mut receiver.into_iter())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn items_come_in_order_and_stop_when_nobody_wants_more() {
        let all: Vec<u32> = read_ahead(0..1000, |items| items.collect());
        assert!(all.into_iter().eq(0..1000));
        let some: Vec<u32> = read_ahead(0.., |items| items.take(10).collect());
        assert!(some.into_iter().eq(0..10));
    }
}
