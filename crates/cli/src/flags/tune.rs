//! `lookalike tune`.

use std::path::PathBuf;

use clap::{Args, ValueEnum, ValueHint};
use lookalike::core::filter::{Filter, Search};
use lookalike::pages::Scale;

use super::documents::{Documents, RawDocuments};
use super::value::{Mistake, at_least, mistake, positive_share, proper_share};

/// Choose or examine a filter: which pairs become candidates
#[derive(Args)]
#[command(override_usage = "\
lookalike tune [OPTIONS] --threshold <T> [--recall <R>]
       lookalike tune [OPTIONS] --k <K> --s <S> --r <R>")]
#[command(after_long_help = "\
A filter [k, s, r] keeps k features of a document, each made of s minvalues; two documents that
share r features become a candidate, and candidates are then verified. Either say what you want
(--threshold and --recall) and get a filter for it, or give --k, --s and --r and see what they do.

Examples:
  lookalike tune --threshold 0.8 --recall 0.95
  lookalike tune --threshold 0.9 --recall 0.99 --bytes 64 --plot filter.svg
  lookalike tune --k 6 --s 14 --r 2 --json
  lookalike tune --threshold 0.8 --recall 0.95 --sample letters/ --plot measured.png")]
pub(crate) struct RawTune {
    /// The least resemblance of the pairs that you want, above 0 and at most 1
    #[arg(long, value_name = "T", value_parser = positive_share, help_heading = "What is wanted")]
    #[arg(conflicts_with_all = ["k", "s", "r"])]
    threshold: Option<f64>,
    /// The share of pairs at T to find, above 0 and below 1 [default: 0.95]
    #[arg(long, value_name = "R", value_parser = proper_share, help_heading = "What is wanted")]
    #[arg(conflicts_with_all = ["k", "s", "r"], requires = "threshold")]
    recall: Option<f64>,
    /// At most this many permutations, which cost time
    #[arg(long, value_name = "N", value_parser = at_least::<1>)]
    #[arg(conflicts_with_all = ["k", "s", "r"], requires = "threshold")]
    #[arg(help_heading = "What is wanted")]
    permutations: Option<u32>,
    /// At most this many bytes of features a document, 8 for each
    #[arg(long, value_name = "N", value_parser = at_least::<8>)]
    #[arg(conflicts_with_all = ["k", "s", "r"], requires = "threshold")]
    #[arg(help_heading = "What is wanted")]
    bytes: Option<u32>,
    /// The share of pairs at 3/4 T that may become candidates [default: 1/3, or the least]
    #[arg(long, value_name = "SHARE", value_parser = positive_share)]
    #[arg(conflicts_with_all = ["k", "s", "r"], requires = "threshold")]
    #[arg(help_heading = "What is wanted")]
    unwanted: Option<f64>,
    /// Features of a document
    #[arg(long, value_name = "K", requires_all = ["s", "r"], help_heading = "A given filter")]
    k: Option<u32>,
    /// Minvalues in a feature
    #[arg(long, value_name = "S", requires_all = ["k", "r"], help_heading = "A given filter")]
    s: Option<u32>,
    /// Features that a candidate has in common
    #[arg(long, value_name = "R", requires_all = ["k", "s"], help_heading = "A given filter")]
    r: Option<u32>,
    /// Draw the curve into FILE.svg or FILE.png
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    plot: Option<PathBuf>,
    /// The plot's scale: both, linear or log
    #[arg(long, value_enum, value_name = "SCALE", default_value = "both", requires = "plot")]
    #[arg(hide_possible_values = true)]
    scale: RawScale,
    /// Measure on your own documents: files, folders, globs, or -
    #[arg(long, value_name = "INPUT", num_args = 1.., value_hint = ValueHint::AnyPath)]
    sample: Vec<String>,
    /// Compare only the first N documents of the sample
    #[arg(long, value_name = "N", default_value_t = 2000, requires = "sample")]
    #[arg(value_parser = at_least::<2>)]
    sample_limit: u32,
    /// Answer with a JSON object
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    documents: RawDocuments,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum RawScale {
    Both,
    Linear,
    Log,
}

/// Checked arguments.
pub(crate) struct Tune {
    pub(crate) wanted: TuneGoal,
    pub(crate) plot: Option<Plot>,
    pub(crate) sample: Option<Sample>,
    pub(crate) json: bool,
}

/// A filter for a purpose, or a given one.
pub(crate) enum TuneGoal {
    Purpose(Search),
    Filter(Filter),
}

/// A picture of the curve.
pub(crate) struct Plot {
    pub(crate) path: PathBuf,
    pub(crate) format: PlotFormat,
    pub(crate) scale: Scale,
}

/// What the plot's extension says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlotFormat {
    Svg,
    Png,
}

/// Documents to measure on.
pub(crate) struct Sample {
    pub(crate) inputs: Vec<String>,
    pub(crate) documents: Documents,
    pub(crate) limit: usize,
}

/// What is found at the threshold unless said otherwise: as in the `text` recipe.
const DEFAULT_RECALL: f64 = 0.95;

impl RawTune {
    pub(crate) fn check(self) -> Result<Tune, Mistake> {
        let wanted = self.wanted()?;
        let plot = self.plot.map(|path| plot(path, self.scale)).transpose()?;
        let limit = self.sample_limit as usize;
        let documents = self.documents.check();
        let sample = Sample { inputs: self.sample, documents, limit };
        let sample = (!sample.inputs.is_empty()).then_some(sample);
        Ok(Tune { wanted, plot, sample, json: self.json })
    }

    fn wanted(&self) -> Result<TuneGoal, Mistake> {
        if let (Some(k), Some(s), Some(r)) = (self.k, self.s, self.r) {
            let filter = Filter::new(k, s, r);
            return filter
                .map(TuneGoal::Filter)
                .map_err(|error| mistake("tune", error.to_string()));
        }
        let Some(threshold) = self.threshold else {
            let message = "say what is wanted, with --threshold and --recall, or give a filter, \
                           with --k, --s and --r";
            return Err(mistake("tune", message));
        };
        let mut search = Search::new(threshold, self.recall.unwrap_or(DEFAULT_RECALL));
        search.max_permutations = self.permutations;
        search.max_bytes = self.bytes;
        search.unwanted = self.unwanted;
        Ok(TuneGoal::Purpose(search))
    }
}

fn plot(path: PathBuf, scale: RawScale) -> Result<Plot, Mistake> {
    let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
    let format = match extension.to_str() {
        Some("svg") => PlotFormat::Svg,
        Some("png") => PlotFormat::Png,
        _ => {
            let message = format!("--plot {}: the name must end in .svg or .png", path.display());
            return Err(mistake("tune", message));
        }
    };
    let scale = match scale {
        RawScale::Both => Scale::Both,
        RawScale::Linear => Scale::Linear,
        RawScale::Log => Scale::Logarithmic,
    };
    Ok(Plot { path, format, scale })
}
