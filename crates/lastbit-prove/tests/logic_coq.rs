//! Privacy certificates in Coq: what the kernel accepts, Coq accepts; what it refuses, Coq refuses.
//!
//! Coq is run if `coqc` is on the path and the library in `coq/` is compiled; another place of it can be given in `LASTBIT_COQ`. Otherwise
//! the files are written and looked at, and the tests say what they have left out.

use std::collections::BTreeMap;

use crate::common::coqc;
use lastbit_lang::parse;
use lastbit_prove::logic::certificate::{self, Certificate};
use lastbit_prove::logic::coq::{Unsupported, privacy_to_coq};
use lastbit_prove::logic::kernel::{Leaf, Map, Proof};
use lastbit_prove::logic::prove::{Options, prove};
use lastbit_real::Rational;

const RESPONSE: &str = include_str!("../../../mechanisms/randomized_response.lb");
const SELECTION: &str = include_str!("../../../mechanisms/standard/selection.lb");
const SNAPPING: &str = include_str!("../../../mechanisms/snapping.lb");

/// The certificate of a declaration: by a script of its own if it has one, otherwise found.
fn certificate(text: &str, name: &str) -> Certificate {
    let (file, messages) = parse(text);
    assert!(messages.is_empty(), "{messages:?}");
    let declaration = file.declaration(name).expect("it is in the text");
    let values = BTreeMap::new();
    let report = prove(&file, declaration, &values, &Options::default(), &mut |_| {}).expect("it can be run");
    let (proof, _) = report.proved().unwrap_or_else(|| panic!("{name} is not proved"));
    let json = certificate::to_json(text, name, &values, proof).to_string();
    certificate::read(&json).expect("what is written can be read")
}

/// Asserts that Coq says of a certificate what the kernel says.
fn agree(certificate: &Certificate, what: &str) {
    let coq = privacy_to_coq(certificate).unwrap_or_else(|error| panic!("{what}: {error}"));
    let wide = coq.lines().find(|line| line.chars().count() > 110 && line.contains(' '));
    assert_eq!(wide, None, "{what}");
    let name = format!("{}-{}", certificate.declaration, what.replace(' ', "-"));
    if let Some(verdict) = coqc(&name, &coq) {
        assert_eq!(
            certificate.check().is_ok(),
            verdict.is_ok(),
            "{name}: {:?}, {verdict:?}",
            certificate.check()
        );
    }
}

fn with(certificate: &Certificate, change: impl FnOnce(&mut Proof)) -> Certificate {
    let mut mutant = certificate.clone();
    change(&mut mutant.proof);
    mutant
}

fn with_text(certificate: &Certificate, from: &str, to: &str) -> Certificate {
    assert!(certificate.text.contains(from), "{from}");
    Certificate { text: certificate.text.replace(from, to), ..certificate.clone() }
}

/// Changes that every certificate can have.
fn agree_on_mutants(certificate: &Certificate) {
    agree(certificate, "as it is");
    let half = Rational::new(1, 2).expect("a fraction");
    agree(&with(certificate, |proof| proof.cost = proof.cost.scale(&half)), "half of the cost");
    agree(&with(certificate, |proof| drop(proof.leaves.pop())), "a leaf removed");
    agree(&with(certificate, |proof| proof.leaves.push(Leaf::Vacuous)), "a leaf added");
    let last = |proof: &Proof| proof.lemmas.len() - 1;
    agree(&with(certificate, |proof| drop(proof.lemmas.remove(last(proof)))), "the last lemma removed");
    let product = |proof: &Proof| {
        let has_product = |place: &usize| !proof.lemmas[*place].refutation.products.is_empty();
        (0..proof.lemmas.len()).rfind(has_product).expect("a lemma with products")
    };
    let tripled = with(certificate, |proof| {
        let place = product(proof);
        let coefficient = &mut proof.lemmas[place].refutation.products[0].0;
        *coefficient = &*coefficient * &Rational::from(3);
    });
    agree(&tripled, "a coefficient times three");
    let negative = with(certificate, |proof| {
        let place = product(proof);
        let coefficient = &mut proof.lemmas[place].refutation.products[0].0;
        *coefficient = -coefficient.clone();
    });
    agree(&negative, "a negative coefficient");
    let dropped = with(certificate, |proof| {
        let place = product(proof);
        proof.lemmas[place].constraints.pop();
    });
    agree(&dropped, "a constraint dropped from a lemma");
}

#[test]
fn randomized_response_by_align() {
    let certificate = certificate(RESPONSE, "randomized_response");
    assert!(certificate.proof.leaves.iter().all(|leaf| matches!(leaf, Leaf::Align(_))));
    agree_on_mutants(&certificate);
    agree(&with_text(&certificate, "(exp(eps) + 1)", "(exp(2 * eps) + 1)"), "fewer lies");
    agree(&with_text(&certificate, "!answer }", "answer }"), "no lies");
    agree(&with_text(&certificate, "eps: real > 0", "eps: real"), "any eps");
    agree(&with_text(&certificate, "claim pure eps", "claim pure eps / 2"), "half of the claim");
    let swapped = with(&certificate, |proof| {
        let Some(Leaf::Align(alignment)) = proof.leaves.first_mut() else { panic!("by ALIGN") };
        for (map, _) in alignment.pieces.iter_mut().flat_map(|piece| piece.maps.values_mut()) {
            if let Map::Permute(images) = map {
                images.reverse();
            }
        }
    });
    agree(&swapped, "a permutation changed");
}

#[test]
fn randomized_response_by_enumeration() {
    let certificate = certificate(SELECTION, "randomized_response");
    assert!(certificate.proof.leaves.iter().any(|leaf| matches!(leaf, Leaf::Finite(_))));
    agree_on_mutants(&certificate);
    agree(&with_text(&certificate, "(exp(eps) + 1)", "(exp(eps) + 2)"), "fewer lies");
}

#[test]
fn exponential() {
    let certificate = certificate(SELECTION, "exponential");
    agree(&certificate, "as it is");
    agree(&with_text(&certificate, "eps * score[0] / 2", "eps * score[0]"), "a score not halved");
}

#[test]
fn snapping_by_events() {
    let certificate = certificate(SNAPPING, "snap");
    assert!(certificate.proof.leaves.iter().all(|leaf| matches!(leaf, Leaf::Event(_))));
    agree_on_mutants(&certificate);
    agree(&with_text(&certificate, "ln(u) / eps", "ln(u) / (2 * eps)"), "half of the noise");
    agree(&with_text(&certificate, "<= 1", "<= 2"), "inputs further apart");
    agree(&with_text(&certificate, "L, up", "L, even"), "ties to even");
    agree(&with_text(&certificate, "round(w, L, up)", "round(-w, L, up)"), "not monotone");
}

#[test]
fn the_file_says_what_the_text_says() {
    let coq = privacy_to_coq(&certificate(RESPONSE, "randomized_response")).unwrap();
    let definition = "\
Definition randomized_response (eps : R) (answer : bool) : dist bool :=
  lie <$ bernoulli (1 / (exp eps + 1)) ;;
  let r := if lie then negb answer else answer in
  unit r.
";
    let theorem = "\
Theorem randomized_response_private (eps : R) (answer1 answer2 : bool) :
  eps > 0 -> adjacent eps answer1 answer2 ->
  randomized_response_defined eps answer1 /\\ randomized_response_defined eps answer2 /\\
  forall E, prob (randomized_response eps answer1) E <= exp eps * prob (randomized_response eps answer2) E /\\
    prob (randomized_response eps answer2) E <= exp eps * prob (randomized_response eps answer1) E.
";
    assert!(coq.contains(definition) && coq.contains(theorem), "{coq}");
    let words: Vec<&str> = coq.split_whitespace().collect();
    assert!(words.join(" ").contains("Neighbours are, for example: eps = 1, answer<1> = "), "{coq}");
}

/// Loops, arrays, lists, branches, and names that mean something else in Coq.
#[test]
fn the_whole_fragment() {
    let text = "
        mechanism fun(match: bool) -> [int]
          param eps: real > 0, n: int = 2
          claim pure eps
        {
          var r: int[n];
          lie <$ bernoulli(1 / (exp(eps) + 1));
          for i in 0..n {
            s <$ sign;
            if s = 1 { r[i] := i; } else { r[i] := -i; }
          }
          answer := if lie { !match } else { match };
          if answer { return [r[1], 1]; }
          return [r[1], 0];
        }";
    agree(&certificate(text, "fun"), "as it is");
}

/// Names of what Coq's statements are made of, and of its commands.
#[test]
fn names_that_mean_something_in_coq() {
    for name in ["True", "False", "Parameter", "prob"] {
        let text = "
            mechanism NAME(Rabs: bool) -> bool
              param Theorem: real > 0
              claim pure Theorem
            { False <$ bernoulli(1 / (exp(Theorem) + 1));  IZR := if False { !Rabs } else { Rabs };  return IZR }"
            .replace("NAME", name);
        agree(&certificate(&text, name), "as it is");
    }
}

/// Neighbours in one direction only, and cases on numbers.
#[test]
fn directions_and_cases() {
    let text = "
        mechanism higher(x: real in [0, 1]) -> int
          param eps: real > 0
          adjacent x<1> >= x<2>
          claim pure eps
        { k <$ choose(exp(eps * x / 2), exp(-eps * x / 2));  return k }";
    agree(&certificate(text, "higher"), "as it is");
    let text = "
        mechanism ignores(x: real) -> bool
          param eps: real > 0
          adjacent |x<1> - x<2>| <= 1
          claim pure eps
        { coin <$ bernoulli(1 / 2);  return coin }
        proof {
          case x<1> >= x<2> { align coin cost 0 { true => (coin); }; }
          case x<1> < x<2> { align coin cost 0 { true => (coin); }; }
        }";
    let certificate = certificate(text, "ignores");
    assert!(matches!(certificate.proof.leaves[..], [Leaf::Split(..)]));
    agree(&certificate, "as it is");
    let shorter = with(&certificate, |proof| {
        if let Some(Leaf::Split(_, leaves)) = proof.leaves.first_mut() {
            leaves.pop();
        }
    });
    agree(&shorter, "a case removed");
}

#[test]
fn what_is_not_exported() {
    let unsupported = |text: &str, name: &str| privacy_to_coq(&certificate(text, name)).unwrap_err();
    assert_eq!(unsupported(SELECTION, "geometric"), Unsupported::Noise("dlap"));
    let compares = with_text(&certificate(RESPONSE, "randomized_response"), "{ !answer }", "{ eps > 2 }");
    assert_eq!(privacy_to_coq(&compares), Err(Unsupported::Comparison));
    let laplace = "
        mechanism laplace(x: real) -> real
          param eps: real > 0
          adjacent |x<1> - x<2>| <= 1
          claim pure eps
        { z <$ lap(1 / eps);  return x + z }";
    assert_eq!(unsupported(laplace, "laplace"), Unsupported::Noise("lap"));
    let message = Unsupported::Noise("lap").to_string();
    assert_eq!(
        message,
        "samples from `lap` have infinitely many values; finite mechanisms and proofs by EVENT are exported"
    );
}
