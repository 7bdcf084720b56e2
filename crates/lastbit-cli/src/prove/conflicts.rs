//! Options that do not go together, told before anything is proved.

use super::args::{Prove, RuleSet, Values};
use crate::error::Error;

/// What is wrong whatever the files hold.
pub(crate) fn of_options(args: &Prove) -> Result<(), Error> {
    if !args.at.is_empty() && args.rules != RuleSet::Paper {
        return Err(Error::usage("--at is for the papers' rules", "add --rules paper"));
    }
    let points = args.at.iter().map(|assignment| ("--at", assignment.name.as_str()));
    once(points)?;
    let Values { epsilon, bound, grid, param, range, libm, .. } = &args.values;
    let named = [("--epsilon", "eps", epsilon), ("--bound", "B", bound), ("--grid", "L", grid)];
    let named =
        named.iter().filter(|(_, _, value)| value.is_some()).map(|(option, name, _)| (*option, *name));
    let params = param.iter().map(|assignment| ("--param", assignment.name.as_str()));
    let ranges = range.iter().map(|range| ("--range", range.name.as_str()));
    once(named.chain(params).chain(ranges))?;
    once(libm.iter().map(|given| ("--libm", if given.is_exp { "exp" } else { "ln" })))
}

/// Each name may be given once.
fn once<'a>(given: impl Iterator<Item = (&'a str, &'a str)>) -> Result<(), Error> {
    let mut seen: Vec<(&str, &str)> = Vec::new();
    for (option, name) in given {
        if let Some((first, _)) = seen.iter().find(|(_, other)| *other == name) {
            return Err(Error::usage(
                format!("{name} is given twice, by {first} and by {option}"),
                "give only one of the two",
            ));
        }
        seen.push((option, name));
    }
    Ok(())
}

/// What makes no sense for a file of FPCore.
pub(crate) fn of_fpcore(args: &Prove, file: &str) -> Result<(), Error> {
    let values = &args.values;
    let given = [
        ("--of", args.of.is_some()),
        ("--epsilon", values.epsilon.is_some()),
        ("--bound", values.bound.is_some()),
        ("--grid", values.grid.is_some()),
        ("--sensitivity", values.sensitivity.is_some()),
        ("--param", !values.param.is_empty()),
        ("--range", !values.range.is_empty()),
        ("--inputs", values.inputs.is_some()),
    ];
    match given.iter().find(|(_, is_given)| *is_given) {
        None => Ok(()),
        Some((option, _)) => Err(Error::usage(
            format!("{option} is for *.lb files, and {file} is FPCore"),
            "FPCore gives the ranges of its arguments in :pre (<= lo x hi)",
        )),
    }
}

/// What makes no sense for a file of the language of mechanisms.
pub(crate) fn of_declarations(args: &Prove, file: &str) -> Result<(), Error> {
    if !args.real_inputs {
        return Ok(());
    }
    Err(Error::usage(
        format!("--real-inputs is for FPCore, and {file} is not"),
        "a *.lb file says what an argument is: x: real, or x: f64",
    ))
}

/// What can be asked of one program only.
pub(crate) fn of_many(args: &Prove, programs: usize) -> Result<(), Error> {
    let file = args.certificate.as_ref().filter(|path| !path.is_dir());
    let asked = [
        ("--latex prints one document", args.show.latex && !args.json),
        ("--node is about one derivation", args.show.node.is_some()),
        ("--certificate names one file", file.is_some()),
    ];
    match asked.iter().find(|(_, is_asked)| *is_asked && programs > 1) {
        None => Ok(()),
        Some((what, _)) if what.starts_with("--certificate") => Err(Error::usage(
            format!("{what}, and there are {programs} programs"),
            "choose one with --program, or give a directory that exists",
        )),
        Some((what, _)) => Err(Error::usage(
            format!("{what}, and there are {programs} programs"),
            "choose one with --program",
        )),
    }
}
