//! Whether a program is monotone in `u`: checked node by node, with the exact values at both ends.
//!
//! A node that is monotone takes its least and its greatest value at the ends of the range of `u`, which is where the rules for
//! products read the signs of their factors. `-0` is less than `+0` in all of this, as outputs are counted; only conditions take them
//! to be equal. What grows in the order of all floats grows as a number, so that a condition still changes once.
//!
//! Where the library is known up to a number of floats only, there are two programs, with all its results moved down and moved
//! up. Every node must then be monotone in `u` in both, and monotone in each result of the library: so that the program as it runs
//! lies between the two, and every node between its values at the four corners.

use lastbit_lang::{Comparison, NodeId, Op, StraightLine};

use super::machine::{Evaluator, Machine, holds};
use super::number::Number;
use super::rules::{self, Direction, Operand, Reason};
use crate::Sampler;

/// The variables: `u`, and the errors of the library.
const VARIABLES: usize = 2;
pub(crate) const U: usize = 0;
pub(crate) const LIBRARY: usize = 1;

/// Why the result is not known to be monotone: the first node for which no rule applies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Unknown {
    pub(crate) node: NodeId,
    pub(crate) reason: Reason,
}

/// What is known of a node.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fact<F> {
    /// How it changes with each of the variables.
    pub(crate) directions: [Direction; VARIABLES],
    /// Its least and its greatest value.
    pub(crate) range: [F; 2],
}

impl<F: Number> Fact<F> {
    fn operand(&self, variable: usize) -> Operand<F> {
        Operand { direction: self.directions[variable], range: self.range }
    }
}

/// The rules in use; tests put wrong ones in their place.
pub(crate) struct Rules<F> {
    /// For operations.
    #[expect(clippy::type_complexity, reason = "it is written once")]
    pub(crate) operation: fn(&Op, &dyn Fn(NodeId) -> Operand<F>) -> Result<Direction, Reason>,
    /// For conditions.
    pub(crate) condition: fn(Direction, Direction) -> Result<Direction, Reason>,
    /// For choices whose condition changes once.
    pub(crate) switch: fn(Direction, Direction, [F; 2]) -> Result<Direction, Reason>,
}

impl<F: Number> Rules<F> {
    /// The sound ones.
    pub(crate) fn sound() -> Rules<F> {
        Rules { operation: rules::operation, condition: rules::condition, switch: rules::switch }
    }
}

/// What is known of each node of the program, which is run by one machine, or, with an inexact library, by two: with its results
/// moved down and moved up.
pub(crate) fn facts<F: Number>(
    program: &StraightLine,
    machines: &[&Machine<F>],
    sampler: Sampler,
    rules: &Rules<F>,
) -> Vec<Result<Fact<F>, Unknown>> {
    let ends = [1, sampler.end() - 1];
    let corner = |machine: &&Machine<F>, number| {
        let mut evaluator = machine.evaluator(sampler);
        // Nodes have values of their own, whether or not the result has.
        let _ = evaluator.at(number);
        evaluator.node_values()
    };
    let corners = machines.iter().flat_map(|machine| ends.map(|number| corner(machine, number))).collect();
    let evaluators = machines.iter().map(|machine| machine.evaluator(sampler)).collect();
    let mut check = Check { sampler, rules, corners, evaluators, facts: Vec::new() };
    for (id, node) in program.nodes.iter().enumerate() {
        let fact = check.fact(id, &node.op);
        check.facts.push(fact);
    }
    check.facts
}

struct Check<'a, F> {
    sampler: Sampler,
    rules: &'a Rules<F>,
    /// The values of all nodes at the ends of the range of `u`, for each machine.
    corners: Vec<Vec<Option<F>>>,
    /// One for each machine.
    evaluators: Vec<Evaluator<'a, F>>,
    facts: Vec<Result<Fact<F>, Unknown>>,
}

impl<F: Number> Check<'_, F> {
    fn fact(&mut self, id: NodeId, op: &Op) -> Result<Fact<F>, Unknown> {
        let unknown = |reason| Unknown { node: id, reason };
        let mut directions = match *op {
            Op::Select { test, lhs, rhs, then, otherwise } => {
                self.choice(id, test, [lhs, rhs], [then, otherwise])?
            }
            _ => {
                for operand in op.operands() {
                    self.facts[operand]?;
                }
                let mut directions = [Direction::Constant; VARIABLES];
                for (variable, direction) in directions.iter_mut().enumerate() {
                    let of = |operand: NodeId| match &self.facts[operand] {
                        Ok(fact) => fact.operand(variable),
                        Err(_) => unreachable!("the operands have been looked at"),
                    };
                    *direction = (self.rules.operation)(op, &of).map_err(unknown)?;
                }
                directions
            }
        };
        match op {
            Op::Input(_) if self.depends_on_u(id) => directions[U] = Direction::Increasing,
            // A larger result of the library is a larger value here.
            Op::Ln(_) | Op::Exp(_) if self.evaluators.len() > 1 => {
                let here = directions[LIBRARY].with(Direction::Increasing);
                directions[LIBRARY] = here.ok_or(unknown(Reason::Opposite))?;
            }
            _ => {}
        }
        let mut range: Option<[F; 2]> = None;
        for corner in &self.corners {
            let value = corner[id].ok_or(unknown(Reason::Undefined))?;
            let [least, greatest] = range.unwrap_or([value; 2]);
            range = Some([
                if value.place() < least.place() { value } else { least },
                if value.place() > greatest.place() { value } else { greatest },
            ]);
        }
        let range = range.ok_or(unknown(Reason::Undefined))?;
        // What is monotone and the same at all corners is the same between them.
        if range[0].place() == range[1].place() {
            directions = [Direction::Constant; VARIABLES];
        }
        Ok(Fact { directions, range })
    }

    /// Whether an input is the sample: the only one that differs at the ends.
    fn depends_on_u(&self, id: NodeId) -> bool {
        self.corners[0][id] != self.corners[1][id]
    }

    fn choice(
        &mut self,
        id: NodeId,
        test: Comparison,
        [lhs, rhs]: [NodeId; 2],
        branches: [NodeId; 2],
    ) -> Result<[Direction; VARIABLES], Unknown> {
        let unknown = |reason| Unknown { node: id, reason };
        let sides = [self.facts[lhs]?, self.facts[rhs]?];
        for variable in [U, LIBRARY] {
            let [left, right] = sides.map(|side| side.directions[variable]);
            (self.rules.condition)(left, right).map_err(unknown)?;
        }
        if let Some(truth) = self.constant_truth(test, lhs, rhs) {
            return self.facts[branches[usize::from(!truth)]].map(|fact| fact.directions);
        }
        // An equality may hold for a while in the middle.
        if test == Comparison::Equal {
            return Err(unknown(Reason::Condition));
        }
        if sides.iter().any(|side| side.directions[LIBRARY] != Direction::Constant) {
            return Err(unknown(Reason::LibraryCondition));
        }
        let [then, otherwise] =
            [self.facts[branches[0]]?, self.facts[branches[1]]?].map(|fact| fact.directions);
        let library = then[LIBRARY].with(otherwise[LIBRARY]).ok_or(unknown(Reason::Opposite))?;
        let mut in_u = Direction::Constant;
        for machine in 0..self.evaluators.len() {
            let jump = self.jump(machine, id, test, lhs, rhs).ok_or(unknown(Reason::Undefined))?;
            let direction = (self.rules.switch)(then[U], otherwise[U], jump).map_err(unknown)?;
            in_u = in_u.with(direction).ok_or(unknown(Reason::Jump))?;
        }
        Ok([in_u, library])
    }

    /// Whether the condition holds, if that is the same at all corners: `lhs - rhs` is monotone, so it is the same everywhere.
    fn constant_truth(&self, test: Comparison, lhs: NodeId, rhs: NodeId) -> Option<bool> {
        let mut orders =
            self.corners.iter().map(|corner| corner[lhs].as_ref()?.partial_cmp(corner[rhs].as_ref()?));
        let first = orders.next()??;
        let is_true = |order: std::cmp::Ordering| match test {
            Comparison::Less => order.is_lt(),
            Comparison::LessOrEqual => order.is_le(),
            Comparison::Equal => order.is_eq(),
        };
        let same = |order: std::cmp::Ordering| match test {
            // Below at one end and above at the other: equal in between, perhaps.
            Comparison::Equal => order == first,
            _ => is_true(order) == is_true(first),
        };
        orders.all(|order| order.is_some_and(same)).then_some(is_true(first))
    }

    /// The values of a choice before and after its condition changes, by bisection.
    fn jump(
        &mut self,
        machine: usize,
        id: NodeId,
        test: Comparison,
        lhs: NodeId,
        rhs: NodeId,
    ) -> Option<[F; 2]> {
        let evaluator = &mut self.evaluators[machine];
        let mut at = |number: u64| {
            let _ = evaluator.at(number);
            let truth = holds(test, evaluator.node(lhs).ok()?, evaluator.node(rhs).ok()?);
            Some((truth, evaluator.node(id).ok()?))
        };
        let (mut before, mut after) = (1, self.sampler.end() - 1);
        let (truth, mut value_before) = at(before)?;
        let (_, mut value_after) = at(after)?;
        while after - before > 1 {
            let middle = before + (after - before) / 2;
            match at(middle)? {
                (same, value) if same == truth => (before, value_before) = (middle, value),
                (_, value) => (after, value_after) = (middle, value),
            }
        }
        Some([value_before, value_after])
    }
}
