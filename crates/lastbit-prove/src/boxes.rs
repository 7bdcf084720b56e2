//! Boxes of inputs: the sets on which the rules are applied, and how they are cut.

use lastbit_lang::{Comparison, Format, Input, InputKind, Op, StraightLine};
use lastbit_real::{Dyadic, Enclosure, Float, Rational, Rounding};

use crate::refusal::Reason;
use crate::rounding::{RANGE_BITS, nearest_ends, to_float};

/// A range for each input.
pub type InputBox = Vec<Enclosure>;

/// A cut of one input's range: what lies on the left, and on the right. No value of the input lies between.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cut {
    /// The index of the input that is cut.
    pub input: usize,
    /// The upper end of the left part.
    pub left: Dyadic,
    /// The lower end of the right part.
    pub right: Dyadic,
}

impl Cut {
    /// Both parts of a box.
    pub(crate) fn apply(&self, whole: &InputBox) -> [InputBox; 2] {
        let range = &whole[self.input];
        let part = |lo: &Dyadic, hi: &Dyadic| {
            let mut part = whole.clone();
            part[self.input] = Enclosure::new(lo.clone(), hi.clone()).expect("the cut is inside");
            part
        };
        [part(range.lo(), &self.left), part(&self.right, range.hi())]
    }
}

/// The float before or after a float.
pub(crate) fn neighbour(x: &Dyadic, format: Format, above: bool) -> Option<Dyadic> {
    fn step<F: Float>(x: &Dyadic, above: bool) -> Option<Dyadic> {
        let x = F::from_dyadic(x, Rounding::Nearest);
        if above { x.next_up() } else { x.next_down() }.to_dyadic().ok()
    }
    match format {
        Format::Binary64 => step::<f64>(x, above),
        Format::Binary32 => step::<f32>(x, above),
    }
}

/// The values that an input can have, as an interval with the least and the greatest of them for ends.
fn range_of(input: &Input, format: Format) -> Result<Enclosure, Reason> {
    let ends = match input.kind {
        InputKind::Float => [(&input.lo, Rounding::Up), (&input.hi, Rounding::Down)]
            .map(|(end, rounding)| to_float(end, format, rounding)),
        InputKind::Real => [
            Some(nearest_ends(|bits| Enclosure::of_rational(&input.lo, bits)).lo().clone()),
            Some(nearest_ends(|bits| Enclosure::of_rational(&input.hi, bits)).hi().clone()),
        ],
        InputKind::Sign => [Some(Dyadic::from(-1)), Some(Dyadic::from(1))],
        InputKind::Integer => [Some(Dyadic::from(input.lo.ceil())), Some(Dyadic::from(input.hi.floor()))],
    };
    let [Some(lo), Some(hi)] = ends else {
        return Err(Reason::MayOverflow(Enclosure::of_rational(&input.hi, RANGE_BITS)));
    };
    let range = Enclosure::new(lo, hi).ok_or_else(|| Reason::EmptyRange(input.name.clone()))?;
    let largest_integer = Dyadic::pow2(format.precision());
    if input.kind == InputKind::Integer && *range.abs().hi() > largest_integer {
        return Err(Reason::MayOverflow(range));
    }
    Ok(range)
}

/// The box of all inputs.
pub fn whole_box(program: &StraightLine) -> Result<InputBox, (usize, Reason)> {
    let range = |(i, input)| range_of(input, program.format).map_err(|reason| (i, reason));
    program.inputs.iter().enumerate().map(range).collect()
}

/// Cuts at which a comparison of an input with a constant changes, so that on each side it is decided.
pub(crate) fn decisive_cuts(program: &StraightLine) -> Vec<Cut> {
    let mut cuts = Vec::new();
    for node in &program.nodes {
        let Op::Select { test, lhs, rhs, .. } = node.op else { continue };
        let (input, value, input_is_left) = match (&program.nodes[lhs].op, &program.nodes[rhs].op) {
            (Op::Input(i), Op::Const(c)) => (*i, c, true),
            (Op::Const(c), Op::Input(i)) => (*i, c, false),
            _ => continue,
        };
        if program.inputs[input].kind != InputKind::Float {
            continue;
        }
        // Both readings compare with fl(c), or with c itself: only where they are the same number is there one cut.
        let Some(c) =
            to_float(value, program.format, Rounding::Nearest).filter(|c| Rational::from(c) == *value)
        else {
            continue;
        };
        // x < c and c <= x part below c; x <= c and c < x above it; equality on both sides.
        let below = neighbour(&c, program.format, false).map(|left| Cut { input, left, right: c.clone() });
        let above = neighbour(&c, program.format, true).map(|right| Cut { input, left: c.clone(), right });
        match (test, input_is_left) {
            (Comparison::Less, true) | (Comparison::LessOrEqual, false) => cuts.extend(below),
            (Comparison::LessOrEqual, true) | (Comparison::Less, false) => cuts.extend(above),
            (Comparison::Equal, _) => cuts.extend(below.into_iter().chain(above)),
        }
    }
    cuts.dedup();
    cuts
}

/// A cut of an input's range near its middle, in the sense of ratios if it spans several powers of two; `None` if there is nothing
/// to cut.
pub(crate) fn middle_cut(input: usize, kind: InputKind, format: Format, range: &Enclosure) -> Option<Cut> {
    let (lo, hi) = (range.lo(), range.hi());
    if lo == hi {
        return None;
    }
    match kind {
        InputKind::Sign => Some(Cut { input, left: Dyadic::from(-1), right: Dyadic::from(1) }),
        InputKind::Integer => {
            let left = Dyadic::from((lo + hi).shl(-1).floor());
            Some(Cut { input, right: &left + &Dyadic::ONE, left })
        }
        InputKind::Real => {
            let middle = middle(lo, hi);
            (middle > *lo && middle < *hi).then(|| Cut { input, left: middle.clone(), right: middle })
        }
        // Between two floats lies no value: a box there would be empty, and what is exact on floats has no value in it.
        InputKind::Float => {
            let middle = middle(lo, hi);
            let left = to_float(&Rational::from(&middle), format, Rounding::Down)?;
            let right = if left == middle { middle } else { neighbour(&left, format, true)? };
            (left < *hi && right > *lo).then_some(Cut { input, left, right })
        }
    }
}

/// A number with few bits between `lo` and `hi`.
fn middle(lo: &Dyadic, hi: &Dyadic) -> Dyadic {
    if hi.signum() <= 0 {
        return -&middle(&-hi, &-lo);
    }
    if lo.signum() > 0 && *hi > lo.shl(3) {
        let log2 = |x: &Dyadic| x.floor_log2().expect("not 0");
        return Dyadic::pow2((log2(lo) + log2(hi) + 1).div_euclid(2));
    }
    let width = (hi - lo).floor_log2().expect("not empty");
    (lo + hi).shl(-1).floor_to(width - 12)
}
