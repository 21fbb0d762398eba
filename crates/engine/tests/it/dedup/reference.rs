//! The job by its definition: everything in memory, every pair compared.

use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

use lookalike_core::recipe::Verify;
use lookalike_core::resemblance::Overlap;
use lookalike_core::shingle::{ShingleSet, Shingler};
use lookalike_core::text::Tokenizer;
use lookalike_core::{
    CandidateRule, Comparer, Comparison, GROUP_LIMIT, Kernel, Recipe, Signature, Signer, mix, site,
};
use lookalike_engine::PairScope;
use lookalike_engine::matching::Clustering;

use crate::dedup::tables::{ClusterRow, PairRow};

/// A document of a corpus, in the order of the input.
#[derive(Clone, Debug)]
pub(crate) struct Document {
    pub(crate) id: String,
    pub(crate) text: String,
    pub(crate) url: Option<String>,
    /// Its numbers under the keys of the keep policy, the smaller the better; `None` comes last.
    pub(crate) ranks: Vec<Option<i64>>,
    /// What clusters count as its source, if it has one, and its date in microseconds.
    pub(crate) counted: Option<String>,
    pub(crate) date: Option<i64>,
    pub(crate) source: String,
    pub(crate) record: u64,
}

/// What is wanted of a job.
pub(crate) struct Wish<'a> {
    pub(crate) recipe: &'a Recipe,
    /// The share of a document that need not be in its keeper, if it goes by that.
    pub(crate) lost: Option<f64>,
    /// How many of a cluster stay.
    pub(crate) keep_count: usize,
    /// Whether documents are in the order of their ranks and ids, or of the input.
    pub(crate) by_rank: bool,
    /// Whether documents of equal ranks are in the order of the input, whatever their ids.
    pub(crate) in_input_order: bool,
    pub(crate) clustering: Clustering,
    pub(crate) pairs: PairScope,
    pub(crate) exact_only: bool,
    /// How many of the last documents are known.
    pub(crate) known: usize,
}

/// What must come out.
pub(crate) struct Answer {
    pub(crate) clusters: Vec<ClusterRow>,
    /// The rows of `pairs.parquet`.
    pub(crate) pairs: Vec<PairRow>,
    /// All pairs that could be listed.
    pub(crate) possible_pairs: Vec<PairRow>,
    pub(crate) removed: BTreeSet<usize>,
    pub(crate) empty: u64,
    pub(crate) exact_removed: u64,
    pub(crate) near_removed: u64,
}

/// Elements that probes are chosen from, where documents go by containment, and how many of the least
/// are probes, and of the others.
const POOL: usize = 32;
const PROBES: usize = 4;

/// Documents by place.
struct Job<'a> {
    wish: &'a Wish<'a>,
    documents: &'a [Document],
    /// The row of each place.
    rows: Vec<usize>,
    signatures: Vec<Signature>,
    rule: CandidateRule,
    comparer: RefCell<Comparer>,
}

pub(crate) fn answer(wish: &Wish<'_>, documents: &[Document]) -> Answer {
    let mut rows: Vec<usize> = (0..documents.len()).collect();
    let new = documents.len() - wish.known;
    if wish.by_rank {
        rows[..new].sort_by_key(|&row| {
            let Document { ranks, id, .. } = &documents[row];
            let ranks: Vec<_> = ranks.iter().map(|rank| (rank.is_none(), *rank)).collect();
            (ranks, (!wish.in_input_order).then(|| id.clone()), row)
        });
    }
    rows.rotate_left(new);
    let mut signer = signer(wish.recipe);
    let signatures =
        rows.iter().map(|&row| signer.sign(documents[row].text.as_bytes()).clone()).collect();
    let rule = CandidateRule::new(Kernel::best(), wish.recipe);
    let comparer = RefCell::new(Comparer::new(wish.recipe).unwrap());
    Job { wish, documents, rows, signatures, rule, comparer }.answer()
}

impl Answer {
    /// With other numbers of rows, in the same order.
    pub(crate) fn renumber(&mut self, number: impl Fn(u64) -> u64) {
        for row in &mut self.clusters {
            (row.row, row.cluster) = (number(row.row), number(row.cluster));
        }
        for pair in self.pairs.iter_mut().chain(&mut self.possible_pairs) {
            (pair.row_a, pair.row_b) = (number(pair.row_a), number(pair.row_b));
        }
    }
}

/// Which documents have a key or the fingerprint of one of the others.
pub(crate) fn have_a_feature_of(
    recipe: &Recipe,
    others: &[Document],
    documents: &[Document],
) -> Vec<bool> {
    let rule = CandidateRule::new(Kernel::best(), recipe);
    let mut signer = signer(recipe);
    let mut features = |document: &Document| {
        let signature = signer.sign(document.text.as_bytes());
        let mut keys = Vec::new();
        rule.keys(signature, &mut keys);
        let keys = keys.into_iter().map(u128::from);
        let exact = (!signature.is_empty()).then_some(signature.exact);
        keys.chain(exact).collect::<BTreeSet<u128>>()
    };
    let of_others: BTreeSet<u128> = others.iter().flat_map(&mut features).collect();
    documents.iter().map(|document| !features(document).is_disjoint(&of_others)).collect()
}

impl Job<'_> {
    fn answer(&self) -> Answer {
        let copies = self.copies();
        let accepted = self.accepted(&copies);
        let keepers = match self.wish.clustering {
            Clustering::Anchored => self.anchored(&copies, &accepted),
            Clustering::Components => self.components(&copies, &accepted),
        };
        self.tell(&copies, &accepted, &keepers)
    }

    fn document(&self, place: usize) -> &Document {
        &self.documents[self.rows[place]]
    }

    /// For each place the first with the same tokens, if that is another one.
    fn copies(&self) -> Vec<Option<usize>> {
        let mut tokenizer = Tokenizer::new(self.wish.recipe.tokens);
        let mut first = BTreeMap::new();
        let places = 0..self.rows.len();
        let copy_of = places.map(|place| {
            let mut tokens = Vec::new();
            tokenizer.tokens(self.document(place).text.as_bytes(), &mut tokens);
            let representative = *first.entry(tokens.clone()).or_insert(place);
            let is_copy = !tokens.is_empty() && representative != place && place >= self.wish.known;
            is_copy.then_some(representative)
        });
        copy_of.collect()
    }

    fn keys(&self, place: usize) -> BTreeSet<u64> {
        let mut keys = Vec::new();
        if !self.wish.exact_only {
            self.rule.keys(&self.signatures[place], &mut keys);
        }
        keys.into_iter().collect()
    }

    /// The places of each key, without copies, and whether each looks for those before it.
    fn groups(&self, copies: &[Option<usize>]) -> Vec<Vec<(usize, bool)>> {
        if self.wish.lost.is_some() {
            return self.groups_of_probes(copies);
        }
        if self.rule.counts_in_common() {
            return self.pairs_in_common(copies);
        }
        let mut groups: BTreeMap<u64, Vec<(usize, bool)>> = BTreeMap::new();
        for place in (0..self.rows.len()).filter(|&place| copies[place].is_none()) {
            let is_new = place >= self.wish.known;
            for key in self.keys(place) {
                groups.entry(key).or_default().push((place, is_new));
            }
        }
        groups.into_values().collect()
    }

    /// Every two places with a key in common, of which one is new: their signatures say whether it is enough.
    fn pairs_in_common(&self, copies: &[Option<usize>]) -> Vec<Vec<(usize, bool)>> {
        let keys: Vec<BTreeSet<u64>> = (0..self.rows.len()).map(|place| self.keys(place)).collect();
        let takes_part = |place: &usize| copies[*place].is_none();
        let mut pairs = Vec::new();
        for later in (self.wish.known..self.rows.len()).filter(takes_part) {
            for earlier in (0..later).filter(takes_part) {
                if !keys[earlier].is_disjoint(&keys[later]) {
                    pairs.push(vec![(earlier, earlier >= self.wish.known), (later, true)]);
                }
            }
        }
        pairs
    }

    /// The places of each element, and for which of them it is a probe.
    fn groups_of_probes(&self, copies: &[Option<usize>]) -> Vec<Vec<(usize, bool)>> {
        let mut holders: BTreeMap<u64, Vec<usize>> = BTreeMap::new();
        for place in (0..self.rows.len()).filter(|&place| copies[place].is_none()) {
            for element in self.elements(place) {
                holders.entry(element).or_default().push(place);
            }
        }
        let mut probes: Vec<BTreeSet<u64>> = Vec::new();
        for place in 0..self.rows.len() {
            let pool: Vec<u64> = self.elements(place).into_iter().take(POOL).collect();
            let (least, others) = pool.split_at(PROBES.min(pool.len()));
            let is_common =
                |element| holders.get(element).is_some_and(|all| all.len() > GROUP_LIMIT);
            let (common, rare): (Vec<u64>, Vec<u64>) = others.iter().partition(|&e| is_common(e));
            let chosen = rare.into_iter().chain(common).take(PROBES);
            let all = least.iter().copied().chain(chosen);
            probes.push(if place < self.wish.known { BTreeSet::new() } else { all.collect() });
        }
        let looks = |element: &u64, place: usize| (place, probes[place].contains(element));
        let group = |(element, places): (&u64, &Vec<usize>)| {
            places.iter().map(|&place| looks(element, place)).collect()
        };
        holders.iter().map(group).collect()
    }

    /// The mixed shingles of a document, ascending.
    fn elements(&self, place: usize) -> BTreeSet<u64> {
        let recipe = self.wish.recipe;
        let mut tokens = Vec::new();
        Tokenizer::new(recipe.tokens).tokens(self.document(place).text.as_bytes(), &mut tokens);
        let (width, counting) = (recipe.shingles.width, recipe.shingles.counting);
        let mut shingler = Shingler::new(Kernel::best(), width, counting);
        let set = ShingleSet::of_tokens(&mut shingler, &tokens);
        set.as_slice().iter().map(|&shingle| mix(shingle)).collect()
    }

    fn compare(&self, a: usize, b: usize) -> Comparison {
        let [a, b] = [a, b].map(|place| self.document(place).text.as_bytes());
        self.comparer.borrow_mut().compare(a, b)
    }

    /// All pairs of places that share a key and that the recipe accepts, the earlier first.
    fn accepted(&self, copies: &[Option<usize>]) -> BTreeMap<(usize, usize), Comparison> {
        let mut candidates = BTreeSet::new();
        for group in self.groups(copies) {
            for (n, &(b, looks)) in group.iter().enumerate() {
                if looks {
                    candidates.extend(group[..n].iter().map(|&(a, _)| (a, b)));
                }
            }
        }
        let compared = candidates.into_iter().map(|(a, b)| ((a, b), self.compare(a, b)));
        compared.filter(|((a, b), comparison)| self.accepts(*a, *b, comparison)).collect()
    }

    fn accepts(&self, a: usize, b: usize, comparison: &Comparison) -> bool {
        if let Some(lost) = self.wish.lost {
            let Overlap { b, common, .. } = comparison.overlap;
            return b > 0 && (b - common) as f64 <= lost * b as f64 + 1e-9;
        }
        let site_of = |place: usize| self.document(place).url.as_deref().and_then(site);
        let same_site = site_of(a).is_some() && site_of(a) == site_of(b);
        let threshold = self.wish.recipe.threshold;
        self.rule.holds(&self.signatures[a], &self.signatures[b], same_site)
            && match self.wish.recipe.verify {
                Verify::Exact => comparison.overlap.resemblance() >= threshold,
                Verify::Estimate => comparison.estimate.unwrap_or(0.0) >= threshold,
                Verify::Difference => comparison.difference.unwrap() <= 1.0 - threshold + 1e-12,
                Verify::None => true,
            }
    }

    fn limit(&self) -> usize {
        match self.wish.pairs {
            PairScope::Needed => GROUP_LIMIT,
            PairScope::All => usize::MAX,
        }
    }

    /// One document after another: the first that is kept, among the first of its groups.
    fn anchored(
        &self,
        copies: &[Option<usize>],
        accepted: &BTreeMap<(usize, usize), Comparison>,
    ) -> Vec<usize> {
        let groups = self.groups(copies);
        let mut keepers: Vec<usize> = (0..self.rows.len()).collect();
        for place in self.wish.known..self.rows.len() {
            let mut candidates = BTreeSet::new();
            for group in groups.iter().filter(|group| group.contains(&(place, true))) {
                let before = group.iter().map(|(e, _)| *e);
                let kept = before.filter(|&e| e < place && keepers[e] == e);
                candidates.extend(kept.take(self.limit()));
            }
            let keeper = candidates.into_iter().find(|&e| accepted.contains_key(&(e, place)));
            keepers[place] = keeper.unwrap_or(place);
        }
        keepers
    }

    /// Whatever can be reached, from the smallest place that was not reached.
    fn components(
        &self,
        copies: &[Option<usize>],
        accepted: &BTreeMap<(usize, usize), Comparison>,
    ) -> Vec<usize> {
        let mut neighbours = vec![BTreeSet::new(); self.rows.len()];
        for group in self.groups(copies) {
            for (n, &(later, _)) in group.iter().enumerate() {
                for &(earlier, _) in group[..n].iter().take(self.limit()) {
                    if accepted.contains_key(&(earlier, later)) {
                        neighbours[earlier].insert(later);
                        neighbours[later].insert(earlier);
                    }
                }
            }
        }
        let mut keepers: Vec<Option<usize>> = vec![None; self.rows.len()];
        for start in 0..self.rows.len() {
            if keepers[start].is_some() {
                continue;
            }
            let mut queue = vec![start];
            while let Some(place) = queue.pop() {
                if keepers[place].is_none() {
                    keepers[place] = Some(start);
                    queue.extend(&neighbours[place]);
                }
            }
        }
        keepers.into_iter().map(Option::unwrap).collect()
    }

    fn tell(
        &self,
        copies: &[Option<usize>],
        accepted: &BTreeMap<(usize, usize), Comparison>,
        keepers: &[usize],
    ) -> Answer {
        let exact = self.wish.recipe.verify == Verify::Exact;
        let keeper_of = |place: usize| keepers[copies[place].unwrap_or(place)];
        let mut sizes = vec![0; keepers.len()];
        (0..keepers.len()).for_each(|place| sizes[keeper_of(place)] += 1);
        let mut answer = Answer {
            clusters: Vec::new(),
            pairs: Vec::new(),
            possible_pairs: Vec::new(),
            removed: BTreeSet::new(),
            empty: self.signatures.iter().filter(|signature| signature.is_empty()).count() as u64,
            exact_removed: 0,
            near_removed: 0,
        };
        let members: Vec<Vec<usize>> = (0..keepers.len())
            .map(|keeper| (0..keepers.len()).filter(|&p| keeper_of(p) == keeper).collect())
            .collect();
        let mut pairs = BTreeMap::new();
        // How many of each cluster stay so far.
        let mut stay = vec![0; keepers.len()];
        for (place, &row) in self.rows.iter().enumerate() {
            let keeper = keeper_of(place);
            if sizes[keeper] < 2 {
                continue;
            }
            let copy_of_keeper = copies[place] == Some(keeper);
            let own = (keeper, copies[place].unwrap_or(place));
            let kind = match (place == keeper, copy_of_keeper) {
                (true, _) => "keeper",
                (_, true) => "exact",
                _ => "near",
            };
            let resemblance = match kind {
                "exact" => Some(1.0),
                _ => accepted.get(&own).filter(|_| exact).map(|c| c.overlap.resemblance()),
            };
            let kept = stay[keeper] < self.wish.keep_count;
            stay[keeper] += usize::from(kept);
            if !kept {
                answer.removed.insert(row);
                *(if copy_of_keeper {
                    &mut answer.exact_removed
                } else {
                    &mut answer.near_removed
                }) += 1;
            }
            if let Some(first) = copies[place] {
                pairs.insert(self.rows_of(first, place, "exact"), self.exact_pair(first, place));
            }
            // A pair with the keeper, if there is one.
            if kind == "near" && accepted.contains_key(&own) {
                pairs.insert(self.rows_of(keeper, place, "near"), self.near_pair(keeper, place));
            }
            answer.clusters.push(ClusterRow {
                id: self.document(place).id.clone(),
                cluster: self.rows[keeper] as u64,
                size: sizes[keeper],
                keeper: self.document(keeper).id.clone(),
                kept,
                kind: kind.to_owned(),
                resemblance,
                row: row as u64,
                source: self.document(place).source.clone(),
                record: self.document(place).record,
                counts: self.counts(copies, keeper, &members[keeper]),
                dates: self.dates(&members[keeper]),
            });
        }
        answer.clusters.sort_by_key(|row| (row.cluster, row.kind != "keeper", !row.kept, row.row));
        let needed = pairs.clone();
        let all = self.wish.pairs == PairScope::All;
        let members = |first: usize| {
            (0..keepers.len()).filter(move |&p| p == first || all && copies[p] == Some(first))
        };
        for &(a, b) in accepted.keys() {
            for (a, b) in members(a).flat_map(|a| members(b).map(move |b| (a, b))) {
                pairs.insert(self.rows_of(a, b, "near"), self.near_pair(a, b));
            }
        }
        answer.possible_pairs = pairs.into_values().collect();
        answer.pairs = match self.wish.pairs {
            PairScope::Needed => needed.into_values().collect(),
            PairScope::All => answer.possible_pairs.clone(),
        };
        answer
    }

    /// Copies of the keeper, those with its tokens, and their sources.
    fn counts(&self, copies: &[Option<usize>], keeper: usize, members: &[usize]) -> [u64; 3] {
        let exact = members.iter().filter(|&&p| p == keeper || copies[p] == Some(keeper)).count();
        let sources: BTreeSet<_> =
            members.iter().filter_map(|&p| self.document(p).counted.as_ref()).collect();
        [members.len(), exact, sources.len()].map(|count| count as u64)
    }

    fn dates(&self, members: &[usize]) -> [Option<i64>; 2] {
        let dates = || members.iter().filter_map(|&p| self.document(p).date);
        [dates().min(), dates().max()]
    }

    fn rows_of(&self, a: usize, b: usize, kind: &'static str) -> (usize, usize, &'static str) {
        let (x, y) = (self.rows[a], self.rows[b]);
        (x.min(y), x.max(y), kind)
    }

    fn exact_pair(&self, a: usize, b: usize) -> PairRow {
        let comparison = self.compare(a, b);
        assert!(comparison.same_tokens);
        self.pair(a, b, "exact", &comparison, Some(Overlap { a: 1, b: 1, common: 1 }))
    }

    fn near_pair(&self, a: usize, b: usize) -> PairRow {
        // In the order of the input.
        let (a, b) = if self.rows[a] < self.rows[b] { (a, b) } else { (b, a) };
        let comparison = self.compare(a, b);
        let exact = self.wish.recipe.verify == Verify::Exact;
        self.pair(a, b, "near", &comparison, exact.then_some(comparison.overlap))
    }

    fn pair(
        &self,
        a: usize,
        b: usize,
        kind: &str,
        comparison: &Comparison,
        overlap: Option<Overlap>,
    ) -> PairRow {
        let (a, b) = if self.rows[a] < self.rows[b] { (a, b) } else { (b, a) };
        PairRow {
            a: self.document(a).id.clone(),
            b: self.document(b).id.clone(),
            kind: kind.to_owned(),
            b_similarity: comparison.b_similarity.map(|n| n as u32),
            c_similarity: comparison
                .c_similarity
                .filter(|_| self.wish.recipe.keep_projection)
                .map(|n| n as u32),
            repeats_in_common: comparison.repeats_in_common.map(|n| n as u32),
            estimate: if self.wish.recipe.keep_sketch { comparison.estimate } else { None },
            resemblance: overlap.map(Overlap::resemblance),
            containment_a: overlap.map(Overlap::containment_a),
            containment_b: overlap.map(Overlap::containment_b),
            difference: comparison.difference,
            row_a: self.rows[a] as u64,
            row_b: self.rows[b] as u64,
        }
    }
}

/// Of signatures that have all that the recipe asks for.
fn signer(recipe: &Recipe) -> Signer {
    Signer::new(&Recipe { keep_projection: true, ..recipe.clone() }).unwrap()
}
