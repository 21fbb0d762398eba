//! The filter: when does a shared feature make a candidate?
