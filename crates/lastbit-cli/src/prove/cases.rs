//! `--cases`: the ideal snapping mechanism case by case.

use lastbit_lang::Diagnostic;
use lastbit_lang::ast::{Declaration, File};
use lastbit_lang::symbolic::Program;
use lastbit_papers::cases::{applies, symbolic, table};

use super::args::Prove;
use super::report::{Outcome, Report, Source, unreadable};

/// The table: with numbers if all are given, else formulas.
pub(super) fn report(file: &File, declaration: &Declaration, source: &Source<'_>, args: &Prove) -> Report {
    let name = &declaration.name.text;
    let refuse = |message: String, hint: String| {
        let diagnostic = Diagnostic::new(declaration.name.span, message).with_hint(hint);
        let mut report = unreadable(name, source, &[diagnostic]);
        report.text = format!("{name}: no table of cases\n");
        report
    };
    let program = Program::new(file, declaration, &Default::default());
    if !program.is_ok_and(|program| applies(&program)) {
        return refuse(
            format!("there is no table of cases for `{name}`"),
            "it is for clamp(round(w, L), B) with w = x + s * ln(u) / eps, over the reals".into(),
        );
    }
    let values = &args.values;
    let given = [
        ("--epsilon E", values.epsilon.is_some()),
        ("--grid Λ", values.grid.is_some()),
        ("--bound B", values.bound.is_some()),
        ("--inputs F F'", values.inputs.is_some()),
    ];
    let missing: Vec<&str> = given.iter().filter(|(_, given)| !given).map(|(option, _)| *option).collect();
    if let (Some(bound), Some(inputs)) = (&values.bound, &values.inputs)
        && let Some(outside) = inputs.iter().find(|input| input.abs() > *bound)
    {
        let message = format!("the cases are about inputs in [-B, B], and {outside} is not");
        return refuse(message, "a larger --bound, or other --inputs".into());
    }
    let found = match (&values.epsilon, &values.grid, &values.bound, values.inputs.as_deref()) {
        (Some(epsilon), Some(grid), Some(bound), Some([f, f2])) => {
            let [epsilon, grid, bound] = [epsilon, grid, bound].map(Clone::clone);
            table(epsilon, grid, bound, [f.clone(), f2.clone()])
        }
        _ if missing.len() == given.len() => Ok(symbolic()),
        _ => {
            let message = "a table with numbers needs all of them".to_owned();
            return refuse(message, format!("give also {}; or none, for formulas", missing.join(", ")));
        }
    };
    match found {
        Ok(table) => {
            let mut value = table.to_json();
            value["name"] = name.as_str().into();
            Report::new(format!("{name}\n{table}"), value, Outcome::Proved)
        }
        Err(error) => refuse(error.to_string(), "change --epsilon, --grid or --bound".into()),
    }
}
