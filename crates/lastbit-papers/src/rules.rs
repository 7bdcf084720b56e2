//! The rules as the papers print them (Figure 1 of *Verifying Snapping Mechanism - Floating Point Implementation Version*), to see where they
//! fail.
//!
//! There `e_R ⇓ e_F, err` has for `err` a pair of numbers, and the soundness theorem says that the float lies between them:
//!
//! | rule | err |
//! |---|---|
//! | CONST, `c = fl(r)` | `(r/(1+η), r(1+η))` |
//! | OP, `*` any of `+ - × ÷` | `((lo₁ * lo₂)/(1+η), (hi₁ * hi₂)(1+η))` |
//! | LN, `e_R >= 1` | `(LN(lo)/(1+η), ln(hi)·(1+η))` |
//! | LN-OP, `e_R < 1` | `(ln(lo)·(1+η), LN(hi)/(1+η))` |
//!
//! where `LN` is the float logarithm, and `η = 2^-53`. Inputs stand for themselves, a negation is a product with -1; nothing else has a rule. The numbers
//! depend on the values, so that a derivation is made at a point.

use lastbit_lang::eval::{EvalError, LibmModel, MachineFloat, eval_float_nodes, eval_real_nodes};
use lastbit_lang::{Format, InputKind, NodeId, Op, StraightLine};
use lastbit_prove::derivation::rule;
use lastbit_prove::nearest_float;
use lastbit_real::{Dyadic, Enclosure, Float, Rational, Rounding};
use thiserror::Error;

/// Working bits: the numbers compared differ in bits far above this, or not at all.
const BITS: u32 = 2400;

/// `e_R ⇓ e_F, (lo, hi)` at a point.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PaperJudgement {
    /// The name of the rule, as the papers have it.
    pub rule: &'static str,
    /// The real value.
    pub real: Enclosure,
    /// The value that the machine computes.
    pub float: Dyadic,
    /// The ends of `err`.
    pub err: [Enclosure; 2],
}

impl PaperJudgement {
    /// Whether the float lies in `err`, as the papers' soundness theorem says.
    pub fn holds(&self) -> bool {
        let [lo, hi] = &self.err;
        *lo.lo() <= self.float && self.float <= *hi.hi()
    }
}

/// The reason that the papers' rules give nothing.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum NoPaperRule {
    /// The operation has none.
    #[error("the papers have no rule for {rule} (node {node})")]
    Operation {
        /// The node.
        node: NodeId,
        /// Our rule.
        rule: &'static str,
    },
    /// The rule divides by 0, or takes the logarithm of a number that is not positive.
    #[error("the papers' rule for node {node} is not defined at these values")]
    Undefined {
        /// The node.
        node: NodeId,
    },
    /// One of the readings has no value there.
    #[error(transparent)]
    Eval(#[from] EvalError),
}

/// The papers' derivation at a point, one judgement a node.
pub fn derive(program: &StraightLine, inputs: &[Rational]) -> Result<Vec<PaperJudgement>, NoPaperRule> {
    let reals = eval_real_nodes(program, inputs, BITS)?.into_iter().collect::<Result<Vec<_>, _>>()?;
    let floats = match program.format {
        Format::Binary64 => floats::<f64>(program, inputs)?,
        Format::Binary32 => floats::<f32>(program, inputs)?,
    };
    let eta = Enclosure::exact(&Dyadic::ONE + &Dyadic::pow2(-program.format.precision()));
    let mut judgements: Vec<PaperJudgement> = Vec::with_capacity(reals.len());
    for (id, (real, float)) in reals.into_iter().zip(floats).enumerate() {
        let real = real.enclosure(BITS);
        let (rule, err) = err(program, id, &real, &judgements, &eta)?;
        let err = err.map(|end| end.round(BITS));
        judgements.push(PaperJudgement { rule, real, float, err });
    }
    Ok(judgements)
}

fn floats<F: MachineFloat>(program: &StraightLine, inputs: &[Rational]) -> Result<Vec<Dyadic>, NoPaperRule> {
    let values = eval_float_nodes::<F>(program, inputs, LibmModel::Nearest)?;
    let exact = |value: Result<F, EvalError>| {
        value.map(|value| value.to_dyadic().expect("the evaluator gives finite values"))
    };
    Ok(values.into_iter().map(exact).collect::<Result<_, _>>()?)
}

/// The rule of a node, and its `err`.
fn err(
    program: &StraightLine,
    id: NodeId,
    real: &Enclosure,
    known: &[PaperJudgement],
    one_plus_eta: &Enclosure,
) -> Result<(&'static str, [Enclosure; 2]), NoPaperRule> {
    let undefined = || NoPaperRule::Undefined { node: id };
    let shrink = |x: &Enclosure| x.div(one_plus_eta, BITS).expect("1 + η is not 0");
    let grow = |x: &Enclosure| x * one_plus_eta;
    let rounded = |[lo, hi]: [Enclosure; 2]| [shrink(&lo), grow(&hi)];
    let both = |a: NodeId, b: NodeId, op: fn(&Enclosure, &Enclosure) -> Enclosure| {
        let ([lo1, hi1], [lo2, hi2]) = (&known[a].err, &known[b].err);
        rounded([op(lo1, lo2), op(hi1, hi2)])
    };
    let node = &program.nodes[id];
    Ok(match node.op {
        Op::Input(i) if program.inputs[i].kind == InputKind::Real => {
            ("CONST", rounded([real.clone(), real.clone()]))
        }
        Op::Input(_) => ("VAR", [real.clone(), real.clone()]),
        Op::Const(_) => ("CONST", rounded([real.clone(), real.clone()])),
        Op::Neg(a) => ("OP", rounded(known[a].err.clone().map(|end| -&end))),
        Op::Add(a, b) => ("OP", both(a, b, |a, b| a + b)),
        Op::Sub(a, b) => ("OP", both(a, b, |a, b| a - b)),
        Op::Mul(a, b) => ("OP", both(a, b, |a, b| a * b)),
        Op::Div(a, b) => {
            let ([lo1, hi1], [lo2, hi2]) = (&known[a].err, &known[b].err);
            let lo = lo1.div(lo2, BITS).ok_or_else(undefined)?;
            let hi = hi1.div(hi2, BITS).ok_or_else(undefined)?;
            ("OP", rounded([lo, hi]))
        }
        Op::Ln(a) => {
            let [lo, hi] = &known[a].err;
            let ln = |x: &Enclosure| x.ln(BITS).map_err(|_| undefined());
            if *known[a].real.lo() >= Dyadic::ONE {
                ("LN", [shrink(&float_ln(&ln(lo)?, program.format)), grow(&ln(hi)?)])
            } else {
                ("LN-OP", [grow(&ln(lo)?), shrink(&float_ln(&ln(hi)?, program.format))])
            }
        }
        ref op => return Err(NoPaperRule::Operation { node: id, rule: rule(op) }),
    })
}

/// `LN`: the float nearest to a logarithm.
fn float_ln(ln: &Enclosure, format: Format) -> Enclosure {
    Enclosure::exact(nearest_float(ln.lo(), format).expect("a logarithm is small"))
}

/// A point at which the papers' soundness theorem fails, and the first node that shows it. Looks at the corners of the inputs' box, and at points
/// spread over it.
pub fn counterexample(
    program: &StraightLine,
    points: usize,
) -> Result<Option<(Vec<Rational>, NodeId)>, NoPaperRule> {
    let mut state: u64 = 0x9e37_79b9_7f4a_7c15;
    let mut random = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    };
    for point in 0..points {
        let value = |(i, input): (usize, &lastbit_lang::Input)| {
            let corner = (point >> i.min(63)) & 1 == 1;
            let whole = input.kind == InputKind::Sign || point < 1 << program.inputs.len().min(8);
            let parts = if whole { u64::from(corner) << 53 } else { random() >> 11 };
            let share = Rational::from(parts) * Rational::pow2(-53);
            let inside = &input.lo + (&input.hi - &input.lo) * share;
            match input.kind {
                InputKind::Integer => Rational::from(inside.floor()),
                InputKind::Float => match program.format {
                    Format::Binary64 => inside_float::<f64>(&inside, input),
                    Format::Binary32 => inside_float::<f32>(&inside, input),
                },
                _ => inside,
            }
        };
        let inputs: Vec<Rational> = program.inputs.iter().enumerate().map(value).collect();
        match derive(program, &inputs) {
            Ok(judgements) => {
                if let Some(node) = judgements.iter().position(|judgement| !judgement.holds()) {
                    return Ok(Some((inputs, node)));
                }
            }
            Err(error @ NoPaperRule::Operation { .. }) => return Err(error),
            Err(_) => {}
        }
    }
    Ok(None)
}

/// A float near `x`, inside the range if there is one.
fn inside_float<F: Float>(x: &Rational, input: &lastbit_lang::Input) -> Rational {
    let exact = |rounding| F::from_rational(x, rounding).to_dyadic().ok().map(|x| Rational::from(&x));
    let candidates = [Rounding::Nearest, Rounding::Down, Rounding::Up].map(exact);
    let inside = candidates.into_iter().flatten().find(|x| input.lo <= *x && *x <= input.hi);
    inside.unwrap_or_else(|| x.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use lastbit_lang::fpcore;
    use lastbit_prove::derivation::Derivation;
    use lastbit_prove::whole_box;

    fn program(text: &str) -> StraightLine {
        fpcore::read(text).remove(0).expect("a good program")
    }

    /// The first node at which the papers' theorem fails, where our rules hold.
    fn fails_at(text: &str, inputs: &[&str]) -> Option<NodeId> {
        let program = program(text);
        let inputs: Vec<Rational> = inputs.iter().map(|x| x.parse().expect("a number")).collect();
        let judgements = derive(&program, &inputs).expect("the papers have a rule");
        let ours = Derivation::new(&program, whole_box(&program).expect("a box"));
        for (id, theirs) in judgements.iter().enumerate() {
            let our = ours.judgement(id).expect("a judgement");
            let off = &Enclosure::exact(theirs.float.clone()) - &theirs.real;
            assert!(*off.abs().lo() <= our.error, "node {id}");
        }
        judgements.iter().position(|judgement| !judgement.holds())
    }

    #[test]
    fn a_sum_of_positive_numbers_is_fine() {
        assert_eq!(
            fails_at("(FPCore (x y) :pre (and (<= 1 x 2) (<= 1 y 2)) (* 0.1 (+ x y)))", &["1", "1.5"]),
            None
        );
        assert_eq!(fails_at("(FPCore (u) :pre (<= 0.1 u 0.9) (/ (log u) 4))", &["0.5"]), None);
    }

    #[test]
    fn a_difference_loses_the_relative_error() {
        // r1 = 1 + 0.9·2^-53 and r2 = 1 + 1.1·2^-53: the machine has -2^-52, the rule allows about -0.2·2^-53.
        let r1 = format!("{}", Rational::ONE + Rational::new(9, 10).expect("10 > 0") * Rational::pow2(-53));
        let r2 = format!("{}", Rational::ONE + Rational::new(11, 10).expect("10 > 0") * Rational::pow2(-53));
        assert_eq!(fails_at(&format!("(FPCore () (- {r1} {r2}))"), &[]), Some(2));
    }

    #[test]
    fn a_negative_constant_has_an_empty_interval() {
        assert_eq!(fails_at("(FPCore () -0.1)", &[]), Some(0));
        let judgement = &derive(&program("(FPCore () -0.1)"), &[]).expect("a rule")[0];
        assert!(judgement.err[0].lo() > judgement.err[1].hi());
    }

    #[test]
    fn underflow_is_not_relative() {
        let tiny = |n: i64| format!("{}", Rational::new(n, 2).expect("2 > 0") * Rational::pow2(-1075));
        assert_eq!(fails_at(&format!("(FPCore () {})", tiny(2)), &[]), Some(0)); // 2^-1075 becomes 0
        assert_eq!(fails_at(&format!("(FPCore () {})", tiny(3)), &[]), Some(0)); // 1.5·2^-1075 becomes 2^-1074
        let square = "(FPCore (x) :pre (<= 1e-170 x 1e-160) (* x x))";
        let x = Rational::from(&Dyadic::try_from(1e-165).expect("finite")).to_string();
        assert_eq!(fails_at(square, &[&x]), Some(1));
    }

    #[test]
    fn a_product_with_a_negative_number_turns_the_interval_around() {
        let text = "(FPCore (x) :pre (<= -2 x -1) (* x 0.3))";
        assert_eq!(fails_at(text, &["-1.5"]), Some(2));
    }

    #[test]
    fn a_quotient_takes_the_wrong_ends() {
        assert_eq!(fails_at("(FPCore (x) :pre (<= 1 x 1) (/ x (* 0.1 0.1)))", &["1"]), Some(4));
    }

    #[test]
    fn a_logarithm_next_to_1_changes_sides() {
        // A premise with e_R = 1 and e_F = 1 - 2^-53 in a tight err: the float logarithm is -2^-53, and the rule's lower end above it.
        let program = program("(FPCore (x) :pre (<= 1 x 1) (log x))");
        let [one, below] = [Dyadic::ONE, &Dyadic::ONE - &Dyadic::pow2(-53)].map(Enclosure::exact);
        let premise = PaperJudgement {
            rule: "OP",
            real: one.clone(),
            float: below.lo().clone(),
            err: [below, one.clone()],
        };
        assert!(premise.holds());
        let eta = Enclosure::exact(&Dyadic::ONE + &Dyadic::pow2(-53));
        let (rule, [lo, _]) =
            err(&program, 1, &Enclosure::exact(Dyadic::ZERO), &[premise], &eta).expect("a rule");
        assert_eq!(rule, "LN");
        let float = lastbit_real::ln_f64(1.0 - f64::EPSILON / 2.0).to_dyadic().expect("finite");
        assert!(float < *lo.lo());
    }

    #[test]
    fn the_search_finds_a_failure_and_says_when_it_can_not() {
        let bad = program("(FPCore (x y) :pre (and (<= 1 x 2) (<= 1 y 2)) (- (* x y) 2))");
        let (inputs, node) = counterexample(&bad, 200).expect("rules").expect("a failure");
        assert!(!derive(&bad, &inputs).expect("rules")[node].holds());
        let good = program("(FPCore (x y) :pre (and (<= 1 x 2) (<= 1 y 2)) (+ x y))");
        assert_eq!(counterexample(&good, 200), Ok(None));
        let none = program("(FPCore (x) :pre (<= 1 x 2) (sqrt x))");
        assert_eq!(counterexample(&none, 200), Err(NoPaperRule::Operation { node: 1, rule: "SQRT" }));
    }
}
