//! Declarations of the language of mechanisms: the error of a variable, or the privacy of a mechanism over floats.

use lastbit::{Rational, Rounding};
use lastbit_lang::ast::{Declaration, DeclarationKind, File};
use lastbit_lang::values::{default_grid, default_ranges, is_open, rounded, scalar};
use lastbit_lang::{Bindings, lower};
use lastbit_prove::endpoint::answer::{Conclusion, FloatAnswer, Options};
use lastbit_prove::endpoint::{Given, OpenTheorem};

use super::Session;
use super::args::{Assignment, Prove, RuleSet};
use super::program::{prove, show};
use super::report::{Outcome, Report, Source, unreadable};
use super::{cases, open, privacy};
use crate::error::Error;

/// Proves what there is to prove of a declaration.
pub(crate) fn report(
    file: &File,
    declaration: &Declaration,
    source: &Source<'_>,
    session: &mut Session<'_>,
) -> Result<Report, Error> {
    let args = session.args;
    let name = declaration.name.text.as_str();
    if args.cases {
        return Ok(cases::report(file, declaration, source, args));
    }
    let asks_for_error = args.of.is_some() || args.fpcore || args.rules == RuleSet::Paper;
    if declaration.kind == DeclarationKind::Mechanism && !asks_for_error {
        if declaration.is_over_floats() {
            return over_floats(file, declaration, source, session);
        }
        if declaration.claims_privacy() {
            return privacy::report(file, declaration, source, session);
        }
    }
    let (bindings, notes) = bindings(declaration, args);
    let mut lowered = match lower(file, Some(name), &bindings, args.of.as_deref()) {
        Ok(lowered) => lowered,
        Err(diagnostics) => return Ok(unreadable(name, source, &diagnostics)),
    };
    args.values.set_library(&mut lowered.program);
    lowered.program.notes.extend(notes);
    prove(&lowered.program, lowered.error_claim, source, session)
}

/// The privacy of a mechanism over floats: for all parameters if some are open, else for these.
fn over_floats(
    file: &File,
    declaration: &Declaration,
    source: &Source<'_>,
    session: &mut Session<'_>,
) -> Result<Report, Error> {
    let args = session.args;
    let name = declaration.name.text.as_str();
    let (mut given, mut notes) = given(declaration, args);
    let mut refusal = None;
    if OpenTheorem::is_asked(declaration, &given) {
        match OpenTheorem::find(file, declaration, &given) {
            Ok(theorem) => {
                no_certificate(name, args)?;
                return Ok(open::report(declaration, &theorem, args));
            }
            Err(diagnostics) => refusal = Some(diagnostics),
        }
        // What is false of one value is not true of all.
        if is_open(declaration, &Bindings { values: given.values.clone(), ..Bindings::default() }, "eps") {
            given.values.insert("eps".into(), Rational::ONE);
            notes.push("eps has no value: 1 was tried".into());
        }
        if OpenTheorem::is_asked(declaration, &given) {
            let mut report = unreadable(name, source, &refusal.unwrap_or_default());
            report.text = format!("{name}: no verdict\n");
            return Ok(report);
        }
    }
    let inputs = match args.values.inputs.as_deref() {
        Some([f, f2]) => Some([f.clone(), f2.clone()]),
        _ => None,
    };
    let is_double = |x: &Rational| x.to_f64(Rounding::Nearest).is_finite();
    if inputs.iter().flatten().any(|input| !is_double(input)) {
        return Err(Error::usage(
            "--inputs are beyond the range of doubles",
            "give two numbers that are doubles",
        ));
    }
    let options = Options { inputs, ..Options::default() };
    let mut answer = match FloatAnswer::find(file, declaration, given, &options) {
        Ok(answer) => answer,
        Err(diagnostics) => return Ok(unreadable(name, source, &diagnostics)),
    };
    // Of one value nothing follows for all but that it is false.
    if refusal.is_some() && answer.conclusion == Conclusion::Proved {
        answer.conclusion = Conclusion::Undecided;
    }
    answer.notes.splice(0..0, notes);
    answer.notes.extend(far_apart(&answer, args));
    private(&answer, source, session)
}

/// What is known of a claim, or the error of the result where nothing is claimed and there is no bound on a loss.
fn private(
    answer: &FloatAnswer<'_>,
    source: &Source<'_>,
    session: &mut Session<'_>,
) -> Result<Report, Error> {
    let args = session.args;
    let declaration = answer.statement.declaration;
    let name = declaration.name.text.as_str();
    let program = &answer.statement.program;
    if let (Err(reason), false) = (&answer.bound, declaration.claims_privacy()) {
        let mut program = program.clone();
        program.notes.push(format!("there is no bound on the privacy loss: {}", reason.message));
        return prove(&program, None, source, session);
    }
    match answer.certificate(source.text) {
        Some(certificate) => {
            if let Some(certificates) = &mut session.certificates {
                certificates.write_value(name, &certificate.to_json())?;
            }
        }
        None => no_certificate(name, args)?,
    }
    let outcome = match answer.conclusion {
        Conclusion::Proved => Outcome::Proved,
        Conclusion::Refuted => Outcome::Refuted,
        Conclusion::Undecided => Outcome::Undecided,
    };
    let mut shown = Report::new(answer.in_words(source.text), answer.to_json(source.text), outcome);
    if args.show.is_asked() {
        let node = answer.bound.as_ref().map_or(program.result, |(snapping, _)| snapping.shape.y);
        show(program, &args.show, node, &mut shown)?;
    }
    Ok(shown)
}

/// What the command line gives, rounded to floats where the declaration says that they are floats.
fn given(declaration: &Declaration, args: &Prove) -> (Given, Vec<String>) {
    let values = &args.values;
    let (bindings, notes) =
        self::values(declaration, [&values.epsilon, &values.bound, &values.grid], &values.param);
    let library = |is_exp: bool| {
        let found = values.libm.iter().find(|given| given.is_exp == is_exp);
        found.map(|given| given.accuracy.clone())
    };
    let ranges = values.range.iter().map(|range| (range.name.clone(), (range.lo.clone(), range.hi.clone())));
    let given = Given {
        values: bindings.values,
        ranges: ranges.collect(),
        ln: library(false),
        exp: library(true),
        distance: values.sensitivity.clone(),
    };
    (given, notes)
}

/// The values and ranges that the command line gives.
fn bindings(declaration: &Declaration, args: &Prove) -> (Bindings, Vec<String>) {
    let given = &args.values;
    let (mut bindings, notes) =
        values(declaration, [&given.epsilon, &given.bound, &given.grid], &given.param);
    for range in &given.range {
        bindings.ranges.insert(range.name.clone(), (range.lo.clone(), range.hi.clone()));
    }
    default_grid(declaration, &mut bindings);
    default_ranges(declaration, &mut bindings);
    (bindings, notes)
}

/// Values of `eps`, `B` and `L`, and of others by name, rounded to floats where the declaration says that they are floats.
pub(crate) fn values(
    declaration: &Declaration,
    named: [&Option<Rational>; 3],
    listed: &[Assignment],
) -> (Bindings, Vec<String>) {
    let mut bindings = Bindings::default();
    let mut notes = Vec::new();
    let named = ["eps", "B", "L"].into_iter().zip(named);
    let named = named.filter_map(|(name, value)| Some((name, value.as_ref()?)));
    let listed = listed.iter().map(|assignment| (assignment.name.as_str(), &assignment.value));
    for (name, value) in named.chain(listed) {
        let (rounded, note) = rounded(scalar(declaration, name), name, value);
        notes.extend(note);
        bindings.values.insert(name.to_owned(), rounded);
    }
    (bindings, notes)
}

/// What is proved of all parameters at once, or by an exact audit, has no certificate.
fn no_certificate(name: &str, args: &Prove) -> Result<(), Error> {
    match args.certificate {
        None => Ok(()),
        Some(_) => Err(Error::usage(
            format!("there are no certificates of the kind of answer that {name} has"),
            "with numbers for all parameters (--epsilon, --bound) the loss of a snapping mechanism is certified; --of NAME certifies the error of a variable",
        )),
    }
}

/// Two inputs to look at that are no neighbours.
fn far_apart(answer: &FloatAnswer<'_>, args: &Prove) -> Option<String> {
    let [f, f2] = args.values.inputs.as_deref()? else { return None };
    let (snapping, _) = answer.bound.as_ref().ok()?;
    let distance = (f - f2).abs();
    (distance > snapping.distance).then(|| {
        format!(
            "the two inputs are {distance} apart, and what is certified is for at most {}",
            snapping.distance
        )
    })
}
