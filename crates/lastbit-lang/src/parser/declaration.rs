//! Declarations and types.

use super::{Parsed, Parser, clause::CLAUSES};
use crate::ast::{Binder, CompareOp, Constraint, Declaration, DeclarationKind, Scalar, Shape, Type};

const KINDS: [(DeclarationKind, &str); 2] =
    [(DeclarationKind::Mechanism, "mechanism"), (DeclarationKind::Function, "function")];

impl Parser<'_> {
    pub(super) fn declarations(&mut self) {
        while !self.at_end() {
            if self.declaration().is_err() {
                while !self.at_end() && !self.at_declaration() {
                    self.advance();
                }
            }
        }
    }

    /// Adds the declaration also if a part of it could not be read: the rest of the file may still be checked.
    fn declaration(&mut self) -> Parsed<()> {
        let start = self.span().start;
        let kind = self.one_of("`mechanism` or `function`", &KINDS)?;
        let name = self.name("a name")?;
        self.expect("(")?;
        let mut arguments = Vec::new();
        if !self.at(")") {
            arguments.push(self.binder("an argument")?);
            while self.eat(",") {
                arguments.push(self.binder("an argument")?);
            }
        }
        self.expect(")")?;
        self.expect("->")?;
        let result = self.ty()?;
        let header = self.since(start);
        let clauses = self.clauses();
        let body_start = self.span().start;
        let mut body = Vec::new();
        let mut proofs = Vec::new();
        let readable = if self.eat("{") {
            body = self.block_rest();
            Ok(())
        } else {
            Err(self.unexpected(&format!("a clause ({}) or `{{`", CLAUSES.join(", "))))
        };
        let body_span = self.since(body_start);
        while readable.is_ok() && self.at_word("proof") {
            match self.proof() {
                Ok(proof) => proofs.push(proof),
                Err(_) => break,
            }
        }
        self.file.declarations.push(Declaration {
            kind,
            name,
            arguments,
            result,
            clauses,
            body,
            proofs,
            header,
            body_span,
        });
        readable
    }

    /// `x: f64 in [-1, 1]`
    pub(super) fn binder(&mut self, what: &str) -> Parsed<Binder> {
        let start = self.span().start;
        let name = self.name(what)?;
        if !self.eat(":") {
            return Err(self.unexpected_with_hint("`:` and a type", "for example x: real"));
        }
        let ty = self.ty()?;
        let constraint = self.constraint()?;
        Ok(Binder { name, ty, constraint, span: self.since(start) })
    }

    fn constraint(&mut self) -> Parsed<Option<Constraint>> {
        let comparisons = [
            (CompareOp::Less, "<"),
            (CompareOp::LessOrEqual, "<="),
            (CompareOp::Greater, ">"),
            (CompareOp::GreaterOrEqual, ">="),
            (CompareOp::Equal, "="),
        ];
        if self.eat_word("in") {
            return Ok(Some(Constraint::In(self.interval()?)));
        }
        for (op, symbol) in comparisons {
            if self.eat(symbol) {
                return Ok(Some(Constraint::Compare(op, self.expression()?)));
            }
        }
        Ok(None)
    }

    /// `real`, `real[3]`, `[real]`
    pub(super) fn ty(&mut self) -> Parsed<Type> {
        let start = self.span().start;
        if self.eat("[") {
            let scalar = self.one_of("a type", &Scalar::ALL)?;
            self.expect("]")?;
            return Ok(Type { scalar, shape: Shape::List, span: self.since(start) });
        }
        let scalar = self.one_of("a type", &Scalar::ALL)?;
        let mut shape = Shape::One;
        if self.eat("[") {
            shape = Shape::Array(self.expression()?);
            self.expect("]")?;
        }
        Ok(Type { scalar, shape, span: self.since(start) })
    }
}
