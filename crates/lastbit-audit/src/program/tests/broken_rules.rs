//! Every rule, broken: the brute force must notice.

use lastbit_lang::{Format, NodeId, Op};

use super::super::monotone::Rules;
use super::super::rules::{self, Direction, Operand, Reason};
use super::random::ZEROS;
use super::soundness::check;
use crate::Sampler;

type Of<'a> = &'a dyn Fn(NodeId) -> Operand<f64>;
type Operation = fn(&Op, Of<'_>) -> Result<Direction, Reason>;

fn both(a: Direction, b: Direction) -> Result<Direction, Reason> {
    a.with(b).ok_or(Reason::Opposite)
}

/// The first one, unless it is constant.
fn either(a: Direction, b: Direction) -> Result<Direction, Reason> {
    Ok(if a == Direction::Constant { b } else { a })
}

/// By the sign of the number, to which -0 is like +0.
fn times_sign_of_number(a: Operand<f64>, factor: Operand<f64>) -> Result<Direction, Reason> {
    match a.direction {
        Direction::Constant => Ok(Direction::Constant),
        direction if factor.range[0] >= 0.0 => Ok(direction),
        direction if factor.range[1] <= 0.0 => Ok(direction.reversed()),
        _ => Err(Reason::MixedSign),
    }
}

/// Wrong rules for operations, by what is wrong with them.
const OPERATIONS: [(&str, Operation); 18] = [
    ("negation keeps the direction", |op, of| match *op {
        Op::Neg(a) => Ok(of(a).direction),
        _ => rules::operation(op, of),
    }),
    ("an absolute value keeps the direction", |op, of| match *op {
        Op::Abs(a) => Ok(of(a).direction),
        _ => rules::operation(op, of),
    }),
    ("a sum follows its first term", |op, of| match *op {
        Op::Add(a, b) => either(of(a).direction, of(b).direction),
        _ => rules::operation(op, of),
    }),
    ("a difference is like a sum", |op, of| match *op {
        Op::Sub(a, b) => both(of(a).direction, of(b).direction),
        _ => rules::operation(op, of),
    }),
    ("a product does not mind signs", |op, of| match *op {
        Op::Mul(a, b) => both(of(a).direction, of(b).direction),
        _ => rules::operation(op, of),
    }),
    ("a factor of -0 is like one of +0", |op, of| match *op {
        Op::Mul(a, b) => both(times_sign_of_number(of(a), of(b))?, times_sign_of_number(of(b), of(a))?),
        _ => rules::operation(op, of),
    }),
    ("a fused factor of -0 is like one of +0", |op, of| match *op {
        Op::Fma(a, b, c) => {
            let product = both(times_sign_of_number(of(a), of(b))?, times_sign_of_number(of(b), of(a))?)?;
            both(product, of(c).direction)
        }
        _ => rules::operation(op, of),
    }),
    ("a quotient is like a product", |op, of| match *op {
        Op::Div(a, b) => rules::operation(&Op::Mul(a, b), of),
        _ => rules::operation(op, of),
    }),
    ("a quotient does not mind a divisor through zero", |op, of| match *op {
        Op::Div(a, b) if of(a).direction == Direction::Constant => {
            let sign = of(a).range[0] > 0.0;
            Ok(if sign { of(b).direction.reversed() } else { of(b).direction })
        }
        _ => rules::operation(op, of),
    }),
    ("a fused multiplication follows its product", |op, of| match *op {
        Op::Fma(a, b, c) => either(rules::operation(&Op::Mul(a, b), of)?, of(c).direction),
        _ => rules::operation(op, of),
    }),
    ("a fused multiplication does not mind signs", |op, of| match *op {
        Op::Fma(a, b, c) => both(both(of(a).direction, of(b).direction)?, of(c).direction),
        _ => rules::operation(op, of),
    }),
    ("a root falls", |op, of| match *op {
        Op::Sqrt(a) => Ok(of(a).direction.reversed()),
        _ => rules::operation(op, of),
    }),
    ("a logarithm falls", |op, of| match *op {
        Op::Ln(a) => Ok(of(a).direction.reversed()),
        _ => rules::operation(op, of),
    }),
    ("an exponential falls", |op, of| match *op {
        Op::Exp(a) => Ok(of(a).direction.reversed()),
        _ => rules::operation(op, of),
    }),
    ("a minimum follows its first operand", |op, of| match *op {
        Op::Min(a, b) => either(of(a).direction, of(b).direction),
        _ => rules::operation(op, of),
    }),
    ("a maximum follows its first operand", |op, of| match *op {
        Op::Max(a, b) => either(of(a).direction, of(b).direction),
        _ => rules::operation(op, of),
    }),
    ("a clamp does not mind its bound", |op, of| match *op {
        Op::Clamp { arg, bound } => either(of(arg).direction, of(bound).direction),
        _ => rules::operation(op, of),
    }),
    ("rounding to a grid is constant", |op, of| match *op {
        Op::Round { .. } => Ok(Direction::Constant),
        _ => rules::operation(op, of),
    }),
];

/// Whether brute force finds a program on which the rules are wrong.
fn is_noticed(rules: &Rules<f64>) -> bool {
    let mut seeds = (0..40_000).chain(ZEROS..ZEROS + 40_000);
    seeds.any(|seed| check(seed, Format::Binary64, Sampler::Grid53, true, rules).0.is_some())
}

/// Otherwise it would not be the wrong rule that is noticed.
#[test]
fn nothing_is_noticed_of_the_right_rules() {
    assert!(!is_noticed(&Rules::sound()));
}

#[test]
fn wrong_rules_for_operations_are_noticed() {
    for (what, operation) in OPERATIONS {
        assert!(is_noticed(&Rules { operation, ..Rules::sound() }), "{what}");
    }
}

#[test]
fn wrong_rules_for_choices_are_noticed() {
    let any_condition = Rules { condition: |lhs, rhs| either(lhs, rhs), ..Rules::sound() };
    assert!(is_noticed(&any_condition), "any condition changes once");
    let any_jump = Rules { switch: |first, second, _| both(first, second), ..Rules::sound() };
    assert!(is_noticed(&any_jump), "jumps do not matter");
    let number_jump = Rules {
        switch: |first, second, [before, after]| match before == after {
            true => both(first, second),
            false => rules::switch(first, second, [before, after]),
        },
        ..Rules::sound()
    };
    assert!(is_noticed(&number_jump), "jumps from zero to zero do not matter");
    let any_branch = Rules {
        switch: |first, _, [before, after]| match first {
            Direction::Constant if before <= after => Ok(Direction::Increasing),
            Direction::Constant => Ok(Direction::Decreasing),
            direction => direction.with(Direction::Constant).ok_or(Reason::Opposite),
        },
        ..Rules::sound()
    };
    assert!(is_noticed(&any_branch), "the first branch decides");
}

/// An error of the library goes through a difference the other way.
#[test]
fn wrong_rules_for_the_library_are_noticed() {
    let operation: Operation = |op, of| match *op {
        Op::Sub(a, b) => either(of(a).direction, of(b).direction),
        _ => rules::operation(op, of),
    };
    let rules = Rules { operation, ..Rules::sound() };
    let is_outside = |seed| {
        let (wrong, _) = check(seed, Format::Binary64, Sampler::Grid53, false, &rules);
        wrong.is_some_and(|wrong| wrong.contains("outside of its envelope"))
    };
    assert!((0..40_000).any(is_outside));
}
