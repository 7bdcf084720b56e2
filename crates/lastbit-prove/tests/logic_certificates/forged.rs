//! Certificates of false statements, each made by hand to go through a gap that a rule could have.

use lastbit_lang::parse;
use lastbit_lang::symbolic::{Constraint, Polynomial, Program};
use lastbit_prove::logic::certificate::{Certificate, CertificateError};
use lastbit_prove::logic::kernel::{
    Alignment, Axiom, Judge, Leaf, Lemma, Lemmas, Map, Piece, Proof, Refutation, Theorem, check_leaves,
};
use lastbit_prove::logic::refute::Neighbours;
use lastbit_prove::logic::search::Finder;
use lastbit_real::Rational;

fn variable(name: &str) -> Polynomial {
    Polynomial::variable(name)
}

fn number(value: i64) -> Polynomial {
    Polynomial::constant(value)
}

fn inverse(name: &str) -> Polynomial {
    variable(name).inverse().expect("a single term")
}

fn lemma(
    constraints: &[Constraint],
    products: &[(i64, &[usize])],
    multiples: &[(Polynomial, usize)],
) -> Lemma {
    let products = products.iter().map(|(c, factors)| (Rational::from(*c), factors.to_vec())).collect();
    let refutation = Refutation { products, multiples: multiples.to_vec() };
    Lemma { constraints: constraints.to_vec(), refutation }
}

/// Lemmas of a forger, and what a search finds besides.
struct Forger {
    own: Lemmas,
    finder: Finder,
}

impl Judge for Forger {
    fn are_refuted(&mut self, constraints: &[&Constraint]) -> bool {
        self.own.are_refuted(constraints) || self.finder.are_refuted(constraints)
    }
}

/// What the check says of leaves, with the forger's lemmas and all that can be found.
pub(crate) fn verdict(
    text: &str,
    cost: Polynomial,
    leaves: Vec<Leaf>,
    own: &[Lemma],
) -> Result<Theorem, CertificateError> {
    forged(text, cost, leaves, own).check()
}

fn forged(text: &str, cost: Polynomial, leaves: Vec<Leaf>, own: &[Lemma]) -> Certificate {
    let (file, messages) = parse(text);
    assert!(messages.is_empty(), "{messages:?}");
    let declaration = file.declarations[0].name.text.clone();
    let values = Default::default();
    let mut finder = Finder::default();
    if let (Ok(program), Ok(own)) = (Program::new(&file, &file.declarations[0], &values), Lemmas::new(own)) {
        let mut forger = Forger { own, finder };
        let _ = check_leaves(&program, &cost, &leaves, &mut forger);
        finder = forger.finder;
    }
    let lemmas = own.iter().cloned().chain(finder.lemmas).collect();
    Certificate { text: text.into(), declaration, values, proof: Proof { cost, leaves, lemmas } }
}

fn align(axioms: Vec<Axiom>, pieces: Vec<Piece>) -> Leaf {
    Leaf::Align(Alignment { axioms, pieces })
}

fn same_samples() -> Leaf {
    align(Vec::new(), vec![Piece::default()])
}

/// A piece that shifts one sample.
fn shifted(name: &str, shift: Polynomial, cost: Polynomial) -> Piece {
    let map = (Map::Affine { negate: false, shift }, cost);
    Piece { maps: [(name.into(), map)].into(), ..Piece::default() }
}

fn refused(verdict: Result<Theorem, CertificateError>) -> String {
    match verdict {
        Ok(theorem) => panic!("a false statement is accepted: {theorem:?}"),
        Err(error) => error.to_string(),
    }
}

/// The answer itself is returned. `answer = 0` would be a contradiction if it could be divided by.
#[test]
fn a_multiplier_does_not_divide_by_what_may_be_zero() {
    let text = "mechanism leak(answer: bool) -> bool  param eps: real > 0  claim pure eps { return answer }";
    let no = |name: &str| lemma(&[Constraint::zero(variable(name))], &[], &[(-&inverse(name), 0)]);
    // Both true; first true, second false; and so on: all but the first have a 0.
    let leaves = vec![same_samples(), Leaf::Vacuous, Leaf::Vacuous, Leaf::Vacuous];
    refused(verdict(text, variable("eps"), leaves, &[no("answer<1>"), no("answer<2>")]));
}

const POSITIVE: &str = "mechanism leak(x: real >= 0) -> bool
  param eps: real > 0
  adjacent |x<1> - x<2>| <= 1
  claim pure eps
{ if x > 0 { return true; } return false }";

/// Whether the input is zero is returned. Neither `1/x > 0` nor `1/x <= 0` holds then.
#[test]
fn a_case_does_not_divide_by_what_may_be_zero() {
    let positive = |name: &str| Constraint::positive(inverse(name));
    let own: Vec<Lemma> = ["x<1>", "x<2>"]
        .iter()
        .flat_map(|name| {
            let not = [Constraint::non_negative(variable(name)), Constraint::non_negative(-&inverse(name))];
            let zero = [positive(name), Constraint::non_negative(-&variable(name))];
            [lemma(&not, &[(1, &[0, 1])], &[]), lemma(&zero, &[(1, &[0, 1])], &[])]
        })
        .collect();
    let both = Leaf::Split(positive("x<2>"), vec![same_samples(), Leaf::Vacuous]);
    let leaves = vec![Leaf::Split(positive("x<1>"), vec![both, Leaf::Vacuous])];
    refused(verdict(POSITIVE, variable("eps"), leaves, &own));
}

/// The same by a statement about `exp(1/x)`.
#[test]
fn an_axiom_does_not_divide_by_what_may_be_zero() {
    let of = |name: &str| [Axiom::ExpTangent(inverse(name)), Axiom::ExpPositive(inverse(name))];
    let own: Vec<Lemma> = ["x<1>", "x<2>"]
        .iter()
        .map(|name| {
            let [tangent, positive] = of(name).map(|axiom| axiom.conclusions().remove(0));
            let x = variable(name);
            let all = [tangent, positive, Constraint::non_negative(x.clone()), Constraint::non_negative(-&x)];
            lemma(&all, &[(1, &[2, 0]), (1, &[3, 1]), (1, &[2])], &[])
        })
        .collect();
    let axioms = [of("x<1>"), of("x<2>")].concat();
    let leaves = vec![align(axioms, vec![Piece::default()])];
    refused(verdict(POSITIVE, variable("eps"), leaves, &own));
}

/// The input itself is returned. A variable that is called `a - eps` is not the difference of `a` and `eps`, but `exp` of both is called `exp(a - eps)`;
/// with the minus in front of one and not of the other, 1 <= e^(-2 eps) follows.
#[test]
fn a_variable_is_not_named_like_a_sum() {
    let text = "mechanism leak(x: real) -> real  param eps: real > 0  claim pure eps { return x }";
    let (a, eps) = (variable("a"), variable("eps"));
    let strange = variable("a - eps");
    let (two, minus_two) = (eps.scale(&2.into()), eps.scale(&(-2).into()));
    let axioms = vec![
        Axiom::ExpAtMost(vec![], vec![strange.clone(), -&strange]),
        Axiom::ExpAtMost(vec![&a - &eps, &-&a - &eps], vec![minus_two.clone()]),
        Axiom::ExpAtMost(vec![minus_two, two.clone()], vec![]),
        Axiom::ExpTangent(two.clone()),
        Axiom::ExpPositive(two),
    ];
    let mut known: Vec<Constraint> = axioms.iter().flat_map(Axiom::conclusions).collect();
    known.push(Constraint::positive(eps.clone()));
    let absurd = lemma(&known, &[(1, &[4, 0]), (1, &[4, 1]), (1, &[2]), (1, &[3]), (2, &[5])], &[]);
    refused(verdict(text, eps, vec![align(axioms, vec![])], &[absurd]));
}

/// A sample is no input: cases of it would count the second run's probability once for every case. Output 0 is `1 + e^(-eps)` times
/// as likely with one input as with the other.
#[test]
fn a_case_is_not_about_samples() {
    let text = "mechanism cells(x: real) -> int
      param eps: real > 0
      claim pure eps
    { z <$ lap(1 / eps);
      if z < 0 { return 3; }  if z >= 3 { return 3; }  if z < 1 { return 0; }  if z >= 2 { return 1; }
      if x >= 0 { return 0; }  return 1 }";
    let (z, eps) = (variable("z"), variable("eps"));
    let is_zero = |name: &str| Constraint::non_negative(variable(name));
    let to = |shift: i64| align(vec![], vec![shifted("z", number(shift), eps.clone())]);
    let middle = Leaf::Split(
        is_zero("x<1>"),
        vec![
            Leaf::Split(is_zero("x<2>"), vec![same_samples(), to(-1)]),
            Leaf::Split(is_zero("x<2>"), vec![to(1), same_samples()]),
        ],
    );
    let below_two = Constraint::positive(&number(2) - &z);
    let from_one = Constraint::non_negative(&z - &number(1));
    let leaves = vec![Leaf::Split(
        from_one,
        vec![Leaf::Split(below_two, vec![middle, same_samples()]), same_samples()],
    )];
    refused(verdict(text, eps, leaves, &[]));
}

/// A sample that the second run does not draw must not pay for another one.
#[test]
fn a_permutation_has_no_negative_cost() {
    let text = "mechanism spare(x: real) -> real
      param eps: real > 0
      adjacent |x<1> - x<2>| <= 1000
      claim pure eps
    { c <$ sign;
      if c > 0 { s <$ sign;  return 0; }
      z <$ lap(1 / eps);  return x + z }";
    let eps = variable("eps");
    let mut moved = shifted("z", &variable("x<1>") - &variable("x<2>"), eps.scale(&1000.into()));
    moved.choices = [("c".into(), 1)].into();
    moved.maps.insert("s".into(), (Map::Permute(vec![0, 1]), eps.scale(&(-999).into())));
    let stay = Piece { choices: [("c".into(), 0)].into(), ..Piece::default() };
    refused(verdict(text, eps, vec![align(vec![], vec![stay, moved])], &[]));
}

/// A claim with cases is not the first of its cases.
#[test]
fn a_claim_is_read_whole() {
    for claim in [
        "min(eps, 1)",
        "if eps <= 1 { eps } else { 1 }",
        "eps  claim pure eps / 2",
        "infer  claim pure eps / 2",
    ] {
        let text = format!(
            "mechanism laplace(x: real) -> real
              param eps: real > 0
              adjacent |x<1> - x<2>| <= 1
              claim pure {claim}
            {{ z <$ lap(1 / eps);  return x + z }}"
        );
        if !parse(&text).1.is_empty() {
            println!("claim {claim}: not in the language");
            continue;
        }
        let eps = variable("eps");
        let shift = &variable("x<1>") - &variable("x<2>");
        let leaves = vec![align(vec![], vec![shifted("z", shift, eps.clone())])];
        println!("claim {claim}: {}", refused(verdict(&text, eps, leaves, &[])));
    }
}

/// Noise that is never negative hides only a larger input. Which one is larger must not be hidden from the exchange of the runs.
#[test]
fn both_directions_are_shown() {
    for (clause, axioms) in [
        (
            "adjacent 2 * exp(x<2> - x<1>) <= 2",
            vec![Axiom::ExpTangent(&variable("x<2>") - &variable("x<1>"))],
        ),
        ("assume x<1> >= x<2>", vec![]),
    ] {
        let text = format!(
            "mechanism one_sided(x: real) -> real
              param eps: real > 0
              adjacent |x<1> - x<2>| <= 1
              {clause}
              claim pure eps
            {{ z <$ expo(1 / eps);  return x + z }}"
        );
        if !parse(&text).1.is_empty() {
            println!("{clause}: not in the language");
            continue;
        }
        let eps = variable("eps");
        let shift = &variable("x<1>") - &variable("x<2>");
        let leaves = vec![align(axioms, vec![shifted("z", shift, eps.clone())])];
        println!("{clause}: {}", refused(verdict(&text, eps, leaves, &[])));
    }
}

/// A sample with the name of a parameter is not what is declared of the parameter.
#[test]
fn samples_and_parameters_have_different_names() {
    let text = "mechanism shadow(x: real) -> bool
      param eps: real > 0, z: real > 0
      claim pure eps
    { z <$ lap(1 / eps);  if z > 0 { return true; }  return x > 0 }";
    refused(verdict(text, variable("eps"), vec![same_samples()], &[]));
}

/// Floats are not real numbers.
#[test]
fn a_float_is_not_returned() {
    let text = "mechanism laplace(x: real) -> f64
      param eps: f64 > 0
      adjacent |x<1> - x<2>| <= 1
      claim pure eps
    { z <$ lap(1 / eps);  return x + z }";
    let eps = variable("eps");
    let shift = &variable("x<1>") - &variable("x<2>");
    println!(
        "{}",
        refused(verdict(text, eps.clone(), vec![align(vec![], vec![shifted("z", shift, eps)])], &[]))
    );
}

/// `x^(2^32)` is not `x^0`.
#[test]
fn powers_do_not_overflow() {
    let text = "mechanism power(x: real) -> real
      param eps: real > 0
      claim pure eps
    { y := x;  for i in 0..32 { y := y * y; }  return y }";
    println!("{}", refused(verdict(text, variable("eps"), vec![same_samples()], &[])));
}

/// The answer itself is returned, and no inputs are neighbours: true, and about nothing. The checker finds that out by itself, whatever rules the
/// proof uses.
#[test]
fn that_a_theorem_is_about_nothing_can_not_be_hidden() {
    let text = "mechanism leak(x: real) -> real
      param eps: real > 0, t: real
      adjacent |x<1> - x<2>| <= 1
      assume t > 1
      assume t < 0
      claim pure eps
    { return x }";
    let on = Constraint::positive(variable("x<1>"));
    let hidden = [
        Leaf::Vacuous,
        same_samples(),
        Leaf::Split(on.clone(), vec![Leaf::Vacuous, Leaf::Vacuous]),
        Leaf::Split(on, vec![same_samples(), same_samples()]),
    ];
    for leaf in hidden {
        let certificate = forged(text, variable("eps"), vec![leaf.clone()], &[]);
        assert!(certificate.check().is_ok(), "{leaf:?}: {:?}", certificate.check());
        assert_eq!(certificate.neighbours(), Ok(Neighbours::None), "{leaf:?}");
    }
    let certificate = forged(POSITIVE, variable("eps"), vec![Leaf::Vacuous], &[]);
    assert!(matches!(certificate.neighbours(), Ok(Neighbours::Exist(_))));
}
