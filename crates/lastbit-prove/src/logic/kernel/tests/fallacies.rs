//! Proofs of false claims: all but those by ALIGN.

use lastbit_lang::symbolic::{Constraint, Polynomial};

use super::super::broken::SideCondition;
use super::super::{Alignment, Axiom, Event, Finite, Leaf, Lemma, Piece, Refutation};
use super::*;

/// How it is known that a claim is false.
pub(super) enum False {
    /// A witness with exact probabilities is found.
    Refuted,
    /// The reason is given where the program is.
    Argued,
}

/// A proof of a false claim.
pub(super) struct Fallacy {
    pub(super) condition: SideCondition,
    pub(super) text: String,
    pub(super) known: False,
    pub(super) cost: Polynomial,
    pub(super) leaves: Vec<Leaf>,
    pub(super) lemmas: Vec<Lemma>,
}

pub(super) fn fallacy(
    condition: SideCondition,
    text: String,
    cost: Polynomial,
    leaves: Vec<Leaf>,
) -> Fallacy {
    Fallacy { condition, text, known: False::Refuted, cost, leaves, lemmas: Vec::new() }
}

/// About a mechanism that claims `eps`.
pub(super) fn about_eps(condition: SideCondition, body: &str, leaf: Leaf) -> Fallacy {
    fallacy(condition, mechanism(body), eps(), vec![leaf])
}

/// A mechanism whose input is a truth value, with a proof where it is `true` in the first run alone, and in the second alone.
pub(super) fn of_flag(
    condition: SideCondition,
    (result, claim, body): (&str, &str, &str),
    (down, up): (Leaf, Leaf),
) -> Fallacy {
    let text = format!("mechanism m(x: bool) -> {result}\n  claim pure {claim}\n{{ {body} }}");
    fallacy(condition, text, number(claim), vec![identity(), down, up, identity()])
}

pub(super) const DOUBLE: &str = "z <$ lap(1 / eps);  return 2 * x + z";

pub(super) fn double(cost: Polynomial) -> Leaf {
    align([piece([shift("z", distance().scale(&2.into()), cost)])])
}

pub(super) fn event_fallacies() -> Vec<Fallacy> {
    use SideCondition::*;
    let event = || Leaf::Event(Event { variable: "w".into(), positive: 0, pointwise: false });
    let drawn = |rest: &str| format!("u <$ unif(0,1];  s <$ sign;  {rest}");
    let about = |condition, rest: &str| about_eps(condition, &drawn(rest), event());
    let branch = "w := x + s * ln(u) / eps;  r := round(w, 1, up);  if x >= 1 { return 5 }  return r";
    let scaled = "mechanism m(x: real in [1, 2]) -> real\n  claim pure 1\n{ BODY }";
    vec![
        // For x = 1 the result is 5, for x = 0 hardly ever.
        Fallacy { known: False::Argued, ..about(StraightBody, branch) },
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

pub(super) fn structural_fallacies() -> Vec<Fallacy> {
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
    let upward = one_way.replace("x: real", "x: real in [0, 1]").replace("x<1> = x<2> + 1", "x<1> >= x<2>");
    let no_less = align([piece([shift("z", distance(), eps())])]);
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
        fallacy(OnlyEquationsTurn, upward, eps(), vec![no_less]),
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
pub(super) fn lemma_fallacies() -> Vec<Fallacy> {
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
