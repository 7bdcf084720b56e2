//! Whether the types of an expression fit.

use std::ops::Range;

use super::evaluate::Expression;
use super::parse::{Kind, Node, Operator};
use super::{ExpressionError, ExpressionFault};
use crate::date;
use crate::suggest::closest;

/// What a value is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Type {
    Number,
    Text,
    Date,
    Boolean,
}

impl Type {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Type::Number => "a number",
            Type::Text => "text",
            Type::Date => "a date",
            Type::Boolean => "a truth value",
        }
    }
}

const FUNCTIONS: [&str; 8] = ["clamp", "round", "lower", "year", "month", "number", "text", "date"];
const KNOWN_FUNCTIONS: &str = "clamp, round, lower, year, month, number, text and date";

/// What the names in an expression mean.
pub(crate) struct Scope<'a> {
    /// The derived columns that may be used.
    pub(crate) derived: &'a [(String, Type)],
    /// The columns of the table that are needed; new ones are added.
    pub(crate) columns: &'a mut Vec<String>,
}

impl Scope<'_> {
    /// The place of a column of the table among those that are needed.
    pub(crate) fn column(&mut self, name: &str) -> usize {
        self.columns.iter().position(|known| known == name).unwrap_or_else(|| {
            self.columns.push(name.to_owned());
            self.columns.len() - 1
        })
    }
}

/// The expression and its type. A bare column becomes what is `wanted`; `None` asks for whatever the expression is.
pub(crate) fn check(
    node: &Node,
    text: &str,
    wanted: Option<Type>,
    scope: &mut Scope<'_>,
) -> Result<(Expression, Type), ExpressionError> {
    let mut checker = Checker { text, scope };
    match checker.open(node)? {
        Checked::Typed(expression, found) if wanted.is_none_or(|wanted| wanted == found) => {
            Ok((expression, found))
        }
        Checked::Typed(_, found) => {
            let expected = wanted.map_or("something else", Type::name);
            checker.fail(ExpressionFault::Type { expected, found: found.name() }, &node.at)
        }
        Checked::Column(column) => match wanted {
            Some(wanted) => Ok((Expression::Column(column, wanted), wanted)),
            None => checker.fail(ExpressionFault::Open, &node.at),
        },
    }
}

/// A part with its type, or a column that waits for one.
enum Checked {
    Typed(Expression, Type),
    Column(usize),
}

struct Checker<'a, 'b> {
    text: &'a str,
    scope: &'a mut Scope<'b>,
}

type Result<T, E = ExpressionError> = std::result::Result<T, E>;

impl Checker<'_, '_> {
    fn fail<T>(&self, fault: ExpressionFault, at: &Range<usize>) -> Result<T> {
        Err(ExpressionError { fault, at: at.clone(), text: self.text.to_owned() })
    }

    fn open(&mut self, node: &Node) -> Result<Checked> {
        let (expression, found) = match &node.kind {
            Kind::Number(number) => (Expression::Number(number.clone()), Type::Number),
            Kind::Text(text) => (Expression::Text(text.clone()), Type::Text),
            Kind::Boolean(value) => (Expression::Boolean(*value), Type::Boolean),
            Kind::Column(name) => match self.scope.derived.iter().position(|derived| derived.0 == *name) {
                Some(index) => (Expression::Derived(index), self.scope.derived[index].1),
                None => return Ok(Checked::Column(self.scope.column(name))),
            },
            Kind::Negate(part) => match self.typed(part, Type::Number)? {
                Expression::Number(literal) => (Expression::Number(literal.negate()), Type::Number),
                part => (Expression::Negate(Box::new(part)), Type::Number),
            },
            Kind::Not(part) => (Expression::Not(self.boxed(part, Type::Boolean)?), Type::Boolean),
            Kind::IsNull(part) => match self.open(part)? {
                Checked::Typed(part, _) => (Expression::IsNull(Box::new(part)), Type::Boolean),
                Checked::Column(column) => (Expression::IsEmpty(column), Type::Boolean),
            },
            Kind::Binary(operator, left, right) => self.binary(*operator, left, right)?,
            Kind::Call(name, arguments) => self.call(name, arguments, &node.at)?,
        };
        Ok(Checked::Typed(expression, found))
    }

    /// The part as the type that its place asks for.
    fn typed(&mut self, node: &Node, wanted: Type) -> Result<Expression> {
        match self.open(node)? {
            Checked::Typed(expression, found) if found == wanted => Ok(expression),
            Checked::Typed(_, found) => {
                self.fail(ExpressionFault::Type { expected: wanted.name(), found: found.name() }, &node.at)
            }
            Checked::Column(column) => Ok(Expression::Column(column, wanted)),
        }
    }

    fn boxed(&mut self, node: &Node, wanted: Type) -> Result<Box<Expression>> {
        self.typed(node, wanted).map(Box::new)
    }

    fn binary(&mut self, operator: Operator, left: &Node, right: &Node) -> Result<(Expression, Type)> {
        Ok(match operator {
            Operator::Add | Operator::Subtract | Operator::Multiply | Operator::Divide => {
                let parts = (self.boxed(left, Type::Number)?, self.boxed(right, Type::Number)?);
                if operator == Operator::Divide
                    && matches!(&*parts.1, Expression::Number(number) if number.to_rational().is_zero())
                {
                    return self.fail(ExpressionFault::ZeroDivisor, &right.at);
                }
                (Expression::Arithmetic(operator, parts.0, parts.1), Type::Number)
            }
            Operator::And => (
                Expression::And(self.boxed(left, Type::Boolean)?, self.boxed(right, Type::Boolean)?),
                Type::Boolean,
            ),
            Operator::Or => (
                Expression::Or(self.boxed(left, Type::Boolean)?, self.boxed(right, Type::Boolean)?),
                Type::Boolean,
            ),
            _ => {
                let (left, right) = self.alike(left, right)?;
                (Expression::Compare(operator, Box::new(left), Box::new(right)), Type::Boolean)
            }
        })
    }

    /// Both sides of a comparison: a bare column is read as what the other side is.
    fn alike(&mut self, left: &Node, right: &Node) -> Result<(Expression, Expression)> {
        match (self.open(left)?, self.open(right)?) {
            (Checked::Typed(first, wanted), Checked::Typed(second, found)) => match wanted == found {
                true => Ok((first, second)),
                false => self
                    .fail(ExpressionFault::Type { expected: wanted.name(), found: found.name() }, &right.at),
            },
            (Checked::Typed(first, kind), Checked::Column(column)) => {
                Ok((first, Expression::Column(column, kind)))
            }
            (Checked::Column(column), Checked::Typed(second, kind)) => {
                Ok((Expression::Column(column, kind), second))
            }
            (Checked::Column(_), Checked::Column(_)) => self.fail(ExpressionFault::Open, &left.at),
        }
    }

    fn call(&mut self, name: &str, arguments: &[Node], at: &Range<usize>) -> Result<(Expression, Type)> {
        let Some(name) = FUNCTIONS.into_iter().find(|known| *known == name) else {
            let suggestion = closest(name, FUNCTIONS);
            let fault =
                ExpressionFault::Function { name: name.to_owned(), known: KNOWN_FUNCTIONS, suggestion };
            return self.fail(fault, &(at.start..at.start + name.len()));
        };
        let expected = match name {
            "clamp" => 3,
            "round" => 2,
            _ => 1,
        };
        if arguments.len() != expected {
            return self.fail(ExpressionFault::Arguments { name, expected, found: arguments.len() }, at);
        }
        let first = &arguments[0];
        Ok(match name {
            "clamp" => (self.clamp(arguments)?, Type::Number),
            "round" => match self.typed(&arguments[1], Type::Number)? {
                Expression::Number(grid) if grid.to_rational().is_positive() => {
                    (Expression::Round(self.boxed(first, Type::Number)?, grid), Type::Number)
                }
                _ => return self.fail(ExpressionFault::Grid, &arguments[1].at),
            },
            "lower" => (Expression::Lower(self.boxed(first, Type::Text)?), Type::Text),
            "year" => (Expression::Year(self.day(first)?), Type::Number),
            "month" => (Expression::Month(self.day(first)?), Type::Number),
            "number" => (self.converted(first, Type::Number)?, Type::Number),
            "text" => (self.converted(first, Type::Text)?, Type::Text),
            _ => (*self.day(first)?, Type::Date),
        })
    }

    fn clamp(&mut self, arguments: &[Node]) -> Result<Expression> {
        let value = self.typed(&arguments[0], Type::Number)?;
        let ends = (self.typed(&arguments[1], Type::Number)?, self.typed(&arguments[2], Type::Number)?);
        if let (Expression::Number(low), Expression::Number(high)) = &ends
            && low.compare(high).is_gt()
        {
            return self.fail(ExpressionFault::Clamp, &arguments[1].at);
        }
        Ok(Expression::Clamp(Box::new([value, ends.0, ends.1])))
    }

    /// A day: a column, a text or a date.
    fn day(&mut self, node: &Node) -> Result<Box<Expression>> {
        if let Kind::Text(text) = &node.kind {
            return match date::parse(text.as_bytes()) {
                Some(days) => Ok(Box::new(Expression::Date(days))),
                None => self.fail(ExpressionFault::Day, &node.at),
            };
        }
        self.converted(node, Type::Date).map(Box::new)
    }

    /// A value as a number, as text or as a date.
    fn converted(&mut self, node: &Node, wanted: Type) -> Result<Expression> {
        match self.open(node)? {
            Checked::Column(column) => Ok(Expression::Column(column, wanted)),
            Checked::Typed(expression, found) if found == wanted => Ok(expression),
            Checked::Typed(expression, found) if wanted == Type::Text || found == Type::Text => {
                Ok(Expression::Convert(wanted, Box::new(expression)))
            }
            Checked::Typed(_, found) => self
                .fail(ExpressionFault::Type { expected: "a column or text", found: found.name() }, &node.at),
        }
    }
}
