//! Names and types.

mod expression;
mod proof;
mod sense;
mod sign;
mod statement;
mod types;

use std::collections::{HashMap, HashSet};

use lastbit_real::Rational;

use crate::ast::{
    Binder, Clause, ClauseKind, CompareOp, Constraint, Declaration, DeclarationKind, ExprId, ExprKind, File,
    Function, LibmAccuracy, LibmFunction, Name, Quantifier, Shape, Type,
};
use crate::constant::{constant, integer};
use crate::diagnostic::MAX_DIAGNOSTICS;
use crate::journal::Journal;
use crate::{Diagnostic, Format};
use expression::Context;
use types::{Kind, Length, Ty};

/// Longest array: its elements are variables of their own when a program is lowered.
pub(crate) const MAX_ARRAY: i64 = 10_000;

pub(crate) fn array_length_message() -> String {
    format!("the length of an array is a whole number from 1 to {MAX_ARRAY}")
}

/// The mistakes in names and types, if any.
///
/// ```
/// use lastbit_lang::{check, parse};
///
/// let (file, _) = parse("function f(eps: f64) -> f64 { return 1 / epz }");
/// let messages = check(&file);
/// assert_eq!(messages[0].message, "unknown name `epz`");
/// assert_eq!(messages[0].hint.as_deref(), Some("did you mean `eps`?"));
/// ```
pub fn check(file: &File) -> Vec<Diagnostic> {
    let mut diagnostics = Vec::new();
    let mut seen: HashSet<&str> = HashSet::new();
    let mut types = vec![Ty::UNKNOWN; file.expressions.len()];
    for declaration in &file.declarations {
        if !seen.insert(&declaration.name.text) {
            let message = format!("`{}` is declared twice", declaration.name.text);
            diagnostics.push(Diagnostic::new(declaration.name.span, message));
        }
        let mut checker = Checker {
            file,
            declaration,
            types,
            scope: Journal::new(),
            everything: HashMap::new(),
            sometimes_set: HashSet::new(),
            queries: HashMap::new(),
            values: values(file, declaration),
            program_kind: program_kind(declaration),
            diagnostics,
        };
        checker.run();
        types = checker.types;
        diagnostics = checker.diagnostics;
        if diagnostics.len() >= MAX_DIAGNOSTICS {
            break;
        }
    }
    diagnostics.sort_by_key(|diagnostic| diagnostic.span.start);
    diagnostics
}

fn values<'a>(file: &File, declaration: &'a Declaration) -> HashMap<&'a str, Rational> {
    let value_of = |binder: &'a Binder| match binder.constraint {
        // A value that refers to other parameters is for the one who lowers.
        Some(Constraint::Compare(CompareOp::Equal, value)) => {
            Some((binder.name.text.as_str(), constant(file, value, |_| None).ok()?))
        }
        _ => None,
    };
    declaration.parameters().filter_map(value_of).collect()
}

fn program_kind(declaration: &Declaration) -> Kind {
    let binders = declaration.arguments.iter().chain(declaration.parameters()).chain(declaration.queries());
    let mut scalars = binders.map(|binder| binder.ty.scalar).chain([declaration.result.scalar]);
    scalars
        .find_map(|scalar| match Kind::of(scalar) {
            kind @ Kind::Float(Format::Binary64 | Format::Binary32) => Some(kind),
            _ => None,
        })
        .unwrap_or(Kind::Real { countable: false })
}

/// Where a name comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Role {
    Argument,
    Parameter,
    /// Declared by `var`: its type is fixed.
    Declared,
    /// Set by `:=` or `<$`.
    Local,
    /// Of a loop, of `forall`, of a proof.
    Bound,
}

#[derive(Clone, Copy, Debug)]
struct Symbol {
    ty: Ty,
    role: Role,
}

struct Checker<'a> {
    file: &'a File,
    declaration: &'a Declaration,
    /// Of every expression checked so far.
    types: Vec<Ty>,
    /// The names that have a value here.
    scope: Journal<Symbol>,
    /// All names that the body sets anywhere: what proofs speak about.
    everything: HashMap<String, Symbol>,
    /// Names that only one branch sets.
    sometimes_set: HashSet<String>,
    queries: HashMap<&'a str, Ty>,
    /// The values that the file gives parameters: `param n: int = 3`.
    values: HashMap<&'a str, Rational>,
    /// The kind of samples and numbers without a type: floats if a float is declared anywhere.
    program_kind: Kind,
    diagnostics: Vec<Diagnostic>,
}

impl<'a> Checker<'a> {
    fn report(&mut self, diagnostic: Diagnostic) {
        if self.diagnostics.len() < MAX_DIAGNOSTICS {
            self.diagnostics.push(diagnostic);
        }
    }

    fn run(&mut self) {
        let declaration = self.declaration;
        // Parameters first: arrays among the arguments may have a parameter as their length.
        for binder in declaration.parameters() {
            let ty = self.binder_type(binder, true);
            self.define(&binder.name, Symbol { ty, role: Role::Parameter });
        }
        for binder in &declaration.arguments {
            let ty = self.binder_type(binder, false);
            self.define(&binder.name, Symbol { ty, role: Role::Argument });
        }
        for binder in declaration.queries() {
            let ty = self.binder_type(binder, false);
            self.query_name(&binder.name);
            if self.queries.insert(&binder.name.text, ty).is_some() {
                self.report(Diagnostic::new(
                    binder.name.span,
                    format!("the query `{}` is declared twice", binder.name.text),
                ));
            }
        }
        for binder in declaration.parameters().chain(&declaration.arguments).chain(declaration.queries()) {
            match binder.constraint {
                None => {}
                Some(Constraint::Compare(_, value)) => {
                    self.numeric(value, Context::CLAUSE);
                }
                Some(Constraint::In(interval)) => {
                    self.numeric(interval.lo, Context::CLAUSE);
                    self.numeric(interval.hi, Context::CLAUSE);
                }
            }
        }
        self.one_format(&declaration.result);
        self.clauses();
        let returns = self.block(&declaration.body);
        if !returns {
            let end = declaration.body_span.end;
            let span = crate::Span::new(end.saturating_sub(1), end);
            let message = format!("`{}` can end without `return`", declaration.name.text);
            self.report(Diagnostic::new(span, message));
        }
        self.proofs();
    }

    /// A query must not be hidden by a function, in either spelling, and what is given for it must not be for another name.
    fn query_name(&mut self, name: &Name) {
        let is_function = name.text == "round" || Function::named(&name.text).is_some();
        if is_function || self.scope.get(&name.text).is_some() {
            let what = if is_function { "a function of the language" } else { "already defined" };
            let message = format!("`{}` is {what}", name.text);
            self.report(Diagnostic::new(name.span, message).with_hint("give it another name"));
        }
    }

    /// Adds a name that must be new.
    fn define(&mut self, name: &Name, symbol: Symbol) {
        if self.scope.get(&name.text).is_some() {
            self.report(
                Diagnostic::new(name.span, format!("`{}` is already defined", name.text))
                    .with_hint("give it another name"),
            );
        }
        self.scope.set(&name.text, symbol);
        self.everything.insert(name.text.clone(), symbol);
    }

    /// The type of an argument, a parameter or a query.
    fn binder_type(&mut self, binder: &Binder, fixed: bool) -> Ty {
        if matches!(binder.ty.shape, Shape::List) {
            let message = "a list is a result; an argument has a fixed length";
            self.report(Diagnostic::new(binder.ty.span, message).with_hint("for example q: real[3]"));
        }
        let mut ty = self.declared(&binder.ty);
        if fixed {
            // A parameter has one value, whatever its type.
            if let Kind::Real { .. } = ty.kind {
                ty.kind = Kind::Real { countable: true };
            }
            let value = self.parameter_value(&binder.name.text).and_then(|value| integer(&value));
            ty.range = value.map(|value| (value, value));
        }
        ty
    }

    /// One program, one format: in another one the float reading would round differently.
    fn one_format(&mut self, ty: &Type) {
        let kind = Kind::of(ty.scalar);
        if matches!(kind, Kind::Float(_)) && kind != self.program_kind {
            let (this, program) = (Ty::one(kind).describe(), Ty::one(self.program_kind).describe());
            let message = format!("`{this}` in a program over `{program}`: they do not mix");
            self.report(
                Diagnostic::new(ty.span, message).with_hint("declare all of them with the same type"),
            );
        }
    }

    fn declared(&mut self, ty: &Type) -> Ty {
        self.one_format(ty);
        let shape = match ty.shape {
            Shape::One | Shape::List => Length::One,
            Shape::Array(length) => self.length(length),
        };
        Ty { shape, ..Ty::one(Kind::of(ty.scalar)) }
    }

    fn length(&mut self, length: ExprId) -> Length {
        if let ExprKind::Name(name) = &self.file.expr(length).kind {
            let is_parameter = self.scope.get(name).is_some_and(|symbol| symbol.role == Role::Parameter);
            if is_parameter && self.parameter_value(name).is_none() {
                return Length::Some;
            }
        }
        match constant(self.file, length, |name| self.parameter_value(name)) {
            Ok(value) => match integer(&value) {
                Some(length @ 1..=MAX_ARRAY) => return Length::Array(length as usize),
                _ => {
                    self.report(Diagnostic::new(self.file.expr(length).span, array_length_message()));
                }
            },
            Err(diagnostic) => self.report(diagnostic),
        }
        Length::Some
    }

    fn parameter_value(&self, name: &str) -> Option<Rational> {
        self.values.get(name).cloned()
    }

    /// Whether there are enough messages: nothing more is looked for.
    fn is_full(&self) -> bool {
        self.diagnostics.len() >= MAX_DIAGNOSTICS
    }

    fn clauses(&mut self) {
        let mut seen = HashSet::new();
        for clause in &self.declaration.clauses {
            if self.declaration.kind == DeclarationKind::Function {
                let refused = match clause.kind {
                    ClauseKind::Adjacent(..) => "adjacent",
                    ClauseKind::ClaimPure(_) | ClauseKind::ClaimApprox(..) => "claim",
                    ClauseKind::Sampler(_) => "sampler",
                    _ => "",
                };
                if !refused.is_empty() {
                    let message = format!("a function does not sample, so `{refused}` says nothing about it");
                    self.report(
                        Diagnostic::new(clause.span, message).with_hint("write `mechanism`, not `function`"),
                    );
                }
            }
            let once = match &clause.kind {
                ClauseKind::ClaimPure(_) | ClauseKind::ClaimApprox(..) => "claim",
                ClauseKind::Sampler(_) => "sampler",
                ClauseKind::Libm(LibmFunction::Ln, _) => "libm ln",
                ClauseKind::Libm(LibmFunction::Exp, _) => "libm exp",
                ClauseKind::EnsuresError(_) => "ensures error",
                _ => "",
            };
            if !once.is_empty() && !seen.insert(once) {
                let hint = "keep one of the two: it must be clear which one counts";
                self.report(Diagnostic::new(clause.span, format!("a second `{once}`")).with_hint(hint));
            }
            self.clause(clause);
        }
    }

    fn clause(&mut self, clause: &Clause) {
        match &clause.kind {
            ClauseKind::Param(_) | ClauseKind::Query(_) | ClauseKind::Sampler(_) => {}
            ClauseKind::Libm(_, LibmAccuracy::CorrectlyRounded) | ClauseKind::ClaimPure(None) => {}
            ClauseKind::Assume(condition) => self.condition(*condition, Context::RELATIONAL),
            ClauseKind::Adjacent(quantifier, condition) => {
                let mark = self.scope.mark();
                if let Quantifier::ForAll(index) | Quantifier::AtMostOne(index) = quantifier {
                    self.scope.set(&index.text, Symbol { ty: Ty::one(Kind::Int), role: Role::Bound });
                }
                self.condition(*condition, Context::RELATIONAL);
                self.scope.roll_back(mark);
            }
            ClauseKind::ClaimPure(Some(loss)) => {
                self.numeric(*loss, Context::CLAUSE);
                self.loss(*loss);
            }
            ClauseKind::ClaimApprox(epsilon, delta) => {
                self.numeric(*epsilon, Context::CLAUSE);
                self.numeric(*delta, Context::CLAUSE);
                self.loss(*epsilon);
                self.delta(*delta);
            }
            ClauseKind::Libm(_, LibmAccuracy::Ulp(ulps)) => {
                self.numeric(*ulps, Context::CLAUSE);
                self.accuracy(*ulps);
            }
            ClauseKind::EnsuresError(bound) => {
                if self.scope.get("result").is_some() {
                    let message = "`result` is what is returned here, not an argument or a parameter";
                    self.report(Diagnostic::new(clause.span, message).with_hint("give that another name"));
                }
                let result = Some(Ty::one(Kind::of(self.declaration.result.scalar)));
                self.numeric(*bound, Context { result, ..Context::CLAUSE });
            }
        }
    }
}
