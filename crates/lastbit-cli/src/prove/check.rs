//! `lastbit check`.

use lastbit::Rounding;
use lastbit_lang::{StraightLine, fpcore};
use lastbit_prove::check::{CheckError, Checked, check, same_program};
use lastbit_prove::derivation;
use serde_json::{Value, json};

use super::args::Check;
use super::program::{exact, json_number};
use super::read_text;
use crate::error::Error;
use crate::output::print_now;

pub(crate) fn run(args: &Check) -> Result<(), Error> {
    let programs = match &args.program {
        Some(path) => {
            let (_, text) = read_text(path)?;
            Some(fpcore::read(&text).into_iter().flatten().collect::<Vec<_>>())
        }
        None => None,
    };
    let mut values = Vec::new();
    let mut text = String::new();
    let mut worst = 0;
    for path in &args.files {
        let (name, certificate) = read_text(path)?;
        let verdict =
            check(&certificate).map_err(|error| (exit_code(&error), error.to_string())).and_then(|checked| {
                match programs.as_deref().map(|programs| find(&checked, programs)) {
                    Some(Err(reason)) => Err((1, reason)),
                    _ => Ok(checked),
                }
            });
        let (line, value) = match verdict {
            Ok(checked) => accepted(&name, &checked),
            Err((code, reason)) => {
                worst = worst.max(code);
                (
                    format!("{name}: REFUSED: {reason}\n"),
                    json!({ "file": name, "accepted": false, "reason": reason }),
                )
            }
        };
        text += &line;
        values.push(value);
    }
    if args.json {
        text = serde_json::to_string_pretty(&values).map_err(|e| Error::io("write JSON", e.into()))? + "\n";
    }
    print_now(&text)?;
    if worst == 0 { Ok(()) } else { Err(Error::Told(worst)) }
}

/// 2 for what is no certificate at all, 1 for one that is wrong.
fn exit_code(error: &CheckError) -> u8 {
    if matches!(error, CheckError::Json { .. }) { 2 } else { 1 }
}

/// Whether the certificate is about one of the programs.
fn find(checked: &Checked, programs: &[StraightLine]) -> Result<(), String> {
    let mut reason = "the file has no program".to_owned();
    for program in programs {
        match same_program(&checked.program, program) {
            Ok(()) => return Ok(()),
            // The difference to the program of the same name is what the user wants to know.
            Err(difference) if program.name == checked.program.name || programs.len() == 1 => {
                reason = difference
            }
            Err(_) => {}
        }
    }
    Err(format!("it is about another program: {reason}"))
}

fn accepted(name: &str, checked: &Checked) -> (String, Value) {
    let [lo, hi] = derivation::ends(checked.range.lo(), checked.range.hi());
    let text = format!(
        "{name}: ACCEPTED: {}: |float - real| <= {}  for values in [{lo}, {hi}]  ({} boxes, {} judgements)\n",
        checked.program.name,
        derivation::error(&checked.error),
        checked.leaves,
        checked.judgements,
    );
    let value = json!({
        "file": name,
        "accepted": true,
        "name": checked.program.name,
        "abs_error": json_number(&checked.error, Rounding::Up),
        "range": [json_number(checked.range.lo(), Rounding::Down), json_number(checked.range.hi(), Rounding::Up)],
        "exact": { "abs_error": exact(&checked.error) },
        "boxes": checked.leaves,
        "judgements": checked.judgements,
    });
    (text, value)
}
