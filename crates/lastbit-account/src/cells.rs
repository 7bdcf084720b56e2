//! From outputs, or ranges of outputs, to a lattice of losses.
//!
//! An output is a pair of probabilities, under `P` and under `Q`. What is known of a mechanism may be changed as long as it is done in the
//! direction of the bound ([docs/accounting.md](https://github.com/lastbit/lastbit) has the proofs):
//!
//! - **upper**: `P` may grow and `Q` may fall; and a set of outputs with losses in `[a, b]` may be replaced by one at `a` and one at `b` with the same
//!   probabilities in sum;
//! - **lower**: `P` may fall and `Q` may grow; and outputs, or shares of outputs, may be made one.

use std::f64::consts::{LN_2, LOG2_E};
use std::ops::RangeInclusive;

use lastbit_real::{Dyadic, Enclosure, Rational, Rounding, exp_rational};

use crate::distribution::{Bound, Distribution};
use crate::mass::{Mass, Precision, Weighting, log2, log2_sum};
use crate::{Error, go_on};

/// Outputs whose losses are near each other.
#[derive(Clone, Debug)]
pub(crate) struct Cell {
    /// Their probability under `P`.
    pub(crate) p: Enclosure,
    /// Their probability under `Q`.
    pub(crate) q: Enclosure,
    /// No loss is below this point of the lattice; `None` if that is not known.
    pub(crate) from: Option<i64>,
    /// No loss is above this point; `None` if that is not known. The same as `from` if all losses are just that.
    pub(crate) to: Option<i64>,
}

/// All outputs of a mechanism, by their losses, which do not fall from cell to cell.
#[derive(Clone, Debug)]
pub(crate) struct Cells {
    pub(crate) step: Rational,
    /// Points of the lattice are at `(offset + i)·step`.
    pub(crate) offset: Rational,
    pub(crate) cells: Vec<Cell>,
}

impl Cells {
    /// The same mechanism with `P` and `Q` exchanged.
    pub(crate) fn mirrored(self) -> Cells {
        let turn =
            |cell: Cell| Cell { p: cell.q, q: cell.p, from: cell.to.map(|i| -i), to: cell.from.map(|i| -i) };
        Cells {
            offset: -&self.offset,
            step: self.step,
            cells: self.cells.into_iter().rev().map(turn).collect(),
        }
    }

    /// A bound on the distribution of the loss.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
    pub(crate) fn distribution(
        &self,
        bound: Bound,
        weighting: &Weighting,
        goes_on: &dyn Fn() -> bool,
    ) -> Result<Distribution, Error> {
        let known = || self.cells.iter().flat_map(|cell| [cell.from, cell.to]).flatten();
        // One more below, for what enclosures do not tell from it.
        let (first, last) = (known().min().unwrap_or(0) - 1, known().max().unwrap_or(0));
        let bits = weighting.bits();
        let start = &self.offset * &self.step;
        let shift = self.log2_weight(weighting);
        let mut lattice = Lattice {
            bound,
            precision: weighting.precision,
            first,
            bits,
            powers: Powers::new(&start, &self.step, first..=last, bits),
            weights: Powers::new(
                &(&weighting.tilt * &start),
                &(&weighting.tilt * &self.step),
                first..=last,
                bits,
            )
            .shl(-shift),
            masses: vec![Mass::ZERO; (last - first) as usize + 1],
            infinite: Dyadic::ZERO,
            start: start.to_f64(Rounding::Nearest),
            step: self.step.to_f64(Rounding::Nearest),
        };
        match bound {
            Bound::Upper => {
                for (i, cell) in self.cells.iter().enumerate() {
                    go_on(i, goes_on)?;
                    lattice.split(cell);
                }
            }
            Bound::Lower => lattice.merge(&self.cells, goes_on)?,
        }
        Ok(Distribution {
            bound,
            weighting: weighting.clone(),
            shift,
            step: self.step.clone(),
            first: &self.offset + Rational::from(first),
            masses: lattice.masses,
            infinite: lattice.infinite,
            missing: Dyadic::ZERO,
        }
        .normal())
    }

    /// About the logarithm of the sum of all weighted probabilities, so that masses are near 1 in sum.
    fn log2_weight(&self, weighting: &Weighting) -> i64 {
        let float = |x: &Rational| x.to_f64(Rounding::Nearest);
        let [tilt, offset, step] = [&weighting.tilt, &self.offset, &self.step].map(float);
        let log = |cell: &Cell| {
            // Half of it at either end.
            let at = |index: i64| log2(cell.p.hi()) - 1.0 + tilt * (offset + index as f64) * step * LOG2_E;
            [cell.from, cell.to].map(|index| index.map(at))
        };
        log2_sum(self.cells.iter().flat_map(log).flatten())
    }
}

/// Below 2 to this, probabilities are of no use.
const LEAST_LOG2: i64 = -1 << 14;

/// The same probability, but what is below all use is not told from 0, so that sums and differences are no longer than they must be.
pub(crate) fn clipped(x: &Enclosure) -> Enclosure {
    let lo = if x.lo().floor_log2() < Some(LEAST_LOG2) { Dyadic::ZERO } else { x.lo().clone() };
    let is_tiny = !x.hi().is_zero() && x.hi().floor_log2() < Some(LEAST_LOG2);
    let hi = if is_tiny { Dyadic::pow2(LEAST_LOG2) } else { x.hi().clone() };
    Enclosure::new(lo, hi).expect("in order")
}

/// `1 - x` for a probability.
pub(crate) fn complement(x: &Enclosure) -> Enclosure {
    &Enclosure::exact(Dyadic::ONE) - &clipped(x)
}

/// Bits of the share of an output that is made one with others.
const SHARE_BITS: u32 = 64;

/// `e^(start + i·step)` for every `i` of a range, as products of two of a few that are stored.
pub(crate) struct Powers {
    first: i64,
    bits: u32,
    coarse: Vec<Enclosure>,
    fine: Vec<Enclosure>,
}

impl Powers {
    const FINE: i64 = 256;

    /// Requires: the range is not empty, and exponents are below 2⁶⁰.
    pub(crate) fn new(start: &Rational, step: &Rational, range: RangeInclusive<i64>, bits: u32) -> Powers {
        let exp = |x: Rational| exp_rational(&x, bits).expect("losses are limited");
        let (first, last) = range.into_inner();
        let coarse = (0..=(last - first) / Powers::FINE)
            .map(|block| exp(start + Rational::from(first + block * Powers::FINE) * step));
        let fine = (0..Powers::FINE.min(last - first + 1)).map(|i| exp(Rational::from(i) * step));
        Powers { first, bits, coarse: coarse.collect(), fine: fine.collect() }
    }

    /// `2^k` times as much.
    pub(crate) fn shl(mut self, k: i64) -> Powers {
        self.coarse.iter_mut().for_each(|power| *power = power.shl(k));
        self
    }

    pub(crate) fn at(&self, index: i64) -> Enclosure {
        let from = index - self.first;
        let [coarse, fine] = [from / Powers::FINE, from % Powers::FINE].map(|i| i as usize);
        (&self.coarse[coarse] * &self.fine[fine]).round(self.bits)
    }
}

/// Masses on a lattice, as they are collected.
struct Lattice {
    bound: Bound,
    precision: Precision,
    first: i64,
    bits: u32,
    /// `e^l`
    powers: Powers,
    /// `e^(λl)` over the norm
    weights: Powers,
    masses: Vec<Mass>,
    infinite: Dyadic,
    /// The loss at index 0, and the step, in floating point.
    start: f64,
    step: f64,
}

impl Lattice {
    fn add(&mut self, index: i64, p: &Enclosure) {
        let weighted = p * &self.weights.at(index);
        let mass = &mut self.masses[(index - self.first) as usize];
        *mass = mass.plus(self.bound.mass(&weighted, self.precision));
    }

    /// Upper: `x` at `a` and `y` at `b` with `x + y = p` and `x·e^-a + y·e^-b = q`, that is, `y = (p - e^a·q)/(1 - e^(a-b))`.
    ///
    /// The greatest `p` and the least `q` are taken. If `y` comes out above `p` for this, then all of `p` at `b` is at least as much.
    fn split(&mut self, cell: &Cell) {
        let p = Enclosure::exact(cell.p.hi().clone());
        match (cell.from, cell.to) {
            (_, None) => self.infinite = (&self.infinite + cell.p.hi()).round_up(self.bits),
            (Some(from), Some(to)) if from < to => {
                let bits = self.bits;
                let q = Enclosure::exact(cell.q.lo().clone());
                let falls =
                    self.powers.at(from).div(&self.powers.at(to), bits).expect("a power of e is positive");
                let one = Enclosure::exact(Dyadic::ONE);
                let y = (&p - &(&self.powers.at(from) * &q)).div(&(&one - &falls), bits).expect("from < to");
                let y = y.max(&Enclosure::exact(Dyadic::ZERO)).min(&p);
                self.add(from, &(&p - &y));
                self.add(to, &y);
            }
            (_, Some(to)) => self.add(to, &p),
        }
    }

    /// An output, or what is left of it, that is to be made one with others; `None` if it is better left out. Its point is the one below its
    /// loss, as far as doubles tell, and it is not taken for that without a look.
    fn chord(&self, (p, q): (Dyadic, Dyadic)) -> Option<Chord> {
        let loss = (log2(&p) - log2(&q)) * LN_2;
        let index = ((loss - self.start) / self.step).floor();
        if index.is_nan() || index < self.first as f64 {
            return None;
        }
        let last = self.first + self.masses.len() as i64 - 1;
        let index = (index as i64).min(last);
        let at = |index: i64| (index, self.powers.at(index).hi().clone());
        let points =
            [index + 1, index, index - 1].into_iter().filter(|index| (self.first..=last).contains(index));
        let (at, power) = points.map(at).find(|(_, power)| p >= power * &q)?;
        Some(Chord { at, power, p, q })
    }

    /// Lower: from the largest loss down, outputs are made one until their loss together is just that of a point of the lattice, the
    /// last one below that of the first of them.
    fn merge(&mut self, cells: &[Cell], goes_on: &dyn Fn() -> bool) -> Result<(), Error> {
        let bits = self.bits;
        let mut open: Option<Chord> = None;
        for (i, cell) in cells.iter().rev().enumerate() {
            go_on(i, goes_on)?;
            if cell.q.hi().is_zero() {
                self.infinite = (&self.infinite + cell.p.lo()).round_down(self.bits);
                continue;
            }
            let Some(from) = cell.from else { continue };
            // Left out, as it would make numbers long.
            if cell.p.lo().floor_log2() < Some(LEAST_LOG2) {
                continue;
            }
            let mut rest = (cell.p.lo().clone(), cell.q.hi().clone());
            if let Some(chord) = &mut open {
                if !chord.take(&mut rest, bits) {
                    continue;
                }
                self.add(chord.at, &Enclosure::exact(chord.p.clone()));
                open = None;
            }
            if cell.from == cell.to {
                self.add(from, &Enclosure::exact(rest.0));
            } else {
                open = self.chord(rest);
            }
        }
        // What is left has a larger loss than its point says.
        if let Some(chord) = open {
            self.add(chord.at, &Enclosure::exact(chord.p));
        }
        Ok(())
    }
}

/// Outputs that are being made one.
///
/// Ensures: `p >= e^at·q`, exactly, so that their loss is at least what the point says; it falls as outputs of lower loss are added.
struct Chord {
    at: i64,
    /// `e^at`, from above.
    power: Dyadic,
    p: Dyadic,
    q: Dyadic,
}

impl Chord {
    /// Takes as much of an output as the loss at its point allows. Returns whether that was enough; then the rest is left.
    fn take(&mut self, of: &mut (Dyadic, Dyadic), bits: u32) -> bool {
        let (p, q) = (&of.0, &of.1);
        let excess = &self.p - &self.power * &self.q;
        let lacking = &self.power * q - p;
        if lacking <= excess {
            self.p = &self.p + p;
            self.q = &self.q + q;
            return false;
        }
        let share =
            Enclosure::exact(excess).div(&Enclosure::exact(lacking), bits).expect("more than the excess");
        let share = share.lo().round_down(SHARE_BITS);
        let (p_taken, q_taken) = (&share * p, &share * q);
        let left = ((p - &p_taken).round_down(bits), (q - &q_taken).round_up(bits));
        self.p = &self.p + p_taken;
        self.q = &self.q + q_taken;
        *of = left;
        true
    }
}
