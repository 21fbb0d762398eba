//! How pairs are found and judged: the flags of all commands that do.

use clap::Args;
use lookalike_core::SiteRule;
use lookalike_core::recipe::{Templates, Verify};

use super::value::{one_of, positive_share, proper_share};

#[derive(Args)]
pub(crate) struct Judging {
    /// A preset or a TOML file (see `lookalike recipe`) [default: text, or sets with --set-field]
    #[arg(long, value_name = "NAME|FILE", help_heading = "Judging")]
    pub(crate) recipe: Option<String>,
    /// The least resemblance of two look-alikes, or by `--verify difference` the least share of their
    /// words in the same order; not for recipes without verification [default: the recipe's]
    #[arg(long, value_name = "T", value_parser = positive_share, help_heading = "Judging")]
    pub(crate) threshold: Option<f64>,
    /// The share of pairs at exactly the threshold that must be found; not for recipes with a
    /// filter of their own [default: 0.95]
    #[arg(long, value_name = "R", value_parser = proper_share, help_heading = "Judging")]
    pub(crate) recall: Option<f64>,
    /// Words in a shingle, the n of n-grams [default: the recipe's; 5 in `text`]
    #[arg(long, value_name = "N", help_heading = "Judging")]
    pub(crate) ngram: Option<usize>,
    /// What makes a candidate a pair: exact resemblance, its estimate, difference (enough words in the same
    /// order), or none (every candidate is a pair) [default: the recipe's]
    ///
    /// Only `exact` and `difference` compare the documents themselves. Without that, as in the papers'
    /// recipes, the result is open to forgery: a text can be made on purpose that shares all features and
    /// bits with another, unlike it, and one of the two is removed.
    #[arg(long, value_name = "HOW", value_parser = one_of(VERIFY), hide_possible_values = true)]
    #[arg(help_heading = "Judging")]
    pub(crate) verify: Option<Verify>,
    #[command(flatten)]
    pub(crate) sites: Sites,
    /// Leave out what the markup of pages says is beside their content: by-page; also templates,
    /// which are learned: by-site, by-field:NAME; or nothing: off [default: the recipe's]
    #[arg(long, value_name = "HOW", help_heading = "Judging")]
    pub(crate) templates: Option<Templates>,
}

#[derive(Args)]
pub(crate) struct Sites {
    /// What a site is: label (a host without its first label) or public-suffix (what can be
    /// registered) [default: the recipe's]
    #[arg(long = "sites", value_name = "RULE", value_parser = one_of(RULES))]
    #[arg(hide_possible_values = true, help_heading = "Judging")]
    pub(crate) rule: Option<SiteRule>,
}

const VERIFY: [(&str, Verify); 4] = [
    ("exact", Verify::Exact),
    ("estimate", Verify::Estimate),
    ("difference", Verify::Difference),
    ("none", Verify::None),
];

const RULES: [(&str, SiteRule); 2] =
    [("label", SiteRule::Label), ("public-suffix", SiteRule::PublicSuffix)];
