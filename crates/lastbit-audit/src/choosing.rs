//! The exact probabilities of mechanisms that choose one of several candidates.

use lastbit_real::{Dyadic, Enclosure, Rational, exp_rational};

use crate::ExponentialSum;

/// The probability of each candidate under report noisy max with exponential noise of scale `b`, in closed form.
///
/// Let `p_i = e^((s_i - max s)/b)`. Given `E_i = t`, candidate `i` wins with probability `Π_{j≠i} (1 - e^-t·p_j/p_i)` if `t >= (max s -
/// s_i)/b`, that is if `v = e^-t` is at most `p_i`, and else never. Integrated over `v`, which is uniform,
///
/// `P(i) = ∫₀^p_i Π_{j≠i} (1 - v·p_j/p_i) dv = p_i·Σ_k (-1)^k/(k+1)·e_k(p_j, j≠i)`,
///
/// where `e_k` is the `k`-th elementary symmetric polynomial.
///
/// ```
/// use lastbit_audit::choosing::noisy_max;
/// use lastbit_real::Rational;
/// let two = noisy_max(&[Rational::from(3), Rational::ZERO], &Rational::ONE);
/// assert_eq!(two[0].to_string(), "1 - 1/2·e^-3");
/// assert_eq!(two[1].to_string(), "1/2·e^-3");
/// ```
///
/// # Panics
/// If there is no score or the scale is 0.
pub fn noisy_max(scores: &[Rational], scale: &Rational) -> Vec<ExponentialSum> {
    let best = scores.iter().max().expect("at least one candidate");
    let exponents: Vec<Rational> = scores.iter().map(|score| (score - best) / scale).collect();
    let one = ExponentialSum::from(Rational::ONE);
    let of = |i: usize| {
        // The coefficients of Π (1 + p_j·z) are the elementary symmetric polynomials.
        let mut symmetric = vec![one.clone()];
        for (_, exponent) in exponents.iter().enumerate().filter(|(j, _)| *j != i) {
            let p = ExponentialSum::term(Rational::ONE, exponent.clone());
            symmetric.push(ExponentialSum::default());
            for k in (1..symmetric.len()).rev() {
                symmetric[k] = &symmetric[k] + &(&symmetric[k - 1] * &p);
            }
        }
        let sum = symmetric.iter().enumerate().fold(ExponentialSum::default(), |sum, (k, term)| {
            let sign = if k % 2 == 0 { Rational::ONE } else { -Rational::ONE };
            let factor = ExponentialSum::from(sign / Rational::from(k as u64 + 1));
            &sum + &(&factor * term)
        });
        &sum * &ExponentialSum::term(Rational::ONE, exponents[i].clone())
    };
    (0..scores.len()).map(of).collect()
}

/// The probability of each candidate under the exponential mechanism of scale `b`: `w_i·e^(s_i/b)` over their sum, enclosed to about `bits`.
///
/// # Panics
/// If there is no score, a weight is missing or not positive, or the scale is 0.
pub fn exponential(scores: &[Rational], weights: &[Rational], scale: &Rational, bits: u32) -> Vec<Enclosure> {
    assert_eq!(scores.len(), weights.len(), "one weight for each score");
    let best = scores.iter().max().expect("at least one candidate");
    let parts: Vec<Enclosure> = scores
        .iter()
        .zip(weights)
        .map(|(score, weight)| {
            let exp =
                exp_rational(&((score - best) / scale), bits + 8).expect("an exponent that is not huge");
            &exp * &Enclosure::of_rational(weight, bits + 8)
        })
        .collect();
    let total = parts.iter().fold(Enclosure::exact(Dyadic::ZERO), |sum, part| &sum + part);
    parts.iter().map(|part| part.div(&total, bits + 8).expect("a positive sum")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rationals<const N: usize>(texts: [&str; N]) -> [Rational; N] {
        texts.map(|text| text.parse().unwrap())
    }

    /// Permute-and-flip by its own definition: a random one of those that remain is taken with probability `p_i`, else it is out.
    fn permute_and_flip(p: &[ExponentialSum], remain: &[usize], i: usize) -> ExponentialSum {
        let one = ExponentialSum::from(Rational::ONE);
        let share = ExponentialSum::from(Rational::new(1, remain.len() as u64).unwrap());
        let terms: Vec<ExponentialSum> = remain
            .iter()
            .filter(|j| **j == i || remain.contains(&i))
            .map(|&j| match j == i {
                true => p[i].clone(),
                false => {
                    let others: Vec<usize> = remain.iter().copied().filter(|k| *k != j).collect();
                    &(&one - &p[j]) * &permute_and_flip(p, &others, i)
                }
            })
            .collect();
        &share * &terms.iter().sum::<ExponentialSum>()
    }

    /// Noisy max with exponential noise is permute-and-flip: the same sums of exponentials, term by term.
    #[test]
    fn noisy_max_is_permute_and_flip() {
        for scores in [
            rationals(["0", "0", "0", "0"]),
            rationals(["1", "0", "3", "5/2"]),
            rationals(["-1/3", "7", "7", "6.9"]),
        ] {
            let scale: Rational = "2/3".parse().unwrap();
            let best = scores.iter().max().unwrap();
            let p: Vec<ExponentialSum> = scores
                .iter()
                .map(|score| ExponentialSum::term(Rational::ONE, (score - best) / &scale))
                .collect();
            let probabilities = noisy_max(&scores, &scale);
            for (i, probability) in probabilities.iter().enumerate() {
                assert_eq!(*probability, permute_and_flip(&p, &[0, 1, 2, 3], i), "{scores:?} {i}");
            }
            assert_eq!(probabilities.iter().sum::<ExponentialSum>(), ExponentialSum::from(Rational::ONE));
        }
    }

    #[test]
    fn softmax() {
        let [one, two] = exponential(&rationals(["0", "0"]), &rationals(["1", "3"]), &Rational::ONE, 100)
            .try_into()
            .unwrap();
        assert!(one.contains(&"1/4".parse().unwrap()) && two.contains(&"3/4".parse().unwrap()));
        let lower = &exponential(&rationals(["0", "1"]), &rationals(["1", "1"]), &Rational::ONE, 100)[0];
        assert!(
            (Rational::from(lower.lo()) - "0.26894142136999512".parse::<Rational>().unwrap()).abs()
                < Rational::pow2(-50)
        );
    }
}
