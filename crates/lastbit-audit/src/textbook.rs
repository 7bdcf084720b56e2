//! The textbook Laplace mechanism in floating point, `w = f ⊕ s ⊗ y(u)`, one output at a time.

use lastbit_real::{Float, IBig};

use crate::snapping::FloatNoise;
use crate::{Outcome, Sampler};

/// The exact weight of the output `w`, over `2·total` of the sampler.
///
/// ```
/// use lastbit_audit::{Sampler, textbook};
/// use lastbit_audit::snapping::{FloatNoise, Scaling};
///
/// // The double next to 0 comes from 0, and never from 1.
/// let noise = FloatNoise { scaling: Scaling::Divide(1.0), ln_shift: 0 };
/// let weight = |f| textbook::weight(&noise, Sampler::Grid53, f, -f64::EPSILON / 2.0);
/// assert_eq!([weight(0.0), weight(1.0)], [1.into(), 0.into()]);
/// ```
pub fn weight(noise: &FloatNoise, sampler: Sampler, f: f64, w: f64) -> IBig {
    let above = Float::next_up(w);
    let below = |u: f64| sampler.weight_below(u);
    let plus = below(noise.least_u_plus(f, above)) - below(noise.least_u_plus(f, w));
    let minus = below(noise.least_u_minus(f, w)) - below(noise.least_u_minus(f, above));
    plus + minus
}

/// The weights of an output under two inputs.
pub fn outcome(noise: &FloatNoise, sampler: Sampler, inputs: [f64; 2], w: f64) -> Outcome<f64> {
    Outcome::exact(w, inputs.map(|f| weight(noise, sampler, f, w)))
}
