//! Numbers of any width in a row of bits, lowest bit first.

/// Writes bits.
#[derive(Default)]
pub(super) struct BitWriter {
    bytes: Vec<u8>,
    /// Bits that do not fill a byte yet.
    open: u64,
    count: u32,
}

/// The widest number that is written at once.
const WIDEST: u32 = 56;

impl BitWriter {
    /// Appends the lowest `width` bits, at most 56.
    pub(super) fn push(&mut self, value: u64, width: u32) {
        debug_assert!(width <= WIDEST && (width == 64 || value >> width == 0));
        self.open |= value << self.count;
        self.count += width;
        while self.count >= 8 {
            self.bytes.push(self.open as u8);
            self.open >>= 8;
            self.count -= 8;
        }
    }

    /// Appends a number by Rice's code: the quotient by 2^low as zeros and a one, the rest as bits.
    pub(super) fn push_rice(&mut self, value: u64, low: u32) {
        let mut zeros = value >> low;
        while zeros >= u64::from(WIDEST) {
            self.push(0, WIDEST);
            zeros -= u64::from(WIDEST);
        }
        self.push(0, zeros as u32);
        self.push(1, 1);
        self.push(value & ((1 << low) - 1), low);
    }

    /// Fills up the last byte, hands all of them on, and begins anew.
    pub(super) fn finish_into(&mut self, out: &mut Vec<u8>) {
        if self.count > 0 {
            self.bytes.push(self.open as u8);
        }
        out.append(&mut self.bytes);
        (self.open, self.count) = (0, 0);
    }
}

/// Reads bits.
#[derive(Clone, Copy)]
pub(super) struct BitReader<'a> {
    bytes: &'a [u8],
    /// In bits.
    at: usize,
}

impl<'a> BitReader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0 }
    }

    /// The same bits from another place on.
    pub(super) fn from(self, at: usize) -> Self {
        Self { at, ..self }
    }

    /// The next bits: at least 56, with zeros after the end.
    fn peek(&self) -> u64 {
        let rest = self.bytes.get(self.at / 8..).unwrap_or_default();
        let word = match rest.first_chunk::<8>() {
            Some(word) => u64::from_le_bytes(*word),
            None => rest.iter().rev().fold(0, |word, &byte| word << 8 | u64::from(byte)),
        };
        word >> (self.at % 8)
    }

    /// The next number of `width` bits, at most 56; `None` after the end.
    pub(super) fn pull(&mut self, width: u32) -> Option<u64> {
        let value = self.peek() & ((1 << width) - 1);
        self.at += width as usize;
        (self.at <= 8 * self.bytes.len()).then_some(value)
    }

    /// The next number in Rice's code; `None` after the end.
    pub(super) fn pull_rice(&mut self, low: u32) -> Option<u64> {
        let mut quotient = 0;
        loop {
            let zeros = self.peek().trailing_zeros().min(WIDEST);
            self.at += zeros as usize;
            quotient += u64::from(zeros);
            if self.at >= 8 * self.bytes.len() {
                return None;
            }
            if zeros < WIDEST {
                break;
            }
        }
        self.at += 1;
        let rest = self.pull(low)?;
        quotient.checked_mul(1 << low)?.checked_add(rest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn what_is_written_is_read(
            numbers in prop::collection::vec((0_u64..1 << 20, 0_u32..16, 20_u32..=56), 0..200)
        ) {
            let mut writer = BitWriter::default();
            for &(value, low, width) in &numbers {
                writer.push_rice(value >> 8, low);
                writer.push(value, width);
            }
            let mut bytes = Vec::new();
            writer.finish_into(&mut bytes);
            let mut reader = BitReader::new(&bytes);
            for &(value, low, width) in &numbers {
                prop_assert_eq!(reader.pull_rice(low), Some(value >> 8));
                prop_assert_eq!(reader.pull(width), Some(value));
            }
            prop_assert_eq!(reader.pull(8), None);
            prop_assert_eq!(reader.pull_rice(3), None);
        }
    }
}
