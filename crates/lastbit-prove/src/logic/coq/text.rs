//! A declaration as Coq definitions, statement by statement: the mechanism, when it is defined, which inputs are neighbours.

use std::collections::BTreeMap;

use lastbit_lang::Tie;
use lastbit_lang::ast::{
    Arithmetic, Binder, ClauseKind, CompareOp, Constraint as Declared, Distribution, ExprId, ExprKind,
    Function, Logic, Quantifier, Scalar, Shape, Side, Statement, StatementKind, UnaryOp,
};
use lastbit_lang::symbolic::{Program, Scope, Value};
use lastbit_real::Rational;

use super::Unsupported;
use super::names::Names;
use super::terms::{atom, number};

/// Most characters of a definition: branches and loops multiply.
const MAX_TEXT: usize = 200_000;

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
        let mut names = Names::default();
        let name = names.fresh(&declaration.name.text);
        for suffix in ["defined", "cost", "is_dist", "private"] {
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

    /// `(eps B : R) (x : R)`; `which` is 0 for the mechanism itself, 1 and 2 for the two runs.
    pub(super) fn binders(&self, which: &[usize]) -> String {
        let mut text = String::new();
        if !self.parameters.is_empty() {
            let list: Vec<&str> = self.parameters.iter().map(|(_, coq)| coq.as_str()).collect();
            text += &format!(" ({} : R)", list.join(" "));
        }
        text + &self.input_binders(which)
    }

    pub(super) fn input_binders(&self, which: &[usize]) -> String {
        let one = |input: &Input| {
            let list: Vec<&str> = which.iter().map(|run| input.coq[*run].as_str()).collect();
            format!(" ({} : {})", list.join(" "), input.coq_type())
        };
        self.inputs.iter().map(one).collect()
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

    fn scopes(&self, which: usize) -> Scopes {
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

    /// Which inputs are neighbours.
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

fn relation(op: CompareOp) -> &'static str {
    match op {
        CompareOp::NotEqual => "<>",
        _ => op.text(),
    }
}

/// Expressions, where names have these meanings.
struct Reader<'t, 'p, 'a> {
    text: &'t Text<'p, 'a>,
    names: Names,
    scopes: Scopes,
}

impl<'t, 'p, 'a> Reader<'t, 'p, 'a> {
    fn new(text: &'t Text<'p, 'a>, which: usize) -> Self {
        Reader { text, names: text.names.clone(), scopes: text.scopes(which) }
    }

    fn bind(&mut self, index: &str) -> String {
        let name = self.names.fresh(index);
        self.scopes.insert(index.to_owned(), Meaning::Index(name.clone()));
        name
    }

    fn kind(&self, id: ExprId) -> &ExprKind {
        &self.text.program.file.expr(id).kind
    }

    fn term(&self, id: ExprId) -> Result<String, Unsupported> {
        Ok(self.typed(id)?.0)
    }

    /// As the argument of a function.
    fn argument(&self, id: ExprId) -> Result<String, Unsupported> {
        Ok(atom(&self.term(id)?))
    }

    fn meaning(&self, id: ExprId) -> Result<Meaning, Unsupported> {
        let unknown = |what: &str| Unsupported::Expression(format!("`{what}` here"));
        Ok(match self.kind(id) {
            ExprKind::Name(name) => self.scopes.get(name).cloned().ok_or_else(|| unknown(name))?,
            ExprKind::Copy(of, side) => {
                let reader = Reader {
                    text: self.text,
                    names: self.names.clone(),
                    scopes: self.copied(*side as usize + 1),
                };
                reader.meaning(*of)?
            }
            ExprKind::Index(array, at) => match self.meaning(*array)? {
                Meaning::Input(name, _, is_truth_value) => {
                    let at = match self.kind(*at) {
                        ExprKind::Name(index)
                            if matches!(self.scopes.get(index), Some(Meaning::Index(_))) =>
                        {
                            match &self.scopes[index] {
                                Meaning::Index(name) => name.clone(),
                                _ => return Err(unknown("an index")),
                            }
                        }
                        _ => format!("{}%nat", self.whole(*at)?),
                    };
                    Meaning::Term(format!("{name} {at}"), is_truth_value)
                }
                Meaning::Elements(items) => {
                    let at = usize::try_from(self.whole(*at)?).ok();
                    let item = at.and_then(|at| items.get(at)).cloned().flatten();
                    item.ok_or_else(|| unknown("an element"))?
                }
                _ => return Err(unknown("an index")),
            },
            _ => return Err(unknown("this expression")),
        })
    }

    /// The meanings in one of the two runs; bound indices stay.
    fn copied(&self, which: usize) -> Scopes {
        let mut scopes = self.text.scopes(which);
        let bound = self.scopes.iter().filter(|(_, meaning)| matches!(meaning, Meaning::Index(_)));
        scopes.extend(bound.map(|(name, meaning)| (name.clone(), meaning.clone())));
        scopes
    }

    /// A term, and whether it is a truth value.
    fn typed(&self, id: ExprId) -> Result<(String, bool), Unsupported> {
        let unsupported = |what: &str| Err(Unsupported::Expression(what.into()));
        Ok(match self.kind(id) {
            ExprKind::Number { value, .. } => (number(value), false),
            ExprKind::Bool(value) => (value.to_string(), true),
            ExprKind::Name(_) | ExprKind::Copy(..) | ExprKind::Index(..) => match self.meaning(id)? {
                Meaning::Constant(value) => (number(&value), false),
                Meaning::Term(term, is_truth_value) => (term, is_truth_value),
                _ => return unsupported("an array as a value"),
            },
            ExprKind::Unary(UnaryOp::Neg, a) => (format!("- {}", self.argument(*a)?), false),
            ExprKind::Unary(UnaryOp::Not, a) => (format!("negb {}", self.argument(*a)?), true),
            ExprKind::Arithmetic(op, a, b) => {
                let is_sum = |id: ExprId| {
                    matches!(self.kind(id), ExprKind::Arithmetic(Arithmetic::Add | Arithmetic::Sub, ..))
                };
                let is_product = |id: ExprId| {
                    matches!(self.kind(id), ExprKind::Arithmetic(Arithmetic::Mul | Arithmetic::Div, ..))
                };
                // Coq's operations bind as the language's do, and to the left.
                let left = match op {
                    Arithmetic::Add | Arithmetic::Sub if is_sum(*a) || is_product(*a) => self.term(*a)?,
                    Arithmetic::Mul | Arithmetic::Div if is_product(*a) => self.term(*a)?,
                    _ => self.operand(*a)?,
                };
                let right = match op {
                    Arithmetic::Add | Arithmetic::Sub if is_product(*b) => self.term(*b)?,
                    _ => self.operand(*b)?,
                };
                (format!("{left} {} {right}", op.text()), false)
            }
            ExprKind::Compare(op, a, b) => {
                let (is_truth_value, [x, y]) = (self.typed(*a)?.1, [self.argument(*a)?, self.argument(*b)?]);
                let equal = if is_truth_value { "Bool.eqb" } else { "eqb" };
                let text = match op {
                    CompareOp::Less => format!("ltb {x} {y}"),
                    CompareOp::LessOrEqual => format!("leb {x} {y}"),
                    CompareOp::Greater => format!("ltb {y} {x}"),
                    CompareOp::GreaterOrEqual => format!("leb {y} {x}"),
                    CompareOp::Equal => format!("{equal} {x} {y}"),
                    CompareOp::NotEqual => format!("negb ({equal} {x} {y})"),
                };
                (text, true)
            }
            ExprKind::Logic(op, a, b) => {
                let function = if *op == Logic::And { "andb" } else { "orb" };
                (format!("{function} {} {}", self.argument(*a)?, self.argument(*b)?), true)
            }
            ExprKind::Call(function, list) => {
                let name = match function {
                    Function::Ln => "ln",
                    Function::Exp => "exp",
                    Function::Sqrt => "sqrt",
                    Function::Abs => "Rabs",
                    Function::Min => "Rmin",
                    Function::Max => "Rmax",
                    Function::Clamp if self.text.is_event => {
                        let [a, bound] = [self.argument(list[0])?, self.argument(list[1])?];
                        return Ok((format!("clamp {bound} {a}"), false));
                    }
                    Function::Fma | Function::Clamp => return unsupported("`fma` or `clamp`"),
                };
                let mut text = name.to_owned();
                for argument in list {
                    text += &format!(" {}", self.argument(*argument)?);
                }
                (text, false)
            }
            ExprKind::If(c, a, b) => {
                let (a, is_truth_value) = self.typed(*a)?;
                (format!("if {} then {a} else {}", self.term(*c)?, self.term(*b)?), is_truth_value)
            }
            ExprKind::Query(..) => return unsupported("a query"),
            ExprKind::Round(a, step, tie @ (Tie::Up | Tie::Even)) if self.text.is_event => {
                let tie = if *tie == Tie::Up { "up" } else { "even" };
                (format!("round_half_{tie} {} {}", self.argument(*step)?, self.argument(*a)?), false)
            }
            ExprKind::Round(..) => return unsupported("`round`"),
            ExprKind::List(_) => return unsupported("a list as a value"),
        })
    }

    /// As an operand of an arithmetic operation.
    fn operand(&self, id: ExprId) -> Result<String, Unsupported> {
        let term = self.term(id)?;
        let is_application =
            matches!(self.kind(id), ExprKind::Call(..) | ExprKind::Index(..) | ExprKind::Copy(..));
        Ok(if is_application { term } else { atom(&term) })
    }

    /// A condition, as a proposition.
    fn proposition(&self, id: ExprId) -> Result<String, Unsupported> {
        Ok(match self.kind(id) {
            ExprKind::Compare(op, a, b) => format!("{} {} {}", self.term(*a)?, relation(*op), self.term(*b)?),
            ExprKind::Logic(Logic::And, a, b) => {
                format!("({}) /\\ ({})", self.proposition(*a)?, self.proposition(*b)?)
            }
            ExprKind::Logic(Logic::Or, a, b) => {
                format!("({}) \\/ ({})", self.proposition(*a)?, self.proposition(*b)?)
            }
            ExprKind::Unary(UnaryOp::Not, a) => format!("~ ({})", self.proposition(*a)?),
            ExprKind::Bool(true) => "True".into(),
            ExprKind::Bool(false) => "False".into(),
            _ => match self.typed(id)? {
                (term, true) => format!("{term} = true"),
                _ => return Err(Unsupported::Expression("this condition".into())),
            },
        })
    }

    /// What must hold for an expression to be defined.
    fn conditions(&self, id: ExprId, found: &mut Vec<String>) -> Result<(), Unsupported> {
        match self.kind(id) {
            ExprKind::Arithmetic(Arithmetic::Div, a, b) => {
                self.conditions(*a, found)?;
                self.conditions(*b, found)?;
                // A number is seen to be no zero.
                if !matches!(self.kind(*b), ExprKind::Number { value, .. } if !value.is_zero()) {
                    found.push(format!("{} <> 0", self.term(*b)?));
                }
            }
            ExprKind::Call(function @ (Function::Ln | Function::Sqrt), list) => {
                self.conditions(list[0], found)?;
                let least = if *function == Function::Ln { "<" } else { "<=" };
                found.push(format!("0 {least} {}", self.term(list[0])?));
            }
            ExprKind::Call(Function::Clamp, list) => {
                self.conditions(list[0], found)?;
                self.conditions(list[1], found)?;
                found.push(format!("0 <= {}", self.term(list[1])?));
            }
            ExprKind::Round(a, step, _) => {
                self.conditions(*a, found)?;
                self.conditions(*step, found)?;
                found.push(format!("0 < {}", self.term(*step)?));
            }
            ExprKind::If(c, a, b) => {
                self.conditions(*c, found)?;
                let [mut then, mut otherwise] = [Vec::new(), Vec::new()];
                self.conditions(*a, &mut then)?;
                self.conditions(*b, &mut otherwise)?;
                if !(then.is_empty() && otherwise.is_empty()) {
                    let [then, otherwise] = [then, otherwise].map(|list| conjunction(&list));
                    found.push(format!("(if {} then {then} else {otherwise})", self.term(*c)?));
                }
            }
            ExprKind::Logic(op, a, b) => {
                self.conditions(*a, found)?;
                let mut second = Vec::new();
                self.conditions(*b, &mut second)?;
                if !second.is_empty() {
                    let (value, second) = (*op == Logic::And, conjunction(&second));
                    found.push(format!("({} = {value} -> {second})", self.term(*a)?));
                }
            }
            kind => {
                let mut operands = Vec::new();
                kind.for_each_operand(|operand| operands.push(operand));
                for operand in operands {
                    self.conditions(operand, found)?;
                }
            }
        }
        Ok(())
    }

    /// A whole number that is known: an index, the end of a loop.
    fn whole(&self, id: ExprId) -> Result<i64, Unsupported> {
        let value = self.known(id).filter(Rational::is_integer);
        let whole = value.and_then(|value| i64::try_from(value.floor()).ok());
        whole.ok_or_else(|| Unsupported::Expression("an index that is not a known number".into()))
    }

    fn known(&self, id: ExprId) -> Option<Rational> {
        match self.kind(id) {
            ExprKind::Number { value, .. } => Some(value.clone()),
            ExprKind::Name(name) => match self.scopes.get(name)? {
                Meaning::Constant(value) => Some(value.clone()),
                _ => None,
            },
            ExprKind::Unary(UnaryOp::Neg, a) => Some(-self.known(*a)?),
            ExprKind::Arithmetic(op, a, b) => {
                let (a, b) = (self.known(*a)?, self.known(*b)?);
                match op {
                    Arithmetic::Add => Some(&a + &b),
                    Arithmetic::Sub => Some(&a - &b),
                    Arithmetic::Mul => Some(&a * &b),
                    Arithmetic::Div => a.checked_div(&b),
                }
            }
            _ => None,
        }
    }
}

fn conjunction(list: &[String]) -> String {
    if list.is_empty() { "True".into() } else { list.join(" /\\ ") }
}

/// What is left to write.
#[derive(Clone)]
enum Step<'s> {
    Do(&'s Statement),
    /// A loop's variable gets a value, or the meaning that it had before.
    Set(&'s str, Option<Meaning>),
}

/// Writes the mechanism, or when it is defined.
struct Writer<'t, 'p, 'a> {
    text: &'t Text<'p, 'a>,
    names: Names,
    defined: bool,
    written: Written,
    size: usize,
}

impl Writer<'_, '_, '_> {
    fn line(&mut self, indent: usize, text: String) -> Result<(), Unsupported> {
        self.size += text.len();
        self.written.lines.push((indent, text));
        if self.size > MAX_TEXT { Err(Unsupported::Size) } else { Ok(()) }
    }

    fn conditions(
        &mut self,
        reader: &Reader<'_, '_, '_>,
        ids: &[ExprId],
        indent: usize,
    ) -> Result<(), Unsupported> {
        let mut found = Vec::new();
        for id in ids.iter().filter(|_| self.defined) {
            reader.conditions(*id, &mut found)?;
        }
        found.into_iter().try_for_each(|condition| self.line(indent, format!("{condition} /\\")))
    }

    /// The rest of the program; the next step is the last one.
    fn steps(
        &mut self,
        mut rest: Vec<Step<'_>>,
        mut scopes: Scopes,
        indent: usize,
    ) -> Result<(), Unsupported> {
        while let Some(step) = rest.pop() {
            let statement = match step {
                Step::Do(statement) => statement,
                Step::Set(name, meaning) => {
                    match meaning {
                        Some(meaning) => scopes.insert(name.to_owned(), meaning),
                        None => scopes.remove(name),
                    };
                    continue;
                }
            };
            let reader = Reader { text: self.text, names: Names::default(), scopes: scopes.clone() };
            match &statement.kind {
                StatementKind::Declare(name, ty) => {
                    if let Shape::Array(length) = ty.shape {
                        let length = usize::try_from(reader.whole(length)?).map_err(|_| Unsupported::Size)?;
                        scopes.insert(name.text.clone(), Meaning::Elements(vec![None; length]));
                    }
                }
                StatementKind::Assign(place, value) => {
                    self.conditions(&reader, &[*value], indent)?;
                    let (term, is_truth_value) = reader.typed(*value)?;
                    let at = place.index.map(|index| reader.whole(index)).transpose()?;
                    let name = self.set(&mut scopes, &place.name.text, at, is_truth_value)?;
                    self.line(indent, format!("let {name} := {term} in"))?;
                }
                StatementKind::Sample(place, distribution) => {
                    let at = place.index.map(|index| reader.whole(index)).transpose()?;
                    let is_truth_value = matches!(distribution, Distribution::Bernoulli(_));
                    self.conditions(&reader, &parameters(distribution), indent)?;
                    let (law, demand, values) = law(&reader, distribution)?;
                    let name = self.set(&mut scopes, &place.name.text, at, is_truth_value)?;
                    match self.defined {
                        false if self.text.is_event => self.written.samples.push(name),
                        true => self.line(
                            indent,
                            format!(
                                "{demand}forall {name} : {},{}",
                                if is_truth_value { "bool" } else { "R" },
                                values(&name)
                            ),
                        )?,
                        false => self.line(indent, format!("{name} <$ {law} ;;"))?,
                    }
                }
                StatementKind::If { condition, then, otherwise } => {
                    self.conditions(&reader, &[*condition], indent)?;
                    self.line(indent, format!("if {} then", reader.term(*condition)?))?;
                    for (index, block) in [then, otherwise].into_iter().enumerate() {
                        let mut branch = rest.clone();
                        branch.extend(block.statements.iter().rev().map(Step::Do));
                        let names = self.names.clone();
                        self.steps(branch, scopes.clone(), indent + 2)?;
                        self.names = names;
                        if index == 0 {
                            self.line(indent, "else".into())?;
                        }
                    }
                    return Ok(());
                }
                StatementKind::For { variable, from, to, body } => {
                    let (first, end) = (reader.whole(*from)?, reader.whole(*to)?);
                    rest.push(Step::Set(&variable.text, scopes.get(&variable.text).cloned()));
                    for index in (first..end).rev() {
                        rest.extend(body.statements.iter().rev().map(Step::Do));
                        rest.push(Step::Set(&variable.text, Some(Meaning::Constant(Rational::from(index)))));
                        if rest.len() > MAX_TEXT {
                            return Err(Unsupported::Size);
                        }
                    }
                }
                StatementKind::Return(id) => {
                    self.conditions(&reader, &[*id], indent)?;
                    let value = self.returned(&reader, *id)?;
                    let text = match (self.defined, self.text.is_event) {
                        (true, _) => "True".into(),
                        (false, true) => value,
                        (false, false) => format!("unit {}", atom(&value)),
                    };
                    return self.line(indent, text);
                }
            }
        }
        Err(Unsupported::Expression("a program that returns nothing".into()))
    }

    /// A new name for a variable.
    fn set(
        &mut self,
        scopes: &mut Scopes,
        variable: &str,
        at: Option<i64>,
        is_truth_value: bool,
    ) -> Result<String, Unsupported> {
        let Some(at) = at else {
            let name = self.names.fresh(variable);
            scopes.insert(variable.to_owned(), Meaning::Term(name.clone(), is_truth_value));
            return Ok(name);
        };
        let name = self.names.fresh(&format!("{variable}_{at}"));
        let Some(Meaning::Elements(items)) = scopes.get_mut(variable) else {
            return Err(Unsupported::Expression(format!("`{variable}` here")));
        };
        let item = usize::try_from(at).ok().and_then(|at| items.get_mut(at));
        *item.ok_or_else(|| Unsupported::Expression(format!("`{variable}` here")))? =
            Some(Meaning::Term(name.clone(), is_truth_value));
        Ok(name)
    }

    fn returned(&self, reader: &Reader<'_, '_, '_>, id: ExprId) -> Result<String, Unsupported> {
        if self.text.program.declaration.result.shape == Shape::One {
            return reader.term(id);
        }
        let terms = match reader.kind(id) {
            ExprKind::List(items) => {
                items.iter().map(|item| reader.term(*item)).collect::<Result<Vec<_>, _>>()?
            }
            _ => match reader.meaning(id)? {
                Meaning::Elements(items) => {
                    let term = |item: Option<Meaning>| match item {
                        Some(Meaning::Term(term, _)) => Ok(term),
                        _ => Err(Unsupported::Expression("an element that is not set".into())),
                    };
                    items.into_iter().map(term).collect::<Result<Vec<_>, _>>()?
                }
                Meaning::Input(name, length, _) => (0..length).map(|i| format!("{name} {i}%nat")).collect(),
                _ => return Err(Unsupported::Expression("what is returned".into())),
            },
        };
        Ok(format!("[{}]", terms.join("; ")))
    }
}

/// The expressions in a distribution.
fn parameters(distribution: &Distribution) -> Vec<ExprId> {
    match distribution {
        Distribution::Bernoulli(p) => vec![*p],
        Distribution::Choose(weights) => weights.clone(),
        _ => Vec::new(),
    }
}

/// A distribution; what must hold for it to be one; and which values a name for a sample has.
#[expect(clippy::type_complexity)]
fn law(
    reader: &Reader<'_, '_, '_>,
    distribution: &Distribution,
) -> Result<(String, String, Box<dyn Fn(&str) -> String>), Unsupported> {
    Ok(match distribution {
        Distribution::Bernoulli(p) => {
            let law = format!("bernoulli {}", reader.argument(*p)?);
            (law, format!("0 <= {} <= 1 /\\ ", reader.term(*p)?), Box::new(|_| String::new()))
        }
        Distribution::Sign => {
            ("sign".into(), String::new(), Box::new(|name| format!(" {name} = 1 \\/ {name} = -1 ->")))
        }
        Distribution::Choose(weights) => {
            let terms = weights.iter().map(|w| reader.term(*w)).collect::<Result<Vec<_>, _>>()?;
            let demand: String = terms.iter().map(|w| format!("0 < {w} /\\ ")).collect();
            let count = terms.len();
            let values = move |name: &str| {
                let ways: Vec<String> = (0..count).map(|i| format!("{name} = {i}")).collect();
                format!(" {} ->", ways.join(" \\/ "))
            };
            (format!("choose [{}]", terms.join("; ")), demand, Box::new(values))
        }
        Distribution::Unif { .. } if reader.text.is_event => {
            (String::new(), String::new(), Box::new(|name| format!(" 0 < {name} <= 1 ->")))
        }
        other => return Err(Unsupported::Noise(other.text())),
    })
}
