//! Documents that come one by one: is this new one a look-alike of one already known?
//!
//! An [`Index`] is in a folder, where what it acknowledged survives any crash, or in memory
//! ([`Index::in_memory`]). It answers as a job that keeps the first would have decided.

pub use lookalike_index::{
    AddIf, Addition, Answer, CheckedAddition, Cluster, Clusters, CollapsedList, Content,
    ContentKind, Counts, CreateOptions, Document, Documents, Found, Index, IndexAt, MAX_CLUSTER,
    MAX_CONTENT_BYTES, MAX_ID_BYTES, MAX_URL_BYTES, Match, MatchKind, Member, OpenOptions,
    RankedEntry, RebuildReport, Record, Secret, Seen, Standing, Stats, VerificationReport,
    open_shelf,
};
