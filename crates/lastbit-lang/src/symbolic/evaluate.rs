//! Expressions on symbols.

use lastbit_real::Rational;

use super::{Constraint, Polynomial, Trace, Value};
use crate::ast::{Arithmetic, CompareOp, ExprId, ExprKind, File, Function, Logic, Side, UnaryOp};
use crate::eval::grid;
use crate::{Diagnostic, Span, Tie};

/// How deep expressions may be nested.
const MAX_DEPTH: usize = 500;

/// Largest power of a variable, and most terms of a polynomial.
const MAX_POWER: i32 = 256;
const MAX_TERMS: usize = 1024;

/// A scope: the values of names. A query of data has the name `f(a)`.
pub trait Scope {
    /// The value of a name, in one of the two runs or in the only one.
    fn lookup(&self, name: &str, side: Option<Side>) -> Option<Value>;
}

/// Decides a condition.
///
/// # Errors
/// A message with the place if a name is not known or a value is not what is needed.
pub fn condition(
    file: &File,
    scope: &dyn Scope,
    id: ExprId,
    side: Option<Side>,
    trace: &mut Trace,
) -> Result<bool, Diagnostic> {
    Evaluator { file, scope, trace, depth: 0 }.truth(id, side)
}

/// The value of a numeric expression.
///
/// # Errors
/// As [`condition`].
pub fn number(
    file: &File,
    scope: &dyn Scope,
    id: ExprId,
    side: Option<Side>,
    trace: &mut Trace,
) -> Result<Polynomial, Diagnostic> {
    Evaluator { file, scope, trace, depth: 0 }.number(id, side)
}

/// The value of an expression.
///
/// # Errors
/// As [`condition`].
pub fn value(
    file: &File,
    scope: &dyn Scope,
    id: ExprId,
    side: Option<Side>,
    trace: &mut Trace,
) -> Result<Value, Diagnostic> {
    Evaluator { file, scope, trace, depth: 0 }.value(id, side)
}

struct Evaluator<'a> {
    file: &'a File,
    scope: &'a dyn Scope,
    trace: &'a mut Trace,
    depth: usize,
}

impl Evaluator<'_> {
    fn number(&mut self, id: ExprId, side: Option<Side>) -> Result<Polynomial, Diagnostic> {
        let value = self.value(id, side)?;
        value.number(self.trace).ok_or_else(|| self.unexpected(id, &value, "a number"))
    }

    fn truth(&mut self, id: ExprId, side: Option<Side>) -> Result<bool, Diagnostic> {
        let value = self.value(id, side)?;
        value.truth(self.trace).ok_or_else(|| self.unexpected(id, &value, "a condition"))
    }

    fn unexpected(&self, id: ExprId, value: &Value, wanted: &str) -> Diagnostic {
        let message = match value {
            Value::Unset => "this element is not set".to_owned(),
            _ => format!("{wanted} is needed here"),
        };
        Diagnostic::new(self.file.expr(id).span, message)
    }

    fn value(&mut self, id: ExprId, side: Option<Side>) -> Result<Value, Diagnostic> {
        let expression = self.file.expr(id);
        let span = expression.span;
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(Diagnostic::new(span, format!("nested more than {MAX_DEPTH} deep")));
        }
        let value = match &expression.kind {
            ExprKind::Number { value, .. } => Value::Number(value.clone().into()),
            ExprKind::Bool(value) => Value::Bool(*value),
            ExprKind::Name(name) => self.lookup(name, side, span)?,
            ExprKind::Copy(of, side) => self.value(*of, Some(*side))?,
            ExprKind::Index(array, index) => self.element(*array, *index, side)?,
            ExprKind::Unary(UnaryOp::Neg, a) => Value::Number(-&self.number(*a, side)?),
            ExprKind::Unary(UnaryOp::Not, a) => Value::Bool(!self.truth(*a, side)?),
            ExprKind::Arithmetic(op, a, b) => self.arithmetic(*op, *a, *b, side, span)?,
            ExprKind::Compare(op, a, b) => Value::Bool(self.compare(*op, *a, *b, side)?),
            ExprKind::Logic(Logic::And, a, b) => Value::Bool(self.truth(*a, side)? && self.truth(*b, side)?),
            ExprKind::Logic(Logic::Or, a, b) => Value::Bool(self.truth(*a, side)? || self.truth(*b, side)?),
            ExprKind::Call(function, arguments) => self.call(*function, arguments, side, span)?,
            ExprKind::Query(name, arguments) => self.query(&name.text, arguments, side, span)?,
            ExprKind::Round(a, step, tie) => self.round(*a, *step, *tie, side, span)?,
            ExprKind::If(c, a, b) => {
                let branch = if self.truth(*c, side)? { a } else { b };
                self.value(*branch, side)?
            }
            ExprKind::List(items) => {
                Value::List(items.iter().map(|item| self.value(*item, side)).collect::<Result<_, _>>()?)
            }
        };
        self.depth -= 1;
        Ok(value)
    }

    fn lookup(&self, name: &str, side: Option<Side>, span: Span) -> Result<Value, Diagnostic> {
        let unknown = || Diagnostic::new(span, format!("the value of `{name}` is not known here"));
        self.scope.lookup(name, side).ok_or_else(unknown)
    }

    fn element(&mut self, array: ExprId, index: ExprId, side: Option<Side>) -> Result<Value, Diagnostic> {
        let at = self.number(index, side)?.as_constant().filter(Rational::is_integer);
        let list = self.value(array, side)?;
        let span = self.file.expr(index).span;
        let Some(at) = at else {
            return Err(Diagnostic::new(span, "the index of an element must be a known number here"));
        };
        let Value::List(items) = list else { return Err(self.unexpected(array, &list, "an array")) };
        let place = usize::try_from(at.floor()).ok().and_then(|place| items.get(place));
        match place {
            Some(Value::Unset) => Err(Diagnostic::new(span, format!("element {at} is not set"))),
            Some(value) => Ok(value.clone()),
            None => {
                Err(Diagnostic::new(span, format!("there is no element {at}: the array has {}", items.len())))
            }
        }
    }

    fn query(
        &mut self,
        name: &str,
        arguments: &[ExprId],
        side: Option<Side>,
        span: Span,
    ) -> Result<Value, Diagnostic> {
        let (mut names, mut of) = (Vec::new(), side);
        for argument in arguments {
            let mut id = *argument;
            while let ExprKind::Copy(inner, copy) = self.file.expr(id).kind {
                (id, of) = (inner, Some(copy));
            }
            match &self.file.expr(id).kind {
                ExprKind::Name(name) => names.push(name.as_str()),
                _ => return Err(Diagnostic::new(span, "a query is asked of an argument of the mechanism")),
            }
        }
        self.lookup(&format!("{name}({})", names.join(", ")), of, span)
    }

    fn arithmetic(
        &mut self,
        op: Arithmetic,
        a: ExprId,
        b: ExprId,
        side: Option<Side>,
        span: Span,
    ) -> Result<Value, Diagnostic> {
        let (left, right) = (self.value(a, side)?, self.value(b, side)?);
        let is_exp = matches!(left, Value::Exp(_)) || matches!(right, Value::Exp(_));
        if let (true, Some(p), Some(q)) = (is_exp, left.log(), right.log()) {
            match op {
                Arithmetic::Mul => return Ok(Value::Exp(&p + &q)),
                Arithmetic::Div => return Ok(Value::Exp(&p - &q)),
                _ => {}
            }
        }
        let p = left.number(self.trace).ok_or_else(|| self.unexpected(a, &left, "a number"))?;
        let q = right.number(self.trace).ok_or_else(|| self.unexpected(b, &right, "a number"))?;
        let result = match op {
            Arithmetic::Add => &p + &q,
            Arithmetic::Sub => &p - &q,
            Arithmetic::Mul => &p * &q,
            Arithmetic::Div => &p * &self.reciprocal(q, span)?,
        };
        let powers = result.terms().flat_map(|(monomial, _)| monomial.powers());
        let too_large = powers.map(|(_, power)| power.abs()).any(|power| power > MAX_POWER);
        if too_large || result.terms().count() > MAX_TERMS {
            return Err(Diagnostic::new(span, "this polynomial is too large"));
        }
        Ok(Value::Number(result))
    }

    fn reciprocal(&mut self, q: Polynomial, span: Span) -> Result<Polynomial, Diagnostic> {
        if q.is_zero() {
            return Err(Diagnostic::new(span, "division by zero"));
        }
        self.trace.forbid(Constraint::zero(q.clone()), "a division needs a divisor that is not zero", span);
        Ok(q.inverse().unwrap_or_else(|| self.trace.apply("recip", vec![q], "")))
    }

    fn compare(
        &mut self,
        op: CompareOp,
        a: ExprId,
        b: ExprId,
        side: Option<Side>,
    ) -> Result<bool, Diagnostic> {
        use CompareOp::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual};
        // |e| <= c is a conjunction, which needs no cases.
        if let (LessOrEqual | Less, Some(inner)) = (op, self.between_bars(a)) {
            let (e, c) = (self.number(inner, side)?, self.number(b, side)?);
            return Ok(self.is(op, &e, &c) && self.is(op, &-&e, &c));
        }
        if let (GreaterOrEqual | Greater, Some(inner)) = (op, self.between_bars(b)) {
            let (e, c) = (self.number(inner, side)?, self.number(a, side)?);
            return Ok(self.is(op, &c, &e) && self.is(op, &c, &-&e));
        }
        let (left, right) = (self.value(a, side)?, self.value(b, side)?);
        if let (Equal | NotEqual, Value::Bool(_) | Value::Flag(_)) = (op, &left) {
            let (p, q) = (left.truth(self.trace), right.truth(self.trace));
            return Ok((p == q) == (op == Equal));
        }
        let is_exp = matches!(left, Value::Exp(_)) || matches!(right, Value::Exp(_));
        if let (true, Some(p), Some(q)) = (is_exp, left.log(), right.log()) {
            return Ok(self.is(op, &p, &q));
        }
        let p = left.number(self.trace).ok_or_else(|| self.unexpected(a, &left, "a number"))?;
        let q = right.number(self.trace).ok_or_else(|| self.unexpected(b, &right, "a number"))?;
        Ok(self.is(op, &p, &q))
    }

    fn between_bars(&self, id: ExprId) -> Option<ExprId> {
        match &self.file.expr(id).kind {
            ExprKind::Call(Function::Abs, arguments) => arguments.first().copied(),
            _ => None,
        }
    }

    /// Decides a comparison.
    fn is(&mut self, op: CompareOp, p: &Polynomial, q: &Polynomial) -> bool {
        match op {
            CompareOp::Less => self.trace.holds(Constraint::positive(q - p)),
            CompareOp::LessOrEqual => self.trace.holds(Constraint::non_negative(q - p)),
            CompareOp::Greater => self.trace.holds(Constraint::positive(p - q)),
            CompareOp::GreaterOrEqual => self.trace.holds(Constraint::non_negative(p - q)),
            CompareOp::Equal => self.trace.holds(Constraint::zero(p - q)),
            CompareOp::NotEqual => !self.trace.holds(Constraint::zero(p - q)),
        }
    }

    fn call(
        &mut self,
        function: Function,
        arguments: &[ExprId],
        side: Option<Side>,
        span: Span,
    ) -> Result<Value, Diagnostic> {
        use CompareOp::{Greater, GreaterOrEqual, Less, LessOrEqual};
        if function == Function::Ln {
            let value = self.value(arguments[0], side)?;
            if let Some(log) = value.log() {
                return Ok(Value::Number(log));
            }
        }
        let mut p = Vec::new();
        for argument in arguments {
            p.push(self.number(*argument, side)?);
        }
        if function == Function::Clamp {
            let negative = Constraint::positive(-&p[1]);
            self.trace.forbid(negative, "clamp needs a bound that is not negative", span);
        }
        Ok(Value::Number(match function {
            Function::Exp => return Ok(Value::Exp(p.remove(0))),
            Function::Ln => {
                let not_positive = Constraint::non_negative(-&p[0]);
                self.trace.forbid(not_positive, "ln needs a positive argument", span);
                self.trace.apply("ln", p, "")
            }
            Function::Sqrt => {
                let negative = Constraint::positive(-&p[0]);
                self.trace.forbid(negative, "sqrt needs an argument that is not negative", span);
                self.trace.apply("sqrt", p, "")
            }
            Function::Abs if self.is(GreaterOrEqual, &p[0], &Polynomial::zero()) => p.remove(0),
            Function::Abs => -&p[0],
            Function::Min if self.is(LessOrEqual, &p[0], &p[1]) => p.remove(0),
            Function::Max if self.is(GreaterOrEqual, &p[0], &p[1]) => p.remove(0),
            Function::Min | Function::Max => p.remove(1),
            Function::Fma => &(&p[0] * &p[1]) + &p[2],
            Function::Clamp if self.is(Greater, &p[0], &p[1]) => p.remove(1),
            Function::Clamp if self.is(Less, &p[0], &-&p[1]) => -&p[1],
            Function::Clamp => p.remove(0),
        }))
    }

    fn round(
        &mut self,
        a: ExprId,
        step: ExprId,
        tie: Tie,
        side: Option<Side>,
        span: Span,
    ) -> Result<Value, Diagnostic> {
        let (p, l) = (self.number(a, side)?, self.number(step, side)?);
        self.trace.forbid(Constraint::non_negative(-&l), "round needs a positive grid", span);
        Ok(Value::Number(match (p.as_constant(), l.as_constant()) {
            (Some(p), Some(l)) if l.is_positive() => grid::nearest_multiple(&p, &l, tie).into(),
            _ => self.trace.apply("round", vec![p, l], &format!(", {}", tie.text())),
        }))
    }
}
