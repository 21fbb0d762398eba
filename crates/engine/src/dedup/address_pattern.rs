//! What addresses have in common, for people: `shop.example/calendar/*?day=*&[sid=*]`.
//!
//! What differs is a star. Parts of a path that begin or end alike keep that; names of a query that not all addresses have
//! stand in brackets; paths of different lengths end in dots.

use std::collections::BTreeMap;

/// Names of a query, and parts of a path, that are shown.
const SHOWN: usize = 12;

/// The pattern of addresses, of which there is one at least.
pub(super) fn pattern(addresses: &[String]) -> String {
    let parts: Vec<Parts<'_>> = addresses.iter().map(|address| Parts::of(address)).collect();
    let hosts: Vec<&str> = parts.iter().map(|parts| parts.host).collect();
    let paths: Vec<Vec<&str>> = parts.iter().map(|parts| parts.path.split('/').collect()).collect();
    let queries: Vec<&str> = parts.iter().filter_map(|parts| parts.query).collect();
    format!("{}{}{}", in_common(&hosts), path(&paths), query(&queries, addresses.len()))
}

/// An address without its scheme and its fragment.
struct Parts<'a> {
    host: &'a str,
    /// With the stroke that it begins with.
    path: &'a str,
    query: Option<&'a str>,
}

impl<'a> Parts<'a> {
    fn of(address: &'a str) -> Self {
        let address = address.split_once("://").map_or(address, |(_, rest)| rest);
        let address = address.split_once('#').map_or(address, |(address, _)| address);
        let (address, query) = match address.split_once('?') {
            Some((address, query)) => (address, Some(query)),
            None => (address, None),
        };
        let (host, path) = address.split_at(address.find('/').unwrap_or(address.len()));
        Self { host, path, query }
    }
}

/// What texts begin and end with, and a star between if they are not the same.
fn in_common(texts: &[&str]) -> String {
    let first = texts[0];
    if texts.iter().all(|text| *text == first) {
        return first.to_owned();
    }
    let same = |a: &str, b: &str| a.chars().zip(b.chars()).take_while(|(a, b)| a == b).count();
    let backwards = |text: &str| text.chars().rev().collect::<String>();
    let begin = texts.iter().map(|text| same(text, first)).min().unwrap_or(0);
    let shortest = texts.iter().map(|text| text.chars().count()).min().unwrap_or(0);
    let last = backwards(first);
    let end = texts.iter().map(|text| same(&backwards(text), &last)).min().unwrap_or(0);
    // The two do not overlap in any of them, and digits in common say nothing.
    let end = end.min(shortest - begin);
    let begin: String = first.chars().take(begin).collect();
    let end: String = backwards(&last.chars().take(end).collect::<String>());
    let is_digit = |c: char| c.is_ascii_digit();
    format!("{}*{}", begin.trim_end_matches(is_digit), end.trim_start_matches(is_digit))
}

fn path(paths: &[Vec<&str>]) -> String {
    let length = paths[0].len();
    let shown = if paths.iter().all(|path| path.len() == length) && length <= SHOWN {
        (0..length)
            .map(|at| in_common(&paths.iter().map(|path| path[at]).collect::<Vec<_>>()))
            .collect()
    } else {
        let same = |at: &usize| paths.iter().all(|path| path.get(*at) == paths[0].get(*at));
        let same = (0..length.min(SHOWN)).take_while(same);
        let mut shown: Vec<String> = same.map(|at| paths[0][at].to_owned()).collect();
        shown.push("...".to_owned());
        // A path begins with a stroke, before which there is nothing.
        if shown.len() == 1 {
            shown.insert(0, String::new());
        }
        shown
    };
    shown.join("/")
}

/// The names of queries, out of so many addresses.
fn query(queries: &[&str], addresses: usize) -> String {
    let mut names: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    for query in queries {
        let mut own: BTreeMap<&str, &str> = BTreeMap::new();
        for field in query.split('&').filter(|field| !field.is_empty()) {
            let (name, value) = field.split_once('=').unwrap_or((field, ""));
            own.entry(name).or_insert(value);
        }
        for (name, value) in own {
            names.entry(name).or_default().push(value);
        }
    }
    // Those that most addresses have come first.
    let mut names: Vec<(&str, Vec<&str>)> = names.into_iter().collect();
    names.sort_by_key(|(_, values)| std::cmp::Reverse(values.len()));
    let more = names.len() > SHOWN;
    let mut shown: Vec<String> = Vec::new();
    for (name, values) in names.into_iter().take(SHOWN) {
        let field = format!("{name}={}", in_common(&values));
        shown.push(if values.len() == addresses { field } else { format!("[{field}]") });
    }
    if more {
        shown.push("...".to_owned());
    }
    if shown.is_empty() { String::new() } else { format!("?{}", shown.join("&")) }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn of(addresses: &[&str]) -> String {
        pattern(&addresses.iter().map(|&address| address.to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn what_differs_is_a_star() {
        for (addresses, expected) in [
            (&["https://a.example/x"][..], "a.example/x"),
            (&["http://a.example", "https://a.example"], "a.example"),
            (&["http://a.example/cal/1/2", "http://a.example/cal/1/3"], "a.example/cal/1/*"),
            (
                &["http://a.example/page-12.html", "http://a.example/page-13.html"],
                "a.example/page-*.html",
            ),
            (&["http://m.a.example/x", "http://www.a.example/x"], "*.a.example/x"),
            (&["http://a.example/x/1", "http://a.example/x/1/2"], "a.example/x/1/..."),
            (&["http://a.example/x", "http://a.example"], "a.example/..."),
            (
                &["http://a.example/x?day=1&v=2", "http://a.example/x?v=2&day=7&sid=ff#top"],
                "a.example/x?day=*&v=2&[sid=ff]",
            ),
            (&["http://a.example/x?1", "http://a.example/x?2"], "a.example/x?[1=]&[2=]"),
        ] {
            assert_eq!(of(addresses), expected);
        }
    }

    proptest! {
        /// Anything may be an address, and what all have is in the pattern.
        #[test]
        fn any_text_has_a_pattern(mut addresses in prop::collection::vec("[a-c/?&=#.é]{0,12}|\\PC{0,6}", 1..6)) {
            let one = pattern(&addresses[..1]);
            prop_assert!(!one.contains('*') || addresses[0].contains('*'), "{one}");
            let found = pattern(&addresses);
            addresses.reverse();
            prop_assert_eq!(pattern(&addresses), found, "whatever the order");
        }
    }
}
