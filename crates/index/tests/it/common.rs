//! What the tests share: the index as it is defined.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use lookalike_core::recipe::{SketchParameters, Verify};
use lookalike_core::{CandidateRule, Comparer, GROUP_LIMIT, Kernel, Recipe, Signature, Signer};
use lookalike_index::{Answer, Counts, CreateOptions, Document, Index, Match, MatchKind};

/// An index in a folder, and one in memory.
pub(crate) fn both(path: &Path, recipe: &Recipe, options: &CreateOptions) -> [Index; 2] {
    [Index::create(path, recipe, options).unwrap(), Index::in_memory(recipe, options).unwrap()]
}

/// All that a match says.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Found {
    kind: MatchKind,
    number: u64,
    id: String,
    resemblance: Option<f64>,
    estimate: Option<f64>,
    b_similarity: Option<usize>,
    c_similarity: Option<usize>,
    containments: [Option<f64>; 2],
    difference: Option<f64>,
    counts: Counted,
}

/// Copies, exact copies, sources, and the first and last date.
pub(crate) type Counted = (u64, u64, u64, [Option<i64>; 2]);

pub(crate) fn counted(counts: &Counts) -> Counted {
    assert!(!counts.at_least);
    (counts.copies, counts.exact_copies, counts.sources, [counts.first, counts.last])
}

/// A text under an id, from which its source and its date follow.
pub(crate) fn document<'a>(id: &'a str, text: &'a str) -> Document<'a> {
    let (source, date) = seen(id);
    let document = Document::text(id, text);
    let document = source.into_iter().fold(document, Document::with_source);
    date.into_iter().fold(document, Document::with_date)
}

/// The source and the date of a document of this id; some have none.
fn seen(id: &str) -> (Option<String>, Option<i64>) {
    let number = id.parse::<i64>().unwrap_or(0);
    let source = (number % 4 != 0).then(|| format!("source {}", number % 4));
    (source, (number % 5 != 0).then_some(number - 10))
}

impl Found {
    fn of(found: &Match) -> Self {
        Self {
            kind: found.kind,
            number: found.number,
            id: found.id.clone(),
            resemblance: found.resemblance,
            estimate: found.estimate,
            b_similarity: found.b_similarity,
            c_similarity: found.c_similarity,
            containments: [found.containment_a, found.containment_b],
            difference: found.difference,
            counts: counted(&found.counts),
        }
    }
}

/// All that an answer says: the matches, and whether they are limited.
pub(crate) type Said = (Vec<Found>, bool);

pub(crate) fn said(answer: &Answer) -> Said {
    (answer.matches.iter().map(Found::of).collect(), answer.limited)
}

struct Known {
    id: String,
    text: String,
    signature: Signature,
    keys: Vec<u64>,
    line: u64,
}

/// The index by its definition: all documents in a map, every list by looking at all of them.
pub(crate) struct Model {
    recipe: Recipe,
    store_text: bool,
    rule: CandidateRule,
    signer: Signer,
    comparer: Comparer,
    documents: BTreeMap<u64, Known>,
    /// Of each line that counted anything: the ids of all it counted, the first its document's own, and
    /// whether they are exact copies.
    lines: BTreeMap<u64, Vec<(String, bool)>>,
    /// The lines that ids were counted on.
    ids: BTreeMap<String, u64>,
    next: u64,
}

impl Model {
    pub(crate) fn new(recipe: &Recipe, store_text: bool) -> Self {
        Self {
            recipe: recipe.clone(),
            store_text,
            rule: CandidateRule::new(Kernel::best(), recipe),
            signer: Signer::new(recipe).unwrap(),
            comparer: Comparer::new(recipe).unwrap(),
            documents: BTreeMap::new(),
            lines: BTreeMap::new(),
            ids: BTreeMap::new(),
            next: 0,
        }
    }

    pub(crate) fn len(&self) -> u64 {
        self.documents.len() as u64
    }

    fn signed(&mut self, text: &str) -> (Signature, Vec<u64>) {
        let signature = self.signer.sign(text.as_bytes()).clone();
        let mut keys = Vec::new();
        self.rule.keys(&signature, &mut keys);
        (signature, keys)
    }

    /// The number of a new document, and whether it replaces another.
    pub(crate) fn add(&mut self, id: &str, text: &str) -> (u64, bool) {
        let (signature, keys) = self.signed(text);
        let number = self.next;
        self.next += 1;
        let before = self.take(id);
        let line = match &before {
            Some(before) if before.signature.exact == signature.exact => before.line,
            Some(before) => {
                self.lines.remove(&before.line);
                number
            }
            None => number,
        };
        let known = Known { id: id.to_owned(), text: text.to_owned(), signature, keys, line };
        self.documents.insert(number, known);
        (number, before.is_some())
    }

    fn take(&mut self, id: &str) -> Option<Known> {
        let number = self.documents.iter().find(|(_, known)| known.id == id).map(|(n, _)| *n)?;
        self.documents.remove(&number)
    }

    pub(crate) fn remove(&mut self, id: &str) -> bool {
        let before = self.take(id);
        before.inspect(|known| drop(self.lines.remove(&known.line))).is_some()
    }

    fn counts(&self, number: u64) -> Counted {
        let known = &self.documents[&number];
        let alone = vec![(known.id.clone(), true)];
        let all = self.lines.get(&known.line).unwrap_or(&alone);
        let sources: BTreeSet<_> = all.iter().filter_map(|(id, _)| seen(id).0).collect();
        let dates: BTreeSet<_> = all.iter().filter_map(|(id, _)| seen(id).1).collect();
        let exact = all.iter().filter(|(_, exact)| *exact).count();
        let dates = [dates.first().copied(), dates.last().copied()];
        (all.len() as u64, exact as u64, sources.len() as u64, dates)
    }

    /// Counts one that is turned away; whether it is one more.
    fn count(&mut self, id: &str, keeper: u64, exact: bool) -> bool {
        let is_known = self.documents.values().any(|known| known.id == id);
        let counts = self.ids.get(id).is_some_and(|line| self.lines.contains_key(line));
        if is_known || counts {
            return false;
        }
        let known = &self.documents[&keeper];
        let all = self.lines.entry(known.line).or_insert_with(|| vec![(known.id.clone(), true)]);
        all.push((id.to_owned(), exact));
        self.ids.insert(id.to_owned(), known.line);
        true
    }

    pub(crate) fn check(&mut self, text: &str) -> Said {
        let (signature, keys) = self.signed(text);
        let mut candidates = BTreeSet::new();
        let mut limited = false;
        let mut list = |belongs: &dyn Fn(&Known) -> bool| {
            let mut members = self.documents.iter().filter(|(_, known)| belongs(known));
            candidates.extend(members.by_ref().take(GROUP_LIMIT).map(|(&number, _)| number));
            limited |= members.next().is_some();
        };
        if !signature.is_empty() {
            list(&|known| !known.signature.is_empty() && known.signature.exact == signature.exact);
        }
        for key in keys {
            list(&|known| known.keys.contains(&key));
        }
        let mut found: Vec<Found> =
            candidates.into_iter().filter_map(|n| self.judge(n, &signature, text)).collect();
        // Stable: of equals the first added comes first.
        let score = |found: &Found| {
            let b = found.b_similarity.zip(self.recipe.features);
            let c = found.c_similarity.zip(self.recipe.projection);
            let b = b.map(|(equal, filter)| equal as f64 / f64::from(filter.k()));
            let c = c.map(|(equal, projection)| equal as f64 / projection.bits as f64);
            found.resemblance.or(found.estimate).or(b).or(c).unwrap_or(0.0)
        };
        found.sort_by(|a, b| score(b).total_cmp(&score(a)));
        found.sort_by_key(|found| found.kind == MatchKind::Near);
        (found, limited)
    }

    fn judge(&mut self, number: u64, signature: &Signature, text: &str) -> Option<Found> {
        let known = &self.documents[&number];
        let bits = self.bit_estimate(text, &known.text.clone());
        let known = &self.documents[&number];
        let pair = self.comparer.compare(text.as_bytes(), known.text.as_bytes());
        let mut found = Found {
            kind: MatchKind::Near,
            number,
            id: known.id.clone(),
            resemblance: None,
            estimate: if self.recipe.keep_sketch { pair.estimate } else { bits },
            b_similarity: pair.b_similarity,
            c_similarity: pair.c_similarity,
            containments: [None; 2],
            difference: None,
            counts: self.counts(number),
        };
        if pair.same_tokens {
            found.kind = MatchKind::Exact;
            found.resemblance = Some(1.0);
            found.containments = [Some(1.0); 2];
            found.difference = (self.recipe.verify == Verify::Difference).then_some(0.0);
            return Some(found);
        }
        if !self.rule.holds(signature, &known.signature, false) {
            return None;
        }
        let threshold = self.recipe.threshold;
        let accepted = match self.recipe.verify {
            Verify::None => true,
            Verify::Exact if self.store_text => {
                found.resemblance = Some(pair.overlap.resemblance());
                let overlap = pair.overlap;
                found.containments = [overlap.containment_a(), overlap.containment_b()].map(Some);
                pair.overlap.resemblance() >= threshold
            }
            Verify::Exact => found.estimate.is_none_or(|estimate| estimate >= threshold),
            Verify::Difference => {
                found.difference = pair.difference;
                pair.difference.is_some_and(|share| share <= 1.0 - threshold + 1e-12)
            }
            Verify::Estimate => found.estimate.is_some_and(|estimate| estimate >= threshold),
        };
        accepted.then_some(found)
    }

    /// Without contents and whole sketches, a bit of each minvalue says how many agree; half of
    /// those that do not are expected to look as if.
    fn bit_estimate(&mut self, a: &str, b: &str) -> Option<f64> {
        let SketchParameters::Minwise { permutations } = self.recipe.sketch else { return None };
        if self.store_text {
            return None;
        }
        let mut bits = |text: &str| -> Vec<bool> {
            let minima = &self.signer.sign(text.as_bytes()).sketch;
            let product = |m: &u64| u128::from(*m) * 0x9e37_79b9_7f4a_7c15;
            minima.iter().map(|m| product(m) >> 63 & 1 == 1).collect()
        };
        let differ = bits(a).iter().zip(bits(b)).filter(|&(a, b)| *a != b).count();
        Some((1.0 - 2.0 * differ as f64 / permutations as f64).max(0.0))
    }

    pub(crate) fn check_and_add(
        &mut self,
        id: &str,
        text: &str,
        any: bool,
    ) -> (Said, Option<(u64, bool)>, bool) {
        let mut answer = self.check(text);
        if any || answer.0.is_empty() {
            let added = Some(self.add(id, text));
            return (answer, added, false);
        }
        let first = answer.0.iter().min_by_key(|found| found.number).cloned();
        let Some(Found { number, kind, .. }) = first else { return (answer, None, false) };
        let counted = self.count(id, number, kind == MatchKind::Exact);
        let counts = self.counts(number);
        for found in answer.0.iter_mut().filter(|found| found.number == number) {
            found.counts = counts;
        }
        (answer, None, counted)
    }

    /// The same documents, by iteration and by id.
    pub(crate) fn compare_documents(&self, index: &Index) {
        let records: Vec<_> = index.documents().unwrap().map(Result::unwrap).collect();
        assert_eq!(records.len(), self.documents.len());
        for (record, (&number, known)) in records.iter().zip(&self.documents) {
            assert_eq!((record.number, &record.id), (number, &known.id));
            assert_eq!(record.bytes, known.text.len() as u64);
            assert_eq!(record.signature.identity, Some(record.signature.exact));
            assert_eq!(record.signature.features, known.signature.features);
            assert_eq!(index.get(&known.id).unwrap().as_ref(), Some(record));
            let content = self.store_text.then(|| known.text.clone().into_bytes());
            assert_eq!(index.content(&known.id).unwrap(), content);
            assert_eq!(counted(&index.counts(record).unwrap()), self.counts(number));
        }
    }
}
