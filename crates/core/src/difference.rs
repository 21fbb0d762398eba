//! Token-level difference of two documents.
