//! Objects of a real server, compared with the same files read locally.
//!
//! `ci/tests.sh` starts the server and sets the environment. Without it
//! these tests fail rather than pass for nothing.

use std::fs;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use arrow_array::{ArrayRef, BinaryArray, RecordBatch, StringArray};
use lookalike_corpus::{ErrorKind, Format, Limits, ReadOptions, Source, Sources, read_document};
use parquet::arrow::ArrowWriter;
use parquet::basic::Compression as Codec;
use parquet::file::properties::WriterProperties;

/// A bucket of this test's own, and the folder with the same files.
struct Bucket {
    name: &'static str,
    folder: PathBuf,
    /// Requests are counted, so one test runs at a time.
    _alone: MutexGuard<'static, ()>,
}

fn environment(name: &str) -> String {
    std::env::var(name).unwrap_or_else(|_| panic!("{name} is not set; run ./test tests"))
}

fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

fn store(arguments: &[&str]) {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/object_stores/store.py");
    let mut python = Command::new(environment("OBJECT_STORES_PYTHON"));
    assert!(python.arg(script).args(arguments).status().unwrap().success());
}

/// Talks to the server itself.
fn server(path: &str, body: &str) {
    let endpoint = environment("AWS_ENDPOINT_URL");
    let address = endpoint.strip_prefix("http://").unwrap();
    let mut stream = TcpStream::connect(address).unwrap();
    let length = body.len();
    write!(
        stream,
        "POST /moto-api/{path} HTTP/1.1\r\nHost: {address}\r\nConnection: close\r\n\
         Content-Length: {length}\r\n\r\n{body}"
    )
    .unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
}

#[derive(Debug)]
struct Request {
    method: String,
    url: String,
    /// The bytes asked for.
    bytes: Option<u64>,
}

impl Bucket {
    /// With what `fill` puts into the folder.
    fn new(name: &'static str, fill: impl FnOnce(&Path)) -> Self {
        let alone = alone();
        let folder = crate::folder(&format!("object_stores/{name}"));
        fill(&folder);
        store(&["put", folder.to_str().unwrap(), name]);
        server("recorder/reset-recording", "");
        Self { name, folder, _alone: alone }
    }

    fn url(&self, rest: &str) -> String {
        format!("s3://{}{rest}", self.name)
    }

    fn local(&self, rest: &str) -> String {
        format!("{}{rest}", self.folder.to_str().unwrap())
    }

    /// What was asked of this bucket since it was filled.
    fn requests(&self) -> Vec<Request> {
        let recorded = fs::read_to_string(environment("MOTO_RECORDER_FILEPATH")).unwrap();
        let requests = recorded.lines().map(|line| {
            let line: serde_json::Value = serde_json::from_str(line).unwrap();
            let range = line["headers"]["Range"].as_str().map(|range| {
                let (first, last) = range.strip_prefix("bytes=").unwrap().split_once('-').unwrap();
                last.parse::<u64>().unwrap() + 1 - first.parse::<u64>().unwrap()
            });
            let text = |name: &str| line[name].as_str().unwrap().to_owned();
            Request { method: text("method"), url: text("url"), bytes: range }
        });
        requests.filter(|request| request.url.contains(&format!("/{}", self.name))).collect()
    }

    /// Both inputs have the same sources with the same records, in the same order.
    fn assert_same(&self, rest: &str, format: Option<Format>) -> Vec<Seen> {
        let here = see(&self.local(rest), format, &self.local(""));
        let there = see(&self.url(rest), format, &self.url(""));
        assert_eq!(there, here);
        here.0
    }
}

/// A source and its records.
#[derive(Debug, PartialEq)]
struct Seen {
    id: String,
    name: String,
    format: Format,
    records: Vec<Result<Record, String>>,
}

/// What an input has, with ids from the root on, and how many other files.
fn see(input: &str, format: Option<Format>, root: &str) -> (Vec<Seen>, u64) {
    let mut sources = Sources::new(&[input.to_owned()], format).unwrap();
    let seen = sources.by_ref().map(|source| {
        let source = source.unwrap();
        let records = records(&source).into_iter().map(|record| {
            let (number, id, text, url) = record.map_err(|error| error.replace(root, ""))?;
            Ok((number, id.replace(root, ""), text, url))
        });
        Seen {
            id: source.id().strip_prefix(root).unwrap().to_owned(),
            name: source.name().to_owned(),
            format: source.format(),
            records: records.collect(),
        }
    });
    (seen.collect(), sources.other_files())
}

type Record = (u64, String, Vec<u8>, Option<String>);

fn records(source: &Source) -> Vec<Result<Record, String>> {
    let mut records = Vec::new();
    for chunk in source.chunks(&ReadOptions::default()) {
        match chunk {
            Ok(chunk) => chunk.for_each(|record| {
                records.push(record.map_err(|error| error.to_string()).map(|record| {
                    let url = record.url.map(std::borrow::Cow::into_owned);
                    (record.number, record.id.into_owned(), record.content.into_owned(), url)
                }));
            }),
            Err(error) => records.push(Err(error.to_string())),
        }
    }
    records
}

fn write(folder: &Path, name: &str, bytes: impl AsRef<[u8]>) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, bytes).unwrap();
}

fn json_lines(range: std::ops::Range<u32>) -> String {
    let line = |i| format!("{{\"text\": \"document {i}\", \"url\": \"http://e/{i}\"}}\n");
    range.map(line).collect()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut out = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    out.write_all(bytes).unwrap();
    out.finish().unwrap()
}

/// Bytes that do not shrink.
fn noise(length: usize, seed: u64) -> Vec<u8> {
    let mut state = seed | 1;
    let step = |_| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state as u8
    };
    (0..length).map(step).collect()
}

/// Row groups of small texts beside 4 MiB of something else each.
fn parquet_file(groups: u64) -> Vec<u8> {
    let properties = WriterProperties::builder()
        .set_compression(Codec::SNAPPY)
        .set_dictionary_enabled(false)
        .build();
    let mut writer: Option<ArrowWriter<Vec<u8>>> = None;
    for group in 0..groups {
        let texts = (0..64).map(|i| format!("text {i} of group {group}"));
        let blobs: Vec<Vec<u8>> = (0..64).map(|i| noise(64 << 10, group * 64 + i + 1)).collect();
        let columns: [(&str, ArrayRef); 3] = [
            ("before", Arc::new(BinaryArray::from_iter_values(&blobs[..]))),
            ("text", Arc::new(StringArray::from_iter_values(texts))),
            ("after", Arc::new(BinaryArray::from_iter_values(&blobs[..]))),
        ];
        let batch = RecordBatch::try_from_iter(columns).unwrap();
        let writer = writer.get_or_insert_with(|| {
            ArrowWriter::try_new(Vec::new(), batch.schema(), Some(properties.clone())).unwrap()
        });
        writer.write(&batch).unwrap();
        writer.flush().unwrap();
    }
    writer.unwrap().into_inner().unwrap()
}

/// Files of every sort, in folders whose order is not that of their keys.
fn fill_with_all_sorts(folder: &Path) {
    write(folder, "crawl/a/one.jsonl", json_lines(0..10));
    write(folder, "crawl/a-b.jsonl.gz", gzip(json_lines(10..300).as_bytes()));
    write(folder, "crawl/a.txt", "a text");
    write(folder, "crawl/a/.hidden/x.txt", "hidden");
    write(folder, "crawl/a/.hidden.txt", "hidden");
    write(folder, "crawl/a/notes.pdf", "of another kind");
    let packed = zstd::encode_all(json_lines(300..900).as_bytes(), 3).unwrap();
    write(folder, "crawl/b/two.jsonl.zst", packed);
    write(folder, "crawl/b/table.csv", "id,text\n1,one\n2,\"two\nlines\"\nbad\n");
    write(folder, "crawl/b/empty.jsonl", "");
    write(folder, "crawl/b/empty.txt", "");
    write(folder, "crawl/b/empty", "");
    write(folder, "crawl/b/with space + %41 \u{e9}.md", "odd names");
    write(folder, "crawl/c/rows.parquet", parquet_file(2));
    write(folder, "crawl/c/rows.parquet.gz", gzip(&parquet_file(1)));
    write(folder, "crawl/c/cut.jsonl.gz", &gzip(json_lines(0..5000).as_bytes())[..9000]);
    write(folder, "crawl/c/no-name", json_lines(0..3));
    write(folder, "what?.txt", "not a glob");
    write(folder, "whatX.txt", "not this");
}

#[test]
fn objects_equal_files() {
    let bucket = Bucket::new("all-sorts", fill_with_all_sorts);
    let all = bucket.assert_same("/crawl", None);
    let ids: Vec<&str> = all.iter().map(|source| &*source.id).collect();
    assert_eq!(
        ids[..4],
        ["/crawl/a/one.jsonl", "/crawl/a-b.jsonl.gz", "/crawl/a.txt", "/crawl/b/empty.jsonl"]
    );
    assert_eq!(all[0].name, "a/one.jsonl", "relative to the prefix");
    assert_eq!(all[0].records[2].as_ref().unwrap().1, "/crawl/a/one.jsonl#3");
    assert!(all.iter().map(|source| source.records.len()).sum::<usize>() > 1000);
    for rest in ["/crawl/", "", "/", "/crawl/b", "/crawl/c/no-name", "/crawl/b/empty"] {
        assert!(!bucket.assert_same(rest, None).is_empty(), "{rest}");
    }
    for source in &all {
        assert_eq!(bucket.assert_same(&source.id, None).len(), 1, "{}", source.id);
    }
    assert_eq!(bucket.assert_same("/what?.txt", None).len(), 1);
    bucket.assert_same("/crawl/a", Some(Format::TextFile));
}

#[test]
fn globs_equal_local_ones() {
    let bucket = Bucket::new("globs", fill_with_all_sorts);
    for (glob, sources) in [
        ("/crawl/*.txt", 1),
        ("/crawl/**/*.jsonl", 2),
        ("/crawl/a*", 2),
        ("/crawl/?/*", 12),
        ("/**/empty*", 3),
        ("/crawl/a/.*", 1),
        ("/wh?t*.txt", 2),
    ] {
        assert_eq!(bucket.assert_same(glob, None).len(), sources, "{glob}");
    }
    let error = Sources::new(&[bucket.url("/crawl/*.nothing")], None).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::NoMatch(_)), "{error}");
}

#[test]
fn a_glob_lists_no_more_than_it_must() {
    let bucket = Bucket::new("narrow", |folder| {
        write(folder, "2023/a.txt", "");
        write(folder, "2024/b.txt", "b");
    });
    assert_eq!(bucket.assert_same("/2024*/*.txt", None).len(), 1);
    let requests = bucket.requests();
    let lists = requests.iter().filter(|request| request.url.contains("list-type"));
    assert!(lists.clone().count() > 0);
    assert!(lists.clone().all(|request| request.url.contains("prefix=2024")), "{requests:?}");
}

#[test]
fn documents_are_read_by_name() {
    let bucket = Bucket::new("documents", |folder| write(folder, "a.txt", "a text"));
    let document = read_document(&bucket.url("/a.txt"), Limits::default()).unwrap();
    assert_eq!((document.id, document.bytes), (bucket.url("/a.txt"), b"a text".to_vec()));
    let mut limits = Limits::default();
    limits.max_document_bytes = 3;
    let error = read_document(&bucket.url("/a.txt"), limits).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::TooLong { limit: 3, .. }));
}

#[test]
fn listings_go_on_page_after_page() {
    let bucket = Bucket::new("pages", |folder| {
        for i in 0..1500 {
            write(folder, &format!("many/part-{i:04}.txt"), format!("text {i}"));
        }
        // Its keys come after all others, the folder before.
        write(folder, "many/part/x.txt", "first");
    });
    let sources: Result<Vec<Source>, _> =
        Sources::new(&[bucket.url("/many")], None).unwrap().collect();
    let ids: Vec<String> = sources.unwrap().iter().map(|source| source.id().to_owned()).collect();
    let local: Result<Vec<Source>, _> =
        Sources::new(&[bucket.local("/many")], None).unwrap().collect();
    let local: Vec<String> = local
        .unwrap()
        .iter()
        .map(|source| source.id().replace(&bucket.local(""), &bucket.url("")))
        .collect();
    assert_eq!(ids.len(), 1501);
    assert_eq!(ids, local);
    let requests = bucket.requests();
    assert!(requests.len() < 10, "{} requests for 1501 names", requests.len());
}

#[test]
fn long_objects_take_few_requests() {
    const LINES: u32 = 40;
    let line = |i: u32| {
        let text: String = noise(1 << 20, u64::from(i) + 7)
            .iter()
            .map(|byte| char::from(b'a' + byte % 26))
            .collect();
        format!("{{\"text\": \"{text}\"}}\n")
    };
    let bucket = Bucket::new("long", |folder| {
        write(folder, "long.jsonl", (0..LINES).map(line).collect::<String>());
    });
    assert_eq!(bucket.assert_same("/long.jsonl", None)[0].records.len(), LINES as usize);
    let requests = bucket.requests();
    let reads: Vec<&Request> = requests.iter().filter(|request| request.method == "GET").collect();
    assert_eq!(reads.len(), 6, "5 blocks of 8 MiB and the rest: {reads:?}");
    assert!(reads.iter().all(|request| request.bytes.unwrap() <= 8 << 20));
}

#[test]
fn parquet_is_read_by_ranges() {
    let bucket = Bucket::new("ranges", |folder| write(folder, "rows.parquet", parquet_file(5)));
    let size = fs::metadata(bucket.folder.join("rows.parquet")).unwrap().len();
    assert!(size > 40 << 20);
    assert_eq!(bucket.assert_same("/rows.parquet", None)[0].records.len(), 5 * 64);
    let requests = bucket.requests();
    let bytes: u64 = requests.iter().filter_map(|request| request.bytes).sum();
    let reads = requests.iter().filter(|request| request.method == "GET");
    assert!(reads.clone().all(|request| request.bytes.is_some()), "ranges only: {requests:?}");
    assert!(bytes < 1 << 20, "{bytes} of {size} bytes");
    assert!(reads.count() <= 6, "the footer, and a text column for each row group: {requests:?}");
}

#[test]
fn mirrors_equal_those_of_files() {
    let bucket = Bucket::new("selections", fill_with_all_sorts);
    let options = ReadOptions::default();
    let selection = |input: String, name: &str| {
        let out = bucket.folder.with_file_name(format!("selections-{name}"));
        let _ = fs::remove_dir_all(&out);
        let sources = Sources::new(&[input], None).unwrap();
        let counts = sources.map(|source| {
            let source = source.unwrap();
            let keep = |number| number % 3 != 0;
            let report = source
                .write_selection(&out, &options, keep)
                .map(|report| (report.kept, report.dropped, report.broken.is_some()));
            let bytes = fs::read(out.join(source.name())).ok();
            (source.name().to_owned(), report.map_err(|error| error.is_corruption()), bytes)
        });
        counts.collect::<Vec<_>>()
    };
    let there = selection(bucket.url("/crawl"), "there");
    let here = selection(bucket.local("/crawl"), "here");
    assert!(there.len() > 8);
    assert_eq!(there, here);
    assert_eq!(there.iter().filter(|(_, _, bytes)| bytes.is_some()).count(), there.len());
}

fn all(input: String) -> Vec<Source> {
    Sources::new(&[input], None).unwrap().map(Result::unwrap).collect()
}

/// As a later stage opens it: written down and read back.
fn reopened(source: &Source) -> Source {
    serde_json::from_str(&serde_json::to_string(source).unwrap()).unwrap()
}

#[test]
fn objects_are_opened_again_as_files_are() {
    let bucket = Bucket::new("again", fill_with_all_sorts);
    let out = bucket.folder.with_file_name("again-copies");
    let _ = fs::remove_dir_all(&out);
    let (there, here) = (all(bucket.url("/crawl")), all(bucket.local("/crawl")));
    assert_eq!(there.len(), here.len());
    for (object, file) in there.iter().zip(&here) {
        let name = object.id();
        let again = reopened(object);
        assert_eq!((again.id(), again.name()), (name, file.name()));
        assert_eq!((again.format(), again.compression()), (file.format(), file.compression()));
        assert_eq!(again.path(), object.path());
        assert_eq!(records(&again), records(object), "{name}");
        let bytes = fs::read(file.path()).unwrap();
        for source in [object, &again, &reopened(object)] {
            assert_eq!(source.stored_bytes().unwrap(), bytes.len() as u64, "{name}");
        }
        let copy = reopened(object).copy_to(&out).unwrap();
        assert_eq!(fs::read(copy).unwrap(), bytes, "{name}");
        let spooled = reopened(object).spool(&out).unwrap();
        assert_eq!(spooled.path(), object.path(), "stays where it is");
        let options = ReadOptions::default();
        let position = |source: &Source| {
            let mut chunks = source.chunks(&options);
            chunks.by_ref().for_each(drop);
            chunks.position()
        };
        assert_eq!(position(&again), position(file), "{name}");
        assert_eq!(position(&again) > 0, !bytes.is_empty(), "{name}");
        if object.format() == Format::TextFile {
            let text = |source: &Source| {
                let mut text = String::new();
                source.text_reader(&options).unwrap().read_to_string(&mut text).unwrap();
                text
            };
            assert_eq!(text(&again), text(file), "{name}");
        }
    }
}

#[test]
fn a_source_stays_with_one_version_of_its_object() {
    let bucket = Bucket::new("changing", |folder| {
        write(folder, "a.jsonl", json_lines(0..3));
        write(folder, "b.parquet", parquet_file(1));
    });
    let sources = all(bucket.url(""));
    let state = |source: &Source| (source.stored_bytes().unwrap(), source.modified().unwrap());
    let before: Vec<_> = sources.iter().map(state).collect();
    // Stores tell whole seconds.
    let age = before[0].1.unwrap().elapsed().unwrap();
    assert!(age.as_secs() < 3600, "{age:?}");
    write(&bucket.folder, "a.jsonl", json_lines(0..4));
    write(&bucket.folder, "b.parquet", parquet_file(2));
    store(&["put", bucket.folder.to_str().unwrap(), bucket.name]);
    for (source, before) in sources.iter().zip(before) {
        assert_eq!(state(&source.clone()), before, "what it was when it was asked for");
        let read = records(source);
        let message = read.last().unwrap().as_ref().unwrap_err();
        assert!(message.contains("was replaced while it was being read"), "{message}");
        assert!(source.copy_to(&bucket.folder.with_file_name("changing-copies")).is_err());
        let again = reopened(source);
        assert_ne!(state(&again), before);
        let file = Source::file(&bucket.folder.join(source.name()), None).unwrap();
        assert_eq!(again.stored_bytes().unwrap(), file.stored_bytes().unwrap());
        assert!(records(&again).len() > 3 && records(&again).iter().all(Result::is_ok));
    }
    store(&["delete", bucket.name, "a.jsonl"]);
    let gone = reopened(&sources[0]);
    assert!(gone.modified().unwrap_err().is_io() && gone.stored_bytes().unwrap_err().is_io());
}

#[test]
fn nothing_is_asked_twice() {
    let bucket = Bucket::new("asked", |folder| {
        write(folder, "a.jsonl", json_lines(0..3));
        write(folder, "b.txt", "b");
    });
    let asked = |source: &Source| {
        for source in [source, &source.clone()] {
            assert!(source.stored_bytes().unwrap() > 0);
            assert!(records(source).iter().all(Result::is_ok));
            assert!(source.modified().unwrap().is_some());
        }
    };
    let heads = || bucket.requests().iter().filter(|request| request.method == "HEAD").count();
    let sources = all(bucket.url(""));
    sources.iter().for_each(asked);
    assert_eq!(heads(), 0, "listings and reading tell all");
    asked(&all(bucket.url("/a.jsonl"))[0]);
    assert_eq!(heads(), 1, "to see that there is one");
    asked(&reopened(&sources[0]));
    assert_eq!(heads(), 2, "it may have changed since");
}

#[test]
fn urls_are_ordered_among_other_inputs() {
    let bucket = Bucket::new("ordered", |folder| {
        write(folder, "a/x.txt", "");
        write(folder, "a-b.txt", "");
    });
    let (there, here) = (bucket.url(""), bucket.local(""));
    let inputs = [
        format!("{there}/a-b.txt"),
        format!("{here}/a/x.txt"),
        format!("{there}/a"),
        format!("{here}/a-b.txt"),
    ];
    for inputs in [inputs.clone(), [3, 2, 1, 0].map(|i: usize| inputs[i].clone())] {
        let sources = Sources::by_name(&inputs, None).unwrap();
        let ids: Vec<String> = sources.map(|source| source.unwrap().id().to_owned()).collect();
        let expected = ["a/x.txt", "a-b.txt"];
        let expected = [&here, &there].map(|root| expected.map(|name| format!("{root}/{name}")));
        assert_eq!(ids, expected.concat());
    }
}

#[test]
fn what_is_not_there_is_refused_at_once() {
    let bucket = Bucket::new("missing", |folder| write(folder, "ab/c.txt", ""));
    for rest in ["/a", "/ab/", "/ab/c.txt/", "/none", "/none/", "/ab/../c.txt", "/a//b"] {
        let url = bucket.url(rest);
        let found = Sources::new(std::slice::from_ref(&url), None);
        if rest == "/ab/" {
            assert_eq!(found.unwrap().count(), 1);
            continue;
        }
        let error = found.unwrap_err();
        assert!(error.is_io() && error.to_string().contains(&url), "{error}");
    }
    let error = Sources::new(&["s3://no-such-bucket/a.txt".to_owned()], None).unwrap_err();
    let message = error.to_string();
    assert!(error.is_io() && message.contains("`s3://no-such-bucket/a.txt`"), "{message}");
    assert!(message.contains("NoSuchBucket: "), "{message}");
    let error = Sources::new(&["s3:///a.txt".to_owned()], None).unwrap_err();
    assert!(error.to_string().contains("names no bucket"), "{error}");
    let error = read_document(&bucket.url("/none.txt"), Limits::default()).unwrap_err();
    assert!(error.is_io() && error.to_string().contains("none.txt`: cannot be read: "), "{error}");
}

#[test]
fn an_object_that_goes_away_is_an_error_of_its_own() {
    let bucket = Bucket::new("vanishing", |folder| {
        write(folder, "a.jsonl", json_lines(0..600_000));
        write(folder, "b.jsonl", json_lines(0..3));
        write(folder, "c.parquet", parquet_file(3));
    });
    assert!(fs::metadata(bucket.folder.join("a.jsonl")).unwrap().len() > 24 << 20);
    let mut sources = Sources::new(&[bucket.url("")], None).unwrap();
    let options = ReadOptions::default();
    let mut chunks = sources.next().unwrap().unwrap().chunks(&options);
    assert!(chunks.next().unwrap().is_ok());
    store(&["delete", bucket.name, "a.jsonl"]);
    let last = chunks.by_ref().last().unwrap();
    let error = last.unwrap_err();
    assert!(error.is_io(), "{error}");
    assert!(error.to_string().contains(&bucket.url("/a.jsonl`: cannot be read: ")), "{error}");
    assert!(chunks.next().is_none());
    assert_eq!(records(&sources.next().unwrap().unwrap()).len(), 3, "the next one follows");
    let mut options = ReadOptions::default();
    options.fields.others = vec!["before".to_owned()];
    let mut chunks = sources.next().unwrap().unwrap().chunks(&options);
    assert!(chunks.next().unwrap().is_ok());
    store(&["delete", bucket.name, "c.parquet"]);
    let error = chunks.last().unwrap().unwrap_err();
    assert!(error.is_io(), "{error}");
    assert!(error.to_string().contains(&bucket.url("/c.parquet`: cannot be read: ")), "{error}");
}

#[test]
fn an_object_that_is_replaced_is_no_mixture() {
    let bucket = Bucket::new("replaced", |folder| write(folder, "a.jsonl", json_lines(0..600_000)));
    let mut sources = Sources::new(&[bucket.url("")], None).unwrap();
    let mut chunks = sources.next().unwrap().unwrap().chunks(&ReadOptions::default());
    assert!(chunks.next().unwrap().is_ok());
    write(&bucket.folder, "a.jsonl", json_lines(1..600_001));
    store(&["put", bucket.folder.to_str().unwrap(), bucket.name]);
    let error = chunks.last().unwrap().unwrap_err();
    assert!(error.to_string().contains("was replaced while it was being read"), "{error}");
}

#[test]
fn wrong_credentials_are_told() {
    let bucket = Bucket::new("secret", |folder| write(folder, "a.txt", "a"));
    // From now on the server looks at keys, and has none like ours.
    server("reset-auth", "0");
    let errors = ["/a.txt", "", "/*.txt"].map(|rest| {
        Sources::new(&[bucket.url(rest)], None).map(|_| ()).map_err(|error| error.to_string())
    });
    server("reset-auth", "inf");
    for error in errors {
        let message = error.unwrap_err();
        assert!(message.contains("`s3://secret"), "{message}");
        assert!(message.contains("InvalidAccessKeyId") || message.contains("403"), "{message}");
    }
}

/// The environment has both stores at a port where nobody listens.
#[test]
fn a_refused_connection_is_told() {
    let _alone = alone();
    for url in ["gs://bucket/a.txt", "az://container/a.txt"] {
        let error = Sources::new(&[url.to_owned()], None).unwrap_err();
        let message = error.to_string();
        assert!(error.is_io() && message.contains(url), "{message}");
        assert!(message.to_lowercase().contains("connection refused"), "{message}");
    }
}
