//! Deliberate mistakes, which the tests must notice. Outside of tests none is made.

/// A mistake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mutant {
    /// Masses of single releases are rounded to the other side.
    Rounding,
    /// Convolutions are rounded to the other side.
    Convolution,
    /// What an upper bound cuts off is not counted as missing.
    Cut,
    /// What lies beyond the lattice of a release is not counted as infinite.
    Tail,
    /// Only one direction is looked at, the one with the unit against the one without it.
    OneDirection,
    /// `P` and `Q` are exchanged where they must not be.
    Turned,
    /// A cell goes to its lower end.
    LowerEnd,
    /// Infinite losses of two releases count as one.
    Infinite,
}

#[cfg(test)]
thread_local! {
    static MADE: std::cell::Cell<Option<Mutant>> = const { std::cell::Cell::new(None) };
}

/// Whether this mistake is made.
#[cfg(test)]
pub(crate) fn is_made(mutant: Mutant) -> bool {
    MADE.get() == Some(mutant)
}

/// Whether this mistake is made: never.
#[cfg(not(test))]
pub(crate) const fn is_made(_: Mutant) -> bool {
    false
}

#[cfg(test)]
mod tests {
    use lastbit_real::{Dyadic, Enclosure, Rational, exp_rational, expm1_rational};

    use super::*;
    use crate::convolve::Convolver;
    use crate::distribution::{Bound, Distribution};
    use crate::mass::{Mass, Precision, Weighting};
    use crate::mechanism::Direction;
    use crate::{Composition, Mechanism};

    fn rational(text: &str) -> Rational {
        text.parse().unwrap()
    }

    fn composition(terms: &[(Mechanism, u64)]) -> Composition {
        let mut composition = Composition::new();
        for (mechanism, times) in terms {
            composition.add(mechanism.clone(), *times).unwrap();
        }
        composition
    }

    /// `δ(ε)` of a composition, and the truth.
    struct Case {
        releases: Composition,
        epsilon: Rational,
        truth: Enclosure,
    }

    const BITS: u32 = 400;

    /// `(1 - e^(ε-kε₀))·q^k + …` for `k` randomized responses.
    fn responses(k: u64) -> Case {
        let (one, epsilon) = (Rational::ONE, rational("1/2"));
        let enclosed = |x: Rational| Enclosure::of_rational(&x, BITS);
        let exp = |x: Rational| exp_rational(&x, BITS).unwrap();
        let truth =
            (0..=k).filter(|against| 2 * against < k).fold(enclosed(Rational::ZERO), |sum, against| {
                let loss = Rational::from(k - 2 * against);
                let ways = (0..against)
                    .fold(one.clone(), |ways, i| ways * Rational::from(k - i) / Rational::from(i + 1));
                // e^-against/(1 + e^-1)^k
                let log = log1p(exp(-one.clone()));
                let power = (&enclosed(-Rational::from(against)) - &(&enclosed(Rational::from(k)) * &log))
                    .exp(BITS)
                    .unwrap();
                let gap = &enclosed(one.clone()) - &exp(&epsilon - loss);
                &sum + &(&(&enclosed(ways) * &power) * &gap)
            });
        let mechanism = Mechanism::RandomizedResponse { epsilon: one };
        Case { releases: composition(&[(mechanism, k)]), epsilon, truth }
    }

    fn log1p(x: Enclosure) -> Enclosure {
        x.log1p(BITS).unwrap()
    }

    fn finite(outputs: &[(&str, &str)], times: u64, epsilon: &str, truth: &str) -> Case {
        let outputs = outputs.iter().map(|(p, q)| (rational(p), rational(q))).collect();
        Case {
            releases: composition(&[(Mechanism::Finite { outputs }, times)]),
            epsilon: rational(epsilon),
            truth: Enclosure::of_rational(&rational(truth), BITS),
        }
    }

    /// `1 - e^((ε-ε₀)/2)` for one release with real Laplace noise, together with one of no loss.
    fn laplace() -> Case {
        let nothing = Mechanism::Approximate { epsilon: Rational::ZERO, delta: Rational::ZERO };
        let truth = -&expm1_rational(&rational("-1/2"), BITS).unwrap();
        let noise = Mechanism::Laplace { epsilon: rational("2") };
        Case { releases: composition(&[(noise, 1), (nothing, 1)]), epsilon: rational("1"), truth }
    }

    /// Discrete Gaussian noise of variance 1 at distance 1, on a lattice that is cut short at `x = -4`: at `ε = 5` all that counts lies beyond.
    fn tail_beyond_the_lattice_is_counted() -> bool {
        let exp = |x: Rational| exp_rational(&x, BITS).unwrap();
        let weight = |x: i64| exp(-(Rational::from(x).pow(2) * rational("1/2")));
        let zero = Enclosure::of_rational(&Rational::ZERO, BITS);
        let (epsilon, total) = (rational("5"), (-60..=60).fold(zero.clone(), |sum, x| &sum + &weight(x)));
        let excess = |x: i64| (&weight(x) - &(&exp(epsilon.clone()) * &weight(x - 1))).max(&zero);
        let sum = (-60..=60).fold(zero.clone(), |sum, x| &sum + &excess(x));
        let truth = sum.div(&total, BITS).unwrap();
        let noise = Mechanism::DiscreteGaussian { variance: Rational::ONE, sensitivity: 1 };
        let weighting = Weighting { precision: Precision::Bits60, tilt: Rational::ONE, tail: 4 };
        let law = noise.law(&weighting, &Rational::ONE, 1, &|| true).unwrap();
        let bound =
            |bound| law.distribution(Direction::Remove, bound, &weighting, &|| true).unwrap().delta(&epsilon);
        bound(Bound::Lower) <= Rational::from(truth.hi()) && bound(Bound::Upper) >= Rational::from(truth.lo())
    }

    fn holds(case: &Case) -> bool {
        let found = case.releases.delta(&case.epsilon).unwrap();
        // Not wider than what the truth is known to.
        let [lo, hi] = [case.truth.lo(), case.truth.hi()].map(Rational::from);
        found.lower <= hi && found.upper.unwrap() >= lo
    }

    /// `(1/10 - e/100)`: the other direction has nothing at `ε = 1`. Both are looked at, so that turning one round alone must be noticed in the other.
    fn two_answers() -> Case {
        let mut case = finite(&[("9/10", "99/100"), ("1/10", "1/100")], 1, "1", "1/10");
        let e = exp_rational(&Rational::ONE, BITS).unwrap();
        case.truth = &case.truth - &(&e * &Enclosure::of_rational(&rational("1/100"), BITS));
        case
    }

    /// Losses 0 and 3 of two releases, of which the second is so rare that it is cut off from the sum: the upper bound on `δ(2)` counts it still.
    fn cut_tail_is_counted() -> bool {
        let rare = Mass([3, 0, 0]);
        let precision = Precision::Bits60;
        let one = Distribution {
            bound: Bound::Upper,
            weighting: Weighting { precision, tilt: Rational::ZERO, tail: 60 },
            shift: 0,
            step: Rational::ONE,
            first: Rational::ZERO,
            masses: vec![Mass([1 << 59, 0, 0]), Mass::ZERO, Mass::ZERO, rare],
            infinite: Dyadic::ZERO,
            missing: Dyadic::ZERO,
        };
        let sum = one.power(2, &mut Convolver::new(precision), &|| true).unwrap();
        let gap = -Rational::from(expm1_rational(&-Rational::ONE, 64).unwrap().hi());
        sum.delta(&rational("2")) >= Rational::from(3) * Rational::pow2(-60) * gap
    }

    /// With each mistake some bound is false, and without one none.
    #[test]
    fn mistakes_are_noticed() {
        let leak = [("3/4", "1"), ("1/4", "0")];
        let gain = [("1", "3/4"), ("0", "1/4")];
        let of = |case: Case| -> Box<dyn Fn() -> bool> { Box::new(move || holds(&case)) };
        let cases: [(Mutant, Box<dyn Fn() -> bool>); 8] = [
            (Mutant::Rounding, of(responses(3))),
            (Mutant::Convolution, of(responses(1001))),
            (Mutant::Cut, Box::new(cut_tail_is_counted)),
            (Mutant::Tail, Box::new(tail_beyond_the_lattice_is_counted)),
            (Mutant::OneDirection, of(finite(&gain, 1, "1", "1/4"))),
            (Mutant::Turned, of(two_answers())),
            (Mutant::LowerEnd, of(laplace())),
            (Mutant::Infinite, of(finite(&leak, 2, "3", "7/16"))),
        ];
        for (mutant, holds) in &cases {
            assert!(holds(), "{mutant:?}");
            MADE.set(Some(*mutant));
            let is_noticed = !holds();
            MADE.set(None);
            assert!(is_noticed, "{mutant:?}");
        }
    }
}
