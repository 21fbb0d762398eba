//! How much memory there is, how much this process has used, and how much a job has to work with.

use std::path::Path;

use crate::error::{Error, ErrorKind, Result};

/// The least memory for what is not counted by documents.
pub(crate) const LEAST_WORKING_BYTES: u64 = 64 << 20;

/// What is left of a job's memory when so many documents have what must be held of them.
pub(crate) fn working_bytes(memory: u64, documents: u64, held: u64) -> Result<usize> {
    let working = memory.saturating_sub(held);
    if working < LEAST_WORKING_BYTES {
        let needed = held + LEAST_WORKING_BYTES;
        return Err(Error::from(ErrorKind::TooLittleMemory { documents, needed }));
    }
    Ok(working as usize)
}

/// The most that was resident at once, where the system tells.
pub(crate) fn peak_bytes() -> Option<u64> {
    field("/proc/self/status", "VmHWM:")
}

/// What the system has to spare, its cache of files included, where it tells.
pub(crate) fn available_bytes() -> Option<u64> {
    field("/proc/meminfo", "MemAvailable:")
}

/// Bytes of unpacked copies: as much as the system can be expected to hold in its cache. Beyond
/// that, unpacking again is as fast. And no more than half of what the disk of the folder has: the
/// job needs room for files that it cannot do without.
pub(crate) fn room_for_copies(folder: &Path) -> u64 {
    let cached = available_bytes().map_or(1 << 30, |bytes| bytes / 2);
    free_bytes(folder).map_or(cached, |free| cached.min(free / 2))
}

/// What may still be written to the disk that a folder is on, or will be, where the system tells.
#[cfg(unix)]
fn free_bytes(folder: &Path) -> Option<u64> {
    let folder = std::path::absolute(folder).ok()?;
    let disk = folder.ancestors().find_map(|above| rustix::fs::statvfs(above).ok())?;
    disk.f_bavail.checked_mul(disk.f_frsize)
}

#[cfg(not(unix))]
fn free_bytes(_: &Path) -> Option<u64> {
    None
}

/// A line of kibibytes.
fn field(path: &str, name: &str) -> Option<u64> {
    let text = std::fs::read_to_string(path).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes << 10)
}
