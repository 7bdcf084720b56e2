//! Expressions, with an explicit stack: ten thousand parentheses are ten thousand entries, not ten thousand calls.

use super::{KEYWORDS, Parsed, Parser, Reported};
use crate::ast::{Arithmetic, CompareOp, ExprId, ExprKind, Function, Logic, Name, UnaryOp};
use crate::diagnostic::MAX_DIAGNOSTICS;
use crate::lexer::Token;
use crate::{Diagnostic, Span, Tie};

/// What waits for the expression that is being read.
enum Frame {
    Prefix(UnaryOp, usize),
    /// Whether it is in a circle.
    Infix(Infix, ExprId, bool),
    Paren(Span),
    Abs(Span),
    Call(Name, Vec<ExprId>),
    Index(ExprId, Span),
    List(Vec<ExprId>, Span),
    IfCondition(Span),
    IfThen(ExprId, Span),
    IfElse(ExprId, ExprId, Span),
}

/// The operations that round, as the float reading writes them.
const CIRCLED: [&str; 4] = ["⊕", "⊖", "⊗", "⊘"];

#[derive(Clone, Copy)]
enum Infix {
    Logic(Logic),
    Compare(CompareOp),
    Arithmetic(Arithmetic),
}

impl Infix {
    fn of(symbol: &str) -> Option<Infix> {
        Some(match symbol {
            "|" => Infix::Logic(Logic::Or),
            "&" => Infix::Logic(Logic::And),
            "<" => Infix::Compare(CompareOp::Less),
            "<=" => Infix::Compare(CompareOp::LessOrEqual),
            ">" => Infix::Compare(CompareOp::Greater),
            ">=" => Infix::Compare(CompareOp::GreaterOrEqual),
            "=" => Infix::Compare(CompareOp::Equal),
            "!=" => Infix::Compare(CompareOp::NotEqual),
            "+" => Infix::Arithmetic(Arithmetic::Add),
            "-" => Infix::Arithmetic(Arithmetic::Sub),
            "*" => Infix::Arithmetic(Arithmetic::Mul),
            "/" => Infix::Arithmetic(Arithmetic::Div),
            _ => return None,
        })
    }

    fn precedence(self) -> u8 {
        match self {
            Infix::Logic(Logic::Or) => 1,
            Infix::Logic(Logic::And) => 2,
            Infix::Compare(_) => 3,
            Infix::Arithmetic(Arithmetic::Add | Arithmetic::Sub) => 4,
            Infix::Arithmetic(Arithmetic::Mul | Arithmetic::Div) => 5,
        }
    }
}

/// The kind of token expected next.
enum Mode {
    Operand,
    /// An operand has been read.
    Operator(ExprId),
}

impl Parser<'_> {
    /// Reads an expression; stops at the first token that cannot belong to it.
    pub(super) fn expression(&mut self) -> Parsed<ExprId> {
        let mut stack = Vec::new();
        let mut mode = Mode::Operand;
        loop {
            mode = match mode {
                Mode::Operand => self.operand(&mut stack)?,
                Mode::Operator(value) => match self.operator(&mut stack, value)? {
                    Some(mode) => mode,
                    None => return Ok(self.reduce(&mut stack, value, 0)),
                },
            };
        }
    }

    fn operand(&mut self, stack: &mut Vec<Frame>) -> Parsed<Mode> {
        let span = self.span();
        match self.token().clone() {
            Token::Number(value) => {
                let text = self.text().to_owned();
                self.advance();
                Ok(Mode::Operator(self.push(ExprKind::Number { value, text }, span)))
            }
            Token::Name => self.named_operand(stack),
            Token::Symbol(symbol) => {
                if CIRCLED.contains(&self.text()) {
                    let message = format!("`{}` stands between two numbers", self.text());
                    let hint = "a change of sign does not round: write -x";
                    return Err(self.report(Diagnostic::new(span, message).with_hint(hint)));
                }
                match symbol {
                    "-" => stack.push(Frame::Prefix(UnaryOp::Neg, span.start)),
                    "!" => stack.push(Frame::Prefix(UnaryOp::Not, span.start)),
                    // A plus sign changes nothing.
                    "+" => {}
                    "(" => stack.push(Frame::Paren(span)),
                    "|" => stack.push(Frame::Abs(span)),
                    "[" => stack.push(Frame::List(Vec::new(), span)),
                    _ => return Err(self.unexpected("an expression")),
                }
                self.advance();
                Ok(Mode::Operand)
            }
            Token::Copy(_) | Token::End => Err(self.unexpected("an expression")),
        }
    }

    fn named_operand(&mut self, stack: &mut Vec<Frame>) -> Parsed<Mode> {
        let (span, text) = (self.span(), self.text());
        if text == "if" {
            self.advance();
            stack.push(Frame::IfCondition(span));
            return Ok(Mode::Operand);
        }
        if text == "true" || text == "false" {
            self.advance();
            return Ok(Mode::Operator(self.push(ExprKind::Bool(text == "true"), span)));
        }
        if KEYWORDS.contains(&text) {
            return Err(self.unexpected("an expression"));
        }
        self.advance();
        if !self.at("(") {
            return Ok(Mode::Operator(self.push(ExprKind::Name(text.to_owned()), span)));
        }
        self.advance();
        let name = Name { text: text.to_owned(), span };
        if self.eat(")") {
            return self.call(name, Vec::new()).map(Mode::Operator);
        }
        stack.push(Frame::Call(name, Vec::new()));
        Ok(Mode::Operand)
    }

    /// After an operand: how it goes on, or `None` at the end of the expression.
    fn operator(&mut self, stack: &mut Vec<Frame>, value: ExprId) -> Parsed<Option<Mode>> {
        let span = self.span();
        match self.token().clone() {
            Token::Copy(side) => {
                let copied = &self.file.expr(value).kind;
                if !matches!(copied, ExprKind::Name(_) | ExprKind::Index(..) | ExprKind::Query(..)) {
                    let message = "only a variable, an element or a query has two copies";
                    return Err(
                        self.report(Diagnostic::new(span, message).with_hint("write x<1> after the name"))
                    );
                }
                self.advance();
                let whole = self.file.expr(value).span.to(span);
                Ok(Some(Mode::Operator(self.push(ExprKind::Copy(value, side), whole))))
            }
            Token::Symbol("[") => {
                self.advance();
                stack.push(Frame::Index(value, span));
                Ok(Some(Mode::Operand))
            }
            Token::Symbol("^") => {
                let diagnostic =
                    Diagnostic::new(span, "a power is a number to a whole number, without spaces")
                        .with_hint("write 2^-53, and x * x for a square");
                Err(self.report(diagnostic))
            }
            Token::Symbol(symbol @ ("|" | ")" | "]" | "," | "{" | "}")) => {
                if symbol == "|" && !matches!(innermost(stack), Some(Frame::Abs(_))) {
                    return self.infix(stack, value, Infix::Logic(Logic::Or));
                }
                self.close(stack, value, symbol)
            }
            Token::Symbol(symbol) => match Infix::of(symbol) {
                Some(infix) => self.infix(stack, value, infix),
                None => self.end(stack),
            },
            _ => self.end(stack),
        }
    }

    fn infix(&mut self, stack: &mut Vec<Frame>, value: ExprId, infix: Infix) -> Parsed<Option<Mode>> {
        let precedence = infix.precedence();
        let lhs = self.reduce(stack, value, precedence);
        // A comparison that was built just now; one in parentheses was there before.
        let chained = lhs != value && matches!(self.file.expr(lhs).kind, ExprKind::Compare(..));
        if chained && matches!(infix, Infix::Compare(_)) {
            let diagnostic = Diagnostic::new(self.span(), "comparisons do not chain")
                .with_hint("write a <= b & b <= c, or parentheses");
            return Err(self.report(diagnostic));
        }
        let is_circled = CIRCLED.contains(&self.text());
        stack.push(Frame::Infix(infix, lhs, is_circled));
        self.advance();
        Ok(Some(Mode::Operand))
    }

    /// Builds the operations on top of the stack that bind at least as tightly as `precedence`.
    fn reduce(&mut self, stack: &mut Vec<Frame>, mut value: ExprId, precedence: u8) -> ExprId {
        loop {
            let end = self.file.expr(value).span;
            match stack.last() {
                Some(Frame::Prefix(op, start)) => {
                    let span = Span::new(*start, end.end);
                    value = self.push(ExprKind::Unary(*op, value), span);
                }
                Some(Frame::Infix(infix, lhs, circled)) if infix.precedence() >= precedence => {
                    let span = self.file.expr(*lhs).span.to(end);
                    let circled = *circled;
                    let kind = match *infix {
                        Infix::Logic(op) => ExprKind::Logic(op, *lhs, value),
                        Infix::Compare(op) => ExprKind::Compare(op, *lhs, value),
                        Infix::Arithmetic(op) => ExprKind::Arithmetic(op, *lhs, value),
                    };
                    value = self.push(kind, span);
                    self.file.expressions[value.0 as usize].rounds = circled;
                }
                _ => return value,
            }
            stack.pop();
        }
    }

    /// A closing bracket, a comma or a brace.
    fn close(&mut self, stack: &mut Vec<Frame>, value: ExprId, symbol: &'static str) -> Parsed<Option<Mode>> {
        let value = if innermost(stack).is_some() { self.reduce(stack, value, 0) } else { return Ok(None) };
        let here = self.span();
        let Some(frame) = stack.pop() else { return Ok(None) };
        let mode = match (frame, symbol) {
            (Frame::Paren(open), ")") => {
                // The parentheses belong to the place of what they enclose: `(a + b) * c` starts with one.
                self.file.expressions[value.0 as usize].span = open.to(here);
                Mode::Operator(value)
            }
            (Frame::Abs(open), "|") => {
                Mode::Operator(self.push(ExprKind::Call(Function::Abs, vec![value]), open.to(here)))
            }
            (Frame::Index(base, _), "]") => {
                let span = self.file.expr(base).span.to(here);
                Mode::Operator(self.push(ExprKind::Index(base, value), span))
            }
            (Frame::Call(name, mut arguments), "," | ")") => {
                arguments.push(value);
                self.advance();
                if symbol == ")" {
                    return self.call(name, arguments).map(|value| Some(Mode::Operator(value)));
                }
                if name.text == "round" && arguments.len() == 2 {
                    return self.round(name, &arguments).map(|value| Some(Mode::Operator(value)));
                }
                stack.push(Frame::Call(name, arguments));
                return Ok(Some(Mode::Operand));
            }
            (Frame::List(mut items, open), "," | "]") => {
                items.push(value);
                if symbol == "]" {
                    Mode::Operator(self.push(ExprKind::List(items), open.to(here)))
                } else {
                    stack.push(Frame::List(items, open));
                    Mode::Operand
                }
            }
            (Frame::IfCondition(open), "{") => {
                stack.push(Frame::IfThen(value, open));
                Mode::Operand
            }
            (Frame::IfThen(condition, open), "}") => {
                self.advance();
                if !self.eat_word("else") {
                    let hint = "as an expression, `if` has both branches: if c { a } else { b }";
                    return Err(self.unexpected_with_hint("`else`", hint));
                }
                if !self.at("{") {
                    return Err(self.unexpected("`{`"));
                }
                stack.push(Frame::IfElse(condition, value, open));
                Mode::Operand
            }
            (Frame::IfElse(condition, then, open), "}") => {
                Mode::Operator(self.push(ExprKind::If(condition, then, value), open.to(here)))
            }
            (frame, _) => return Err(self.unclosed(&frame)),
        };
        self.advance();
        Ok(Some(mode))
    }

    /// A token that belongs to no expression: the end, unless a bracket is open.
    fn end(&mut self, stack: &[Frame]) -> Parsed<Option<Mode>> {
        match innermost(stack) {
            None => Ok(None),
            Some(frame) => Err(self.unclosed(frame)),
        }
    }

    fn unclosed(&mut self, frame: &Frame) -> Reported {
        if self.diagnostics.len() >= MAX_DIAGNOSTICS {
            // Counting lines again and again for messages that nobody sees would not be linear.
            return Reported;
        }
        let (expected, open) = match frame {
            Frame::Paren(span) => ("an operator or `)`", *span),
            Frame::Call(name, _) => ("an operator, `,` or `)`", name.span),
            Frame::Abs(span) => ("an operator or `|`", *span),
            Frame::Index(_, span) => ("an operator or `]`", *span),
            Frame::List(_, span) => ("an operator, `,` or `]`", *span),
            Frame::IfCondition(span) => ("an operator or `{`", *span),
            Frame::IfThen(_, span) | Frame::IfElse(_, _, span) => ("an operator or `}`", *span),
            Frame::Prefix(..) | Frame::Infix(..) => ("an operator", self.span()),
        };
        let line = self.source[..open.start].matches('\n').count() + 1;
        let opened: String = self.source[open.start..open.end].chars().take(30).collect();
        self.unexpected_with_hint(expected, &format!("`{opened}` in line {line} is still open"))
    }

    /// `name(arguments)`, after the closing parenthesis.
    fn call(&mut self, name: Name, arguments: Vec<ExprId>) -> Parsed<ExprId> {
        let span = self.since(name.span.start);
        if name.text == "round" {
            let diagnostic =
                Diagnostic::new(span, "`round` takes a number, the grid and what happens half-way")
                    .with_hint("for example round(w, L, up); half-way: up, even or away");
            return Err(self.report(diagnostic));
        }
        let is_in_capitals = !name.text.chars().any(char::is_lowercase);
        let kind = match Function::named(&name.text) {
            Some(function) => {
                let (text, arity) = (function.text(), function.arity());
                if arguments.len() != arity {
                    let plural = if arity == 1 { "" } else { "s" };
                    let message =
                        format!("`{text}` takes {arity} argument{plural}, here are {}", arguments.len());
                    return Err(self.report(Diagnostic::new(span, message)));
                }
                ExprKind::Call(function, arguments)
            }
            None => ExprKind::Query(name, arguments),
        };
        // The float reading writes what rounds in capitals.
        let rounds = match &kind {
            ExprKind::Call(Function::Ln | Function::Exp | Function::Sqrt | Function::Fma, _) => {
                is_in_capitals
            }
            _ => false,
        };
        let id = self.push(kind, span);
        self.file.expressions[id.0 as usize].rounds = rounds;
        Ok(id)
    }

    /// The rest of `round(a, L, up)`, after the second comma.
    fn round(&mut self, name: Name, arguments: &[ExprId]) -> Parsed<ExprId> {
        let tie = self.one_of("what happens half-way", &Tie::ALL)?;
        self.expect(")")?;
        let span = self.since(name.span.start);
        Ok(self.push(ExprKind::Round(arguments[0], arguments[1], tie), span))
    }
}

/// The innermost bracket that is open.
fn innermost(stack: &[Frame]) -> Option<&Frame> {
    stack.iter().rev().find(|frame| !matches!(frame, Frame::Prefix(..) | Frame::Infix(..)))
}
