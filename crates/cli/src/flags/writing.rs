//! What a job writes of the documents.

use clap::Args;
use lookalike_core::Given as _;
use lookalike_engine::{Decide, Dedup, Repeats, Written};

use super::value::one_of;

/// Which documents, and what is added to them.
#[derive(Args)]
pub(crate) struct Writing {
    /// The documents to write again: kept (to kept/), removed (to removed/), all (to all/, with
    /// --annotate) or none [default: kept]
    #[arg(long, value_name = "WHICH", hide_possible_values = true, help_heading = "Writing")]
    #[arg(value_parser = one_of(Written::ALL.map(|written| (written.name(), written))))]
    write: Option<Written>,
    /// Decide and report, but write no documents; as --write none
    #[arg(long, help_heading = "Writing", conflicts_with = "write")]
    no_write: bool,
    /// Add to each record that is written what was decided of it: `lookalike` with cluster, copies,
    /// keeper, kind, resemblance and kept; with passages, these instead of cutting them
    #[arg(long, help_heading = "Writing")]
    annotate: bool,
    /// Call what is added NAME instead of `lookalike`
    #[arg(long, value_name = "NAME", help_heading = "Writing")]
    annotate_as: Option<String>,
}

/// How often each document.
#[derive(Args)]
pub(crate) struct Repeating {
    /// Write each document as often as its copies say: 1:1,2:2,10:3 is once, from two copies on
    /// twice, from ten on three times
    #[arg(long, value_name = "COPIES:TIMES,...", help_heading = "Writing")]
    repeat: Option<Repeats>,
    /// Write each once, and add how often it counts: `lookalike` with weight
    #[arg(long, help_heading = "Writing", requires = "repeat")]
    weight: bool,
    /// Leave a `revisit` record in web archives for each page that goes, which names its keeper
    #[arg(long, help_heading = "Writing")]
    write_revisits: bool,
}

impl Writing {
    /// Which documents are written.
    pub(crate) fn written(&self) -> Written {
        if self.no_write { Written::Nothing } else { self.write.unwrap_or_default() }
    }

    pub(crate) fn of_dedup(&self, job: Dedup) -> Dedup {
        job.write(self.written())
            .when(self.annotate, Dedup::annotate)
            .given(self.annotate_as.clone(), Dedup::annotate_as)
    }

    pub(crate) fn of_decide(&self, job: Decide) -> Decide {
        job.write(self.written())
            .when(self.annotate, Decide::annotate)
            .given(self.annotate_as.clone(), Decide::annotate_as)
    }
}

impl Repeating {
    pub(crate) fn of_dedup(&self, job: Dedup) -> Dedup {
        job.given(self.repeat.clone(), Dedup::repeat)
            .when(self.weight, Dedup::weigh)
            .when(self.write_revisits, Dedup::write_revisits)
    }

    pub(crate) fn of_decide(&self, job: Decide) -> Decide {
        job.given(self.repeat.clone(), Decide::repeat)
            .when(self.weight, Decide::weigh)
            .when(self.write_revisits, Decide::write_revisits)
    }
}
