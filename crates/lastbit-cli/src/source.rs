//! Where the random bits come from.

use lastbit::{BitSource, Error, InsecureSeededSource, SecureSource};

/// The operating system's bits, or a seed's.
pub(crate) enum Source {
    Secure(SecureSource),
    Insecure(InsecureSeededSource),
}

impl Source {
    pub(crate) fn new(insecure_seed: Option<u64>) -> Result<Source, Error> {
        Ok(match insecure_seed {
            None => Source::Secure(SecureSource::new()?),
            Some(seed) => Source::Insecure(InsecureSeededSource::from_seed(seed)),
        })
    }
}

macro_rules! either {
    ($self:ident, $source:ident => $call:expr) => {
        match $self {
            Source::Secure($source) => $call,
            Source::Insecure($source) => $call,
        }
    };
}

impl BitSource for Source {
    type Word = u64;

    fn open_batch(&mut self) -> Result<u64, Error> {
        either!(self, source => source.open_batch())
    }

    fn next_word(&mut self) -> u64 {
        either!(self, source => source.next_word())
    }

    fn refinement_word(&mut self, batch: u64, index: u64, round: u32) -> u64 {
        either!(self, source => source.refinement_word(batch, index, round))
    }

    fn fill_words(&mut self, words: &mut [u64]) {
        either!(self, source => source.fill_words(words));
    }

    fn fill_refinement_words(&mut self, batch: u64, first: u64, round: u32, words: &mut [u64]) {
        either!(self, source => source.fill_refinement_words(batch, first, round, words));
    }
}
