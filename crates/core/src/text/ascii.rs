//! ASCII in text of any kind: its letters, and where it ends.

/// The lower-case form of ASCII letters and digits, 0 for everything else.
pub(super) static LOWER: [u8; 256] = {
    let mut table = [0; 256];
    let mut byte = 0_u8;
    while byte < 0x80 {
        if byte.is_ascii_alphanumeric() {
            table[byte as usize] = byte.to_ascii_lowercase();
        }
        byte += 1;
    }
    table
};

const HIGH: u64 = 0x8080_8080_8080_8080;

/// Where the ASCII bytes from `at` on end, if that is too near for
/// `Kernel::ascii_words` to be worth its call. 32: an ASCII word or two of Latin text
/// with accents, and more than the digits and names in other scripts.
#[inline(always)]
pub(super) fn near_end_of_ascii(text: &[u8], at: usize) -> Option<usize> {
    let near = &text[at..text.len().min(at + 32)];
    let (eights, rest) = near.as_chunks::<8>();
    let mut end = at;
    for eight in eights {
        let other = u64::from_le_bytes(*eight) & HIGH;
        if other != 0 {
            return Some(end + other.trailing_zeros() as usize / 8);
        }
        end += 8;
    }
    rest.iter().position(|byte| !byte.is_ascii()).map(|length| end + length)
}
