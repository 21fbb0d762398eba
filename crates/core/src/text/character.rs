//! One character of the text, read and looked up.

use super::tables::{BLOCK_BITS, BLOCKS, CLASS, INDEX, JOINS, MAPPED, PAYLOAD, STRING};
use super::tables::{STRING_STARTS, STRINGS, WORD};

/// For each two-byte character that maps to a two-byte word character and does
/// not join what precedes: the bytes it maps to. Else 0. Letters of the Latin,
/// Greek, Cyrillic, Hebrew and Arabic scripts are nearly all of this kind. The
/// place is the two bytes less 0xc080, so that no other two bytes have one.
static TWO: [u16; 0x2000] = {
    let mut table = [0; 0x2000];
    let mut code = 0x80;
    while code < 0x800 {
        let place = (INDEX[code >> BLOCK_BITS] as usize) << BLOCK_BITS;
        let entry = BLOCKS[place | (code & ((1 << BLOCK_BITS) - 1))];
        if entry & (CLASS | JOINS) == WORD {
            let target = if entry & MAPPED == 0 { code as u32 } else { entry >> PAYLOAD };
            if target >= 0x80 && target < 0x800 {
                let bytes = 0xc080 | target << 2 & 0x1f00 | target & 0x3f;
                table[(code & 0x7c0) << 2 | code & 0x3f] = bytes as u16;
            }
        }
        code += 1;
    }
    table
};

/// The bytes that the first character maps to, if [`TWO`] has it, else 0.
#[inline(always)]
pub(super) fn two(text: &[u8]) -> u32 {
    let Some(&bytes) = text.first_chunk::<2>() else { return 0 };
    let place = usize::from(u16::from_be_bytes(bytes) ^ 0xc080);
    TWO.get(place).copied().map_or(0, u32::from)
}

/// Not one of the classes: see [`three`].
pub(super) const OTHER: u32 = 3;

/// For each place in [`BLOCKS`], the class of the character if it does not
/// join what precedes, and separates or maps to itself. Else [`OTHER`]. The
/// last block is `OTHER` throughout.
static PLAIN: [u8; BLOCKS.len() + (1 << BLOCK_BITS)] = {
    let mut table = [OTHER as u8; BLOCKS.len() + (1 << BLOCK_BITS)];
    let mut place = 0;
    while place < BLOCKS.len() {
        let entry = BLOCKS[place];
        let itself = entry & (CLASS | MAPPED) == entry & CLASS;
        if entry & JOINS == 0 && (itself || entry & CLASS == 0) {
            // A string's class is `OTHER` already.
            table[place] = (entry & CLASS) as u8;
        }
        place += 1;
    }
    table
};

/// The block in [`PLAIN`] for the first two of three bytes, of which those of
/// overlong forms have the last.
static THREE: [u16; 0x400] = {
    let mut table = [(BLOCKS.len() >> BLOCK_BITS) as u16; 0x400];
    let mut block = 0x800 >> BLOCK_BITS;
    while block < 0x400 {
        table[block] = INDEX[block];
        block += 1;
    }
    table
};

// The first two bytes of three choose the block, and the third the place in it.
const _: () = assert!(BLOCK_BITS == 6 && STRING == OTHER);

/// The class and the bytes of the first character, if it has three bytes, does
/// not join what precedes, and separates or maps to itself. Else [`OTHER`].
#[inline(always)]
pub(super) fn three(text: &[u8]) -> (u32, u32) {
    let bytes = match text.first_chunk::<4>() {
        Some(bytes) => u32::from_be_bytes(*bytes) >> 8,
        None => last_bytes(text, 0) >> 8,
    };
    if bytes & 0xf0_c0c0 != 0xe0_8080 {
        return (OTHER, bytes);
    }
    let block = THREE[(bytes >> 10 & 0x3c0 | bytes >> 8 & 0x3f) as usize];
    let place = usize::from(block) << BLOCK_BITS | (bytes & 0x3f) as usize;
    (PLAIN.get(place).copied().map_or(OTHER, u32::from), bytes)
}

/// Does the first character join what precedes?
#[inline(always)]
pub(super) fn joins(text: &[u8]) -> bool {
    match text.first() {
        None | Some(..0x80) => false,
        Some(_) => two(text) == 0 && Character::at(text, 0).entry & JOINS != 0,
    }
}

/// A character of the original text.
#[derive(Clone, Copy)]
pub(super) struct Character {
    /// Its code point; U+FFFD for a byte that is not part of one.
    pub(super) code: u32,
    /// Its entry in the table, but 0 for ASCII.
    pub(super) entry: u32,
    /// Its UTF-8 bytes, the first highest.
    pub(super) bytes: u32,
    /// How many bytes of the text it takes.
    pub(super) length: usize,
}

const INVALID: Character = Character { code: 0xfffd, entry: 0, bytes: 0xef_bf_bd, length: 1 };

/// The table's entry of a code point.
#[inline(always)]
pub(super) fn entry(code: u32) -> u32 {
    // Beyond the index there is only private use, which separates.
    let Some(&block) = INDEX.get((code >> BLOCK_BITS) as usize) else { return 0 };
    let place = usize::from(block) << BLOCK_BITS | (code as usize & ((1 << BLOCK_BITS) - 1));
    BLOCKS.get(place).copied().unwrap_or_default()
}

impl Character {
    /// The character at `at`. A byte that begins no valid UTF-8 sequence is
    /// one of its own, a separator; so an invalid sequence may be one or
    /// several of them, which makes no difference.
    ///
    /// At the end of the text it is U+0000, as if one followed.
    #[inline(always)]
    pub(super) fn at(text: &[u8], at: usize) -> Self {
        let word = match text.get(at..).and_then(<[u8]>::first_chunk::<4>) {
            Some(bytes) => u32::from_be_bytes(*bytes),
            None => last_bytes(text, at),
        };
        Self::first(word)
    }

    /// The first character of four bytes, the first highest.
    #[inline(always)]
    fn first(word: u32) -> Self {
        if word < 0x8000_0000 {
            return Self { code: word >> 24, entry: 0, bytes: word >> 24, length: 1 };
        }
        // A surrogate passes as three bytes: the table says it separates.
        let (code, least, length) = if word & 0xf0c0_c000 == 0xe080_8000 {
            (word >> 12 & 0xf000 | word >> 10 & 0xfc0 | word >> 8 & 0x3f, 0x800, 3)
        } else if word & 0xe0c0_0000 == 0xc080_0000 {
            (word >> 18 & 0x7c0 | word >> 16 & 0x3f, 0x80, 2)
        } else if word & 0xf8c0_c0c0 == 0xf080_8080 {
            let high = word >> 6 & 0x1c_0000 | word >> 4 & 0x3_f000;
            (high | word >> 2 & 0xfc0 | word & 0x3f, 0x1_0000, 4)
        } else {
            return INVALID;
        };
        if code < least || code > 0x10_ffff {
            return INVALID;
        }
        Self { code, entry: entry(code), bytes: word >> (32 - 8 * length), length }
    }

    /// The characters it maps to.
    pub(super) fn mapped(self) -> impl Iterator<Item = char> + Clone {
        let own = entry(self.code);
        let (string, one) = match own & CLASS {
            STRING => (string(own), None),
            _ if own & MAPPED != 0 => ("", Some(own >> PAYLOAD)),
            _ => ("", Some(self.code)),
        };
        string.chars().chain(one.map(character))
    }

    /// Calls `each` with the characters it maps to and their entries.
    #[inline]
    pub(super) fn for_each_mapped(self, mut each: impl FnMut(char, u32)) {
        let own = entry(self.code);
        if own & CLASS == STRING {
            for c in string(own).chars() {
                each(c, entry(u32::from(c)));
            }
        } else if own & MAPPED != 0 {
            let target = own >> PAYLOAD;
            each(character(target), entry(target));
        } else {
            each(character(self.code), own);
        }
    }
}

/// The last bytes of the text, and zeros, which continue no sequence. It
/// returns an integer, not a [`Character`], so that none is ever in memory: a
/// copy of one written in pieces stalls, which took half of the time.
#[cold]
fn last_bytes(text: &[u8], at: usize) -> u32 {
    let rest = text.get(at..).unwrap_or_default();
    let mut padded = [0; 4];
    padded[..rest.len()].copy_from_slice(rest);
    u32::from_be_bytes(padded)
}

fn character(code: u32) -> char {
    char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// The string of an entry that has one.
fn string(entry: u32) -> &'static str {
    let number = (entry >> PAYLOAD) as usize;
    let bounds = STRING_STARTS.get(number).zip(STRING_STARTS.get(number + 1));
    bounds
        .and_then(|(&start, &end)| STRINGS.get(usize::from(start)..usize::from(end)))
        .unwrap_or_default()
}

/// The UTF-8 bytes of a code point, the first highest, and how many.
#[inline(always)]
pub(super) fn utf8(code: u32) -> (u32, usize) {
    if code < 0x80 {
        (code, 1)
    } else if code < 0x800 {
        (0xc080 | code << 2 & 0x1f00 | code & 0x3f, 2)
    } else if code < 0x1_0000 {
        (0xe0_8080 | code << 4 & 0xf_0000 | code << 2 & 0x3f00 | code & 0x3f, 3)
    } else {
        let high = code << 6 & 0x700_0000 | code << 4 & 0x3f_0000;
        (0xf080_8080 | high | code << 2 & 0x3f00 | code & 0x3f, 4)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_scalar_value_is_read_and_written() {
        for c in '\0'..=char::MAX {
            let mut buffer = [0; 4];
            let text = c.encode_utf8(&mut buffer).as_bytes();
            let value = text.iter().fold(0, |value, &byte| value << 8 | u32::from(byte));
            let read = Character::at(text, 0);
            assert_eq!((read.code, read.bytes, read.length), (u32::from(c), value, text.len()));
            assert_eq!(utf8(u32::from(c)), (value, text.len()));
        }
    }

    #[test]
    fn invalid_sequences_are_no_characters() {
        for text in [
            &b"\x80"[..],
            b"\xc1\xa1",
            b"\xe0\x81\xa1",
            b"\xf0\x80\x81\xa1",
            b"\xf4\x90\x80\x80",
            b"\xf8\x88\x80\x80\x80",
            b"\xe4\xb8",
            b"\xe4\xb8a",
            b"\xff",
        ] {
            let read = Character::at(text, 0);
            assert_eq!((read.code, read.entry, read.length), (0xfffd, 0, 1), "{text:x?}");
        }
        assert_eq!(Character::at(b"\xed\xa0\x80", 0).entry & (CLASS | 4), 0, "a surrogate");
        assert_eq!(Character::at(b"", 0).code, 0);
    }
}
