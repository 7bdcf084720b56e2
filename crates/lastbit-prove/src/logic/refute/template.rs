//! Which events are tried: what a group of paths returns, and for numbers with noise a side far out.

use lastbit_real::Rational;

/// A half-line of an output, from where it would be without noise.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Tail {
    /// Above or below.
    pub(super) up: bool,
    /// How far; negative where the half-line reaches beyond that place.
    pub(super) far: Rational,
}

/// An event whose numbers depend on the inputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Template {
    /// The index of the group of paths.
    pub(super) group: usize,
    /// For every output a half-line, if it is noisy and one is wanted.
    pub(super) tails: Vec<Option<Tail>>,
}

impl Template {
    /// The templates of a group: no half-lines; one on every noisy output, all to the same side, as far as each of `distances`; and on one
    /// output only, as far as `single`.
    pub(super) fn all(
        group: usize,
        noisy: &[bool],
        distances: &[Rational],
        single: &Rational,
    ) -> Vec<Template> {
        let with = |far: &Rational, up: bool, at: &dyn Fn(usize) -> bool| {
            let tail = |place: usize| (noisy[place] && at(place)).then(|| Tail { up, far: far.clone() });
            Template { group, tails: (0..noisy.len()).map(tail).collect() }
        };
        let places: Vec<usize> = (0..noisy.len()).filter(|place| noisy[*place]).collect();
        let mut all = vec![with(single, false, &|_| false)];
        if !places.is_empty() {
            for far in distances {
                all.extend([false, true].map(|up| with(far, up, &|_| true)));
            }
        }
        if places.len() > 1 {
            for only in places {
                all.extend([false, true].map(|up| with(single, up, &|place| place == only)));
            }
        }
        all
    }
}
