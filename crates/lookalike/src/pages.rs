//! What people look at: one HTML file each, that needs nothing else.
//!
//! A [job](crate::dedup) of this crate writes its report by itself. With the feature `filter-plots` curves
//! of filters and figures of evaluations are pictures too, SVG and PNG.

pub use lookalike_pages::{ComparisonView, comparison, evaluation, judge, report};
#[cfg(feature = "filter-plots")]
pub use lookalike_pages::{Figure, FilterPlot, ListsPlot, Scale, figures};
