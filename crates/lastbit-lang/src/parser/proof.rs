//! Proofs.

use super::{Parsed, Parser};
use crate::ast::{Assertion, MirrorRule, Piece, Proof, ProofStep, ProofStepKind, ShiftLaw};

const STEPS: [&str; 12] = [
    "pointwise",
    "preimage",
    "event",
    "case",
    "let",
    "align",
    "have",
    "lap",
    "expo",
    "dlap",
    "endpoint",
    "audit",
];

impl Parser<'_> {
    pub(super) fn proof(&mut self) -> Parsed<Proof> {
        let start = self.span().start;
        self.expect_word("proof")?;
        let name = if self.at("{") { None } else { Some(self.name("a name or `{`")?) };
        self.expect("{")?;
        let steps = self.steps_rest();
        Ok(Proof { name, steps, span: self.since(start) })
    }

    /// The steps after `{`, and the `}`.
    fn steps_rest(&mut self) -> Vec<ProofStep> {
        let mut steps = Vec::new();
        while !self.at("}") {
            if self.at_end() || self.at_declaration() || self.at_word("proof") {
                self.unexpected("a proof step or `}`");
                return steps;
            }
            if self.eat(";") {
                continue;
            }
            let before = self.position;
            match self.step() {
                Ok(step) => steps.push(step),
                Err(_) => {
                    self.skip_statement();
                    if self.position == before {
                        self.advance();
                    }
                }
            }
        }
        self.advance();
        steps
    }

    fn step(&mut self) -> Parsed<ProofStep> {
        let start = self.span().start;
        let word = self.text();
        if let Some(law) = ShiftLaw::ALL.iter().find(|(_, text)| *text == word).map(|(law, _)| *law) {
            self.advance();
            let place = self.place("a sample")?;
            self.expect_word("shift")?;
            let by = self.expression()?;
            let cost = self.cost()?;
            return self.simple(start, ProofStepKind::Shift { law, place, by, cost });
        }
        if !STEPS.contains(&word) && word != "step" {
            let hint = crate::names::suggestion(word, STEPS.into_iter())
                .unwrap_or_else(|| format!("one of: {}, step", STEPS.join(", ")));
            return Err(self.unexpected_with_hint("a proof step", &hint));
        }
        self.advance();
        let kind = match word {
            "case" => return self.case(start),
            "align" => return self.align(start),
            "pointwise" => ProofStepKind::Pointwise(self.name("a name for the output")?),
            "preimage" => {
                let equation = self.expression()?;
                self.expect_word("as")?;
                let variable = self.place("a variable")?;
                self.expect_word("in")?;
                ProofStepKind::Preimage { equation, variable, interval: self.interval()? }
            }
            "event" => {
                let places = self.places()?;
                ProofStepKind::Event(places, self.cost()?)
            }
            "let" => {
                let name = self.name("a name")?;
                self.expect("=")?;
                ProofStepKind::Let(name, self.expression()?)
            }
            "have" => ProofStepKind::Have(self.expression()?),
            "endpoint" => {
                let place = self.place("a sample")?;
                self.expect_word("by")?;
                self.expect_word("error")?;
                ProofStepKind::Endpoint(place)
            }
            "audit" => {
                self.expect_word("exact")?;
                ProofStepKind::AuditExact
            }
            _ => self.rule()?,
        };
        self.simple(start, kind)
    }

    fn simple(&mut self, start: usize, kind: ProofStepKind) -> Parsed<ProofStep> {
        let span = self.end_of_statement(start)?;
        Ok(ProofStep { kind, span, end: span.end })
    }

    fn cost(&mut self) -> Parsed<crate::ast::ExprId> {
        self.expect_word("cost")?;
        self.expression()
    }

    /// `RULE x cost e: pre => post`
    fn rule(&mut self) -> Parsed<ProofStepKind> {
        let rule = self.name("the name of a rule")?;
        let place = if self.at(":") || self.at_word("cost") { None } else { Some(self.place("a variable")?) };
        let cost = if self.at_word("cost") { Some(self.cost()?) } else { None };
        self.expect(":")?;
        let pre = self.assertion()?;
        self.expect("=>")?;
        Ok(ProofStepKind::Rule { rule, place, cost, pre, post: self.assertion()? })
    }

    /// `exists k, j: condition`, or a condition.
    fn assertion(&mut self) -> Parsed<Assertion> {
        let mut exists = Vec::new();
        if self.eat_word("exists") {
            exists.push(self.name("a logical variable")?);
            while self.eat(",") {
                exists.push(self.name("a logical variable")?);
            }
            self.expect(":")?;
        }
        Ok(Assertion { exists, condition: self.expression()? })
    }

    fn case(&mut self, start: usize) -> Parsed<ProofStep> {
        let condition = self.expression()?;
        if self.eat_word("by") {
            self.expect_word("mirror")?;
            self.expect("(")?;
            let mut rules = vec![self.mirror_rule()?];
            while self.eat(",") {
                rules.push(self.mirror_rule()?);
            }
            self.expect(")")?;
            return self.simple(start, ProofStepKind::Mirror(condition, rules));
        }
        let span = self.since(start);
        if !self.eat("{") {
            return Err(self.unexpected("an operator, `{` or `by mirror`"));
        }
        let steps = self.nested(|parser| Ok(parser.steps_rest()))?;
        Ok(ProofStep { kind: ProofStepKind::Case(condition, steps), span, end: self.previous_end() })
    }

    fn mirror_rule(&mut self) -> Parsed<MirrorRule> {
        let from = self.place("a variable")?;
        self.expect("->")?;
        Ok(MirrorRule { from, to: self.expression()? })
    }

    fn align(&mut self, start: usize) -> Parsed<ProofStep> {
        let places = self.places()?;
        let cost = self.cost()?;
        let span = self.since(start);
        self.expect("{")?;
        let mut pieces = Vec::new();
        while !self.eat("}") {
            pieces.push(self.piece()?);
        }
        self.eat(";");
        let end = self.previous_end();
        Ok(ProofStep { kind: ProofStepKind::Align { places, cost, pieces }, span, end })
    }

    /// `guard => (image, image);`
    fn piece(&mut self) -> Parsed<Piece> {
        let start = self.span().start;
        let guard = self.expression()?;
        self.expect("=>")?;
        // A single image in parentheses is an expression in parentheses.
        self.expect("(")?;
        let mut images = vec![self.expression()?];
        while self.eat(",") {
            images.push(self.expression()?);
        }
        self.expect(")")?;
        let span = self.end_of_statement(start)?;
        Ok(Piece { guard, images, span })
    }
}
