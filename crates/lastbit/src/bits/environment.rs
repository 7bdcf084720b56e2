//! What the secure source asks of the world: random bytes and the time.

use std::sync::atomic::{AtomicU64, Ordering};

use super::cipher::Key;
use crate::Error;

/// The operating system, or what a test puts in its place.
pub(super) trait Environment {
    /// Fills `seed` with random bytes, in place.
    fn fill(&mut self, seed: &mut Key) -> Result<(), Error>;

    /// A number that changes at least once a second, also while the process, or the machine that it is on, does not run.
    fn second(&mut self) -> u64;

    /// What is remembered of the last seed that anybody in the process got.
    fn last_tag(&self) -> &AtomicU64;
}

/// The operating system.
pub(super) struct System;

impl Environment for System {
    fn fill(&mut self, seed: &mut Key) -> Result<(), Error> {
        getrandom::fill(seed).map_err(|e| Error::NoEntropy { reason: e.to_string() })
    }

    #[inline]
    fn second(&mut self) -> u64 {
        clock::second()
    }

    fn last_tag(&self) -> &AtomicU64 {
        static LAST: AtomicU64 = AtomicU64::new(0);
        &LAST
    }
}

/// Looks for a generator that is stuck: at one byte, or at one seed. Not a measure of entropy, which bytes alone do not tell.
///
/// A good generator fails once in 2²⁴⁸ seeds by the first, once in 2⁶⁴ by the second.
///
/// # Errors
/// [`Error::SeedRefused`].
pub(super) fn examine(seed: &Key, tag: u64, last_tag: &AtomicU64) -> Result<(), Error> {
    if seed.iter().all(|byte| *byte == seed[0]) {
        return Err(Error::SeedRefused { reason: "the bytes of its seed are all the same" });
    }
    if last_tag.swap(tag, Ordering::Relaxed) == tag {
        return Err(Error::SeedRefused { reason: "it gave the same seed twice" });
    }
    Ok(())
}

/// The wall clock, because it goes on while a process or a machine is stored, and because reading its seconds is the cheapest of all.
#[cfg(unix)]
mod clock {
    #![allow(unsafe_code)]

    #[inline]
    pub(super) fn second() -> u64 {
        // SAFETY: a null pointer asks for the result alone.
        unsafe { libc::time(std::ptr::null_mut()) as u64 }
    }
}

#[cfg(not(unix))]
mod clock {
    use std::time::{SystemTime, UNIX_EPOCH};

    pub(super) fn second() -> u64 {
        // A clock before 1970 stands still, and the other reason for fresh bytes remains.
        SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stuck_seeds_are_noticed() {
        let last = AtomicU64::new(0);
        let mut seed: Key = std::array::from_fn(|i| i as u8);
        assert_eq!(examine(&seed, 17, &last), Ok(()));
        assert!(matches!(examine(&seed, 17, &last), Err(Error::SeedRefused { .. })));
        assert_eq!(examine(&seed, 18, &last), Ok(()));
        for byte in [0, 0x55, 0xff] {
            seed = [byte; 32];
            assert!(matches!(examine(&seed, u64::from(byte) + 100, &last), Err(Error::SeedRefused { .. })));
            seed[31] ^= 1;
            assert_eq!(examine(&seed, u64::from(byte) + 200, &last), Ok(()));
        }
    }

    #[test]
    fn seeds_of_the_system_differ_and_the_clock_is_not_zero() {
        let (mut a, mut b) = ([0; 32], [0; 32]);
        System.fill(&mut a).unwrap();
        System.fill(&mut b).unwrap();
        assert_ne!(a, b);
        assert_ne!(System.second(), 0);
    }
}
