//! Jobs that are stopped as they sign: what is signed is not signed again, and nothing tells.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

use lookalike_core::{Given as _, Recipe};
use lookalike_corpus::ReadOptions;
use lookalike_engine::report::{Report, Seconds};
use lookalike_engine::{Dedup, ErrorKind, Observer, PassageRule, Stage, Work};

use crate::dedup::{example_corpus, files, folder, name, results, run};

/// Stops a job as it signs, and listens to what a job that goes on says.
#[derive(Default)]
struct Signing {
    stage: Mutex<Option<Stage>>,
    listened: AtomicU64,
    patience: Option<u64>,
    notes: Mutex<Vec<String>>,
}

impl Observer for Signing {
    fn begin(&self, stage: Stage, _: Option<Work>) {
        *self.stage.lock().unwrap() = Some(stage);
    }

    fn note(&self, message: &str) {
        self.notes.lock().unwrap().push(message.to_owned());
    }

    fn cancelled(&self) -> bool {
        *self.stage.lock().unwrap() == Some(Stage::Sign)
            && self
                .patience
                .is_some_and(|most| self.listened.fetch_add(1, Ordering::Relaxed) >= most)
    }
}

/// Stops a job after so many moments; false if it ended before.
fn stopped(job: &Dedup, out: &Path, patience: u64) -> bool {
    let _ = fs::remove_dir_all(out);
    let observer = Signing { patience: Some(patience), ..Signing::default() };
    match job.run_observed(out, &observer) {
        Ok(_) => false,
        Err(error) => {
            assert!(matches!(error.kind(), ErrorKind::Interrupted), "{error}");
            true
        }
    }
}

/// Goes on, and tells how many documents were not signed again.
fn resumed(job: &Dedup, out: &Path) -> u64 {
    let observer = Signing::default();
    job.clone().resume().run_observed(out, &observer).unwrap();
    let notes = observer.notes.into_inner().unwrap();
    let told = notes.iter().find_map(|note| note.split_once(" document"));
    told.map_or(0, |(number, _)| number.replace(',', "").parse().unwrap())
}

/// What the report counts.
fn counted(out: &Path) -> Report {
    let mut report = Report::read(out.join("report.json")).unwrap();
    report.seconds = Seconds::default();
    report.peak_memory_bytes = 0;
    report.options.threads = 0;
    report
}

fn text(n: u64) -> String {
    let mut text = String::new();
    for i in 0..40 {
        let _ = write!(text, "w{} ", (n / 3 * 17 + i) % 997 + u64::from(i == n % 3));
    }
    text
}

/// Lines with bad ones among them, a table, texts, a packed file, an archive.
fn write_corpus(folder: &Path) {
    fs::create_dir_all(folder.join("texts")).unwrap();
    let line = |n: u64| match n % 29 {
        3 => "no JSON\n".to_owned(),
        7 => "{\"id\": 1, \"body\": \"another field\"}\n".to_owned(),
        _ => {
            let (text, site, date) = (text(n), n % 5, n % 12 + 1);
            format!(
                "{{\"id\":\"l{n}\",\"text\":\"{text}\",\"url\":\"http://s{site}.example.com/{n}\",\
                 \"source\":\"s{site}\",\"score\":{},\"date\":\"2026-{date:02}-01\"}}\n",
                n * 7 % 100
            )
        }
    };
    fs::write(folder.join("a.jsonl"), (0..700).map(line).collect::<String>()).unwrap();
    fs::write(folder.join("empty.jsonl"), "").unwrap();
    let rows = (300..500).map(|n| format!("t{n},\"{}\"\n", text(n)));
    fs::write(folder.join("b.csv"), format!("id,text\n{}", rows.collect::<String>())).unwrap();
    for n in 0..30 {
        fs::write(folder.join(format!("texts/{n}.txt")), text(n * 5)).unwrap();
    }
    let mut archive = String::new();
    for n in 0..120 {
        let page = format!("<p>{}</p>", text(n * 2));
        let (kind, head) = match n % 4 {
            0 => ("metadata", ""),
            _ => ("response", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"),
        };
        let _ = write!(
            archive,
            "WARC/1.0\r\nWARC-Type: {kind}\r\nWARC-Record-ID: <urn:n:{n}>\r\n\
             WARC-Target-URI: http://a.example.com/{n}\r\n\
             Content-Type: application/http; msgtype=response\r\n\
             Content-Length: {}\r\n\r\n{head}{page}\r\n\r\n",
            head.len() + page.len()
        );
    }
    fs::write(folder.join("c.warc"), archive).unwrap();
    // One that breaks off, after some records.
    let packed = fs::read(example_corpus().join("pages.jsonl.gz")).unwrap();
    fs::write(folder.join("d.jsonl.gz"), &packed[..packed.len() * 3 / 4]).unwrap();
}

fn in_chunks(job: Dedup, bytes: usize) -> Dedup {
    let mut read = ReadOptions::default();
    read.chunk_bytes = bytes;
    job.read_options(read)
}

/// Jobs that ask for different things of documents.
fn jobs(input: &Path, known: &Path) -> Vec<(&'static str, Dedup)> {
    let plain = in_chunks(Dedup::new([name(input)]).memory(128 << 20).threads(3), 4000);
    let keep = "prefer:source=s2,s1 then max:score then longest".parse().unwrap();
    let sites = Recipe::preset("henzinger-sites").unwrap();
    vec![
        ("plain", plain.clone()),
        ("fields", plain.clone().keep(keep).count("source").date_field("date")),
        ("sites", plain.clone().recipe(sites)),
        ("learned", plain.clone().recipe(Recipe::preset("sites").unwrap())),
        ("known", plain.clone().known(name(known))),
        ("passages", plain.all_documents().passages(PassageRule::default().min_words(20))),
    ]
}

#[test]
fn what_is_signed_is_not_signed_again() {
    let folder = folder("dedup/stopped-signing");
    let (input, known): (PathBuf, PathBuf) = (folder.join("in"), folder.join("known"));
    write_corpus(&input);
    fs::create_dir_all(&known).unwrap();
    let lines = (0..300).map(|n| format!("{{\"id\":\"k{n}\",\"text\":\"{}\"}}\n", text(n * 4)));
    fs::write(known.join("k.jsonl"), lines.collect::<String>()).unwrap();
    for (what, job) in jobs(&input, &known) {
        let (fresh, out) = (folder.join("fresh"), folder.join("out"));
        run(&job, &fresh);
        let mut signed = Vec::new();
        for patience in (0..).map(|n| n * n * 3 + 2) {
            if !stopped(&job, &out, patience) {
                break;
            }
            // In other pieces as well.
            let again = match patience % 2 {
                0 => job.clone(),
                _ => in_chunks(job.clone().threads(1), 30_000),
            };
            signed.push(resumed(&again, &out));
            assert_eq!(results(&out), results(&fresh), "{what}, stopped at {patience}");
            assert!(counted(&out) == counted(&fresh), "{what}, stopped at {patience}");
        }
        assert!(signed.len() > 3, "{what} listens: {signed:?}");
        let documents = counted(&fresh).documents;
        let most = signed.iter().copied().max().unwrap_or_default();
        assert!(most > documents / 4, "{what}: {signed:?} of {documents}");
    }
}

/// Stopped a second and a third time, always a little later, and never begun again.
#[test]
fn a_job_that_is_stopped_again_and_again_goes_on_each_time() {
    let folder = folder("dedup/stopped-often");
    let (input, out, fresh) = (folder.join("in"), folder.join("out"), folder.join("fresh"));
    write_corpus(&input);
    let job = in_chunks(Dedup::new([name(&input)]).memory(128 << 20).threads(2), 4000);
    run(&job, &fresh);
    let mut signed = Vec::new();
    for patience in 0.. {
        let observer = Signing { patience: Some(patience), ..Signing::default() };
        let run = job.clone().when(patience > 0, Dedup::resume).run_observed(&out, &observer);
        let notes = observer.notes.into_inner().unwrap();
        let told = notes.iter().find_map(|note| note.split_once(" document"));
        signed.extend(told.map(|(number, _)| number.replace(',', "").parse::<u64>().unwrap()));
        if run.is_ok() {
            break;
        }
    }
    assert!(signed.is_sorted() && signed.len() > 3, "{signed:?}");
    assert_eq!(results(&out), results(&fresh));
}

/// Something that is done to inputs.
type Change = (&'static str, fn(&Path));

/// What is there now counts, and not what was read before.
#[test]
fn inputs_that_changed_meanwhile_are_read_as_they_are() {
    let folder = folder("dedup/stopped-changed");
    let (input, out, fresh) = (folder.join("in"), folder.join("out"), folder.join("fresh"));
    let changes: [Change; 4] = [
        ("another first file", |input| {
            fs::write(input.join("a.jsonl"), format!("{{\"text\":\"{}\"}}\n", text(9))).unwrap();
        }),
        ("a new file before all others", |input| {
            fs::write(input.join("0.jsonl"), format!("{{\"text\":\"{}\"}}\n", text(8))).unwrap();
        }),
        ("a file less", |input| fs::remove_file(input.join("b.csv")).unwrap()),
        ("a new file behind all others", |input| {
            fs::write(input.join("z.jsonl"), format!("{{\"text\":\"{}\"}}\n", text(7))).unwrap();
        }),
    ];
    for (what, change) in changes {
        for patience in [20, 60] {
            let _ = fs::remove_dir_all(&input);
            write_corpus(&input);
            let job = in_chunks(Dedup::new([name(&input)]).memory(128 << 20).threads(2), 4000);
            assert!(stopped(&job, &out, patience), "{what}");
            change(&input);
            resumed(&job, &out);
            run(&job, &fresh);
            assert_eq!(results(&out), results(&fresh), "{what}, stopped at {patience}");
        }
    }
}

/// A journal that was cut anywhere, or of which a bit is another, counts up to there.
#[test]
fn a_journal_counts_up_to_what_is_damaged() {
    let folder = folder("dedup/stopped-damaged");
    let (input, out, fresh) = (folder.join("in"), folder.join("out"), folder.join("fresh"));
    write_corpus(&input);
    let job = in_chunks(Dedup::new([name(&input)]).memory(128 << 20).threads(2), 4000);
    run(&job, &fresh);
    assert!(stopped(&job, &out, 60));
    let left = files(&out);
    let mut signed = Vec::new();
    for tenth in 0..=10 {
        let _ = fs::remove_dir_all(&out);
        for (name, bytes) in &left {
            fs::create_dir_all(out.join(name).parent().unwrap()).unwrap();
            fs::write(out.join(name), bytes).unwrap();
        }
        let journal = out.join("work/signing.journal");
        let mut bytes = fs::read(&journal).unwrap();
        let at = (bytes.len() - 1) * tenth / 10;
        if tenth % 2 == 0 {
            bytes.truncate(at);
        } else {
            bytes[at] ^= 8;
        }
        fs::write(&journal, bytes).unwrap();
        signed.push(resumed(&job, &out));
        assert_eq!(results(&out), results(&fresh), "damaged at {at}");
    }
    assert!(signed[0] == 0 && signed.is_sorted() && signed[10] > signed[3], "{signed:?}");
}
