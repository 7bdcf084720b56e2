//! `e_R`: the real reading.

use crate::{Comparison, Node, NodeId, Op, StraightLine};
use lastbit_real::{Dyadic, Enclosure, Rational, exp_rational, ln_rational};

use super::value::{RealValue, Trouble, add};
use super::{EvalError, grid};

/// Working bits beyond those asked for, in the first attempt.
const GUARD_BITS: u32 = 32;

/// Working bits up to which attempts go on. Binary64 spans 2^-1074 to 2^1024: cancellation between floats is resolved well below.
const MAX_BITS: u32 = 1 << 13;

/// Exponentials of more than this overflow what is computed with; those of less than its negative's square are next to nothing.
const MAX_EXPONENT_LOG2: i64 = 20;

/// The real value of the result, enclosed.
///
/// Ensures: contains the value; at most `2^-bits` of it wide, or (so close to zero that no float of the format is near)
/// `2^-bits` of the format's least positive number.
pub fn eval_real(program: &StraightLine, inputs: &[Rational], bits: u32) -> Result<Enclosure, EvalError> {
    eval_real_value(program, inputs, bits).map(|value| value.enclosure(bits))
}

/// Like [`eval_real`], but a short fraction is returned exactly.
pub fn eval_real_value(
    program: &StraightLine,
    inputs: &[Rational],
    bits: u32,
) -> Result<RealValue, EvalError> {
    let least = program.format.min_exponent() - i64::from(bits);
    let max_bits = MAX_BITS.max(bits.saturating_mul(2).saturating_add(GUARD_BITS));
    let mut working = bits.saturating_add(GUARD_BITS);
    loop {
        let mut nodes = eval_real_nodes(program, inputs, working)?;
        match nodes.swap_remove(program.result) {
            Ok(value) if is_narrow(&value, bits, least) => return Ok(value),
            Ok(_) | Err(EvalError::Undecided { .. }) if working < max_bits => {}
            Ok(_) => return Err(EvalError::Undecided { node: program.result, bits: working }),
            Err(error) => return Err(error),
        }
        working = working.saturating_mul(2).min(max_bits);
    }
}

/// The real values of all nodes, as far as `bits` working bits tell.
pub fn eval_real_nodes(
    program: &StraightLine,
    inputs: &[Rational],
    bits: u32,
) -> Result<Vec<Result<RealValue, EvalError>>, EvalError> {
    if inputs.len() != program.inputs.len() {
        return Err(EvalError::InputCount { expected: program.inputs.len(), found: inputs.len() });
    }
    let mut evaluator = Evaluator { inputs, bits, values: Vec::with_capacity(program.nodes.len()) };
    for (id, node) in program.nodes.iter().enumerate() {
        let value = evaluator.node(id, node);
        evaluator.values.push(value);
    }
    Ok(evaluator.values)
}

/// Whether the value is known to `2^-bits` of itself, or to `2^least`.
fn is_narrow(value: &RealValue, bits: u32, least: i64) -> bool {
    let RealValue::Within(enclosure) = value else { return true };
    let magnitude = enclosure.abs();
    let (Some(small), Some(large)) = (magnitude.lo().floor_log2(), magnitude.hi().floor_log2()) else {
        return magnitude.hi().floor_log2().is_none_or(|log2| log2 + 2 <= least);
    };
    // Ends of different binades need not be subtracted to see that they are apart, or that both are tiny.
    let close = large - small <= 1 && enclosure.width() <= magnitude.lo().shl(-i64::from(bits));
    close || large + 2 <= least
}

struct Evaluator<'p> {
    inputs: &'p [Rational],
    bits: u32,
    values: Vec<Result<RealValue, EvalError>>,
}

type Outcome = Result<RealValue, EvalError>;

impl Evaluator<'_> {
    fn node(&self, id: NodeId, node: &Node) -> Outcome {
        match node.op {
            Op::Input(input) => match self.inputs.get(input) {
                Some(value) => self.exact(id, value.clone()),
                None => Err(EvalError::InputCount { expected: input + 1, found: self.inputs.len() }),
            },
            Op::Const(ref value) => self.exact(id, value.clone()),
            Op::Neg(a) => Ok(negated(self.value(a)?)),
            Op::Abs(a) => Ok(match self.value(a)? {
                RealValue::Exact(value) => RealValue::Exact(value.abs()),
                RealValue::Within(enclosure) => RealValue::Within(enclosure.abs()),
            }),
            Op::Add(a, b) => self.sum(id, self.value(a)?, self.value(b)?),
            Op::Sub(a, b) if a == b => self.value(a).map(|_| RealValue::Exact(Rational::ZERO)),
            Op::Sub(a, b) => self.sum(id, self.value(a)?, &negated(self.value(b)?)),
            Op::Mul(a, b) => self.product(id, self.value(a)?, self.value(b)?),
            Op::Div(a, b) => self.quotient(id, self.value(a)?, self.value(b)?),
            Op::Fma(a, b, c) => {
                let product = self.product(id, self.value(a)?, self.value(b)?)?;
                self.sum(id, &product, self.value(c)?)
            }
            Op::Sqrt(a) => self.root(id, self.value(a)?),
            Op::Ln(a) => self.logarithm(id, self.value(a)?),
            Op::Exp(a) => self.exponential(id, self.value(a)?),
            Op::Min(a, b) => Ok(self.lesser(self.value(a)?, self.value(b)?)),
            Op::Max(a, b) => Ok(self.greater(self.value(a)?, self.value(b)?)),
            Op::Clamp { arg, bound } => {
                let bound = self.value(bound)?;
                let zero = RealValue::Exact(Rational::ZERO);
                match bound.compare(Comparison::Less, &zero) {
                    Some(true) => Err(EvalError::NegativeBound { node: id }),
                    None => Err(self.undecided(id)),
                    Some(false) => Ok(self.greater(&negated(bound), &self.lesser(self.value(arg)?, bound))),
                }
            }
            Op::Round { arg, exponent, tie } => {
                if !grid::is_supported(exponent) {
                    return Err(EvalError::Grid { node: id });
                }
                // Rounding is monotone: what both ends go to, all between them do.
                let enclosure = self.value(arg)?.enclosure(self.bits);
                let [lo, hi] = [enclosure.lo(), enclosure.hi()].map(|end| grid::round(end, exponent, tie));
                if lo == hi { self.within(id, &Enclosure::exact(lo)) } else { Err(self.undecided(id)) }
            }
            Op::Select { test, lhs, rhs, then, otherwise } => {
                let holds = match lhs == rhs {
                    // Equal, whether or not the value is known.
                    true => self.value(lhs).map(|_| Some(test != Comparison::Less))?,
                    false => self.value(lhs)?.compare(test, self.value(rhs)?),
                };
                match holds {
                    Some(holds) => self.values[if holds { then } else { otherwise }].clone(),
                    None => Err(self.undecided(id)),
                }
            }
        }
    }

    fn value(&self, id: NodeId) -> Result<&RealValue, EvalError> {
        self.values[id].as_ref().map_err(EvalError::clone)
    }

    fn undecided(&self, node: NodeId) -> EvalError {
        EvalError::Undecided { node, bits: self.bits }
    }

    fn settle(&self, node: NodeId, value: Result<RealValue, Trouble>) -> Outcome {
        value.map_err(|trouble| match trouble {
            Trouble::TooLarge => EvalError::Overflow { node },
            Trouble::Wide => self.undecided(node),
        })
    }

    fn exact(&self, node: NodeId, value: Rational) -> Outcome {
        self.settle(node, RealValue::from_rational(value, self.bits))
    }

    fn within(&self, node: NodeId, enclosure: &Enclosure) -> Outcome {
        self.settle(node, RealValue::from_enclosure(enclosure, self.bits))
    }

    fn sum(&self, node: NodeId, a: &RealValue, b: &RealValue) -> Outcome {
        match (a, b) {
            (RealValue::Exact(a), RealValue::Exact(b)) => self.exact(node, a + b),
            _ => self.within(node, &add(&a.enclosure(self.bits), &b.enclosure(self.bits), self.bits)),
        }
    }

    fn product(&self, node: NodeId, a: &RealValue, b: &RealValue) -> Outcome {
        match (a, b) {
            (RealValue::Exact(a), RealValue::Exact(b)) => self.exact(node, a * b),
            _ => self.within(node, &(&a.enclosure(self.bits) * &b.enclosure(self.bits))),
        }
    }

    fn quotient(&self, node: NodeId, a: &RealValue, b: &RealValue) -> Outcome {
        let zero = EvalError::DivisionByZero { node };
        if let (RealValue::Exact(a), RealValue::Exact(b)) = (a, b) {
            return self.exact(node, a.checked_div(b).ok_or(zero)?);
        }
        let divisor = b.enclosure(self.bits);
        match (divisor.sign(), a.enclosure(self.bits).div(&divisor, self.bits)) {
            (Some(std::cmp::Ordering::Equal), _) => Err(zero),
            (_, Some(quotient)) => self.within(node, &quotient),
            (_, None) => Err(self.undecided(node)),
        }
    }

    fn root(&self, node: NodeId, a: &RealValue) -> Outcome {
        if let RealValue::Exact(value) = a {
            if value.is_negative() {
                return Err(EvalError::SqrtOfNegative { node });
            }
            if let Some(root) = exact_root(value) {
                return self.exact(node, root);
            }
        }
        let enclosure = a.enclosure(self.bits);
        match enclosure.sqrt(self.bits) {
            Ok(root) => self.within(node, &root),
            Err(_) if enclosure.hi().is_negative() => Err(EvalError::SqrtOfNegative { node }),
            Err(_) => Err(self.undecided(node)),
        }
    }

    fn logarithm(&self, node: NodeId, a: &RealValue) -> Outcome {
        let logarithm = match a {
            RealValue::Exact(value) => ln_rational(value, self.bits),
            RealValue::Within(enclosure) => enclosure.ln(self.bits),
        };
        match logarithm {
            Ok(logarithm) => self.within(node, &logarithm),
            Err(_) if a.cmp_to(&Rational::ZERO).is_some_and(|order| order.is_le()) => {
                Err(EvalError::LnOfNonPositive { node })
            }
            Err(_) => Err(self.undecided(node)),
        }
    }

    fn exponential(&self, node: NodeId, a: &RealValue) -> Outcome {
        let enclosure = a.enclosure(self.bits);
        let limit = Dyadic::pow2(MAX_EXPONENT_LOG2);
        if *enclosure.lo() > limit {
            return Err(EvalError::Overflow { node });
        }
        if *enclosure.hi() > limit {
            return Err(self.undecided(node));
        }
        let least = -Dyadic::pow2(2 * MAX_EXPONENT_LOG2);
        if *enclosure.lo() >= least {
            let exponential = match a {
                RealValue::Exact(value) => exp_rational(value, self.bits),
                RealValue::Within(enclosure) => enclosure.exp(self.bits),
            };
            return exponential
                .map_err(|_| EvalError::Overflow { node })
                .and_then(|value| self.within(node, &value));
        }
        // Far below: positive, and at most what the upper end (or what is cut off) gives.
        let hi = enclosure.hi().max(&least);
        match lastbit_real::exp(hi, self.bits).map(|top| Enclosure::new(Dyadic::ZERO, top.hi().clone())) {
            Ok(Some(enclosure)) => self.within(node, &enclosure),
            _ => Err(self.undecided(node)),
        }
    }

    fn lesser(&self, a: &RealValue, b: &RealValue) -> RealValue {
        match a.compare(Comparison::LessOrEqual, b) {
            Some(true) => a.clone(),
            Some(false) => b.clone(),
            None => RealValue::Within(a.enclosure(self.bits).min(&b.enclosure(self.bits))),
        }
    }

    fn greater(&self, a: &RealValue, b: &RealValue) -> RealValue {
        negated(&self.lesser(&negated(a), &negated(b)))
    }
}

fn negated(value: &RealValue) -> RealValue {
    match value {
        RealValue::Exact(value) => RealValue::Exact(-value),
        RealValue::Within(enclosure) => RealValue::Within(-enclosure),
    }
}

/// The root of a fraction of squares.
fn exact_root(value: &Rational) -> Option<Rational> {
    let root = |square: Rational| {
        let root = Rational::from(square.floor_sqrt()?);
        (&root * &root == square).then_some(root)
    };
    root(Rational::from(value.numerator()))?.checked_div(&root(Rational::from(value.denominator()))?)
}
