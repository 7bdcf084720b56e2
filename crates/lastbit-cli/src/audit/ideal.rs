//! `lastbit audit snapping --form exact`: the mechanism over the reals.

use std::fmt::Write;

use lastbit::Rational;
use lastbit_audit::Outcome;
use lastbit_audit::snapping::{IdealOutcome, IdealSnap};
use serde_json::{Value, json};

use super::args::{Grid, Logarithm, Operation, Snapping, Ties, Uniform};
use super::parameters::Parameters;
use super::summary::{Open, Style, Total, is_settled};
use super::{delta_at, number, out_of_range, print_json};
use crate::error::Error;
use crate::prove::files::print;

/// Bits of a probability beyond what the digits take.
const MORE_BITS: u32 = 256;
/// No more bits than this are tried.
const MOST_BITS: u32 = 1 << 14;
/// Rows of the table.
const MOST_ROWS: usize = 40;

/// `Λ` as given, or the smallest power of two that is at least `1/ε`.
pub(crate) fn grid(epsilon: &Rational, grid: &Grid) -> Rational {
    match grid {
        Grid::Given(grid) => grid.clone(),
        // An ε that is not positive is refused for what it is, whatever Λ is.
        Grid::Auto => IdealSnap::default_grid(epsilon).unwrap_or(Rational::ONE),
    }
}

/// The mechanism over the reals that the arguments describe.
pub(crate) fn mechanism(epsilon: &Rational, bound: &Rational, given: &Grid) -> Result<IdealSnap, Error> {
    let grid = grid(epsilon, given);
    IdealSnap::new(epsilon.clone(), bound.clone(), grid).map_err(|error| out_of_range(&error))
}

/// What only the float form has: those of its parameters that are not as usual, and other options.
pub(crate) fn check_options(parameters: &Parameters<'_>, others: &[(&str, bool)]) -> Result<(), Error> {
    let given = [
        ("--sampler", parameters.sampler != Uniform::Ulp),
        ("--op", parameters.op != Operation::Div),
        ("--scale", parameters.scale.is_some()),
        ("--tie", parameters.tie != Ties::Up),
        ("--no-clamp", !parameters.clamp),
        ("--ln", parameters.ln != Logarithm::Correct),
    ];
    let given = [&given, others].concat();
    match given.iter().find(|(_, given)| *given) {
        Some((option, _)) => Err(Error::usage(
            format!("{option} is about floating point, and the form is exact"),
            format!("leave out {option}, or give --form float"),
        )),
        None => Ok(()),
    }
}

pub(crate) fn run(args: &Snapping) -> Result<(), Error> {
    check_options(&args.parameters(), &[("--map", args.map), ("--worst", args.worst)])?;
    args.check_search_options()?;
    let mechanism = mechanism(&args.epsilon.exact, &args.bound.exact, &args.grid)?;
    let [f, f2] = args.inputs.as_deref().unwrap_or_default() else {
        return Err(Error::usage("an audit compares two inputs", "give --inputs F F'"));
    };
    let inputs = [f.exact.clone(), f2.exact.clone()];
    let delta_at = delta_at(&args.show.delta_at, mechanism.epsilon())?;
    let (outcomes, all) = mechanism.outcomes(&inputs);
    let claimed = mechanism.claimed(&inputs);
    let is_zero = outcomes.iter().all(IdealOutcome::is_alike);
    let mut bits = 4 * u32::from(args.show.digits) + MORE_BITS;
    let mut comparison = mechanism.compare(&outcomes, &delta_at, bits);
    // Where probabilities are nearly the same, most of their bits are.
    while !is_zero && bits < MOST_BITS && !is_settled(&comparison, args.show.digits.into()) {
        bits *= 2;
        comparison = mechanism.compare(&outcomes, &delta_at, bits);
    }
    let style = Style {
        digits: args.show.digits.into(),
        no_delta: delta_at >= claimed,
        delta_at,
        delta_why: "",
        name: &number,
        id: &Rational::to_string,
        open: if all { Open::Nothing } else { Open::Sums },
    };
    let grid = grid(mechanism.epsilon(), &args.grid);
    let enclosed = |outcome: &IdealOutcome| outcome.outcome(bits);
    if args.show.json {
        let mut fields = style.json(&comparison);
        let mut add = |name: &str, value: Value| drop(fields.insert(name.to_owned(), value));
        if is_zero {
            add("loss", json!("0"));
        }
        add("mechanism", json!("snapping"));
        add("form", json!("exact"));
        for (name, value) in [
            ("epsilon", mechanism.epsilon()),
            ("bound", &args.bound.exact),
            ("grid", &grid),
            ("claimed", &claimed),
        ] {
            add(name, json!(value.to_string()));
        }
        add("inputs", json!(inputs.each_ref().map(Rational::to_string)));
        add("outputs_listed", json!(if all { "all" } else { "selected" }));
        if !all {
            add("n_outputs", json!(mechanism.outputs().to_string()));
        }
        let total = &Total::of(&comparison);
        let outputs = outcomes.iter().map(|outcome| style.outcome_json(&enclosed(outcome), total));
        add("outputs", outputs.collect());
        return print_json(&Value::Object(fields));
    }
    let mut text = "snapping over the reals\n".to_owned();
    let _ = writeln!(
        text,
        "  ε = {}, B = {}, Λ = {}\n  f = {}, f' = {}\n",
        number(mechanism.epsilon()),
        number(&args.bound.exact),
        number(&grid),
        number(&inputs[0]),
        number(&inputs[1]),
    );
    if is_zero {
        text.push_str("loss     0: both inputs have the same distribution\n");
    } else {
        text.push_str(&style.text(&comparison));
    }
    let _ = writeln!(text, "claimed  ε·|f - f'| = {} after the clamp: a theorem\n", number(&claimed));
    let rows = if args.show.all { outcomes.len() } else { MOST_ROWS.min(outcomes.len()) };
    let from = (outcomes.len() - rows) / 2;
    let shown: Vec<Outcome<Rational>> = outcomes[from..from + rows].iter().map(enclosed).collect();
    text.push_str(&style.table(&shown, comparison.total()));
    if rows < outcomes.len() {
        let _ = writeln!(text, "  and {} more: --all lists them", outcomes.len() - rows);
    }
    if !all {
        let more = "  outputs in between have ratios between those of their neighbours here";
        let _ = writeln!(text, "{more}; there are {} in all", mechanism.outputs());
    }
    print(&text)
}
