//! The program section of a certificate.

use lastbit_lang::{Accuracy, Comparison, Format, Input, InputKind, Libm, Node, Op, Role, StraightLine, Tie};
use lastbit_real::{Dyadic, Enclosure, Float, Rational, Rounding};

use super::CheckError;
use super::json::Json;
use super::numbers::outward_rationals;
use super::read::{Place, array, array_of, fraction, object, place_between, rational, text};

/// Reads the program.
pub(super) fn read(value: &Json<'_>, place: &Place<'_>) -> Result<StraightLine, CheckError> {
    let [name, format, libm, inputs, nodes, result] =
        object(value, place, ["name", "format", "libm", "inputs", "nodes", "result"])?;
    let format_place = place.field("format");
    let format = match text(format, &format_place)? {
        "binary64" => Format::Binary64,
        "binary32" => Format::Binary32,
        _ => return Err(format_place.expected("\"binary64\" or \"binary32\"", format)),
    };
    let mut program = StraightLine::new(text(name, &place.field("name"))?, format);

    let libm_place = place.field("libm");
    let [ln, exp] = object(libm, &libm_place, ["ln", "exp"])?;
    program.libm =
        Libm { ln: accuracy(ln, &libm_place.field("ln"))?, exp: accuracy(exp, &libm_place.field("exp"))? };

    let inputs_place = place.field("inputs");
    for (i, value) in array(inputs, &inputs_place)?.iter().enumerate() {
        program.inputs.push(input(value, &inputs_place.index(i))?);
    }
    let nodes_place = place.field("nodes");
    for (i, value) in array(nodes, &nodes_place)?.iter().enumerate() {
        let op = operation(value, i, program.inputs.len(), &nodes_place.index(i))?;
        program.nodes.push(Node { op, span: None, name: None });
    }
    program.result = place_between(result, 0, program.nodes.len(), &place.field("result"))?;
    Ok(program)
}

/// Whether a library can be as good as that, and is not so bad that it makes a finite value infinite that is not refused already.
fn is_possible(ulps: &Rational) -> bool {
    *ulps >= Rational::pow2(-1) && *ulps <= Rational::pow2(20)
}

pub(super) fn accuracy(value: &Json<'_>, place: &Place<'_>) -> Result<Accuracy, CheckError> {
    let text = text(value, place)?;
    if text == "correctly_rounded" {
        return Ok(Accuracy::CorrectlyRounded);
    }
    text.strip_suffix(" ulp")
        .and_then(fraction)
        .filter(is_possible)
        .map(Accuracy::Ulps)
        .ok_or_else(|| place.expected("\"correctly_rounded\" or \"K ulp\" with 1/2 <= K <= 2^20", value))
}

fn input(value: &Json<'_>, place: &Place<'_>) -> Result<Input, CheckError> {
    let [name, role, kind, lo, hi] = object(value, place, ["name", "role", "kind", "lo", "hi"])?;
    let role_place = place.field("role");
    let spelled = text(role, &role_place)?;
    let known = Role::ALL.iter().find(|(_, name)| *name == spelled);
    let (role, _) = *known.ok_or_else(|| {
        role_place.expected("\"argument\", \"parameter\", \"query\" or \"sample of …\"", role)
    })?;
    let kind_place = place.field("kind");
    let kind = match text(kind, &kind_place)? {
        "float" => InputKind::Float,
        "real" => InputKind::Real,
        "sign" => InputKind::Sign,
        "integer" => InputKind::Integer,
        _ => return Err(kind_place.expected("\"float\", \"real\", \"sign\" or \"integer\"", kind)),
    };
    let name = text(name, &place.field("name"))?.to_owned();
    let (lo, hi) = (rational(lo, &place.field("lo"))?, rational(hi, &place.field("hi"))?);
    Ok(Input { name, role, kind, lo, hi })
}

/// The operation of node `id`, whose operands are earlier nodes.
fn operation(value: &Json<'_>, id: usize, inputs: usize, place: &Place<'_>) -> Result<Op, CheckError> {
    let items = array(value, place)?;
    let name = items.first().ok_or_else(|| place.expected("an operation", "an empty array"))?;
    let name = text(name, &place.index(0))?;
    let node = |i: usize| match items.get(i) {
        Some(item) => place_between(item, 0, id, &place.index(i)),
        None => Err(place.index(i).expected("an operand", "none")),
    };
    let word = |i: usize| match items.get(i) {
        Some(item) => text(item, &place.index(i)),
        None => Err(place.index(i).expected("a string", "none")),
    };
    let op = match name {
        "input" => match items.get(1) {
            Some(item) => Op::Input(place_between(item, 0, inputs, &place.index(1))?),
            None => return Err(place.index(1).expected("an input", "none")),
        },
        "const" => fraction(word(1)?)
            .map(Op::Const)
            .ok_or_else(|| place.index(1).expected("a fraction in lowest terms, or an integer", &items[1]))?,
        "neg" => Op::Neg(node(1)?),
        "abs" => Op::Abs(node(1)?),
        "add" => Op::Add(node(1)?, node(2)?),
        "sub" => Op::Sub(node(1)?, node(2)?),
        "mul" => Op::Mul(node(1)?, node(2)?),
        "div" => Op::Div(node(1)?, node(2)?),
        "fma" => Op::Fma(node(1)?, node(2)?, node(3)?),
        "sqrt" => Op::Sqrt(node(1)?),
        "ln" => Op::Ln(node(1)?),
        "exp" => Op::Exp(node(1)?),
        "min" => Op::Min(node(1)?, node(2)?),
        "max" => Op::Max(node(1)?, node(2)?),
        "clamp" => Op::Clamp { arg: node(1)?, bound: node(2)? },
        "round" => {
            let exponent = match items.get(2) {
                Some(Json::Integer(k)) => *k,
                _ => return Err(place.index(2).expected("an integer", "something else")),
            };
            let tie = match word(3)? {
                "up" => Tie::Up,
                "even" => Tie::Even,
                "away" => Tie::Away,
                other => return Err(place.index(3).expected("\"up\", \"even\" or \"away\"", other)),
            };
            Op::Round { arg: node(1)?, exponent, tie }
        }
        "if" => {
            let test = match word(1)? {
                "<" => Comparison::Less,
                "<=" => Comparison::LessOrEqual,
                "==" => Comparison::Equal,
                other => return Err(place.index(1).expected("\"<\", \"<=\" or \"==\"", other)),
            };
            Op::Select { test, lhs: node(2)?, rhs: node(3)?, then: node(4)?, otherwise: node(5)? }
        }
        other => return Err(place.index(0).expected("an operation", other)),
    };
    let length = match op {
        Op::Input(_) | Op::Const(_) => 2,
        Op::Round { .. } => 4,
        Op::Select { .. } => 6,
        _ => 1 + op.operands().count(),
    };
    array_of(value, length, place)?;
    Ok(op)
}

/// The box that the tree's root stands for: the range of each input, as VAR reads it.
pub(super) fn root_box(program: &StraightLine, place: &Place<'_>) -> Result<Vec<Enclosure>, CheckError> {
    let place = place.field("inputs");
    let ranges = program.inputs.iter().enumerate();
    ranges
        .map(|(i, input)| {
            let range = match input.kind {
                InputKind::Float => floats_inside(program.format, &input.lo, &input.hi),
                InputKind::Real => outward_rationals(&input.lo, &input.hi),
                InputKind::Sign if input.lo == -Rational::ONE && input.hi == Rational::ONE => {
                    Enclosure::new(-Dyadic::ONE, Dyadic::ONE)
                }
                InputKind::Sign => None,
                InputKind::Integer => Enclosure::new(input.lo.ceil().into(), input.hi.floor().into()),
            };
            let found = format!("{} to {}", input.lo, input.hi);
            range.ok_or_else(|| place.index(i).expected("a range that has a value of its kind", found))
        })
        .collect()
}

/// From the least to the greatest float of the range.
fn floats_inside(format: Format, lo: &Rational, hi: &Rational) -> Option<Enclosure> {
    fn ends<F: Float>(lo: &Rational, hi: &Rational) -> Option<Enclosure> {
        let (lo, hi) = (F::from_rational(lo, Rounding::Up), F::from_rational(hi, Rounding::Down));
        Enclosure::new(lo.to_dyadic().ok()?, hi.to_dyadic().ok()?)
    }
    match format {
        Format::Binary64 => ends::<f64>(lo, hi),
        Format::Binary32 => ends::<f32>(lo, hi),
    }
}
