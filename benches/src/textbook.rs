//! The sampler to beat: Laplace noise as textbooks give it, in floating point, neither exact nor private.

use lastbit::{BitSource, SecureSource};

use crate::sources::secure;
use crate::work::{BLOCK, Work};

/// `x - b·s·ln(u)` with `b = 1`, from one word a value of the same secure source.
pub(crate) struct Textbook {
    source: SecureSource,
    scale: f64,
    values: Vec<f64>,
}

impl Textbook {
    pub(crate) fn new(n: usize) -> Textbook {
        Textbook { source: secure(), scale: std::hint::black_box(1.0), values: vec![0.0; n] }
    }
}

impl Work for Textbook {
    fn len(&self) -> usize {
        self.values.len()
    }

    fn reset(&mut self) {
        self.values.fill(0.0);
    }

    fn run(&mut self) {
        let mut words = [0; BLOCK];
        for block in self.values.chunks_mut(BLOCK) {
            self.source.fill_words(&mut words[..block.len()]);
            for (x, word) in block.iter_mut().zip(words) {
                *x -= self.scale * noise(word);
            }
        }
        std::hint::black_box(&self.values);
    }
}

/// `s·ln(u)`: the sign from bit 0, `u` from the top 53 bits, made odd so that it is not zero.
#[inline]
pub(crate) fn noise(word: u64) -> f64 {
    const STEP: f64 = 1.0 / (1u64 << 53) as f64;
    let sign = if word & 1 == 1 { 1.0 } else { -1.0 };
    let u = ((word >> 11) | 1) as f64 * STEP;
    sign * u.ln()
}
