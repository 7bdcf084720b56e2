//! Discrete Laplace noise that is fine beside the sensitivity, such as noise on a grid: outputs are taken together, as those of real noise are.

use lastbit_real::{Dyadic, Enclosure, IBig, Rational, exp_rational};

use crate::cells::{Cell, Cells};
use crate::mass::Weighting;

/// With more steps between neighbours than this, losses are not told apart one by one.
pub(super) const FEW: u64 = 4096;

/// The outputs between points of the lattice, moved by `shift` steps, by their losses.
///
/// With `q = e^(-1/s)` the output `z` has a probability proportional to `q^|z|` under `P` and to `q^|z-Δ|` under `Q`, so that of `a <= z < b`, between 1
/// and Δ, it is `q^a·(1 - q^(b-a))/(1+q)` and `q^(Δ-b+1)·(1 - q^(b-a))/(1+q)`. Such an output loses `(Δ-2z)/s`; all below 1 lose `Δ/s`, and all
/// from Δ on `-Δ/s`.
pub(super) fn cells(
    scale: &Rational,
    sensitivity: u64,
    step: &Rational,
    shift: &Rational,
    weighting: &Weighting,
) -> Cells {
    let bits = weighting.bits().max(120);
    let one = Enclosure::exact(Dyadic::ONE);
    let power = |z: &IBig| {
        let exponent = -(Rational::from(z.clone()) / scale);
        exp_rational(&exponent, bits).expect("losses are limited")
    };
    let all = &one + &power(&IBig::ONE);
    let share = |of: Enclosure| of.div(&all, bits).expect("above 1");
    let distance = IBig::from(sensitivity);
    let place = |z: &IBig| Rational::from(&distance - IBig::from(2) * z) / (scale * step);
    let small = |index: IBig| i64::try_from(index).expect("limited by the caller");
    // Outputs with losses from that of the largest to that of the least.
    let cell = |p: Enclosure, q: Enclosure, largest: &IBig, least: &IBig| Cell {
        p,
        q,
        from: Some(small(place(largest).floor())),
        to: Some(small(place(least).ceil())),
    };
    let far = share(power(&distance));
    let mut cells = vec![cell(far.clone(), share(one.clone()), &distance, &distance)];
    let most = small((place(&IBig::ZERO)).ceil());
    // Where the cell before ended: outputs from here on have been taken.
    let mut end = distance.clone();
    for index in -most..=most {
        let loss = (Rational::from(index) + shift) * step;
        // The least output that loses no more than that.
        let cut = ((Rational::from(distance.clone()) - loss * scale) * Rational::pow2(-1)).ceil();
        let cut = cut.max(IBig::ONE);
        if cut >= end {
            continue;
        }
        let within = &one - &power(&(&end - &cut));
        let p = share(&power(&cut) * &within);
        let q = share(&power(&(&distance - &end + IBig::ONE)) * &within);
        cells.push(cell(p.round(bits), q.round(bits), &(&end - IBig::ONE), &cut));
        end = cut;
    }
    if end > IBig::ONE {
        let within = &one - &power(&(&end - IBig::ONE));
        let p = share(&power(&IBig::ONE) * &within);
        let q = share(&power(&(&distance - &end + IBig::ONE)) * &within);
        cells.push(cell(p.round(bits), q.round(bits), &(&end - IBig::ONE), &IBig::ONE));
    }
    cells.push(cell(share(one.clone()), far, &IBig::ZERO, &IBig::ZERO));
    Cells { step: step.clone(), offset: Rational::ZERO, cells }
}
