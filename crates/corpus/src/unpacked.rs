//! Unpacked copies: what compressed files unpack to, kept from the first reading for the next.
//!
//! A job reads its inputs up to three times, and unpacking takes longer than reading a plain file
//! that is still in the system's cache. They are never needed: what the disk has no room for, with
//! a reserve for the files that are, is unpacked again. A copy is used only by the process that made it, from
//! the first byte to the last: whether another one got all of it to the disk, nobody knows.

use std::collections::HashMap;
use std::fs::{self, File};
use std::io::{self, BufWriter, Read, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Room for unpacked copies.
#[derive(Clone, Debug)]
pub struct UnpackedCopies(Arc<Room>);

#[derive(Debug)]
struct Room {
    folder: PathBuf,
    /// Bytes that may still be written.
    left: AtomicU64,
    /// The copies by the names of their sources; `None` until one is complete.
    copies: Mutex<HashMap<String, Option<PathBuf>>>,
}

impl UnpackedCopies {
    /// Copies of so many bytes in all, in this folder, which is made when it is needed.
    pub fn new(folder: &Path, bytes: u64) -> Self {
        let (folder, left) = (folder.to_owned(), AtomicU64::new(bytes));
        Self(Arc::new(Room { folder, left, copies: Mutex::default() }))
    }

    /// Removes all copies, for what is needed to have their room, and makes no more. False if
    /// there was nothing to remove. Nobody may be reading one.
    pub fn give_up(&self) -> bool {
        self.0.left.store(0, Ordering::Relaxed);
        self.copies().clear();
        // It is made with the first copy, complete or not.
        fs::remove_dir_all(&self.0.folder).is_ok()
    }

    fn copies(&self) -> MutexGuard<'_, HashMap<String, Option<PathBuf>>> {
        self.0.copies.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The complete copy of a source.
    pub(crate) fn find(&self, name: &str) -> Option<PathBuf> {
        self.copies().get(name).cloned().flatten()
    }

    /// The same stream, which is copied while it is read. Where it cannot be, because there is
    /// no room or somebody did it before, it is only read.
    pub(crate) fn copying(&self, name: &str, reader: Box<dyn Read + Send>) -> Box<dyn Read + Send> {
        let mut copies = self.copies();
        if copies.contains_key(name) || self.0.left.load(Ordering::Relaxed) == 0 {
            return reader;
        }
        let path = self.0.folder.join(copies.len().to_string());
        let created = fs::create_dir_all(&self.0.folder).and_then(|()| File::create(&path));
        let Ok(file) = created else { return reader };
        copies.insert(name.to_owned(), None);
        let out = Some(BufWriter::with_capacity(1 << 18, file));
        let room = self.clone();
        Box::new(CopyingReader { reader, out, path, name: name.to_owned(), room, written: 0 })
    }

    /// Takes room for some bytes; false if there is not enough.
    fn take(&self, bytes: u64) -> bool {
        let less = |left: u64| left.checked_sub(bytes);
        self.0.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less).is_ok()
    }
}

/// A stream and the copy of it.
struct CopyingReader {
    reader: Box<dyn Read + Send>,
    /// `None` when the copy is complete or given up.
    out: Option<BufWriter<File>>,
    path: PathBuf,
    name: String,
    room: UnpackedCopies,
    written: u64,
}

impl CopyingReader {
    fn copy(&mut self, bytes: &[u8]) {
        let Some(out) = &mut self.out else { return };
        if !self.room.take(bytes.len() as u64) || out.write_all(bytes).is_err() {
            // What cannot be copied can still be unpacked again.
            self.give_up();
            return;
        }
        self.written += bytes.len() as u64;
    }

    fn give_up(&mut self) {
        if let Some(out) = self.out.take() {
            drop(out.into_parts());
            let _ = fs::remove_file(&self.path);
            self.room.0.left.fetch_add(self.written, Ordering::Relaxed);
        }
    }

    fn complete(&mut self) {
        if self.out.as_mut().is_some_and(|out| out.flush().is_err()) {
            self.give_up();
        }
        if self.out.take().is_some() {
            self.room.copies().insert(self.name.clone(), Some(self.path.clone()));
        }
    }
}

impl Read for CopyingReader {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.reader.read(buffer)?;
        if read > 0 {
            self.copy(&buffer[..read]);
        } else if !buffer.is_empty() {
            self.complete();
        }
        Ok(read)
    }
}

impl Drop for CopyingReader {
    fn drop(&mut self) {
        self.give_up();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(mut reader: Box<dyn Read + Send>) -> Vec<u8> {
        let mut bytes = Vec::new();
        reader.read_to_end(&mut bytes).unwrap();
        bytes
    }

    fn stream(bytes: &[u8]) -> Box<dyn Read + Send> {
        Box::new(io::Cursor::new(bytes.to_vec()))
    }

    #[test]
    fn copies_are_complete_or_not_there() {
        let folder = std::env::temp_dir().join(format!("lookalike-copies-{}", std::process::id()));
        let copies = UnpackedCopies::new(&folder, 10_000);
        let text = vec![7; 6_000];
        assert_eq!(read_all(copies.copying("a", stream(&text))), text);
        assert_eq!(fs::read(copies.find("a").unwrap()).unwrap(), text);

        assert_eq!(read_all(copies.copying("b", stream(&text))), text, "too long for what is left");
        assert_eq!(copies.find("b"), None);
        let mut half = copies.copying("c", stream(&text[..3_000]));
        assert_eq!(half.read(&mut [0; 100]).unwrap(), 100);
        drop(half);
        assert_eq!(copies.find("c"), None, "not read to its end");
        assert_eq!(read_all(copies.copying("d", stream(&text[..4_000]))), &text[..4_000]);
        assert!(copies.find("d").is_some(), "what was given up has left its room");
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 2);

        assert!(copies.give_up() && !folder.exists());
        assert_eq!(copies.find("a"), None);
        assert_eq!(read_all(copies.copying("e", stream(&text[..100]))), &text[..100]);
        assert!(copies.find("e").is_none() && !copies.give_up(), "nothing more is made");
    }
}
