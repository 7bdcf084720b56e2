//! Straight-line expressions: what the error semantics reads.
//!
//! One text has two readings. Over the reals it is the papers' `e_R`: every operation is exact. In a float format it is `e_F`:
//! constants are rounded to nearest, and so is the result of every operation (`⊕ ⊖ ⊗ ⊘`, fma, sqrt), while negation, absolute
//! value, minimum, maximum, clamp, rounding to a power-of-two grid and choice are exact; `ln` and `exp` are as good as the
//! library declares ([`Libm`]).
//!
//! The nodes form a list in which operands stand before what uses them, so that every pass is a loop, however long the
//! expression.

use std::fmt;

use lastbit_real::Rational;

use crate::Span;
use crate::ast::Sampler;

/// A binary floating-point format of IEEE 754.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Format {
    /// Double precision, `f64`.
    #[default]
    Binary64,
    /// Single precision, `f32`.
    Binary32,
}

impl Format {
    /// Significant bits of a normal number.
    pub fn precision(self) -> i64 {
        match self {
            Format::Binary64 => 53,
            Format::Binary32 => 24,
        }
    }

    /// The exponent of the least positive number.
    pub fn min_exponent(self) -> i64 {
        match self {
            Format::Binary64 => -1074,
            Format::Binary32 => -149,
        }
    }

    /// The largest `e` with `2^e` finite.
    pub fn max_exponent(self) -> i64 {
        match self {
            Format::Binary64 => 1023,
            Format::Binary32 => 127,
        }
    }
}

impl fmt::Display for Format {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Format::Binary64 => "binary64",
            Format::Binary32 => "binary32",
        })
    }
}

/// The accuracy of a library function.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Accuracy {
    /// The float nearest to the true value.
    #[default]
    CorrectlyRounded,
    /// At most this many units in the last place away from the true value; the unit is that of the true value's binade. A true
    /// value of 0 is met exactly.
    Ulps(Rational),
}

impl Accuracy {
    /// What to do about one that is not possible.
    pub(crate) const BEST: &'static str =
        "the nearest float can be half an ulp away: write `correctly_rounded`, or at least `ulp(1/2)`";

    /// Whether a library can be as good as that everywhere: a float lies within half a unit of every number, and no nearer to some.
    pub(crate) fn is_possible(ulps: &Rational) -> bool {
        *ulps >= Rational::pow2(-1)
    }
}

/// The declared accuracy of the library functions.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Libm {
    /// The natural logarithm.
    pub ln: Accuracy,
    /// The exponential function.
    pub exp: Accuracy,
}

/// The set of values of a free variable.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputKind {
    /// A finite float of the program's format.
    Float,
    /// A real number; the float reading rounds it on entry.
    Real,
    /// −1 or 1.
    Sign,
    /// An integer that the format represents.
    Integer,
}

/// The origin of a free variable's value, on which proofs of privacy rest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// An argument: private, so that the two runs may differ in it.
    Argument,
    /// The answer of a query: private, too.
    Query,
    /// A parameter: public, the same in both runs.
    Parameter,
    /// A sample: drawn in every run anew, independently of everything else.
    Sample(Law),
}

/// The law of a sample that has a float reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Law {
    /// `unif`, from the floats of a sampler.
    Unif(Sampler),
    /// −1 or 1, equally likely.
    Sign,
    /// 0 or 1, with whatever probability the text says.
    Bernoulli,
}

impl Role {
    /// All roles, as certificates spell them.
    pub const ALL: [(Role, &str); 8] = [
        (Role::Argument, "argument"),
        (Role::Query, "query"),
        (Role::Parameter, "parameter"),
        (Role::Sample(Law::Unif(Sampler::Ulp)), "sample of unif by ulp"),
        (Role::Sample(Law::Unif(Sampler::Grid53)), "sample of unif by grid53"),
        (Role::Sample(Law::Unif(Sampler::Grid24)), "sample of unif by grid24"),
        (Role::Sample(Law::Sign), "sample of sign"),
        (Role::Sample(Law::Bernoulli), "sample of bernoulli"),
    ];

    /// The name that certificates use.
    pub fn name(self) -> &'static str {
        let spelled = Role::ALL.iter().find(|(role, _)| *role == self);
        spelled.map_or("", |(_, name)| name)
    }
}

/// A free variable with its range: an argument, a parameter, or a sample of a declared sampler.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// The name; for an argument, a query or a parameter, that of the text.
    pub name: String,
    /// The origin of the value.
    pub role: Role,
    /// The kind of value it stands for.
    pub kind: InputKind,
    /// The least value.
    pub lo: Rational,
    /// The greatest value.
    pub hi: Rational,
}

/// The place of a node in [`StraightLine::nodes`].
pub type NodeId = usize;

/// The direction in which ties are rounded to a grid.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Tie {
    /// Toward +∞.
    Up,
    /// To the even multiple.
    Even,
    /// Away from zero.
    Away,
}

/// A comparison of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Comparison {
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `==`
    Equal,
}

/// An operation on earlier nodes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Op {
    /// The value of an input, by its place in [`StraightLine::inputs`].
    Input(usize),
    /// An exact number.
    Const(Rational),
    /// `-a`
    Neg(NodeId),
    /// `|a|`
    Abs(NodeId),
    /// `a + b`
    Add(NodeId, NodeId),
    /// `a - b`
    Sub(NodeId, NodeId),
    /// `a · b`
    Mul(NodeId, NodeId),
    /// `a / b`
    Div(NodeId, NodeId),
    /// `a · b + c`, rounded once.
    Fma(NodeId, NodeId, NodeId),
    /// `√a`
    Sqrt(NodeId),
    /// `ln a`
    Ln(NodeId),
    /// `eᵃ`
    Exp(NodeId),
    /// The smaller one.
    Min(NodeId, NodeId),
    /// The larger one.
    Max(NodeId, NodeId),
    /// `clamp_B(a)`: the number of `[-B, B]` nearest to `a`; `bound` is `B`.
    Clamp {
        /// `a`
        arg: NodeId,
        /// `B`
        bound: NodeId,
    },
    /// `⌊a⌉_Λ`: the nearest multiple of `Λ = 2^exponent`.
    Round {
        /// `a`
        arg: NodeId,
        /// `log2 Λ`
        exponent: i64,
        /// The rounding of ties.
        tie: Tie,
    },
    /// `then` if `lhs` compares so with `rhs`, else `otherwise`.
    Select {
        /// The comparison to make.
        test: Comparison,
        /// The left side of the comparison.
        lhs: NodeId,
        /// The right side of the comparison.
        rhs: NodeId,
        /// The value if it holds.
        then: NodeId,
        /// The value if it does not.
        otherwise: NodeId,
    },
}

impl Op {
    /// The nodes that this one reads, in order.
    pub fn operands(&self) -> impl Iterator<Item = NodeId> + use<> {
        let none = usize::MAX;
        let list = match *self {
            Op::Input(_) | Op::Const(_) => [none; 4],
            Op::Neg(a) | Op::Abs(a) | Op::Sqrt(a) | Op::Ln(a) | Op::Exp(a) => [a, none, none, none],
            Op::Round { arg, .. } => [arg, none, none, none],
            Op::Add(a, b) | Op::Sub(a, b) | Op::Mul(a, b) | Op::Div(a, b) => [a, b, none, none],
            Op::Min(a, b) | Op::Max(a, b) => [a, b, none, none],
            Op::Clamp { arg, bound } => [arg, bound, none, none],
            Op::Fma(a, b, c) => [a, b, c, none],
            Op::Select { lhs, rhs, then, otherwise, .. } => [lhs, rhs, then, otherwise],
        };
        list.into_iter().filter(move |&id| id != none)
    }

    /// Replaces every operand, as when nodes get other places.
    pub(crate) fn map_operands(&mut self, map: impl Fn(NodeId) -> NodeId) {
        let operands: [Option<&mut NodeId>; 4] = match self {
            Op::Input(_) | Op::Const(_) => [None, None, None, None],
            Op::Neg(a) | Op::Abs(a) | Op::Sqrt(a) | Op::Ln(a) | Op::Exp(a) => [Some(a), None, None, None],
            Op::Round { arg, .. } => [Some(arg), None, None, None],
            Op::Add(a, b) | Op::Sub(a, b) | Op::Mul(a, b) | Op::Div(a, b) => [Some(a), Some(b), None, None],
            Op::Min(a, b) | Op::Max(a, b) => [Some(a), Some(b), None, None],
            Op::Clamp { arg, bound } => [Some(arg), Some(bound), None, None],
            Op::Fma(a, b, c) => [Some(a), Some(b), Some(c), None],
            Op::Select { lhs, rhs, then, otherwise, .. } => {
                [Some(lhs), Some(rhs), Some(then), Some(otherwise)]
            }
        };
        operands.into_iter().flatten().for_each(|operand| *operand = map(*operand));
    }
}

/// A node with its place in the source text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// The operation that it computes.
    pub op: Op,
    /// The place in the text, if it was read from one.
    pub span: Option<Span>,
    /// The name that the text gives it (`let`, `:=`), if any.
    pub name: Option<String>,
}

/// An expression without loops, in both readings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StraightLine {
    /// The name.
    pub name: String,
    /// The format of the float reading.
    pub format: Format,
    /// The library of the float reading.
    pub libm: Libm,
    /// The free variables.
    pub inputs: Vec<Input>,
    /// Operands first.
    pub nodes: Vec<Node>,
    /// The node whose value is the result.
    pub result: NodeId,
    /// Descriptions of what was left out on reading, which only enlarges the set of inputs.
    pub notes: Vec<String>,
}

impl StraightLine {
    /// An empty list of nodes; the result is to be set.
    pub fn new(name: impl Into<String>, format: Format) -> StraightLine {
        StraightLine {
            name: name.into(),
            format,
            libm: Libm::default(),
            inputs: Vec::new(),
            nodes: Vec::new(),
            result: 0,
            notes: Vec::new(),
        }
    }

    /// Adds an input and the node that reads it.
    pub fn input(&mut self, input: Input, span: Option<Span>) -> NodeId {
        self.inputs.push(input);
        let name = self.inputs.last().map(|input| input.name.clone());
        let id = self.push(Op::Input(self.inputs.len() - 1), span);
        self.nodes[id].name = name;
        id
    }

    /// Adds a node.
    ///
    /// # Panics
    /// If an operand is not an earlier node.
    pub fn push(&mut self, op: Op, span: Option<Span>) -> NodeId {
        let id = self.nodes.len();
        assert!(op.operands().all(|operand| operand < id), "operands stand before what uses them");
        self.nodes.push(Node { op, span, name: None });
        id
    }
}
