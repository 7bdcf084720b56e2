//! Variances and standard deviations from their noisy parts.

use lastbit_real::{IBig, Rational, Rounding};
use lastbit_table::Spread;

use super::values::Value;

/// Digits of roots.
const DIGITS: usize = 17;

/// Bits of roots before they are rounded to digits.
const BITS: i64 = 64;

/// A noisy integer, how far off it may be, and what a step of it means.
pub(super) struct Total {
    pub(super) noisy: IBig,
    pub(super) off: IBig,
    pub(super) step: Rational,
}

impl Total {
    /// The least and the largest that it may stand for.
    fn ends(&self) -> [Rational; 2] {
        [&self.noisy - &self.off, &self.noisy + &self.off].map(|end| Rational::from(end) * &self.step)
    }

    fn value(&self) -> Rational {
        Rational::from(self.noisy.clone()) * &self.step
    }
}

/// The variance, or its root, of the sum of distances, the number of values and the sum of squared distances.
pub(super) fn value(spread: &Spread, is_root: bool, totals: &[Total; 3]) -> Value {
    let (value, [low, high]) = variance(spread, totals);
    match is_root {
        false => Value::between(value, [low, high]),
        true => {
            let ends = [root(&low, Rounding::Down), root(&high, Rounding::Up)];
            Value::between(root(&value, Rounding::Nearest), ends)
        }
    }
}

/// The mean of squared distances less the square of the mean distance, from 0 to the largest variance that there can be.
///
/// A noisy number of values may be anything; from 1 on it is divided by. The interval is that of all sums and numbers within theirs; if the number may
/// be 0, nothing is known but that variance.
fn variance(spread: &Spread, [distances, number, squares]: &[Total; 3]) -> (Rational, [Rational; 2]) {
    let within = |x: Rational| x.max(Rational::ZERO).min(spread.largest.clone());
    let one = |number: Rational| number.max(Rational::ONE).recip().unwrap_or_default();
    // With u for one over the number, v for the squares and t for the distances.
    let at = |u: &Rational, v: &Rational, t_squared: &Rational| &spread.centre + v * u - t_squared * u.pow(2);
    let value = within(at(&one(number.value()), &squares.value(), &distances.value().pow(2)));
    let numbers = number.ends();
    if numbers[0] < Rational::ONE {
        return (value, [Rational::ZERO, spread.largest.clone()]);
    }
    let [least, most] = distances.ends();
    let largest_square = least.pow(2).max(most.pow(2));
    let least_square = match least.is_negative() && most.is_positive() {
        true => Rational::ZERO,
        false => least.pow(2).min(most.pow(2)),
    };
    // It grows with v, falls with t², and is concave in u: so it is least at an end of u, and largest at an end or at its top.
    let [few, many] = squares.ends();
    let ends = numbers.map(one);
    let top = top_of(&many, &least_square).filter(|top| *top > ends[1] && *top < ends[0]);
    let low = ends.iter().map(|u| at(u, &few, &largest_square)).min();
    let high = ends.iter().chain(&top).map(|u| at(u, &many, &least_square)).max();
    let [low, high] = [low, high].map(|end| within(end.unwrap_or_default()));
    (value, [low, high])
}

/// Where `v·u - t²·u²` is largest, if anywhere.
fn top_of(v: &Rational, t_squared: &Rational) -> Option<Rational> {
    v.checked_div(&(t_squared * Rational::from(2)))
}

/// The root of a number that is not negative: exact if it is an integer, else rounded to [`DIGITS`] digits.
fn root(square: &Rational, rounding: Rounding) -> Rational {
    let whole = Rational::from(square.floor_sqrt().unwrap_or_default());
    if whole.pow(2) == *square {
        return whole;
    }
    let shift = BITS - square.floor_log2().unwrap_or(0).div_euclid(2);
    let below = (square * Rational::pow2(2 * shift)).floor_sqrt().unwrap_or_default();
    let bound = if rounding == Rounding::Up { below + IBig::ONE } else { below };
    let root = Rational::from(bound) * Rational::pow2(-shift);
    root.to_decimal(DIGITS, rounding).parse().unwrap_or(root)
}

#[cfg(test)]
mod tests {
    use lastbit_table::QueryKind;

    use super::*;

    fn rational(text: &str) -> Rational {
        text.parse().expect("a number")
    }

    /// Of values from 0 to 20, with the centre 10, squares from 0 to 100 around 50.
    fn spread() -> Spread {
        let spec = "[table]\npath = \"-\"\nunit = \"row\"\n[privacy]\nepsilon = 1\n[[query]]\nname = \"v\"\nkind = \"variance\"\ncolumn = \"x\"\n\
                    bounds = [0, 20]\ngrid = 1\n";
        let plan = lastbit_table::Spec::parse(spec, "".as_ref()).expect("a spec").plan().expect("a plan");
        let QueryKind::Variance(spread) = &plan.queries()[0].kind else { panic!("a variance") };
        assert_eq!((&spread.centre, &spread.largest), (&rational("50"), &rational("100")));
        spread.clone()
    }

    fn totals(noisy: [i64; 3], off: [i64; 3]) -> [Total; 3] {
        [0, 1, 2].map(|i| Total { noisy: noisy[i].into(), off: off[i].into(), step: Rational::ONE })
    }

    #[test]
    fn without_noise_it_is_the_population_variance() {
        for values in [vec![0, 20], vec![10], vec![3, 3, 9, 17, 20], vec![0; 7]] {
            let n = values.len() as i64;
            let [sum, squares] =
                [1, 2].map(|power| values.iter().map(|x: &i64| (x - 10).pow(power)).sum::<i64>());
            let found = variance(&spread(), &totals([sum, n, squares - 50 * n], [0; 3]));
            let mean = Rational::new(values.iter().sum::<i64>(), n).expect("a mean");
            let parts = values.iter().map(|x| (Rational::from(*x) - &mean).pow(2));
            let expected = parts.sum::<Rational>() / Rational::from(n);
            assert_eq!((&found.0, &found.1), (&expected, &[expected.clone(), expected.clone()]));
        }
    }

    /// All totals within theirs have their variance within the interval, and its ends are reached, but for numbers between the integers.
    #[test]
    fn intervals_have_all_variances_and_no_more() {
        let spread = spread();
        for (noisy, off) in [
            ([-3, 9, -200], [4, 3, 60]),
            ([30, 12, 100], [5, 6, 90]),
            ([-40, 8, 300], [3, 7, 20]),
            ([2, 40, -1500], [9, 5, 100]),
            ([25, 5, 150], [0, 4, 5]),
        ] {
            let found = variance(&spread, &totals(noisy, off));
            let (value, [low, high]) = &found;
            let (mut least, mut most) = (spread.largest.clone(), Rational::ZERO);
            let range = |i: usize| noisy[i] - off[i]..=noisy[i] + off[i];
            for t in range(0) {
                for n in range(1) {
                    for v in [noisy[2] - off[2], noisy[2], noisy[2] + off[2]] {
                        let one = variance(&spread, &totals([t, n, v], [0; 3])).0;
                        assert!(*low <= one && one <= *high, "{t} {n} {v}");
                        (least, most) = (least.min(one.clone()), most.max(one));
                    }
                }
            }
            assert!(least == *low && &most + rational("1/2") > *high, "{noisy:?}: {most} of {high}");
            assert!(low <= value && value <= high);
        }
        // The number may be 0.
        assert_eq!(variance(&spread, &totals([3, 2, 5], [1, 2, 1])).1, [rational("0"), rational("100")]);
    }

    #[test]
    fn roots_are_rounded_outward() {
        for square in ["2", "1/4", "1e-30", "12345678901234567890", "0", "9"] {
            let square = rational(square);
            let [low, value, high] =
                [Rounding::Down, Rounding::Nearest, Rounding::Up].map(|way| root(&square, way));
            assert!(low.pow(2) <= square && square <= high.pow(2) && low <= value && value <= high);
            assert!(&high - &low <= &high * rational("1e-15"), "{square}");
        }
        assert_eq!(root(&rational("9"), Rounding::Up), rational("3"));
    }
}
