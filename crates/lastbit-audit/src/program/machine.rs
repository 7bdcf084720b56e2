//! The float reading with everything but `u` known, fast: what does not depend on `u` is computed once.

use lastbit_lang::eval::{self, EvalError};
use lastbit_lang::{Comparison, NodeId, Op, StraightLine};
use lastbit_real::{Float, Rational};

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
    /// Programs have less than 2³² nodes; short, a fault fits into a register.
    node: u32,
    kind: FaultKind,
}

impl Fault {
    fn new(node: NodeId, kind: FaultKind) -> Fault {
        Fault { node: node as u32, kind }
    }

    /// The node where it arose.
    pub(crate) fn node(self) -> NodeId {
        self.node as NodeId
    }
}

impl From<Fault> for EvalError {
    fn from(fault: Fault) -> EvalError {
        let node = fault.node();
        match fault.kind {
            FaultKind::DivisionByZero => EvalError::DivisionByZero { node },
            FaultKind::LnOfNonPositive => EvalError::LnOfNonPositive { node },
            FaultKind::SqrtOfNegative => EvalError::SqrtOfNegative { node },
            FaultKind::NegativeBound => EvalError::NegativeBound { node },
            FaultKind::Overflow => EvalError::Overflow { node },
            FaultKind::Grid => EvalError::Grid { node },
        }
    }
}

/// What an input of the program is set to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Setting {
    /// The uniform sample.
    Uniform,
    /// A number; it is rounded to nearest.
    Known(Rational),
}

/// The values of nodes. An infinity stands for a fault, which is looked up: values are read far more often than faults are.
#[derive(Clone)]
struct Registers<F> {
    values: Vec<F>,
    faults: Vec<Option<Fault>>,
}

impl<F: Number> Registers<F> {
    #[inline]
    fn get(&self, id: NodeId) -> Result<F, Fault> {
        let value = self.values[id];
        if Float::is_finite(value) { Ok(value) } else { Err(self.fault(id)) }
    }

    #[cold]
    fn fault(&self, id: NodeId) -> Fault {
        self.faults[id].unwrap_or(Fault::new(id, FaultKind::Overflow))
    }

    #[inline]
    fn set(&mut self, id: NodeId, value: Result<F, Fault>) {
        match value {
            Ok(value) => self.values[id] = value,
            Err(fault) => {
                self.values[id] = F::at_place(i64::MAX);
                self.faults[id] = Some(fault);
            }
        }
    }
}

/// A program of which all inputs but the uniform sample are known.
pub(crate) struct Machine<F> {
    library: Library,
    /// The node that reads the sample, if any does.
    uniform: Option<NodeId>,
    /// The steps that depend on the sample, operands first.
    steps: Vec<(NodeId, Op)>,
    /// The values of all other nodes.
    known: Registers<F>,
    result: NodeId,
}

impl<F: Number> Machine<F> {
    /// The program with one setting for each input.
    pub(crate) fn new(program: &StraightLine, settings: &[Setting], library: Library) -> Machine<F> {
        let mut machine = Machine {
            library,
            uniform: None,
            steps: Vec::new(),
            known: Registers {
                values: vec![zero(); program.nodes.len()],
                faults: vec![None; program.nodes.len()],
            },
            result: program.result,
        };
        let mut depends = vec![false; program.nodes.len()];
        for (id, node) in program.nodes.iter().enumerate() {
            let value = match &node.op {
                Op::Const(value) => finite(id, F::of_number(value)),
                Op::Input(input) => match &settings[*input] {
                    Setting::Known(value) => finite(id, F::of_number(value)),
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
            machine.known.set(id, value);
        }
        machine
    }

    /// For evaluation at samples of this kind.
    pub(crate) fn evaluator(&self, sampler: Sampler) -> Evaluator<'_, F> {
        Evaluator { machine: self, sampler, registers: self.known.clone() }
    }
}

/// A machine with its registers.
pub(crate) struct Evaluator<'m, F> {
    machine: &'m Machine<F>,
    sampler: Sampler,
    registers: Registers<F>,
}

impl<F: Number> Evaluator<'_, F> {
    /// The result at the sample of this number.
    pub(crate) fn at(&mut self, number: u64) -> Result<F, Fault> {
        if let Some(uniform) = self.machine.uniform {
            self.registers.set(uniform, Ok(F::of_f64(self.sampler.value(number))));
        }
        for (id, op) in &self.machine.steps {
            let value = step(self.machine.library, *id, op, &self.registers);
            self.registers.set(*id, value);
        }
        self.registers.get(self.machine.result)
    }

    /// The values of all nodes at the last sample.
    pub(crate) fn node_values(&self) -> Vec<Option<F>> {
        (0..self.registers.values.len()).map(|id| self.node(id).ok()).collect()
    }

    /// The value that a node had at the last sample.
    pub(crate) fn node(&self, id: NodeId) -> Result<F, Fault> {
        self.registers.get(id)
    }
}

fn zero<F: Float>() -> F {
    F::from_i128(0, 0)
}

/// Operands are finite and domains checked, so that what is not finite has overflowed.
fn finite<F: Float>(node: NodeId, value: F) -> Result<F, Fault> {
    if Float::is_finite(value) { Ok(value) } else { Err(Fault::new(node, FaultKind::Overflow)) }
}

/// Whether the comparison holds. The zeros are equal.
pub(super) fn holds<F: PartialOrd>(test: Comparison, lhs: F, rhs: F) -> bool {
    match test {
        Comparison::Less => lhs < rhs,
        Comparison::LessOrEqual => lhs <= rhs,
        Comparison::Equal => lhs == rhs,
    }
}

/// The value of an operation on earlier nodes, as `lastbit_lang::eval` has it.
#[inline]
fn step<F: Number>(library: Library, id: NodeId, op: &Op, values: &Registers<F>) -> Result<F, Fault> {
    let fault = |kind| Err(Fault::new(id, kind));
    let value = match *op {
        // Set before.
        Op::Input(_) | Op::Const(_) => values.get(id)?,
        Op::Neg(a) => -values.get(a)?,
        Op::Abs(a) => values.get(a)?.absolute(),
        Op::Add(a, b) => values.get(a)? + values.get(b)?,
        Op::Sub(a, b) => values.get(a)? - values.get(b)?,
        Op::Mul(a, b) => values.get(a)? * values.get(b)?,
        Op::Div(a, b) => {
            let (a, b) = (values.get(a)?, values.get(b)?);
            if b == zero() {
                return fault(FaultKind::DivisionByZero);
            }
            a / b
        }
        Op::Fma(a, b, c) => values.get(a)?.fused_multiply_add(values.get(b)?, values.get(c)?),
        Op::Sqrt(a) => {
            let a = values.get(a)?;
            if a < zero() {
                return fault(FaultKind::SqrtOfNegative);
            }
            a.square_root()
        }
        Op::Ln(a) => {
            let a = values.get(a)?;
            if a <= zero() {
                return fault(FaultKind::LnOfNonPositive);
            }
            library.ln(a)
        }
        Op::Exp(a) => library.exp(values.get(a)?),
        Op::Min(a, b) => values.get(a)?.minimum(values.get(b)?),
        Op::Max(a, b) => values.get(a)?.maximum(values.get(b)?),
        Op::Clamp { arg, bound } => {
            let bound = values.get(bound)?;
            if bound < zero() {
                return fault(FaultKind::NegativeBound);
            }
            values.get(arg)?.clamped(bound)
        }
        Op::Round { arg, exponent, tie } => {
            if !eval::grid::is_supported(exponent) {
                return fault(FaultKind::Grid);
            }
            grid::round(values.get(arg)?, exponent, tie)
        }
        Op::Select { test, lhs, rhs, then, otherwise } => {
            let branch = if holds(test, values.get(lhs)?, values.get(rhs)?) { then } else { otherwise };
            values.get(branch)?
        }
    };
    finite(id, value)
}
