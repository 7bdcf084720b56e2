//! Signed zeros: small programs in binary32 that give both, audited in every way, against all samples run by an interpreter of the
//! test's own. Outputs are counted by their bits.

use std::collections::BTreeMap;
use std::fmt;

use lastbit_lang::{Bindings, Format, parse};
use lastbit_real::{IBig, Rational};

use super::super::claim::Target;
use super::super::error::ProgramError;
use super::super::number::{Library, Number};
use super::super::options::{Limits, Options};
use super::super::prepare::Program;
use super::super::{Method, Neighbours, ProgramOutcome, ProgramReport, Setup};
use super::random::Random;
use crate::Sampler;

/// An expression: the language reads its text, the test its meaning.
enum Term {
    Uniform,
    Sign,
    Input,
    /// With a point: numbers without one are integers until they meet a float.
    Number(&'static str),
    Negated(Box<Term>),
    Absolute(Box<Term>),
    Root(Box<Term>),
    Binary(Binary, Box<[Term; 2]>),
    Fused(Box<[Term; 3]>),
    Rounded(Box<Term>, i32, &'static str),
    Choice(&'static str, Box<[Term; 4]>),
}

#[derive(Clone, Copy)]
enum Binary {
    Sum,
    Difference,
    Product,
    Quotient,
    Minimum,
    Maximum,
    Clamped,
}

impl fmt::Display for Term {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Term::Uniform => f.write_str("u"),
            Term::Sign => f.write_str("s"),
            Term::Input => f.write_str("x"),
            Term::Number(text) => f.write_str(text),
            Term::Negated(a) => write!(f, "(-{a})"),
            Term::Absolute(a) => write!(f, "abs({a})"),
            Term::Root(a) => write!(f, "sqrt({a})"),
            Term::Binary(op, pair) => {
                let [a, b] = &**pair;
                match op {
                    Binary::Sum => write!(f, "({a} + {b})"),
                    Binary::Difference => write!(f, "({a} - {b})"),
                    Binary::Product => write!(f, "({a} * {b})"),
                    Binary::Quotient => write!(f, "({a} / {b})"),
                    Binary::Minimum => write!(f, "min({a}, {b})"),
                    Binary::Maximum => write!(f, "max({a}, {b})"),
                    Binary::Clamped => write!(f, "clamp({a}, {b})"),
                }
            }
            Term::Fused(three) => write!(f, "fma({}, {}, {})", three[0], three[1], three[2]),
            Term::Rounded(a, exponent, tie) => write!(f, "round({a}, 2^{exponent}, {tie})"),
            Term::Choice(test, four) => {
                let [a, b, then, otherwise] = &**four;
                write!(f, "(if {a} {test} {b} {{ {then} }} else {{ {otherwise} }})")
            }
        }
    }
}

impl Term {
    /// The value; `None` if there is none.
    fn value(&self, [u, s, x]: [f32; 3]) -> Option<f32> {
        let at = [u, s, x];
        let value = match self {
            Term::Uniform => u,
            Term::Sign => s,
            Term::Input => x,
            Term::Number(text) => text.parse().ok()?,
            Term::Negated(a) => f32::from_bits(a.value(at)?.to_bits() ^ 1 << 31),
            Term::Absolute(a) => f32::from_bits(a.value(at)?.to_bits() & !(1 << 31)),
            Term::Root(a) => a.value(at).filter(|a| *a >= 0.0)?.sqrt(),
            Term::Binary(op, pair) => {
                let [a, b] = [pair[0].value(at)?, pair[1].value(at)?];
                let is_less = a.total_cmp(&b).is_lt();
                match op {
                    Binary::Sum => a + b,
                    Binary::Difference => a - b,
                    Binary::Product => a * b,
                    Binary::Quotient if b == 0.0 => return None,
                    Binary::Quotient => a / b,
                    Binary::Minimum => {
                        if is_less {
                            a
                        } else {
                            b
                        }
                    }
                    Binary::Maximum => {
                        if is_less {
                            b
                        } else {
                            a
                        }
                    }
                    Binary::Clamped if b < 0.0 => return None,
                    Binary::Clamped => a.clamp(-b.abs(), b.abs()),
                }
            }
            Term::Fused(three) => three[0].value(at)?.mul_add(three[1].value(at)?, three[2].value(at)?),
            Term::Rounded(a, exponent, tie) => {
                let step = 2f64.powi(*exponent);
                let cells = f64::from(a.value(at)?) / step;
                let nearest = match *tie {
                    "up" => (cells + 0.5).floor(),
                    "even" => cells.round_ties_even(),
                    _ => cells.round(),
                };
                (nearest * step + 0.0) as f32
            }
            Term::Choice(test, four) => {
                let [a, b] = [four[0].value(at)?, four[1].value(at)?];
                let holds = match *test {
                    "<" => a < b,
                    "<=" => a <= b,
                    ">" => a > b,
                    _ => a == b,
                };
                four[if holds { 2 } else { 3 }].value(at)?
            }
        };
        value.is_finite().then_some(value)
    }

    fn random(random: &mut Random, depth: u32) -> Term {
        if depth == 0 || random.below(6) == 0 {
            return match random.below(9) {
                0..=2 => Term::Uniform,
                3 => Term::Sign,
                4 | 5 => Term::Input,
                // 1e-30 underflows in products, and 1e-45 is the least float.
                _ => Term::Number(random.pick(&["0.0", "0.0", "0.5", "1.0", "1e-30", "1e-45"])),
            };
        }
        let term = |random: &mut Random| Term::random(random, depth - 1);
        match random.below(15) {
            0 | 1 => Term::Negated(term(random).into()),
            2 => Term::Absolute(term(random).into()),
            3 => Term::Root(term(random).into()),
            4 => Term::Fused([term(random), term(random), term(random)].into()),
            5 => Term::Rounded(
                term(random).into(),
                random.below(5) as i32 - 4,
                random.pick(&["up", "even", "away"]),
            ),
            6 => {
                let test = random.pick(&["<", "<=", ">", "="]);
                Term::Choice(test, [term(random), term(random), term(random), term(random)].into())
            }
            _ => {
                use Binary::{Clamped, Difference, Maximum, Minimum, Product, Quotient, Sum};
                let ops = [Sum, Difference, Product, Product, Product, Quotient, Minimum, Maximum, Clamped];
                Term::Binary(random.pick(&ops), [term(random), term(random)].into())
            }
        }
    }
}

const SAMPLER: Sampler = Sampler::Grid8;

/// How often each output comes out on the two inputs, by its place; `None` if a run has no value.
fn counted(term: &Term, inputs: [f32; 2]) -> Option<BTreeMap<i64, [u64; 2]>> {
    let mut counts = BTreeMap::<i64, [u64; 2]>::new();
    for (input, x) in inputs.into_iter().enumerate() {
        for number in 1..SAMPLER.end() {
            for s in [1.0, -1.0] {
                let output = term.value([SAMPLER.value(number) as f32, s, x])?;
                // By the bits, without the help of what is tested.
                let magnitude = i64::from(output.to_bits() & !(1 << 31));
                let place = if output.is_sign_negative() { -1 - magnitude } else { magnitude };
                counts.entry(place).or_default()[input] += 1;
            }
        }
    }
    Some(counts)
}

fn audited(term: &Term, inputs: [f32; 2], options: &Options<'_>) -> Result<ProgramReport, ProgramError> {
    let text = format!("mechanism m(x: f32) -> f32 {{ u <$ unif(0,1); s <$ sign; return {term}; }}");
    let (file, messages) = parse(&text);
    assert_eq!(messages, [], "{text}");
    let values = inputs.map(|x| [("x".to_owned(), Rational::try_from(f64::from(x)).expect("finite"))].into());
    let program = |i: usize| Program::new(&file, None, &Bindings::default(), &values[i]);
    let programs = [program(0)?, program(1)?];
    let library = options.library.unwrap_or_default();
    let target = Target::at(Rational::ZERO);
    let neighbours = Neighbours::Undecided;
    let notes = Vec::new();
    let setup = Setup { format: Format::Binary32, sampler: SAMPLER, library, target, neighbours, notes };
    setup.run::<f32>(&programs, options)
}

/// What the ways to an audit have in common with counting, and how many programs each of them did.
#[derive(Default)]
struct Seen {
    monotone: u32,
    both_zeros: u32,
    exhaustive: u32,
    witness: u32,
}

impl Seen {
    fn add(&mut self, term: &Term, inputs: [f32; 2]) {
        let Some(counts) = counted(term, inputs) else { return };
        let listing = |limits| Options { listed: usize::MAX, limits, ..Options::default() };
        let bisection = Limits { samples: 0, ..Limits::default() };
        let some = Limits { samples: 0, outputs: 0, ..Limits::default() };
        let ways = [
            (Method::Monotone, listing(bisection)),
            (Method::Witness, listing(some)),
            // Nothing is taken for granted of this library, so that all samples are run; the programs do not call it.
            (Method::Exhaustive, Options { library: Some(Library::Std), ..listing(Limits::default()) }),
        ];
        for (method, options) in ways {
            let report = match audited(term, inputs, &options) {
                Ok(report) => report,
                Err(ProgramError::NotMonotone { .. }) if method != Method::Exhaustive => continue,
                Err(error) => panic!("{term} on {inputs:?}: {error}"),
            };
            assert_eq!(report.method, method, "{term} on {inputs:?}");
            let place = |output: f64| (output as f32).place();
            // A sign that does not matter is not drawn.
            let all = IBig::from(2 * (SAMPLER.end() - 1));
            let times = all / report.comparison.total();
            let weights = |outcome: &ProgramOutcome| outcome.weights.each_ref().map(|weight| weight * &times);
            let found: BTreeMap<i64, [IBig; 2]> =
                report.outcomes.iter().map(|outcome| (place(outcome.output), weights(outcome))).collect();
            let expected: BTreeMap<i64, [IBig; 2]> = counts
                .iter()
                .filter(|(place, _)| method != Method::Witness || found.contains_key(place))
                .map(|(place, counts)| (*place, counts.map(IBig::from)))
                .collect();
            assert_eq!(found, expected, "{method:?}: {term} on {inputs:?}");
            assert_eq!(report.comparison.outputs(), expected.len() as u64);
            match method {
                Method::Monotone => {
                    self.monotone += 1;
                    self.both_zeros += u32::from([-1, 0].iter().all(|zero| found.contains_key(zero)));
                }
                Method::Exhaustive => self.exhaustive += 1,
                Method::Witness => self.witness += 1,
            }
        }
    }
}

#[test]
fn zeros_of_both_signs_are_counted() {
    let pairs = [[-1.0, 1.0], [0.0, 0.5], [-0.25, 0.25], [0.0, -1e-40], [1e-30, -1e-30]];
    let mut seen = Seen::default();
    for seed in 0..1_500 {
        let mut random = Random::new(seed);
        let term = Term::random(&mut random, 3);
        seen.add(&term, random.pick(&pairs));
    }
    let Seen { monotone, both_zeros, exhaustive, witness } = seen;
    assert!(monotone > 500 && witness == monotone, "{monotone} {witness}");
    assert!(both_zeros > 25 && exhaustive > 750, "{both_zeros} {exhaustive}");
}

/// What is likely to be wrong, by name.
#[test]
fn zeros_by_name() {
    use Term::{Input, Number, Sign, Uniform};
    let binary = |op, a, b| Term::Binary(op, [a, b].into());
    let product = |a, b| binary(Binary::Product, a, b);
    let minus = |a: Term| Term::Negated(a.into());
    let tiny = || Number("1e-30");
    let rounded = |a: Term| Term::Rounded(a.into(), 0, "even");
    let centred = || binary(Binary::Difference, Uniform, Number("0.5"));
    let choice = |test, a, b, c, d| Term::Choice(test, [a, b, c, d].into());
    let programs = [
        product(Number("0.0"), Input),
        product(minus(Number("0.0")), centred()),
        product(product(tiny(), tiny()), centred()),
        binary(Binary::Difference, Input, Input),
        minus(binary(Binary::Difference, Input, Input)),
        minus(rounded(product(Number("0.5"), centred()))),
        rounded(product(Sign, product(tiny(), Uniform))),
        binary(Binary::Clamped, centred(), Number("0.0")),
        binary(Binary::Clamped, product(Number("0.0"), Input), Uniform),
        binary(Binary::Minimum, product(Number("0.0"), Input), Number("0.0")),
        binary(Binary::Maximum, product(Number("0.0"), Input), minus(Number("0.0"))),
        binary(Binary::Minimum, Uniform, minus(Number("0.0"))),
        Term::Root(product(Number("0.0"), Input).into()),
        Term::Absolute(product(Number("0.0"), centred()).into()),
        Term::Fused([tiny(), product(tiny(), centred()), minus(Number("0.0"))].into()),
        // The zeros are equal to a condition, and the branch keeps its sign.
        choice("=", product(Number("0.0"), Input), Number("0.0"), product(Number("0.0"), Input), Uniform),
        choice("<", centred(), minus(Number("0.0")), Number("0.0"), minus(Number("0.0"))),
        choice("<", centred(), Number("0.0"), minus(Number("0.0")), Number("0.0")),
    ];
    let mut seen = Seen::default();
    for program in &programs {
        for inputs in [[-1.0, 1.0], [0.0, -0.5]] {
            seen.add(program, inputs);
        }
    }
    assert_eq!(seen.exhaustive, 2 * programs.len() as u32);
}
