//! Bytes that nobody can guess, from the system.
//!
//! For what must be secret or unlike any other: the identity of a job, a
//! verification key. No result depends on them, or it would not be the same
//! twice.

use std::io;

/// Draws `N` bytes from the system's source for keys.
///
/// # Errors
/// If the system has none to give.
pub fn random_bytes<const N: usize>() -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    getrandom::fill(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_draw_is_another() {
        let draws: [[u8; 16]; 8] = std::array::from_fn(|_| random_bytes().unwrap());
        for (number, draw) in draws.iter().enumerate() {
            assert!(!draws[..number].contains(draw) && *draw != [0; 16]);
        }
    }
}
