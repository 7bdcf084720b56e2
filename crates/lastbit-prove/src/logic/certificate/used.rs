//! Only the lemmas that a proof needs: a search finds some on ways that lead nowhere.

use std::collections::{HashMap, HashSet};

use lastbit_lang::symbolic::{Constraint, Program};

use crate::logic::kernel::{Judge, KernelError, Lemma, Proof, check_leaves};

/// The lemmas of a proof, and which of them have been needed.
struct Recorder<'p> {
    numbers: HashMap<&'p Constraint, u32>,
    sets: Vec<Vec<u32>>,
    used: Vec<bool>,
}

impl<'p> Recorder<'p> {
    fn new(lemmas: &'p [Lemma]) -> Recorder<'p> {
        let mut numbers = HashMap::new();
        let mut number = |constraint: &'p Constraint| {
            let next = numbers.len() as u32;
            *numbers.entry(constraint).or_insert(next)
        };
        let sets = lemmas.iter().map(|lemma| lemma.constraints.iter().map(&mut number).collect()).collect();
        Recorder { numbers, sets, used: vec![false; lemmas.len()] }
    }
}

impl Judge for Recorder<'_> {
    fn are_refuted(&mut self, constraints: &[&Constraint]) -> bool {
        if constraints.iter().any(|constraint| constraint.decided() == Some(false)) {
            return true;
        }
        let known: HashSet<u32> =
            constraints.iter().filter_map(|constraint| self.numbers.get(constraint).copied()).collect();
        let applies = |lemma: &usize| self.sets[*lemma].iter().all(|number| known.contains(number));
        // One that is needed anyway is the better one.
        let (old, new): (Vec<usize>, Vec<usize>) = (0..self.sets.len()).partition(|lemma| self.used[*lemma]);
        match old.into_iter().chain(new).find(applies) {
            Some(lemma) => {
                self.used[lemma] = true;
                true
            }
            None => false,
        }
    }
}

/// The same proof without the lemmas that no premise needs.
///
/// # Errors
/// If a premise has no lemma.
pub fn only_used(program: &Program<'_>, proof: &Proof) -> Result<Proof, KernelError> {
    let mut recorder = Recorder::new(&proof.lemmas);
    check_leaves(program, &proof.cost, &proof.leaves, &mut recorder)?;
    let used = proof.lemmas.iter().zip(&recorder.used).filter(|(_, used)| **used);
    let lemmas = used.map(|(lemma, _)| lemma.clone()).collect();
    Ok(Proof { cost: proof.cost.clone(), leaves: proof.leaves.clone(), lemmas })
}
