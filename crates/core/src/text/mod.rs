//! From documents to canonical tokens.
