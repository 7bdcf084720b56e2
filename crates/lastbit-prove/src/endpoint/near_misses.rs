//! Mechanisms that look like the snapping mechanism and are not, held against the exact audit.
//!
//! Texts are made of parts, most of which have near misses: samples that are arguments, adjacency of another argument, private bounds, values that are scaled
//! first, samples that are returned. What is proved of a text must hold of its exact distributions at neighbours, and what refutes it must be
//! neighbours and refute it. Who is a neighbour is decided here by closures that stand beside the parts' texts, not by the code under test. With any one
//! of the ties of [`super::broken`] cut, a false verdict comes up.

use lastbit_audit::ExactLoss;
use lastbit_audit::program::{self, Library, Limits, Options as AuditOptions, ProgramReport};
use lastbit_lang::values::Claimed;
use lastbit_lang::{Bindings, parse};
use lastbit_real::Rational;

use super::answer::{Conclusion, FloatAnswer, Options};
use super::broken::{Tie, without};
use super::neighbours::Point;
use super::{Budget, Given};

/// A part of a text, and what it asks of two inputs.
#[derive(Clone)]
struct Part {
    text: &'static str,
    asks: fn(&Point, &Point) -> bool,
}

const fn part(text: &'static str) -> Part {
    Part { text, asks: |_, _| true }
}

const fn asking(text: &'static str, asks: fn(&Point, &Point) -> bool) -> Part {
    Part { text, asks }
}

fn distance(a: &Point, b: &Point, name: &str) -> Rational {
    (&a[name] - &b[name]).abs()
}

fn both(a: &Point, b: &Point, name: &str, holds: fn(&Rational) -> bool) -> bool {
    holds(&a[name]) && holds(&b[name])
}

fn at_most(a: &Point, b: &Point, name: &str, most: &str) -> bool {
    distance(a, b, name) <= most.parse().unwrap()
}

/// The parts of a text. The first of each is the snapping mechanism's.
struct Parts {
    ranges: Vec<Part>,
    uniform: Vec<&'static str>,
    sign: Vec<&'static str>,
    scale: Vec<&'static str>,
    bound: Vec<&'static str>,
    adjacent: Vec<Part>,
    assumed: Vec<Part>,
    value: Vec<&'static str>,
    bounds: Vec<[&'static str; 2]>,
    noise: Vec<&'static str>,
    sum: Vec<&'static str>,
    tie: Vec<&'static str>,
    returned: Vec<&'static str>,
    claim: Vec<&'static str>,
    sampler: Vec<&'static str>,
    given: Vec<&'static str>,
}

fn parts() -> Parts {
    Parts {
        ranges: vec![
            part("x: f64, t: f64"),
            asking("x: f64 in [-1, 1], t: f64", |a, b| both(a, b, "x", |x| x.abs() <= Rational::ONE)),
            asking("x: f64 in [0, 2^-20], t: f64", |a, b| {
                both(a, b, "x", |x| !x.is_negative() && *x <= Rational::pow2(-20))
            }),
            asking("t: f64 in (0, 1], x: f64", |a, b| {
                both(a, b, "t", |t| t.is_positive() && *t <= Rational::ONE)
            }),
        ],
        uniform: vec!["sample", "sample", "argument", "parameter", "constant"],
        sign: vec!["sample", "sample", "argument", "parameter", "constant"],
        scale: vec!["1", "parameter", "2", "argument"],
        bound: vec!["4", "parameter", "argument", "400"],
        adjacent: vec![
            asking("|x<1> - x<2>| <= 1", |a, b| at_most(a, b, "x", "1")),
            asking("|x<2> - x<1>| <= 1/2", |a, b| at_most(a, b, "x", "1/2")),
            asking("|t<1> - t<2>| <= 1", |a, b| at_most(a, b, "t", "1")),
            asking("|x<1> - x<2>| <= 1 & t<1> = t<2>", |a, b| at_most(a, b, "x", "1") && a["t"] == b["t"]),
            asking("|t<1> - t<2>| <= 1 & |x<1> - x<2>| <= 2", |a, b| {
                at_most(a, b, "t", "1") && at_most(a, b, "x", "2")
            }),
            asking("|x<1> - x<2>| <= 1 | x<1> = 0", |a, b| at_most(a, b, "x", "1") || a["x"].is_zero()),
            asking("|x<1> - t<2>| <= 1", |a, b| (&a["x"] - &b["t"]).abs() <= Rational::ONE),
        ],
        assumed: vec![
            part(""),
            asking("assume x >= 0", |a, b| both(a, b, "x", |x| !x.is_negative())),
            asking("assume x > 5", |a, b| both(a, b, "x", |x| *x > Rational::from(5))),
            asking("assume x * x <= 1/4", |a, b| both(a, b, "x", |x| x.abs() <= Rational::pow2(-1))),
            asking("assume t = 1", |a, b| both(a, b, "t", |t| *t == Rational::ONE)),
        ],
        value: vec!["x", "x", "t", "2 * x", "-x", "x + t", "|x|", "x * x", "3"],
        bounds: vec![["B", "B"], ["B", "B"], ["1000", "B"], ["B", "2"], ["t", "B"]],
        noise: vec![
            "ln(u) / eps",
            "ln(u) / eps",
            "eps * ln(u)",
            "ln(u)",
            "ln(u) / t",
            "x * ln(u)",
            "128 * ln(u)",
        ],
        sum: vec![
            "c + s * y",
            "s * y + c",
            "c + y * s",
            "c - s * y",
            "c + s * s * y",
            "c + s * y * u",
            "x + s * y",
        ],
        tie: vec!["up", "even", "away"],
        returned: vec!["r", "r", "[r]", "[r, c]", "[r, u]", "r + 0 * t", "if t > 0 { r } else { -r }", "c"],
        claim: vec![
            "pure infer",
            "pure eps + 2^-40",
            "pure 1/2",
            "pure 10",
            "pure 0",
            "approx(1 + 2^-40, 1/10)",
            "approx(1/4, 2^-20)",
            "approx(1/1000, 1/2)",
        ],
        sampler: vec!["ulp", "ulp", "grid53", "grid24"],
        given: vec!["", "", "t", "x", "eps", "B"],
    }
}

struct Random(u64);

impl Random {
    fn below(&mut self, n: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) as usize % n
    }
}

/// A text, what it asks of neighbours, and what is given beside it.
struct Near {
    text: String,
    asks: Vec<fn(&Point, &Point) -> bool>,
    /// The arguments.
    arguments: Vec<&'static str>,
    given: Given,
    /// More than the result is returned.
    returns_more: bool,
}

/// A text in which up to three parts are near misses.
fn near(seed: u64) -> Near {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let parts = parts();
    let missed: Vec<usize> = (0..random.below(4)).map(|_| random.below(16)).collect();
    let mut place = 0;
    let mut choose = |n: usize| {
        let is_missed = missed.contains(&place);
        place += 1;
        if is_missed { random.below(n) } else { 0 }
    };
    let ranges = parts.ranges[choose(parts.ranges.len())].clone();
    let uniform = parts.uniform[choose(parts.uniform.len())];
    let sign = parts.sign[choose(parts.sign.len())];
    let scale = parts.scale[choose(parts.scale.len())];
    let bound = parts.bound[choose(parts.bound.len())];
    let adjacent = parts.adjacent[choose(parts.adjacent.len())].clone();
    let assumed = parts.assumed[choose(parts.assumed.len())].clone();
    let value = parts.value[choose(parts.value.len())];
    let [inner, outer] = parts.bounds[choose(parts.bounds.len())];
    let noise = parts.noise[choose(parts.noise.len())];
    let sum = parts.sum[choose(parts.sum.len())];
    let tie = parts.tie[choose(parts.tie.len())];
    let returned = parts.returned[choose(parts.returned.len())];
    let claim = parts.claim[choose(parts.claim.len())];
    let sampler = parts.sampler[choose(parts.sampler.len())];
    let given_name = parts.given[choose(parts.given.len())];

    let mut arguments = vec!["x", "t"];
    let mut binders = ranges.text.to_owned();
    let mut parameters = String::new();
    let mut body = String::new();
    let mut asks = vec![ranges.asks, adjacent.asks, assumed.asks];
    let mut add = |name: &'static str, role: &str, ty: &str, range: &str, value: &str| match role {
        "argument" => {
            arguments.push(name);
            binders += &format!(", {name}: {ty}{range}");
        }
        "parameter" => parameters += &format!("  param {name}: {ty} = {value}\n"),
        other => body += &format!("  {name} := {other};\n"),
    };
    match uniform {
        "sample" => {}
        role => add("u", if role == "constant" { "1/4" } else { role }, "f64", " in [2^-20, 1]", "1/3"),
    }
    match sign {
        "sample" => {}
        role => add("s", if role == "constant" { "1" } else { role }, "sign", "", "1"),
    }
    match scale {
        "argument" => {
            add("eps", "argument", "f64", " in [1/2, 2]", "");
            asks.push(|a, b| both(a, b, "eps", |e| *e >= Rational::pow2(-1) && *e <= Rational::from(2)));
        }
        other => add("eps", "parameter", "f64", "", if other == "parameter" { "1" } else { other }),
    }
    match bound {
        "argument" => {
            add("B", "argument", "f64", " in [1, 4]", "");
            asks.push(|a, b| both(a, b, "B", |e| *e >= Rational::ONE && *e <= Rational::from(4)));
        }
        other => add("B", "parameter", "f64", "", if other == "parameter" { "4" } else { other }),
    }
    if uniform == "argument" {
        asks.push(|a, b| both(a, b, "u", |u| *u >= Rational::pow2(-20) && *u <= Rational::ONE));
    }
    let drawn = |role: &str, law: &'static str| if role == "sample" { law } else { "" };
    let (u, s) = (drawn(uniform, "  u <$ unif(0,1);\n"), drawn(sign, "  s <$ sign;\n"));
    let result = if returned.starts_with('[') { "[f64]" } else { "f64" };
    let text = format!(
        "mechanism m({binders}) -> {result}\n{parameters}  {}\n  adjacent {}\n  sampler unif = {sampler}(0,1)\n  claim {claim}\n{{\n{u}{s}{body}  \
         c := clamp({value}, {inner});\n  y := {noise};\n  w := {sum};\n  r := clamp(round(w, 1, {tie}), {outer});\n  return {returned};\n}}\n",
        assumed.text, adjacent.text,
    );
    let mut given = Given::default();
    if arguments.contains(&given_name) {
        given.values.insert(given_name.into(), Rational::ONE);
    }
    Near { text, asks, arguments, given, returns_more: returned.starts_with("[r,") }
}

/// The outcomes of texts, counted.
#[derive(Debug, Default)]
struct Tally {
    unreadable: usize,
    proved: usize,
    refuted: usize,
    undecided: usize,
    /// Exact audits that a proof was held against.
    audits: usize,
    /// Texts that were proved and could not be audited.
    unaudited: usize,
    wrong: Vec<String>,
}

/// Beyond 740.9, noise of scale 1 does not bring a value back to -4.
const VALUES: [&str; 13] =
    ["0", "1", "-1", "1/2", "2", "-4", "4", "6", "7", "1000", "0x1p-1074", "0x1p-21", "740.5"];

impl Near {
    /// Pairs of inputs that are neighbours, as the closures have it, different in as much as can be.
    fn pairs(&self, random: &mut Random) -> Vec<[Point; 2]> {
        let value = |name: &str, random: &mut Random| -> Rational {
            let of: &[&str] = match name {
                "u" => &["1", "1/2", "0x1p-20"],
                "s" => &["1", "-1"],
                "eps" => &["1/2", "2", "1"],
                "B" => &["1", "4", "2"],
                _ => &VALUES,
            };
            of[random.below(of.len())].parse().unwrap()
        };
        let mut found = Vec::new();
        for round in 0..400 {
            let mut pair = [Point::new(), Point::new()];
            let moving = random.below(self.arguments.len());
            for (i, name) in self.arguments.iter().enumerate() {
                let first = value(name, random);
                let stays = i != moving && random.below(4) > 0;
                let second = match random.below(3) {
                    _ if stays => first.clone(),
                    0 if *name == "x" || *name == "t" => &first + Rational::ONE,
                    _ => value(name, random),
                };
                pair[0].insert((*name).into(), first);
                pair[1].insert((*name).into(), second);
            }
            if self.asks.iter().all(|asks| asks(&pair[0], &pair[1])) {
                found.push(pair);
            }
            if found.len() >= 8 || (round > 200 && found.len() >= 4) {
                break;
            }
        }
        found
    }

    /// The exact distributions of two inputs.
    fn audit(&self, pair: &[Point; 2], claim: &Claimed) -> Option<ProgramReport> {
        let (file, _) = parse(&self.text);
        let options = AuditOptions {
            epsilon: claim.epsilon.clone(),
            library: Some(Library::Nearest),
            limits: Limits { outputs: 1 << 16, samples: 1 << 10, band: 1 << 10 },
            ..AuditOptions::default()
        };
        program::audit(&file, None, &Bindings::default(), [&pair[0], &pair[1]], &options).ok()
    }

    fn judge(&self, seed: u64, tally: &mut Tally) {
        let (file, messages) = parse(&self.text);
        assert!(messages.is_empty(), "{}\n{messages:?}", self.text);
        let options = Options { inputs: None, budget: Budget::Pairs(24) };
        let Ok(answer) = FloatAnswer::find(&file, &file.declarations[0], self.given.clone(), &options) else {
            tally.unreadable += 1;
            return;
        };
        let claim = &answer.statement.claim;
        let mut wrong = |why: String| tally.wrong.push(format!("{why}\n{}", self.text));
        match answer.conclusion {
            Conclusion::Undecided => tally.undecided += 1,
            Conclusion::Proved => {
                tally.proved += 1;
                if self.returns_more {
                    return wrong("proved, and more than the result is returned".into());
                }
                let (_, report) = answer.bound.as_ref().expect("the bound that proves it");
                let mut audits = 0;
                for pair in self.pairs(&mut Random(seed | 1)) {
                    let Some(audit) = self.audit(&pair, claim) else { continue };
                    audits += 1;
                    let bound = report.certified.loss();
                    let pure = claim.delta.is_zero();
                    if pure && audit.loss(128).exceeds(bound) || exceeds(&audit, claim) {
                        return wrong(format!("proved, and {pair:?} lose {:?}", audit.loss(64)));
                    }
                }
                tally.audits += audits;
                tally.unaudited += usize::from(audits == 0);
            }
            Conclusion::Refuted => {
                tally.refuted += 1;
                let refutation = answer.refutation.as_ref().expect("what refutes it");
                let [a, b] = &refutation.inputs;
                if !self.asks.iter().all(|asks| asks(a, b)) {
                    return wrong(format!("refuted by {a:?} and {b:?}, which are not neighbours"));
                }
                match self.audit(&refutation.inputs, claim) {
                    Some(audit) if exceeds(&audit, claim) => tally.audits += 1,
                    Some(audit) => {
                        wrong(format!("refuted by {a:?} and {b:?}, which lose {:?}", audit.loss(64)))
                    }
                    None => tally.unaudited += 1,
                }
            }
        }
    }
}

/// Whether two distributions are farther apart than is claimed.
fn exceeds(audit: &ProgramReport, claim: &Claimed) -> bool {
    match &claim.epsilon {
        None => audit.loss(64) == ExactLoss::Infinite,
        Some(epsilon) if claim.delta.is_zero() => audit.loss(128).exceeds(epsilon),
        Some(_) => {
            let total = Rational::from(audit.comparison.total().clone());
            let most = |sum: &lastbit_real::Enclosure| Rational::from(sum.lo()) / &total;
            audit.comparison.hockey_stick().iter().any(|sum| most(sum) > claim.delta)
        }
    }
}

fn tally(seeds: std::ops::Range<u64>) -> Tally {
    let mut tally = Tally::default();
    for seed in seeds {
        near(seed).judge(seed, &mut tally);
    }
    tally
}

/// How many texts the tests of every day judge.
const SAMPLE: u64 = 500;

/// How many texts there are in the whole sweep: `cargo test --release -p lastbit-prove --lib near_misses -- --ignored`.
const SWEEP: u64 = 3000;

fn no_false_verdicts_among(texts: u64) {
    let tally = tally(0..texts);
    assert!(
        tally.wrong.is_empty(),
        "{} wrong:\n{}",
        tally.wrong.len(),
        tally.wrong[..tally.wrong.len().min(3)].join("\n")
    );
    // That all of it happens: proofs, refutations and neither.
    let Tally { proved, refuted, undecided, audits, unaudited, unreadable, .. } = tally;
    let share = |count: usize| count as f64 / texts as f64;
    assert!(
        [proved, refuted, undecided].into_iter().all(|count| share(count) > 0.12) && share(audits) > 0.4,
        "{proved} {refuted} {undecided} {audits}"
    );
    assert!(share(unaudited) < 0.08 && share(unreadable) < 0.25, "{unaudited} {unreadable}");
}

#[test]
fn no_false_verdicts() {
    no_false_verdicts_among(SAMPLE);
}

#[test]
#[ignore = "a minute: the whole sweep"]
fn no_false_verdicts_in_the_sweep() {
    no_false_verdicts_among(SWEEP);
}

/// The first text that gets a false verdict once a tie is cut, as the sweep below finds and prints them.
const CAUGHT_BY: [(Tie, u64); Tie::ALL.len()] = [
    (Tie::UniformIsSampled, 5),
    (Tie::SignIsSampled, 51),
    (Tie::PublicScale, 29),
    (Tie::PublicBound, 8),
    (Tie::OneBound, 929),
    (Tie::ValueIsArgument, 46),
    (Tie::OneResult, 43),
    (Tie::DistanceOfTheValue, 28),
    (Tie::ArgumentsStayOpen, 2784),
    (Tie::SamplerOfTheText, 6),
    (Tie::AdmissibleWitness, 113),
    (Tie::DeltaOfTheClaim, 64),
];

/// With any one tie cut there is a false verdict.
#[test]
fn every_tie_is_needed() {
    for tie in Tie::ALL {
        let (_, text) = CAUGHT_BY.iter().find(|(of, _)| *of == tie).expect("a text for every tie");
        let tally = without(tie, || tally(*text..text + 1));
        assert!(
            !tally.wrong.is_empty(),
            "text {text} does not need {tie:?}: run the ignored sweep for another"
        );
    }
}

#[test]
#[ignore = "two minutes: looks for a text for every tie"]
fn a_text_for_every_tie() {
    let first = |tie: Tie| (0..SWEEP).find(|seed| !without(tie, || tally(*seed..seed + 1)).wrong.is_empty());
    let found = Tie::ALL.map(|tie| (tie, first(tie)));
    for (tie, text) in &found {
        println!("(Tie::{tie:?}, {text:?}),");
    }
    assert!(found.iter().all(|(_, text)| text.is_some()), "not needed: see above");
}
