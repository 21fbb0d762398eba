//! Pages that stand under very many addresses of their site.

use std::fmt::Write as _;
use std::fs;

use lookalike_core::Sequence;
use lookalike_engine::report::Trap;

use crate::dedup::{folder, job, run, words};

/// A shop with a calendar without end, and what is like it but no trap.
#[test]
fn traps_are_named_with_the_pattern_of_their_addresses() {
    let folder = folder("dedup/traps");
    let mut random = Sequence::new(4, 4);
    let mut lines = String::new();
    let mut add = |url: &str, text: &str| {
        writeln!(lines, "{{\"url\":\"{url}\",\"text\":\"{text}\"}}").unwrap();
    };
    let [calendar, session, elsewhere] = [0, 1, 2].map(|_| words(&mut random, 80).join(" "));
    for day in 0..400 {
        // The date changes, and is found to be near; others are copies.
        let text = format!("{calendar} {}", if day % 3 == 0 { "today" } else { "tomorrow" });
        add(&format!("https://www.shop.example/calendar/{}?day={day}&view=week", day / 100), &text);
    }
    for number in 0..60 {
        let sid = random.next();
        add(&format!("https://www.shop.example/basket?sid={sid:016x}"), &session);
        // The same number of addresses, but on a site each.
        add(&format!("https://www.site{number}.example/about"), &elsewhere);
        // One address that was read again and again is one.
        add("https://www.shop.example/again", &words(&mut Sequence::new(8, 8), 50).join(" "));
        add(&format!("https://www.shop.example/goods/{number}"), &words(&mut random, 50).join(" "));
    }
    let input = folder.join("in.jsonl");
    fs::write(&input, lines).unwrap();
    let report = run(&job(&input).memory(80 << 20), &folder.join("out"));
    let traps = report.sites.unwrap().traps;
    let found: Vec<_> = traps
        .iter()
        .map(|Trap { site, addresses, pattern, .. }| (&**site, *addresses, &**pattern))
        .collect();
    assert_eq!(
        found,
        [
            ("shop.example", 400, "www.shop.example/calendar/*?day=*&view=week"),
            ("shop.example", 60, "www.shop.example/basket?sid=*"),
        ]
    );
    assert!(traps.iter().all(|trap| trap.examples.len() == 3));
    assert!(
        traps[0].examples.iter().all(|url| url.starts_with("https://www.shop.example/calendar/"))
    );
}
