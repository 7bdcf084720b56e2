//! The candidate with the largest noisy score, decided exactly.
//!
//! # The law
//!
//! Each candidate `i` has a uniform `U_i` on (0, 1) of its own and `E_i = -ln U_i`, an exponential variable. The winner is the `i` with the
//! largest of
//!
//! - `X_i + E_i` ([`Noise::Exponential`]), or
//! - `X_i + ln w_i - ln E_i` ([`Noise::Gumbel`]), where `-ln E_i` is a Gumbel variable and `w_i` a weight,
//!
//! where `X_i = (s_i - s)/b` is a score in units of the scale, seen from a reference `s`. Adding one number to all candidates does not
//! change who wins, so that any reference will do; a largest score is taken, which keeps the numbers at the top small.
//!
//! # Ties
//!
//! They have probability 0. Two candidates are equal only if `E_i` is a certain function of `E_j` (`E_j + X_j - X_i`, or `E_j` times a
//! constant). Given `E_j` that is one number, and `E_i`, which is independent of it and has a density, is that number with probability 0.
//! There are finitely many pairs. So no rule for ties is needed, and there is none.
//!
//! # Bits on demand
//!
//! A word of each candidate's `U` gives an interval for its noisy score, in doubles with a proved radius. Candidates whose interval lies
//! below another one cannot win. If more than one is left, their `U` are revealed further, and exact arithmetic encloses their noisy
//! scores, until one is left. The intervals shrink to numbers that are almost surely different, so that this almost surely ends. Who wins
//! is a function of the `U_i` alone.

use lastbit_real::{Dyadic, Enclosure, Float, Rational, Rounding, ln, ln_f64, ln_rational};

use super::Address;
use super::arith::{Arith, Kernel, Path};
use super::batch::{CHUNK, Cursor};
use super::scale::Scale;
use super::tier1::plain::{Constants, exponential, is_unbounded};
use super::tier1::pow2_neg;
use super::tier2::Prefix;
use super::tier3::LongPrefix;
use crate::bits::{BitSource, Word};
use crate::{Error, Score};

/// What is added to the scores, in units of the scale.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Noise {
    /// `E`.
    Exponential,
    /// `-ln E`.
    Gumbel,
}

/// The candidates of one choice. There is at least one, and at most [`MOST_CANDIDATES`]; all scores are finite and all weights positive.
pub(crate) struct Contest<'a, T, W> {
    noise: Noise,
    scale: &'a Scale,
    scores: &'a [T],
    weights: Option<&'a [W]>,
    reference: &'a T,
    /// `b` as a double with a relative error of at most `η`, if it and quotients by it are no extremes.
    divisor: Option<f64>,
}

/// All words of a choice belong to one batch, as refinement words of closed batches are not to be had.
pub(crate) const MOST_CANDIDATES: usize = 1 << 31;

/// Words of one candidate, after which the source must be broken: of `k` bits in all, undecided are about `n²·2^-k`.
const MOST_ROUNDS: u32 = 1 << 8;

/// A closed interval of doubles, with infinite ends where nothing is known.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Bounds {
    low: f64,
    high: f64,
}

/// A candidate that can still win, and its word.
struct Contender {
    index: usize,
    word: u64,
    high: f64,
}

/// Beyond this a score says only that it is far away.
const FAR: f64 = (1u64 << 60) as f64;

impl<'a, T: Score, W: Score> Contest<'a, T, W> {
    pub(crate) fn new(
        noise: Noise,
        scale: &'a Scale,
        scores: &'a [T],
        weights: Option<&'a [W]>,
    ) -> Result<Contest<'a, T, W>, Error> {
        let (first, rest) = scores.split_first().ok_or(Error::NoCandidates)?;
        if scores.len() > MOST_CANDIDATES {
            return Err(Error::OutOfRange {
                name: "candidates",
                value: scores.len().to_string(),
                reason: format!("there may be at most {MOST_CANDIDATES}"),
            });
        }
        if let Some(index) = scores.iter().position(|score| !score.is_finite()) {
            return Err(Error::NotFinite { index });
        }
        if let Some(weights) = weights {
            check_weights(weights, scores.len())?;
        }
        let reference =
            rest.iter().fold(first, |best, score| if score.is_above(best) { score } else { best });
        let divisor = scale.fits(-900, 900).then(|| scale.hi());
        Ok(Contest { noise, scale, scores, weights, reference, divisor })
    }

    /// The index of the winner.
    pub(crate) fn run<S: BitSource>(&self, source: &mut S) -> Result<usize, Error> {
        let start = Cursor::open(source)?.advance(self.scores.len());
        let contenders = self.first_words(source)?;
        match contenders.as_slice() {
            [only] => Ok(only.index),
            _ => Ok(self.settle(source, start, contenders)),
        }
    }

    /// One word for every candidate, and those that can win then.
    fn first_words<S: BitSource>(&self, source: &mut S) -> Result<Vec<Contender>, Error> {
        let mut words = [S::Word::from_top_of(0); CHUNK];
        let mut noise = [Bounds { low: 0.0, high: 0.0 }; CHUNK];
        let mut contenders: Vec<Contender> = Vec::new();
        let mut best = f64::NEG_INFINITY;
        let mut room = CHUNK;
        for (chunk, scores) in self.scores.chunks(CHUNK).enumerate() {
            let (words, noise) = (&mut words[..scores.len()], &mut noise[..scores.len()]);
            source.fill_words(words);
            Path::detect().run(ExponentialBounds { words, out: noise });
            for (i, score) in scores.iter().enumerate() {
                let index = chunk * CHUNK + i;
                let Bounds { low, high } = self.bounds(index, score, noise[i]);
                if high >= best {
                    contenders.push(Contender { index, word: words[i].left_aligned(), high });
                    best = best.max(low);
                }
            }
            // Few are ever left; where that is not so, they are looked through each time that they have doubled.
            if contenders.len() >= room {
                contenders.retain(|contender| contender.high >= best);
                room = 2 * contenders.len().max(CHUNK);
                let more = room + CHUNK - contenders.len();
                let no_memory = |_| Error::OutOfMemory { values: self.scores.len() };
                contenders.try_reserve(more).map_err(no_memory)?;
            }
        }
        contenders.retain(|contender| contender.high >= best);
        Ok(contenders)
    }

    /// The noisy score of a candidate, from that of its `E`.
    ///
    /// Ensures: it lies between the ends. With `η = 2⁻⁵³` and the terms `x` for the score, `l` for the weight and `g` for the noise:
    ///
    /// - `x` has a relative error of at most `5.01η` ([`quotient`](Self::quotient)), and an absolute one of `η/15`;
    /// - `l` has a relative error of at most `2η` and an absolute one of `1.01η` ([`log_weight`]), or it is 0 and exact;
    /// - an end of `g` is an end of `E`, which is exact, or its logarithm, correctly rounded: `η`;
    /// - `l + g` rounds by `η·(|l| + |g|)`, and two more sums by a little more than `η·(|x| + |l| + |g|)` each.
    ///
    /// In all `η·(7.01·|x| + 5·|l| + 4·|g| + 1.1)`. The margin is `2⁻⁴⁹ = 16η` times `|x| + |l| + |g| + 1`, up to five roundings.
    #[inline]
    fn bounds(&self, index: usize, score: &T, e: Bounds) -> Bounds {
        let noise = match self.noise {
            Noise::Exponential => e,
            Noise::Gumbel => Bounds { low: -ln_f64(e.high), high: -ln_f64(e.low) },
        };
        let x = self.quotient(score);
        // What is far away is known to be beyond half of it.
        let (x_low, x_high) = match x {
            _ if x < -FAR => (f64::NEG_INFINITY, -FAR / 2.0),
            _ if x > FAR => (FAR / 2.0, f64::INFINITY),
            _ => (x, x),
        };
        let l = self.weights.map_or(0.0, |weights| log_weight(&weights[index]));
        let margin = |x: f64, g: f64| (x.abs() + l.abs() + g.abs() + 1.0) * pow2_neg(49);
        Bounds {
            low: x_low + (l + noise.low) - margin(x_low, noise.low),
            high: x_high + (l + noise.high) + margin(x_high, noise.high),
        }
    }

    /// `X` of a score with a relative error of at most `5.01η` and an absolute one of `η/15`: `3η` and `η/16` of the difference, `η` of
    /// the divisor and `η` of the division; or, where one of them would be an extreme, the exact quotient, rounded once. `±∞` beyond the
    /// doubles.
    #[inline]
    fn quotient(&self, score: &T) -> f64 {
        let quotient =
            self.divisor.and_then(|b| score.minus(self.reference, b).map(|difference| difference / b));
        quotient.unwrap_or_else(|| self.exact_quotient(score).to_f64(Rounding::Nearest))
    }

    fn exact_quotient(&self, score: &T) -> Rational {
        let [score, reference] = [score, self.reference].map(|x| x.to_rational().expect("a finite score"));
        (score - reference) / &self.scale.exact
    }

    /// Decides between those that one word did not: exact arithmetic, and as many words as it takes.
    #[cold]
    #[inline(never)]
    fn settle<S: BitSource>(&self, source: &mut S, start: Address, contenders: Vec<Contender>) -> usize {
        let width = S::Word::BITS;
        let mut finalists: Vec<Finalist> = contenders
            .iter()
            .map(|contender| Finalist {
                index: contender.index,
                x: self.exact_quotient(&self.scores[contender.index]),
                weight: self.weights.map(|weights| exact_weight(&weights[contender.index])),
                prefix: Prefix::new(contender.word, width).into(),
                high: None,
            })
            .collect();
        drop(contenders);
        for round in 0..MOST_ROUNDS {
            let mut best: Option<Dyadic> = None;
            for finalist in &mut finalists {
                // `None` is -∞, and less than any number.
                let low = finalist.enclose(self.noise);
                best = best.max(low);
            }
            finalists.retain(|finalist| match (&finalist.high, &best) {
                (Some(high), Some(best)) => high >= best,
                _ => true,
            });
            if let [winner] = finalists.as_slice() {
                return winner.index;
            }
            for finalist in &mut finalists {
                let at = start.plus(finalist.index);
                let word = source.refinement_word(at.batch, at.index, round);
                finalist.prefix.push(word.left_aligned(), width);
            }
        }
        panic!("{MOST_ROUNDS} words that decide nothing: the source is broken");
    }
}

/// A candidate in exact arithmetic.
struct Finalist {
    index: usize,
    x: Rational,
    weight: Option<Rational>,
    prefix: LongPrefix,
    /// The upper end of its noisy score, if there is one.
    high: Option<Dyadic>,
}

impl Finalist {
    /// Encloses the noisy score as far as the bits of `U` are known: sets the upper end and returns the lower, `None` where there is none.
    fn enclose(&mut self, noise: Noise) -> Option<Dyadic> {
        // Absolute accuracy is what counts: as many bits more as there are before the point.
        let large = self.x.floor_log2().map_or(0, |log2| log2.clamp(0, 1 << 30) as u32);
        let bits = self.prefix.precision().saturating_add(large);
        let mut known = Enclosure::of_rational(&self.x, bits);
        if let Some(weight) = &self.weight {
            known = &known + &ln_rational(weight, bits).expect("a positive weight");
        }
        let e = self.prefix.exponential();
        // E > 0, whatever is known; nothing else while no bit of U is one.
        let (e_low, e_high) =
            (e.as_ref().map_or(Dyadic::ZERO, |e| e.lo().clone()), e.map(|e| e.hi().clone()));
        let minus_ln = |e: &Dyadic| ln(e, bits).ok().map(|ln| -&ln);
        let (low, high) = match noise {
            Noise::Exponential => (Some(e_low), e_high),
            Noise::Gumbel => (
                e_high.and_then(|e| minus_ln(&e)).map(|noise| noise.lo().clone()),
                minus_ln(&e_low).map(|noise| noise.hi().clone()),
            ),
        };
        self.high = high.map(|high| known.hi() + &high);
        low.map(|low| known.lo() + &low)
    }
}

/// `ln w` with a relative error of at most `2η` and an absolute one of `1.01η`: a weight that rounds to a normal double moves by a factor
/// within `1 ± η`, and its logarithm is correctly rounded; that of other weights comes from an enclosure of a relative width of `2⁻⁶⁴`.
#[inline]
fn log_weight<W: Score>(weight: &W) -> f64 {
    let nearest = weight.nearest();
    if nearest.is_normal() {
        return ln_f64(nearest);
    }
    let ln = ln_rational(&exact_weight(weight), 64).expect("a positive weight");
    f64::from_dyadic(ln.lo(), Rounding::Nearest)
}

fn exact_weight<W: Score>(weight: &W) -> Rational {
    weight.to_rational().expect("a finite weight")
}

/// Refuses weights that are not positive numbers, or not as many as there are scores.
fn check_weights<W: Score>(weights: &[W], scores: usize) -> Result<(), Error> {
    if weights.len() != scores {
        return Err(Error::LengthMismatch { values: weights.len(), out: scores });
    }
    // A positive number may be so small that its nearest double is 0.
    let is_positive = |weight: &W| {
        let nearest = weight.nearest();
        weight.is_finite() && (nearest > 0.0 || nearest == 0.0 && exact_weight(weight).is_positive())
    };
    match weights.iter().position(|weight| !is_positive(weight)) {
        Some(index) => Err(Error::BadWeight { index }),
        None => Ok(()),
    }
}

/// Tier 1: the ends of `E`, for each word.
///
/// Ensures: `low <= E <= high`, and `low >= 0`. The kernel says `|E - e| <= 2⁻⁵¹·(e + 1) + radius`, unless no known bit of `U` is one: then nothing bounds `E` from
/// above. Twice the first term is taken here, which leaves `4η·(e + 1)` for roundings: of the radius `η·(radius + 2⁻⁴⁹·(e + 1))`, with
/// `radius < 0.7`, and of an end `η·(e + 1)`.
struct ExponentialBounds<'a, W> {
    words: &'a [W],
    out: &'a mut [Bounds],
}

impl<W: Word> Kernel for ExponentialBounds<'_, W> {
    type Output = ();

    #[inline(always)]
    fn run<A: Arith>(self) {
        let k = &Constants::for_loop_over(self.words.len());
        for (word, out) in self.words.iter().zip(self.out) {
            let word = word.left_aligned();
            let (e, radius) = exponential::<A, W>(k, word);
            let radius = A::mul_add(e + 1.0, pow2_neg(50), radius);
            let (low, high) = ((e - radius).max(0.0), e + radius);
            let unbounded = is_unbounded(word);
            *out = Bounds {
                low: if unbounded { 0.0 } else { low },
                high: if unbounded { f64::INFINITY } else { high },
            };
        }
    }
}

#[cfg(test)]
#[path = "tests/contest.rs"]
mod tests;
