//! What inputs stand for, on a real file system.

use std::fs;
use std::path::Path;

use lookalike_corpus::{ErrorKind, Inputs, Limits, read_document};

use crate::folder;

fn write(folder: &Path, name: &str, text: &str) {
    let path = folder.join(name);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn argument(folder: &Path, rest: &str) -> String {
    format!("{}{rest}", folder.display())
}

/// The ids below the folder, and the files of other kinds.
fn ids(folder: &Path, rest: &str) -> (Vec<String>, u64) {
    let mut inputs = Inputs::new(&[argument(folder, rest)]).unwrap();
    let prefix = argument(folder, "/");
    let ids = inputs.by_ref().map(|document| {
        let id = document.unwrap().id;
        id.strip_prefix(&prefix).unwrap().to_owned()
    });
    (ids.collect(), inputs.other_files())
}

#[test]
fn folders_are_walked_in_order() {
    let folder = folder("order");
    for name in ["b.txt", "a/z.md", "a/y.TXT", "c.pdf", ".hidden.txt", ".git/x.txt", "a.txt"] {
        write(&folder, name, name);
    }
    let (found, other) = ids(&folder, "");
    assert_eq!(found, ["a/y.TXT", "a/z.md", "a.txt", "b.txt"]);
    assert_eq!(other, 1, "c.pdf; hidden files are not even counted");
}

#[test]
fn globs_take_files_of_any_name() {
    let folder = folder("glob");
    for name in ["a.log", "b.txt", "d/c.log", "d/e/f.log"] {
        write(&folder, name, "");
    }
    assert_eq!(ids(&folder, "/*.log").0, ["a.log"]);
    assert_eq!(ids(&folder, "/**/*.log").0, ["a.log", "d/c.log", "d/e/f.log"]);
    assert_eq!(ids(&folder, "/d/?.log").0, ["d/c.log"]);
    let error = Inputs::new(&[argument(&folder, "/*.csv")]).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::NoMatch(_)));
}

#[test]
fn a_file_by_name_is_a_document_even_with_wildcards_in_it() {
    let folder = folder("names");
    write(&folder, "what?.bin", "here");
    write(&folder, "whatX.bin", "not here");
    let mut inputs = Inputs::new(&[argument(&folder, "/what?.bin")]).unwrap();
    assert_eq!(inputs.next().unwrap().unwrap().bytes, b"here");
    assert!(inputs.next().is_none());
}

#[test]
fn missing_files_and_urls_are_refused_at_once() {
    let folder = folder("missing");
    let error = Inputs::new(&[argument(&folder, "/none.txt")]).unwrap_err();
    assert!(error.is_io());
    let message = error.to_string();
    assert!(message.contains("none.txt`: cannot be read: "), "{message}");
    assert!(Inputs::new(&[argument(&folder, "/none/*.txt")]).unwrap_err().is_io());
    for url in ["http://host/a.txt", "https://host/a.txt", "file://host/a.txt"] {
        assert!(Inputs::new(&[url.to_owned()]).unwrap_err().is_user(), "{url}");
        assert!(read_document(url, Limits::default()).unwrap_err().is_user(), "{url}");
    }
}

#[cfg(not(feature = "object-stores"))]
#[test]
fn a_build_without_object_stores_says_how_to_get_one() {
    for url in ["s3://bucket/a.txt", "gs://bucket/", "az://container/*.txt"] {
        let url = url.to_owned();
        for error in [
            Inputs::new(std::slice::from_ref(&url)).unwrap_err(),
            read_document(&url, Limits::default()).unwrap_err(),
        ] {
            assert!(error.is_user());
            let message = error.to_string();
            assert!(message.contains(&url) && message.contains("--features object-stores"));
        }
    }
}

#[cfg(unix)]
#[test]
fn file_urls_are_local_paths() {
    let folder = folder("a folder");
    write(&folder, "100%.txt", "here");
    let url = |rest: &str| format!("file://{}{rest}", folder.display()).replace(' ', "%20");
    let only = |url: String| Inputs::new(&[url]).unwrap().next().unwrap().unwrap();
    let found = only(url("/100%25.txt"));
    assert_eq!((found.id, &*found.bytes), (argument(&folder, "/100%.txt"), &b"here"[..]));
    assert_eq!(only(url("")).bytes, b"here", "a folder");
    assert_eq!(only(url("/*.txt")).bytes, b"here", "a glob");
    assert_eq!(read_document(&url("/100%.txt"), Limits::default()).unwrap().bytes, b"here");
    let message = Inputs::new(&[url("/none%20.txt")]).unwrap_err().to_string();
    assert!(message.contains("a folder/none .txt`: cannot be read: "), "{message}");
}

#[test]
fn one_bad_file_does_not_end_the_walk() {
    let folder = folder("limit");
    write(&folder, "a.txt", "too long");
    write(&folder, "b.txt", "short");
    let mut limits = Limits::default();
    limits.max_document_bytes = 5;
    let all: Vec<_> = Inputs::with_limits(&[argument(&folder, "")], limits).unwrap().collect();
    assert!(matches!(all[0].as_ref().unwrap_err().kind(), ErrorKind::TooLong { limit: 5, .. }));
    assert_eq!(all[1].as_ref().unwrap().bytes, b"short");
}

#[test]
fn a_folder_is_no_document() {
    let folder = folder("folder");
    let error = read_document(&argument(&folder, ""), Limits::default()).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Folder(_)));
}

#[cfg(unix)]
#[test]
fn loops_of_links_end() {
    let folder = folder("loops");
    write(&folder, "a/b.txt", "");
    std::os::unix::fs::symlink(&folder, folder.join("a/up")).unwrap();
    std::os::unix::fs::symlink("itself.txt", folder.join("a/itself.txt")).unwrap();
    std::os::unix::fs::symlink("b.txt", folder.join("a/link.txt")).unwrap();
    let mut inputs = Inputs::new(&[argument(&folder, "")]).unwrap();
    let (good, bad): (Vec<_>, Vec<_>) = inputs.by_ref().partition(Result::is_ok);
    assert_eq!((good.len(), bad.len()), (2, 1), "b.txt and link.txt; itself.txt has no end");
    assert_eq!(inputs.other_files(), 1, "the link to a folder");
    assert_eq!(Inputs::new(&[argument(&folder, "/**/b.txt")]).unwrap().count(), 1);
}
