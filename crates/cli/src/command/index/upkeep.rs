//! `lookalike index remove`, `get`, `stats`, `verify`, `compact` and `rebuild`.

use std::fs::File;
use std::io::{self, BufRead, BufReader};

use anyhow::{Context as _, bail};
use lookalike_index::{ContentKind, Index};
use serde_json::json;

use crate::exit::{Outcome, say, tell};
use crate::output::{self, Align, Table, bytes, count, grouped, printable};

/// Documents that are removed together.
const BATCH: usize = 10_000;

/// Ids that are named.
const NAMED: usize = 5;

pub(super) fn remove(index: &Index, ids: &[String], file: Option<&str>) -> anyhow::Result<Outcome> {
    let lines: Box<dyn BufRead> = match file {
        None => Box::new(io::empty()),
        Some("-") => Box::new(io::stdin().lock()),
        Some(path) => {
            let file = File::open(path);
            Box::new(BufReader::new(file.map_err(|e| anyhow::anyhow!("`{path}`: {e}"))?))
        }
    };
    let lines = lines.lines().map(|line| {
        line.with_context(|| format!("`{}`: cannot be read", file.unwrap_or_default()))
    });
    let mut ids = ids.iter().cloned().map(Ok).chain(lines);
    let (mut removed, mut missing, mut named) = (0, 0, Vec::new());
    loop {
        let batch = ids.by_ref().take(BATCH).collect::<anyhow::Result<Vec<String>>>()?;
        if batch.is_empty() {
            break;
        }
        for (id, was_there) in batch.iter().zip(index.remove_batch(&batch)?) {
            if was_there {
                removed += 1;
            } else {
                missing += 1;
                if named.len() < NAMED {
                    named.push(printable(id));
                }
            }
        }
    }
    say(&format!("{} removed", count(removed, "document")));
    if missing == 0 {
        return Ok(Outcome::Done);
    }
    let more = if missing > named.len() as u64 { ", ..." } else { "" };
    say(&format!("{} not there: {}{more}", grouped(missing), named.join(", ")));
    Ok(Outcome::No)
}

pub(super) fn content(index: &Index, id: &str) -> anyhow::Result<Outcome> {
    if index.get(id)?.is_none() {
        tell(&format!("there is no document `{}`", printable(id)));
        return Ok(Outcome::No);
    }
    let Some(content) = index.content(id)? else {
        bail!("the content of `{}` is not stored", printable(id));
    };
    output::write(content).map(|()| Outcome::Done)
}

pub(super) fn get(index: &Index, id: &str, json: bool) -> anyhow::Result<Outcome> {
    let Some(record) = index.get(id)? else {
        tell(&format!("there is no document `{}`", printable(id)));
        return Ok(Outcome::No);
    };
    let stored = record.stored.map(ContentKind::name);
    if json {
        output::write_json(&json!({
            "id": record.id,
            "url": record.url,
            "number": record.number,
            "bytes": record.bytes,
            "tokens": record.signature.tokens,
            "time": record.time,
            "stored": stored,
        }))?;
        return Ok(Outcome::Done);
    }
    let mut table = Table::new(&[Align::Left, Align::Left]);
    table.row(["id", &printable(&record.id)]);
    if let Some(url) = &record.url {
        table.row(["url", &printable(url)]);
    }
    table.row(["tokens", &grouped(record.signature.tokens)]);
    table.row(["length", &bytes(record.bytes)]);
    table.row(["stored", stored.unwrap_or("only its signature")]);
    output::write(table.text())?;
    Ok(Outcome::Done)
}

pub(super) fn stats(index: &Index, json: bool) -> anyhow::Result<Outcome> {
    let stats = index.stats()?;
    let recipe = index.recipe();
    if json {
        output::write_json(&json!({
            "recipe": recipe.name,
            "recipe_digest": recipe.digest().to_string(),
            "stores_text": index.stores_text(),
            "documents": stats.documents,
            "removed": stats.removed,
            "templates": stats.templates,
            "operations": stats.operations,
            "runs": stats.segments,
            "postings": stats.postings,
            "recent_postings": stats.recent_postings,
            "filter_bytes": stats.filter_bytes,
            "postings_bytes": stats.postings_bytes,
            "disk_bytes": stats.disk_bytes,
        }))?;
        return Ok(Outcome::Done);
    }
    let mut table = Table::new(&[Align::Left, Align::Left]);
    table.row(["recipe", &printable(&recipe.name)]);
    table.row(["documents", &grouped(stats.documents)]);
    table.row(["stored", if index.stores_text() { "contents" } else { "signatures only" }]);
    if stats.templates > 0 {
        table.row(["sites with a template", &grouped(stats.templates)]);
    }
    table.row(["removed, still in lists", &grouped(stats.removed)]);
    table.row(["postings", &grouped(stats.postings + stats.recent_postings)]);
    table.row(["files of postings", &grouped(stats.segments)]);
    table.row(["on disk", &bytes(stats.disk_bytes)]);
    if let Some(each) = stats.disk_bytes.checked_div(stats.documents) {
        table.row(["on disk, a document", &bytes(each)]);
    }
    output::write(table.text())?;
    Ok(Outcome::Done)
}

pub(super) fn verify(index: &Index, json: bool) -> anyhow::Result<Outcome> {
    let verified = index.verify()?;
    if json {
        output::write_json(&json!({
            "documents": verified.documents,
            "contents": verified.contents,
            "postings": verified.postings,
        }))?;
    }
    say(&format!(
        "no damage: {}, {} and {} read and compared",
        count(verified.documents, "document"),
        count(verified.contents, "content"),
        count(verified.postings, "posting"),
    ));
    Ok(Outcome::Done)
}

/// Compacts an index, and looks at it once more when it is closed: its journals are emptied then.
pub(super) fn compact(
    open: impl Fn() -> anyhow::Result<Index>,
    json: bool,
) -> anyhow::Result<Outcome> {
    let index = open()?;
    let before = index.stats()?.disk_bytes;
    index.compact()?;
    drop(index);
    let after = open()?.stats()?.disk_bytes;
    if json {
        output::write_json(&json!({ "disk_bytes_before": before, "disk_bytes": after }))?;
    }
    say(&format!("{} on disk, {} before", bytes(after), bytes(before)));
    Ok(Outcome::Done)
}

/// Says what a rebuild found.
pub(super) fn rebuilt(index: &Index, json: bool) -> anyhow::Result<Outcome> {
    let Some(rebuilt) = index.rebuilt() else { bail!("the index was not rebuilt") };
    if json {
        output::write_json(&json!({
            "documents": rebuilt.documents,
            "damaged": rebuilt.damaged,
            "missing": rebuilt.missing,
            "lost_operations": rebuilt.lost_operations,
            "faults": rebuilt.faults,
        }))?;
    }
    for fault in &rebuilt.faults {
        tell(&printable(fault));
    }
    let more = rebuilt.damaged - rebuilt.faults.len() as u64;
    if more > 0 {
        tell(&format!("and {} more", grouped(more)));
    }
    say(&format!("{} in the index", count(rebuilt.documents, "document")));
    if rebuilt.is_complete() {
        return Ok(Outcome::Done);
    }
    say(&format!(
        "{} left out as damaged, {} missing, {} lost; the old files are in a folder `replaced-N` of \
         the index",
        grouped(rebuilt.damaged),
        grouped(rebuilt.missing),
        count(rebuilt.lost_operations, "acknowledged operation"),
    ));
    Ok(Outcome::Skipped)
}
