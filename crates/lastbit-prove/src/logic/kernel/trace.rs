//! What a check rests on: every premise of a proof's rules, in the order of the check, and what refutes it.
//!
//! [`trace`] runs the rules themselves with a judge that writes down what they ask. So the derivation that people read, the assumptions that
//! are listed, the lemmas that a certificate keeps and the Coq file all speak of what was checked. A trace proves nothing: the sums of lemmas
//! are not looked at, and it goes on where a check would stop.

use std::collections::BTreeSet;

use lastbit_lang::symbolic::{Constraint, Program};

use super::refutation::{Ground, Index};
use super::{Judge, KernelError, Proof, Question, check_leaves};

/// A premise of a rule: constraints that must not hold together.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Obligation {
    /// The place in the proof: the number of the leaf, then of the way at every CASE within it.
    pub place: Vec<usize>,
    /// The rule.
    pub rule: &'static str,
    /// The purpose, as in "ALIGN: that the costs add up is not shown".
    pub reason: String,
    /// The known constraints, and at the end the one to refute.
    pub constraints: Vec<Constraint>,
    /// The ground on which they are refuted.
    pub ground: Ground,
}

impl Obligation {
    /// Whether the rules of this leaf ask for it, and not DP, which is about all leaves.
    pub(crate) fn is_of_leaf(&self, leaf: usize) -> bool {
        self.place.first() == Some(&leaf) && self.rule != "DP"
    }

    /// Whether it is that a constraint does not hold there.
    pub(crate) fn refutes(&self, wrong: &Constraint) -> bool {
        self.constraints.last() == Some(wrong)
    }

    /// The number of the lemma, if it rests on one.
    pub(crate) fn lemma(&self) -> Option<usize> {
        match self.ground {
            Ground::Lemma(number) => Some(number),
            Ground::Itself | Ground::Open => None,
        }
    }
}

/// The obligations of a proof.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct Trace {
    /// All obligations, the open ones included.
    pub obligations: Vec<Obligation>,
    /// The first reason for which a check would refuse the proof, wrong lemmas apart.
    pub refused: Option<KernelError>,
    index: Index,
}

impl Trace {
    /// The lemmas that something rests on.
    pub(crate) fn lemmas(&self) -> BTreeSet<usize> {
        self.obligations.iter().filter_map(Obligation::lemma).collect()
    }

    /// Whether the lemmas refute other constraints, of which the rules have not asked.
    pub(crate) fn refutes<'c>(&self, constraints: impl IntoIterator<Item = &'c Constraint>) -> bool {
        let constraints: Vec<&Constraint> = constraints.into_iter().collect();
        self.index.ground(&constraints, |_| true) != Ground::Open
    }
}

/// Writes down what rules ask, and goes on: what is open is written down as well.
struct Recorder {
    trace: Trace,
    is_used: Vec<bool>,
}

impl Judge for Recorder {
    fn are_refuted(&mut self, constraints: &[&Constraint]) -> bool {
        self.trace.refutes(constraints.iter().copied())
    }

    fn answer(&mut self, question: &Question<'_>) -> bool {
        // A lemma that is needed anyway is the better one.
        let ground = self.trace.index.ground(question.constraints, |lemma| self.is_used[lemma]);
        match ground {
            Ground::Lemma(lemma) => self.is_used[lemma] = true,
            Ground::Itself => {}
            Ground::Open if !question.is_premise => return false,
            Ground::Open => {
                self.trace.refused.get_or_insert_with(|| question.open());
            }
        }
        self.trace.obligations.push(Obligation {
            place: question.place.to_vec(),
            rule: question.rule,
            reason: (question.reason)(),
            constraints: question.constraints.iter().map(|constraint| (*constraint).clone()).collect(),
            ground,
        });
        true
    }

    fn refuse(&mut self, error: KernelError) -> Result<(), KernelError> {
        self.trace.refused.get_or_insert(error);
        Ok(())
    }
}

/// The obligations of a proof, whether or not they are met.
pub(crate) fn trace(program: &Program<'_>, proof: &Proof) -> Trace {
    let mut index = Index::default();
    proof.lemmas.iter().for_each(|lemma| index.insert(lemma));
    let trace = Trace { index, ..Trace::default() };
    let mut recorder = Recorder { trace, is_used: vec![false; proof.lemmas.len()] };
    let checked = check_leaves(program, &proof.cost, &proof.leaves, &mut recorder);
    let Recorder { mut trace, .. } = recorder;
    trace.refused = trace.refused.or(checked.err());
    trace
}
