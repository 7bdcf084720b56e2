//! Random programs, most of them defined on all of their ranges.

use lastbit_lang::{Accuracy, Comparison, Format, NodeId, Op, StraightLine, Tie};
use lastbit_real::{Rational, Rounding};

use super::random_inputs::{random_input, random_value};
use super::xorshift::Xorshift;

/// The program of a seed: 3 to 40 nodes of all operations, in either format.
///
/// An interval in doubles, carried along, steers away from most domain errors; once in a while it is ignored, so that refusals
/// are met too.
pub(crate) fn random_program(seed: u64) -> StraightLine {
    let mut rng = Xorshift::new(seed);
    let format = rng.pick(&[Format::Binary64, Format::Binary64, Format::Binary32]);
    let mut generator = Generator {
        program: StraightLine::new(format!("seed {seed}"), format),
        ranges: Vec::new(),
        heedless: rng.once_in(10),
        rng,
    };
    generator.run();
    generator.program
}

/// Points of the program's box.
pub(crate) fn random_points(program: &StraightLine, seed: u64, count: usize) -> Vec<Vec<Rational>> {
    let mut rng = Xorshift::new(seed ^ 0x5eed);
    let mut point =
        || program.inputs.iter().map(|input| random_value(&mut rng, input, program.format)).collect();
    (0..count).map(|_| point()).collect()
}

/// About where the values of a node lie.
#[derive(Clone, Copy)]
struct Rough {
    lo: f64,
    hi: f64,
}

impl Rough {
    fn of(candidates: &[f64]) -> Rough {
        let lo = candidates.iter().copied().fold(f64::INFINITY, f64::min);
        let hi = candidates.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        Rough { lo, hi }
    }

    fn corners(self, other: Rough, op: impl Fn(f64, f64) -> f64) -> Rough {
        Rough::of(&[
            op(self.lo, other.lo),
            op(self.lo, other.hi),
            op(self.hi, other.lo),
            op(self.hi, other.hi),
        ])
    }

    fn has_zero(self) -> bool {
        self.lo <= 0.0 && self.hi >= 0.0
    }
}

struct Generator {
    program: StraightLine,
    ranges: Vec<Rough>,
    heedless: bool,
    rng: Xorshift,
}

impl Generator {
    fn run(&mut self) {
        for i in 0..self.rng.between(1, 4) {
            let input = random_input(&mut self.rng, format!("x{i}"), self.program.format);
            let [lo, hi] = [&input.lo, &input.hi].map(|end| end.to_f64(Rounding::Nearest));
            self.program.input(input, None);
            self.ranges.push(Rough { lo, hi });
        }
        if self.rng.once_in(3) {
            let ulps = ["0.5", "0.75", "1", "2", "3.5"].map(|k| k.parse::<Rational>().expect("a number"));
            self.program.libm.ln = Accuracy::Ulps(self.rng.pick(&ulps));
            self.program.libm.exp = Accuracy::Ulps(self.rng.pick(&ulps));
        }
        let target = self.rng.between(3, 40) as usize;
        // An operation that is not defined on its operands is replaced, and the number of attempts bounded.
        for _ in 0..20 * target {
            if self.program.nodes.len() >= target {
                break;
            }
            let op = self.operation();
            self.push_if_defined(op);
        }
        self.program.result = self.program.nodes.len() - 1;
    }

    /// A node, a recent one more often than not.
    fn node(&mut self) -> NodeId {
        let count = self.program.nodes.len();
        if self.rng.once_in(2) { self.rng.below(count) } else { count - 1 - self.rng.below(count.min(4)) }
    }

    fn operation(&mut self) -> Op {
        let (a, b, c) = (self.node(), self.node(), self.node());
        match self.rng.below(24) {
            0..=2 => Op::Const(self.constant()),
            3 => Op::Neg(a),
            4 => Op::Abs(a),
            5 | 6 => Op::Add(a, b),
            7 | 8 => Op::Sub(a, b),
            9 | 10 => Op::Mul(a, b),
            11 | 12 => Op::Div(a, b),
            13 | 14 => Op::Fma(a, b, c),
            15 => Op::Sqrt(a),
            16 => Op::Ln(a),
            17 => Op::Exp(a),
            18 => Op::Min(a, b),
            19 => Op::Max(a, b),
            20 => Op::Clamp { arg: a, bound: b },
            21 => {
                let Rough { lo, hi } = self.ranges[a];
                let top = lo.abs().max(hi.abs()).log2().clamp(-1100.0, 1100.0) as i64;
                let exponent = top - self.rng.between(-2, 60);
                Op::Round { arg: a, exponent, tie: self.rng.pick(&[Tie::Up, Tie::Even, Tie::Away]) }
            }
            _ => {
                let tests = [Comparison::Less, Comparison::LessOrEqual, Comparison::Equal];
                Op::Select { test: self.rng.pick(&tests), lhs: a, rhs: b, then: c, otherwise: self.node() }
            }
        }
    }

    fn constant(&mut self) -> Rational {
        let decimals = ["0", "1", "-1", "2", "0.1", "-0.3", "3969/625", "1/3", "1e-3", "331.4", "1e6"];
        match self.rng.below(4) {
            0 => Rational::pow2(self.rng.between(-30, 30)),
            1 => {
                let denominator = self.rng.between(1, 1000);
                Rational::new(self.rng.between(-1000, 1000), denominator).expect("not 0")
            }
            2 if self.rng.once_in(4) => {
                Rational::pow2(self.program.format.min_exponent() - self.rng.between(-3, 2))
            }
            _ => self.rng.pick(&decimals).parse().expect("a number"),
        }
    }

    fn push_if_defined(&mut self, op: Op) {
        let rough = self.rough(&op);
        let limit = match self.program.format {
            Format::Binary64 => 1e300,
            Format::Binary32 => 1e37,
        };
        let fits = rough.is_some_and(|Rough { lo, hi }| lo >= -limit && hi <= limit);
        if fits || (self.heedless && self.rng.once_in(5)) {
            self.program.push(op, None);
            self.ranges.push(rough.unwrap_or(Rough { lo: -limit, hi: limit }));
        }
    }

    /// Where the values lie; `None` if the operation is not defined on all operands.
    fn rough(&self, op: &Op) -> Option<Rough> {
        let at = |id: NodeId| self.ranges[id];
        Some(match *op {
            Op::Input(_) => return None,
            Op::Const(ref value) => Rough::of(&[value.to_f64(Rounding::Nearest)]),
            Op::Neg(a) => Rough { lo: -at(a).hi, hi: -at(a).lo },
            Op::Abs(a) if at(a).has_zero() => Rough { lo: 0.0, hi: at(a).hi.max(-at(a).lo) },
            Op::Abs(a) => Rough::of(&[at(a).lo.abs(), at(a).hi.abs()]),
            Op::Add(a, b) => at(a).corners(at(b), |a, b| a + b),
            Op::Sub(a, b) => at(a).corners(at(b), |a, b| a - b),
            Op::Mul(a, b) => at(a).corners(at(b), |a, b| a * b),
            Op::Fma(a, b, c) => at(a).corners(at(b), |a, b| a * b).corners(at(c), |a, b| a + b),
            Op::Div(_, b) if at(b).has_zero() => return None,
            Op::Div(a, b) => at(a).corners(at(b), |a, b| a / b),
            Op::Sqrt(a) if at(a).lo < 0.0 => return None,
            Op::Sqrt(a) => Rough::of(&[at(a).lo.sqrt(), at(a).hi.sqrt()]),
            Op::Ln(a) if at(a).lo <= 0.0 => return None,
            Op::Ln(a) => Rough::of(&[at(a).lo.ln(), at(a).hi.ln()]),
            Op::Exp(a) => Rough::of(&[at(a).lo.exp(), at(a).hi.exp()]),
            Op::Min(a, b) => at(a).corners(at(b), f64::min),
            Op::Max(a, b) => at(a).corners(at(b), f64::max),
            Op::Clamp { bound, .. } if at(bound).lo < 0.0 => return None,
            Op::Clamp { arg, bound } => {
                let bound = at(bound).hi;
                Rough { lo: at(arg).lo.clamp(-bound, bound), hi: at(arg).hi.clamp(-bound, bound) }
            }
            Op::Round { arg, exponent, .. } => {
                let step = Rational::pow2(exponent).to_f64(Rounding::Up);
                Rough { lo: at(arg).lo - step, hi: at(arg).hi + step }
            }
            Op::Select { then, otherwise, .. } => {
                Rough::of(&[at(then).lo, at(then).hi, at(otherwise).lo, at(otherwise).hi])
            }
        })
    }
}

#[test]
fn programs_are_as_described() {
    let mut seen = std::collections::HashSet::new();
    let mut lengths = std::collections::HashSet::new();
    for seed in 0..2_000 {
        let program = random_program(seed);
        assert_eq!(program, random_program(seed), "a seed means one program");
        assert!(program.result < program.nodes.len());
        lengths.insert(program.nodes.len());
        seen.insert(format!("{}", program.format));
        for node in &program.nodes {
            let name = format!("{:?}", node.op);
            seen.insert(name.split(['(', ' ']).next().unwrap_or_default().to_owned());
        }
        for input in &program.inputs {
            assert!(input.lo <= input.hi);
            seen.insert(format!("input {:?}", input.kind));
        }
        for point in random_points(&program, seed, 5) {
            for (value, input) in point.iter().zip(&program.inputs) {
                assert!(*value >= input.lo && *value <= input.hi, "{input:?} {value}");
            }
        }
    }
    assert_eq!(seen.len(), 17 + 2 + 4, "operations, formats and kinds: {seen:?}");
    assert!((3..=40).all(|length| lengths.contains(&length)));
}
