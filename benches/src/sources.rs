//! Sources that show what a mechanism does with its words.

use lastbit::{BitSource, Error, SecureSource};

/// The production source.
pub(crate) fn secure() -> SecureSource {
    SecureSource::new().expect("random bytes from the operating system")
}

/// Serves the same words over and over, and notices when they do not suffice.
pub(crate) struct Script {
    words: Vec<u64>,
    next: usize,
    refinements: u64,
}

impl Script {
    /// A source of these words; there must be some.
    pub(crate) fn new(words: Vec<u64>) -> Script {
        Script { words, next: 0, refinements: 0 }
    }

    /// As many other words in their place, from the first one on.
    pub(crate) fn rewrite(&mut self, words: &[u64]) {
        self.words.copy_from_slice(words);
        self.next = 0;
    }

    /// How many refinement words were asked for.
    pub(crate) fn refinements(&self) -> u64 {
        self.refinements
    }
}

impl BitSource for Script {
    type Word = u64;

    fn open_batch(&mut self) -> Result<u64, Error> {
        Ok(0)
    }

    #[inline]
    fn next_word(&mut self) -> u64 {
        let word = self.words[self.next];
        self.next = (self.next + 1) % self.words.len();
        word
    }

    #[inline]
    fn fill_words(&mut self, mut words: &mut [u64]) {
        while !words.is_empty() {
            let n = words.len().min(self.words.len() - self.next);
            let (now, later) = words.split_at_mut(n);
            now.copy_from_slice(&self.words[self.next..][..n]);
            self.next = (self.next + n) % self.words.len();
            words = later;
        }
    }

    fn refinement_word(&mut self, _batch: u64, _index: u64, _round: u32) -> u64 {
        self.refinements += 1;
        // Any will do, but not always the same: the top bits of multiples of the golden ratio.
        self.refinements.wrapping_mul(0x9e37_79b9_7f4a_7c15)
    }
}

/// Counts the values that ask for refinement words: those that tier 1 has left.
pub(crate) struct Counting<S> {
    source: S,
    last: Option<(u64, u64)>,
    values: u64,
}

impl<S> Counting<S> {
    pub(crate) fn new(source: S) -> Self {
        Counting { source, last: None, values: 0 }
    }

    /// The number of values that asked.
    pub(crate) fn values(&self) -> u64 {
        self.values
    }

    /// Forgets some of them.
    pub(crate) fn set_values(&mut self, values: u64) {
        self.values = values;
    }
}

impl<S: BitSource> BitSource for Counting<S> {
    type Word = S::Word;

    fn open_batch(&mut self) -> Result<u64, Error> {
        self.source.open_batch()
    }

    fn next_word(&mut self) -> S::Word {
        self.source.next_word()
    }

    fn fill_words(&mut self, words: &mut [S::Word]) {
        self.source.fill_words(words);
    }

    fn refinement_word(&mut self, batch: u64, index: u64, round: u32) -> S::Word {
        if self.last.replace((batch, index)) != Some((batch, index)) {
            self.values += 1;
        }
        self.source.refinement_word(batch, index, round)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn script_goes_round() {
        let mut source = Script::new(vec![1, 2, 3]);
        let mut words = [0; 5];
        source.fill_words(&mut words);
        assert_eq!((words, source.next_word(), source.next_word()), ([1, 2, 3, 1, 2], 3, 1));
    }

    #[test]
    fn values_count_once() {
        let mut source = Counting::new(Script::new(vec![0]));
        for (batch, index, round) in [(0, 7, 0), (0, 7, 1), (0, 8, 0), (0, 300, 0), (1, 300, 0)] {
            source.refinement_word(batch, index, round);
        }
        assert_eq!(source.values(), 4);
    }
}
