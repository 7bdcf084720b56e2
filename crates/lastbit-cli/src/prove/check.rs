//! `lastbit check`.

use std::path::Path;

use lastbit::Rounding;
use lastbit_lang::{Bindings, Diagnostic, StraightLine, lower, render};
use lastbit_prove::check::{CheckError, Checked, check};
use lastbit_prove::derivation;
use lastbit_prove::endpoint::certificate as loss;
use lastbit_prove::logic::certificate;
use serde_json::{Value, json};

use super::args::Check;
use super::check_loss;
use super::check_privacy::{self, Meant};
use super::files::{name_of, print, read_text};
use super::limits::interrupted;
use super::program::{exact, json_number};
use super::report::printable;
use super::{Parsed, read};
use crate::error::{Error, tell};

/// The code of a certificate that was not checked to the end.
pub(super) const NOT_CHECKED: u8 = 3;
/// The code of Ctrl-C.
pub(super) const INTERRUPTED: u8 = 130;

/// Not accepted: 2 for what is no certificate at all, 1 for one that is wrong, [`NOT_CHECKED`] for one that nothing can be said of.
pub(super) struct Refused {
    pub(super) code: u8,
    pub(super) reason: String,
}

/// What certificates are to be about, read when the first of a kind comes.
#[derive(Default)]
struct Programs {
    of_errors: Option<Vec<StraightLine>>,
    of_privacy: Option<Meant>,
}

impl Programs {
    /// The mechanisms of the file that is named, if one is.
    fn mechanisms(&mut self, program: Option<&Path>) -> Result<Option<&Meant>, Error> {
        if let (Some(path), None) = (program, &self.of_privacy) {
            self.of_privacy = Some(Meant::read(path)?);
        }
        Ok(self.of_privacy.as_ref())
    }
}

pub(crate) fn run(args: &Check) -> Result<(), Error> {
    let mut programs = Programs::default();
    let mut values = Vec::new();
    let mut worst = 0;
    for path in &args.files {
        let name = name_of(path);
        let verdict = match read_text(path) {
            Ok(text) => verdict(&name, &text, args, &mut programs)?,
            Err(error) => {
                if !args.json {
                    error.print();
                    worst = 2;
                    continue;
                }
                Err(Refused { code: 2, reason: error.to_string() })
            }
        };
        let (text, value) = match &verdict {
            Ok(said) => said.clone(),
            Err(refused) => {
                worst = worst.max(refused.code);
                not_accepted(&name, refused)
            }
        };
        match &verdict {
            _ if args.json => values.push(value),
            Err(Refused { code: 2, .. }) => tell(printable(&text).trim_end()),
            _ => print(&printable(&text))?,
        }
    }
    if args.json {
        print(
            &(serde_json::to_string_pretty(&values).map_err(|e| Error::io("write JSON", e.into()))? + "\n"),
        )?;
    }
    if worst == 0 { Ok(()) } else { Err(Error::Told(worst)) }
}

/// The programs of a file, as far as they need no values.
fn programs(path: &Path) -> Result<Vec<StraightLine>, Error> {
    let input = read(path)?;
    let unreadable =
        |diagnostics: &[Diagnostic]| Error::Rendered(render(&input.name, &input.text, diagnostics));
    match &input.parsed {
        Parsed::Bad(diagnostics) => Err(unreadable(diagnostics)),
        Parsed::Programs(programs) => {
            let good: Vec<StraightLine> = programs.iter().flatten().cloned().collect();
            let bad = programs.iter().filter_map(|program| program.as_ref().err()).next();
            match bad.filter(|_| good.is_empty()) {
                Some(error) => Err(unreadable(&error.diagnostics)),
                None => Ok(good),
            }
        }
        Parsed::Declarations(file) => {
            let names = file.declarations.iter().map(|declaration| declaration.name.text.as_str());
            let lowered = names.filter_map(|name| lower(file, Some(name), &Bindings::default(), None).ok());
            let good: Vec<StraightLine> = lowered.map(|lowered| lowered.program).collect();
            if good.is_empty() {
                return Err(Error::usage(
                    format!("all programs of {} leave values open", input.name),
                    "lastbit prove FILE with the values and --fpcore prints a file to compare with",
                ));
            }
            Ok(good)
        }
    }
}

/// What is said of a certificate that is accepted, as text and as JSON.
fn verdict(
    name: &str,
    text: &str,
    args: &Check,
    read: &mut Programs,
) -> Result<Result<(String, Value), Refused>, Error> {
    let program = args.program.as_deref();
    match certificate::read(text) {
        Ok(privacy) => {
            let meant = read.mechanisms(program)?;
            let limits = args.limits.of(name);
            return match check_privacy::verdict(name, &privacy, meant, &limits) {
                Err(Refused { code: INTERRUPTED, .. }) => Err(interrupted(name, "its proof was checked")),
                verdict => Ok(verdict),
            };
        }
        Err(error) if error.is_of_another_kind() => {}
        Err(error) => return Ok(Err(check_privacy::refusal(&error))),
    }
    match loss::read(text) {
        Ok(certificate) => {
            let meant = read.mechanisms(program)?;
            return Ok(check_loss::verdict(name, &certificate, meant));
        }
        Err(error) if error.is_of_another_kind() => {}
        Err(error) => return Ok(Err(check_loss::refusal(&error))),
    }
    if let (Some(path), None) = (program, &read.of_errors) {
        read.of_errors = Some(programs(path)?);
    }
    let checked = error_verdict(text, read.of_errors.as_deref());
    Ok(checked.map(|checked| accepted(name, &checked)))
}

fn error_verdict(certificate: &str, programs: Option<&[StraightLine]>) -> Result<Checked, Refused> {
    let checked =
        check(certificate).map_err(|error| Refused { code: exit_code(&error), reason: error.to_string() })?;
    match programs.map(|programs| checked.is_about(programs)) {
        Some(Err(reason)) => Err(Refused { code: 1, reason }),
        _ => Ok(checked),
    }
}

pub(super) fn exit_code(error: &CheckError) -> u8 {
    match error {
        CheckError::Json { .. } => 2,
        CheckError::Value { place, .. } if place == "lastbit" || place == "version" => 2,
        _ => 1,
    }
}

const MORE: &str = "allow more with --timeout and --memory";

fn not_accepted(name: &str, refused: &Refused) -> (String, Value) {
    let Refused { code, reason } = refused;
    let text = match code {
        2 => format!(
            "error: {name} is not a certificate: {reason}\nhint: lastbit prove FILE --certificate PATH writes one\n"
        ),
        &NOT_CHECKED => format!("{name}: NOT CHECKED: {reason}\n  what to do      {MORE}\n"),
        _ => format!("{name}: REFUSED: {reason}\n"),
    };
    (text, json!({ "file": name, "accepted": false, "reason": reason }))
}

fn accepted(name: &str, checked: &Checked) -> (String, Value) {
    let [lo, hi] = derivation::ends(checked.range.lo(), checked.range.hi());
    let boxes = if checked.leaves == 1 { "1 box".into() } else { format!("{} boxes", checked.leaves) };
    let claimed = |node| derivation::expression(&checked.program, node, derivation::Reading::Real);
    let at_most = checked.at_most.map(claimed);
    let mut text = format!(
        "{name}: ACCEPTED: {}: |float - real| <= {}  for values in [{lo}, {hi}]  ({boxes}, {} judgements)\n",
        checked.program.name,
        derivation::error(&checked.error),
        checked.judgements,
    );
    if let Some(bound) = &at_most {
        text += &format!("  and everywhere at most {bound}\n");
    }
    let value = json!({
        "file": name,
        "accepted": true,
        "name": checked.program.name,
        "abs_error": json_number(&checked.error, Rounding::Up),
        "range": [json_number(checked.range.lo(), Rounding::Down), json_number(checked.range.hi(), Rounding::Up)],
        "exact": { "abs_error": exact(&checked.error) },
        "at_most": at_most,
        "boxes": checked.leaves,
        "judgements": checked.judgements,
    });
    (text, value)
}
