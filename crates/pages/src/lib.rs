//! What people look at: the report of a job, an evaluation, pairs to judge, and
//! the curve of a filter.
//!
//! Pages are made of values that other crates give ([`report`], [`evaluation`],
//! [`judge`]): one file each, that needs nothing else. What comes from outside,
//! ids, texts and messages, is escaped, shortened where it is long, and kept from
//! turning the direction of writing. `FilterPlot` and the `figures` of an
//! evaluation are pictures by themselves, SVG or PNG, with the feature
//! `filter-plots`; [`comparison`] is a part of a notebook's page.

#[cfg(feature = "filter-plots")]
mod canvas;
mod chart;
mod comparison;
mod difference;
mod evaluation;
#[cfg(feature = "filter-plots")]
mod figures;
#[cfg(feature = "filter-plots")]
mod filter;
mod frame;
mod judge;
mod markup;
mod report;

#[cfg(feature = "filter-plots")]
pub use canvas::Error;
pub use comparison::{ComparisonView, comparison};
pub use evaluation::{CompareCommand, evaluation, evaluation_with_commands, sets};
#[cfg(feature = "filter-plots")]
pub use figures::{Figure, figures};
#[cfg(feature = "filter-plots")]
pub use filter::{FilterPlot, ListsPlot, Scale};
pub use judge::judge;
pub use report::report;
