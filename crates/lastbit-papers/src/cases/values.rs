//! What the formulas of a case are worth.

use lastbit_audit::ExponentialSum;
use lastbit_real::{Enclosure, IBig, Rational};

/// The numbers of a case that has outputs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Values {
    /// The least and the greatest output.
    pub outputs: [Rational; 2],
    /// The number of outputs.
    pub count: IBig,
    /// `P[f]` and `P[f']`, both positive.
    pub probabilities: [ExponentialSum; 2],
    /// `ln(P[f]/P[f'])`, if it is a rational.
    pub exact_ln_ratio: Option<Rational>,
    /// Whether `|ln(P[f]/P[f'])| <= ε|f - f'|`. Decided exactly.
    pub within: bool,
}

/// The rational `a` with `p = e^a·q`, if there is one.
fn ln_quotient(p: &ExponentialSum, q: &ExponentialSum) -> Option<Rational> {
    let greatest = |sum: &ExponentialSum| sum.terms().last().map(|(_, exponent)| exponent.clone());
    let a = greatest(p)? - greatest(q)?;
    (*p == &ExponentialSum::term(Rational::ONE, a.clone()) * q).then_some(a)
}

impl Values {
    /// The numbers for positive probabilities, where the logarithm of the ratio should be at most `claimed` in magnitude.
    pub(super) fn new(
        outputs: [Rational; 2],
        count: IBig,
        probabilities: [ExponentialSum; 2],
        claimed: &Rational,
    ) -> Values {
        let [p, q] = &probabilities;
        let bound = ExponentialSum::term(Rational::ONE, claimed.clone());
        // Sums of exponentials have an exact sign, so that equality is seen.
        let at_most = |a: &ExponentialSum, b: &ExponentialSum| (&(&bound * b) - a).sign().is_ge();
        let within = at_most(p, q) && at_most(q, p);
        Values { outputs, count, exact_ln_ratio: ln_quotient(p, q), within, probabilities }
    }

    /// `P[f]/P[f']`, at most about `2^-bits` of it wide.
    pub fn ratio(&self, bits: u32) -> Enclosure {
        quotient(&self.probabilities, bits)
    }

    /// `ln(P[f]/P[f'])`, at most `2^-bits` of it wide.
    pub fn ln_ratio(&self, bits: u32) -> Enclosure {
        if let Some(exact) = &self.exact_ln_ratio {
            return Enclosure::of_rational(exact, bits);
        }
        let mut working = bits + 16;
        loop {
            let ln = self.ratio(working).ln(working).expect("a ratio of positive numbers");
            // It is not 0, so that enough bits tell it from 0.
            if ln.width() <= ln.abs().lo().shl(-i64::from(bits)) {
                return ln;
            }
            working *= 2;
        }
    }
}

/// `p/q` for positive numbers.
pub(super) fn quotient([p, q]: &[ExponentialSum; 2], bits: u32) -> Enclosure {
    let working = bits + 4;
    p.enclose_to(working).div(&q.enclose_to(working), working).expect("a positive divisor")
}
