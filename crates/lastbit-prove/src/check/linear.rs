//! Linear forms: the second bound, from the result back to the inputs.

use lastbit_lang::{NodeId, Op, StraightLine};
use lastbit_real::{Dyadic, Enclosure};

use super::exact::{compare, first_is_maximum, first_is_minimum};
use super::judgement::Judgement;
use super::numbers::{
    coefficient, exp_above, exp_below, max_abs, outward, outward_quotient, outward_root, up,
};

/// `Σ C_i·ε_i`
pub(super) struct LinearForm {
    /// `C_i` of every node.
    pub(super) coefficients: Vec<Enclosure>,
    /// `E`
    pub(super) error: Dyadic,
}

/// The linear form of the result, if there is one.
pub(super) fn linear_form(program: &StraightLine, judgements: &[Option<Judgement>]) -> Option<LinearForm> {
    let largest = Dyadic::pow2(4096);
    let zero = Enclosure::exact(Dyadic::ZERO);
    let mut coefficients = vec![zero.clone(); judgements.len()];
    coefficients[program.result] = Enclosure::exact(Dyadic::ONE);
    let mut error = Dyadic::ZERO;
    for id in (0..=program.result).rev() {
        if coefficients[id] == zero {
            continue;
        }
        let c = coefficient(&coefficients[id]);
        if max_abs(&c) > largest {
            return None;
        }
        let judgement = judgements[id].as_ref()?;
        let slopes = slopes(&program.nodes[id].op, judgement, judgements);
        let own = if slopes.is_some() { &judgement.p } else { &judgement.d };
        error = up(&(error + max_abs(&c) * own));
        for (operand, slope) in slopes.unwrap_or_default() {
            coefficients[operand] = &coefficients[operand] + &(&slope * &c);
        }
        coefficients[id] = c;
    }
    Some(LinearForm { coefficients, error })
}

/// The slopes of an operation, or `None` if it has none and its `d` counts.
fn slopes(op: &Op, own: &Judgement, judgements: &[Option<Judgement>]) -> Option<Vec<(NodeId, Enclosure)>> {
    let of = |id: NodeId| judgements[id].as_ref();
    let one = || Enclosure::exact(Dyadic::ONE);
    let minus_one = || Enclosure::exact(-Dyadic::ONE);
    let unit = || one().hull(&Enclosure::exact(Dyadic::ZERO));
    let either_sign = || one().hull(&minus_one());
    let select = |first: Option<bool>, a: NodeId, b: NodeId| match first {
        Some(true) => vec![(a, one())],
        Some(false) => vec![(b, one())],
        None => vec![(a, unit()), (b, unit())],
    };
    let list = match *op {
        Op::Input(_) | Op::Const(_) => vec![],
        Op::Neg(a) => vec![(a, minus_one())],
        Op::Abs(a) => {
            let domain = of(a)?.domain();
            let slope = match (domain.lo().signum(), domain.hi().signum()) {
                (1, _) => one(),
                (_, -1) => minus_one(),
                _ => either_sign(),
            };
            vec![(a, slope)]
        }
        Op::Add(a, b) => vec![(a, one()), (b, one())],
        Op::Sub(a, b) => vec![(a, one()), (b, minus_one())],
        Op::Mul(a, b) => product_slopes(a, b, of(a)?, of(b)?),
        Op::Fma(a, b, c) => {
            let mut list = product_slopes(a, b, of(a)?, of(b)?);
            list.push((c, one()));
            list
        }
        Op::Div(a, b) => {
            let inverse = outward_quotient(&one(), &of(b)?.float)?;
            let by_divisor = outward(&-&(&own.real * &inverse));
            vec![(a, inverse), (b, by_divisor)]
        }
        Op::Sqrt(a) => {
            let values = outward_root(&of(a)?.float)?;
            vec![(a, outward_quotient(&one(), &(&values + &own.real))?)]
        }
        Op::Ln(a) => vec![(a, outward_quotient(&one(), &of(a)?.domain())?)],
        Op::Exp(a) => {
            let domain = of(a)?.domain();
            if max_abs(&domain) >= Dyadic::pow2(11) {
                return None;
            }
            vec![(a, Enclosure::new(exp_below(domain.lo())?, exp_above(domain.hi())?)?)]
        }
        Op::Min(a, b) => select(first_is_minimum(of(a)?, of(b)?), a, b),
        Op::Max(a, b) => select(first_is_maximum(of(a)?, of(b)?), a, b),
        Op::Clamp { arg, bound } => vec![(arg, unit()), (bound, either_sign())],
        Op::Round { .. } => return None,
        Op::Select { test, lhs, rhs, then, otherwise } => {
            let (lhs, rhs) = (of(lhs)?, of(rhs)?);
            let decided = compare(test, &lhs.domain(), &rhs.domain());
            if decided.is_none() && !(lhs.is_exact() && rhs.is_exact()) {
                return None;
            }
            select(decided, then, otherwise)
        }
    };
    Some(list)
}

/// `f₁f₂ - r₁r₂ = f₂·(f₁ - r₁) + r₁·(f₂ - r₂)`
fn product_slopes(a: NodeId, b: NodeId, first: &Judgement, second: &Judgement) -> Vec<(NodeId, Enclosure)> {
    if a == b {
        return vec![(a, &first.float + &first.real)];
    }
    vec![(a, second.float.clone()), (b, first.real.clone())]
}
