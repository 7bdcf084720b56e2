use lastbit_real::{Float, ParseNumberError, Rational};
use proptest::prelude::*;

fn read(text: &str) -> Result<Rational, ParseNumberError> {
    text.parse()
}

fn ratio(n: i64, d: i64) -> Result<Rational, ParseNumberError> {
    Ok(Rational::new(n, d).expect("a denominator that is not zero"))
}

#[test]
fn reads_what_it_says() {
    for (text, n, d) in [
        ("0", 0, 1),
        ("-0", 0, 1),
        ("+7", 7, 1),
        ("007", 7, 1),
        ("0.1", 1, 10),
        ("-3", -3, 1),
        (".5", 1, 2),
        ("5.", 5, 1),
        ("1e-3", 1, 1000),
        ("2.5E6", 2_500_000, 1),
        ("1.50e+1", 15, 1),
        ("1/10", 1, 10),
        ("-6/4", -3, 2),
        ("0/5", 0, 1),
        ("0x1.8p-3", 3, 16),
        ("0X.8P+1", 1, 1),
        ("-0xff", -255, 1),
        ("0x1p10", 1024, 1),
    ] {
        assert_eq!(read(text), ratio(n, d), "{text}");
    }
}

#[test]
fn refuses_and_says_where() {
    use ParseNumberError::*;
    let unexpected = |text: &str| match read(text) {
        Err(Unexpected { found, position, .. }) => Some((found, position)),
        _ => None,
    };
    assert_eq!(read(""), Err(Empty));
    for text in ["nan", "NaN", "inf", "-inf", "+Infinity", "INF"] {
        assert_eq!(read(text), Err(NotFinite), "{text}");
    }
    for (text, found, position) in [
        (" 1", ' ', 0),
        ("1 ", ' ', 1),
        ("1_000", '_', 1),
        ("1,5", ',', 1),
        ("1.2.3", '.', 3),
        ("--1", '-', 1),
        ("0.1/2", '/', 3),
        ("1/2.5", '.', 3),
        ("1/-2", '-', 2),
        ("1e5/3", '/', 3),
        ("1e1.5", '.', 3),
        ("e5", 'e', 0),
        ("0x1.gp3", 'g', 4),
        ("0b101", 'b', 1),
        ("1٣", '٣', 1), // a digit, but not one of ours
        ("é", 'é', 0),
        ("infinite", 'i', 0),
    ] {
        assert_eq!(unexpected(text), Some((found, position)), "{text}");
    }
    for (text, position) in [("-", 1), (".", 1), ("1e", 2), ("1e-", 3), ("1/", 2), ("0x", 2), ("0x1p", 4)] {
        assert!(matches!(read(text), Err(Incomplete { position: p, .. }) if p == position), "{text}");
    }
    assert_eq!(read("1/0"), Err(ZeroDenominator { position: 2 }));
    assert_eq!(read("3/000"), Err(ZeroDenominator { position: 2 }));
}

#[test]
fn exponents_that_would_exhaust_memory_are_refused() {
    for text in ["1e100001", "1e-100001", "1e99999999999999999999999", "0x1p100001", "0e100001"] {
        assert!(matches!(read(text), Err(ParseNumberError::ExponentTooLarge { .. })), "{text}");
    }
    assert_eq!(read("1e100000").map(|x| x.numerator().to_string().len()), Ok(100_001));
    assert_eq!(read("0x1p-0000100000"), Ok(Rational::pow2(-100_000)));
}

#[test]
fn messages_are_sentences_with_a_hint() {
    let message = |text| read(text).expect_err("not a number").to_string();
    assert_eq!(message("1 "), "unexpected ' ' at byte 1; expected the end of the number");
    assert_eq!(message("1e"), "the number is not complete at byte 2; expected the digits of the exponent");
    assert_eq!(message(""), "empty string; expected a number such as 0.1, 1/10, 1e-3 or 0x1.8p-3");
    assert_eq!(
        f32::parse_hex("0x1.000001p0").expect_err("25 bits").to_string(),
        "not exactly representable as f32; it would have to be rounded"
    );
}

proptest! {
    #[test]
    fn never_panics_on_anything(text in any::<String>()) {
        let _ = read(&text);
        let _ = f64::parse_hex(&text);
    }

    #[test]
    fn never_panics_on_what_looks_like_a_number(text in "[+-]?(0x)?[0-9a-f]{0,5}[./]?[0-9a-f]{0,5}([ep][+-]?[0-9]{0,6})?") {
        if let Ok(x) = read(&text) {
            prop_assert_eq!(read(&x.to_string()), Ok(x));
        }
        let _ = f32::parse_hex(&text);
    }

    /// The standard library reads decimals with correct rounding: rounding our exact value gives the same.
    #[test]
    fn agrees_with_the_standard_library(
        text in "-?[0-9]{1,25}(\\.[0-9]{0,25})?(e-?[0-9]{1,3})?",
    ) {
        use lastbit_real::Rounding::Nearest;
        let exact = read(&text).expect("a decimal");
        prop_assert_eq!(f64::from_rational(&exact, Nearest), text.parse::<f64>().expect("a decimal"));
        prop_assert_eq!(f32::from_rational(&exact, Nearest), text.parse::<f32>().expect("a decimal"));
    }
}
