//! Privacy claims of mechanisms over the reals: proved, rejected, refuted or undecided, by the relational logic.

use std::collections::BTreeMap;
use std::time::Instant;

use lastbit::Rational;
use lastbit_lang::Diagnostic;
use lastbit_lang::ast::{Binder, Declaration, File};
use lastbit_lang::symbolic::{Constraint, Polynomial, Program};
use lastbit_prove::logic::certificate::{self, only_used};
use lastbit_prove::logic::kernel::{self, KernelError, Proof, Theorem};
use lastbit_prove::logic::oracle::Z3;
use lastbit_prove::logic::prove::{Conclusion, Options, Report as Found, prove};
use lastbit_prove::logic::refute::RefuteError;
use lastbit_prove::logic::script::{ScriptReport, Verdict};
use lastbit_prove::logic::search::{Search, Strategy};
use serde_json::json;

use super::Session;
use super::args::Prove;
use super::report::{Outcome, Report, Source, unreadable};
use super::{privacy_json, privacy_text};
use crate::error::Error;
use crate::progress::LateBar;

/// A claim, and what was found out about it.
pub(crate) struct Answer<'a> {
    pub(crate) declaration: &'a Declaration,
    pub(crate) source: &'a Source<'a>,
    pub(crate) program: Program<'a>,
    pub(crate) values: BTreeMap<String, Rational>,
    /// ε, and δ if there is one; nothing for `infer`.
    pub(crate) claim: Option<(Polynomial, Option<Polynomial>)>,
    pub(crate) found: Found,
    pub(crate) proofs: Vec<Proved<'a>>,
    pub(crate) seconds: f64,
    pub(crate) notes: Vec<String>,
}

/// A proof that the kernel has accepted, without the lemmas that it does not need.
pub(crate) struct Proved<'a> {
    /// `proof by_events`, or how it was found.
    pub(crate) origin: String,
    /// The script's name, if it has one.
    pub(crate) script: Option<&'a str>,
    /// Whether it was searched for.
    pub(crate) is_found: bool,
    pub(crate) proof: Proof,
    pub(crate) theorem: Theorem,
}

/// Proves or refutes the claim of a declaration.
pub(crate) fn report(
    file: &File,
    declaration: &Declaration,
    source: &Source<'_>,
    session: &mut Session<'_>,
) -> Result<Report, Error> {
    let args = session.args;
    let name = &declaration.name.text;
    // Ignoring these would be to prove something else than what was asked for.
    if args.values.sensitivity.is_some() || !args.values.range.is_empty() {
        return Err(Error::usage(
            format!("{name} is over the reals: its neighbours and ranges are those of the file"),
            "change `adjacent` and the ranges there, and leave out --sensitivity and --range",
        ));
    }
    let values = given(args);
    let answer = match answer(file, declaration, source, values, args) {
        Ok(answer) => answer,
        Err(error) => return Ok(bad(declaration, source, error)),
    };
    if let Some(certificates) = &mut session.certificates {
        certificates.expect(name, answer.proofs.len())?;
        for proved in &answer.proofs {
            let of = match (answer.proofs.len(), proved.script) {
                (2.., Some(script)) => format!("{name}.{script}"),
                _ => name.clone(),
            };
            let value = certificate::to_json(source.text, name, &answer.values, &proved.proof);
            certificates.write_value(&of, &value)?;
        }
    }
    let outcome = match answer.found.conclusion {
        Conclusion::Proved => Outcome::Proved,
        Conclusion::Rejected | Conclusion::Refuted => Outcome::Refuted,
        Conclusion::Undecided => Outcome::Undecided,
    };
    Ok(Report::new(privacy_text::text(&answer, &args.show), privacy_json::json(&answer), outcome))
}

/// The values that the command line gives, and no others: without them the proof is for all of them.
pub(crate) fn given(args: &Prove) -> BTreeMap<String, Rational> {
    let values = &args.values;
    let named = [("eps", &values.epsilon), ("B", &values.bound), ("L", &values.lambda)];
    let named = named.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value.clone()?)));
    let listed = values.param.iter().map(|assignment| (assignment.name.clone(), assignment.value.clone()));
    named.chain(listed).collect()
}

fn answer<'a>(
    file: &'a File,
    declaration: &'a Declaration,
    source: &'a Source<'a>,
    values: BTreeMap<String, Rational>,
    args: &Prove,
) -> Result<Answer<'a>, KernelError> {
    let program = Program::new(file, declaration, &values)?;
    if let Some(diagnostic) = not_allowed(&program)? {
        return Err(diagnostic.into());
    }
    let claim = kernel::claim(&program)?;
    let start = Instant::now();
    let oracle = if args.oracle { Z3::find() } else { None };
    let options = Options { oracle, ..Options::default() };
    let bar = LateBar::new(&declaration.name.text, BAR, options.refute.evaluations as u64);
    let found = prove(file, declaration, &values, &options, &mut |done| bar.show(done as u64, ""))?;
    drop(bar);
    let seconds = start.elapsed().as_secs_f64();
    // What can not be run at all is not undecided, but bad.
    if let (None, Some(Err(RefuteError::Program(error)))) = (found.proved(), &found.refutation) {
        return Err(error.clone());
    }
    let proofs = proofs(&program, declaration, &found)?;
    let mut notes = ignored(args);
    if args.oracle && options.oracle.is_none() {
        notes.push("there is no z3 on this machine: no oracle was asked".into());
    }
    Ok(Answer { declaration, source, program, values, claim, found, proofs, seconds, notes })
}

const BAR: &str = "{prefix}: looking for a witness {wide_bar} {pos}/{len}";

/// All proofs: of scripts, or else the one that was found.
fn proofs<'a>(
    program: &Program<'_>,
    declaration: &'a Declaration,
    found: &Found,
) -> Result<Vec<Proved<'a>>, KernelError> {
    let mut proofs = Vec::new();
    for (script, written) in found.scripts.iter().zip(&declaration.proofs) {
        if let Verdict::Proved(proved) = &script.verdict {
            let name = written.name.as_ref().map(|name| name.text.as_str());
            let (proof, theorem) = proved.as_ref();
            let proof = only_used(program, proof)?;
            proofs.push(Proved {
                origin: title(script),
                script: name,
                is_found: false,
                proof,
                theorem: theorem.clone(),
            });
        }
    }
    if let Some(Search { proved: Some((proof, theorem)), strategies, .. }) = &found.search {
        let how: Vec<String> = strategies.iter().map(Strategy::to_string).collect();
        let how = if how.is_empty() { "looking at the inputs".into() } else { how.join(", and by ") };
        proofs.push(Proved {
            origin: format!("found by {how}"),
            script: None,
            is_found: true,
            proof: only_used(program, proof)?,
            theorem: theorem.clone(),
        });
    }
    Ok(proofs)
}

/// What a script is called.
pub(crate) fn title(script: &ScriptReport) -> String {
    script.name.as_ref().map_or("proof".into(), |name| format!("proof {name}"))
}

/// Given values that the assumptions exclude: about them everything could be proved.
fn not_allowed(program: &Program<'_>) -> Result<Option<Diagnostic>, Diagnostic> {
    let is_false = |constraint: &Constraint| constraint.decided() == Some(false);
    let excluded = program.facts()?.iter().all(|fact| fact.constraints.iter().any(is_false));
    let message = "the assumptions of the declaration exclude these values";
    Ok(excluded.then(|| Diagnostic::new(program.declaration.name.span, message)))
}

/// What was asked for and says nothing about a mechanism over the reals.
fn ignored(args: &Prove) -> Vec<String> {
    let values = &args.values;
    let options = [
        ("--libm", !values.libm.is_empty()),
        ("--inputs", values.inputs.is_some()),
        ("--figure", args.show.figure),
        ("--latex", args.show.latex),
        ("--node", args.show.node.is_some()),
    ];
    let given = options.iter().filter(|(_, given)| *given);
    given.map(|(option, _)| format!("{option} says nothing about a proof over the reals")).collect()
}

/// What the logic can not look at.
fn bad(declaration: &Declaration, source: &Source<'_>, error: KernelError) -> Report {
    let name = &declaration.name.text;
    let mut report = match error {
        KernelError::Program(diagnostic) => unreadable(name, source, &[with_hint(declaration, diagnostic)]),
        other => {
            let problem = format!("error: {other}\n");
            Report::bad(name, "", problem, json!({ "name": name, "error": other.to_string() }))
        }
    };
    report.text = format!("{name}: no verdict\n");
    report
}

/// Messages about a value that is not known say how to give it.
fn with_hint(declaration: &Declaration, diagnostic: Diagnostic) -> Diagnostic {
    if !diagnostic.message.contains("is not known") {
        return diagnostic;
    }
    let is_named = |binder: &&Binder| diagnostic.message.contains(&format!("`{}`", binder.name.text));
    let named = declaration.parameters().find(is_named);
    match named.map(|binder| binder.name.text.clone()) {
        Some(name) => diagnostic.with_hint(format!("give it a value: --param {name}=5")),
        None => diagnostic,
    }
}
