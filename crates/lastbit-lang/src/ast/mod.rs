//! The syntax tree.
//!
//! Expressions live in one list, [`File::expressions`], and point at each other by [`ExprId`]: a sum of ten thousand terms
//! is a long list, not a deep tree, and no pass over it recurses.

mod expression;
mod proof;
mod statement;

pub use expression::{Arithmetic, CompareOp, ExprId, ExprKind, Expression, Function, Logic, Side, UnaryOp};
pub use proof::{Assertion, MirrorRule, Piece, Proof, ProofStep, ProofStepKind, ShiftLaw};
pub use statement::{Block, Distribution, Place, Statement, StatementKind};

use crate::{Span, Tie};

/// A source file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct File {
    /// The mechanisms and functions.
    pub declarations: Vec<Declaration>,
    /// All expressions, operands before what uses them.
    pub expressions: Vec<Expression>,
    /// The comments, in order.
    pub comments: Vec<Comment>,
    /// The offset of the end of every run of blank lines, in order: the formatter keeps one blank line there.
    pub blank_lines: Vec<usize>,
}

impl File {
    /// The expression with this id.
    ///
    /// # Panics
    /// If the id is of another file.
    pub fn expr(&self, id: ExprId) -> &Expression {
        &self.expressions[id.0 as usize]
    }

    /// Adds an expression; its operands must be in the file already.
    pub fn push_expr(&mut self, kind: ExprKind, span: Span) -> ExprId {
        // More than 2³² expressions do not fit into memory.
        let id = ExprId(self.expressions.len() as u32);
        self.expressions.push(Expression { kind, span, rounds: false });
        id
    }

    /// The expression and everything in it, operands first, left to right.
    pub fn post_order(&self, root: ExprId) -> Vec<ExprId> {
        let mut order = Vec::new();
        let mut stack = vec![root];
        // A node before its operands, and these right to left: the reverse of what is wanted.
        while let Some(id) = stack.pop() {
            order.push(id);
            self.expr(id).kind.for_each_operand(|operand| stack.push(operand));
        }
        order.reverse();
        order
    }

    /// The declaration with this name.
    pub fn declaration(&self, name: &str) -> Option<&Declaration> {
        self.declarations.iter().find(|declaration| declaration.name.text == name)
    }
}

/// A comment, from `//` or `#` up to the end of the line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Comment {
    /// The text with its comment mark, without trailing space.
    pub text: String,
    /// The place in the text.
    pub span: Span,
    /// The offset where the text before the comment on its line ends, if there is any.
    pub trails: Option<usize>,
}

/// A name where it is written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Name {
    /// The name.
    pub text: String,
    /// The place in the text.
    pub span: Span,
}

/// Whether a declaration may sample.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeclarationKind {
    /// `mechanism`: it samples, and may claim privacy.
    Mechanism,
    /// `function`: a numeric kernel without samples.
    Function,
}

/// A mechanism or a function.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declaration {
    /// The kind of declaration: a mechanism or a function.
    pub kind: DeclarationKind,
    /// The name.
    pub name: Name,
    /// The arguments.
    pub arguments: Vec<Binder>,
    /// The type of what it returns.
    pub result: Type,
    /// The clauses, in order.
    pub clauses: Vec<Clause>,
    /// The statements.
    pub body: Vec<Statement>,
    /// The proofs.
    pub proofs: Vec<Proof>,
    /// The first line: from the keyword up to the result type.
    pub header: Span,
    /// The span from `{` to `}`.
    pub body_span: Span,
}

impl Declaration {
    /// The parameters of all `param` clauses.
    pub fn parameters(&self) -> impl Iterator<Item = &Binder> {
        self.clauses.iter().flat_map(|clause| match &clause.kind {
            ClauseKind::Param(binders) => binders.as_slice(),
            _ => &[],
        })
    }

    /// The queries of all `query` clauses.
    pub fn queries(&self) -> impl Iterator<Item = &Binder> {
        self.clauses.iter().filter_map(|clause| match &clause.kind {
            ClauseKind::Query(binder) => Some(binder),
            _ => None,
        })
    }

    /// Whether the declaration claims to be differentially private.
    pub fn claims_privacy(&self) -> bool {
        let is_claim =
            |kind: &ClauseKind| matches!(kind, ClauseKind::ClaimPure(_) | ClauseKind::ClaimApprox(..));
        self.clauses.iter().any(|clause| is_claim(&clause.kind))
    }

    /// All statements; those of a block come after the statement that contains it.
    pub fn statements(&self) -> Vec<&Statement> {
        let mut found: Vec<&Statement> = self.body.iter().collect();
        let mut next = 0;
        while next < found.len() {
            let inner = found[next].blocks();
            found.extend(inner.into_iter().flatten());
            next += 1;
        }
        found
    }

    /// The expressions of its clauses and its body, each without its operands; those of ranges and proofs are not among them.
    pub(crate) fn expressions(&self) -> Vec<ExprId> {
        let of_clauses = self.clauses.iter().flat_map(|clause| match &clause.kind {
            ClauseKind::Assume(e) | ClauseKind::Adjacent(_, e) | ClauseKind::EnsuresError(e) => vec![*e],
            ClauseKind::ClaimPure(e) => e.iter().copied().collect(),
            ClauseKind::ClaimApprox(epsilon, delta) => vec![*epsilon, *delta],
            ClauseKind::Libm(_, LibmAccuracy::Ulp(e)) => vec![*e],
            ClauseKind::Param(_) | ClauseKind::Query(_) | ClauseKind::Sampler(_) => Vec::new(),
            ClauseKind::Libm(_, LibmAccuracy::CorrectlyRounded) => Vec::new(),
        });
        of_clauses.chain(self.statements().into_iter().flat_map(Statement::expressions)).collect()
    }

    /// Whether an argument, a parameter, a query or the result is a float; if none is, it is over the reals.
    pub fn is_over_floats(&self) -> bool {
        let binders = self.arguments.iter().chain(self.parameters()).chain(self.queries());
        let mut scalars = binders.map(|binder| binder.ty.scalar).chain([self.result.scalar]);
        scalars.any(|scalar| matches!(scalar, Scalar::F64 | Scalar::F32))
    }
}

/// A name with its type and range: an argument, a parameter, a query.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Binder {
    /// The name.
    pub name: Name,
    /// The type.
    pub ty: Type,
    /// The constraint on the value, if any.
    pub constraint: Option<Constraint>,
    /// The span of the whole binder.
    pub span: Span,
}

/// The type of one value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scalar {
    /// `real`: a real number.
    Real,
    /// `grid`: a number of a countable set, such as the multiples of `Λ`.
    Grid,
    /// `f64`
    F64,
    /// `f32`
    F32,
    /// `sign`: −1 or 1.
    Sign,
    /// `bool`
    Bool,
    /// `int`
    Int,
    /// `data`: a database, known only through queries.
    Data,
}

impl Scalar {
    /// All types, as they are spelled.
    pub const ALL: [(Scalar, &'static str); 8] = [
        (Scalar::Real, "real"),
        (Scalar::Grid, "grid"),
        (Scalar::F64, "f64"),
        (Scalar::F32, "f32"),
        (Scalar::Sign, "sign"),
        (Scalar::Bool, "bool"),
        (Scalar::Int, "int"),
        (Scalar::Data, "data"),
    ];

    /// The type's spelling in the language.
    pub fn text(self) -> &'static str {
        Scalar::ALL.iter().find(|(scalar, _)| *scalar == self).map_or("", |(_, text)| text)
    }
}

/// The number of values: one, or a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// A single value: `real`.
    One,
    /// An array of this constant length: `real[3]`.
    Array(ExprId),
    /// A list, its length is what `return` gives: `[real]`.
    List,
}

/// A type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Type {
    /// The type of each value.
    pub scalar: Scalar,
    /// The number of values.
    pub shape: Shape,
    /// The place in the text.
    pub span: Span,
}

/// A constraint on a value: `> 0`, `= 1`, `in (0, 340]`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Constraint {
    /// Compared with a constant.
    Compare(CompareOp, ExprId),
    /// The value lies in an interval.
    In(Interval),
}

/// An interval, each end with or without the end point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// The lower end.
    pub lo: ExprId,
    /// The upper end.
    pub hi: ExprId,
    /// `[` and not `(`.
    pub lo_closed: bool,
    /// `]` and not `)`.
    pub hi_closed: bool,
}

/// A clause between the first line of a declaration and its body.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Clause {
    /// The kind of clause.
    pub kind: ClauseKind,
    /// The place in the text.
    pub span: Span,
}

/// The kinds of clause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ClauseKind {
    /// `param eps: real > 0, L: real = 1`
    Param(Vec<Binder>),
    /// `query f: real`: a function of the data.
    Query(Binder),
    /// `assume L * eps >= 1`
    Assume(ExprId),
    /// `adjacent |x<1> - x<2>| <= 1`
    Adjacent(Quantifier, ExprId),
    /// `claim pure eps`; without an expression `claim pure infer`.
    ClaimPure(Option<ExprId>),
    /// `claim approx(eps, delta)`
    ClaimApprox(ExprId, ExprId),
    /// `sampler unif = ulp(0,1)`
    Sampler(Sampler),
    /// `libm ln = correctly_rounded`
    Libm(LibmFunction, LibmAccuracy),
    /// `ensures error <= bound`
    EnsuresError(ExprId),
}

/// The indices for which an adjacency holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Quantifier {
    /// No index.
    None,
    /// `forall i:` for all of them.
    ForAll(Name),
    /// `at most one i:` for one index; at the others the two inputs are equal.
    AtMostOne(Name),
}

/// The set of floats that `unif` draws from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sampler {
    /// `ulp(0,1)`: every float of (0, 1), with probability its distance to the next.
    #[default]
    Ulp,
    /// `grid53(0,1)`: the multiples of 2⁻⁵³.
    Grid53,
    /// `grid24(0,1)`: the multiples of 2⁻²⁴.
    Grid24,
}

impl Sampler {
    /// All samplers, as they are spelled.
    pub const ALL: [(Sampler, &'static str); 3] =
        [(Sampler::Ulp, "ulp"), (Sampler::Grid53, "grid53"), (Sampler::Grid24, "grid24")];
}

/// A library function with a declared accuracy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LibmFunction {
    /// `ln`
    Ln,
    /// `exp`
    Exp,
}

/// The accuracy of a library function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LibmAccuracy {
    /// `correctly_rounded`
    CorrectlyRounded,
    /// `ulp(k)`: at most `k` units in the last place.
    Ulp(ExprId),
}

impl Tie {
    /// All ties, as they are spelled.
    pub const ALL: [(Tie, &'static str); 3] = [(Tie::Up, "up"), (Tie::Even, "even"), (Tie::Away, "away")];

    /// The spelling in the language.
    pub fn text(self) -> &'static str {
        Tie::ALL.iter().find(|(tie, _)| *tie == self).map_or("", |(_, text)| text)
    }
}
