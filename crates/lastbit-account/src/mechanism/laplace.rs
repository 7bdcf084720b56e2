//! Real Laplace noise, on a lattice that has its largest loss.

use std::collections::BTreeMap;

use lastbit_real::{Enclosure, Rational};

use super::points::{BITS, Points, exp, one};
use crate::distribution::Bound;
use crate::mass::Precision;

/// The loss is `ε` with probability ½, `-ε` with `e^-ε/2`, and has the density `e^((l-ε)/2)/4` between. A cell `[a, a+w]` has
/// `e^((a-ε)/2)·(e^(w/2)-1)/2` of the mass, and as one output it would lose `a + w/2` exactly.
///
/// - Upper: the mass of each cell between two points of the lattice moves to these, `1/(1+e^(-w/2))` of it up, so that the mass under both
///   inputs stays what it was: the cell is a merging of two such outputs, thus no more private.
/// - Lower: the cells around points of the lattice are one output each. Half a cell is left at either end; of the cell after the next,
///   as much is merged with it as it takes to lose just what the point between loses.
pub(super) fn points(epsilon: &Rational, step: &Rational, bound: Bound, precision: Precision) -> Points {
    let bits = precision.bits() + BITS;
    let cells = epsilon.checked_div(step).expect("positive").floor();
    let cells = i64::try_from(cells).expect("limited by the caller");
    let half = Rational::new(1, 2).expect("2 is not 0");
    let at = |index: &Rational| index * step;
    // The mass of a cell that begins at an index and is so many steps wide.
    let cell = |begin: &Rational, width: &Rational| {
        let growth = &exp(&(at(width) * &half), precision) - &one();
        (&exp(&((at(begin) - epsilon) * &half), precision) * &growth).shl(-1)
    };
    let mut masses: BTreeMap<i64, Enclosure> = BTreeMap::new();
    let mut add = |index: i64, mass: &Enclosure| {
        let sum = masses.get(&index).map_or_else(|| mass.clone(), |old| old + mass);
        masses.insert(index, sum.round(bits));
    };
    add(cells, &one().shl(-1));
    add(-cells, &exp(&-epsilon, precision).shl(-1));
    match bound {
        Bound::Upper => {
            let falls = exp(&-(step * &half), precision);
            let up = one().div(&(&one() + &falls), bits).expect("above 1");
            for index in -cells..cells {
                let mass = cell(&Rational::from(index), &Rational::ONE);
                let upper = &mass * &up;
                add(index, &(&upper * &falls));
                add(index + 1, &upper);
            }
        }
        Bound::Lower => {
            for index in 1 - cells..cells {
                add(index, &cell(&(Rational::from(index) - &half), &Rational::ONE));
            }
            let three_quarters = at(&Rational::new(3, 4).expect("4 is not 0"));
            let [full, part] = [step, &three_quarters].map(|x| [x.clone(), -x].map(|x| exp(&x, precision)));
            let [top, bottom] =
                [Rational::from(cells) - &half, Rational::from(-cells)].map(|at| cell(&at, &half));
            // x·(e^h - 1) = w·(1 - e^(-3h/4)) above, x·(1 - e^-h) = w·(e^(3h/4) - 1) below.
            let above = (&top * &(&one() - &part[1])).div(&(&full[0] - &one()), bits).expect("positive");
            let below = (&bottom * &(&part[0] - &one())).div(&(&one() - &full[1]), bits).expect("positive");
            for (to, from, half_cell, moved) in
                [(cells - 1, cells - 2, &top, &above), (1 - cells, 2 - cells, &bottom, &below)]
            {
                add(to, &(half_cell + moved));
                add(from, &-moved);
            }
        }
    }
    let losses = masses.into_iter().map(|(index, mass)| (at(&Rational::from(index)), mass));
    Points::new(losses)
}
