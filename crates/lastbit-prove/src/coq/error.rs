//! Error certificates.

use std::fmt::Write;

use lastbit_lang::{Accuracy, Comparison, Format, InputKind, Op, StraightLine, Tie};
use lastbit_real::{Dyadic, Enclosure, Float, IBig, Rational, Rounding};

use super::readable::{corollary, readable};
use super::text::{comment, dyadic, exponent, fraction, integer, name, wrapped};
use crate::check::CheckError;
use crate::check::unchecked::{Leaf, Part, Unchecked, read};
use crate::derivation;

/// The Coq file of an error certificate. The certificate is not checked.
///
/// # Errors
/// If the text is no error certificate, or a part of it is not what its place asks for.
pub fn error_bound(certificate: &str) -> Result<String, CheckError> {
    let certificate = read(certificate)?;
    let program = &certificate.program;
    let mut file = header(&certificate);
    let inputs = program.inputs.iter().map(|input| {
        let kind = match input.kind {
            InputKind::Float => "Float",
            InputKind::Real => "Real",
            InputKind::Sign => "Sign",
            InputKind::Integer => "Integer",
        };
        format!("Range {kind} {} {}", fraction(&input.lo), fraction(&input.hi))
    });
    let operations = program.nodes.iter().map(|node| operation(program.format, &node.op));
    let _ = write!(
        file,
        "From Lastbit Require Import ErrorCertificate.\n\nDefinition inputs : list input := [\n  {}].\n\nDefinition prog : program := [\n  {}].\n\n",
        wrapped(inputs, ";", "  "),
        wrapped(operations, ";", "  "),
    );
    file += &readable(program);
    let _ = write!(file, "Definition boxes : tree :=\n  {}.\n\n", tree(&certificate.tree));
    file += &theorem(&certificate);
    Ok(file)
}

/// What the file says, for people.
fn header(certificate: &Unchecked) -> String {
    let program = &certificate.program;
    let [lo, hi] = derivation::ends(certificate.range.lo(), certificate.range.hi());
    let mut text = format!("(* {}: an error bound, in {}.\n\n", comment(&program.name), program.format);
    for input in &program.inputs {
        let kind = match input.kind {
            InputKind::Float => "a float",
            InputKind::Real => "a real number, rounded on entry",
            InputKind::Sign => "-1 or 1",
            InputKind::Integer => "an integer",
        };
        let _ = writeln!(text, "     {} in [{}, {}], {kind}", comment(&input.name), input.lo, input.hi);
    }
    let (ln, exp) = (accuracy(&program.libm.ln), accuracy(&program.libm.exp));
    let has = |is: fn(&Op) -> bool| program.nodes.iter().any(|node| is(&node.op));
    for (name, accuracy, _) in
        [("ln", ln, has(|op| matches!(op, Op::Ln(_)))), ("exp", exp, has(|op| matches!(op, Op::Exp(_))))]
            .into_iter()
            .filter(|&(_, _, is_used)| is_used)
    {
        let _ = writeln!(text, "     {name}: {accuracy}");
    }
    let result = derivation::expression(program, program.result, derivation::Reading::Real);
    let _ = write!(
        text,
        "\n     result = {}\n     |float - real| <= {}, and the real result lies in [{lo}, {hi}]\n",
        comment(&numbered(&result)),
        derivation::error(&certificate.error),
    );
    if let Some(node) = certificate.at_most {
        let bound = derivation::expression(program, node, derivation::Reading::Real);
        let _ = writeln!(text, "     and everywhere |float - real| <= {}", comment(&numbered(&bound)));
    }
    text + "\n   Accepted by Coq, this file is a proof of what it states last. *)\n"
}

/// Operations that are named by their place, `#7`, counted from 1 as in the file.
fn numbered(expression: &str) -> String {
    let mut parts = expression.split('#');
    let mut text = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let digits = part.chars().take_while(char::is_ascii_digit).count();
        match part[..digits].parse::<usize>() {
            Ok(place) => text += &format!("#{}{}", place + 1, &part[digits..]),
            Err(_) => text += &format!("#{part}"),
        }
    }
    text
}

pub(super) fn operation(format: Format, op: &Op) -> String {
    let call = |name: &str, operands: &[usize]| {
        operands.iter().fold(name.to_owned(), |text, operand| format!("{text} {}", operand + 1))
    };
    match *op {
        Op::Input(i) => format!("Input {i}"),
        Op::Const(ref value) => format!("Const {} {}", fraction(value), dyadic(&nearest(format, value))),
        Op::Neg(a) => call("Neg", &[a]),
        Op::Abs(a) => call("Abs", &[a]),
        Op::Add(a, b) => call("Add", &[a, b]),
        Op::Sub(a, b) => call("Sub", &[a, b]),
        Op::Mul(a, b) => call("Mul", &[a, b]),
        Op::Div(a, b) => call("Div", &[a, b]),
        Op::Fma(a, b, c) => call("Fma", &[a, b, c]),
        Op::Sqrt(a) => call("Sqrt", &[a]),
        Op::Ln(a) => call("Ln", &[a]),
        Op::Exp(a) => call("Exp", &[a]),
        Op::Min(a, b) => call("Min", &[a, b]),
        Op::Max(a, b) => call("Max", &[a, b]),
        Op::Clamp { arg, bound } => call("Clamp", &[arg, bound]),
        Op::Round { arg, exponent, tie } => {
            format!("Round {} {} {}", arg + 1, integer(&IBig::from(exponent)), tie_name(tie))
        }
        Op::Select { test, lhs, rhs, then, otherwise } => {
            call(&format!("Select {}", comparison_name(test)), &[lhs, rhs, then, otherwise])
        }
    }
}

pub(super) fn tie_name(tie: Tie) -> &'static str {
    match tie {
        Tie::Up => "Up",
        Tie::Even => "Even",
        Tie::Away => "Away",
    }
}

pub(super) fn comparison_name(test: Comparison) -> &'static str {
    match test {
        Comparison::Less => "Less",
        Comparison::LessOrEqual => "LessOrEqual",
        Comparison::Equal => "Equal",
    }
}

/// The float nearest to a constant; 0, which the checker will refuse, if that is infinite.
pub(super) fn nearest(format: Format, value: &Rational) -> Dyadic {
    match format {
        Format::Binary64 => f64::from_rational(value, Rounding::Nearest).to_dyadic(),
        Format::Binary32 => f32::from_rational(value, Rounding::Nearest).to_dyadic(),
    }
    .unwrap_or(Dyadic::ZERO)
}

/// The tree of boxes. Parts stand after their cut, so it is written from the last entry to the first.
fn tree(parts: &[Part]) -> String {
    let mut written: Vec<String> = vec![String::new(); parts.len()];
    for (i, part) in parts.iter().enumerate().rev() {
        written[i] = match part {
            Part::Leaf(leaf) => format!("(Leaf {})", fingerprint(leaf)),
            Part::Cut { input, left, right, parts } => {
                let [lower, upper] = parts.map(|part| std::mem::take(&mut written[part]));
                format!("(Cut {input} {} {}\n  {lower}\n  {upper})", dyadic(left), dyadic(right))
            }
        };
    }
    std::mem::take(&mut written[0])
}

/// `2^61 - 1`
const MODULUS: u64 = (1 << 61) - 1;

/// All numbers of a leaf as one. The checker compares it with that of the numbers which it derives: it is how the file says
/// what the certificate says of them, in little space. No proof rests on it.
fn fingerprint(leaf: &Leaf) -> u64 {
    let mut hash = Fingerprint(0);
    leaf.ranges.iter().for_each(|range| hash.interval(range));
    hash.number(&leaf.error);
    for judgement in &leaf.judgements {
        hash.small(u8::from(judgement.is_some()));
        let Some([lo, hi, float_lo, float_hi, x, p, relative, d]) = judgement else { continue };
        [lo, hi, float_lo, float_hi, x, p].into_iter().flatten().for_each(|number| hash.number(number));
        hash.small(u8::from(relative.is_some()));
        [relative, d].into_iter().flatten().for_each(|number| hash.number(number));
    }
    hash.small(u8::from(leaf.coefficients.is_some()));
    leaf.coefficients.iter().flatten().for_each(|coefficient| hash.interval(coefficient));
    hash.0
}

struct Fingerprint(u64);

impl Fingerprint {
    fn add(&mut self, z: &IBig) {
        let modulus = IBig::from(MODULUS);
        let next = IBig::from(self.0) * IBig::from(1_000_003) + z;
        let rest = &next - &Rational::new(next.clone(), modulus.clone()).expect("not 0").floor() * &modulus;
        self.0 = u64::try_from(rest).expect("less than the modulus");
    }

    fn small(&mut self, z: u8) {
        self.add(&IBig::from(z));
    }

    fn number(&mut self, x: &Dyadic) {
        self.add(x.mantissa());
        self.add(&IBig::from(exponent(x)));
    }

    fn interval(&mut self, x: &Enclosure) {
        self.number(x.lo());
        self.number(x.hi());
    }
}

fn accuracy(accuracy: &Accuracy) -> String {
    match accuracy {
        Accuracy::CorrectlyRounded => "CorrectlyRounded".to_owned(),
        Accuracy::Ulps(k) => format!("(Ulps {})", fraction(k)),
    }
}

fn theorem(certificate: &Unchecked) -> String {
    let program: &StraightLine = &certificate.program;
    let (format, size) = match program.format {
        Format::Binary64 => ("binary64", "53 1024"),
        Format::Binary32 => ("binary32", "24 128"),
    };
    let (name, result) = (name(&program.name), program.result + 1);
    let library = format!("meets lib {} {}", accuracy(&program.libm.ln), accuracy(&program.libm.exp));
    let numbers = [certificate.range.lo(), certificate.range.hi(), &certificate.error].map(dyadic);
    let [lo, hi, d] = &numbers;
    let mut text = format!(
        "Theorem {name} (lib : libm {size}) : {library} ->\n  error_bound lib inputs prog {result} (dyadic {lo}) (dyadic {hi})\n    (dyadic {d}).\nProof. apply ({format} None boxes). vm_cast_no_check (eq_refl true). Qed.\n"
    );
    text += &corollary(program, &library, &numbers);
    if let Some(node) = certificate.at_most {
        let node = node + 1;
        let _ = write!(
            text,
            "\nTheorem {name}_at_most (lib : libm {size}) : {library} ->\n  error_at_most lib inputs prog {result} {node}.\nProof.\n  apply ({format}_at_most {lo} {hi} {d} boxes).\n  vm_cast_no_check (eq_refl true).\nQed.\n"
        );
    }
    text
}
