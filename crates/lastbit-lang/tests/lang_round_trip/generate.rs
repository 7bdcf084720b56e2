//! Random trees, made in the order in which the parser makes them.

use lastbit_lang::ast::*;
use lastbit_lang::{Span, Tie};
use lastbit_real::Rational;

/// Makes a tree from a list of choices; when they run out, the smallest one.
pub(crate) struct Generator {
    choices: std::vec::IntoIter<u16>,
    file: File,
}

const NOWHERE: Span = Span { start: 0, end: 0 };

impl Generator {
    pub(crate) fn new(choices: Vec<u16>) -> Generator {
        Generator { choices: choices.into_iter(), file: File::default() }
    }

    pub(crate) fn file(mut self) -> File {
        for _ in 0..=self.pick(2) {
            let declaration = self.declaration();
            self.file.declarations.push(declaration);
        }
        self.file
    }

    /// A number below `n`; 0 at the end of the choices.
    fn pick(&mut self, n: usize) -> usize {
        usize::from(self.choices.next().unwrap_or(0)) % n
    }

    fn flag(&mut self) -> bool {
        self.pick(2) == 1
    }

    fn name(&mut self) -> Name {
        let names = ["x", "y", "eps", "w'", "Λ", "z_1", "result", "unif", "up", "pure"];
        Name { text: names[self.pick(names.len())].to_owned(), span: NOWHERE }
    }

    fn many<T>(&mut self, least: usize, most: usize, mut make: impl FnMut(&mut Self) -> T) -> Vec<T> {
        let count = least + self.pick(most - least + 1);
        (0..count).map(|_| make(self)).collect()
    }

    fn push(&mut self, kind: ExprKind) -> ExprId {
        self.file.push_expr(kind, NOWHERE)
    }

    fn expr(&mut self) -> ExprId {
        self.expr_at(4)
    }

    fn leaf(&mut self) -> ExprId {
        let kind = match self.pick(4) {
            0 => ExprKind::Name(self.name().text),
            1 => ExprKind::Bool(self.flag()),
            _ => {
                let numbers = [
                    ("0", "0"),
                    ("1", "1"),
                    ("0.10", "1/10"),
                    ("0x1.8p-3", "3/16"),
                    ("2^-3", "1/8"),
                    ("1e3", "1000"),
                ];
                let (text, value) = numbers[self.pick(numbers.len())];
                ExprKind::Number { value: value.parse::<Rational>().unwrap(), text: text.to_owned() }
            }
        };
        self.push(kind)
    }

    fn expr_at(&mut self, depth: usize) -> ExprId {
        if depth == 0 {
            return self.leaf();
        }
        let d = depth - 1;
        let kind = match self.pick(13) {
            0 => return self.leaf(),
            1 => {
                let side = if self.flag() { Side::One } else { Side::Two };
                let base = self.name().text;
                let base = self.push(ExprKind::Name(base));
                ExprKind::Copy(base, side)
            }
            2 => {
                let base = self.name().text;
                let mut base = self.push(ExprKind::Name(base));
                if self.flag() {
                    base = self.push(ExprKind::Copy(base, Side::Two));
                }
                let index = self.expr_at(d);
                ExprKind::Index(base, index)
            }
            3 => ExprKind::Unary(if self.flag() { UnaryOp::Neg } else { UnaryOp::Not }, self.expr_at(d)),
            4 | 5 => {
                let ops = [Arithmetic::Add, Arithmetic::Sub, Arithmetic::Mul, Arithmetic::Div];
                ExprKind::Arithmetic(ops[self.pick(4)], self.expr_at(d), self.expr_at(d))
            }
            6 => {
                let op = self.compare_op(6);
                ExprKind::Compare(op, self.expr_at(d), self.expr_at(d))
            }
            7 => {
                let op = if self.flag() { Logic::And } else { Logic::Or };
                ExprKind::Logic(op, self.expr_at(d), self.expr_at(d))
            }
            8 => {
                let (function, _, arity) = Function::ALL[self.pick(Function::ALL.len())];
                ExprKind::Call(function, self.many(arity, arity, |g| g.expr_at(d)))
            }
            9 => {
                let name = Name { text: ["f", "count", "Ln"][self.pick(3)].to_owned(), span: NOWHERE };
                ExprKind::Query(name, self.many(0, 2, |g| g.expr_at(d)))
            }
            10 => {
                let tie = [Tie::Up, Tie::Even, Tie::Away][self.pick(3)];
                ExprKind::Round(self.expr_at(d), self.expr_at(d), tie)
            }
            11 => ExprKind::If(self.expr_at(d), self.expr_at(d), self.expr_at(d)),
            _ => ExprKind::List(self.many(1, 3, |g| g.expr_at(d))),
        };
        self.push(kind)
    }

    /// One of the first `n` comparisons; the sixth is no constraint.
    fn compare_op(&mut self, n: usize) -> CompareOp {
        let ops = [
            CompareOp::Less,
            CompareOp::LessOrEqual,
            CompareOp::Greater,
            CompareOp::GreaterOrEqual,
            CompareOp::Equal,
            CompareOp::NotEqual,
        ];
        ops[self.pick(n)]
    }

    fn ty(&mut self) -> Type {
        let scalar = Scalar::ALL[self.pick(Scalar::ALL.len())].0;
        let shape = match self.pick(4) {
            0 | 1 => Shape::One,
            2 => Shape::Array(self.expr()),
            _ => Shape::List,
        };
        Type { scalar, shape, span: NOWHERE }
    }

    fn interval(&mut self) -> Interval {
        let (lo_closed, hi_closed) = (self.flag(), self.flag());
        Interval { lo: self.expr(), hi: self.expr(), lo_closed, hi_closed }
    }

    fn binder(&mut self) -> Binder {
        let (name, ty) = (self.name(), self.ty());
        let constraint = match self.pick(3) {
            0 => None,
            1 => {
                let op = self.compare_op(5);
                Some(Constraint::Compare(op, self.expr()))
            }
            _ => Some(Constraint::In(self.interval())),
        };
        Binder { name, ty, constraint, span: NOWHERE }
    }

    fn declaration(&mut self) -> Declaration {
        Declaration {
            kind: if self.flag() { DeclarationKind::Function } else { DeclarationKind::Mechanism },
            name: self.name(),
            arguments: self.many(0, 3, Self::binder),
            result: self.ty(),
            clauses: self.many(0, 5, Self::clause),
            body: self.many(0, 6, |g| g.statement(3)),
            proofs: self.many(0, 2, |g| Proof {
                name: if g.flag() { Some(g.name()) } else { None },
                steps: g.many(0, 5, |g| g.step(2)),
                span: NOWHERE,
            }),
            header: NOWHERE,
            body_span: NOWHERE,
        }
    }

    fn clause(&mut self) -> Clause {
        let kind = match self.pick(9) {
            0 => ClauseKind::Param(self.many(1, 3, Self::binder)),
            1 => ClauseKind::Query(self.binder()),
            2 => ClauseKind::Assume(self.expr()),
            3 => {
                let quantifier = match self.pick(3) {
                    0 => Quantifier::None,
                    1 => Quantifier::ForAll(self.name()),
                    _ => Quantifier::AtMostOne(self.name()),
                };
                ClauseKind::Adjacent(quantifier, self.expr())
            }
            4 => ClauseKind::ClaimPure(if self.flag() { Some(self.expr()) } else { None }),
            5 => ClauseKind::ClaimApprox(self.expr(), self.expr()),
            6 => ClauseKind::Sampler(Sampler::ALL[self.pick(3)].0),
            7 => {
                let function = if self.flag() { LibmFunction::Ln } else { LibmFunction::Exp };
                let rounded = self.flag();
                let accuracy =
                    if rounded { LibmAccuracy::CorrectlyRounded } else { LibmAccuracy::Ulp(self.expr()) };
                ClauseKind::Libm(function, accuracy)
            }
            _ => ClauseKind::EnsuresError(self.expr()),
        };
        Clause { kind, span: NOWHERE }
    }

    fn place(&mut self) -> Place {
        let name = self.name();
        let index = if self.flag() { Some(self.expr_at(2)) } else { None };
        Place { name, index }
    }

    fn block(&mut self, depth: usize) -> Block {
        Block { statements: self.many(0, 3, |g| g.statement(depth)), end: 0 }
    }

    fn statement(&mut self, depth: usize) -> Statement {
        let kind = match self.pick(if depth == 0 { 4 } else { 6 }) {
            0 => StatementKind::Return(self.expr()),
            1 => StatementKind::Declare(self.name(), self.ty()),
            2 => StatementKind::Sample(self.place(), self.distribution()),
            3 => StatementKind::Assign(self.place(), self.expr()),
            4 => StatementKind::If {
                condition: self.expr(),
                then: self.block(depth - 1),
                otherwise: self.block(depth - 1),
            },
            _ => StatementKind::For {
                variable: self.name(),
                from: self.expr(),
                to: self.expr(),
                body: self.block(depth - 1),
            },
        };
        Statement { kind, span: NOWHERE }
    }

    fn distribution(&mut self) -> Distribution {
        match self.pick(7) {
            0 => Distribution::Unif { closed: self.flag() },
            1 => Distribution::Sign,
            2 => Distribution::Bernoulli(self.expr()),
            3 => Distribution::Lap(self.expr()),
            4 => Distribution::Expo(self.expr()),
            5 => Distribution::Dlap(self.expr(), self.expr()),
            _ => Distribution::Choose(self.many(1, 3, Self::expr)),
        }
    }

    fn step(&mut self, depth: usize) -> ProofStep {
        let kind = match self.pick(if depth == 0 { 11 } else { 12 }) {
            0 => ProofStepKind::AuditExact,
            1 => ProofStepKind::Pointwise(self.name()),
            2 => ProofStepKind::Preimage {
                equation: self.expr(),
                variable: self.place(),
                interval: self.interval(),
            },
            3 => ProofStepKind::Event(self.many(1, 3, Self::place), self.expr()),
            4 => ProofStepKind::Mirror(
                self.expr(),
                self.many(1, 3, |g| MirrorRule { from: g.place(), to: g.expr() }),
            ),
            5 => ProofStepKind::Let(self.name(), self.expr()),
            6 => ProofStepKind::Align {
                places: self.many(1, 3, Self::place),
                cost: self.expr(),
                pieces: self.many(0, 3, |g| Piece {
                    guard: g.expr(),
                    images: g.many(1, 3, Self::expr),
                    span: NOWHERE,
                }),
            },
            7 => ProofStepKind::Have(self.expr()),
            8 => ProofStepKind::Shift {
                law: ShiftLaw::ALL[self.pick(3)].0,
                place: self.place(),
                by: self.expr(),
                cost: self.expr(),
            },
            9 => ProofStepKind::Endpoint(self.place()),
            10 => ProofStepKind::Rule {
                rule: self.name(),
                place: if self.flag() { Some(self.place()) } else { None },
                cost: if self.flag() { Some(self.expr()) } else { None },
                pre: self.assertion(),
                post: self.assertion(),
            },
            _ => ProofStepKind::Case(self.expr(), self.many(0, 3, |g| g.step(depth - 1))),
        };
        ProofStep { kind, span: NOWHERE, end: 0 }
    }

    fn assertion(&mut self) -> Assertion {
        let exists = if self.flag() { vec![self.name()] } else { Vec::new() };
        Assertion { exists, condition: self.expr() }
    }
}
