//! The page to judge pairs on.
//!
//! One file with a script of ours. What documents say is data: JSON in which
//! nothing can end the element it stands in, shown by the script as text and
//! never as markup. The content policy runs no script but the one that has this
//! page's nonce, which is a hash of all of its data, so that no document can
//! know it. Recipes and similarities are not on the page: whoever judges should
//! not know what programs think.

use lookalike_engine::report::Piece;
use lookalike_eval::Sample;
use serde::Serialize;
use xxhash_rust::xxh3::xxh3_128;

use crate::frame::STYLE;

const MORE_STYLE: &str = include_str!("judge.css");
const SCRIPT: &str = include_str!("judge.js");

/// What the page knows of a pair.
#[derive(Serialize)]
struct PairData<'a> {
    a: &'a str,
    b: &'a str,
    weight: f64,
    beginnings: &'a [String; 2],
    pieces: &'a [Piece],
    deleted: u64,
    inserted: u64,
    places: u64,
    shortened: bool,
}

/// The page to judge a sample of pairs on.
pub fn judge(sample: &Sample) -> String {
    let shown = sample.pairs.iter().map(|pair| PairData {
        a: &pair.a,
        b: &pair.b,
        weight: pair.weight,
        beginnings: &pair.beginnings,
        pieces: &pair.difference.pieces,
        deleted: pair.difference.deleted,
        inserted: pair.difference.inserted,
        places: pair.difference.places,
        shortened: pair.difference.shortened,
    });
    let data = json(&shown.collect::<Vec<PairData<'_>>>());
    let name = format!("{:032x}", xxh3_128(data.as_bytes()));
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src 'unsafe-inline'; script-src 'nonce-{name}'\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"referrer\" content=\"no-referrer\">\n\
         <title>Pairs to judge - Lookalike</title>\n<style>\n{STYLE}{MORE_STYLE}</style>\n\
         </head>\n<body>\n<header>\n<h1>Look-alikes: pairs to judge</h1>\n\
         <div class=\"progress\"><span id=\"done\"></span><progress id=\"bar\"></progress></div>\n\
         </header>\n<main>\n\
         <noscript><p>This page needs its script, which asks and sends nothing.</p></noscript>\n\
         <div id=\"pair\" aria-live=\"polite\"></div>\n\
         <div class=\"answers\">\n\
         <button type=\"button\" data-label=\"correct\"><kbd>c</kbd> correct</button>\n\
         <button type=\"button\" data-label=\"incorrect\"><kbd>i</kbd> incorrect</button>\n\
         <button type=\"button\" data-label=\"undecided\"><kbd>u</kbd> undecided</button>\n\
         <input id=\"reason\" list=\"reasons\" placeholder=\"reason (r), if you like\" \
         aria-label=\"reason\" autocomplete=\"off\">\n\
         <datalist id=\"reasons\"><option>URL only<option>time stamp only<option>execution time \
         only<option>visitor count only<option>message id only<option>combination<option>form\
         <option>different minor item<option>cannot evaluate</datalist>\n\
         <span class=\"moves\"><button type=\"button\" id=\"back\"><kbd>b</kbd> back</button>\n\
         <button type=\"button\" id=\"next\"><kbd>n</kbd> next</button>\n\
         <button type=\"button\" id=\"save\"><kbd>s</kbd> save labels.jsonl</button></span>\n\
         </div>\n<details class=\"plain\"><summary>What is correct?</summary>\n\
         <p>Correct: the two differ only by a session id, a time stamp, an execution time, a \
         message id, a visitor count, a server name or their URL, or in nothing that a visitor \
         sees, or they are entry pages to the same site. Incorrect: the main item is another one. \
         Undecided: all else, such as a prefilled form or another minor item.</p>\n\
         <p>Labels are kept in this browser until you save them. Judge in the order they come, \
         which is random: those that are done are a sample at any time.</p></details>\n</main>\n\
         <script type=\"application/json\" id=\"data\">{data}</script>\n\
         <script nonce=\"{name}\">\nconst NAME = \"{name}\";\n{SCRIPT}</script>\n</body>\n</html>\n",
    )
}

/// JSON that cannot end the element it stands in, nor begin another one.
fn json(pairs: &[PairData<'_>]) -> String {
    // Strings and numbers always have a JSON.
    let json = serde_json::to_string(pairs).unwrap_or_else(|_| "[]".to_owned());
    json.replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}
