//! Scripts without `step`s, elaborated into proofs for the kernel.

use std::collections::{BTreeMap, BTreeSet};

use lastbit_lang::ast::{
    ExprId, ExprKind, MirrorRule, Name, Piece as ScriptPiece, Place, Proof as Script, ProofStep,
    ProofStepKind, Side, UnaryOp,
};
use lastbit_lang::symbolic::{
    Constraint, Fresh, Law, Path, Polynomial, Program, Symbol, Trace, Value, condition, explore, paths, value,
};
use lastbit_lang::{Diagnostic, Span};
use lastbit_real::Rational;

use super::counterexample::model;
use super::samples::{Drawn, ScriptScope, finite_value, law_text, mirror};
use super::{Rejection, ScriptReport, Status, StepReport, Verdict};
use crate::logic::kernel::align::second_run;
use crate::logic::kernel::{
    self, Alignment, Event, Hypotheses, Judge, KernelError, Leaf, Map, Piece, Proof, check_leaves, check_one,
    hypotheses,
};
use crate::logic::search::Finder;

/// Checks a script.
pub(super) fn check(program: &Program<'_>, script: &Script) -> Result<ScriptReport, KernelError> {
    let first = paths(program, Side::One, &Fresh)?;
    let mut reports = Vec::new();
    number(&script.steps, &mut reports);
    let drawn = Drawn::of(&first);
    let none = BTreeSet::new();
    let mut elaborator = Elaborator {
        program,
        finder: Finder::default(),
        first,
        drawn,
        reports,
        cost: None,
        costs: Vec::new(),
    };
    let mut leaves = Vec::new();
    for case in hypotheses(program)? {
        leaves.push(elaborator.leaf(&case, &script.steps, &[], &none)?);
    }
    let verdict = elaborator.verdict(leaves.into_iter().collect())?;
    let name = script.name.as_ref().map(|name| name.text.clone());
    Ok(ScriptReport { name, steps: elaborator.reports, verdict })
}

/// Gives every step a number, those inside a case after it.
fn number(steps: &[ProofStep], reports: &mut Vec<StepReport>) {
    for step in steps {
        let rule = match &step.kind {
            ProofStepKind::Pointwise(_) => "PW-EQ",
            ProofStepKind::Preimage { .. } => "PREIM",
            ProofStepKind::Event(..) => "EVENT",
            ProofStepKind::Case(..) | ProofStepKind::Mirror(..) => "CASE",
            ProofStepKind::Let(..) => "LET",
            ProofStepKind::Align { .. } => "ALIGN",
            ProofStepKind::Have(_) => "CONSEQ",
            ProofStepKind::Shift { law, .. } => match law.text() {
                "lap" => "LAP-GEN",
                "dlap" => "DLAP",
                _ => "ALIGN",
            },
            ProofStepKind::Endpoint(_) => "ENDPT",
            ProofStepKind::AuditExact => "AUDIT",
            ProofStepKind::Rule { .. } => "STEP",
        };
        let number_of_step = reports.len() + 1;
        let status = Status::NotReached;
        reports.push(StepReport { number: number_of_step, rule: rule.into(), span: step.span, status });
        if let ProofStepKind::Case(_, inner) = &step.kind {
            number(inner, reports);
        }
    }
}

/// A `let`.
type Let<'s> = (&'s Name, ExprId);

struct Elaborator<'e, 'a> {
    program: &'e Program<'a>,
    finder: Finder,
    first: Vec<Path>,
    drawn: Drawn,
    reports: Vec<StepReport>,
    /// What the steps say it costs.
    cost: Option<Polynomial>,
    costs: Vec<(Polynomial, Span)>,
}

impl<'e, 'a> Elaborator<'e, 'a> {
    fn set(&mut self, step: &ProofStep, status: Status) {
        let found = self.reports.iter_mut().find(|report| report.span == step.span);
        if let Some(report) = found {
            // Another case may have rejected it already.
            if !report.is_rejected() {
                report.status = status;
            }
        }
    }

    fn reject(&mut self, step: &ProofStep, rule: &str, premise: String, open: Option<&[Constraint]>) {
        let counterexample = open.and_then(model);
        self.set(step, Status::Rejected(Rejection { rule: rule.into(), premise, counterexample }));
    }

    fn refused(&mut self, step: &ProofStep, error: KernelError) -> Result<(), KernelError> {
        match error {
            KernelError::Open { rule, premise, open } => self.reject(step, rule, premise, Some(&open)),
            KernelError::Rule { rule, reason } => self.reject(step, rule, reason, None),
            other => return Err(other),
        }
        Ok(())
    }

    /// Where a script is not wrong but not made as scripts are.
    fn malformed(step: &ProofStep, message: &str) -> KernelError {
        Diagnostic::new(step.span, message).into()
    }

    /// A scope with the `let`s evaluated.
    fn scope<'s>(
        &'s self,
        lets: &[Let<'_>],
        mirrored: &'s BTreeSet<String>,
        choices: &BTreeMap<Symbol, usize>,
        trace: &mut Trace,
    ) -> Result<ScriptScope<'s, 'a>, Diagnostic> {
        let mut samples = BTreeMap::new();
        for sample in self.drawn.continuous.values() {
            let variable = Polynomial::variable(sample.coordinate());
            let is_uniform = sample.law == Law::Uniform;
            let value = if is_uniform { Value::Exp(variable) } else { Value::Number(variable) };
            insert(&mut samples, &sample.name, value);
        }
        for (name, number) in choices {
            insert(&mut samples, name, finite_value(self.program, name, *number));
        }
        let mut scope =
            ScriptScope { program: self.program, lets: BTreeMap::new(), samples, runs: None, mirrored };
        for (name, id) in lets {
            let bound = value(self.program.file, &scope, *id, None, trace)?;
            scope.lets.insert(name.text.clone(), bound);
        }
        Ok(scope)
    }

    /// The proof of one case; `None` if a step is rejected.
    fn leaf(
        &mut self,
        case: &Hypotheses,
        steps: &[ProofStep],
        lets: &[Let<'_>],
        mirrored: &BTreeSet<String>,
    ) -> Result<Option<Leaf>, KernelError> {
        let is_case =
            |step: &&ProofStep| matches!(step.kind, ProofStepKind::Case(..) | ProofStepKind::Mirror(..));
        let cases: Vec<&ProofStep> = steps.iter().filter(is_case).collect();
        let mut lets = lets.to_vec();
        for step in steps {
            if let ProofStepKind::Let(name, id) = &step.kind {
                lets.push((name, *id));
                self.set(step, Status::Accepted(None));
            }
        }
        if cases.is_empty() {
            return self.straight(case, steps, &lets, mirrored);
        }
        // Which case is the first to apply, in every way that their conditions can turn out.
        let known = case.constraints.len();
        let file = self.program.file;
        let ways = explore(cases[0].span, |trace| {
            trace.guards = case.constraints.clone();
            let scope = self.scope(&lets, mirrored, &BTreeMap::new(), trace)?;
            for (index, step) in cases.iter().enumerate() {
                let (ProofStepKind::Case(id, _) | ProofStepKind::Mirror(id, _)) = step.kind else { continue };
                if condition(file, &scope, id, None, trace)? {
                    return Ok(Some(index));
                }
            }
            Ok(None)
        })?;
        let ways: Vec<Way> =
            ways.into_iter().map(|(index, trace)| (index, trace.guards[known..].to_vec())).collect();
        self.split(case, &ways.iter().collect::<Vec<_>>(), 0, &cases, (&lets, mirrored))
    }

    /// CASE: the tree of decisions.
    fn split(
        &mut self,
        case: &Hypotheses,
        ways: &[&Way],
        depth: usize,
        cases: &[&ProofStep],
        (lets, mirrored): (&[Let<'_>], &BTreeSet<String>),
    ) -> Result<Option<Leaf>, KernelError> {
        let Some((index, guards)) = ways.first() else {
            // Trusted to be impossible by what was decided before; the kernel will say.
            return Ok(Some(Leaf::Vacuous));
        };
        let Some(on) = guards.get(depth) else {
            return self.case(case, *index, cases, (lets, mirrored));
        };
        let mut leaves = Vec::new();
        let mut options = on.negated();
        options.insert(0, on.clone());
        for option in options {
            let these: Vec<&Way> =
                ways.iter().copied().filter(|(_, guards)| guards.get(depth) == Some(&option)).collect();
            leaves.push(self.split(&case.with(option), &these, depth + 1, cases, (lets, mirrored))?);
        }
        Ok(leaves.into_iter().collect::<Option<Vec<Leaf>>>().map(|leaves| Leaf::Split(on.clone(), leaves)))
    }

    fn case(
        &mut self,
        case: &Hypotheses,
        index: Option<usize>,
        cases: &[&ProofStep],
        (lets, mirrored): (&[Let<'_>], &BTreeSet<String>),
    ) -> Result<Option<Leaf>, KernelError> {
        if self.finder.are_refuted(&case.constraints.iter().collect::<Vec<_>>()) {
            return Ok(Some(Leaf::Vacuous));
        }
        let Some(index) = index else {
            let last = cases[cases.len() - 1];
            self.reject(last, "CASE", "the cases cover all neighbours".into(), Some(&case.constraints));
            return Ok(None);
        };
        let step = cases[index];
        let leaf = match &step.kind {
            ProofStepKind::Case(_, steps) => self.leaf(case, steps, lets, mirrored)?,
            ProofStepKind::Mirror(_, rules) => {
                let mirrored = self.mirrored(step, rules)?;
                let original = cases.iter().find_map(|step| match &step.kind {
                    ProofStepKind::Case(_, steps) => Some(steps),
                    _ => None,
                });
                let Some(original) = original else {
                    return Err(Self::malformed(step, "there is no other case that this one could mirror"));
                };
                self.leaf(case, original, lets, &mirrored)?
            }
            _ => None,
        };
        self.set(step, Status::Accepted(None));
        Ok(leaf)
    }

    /// What a mirror turns into its negative.
    fn mirrored(&self, step: &ProofStep, rules: &[MirrorRule]) -> Result<BTreeSet<String>, KernelError> {
        let file = self.program.file;
        let mut names = BTreeSet::new();
        for rule in rules {
            let is_negative = match &file.expr(rule.to).kind {
                ExprKind::Unary(UnaryOp::Neg | UnaryOp::Not, of) => {
                    matches!(&file.expr(*of).kind, ExprKind::Name(name) if *name == rule.from.name.text)
                }
                _ => false,
            };
            if !is_negative {
                return Err(Self::malformed(step, "a mirror takes variables to their negatives: x -> -x"));
            }
            names.insert(rule.from.name.text.clone());
        }
        Ok(names)
    }

    /// A case without cases: an event, or an alignment.
    fn straight(
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
                    let found =
                        self.drawn.continuous.get(&name).map_or("finite", |sample| law_text(&sample.law));
                    if found != law.text() {
                        let premise = format!("{name} is drawn from {}, it is from {found}", law.text());
                        self.reject(step, "LAP-GEN", premise, None);
                        return Ok(None);
                    }
                    let cost = self.program.parameter_expression(*cost, &mut Trace::default())?;
                    total = &total + &cost;
                    pieces = self.shifted(&pieces, case, (&name, *by, &cost), (lets, mirrored), step)?;
                }
                ProofStepKind::Align { places, cost, pieces: given } => {
                    let cost = self.program.parameter_expression(*cost, &mut Trace::default())?;
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
    fn axioms(&self, cost: &Polynomial) -> Vec<kernel::Axiom> {
        let is_coin =
            |law: &lastbit_lang::symbolic::FiniteLaw| law.weights.iter().any(|w| w.as_constant().is_none());
        if !self.drawn.finite.values().any(is_coin) {
            return Vec::new();
        }
        let mut axioms =
            vec![kernel::Axiom::ExpPositive(cost.clone()), kernel::Axiom::ExpTangent(cost.clone())];
        let applications = self.first.iter().flat_map(|path| path.applications.values());
        let mut divisors = BTreeSet::new();
        for application in applications {
            match application.function {
                "exp" if application.arguments[0] != *cost => {
                    axioms.push(kernel::Axiom::ExpPositive(application.arguments[0].clone()));
                }
                "recip" => drop(divisors.insert(application.arguments[0].clone())),
                _ => {}
            }
        }
        axioms.extend(divisors.into_iter().map(kernel::Axiom::Reciprocal));
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

    /// PW-EQ or PW-INT, PREIM, EVENT.
    fn event(
        &mut self,
        case: &Hypotheses,
        steps: &[ProofStep],
        event: &ProofStep,
    ) -> Result<Option<Leaf>, KernelError> {
        let mut variable = None;
        let mut pointwise = false;
        for step in steps {
            match &step.kind {
                ProofStepKind::Pointwise(_) => pointwise = true,
                ProofStepKind::Preimage { variable: place, .. } => variable = Some(place.name.text.clone()),
                ProofStepKind::Event(..) | ProofStepKind::Let(..) => {}
                _ => return Err(Self::malformed(step, "this does not go together with `event`")),
            }
            self.set(step, Status::Accepted(None));
        }
        let ProofStepKind::Event(places, cost) = &event.kind else { return Ok(None) };
        let Some(variable) = variable else {
            return Err(Self::malformed(event, "an event needs a `preimage … as w in [a, b)` before it"));
        };
        let cost = self.program.parameter_expression(*cost, &mut Trace::default())?;
        self.costs.push((cost.clone(), event.span));
        let named = places
            .iter()
            .map(|place| self.drawn.name(self.program, place))
            .collect::<Result<BTreeSet<_>, _>>()?;
        let all: BTreeSet<Symbol> =
            self.drawn.continuous.keys().chain(self.drawn.finite.keys()).cloned().collect();
        if named != all {
            let list =
                |names: &BTreeSet<Symbol>| names.iter().map(|name| &**name).collect::<Vec<_>>().join(", ");
            let premise = format!(
                "the event is of all samples together, ({}), not of ({}) alone",
                list(&all),
                list(&named)
            );
            self.reject(event, "EVENT", premise, None);
            return Ok(None);
        }
        let leaf = |positive| Leaf::Event(Event { variable: variable.clone(), positive, pointwise });
        let other = check_one(self.program, &cost, case, &leaf(1), &mut self.finder).is_ok();
        let leaf = leaf(usize::from(other));
        let found = check_one(self.program, &cost, case, &leaf, &mut self.finder);
        self.cost.get_or_insert(cost);
        let Err(error) = found else { return Ok(Some(leaf)) };
        // A premise belongs to the step that brought it in.
        let rule = match &error {
            KernelError::Open { rule, .. } | KernelError::Rule { rule, .. } => *rule,
            _ => "EVENT",
        };
        let step = steps.iter().find(|step| match rule {
            "PW-EQ" => matches!(step.kind, ProofStepKind::Pointwise(_)),
            "PREIM" => matches!(step.kind, ProofStepKind::Preimage { .. }),
            _ => false,
        });
        self.refused(step.unwrap_or(event), error).map(|()| None)
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
        let ways = explore(step.span, |trace| {
            trace.guards = case.constraints.clone();
            let scope = self.scope(lets, mirrored, &BTreeMap::new(), trace)?;
            lastbit_lang::symbolic::number(self.program.file, &scope, by, None, trace)
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
                let ways = explore(piece.span, |trace| {
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
                    let ways = explore(step.span, |trace| {
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

    /// All cases together.
    fn verdict(&mut self, leaves: Option<Vec<Leaf>>) -> Result<Verdict, KernelError> {
        let Some(leaves) = leaves.filter(|_| !self.reports.iter().any(StepReport::is_rejected)) else {
            return Ok(Verdict::Rejected);
        };
        let claim = kernel::claim(self.program)?.map(|(epsilon, _)| epsilon);
        let Some(cost) = claim.clone().or(self.cost.take()) else {
            return Ok(Verdict::Undecided("nothing is claimed".into()));
        };
        match check_leaves(self.program, &cost, &leaves, &mut self.finder) {
            Ok(theorem) => {
                let lemmas = std::mem::take(&mut self.finder.lemmas);
                Ok(Verdict::Proved(Box::new((Proof { cost, leaves, lemmas }, theorem))))
            }
            Err(KernelError::Open { premise, open, .. }) => {
                // Every case holds at its own cost: it is the claim that is too small.
                let (spent, span) = self.costs.last().cloned().unwrap_or_default();
                let premise = match &claim {
                    Some(claim) => format!("the steps cost {spent}, and {claim} is claimed"),
                    None => premise,
                };
                let rejection = Rejection { rule: "COMP".into(), premise, counterexample: model(&open) };
                if let Some(report) = self.reports.iter_mut().find(|report| report.span == span) {
                    report.status = Status::Rejected(rejection);
                }
                Ok(Verdict::Rejected)
            }
            Err(error) => Err(error),
        }
    }
}

/// A way that the conditions of cases can turn out: the case that applies, and what was decided.
type Way = (Option<usize>, Vec<Constraint>);

/// Sets a variable or an element of an array.
fn insert(samples: &mut BTreeMap<String, Value>, name: &Symbol, value: Value) {
    let Some((array, index)) = name.strip_suffix(']').and_then(|name| name.split_once('[')) else {
        samples.insert(name.to_string(), value);
        return;
    };
    let Ok(index) = index.parse::<usize>() else { return };
    let entry = samples.entry(array.to_owned()).or_insert_with(|| Value::List(Vec::new()));
    if let Value::List(items) = entry {
        if items.len() <= index {
            items.resize(index + 1, Value::Unset);
        }
        items[index] = value;
    }
}
