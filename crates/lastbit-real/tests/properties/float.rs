use lastbit_real::{
    Dyadic, Enclosure, Float, NotFinite, ParseNumberError, Rational, Rounding, round_i128_to_f32,
    round_i128_to_f64,
};
use proptest::prelude::*;

use super::strategies::{finite_f32, finite_f64, integer, rational};

const ROUNDINGS: [Rounding; 3] = [Rounding::Nearest, Rounding::Down, Rounding::Up];

fn exact<F: Float>(x: F) -> Rational {
    Rational::from(x.to_dyadic().expect("finite"))
}

/// The definition of correct rounding, spelled out for results of all kinds.
fn is_correctly_rounded<F: Float>(value: &Rational, down: F, nearest: F, up: F) -> bool {
    // IEEE takes the infinities for the next step of the grid when it rounds to nearest.
    let beyond_max = exact(F::MAX) + Rational::pow2(i64::from(F::MAX.exponent_of_ulp()));
    let position = |x: F| match x.to_dyadic() {
        Ok(x) => Rational::from(&x),
        Err(NotFinite) if x.to_f64() > 0.0 => beyond_max.clone(),
        Err(NotFinite) => -&beyond_max,
    };
    // Nothing lies between the directed results: they are neighbours, or one float.
    let neighbours = down == up || Float::next_up(down) == up;
    let brackets = (position(down) <= *value || down.to_f64() == f64::NEG_INFINITY)
        && (*value <= position(up) || up.to_f64() == f64::INFINITY);
    let to_down = (value - position(down)).abs();
    let to_up = (position(up) - value).abs();
    let is_nearest = match to_down.cmp(&to_up) {
        std::cmp::Ordering::Less => nearest == down,
        std::cmp::Ordering::Greater => nearest == up,
        // Of two neighbours one has an even last bit; the bits of infinity end in zeros.
        std::cmp::Ordering::Equal => down == up || (nearest == if is_even(down) { down } else { up }),
    };
    neighbours && brackets && is_nearest
}

fn is_even<F: Float>(x: F) -> bool {
    match x.to_dyadic() {
        Ok(x_exact) => {
            (Rational::from(&x_exact) * Rational::pow2(-i64::from(x.exponent_of_ulp()) - 1)).is_integer()
        }
        Err(NotFinite) => true,
    }
}

fn round_all<F: Float>(value: &Rational) -> [F; 3] {
    [Rounding::Down, Rounding::Nearest, Rounding::Up].map(|rounding| F::from_rational(value, rounding))
}

/// Numbers of the size of a format's extremes as well as of everyday ones.
fn any_size() -> impl Strategy<Value = Rational> {
    let exponent = prop_oneof![-1200i64..1100, -160i64..140, -1080i64..-1060, 960i64..1030];
    (rational(), exponent).prop_map(|(x, exponent)| match x.floor_log2() {
        None => x,
        Some(log2) => x * Rational::pow2(exponent - log2),
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn fractions_round_correctly(x in any_size()) {
        let [down, nearest, up] = round_all::<f64>(&x);
        prop_assert!(is_correctly_rounded(&x, down, nearest, up), "{:?}", [down, nearest, up]);
        let [down, nearest, up] = round_all::<f32>(&x);
        prop_assert!(is_correctly_rounded(&x, down, nearest, up), "{:?}", [down, nearest, up]);
    }

    #[test]
    fn dyadics_round_like_fractions(mantissa in integer(), exponent in -1250i64..1050) {
        let dyadic = Dyadic::new(mantissa, exponent);
        let fraction = Rational::from(&dyadic);
        for rounding in ROUNDINGS {
            let (a, b) = (f64::from_dyadic(&dyadic, rounding), f64::from_rational(&fraction, rounding));
            prop_assert_eq!(a.to_bits(), b.to_bits());
            let (a, b) = (f32::from_dyadic(&dyadic, rounding), f32::from_rational(&fraction, rounding));
            prop_assert_eq!(a.to_bits(), b.to_bits());
        }
    }

    #[test]
    fn integers_round_like_fractions(value in integer(), exponent in prop_oneof![-1250i32..1050, -300i32..140]) {
        let fraction = Rational::from(value) * Rational::pow2(i64::from(exponent));
        let expected = f64::from_rational(&fraction, Rounding::Nearest);
        prop_assert_eq!(round_i128_to_f64(value, exponent).to_bits(), expected.to_bits());
        let expected = f32::from_rational(&fraction, Rounding::Nearest);
        prop_assert_eq!(round_i128_to_f32(value, exponent).to_bits(), expected.to_bits());
    }

    /// Casts of the standard library round to nearest, ties to even.
    #[test]
    fn casts_agree(x in finite_f64(), n in integer()) {
        let dyadic = Dyadic::try_from(x).expect("finite");
        prop_assert_eq!(f32::from_dyadic(&dyadic, Rounding::Nearest), x as f32);
        prop_assert_eq!(round_i128_to_f64(n, 0), n as f64);
        prop_assert_eq!(round_i128_to_f32(n, 0), n as f32);
    }

    /// Ties, and the numbers next to them, in every binade.
    #[test]
    fn ties_round_to_even(x in finite_f64(), y in finite_f32()) {
        prop_assert!(check_midpoint(x));
        prop_assert!(check_midpoint(y));
    }

    #[test]
    fn floats_are_fixed_points(x in finite_f64(), y in finite_f32()) {
        for rounding in ROUNDINGS {
            prop_assert_eq!(f64::from_dyadic(&x.to_dyadic().expect("finite"), rounding), x);
            prop_assert_eq!(f32::from_dyadic(&y.to_dyadic().expect("finite"), rounding), y);
        }
        prop_assert_eq!(f64::from_enclosure(&Enclosure::exact(x.to_dyadic().expect("finite"))), Some(x));
    }

    #[test]
    fn the_unit_in_the_last_place_is_the_gap(x in finite_f64(), y in finite_f32()) {
        prop_assert!(check_ulp(x));
        prop_assert!(check_ulp(y));
    }

    #[test]
    fn hexadecimal_reads_back(x in finite_f64(), y in finite_f32()) {
        prop_assert_eq!(f64::parse_hex(&x.to_hex()).map(f64::to_bits), Ok(x.to_bits()));
        prop_assert_eq!(f32::parse_hex(&y.to_hex()).map(f32::to_bits), Ok(y.to_bits()));
        prop_assert_eq!(x.to_hex().parse::<Rational>(), Ok(exact(x)));
    }

    #[test]
    fn an_enclosure_rounds_if_its_ends_agree(x in any_size(), bits in 40u32..80) {
        let enclosure = Enclosure::of_rational(&x, bits);
        match f64::from_enclosure(&enclosure) {
            Some(rounded) => prop_assert_eq!(rounded, f64::from_rational(&x, Rounding::Nearest)),
            // Undecided only because a midpoint is inside.
            None => {
                let below = f64::from_dyadic(enclosure.lo(), Rounding::Nearest);
                let above = f64::from_dyadic(enclosure.hi(), Rounding::Nearest);
                prop_assert!(below < above);
            }
        }
    }
}

fn check_midpoint<F: Float>(x: F) -> bool {
    let (Some(middle), up) = (x.midpoint_above(), Float::next_up(x)) else {
        return x == F::MAX;
    };
    let is_half_way = exact(x) + exact(up) == Rational::from(&middle) * Rational::from(2);
    let nudge = Dyadic::pow2(i64::from(F::MIN_EXPONENT) - 100);
    let round = |value: &Dyadic| F::from_dyadic(value, Rounding::Nearest);
    is_half_way
        && round(&middle) == (if is_even(x) { x } else { up })
        && round(&(&middle - &nudge)) == x
        && round(&(&middle + &nudge)) == up
        && up.midpoint_below() == Some(middle)
}

fn check_ulp<F: Float>(x: F) -> bool {
    let ulp = exact(x.ulp());
    let magnitude = exact(x).abs();
    // Away from zero the next float is one unit away, except beyond the largest.
    let away = if exact(x).is_negative() { Float::next_down(x) } else { Float::next_up(x) };
    let gap_is_ulp = away
        .to_dyadic()
        .map_or(magnitude == exact(F::MAX), |away| (Rational::from(&away) - exact(x)).abs() == ulp);
    gap_is_ulp
        && ulp == Rational::pow2(i64::from(x.exponent_of_ulp()))
        && (&magnitude / &ulp).is_integer()
        && magnitude / ulp < Rational::pow2(i64::from(F::PRECISION))
}

#[test]
fn constants_describe_the_formats() {
    fn check<F: Float>(smallest: F) {
        assert_eq!(exact(smallest), Rational::pow2(i64::from(F::MIN_EXPONENT)));
        let top = Rational::pow2(i64::from(F::MAX_EXPONENT));
        assert!(Float::is_finite(F::from_rational(&top, Rounding::Up)));
        assert!(!Float::is_finite(F::from_rational(&(top * Rational::from(2)), Rounding::Up)));
        assert_eq!(exact(F::MAX).numerator().to_string().len(), exact(F::MAX).floor().to_string().len());
    }
    check(f64::from_bits(1));
    check(f32::from_bits(1));
    assert_eq!((<f64 as Float>::MAX, <f32 as Float>::MAX), (f64::MAX, f32::MAX));
    assert_eq!((f64::PRECISION, f32::PRECISION), (f64::MANTISSA_DIGITS, f32::MANTISSA_DIGITS));
    assert_eq!((f64::NAME, f32::NAME), ("f64", "f32"));
}

#[test]
fn overflow_is_that_of_ieee() {
    fn check<F: Float>(infinity: F) {
        let max = exact(F::MAX);
        let half_ulp = Rational::pow2(i64::from(F::MAX.exponent_of_ulp()) - 1);
        let tiny = Rational::pow2(-50);
        let threshold = &max + &half_ulp;
        let round = |x: &Rational, rounding| F::from_rational(x, rounding);
        assert_eq!(round(&(&threshold - &tiny), Rounding::Nearest), F::MAX);
        assert_eq!(round(&threshold, Rounding::Nearest), infinity);
        let huge = Rational::pow2(5000);
        for x in [&max + &tiny, threshold, huge] {
            assert_eq!(round(&x, Rounding::Down), F::MAX);
            assert_eq!(round(&x, Rounding::Up), infinity);
            assert_eq!(exact(round(&-&x, Rounding::Up)), -&max);
            assert_eq!(round(&-&x, Rounding::Down).to_f64(), f64::NEG_INFINITY);
            let dyadic = Dyadic::try_from(&x).expect("dyadic");
            assert_eq!(F::from_dyadic(&dyadic, Rounding::Down), F::MAX);
        }
    }
    check(f64::INFINITY);
    check(f32::INFINITY);
    assert_eq!(round_i128_to_f64(i128::MIN, i32::MAX), f64::NEG_INFINITY);
    assert_eq!(f64::from_dyadic(&Dyadic::pow2(i64::MAX), Rounding::Down), f64::MAX);
}

#[test]
fn underflow_keeps_the_sign() {
    let half = Rational::pow2(-1075);
    let bits = |x: &Rational, rounding| f64::from_rational(x, rounding).to_bits();
    assert_eq!(bits(&half, Rounding::Nearest), 0); // a tie with zero, which is even
    assert_eq!(bits(&half, Rounding::Up), 1);
    assert_eq!(bits(&-&half, Rounding::Nearest), (-0.0f64).to_bits());
    assert_eq!(bits(&-&half, Rounding::Up), (-0.0f64).to_bits());
    assert_eq!(bits(&-&half, Rounding::Down), (-f64::from_bits(1)).to_bits());
    assert_eq!(bits(&Rational::ZERO, Rounding::Down), 0);
    assert_eq!(round_i128_to_f64(1, i32::MIN), 0.0);
    assert_eq!(round_i128_to_f64(i128::MIN, -1202), -0.0); // 2^127 · 2^-1202: the same tie
    assert_eq!(round_i128_to_f64(i128::MIN + 1, -1202).to_bits(), (-0.0f64).to_bits());
    assert_eq!(round_i128_to_f64(i128::MIN, -1201).to_bits(), (-f64::from_bits(1)).to_bits());
    assert_eq!(f64::from_dyadic(&Dyadic::pow2(i64::MIN), Rounding::Up), f64::from_bits(1));
}

#[test]
fn what_is_not_finite() {
    for x in [f64::NAN, f64::INFINITY, f64::NEG_INFINITY] {
        assert!(!Float::is_finite(x));
        assert_eq!(x.to_dyadic(), Err(NotFinite));
        assert!(x.ulp().is_nan());
        assert_eq!(x.exponent_of_ulp(), f64::MAX.exponent_of_ulp());
        assert_eq!(x.midpoint_above().or(x.midpoint_below()), None);
    }
    assert!(f32::INFINITY.ulp().is_nan());
    assert_eq!(f64::MAX.midpoint_above(), None);
    assert_eq!(f64::MIN.midpoint_below(), None);
    assert_eq!(
        [f64::INFINITY.to_hex(), f64::NEG_INFINITY.to_hex(), f64::NAN.to_hex()],
        ["inf", "-inf", "nan"]
    );
}

#[test]
fn hexadecimal_notation() {
    assert_eq!(1.0f64.to_hex(), "0x1.0000000000000p+0");
    assert_eq!((-0.75f64).to_hex(), "-0x1.8000000000000p-1");
    assert_eq!(f64::MAX.to_hex(), "0x1.fffffffffffffp+1023");
    assert_eq!(f64::MIN_POSITIVE.to_hex(), "0x1.0000000000000p-1022");
    assert_eq!(f64::MIN_POSITIVE.next_down().to_hex(), "0x0.fffffffffffffp-1022");
    assert_eq!(f32::MAX.to_hex(), "0x1.fffffep+127");
    assert_eq!(f32::from_bits(1).to_hex(), "0x0.000002p-126");
    assert_eq!(0.0f32.to_hex(), "0x0.0p+0");
    assert_eq!(f64::parse_hex("-0x0p0").map(f64::to_bits), Ok((-0.0f64).to_bits()));
    assert_eq!(f64::parse_hex("0x.8p-1073"), Ok(f64::from_bits(1)));
    for text in ["0x1p1024", "0x1p-1075", "0x1.00000000000008p0", "0x0.00000000000008p-1022"] {
        assert_eq!(f64::parse_hex(text), Err(ParseNumberError::Inexact { type_name: "f64" }), "{text}");
    }
    assert!(f64::parse_hex("1.5").is_err());
    assert!(f64::parse_hex("").is_err());
}
