//! Alignments of scripts: shifts and maps of samples, as pieces for the kernel.

use std::collections::{BTreeMap, BTreeSet};

use lastbit_lang::Diagnostic;
use lastbit_lang::ast::{ExprId, Piece as ScriptPiece, Place, ProofStep, ProofStepKind};
use lastbit_lang::symbolic::{FiniteLaw, Law, Polynomial, Symbol, Value, condition, explore, number, value};
use lastbit_real::Rational;

use super::elaborate::{Elaborator, Let};
use super::samples::{finite_value, law_text, mirror};
use super::{Status, cost_of};
use crate::logic::kernel::align::second_run;
use crate::logic::kernel::{Alignment, Axiom, Hypotheses, Judge, KernelError, Leaf, Map, Piece, check_one};

impl Elaborator<'_, '_> {
    /// A case without cases: an event, or an alignment.
    pub(super) fn straight(
        &mut self,
        case: &Hypotheses,
        steps: &[ProofStep],
        lets: &[Let<'_>],
        mirrored: &BTreeSet<String>,
    ) -> Result<Option<Leaf>, KernelError> {
        if let Some(event) = steps.iter().find(|step| matches!(step.kind, ProofStepKind::Event(..))) {
            return self.event(case, steps, event);
        }
        let mut pieces = vec![Piece::default()];
        let mut total = Polynomial::zero();
        let mut last: Option<&ProofStep> = None;
        for step in steps {
            match &step.kind {
                ProofStepKind::Shift { law, place, by, cost } => {
                    let name = self.drawn.name(self.program, place)?;
                    self.not_moved_yet(&pieces, std::slice::from_ref(&name), step)?;
                    let found =
                        self.drawn.continuous.get(&name).map_or("finite", |sample| law_text(&sample.law));
                    if found != law.text() {
                        let premise = format!("{name} is drawn from {}, it is from {found}", law.text());
                        self.reject(step, "LAP-GEN", premise, None);
                        return Ok(None);
                    }
                    let cost = cost_of(self.program, *cost)?;
                    total = &total + &cost;
                    pieces = self.shifted(&pieces, case, (&name, *by, &cost), (lets, mirrored), step)?;
                }
                ProofStepKind::Align { places, cost, pieces: given } => {
                    let cost = cost_of(self.program, *cost)?;
                    total = &total + &cost;
                    match self.aligned(&pieces, case, (places, given, &cost), (lets, mirrored), step)? {
                        Some(found) => pieces = found,
                        None => return Ok(None),
                    }
                }
                ProofStepKind::Have(_) | ProofStepKind::Let(..) => continue,
                _ => {
                    return Err(Self::malformed(
                        step,
                        "this does not go together with alignments and shifts",
                    ));
                }
            }
            self.set(step, Status::Accepted(None));
            last = Some(step);
        }
        for step in steps {
            if let ProofStepKind::Have(fact) = step.kind {
                if !self.have(case, &pieces, fact, (lets, mirrored), step)? {
                    return Ok(None);
                }
                self.set(step, Status::Accepted(None));
            }
        }
        let Some(step) = last.or(steps.last()) else {
            return Err(Diagnostic::new(self.program.declaration.name.span, "the proof has no steps").into());
        };
        self.costs.push((total.clone(), step.span));
        let leaf = Leaf::Align(Alignment { axioms: self.axioms(&total), pieces });
        self.checked(case, leaf, total, step)
    }

    /// What may be needed of `exp` where finite samples are permuted.
    fn axioms(&self, cost: &Polynomial) -> Vec<Axiom> {
        let is_coin = |law: &FiniteLaw| law.weights.iter().any(|w| w.as_constant().is_none());
        if !self.drawn.finite.values().any(is_coin) {
            return Vec::new();
        }
        let mut axioms = vec![Axiom::ExpPositive(cost.clone()), Axiom::ExpTangent(cost.clone())];
        let applications = self.first.iter().flat_map(|path| path.applications.values());
        let mut divisors = BTreeSet::new();
        for application in applications {
            match application.function {
                "exp" if application.arguments[0] != *cost => {
                    axioms.push(Axiom::ExpPositive(application.arguments[0].clone()));
                }
                "recip" => drop(divisors.insert(application.arguments[0].clone())),
                _ => {}
            }
        }
        axioms.extend(divisors.into_iter().map(Axiom::Reciprocal));
        axioms
    }

    fn checked(
        &mut self,
        case: &Hypotheses,
        leaf: Leaf,
        cost: Polynomial,
        step: &ProofStep,
    ) -> Result<Option<Leaf>, KernelError> {
        let result = check_one(self.program, &cost, case, &leaf, &mut self.finder);
        self.cost.get_or_insert(cost);
        match result {
            Ok(()) => Ok(Some(leaf)),
            Err(error) => self.refused(step, error).map(|()| None),
        }
    }

    /// A sample is moved once.
    fn not_moved_yet(&self, pieces: &[Piece], names: &[Symbol], step: &ProofStep) -> Result<(), Diagnostic> {
        let moved = |name: &&Symbol| pieces.iter().any(|piece| piece.maps.contains_key(*name));
        match names.iter().find(moved) {
            Some(name) => Err(Diagnostic::new(step.span, format!("`{name}` has been moved already"))),
            None => Ok(()),
        }
    }

    /// Every piece with one more shift.
    fn shifted(
        &self,
        pieces: &[Piece],
        case: &Hypotheses,
        (name, by, cost): (&Symbol, ExprId, &Polynomial),
        (lets, mirrored): (&[Let<'_>], &BTreeSet<String>),
        step: &ProofStep,
    ) -> Result<Vec<Piece>, KernelError> {
        let known = case.constraints.len();
        let ways = explore(step.span, self.program.watch(), |trace| {
            trace.guards = case.constraints.clone();
            let scope = self.scope(lets, mirrored, &BTreeMap::new(), trace)?;
            number(self.program.file, &scope, by, None, trace)
        })?;
        let mut found = Vec::new();
        for (shift, trace) in ways {
            let shift = if mirrored.contains(&**name) { -&shift } else { shift };
            for piece in pieces {
                let mut piece = piece.clone();
                piece.guard.extend_from_slice(&trace.guards[known..]);
                let map = Map::Affine { negate: false, shift: shift.clone() };
                piece.maps.insert(name.clone(), (map, cost.clone()));
                found.push(piece);
            }
        }
        Ok(found)
    }

    /// Every piece, cut into those of an `align`.
    fn aligned(
        &mut self,
        pieces: &[Piece],
        case: &Hypotheses,
        (places, given, cost): (&[Place], &[ScriptPiece], &Polynomial),
        (lets, mirrored): (&[Let<'_>], &BTreeSet<String>),
        step: &ProofStep,
    ) -> Result<Option<Vec<Piece>>, KernelError> {
        let file = self.program.file;
        let names =
            places.iter().map(|place| self.drawn.name(self.program, place)).collect::<Result<Vec<_>, _>>()?;
        self.not_moved_yet(pieces, &names, step)?;
        let mut assignments: Vec<BTreeMap<Symbol, usize>> = vec![BTreeMap::new()];
        for name in &names {
            let Some(law) = self.drawn.finite.get(name) else { continue };
            let values = 0..law.weights.len();
            assignments = assignments
                .iter()
                .flat_map(|known| {
                    values.clone().map(move |value| {
                        let mut known = known.clone();
                        known.insert(name.clone(), value);
                        known
                    })
                })
                .collect();
        }
        let known = case.constraints.len();
        let mut found = Vec::new();
        for assignment in &assignments {
            for piece in given {
                let ways = explore(piece.span, self.program.watch(), |trace| {
                    trace.guards = case.constraints.clone();
                    let scope = self.scope(lets, mirrored, assignment, trace)?;
                    if !condition(file, &scope, piece.guard, None, trace)? {
                        return Ok(None);
                    }
                    let guards = trace.guards.len();
                    let images = piece.images.iter().map(|id| value(file, &scope, *id, None, trace));
                    Ok(Some((images.collect::<Result<Vec<_>, _>>()?, guards)))
                })?;
                for (images, trace) in ways {
                    let Some((images, _)) = images else { continue };
                    let mut new = Piece { choices: assignment.clone(), ..Piece::default() };
                    new.guard = trace.guards[known..].to_vec();
                    for (name, image) in names.iter().zip(images) {
                        let place_name = name.split('[').next().unwrap_or(name);
                        let image = if mirrored.contains(place_name) { mirror(&image) } else { image };
                        match self.map(name, assignment, &image) {
                            Some(map) => drop(new.maps.insert(name.clone(), (map, Polynomial::zero()))),
                            None => {
                                let premise = format!(
                                    "the image of {name} is a value of it moved, mirrored or permuted"
                                );
                                self.reject(step, "ALIGN", premise, None);
                                return Ok(None);
                            }
                        }
                    }
                    self.share(&mut new, cost);
                    found.push(new);
                }
            }
        }
        let merge = |piece: &Piece, new: &Piece| {
            let mut both = piece.clone();
            both.choices.extend(new.choices.clone());
            both.guard.extend(new.guard.iter().cloned());
            both.maps.extend(new.maps.clone());
            both
        };
        Ok(Some(pieces.iter().flat_map(|piece| found.iter().map(move |new| merge(piece, new))).collect()))
    }

    /// The map that takes a sample to its image.
    fn map(&self, name: &Symbol, assignment: &BTreeMap<Symbol, usize>, image: &Value) -> Option<Map> {
        if let Some(law) = self.drawn.finite.get(name) {
            let from = *assignment.get(name)?;
            let to =
                (0..law.weights.len()).find(|number| finite_value(self.program, name, *number) == *image)?;
            let mut permutation: Vec<usize> = (0..law.weights.len()).collect();
            permutation.swap(from, to);
            return Some(Map::Permute(permutation));
        }
        let sample = self.drawn.continuous.get(name)?;
        let image = match (&sample.law, image) {
            (Law::Uniform, image) => image.log()?,
            (_, Value::Number(p)) => p.clone(),
            _ => return None,
        };
        let (shift, slope) = image.split(&sample.coordinate())?;
        let negate = match slope.as_constant()? {
            one if one == Rational::ONE => false,
            minus if minus == -Rational::ONE => true,
            _ => return None,
        };
        Some(Map::Affine { negate, shift })
    }

    /// The cost of an `align`, shared by the samples that move.
    fn share(&self, piece: &mut Piece, cost: &Polynomial) {
        let is_free = |name: &Symbol, map: &Map| match map {
            Map::Affine { negate, shift } => !negate && shift.is_zero(),
            Map::Permute(_) => self.drawn.finite.get(name).is_some_and(|law| {
                law.weights.iter().all(|weight| *weight == law.weights[0] && weight.as_constant().is_some())
            }),
        };
        let paying: Vec<Symbol> = piece
            .maps
            .iter()
            .filter(|(name, (map, _))| !is_free(name, map))
            .map(|(name, _)| name.clone())
            .collect();
        let Some(share) = Rational::new(1, paying.len()) else { return };
        for name in paying {
            if let Some((_, part)) = piece.maps.get_mut(&name) {
                *part = cost.scale(&share);
            }
        }
    }

    /// Whether a fact holds in both runs on every piece.
    fn have(
        &mut self,
        case: &Hypotheses,
        pieces: &[Piece],
        fact: ExprId,
        (lets, mirrored): (&[Let<'_>], &BTreeSet<String>),
        step: &ProofStep,
    ) -> Result<bool, KernelError> {
        let file = self.program.file;
        for piece in pieces {
            for path in self.first.clone().iter().filter(|path| piece.selects(path)) {
                for other in second_run(self.program, &self.first, piece, path)? {
                    let mut known = case.constraints.clone();
                    known.extend(path.guards.iter().chain(&piece.guard).chain(&other.guards).cloned());
                    known.extend(case.supports(path));
                    let ways = explore(step.span, self.program.watch(), |trace| {
                        trace.guards = known.clone();
                        let mut scope = self.scope(lets, mirrored, &BTreeMap::new(), trace)?;
                        scope.runs = Some([&path.variables, &other.variables]);
                        condition(file, &scope, fact, None, trace)
                    })?;
                    for (_, trace) in ways.into_iter().filter(|(holds, _)| !holds) {
                        if !self.finder.are_refuted(&trace.guards.iter().collect::<Vec<_>>()) {
                            let text = lastbit_lang::expression_text(file, fact, lastbit_lang::Reading::Real);
                            self.reject(
                                step,
                                "CONSEQ",
                                format!("{text} on every piece"),
                                Some(&trace.guards),
                            );
                            return Ok(false);
                        }
                    }
                }
            }
        }
        Ok(true)
    }
}
