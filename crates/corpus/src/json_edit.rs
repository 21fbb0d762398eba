//! Changes of a line of JSON, as it is spelt.
//!
//! Of a string only what stands for the bytes of a cut is left out; escapes stay as they are. What is
//! read as U+FFFD, half of a surrogate pair and bytes that are no UTF-8, is written as that: two halves
//! that come together would be a character.

use crate::edits::{AddedField, AddedValue, Change, Cutter};
use crate::error::EditFault;
use crate::json;
use crate::json_spelt::{Escape, Path, REPLACEMENT, REPLACEMENT_ESCAPE, members, texts};
use crate::record::Context;
use crate::split;

/// Writes a line with the changes.
pub(crate) fn write_changed(
    stored: &[u8],
    number: u64,
    change: &Change,
    added: &[AddedField],
    context: &Context,
    out: &mut Vec<u8>,
) -> Result<(), EditFault> {
    let line = split::content(stored);
    json::with_line(line, number, context, |record| match record {
        Ok(record) => change.check_record(&record),
        Err(fault) => Err(EditFault::Unreadable(fault)),
    })?;
    let mut written = 0;
    if !change.keeps_text() {
        let mut cutter = Cutter::new(&change.cuts);
        for (i, text) in texts(line, &Path::new(&context.options.fields.text)).iter().enumerate() {
            if i > 0 {
                // The line end between two texts stands nowhere.
                cutter.keeps(1);
            }
            if text.is_empty() {
                continue;
            }
            let start = text.as_ptr().addr() - line.as_ptr().addr();
            out.extend_from_slice(&line[written..start]);
            cut_string(text, &mut cutter, out);
            written = start + text.len();
        }
    }
    // A record that can be read has a field, so a comma is needed.
    let end = if added.is_empty() { written } else { line.trim_ascii_end().len() - 1 };
    out.extend_from_slice(&line[written..end]);
    if !added.is_empty() {
        check_free(line, added)?;
        let fields = added.iter().enumerate();
        let fields: Vec<_> = fields.map(|(i, f)| (&*f.name, change.value(i))).collect();
        out.push(b',');
        write_members(&fields, out);
    }
    out.extend_from_slice(&stored[end..]);
    Ok(())
}

/// Fails if the object has a field of the name of one that is added, or of what that would be in.
fn check_free(line: &[u8], added: &[AddedField]) -> Result<(), EditFault> {
    for (key, _) in members(line) {
        let is_taken =
            |field: &&AddedField| field.name == key.0 || split_name(&field.name).0 == key.0;
        if let Some(field) = added.iter().find(is_taken) {
            return Err(EditFault::Taken { field: field.name.clone(), by: key.0.into_owned() });
        }
    }
    Ok(())
}

fn split_name(name: &str) -> (&str, Option<&str>) {
    name.split_once('.').map_or((name, None), |(first, rest)| (first, Some(rest)))
}

/// Writes fields without braces around them, those of one object together where its first is.
fn write_members(fields: &[(&str, &AddedValue)], out: &mut Vec<u8>) {
    for (i, (name, value)) in fields.iter().enumerate() {
        let (first, rest) = split_name(name);
        let of_same = |(name, _): &&(&str, &AddedValue)| split_name(name).0 == first;
        if fields[..i].iter().any(|field| of_same(&field)) {
            continue;
        }
        if i > 0 {
            out.push(b',');
        }
        write_json(first, out);
        out.push(b':');
        if rest.is_none() {
            write_json(value, out);
            continue;
        }
        let within: Vec<_> = fields
            .iter()
            .filter(of_same)
            .filter_map(|(name, value)| Some((split_name(name).1?, *value)))
            .collect();
        out.push(b'{');
        write_members(&within, out);
        out.push(b'}');
    }
}

/// The value as JSON.
pub(crate) fn write_json(value: &(impl serde::Serialize + ?Sized), out: &mut Vec<u8>) {
    // Strings, numbers and lists of them can be written, and a vector takes everything.
    let written = serde_json::to_writer(out, value);
    debug_assert!(written.is_ok(), "{written:?}");
}

/// What stays of a string, in its quotes.
fn cut_string(spelt: &[u8], cutter: &mut Cutter<'_>, out: &mut Vec<u8>) {
    let mut rest = &spelt[1..spelt.len() - 1];
    out.push(b'"');
    while !rest.is_empty() {
        let plain = memchr::memchr(b'\\', rest).unwrap_or(rest.len());
        for chunk in rest[..plain].utf8_chunks() {
            cutter.kept(chunk.valid().as_bytes()).for_each(|kept| out.extend_from_slice(kept));
            if !chunk.invalid().is_empty() && cutter.keeps(REPLACEMENT.len()) {
                out.extend_from_slice(REPLACEMENT);
            }
        }
        rest = &rest[plain..];
        if rest.is_empty() {
            break;
        }
        let escape = Escape::at(rest);
        let (spelt, after) = rest.split_at(escape.spelt().min(rest.len()));
        if cutter.keeps(escape.decoded()) {
            let is_half = escape == Escape::Half;
            out.extend_from_slice(if is_half { REPLACEMENT_ESCAPE } else { spelt });
        }
        rest = after;
    }
    out.push(b'"');
}
