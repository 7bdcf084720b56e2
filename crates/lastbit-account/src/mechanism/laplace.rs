//! Real Laplace noise, on a lattice that has its largest loss.

use lastbit_real::{Dyadic, Enclosure, Rational, expm1_rational};

use super::points::{Points, exp, one};
use crate::cells::Powers;
use crate::distribution::Bound;
use crate::mass::Weighting;
use crate::mutant::{Mutant, is_made};
use crate::{Error, go_on};

/// The loss is `ε` with probability ½, `-ε` with `e^-ε/2`, and has the density `e^((l-ε)/2)/4` between. A cell `[a, a+w]` has
/// `e^((a-ε)/2)·(e^(w/2)-1)/2` of the mass, and as one output it would lose `a + w/2` exactly.
///
/// - Upper: the mass of each cell between two points of the lattice moves to these, `1/(1+e^(-w/2))` of it up, so that the mass under both
///   inputs stays what it was: the cell is a merging of two such outputs, thus no more private.
/// - Lower: the cells around points of the lattice are one output each. Half a cell is left at either end; of the cell after the next,
///   as much is merged with it as it takes to lose just what the point between loses.
pub(super) fn points(
    epsilon: &Rational,
    step: &Rational,
    bound: Bound,
    weighting: &Weighting,
    goes_on: &dyn Fn() -> bool,
) -> Result<Points, Error> {
    let bits = weighting.bits();
    let cells = epsilon.checked_div(step).expect("positive").floor();
    let cells = i64::try_from(cells).expect("limited by the caller");
    let share = |n: i64, d: i64| step * Rational::new(n, d).expect("not 0");
    let half = share(1, 2);
    // e^((a-ε)/2)/2 at each point a.
    let densities =
        Powers::new(&-(epsilon * Rational::new(1, 2).expect("2 is not 0")), &half, -cells..=cells, bits);
    let density = |index: i64| densities.at(index).shl(-1);
    // e^x - 1
    let growth = |x: &Rational| expm1_rational(x, bits).expect("losses are limited");
    let mut masses = vec![Enclosure::exact(Dyadic::ZERO); 2 * cells as usize + 1];
    let mut add = |index: i64, mass: &Enclosure| {
        let sum = &mut masses[(index + cells) as usize];
        *sum = (&*sum + mass).round(bits);
    };
    add(cells, &one().shl(-1));
    add(-cells, &exp(&-epsilon, weighting).shl(-1));
    match bound {
        Bound::Upper => {
            let falls = exp(&-&half, weighting);
            let up = one().div(&(&one() + &falls), bits).expect("above 1");
            let growth = &growth(&half) * &up;
            for index in -cells..cells {
                go_on(index.unsigned_abs() as usize, goes_on)?;
                let upper = &density(index) * &growth;
                add(index, &(&upper * &falls));
                add(if is_made(Mutant::LowerEnd) { index } else { index + 1 }, &upper);
            }
        }
        Bound::Lower => {
            // From half a step before a point to half a step behind it.
            let around = &growth(&half) * &exp(&-share(1, 4), weighting);
            for index in 1 - cells..cells {
                go_on(index.unsigned_abs() as usize, goes_on)?;
                add(index, &(&density(index) * &around));
            }
            let half_cell = growth(&share(1, 4));
            let top = &(&density(cells) * &exp(&-share(1, 4), weighting)) * &half_cell;
            let bottom = &density(-cells) * &half_cell;
            let [full, part] = [step.clone(), share(3, 4)].map(|x| [x.clone(), -x].map(|x| growth(&x)));
            // x·(e^h - 1) = w·(1 - e^(-3h/4)) above, x·(1 - e^-h) = w·(e^(3h/4) - 1) below.
            let above = -&(&top * &part[1]).div(&full[0], bits).expect("positive");
            let below = -&(&bottom * &part[0]).div(&full[1], bits).expect("negative");
            for (to, from, half_cell, moved) in
                [(cells - 1, cells - 2, &top, &above), (1 - cells, 2 - cells, &bottom, &below)]
            {
                add(to, &(half_cell + moved));
                add(from, &-moved);
            }
        }
    }
    let loss = |index: usize| Rational::from(index as i64 - cells) * step;
    Ok(Points::new(masses.into_iter().enumerate().map(|(index, mass)| (loss(index), mass))))
}
