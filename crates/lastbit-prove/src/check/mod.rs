//! A second reading of `docs/semantics.md`: goes through a certificate, once and without any search, and asks that every number be
//! the one that the rules give.
//!
//! Nothing of what finds bounds is used here, and no floating-point arithmetic: numbers are exact integers times powers of two. What has
//! to be trusted is this module, [`lastbit_real`] and the page itself.

mod exact;
pub(crate) mod json;
mod judgement;
mod library;
mod linear;
mod numbers;
mod program;
pub(crate) mod read;
mod rules;
mod tree;
pub(crate) mod unchecked;

use lastbit_lang::{Accuracy, NodeId, StraightLine};
use lastbit_real::{Dyadic, Enclosure};
use thiserror::Error;

use crate::certificate;
use json::Json;
use read::{Place, dyadic, field, interval, object, place_between, text};

/// What stands in the field `lastbit`.
pub(crate) const KIND: &str = "error certificate";

/// The statement of an accepted certificate: on all inputs in their ranges, the float result is finite, the real one lies in `range`,
/// and they differ by at most `error`.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Checked {
    /// The program that the certificate is about; to be compared with the one that is meant by [`same_program`].
    pub program: StraightLine,
    /// The bound of the error.
    pub error: Dyadic,
    /// The range of the real result.
    pub range: Enclosure,
    /// A node whose real value the error never exceeds, if the certificate claims one.
    pub at_most: Option<NodeId>,
    /// The number of boxes.
    pub leaves: usize,
    /// The number of judgements on all of them.
    pub judgements: usize,
}

/// Whether a certificate's program is one of these; if not, why.
pub(crate) fn is_about(certified: &StraightLine, programs: &[StraightLine]) -> Result<(), String> {
    let name = &certified.name;
    let mut reason = format!("the file has no program {name}");
    for program in programs {
        match same_program(certified, program) {
            Ok(()) => return Ok(()),
            // The difference to the program of the same name is what the user wants to know.
            Err(difference) if program.name == *name || programs.len() == 1 => reason = difference,
            Err(_) => {}
        }
    }
    Err(format!("it is about another program: {reason}"))
}

/// The reason why a certificate is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum CheckError {
    /// The file is not JSON, or not as certificates use it.
    #[error("line {line}, column {column}: expected {expected}, found {found}")]
    Json {
        /// The line, from 1.
        line: usize,
        /// The column, in characters from 1.
        column: usize,
        /// A description of what could stand there.
        expected: String,
        /// The text that stands there.
        found: String,
    },
    /// A value is not of the kind that its place asks for.
    #[error("{place}: expected {expected}, found {found}")]
    Value {
        /// The path of the value, as in `tree[3].leaf.judgements[7].d`.
        place: String,
        /// The expected content.
        expected: String,
        /// The value that stands there.
        found: String,
    },
    /// A number is not the one that the rules give.
    #[error("{place}: the rules give {expected}, the certificate says {found}")]
    Differs {
        /// The path of the number, as in `tree[3].leaf.judgements[7].d`.
        place: String,
        /// The value that the rules give.
        expected: String,
        /// The value in the certificate.
        found: String,
    },
}

/// Checks a certificate.
///
/// Ensures: takes time in proportion to the length of the text where its numbers have moderate exponents, and never panics.
pub fn check(text: &str) -> Result<Checked, CheckError> {
    let certificate = json::parse(text)?;
    let root = Place::Root;
    let (program, claim, tree) = sections(&certificate)?;
    let ranges = program::root_box(&program, &root.field("program"))?;
    let proved = tree::check(&program, ranges, claim.at_most, tree, &root.field("tree"))?;

    claim.is_about(&program)?;
    let place = root.field("claim");
    if claim.error != proved.error {
        return Err(place.field("error").differs(&proved.error, &claim.error));
    }
    if claim.range != proved.range {
        return Err(place.field("range").differs(&proved.range, &claim.range));
    }
    let tree::Proved { error, range, leaves, judgements } = proved;
    Ok(Checked { program, error, range, at_most: claim.at_most, leaves, judgements })
}

/// The claim of a certificate.
struct Claim<'v> {
    /// Of which program.
    fingerprint: &'v str,
    error: Dyadic,
    range: Enclosure,
    at_most: Option<NodeId>,
}

impl Claim<'_> {
    fn is_about(&self, program: &StraightLine) -> Result<(), CheckError> {
        let (own, found) = (certificate::fingerprint(program), self.fingerprint);
        if own == found {
            return Ok(());
        }
        Err(Place::Root.field("claim").field("program").differs(own, found))
    }
}

/// The parts of a certificate: the program, the claim, and the tree as it stands.
fn sections<'v, 'a>(
    certificate: &'v Json<'a>,
) -> Result<(StraightLine, Claim<'v>, &'v Json<'a>), CheckError> {
    let root = Place::Root;
    // Of a file of another kind, that is what to say.
    if let Some(kind) = field(certificate, "lastbit")
        && text(kind, &root.field("lastbit"))? != KIND
    {
        return Err(root.field("lastbit").expected(format!("{KIND:?}"), kind));
    }
    let [_, version, program, claim, tree] =
        object(certificate, &root, ["lastbit", "version", "program", "claim", "tree"])?;
    if !matches!(version, Json::Integer(2)) {
        return Err(root.field("version").expected("2", version));
    }
    let program = program::read(program, &root.field("program"))?;
    let place = root.field("claim");
    let [fingerprint, error, range, at_most] =
        object(claim, &place, ["program", "error", "range", "at_most"])?;
    let at_most = match at_most {
        Json::Null => None,
        node => Some(place_between(node, 0, program.nodes.len(), &place.field("at_most"))?),
    };
    let claim = Claim {
        fingerprint: text(fingerprint, &place.field("program"))?,
        error: dyadic(error, &place.field("error"))?,
        range: interval(range, &place.field("range"))?,
        at_most,
    };
    Ok((program, claim, tree))
}

/// The accuracy of a library function, as certificates spell it.
///
/// # Errors
/// If it is none.
pub(crate) fn accuracy_of(value: &Json<'_>, place: &Place<'_>) -> Result<Accuracy, CheckError> {
    program::accuracy(value, place)
}

/// Whether two programs are the same but for names, notes and places in a text; if not, the first difference in words.
pub fn same_program(a: &StraightLine, b: &StraightLine) -> Result<(), String> {
    if a.format != b.format {
        return Err(format!("the format is {} in one and {} in the other", a.format, b.format));
    }
    if a.libm != b.libm {
        return Err(format!("the library is {:?} in one and {:?} in the other", a.libm, b.libm));
    }
    let (counts, others) = ((a.inputs.len(), a.nodes.len()), (b.inputs.len(), b.nodes.len()));
    if counts != others {
        return Err(format!("inputs and nodes: {counts:?} in one and {others:?} in the other"));
    }
    for (i, (x, y)) in a.inputs.iter().zip(&b.inputs).enumerate() {
        let (one, other) = ((x.role, x.kind, &x.lo, &x.hi), (y.role, y.kind, &y.lo, &y.hi));
        if one != other {
            return Err(format!("input {i} (`{}`) is {one:?} in one and {other:?} in the other", x.name));
        }
    }
    for (i, (x, y)) in a.nodes.iter().zip(&b.nodes).enumerate() {
        if x.op != y.op {
            return Err(format!("node {i} is {:?} in one and {:?} in the other", x.op, y.op));
        }
    }
    if a.result != b.result {
        return Err(format!("the result is node {} in one and node {} in the other", a.result, b.result));
    }
    Ok(())
}
