//! Numbers and checksums in the bytes of a file, and bytes at any place of one.

use std::fs::File;
use std::io;
use std::path::Path;

use xxhash_rust::xxh3::xxh3_64;

use crate::error::{Error, Result};

/// Bytes of a checksum.
pub const CHECKSUM: usize = 8;

/// The checksum of all our formats.
pub fn checksum(bytes: &[u8]) -> [u8; CHECKSUM] {
    xxh3_64(bytes).to_le_bytes()
}

/// Checks the checksum at the end of `bytes`, which begin at `offset` of a file.
///
/// # Errors
/// If it is another one, or `bytes` are too short to have one.
pub fn check_sum(path: &Path, bytes: &[u8], offset: u64) -> Result<()> {
    let (body, found) = bytes.split_last_chunk().unwrap_or((bytes, &[0; CHECKSUM]));
    compare(path, offset + body.len() as u64, checksum(body), *found)
}

/// Compares the checksum at `offset` of a file with what it should be.
pub(crate) fn compare(
    path: &Path,
    offset: u64,
    expected: [u8; CHECKSUM],
    found: [u8; CHECKSUM],
) -> Result<()> {
    if expected == found {
        return Ok(());
    }
    let [expected, found] = [expected, found].map(u64::from_le_bytes);
    let expected = format!("the checksum {expected:016x}");
    Err(Error::corruption(path, offset, expected, format!("{found:016x}")))
}

/// The word at a place of bytes that were read and checked; 0 beyond their end.
pub fn word(bytes: &[u8], at: usize) -> u32 {
    let bytes = bytes.get(at..).and_then(<[u8]>::first_chunk);
    bytes.map_or(0, |bytes| u32::from_le_bytes(*bytes))
}

/// The double word at a place of bytes that were read and checked; 0 beyond their end.
pub fn double_word(bytes: &[u8], at: usize) -> u64 {
    let bytes = bytes.get(at..).and_then(<[u8]>::first_chunk);
    bytes.map_or(0, |bytes| u64::from_le_bytes(*bytes))
}

/// Appends a number: seven bits a byte, the lowest first; the last has its highest bit clear.
pub fn push_number(mut number: u64, out: &mut Vec<u8>) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Takes a number from the beginning of bytes; `None` if none is there.
pub fn pull_number(bytes: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        number |= u64::from(byte & 0x7f).checked_shl(shift)?;
        if byte & 0x80 == 0 {
            return Some(number);
        }
    }
    None
}

/// Appends a number that may be negative: its sign is the lowest bit.
pub fn push_signed(number: i64, out: &mut Vec<u8>) {
    push_number(((number << 1) ^ (number >> 63)).cast_unsigned(), out);
}

/// Takes a number that may be negative from the beginning of bytes; `None` if none is there.
pub fn pull_signed(bytes: &mut &[u8]) -> Option<i64> {
    let number = pull_number(bytes)?;
    Some((number >> 1).cast_signed() ^ -(number & 1).cast_signed())
}

/// Fills `out` from a place in the file, whoever else reads from it.
///
/// # Errors
/// If the system refuses, or the file ends before that.
#[cfg(unix)]
pub fn read_at(file: &File, out: &mut [u8], offset: u64) -> io::Result<()> {
    std::os::unix::fs::FileExt::read_exact_at(file, out, offset)
}

/// Fills `out` from a place in the file, whoever else reads from it.
///
/// # Errors
/// If the system refuses, or the file ends before that.
#[cfg(windows)]
pub fn read_at(file: &File, mut out: &mut [u8], mut offset: u64) -> io::Result<()> {
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
