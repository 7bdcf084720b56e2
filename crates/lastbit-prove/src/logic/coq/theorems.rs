//! What the leaves show together: the two directions, and the theorems at the end.

use lastbit_lang::symbolic::Constraint;

use super::Unsupported;
use super::layout::Lines;
use super::leaf::Leaves;
use super::terms::atom;
use super::text::Text;

/// `facts -> adjacent -> …`
fn facts(text: &Text<'_, '_>) -> Result<String, Unsupported> {
    Ok(text.facts()?.iter().map(|fact| format!("{fact} -> ")).collect())
}

/// One direction of privacy: every two neighbours fall into a case.
pub(super) fn direction(
    lines: &mut Lines,
    leaves: &Leaves<'_, '_, '_>,
    name: &str,
    which: [usize; 2],
    cases: &[(usize, &[Constraint])],
) -> Result<(), Unsupported> {
    let text = leaves.text;
    lines.push(0, &format!("Lemma {name}{} :", text.binders(&[1, 2])));
    lines.push(2, &format!("{}adjacent{} ->", facts(text)?, text.both(&which)));
    leaves.conclusion(lines);
    lines.push(0, "Proof.");
    lines.push(2, "intros.");
    let mut ways = Vec::new();
    for (_, constraints) in cases {
        let list = constraints.iter().map(|c| leaves.terms.constraint(c)).collect::<Result<Vec<_>, _>>()?;
        ways.push(if list.is_empty() { "True".to_owned() } else { format!("({})", list.join(" /\\ ")) });
    }
    let pattern = (1..cases.len()).fold("?".to_owned(), |pattern, _| format!("[?|{pattern}]"));
    let pattern = if cases.len() <= 1 { String::new() } else { format!(" as {pattern}") };
    lines
        .push(2, &format!("assert ({}){pattern} by (unfold adjacent in *; neighbours).", ways.join(" \\/ ")));
    if cases.is_empty() {
        lines.push(2, "contradiction.");
    }
    for (index, _) in cases {
        lines.push(2, &format!("- conjuncts; apply case_{index}; assumption."));
    }
    lines.push(0, "Qed.");
    Ok(())
}

/// The theorems at the end.
pub(super) fn theorems(lines: &mut Lines, leaves: &Leaves<'_, '_, '_>) -> Result<(), Unsupported> {
    let text = leaves.text;
    let name = &text.name;
    if text.is_event {
        return event_theorem(lines, leaves);
    }
    lines.push(0, "(** Where the mechanism is defined, it is a distribution. *)");
    let arguments = text.arguments(&[0]);
    lines.push(
        0,
        &format!(
            "Theorem {name}_is_dist{} : {name}_defined{arguments} -> is_dist ({name}{arguments}).",
            text.binders(&[0])
        ),
    );
    lines.push(0, &format!("Proof. unfold {name}_defined, {name}. distribution. Qed."));
    lines.blank();
    lines.push(
        0,
        "(** For neighbouring inputs, no event is more likely than the claim says, in both directions. *)",
    );
    lines.push(0, &format!("Theorem {name}_private{} :", text.binders(&[1, 2])));
    lines.push(2, &format!("{}adjacent{} ->", facts(text)?, text.both(&[1, 2])));
    let [one, two] = [1, 2].map(|run| text.arguments(&[run]));
    lines.push(2, &format!("{name}_defined{one} /\\ {name}_defined{two} /\\"));
    let event = text.names.clone().fresh("E");
    let claim = atom(&leaves.claim.0);
    lines.push(
        2,
        &format!(
            "forall {event}, prob ({name}{one}) {event} <= exp {claim} * prob ({name}{two}) {event} /\\ \
             prob ({name}{two}) {event} <= exp {claim} * prob ({name}{one}) {event}."
        ),
    );
    lines.push(0, "Proof.");
    lines.push(2, "intros.");
    // The second direction is about the same inputs with the runs exchanged.
    lines.push(2, &format!("destruct (forward{}) as [? one]; try assumption.", text.both(&[1, 2])));
    lines.push(2, &format!("destruct (backward{}) as [? two]; try assumption.", text.both(&[2, 1])));
    lines.push(2, "split; [assumption | split; [assumption | intros; split; [apply one | apply two]]].");
    lines.push(0, "Qed.");
    Ok(())
}

/// The theorem for a function of a uniform sample and a sign.
fn event_theorem(lines: &mut Lines, leaves: &Leaves<'_, '_, '_>) -> Result<(), Unsupported> {
    let text = leaves.text;
    let name = &text.name;
    let [one, two] = [1, 2].map(|run| text.arguments(&[run]));
    let mut names = text.names.clone();
    let claim = atom(&leaves.claim.0);
    let [p, q, e] = ["p1", "p2", "e"].map(|name| names.fresh(name));
    let both = format!("{p} <= exp {claim} * {q} /\\ {q} <= exp {claim} * {p}");
    let [set, first, second] = leaves.events();
    let comment = "For neighbouring inputs, no interval of outputs is more likely than the claim says, in both directions.";
    lines.push(0, &format!("(** {comment} *)"));
    lines.push(0, &format!("Theorem {name}_private{} :", text.binders(&[1, 2])));
    lines.push(2, &format!("{}adjacent{} ->", facts(text)?, text.both(&[1, 2])));
    lines.push(2, &format!("{name}_defined{one} /\\ {name}_defined{two} /\\"));
    lines.push(2, &format!("forall {set} : R -> Prop, convex {set} -> exists {p} {q},"));
    lines.push(4, &format!("{first} /\\"));
    lines.push(4, &format!("{second} /\\"));
    lines.push(4, &format!("{both}."));
    lines.push(0, "Proof.");
    lines.push(2, "intros.");
    lines.push(2, &format!("destruct (forward{}) as [? one]; try assumption.", text.both(&[1, 2])));
    lines.push(2, &format!("destruct (backward{}) as [? two]; try assumption.", text.both(&[2, 1])));
    lines.push(2, "split; [assumption | split; [assumption | intros; apply both_directions; auto]].");
    lines.push(0, "Qed.");
    lines.blank();
    lines.push(0, "(** So it is for one output. *)");
    lines.push(0, &format!("Corollary {name}_private_output{} :", text.binders(&[1, 2])));
    lines.push(2, &format!("{}adjacent{} ->", facts(text)?, text.both(&[1, 2])));
    lines.push(2, &format!("forall {e}, exists {p} {q},"));
    lines.push(4, &format!("has_prob ({name}{one}) {e} {p} /\\ has_prob ({name}{two}) {e} {q} /\\"));
    lines.push(4, &format!("{both}."));
    lines.push(0, "Proof.");
    lines.push(2, &format!("intros; apply {name}_private with ({set} := fun r => r = {e}); try assumption; apply convex_point."));
    lines.push(0, "Qed.");
    Ok(())
}
