//! Statements: what is set where, and with which type.

use super::expression::Context;
use super::types::{Kind, Length, Ty};
use super::{Checker, Role, Symbol};
use crate::Diagnostic;
use crate::ast::{
    Block, DeclarationKind, Distribution, ExprId, Name, Place, Shape, Statement, StatementKind, Type,
};
use crate::constant::{constant, integer};

impl Checker<'_> {
    /// Ensures: whether every path through the statements ends in `return`.
    pub(super) fn block(&mut self, statements: &[Statement]) -> bool {
        let mut returned = false;
        for statement in statements {
            if self.is_full() {
                return true;
            }
            if returned {
                self.report(Diagnostic::new(
                    statement.span,
                    "this is never reached: every path has returned",
                ));
                return true;
            }
            returned = self.statement(statement);
        }
        returned
    }

    fn statement(&mut self, statement: &Statement) -> bool {
        match &statement.kind {
            StatementKind::Declare(name, ty) => {
                if ty.shape == Shape::List {
                    let message = "a variable has a fixed length";
                    self.report(Diagnostic::new(ty.span, message).with_hint("for example var z: real[3]"));
                }
                let ty = self.declared(ty);
                self.define(name, Symbol { ty, role: Role::Declared });
            }
            StatementKind::Sample(place, distribution) => self.sample(place, distribution),
            StatementKind::Assign(place, value) => {
                let ty = self.expr(*value, Context::BODY);
                self.set(place, ty);
            }
            StatementKind::If { condition, then, otherwise } => {
                self.condition(*condition, Context::BODY);
                return self.branches(then, otherwise);
            }
            StatementKind::For { variable, from, to, body } => {
                return self.for_loop(variable, *from, *to, body);
            }
            StatementKind::Return(value) => {
                let ty = self.expr(*value, Context::BODY);
                self.result(ty, *value);
                return true;
            }
        }
        false
    }

    fn sample(&mut self, place: &Place, distribution: &Distribution) {
        if self.declaration.kind == DeclarationKind::Function {
            let message = "a function does not sample";
            self.report(
                Diagnostic::new(place.name.span, message).with_hint("write `mechanism`, not `function`"),
            );
        }
        let number = self.program_kind;
        let ty = match distribution {
            Distribution::Unif { .. } => Ty::one(number),
            Distribution::Sign => Ty::one(Kind::Sign),
            Distribution::Bernoulli(p) => {
                self.numeric(*p, Context::CLAUSE);
                self.probability(*p);
                Ty::BOOL
            }
            Distribution::Lap(scale) | Distribution::Expo(scale) => {
                self.numeric(*scale, Context::CLAUSE);
                self.scale(distribution.text(), *scale);
                Ty::one(number)
            }
            Distribution::Dlap(scale, exponent) => {
                self.numeric(*scale, Context::CLAUSE);
                self.scale(distribution.text(), *scale);
                let exponent_type = self.numeric(*exponent, Context::CLAUSE);
                if !matches!(exponent_type.kind, Kind::Int | Kind::Literal | Kind::Unknown) {
                    let message = format!(
                        "the grid must be 2^k for an int k, but this is {}",
                        exponent_type.describe()
                    );
                    self.report(Diagnostic::new(self.file.expr(*exponent).span, message));
                }
                match number {
                    Kind::Real { .. } => Ty::one(Kind::Real { countable: true }),
                    float => Ty::one(float),
                }
            }
            Distribution::Choose(weights) => {
                for weight in weights {
                    self.numeric(*weight, Context::CLAUSE);
                    self.weight(*weight);
                }
                Ty::whole(0, weights.len() as i64 - 1)
            }
        };
        let known = self.scope.get(&place.name.text);
        if place.index.is_none() && known.is_some_and(|symbol| symbol.role == Role::Local) {
            let message = format!("`{}` is already defined", place.name.text);
            self.report(
                Diagnostic::new(place.name.span, message).with_hint("give every sample its own name"),
            );
        }
        self.set(place, ty);
    }

    /// Sets a variable or an element.
    fn set(&mut self, place: &Place, ty: Ty) {
        let name = &place.name;
        let index = place.index.map(|index| {
            let ty = self.numeric(index, Context::BODY);
            self.is_index(ty, index);
            (ty, self.file.expr(index).span)
        });
        if !self.assignable(&name.text, name.span) {
            return;
        }
        let known = self.scope.get(&name.text).copied();
        let Some((index, index_span)) = index else {
            let ty = match known {
                Some(symbol) => self.reassigned(name, symbol, ty),
                // The range of an int is that of one assignment.
                None => Ty { range: None, ..ty },
            };
            let role = known.map_or(Role::Local, |symbol| symbol.role);
            self.scope.set(&name.text, Symbol { ty, role });
            self.everything.insert(name.text.clone(), Symbol { ty, role });
            return;
        };
        let Some(array) = known else {
            let message = format!("unknown array `{}`", name.text);
            let hint = crate::names::suggestion(&name.text, self.scope.names())
                .unwrap_or_else(|| format!("declare it first: var {}: real[3];", name.text));
            self.report(Diagnostic::new(name.span, message).with_hint(hint));
            return;
        };
        match array.ty.shape {
            Length::Array(length) => self.in_bounds(index, length, index_span),
            Length::Some => {}
            Length::One => {
                let message =
                    format!("only an array has elements, `{}` is {}", name.text, array.ty.describe());
                self.report(Diagnostic::new(name.span, message));
                return;
            }
        }
        let element = Symbol { ty: array.ty.element(), role: array.role };
        self.reassigned(name, element, ty);
    }

    /// The type after a second assignment.
    fn reassigned(&mut self, name: &Name, symbol: Symbol, ty: Ty) -> Ty {
        let before = symbol.ty;
        let joined = match symbol.role {
            Role::Declared => assign(before.kind, ty.kind),
            _ if before.kind.is_number() && ty.kind.is_number() => before.kind.join(ty.kind, false),
            _ => (before.kind == ty.kind).then_some(ty.kind),
        };
        let same_shape = before.shape == ty.shape || before.shape == Length::Some;
        match joined {
            Some(kind) if same_shape => Ty { kind, shape: before.shape, range: None },
            _ => {
                let message =
                    format!("`{}` is {}, but this is {}", name.text, before.describe(), ty.describe());
                self.report(Diagnostic::new(name.span, message).with_hint("give it another name"));
                before
            }
        }
    }

    fn branches(&mut self, then: &Block, otherwise: &Block) -> bool {
        let mark = self.scope.mark();
        let then_returns = self.block(&then.statements);
        let after_then = self.scope.roll_back(mark);
        let otherwise_returns = self.block(&otherwise.statements);
        let mut after_otherwise = self.scope.roll_back(mark);
        // Where a branch has returned, only the other one goes on.
        if then_returns || otherwise_returns {
            let goes_on = if then_returns { after_otherwise } else { after_then };
            if !(then_returns && otherwise_returns) {
                goes_on.into_iter().for_each(|(name, symbol)| self.scope.set(&name, symbol));
            }
            return then_returns && otherwise_returns;
        }
        for (name, symbol) in after_then {
            let other = after_otherwise.remove(&name).or_else(|| self.scope.get(&name).copied());
            self.merge(name, symbol, other);
        }
        for (name, symbol) in after_otherwise {
            let other = self.scope.get(&name).copied();
            self.merge(name, symbol, other);
        }
        false
    }

    fn merge(&mut self, name: String, symbol: Symbol, other: Option<Symbol>) {
        let Some(other) = other else {
            self.sometimes_set.insert(name);
            return;
        };
        let kind = match symbol.ty.kind == other.ty.kind {
            true => Some(symbol.ty.kind),
            false if symbol.ty.kind.is_number() && other.ty.kind.is_number() => {
                symbol.ty.kind.join(other.ty.kind, false)
            }
            false => None,
        };
        match kind {
            Some(kind) if symbol.ty.shape == other.ty.shape => {
                let ty = Ty { kind, range: None, ..symbol.ty };
                self.scope.set(&name, Symbol { ty, ..symbol });
            }
            // Two types: not usable after the branches.
            _ => {
                self.scope.remove(&name);
                self.sometimes_set.insert(name);
            }
        }
    }

    fn for_loop(&mut self, variable: &Name, from: ExprId, to: ExprId, body: &Block) -> bool {
        let mut bounds = [None; 2];
        for (bound, id) in bounds.iter_mut().zip([from, to]) {
            let ty = self.numeric(id, Context::BODY);
            *bound = ty.range;
            let known = constant(self.file, id, |name| self.parameter_value(name)).ok();
            if let Some(value) = known {
                *bound = integer(&value).map(|value| (value, value));
                if bound.is_none() {
                    let message = "a loop runs from a whole number to a whole number";
                    self.report(Diagnostic::new(self.file.expr(id).span, message));
                }
            } else if !matches!(ty.kind, Kind::Int | Kind::Literal | Kind::Unknown) {
                let message = format!("a loop runs over ints, but this is {}", ty.describe());
                self.report(Diagnostic::new(self.file.expr(id).span, message));
            }
        }
        let range = match bounds {
            [Some((lo, _)), Some((_, hi))] => Some((lo, hi.saturating_sub(1))),
            _ => None,
        };
        let mark = self.scope.mark();
        self.define(variable, Symbol { ty: Ty { range, ..Ty::one(Kind::Int) }, role: Role::Bound });
        let returns = self.block(&body.statements);
        let mut after = self.scope.roll_back(mark);
        after.remove(&variable.text);
        // A loop that runs at least once sets what its body sets.
        let runs = matches!(bounds, [Some((_, first)), Some((end, _))] if first < end);
        for (name, symbol) in after {
            if runs || self.scope.get(&name).is_some() {
                self.scope.set(&name, symbol);
            } else {
                self.sometimes_set.insert(name);
            }
        }
        returns && runs
    }

    fn result(&mut self, ty: Ty, value: ExprId) {
        let wanted: Type = self.declaration.result;
        let shape_fits = match wanted.shape {
            Shape::One => ty.shape == Length::One,
            Shape::List => ty.shape != Length::One,
            Shape::Array(length) => {
                let length = self.length(length);
                ty.shape == length || (ty.shape != Length::One && length == Length::Some)
            }
        };
        if ty.kind == Kind::Unknown || (shape_fits && ty.kind.fits(wanted.scalar)) {
            return;
        }
        let span = self.file.expr(value).span;
        let scalar = wanted.scalar.text();
        let wanted_text = match wanted.shape {
            Shape::One => scalar.to_owned(),
            Shape::List => format!("[{scalar}]"),
            Shape::Array(_) => format!("{scalar}[…]"),
        };
        let message = format!("the result is {wanted_text}, but this is {}", ty.describe());
        let mut diagnostic = Diagnostic::new(span, message);
        if scalar == "grid" && shape_fits && ty.kind == (Kind::Real { countable: false }) {
            diagnostic = diagnostic.with_hint("round it to a grid, round(w, L, up), or write `-> real`");
        } else if let (Kind::Float(_), "real") = (ty.kind, scalar) {
            diagnostic = diagnostic.with_hint(format!("write `-> {}`", ty.element().describe()));
        }
        self.report(diagnostic);
    }
}

/// The kind of a declared variable after an assignment.
fn assign(declared: Kind, value: Kind) -> Option<Kind> {
    let fits = match declared {
        Kind::Bool | Kind::Data => declared == value || value == Kind::Unknown,
        Kind::Sign => matches!(value, Kind::Sign | Kind::Literal | Kind::Unknown),
        Kind::Int => matches!(value, Kind::Int | Kind::Literal | Kind::Sign | Kind::Unknown),
        Kind::Real { countable: true } => !matches!(value, Kind::Real { countable: false } | Kind::Float(_)),
        _ => value.is_number() && declared.join(value, false).is_some(),
    };
    fits.then_some(declared)
}
