//! What a declaration says before its body: arguments, parameters, assumptions, adjacency.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use lastbit_real::Rational;

use super::evaluate::{self, Scope};
use super::trace::stopped;
use super::{Constraint, Polynomial, Symbol, Trace, Value, explore};
use crate::ast::{
    Binder, ClauseKind, CompareOp, Constraint as Declared, Declaration, ExprId, ExprKind, File, Name,
    Quantifier, Scalar, Shape, Side,
};
use crate::constant::constant;
use crate::watch::Watch;
use crate::{Diagnostic, Span};

/// Longest array.
const MAX_LENGTH: i64 = 10_000;

/// Most ways in which two inputs can be neighbours.
const MAX_CASES: usize = 1 << 16;

/// A declaration with the values that are given for its parameters.
#[derive(Clone, Debug)]
pub struct Program<'a> {
    /// The file.
    pub file: &'a File,
    /// The declaration.
    pub declaration: &'a Declaration,
    /// Parameters: a number, or a variable of the same name.
    parameters: BTreeMap<String, Value>,
    /// Arguments and queries in the two runs.
    inputs: [BTreeMap<String, Value>; 2],
    /// The limits of going through it.
    watch: Watch,
}

/// An alternative: one of the ways in which a condition can hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Alternative {
    /// The constraints that hold together.
    pub constraints: Vec<Constraint>,
    /// A name that tells the alternatives apart, such as `only i = 3 differs`.
    pub name: String,
}

impl<'a> Program<'a> {
    /// Reads the declaration.
    ///
    /// # Errors
    /// A message with the place: a mistake that [`check`](crate::check()) finds, an array of unknown length, a float, a value for a parameter that does not exist or that already has one.
    pub fn new(
        file: &'a File,
        declaration: &'a Declaration,
        values: &BTreeMap<String, Rational>,
    ) -> Result<Program<'a>, Diagnostic> {
        // What follows relies on what the language forbids: arguments and parameters keep their values, samples have names of their own.
        if let Some(mistake) = crate::check(file).into_iter().next() {
            return Err(mistake);
        }
        crate::over_the_reals(file, declaration)?;
        let mut program = Program {
            file,
            declaration,
            parameters: BTreeMap::new(),
            inputs: Default::default(),
            watch: Watch::default(),
        };
        for name in values.keys() {
            if !declaration.parameters().any(|binder| binder.name.text == *name) {
                let message = format!("there is no parameter `{name}`");
                return Err(Diagnostic::new(declaration.name.span, message));
            }
        }
        for binder in declaration.parameters() {
            let name = &binder.name.text;
            let fixed = match binder.constraint {
                Some(Declared::Compare(CompareOp::Equal, value)) => Some(program.constant(value)?),
                _ => None,
            };
            if let (Some(fixed), Some(given)) = (&fixed, values.get(name))
                && fixed != given
            {
                let message = format!("`{name}` is {fixed} in the file, not {given}");
                return Err(Diagnostic::new(binder.span, message));
            }
            let value = match fixed.or_else(|| values.get(name).cloned()) {
                Some(value) => Polynomial::constant(value),
                None => Polynomial::variable(name.as_str()),
            };
            program.parameters.insert(name.clone(), Value::Number(value));
        }
        for side in [Side::One, Side::Two] {
            for binder in &declaration.arguments {
                let value = program.argument(binder, side)?;
                program.inputs[side as usize].insert(binder.name.text.clone(), value);
            }
            let data: Vec<&str> = declaration
                .arguments
                .iter()
                .filter(|binder| binder.ty.scalar == Scalar::Data)
                .map(|binder| binder.name.text.as_str())
                .collect();
            for binder in declaration.queries() {
                for argument in &data {
                    let name = format!("{}({argument})", binder.name.text);
                    let value = Value::Number(Polynomial::variable(argument_name(&name, side)));
                    program.inputs[side as usize].insert(name, value);
                }
            }
        }
        Ok(program)
    }

    /// The same; everything that goes through it, and may take long, stops when the watch is over.
    pub fn watched(self, watch: &Watch) -> Program<'a> {
        Program { watch: watch.clone(), ..self }
    }

    /// The watch that long loops ask.
    pub fn watch(&self) -> &Watch {
        &self.watch
    }

    fn constant(&self, id: ExprId) -> Result<Rational, Diagnostic> {
        let known = |name: &str| match self.parameters.get(name)? {
            Value::Number(p) => p.as_constant(),
            _ => None,
        };
        constant(self.file, id, known)
    }

    /// The length of an array.
    pub(super) fn length(&self, id: ExprId) -> Result<usize, Diagnostic> {
        let length = self.constant(id)?;
        match usize::try_from(length.floor()).ok().filter(|_| length.is_integer()) {
            Some(length) if length <= MAX_LENGTH as usize => Ok(length),
            _ => Err(Diagnostic::new(
                self.file.expr(id).span,
                format!("an array cannot have {length} elements"),
            )),
        }
    }

    fn argument(&self, binder: &Binder, side: Side) -> Result<Value, Diagnostic> {
        let one = |name: String| match binder.ty.scalar {
            Scalar::Bool => Value::Flag(Polynomial::variable(argument_name(&name, side))),
            _ => Value::Number(Polynomial::variable(argument_name(&name, side))),
        };
        let name = &binder.name.text;
        Ok(match binder.ty.shape {
            Shape::One => one(name.clone()),
            Shape::Array(length) => {
                Value::List((0..self.length(length)?).map(|i| one(format!("{name}[{i}]"))).collect())
            }
            Shape::List => {
                return Err(Diagnostic::new(binder.ty.span, "the length of this array is not known"));
            }
        })
    }

    /// The values that names have before the body runs.
    pub(super) fn start(&self, side: Side) -> BTreeMap<String, Value> {
        let mut start = self.parameters.clone();
        start.extend(self.inputs[side as usize].clone());
        start
    }

    /// The arguments and queries of a run.
    pub fn inputs(&self, side: Side) -> BTreeMap<String, Value> {
        self.inputs[side as usize].clone()
    }

    /// The facts that are declared of the parameters and arguments, and assumed; truth values among the arguments are each taken both ways,
    /// unless nobody reads them. In every alternative all of it holds.
    ///
    /// # Errors
    /// A message with the place, and if there are too many alternatives.
    pub fn facts(&self) -> Result<Vec<Alternative>, Diagnostic> {
        let mut parts = Vec::new();
        let binders = self.declaration.parameters().map(|binder| (binder, None));
        let arguments = self.declaration.arguments.iter();
        let arguments = arguments.flat_map(|binder| [Side::One, Side::Two].map(|side| (binder, Some(side))));
        for (binder, side) in binders.chain(arguments) {
            parts.extend(self.declared(binder, side)?);
        }
        for clause in &self.declaration.clauses {
            if let ClauseKind::Assume(condition) = clause.kind {
                for side in [Side::One, Side::Two] {
                    parts.push(self.alternatives(condition, Some(side), None)?);
                }
            }
        }
        let read = self.names_read();
        for side in [Side::One, Side::Two] {
            let inputs = self.inputs[side as usize].iter().filter(|(name, _)| read.contains(name.as_str()));
            for (input, is_truth_value) in inputs.flat_map(|(_, value)| variables_of(value)) {
                if is_truth_value {
                    let value = |number: i64| Alternative {
                        constraints: vec![Constraint::zero(&input - &Polynomial::constant(number))],
                        name: format!("{input} = {}", number == 1),
                    };
                    parts.push(vec![value(1), value(0)]);
                }
            }
        }
        self.conjunction(parts)
    }

    /// The names that the body or a clause mentions. What is known of other arguments matters to nothing.
    fn names_read(&self) -> BTreeSet<&str> {
        let all = self.declaration.expressions().into_iter().flat_map(|root| self.file.post_order(root));
        let name = |id: ExprId| match &self.file.expr(id).kind {
            ExprKind::Name(name) => Some(name.as_str()),
            _ => None,
        };
        all.filter_map(name).collect()
    }

    /// The variables of all inputs of a run.
    fn variables(&self, side: Side) -> Vec<Polynomial> {
        self.inputs[side as usize].values().flat_map(variables_of).map(|(variable, _)| variable).collect()
    }

    /// The same of the two inputs exchanged. Only variables are renamed, not what stands in the names of functions.
    ///
    /// # Errors
    /// If the watch is over.
    pub fn exchanged(&self, ways: &[Alternative]) -> Result<Vec<Alternative>, Diagnostic> {
        let mut names: BTreeMap<Symbol, Polynomial> = BTreeMap::new();
        for (one, two) in self.variables(Side::One).into_iter().zip(self.variables(Side::Two)) {
            for (from, to) in [(&one, &two), (&two, &one)] {
                names.extend(from.variables().into_iter().map(|symbol| (symbol, to.clone())));
            }
        }
        // Most constraints stand in many ways.
        let mut known: HashMap<&Constraint, Constraint> = HashMap::new();
        let mut exchanged = Vec::new();
        for way in ways {
            if self.watch.is_over() {
                return Err(stopped(&self.watch, self.declaration.name.span));
            }
            let mut constraints = Vec::with_capacity(way.constraints.len());
            for constraint in &way.constraints {
                let exchange = || {
                    let p = &constraint.polynomial;
                    let polynomial = p.substitute(&names).unwrap_or_else(|| p.clone());
                    Constraint { polynomial, relation: constraint.relation }
                };
                constraints.push(known.entry(constraint).or_insert_with(exchange).clone());
            }
            let parts = [way.name.as_str(), "inputs swapped"];
            let name = parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(", ");
            exchanged.push(Alternative { constraints, name });
        }
        Ok(exchanged)
    }

    /// What is declared of a parameter or an argument.
    fn declared(&self, binder: &Binder, side: Option<Side>) -> Result<Vec<Vec<Alternative>>, Diagnostic> {
        let Some(declared) = binder.constraint else { return Ok(Vec::new()) };
        let values = match self.lookup(&binder.name.text, side) {
            Some(Value::List(items)) => items,
            value => value.into_iter().collect(),
        };
        let mut parts = Vec::new();
        for value in values {
            let Value::Number(x) = value else { continue };
            let given = x.as_constant();
            let found = explore(binder.span, &self.watch, |trace| {
                let mut end = |id: ExprId| evaluate::number(self.file, self, id, side, trace);
                Ok(match declared {
                    Declared::Compare(op, bound) => compared(op, &x, &end(bound)?),
                    Declared::In(interval) => {
                        let (lo, hi) = (end(interval.lo)?, end(interval.hi)?);
                        let least =
                            if interval.lo_closed { CompareOp::GreaterOrEqual } else { CompareOp::Greater };
                        let most = if interval.hi_closed { CompareOp::LessOrEqual } else { CompareOp::Less };
                        let mut both = compared(least, &x, &lo);
                        both.extend(compared(most, &x, &hi));
                        both
                    }
                })
            })?;
            let is_false = |(constraints, _): &(Vec<Constraint>, Trace)| {
                constraints.iter().any(|constraint| constraint.decided() == Some(false))
            };
            if let (Some(given), true) = (given, found.iter().any(is_false)) {
                let message = format!("`{}` is declared so that it cannot be {given}", binder.name.text);
                return Err(Diagnostic::new(binder.span, message));
            }
            // A number that satisfies what is declared of it says nothing.
            let all = |(constraints, trace): (Vec<Constraint>, Trace)| Alternative {
                constraints: trace
                    .guards
                    .into_iter()
                    .chain(constraints.into_iter().filter(|constraint| constraint.decided() != Some(true)))
                    .collect(),
                name: String::new(),
            };
            parts.push(found.into_iter().map(all).collect());
        }
        Ok(parts)
    }

    /// The ways in which two inputs can be neighbours.
    ///
    /// # Errors
    /// A message with the place, and if there are too many.
    pub fn adjacency(&self) -> Result<Vec<Alternative>, Diagnostic> {
        let mut parts = Vec::new();
        for clause in &self.declaration.clauses {
            let ClauseKind::Adjacent(quantifier, condition) = &clause.kind else { continue };
            match quantifier {
                Quantifier::None => parts.push(self.alternatives(*condition, None, None)?),
                Quantifier::ForAll(index) => {
                    for place in 0..self.indices(index, *condition)?.1 {
                        parts.push(self.alternatives(*condition, None, Some((index, place)))?);
                    }
                }
                Quantifier::AtMostOne(index) => parts.push(self.at_most_one(index, *condition)?),
            }
        }
        self.conjunction(parts)
    }

    fn at_most_one(&self, index: &Name, condition: ExprId) -> Result<Vec<Alternative>, Diagnostic> {
        let (arrays, length) = self.indices(index, condition)?;
        let mut ways = Vec::new();
        // `q[i]<1> = q[i]<2>` for every index: all places but one have it, so it is made once.
        let list = |array: &String, side| match self.lookup(array, Some(side)) {
            Some(Value::List(items)) => items,
            _ => Vec::new(),
        };
        let pairs = arrays
            .iter()
            .flat_map(|array| list(array, Side::One).into_iter().zip(list(array, Side::Two)).enumerate());
        let equal: Vec<(usize, Constraint)> = pairs
            .filter_map(|(i, pair)| match pair {
                (Value::Number(a) | Value::Flag(a), Value::Number(b) | Value::Flag(b)) => {
                    Some((i, Constraint::zero(&a - &b)))
                }
                _ => None,
            })
            .collect();
        for place in 0..length {
            let elsewhere = equal.iter().filter(|(i, _)| *i != place).map(|(_, constraint)| constraint);
            for mut way in self.alternatives(condition, None, Some((index, place)))? {
                way.constraints.extend(elsewhere.clone().cloned());
                way.name = format!("only {} = {place} differs", index.text);
                ways.push(way);
            }
        }
        Ok(ways)
    }

    /// The arrays that an index is used with, and their length.
    fn indices(&self, index: &Name, condition: ExprId) -> Result<(BTreeSet<String>, usize), Diagnostic> {
        let is_index =
            |id: ExprId| matches!(&self.file.expr(id).kind, ExprKind::Name(name) if *name == index.text);
        let (mut arrays, mut length) = (BTreeSet::new(), 0);
        for id in self.file.post_order(condition) {
            let ExprKind::Index(mut array, at) = self.file.expr(id).kind else { continue };
            while let ExprKind::Copy(of, _) = self.file.expr(array).kind {
                array = of;
            }
            if let (true, ExprKind::Name(name)) = (is_index(at), &self.file.expr(array).kind)
                && let Some(Value::List(items)) = self.lookup(name, Some(Side::One))
            {
                length = length.max(items.len());
                arrays.insert(name.clone());
            }
        }
        match length {
            0 => Err(Diagnostic::new(
                index.span,
                format!("no array of the mechanism is indexed by `{}`", index.text),
            )),
            _ => Ok((arrays, length)),
        }
    }

    /// The ways in which a condition on the inputs can hold.
    fn alternatives(
        &self,
        condition: ExprId,
        side: Option<Side>,
        index: Option<(&Name, usize)>,
    ) -> Result<Vec<Alternative>, Diagnostic> {
        let scope = WithIndex { program: self, index };
        let span: Span = self.file.expr(condition).span;
        let found = explore(span, &self.watch, |trace| {
            evaluate::condition(self.file, &scope, condition, side, trace)
        })?;
        let true_ways = found.into_iter().filter(|(holds, _)| *holds);
        Ok(true_ways
            .map(|(_, trace)| Alternative { constraints: trace.guards, name: String::new() })
            .collect())
    }

    /// The value of an expression over the parameters, such as a claim.
    ///
    /// # Errors
    /// A message with the place.
    pub fn parameter_expression(&self, id: ExprId, trace: &mut Trace) -> Result<Polynomial, Diagnostic> {
        evaluate::number(self.file, self, id, None, trace)
    }
}

impl Scope for Program<'_> {
    fn lookup(&self, name: &str, side: Option<Side>) -> Option<Value> {
        let input = side.and_then(|side| self.inputs[side as usize].get(name));
        input.or_else(|| self.parameters.get(name)).cloned()
    }
}

struct WithIndex<'p, 'a> {
    program: &'p Program<'a>,
    index: Option<(&'p Name, usize)>,
}

impl Scope for WithIndex<'_, '_> {
    fn lookup(&self, name: &str, side: Option<Side>) -> Option<Value> {
        match self.index {
            Some((index, place)) if index.text == name => {
                Some(Value::Number(Polynomial::constant(place as i64)))
            }
            _ => self.program.lookup(name, side),
        }
    }
}

/// `x<1>`
fn argument_name(name: &str, side: Side) -> String {
    format!("{name}<{}>", side as usize + 1)
}

fn compared(op: CompareOp, x: &Polynomial, bound: &Polynomial) -> Vec<Constraint> {
    match op {
        CompareOp::Less => vec![Constraint::positive(bound - x)],
        CompareOp::LessOrEqual => vec![Constraint::non_negative(bound - x)],
        CompareOp::Greater => vec![Constraint::positive(x - bound)],
        CompareOp::GreaterOrEqual => vec![Constraint::non_negative(x - bound)],
        CompareOp::Equal => vec![Constraint::zero(x - bound)],
        // Of no use to a proof, and leaving out an assumption is sound.
        CompareOp::NotEqual => Vec::new(),
    }
}

/// The variables of an input, and whether they are truth values.
fn variables_of(value: &Value) -> Vec<(Polynomial, bool)> {
    match value {
        Value::Number(p) => vec![(p.clone(), false)],
        Value::Flag(p) => vec![(p.clone(), true)],
        Value::List(items) => items.iter().flat_map(variables_of).collect(),
        _ => Vec::new(),
    }
}

impl Program<'_> {
    /// One alternative of each part, in all combinations.
    fn conjunction(&self, parts: Vec<Vec<Alternative>>) -> Result<Vec<Alternative>, Diagnostic> {
        self.allow_cases(parts.iter().map(Vec::len))?;
        let mut all = vec![Alternative { constraints: Vec::new(), name: String::new() }];
        for part in parts {
            if let [only] = part.as_slice() {
                all.iter_mut().for_each(|known| known.add(only));
                continue;
            }
            let mut next = Vec::new();
            for known in &all {
                if self.watch.is_over() {
                    return Err(stopped(&self.watch, self.declaration.name.span));
                }
                next.extend(part.iter().map(|way| known.with(way)));
            }
            all = next;
        }
        Ok(all)
    }

    /// Refuses before they are made if the combinations of so many alternatives are more than can be gone through.
    ///
    /// # Errors
    /// If they are.
    pub fn allow_cases(&self, ways: impl Iterator<Item = usize>) -> Result<(), Diagnostic> {
        let count = ways.fold(1u128, |count, ways| count.saturating_mul(ways as u128));
        if count <= MAX_CASES as u128 {
            return Ok(());
        }
        let count = match count {
            u128::MAX => "more than 10^38".to_owned(),
            count => count.to_string(),
        };
        self.watch.too_many("cases of two inputs", count.clone(), MAX_CASES);
        let message = format!("two inputs have {count} cases, and at most {MAX_CASES} are allowed");
        let hint = "every `bool` that is read has two, in each of the two inputs: shorter arrays have fewer";
        Err(Diagnostic::new(self.declaration.name.span, message).with_hint(hint))
    }
}

impl Alternative {
    /// Both hold.
    pub fn with(&self, other: &Alternative) -> Alternative {
        let mut both = self.clone();
        both.add(other);
        both
    }

    fn add(&mut self, other: &Alternative) {
        self.constraints.extend(other.constraints.iter().cloned());
        if !self.name.is_empty() && !other.name.is_empty() {
            self.name.push_str(", ");
        }
        self.name.push_str(&other.name);
    }
}
