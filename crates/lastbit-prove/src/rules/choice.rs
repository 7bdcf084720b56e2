//! Operations that choose: minimum, maximum, if.

use lastbit_lang::{Comparison, NodeId, Op, StraightLine};
use lastbit_real::{Dyadic, Enclosure};

use super::{Judgement, Judgements};
use crate::refusal::Refusal;
use crate::rounding::up;

/// Which operand an operation that chooses takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Choice {
    /// The first, for all values.
    First,
    /// The second, for all values.
    Second,
    /// It depends, but both readings choose alike.
    Either,
    /// It depends, and one reading may take the one and the other the other.
    Crossed,
}

/// The choice of a [`Op::Select`], [`Op::Min`] or [`Op::Max`].
pub(crate) fn choice(program: &StraightLine, id: NodeId, known: &Judgements) -> Result<Choice, Refusal> {
    let of = |operand: NodeId| known[operand].as_ref().map_err(Refusal::clone);
    let (test, lhs, rhs) = match program.nodes[id].op {
        Op::Select { test, lhs, rhs, .. } => (test, of(lhs)?, of(rhs)?),
        Op::Min(a, b) => (Comparison::LessOrEqual, of(a)?, of(b)?),
        Op::Max(a, b) => (Comparison::LessOrEqual, of(b)?, of(a)?),
        _ => return Ok(Choice::First),
    };
    Ok(match decide(test, lhs, rhs) {
        Some(true) => Choice::First,
        Some(false) => Choice::Second,
        None if lhs.is_exact() && rhs.is_exact() => Choice::Either,
        None => Choice::Crossed,
    })
}

/// Whether the comparison holds for all values of both readings, for none, or it depends.
fn decide(test: Comparison, lhs: &Judgement, rhs: &Judgement) -> Option<bool> {
    let both = |x: &Judgement| x.float.hull(&x.range);
    let (lhs, rhs) = (both(lhs), both(rhs));
    match test {
        Comparison::Less if lhs.hi() < rhs.lo() => Some(true),
        Comparison::Less if lhs.lo() >= rhs.hi() => Some(false),
        Comparison::LessOrEqual if lhs.hi() <= rhs.lo() => Some(true),
        Comparison::LessOrEqual if lhs.lo() > rhs.hi() => Some(false),
        Comparison::Equal if lhs.lo() == lhs.hi() && lhs == rhs => Some(true),
        Comparison::Equal if lhs.hi() < rhs.lo() || rhs.hi() < lhs.lo() => Some(false),
        _ => None,
    }
}

/// MIN: exact on floats, and never farther apart than the operands.
pub(super) fn min(a: &Judgement, b: &Judgement) -> Judgement {
    match decide(Comparison::LessOrEqual, a, b) {
        Some(true) => a.passed_on(),
        Some(false) => b.passed_on(),
        None => join(a, b, a.range.min(&b.range), a.float.min(&b.float)),
    }
}

/// MAX, as MIN.
pub(super) fn max(a: &Judgement, b: &Judgement) -> Judgement {
    match decide(Comparison::LessOrEqual, b, a) {
        Some(true) => a.passed_on(),
        Some(false) => b.passed_on(),
        None => join(a, b, a.range.max(&b.range), a.float.max(&b.float)),
    }
}

fn join(a: &Judgement, b: &Judgement, range: Enclosure, float: Enclosure) -> Judgement {
    let error = (&a.error).max(&b.error).clone();
    let relative =
        a.relative.as_ref().zip(b.relative.as_ref()).map(|(first, second)| first.max(second).clone());
    Judgement { range, float, propagated: error.clone(), rounding: Dyadic::ZERO, relative, error }
}

/// A choice that depends on the values. If the test is on exact numbers, both readings choose alike; else one may take the one
/// branch and the other the other.
pub(crate) fn select(same_choice: bool, then: &Judgement, otherwise: &Judgement) -> Judgement {
    let mut joined =
        join(then, otherwise, then.range.hull(&otherwise.range), then.float.hull(&otherwise.float));
    if !same_choice {
        let apart = |f: &Enclosure, r: &Enclosure| (f.hi() - r.lo()).max(r.hi() - f.lo());
        let crossed = apart(&then.float, &otherwise.range).max(apart(&otherwise.float, &then.range));
        joined.error = up(&crossed).max(joined.error);
        joined.propagated = joined.error.clone();
        joined.relative = joined.error.is_zero().then_some(Dyadic::ZERO);
    }
    joined
}
