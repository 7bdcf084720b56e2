//! Linear forms: the error of the result as `Σ C_i·ε_i`, where `ε_i` is what node `i` itself adds.
//!
//! For every operation `f - r = Σ_j S_j·(f_j - r_j) + ε` holds exactly, with slopes `S_j` that lie in known intervals: for a product
//! `f1·f2 - r1·r2 = f2·(f1 - r1) + r1·(f2 - r2)`. So the error of the result is a linear form in the `ε_i`, whose coefficients one pass from the
//! result back to the inputs encloses. A variable that occurs twice has one coefficient in which its occurrences add up or cancel,
//! where the rules of [`crate::rules`] add up magnitudes.

use lastbit_lang::{NodeId, Op, StraightLine};
use lastbit_real::{Dyadic, Enclosure};

use crate::rounding::{RANGE_BITS, exp_ends, image, outward, rounded_outward, sqrt_ends, up};
use crate::rules::{Choice, Judgement, Judgements, choice};

/// Significant bits of the ends of a coefficient.
pub(crate) const COEFFICIENT_BITS: u32 = 40;

/// From arguments of `2^11` on the exponential has no slope worth the digits.
const EXP_SLOPE_LIMIT_LOG2: i64 = 11;

/// With a coefficient above `2^LARGEST_LOG2` there is no linear form.
const LARGEST_LOG2: i64 = 4096;

/// The error of a result, as a linear form.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinearForm {
    /// `C_i`, for every node.
    pub coefficients: Vec<Enclosure>,
    /// A bound on `|Σ C_i·ε_i|`.
    pub error: Dyadic,
}

fn one() -> Enclosure {
    Enclosure::exact(Dyadic::ONE)
}

fn between(lo: i64, hi: i64) -> Enclosure {
    Enclosure::new(Dyadic::from(lo), Dyadic::from(hi)).expect("in order")
}

fn inverse(divisor: &Enclosure) -> Enclosure {
    outward(&one().div(divisor, RANGE_BITS).expect("the rule of the node has refused 0"))
}

/// The slopes of a node, and the bound on its own `ε`.
pub(crate) fn slopes(
    program: &StraightLine,
    id: NodeId,
    known: &Judgements,
) -> (Vec<(NodeId, Enclosure)>, Dyadic) {
    let of = |operand: NodeId| known[operand].as_ref().expect("the judgement of this node rests on it");
    let this = of(id);
    let own = this.rounding.clone();
    let slopes = match program.nodes[id].op {
        Op::Input(_) | Op::Const(_) => vec![],
        Op::Neg(a) => vec![(a, -&one())],
        Op::Abs(a) => vec![(a, sign_of(of(a)))],
        Op::Add(a, b) => vec![(a, one()), (b, one())],
        Op::Sub(a, b) => vec![(a, one()), (b, -&one())],
        // f² - r² = (f + r)(f - r)
        Op::Mul(a, b) if a == b => vec![(a, &of(a).float + &of(a).range)],
        Op::Mul(a, b) => vec![(a, of(b).float.clone()), (b, of(a).range.clone())],
        // f1/f2 - r1/r2 = (f1 - r1)/f2 - (r1/r2)/f2·(f2 - r2)
        Op::Div(a, b) => {
            let inverse = inverse(&of(b).float);
            let second = outward(&-&(&this.range * &inverse));
            vec![(a, inverse), (b, second)]
        }
        Op::Fma(a, b, c) if a == b => vec![(a, &of(a).float + &of(a).range), (c, one())],
        Op::Fma(a, b, c) => vec![(a, of(b).float.clone()), (b, of(a).range.clone()), (c, one())],
        Op::Sqrt(a) => match root_slope(of(a), this) {
            Some(slope) => vec![(a, slope)],
            None => return (vec![], this.error.clone()),
        },
        // The mean value theorem: 1/ξ and e^ξ for some ξ between r and f.
        Op::Ln(a) => vec![(a, inverse(&of(a).float.hull(&of(a).range)))],
        Op::Exp(a) => {
            let both = of(a).float.hull(&of(a).range);
            if both.abs().hi().floor_log2().is_some_and(|log2| log2 >= EXP_SLOPE_LIMIT_LOG2) {
                return (vec![], this.error.clone());
            }
            vec![(a, image(&both, exp_ends))]
        }
        Op::Min(a, b) | Op::Max(a, b) => match choice(program, id, known) {
            Ok(Choice::First) => vec![(a, one())],
            Ok(Choice::Second) => vec![(b, one())],
            // min(f1, f2) - min(r1, r2) lies between f1 - r1 and f2 - r2.
            _ => vec![(a, between(0, 1)), (b, between(0, 1))],
        },
        Op::Clamp { arg, bound } => vec![(arg, between(0, 1)), (bound, between(-1, 1))],
        // Not continuous: the whole error counts as this node's own.
        Op::Round { .. } => return (vec![], this.error.clone()),
        Op::Select { then, otherwise, .. } => match choice(program, id, known) {
            Ok(Choice::First) => vec![(then, one())],
            Ok(Choice::Second) => vec![(otherwise, one())],
            Ok(Choice::Either) => vec![(then, between(0, 1)), (otherwise, between(0, 1))],
            _ => return (vec![], this.error.clone()),
        },
    };
    (slopes, own)
}

/// `(|f| - |r|)/(f - r)`
fn sign_of(a: &Judgement) -> Enclosure {
    match a.float.hull(&a.range).sign() {
        Some(std::cmp::Ordering::Greater) => one(),
        Some(std::cmp::Ordering::Less) => -&one(),
        _ => between(-1, 1),
    }
}

/// `1/(√f + √r)`, where it is bounded.
fn root_slope(a: &Judgement, root: &Judgement) -> Option<Enclosure> {
    let divisor = &image(&a.float, sqrt_ends) + &root.range;
    (divisor.lo().signum() > 0).then(|| inverse(&divisor))
}

/// The linear form of the result, if the rules have a judgement for it and its coefficients are not beyond all measure.
pub(crate) fn linear_form(program: &StraightLine, known: &Judgements) -> Option<LinearForm> {
    known[program.result].as_ref().ok()?;
    let zero = Enclosure::exact(Dyadic::ZERO);
    let mut coefficients = vec![zero.clone(); program.nodes.len()];
    coefficients[program.result] = one();
    let mut error = Dyadic::ZERO;
    for id in (0..=program.result).rev() {
        if coefficients[id] == zero {
            continue;
        }
        coefficients[id] = rounded_outward(&coefficients[id], COEFFICIENT_BITS);
        if *coefficients[id].abs().hi() > Dyadic::pow2(LARGEST_LOG2) {
            return None;
        }
        let (slopes, own) = slopes(program, id, known);
        #[cfg(test)]
        let slopes = crate::soundness::broken::slopes(program, id, known, slopes);
        let magnitude = coefficients[id].abs().hi().clone();
        error = up(&(&error + &(&magnitude * &own)));
        for (operand, slope) in slopes {
            coefficients[operand] = &coefficients[operand] + &(&slope * &coefficients[id]);
        }
    }
    Some(LinearForm { coefficients, error })
}
