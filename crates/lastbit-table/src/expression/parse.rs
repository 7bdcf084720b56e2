//! From text to a tree.

use std::ops::Range;

use super::token::{Token, tokens};
use super::{ExpressionError, ExpressionFault};
use crate::number::Number;

/// Words and signs of an expression at most, which bounds the depth of the tree.
const MOST_TOKENS: usize = 1000;
/// Parentheses and signs within each other at most, so that reading them needs little stack.
const DEEPEST: usize = 100;

/// A part of an expression and its place.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(super) kind: Kind,
    pub(super) at: Range<usize>,
}

#[derive(Debug, Clone)]
pub(super) enum Kind {
    Number(Number),
    Text(String),
    Boolean(bool),
    Column(String),
    Negate(Box<Node>),
    Not(Box<Node>),
    IsNull(Box<Node>),
    Binary(Operator, Box<Node>, Box<Node>),
    Call(String, Vec<Node>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Operator {
    Add,
    Subtract,
    Multiply,
    Divide,
    Equal,
    Unequal,
    Less,
    AtMost,
    Greater,
    AtLeast,
    And,
    Or,
}

impl Node {
    /// The names of the columns in the expression.
    pub(crate) fn columns<'a>(&'a self, names: &mut Vec<&'a str>) {
        match &self.kind {
            Kind::Number(_) | Kind::Text(_) | Kind::Boolean(_) => {}
            Kind::Column(name) => names.push(name),
            Kind::Negate(part) | Kind::Not(part) | Kind::IsNull(part) => part.columns(names),
            Kind::Binary(_, left, right) => {
                left.columns(names);
                right.columns(names);
            }
            Kind::Call(_, arguments) => arguments.iter().for_each(|argument| argument.columns(names)),
        }
    }
}

/// The tree of an expression.
pub(crate) fn parse(text: &str) -> Result<Node, ExpressionError> {
    let tokens = tokens(text)?;
    if tokens.len() > MOST_TOKENS {
        let at = tokens[MOST_TOKENS].1.clone();
        return Err(ExpressionError {
            fault: ExpressionFault::TooLong { most: MOST_TOKENS },
            at,
            text: text.to_owned(),
        });
    }
    let mut parser = Parser { text, tokens, next: 0, depth: 0 };
    let node = parser.either()?;
    match parser.peek() {
        Token::End => Ok(node),
        _ => Err(parser.unexpected("an operator or the end")),
    }
}

struct Parser<'a> {
    text: &'a str,
    tokens: Vec<(Token, Range<usize>)>,
    next: usize,
    depth: usize,
}

type Parsed = Result<Node, ExpressionError>;

impl Parser<'_> {
    fn peek(&self) -> &Token {
        &self.tokens[self.next].0
    }

    fn place(&self) -> Range<usize> {
        self.tokens[self.next].1.clone()
    }

    fn fail<T>(&self, fault: ExpressionFault, at: Range<usize>) -> Result<T, ExpressionError> {
        Err(ExpressionError { fault, at, text: self.text.to_owned() })
    }

    fn unexpected(&self, expected: &'static str) -> ExpressionError {
        let at = self.place();
        let found = match self.peek() {
            Token::End => "the end".to_owned(),
            _ => format!("`{}`", &self.text[at.clone()]),
        };
        ExpressionError {
            fault: ExpressionFault::Unexpected { expected, found },
            at,
            text: self.text.to_owned(),
        }
    }

    fn take_sign(&mut self, sign: &str) -> bool {
        let found = matches!(self.peek(), Token::Sign(next) if *next == sign);
        self.next += usize::from(found);
        found
    }

    fn take_word(&mut self, word: &str) -> bool {
        let found = matches!(self.peek(), Token::Word(next) if next.eq_ignore_ascii_case(word));
        self.next += usize::from(found);
        found
    }

    fn expect_sign(&mut self, sign: &str, expected: &'static str) -> Result<(), ExpressionError> {
        if self.take_sign(sign) { Ok(()) } else { Err(self.unexpected(expected)) }
    }

    /// Something within something else.
    fn inner(&mut self, parse: fn(&mut Self) -> Parsed) -> Parsed {
        if self.depth == DEEPEST {
            return self.fail(ExpressionFault::TooDeep { most: DEEPEST }, self.place());
        }
        self.depth += 1;
        let node = parse(self)?;
        self.depth -= 1;
        Ok(node)
    }

    fn either(&mut self) -> Parsed {
        let mut left = self.both()?;
        while self.take_word("or") {
            left = binary(Operator::Or, left, self.both()?);
        }
        Ok(left)
    }

    fn both(&mut self) -> Parsed {
        let mut left = self.negation()?;
        while self.take_word("and") {
            left = binary(Operator::And, left, self.negation()?);
        }
        Ok(left)
    }

    fn negation(&mut self) -> Parsed {
        let start = self.place().start;
        if self.take_word("not") {
            let part = self.inner(Self::negation)?;
            return Ok(Node { at: start..part.at.end, kind: Kind::Not(Box::new(part)) });
        }
        self.comparison()
    }

    fn comparison(&mut self) -> Parsed {
        let left = self.sum()?;
        if self.take_word("is") {
            let negated = self.take_word("not");
            let end = self.place().end;
            if !self.take_word("null") {
                return Err(self.unexpected("null"));
            }
            let at = left.at.start..end;
            let test = Node { kind: Kind::IsNull(Box::new(left)), at: at.clone() };
            return Ok(if negated { Node { kind: Kind::Not(Box::new(test)), at } } else { test });
        }
        let operator = match self.peek() {
            Token::Sign("=" | "==") => Operator::Equal,
            Token::Sign("!=" | "<>") => Operator::Unequal,
            Token::Sign("<") => Operator::Less,
            Token::Sign("<=") => Operator::AtMost,
            Token::Sign(">") => Operator::Greater,
            Token::Sign(">=") => Operator::AtLeast,
            _ => return Ok(left),
        };
        self.next += 1;
        Ok(binary(operator, left, self.sum()?))
    }

    fn sum(&mut self) -> Parsed {
        let mut left = self.product()?;
        loop {
            let operator = match self.peek() {
                Token::Sign("+") => Operator::Add,
                Token::Sign("-") => Operator::Subtract,
                _ => return Ok(left),
            };
            self.next += 1;
            left = binary(operator, left, self.product()?);
        }
    }

    fn product(&mut self) -> Parsed {
        let mut left = self.factor()?;
        loop {
            let operator = match self.peek() {
                Token::Sign("*") => Operator::Multiply,
                Token::Sign("/") => Operator::Divide,
                _ => return Ok(left),
            };
            self.next += 1;
            left = binary(operator, left, self.factor()?);
        }
    }

    fn factor(&mut self) -> Parsed {
        let start = self.place().start;
        if self.take_sign("-") {
            let part = self.inner(Self::factor)?;
            return Ok(Node { at: start..part.at.end, kind: Kind::Negate(Box::new(part)) });
        }
        self.atom()
    }

    fn atom(&mut self) -> Parsed {
        let at = self.place();
        let kind = match self.peek().clone() {
            Token::Number => match Number::parse(self.text[at.clone()].as_bytes()) {
                Some(number) => Kind::Number(number),
                None => return self.fail(ExpressionFault::Number, at),
            },
            Token::Text(text) => Kind::Text(text),
            Token::Quoted(name) => Kind::Column(name),
            Token::Word(word) if is_keyword(&word) => {
                return Err(self.unexpected("a column, a number or a text"));
            }
            Token::Word(word) if word.eq_ignore_ascii_case("true") => Kind::Boolean(true),
            Token::Word(word) if word.eq_ignore_ascii_case("false") => Kind::Boolean(false),
            Token::Word(word) => {
                self.next += 1;
                if !self.take_sign("(") {
                    return Ok(Node { kind: Kind::Column(word), at });
                }
                let arguments = self.arguments()?;
                let end = self.tokens[self.next - 1].1.end;
                return Ok(Node {
                    kind: Kind::Call(word.to_ascii_lowercase(), arguments),
                    at: at.start..end,
                });
            }
            Token::Sign("(") => {
                self.next += 1;
                let inner = self.inner(Self::either)?;
                self.expect_sign(")", "an operator or )")?;
                return Ok(inner);
            }
            Token::Sign(_) | Token::End => return Err(self.unexpected("a column, a number or a text")),
        };
        self.next += 1;
        Ok(Node { kind, at })
    }

    /// The arguments of a call, whose opening parenthesis has been taken.
    fn arguments(&mut self) -> Result<Vec<Node>, ExpressionError> {
        let mut arguments = Vec::new();
        if self.take_sign(")") {
            return Ok(arguments);
        }
        loop {
            arguments.push(self.inner(Self::either)?);
            if self.take_sign(")") {
                return Ok(arguments);
            }
            self.expect_sign(",", "a comma or )")?;
        }
    }
}

fn is_keyword(word: &str) -> bool {
    ["and", "or", "not", "is", "null"].iter().any(|keyword| word.eq_ignore_ascii_case(keyword))
}

fn binary(operator: Operator, left: Node, right: Node) -> Node {
    let at = left.at.start..right.at.end;
    Node { kind: Kind::Binary(operator, Box::new(left), Box::new(right)), at }
}
