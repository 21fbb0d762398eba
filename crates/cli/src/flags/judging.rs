//! How pairs are found and judged: the flags of all commands that do.

use super::value::{Mistake, mistake, positive_share, proper_share};
use clap::{Args, ValueEnum};
use lookalike::core::SiteRule;
use lookalike::core::recipe::{Templates, Verify};

#[derive(Args)]
pub(crate) struct RawJudging {
    /// A preset or a TOML file (see `lookalike recipe`)
    #[arg(long, value_name = "NAME|FILE", default_value = "text", help_heading = "Judging")]
    recipe: String,
    /// The least resemblance of two look-alikes; not for recipes without
    /// verification [default: the recipe's]
    #[arg(long, value_name = "T", value_parser = positive_share, help_heading = "Judging")]
    threshold: Option<f64>,
    /// The share of pairs at exactly the threshold that must be found; recipe `text` only
    /// [default: 0.95]
    #[arg(long, value_name = "R", value_parser = proper_share, help_heading = "Judging")]
    recall: Option<f64>,
    /// What makes a candidate a pair: exact resemblance, its estimate, or none (every candidate is a pair)
    /// [default: the recipe's]
    ///
    /// Only `exact` compares the documents themselves. Without it, as in the papers' recipes, the
    /// result is open to forgery: a text can be made on purpose that shares all features and bits
    /// with another, unlike it, and one of the two is removed.
    #[arg(
        long,
        value_enum,
        value_name = "HOW",
        hide_possible_values = true,
        help_heading = "Judging"
    )]
    verify: Option<RawVerify>,
    #[command(flatten)]
    sites: RawSites,
    /// Whose templates are learned and left out: by-site, by-field:NAME or off [default: the
    /// recipe's]
    #[arg(long, value_name = "GROUPS", help_heading = "Judging")]
    templates: Option<Templates>,
}

#[derive(Args)]
pub(super) struct RawSites {
    /// What a site is: label (a host without its first label) or public-suffix (what can be
    /// registered) [default: the recipe's]
    #[arg(
        long = "sites",
        value_enum,
        value_name = "RULE",
        hide_possible_values = true,
        help_heading = "Judging"
    )]
    rule: Option<RawSiteRule>,
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum RawSiteRule {
    Label,
    PublicSuffix,
}

impl RawSites {
    pub(super) fn check(self) -> Option<SiteRule> {
        self.rule.map(|rule| match rule {
            RawSiteRule::Label => SiteRule::Label,
            RawSiteRule::PublicSuffix => SiteRule::PublicSuffix,
        })
    }
}

#[derive(Clone, Copy, Debug, ValueEnum)]
enum RawVerify {
    Exact,
    Estimate,
    None,
}

/// Checked arguments.
pub(crate) struct Judging {
    pub(crate) recipe: String,
    pub(crate) threshold: Option<f64>,
    pub(crate) recall: Option<f64>,
    pub(crate) verify: Option<Verify>,
    pub(crate) sites: Option<SiteRule>,
    pub(crate) templates: Option<Templates>,
}

impl RawJudging {
    pub(crate) fn check(self, command: &'static str) -> Result<Judging, Mistake> {
        let Self { recipe, threshold, recall, verify, sites, templates } = self;
        if recall.is_some() && recipe != "text" {
            let message = "--recall chooses the filter of the recipe `text`; others have their own";
            return Err(mistake(command, message));
        }
        let verify = verify.map(|verify| match verify {
            RawVerify::Exact => Verify::Exact,
            RawVerify::Estimate => Verify::Estimate,
            RawVerify::None => Verify::None,
        });
        Ok(Judging { recipe, threshold, recall, verify, sites: sites.check(), templates })
    }
}
