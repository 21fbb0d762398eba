//! The report: as JSON and back, and the page made of it.

use std::fs;

use lookalike_core::text::Unit;
use lookalike_engine::mirrors::{Mirror, MirrorKind};
use lookalike_engine::numbers::{bytes, duration, grouped};
use lookalike_engine::report::{
    Cluster, Clustering, Counts, CutShare, Fault, FilterSummary, Histogram, Kind, LimitedGroups,
    Member, NearMiss, OtherSources, Passage, PassageExample, Passages, Piece, Repeated, Report,
    Seconds, Site, Sites, Source, Tokens, Trap, Verify, marked_difference,
};
use lookalike_engine::run::MarkedPiece;
use lookalike_pages::report as page;

use crate::folder;

fn member(id: &str, url: Option<&str>, kind: Kind, resemblance: Option<f64>) -> Member {
    Member { id: id.to_owned(), url: url.map(str::to_owned), kind, resemblance, kept: false }
}

/// A report in which every number is another one.
fn full() -> Report {
    let mut resemblance_histogram = Histogram::default();
    resemblance_histogram.add_many(0.85, 70_001);
    resemblance_histogram.add_many(1.0, 70_002);
    let mut refused = Histogram::default();
    refused.add_many(0.61, 70_003);
    let mut report = Report::default();
    report.templates = None;
    report.documents = 10_000_001;
    report.empty = 10_002;
    report.skipped = 10_003;
    report.exact_removed = 1_000_004;
    report.near_removed = 2_000_005;
    report.kept = 6_000_006;
    report.clusters = 500_007;
    report.candidates = 3_000_008;
    report.pairs = 2_100_009;
    report.bytes_read = 80_000_000_010;
    report.text_bytes = 1;
    report.seconds = Seconds {
        learn: 0.5,
        sign: 101.0,
        group: 22.5,
        r#match: 33.25,
        verify: 44.0,
        decide: 5.5,
        passages: 77.5,
        write: 66.0,
        total: 390.0,
    };
    report.peak_memory_bytes = 7_000_000_011;
    report.recipe_digest = String::from("5d2f0c");
    report.rounds = 7;
    report.passages = Some(cut());
    report.version = String::from("9.8.7");
    report.verified = true;
    report.recipe.name = String::from("text");
    report.recipe.threshold = 0.8125;
    report.recipe.verify = Verify::Exact;
    report.recipe.tokens = Tokens::Words;
    report.recipe.filter = Some(FilterSummary { k: 23, s: 17, r: 2 });
    report.recipe.recall = None;
    report.options.keep = String::from("newest:date");
    report.options.cluster = Clustering::Anchored;
    report.options.pairs = String::from("needed");
    report.options.memory_bytes = 5_000_000_012;
    report.options.threads = 313;
    report.filter_curve = vec![[0.0, 0.0], [0.5, 0.123_4], [1.0, 1.0]];
    report.resemblance_histogram = resemblance_histogram;
    report.refused_histogram = Some(refused);
    report.near_misses = vec![NearMiss {
        a: "nearly <one>".to_owned(),
        b: "nearly the other".to_owned(),
        resemblance: 0.799_95,
    }];
    report.cluster_sizes = vec![[2, 60_021], [3, 60_022], [4_023, 1]];
    report.counts = counts();
    report.sources = vec![Source {
        name: "part-1.jsonl".to_owned(),
        documents: 20_013,
        removed: 20_014,
        skipped: 20_015,
    }];
    report.other_sources =
        OtherSources { sources: 20_016, documents: 20_017, removed: 20_018, skipped: 20_019 };
    report.sites = Some(sites());
    report.limited = Some(LimitedGroups {
        groups: 30_020,
        documents: 30_021,
        largest_group: 30_022,
        limit: 30_023,
        consequence: "Only neighbours were compared.".to_owned(),
    });
    report.passed_over =
        [("status 404".to_owned(), 50_031), ("image/png".to_owned(), 50_033)].into();
    report.skipped_examples = vec!["`a.jsonl` line 17: not JSON".to_owned()];
    report.skipped_by_fault = vec![Fault { fault: "not JSON".to_owned(), records: 40_024 }];
    report.largest_clusters = vec![Cluster {
        size: 50_025,
        keeper: "keeper-1".to_owned(),
        keeper_url: Some("http://keeper.example/".to_owned()),
        members: vec![
            member("copy-2", Some("http://a.org/?a&b"), Kind::Exact, Some(1.0)),
            member("near-3", None, Kind::Near, Some(0.8642)),
            member("far-4", None, Kind::Near, None),
        ],
        difference: Some(marked_difference(
            Unit::Words,
            b"the price is 40 euros",
            "near-3",
            b"the price is 55 euros",
        )),
    }];
    report.notes = vec!["A note to read.".to_owned()];
    report
}

fn counts() -> Counts {
    Counts {
        by: "field:crawl & <year>".to_owned(),
        date_field: Some("date".to_owned()),
        copies: vec![[1, 90_001], [2, 90_002]],
        sources: vec![[1, 90_003]],
        most_repeated: vec![Repeated {
            id: "often <found>".to_owned(),
            url: None,
            copies: 90_004,
            exact_copies: 90_005,
            sources: 90_006,
            first: Some("2019-05-06T07:08:09Z".to_owned()),
            last: None,
        }],
    }
}

/// What was cut.
fn cut() -> Passages {
    let share = |name: &str, words, words_cut| CutShare { name: name.to_owned(), words, words_cut };
    let piece = |text: &str| MarkedPiece::Kept(text.to_owned());
    Passages {
        words: 91_001,
        words_cut: 91_002,
        cuts: 91_003,
        documents: 91_004,
        documents_gone: 91_100,
        words_lost: 91_005,
        passages: 91_006,
        lengths: vec![[50, 91_007], [1024, 91_008]],
        copies: vec![[2, 91_009], [3, 91_010]],
        sources: vec![share("cut.jsonl", 91_011, 91_012)],
        sites: vec![share("cut.example", 91_013, 91_014)],
        most_copies: vec![Passage {
            words: 91_015,
            copies: 91_016,
            cuts: 91_017,
            keeper: "keeps-it".to_owned(),
            keeper_url: None,
            begin: 91_018,
            end: 91_019,
            text: "a notice that stands everywhere".to_owned(),
            left_out: 91_020,
            example: PassageExample {
                id: "lost-it".to_owned(),
                url: Some("http://cut.example/".to_owned()),
                begin: 1,
                end: 2,
                text: vec![
                    piece("before"),
                    MarkedPiece::Cut(0, "a notice".to_owned()),
                    MarkedPiece::Gap(91_021),
                    MarkedPiece::Cut(0, "everywhere".to_owned()),
                    piece("behind"),
                ],
            },
        }],
        ..Passages::default()
    }
}

fn sites() -> Sites {
    Sites {
        rule: "public-suffix".to_owned(),
        sites: 80_001,
        documents: 80_002,
        pairs_within: 80_003,
        pairs_across: 80_004,
        most_removed: vec![Site {
            name: "site-<1>.example".to_owned(),
            documents: 80_005,
            removed: 80_006,
            share: 0.5,
        }],
        limited_sets: 80_007,
        mirrors_found: 80_008,
        mirrors: vec![Mirror {
            a: "a.example/".to_owned(),
            b: "b.example/<i>/".to_owned(),
            kind: MirrorKind::Prefix,
            pages_a: 100_000,
            pages_b: 200_000,
            matched: 80_009,
            share_a: 0.800_09,
            share_b: 0.400_045,
            examples: vec![(
                "http://a.example/<b>".to_owned(),
                "http://b.example/<i>/<b>".to_owned(),
                Some(0.9753),
            )],
        }],
        traps: vec![Trap {
            site: "site-<2>.example".to_owned(),
            addresses: 80_010,
            pattern: "site-<2>.example/<b>/*?sid=*".to_owned(),
            examples: vec!["http://site-<2>.example/<b>/1".to_owned()],
        }],
    }
}

/// Checks that every element is closed in order, that quotes are closed, and that no element or
/// attribute occurs that the page does not use.
fn check_well_formed(html: &str) {
    const VOID: [&str; 1] = ["meta"];
    const ATTRIBUTES: &str = " aria-hidden aria-label aria-labelledby charset class content cx cy \
         dir height href http-equiv id lang name open points preserveAspectRatio r role scope \
         text-anchor title viewBox width x x1 x2 y y1 y2 ";
    let mut open: Vec<&str> = Vec::new();
    let mut rest = html.strip_prefix("<!DOCTYPE html>\n").expect("a document type");
    while let Some(start) = rest.find('<') {
        assert!(!rest[..start].contains('>'), "a stray `>` near {:?}", &rest[..start]);
        let end = start + rest[start..].find('>').expect("an open tag");
        let tag = &rest[start + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "closed in disorder");
            continue;
        }
        assert!(tag.matches('"').count().is_multiple_of(2), "an open quote: {tag}");
        let outside: String = tag.split('"').step_by(2).collect();
        let mut words = outside.trim_end_matches('/').split_whitespace();
        let name = words.next().expect("a name");
        assert!(tag.starts_with(name), "{tag}");
        for word in words {
            let attribute = format!(" {} ", word.trim_end_matches('='));
            assert!(ATTRIBUTES.contains(&attribute), "{attribute} in {tag}");
        }
        let name = tag.split([' ', '/']).next().unwrap_or_default();
        if name == "style" {
            rest = &rest[rest.find("</style>").expect("an end of the style")..];
        }
        if !tag.ends_with('/') && !VOID.contains(&name) {
            open.push(name);
        }
    }
    assert!(open.is_empty(), "never closed: {open:?}");
}

/// What a reader sees: the page without its tags and its style.
fn text_of(html: &str) -> String {
    let body = &html[html.find("<body>").expect("a body")..];
    let mut text = String::new();
    for part in body.split('<') {
        text += part.split_once('>').map_or("", |(_, text)| text);
        text.push(' ');
    }
    text
}

#[test]
fn written_reports_can_be_read_again() {
    let folder = folder("round_trip");
    let report = full();
    report.write(&folder, Some(page)).unwrap();
    let read = Report::read(folder.join("report.json")).unwrap();
    assert_eq!(read, report);
    assert_eq!(fs::read_to_string(folder.join("report.html")).unwrap(), page(&read));
    // A second one takes the place of the first, and leaves nothing else.
    Report::default().write(&folder, Some(page)).unwrap();
    assert_eq!(Report::read(folder.join("report.json")).unwrap(), Report::default());
    assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);
}

#[test]
fn machines_find_the_names_of_the_contract() {
    let json = serde_json::to_value(full()).unwrap();
    let number = |name: &str| json[name].as_u64().unwrap_or_else(|| panic!("no {name}"));
    assert_eq!(number("documents"), 10_000_001);
    assert_eq!(number("empty"), 10_002);
    assert_eq!(number("skipped"), 10_003);
    assert_eq!(number("exact_removed"), 1_000_004);
    assert_eq!(number("near_removed"), 2_000_005);
    assert_eq!(number("kept"), 6_000_006);
    assert_eq!(number("clusters"), 500_007);
    assert_eq!(number("candidates"), 3_000_008);
    assert_eq!(number("pairs"), 2_100_009);
    assert_eq!(number("bytes_read"), 80_000_000_010);
    assert_eq!(number("peak_memory_bytes"), 7_000_000_011);
    assert_eq!(json["recipe_digest"], "5d2f0c");
    assert_eq!(json["recipe"]["verify"], "exact");
    assert_eq!(json["options"]["cluster"], "anchored");
    assert_eq!(json["resemblance_histogram"].as_array().unwrap().len(), 100);
    assert_eq!(json["resemblance_histogram"][85], 70_001);
    assert_eq!(json["cluster_sizes"][2], serde_json::json!([4023, 1]));
    let text = serde_json::to_string(&full().seconds).unwrap();
    let names = ["sign", "group", "match", "verify", "decide", "write", "total"];
    let places = names.map(|name| text.find(&format!("\"{name}\":")).expect(name));
    assert!(places.is_sorted(), "{text}");
}

#[test]
fn what_is_no_report_is_refused_with_its_place() {
    let path = folder("no_report").join("report.json");
    let refused = Report::read(&path).unwrap_err();
    assert!(refused.is_io());
    fs::write(&path, "{\n  \"documents\": 1,\n  \"empty\": -3\n}").unwrap();
    let refused = Report::read(&path).unwrap_err();
    assert!(refused.is_corruption());
    let says = refused.to_string();
    assert!(says.contains("is damaged at byte 32: expected the JSON of a report"), "{says}");
}

#[test]
fn every_number_is_on_the_page() {
    let html = page(&full());
    check_well_formed(&html);
    let text = text_of(&html);
    let numbers = [
        10_000_001,
        10_002,
        10_003,
        1_000_004,
        2_000_005,
        6_000_006,
        500_007,
        3_000_008,
        2_100_009,
        80_000_000_010,
        7_000_000_011,
        5_000_000_012,
        20_013,
        20_014,
        20_015,
        20_016,
        20_017,
        20_018,
        20_019,
        30_020,
        30_021,
        30_022,
        30_023,
        40_024,
        50_025,
        60_021,
        60_022,
        4_023,
        70_001,
        70_002,
        70_003,
        80_001,
        80_002,
        80_003,
        80_004,
        80_005,
        80_006,
        80_007,
        80_008,
        80_009,
        // Pairs of which a document has no URL.
        2_100_009 - 80_003 - 80_004,
        313,
        23,
        17,
        91_001,
        91_002,
        91_003,
        91_004 + 91_100,
        91_100,
    ];
    let numbers = numbers.into_iter().chain(90_001..=90_006).chain(91_005..=91_021);
    for number in numbers {
        assert!(text.contains(&grouped(number)), "{number}");
    }
    for seconds in [101.0, 22.5, 33.25, 44.0, 5.5, 66.0, 77.5, 390.0] {
        assert!(text.contains(&duration(seconds)), "{seconds}");
    }
    for words in [
        "Of 10,000,001 documents 3,000,009 were removed: 1,000,004 exact copies and 2,000,005 \
         near-duplicates.",
        "Every removed document has a verified look-alike that was kept.",
        &bytes(80_000_000_010),
        "5d2f0c",
        "9.8.7",
        "0.8125",
        "newest:date",
        "needed",
        "12.34 %",
        "part-1.jsonl",
        "Only neighbours were compared.",
        "`a.jsonl` line 17: not JSON",
        "keeper-1",
        "copy-2",
        "http://a.org/?a&amp;b",
        "http://keeper.example/",
        "near-3",
        "0.8642",
        "not known",
        "1 word deleted, 1 inserted in 1 place.",
        "A note to read.",
        "by the public suffix list",
        "site-&lt;1&gt;.example",
        "a.example/",
        "b.example/&lt;i&gt;/",
        "80.0 %",
        "40.0 %",
        "http://b.example/&lt;i&gt;/&lt;b&gt;",
        "0.9753",
    ] {
        assert!(text.contains(words), "{words}");
    }
    assert!(html.contains("<code>lookalike view DIR</code>"), "where all clusters are");
    assert!(html.contains("the price is <del>40</del> <ins>55</ins> euros"));
}

/// Pairs by the share of words that differ have an axis of their own.
#[test]
fn differences_are_drawn_where_they_decide() {
    let mut report = full();
    assert!(!page(&report).contains("words of both that differ"));
    let mut histogram = Histogram::default();
    for share in [0.004, 0.03, 0.03, 0.1] {
        histogram.add(share);
    }
    report.recipe.verify = Verify::Difference;
    report.difference_histogram = Some(histogram);
    let html = page(&report);
    check_well_formed(&html);
    let text = text_of(&html);
    assert!(text.contains("4 pairs by the share of the words of both that differ."), "{text}");
    assert!(html.contains("0.03 to 0.04: 2 pairs"));
}

#[test]
fn only_what_was_computed_is_called_verified() {
    let mut report = full();
    let mut page = |verify: Verify, cluster: Clustering, near: u64| {
        report.recipe.verify = verify;
        report.options.cluster = cluster;
        report.near_removed = near;
        let html = page(&report);
        check_well_formed(&html);
        text_of(&html)
    };
    for verify in [Verify::Estimate, Verify::None] {
        for cluster in [Clustering::Anchored, Clustering::Components] {
            let page = page(verify, cluster, 7);
            assert!(!page.contains("verified"));
            assert!(page.contains("open to forgery: a text can be made on purpose"));
        }
    }
    let components = page(Verify::Exact, Clustering::Components, 7);
    assert!(!components.contains("forgery"));
    assert!(components.contains("connected to one that was kept by verified pairs, directly or"));
    assert!(!components.contains("has a verified look-alike"));
    let in_order = page(Verify::Difference, Clustering::Anchored, 7);
    assert!(in_order.contains("has a verified look-alike") && !in_order.contains("forgery"));
    assert!(in_order.contains("or more of the words of both in the same order"));
    assert!(!in_order.contains("At the threshold of"));
    let exact_only = page(Verify::None, Clustering::Components, 0);
    assert!(exact_only.contains("1,000,004 were removed, all of them exact copies."));
    assert!(exact_only.contains("the same words in the same order as one that was kept."));
}

#[test]
fn nothing_and_very_much_make_a_page() {
    let empty = Report::default();
    check_well_formed(&page(&empty));
    assert!(text_of(&page(&empty)).contains("No document was read."));

    let nothing_removed = {
        let mut report = Report::default();
        report.documents = 12;
        report.kept = 12;
        report
    };
    check_well_formed(&page(&nothing_removed));
    let text = text_of(&page(&nothing_removed));
    assert!(text.contains("Of 12 documents none was removed: no pair of look-alikes was found."));

    let odd = f64::NAN;
    let mut huge = full();
    huge.documents = u64::MAX;
    huge.exact_removed = 1;
    huge.kept = u64::MAX - 1;
    huge.near_removed = u64::MAX;
    huge.seconds =
        Seconds { sign: odd, group: 0.000_1, verify: f64::INFINITY, total: odd, ..huge.seconds };
    huge.filter_curve = vec![[odd, 0.1], [0.2, odd], [0.9, 7.0], [f64::INFINITY, -4.0]];
    huge.recipe.threshold = odd;
    huge.cluster_sizes = (0..100_000).map(|n| [n, n % 7]).chain([[u64::MAX, u64::MAX]]).collect();
    huge.resemblance_histogram.add_many(0.99, u64::MAX);
    huge.largest_clusters[0].members[0].resemblance = Some(odd);
    for threshold in [odd, -1.0, 0.0, 0.3, 1.0, 2.0] {
        huge.recipe.threshold = threshold;
        let html = page(&huge);
        check_well_formed(&html);
        for fault in ["NaN", "inf,", "inf\"", ">inf"] {
            assert!(!html.contains(fault), "{fault}");
        }
        assert!(html.len() < 1_500_000, "{}", html.len());
    }
}

#[test]
fn nothing_from_outside_becomes_markup() {
    let bad = "<script>alert(1)</script>\"'><img src=x onerror=alert(1)>&lt;\0\x1b[31m\u{202e}x";
    let text = || bad.to_owned();
    let mut report = full();
    report.recipe_digest = text();
    report.version = text();
    report.recipe.name = text();
    report.options.keep = text();
    report.options.pairs = text();
    report.sources[0].name = text();
    report.limited.as_mut().unwrap().consequence = text();
    report.skipped_examples = vec![text()];
    report.skipped_by_fault[0].fault = text();
    report.passed_over = [(text(), 1)].into();
    report.notes = vec![text()];
    let cluster = &mut report.largest_clusters[0];
    cluster.keeper = text();
    cluster.members[0].id = text();
    let difference = cluster.difference.as_mut().unwrap();
    difference.with = text();
    difference.pieces = vec![Piece::Equal(text()), Piece::Deleted(text()), Piece::Inserted(text())];
    let cut = report.passages.as_mut().unwrap();
    (cut.sources[0].name, cut.sites[0].name) = (text(), text());
    let passage = &mut cut.most_copies[0];
    (passage.keeper, passage.text) = (text(), text());
    passage.example.id = text();
    passage.example.text = vec![MarkedPiece::Kept(text()), MarkedPiece::Cut(0, text())];
    let html = page(&report);
    check_well_formed(&html);
    // Each of the 23 is there, as text.
    assert!(html.matches("&lt;script&gt;alert(1)&lt;/script&gt;&quot;&#39;&gt;").count() >= 23);
    assert!(!html.contains("<script") && !html.contains("<img"));
    let steers = |c: char| (c.is_control() && c != '\n') || c == '\u{202e}';
    assert!(!html.contains(steers));
}

#[test]
fn a_run_that_only_cuts_says_what_it_cut() {
    let mut report = full();
    let cut = report.passages.as_mut().unwrap();
    (cut.alone, cut.words) = (true, 1_000_000);
    let html = page(&report);
    check_well_formed(&html);
    let text = text_of(&html);
    assert!(text.contains("Of 1,000,000 words 91,002 were cut (9.1 %)"), "{text}");
    assert!(text.contains("Every word that was cut stands in a run of the same words"), "{text}");
    assert!(!text.contains("near-duplicates were removed"), "{text}");
    report.passages = Some(Passages { alone: true, words: 7, ..Passages::default() });
    let html = page(&report);
    check_well_formed(&html);
    assert!(text_of(&html).contains("Of 7 words none was cut"));
}

#[test]
fn nothing_is_called_cut_that_was_annotated() {
    for alone in [true, false] {
        let mut report = full();
        let annotated = report.passages.as_mut().unwrap();
        (annotated.annotated, annotated.alone) = (true, alone);
        (annotated.documents_gone, annotated.words_lost) = (0, 0);
        let html = page(&report);
        check_well_formed(&html);
        let text = text_of(&html);
        assert!(
            text.contains("were annotated, not cut (")
                && text.contains("Where it was annotated first")
        );
        for word in [" cut ", "cuts", "Cut"] {
            assert!(!text.replace("annotated, not cut (", "").contains(word), "{word}: {text}");
        }
    }
}

#[test]
fn long_text_is_cut_and_lists_are_bounded() {
    let folder = folder("bounded");
    let long = "\u{5d0}".repeat(10_000);
    let member = member(&long, Some(&long), Kind::Near, Some(0.9));
    let cluster = Cluster {
        size: 9,
        keeper: long.clone(),
        keeper_url: Some(long.clone()),
        members: vec![member; 9],
        difference: Some(marked_difference(Unit::Words, long.as_bytes(), &long, b"short")),
    };
    let source = |n: u64| Source { name: format!("s{n}"), documents: 9, removed: n, skipped: 1 };
    let mut report = Report::default();
    report.documents = 9;
    report.largest_clusters = vec![cluster; 30];
    report.skipped_examples = vec![long.clone(); 130];
    report.passed_over = (1..=130).map(|n| (format!("type/{n}"), n)).collect();
    report.sources = (0..130).map(source).collect();
    report.notes = vec![long.clone()];
    report.write(&folder, Some(page)).unwrap();
    let read = Report::read(folder.join("report.json")).unwrap();
    assert_eq!(read.largest_clusters.len(), 20);
    assert!(read.largest_clusters.iter().all(|cluster| cluster.members.len() == 5));
    assert_eq!(read.largest_clusters[0].keeper, long, "machines get whole ids");
    assert_eq!(read.skipped_examples.len(), 100);
    assert_eq!((read.passed_over.len(), read.passed_over["other"]), (101, 30 * 31 / 2));
    assert_eq!((read.sources.len(), read.sources[0].removed), (50, 129));
    let others = OtherSources { sources: 80, documents: 720, removed: 79 * 80 / 2, skipped: 80 };
    assert_eq!(read.other_sources, others);
    let html = page(&read);
    check_well_formed(&html);
    assert!(!html.contains(&"\u{5d0}".repeat(1001)), "a name or text in full");
}
