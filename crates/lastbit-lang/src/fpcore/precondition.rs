//! `:pre`: the ranges of the arguments.

use std::collections::HashMap;

use lastbit_real::{Float, Rational, Rounding};

use super::number;
use super::operators::shorten;
use super::sexp::{ItemId, Kind, Tree};
use crate::Format;

/// What is known of an argument, as far as it is known.
#[derive(Clone, Debug, Default)]
pub(super) struct Range {
    pub(super) lo: Option<Rational>,
    pub(super) hi: Option<Rational>,
}

impl Range {
    fn raise(&mut self, bound: Rational) {
        self.lo = Some(self.lo.take().map_or(bound.clone(), |lo| lo.max(bound)));
    }

    fn lower(&mut self, bound: Rational) {
        self.hi = Some(self.hi.take().map_or(bound.clone(), |hi| hi.min(bound)));
    }
}

/// The ranges that a precondition gives to the arguments, and the parts of it that say something else.
///
/// A part left out only enlarges the set of inputs.
pub(super) fn ranges<'s>(
    tree: &Tree<'s>,
    condition: ItemId,
    arguments: &HashMap<&'s str, usize>,
    format: Format,
) -> (Vec<Range>, Vec<String>) {
    let mut ranges = vec![Range::default(); arguments.len()];
    let mut left_out = Vec::new();
    let mut conjuncts = vec![condition];
    while let Some(conjunct) = conjuncts.pop() {
        match tree.form(conjunct) {
            Some(("and", parts)) => conjuncts.extend(parts.into_iter().rev()),
            _ if tree.symbol(conjunct) == Some("TRUE") => {}
            Some((relation, operands))
                if tighten(tree, relation, &operands, arguments, format, &mut ranges) => {}
            _ => left_out.push(shorten(tree.text(conjunct))),
        }
    }
    (ranges, left_out)
}

/// One side of a comparison.
enum Side {
    Argument(usize),
    Constant(Rational),
    Other,
}

/// Tightens the ranges by a chain of comparisons.
///
/// Ensures: true iff the ranges say all that the chain says.
fn tighten<'s>(
    tree: &Tree<'s>,
    relation: &str,
    operands: &[ItemId],
    arguments: &HashMap<&'s str, usize>,
    format: Format,
    ranges: &mut [Range],
) -> bool {
    let (ascending, descending, strict) = match relation {
        "<" => (true, false, true),
        "<=" => (true, false, false),
        ">" => (false, true, true),
        ">=" => (false, true, false),
        "==" => (true, true, false),
        _ => return false,
    };
    let sides = operands.iter().map(|&item| {
        let argument = tree.symbol(item).and_then(|name| arguments.get(name));
        match (argument, constant(tree, item)) {
            (Some(&argument), _) => Side::Argument(argument),
            (None, Some(value)) => Side::Constant(value),
            (None, None) => Side::Other,
        }
    });
    let sides: Vec<Side> = sides.collect();
    let upper = |bound: &Rational| if strict { greatest_below(bound, format) } else { bound.clone() };
    let lower = |bound: &Rational| if strict { -greatest_below(&-bound, format) } else { bound.clone() };

    // The relations are transitive: what stands before in the chain bounds all that follows. The tightest constant so far
    // is what counts, in each direction of reading.
    let mut sweep = |sides: &mut dyn Iterator<Item = &Side>, bounds_below: bool| {
        let mut bound: Option<Rational> = None;
        for side in sides {
            match side {
                Side::Constant(value) => {
                    let tighter = bound.take().map_or(value.clone(), |bound| {
                        if bounds_below { bound.max(value.clone()) } else { bound.min(value.clone()) }
                    });
                    bound = Some(tighter);
                }
                Side::Argument(argument) => match &bound {
                    Some(bound) if bounds_below => ranges[*argument].raise(lower(bound)),
                    Some(bound) => ranges[*argument].lower(upper(bound)),
                    None => {}
                },
                Side::Other => {}
            }
        }
    };
    if ascending {
        sweep(&mut sides.iter(), true);
        sweep(&mut sides.iter().rev(), false);
    }
    if descending {
        sweep(&mut sides.iter(), false);
        sweep(&mut sides.iter().rev(), true);
    }
    let arguments = sides.iter().filter(|side| matches!(side, Side::Argument(_))).count();
    arguments == 1 && !sides.iter().any(|side| matches!(side, Side::Other))
}

/// The greatest float less than the bound; below every float if there is none.
fn greatest_below(bound: &Rational, format: Format) -> Rational {
    fn of<F: Float>(bound: &Rational) -> Option<Rational> {
        let exact = |float: F| float.to_dyadic().ok().map(Rational::from);
        let below = F::from_rational(bound, Rounding::Down);
        let value = exact(below)?;
        if value < *bound { Some(value) } else { exact(Float::next_down(below)) }
    }
    let below = match format {
        Format::Binary64 => of::<f64>(bound),
        Format::Binary32 => of::<f32>(bound),
    };
    below.unwrap_or_else(|| -Rational::pow2(format.max_exponent() + 1))
}

/// The finite floats of a range that has both ends.
///
/// Ensures: contains the same floats; `None` if there are none.
pub(super) fn finite(lo: Rational, hi: Rational, format: Format) -> Option<(Rational, Rational)> {
    fn of<F: Float>(lo: &Rational, hi: &Rational) -> bool {
        F::from_rational(lo, Rounding::Up) <= F::from_rational(hi, Rounding::Down)
    }
    let has_floats = match format {
        Format::Binary64 => of::<f64>(&lo, &hi),
        Format::Binary32 => of::<f32>(&lo, &hi),
    };
    // 2^e · (2 - 2^(1 - p)), the largest finite float.
    let step = Rational::pow2(format.max_exponent() + 1 - format.precision());
    let max = Rational::pow2(format.max_exponent() + 1) - step;
    let (lo, hi) = (lo.max(-&max), hi.min(max));
    // An end beyond the largest float rounds to an infinity or to that float: the comparison of the ends decides.
    (has_floats && lo <= hi).then_some((lo, hi))
}

/// The value of an expression of numbers.
fn constant(tree: &Tree<'_>, item: ItemId) -> Option<Rational> {
    /// A result longer than this is not worth its time: the bound is left out.
    const MAX_BITS: i64 = 100_000;

    enum Part<'s> {
        Number(Rational),
        Operator(&'s str),
    }
    // Backwards, what a list contains comes before the list, its operator last.
    let mut parts: Vec<Part<'_>> = Vec::new();
    for item in tree.subtree(item).rev() {
        let part = match tree.kind(item) {
            Kind::Number => Part::Number(number::read(tree.text(item), tree.span(item)).ok()?),
            Kind::Symbol => Part::Operator(tree.text(item)),
            Kind::Text | Kind::Property => return None,
            Kind::List => {
                let count = tree.children(item).count();
                let mut contents = parts.split_off(parts.len() - count).into_iter().rev();
                let Some(Part::Operator(operator)) = contents.next() else { return None };
                let operands: Option<Vec<Rational>> = contents
                    .map(|part| match part {
                        Part::Number(value) => Some(value),
                        Part::Operator(_) => None,
                    })
                    .collect();
                Part::Number(arithmetic(operator, &operands?, MAX_BITS)?)
            }
        };
        parts.push(part);
    }
    match parts.pop() {
        Some(Part::Number(value)) => Some(value),
        _ => None,
    }
}

fn arithmetic(operator: &str, operands: &[Rational], max_bits: i64) -> Option<Rational> {
    let bits = |value: &Rational| {
        let log2 = |part: Rational| part.floor_log2().unwrap_or(0);
        log2(Rational::from(value.numerator())) + log2(Rational::from(value.denominator()))
    };
    let (first, rest) = operands.split_first()?;
    // An operator that is not known has to fail here: with one operand there is nothing to fold.
    match (operator, rest.len()) {
        ("-", 0) => return Some(-first),
        ("+" | "*", _) | ("-" | "/", 1) => {}
        _ => return None,
    }
    rest.iter().try_fold(first.clone(), |left, right| {
        let value = match operator {
            "+" => left + right,
            "-" => left - right,
            "*" => left * right,
            "/" => left.checked_div(right)?,
            _ => return None,
        };
        (bits(&value) <= max_bits).then_some(value)
    })
}
