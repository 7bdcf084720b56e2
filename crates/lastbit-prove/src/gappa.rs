//! Error certificates for Gappa, a prover of bounds on rounding errors: another judge, and an independent one.
//!
//! The claim of the certificate becomes a goal; the points at which boxes were cut are hints. Gappa knows no logarithm or
//! exponential: where a program has one, its value over the reals and that on the float are free variables, as far apart as the certificate
//! says that the operand's error carries them; of a library that is not correctly rounded, so is the float. These are hypotheses: what Gappa
//! checks is what lies around them. It does not look at overflow, and may not find a bound that others do.

use std::fmt::Write;

use lastbit_lang::{Accuracy, Format, InputKind, NodeId, Op, StraightLine, Tie};
use lastbit_real::{Dyadic, Enclosure, Rational, Rounding};

use crate::check::CheckError;
use crate::check::unchecked::{Leaf, Part, Unchecked, read};

/// The reason why there is no script.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum GappaError {
    /// The file is not an error certificate.
    #[error(transparent)]
    Certificate(#[from] CheckError),
    /// A program that Gappa has no words for.
    #[error("Gappa has no {operation}, which is node {node} of {program}")]
    Operation {
        /// The operation.
        operation: &'static str,
        /// The node.
        node: NodeId,
        /// The program.
        program: String,
    },
    /// A logarithm or exponential on more than one box.
    #[error("{program} has ln or exp and {boxes} boxes: for Gappa their ranges are needed on a single one")]
    Boxes {
        /// The program.
        program: String,
        /// The number of boxes.
        boxes: usize,
    },
}

/// With more combinations of cuts than this the hints would be of no help.
const MOST_PARTS: usize = 4096;

/// The script of an error certificate. The certificate is not checked.
///
/// # Errors
/// [`GappaError`], if it is no certificate, or its program cannot be said in Gappa's language.
pub fn script(certificate: &str) -> Result<String, GappaError> {
    let certificate = read(certificate)?;
    let program = &certificate.program;
    let leaves: Vec<&Leaf> = certificate.tree.iter().filter_map(Part::leaf).collect();
    let has_function = program.nodes.iter().any(|node| matches!(node.op, Op::Ln(_) | Op::Exp(_)));
    if has_function && leaves.len() != 1 {
        return Err(GappaError::Boxes { program: program.name.clone(), boxes: leaves.len() });
    }
    let rounding = match program.format {
        Format::Binary64 => "float<ieee_64, ne>",
        Format::Binary32 => "float<ieee_32, ne>",
    };
    let mut text = format!(
        "# {}: the error bound of a certificate, for Gappa.\n@rnd = {rounding};\n\n",
        line(&program.name)
    );
    let mut known: Vec<String> = Vec::new();
    for (id, node) in program.nodes.iter().enumerate() {
        let (real, float) = definitions(program, id, &node.op)?;
        let _ = writeln!(text, "f{id} = {float};");
        if let Some(real) = real {
            let _ = writeln!(text, "r{id} = {real};");
        }
        known.extend(hypothesis(program, id, &node.op, &leaves));
    }
    let result = program.result;
    let _ = write!(
        text,
        "\n{{ {}\n  -> |f{result} - r{result}| <= {} }}\n",
        known.join(" /\\\n  "),
        number(&certificate.error)
    );
    text += &hints(&certificate);
    Ok(text)
}

fn line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

/// A number as Gappa writes it: `17b-43`.
fn number(x: &Dyadic) -> String {
    if x.is_zero() { "0".to_owned() } else { format!("{}b{}", x.mantissa(), x.exponent()) }
}

/// `r` and `f` of a node. The real value of an input, a logarithm or an exponential is free.
fn definitions(program: &StraightLine, id: NodeId, op: &Op) -> Result<(Option<String>, String), GappaError> {
    let missing = |operation| GappaError::Operation { operation, node: id, program: program.name.clone() };
    let infix = |a: NodeId, operator: &str, b: NodeId| {
        (Some(format!("r{a} {operator} r{b}")), format!("rnd(f{a} {operator} f{b})"))
    };
    Ok(match *op {
        Op::Input(i) if program.inputs[i].kind == InputKind::Real => (None, format!("rnd(r{id})")),
        // Floats, integers and signs are the same in both readings.
        Op::Input(_) => (Some(format!("f{id}")), format!("rnd(x{id})")),
        Op::Const(ref q) => {
            let exact = format!("{}", Quotient(q));
            (Some(exact.clone()), format!("rnd({exact})"))
        }
        Op::Neg(a) => (Some(format!("-r{a}")), format!("-f{a}")),
        Op::Abs(a) => (Some(format!("|r{a}|")), format!("|f{a}|")),
        Op::Add(a, b) => infix(a, "+", b),
        Op::Sub(a, b) => infix(a, "-", b),
        Op::Mul(a, b) => infix(a, "*", b),
        Op::Div(a, b) => infix(a, "/", b),
        Op::Fma(a, b, c) => (Some(format!("r{a} * r{b} + r{c}")), format!("rnd(f{a} * f{b} + f{c})")),
        Op::Sqrt(a) => (Some(format!("sqrt(r{a})")), format!("rnd(sqrt(f{a}))")),
        Op::Ln(_) | Op::Exp(_) => (None, format!("rnd(x{id})")),
        Op::Round { arg, exponent, tie } => {
            let tie = match tie {
                Tie::Up => "nu",
                Tie::Even => "ne",
                Tie::Away => "na",
            };
            let of = |value: &str| format!("fixed<{exponent}, {tie}>({value}{arg})");
            (Some(of("r")), of("f"))
        }
        Op::Min(..) => return Err(missing("min")),
        Op::Max(..) => return Err(missing("max")),
        Op::Clamp { .. } => return Err(missing("clamp")),
        Op::Select { .. } => return Err(missing("if")),
    })
}

/// A fraction; Gappa's constants are decimal or binary, so it is a quotient of integers.
struct Quotient<'a>(&'a Rational);

impl std::fmt::Display for Quotient<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        if self.0.is_integer() {
            write!(f, "{}", self.0)
        } else {
            write!(f, "({} / {})", self.0.numerator(), self.0.denominator())
        }
    }
}

/// What is known of a free value: the range of an input, and of a logarithm or exponential what the certificate says.
fn hypothesis(program: &StraightLine, id: NodeId, op: &Op, leaves: &[&Leaf]) -> Option<String> {
    match *op {
        Op::Input(i) => {
            let input = &program.inputs[i];
            Some(format!("r{id} in [{}, {}]", end(&input.lo, Rounding::Down), end(&input.hi, Rounding::Up)))
        }
        Op::Ln(_) | Op::Exp(_) => {
            let numbers = leaves.first()?.judgements.get(id)?.as_ref()?;
            let [Some(lo), Some(hi), _, _, Some(x), _, _, Some(d)] = numbers else { return None };
            let accuracy = if matches!(op, Op::Ln(_)) { &program.libm.ln } else { &program.libm.exp };
            // The function of the float, which is then rounded; or the float itself.
            let (value, distance) = if *accuracy == Accuracy::CorrectlyRounded { ("x", x) } else { ("f", d) };
            let [lo, hi, distance] = [lo, hi, distance].map(number);
            Some(format!("r{id} in [{lo}, {hi}] /\\ |{value}{id} - r{id}| <= {distance}"))
        }
        _ => None,
    }
}

/// The end of a range, outward if it is no dyadic number.
fn end(x: &Rational, rounding: Rounding) -> String {
    let enclosure = Enclosure::of_rational(x, 128);
    number(if rounding == Rounding::Down { enclosure.lo() } else { enclosure.hi() })
}

/// Where the boxes were cut, as points at which Gappa may cut the ranges, too.
fn hints(certificate: &Unchecked) -> String {
    let program = &certificate.program;
    let mut cuts: Vec<Vec<&Dyadic>> = vec![Vec::new(); program.inputs.len()];
    for part in &certificate.tree {
        if let Part::Cut { input, left, .. } = part {
            cuts[*input].push(left);
        }
    }
    cuts.iter_mut().for_each(|points| {
        points.sort();
        points.dedup();
    });
    let parts = cuts.iter().fold(1_usize, |product, points| product.saturating_mul(points.len() + 1));
    if parts == 1 || parts > MOST_PARTS {
        return String::new();
    }
    let inputs = program.nodes.iter().enumerate().filter_map(|(id, node)| match node.op {
        Op::Input(i) if !cuts[i].is_empty() => {
            let points: Vec<String> = cuts[i].iter().map(|point| number(point)).collect();
            Some(format!("r{id} in ({})", points.join(", ")))
        }
        _ => None,
    });
    let result = program.result;
    format!("f{result} - r{result} $ {};\n", inputs.collect::<Vec<_>>().join(", "))
}
