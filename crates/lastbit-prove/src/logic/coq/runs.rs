//! Runs of finite programs as tables of outputs and probabilities, and ENUMERATE, which compares them.

use std::collections::BTreeMap;

use lastbit_lang::ast::{Shape, Side};
use lastbit_lang::symbolic::{Constraint, FiniteLaw, Fresh, Path, Polynomial, Symbol, Value, applied, paths};

use super::layout::Lines;
use super::leaf::{Known, Leaves};
use super::terms::{atom, number};
use super::{Unsupported, program_error};
use crate::logic::kernel::finite::{excess, output, probability};
use crate::logic::proof::Finite;

/// Most paths of a run.
const MAX_PATHS: usize = 256;

/// Where the paths of a run go.
pub(super) struct Run {
    /// The paths that are not refuted.
    pub(super) paths: Vec<Path>,
    /// Their rows in Coq.
    pub(super) rows: Vec<(String, String)>,
}

impl Leaves<'_, '_, '_> {
    /// The paths of a run that count.
    pub(super) fn run(&self, known: &mut Known, side: Side, is_shown: bool) -> Result<Run, Unsupported> {
        let all = paths(self.text.program, side, &Fresh).map_err(program_error)?;
        if all.len() > MAX_PATHS {
            return Err(Unsupported::Size);
        }
        let mut kept = Vec::new();
        for path in all {
            if let Some(sample) = path.samples.first() {
                return Err(super::noise(&sample.law));
            }
            known.terms.applications(&path.applications)?;
            let counts = match is_shown {
                true => path
                    .guards
                    .iter()
                    .flat_map(Constraint::negated)
                    .all(|negation| self.premises.is_refuted(known, &[negation])),
                false => !self.premises.is_refuted(known, &path.guards),
            };
            let is_flag =
                |symbol: &Symbol| known.terms.get(symbol).is_some_and(|term| term.starts_with("flag "));
            let about_flags = |guard: &Constraint| guard.polynomial.variables().iter().all(is_flag);
            if !path.guards.iter().all(about_flags) {
                return Err(Unsupported::Comparison);
            }
            if counts {
                kept.push(path);
            }
        }
        let mut rows = Vec::new();
        for path in &kept {
            let mut weight = String::from("1");
            for choice in path.choices.iter().rev() {
                let share = self.share(known, &choice.law, choice.value)?;
                weight = format!("{} * {}", atom(&share), atom(&weight));
            }
            rows.push((self.output(path)?, weight));
        }
        Ok(Run { paths: kept, rows })
    }

    /// The probability of a value.
    pub(super) fn share(
        &self,
        known: &mut Known,
        law: &FiniteLaw,
        value: usize,
    ) -> Result<String, Unsupported> {
        let inverse = match law.total.inverse() {
            Some(inverse) => inverse,
            None => {
                known.terms.apply("recip", &law.total)?;
                Polynomial::variable(applied("recip", std::slice::from_ref(&law.total), ""))
            }
        };
        known.terms.polynomial(&(&law.weights[value] * &inverse))
    }

    /// What a path returns, in Coq.
    fn output(&self, path: &Path) -> Result<String, Unsupported> {
        let value = |value: &Value| match value {
            Value::Bool(value) => Ok(value.to_string()),
            Value::Number(p) => p.as_constant().map(|value| number(&value)).ok_or(Unsupported::Output),
            _ => Err(Unsupported::Output),
        };
        let values = path.result.iter().map(value).collect::<Result<Vec<_>, _>>()?;
        match (self.text.program.declaration.result.shape, values.as_slice()) {
            (Shape::One, [one]) => Ok(one.clone()),
            (Shape::One, _) => Err(Unsupported::Output),
            _ => Ok(format!("[{}]", values.join("; "))),
        }
    }

    /// That the program is defined, and what the paths of both runs are.
    pub(super) fn runs(
        &self,
        lines: &mut Lines,
        known: &Known,
        first: &Run,
        second: &Run,
    ) -> Result<(), Unsupported> {
        let mut asserted: Vec<&Constraint> = Vec::new();
        for obligation in first.paths.iter().flat_map(|path| &path.obligations) {
            if !asserted.contains(&&obligation.forbidden) {
                asserted.push(&obligation.forbidden);
                self.refute(lines, known, &obligation.forbidden)?;
            }
        }
        let name = &self.text.name;
        let flags = self.flags(known);
        for (index, run) in [first, second].into_iter().enumerate() {
            let rows: Vec<String> =
                run.rows.iter().map(|(output, weight)| format!("({output}, {weight})")).collect();
            let arguments = self.text.arguments(&[index + 1]);
            lines.push(
                known.indent,
                &format!("assert (run{} : {name}{arguments} = [{}]).", index + 1, rows.join("; ")),
            );
            lines.push(known.indent, &format!("{{ unfold {name}. {flags}same_run. }}"));
        }
        lines.push(
            known.indent,
            &format!("split; [unfold {name}_defined; {}is_defined |].", flags.replace(". ", "; ")),
        );
        let weaker = Constraint::positive(self.cost - &self.claim.1);
        self.refute(lines, known, &weaker)?;
        lines.push(known.indent, "rewrite run1, run2.");
        Ok(())
    }

    /// Replaces truth values among the inputs by what they are in this case.
    fn flags(&self, known: &Known) -> String {
        let mut text = String::new();
        for input in self.text.inputs.iter().filter(|input| input.is_truth_value) {
            for run in [1, 2] {
                let names = match input.length {
                    None => vec![(format!("{}<{run}>", input.name), input.coq[run].clone())],
                    Some(length) => (0..length)
                        .map(|i| {
                            (format!("{}[{i}]<{run}>", input.name), format!("({} {i}%nat)", input.coq[run]))
                        })
                        .collect(),
                };
                for (symbol, coq) in names {
                    let p = Polynomial::variable(symbol.as_str());
                    let is = |value: i64| {
                        known.constraints.contains(&Constraint::zero(&p - &Polynomial::constant(value)))
                    };
                    for (_, name) in [(1, "true"), (0, "false")].into_iter().filter(|(value, _)| is(*value)) {
                        text += &format!("rewrite ?(flag_is_{name} {coq}) by assumption. ");
                    }
                }
            }
        }
        text
    }

    /// That a law is one: the weights in question and the total.
    pub(super) fn law(
        &self,
        lines: &mut Lines,
        known: &Known,
        law: &FiniteLaw,
        asserted: &mut Vec<Constraint>,
    ) -> Result<(), Unsupported> {
        let weights = law.weights.iter().map(|weight| Constraint::positive(-weight));
        for wrong in weights.chain([Constraint::non_negative(-&law.total)]) {
            if !asserted.contains(&wrong) {
                self.refute(lines, known, &wrong)?;
                asserted.push(wrong);
            }
        }
        Ok(())
    }

    /// That the rows of the second run are not negative.
    pub(super) fn shares(&self, lines: &mut Lines, known: &mut Known, run: &Run) -> Result<(), Unsupported> {
        let mut asserted = Vec::new();
        for choice in run.paths.iter().flat_map(|path| &path.choices) {
            let share = self.share(known, &choice.law, choice.value)?;
            if !asserted.contains(&share) {
                let [w, t] =
                    [&choice.law.weights[choice.value], &choice.law.total].map(|p| known.terms.polynomial(p));
                let reason = format!("share_nonnegative_by {} {}", atom(&w?), atom(&t?));
                lines.push(known.indent, &format!("assert (0 <= {share}) by ({reason})."));
                asserted.push(share);
            }
        }
        Ok(())
    }

    /// From the cost of the proof to what is claimed.
    pub(super) fn weaken(&self, lines: &mut Lines, known: &Known) -> Result<(), Unsupported> {
        let cost = format!("{}_cost{}", self.text.name, self.text.arguments(&[]));
        lines.push(known.indent, &format!("weaken {}.", atom(&cost)));
        lines.push(known.indent, &format!("unfold {}_cost.", self.text.name));
        Ok(())
    }

    /// ENUMERATE.
    pub(super) fn enumerate(
        &self,
        lines: &mut Lines,
        mut known: Known,
        finite: &Finite,
    ) -> Result<(), Unsupported> {
        lines.push(known.indent, "(* ENUMERATE: the probability of every output. *)");
        self.axioms(lines, &mut known, &finite.axioms)?;
        let first = self.run(&mut known, Side::One, false)?;
        let second = self.run(&mut known, Side::Two, true)?;
        let mut asserted = Vec::new();
        for choice in first.paths.iter().chain(&second.paths).flat_map(|path| &path.choices) {
            self.law(lines, &known, &choice.law, &mut asserted)?;
        }
        self.shares(lines, &mut known, &second)?;
        self.runs(lines, &known, &first, &second)?;
        let mut table: BTreeMap<String, (String, [Polynomial; 2])> = BTreeMap::new();
        for (index, run) in [&first, &second].into_iter().enumerate() {
            for (path, (coq, _)) in run.paths.iter().zip(&run.rows) {
                let label = output(path).ok_or(Unsupported::Output)?;
                let row = table.entry(label).or_insert_with(|| (coq.clone(), Default::default()));
                row.1[index] = &row.1[index] + &probability(path);
            }
        }
        let mut rows = Vec::new();
        known.terms.apply("exp", self.cost)?;
        for (coq, [one, two]) in table.values() {
            if !one.is_zero() {
                self.refute(lines, &known, &excess(self.cost, one, two))?;
            }
            let [one, two] = [one, two].map(|p| known.terms.polynomial(p));
            rows.push(format!("({coq}, ({}, {}))", one?, two?));
        }
        self.weaken(lines, &known)?;
        lines.push(known.indent, &format!("apply (enumerate _ _ _ [{}]);", rows.join("; ")));
        lines.push(known.indent + 2, "[same_table | same_table | no_excesses].");
        Ok(())
    }
}
