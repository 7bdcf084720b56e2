//! One point against a claim about all of them.

use std::cmp::Ordering;

use lastbit_lang::eval::{EvalError, LibmModel, RealValue, eval_float_exact, eval_real_value};
use lastbit_lang::{Accuracy, StraightLine};
use lastbit_real::Rational;

/// A counterexample to `r ⇓ f : [lo, hi] ± d`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Violation {
    /// The real reading is not defined.
    Real(EvalError),
    /// The float reading is not defined.
    Float(LibmModel, EvalError),
    /// `r` is not in `[lo, hi]`.
    Range(RealValue),
    /// `|f - r| > d`, for this `f` and `r`.
    Distance { model: LibmModel, values: Box<(Rational, RealValue)> },
}

/// What is known of a point that is no counterexample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    /// The claim holds there.
    Holds,
    /// No precision tells: the real value meets a bound, or the place where a choice changes, to thousands of bits.
    Undecided,
}

/// Precisions of the real value, from the one that nearly always decides to the last.
const BITS: [u32; 4] = [128, 512, 2048, 8192];

/// Checks the claim that at these inputs the real reading lies in `[lo, hi]` and the float reading within `d` of it, whichever
/// of the results that it allows the library returns.
///
/// Exact: fractions and enclosures decide, no float does.
pub(crate) fn check_point(
    program: &StraightLine,
    inputs: &[Rational],
    lo: &Rational,
    hi: &Rational,
    d: &Rational,
) -> Result<Verdict, Violation> {
    let exact_library =
        program.libm.ln == Accuracy::CorrectlyRounded && program.libm.exp == Accuracy::CorrectlyRounded;
    let models =
        [LibmModel::Nearest, LibmModel::Up, LibmModel::Down, LibmModel::Seeded(1), LibmModel::Seeded(2)];
    let models = if exact_library { &models[..1] } else { &models[..] };
    let floats: Result<Vec<(LibmModel, Rational)>, Violation> = models
        .iter()
        .map(|&model| match eval_float_exact(program, inputs, model) {
            Ok(float) => Ok((model, float)),
            Err(error) => Err(Violation::Float(model, error)),
        })
        .collect();
    let floats = floats?;

    for bits in BITS {
        let real = match eval_real_value(program, inputs, bits) {
            Ok(real) => real,
            Err(EvalError::Undecided { .. }) => return Ok(Verdict::Undecided),
            Err(error) => return Err(Violation::Real(error)),
        };
        let in_range = is_between(&real, lo, hi);
        if in_range == Some(false) {
            return Err(Violation::Range(real));
        }
        let mut decided = in_range.is_some();
        for (model, float) in &floats {
            match is_between(&real, &(float - d), &(float + d)) {
                Some(true) => {}
                Some(false) => {
                    let values = Box::new((float.clone(), real));
                    return Err(Violation::Distance { model: *model, values });
                }
                None => decided = false,
            }
        }
        if decided {
            return Ok(Verdict::Holds);
        }
    }
    Ok(Verdict::Undecided)
}

/// Whether the number lies in `[lo, hi]`, if that is known.
fn is_between(value: &RealValue, lo: &Rational, hi: &Rational) -> Option<bool> {
    if let RealValue::Exact(value) = value {
        return Some(lo <= value && value <= hi);
    }
    let enclosure = value.enclosure(0);
    let outside = enclosure.hi().cmp_rational(lo) == Ordering::Less
        || enclosure.lo().cmp_rational(hi) == Ordering::Greater;
    let inside = enclosure.lo().cmp_rational(lo).is_ge() && enclosure.hi().cmp_rational(hi).is_le();
    if outside {
        Some(false)
    } else if inside {
        Some(true)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::random_programs::{random_points, random_program};
    use super::*;

    fn program(source: &str) -> StraightLine {
        lastbit_lang::fpcore::read(source).remove(0).expect("it is in the subset")
    }

    fn rational(text: &str) -> Rational {
        text.parse().expect("a number")
    }

    #[test]
    fn claims_are_decided_to_the_last_bit() {
        // 1 + 2^-53 is a tie: the float is 1, and the distance 2^-53 exactly.
        let tie = program("(FPCore (x) :pre (<= 0 x 1) (+ 1 x))");
        let point = [Rational::pow2(-53)];
        let check = |hi: &Rational, d: &Rational| check_point(&tie, &point, &Rational::ONE, hi, d);
        let (one, two, u) = (rational("1"), rational("2"), Rational::pow2(-53));
        assert_eq!(check(&two, &u), Ok(Verdict::Holds));
        let less = &u - &Rational::pow2(-2000);
        assert!(matches!(check(&two, &less), Err(Violation::Distance { .. })));
        assert!(matches!(check(&one, &u), Err(Violation::Range(_))));
        let at_value = &one + &u;
        assert_eq!(check(&at_value, &u), Ok(Verdict::Holds));
    }

    #[test]
    fn irrational_values_are_decided_too() {
        let log = program("(FPCore (x) :pre (<= 1 x 4) (log x))");
        let point = [rational("2")];
        let (zero, two) = (rational("0"), rational("2"));
        // The double nearest to ln 2 is 2.3190468138462996e-17 below it.
        let [below, above] = ["2.3190468138462995e-17", "2.3190468138462997e-17"].map(rational);
        assert!(matches!(check_point(&log, &point, &zero, &two, &below), Err(Violation::Distance { .. })));
        assert_eq!(check_point(&log, &point, &zero, &two, &above), Ok(Verdict::Holds));
        let worse = program("(FPCore (x) :lastbit-log-ulps 1 :pre (<= 1 x 4) (log x))");
        assert!(matches!(
            check_point(&worse, &point, &zero, &two, &above),
            Err(Violation::Distance { model: LibmModel::Up, .. })
        ));
        assert_eq!(check_point(&worse, &point, &zero, &two, &Rational::pow2(-53)), Ok(Verdict::Holds));
    }

    #[test]
    fn errors_are_violations() {
        let quotient = program("(FPCore (x) :pre (<= 0 x 1) (/ 1 x))");
        let (zero, two) = (rational("0"), rational("2"));
        let error = EvalError::DivisionByZero { node: 2 };
        assert_eq!(
            check_point(&quotient, &[Rational::ZERO], &zero, &two, &two),
            Err(Violation::Float(LibmModel::Nearest, error))
        );
    }

    /// Most random programs are defined at most points, and nearly all points are decided: else they would test little.
    #[test]
    fn random_points_are_worth_checking() {
        let everything = Rational::pow2(5000);
        let (mut holds, mut undefined, mut undecided) = (0, 0, 0);
        for seed in 0..1_000 {
            let program = random_program(seed);
            for point in random_points(&program, seed, 4) {
                match check_point(&program, &point, &-&everything, &everything, &everything) {
                    Ok(Verdict::Holds) => holds += 1,
                    Ok(Verdict::Undecided) => undecided += 1,
                    Err(Violation::Real(_) | Violation::Float(..)) => undefined += 1,
                    Err(violation) => panic!("seed {seed}: {violation:?}"),
                }
            }
        }
        println!("holds {holds}, undefined {undefined}, undecided {undecided}");
        assert!(
            holds > 3_000 && undecided < 200,
            "holds {holds}, undefined {undefined}, undecided {undecided}"
        );
    }
}
