//! A declaration as Coq definitions, statement by statement: the mechanism, when it is defined, which inputs are neighbours.

use std::collections::BTreeMap;

use lastbit_lang::ast::{
    Binder, ClauseKind, Constraint as Declared, ExprId, ExprKind, Quantifier, Scalar, Shape, Side, Statement,
    StatementKind,
};
use lastbit_lang::symbolic::{Program, Scope, Value};
use lastbit_real::Rational;

use super::Unsupported;
use super::expressions::{Reader, relation};
use super::names::Names;
use super::statements::{Step, Writer};

/// Most characters of a definition: branches and loops multiply.
pub(super) const MAX_TEXT: usize = 200_000;

/// How deep expressions may be nested.
const MAX_DEPTH: usize = 500;

/// What a name of the program stands for.
#[derive(Clone, Debug)]
pub(super) enum Meaning {
    /// A number, known when the program is written down.
    Constant(Rational),
    /// A term; whether it is a truth value.
    Term(String, bool),
    /// An array: its elements.
    Elements(Vec<Option<Meaning>>),
    /// An array that is an input: a function of the index, the number of elements, whether they are truth values.
    Input(String, usize, bool),
    /// An index that is bound by `forall`.
    Index(String),
}

pub(super) type Scopes = BTreeMap<String, Meaning>;

/// An input, with its name in the mechanism and in the two runs.
#[derive(Debug)]
pub(super) struct Input {
    pub(super) name: String,
    pub(super) coq: [String; 3],
    pub(super) is_truth_value: bool,
    /// The number of elements of an array.
    pub(super) length: Option<usize>,
}

impl Input {
    fn coq_type(&self) -> String {
        let scalar = if self.is_truth_value { "bool" } else { "R" };
        match self.length {
            Some(_) => format!("nat -> {scalar}"),
            None => scalar.into(),
        }
    }

    fn meaning(&self, which: usize) -> Meaning {
        let name = self.coq[which].clone();
        match self.length {
            Some(length) => Meaning::Input(name, length, self.is_truth_value),
            None => Meaning::Term(name, self.is_truth_value),
        }
    }
}

/// Lines with their indentation, and the samples that they are a function of.
#[derive(Debug, Default)]
pub(super) struct Written {
    pub(super) lines: Vec<(usize, String)>,
    pub(super) samples: Vec<String>,
}

/// A declaration, and the names of its parts in Coq.
pub(super) struct Text<'p, 'a> {
    pub(super) program: &'p Program<'a>,
    pub(super) names: Names,
    /// The mechanism.
    pub(super) name: String,
    /// Parameters without a value: name, and name in Coq.
    pub(super) parameters: Vec<(String, String)>,
    pub(super) inputs: Vec<Input>,
    /// Whether the mechanism is a function of its samples, and not a finite distribution.
    pub(super) is_event: bool,
    constants: BTreeMap<String, Rational>,
}

impl<'p, 'a> Text<'p, 'a> {
    pub(super) fn new(program: &'p Program<'a>, is_event: bool) -> Result<Text<'p, 'a>, Unsupported> {
        let declaration = program.declaration;
        // What follows recurses; operands come before what uses them.
        let mut depths: Vec<usize> = Vec::new();
        for expression in &program.file.expressions {
            let mut depth = 0;
            expression.kind.for_each_operand(|operand| {
                depth = depth.max(depths.get(operand.0 as usize).map_or(0, |inner| inner + 1));
            });
            depths.push(depth);
        }
        if depths.iter().any(|depth| *depth > MAX_DEPTH) {
            return Err(Unsupported::Size);
        }
        let mut names = Names::default();
        let name = names.fresh(&declaration.name.text);
        for suffix in ["defined", "cost", "is_dist", "private", "private_output"] {
            names.fresh(&format!("{name}_{suffix}"));
        }
        let (mut parameters, mut constants) = (Vec::new(), BTreeMap::new());
        for binder in declaration.parameters() {
            let text = binder.name.text.clone();
            match program.lookup(&text, None) {
                Some(Value::Number(p)) => match p.as_constant() {
                    Some(value) => drop(constants.insert(text, value)),
                    None => {
                        let coq = names.fresh(&text);
                        parameters.push((text, coq));
                    }
                },
                _ => return Err(Unsupported::Expression(format!("the parameter `{text}`"))),
            }
        }
        let mut inputs = Vec::new();
        for binder in &declaration.arguments {
            if binder.ty.scalar == Scalar::Data {
                return Err(Unsupported::Expression("an argument of type `data`".into()));
            }
            let text = &binder.name.text;
            let length = match program.lookup(text, Some(Side::One)) {
                Some(Value::List(items)) => Some(items.len()),
                _ => None,
            };
            let coq = [names.fresh(text), names.fresh(&format!("{text}1")), names.fresh(&format!("{text}2"))];
            let is_truth_value = binder.ty.scalar == Scalar::Bool;
            inputs.push(Input { name: text.clone(), coq, is_truth_value, length });
        }
        Ok(Text { program, names, name, parameters, inputs, is_event, constants })
    }

    /// ` (eps B : R)`
    pub(super) fn parameter_binders(&self) -> String {
        let list: Vec<&str> = self.parameters.iter().map(|(_, coq)| coq.as_str()).collect();
        if list.is_empty() { String::new() } else { format!(" ({} : R)", list.join(" ")) }
    }

    /// ` (eps B : R) (x : R)`; `which` is 0 for the mechanism itself, 1 and 2 for the two runs.
    pub(super) fn binders(&self, which: &[usize]) -> String {
        let one = |input: &Input| {
            let list: Vec<&str> = which.iter().map(|run| input.coq[*run].as_str()).collect();
            format!(" ({} : {})", list.join(" "), input.coq_type())
        };
        self.parameter_binders() + &self.inputs.iter().map(one).collect::<String>()
    }

    /// ` eps x1`
    pub(super) fn arguments(&self, which: &[usize]) -> String {
        let parameters = self.parameters.iter().map(|(_, coq)| coq.clone());
        let inputs = which.iter().flat_map(|run| self.inputs.iter().map(|input| input.coq[*run].clone()));
        parameters.chain(inputs).map(|name| format!(" {name}")).collect()
    }

    /// ` eps` and the inputs side by side: ` eps x1 x2 y1 y2`.
    pub(super) fn both(&self, which: &[usize]) -> String {
        let parameters = self.parameters.iter().map(|(_, coq)| coq.clone());
        let inputs = self.inputs.iter().flat_map(|input| which.iter().map(|run| input.coq[*run].clone()));
        parameters.chain(inputs).map(|name| format!(" {name}")).collect()
    }

    pub(super) fn scopes(&self, which: usize) -> Scopes {
        let constants =
            self.constants.iter().map(|(name, value)| (name.clone(), Meaning::Constant(value.clone())));
        let parameters =
            self.parameters.iter().map(|(name, coq)| (name.clone(), Meaning::Term(coq.clone(), false)));
        let inputs = self.inputs.iter().map(|input| (input.name.clone(), input.meaning(which)));
        constants.chain(parameters).chain(inputs).collect()
    }

    /// The type of what is returned.
    pub(super) fn result_type(&self) -> String {
        let result = self.program.declaration.result;
        let scalar = if result.scalar == Scalar::Bool { "bool" } else { "R" };
        match result.shape {
            Shape::One => scalar.into(),
            _ => format!("list {scalar}"),
        }
    }

    /// The mechanism, as lines; and the names of the samples that it is a function of.
    pub(super) fn mechanism(&self) -> Result<Written, Unsupported> {
        self.write(self.program.declaration.body.iter(), false, self.scopes(0))
    }

    /// When the mechanism is defined, as lines.
    pub(super) fn defined(&self) -> Result<Vec<(usize, String)>, Unsupported> {
        Ok(self.write(self.program.declaration.body.iter(), true, self.scopes(0))?.lines)
    }

    /// What is returned, as a function of a variable that the body sets.
    pub(super) fn function_of(&self, variable: &str) -> Result<String, Unsupported> {
        let mut scopes = self.scopes(0);
        // Inputs may not come in again, so that their names mean nothing here.
        for input in &self.inputs {
            scopes.remove(&input.name);
        }
        let name = self.names.clone().fresh(variable);
        scopes.insert(variable.to_owned(), Meaning::Term(name.clone(), false));
        let sets = |statement: &&Statement| matches!(&statement.kind, StatementKind::Assign(place, _) if place.name.text == variable);
        let body = &self.program.declaration.body;
        let start = body.iter().position(|statement| sets(&statement)).map_or(body.len(), |place| place + 1);
        let lines = self.write(body[start..].iter(), false, scopes)?.lines;
        let text: Vec<String> = lines.into_iter().map(|(_, text)| text).collect();
        Ok(format!("fun {name} => {}", text.join(" ")))
    }

    fn write<'s>(
        &self,
        body: impl DoubleEndedIterator<Item = &'s Statement>,
        defined: bool,
        scopes: Scopes,
    ) -> Result<Written, Unsupported> {
        let body: Vec<Step<'_>> = body.rev().map(Step::Do).collect();
        let mut writer =
            Writer { text: self, names: self.names.clone(), defined, written: Written::default(), size: 0 };
        writer.steps(body, scopes, 2)?;
        Ok(writer.written)
    }

    /// What is declared of the parameters and inputs, as propositions.
    pub(super) fn facts(&self) -> Result<Vec<String>, Unsupported> {
        let mut found: Vec<String> = Vec::new();
        let mut add = |text: String| {
            if !found.contains(&text) {
                found.push(text);
            }
        };
        let declaration = self.program.declaration;
        for binder in declaration.parameters().filter(|b| !self.constants.contains_key(&b.name.text)) {
            self.declared(binder, 1, &mut add)?;
        }
        for binder in &declaration.arguments {
            for run in [1, 2] {
                self.declared(binder, run, &mut add)?;
            }
        }
        for clause in &declaration.clauses {
            if let ClauseKind::Assume(condition) = clause.kind {
                for run in [1, 2] {
                    add(Reader::new(self, run).proposition(condition)?);
                }
            }
        }
        Ok(found)
    }

    fn declared(&self, binder: &Binder, run: usize, add: &mut impl FnMut(String)) -> Result<(), Unsupported> {
        let Some(declared) = binder.constraint else { return Ok(()) };
        let reader = Reader::new(self, run);
        let values: Vec<String> = match reader.scopes.get(&binder.name.text) {
            Some(Meaning::Term(name, false)) => vec![name.clone()],
            Some(Meaning::Input(name, length, false)) => {
                (0..*length).map(|i| format!("{name} {i}%nat")).collect()
            }
            _ => return Ok(()),
        };
        for x in values {
            match declared {
                Declared::Compare(op, bound) => add(format!("{x} {} {}", relation(op), reader.term(bound)?)),
                Declared::In(interval) => {
                    let [least, most] =
                        [interval.lo_closed, interval.hi_closed].map(|c| if c { "<=" } else { "<" });
                    add(format!(
                        "{} {least} {x} {most} {}",
                        reader.term(interval.lo)?,
                        reader.term(interval.hi)?
                    ));
                }
            }
        }
        Ok(())
    }

    /// The conditions for inputs to be neighbours.
    pub(super) fn adjacent(&self) -> Result<Vec<String>, Unsupported> {
        let mut found = Vec::new();
        for clause in &self.program.declaration.clauses {
            let ClauseKind::Adjacent(quantifier, condition) = &clause.kind else { continue };
            match quantifier {
                Quantifier::None => found.push(Reader::new(self, 0).proposition(*condition)?),
                Quantifier::ForAll(index) => {
                    let mut reader = Reader::new(self, 0);
                    let i = reader.bind(&index.text);
                    let (_, length) = self.indexed(&index.text, *condition)?;
                    let condition = reader.proposition(*condition)?;
                    found.push(format!("forall {i} : nat, ({i} < {length})%nat -> {condition}"));
                }
                Quantifier::AtMostOne(index) => {
                    let mut reader = Reader::new(self, 0);
                    let i = reader.bind(&index.text);
                    let (arrays, length) = self.indexed(&index.text, *condition)?;
                    let condition = reader.proposition(*condition)?;
                    let j = self.names.clone().fresh("j");
                    let same: Vec<String> = arrays
                        .iter()
                        .map(|input| format!("{} {j} = {} {j}", input.coq[1], input.coq[2]))
                        .collect();
                    found.push(format!(
                        "exists {i} : nat, ({i} < {length})%nat /\\ {condition} /\\ forall {j} : nat, ({j} < \
                         {length})%nat -> {j} <> {i} -> {}",
                        same.join(" /\\ ")
                    ));
                }
            }
        }
        Ok(found)
    }

    /// The arrays that an index is used with, and their length.
    fn indexed(&self, index: &str, condition: ExprId) -> Result<(Vec<&Input>, usize), Unsupported> {
        let file = self.program.file;
        let mut arrays: Vec<&Input> = Vec::new();
        for id in file.post_order(condition) {
            let ExprKind::Index(mut array, at) = file.expr(id).kind else { continue };
            while let ExprKind::Copy(of, _) = file.expr(array).kind {
                array = of;
            }
            let (ExprKind::Name(at), ExprKind::Name(array)) = (&file.expr(at).kind, &file.expr(array).kind)
            else {
                continue;
            };
            let input = self.inputs.iter().find(|input| input.name == *array);
            if let (true, Some(input)) = (at == index, input)
                && !arrays.iter().any(|known| known.name == input.name)
            {
                arrays.push(input);
            }
        }
        let lengths: Vec<usize> = arrays.iter().filter_map(|input| input.length).collect();
        match lengths.as_slice() {
            [first, rest @ ..] if rest.iter().all(|length| length == first) => Ok((arrays, *first)),
            _ => Err(Unsupported::Expression("`adjacent` over arrays of different lengths".into())),
        }
    }

    /// The claimed loss.
    pub(super) fn claim(&self) -> Result<Option<String>, Unsupported> {
        let mut found = None;
        for clause in &self.program.declaration.clauses {
            match clause.kind {
                ClauseKind::ClaimPure(Some(epsilon)) => found = Some(Reader::new(self, 0).term(epsilon)?),
                ClauseKind::ClaimApprox(..) => return Err(Unsupported::Approximate),
                _ => {}
            }
        }
        Ok(found)
    }
}
