//! The tree of boxes, its leaves, and what they prove together.

use lastbit_lang::{InputKind, NodeId, StraightLine};
use lastbit_real::{Dyadic, Enclosure};

use super::CheckError;
use super::json::Json;
use super::judgement::Judgement;
use super::linear::linear_form;
use super::numbers::{Arithmetic, is_moderate};
use super::read::{Place, array, array_of, dyadic, field, interval, object, place_between, text};
use super::rules::derive;

/// The names of a judgement's numbers, in their order.
pub(super) const NUMBERS: [&str; 8] = ["lo", "hi", "float_lo", "float_hi", "x", "p", "rho", "d"];

/// The bounds that the leaves prove.
pub(super) struct Proved {
    pub(super) error: Dyadic,
    pub(super) range: Enclosure,
    pub(super) leaves: usize,
    pub(super) judgements: usize,
}

pub(super) enum Entry<'v, 'a> {
    Cut { input: usize, left: Dyadic, right: Dyadic, parts: [usize; 2] },
    Leaf(&'v Json<'a>),
}

/// Goes through the tree. On every leaf the error has to be at most what the node `at_most` is worth there.
pub(super) fn check(
    program: &StraightLine,
    root: Vec<Enclosure>,
    at_most: Option<NodeId>,
    tree: &Json<'_>,
    place: &Place<'_>,
) -> Result<Proved, CheckError> {
    let entries = entries(program, tree, place)?;
    // Parts stand after their cut, so that every box is known when its entry's turn comes.
    let mut boxes: Vec<Option<Vec<Enclosure>>> = vec![None; entries.len()];
    boxes[0] = Some(root);
    let mut proved: Option<Proved> = None;
    for (i, entry) in entries.iter().enumerate() {
        let place = place.index(i);
        let Some(ranges) = boxes[i].take() else { return Err(place.expected("a part of a cut", "none")) };
        match entry {
            Entry::Cut { input, left, right, parts } => {
                let [lower, upper] = cut(program, ranges, *input, left, right, &place)?;
                boxes[parts[0]] = Some(lower);
                boxes[parts[1]] = Some(upper);
            }
            Entry::Leaf(value) => {
                let place = place.field("leaf");
                let (error, range, judgements) = leaf(program, &ranges, at_most, value, &place)?;
                proved = Some(match proved {
                    None => Proved { error, range, leaves: 1, judgements },
                    Some(sum) => Proved {
                        error: sum.error.max(error),
                        range: sum.range.hull(&range),
                        leaves: sum.leaves + 1,
                        judgements: sum.judgements + judgements,
                    },
                });
            }
        }
    }
    proved.ok_or_else(|| place.expected("a leaf", "none"))
}

/// The entries of the tree: the first one is the root, and every other one a part of exactly one earlier cut.
pub(super) fn entries<'v, 'a>(
    program: &StraightLine,
    tree: &'v Json<'a>,
    place: &Place<'_>,
) -> Result<Vec<Entry<'v, 'a>>, CheckError> {
    let items = array(tree, place)?;
    let mut is_part = vec![false; items.len()];
    let mut entries = Vec::with_capacity(items.len());
    for (i, item) in items.iter().enumerate() {
        let place = place.index(i);
        if i > 0 && !is_part[i] {
            return Err(place.expected("a part of an earlier cut", "an entry that no earlier cut names"));
        }
        if field(item, "leaf").is_some() {
            let [leaf] = object(item, &place, ["leaf"])?;
            // So that the work is no more than the file is long.
            array_of(
                field(leaf, "box").unwrap_or(&Json::Null),
                program.inputs.len(),
                &place.field("leaf").field("box"),
            )?;
            entries.push(Entry::Leaf(leaf));
            continue;
        }
        let [input, left, right, parts] = object(item, &place, ["cut", "left", "right", "parts"])?;
        let input = place_between(input, 0, program.inputs.len(), &place.field("cut"))?;
        let (left, right) = (dyadic(left, &place.field("left"))?, dyadic(right, &place.field("right"))?);
        let parts_place = place.field("parts");
        let pair = array_of(parts, 2, &parts_place)?;
        let mut parts = [0; 2];
        for (k, (part, item)) in parts.iter_mut().zip(pair).enumerate() {
            let place = parts_place.index(k);
            *part = place_between(item, i + 1, items.len(), &place)?;
            if std::mem::replace(&mut is_part[*part], true) {
                return Err(place.expected("an entry that is no part yet", item));
            }
        }
        entries.push(Entry::Cut { input, left, right, parts });
    }
    if entries.is_empty() { Err(place.expected("a root", "an empty array")) } else { Ok(entries) }
}

/// The two parts of a box, if no value of the input lies between them.
fn cut(
    program: &StraightLine,
    ranges: Vec<Enclosure>,
    input: usize,
    left: &Dyadic,
    right: &Dyadic,
    place: &Place<'_>,
) -> Result<[Vec<Enclosure>; 2], CheckError> {
    let arithmetic = Arithmetic(program.format);
    let ends = [left, right];
    // An end that is no value of the input would make a range that VAR has to shrink.
    let legal = match program.inputs[input].kind {
        InputKind::Real => right <= left,
        InputKind::Float => {
            ends.iter().all(|end| arithmetic.is_float(end))
                && (right <= left || arithmetic.next_float(left).as_ref() == Some(right))
        }
        InputKind::Integer => ends.iter().all(|end| end.exponent() >= 0) && *right <= left + &Dyadic::ONE,
        InputKind::Sign => *left == -Dyadic::ONE && *right == Dyadic::ONE,
    };
    if !legal {
        let found = format!("{left} and {right}");
        return Err(place.expected("values of the input with none of its values between them", found));
    }
    let range = &ranges[input];
    let (lower, upper) =
        (Enclosure::new(range.lo().clone(), left.clone()), Enclosure::new(right.clone(), range.hi().clone()));
    let (Some(lower), Some(upper)) = (lower, upper) else {
        return Err(place.expected(format!("a cut of {range}"), format!("{left} and {right}")));
    };
    if left > range.hi() || right < range.lo() {
        return Err(place.expected(format!("a cut of {range}"), format!("{left} and {right}")));
    }
    let mut second = ranges.clone();
    let mut first = ranges;
    first[input] = lower;
    second[input] = upper;
    Ok([first, second])
}

/// A leaf: its bound, the range of the result and the number of judgements.
fn leaf(
    program: &StraightLine,
    ranges: &[Enclosure],
    at_most: Option<NodeId>,
    value: &Json<'_>,
    place: &Place<'_>,
) -> Result<(Dyadic, Enclosure, usize), CheckError> {
    let is_linear = matches!(field(value, "method"), Some(Json::Text(method)) if method == "linear");
    let (boxes, method, error, list) = if is_linear {
        let names = ["box", "method", "error", "judgements", "coefficients"];
        let [boxes, method, error, list, _] = object(value, place, names)?;
        (boxes, method, error, list)
    } else {
        let [boxes, method, error, list] = object(value, place, ["box", "method", "error", "judgements"])?;
        (boxes, method, error, list)
    };
    if !is_linear && text(method, &place.field("method"))? != "interval" {
        return Err(place.field("method").expected("\"interval\" or \"linear\"", method));
    }
    intervals(boxes, ranges, &place.field("box"))?;
    let judgements = judgements(program, ranges, list, &place.field("judgements"))?;

    let result_place = place.field("judgements");
    let result = judgements[program.result]
        .as_ref()
        .ok_or_else(|| result_place.index(program.result).expected("a judgement of the result", "null"))?;
    let form = linear_form(program, &judgements).filter(|form| form.error < result.d);
    let bound = match (&form, field(value, "coefficients")) {
        (Some(form), Some(coefficients)) => {
            intervals(coefficients, &form.coefficients, &place.field("coefficients"))?;
            &form.error
        }
        (None, None) => &result.d,
        (Some(_), None) => return Err(place.field("method").expected("\"linear\", since E < d", method)),
        (None, Some(_)) => return Err(place.field("method").expected("\"interval\", since E >= d", method)),
    };
    same(bound, error, &place.field("error"))?;
    if let Some(node) = at_most {
        let claimed = judgements[node].as_ref().map(|judgement| judgement.real.lo());
        if claimed.is_none_or(|claimed| bound > claimed) {
            return Err(place.field("error").expected(format!("at most what node {node} is worth"), error));
        }
    }
    Ok((bound.clone(), result.real.clone(), judgements.len()))
}

/// Derives the judgements of all nodes, each to be the one in the list.
fn judgements(
    program: &StraightLine,
    ranges: &[Enclosure],
    list: &Json<'_>,
    place: &Place<'_>,
) -> Result<Vec<Option<Judgement>>, CheckError> {
    let list = array_of(list, program.nodes.len(), place)?;
    let mut judgements = Vec::with_capacity(list.len());
    for (id, item) in list.iter().enumerate() {
        let place = place.index(id);
        let judgement = match (derive(program, id, &judgements, ranges), item) {
            (Err(_), Json::Null) => None,
            (Err(refusal), _) => return Err(place.expected(format!("null, since {refusal}"), item)),
            (Ok(_), Json::Null) => return Err(place.expected("a judgement", item)),
            (Ok(judgement), _) => {
                let items = array_of(item, NUMBERS.len(), &place)?;
                for ((number, item), name) in judgement.numbers().into_iter().zip(items).zip(NUMBERS) {
                    let place = place.field(name);
                    match (number, item) {
                        (None, Json::Null) => {}
                        (None, _) => return Err(place.expected("null", item)),
                        (Some(number), _) if !is_moderate(number) => {
                            return Err(place.expected("a number of moderate size", "a larger exponent"));
                        }
                        (Some(number), _) => same(number, item, &place)?,
                    }
                }
                Some(judgement)
            }
        };
        judgements.push(judgement);
    }
    Ok(judgements)
}

/// The list has these intervals.
fn intervals(list: &Json<'_>, expected: &[Enclosure], place: &Place<'_>) -> Result<(), CheckError> {
    let list = array_of(list, expected.len(), place)?;
    for (i, (item, expected)) in list.iter().zip(expected).enumerate() {
        let place = place.index(i);
        let found = interval(item, &place)?;
        if found != *expected {
            return Err(place.differs(expected, &found));
        }
    }
    Ok(())
}

/// The value is this number.
fn same(expected: &Dyadic, value: &Json<'_>, place: &Place<'_>) -> Result<(), CheckError> {
    let found = dyadic(value, place)?;
    if found == *expected { Ok(()) } else { Err(place.differs(expected, &found)) }
}
