//! `lookalike tune`.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, bail};
use clap::{Args, ValueHint};
use lookalike_core::filter::{Filter, MAX_LISTS, Search};
use lookalike_pages::Scale;

use super::documents::Documents;
use super::value::{at_least, one_of, positive_share, proper_share};

/// Choose or examine a filter: which pairs become candidates
#[derive(Args)]
#[command(override_usage = "\
lookalike tune [OPTIONS] --threshold <T> [--recall <R>]
       lookalike tune [OPTIONS] --k <K> --s <S> --r <R>
       lookalike tune [OPTIONS] --recipe <NAME|FILE>
       lookalike tune [OPTIONS] --lists <L> [--repeats <R>] [--agree <A>]")]
#[command(after_long_help = "\
A filter [k, s, r] keeps k features of a document, each made of s minvalues; two documents that
share r features become a candidate, and candidates are then verified. Either say what you want
(--threshold and --recall) and get a filter for it, or give --k, --s and --r and see what they do, or
--recipe and see what its filter or its lists do. In the words of LSH, k are the bands and s the rows of a band: r
is not the rows, but the bands that a candidate has in common, which is 1 in other tools.

--sample measures on your own documents, for any recipe, whatever makes its candidates. Under one seed all pairs share the same random choices, so
what is found of them goes together, and an interval over pairs is too narrow: --seeds N signs them
under N seeds, and gives the interval over these.

Examples:
  lookalike tune --threshold 0.8 --recall 0.95
  lookalike tune --threshold 0.9 --recall 0.99 --bytes 64 --plot filter.svg
  lookalike tune --k 6 --s 14 --r 2 --json
  lookalike tune --threshold 0.8 --recall 0.95 --sample letters/ --plot measured.png
  lookalike tune --recipe my.toml --sample letters/ --seeds 10
  lookalike tune --recipe text --documents 1000000000
  lookalike tune --lists 4 --repeats 6 --agree 2 --plot lists.svg")]
pub(crate) struct Tune {
    /// The least resemblance of the pairs that you want, above 0 and at most 1
    #[arg(long, value_name = "T", value_parser = positive_share, help_heading = "What is wanted")]
    #[arg(conflicts_with_all = ["k", "s", "r"])]
    threshold: Option<f64>,
    /// The share of pairs at T to find, above 0 and below 1 [default: 0.95]
    #[arg(long, value_name = "R", value_parser = proper_share, help_heading = "What is wanted")]
    #[arg(conflicts_with_all = ["k", "s", "r"], requires = "threshold")]
    #[arg(default_value = "0.95", hide_default_value = true)]
    recall: f64,
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
    /// At most N super-features a document, or `any`: features in common are counted then
    /// [default: 64, or up to 512]
    #[arg(long, value_name = "N|any", value_parser = super_features)]
    #[arg(conflicts_with_all = ["k", "s", "r"], requires = "threshold")]
    #[arg(help_heading = "What is wanted")]
    super_features: Option<u64>,
    /// Features of a document (bands)
    #[arg(long, value_name = "K", requires_all = ["s", "r"], help_heading = "A given filter")]
    k: Option<u32>,
    /// Minvalues in a feature (rows of a band)
    #[arg(long, value_name = "S", requires_all = ["k", "r"], help_heading = "A given filter")]
    s: Option<u32>,
    /// Features that a candidate has in common: not the rows of a band, which are --s
    #[arg(long, value_name = "R", requires_all = ["k", "s"], help_heading = "A given filter")]
    r: Option<u32>,
    /// Lists that the words of a document are dealt to, of which look-alikes share one
    #[arg(long, value_name = "L", help_heading = "Pugh's lists")]
    #[arg(conflicts_with_all = ["k", "s", "r", "threshold", "recipe", "sample"])]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=i64::from(MAX_LISTS)))]
    lists: Option<u32>,
    /// Deals, each by another hash [default: 1]
    #[arg(long, value_name = "R", requires = "lists", help_heading = "Pugh's lists")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=1024))]
    repeats: Option<u32>,
    /// Deals in which look-alikes share a list [default: 1]
    #[arg(long, value_name = "A", requires = "lists", help_heading = "Pugh's lists")]
    #[arg(value_parser = at_least::<1>)]
    agree: Option<u32>,
    /// The recipe whose filter is meant, and whose tokens and shingles a sample is measured by
    /// [default: text]
    #[arg(long, value_name = "NAME|FILE")]
    pub(crate) recipe: Option<String>,
    /// Draw the curve into FILE.svg or FILE.png
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    pub(crate) plot: Option<PathBuf>,
    /// The plot's scale: both, linear or log
    #[arg(long, value_name = "SCALE", default_value = "both", requires = "plot")]
    #[arg(value_parser = one_of(SCALES), hide_possible_values = true)]
    pub(crate) scale: Scale,
    /// Say what fingerprints of 64 bits mean for M documents
    #[arg(long = "documents", value_name = "M")]
    pub(crate) collection: Option<u64>,
    /// Measure on your own documents: files, folders, globs, or -
    #[arg(long, value_name = "INPUT", num_args = 1.., value_hint = ValueHint::AnyPath)]
    pub(crate) sample: Vec<String>,
    /// Compare only the first N documents of the sample
    #[arg(long, value_name = "N", default_value_t = 2000, requires = "sample")]
    #[arg(value_parser = at_least::<2>)]
    pub(crate) sample_limit: u32,
    /// The seed of the signatures of the sample [default: that of the recipe]
    #[arg(long, value_name = "N", requires = "sample")]
    #[arg(value_parser = clap::value_parser!(u64).range(..1 << 63))]
    pub(crate) seed: Option<u64>,
    /// Measure under N seeds, the first and those that follow it, up to 100
    #[arg(long, value_name = "N", default_value = "1", requires = "sample")]
    #[arg(value_parser = clap::value_parser!(u32).range(1..=100))]
    pub(crate) seeds: u32,
    /// Answer with a JSON object
    #[arg(long)]
    pub(crate) json: bool,
    #[command(flatten)]
    pub(crate) documents: Documents,
}

const SCALES: [(&str, Scale); 3] =
    [("both", Scale::Both), ("linear", Scale::Linear), ("log", Scale::Logarithmic)];

/// A filter for a purpose, a given one, or that of the recipe.
pub(crate) enum TuneGoal {
    Purpose(Search),
    Filter(Filter),
    Recipe,
    Lists(ListsRule),
}

/// Pugh's lists: how many, how often words are dealt to them, and how often one must be shared.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ListsRule {
    pub(crate) lists: u32,
    pub(crate) repeats: u32,
    pub(crate) agree: u32,
}

/// What the plot's extension says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum PlotFormat {
    Svg,
    Png,
}

impl Tune {
    pub(super) fn check(&self) -> anyhow::Result<()> {
        self.goal()?;
        self.plot.as_deref().map_or(Ok(()), |path| plot_format(path).map(drop))
    }

    pub(crate) fn goal(&self) -> anyhow::Result<TuneGoal> {
        if let (Some(k), Some(s), Some(r)) = (self.k, self.s, self.r) {
            return Ok(TuneGoal::Filter(Filter::new(k, s, r)?));
        }
        if let Some(lists) = self.lists {
            let (repeats, agree) = (self.repeats.unwrap_or(1), self.agree.unwrap_or(1));
            if agree > repeats {
                bail!("--agree {agree} is more than --repeats {repeats}");
            }
            return Ok(TuneGoal::Lists(ListsRule { lists, repeats, agree }));
        }
        if self.threshold.is_none() && self.recipe.is_some() {
            return Ok(TuneGoal::Recipe);
        }
        let threshold = self.threshold.context(
            "say what is wanted, with --threshold and --recall, or give a filter, with --k, --s \
             and --r, or a recipe, with --recipe, or lists, with --lists",
        )?;
        let mut search = Search::new(threshold, self.recall);
        search.max_permutations = self.permutations;
        search.max_bytes = self.bytes;
        search.unwanted = self.unwanted;
        search.max_super_features = self.super_features;
        Ok(TuneGoal::Purpose(search))
    }
}

fn super_features(text: &str) -> Result<u64, String> {
    match text {
        "any" => Ok(u64::MAX),
        _ => match text.parse() {
            Ok(number @ 1..) => Ok(number),
            _ => Err("must be a number of at least 1, or `any`".to_owned()),
        },
    }
}

pub(crate) fn plot_format(path: &Path) -> anyhow::Result<PlotFormat> {
    let extension = path.extension().unwrap_or_default().to_ascii_lowercase();
    match extension.to_str() {
        Some("svg") => Ok(PlotFormat::Svg),
        Some("png") => Ok(PlotFormat::Png),
        _ => bail!("--plot {}: the name must end in .svg or .png", path.display()),
    }
}
