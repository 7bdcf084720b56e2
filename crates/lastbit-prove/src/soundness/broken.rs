//! Broken rules, which the tests must notice: how else to know that they would notice a mistake?
//!
//! The shipped rules conclude first; then a mutation puts in place of their judgement what the broken rule would have concluded from
//! the same operands, and later nodes build on that. What a mutation does not name stays as it was, so that it is noticed for what it breaks.

use std::cell::Cell;

use lastbit_lang::{NodeId, Op, StraightLine};
use lastbit_real::Enclosure;

use super::broken_rules::Node;
use crate::refusal::Refusal;
use crate::rules::{Judgement, Judgements};

/// A list of variants, and all of them: none can be left out.
macro_rules! mutations {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// A way to break a rule.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub(crate) enum Mutation {
            $($(#[$doc])* $name,)*
        }

        impl Mutation {
            pub(crate) const ALL: &'static [Mutation] = &[$(Mutation::$name,)*];
        }
    };
}

mutations! {
    /// A rounding bound of half its size.
    HalfTheRounding,
    /// A relative bound that takes no notice of subnormal results: the dropped τ.
    ForgetUnderflow,
    /// The product's range from two corners instead of four.
    WrongCorner,
    /// The error of a linear form without the slope of one operand.
    ForgetSlope,
    /// A product's error without what the second operand's error does.
    ForgetPropagation,
    /// A quotient's error divided by the largest divisor instead of the least.
    WrongDenominator,
    /// Every difference taken for exact.
    SterbenzAnyway,
    /// The relative bound of a sum, whatever the signs.
    AnySigns,
    /// Scaling by a power of two taken for exact where it makes subnormal numbers.
    ScalingIsExact,
    /// Numbers rounded to a grid, as if ties always went up.
    ForgetTies,
    /// Choices taken for the same in both readings.
    NeverCrossed,
    /// Comparisons decided by the real values alone.
    DecideOnReals,
    /// Products without the product of the errors.
    FirstOrder,
    /// `e^d - 1` taken for `d`.
    LinearGrowth,
    /// A quotient's error divided by the least real divisor instead of the least float.
    RealDivisor,
    /// A logarithm's error divided by the largest argument.
    FarLogarithm,
    /// A root's error divided by the largest roots.
    FarRoot,
    /// Relative bounds without the operation's own rounding.
    RelativelyExact,
    /// The error of a linear form without that of a clamp's bound.
    ForgetBound,
    /// The rounding bound beyond a power of two without what lies below it.
    BeyondThePower,
    /// Half the error of a library that is so many ulps off.
    HalfTheUlps,
}

thread_local! {
    static ACTIVE: Cell<Option<Mutation>> = const { Cell::new(None) };
}

/// Breaks a rule on this thread, until the next call.
pub(crate) fn set(mutation: Option<Mutation>) {
    ACTIVE.set(mutation);
}

/// The conclusion of a node, by the rule as it is broken now.
pub(crate) fn judgement(
    program: &StraightLine,
    id: NodeId,
    known: &Judgements,
    correct: Result<Judgement, Refusal>,
) -> Result<Judgement, Refusal> {
    let Some(mutation) = ACTIVE.get() else { return correct };
    let correct = correct?;
    let node = Node { program, id, known, correct: &correct };
    Ok(node.conclude(mutation).unwrap_or(correct))
}

/// The slopes of a node, as they are broken now.
pub(crate) fn slopes(
    program: &StraightLine,
    id: NodeId,
    known: &Judgements,
    mut slopes: Vec<(NodeId, Enclosure)>,
) -> Vec<(NodeId, Enclosure)> {
    match (ACTIVE.get(), &program.nodes[id].op) {
        (Some(Mutation::ForgetSlope), _) if !slopes.is_empty() => drop(slopes.remove(0)),
        (Some(Mutation::ForgetBound), Op::Clamp { .. }) => slopes.truncate(1),
        // f1·f2 - r1·r2 with r2·(f1 - r1) instead of f2·(f1 - r1).
        (Some(Mutation::FirstOrder), Op::Mul(a, b)) if a != b => {
            slopes[0].1 = known[*b].as_ref().expect("a product has a judgement of its factors").range.clone();
        }
        _ => {}
    }
    slopes
}
