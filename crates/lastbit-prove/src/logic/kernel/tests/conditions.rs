//! Every side condition is needed: without it the kernel accepts a proof of a false claim, with it it does not.

use std::collections::BTreeSet;

use lastbit_lang::symbolic::{Constraint, Polynomial};

use super::super::broken::{SideCondition, without};
use super::super::{Alignment, Axiom, Event, Finite, Leaf, Lemma, Piece, Refutation, check};
use super::*;
use crate::logic::refute::{Options, Outcome, refute};
use crate::logic::script::{self, Verdict};

/// How it is known that a claim is false.
enum False {
    /// A witness with exact probabilities is found.
    Refuted,
    /// The reason is given where the program is.
    Argued,
}

/// A proof of a false claim.
struct Fallacy {
    condition: SideCondition,
    text: String,
    known: False,
    cost: Polynomial,
    leaves: Vec<Leaf>,
    lemmas: Vec<Lemma>,
}

fn fallacy(condition: SideCondition, text: String, cost: Polynomial, leaves: Vec<Leaf>) -> Fallacy {
    Fallacy { condition, text, known: False::Refuted, cost, leaves, lemmas: Vec::new() }
}

/// About a mechanism that claims `eps`.
fn about_eps(condition: SideCondition, body: &str, leaf: Leaf) -> Fallacy {
    fallacy(condition, mechanism(body), eps(), vec![leaf])
}

/// A mechanism whose input is a truth value, with a proof where it is `true` in the first run alone, and in the second alone.
fn of_flag(
    condition: SideCondition,
    (result, claim, body): (&str, &str, &str),
    (down, up): (Leaf, Leaf),
) -> Fallacy {
    let text = format!("mechanism m(x: bool) -> {result}\n  claim pure {claim}\n{{ {body} }}");
    fallacy(condition, text, number(claim), vec![identity(), down, up, identity()])
}

const DOUBLE: &str = "z <$ lap(1 / eps);  return 2 * x + z";

fn double(cost: Polynomial) -> Leaf {
    align([piece([shift("z", distance().scale(&2.into()), cost)])])
}

fn align_fallacies() -> Vec<Fallacy> {
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
        of_flag(ShiftFreeOfSamples, ("real", "1/2", body), (down, up))
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
    let unread = {
        let text = "mechanism m(x: real) -> real\n  adjacent |x<1> - x<2>| <= 1\n  claim pure 1/2
            { a <$ sign;  z <$ lap(1);  if a = 1 { b <$ sign; } else { c <$ sign; }  return x + z }";
        let noisy = |value: usize, unread: &str| {
            let unread = permute(unread, &[0, 1], number("-1/2"));
            choosing("a", value, piece([shift("z", distance(), number("1")), unread]))
        };
        fallacy(UnreadCost, text.into(), half(), vec![align([noisy(0, "c"), noisy(1, "b")])])
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
        unread,
        Fallacy { known: False::Argued, ..off_grid },
        about_eps(
            TotalCost,
            "y <$ lap(1 / eps);  z <$ lap(1 / eps);  return 2 * x + y + z",
            align([piece([shift("y", distance(), eps()), shift("z", distance(), eps())])]),
        ),
        zero_scale,
    ]
}

fn event_fallacies() -> Vec<Fallacy> {
    use SideCondition::*;
    let event = || Leaf::Event(Event { variable: "w".into(), positive: 0, pointwise: false });
    let drawn = |rest: &str| format!("u <$ unif(0,1];  s <$ sign;  {rest}");
    let about = |condition, rest: &str| about_eps(condition, &drawn(rest), event());
    let branch = "w := x + s * ln(u) / eps;  r := round(w, 1, up);  if x >= 1 { return 5 }  return r";
    let scaled = "mechanism m(x: real in [1, 2]) -> real\n  claim pure 1\n{ BODY }";
    vec![
        about(StraightBody, branch),
        about(Monotone, "w := x + s * ln(u) / eps;  return w + x"),
        about_eps(
            FairSign,
            "u <$ unif(0,1];  b <$ bernoulli(3/4);  t := if b { ln(u) } else { -ln(u) };  w := x + t / eps;  return w",
            event(),
        ),
        about(OneCentre, "w := x + s * x + s * ln(u) / eps;  return w"),
        fallacy(
            OneScale,
            scaled.replace("BODY", &drawn("w := x * s * ln(u);  return w")),
            number("1"),
            vec![event()],
        ),
        about(EventDistance, "w := 2 * x + s * ln(u) / eps;  return w"),
    ]
}

fn structural_fallacies() -> Vec<Fallacy> {
    use SideCondition::*;
    let coin = || {
        "mechanism m(x: real) -> bool\n  adjacent |x<1> - x<2>| <= 1\n  claim pure 0
         { b <$ bernoulli(1/2);  if x >= 0 { return b }  return true }"
            .to_owned()
    };
    let finite = || vec![Leaf::Finite(Finite::default())];
    let counted = |condition| fallacy(condition, coin(), Polynomial::zero(), finite());
    let one_way =
        mechanism("z <$ expo(1 / eps);  return x + z").replace("|x<1> - x<2>| <= 1", "x<1> = x<2> + 1");
    let to_the_right = align([piece([shift("z", number("1"), eps())])]);
    // At eps = 2 the loss is 2, and 1 is claimed.
    let least = mechanism("z <$ lap(1 / eps);  return x + z").replace("pure eps", "pure min(eps, 1)");
    let least =
        fallacy(ClaimWithoutCases, least, eps(), vec![align([piece([shift("z", distance(), eps())])])]);
    let equal = Constraint::zero(distance());
    let contradiction =
        vec![Axiom::ExpAtMost(vec![number("1")], vec![Polynomial::zero()]), Axiom::ExpTangent(number("1"))];
    // s = 2 has the sign of z for `false`: 2/3 and 1/2 for `true`.
    let signs = {
        let body = "s <$ choose(1, 1, 1);  z <$ lap(1);  if s = 0 { return true }
            if s = 1 { return false }  if x { return true }  return z >= 0";
        let z = variable("z");
        let negative = Constraint::positive(-&z);
        let keeps = |value: usize| Piece { choices: [("s".into(), value)].into(), ..Piece::default() };
        let two = |moved: Piece| Piece { guard: vec![negative.clone()], choices: keeps(2).choices, ..moved };
        let split = |moved: Piece| {
            let below = align([keeps(0), keeps(1), two(moved)]);
            Leaf::Split(Constraint::non_negative(z.clone()), vec![identity(), below])
        };
        let down = split(piece([mirror("z")]));
        let up = split(piece([mirror("z"), permute("s", &[0, 2, 1], Polynomial::zero())]));
        of_flag(SplitFreeOfSamples, ("bool", "1/4", body), (down, up))
    };
    vec![
        counted(FirstFromAbove),
        counted(SecondFromBelow),
        counted(Ratio),
        fallacy(BothDirections, one_way, eps(), vec![to_the_right]),
        fallacy(ClaimCovers, mechanism(DOUBLE), eps().scale(&2.into()), vec![double(eps().scale(&2.into()))]),
        Fallacy { known: False::Argued, ..least },
        about_eps(Impossible, DOUBLE, Leaf::Vacuous),
        about_eps(SplitExhaustive, DOUBLE, Leaf::Split(equal, vec![identity()])),
        signs,
        about_eps(
            AxiomPremise,
            DOUBLE,
            Leaf::Align(Alignment { axioms: contradiction, pieces: vec![Piece::default()] }),
        ),
    ]
}

/// Lemmas that are none: of `2·(x<1> - x<2>)·eps > eps` alone, or of a division by what may be zero.
fn lemma_fallacies() -> Vec<Fallacy> {
    use SideCondition::*;
    let wrong = |condition, products: &[(i64, usize)], multiples: &[(i64, usize)]| {
        let cost = &(&distance() * &eps()).scale(&2.into());
        let lemma = |moved: &Polynomial| Lemma {
            constraints: vec![Constraint::positive(moved - &eps())],
            refutation: Refutation {
                products: products.iter().map(|(c, place)| ((*c).into(), vec![*place])).collect(),
                multiples: multiples.iter().map(|(c, place)| (Polynomial::constant(*c), *place)).collect(),
            },
        };
        Fallacy { lemmas: vec![lemma(cost), lemma(&-cost)], ..about_eps(condition, DOUBLE, double(eps())) }
    };
    let x = variable("x<1>");
    let never_zero = Lemma {
        constraints: vec![Constraint::zero(x.clone())],
        refutation: Refutation { products: Vec::new(), multiples: vec![(-&x.inverse().unwrap(), 0)] },
    };
    // For x = 0 there is no result.
    let division = about_eps(
        LemmaDivision,
        "z <$ lap(1 / eps);  return x + z + 0 * (1 / x)",
        align([piece([shift("z", distance(), eps())])]),
    );
    vec![
        wrong(LemmaSum, &[(1, 0)], &[]),
        wrong(LemmaSigns, &[(1, 0), (-1, 0)], &[]),
        wrong(LemmaStrict, &[], &[]),
        wrong(LemmaEquations, &[(1, 0)], &[(-1, 0)]),
        Fallacy { known: False::Argued, lemmas: vec![never_zero], ..division },
    ]
}

fn all() -> Vec<Fallacy> {
    [align_fallacies(), event_fallacies(), structural_fallacies(), lemma_fallacies()]
        .into_iter()
        .flatten()
        .collect()
}

#[test]
fn every_side_condition_is_needed() {
    for fallacy in all() {
        let Fallacy { condition, text, cost, leaves, lemmas, .. } = fallacy;
        let file = parsed(&text);
        let declaration = &file.declarations[0];
        let proof = without(condition, || {
            let proof = proof(&file, &cost, &leaves, lemmas)
                .unwrap_or_else(|error| panic!("{condition:?} is off: {error:?}"));
            check(&file, declaration, &Default::default(), &proof).expect("its lemmas are enough");
            proof
        });
        let refusal = check(&file, declaration, &Default::default(), &proof);
        assert!(refusal.is_err(), "{condition:?} is on, and the proof is accepted");
        assert!(super::proof(&file, &cost, &leaves, Vec::new()).is_err(), "{condition:?}");
    }
}

#[test]
fn the_claims_are_false() {
    let options = Options { evaluations: 4000, ..Options::default() };
    for Fallacy { condition, text, .. } in all().into_iter().filter(|f| matches!(f.known, False::Refuted)) {
        let file = parsed(&text);
        let outcome = refute(&file, &file.declarations[0], &Default::default(), &options);
        assert!(matches!(outcome, Ok(Outcome::Refuted(_))), "{condition:?}: {outcome:?}");
    }
}

/// The proof of snapping.lb by alignment, for a centre that moves twice as far: only the cost of `u` is wrong.
const TWICE_AS_FAR: &str = "
    mechanism m(x: real) -> real
      param eps: real > 0
      adjacent |x<1> - x<2>| <= 1
      claim pure eps
    { u <$ unif(0,1];  s <$ sign;  w := 2 * x + s * ln(u) / eps;  return w }
    proof {
      case x<1> >= x<2> {
        let K = exp(2 * eps * (x<1> - x<2>));
        align (u, s) cost eps {
          s = 1 & K * u <= 1 => (K * u, 1);
          s = 1 & K * u > 1 => (1 / (K * u), -1);
          s = -1 => (u / K, -1);
        };
      }
      case x<1> < x<2> by mirror (s -> -s, x -> -x, w -> -w);
    }";

#[test]
fn the_cost_of_uniform_samples_is_needed() {
    let file = parsed(TWICE_AS_FAR);
    let declaration = &file.declarations[0];
    let checked = || script::check(&program(&file), &declaration.proofs[0]).unwrap().verdict;
    let Verdict::Proved(found) = without(SideCondition::UniformCost, checked) else {
        panic!("nothing else is wrong with it")
    };
    assert!(check(&file, declaration, &Default::default(), &found.0).is_err());
    assert!(matches!(checked(), Verdict::Rejected));
    let outcome = refute(&file, declaration, &Default::default(), &Options::default());
    assert!(matches!(outcome, Ok(Outcome::Refuted(_))), "{outcome:?}");
}

#[test]
fn no_condition_is_left_out() {
    let mut tested: BTreeSet<SideCondition> = all().iter().map(|fallacy| fallacy.condition).collect();
    tested.insert(SideCondition::UniformCost);
    let every: BTreeSet<SideCondition> = SideCondition::ALL.iter().copied().collect();
    assert_eq!(tested, every);
}
