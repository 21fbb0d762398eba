//! `lookalike index add`.

use std::borrow::Cow;
use std::path::Path;

use anyhow::{Context as _, bail};
use lookalike_core::Signature;
use lookalike_corpus::Sources;
use lookalike_engine::Run;
use lookalike_engine::run::{ClusterFilter, ClusterOrder, ClusterSummary, Clusters};
use lookalike_engine::signature_file::{SignatureReader, is_signature_file};
use lookalike_index::{Content, Document, Index, Seen};

use super::documents::{Origin, SeenFrom, Sink, content_bytes, read};
use crate::clock;
use crate::exit::{Outcome, say};
use crate::flags::{Counting, Reading};
use crate::output::{bytes, count, grouped};

pub(crate) fn run(
    index: &Index,
    inputs: &[String],
    reading: &Reading,
    counting: &Counting,
) -> anyhow::Result<Outcome> {
    let counting = &SeenFrom::new(index, counting);
    let is_signatures = |input: &&String| {
        let path = Path::new(input.as_str());
        path.is_file() && is_signature_file(path).unwrap_or(false)
    };
    let is_run = |input: &&String| Run::is_at(Path::new(input.as_str()));
    let (signatures, others): (Vec<&String>, Vec<&String>) = inputs.iter().partition(is_signatures);
    let (runs, documents): (Vec<&String>, Vec<&String>) = others.into_iter().partition(is_run);
    for input in signatures {
        load_signatures(index, Path::new(input))?;
    }
    for input in runs {
        load_run(index, Path::new(input), counting)?;
    }
    if documents.is_empty() {
        return Ok(Outcome::Done);
    }
    let documents: Vec<String> = documents.into_iter().cloned().collect();
    let sources = Sources::by_name(&documents, reading.documents.format)?;
    let mut adding = Adding { index, added: 0, replaced: 0 };
    let read = read("add", sources, reading, counting, &mut adding)?;
    say(&format!(
        "{} added{}{}; read {} in {:.1} s",
        count(adding.added, "document"),
        match adding.replaced {
            0 => String::new(),
            replaced => format!(" ({} in the place of one of the same id)", grouped(replaced)),
        },
        read.remarks(),
        bytes(read.bytes),
        read.seconds,
    ));
    if read.interrupted {
        bail!("interrupted\nhint: what was added stays; adding the rest again does no harm");
    }
    Ok(read.outcome())
}

struct Adding<'a> {
    index: &'a Index,
    added: u64,
    replaced: u64,
}

impl Sink for Adding<'_> {
    fn batch(&mut self, documents: &[Document<'_>], _: Vec<Origin>) -> anyhow::Result<()> {
        for added in self.index.add_batch(documents)? {
            self.added += 1;
            self.replaced += u64::from(added.replaced);
        }
        Ok(())
    }
}

/// What the clusters of a run may take in memory, and how many are looked at together.
const CLUSTER_BYTES: u64 = 1 << 30;
const PAGE: usize = 1000;

/// Adds what a signature file has.
fn load_signatures(index: &Index, path: &Path) -> anyhow::Result<()> {
    let mut reader = SignatureReader::open(path)?;
    refuse_other_templates(index, path)?;
    index
        .recipe()
        .check_same_bits(reader.recipe())
        .with_context(|| format!("`{}`: is not of the recipe of this index", path.display()))?;
    let (mut id, mut signature) = (String::new(), Signature::default());
    let mut fault = None;
    let documents = std::iter::from_fn(|| match reader.read(&mut id, &mut signature) {
        Ok(true) => Some(signed(&id, &signature)),
        Ok(false) => None,
        Err(error) => {
            fault = Some(error);
            None
        }
    });
    let added = index.load(documents)?;
    if let Some(fault) = fault {
        return Err(fault.into());
    }
    say(&format!("{} added from `{}`", count(added, "signature"), path.display()));
    Ok(())
}

/// Adds the documents of a run that stayed.
fn load_run(index: &Index, path: &Path, counting: &SeenFrom<'_>) -> anyhow::Result<()> {
    let run = Run::open(path)?;
    let mut loading = Loading { index, batch: Vec::new(), bytes: 0, added: 0 };
    let templates = index.recipe().templates.are_learned();
    // What the index keeps beyond signatures is in the documents only, and signatures without
    // templates are those of the templates of a run.
    if (index.stores_text() || index.keeps_bits() || templates) && run.has_inputs() {
        run.for_each_survivor(|file, record| loading.push(counting.document(record, Some(file))))?;
    } else {
        refuse_other_templates(index, path)?;
        index.recipe().check_same_bits(run.recipe()).with_context(|| {
            format!("`{}`: its signatures are not of the recipe of this index", path.display())
        })?;
        run.for_each_surviving_signature(|id, signature| loading.push(signed(id, signature)))?;
    }
    let added = loading.finish()?;
    let counted = count_removed(index, run, counting)?;
    say(&format!(
        "{} added that stayed in `{}`, {} counted that went",
        count(added, "document"),
        path.display(),
        grouped(counted)
    ));
    Ok(())
}

/// Counts the documents of a run that went for those that stand for them; how many.
fn count_removed(index: &Index, run: Run, counting: &SeenFrom<'_>) -> anyhow::Result<u64> {
    let clusters = Clusters::open(run, CLUSTER_BYTES)?;
    let (mut next, mut counted) = (Some(0), 0);
    while let Some(after) = next {
        let page = clusters.page(&ClusterFilter::default(), ClusterOrder::Input, after, PAGE)?;
        next = page.next;
        for ClusterSummary { cluster, size, .. } in page.clusters {
            let keeper = clusters.keeper(cluster)?.id;
            for from in (1..size).step_by(Loading::BATCH) {
                let members = clusters.members(cluster, from, Loading::BATCH as u64)?;
                let seen: Vec<Seen<'_>> =
                    members.iter().filter_map(|member| counting.member(member, &keeper)).collect();
                counted +=
                    index.count_batch(&seen)?.into_iter().filter(|is_new| *is_new).count() as u64;
            }
        }
    }
    Ok(counted)
}

/// Signatures of documents without their templates say nothing of which templates.
fn refuse_other_templates(index: &Index, path: &Path) -> anyhow::Result<()> {
    if !index.recipe().templates.are_learned() {
        return Ok(());
    }
    bail!(
        "`{}`: its signatures may have been made with other templates than those of this index; \
         add the documents",
        path.display()
    )
}

fn signed(id: &str, signature: &Signature) -> Document<'static> {
    let signature = Cow::Owned(signature.clone());
    let content = Content::Signed { signature, bytes: 0 };
    Document::new(id.to_owned(), content).with_time(clock::now())
}

/// Documents on the way to a bulk load.
struct Loading<'a> {
    index: &'a Index,
    batch: Vec<Document<'static>>,
    /// Of its contents.
    bytes: usize,
    added: u64,
}

impl Loading<'_> {
    /// Many enough that to make them durable costs little.
    const BATCH: usize = 20_000;
    /// The bytes of contents from which on it is full.
    const BATCH_BYTES: usize = 64 << 20;

    fn push(&mut self, document: Document<'static>) -> anyhow::Result<()> {
        self.bytes += content_bytes(&document);
        self.batch.push(document);
        let full = self.batch.len() >= Self::BATCH || self.bytes >= Self::BATCH_BYTES;
        if full { self.flush() } else { Ok(()) }
    }

    fn flush(&mut self) -> anyhow::Result<()> {
        self.added += self.index.load(self.batch.drain(..))?;
        self.bytes = 0;
        Ok(())
    }

    fn finish(mut self) -> anyhow::Result<u64> {
        self.flush()?;
        Ok(self.added)
    }
}
