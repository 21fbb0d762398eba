//! The page to judge pairs on.
//!
//! One file with a script of ours. What documents say is data: JSON in which
//! nothing can end the element it stands in. The content policy runs no script but
//! the one that has this page's nonce, which is a hash of all of its data, so that
//! no document can know it. Recipes and similarities are not on the page: whoever
//! judges should not know what programs think.
//!
//! Ids, addresses and differences are shown as text. Web pages are shown as pages,
//! since the rules ask what a visitor sees, each in a frame behind three walls:
//!
//! 1. The frame is a sandbox that allows nothing: no script, no form, no window, no origin.
//! 2. The policy of this page holds in it, and one of its own: nothing is loaded, from nowhere.
//! 3. The script leaves only what can be seen of the markup: elements that load or run, and
//!    attributes that name an address or a handler, are not in the frame. It reads the
//!    markup by the browser's own parser, into a document that does nothing.
//!
//! A picture is a box with its name, since the names of pictures are terms of a page.

use lookalike_engine::report::Piece;
use lookalike_eval::{PageToJudge, Sample};
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
    pages: [usize; 2],
    pieces: &'a [Piece],
    deleted: u64,
    inserted: u64,
    places: u64,
    shortened: bool,
}

/// What the page knows.
#[derive(Serialize)]
struct Data<'a> {
    pairs: Vec<PairData<'a>>,
    pages: &'a [PageToJudge],
}

/// The page to judge a sample of pairs on.
pub fn judge(sample: &Sample) -> String {
    let shown = sample.pairs.iter().map(|pair| PairData {
        a: &pair.a,
        b: &pair.b,
        weight: pair.weight,
        pages: pair.pages,
        pieces: &pair.difference.pieces,
        deleted: pair.difference.deleted,
        inserted: pair.difference.inserted,
        places: pair.difference.places,
        shortened: pair.difference.shortened,
    });
    let data = json(&Data { pairs: shown.collect(), pages: &sample.pages });
    let name = format!("{:032x}", xxh3_128(data.as_bytes()));
    format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; \
         style-src 'unsafe-inline'; script-src 'nonce-{name}'; base-uri 'none'; \
         form-action 'none'\">\n\
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
         <input id=\"judge\" placeholder=\"your name, if several judge\" aria-label=\"your name\" \
         autocomplete=\"off\">\n\
         <span class=\"moves\"><button type=\"button\" id=\"back\"><kbd>b</kbd> back</button>\n\
         <button type=\"button\" id=\"next\"><kbd>n</kbd> next</button>\n\
         <label class=\"load\">go on from labels <input type=\"file\" id=\"load\" \
         accept=\".jsonl\"></label>\n\
         <button type=\"button\" id=\"save\"><kbd>s</kbd> save labels.jsonl</button></span>\n\
         </div>\n<details class=\"plain\"><summary>What is correct?</summary>\n\
         <p>Correct: the two differ only by a session id, a time stamp, an execution time, a \
         message id, a visitor count, a server name or their URL, or in nothing that a visitor \
         sees, or they are entry pages to the same site. Incorrect: the main item is another one. \
         Undecided: all else, such as a prefilled form or another minor item.</p>\n\
         <p>A form that differs only in values that a visitor can erase, or a difference beside the main \
         item, is undecided: the reasons <i>form</i> and <i>different minor item</i>. A pair that you cannot \
         tell, say for its language, is undecided as <i>cannot evaluate</i>.</p>\n\
         <p>Pages are shown as they were stored, without scripts, and nothing is loaded from anywhere: \
         pictures are boxes with their names, and styles of other files are missing.</p>\n\
         <p>Labels are kept in this browser until you save them. A file that you saved can be loaded again, \
         here or elsewhere, and you go on from there. Judge in the order they come, \
         which is random: those that are done are a sample at any time.</p></details>\n</main>\n\
         <script type=\"application/json\" id=\"data\">{data}</script>\n\
         <script nonce=\"{name}\">\nconst NAME = \"{name}\";\n{SCRIPT}</script>\n</body>\n</html>\n",
    )
}

/// JSON that cannot end the element it stands in, nor begin another one.
fn json(data: &Data<'_>) -> String {
    // Strings and numbers always have a JSON.
    let json = serde_json::to_string(data).unwrap_or_else(|_| "{}".to_owned());
    json.replace('<', "\\u003c")
        .replace('>', "\\u003e")
        .replace('&', "\\u0026")
        .replace('\u{2028}', "\\u2028")
        .replace('\u{2029}', "\\u2029")
}
