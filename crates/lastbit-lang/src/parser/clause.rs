//! Clauses: parameters, adjacency, claims, the sampler and the library.

use super::{Parsed, Parser};
use crate::Diagnostic;
use crate::ast::{Clause, ClauseKind, LibmAccuracy, LibmFunction, Quantifier, Sampler};
use crate::lexer::Token;

/// The words that start a clause.
pub(super) const CLAUSES: [&str; 8] =
    ["param", "query", "assume", "adjacent", "claim", "sampler", "libm", "ensures"];

impl Parser<'_> {
    pub(super) fn clauses(&mut self) -> Vec<Clause> {
        let mut clauses = Vec::new();
        while self.at_clause() {
            let start = self.span().start;
            match self.clause() {
                Ok(kind) => clauses.push(Clause { kind, span: self.since(start) }),
                Err(_) => {
                    while !self.at_end() && !self.at("{") && !self.at_clause() && !self.at_declaration() {
                        self.advance();
                    }
                }
            }
        }
        clauses
    }

    fn at_clause(&self) -> bool {
        CLAUSES.iter().any(|word| self.at_word(word))
    }

    fn clause(&mut self) -> Parsed<ClauseKind> {
        let word = self.text();
        self.advance();
        match word {
            "param" => {
                let mut binders = vec![self.binder("a parameter")?];
                while self.eat(",") {
                    binders.push(self.binder("a parameter")?);
                }
                Ok(ClauseKind::Param(binders))
            }
            "query" => Ok(ClauseKind::Query(self.binder("a query")?)),
            "assume" => Ok(ClauseKind::Assume(self.expression()?)),
            "adjacent" => {
                let quantifier = self.quantifier()?;
                Ok(ClauseKind::Adjacent(quantifier, self.expression()?))
            }
            "claim" => self.claim(),
            "sampler" => {
                self.expect_word("unif")?;
                self.expect("=")?;
                let sampler = self.one_of("a sampler", &Sampler::ALL)?;
                self.expect("(")?;
                self.zero_to_one("the samplers draw from (0,1)")?;
                self.expect(")")?;
                Ok(ClauseKind::Sampler(sampler))
            }
            "libm" => {
                let functions = [(LibmFunction::Ln, "ln"), (LibmFunction::Exp, "exp")];
                let function = self.one_of("a library function", &functions)?;
                self.expect("=")?;
                let accuracy =
                    match self.one_of("an accuracy", &[(true, "correctly_rounded"), (false, "ulp")])? {
                        true => LibmAccuracy::CorrectlyRounded,
                        false => {
                            self.expect("(")?;
                            let ulps = self.expression()?;
                            self.expect(")")?;
                            LibmAccuracy::Ulp(ulps)
                        }
                    };
                Ok(ClauseKind::Libm(function, accuracy))
            }
            _ => {
                self.expect_word("error")?;
                self.expect("<=")?;
                Ok(ClauseKind::EnsuresError(self.expression()?))
            }
        }
    }

    fn quantifier(&mut self) -> Parsed<Quantifier> {
        let quantifier = if self.eat_word("forall") {
            Quantifier::ForAll(self.name("an index")?)
        } else if self.at_word("at") && *self.next_token() == Token::Name {
            self.advance();
            self.expect_word("most")?;
            self.expect_word("one")?;
            Quantifier::AtMostOne(self.name("an index")?)
        } else {
            return Ok(Quantifier::None);
        };
        self.expect(":")?;
        Ok(quantifier)
    }

    fn claim(&mut self) -> Parsed<ClauseKind> {
        if self.one_of("`pure` or `approx`", &[(true, "pure"), (false, "approx")])? {
            let infer = self.eat_word("infer");
            return Ok(ClauseKind::ClaimPure(if infer { None } else { Some(self.expression()?) }));
        }
        self.expect("(")?;
        let epsilon = self.expression()?;
        self.expect(",")?;
        let delta = self.expression()?;
        self.expect(")")?;
        Ok(ClauseKind::ClaimApprox(epsilon, delta))
    }

    /// `0,1`, the ends of the only interval there is.
    pub(super) fn zero_to_one(&mut self, why: &str) -> Parsed<()> {
        for (text, follow) in [("0", true), ("1", false)] {
            if !matches!(self.token(), Token::Number(_)) || self.text() != text {
                let message = format!("expected `{text}`, found {}", self.found());
                return Err(self.report(Diagnostic::new(self.span(), message).with_hint(why)));
            }
            self.advance();
            if follow {
                self.expect(",")?;
            }
        }
        Ok(())
    }
}
