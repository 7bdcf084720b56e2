//! What must be true of every report.

use lastbit_audit::discrete::unmet;

use super::*;

/// Names and the order of independent statements do not matter.
#[test]
fn the_same_program_in_other_words() {
    let one = "mechanism m(x: int[2]) -> [real] {
        a <$ dlap(1, 0);  c <$ bernoulli(1 / 3);  b <$ dlap(2, 0);
        s := if c { x[0] + a } else { x[0] - 1 };  t := x[1] + b;
        if s > t { return [clamp(s, 2), 0] }
        return [clamp(t, 3), 1] }";
    let two = "mechanism m(x: int[2]) -> [real] {
        zeta <$ dlap(2, 0);  y := x[1] + zeta;  up <$ bernoulli(1 / 3);  alpha <$ dlap(1, 0);
        var best: real;  best := 0 - 1 + x[0];
        if up { best := alpha + x[0] }
        if y < best { return [max(-2, min(best, 2)), 0] } else { return [clamp(y, 3), 1] } }";
    let values = || [numbers(&[0, 2]), numbers(&[1, 1])];
    let [first, second] = [one, two].map(|text| of(text, "", &[], "x", values()));
    for outcome in &first.outcomes {
        let Some(other) = second.outcomes.iter().find(|other| other.output == outcome.output) else {
            panic!("{}", outcome.output)
        };
        for (a, b) in outcome.weights.iter().zip(&other.weights) {
            assert!((a - b).contains(&Rational::ZERO), "{}", outcome.output);
            assert!((a - b).width() < Dyadic::pow2(-55));
        }
    }
    assert_eq!(first.outcomes.len(), second.outcomes.len());
}

#[test]
fn swapping_the_inputs() {
    let (a, b) = (numbers(&[0, 1, 3]), numbers(&[1, 0, 2]));
    let given = [("eps", "1"), ("n", "3")];
    let there = of(ABOVE_THRESHOLD, "above_threshold", &given, "q", [a.clone(), b.clone()]);
    let back = of(ABOVE_THRESHOLD, "above_threshold", &given, "q", [b, a]);
    assert_eq!(there.loss(), back.loss());
    assert_eq!(there.delta(), back.delta());
    let (one, two) = (there.comparison.only(), back.comparison.only());
    assert_eq!((&one[0], &one[1]), (&two[1], &two[0]));
}

#[test]
fn claims_with_a_delta() {
    // Clamped noise without ends: what lies beyond ±1 of the centre is one input's alone.
    let text = |delta: &str| {
        format!(
            "mechanism m(x: int) -> real claim approx(1, {delta}) {{
               z <$ dlap(1, 0);  return x + clamp(z, 3) }}"
        )
    };
    // P(z <= -3) = e^-3/(1 + e^-1) = 0.0364.
    for (delta, expected) in [("0.04", ClaimVerdict::Holds), ("0.03", ClaimVerdict::Violated)] {
        let report = of(&text(delta), "", &[], "x", [0, 1].map(number));
        assert_eq!(report.loss(), ExactLoss::Infinite);
        assert_eq!(verdict(&report), expected, "{report:?}");
        assert_eq!(report.epsilon, Rational::ONE);
    }
}

#[test]
fn adjacency() {
    let (file, _) = parse(
        "mechanism m(q: int[3], T: int) -> int
           adjacent at most one i: |q[i]<1> - q[i]<2>| <= 1
           adjacent T<1> = T<2>
           assume T > 0
         { return T }",
    );
    let found = |first: ([i64; 3], i64), second: ([i64; 3], i64)| -> Vec<String> {
        let [first, second] = [first, second].map(|(q, t)| inputs([("q", numbers(&q)), ("T", number(t))]));
        let unmet = unmet(&file, &file.declarations[0], &Parameters::new(), [&first, &second]).unwrap();
        unmet.into_iter().map(|unmet| unmet.clause).collect()
    };
    let at_most_one = "adjacent at most one i: |q[i]<1> - q[i]<2>| <= 1";
    assert_eq!(found(([1, 2, 3], 1), ([1, 3, 3], 1)), [""; 0]);
    assert_eq!(found(([1, 2, 3], 1), ([1, 2, 3], 1)), [""; 0]);
    assert_eq!(found(([1, 2, 3], 1), ([1, 4, 3], 1)), [at_most_one]);
    assert_eq!(found(([1, 2, 3], 1), ([0, 3, 3], 1)), [at_most_one]);
    assert_eq!(found(([1, 2, 3], 0), ([1, 2, 3], -1)), ["adjacent T<1> = T<2>", "assume T > 0"]);
}

#[test]
fn reports() {
    let report = of(GEOMETRIC, "geometric", &[("eps", "1"), ("k", "0")], "x", [0, 2].map(number));
    assert_eq!((report.name.as_str(), report.comparison.outputs()), ("geometric", 5));
    is_rational_loss(&report, "2");
    let words = report.claim_in_words().unwrap();
    assert!(words.ends_with("exceeded, by inputs that are not neighbours"), "{words}");
    assert_eq!(report.unmet[0].clause, "adjacent |x<1> - x<2>| <= 1");
    assert_eq!(verdict(&report), ClaimVerdict::Violated);
    let outputs: Vec<&str> = report.outcomes.iter().map(|outcome| outcome.output.as_str()).collect();
    assert_eq!(outputs, ["0", "1", "2", "{-1, -2, …}", "{3, 4, …}"]);
}

/// More bits cut off less: the loss is known better, and it is the same loss.
#[test]
fn precision() {
    let (file, _) = parse(ABOVE_THRESHOLD);
    let declaration = file.declaration("above_threshold").unwrap();
    let [first, second] = [[0, 0, 1], [1, 1, 0]].map(|q| inputs([("q", numbers(&q))]));
    let loss = |precision: u32| {
        let options = Options { precision, ..Options::default() };
        let given = parameters(&[("eps", "1"), ("n", "3")]);
        finite(&audit(&file, declaration, &given, [&first, &second], &options).unwrap())
    };
    let (coarse, fine) = (loss(20), loss(100));
    assert!(coarse.lo() <= fine.lo() && fine.hi() <= coarse.hi());
    assert!(coarse.width() > Dyadic::pow2(-25) && fine.width() < Dyadic::pow2(-85));
}
