//! The snapping mechanism in doubles: every output, its probabilities and its loss.

use std::collections::{BTreeMap, BTreeSet};

use lastbit_audit::decimal::settled;
use lastbit_audit::program::{self as programs, Library};
use lastbit_audit::snapping::{FloatSnap, Interval, Noise, PairCell, Scaling, SnappingReplay, Variant};
use lastbit_audit::{Comparison, ExactLoss as FoundLoss, OutOfRange, Outcome, Sampler};
use lastbit_lang::Tie;
use lastbit_prove::endpoint::theorem_a;
use lastbit_real::{Enclosure, Float, Rational, Rounding};

use super::compared::{Compared, Open};
use super::given::{exactly, shown};
use super::judge::{judge, with_limit};
use super::papers::Papers;
use super::{
    Agreement, AuditAnswer, ClaimSource, FloatType, Form, Given, JudgedClaim, Listed, OutputRow, Parameter,
    Samples, Wishes, program, worst,
};
use crate::{Judgement, Refusal, Schema, Watcher};

/// How many outputs are listed next to each place of interest.
const NEXT_TO: i64 = 2;

/// The logarithm that a mechanism computes with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Logarithm {
    /// Correctly rounded.
    #[default]
    Correct,
    /// The correctly rounded logarithm, moved up by this many units in the last place.
    Shifted(i32),
    /// The logarithm of this machine's library.
    Platform,
}

impl Logarithm {
    /// All logarithms with a name.
    pub const ALL: [Logarithm; 4] =
        [Logarithm::Correct, Logarithm::Shifted(1), Logarithm::Shifted(-1), Logarithm::Platform];

    /// The name, as it is spelled.
    pub fn name(self) -> &'static str {
        match self {
            Logarithm::Correct | Logarithm::Shifted(0) => "correct",
            Logarithm::Shifted(1) => "+1ulp",
            Logarithm::Shifted(-1) => "-1ulp",
            Logarithm::Shifted(_) => "shifted",
            Logarithm::Platform => "std",
        }
    }

    /// What programs are run with, if not with the correctly rounded one.
    pub(super) fn library(self) -> Option<Library> {
        match self {
            Logarithm::Correct => None,
            Logarithm::Shifted(ulps) => Some(Library::Shifted(ulps)),
            Logarithm::Platform => Some(Library::Std),
        }
    }
}

/// The mechanism, as it is described.
#[derive(Clone, Debug)]
pub struct Mechanism {
    /// `ε`
    pub epsilon: Given,
    /// `B`
    pub bound: Given,
    /// `Λ`, a power of two, if not the usual one.
    pub grid: Option<Rational>,
    /// Whether the noise is `λ ⊗ LN(u)` and not `LN(u) ⊘ ε`.
    pub multiplies: bool,
    /// `λ`, if it is not `1/ε`.
    pub scale: Option<Given>,
    /// The sampler of `u`.
    pub sampler: Sampler,
    /// The direction of ties of the rounding to `Λ`.
    pub tie: Tie,
    /// Whether inputs are clamped.
    pub clamp: bool,
    /// The logarithm.
    pub ln: Logarithm,
}

impl Mechanism {
    /// The usual one.
    pub fn new(epsilon: Given, bound: Given) -> Mechanism {
        Mechanism {
            epsilon,
            bound,
            grid: None,
            multiplies: false,
            scale: None,
            sampler: Sampler::Ulp,
            tie: Tie::Up,
            clamp: true,
            ln: Logarithm::Correct,
        }
    }

    /// `ε` as a double.
    ///
    /// # Errors
    /// If it is not positive, or too large.
    pub fn epsilon(&self) -> Result<f64, Refusal> {
        self.epsilon.to_positive("epsilon", FloatType::F64)
    }

    /// The mechanism with its numbers. The platform's logarithm, which is not known to be monotone, is the correct one here.
    ///
    /// # Errors
    /// If a parameter is out of range, or does not go with the others.
    pub fn variant(&self) -> Result<Variant, Refusal> {
        let epsilon = self.epsilon()?;
        if self.scale.is_some() && !self.multiplies {
            return Err(Refusal::usage(
                "scale is for op = mul, and the logarithm is divided",
                "choose the operation mul: --op mul, op=\"mul\"",
            ));
        }
        let bound = self.bound.to_float("bound", FloatType::F64)?;
        let noise = match (&self.scale, self.multiplies) {
            (Some(scale), _) => {
                Noise::Multiplied { scale: exactly(scale.to_float("scale", FloatType::F64)?) }
            }
            // 1/ε overflows only for an ε that is out of range anyhow.
            (None, true) if (1.0 / epsilon).is_finite() => {
                Noise::Multiplied { scale: exactly(1.0 / epsilon) }
            }
            (None, _) => Noise::Divided { epsilon: exactly(epsilon) },
        };
        let exponent = self.grid.as_ref().map(power_of_two).transpose()?;
        let mechanism = FloatSnap::new(noise, bound, exponent, self.tie, self.sampler).map_err(|error| {
            let name = if error.name == "lambda" { "scale" } else { error.name };
            Refusal::out_of_range(&OutOfRange { name, ..error })
        })?;
        let ln_shift = match self.ln {
            Logarithm::Correct | Logarithm::Platform => 0,
            Logarithm::Shifted(ulps) => ulps,
        };
        Ok(Variant { mechanism, clamp_input: self.clamp, ln_shift })
    }
}

/// `k` of a grid `2^k`.
fn power_of_two(grid: &Rational) -> Result<i64, Refusal> {
    let exponent = grid.floor_log2().filter(|k| *grid == Rational::pow2(*k));
    exponent.ok_or_else(|| {
        Refusal::usage(format!("grid must be a power of two, but is {grid}"), "give one, such as 2^-3")
    })
}

/// The inputs of an audit: two given ones, or the worst ones.
#[derive(Clone, Debug)]
pub enum Inputs {
    /// These two.
    Two([Given; 2]),
    /// Those that lose most, as far as they are found.
    Worst(worst::Search),
}

/// A question about the snapping mechanism.
#[derive(Clone, Debug)]
pub struct Question {
    /// The mechanism.
    pub mechanism: Mechanism,
    /// The inputs.
    pub inputs: Inputs,
    /// Whether the intervals of `u` of all outputs are wanted.
    pub map: bool,
}

/// Audits two inputs.
///
/// # Errors
/// If a parameter is out of range, the watcher stops it, or the shipped function is not the mechanism.
pub fn audit(question: &Question, wishes: &Wishes, watcher: &Watcher<'_>) -> Result<AuditAnswer, Refusal> {
    wishes.check()?;
    let Mechanism { ln, .. } = question.mechanism;
    let epsilon = question.mechanism.epsilon()?;
    let variant = question.mechanism.variant()?;
    let double = |given: &Given| given.to_float("input", FloatType::F64);
    let (inputs, found) = match &question.inputs {
        Inputs::Two([f, f2]) => ([double(f)?, double(f2)?], None),
        Inputs::Worst(_) if ln == Logarithm::Platform => {
            return Err(Refusal::usage(
                "the search for the worst inputs inverts the logarithm in closed form, and this machine's has none",
                "choose the logarithm correct, +1ulp or -1ulp, or give two inputs",
            ));
        }
        Inputs::Worst(search) => {
            let found = search.run(&variant, watcher)?;
            (found.inputs, Some(found))
        }
    };
    let setting = Setting { epsilon, variant: &variant, inputs, question, wishes, watcher };
    match ln {
        Logarithm::Platform => setting.with_this_library(),
        _ => setting.in_closed_form(found),
    }
}

struct Setting<'a> {
    epsilon: f64,
    variant: &'a Variant,
    inputs: [f64; 2],
    question: &'a Question,
    wishes: &'a Wishes,
    watcher: &'a Watcher<'a>,
}

impl Setting<'_> {
    fn in_closed_form(&self, found: Option<worst::Found>) -> Result<AuditAnswer, Refusal> {
        let Setting { variant, inputs, wishes, .. } = self;
        let epsilon = exactly(self.epsilon);
        let delta_at = wishes.delta_at(&epsilon);
        let mut papers = Papers::new(variant, *inputs);
        let (comparison, kept, shipped) = self.weigh(&delta_at, &mut papers)?;
        let id = |number: &i64| variant.mechanism.output(*number).to_hex();
        let name = |number: &i64| shown(variant.mechanism.output(*number));
        let compared = Compared {
            comparison: &comparison,
            digits: wishes.digits,
            open: Open::Nothing,
            id: &id,
            name: &name,
        };
        let pairs = kept.unwrap_or_else(|| self.of_interest(&comparison));
        let outputs: Vec<OutputRow> = pairs.iter().map(|pair| self.row(&compared, pair)).collect();
        let claims = self.claims(&comparison, found.as_ref());
        let (verdict, claims) = match &found {
            Some(found) => with_limit(wishes, claims, |limit| found.judge(&comparison, limit)),
            None => with_limit(wishes, claims, |limit| judge(&comparison, limit, false)),
        };
        let [only_first, only_second] = compared.only();
        let is_all = outputs.len() as u64 == comparison.outputs();
        Ok(AuditAnswer {
            schema: Schema,
            question: "audit",
            mechanism: "snapping".into(),
            form: Form::Float,
            parameters: self.parameters(),
            inputs: inputs.map(|f| f.to_hex()),
            verdict,
            claims,
            loss: compared.loss(),
            witness: compared.witness(),
            finite: compared.finite(),
            only_first,
            only_second,
            delta: Some(compared.delta(&delta_at, self.delta_from(), false)),
            method: "thresholds in closed form".into(),
            n_outputs: comparison.outputs().to_string(),
            outputs_listed: if is_all { Listed::All } else { Listed::Selected },
            outputs,
            excess_eta: Some(excess(&comparison, &epsilon)),
            shipped: shipped.map(|shipped| Agreement {
                agrees: true,
                evaluations: shipped.evaluations(),
                replays: shipped.replays(),
                // Compared by their bits with outputs of which none is -0.
                minus_zero: false,
            }),
            papers: match &found {
                Some(found) => found.papers(variant),
                None => papers.verdicts(),
            },
            worst: found.map(|found| found.told(variant, &comparison)),
            sampler: None,
            notes: Vec::new(),
            title: self.title(),
        })
    }

    /// All outputs, each held against the shipped function.
    fn weigh(&self, delta_at: &Rational, papers: &mut Papers<'_>) -> Result<Weighed, Refusal> {
        let Setting { variant, inputs, wishes, watcher, .. } = self;
        // A search that is stopped still tells what it found.
        let searched = matches!(self.question.inputs, Inputs::Worst(_));
        let is_stopped = || watcher.is_cancelled() && !searched;
        let mut shipped = SnappingReplay::of(variant);
        let mut disagreement = None;
        let (first, last) = variant.numbers(*inputs).into_inner();
        let length = last.abs_diff(first).max(1) as f64;
        let keeps_all = self.question.map || last.abs_diff(first) < wishes.listed() as u64;
        let mut kept = Vec::new();
        let comparison = variant.compare(*inputs, delta_at, |pair| {
            if let Some(function) = &mut shipped {
                disagreement = function.confirm(*inputs, variant.mechanism.output(pair.number), pair).err();
            }
            papers.visit(pair);
            watcher.tell("weighing outputs", pair.number.abs_diff(first) as f64 / length, "");
            if keeps_all && pair.is_reached() {
                kept.push(pair.clone());
            }
            disagreement.is_none() && !is_stopped()
        });
        let comparison = comparison.map_err(|error| Refusal::out_of_range(&error))?;
        if let Some(disagreement) = disagreement {
            return Err(Refusal::Bug { message: disagreement.to_string() });
        }
        if is_stopped() {
            return Err(Refusal::interrupted("its outputs were weighed"));
        }
        Ok((comparison, keeps_all.then_some(kept), shipped))
    }

    /// The ends, and what is next to the inputs and to the worst outputs.
    fn of_interest(&self, comparison: &Comparison<i64>) -> Vec<PairCell> {
        let Setting { variant, inputs, .. } = self;
        let (first, last) = variant.numbers(*inputs).into_inner();
        let worst = [comparison.witness(), comparison.finite_witness()];
        let worst = worst.into_iter().flatten().map(|outcome| outcome.output);
        let places = inputs.map(|f| variant.mechanism.number_of(variant.start(f)));
        let near = |place: i64| place - NEXT_TO..=place + NEXT_TO;
        let numbers: BTreeSet<i64> =
            [first, last].into_iter().chain(places).chain(worst).flat_map(near).collect();
        let numbers = numbers.into_iter().filter(|number| (first..=last).contains(number));
        numbers.map(|number| variant.pair_cell(*inputs, number)).filter(PairCell::is_reached).collect()
    }

    fn row(&self, compared: &Compared<'_, i64>, pair: &PairCell) -> OutputRow {
        let sampler = self.variant.mechanism.sampler();
        let number = |u: f64| if u > 0.0 { sampler.number_at_least(u) } else { 1 };
        // Intervals without a value of the sampler are left out.
        let some = |[lo, hi]: Interval| -> Vec<Interval> {
            let (first, end) = (number(lo), number(hi));
            let lo = if first == 1 { 0.0 } else { lo };
            if first < end { vec![[lo, hi]] } else { Vec::new() }
        };
        let [first, second] = &pair.cells;
        let u = Samples::of([&some(first.plus), &some(first.minus), &some(second.plus), &some(second.minus)]);
        OutputRow { u: Some(u), ..compared.row(&pair.outcome()) }
    }

    /// What Theorem A says, where it says something, and what the mechanism loses over the reals.
    fn claims(&self, comparison: &Comparison<i64>, found: Option<&worst::Found>) -> Vec<JudgedClaim> {
        let mechanism = &self.variant.mechanism;
        let distance = match found {
            Some(found) => found.sensitivity.clone(),
            None => {
                let [x, x2] = self.inputs.map(|f| exactly(self.variant.start(f)));
                (x - x2).abs()
            }
        };
        let is_covered = self.variant.clamp_input && self.variant.ln_shift == 0;
        let theorem = theorem_a(mechanism, &distance).ok().filter(|_| is_covered);
        let theorem = theorem.map(|bound| (ClaimSource::TheoremA, bound));
        let reals = (ClaimSource::Reals, mechanism.rate() * distance);
        let claim = |(source, bound): (ClaimSource, Rational)| {
            let verdict: Judgement = match found {
                Some(found) => found.judge(comparison, &bound),
                None => judge(comparison, &bound, false),
            };
            JudgedClaim::pure(source, &bound, verdict)
        };
        theorem.into_iter().chain([reals]).map(claim).collect()
    }

    fn delta_from(&self) -> &'static str {
        if self.wishes.delta_at.is_some() { "request" } else { "mechanism" }
    }

    /// With these, the answer can be made again.
    fn parameters(&self) -> BTreeMap<String, Parameter> {
        let mechanism = &self.variant.mechanism;
        let (op, scale) = match mechanism.scaling() {
            Scaling::Divide(_) => ("div", None),
            Scaling::Multiply(scale) => ("mul", Some(scale)),
        };
        let mut parameters: BTreeMap<String, Parameter> = [
            ("epsilon", Parameter::double(self.epsilon)),
            ("bound", Parameter::double(mechanism.bound())),
            ("grid", Parameter::exact(&mechanism.grid())),
            ("op", Parameter::word(op)),
            ("sampler", Parameter::word(mechanism.sampler().name())),
            ("tie", Parameter::word(mechanism.tie().text())),
            ("clamp", Parameter::Flag(self.variant.clamp_input)),
            ("ln", Parameter::word(self.question.mechanism.ln.name())),
        ]
        .map(|(name, value)| (name.to_owned(), value))
        .into();
        if let Some(scale) = scale {
            parameters.insert("scale".into(), Parameter::double(scale));
        }
        parameters
    }

    fn title(&self) -> String {
        let mechanism = &self.variant.mechanism;
        let noise = match (mechanism.scaling(), self.variant.ln_shift) {
            (Scaling::Divide(_), 0) => "LN(u) ⊘ ε".to_owned(),
            (Scaling::Divide(_), shift) => format!("(LN(u) {shift:+} ulp) ⊘ ε"),
            (Scaling::Multiply(_), 0) => "λ ⊗ LN(u)".to_owned(),
            (Scaling::Multiply(_), shift) => format!("λ ⊗ (LN(u) {shift:+} ulp)"),
        };
        let sampler = mechanism.sampler().describe();
        let start = if self.variant.clamp_input { "" } else { "; the input is not clamped" };
        format!("snapping in doubles: y = {noise}; u: {sampler}; ties {}{start}", mechanism.tie().text())
    }

    /// The logarithm of this machine's library is not known to be monotone, so that there is no closed form: the mechanism as a
    /// program, which is enumerated where the library decides.
    fn with_this_library(&self) -> Result<AuditAnswer, Refusal> {
        let epsilon = exactly(self.epsilon);
        let delta_at = self.wishes.delta_at(&epsilon);
        let (file, bindings) = self.variant.program();
        let [first, second] = self.inputs.map(|f| [("x".to_owned(), exactly(f))].into());
        let report =
            program::watched(self.wishes, self.watcher, Some(&delta_at), Some(Library::Std), |options| {
                programs::audit(&file, None, &bindings, [&first, &second], options)
            })
            .map_err(|error| program::without_place(&error))?;
        let [x, x2] = self.inputs.map(|f| exactly(self.variant.start(f)));
        let claimed = self.variant.mechanism.rate() * (x - x2).abs();
        let claim =
            JudgedClaim::pure(ClaimSource::Reals, &claimed, judge(&report.comparison, &claimed, false));
        let excess = excess(&report.comparison, &epsilon);
        let answer = program::told(&report, vec![claim], self.wishes);
        Ok(AuditAnswer {
            mechanism: "snapping".into(),
            parameters: self.parameters(),
            inputs: self.inputs.map(|f| f.to_hex()),
            excess_eta: Some(excess),
            title: format!("{}; LN: this machine's", self.title()),
            ..answer
        })
    }
}

/// The comparison, all outputs that were kept, and the shipped function.
type Weighed = (Comparison<i64>, Option<Vec<PairCell>>, Option<SnappingReplay>);

impl Samples {
    /// Of the signs + and - under the first, and under the second input.
    pub(super) fn of([a, b, c, d]: [&[Interval]; 4]) -> Samples {
        let ends = |intervals: &[Interval]| {
            intervals.iter().map(|ends| ends.map(|end| end.to_hex())).collect::<Vec<_>>()
        };
        Samples { plus_first: ends(a), minus_first: ends(b), plus_second: ends(c), minus_second: ends(d) }
    }
}

/// `(loss - ε)/η`, or `inf`.
fn excess<O: Clone>(comparison: &Comparison<O>, epsilon: &Rational) -> String {
    if comparison.loss(64) == FoundLoss::Infinite {
        return "inf".into();
    }
    let enclose = |bits| eta(&(&comparison.finite_loss(bits) - &Enclosure::of_rational(epsilon, bits)));
    settled(enclose, |value| value.to_decimal(20, Rounding::Nearest))
}

/// In units of `η = 2⁻⁵³`.
pub(super) fn eta(value: &Enclosure) -> Enclosure {
    value.shl(53)
}

/// A witness of the mechanism as an outcome of doubles.
pub(super) fn in_doubles(variant: &Variant, outcome: &Outcome<i64>) -> String {
    shown(variant.mechanism.output(outcome.output))
}
