//! The first of a few bytes in a text, sixteen at a time where every machine can.

/// Where the first byte is that is one of these few. Compiled where it is called, so that the compiler
/// knows what is looked for if it ever does.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub fn first_of(wanted: &[u8], bytes: &[u8]) -> Option<usize> {
    use std::arch::x86_64::{
        _mm_cmpeq_epi8, _mm_loadu_si128, _mm_movemask_epi8, _mm_or_si128, _mm_set1_epi8,
        _mm_setzero_si128,
    };
    let (chunks, rest) = bytes.as_chunks::<16>();
    for (number, chunk) in chunks.iter().enumerate() {
        // SAFETY: every x86-64 has SSE2, and a chunk has the sixteen bytes that are loaded.
        let found = unsafe {
            let chunk = _mm_loadu_si128(chunk.as_ptr().cast());
            let mut found = _mm_setzero_si128();
            for byte in wanted {
                let wanted = _mm_set1_epi8(byte.cast_signed());
                found = _mm_or_si128(found, _mm_cmpeq_epi8(chunk, wanted));
            }
            _mm_movemask_epi8(found)
        };
        if found != 0 {
            return Some(16 * number + found.trailing_zeros() as usize);
        }
    }
    let at = naive_first_of(wanted, rest)?;
    Some(bytes.len() - rest.len() + at)
}

/// Where the first byte is that is one of these few.
#[cfg(not(target_arch = "x86_64"))]
pub fn first_of(wanted: &[u8], bytes: &[u8]) -> Option<usize> {
    naive_first_of(wanted, bytes)
}

#[inline(never)]
fn naive_first_of(wanted: &[u8], bytes: &[u8]) -> Option<usize> {
    bytes.iter().position(|byte| wanted.contains(byte))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sequence;

    #[test]
    fn the_first_of_some_bytes_is_found() {
        let mut random = Sequence::new(7, 7);
        for round in 0..20_000_u64 {
            let length = round as usize % 80;
            // Few kinds of bytes, so that they meet, and the highest among them.
            let kinds = 1 << (round % 7 + 1);
            let bytes: Vec<u8> = (0..length).map(|_| !(random.next() % kinds) as u8).collect();
            let count = random.next() as usize % (13);
            let wanted: Vec<u8> = (0..count).map(|_| !(random.next() % 200) as u8).collect();
            let naive = naive_first_of(&wanted, &bytes);
            assert_eq!(first_of(&wanted, &bytes), naive, "{wanted:?} in {bytes:?}");
        }
    }
}
