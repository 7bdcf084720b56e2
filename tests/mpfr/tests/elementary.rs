//! The enclosures of `ln`, `exp`, `log1p`, `expm1`, `sin`, `cos`, `erfc`, `erfcx` and `π` against MPFR.
//!
//! MPFR rounds a value down and up at a precision far above the enclosure's: the value lies between the
//! two, and the enclosure has to contain both. (An end closer to the value than MPFR's bounds would fail
//! the test without being wrong; [`Function::finer`] is chosen so that this does not happen.)

use lastbit_mpfr_tests::{Arguments, dyadic, gmp_rational, mpfr_float};
use lastbit_real::{
    DomainError, Dyadic, Enclosure, Rational, cos, cos_rational, erfc, erfcx, exp, exp_rational, expm1,
    expm1_rational, ln, ln_rational, ln2, log1p, log1p_rational, pi, sin, sin_rational,
};
use rug::Float;
use rug::float::{Constant, Round};
use rug::ops::AssignRound;

const PRECISIONS: [u32; 7] = [1, 20, 53, 64, 113, 200, 600];

#[derive(Clone, Copy, Debug, PartialEq)]
enum Function {
    Ln,
    Exp,
    Log1p,
    Expm1,
    Sin,
    Cos,
    Erfc,
}

impl Function {
    fn enclose(self, x: &Dyadic, bits: u32) -> Result<Enclosure, DomainError> {
        match self {
            Function::Ln => ln(x, bits),
            Function::Exp => exp(x, bits),
            Function::Log1p => log1p(x, bits),
            Function::Expm1 => expm1(x, bits),
            Function::Sin => sin(x, bits),
            Function::Cos => cos(x, bits),
            Function::Erfc => erfc(x, bits),
        }
    }

    fn enclose_rational(self, x: &Rational, bits: u32) -> Result<Enclosure, DomainError> {
        match self {
            Function::Ln => ln_rational(x, bits),
            Function::Exp => exp_rational(x, bits),
            Function::Log1p => log1p_rational(x, bits),
            Function::Expm1 => expm1_rational(x, bits),
            Function::Sin => sin_rational(x, bits),
            Function::Cos => cos_rational(x, bits),
            Function::Erfc => unreachable!("it has no form for fractions"),
        }
    }

    /// More bits for MPFR than for the enclosure. Of a tiny `y`, `log1p`, `expm1` and `sin` have `y` itself as an
    /// end of their enclosures, which is `y²/2` or `y³/6` from the value, and `cos` has 1: MPFR has to see that far.
    fn finer(self) -> u32 {
        match self {
            Function::Ln | Function::Exp => 120,
            Function::Log1p | Function::Expm1 => 1200,
            Function::Sin | Function::Cos => 2200,
            Function::Erfc => 400,
        }
    }

    fn mpfr(self, x: &Float, precision: u32, round: Round) -> Dyadic {
        let mut result = Float::new(precision);
        match self {
            Function::Ln => result.assign_round(x.ln_ref(), round),
            Function::Exp => result.assign_round(x.exp_ref(), round),
            Function::Log1p => result.assign_round(x.ln_1p_ref(), round),
            Function::Expm1 => result.assign_round(x.exp_m1_ref(), round),
            Function::Sin => result.assign_round(x.sin_ref(), round),
            Function::Cos => result.assign_round(x.cos_ref(), round),
            Function::Erfc => result.assign_round(x.erfc_ref(), round),
        };
        dyadic(&result)
    }
}

/// The guarantee, given bounds of the true value.
#[track_caller]
fn check(what: &str, enclosure: &Enclosure, below: &Dyadic, above: &Dyadic, bits: u32) {
    assert!(enclosure.lo() <= below && above <= enclosure.hi(), "{what}: {enclosure} misses the value");
    // |value| is at least the smaller magnitude of its bounds, which have one sign.
    let magnitude = below.abs().min(above.abs());
    assert!(enclosure.width() <= magnitude.shl(-i64::from(bits)), "{what}: {enclosure} is too wide");
}

#[track_caller]
fn check_dyadic(function: Function, x: &Dyadic, bits: u32) {
    let enclosure = function.enclose(x, bits).expect("in the domain");
    let argument = mpfr_float(x);
    let [below, above] =
        [Round::Down, Round::Up].map(|round| function.mpfr(&argument, bits + function.finer(), round));
    check(&format!("{function:?}({x}) at {bits} bits"), &enclosure, &below, &above, bits);
}

/// MPFR takes no fractions, so the argument is enclosed first: the functions grow with it.
#[track_caller]
fn check_rational(function: Function, x: &Rational, bits: u32) {
    let enclosure = function.enclose_rational(x, bits).expect("in the domain");
    let exact = gmp_rational(x);
    // ln near 1 and log1p near -1 amplify what the argument was rounded by.
    let precision = bits + function.finer() + 250;
    let [below, above] = [Round::Down, Round::Up].map(|round| {
        let (argument, _) = Float::with_val_round(precision, &exact, round);
        function.mpfr(&argument, precision, round)
    });
    check(&format!("{function:?}({x}) at {bits} bits"), &enclosure, &below, &above, bits);
}

#[test]
fn ln_2() {
    for bits in (1..1300).step_by(13) {
        let precision = bits + 120;
        let [below, above] = [Round::Down, Round::Up]
            .map(|round| dyadic(&Float::with_val_round(precision, Constant::Log2, round).0));
        check("ln 2", &ln2(bits), &below, &above, bits);
    }
}

#[test]
fn pi_itself() {
    for bits in (1..1300).step_by(13) {
        let precision = bits + 120;
        let [below, above] = [Round::Down, Round::Up]
            .map(|round| dyadic(&Float::with_val_round(precision, Constant::Pi, round).0));
        check("π", &pi(bits), &below, &above, bits);
    }
}

#[test]
fn sin_and_cos_of_random_arguments() {
    let mut arguments = Arguments::new(5);
    for bits in PRECISIONS {
        for function in [Function::Sin, Function::Cos] {
            for _ in 0..150 {
                check_dyadic(function, &arguments.dyadic(-3..3), bits);
                check_dyadic(function, &arguments.dyadic(-700..60), bits);
                check_circular_rational(function, &arguments.rational(-40..20), bits);
            }
        }
    }
}

#[test]
fn erfc_of_random_arguments() {
    let mut arguments = Arguments::new(6);
    for bits in PRECISIONS {
        for _ in 0..100 {
            check_dyadic(Function::Erfc, &arguments.dyadic(-4..4), bits);
            check_dyadic(Function::Erfc, &arguments.dyadic(-150..10).abs(), bits);
            check_erfcx(&arguments.dyadic(-4..4), bits);
            check_erfcx(&arguments.dyadic(-150..10).abs(), bits);
        }
        // Where the series for large arguments takes over.
        let change = f64::from(bits.max(16) + 8).sqrt();
        for step in -20..=20 {
            let x = Dyadic::try_from(change + f64::from(step) / 7.0).expect("finite");
            check_dyadic(Function::Erfc, &x, bits);
            check_dyadic(Function::Erfc, &-&x, bits);
            check_erfcx(&x, bits);
            check_erfcx(&-&x, bits);
        }
    }
}

/// `e^(x²) · erfc x`, each factor from MPFR; the square is exact.
#[track_caller]
fn check_erfcx(x: &Dyadic, bits: u32) {
    let enclosure = erfcx(x, bits).expect("in the domain");
    let precision = bits + Function::Erfc.finer();
    let (argument, square) = (mpfr_float(x), mpfr_float(&(x * x)));
    let [below, above] = [Round::Down, Round::Up].map(|round| {
        Function::Erfc.mpfr(&argument, precision, round) * Function::Exp.mpfr(&square, precision, round)
    });
    check(&format!("erfcx({x}) at {bits} bits"), &enclosure, &below, &above, bits);
}

/// MPFR takes no fractions, and these functions do not grow with their argument: the value lies within the error
/// of the argument, since their derivatives are at most 1.
#[track_caller]
fn check_circular_rational(function: Function, x: &Rational, bits: u32) {
    let enclosure = function.enclose_rational(x, bits).expect("in the domain");
    let precision = bits + function.finer();
    let argument = Float::with_val(precision, gmp_rational(x));
    let [below, above] = [Round::Down, Round::Up].map(|round| function.mpfr(&argument, precision, round));
    // |x| < 2^21 is rounded by less than 2^(21 - precision).
    let error = Dyadic::pow2(21 - i64::from(precision));
    check(
        &format!("{function:?}({x}) at {bits} bits"),
        &enclosure,
        &(below - &error),
        &(above + &error),
        bits,
    );
}

/// Multiples of `π/4`, where the reduction changes its quotient, and the zeros of the functions.
#[test]
fn sin_and_cos_around_multiples_of_a_quarter_of_pi() {
    for bits in PRECISIONS {
        for k in [-1_000_001i64, -1000, -4, -3, -2, -1, 1, 2, 3, 4, 5, 6, 7, 8, 1000, 1_000_001, 1 << 55] {
            for precision in [30, 53, bits, bits + 60] {
                let multiple = (&Enclosure::exact(Dyadic::from(k)) * &pi(precision)).shl(-2);
                for x in [multiple.lo(), multiple.hi()] {
                    if x < &Dyadic::pow2(60) {
                        check_dyadic(Function::Sin, x, bits);
                        check_dyadic(Function::Cos, x, bits);
                    }
                }
            }
        }
    }
}

#[test]
fn ln_of_random_arguments() {
    let mut arguments = Arguments::new(1);
    for bits in PRECISIONS {
        for _ in 0..1000 {
            check_dyadic(Function::Ln, &arguments.dyadic(-2..2).abs(), bits);
            check_dyadic(Function::Ln, &arguments.dyadic(-1100..1100).abs(), bits);
            check_rational(Function::Ln, &arguments.rational(-40..40).abs(), bits);
        }
        for _ in 0..300 {
            // Near 1, from 2^-2 to 2^-200 away.
            let near = &Dyadic::ONE + &arguments.dyadic(-200..-2);
            check_dyadic(Function::Ln, &near, bits);
            check_rational(Function::Ln, &(Rational::ONE + arguments.rational(-200..-2)), bits);
            check_dyadic(Function::Ln, &arguments.dyadic(-1_000_000_000..1_000_000_000).abs(), bits);
        }
    }
}

#[test]
fn exp_of_random_arguments() {
    let mut arguments = Arguments::new(2);
    for bits in PRECISIONS {
        for _ in 0..1000 {
            check_dyadic(Function::Exp, &arguments.dyadic(-10..10), bits);
            check_dyadic(Function::Exp, &arguments.dyadic(-300..28), bits);
            check_rational(Function::Exp, &arguments.rational(-40..20), bits);
        }
    }
}

#[test]
fn log1p_of_random_arguments() {
    let mut arguments = Arguments::new(3);
    for bits in PRECISIONS {
        for _ in 0..1000 {
            for x in [arguments.dyadic(-10..10), arguments.dyadic(-800..800)] {
                let x = if x > -Dyadic::ONE { x } else { x.abs() };
                check_dyadic(Function::Log1p, &x, bits);
            }
            check_rational(Function::Log1p, &arguments.rational(-200..200).abs(), bits);
            check_rational(Function::Log1p, &-arguments.rational(-200..-1).abs(), bits);
        }
    }
}

#[test]
fn expm1_of_random_arguments() {
    let mut arguments = Arguments::new(4);
    for bits in PRECISIONS {
        for _ in 0..1000 {
            check_dyadic(Function::Expm1, &arguments.dyadic(-10..7), bits);
            check_dyadic(Function::Expm1, &arguments.dyadic(-700..-1), bits);
            check_rational(Function::Expm1, &arguments.rational(-200..7), bits);
        }
        for _ in 0..50 {
            check_expm1_of_large(&arguments.dyadic(7..12), bits);
        }
    }
}

/// For large arguments it takes more bits to see the 1.
#[track_caller]
fn check_expm1_of_large(x: &Dyadic, bits: u32) {
    let enclosure = expm1(x, bits).expect("in the domain");
    let argument = mpfr_float(x);
    let precision = bits + 6000;
    let [below, above] =
        [Round::Down, Round::Up].map(|round| Function::Expm1.mpfr(&argument, precision, round));
    check(&format!("expm1({x}) at {bits} bits"), &enclosure, &below, &above, bits);
}

#[test]
fn special_arguments() {
    let doubles = [
        5e-324,
        f64::MIN_POSITIVE.next_down(),
        f64::MIN_POSITIVE,
        1e-300,
        1e-17,
        2f64.powi(-53),
        0.1,
        0.5,
        0.7,
        std::f64::consts::FRAC_1_SQRT_2,
        1f64.next_down(),
        1f64.next_up(),
        1.4,
        std::f64::consts::SQRT_2,
        std::f64::consts::LN_2,
        std::f64::consts::E,
        2.0,
        3.0,
        10.0,
        709.0,
        745.0,
        1e5,
        1e8,
    ];
    for bits in PRECISIONS {
        for x in doubles {
            let x = Dyadic::try_from(x).expect("finite");
            check_dyadic(Function::Exp, &x, bits);
            check_dyadic(Function::Exp, &-&x, bits);
            check_dyadic(Function::Ln, &x, bits);
            check_dyadic(Function::Log1p, &x, bits);
            for function in [Function::Sin, Function::Cos] {
                check_dyadic(function, &x, bits);
                check_dyadic(function, &-&x, bits);
            }
            if x < Dyadic::ONE {
                check_dyadic(Function::Log1p, &-&x, bits);
            }
            if x < Dyadic::from(100) {
                check_dyadic(Function::Expm1, &x, bits);
                check_dyadic(Function::Expm1, &-&x, bits);
            }
        }
        let max = Dyadic::try_from(f64::MAX).expect("finite");
        check_dyadic(Function::Ln, &max, bits);
        check_dyadic(Function::Log1p, &max, bits);
    }
}

/// Multiples of `ln 2`, where the reduction of `exp` changes its quotient.
#[test]
fn exp_around_multiples_of_ln_2() {
    for bits in PRECISIONS {
        for k in [-1_000_001i64, -1000, -3, -2, -1, 1, 2, 3, 1000, 1_000_001] {
            for precision in [30, 53, bits, bits + 60] {
                let multiple = &Enclosure::exact(Dyadic::from(k)) * &ln2(precision);
                for x in [multiple.lo(), multiple.hi()] {
                    check_dyadic(Function::Exp, x, bits);
                }
            }
        }
    }
}
