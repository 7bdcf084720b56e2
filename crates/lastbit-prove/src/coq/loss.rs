//! Loss certificates of the floating-point snapping mechanism.

use lastbit_lang::{Accuracy, Tie};
use lastbit_real::{Dyadic, IBig, Rational, Rounding};

use super::text::{comment, integer, name};
use crate::endpoint::certificate::LossCertificate;
use crate::endpoint::{FloatSnap, Noise, Sampler};

/// Why there is no Coq file.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
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
    // What is printed, to 20 digits: the library's distances may be a few ulps more than ours where ties do not go up.
    let decimal = loss.to_decimal(20, Rounding::Up);
    let stated: Rational = decimal.parse().expect("a decimal number");
    let numbers = Numbers::of(mechanism, &certificate.sensitivity);
    let (notations, noise) = noise(mechanism.noise())?;
    let tie = match mechanism.tie() {
        Tie::Up => "ties_up",
        Tie::Even => "ties_even",
        Tie::Away => "ties_away",
    };
    let snap = |input: &str| format!("(snap {tie} (fun u => {noise}) L B {input})");
    let sensitivity = real(&certificate.sensitivity);
    Ok(format!(
        "(* {title}: the privacy loss of snapping in binary64.

     {parameter}, B = {bound}, L = 2^{exponent}, ties {ties}, inputs at most {distance} apart
     loss <= {decimal}

   u is every double of (0, 1) with a probability in proportion to its ulp, LN any correctly rounded logarithm, s a fair sign.
   Numbers are doubles. For every output e there are probabilities p and p', under the inputs f and f', with p <= exp(loss)·p'
   (snap and ratio_at_most are defined in FloatSnap.v, F and rnd, the doubles and their rounding, in Double.v).
   Accepted by Coq, this file is a proof of the theorem. *)
From Lastbit Require Import LossCertificate.

{notations}
Notation B := {b}.
Notation L := (bpow radix2 {k}).
Notation loss := {loss}.

Theorem {name} (LN : R -> R) : correctly_rounded_ln LN ->
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
",
        title = comment(&program.name),
        parameter = match mechanism.noise() {
            Noise::Divided { epsilon } => format!("eps = {}", epsilon.to_f64(Rounding::Nearest)),
            Noise::Multiplied { scale } => format!("lambda = {} = 1/eps", scale.to_f64(Rounding::Nearest)),
        },
        ties = crate::certificate::tie_name(mechanism.tie()),
        bound = mechanism.bound(),
        exponent = mechanism.lambda().floor_log2().unwrap_or(0),
        distance = certificate.sensitivity,
        b = dyadic(mechanism.exact_bound())?,
        k = integer(&IBig::from(mechanism.lambda().floor_log2().unwrap_or(0))),
        loss = real(&stated),
        name = name(&program.name),
        of_f = snap("f"),
        of_f2 = snap("f'"),
        rho = if is_power(mechanism.noise()) { "bpow radix2 (-53)" } else { "bpow radix2 (-52)" },
        top = mechanism.top(),
        j = integer(&IBig::from(numbers.exponent)),
        factor = if mechanism.tie() == Tie::Up { "" } else { "2 * " },
        near = real(&numbers.near),
        own = real(&numbers.own),
        neighbour = real(&numbers.neighbour),
    ))
}

/// What the theorem asks for, in units of `1/ε`: distances of thresholds, each rounded up a little, since equalities of numbers that
/// are not dyadic can not be shown by enclosures.
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
        let (rate, bound, lambda) = (mechanism.rate(), mechanism.exact_bound(), mechanism.lambda());
        let middle = (Rational::from(mechanism.top()) - Rational::pow2(-1)) * &lambda;
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
            own: above((rate * (&lambda + &d)).min(reach.clone())),
            neighbour: above((rate * (&lambda + &d + sensitivity)).min(reach)),
        }
    }
}

/// What `ε` stands for, and `y`.
fn noise(noise: &Noise) -> Result<(String, &'static str), Unsupported> {
    let parameter = |x: &Rational| match power_of_two(x) {
        Some(k) => Ok(format!("(bpow radix2 {})", integer(&IBig::from(k)))),
        None => dyadic(x),
    };
    Ok(match noise {
        Noise::Divided { epsilon } => {
            (format!("Notation eps := {}.", parameter(epsilon)?), "rnd (LN u / eps)")
        }
        Noise::Multiplied { scale } => (
            format!("Notation lambda := {}.\nNotation eps := (/ lambda).", parameter(scale)?),
            "rnd (lambda * LN u)",
        ),
    })
}

fn is_power(noise: &Noise) -> bool {
    let (Noise::Divided { epsilon: parameter } | Noise::Multiplied { scale: parameter }) = noise;
    power_of_two(parameter).is_some()
}

fn power_of_two(x: &Rational) -> Option<i64> {
    x.floor_log2().filter(|&k| x.is_positive() && *x == Rational::pow2(k))
}

/// A double as `m·2^e`.
fn dyadic(x: &Rational) -> Result<String, Unsupported> {
    let double = x.to_f64(Rounding::Nearest);
    match Dyadic::try_from(x) {
        Ok(exact) if Rational::try_from(double).as_ref() == Ok(x) => {
            let [m, e] = [exact.mantissa().clone(), IBig::from(exact.exponent())].map(|z| integer(&z));
            Ok(format!("(IZR {m} * bpow radix2 {e})"))
        }
        _ => Err(Unsupported::Theorem("parameters that are doubles")),
    }
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
