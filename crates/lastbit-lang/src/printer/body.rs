//! Statements and proofs as text.

use super::{Printer, expression_text};
use crate::Span;
use crate::ast::{
    Assertion, Block, Declaration, Distribution, Place, Proof, ProofStep, ProofStepKind, Statement,
    StatementKind,
};

impl Printer<'_> {
    pub(super) fn body(&mut self, declaration: &Declaration) {
        let span = declaration.body_span;
        self.layout.line(Span::new(span.start, (span.start + 1).min(span.end)), "{");
        self.statements(&declaration.body);
        self.layout.closing(span.end, "}");
    }

    fn statements(&mut self, statements: &[Statement]) {
        self.layout.depth += 1;
        for statement in statements {
            self.statement(statement);
        }
        self.layout.depth -= 1;
    }

    fn statement(&mut self, statement: &Statement) {
        let expr = |id| expression_text(self.file, id, self.reading);
        let text = match &statement.kind {
            StatementKind::Declare(name, ty) => format!("var {}: {};", name.text, self.ty(ty)),
            StatementKind::Sample(place, distribution) => {
                format!("{} <$ {};", self.place(place), self.distribution(distribution))
            }
            StatementKind::Assign(place, value) => format!("{} := {};", self.place(place), expr(*value)),
            StatementKind::Return(value) => format!("return {};", expr(*value)),
            StatementKind::If { condition, then, otherwise } => {
                let header = format!("if {} {{", expr(*condition));
                self.layout.line(statement.span, &header);
                self.statements(&then.statements);
                self.otherwise(then, otherwise);
                return;
            }
            StatementKind::For { variable, from, to, body } => {
                // The bounds are whole numbers, which do not round.
                let (from, to) = (self.expr(*from), self.expr(*to));
                self.layout.line(statement.span, &format!("for {} in {from}..{to} {{", variable.text));
                self.statements(&body.statements);
                self.layout.closing(body.end, "}");
                return;
            }
        };
        self.layout.line(statement.span, &text);
    }

    /// What follows the statements of a branch: its brace, and the other branches.
    fn otherwise(&mut self, then: &Block, otherwise: &Block) {
        match otherwise.statements.as_slice() {
            [] => self.layout.closing(then.end.max(otherwise.end), "}"),
            [Statement { kind: StatementKind::If { condition, then, otherwise }, span }] => {
                let condition = expression_text(self.file, *condition, self.reading);
                self.layout.closing(span.end, &format!("}} else if {condition} {{"));
                self.statements(&then.statements);
                self.otherwise(then, otherwise);
            }
            statements => {
                self.layout.closing(then.end, "} else {");
                self.statements(statements);
                self.layout.closing(otherwise.end, "}");
            }
        }
    }

    fn distribution(&self, distribution: &Distribution) -> String {
        let text = distribution.text();
        match distribution {
            Distribution::Unif { closed } => format!("unif(0,1{}", if *closed { "]" } else { ")" }),
            Distribution::Sign => text.to_owned(),
            Distribution::Bernoulli(a) | Distribution::Lap(a) | Distribution::Expo(a) => {
                format!("{text}({})", self.expr(*a))
            }
            Distribution::Dlap(scale, exponent) => {
                format!("{text}({}, {})", self.expr(*scale), self.expr(*exponent))
            }
            Distribution::Choose(weights) => format!("{text}({})", self.list(weights)),
        }
    }

    pub(super) fn proof(&mut self, proof: &Proof) {
        let header = match &proof.name {
            Some(name) => format!("proof {} {{", name.text),
            None => "proof {".to_owned(),
        };
        let head_end = proof.name.as_ref().map_or(proof.span.start, |name| name.span.end);
        self.layout.line(Span::new(proof.span.start, head_end), &header);
        self.steps(&proof.steps);
        self.layout.closing(proof.span.end, "}");
    }

    fn steps(&mut self, steps: &[ProofStep]) {
        self.layout.depth += 1;
        for step in steps {
            self.step(step);
        }
        self.layout.depth -= 1;
    }

    fn places(&self, places: &[Place]) -> String {
        match places {
            [place] => self.place(place),
            _ => format!("({})", places.iter().map(|place| self.place(place)).collect::<Vec<_>>().join(", ")),
        }
    }

    fn assertion(&self, assertion: &Assertion) -> String {
        let condition = self.expr(assertion.condition);
        let names: Vec<&str> = assertion.exists.iter().map(|name| name.text.as_str()).collect();
        if names.is_empty() { condition } else { format!("exists {}: {condition}", names.join(", ")) }
    }

    fn step(&mut self, step: &ProofStep) {
        let text = match &step.kind {
            ProofStepKind::Pointwise(name) => format!("pointwise {};", name.text),
            ProofStepKind::Preimage { equation, variable, interval } => {
                let (variable, interval) = (self.place(variable), self.interval(interval));
                format!("preimage {} as {variable} in {interval};", self.expr(*equation))
            }
            ProofStepKind::Event(places, cost) => {
                format!("event {} cost {};", self.places(places), self.expr(*cost))
            }
            ProofStepKind::Mirror(condition, rules) => {
                let rules: Vec<String> = rules
                    .iter()
                    .map(|rule| format!("{} -> {}", self.place(&rule.from), self.expr(rule.to)))
                    .collect();
                format!("case {} by mirror ({});", self.expr(*condition), rules.join(", "))
            }
            ProofStepKind::Let(name, value) => format!("let {} = {};", name.text, self.expr(*value)),
            ProofStepKind::Have(fact) => format!("have {};", self.expr(*fact)),
            ProofStepKind::Shift { law, place, by, cost } => {
                // The shift in parentheses, as in `lap z shift (x<1> - x<2>) cost eps`.
                let (place, by, cost) = (self.place(place), self.expr(*by), self.expr(*cost));
                format!("{} {place} shift ({by}) cost {cost};", law.text())
            }
            ProofStepKind::Endpoint(place) => format!("endpoint {} by error;", self.place(place)),
            ProofStepKind::AuditExact => "audit exact;".to_owned(),
            ProofStepKind::Rule { rule, place, cost, pre, post } => {
                let place = place.as_ref().map_or(String::new(), |place| format!(" {}", self.place(place)));
                let cost = cost.map_or(String::new(), |cost| format!(" cost {}", self.expr(cost)));
                format!(
                    "step {}{place}{cost}: {} => {};",
                    rule.text,
                    self.assertion(pre),
                    self.assertion(post)
                )
            }
            ProofStepKind::Case(condition, steps) => {
                let header = format!("case {} {{", self.expr(*condition));
                self.layout.line(step.span, &header);
                self.steps(steps);
                self.layout.closing(step.end, "}");
                return;
            }
            ProofStepKind::Align { places, cost, pieces } => {
                let header = format!("align {} cost {} {{", self.places(places), self.expr(*cost));
                self.layout.line(step.span, &header);
                self.layout.depth += 1;
                for piece in pieces {
                    let text = format!("{} => ({});", self.expr(piece.guard), self.list(&piece.images));
                    self.layout.line(piece.span, &text);
                }
                self.layout.depth -= 1;
                self.layout.closing(step.end, "};");
                return;
            }
        };
        self.layout.line(step.span, &text);
    }
}
