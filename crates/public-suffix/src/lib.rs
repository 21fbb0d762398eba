//! The public suffix list, compiled once.
//!
//! The list is code that is generic over how labels are read, two megabytes of it, which would be
//! compiled again in whatever calls it: two minutes of every build and every test of
//! `lookalike-core`. Behind plain functions it is compiled here and nowhere else.

/// The registrable domain of a host: its public suffix and one label more.
///
/// ```
/// assert_eq!(lookalike_public_suffix::domain("www.shop.example.co.uk"), Some("example.co.uk"));
/// assert_eq!(lookalike_public_suffix::domain("co.uk"), None);
/// ```
#[inline(never)]
pub fn domain(host: &str) -> Option<&str> {
    psl::domain_str(host)
}

/// Whether a host ends in a suffix that is in the list.
///
/// ```
/// assert!(lookalike_public_suffix::is_known("www.example.org"));
/// assert!(!lookalike_public_suffix::is_known("page.example"));
/// ```
#[inline(never)]
pub fn is_known(host: &str) -> bool {
    psl::suffix(host.as_bytes()).is_some_and(|suffix| suffix.is_known())
}
