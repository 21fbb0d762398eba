//! The search against a naive twin that follows the definition, and cases made by hand.

use std::collections::{BTreeMap, BTreeSet};

use lookalike_files::WorkFolder;
use proptest::prelude::*;

use super::*;
use crate::observe::NoObserver;
use crate::urls::{UrlList, UrlsWriter};

fn find(
    urls: &[Option<String>],
    pairs: &[(u64, u64)],
    min_pages: u64,
    min_share: f64,
) -> MirrorList {
    let folder = WorkFolder::create(None).unwrap();
    let path = folder.join("urls");
    let mut list = UrlList::default();
    for url in urls {
        list.push(url.as_deref());
    }
    let mut writer = UrlsWriter::create(&path).unwrap();
    writer.push(&list).unwrap();
    writer.finish().unwrap();
    let Some(mut urls) = Urls::open(&path).unwrap() else { return MirrorList::default() };
    let (limit, observer) = (usize::MAX, &NoObserver);
    let search = Search { min_pages, min_share, limit, folder: &folder, budget: 1 << 20, observer };
    search
        .run(&mut urls, |each| {
            pairs.iter().try_for_each(|&(a, b)| each(Row::nth(a), Row::nth(b), Some(0.9)))
        })
        .unwrap()
}

/// Names of both roots, pages of both, pages that match.
type RootPairs = BTreeMap<(String, String), (u64, u64, u64)>;

fn listed(found: &MirrorList) -> RootPairs {
    let mirrors = found.mirrors.iter();
    mirrors.map(|m| ((m.a.clone(), m.b.clone()), (m.pages_a, m.pages_b, m.matched))).collect()
}

/// The definition, word for word, on addresses.
fn naive(addresses: &[String], pairs: &[(u64, u64)], min_pages: u64, min_share: f64) -> RootPairs {
    let roots: BTreeSet<&str> = addresses
        .iter()
        .filter_map(|page| page.split('?').next())
        .flat_map(|path| path.match_indices('/').map(|(at, _)| &path[..=at]))
        .collect();
    let alike: BTreeSet<(&str, &str)> = pairs
        .iter()
        .map(|&(x, y)| (&*addresses[x as usize], &*addresses[y as usize]))
        .flat_map(|(x, y)| [(x, y), (y, x)])
        .collect();
    let pages: BTreeSet<&str> = addresses.iter().map(String::as_str).collect();
    let mut all = RootPairs::new();
    for &a in &roots {
        for &b in roots.iter().filter(|&&b| a < b) {
            let under_a =
                |page: &str| page.starts_with(a) && !(b.starts_with(a) && page.starts_with(b));
            let pages_a = pages.iter().filter(|page| under_a(page)).count() as u64;
            let pages_b = pages.iter().filter(|page| page.starts_with(b)).count() as u64;
            let rests: BTreeSet<&str> = alike
                .iter()
                .filter(|(x, y)| under_a(x) && y.starts_with(b) && x[a.len()..] == y[b.len()..])
                .map(|(x, _)| &x[a.len()..])
                .collect();
            let matched = rests.len() as u64;
            let enough = |pages: u64| matched as f64 / pages.max(1) as f64 >= min_share;
            if matched >= min_pages && enough(pages_a) && enough(pages_b) {
                all.insert((a.to_owned(), b.to_owned()), (pages_a, pages_b, matched));
            }
        }
    }
    let above = |root: &str| -> Option<(String, String)> {
        let folders = root.strip_suffix('/')?;
        let (above, last) = folders.rsplit_once('/')?;
        Some((format!("{above}/"), last.to_owned()))
    };
    let follows = |a: &str, b: &str| {
        let (mut a, mut b) = (a.to_owned(), b.to_owned());
        loop {
            let (Some((x, last_a)), Some((y, last_b))) = (above(&a), above(&b)) else {
                return false;
            };
            if last_a != last_b {
                return false;
            }
            (a, b) = if x < y { (x, y) } else { (y, x) };
            if all.contains_key(&(a.clone(), b.clone())) {
                return true;
            }
        }
    };
    all.iter().filter(|((a, b), _)| !follows(a, b)).map(|(k, v)| (k.clone(), *v)).collect()
}

/// An address of few hosts, folders and files, and one of the URLs that have it.
fn page() -> impl Strategy<Value = (String, String)> {
    let folder = prop::sample::select(vec!["m", "n", "docs"]);
    let path = prop::collection::vec(folder, 0..4);
    let host = prop::sample::select(vec!["a.org", "www.a.org", "b.org"]);
    let file = prop::sample::select(vec!["", "x", "y", "z?q=/m/x"]);
    (host, path, file, 0..3_u8).prop_map(|(host, path, file, form)| {
        let folders: String = path.into_iter().flat_map(|folder| [folder, "/"]).collect();
        let address = format!("{host}/{folders}{file}");
        let url = match form {
            0 => format!("http://{address}"),
            1 => format!("https://{host}:443/{folders}{file}#top"),
            _ if file.is_empty() => format!("http://{address}index.html"),
            _ => format!("HTTP://{}/{folders}{file}", host.to_uppercase()),
        };
        (address, url)
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 400, ..ProptestConfig::default() })]

    #[test]
    fn the_search_is_the_definition(
        pages in prop::collection::vec(page(), 2..40),
        random in prop::collection::vec((any::<u16>(), any::<u16>()), 0..60),
        all_alike in any::<bool>(),
        min_pages in 1..4_u64,
        min_share in prop::sample::select(vec![0.1, 0.5, 0.75, 1.0]),
    ) {
        let count = pages.len() as u64;
        let mut pairs: Vec<(u64, u64)> = random
            .iter()
            .map(|&(a, b)| (u64::from(a) % count, u64::from(b) % count))
            .filter(|(a, b)| a != b)
            .collect();
        if all_alike {
            // All that have a file name in common: mirrors of everything.
            pairs.extend((0..count).flat_map(|a| (0..a).map(move |b| (a, b))));
        }
        let (addresses, urls): (Vec<String>, Vec<String>) = pages.into_iter().unzip();
        let urls: Vec<Option<String>> = urls.into_iter().map(Some).collect();
        let found = find(&urls, &pairs, min_pages, min_share);
        let expected = naive(&addresses, &pairs, min_pages, min_share);
        prop_assert_eq!(listed(&found), expected);
        prop_assert_eq!(found.count, found.mirrors.len() as u64);
        // The largest come first, and nothing depends on how pairs come.
        prop_assert!(found.mirrors.is_sorted_by(|a, b| a.matched >= b.matched));
        let turned: Vec<(u64, u64)> =
            pairs.iter().rev().chain(&pairs).map(|&(a, b)| (b, a)).collect();
        prop_assert_eq!(find(&urls, &turned, min_pages, min_share), found);
    }
}

fn urls(pages: &[&str]) -> Vec<Option<String>> {
    pages.iter().map(|page| Some(format!("http://{page}"))).collect()
}

#[test]
fn two_ways_to_a_home_page() {
    let pages = urls(&[
        "cs.umd.edu/~pugh/",
        "cs.umd.edu/~pugh/java/memory.html",
        "cs.umd.edu/~pugh/papers/dups.html",
        "cs.umd.edu/users/pugh/index.html",
        "cs.umd.edu/users/pugh/java/memory.html",
        "cs.umd.edu/users/pugh/papers/dups.html",
        "cs.umd.edu/users/other/",
    ]);
    let found = find(&pages, &[(0, 3), (1, 4), (2, 5)], 3, 0.5);
    let [mirror] = &found.mirrors[..] else { panic!("{found:?}") };
    assert_eq!((&*mirror.a, &*mirror.b), ("cs.umd.edu/users/pugh/", "cs.umd.edu/~pugh/"));
    assert_eq!((mirror.kind, mirror.matched, mirror.share_a), (MirrorKind::Prefix, 3, 1.0));
    let first = ("http://cs.umd.edu/users/pugh/index.html", "http://cs.umd.edu/~pugh/");
    assert_eq!(mirror.examples[0], (first.0.to_owned(), first.1.to_owned(), Some(0.9)));
    assert_eq!(mirror.examples.len(), 3);
}

/// A folder below the root that it replicates: its own pages are not the root's.
#[test]
fn a_copy_of_a_site_within_it() {
    let pages =
        urls(&["a.org/", "a.org/x", "a.org/d/y", "a.org/old/", "a.org/old/x", "a.org/old/d/y"]);
    let found = find(&pages, &[(0, 3), (1, 4), (2, 5)], 3, 1.0);
    let expected = (("a.org/".to_owned(), "a.org/old/".to_owned()), (3, 3, 3));
    assert_eq!(listed(&found), [expected].into());
}

/// The highest share counts the pages of the highest root: what is only half a mirror as a whole
/// may be one in a folder.
#[test]
fn a_folder_of_hosts_that_are_no_mirrors() {
    let mut pages: Vec<String> = Vec::new();
    for host in ["a.org", "b.org"] {
        pages.extend((0..4).map(|n| format!("{host}/docs/{n}")));
        pages.extend((0..9).map(|n| format!("{host}/own/{n}")));
    }
    let pages = urls(&pages.iter().map(String::as_str).collect::<Vec<_>>());
    let pairs: Vec<(u64, u64)> = (0..4).map(|n| (n, n + 13)).collect();
    let found = find(&pages, &pairs, 3, 0.5);
    let expected = (("a.org/docs/".to_owned(), "b.org/docs/".to_owned()), (4, 4, 4));
    assert_eq!(listed(&found), [expected].into());
    let all = find(&pages, &pairs, 3, 0.3);
    let expected = (("a.org/".to_owned(), "b.org/".to_owned()), (13, 13, 4));
    assert_eq!(listed(&all), [expected].into());
    assert_eq!(all.mirrors[0].kind, MirrorKind::Host);
    assert_eq!(find(&pages, &pairs, 5, 0.3), MirrorList::default());
}

#[test]
fn pages_without_addresses_take_no_part() {
    let pages = [None, Some("no url".to_owned()), Some("http://a/x".to_owned())];
    assert_eq!(find(&pages, &[(0, 1), (1, 2), (2, 0)], 1, 0.1), MirrorList::default());
}

/// Many pairs of roots: none is lost between the runs on disk.
#[test]
fn more_than_fits_into_memory() {
    let (hosts, pages) = (60_u64, 40);
    let all: Vec<Option<String>> = (0..hosts)
        .flat_map(|host| (0..pages).map(move |page| Some(format!("http://h{host}.org/f/{page}"))))
        .collect();
    let pairs: Vec<(u64, u64)> = (0..pages)
        .flat_map(|page| {
            (0..hosts).flat_map(move |a| (0..a).map(move |b| (a * pages + page, b * pages + page)))
        })
        .collect();
    let found = find(&all, &pairs, 3, 1.0);
    assert_eq!(found.count, hosts * (hosts - 1) / 2);
    assert!(found.mirrors.iter().all(|mirror| mirror.matched == pages));
}
