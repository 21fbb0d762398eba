//! How far several people who judged the same pairs agree.
//!
//! Each has a labels file. What two of them say of the pairs that both judged is
//! compared by Cohen's kappa, what all say of those that all judged by Fleiss'.
//! Both are 1 if all agree, and 0 if they agree as often as by chance, were each
//! to give labels as often as it does: kappa = (agree - chance) / (1 - chance).
//! Cohen's chance knows how often each of the two gives a label, Fleiss' how
//! often all together do. Where all labels are the same, chance explains
//! everything and there is no kappa. Pairs count as pairs, whatever they weigh.

use std::collections::BTreeMap;
use std::path::PathBuf;

use lookalike_engine::{NoObserver, Observer};
use serde::Serialize;

use crate::error::{ErrorKind, Result};
use crate::labels::LabelFile;
use crate::statistics::Share;
use crate::tally::Label;

/// Disagreements that are told.
const TOLD: usize = 100;

/// How far people agree.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Agreement {
    /// The version of the program.
    pub version: String,
    /// Who judged, in the order of the files.
    pub judges: Vec<JudgeLabels>,
    /// Pairs that at least two have judged.
    pub shared: u64,
    /// Pairs that all have judged.
    pub by_all: u64,
    /// The share of these that all give the same label.
    pub unanimous: Option<Share>,
    /// Fleiss' kappa over them; `None` of none, or if all labels are the same.
    pub fleiss: Option<f64>,
    /// Every two judges.
    pub two: Vec<TwoJudges>,
    /// Pairs that are not judged alike, those first of which opinions differ most; at most 100.
    pub disagreements: Vec<Disagreement>,
    /// How many there are.
    pub disagreeing: u64,
}

/// What one file has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct JudgeLabels {
    /// The file.
    pub path: PathBuf,
    /// Pairs that are judged.
    pub pairs: u64,
    /// Correct ones.
    pub correct: u64,
    /// Incorrect ones.
    pub incorrect: u64,
    /// Undecided ones.
    pub undecided: u64,
    /// Lines that cannot be used, or are of a pair that stands before.
    pub skipped: u64,
}

/// Two people who judged the same pairs.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct TwoJudges {
    /// Their numbers, from 0.
    pub judges: [usize; 2],
    /// Pairs that both have judged.
    pub pairs: u64,
    /// The share of these that both give the same label.
    pub same: Option<Share>,
    /// Cohen's kappa; `None` of no pairs, or if all labels are the same.
    pub cohen: Option<f64>,
    /// How often the first says correct, incorrect or undecided where the second says each.
    pub table: [[u64; 3]; 3],
}

/// A pair that is not judged alike.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Disagreement {
    /// One document.
    pub a: String,
    /// The other.
    pub b: String,
    /// What each judge says, and why; `None` where one has not judged it.
    pub opinions: Vec<Option<Opinion>>,
}

/// A label and the reason for it.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct Opinion {
    /// The label.
    pub label: Label,
    /// The reason; empty for none.
    pub reason: String,
    /// How many pairs this one stands for.
    #[serde(skip)]
    weight: f64,
}

/// A pair by its ids, the smaller first.
type Ids = (String, String);

/// The labels of several people, each pair once.
#[derive(Clone, Debug)]
pub struct Judgements {
    judges: Vec<JudgeLabels>,
    pairs: BTreeMap<Ids, Vec<Option<Opinion>>>,
}

impl Judgements {
    /// Reads labels files, one for each person. Of a pair that a file has twice the first line counts.
    ///
    /// # Errors
    /// If there are not two files, one cannot be read or has no label, or, if `strict`, a line cannot
    /// be used.
    pub fn read(files: &[LabelFile], strict: bool) -> Result<Self> {
        Self::read_observed(files, strict, &NoObserver)
    }

    /// As [`read`](Self::read), watched by an observer.
    ///
    /// # Errors
    /// As [`read`](Self::read), and if the observer stops it.
    pub fn read_observed(
        files: &[LabelFile],
        strict: bool,
        observer: &dyn Observer,
    ) -> Result<Self> {
        if files.len() < 2 {
            return Err(ErrorKind::OneJudge.into());
        }
        let mut all = Self { judges: Vec::new(), pairs: BTreeMap::new() };
        for (number, file) in files.iter().enumerate() {
            let mut judge = JudgeLabels {
                path: file.path.clone(),
                pairs: 0,
                correct: 0,
                incorrect: 0,
                undecided: 0,
                skipped: 0,
            };
            let read = file.for_each_label(strict, observer, |label| {
                let ids = if label.a <= label.b { (label.a, label.b) } else { (label.b, label.a) };
                let opinions = all.pairs.entry(ids).or_insert_with(|| vec![None; files.len()]);
                if opinions[number].is_some() {
                    judge.skipped += 1;
                    return;
                }
                judge.pairs += 1;
                match label.label {
                    Label::Correct => judge.correct += 1,
                    Label::Incorrect => judge.incorrect += 1,
                    Label::Undecided | Label::Unlabelled => judge.undecided += 1,
                }
                let (label, reason, weight) = (label.label, label.reason, label.weight);
                opinions[number] = Some(Opinion { label, reason, weight });
            })?;
            judge.skipped += read.skipped;
            if judge.pairs == 0 {
                let (path, lines, first) = (file.path.clone(), read.lines, read.first_fault);
                return Err(ErrorKind::NoLabels { path, lines, first }.into());
            }
            all.judges.push(judge);
        }
        Ok(all)
    }

    /// How far they agree.
    pub fn agreement(&self) -> Agreement {
        let judges = self.judges.len();
        let all: Vec<Vec<Label>> = self.pairs.values().filter_map(|o| labels_of_all(o)).collect();
        let same = all.iter().filter(|labels| labels.iter().all(|label| *label == labels[0]));
        let numbers = (0..judges).flat_map(|b| (0..b).map(move |a| [a, b]));
        let mut differ: Vec<(u64, &Ids, &Vec<Option<Opinion>>)> = self
            .pairs
            .iter()
            .map(|(ids, opinions)| (distance(opinions), ids, opinions))
            .filter(|(distance, ..)| *distance > 0)
            .collect();
        differ.sort_by_key(|(distance, ids, _)| (std::cmp::Reverse(*distance), *ids));
        let told = differ.iter().take(TOLD).map(|(_, (a, b), opinions)| Disagreement {
            a: a.clone(),
            b: b.clone(),
            opinions: (*opinions).clone(),
        });
        let shared = self.pairs.values().filter(|o| o.iter().flatten().count() > 1).count();
        Agreement {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            judges: self.judges.clone(),
            shared: shared as u64,
            by_all: all.len() as u64,
            unanimous: Share::of_numbers(same.count() as u64, all.len() as u64),
            fleiss: fleiss(&all),
            two: numbers.map(|two| self.two(two)).collect(),
            disagreements: told.collect(),
            disagreeing: differ.len() as u64,
        }
    }

    fn two(&self, judges: [usize; 2]) -> TwoJudges {
        let mut table = [[0; 3]; 3];
        for opinions in self.pairs.values() {
            if let [Some(a), Some(b)] = judges.map(|judge| &opinions[judge]) {
                table[a.label as usize][b.label as usize] += 1;
            }
        }
        let pairs = table.iter().flatten().sum();
        let same = (0..3).map(|label| table[label][label]).sum();
        let (same, cohen) = (Share::of_numbers(same, pairs), cohen(&table));
        TwoJudges { judges, pairs, same, cohen, table }
    }

    /// Labels that the judges agree on, as JSON lines: what more than half of those say who judged a
    /// pair. Else it is undecided, since they disagree. The reason is that of the first who says so,
    /// the weight that of the first who judged the pair.
    pub fn majority(&self) -> String {
        let mut lines = String::new();
        for ((a, b), opinions) in &self.pairs {
            let given: Vec<&Opinion> = opinions.iter().flatten().collect();
            let count = |label| given.iter().filter(|opinion| opinion.label == label).count();
            let most = Label::JUDGED.into_iter().find(|label| 2 * count(*label) > given.len());
            let reason = match most {
                Some(most) => given.iter().find(|o| o.label == most).map_or("", |o| &*o.reason),
                None => "judges disagree",
            };
            let weight = given.first().map_or(1.0, |opinion| opinion.weight);
            let label = most.unwrap_or(Label::Undecided);
            let line = serde_json::json!({
                "a": a, "b": b, "label": label, "reason": reason, "weight": weight,
                "judges": given.len(),
            });
            lines.push_str(&line.to_string());
            lines.push('\n');
        }
        lines
    }
}

/// What all say of a pair, if all have judged it.
fn labels_of_all(opinions: &[Option<Opinion>]) -> Option<Vec<Label>> {
    opinions.iter().map(|opinion| opinion.as_ref().map(|opinion| opinion.label)).collect()
}

/// How far opinions of a pair are from each other: correct from incorrect more than either from undecided.
fn distance(opinions: &[Option<Opinion>]) -> u64 {
    let has = |label: Label| opinions.iter().flatten().any(|opinion| opinion.label == label);
    match Label::JUDGED.map(has) {
        [true, true, _] => 2,
        [true, _, true] | [_, true, true] => 1,
        _ => 0,
    }
}

/// Cohen's kappa of a table of two judges.
fn cohen(table: &[[u64; 3]; 3]) -> Option<f64> {
    let all = table.iter().flatten().sum::<u64>() as f64;
    let share = |count: u64| count as f64 / all;
    let (mut agree, mut chance) = (0.0, 0.0);
    for label in 0..3 {
        let [own, theirs] =
            [table[label].iter().sum::<u64>(), table.iter().map(|row| row[label]).sum()];
        agree += share(table[label][label]);
        chance += share(own) * share(theirs);
    }
    kappa(agree, chance)
}

/// Fleiss' kappa of pairs, each with as many labels.
fn fleiss(pairs: &[Vec<Label>]) -> Option<f64> {
    let judges = pairs.first()?.len() as f64;
    let (mut agree, mut sums) = (0.0, [0.0; 3]);
    for labels in pairs {
        let counts =
            Label::JUDGED.map(|label| labels.iter().filter(|l| **l == label).count() as f64);
        let squares: f64 = counts.iter().map(|count| count * count).sum();
        agree += (squares - judges) / (judges * (judges - 1.0)) / pairs.len() as f64;
        sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
    }
    let chance = sums.iter().map(|sum| (sum / (judges * pairs.len() as f64)).powi(2)).sum();
    kappa(agree, chance)
}

/// `None` of nothing, and where all is chance.
fn kappa(agree: f64, chance: f64) -> Option<f64> {
    let left = 1.0 - chance;
    (left > 1e-12).then(|| (agree - chance) / left)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Worked out by hand: 20 and 15 of 50 agree, 0.7; chance is 0.5 * 0.6 + 0.5 * 0.4 = 0.5.
    #[test]
    fn cohens_kappa_is_as_in_textbooks() {
        let found = cohen(&[[20, 5, 0], [10, 15, 0], [0, 0, 0]]).unwrap();
        assert!((found - 0.4).abs() < 1e-12, "{found}");
        assert_eq!(cohen(&[[7, 0, 0], [0; 3], [0; 3]]), None, "all are the same");
        assert_eq!(cohen(&[[0; 3]; 3]), None);
        assert_eq!(cohen(&[[3, 0, 0], [0, 4, 0], [0, 0, 5]]), Some(1.0));
    }

    /// By all pairs of two different judges, and all pairs of labels whatever they are of.
    fn naive_fleiss(pairs: &[Vec<Label>]) -> Option<f64> {
        let judges = pairs.first()?.len();
        let (mut same, mut two) = (0, 0);
        for labels in pairs {
            for a in 0..judges {
                for b in (0..judges).filter(|b| *b != a) {
                    two += 1;
                    same += u32::from(labels[a] == labels[b]);
                }
            }
        }
        let all: Vec<Label> = pairs.iter().flatten().copied().collect();
        let mut by_chance = 0;
        for a in &all {
            by_chance += all.iter().filter(|b| a == *b).count();
        }
        let agree = f64::from(same) / f64::from(two);
        let chance = by_chance as f64 / (all.len() * all.len()) as f64;
        (chance < 1.0).then(|| (agree - chance) / (1.0 - chance))
    }

    proptest! {
        #[test]
        fn kappas_are_those_of_plain_loops(
            judges in 2..5_usize,
            numbers in prop::collection::vec(0..3_usize, 4..120),
        ) {
            let labels: Vec<Label> = numbers.iter().map(|n| Label::JUDGED[*n]).collect();
            let pairs: Vec<Vec<Label>> =
                labels.chunks_exact(judges).map(<[Label]>::to_vec).collect();
            let near = |a: Option<f64>, b: Option<f64>| match (a, b) {
                (Some(a), Some(b)) => (a - b).abs() < 1e-9,
                (a, b) => a == b,
            };
            prop_assert!(near(fleiss(&pairs), naive_fleiss(&pairs)));
            // Of two, by each label apart.
            let mut table = [[0; 3]; 3];
            for labels in &pairs {
                table[labels[0] as usize][labels[1] as usize] += 1;
            }
            let all = pairs.len() as f64;
            let share = |judge: usize, label: Label| {
                pairs.iter().filter(|labels| labels[judge] == label).count() as f64 / all
            };
            let same = pairs.iter().filter(|labels| labels[0] == labels[1]).count() as f64 / all;
            let chance: f64 =
                Label::JUDGED.iter().map(|label| share(0, *label) * share(1, *label)).sum();
            let expected = (chance < 1.0 - 1e-12).then(|| (same - chance) / (1.0 - chance));
            prop_assert!(near(cohen(&table), expected));
        }
    }
}
