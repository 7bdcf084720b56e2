//! Coq and the checker of this crate accept and refuse the same loss certificates, of programs that are written in any of the ways that are
//! recognised.
//!
//! Where there is no coqc, or the library is not compiled (`coq/check`), what was skipped is said.

use crate::common::coqc;
use lastbit_lang::parse;
use lastbit_prove::coq::{Unsupported, loss_bound, theorems};
use lastbit_prove::endpoint::answer::{FloatAnswer, Options};
use lastbit_prove::endpoint::certificate::LossCertificate;
use lastbit_prove::endpoint::{Given, Total};
use lastbit_real::Rational;

fn certificate(body: &str) -> LossCertificate {
    let text = format!(
        "mechanism snap(x: f64 in [-100, 100]) -> grid  adjacent |x<1> - x<2>| <= 1  sampler unif = ulp(0,1)
         {{ u <$ unif(0,1);  s <$ sign;  {body} }}"
    );
    let (file, _) = parse(&text);
    let answer = FloatAnswer::find(&file, &file.declarations[0], Given::default(), &Options::default());
    answer.expect("a text").certificate(&text).expect("a snapping mechanism")
}

/// Each with another order of operands, form of noise, rule for ties.
const BODIES: [&str; 5] = [
    "c := clamp(x, 10);  y := ln(u) / 0.75;  w := c + s * y;  return clamp(round(w, 2, up), 10)",
    "c := clamp(x, 10);  y := 0.75 * ln(u);  w := s * y + c;  return clamp(round(w, 1, even), 10)",
    "c := clamp(x, 7.5);  y := ln(u) * 3;  w := c + y * s;  return clamp(round(w, 4, away), 7.5)",
    "c := clamp(x, 10);  y := ln(u);  w := y * s + c;  return clamp(round(w, 1, up), 10)",
    "c := clamp(x, 50);  y := ln(u) / 4;  w := c + s * y;  return clamp(round(w, 0.25, up), 50)",
];

#[test]
fn what_is_certified_is_accepted() {
    for body in BODIES {
        let certificate = certificate(body);
        certificate.check().expect("it is its own");
        let file = loss_bound(&certificate).expect("a file");
        assert_eq!(theorems(&file), ["snap"]);
        if let Some(Err(said)) = coqc(body, &file) {
            panic!("{body}: {said}");
        }
    }
}

/// A claim that is less by far less than an ulp, and a theorem about another program.
#[test]
fn what_is_less_or_about_another_program_is_refused() {
    let right = certificate(BODIES[0]);
    let mut less = right.clone();
    less.certified.total = Total::Pure { loss: right.certified.loss() - Rational::pow2(-90) };
    assert!(less.check().is_err());
    let file = loss_bound(&right).expect("a file");
    let other = file.replace("Clamp 3 4;", "Abs 3;");
    assert_ne!(other, file);
    for (what, file) in [("a smaller loss", loss_bound(&less).expect("a file")), ("another program", other)] {
        if let Some(verdict) = coqc(what, &file) {
            assert!(verdict.is_err(), "{what} is accepted");
        }
    }
}

#[test]
fn a_narrower_u_is_not_exported() {
    let mut narrow = certificate(BODIES[0]);
    let place = narrow.program.inputs.iter().position(|input| input.name == "u").expect("it is drawn");
    narrow.program.inputs[place].hi = Rational::pow2(-1);
    assert_eq!(loss_bound(&narrow), Err(Unsupported::Theorem("u that is every double of (0, 1)")));
}
