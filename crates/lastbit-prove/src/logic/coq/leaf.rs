//! The proof of one leaf in Coq, from the certificate's own data.
//!
//! The leaf's hypotheses are in the context as the kernel has them. What a rule needs is asserted, premise by premise, and each premise is
//! shown as the kernel's [trace](crate::logic::kernel::trace) says.

use lastbit_lang::symbolic::{Constraint, Polynomial, Relation};

use super::Unsupported;
use super::layout::Lines;
use super::premises::Premises;
use super::terms::{Terms, atom};
use super::text::Text;
use crate::logic::proof::{Axiom, Leaf};

/// What all leaves look at.
pub(super) struct Leaves<'l, 'p, 'a> {
    pub(super) text: &'l Text<'p, 'a>,
    pub(super) premises: Premises<'l>,
    pub(super) cost: &'l Polynomial,
    /// The claim, as it is written, and as a polynomial.
    pub(super) claim: (String, Polynomial),
    pub(super) terms: Terms,
}

/// What is known, and the script so far.
#[derive(Clone)]
pub(super) struct Known {
    /// The place in the proof.
    pub(super) place: Vec<usize>,
    pub(super) constraints: Vec<Constraint>,
    pub(super) terms: Terms,
    pub(super) indent: usize,
}

impl Leaves<'_, '_, '_> {
    /// A lemma with the leaf's hypotheses, and its proof.
    pub(super) fn write(
        &self,
        lines: &mut Lines,
        index: usize,
        hypotheses: &[Constraint],
        leaf: &Leaf,
    ) -> Result<(), Unsupported> {
        let text = self.text;
        lines.push(0, &format!("Lemma case_{}{} :", index + 1, text.binders(&[1, 2])));
        for constraint in hypotheses {
            lines.push(2, &format!("{} ->", self.terms.constraint(constraint)?));
        }
        self.conclusion(lines);
        lines.push(0, "Proof.");
        lines.push(2, "intros.");
        let (constraints, terms) = (hypotheses.to_vec(), self.terms.clone());
        let known = Known { place: vec![index], constraints, terms, indent: 2 };
        self.leaf(lines, known, leaf)?;
        lines.push(0, "Qed.");
        Ok(())
    }

    /// One direction of what is to be shown.
    pub(super) fn conclusion(&self, lines: &mut Lines) {
        let text = self.text;
        lines.push(2, &format!("{}_defined{} /\\", text.name, text.arguments(&[1])));
        let [one, two] = [1, 2].map(|run| format!("{}{}", text.name, text.arguments(&[run])));
        let claim = atom(&self.claim.0);
        match text.is_event {
            false => lines.push(2, &format!("at_most (exp {claim}) ({one}) ({two}).")),
            true => {
                let [set, first, second] = self.events();
                let mut names = text.names.clone();
                let [p, q] = ["p1", "p2"].map(|name| names.fresh(name));
                lines.push(2, &format!("forall {set} : R -> Prop, convex {set} -> exists {p} {q},"));
                lines.push(4, &format!("{first} /\\"));
                lines.push(4, &format!("{second} /\\"));
                lines.push(4, &format!("{p} <= exp {claim} * {q}."));
            }
        }
    }

    /// A name for a set of outputs, and that it has probability `p1` in the first run, `p2` in the second.
    pub(super) fn events(&self) -> [String; 3] {
        let text = self.text;
        let mut names = text.names.clone();
        let [set, u, s, p, q] = ["O", "u", "s", "p1", "p2"].map(|name| names.fresh(name));
        let event = |run: usize, probability: &str| {
            let arguments = text.arguments(&[run]);
            format!("event_prob (fun {u} {s} => {set} ({}{arguments} {u} {s})) {probability}", text.name)
        };
        let [first, second] = [event(1, &p), event(2, &q)];
        [set, first, second]
    }

    fn leaf(&self, lines: &mut Lines, known: Known, leaf: &Leaf) -> Result<(), Unsupported> {
        match leaf {
            Leaf::Vacuous => {
                lines.push(known.indent, "exfalso.");
                lines.push(known.indent, &format!("{}.", self.premises.impossible(&known)));
                Ok(())
            }
            Leaf::Split(on, leaves) => self.split(lines, &known, on, leaves),
            Leaf::Event(event) if self.text.is_event => self.event(lines, &known, event),
            Leaf::Align(alignment) if !self.text.is_event => self.align(lines, known, alignment),
            Leaf::Finite(finite) if !self.text.is_event => self.enumerate(lines, known, finite),
            _ => Err(Unsupported::Rule),
        }
    }

    /// Asserts that a constraint does not hold.
    pub(super) fn refute(
        &self,
        lines: &mut Lines,
        known: &Known,
        wrong: &Constraint,
    ) -> Result<(), Unsupported> {
        let premise = self.premises.refuting(known, wrong);
        lines.push(known.indent, &format!("assert ({}) by ({premise}).", known.terms.negation(wrong)?));
        Ok(())
    }

    /// CASE.
    fn split(
        &self,
        lines: &mut Lines,
        known: &Known,
        on: &Constraint,
        leaves: &[Leaf],
    ) -> Result<(), Unsupported> {
        let p = known.terms.polynomial(&on.polynomial)?;
        let order = match on.relation {
            Relation::NonNegative => format!("destruct (Rle_or_lt 0 ({p}))."),
            Relation::Positive => format!("destruct (Rlt_or_le 0 ({p}))."),
            Relation::Zero => format!("destruct (Rtotal_order 0 ({p})) as [?|[?|?]]."),
        };
        lines.push(known.indent, &order);
        let mut ways = on.negated();
        // In the order of the cases of Coq.
        let place = if on.relation == Relation::Zero { 1 } else { 0 };
        ways.insert(place, on.clone());
        let mut ordered: Vec<Option<(usize, &Leaf)>> = leaves.iter().enumerate().map(Some).collect();
        if on.relation == Relation::Zero && ordered.len() > 1 {
            ordered.swap(0, 1);
        }
        ordered.resize(ways.len().max(leaves.len()), None);
        for (index, leaf) in ordered.into_iter().enumerate() {
            lines.push(known.indent, "{");
            let mut inner = Known { indent: known.indent + 2, ..known.clone() };
            if let Some(way) = ways.get(index) {
                lines.push(inner.indent, &format!("assert ({}) by lra.", known.terms.constraint(way)?));
                inner.constraints.push(way.clone());
            }
            match leaf {
                Some((number, leaf)) => {
                    inner.place.push(number);
                    self.leaf(lines, inner, leaf)?;
                }
                None => lines.push(inner.indent, "no_lemma."),
            }
            lines.push(known.indent, "}");
        }
        Ok(())
    }

    /// What is used of `exp` and reciprocals.
    pub(super) fn axioms(
        &self,
        lines: &mut Lines,
        known: &mut Known,
        axioms: &[Axiom],
    ) -> Result<(), Unsupported> {
        for axiom in axioms {
            let list = |terms: &Terms, list: &[Polynomial]| -> Result<String, Unsupported> {
                let terms = list.iter().map(|p| terms.polynomial(p)).collect::<Result<Vec<_>, _>>()?;
                Ok(format!("[{}]", terms.join("; ")))
            };
            let exps: Vec<&Polynomial> = match axiom {
                Axiom::ExpPositive(p) | Axiom::ExpTangent(p) => vec![p],
                Axiom::ExpAtMost(left, right) => left.iter().chain(right).collect(),
                Axiom::Reciprocal(p) => {
                    known.terms.apply("recip", p)?;
                    Vec::new()
                }
            };
            for p in exps {
                known.terms.apply("exp", p)?;
            }
            if let Some(premise) = axiom.premise() {
                self.refute(lines, known, &premise)?;
            }
            let reasons = match axiom {
                Axiom::ExpPositive(p) => {
                    vec![format!("positive_by (exp_pos {})", atom(&known.terms.polynomial(p)?))]
                }
                Axiom::ExpTangent(p) => {
                    vec![format!("nonnegative_by (exp_tangent {})", atom(&known.terms.polynomial(p)?))]
                }
                Axiom::ExpAtMost(left, right) => {
                    let (left, right) = (list(&known.terms, left)?, list(&known.terms, right)?);
                    vec![format!("exps_by {left} {right}")]
                }
                Axiom::Reciprocal(p) => {
                    let p = atom(&known.terms.polynomial(p)?);
                    vec![format!("reciprocal_by {p}"), format!("reciprocal_positive_by {p}")]
                }
            };
            for (conclusion, reason) in axiom.conclusions().iter().zip(reasons) {
                lines.push(
                    known.indent,
                    &format!("assert ({}) by ({reason}).", known.terms.constraint(conclusion)?),
                );
            }
            known.constraints.extend(axiom.conclusions());
        }
        Ok(())
    }
}
