//! The evaluation by brute force: every pair of documents looked at, everything counted by plain
//! loops over a list of pairs.

use std::collections::BTreeMap;

use lookalike_core::difference::{EditDistance, edit_distance, term_difference};
use lookalike_core::recipe::{Recipe, Verify};
use lookalike_core::resemblance::Overlap;
use lookalike_core::shingle::{ShingleSet, Shingler};
use lookalike_core::text::{Tokenizer, Unit};
use lookalike_core::{CandidateRule, Kernel, Signature, Signer, Similarity, site};
use lookalike_eval::{Label, Sites};

/// A document.
#[derive(Clone, Debug)]
pub(crate) struct Page {
    pub(crate) id: String,
    pub(crate) url: Option<String>,
    pub(crate) text: String,
}

/// A label.
#[derive(Clone, Debug)]
pub(crate) struct Judgement {
    pub(crate) a: String,
    pub(crate) b: String,
    pub(crate) label: Label,
    pub(crate) weight: f64,
    pub(crate) reason: String,
}

/// A pair that a recipe returns, or that has a label.
#[derive(Clone, Debug)]
pub(crate) struct Pair {
    pub(crate) rows: (usize, usize),
    pub(crate) sites: Sites,
    pub(crate) b: usize,
    pub(crate) c: usize,
    pub(crate) label: Label,
    pub(crate) weight: f64,
    pub(crate) reason: String,
    pub(crate) terms: u64,
    pub(crate) edits: EditDistance,
}

/// What brute force finds.
pub(crate) struct Naive {
    /// Documents that are left out.
    pub(crate) removed: Vec<bool>,
    /// The pairs of each recipe.
    pub(crate) returned: Vec<Vec<Pair>>,
    /// The pairs with labels.
    pub(crate) labelled: Vec<Pair>,
}

pub(crate) fn evaluate(
    pages: &[Page],
    judgements: &[Judgement],
    recipes: &[Recipe],
    absent: Label,
    removes_identical: bool,
) -> Naive {
    let kernel = Kernel::best();
    let measure = Recipe::preset("henzinger-combined").unwrap();
    let similarity = Similarity::new(kernel, &measure);
    let signatures = |recipe: &Recipe| -> Vec<Signature> {
        // Whatever signatures keep.
        let mut signer = Signer::new(&Recipe { keep_projection: true, ..recipe.clone() }).unwrap();
        pages.iter().map(|page| signer.sign(page.text.as_bytes()).clone()).collect()
    };
    let measured = signatures(&measure);
    let tokens: Vec<Vec<u64>> = pages.iter().map(|page| words(&page.text)).collect();
    let is_copy =
        |n: usize| !tokens[n].is_empty() && (0..n).any(|earlier| tokens[earlier] == tokens[n]);
    let removed: Vec<bool> = (0..pages.len()).map(|n| removes_identical && is_copy(n)).collect();
    let row = |id: &str| pages.iter().position(|page| page.id == id).unwrap();
    let labels: BTreeMap<(usize, usize), &Judgement> = judgements
        .iter()
        .map(|judgement| {
            let (a, b) = (row(&judgement.a), row(&judgement.b));
            ((a.min(b), a.max(b)), judgement)
        })
        .collect();
    let sites = |a: usize, b: usize| {
        let site = |n: usize| pages[n].url.as_deref().and_then(site);
        match (site(a), site(b)) {
            (Some(a), Some(b)) if a == b => Sites::Same,
            (Some(_), Some(_)) => Sites::Different,
            _ => Sites::Unknown,
        }
    };
    let pair = |a: usize, b: usize| {
        let judgement = labels.get(&(a, b));
        Pair {
            rows: (a, b),
            sites: sites(a, b),
            b: similarity.b(&measured[a], &measured[b]).unwrap(),
            c: similarity.c(&measured[a], &measured[b]).unwrap(),
            label: judgement.map_or(absent, |j| j.label),
            weight: judgement.map_or(1.0, |j| j.weight),
            reason: judgement.map_or_else(String::new, |j| j.reason.clone()),
            terms: term_difference(&tokens[a], &tokens[b]),
            edits: edit_distance(&tokens[a], &tokens[b]),
        }
    };
    let all_pairs = || {
        let rows = (0..pages.len()).flat_map(|b| (0..b).map(move |a| (a, b)));
        rows.filter(|&(a, b)| !removed[a] && !removed[b])
    };
    let returned = recipes
        .iter()
        .map(|recipe| {
            let rule = CandidateRule::new(kernel, recipe);
            let signed = signatures(recipe);
            let is_returned = |&(a, b): &(usize, usize)| {
                rule.holds(&signed[a], &signed[b], sites(a, b) == Sites::Same)
                    && (recipe.verify == Verify::None
                        || resemblance(recipe, &tokens[a], &tokens[b]) >= recipe.threshold)
            };
            all_pairs().filter(is_returned).map(|(a, b)| pair(a, b)).collect()
        })
        .collect();
    let labelled = all_pairs().filter(|rows| labels.contains_key(rows));
    Naive { returned, labelled: labelled.map(|(a, b)| pair(a, b)).collect(), removed }
}

/// Clusters by brute force: each of these documents with all others that a chain of pairs reaches.
pub(crate) fn reached(documents: &[usize], pairs: &[(usize, usize)]) -> Vec<Vec<usize>> {
    let from = |start: usize| {
        let mut reached = vec![start];
        let mut at = 0;
        while let Some(&here) = reached.get(at) {
            for &(a, b) in pairs {
                let next = if a == here { b } else { a };
                if (a == here || b == here) && !reached.contains(&next) {
                    reached.push(next);
                }
            }
            at += 1;
        }
        reached.retain(|row| documents.contains(row));
        reached
    };
    documents.iter().map(|&row| from(row)).collect()
}

pub(crate) fn words(text: &str) -> Vec<u64> {
    let mut tokens = Vec::new();
    Tokenizer::new(Unit::Words).tokens(text.as_bytes(), &mut tokens);
    tokens
}

pub(crate) fn resemblance(recipe: &Recipe, a: &[u64], b: &[u64]) -> f64 {
    let kernel = Kernel::best();
    let mut shingler = Shingler::new(kernel, recipe.shingles.width, recipe.shingles.counting);
    let [a, b] = [a, b].map(|tokens| ShingleSet::of_tokens(&mut shingler, tokens));
    Overlap::of(kernel, &a, &b).resemblance()
}
