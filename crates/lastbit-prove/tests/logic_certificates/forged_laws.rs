//! Certificates of false statements about laws, outputs and signs, each made by hand.

use lastbit_lang::symbolic::{Constraint, Polynomial};
use lastbit_prove::logic::kernel::{Alignment, Axiom, Event, Finite, Leaf, Lemma, Map, Piece, Refutation};
use lastbit_real::Rational;

use super::forged::verdict;

fn number(text: &str) -> Polynomial {
    Polynomial::constant(text.parse::<Rational>().expect("a number"))
}

fn variable(name: &str) -> Polynomial {
    Polynomial::variable(name)
}

fn align(axioms: Vec<Axiom>, pieces: Vec<Piece>) -> Leaf {
    Leaf::Align(Alignment { axioms, pieces })
}

fn permuted(images: [usize; 2], cost: &str) -> (Map, Polynomial) {
    (Map::Permute(images.to_vec()), number(cost))
}

fn shifted(shift: &str, cost: &str) -> (Map, Polynomial) {
    (Map::Affine { negate: false, shift: number(shift) }, number(cost))
}

fn piece(choices: &[(&str, usize)], maps: &[(&str, (Map, Polynomial))]) -> Piece {
    let choices = choices.iter().map(|(name, value)| ((*name).into(), *value)).collect();
    let maps = maps.iter().map(|(name, map)| ((*name).into(), map.clone())).collect();
    Piece { choices, maps, ..Piece::default() }
}

/// With a sign that is neither of the two, noise that ignores the sign would look like Laplace noise.
#[test]
fn a_sign_is_one_of_two() {
    let text = "mechanism m(x: real) -> real param eps: real > 0 adjacent |x<1> - x<2>| <= 1 claim pure eps
        { u <$ unif(0,1];  s <$ sign;  w := x - ln(u) / eps;  return w }";
    for positive in [0, 1, 2, 7] {
        let leaf = Leaf::Event(Event { variable: "w".into(), positive, pointwise: false });
        assert!(verdict(text, variable("eps"), vec![leaf], &[]).is_err());
    }
}

/// Weights that add up to 0 where they are not drawn would pay for anything.
#[test]
fn weights_are_a_law_also_where_they_are_not_drawn() {
    let text = "mechanism m(x: real) -> real adjacent x<1> = 0 & x<2> = 1 claim pure 1
        { z <$ lap(1);  if x > 0 { s <$ choose(x, x); }  return 1000 * x + z }";
    let leaf = |shift: &str| {
        let maps = [("z", shifted(shift, "1000")), ("s", permuted([0, 1], "-999"))];
        align(Vec::new(), vec![piece(&[], &maps)])
    };
    assert!(verdict(text, number("1"), vec![leaf("-1000"), leaf("1000")], &[]).is_err());
}

/// Near 0 the density is about 1.47 times as large with x = 1 as with x = 0: a choice that depends on z is not independent of it.
#[test]
fn a_law_does_not_depend_on_another_sample() {
    let text = "mechanism m(x: real) -> real adjacent x<1> = 1 & x<2> = 0 claim pure 1/100
        { z <$ lap(100);  r <$ sign;  if r > 0 { return z; }
          s <$ choose(exp(4 * z), 1);  y := if s = 0 { z - x } else { z + x };  return y }";
    let exponent = variable("z").scale(&4.into());
    let swap = ("r", permuted([1, 0], "0"));
    let positive = Axiom::ExpPositive(exponent.clone());
    let forward = [
        piece(&[("r", 0)], std::slice::from_ref(&swap)),
        piece(&[("r", 1), ("s", 0)], &[swap.clone(), ("z", shifted("-1", "1/100"))]),
        piece(&[("r", 1), ("s", 1)], &[swap, ("z", shifted("1", "1/100"))]),
    ];
    let backward = [
        piece(&[("r", 0)], &[]),
        piece(&[("r", 1), ("s", 0)], &[("z", shifted("1", "1/100"))]),
        piece(&[("r", 1), ("s", 1)], &[("z", shifted("-1", "1/100"))]),
    ];
    let moved = |by: &str| &exponent + &number(by);
    let at_most = |p: Polynomial, q: Polynomial| Axiom::ExpAtMost(vec![p], vec![q]);
    let axioms =
        vec![positive.clone(), at_most(exponent.clone(), moved("4")), at_most(moved("-4"), exponent.clone())];
    let leaves = vec![align(vec![positive], forward.to_vec()), align(axioms, backward.to_vec())];
    assert!(verdict(text, number("1/100"), leaves, &[]).is_err());
}

/// Output 1 has twice the probability with x = 1: what is constant on one path may be a quotient on another.
#[test]
fn different_labels_may_be_the_same_output() {
    let text = "mechanism m(x: real) -> real adjacent x<1> = 1 & x<2> = 0 claim pure 1/50
        { z <$ lap(100);  if z < 1 { return 0; }  if z >= 4 { return 0; }
          if z < 2 { if x > 1/2 { return 1; }  return 7; }
          if z < 3 { return (z - 1) * (1 / (z - 1)); }
          return 7 * ((z - 2) * (1 / (z - 2))) }";
    let labelled = |label: &str, maps: &[(&str, (Map, Polynomial))]| Piece {
        label: Some(label.into()),
        ..piece(&[], maps)
    };
    let leaf = |label: &str, map| {
        align(Vec::new(), vec![labelled("·", &[]), labelled("0", &[]), labelled(label, &[("z", map)])])
    };
    let leaves = vec![leaf("1", shifted("1", "1/100")), leaf("7", shifted("2", "1/50"))];
    assert!(verdict(text, number("1/50"), leaves, &[]).is_err());
}

/// Pr[false] is 0 with x = 0 and 9/10 with x = 1. A path that is not taken at x = 0 would add a negative probability there, if only
/// nobody refutes it.
#[test]
fn what_is_not_taken_is_no_probability() {
    let text = "mechanism m(x: real) -> bool adjacent x<1> = 0 & x<2> = 1 claim pure 1
        { if x >= 1/2 { b <$ bernoulli(9/10 * x - 4/5);  return b; }  c <$ bernoulli(1 + 9/10 * x);  return c }";
    let (x, y, one) = (variable("x<1>"), variable("x<2>"), number("1"));
    let inside = |v: &Polynomial| &(v * &number("9/10")) - &number("4/5");
    let outside = |v: &Polynomial| &(v * &number("9/10")) + &number("1");
    let lemma = |constraints: &[Constraint], products: &[(&str, usize)], multiples: &[(&str, usize)]| {
        let products = products.iter().map(|(c, at)| (c.parse().expect("a number"), vec![*at])).collect();
        let multiples = multiples.iter().map(|(c, at)| (number(c), *at)).collect();
        Lemma { constraints: constraints.to_vec(), refutation: Refutation { products, multiples } }
    };
    let (x0, x1) = (Constraint::zero(x.clone()), Constraint::zero(&x - &one));
    let (y0, y1) = (Constraint::zero(y.clone()), Constraint::zero(&y - &one));
    let (taken, not_taken) =
        (Constraint::non_negative(&x - &number("1/2")), Constraint::positive(&number("1/2") - &x));
    let negative = |p: &Polynomial| Constraint::positive(-p);
    // Definedness, without a lemma that says which path is taken.
    let own = [
        lemma(&[x0.clone(), taken, negative(&inside(&x))], &[("1", 2), ("2", 1)], &[("-11/10", 0)]),
        lemma(&[x0.clone(), negative(&(&one - &inside(&x)))], &[("1", 1)], &[("-9/10", 0)]),
        lemma(&[x0.clone(), negative(&outside(&x))], &[("1", 1)], &[("9/10", 0)]),
        lemma(&[x0, negative(&(&one - &outside(&x)))], &[("1", 1)], &[("-9/10", 0)]),
        lemma(&[x1.clone(), negative(&inside(&x))], &[("1", 1)], &[("9/10", 0)]),
        lemma(&[x1.clone(), negative(&(&one - &inside(&x)))], &[("1", 1)], &[("-9/10", 0)]),
        lemma(&[x1.clone(), negative(&outside(&x))], &[("1", 1)], &[("9/10", 0)]),
        lemma(&[x1, not_taken, negative(&(&one - &outside(&x)))], &[("1", 2), ("2", 1)], &[("11/10", 0)]),
        lemma(&[y1, Constraint::positive(&number("1/2") - &y)], &[("1", 1)], &[("1", 0)]),
        lemma(&[y0, Constraint::non_negative(&y - &number("1/2"))], &[("1", 1)], &[("-1", 0)]),
    ];
    own.iter().for_each(|lemma| lemma.check().expect("a lemma"));
    let leaf = || Leaf::Finite(Finite { axioms: vec![Axiom::ExpTangent(one.clone())] });
    assert!(verdict(text, one.clone(), vec![leaf(), leaf()], &own).is_err());
}

/// Pr[true] is 1/4 with the first inputs and 3/4 with the second. A path that is not taken would bring in `1/x` where x is 0, and with it
/// a lemma that multiplies `x = 0` by `1/x`.
#[test]
fn what_is_not_defined_is_no_probability() {
    let text = "mechanism m(x: real, y: real) -> bool
          adjacent x<1> = 0 & y<1> = 1 & x<2> = 1 & y<2> = 0 claim pure 0
        { if x > 0 { b <$ choose(x + 1/2, x - 1/2);  return b = 0; }  c <$ choose(y - 1/2, y + 1/2);  return c = 0 }";
    let (x, y, one, half) = (variable("x<1>"), variable("y<1>"), number("1"), number("1/2"));
    let inverse = |p: &Polynomial| p.inverse().expect("a single term");
    let (xi, yi) = (inverse(&x), inverse(&y));
    let quarter = |p: &Polynomial| p * &number("1/4");
    let no = |p: Polynomial| Constraint::non_negative(-&p);
    let is = |p: &Polynomial, value: &str| Constraint::zero(p - &number(value));
    let lemma = |constraints: &[Constraint], factors: &[&[usize]], multiples: &[(Polynomial, usize)]| {
        let products = factors.iter().map(|factors| (Rational::ONE, factors.to_vec())).collect();
        let refutation = Refutation { products, multiples: multiples.to_vec() };
        Lemma { constraints: constraints.to_vec(), refutation }
    };
    let twice = |p: &Polynomial| p * &number("2");
    let square = |p: &Polynomial| quarter(&(p * p));
    let truth = Constraint::positive(&(&one + &quarter(&xi)) - &quarter(&yi));
    let lie = Constraint::positive(&(&one - &quarter(&xi)) + &quarter(&yi));
    let last: &[&[usize]] = &[&[1]];
    let own = [
        lemma(&[is(&x, "0"), no(&x + &half)], last, &[(one.clone(), 0)]),
        lemma(
            &[is(&x, "0"), Constraint::positive(x.clone()), no(&x - &half)],
            &[&[1], &[1, 2]],
            &[(&x - &number("3/2"), 0)],
        ),
        lemma(&[is(&y, "1"), no(&y - &half)], last, &[(one.clone(), 0)]),
        lemma(&[is(&y, "1"), no(&y + &half)], last, &[(one.clone(), 0)]),
        lemma(&[is(&x, "1"), no(&x - &half)], last, &[(one.clone(), 0)]),
        lemma(&[is(&x, "1"), no(&x + &half)], last, &[(one.clone(), 0)]),
        lemma(&[is(&y, "0"), no(&y + &half)], last, &[(one.clone(), 0)]),
        lemma(
            &[is(&y, "0"), no(&y - &half), no(x.clone()), is(&x, "1")],
            &[&[1], &[2]],
            &[(one.clone(), 0), (one.clone(), 3)],
        ),
        lemma(
            &[is(&x, "0"), truth.clone(), is(&y, "1")],
            last,
            &[(-&(&square(&xi) + &twice(&xi)), 0), (-&quarter(&yi), 2)],
        ),
        lemma(
            &[is(&x, "0"), lie.clone(), is(&y, "1")],
            last,
            &[(&square(&xi) - &twice(&xi), 0), (quarter(&yi), 2)],
        ),
        lemma(
            &[is(&y, "0"), truth, is(&x, "1")],
            last,
            &[(&square(&yi) - &twice(&yi), 0), (quarter(&xi), 2)],
        ),
        lemma(
            &[is(&y, "0"), lie, is(&x, "1")],
            last,
            &[(-&(&square(&yi) + &twice(&yi)), 0), (-&quarter(&xi), 2)],
        ),
    ];
    own.iter().for_each(|lemma| lemma.check().expect("a lemma"));
    let leaf = || Leaf::Finite(Finite { axioms: Vec::new() });
    assert!(verdict(text, number("0"), vec![leaf(), leaf()], &own).is_err());
}
