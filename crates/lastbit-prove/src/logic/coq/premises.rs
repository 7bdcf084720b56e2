//! The kernel's obligations in Coq: each is shown by the lemma that the kernel says.
//!
//! Where the kernel has none, or has not asked, the script says so, and Coq stops there.

use lastbit_lang::symbolic::Constraint;

use super::leaf::Known;
use super::terms::{Stated, atom};
use crate::logic::kernel::{Ground, Obligation, Trace};
use crate::logic::proof::Lemma;

/// What the kernel asks, and what there is to answer it.
pub(super) struct Premises<'l> {
    pub(super) trace: &'l Trace,
    pub(super) lemmas: &'l [Lemma],
    pub(super) stated: &'l [Stated],
}

impl Premises<'_> {
    /// The tactic that shows that a constraint does not hold.
    pub(super) fn refuting(&self, known: &Known, wrong: &Constraint) -> String {
        if wrong.decided() == Some(false) {
            return "closed".into();
        }
        self.first(known, Some(wrong), |obligation| obligation.refutes(wrong))
    }

    /// The tactic that shows that the leaf's hypotheses cannot hold together.
    pub(super) fn impossible(&self, known: &Known) -> String {
        self.first(known, None, |obligation| obligation.constraints == known.constraints)
    }

    /// The tactic that shows that constraints cannot hold together, of which the rules ask wherever they are used.
    pub(super) fn everywhere(&self, known: &Known, constraints: &[Constraint]) -> String {
        let is_it = |obligation: &&Obligation| obligation.constraints == constraints;
        self.trace.obligations.iter().find(is_it).map_or("no_lemma".into(), |it| self.tactic(it, known))
    }

    /// Whether the lemmas refute constraints besides those that are known.
    pub(super) fn is_refuted(&self, known: &Known, more: &[Constraint]) -> bool {
        self.trace.refutes(known.constraints.iter().chain(more))
    }

    /// The first obligation of its kind whose lemma speaks of what is known: another path may have had its guards, too.
    fn first(
        &self,
        known: &Known,
        wrong: Option<&Constraint>,
        is_it: impl Fn(&Obligation) -> bool,
    ) -> String {
        let has =
            |constraint: &Constraint| known.constraints.contains(constraint) || wrong == Some(constraint);
        let is_known = |lemma: usize| self.lemmas[lemma].constraints.iter().all(has);
        let here = self.trace.obligations.iter().filter(|it| known.place.starts_with(&it.place) && is_it(it));
        let found = here.into_iter().find(|it| it.lemma().is_some_and(is_known));
        found.map_or("no_lemma".into(), |it| self.tactic(it, known))
    }

    fn tactic(&self, obligation: &Obligation, known: &Known) -> String {
        let Ground::Lemma(lemma) = obligation.ground else { return "no_lemma".into() };
        let stated = &self.stated[lemma];
        let mut application = stated.name.clone();
        for symbol in &stated.symbols {
            // A variable of multipliers only may be anything.
            let term = known.terms.get(symbol).map_or("1", String::as_str);
            application += &format!(" {}", atom(term));
        }
        format!("premise ({application})")
    }
}
