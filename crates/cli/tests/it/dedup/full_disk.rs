//! A disk that has room for what a job needs, but not for copies that only save time.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::{dedup, gzip, json_lines, results, texts};
use crate::folder;

/// A small file system; none where nobody may make one.
struct SmallDisk<'a>(&'a Path);

impl<'a> SmallDisk<'a> {
    fn of(path: &'a Path, size: &str) -> Option<Self> {
        fs::create_dir_all(path).unwrap();
        let mut mount = Command::new("mount");
        let mount = mount.args(["-t", "tmpfs", "-o", &format!("size={size}"), "tmpfs"]).arg(path);
        mount.output().is_ok_and(|output| output.status.success()).then_some(Self(path))
    }
}

impl Drop for SmallDisk<'_> {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0).status();
    }
}

/// What fits on a disk without the copies, fits with them: the same lines, packed and not.
#[test]
fn copies_never_take_what_the_job_needs() {
    let folder = folder("full-disk");
    let (packed, plain, temp) = (folder.join("packed"), folder.join("plain"), folder.join("temp"));
    for n in 0..2 {
        let lines = json_lines(&format!("{n}"), &texts(n, 2000));
        for (folder, name, bytes) in
            [(&packed, "jsonl.gz", gzip(&lines)), (&plain, "jsonl", lines.clone())]
        {
            fs::create_dir_all(folder).unwrap();
            fs::write(folder.join(format!("{n}.{name}")), bytes).unwrap();
        }
    }
    let expected = folder.join("expected");
    assert_eq!(dedup(&[&packed], &expected, &[]).code, 0);
    let expected = results(&expected);
    let mut ends = BTreeSet::new();
    for mebibytes in 4..13 {
        let Some(_disk) = SmallDisk::of(&temp, &format!("{mebibytes}m")) else {
            eprintln!("skipped: this user may not mount a small file system");
            return;
        };
        let more = ["--temp", temp.to_str().unwrap()];
        let out = folder.join("out");
        let run = dedup(&[&plain], &out, &more);
        if run.code != 0 {
            run.fails_with("No space left");
        }
        fs::remove_dir_all(&out).unwrap();
        for entry in fs::read_dir(&temp).unwrap() {
            fs::remove_dir_all(entry.unwrap().path()).unwrap();
        }
        let fits = run.code == 0;
        ends.insert(fits);
        let run = dedup(&[&packed], &out, &more);
        assert_eq!(run.code == 0, fits, "{mebibytes} MiB: {}", run.stderr);
        assert!(!fits || results(&out) == expected, "{mebibytes} MiB");
        fs::remove_dir_all(&out).unwrap();
    }
    assert_eq!(ends.len(), 2, "some disks are too small, and some are not");
}
