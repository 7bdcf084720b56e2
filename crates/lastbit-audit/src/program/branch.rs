//! One run of a program: on one input, with one choice of the signs.

use std::ops::Range;

use lastbit_lang::NodeId;

use super::error::{ProgramError, Run};
use super::machine::{Evaluator, Fault, Machine};
use super::monotone::{Rules, Unknown, facts};
use super::number::{Library, Number};
use super::prepare::Program;
use super::rules::{Direction, Reason};
use crate::Sampler;

/// A run, as a function of `u`.
pub(crate) struct Branch<'p, F> {
    pub(crate) run: Run,
    pub(crate) sampler: Sampler,
    program: &'p Program<'p>,
    library: Library,
    machine: Machine<F>,
}

impl<'p, F: Number> Branch<'p, F> {
    /// All runs of the program on an input, which draws at most `count` signs.
    pub(crate) fn all(
        program: &'p Program<'p>,
        input: usize,
        count: usize,
        sampler: Sampler,
        library: Library,
    ) -> Vec<Branch<'p, F>> {
        let run = |bits: u32| {
            let signs = (0..count).map(|i| if bits >> i & 1 == 0 { 1 } else { -1 }).collect();
            let run = Run { input, signs };
            let machine = Machine::new(&program.line, &program.settings(&run.signs), library);
            Branch { run, sampler, program, library, machine }
        };
        (0..1 << count).map(run).collect()
    }

    /// For evaluation at samples by number.
    pub(crate) fn evaluator(&self) -> Evaluator<'_, F> {
        self.machine.evaluator(self.sampler)
    }

    /// A missing value, as an error.
    pub(crate) fn no_value(&self, number: u64, fault: Fault) -> ProgramError {
        ProgramError::NoValue {
            run: self.run.clone(),
            u: self.sampler.value(number),
            expression: self.program.expression(fault.node()),
            error: fault.into(),
        }
    }

    /// Checks that the run is monotone, or lies between two monotone ones.
    pub(crate) fn monotone(&self) -> Result<Monotone<'_, 'p, F>, ProgramError> {
        let settings = self.program.settings(&self.run.signs);
        let shifted = |floats| Machine::new(&self.program.line, &settings, Library::Shifted(floats));
        let mut envelope =
            (self.library == Library::Std).then(|| [-Library::STD_FLOATS, Library::STD_FLOATS].map(shifted));
        let machines = match &envelope {
            Some([down, up]) => vec![down, up],
            None => vec![&self.machine],
        };
        let facts = facts(&self.program.line, &machines, self.sampler, &Rules::sound());
        let [in_u, in_library] = match facts[self.program.line.result] {
            Ok(fact) => fact.directions,
            Err(unknown) => return Err(self.refusal(unknown, &machines)),
        };
        if in_library == Direction::Decreasing
            && let Some([down, up]) = &mut envelope
        {
            std::mem::swap(down, up);
        }
        Ok(Monotone { branch: self, envelope, falls: in_u == Direction::Decreasing })
    }

    fn refusal(&self, Unknown { node, reason }: Unknown, machines: &[&Machine<F>]) -> ProgramError {
        if reason == Reason::Undefined
            && let Some((number, fault)) = self.fault_at_an_end(node, machines)
        {
            return self.no_value(number, fault);
        }
        ProgramError::NotMonotone { run: self.run.clone(), expression: self.program.expression(node), reason }
    }

    fn fault_at_an_end(&self, node: NodeId, machines: &[&Machine<F>]) -> Option<(u64, Fault)> {
        let ends = [1, self.sampler.end() - 1];
        machines.iter().flat_map(|machine| ends.map(|number| (machine, number))).find_map(
            |(machine, number)| {
                let mut evaluator = machine.evaluator(self.sampler);
                let _ = evaluator.at(number);
                evaluator.node(node).err().map(|fault| (number, fault))
            },
        )
    }
}

/// A run that is monotone, or lies between two that are.
pub(crate) struct Monotone<'b, 'p, F> {
    branch: &'b Branch<'p, F>,
    /// The runs below and above, if the library is not exact.
    envelope: Option<[Machine<F>; 2]>,
    /// Whether the output falls as `u` grows.
    falls: bool,
}

impl<F: Number> Monotone<'_, '_, F> {
    /// For evaluation at positions.
    pub(crate) fn prober(&self) -> Prober<'_, F> {
        let sampler = self.branch.sampler;
        Prober {
            monotone: self,
            actual: self.branch.evaluator(),
            envelope: self
                .envelope
                .as_ref()
                .map(|machines| machines.each_ref().map(|machine| machine.evaluator(sampler))),
        }
    }
}

/// Evaluates a run. Positions count the samples from 1 in the order in which outputs grow; outputs are places of floats.
pub(crate) struct Prober<'a, F> {
    monotone: &'a Monotone<'a, 'a, F>,
    actual: Evaluator<'a, F>,
    envelope: Option<[Evaluator<'a, F>; 2]>,
}

impl<F: Number> Prober<'_, F> {
    /// One more than the last position.
    pub(crate) fn end(&self) -> u64 {
        self.monotone.branch.sampler.end()
    }

    /// The sample at a position.
    pub(crate) fn number(&self, position: u64) -> u64 {
        if self.monotone.falls { self.end() - position } else { position }
    }

    /// The numbers of the samples at these positions.
    pub(crate) fn numbers(&self, positions: Range<u64>) -> Range<u64> {
        let [a, b] = [self.number(positions.start), self.number(positions.end - 1)];
        a.min(b)..a.max(b) + 1
    }

    /// The outputs that the one at this position lies between. Both grow with the position.
    pub(crate) fn bounds(&mut self, position: u64) -> Result<[i64; 2], ProgramError> {
        let number = self.number(position);
        let no_value = |fault| self.monotone.branch.no_value(number, fault);
        match &mut self.envelope {
            None => Ok([self.actual.at(number).map_err(no_value)?.place(); 2]),
            Some([below, above]) => {
                Ok([below.at(number).map_err(no_value)?.place(), above.at(number).map_err(no_value)?.place()])
            }
        }
    }

    /// The output at a position, which lies between these.
    pub(crate) fn output(&mut self, position: u64, [below, above]: [i64; 2]) -> Result<i64, ProgramError> {
        if below == above {
            return Ok(below);
        }
        let number = self.number(position);
        let branch = self.monotone.branch;
        let output = self.actual.at(number).map_err(|fault| branch.no_value(number, fault))?.place();
        if output < below || output > above {
            let (run, u) = (branch.run.clone(), branch.sampler.value(number));
            return Err(ProgramError::Library { run, u, floats: Library::STD_FLOATS });
        }
        Ok(output)
    }
}
