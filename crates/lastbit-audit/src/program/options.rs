//! Options: what to compute, how much of it, and who hears of progress.

use std::sync::atomic::{AtomicBool, Ordering};

use lastbit_real::Rational;

use super::error::ProgramError;
use super::number::Library;

/// Limits, beyond which another method is used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Most outputs that are gone through; if there are more, witnesses are looked for.
    pub outputs: u64,
    /// Most samples of equal weight that are all evaluated, 2³⁰ at the very most. Up to so many, the number of outputs is not
    /// limited.
    pub samples: u64,
    /// Most samples that are tried one by one where the platform's library decides the output.
    pub band: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { outputs: 1 << 22, samples: 1 << 24, band: 1 << 24 }
    }
}

/// A callback that receives the number of samples done, and of all samples.
pub type Progress<'a> = &'a dyn Fn(u128, u128);

/// The options of an audit: what to compute, how, and who hears of progress.
#[derive(Clone, Default)]
pub struct Options<'a> {
    /// The library; without one, the correctly rounded one, which the program must then declare.
    pub library: Option<Library>,
    /// The limits on the computation.
    pub limits: Limits,
    /// The loss at which hockey-stick divergences are computed. Without one, what the text claims; if it claims none, its parameter
    /// `eps`; if it has none, 0.
    pub epsilon: Option<Rational>,
    /// The largest number of outcomes to list.
    pub listed: usize,
    /// A callback for progress.
    pub progress: Option<Progress<'a>>,
    /// Set by whoever wants to stop.
    pub cancel: Option<&'a AtomicBool>,
}

/// Whatever the limit is, more are not evaluated: their outputs would fill the memory.
pub(crate) const MAX_SAMPLES: u64 = 1 << 30;

/// `e^ε` is computed for losses up to this.
pub(crate) fn most_epsilon() -> Rational {
    Rational::pow2(20)
}

impl Options<'_> {
    pub(crate) fn check(&self) -> Result<(), ProgramError> {
        match &self.epsilon {
            Some(epsilon) if epsilon.abs() > most_epsilon() => {
                Err(ProgramError::Epsilon { epsilon: epsilon.clone() })
            }
            _ => Ok(()),
        }
    }
}

/// Whoever watches a computation.
pub(crate) struct Watch<'a> {
    progress: Option<Progress<'a>>,
    pub(crate) cancel: Option<&'a AtomicBool>,
    /// The samples of all runs.
    total: u128,
}

impl<'a> Watch<'a> {
    pub(crate) fn new(options: &Options<'a>, total: u128) -> Watch<'a> {
        Watch { progress: options.progress, cancel: options.cancel, total }
    }

    /// Tells that so many samples are done.
    pub(crate) fn step(&self, done: u128) -> Result<(), ProgramError> {
        if let Some(progress) = self.progress {
            progress(done, self.total);
        }
        self.check()
    }

    /// Fails if the computation is to stop.
    pub(crate) fn check(&self) -> Result<(), ProgramError> {
        if is_set(self.cancel) { Err(ProgramError::Cancelled) } else { Ok(()) }
    }
}

pub(crate) fn is_set(cancel: Option<&AtomicBool>) -> bool {
    cancel.is_some_and(|cancel| cancel.load(Ordering::Relaxed))
}
