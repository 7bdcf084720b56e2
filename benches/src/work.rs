//! What can be timed: the three ways to ask a mechanism for noise, and the words that it takes.

use std::hint::black_box;

use lastbit::{BitSource, Mechanism, SecureSource};

use crate::sources::secure;

/// Words drawn at a time: as many as the mechanisms draw.
pub(crate) const BLOCK: usize = 256;

/// Something to be timed, over and over.
pub(crate) trait Work {
    /// The number of values that one run noises.
    fn len(&self) -> usize;

    /// Gets ready for another run; not timed.
    fn reset(&mut self);

    /// Runs once what is timed.
    fn run(&mut self);
}

/// A slice, in place.
pub(crate) struct InPlace<M, T> {
    source: SecureSource,
    mechanism: M,
    x: T,
    values: Vec<T>,
}

impl<M: Mechanism<T>, T: Copy> InPlace<M, T> {
    /// `n` values, all of them `x`.
    pub(crate) fn new(mechanism: M, x: T, n: usize) -> Self {
        InPlace { source: secure(), mechanism, x, values: vec![x; n] }
    }
}

impl<M: Mechanism<T>, T: Copy> Work for InPlace<M, T> {
    fn len(&self) -> usize {
        self.values.len()
    }

    fn reset(&mut self) {
        self.values.fill(self.x);
    }

    fn run(&mut self) {
        self.mechanism.release_in_place(&mut self.source, &mut self.values).expect("values in range");
        black_box(&self.values);
    }
}

/// From one slice to another, with any source.
pub(crate) struct SliceToSlice<M, T, S> {
    source: S,
    mechanism: M,
    values: Vec<T>,
    out: Vec<T>,
}

impl<M: Mechanism<T>, T: Copy, S: BitSource> SliceToSlice<M, T, S> {
    /// `n` values, all of them `x`.
    pub(crate) fn new(source: S, mechanism: M, x: T, n: usize) -> Self {
        SliceToSlice { source, mechanism, values: vec![x; n], out: vec![x; n] }
    }

    pub(crate) fn source(&self) -> &S {
        &self.source
    }
}

impl<M: Mechanism<T>, T: Copy, S: BitSource> Work for SliceToSlice<M, T, S> {
    fn len(&self) -> usize {
        self.values.len()
    }

    fn reset(&mut self) {}

    fn run(&mut self) {
        self.mechanism.release_to(&mut self.source, &self.values, &mut self.out).expect("values in range");
        black_box(&self.out);
    }
}

/// One call for each value.
pub(crate) struct OneByOne<M, T> {
    source: SecureSource,
    mechanism: M,
    x: T,
    out: Vec<T>,
}

impl<M: Mechanism<T>, T: Copy> OneByOne<M, T> {
    /// `n` calls with `x`.
    pub(crate) fn new(mechanism: M, x: T, n: usize) -> Self {
        OneByOne { source: secure(), mechanism, x, out: vec![x; n] }
    }
}

impl<M: Mechanism<T>, T: Copy> Work for OneByOne<M, T> {
    fn len(&self) -> usize {
        self.out.len()
    }

    fn reset(&mut self) {}

    fn run(&mut self) {
        for y in &mut self.out {
            *y = self.mechanism.release(&mut self.source, black_box(self.x)).expect("value in range");
        }
        black_box(&self.out);
    }
}

/// One word for each value, in blocks, and nothing made of it: what no mechanism can be faster than.
pub(crate) struct WordsAlone {
    source: SecureSource,
    n: usize,
}

impl WordsAlone {
    /// `n` words, or a few more to fill the last block.
    pub(crate) fn new(n: usize) -> WordsAlone {
        WordsAlone { source: secure(), n }
    }
}

impl Work for WordsAlone {
    fn len(&self) -> usize {
        self.n
    }

    fn reset(&mut self) {}

    fn run(&mut self) {
        let mut words = [0; BLOCK];
        for _ in 0..self.n.div_ceil(BLOCK) {
            self.source.fill_words(&mut words);
            black_box(&words);
        }
    }
}
