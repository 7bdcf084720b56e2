//! Proofs of false claims by ALIGN.

use lastbit_lang::symbolic::{Constraint, Polynomial};

use super::super::broken::SideCondition;
use super::super::{Alignment, Axiom, Leaf, Lemma, Piece, Refutation};
use super::fallacies::{DOUBLE, Fallacy, False, about_eps, double, fallacy, of_flag};
use super::*;

pub(super) fn align_fallacies() -> Vec<Fallacy> {
    use SideCondition::*;
    let by_distance = |name: &str| align([piece([shift(name, distance(), eps())])]);
    // For x = 0 there is no result, for x = 1 there is one.
    let undefined = about_eps(
        Defined,
        "z <$ lap(1 / eps);  return x + z + 0 * ln(x)",
        align([piece([shift("z", distance(), eps())])]),
    );
    // For x = 0 the results are whole, for x = 1/2 they are not.
    let off_grid = about_eps(OnGrid, "z <$ dlap(1 / eps, 0);  return x + z", by_distance("z"));
    let labelled = |label: &str, piece: Piece| Piece { label: Some(label.into()), ..piece };
    let choosing =
        |name: &str, value: usize, piece: Piece| Piece { choices: [(name.into(), value)].into(), ..piece };

    // 3/4 and 1/2 for `true`: the loss is ln 2.
    let quarters = ("bool", "1/2", "s <$ choose(1, 1, 1, 1);  if x { return s >= 1 }  return s >= 2");
    let (down, up) = ([0, 2, 2, 3], [0, 0, 2, 3]);
    let by_value = |images: [usize; 4]| {
        align(images.into_iter().enumerate().map(|(from, to)| {
            let mut swap = [0, 1, 2, 3];
            swap.swap(from, to);
            choosing("s", from, piece([permute("s", &swap, Polynomial::zero())]))
        }))
    };
    let at_once = |images: [usize; 4]| align([piece([permute("s", &images, Polynomial::zero())])]);

    // ln(u) becomes twice or half of it; densities change by a factor of 2 that a shift would not bring.
    let y = variable("ln(u)");
    let half = || number("1/2");
    let stretched = {
        let body = "u <$ unif(0,1];  w := if x { 2 * ln(u) } else { ln(u) };  r := max(w, -1);  return r";
        let guard = vec![Constraint::non_negative(&y.scale(&2.into()) + &number("1"))];
        let inner = Piece { guard, ..piece([shift("u", y.clone(), half())]) };
        let outer = piece([shift("u", number("-1/2"), half())]);
        let down = align([labelled("·", inner), labelled("-1", outer)]);
        let shrunk = piece([shift("u", y.scale(&"-1/2".parse().unwrap()), Polynomial::zero())]);
        let up = align([labelled("·", shrunk), labelled("-1", Piece::default())]);
        // Pr[r > -1/2] is 1 - e^(-1/4) = 0.2212 and 1 - e^(-1/2) = 0.3935: 1.78 > e^(1/2) = 1.65 times as much.
        Fallacy { known: False::Argued, ..of_flag(ShiftFreeOfSamples, ("real", "1/2", body), (down, up)) }
    };
    let credit = || permute("b", &[1, 0], number("-1/2"));
    let undrawn = {
        let text = "mechanism m(x: real) -> real\n  adjacent |x<1> - x<2>| <= 1\n  claim pure 1/2
            { a <$ sign;  z <$ lap(1);  if a = 1 { b <$ bernoulli(1 / 3);  return 0 }  return x + z }";
        let noisy = piece([shift("z", distance(), number("1")), credit()]);
        let noisy = labelled("·", choosing("b", 0, noisy));
        let axioms = vec![Axiom::ExpTangent(number("-1/2"))];
        let pieces = vec![noisy, labelled("0", Piece::default())];
        fallacy(ChoicesDrawn, text.into(), half(), vec![Leaf::Align(Alignment { axioms, pieces })])
    };
    let nowhere = {
        // With x = 0 the weights of s add up to 0, and any cost would do for it.
        let text = "mechanism m(x: real) -> real\n  adjacent x<1> = 0 & x<2> = 1\n  claim pure 1
            { z <$ lap(1);  if x > 0 { s <$ choose(x, x); }  return 3 * x + z }";
        let leaf = |by: &str| {
            align([piece([shift("z", number(by), number("3")), permute("s", &[0, 1], number("-2"))])])
        };
        fallacy(LawEverywhere, text.into(), number("1"), vec![leaf("-3"), leaf("3")])
    };
    let zero_scale = {
        let text = "mechanism m(x: real) -> real\n  param c: real >= 0\n  adjacent |x<1> - x<2>| <= 1\n  claim pure 1
            { if c > 0 { z <$ lap(c);  y <$ lap(1);  return x + y }  t <$ lap(1 / 6);  return x + t }";
        let c = variable("c");
        let inverse = c.inverse().unwrap();
        let maps = [shift("t", distance(), number("6")), shift("z", number("1"), number("-5"))];
        let honest = align([piece([shift("y", distance(), number("1"))])]);
        let zero = Constraint::zero(c.clone());
        let split = Leaf::Split(zero.clone(), vec![align([piece(maps)]), honest, Leaf::Vacuous]);
        // Of 1/c nothing is known where c = 0.
        let lemma = |rate: &Polynomial| Lemma {
            constraints: vec![zero.clone(), Constraint::positive(rate + &number("5"))],
            refutation: Refutation { products: Vec::new(), multiples: vec![(-&inverse, 0)] },
        };
        let lemmas = vec![lemma(&inverse), lemma(&-&inverse)];
        Fallacy { lemmas, ..fallacy(ScaleDefined, text.into(), number("1"), vec![split]) }
    };
    let free = || Polynomial::zero();
    vec![
        Fallacy { known: False::Argued, ..undefined },
        of_flag(
            OneLaw,
            ("bool", "1/2", "if x { b <$ bernoulli(1/4); } else { b <$ bernoulli(3/4); }  return b"),
            (identity(), identity()),
        ),
        fallacy(
            SameLaw,
            "mechanism m(x: real in [0, 1]) -> real\n  claim pure 1/4\n{ z <$ lap(1 + x);  return z }".into(),
            number("1/4"),
            vec![identity()],
        ),
        undrawn,
        about_eps(Cover, DOUBLE, align([])),
        of_flag(Disjoint, quarters, (by_value(down), by_value(up))),
        about_eps(SameResult, DOUBLE, identity()),
        stretched,
        of_flag(
            ExponentialMirror,
            ("real", "1/2", "z <$ expo(1);  r := if x { z } else { -z };  return r"),
            (align([piece([mirror("z")])]), align([piece([mirror("z")])])),
        ),
        about_eps(ExponentialSupport, "z <$ expo(1 / eps);  return x + z", by_distance("z")),
        about_eps(UniformSupport, "u <$ unif(0,1];  return x + ln(u) / eps", {
            align([piece([shift("u", &distance() * &eps(), eps())])])
        }),
        about_eps(ShiftCost, DOUBLE, double(eps())),
        of_flag(Permutation, quarters, (at_once(down), at_once(up))),
        of_flag(
            FiniteCost,
            ("bool", "1/2", "b <$ bernoulli(1/4);  r := if x { !b } else { b };  return r"),
            (
                align([piece([permute("b", &[1, 0], free())])]),
                align([piece([permute("b", &[1, 0], free())])]),
            ),
        ),
        nowhere,
        Fallacy { known: False::Argued, ..off_grid },
        about_eps(
            TotalCost,
            "y <$ lap(1 / eps);  z <$ lap(1 / eps);  return 2 * x + y + z",
            align([piece([shift("y", distance(), eps()), shift("z", distance(), eps())])]),
        ),
        zero_scale,
    ]
}
