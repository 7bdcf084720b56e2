//! Every side condition is needed: without it the kernel accepts a proof of a false claim, with it it does not.

use std::collections::BTreeSet;

use super::super::broken::{SideCondition, without};
use super::super::{check, hypotheses};
use super::fallacies::{Fallacy, False, event_fallacies, lemma_fallacies, structural_fallacies};
use super::fallacies_align::align_fallacies;
use super::*;
use crate::logic::refute::{Options, RefutationOutcome, refute};
use crate::logic::script::{self, ScriptVerdict};

fn all() -> Vec<Fallacy> {
    [align_fallacies(), event_fallacies(), structural_fallacies(), lemma_fallacies()]
        .into_iter()
        .flatten()
        .collect()
}

#[test]
fn every_side_condition_is_needed() {
    for fallacy in all() {
        let Fallacy { condition, text, cost, leaves, lemmas, .. } = fallacy;
        let file = parsed(&text);
        let declaration = &file.declarations[0];
        let proof = without(condition, || {
            let proof = proof(&file, &cost, &leaves, lemmas)
                .unwrap_or_else(|error| panic!("{condition:?} is off: {error:?}"));
            check(&file, declaration, &Default::default(), &proof).expect("its lemmas are enough");
            proof
        });
        let refusal = check(&file, declaration, &Default::default(), &proof);
        assert!(refusal.is_err(), "{condition:?} is on, and the proof is accepted");
        assert!(super::proof(&file, &cost, &leaves, Vec::new()).is_err(), "{condition:?}");
    }
}

#[test]
fn the_claims_are_false() {
    let options = Options { evaluations: 4000, ..Options::default() };
    let is_true = |fallacy: &Fallacy| {
        let file = parsed(&fallacy.text);
        let outcome = refute(&file, &file.declarations[0], &Default::default(), &options);
        !matches!(outcome, Ok(RefutationOutcome::Refuted(_)))
    };
    let all = all();
    let refuted = all.iter().filter(|fallacy| matches!(fallacy.known, False::Refuted));
    let open: Vec<SideCondition> = refuted.filter(|f| is_true(f)).map(|f| f.condition).collect();
    assert_eq!(open, []);
}

/// The proof of snapping.lb by alignment, for a centre that moves twice as far: only the cost of `u` is wrong.
const TWICE_AS_FAR: &str = "
    mechanism m(x: real) -> real
      param eps: real > 0
      adjacent |x<1> - x<2>| <= 1
      claim pure eps
    { u <$ unif(0,1];  s <$ sign;  w := 2 * x + s * ln(u) / eps;  return w }
    proof {
      case x<1> >= x<2> {
        let K = exp(2 * eps * (x<1> - x<2>));
        align (u, s) cost eps {
          s = 1 & K * u <= 1 => (K * u, 1);
          s = 1 & K * u > 1 => (1 / (K * u), -1);
          s = -1 => (u / K, -1);
        };
      }
      case x<1> < x<2> by mirror (s -> -s, x -> -x, w -> -w);
    }";

#[test]
fn the_cost_of_uniform_samples_is_needed() {
    let file = parsed(TWICE_AS_FAR);
    let declaration = &file.declarations[0];
    let checked = || script::check(&program(&file), &declaration.proofs[0]).unwrap().verdict;
    let ScriptVerdict::Proved(found) = without(SideCondition::UniformCost, checked) else {
        panic!("nothing else is wrong with it")
    };
    assert!(check(&file, declaration, &Default::default(), &found.0).is_err());
    assert!(matches!(checked(), ScriptVerdict::Rejected));
    let outcome = refute(&file, declaration, &Default::default(), &Options::default());
    assert!(matches!(outcome, Ok(RefutationOutcome::Refuted(_))), "{outcome:?}");
}

#[test]
fn no_condition_is_left_out() {
    let mut tested: BTreeSet<SideCondition> = all().iter().map(|fallacy| fallacy.condition).collect();
    tested.insert(SideCondition::UniformCost);
    let every: BTreeSet<SideCondition> = SideCondition::ALL.iter().copied().collect();
    assert_eq!(tested, every);
}

#[test]
fn an_equation_with_its_sides_exchanged_is_the_same() {
    let ways = |adjacent| {
        let file = parsed(&mechanism("return x").replace("|x<1> - x<2>| <= 1", adjacent));
        hypotheses(&program(&file)).expect("ways").len()
    };
    assert_eq!(["x<1> = x<2>", "x<1> = x<2> + 1", "x<1> >= x<2>"].map(ways), [1, 2, 2]);
}
