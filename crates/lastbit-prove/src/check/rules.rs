//! The rules, one function for each line of the table in `docs/semantics.md`; those of operations that never round are in
//! [`super::exact`], those of library functions in [`super::library`].

use lastbit_lang::{InputKind, NodeId, Op, StraightLine};
use lastbit_real::{Dyadic, Enclosure, IBig, Rational};

use super::exact::{choice, clamp, compare, larger, maximum, minimum, round};
use super::judgement::{Given, Judgement, Refusal, Rounds, conclude, judge};
use super::library;
use super::numbers::{
    Arithmetic, has_zero, max_abs, min_abs, outward, outward_quotient, outward_rationals, outward_root, up,
    up_quotient, up_rational, up_root,
};

pub(super) type Rule = Result<Judgement, Refusal>;

/// The judgement of a node, from those of earlier ones and from the ranges of the inputs.
pub(super) fn derive(
    program: &StraightLine,
    id: NodeId,
    earlier: &[Option<Judgement>],
    ranges: &[Enclosure],
) -> Rule {
    let arithmetic = Arithmetic(program.format);
    let of = |id: NodeId| -> Result<&Judgement, Refusal> {
        earlier.get(id).and_then(Option::as_ref).ok_or("an operand is refused")
    };
    // The `k` of an operand that is exactly known to be `±2^k`; that of a sign is 0.
    let power = |id: NodeId| match program.nodes[id].op {
        Op::Input(i) if program.inputs[i].kind == InputKind::Sign => Some(0),
        _ => earlier.get(id)?.as_ref()?.known().and_then(power_of_two),
    };
    match &program.nodes[id].op {
        Op::Input(i) => variable(arithmetic, program.inputs[*i].kind, &ranges[*i]),
        Op::Const(value) => constant(arithmetic, value),
        Op::Neg(a) => Ok(of(*a)?.negated()),
        Op::Abs(a) => Ok(absolute(of(*a)?)),
        Op::Add(a, b) => sum(arithmetic, of(*a)?, of(*b)?),
        Op::Sub(a, b) => sum(arithmetic, of(*a)?, &of(*b)?.negated()),
        Op::Mul(a, b) if a == b => square(arithmetic, of(*a)?),
        Op::Mul(a, b) => product(arithmetic, of(*a)?, of(*b)?, power(*a).or(power(*b))),
        Op::Div(a, b) => quotient(arithmetic, of(*a)?, of(*b)?),
        Op::Fma(a, b, c) => fused(arithmetic, a == b, of(*a)?, of(*b)?, of(*c)?),
        Op::Sqrt(a) => root(arithmetic, of(*a)?),
        Op::Ln(a) => library::ln(arithmetic, &program.libm.ln, of(*a)?),
        Op::Exp(a) => library::exp(arithmetic, &program.libm.exp, of(*a)?),
        Op::Min(a, b) => Ok(minimum(of(*a)?, of(*b)?)),
        Op::Max(a, b) => Ok(maximum(of(*a)?, of(*b)?)),
        Op::Clamp { arg, bound } => clamp(of(*arg)?, of(*bound)?),
        Op::Round { arg, exponent, tie } => round(arithmetic, of(*arg)?, *exponent, *tie),
        Op::Select { test, lhs, rhs, then, otherwise } => {
            let (lhs, rhs) = (of(*lhs)?, of(*rhs)?);
            // A branch that is never taken may be refused.
            match compare(*test, &lhs.domain(), &rhs.domain()) {
                Some(true) => Ok(of(*then)?.taken_over()),
                Some(false) => Ok(of(*otherwise)?.taken_over()),
                None => Ok(choice(lhs.is_exact() && rhs.is_exact(), of(*then)?, of(*otherwise)?)),
            }
        }
    }
}

/// VAR. The ends of the range are values of the input: [`super::tree`] has seen to that.
fn variable(arithmetic: Arithmetic, kind: InputKind, range: &Enclosure) -> Rule {
    match kind {
        InputKind::Real => {
            let real = outward(range);
            let (values, relative) = (real.clone(), Some(Dyadic::ZERO));
            judge(arithmetic, Given { real, values, x: Dyadic::ZERO, relative, rounds: Rounds::Any })
        }
        InputKind::Integer if max_abs(range) > Dyadic::pow2(arithmetic.0.precision()) => {
            Err("the format does not have all integers of the range")
        }
        InputKind::Float | InputKind::Sign | InputKind::Integer => Ok(Judgement::exact(range.clone())),
    }
}

/// CONST
fn constant(arithmetic: Arithmetic, value: &Rational) -> Rule {
    let float = arithmetic.nearest_rational(value).ok_or("the constant overflows")?;
    let real = outward_rationals(value, value).ok_or("a number is itself")?;
    let p = up_rational(&(Rational::from(&float) - value).abs());
    conclude(real, Dyadic::ZERO, p, None, Some(Enclosure::exact(float)))
}

/// ABS
fn absolute(a: &Judgement) -> Judgement {
    Judgement { real: a.real.abs(), float: a.float.abs(), ..a.taken_over() }
}

/// ADD; SUB is that with the second operand negated.
fn sum(arithmetic: Arithmetic, a: &Judgement, b: &Judgement) -> Rule {
    match (a.known(), b.known()) {
        (Some(zero), _) if zero.is_zero() => return Ok(b.taken_over()),
        (_, Some(zero)) if zero.is_zero() => return Ok(a.taken_over()),
        _ => {}
    }
    let x = up(&(&a.d + &b.d));
    let signs = [&a.real, &b.real];
    let relative = if x.is_zero() {
        Some(Dyadic::ZERO)
    } else if signs.iter().all(|r| !r.lo().is_negative()) || signs.iter().all(|r| r.hi().signum() <= 0) {
        larger(a.relative.as_ref(), b.relative.as_ref())
    } else {
        None
    };
    let rounds = if sterbenz(&a.float, &-&b.float) { Rounds::Exactly } else { Rounds::SumOrRoot };
    let (real, values) = (outward(&(&a.real + &b.real)), &a.float + &b.float);
    judge(arithmetic, Given { real, values, x, relative, rounds })
}

/// Sterbenz' lemma: whether all floats of `a` and `b` have one sign and are within a factor of 2, so that differences are exact.
fn sterbenz(a: &Enclosure, b: &Enclosure) -> bool {
    let of_positive = |a: &Enclosure, b: &Enclosure| {
        a.lo().signum() > 0 && b.lo().signum() > 0 && *a.hi() <= b.lo().shl(1) && *b.hi() <= a.lo().shl(1)
    };
    of_positive(a, b) || of_positive(&-a, &-b)
}

/// `max|R₁|·d₂ + max|R₂|·d₁ + d₁·d₂`
fn product_error(a: &Judgement, b: &Judgement) -> Dyadic {
    max_abs(&a.real) * &b.d + max_abs(&b.real) * &a.d + &a.d * &b.d
}

/// `ρ₁ + ρ₂ + ρ₁·ρ₂`
fn product_relative(a: &Judgement, b: &Judgement) -> Option<Dyadic> {
    let (a, b) = (a.relative.as_ref()?, b.relative.as_ref()?);
    Some(a + b + a * b)
}

/// MUL of a node with itself.
fn square(arithmetic: Arithmetic, a: &Judgement) -> Rule {
    let (real, float) = (a.real.abs(), a.float.abs());
    let (real, values) = (outward(&(&real * &real)), &float * &float);
    let (x, relative) = (up(&product_error(a, a)), product_relative(a, a));
    judge(arithmetic, Given { real, values, x, relative, rounds: Rounds::Any })
}

/// MUL of two nodes; `power`: one of them is `±2^k`.
fn product(arithmetic: Arithmetic, a: &Judgement, b: &Judgement, power: Option<i64>) -> Rule {
    let rounds = match power {
        Some(k) if k < 0 => Rounds::Scaling,
        Some(_) => Rounds::Exactly,
        None => Rounds::Any,
    };
    let (real, values) = (outward(&(&a.real * &b.real)), &a.float * &b.float);
    let (x, relative) = (up(&product_error(a, b)), product_relative(a, b));
    judge(arithmetic, Given { real, values, x, relative, rounds })
}

/// The `k` of `±2^k`.
fn power_of_two(value: &Dyadic) -> Option<i64> {
    (*value.abs().mantissa() == IBig::ONE).then(|| value.exponent())
}

/// DIV
fn quotient(arithmetic: Arithmetic, a: &Judgement, b: &Judgement) -> Rule {
    const BY_ZERO: Refusal = "the divisor may be 0";
    if has_zero(&b.domain()) {
        return Err(BY_ZERO);
    }
    let real = outward_quotient(&a.real, &b.real).ok_or(BY_ZERO)?;
    let values = outward_quotient(&a.float, &b.float).ok_or(BY_ZERO)?;
    let x = up_quotient(&(&a.d + &(max_abs(&real) * &b.d)), &min_abs(&b.float));
    let relative = if x.is_zero() { Some(Dyadic::ZERO) } else { quotient_relative(a, b) };
    let rounds = match b.known().and_then(power_of_two) {
        Some(k) if k <= 0 => Rounds::Exactly,
        Some(_) => Rounds::Scaling,
        None => Rounds::Any,
    };
    judge(arithmetic, Given { real, values, x, relative, rounds })
}

/// `(ρ₁ + ρ₂)(1 + 2ρ₂)` if `ρ₂ <= 1/2`
fn quotient_relative(a: &Judgement, b: &Judgement) -> Option<Dyadic> {
    let (a, b) = (a.relative.as_ref()?, b.relative.as_ref()?);
    (*b <= Dyadic::pow2(-1)).then(|| (a + b) * (&Dyadic::ONE + &b.shl(1)))
}

/// FMA; the product of a node with itself is a square here too.
fn fused(arithmetic: Arithmetic, is_square: bool, a: &Judgement, b: &Judgement, c: &Judgement) -> Rule {
    let product = |a: &Enclosure, b: &Enclosure| if is_square { &a.abs() * &a.abs() } else { a * b };
    let real = outward(&(&product(&a.real, &b.real) + &c.real));
    let values = &product(&a.float, &b.float) + &c.float;
    let x = up(&(product_error(a, b) + &c.d));
    let relative = x.is_zero().then_some(Dyadic::ZERO);
    judge(arithmetic, Given { real, values, x, relative, rounds: Rounds::Any })
}

/// SQRT
fn root(arithmetic: Arithmetic, a: &Judgement) -> Rule {
    const NEGATIVE: Refusal = "the argument may be negative";
    let real = outward_root(&a.real).ok_or(NEGATIVE)?;
    let values = outward_root(&a.float).ok_or(NEGATIVE)?;
    let divisor = real.lo() + values.lo();
    let x = match (a.is_exact(), divisor.is_zero()) {
        (true, _) => Dyadic::ZERO,
        (false, true) => up_root(&a.d),
        (false, false) => up_quotient(&a.d, &divisor),
    };
    let relative = a.relative.as_ref().map(|relative| (relative * &(&Dyadic::ONE + relative)).shl(-1));
    judge(arithmetic, Given { real, values, x, relative, rounds: Rounds::SumOrRoot })
}
