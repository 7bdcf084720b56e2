//! Proofs by EVENT: Laplace noise made of a uniform sample and a sign, and a monotone function of what it gives.

use lastbit_lang::ast::{Scalar, Side};
use lastbit_lang::symbolic::{Constraint, Fresh, Polynomial, Value, paths};

use super::layout::Lines;
use super::leaf::{Known, Leaves};
use super::terms::{Terms, atom};
use super::{Unsupported, program_error};
use crate::logic::kernel::event::cases;
use crate::logic::proof::Event;

impl Leaves<'_, '_, '_> {
    /// The inequalities between probabilities of intervals, each case by the certificate's lemma.
    pub(super) fn event_cases(&self, lines: &mut Lines) -> Result<(), Unsupported> {
        let mut terms = Terms::default();
        for name in ["A", "b", "k", "E"] {
            terms.insert(name, name.into());
        }
        lines.push(0, "(** Which ends of an interval lie below 1, seen from the two inputs. *)");
        let all = cases();
        for (index, (name, constraints)) in all.iter().enumerate() {
            let Some((excess, known)) = constraints.split_last() else { continue };
            lines.blank();
            lines.push(0, &format!("(* {name} *)"));
            let mut statement = format!("Lemma event_{} (A b k E : R) :", index + 1);
            for constraint in known {
                statement += &format!(" {} ->", terms.constraint(constraint)?);
            }
            lines.push(0, &format!("{statement} {}.", terms.negation(excess)?));
            let known =
                Known { place: Vec::new(), constraints: known.to_vec(), terms: terms.clone(), indent: 2 };
            let premise = self.premises.everywhere(&known, constraints);
            lines.push(0, &format!("Proof. intros. {premise}. Qed."));
        }
        // In the order in which Coq takes cells apart: A, b, kA, kb, each below 1 first.
        let cell =
            |goal: usize| (goal >> 3 & 1) | (goal >> 2 & 1) << 1 | (goal >> 1 & 1) << 2 | (goal & 1) << 3;
        let tail = |goal: usize, from: usize| 16 + 2 * ((goal >> 1 & 1) | (goal & 1) << 1) + from;
        let list = |indices: Vec<usize>| -> String {
            let tactics: Vec<String> =
                indices.into_iter().map(|index| format!("by_case (event_{} A b k E)", index + 1)).collect();
            tactics.join(" | ")
        };
        lines.blank();
        lines.push(0, "Lemma inequalities (E k : R) : 0 < E -> 0 < k -> 0 <= -1 + E * k -> 0 <= E - k ->");
        lines.push(2, "event_inequalities E k.");
        lines.push(0, "Proof.");
        lines.push(2, "intros; split; [|split; [|split]].");
        lines.push(2, "- intros A b ? ?; assert (0 < b) by lra; assert (0 < k * A) by (apply Rmult_lt_0_compat; assumption).");
        lines.push(4, "assert (0 < k * b) by (apply Rmult_lt_0_compat; assumption).");
        lines.push(4, "destruct (side_of_1 A), (side_of_1 b), (side_of_1 (k * A)), (side_of_1 (k * b)).");
        for goal in 0..16 {
            lines.push(4, &format!("+ {}.", list(vec![cell(goal)])));
        }
        for (name, place, from) in [("b", "A", 0), ("A", "b", 1)] {
            lines.push(
                2,
                &format!(
                    "- intros {name} ?; assert (0 < k * {name}) by (apply Rmult_lt_0_compat; assumption); \
                     pose ({place} := 1); assert (0 < {place}) by (unfold {place}; closed)."
                ),
            );
            lines.push(4, &format!("destruct (side_of_1 {name}), (side_of_1 (k * {name}))."));
            for goal in 0..4 {
                lines.push(4, &format!("+ {}.", list(vec![tail(goal, from)])));
            }
        }
        lines.push(2, "- pose (A := 1); pose (b := 1); assert (0 < A) by (unfold A; closed).");
        lines.push(4, &format!("assert (0 < b) by (unfold b; closed); {}.", list(vec![24])));
        lines.push(0, "Qed.");
        Ok(())
    }

    /// EVENT.
    pub(super) fn event(&self, lines: &mut Lines, known: &Known, event: &Event) -> Result<(), Unsupported> {
        lines.push(known.indent, "(* EVENT: the probability of every interval of noisy values. *)");
        let is_countable = self.text.program.declaration.result.scalar != Scalar::Real;
        if event.pointwise && !is_countable {
            lines.push(known.indent, "(* PW-EQ needs countably many outputs. *) no_lemma.");
        }
        let (x1, c) = self.centre(lines, known, event, Side::One)?;
        let (x2, c2) = self.centre(lines, known, event, Side::Two)?;
        let rate = c.inverse().filter(|_| c == c2).ok_or(Unsupported::Scale)?;
        self.refute(lines, known, &Constraint::non_negative(-&c))?;
        let distance = &(&x1 - &x2) * &rate;
        let excesses = [&distance - self.cost, &-&distance - self.cost];
        for excess in &excesses {
            self.refute(lines, known, &Constraint::positive(excess.clone()))?;
        }
        self.refute(lines, known, &Constraint::positive(self.cost - &self.claim.1))?;
        let name = &self.text.name;
        lines.push(known.indent, &format!("split; [unfold {name}_defined; is_defined_event |]."));
        let claim_excess = self.cost - &self.claim.1;
        let list = [&rate, &c, &x1, &x2].map(|p| known.terms.polynomial(p));
        let centre =
            list.into_iter().map(|term| Ok(atom(&term?))).collect::<Result<Vec<_>, Unsupported>>()?;
        let list = [&excesses[0], &excesses[1], &claim_excess].map(|p| known.terms.polynomial(p));
        let excesses =
            list.into_iter().map(|term| Ok(atom(&term?))).collect::<Result<Vec<_>, Unsupported>>()?;
        let cost = format!("({name}_cost{})", self.text.arguments(&[]));
        lines.push(
            known.indent,
            &format!(
                "apply (event_private {} {cost} {} ({}) _ _ {} inequalities);",
                atom(&self.claim.0),
                centre.join(" "),
                self.text.function_of(&event.variable)?,
                excesses.join(" ")
            ),
        );
        lines.push(known.indent + 2, &format!("unfold {name}, {name}_cost;"));
        lines.push(known.indent + 2, "[ assumption | same_reading | assumption | same_reading | assumption");
        lines.push(
            known.indent + 2,
            "| same_reading | assumption | same_reading | is_monotone | same_function",
        );
        lines.push(known.indent + 2, "| same_function ].");
        Ok(())
    }

    /// `x` and `c` of `w = x + s·c·ln(u)`; in the first run, that the program is defined.
    fn centre(
        &self,
        lines: &mut Lines,
        known: &Known,
        event: &Event,
        side: Side,
    ) -> Result<(Polynomial, Polynomial), Unsupported> {
        let mut found: Option<(Polynomial, Polynomial)> = None;
        let mut asserted: Vec<Constraint> = Vec::new();
        for path in paths(self.text.program, side, &Fresh).map_err(program_error)? {
            for obligation in path.obligations.iter().filter(|_| side == Side::One) {
                if !asserted.contains(&obligation.forbidden) {
                    self.refute(lines, known, &obligation.forbidden)?;
                    asserted.push(obligation.forbidden.clone());
                }
            }
            let ([sample], [sign]) = (path.samples.as_slice(), path.choices.as_slice()) else {
                return Err(Unsupported::Draws);
            };
            let Some(Value::Number(w)) = path.variables.get(&event.variable) else {
                return Err(Unsupported::Expression(format!("`{}` in a proof by EVENT", event.variable)));
            };
            let (x, c) = w.split(&sample.coordinate()).ok_or(Unsupported::Scale)?;
            let centre = (x, if sign.value == event.positive { c } else { -&c });
            if event.positive != 0 || found.as_ref().is_some_and(|known| *known != centre) {
                return Err(Unsupported::Scale);
            }
            found = Some(centre);
        }
        found.ok_or(Unsupported::Draws)
    }
}
