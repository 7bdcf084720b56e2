//! Releases with finitely many outputs whose probabilities are known.

use lastbit_real::{Enclosure, Rational, Rounding, exp_rational, ln_rational};

use super::sampled::around;
use crate::cells::{Cell, Cells, complement};
use crate::mass::Weighting;

/// Bits of the losses of outputs.
const BITS: u32 = 256;

/// The most steps that are tried.
const MOST_STEPS: u64 = 4096;

/// What lattices are below the losses that they are made for: little enough to cost nothing, and enough to be seen by enclosures.
fn below(loss: &Enclosure) -> Rational {
    Rational::from(loss.lo()) - Rational::pow2(-96)
}

/// A little below the least and the largest finite loss; `None` if none is finite.
pub(super) fn ends(outputs: &[(Rational, Rational)]) -> Option<[Rational; 2]> {
    let losses = || outputs.iter().filter_map(|(p, q)| loss(p, q)).map(|loss| below(&loss));
    Some([losses().min()?, losses().max()?])
}

/// The least number of steps from the least loss to the largest for which all losses are on the lattice, but for rounding; `None` if there is none
/// below [`MOST_STEPS`].
pub(super) fn steps(outputs: &[(Rational, Rational)]) -> Option<u64> {
    let [least, most] = ends(outputs)?;
    let share = |(p, q): &(Rational, Rational)| {
        Some((below(&loss(p, q)?) - &least).checked_div(&(&most - &least))?.to_f64(Rounding::Nearest))
    };
    let shares: Vec<f64> = outputs.iter().filter_map(share).collect();
    let is_near = |x: f64| (x - x.round()).abs() < 1e-12;
    (1..=MOST_STEPS).find(|steps| shares.iter().all(|share| is_near(share * *steps as f64)))
}

/// Just above the largest loss in either direction; `None` if it is infinite.
pub(super) fn largest_loss(outputs: &[(Rational, Rational)]) -> Option<Rational> {
    let possible = outputs.iter().filter(|(p, q)| p.is_positive() || q.is_positive());
    possible
        .map(|(p, q)| Some(Rational::from(loss(p, q)?.abs().hi())))
        .try_fold(Rational::ZERO, |most, loss| Some(most.max(loss?)))
}

/// `ln(p/q)`, if it is finite.
fn loss(p: &Rational, q: &Rational) -> Option<Enclosure> {
    ln_rational(&p.checked_div(q)?, BITS).ok()
}

/// The outputs, on a lattice that has a point just below the least finite loss.
pub(super) fn cells(outputs: &[(Rational, Rational)], step: &Rational, weighting: &Weighting) -> Cells {
    let least = ends(outputs).map_or(Rational::ZERO, |[least, _]| least);
    let of = |x: &Rational| Enclosure::of_rational(x, weighting.bits().max(120));
    let mut cells: Vec<Cell> = outputs
        .iter()
        .filter(|(p, q)| p.is_positive() || q.is_positive())
        .map(|(p, q)| {
            let (from, to) = match loss(p, q) {
                Some(loss) => {
                    let (from, to) = around(&(&loss - &Enclosure::of_rational(&least, BITS)), step);
                    (Some(from), Some(to))
                }
                None => (None, None),
            };
            Cell { p: of(p), q: of(q), from, to }
        })
        .collect();
    cells.sort_by_key(|cell| (cell.q.hi().is_zero(), cell.from.is_some(), cell.from));
    Cells { step: step.clone(), offset: least.checked_div(step).expect("positive"), cells }
}

/// The outputs of exact snapping for two inputs of which one lies on the edge of a cell: the cells on either side of both inputs lose `±ε`. In units
/// of the scale; `None` unless the bound leaves room for that.
pub(super) fn snapping(
    epsilon: &Rational,
    grid: &Rational,
    bound: &Rational,
    step: &Rational,
    weighting: &Weighting,
) -> Option<Cells> {
    // A few cells, as with the grid that snapping has if it is not told another.
    if *bound < epsilon + grid || *epsilon > grid * Rational::from(10_000) || *grid > Rational::pow2(40) {
        return None;
    }
    let bits = weighting.bits();
    let half_exp = |x: &Rational| exp_rational(x, bits).expect("losses are limited").shl(-1);
    let below = |x: &Rational| match x.is_positive() {
        true => complement(&half_exp(&-x)),
        false => half_exp(x),
    };
    let end = epsilon.checked_div(step).expect("positive");
    let at = |loss: Rational| match loss.is_integer() {
        true => [loss.floor(), loss.floor()],
        false => [loss.floor(), loss.ceil()],
    };
    let exactly = |p: Enclosure, q: Enclosure, loss: Rational| {
        let [from, to] = at(loss).map(|index| Some(i64::try_from(index).expect("limited by the caller")));
        Cell { p, q, from, to }
    };
    // From the left; losses fall. The first one loses ε.
    let (mut p_before, mut q_before) = (half_exp(&Rational::ZERO), half_exp(&-epsilon));
    let mut cells = vec![exactly(p_before.clone(), q_before.clone(), end.clone())];
    let mut edge = Rational::ZERO;
    while edge < *epsilon {
        edge = &edge + grid;
        let (p, q) = (below(&edge), below(&(&edge - epsilon)));
        let (p_here, q_here) = (&p - &p_before, &q - &q_before);
        let loss = p_here.div(&q_here, bits).expect("positive").ln(bits).expect("positive");
        let (from, to) = around(&loss, step);
        cells.push(Cell { p: p_here, q: q_here, from: Some(from), to: Some(to) });
        (p_before, q_before) = (p, q);
    }
    // All that is beyond both inputs loses -ε.
    cells.push(exactly(half_exp(&-&edge), half_exp(&(epsilon - &edge)), -end));
    cells.reverse();
    Some(Cells { step: step.clone(), offset: Rational::ZERO, cells })
}
