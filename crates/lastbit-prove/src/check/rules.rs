//! The rules, one function beside its line of the table in `docs/semantics.md`.

use lastbit_lang::{Comparison, InputKind, NodeId, Op, StraightLine, Tie};
use lastbit_real::{Dyadic, Enclosure, IBig, Rational};

use super::judgement::{Given, Judgement, Refusal, Rounds, conclude, judge};
use super::library;
use super::numbers::{
    Arithmetic, farthest, has_zero, max_abs, min_abs, outward, outward_quotient, outward_rationals,
    outward_root, up, up_quotient, up_rational, up_root,
};

type Rule = Result<Judgement, Refusal>;

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
        Op::Fma(a, b, c) => fused(arithmetic, of(*a)?, of(*b)?, of(*c)?),
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

/// The larger of two relative errors, if both are known.
fn larger(a: Option<&Dyadic>, b: Option<&Dyadic>) -> Option<Dyadic> {
    Some(a?.max(b?).clone())
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

/// FMA
fn fused(arithmetic: Arithmetic, a: &Judgement, b: &Judgement, c: &Judgement) -> Rule {
    let real = outward(&(&(&a.real * &b.real) + &c.real));
    let values = &(&a.float * &b.float) + &c.float;
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

/// Whether the comparison holds for all pairs, or for none.
pub(super) fn compare(test: Comparison, a: &Enclosure, b: &Enclosure) -> Option<bool> {
    let (all, none) = match test {
        Comparison::Less => (a.hi() < b.lo(), a.lo() >= b.hi()),
        Comparison::LessOrEqual => (a.hi() <= b.lo(), a.lo() > b.hi()),
        Comparison::Equal => (a.lo() == a.hi() && a == b, a.hi() < b.lo() || b.hi() < a.lo()),
    };
    if all { Some(true) } else { none.then_some(false) }
}

/// Whether the first operand is the smaller one for all values, or the second one is.
pub(super) fn first_is_minimum(a: &Judgement, b: &Judgement) -> Option<bool> {
    compare(Comparison::LessOrEqual, &a.domain(), &b.domain())
}

/// Whether the first operand is the larger one for all values, or the second one is.
pub(super) fn first_is_maximum(a: &Judgement, b: &Judgement) -> Option<bool> {
    compare(Comparison::LessOrEqual, &b.domain(), &a.domain())
}

/// MIN
fn minimum(a: &Judgement, b: &Judgement) -> Judgement {
    let (real, float) = (a.real.min(&b.real), a.float.min(&b.float));
    extremum(first_is_minimum(a, b), a, b, real, float)
}

/// MAX
fn maximum(a: &Judgement, b: &Judgement) -> Judgement {
    let (real, float) = (a.real.max(&b.real), a.float.max(&b.float));
    extremum(first_is_maximum(a, b), a, b, real, float)
}

fn extremum(
    first: Option<bool>,
    a: &Judgement,
    b: &Judgement,
    real: Enclosure,
    float: Enclosure,
) -> Judgement {
    match first {
        Some(true) => a.taken_over(),
        Some(false) => b.taken_over(),
        None => {
            let relative = larger(a.relative.as_ref(), b.relative.as_ref());
            Judgement::passed_on(real, float, (&a.d).max(&b.d).clone(), relative)
        }
    }
}

/// CLAMP
fn clamp(arg: &Judgement, bound: &Judgement) -> Rule {
    if bound.domain().lo().is_negative() {
        return Err("the bound may be negative");
    }
    Ok(maximum(&minimum(arg, bound), &bound.negated()))
}

/// ROUND_Λ, `Λ = 2^k`
fn round(arithmetic: Arithmetic, a: &Judgement, k: i64, tie: Tie) -> Rule {
    if !(arithmetic.0.min_exponent()..arithmetic.0.max_exponent()).contains(&k) {
        return Err("the grid is outside of the format");
    }
    let image = |x: &Enclosure| Enclosure::new(to_grid(x.lo(), k, tie), to_grid(x.hi(), k, tie));
    let real = image(&a.real).ok_or("rounding is monotone")?;
    let float = image(&a.float).ok_or("rounding is monotone")?;
    if arithmetic.may_overflow(&max_abs(&float)) {
        return Err("it may overflow");
    }
    let d = up(&cells_apart(&a.d, k, tie).min(farthest(&float, &real)));
    let relative = d.is_zero().then_some(Dyadic::ZERO);
    Ok(Judgement::passed_on(real, float, d, relative))
}

/// How far apart two numbers may be on the grid `Λ = 2^k` that are at most `d` apart.
///
/// Halves that go up: `floor(y + 1/2) - floor(x + 1/2) <= ceil(y - x)`. Otherwise two halves that are `j·Λ` apart may go in
/// opposite directions, as -1/2 and 1/2 do away from 0, or 1/2 and 3/2 to even: `(j + 1)·Λ`.
fn cells_apart(d: &Dyadic, k: i64, tie: Tie) -> Dyadic {
    let cells = d.ceil_to(k);
    if tie != Tie::Up && !d.is_zero() && cells == *d { cells + Dyadic::pow2(k) } else { cells }
}

/// The multiple of `2^k` nearest to `x`.
fn to_grid(x: &Dyadic, k: i64, tie: Tie) -> Dyadic {
    let (below, above) = (x.floor_to(k), x.ceil_to(k));
    let goes_up = match (&above - x).cmp(&(x - &below)) {
        std::cmp::Ordering::Less => true,
        std::cmp::Ordering::Greater => false,
        std::cmp::Ordering::Equal => match tie {
            Tie::Up => true,
            Tie::Away => !x.is_negative(),
            // An even multiple of 2^k is a multiple of 2^(k + 1).
            Tie::Even => above.is_zero() || above.exponent() > k,
        },
    };
    if goes_up { above } else { below }
}

/// IF without one answer for all values. `alike`: both readings choose the same branch.
fn choice(alike: bool, then: &Judgement, otherwise: &Judgement) -> Judgement {
    let (real, float) = (then.real.hull(&otherwise.real), then.float.hull(&otherwise.float));
    let d = (&then.d).max(&otherwise.d).clone();
    if alike {
        let relative = larger(then.relative.as_ref(), otherwise.relative.as_ref());
        return Judgement::passed_on(real, float, d, relative);
    }
    let across = farthest(&then.float, &otherwise.real).max(farthest(&otherwise.float, &then.real));
    let d = d.max(up(&across));
    let relative = d.is_zero().then_some(Dyadic::ZERO);
    Judgement::passed_on(real, float, d, relative)
}
