//! How much memory there is, and how much this process has used.

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
