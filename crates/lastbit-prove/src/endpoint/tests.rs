//! Bounds with a part left out, and what notices: exact weights exceed each of them.

use std::sync::atomic::AtomicBool;

use lastbit_lang::{Format, Input, InputKind, Law, NodeId, Op, Role, StraightLine, Tie};
use lastbit_real::{Dyadic, Rational};

use super::cases::{CaseBound, Reach, case_bounds};
use super::kappa::Ingredients;
use super::*;

fn two_roundings() -> NoiseError {
    NoiseError { relative: Rational::pow2(-52) }
}

fn snap(epsilon: &str, bound: f64, exponent: Option<i64>, sampler: Sampler) -> FloatSnap {
    let noise = Noise::Divided { epsilon: epsilon.parse().unwrap() };
    FloatSnap::new(noise, bound, exponent, Tie::Up, sampler).unwrap()
}

/// Whether some exact loss is above the bound of its case, if the bound is computed from changed ingredients.
fn noticed(mechanism: &FloatSnap, change: impl Fn(&mut Ingredients)) -> bool {
    let sensitivity = Rational::pow2(-4);
    let mut ingredients = Ingredients::of(mechanism, &two_roundings()).unwrap();
    change(&mut ingredients);
    let bounds = case_bounds(&ingredients, &Reach::of(mechanism), &sensitivity).unwrap();
    let search = Search { sensitivity, budget: Budget::Pairs(400), ..Search::default() };
    let worst = search.run(&Variant::of(mechanism.clone()), &AtomicBool::new(false), |_| ()).unwrap();
    let exceeds = |witness: &WorstPair| {
        // Wide cells leave no room between two inputs; that a case is missing is not what is to be noticed.
        let bound = bounds.iter().find(|bound| bound.case == witness.case).map(CaseBound::loss);
        bound.is_some_and(|bound| witness.loss(100).exceeds(&bound))
    };
    worst.witnesses().any(exceeds)
}

/// Where the noise is small, most of the error is the grid of `u`.
#[test]
fn the_sampler_counts() {
    let mechanism = snap("1", 0.0625, Some(-6), Sampler::Ulp);
    assert!(!noticed(&mechanism, |_| {}));
    assert!(noticed(&mechanism, |ingredients| {
        ingredients.ulp = Dyadic::ZERO;
        ingredients.least = Dyadic::ZERO;
    }));
    let coarse = snap("1", 9.0, None, Sampler::Grid53);
    assert!(!noticed(&coarse, |_| {}));
    assert!(noticed(&coarse, |ingredients| ingredients.least = Dyadic::pow2(-1074)));
}

/// Where the noise is large, most of the error is the arithmetic.
#[test]
fn the_error_of_the_noise_counts() {
    let mechanism = snap("0x1.ccccccccccccdp-1", 300.0, None, Sampler::Ulp);
    assert!(!noticed(&mechanism, |_| {}));
    assert!(noticed(&mechanism, |ingredients| ingredients.relative = Rational::ZERO));
}

/// A narrow cell is the difference of two large numbers. Without the factor coth, as of an endless cell, the bound fails.
#[test]
fn narrow_cells_count() {
    let mechanism = snap("0x1.ccccccccccccdp-1", 4.0, Some(-8), Sampler::Ulp);
    assert!(!noticed(&mechanism, |_| {}));
    assert!(noticed(&mechanism, |ingredients| ingredients.narrowest = Rational::from(1000)));
}

/// `Λ` in place of `Λ'` is wrong, if by too little for losses to show: there are cells narrower than `Λ`, and none than `Λ'`.
#[test]
fn cells_are_not_all_as_wide_as_the_grid() {
    for tie in [Tie::Up, Tie::Even, Tie::Away] {
        let noise = Noise::Divided { epsilon: Rational::ONE };
        let mechanism = FloatSnap::new(noise, 100.0, Some(-1), tie, Sampler::Ulp).unwrap();
        let (narrowest, widest) = mechanism.widths();
        let top = mechanism.top();
        let midpoint = |k: i64| Rational::from(mechanism.midpoint(k));
        let widths: Vec<Rational> = (1 - top..top).map(|k| midpoint(k + 1) - midpoint(k)).collect();
        assert!(widths.iter().all(|width| narrowest <= *width && *width <= widest), "{tie:?}");
        assert!(widths.iter().any(|width| *width < mechanism.grid()), "{tie:?}");
    }
}

/// No double is a midpoint, and an input lies between the midpoints of the output that it rounds to.
#[test]
fn inputs_lie_inside_of_their_cells() {
    let mechanism = snap("1", 3.5, None, Sampler::Ulp);
    let exact = |x: f64| Rational::try_from(x).unwrap();
    for f in [0.5, 0.5f64.next_down(), -0.5, (-0.5f64).next_down(), 0.0, 5e-324, 1.25, -2.5] {
        let k = mechanism.number_of(f);
        let [low, high] = [k, k + 1].map(|k| Rational::from(mechanism.midpoint(k)));
        assert!(low < exact(f) && exact(f) < high, "{f}");
    }
}

/// `clamp_B(⌊clamp_B(f) ⊕ s ⊗ (LN(u) ⊘ ε)⌉_Λ)`, and the nodes of `f`, `x`, `y` and the sum.
fn program(epsilon: Rational) -> (StraightLine, [NodeId; 4]) {
    let mut program = StraightLine::new("snap", Format::Binary64);
    let mut input = |name: &str, role, kind, lo: i64, hi: i64| {
        let input = Input { name: name.to_owned(), role, kind, lo: lo.into(), hi: hi.into() };
        program.input(input, None)
    };
    let f = input("f", Role::Argument, InputKind::Float, -1000, 1000);
    let u = input("u", Role::Sample(Law::Unif(Default::default())), InputKind::Float, 0, 1);
    let s = input("s", Role::Sample(Law::Sign), InputKind::Sign, -1, 1);
    let mut push = |op| program.push(op, None);
    let bound = push(Op::Const(Rational::from(10)));
    let epsilon = push(Op::Const(epsilon));
    let x = push(Op::Clamp { arg: f, bound });
    let ln = push(Op::Ln(u));
    let y = push(Op::Div(ln, epsilon));
    let z = push(Op::Mul(s, y));
    let w = push(Op::Add(x, z));
    let rounded = push(Op::Round { arg: w, exponent: 1, tie: Tie::Up });
    program.result = push(Op::Clamp { arg: rounded, bound });
    (program, [f, x, y, w])
}

#[test]
fn the_shape_is_recognised() {
    let (program, [f, x, y, _]) = program("1/2".parse().unwrap());
    let shape = recognise(&program).unwrap();
    assert_eq!((shape.f, shape.x, shape.y, shape.exponent), (f, x, y, 1));
    let mechanism = shape.mechanism(&program).unwrap();
    assert_eq!((mechanism.bound(), mechanism.sampler()), (10.0, Sampler::Ulp));
    assert_eq!(*mechanism.rate(), "1/2".parse().unwrap());
    assert_eq!(mechanism.grid(), Rational::from(2));
}

/// The samplers do not keep to the range that a program declares for `u`, where the error may be smaller.
#[test]
fn the_error_is_that_of_all_doubles() {
    let error = |lo: Rational, hi: Rational| {
        let (mut program, _) = program(Rational::ONE);
        (program.inputs[1].lo, program.inputs[1].hi) = (lo, hi);
        noise_error(&program, &recognise(&program).unwrap()).unwrap()
    };
    let all = error(Rational::pow2(-1074), Rational::ONE);
    assert!(all.relative >= Rational::pow2(-53) && all.is_within_theorem_a());
    assert_eq!(error("2/5".parse().unwrap(), "1/2".parse().unwrap()), all);
}

#[test]
fn other_shapes_are_refused_by_node() {
    let (original, [f, x, y, w]) = program(Rational::ONE);
    let refused = |change: &dyn Fn(&mut StraightLine)| {
        let mut program = original.clone();
        change(&mut program);
        let error = recognise(&program).unwrap_err();
        (error.node, error.reason)
    };
    assert_eq!(refused(&|p| p.format = Format::Binary32), (original.result, ShapeReason::Binary64));
    assert_eq!(refused(&|p| p.result = w), (w, ShapeReason::OuterClamp));
    assert_eq!(refused(&|p| p.nodes[x].op = Op::Neg(f)), (x, ShapeReason::InnerClamp));
    assert_eq!(refused(&|p| p.nodes[w].op = Op::Sub(x, y)), (w, ShapeReason::Sum));
    assert_eq!(refused(&|p| p.nodes[w].op = Op::Add(x, y)), (y, ShapeReason::SignTimesNoise));
    assert_eq!(refused(&|p| p.nodes[y].op = Op::Exp(f)), (y, ShapeReason::Noise));
    assert_eq!(refused(&|p| p.inputs[0].kind = InputKind::Real), (f, ShapeReason::Value));
    // Who is a sample, who an argument.
    let of = |place: usize, role: Role| move |p: &mut StraightLine| p.inputs[place].role = role;
    assert_eq!(refused(&of(0, Role::Parameter)), (f, ShapeReason::Value));
    for role in [Role::Argument, Role::Parameter, Role::Sample(Law::Sign)] {
        assert_eq!(refused(&of(1, role)), (1, ShapeReason::Uniform));
    }
    for role in [Role::Argument, Role::Parameter, Role::Sample(Law::Bernoulli)] {
        assert_eq!(refused(&of(2, role)), (2, ShapeReason::Sign));
    }
    assert_eq!(refused(&|p| p.nodes[4].op = Op::Input(0)), (4, ShapeReason::Public));
    assert_eq!(refused(&|p| p.nodes[3].op = Op::Input(0)), (3, ShapeReason::Public));
}
