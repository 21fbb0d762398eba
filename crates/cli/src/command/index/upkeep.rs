//! `lookalike index remove`, `get`, `stats`, `verify`, `compact` and `rebuild`.

use std::fs::File;
use std::io::{self, BufRead, BufReader};

use anyhow::{Context as _, bail};
use lookalike_index::{ContentKind, Index, Record};
use serde_json::json;

use crate::clock;
use crate::exit::{Outcome, say, tell};
use crate::output::{self, Align, Table, bytes, count, grouped, printable};

/// Documents that are removed together.
const BATCH: usize = 10_000;

/// Ids that are named.
const NAMED: usize = 5;

pub(super) fn remove(
    index: &Index,
    ids: &[String],
    urls: &[String],
    file: Option<&str>,
) -> anyhow::Result<Outcome> {
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
    for url in urls {
        let of_url = remove_url(index, url)?;
        removed += of_url;
        if of_url == 0 {
            missing += 1;
            named.push(printable(url));
        }
    }
    named.truncate(NAMED);
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

/// Removes all documents of a URL; how many there were.
fn remove_url(index: &Index, url: &str) -> anyhow::Result<u64> {
    let mut removed = 0;
    loop {
        let records = of_url(index, url, BATCH)?;
        if records.is_empty() {
            return Ok(removed);
        }
        let ids: Vec<String> = records.into_iter().map(|record| record.id).collect();
        removed += index.remove_batch(&ids)?.into_iter().map(u64::from).sum::<u64>();
    }
}

/// Up to so many documents of a URL, in the order of adding.
fn of_url(index: &Index, url: &str, limit: usize) -> anyhow::Result<Vec<Record>> {
    let (mut records, mut from) = (Vec::new(), Some(0));
    while let Some(next) = from
        && records.len() < limit
    {
        let found = index.of_url(url, next, limit - records.len())?;
        records.extend(found.records);
        from = found.next;
    }
    Ok(records)
}

/// The document of an id or else the first of a URL. Others of the URL are named.
fn find(index: &Index, name: &str) -> anyhow::Result<Option<Record>> {
    if let Some(record) = index.get(name)? {
        return Ok(Some(record));
    }
    if !index.finds_urls() {
        // Without a scheme it is no URL, and not worth a look at all documents.
        if !name.contains(':') {
            return Ok(None);
        }
        say("an earlier version made this index, without keys for URLs: looking at all documents");
    }
    let mut records = of_url(index, name, NAMED + 2)?.into_iter();
    let first = records.next();
    let others: Vec<String> = records.map(|record| printable(&record.id)).collect();
    if !others.is_empty() {
        let more = if others.len() > NAMED { ", ..." } else { "" };
        let named = others[..others.len().min(NAMED)].join(", ");
        say(&format!("the first document of this URL; others are {named}{more}"));
    }
    Ok(first)
}

/// Says that there is none.
fn no_document(name: &str) -> Outcome {
    tell(&format!("there is no document `{}`", printable(name)));
    Outcome::No
}

pub(super) fn content(index: &Index, name: &str) -> anyhow::Result<Outcome> {
    let Some(record) = find(index, name)? else { return Ok(no_document(name)) };
    let Some(content) = index.content(&record.id)? else {
        bail!("the content of `{}` is not stored", printable(name));
    };
    output::write(content).map(|()| Outcome::Done)
}

pub(super) fn get(index: &Index, name: &str, json: bool) -> anyhow::Result<Outcome> {
    let Some(record) = find(index, name)? else { return Ok(no_document(name)) };
    let stored = record.stored.map(ContentKind::name);
    let counts = index.counts(&record)?;
    if json {
        output::write_json(&json!({
            "id": record.id,
            "url": record.url,
            "number": record.number,
            "bytes": record.bytes,
            "tokens": record.signature.tokens,
            "time": record.time,
            "stored": stored,
            "copies": counts.copies,
            "exact_copies": counts.exact_copies,
            "sources": counts.sources,
            "first": counts.first,
            "last": counts.last,
            "at_least": counts.at_least,
        }))?;
        return Ok(Outcome::Done);
    }
    let mut table = Table::new(&[Align::Left, Align::Left]);
    table.row(["id", &printable(&record.id)]);
    if let Some(url) = &record.url {
        table.row(["url", &printable(url)]);
    }
    if record.time > 0 {
        table.row(["added", &clock::utc(record.time)]);
    }
    table.row(["tokens", &grouped(record.signature.tokens)]);
    table.row(["length", &bytes(record.bytes)]);
    table.row(["stored", stored.unwrap_or("only its signature")]);
    let at_least = if counts.at_least { "at least " } else { "" };
    table.row(["copies", &format!("{at_least}{}", grouped(counts.copies))]);
    table.row(["exact copies", &grouped(counts.exact_copies)]);
    table.row(["sources", &grouped(counts.sources)]);
    for (name, date) in [("first", counts.first), ("last", counts.last)] {
        if let Some(date) = date {
            table.row([name, &clock::date(date)]);
        }
    }
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
            "counts": verified.counts,
            "counted": verified.counted,
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
            "uncounted": rebuilt.uncounted,
            "faults": rebuilt.faults,
        }))?;
    }
    for fault in &rebuilt.faults {
        tell(&printable(fault));
    }
    let more = (rebuilt.damaged + rebuilt.uncounted).saturating_sub(rebuilt.faults.len() as u64);
    if more > 0 {
        tell(&format!("and {} more", grouped(more)));
    }
    say(&format!("{} in the index", count(rebuilt.documents, "document")));
    if rebuilt.is_complete() {
        return Ok(Outcome::Done);
    }
    if rebuilt.uncounted > 0 {
        say(&format!("{} lost: documents may be counted again", count(rebuilt.uncounted, "count")));
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
