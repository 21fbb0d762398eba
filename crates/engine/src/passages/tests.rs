//! What a job cuts is what the definition cuts, and the promise holds on what is written.

use std::fs;
use std::ops::Range;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, Ordering};

use arrow_array::cast::AsArray as _;
use arrow_array::types::UInt64Type;
use lookalike_core::Kernel;
use lookalike_core::passages::reference::{self, Document};
use lookalike_core::passages::{CutUnit, UnitStart, unit_starts};
use lookalike_core::text::html::Extractor;
use lookalike_core::text::{Span, Text, Unit, spans};
use lookalike_files::WorkFolder;
use parquet::arrow::arrow_reader::ParquetRecordBatchReaderBuilder;
use proptest::prelude::*;

use super::*;
use crate::report::Report;
use crate::{Dedup, KeepPolicy, Observer, Stage, Work};

/// What a job is asked for besides its rule.
#[derive(Clone, Copy, Debug)]
enum Keep {
    First,
    /// By a number that goes down where those of the input go up.
    Last,
}

/// A text, and what it is made of.
struct Own {
    text: String,
    spans: Vec<Span>,
    units: Vec<UnitStart>,
    /// Whether nothing is cut of it.
    annotated: bool,
}

impl Own {
    fn of(text: Text<'_>, unit: CutUnit, annotated: bool) -> Self {
        let spans = spans(Unit::Words, text);
        let units = unit_starts(unit, text.bytes(), &spans);
        let text = String::from_utf8(text.bytes().to_vec()).unwrap();
        Self { text, spans, units, annotated }
    }

    /// The bytes of its units, and whether each is cut.
    fn parts(&self, cut: &[bool]) -> Vec<(Range<usize>, bool)> {
        let ends =
            self.units.iter().skip(1).map(|unit| unit.byte as usize).chain([self.text.len()]);
        let part =
            |(unit, end): (&UnitStart, usize)| (unit.byte as usize..end, cut[unit.token as usize]);
        self.units.iter().zip(ends).map(part).collect()
    }
}

/// Which tokens of documents are cut or annotated by the definition, and which documents go.
fn naive_cuts(own: &[Own], rule: &PassageRule, keep: Keep) -> Vec<(Vec<bool>, bool)> {
    let order: Vec<usize> = match keep {
        Keep::First => (0..own.len()).collect(),
        Keep::Last => (0..own.len()).rev().collect(),
    };
    let documents: Vec<Document<u64>> = order
        .iter()
        .map(|&number| {
            let Own { spans, units, .. } = &own[number];
            let tokens = spans.iter().map(|span| span.token).collect();
            (tokens, units.iter().map(|unit| unit.token).collect())
        })
        .collect();
    let asked = reference::Rule {
        width: rule.min_words as usize,
        copies: rule.max_copies as usize,
        documents: rule.min_documents as usize,
        left: rule.min_left as usize,
    };
    let stays = |place: usize| own[order[place]].annotated;
    let (cut, gone): (Vec<Vec<bool>>, Vec<bool>) = match rule.scope {
        PassageScope::Corpus => reference::cut_by(&documents, asked, stays),
        PassageScope::Document => (documents.iter().enumerate())
            .map(|(place, one)| {
                let one = std::slice::from_ref(one);
                let (mut cut, gone) = reference::cut_by(one, asked, |_| stays(place));
                (cut.remove(0), gone[0])
            })
            .unzip(),
    };
    let mut all = vec![(Vec::new(), false); own.len()];
    for (number, found) in order.into_iter().zip(cut.into_iter().zip(gone)) {
        all[number] = found;
    }
    all
}

/// The texts after the definition, by the naive twin; `None` of those that go.
fn naive(texts: &[String], rule: &PassageRule, keep: Keep) -> Vec<Option<String>> {
    let own: Vec<Own> =
        texts.iter().map(|text| Own::of((&**text).into(), rule.cut, false)).collect();
    let left = |(own, (cut, gone)): (&Own, (Vec<bool>, bool))| {
        let kept = own.parts(&cut).into_iter().filter(|(_, is_cut)| !is_cut);
        let kept = kept.map(|(bytes, _)| &own.text[bytes]).collect();
        (!gone).then(|| if own.units.is_empty() { own.text.clone() } else { kept })
    };
    own.iter().zip(naive_cuts(&own, rule, keep)).map(left).collect()
}

/// Those of the whole that lie in a piece, which by itself may have others: part of an address is none.
fn tokens_within(text: &str, piece: Range<usize>) -> Vec<u64> {
    let spans = spans(Unit::Words, text).into_iter();
    let within = spans.filter(|span| piece.start <= span.start && span.end <= piece.end);
    within.map(|span| span.token).collect()
}

fn lines(texts: &[String]) -> String {
    let line = |(number, text)| serde_json::json!({ "text": text, "n": number }).to_string() + "\n";
    texts.iter().enumerate().map(line).collect()
}

/// The texts that a job leaves.
fn cut(folder: &WorkFolder, texts: &[String], job: impl FnOnce(Dedup) -> Dedup) -> Vec<String> {
    let input = folder.join("texts.jsonl");
    fs::write(&input, lines(texts)).unwrap();
    let out = folder.join("out");
    let _ = fs::remove_dir_all(&out);
    let input = input.to_str().unwrap().to_owned();
    let report = job(Dedup::new([input]).memory(80 << 20)).run(&out).unwrap();
    let kept = fs::read_to_string(out.join("kept/texts.jsonl")).unwrap();
    let text = |line: &str| {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        line["text"].as_str().unwrap().to_owned()
    };
    let kept: Vec<String> = kept.lines().map(text).collect();
    check_pieces(&out, texts, &kept, &report);
    kept
}

/// Whether a character is several words, as a half (1 and 2) or the Thai am (two letters) are.
fn has_parted_characters(text: &str) -> bool {
    text.chars().any(|c| spans(Unit::Words, &*c.encode_utf8(&mut [0; 4])).len() > 1)
}

/// Each piece stands word for word where it says, in a document that stays, and none of it there is cut.
fn check_pieces(out: &Path, texts: &[String], kept: &[String], report: &Report) {
    let file = fs::File::open(out.join("passages.parquet")).unwrap();
    let mut pieces: Vec<[usize; 8]> = Vec::new();
    for batch in ParquetRecordBatchReaderBuilder::try_new(file).unwrap().build().unwrap() {
        let batch = batch.unwrap();
        let columns =
            ["row", "begin", "end", "keeper_row", "keeper_begin", "keeper_end", "words", "copies"];
        let columns =
            columns.map(|name| batch.column_by_name(name).unwrap().as_primitive::<UInt64Type>());
        pieces.extend((0..batch.num_rows()).map(|row| columns.map(|c| c.value(row) as usize)));
    }
    let counts = report.passages.as_ref().unwrap();
    assert_eq!(counts.cuts, pieces.len() as u64);
    assert_eq!(counts.words_cut, pieces.iter().map(|piece| piece[6] as u64).sum::<u64>());
    let mut last = (0, 0);
    for &[row, begin, end, keeper, keeper_begin, keeper_end, words, copies] in &pieces {
        assert!(last <= (row, begin) && begin < end, "in order, and something");
        last = (row, end);
        let there = &texts[keeper][keeper_begin..keeper_end];
        // Of a character that is two words, one may be in a piece and one not.
        if ![row, keeper].iter().any(|document| has_parted_characters(&texts[*document])) {
            let of_keeper = tokens_within(&texts[keeper], keeper_begin..keeper_end);
            assert_eq!(tokens_within(&texts[row], begin..end), of_keeper);
            assert_eq!(of_keeper.len(), words);
        }
        assert!(copies > 1);
        let is_cut = |&[other, begin, end, ..]: &[usize; 8]| {
            other == keeper && begin < keeper_end && keeper_begin < end
        };
        assert!(!pieces.iter().any(is_cut), "it is cut there");
        assert!(kept.iter().any(|text| text.contains(there)), "it is not kept");
    }
}

fn word() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        "a",
        "b",
        "c",
        "Is",
        "\u{4e2d}",
        "\u{6587}",
        "\u{304b}\u{3099}",
        "\u{0e01}\u{0e33}",
        "\u{e9}t\u{e9}",
        "\u{645}\u{631}\u{62d}\u{628}\u{627}",
        "\u{939}\u{93f}\u{928}\u{94d}\u{926}\u{940}",
        "\u{d55c}\u{ae00}",
        "\u{41c}\u{438}\u{440}",
        "x-y",
        "http://a.b/c!d",
        "\u{bd}",
    ])
}

fn text() -> impl Strategy<Value = String> {
    let between = prop::sample::select(vec![" ", " ", " ", "\n", ". ", "\n\n", "! ", ""]);
    let random = prop::collection::vec((word(), between), 0..40).prop_map(|words| {
        words.into_iter().map(|(word, between)| word.to_owned() + between).collect::<String>()
    });
    // What repeats itself, and by what.
    let period = prop::collection::vec(word(), 1..4);
    let between = prop::sample::select(vec![" ", "\n", ". "]);
    let periodic = (period, between, 1..30_usize)
        .prop_map(|(words, between, times)| (words.join(between) + between).repeat(times));
    prop_oneof![3 => random, 1 => periodic]
}

fn rule() -> impl Strategy<Value = PassageRule> {
    let scope = prop::sample::select(vec![PassageScope::Corpus, PassageScope::Document]);
    let unit = prop::sample::select(CutUnit::ALL.to_vec());
    let left = prop::sample::select(vec![1, 1, 1, 4, 12]);
    (1..7_u32, unit, 1..3_u32, 1..3_u32, scope, left).prop_map(
        |(words, cut, copies, documents, scope, left)| {
            PassageRule::default()
                .min_words(words)
                .cut(cut)
                .max_copies(copies)
                .min_documents(documents)
                .scope(scope)
                .min_left(left)
        },
    )
}

/// Texts, some of which have a whole one in common, or a part of it.
fn corpus() -> impl Strategy<Value = Vec<String>> {
    let common = prop::collection::vec(0..6_u8, 8);
    (prop::collection::vec(text(), 1..8), text(), common).prop_map(|(mut texts, shared, common)| {
        let places: Vec<usize> = shared.char_indices().map(|(place, _)| place).collect();
        for (text, how) in texts.iter_mut().zip(common) {
            let at = |share: usize| places.get(places.len() * share / 8).copied().unwrap_or(0);
            match how {
                0 => *text = format!("{text}\n{shared}"),
                1 => *text = format!("{shared}\n{text}"),
                2 => *text = format!("{text} {}", &shared[at(1)..]),
                3 => *text = format!("{} {text}", &shared[..at(7)]),
                _ => {}
            }
        }
        texts
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(160))]

    #[test]
    fn a_job_cuts_what_the_definition_cuts(
        texts in corpus(),
        rule in rule(),
        keep in prop::sample::select(vec![Keep::First, Keep::Last]),
        threads in 1..5_usize,
        memory in prop::sample::select(vec![80_u64 << 20, 256 << 20, 4 << 30]),
        kernel in prop::sample::select(Kernel::available().collect::<Vec<_>>()),
    ) {
        let folder = WorkFolder::create(None).unwrap();
        let found = cut(&folder, &texts, |job| {
            let job = job.all_documents().passages(rule);
            let job = job.threads(threads).memory(memory).kernel(kernel);
            match keep {
                Keep::First => job,
                Keep::Last => job.keep(KeepPolicy::Max("n".to_owned())),
            }
        });
        let wanted: Vec<String> = naive(&texts, &rule, keep).into_iter().flatten().collect();
        prop_assert_eq!(found, wanted, "{:?}", rule);
    }

    /// After documents went: what is cut is what the definition cuts of those that stay.
    #[test]
    fn passages_of_what_dedup_keeps_are_cut(texts in corpus(), rule in rule()) {
        let folder = WorkFolder::create(None).unwrap();
        let input = folder.join("stay.jsonl");
        fs::write(&input, lines(&texts)).unwrap();
        let input = input.to_str().unwrap().to_owned();
        let stay = folder.join("stay");
        Dedup::new([input]).memory(80 << 20).run(&stay).unwrap();
        let stay = fs::read_to_string(stay.join("kept/stay.jsonl")).unwrap();
        let stay: Vec<String> = stay
            .lines()
            .map(|line| {
                let line: serde_json::Value = serde_json::from_str(line).unwrap();
                line["text"].as_str().unwrap().to_owned()
            })
            .collect();
        let found = cut(&folder, &texts, |job| job.passages(rule));
        let wanted: Vec<String> =
            naive(&stay, &rule, Keep::First).into_iter().flatten().collect();
        prop_assert_eq!(found, wanted, "{:?}", rule);
    }
}

/// A page with this text twice, and a picture between.
fn page(text: &str) -> String {
    let text = text.replace('&', "&amp;").replace('<', "&lt;");
    format!("<pre>{text}</pre><img src=\"http://a.example/of/a/picture.png\"><pre>{text}</pre>")
}

/// Rows of `passages.parquet`: of each document its stretches of bytes, and whether they are cut.
fn stretches(out: &Path, documents: usize) -> Vec<Vec<(Range<usize>, bool)>> {
    let file = fs::File::open(out.join("passages.parquet")).unwrap();
    let mut found: Vec<Vec<(Range<usize>, bool)>> = vec![Vec::new(); documents];
    for batch in ParquetRecordBatchReaderBuilder::try_new(file).unwrap().build().unwrap() {
        let batch = batch.unwrap();
        let columns = ["row", "begin", "end"]
            .map(|name| batch.column_by_name(name).unwrap().as_primitive::<UInt64Type>().clone());
        let cut = batch.column_by_name("cut").unwrap().as_boolean();
        for at in 0..batch.num_rows() {
            let [row, begin, end] = columns.each_ref().map(|column| column.value(at) as usize);
            add_stretch(&mut found[row], begin..end, cut.value(at));
        }
    }
    found
}

fn add_stretch(stretches: &mut Vec<(Range<usize>, bool)>, bytes: Range<usize>, is_cut: bool) {
    match stretches.last_mut() {
        Some((last, _)) if last.end == bytes.start => last.end = bytes.end,
        _ => stretches.push((bytes, is_cut)),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// What repeats in pages is found by the same definition, written down and left where it is.
    #[test]
    fn pages_are_annotated_where_texts_are_cut(
        texts in corpus(),
        pages in any::<u8>(),
        rule in rule(),
        annotate in prop::bool::weighted(0.2),
        threads in 1..4_usize,
    ) {
        let folder = WorkFolder::create(None).unwrap();
        let is_page = |number: usize| pages >> (number % 8) & 1 == 1;
        let records: Vec<String> = (texts.iter().enumerate())
            .map(|(number, text)| {
                let record = if is_page(number) {
                    serde_json::json!({ "html": page(text) })
                } else {
                    serde_json::json!({ "text": text })
                };
                record.to_string() + "\n"
            })
            .collect();
        let input = folder.join("texts.jsonl");
        fs::write(&input, records.concat()).unwrap();
        let mut extractor = Extractor::default();
        let own: Vec<Own> = (texts.iter().enumerate())
            .map(|(number, text)| {
                if is_page(number) {
                    let page = page(text);
                    Own::of(extractor.extract(page.as_bytes(), None), rule.cut, true)
                } else {
                    Own::of((&**text).into(), rule.cut, false)
                }
            })
            .collect();
        let found = naive_cuts(&own, &rule, Keep::First);
        let mut wanted = Vec::new();
        for (own, (cut, _)) in own.iter().zip(&found) {
            let mut stretches = Vec::new();
            for (bytes, _) in own.parts(cut).into_iter().filter(|(_, is_cut)| *is_cut) {
                add_stretch(&mut stretches, bytes, !own.annotated && !annotate);
            }
            wanted.push(stretches);
        }

        let out = folder.join("out");
        let job = Dedup::new([input.to_str().unwrap().to_owned()]);
        let job = job.all_documents().passages(rule).memory(80 << 20).threads(threads);
        let job = if annotate { job.annotate() } else { job };
        let report = job.run(&out).unwrap();
        prop_assert_eq!(stretches(&out, texts.len()), wanted);
        let told = report.passages.unwrap();
        let words = |annotated: bool| {
            let of = own.iter().zip(&found).filter(|(own, _)| own.annotated == annotated);
            of.map(|(_, (cut, _))| cut.iter().filter(|is_cut| **is_cut).count() as u64).sum::<u64>()
        };
        let of_pages = words(true);
        prop_assert_eq!(told.words_cut, words(false) + if annotate { of_pages } else { 0 });
        prop_assert_eq!(told.words, own.iter().map(|own| own.spans.len() as u64).sum::<u64>());
        // Sources of which nothing is cut are not listed.
        let of_sources = told.sources.iter().map(|source| (source.words, source.words_cut));
        let listed = (told.words_cut > 0).then_some((told.words, told.words_cut));
        prop_assert!(of_sources.eq(listed));
        let says_so = report.notes.iter().any(|note| note.contains("not cut"));
        prop_assert_eq!(says_so, !annotate && of_pages > 0);

        let kept = fs::read_to_string(out.join("kept/texts.jsonl")).unwrap_or_default();
        let kept = kept.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).unwrap());
        let mut left = Vec::new();
        for (number, (own, (cut, gone))) in own.iter().zip(&found).enumerate() {
            if annotate || own.annotated {
                left.push(serde_json::from_str(&records[number]).unwrap());
            } else if !gone {
                let parts = own.parts(cut);
                let text: String = (parts.iter().filter(|(_, is_cut)| !is_cut))
                    .map(|(bytes, _)| &own.text[bytes.clone()])
                    .collect();
                let text = if own.units.is_empty() { own.text.clone() } else { text };
                left.push(serde_json::json!({ "text": text }));
            }
        }
        let kept: Vec<serde_json::Value> = kept
            .map(|mut record| {
                record.as_object_mut().unwrap().remove("lookalike");
                record
            })
            .collect();
        prop_assert_eq!(kept, left);
    }
}

fn one_line(words: std::ops::Range<u32>) -> String {
    words.map(|n| format!("w{n} ")).collect::<Vec<_>>().concat()
}

/// A passage of N words is found wherever it stands, and a shorter one is not.
#[test]
fn everything_of_so_many_words_is_found_and_nothing_shorter() {
    let folder = WorkFolder::create(None).unwrap();
    for (length, is_cut) in
        [(40, false), (49, false), (50, true), (51, true), (60, true), (1000, true)]
    {
        let passage = one_line(0..length);
        let own = |n: u32| one_line(10_000 * n..10_000 * n + 37 * n);
        let texts: Vec<String> = (1..6).map(|n| own(n) + &passage + &own(n + 10)).collect();
        let rule = PassageRule::default().cut(CutUnit::Words);
        let found = cut(&folder, &texts, |job| job.all_documents().passages(rule));
        let left: Vec<String> = (1..6).map(|n| own(n) + &own(n + 10)).collect();
        assert_eq!(found[0], texts[0], "the first copy stays");
        assert_eq!(&found[1..], if is_cut { &left[1..] } else { &texts[1..] }, "{length}");
    }
}

/// A document of more words than a part: its parts serve each other and other documents.
#[test]
fn long_documents_are_cut_in_parts() {
    let folder = WorkFolder::create(None).unwrap();
    let line = |n: u32| one_line(60 * n..60 * n + 60) + "\n";
    let all: String = (0..18_000).map(line).collect();
    let texts = [all.clone() + &line(17_990) + &line(5), all.clone()];
    let found = cut(&folder, &texts, |job| job.all_documents().passages(PassageRule::default()));
    // The line across the first border is in no part as a whole, and is not there twice.
    assert_eq!(found, [all]);
}

/// What the report says adds up, and depends on no thread.
#[test]
fn the_report_says_where_words_were_cut() {
    let folder = WorkFolder::create(None).unwrap();
    let files = ["a", "b", "c"].map(|name| folder.join(format!("{name}.jsonl")));
    for (number, file) in (0..).zip(&files) {
        let line = |n: u32| {
            let own = one_line(1_000 * (10 * number + n)..1_000 * (10 * number + n) + 80);
            let text = format!("{own}\n{}\n{}", one_line(7..70 + n), one_line(900..960));
            let url = format!("http://www.site{}.example/{number}/{n}", n % 3);
            let document =
                serde_json::json!({ "id": format!("{number}-{n}"), "url": url, "text": text });
            format!("{document}\n")
        };
        fs::write(file, (1..7).map(line).collect::<String>()).unwrap();
    }
    let inputs = files.map(|file| file.to_str().unwrap().to_owned());
    let report = |threads: usize| {
        let out = folder.join(format!("out-{threads}"));
        let job = Dedup::new(inputs.clone()).all_documents().threads(threads);
        let report = job.passages(PassageRule::default().cut(CutUnit::Words)).run(&out).unwrap();
        report.passages.unwrap()
    };
    let one = report(1);
    assert_eq!(one, report(3));
    for shares in [&one.sources, &one.sites] {
        let sum = |of: fn(&crate::report::CutShare) -> u64| shares.iter().map(of).sum::<u64>();
        assert_eq!((sum(|s| s.words), sum(|s| s.words_cut)), (one.words, one.words_cut), "{one:?}");
    }
    assert_eq!((one.sources.len(), one.sites.len()), (3, 3));
    assert_eq!(one.sites[0].name, "site2.example");
    let count = |classes: &[[u64; 2]]| classes.iter().map(|[_, count]| count).sum::<u64>();
    assert_eq!([count(&one.lengths), count(&one.copies)], [one.cuts; 2]);
    let first = &one.most_copies[0];
    assert_eq!(first.copies, 18);
    assert!(first.text.contains("w900 w901"), "{first:?}");
    assert!(one.most_copies.len() as u64 <= one.passages);
}

/// Stops a job in the stage of passages, at one of the moments at which it listens.
struct StopAt {
    moment: u32,
    stage: Mutex<Option<Stage>>,
    listened: AtomicU32,
}

impl Observer for StopAt {
    fn begin(&self, stage: Stage, _: Option<Work>) {
        *self.stage.lock().unwrap() = Some(stage);
    }

    fn cancelled(&self) -> bool {
        *self.stage.lock().unwrap() == Some(Stage::Passages)
            && self.listened.fetch_add(1, Ordering::Relaxed) >= self.moment
    }
}

#[test]
fn a_job_that_was_stopped_at_any_moment_goes_on_to_the_same_result() {
    let folder = WorkFolder::create(None).unwrap();
    let input = folder.join("in");
    fs::create_dir(&input).unwrap();
    let passage = one_line(0..60) + "\n";
    for n in 1..8 {
        let own = one_line(1000 * n..1000 * n + 40) + "\n";
        fs::write(input.join(format!("{n}.txt")), own.clone() + &passage + &own).unwrap();
    }
    let job = || {
        let input = input.to_str().unwrap().to_owned();
        Dedup::new([input]).all_documents().passages(PassageRule::default()).memory(80 << 20)
    };
    let results = |out: &Path| {
        let kept = (1..8).map(|n| fs::read(out.join(format!("kept/{n}.txt"))).unwrap());
        kept.chain([fs::read(out.join("passages.parquet")).unwrap()]).collect::<Vec<_>>()
    };
    let fresh = folder.join("fresh");
    job().run(&fresh).unwrap();
    let mut stops = 0;
    for moment in 0.. {
        let out = folder.join(format!("out-{moment}"));
        let (stage, listened) = (Mutex::new(None), AtomicU32::new(0));
        let stopped = job().run_observed(&out, &StopAt { moment, stage, listened });
        let done = stopped.is_ok();
        if !done {
            stops += 1;
            job().resume().run(&out).unwrap();
        }
        assert_eq!(results(&out), results(&fresh), "stopped at moment {moment}");
        if done {
            break;
        }
    }
    assert!(stops > 3, "it listens");
}

#[test]
fn bad_input_has_a_defined_result() {
    let folder = WorkFolder::create(None).unwrap();
    let input = folder.join("in.jsonl");
    let out = folder.join("out");
    let job = |rule: PassageRule| {
        let _ = fs::remove_dir_all(&out);
        let input = input.to_str().unwrap().to_owned();
        Dedup::new([input]).all_documents().passages(rule).memory(80 << 20).run(&out)
    };
    // A field that is no text is skipped, and stays as it is; ids that repeat are documents of their own.
    let text = one_line(0..60);
    let records = [
        serde_json::json!({ "id": "a", "text": text }),
        serde_json::json!({ "id": "a", "text": 5 }),
        serde_json::json!({ "id": "a", "text": null }),
        serde_json::json!({ "id": "a", "text": text.clone() + "\nof its own" }),
        serde_json::json!({ "id": "a", "text": "" }),
    ];
    let records: Vec<String> = records.iter().map(|record| record.to_string() + "\n").collect();
    fs::write(&input, records.concat()).unwrap();
    let report = job(PassageRule::default()).unwrap();
    let cut = records.concat().replace(&(text.clone() + "\\n"), "");
    assert_eq!(fs::read_to_string(out.join("kept/in.jsonl")).unwrap(), cut);
    assert_eq!((report.documents, report.skipped, report.kept), (3, 2, 3));
    // Windows that are longer than all texts, or than any part of one.
    for words in [61, PassageRule::MOST_WORDS, PassageRule::MOST_WORDS + 1, u32::MAX] {
        assert_eq!(job(PassageRule::default().min_words(words)).unwrap().passages.unwrap().cuts, 0);
    }
    assert_eq!(fs::read_to_string(out.join("kept/in.jsonl")).unwrap(), records.concat());
    // Bytes that are no UTF-8 stay where they are kept, and go with the line that they are in.
    let (head, rest) = (one_line(0..30), one_line(30..60));
    let line = [head.as_bytes(), b"\xf0 ", rest.as_bytes(), b"\n"].concat();
    let input = folder.join("bytes.txt");
    fs::write(&input, [&*line, &line, b"\xc3"].concat()).unwrap();
    let _ = fs::remove_dir_all(&out);
    let input = input.to_str().unwrap().to_owned();
    let job = Dedup::new([input]).all_documents().passages(PassageRule::default());
    job.memory(80 << 20).run(&out).unwrap();
    assert_eq!(fs::read(out.join("kept/bytes.txt")).unwrap(), line);
    // No documents at all.
    let empty = folder.join("empty.jsonl");
    fs::write(&empty, "").unwrap();
    let _ = fs::remove_dir_all(&out);
    let empty = empty.to_str().unwrap().to_owned();
    let job = Dedup::new([empty]).all_documents().passages(PassageRule::default());
    let report = job.memory(80 << 20).run(&out).unwrap();
    assert_eq!((report.documents, report.passages.unwrap().words), (0, 0));
}
