//! Files and folders, with errors that name them.

use std::fs::{File, OpenOptions};
use std::io::{self, Write as _};
use std::path::Path;

use crate::error::{Error, Operation, Result};

/// Fills `out` from a place in the file, whoever else reads from it.
#[cfg(unix)]
pub(crate) fn read_at(file: &File, out: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, out, offset)
}

/// Fills `out` from a place in the file, whoever else reads from it.
#[cfg(windows)]
pub(crate) fn read_at(file: &File, mut out: &mut [u8], mut offset: u64) -> io::Result<()> {
    while !out.is_empty() {
        match std::os::windows::fs::FileExt::seek_read(file, out, offset)? {
            0 => return Err(io::ErrorKind::UnexpectedEof.into()),
            read => {
                out = &mut out[read..];
                offset += read as u64;
            }
        }
    }
    Ok(())
}

/// Sees on disk that files of a folder have their names. Windows has no such thing.
pub(crate) fn sync_folder(folder: &Path) -> Result<()> {
    if cfg!(windows) {
        return Ok(());
    }
    let synced = File::open(folder).and_then(|folder| folder.sync_all());
    synced.map_err(|error| Error::io(folder, Operation::Write, error))
}

/// Makes a folder and those above it, and sees on disk that all of them have their names, this one
/// also if it was there already.
pub(crate) fn create_folder(folder: &Path) -> Result<()> {
    let is_missing = |folder: &&Path| !folder.as_os_str().is_empty() && !folder.exists();
    let missing: Vec<&Path> = folder.ancestors().skip(1).take_while(is_missing).collect();
    std::fs::create_dir_all(folder).map_err(|e| Error::io(folder, Operation::Create, e))?;
    missing.into_iter().rev().chain([folder]).try_for_each(sync_parent)
}

/// Sees on disk that a file or folder has its name.
pub(crate) fn sync_parent(path: &Path) -> Result<()> {
    match path.parent() {
        Some(parent) if parent.as_os_str().is_empty() => sync_folder(Path::new(".")),
        Some(parent) => sync_folder(parent),
        None => Ok(()),
    }
}

/// Removes a folder with all that is in it, if it is there.
pub(crate) fn remove_folder(folder: &Path) -> Result<()> {
    match std::fs::remove_dir_all(folder) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => {
            Err(Error::io(folder, Operation::Remove, error))
        }
        _ => Ok(()),
    }
}

/// Writes a file under another name, sees it on disk, and gives it its name.
pub(crate) fn write_whole(path: &Path, bytes: &[u8]) -> Result<()> {
    write(path, bytes, File::options().write(true).create(true).truncate(true))
}

/// As [`write_whole`], a file that nobody but its owner can read, where the system knows owners.
pub(crate) fn write_private(path: &Path, bytes: &[u8]) -> Result<()> {
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    // One that was left behind may be open to others.
    let _ = std::fs::remove_file(path.with_extension("partial"));
    write(path, bytes, &options)
}

fn write(path: &Path, bytes: &[u8], options: &OpenOptions) -> Result<()> {
    let partial = path.with_extension("partial");
    let written = options.open(&partial).and_then(|mut file| {
        file.write_all(bytes)?;
        file.sync_all()
    });
    written.map_err(|error| Error::io(&partial, Operation::Write, error))?;
    std::fs::rename(&partial, path).map_err(|e| Error::io(path, Operation::Rename, e))?;
    sync_parent(path)
}
