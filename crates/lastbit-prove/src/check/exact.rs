//! MIN, MAX, CLAMP, ROUND_Λ and IF: exact on floats, but the two readings may choose differently.

use std::cmp::Ordering;

use lastbit_lang::{Comparison, Tie};
use lastbit_real::{Dyadic, Enclosure};

use super::judgement::Judgement;
use super::numbers::{Arithmetic, farthest, max_abs, up};
use super::rules::Rule;

/// The larger of two relative errors, if both are known.
pub(super) fn larger(a: Option<&Dyadic>, b: Option<&Dyadic>) -> Option<Dyadic> {
    Some(a?.max(b?).clone())
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
pub(super) fn minimum(a: &Judgement, b: &Judgement) -> Judgement {
    let (real, float) = (a.real.min(&b.real), a.float.min(&b.float));
    extremum(first_is_minimum(a, b), a, b, real, float)
}

/// MAX
pub(super) fn maximum(a: &Judgement, b: &Judgement) -> Judgement {
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
pub(super) fn clamp(arg: &Judgement, bound: &Judgement) -> Rule {
    if bound.domain().lo().is_negative() {
        return Err("the bound may be negative");
    }
    Ok(maximum(&minimum(arg, bound), &bound.negated()))
}

/// ROUND_Λ, `Λ = 2^k`
pub(super) fn round(arithmetic: Arithmetic, a: &Judgement, k: i64, tie: Tie) -> Rule {
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
        Ordering::Less => true,
        Ordering::Greater => false,
        Ordering::Equal => match tie {
            Tie::Up => true,
            Tie::Away => !x.is_negative(),
            // An even multiple of 2^k is a multiple of 2^(k + 1).
            Tie::Even => above.is_zero() || above.exponent() > k,
        },
    };
    if goes_up { above } else { below }
}

/// IF without one answer for all values. `alike`: both readings choose the same branch.
pub(super) fn choice(alike: bool, then: &Judgement, otherwise: &Judgement) -> Judgement {
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
