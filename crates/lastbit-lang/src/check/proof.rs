//! Names and types in proofs. Whether a proof proves anything is the logic's business.

use super::expression::Context;
use super::types::{Kind, Ty};
use super::{Checker, Role, Symbol};
use crate::Diagnostic;
use crate::ast::{DeclarationKind, ExprId, ExprKind, Name, Place, Proof, ProofStep, ProofStepKind};

impl Checker<'_> {
    pub(super) fn proofs(&mut self) {
        let proofs: &[Proof] = &self.declaration.proofs;
        if proofs.is_empty() {
            return;
        }
        // A proof speaks about all of the program's variables.
        let everything: Vec<(String, Symbol)> =
            self.everything.iter().map(|(name, symbol)| (name.clone(), *symbol)).collect();
        everything.iter().for_each(|(name, symbol)| self.scope.set(name, *symbol));
        let mut seen: Vec<Option<&str>> = Vec::new();
        for proof in proofs {
            let name = proof.name.as_ref().map(|name| name.text.as_str());
            if seen.contains(&name) {
                let message = match name {
                    Some(name) => format!("a second proof `{name}`"),
                    None => "a second proof without a name".to_owned(),
                };
                self.report(Diagnostic::new(
                    proof.name.as_ref().map_or(proof.span, |name| name.span),
                    message,
                ));
            }
            seen.push(name);
            if self.declaration.kind == DeclarationKind::Function {
                self.report(Diagnostic::new(proof.span, "a function makes no claim that could be proved"));
            }
            self.steps(&proof.steps);
        }
    }

    fn steps(&mut self, steps: &[ProofStep]) {
        let mark = self.scope.mark();
        for step in steps {
            if self.is_full() {
                break;
            }
            self.step(step);
        }
        self.scope.roll_back(mark);
    }

    fn bind(&mut self, name: &Name, ty: Ty) {
        if self.scope.get(&name.text).is_some() {
            let message = format!("`{}` has a meaning already", name.text);
            self.report(Diagnostic::new(name.span, message).with_hint("choose a name that nothing else has"));
        }
        self.scope.set(&name.text, Symbol { ty, role: Role::Bound });
    }

    fn place(&mut self, place: &Place) {
        if self.scope.get(&place.name.text).is_none() {
            let mut diagnostic =
                Diagnostic::new(place.name.span, format!("unknown name `{}`", place.name.text));
            diagnostic.hint = crate::names::suggestion(&place.name.text, self.scope.names());
            self.report(diagnostic);
        }
        if let Some(index) = place.index {
            self.numeric(index, Context::CLAUSE);
        }
    }

    /// The end of a preimage: a name that is not known is bound here.
    fn end(&mut self, id: ExprId) {
        let expression = self.file.expr(id);
        match &expression.kind {
            ExprKind::Name(text) if self.scope.get(text).is_none() => {
                let name = Name { text: text.clone(), span: expression.span };
                self.bind(&name, Ty::one(Kind::Real { countable: false }));
            }
            _ => {}
        }
        self.numeric(id, Context::RELATIONAL);
    }

    fn step(&mut self, step: &ProofStep) {
        match &step.kind {
            ProofStepKind::Pointwise(name) => {
                self.bind(name, Ty::one(Kind::of(self.declaration.result.scalar)));
            }
            ProofStepKind::Preimage { equation, variable, interval } => {
                self.condition(*equation, Context::RELATIONAL);
                self.place(variable);
                self.end(interval.lo);
                self.end(interval.hi);
            }
            ProofStepKind::Event(places, cost) => {
                places.iter().for_each(|place| self.place(place));
                self.numeric(*cost, Context::RELATIONAL);
            }
            ProofStepKind::Case(condition, steps) => {
                self.condition(*condition, Context::RELATIONAL);
                self.steps(steps);
            }
            ProofStepKind::Mirror(condition, rules) => {
                self.condition(*condition, Context::RELATIONAL);
                for rule in rules {
                    self.place(&rule.from);
                    self.expr(rule.to, Context::RELATIONAL);
                }
            }
            ProofStepKind::Let(name, value) => {
                let ty = self.expr(*value, Context::RELATIONAL);
                self.bind(name, ty);
            }
            ProofStepKind::Align { places, cost, pieces } => {
                places.iter().for_each(|place| self.place(place));
                self.numeric(*cost, Context::RELATIONAL);
                for piece in pieces {
                    self.condition(piece.guard, Context::RELATIONAL);
                    piece.images.iter().for_each(|image| {
                        self.expr(*image, Context::RELATIONAL);
                    });
                    if piece.images.len() != places.len() {
                        let message = format!("{} images for {} samples", piece.images.len(), places.len());
                        self.report(Diagnostic::new(piece.span, message));
                    }
                }
            }
            ProofStepKind::Have(fact) => self.condition(*fact, Context::RELATIONAL),
            ProofStepKind::Shift { place, by, cost, .. } => {
                self.place(place);
                self.numeric(*by, Context::RELATIONAL);
                self.numeric(*cost, Context::RELATIONAL);
            }
            ProofStepKind::Endpoint(place) => self.place(place),
            ProofStepKind::AuditExact => {}
            ProofStepKind::Rule { place, cost, pre, post, .. } => {
                // Free logical variables are universal.
                let context = Context { free_names: true, ..Context::RELATIONAL };
                place.iter().for_each(|place| self.place(place));
                cost.iter().for_each(|cost| {
                    self.numeric(*cost, context);
                });
                for assertion in [pre, post] {
                    for name in &assertion.exists {
                        if self.scope.get(&name.text).is_some() {
                            let message = format!("`{}` is a name of the mechanism already", name.text);
                            self.report(Diagnostic::new(name.span, message));
                        }
                    }
                    self.condition(assertion.condition, context);
                }
            }
        }
    }
}
