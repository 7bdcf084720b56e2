//! Releases with finitely many outputs whose probabilities are known.

use lastbit_real::{Dyadic, Enclosure, Rational, exp_rational, ln_rational};

use super::sampled::around;
use crate::cells::{Cell, Cells};
use crate::mass::Precision;

/// Bits of the losses of outputs.
const BITS: u32 = 256;

/// The least and the largest finite loss, both a little below the truth; `None` if none is finite.
pub(super) fn ends(outputs: &[(Rational, Rational)]) -> Option<[Rational; 2]> {
    let losses = || outputs.iter().filter_map(|(p, q)| loss(p, q)).map(|loss| Rational::from(loss.lo()));
    Some([losses().min()?, losses().max()?])
}

/// `ln(p/q)`, if it is finite.
fn loss(p: &Rational, q: &Rational) -> Option<Enclosure> {
    ln_rational(&p.checked_div(q)?, BITS).ok()
}

/// The outputs, on a lattice that has a point just below the least finite loss.
pub(super) fn cells(outputs: &[(Rational, Rational)], step: &Rational, precision: Precision) -> Cells {
    let least = ends(outputs).map_or(Rational::ZERO, |[least, _]| least);
    let below = Enclosure::exact(Dyadic::ZERO);
    let of = |x: &Rational| Enclosure::of_rational(x, precision.bits() + 64);
    let mut cells: Vec<Cell> = outputs
        .iter()
        .filter(|(p, q)| p.is_positive() || q.is_positive())
        .map(|(p, q)| {
            let (from, to) = match loss(p, q) {
                // Without the offset, which is far from the least losses only by what is known of them.
                Some(loss) => {
                    let above = &loss - &Enclosure::of_rational(&least, BITS);
                    let (from, to) = around(&above.max(&below), step);
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
    precision: Precision,
) -> Option<Cells> {
    // A few cells, as with the grid that snapping has if it is not told another.
    if *bound < epsilon + grid || *epsilon > grid * Rational::from(10_000) {
        return None;
    }
    let bits = precision.bits() + 64;
    let exp = |x: &Rational| exp_rational(x, bits).expect("losses are limited");
    let below = |x: &Rational| match x.is_positive() {
        true => &Enclosure::exact(Dyadic::ONE) - &exp(&-x).shl(-1),
        false => exp(x).shl(-1),
    };
    // From the left; losses fall.
    let mut cells = Vec::new();
    let (mut p_before, mut q_before) = (Enclosure::exact(Dyadic::ZERO), Enclosure::exact(Dyadic::ZERO));
    let mut edge = Rational::ZERO;
    loop {
        let (p, q) = (below(&edge), below(&(&edge - epsilon)));
        cells.push((&p - &p_before, &q - &q_before));
        (p_before, q_before) = (p, q);
        if edge >= *epsilon {
            break;
        }
        edge = &edge + grid;
    }
    let one = Enclosure::exact(Dyadic::ONE);
    cells.push((&one - &p_before, &one - &q_before));
    let last = cells.len() - 1;
    let end = epsilon.checked_div(step).expect("positive");
    let on_lattice = |index: Rational| index.is_integer().then(|| i64::try_from(index.numerator()).expect("limited"));
    let cells = cells.into_iter().enumerate().rev().map(|(i, (p, q))| {
        let exact = match i {
            0 => on_lattice(end.clone()),
            _ if i == last => on_lattice(-&end),
            _ => None,
        };
        let loss = || p.div(&q, bits).expect("positive").ln(bits).expect("positive");
        let (from, to) = exact.map_or_else(|| around(&loss(), step), |index| (index, index));
        Cell { from: Some(from), to: Some(to), p, q }
    });
    Some(Cells { step: step.clone(), offset: Rational::ZERO, cells: cells.collect() })
}
