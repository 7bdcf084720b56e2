//! The outputs of a pair that may lose most.

use lastbit_real::{Rational, Rounding};

use super::Variant;

/// How many are chosen at equal distances.
const SPREAD: i64 = 8;
/// How many are chosen next to the ends.
const NEXT_TO_END: i64 = 2;

/// The numbers of outputs to look at for two inputs, in increasing order: all that either can give if they are no more than `all`;
/// otherwise those where most can go wrong, and some others. The ends are always among them.
///
/// - the ends, and where the reach of the noise ends;
/// - those next to the inputs, and 0;
/// - those where the logarithm or the noise passes a power of two: a rounding error is half a unit in the last place, which is
///   largest relative to the number just above it.
pub fn outputs_of_interest(variant: &Variant, inputs: [f64; 2], all: i64) -> Vec<i64> {
    let mechanism = &variant.mechanism;
    let top = mechanism.top();
    let (first, last) = variant.numbers(inputs).into_inner();
    let mut numbers = vec![-top, top];
    if last - first < all {
        numbers.extend(first..=last);
    } else {
        for end in [-top, first, last, top] {
            numbers.extend(end - NEXT_TO_END..=end + NEXT_TO_END);
        }
        numbers.push(0);
        let starts = inputs.map(|f| variant.start(f));
        for x in starts {
            let number = mechanism.number_of(x);
            numbers.extend(number - 1..=number + 1);
            for distance in powers_of_two_passed(variant, x) {
                numbers.extend([x - distance, x + distance].map(|w| mechanism.number_of(w)));
            }
        }
        numbers.extend((1..SPREAD).map(|i| first + i * (last - first) / SPREAD));
        numbers.retain(|k| (first..=last).contains(k) || k.abs() == top);
    }
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// Distances from an input, up to the farther end, at which the noise or its logarithm is the largest or second largest power of
/// two.
pub(super) fn powers_of_two_passed(variant: &Variant, x: f64) -> Vec<f64> {
    let mechanism = &variant.mechanism;
    let scale = mechanism.rate().recip().expect("positive").to_f64(Rounding::Nearest);
    let most = (mechanism.bound() + x.abs()).min(variant.farthest().abs());
    let largest = |unit: f64| {
        let power = Rational::try_from(most / unit).ok().and_then(|most| most.floor_log2());
        power.into_iter().flat_map(move |power| {
            [power, power - 1].map(|power| Rational::pow2(power).to_f64(Rounding::Nearest) * unit)
        })
    };
    largest(1.0).chain(largest(scale)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Sampler;
    use crate::snapping::{FloatSnap, Noise};
    use lastbit_lang::Tie;

    fn variant(bound: f64) -> Variant {
        let noise = Noise::Divided { epsilon: Rational::ONE };
        Variant::of(FloatSnap::new(noise, bound, None, Tie::Up, Sampler::Ulp).unwrap())
    }

    #[test]
    fn few_are_all() {
        assert_eq!(outputs_of_interest(&variant(3.5), [0.0, 1.0], 64), [-4, -3, -2, -1, 0, 1, 2, 3, 4]);
    }

    #[test]
    fn many_are_chosen() {
        let chosen = outputs_of_interest(&variant(300.0), [299.0, 300.0], 64);
        assert!(chosen.len() < 64 && chosen.is_sorted());
        // 300 - 512 lies between the ends: the logarithm is just above 512 there.
        for k in [-300, -299, -212, 0, 44, 299, 300] {
            assert!(chosen.contains(&k), "{k}: {chosen:?}");
        }
    }

    /// What no noise reaches is left out, but for the ends.
    #[test]
    fn out_of_reach() {
        let chosen = outputs_of_interest(&variant(1e6), [0.0, 1.0], 64);
        assert!(chosen.iter().all(|k| k.abs() <= 746 || k.abs() == 1_000_000));
        assert_eq!((chosen[0], *chosen.last().unwrap()), (-1_000_000, 1_000_000));
    }
}
