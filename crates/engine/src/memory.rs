//! How much memory there is, how much this process has used, and how much a job has to work with.

use crate::error::{Error, ErrorKind, Result};

/// The least memory for what is not counted by documents.
pub(crate) const LEAST_WORKING_BYTES: u64 = 64 << 20;

/// What is left of a job's memory when every document has what must be held of it.
pub(crate) fn working_bytes(memory: u64, documents: u64, bytes_per_document: u64) -> Result<usize> {
    let held = documents * bytes_per_document;
    let working = memory.saturating_sub(held);
    if working < LEAST_WORKING_BYTES {
        let needed = held + LEAST_WORKING_BYTES;
        return Err(Error::new(ErrorKind::TooLittleMemory { documents, needed }));
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
/// that, unpacking again is as fast.
pub(crate) fn room_for_copies() -> u64 {
    available_bytes().map_or(1 << 30, |bytes| bytes / 2)
}

/// A line of kibibytes.
fn field(path: &str, name: &str) -> Option<u64> {
    let text = std::fs::read_to_string(path).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kibibytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kibibytes << 10)
}
