//! The keys of a store in the order in which the same files in folders are walked.
//!
//! Stores list keys by their bytes, folders are walked by the names of each
//! level. The two differ where a name goes on with a character below the slash:
//! `a-b` and `a.txt` come before `a/c` as keys, but the folder `a` comes before
//! both. Documents have to come in the same order wherever they are, because the
//! first of its kind is the one that stays.
//!
//! So a page of the listing is sorted as folders are, and where it ends before
//! it is clear whether a folder such as `a` exists, that folder is listed first
//! and passed over when its keys come. That is a request more for each part of
//! the page's last key that ends in such a character, two or three in a thousand
//! keys, and never more than some pages in memory.

use std::collections::VecDeque;
use std::io;

use crate::object::StoreFault;

/// An object in a listing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    pub(super) key: String,
    pub(super) bytes: u64,
}

/// A part of a listing, by the bytes of keys.
#[derive(Debug)]
pub(super) struct Page {
    pub(super) entries: Vec<Entry>,
    /// What to ask for the next one by.
    pub(super) next: Option<String>,
}

/// Lists pages of the keys that begin with a prefix.
pub(super) trait Pages {
    fn page(&mut self, prefix: &str, next: Option<String>) -> io::Result<Page>;
}

/// All keys that begin with a prefix, in the order of folders.
#[derive(Debug)]
pub(super) struct InOrder<P> {
    pages: P,
    /// What is being listed, each within the one before.
    listings: Vec<Listing>,
}

#[derive(Debug)]
struct Listing {
    prefix: String,
    /// `None` for the first page.
    next: Option<String>,
    ended: bool,
    steps: VecDeque<Step>,
    /// The last key so far, by bytes.
    last: String,
    /// Folders that were listed before their turn, with the slash, and may still come.
    early: Vec<String>,
}

#[derive(Debug)]
enum Step {
    Take(Entry),
    /// List this folder, then go on.
    Enter(String),
}

impl Step {
    fn text(&self) -> &str {
        match self {
            Self::Take(entry) => &entry.key,
            Self::Enter(folder) => folder,
        }
    }
}

impl<P: Pages> InOrder<P> {
    pub(super) fn new(pages: P, prefix: String) -> Self {
        Self { pages, listings: vec![Listing::new(prefix)] }
    }
}

impl<P: Pages> Iterator for InOrder<P> {
    type Item = io::Result<Entry>;

    /// After an error there is nothing more.
    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let listing = self.listings.last_mut()?;
            match listing.steps.pop_front() {
                Some(Step::Take(entry)) => return Some(Ok(entry)),
                Some(Step::Enter(folder)) => self.listings.push(Listing::new(folder)),
                None if listing.ended => drop(self.listings.pop()),
                None => {
                    let page = self.pages.page(&listing.prefix, listing.next.take());
                    if let Err(error) = page.and_then(|page| listing.accept(page)) {
                        self.listings.clear();
                        return Some(Err(error));
                    }
                }
            }
        }
    }
}

impl Listing {
    fn new(prefix: String) -> Self {
        let (steps, early) = (VecDeque::new(), Vec::new());
        Self { prefix, next: None, ended: false, steps, last: String::new(), early }
    }

    fn accept(&mut self, page: Page) -> io::Result<()> {
        let mut entries = page.entries;
        // The marker of a folder, `a/`, reaches us as an empty object `a`: not in its place, and
        // perhaps outside the prefix.
        entries.retain(|entry| entry.key.starts_with(&self.prefix));
        if entries.iter().any(|entry| entry.bytes > 0 && entry.key < self.last) {
            let said = "the store lists its objects out of order\n\
                        hint: name each of them as an input of its own";
            return Err(io::Error::other(StoreFault(said.to_owned())));
        }
        self.ended = page.next.is_none();
        self.next = page.next;
        if let Some(last) = entries.iter().map(|entry| &entry.key).max() {
            self.last.clone_from(last);
        }
        let open = if self.ended { Vec::new() } else { self.open_folders(&entries) };
        self.early.extend(open.iter().cloned());
        entries.retain(|entry| !self.early.iter().any(|folder| entry.key.starts_with(folder)));
        let mut steps: Vec<Step> = entries.into_iter().map(Step::Take).collect();
        steps.extend(open.into_iter().map(Step::Enter));
        steps.sort_by(|a, b| by_folders(a.text(), b.text()));
        steps.dedup_by(|a, b| a.text() == b.text());
        self.steps = steps.into();
        let last = &self.last;
        self.early.retain(|folder| last < folder || last.starts_with(folder));
        Ok(())
    }

    /// The folders that come before keys of this page, and of which keys may be on later ones.
    /// All are on the way to the last key, for keys are listed in order.
    fn open_folders(&self, entries: &[Entry]) -> Vec<String> {
        let last = self.last.as_bytes();
        let mut open = Vec::new();
        for end in self.prefix.len().max(1)..last.len() {
            if last[end - 1] == b'/' || last[end] > b'/' {
                continue;
            }
            let name = &self.last[..end];
            let follows = |entry: &Entry| {
                let rest = entry.key.strip_prefix(name).and_then(|rest| rest.bytes().next());
                rest.is_some_and(|byte| byte < b'/')
            };
            if entries.iter().any(follows) {
                let folder = format!("{name}/");
                // What lies in a folder that is listed early is listed with it.
                if !self.early.iter().chain(&open).any(|early| folder.starts_with(early)) {
                    open.push(folder);
                }
            }
        }
        open
    }
}

/// As a walk of folders would have it: the slash before every other character.
fn by_folders(a: &str, b: &str) -> std::cmp::Ordering {
    let rank = |byte| if byte == b'/' { 0 } else { u16::from(byte) + 1 };
    a.bytes().map(rank).cmp(b.bytes().map(rank))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    /// A store in memory.
    struct Keys<'a> {
        all: &'a BTreeSet<String>,
        page: usize,
        requests: usize,
    }

    impl Pages for &mut Keys<'_> {
        fn page(&mut self, prefix: &str, next: Option<String>) -> io::Result<Page> {
            self.requests += 1;
            let after = next.unwrap_or_default();
            let mut keys =
                self.all.iter().filter(|key| key.starts_with(prefix) && **key > after).peekable();
            let entries: Vec<Entry> = keys
                .by_ref()
                .take(self.page)
                .map(|key| Entry { key: key.clone(), bytes: 1 })
                .collect();
            let more = keys.peek().is_some();
            Ok(Page { next: more.then(|| entries[entries.len() - 1].key.clone()), entries })
        }
    }

    /// The order of a walk: names of each level sorted, files and folders together.
    fn naive(keys: &BTreeSet<String>, prefix: &str) -> Vec<String> {
        let mut keys: Vec<&String> = keys.iter().filter(|key| key.starts_with(prefix)).collect();
        keys.sort_by_key(|key| key.split('/').collect::<Vec<_>>());
        keys.into_iter().cloned().collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn keys_come_as_folders_are_walked(
            keys in prop::collection::btree_set("[a-]{1,3}(/[a.\u{e9}-]{1,3}){0,3}", 0..40),
            prefix in prop::sample::select(vec!["", "a", "a/", "a-", "a/a"]),
            page in 1_usize..7,
        ) {
            let mut pages = Keys { all: &keys, page, requests: 0 };
            let found: io::Result<Vec<Entry>> =
                InOrder::new(&mut pages, prefix.to_owned()).collect();
            let found: Vec<String> = found.unwrap().into_iter().map(|entry| entry.key).collect();
            prop_assert_eq!(found, naive(&keys, prefix));
        }
    }

    #[test]
    fn few_requests_more_than_pages() {
        let keys: BTreeSet<String> =
            (0..50_000).map(|i| format!("crawl/part-{i:05}.jsonl.gz")).collect();
        let mut pages = Keys { all: &keys, page: 1000, requests: 0 };
        assert_eq!(InOrder::new(&mut pages, "crawl/".to_owned()).count(), 50_000);
        assert!(pages.requests <= 50 * 4, "{} requests", pages.requests);
    }

    #[test]
    fn a_store_without_an_order_is_refused() {
        struct Backwards;
        impl Pages for Backwards {
            fn page(&mut self, _: &str, next: Option<String>) -> io::Result<Page> {
                let key = if next.is_some() { "a" } else { "b" };
                let entries = vec![Entry { key: key.to_owned(), bytes: 1 }];
                Ok(Page { entries, next: next.is_none().then(|| "next".to_owned()) })
            }
        }
        let all: Vec<_> = InOrder::new(Backwards, String::new()).collect();
        assert!(all.len() == 2 && all[1].as_ref().unwrap_err().to_string().contains("order"));
    }
}
