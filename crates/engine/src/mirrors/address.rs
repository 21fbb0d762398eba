//! The address of a page, as roots and rests are cut from it.

use lookalike_core::host;

/// The most folders of a root. Deeper than any site is replicated; a bound keeps the work on a
/// page bounded.
pub(super) const MAX_FOLDERS: usize = 32;

/// File names that stand for their folder, where no query follows.
const INDEX: [&str; 2] = ["index.html", "index.htm"];

/// A page's address without its scheme: `example.org/docs/x.html?page=2`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Address {
    text: String,
    /// Where the host and each folder ends, after its slash: at each a root may end.
    ends: Vec<usize>,
}

impl Address {
    /// The address of a URL; `None` if it has no host.
    pub(super) fn parse(url: &str) -> Option<Self> {
        let (scheme, rest) = url.trim().split_once("://")?;
        let rest = rest.split('#').next()?;
        let (authority, path) = rest.split_at(rest.find(['/', '\\', '?']).unwrap_or(rest.len()));
        let mut text = host(authority)?;
        if let Some(port) = port(authority).filter(|port| !is_default(scheme, port)) {
            text.push(':');
            text.push_str(port);
        }
        text.push('/');
        let mut ends = vec![text.len()];
        let (path, query) = path.split_at(path.find('?').unwrap_or(path.len()));
        for c in path.chars().skip(1) {
            // Browsers take the one for the other.
            if matches!(c, '/' | '\\') {
                text.push('/');
                ends.push(text.len());
            } else {
                text.push(c);
            }
        }
        let file = ends.last().copied().unwrap_or_default();
        if query.is_empty() && INDEX.contains(&&text[file..]) {
            text.truncate(file);
        }
        text.push_str(query);
        Some(Self { text, ends })
    }

    /// All of it.
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The root with so many folders.
    pub(super) fn root(&self, folders: usize) -> Option<&str> {
        self.ends.get(folders).map(|&end| &self.text[..end])
    }

    /// All roots that the page is under, the host first.
    pub(super) fn roots(&self) -> impl Iterator<Item = &str> {
        self.ends.iter().take(MAX_FOLDERS + 1).map(|&end| &self.text[..end])
    }

    /// What pages that can be at the same rest of a path have in common: the name of the file;
    /// of a folder's own page none, and that of the folder.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        let last = self.ends.len() - 1;
        let file = self.part(last);
        let folder = last.checked_sub(1).filter(|_| file.is_empty()).map(|at| self.part(at));
        std::iter::once(file).chain(folder)
    }

    /// The numbers of folders of the roots under which two pages are at the same rest of the
    /// path: the longest rest last. None for two pages of one address.
    pub(super) fn common_rests<'a>(
        &'a self,
        other: &'a Self,
    ) -> impl Iterator<Item = [usize; 2]> + 'a {
        let (n, m) = (self.ends.len(), other.ends.len());
        let most = if self.text == other.text { 0 } else { n.min(m) };
        (1..=most)
            .map(move |length| [n - length, m - length])
            .take_while(|&[a, b]| self.part(a) == other.part(b))
            .filter(|folders| folders.iter().all(|&folders| folders <= MAX_FOLDERS))
    }

    /// The rest of the path below the root with so many folders.
    pub(super) fn rest(&self, folders: usize) -> &str {
        self.ends.get(folders).map_or("", |&end| &self.text[end..])
    }

    /// A folder with its slash, or the file with its query.
    fn part(&self, number: usize) -> &str {
        let to = self.ends.get(number + 1).copied().unwrap_or(self.text.len());
        self.ends.get(number).map_or("", |&from| &self.text[from..to])
    }
}

/// The port that an address names.
fn port(authority: &str) -> Option<&str> {
    let (_, after) = authority.rsplit_once([':', ']', '@'])?;
    let named = authority.as_bytes()[authority.len() - after.len() - 1] == b':';
    (named && !after.is_empty() && after.bytes().all(|b| b.is_ascii_digit())).then_some(after)
}

fn is_default(scheme: &str, port: &str) -> bool {
    let defaults = [("http", "80"), ("https", "443")];
    defaults.iter().any(|&(name, usual)| scheme.eq_ignore_ascii_case(name) && port == usual)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn address(url: &str) -> Address {
        Address::parse(url).unwrap()
    }

    #[test]
    fn urls_of_one_page_have_one_address() {
        for (url, expected) in [
            ("http://Example.ORG", "example.org/"),
            ("https://me:pw@example.org:443/a/B.html#top", "example.org/a/B.html"),
            ("http://example.org:80/index.html", "example.org/"),
            ("http://example.org:8080/a/index.htm?", "example.org:8080/a/index.htm?"),
            ("http://example.org:443/", "example.org:443/"),
            ("http://example.org./a/index.htm", "example.org/a/"),
            ("http://example.org/a/index.html?x=/y/z", "example.org/a/index.html?x=/y/z"),
            ("http://example.org?q=a/b", "example.org/?q=a/b"),
            ("http://[::1]:8080/x", "[::1]:8080/x"),
            ("http://[::1]/x", "[::1]/x"),
            ("http://example.org\\a\\b", "example.org/a/b"),
            (" http://example.org//a/ ", "example.org//a/"),
            ("http://example.org/index.html/x", "example.org/index.html/x"),
        ] {
            assert_eq!(address(url).text(), expected, "{url}");
        }
        for url in ["", "no url", "http:///a", "mailto:a@b", "http://:80/"] {
            assert_eq!(Address::parse(url), None, "{url}");
        }
    }

    #[test]
    fn roots_names_and_rests() {
        let page = address("http://a.org/docs/v1/x.html?q=/z/");
        let roots: Vec<&str> = page.roots().collect();
        assert_eq!(roots, ["a.org/", "a.org/docs/", "a.org/docs/v1/"]);
        assert_eq!(page.names().collect::<Vec<_>>(), ["x.html?q=/z/"]);
        assert_eq!((page.root(1), page.rest(1)), (Some("a.org/docs/"), "v1/x.html?q=/z/"));
        assert_eq!(page.root(3), None);
        let folder = address("http://a.org/docs/");
        assert_eq!(folder.names().collect::<Vec<_>>(), ["", "docs/"]);
        assert_eq!(address("http://a.org").names().collect::<Vec<_>>(), [""]);

        let rests = |a: &str, b: &str| -> Vec<[usize; 2]> {
            address(a).common_rests(&address(b)).collect()
        };
        assert_eq!(rests("http://a/docs/x", "http://b/docs/x"), [[1, 1], [0, 0]]);
        assert_eq!(rests("http://a/~p/x/y", "http://a/users/p/x/y"), [[2, 3], [1, 2]]);
        assert_eq!(rests("http://a/x", "http://b/y"), Vec::<[usize; 2]>::new());
        assert_eq!(rests("http://a/x", "https://a/x"), Vec::<[usize; 2]>::new(), "one address");
        assert_eq!(rests("http://a/", "http://b/docs/"), [[0, 1]]);
        // A folder is no file, and a query has no folders.
        assert_eq!(rests("http://a/docs", "http://b/docs/"), Vec::<[usize; 2]>::new());
        assert_eq!(rests("http://a/x?q=/z", "http://b/x?q=/z"), [[0, 0]]);
    }

    #[test]
    fn very_deep_pages_have_a_bounded_number_of_roots() {
        let page = address(&format!("http://a.org/{}x", "f/".repeat(4000)));
        let other = address(&format!("http://b.org/{}x", "f/".repeat(4000)));
        assert_eq!(page.roots().count(), MAX_FOLDERS + 1);
        assert_eq!(page.common_rests(&other).count(), MAX_FOLDERS + 1);
    }
}
