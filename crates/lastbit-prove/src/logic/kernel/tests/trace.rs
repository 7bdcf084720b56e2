//! A trace is what was checked: every question that a check answers with yes, in its order, and a lemma that answers it.

use lastbit_lang::symbolic::{Constraint, Program};

use super::parsed;
use crate::logic::kernel::{Ground, Judge, Lemmas, Obligation, Proof, check_leaves, trace};
use crate::logic::search::search;

/// With paths that are impossible, by EVENT, in two directions, and by shifts.
const TEXTS: [&str; 4] = [
    include_str!("../../../../../../mechanisms/randomized_response.lb"),
    include_str!("../../../../../../mechanisms/snapping.lb"),
    "mechanism higher(x: real in [0, 1]) -> int
       param eps: real > 0
       adjacent x<1> >= x<2>
       claim pure eps
     { k <$ choose(exp(eps * x / 2), exp(-eps * x / 2));  return k }",
    "mechanism laplace(x: real) -> real
       param eps: real > 0
       adjacent |x<1> - x<2>| <= 1
       claim pure eps
     { z <$ lap(1 / eps);  return x + z }",
];

/// The lemmas, and what they were asked and said yes to.
struct Asked {
    lemmas: Lemmas,
    yes: Vec<Vec<Constraint>>,
}

impl Judge for Asked {
    fn are_refuted(&mut self, constraints: &[&Constraint]) -> bool {
        let is_refuted = self.lemmas.are_refuted(constraints);
        if is_refuted {
            self.yes.push(constraints.iter().map(|constraint| (*constraint).clone()).collect());
        }
        is_refuted
    }
}

/// What a check of a proof asks.
fn asked(program: &Program<'_>, proof: &Proof) -> Vec<Vec<Constraint>> {
    let mut judge = Asked { lemmas: Lemmas::new(&proof.lemmas).expect("right lemmas"), yes: Vec::new() };
    check_leaves(program, &proof.cost, &proof.leaves, &mut judge).expect("a proof");
    judge.yes
}

/// Whether the obligations are what was asked, and rest on lemmas that apply.
fn is_faithful(asked: &[Vec<Constraint>], proof: &Proof, obligations: &[Obligation]) -> bool {
    let applies = |obligation: &Obligation| match obligation.ground {
        Ground::Itself => obligation.constraints.iter().any(|c| c.decided() == Some(false)),
        Ground::Lemma(lemma) => {
            let lemma = proof.lemmas.get(lemma);
            lemma.is_some_and(|lemma| lemma.constraints.iter().all(|c| obligation.constraints.contains(c)))
        }
        Ground::Open => false,
    };
    obligations.iter().map(|obligation| &obligation.constraints).eq(asked) && obligations.iter().all(applies)
}

fn with_proofs(test: impl Fn(&str, &Program<'_>, Proof)) {
    for text in TEXTS {
        let file = parsed(text);
        let program = super::program(&file);
        let (proof, _) = search(&program).expect("a program").proved.expect("a proof");
        test(text, &program, proof);
    }
}

#[test]
fn a_trace_is_what_was_checked() {
    with_proofs(|text, program, proof| {
        let asked = asked(program, &proof);
        let trace = trace(program, &proof);
        assert_eq!(trace.refused, None);
        let obligations = trace.obligations;
        assert!(!obligations.is_empty() && is_faithful(&asked, &proof, &obligations), "{text}");

        // And it would be noticed if it were not so.
        for (at, obligation) in obligations.iter().enumerate() {
            let mut fewer = obligations.clone();
            fewer.remove(at);
            assert!(!is_faithful(&asked, &proof, &fewer), "{text}: without {obligation:?}");
            let has = |constraint: &Constraint| obligation.constraints.contains(constraint);
            let wrong = proof.lemmas.iter().position(|lemma| !lemma.constraints.iter().all(has));
            let nowhere = Ground::Lemma(proof.lemmas.len());
            for ground in [Ground::Open, nowhere].into_iter().chain(wrong.map(Ground::Lemma)) {
                let mut others = obligations.clone();
                others[at].ground = ground;
                assert!(!is_faithful(&asked, &proof, &others), "{text}: {ground:?} in {obligation:?}");
            }
        }
    });
}

/// Without a lemma, what a check stops at is in the trace as open; what comes after it is there as well.
#[test]
fn what_is_open_is_in_the_trace() {
    with_proofs(|text, program, proof| {
        for lemma in trace(program, &proof).lemmas() {
            let mut less = proof.clone();
            less.lemmas.remove(lemma);
            let mut lemmas = Lemmas::new(&less.lemmas).expect("right lemmas");
            let checked = check_leaves(program, &less.cost, &less.leaves, &mut lemmas);
            let trace = trace(program, &less);
            assert_eq!(checked.err(), trace.refused, "{text}: without lemma {lemma}");
            let is_open = |obligation: &Obligation| obligation.ground == Ground::Open;
            assert_eq!(trace.refused.is_some(), trace.obligations.iter().any(is_open), "{text}: {lemma}");
        }
    });
}
