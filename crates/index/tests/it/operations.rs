//! Single operations: threads, secrets, signatures from outside, pages, and bad requests.

use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::common::both;
use lookalike_core::recipe::Verify;
use lookalike_core::{Recipe, Signature, Signer, mix};
use lookalike_files::WorkFolder;
use lookalike_index::{
    AddIf, ContentKind, CreateOptions, Document, ErrorKind, Index, MAX_ID_BYTES, MatchKind,
    OpenOptions, RankedEntry, Secret, Standing,
};
use sha2::{Digest as _, Sha256};

fn text(seed: u64, changed: u64) -> String {
    let word = |w: u64| format!("w{}", mix(seed << 32 | w | u64::from(w < changed) << 20) % 9999);
    (0..100).map(word).collect::<Vec<_>>().join(" ")
}

fn recipe() -> Recipe {
    Recipe::preset("text").unwrap()
}

#[test]
fn of_two_lookalikes_at_once_exactly_one_is_told_of_the_other() {
    let folder = WorkFolder::create(None).unwrap();
    for index in both(&folder.join("i"), &recipe(), &CreateOptions::new()) {
        for round in 0..50 {
            let barrier = Barrier::new(2);
            let check_and_add = |changed: u64| {
                let (id, text) = (format!("{round}-{changed}"), text(round, changed));
                barrier.wait();
                index.check_and_add(&Document::text(&id, &text), AddIf::New).unwrap()
            };
            let (a, b) = std::thread::scope(|scope| {
                let other = scope.spawn(|| check_and_add(1));
                (check_and_add(0), other.join().unwrap())
            });
            let told = [&a, &b].map(|done| done.answer.matches.len());
            assert!(told == [0, 1] || told == [1, 0], "{told:?}");
            assert_ne!(a.added.is_some(), b.added.is_some());
        }
        assert_eq!(index.len(), 50);
    }
}

#[test]
fn readers_see_whole_changes_while_one_thread_writes() {
    let folder = WorkFolder::create(None).unwrap();
    let options = OpenOptions::new().segment_postings(300);
    let create = CreateOptions::new().open(options);
    for index in both(&folder.join("i"), &recipe(), &create) {
        // A document that is replaced again and again: there is always exactly one.
        index.add(&Document::text("one", &text(1, 0))).unwrap();
        let done = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    while !done.load(Ordering::Relaxed) {
                        let answer = index.check(&Document::text("", &text(1, 0))).unwrap();
                        let ids: Vec<&str> = answer.matches.iter().map(|m| m.id.as_str()).collect();
                        assert_eq!(ids, ["one"]);
                        assert!(index.get("one").unwrap().is_some());
                        assert!(index.documents().unwrap().all(|record| record.is_ok()));
                        let page = index.page(0, 1000).unwrap();
                        assert_eq!(page.iter().filter(|record| record.id == "one").count(), 1);
                    }
                });
            }
            // Another writer, so that compactions have changes before and after them.
            scope.spawn(|| {
                for n in 0.. {
                    let id = format!("gone-{n}");
                    index.add(&Document::text(&id, &text(n + 1000, 0))).unwrap();
                    assert!(index.remove(&id).unwrap());
                    if done.load(Ordering::Relaxed) {
                        break;
                    }
                }
            });
            for n in 0..150 {
                index.add(&Document::text("one", &text(1, n % 3))).unwrap();
                index.add(&Document::text(n.to_string(), &text(n + 10, 0))).unwrap();
                if n % 50 == 49 {
                    index.compact().unwrap();
                }
            }
            done.store(true, Ordering::Relaxed);
        });
        assert_eq!(index.verify().unwrap().documents, 151);
    }
}

#[test]
fn batches_are_the_same_on_any_number_of_threads() {
    let folder = WorkFolder::create(None).unwrap();
    // 40 documents of 5 kB to 50 kB and 20 look-alikes of them, enough for four threads.
    let words = |n: u64, changed: u64| -> String {
        (0..=n % 10)
            .map(|part| text(n * 10 + part, changed))
            .collect::<Vec<_>>()
            .join(" ")
            .repeat(8)
    };
    let texts: Vec<String> =
        (0..60).map(|n| if n < 40 { words(n, 0) } else { words(n - 40, 1) }).collect();
    assert!(texts.iter().map(String::len).sum::<usize>() > 1 << 20, "too little for threads");
    let named: Vec<(String, &String)> =
        texts.iter().enumerate().map(|(n, text)| (n.to_string(), text)).collect();
    let documents: Vec<Document<'_>> =
        named.iter().map(|(id, text)| Document::text(id, *text)).collect();
    let said = [1, 3, 4].map(|threads| {
        let open = OpenOptions::new().threads(threads);
        let path = folder.join(threads.to_string());
        let index = Index::create(&path, &recipe(), &CreateOptions::new().open(open)).unwrap();
        let done = index.check_and_add_batch(&documents, AddIf::New).unwrap();
        let checked = index.check_batch(&documents).unwrap();
        let too_long = "i".repeat(MAX_ID_BYTES + 1);
        let mut with_fault = documents.clone();
        with_fault[30].id = too_long.as_str().into();
        with_fault[50].id = too_long.as_str().into();
        let error = index.add_batch(&with_fault).unwrap_err().to_string();
        let added = index.add_batch(&documents).unwrap();
        (done, checked, error, added, index.verify().unwrap())
    });
    assert!(said[0].0.iter().filter(|done| done.added.is_none()).count() >= 20);
    assert_eq!(said[0], said[1]);
    assert_eq!(said[0], said[2]);
}

#[test]
fn documents_that_came_and_went_leave_nothing_behind() {
    let folder = WorkFolder::create(None).unwrap();
    let options = OpenOptions::new().segment_postings(300);
    let create = CreateOptions::new().open(options);
    for index in both(&folder.join("i"), &recipe(), &create) {
        index.add(&Document::text("stays", &text(1, 0))).unwrap();
        for n in 0..1000 {
            // Every third is removed when its postings are in a file already.
            let id = |n: u64| format!("goes-{n}");
            index.add(&Document::text(id(n), &text(n + 2, 0))).unwrap();
            if n % 3 != 0 {
                assert!(index.remove(&id(n)).unwrap());
            } else if n >= 60 {
                assert!(index.remove(&id(n - 60)).unwrap());
            }
        }
        let stats = index.stats().unwrap();
        assert!(stats.removed < 150, "{stats:?}");
        assert_eq!(index.verify().unwrap().documents, 1 + 20);
    }
}

/// What was in memory can be opened from the folder that it was saved to, and gives the same answers.
#[test]
fn an_index_in_memory_is_saved_and_opened() {
    let folder = WorkFolder::create(None).unwrap();
    let index = Index::in_memory(&recipe(), &CreateOptions::new()).unwrap();
    for n in 0..30 {
        index.add(&Document::text(n.to_string(), &text(n, 0))).unwrap();
    }
    assert!(index.remove("7").unwrap());
    let stats = index.stats().unwrap();
    assert_eq!((stats.documents, stats.disk_bytes, stats.segments), (29, 0, 0));
    let saved = folder.join("saved");
    index.snapshot(&saved).unwrap();
    let opened = Index::open(&saved, &OpenOptions::new()).unwrap();
    assert_eq!(opened.len(), 29);
    for n in 0..30 {
        let (query, text) = (format!("q{n}"), text(n, 1));
        let ask = Document::text(&query, &text);
        let answer = index.check(&ask).unwrap();
        assert_eq!(answer.matches.len(), usize::from(n != 7));
        assert_eq!(opened.check(&ask).unwrap(), answer);
    }
    // And goes on there.
    opened.add(&Document::text("7", &text(7, 0))).unwrap();
    assert_eq!(opened.get("7").unwrap().unwrap().number, 30);
    assert!(index.get("7").unwrap().is_none());
}

#[test]
fn a_secret_changes_the_bits_and_is_needed() {
    let folder = WorkFolder::create(None).unwrap();
    let path = folder.join("i");
    let secret = Secret([7; 32]);
    let create = CreateOptions::new().secret(secret.clone());
    let index = Index::create(&path, &recipe(), &create).unwrap();
    assert!(index.recipe().secret.is_some());
    index.add(&Document::text("a", &text(1, 0))).unwrap();
    let open = index.signer().unwrap().sign(text(1, 1).as_bytes()).clone();
    let features =
        |recipe: &Recipe| Signer::new(recipe).unwrap().sign(text(1, 1).as_bytes()).features.clone();
    assert_ne!(open.features, features(&recipe()));
    // As indexes have drawn from secrets before recipes did.
    let drawn: [&[u8]; 3] = [b"lookalike index, seed\0", &secret.0, &recipe().seed.to_le_bytes()];
    let drawn = Sha256::digest(drawn.concat());
    let seed = u64::from_le_bytes(*drawn.first_chunk().unwrap()) >> 1;
    assert_eq!(open.features, features(&Recipe { seed, ..recipe() }));
    drop(index);
    let refused = |options: &OpenOptions| Index::open(&path, options).unwrap_err();
    assert!(matches!(refused(&OpenOptions::new()).kind(), ErrorKind::SecretMissing(_)));
    let wrong = OpenOptions::new().secret(Secret([8; 32]));
    assert!(matches!(refused(&wrong).kind(), ErrorKind::SecretWrong(_)));
    let index = Index::open(&path, &OpenOptions::new().secret(secret.clone())).unwrap();
    assert_eq!(index.check(&Document::text("", &text(1, 1))).unwrap().matches.len(), 1);
    drop(index);
    // Nobody finds the secret in the files.
    for file in ["index", "acknowledged"] {
        let bytes = std::fs::read(path.join(file)).unwrap();
        assert!(!bytes.windows(32).any(|window| window == secret.0));
    }
    assert_eq!(format!("{secret:?}"), "Secret(..)");
}

#[test]
fn a_secret_for_an_index_without_one_is_refused() {
    let folder = WorkFolder::create(None).unwrap();
    let path = folder.join("i");
    drop(Index::create(&path, &recipe(), &CreateOptions::new()).unwrap());
    let error = Index::open(&path, &OpenOptions::new().secret(Secret([1; 32]))).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::SecretWrong(_)), "{error}");
}

#[test]
fn an_index_keeps_the_projections_that_it_judges_by() {
    let folder = WorkFolder::create(None).unwrap();
    let combined = Recipe::preset("henzinger-combined").unwrap();
    let recipe = Recipe { keep_projection: false, ..combined };
    let path = folder.join("index");
    let error = Index::create(&path, &recipe, &CreateOptions::new()).unwrap_err().to_string();
    assert!(error.contains("`projection.keep` is false, but must be true"), "{error}");
    assert!(error.contains("hint: leave `keep` out of [projection]"), "{error}");
    assert!(!path.exists());
}

#[test]
fn signatures_from_outside_are_judged_by_what_is_known() {
    let folder = WorkFolder::create(None).unwrap();
    // By the candidate rule alone; by the estimate of kept sketches.
    for keep_sketch in [false, true] {
        let recipe = Recipe { keep_sketch, ..recipe() };
        let path = folder.join(keep_sketch.to_string());
        let index = Index::create(&path, &recipe, &CreateOptions::new()).unwrap();
        let mut signer = index.signer().unwrap();
        let (known, asked) = (text(1, 0), text(1, 1));
        let signature = signer.sign(known.as_bytes()).clone();
        index.add(&Document::signed("a", &signature, known.len() as u64)).unwrap();
        for document in [
            Document::text("", &asked),
            Document::signed("", &signer.sign(asked.as_bytes()).clone(), 0),
        ] {
            let answer = index.check(&document).unwrap();
            let [found] = &answer.matches[..] else { panic!("{answer:?}") };
            assert_eq!((found.kind, found.resemblance), (MatchKind::Near, None));
            assert_eq!(found.estimate.is_some(), keep_sketch);
            assert!(found.b_similarity.is_some_and(|equal| equal > 0));
        }
        // That the words are the same, a public fingerprint does not prove; two of them propose it.
        let copy = index.check(&Document::text("", &known)).unwrap();
        assert_eq!((copy.matches[0].kind, copy.matches[0].resemblance), (MatchKind::Near, None));
        let signed = index.check(&Document::signed("", &signature, 0)).unwrap();
        assert_eq!(
            (signed.matches[0].kind, signed.matches[0].resemblance),
            (MatchKind::Exact, None)
        );
        assert_eq!(index.content("a").unwrap(), None);
        assert_eq!(index.get("a").unwrap().unwrap().bytes, known.len() as u64);

        let mut other = signature.clone();
        other.features.pop();
        let error = index.add(&Document::signed("b", &other, 1)).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::OtherSignature { .. }), "{error}");
    }
}

#[test]
fn recipes_that_verify_by_estimates_keep_their_sketches() {
    let folder = WorkFolder::create(None).unwrap();
    let recipe = Recipe { verify: Verify::Estimate, ..recipe() };
    let create = CreateOptions::new().without_text();
    let index = Index::create(folder.join("i"), &recipe, &create).unwrap();
    assert!(index.recipe().keep_sketch);
    index.add(&Document::text("a", &text(1, 0))).unwrap();
    let answer = index.check(&Document::text("", &text(1, 1))).unwrap();
    assert!(answer.matches[0].estimate.is_some_and(|estimate| estimate >= recipe.threshold));
}

#[test]
fn without_contents_a_bit_of_each_minvalue_estimates() {
    let folder = WorkFolder::create(None).unwrap();
    let path = folder.join("i");
    let create = CreateOptions::new().without_text();
    let index = Index::create(&path, &recipe(), &create).unwrap();
    assert!(index.keeps_bits() && !index.recipe().keep_sketch);
    let (known, asked) = (text(1, 0), text(1, 1));
    index.add(&Document::text("a", &known)).unwrap();
    // A signature has the same bits, whole or as it was read; without a sketch nothing is known.
    let whole = index.signer().unwrap().sign(known.as_bytes()).clone();
    let read = index.get("a").unwrap().unwrap().signature;
    let bare = Signature { sketch: Vec::new(), ..whole.clone() };
    assert_eq!((whole.sketch.len(), read.sketch.len()), (91, 2));
    for (id, signature) in [("whole", &whole), ("read", &read), ("bare", &bare)] {
        index.add(&Document::signed(id, signature, 0)).unwrap();
    }
    drop(index);
    let index = Index::open(&path, &OpenOptions::new()).unwrap();
    let matches = index.check(&Document::text("", &asked)).unwrap().matches;
    let estimates: Vec<_> = matches.iter().map(|found| (&*found.id, found.estimate)).collect();
    let [(_, Some(estimate)), ..] = estimates[..] else { panic!("{estimates:?}") };
    assert!(estimate >= recipe().threshold && matches.iter().all(|f| f.resemblance.is_none()));
    let same = Some(estimate);
    assert_eq!(estimates, [("a", same), ("whole", same), ("read", same), ("bare", None)]);
    // Two that are known have it too.
    index.add(&Document::text("b", &asked)).unwrap();
    let list = [RankedEntry::Known("a"), RankedEntry::Known("b")];
    let [Standing::Stays, Standing::LeftOut { found, .. }] =
        &index.collapse(&list).unwrap().standings[..]
    else {
        panic!("b looks like a")
    };
    assert_eq!(found.estimate, same);
    let mut other = whole;
    other.sketch.pop();
    let error = index.add(&Document::signed("c", &other, 1)).unwrap_err();
    assert!(error.to_string().contains("90 words of sketch, not 91"), "{error}");
}

#[test]
fn pages_are_what_a_visitor_sees() {
    let folder = WorkFolder::create(None).unwrap();
    let index = Index::create(folder.join("i"), &recipe(), &CreateOptions::new()).unwrap();
    let page = format!("<html><body><p>{}</p><script>unseen</script></body></html>", text(1, 0));
    let url = "http://www.example.org/a";
    index.add(&Document::html("page", &page).with_url(url).with_time(1_800_000_000)).unwrap();
    let answer = index.check(&Document::text("", &text(1, 0))).unwrap();
    let found = answer.keeper().unwrap();
    assert_eq!((found.kind, found.url.as_deref()), (MatchKind::Exact, Some(url)));
    let record = index.get("page").unwrap().unwrap();
    assert_eq!((record.time, record.stored), (1_800_000_000, Some(ContentKind::Html)));
    assert_eq!(index.content("page").unwrap().unwrap(), page.as_bytes());
    let near = index.check(&Document::text("", &text(1, 1))).unwrap();
    assert!(near.matches[0].resemblance.is_some_and(|resemblance| resemblance > 0.8));
}

#[test]
fn bad_requests_are_refused_and_change_nothing() {
    let folder = WorkFolder::create(None).unwrap();
    let path = folder.join("i");
    let create = CreateOptions::new();
    let index = Index::create(&path, &recipe(), &create).unwrap();
    let long = "x".repeat((64 << 10) + 1);
    for document in
        [Document::text(long.as_str(), "a"), Document::text("a", "a").with_url(long.as_str())]
    {
        let error = index.add(&document).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::TooLong { .. }) && error.is_user(), "{error}");
    }
    // A batch with a bad document in it adds none of the others.
    let batch = [Document::text("a", "some words"), Document::text(long.as_str(), "a")];
    assert!(index.add_batch(&batch).is_err());
    assert!(index.is_empty() && index.get("a").unwrap().is_none());
    // Empty ids and texts are ids and texts.
    index.add(&Document::text("", "")).unwrap();
    assert!(index.check(&Document::text("", "")).unwrap().is_new());
    assert!(index.remove("").unwrap() && !index.remove("").unwrap());

    let refused = |path: &std::path::Path| Index::create(path, &recipe(), &create).unwrap_err();
    assert!(matches!(refused(&path).kind(), ErrorKind::Exists(_)));
    assert!(matches!(index.snapshot(&path).unwrap_err().kind(), ErrorKind::Exists(_)));
    let file = folder.join("file");
    std::fs::write(&file, "").unwrap();
    for path in [file.join("i"), file.clone()] {
        let error = refused(&path);
        assert!(error.is_io() && error.to_string().contains("cannot be"), "{error}");
    }
    let error = Index::open(folder.join("none"), &OpenOptions::new()).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::NoIndex(_)), "{error}");
    let modular = Recipe { verify: Verify::Estimate, ..Recipe::preset("henzinger-c").unwrap() };
    let error = Index::create(folder.join("m"), &modular, &create).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::Recipe(_)), "{error}");
}

#[test]
fn a_copy_is_of_one_moment() {
    let folder = WorkFolder::create(None).unwrap();
    let options = OpenOptions::new().segment_postings(200);
    let create = CreateOptions::new().open(options.clone());
    for (n, index) in both(&folder.join("i"), &recipe(), &create).iter().enumerate() {
        copies_are_of_one_moment(index, &folder.join(format!("copies-{n}")), &options);
    }
}

fn copies_are_of_one_moment(index: &Index, folder: &std::path::Path, options: &OpenOptions) {
    std::fs::create_dir(folder).unwrap();
    // Two documents at a time: a copy has both or none.
    let done = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            // What is in memory would grow much faster than it is copied.
            for n in 0..2000 {
                let (a, b) = (format!("a{n}"), format!("b{n}"));
                let texts = [text(2 * n, 0), text(2 * n + 1, 0)];
                let pair = [Document::text(&a, &texts[0]), Document::text(&b, &texts[1])];
                index.add_batch(&pair).unwrap();
                if done.load(Ordering::Relaxed) {
                    break;
                }
            }
        });
        for n in 0..8 {
            let to = folder.join(format!("copy-{n}"));
            index.snapshot(&to).unwrap();
            let copy = Index::open(&to, options).unwrap();
            copy.verify().unwrap();
            assert_eq!(copy.len() % 2, 0);
            for record in copy.documents().unwrap() {
                let other = record.unwrap().id.replace('a', "b");
                assert!(copy.get(&other).unwrap().is_some());
            }
        }
        done.store(true, Ordering::Relaxed);
    });
}

/// Bytes of all files of a folder.
fn bytes_of(folder: &std::path::Path) -> u64 {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.map(|path| if path.is_dir() { bytes_of(&path) } else { taken(&path) }).sum()
}

#[cfg(unix)]
fn taken(path: &std::path::Path) -> u64 {
    std::os::unix::fs::MetadataExt::blocks(&std::fs::metadata(path).unwrap()) * 512
}

#[cfg(not(unix))]
fn taken(path: &std::path::Path) -> u64 {
    std::fs::metadata(path).unwrap().len()
}

#[test]
fn compacting_gives_room_back_and_never_takes_more() {
    let folder = WorkFolder::create(None).unwrap();
    let path = folder.join("index");
    let recipe = Recipe::preset("text").unwrap();
    let index = Index::create(&path, &recipe, &CreateOptions::new()).unwrap();
    // Words that hardly compress.
    let word = |n: u64, w: u64| format!("{:x}", lookalike_core::mix(n << 32 | w));
    let text = |n: u64| (0..120).map(|w| word(n, w)).collect::<Vec<_>>().join(" ");
    for some in (0..3000).collect::<Vec<u64>>().chunks(500) {
        let texts: Vec<(String, String)> = some.iter().map(|&n| (n.to_string(), text(n))).collect();
        let documents: Vec<_> = texts.iter().map(|(id, text)| Document::text(id, text)).collect();
        index.add_batch(&documents).unwrap();
    }
    drop(index);
    let open = || Index::open(&path, &OpenOptions::new()).unwrap();
    let size = |index: Index| {
        drop(index);
        bytes_of(&path)
    };
    let compacted = || {
        let index = open();
        index.compact().unwrap();
        let open = bytes_of(&path);
        (open, size(index))
    };

    // With nothing removed it becomes no larger: the journal goes, and tables have what it had.
    let full = size(open());
    let (_, first) = compacted();
    assert!(first <= full + (full >> 4), "{first} after {full}");

    // And of most that is removed, most is given back, while it is open and when it is closed.
    let index = open();
    let ids: Vec<String> = (0..2500).map(|n: u64| n.to_string()).collect();
    assert!(index.remove_batch(&ids).unwrap().into_iter().all(|removed| removed));
    let before = size(index);
    let (while_open, after) = compacted();
    assert!(while_open < before / 2, "{while_open} of {before}");
    assert!(after < before / 4, "{after} of {before}");
    // Again it changes nothing.
    for _ in 0..2 {
        let (while_open, again) = compacted();
        assert!(again <= after + (after >> 4), "{again} after {after}");
        assert!(while_open < 3 * after, "{while_open}, {after}");
    }
    let index = open();
    assert_eq!(index.verify().unwrap().documents, 500);
    index.add(&Document::text("0", &text(0))).unwrap();
    drop(index);
    assert_eq!(open().verify().unwrap().documents, 501);
}

#[test]
fn sets_are_found_by_their_items_and_texts_are_refused() {
    let folder = WorkFolder::create(None).unwrap();
    let sets = Recipe::preset("sets").unwrap();
    let of = |range: std::ops::Range<u32>| range.map(|item| item.to_string());
    for in_memory in [true, false] {
        let index = if in_memory {
            Index::in_memory(&sets, &CreateOptions::new()).unwrap()
        } else {
            Index::create(folder.join("sets"), &sets, &CreateOptions::new()).unwrap()
        };
        index.add(&Document::items("a", of(0..100))).unwrap();
        // In any order, any number of times.
        let same = index.check(&Document::items("", of(0..100).rev().chain(of(3..5)))).unwrap();
        assert_eq!(same.matches[0].kind, MatchKind::Exact);
        let near = index.check(&Document::items("", of(5..105))).unwrap();
        assert_eq!(near.matches[0].resemblance, Some(95.0 / 105.0));
        assert!(index.check(&Document::items("", of(50..150))).unwrap().is_new());
        let record = index.get("a").unwrap().unwrap();
        assert_eq!(record.stored, Some(ContentKind::Items));
        assert!(index.content("a").unwrap().unwrap().starts_with(b"0\n1\n10\n11\n"));
        index.add(&Document::items("b", [""; 0])).unwrap();
        assert!(index.check(&Document::items("", [""; 0])).unwrap().is_new());

        let error = index.add(&Document::text("t", "0\n1")).unwrap_err();
        assert!(matches!(error.kind(), ErrorKind::OfSets(_)) && error.is_user(), "{error}");
        assert!(index.check(&Document::html("t", "<p>0")).is_err());
    }
    let texts = Index::in_memory(&recipe(), &CreateOptions::new()).unwrap();
    let error = texts.check(&Document::items("s", ["a"])).unwrap_err();
    assert!(matches!(error.kind(), ErrorKind::NotOfSets(_)), "{error}");
}
