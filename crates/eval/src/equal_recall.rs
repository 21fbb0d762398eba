//! How many bits must agree for Algorithm C to return as many correct pairs as another recipe: what
//! the paper chose its t by, since recall itself cannot be known (sections 3 and 3.3).
//!
//! The recipe is searched by once more with fewer bits, in so many pieces that no pair is missed,
//! and its pairs are counted by the bits that agree. So one search tells every threshold.

use lookalike_core::Recipe;
use lookalike_core::recipe::Candidates;
use serde::Serialize;

use crate::error::{ErrorKind, Result};
use crate::options::Eval;
use crate::rows::by_sites;
use crate::statistics::{Count, Share};
use crate::tally::{Label, Sites, Tally};

/// How many bits below its own a recipe is looked at, unless told otherwise: C's 372 down to 352, below
/// which the paper's combined algorithm loses precision.
const BITS_BELOW: usize = 20;

/// The bits that a recipe needs for as many correct pairs as another.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct EqualRecall {
    /// The recipe whose bits are chosen.
    pub recipe: String,
    /// The one that it shall equal, which R is against.
    pub against: String,
    /// Correct pairs of that one.
    pub wanted: u64,
    /// Bits of the projection.
    pub bits: usize,
    /// Bits that must agree by the recipe itself.
    pub own: usize,
    /// The most bits that give at least as many correct pairs; `None` if the fewest that were looked at
    /// do not, or there are no correct pairs to equal.
    pub chosen: Option<usize>,
    /// Pieces by which every pair of so many equal bits is found.
    pub pieces: Option<usize>,
    /// What is returned from the chosen bits on: all pairs, those of one site, those of different
    /// sites, and others.
    pub rows: Vec<BitsRow>,
    /// All pairs for every threshold, from the fewest bits that were looked at on.
    pub thresholds: Vec<BitsRow>,
}

/// What a recipe returns if at least some bits must agree.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct BitsRow {
    /// The kind of pairs.
    pub name: String,
    /// The fewest bits that agree.
    pub agree: usize,
    /// Pairs that are returned.
    pub pairs: u64,
    /// Those of them that somebody judged.
    pub judged: u64,
    /// The share of the judged that is correct: the paper's precision.
    pub correct: Option<Share>,
    /// The share of the correct in correct and incorrect.
    pub precision: Option<Share>,
    /// Correct pairs for one of the other recipe, weighted if there are weights.
    pub r: Option<f64>,
}

/// The recipe whose bits are chosen, and the one to search by.
pub(crate) struct Loosened {
    pub(crate) number: usize,
    pub(crate) recipe: Recipe,
}

impl Eval {
    /// The recipe to search by, if bits are to be chosen.
    pub(crate) fn loosened(&self) -> Result<Option<Loosened>> {
        let Some(name) = &self.equal_recall else { return Ok(None) };
        let number = self.number_of(name)?;
        let recipe = &self.recipes[number];
        let refused = |fault: String| Err(ErrorKind::Recipes(fault).into());
        let (Candidates::Projection, Some(mut projection)) = (recipe.candidates, recipe.projection)
        else {
            return refused(format!(
                "`{name}` has no equal bits to choose: its candidates are not made by `projection`"
            ));
        };
        let bits = projection.bits;
        let least = self.least_bits.unwrap_or(projection.agree.saturating_sub(BITS_BELOW).max(1));
        if !(1..=bits).contains(&least) {
            return refused(format!("`{name}` has {bits} bits, of which {least} cannot agree"));
        }
        projection.agree = least;
        projection.pieces = exact_pieces(bits, least);
        let name = format!("{name}, from {least} equal bits on");
        let recipe = Recipe { name, projection: Some(projection), ..recipe.clone() };
        Ok(Some(Loosened { number, recipe }))
    }
}

/// In so many pieces two that agree in so many bits have one in common.
fn exact_pieces(bits: usize, agree: usize) -> usize {
    bits - agree + 1
}

/// Pairs by equal bits, sites and labels.
pub(crate) struct BitsTally {
    counts: Vec<[[Count; Label::ALL.len()]; Sites::ALL.len()]>,
}

impl BitsTally {
    pub(crate) fn new(bits: usize) -> Self {
        Self { counts: vec![Default::default(); bits + 1] }
    }

    pub(crate) fn add(&mut self, bits: usize, sites: Sites, label: Label, weight: f64) {
        self.counts[bits][sites as usize][label as usize].add(weight);
    }

    /// The sum from so many bits on.
    fn at(&self, agree: usize, sites: Option<Sites>, label: Label) -> Count {
        let mut sum = Count::default();
        for by_sites in &self.counts[agree..] {
            for wanted in Sites::ALL.into_iter().filter(|of| sites.is_none_or(|s| s == *of)) {
                sum += by_sites[wanted as usize][label as usize];
            }
        }
        sum
    }

    fn row(&self, (name, sites): (&str, Option<Sites>), agree: usize, theirs: Count) -> BitsRow {
        let [right, wrong, undecided] = Label::JUDGED.map(|label| self.at(agree, sites, label));
        let judged = right + wrong + undecided;
        BitsRow {
            name: name.to_owned(),
            agree,
            pairs: judged.number + self.at(agree, sites, Label::Unlabelled).number,
            judged: judged.number,
            correct: Share::of(right, judged),
            precision: Share::of(right, right + wrong),
            r: (theirs.weight > 0.0).then(|| right.weight / theirs.weight),
        }
    }

    /// The bits that return as many correct pairs as `theirs` has.
    pub(crate) fn equal_recall(
        &self,
        recipe: &Recipe,
        loosened: &Recipe,
        (against, theirs): (&Recipe, &Tally),
    ) -> EqualRecall {
        let of = |recipe: &Recipe| recipe.projection.map_or(0, |projection| projection.agree);
        let (bits, least) = (self.counts.len() - 1, of(loosened));
        let [all, ..] = by_sites();
        let wanted = theirs.count(&all.1, Label::Correct);
        // Sums of weights are rounded.
        let enough = wanted.weight * (1.0 - 1e-12);
        let chosen = (least..=bits)
            .rev()
            .find(|agree| self.at(*agree, None, Label::Correct).weight >= enough)
            .filter(|_| wanted.number > 0);
        let thresholds = (least..=bits).map(|agree| self.row((all.0, None), agree, wanted));
        let at_chosen = |agree: usize| {
            by_sites().map(|(name, selection)| {
                self.row((name, selection.sites), agree, theirs.count(&selection, Label::Correct))
            })
        };
        EqualRecall {
            recipe: recipe.name.clone(),
            against: against.name.clone(),
            wanted: wanted.number,
            bits,
            own: of(recipe),
            chosen,
            pieces: chosen.map(|agree| exact_pieces(bits, agree)),
            rows: chosen.map_or_else(Vec::new, |agree| at_chosen(agree).into()),
            thresholds: thresholds.collect(),
        }
    }
}
