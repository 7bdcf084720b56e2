//! The standard programs, and the answers that are found.

use std::collections::BTreeMap;
use std::time::Instant;

use lastbit::{Rational, Rounding};
use lastbit_audit::ExactLoss;
use lastbit_audit::program;
use lastbit_engine::{Loss, Number, Schema};
use lastbit_lang::ast::{Declaration, File, Scalar};
use lastbit_lang::watch::Limits;
use lastbit_lang::{Bindings, parse};
use lastbit_papers::standard::{ALL, Expected, Standard, VariantError, variants};
use lastbit_prove::logic::certificate::only_used;
use lastbit_prove::logic::kernel;
use lastbit_prove::logic::prove::{Conclusion, Options, Report, prove};
use lastbit_prove::logic::refute::RefutationOutcome;
use serde::Serialize;

use crate::error::{Error, quoted};
use crate::progress::LateBar;

/// How a program is written.
type Write = fn(&str, &str) -> Result<String, VariantError>;
const VARIANTS: [(&str, Write); 4] = [
    ("original", variants::alone),
    ("renamed", variants::renamed),
    ("reordered", variants::reordered),
    ("halved", variants::halved),
];

/// Digits of losses.
const DIGITS: usize = 4;

/// A program in one of its forms, and what came of it.
#[derive(Serialize)]
pub(super) struct Row {
    pub(super) schema: Schema,
    pub(super) program: &'static str,
    pub(super) variant: &'static str,
    pub(super) expected: &'static str,
    /// Whether that is the verdict.
    pub(super) right: bool,
    #[serde(flatten)]
    pub(super) found: Found,
}

/// The outcome of one proof.
#[derive(Default, Serialize)]
pub(super) struct Found {
    #[serde(rename = "found")]
    pub(super) verdict: String,
    /// The privacy cost that is proved.
    pub(super) cost: Option<String>,
    /// What a witness loses at least.
    pub(super) loss: Option<Loss>,
    pub(super) evaluations: usize,
    /// Seconds of the search, and of the check of what it found.
    #[serde(rename = "search_seconds")]
    pub(super) search: f64,
    #[serde(rename = "check_seconds")]
    pub(super) check: Option<f64>,
}

/// All rows, or those of one program.
pub(super) fn rows(program: Option<&str>) -> Result<Vec<Row>, Error> {
    let wanted: Vec<&Standard> =
        ALL.iter().filter(|standard| program.is_none_or(|name| name == standard.name)).collect();
    if wanted.is_empty() {
        let name = program.unwrap_or_default();
        return Err(Error::usage(
            format!("there is no standard program {}", quoted(name.as_bytes())),
            format!("there are {}", ALL.iter().map(|s| s.name).collect::<Vec<_>>().join(", ")),
        ));
    }
    let bar = LateBar::new("bench", "{prefix}: {wide_bar} {pos}/{len} {msg}", wanted.len() as u64);
    let mut rows = Vec::new();
    for (done, standard) in wanted.iter().enumerate() {
        bar.show(done as u64, standard.name);
        for (variant, write) in VARIANTS {
            // A program without noise that could be halved has three variants.
            let Ok(text) = write(standard.file, standard.name) else { continue };
            let expected = match standard.expected {
                Expected::Proved if variant != "halved" => "proved",
                _ => "refuted",
            };
            let found = found(&text);
            let right = expected == found.verdict;
            rows.push(Row { schema: Schema, program: standard.name, variant, expected, right, found });
        }
    }
    Ok(rows)
}

/// Proves or refutes the only declaration of a text.
fn found(text: &str) -> Found {
    let (file, _) = parse(text);
    let Some(declaration) = file.declarations.first() else { return Found::default() };
    let start = Instant::now();
    if has_floats(declaration) {
        let (verdict, loss) = audited(&file, declaration);
        return Found { verdict, loss, search: start.elapsed().as_secs_f64(), ..Found::default() };
    }
    let mut evaluations = 0;
    let values = BTreeMap::new();
    // What is found must not depend on the machine.
    let options = Options { limits: Limits::NONE, ..Options::default() };
    let report = prove(&file, declaration, &values, &options, &mut |done| evaluations = done);
    let search = start.elapsed().as_secs_f64();
    let report = match report {
        Ok(report) => report,
        Err(error) => return Found { verdict: error.to_string(), search, ..Found::default() },
    };
    let (cost, check) = checked(&file, declaration, &report).unzip();
    let loss = match &report.refutation {
        Some(Ok(RefutationOutcome::Refuted(witness))) => {
            Some(witness.loss().map_or(Loss::Infinite, |loss| {
                Loss::AtLeast(Number::rounded(&Rational::from(&loss), DIGITS, Rounding::Down))
            }))
        }
        _ => None,
    };
    let verdict = match report.conclusion {
        Conclusion::Proved => "proved",
        Conclusion::Rejected => "rejected",
        Conclusion::Refuted => "refuted",
        Conclusion::Undecided => "undecided",
    };
    Found { verdict: verdict.into(), cost, loss, evaluations, search, check }
}

/// What is proved, and how long the kernel alone takes.
fn checked(file: &File, declaration: &Declaration, report: &Report) -> Option<(String, f64)> {
    let (proof, _) = report.proved()?;
    let values = BTreeMap::new();
    let program = lastbit_lang::symbolic::Program::new(file, declaration, &values).ok()?;
    let proof = only_used(&program, proof).ok()?;
    let start = Instant::now();
    let theorem = kernel::check(file, declaration, &values, &proof).ok()?;
    Some((theorem.cost.to_string(), start.elapsed().as_secs_f64()))
}

fn has_floats(declaration: &Declaration) -> bool {
    let binders = declaration.arguments.iter().chain(declaration.parameters());
    let mut scalars = binders.map(|binder| binder.ty.scalar).chain([declaration.result.scalar]);
    scalars.any(|scalar| matches!(scalar, Scalar::F64 | Scalar::F32))
}

/// A float mechanism of one argument, with parameters 1 and inputs 0 and 1: a loss that is not finite refutes every claim.
fn audited(file: &File, declaration: &Declaration) -> (String, Option<Loss>) {
    let mut bindings = Bindings::default();
    bindings.values.extend(declaration.parameters().map(|binder| (binder.name.text.clone(), Rational::ONE)));
    let [zero, one]: [BTreeMap<String, Rational>; 2] = [0, 1].map(|x| {
        declaration.arguments.iter().map(|binder| (binder.name.text.clone(), Rational::from(x))).collect()
    });
    let audit = program::audit(file, None, &bindings, [&zero, &one], &program::Options::default());
    match audit.map(|audit| audit.loss(64)) {
        Ok(ExactLoss::Infinite) => ("refuted".into(), Some(Loss::Infinite)),
        Ok(_) => ("undecided".into(), None),
        Err(error) => (error.to_string(), None),
    }
}
