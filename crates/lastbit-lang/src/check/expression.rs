//! The types of expressions.

use super::types::{Kind, Length, Ty};
use super::{Checker, Role};
use crate::ast::{Arithmetic, CompareOp, ExprId, ExprKind, Function, UnaryOp};
use crate::constant::constant;
use crate::{Diagnostic, Span};

/// The surroundings of an expression.
#[derive(Clone, Copy, Default)]
pub(super) struct Context {
    /// It may speak of both runs: `x<1>`.
    pub(super) relational: bool,
    /// It speaks about real numbers, also if the program computes with floats.
    pub(super) ideal: bool,
    /// Unknown names are logical variables.
    pub(super) free_names: bool,
    /// The type of `result`, where it has a meaning.
    pub(super) result: Option<Ty>,
}

impl Context {
    pub(super) const BODY: Context =
        Context { relational: false, ideal: false, free_names: false, result: None };
    pub(super) const CLAUSE: Context = Context { ideal: true, ..Context::BODY };
    pub(super) const RELATIONAL: Context = Context { relational: true, ..Context::CLAUSE };
}

impl Checker<'_> {
    /// The type of an expression; errors in it are reported.
    pub(super) fn expr(&mut self, root: ExprId, context: Context) -> Ty {
        if self.is_full() {
            return Ty::UNKNOWN;
        }
        for id in self.file.post_order(root) {
            let ty = self.one(id, context);
            self.types[id.0 as usize] = ty;
        }
        self.ty(root)
    }

    fn ty(&self, id: ExprId) -> Ty {
        self.types[id.0 as usize]
    }

    fn span(&self, id: ExprId) -> Span {
        self.file.expr(id).span
    }

    /// The type of an expression whose operands have theirs.
    fn one(&mut self, id: ExprId, context: Context) -> Ty {
        let file = self.file;
        let expression = file.expr(id);
        let span = expression.span;
        match &expression.kind {
            ExprKind::Number { value, .. } => {
                let whole = crate::constant::integer(value);
                Ty { range: whole.map(|value| (value, value)), ..Ty::one(Kind::Literal) }
            }
            ExprKind::Bool(_) => Ty::BOOL,
            ExprKind::Name(name) => self.name(name, span, context),
            ExprKind::Copy(of, _) => {
                if !context.relational {
                    let message = "the two runs can only be compared in `adjacent` and in proofs";
                    self.report(Diagnostic::new(span, message));
                }
                self.ty(*of)
            }
            ExprKind::Index(base, index) => self.index(*base, *index),
            ExprKind::Unary(UnaryOp::Not, a) => {
                self.condition_operand(*a);
                Ty::BOOL
            }
            ExprKind::Unary(UnaryOp::Neg, a) => {
                let ty = self.number(*a);
                Ty { range: ty.range.and_then(|(lo, hi)| Some((hi.checked_neg()?, lo.checked_neg()?))), ..ty }
            }
            ExprKind::Arithmetic(op, a, b) => {
                let range = whole_range(*op, self.ty(*a).range, self.ty(*b).range);
                let kind = self.joined(&[*a, *b], span, context);
                // The quotient of two integers is a fraction, which adapts as numbers do.
                let kind = if *op == Arithmetic::Div && kind == Kind::Int { Kind::Literal } else { kind };
                Ty { range, ..Ty::one(kind) }
            }
            ExprKind::Compare(op, a, b) => {
                let bools = self.ty(*a) == Ty::BOOL && self.ty(*b) == Ty::BOOL;
                let equality = matches!(op, CompareOp::Equal | CompareOp::NotEqual);
                if !(bools && equality) {
                    self.joined(&[*a, *b], span, context);
                }
                Ty::BOOL
            }
            ExprKind::Logic(_, a, b) => {
                self.condition_operand(*a);
                self.condition_operand(*b);
                Ty::BOOL
            }
            ExprKind::Call(function, list) => {
                let kind = self.joined(list, span, context);
                match function {
                    // Of integers these are not integers.
                    Function::Ln | Function::Exp | Function::Sqrt if kind == Kind::Int => {
                        Ty::one(Kind::Literal)
                    }
                    _ => Ty::one(kind),
                }
            }
            ExprKind::Query(name, _) => match self.queries.get(name.text.as_str()) {
                Some(ty) => *ty,
                None if self.is_full() => Ty::UNKNOWN,
                None => {
                    let known = Function::ALL.iter().map(|entry| entry.1).chain(self.queries.keys().copied());
                    let hint = crate::names::suggestion(&name.text, known).unwrap_or_else(|| {
                        if file.declaration(&name.text).is_some() {
                            "declarations do not call each other; write the expression here".to_owned()
                        } else {
                            format!("a query of the data is declared by a clause: query {}: real", name.text)
                        }
                    });
                    let message = format!("unknown function `{}`", name.text);
                    self.report(Diagnostic::new(name.span, message).with_hint(hint));
                    Ty::UNKNOWN
                }
            },
            ExprKind::Round(a, grid, _) => match self.joined(&[*a, *grid], span, context) {
                Kind::Real { .. } => Ty::one(Kind::Real { countable: true }),
                kind => Ty::one(kind),
            },
            ExprKind::If(condition, then, otherwise) => {
                self.condition_operand(*condition);
                let (a, b) = (self.ty(*then), self.ty(*otherwise));
                if a == Ty::BOOL && b == Ty::BOOL {
                    return Ty::BOOL;
                }
                Ty::one(self.joined(&[*then, *otherwise], span, context))
            }
            ExprKind::List(list) => {
                let bools = list.iter().all(|item| self.ty(*item) == Ty::BOOL);
                let kind = if bools { Kind::Bool } else { self.joined(list, span, context) };
                Ty { shape: Length::Array(list.len()), ..Ty::one(kind) }
            }
        }
    }

    fn name(&mut self, name: &str, span: Span, context: Context) -> Ty {
        if let Some(symbol) = self.scope.get(name) {
            return symbol.ty;
        }
        if let ("result", Some(ty)) = (name, context.result) {
            return ty;
        }
        if context.free_names {
            return Ty::one(Kind::Real { countable: false });
        }
        if self.is_full() {
            return Ty::UNKNOWN;
        }
        let mut diagnostic = Diagnostic::new(span, format!("unknown name `{name}`"));
        diagnostic.hint = if self.sometimes_set.contains(name) {
            Some(format!("`{name}` is not set on every path to here"))
        } else {
            crate::names::suggestion(name, self.scope.names())
        };
        self.report(diagnostic);
        Ty::UNKNOWN
    }

    fn index(&mut self, base: ExprId, index: ExprId) -> Ty {
        let (array, at) = (self.ty(base), self.number(index));
        self.is_index(at, index);
        match array.shape {
            Length::One if array.kind != Kind::Unknown => {
                let message = format!("only an array has elements, but this is {}", array.describe());
                self.report(Diagnostic::new(self.span(base), message));
            }
            Length::Array(length) => self.in_bounds(at, length, self.span(index)),
            _ => {}
        }
        array.element()
    }

    pub(super) fn is_index(&mut self, ty: Ty, id: ExprId) {
        let value = constant(self.file, id, |_| None);
        let fraction = value.is_ok_and(|value| !value.is_integer());
        if fraction || !matches!(ty.kind, Kind::Int | Kind::Literal | Kind::Unknown) {
            let message = format!(
                "an index is an int, but this is {}",
                if fraction { "a fraction".to_owned() } else { ty.describe() }
            );
            self.report(Diagnostic::new(self.span(id), message));
        }
    }

    pub(super) fn in_bounds(&mut self, index: Ty, length: usize, span: Span) {
        let Some((lo, hi)) = index.range else { return };
        if lo < 0 || hi >= length as i64 {
            let outside = if lo < 0 { lo } else { hi };
            let message = format!("index {outside} is outside of an array of {length}");
            let hint = format!("the elements are numbered from 0 to {}", length.saturating_sub(1));
            self.report(Diagnostic::new(span, message).with_hint(hint));
        }
    }

    /// Reports an operand that is not one number.
    fn number(&mut self, id: ExprId) -> Ty {
        let ty = self.ty(id);
        if ty.shape == Length::One && ty.kind.is_number() {
            return ty;
        }
        let mut diagnostic =
            Diagnostic::new(self.span(id), format!("expected a number, but this is {}", ty.describe()));
        if ty.kind == Kind::Bool {
            diagnostic = diagnostic.with_hint("a condition becomes a number by `if c { 1 } else { 0 }`");
        }
        self.report(diagnostic);
        Ty::UNKNOWN
    }

    fn condition_operand(&mut self, id: ExprId) {
        let ty = self.ty(id);
        if ty != Ty::BOOL && ty.kind != Kind::Unknown {
            let message = format!("expected a condition, but this is {}", ty.describe());
            self.report(Diagnostic::new(self.span(id), message).with_hint("for example `x > 0`"));
        }
    }

    /// An expression that must be a condition.
    pub(super) fn condition(&mut self, id: ExprId, context: Context) {
        self.expr(id, context);
        self.condition_operand(id);
    }

    /// An expression that must be one number.
    pub(super) fn numeric(&mut self, id: ExprId, context: Context) -> Ty {
        self.expr(id, context);
        self.number(id)
    }

    /// The common kind of several numbers.
    fn joined(&mut self, ids: &[ExprId], span: Span, context: Context) -> Kind {
        let mut kind = Kind::Literal;
        for (position, id) in ids.iter().enumerate() {
            let next = self.number(*id).kind;
            if position == 0 {
                kind = next;
                continue;
            }
            match kind.join(next, context.ideal) {
                Some(joined) => kind = joined,
                None => {
                    let (a, b) = (Ty::one(kind).describe(), Ty::one(next).describe());
                    let message = format!("`{a}` and `{b}` do not mix: one is exact, the other is rounded");
                    let message = if a.starts_with('f') && b.starts_with('f') {
                        format!("`{a}` and `{b}` do not mix")
                    } else {
                        message
                    };
                    let hint = "declare all of them with the same type; the float reading of a `real` program is the same \
                                text over f64";
                    self.report(Diagnostic::new(span, message).with_hint(hint));
                    return Kind::Unknown;
                }
            }
        }
        kind
    }

    /// Whether the name may be set by a statement.
    pub(super) fn assignable(&mut self, name: &str, span: Span) -> bool {
        let what = match self.scope.get(name).map(|symbol| symbol.role) {
            Some(Role::Argument) => "an argument",
            Some(Role::Parameter) => "a parameter",
            Some(Role::Bound) => "the variable of a loop",
            _ => return true,
        };
        let message = format!("`{name}` is {what} and keeps its value");
        self.report(Diagnostic::new(span, message).with_hint("give the new value its own name"));
        false
    }
}

fn whole_range(op: Arithmetic, a: Option<(i64, i64)>, b: Option<(i64, i64)>) -> Option<(i64, i64)> {
    let ((a_lo, a_hi), (b_lo, b_hi)) = (a?, b?);
    match op {
        Arithmetic::Add => Some((a_lo.checked_add(b_lo)?, a_hi.checked_add(b_hi)?)),
        Arithmetic::Sub => Some((a_lo.checked_sub(b_hi)?, a_hi.checked_sub(b_lo)?)),
        Arithmetic::Mul | Arithmetic::Div => None,
    }
}
