//! What inputs turn out to be.

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use lookalike_corpus::{Compression, ErrorKind, Format, Inputs, ReadOptions, Source, Sources};
use proptest::prelude::*;

use super::{folder, pack, read_source};

#[test]
fn names_then_content_tell_what_a_file_is() {
    let folder = folder("sources-content");
    let line = b"{\"text\":\"a\"}\n";
    for (name, bytes, format, compression) in [
        ("1.jsonl", line.to_vec(), Format::JsonLines, Compression::None),
        ("2.data", line.to_vec(), Format::JsonLines, Compression::None),
        ("3.data", pack(Compression::Xz, line), Format::JsonLines, Compression::Xz),
        ("4.gz", pack(Compression::Gzip, line), Format::JsonLines, Compression::Gzip),
        ("5", pack(Compression::Bzip2, b"words"), Format::TextFile, Compression::Bzip2),
        ("6.txt", line.to_vec(), Format::TextFile, Compression::None),
        ("7.csv.zst", b"whatever".to_vec(), Format::Csv, Compression::Zstd),
    ] {
        let path = folder.join(name);
        fs::write(&path, bytes).unwrap();
        let mut sources = Sources::new(&[path.display().to_string()], None).unwrap();
        let source = sources.next().unwrap().unwrap();
        assert_eq!((source.format(), source.compression()), (format, compression), "{name}");
    }
    let all = |format| {
        let sources = Sources::new(&[folder.display().to_string()], format).unwrap();
        sources.map(|source| source.unwrap().name().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(all(None), ["1.jsonl", "6.txt", "7.csv.zst"]);
    assert_eq!(all(Some(Format::TextFile)).len(), 7, "all of them, as we were told what they are");
}

#[test]
fn mirrors_have_names_of_their_own() {
    let folder = folder("sources-names");
    for name in ["a/x.jsonl.gz", "b/x.jsonl.gz", "b/c/x.jsonl.gz", "b/x~2.jsonl.gz"] {
        let path = folder.join(name);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, "").unwrap();
    }
    let inputs = ["a/x.jsonl.gz", "b/x.jsonl.gz", "b"];
    let inputs = inputs.map(|name| folder.join(name).display().to_string());
    let names: Vec<_> = Sources::new(&inputs, None)
        .unwrap()
        .map(|source| source.unwrap().name().to_owned())
        .collect();
    assert_eq!(
        names,
        ["x.jsonl.gz", "x~2.jsonl.gz", "c/x.jsonl.gz", "x~3.jsonl.gz", "x~2~2.jsonl.gz",]
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]
    #[test]
    fn the_order_of_arguments_has_no_part_in_the_order_by_name(
        arguments in Just([
            "a/x.jsonl", "a//x.jsonl", "b/x.jsonl", "b", "a.txt", "*/x.jsonl", "**/?.jsonl", "a-b",
        ]).prop_shuffle(),
        url in 0_usize..8,
    ) {
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("formats/sources-order");
        for name in ["a/x.jsonl", "b/x.jsonl", "b/c/x.jsonl", "a.txt", "a-b/y.jsonl"] {
            let path = folder.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let list = |arguments: &[&str]| {
            let mut arguments: Vec<_> =
                arguments.iter().map(|name| format!("{}/{name}", folder.display())).collect();
            // One file that is named once more.
            arguments.insert(url, format!("file://{}/%61.txt", folder.display()));
            let sources = Sources::by_name(&arguments, None).unwrap();
            let found = sources.map(|source| {
                let source = source.unwrap();
                let id = source.id().strip_prefix(&*folder.display().to_string()).unwrap();
                (id.to_owned(), source.name().to_owned())
            });
            found.collect::<Vec<_>>()
        };
        let found = list(&arguments);
        let found: Vec<_> = found.iter().map(|(id, name)| (&**id, &**name)).collect();
        let expected = [
            ("/a/x.jsonl", "a/x.jsonl"),
            ("/b/x.jsonl", "b/x.jsonl"),
            ("/a/x.jsonl", "a/x~2.jsonl"),
            ("/a-b/y.jsonl", "a-b/y.jsonl"),
            ("/b/c/x.jsonl", "b/c/x.jsonl"),
            ("/b/x.jsonl", "b/x~2.jsonl"),
            ("/a//x.jsonl", "x.jsonl"),
            ("/a/x.jsonl", "x~2.jsonl"),
            ("/a-b/y.jsonl", "y.jsonl"),
            ("/a.txt", "a.txt"),
            ("/a.txt", "a~2.txt"),
            ("/b/c/x.jsonl", "c/x.jsonl"),
            ("/b/x.jsonl", "x~3.jsonl"),
            ("/b/x.jsonl", "x~4.jsonl"),
        ];
        prop_assert_eq!(found, expected);
    }
}

#[test]
fn a_source_that_was_written_down_is_opened_again() {
    let folder = folder("sources-described");
    let path = folder.join("a/\u{e9} data");
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let packed = pack(Compression::Xz, b"{\"text\":\"a\"}\n");
    fs::write(&path, &packed).unwrap();
    let sources = Sources::new(&[folder.display().to_string()], Some(Format::JsonLines)).unwrap();
    let source = sources.map(Result::unwrap).next().unwrap();
    assert_eq!(source.stored_bytes().unwrap(), packed.len() as u64);
    let changed = fs::metadata(&path).unwrap().modified().ok();
    assert_eq!(source.modified().unwrap(), changed);

    let written = serde_json::to_string(&source).unwrap();
    let all = read_source(&source, &ReadOptions::default());
    fs::remove_file(&path).unwrap();
    let again: Source = serde_json::from_str(&written).unwrap();
    assert_eq!((again.path(), again.id(), again.name()), (&*path, source.id(), "a/\u{e9} data"));
    assert_eq!((again.format(), again.compression()), (Format::JsonLines, Compression::Xz));
    assert!(again.stored_bytes().unwrap_err().is_io() && again.modified().unwrap_err().is_io());
    fs::write(&path, &packed).unwrap();
    assert_eq!(read_source(&again, &ReadOptions::default()), all);
}

#[cfg(unix)]
#[test]
fn paths_that_are_no_text_are_written_down_too() {
    use std::os::unix::ffi::OsStrExt as _;
    let path = Path::new(std::ffi::OsStr::from_bytes(b"a/\xff.jsonl"));
    let source = Source::file(path, None).unwrap();
    let written = serde_json::to_vec(&source).unwrap();
    let again: Source = serde_json::from_slice(&written).unwrap();
    assert_eq!((again.path(), again.name()), (path, "\u{fffd}.jsonl"));
}

/// In a build without object stores too: nobody is asked for it yet.
#[test]
fn an_object_is_written_down_by_its_url() {
    let url = "s3://bucket/x/a.jsonl.gz";
    let written = format!(
        "{{\"path\":\"{url}\",\"id\":\"{url}\",\"name\":\"a.jsonl.gz\",\"format\":\"jsonl\",\
         \"compression\":\"gzip\"}}"
    );
    let source: Source = serde_json::from_str(&written).unwrap();
    assert_eq!((source.path(), source.id()), (Path::new(url), url));
    assert_eq!(serde_json::to_string(&source).unwrap(), written);
    let spooled = source.spool(&folder("sources-object")).unwrap();
    assert_eq!(spooled.path(), Path::new(url), "stays where it is");
    if cfg!(not(feature = "object-stores")) {
        for error in [spooled.stored_bytes().unwrap_err(), spooled.modified().unwrap_err()] {
            assert!(matches!(error.kind(), ErrorKind::NoObjectStores(_)), "{error}");
        }
    }
}

/// Runs itself again: only a process of its own has a standard input to give.
#[test]
fn standard_input_is_kept_as_it_is() {
    let variable = "LOOKALIKE_TEST_SPOOL";
    let packed = pack(Compression::Gzip, b"{\"text\":\"a\"}\n{\"text\":\"b\"}\n");
    let Some(folder) = std::env::var_os(variable) else {
        let folder = folder("sources-spool");
        fs::write(folder.join("stdin.jsonl.gz"), "").unwrap();
        fs::write(folder.join("input"), packed).unwrap();
        let status = Command::new(std::env::current_exe().unwrap())
            .args(["formats::sources::standard_input_is_kept_as_it_is", "--exact"])
            .env(variable, &folder)
            .stdin(fs::File::open(folder.join("input")).unwrap())
            .stdout(Stdio::null())
            .status();
        assert!(status.unwrap().success());
        assert!(folder.join("kept/stdin.jsonl.gz").exists(), "it did run");
        return;
    };
    let folder = Path::new(&folder);
    let other = folder.join("stdin.jsonl.gz").display().to_string();
    let sources = Sources::by_name(&[other, "-".to_owned()], None).unwrap();
    let sources: Vec<_> = sources.map(Result::unwrap).collect();
    let names: Vec<_> = sources.iter().map(Source::name).collect();
    assert_eq!(names, ["stdin.jsonl.gz", "stdin~2.jsonl.gz"], "no selection is in another's way");
    let file = sources[1].clone().spool(&folder.join("kept")).unwrap();
    assert_eq!(file.path(), sources[1].path());

    assert!(serde_json::to_string(&sources[0]).is_err());
    assert!(matches!(sources[0].stored_bytes().unwrap_err().kind(), ErrorKind::ReadOnce));
    assert_eq!(sources[0].modified().unwrap(), None);
    let kept = sources[0].clone().spool(&folder.join("kept")).unwrap();
    assert_eq!(kept.path(), folder.join("kept/stdin.jsonl.gz"));
    assert_eq!((kept.id(), kept.name()), ("-", "stdin.jsonl.gz"));
    assert_eq!(fs::read(kept.path()).unwrap(), packed);
    for _ in 0..2 {
        let all = read_source(&kept, &ReadOptions::default());
        let found: Vec<_> = all.good().iter().map(|read| (&*read.id, &*read.text)).collect();
        assert_eq!(found, [("-#1", "a"), ("-#2", "b")]);
    }
    let twice = sources[0].clone().spool(&folder.join("twice")).unwrap_err();
    assert!(matches!(twice.kind(), ErrorKind::ReadOnce));
    assert!(!folder.join("twice/stdin.jsonl.gz").exists());
}

#[test]
fn inputs_read_every_format_one_after_another() {
    let folder = folder("sources-inputs");
    fs::write(folder.join("a.csv"), "text,id\nfrom csv,1\nbad\n").unwrap();
    fs::write(folder.join("b.jsonl.gz"), pack(Compression::Gzip, b"{\"text\":\"from json\"}"))
        .unwrap();
    fs::write(folder.join("c.txt.zst"), pack(Compression::Zstd, b"\xef\xbb\xbffrom text")).unwrap();
    fs::write(folder.join("d.bin"), "").unwrap();
    let sources = Sources::new(&[folder.display().to_string()], None).unwrap();
    let mut inputs = Inputs::of(sources, ReadOptions::default());
    let mut found = Vec::new();
    for document in &mut inputs {
        match document {
            Ok(document) => found.push((
                document.id.rsplit('/').next().unwrap().to_owned(),
                String::from_utf8(document.bytes).unwrap(),
            )),
            Err(error) => found.push(("error".to_owned(), error.to_string())),
        }
    }
    let found: Vec<_> = found.iter().map(|(id, text)| (&**id, &**text)).collect();
    assert_eq!(found[0], ("1", "from csv"));
    assert!(found[1].1.ends_with("a.csv` record 2: has 1 columns, but the header has 2"));
    assert_eq!(found[2..], [("b.jsonl.gz#1", "from json"), ("c.txt.zst", "from text")]);
    assert_eq!(inputs.other_files(), 1);
}
