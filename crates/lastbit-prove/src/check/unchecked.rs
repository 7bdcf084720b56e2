//! An error certificate as it stands, for those who hand it to another checker.

use lastbit_lang::{NodeId, StraightLine};
use lastbit_real::{Dyadic, Enclosure};

use super::json::Json;
use super::program::root_box;
use super::read::{Place, array_of, dyadic, field, interval, object, text};
use super::tree::{Entry, NUMBERS, entries};
use super::{CheckError, Claim, sections};

/// A certificate of which only the form has been checked.
#[derive(Clone, Debug)]
pub(crate) struct Unchecked {
    /// The program.
    pub program: StraightLine,
    /// The claimed bound of the error.
    pub error: Dyadic,
    /// The claimed range of the real result.
    pub range: Enclosure,
    /// A node whose real value the error is claimed never to exceed.
    pub at_most: Option<NodeId>,
    /// The boxes; the first one is the root, and every other one a part of exactly one cut before it.
    pub tree: Vec<Part>,
}

/// A box of the tree.
#[derive(Clone, Debug)]
pub(crate) enum Part {
    /// It is cut in two along an input.
    Cut {
        /// The index of the input that is cut.
        input: usize,
        /// The upper end of the lower part.
        left: Dyadic,
        /// The lower end of the upper part.
        right: Dyadic,
        /// The places of the parts.
        parts: [usize; 2],
    },
    /// It has a derivation.
    Leaf(Leaf),
}

impl Part {
    /// The derivation, if it is not cut.
    pub(crate) fn leaf(&self) -> Option<&Leaf> {
        match self {
            Part::Leaf(leaf) => Some(leaf),
            Part::Cut { .. } => None,
        }
    }
}

/// A derivation on one box.
#[derive(Clone, Debug)]
pub(crate) struct Leaf {
    /// The box.
    pub ranges: Vec<Enclosure>,
    /// The bound.
    pub error: Dyadic,
    /// The numbers of every node's judgement, `None` where a rule refuses it: `lo`, `hi`, those of the float, `x`, `p`, `ρ`, `d`.
    pub judgements: Vec<Option<[Option<Dyadic>; 8]>>,
    /// The coefficients of the linear form, if that is the method.
    pub coefficients: Option<Vec<Enclosure>>,
}

/// Reads a certificate. Its numbers are not looked at.
///
/// # Errors
/// If it is no error certificate, or a part of it is not what its place asks for.
pub(crate) fn read(text: &str) -> Result<Unchecked, CheckError> {
    let certificate = super::json::parse(text)?;
    let root = Place::Root;
    let (program, claim, tree) = sections(&certificate)?;
    claim.is_about(&program)?;
    root_box(&program, &root.field("program"))?;
    let Claim { error, range, at_most, .. } = claim;
    let place = root.field("tree");
    let parts = entries(&program, tree, &place)?;
    let tree = parts.into_iter().enumerate().map(|(i, entry)| match entry {
        Entry::Cut { input, left, right, parts } => Ok(Part::Cut { input, left, right, parts }),
        Entry::Leaf(value) => Ok(Part::Leaf(leaf(&program, value, &place.index(i).field("leaf"))?)),
    });
    Ok(Unchecked { error, range, at_most, tree: tree.collect::<Result<_, CheckError>>()?, program })
}

fn leaf(program: &StraightLine, value: &Json<'_>, place: &Place<'_>) -> Result<Leaf, CheckError> {
    let names = ["box", "method", "error", "judgements", "coefficients"];
    let coefficients = field(value, "coefficients");
    let [ranges, method, error, judgements] = match coefficients {
        Some(_) => object(value, place, names).map(|[a, b, c, d, _]| [a, b, c, d])?,
        None => object(value, place, [names[0], names[1], names[2], names[3]])?,
    };
    let expected = if coefficients.is_some() { "linear" } else { "interval" };
    if text(method, &place.field("method"))? != expected {
        return Err(place.field("method").expected(format!("{expected:?}"), method));
    }
    let intervals = |name: &str, list: &Json<'_>, length: usize| {
        let place = place.field(name);
        let items = array_of(list, length, &place)?.iter().enumerate();
        items.map(|(i, item)| interval(item, &place.index(i))).collect::<Result<Vec<_>, CheckError>>()
    };
    let place = place.field("judgements");
    let items = array_of(judgements, program.nodes.len(), &place)?.iter().enumerate();
    let judgements = items.map(|(i, item)| match item {
        Json::Null => Ok(None),
        item => numbers(item, &place.index(i)).map(Some),
    });
    Ok(Leaf {
        ranges: intervals("box", ranges, program.inputs.len())?,
        error: dyadic(error, &place.field("error"))?,
        judgements: judgements.collect::<Result<_, CheckError>>()?,
        coefficients: coefficients
            .map(|list| intervals("coefficients", list, program.nodes.len()))
            .transpose()?,
    })
}

fn numbers(item: &Json<'_>, place: &Place<'_>) -> Result<[Option<Dyadic>; 8], CheckError> {
    let items = array_of(item, NUMBERS.len(), place)?;
    let mut numbers = [const { None }; 8];
    for ((number, item), name) in numbers.iter_mut().zip(items).zip(NUMBERS) {
        *number = match item {
            Json::Null if name == "rho" => None,
            item => Some(dyadic(item, &place.field(name))?),
        };
    }
    Ok(numbers)
}
