//! The float reading with everything but `u` known, fast: what does not depend on `u` is computed once.

use lastbit_lang::eval::EvalError;
use lastbit_lang::{Comparison, NodeId, Op, StraightLine};
use lastbit_real::{Float, Rational, Rounding};

use super::grid;
use super::number::{Library, Number};
use crate::Sampler;

/// Why a node has no value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum FaultKind {
    DivisionByZero,
    LnOfNonPositive,
    SqrtOfNegative,
    NegativeBound,
    Overflow,
    Grid,
}

/// A node without a value: an [`EvalError`] that is cheap to pass on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    /// Where it arose.
    pub(crate) node: NodeId,
    kind: FaultKind,
}

impl From<Fault> for EvalError {
    fn from(Fault { node, kind }: Fault) -> EvalError {
        match kind {
            FaultKind::DivisionByZero => EvalError::DivisionByZero { node },
            FaultKind::LnOfNonPositive => EvalError::LnOfNonPositive { node },
            FaultKind::SqrtOfNegative => EvalError::SqrtOfNegative { node },
            FaultKind::NegativeBound => EvalError::NegativeBound { node },
            FaultKind::Overflow => EvalError::Overflow { node },
            FaultKind::Grid => EvalError::Grid { node },
        }
    }
}

/// What the library evaluation refuses too: a grid that numbers are not rounded to.
const MAX_GRID_EXPONENT: u64 = 1 << 20;

/// What an input of the program is set to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Setting {
    /// The uniform sample.
    Uniform,
    /// A number; it is rounded to nearest.
    Known(Rational),
}

/// A program of which all inputs but the uniform sample are known.
pub(crate) struct Machine<F> {
    library: Library,
    /// The node that reads the sample, if any does.
    uniform: Option<NodeId>,
    /// What depends on the sample, operands first.
    steps: Vec<(NodeId, Op)>,
    /// The values of all other nodes.
    known: Vec<Result<F, Fault>>,
    result: NodeId,
}

impl<F: Number> Machine<F> {
    /// The program with one setting for each input.
    pub(crate) fn new(program: &StraightLine, settings: &[Setting], library: Library) -> Machine<F> {
        let mut machine = Machine {
            library,
            uniform: None,
            steps: Vec::new(),
            known: Vec::with_capacity(program.nodes.len()),
            result: program.result,
        };
        let nearest = |value: &Rational| F::from_rational(value, Rounding::Nearest);
        let mut depends = vec![false; program.nodes.len()];
        for (id, node) in program.nodes.iter().enumerate() {
            let value = match &node.op {
                Op::Const(value) => finite(id, nearest(value)),
                Op::Input(input) => match &settings[*input] {
                    Setting::Known(value) => finite(id, nearest(value)),
                    Setting::Uniform => {
                        machine.uniform = Some(id);
                        depends[id] = true;
                        Ok(zero())
                    }
                },
                op => {
                    depends[id] = op.operands().any(|operand| depends[operand]);
                    if depends[id] {
                        machine.steps.push((id, op.clone()));
                        Ok(zero())
                    } else {
                        step(library, id, op, &machine.known)
                    }
                }
            };
            machine.known.push(value);
        }
        machine
    }

    /// For evaluation at samples of this kind.
    pub(crate) fn evaluator(&self, sampler: Sampler) -> Evaluator<'_, F> {
        Evaluator { machine: self, sampler, values: self.known.clone() }
    }
}

/// A machine with its registers.
pub(crate) struct Evaluator<'m, F> {
    machine: &'m Machine<F>,
    sampler: Sampler,
    values: Vec<Result<F, Fault>>,
}

impl<F: Number> Evaluator<'_, F> {
    /// The result at the sample of this number.
    pub(crate) fn at(&mut self, number: u64) -> Result<F, Fault> {
        if let Some(uniform) = self.machine.uniform {
            self.values[uniform] = Ok(F::of_f64(self.sampler.value(number)));
        }
        for (id, op) in &self.machine.steps {
            self.values[*id] = step(self.machine.library, *id, op, &self.values);
        }
        self.values[self.machine.result]
    }

    /// The values of all nodes at the last sample.
    pub(crate) fn into_values(self) -> Vec<Option<F>> {
        self.values.into_iter().map(Result::ok).collect()
    }

    /// The value that a node had at the last sample.
    pub(crate) fn node(&self, id: NodeId) -> Result<F, Fault> {
        self.values[id]
    }
}

fn zero<F: Float>() -> F {
    F::from_i128(0, 0)
}

/// Operands are finite and domains checked, so that what is not finite has overflowed.
fn finite<F: Float>(node: NodeId, value: F) -> Result<F, Fault> {
    if Float::is_finite(value) { Ok(value) } else { Err(Fault { node, kind: FaultKind::Overflow }) }
}

fn min<F: PartialOrd>(a: F, b: F) -> F {
    if b < a { b } else { a }
}

fn max<F: PartialOrd>(a: F, b: F) -> F {
    if b > a { b } else { a }
}

/// Whether the comparison holds.
pub(super) fn holds<F: PartialOrd>(test: Comparison, lhs: F, rhs: F) -> bool {
    match test {
        Comparison::Less => lhs < rhs,
        Comparison::LessOrEqual => lhs <= rhs,
        Comparison::Equal => lhs == rhs,
    }
}

/// The value of an operation on earlier nodes, as `lastbit_lang::eval` has it.
fn step<F: Number>(
    library: Library,
    id: NodeId,
    op: &Op,
    values: &[Result<F, Fault>],
) -> Result<F, Fault> {
    let fault = |kind| Err(Fault { node: id, kind });
    let value = match *op {
        // Set before.
        Op::Input(_) | Op::Const(_) => values[id]?,
        Op::Neg(a) => -values[a]?,
        Op::Abs(a) => max(values[a]?, -values[a]?),
        Op::Add(a, b) => values[a]? + values[b]?,
        Op::Sub(a, b) => values[a]? - values[b]?,
        Op::Mul(a, b) => values[a]? * values[b]?,
        Op::Div(a, b) => {
            let (a, b) = (values[a]?, values[b]?);
            if b == zero() {
                return fault(FaultKind::DivisionByZero);
            }
            a / b
        }
        Op::Fma(a, b, c) => values[a]?.fused_multiply_add(values[b]?, values[c]?),
        Op::Sqrt(a) => {
            let a = values[a]?;
            if a < zero() {
                return fault(FaultKind::SqrtOfNegative);
            }
            a.square_root()
        }
        Op::Ln(a) => {
            let a = values[a]?;
            if a <= zero() {
                return fault(FaultKind::LnOfNonPositive);
            }
            library.ln(a)
        }
        Op::Exp(a) => library.exp(values[a]?),
        Op::Min(a, b) => min(values[a]?, values[b]?),
        Op::Max(a, b) => max(values[a]?, values[b]?),
        Op::Clamp { arg, bound } => {
            let bound = values[bound]?;
            if bound < zero() {
                return fault(FaultKind::NegativeBound);
            }
            max(-bound, min(values[arg]?, bound))
        }
        Op::Round { arg, exponent, tie } => {
            if exponent.unsigned_abs() > MAX_GRID_EXPONENT {
                return fault(FaultKind::Grid);
            }
            grid::round(values[arg]?, exponent, tie)
        }
        Op::Select { test, lhs, rhs, then, otherwise } => {
            let branch = if holds(test, values[lhs]?, values[rhs]?) { then } else { otherwise };
            values[branch]?
        }
    };
    finite(id, value)
}
