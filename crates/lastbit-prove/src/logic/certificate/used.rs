//! Only the lemmas that a proof needs: a search finds some on ways that lead nowhere.

use lastbit_lang::symbolic::Program;

use crate::logic::kernel::{KernelError, Proof, trace};

/// The same proof without the lemmas that no premise needs.
///
/// # Errors
/// If a premise has no lemma.
pub fn only_used(program: &Program<'_>, proof: &Proof) -> Result<Proof, KernelError> {
    let trace = trace(program, proof);
    let lemmas = trace.lemmas().into_iter().map(|lemma| proof.lemmas[lemma].clone()).collect();
    match trace.refused {
        Some(error) => Err(error),
        None => Ok(Proof { cost: proof.cost.clone(), leaves: proof.leaves.clone(), lemmas }),
    }
}
