//! The site of a page, by Henzinger's rule.

/// The site of a URL: the host if it has at most one dot, else the host without its first label.
///
/// In lower case, without user, port and a final dot. `None` where there is no host.
///
/// ```
/// use lookalike_core::site;
/// assert_eq!(site("https://www.example.org/a"), Some("example.org".to_owned()));
/// assert_eq!(site("http://example.org:8080"), Some("example.org".to_owned()));
/// assert_eq!(site("mailto:someone"), None);
/// ```
pub fn site(url: &str) -> Option<String> {
    let (_, rest) = url.split_once("://")?;
    let host = host(rest.split(['/', '?', '#', '\\']).next()?)?;
    let labels = host.matches('.').count();
    let numbers = host.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    match host.split_once('.') {
        // An address in numbers has no labels to leave out, and one of IPv6 is in brackets.
        Some((_, site)) if labels > 1 && !numbers && !host.starts_with('[') => {
            Some(site.to_owned())
        }
        _ => Some(host),
    }
}

/// The host of what stands between the slashes of a URL, in lower case, without user, port and
/// a final dot.
pub(crate) fn host(authority: &str) -> Option<String> {
    let host = authority.rsplit('@').next()?;
    // An IPv6 address has colons of its own.
    if host.starts_with('[') {
        let end = host.find(']')?;
        return Some(host[..=end].to_ascii_lowercase());
    }
    let host = host.split(':').next()?.trim_end_matches('.').to_lowercase();
    (!host.is_empty()).then_some(host)
}

#[cfg(test)]
mod tests {
    use super::site;

    #[test]
    fn rule_of_the_paper() {
        for (url, expected) in [
            ("http://cs.example.edu/a/b.html", Some("example.edu")),
            ("http://a.b.example.co.uk", Some("b.example.co.uk")),
            ("HTTPS://User:pw@WWW.Example.ORG:443/?q", Some("example.org")),
            ("http://localhost/", Some("localhost")),
            ("http://127.0.0.1/", Some("127.0.0.1")),
            ("http://[::1]:80/", Some("[::1]")),
            ("http://www.example.org./", Some("example.org")),
            ("http:///path", None),
            ("no url", None),
        ] {
            assert_eq!(site(url).as_deref(), expected, "{url}");
        }
    }
}
