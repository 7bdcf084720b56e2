//! Choices that the two readings make differently, ties of grids, and the cuts of boxes.

use lastbit_lang::{Accuracy, Comparison, Format, InputKind, NodeId, Op, Role, StraightLine, Tie};
use lastbit_real::{Dyadic, Rational};

use super::attacks::{Places, Target, attack, expect_sound, input, places, values};
use super::bounds::Tally;
use crate::refusal::Reason;
use crate::search::{Effort, analyse};

fn number(text: &str) -> Rational {
    text.parse().expect("a number")
}

/// A node whose real value is `real` and whose float is `float`: 0.1 + 0.2 <= 0.3 holds over the reals only.
fn parted(program: &mut StraightLine, real: Rational, float: Rational) -> NodeId {
    let [tenth, fifth, rhs] = ["0.1", "0.2", "0.3"].map(|c| program.push(Op::Const(number(c)), None));
    let lhs = program.push(Op::Add(tenth, fifth), None);
    let [then, otherwise] = [real, float].map(|value| program.push(Op::Const(value), None));
    program.push(Op::Select { test: Comparison::LessOrEqual, lhs, rhs, then, otherwise }, None)
}

/// All pairs of quarters, rounded to integers: two ties may go away from each other.
pub(super) fn different_cells(tally: &mut Tally) {
    let quarter = |n: i64| Rational::new(n, 4).expect("4 is not 0");
    for (real, float) in (-10..=10).flat_map(|a| (-10..=10).map(move |b| (a, b))) {
        let mut program = StraightLine::new(format!("{real}/4, {float}/4"), Format::Binary64);
        let a = parted(&mut program, quarter(real), quarter(float));
        for tie in [Tie::Up, Tie::Even, Tie::Away] {
            program.push(Op::Round { arg: a, exponent: 0, tie }, None);
        }
        let c = program.push(Op::Const(number("3/4")), None);
        let abs = program.push(Op::Abs(a), None);
        for op in
            [Op::Min(a, c), Op::Max(c, a), Op::Mul(a, a), Op::Clamp { arg: c, bound: abs }, Op::Sqrt(abs)]
        {
            program.push(op, None);
        }
        for test in [Comparison::Less, Comparison::LessOrEqual, Comparison::Equal] {
            program.push(Op::Select { test, lhs: a, rhs: c, then: a, otherwise: c }, None);
        }
        attack::<f64>(&mut program, &[vec![]], tally);
    }
}

#[test]
fn readings_in_different_cells() {
    let mut tally = Tally::default();
    different_cells(&mut tally);
    expect_sound(&tally, 5_000);
}

/// A node with this real value, whose float is the integer next to it, both exactly known: a subnormal constant, scaled up.
fn coarse(program: &mut StraightLine, real: &Rational) -> NodeId {
    let exponent = program.format.min_exponent();
    let tiny = program.push(Op::Const(real * &Rational::pow2(exponent)), None);
    let halves = [-(exponent / 2), exponent / 2 - exponent];
    halves.into_iter().fold(tiny, |node, k| {
        let power = program.push(Op::Const(Rational::pow2(k)), None);
        program.push(Op::Mul(node, power), None)
    })
}

/// Errors as large as the values: what is left out at second order, and where a rule takes `f` for `r`, shows.
pub(super) fn large_errors(format: Format, tally: &mut Tally) {
    let values =
        ["-3/2", "-13/10", "-1/5", "0", "3/10", "1/2", "3/5", "7/5", "3/2", "5/2", "27/10"].map(number);
    for (a, b) in values.iter().flat_map(|a| values.iter().map(move |b| (a, b))) {
        let mut program = StraightLine::new(format!("{a}, {b}"), format);
        let half = Accuracy::Ulps(Rational::pow2(-1));
        (program.libm.ln, program.libm.exp) = (half.clone(), half);
        let (a, b) = (coarse(&mut program, a), coarse(&mut program, b));
        let crossed = parted(&mut program, number("1/4"), number("5/4"));
        let abs = program.push(Op::Abs(b), None);
        for (x, y, abs) in [(a, b, abs), (a, crossed, crossed), (crossed, b, abs)] {
            for op in super::attacks::binary(x, y, abs) {
                program.push(op, None);
            }
        }
        for op in [Op::Sqrt(b), Op::Ln(b), Op::Exp(b), Op::Sqrt(crossed), Op::Ln(crossed), Op::Mul(b, b)] {
            program.push(op, None);
        }
        match format {
            Format::Binary64 => attack::<f64>(&mut program, &[vec![]], tally),
            Format::Binary32 => attack::<f32>(&mut program, &[vec![]], tally),
        }
    }
}

#[test]
fn errors_as_large_as_values() {
    let mut tally = Tally::default();
    large_errors(Format::Binary64, &mut tally);
    large_errors(Format::Binary32, &mut tally);
    expect_sound(&tally, 5_000);
}

/// Signs, and integers up to the largest that every format has.
fn discrete<F: Target>() -> Tally {
    let mut tally = Tally::default();
    let largest = Rational::pow2(F::FORMAT.precision());
    let ranges = [(-1, 2), (0, 0), (-3, -3), (5, 9)].map(|(lo, hi)| [lo, hi].map(Rational::from));
    let far = [[&largest - &Rational::from(2), largest.clone()], [-&largest, &Rational::ONE - &largest]];
    for [lo, hi] in ranges.into_iter().chain(far) {
        let mut program = StraightLine::new(format!("{lo} {hi}"), F::FORMAT);
        let sign = lastbit_lang::Input {
            name: "s".into(),
            role: Role::Argument,
            kind: InputKind::Sign,
            lo: Rational::from(-1),
            hi: Rational::ONE,
        };
        let s = program.input(sign, None);
        // Ends that are no integers.
        let half = number("1/2");
        let (below, above) = (&lo - &half, &hi + &half);
        let integer = lastbit_lang::Input {
            name: "n".into(),
            role: Role::Argument,
            kind: InputKind::Integer,
            lo: below,
            hi: above,
        };
        let n = program.input(integer, None);
        let third = program.push(Op::Const(number("1/3")), None);
        for op in [Op::Mul(s, n), Op::Mul(third, s), Op::Mul(s, s), Op::Add(s, n), Op::Div(s, third)] {
            let id = program.push(op, None);
            program.push(Op::Mul(id, third), None);
            program.push(Op::Fma(s, id, n), None);
            program.push(Op::Mul(s, id), None);
        }
        let points: Vec<_> = [-1, 1]
            .into_iter()
            .flat_map(|s| [&lo, &hi].map(|n| vec![Rational::from(s), n.clone()]))
            .collect();
        attack::<F>(&mut program, &points, &mut tally);
    }
    tally
}

#[test]
fn signs_and_integers() {
    expect_sound(&discrete::<f64>(), 300);
    expect_sound(&discrete::<f32>(), 300);
}

/// Whether a point lies in a box.
fn contains(inputs: &[lastbit_real::Enclosure], point: &[Rational]) -> bool {
    inputs.iter().zip(point).all(|(range, value)| range.contains(value))
}

/// Searches, and compares each box's bound with the values at its points. The boxes hold all points, and their ends are floats.
fn search<F: Target>(program: &StraightLine, points: &[Vec<Rational>], boxes: usize) {
    use super::check_point::check_point;
    let Ok(analysis) = analyse(program, Effort::of_boxes(boxes), |_| {}) else { return };
    for point in points {
        let mut held = 0;
        for leaf in analysis.leaves().filter(|leaf| contains(&leaf.inputs, point)) {
            held += 1;
            let [lo, hi, error] = [leaf.range.lo(), leaf.range.hi(), &leaf.error].map(Rational::from);
            let verdict = check_point(program, point, &lo, &hi, &error);
            assert!(verdict.is_ok(), "{} at {point:?}: {verdict:?}", program.name);
        }
        assert!(held > 0, "{}: no box holds {point:?}", program.name);
    }
    let is_float = |end: &Dyadic| {
        let rounded = F::from_dyadic(end, lastbit_real::Rounding::Nearest);
        rounded.to_dyadic().as_ref() == Ok(end)
    };
    for leaf in analysis.leaves() {
        for (range, input) in leaf.inputs.iter().zip(&program.inputs) {
            let on_floats = input.kind != InputKind::Float || (is_float(range.lo()) && is_float(range.hi()));
            assert!(on_floats, "{}: the box {range} does not end in floats", program.name);
        }
    }
}

/// Branches on an input, cut at every kind of comparison with every kind of constant.
fn branches<F: Target>() {
    let wide = |i: i64| -> Places { ((i - 3).max(-F::MAX.index()), (i + 3).min(F::MAX.index())) };
    for (i, negative) in places::<F>().into_iter().flat_map(|i| [(i, false), (i, true)]) {
        let i = if negative { -i } else { i };
        for test in [Comparison::Less, Comparison::LessOrEqual, Comparison::Equal] {
            for input_first in [true, false] {
                let name = format!("{} {i} {test:?} {input_first}", F::FORMAT);
                let mut program = StraightLine::new(name, F::FORMAT);
                let x = program.input(input::<F>("x", InputKind::Float, wide(i)), None);
                let c = program.push(Op::Const(super::random_inputs::exact(F::at(i))), None);
                let (lhs, rhs) = if input_first { (x, c) } else { (c, x) };
                let third = program.push(Op::Const(number("1/3")), None);
                let then = program.push(Op::Mul(x, third), None);
                program.result = program.push(Op::Select { test, lhs, rhs, then, otherwise: third }, None);
                let places = (i - 3).max(-F::MAX.index())..=(i + 3).min(F::MAX.index());
                let points: Vec<_> = places.map(|i| vec![super::random_inputs::exact(F::at(i))]).collect();
                search::<F>(&program, &points, 4);
            }
        }
    }
}

#[test]
fn cuts_at_comparisons() {
    branches::<f64>();
    branches::<f32>();
}

/// An input of a few floats is cut down to single ones, and no further: a box between two floats holds no value, and what is
/// exact on floats has no value there.
#[test]
fn boxes_of_few_floats() {
    fn run<F: Target>() {
        for i in places::<F>().into_iter().filter(|i| *i < F::MAX.index() - 2) {
            for width in 1..=2 {
                let range = (i, i + width);
                let mut program = StraightLine::new(format!("{} {range:?}", F::FORMAT), F::FORMAT);
                let x = program.input(input::<F>("x", InputKind::Float, range), None);
                let [two, tenth] = ["2", "1/10"].map(|c| program.push(Op::Const(number(c)), None));
                let twice = program.push(Op::Mul(two, x), None);
                program.result = program.push(Op::Mul(twice, tenth), None);
                let points: Vec<_> =
                    values::<F>(InputKind::Float, range).into_iter().map(|value| vec![value]).collect();
                search::<F>(&program, &points, 40);
            }
        }
    }
    run::<f64>();
    run::<f32>();
}

/// No library is better than half a unit, and one that is very bad makes a finite value infinite.
#[test]
fn accuracies_that_no_library_has() {
    for (ulps, refused) in [("0", true), ("1/3", true), ("1/2", false), ("1048576", false), ("1048577", true)]
    {
        for op in [Op::Ln as fn(NodeId) -> Op, Op::Exp] {
            let mut program = StraightLine::new("accuracy", Format::Binary64);
            program.libm.ln = Accuracy::Ulps(number(ulps));
            program.libm.exp = Accuracy::Ulps(number(ulps));
            let three = program.push(Op::Const(number("3")), None);
            let value = program.push(op(three), None);
            program.result = program.push(Op::Add(value, value), None);
            match analyse(&program, Effort::FAST, |_| {}) {
                Ok(_) => assert!(!refused, "{ulps} ulp"),
                Err(no_bound) => {
                    assert!(refused && matches!(no_bound.refusal.reason, Reason::Accuracy(_)), "{ulps} ulp");
                }
            }
        }
    }
}

/// Many inputs and many places to cut do not make the search look at all of them for every box.
#[test]
fn long_programs_take_their_time_once() {
    let mut program = StraightLine::new("long", Format::Binary64);
    let inputs: Vec<NodeId> = (0..600)
        .map(|i| program.input(input::<f64>(&format!("x{i}"), InputKind::Float, (0, 1 << 62)), None))
        .collect();
    let mut sum = inputs[0];
    for (n, &x) in inputs.iter().enumerate() {
        let rhs = program.push(Op::Const(Rational::from(n as i64)), None);
        let then = program.push(Op::Mul(rhs, rhs), None);
        let chosen = program
            .push(Op::Select { test: Comparison::Less, lhs: inputs[0], rhs, then, otherwise: rhs }, None);
        let larger = program.push(Op::Max(sum, x), None);
        sum = program.push(Op::Sub(larger, chosen), None);
    }
    program.result = sum;
    let analysis = analyse(&program, Effort::of_boxes(4), |_| {}).expect("it is defined everywhere");
    assert!(analysis.leaves().count() <= 4);
}
