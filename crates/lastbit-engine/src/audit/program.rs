//! Texts of the language of mechanisms. Those over floats are here; the others are in `discrete` and `continuous`.

use std::collections::BTreeMap;

use lastbit_audit::program::{
    self as programs, Library, Method, Neighbours, Options, Part, ProgramError, ProgramOutcome, ProgramReport,
};
use lastbit_audit::{Outcome, discrete as discretes};
use lastbit_lang::ast::{Binder, Declaration, File};
use lastbit_lang::values::{default_grid, is_open, rounded, scalar};
use lastbit_lang::{Bindings, Diagnostic, Span};
use lastbit_real::{Float, Rational};

use super::compared::{Compared, Open};
use super::given::shown;
use super::inputs::{self, Input, Values};
use super::judge::{judge, with_limit};
use super::snapping::Logarithm;
use super::{
    AuditAnswer, ClaimSource, Form, JudgedClaim, Listed, OutputRow, Parameter, Samples, Wishes, continuous,
    discrete,
};
use crate::source::select;
use crate::{Judgement, Number, Refusal, Schema, Source, Watcher};

/// A question about a text.
#[derive(Clone, Debug)]
pub struct Question<'a> {
    /// The text.
    pub source: Source<'a>,
    /// The declaration to audit, where there are several.
    pub program: Option<&'a str>,
    /// Values of parameters, by name; `epsilon`, `bound` and `grid` are `eps`, `B` and `L`.
    pub values: Vec<(String, Rational)>,
    /// The two inputs.
    pub inputs: Option<[Input; 2]>,
    /// The logarithm that a float program is run with.
    pub ln: Option<Logarithm>,
    /// Whether the intervals of `u` of all outputs are wanted.
    pub map: bool,
}

/// A text with values for its parameters.
pub(super) struct Setting<'a> {
    pub(super) source: Source<'a>,
    pub(super) file: &'a File,
    pub(super) declaration: &'a Declaration,
    pub(super) bindings: Bindings,
    pub(super) inputs: [Values; 2],
    pub(super) shown: [String; 2],
    pub(super) notes: Vec<String>,
}

/// Audits two inputs.
///
/// # Errors
/// If something is wrong in the text, with values or inputs, the program is of no kind that can be audited, or the watcher stops it.
pub fn audit(
    question: &Question<'_>,
    wishes: &Wishes,
    watcher: &Watcher<'_>,
) -> Result<AuditAnswer, Refusal> {
    wishes.check()?;
    let source = question.source;
    if source.is_fpcore() {
        return Err(Refusal::usage(
            format!("{} is FPCore, whose programs draw no samples: there is nothing to audit", source.name),
            "lastbit prove bounds their rounding errors",
        ));
    }
    let file = source.declarations()?;
    let declaration = select(&file, question.program)?;
    let (mut bindings, notes) = bindings(declaration, &question.values)?;
    let Some(inputs) = &question.inputs else {
        let [first, second] = inputs::example(declaration);
        return Err(Refusal::NoInputs { first, second });
    };
    let [first, second] = inputs;
    let values = [inputs::values(declaration, first)?, inputs::values(declaration, second)?];
    default_grid(declaration, &mut bindings);
    all_have_values(source, declaration, &bindings)?;
    let shown = values.each_ref().map(inputs::shown);
    let mut setting = Setting { source, file: &file, declaration, bindings, inputs: values, shown, notes };
    if declaration.is_over_floats() {
        return setting.float(question, wishes, watcher);
    }
    if question.map || question.ln.is_some_and(|ln| ln != Logarithm::Correct) {
        return Err(Refusal::usage(
            "map and ln are for programs over floats, and this one is not",
            "leave them out",
        ));
    }
    match discrete::audit(&mut setting, wishes, watcher) {
        Err(discrete::Failure::NotDiscrete(error)) => continuous::audit(&setting, wishes, watcher, &error),
        Err(discrete::Failure::Refused(refusal)) => Err(refusal),
        Ok(answer) => Ok(answer),
    }
}

/// Values by name, rounded to floats where the declaration says that they are floats, and what is to be said of that.
///
/// # Errors
/// If there is no such parameter, or it is given twice.
pub fn bindings(
    declaration: &Declaration,
    values: &[(String, Rational)],
) -> Result<(Bindings, Vec<String>), Refusal> {
    let has = |name: &str| declaration.parameters().any(|binder| binder.name.text == name);
    let mut bindings = Bindings::default();
    let mut notes = Vec::new();
    for (given, exact) in values {
        let symbol = match given.as_str() {
            "epsilon" => "eps",
            "bound" => "B",
            "grid" => "L",
            other => other,
        };
        let name = if has(given) { given } else { symbol };
        if !has(name) {
            let names: Vec<&str> = declaration.parameters().map(|binder| binder.name.text.as_str()).collect();
            let names = if names.is_empty() { "none".into() } else { names.join(", ") };
            let of = &declaration.name.text;
            return Err(Refusal::usage(
                format!("{of} has no parameter {name}: there are {names}"),
                "give values to those only",
            ));
        }
        let (value, note) = rounded(scalar(declaration, name), name, exact);
        notes.extend(note);
        if bindings.values.insert(name.to_owned(), value).is_some() {
            return Err(Refusal::usage(format!("{name} is given twice"), "give it once"));
        }
    }
    Ok((bindings, notes))
}

/// Every parameter has a value.
///
/// # Errors
/// If one has none.
fn all_have_values(
    source: Source<'_>,
    declaration: &Declaration,
    bindings: &Bindings,
) -> Result<(), Refusal> {
    let is_open = |binder: &&Binder| is_open(declaration, bindings, &binder.name.text);
    match declaration.parameters().find(is_open) {
        None => Ok(()),
        Some(Binder { name, .. }) => Err(Refusal::no_value(source, &name.text, name.span)),
    }
}

/// Runs an audit of a float program, until it is done or the watcher stops it.
pub(super) fn watched(
    wishes: &Wishes,
    watcher: &Watcher<'_>,
    delta_at: Option<&Rational>,
    library: Option<Library>,
    audit: impl FnOnce(&Options<'_>) -> Result<ProgramReport, ProgramError>,
) -> Result<ProgramReport, ProgramError> {
    let progress = |done: u128, all: u128| watcher.tell("running", done as f64 / all.max(1) as f64, "");
    audit(&Options {
        library,
        epsilon: delta_at.cloned(),
        listed: wishes.listed(),
        progress: Some(&progress),
        cancel: Some(watcher.cancel),
        ..Options::default()
    })
}

/// A refusal of a program of our own, of which no user has the text.
pub(super) fn without_place(error: &ProgramError) -> Refusal {
    match error {
        ProgramError::Cancelled => Refusal::interrupted("its outputs were collected"),
        other => Refusal::usage(other.to_string(), "give parameters and inputs of a usual size"),
    }
}

impl Setting<'_> {
    /// What is wrong, at a place of the text.
    pub(super) fn at(&self, span: Option<Span>, message: String, hint: &str) -> Refusal {
        let diagnostic = Diagnostic::new(span.unwrap_or(self.declaration.header), message);
        self.source.refusal(vec![if hint.is_empty() { diagnostic } else { diagnostic.with_hint(hint) }])
    }

    /// The values of the parameters.
    pub(super) fn parameters(&self) -> BTreeMap<String, Parameter> {
        self.bindings.values.iter().map(|(name, value)| (name.clone(), Parameter::exact(value))).collect()
    }

    /// What the answer is about.
    pub(super) fn title(&self) -> String {
        format!("{} of {}", self.declaration.name.text, self.source.name)
    }

    fn float(
        &mut self,
        question: &Question<'_>,
        wishes: &Wishes,
        watcher: &Watcher<'_>,
    ) -> Result<AuditAnswer, Refusal> {
        let [(first, notes), (second, more)] =
            self.inputs.each_ref().map(|values| inputs::floats(self.declaration, values));
        self.notes.extend(notes);
        let more = more.into_iter().filter(|note| !self.notes.contains(note)).collect::<Vec<_>>();
        self.notes.extend(more);
        let name = self.declaration.name.text.as_str();
        let wishes = &Wishes { all: wishes.all || question.map, ..wishes.clone() };
        let library = question.ln.unwrap_or_default().library();
        let report = watched(wishes, watcher, wishes.delta_at.as_ref(), library, |options| {
            programs::audit(self.file, Some(name), &self.bindings, [&first, &second], options)
        });
        let report = report.map_err(|error| self.refusal(&error))?;
        let mut parameters = self.parameters();
        if let Some(ln) = question.ln.filter(|ln| *ln != Logarithm::Correct) {
            parameters.insert("ln".into(), Parameter::word(ln.name()));
        }
        let answer = told(&report, claim_of(&report).into_iter().collect(), wishes);
        let mut notes = std::mem::take(&mut self.notes);
        notes.extend(answer.notes);
        Ok(AuditAnswer {
            mechanism: name.to_owned(),
            parameters,
            inputs: self.shown.clone(),
            notes,
            title: format!("{}; u: {}", self.title(), report.sampler.describe()),
            ..answer
        })
    }

    /// What is wrong, where it is in the text.
    fn refusal(&self, error: &ProgramError) -> Refusal {
        match error {
            ProgramError::Language(diagnostics) => self.source.refusal(diagnostics.clone()),
            ProgramError::NoValue { expression, .. } => {
                self.at(expression.span, error.to_string(), "the mechanism must have a value for every sample")
            }
            ProgramError::NotMonotone { expression, .. } => self.at(
                expression.span,
                error.to_string(),
                "every output of a monotone program is an interval of u; with `sampler unif = grid24(0,1)` all u can be tried",
            ),
            ProgramError::OnlyAccuracy { .. } => {
                self.at(None, error.to_string(), "choose a logarithm (ln): correct, +1ulp, -1ulp or std")
            }
            ProgramError::Cancelled => Refusal::interrupted("its outputs were collected"),
            _ => self.at(None, error.to_string(), "see docs/audit.md for the programs that can be audited"),
        }
    }
}

/// The judgement of a library's verdict; inputs that are not neighbours refute nothing.
pub(super) fn judgement(verdict: discretes::ClaimVerdict, are_neighbours: bool) -> Judgement {
    match verdict {
        discretes::ClaimVerdict::Holds => Judgement::Holds,
        discretes::ClaimVerdict::Violated if are_neighbours => Judgement::Violated,
        _ => Judgement::Undecided,
    }
}

/// What the text claims, judged.
fn claim_of(report: &ProgramReport) -> Option<JudgedClaim> {
    let claim = report.claim.as_ref()?;
    let are_neighbours = report.neighbours != Neighbours::No;
    Some(JudgedClaim {
        source: ClaimSource::Text,
        epsilon: Number::exact(&claim.epsilon, 20),
        delta: (!claim.delta.is_zero()).then(|| Number::exact(&claim.delta, 20)),
        verdict: judgement(claim.verdict, are_neighbours),
        excess: None,
        words: report.claim_in_words().unwrap_or_default(),
    })
}

/// What a report on a float program tells, but for what the mechanism is.
pub(super) fn told(report: &ProgramReport, claims: Vec<JudgedClaim>, wishes: &Wishes) -> AuditAnswer {
    let is_open = report.method == Method::Witness;
    let compared = Compared {
        comparison: &report.comparison,
        digits: wishes.digits,
        open: if is_open { Open::Loss } else { Open::Nothing },
        id: &|output: &f64| output.to_hex(),
        name: &|output: &f64| shown(*output),
    };
    let row = |outcome: &ProgramOutcome| OutputRow {
        u: Some(samples(outcome)),
        ..compared.row(&Outcome::exact(outcome.output, outcome.weights.clone()))
    };
    let outputs: Vec<OutputRow> = report.outcomes.iter().map(row).collect();
    let (verdict, claims) = with_limit(wishes, claims, |limit| judge(&report.comparison, limit, is_open));
    let [only_first, only_second] = compared.only();
    let is_all = outputs.len() as u64 == report.comparison.outputs() && !is_open;
    let mut notes = Vec::new();
    if report.neighbours == Neighbours::No {
        notes.push("the inputs are not neighbours: `adjacent` does not hold of them".to_owned());
    }
    notes.extend(report.notes.iter().cloned());
    AuditAnswer {
        schema: Schema,
        question: "audit",
        mechanism: String::new(),
        form: Form::Float,
        parameters: BTreeMap::new(),
        inputs: Default::default(),
        verdict,
        claims,
        loss: compared.loss(),
        witness: compared.witness(),
        finite: compared.finite(),
        only_first,
        only_second,
        delta: Some(compared.delta(&report.epsilon, report.epsilon_of.name(), false)),
        method: match report.method {
            Method::Monotone => "monotone in u: thresholds by bisection",
            Method::Exhaustive => "all values of u",
            Method::Witness => "some outputs of very many",
        }
        .into(),
        n_outputs: report.comparison.outputs().to_string(),
        outputs_listed: if is_all { Listed::All } else { Listed::Selected },
        outputs,
        excess_eta: None,
        shipped: None,
        papers: Vec::new(),
        worst: None,
        sampler: None,
        notes,
        title: String::new(),
    }
}

/// The samples by sign; a program without signs has all of them under `+`.
fn samples(outcome: &ProgramOutcome) -> Samples {
    let with = |i: usize, negative: bool| -> Vec<[f64; 2]> {
        let is_so = |part: &&Part| (part.signs.first() == Some(&-1)) == negative;
        outcome.parts[i].iter().filter(is_so).map(|part| [part.lo, part.hi]).collect()
    };
    Samples::of([&with(0, false), &with(0, true), &with(1, false), &with(1, true)])
}
