//! Pairs of normal values by MPFR, from the bits of their words, and the source that hands out these words.

use lastbit::{BitSource, Error};
use lastbit_mpfr_tests::Arguments;
use rug::float::Constant;
use rug::{Float, Integer};

use crate::number;

/// Rounds of refinement that are known here: 256 bits.
const ROUNDS: u32 = 4;

/// What comes after the bits of `w2`.
#[derive(Clone, Copy, Debug)]
enum Tail {
    Zeros,
    Ones,
    Random(u64),
}

impl Tail {
    fn word(self, round: u32) -> u64 {
        assert!(round < ROUNDS, "more bits than there are here");
        match self {
            Tail::Zeros => 0,
            Tail::Ones => u64::MAX,
            Tail::Random(seed) => Arguments::new(seed.wrapping_add(u64::from(round) << 32)).bits(),
        }
    }
}

/// What a pair is made of: signs, `swap`, 95 bits of `U`, 94 of `V`, and what comes after.
#[derive(Clone, Debug)]
pub(crate) struct Pair {
    pub(crate) negative: [bool; 2],
    swap: bool,
    pub(crate) u: u128,
    v: u128,
    tails: [Tail; 2],
}

pub(crate) const U_BITS: u32 = 95;
const V_BITS: u32 = 94;

impl Pair {
    pub(crate) fn random(arguments: &mut Arguments) -> Pair {
        let mut long =
            |bits: u32| (u128::from(arguments.bits()) << 64 | u128::from(arguments.bits())) >> (128 - bits);
        let (u, v) = (long(U_BITS), long(V_BITS));
        // Some U are close to 0 and some to 1, and some V too.
        let shift = arguments.integer(0, 50) as u32;
        let u = match arguments.bits() % 8 {
            0 => u >> shift,
            1 => (1 << U_BITS) - 1 - (u >> shift),
            _ => u,
        };
        let v = match arguments.bits() % 16 {
            0 => v >> shift,
            1 => (1 << V_BITS) - 1 - (v >> shift),
            _ => v,
        };
        let bits = arguments.bits();
        let mut tail = || match arguments.bits() % 4 {
            0 => Tail::Zeros,
            1 => Tail::Ones,
            _ => Tail::Random(arguments.bits()),
        };
        let (u, tails) = (u.max(1), [tail(), tail()]);
        Pair { negative: [bits & 1 == 1, bits & 2 == 2], swap: bits & 4 == 4, u, v, tails }
    }

    /// `w1`, `w3`, `w2`.
    pub(crate) fn words(&self) -> [u64; 3] {
        let [s0, s1] = self.negative.map(u64::from);
        [
            s0 << 63 | (self.u >> 32) as u64,
            s1 << 63 | u64::from(self.swap) << 62 | (self.v >> 32) as u64,
            u64::from(self.u as u32) << 32 | u64::from(self.v as u32),
        ]
    }

    /// A uniform number from its first bits and those that come after.
    fn uniform(bits: u128, len: u32, tail: Tail) -> Float {
        let mut all = Integer::from(bits);
        for round in 0..ROUNDS {
            all = (all << 64u32) + tail.word(round);
        }
        number(all) >> (len + 64 * ROUNDS)
    }

    /// The sides of the triangle, in the order of the values.
    pub(crate) fn sides(&self, model: Model) -> [Float; 2] {
        let angle = number(Constant::Pi) * (Pair::uniform(self.v, V_BITS, self.tails[1]) >> 2u32);
        let (sin, cos) = angle.sin_cos(number(0));
        let sides = if self.swap { [sin, cos] } else { [cos, sin] };
        match model {
            Model::PlainSides => sides.map(|side| number(Float::with_val(53, side))),
            _ => sides,
        }
    }

    /// `G0` and `G1`.
    pub(crate) fn values(&self, model: Model) -> [Float; 2] {
        let shift = u128::from(matches!(model, Model::ShiftedU));
        let u = Pair::uniform(self.u + shift, U_BITS, self.tails[0]);
        let r = (u.ln() * -2i32).sqrt();
        let [first, second] = self.sides(model).map(|side| side * &r);
        [if self.negative[0] { -first } else { first }, if self.negative[1] { -second } else { second }]
    }
}

/// What MPFR computes: the law, or something a little else.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Model {
    Law,
    /// `U` is larger by one unit of its last bit in `w2`.
    ShiftedU,
    /// Sine and cosine are doubles.
    PlainSides,
}

/// Hands out the words of some pairs.
pub(crate) struct Source<'a> {
    pub(crate) pairs: &'a [Pair],
    /// Words of the stream that were read.
    pub(crate) next: usize,
    /// Refinement words that were read.
    pub(crate) refined: usize,
}

impl BitSource for Source<'_> {
    type Word = u64;

    fn open_batch(&mut self) -> Result<u64, Error> {
        Ok(0)
    }

    fn next_word(&mut self) -> u64 {
        let n = self.pairs.len();
        let (which, pair) = (self.next / n, self.next % n);
        self.next += 1;
        self.pairs[pair].words()[which]
    }

    fn refinement_word(&mut self, _batch: u64, index: u64, round: u32) -> u64 {
        self.refined += 1;
        let n = self.pairs.len();
        self.pairs[index as usize % n].tails[index as usize / n].word(round)
    }
}
