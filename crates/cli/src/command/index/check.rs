//! `lookalike index check`.

use std::io::{self, BufWriter, Write as _};

use anyhow::{Context as _, bail};
use lookalike_core::recipe::Verify;
use lookalike_corpus::Sources;
use lookalike_index::{Answer, Document, Index, IndexAt, Match};
use serde_json::json;

use super::documents::{Origin, SeenFrom, Sink, read};
use crate::exit::{Outcome, say};
use crate::flags::{Counting, Reading};
use crate::output::{STANDARD_OUTPUT, count, grouped, printable};

pub(crate) fn run(
    index: &Index,
    inputs: &[String],
    reading: &Reading,
    threshold: Option<f64>,
    json: bool,
) -> anyhow::Result<Outcome> {
    let own = index.recipe();
    let at = threshold.map(|threshold| index.at(threshold)).transpose()?;
    let recall = at.as_ref().map_or(own.recall(), IndexAt::recall);
    if let (Some(threshold), Some(recall)) = (threshold, recall)
        && threshold < own.threshold
    {
        say(&format!(
            "at a resemblance of {threshold} this index finds {:.1} % of the look-alikes: it was made \
             for {} or more",
            100.0 * recall,
            own.threshold
        ));
    }
    let sources = Sources::by_name(inputs, reading.documents.format)?;
    let out = BufWriter::new(io::stdout().lock());
    let mut checking = Checking { index, at, recall, json, out, known: 0, limited: 0 };
    // Nothing is counted.
    let counting = Counting::default();
    let read = read("check", sources, reading, &SeenFrom::new(index, &counting), &mut checking)?;
    checking.out.flush().context(STANDARD_OUTPUT)?;
    say(&format!(
        "{} of {} known{}",
        grouped(checking.known),
        count(read.documents, "document"),
        read.remarks()
    ));
    if checking.limited > 0 {
        say(&format!(
            "{} with more candidates than are looked at: there may be more look-alikes",
            count(checking.limited, "document")
        ));
    }
    if read.interrupted {
        bail!("interrupted");
    }
    Ok(if read.skipped == 0 && checking.known == 0 { Outcome::No } else { read.outcome() })
}

struct Checking<'a> {
    index: &'a Index,
    /// If it is asked under another threshold.
    at: Option<IndexAt<'a>>,
    recall: Option<f64>,
    json: bool,
    out: BufWriter<io::StdoutLock<'static>>,
    known: u64,
    limited: u64,
}

impl Sink for Checking<'_> {
    fn batch(&mut self, documents: &[Document<'_>], _: Vec<Origin>) -> anyhow::Result<()> {
        let answers = match &self.at {
            Some(index) => index.check_batch(documents)?,
            None => self.index.check_batch(documents)?,
        };
        for (document, answer) in documents.iter().zip(answers) {
            self.known += u64::from(!answer.is_new());
            self.limited += u64::from(answer.limited);
            self.print(&document.id, &answer).context(STANDARD_OUTPUT)?;
        }
        self.out.flush().context(STANDARD_OUTPUT)
    }
}

impl Checking<'_> {
    fn print(&mut self, id: &str, answer: &Answer) -> io::Result<()> {
        if self.json {
            let Answer { matches, limited, .. } = answer;
            let own = self.index.recipe();
            let threshold = self.at.as_ref().map_or(own.threshold, IndexAt::threshold);
            let line = json!({
                "id": id,
                "matches": matches,
                "limited": limited,
                "threshold": Some(threshold).filter(|_| own.verify != Verify::None),
                "recall": self.recall,
            });
            return writeln!(self.out, "{line}");
        }
        for found in &answer.matches {
            let (id, known) = (printable(id), printable(&found.id));
            writeln!(self.out, "{:5}  {:>7}  {id}  {known}", found.kind.name(), score(found))?;
        }
        Ok(())
    }
}

/// The best that is known of how similar a match is.
fn score(found: &Match) -> String {
    let counts =
        [("B", found.b_similarity), ("C", found.c_similarity), ("lists", found.repeats_in_common)];
    let counted = counts.iter().find_map(|(name, count)| Some(format!("{name} {}", (*count)?)));
    match (found.difference, found.resemblance, found.estimate) {
        (Some(difference), ..) => format!("{difference:.4} differ"),
        (_, Some(resemblance), _) => format!("{resemblance:.4}"),
        (.., Some(estimate)) => format!("~{estimate:.4}"),
        _ => counted.unwrap_or_else(|| "-".to_owned()),
    }
}
