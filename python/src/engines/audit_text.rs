//! `lastbit.audit` of texts of the language: in floats, and discrete ones.

use lastbit::Rational;
use lastbit_audit::discrete::{self, DiscreteReport};
use lastbit_audit::program::{
    self, EpsilonOf, Library, Method, Neighbours, Options, Part, ProgramError, ProgramOutcome, ProgramReport,
};
use lastbit_audit::{Comparison, Outcome};
use lastbit_lang::ast::{Binder, Declaration, File};
use lastbit_lang::values::{default_grid, is_open, rounded, scalar};
use lastbit_lang::{Bindings, Diagnostic, Span};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use super::audit::{LISTED, Optional, divergence_at, samples};
use super::compared::{Compared, Open};
use super::interrupt::Interrupt;
use super::text_inputs::{Given, floats, given, shown};
use super::{Fields, between, choice, declarations, program_error};
use crate::errors::ParameterError;
use crate::number;

/// How a float program is audited.
pub(super) struct ProgramAudit {
    pub(super) delta_at: Option<Rational>,
    pub(super) library: Option<Library>,
}

impl ProgramAudit {
    /// Runs an audit until it is done, or Ctrl-C.
    pub(super) fn run(
        &self,
        audit: impl FnOnce(&Options<'_>) -> Result<ProgramReport, ProgramError>,
    ) -> PyResult<Result<ProgramReport, ProgramError>> {
        let interrupt = Interrupt::new();
        let report = audit(&Options {
            library: self.library,
            epsilon: self.delta_at.clone(),
            listed: LISTED,
            progress: Some(&|_, _| interrupt.look()),
            cancel: Some(interrupt.flag()),
            ..Options::default()
        });
        interrupt.raised().map(|()| report)
    }

    /// The fields of its report.
    pub(super) fn fields<'py>(&self, py: Python<'py>, report: &ProgramReport) -> Fields<'py> {
        let weighed = |outcome: &ProgramOutcome| Outcome::exact(outcome.output, outcome.weights.clone());
        let outcomes: Vec<Outcome<f64>> = report.outcomes.iter().map(weighed).collect();
        let comparison: &Comparison<f64> = &report.comparison;
        let is_open = report.method == Method::Witness;
        let compared = Compared {
            comparison,
            outcomes: &outcomes,
            count: None,
            open: if is_open { Open::Loss } else { Open::Nothing },
            delta_at: self.delta_at.as_ref(),
        };
        let fields = compared.fields(py, |output| Ok(*output))?;
        let cell = |outcome: &ProgramOutcome| {
            let of = |i: usize| {
                let with = |negative: bool| {
                    let is_so = move |part: &&Part| (part.signs.first() == Some(&-1)) == negative;
                    outcome.parts[i].iter().filter(is_so).map(|part| [part.lo, part.hi])
                };
                samples(with(false), with(true))
            };
            (outcome.output, of(0), of(1))
        };
        fields.set_item("map", PyList::new(py, report.outcomes.iter().map(cell))?)?;
        fields.set_item("notes", report.notes.clone())?;
        Ok(fields)
    }
}

/// What to say of an ε that nobody asked for and nothing claims.
fn epsilon_note(of: EpsilonOf) -> Option<String> {
    match of {
        EpsilonOf::Request | EpsilonOf::Claim => None,
        EpsilonOf::Parameter => Some("delta is at the parameter eps: no ε is claimed".into()),
        EpsilonOf::Nothing => Some("delta is at ε = 0: no ε is claimed".into()),
    }
}

/// A refusal that has no place in a text.
pub(super) fn refused(error: &ProgramError) -> PyErr {
    ParameterError::new_err(error.to_string())
}

/// A text of the language with values for its parameters.
struct Task<'a> {
    text: &'a str,
    file: &'a File,
    declaration: &'a Declaration,
    bindings: Bindings,
    notes: Vec<String>,
}

/// A mechanism of the language.
#[pyfunction]
#[pyo3(signature = (text, inputs, *, program, parameters, ln, delta_at))]
pub(crate) fn _audit_text<'py>(
    py: Python<'py>,
    text: &str,
    inputs: [Bound<'py, PyAny>; 2],
    program: Option<&str>,
    parameters: &Bound<'py, PyDict>,
    ln: Option<&str>,
    delta_at: Optional<'_, 'py>,
) -> Fields<'py> {
    let file = declarations(text)?;
    let declaration = select(&file, program)?;
    let (mut bindings, notes) = bindings(declaration, parameters)?;
    default_grid(declaration, &mut bindings);
    check_parameters(text, declaration, &bindings)?;
    let mut task = Task { text, file: &file, declaration, bindings, notes };
    let [first, second] = &inputs;
    let inputs = [given(declaration, first)?, given(declaration, second)?];
    let delta_at = divergence_at(delta_at)?;
    let fields = match (declaration.is_over_floats(), ln) {
        (true, ln) => task.float(py, &inputs, ln, delta_at)?,
        (false, None) => task.discrete(py, &inputs, delta_at)?,
        (false, Some(_)) => return Err(ParameterError::new_err("ln is for programs over floats")),
    };
    let parameters = PyDict::new(py);
    for (name, value) in &task.bindings.values {
        parameters.set_item(name, number::fraction(py, value)?)?;
    }
    fields.set_item("parameters", parameters)?;
    fields.set_item("name", &declaration.name.text)?;
    fields.set_item("inputs", (shown(&inputs[0]), shown(&inputs[1])))?;
    Ok(fields)
}

/// The declaration of this name, or the only one.
pub(super) fn select<'a>(file: &'a File, name: Option<&str>) -> PyResult<&'a Declaration> {
    let names = || file.declarations.iter().map(|d| d.name.text.as_str()).collect::<Vec<_>>().join(", ");
    match (name, file.declarations.as_slice()) {
        (Some(name), _) => file.declaration(name).ok_or_else(|| {
            ParameterError::new_err(format!("there is no declaration {name:?}: there are {}", names()))
        }),
        (None, [only]) => Ok(only),
        (None, _) => Err(ParameterError::new_err(format!(
            "the text has several declarations: choose one with program=, of {}",
            names()
        ))),
    }
}

/// Values by name, rounded to floats where the declaration says that they are floats.
pub(super) fn bindings(
    declaration: &Declaration,
    parameters: &Bound<'_, PyDict>,
) -> PyResult<(Bindings, Vec<String>)> {
    let mut bindings = Bindings::default();
    let mut notes = Vec::new();
    for (name, value) in parameters {
        let name: String = name.extract()?;
        let exact = number::exact(&name, &value)?;
        let known = match name.as_str() {
            "epsilon" => "eps",
            "bound" => "B",
            "grid" => "L",
            other => other,
        };
        if !declaration.parameters().any(|binder| binder.name.text == known) {
            let names: Vec<&str> = declaration.parameters().map(|binder| binder.name.text.as_str()).collect();
            let names = if names.is_empty() { "none".into() } else { names.join(", ") };
            let of = &declaration.name.text;
            return Err(ParameterError::new_err(format!("{of} has no parameter {known}: there are {names}")));
        }
        let (value, note) = rounded(scalar(declaration, known), known, &exact);
        notes.extend(note);
        if bindings.values.insert(known.to_owned(), value).is_some() {
            return Err(ParameterError::new_err(format!("{known} is given twice")));
        }
    }
    Ok((bindings, notes))
}

/// Every parameter has a value.
pub(super) fn check_parameters(text: &str, declaration: &Declaration, bindings: &Bindings) -> PyResult<()> {
    let is_open = |binder: &&Binder| is_open(declaration, bindings, &binder.name.text);
    let Some(Binder { name, .. }) = declaration.parameters().find(is_open) else { return Ok(()) };
    let message = format!("the parameter `{}` has no value", name.text);
    let diagnostic = Diagnostic::new(name.span, message).with_hint(format!("give it: {}=…", name.text));
    Err(program_error(text, &[diagnostic]))
}

impl Task<'_> {
    fn at(&self, span: Option<Span>, message: String) -> PyErr {
        program_error(self.text, &[Diagnostic::new(span.unwrap_or(self.declaration.header), message)])
    }

    fn float<'py>(
        &mut self,
        py: Python<'py>,
        inputs: &[Given; 2],
        ln: Option<&str>,
        delta_at: Option<Rational>,
    ) -> Fields<'py> {
        let libraries = [
            ("correct", None),
            ("+1ulp", Some(Library::Shifted(1))),
            ("-1ulp", Some(Library::Shifted(-1))),
            ("std", Some(Library::Std)),
        ];
        let audit = ProgramAudit { delta_at, library: choice("ln", ln.unwrap_or("correct"), &libraries)? };
        let [(first, notes), (second, more)] = inputs.each_ref().map(|given| floats(self.declaration, given));
        self.notes.extend(notes);
        self.notes.extend(more);
        let name = Some(self.declaration.name.text.as_str());
        let (file, bindings) = (self.file, &self.bindings);
        let report = py.detach(|| {
            audit.run(|options| program::audit(file, name, bindings, [&first, &second], options))
        })?;
        let report = report.map_err(|error| self.refusal(&error))?;
        // Of a text the divergences are always taken: it says where, or the report does.
        let audit = ProgramAudit { delta_at: Some(report.epsilon.clone()), ..audit };
        let fields = audit.fields(py, &report)?;
        let mut notes = self.notes.clone();
        notes.extend(epsilon_note(report.epsilon_of));
        notes.extend(report.claim_in_words().map(|claim| format!("claim: {claim}")));
        if report.neighbours == Neighbours::No {
            notes.push("the inputs are no neighbours: `adjacent` does not hold of them".into());
        }
        notes.extend(report.notes);
        fields.set_item("notes", notes)?;
        let pure = report.claim.filter(|claim| claim.delta.is_zero());
        let claimed = pure.map(|claim| number::fraction(py, &claim.epsilon));
        fields.set_item("claimed", claimed.transpose()?)?;
        Ok(fields)
    }

    /// What is wrong, where it is in the text.
    fn refusal(&self, error: &ProgramError) -> PyErr {
        match error {
            ProgramError::Language(diagnostics) => program_error(self.text, diagnostics),
            ProgramError::NoValue { expression, .. } | ProgramError::NotMonotone { expression, .. } => {
                self.at(expression.span, error.to_string())
            }
            _ => self.at(None, error.to_string()),
        }
    }

    fn discrete<'py>(&self, py: Python<'py>, inputs: &[Given; 2], delta_at: Option<Rational>) -> Fields<'py> {
        let options = discrete::Options { precision: 128, epsilon: delta_at, ..Default::default() };
        let [first, second] = inputs;
        let (file, declaration, values) = (self.file, self.declaration, &self.bindings.values);
        let report = py.detach(|| discrete::audit(file, declaration, values, [first, second], &options));
        let report: DiscreteReport = report.map_err(|error| match &error {
            discrete::DiscreteError::Language(diagnostics) => program_error(self.text, diagnostics),
            other => self.at(other.span(), error.to_string()),
        })?;
        let compared = Compared {
            comparison: &report.comparison,
            outcomes: &report.outcomes,
            count: None,
            open: Open::Nothing,
            delta_at: Some(&report.epsilon),
        };
        let fields = compared.fields(py, |output| Ok(output.clone()))?;
        let mut notes = self.notes.clone();
        notes.extend(report.claim_in_words().map(|claim| format!("claim: {claim}")));
        notes.extend(
            report.unmet.iter().map(|unmet| {
                format!("the inputs are no neighbours: `{}` does not hold of them", unmet.clause)
            }),
        );
        fields.set_item("notes", notes)?;
        fields.set_item("map", py.None())?;
        let pure = report.claim.as_ref().filter(|claim| claim.delta.is_none());
        let claimed = pure.map(|claim| between(py, &claim.epsilon.lo().into(), &claim.epsilon.hi().into()));
        fields.set_item("claimed", claimed.transpose()?)?;
        Ok(fields)
    }
}
