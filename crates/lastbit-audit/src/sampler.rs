//! What `u` can be, and how likely.

use lastbit_lang::Format;
use lastbit_lang::ast;
use lastbit_real::{Dyadic, Float, IBig};

/// The distribution of `u`, a float of (0, 1). The values are numbered in increasing order, from 1 to `end() - 1`; `end()`
/// stands for `u = 1`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Sampler {
    /// Every double with probability proportional to its ulp.
    #[default]
    Ulp,
    /// Every float of binary32 with probability proportional to its ulp.
    UlpSingle,
    /// `k·2⁻⁵³`, with `k` uniform in `1..2⁵³`.
    Grid53,
    /// `k·2⁻²⁴`, with `k` uniform in `1..2²⁴`.
    Grid24,
    /// `k·2⁻⁸`: few enough to try all of them for very many programs.
    #[cfg(test)]
    Grid8,
}

impl Sampler {
    /// The sampler that a program of this format declares.
    pub fn declared(sampler: ast::Sampler, format: Format) -> Sampler {
        match (sampler, format) {
            (ast::Sampler::Ulp, Format::Binary64) => Sampler::Ulp,
            (ast::Sampler::Ulp, Format::Binary32) => Sampler::UlpSingle,
            (ast::Sampler::Grid53, _) => Sampler::Grid53,
            (ast::Sampler::Grid24, _) => Sampler::Grid24,
        }
    }

    /// The sampler's name.
    pub fn name(self) -> &'static str {
        match self {
            Sampler::Ulp => "ulp",
            Sampler::UlpSingle => "ulp of binary32",
            Sampler::Grid53 => "grid53",
            Sampler::Grid24 => "grid24",
            #[cfg(test)]
            Sampler::Grid8 => "grid8",
        }
    }

    /// A description of the values that are drawn.
    pub fn describe(self) -> &'static str {
        match self {
            Sampler::Ulp => "every double of (0, 1), by its ulp",
            Sampler::UlpSingle => "every float of binary32 in (0, 1), by its ulp",
            Sampler::Grid53 => "k·2^-53",
            Sampler::Grid24 => "k·2^-24",
            #[cfg(test)]
            Sampler::Grid8 => "k·2^-8",
        }
    }

    /// The least `u`, which is also the unit of the weights.
    pub fn least(self) -> Dyadic {
        Dyadic::pow2(self.unit_exponent())
    }

    fn unit_exponent(self) -> i64 {
        match self {
            Sampler::Ulp => i64::from(f64::MIN_EXPONENT),
            Sampler::UlpSingle => i64::from(f32::MIN_EXPONENT),
            Sampler::Grid53 => -53,
            Sampler::Grid24 => -24,
            #[cfg(test)]
            Sampler::Grid8 => -8,
        }
    }

    /// The number of 1.
    pub(crate) fn end(self) -> u64 {
        match self {
            Sampler::Ulp => 1f64.to_bits(),
            Sampler::UlpSingle => 1f32.to_bits().into(),
            Sampler::Grid53 => 1 << 53,
            Sampler::Grid24 => 1 << 24,
            #[cfg(test)]
            Sampler::Grid8 => 1 << 8,
        }
    }

    /// The value of a number; all samplers' values are doubles.
    pub fn value(self, number: u64) -> f64 {
        match self {
            Sampler::Ulp => f64::from_bits(number),
            Sampler::UlpSingle => f32::from_bits(number as u32).into(),
            // Both factors and the product are doubles: numbers have at most 53 bits, but for 2⁵³ itself.
            Sampler::Grid53 => number as f64 * (0.5 / (1u64 << 52) as f64),
            Sampler::Grid24 => number as f64 * (0.5 / (1u64 << 23) as f64),
            #[cfg(test)]
            Sampler::Grid8 => number as f64 * (0.5 / (1u64 << 7) as f64),
        }
    }

    /// The number of the least value that is at least `v`, for `v` in (0, 1].
    pub fn number_at_least(self, v: f64) -> u64 {
        match self {
            Sampler::Ulp => v.to_bits(),
            Sampler::UlpSingle => {
                let single = v as f32;
                u64::from(single.to_bits()) + u64::from(f64::from(single) < v)
            }
            // Scaling up by a power of two is exact.
            _ => (v * 2f64.powi(-self.unit_exponent() as i32)).ceil() as u64,
        }
    }

    /// The weight of `{u < v}`, for a double `v` of (0, 1] of which every float from the least up to `v` is a value or lies
    /// between two: floats below `v` fill `(0, v)` with their ulps, but for the least one's first unit.
    pub fn weight_below(self, v: f64) -> IBig {
        let v = match self {
            Sampler::UlpSingle => self.value(self.number_at_least(v)),
            _ => v,
        };
        let v = v.to_dyadic().expect("in (0, 1]");
        v.shl(-self.unit_exponent()).ceil() - IBig::ONE
    }

    /// The weight of all values.
    pub fn total(self) -> IBig {
        self.weight_below(1.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [Sampler; 5] =
        [Sampler::Ulp, Sampler::UlpSingle, Sampler::Grid53, Sampler::Grid24, Sampler::Grid8];

    /// The weight of a value is what lies between it and the next, in units of the least.
    #[test]
    fn weights_are_gaps() {
        for sampler in ALL {
            let end = sampler.end();
            for number in [1, 2, 3, end / 7, end / 3, end - 2, end - 1] {
                let [here, next] = [number, number + 1].map(|n| sampler.value(n));
                let weight = sampler.weight_below(next) - sampler.weight_below(here);
                let gap = next.to_dyadic().unwrap() - here.to_dyadic().unwrap();
                assert_eq!(Dyadic::from(weight) * sampler.least(), gap, "{sampler:?} {number}");
                assert_eq!(sampler.number_at_least(here), number);
                assert_eq!(sampler.number_at_least(here.next_up()), number + 1);
            }
            assert_eq!(sampler.weight_below(sampler.value(1)), IBig::ZERO);
            assert_eq!(sampler.value(end), 1.0);
        }
    }

    #[test]
    fn the_total_is_what_the_least_value_leaves() {
        assert_eq!(Sampler::Grid24.total(), IBig::from((1 << 24) - 1));
        assert_eq!(Sampler::Ulp.total(), (IBig::ONE << 1074) - IBig::ONE);
    }
}
