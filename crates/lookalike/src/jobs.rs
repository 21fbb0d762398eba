//! Jobs on a corpus, out of core, and what they leave behind.
//!
//! - [`Dedup`]: the corpus without near-duplicates, and without what repeats inside of documents, by a
//!   [`PassageRule`]. [`Decide`]: another decision from the same pairs.
//! - [`Against`]: which documents resemble or contain one of a list of references.
//! - [`Mirrors`]: hosts and folders that replicate each other.
//! - [`Run`]: a finished run, which says of each document why it went; [`run`] has what it answers.
//! - [`Report`]: what happened; [`report`] has its parts.
//! - [`SignatureWriter`], [`SignatureReader`] and [`SignatureLookup`]: files of signatures.
//!   [`TemplateFile`]: what is the frame of each site.
//!
//! What a job may use (memory, threads, a folder for working files) changes no result. An [`Observer`]
//! watches one, and may stop it; it can go on later.

pub use lookalike_core::{OpenShelf, Shelf, ShelfError, ShelvedContent, ShelvedDocument};
pub use lookalike_engine::matching::Clustering;
pub use lookalike_engine::mirrors::{Mirror, MirrorFindings, MirrorKind, Mirrors};
pub use lookalike_engine::report::Report;
pub use lookalike_engine::signature_file::{
    BlockIds, SignatureLookup, SignatureReader, SignatureWriter, WriteSummary, is_signature_file,
};
pub use lookalike_engine::{
    Against, CutUnit, Decide, Dedup, Existing, Findings, InputOrder, KeepPolicy, Match, MatchFile,
    NoObserver, Number, Observer, PairScope, Passage, PassageRule, PassageScope, Plan,
    RemovalBudget, Repeats, Row, Run, Running, Stage, TemplateFile, TemplateFileInfo, Unreadable,
    Work, Written,
};

/// The report of a job, and its parts.
pub mod report {
    pub use lookalike_engine::report::{
        Cluster, Clustering, Counts, CutShare, Difference, Fault, FilterSummary, Histogram, Kind,
        Known, KnownKind, KnownSide, LimitedGroups, Lost, Member, NearMiss, Options, OtherSources,
        Page, Passage, PassageExample, Passages, Piece, RecipeSummary, Repeated, Report, Seconds,
        Site, Sites, Source, Templates, Tokens, Trap, Verify, class_end,
    };
}

/// What a finished run answers: why a document went, what its cluster is, what differs, what was cut.
pub mod run {
    pub use lookalike_engine::run::{
        Agreement, ClusterFilter, ClusterKind, ClusterMember, ClusterOrder, ClusterPage,
        ClusterSummary, Clusters, ClustersOfId, Cut, DocumentCuts, DocumentsById, Explanation,
        Fate, MAX_SAME_ID, MarkLimits, MarkedDocument, MarkedPiece, Member, PairVerdict,
        PassageFilter, PassageOrder, PassagePage, PassageSummary, Passages, PassagesOfId, Removal,
        Run, RunComparison, RunDocument, SHOWN_CUTS, SHOWN_MEMBERS, Scores, Step, Verdict,
        VerdictCounts, Verdicts, marked_cuts,
    };
}
