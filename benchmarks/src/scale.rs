//! From a signature file to clusters at scale: time, memory and disk, with every answer checked.
//!
//! Writes a real signature file of synthetic documents, finds identity sets,
//! groups and clusters as a job does, and compares all of it with what was
//! planted. The judge knows what was planted, so that the time is that of the
//! engine alone.

use std::fmt::Write as _;
use std::path::Path;

use lookalike_core::{Evidence, Recipe, Signature, Verdict};
use lookalike_engine::identity_sets::{self, Copies, SetTask};
use lookalike_engine::matching::{
    ALL_MEMBERS, Candidate, ClusterTask, Clustering, Clusters, GroupTask, Judge, Pairs, cluster,
    write_groups,
};
use lookalike_engine::signature_file::{SignatureReader, SignatureWriter};
use lookalike_engine::{Existing, Place, Result as EngineResult};

use crate::measuring::{Failure, Scale, Stages};
use crate::planted::{Document, FEATURES, Planted};

fn number(place: Place) -> u32 {
    place.index() as u32
}

/// Accepts what was planted.
struct PlantedJudge(Planted);

impl Judge for PlantedJudge {
    fn judge(
        &mut self,
        candidates: &mut dyn FnMut() -> EngineResult<Option<Candidate>>,
        verdict: &mut dyn FnMut(Candidate, Verdict) -> EngineResult<()>,
    ) -> EngineResult<()> {
        while let Some(candidate) = candidates()? {
            let of = match self.0.document(number(candidate.later)) {
                Document::Near { of, .. } => Some(of),
                _ => None,
            };
            let accepted = of == Some(number(candidate.earlier));
            let rule = Verdict::Accepted(Evidence::Rule);
            verdict(candidate, if accepted { rule } else { Verdict::Refused })?;
        }
        Ok(())
    }
}

/// Runs and checks it in this folder.
pub(crate) fn run(scale: &Scale, folder: &Path) -> Result<(Stages, String), Failure> {
    let planted = Planted { seed: 1 };
    let documents = u64::from(scale.documents);
    // Keepers and bits are part of the job's memory.
    let resident = documents as usize * 9 / 2;
    let Some(budget) = scale.memory.checked_sub(resident).filter(|&budget| budget >= 1 << 20)
    else {
        let message = format!("{documents} documents take {resident} bytes and some to work in");
        return Err(Failure::Broken(message));
    };
    let file = |name: &str| folder.join(name);
    let signatures = file("signatures");
    let mut stages = Stages::start();
    write_signatures(&signatures, planted, scale.documents)?;
    stages.end("signature file");

    let (sides, threads) = (documents.into(), scale.threads);
    let path = &file("copies");
    let task = SetTask { path, folder, budget, threads, documents: sides };
    let copies = identity_sets::find(&task, |push| {
        each_place(&signatures, |place, signature| push(place, signature.exact))
    })?;
    stages.end("identity sets");

    let groups = file("groups");
    let mut passes = ["groups: counting", "groups: filling"].into_iter();
    let task = GroupTask {
        path: &groups,
        folder,
        budget,
        threads,
        documents: sides,
        known_members: ALL_MEMBERS,
    };
    let counts = write_groups(&task, |push| {
        each_place(&signatures, |place, signature| {
            if copies.is_copy(place) { Ok(()) } else { push(place, &signature.features) }
        })?;
        stages.end(passes.next().unwrap_or("groups"));
        Ok(())
    })?;
    stages.end("groups: merging");

    let task = ClusterTask {
        groups: &groups,
        known: 0,
        clustering: Clustering::Anchored,
        judged: Pairs::default(),
        pairs: &file("pairs"),
        keepers: &file("keepers"),
        folder,
        budget,
        threads,
    };
    let clusters = cluster(&task, &mut PlantedJudge(planted), &|_| ())?;
    stages.end("rounds");

    check(planted, &copies, &clusters)?;
    let mut summary = String::new();
    let _ = writeln!(
        summary,
        "{} keys, {} sorted, {} groups, the largest of {}; {} copies; {} candidates, {} pairs, \
         {} rounds; {} groups beyond the limit",
        counts.keys,
        counts.records,
        counts.groups,
        counts.largest,
        copies.count(),
        clusters.candidates,
        clusters.pairs,
        clusters.rounds,
        clusters.limited.groups,
    );
    Ok((stages, summary))
}

fn write_signatures(path: &Path, planted: Planted, documents: u32) -> Result<(), Failure> {
    let recipe = Recipe::default();
    if recipe.features.is_none_or(|filter| filter.k() as usize != FEATURES) {
        return Err(Failure::Broken(format!("the recipe `text` has not {FEATURES} features")));
    }
    let mut writer = SignatureWriter::create(path, &recipe, Existing::Replace)?;
    let (mut signature, mut id) = (Signature::default(), String::new());
    for place in 0..documents {
        id.clear();
        let _ = write!(id, "{place}");
        planted.sign(place, &mut signature);
        writer.push(&id, &signature)?;
    }
    writer.finish()?;
    Ok(())
}

/// Documents are kept in the order of their rows.
fn each_place(
    path: &Path,
    mut visit: impl FnMut(Place, &Signature) -> EngineResult<()>,
) -> EngineResult<()> {
    SignatureReader::open(path)?
        .for_each_row(|row, _, signature| visit(Place::nth(row.into()), signature))
}

/// Everything planted was found, and nothing else.
fn check(planted: Planted, copies: &Copies, clusters: &Clusters) -> Result<(), Failure> {
    let mut list = copies.list()?;
    for (at, &keeper) in Place::all().zip(&clusters.keepers) {
        let (place, keeper) = (number(at), number(keeper));
        let (copy_of, expected) = match planted.document(place) {
            Document::Copy { of } => (Some(of), place),
            Document::Near { of, .. } => (None, of),
            Document::Original | Document::Template => (None, place),
        };
        let wrong = |what: &str| Err(Failure::Wrong(format!("document {place}: {what}")));
        if copies.is_copy(at) != copy_of.is_some() {
            return wrong("is a copy, or is taken for one");
        }
        if let Some(of) = copy_of
            && list
                .next()?
                .is_none_or(|copy| [copy.copy, copy.representative].map(number) != [place, of])
        {
            return wrong("is a copy of another one");
        }
        if keeper != expected {
            return wrong(&format!("{keeper} stands for it, and not {expected}"));
        }
    }
    Ok(())
}
