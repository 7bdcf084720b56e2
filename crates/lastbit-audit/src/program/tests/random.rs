//! Random programs of a uniform sample and two known inputs.

use lastbit_lang::{Comparison, Format, Input, InputKind, NodeId, Op, Role, StraightLine, Tie};
use lastbit_real::Rational;

use super::super::machine::Setting;

/// Marsaglia's xorshift64*.
pub(crate) struct Random(u64);

impl Random {
    pub(crate) fn new(seed: u64) -> Random {
        let mut random = Random(seed.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        random.below(1);
        random
    }

    pub(crate) fn below(&mut self, n: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11) % n
    }

    pub(crate) fn pick<T: Clone>(&mut self, from: &[T]) -> T {
        from[self.below(from.len() as u64) as usize].clone()
    }
}

/// From this seed on, programs are rich in zeros of both signs.
pub(crate) const ZEROS: u64 = 1 << 40;

/// A program of a few nodes, and what its inputs are set to: the sample, a sign, a number.
pub(crate) fn random_program(seed: u64, format: Format) -> (StraightLine, Vec<Setting>) {
    let mut random = Random::new(seed);
    let mut program = StraightLine::new(format!("seed {seed}"), format);
    for (name, kind) in [("u", InputKind::Float), ("s", InputKind::Sign), ("x", InputKind::Float)] {
        let [lo, hi] = [-4, 4].map(Rational::from);
        program.input(Input { name: name.to_owned(), role: Role::Argument, kind, lo, hi }, None);
    }
    let known = [-3, -1, 0, 1, 2, 5].map(|n| Setting::Known(Rational::new(n, 4).expect("not 0")));
    let signs = [-1, 1].map(|sign| Setting::Known(Rational::from(sign)));
    let settings = vec![Setting::Uniform, random.pick(&signs), random.pick(&known)];
    if seed >= ZEROS {
        // -0, and what changes its sign: u - 1/2.
        let zero = program.push(Op::Const(Rational::ZERO), None);
        let half = program.push(Op::Const(Rational::pow2(-1)), None);
        program.push(Op::Sub(0, half), None);
        program.push(Op::Neg(zero), None);
    }
    for _ in 0..1 + random.below(11) {
        let op = random_op(&mut random, program.nodes.len(), seed >= ZEROS);
        program.push(op, None);
    }
    program.result = program.nodes.len() - 1;
    (program, settings)
}

fn random_op(random: &mut Random, nodes: usize, zeros: bool) -> Op {
    // Recent nodes and the sample more often than others.
    let mut node = || -> NodeId {
        match random.below(4) {
            0 => 0,
            1 => random.below(nodes as u64) as usize,
            _ => nodes - 1 - random.below(nodes.min(4) as u64) as usize,
        }
    };
    let (a, b, c, d) = (node(), node(), node(), node());
    let kind = match zeros {
        true => random.pick(&[0, 1, 2, 2, 4, 6, 7, 8, 8, 11, 11, 16, 17, 18, 20, 20]),
        false => random.below(21),
    };
    match kind {
        0 | 1 => {
            // The tiny ones underflow in products, to zeros of both signs.
            let numbers = match zeros {
                true => ["0", "0", "0.1", "0.5", "-1", "1e-30", "-1e-200"],
                false => ["0.5", "0.1", "-0.3", "-1", "3", "0", "1e-3"],
            };
            Op::Const(random.pick(&numbers).parse().expect("a number"))
        }
        2 => Op::Neg(a),
        3 => Op::Abs(a),
        4 | 5 => Op::Add(a, b),
        6 => Op::Sub(a, b),
        7 | 8 => Op::Mul(a, b),
        9 | 10 => Op::Div(a, b),
        11 => Op::Fma(a, b, c),
        12 => Op::Sqrt(a),
        13 | 14 => Op::Ln(a),
        15 => Op::Exp(a),
        16 => Op::Min(a, b),
        17 => Op::Max(a, b),
        18 => Op::Clamp { arg: a, bound: b },
        19 => Op::Round {
            arg: a,
            exponent: random.below(8) as i64 - 5,
            tie: random.pick(&[Tie::Up, Tie::Even, Tie::Away]),
        },
        _ => {
            let tests = [Comparison::Less, Comparison::LessOrEqual, Comparison::Equal];
            Op::Select { test: random.pick(&tests), lhs: a, rhs: b, then: c, otherwise: d }
        }
    }
}
