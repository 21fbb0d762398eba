//! Fingerprints of runs of words that take one multiplication for any length: polynomials of their codes
//! at a point that nobody knows, modulo the prime 2^61 - 1.
//!
//! Two different runs of n words agree with a probability of at most n / 2^61.

use lookalike_core::VerificationKey;

const PRIME: u64 = (1 << 61) - 1;

/// Polynomials at one point.
#[derive(Clone, Debug)]
pub(crate) struct Polynomial {
    point: u64,
    /// Powers of the point, as many as were asked for.
    powers: Vec<u64>,
}

impl Polynomial {
    /// That of a name, under a key. Different names have different points.
    pub(crate) fn new(key: &VerificationKey, name: &[u8]) -> Self {
        // Any that others cannot know.
        Self { point: key.code(name) % (PRIME - 2) + 2, powers: vec![1] }
    }

    /// Sees to it that there are powers for runs of so many words.
    fn grow(&mut self, words: usize) {
        while self.powers.len() <= words {
            let last = self.powers[self.powers.len() - 1];
            self.powers.push(product(last, self.point));
        }
    }

    /// Those of the first 0, 1, 2, ... words.
    pub(crate) fn prefixes(&mut self, codes: impl ExactSizeIterator<Item = u64>) -> Vec<u64> {
        self.grow(codes.len());
        let mut prefixes = Vec::with_capacity(codes.len() + 1);
        let mut sum = 0;
        prefixes.push(sum);
        for code in codes {
            sum = reduced(product(sum, self.point) + reduced(code));
            prefixes.push(sum);
        }
        prefixes
    }

    /// That of a run, from those of the first words.
    pub(crate) fn window(&self, prefixes: &[u64], start: usize, length: usize) -> u64 {
        let before = product(prefixes[start], self.powers[length]);
        reduced(prefixes[start + length] + PRIME - before)
    }

    /// Those of all runs of `length` words, in order.
    pub(crate) fn windows<'a>(
        &mut self,
        codes: &'a [u64],
        length: usize,
    ) -> impl Iterator<Item = u64> + use<'a> {
        self.grow(length);
        let (point, first) = (self.point, self.powers[length]);
        let mut sum = 0;
        codes.iter().enumerate().filter_map(move |(number, &code)| {
            sum = reduced(product(sum, point) + reduced(code));
            if let Some(before) = number.checked_sub(length) {
                sum = reduced(sum + PRIME - product(reduced(codes[before]), first));
            }
            (number + 1 >= length).then_some(sum)
        })
    }
}

/// The product of two numbers below the prime.
fn product(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b);
    reduced((product as u64 & PRIME) + (product >> 61) as u64)
}

/// A number of up to 64 bits, modulo the prime.
fn reduced(number: u64) -> u64 {
    let sum = (number & PRIME) + (number >> 61);
    if sum >= PRIME { sum - PRIME } else { sum }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn windows_are_sums_of_powers(codes in prop::collection::vec(any::<u64>(), 0..40), length in 1..12_usize) {
            let mut polynomial = Polynomial::new(&VerificationKey::from_bytes([7; 16]), b"point");
            let point = u128::from(polynomial.point);
            let prime = u128::from(PRIME);
            let naive: Vec<u64> = codes
                .windows(length)
                .map(|window| window.iter().fold(0, |sum, &code| (sum * point + u128::from(code)) % prime) as u64)
                .collect();
            prop_assert_eq!(&polynomial.windows(&codes, length).collect::<Vec<_>>(), &naive);
            let prefixes = polynomial.prefixes(codes.iter().copied());
            polynomial.grow(length);
            let found: Vec<u64> =
                (0..naive.len()).map(|start| polynomial.window(&prefixes, start, length)).collect();
            prop_assert_eq!(found, naive);
        }
    }

    #[test]
    fn the_ends_of_the_range() {
        for number in [0, 1, PRIME - 1, PRIME, PRIME + 1, u64::MAX] {
            assert_eq!(reduced(number), number % PRIME);
        }
        for (a, b) in [(PRIME - 1, PRIME - 1), (0, PRIME - 1), (1, 1)] {
            assert_eq!(
                u128::from(product(a, b)),
                u128::from(a) * u128::from(b) % u128::from(PRIME)
            );
        }
    }
}
