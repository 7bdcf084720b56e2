//! The value of an expression in a row.

use std::borrow::Cow;
use std::cmp::Ordering;

use super::check::Type;
use super::parse::Operator;
use crate::batch::{Batch, Cell};
use crate::date;
use crate::number::Number;

/// An expression whose types fit.
#[derive(Debug, Clone)]
pub(crate) enum Expression {
    /// A column of the table, read as a type.
    Column(usize, Type),
    /// A derived column.
    Derived(usize),
    Number(Number),
    Text(String),
    Date(i32),
    Boolean(bool),
    Negate(Box<Expression>),
    Not(Box<Expression>),
    IsNull(Box<Expression>),
    /// Whether a column's cell is empty.
    IsEmpty(usize),
    Arithmetic(Operator, Box<Expression>, Box<Expression>),
    Compare(Operator, Box<Expression>, Box<Expression>),
    And(Box<Expression>, Box<Expression>),
    Or(Box<Expression>, Box<Expression>),
    Clamp(Box<[Expression; 3]>),
    Round(Box<Expression>, Number),
    Lower(Box<Expression>),
    Year(Box<Expression>),
    Month(Box<Expression>),
    /// A value as another type.
    Convert(Type, Box<Expression>),
}

/// A value, or null.
#[derive(Debug, Clone)]
pub(crate) enum Value<'a> {
    Null,
    Number(Number),
    Text(Cow<'a, str>),
    Date(i32),
    Boolean(bool),
}

impl<'a> Value<'a> {
    /// The number, also that of a text.
    pub(crate) fn number(self) -> Option<Number> {
        match self {
            Value::Number(number) => Some(number),
            Value::Text(text) => Number::parse(text.as_bytes()),
            _ => None,
        }
    }

    fn date(self) -> Option<i32> {
        match self {
            Value::Date(days) => Some(days),
            Value::Text(text) => date::parse(text.as_bytes()),
            _ => None,
        }
    }

    fn boolean(self) -> Option<bool> {
        match self {
            Value::Boolean(value) => Some(value),
            _ => None,
        }
    }

    /// The value as canonical text.
    pub(crate) fn text(self) -> Option<Cow<'a, str>> {
        match self {
            Value::Null => None,
            Value::Number(number) => Some(Cow::Owned(number.text())),
            Value::Text(text) => Some(text),
            Value::Date(days) => Some(Cow::Owned(date::text(days))),
            Value::Boolean(value) => Some(Cow::Borrowed(if value { "true" } else { "false" })),
        }
    }

    fn of(value: Option<impl Into<Value<'a>>>) -> Value<'a> {
        value.map_or(Value::Null, Into::into)
    }

    fn of_cell(cell: Cell<'a>, kind: Type) -> Value<'a> {
        match kind {
            Type::Number => Value::of(cell.number()),
            Type::Text => Value::of(cell.text()),
            Type::Date => cell.date().map_or(Value::Null, Value::Date),
            Type::Boolean => Value::of(cell.boolean()),
        }
    }
}

impl From<Number> for Value<'_> {
    fn from(number: Number) -> Self {
        Value::Number(number)
    }
}

impl From<bool> for Value<'_> {
    fn from(value: bool) -> Self {
        Value::Boolean(value)
    }
}

impl<'a> From<Cow<'a, str>> for Value<'a> {
    fn from(text: Cow<'a, str>) -> Self {
        Value::Text(text)
    }
}

/// A row and the values of its derived columns so far.
pub(crate) struct Row<'a> {
    pub(crate) batch: &'a Batch,
    pub(crate) index: usize,
    pub(crate) derived: Vec<Value<'a>>,
}

impl<'a> Row<'a> {
    pub(crate) fn cell(&self, column: usize) -> Cell<'a> {
        self.batch.cell(column, self.index)
    }
}

impl Expression {
    /// Whether the expression is true, which null is not.
    pub(crate) fn holds(&self, row: &Row<'_>) -> bool {
        self.boolean(row) == Some(true)
    }

    pub(crate) fn number(&self, row: &Row<'_>) -> Option<Number> {
        self.value(row).number()
    }

    fn boolean(&self, row: &Row<'_>) -> Option<bool> {
        self.value(row).boolean()
    }

    pub(crate) fn value<'a>(&self, row: &Row<'a>) -> Value<'a> {
        match self {
            Expression::Column(column, kind) => Value::of_cell(row.cell(*column), *kind),
            Expression::Derived(index) => row.derived[*index].clone(),
            Expression::Number(number) => Value::Number(number.clone()),
            Expression::Text(text) => Value::Text(Cow::Owned(text.clone())),
            Expression::Date(days) => Value::Date(*days),
            Expression::Boolean(value) => Value::Boolean(*value),
            Expression::Negate(part) => Value::of(part.number(row).map(|number| number.negate())),
            Expression::Not(part) => Value::of(part.boolean(row).map(|value| !value)),
            Expression::IsNull(part) => Value::Boolean(matches!(part.value(row), Value::Null)),
            Expression::IsEmpty(column) => Value::Boolean(row.cell(*column).is_null()),
            Expression::Arithmetic(operator, left, right) => {
                Value::of(arithmetic(*operator, left.number(row), right.number(row)))
            }
            Expression::Compare(operator, left, right) => Value::of(
                compare(left.value(row), right.value(row)).map(|ordering| agrees(*operator, ordering)),
            ),
            Expression::And(left, right) => Value::of(match (left.boolean(row), right.boolean(row)) {
                (Some(false), _) | (_, Some(false)) => Some(false),
                (Some(true), Some(true)) => Some(true),
                _ => None,
            }),
            Expression::Or(left, right) => Value::of(match (left.boolean(row), right.boolean(row)) {
                (Some(true), _) | (_, Some(true)) => Some(true),
                (Some(false), Some(false)) => Some(false),
                _ => None,
            }),
            Expression::Clamp(parts) => Value::of(clamp(parts, row)),
            Expression::Round(part, grid) => {
                Value::of(part.number(row).and_then(|number| number.round(grid)))
            }
            Expression::Lower(part) => {
                Value::of(part.value(row).text().map(|text| Cow::<str>::Owned(text.to_lowercase())))
            }
            Expression::Year(part) => {
                Value::of(part.value(row).date().map(|days| integer(date::to_civil(days).0)))
            }
            Expression::Month(part) => {
                Value::of(part.value(row).date().map(|days| integer(date::to_civil(days).1)))
            }
            Expression::Convert(kind, part) => {
                let value = part.value(row);
                match kind {
                    Type::Number => Value::of(value.number()),
                    Type::Text => Value::of(value.text()),
                    Type::Date => value.date().map_or(Value::Null, Value::Date),
                    Type::Boolean => value,
                }
            }
        }
    }
}

fn integer(value: i32) -> Number {
    Number::Decimal { mantissa: value.into(), scale: 0 }
}

fn arithmetic(operator: Operator, left: Option<Number>, right: Option<Number>) -> Option<Number> {
    let (left, right) = (left?, right?);
    match operator {
        Operator::Add => left.add(&right),
        Operator::Subtract => left.subtract(&right),
        Operator::Multiply => left.multiply(&right),
        _ => left.divide(&right),
    }
}

fn compare(left: Value<'_>, right: Value<'_>) -> Option<Ordering> {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => Some(left.compare(&right)),
        (Value::Text(left), Value::Text(right)) => Some(left.cmp(&right)),
        (Value::Date(left), Value::Date(right)) => Some(left.cmp(&right)),
        (Value::Boolean(left), Value::Boolean(right)) => Some(left.cmp(&right)),
        _ => None,
    }
}

fn agrees(operator: Operator, ordering: Ordering) -> bool {
    match operator {
        Operator::Equal => ordering.is_eq(),
        Operator::Unequal => ordering.is_ne(),
        Operator::Less => ordering.is_lt(),
        Operator::AtMost => ordering.is_le(),
        Operator::Greater => ordering.is_gt(),
        _ => ordering.is_ge(),
    }
}

/// The nearest number of the interval; null if an end is null, or if the interval is empty in this row.
fn clamp(parts: &[Expression; 3], row: &Row<'_>) -> Option<Number> {
    let [value, low, high] = parts.each_ref().map(|part| part.number(row));
    let (value, low, high) = (value?, low?, high?);
    if low.compare(&high).is_gt() {
        None
    } else if value.compare(&low).is_lt() {
        Some(low)
    } else if value.compare(&high).is_gt() {
        Some(high)
    } else {
        Some(value)
    }
}
