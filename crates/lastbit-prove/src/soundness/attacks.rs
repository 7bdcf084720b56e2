//! Operands where rules go wrong: zero, the subnormal numbers, the least normal one, powers of two and their neighbours, numbers
//! next to overflow. Every operation on all pairs of them, in boxes of a few floats, and operations on the results of others.

use lastbit_lang::{Accuracy, Comparison, Format, Input, InputKind, NodeId, Op, Role, StraightLine, Tie};
use lastbit_real::{Rational, Rounding};

use super::bounds::{Tally, models, wrong_at};
use super::random_inputs::{Ordered, exact};
use crate::boxes::whole_box;
use crate::linear::linear_form;
use crate::rules::Rules;
use lastbit_lang::eval::{MachineFloat, eval_float_nodes, eval_real_nodes};

/// Bits of real values: a sum of the least and the greatest number of binary32 is a fraction, which is exact in any case.
const BITS: u32 = 320;

/// A format to attack.
pub(super) trait Target: MachineFloat + Ordered {
    const FORMAT: Format;
}

impl Target for f64 {
    const FORMAT: Format = Format::Binary64;
}

impl Target for f32 {
    const FORMAT: Format = Format::Binary32;
}

fn index_of<F: Target>(value: &Rational) -> i64 {
    F::from_rational(value, Rounding::Nearest).index()
}

/// The places of numbers at which something changes, from 0 upward.
pub(super) fn places<F: Target>() -> Vec<i64> {
    let (min, max, precision) = (F::FORMAT.min_exponent(), F::FORMAT.max_exponent(), F::FORMAT.precision());
    let exponents = [
        min,
        min + 1,
        min + precision - 1,     // the least normal number
        min + precision,         // twice that: the first binade with a larger ulp
        min + 2 * precision - 1, // where products with u become subnormal
        min / 2,
        -precision,
        -1,
        0,
        1,
        precision,
        max / 2,
        max - 1,
        max,
    ];
    let mut places: Vec<i64> = exponents.map(|e| index_of::<F>(&Rational::pow2(e))).to_vec();
    places.extend([0, 3, F::MAX.index(), index_of::<F>(&"3".parse().expect("a number"))]);
    places.sort_unstable();
    places
}

/// A range of floats, by their places.
pub(super) type Places = (i64, i64);

/// Points and boxes of a few floats around the places, of either sign.
fn tight<F: Target>() -> Vec<Places> {
    let largest = F::MAX.index();
    let mut ranges: Vec<Places> = Vec::new();
    for i in places::<F>() {
        let (lo, hi) = ((i - 1).max(-largest), (i + 2).min(largest));
        ranges.extend([(i, i), (lo, hi), (-i, -i), (-hi, -lo)]);
    }
    ranges.sort_unstable();
    ranges.dedup();
    ranges
}

/// An input with the floats of these places.
pub(super) fn input<F: Target>(name: &str, kind: InputKind, (lo, hi): Places) -> Input {
    Input { name: name.to_owned(), role: Role::Argument, kind, lo: exact(F::at(lo)), hi: exact(F::at(hi)) }
}

/// Values of a range: its ends and the floats next to them, and for a real number what lies between floats.
pub(super) fn values<F: Target>(kind: InputKind, (lo, hi): Places) -> Vec<Rational> {
    let mut places = vec![lo, hi, (lo + 1).min(hi)];
    places.sort_unstable();
    places.dedup();
    let mut values: Vec<Rational> = places.iter().map(|&i| exact(F::at(i))).collect();
    if kind == InputKind::Real && lo < hi {
        let gap = exact(F::at(lo + 1)) - exact(F::at(lo));
        for part in ["1/2", "1/3", "2/3"] {
            values.push(exact(F::at(lo)) + &gap * part.parse::<Rational>().expect("a number"));
        }
    }
    values
}

/// Compares every judgement of the program, and every linear form, with the values at the points.
pub(super) fn attack<F: Target>(program: &mut StraightLine, points: &[Vec<Rational>], tally: &mut Tally) {
    let Ok(inputs) = whole_box(program) else { return };
    let judgements = Rules::new(program).derive(&inputs);
    tally.programs += 1;
    let linear: Vec<_> = (0..program.nodes.len())
        .map(|id| {
            program.result = id;
            linear_form(program, &judgements).map(|form| form.error)
        })
        .collect();
    for point in points {
        let reals = eval_real_nodes(program, point, BITS).expect("as many inputs as the program has");
        for &model in models(program) {
            let floats =
                eval_float_nodes::<F>(program, point, model).expect("as many inputs as the program has");
            for (id, judgement) in judgements.iter().enumerate() {
                let Ok(judgement) = judgement else { continue };
                tally.judgements += 1;
                if let Some(wrong) = wrong_at(judgement, linear[id].as_ref(), &reals[id], &floats[id]) {
                    tally.violation(program, id, point, &wrong);
                }
            }
        }
    }
}

/// All pairs of values.
pub(super) fn pairs(first: &[Rational], second: &[Rational]) -> Vec<Vec<Rational>> {
    first.iter().flat_map(|a| second.iter().map(move |b| vec![a.clone(), b.clone()])).collect()
}

/// Every operation with two operands on two nodes; `abs` is the magnitude of the second.
pub(super) fn binary(a: NodeId, b: NodeId, abs: NodeId) -> Vec<Op> {
    let select = |test, then, otherwise| Op::Select { test, lhs: a, rhs: b, then, otherwise };
    vec![
        Op::Add(a, b),
        Op::Sub(a, b),
        Op::Mul(a, b),
        Op::Div(a, b),
        Op::Fma(a, b, a),
        Op::Fma(a, a, b),
        Op::Min(a, b),
        Op::Max(b, a),
        Op::Clamp { arg: a, bound: abs },
        select(Comparison::Less, b, a),
        select(Comparison::LessOrEqual, a, b),
        select(Comparison::Equal, b, a),
    ]
}

/// Every operation with one operand, but for the library's.
fn unary(a: NodeId, exponents: &[i64]) -> Vec<Op> {
    let ties = [Tie::Up, Tie::Even, Tie::Away];
    let round = |&exponent: &i64| ties.map(|tie| Op::Round { arg: a, exponent, tie });
    let mut ops = vec![Op::Neg(a), Op::Abs(a), Op::Sqrt(a), Op::Mul(a, a), Op::Sub(a, a), Op::Div(a, a)];
    ops.extend(exponents.iter().flat_map(round));
    ops
}

pub(super) fn expect_sound(tally: &Tally, at_least: usize) {
    let count = tally.violations.len();
    assert!(count == 0, "{count} violations, the first: {}", tally.violations[0]);
    assert!(tally.judgements > at_least, "{} judgements", tally.judgements);
}

fn every_pair<F: Target>() -> Tally {
    let mut tally = Tally::default();
    let ranges = tight::<F>();
    for &first in &ranges {
        for &second in &ranges {
            let mut program = StraightLine::new("pair", F::FORMAT);
            let x = program.input(input::<F>("x", InputKind::Float, first), None);
            let y = program.input(input::<F>("y", InputKind::Float, second), None);
            let abs = program.push(Op::Abs(y), None);
            for op in binary(x, y, abs) {
                program.push(op, None);
            }
            let [a, b] = [first, second].map(|(lo, hi)| values::<F>(InputKind::Float, (lo, hi)));
            // The ends, and for boxes of several floats one point inside.
            let ends = |v: &[Rational]| [v[0].clone(), v[v.len() - 1].clone()];
            let mut points = pairs(&ends(&a), &ends(&b));
            points.dedup();
            points.push(vec![a[a.len() / 2].clone(), b[b.len() / 2].clone()]);
            attack::<F>(&mut program, &points, &mut tally);
        }
    }
    tally
}

#[test]
fn operations_on_pairs_in_binary64() {
    expect_sound(&every_pair::<f64>(), 100_000);
}

#[test]
fn operations_on_pairs_in_binary32() {
    expect_sound(&every_pair::<f32>(), 100_000);
}

pub(super) fn every_number<F: Target>() -> Tally {
    let mut tally = Tally::default();
    let (min, max) = (F::FORMAT.min_exponent(), F::FORMAT.max_exponent());
    let powers = [min, min + 5, -F::FORMAT.precision(), -3, -1, 0, 1, 7, max / 2, max - 1];
    for kind in [InputKind::Float, InputKind::Real] {
        for range in tight::<F>() {
            let mut program = StraightLine::new(format!("{kind:?} {range:?}"), F::FORMAT);
            let x = program.input(input::<F>("x", kind, range), None);
            for op in unary(x, &powers) {
                program.push(op, None);
            }
            for power in powers {
                let c = program.push(Op::Const(Rational::pow2(power)), None);
                let minus = program.push(Op::Neg(c), None);
                for op in [Op::Mul(x, c), Op::Mul(minus, x), Op::Div(x, c), Op::Add(x, c), Op::Sub(c, x)] {
                    program.push(op, None);
                }
            }
            let zero = program.push(Op::Const(Rational::ZERO), None);
            program.push(Op::Add(zero, x), None);
            program.push(Op::Sub(x, zero), None);
            let points: Vec<_> = values::<F>(kind, range).into_iter().map(|value| vec![value]).collect();
            attack::<F>(&mut program, &points, &mut tally);
        }
    }
    tally
}

#[test]
fn operations_on_one_number() {
    expect_sound(&every_number::<f64>(), 30_000);
    expect_sound(&every_number::<f32>(), 30_000);
}

/// Logarithms and exponentials where they are 0, 1, powers of two, subnormal, next to nothing and next to overflow.
pub(super) fn library<F: Target>() -> Tally {
    let mut tally = Tally::default();
    let numbers =
        ["-800", "-745.14", "-708.4", "-104", "-87.33", "-88", "-1", "0.693147180559945", "1", "2.5"]
            .into_iter()
            .chain(["-36.736800569677101", "-16.6355324", "88", "87", "709", "708.3", "0.5", "7.389"]);
    let mut places: Vec<i64> = numbers.map(|n| index_of::<F>(&n.parse().expect("a number"))).collect();
    places.extend(self::places::<F>());
    let accuracies = ["1/2", "2/3", "1", "7/2", "1000"].map(|k| Accuracy::Ulps(k.parse().expect("a number")));
    for accuracy in [Accuracy::CorrectlyRounded].into_iter().chain(accuracies) {
        for (i, kind) in places.iter().flat_map(|i| [(*i, InputKind::Float), (*i, InputKind::Real)]) {
            for range in [(i, i), (i.saturating_sub(1), (i + 1).min(F::MAX.index()))] {
                let mut program = StraightLine::new(format!("library {accuracy:?}"), F::FORMAT);
                (program.libm.ln, program.libm.exp) = (accuracy.clone(), accuracy.clone());
                let x = program.input(input::<F>("x", kind, range), None);
                let (ln, exp) = (program.push(Op::Ln(x), None), program.push(Op::Exp(x), None));
                for op in [Op::Exp(ln), Op::Ln(exp), Op::Mul(ln, ln), Op::Add(exp, exp), Op::Div(ln, exp)] {
                    program.push(op, None);
                }
                let points: Vec<_> = values::<F>(kind, range).into_iter().map(|value| vec![value]).collect();
                attack::<F>(&mut program, &points, &mut tally);
            }
        }
    }
    tally
}

#[test]
fn library_functions() {
    expect_sound(&library::<f64>(), 5_000);
    expect_sound(&library::<f32>(), 5_000);
}

/// Operations on the results of others, which have errors of their own.
fn compositions<F: Target>(step: usize) -> Tally {
    let mut tally = Tally::default();
    let ranges = tight::<F>();
    let boxes = ranges.iter().flat_map(|first| ranges.iter().map(move |second| (*first, *second)));
    for (n, (first, second)) in boxes.enumerate().filter(|(n, _)| n % step == 0) {
        let kinds = if n % 2 == 0 { [InputKind::Real; 2] } else { [InputKind::Float, InputKind::Real] };
        let mut program = StraightLine::new(format!("{kinds:?} {first:?} {second:?}"), F::FORMAT);
        let x = program.input(input::<F>("x", kinds[0], first), None);
        let y = program.input(input::<F>("y", kinds[1], second), None);
        let tenth = program.push(Op::Const("1/10".parse().expect("a number")), None);
        let mut layer = vec![x, y, tenth];
        for op in [Op::Add(x, y), Op::Mul(x, y), Op::Div(x, y), Op::Mul(y, tenth), Op::Fma(x, x, y)] {
            layer.push(program.push(op, None));
        }
        let abs: Vec<NodeId> = layer.iter().map(|&a| program.push(Op::Abs(a), None)).collect();
        for (i, &a) in layer.iter().enumerate() {
            program.push(Op::Sqrt(abs[i]), None);
            for op in unary(a, &[F::FORMAT.min_exponent() + 1, -4, 0]) {
                program.push(op, None);
            }
            for (j, &b) in layer.iter().enumerate() {
                for op in binary(a, b, abs[j]) {
                    program.push(op, None);
                }
            }
        }
        let [a, b] = [(kinds[0], first), (kinds[1], second)].map(|(kind, range)| values::<F>(kind, range));
        let mut points = pairs(&a, &b);
        // A few of them, and not the same ones in every box.
        let start = n % points.len();
        points.rotate_left(start);
        points.truncate(3);
        attack::<F>(&mut program, &points, &mut tally);
    }
    tally
}

#[test]
fn operations_on_results_in_binary64() {
    expect_sound(&compositions::<f64>(29), 100_000);
}

#[test]
fn operations_on_results_in_binary32() {
    expect_sound(&compositions::<f32>(29), 100_000);
}
