//! The body of a program, as nodes.
//!
//! A list of tasks takes the place of recursion: a task evaluates an item, or applies an operation to values that earlier
//! tasks have left on a stack.

use std::collections::HashMap;

use super::choice::{Condition, choose};
use super::number;
use super::operators::{
    Connective, Operation, Relation, SUPPORTED, connective, operation, relation, shorten,
};
use super::sexp::{ItemId, Kind, Tree};
use crate::{Comparison, Diagnostic, NodeId, Op, StraightLine};

enum Task {
    /// Leaves the value of an item.
    Value(ItemId),
    /// Takes that many values, leaves one; the item is the whole expression.
    Apply(ItemId, Operation, usize),
    /// Leaves the condition that an item spells.
    Condition(ItemId),
    /// Takes that many values, leaves a condition.
    Compare(Relation, usize),
    /// Takes that many conditions, leaves one.
    Connect(Connective, usize),
    /// Takes a condition and two values, leaves a value.
    Choose(ItemId),
    /// Takes a value for each of the bindings, and gives them their names.
    Bind(Vec<ItemId>),
    /// Takes back the names of the bindings.
    Unbind(Vec<ItemId>),
}

/// Adds the nodes of the expression to a program that has nodes for its arguments, and sets its result.
pub(super) fn build(tree: &Tree<'_>, body: ItemId, program: &mut StraightLine) -> Result<(), Diagnostic> {
    let mut builder = Builder {
        tree,
        scope: HashMap::new(),
        tasks: vec![Task::Value(body)],
        values: Vec::new(),
        conditions: Vec::new(),
        open_conditions: Vec::new(),
        program,
    };
    for (id, node) in builder.program.nodes.iter().enumerate() {
        builder.scope.entry(node.name.clone().unwrap_or_default()).or_default().push(id);
    }
    while let Some(task) = builder.tasks.pop() {
        builder.run(task)?;
    }
    builder.program.result = builder.values.pop().unwrap_or_default();
    Ok(())
}

struct Builder<'t, 's> {
    tree: &'t Tree<'s>,
    /// The values of each name, the innermost last.
    scope: HashMap<String, Vec<NodeId>>,
    /// The tasks that are left, the next last.
    tasks: Vec<Task>,
    values: Vec<NodeId>,
    conditions: Vec<Condition>,
    open_conditions: Vec<usize>,
    program: &'t mut StraightLine,
}

impl<'s> Builder<'_, 's> {
    fn run(&mut self, task: Task) -> Result<(), Diagnostic> {
        match task {
            Task::Value(item) => self.value(item)?,
            Task::Apply(item, operation, count) => self.apply(item, operation, count),
            Task::Condition(item) => self.condition(item)?,
            Task::Compare(relation, count) => self.compare(relation, count),
            Task::Connect(connective, count) => self.connect(connective, count),
            Task::Choose(item) => self.choose(item),
            Task::Bind(bindings) => self.bind(&bindings),
            Task::Unbind(bindings) => {
                for binding in bindings {
                    let name = self.bound_name(binding);
                    self.scope.get_mut(name).and_then(Vec::pop);
                }
            }
        }
        Ok(())
    }

    fn error<T>(&self, item: ItemId, message: impl Into<String>) -> Result<T, Diagnostic> {
        Err(Diagnostic::new(self.tree.span(item), message))
    }

    fn unsupported<T>(&self, item: ItemId, name: &str) -> Result<T, Diagnostic> {
        self.error(item, format!("`{name}` is not supported"))
            .map_err(|diagnostic: Diagnostic| diagnostic.with_hint(SUPPORTED))
    }

    fn push(&mut self, op: Op, item: ItemId) -> NodeId {
        self.program.push(op, Some(self.tree.span(item)))
    }

    fn value(&mut self, item: ItemId) -> Result<(), Diagnostic> {
        match self.tree.kind(item) {
            Kind::Number => {
                let number = number::read(self.tree.text(item), self.tree.span(item))?;
                let id = self.push(Op::Const(number), item);
                self.values.push(id);
                Ok(())
            }
            Kind::Symbol => self.named(item),
            Kind::List => self.list(item),
            Kind::Text | Kind::Property => {
                self.error(item, format!("{} stands where an expression is expected", self.tree.text(item)))
            }
        }
    }

    fn named(&mut self, item: ItemId) -> Result<(), Diagnostic> {
        let name = self.tree.text(item);
        if let Some(&id) = self.scope.get(name).and_then(|values| values.last()) {
            self.values.push(id);
            return Ok(());
        }
        if let Some((argument, function)) = number::constant(name) {
            let argument = self.push(Op::Const(argument), item);
            let id = self.push(function(argument), item);
            self.values.push(id);
            return Ok(());
        }
        match name {
            "TRUE" | "FALSE" => self.error(item, format!("{name} stands where a number is expected")),
            _ if number::is_unsupported_constant(name) => self.unsupported(item, name),
            _ => self.error(item, format!("`{name}` is neither an argument nor bound by a let")),
        }
    }

    fn list(&mut self, item: ItemId) -> Result<(), Diagnostic> {
        let Some((head, operands)) = self.tree.form(item) else {
            return self.error(item, "an expression starts with the name of an operation");
        };
        match (head, operands.as_slice()) {
            ("let" | "let*", &[bindings, body]) => return self.bindings(bindings, body, head == "let*"),
            ("let" | "let*", _) => {
                return self.error(item, format!("`{head}` takes a list of bindings and an expression"));
            }
            ("if", &[condition, then, otherwise]) => {
                self.tasks.push(Task::Choose(item));
                self.tasks.extend([otherwise, then].map(Task::Value));
                self.tasks.push(Task::Condition(condition));
                return Ok(());
            }
            ("if", _) => return self.error(item, "`if` takes a condition and two expressions"),
            _ if relation(head).is_some() || connective(head).is_some() => {
                return self.error(item, format!("the condition `{head}` stands where a number is expected"));
            }
            _ => {}
        }
        let Some(operation) = operation(head, operands.len()) else {
            let expected = match head {
                "+" | "*" => "at least one operand",
                "-" => "one or two operands",
                "/" | "fmin" | "fmax" => "two operands",
                "sqrt" | "log" | "exp" | "fabs" => "one operand",
                "fma" => "three operands",
                _ => return self.unsupported(item, head),
            };
            return self.error(item, format!("`{head}` takes {expected}, not {}", operands.len()));
        };
        self.tasks.push(Task::Apply(item, operation, operands.len()));
        self.tasks.extend(operands.into_iter().rev().map(Task::Value));
        Ok(())
    }

    fn apply(&mut self, item: ItemId, operation: Operation, count: usize) {
        let operands = self.values.split_off(self.values.len() - count);
        let id = match (operation, operands.as_slice()) {
            (Operation::Unary(op), &[a]) => self.push(op(a), item),
            (Operation::Binary(op), &[a, b]) => self.push(op(a, b), item),
            (Operation::Fma, &[a, b, c]) => self.push(Op::Fma(a, b, c), item),
            (Operation::Subtract, &[a]) => self.push(Op::Neg(a), item),
            (Operation::Subtract, &[a, b]) => self.push(Op::Sub(a, b), item),
            (_, &[first, ref rest @ ..]) => {
                let op = if matches!(operation, Operation::Add) { Op::Add } else { Op::Mul };
                rest.iter().fold(first, |left, &right| self.push(op(left, right), item))
            }
            (_, []) => unreachable!("the number of operands was checked where the task was made"),
        };
        self.values.push(id);
    }

    fn bindings(&mut self, list: ItemId, body: ItemId, sequential: bool) -> Result<(), Diagnostic> {
        if self.tree.kind(list) != Kind::List {
            return self.error(list, "a list of bindings ([name expression] …) is expected");
        }
        let bindings: Vec<ItemId> = self.tree.children(list).collect();
        for &binding in &bindings {
            let is_pair = self.tree.form(binding).is_some_and(|(_, values)| values.len() == 1);
            if !is_pair {
                return self.error(binding, "a binding is written [name expression]");
            }
        }
        let mut tasks = Vec::new();
        for &binding in &bindings {
            tasks.extend(self.tree.children(binding).skip(1).map(Task::Value));
            if sequential {
                tasks.push(Task::Bind(vec![binding]));
            }
        }
        if !sequential {
            tasks.push(Task::Bind(bindings.clone()));
        }
        tasks.extend([Task::Value(body), Task::Unbind(bindings)]);
        self.tasks.extend(tasks.into_iter().rev());
        Ok(())
    }

    fn bind(&mut self, bindings: &[ItemId]) {
        let values = self.values.split_off(self.values.len() - bindings.len());
        for (&binding, id) in bindings.iter().zip(values) {
            let name = self.bound_name(binding);
            self.scope.entry(name.to_owned()).or_default().push(id);
            self.program.nodes[id].name.get_or_insert_with(|| name.to_owned());
        }
    }

    fn bound_name(&self, binding: ItemId) -> &'s str {
        self.tree.children(binding).next().map_or("", |name| self.tree.text(name))
    }

    fn condition(&mut self, item: ItemId) -> Result<(), Diagnostic> {
        if let Some(holds @ ("TRUE" | "FALSE")) = self.tree.symbol(item) {
            self.push_condition(Condition::Constant(holds == "TRUE"));
            return Ok(());
        }
        let Some((head, operands)) = self.tree.form(item) else {
            return self.error(item, format!("{} is not a condition", shorten(self.tree.text(item))));
        };
        let count = operands.len();
        if let Some(relation) = relation(head) {
            if matches!(relation, Relation::Differs) && count != 2 {
                return self.error(item, format!("`{head}` is supported for two operands, not {count}"));
            }
            self.tasks.push(Task::Compare(relation, count));
            self.tasks.extend(operands.into_iter().rev().map(Task::Value));
        } else if let Some(connective) = connective(head) {
            if matches!(connective, Connective::Not) && count != 1 {
                return self.error(item, format!("`{head}` takes one operand, not {count}"));
            }
            self.tasks.push(Task::Connect(connective, count));
            self.tasks.extend(operands.into_iter().rev().map(Task::Condition));
        } else if operation(head, count).is_some() {
            return self.error(item, format!("`{head}` gives a number where a condition is expected"));
        } else {
            return self.unsupported(item, head).map_err(|diagnostic: Diagnostic| {
                let message = format!("{} as a condition", diagnostic.message);
                Diagnostic { message, ..diagnostic }
            });
        }
        Ok(())
    }

    fn push_condition(&mut self, condition: Condition) -> usize {
        self.conditions.push(condition);
        self.open_conditions.push(self.conditions.len() - 1);
        self.conditions.len() - 1
    }

    /// A chain holds if each operand stands so to the next.
    fn compare(&mut self, relation: Relation, count: usize) {
        let operands = self.values.split_off(self.values.len() - count);
        let chain = operands.windows(2).map(|pair| match relation {
            Relation::Holds(test) => Condition::Compare(test, pair[0], pair[1]),
            Relation::Reversed(test) => Condition::Compare(test, pair[1], pair[0]),
            Relation::Differs => Condition::Compare(Comparison::Equal, pair[0], pair[1]),
        });
        let first = self.conditions.len();
        self.conditions.extend(chain);
        let links: Vec<usize> = (first..self.conditions.len()).collect();
        match (relation, links.as_slice()) {
            (Relation::Differs, &[link]) => self.push_condition(Condition::Not(link)),
            _ => self.push_condition(Condition::All(links)),
        };
    }

    fn connect(&mut self, connective: Connective, count: usize) {
        let operands = self.open_conditions.split_off(self.open_conditions.len() - count);
        self.push_condition(match (connective, operands.as_slice()) {
            (Connective::Not, &[inner]) => Condition::Not(inner),
            (Connective::Or, _) => Condition::Any(operands),
            _ => Condition::All(operands),
        });
    }

    fn choose(&mut self, item: ItemId) {
        let (Some(otherwise), Some(then), Some(condition)) =
            (self.values.pop(), self.values.pop(), self.open_conditions.pop())
        else {
            unreachable!("the tasks before this one left two values and a condition");
        };
        let span = self.tree.span(item);
        let id = choose(self.program, &self.conditions, condition, then, otherwise, span);
        self.values.push(id);
    }
}
