//! Expressions.

use lastbit_real::Rational;

use super::Name;
use crate::{Span, Tie};

/// The place of an expression in [`File::expressions`](super::File::expressions).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ExprId(pub u32);

/// An expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Expression {
    /// The kind of expression.
    pub kind: ExprKind,
    /// The place in the text.
    pub span: Span,
    /// Whether the operation is written with explicit rounding: `⊕`, or a library function in capitals. In a float program all
    /// operations round; over the reals none does.
    pub rounds: bool,
}

/// One of the two runs that a relational statement compares.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// `<1>`
    One,
    /// `<2>`
    Two,
}

/// An operation on one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnaryOp {
    /// `-`
    Neg,
    /// `!`
    Not,
}

/// An operation on two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Arithmetic {
    /// `+`
    Add,
    /// `-`
    Sub,
    /// `*`
    Mul,
    /// `/`
    Div,
}

impl Arithmetic {
    /// The operator's spelling in the language.
    pub fn text(self) -> &'static str {
        match self {
            Arithmetic::Add => "+",
            Arithmetic::Sub => "-",
            Arithmetic::Mul => "*",
            Arithmetic::Div => "/",
        }
    }

    /// How the papers write the operation that rounds.
    pub(crate) fn circled(self) -> &'static str {
        match self {
            Arithmetic::Add => "⊕",
            Arithmetic::Sub => "⊖",
            Arithmetic::Mul => "⊗",
            Arithmetic::Div => "⊘",
        }
    }
}

/// A comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CompareOp {
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
    /// `=`
    Equal,
    /// `!=`
    NotEqual,
}

impl CompareOp {
    /// The operator's spelling in the language.
    pub fn text(self) -> &'static str {
        match self {
            CompareOp::Less => "<",
            CompareOp::LessOrEqual => "<=",
            CompareOp::Greater => ">",
            CompareOp::GreaterOrEqual => ">=",
            CompareOp::Equal => "=",
            CompareOp::NotEqual => "!=",
        }
    }

    /// Whether the comparison holds for two numbers with this ordering.
    pub fn holds(self, ordering: std::cmp::Ordering) -> bool {
        match self {
            CompareOp::Less => ordering.is_lt(),
            CompareOp::LessOrEqual => ordering.is_le(),
            CompareOp::Greater => ordering.is_gt(),
            CompareOp::GreaterOrEqual => ordering.is_ge(),
            CompareOp::Equal => ordering.is_eq(),
            CompareOp::NotEqual => ordering.is_ne(),
        }
    }
}

/// An operation on two conditions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Logic {
    /// `&`
    And,
    /// `|`
    Or,
}

/// A function of the language.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Function {
    /// `ln(a)`
    Ln,
    /// `exp(a)`
    Exp,
    /// `sqrt(a)`
    Sqrt,
    /// `|a|`, also `abs(a)`
    Abs,
    /// `min(a, b)`
    Min,
    /// `max(a, b)`
    Max,
    /// `fma(a, b, c)`
    Fma,
    /// `clamp(a, B)`
    Clamp,
}

impl Function {
    /// All functions: spelling and number of arguments.
    pub const ALL: [(Function, &'static str, usize); 8] = [
        (Function::Ln, "ln", 1),
        (Function::Exp, "exp", 1),
        (Function::Sqrt, "sqrt", 1),
        (Function::Abs, "abs", 1),
        (Function::Min, "min", 2),
        (Function::Max, "max", 2),
        (Function::Fma, "fma", 3),
        (Function::Clamp, "clamp", 2),
    ];

    /// The function's name in the language.
    pub(crate) fn text(self) -> &'static str {
        Function::ALL.iter().find(|entry| entry.0 == self).map_or("", |entry| entry.1)
    }

    /// The function of this name, which may be in capitals: the float reading prints the library's functions so.
    pub(crate) fn named(text: &str) -> Option<Function> {
        let lower = if text.chars().any(char::is_lowercase) { String::new() } else { text.to_lowercase() };
        Function::ALL.iter().find(|(_, name, _)| *name == text || *name == lower).map(|entry| entry.0)
    }

    /// How many arguments it takes.
    pub(crate) fn arity(self) -> usize {
        Function::ALL.iter().find(|entry| entry.0 == self).map_or(0, |entry| entry.2)
    }
}

/// The kinds of expression.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExprKind {
    /// A number, not negative.
    Number {
        /// Its exact value.
        value: Rational,
        /// As it is written: `0.1`, `0x1.8p-3`, `2^-53`.
        text: String,
    },
    /// `true`, `false`
    Bool(bool),
    /// A variable.
    Name(String),
    /// `x<1>`: the value in one of the two runs.
    Copy(ExprId, Side),
    /// `q[i]`
    Index(ExprId, ExprId),
    /// `-a`, `!a`
    Unary(UnaryOp, ExprId),
    /// `a + b`
    Arithmetic(Arithmetic, ExprId, ExprId),
    /// `a <= b`
    Compare(CompareOp, ExprId, ExprId),
    /// `a & b`
    Logic(Logic, ExprId, ExprId),
    /// `ln(a)`
    Call(Function, Vec<ExprId>),
    /// `f(a)`, a query
    Query(Name, Vec<ExprId>),
    /// `round(a, L, up)`: the nearest multiple of `L`
    Round(ExprId, ExprId, Tie),
    /// `if c { a } else { b }`
    If(ExprId, ExprId, ExprId),
    /// `[a, b]`
    List(Vec<ExprId>),
}

impl ExprKind {
    /// Calls `visit` with every operand, left to right.
    pub fn for_each_operand(&self, mut visit: impl FnMut(ExprId)) {
        match self {
            ExprKind::Number { .. } | ExprKind::Bool(_) | ExprKind::Name(_) => {}
            ExprKind::Copy(a, _) | ExprKind::Unary(_, a) => visit(*a),
            ExprKind::Index(a, b)
            | ExprKind::Arithmetic(_, a, b)
            | ExprKind::Compare(_, a, b)
            | ExprKind::Logic(_, a, b)
            | ExprKind::Round(a, b, _) => {
                visit(*a);
                visit(*b);
            }
            ExprKind::If(a, b, c) => {
                visit(*a);
                visit(*b);
                visit(*c);
            }
            ExprKind::Call(_, list) | ExprKind::Query(_, list) | ExprKind::List(list) => {
                list.iter().copied().for_each(visit);
            }
        }
    }
}
