//! Pages of one site are judged by their contents, not by their frame.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};

use lookalike_core::recipe::Templates;
use lookalike_core::{Recipe, Sequence, Signature, Signer};
use lookalike_engine::report::Report;
use lookalike_engine::signature_file::SignatureReader;
use lookalike_engine::{Dedup, ErrorKind, Observer, Stage, TemplateFile};

use crate::dedup::{folder, job, results, run, words};

fn sites() -> Recipe {
    Recipe::preset("sites").unwrap()
}

/// A part of the frame.
fn part(name: &str) -> String {
    (0..25).map(|n| format!("{name}{n} ")).collect::<Vec<_>>().concat()
}

/// A page in the frame of its site, with a date, a counter and an id that change at every visit.
fn page(random: &mut Sequence, content: &str) -> String {
    let mut number = |below: u64| random.next() % below;
    let (day, month, visits) = (1 + number(28), 1 + number(12), number(1_000_000));
    let (low, high) = (number(u64::MAX), number(u64::MAX));
    format!(
        "{}updated on {day:02} {month:02} 2026 by the editors {}{content} {}visited {visits} times \
         in session {high:016x}{low:016x} {}",
        part("menu"),
        part("head"),
        part("side"),
        part("foot")
    )
}

fn line(id: &str, url: &str, text: &str) -> String {
    format!("{{\"id\":\"{id}\",\"url\":\"{url}\",\"text\":\"{text}\"}}\n")
}

/// So many pages of a shop, each with 10 to 60 words of its own, and some of them visited again.
fn shop(path: &Path, pages: u64, again: u64) {
    let mut random = Sequence::new(5, 5);
    let mut contents = Vec::new();
    let mut lines = String::new();
    for number in 0..pages {
        let count = 10 + random.next() as usize % 51;
        contents.push(words(&mut random, count).join(" "));
        let text = page(&mut random, &contents[number as usize]);
        let url = format!("https://www.shop.example/{number}");
        lines += &line(&number.to_string(), &url, &text);
    }
    for visit in 0..again {
        let number = visit * (pages / again.max(1));
        let text = page(&mut random, &contents[number as usize]);
        let url = format!("https://www.shop.example/{number}?again");
        lines += &line(&format!("{number} again"), &url, &text);
    }
    fs::write(path, lines).unwrap();
}

/// The ids of the survivors.
fn kept(out: &Path) -> BTreeSet<String> {
    let mut ids = BTreeSet::new();
    for file in fs::read_dir(out.join("kept")).unwrap() {
        for line in fs::read_to_string(file.unwrap().path()).unwrap().lines() {
            let id = line.strip_prefix("{\"id\":\"").and_then(|rest| rest.split('"').next());
            ids.insert(id.unwrap().to_owned());
        }
    }
    ids
}

/// Every page stays once, whichever visit of it.
fn check_no_page_is_lost(kept: &BTreeSet<String>, pages: u64) {
    for number in 0..pages {
        let stays = kept.contains(&number.to_string()) || kept.contains(&format!("{number} again"));
        assert!(stays, "{number} is lost");
    }
}

#[test]
fn a_hundred_thousand_pages_in_one_frame() {
    let folder = folder("dedup/frame");
    let (input, out) = (folder.join("shop.jsonl"), folder.join("out"));
    shop(&input, 100_000, 5_000);
    let report = run(&job(&input).recipe(sites()).memory(256 << 20), &out);
    check_no_page_is_lost(&kept(&out), 100_000);
    let removed = report.near_removed + report.exact_removed;
    assert!((4_750..=5_000).contains(&removed), "{removed}");
    let templates = report.templates.unwrap();
    assert_eq!((templates.groups, templates.groups_with_template), (1, 1));
    assert!(templates.sampled < 5_000, "{templates:?}");
    // The frame, and nothing of what is in it.
    assert!((80..140).contains(&templates.shingles), "{templates:?}");
}

#[test]
fn groups_of_few_pages_are_compared_as_they_stand() {
    for pages in 1..=3 {
        let folder = folder(&format!("dedup/few-{pages}"));
        let input = folder.join("shop.jsonl");
        shop(&input, pages, 0);
        let plain = Recipe { templates: Templates::Off, ..sites() };
        let [learned, plain] = [sites(), plain].map(|recipe| {
            let out = folder.join(recipe.templates.to_string());
            let report = run(&job(&input).recipe(recipe), &out);
            (report.kept, report.near_removed, report.candidates, kept(&out))
        });
        assert_eq!(learned, plain, "{pages} pages");
    }
}

/// Pages without an address are of no site; in a field that all of them have, they are of one.
#[test]
fn groups_by_field() {
    let folder = folder("dedup/field");
    let input = folder.join("shop.jsonl");
    shop(&input, 300, 30);
    let text = fs::read_to_string(&input).unwrap();
    fs::write(&input, text.replace("\"url\":", "\"from\":\"shop\",\"link\":")).unwrap();
    let out = folder.join("out");
    let report = run(&job(&input).recipe(sites()), &out);
    assert_eq!(report.templates.unwrap().groups, 0);
    let by_field = Recipe { templates: Templates::ByField("from".to_owned()), ..sites() };
    let report = run(&job(&input).recipe(by_field), &out);
    assert_eq!(report.templates.unwrap().groups_with_template, 1);
    check_no_page_is_lost(&kept(&out), 300);
    assert!(report.near_removed >= 28, "{}", report.near_removed);
}

#[test]
fn pages_that_are_all_template_are_compared_as_they_stand() {
    let folder = folder("dedup/all-template");
    let input = folder.join("shop.jsonl");
    shop(&input, 200, 0);
    let mut text = fs::read_to_string(&input).unwrap();
    let (head, foot) = (part("head"), part("foot"));
    for (number, text_of) in
        [foot.clone(), foot.clone(), format!("{foot}{foot}"), head].iter().enumerate()
    {
        let url = format!("https://www.shop.example/stub/{number}");
        writeln!(text, "{}", line(&format!("stub{number}"), &url, text_of).trim_end()).unwrap();
    }
    fs::write(&input, text).unwrap();
    let out = folder.join("out");
    let report = run(&job(&input).recipe(sites()), &out);
    // The words of the third are those of the others twice. The fourth has nothing in common with them.
    assert_eq!((report.exact_removed, report.near_removed), (1, 1));
}

#[test]
fn addresses_that_name_no_site_are_counted() {
    let folder = folder("dedup/no-site");
    let input = folder.join("pages.jsonl");
    let urls = ["https://www.shop.example/a", "page seven", "mailto:a@shop.example", "shop.org"];
    let lines = urls.map(|url| line(url, url, url));
    fs::write(&input, lines.concat()).unwrap();
    for recipe in [sites(), Recipe::preset("henzinger-sites").unwrap()] {
        let report = run(&job(&input).recipe(recipe.clone()), &folder.join(&recipe.name));
        let notes = report.notes.join("\n");
        assert!(notes.contains("2 documents have an address that names no site"), "{notes}");
    }
    let report = run(&job(&input), &folder.join("text"));
    assert!(report.notes.is_empty(), "{:?}", report.notes);
}

#[test]
fn threads_memory_and_order_do_not_matter() {
    let folder = folder("dedup/sites-same");
    let input = folder.join("shop.jsonl");
    shop(&input, 5_000, 500);
    let out = folder.join("out");
    let job = job(&input).recipe(sites());
    run(&job, &out);
    let expected = results(&out);
    for threads in [1, 8] {
        run(&job.clone().threads(threads), &out);
        assert_eq!(results(&out), expected, "{threads} threads");
    }
    run(&job.clone().memory(4 << 30), &out);
    assert_eq!(results(&out), expected, "much memory");
    let templates = fs::read(out.join("documents.templates")).unwrap();
    let text = fs::read_to_string(&input).unwrap();
    fs::write(&input, text.lines().rev().fold(String::new(), |all, line| all + line + "\n"))
        .unwrap();
    run(&job, &out);
    assert_eq!(fs::read(out.join("documents.templates")).unwrap(), templates, "another order");
    TemplateFile::of_recipe(out.join("documents.templates"), &sites()).unwrap();
}

/// Learning leaves the tokens of documents for signing; of long ones it does not, and of large groups
/// only those of a sample.
#[test]
fn signatures_are_those_of_the_documents() {
    let folder = folder("dedup/sites-signatures");
    let (input, out) = (folder.join("shop.jsonl"), folder.join("out"));
    shop(&input, 300, 30);
    let mut random = Sequence::new(7, 7);
    let long = words(&mut random, 20_000).join(" ");
    let long = line("long", "https://www.shop.example/long", &page(&mut random, &long));
    let alone = line("alone", "https://www.other.example/", "a page of a site of its own");
    let none = "{\"id\":\"none\",\"text\":\"a page without an address\"}\n";
    let lines = fs::read_to_string(&input).unwrap() + &long + &alone + none;
    fs::write(&input, &lines).unwrap();
    run(&job(&input).recipe(sites()), &out);

    let templates = TemplateFile::of_recipe(out.join("documents.templates"), &sites()).unwrap();
    let template = templates.template_of("shop.example").unwrap().unwrap();
    assert_eq!(templates.only_template().unwrap(), Some(template.clone()));
    let mut signer = Signer::new(&sites()).unwrap();
    let mut reader = SignatureReader::open(out.join("documents.signatures")).unwrap();
    let (mut id, mut signature) = (String::new(), Signature::default());
    for line in lines.lines() {
        let record: serde_json::Value = serde_json::from_str(line).unwrap();
        let text = record["text"].as_str().unwrap().as_bytes();
        let is_of_shop = record["url"].as_str().is_some_and(|url| url.contains("shop"));
        let expected = signer.sign_distinctive(text, is_of_shop.then_some(&*template));
        assert!(reader.read(&mut id, &mut signature).unwrap());
        assert_eq!(id, record["id"]);
        assert_eq!((&signature.features, signature.exact), (&expected.features, expected.exact));
    }
}

/// Stops a job in some stage.
struct StopIn {
    stage: Stage,
    stages: AtomicU64,
    stopped: AtomicU64,
}

impl Observer for StopIn {
    fn begin(&self, stage: Stage, _: Option<lookalike_engine::Work>) {
        self.stages.fetch_add(1, Ordering::Relaxed);
        self.stopped.fetch_add(u64::from(stage == self.stage), Ordering::Relaxed);
    }

    fn cancelled(&self) -> bool {
        self.stopped.load(Ordering::Relaxed) > 0
    }
}

#[test]
fn a_job_that_is_stopped_while_it_learns_goes_on() {
    let folder = folder("dedup/sites-resume");
    let input = folder.join("shop.jsonl");
    shop(&input, 500, 50);
    let job: Dedup = job(&input).recipe(sites());
    let (undisturbed, out) = (folder.join("undisturbed"), folder.join("out"));
    run(&job, &undisturbed);
    for stage in [Stage::Learn, Stage::Sign, Stage::Verify] {
        let _ = fs::remove_dir_all(&out);
        let stop = StopIn { stage, stages: AtomicU64::new(0), stopped: AtomicU64::new(0) };
        let error = job.run_observed(&out, &stop).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::Interrupted), "{error}");
        let _: Report = job.clone().resume().run(&out).unwrap();
        assert_eq!(results(&out), results(&undisturbed), "{stage}");
    }
}
