//! AES-128 (FIPS 197), for what must not be guessed by who does not know a key.
//!
//! Processors have it as instructions, which the vector kernels use; here are
//! the expansion of keys and the portable form, by one table of 1 KiB. Time may
//! depend on the data: whoever can measure it on this machine can read the key.

/// A key, expanded.
#[derive(Clone)]
pub struct Aes {
    pub(crate) rounds: [[u8; 16]; ROUNDS + 1],
}

impl std::fmt::Debug for Aes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Aes(..)")
    }
}

/// Rounds of AES with keys of 128 bits.
pub(crate) const ROUNDS: usize = 10;

/// x * 2 in GF(2^8).
const fn double(x: u8) -> u8 {
    x << 1 ^ if x >> 7 == 1 { 0x1b } else { 0 }
}

/// The substitution: the inverse in GF(2^8), then an affine map.
static SUBSTITUTE: [u8; 256] = {
    // The powers of 3 are all of the field but 0.
    let (mut powers, mut logarithms) = ([1_u8; 256], [0_usize; 256]);
    let mut n = 1;
    while n < 255 {
        powers[n] = powers[n - 1] ^ double(powers[n - 1]);
        logarithms[powers[n] as usize] = n;
        n += 1;
    }
    powers[255] = 1;
    let mut table = [0; 256];
    let mut x = 0;
    while x < 256 {
        let inverse = if x == 0 { 0 } else { powers[255 - logarithms[x]] };
        let mut sum = inverse;
        let mut turn = 1;
        while turn < 5 {
            sum ^= inverse.rotate_left(turn);
            turn += 1;
        }
        table[x] = sum ^ 0x63;
        x += 1;
    }
    table
};

/// What a byte of the first row adds to its column: 2, 1, 1 and 3 times its substitute. Those of
/// the other rows are the same, turned.
static MIX: [u32; 256] = {
    let mut table = [0; 256];
    let mut x = 0;
    while x < 256 {
        let s = SUBSTITUTE[x];
        table[x] = u32::from_le_bytes([double(s), s, s, double(s) ^ s]);
        x += 1;
    }
    table
};

impl Aes {
    /// Expands a key.
    pub fn new(key: [u8; 16]) -> Self {
        let mut rounds = [key; ROUNDS + 1];
        let mut constant = 1;
        for round in 1..=ROUNDS {
            let last = rounds[round - 1];
            let mut word = [13, 14, 15, 12].map(|at: usize| SUBSTITUTE[usize::from(last[at])]);
            word[0] ^= constant;
            constant = double(constant);
            for at in 0..16 {
                word[at % 4] ^= last[at];
                rounds[round][at] = word[at % 4];
            }
        }
        Self { rounds }
    }

    /// Encrypts a block, the first byte lowest.
    pub fn encrypt(&self, block: u128) -> u128 {
        let [first, middle @ .., last] = &self.rounds.map(u128::from_le_bytes);
        let mut state = columns(block ^ first);
        for key in middle {
            let key = columns(*key);
            state = std::array::from_fn(|column| {
                let [a, b, c, d] = shifted(&state, column);
                let mixed = MIX[a] ^ MIX[b].rotate_left(8);
                mixed ^ MIX[c].rotate_left(16) ^ MIX[d].rotate_left(24) ^ key[column]
            });
        }
        let last = columns(*last);
        let ciphered: [u32; 4] = std::array::from_fn(|column| {
            let bytes = shifted(&state, column).map(|byte| SUBSTITUTE[byte]);
            u32::from_le_bytes(bytes) ^ last[column]
        });
        ciphered.iter().rev().fold(0, |block, column| block << 32 | u128::from(*column))
    }
}

/// The columns of a block, the first byte of each lowest.
#[inline(always)]
fn columns(block: u128) -> [u32; 4] {
    [block as u32, (block >> 32) as u32, (block >> 64) as u32, (block >> 96) as u32]
}

/// The bytes that come to a column: row r from r columns further on.
#[inline(always)]
fn shifted(state: &[u32; 4], column: usize) -> [usize; 4] {
    std::array::from_fn(|row| (state[(column + row) % 4] >> (8 * row) & 0xff) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The examples of FIPS 197, appendices B and C.1.
    #[test]
    fn encrypts_as_the_standard_says() {
        for (key, plain, cipher) in [
            (
                0x2b7e_1516_28ae_d2a6_abf7_1588_09cf_4f3c_u128,
                0x3243_f6a8_885a_308d_3131_98a2_e037_0734_u128,
                0x3925_841d_02dc_09fb_dc11_8597_196a_0b32_u128,
            ),
            (
                0x0001_0203_0405_0607_0809_0a0b_0c0d_0e0f,
                0x0011_2233_4455_6677_8899_aabb_ccdd_eeff,
                0x69c4_e0d8_6a7b_0430_d8cd_b780_70b4_c55a,
            ),
        ] {
            let aes = Aes::new(key.to_be_bytes());
            assert_eq!(aes.encrypt(plain.swap_bytes()).swap_bytes(), cipher);
        }
    }
}
