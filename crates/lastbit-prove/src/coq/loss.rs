//! Loss certificates of the floating-point snapping mechanism.

use lastbit_lang::{Accuracy, Format, InputKind, NodeId, Op, StraightLine, Tie};
use lastbit_real::{Dyadic, IBig, Rational, Rounding};

use super::error::{operation, tie_name};
use super::text::{comment, integer, name, wrapped};
use crate::endpoint::certificate::LossCertificate;
use crate::endpoint::{FloatSnap, Noise, Sampler, SnappingShape, noise_error, recognise};

/// The reason why there is no Coq file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unsupported {
    /// The theorem in the library is about something else.
    #[error("the theorem is about {0}")]
    Theorem(&'static str),
}

/// The Coq file of a loss certificate. The certificate is not checked.
///
/// # Errors
/// [`Unsupported`], if the library's theorem is not about such a mechanism.
pub fn loss_bound(certificate: &LossCertificate) -> Result<String, Unsupported> {
    let program = &certificate.program;
    let mechanism = certificate.mechanism();
    let (loss, delta) = certificate.total();
    if delta.is_some() {
        return Err(Unsupported::Theorem("pure differential privacy, for M = ε(2B + Λ/2) <= 700"));
    }
    if mechanism.sampler() != Sampler::Ulp {
        return Err(Unsupported::Theorem("u that is every double of (0, 1), by its ulp"));
    }
    if !certificate.sensitivity.is_positive() {
        return Err(Unsupported::Theorem("inputs that are some positive distance apart"));
    }
    if program.libm.ln != Accuracy::CorrectlyRounded {
        return Err(Unsupported::Theorem("a correctly rounded logarithm"));
    }
    let numbers = Numbers::of(mechanism, &certificate.sensitivity);
    let written = Written::of(program, mechanism)?;
    let noise = match mechanism.noise() {
        Noise::Divided { .. } => "rnd (LN u / eps)",
        Noise::Multiplied { .. } => "rnd (lambda * LN u)",
    };
    let tie = match mechanism.tie() {
        Tie::Up => "ties_up",
        Tie::Even => "ties_even",
        Tie::Away => "ties_away",
    };
    let snap = |input: &str| format!("(snap {tie} (fun u => {noise}) L B {input})");
    let sensitivity = real(&certificate.sensitivity);
    Ok(format!(
        "(* {title}: the privacy loss of this program in binary64: a snapping mechanism.

     {parameter}, B = {bound}, L = 2^{exponent}, ties {ties}, inputs at most {distance} apart
     loss <= {decimal}, to 20 digits; below it is stated exactly, as the certificate has it

   u is every double of (0, 1) with a probability in proportion to its ulp, s a fair sign, and the program runs with any library
   whose logarithm is correctly rounded and whose rounding to a grid is exact. Its result is finite, and for every output e there
   are probabilities p and p', for the inputs f and f', with p <= exp(loss)·p' (loss_bound is defined in SnapProgram.v,
   ratio_at_most and snap in FloatSnap.v, F and rnd, the doubles and their rounding, in Double.v).
   Accepted by Coq, this file is a proof of what it states last. *)
From Lastbit Require Import LossCertificate.

Definition prog : program := [
  {prog}].

(* What the program takes for its inputs, in their order. *)
Definition inputs (f u s : float64) : list float64 := [{inputs}].

{notations}
Notation B := {b}.
Notation L := (bpow radix2 {k}).
Notation loss := {loss}.

(* The real numbers that it computes. *)
Lemma of_numbers (LN : R -> R) : correctly_rounded_ln LN ->
  forall f f' e, F f -> F f' -> Rabs (f - f') <= {sensitivity} ->
  ratio_at_most (exp loss)
    {of_f}
    {of_f2} e.
Proof.
  intros correct.
  apply certified_loss with (eps := eps) (rho := {rho}) (N := {top}%Z) (j := {j}%Z)
    (d := {factor}bpow radix2 ({j} - 54)) (near := {near})
    (W := {own}) (Dn := {neighbour});
    loss_numbers.
Qed.

Theorem {name} (lib : libm 53 1024) : correct_ln_and_grid lib ->
  loss_bound lib prog {result} inputs {sensitivity} loss.
Proof.
  intros correct.
  apply (program_loss lib correct ({form}) {swaps} {k} {to_grid} {b_parts});
    [is_snapping | in_range | in_range | in_range | in_range | exact of_numbers].
Qed.
",
        title = comment(&program.name),
        parameter = match mechanism.noise() {
            Noise::Divided { epsilon } => format!("eps = {}", epsilon.to_f64(Rounding::Nearest)),
            Noise::Multiplied { scale } => format!("lambda = {} = 1/eps", scale.to_f64(Rounding::Nearest)),
        },
        ties = crate::certificate::tie_name(mechanism.tie()),
        bound = mechanism.bound(),
        exponent = mechanism.grid().floor_log2().unwrap_or(0),
        distance = certificate.sensitivity,
        decimal = loss.to_decimal(20, Rounding::Up),
        prog = wrapped(program.nodes.iter().map(|node| operation(Format::Binary64, &node.op)), ";", "  "),
        inputs = written.inputs.join("; "),
        notations = match mechanism.noise() {
            Noise::Divided { .. } => format!("Notation eps := {}.", written.parameter.real()),
            Noise::Multiplied { .. } =>
                format!("Notation lambda := {}.\nNotation eps := (/ lambda).", written.parameter.real()),
        },
        b = written.bound.real(),
        k = integer(&IBig::from(mechanism.grid().floor_log2().unwrap_or(0))),
        loss = real(loss),
        of_f = snap("f"),
        of_f2 = snap("f'"),
        rho = real(&written.relative),
        top = mechanism.top(),
        j = integer(&IBig::from(numbers.exponent)),
        factor = if mechanism.tie() == Tie::Up { "" } else { "2 * " },
        near = real(&numbers.near),
        own = real(&numbers.own),
        neighbour = real(&numbers.neighbour),
        name = name(&program.name),
        result = program.result + 1,
        form = written.form,
        swaps = written.swaps,
        to_grid = tie_name(mechanism.tie()),
        b_parts = written.bound.parts(),
    ))
}

/// A double, as the two integers of `m·2^e`.
struct Double {
    mantissa: String,
    exponent: String,
}

impl Double {
    fn of(x: &Rational) -> Result<Double, Unsupported> {
        let double = x.to_f64(Rounding::Nearest);
        match Dyadic::try_from(x) {
            Ok(exact) if Rational::try_from(double).as_ref() == Ok(x) => {
                let [mantissa, exponent] =
                    [exact.mantissa().clone(), IBig::from(exact.exponent())].map(|z| integer(&z));
                Ok(Double { mantissa, exponent })
            }
            _ => Err(Unsupported::Theorem("parameters that are doubles")),
        }
    }

    fn parts(&self) -> String {
        format!("{} {}", self.mantissa, self.exponent)
    }

    fn real(&self) -> String {
        format!("(IZR {} * bpow radix2 {})", self.mantissa, self.exponent)
    }
}

/// How the program is written: the theorem knows its operands in either order, and takes its parameters from it.
struct Written {
    inputs: Vec<String>,
    /// `ε` or `λ`.
    parameter: Double,
    /// The relative error of the noise, as the checker derives it, so that both come to the same loss. The library knows that it is at most
    /// `2^-53` if the parameter is a power of two, and `2^-52` otherwise.
    relative: Rational,
    bound: Double,
    /// A `noise_form`.
    form: String,
    /// Whether the operands of the sum, and of the product with the sign, are swapped.
    swaps: String,
}

impl Written {
    fn of(program: &StraightLine, mechanism: &FloatSnap) -> Result<Written, Unsupported> {
        let Ok(shape) = recognise(program) else { return NOT_THE_PROGRAM };
        let (Noise::Divided { epsilon: parameter } | Noise::Multiplied { scale: parameter }) =
            mechanism.noise();
        let (least, most) = (Rational::pow2(-500), Rational::pow2(500));
        if *parameter < least || *parameter > most {
            return Err(Unsupported::Theorem("ε, or the scale, between 2^-500 and 2^500"));
        }
        let too_large = Rational::pow2(1000);
        if *mechanism.exact_bound() > too_large || mechanism.grid() > too_large {
            return Err(Unsupported::Theorem("bounds and grids of at most 2^1000"));
        }
        let known = Rational::pow2(if power_of_two(parameter).is_some() { -53 } else { -52 });
        let Ok(error) = noise_error(program, &shape) else { return NOT_THE_PROGRAM };
        let relative = error.relative.max(known);
        let parameter = Double::of(parameter)?;
        let operand = |node: NodeId| &program.nodes[node].op;
        let is_ln = |node: NodeId| matches!(operand(node), Op::Ln(_));
        let (form, constant) = match *operand(shape.y) {
            Op::Div(_, eps) => (format!("Divided {}", parameter.parts()), Some(eps)),
            Op::Mul(a, b) if is_ln(a) => (format!("ScaledRight {}", parameter.parts()), Some(b)),
            Op::Mul(a, _) => (format!("Scaled {}", parameter.parts()), Some(a)),
            _ => ("Plain".to_owned(), None),
        };
        // The shape, once more: which operand is which.
        let Op::Clamp { arg: rounded, bound: outer } = *operand(program.result) else {
            return NOT_THE_PROGRAM;
        };
        let Op::Round { arg: sum, .. } = *operand(rounded) else { return NOT_THE_PROGRAM };
        let Op::Clamp { bound: inner, .. } = *operand(shape.x) else { return NOT_THE_PROGRAM };
        let Op::Add(a, b) = *operand(sum) else { return NOT_THE_PROGRAM };
        let swaps_sum = a != shape.x;
        let Op::Mul(sign, _) = *operand(if swaps_sum { a } else { b }) else { return NOT_THE_PROGRAM };
        let swaps_sign = sign != shape.s;
        let is_other = |node: &NodeId| !matches!(operand(*node), Op::Const(_) | Op::Input(_));
        if [Some(outer), Some(inner), constant].into_iter().flatten().any(|node| is_other(&node)) {
            return Err(Unsupported::Theorem("bounds and scales that are numbers as they stand"));
        }
        Ok(Written {
            inputs: inputs(program, &shape)?,
            parameter,
            relative,
            bound: Double::of(mechanism.exact_bound())?,
            form,
            swaps: format!("{swaps_sum} {swaps_sign}"),
        })
    }
}

const NOT_THE_PROGRAM: Result<Written, Unsupported> =
    Err(Unsupported::Theorem("the sum of a clamped input and noise with a sign"));

/// `f`, `u` and `s` where the program has them, and the values of inputs that have one.
fn inputs(program: &StraightLine, shape: &SnappingShape) -> Result<Vec<String>, Unsupported> {
    let place = |node: NodeId| match program.nodes[node].op {
        Op::Input(place) => Some(place),
        _ => None,
    };
    let list = program.inputs.iter().enumerate().map(|(i, input)| {
        let is = |node: NodeId| place(node) == Some(i);
        if is(shape.u) {
            let (least, most) = (Rational::pow2(-1074), Rational::ONE - Rational::pow2(-53));
            let is_whole = input.kind == InputKind::Float && input.lo <= least && input.hi >= most;
            let refused = Err(Unsupported::Theorem("u that is every double of (0, 1)"));
            return if is_whole { Ok("u".to_owned()) } else { refused };
        }
        match [(shape.f, "f"), (shape.s, "s")].into_iter().find(|&(node, _)| is(node)) {
            Some((_, name)) => Ok(name.to_owned()),
            None if input.lo == input.hi => Ok(format!("of_dyadic {}", Double::of(&input.lo)?.parts())),
            None => Err(Unsupported::Theorem("programs whose inputs are f, u, s and constants")),
        }
    });
    list.collect()
}

/// What the theorem asks for, in units of `1/ε`: distances of thresholds, each rounded up a little, since equalities of numbers that
/// are not dyadic cannot be shown by enclosures.
struct Numbers {
    /// `j`: the outermost middle between two multiples of `Λ` is below `2^j`.
    exponent: i64,
    /// Of the outermost threshold from an input beyond it.
    near: Rational,
    /// Of the thresholds of an input's own cell.
    own: Rational,
    /// Of the thresholds of the other input's cell.
    neighbour: Rational,
}

impl Numbers {
    fn of(mechanism: &FloatSnap, sensitivity: &Rational) -> Numbers {
        let (rate, bound, grid) = (mechanism.rate(), mechanism.exact_bound(), mechanism.grid());
        let middle = (Rational::from(mechanism.top()) - Rational::pow2(-1)) * &grid;
        let exponent = middle.floor_log2().map_or(0, |log2| log2 + 1);
        let h = Rational::pow2(exponent - 54);
        let d = if mechanism.tie() == Tie::Up { h.clone() } else { Rational::from(2) * &h };
        let reach = rate * (bound + &middle + &h);
        let above = |x: Rational| {
            let fine = Rational::pow2(100);
            (Rational::from((x * &fine).floor()) + Rational::from(2)) / fine
        };
        Numbers {
            exponent,
            near: above((rate * (bound - &middle + &h)).max(Rational::ZERO)),
            own: above((rate * (&grid + &d)).min(reach.clone())),
            neighbour: above((rate * (&grid + &d + sensitivity)).min(reach)),
        }
    }
}

fn power_of_two(x: &Rational) -> Option<i64> {
    x.floor_log2().filter(|&k| x.is_positive() && *x == Rational::pow2(k))
}

/// A fraction as a real number.
fn real(x: &Rational) -> String {
    let denominator = x.denominator();
    if x.is_integer() {
        integer(&x.numerator())
    } else {
        format!("({} / {denominator})", integer(&x.numerator()))
    }
}
