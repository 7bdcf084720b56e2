//! Expressions of the language as terms and propositions of Coq.

use lastbit_lang::Tie;
use lastbit_lang::ast::{Arithmetic, CompareOp, ExprId, ExprKind, Function, Logic, UnaryOp};
use lastbit_real::Rational;

use super::Unsupported;
use super::names::Names;
use super::terms::{atom, number};
use super::text::{Meaning, Scopes, Text};

pub(super) fn relation(op: CompareOp) -> &'static str {
    match op {
        CompareOp::NotEqual => "<>",
        _ => op.text(),
    }
}

/// Expressions, where names have these meanings.
pub(super) struct Reader<'t, 'p, 'a> {
    pub(super) text: &'t Text<'p, 'a>,
    pub(super) names: Names,
    pub(super) scopes: Scopes,
}

impl<'t, 'p, 'a> Reader<'t, 'p, 'a> {
    pub(super) fn new(text: &'t Text<'p, 'a>, which: usize) -> Self {
        Reader { text, names: text.names.clone(), scopes: text.scopes(which) }
    }

    pub(super) fn bind(&mut self, index: &str) -> String {
        let name = self.names.fresh(index);
        self.scopes.insert(index.to_owned(), Meaning::Index(name.clone()));
        name
    }

    pub(super) fn kind(&self, id: ExprId) -> &ExprKind {
        &self.text.program.file.expr(id).kind
    }

    pub(super) fn term(&self, id: ExprId) -> Result<String, Unsupported> {
        Ok(self.typed(id)?.0)
    }

    /// As the argument of a function.
    pub(super) fn argument(&self, id: ExprId) -> Result<String, Unsupported> {
        Ok(atom(&self.term(id)?))
    }

    pub(super) fn meaning(&self, id: ExprId) -> Result<Meaning, Unsupported> {
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
    pub(super) fn typed(&self, id: ExprId) -> Result<(String, bool), Unsupported> {
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
                let (x, is_truth_value) = self.typed(*a)?;
                let (x, y) = (atom(&x), self.argument(*b)?);
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
    pub(super) fn proposition(&self, id: ExprId) -> Result<String, Unsupported> {
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
    pub(super) fn conditions(&self, id: ExprId, found: &mut Vec<String>) -> Result<(), Unsupported> {
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
    pub(super) fn whole(&self, id: ExprId) -> Result<i64, Unsupported> {
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
