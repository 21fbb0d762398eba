//! The polynomials are what they must be, and the arithmetic is exact.

use lookalike_kernels::rabin::{FEATURES, Rabin, TOKENS, is_irreducible};
use lookalike_kernels::reference::{
    carryless_product, irreducible, rabin_bytes, rabin_words, remainder,
};
use proptest::prelude::*;

#[test]
fn the_polynomials_are_irreducible_and_different() {
    assert!(irreducible(TOKENS.tail()));
    assert!(irreducible(FEATURES.tail()));
    assert_ne!(TOKENS.tail(), FEATURES.tail());
}

/// One in 64 is, and the fast test finds the same ones.
#[test]
fn the_fast_test_of_irreducibility_is_the_reference() {
    let tails = (0..4000_u64).map(lookalike_kernels::mix);
    let found = tails.filter(|&tail| {
        assert_eq!(is_irreducible(tail), irreducible(tail), "{tail:x}");
        is_irreducible(tail)
    });
    assert!((40..90).contains(&found.count()));
    let (p, q) = (1u64 << 32 | 0x8d, 1u64 << 32 | 0xc5);
    for tail in [0x1b, 0x1a, 0x1, 0x0, 0x5, 0x1_0000_0001, carryless_product(p, q) as u64] {
        assert_eq!(is_irreducible(tail), irreducible(tail), "{tail:x}");
    }
}

#[test]
fn the_test_of_irreducibility_can_fail() {
    // x^64 + x^4 + x^3 + x + 1 is a well-known irreducible polynomial.
    assert!(irreducible(0x1b));
    // Divisible by x; by x + 1; a square; (x^32 + x^7 + x^3 + x^2 + 1) squared plus nothing.
    for tail in [0x1a, 0x1, 0x0, 0x5, 0x1_0000_0000 ^ 1] {
        assert!(!irreducible(tail), "{tail:x}");
    }
    // The product of two irreducible factors of degree 32 passes the first half of Rabin's
    // test and is caught by the second.
    let (p, q) = (1u64 << 32 | 0x8d, 1u64 << 32 | 0xc5);
    let product = carryless_product(p, q);
    assert_eq!(product >> 64, 1);
    assert!(!irreducible(product as u64));
}

#[test]
fn a_word_of_seven_bytes_is_its_own_fingerprint() {
    assert_eq!(TOKENS.bytes(b""), 1);
    assert_eq!(TOKENS.bytes(b"a"), 0x161);
    assert_eq!(TOKENS.bytes(b"letters"), 0x016c_6574_7465_7273);
    assert_eq!(TOKENS.bytes(b"\0"), 0x100, "leading zeros count");
}

proptest! {
    #[test]
    fn tables_agree_with_long_division(
        bytes in proptest::collection::vec(any::<u8>(), 0..50),
        words in proptest::collection::vec(any::<u64>(), 0..20),
        a in any::<u64>(),
        b in any::<u64>(),
    ) {
        for rabin in [&TOKENS, &FEATURES] {
            let tail = rabin.tail();
            prop_assert_eq!(rabin.bytes(&bytes), rabin_bytes(tail, &bytes));
            let streamed = bytes.iter().fold(Rabin::EMPTY, |f, &byte| rabin.push_byte(f, byte));
            prop_assert_eq!(streamed, rabin_bytes(tail, &bytes));
            let in_pieces = bytes.chunks(1 + a as usize % 8).fold(Rabin::EMPTY, |f, piece| {
                let value = piece.iter().fold(0, |value, &byte| value << 8 | u64::from(byte));
                rabin.push_bytes(f, value, piece.len())
            });
            prop_assert_eq!(in_pieces, rabin_bytes(tail, &bytes));
            prop_assert_eq!(rabin.words(&words), rabin_words(tail, &words));
            prop_assert_eq!(rabin.multiply(a, b), remainder(carryless_product(a, b), tail));
            prop_assert_eq!(rabin.shift(a), remainder(u128::from(a) << 64, tail));
            prop_assert_eq!(rabin.power_of_words(3), rabin.shift(rabin.shift(rabin.shift(1))));
        }
    }
}
