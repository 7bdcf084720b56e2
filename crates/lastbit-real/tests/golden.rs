//! Golden values: correctly rounded logarithms, and the thresholds of the inversion method.

use lastbit_real::{Dyadic, Float, Rational, Rounding, correctly_rounded_ln, exp, ln_f64};
use proptest::prelude::*;
use serde_json::Value;

fn cases(kind: &str) -> Vec<Value> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/public.json");
    let text = std::fs::read_to_string(path).expect("the golden file is part of the repository");
    let file: Value = serde_json::from_str(&text).expect("the golden file is JSON");
    let cases = file["cases"].as_array().expect("an array of cases");
    cases.iter().filter(|case| case["kind"] == kind).cloned().collect()
}

fn rows(case: &Value) -> &Vec<Value> {
    case["rows"].as_array().expect("an array of rows")
}

fn double(row: &Value, key: &str) -> f64 {
    let text = row[key].as_str().expect("a C99 hexadecimal string");
    let value = f64::parse_hex(text).expect("a double");
    assert_eq!(value.to_hex(), text, "the notation is that of the golden file");
    value
}

#[test]
fn logarithms() {
    let mut count = 0;
    for case in cases("ln") {
        for row in rows(&case) {
            let (u, expected) = (double(row, "u"), double(row, "ln"));
            assert_eq!(ln_f64(u).to_hex(), expected.to_hex());
            assert_eq!(correctly_rounded_ln(u).to_hex(), expected.to_hex());
            count += 1;
        }
    }
    assert_eq!(count, 20);
}

/// One draw of the textbook mechanism, `w = x ⊕ s·y` with `y = LN(u) ⊘ eps` or `y = lam ⊗ LN(u)`.
#[derive(Debug, Clone, Copy)]
struct Mechanism {
    x: f64,
    negated: bool, // s = -1
    scale: Scale,
}

#[derive(Debug, Clone, Copy)]
enum Scale {
    Div { eps: f64 },
    Mul { lam: f64 },
}

/// The event whose boundary is asked for: `w >= T`, or `w > T` if strict. It is true from `v` upward
/// for s = +1, where `w` grows with `u`, and false from `v` upward for s = -1.
#[derive(Debug, Clone, Copy)]
struct Event {
    threshold: f64,
    strict: bool,
}

impl Mechanism {
    fn output(&self, u: f64) -> f64 {
        let y = match self.scale {
            Scale::Div { eps } => ln_f64(u) / eps,
            Scale::Mul { lam } => lam * ln_f64(u),
        };
        if self.negated { self.x - y } else { self.x + y }
    }

    /// `v` by its definition: the smallest double `u` in (0, 1] from which on the event has the value it
    /// has at the upper end, or 1 if there is none below 1. Bisection over the bits of `u`.
    fn boundary_by_bisection(&self, event: Event) -> f64 {
        let is_beyond = |bits: u64| {
            let w = self.output(f64::from_bits(bits));
            let holds = if event.strict { w > event.threshold } else { w >= event.threshold };
            holds != self.negated
        };
        let (mut low, mut high) = (0, 1f64.to_bits());
        while high - low > 1 {
            let middle = low + (high - low) / 2;
            if is_beyond(middle) { high = middle } else { low = middle }
        }
        f64::from_bits(high)
    }

    /// The same, by inverting the three roundings one after the other.
    fn boundary_in_closed_form(&self, event: Event) -> f64 {
        // Rounding to nearest is symmetric, so for s = -1: w < T iff (-x) ⊕ y > -T, and
        // w <= T iff (-x) ⊕ y >= -T. What is left is s = +1, and `> T` is `>=` the next double.
        let (x, threshold, strict) = if self.negated {
            (-self.x, -event.threshold, !event.strict)
        } else {
            (self.x, event.threshold, event.strict)
        };
        let threshold = if strict { threshold.next_up() } else { threshold };

        // 1. x ⊕ y >= T iff y >= z.
        let z = least_double(&(rounds_up_to(threshold) - exact(x)), is_odd(threshold));
        if z > 0.0 {
            return 1.0; // y is never positive
        }
        // 2. LN(u) ⊘ eps >= z (or lam ⊗ LN(u) >= z) iff LN(u) >= l.
        let bound = match self.scale {
            Scale::Div { eps } => exact(eps) * rounds_up_to(z),
            Scale::Mul { lam } => rounds_up_to(z) / exact(lam),
        };
        let l = least_double(&bound, is_odd(z));
        // 3. LN(u) >= l iff u > e^mid(l), never equal: e^x is irrational for rational x other than 0.
        let middle = l.midpoint_below().expect("finite");
        let v = (6..12).find_map(|i| {
            let power = exp(&middle, 1 << i).expect("moderate");
            let lower = f64::from_dyadic(power.lo(), Rounding::Up);
            (lower == f64::from_dyadic(power.hi(), Rounding::Up)).then_some(lower)
        });
        v.expect("2^11 bits decide").min(1.0)
    }
}

fn exact(x: f64) -> Rational {
    Rational::try_from(x).expect("finite")
}

/// The midpoint between `t` and its predecessor: what is above it rounds to `t` or higher.
fn rounds_up_to(t: f64) -> Rational {
    Rational::from(t.midpoint_below().expect("finite"))
}

/// A tie goes to the even significand: if that of `t` is odd, the midpoint itself does not round to `t`.
fn is_odd(t: f64) -> bool {
    t.to_bits() & 1 == 1
}

/// The smallest double that is at least `bound`, or above it if strict.
fn least_double(bound: &Rational, strict: bool) -> f64 {
    let up = f64::from_rational(bound, Rounding::Up);
    if strict && exact(up) == *bound { up.next_up() } else { up }
}

#[test]
fn thresholds() {
    let mut count = 0;
    for case in cases("threshold") {
        for row in rows(&case) {
            let scale = match row["op"].as_str() {
                Some("div") => Scale::Div { eps: double(row, "eps") },
                Some("mul") => Scale::Mul { lam: double(row, "lam") },
                other => panic!("unknown op {other:?}"),
            };
            let mechanism = Mechanism { x: double(row, "x"), negated: row["s"] == -1, scale };
            let event = Event { threshold: double(row, "T"), strict: row["strict"] == true };
            let expected = double(row, "v").to_hex();
            assert_eq!(mechanism.boundary_by_bisection(event).to_hex(), expected, "{row}");
            assert_eq!(mechanism.boundary_in_closed_form(event).to_hex(), expected, "{row}");
            count += 1;
        }
    }
    assert_eq!(count, 24);
}

proptest! {
    /// The closed form is the definition, also where no golden value is: near ties, at thresholds that
    /// the output reaches exactly, for inputs of all sizes.
    #[test]
    fn closed_form_is_the_definition(
        x in prop_oneof![-40.0..40.0f64, Just(0.0), Just(5e-324), -1e-300..1e-300f64],
        distance in prop_oneof![-60.0..60.0f64, -1.0..1.0f64, Just(0.0), -1e-15..1e-15f64],
        parameter in prop_oneof![0.01..10.0f64, Just(1.0), Just(0.5), Just(0.1)],
        (negated, strict, divides, reached) in any::<(bool, bool, bool, bool)>(),
    ) {
        let scale = if divides { Scale::Div { eps: parameter } } else { Scale::Mul { lam: parameter } };
        let mechanism = Mechanism { x, negated, scale };
        // Either any double near x, or one that some u is sent to.
        let u = (-distance.abs()).exp();
        let threshold = if reached && u > 0.0 { mechanism.output(u) } else { x + distance };
        let event = Event { threshold, strict };
        prop_assert_eq!(mechanism.boundary_in_closed_form(event), mechanism.boundary_by_bisection(event));
    }
}

/// The golden thresholds would catch a closed form that forgets the parity of a significand.
#[test]
fn parity_matters() {
    // 1 ⊕ y >= 1 + 2^-52 with an odd significand: the tie at 1 + 2^-53 goes down to 1.
    let odd = 1f64.next_up();
    let tie = &rounds_up_to(odd) - exact(1.0);
    assert_eq!(least_double(&tie, is_odd(odd)), 2f64.powi(-53).next_up());
    assert_eq!(1.0 + 2f64.powi(-53), 1.0);
    assert_eq!(least_double(&tie, false), 2f64.powi(-53));
    assert_eq!(Dyadic::try_from(&tie), Ok(Dyadic::pow2(-53)));
}
