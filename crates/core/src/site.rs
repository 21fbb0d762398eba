//! The site of a page: by Henzinger's rule, or by the public suffix list.
//!
//! Hosts are compared as they are written, in lower case: a name in Unicode and
//! the same name in Punycode are two.

use std::net::Ipv4Addr;

use xxhash_rust::xxh3::xxh3_64;

/// What a site is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SiteRule {
    /// Henzinger's: the host if it has at most one dot, else the host without its first label.
    #[default]
    Label,
    /// The registrable domain: a public suffix and the label before it. Suffixes that a company
    /// lends out, such as `github.io`, are suffixes as well; of a top-level domain that the list
    /// does not have, it is the last label.
    PublicSuffix,
}

impl SiteRule {
    /// The site of a URL, in lower case, without user, port and a final dot. `None` where there
    /// is no host.
    ///
    /// The scheme may be missing, as in `www.example.org/a` or `//www.example.org`: then what stands
    /// before the first slash is a host if it is an address in numbers, or if its end is in the
    /// list of public suffixes. So `page.html` is none.
    ///
    /// An address in numbers is a site, and so is a host that is a public suffix itself.
    ///
    /// ```
    /// use lookalike_core::SiteRule;
    /// let url = "https://www.shop.example.co.uk/a";
    /// assert_eq!(SiteRule::Label.site(url), Some("shop.example.co.uk".to_owned()));
    /// assert_eq!(SiteRule::PublicSuffix.site(url), Some("example.co.uk".to_owned()));
    /// ```
    pub fn site(self, url: &str) -> Option<String> {
        let host = host_of(url)?;
        // An address in numbers has no labels to leave out, and one of IPv6 is in brackets.
        if host.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.') || host.starts_with('[') {
            return Some(host);
        }
        let site = match self {
            Self::Label => host.split_once('.').map(|(_, site)| site).filter(|s| s.contains('.')),
            Self::PublicSuffix => lookalike_public_suffix::domain(&host),
        };
        match site {
            Some(site) => Some(site.to_owned()),
            None => Some(host),
        }
    }
}

/// The site of a URL by Henzinger's rule, [`SiteRule::Label`].
///
/// ```
/// use lookalike_core::site;
/// assert_eq!(site("https://www.example.org/a"), Some("example.org".to_owned()));
/// assert_eq!(site("http://example.org:8080"), Some("example.org".to_owned()));
/// assert_eq!(site("mailto:someone"), None);
/// ```
pub fn site(url: &str) -> Option<String> {
    SiteRule::Label.site(url)
}

/// What stands for a site where documents are told apart by sites; never 0.
pub fn site_hash(site: &str) -> u64 {
    xxh3_64(site.as_bytes()).max(1)
}

/// The host of a URL, in lower case, without user, port and a final dot: what
/// [`SiteRule::site`] makes a site of.
pub fn host_of(url: &str) -> Option<String> {
    let is_end = ['/', '?', '#', '\\'];
    if let Some((_, rest)) = url.split_once("://") {
        return host(rest.split(is_end).next()?);
    }
    if let Some(rest) = url.strip_prefix("//") {
        return host(rest.split(is_end).next()?);
    }
    let authority = url.split(is_end).next()?;
    // `mailto:someone@example.org` has a scheme of another kind; a port is digits.
    let port = authority.split_once(':').map_or("", |(_, port)| port);
    if authority.contains('@') || !port.bytes().all(|byte| byte.is_ascii_digit()) {
        return None;
    }
    host(authority).filter(|host| is_host(host))
}

/// Whether this is certainly a host, though nothing before it says so.
fn is_host(host: &str) -> bool {
    let is_label = |label: &str| {
        !label.is_empty() && label.chars().all(|letter| letter.is_alphanumeric() || letter == '-')
    };
    if !host.contains('.') || !host.split('.').all(is_label) {
        return false;
    }
    host.parse::<Ipv4Addr>().is_ok() || lookalike_public_suffix::is_known(host)
}

/// The host of what stands between the slashes of a URL, in lower case, without user, port and
/// a final dot.
pub fn host(authority: &str) -> Option<String> {
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
    use super::SiteRule;

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
            assert_eq!(SiteRule::Label.site(url).as_deref(), expected, "{url}");
        }
    }

    #[test]
    fn the_scheme_may_be_missing() {
        for (url, expected) in [
            ("www.example.org/a?b", Some("example.org")),
            ("EXAMPLE.com", Some("example.com")),
            ("example.com:8080/x", Some("example.com")),
            ("example.com?page=http:", Some("example.com")),
            ("//cdn.example.com/x", Some("example.com")),
            ("192.168.10.1/x", Some("192.168.10.1")),
            ("www.\u{e9}cole.fr/", Some("\u{e9}cole.fr")),
            // Names of files, of folders, of people, and of other things.
            ("page.html", None),
            ("images/photo.jpg", None),
            ("localhost/x", None),
            ("/a/example.com", None),
            ("mailto:someone@example.com", None),
            ("someone@example.com", None),
            ("urn:isbn:0451450523", None),
            ("doi:10.1000/182", None),
            ("1.2/3", None),
            ("see example.com", None),
            ("...", None),
            ("", None),
        ] {
            assert_eq!(SiteRule::Label.site(url).as_deref(), expected, "{url}");
        }
    }

    #[test]
    fn registrable_domains() {
        for (url, expected) in [
            ("http://a.b.example.co.uk/", Some("example.co.uk")),
            ("https://example.co.uk", Some("example.co.uk")),
            ("https://co.uk/", Some("co.uk")),
            ("HTTPS://User:pw@WWW.Example.ORG:443/?q", Some("example.org")),
            // Lent out by a company: each name is a site of its own.
            ("https://me.github.io/pages", Some("me.github.io")),
            ("https://www.me.github.io/pages", Some("me.github.io")),
            ("https://github.io/", Some("github.io")),
            // A rule with a star, and an exception from it.
            ("http://a.b.c.ck/", Some("b.c.ck")),
            ("http://a.www.ck/", Some("www.ck")),
            ("http://localhost:8000/", Some("localhost")),
            ("http://www.example.notatopleveldomain/", Some("example.notatopleveldomain")),
            ("http://192.168.10.1:8080/x", Some("192.168.10.1")),
            ("http://[2001:db8::1]:80/", Some("[2001:db8::1]")),
            ("http://www.example.org./", Some("example.org")),
            ("http://www.example.org.../", Some("example.org")),
            ("http://a..example.org/", Some("example.org")),
            ("http://.../", None),
            ("http://.com/", Some(".com")),
            // The list has both forms of a name.
            ("http://www.食狮.公司.cn/", Some("食狮.公司.cn")),
            ("http://www.xn--85x722f.xn--55qx5d.cn/", Some("xn--85x722f.xn--55qx5d.cn")),
            ("http://WWW.ÉCOLE.FR/", Some("école.fr")),
            ("http:///path", None),
            ("no url", None),
        ] {
            assert_eq!(SiteRule::PublicSuffix.site(url).as_deref(), expected, "{url}");
        }
    }
}
