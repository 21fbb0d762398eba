//! Any bytes are a web archive: it is read to its end, chunks do not matter, and its mirror has the
//! same documents, or those that were chosen.

use std::fs;
use std::path::Path;

use lookalike_corpus::{Format, ReadOptions, Source};

/// Shorter than many records of the fuzzer, so that some are too long.
const MAX_RECORD_BYTES: u64 = 2000;

/// Reads an archive and its mirror.
pub fn check(bytes: &[u8]) {
    let folder = crate::folders::folder("warc", "archive");
    let path = folder.join("a.warc");
    fs::write(&path, bytes).unwrap();
    let whole = read(&path, 1 << 20);
    for chunk_bytes in [1, 500] {
        assert_eq!(read(&path, chunk_bytes), whole);
    }
    let (documents, passed_over, fault) = whole;

    let source = Source::file(&path, Some(Format::Warc)).unwrap();
    for step in [1, 2] {
        let stays = |number: u64| number.is_multiple_of(step);
        let out = folder.join("out");
        let Ok(written) = source.write_selection(&out, &options(500), stays) else {
            assert!(documents.is_empty() && fault.is_some());
            return;
        };
        let again = read(written.path.as_ref().unwrap(), 500);
        if fault.is_some() {
            continue;
        }
        // What had no id of its own was called by its place, which is another now.
        let named = |found: &&Found| !found.0.contains('#');
        let chosen = documents.iter().zip(1..).filter(|&(_, number)| stays(number));
        let chosen: Vec<&Found> =
            chosen.filter_map(|(found, _)| found.as_ref().ok()).filter(named).collect();
        let found: Vec<&Found> = again.0.iter().flatten().filter(named).collect();
        // What could not be read comes last, and may look like a record once it is with others.
        assert!(found.starts_with(&chosen), "every {step}");
        assert!(again.1.starts_with(&passed_over), "every {step}");
        if documents.iter().all(Result::is_ok) {
            assert_eq!((found.len(), &again.1, &again.2), (chosen.len(), &passed_over, &None));
        }
    }
}

/// Id, text and address.
type Found = (String, Vec<u8>, Option<String>);

fn options(chunk_bytes: usize) -> ReadOptions {
    let mut options = ReadOptions::default();
    options.limits.max_record_bytes = MAX_RECORD_BYTES;
    options.chunk_bytes = chunk_bytes;
    options
}

fn read(
    path: &Path,
    chunk_bytes: usize,
) -> (Vec<Result<Found, String>>, Vec<String>, Option<String>) {
    let source = Source::file(path, Some(Format::Warc)).unwrap();
    let (mut found, mut passed_over, mut fault) = (Vec::new(), Vec::new(), None);
    for chunk in source.chunks(&options(chunk_bytes)) {
        match chunk {
            Ok(chunk) => {
                passed_over.extend(chunk.passed_over().iter().map(ToString::to_string));
                chunk.for_each(|record| {
                    found.push(record.map_err(|error| error.to_string()).map(|record| {
                        assert!(str::from_utf8(&record.content).is_ok());
                        let url = record.url.map(std::borrow::Cow::into_owned);
                        (record.id.into_owned(), record.content.into_owned(), url)
                    }));
                });
            }
            Err(error) => fault = Some(error.to_string()),
        }
    }
    (found, passed_over, fault)
}
