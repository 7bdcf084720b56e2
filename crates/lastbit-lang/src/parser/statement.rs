//! Statements.

use super::{Parsed, Parser};
use crate::ast::{Block, Distribution, Statement, StatementKind};
use crate::lexer::Token;
use crate::{Diagnostic, Span};

impl Parser<'_> {
    /// The statements after `{`, and the `}`.
    pub(super) fn block_rest(&mut self) -> Vec<Statement> {
        let mut statements = Vec::new();
        while !self.at("}") {
            if self.at_end() || self.at_declaration() || self.at_word("proof") {
                self.unexpected("a statement or `}`");
                return statements;
            }
            if self.eat(";") {
                continue;
            }
            let before = self.position;
            match self.statement() {
                Ok(statement) => statements.push(statement),
                Err(_) => {
                    self.skip_statement();
                    if self.position == before {
                        self.advance();
                    }
                }
            }
        }
        self.advance();
        statements
    }

    fn block(&mut self) -> Parsed<Block> {
        self.expect("{")?;
        let statements = self.nested(|parser| Ok(parser.block_rest()))?;
        Ok(Block { statements, end: self.previous_end() })
    }

    fn statement(&mut self) -> Parsed<Statement> {
        let start = self.span().start;
        if *self.token() != Token::Name {
            return Err(self.unexpected("a statement"));
        }
        let kind = match self.text() {
            "if" => return self.if_statement(),
            "for" => return self.for_statement(),
            "return" => {
                self.advance();
                StatementKind::Return(self.expression()?)
            }
            "var" => {
                self.advance();
                let name = self.name("a variable")?;
                self.expect(":")?;
                StatementKind::Declare(name, self.ty()?)
            }
            "let" => {
                return Err(
                    self.unexpected_with_hint("a statement", "in a body write `x := …`, without `let`")
                );
            }
            _ => {
                let place = self.place("a statement")?;
                if self.eat(":=") {
                    StatementKind::Assign(place, self.expression()?)
                } else if self.eat("<$") {
                    StatementKind::Sample(place, self.distribution()?)
                } else {
                    let hint = crate::names::suggestion(
                        &place.name.text,
                        ["return", "if", "for", "var"].into_iter(),
                    )
                    .unwrap_or_else(|| "`x := …` computes, `x <$ …` samples".to_owned());
                    return Err(self.unexpected_with_hint("`:=` or `<$`", &hint));
                }
            }
        };
        let span = self.end_of_statement(start)?;
        Ok(Statement { kind, span })
    }

    /// `;`, which may be left out before `}`.
    pub(super) fn end_of_statement(&mut self, start: usize) -> Parsed<Span> {
        if !self.eat(";") && !self.at("}") {
            return Err(self.unexpected("an operator or `;`"));
        }
        Ok(self.since(start))
    }

    fn if_statement(&mut self) -> Parsed<Statement> {
        let start = self.span().start;
        self.advance();
        let condition = self.expression()?;
        let span = self.since(start);
        let then = self.block()?;
        let mut otherwise = Block::default();
        if self.eat_word("else") {
            otherwise = if self.at_word("if") {
                let statement = self.nested(|parser| parser.if_statement())?;
                Block { statements: vec![statement], end: self.previous_end() }
            } else {
                self.block()?
            };
        }
        Ok(Statement { kind: StatementKind::If { condition, then, otherwise }, span })
    }

    fn for_statement(&mut self) -> Parsed<Statement> {
        let start = self.span().start;
        self.advance();
        let variable = self.name("the variable of the loop")?;
        self.expect_word("in")?;
        let from = self.expression()?;
        if !self.eat("..") {
            return Err(self.unexpected_with_hint("`..`", "for example `for i in 0..3`: 0, 1, 2"));
        }
        let to = self.expression()?;
        let span = self.since(start);
        let body = self.block()?;
        Ok(Statement { kind: StatementKind::For { variable, from, to, body }, span })
    }

    fn distribution(&mut self) -> Parsed<Distribution> {
        let words = ["unif", "sign", "bernoulli", "lap", "expo", "dlap", "choose"];
        let choices: Vec<(&str, &'static str)> = words.iter().map(|word| (*word, *word)).collect();
        let word = self.one_of("a distribution", &choices)?;
        if word == "sign" {
            return Ok(Distribution::Sign);
        }
        let open = self.span().start;
        self.expect("(")?;
        if word == "unif" {
            self.zero_to_one("uniform samples are from (0,1] or (0,1): ln(0) has no value")?;
            let closed = self.at("]");
            if !closed && !self.at(")") {
                return Err(self.unexpected("`]` or `)`"));
            }
            self.advance();
            return Ok(Distribution::Unif { closed });
        }
        let mut arguments = vec![self.expression()?];
        while self.eat(",") {
            arguments.push(self.expression()?);
        }
        self.expect(")")?;
        match (word, arguments.as_slice()) {
            ("bernoulli", [p]) => Ok(Distribution::Bernoulli(*p)),
            ("lap", [scale]) => Ok(Distribution::Lap(*scale)),
            ("expo", [mean]) => Ok(Distribution::Expo(*mean)),
            ("dlap", [scale, exponent]) => Ok(Distribution::Dlap(*scale, *exponent)),
            ("choose", _) => Ok(Distribution::Choose(arguments)),
            _ => {
                let expected = if word == "dlap" { "2 arguments, the scale and k" } else { "1 argument" };
                let message = format!("`{word}` takes {expected}; here are {}", arguments.len());
                Err(self.report(Diagnostic::new(self.since(open), message)))
            }
        }
    }
}
