//! What a search has used and found so far.

use lastbit_lang::watch::Watch;

use super::Options;
use super::setting::{Candidate, Setting};
use super::witness::Witness;

/// How a search goes on: `Err` with a witness ends it.
pub(super) type Step<T> = Result<T, Box<Witness>>;

/// A loss that exceeds the claim by less is not worth an exact comparison.
const MARGIN: f64 = 1e-9;

/// The budget, and the best so far.
pub(super) struct Hunt<'h> {
    worst: bool,
    progress: &'h mut dyn FnMut(usize),
    watch: Watch,
    tried: usize,
    allowed: usize,
    /// The loss in multiples of the claim, and its witness.
    best: Option<(f64, Witness)>,
}

impl<'h> Hunt<'h> {
    pub(super) fn new(options: &Options, watch: &Watch, progress: &'h mut dyn FnMut(usize)) -> Hunt<'h> {
        Hunt { worst: options.worst, progress, watch: watch.clone(), tried: 0, allowed: 0, best: None }
    }

    /// Sets how much may be used from now on.
    pub(super) fn allow(&mut self, evaluations: usize) {
        self.allowed = self.tried + evaluations;
    }

    pub(super) fn is_over(&self) -> bool {
        self.tried >= self.allowed || self.watch.is_over()
    }

    /// Counts a probability.
    pub(super) fn count(&mut self) {
        self.tried += 1;
        (self.progress)(self.tried);
    }

    pub(super) fn tried(&self) -> usize {
        self.tried
    }

    pub(super) fn is_empty(&self) -> bool {
        self.best.is_none()
    }

    pub(super) fn into_best(self) -> Option<Witness> {
        self.best.map(|(_, witness)| witness)
    }

    /// Keeps a candidate if it is the best so far.
    pub(super) fn consider(&mut self, setting: &Setting<'_>, candidate: &Candidate) -> Step<()> {
        let relative = setting.relative(candidate.loss);
        if self.best.as_ref().is_some_and(|(most, _)| *most >= relative) {
            return Ok(());
        }
        match setting.witness(candidate) {
            Some(witness) => self.offer(relative, witness),
            None => Ok(()),
        }
    }

    /// Keeps a witness if it is the best so far; ends the search if it exceeds the claim and the first one is enough.
    pub(super) fn offer(&mut self, relative: f64, witness: Witness) -> Step<()> {
        if self.best.as_ref().is_some_and(|(most, _)| *most >= relative) {
            return Ok(());
        }
        if !self.worst && relative > 1.0 + MARGIN && witness.exceeds_claim() {
            return Err(Box::new(witness));
        }
        self.best = Some((relative, witness));
        Ok(())
    }
}
